// Package offer is how players come to a table before there is one (docs/spec/70-http.md, 70.12).
//
// The genesis entry names all seats, so somebody has to collect their keys first. That is done by
// signed documents, which are no entries, are in no log, and decide nothing. An organiser offers
// terms, players join, and the organiser signs the genesis entry. Two things bind the documents
// together: its nonce, the first 16 bytes of the offer's SHA-256, and [Offer.CheckGenesis], which a
// player calls before the first message at the table. So a server that lies about offers can waste
// time, and nothing else.
package offer

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/plain"
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

// Offer is the terms of a future table, signed by its organiser. Table is its genesis entry without
// seats, names and nonce: a table/v1, or a self-ruled table/v2, since an organiser of an offer is a
// stranger. Log is the verifier key of the table's log.
type Offer struct {
	Format string       `json:"pakli"`
	Table  wire.Genesis `json:"table"`
	Places int          `json:"places"`
	Title  string       `json:"title"`
	Log    string       `json:"log"`
	Nonce  []byte       `json:"nonce"`
	// id of an earlier table, of which all players, or some with others, play again; or empty
	After string `json:"after,omitempty"`
	// the verifier keys of all players of that table in their next order; nil if others may join
	Kept []string `json:"kept,omitempty"`

	Hash wire.Hash `json:"-"` // as of an entry (10.2)
	Text []byte    `json:"-"` // as it was signed
}

// Join is a player's wish to sit at the table of an offer. Name is the player's name at the table,
// which [Offer.CheckJoin] checks.
type Join struct {
	Format string    `json:"pakli"`
	Offer  wire.Hash `json:"offer"`
	Key    string    `json:"key"`
	Name   wire.Text `json:"name"`

	Hash wire.Hash `json:"-"`
	Text []byte    `json:"-"`
}

// Leave takes a join back, signed by the player or the organiser. If Join equals Offer, it takes
// the offer itself back, signed by the organiser.
type Leave struct {
	Format string    `json:"pakli"`
	Offer  wire.Hash `json:"offer"`
	Join   wire.Hash `json:"join"`

	Hash     wire.Hash `json:"-"`
	Text     []byte    `json:"-"`
	document *wire.Entry
}

// Present says that the organiser of an offer is there. It answers a challenge of the server, so
// that neither somebody else's word nor an old one will do.
type Present struct {
	Format    string    `json:"pakli"`
	Offer     wire.Hash `json:"offer"`
	Challenge []byte    `json:"challenge"`

	Text     []byte `json:"-"`
	document *wire.Entry
}

// Sign signs an offer. It sets the formats of the offer and of its table.
func (o Offer) Sign(organiser note.Signer) (*Offer, error) {
	o.Format, o.Table.Format = Format, wire.TableFormat
	o.Table.Seats, o.Table.Nonce = []string{}, []byte{}
	if o.Table.Ends.SelfRuled {
		o.Table.Format, o.Table.Arbiters, o.Table.Names = wire.TableFormat2, []string{}, []wire.Text{}
		if o.Table.Clock.IsNone() {
			o.Table.Clock = wire.Clock{Keepers: []string{}, Lines: []string{}}
		}
	}
	if o.Table.Options == nil {
		o.Table.Options = map[string]string{}
	}
	doc, err := wire.SignDocument(o, organiser)
	if err != nil {
		return nil, err
	}
	return Parse(doc)
}

// Parse reads an offer and verifies its organiser's signature.
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
	case o.Table.HasActs() && !o.Table.Ends.SelfRuled:
		return errors.New("its table would be ruled by whoever offers it: a table/v2 of an offer must be selfruled")
	case o.Table.Seats == nil || len(o.Table.Seats)+len(o.Table.Names) > 0 || o.Table.Nonce == nil || len(o.Table.Nonce) > 0:
		return errors.New("seats, names and nonce of its table must be empty")
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
	return o.checkKept()
}

// EndsOf returns the ends of a table of an offer: nobody rules, seats may leave, and the seats that
// remain may end it. A seat that leaves a deal pays the forfeit, if it is not 0, to each other
// seat.
func EndsOf(forfeit int) wire.Ends {
	late := wire.LateUndo
	if forfeit != 0 {
		late = wire.LateForfeit
	}
	return wire.Ends{Late: late, Forfeit: forfeit, Resign: true, Agree: true, SelfRuled: true}
}

// checkKept checks for whom places are kept. Only one of these players may offer to play again,
// since a stranger's offer would stand in the way of theirs.
func (o *Offer) checkKept() error {
	if o.After == "" && o.Kept == nil {
		return nil
	}
	if _, err := wire.ParseHash(o.After); err != nil {
		return fmt.Errorf("after: %w", err)
	}
	if o.Kept == nil && o.Table.HasActs() {
		return nil
	}
	if len(o.Kept) != o.Places || !o.Table.HasActs() || !slices.Contains(o.Kept, o.Table.Organiser) {
		return errors.New("places are kept for all of a table/v2 or for none, and its organiser is one of them")
	}
	return wire.CheckVerifiers("kept", o.Kept, wire.MaxSeats)
}

