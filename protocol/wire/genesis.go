package wire

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"filippo.io/edwards25519"
	"golang.org/x/mod/sumdb/note"
)

// FoulRule says what happens to a signed message that breaks a rule.
type FoulRule string

const (
	// RefuseFouls: the server refuses the message, and play waits for a better one.
	RefuseFouls FoulRule = "refuse"
	// RecordFouls: the message is logged as evidence and ends the table.
	RecordFouls FoulRule = "record"
	// WarnFouls: the message is logged as an attempt; a seat's third ends the table. Only at a
	// table/v2.
	WarnFouls FoulRule = "warn"
)

// Genesis is a table's first entry, signed by its organiser. Its hash is the table's id, so every
// message is bound to all of it. There are two formats: a table/v1 has only the fields of 10.4, a
// table/v2 those of 10.10. Only a table/v2 has acts ([Act]).
//
// Keys are C2SP verifier keys, "<name>+<hash>+<base64>", of Ed25519. The keys of seats are pairwise
// distinct, and at a table/v1 so are their names. Nonce makes two tables of the same players
// differ.
type Genesis struct {
	Format    string            `json:"pakli"`
	Event     string            `json:"event"` // hex id of the table's event, or ""
	Round     int               `json:"round"`
	Number    int               `json:"number"`
	Game      string            `json:"game"`
	Suite     string            `json:"suite"`
	Options   map[string]string `json:"options"` // written in ascending order of names
	Deals     int               `json:"deals"`
	Fouls     FoulRule          `json:"fouls"`
	Clock     Clock             `json:"clock"`
	Ends      Ends              `json:"ends"`
	Organiser string            `json:"organiser"`
	Arbiters  []string          `json:"arbiters"`
	Seats     []string          `json:"seats"`
	Names     []Text            `json:"names"` // of the seats; "" means the name of the key
	Nonce     []byte            `json:"nonce"`
}

// genesisV1 is the text of a table/v1.
type genesisV1 struct {
	Format    string            `json:"pakli"`
	Game      string            `json:"game"`
	Suite     string            `json:"suite"`
	Options   map[string]string `json:"options"`
	Deals     int               `json:"deals"`
	Fouls     FoulRule          `json:"fouls"`
	Clock     clockV1           `json:"clock"`
	Organiser string            `json:"organiser"`
	Seats     []string          `json:"seats"`
	Nonce     []byte            `json:"nonce"`
}

// clockV1 is three fields of a table/v1 that have no meaning (10.4).
type clockV1 struct {
	Key  string `json:"key"`
	Move int    `json:"move"`
	Bank int    `json:"bank"`
}

// MarshalJSON writes the fields of g's format.
func (g Genesis) MarshalJSON() ([]byte, error) {
	type genesisV2 Genesis
	if g.Format == TableFormat2 {
		return EncodeBody(genesisV2(g))
	}
	if err := g.checkEnds(); g.Format == TableFormat && err != nil {
		return nil, err
	}
	return EncodeBody(genesisV1{g.Format, g.Game, g.Suite, g.Options, g.Deals, g.Fouls, clockV1{}, g.Organiser, g.Seats, g.Nonce})
}

// UnmarshalJSON reads the fields of the text's format, and no others.
func (g *Genesis) UnmarshalJSON(text []byte) error {
	type genesisV2 Genesis
	if bytes.HasPrefix(text, []byte(tablePrefix2)) {
		return DecodeCanonical(text, (*genesisV2)(g))
	}
	var v genesisV1
	if err := DecodeCanonical(text, &v); err != nil {
		return err
	}
	if v.Clock != (clockV1{}) {
		return errors.New("this version plays without clocks: of the clock the key must be empty, move and bank 0")
	}
	*g = Genesis{Format: v.Format, Game: v.Game, Suite: v.Suite, Options: v.Options, Deals: v.Deals, Fouls: v.Fouls, Organiser: v.Organiser, Seats: v.Seats, Nonce: v.Nonce}
	return nil
}

// NonceBytes is the length of a genesis entry's nonce.
const NonceBytes = 16

func parseGenesis(text []byte) (*Genesis, error) {
	g := new(Genesis)
	if err := g.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return g, g.checkForm()
}

