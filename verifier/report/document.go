package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// Document is a report in the words of one language. [Document.Text] and package page show it; its
// JSON form is that of docs/spec/81-reports.md. The fields of the verifier's report keep their names
// there.
type Document struct {
	*verifier.Report
	Language string     `json:"language"`
	Written  Provenance `json:"written,omitzero"`
	Headline string     `json:"headline"`        // the verdict in one sentence or two
	Notes    []string   `json:"notes,omitempty"` // sentences that belong to the headline
	Checks   []Check    `json:"checks"`
	Sheets   []Sheet    `json:"sheets,omitempty"`  // deals that are over, in order
	Sums     []ListSum  `json:"sums,omitempty"`    // below the deals, if they are entered in a list
	Besides  []ListSum  `json:"besides,omitempty"` // below those, if an act ended a deal
	Playing  []Trick    `json:"playing,omitempty"` // of the deal that is not over
	Trace    []Step     `json:"trace,omitempty"`
	Place    *Place     `json:"place,omitempty"` // of a table of an event

	language Language
	headings map[uint64]string // above the entry that begins a trick, by its index
	voice    scene.Voice       // of the game; none if the log is broken
}

// Place is a table's place in an event, and what was said and decided about it, in the document's
// language.
type Place struct {
	Event   string   `json:"event"` // its name
	Title   string   `json:"title"` // "Round 2, table 3"
	Players []string `json:"players"`
	Times   string   `json:"times,omitempty"`   // when the table was played, by the event's keepers
	Rulings []string `json:"rulings,omitempty"` // who ruled what, and why
	Said    []string `json:"said,omitempty"`    // appeals, and calls for an arbiter
}

// Check is a check in words.
type Check struct {
	verifier.Check
	Says string `json:"says"`
}

// Status is what became of an entry.
type Status string

// Statuses.
const (
	Applied Status = "applied"
	Void    Status = "void"
	Foul    Status = "foul"
	Attempt Status = "attempt"
)

// Genesis is the kind of the step that begins a table, which is no message.
const Genesis table.Kind = "genesis"

// Step is an entry of the table in the words of its game.
type Step struct {
	Index  uint64      `json:"index"` // in the log
	Seat   *table.Seat `json:"seat,omitempty"`
	Name   string      `json:"name,omitempty"`
	Kind   table.Kind  `json:"kind"`
	Status Status      `json:"status"`
	Check  table.Check `json:"check,omitempty"` // failed by this entry, or by the entry that it shows to be foul
	Shows  *uint64     `json:"shows,omitempty"` // the entry that is foul by what this one discloses
	Deal   int         `json:"deal"`            // number of the deal that was begun before
	Text   string      `json:"text"`            // what was done, after the name
	Why    string      `json:"why,omitempty"`   // why it was not applied
	Faces  []string    `json:"faces,omitempty"` // turned up by the entry, as the deck names them
	Cards  []string    `json:"cards,omitempty"` // the same in words
	Proofs []Proof     `json:"proofs,omitempty"`
}

// Proof is one proof of a message.
type Proof struct {
	Slot     int              `json:"slot"`
	Check    table.Check      `json:"check"`
	Relation string           `json:"relation"`
	Claim    string           `json:"claim,omitempty"` // id in the game's catalogue of proofs
	Text     string           `json:"text"`            // the statement
	Why      string           `json:"why,omitempty"`   // why the game asks for it
	Bytes    int              `json:"bytes"`
	Outcome  verifier.Outcome `json:"outcome"`

	short, group string // of a claim: "no spade", "the rest of the hand"
}

// Sheet is the result of a deal.
type Sheet struct {
	Deal     int       `json:"deal"` // from 1
	Text     string    `json:"text"`
	Lines    []Line    `json:"lines,omitempty"`
	Payments []Payment `json:"payments"`
	Tricks   []Trick   `json:"tricks,omitempty"`
}

// Line is one item of a score sheet.
type Line struct {
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	For    string `json:"for,omitempty"` // the side that it counts for, in words
	Points int    `json:"points"`
}

// ListSum is a line below the deals of a list, with an amount for each seat.
type ListSum struct {
	Rule    string `json:"rule,omitempty"`
	Text    string `json:"text"`
	Amounts []int  `json:"amounts"`
	Count   bool   `json:"count,omitempty"` // a count of things, or a rank, instead of points
}