// AgainTerms returns the terms on which the players of a self-ruled table play again, with the next
// player as the first dealer. It is an offer without title, log and nonce; all but the organiser
// follows from the table. The error says why there is none.
func AgainTerms(id wire.Hash, g *wire.Genesis, organiser string) (Offer, error) {
	if !g.Ends.SelfRuled {
		return Offer{}, errors.New("only the players of a table that nobody rules play again by themselves: where somebody rules, that one begins the next")
	}
	t := *g
	t.Organiser, t.Seats, t.Names, t.Nonce = organiser, []string{}, []wire.Text{}, []byte{}
	return Offer{Format: Format, Table: t, Places: len(g.Seats), After: id.String(), Kept: slices.Concat(g.Seats[1:], g.Seats[:1])}, nil
}

// OpenTerms returns the terms on which one of the kept players goes on with anybody, if others do
// not play again. It is an offer without title, log and nonce.
func (o *Offer) OpenTerms(organiser string) Offer {
	t := o.Table
	t.Organiser = organiser
	return Offer{Format: Format, Table: t, Places: o.Places, After: o.After}
}

// GoesOn reports whether o is the offer of a player for whom kept keeps a place, on the same terms,
// with places for anybody.
func (o *Offer) GoesOn(kept *Offer) bool {
	want := kept.OpenTerms(o.Table.Organiser)
	return kept.Kept != nil && o.Kept == nil && o.Places == want.Places && o.After == want.After && o.Log == kept.Log && slices.Contains(kept.Kept, o.Table.Organiser) && compareTables(&o.Table, &want.Table) == nil
}

// IsAgain reports whether o is the offer of a player of a table to play again.
func (o *Offer) IsAgain(id wire.Hash, g *wire.Genesis) bool {
	want, err := AgainTerms(id, g, o.Table.Organiser)
	return err == nil && slices.Contains(g.Seats, o.Table.Organiser) && o.After == want.After && slices.Equal(o.Kept, want.Kept) && compareTables(&o.Table, &want.Table) == nil
}

// SignJoin signs the wish to sit at an offer's table, with the key of the seat and under a name; ""
// means the name of the key.
func SignJoin(o *Offer, key, name string, seat note.Signer) (*Join, error) {
	if name == "" || !o.Table.HasActs() {
		name = keyName(key)
	}
	doc, err := wire.SignDocument(Join{Format: JoinFormat, Offer: o.Hash, Key: key, Name: wire.Text(name)}, seat)
	if err != nil {
		return nil, err
	}
	j, err := ParseJoin(doc)
	if err != nil {
		return nil, err
	}
	return j, o.CheckJoin(j)
}

func keyName(key string) string {
	name, _, _ := strings.Cut(key, "+")
	return name
}

// CheckJoin says why a join may not be one of this offer, by its name or because places are kept;
// nil if it may.
func (o *Offer) CheckJoin(j *Join) error {
	switch {
	case j.Offer != o.Hash:
		return errors.New("it joins another offer than this one")
	case o.Kept != nil && !slices.Contains(o.Kept, j.Key):
		return errors.New("the places are kept for others")
	case o.Table.HasActs():
		return plain.CheckPlayer(string(j.Name))
	case string(j.Name) != keyName(j.Key):
		return fmt.Errorf("the name %.40q is not that of the key", j.Name)
	}
	return nil
}

// IsNamed reports whether a name equals one of list, or looks like it.
func (o *Offer) IsNamed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(other string) bool {
		return strings.EqualFold(other, name) || o.Table.HasActs() && plain.LookAlike(other, name)
	})
}

// ParseJoin reads a join and verifies that its key has signed it.
func ParseJoin(doc []byte) (*Join, error) {
	j := new(Join)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, JoinFormat, j)
	if err == nil {
		err = verifyDocument(d, j.Key)
	}
	if err == nil {
		err = j.Name.CheckLength("the name", wire.MaxText)
	}
	if err != nil {
		return nil, fmt.Errorf("a join: %w", err)
	}
	j.Hash, j.Text = d.Hash, d.Bytes()
	return j, nil
}

// KeyMaterial returns the key itself, in base64: the owner of a key may give it any name.
func (j *Join) KeyMaterial() string { return wire.KeyMaterial(j.Key) }

// SignLeave signs a leave that takes back a join, or the offer itself.
func SignLeave(offer, join wire.Hash, by note.Signer) (*Leave, error) {
	doc, err := wire.SignDocument(Leave{Format: LeaveFormat, Offer: offer, Join: join}, by)
	if err != nil {
		return nil, err
	}
	return ParseLeave(doc)
}

// ParseLeave reads a leave. Whose signature it needs depends on what it takes back: see IsSignedBy.
func ParseLeave(doc []byte) (*Leave, error) {
	l := new(Leave)
	d, err := wire.ParseDocument(doc, wire.MaxDocument, LeaveFormat, l)
	if err != nil {
		return nil, fmt.Errorf("a leave: %w", err)
	}
	l.Hash, l.Text, l.document = d.Hash, d.Bytes(), d
	return l, nil
}