func (g *Genesis) checkForm() error {
	if err := g.CheckTerms(); err != nil {
		return err
	}
	switch {
	case len(g.Nonce) != NonceBytes:
		return fmt.Errorf("the nonce has %d bytes, must have %d", len(g.Nonce), NonceBytes)
	case len(g.Seats) < MinSeats || len(g.Seats) > MaxSeats:
		return fmt.Errorf("%d seats, must be %d to %d", len(g.Seats), MinSeats, MaxSeats)
	case g.Format == TableFormat2 && len(g.Names) != len(g.Seats):
		return fmt.Errorf("%d names for %d seats", len(g.Names), len(g.Seats))
	}
	return cmp.Or(g.checkNames(), g.checkKeys())
}

// HasActs reports whether the table takes acts.
func (g *Genesis) HasActs() bool { return g.Format == TableFormat2 }

// IsRuledBy reports whether a key may do the acts of a ruler (50.7): the organiser and the arbiters
// may, and nobody at a self-ruled table.
func (g *Genesis) IsRuledBy(key string) bool {
	return !g.Ends.SelfRuled && (key == g.Organiser || slices.Contains(g.Arbiters, key))
}

// Takes reports whether an entry that names the table concerns it: an act if the table has acts,
// and a message whose blobs are no longer than the suite allows.
func (g *Genesis) Takes(e *Entry) bool {
	return (e.Act == nil || g.HasActs()) && e.Size()-len(e.bytes) <= AttachableBytes(g.Suite)
}

// AttachableBytes returns how many bytes the blobs of a message may have together at a table of a
// suite. It is a matter of form, and so depends on the suite's name alone.
func AttachableBytes(suite string) int {
	if strings.HasPrefix(suite, "schindelhauer") {
		return MaxResidues
	}
	return MaxAttached
}

// CheckTerms checks what an entry says of a table besides who plays: all but organiser, seats,
// names and nonce.
func (g *Genesis) CheckTerms() error {
	switch {
	case g.Format != TableFormat && g.Format != TableFormat2:
		return fmt.Errorf("a table of the format %.40q, want %q or %q", g.Format, TableFormat, TableFormat2)
	case g.Game == "" || len(g.Game) > MaxOption:
		return fmt.Errorf("the name of the game has %d bytes, must have 1 to %d", len(g.Game), MaxOption)
	case g.Suite == "" || len(g.Suite) > MaxOption:
		return fmt.Errorf("the name of the suite has %d bytes, must have 1 to %d", len(g.Suite), MaxOption)
	case g.Deals < 1 || g.Deals > MaxDeals:
		return fmt.Errorf("%d deals, must be 1 to %d", g.Deals, MaxDeals)
	case g.Fouls != RefuseFouls && g.Fouls != RecordFouls && (g.Fouls != WarnFouls || g.Format == TableFormat):
		return fmt.Errorf("fouls: %.20q, must be %q or %q, or of a %s %q", g.Fouls, RefuseFouls, RecordFouls, TableFormat2, WarnFouls)
	}
	return cmp.Or(checkOptions(g.Options), g.checkEnds())
}

func checkOptions(options map[string]string) error {
	if options == nil || len(options) > MaxOptions {
		return fmt.Errorf("options must be an object of at most %d fields", MaxOptions)
	}
	for k, v := range options {
		if k == "" || len(k) > MaxOption || len(v) > MaxOption {
			return fmt.Errorf("option %.70q: name must have 1 to %d bytes and value at most %d", k, MaxOption, MaxOption)
		}
	}
	return nil
}

// SeatLetter returns the letter by which people name the seat at a place, A for the first.
func SeatLetter(place int) string { return string(rune('A' + place)) }

// checkKeys compares names and whole keys: one key under two names would let one player hold two
// seats unnoticed. At a table/v2 equal names are allowed: two of a thousand players may share one
// and meet.
func (g *Genesis) checkKeys() error {
	if _, err := ParseVerifier(g.Organiser); err != nil {
		return fmt.Errorf("organiser: %w", err)
	}
	names, keys := map[string]int{}, map[string]int{}
	for i, vkey := range g.Seats {
		v, err := ParseVerifier(vkey)
		if err != nil {
			return fmt.Errorf("seat %s: %w", SeatLetter(i), err)
		}
		if j, taken := names[v.Name()]; taken && g.Format == TableFormat {
			return fmt.Errorf("seats %s and %s are both named %s", SeatLetter(j), SeatLetter(i), v.Name())
		}
		if j, taken := keys[KeyMaterial(vkey)]; taken {
			return fmt.Errorf("seats %s and %s have the same key", SeatLetter(j), SeatLetter(i))
		}
		names[v.Name()], keys[KeyMaterial(vkey)] = i, i
	}
	return nil
}

