// Package offer is how players come to a table before there is one
// (docs/spec/70-http.md, 70.12).
//
// The genesis entry names all seats, so somebody collects their keys first: by signed
// documents, which are no entries, are in no log, and decide nothing. An organiser offers
// terms, players join, and the organiser signs the genesis entry. What binds them together
// is its nonce, the first 16 bytes of the offer's SHA-256, and [Offer.CheckGenesis], which a
// player asks before the first message at the table: a server that lies about offers can
// waste time, and nothing else.
package offer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// Formats of documents.
const (
	Format        = "offer/v1"
	JoinFormat    = "join/v1"
	LeaveFormat   = "leave/v1"
	PresentFormat = "present/v1"
)

// Bounds of an offer.
const (
	MaxTitle = 80
	maxLog   = 256 // bytes of a log's verifier key
)

// Offer is the terms of a table to be, signed by its organiser. Table is the genesis entry
// with no seats and no nonce; Log is the verifier key of the log that the table is to be in.
type Offer struct {
	Format string       `json:"pakli"`
	Table  wire.Genesis `json:"table"`
	Places int          `json:"places"`
	Title  string       `json:"title"`
	Log    string       `json:"log"`
	Nonce  []byte       `json:"nonce"`

	Hash wire.Hash `json:"-"` // as of an entry, 10.2
	Text []byte    `json:"-"` // as it was signed
}

// Join is a player's wish to sit at the table that an offer will become. Name is what the
// player wants to be called: at a table/v1 it is the name in the key.
type Join struct {
	Format string    `json:"pakli"`
	Offer  wire.Hash `json:"offer"`
	Key    string    `json:"key"`
	Name   string    `json:"name"`

	Hash wire.Hash `json:"-"`
	Text []byte    `json:"-"`
}

// Leave takes a join back, signed by who joined or by the organiser; or the offer itself,
// which it then names in both places, signed by the organiser.
type Leave struct {
	Format string    `json:"pakli"`
	Offer  wire.Hash `json:"offer"`
	Join   wire.Hash `json:"join"`

	Hash     wire.Hash `json:"-"`
	Text     []byte    `json:"-"`
	document *wire.Entry
}

// Present says that the organiser of an offer is there: it answers the challenge that a
// server has made, so that nobody else's word or an old one will do.
type Present struct {
	Format    string    `json:"pakli"`
	Offer     wire.Hash `json:"offer"`
	Challenge []byte    `json:"challenge"`

	Text     []byte `json:"-"`
	document *wire.Entry
}

// Sign signs an offer. Its format, and that of its table, are filled in.
func (o Offer) Sign(organiser note.Signer) (*Offer, error) {
	o.Format, o.Table.Format = Format, wire.TableFormat
	o.Table.Seats, o.Table.Nonce = []string{}, []byte{}
	if o.Table.Options == nil {
		o.Table.Options = map[string]string{}
	}
	doc, err := wire.SignDocument(o, organiser)
	if err != nil {
		return nil, err
	}
	return Parse(doc)
}

// Parse reads an offer, and verifies that its organiser has signed it.
func Parse(doc []byte) (*Offer, error) {
	o := new(Offer)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, Format, o)
	if err == nil {
		err = o.checkTerms()
	}
	if err == nil {
		err = verifyDocument(d, o.Table.Organiser)
	}
	if err != nil {
		return nil, fmt.Errorf("an offer: %w", err)
	}
	o.Hash, o.Text = d.Hash, d.Bytes()
	return o, nil
}

func (o *Offer) checkTerms() error {
	if err := o.Table.CheckTerms(); err != nil {
		return err
	}
	switch {
	case o.Table.Format != wire.TableFormat:
		return fmt.Errorf("a table of the format %.40q, an offer has %q", o.Table.Format, wire.TableFormat)
	case o.Table.Seats == nil || len(o.Table.Seats) > 0 || o.Table.Nonce == nil || len(o.Table.Nonce) > 0:
		return errors.New("seats and nonce of its table must be empty")
	case o.Places < wire.MinSeats || o.Places > wire.MaxSeats:
		return fmt.Errorf("%d places, must be %d to %d", o.Places, wire.MinSeats, wire.MaxSeats)
	case len(o.Title) > MaxTitle:
		return fmt.Errorf("the title has %d bytes, at most %d are allowed", len(o.Title), MaxTitle)
	case len(o.Nonce) != wire.NonceBytes:
		return fmt.Errorf("the nonce has %d bytes, must have %d", len(o.Nonce), wire.NonceBytes)
	case len(o.Log) > maxLog:
		return fmt.Errorf("the log's key has %d bytes, at most %d are allowed", len(o.Log), maxLog)
	}
	if _, err := note.NewVerifier(o.Log); err != nil {
		return fmt.Errorf("the log's key: %w", err)
	}
	return nil
}

// SignJoin signs the wish to sit at an offer's table, with the key of the seat.
func SignJoin(o *Offer, key string, seat note.Signer) (*Join, error) {
	name, _, _ := strings.Cut(key, "+")
	doc, err := wire.SignDocument(Join{Format: JoinFormat, Offer: o.Hash, Key: key, Name: name}, seat)
	if err != nil {
		return nil, err
	}
	return ParseJoin(doc)
}