// Payment is what a seat got from a deal: by the sheet, besides it, and in total.
type Payment struct {
	Name  string `json:"name"`
	Game  int    `json:"game"`
	Other int    `json:"other"`
	Total int    `json:"total"`
}

// BuildDocument puts a report into words. It fails if the entries contradict the report.
func BuildDocument(r *verifier.Report, rec *Recording, c table.Catalogue, l Language) (*Document, error) {
	d := &Document{Report: r, Language: l.Tag, language: l}
	d.Checks = l.checkTexts(r.Checks)
	if r.Verdict == verifier.LogBroken {
		d.logBroken()
		return d, nil
	}
	t, err := traceTable(r, rec, c, l)
	if err != nil {
		return nil, err
	}
	if result, over := t.state.Result(); over != slices.Contains([]verifier.Verdict{verifier.Sound, verifier.ForSeats, verifier.Adjudicated}, r.Verdict) || !slices.Equal(result, r.Result) {
		return nil, fmt.Errorf("the entries at hand give the result %v, and the verdict has %v", result, r.Result)
	}
	d.Headline, d.Trace, d.Sheets, d.Playing = Headline(r, l), t.steps, sheetsInWords(t.voice, t.state, t.deals.tricks), t.deals.tricks[t.deals.over]
	for _, s := range t.voice.Game.Sums(t.state) {
		d.Sums = append(d.Sums, ListSum{s.Rule, t.voice.Text(s.Text), s.Amounts, s.Count})
	}
	d.addBesides()
	d.voice, d.headings = t.voice, t.deals.headings
	switch r.Verdict {
	case verifier.Sound:
		d.Notes = append(d.Notes, l.Say("sound.note"))
	case verifier.Unfinished:
		d.noteWaiting()
		if f := r.Forfeit; f != nil {
			d.Notes = append(d.Notes, l.Say("forfeit.note", "seat", l.seatText(f.Seat, f.Name), "payments", l.paymentsText(r.Seats, f.Result)))
		}
	case verifier.Foul:
		if d.Headline, err = t.blameSentence(); err != nil {
			return nil, err
		}
		note := "foul.note"
		if by := r.Findings[0].ShownBy; by != nil {
			note = "foul.shown.note"
		}
		d.Notes = append(append(d.Notes, t.brokenRule()...), l.Say(note, "entry", r.Findings[0].FoundAt()))
	}
	if r.Verdict != verifier.Foul {
		d.Notes = append(d.Notes, d.ProvedDeals()...)
	}
	d.noteEndings()
	d.noteAsked()
	d.noteShown()
	d.Notes = append(d.Notes, l.attestedNotes(r)...)
	return d, nil
}

// noteWaiting adds what somebody can do while play waits or the table is stopped.
func (d *Document) noteWaiting() {
	note := "waiting.note"
	if d.Stopped != nil {
		note = "stopped.note"
		if d.Stopped.SelfRuled {
			note = "stopped.note.selfruled"
		}
	}
	d.Notes = append(d.Notes, d.language.Say(note))
	if d.Paused {
		d.Notes = append(d.Notes, d.language.Say("paused.note"))
	}
}

// noteEndings adds who ended deals or the table, which rules were broken, and the payments of
// finished deals.
func (d *Document) noteEndings() {
	l := d.language
	if d.Verdict == verifier.Adjudicated {
		d.Notes = append(d.Notes, l.Say("adjudicated.note"))
	}
	d.Notes = append(append(d.Notes, d.EndedTexts()...), d.Breaches()...)
	if d.Partial != nil {
		d.Notes = append(d.Notes, l.partialText(d.Partial, d.Seats))
	}
}

// noteAsked adds what proofs are worth that seats have asked for, and whose answer is missing.
func (d *Document) noteAsked() {
	if d.Asked == nil {
		return
	}
	d.Notes = append(d.Notes, d.language.Say("asked.note", "bits", d.Asked.Bits))
	if d.Asked.Told {
		d.Notes = append(d.Notes, d.language.Say("asked.told"))
	}
}

// addBesides adds what seats pay or get apart from the deals, and the totals.
func (d *Document) addBesides() {
	if d.Sheet == nil {
		return
	}
	l, all := d.language, d.Report.Sheet
	for _, f := range all.Forfeits {
		d.Besides = append(d.Besides, ListSum{Text: l.Say("forfeit", "seat", d.SeatNames()[*f.Seat], "deal", f.Deal), Amounts: f.Points})
	}
	if all.Rest != nil && len(d.Sums) == 0 {
		d.Besides = append(d.Besides, ListSum{Text: l.Say("rest"), Amounts: all.Rest})
	}
	if len(d.Besides) > 0 && d.Result != nil {
		d.Besides = append(d.Besides, ListSum{Text: l.Say("column.total"), Amounts: d.Result})
	}
}