// KeyMaterial returns the key itself of a verifier key, in base64: the owner of a key may give it
// any name. Requires: a verifier key.
func KeyMaterial(vkey string) string { return strings.SplitN(vkey, "+", 3)[2] } // base64 may have a plus sign

// ParseVerifier reads the verifier key of a seat or organiser in its one spelling (10.4).
func ParseVerifier(vkey string) (note.Verifier, error) {
	if len(vkey) > MaxName+64 {
		return nil, fmt.Errorf("verifier key has %d bytes, at most %d are allowed", len(vkey), MaxName+64)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		return nil, fmt.Errorf("verifier key %.40q: %w", vkey, err)
	}
	if err := CheckName(v.Name()); err != nil {
		return nil, err
	}
	if err := canonicalVerifier(vkey, v); err != nil {
		return nil, err
	}
	return v, checkPoint(vkey)
}

// checkPoint refuses keys that are no canonical encoding of a point, or a point of small order.
// Under those, one signature fits many messages, and two keys can be one. RFC 8032 leaves both
// checks to the implementation.
func checkPoint(vkey string) error {
	b, err := base64.StdEncoding.DecodeString(KeyMaterial(vkey))
	if err != nil {
		return err
	}
	p, err := new(edwards25519.Point).SetBytes(b[1:])
	if err != nil || !bytes.Equal(p.Bytes(), b[1:]) {
		return fmt.Errorf("verifier key %.40q is no canonical point", vkey)
	}
	if new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return fmt.Errorf("verifier key %.40q is a point of small order", vkey)
	}
	return nil
}

// canonicalVerifier refuses second spellings of one key: upper-case digits in the hash, stray bits
// in the base64.
func canonicalVerifier(vkey string, v note.Verifier) error {
	prefix := fmt.Sprintf("%s+%08x+", v.Name(), v.KeyHash())
	if len(vkey) < len(prefix) || vkey[:len(prefix)] != prefix {
		return fmt.Errorf("verifier key %.40q is not canonical", vkey)
	}
	_, err := ParseBinary(vkey[len(prefix):], 1+32)
	return err
}

// Verifiers returns the organiser's and the seats' keys of a parsed genesis.
func (g *Genesis) Verifiers() (organiser note.Verifier, seats []note.Verifier, err error) {
	if organiser, err = ParseVerifier(g.Organiser); err != nil {
		return nil, nil, err
	}
	for _, vkey := range g.Seats {
		v, err := ParseVerifier(vkey)
		if err != nil {
			return nil, nil, err
		}
		seats = append(seats, v)
	}
	return organiser, seats, nil
}

// signatureBytes is the length of a note's 4-byte key hash and an Ed25519 signature.
const signatureBytes = 4 + 64

// parseSignatureLine checks the form "— <name> <base64>" and returns the name and the decoded
// base64.
func parseSignatureLine(line []byte) (name string, signature []byte, err error) {
	rest, ok := strings.CutPrefix(string(line), "— ")
	if !ok {
		return "", nil, errors.New("the signature line does not begin with an em dash and a space")
	}
	name, sig, ok := strings.Cut(rest, " ")
	if !ok {
		return "", nil, errors.New("the signature line has no signature")
	}
	if err := CheckName(name); err != nil {
		return "", nil, err
	}
	if signature, err = ParseBinary(sig, signatureBytes); err != nil {
		return "", nil, fmt.Errorf("the signature by %s: %w", name, err)
	}
	return name, signature, nil
}

// ParseBinary accepts only the one padded standard base64 spelling of n bytes.
func ParseBinary(s string, n int) ([]byte, error) {
	b, err := parseBase64([]byte(s))
	if err != nil || len(b) != n {
		return nil, fmt.Errorf("%.100q is not the canonical base64 of %d bytes", s, n)
	}
	return b, nil
}

// CheckName accepts the names that seats and organisers sign with: 1 to MaxName of the letters a–z,
// A–Z, digits, dot, hyphen and underscore.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("the name %.40q must have 1 to %d characters", name, MaxName)
	}
	for _, c := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", c) {
			return fmt.Errorf("the name %.40q: only letters a-z, digits, dot, hyphen and underscore are allowed", name)
		}
	}
	return nil
}
