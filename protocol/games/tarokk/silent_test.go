package tarokk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

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
