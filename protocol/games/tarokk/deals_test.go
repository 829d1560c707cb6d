package tarokk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
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
			err := list[i].play(t, n)
			testmust.Holdf(t, err == nil, "session %d: %v\n%v", n, err, list[i].config)
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

//go:generate go test -run TestTables -update .

// wholeTables are the tables of docs/spec/vectors/table that have what a table
// played by chance hardly ever has.
var wholeTables = []struct {
	staging
	comment string
}{
	{staging{name: "seats", seed: 11, config: tabletest.Config{Seats: 5, Options: options{"seat-draw": "true", "deal-knock": "true", "talon-fee": "true", "dealer-weeps": "true"}},
		cards: []stacked{{"", "", "", "", "T22 T21 T1 HA HJ HR"}}, script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes", "D:say call:T20"}},
		"five seats, who draw for their places, choose packets, and pay the dealer for honours"},
	{staging{name: "solo", seed: 12, config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}},
		cards: []stacked{{"T22", "T21 T18"}}, script: []string{"A:three", "B:solo", "A:hold", "B:confirm yes"}},
		"a solo over which C and D are skipped; it is held, and the inviter proves his card afterwards"},
	{staging{name: "tarokks", seed: 13,
		cards:  []stacked{{"T22 T21 T20 T19 T18 T17 HK DK CK", "T2 T3 T4 T5 T6 T7 SQ SR SJ", "T8 T9 T10 T11 T12 T13 CT CJ CR", "T1 T14 T15 T16 HQ HR DQ DR DJ", "HA HJ DA ST CQ SK"}},
		script: also(calling, "A:play T22", "A:play T21", "A:play T20", "A:play T19", "A:play T18", "A:play T17", "A:play HK", "B:play SQ")},
		"all tarokks are open after six tricks: nobody proves any more that he has none (SK-3)"},
	{staging{name: "side", seed: 14,
		cards: []stacked{{"T2", "T22", "T1 T9", "T20"}}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2", "C:play T1/DEF"}},
		"an opponent plays the pagát early and shows his side, as the declarer's side announced it for the last trick"},
	{staging{name: "side-partner", seed: 15,
		cards:  []stacked{{"DK", "T22", "T1 T9 T20 CT CJ CR SQ SR SK", "T21"}},
		script: []string{"B:three", "B:say call:T20", "D:say contra:game fig:pagat_ultimo", "A:play DK", "C:play T1/DEC"}},
		"the partner does so, as the opponents announced it, and lacks the suit led"},
	{staging{name: "yielded", seed: 16,
		cards: []stacked{{"T22 T20 T9 HK HQ", "T21 T19 T10 DK", "T1 T8 CK", "T18 T17 SK"}}, script: []string{"A:three", "B:two", "A:pass", "B:say call:T20"}},
		"a yielded game"},
	{staging{name: "trial", seed: 17, config: tabletest.Config{Deals: 2, Options: options{"ending": "skiz"}},
		cards: []stacked{noHonour, noHonour}, script: also(lostTrial, also([]string{"A:wish skiz", "B:wish stop", "C:wish go", "D:wish stop"}, lostTrial...)...)},
		"two trial bids that are lost, and what the members wish between them"},
	{staging{name: "bga", seed: 18, config: tabletest.Config{Options: options{"preset": "bga"}},
		cards:  []stacked{{}, {"T22 T21 T20 T18 T17 T16 T15 T14 T1", "T19 HK", "T2 DK", "T3 CK"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:pass", "A:three", "A:discard HA HJ HR", "A:say count:9 call:T19 fig:pagat_ultimo", "A:play T22", "A:play T21", "A:play T20", "A:play T18"}},
		"the rules of BGA: a deal thrown in, and the pool won by an announced pagátultimó, under the double round"},
	{staging{name: "first-turn", seed: 19, config: tabletest.Config{Options: options{"discard-announce": "first-turn", "free-call": "none", "forced-contra": "spoken", "red-low": "four"}},
		cards: []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK", "T2 T3 HA T4"}}, script: []string{"A:three", "A:discard T2 T3 HA", "B:discard T20", "A:say call:T20", "B:say compulsory:game"}},
		"discards told in the first turn, a called card that its holder has discarded, and red fours"},
}

// Deals that are soon over: a trial that D loses, and one that is thrown in.
var (
	allPass   = []string{"A:pass", "B:pass", "C:pass", "D:pass"}
	noHonour  = stacked{"T22 T9 HK HQ", "T21 T10 DK", "T1 T8 CK", "T20 T18 T17 SK", "T2 HA HJ"}
	lostTrial = []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial no"}
)

// tableVariant is a line of docs/spec/vectors/table/tarokk-variants.jsonl.
type tableVariant struct {
	Name    string           `json:"name"`
	Comment string           `json:"comment"`
	Base    string           `json:"base"`
	Change  string           `json:"change,omitempty"`
	At      int              `json:"at,omitempty"`
	Entry   string           `json:"entry,omitempty"`
	Verdict verifier.Verdict `json:"verdict"`
	Check   table.Check      `json:"check,omitempty"`
	Applied int              `json:"applied"`
	Void    int              `json:"void,omitempty"`
	Result  []int            `json:"result,omitempty"`
}

// The tables that another verifier is tried on where the rules are seldom met:
// a rule, a duty or a condition that has changed without its author's notice. The
// referee, who sees all cards, agrees with each.
func TestTables(t *testing.T) {
	testmust.OnlyThorough(t, "proves nine tables")
	var variants strings.Builder
	for _, w := range wholeTables {
		s := w.play(t, defaultSuite(t))
		testmust.Have(judged(s.Table))(t, w.name)
		result, _ := s.State.Result()
		v := tableVariant{Name: "tarokk-" + w.name, Comment: w.comment, Base: "table/tarokk-" + w.name + ".jsonl",
			Verdict: verifier.Sound, Applied: s.State.CountApplied(), Result: result}
		testmust.Same(t, specVectors+v.Base, s.entriesAsLines())
		writeLine(t, &variants, v)
		if w.name == "solo" {
			writeLine(t, &variants, s.skippedPass(v))
		}
	}
	testmust.Same(t, specVectors+"table/tarokk-variants.jsonl", variants.String())
}

// skippedPass is the table with the pass of a player who owed none (R-BID-11).
func (s *scene) skippedPass(v tableVariant) tableVariant {
	at := 0
	for !bytes.Contains(s.Entries[at], []byte(`{"call":"solo"}`)) {
		at++
	}
	then := *s.Table
	then.State = s.States[at]
	body := wire.MoveBody{Move: json.RawMessage(`{"call":"pass"}`), Tokens: [][]byte{}}
	v.Name, v.Comment = v.Name+"-skipped", "C passes, who is skipped"
	v.Change, v.At, v.Check, v.Void = "insert", at+1, table.CheckDue, 1
	v.Entry = string(testmust.Have(then.Sign(s.seat(2), table.Move, body))(s.T))
	return v
}

func (s *scene) entriesAsLines() string {
	var b strings.Builder
	for _, e := range s.Entries {
		writeLine(s.T, &b, string(e))
	}
	return b.String()
}

func writeLine(t *testing.T, b *strings.Builder, v any) {
	t.Helper()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	testmust.Do(t, e.Encode(v))
}