// IsSignedBy reports whether the holder of a verifier key has signed the leave.
func (l *Leave) IsSignedBy(key string) bool { return verifyDocument(l.document, key) == nil }

// SignPresent signs the answer to a challenge.
func SignPresent(offer wire.Hash, challenge []byte, organiser note.Signer) (*Present, error) {
	doc, err := wire.SignDocument(Present{Format: PresentFormat, Offer: offer, Challenge: challenge}, organiser)
	if err != nil {
		return nil, err
	}
	return ParsePresent(doc)
}

// ParsePresent reads an answer to a challenge. IsSignedBy checks that it is the organiser's.
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

// IsSignedBy reports whether the holder of a verifier key has signed the answer.
func (p *Present) IsSignedBy(key string) bool { return verifyDocument(p.document, key) == nil }

func verifyDocument(d *wire.Entry, key string) error {
	v, err := wire.ParseVerifier(key)
	if err != nil {
		return err
	}
	return d.Verify(v)
}

// TableNonce returns the nonce of the offer's genesis entry.
func (o *Offer) TableNonce() []byte {
	sum := sha256.Sum256(o.Text)
	return sum[:wire.NonceBytes]
}

// Seat is a seat at a table of an offer: a key and the name of its join. The name is "" for a key
// that the organiser got in another way; such a seat has the name in the key.
type Seat struct {
	Key  string
	Name wire.Text
}

// SeatOf returns the seat of a key, with the name of its join, if any.
func SeatOf(key string, joins []*Join) (s Seat, joined bool) {
	if i := slices.IndexFunc(joins, func(j *Join) bool { return j.Key == key }); i >= 0 {
		return Seat{key, joins[i].Name}, true
	}
	return Seat{Key: key}, false
}

// ShownName returns what people call the seat.
func (s Seat) ShownName() string { return cmp.Or(string(s.Name), keyName(s.Key)) }

// TableGenesis returns the genesis entry of the offer's table with these seats.
func (o *Offer) TableGenesis(seats []Seat) *wire.Genesis {
	g := o.Table
	g.Options, g.Seats, g.Nonce = maps.Clone(g.Options), []string{}, o.TableNonce()
	for _, s := range seats {
		g.Seats = append(g.Seats, s.Key)
	}
	if g.HasActs() {
		g.Names = []wire.Text{}
		for _, s := range seats {
			g.Names = append(g.Names, s.Name)
		}
	}
	return &g
}

// Mismatch says in which field a table differs from its offer.
type Mismatch struct {
	Field string // of the genesis entry; "entry": it is no genesis entry
	Why   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the table is not what was offered: %s: %s", m.Field, m.Why)
}

// compareTables returns the first field in which two genesis entries differ, whatever fields there
// are; nil if they are equal.
func compareTables(is, want *wire.Genesis) *Mismatch {
	v, w := reflect.ValueOf(*is), reflect.ValueOf(*want)
	for i := range v.NumField() {
		if a, b := v.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			return &Mismatch{v.Type().Field(i).Tag.Get("json"), fmt.Sprintf("%.200v, offered was %.200v", a, b)}
		}
	}
	return nil
}

// CheckGenesis says whether an entry begins the offer's table for the holder of a verifier key: all
// of it must be as offered, and each seat must have the name of its join. If joins is nil, names
// are not compared. The error is a *Mismatch. CheckGenesis does not check whether the entry is in
// the offer's log, nor whether the key sits at another table of the offer.
func (o *Offer) CheckGenesis(entry []byte, key string, joins []*Join) (*wire.Entry, error) {
	e, err := wire.ParseGenesis(entry)
	if err != nil {
		return nil, &Mismatch{"entry", err.Error()}
	}
	g := e.Table
	var seats []Seat
	var called []string
	for i, k := range g.Seats {
		seat, _ := SeatOf(k, joins)
		if joins == nil && g.HasActs() {
			seat.Name = g.Names[i]
		}
		if o.Table.HasActs() && o.IsNamed(called, seat.ShownName()) {
			return nil, &Mismatch{"names", fmt.Sprintf("%q is called like another one", seat.ShownName())}
		}
		seats, called = append(seats, seat), append(called, seat.ShownName())
	}
	switch m := compareTables(g, o.TableGenesis(seats)); {
	case m != nil:
		return nil, m
	case len(g.Seats) != o.Places:
		return nil, &Mismatch{"seats", fmt.Sprintf("%d, offered were %d", len(g.Seats), o.Places)}
	case !slices.Contains(g.Seats, key): // no entry has a key twice
		return nil, &Mismatch{"seats", "your key is not among them"}
	case o.Kept != nil && !slices.Equal(g.Seats, o.Kept):
		return nil, &Mismatch{"seats", "they are not those for whom the places are kept, in their order"}
	}
	return e, nil
}
