package sra255_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/sra255"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

var locks = sra255.Prover(sra255.New())

// here is a place.
var here = transcript.Bind("test", "test", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "test", 0).Slot(0)

// plain is the game sitout without what locks do not prove: nothing is handed over,
// permuted or said of hidden cards.
type plain struct{ sitout.Rules }

func (plain) Name() string { return "sitout-plain/v1" }

func (plain) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

func (r plain) Settle(s sitout.State, open map[table.Card]card.Face) sitout.State {
	if s = r.Rules.Settle(s, open); s.Stage == sitout.Hand {
		s.Stage = sitout.Lay
	}
	return s
}

func (r plain) Moves(s sitout.State, v table.View) []sitout.Move {
	return slices.DeleteFunc(r.Rules.Moves(s, v), func(m sitout.Move) bool {
		if m.Lay == nil {
			return false
		}
		_, held := v.Faces[m.Lay.Card]
		return !held || m.Say != ""
	})
}

// A table under locks, of deals that have not all its seats: what a game is held to, with
// all attacks on every message.
func TestConformance(t *testing.T) {
	tabletest.Run(t, play.Of(plain{}), tabletest.Config{Seats: 4, Deals: 3, Playouts: 2, Suite: locks})
}

// A game that hands cards over opens under locks, and stops at the first hand-over.
func TestGamesThatNeedMoreDoNotOpen(t *testing.T) {
	_, err := tabletest.New(play.Of(schwarzerpeter.Rules{}), tabletest.Config{Seats: 2, Suite: locks}, 1)
	if err == nil || !strings.Contains(err.Error(), "transfer, permute: choose another suite") {
		t.Errorf("schwarzer peter under locks: %v", err)
	}
	x, err := locks.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range []proof.Statement{proof.Transfer{}, proof.Condition{}} {
		if locks.Verify(here, st, nil, locks.NewBatch()) == nil {
			t.Errorf("%T: accepted", st)
		}
		if b, err := x.Prove(here, st, nil, rand.Reader); err == nil {
			t.Errorf("%T: proved by %d bytes", st, len(b))
		}
	}
	if _, _, err := x.Transfer(here, nil, x.Key(), rand.Reader); !errors.Is(err, proof.ErrFalse) {
		t.Errorf("a hand-over: %v", err)
	}
}

// until plays up to the first duty of a kind.
func until(t *testing.T, played *tabletest.Table, k table.Kind) table.Duty {
	t.Helper()
	d, err := played.PlayUntil(k)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func begin(t *testing.T) *tabletest.Table {
	t.Helper()
	played, err := tabletest.New(play.Of(plain{}), tabletest.Config{Seats: 4, Deals: 2, Suite: locks}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return played
}

// blamed fails the test if an entry of seat is not its foul by this check.
func blamed(t *testing.T, played *tabletest.Table, entry []byte, seat table.Seat, check table.Check) {
	t.Helper()
	_, err := tabletest.Apply(played.State, entry)
	fault, ok := errors.AsType[*table.Fault](err)
	if !ok || fault.Class != table.Foul || fault.Check != check || fault.Seat != seat {
		t.Errorf("got %v, want a foul of seat %d by %s", err, seat, check)
	}
}

// The keys of locks that lock nothing, another seat's key, and one of a former deal, under
// which a card that was opened would be known again. Who posts it is at fault, there.
func TestKeysAtATable(t *testing.T) {
	g := group.Generator()
	played := begin(t)
	until(t, played, table.Key)
	for name, key := range map[string][]byte{"1": g.Bytes(), "−1": group.Identity().Sub(g).Bytes(), "0": make([]byte, 32)} {
		entry, err := played.Sign(2, table.Key, wire.KeyBody{Key: key}, make([]byte, 64))
		if err != nil {
			t.Fatal(err)
		}
		t.Run("the lock "+name, func(t *testing.T) { blamed(t, played, entry, 2, table.CheckValues) })
	}
	until(t, played, table.Move)
	former := played.Hands[2].Secret
	until(t, played, table.Key)
	p, err := former.Prove(played.State.Context(2, table.Key).Slot(0), proof.Ownership{Key: former.Key()}, nil, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := played.Sign(2, table.Key, wire.KeyBody{Key: former.Key().Bytes()}, p)
	if err != nil {
		t.Fatal(err)
	}
	blamed(t, played, entry, 2, table.CheckKey)
}

// A lock that is another's than the one that was posted: for the deck, by a seat that locks
// with a lock of its own choice, or for one card, so that another face appears.
func TestAnotherLockAtATable(t *testing.T) {
	played := begin(t)
	other, err := locks.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := until(t, played, table.Shuffle)
	seat := d.Seats[0]
	at := played.State.Context(seat, table.Shuffle).Slot(0)
	in, key := played.State.Deck()
	out, w, err := other.Shuffle(at, key, in, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p, err := other.Prove(at, proof.Shuffle{Key: key, By: other.Key(), In: in, Out: out}, w, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	body := wire.CardsBody{}
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	entry, err := played.Sign(seat, table.Shuffle, body, p)
	if err != nil {
		t.Fatal(err)
	}
	blamed(t, played, entry, seat, table.CheckShuffle)

	d = until(t, played, table.Show)
	seat, at = d.Seats[0], played.State.Context(d.Seats[0], table.Show).Slot(0)
	s := proof.Reveal{Key: other.Key(), Cards: played.State.Masked(d.Cards)}
	tokens := wire.TokensBody{}
	for _, c := range s.Cards {
		s.Tokens = append(s.Tokens, other.Token(c))
		tokens.Tokens = append(tokens.Tokens, other.Token(c).Bytes())
	}
	if p, err = other.Prove(at, s, nil, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if entry, err = played.Sign(seat, table.Show, tokens, p); err != nil {
		t.Fatal(err)
	}
	blamed(t, played, entry, seat, table.CheckReveal)
}

// Tokens out of turn: a token is for the card as it lies, so one that is made before
// another seat's is void when that is there, and nobody's fault.
func TestTokensForTheCardAsItLies(t *testing.T) {
	played := begin(t)
	first := until(t, played, table.Show)
	entry, err := played.Message(first.Seats[0], first, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := played.State.Masked(first.Cards)
	if err := played.Add(entry); err != nil {
		t.Fatal(err)
	}
	for i, c := range played.State.Masked(first.Cards) {
		if bytes.Equal(c.Bytes(), before[i].Bytes()) {
			t.Errorf("card %d lies as it did", first.Cards[i])
		}
	}
	_, err = tabletest.Apply(played.State, entry)
	if fault, ok := errors.AsType[*table.Fault](err); !ok || fault.Class != table.Void || fault.Check != table.CheckParent {
		t.Errorf("got %v, want it to be void", err)
	}
}
