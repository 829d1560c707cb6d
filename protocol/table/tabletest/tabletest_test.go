package tabletest_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

type (
	state = tabletest.WhistletState
	move  = tabletest.WhistletMove
)

// broken is whistlet with one promise broken.
type broken struct {
	tabletest.Whistlet
	apply  func(s, next state, in table.Input[move]) state
	moves  func(s state, v table.View, moves []move) []move
	duties func(s state, duties []table.Duty) []table.Duty
	result func(scores []int) []int
}

func (b broken) Apply(s state, in table.Input[move]) (state, table.Terms, error) {
	next, terms, err := b.Whistlet.Apply(s, in)
	if b.apply != nil && err == nil {
		next = b.apply(s, next, in)
	}
	return next, terms, err
}

func (b broken) Moves(s state, v table.View) []move {
	moves := b.Whistlet.Moves(s, v)
	if b.moves != nil {
		moves = b.moves(s, v, moves)
	}
	return moves
}

func (b broken) Duties(s state) []table.Duty {
	duties := b.Whistlet.Duties(s)
	if b.duties != nil {
		duties = b.duties(s, duties)
	}
	return duties
}

func (b broken) Result(s state) []int {
	if b.result != nil {
		return b.result(b.Whistlet.Result(s))
	}
	return b.Whistlet.Result(s)
}

// Each fault that the suite exists to find.
func TestNoticesBrokenGames(t *testing.T) {
	calls := 0
	for name, b := range map[string]broken{
		"changes the state it was given": {apply: func(s, next state, _ table.Input[move]) state {
			s.Tricks[0]++
			return next
		}},
		"changes a hand it was given": {apply: func(s, next state, in table.Input[move]) state {
			slices.Reverse(s.Hands[in.Seat])
			return next
		}},
		"decides by something else than its arguments": {apply: func(_, next state, _ table.Input[move]) state {
			calls++
			next.Tricks = slices.Clone(next.Tricks)
			next.Tricks[2] = calls
			return next
		}},
		"takes forever": {apply: func(s, _ state, _ table.Input[move]) state { return s }},
		"offers a move that is against the rules": {moves: func(_ state, _ table.View, moves []move) []move {
			return append(moves, move{Bid: "three"})
		}},
		"offers a move that cannot be proved": {moves: func(s state, _ table.View, moves []move) []move {
			if len(s.Bids) < 3 {
				moves = append(moves, move{Bid: "two"})
			}
			return moves
		}},
		"offers nothing": {moves: func(state, table.View, []move) []move { return nil }},
		"lies about a card": {moves: func(_ state, _ table.View, moves []move) []move {
			for i, m := range moves {
				if m.Card != nil {
					moves[i].Card = &table.ShownCard{Card: m.Card.Card, Face: (m.Card.Face + 1) % 16}
				}
			}
			return moves
		}},
		"lets another seat move": {duties: func(_ state, duties []table.Duty) []table.Duty {
			if len(duties) == 1 && duties[0].Kind == table.Move {
				duties[0].Seats = []table.Seat{(duties[0].Seats[0] + 1) % 3}
			}
			return duties
		}},
		"scores one seat less": {result: func(scores []int) []int { return scores[:2] }},
		"scores do not add up": {result: func(scores []int) []int { scores[0]++; return scores }},
	} {
		t.Run(name, func(t *testing.T) {
			tabletest.CheckNoticed(t, play.NewGame(b), tabletest.Config{Seats: 3, Playouts: 10, Limit: 200})
		})
	}
}

// A table that is not decided by its seed makes no good test.
func TestDeterministic(t *testing.T) {
	for _, s := range append(testmust.ChosenSuites(t, testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...))), clear.Name) {
		c := tabletest.Config{Seats: 3}
		c.Suite, _ = suite.Lookup(s)
		a := testmust.Have(tabletest.Play(play.NewGame(tabletest.Whistlet{}), c, 1))(t)
		b, err := tabletest.Play(play.NewGame(tabletest.Whistlet{}), c, 1)
		testmust.Holdf(t, err == nil && slices.EqualFunc(a.Entries, b.Entries, bytes.Equal), "%s: one seed, two histories (%v)", s, err)
		other, err := tabletest.New(play.NewGame(tabletest.Whistlet{}), c, 2)
		testmust.Holdf(t, err == nil && !bytes.Equal(a.Entries[0], other.Entries[0]) && a.State.ID() != other.State.ID(),
			"%s: two seeds, one table (%v)", s, err)
	}
}

// Every field of a state that Fingerprint leaves out is one that could change
// unseen.
func TestFingerprintSeesEveryMessage(t *testing.T) {
	played := testmust.Have(tabletest.Play(play.NewGame(tabletest.Whistlet{}), tabletest.Config{Seats: 3}, 1))(t)
	seen := map[[32]byte]int{}
	for i, s := range played.States {
		j, twice := seen[tabletest.Fingerprint(s)]
		testmust.Holdf(t, !twice, "states %d and %d look the same", j, i)
		seen[tabletest.Fingerprint(s)] = i
	}
}

// The suite that hides nothing must not be within reach of anybody who plays.
func TestClearSuiteStaysInTests(t *testing.T) {
	_, found := suite.Lookup(clear.Name)
	testmust.Holdf(t, !found && !slices.Contains(suite.Names(), clear.Name), "%s is in the catalogue of suites", clear.Name)
	const module = "github.com/pakli/pakli"
	out := testmust.Have(exec.Command("go", "list", "-e", "-json=ImportPath,Deps", module+"/...").Output())(t, "go list")
	checked := 0
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); checked++ {
		var p struct {
			ImportPath string
			Deps       []string
		}
		testmust.Do(t, d.Decode(&p))
		if strings.HasSuffix(p.ImportPath, "test") || strings.Contains(p.ImportPath, "test/") ||
			strings.HasPrefix(p.ImportPath, module+"/internal/") { // measures and vectors; what is played with does not reach them
			continue
		}
		for _, i := range p.Deps {
			testmust.Hold(t, !strings.HasPrefix(i, module+"/protocol/table/tabletest"), p.ImportPath, "reaches", i)
		}
	}
	testmust.Hold(t, checked >= 10, "go list found", checked, "packages")
}
