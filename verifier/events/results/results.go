// Package results puts an event into words: standings and their grounds, rounds, rulings, and every
// departure from the event's method, in English, German and Hungarian, as text, JSON, a page and a
// table for spreadsheets (docs/spec/81-reports.md, 81.7).
//
// [Folder] writes reports into a directory: of many tables the report or score sheet of each, and of
// an event also its results, seatings for the wall, disputes and tables of numbers (81.5, 81.7).
// Links between them are relative, so that the directory can be moved.
package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
)

// Results is an event in the words of one language.
type Results struct {
	Language   string             `json:"language"`
	Written    report.Provenance  `json:"written,omitzero"`
	Event      wire.Hash          `json:"event"`
	Name       string             `json:"name"`
	Verdict    event.Verdict      `json:"verdict"`
	Headline   string             `json:"headline"`
	Notes      []string           `json:"notes"`
	Upto       uint64             `json:"upto"`
	Digest     string             `json:"digest"`
	Unit       int                `json:"unit"` // a point is this many of what totals count
	Standings  []event.Standing   `json:"standings"`
	Alike      []int              `json:"alike"` // numbers of players whose names look alike
	Rounds     []Round            `json:"rounds"`
	Held       string             `json:"held"`    // where and when, as the organiser says
	Ended      []string           `json:"ended"`   // who ended tables and deals, and how
	Remarks    []string           `json:"remarks"` // announcements of organiser, arbiters and jury
	Rulings    []string           `json:"rulings"`
	Departures []Departure        `json:"departures"`
	Said       []string           `json:"said"` // appeals and calls
	Unaccepted []string           `json:"unaccepted"`
	Checks     []Check            `json:"checks"`
	Checkpoint tlog.Checkpoint    `json:"checkpoint"`
	Cosigned   []tlog.Cosignature `json:"cosigned,omitempty"`

	Seatings string `json:"-"` // file of the seatings, beside this one

	l     language
	h     *event.History
	names plain.Roster
	times *bundle.Times
}

// Round is a round with its tables.
type Round struct {
	Number int     `json:"number"`
	Tables []Table `json:"tables"`
	Byes   []int   `json:"byes"`
}

// Table is a place of a round and what became of it.
type Table struct {
	Number  int          `json:"number"`
	ID      string       `json:"id"` // "" if there is none
	State   event.State  `json:"state"`
	Players []int        `json:"players"`
	Company []int        `json:"company,omitempty"` // those whom the draw should have kept apart from somebody here
	Lines   []event.Line `json:"lines"`
	File    string       `json:"file,omitempty"`    // its report, beside this one
	Dispute string       `json:"dispute,omitempty"` // the page for its jury, beside this one
}

// Departure is a departure from the method, in words.
type Departure struct {
	event.Departure
	Says string `json:"says"`
}

// Check is a check in words.
type Check struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Says    string `json:"says"`
}

// language is a report's language with the texts of an event.
type language struct{ scene.Language }

