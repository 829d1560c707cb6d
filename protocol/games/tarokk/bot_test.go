package tarokk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// The bot has a move in every state that it comes into, and can prove it: one
// that waits where only it can move, or whose move is refused, stops a table for
// good. Every option is played in every value, and mixtures of them; half of the
// tables with seats beside it that do whatever is allowed, and so bring it into
// states where no bot would come. PAKLI_PLAYOUTS=6 plays each value under each
// preset in both companies; without PAKLI_TESTS=thorough some of the tables are played.
func TestBotAlwaysMoves(t *testing.T) {
	t.Parallel()
	rounds, _ := strconv.Atoi(os.Getenv("PAKLI_PLAYOUTS"))
	for round := range max(rounds, 1) {
		configs := botConfigs(round)
		chosen := thorough.Some(t, len(configs), 12)
		for i, c := range configs {
			company := float64((round+i)%2) / 2
			if !chosen(i) {
				continue
			}
			if err := playBots(c, uint64(i), company); err != nil {
				t.Errorf("%v, seed %d, company %v: %v", c, i, company, err)
			}
		}
	}
}

// botConfigs are all options in every value under one of the presets, in turn;
// then mixtures.
func botConfigs(round int) []tabletest.Config {
	var list []tabletest.Config
	presets := ruleset.Presets()
	add := func(o map[string]string) {
		c := table.Config{Seats: 4 + len(list)%2, Deals: 1, Options: o}
		if _, err := ruleset.Parse(c); err != nil {
			c.Seats = 5 // some options are for five alone
		}
		if _, err := ruleset.Parse(c); err == nil {
			list = append(list, tabletest.Config{Seats: c.Seats, Deals: 2, Options: o})
		}
	}
	for i, option := range ruleset.Options() {
		for _, v := range choicesOf(option) {
			add(map[string]string{"preset": presets[(i+round/2)%len(presets)], option.Name: v})
		}
	}
	random := rand.New(rand.NewPCG(4, uint64(round)))
	for range 40 {
		o := map[string]string{"preset": presets[random.IntN(len(presets))]}
		for _, option := range ruleset.Options() {
			if v := choicesOf(option); random.IntN(4) == 0 {
				o[option.Name] = v[random.IntN(len(v))]
			}
		}
		add(o)
	}
	return list
}

func choicesOf(o ruleset.Option) []string {
	book, _ := ruleset.Preset("book")
	switch v := o.Value(book); {
	case o.Values != nil:
		return o.Values
	case v == "true" || v == "false":
		return []string{"true", "false"}
	case o.Name == "annul-hands":
		return []string{"", "b", "abd", "abcde"}
	default:
		return []string{v}
	}
}

// playBots plays a table on which the bot moves, and any seat by chance with a
// probability. All is proved and checked by the kernel.
func playBots(c tabletest.Config, seed uint64, company float64) error {
	t, err := tabletest.New(play.Of(tarokk.Rules{}), c, seed)
	if err != nil {
		return err
	}
	for len(t.State.Duties()) > 0 {
		d := t.State.Duties()[0]
		seat := d.Seats[t.Choice.IntN(len(d.Seats))]
		if d.Kind == table.Shuffle {
			seat = d.Seats[0]
		}
		var move json.RawMessage
		if d.Kind == table.Move {
			if move, err = botMove(t, seat, company); err != nil {
				return err
			}
		}
		entry, err := t.Message(seat, d, move)
		if err != nil {
			return fmt.Errorf("seat %d, %s: %w", seat, move, err)
		}
		if err := t.Add(entry); err != nil {
			return fmt.Errorf("seat %d, %s: %w", seat, move, err)
		}
	}
	return nil
}

func botMove(t *tabletest.Table, seat table.Seat, company float64) (json.RawMessage, error) {
	if t.Choice.Float64() < company {
		moves := t.Moves(seat)
		return moves[t.Choice.IntN(len(moves))], nil
	}
	move, err := t.Choose(seat, t.Choice)
	if err == nil && move == nil {
		err = fmt.Errorf("seat %d waits", seat)
	}
	return move, err
}

