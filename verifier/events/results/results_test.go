package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// A text is missing in a language, or leaves out a value.
func TestTexts(t *testing.T) { scenetest.CheckTexts(t, results.Languages, regexp.MustCompile(`^$`)) }

// everything is an event with all kinds of departures, rulings, states and layers. Its names try to
// be commands of a terminal, a page and a spreadsheet.
func everything() *events.VerifiedEvent {
	h := &event.History{Terms: &bulletin.Event{Name: "Cup <b>", Score: bulletin.ScorePlaces}, Rounds: []*event.Round{{Number: 1, Byes: []int{3}}}}
	h.Terms.Apart, h.Terms.Seating = true, []bulletin.Seating{bulletin.SeatAtRandom}
	h.Players = []*event.Player{{Number: 5, Name: "Edit"}}
	h.Decisions = []*event.Decision{{Body: &bulletin.GroupsBody{Groups: [][]int{{4, 5}}}}}
	h.Rounds[0].Tables, h.Rounds[0].Upto = [][]int{{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {4, 5}}, 7
	h.Void = make([]event.Void, 3)
	h.Canceled = &event.Decision{Body: &bulletin.RemarkBody{Text: "flooded"}}
	for i, do := range []string{bulletin.RuleAdjust, bulletin.RulePenalty, bulletin.RuleDisqualify, bulletin.RuleReplay, bulletin.RuleSubstitute, bulletin.RuleCorrect, bulletin.RuleStands, bulletin.RuleUphold, bulletin.RuleOverturn, bulletin.RuleAdjust} {
		h.Rulings = append(h.Rulings, &event.Ruling{
			Decision:   &event.Decision{Decision: &bulletin.Decision{By: "anna+00+00"}, Index: uint64(100 + i)},
			RulingBody: &bulletin.RulingBody{Do: do, About: bulletin.RulingSubject{Deal: i, Player: 2}, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Reason: "because"},
		})
	}
	h.Rulings[0].Overturned, h.Rulings[1].Appeals = 120, make([]*event.Notice, 1)
	for _, body := range []any{&bulletin.RegisterBody{Name: "Zoli"}, &bulletin.RegisterBody{Name: "Vera"}, &bulletin.AppealBody{Ruling: h.Rulings[0].Hash, Reason: "unheard"}, &bulletin.CallBody{Reason: "noise"}} {
		h.Notices = append(h.Notices, &event.Notice{Notice: &bulletin.Notice{By: "bela+00+00"}, Body: body})
	}
	h.Notices[1].Answer, h.Notices[1].Reason = &event.Decision{}, "too late"
	h.Rulings[2].RulingBody.Grounds = []wire.Hash{{1}}
	j := &event.Judgement{Verdict: event.Misreported, Draws: map[int]event.Draw{1: {Table: &event.Table{Terms: &wire.Genesis{Seats: []string{"klub+00+00"}}}}}, Upto: 99}
	for _, what := range event.DepartureKinds() {
		j.Departures = append(j.Departures, event.Departure{What: what, Round: 1, Table: 2, Player: 1, Index: 7})
	}
	for i, s := range []event.State{event.Sound, event.Adjudicated, event.Unfinished, event.Foul, event.Unknown} {
		j.Tables = append(j.Tables, event.SeatedPlace{Round: 1, Number: i + 1, Players: []int{1, 2}, Table: &event.Table{State: s}})
	}
	j.Tables = append(j.Tables, event.SeatedPlace{Round: 1, Number: 6, Players: []int{4, 5}})
	points := 90
	j.Standings = []event.Standing{
		{Rank: 1, Number: 1, Name: "=cmd()\u0085", Club: "<script>", Total: 90, Rounds: []*int{&points}, Layers: map[event.Layer]int{event.Proved: 60, event.Ruled: 10, event.ByClock: 10, event.Agreed: 5, event.OfTerms: 5}},
		{Rank: 0, Number: 2, Total: -30, Rounds: []*int{nil}, Layers: map[event.Layer]int{event.Proved: -30}},
	}
	for _, c := range event.Checks() {
		for _, o := range []event.Outcome{event.Passed, event.Departed, event.Failed, event.NotYet} {
			j.Checks = append(j.Checks, event.CheckResult{ID: c, Outcome: o})
		}
	}
	return &events.VerifiedEvent{Judgement: j, History: h, Marks: marks.New(), Log: verifier.NewReport(wire.Hash{}, nil)}
}

// A language has no words for an incident, or a name acts as more than a name.
func TestEverythingHasWords(t *testing.T) {
	for _, tag := range report.Languages() {
		l, _ := report.LanguageOf(tag)
		for _, verdict := range []event.Verdict{event.Confirmed, event.VerdictAdjusted, event.NotFinal, event.Misreported, event.FoulOpen, event.CannotCheck} {
			v := everything()
			v.Verdict = verdict
			r := results.Sum(v, l, event.LeftOutLayers{Ruled: true, Clock: true, Agreed: true})
			r.Seatings = "seatings.html"
			var text, page, wall, table, object bytes.Buffer
			for _, err := range []error{r.Text(&text), r.HTML(&page), r.CSV(&table), r.JSON(&object), r.Wall(&wall), r.SeatingsCSV(io.Discard), r.DealsCSV(io.Discard), r.TRF(io.Discard)} {
				testmust.Do(t, err)
			}
			for _, said := range []string{text.String(), page.String(), wall.String()} {
				missing := regexp.MustCompile(`\{[a-z:]+\}|(event|departure|ruling|state|layer|outcome|heading|check)\.[a-z]`).FindString(said)
				testmust.Holdf(t, missing == "", "%s says %q:\n%s", tag, missing, said)
			}
			testmust.Holdf(t, !strings.Contains(page.String(), "<script") && !strings.Contains(text.String(), "\u0085") && strings.Contains(page.String(), "&lt;script&gt;"),
				"a name is a command: %s", page.String())
			rows, err := csv.NewReader(&table).ReadAll()
			testmust.Holdf(t, err == nil && len(rows) == 3 && strings.HasPrefix(rows[1][2], "'="), "the table is %q: %v", rows, err)
			testmust.Hold(t, json.Valid(object.Bytes()), "no JSON")
			for _, said := range []string{text.String(), page.String()} { // both say that two players sat together who were to be kept apart
				testmust.Hold(t, strings.Contains(said, r.Say("company", "table", 6, "names", "4, 5")), tag, "does not say who sat together")
			}
		}
	}
}

// Two tables of an event have card keys with a common factor, and the results do not say so.
func TestSharedFactorsAreTold(t *testing.T) {
	v := everything()
	v.Shared = []tableset.SharedKeys{{Keys: []tableset.KeyAt{{Name: "Ida", Index: 7}, {Name: "Vera", Index: 19}}}}
	l, _ := report.LanguageOf("en")
	said := strings.Join(results.Sum(v, l, event.LeftOutLayers{}).Notes, "\n")
	testmust.Holdf(t, strings.Contains(said, "a factor in common") && strings.Contains(said, "Ida (") && strings.Contains(said, ", 19)"),
		"the notes are %q", said)
}

// A player's name looks like another's, and readers confuse the two.
func TestNamesThatLookAlike(t *testing.T) {
	v := everything()
	v.Judgement.Standings, v.History.Players, v.History.Terms.Apart = nil, nil, false
	for i, name := range []string{"Ida", "lda", "Béla"} {
		key := name + "+0000000a+AAAAKeyOf" + string(rune('1'+i)) + "abc"
		v.History.Players = append(v.History.Players, &event.Player{Number: i + 1, Name: wire.Text(name), Key: key})
		v.Judgement.Standings = append(v.Judgement.Standings, event.Standing{Rank: i + 1, Number: i + 1, Name: name, Key: key, Rounds: []*int{nil}})
	}
	l, _ := report.LanguageOf("en")
	r := results.Sum(v, l, event.LeftOutLayers{})
	testmust.Holdf(t, len(r.Alike) == 2 && strings.Contains(strings.Join(r.Notes, "\n"), "1 Ida (…eyOf1abc), 2 lda (…eyOf2abc)"),
		"%v look alike, and the notes are %q", r.Alike, r.Notes)
	for what, write := range map[string]func(io.Writer) error{"text": r.Text, "page": r.HTML, "wall": r.Wall, "table": r.CSV} {
		var b bytes.Buffer
		testmust.Do(t, write(&b))
		for _, end := range []string{"Ida (…eyOf1abc)", "lda (…eyOf2abc)"} {
			testmust.Holdf(t, strings.Contains(b.String(), end), "%s: %s is missing:\n%s", what, end, b.String())
		}
		testmust.Hold(t, !strings.Contains(b.String(), "Of3abc"), what, "Béla, who looks like nobody, is shown with a key")
	}
}

// readTRF reads a report by the columns of the format (FIDE C.04 Annex 2, 2016). It returns the
// points of each player, and their rounds as opponent, colour and result.
func readTRF(t *testing.T, text string) (head map[string]string, players map[string]map[string]string) {
	head, players = map[string]string{}, map[string]map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		tag := line[:3]
		if tag != "001" {
			head[tag] = line[4:]
			continue
		}
		at := func(from, to int) string { return strings.TrimSpace(line[from-1 : to]) }
		p := map[string]string{"name": at(15, 47), "points": at(81, 84), "rank": at(86, 89)}
		for _, blank := range []int{9, 14, 48, 53, 57, 69, 80, 85} {
			testmust.Holdf(t, line[blank-1] == ' ', "column %d of %q", blank, line)
		}
		for round, from := 1, 92; from <= len(line); round, from = round+1, from+10 {
			p[fmt.Sprint(round)] = at(from, from+3) + at(from+5, from+5) + at(from+7, from+7)
		}
		players[at(5, 8)] = p
	}
	return head, players
}

