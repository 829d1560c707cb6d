// Package toolbox is every operation on cards that there is, as a library: piles are
// laid, masked, mixed, cut, compared and dealt, cards are minted, shown, handed over,
// inserted and put back, numbers are thrown by all. Each call is a signed entry of a table of the game toolbox/v1;
// each entry is verified before the next.
//
//	t, err := toolbox.Open(toolbox.Config{Suite: s, Seats: 2, Faces: 52}, rand.Reader)
//	a, b := t.Seat(0), t.Seat(1)
//	err = a.Deck()               // all shuffle
//	err = a.Deal("deck", 5, 1)   // five cards to b
//	hand := b.Hand()             // that only b can read
//
// [Table] has all its seats in one program; with Post set, its entries go to a log as
// they are made. [Run] plays a script, whose operations have the names of the calls.
//
// Normative text: docs/spec/93-toolbox.md, which also lists what each call proves.
package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/card"
	rules "github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// Pile is the name of a pile: 1 to 16 small letters, digits and hyphens, beginning with a letter.
type Pile string

// Ref is a card by its place, which it keeps wherever it goes.
type Ref = table.Card

// Seat is one seat's hand at a table of the toolbox. An error says what forbids the operation; then
// nothing was signed.
type Seat interface {
	Deck() error                                          // all earlier cards are gone; all seats shuffle the deck into the pile "deck"
	Create(p Pile, faces ...card.Face) error              // adds open cards under a pile
	Mask(p Pile) error                                    // turns the open cards of a pile face down; each is still known
	Private(p Pile, f card.Face, in card.Set) error       // adds a card of which all seats know that its face is in the set
	Random(p Pile, of card.Set) error                     // adds a card that nobody knows
	Mix(p Pile) error                                     // shuffles a pile
	Cut(p Pile) error                                     // cuts a pile at any place
	Insert(c Ref, p Pile) error                           // puts a card of the own hand or of another pile at any place of a pile
	Return(c Ref, p Pile) error                           // puts a hand card face down under a pile
	Join(to, from Pile) error                             // puts from under to
	Split(from Pile, n int, to Pile) error                // moves the first n cards
	Take(from Pile, place int, to Pile) error             // moves the card at a place, from 0
	Deal(from Pile, n int, to table.Seat) error           // moves the first n cards into a hand
	Show(c Ref) error                                     // shows all seats a card of the own hand or of a pile
	Give(c Ref, to table.Seat) error                      // gives a hand card unseen
	Draw(c Ref) error                                     // draws a card from another seat's hand
	Permute() error                                       // permutes the own hand
	State(set card.Set, min, max int, cards ...Ref) error // proves how many of these hand cards are in the set
	Equal(a, b Pile) error                                // proves that b is a, mixed: both have the same cards
	Number(n int) (int, error)                            // throws a number from 0 to n − 1 with all seats
	End() error                                           // ends the table
	Hand() map[Ref]card.Face                              // the hand, which only this seat can read
	Piles() map[Pile][]Ref                                // all piles, the top card first
}

// Config says how a table is opened. Names of faces may be left out.
type Config struct {
	Suite proof.Suite
	Seats int
	Faces int
	Names []string
}

// Entry is an applied message, as Watch is told.
type Entry struct {
	Seat  table.Seat
	Kind  table.Kind
	Move  *rules.Move // nil unless it is a move
	Throw string      // the number thrown by this move, or ""
	Bytes int         // with its blobs
	Make  time.Duration
	Check time.Duration
}

// Table is a table with all its seats.
type Table struct {
	// Watch, if set, is told of every entry. Post, if set, gets each entry after it was verified here,
	// the genesis entry first.
	Watch func(Entry)
	Post  func(entry []byte) error

	rand    io.Reader
	state   *table.State
	hands   []player.Hand
	entries [][]byte
	posted  int
	chosen  card.Face
}

// Open makes seats and their table. Only the table has the keys of the seats, which are lost with it.
func Open(c Config, rand io.Reader) (*Table, error) {
	t := &Table{rand: rand}
	prover, err := proof.ProverOf(c.Suite)
	if err != nil {
		return nil, err
	}
	organiser, vkey, err := newSigner(rand, "organiser")
	if err != nil {
		return nil, err
	}
	g := &wire.Genesis{Format: wire.TableFormat, Game: rules.Name, Suite: c.Suite.Name(), Options: tableOptions(c), Deals: 1,
		Fouls: wire.RefuseFouls, Organiser: vkey, Nonce: make([]byte, wire.NonceBytes)}
	if _, err := io.ReadFull(rand, g.Nonce); err != nil {
		return nil, err
	}
	for i := range c.Seats {
		h := player.Hand{Seat: table.Seat(i)}
		var vkey string
		if h.Signer, vkey, err = newSigner(rand, "seat-"+h.Seat.Letter()); err != nil {
			return nil, err
		}
		if h.Secret, err = prover.NewSecret(rand); err != nil {
			return nil, err
		}
		g.Seats, t.hands = append(g.Seats, vkey), append(t.hands, h)
	}
	entry, err := wire.Sign(g, organiser)
	if err != nil {
		return nil, err
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, err
	}
	t.entries = [][]byte{entry}
	t.state, err = table.Open(e, table.Catalogue{
		Game:  func(string) (table.Game, bool) { return play.NewGame(rules.Rules{}), true },
		Suite: func(string) (proof.Suite, bool) { return c.Suite, true },
	})
	return t, err
}

