package tarokk_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// TestDeals plays sessions under random rule sets: every one ends, the referee
// who sees all cards agrees with every move and every payment, each played deal
// has 94 points, all accounts sum to zero, every condition is one of 62.4, and an
// independent verifier finds the table sound from its log alone.
//
// In each third of them the moves are drawn by chance, or are the bot's, or are either by chance, so that
// the bot comes where no bot would bring it: one that waits where it could move, or whose
// move is refused, stops a table for good.
//
// It plays 300 deals, so that the bot comes up against every option in every value, or some of these sessions
// without PAKLI_TESTS=thorough. PAKLI_DEALS=1000 go test -run TestDeals plays a thousand.
func TestDeals(t *testing.T) {
	wanted, err := strconv.Atoi(os.Getenv("PAKLI_DEALS"))
	if err != nil && !testmust.Thorough() {
		playSessions(t, slices.Collect(testmust.ChosenIndexes(t, 150, batch/2)))
		return
	}
	if err != nil {
		wanted = 300
	}
	deals, moves := 0, map[tarokk.Stage]int{}
	for first := 0; deals < wanted; first += batch {
		for _, s := range playSessions(t, numbers(first, batch)) {
			deals += s.deals
			for stage, n := range s.moves {
				moves[stage] += n
			}
		}
	}
	t.Logf("%d deals: %v", deals, moves)
	for _, stage := range []tarokk.Stage{tarokk.Bidding, tarokk.Trying, tarokk.Annulling, tarokk.AnnullingFirst, tarokk.Announcing, tarokk.Playing, tarokk.Opening, tarokk.Paying, tarokk.Between, tarokk.Knocking} {
		testmust.Holdf(t, moves[stage] != 0 || wanted < 100, "no deal of %d came to stage %q", deals, stage)
	}
}

// batch is how many sessions are played at a time.
const batch = 8

// session is one that was played, with the moves of each stage.
type session struct {
	config tabletest.Config
	deals  int
	moves  map[tarokk.Stage]int
}

// numbers are n numbers from the first on.
func numbers(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// playSessions plays sessions, each decided by its number alone.
func playSessions(t *testing.T, numbers []int) []session {
	t.Helper()
	list := make([]session, len(numbers))
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, n := range numbers {
		wg.Go(func() {
			free <- struct{}{}
			if err := list[i].play(t, n); err != nil {
				t.Errorf("session %d: %v\n%v", n, err, list[i].config)
			}
			<-free
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return list
}

func (s *session) play(t *testing.T, number int) error {
	choice := rand.New(rand.NewPCG(uint64(number), 61))
	s.config, s.moves = randomConfig(number, choice), map[tarokk.Stage]int{}
	played, err := tabletest.New(game, s.config, uint64(number))
	if err != nil {
		return err
	}
	for bots := choice.IntN(3); len(played.State.Duties()) > 0; {
		if len(played.Entries) > played.Config.Limit {
			return fmt.Errorf("not over after %d messages", played.Config.Limit)
		}
		if err := s.step(played, 2*choice.Float64() < float64(bots), choice); err != nil {
			return fmt.Errorf("after message %d: %w", played.State.CountApplied(), err)
		}
	}
	referee, err := judged(played)
	if err != nil {
		return err
	}
	s.deals = len(referee.deals)
	sum := 0
	result, over := played.State.Result()
	for _, n := range result {
		sum += n
	}
	if !over || sum != 0 {
		return fmt.Errorf("R-PAY-6: the result is %v", result)
	}
	r, err := verifiertest.Report(t, played.Entries, played.State.ID(), played.Catalogue())
	if err == nil && (r.Verdict != verifier.Sound || !slices.Equal(r.Result, result)) {
		err = fmt.Errorf("the verifier says %s %v, want sound %v\n%s", r.Verdict, r.Result, result, r.Headline())
	}
	return err
}

// step makes a message of somebody who is due, a move of the bot's or any.
func (s *session) step(t *tabletest.Table, bot bool, choice *rand.Rand) error {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Play(1)
	}
	var raw json.RawMessage
	var m tarokk.Move
	var err error
	seat, state := d.Seats[choice.IntN(len(d.Seats))], decode(t.State)
	if bot {
		raw, err = t.Choose(seat, choice)
	} else if moves := t.Moves(seat); len(moves) > 0 {
		raw = moves[choice.IntN(len(moves))]
	}
	if err != nil || raw == nil {
		return fmt.Errorf("seat %d has no move, bot %t: %v", seat, bot, err)
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	s.moves[state.Stage]++
	_, terms, err := tarokk.Rules{}.Apply(state, table.Input[tarokk.Move]{Seat: seat, Move: m, Faces: t.State.Faces()})
	if err == nil {
		err = unspecified(state, slices.Index(state.Deal.Seats[:], seat), m, terms, func(specified) {})
	}
	if err != nil {
		return err
	}
	entry, err := t.HonestMessage(seat, d, raw)
	if err == nil {
		err = t.Add(entry)
	}
	if err != nil {
		return fmt.Errorf("seat %d, %s, bot %t: %w", seat, raw, bot, err)
	}
	return nil
}

// randomConfig is a table of 4 or 5 members, a preset, and options: each third
// one chosen by chance, and one by the number, so that in the course of the
// sessions every value of every option comes up.
func randomConfig(number int, choice *rand.Rand) tabletest.Config {
	for {
		c := tabletest.Config{Seats: 4 + choice.IntN(2), Deals: 1 + choice.IntN(3), Options: options{}}
		if preset := tarokk.PresetNames()[choice.IntN(3)]; preset != "book" {
			c.Options["preset"] = preset
		}
		for _, o := range tarokk.Options() {
			if v, is := randomValue(o, choice); is && choice.IntN(3) == 0 {
				c.Options[o.Name] = v
			}
		}
		o := tarokk.Options()[number%len(tarokk.Options())]
		if values := allValues(o); len(values) > 0 {
			c.Options[o.Name] = values[number/len(tarokk.Options())%len(values)]
		}
		if number%16 == 15 {
			c.Deals = 1
			c.Suite, _ = suite.Lookup(suite.Default)
		}
		if _, err := tarokk.ParseRuleSet(table.Config{Seats: c.Seats, Deals: c.Deals, Options: c.Options}); err == nil {
			return c
		}
	}
}

// allValues are the values of an option that has few of them, the last first,
// since the first is mostly the default.
func allValues(o tarokk.Option) []string {
	book, _ := tarokk.PresetNamed("book")
	values := slices.Clone(o.Values)
	switch def := o.Value(book); {
	case def == "true" || def == "false":
		values = []string{"false", "true"}
		if def == "true" {
			slices.Reverse(values)
		}
	case o.Name == "annul-hands":
		values = []string{"abcde", "abc", "b", ""}
	}
	slices.Reverse(values)
	return values
}

func randomValue(o tarokk.Option, choice *rand.Rand) (string, bool) {
	if values := allValues(o); len(values) > 0 {
		return values[choice.IntN(len(values))], true
	}
	tariff := map[string]string{"kings-silent": "2", "kings-announced": "4", "ultimo-silent": "6", "ultimo-announced": "12",
		"xxi-silent": "30", "xxi-announced": "60"}[o.Name]
	return tariff, choice.IntN(2) == 0
}