// A report of an event with tables of two is unreadable or misread by chess programs: letters of
// several bytes before other columns, days in another format, an unfinished game as a draw, an absent
// player as one who lost. A spreadsheet program shows a table in other letters.
func TestChessProgramsReadIt(t *testing.T) {
	v := everything()
	points := func(list ...int) (all []*int) {
		for _, n := range list {
			all = append(all, &n)
		}
		return all
	}
	v.History.Terms.Name, v.History.Terms.Venue, v.History.Terms.From, v.History.Terms.To, v.History.Terms.Rounds = "Tarokk Kupa Győr", "Kávéház", "2031-05-03", "2031-05-04", 3
	v.History.Rounds = []*event.Round{{Number: 1, Tables: [][]int{{1, 2}}, Byes: []int{3}}, {Number: 2, Tables: [][]int{{3, 1}}}, {Number: 3, Tables: [][]int{{2, 3}}}}
	v.Judgement.Tables, v.History.Terms.Apart = nil, false
	for i, pair := range [][]int{{1, 2}, {3, 1}, {2, 3}} {
		v.Judgement.Tables = append(v.Judgement.Tables, event.SeatedPlace{Round: i + 1, Number: 1, Players: pair, Table: &event.Table{State: []event.State{event.Sound, event.Adjudicated, event.Unfinished}[i]}})
	}
	v.Judgement.Standings = []event.Standing{
		{Rank: 1, Number: 1, Name: "Őz Gyöngyvér", Total: 9, Rounds: points(8, 1)},
		{Rank: 2, Number: 3, Name: "Анна", Total: 1, Rounds: points(0, 1)},
		{Rank: 3, Number: 2, Name: "Große-Strauß, " + strings.Repeat("ő", 40), Total: -8, Rounds: points(-8, 0)},
	}
	l, _ := report.LanguageOf("en")
	r := results.Sum(v, l, event.LeftOutLayers{})
	testmust.Hold(t, r.Pairs(), "not two at each table")
	var b, table bytes.Buffer
	testmust.Do(t, r.TRF(&b))
	head, players := readTRF(t, b.String())
	testmust.Holdf(t, head["012"] == "Tarokk Kupa Gyor" && head["022"] == "Kavehaz" && head["042"] == "2031/05/03" && head["052"] == "2031/05/04" && head["062"] == "3" && head["XXR"] == "3", "the head is %v", head)
	for number, want := range map[string]map[string]string{
		"1": {"name": "Oz Gyongyver", "points": "1.5", "rank": "1", "1": "2w1", "2": "3b=", "3": "0000-Z"},
		"2": {"name": "Grosse-Strauss, " + strings.Repeat("o", 17), "points": "0.0", "rank": "3", "1": "1b0", "2": "0000-Z", "3": "3w"},
		"3": {"name": "????", "points": "1.5", "rank": "2", "1": "0000-U", "2": "1w=", "3": "2b"},
	} {
		testmust.Equal(t, fmt.Sprint(players[number]), fmt.Sprint(want), "player", number)
	}
	testmust.Do(t, r.CSV(&table))
	text := strings.Split(table.String(), "\r\n")
	testmust.Holdf(t, strings.HasPrefix(text[0], "\ufeff") && len(text) == 5 && strings.HasPrefix(text[1], "1,1,Őz Gyöngyvér,,9,") && strings.HasPrefix(text[3], `3,2,"Große-Strauß, `), "the table is %q", text)
}