// ParseJoin reads a join, and verifies that its key has signed it.
func ParseJoin(doc []byte) (*Join, error) {
	j := new(Join)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, JoinFormat, j)
	if err == nil {
		err = verifyDocument(d, j.Key)
	}
	if name, _, _ := strings.Cut(j.Key, "+"); err == nil && j.Name != name {
		err = fmt.Errorf("the name %.40q is not that of the key", j.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("a join: %w", err)
	}
	j.Hash, j.Text = d.Hash, d.Bytes()
	return j, nil
}

// KeyMaterial is the key itself, in base64: whoever has a key may give it any name.
func (j *Join) KeyMaterial() string { return wire.KeyMaterial(j.Key) }

// SignLeave takes back a join, or the offer itself.
func SignLeave(offer, join wire.Hash, by note.Signer) (*Leave, error) {
	doc, err := wire.SignDocument(Leave{Format: LeaveFormat, Offer: offer, Join: join}, by)
	if err != nil {
		return nil, err
	}
	return ParseLeave(doc)
}

// ParseLeave reads a leave. Whose signature it must have is said by what it takes back:
// By asks that.
func ParseLeave(doc []byte) (*Leave, error) {
	l := new(Leave)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, LeaveFormat, l)
	if err != nil {
		return nil, fmt.Errorf("a leave: %w", err)
	}
	l.Hash, l.Text, l.document = d.Hash, d.Bytes(), d
	return l, nil
}

// IsSignedBy reports whether the holder of a verifier key has signed it.
func (l *Leave) IsSignedBy(key string) bool { return verifyDocument(l.document, key) == nil }

// SignPresent answers a challenge.
func SignPresent(offer wire.Hash, challenge []byte, organiser note.Signer) (*Present, error) {
	doc, err := wire.SignDocument(Present{Format: PresentFormat, Offer: offer, Challenge: challenge}, organiser)
	if err != nil {
		return nil, err
	}
	return ParsePresent(doc)
}

// ParsePresent reads an answer to a challenge. That it is the organiser's, By says.
func ParsePresent(doc []byte) (*Present, error) {
	p := new(Present)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, PresentFormat, p)
	if err == nil && len(p.Challenge) != wire.NonceBytes {
		err = fmt.Errorf("the challenge has %d bytes, must have %d", len(p.Challenge), wire.NonceBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("a sign of presence: %w", err)
	}
	p.Text, p.document = d.Bytes(), d
	return p, nil
}

// IsSignedBy reports whether the holder of a verifier key has signed it.
func (p *Present) IsSignedBy(key string) bool { return verifyDocument(p.document, key) == nil }

func verifyDocument(d *wire.Entry, key string) error {
	v, err := wire.ParseVerifier(key)
	if err != nil {
		return err
	}
	return d.Verify(v)
}

// TableNonce is what the genesis entry of the offer's table has as its nonce.
func (o *Offer) TableNonce() []byte {
	sum := sha256.Sum256(o.Text)
	return sum[:wire.NonceBytes]
}

// TableGenesis is the offer's table with these seats.
func (o *Offer) TableGenesis(seats []string) *wire.Genesis {
	g := o.Table
	g.Options, g.Seats, g.Nonce = maps.Clone(g.Options), slices.Clone(seats), o.TableNonce()
	return &g
}

// Mismatch says in which field a table is not what was offered.
type Mismatch struct {
	Field string // of the genesis entry; "entry": it is none
	Why   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the table is not what was offered: %s: %s", m.Field, m.Why)
}

// CheckGenesis says whether an entry begins the offer's table for the holder of a verifier key. The
// error is a *Mismatch. What it does not say is whether the entry is in the offer's log, and
// whether the key sits at another table of the same offer.
func (o *Offer) CheckGenesis(entry []byte, key string) (*wire.Entry, error) {
	e, err := wire.ParseGenesis(entry)
	if err != nil {
		return nil, &Mismatch{"entry", err.Error()}
	}
	g, want := e.Table, o.Table
	differs := func(field string, is, offered any) error {
		return &Mismatch{field, fmt.Sprintf("%.200v, offered was %.200v", is, offered)}
	}
	switch {
	case g.Organiser != want.Organiser:
		return nil, differs("organiser", g.Organiser, want.Organiser)
	case !bytes.Equal(g.Nonce, o.TableNonce()):
		return nil, &Mismatch{"nonce", "it is of another offer, or of none"}
	case g.Game != want.Game:
		return nil, differs("game", g.Game, want.Game)
	case g.Suite != want.Suite:
		return nil, differs("suite", g.Suite, want.Suite)
	case !maps.Equal(g.Options, want.Options):
		return nil, differs("options", g.Options, want.Options)
	case g.Deals != want.Deals:
		return nil, differs("deals", g.Deals, want.Deals)
	case g.Fouls != want.Fouls:
		return nil, differs("fouls", g.Fouls, want.Fouls)
	case len(g.Seats) != o.Places:
		return nil, differs("seats", len(g.Seats), o.Places)
	case !slices.Contains(g.Seats, key): // twice no entry has it
		return nil, &Mismatch{"seats", "your key is not among them"}
	}
	return e, nil
}