func tableOptions(c Config) map[string]string {
	o := map[string]string{"faces": strconv.Itoa(c.Faces)}
	if len(c.Names) > 0 {
		o["names"] = strings.Join(c.Names, ",")
	}
	return o
}

func newSigner(rand io.Reader, name string) (note.Signer, string, error) {
	skey, vkey, err := note.GenerateKey(rand, name)
	if err != nil {
		return nil, "", err
	}
	s, err := note.NewSigner(skey)
	return s, vkey, err
}

// State returns the table as it is now.
func (t *Table) State() *table.State { return t.state }

// Entries returns all entries, the genesis entry first.
func (t *Table) Entries() [][]byte { return slices.Clone(t.entries) }

// Seat returns one of the table's seats.
func (t *Table) Seat(seat table.Seat) Seat { return localSeat{t, seat} }

// Seats returns all the table's seats.
func (t *Table) Seats() []Seat {
	var list []Seat
	for _, h := range t.hands {
		list = append(list, t.Seat(h.Seat))
	}
	return list
}

// settleDuties lets every seat do what it owes until somebody may move, and posts the entries.
func (t *Table) settleDuties() error {
	for {
		if err := t.postEntries(); err != nil {
			return err
		}
		duties := t.state.Duties()
		if len(duties) == 0 || duties[0].Kind == table.Move {
			return nil
		}
		if err := t.applyDuty(duties[0].Seats[0], duties[0], t.chosenFace(duties[0])); err != nil {
			return err
		}
	}
}

// chosenFace returns the face chosen for a private card, as a list for the mint, or nil.
func (t *Table) chosenFace(d table.Duty) json.RawMessage {
	if d.Kind != table.Mint || len(d.Sets) != 1 || d.Sets[0].Len() == 1 {
		return nil
	}
	return json.RawMessage(fmt.Sprintf("[%d]", t.chosen))
}

func (t *Table) postEntries() error {
	for ; t.Post != nil && t.posted < len(t.entries); t.posted++ {
		if err := t.Post(t.entries[t.posted]); err != nil {
			return err
		}
	}
	return nil
}

// applyDuty signs one message, verifies it, and puts it on the table.
func (t *Table) applyDuty(seat table.Seat, d table.Duty, move json.RawMessage) error {
	begin := time.Now()
	entry, err := t.hands[seat].SignMessage(t.state, d, move, t.rand)
	if err != nil {
		return err
	}
	made := time.Since(begin)
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	begin = time.Now()
	next, err := t.state.Apply(e, table.Facts{})
	if err != nil {
		return err
	}
	t.state, t.entries = next, append(t.entries, entry)
	if t.Watch != nil {
		told := Entry{Seat: seat, Kind: d.Kind, Bytes: len(entry), Make: made, Check: time.Since(begin)}
		if d.Kind == table.Move {
			told.Move = new(rules.Move)
			err = json.Unmarshal(move, told.Move)
			told.Throw = t.thrownNumber(told.Move.Op)
		}
		t.Watch(told)
	}
	return err
}

// thrownNumber returns the number that an operation has thrown, or "".
func (t *Table) thrownNumber(op string) string {
	s, _ := table.Public[rules.State](t.state)
	if op != "reveal" || s.Throw.Number == nil {
		return ""
	}
	return strconv.Itoa(*s.Throw.Number)
}

// makeMove makes a seat's move, and everything that follows from it.
func (t *Table) makeMove(seat table.Seat, m rules.Move) error {
	if err := t.settleDuties(); err != nil { // the keys, before the first move
		return err
	}
	raw, err := wire.EncodeBody(m)
	if err != nil {
		return err
	}
	for _, d := range t.state.DutiesOf(seat) {
		if d.Kind == table.Move {
			if err := t.applyDuty(seat, d, raw); err != nil {
				return err
			}
			return t.settleDuties()
		}
	}
	return errors.New("the table is over")
}

// localSeat is a seat of a table in this program.
type localSeat struct {
	*Table
	seat table.Seat
}

func (l localSeat) publicState() rules.State {
	s, _ := table.Public[rules.State](l.state)
	return s
}

func (l localSeat) Deck() error { return l.makeMove(l.seat, rules.Move{Op: "deck"}) }

