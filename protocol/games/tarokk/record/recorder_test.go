package record_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

var tarokkGame = play.NewGame(tarokk.Rules{})

// tape records a table that was played.
func tape(t *testing.T, played *tabletest.Table) string {
	t.Helper()
	var names []string
	for seat := range played.State.Seats() {
		names = append(names, played.State.SeatName(table.Seat(seat)))
	}
	c := played.Config
	r := game.NewRecord[tarokk.State, tarokk.Move](record.NewRecorder("", names, table.Config{Seats: c.Seats, Deals: c.Deals, Options: c.Options}))
	for i, entry := range played.Entries[1:] {
		m := testmust.Have(wire.Parse(entry))(t).Message
		if m.Kind == wire.KindMove {
			var body wire.MoveBody
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, r.AddMove(played.States[i], played.States[i+1], table.Seat(m.Seat), body.Move))
		}
	}
	return string(r.Text())
}

type o = map[string]string

var configs = []tabletest.Config{
	{Seats: 4, Deals: 3},
	{Seats: 5, Deals: 3},
	{Seats: 4, Deals: 3, Options: o{"preset": "bga"}},
	{Seats: 4, Deals: 2, Options: o{"preset": "cup", "red-low": "four", "throw-in": "queue"}},
	{Seats: 5, Deals: 3, Options: o{"preset": "bga", "talon-fee": "true", "dealer-weeps": "true", "deal-knock": "true", "ending": "skiz"}},
	{Seats: 4, Deals: 3, Options: o{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true", "invit-commit": "if-other-declares", "throw-in": "none"}},
	{Seats: 4, Deals: 3, Options: o{"count-pais": "true", "forced-contra": "spoken", "xvii": "pais", "pagat-retention": "any-holder", "late-count": "always"}},
	{Seats: 5, Deals: 2, Options: o{"conventions": "false", "bid-hold": "old", "annul-after-tarokk": "all", "count-side": "figure", "score-gdv": "exclusive", "throw-in": "quad", "seat-draw": "false"}},
}

// A table is recorded, the record written, read and scored: other payments than
// the table's, a rule that was not broken, or a text that comes back changed. So
// too where the record leaves out what follows from the rest of it.
func TestRecordedTables(t *testing.T) {
	seeds, chosen := uint64(tabletest.Patience()), testmust.SomeOf(t, len(configs), 2)
	if testmust.Thorough() {
		seeds *= 4
	}
	for i, c := range configs {
		if !chosen(i) {
			continue
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				played := testmust.Have(tabletest.Play(tarokkGame, c, 1_000*uint64(i)+seed))(t)
				text := tape(t, played)
				checkRecord(t, played, text)
				for _, keys := range leftOut {
					checkRecord(t, played, without(text, keys))
				}
			}
		})
	}
}

// leftOut are lines that the rest of a record of a played deal makes up for: the
// hands or the discards, and what was said of these.
var leftOut = [][]string{{"cards ", "dealt "}, {"disclosed", "result"}, {"cards A", "cards D", "disclosed"}, {"[Dealer", "[Rounds", "[Pool"}}

// without is a text without the lines that begin with any of keys.
func without(text string, keys []string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(line, k) }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

func checkRecord(t *testing.T, played *tabletest.Table, text string) {
	t.Helper()
	s, err := record.Parse([]byte(text))
	testmust.Requiref(t, err == nil, "%v\n%s", err, text)
	again := s.Text()
	testmust.Requiref(t, string(again) == text, "written\n%s\nand again\n%s", text, again)
	report := testmust.Have(record.Score(s))(t)
	testmust.Requiref(t, report.Verdict == record.Complete && report.Over, "%s\n%s", report, text)
	checkNames(t, text, report)
	state, _ := table.Public[tarokk.State](played.State)
	result, _ := played.State.Result()
	for i, seat := range state.Members {
		testmust.Holdf(t, report.Balances[i] == result[seat],
			"balances %v, the table has %v of %v\n%s\n%s", report.Balances, result, state.Members, report, text)
	}
	for i, ended := range state.Past {
		checkDeal(t, state, ended, report.Deals[i])
	}
}

func checkDeal(t *testing.T, state tarokk.State, ended tarokk.SettledDeal, got record.ScoredDeal) {
	t.Helper()
	var want []int
	for _, seat := range state.Members {
		want = append(want, ended.Payments[seat])
	}
	testmust.Holdf(t, slices.Equal(got.Payments, want) && got.How == ended.How && got.Multiplier == ended.Multiplier,
		"deal %d: %+v, the table has %+v", ended.Number, got, ended)
}

var seated = regexp.MustCompile(`^(trick \d+ |[a-z]+ )([A-D]):`)
var listed = regexp.MustCompile(`([:,] )([A-D])\b`)

// checkNames reads a record in which members stand for seats and no dealer is told:
// a name must be the seat that it has in the deal which is replayed.
func checkNames(t *testing.T, text string, report *record.Report) {
	t.Helper()
	var b strings.Builder
	deal := -1
	for line := range strings.Lines(without(text, []string{"[Dealer"})) {
		if strings.HasPrefix(line, "[Deal ") {
			deal++
		}
		pattern := seated
		if strings.HasPrefix(line, "bids") || strings.HasPrefix(line, "disclosed") || strings.HasPrefix(line, "claim") {
			pattern = listed
		}
		b.WriteString(pattern.ReplaceAllStringFunc(line, func(found string) string {
			i := strings.LastIndexAny(found, "ABCD")
			dealer := slices.Index(report.Members, report.Deals[deal].Dealer)
			return found[:i] + report.Members[(dealer+1+int(found[i]-'A'))%len(report.Members)] + found[i+1:]
		}))
	}
	s, err := record.Parse([]byte(b.String()))
	testmust.Requiref(t, err == nil, "%v\n%s", err, b.String())
	want := without(text, []string{"[Dealer"})
	testmust.Requiref(t, string(s.Text()) == want, "names are read as\n%s\nwant\n%s", s.Text(), want)
}
