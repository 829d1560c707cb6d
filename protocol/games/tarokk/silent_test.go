package tarokk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// shapes are what an onlooker sees of each message without reading it: seat,
// kind, length of the body, lengths of the proofs.
func (s *scene) shapes() []string {
	s.Helper()
	var list []string
	for _, entry := range s.Entries[1:] {
		m := testmust.Have(wire.Parse(entry))(s.T).Message
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
		m := testmust.Have(wire.Parse(entry))(s.T).Message
		if m.Kind != table.Move {
			continue
		}
		var body wire.MoveBody
		testmust.Do(s.T, wire.DecodeBody(m.Body, &body))
		move := testmust.Have(wire.EncodeBody(withoutLetters(s.decoded(body.Move))))(s.T)
		list = append(list, fmt.Sprintf("%d %s", m.Seat, move))
	}
	return list
}

func (s *scene) decoded(raw json.RawMessage) tarokk.Move {
	s.Helper()
	var m tarokk.Move
	testmust.Do(s.T, json.Unmarshal(raw, &m))
	return m
}

// withoutLetters leaves of letters only how many they are.
func withoutLetters(m tarokk.Move) tarokk.Move {
	return lettered(m, func(letters string) string { return strings.Repeat("x", len(letters)) })
}

// lettered is a move with other letters.
func lettered(m tarokk.Move, change func(string) string) tarokk.Move {
	if m.Discard != nil {
		letters := change(*m.Discard)
		m.Discard = &letters
	}
	if m.Disclose != nil {
		d := *m.Disclose
		d.Tarokks, m.Disclose = change(d.Tarokks), &d
	}
	if m.Say != nil && m.Say.Discards != nil {
		say, d := *m.Say, *m.Say.Discards
		d.Tarokks = change(d.Tarokks)
		say.Discards, m.Say = &d, &say
	}
	if m.Play != nil {
		play := *m.Play
		play.Card, m.Play = change(play.Card), &play
	}
	return m
}