func (l localSeat) Create(p Pile, faces ...card.Face) error {
	faces = append([]card.Face{}, faces...)
	return l.makeMove(l.seat, rules.Move{Op: "create", Pile: string(p), Faces: &faces})
}

func (l localSeat) pileMove(op string, p Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: op, Pile: string(p)})
}

func (l localSeat) Mask(p Pile) error { return l.pileMove("mask", p) }
func (l localSeat) Mix(p Pile) error  { return l.pileMove("mix", p) }
func (l localSeat) Cut(p Pile) error  { return l.pileMove("cut", p) }

func (l localSeat) Private(p Pile, f card.Face, in card.Set) error {
	if !in.Has(f) {
		return errors.New("the card's own face is none of those that it is said to have one of")
	}
	l.chosen = f
	faces := in.Faces()
	return l.makeMove(l.seat, rules.Move{Op: "private", Pile: string(p), Faces: &faces})
}

func (l localSeat) Random(p Pile, of card.Set) error {
	faces := append([]card.Face{}, of.Faces()...)
	return l.makeMove(l.seat, rules.Move{Op: "random", Pile: string(p), Faces: &faces})
}

func (l localSeat) cardMove(op string, c Ref, p Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: op, Pile: string(p), Cards: &[]Ref{c}})
}

func (l localSeat) Insert(c Ref, p Pile) error { return l.cardMove("insert", c, p) }
func (l localSeat) Return(c Ref, p Pile) error { return l.cardMove("return", c, p) }
func (l localSeat) Draw(c Ref) error           { return l.cardMove("draw", c, "") }

func (l localSeat) Join(to, from Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: "join", Pile: string(from), To: string(to)})
}

func (l localSeat) Split(from Pile, n int, to Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: "split", Pile: string(from), N: n, To: string(to)})
}

func (l localSeat) Take(from Pile, place int, to Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: "take", Pile: string(from), N: place, To: string(to)})
}

func (l localSeat) Deal(from Pile, n int, to table.Seat) error {
	return l.makeMove(l.seat, rules.Move{Op: "deal", Pile: string(from), N: n, Seat: to.Letter()})
}

func (l localSeat) Show(c Ref) error {
	m := rules.Move{Op: "show", Cards: &[]Ref{c}}
	if f, own := l.Hand()[c]; own {
		m.Faces = &[]card.Face{f}
	}
	return l.makeMove(l.seat, m)
}

func (l localSeat) Give(c Ref, to table.Seat) error {
	return l.makeMove(l.seat, rules.Move{Op: "give", Cards: &[]Ref{c}, Seat: to.Letter()})
}

func (l localSeat) Permute() error { return l.makeMove(l.seat, rules.Move{Op: "permute"}) }

func (l localSeat) State(set card.Set, min, max int, cards ...Ref) error {
	faces, cards := append([]card.Face{}, set.Faces()...), append([]Ref{}, cards...)
	return l.makeMove(l.seat, rules.Move{Op: "state", Cards: &cards, Faces: &faces, Min: min, Max: max})
}

func (l localSeat) Equal(a, b Pile) error {
	return l.makeMove(l.seat, rules.Move{Op: "equal", Pile: string(a), To: string(b)})
}

func (l localSeat) End() error { return l.makeMove(l.seat, rules.Move{Op: "end"}) }

// Number draws shares for all seats, which commit to them and then reveal them.
func (l localSeat) Number(n int) (int, error) {
	throw, shares := l.publicState().Throws+1, make([]rules.Value, len(l.hands))
	commit := func(seat table.Seat, m rules.Move) error {
		share, err := l.hands[seat].ThrowShare(l.state, throw, l.rand)
		if err != nil {
			return err
		}
		shares[seat] = share
		value := rules.Commitment(seat, throw, shares[seat])
		m.Value = &value
		return l.makeMove(seat, m)
	}
	err := commit(l.seat, rules.Move{Op: "coin", N: n})
	for _, h := range l.hands {
		if err == nil && h.Seat != l.seat {
			err = commit(h.Seat, rules.Move{Op: "commit"})
		}
	}
	for seat := range shares {
		if err == nil {
			err = l.makeMove(table.Seat(seat), rules.Move{Op: "reveal", Value: &shares[seat]})
		}
	}
	if err != nil {
		return 0, err
	}
	return *l.publicState().Throw.Number, nil
}

func (l localSeat) Hand() map[Ref]card.Face {
	hand, err := play.Peek(l.state, l.seat, l.hands[l.seat].Secret)
	if err != nil {
		return nil // cannot happen: the proofs ensure that every card has a face
	}
	mine := l.publicState().Hands[l.seat]
	maps.DeleteFunc(hand, func(c Ref, _ card.Face) bool { return !slices.Contains(mine, c) })
	return hand
}

func (l localSeat) Piles() map[Pile][]Ref {
	piles := map[Pile][]Ref{}
	for name, cards := range l.publicState().Piles {
		piles[Pile(name)] = slices.Clone(cards)
	}
	return piles
}
