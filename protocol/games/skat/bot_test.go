package skat_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// chooser is a player: what he does, or false to wait.
type chooser func(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool)

var sensible chooser = skat.Rules{}.Choose

// reckless does anything that is allowed, but ends no deal early.
func reckless(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool) {
	moves := skat.Rules{}.Moves(s, v)
	if s.Stage == skat.Playing {
		moves = slices.DeleteFunc(moves, func(m skat.Move) bool { return m.Play == nil })
	}
	return play.Any(moves, random)
}

// careless bids and announces as the bot does, and plays any card.
func careless(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool) {
	if s.Stage == skat.Playing {
		return reckless(s, v, random)
	}
	return sensible(s, v, random)
}

// timid bids on nothing, and plays any card.
func timid(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool) {
	if s.Stage == skat.Bidding {
		return skat.Rules{}.Moves(s, v)[0], true
	}
	return reckless(s, v, random)
}

// openTable is a table without keys, messages and proofs: the rules, and cards that lie
// where a seed put them.
type openTable struct {
	state    skat.State
	faces    map[table.Card]card.Face
	open     map[table.Card]card.Face
	random   *rand.Rand
	messages int
}

func newOpenTable(c table.Config, seed uint64) (*openTable, error) {
	s, _, err := skat.Rules{}.Setup(c)
	return &openTable{state: s, random: rand.New(rand.NewPCG(seed, 1))}, err
}

// play plays to the end, with a chooser for each seat.
func (t *openTable) play(seats []chooser) error {
	for {
		duties := skat.Rules{}.Duties(t.state)
		switch {
		case len(duties) == 0:
			return nil
		case duties[0].Kind != table.Move:
			t.steps(duties)
		default:
			if err := t.move(duties[0].Seats, seats); err != nil {
				return fmt.Errorf("deal %d, %s: %w", t.state.Deal.Number, t.state.Stage, err)
			}
		}
		t.messages++
	}
}

func (t *openTable) steps(duties []table.Duty) {
	for _, d := range duties {
		switch {
		case d.Kind == table.Shuffle:
			t.faces, t.open = map[table.Card]card.Face{}, map[table.Card]card.Face{}
			for i, f := range t.random.Perm(deck.Size) {
				t.faces[table.Card(i)] = card.Face(f)
			}
		case d.Kind == table.Permute:
			t.random.Shuffle(len(d.Cards), func(i, j int) {
				a, b := d.Cards[i], d.Cards[j]
				t.faces[a], t.faces[b] = t.faces[b], t.faces[a]
			})
		case d.Kind == table.Show && len(d.To) == 0:
			for _, c := range d.Cards {
				t.open[c] = t.faces[c]
			}
		}
	}
	t.state = skat.Rules{}.Settle(t.state, maps.Clone(t.open))
}

// move lets the first of the movers who does not wait move.
func (t *openTable) move(movers []table.Seat, seats []chooser) error {
	for _, seat := range movers {
		v := t.view(seat)
		m, acts := seats[seat](t.state, v, t.random)
		if !acts {
			continue
		}
		if err := (skat.Rules{}).Check(t.state, v, m); err != nil {
			return fmt.Errorf("seat %d cannot do %+v: %w", seat, m, err)
		}
		next, terms, err := skat.Rules{}.Apply(t.state, table.Input[skat.Move]{Seat: seat, Move: m, Faces: t.open})
		for _, c := range terms.Open {
			t.open[c.Card] = c.Face
		}
		t.state = next
		return err
	}
	return fmt.Errorf("all of seats %v wait", movers)
}

// view is what a seat sees.
func (t *openTable) view(seat table.Seat) table.View {
	v, d := table.View{Seat: seat, Faces: maps.Clone(t.open)}, t.state.Deal
	p := slices.Index(d.Seats[:], seat)
	if p < 0 {
		return v
	}
	own := d.Hands[p]
	if d.Holder == p {
		own = slices.Concat(own, d.Skat)
	}
	for _, c := range own {
		v.Faces[c] = t.faces[c]
	}
	return v
}

// duel is what one player wins per deal and seat against two of another kind, and what
// one of those loses: each deal is played once with the one at every seat.
func duel(t *testing.T, deals uint64, one, other chooser) (won, lost float64) {
	t.Helper()
	ones, others := 0, 0
	for seed := range deals {
		for place := range 3 {
			seats := []chooser{other, other, other}
			seats[place] = one
			open, err := newOpenTable(table.Config{Seats: 3, Deals: 1}, seed)
			if err == nil {
				err = open.play(seats)
			}
			if err != nil {
				t.Fatalf("seed %d, place %d: %v", seed, place, err)
			}
			for seat, n := range (skat.Rules{}).Result(open.state) {
				if seat == place {
					ones += n
				} else {
					others += n
				}
			}
		}
	}
	return float64(ones) / float64(3*deals), float64(others) / float64(6*deals)
}