// Sum puts an event into words. Of a broken log it says only that.
func Sum(v *events.VerifiedEvent, l report.Language, without event.LeftOutLayers) *Results {
	r := &Results{Language: l.Tag, Checkpoint: v.Log.Checkpoint, Cosigned: v.Log.Cosigned, l: language{l.WithTexts(languages[l.Tag])}, h: v.History,
		Notes: []string{}, Standings: []event.Standing{}, Alike: []int{}, Rounds: []Round{}, Ended: []string{}, Remarks: []string{}, Rulings: []string{}, Departures: []Departure{}, Said: []string{}, Unaccepted: []string{}}
	for _, c := range v.Log.LogChecks() {
		r.addCheck(string(c.ID), string(c.Outcome))
	}
	if v.Log.Verdict == verifier.LogBroken {
		r.Headline = report.Headline(v.Log, l)
		return r
	}
	r.names = plain.NewRoster(r.h.Players, func(p *event.Player) string { return string(p.Name) })
	r.times = bundle.NewTimes(v.Marks, v.History.Terms.Clock.Keepers)
	r.Event, r.Name, r.Verdict, r.Upto, r.Digest, r.Standings = v.History.ID, string(v.History.Terms.Name), v.Verdict, v.Upto, v.Digest, v.Standings
	if r.Unit = 1; v.History.Terms.Score == bulletin.ScorePlaces {
		r.Unit = event.Sixtieths
	}
	for _, c := range v.Checks {
		r.addCheck(string(c.ID), string(c.Outcome))
	}
	r.Headline = r.l.Say("event."+string(v.Verdict), "name", r.Name)
	r.addNotes(v, without)
	r.Notes = append(r.Notes, l.SharedNotes(v.Shared)...)
	r.Held = r.placeAndTime()
	r.addRounds(v)
	r.addEnded(v, l)
	r.addRemarks()
	r.addRulings()
	r.Said = append(r.Said, r.saidAbout(func(string) bool { return true })...)
	for _, d := range v.Departures {
		player := r.playerName(d.Player)
		if d.Player == 0 { // of a table in the draw
			player = r.l.Say("draw.organiser")
		}
		r.Departures = append(r.Departures, Departure{d, r.l.Say("departure."+string(d.What), "round", d.Round, "table", d.Table, "player", player, "entry", d.Index)})
	}
	r.addUnaccepted()
	return r
}

func (r *Results) addCheck(id, outcome string) {
	r.Checks = append(r.Checks, Check{id, r.l.Say("outcome." + outcome), r.l.Say("check." + id)})
}

// playerName returns the player with a number: "17 Kovács Béla".
func (r *Results) playerName(n int) string {
	if p := r.h.PlayerByNumber(n); p != nil {
		return r.Shown(n, string(p.Name), p.Key)
	}
	return strconv.Itoa(n)
}

// Shown returns a player's number and name, with the end of the key if another's name looks alike.
func (r *Results) Shown(number int, name, key string) string {
	return fmt.Sprintf("%d %s", number, r.names.Show(name, key))
}

func (r *Results) playerNames(list []int) string {
	var names []string
	for _, n := range list {
		names = append(names, r.playerName(n))
	}
	return strings.Join(names, ", ")
}

func (r *Results) addNotes(v *events.VerifiedEvent, without event.LeftOutLayers) {
	note := func(s string) { r.Notes = append(r.Notes, s) }
	if c := r.h.Canceled; c != nil {
		note(r.l.Say("event.canceled", "text", string(c.Body.(*bulletin.RemarkBody).Text)))
	}
	note(r.l.Say("event.rests", "upto", v.Upto))
	var alike []string
	for _, p := range r.h.Players {
		if r.names.LooksAlike(string(p.Name)) {
			r.Alike, alike = append(r.Alike, p.Number), append(alike, r.Shown(p.Number, string(p.Name), p.Key))
		}
	}
	if alike != nil {
		note(r.l.Say("event.alike", "names", strings.Join(alike, ", ")))
	}
	var left []string
	for layer, out := range map[event.Layer]bool{event.Agreed: without.Agreed, event.ByClock: without.Clock, event.Ruled: without.Ruled} {
		if out {
			left = append(left, r.l.Say("layer."+string(layer)))
		}
	}
	if slices.Sort(left); left != nil {
		note(r.l.Say("event.without", "layers", strings.Join(left, ", ")))
	}
	for _, o := range v.Reopened {
		note(r.l.Say("event.reopened", "round", o.Round, "table", o.Number, "entry", o.Index, "seat", o.Name, "keeper", o.Reopened.Keeper, "time", o.Reopened.Since.Format("2006-01-02 15:04:05 UTC")))
	}
	if v.WithoutReopened != nil {
		note(r.l.Say("event.reopened.standings", "standings", r.inOneLine(v.WithoutReopened)))
	}
	for _, round := range slices.Sorted(maps.Keys(v.Draws)) {
		if t := v.Draws[round].Table; t != nil {
			note(r.l.Say("event.draw", "round", round, "table", shortID(t.ID.String()), "names", r.drawerNames(t)))
		}
	}
	if r.h.Terms.Draw == bulletin.DrawCommit && len(v.Draws) > 0 {
		note(r.l.Say("event.secret"))
	}
	if v.Shown != nil {
		note(r.l.Say("event.shown", "n", v.Shown.Entries, "last", v.Shown.Last, "tables", v.Shown.Tables, "size", v.Shown.Size))
	}
	if n := len(r.h.Void); n > 0 {
		note(r.l.Say("event.void", "n", n))
	}
}

