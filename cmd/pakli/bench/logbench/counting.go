package logbench

import (
	"crypto/rand"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Counting is the game with the cheapest moves: a seat says a number, and nothing has to be proved.
// So its rate of moves is a server's rate for any game without proofs.
func Counting() table.Game { return table.NewGame(counting{}) }

const countingName = "counting/v1"

type (
	counting struct{}
	count    struct {
		Moves int `json:"moves"`
	}
	number struct {
		N   int    `json:"n"`
		Pad string `json:"pad"` // makes entries as long as those of other games
	}
)

func (counting) Name() string { return countingName }

func (counting) Setup(table.Config) (count, card.Deck, error) {
	deck, err := card.NewDeck("one card", []string{"it"})
	return count{}, deck, err
}

func (counting) Duties(count) []table.Duty {
	return []table.Duty{{Kind: table.Move, Seats: []table.Seat{0, 1}}}
}

func (counting) Settle(s count, _ map[table.Card]card.Face) count { return s }

func (counting) Apply(s count, in table.Input[number]) (count, table.Terms, error) {
	if in.Move.N != s.Moves {
		return s, table.Terms{}, fmt.Errorf("counting: %d moves, not %d", s.Moves, in.Move.N)
	}
	return count{Moves: s.Moves + 1}, table.Terms{}, nil
}

func (counting) Result(count) []int { return nil }

// A Table is a table of two players who count.
type Table struct {
	Genesis []byte
	Keys    [][]byte // the messages with which the seats join

	id, head wire.Hash
	hands    [2]player.Hand
	moves    int
	pad      string
}

// Organiser begins tables.
type Organiser struct {
	Suite  proof.Suite
	signer note.Signer
	key    string
}

// NewOrganiser returns an organiser of tables with this suite.
func NewOrganiser(s proof.Suite) (*Organiser, error) {
	signer, key, err := newKey("organiser")
	return &Organiser{Suite: s, signer: signer, key: key}, err
}

func newKey(name string) (note.Signer, string, error) {
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, "", err
	}
	s, err := note.NewSigner(skey)
	return s, vkey, err
}

// Table signs a genesis entry and the messages with which its seats join. A move's entry has about
// size bytes, or more if it needs them.
func (o *Organiser) Table(size int) (*Table, error) {
	const bare = 380 // bytes of the entry of a move without Pad
	t := &Table{pad: strings.Repeat("x", max(size-bare, 0))}
	g := &wire.Genesis{
		Format: wire.TableFormat, Game: countingName, Suite: o.Suite.Name(), Options: map[string]string{}, Deals: 1,
		Fouls: wire.RefuseFouls, Organiser: o.key, Nonce: make([]byte, wire.NonceBytes),
	}
	rand.Read(g.Nonce)
	prover, err := proof.ProverOf(o.Suite)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"north", "south"} {
		secret, err := prover.NewSecret(rand.Reader)
		if err != nil {
			return nil, err
		}
		signer, key, err := newKey(name)
		if err != nil {
			return nil, err
		}
		t.hands[i] = player.Hand{Seat: table.Seat(i), Secret: secret, Signer: signer}
		g.Seats = append(g.Seats, key)
	}
	if t.Genesis, err = wire.Sign(g, o.signer); err != nil {
		return nil, err
	}
	return t, t.join(o.Suite)
}

// join makes the messages with the card keys.
func (t *Table) join(s proof.Suite) error {
	e, err := wire.Parse(t.Genesis)
	if err != nil {
		return err
	}
	state, err := table.Open(e, Catalogue(s))
	if err != nil {
		return err
	}
	for seat, hand := range t.hands {
		m, err := hand.SignMessage(state, state.DutiesOf(table.Seat(seat))[0], nil, rand.Reader)
		if err != nil {
			return err
		}
		if e, err = wire.Parse(m); err != nil {
			return err
		}
		if state, err = state.Apply(e, table.Facts{}); err != nil {
			return err
		}
		t.Keys = append(t.Keys, m)
	}
	t.id, t.head = state.ID(), state.Head()
	return nil
}

// Catalogue returns a catalogue of this game alone.
func Catalogue(s proof.Suite) table.Catalogue {
	return table.Catalogue{
		Game:  func(name string) (table.Game, bool) { return Counting(), name == countingName },
		Suite: func(name string) (proof.Suite, bool) { return s, name == s.Name() },
	}
}

// Move signs the next move of the table, the seats in turn.
func (t *Table) Move() ([]byte, error) {
	hand := t.hands[t.moves%len(t.hands)]
	move, err := wire.EncodeBody(number{N: t.moves, Pad: t.pad})
	if err != nil {
		return nil, err
	}
	body, err := wire.EncodeBody(wire.MoveBody{Move: move, Tokens: [][]byte{}})
	if err != nil {
		return nil, err
	}
	entry, err := wire.Sign(&wire.Message{
		Format: wire.MessageFormat, Table: t.id, Parent: t.head, Seat: int(hand.Seat), Kind: table.Move, Body: body, Proofs: [][]byte{},
	}, hand.Signer)
	if err != nil {
		return nil, err
	}
	t.moves++
	t.head = wire.HashEntry(entry)
	return entry, nil
}

// Entries signs the genesis entry, the keys and the given number of moves.
func (t *Table) Entries(moves int) ([][]byte, error) {
	list := append([][]byte{t.Genesis}, t.Keys...)
	for range moves {
		entry, err := t.Move()
		if err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	return list, nil
}