// partialText returns the payments of the finished deals.
func (l Language) partialText(s *table.Sheet, seats []string) string {
	if len(s.Deals) == 0 {
		return l.Say("partial.0")
	}
	return l.Count("partial", len(s.Deals), "payments", l.paymentsText(seats, table.Sheet{Deals: s.Deals}.Sums(len(seats))))
}

// Endings returns how a table or its deals were ended otherwise than by the rules.
func (l Language) Endings(r *verifier.Report) (list []string) {
	for _, e := range r.Endings {
		list = append(list, l.endingText(e, r))
	}
	return list
}

func (l Language) endingText(e verifier.Ending, r *verifier.Report) string {
	values := []any{"entry", e.Index}
	if e.Seat != nil {
		values = append(values, "seat", l.seatText(*e.Seat, e.Name))
	}
	by, _, _ := strings.Cut(e.By, "+")
	how := "ending." + string(e.Kind)
	if e.Kind == wire.KindAgree && !e.IsAgreed() {
		how = "ending.agree.rest"
	}
	text := scene.AsSentence(l.Say(how, append(values, "by", by)...))
	if e.Degree != "" {
		text += " " + l.Say("time."+string(e.Degree), "keepers", l.List(e.Keepers))
	}
	if o := e.Reopened; o != nil {
		text += " " + l.reopenedText(o)
	}
	if e.Reason != "" {
		text += " " + l.Say("ending.reason", "reason", l.Quote(string(e.Reason)))
	}
	if e.Deal > 0 {
		key := "ending.deal"
		if r.Sheet != nil && slices.ContainsFunc(r.Sheet.Deals, func(l table.Line) bool { return l.Deal == e.Deal }) {
			key = "ending.again"
		}
		text += " " + l.Say(key, "deal", e.Deal)
	}
	if e.Points != nil {
		text += " " + l.Say("ending.pays", "payments", l.paymentsText(r.Seats, e.Points))
	}
	return text
}

// reopenedText returns who held a message that reached the log too late, and whether somebody has
// decided about it.
func (l Language) reopenedText(o *verifier.ReopenedClaim) string {
	values := []any{"keeper", plain.Text(o.Keeper), "time", timeText(o.Since)}
	if o.Decided != nil {
		return l.Say("time.ruled", append(values, "entry", *o.Decided)...)
	}
	return l.Say("time.reopened", values...)
}

func (l Language) checkTexts(list []verifier.Check) []Check {
	said := make([]Check, len(list))
	for i, c := range list {
		said[i] = Check{c, l.Say("check." + string(c.ID))}
	}
	return said
}

// noteShown adds what an extract showed and what it was compared with.
func (d *Document) noteShown() {
	if d.Coverage == nil {
		return
	}
	l, s := d.language, d.Coverage
	note := func(text string) { d.Notes = append(d.Notes, text) }
	note(l.Say("shown", "entries", s.Entries, "last", s.Last, "size", s.Size))
	for _, index := range s.Orphans {
		note(l.Say("shown.orphan", "entry", index))
	}
	for _, a := range s.Against {
		key := "shown.bundle"
		if a.Whole {
			key = "shown.whole"
		}
		note(l.Say(key, "size", a.Size))
		if a.Later > 0 {
			note(l.Say("shown.later", "n", a.Later))
		}
	}
	if len(s.Against) == 0 {
		note(l.Say("shown.alone"))
	}
}

// paymentsText returns payments as text: "anna +3, béla −1".
func (l Language) paymentsText(names []string, amounts []int) string {
	list := namesApart(names)
	for i, name := range list {
		list[i] = plain.Isolate(name) + " " + l.Signed(amounts[i])
	}
	return strings.Join(list, ", ")
}

// namesApart returns names of seats that can be told apart: a name that several seats have is
// followed by the letter of the seat.
func namesApart(names []string) []string {
	list := slices.Clone(names)
	for i, name := range names {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if slices.ContainsFunc(names[:i], same) || slices.ContainsFunc(names[i+1:], same) {
			list[i] += " (" + SeatLetter(table.Seat(i)) + ")"
		}
	}
	return list
}

// SeatNames returns the names of the seats for headings of columns.
func (d *Document) SeatNames() []string { return namesApart(d.Seats) }

