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
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
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

// demands are the statements of a move in words, in order: "open 1", "1 of H0 in
// HONOUR" (at least one), "exactly 8 of H1 in TAROKK", "all of R in not hearts". That the cards are those
// of the group is for unspecified to say.
func (s *scene) demands(p int, move json.RawMessage) []string {
	s.Helper()
	list, terms := []string{}, testmust.Have(s.State.MoveTerms(s.seat(p), move))(s.T)
	if n := len(terms.Open); n > 0 {
		list = append(list, fmt.Sprintf("open %d", n))
	}
	for _, c := range terms.Prove {
		n := fmt.Sprintf("%d to %d", c.Min, c.Max)
		switch all := len(c.Cards); {
		case c.Trivial():
			continue
		case c.Min == all:
			n = "all"
		case c.Min == c.Max:
			n = fmt.Sprintf("exactly %d", c.Min)
		case c.Max == all:
			n = fmt.Sprint(c.Min)
		}
		list = append(list, fmt.Sprintf("%s of %s in %s", n, c.Group, setInWords(c.Set)))
	}
	return list
}

var setNames = map[card.Set]string{
	tarokk.Honours: "HONOUR", tarokk.AllBut(tarokk.Honours): "NONHONOUR", tarokk.BigHonours: "BIG", tarokk.Kings: "KINGS",
	tarokk.Discardable: "DISCARDABLE", tarokk.TarokkDiscards: "TDISC", tarokk.PlainDiscards: "PLAINDISC",
	tarokk.Plain: "SUITS", tarokk.Tarokks: "TAROKK",
}

func setInWords(set card.Set) string {
	if name, ok := setNames[set]; ok {
		return name
	}
	if set.Len() <= 9 {
		return "{" + facesInWords(set) + "}"
	}
	for _, from := range []card.Set{tarokk.TarokkDiscards, tarokk.Discardable} {
		if set.Minus(from) == (card.Set{}) {
			return setNames[from] + " without " + facesInWords(from.Minus(set))
		}
	}
	missing := tarokk.AllBut(set)
	var suits []string
	for _, suit := range append(slices.Clone(tarokk.PlainSuits), tarokk.Tarokk) {
		if tarokk.CardsOf(suit).Minus(missing) == (card.Set{}) {
			suits, missing = append(suits, suit.String()), missing.Minus(tarokk.CardsOf(suit))
		}
	}
	if missing == (card.Set{}) {
		return "not " + strings.Join(suits, "+")
	}
	return "not " + facesInWords(tarokk.AllBut(set))
}

func facesInWords(set card.Set) string {
	var names []string
	for _, f := range set.Faces() {
		names = append(names, tarokk.FaceName(f))
	}
	return strings.Join(names, " ")
}

// shapes are what an onlooker sees of each message without reading it: seat,
// kind, length of the body, lengths of the proofs.
func (s *scene) shapes() []string {
	s.Helper()
	var list []string
	for _, entry := range s.Entries[1:] {
		m := s.ParseMessage(entry)
		shape := fmt.Sprintf("%d %s %d", m.Seat, m.Kind, len(m.Body))
		for _, p := range m.Proofs {
			shape += fmt.Sprintf(" %d", len(p))
		}
		list = append(list, shape)
	}
	return list
}

// course is what everybody knows of the moves: all but which cards lie where.
func (s *scene) course() []string {
	s.Helper()
	var list []string
	for _, entry := range s.Entries[1:] {
		m := s.ParseMessage(entry)
		if m.Kind != table.Move {
			continue
		}
		var body wire.MoveBody
		var made tarokk.Move
		testmust.Do(s.T, wire.DecodeBody(m.Body, &body))
		testmust.Do(s.T, json.Unmarshal(body.Move, &made))
		move := testmust.Have(wire.EncodeBody(withoutLetters(made)))(s.T)
		list = append(list, fmt.Sprintf("%d %s", m.Seat, move))
	}
	return list
}

// withoutLetters leaves of letters only how many they are.
func withoutLetters(m tarokk.Move) tarokk.Move {
	hide := func(letters *string) {
		if letters != nil {
			*letters = strings.Repeat("x", len(*letters))
		}
	}
	hide(m.Discard)
	if m.Disclose != nil {
		hide(&m.Disclose.Tarokks)
	}
	if m.Say != nil && m.Say.Discards != nil {
		hide(&m.Say.Discards.Tarokks)
	}
	if m.Play != nil {
		hide(&m.Play.Card)
	}
	return m
}