// Two deals that nobody can tell apart by the rules must not differ in a message
// either: in its kind, its length or that it is there. Without PAKLI_TESTS=thorough, some
// of them under the default suite.
func TestSilence(t *testing.T) {
	cases := []struct {
		what    string
		options choices
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
	chosen := thorough.Some(t, len(cases), 2)
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

// taken is a move as it was made: who, what, and the true faces of the cards that
// its letters name, by letter.
type taken struct {
	player int
	move   tarokk.Move
	faces  map[byte]card.Face
}

// wander plays n moves by chance, or to the end of the deal.
func (s *scene) wander(n int, r *rand.Rand) (course []taken, demands [][]string) {
	s.Helper()
	for len(course) < n && len(s.public().Past) == 0 {
		if s.step() {
			continue
		}
		movers := s.State.Duties()[0].Seats
		seat := movers[r.IntN(len(movers))]
		moves := s.Moves(seat)
		raw, p := moves[r.IntN(len(moves))], s.playerAt(seat)
		made := taken{player: p, move: s.decoded(raw), faces: map[byte]card.Face{}}
		for i, f := range s.facesOf(p, "abcdefghijkl"[:len(s.public().Deal.Cards[p])]) {
			made.faces[byte('a'+i)] = f
		}
		course, demands = append(course, made), append(demands, s.demands(p, raw))
		s.add(s.honest(p, raw))
	}
	return course, demands
}

// shown are the faces that the moves of a course turn up.
func shown(course []taken) card.Set {
	var names []string
	for _, c := range course {
		switch m := c.move; {
		case m.Play != nil:
			names = append(names, m.Play.Face)
		case m.Disclose != nil:
			names = append(names, m.Disclose.Open...)
		case m.Say != nil && m.Say.Discards != nil:
			names = append(names, m.Say.Discards.Open...)
		case m.Open != nil:
			names = append(names, *m.Open...)
		}
	}
	var set card.Set
	for _, name := range names {
		f, _ := deck.Parse(name)
		set = set.With(f)
	}
	return set
}

// swapped exchanges some cards that have not been seen for each other.
func swapped(open card.Set, r *rand.Rand) map[card.Face]card.Face {
	hidden := deck.Not(open).Faces()
	r.Shuffle(len(hidden), func(i, j int) { hidden[i], hidden[j] = hidden[j], hidden[i] })
	to := map[card.Face]card.Face{}
	for f := range card.Face(deck.Size) {
		to[f] = f
	}
	for i := 0; i < 1+r.IntN(4) && 2*i+1 < len(hidden); i++ {
		to[hidden[2*i]], to[hidden[2*i+1]] = hidden[2*i+1], hidden[2*i]
	}
	return to
}

// reorder puts the faces of discards in the order of their letters, which a
// permuted hand has others of.
func (s *scene) reorder(p int, d *tarokk.Disclosure) {
	s.Helper()
	if d != nil {
		d.Open = slices.Clone(d.Open)
		slices.SortFunc(d.Open, func(a, b string) int { return strings.Compare(s.letterOf(p, a), s.letterOf(p, b)) })
	}
}

// follow plays the same course with other hidden cards, and reports whether that
// is possible.
func (s *scene) follow(course []taken, to map[card.Face]card.Face) (demands [][]string, possible bool) {
	s.Helper()
	for i := 0; i < len(course); {
		if s.step() {
			continue
		}
		c := course[i]
		move := lettered(c.move, func(letters string) string {
			var list []string
			for j := range letters {
				list = append(list, s.letterOf(c.player, deck.Name(to[c.faces[letters[j]]])))
			}
			slices.Sort(list)
			return strings.Join(list, "")
		})
		s.reorder(c.player, move.Disclose)
		if move.Say != nil {
			s.reorder(c.player, move.Say.Discards)
		}
		raw := testmust.Have(wire.EncodeBody(move))(s.T)
		entry, err := s.Message(s.seat(c.player), s.State.Owed(s.seat(c.player))[0], raw)
		if err != nil {
			return nil, false
		}
		demands = append(demands, s.demands(c.player, raw))
		s.add(entry)
		i++
	}
	return demands, true
}

// Deals by chance, played by chance for a while, and the same with some of the
// cards exchanged that nobody has seen, as far as the same can be played.
func TestSilenceByChance(t *testing.T) {
	rules := []choices{nil, {"preset": "bga"}, firstTurn, {"count-pais": "true", "forced-contra": "spoken", "xvii": "pais"},
		{"raise-sole": "true", "invit-commit": "if-other-declares", "pagat-retention": "any-holder"}, {"count-side": "figure", "ultimo-duty": "exchanged"}}
	runs := map[proof.Suite]int{clear.Suite{}: 24, defaultSuite(t): 4}
	if !thorough.Tests() {
		runs = map[proof.Suite]int{clear.Suite{}: 6, defaultSuite(t): 1}
	}
	for suite, n := range runs {
		t.Run(suite.Name(), func(t *testing.T) {
			t.Parallel()
			pairs, moves := 0, 0
			for seed := range uint64(n) {
				found, length := silentPair(t, suite, rules[seed%uint64(len(rules))], rand.New(rand.NewPCG(seed, 0)))
				pairs, moves = pairs+found, moves+length
			}
			if pairs < n/2 {
				t.Errorf("only %d pairs of deals in %d runs: the test tests nothing", pairs, n)
			}
			t.Logf("%d pairs of deals, %d moves", pairs, moves)
		})
	}
}

// tries is how many exchanges of cards are tried for a course.
const tries = 12

func silentPair(t *testing.T, suite proof.Suite, options choices, r *rand.Rand) (found, moves int) {
	t.Helper()
	c := tabletest.Config{Suite: suite, Options: options}
	first := newScene(t, c, stacked{})
	r.Shuffle(len(first.order), func(i, j int) { first.order[i], first.order[j] = first.order[j], first.order[i] })
	course, want := first.wander(1+r.IntN(60), r)
	for range tries {
		to := swapped(shown(course), r)
		second := newScene(t, c, stacked{})
		for i, f := range first.order {
			second.order[i] = to[f]
		}
		if slices.Equal(piles(first.order), piles(second.order)) {
			continue
		}
		got, possible := second.follow(course, to)
		if !possible {
			continue
		}
		for i := range course {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%v, %s: move %d demands %q, and with other cards %q", options, swaps(to), i, want[i], got[i])
			}
		}
		if a, b := first.shapes(), second.shapes(); !slices.Equal(a, b) {
			t.Errorf("%v, %s: the deals can be told apart: %s", options, swaps(to), firstDifference(a, b))
		}
		return 1, len(course)
	}
	return 0, 0
}

// piles says of each face to whom it was dealt, or that it is in the talon.
func piles(order []card.Face) []int {
	list := make([]int, len(order))
	for i, f := range order {
		switch {
		case i < 6:
			list[f] = inTalon
		case i < 26:
			list[f] = (i - 6) / 5
		default:
			list[f] = (i - 26) / 4
		}
	}
	return list
}

func swaps(to map[card.Face]card.Face) string {
	var list []string
	for _, f := range slices.Sorted(maps.Keys(to)) {
		if f < to[f] {
			list = append(list, deck.Name(f)+"/"+deck.Name(to[f]))
		}
	}
	return strings.Join(list, " ")
}
