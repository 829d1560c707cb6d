package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
	"github.com/pakli/pakli/protocol/wire"
)

// lessAble is a suite that proves these relations alone.
type lessAble struct {
	clear.Suite
	proves []string
}

func (s lessAble) Proves(relation string) bool { return slices.Contains(s.proves, relation) }

// modest is a game that needs these relations alone.
type modest struct {
	sitout.Rules
	needs []string
}

func (g modest) Needs(table.Config) []string { return g.needs }

// A table that opens although its suite cannot do what its game will ask for: it would
// stop in the middle of a deal, and whoever has to prove would be at fault. And one that
// does not open although the suite can.
func TestNeeds(t *testing.T) {
	five := []string{"ownership", "shuffle", "reveal", "transfer", "condition"}
	for _, c := range []struct {
		name    string
		game    table.Game
		suite   proof.Suite
		lacking string
	}{
		{"neither says", three, clear.Suite{}, ""},
		{"the suite says all", three, lessAble{proves: proof.Relations()}, ""},
		{"the suite lacks one", three, lessAble{proves: five}, "no proof of permute:"},
		{"the suite lacks two", three, lessAble{proves: five[:3]}, "no proof of transfer, condition, permute:"},
		{"the game does without", play.Of(modest{needs: five[:3]}), lessAble{proves: five[:3]}, ""},
		{"the game needs nothing", play.Of(modest{}), lessAble{}, ""},
		{"the game needs what is not known", play.Of(modest{needs: []string{"forge"}}), clear.Suite{}, "no proof of forge:"},
	} {
		_, err := tabletest.New(c.game, tabletest.Config{Seats: 4, Suite: c.suite}, 1)
		switch {
		case c.lacking == "" && err != nil:
			t.Errorf("%s: the table does not open: %v", c.name, err)
		case c.lacking != "" && (err == nil || !strings.Contains(err.Error(), c.lacking)):
			t.Errorf("%s: %v, want %q", c.name, err, c.lacking)
		}
	}
}

// A suite of the catalogue that takes for granted what its prover does not do, or the
// other way round: those over ElGamal prove all that a game can need.
func TestProves(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	for _, relation := range proof.Relations() {
		if !proof.Proves(s, relation) {
			t.Errorf("%s does not prove %s", s.Name(), relation)
		}
	}
	if proof.Proves(s, "forge") {
		t.Error("a relation is proved that there is not")
	}
}

// Tokens out of turn. If a seat could give its own before those of the seats before
// it are there, two honest seats could give them on two histories, and both
// together open cards that are shown to nobody in either.
func TestTokensInTurn(t *testing.T) {
	try := begin(t, peter, clear.Suite{}, 3)
	first := try.until(table.Shuffle).Seats[0]
	order := []table.Seat{first, (first + 1) % 3, (first + 2) % 3}
	var gave []table.Seat
	for d := try.until(table.Show); d.Kind == table.Show; d = try.State.Duties()[0] {
		for seat := range table.Seat(3) {
			if seat != d.Seats[0] {
				try.catches(try.made(try.Sign(seat, table.Show, wire.TokensBody{Tokens: [][]byte{}})), table.CheckDue)
			}
		}
		if n := len(try.State.Duties()); n != 1 {
			t.Errorf("%d duties at once", n)
		}
		gave = append(gave, d.Seats...)
		try.adds(try.honest(d))
	}
	if !slices.Equal(gave, order) {
		t.Errorf("tokens by %v, want %v, which is the order of the shuffle", gave, order)
	}
}

// A seat that only receives cards is passed over: then others give tokens for it on
// a history that it has not signed, while it gives its own elsewhere, for the same
// cards and another receiver.
func TestReceiverSigns(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	d := try.until(table.Show) // card 6, to seat 0 alone
	if d.Seats[0] != 0 || len(d.Cards) != 0 {
		t.Fatalf("owed is %+v, want the assent of seat 0", d)
	}
	entry := try.honest(d)
	if m := parsed(t, entry).Message; string(m.Body) != `{"tokens":[]}` || len(m.Proofs) != 0 {
		t.Errorf("the receiver signs %s with %d proofs", m.Body, len(m.Proofs))
	}
	token := wire.TokensBody{Tokens: [][]byte{try.Hands[0].Secret.Token(try.State.Masked([]table.Card{6})[0]).Bytes()}}
	try.catches(try.made(try.Sign(0, table.Show, token)), table.CheckValues)
	try.adds(entry)
	if d := try.until(table.Show); d.Seats[0] != 1 || !slices.Equal(d.Cards, []table.Card{6}) {
		t.Errorf("next is owed %+v, want the token of seat 1", d)
	}
}

// A message of another seat where a Show is owed: a seat whose Show was lost to it
// would give its token again, in a history that lacks the first one.
func TestNothingBesideAShow(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	for range 3 {
		if d := try.until(table.Show); len(try.State.Duties()) != 1 {
			t.Errorf("owed are %+v", try.State.Duties())
		} else if err := try.Add(try.honest(d)); err != nil {
			t.Fatal(err)
		}
	}
	if d := try.State.Duties(); len(d) != 1 || d[0].Kind != table.Permute || d[0].Seats[0] != 1 {
		t.Errorf("then are owed %+v, want the permutation of seat 1", d)
	}
}
