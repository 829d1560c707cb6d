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

// Offer is the terms of a table to be, signed by its organiser. Table is the genesis entry
// with no seats, names or nonce: a table/v1, or a table/v2 that nobody rules, since whoever offers
// one is a stranger. Log is the verifier key of the log that the table is to be in.
type Offer struct {
	Format string       `json:"pakli"`
	Table  wire.Genesis `json:"table"`
	Places int          `json:"places"`
	Title  string       `json:"title"`
	Log    string       `json:"log"`
	Nonce  []byte       `json:"nonce"`
	After  string       `json:"after,omitempty"` // id of the table whose players play again, or some of them with others
	Kept   []string     `json:"kept,omitempty"`  // their verifier keys, in the order in which they sit; none with others

	Hash wire.Hash `json:"-"` // as of an entry, 10.2
	Text []byte    `json:"-"` // as it was signed
}

// Join is a player's wish to sit at the table that an offer will become. Name is what the
// player wants to be called, as [Offer.CheckJoin] allows.
type Join struct {
	Format string    `json:"pakli"`
	Offer  wire.Hash `json:"offer"`
	Key    string    `json:"key"`
	Name   wire.Text `json:"name"`

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

// EndsOf is how a table of an offer ends, besides by its rules: nobody rules, seats may leave, and those who
// are left may end it. Who leaves a deal pays a forfeit to each other seat, if it is not 0.
func EndsOf(forfeit int) wire.Ends {
	late := wire.LateUndo
	if forfeit != 0 {
		late = wire.LateForfeit
	}
	return wire.Ends{Late: late, Forfeit: forfeit, Resign: true, Agree: true, SelfRuled: true}
}

// checkKept checks for whom places are kept: only one of those offers to play again, since a stranger's
// offer would stand in the way of theirs.
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

// AgainTerms is the terms on which the players of a table that nobody rules play again, and the first to deal is
// the next one: an offer without title, log and nonce, of which only the organiser is not said by the table.
// The error says why there is none.
func AgainTerms(id wire.Hash, g *wire.Genesis, organiser string) (Offer, error) {
	if !g.Ends.SelfRuled {
		return Offer{}, errors.New("only the players of a table that nobody rules play again by themselves: where somebody rules, that one begins the next")
	}
	t := *g
	t.Organiser, t.Seats, t.Names, t.Nonce = organiser, []string{}, []wire.Text{}, []byte{}
	return Offer{Format: Format, Table: t, Places: len(g.Seats), After: id.String(), Kept: slices.Concat(g.Seats[1:], g.Seats[:1])}, nil
}

// OpenTerms is the terms on which one of those for whom places are kept goes on with whoever comes, where some do not: an offer without
// title, log and nonce.
func (o *Offer) OpenTerms(organiser string) Offer {
	t := o.Table
	t.Organiser = organiser
	return Offer{Format: Format, Table: t, Places: o.Places, After: o.After}
}

// GoesOn reports whether an offer is that of one of those for whom places are kept, on the same terms, whose places anybody may take.
func (o *Offer) GoesOn(kept *Offer) bool {
	want := kept.OpenTerms(o.Table.Organiser)
	return kept.Kept != nil && o.Kept == nil && o.Places == want.Places && o.After == want.After && o.Log == kept.Log && slices.Contains(kept.Kept, o.Table.Organiser) && compareTables(&o.Table, &want.Table) == nil
}

// IsAgain reports whether an offer is that of one of the players of a table to play again.
func (o *Offer) IsAgain(id wire.Hash, g *wire.Genesis) bool {
	want, err := AgainTerms(id, g, o.Table.Organiser)
	return err == nil && slices.Contains(g.Seats, o.Table.Organiser) && o.After == want.After && slices.Equal(o.Kept, want.Kept) && compareTables(&o.Table, &want.Table) == nil
}

// SignJoin signs the wish to sit at an offer's table, with the key of the seat and under a name; "" is that
// of the key.
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

// CheckJoin says whether a join may be one of this offer, by its name and by whom places are kept for.
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

// IsNamed reports whether one of the names is this one, or looks like it.
func (o *Offer) IsNamed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(other string) bool {
		return strings.EqualFold(other, name) || o.Table.HasActs() && plain.LookAlike(other, name)
	})
}

// ParseJoin reads a join, and verifies that its key has signed it.
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

// Seat is who sits at a table of an offer: a key, and the name of its join; "" of a key that the organiser
// got another way, which is called by the name in it.
type Seat struct {
	Key  string
	Name wire.Text
}

// SeatOf is the seat of a key, with the name of its join if there is one.
func SeatOf(key string, joins []*Join) (s Seat, joined bool) {
	if i := slices.IndexFunc(joins, func(j *Join) bool { return j.Key == key }); i >= 0 {
		return Seat{key, joins[i].Name}, true
	}
	return Seat{Key: key}, false
}

// ShownName is what people call the seat.
func (s Seat) ShownName() string { return cmp.Or(string(s.Name), keyName(s.Key)) }

// TableGenesis is the offer's table with these seats.
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

// Mismatch says in which field a table is not what was offered.
type Mismatch struct {
	Field string // of the genesis entry; "entry": it is none
	Why   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the table is not what was offered: %s: %s", m.Field, m.Why)
}

// compareTables names the first field in which one genesis entry is not as another, whichever fields there are;
// nil if they are equal.
func compareTables(is, want *wire.Genesis) *Mismatch {
	v, w := reflect.ValueOf(*is), reflect.ValueOf(*want)
	for i := range v.NumField() {
		if a, b := v.Field(i).Interface(), w.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			return &Mismatch{v.Type().Field(i).Tag.Get("json"), fmt.Sprintf("%.200v, offered was %.200v", a, b)}
		}
	}
	return nil
}

// CheckGenesis says whether an entry begins the offer's table for the holder of a verifier key: all of it is as it
// was offered, and who sits there is called as its join says. nil in place of the joins that were seen says that the
// names are not compared. The error is a *Mismatch. What it does not say is whether the entry is in the offer's log,
// and whether the key sits at another table of the same offer.
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
	case !slices.Contains(g.Seats, key): // twice no entry has it
		return nil, &Mismatch{"seats", "your key is not among them"}
	case o.Kept != nil && !slices.Equal(g.Seats, o.Kept):
		return nil, &Mismatch{"seats", "they are not those for whom the places are kept, in their order"}
	}
	return e, nil
}
