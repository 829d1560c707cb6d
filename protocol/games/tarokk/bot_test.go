package tarokk_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// chooser makes the moves of a seat: sensible as the bot, reckless any that there is, and silent any, but that
// it announces no figure, and annuls nothing.
type chooser func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error)

func sensible(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	return t.Choose(seat, random)
}

func reckless(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	moves := t.Moves(seat)
	return moves[random.IntN(len(moves))], nil
}

func silent(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	switch moves := t.Moves(seat); decode(t.State).Stage {
	case tarokk.Announcing:
		return moves[0], nil
	case tarokk.Annulling:
		return moves[len(moves)-1], nil
	}
	return reckless(t, seat, random)
}

// chosen is a table at which a chooser makes the moves of each seat, or of all. The cards of its
// first deal depend on the seed alone.
func chosen(t testing.TB, c tabletest.Config, seed uint64, seats ...chooser) *tabletest.Table {
	t.Helper()
	played, random := testmust.Have(tabletest.New(game, c, seed))(t), rand.New(rand.NewPCG(seed, 1))
	for len(played.State.Duties()) > 0 {
		d := played.State.Duties()[0]
		if d.Kind != table.Move {
			testmust.Do(t, played.Play(1))
			continue
		}
		seat := d.Seats[0]
		move := testmust.Have(seats[int(seat)%len(seats)](played, seat, random))(t)
		testmust.Do(t, played.Add(testmust.Have(played.Message(seat, d, move))(t)))
	}
	return played
}

// One source of chance gives one game: a bot that looks at the clock, or goes
// through a map, cannot be replayed.
func TestBotIsDeterministic(t *testing.T) {
	c := tabletest.Config{Seats: 5, Deals: 3, Options: options{"ending": "skiz"}}
	if !slices.EqualFunc(chosen(t, c, 1, sensible).Entries, chosen(t, c, 1, sensible).Entries, slices.Equal) {
		t.Error("two games from one source of chance differ")
	}
}

// Two bots beat two who play anything, on the same cards with the seats changed:
// otherwise its judgement is none. Against those who announce anything it wins
// by contras that need no judgement, so there are others who announce nothing.
func TestBotBeatsChance(t *testing.T) {
	thorough.Only(t, "hundreds of deals are played")
	const deals = 100
	c := tabletest.Config{Seats: 4, Options: options{"seat-draw": "false"}}
	for _, other := range []struct {
		name    string
		plays   chooser
		atLeast float64
	}{{"anything", reckless, 20}, {"anything but figures", silent, 1.5}} {
		sum := 0
		for seed := range uint64(deals) {
			for first, seats := range [][]chooser{{sensible, other.plays}, {other.plays, sensible}} {
				result, _ := chosen(t, c, seed, seats...).State.Result()
				sum += result[first] + result[first+2]
			}
		}
		won := float64(sum) / (4 * deals)
		t.Logf("against seats that play %s: %+.1f points per deal and seat", other.name, won)
		if won < other.atLeast {
			t.Errorf("against seats that play %s the bot wins %.1f per deal and seat, want %v", other.name, won, other.atLeast)
		}
	}
}

// The announcements of bots end soon: every message costs a person a moment.
func TestBotsSaySoLittle(t *testing.T) {
	deals := 10
	if thorough.Tests() {
		deals = 200
	}
	turns, messages := 0, 0
	for seed := range uint64(deals) {
		played := chosen(t, tabletest.Config{Seats: 4}, seed, sensible)
		messages += played.State.Applied()
		if a := decode(played.State).Deal.Announce; a != nil {
			turns += a.Turns
		}
	}
	t.Logf("%.1f turns of announcements and %.1f messages per deal", float64(turns)/float64(deals), float64(messages)/float64(deals))
	if turns > 6*deals {
		t.Errorf("%d turns in %d deals", turns, deals)
	}
}

// BenchmarkBotDeal is a deal of four bots with proofs in the clear. What they think is reported besides.
func BenchmarkBotDeal(b *testing.B) {
	var thought time.Duration
	for seed := range uint64(b.N) {
		chosen(b, tabletest.Config{Seats: 4}, seed, func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
			defer func(start time.Time) { thought += time.Since(start) }(time.Now())
			return t.Choose(seat, random)
		})
	}
	b.ReportMetric(float64(thought.Microseconds())/1000/float64(b.N), "ms-thought/op")
}