// A bot that wins no more than chance does, or only because others bid what nobody can
// reach: it is better than who bids as it does and plays any card, and as a defender
// against two such.
func TestBotBeatsChance(t *testing.T) {
	thorough.Only(t, "hundreds of deals are played")
	const deals = 60
	for _, c := range []struct {
		name    string
		other   chooser
		atLeast float64
	}{{"anything", reckless, 25}, {"any card", careless, 10}, {"any card, and bid on none", timid, 10}} {
		won, lost := duel(t, deals, sensible, c.other)
		t.Logf("one bot against two that play %s: %+.1f and %+.1f points per deal and seat", c.name, won, lost)
		if won-lost < c.atLeast {
			t.Errorf("against two that play %s the bot wins %.1f more, want %v", c.name, won-lost, c.atLeast)
		}
		lost, won = duel(t, deals, c.other, sensible)
		t.Logf("two bots against one that plays %s: %+.1f and %+.1f", c.name, won, lost)
		if won <= lost {
			t.Errorf("two bots do worse than one that plays %s", c.name)
		}
	}
}

// Bots among themselves: they lose too many games if they bid on nothing, pass in most
// deals if they are afraid, and end no game early if they see nothing coming.
func TestBotsAtATable(t *testing.T) {
	thorough.Only(t, "hundreds of deals are played")
	const deals = 300
	open, err := newOpenTable(table.Config{Seats: 3, Deals: deals}, 1)
	if err == nil {
		err = open.play([]chooser{sensible, sensible, sensible})
	}
	if err != nil {
		t.Fatal(err)
	}
	ends, games, won, overbid, hand, points := map[string]int{}, map[deck.Game]int{}, 0, 0, 0, 0
	for _, past := range open.state.Past {
		ends[past.How]++
		if past.Result == nil {
			continue
		}
		games[past.Contract.Game]++
		points += past.Result.Score
		if past.Result.Won {
			won++
		}
		if past.Result.Overbid {
			overbid++
		}
		if past.Contract.Hand {
			hand++
		}
	}
	played := deals - ends[skat.PassedIn]
	t.Logf("%d deals: %v, games %v, %d by hand, won %d of %d, %d overbid, %.1f points a game", deals, ends, games, hand, won, played, overbid, float64(points)/float64(played))
	if won*100 < 70*played || ends[skat.PassedIn]*100 > 15*deals || overbid*100 > 4*deals || len(games) < len(deck.Games) || ends[skat.Claimed] == 0 {
		t.Error("this is no table of fair players")
	}
}

// The bot has a move in every state that it comes into, and can prove it: one that
// waits where only it can move, or whose move is refused, stops a table for good. Every
// option is played in every value, five of the options by default, with three seats and four; half of the tables with
// seats that do whatever is allowed half of the time, and so bring it where no bot would come.
func TestBotAlwaysMoves(t *testing.T) {
	anything := func(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool) {
		if random.IntN(2) > 0 {
			return sensible(s, v, random)
		}
		return play.Any(skat.Rules{}.Moves(s, v), random)
	}
	tables, chosen := 0, thorough.Some(t, len(ruleset.Options()), 5)
	for i, option := range ruleset.Options() {
		for j, value := range option.Values {
			if !chosen(i) {
				continue
			}
			c := table.Config{Seats: 3 + (i+j)%2, Deals: 2, Options: options{option.Name: value}}
			if option.Name == "limit" {
				c.Options["score"] = ruleset.Bierlachs
			}
			for _, player := range []chooser{sensible, anything} {
				tables++
				open, err := newOpenTable(c, uint64(tables))
				if err == nil {
					err = open.play(slices.Repeat([]chooser{player}, c.Seats))
				}
				if err != nil {
					t.Errorf("%v, table %d: %v", c, tables, err)
				}
			}
		}
	}
}

// One source of chance gives one list: a bot that looks at the clock, or goes through a
// map, cannot be replayed.
func TestBotIsDeterministic(t *testing.T) {
	list := func() string {
		open, err := newOpenTable(table.Config{Seats: 4, Deals: 6, Options: options{"kontra": "any", "ramsch": "schieber"}}, 5)
		if err == nil {
			err = open.play([]chooser{sensible, sensible, sensible, sensible})
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(open.state)
		return string(text)
	}
	if list() != list() {
		t.Error("two lists from one source of chance differ")
	}
}

// BenchmarkBotDeal is a deal of three bots without cryptography. What they think is
// reported besides: the rest is the rules.
func BenchmarkBotDeal(b *testing.B) {
	var thought time.Duration
	timed := func(s skat.State, v table.View, random *rand.Rand) (skat.Move, bool) {
		defer func(start time.Time) { thought += time.Since(start) }(time.Now())
		return sensible(s, v, random)
	}
	for seed := range uint64(b.N) {
		open, err := newOpenTable(table.Config{Seats: 3, Deals: 1}, seed)
		if err == nil {
			err = open.play([]chooser{timed, timed, timed})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(thought.Microseconds())/1000/float64(b.N), "ms-thought/op")
}
