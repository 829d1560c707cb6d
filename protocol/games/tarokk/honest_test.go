package tarokk_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// due is an honest move, with all that it must prove and nothing besides; or one
// that the rules refuse to every hand.
type due struct {
	Of      string // ids of what it stands for: proofs, skip rules, honest cases, options
	Members int
	Options options
	Deal    stacked
	Script  []string
	Move    string
	Want    []string
	Refused string // the rule that forbids it, if it is not honest
}

//go:embed testdata/demands.json
var demands []byte

// catalogue has the moves of demands.json in the order of 62.4: the auction, the talon, the discard, the calls, play.
var catalogue = sync.OnceValue(func() (list []due) {
	if err := json.Unmarshal(demands, &list); err != nil {
		panic(err)
	}
	return list
})

func also(script []string, more ...string) []string { return slices.Concat(script, more) }

var (
	calling = []string{"A:three", "A:say call:T20"}
	binding = also(invited, "B:say call:T19")
)

// What the rules demand of an honest move, and that it is taken with it: the
// catalogue, the skip rules, the honest cases and the options, line by line. All of
// it as 62.4 says, and all that 62.4 says: sets, bounds, cards and their order are
// hashed, and another program knows them from there alone.
func TestDemands(t *testing.T) {
	var met sync.Map
	t.Run("moves", func(t *testing.T) {
		for _, d := range catalogue() {
			t.Run(d.Of+" "+d.Move, func(t *testing.T) {
				t.Parallel()
				d.demands(t, func(w specified) { met.Store(w, true) })
			})
		}
	})
	for _, w := range theCatalogue() {
		_, is := met.Load(w)
		testmust.Holdf(t, is, "no move here demands %s", w)
	}
}

// after is the table after some lines of the script, which is played once for all that begin so.
func (d due) after(t *testing.T, lines int) *scene {
	key := fmt.Sprint(d.Members, d.Options, d.Deal, d.Script[:lines])
	play, _ := scenesPlayed.LoadOrStore(key, sync.OnceValue(func() *scene {
		if lines == 0 {
			return newScene(t, tabletest.Config{Seats: d.Members, Options: d.Options}, d.Deal)
		}
		return d.after(t, lines-1).run(d.Script[lines-1])
	}))
	return play.(func() *scene)().branch(t)
}

var scenesPlayed sync.Map

func (d due) demands(t *testing.T, met func(specified)) {
	s := d.after(t, len(d.Script))
	if d.Refused != "" {
		s.refuses(d.Move, d.Refused)
		return
	}
	l := s.reach(d.Move)
	move := s.move(l)
	got := s.demands(l.player, move)
	testmust.Holdf(t, slices.Equal(got, d.Want), "demands %q, want %q", got, d.Want)
	var m tarokk.Move
	testmust.Do(t, json.Unmarshal(move, &m))
	terms := testmust.Have(s.State.MoveTerms(s.seat(l.player), move))(t)
	testmust.Do(t, unspecified(s.public(), l.player, m, terms, met))
	s.add(s.honest(s.seat(l.player), move))
}

// A skip rule or an honest case that nothing stands for.
func TestEveryDemandIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, d := range catalogue() {
		for _, id := range strings.Fields(d.Of) {
			tried[id] = true
		}
	}
	ids := idsIn(t, "honest_must_pass.json")
	for n := range 9 {
		ids = append(ids, "SK-"+string(rune('1'+n)))
	}
	for _, id := range ids {
		testmust.Hold(t, tried[id], "nothing stands for", id)
	}
}