// One source of chance gives one game: a bot that looks at the clock, or goes
// through a map, cannot be replayed.
func TestBotIsDeterministic(t *testing.T) {
	play := func() tarokk.State {
		five := opened(t, 5, 3, map[string]string{"ending": "skiz"})
		testmust.Do(t, five.play(slices.Repeat([]chooser{sensible(rand.New(rand.NewPCG(1, 2)))}, 5)))
		return five.state
	}
	a, _ := json.Marshal(play())
	b, _ := json.Marshal(play())
	if string(a) != string(b) {
		t.Error("two games from one source of chance differ")
	}
}

func opened(t *testing.T, seats, deals int, o map[string]string) *openTable {
	t.Helper()
	o = maps.Clone(o)
	o["seat-draw"] = "false"
	open := testmust.Have(newOpenTable(table.Config{Seats: seats, Deals: deals, Options: o}, 1))(t)
	return open
}

// Two bots beat two who play anything, on the same cards with the seats changed:
// otherwise its judgement is none. Against those who announce anything it wins
// by contras that need no judgement, so there are others who announce nothing.
func TestBotBeatsChance(t *testing.T) {
	thorough.Only(t, "hundreds of deals are played")
	const deals = 100
	for _, c := range []struct {
		name    string
		other   func(*rand.Rand) chooser
		atLeast float64
	}{{"anything", reckless, 20}, {"anything but figures", silent, 1.5}} {
		won := duel(t, deals, sensible, c.other)
		t.Logf("against seats that play %s: %+.1f points per deal and seat", c.name, won)
		if won < c.atLeast {
			t.Errorf("against seats that play %s the bot wins %.1f per deal and seat, want %v", c.name, won, c.atLeast)
		}
	}
}

// duel is what one wins per deal and seat when each deal is played twice, with
// one at A and C and the other at B and D, and the other way round.
func duel(t *testing.T, deals uint64, one, other func(*rand.Rand) chooser) float64 {
	t.Helper()
	sum := 0
	for seed := range deals {
		random := rand.New(rand.NewPCG(seed, 1))
		for first, seats := range [][]chooser{
			{one(random), other(random), one(random), other(random)},
			{other(random), one(random), other(random), one(random)},
		} {
			open := opened(t, 4, 1, map[string]string{})
			open.seed = seed
			if err := open.play(seats); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			sum += open.state.Scores[first] + open.state.Scores[first+2]
		}
	}
	return float64(sum) / float64(4*deals)
}

// silent plays and bids anything, but announces no figure, and annuls nothing.
func silent(random *rand.Rand) chooser {
	whatever := reckless(random)
	return func(s tarokk.State, v table.View) (tarokk.Move, bool) {
		switch moves := (tarokk.Rules{}).Moves(s, v); s.Stage {
		case tarokk.Announcing:
			return moves[0], true
		case tarokk.Annulling:
			return moves[len(moves)-1], true
		}
		return whatever(s, v)
	}
}

// The announcements of bots end soon: every message costs a person a moment.
func TestBotsSaySoLittle(t *testing.T) {
	deals := 40
	if thorough.Tests() {
		deals = 200
	}
	turns, messages := 0, 0
	for seed := range uint64(deals) {
		open := opened(t, 4, 1, map[string]string{})
		open.seed = seed
		testmust.Do(t, open.play(slices.Repeat([]chooser{sensible(rand.New(rand.NewPCG(seed, 1)))}, 4)))
		messages += open.messages
		if a := open.state.Deal.Announce; a != nil {
			turns += a.Turns
		}
	}
	t.Logf("%.1f turns of announcements and %.1f messages per deal", float64(turns)/float64(deals), float64(messages)/float64(deals))
	if turns > 6*deals {
		t.Errorf("%d turns in %d deals", turns, deals)
	}
}

// BenchmarkBotDeal is a deal of four bots without cryptography. What they think
// is reported besides: the rest is the rules.
func BenchmarkBotDeal(b *testing.B) {
	var thought time.Duration
	for seed := range uint64(b.N) {
		bots := sensible(rand.New(rand.NewPCG(seed, 1)))
		timed := func(s tarokk.State, v table.View) (tarokk.Move, bool) {
			defer func(start time.Time) { thought += time.Since(start) }(time.Now())
			return bots(s, v)
		}
		open, err := newOpenTable(table.Config{Seats: 4, Deals: 1}, seed)
		if err == nil {
			err = open.play(slices.Repeat([]chooser{timed}, 4))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(thought.Microseconds())/1000/float64(b.N), "ms-thought/op")
}