// Two deals that nobody can tell apart by the rules must not differ in a message
// either: in its kind, its length or that it is there. Without PAKLI_TESTS=thorough, some
// of them under the default suite.
func TestSilence(t *testing.T) {
	cases := []struct {
		what    string
		options options
		a, b    stacked
		script  []string // of both, with alternatives
		then    string
	}{
		{what: "the declarer calls the own XX, or that of the partner",
			a: stacked{"T22 T20 T5", "T2", "T19 T3", "T4"}, b: stacked{"T22 T19 T5", "T2", "T20 T3", "T4"},
			script: []string{"A:three", "A:say call:T20", "C:say", "A:play T22", "B:play T2", "C:play T3", "D:play T4"}, then: "A:play T5"},
		{what: "who passes is the partner, or not",
			a: stacked{"T22", "T20", "T19", "T18"}, b: stacked{"T22", "T18", "T19", "T20"},
			script: []string{"A:three", "A:say call:T20", "B:say", "C:say contra:game"}, then: "B:say"},
		{what: "the honour of a bid", a: stacked{"T22", "T21", "T1"}, b: stacked{"T1", "T22", "T21"},
			script: []string{"A:three", "B:two", "A:hold", "B:one"}, then: "A:pass"},
		{what: "the suits of the discards, and whether they come from the talon",
			a: stacked{"T22", "T21 CT CJ", "CR"}, b: stacked{"T22", "T21 CT CJ", "CR"},
			script: []string{"A:three", "B:two", "A:hold", "B:discard HR HQ|CT HQ", "C:discard DA|CR"}, then: "A:say call:T20"},
		{what: "which tarokk was discarded: any, or the called one",
			a: stacked{"T22", "T7 T20", "T8"}, b: stacked{"T22", "T7 T8", "T20"},
			script: []string{"A:three", "B:discard T7|T8", "A:say call:T9"}, then: "B:say"},
		{what: "the big honour of an inviter: the skíz, or the XXI",
			a: stacked{"T19 T22", "T21"}, b: stacked{"T19 T21", "T22"}, script: binding, then: "A:say"},
		{what: "the big honour of a yielder", a: stacked{"T20 T22", "T21"}, b: stacked{"T20 T21", "T22"},
			script: []string{"A:three", "B:two", "A:pass"}, then: "B:say call:T20"},
		{what: "an honour in a trial: drawn, or dealt",
			a: stacked{"T21", "", "T1", "T22"}, b: stacked{"T21", "", "T1", "", "T22"}, script: []string{"D:three"}, then: "D:trial yes"},
		{what: "no honour in a trial, and other cards",
			a: stacked{"T21", "T22", "T1", "T2 T3 T4"}, b: stacked{"T21", "T22", "T1", "HK DK CK"}, script: []string{"D:three"}, then: "D:trial no"},
		{what: "why a figure is announced", a: stacked{"T22 T21 T1", "T20"}, b: stacked{"T1", "T20", "T21 T22"},
			script: []string{"A:three", "A:say call:T20", "B:say fig:trull fig:four_kings"}, then: "C:say contra:DEC.trull"},
		{what: "the suits of seven cards thrown in", a: stacked{"T22", "T1 T21 CT CJ CR CQ ST SJ SR"}, b: stacked{"T22", "T1 T21 HK DK CK SK ST SJ SR"},
			script: []string{"A:three"}, then: "B:annul e"},
		{what: "the rest of a hand that lacks a suit",
			a: stacked{"T22 HK", "T5 T6 SQ SR SJ CT CJ CR CQ"}, b: stacked{"T22 HK", "T5 T7 T8 T9 T10 T11 T12 T13 CQ"},
			script: []string{"A:three", "A:say call:T20", "A:play HK"}, then: "B:play T5"},
		{what: "a count, of other tarokks", a: stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 T9 CT"}, b: stacked{"T22", "T20 T3 T4 T5 T6 T7 T8 T18 CK"},
			script: []string{"A:three", "A:say call:T20"}, then: "B:say count:8"},
		{what: "the pagát kept, or held by nobody there", a: stacked{"T2", "T22", "T1 T9", "T20"}, b: stacked{"T2", "T22 T1", "T9", "T20"},
			script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2", "B:play T22"}, then: "C:play T9"},
		{what: "discards told only later", options: firstTurn, a: stacked{"T22", "T7", "T8"}, b: stacked{"T22", "T8", "T7"},
			script: []string{"A:three", "B:discard T7|T8"}, then: "B:annul"},
	}
	chosen := testmust.SomeOf(t, len(cases), 2)
	for i, c := range cases {
		for n, suite := range twoSuites(t) {
			if n > 0 && !chosen(i) {
				continue
			}
			t.Run(c.what+" "+suite.Name(), func(t *testing.T) {
				t.Parallel()
				var seen [2]*scene
				for i, d := range []stacked{c.a, c.b} {
					seen[i] = newScene(t, tabletest.Config{Suite: suite, Options: c.options}, d)
					for _, text := range append(slices.Clone(c.script), c.then) {
						seen[i].run(alternative(text, i))
					}
				}
				if a, b := seen[0].course(), seen[1].course(); !slices.Equal(a, b) {
					t.Fatalf("the deals can be told apart anyhow: %s", firstDifference(a, b))
				}
				if a, b := seen[0].shapes(), seen[1].shapes(); !slices.Equal(a, b) {
					t.Errorf("the deals can be told apart: %s", firstDifference(a, b))
				}
			})
		}
	}
}

// alternative is the line of one of two scripts: "B:discard HQ|CT" is
// "B:discard HQ" in the first, "B:discard CT" in the second.
func alternative(text string, i int) string {
	first, second, differs := strings.Cut(text, "|")
	if !differs || i == 0 {
		return first
	}
	return first[:strings.IndexByte(first, ' ')+1] + second
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%d: %q and %q", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d and %d of them", len(a), len(b))
}
