package play_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/whistlet"
	"github.com/pakli/pakli/protocol/wire"
)

// verified is whistlet without its player's side.
type verified struct {
	table.Rules[whistlet.State, whistlet.Move]
}

func played(t *testing.T) *tabletest.Table {
	t.Helper()
	return testmust.Have(tabletest.Play(play.Of(whistlet.Rules{}), tabletest.Config{Seats: 3}, 1))(t)
}

// A verdict that rests on what only players need: a game without it is refused, or
// comes to another state.
func TestVerifiedWithoutPlayers(t *testing.T) {
	game := played(t)
	catalogue := table.Catalogue{
		Game:  func(string) (table.Game, bool) { return table.Of(verified{whistlet.Rules{}}), true },
		Suite: func(string) (proof.Suite, bool) { return clear.Suite{}, true },
	}
	first := testmust.Have(wire.Parse(game.Entries[0]))(t)
	s := testmust.Have(table.Open(first, catalogue))(t)
	for _, entry := range game.Entries[1:] {
		s = testmust.Have(tabletest.Apply(s, entry))(t)
	}
	testmust.Equal(t, tabletest.Fingerprint(s), tabletest.Fingerprint(game.State), "the table came to another state")
	_, err := play.Moves(s, table.View{})
	testmust.FailSaying(t, err, "not played", "moves of a game that lists none")
	_, err = play.Choose(s, table.View{}, game.Choice)
	testmust.FailSaying(t, err, "not played", "choice in a game that has none")
}

// A reader that takes the state for that of another game, or for another state.
func TestPublic(t *testing.T) {
	game := played(t)
	for _, s := range game.States {
		state, ok := table.Public[whistlet.State](s)
		if !ok {
			t.Fatal("the state has not the type of its rules")
		}
		if whole, ok := table.Public[any](s); !ok || !reflect.DeepEqual(whole, any(state)) {
			t.Fatal("the state is another")
		}
		if _, ok := table.Public[struct{ Stage int }](s); ok {
			t.Fatal("the state has a type that is not its rules'")
		}
	}
}

// A bot that stops the program where there is nothing to choose.
func TestAnyOfNone(t *testing.T) {
	if m, ok := play.Any([]int{}, rand.New(rand.NewPCG(1, 1))); ok {
		t.Errorf("chose %d of no moves", m)
	}
}

// counting counts the multiplications by a seat's secret.
type counting struct {
	proof.Secret
	tokens int
}

func (c *counting) Token(m proof.Masked) proof.Token {
	c.tokens++
	return c.Secret.Token(m)
}

// A seat that takes a face from an earlier state for that of another card, or multiplies by
// its secret at every message for cards that it has seen: half of what a page did.
func TestEyesSeeWhatSeeSees(t *testing.T) {
	game := played(t)
	first := testmust.Have(wire.Parse(game.Entries[0]))(t)
	s := testmust.Have(table.Open(first, game.Catalogue()))(t)
	secret := &counting{Secret: game.Hands[1].Secret}
	eyes, known := play.Eyes{Seat: 1, Secret: secret}, map[string]bool{}
	for i, entry := range append([][]byte{nil}, game.Entries[1:]...) {
		if entry != nil {
			s = testmust.Have(tabletest.Apply(s, entry))(t)
		}
		want := testmust.Have(play.See(s, 1, game.Hands[1].Secret))(t)
		if got, err := eyes.See(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("after entry %d: %v, %v, want %v", i, got, err, want)
		}
		for _, m := range append(s.Masked(s.Hand(1)), s.MaskedDealt(s.Dealt(1))...) {
			known[string(m.Bytes())] = true
		}
	}
	if secret.tokens > len(known) || secret.tokens == 0 {
		t.Errorf("%d multiplications for %d cards", secret.tokens, len(known))
	}
}