// ProvedDeals returns a sentence for each finished deal. It rests on proofs alone.
func (d *Document) ProvedDeals() (list []string) {
	for _, s := range d.Sheets {
		text := s.Text
		if amounts := s.totalAmounts(); slices.ContainsFunc(amounts, func(n int) bool { return n != 0 }) {
			text += " " + d.language.Say("payments", "payments", d.language.paymentsText(d.Seats, amounts))
		} else {
			text += " " + d.language.Say("payments.none")
		}
		list = append(list, d.language.Say("deal", "n", s.Deal)+" "+text)
	}
	return list
}

// Breaches returns the broken rules that did not end the table. The seat has signed each breach.
func (d *Document) Breaches() (list []string) {
	for _, f := range d.Attempts {
		list = append(list, scene.AsSentence(d.language.Say("attempt.note", "seat", d.language.seatText(*f.Seat, f.Name), "entry", *f.Index, "reason", d.language.reasonText(d.voice, f.Check, f.Err))))
	}
	return list
}

// EndedTexts returns who ended deals or the table, and how.
func (d *Document) EndedTexts() (list []string) {
	for _, e := range d.Endings {
		list = append(list, d.language.endingText(e, d.Report))
	}
	if without := d.WithoutOpen(); without != nil {
		list = append(list, d.language.Say("time.without", "payments", d.language.paymentsText(d.Seats, without)))
	}
	return list
}

// IsDisputed reports whether somebody had to decide at the table or was asked to.
func (d *Document) IsDisputed() bool {
	return len(d.Endings)+len(d.Attempts)+len(d.Findings) > 0 || d.Place != nil && len(d.Place.Rulings)+len(d.Place.Said) > 0
}

func (s Sheet) totalAmounts() []int {
	list := make([]int, len(s.Payments))
	for i, p := range s.Payments {
		list[i] = p.Total
	}
	return list
}

// waitingText returns what play waits for, without blaming anybody.
func (l Language) waitingText(r *verifier.Report) string {
	if s := r.Stopped; s != nil {
		return l.Say("stopped", "entry", s.Since, "seat", l.seatText(s.Seat, s.Name))
	}
	var parts []string
	for i := 0; i < len(r.Owing); {
		o, seats := r.Owing[i], []string(nil)
		for ; i < len(r.Owing) && r.Owing[i].Duty.Kind == o.Duty.Kind && r.Owing[i].Since == o.Since; i++ {
			seats = append(seats, l.eitherOf(r.Owing[i]))
		}
		parts = append(parts, l.Say("waiting", "seats", l.List(seats), "entry", o.Since, "known", l.knownSince(r), "what", l.Say("owes."+string(o.Duty.Kind))))
	}
	return strings.Join(parts, " ")
}

// knownSince returns how it is known since when play waits: from an extract alone, or by the clocks
// of cosigners. It returns "" for a whole log without an attested time.
func (l Language) knownSince(r *verifier.Report) string {
	var list []string
	if r.AsShown() {
		list = append(list, l.Say("waiting.shown"))
	}
	if t := r.AttestedTime(); !t.IsZero() {
		list = append(list, l.Say("waiting.by", "time", timeText(t)))
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, "; ") + ")"
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// eitherOf returns the seats of a duty that any one of them can fulfil.
func (l Language) eitherOf(o verifier.Owing) string {
	seats := make([]string, len(o.Names))
	for i, name := range o.Names {
		seats[i] = l.seatText(o.Duty.Seats[i], name)
	}
	return l.Join(seats, "or")
}

// attestedNotes returns who has cosigned the checkpoint and when, by the cosigner's clock. No other
// time is attested: entries have none.
func (l Language) attestedNotes(r *verifier.Report) (notes []string) {
	for _, s := range r.Cosigned {
		key := "seen"
		when := ""
		if !s.Time.IsZero() {
			key, when = "seen.at", timeText(s.Time)
		}
		notes = append(notes, l.Say(key, "cosigner", plain.Text(s.Cosigner), "key", plain.Text(s.Key), "size", r.Checkpoint.Size, "time", when))
	}
	return notes
}

// logBroken makes a document without a trace: what was shown or signed contradicts itself.
func (d *Document) logBroken() {
	d.Headline = Headline(d.Report, d.language)
	d.Notes = append(append(d.Notes, d.language.Say("broken."+string(d.Report.Findings[0].Check)+".note")), d.language.attestedNotes(d.Report)...)
}
