package tarokk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// TestDeals plays sessions under random rule sets: every one ends, the referee
// who sees all cards agrees with every move and every payment, each played deal
// has 94 points, all accounts sum to zero, and an independent verifier finds the
// table sound from its log alone.
//
// It plays 100 deals, or without PAKLI_TESTS=thorough some of the first sessions. PAKLI_DEALS=1000 go test -run TestDeals
// plays a thousand.
func TestDeals(t *testing.T) {
	wanted, err := strconv.Atoi(os.Getenv("PAKLI_DEALS"))
	if err != nil && !thorough.Tests() {
		chosen := thorough.Some(t, 2*batch, batch/2)
		playSessions(t, slices.DeleteFunc(numbers(0, 2*batch), func(n int) bool { return !chosen(n) }))
		return
	}
	if err != nil {
		wanted = 100
	}
	deals, all := 0, newSeen()
	for first := 0; deals < wanted; first += batch {
		for _, s := range playSessions(t, numbers(first, batch)) {
			deals += s.deals
			all.add(s.seen)
		}
	}
	t.Logf("%d deals: %v", deals, all.stages)
	if wanted < 100 {
		return
	}
	for _, stage := range []tarokk.Stage{tarokk.Bidding, tarokk.Trying, tarokk.Annulling, tarokk.AnnullingFirst, tarokk.Announcing, tarokk.Playing, tarokk.Opening, tarokk.Paying, tarokk.Between, tarokk.Knocking} {
		if all.stages[string(stage)] == 0 {
			t.Errorf("no deal of %d came to stage %q", deals, stage)
		}
	}
}

// batch is how many sessions are played at a time.
const batch = 8

// session is one that was played.
type session struct {
	number int
	config tabletest.Config
	deals  int
	seen   seen
	err    error
}

// numbers are n numbers from the first on.
func numbers(first, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// playSessions plays sessions, each decided by its number alone, once for all tests.
func playSessions(t *testing.T, numbers []int) []session {
	t.Helper()
	list := make([]session, len(numbers))
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for i, n := range numbers {
		play, _ := sessions.LoadOrStore(n, sync.OnceValue(func() session { return playSession(t, n) }))
		wg.Go(func() {
			free <- struct{}{}
			list[i] = play.(func() session)()
			<-free
		})
	}
	wg.Wait()
	for _, s := range list {
		if s.err != nil {
			t.Fatalf("session %d: %v\n%v", s.number, s.err, s.config)
		}
	}
	return list
}

var sessions sync.Map

// playSession plays one session. In every second one seats are played by chance
// alone, in the others some or all by the bot.
func playSession(t *testing.T, number int) session {
	choice := rand.New(rand.NewPCG(uint64(number), 61))
	s := session{number: number, config: randomConfig(number, choice), seen: newSeen()}
	played, err := tabletest.New(game, s.config, uint64(number))
	if err != nil {
		s.err = err
		return s
	}
	bots := make([]bool, s.config.Seats)
	for seat := range bots {
		bots[seat] = number%4 == 1 || number%4 == 3 && choice.IntN(2) == 0
	}
	if s.err = s.play(played, bots, choice); s.err != nil {
		return s
	}
	r, err := verifiertest.Report(t, played.Entries, played.State.ID(), played.Catalogue())
	result, _ := played.State.Result()
	switch {
	case err != nil:
		s.err = err
	case r.Verdict != verifier.Sound || !slices.Equal(r.Result, result):
		s.err = fmt.Errorf("the verifier says %s %v, want sound %v\n%s", r.Verdict, r.Result, result, r.Headline())
	}
	return s
}

// sessionLimit is more messages than any session of these lengths needs.
const sessionLimit = 10_000

func (s *session) play(t *tabletest.Table, bots []bool, choice *rand.Rand) error {
	for len(t.State.Duties()) > 0 {
		if len(t.Entries) > sessionLimit {
			return fmt.Errorf("not over after %d messages", sessionLimit)
		}
		before := t.State
		entry, err := next(t, bots, choice)
		if err != nil {
			return fmt.Errorf("after message %d: %w", t.State.Applied(), err)
		}
		if err := t.Add(entry); err != nil {
			return fmt.Errorf("an honest message is refused: %w: %.300s", err, entry)
		}
		if err := s.seen.entry(before, entry); err != nil {
			return err
		}
	}
	r, err := judged(t)
	if err != nil {
		return err
	}
	s.deals = len(r.deals)
	result, over := t.State.Result()
	sum := 0
	for _, n := range result {
		sum += n
	}
	if !over || sum != 0 {
		return fmt.Errorf("R-PAY-6: the result is %v", result)
	}
	return nil
}

// next makes a message of somebody who is due.
func next(t *tabletest.Table, bots []bool, choice *rand.Rand) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	for _, i := range choice.Perm(len(d.Seats)) {
		seat := d.Seats[i]
		if !bots[seat] {
			moves := t.Moves(seat)
			if len(moves) == 0 {
				return nil, fmt.Errorf("seat %d has no move", seat)
			}
			return t.Message(seat, d, moves[choice.IntN(len(moves))])
		}
		move, err := t.Choose(seat, choice)
		if err != nil {
			return nil, err
		}
		if move != nil {
			return t.Message(seat, d, move)
		}
	}
	return nil, errors.New("all bots wait")
}