// inOneLine returns a list of standings as part of a sentence.
func (r *Results) inOneLine(list []event.Standing) string {
	var parts []string
	for _, s := range list {
		total := strconv.Itoa(s.Total)
		if r.Unit > 1 {
			total += "/" + strconv.Itoa(r.Unit)
		}
		parts = append(parts, fmt.Sprintf("%d. %s: %s", s.Rank, r.playerName(s.Number), total))
	}
	return strings.Join(parts, "; ")
}

func (r *Results) drawerNames(t *event.Table) string {
	var names []string
	for _, key := range t.Terms.Seats {
		name, _, _ := strings.Cut(key, "+")
		if p := r.h.PlayerByKey(key); p != nil {
			name = r.playerName(p.Number)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func (r *Results) addRounds(v *events.VerifiedEvent) {
	var company [][]int
	for _, s := range v.Judgement.Tables {
		if s.Round > len(r.Rounds) {
			company = r.h.UnpartedPlayers(r.h.Rounds[s.Round-1])
			r.Rounds = append(r.Rounds, Round{Number: s.Round, Tables: []Table{}, Byes: append([]int{}, r.h.Rounds[s.Round-1].Byes...)})
		}
		t := Table{Number: s.Number, Players: s.Players, Company: company[s.Number-1], Lines: []event.Line{}}
		if s.Table != nil {
			t.ID, t.State, t.Lines = s.Table.ID.String(), s.Table.State, append(t.Lines, s.Table.Lines...)
		}
		last := &r.Rounds[len(r.Rounds)-1]
		last.Tables = append(last.Tables, t)
	}
}

// placeAndTime returns the event's place and time by its terms.
func (r *Results) placeAndTime() string {
	at := r.h.Terms
	when := at.From
	if at.To != "" && at.To != at.From {
		when = r.l.Say("held", "from", at.From, "to", at.To)
	}
	parts := slices.DeleteFunc([]string{string(at.Venue), when}, func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}

// addEnded adds what ended the counted tables otherwise than by the rules.
func (r *Results) addEnded(v *events.VerifiedEvent, l report.Language) {
	for _, one := range v.Tables {
		counts := slices.ContainsFunc(v.Judgement.Tables, func(s event.SeatedPlace) bool { return s.Table != nil && s.Table.ID == one.Table })
		if !counts || one.Report == nil {
			continue
		}
		for _, text := range l.Endings(one.Report) {
			r.Ended = append(r.Ended, r.l.Say("ended", "table", r.tableName(one.Table.String()), "text", text))
		}
	}
}

// LinkFiles adds the file names of reports of tables and pages of disputes beside the results.
func (r *Results) LinkFiles(files, disputes map[wire.Hash]string) {
	for _, round := range r.Rounds {
		for i, t := range round.Tables {
			if id, err := wire.ParseHash(t.ID); err == nil {
				round.Tables[i].File, round.Tables[i].Dispute = files[id], disputes[id]
			}
		}
	}
}

func (r *Results) addRemarks() {
	for _, d := range r.h.Decisions {
		if b, is := d.Body.(*bulletin.RemarkBody); is && d.Kind == bulletin.DecideRemark {
			by, _, _ := strings.Cut(d.By, "+")
			r.Remarks = append(r.Remarks, r.l.Say("remark", "entry", d.Index, "by", by, "text", string(b.Text)))
		}
	}
}

func (r *Results) addRulings() {
	for _, d := range r.h.Rulings {
		r.Rulings = append(r.Rulings, r.rulingText(d))
	}
}

// rulingText returns who ruled what, and whether it was overturned.
func (r *Results) rulingText(d *event.Ruling) string {
	by, _, _ := strings.Cut(d.By, "+")
	said := r.l.Say("ruling", "entry", d.Index, "by", by, "what", r.ruledText(d), "reason", string(d.Reason))
	for _, hash := range d.Grounds {
		said += " " + r.l.Say("ruling.grounds", "entry", shortID(hash.String()))
	}
	if d.Overturned != 0 {
		said += " " + r.l.Say("ruling.overturned")
	} else if len(d.Appeals) > 0 && d.Upheld == 0 {
		said += " " + r.l.Say("ruling.appealed")
	}
	return said
}

func (r *Results) ruledText(d *event.Ruling) string {
	var points []string
	for _, p := range d.Points {
		points = append(points, r.playerName(p.Player)+" "+r.l.Signed(p.Points))
	}
	key, on := "ruling."+d.Do, uint64(0)
	if d.Do == bulletin.RuleAdjust && d.About.Deal == 0 {
		key += ".table"
	}
	for _, other := range r.h.Rulings {
		if other.Hash.String() == d.About.Entry {
			on = other.Index
		}
	}
	return r.l.Say(key, "deal", d.About.Deal, "table", r.tableName(d.About.Table), "points", strings.Join(points, ", "), "player", r.playerName(d.About.Player),
		"round", d.About.Round, "instead", shortID(d.Instead), "on", on)
}

// tableName returns a table's place, "2/3", or the beginning of its id if it has none.
func (r *Results) tableName(id string) string {
	for _, round := range r.Rounds {
		for _, t := range round.Tables {
			if t.ID == id && id != "" {
				return fmt.Sprintf("%d/%d", round.Number, t.Number)
			}
		}
	}
	return shortID(id)
}

// shortID returns the beginning of a table's id.
func shortID(id string) string { return id[:min(len(id), 12)] }

func (r *Results) addUnaccepted() {
	for _, n := range r.h.Notices {
		b, registers := n.Body.(*bulletin.RegisterBody)
		switch {
		case !registers:
		case n.Answer == nil:
			r.Unaccepted = append(r.Unaccepted, r.l.Say("unanswered", "name", string(b.Name)))
		case n.Reason != "":
			r.Unaccepted = append(r.Unaccepted, r.l.Say("refused", "name", string(b.Name), "reason", string(n.Reason)))
		}
	}
}

// Points returns a number of points as people write it.
func (r *Results) Points(n int) string {
	if n%r.Unit == 0 {
		return r.l.Signed(n / r.Unit)
	}
	text := fmt.Sprintf("%+.2f", float64(n)/float64(r.Unit))
	text = strings.ReplaceAll(text, "-", "−")
	if r.Language != "en" {
		text = strings.ReplaceAll(text, ".", ",")
	}
	return text
}

// Layers returns the parts of a total, or "" if it consists of proved points alone.
func (r *Results) Layers(s event.Standing) string {
	var list []string
	for _, l := range []event.Layer{event.Proved, event.Agreed, event.ByClock, event.Ruled, event.OfTerms} {
		if n, there := s.Layers[l]; there {
			list = append(list, r.l.Say("layer."+string(l))+" "+r.Points(n))
		}
	}
	if _, proved := s.Layers[event.Proved]; proved && len(list) == 1 {
		return ""
	}
	return strings.Join(list, ", ")
}

// Say returns a text in the language of the results.
func (r *Results) Say(key string, values ...any) string { return r.l.Say(key, values...) }

// JSON writes the results as one line of JSON.
func (r *Results) JSON(w io.Writer) error { return plain.JSON(w, r) }

// CSV writes the standings as comma-separated values with a line of titles. A cell that a spreadsheet
// would take for a formula gets an apostrophe in front.
func (r *Results) CSV(w io.Writer) error {
	title := []string{r.Say("heading.rank"), r.Say("heading.number"), r.Say("heading.player"), r.Say("heading.club"), r.Say("heading.total")}
	for n := range r.Rounds {
		title = append(title, r.Say("heading.round", "n", n+1))
	}
	lines := [][]string{title}
	for _, s := range r.Standings {
		line := []string{strconv.Itoa(s.Rank), strconv.Itoa(s.Number), csvCell(r.names.Show(s.Name, s.Key)), csvCell(s.Club), strconv.Itoa(s.Total)}
		for _, points := range s.Rounds {
			n := ""
			if points != nil {
				n = strconv.Itoa(*points)
			}
			line = append(line, n)
		}
		lines = append(lines, line)
	}
	return writeCSV(w, lines)
}

// byteOrderMark tells spreadsheet programs that the file is UTF-8.
const byteOrderMark = "\ufeff"

func writeCSV(w io.Writer, lines [][]string) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.UseCRLF = true // RFC 4180, 2
	return c.WriteAll(lines)
}

func csvCell(s string) string {
	if strings.ContainsAny(s[:min(1, len(s))], "=+-@") {
		return "'" + s
	}
	return s
}

// Text writes the results as lines.
func (r *Results) Text(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintln(&b, strings.TrimRight(plain.Text(fmt.Sprintf(format, args...)), " "))
	}
	section := func(heading string, list []string) {
		if len(list) > 0 {
			line("")
			line("%s", r.Say(heading))
		}
		for _, s := range list {
			line("  %s", s)
		}
	}
	line("%s", r.Headline)
	if r.Held != "" {
		line("%s", r.Held)
	}
	for _, n := range r.Notes {
		line("%s", n)
	}
	section("heading.remarks", r.Remarks)
	section("heading.standings", r.standingLines())
	for _, round := range r.Rounds {
		line("")
		line("%s", r.Say("heading.round", "n", round.Number))
		for _, t := range round.Tables {
			line("  %s  %s  %s  %s", r.Say("table", "n", t.Number), padRight(r.Say("state."+string(t.State)), 14), shortID(t.ID), r.playerNames(t.Players))
		}
		if len(round.Byes) > 0 {
			line("  %s", r.Say("bye", "names", r.playerNames(round.Byes)))
		}
		for _, t := range round.Tables {
			if len(t.Company) > 0 {
				line("  %s", r.Say("company", "table", t.Number, "names", r.playerNames(t.Company)))
			}
		}
	}
	section("heading.ended", r.Ended)
	section("heading.rulings", r.Rulings)
	section("heading.said", r.Said)
	var departures, checks []string
	for _, d := range r.Departures {
		departures = append(departures, fmt.Sprintf("%s (%s)", d.Says, d.What))
	}
	for _, c := range r.Checks {
		checks = append(checks, padRight(c.ID, 14)+padRight(c.Outcome, 14)+c.Says)
	}
	section("heading.departures", departures)
	section("heading.roster", r.Unaccepted)
	section("heading.checks", checks)
	section("heading.written", r.Header())
	_, err := io.WriteString(w, b.String())
	return err
}

// Header returns which program wrote the results, when, and from what.
func (r *Results) Header() []string {
	l, _ := report.LanguageOf(r.Language)
	return l.Header(r.Written)
}

// StandingsText writes the verdict and the standings as lines.
func (r *Results) StandingsText(w io.Writer) error {
	_, err := fmt.Fprintln(w, plain.Lines(strings.Join(append([]string{r.Headline}, r.standingLines()...), "\n")))
	return err
}

func (r *Results) standingLines() (list []string) {
	for _, s := range r.Standings {
		rank := r.Say("disqualified")
		if s.Rank > 0 {
			rank = strconv.Itoa(s.Rank) + "."
		}
		row := fmt.Sprintf("%4s  %8s  %s", rank, r.Points(s.Total), r.Shown(s.Number, s.Name, s.Key))
		if s.Club != "" {
			row += ", " + s.Club
		}
		if layers := r.Layers(s); layers != "" {
			row += "  [" + layers + "]"
		}
		list = append(list, row)
	}
	return list
}

func padRight(s string, n int) string { return s + strings.Repeat(" ", max(1, n-len([]rune(s)))) }