// randomConfig is a table of 4 or 5 members, a preset, and options: each third
// one chosen by chance, and one by the number, so that in the course of the
// sessions every value of every option comes up.
func randomConfig(number int, choice *rand.Rand) tabletest.Config {
	for {
		c := tabletest.Config{Seats: 4 + choice.IntN(2), Deals: 1 + choice.IntN(3), Options: options{}}
		if preset := ruleset.Presets()[choice.IntN(3)]; preset != "book" {
			c.Options["preset"] = preset
		}
		for _, o := range ruleset.Options() {
			if v, is := randomValue(o, choice); is && choice.IntN(3) == 0 {
				c.Options[o.Name] = v
			}
		}
		o := ruleset.Options()[number%len(ruleset.Options())]
		if values := allValues(o); len(values) > 0 {
			c.Options[o.Name] = values[number/len(ruleset.Options())%len(values)]
		}
		if number%16 == 15 {
			c.Deals = 1
			c.Suite, _ = suite.Lookup(suite.Default)
		}
		if _, err := ruleset.Parse(table.Config{Seats: c.Seats, Deals: c.Deals, Options: c.Options}); err == nil {
			return c
		}
	}
}

// allValues are the values of an option that has few of them, the last first,
// since the first is mostly the default.
func allValues(o ruleset.Option) []string {
	book, _ := ruleset.Preset("book")
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

func randomValue(o ruleset.Option, choice *rand.Rand) (string, bool) {
	if values := allValues(o); len(values) > 0 {
		return values[choice.IntN(len(values))], true
	}
	tariff := map[string]string{"kings-silent": "2", "kings-announced": "4", "ultimo-silent": "6", "ultimo-announced": "12",
		"xxi-silent": "30", "xxi-announced": "60"}[o.Name]
	return tariff, choice.IntN(2) == 0
}

// seen counts what occurred in deals.
type seen struct {
	stages  map[string]int // moves by stage
	proofs  map[string]int // by the catalogue's id
	options map[string]int // sessions by option=value

	deals, sessions int
}

func newSeen() seen {
	return seen{stages: map[string]int{}, proofs: map[string]int{}, options: map[string]int{}}
}

func (s seen) add(other seen) {
	sum := func(to, from map[string]int) {
		for k, n := range from {
			to[k] += n
		}
	}
	sum(s.stages, other.stages)
	sum(s.proofs, other.proofs)
	sum(s.options, other.options)
}

// entry counts what an applied entry was and proved. An error is a condition that
// 62.4 does not have.
func (s seen) entry(before *table.State, entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		panic(err)
	}
	steps := map[wire.Kind]string{wire.KindKey: "S-KEY", wire.KindShuffle: "S-SHUF", wire.KindShow: "S-SHARE", wire.KindPermute: "S-REMASK"}
	if id := steps[e.Message.Kind]; id != "" {
		s.proofs[id]++
		return nil
	}
	var body wire.MoveBody
	var m tarokk.Move
	if err := errors.Join(wire.DecodeBody(e.Message.Body, &body), json.Unmarshal(body.Move, &m)); err != nil {
		panic(err)
	}
	state := decode(before)
	if s.stages[string(state.Stage)]++; len(s.options) == 0 {
		for _, o := range ruleset.Options() {
			s.options[o.Name+"="+o.Value(state.Rules)]++
		}
	}
	_, terms, err := tarokk.Rules{}.Apply(state, table.Input[tarokk.Move]{Seat: table.Seat(e.Message.Seat), Move: m, Faces: before.Faces()})
	if err != nil {
		panic(err)
	}
	for _, id := range proofsOf(m, terms) {
		s.proofs[id]++
	}
	p := slices.Index(state.Deal.Seats[:], table.Seat(e.Message.Seat))
	return unspecified(state, p, m, terms, func(specified) {})
}

// proofsOf are the ids of what a move proves and turns up (62.4), each once.
func proofsOf(m tarokk.Move, terms table.Terms) []string {
	var ids []string
	for _, c := range terms.Prove {
		if len(c.Cards) > 0 {
			ids = append(ids, c.Claim)
		}
	}
	switch {
	case len(terms.Open) == 0:
	case m.Disclose != nil, m.Say != nil:
		ids = append(ids, "D-OPEN")
	case m.Open != nil:
		ids = append(ids, "E-OPEN")
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
