package verifier

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Verdict is the outcome in one word.
type Verdict string

// Verdicts.
const (
	Sound       Verdict = "sound"               // over, and everything holds: Result is the score
	ForSeats    Verdict = "sound for its seats" // sound by proofs that its seats asked for: nobody else can know that they did
	Adjudicated Verdict = "adjudicated"         // over, but not by the rules and agreement alone: Endings says how
	Unfinished  Verdict = "unfinished"          // everything holds so far: Owing says what play waits for
	Foul        Verdict = "foul"                // Findings names seat, entry and check
	LogBroken   Verdict = "log broken"          // something that was shown or signed contradicts what the log signed: no seat is to blame
)

// ExitCode returns the exit code of a command with this verdict.
func (v Verdict) ExitCode() int {
	switch v {
	case Sound:
		return 0
	case ForSeats:
		return 8
	case Adjudicated:
		return 6
	case Unfinished:
		return 3
	case Foul:
		return 4
	}
	return 5
}

// Checks of the log; those of the table are in package table.
const (
	CheckSignature table.Check = "L1-signature" // the log signed the checkpoint
	CheckTree      table.Check = "L2-tree"      // the entries have the checkpoint's root
	CheckHistory   table.Check = "L3-history"   // the entries contain every checkpoint believed earlier
	CheckCosigners table.Check = "L4-cosigners" // enough cosigners have seen the checkpoint; only with a policy
	CheckGenesis   table.Check = "G1-genesis"   // the table exists and its game, options, suite and seats are good
)

// Outcome is what became of a check.
type Outcome string

// Outcomes.
const (
	Passed     Outcome = "passed"
	Failed     Outcome = "failed"
	NotReached Outcome = "not reached"
)

// Check is one check of docs/spec/80-verification.md with its outcome.
type Check struct {
	ID      table.Check `json:"id"`
	Outcome Outcome     `json:"outcome"`
}

// Finding says what is wrong, where, and which seat did it. Index and Seat are absent if no entry and
// no seat is at fault.
type Finding struct {
	Check table.Check `json:"check"`
	Index *uint64     `json:"index,omitempty"`
	Seat  *table.Seat `json:"seat,omitempty"`
	Name  string      `json:"name,omitempty"`
	Err   error       `json:"-"`

	// ShownBy is the later entry that has shown the foul, if locks are disclosed: the entry at Index
	// was applied then.
	ShownBy *uint64 `json:"shown_by,omitempty"`
}

// FoundAt returns the entry that showed the foul.
func (f Finding) FoundAt() uint64 {
	if f.ShownBy != nil {
		return *f.ShownBy
	}
	return *f.Index
}

// MarshalJSON writes the finding with its error as text.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	return json.Marshal(struct {
		plain
		Error string `json:"error"`
	}{plain(f), f.Err.Error()})
}

// Ending is an act that ended a deal, or the table, at its place in the log.
type Ending struct {
	Index uint64 `json:"index"`
	table.EndingAct
	Name string `json:"name,omitempty"` // of the seat, before the act

	Degree  Degree   `json:"degree,omitempty"`  // of a time-out
	Keepers []string `json:"keepers,omitempty"` // whose times a time-out rests on

	Reopened *ReopenedClaim `json:"reopened,omitempty"` // if a keeper held the seat's message in time
}

// StoppedSeat is the seat that has stopped a table, and the entry that did it.
type StoppedSeat struct {
	Seat  table.Seat `json:"seat"`
	Name  string     `json:"name"`
	Since uint64     `json:"since"`

	SelfRuled bool `json:"selfruled,omitempty"` // nobody can give the seat to another player
}

// Owing is a duty, the seats that owe it, and the entry since which it is owed.
type Owing struct {
	Duty  table.Duty `json:"duty"`
	Names []string   `json:"names"`
	Since uint64     `json:"since"`
}

// Forfeit is the only seat that has not disclosed its locks, and the score if it never does.
type Forfeit struct {
	Seat   table.Seat `json:"seat"`
	Name   string     `json:"name"`
	Result []int      `json:"result"`
}

// AskedProofs says what proofs are worth that the seats of a table have asked for.
type AskedProofs struct {
	Bits int  `json:"bits"`           // a false one passes with probability 2^-Bits
	Open bool `json:"open,omitempty"` // a proof is asked for and not answered yet
	Told bool `json:"told,omitempty"` // the request can be computed from known values: a seat that does not answer knew it
}

func (r *Report) noteAsked(s *table.State) {
	bits, asks := s.AsksForProofs()
	if !asks {
		return
	}
	_, open := s.Question()
	r.Asked = &AskedProofs{Bits: bits, Open: open, Told: slices.ContainsFunc(s.Duties(), func(d table.Duty) bool { return d.Kind == table.Answer })}
	if r.Verdict == Sound {
		r.Verdict = ForSeats
	}
}

// Report is the result of verifying one table.
type Report struct {
	Table   wire.Hash `json:"table"`
	Verdict Verdict   `json:"verdict"`
	Result  []int     `json:"result,omitempty"` // by seat; only if sound, or adjudicated
	Game    string    `json:"game,omitempty"`
	Suite   string    `json:"suite,omitempty"`
	Seats   []string  `json:"seats,omitempty"`
	Keys    []string  `json:"keys,omitempty"` // by seat; a name may be anybody's
	Deals   int       `json:"deals"`          // begun
	replay.Tally
	Owing      []Owing         `json:"owing,omitempty"`
	Forfeit    *Forfeit        `json:"forfeit,omitempty"` // only if unfinished
	Stopped    *StoppedSeat    `json:"stopped,omitempty"` // nobody owes anything then
	Paused     bool            `json:"paused,omitempty"`
	Asked      *AskedProofs    `json:"asked,omitempty"` // where seats ask for proofs
	Endings    []Ending        `json:"endings,omitempty"`
	Attempts   []Finding       `json:"attempts,omitempty"` // broken rules that were only counted
	Sheet      *table.Sheet    `json:"sheet,omitempty"`    // if an act has ended a deal; Result is its sum
	Partial    *table.Sheet    `json:"partial,omitempty"`  // deals that are over, of a table that is not, if asked for
	Findings   []Finding       `json:"findings,omitempty"`
	Checks     []Check         `json:"checks"`
	Checkpoint tlog.Checkpoint `json:"checkpoint"`

	Coverage *Coverage          `json:"shown,omitempty"`    // if the source is not a whole log
	Cosigned []tlog.Cosignature `json:"cosigned,omitempty"` // the policy's cosigners of the checkpoint

	Marks table.Marks `json:"-"` // of the log, as far as it was read

	held   []keeper.Message     // that keepers held, according to files of held messages
	policy *tlog.Policy         // whose times are believed; nil: nobody's
	seen   func(Step)           // may be nil
	sheet  *table.Sheet         // of a table that is not over, or ended with a foul
	places map[wire.Hash]uint64 // of applied messages, if the suite defers checks
}

// CountPartial counts the finished deals of a table that is not over or ended with a foul. Each of
// them is proved.
func (r *Report) CountPartial() { r.Partial = r.sheet }

// NewReport returns a report without a verdict in which no check was reached. Without a policy it has
// no check of cosigners.
func NewReport(id wire.Hash, p *tlog.Policy) *Report {
	r := &Report{Table: id}
	log := []table.Check{CheckSignature, CheckTree, CheckHistory}
	if p != nil {
		log = append(log, CheckCosigners)
	}
	for _, c := range append(append(log, CheckGenesis), table.Checks()...) {
		r.Checks = append(r.Checks, Check{c, NotReached})
	}
	return r
}

func (r *Report) setOutcome(c table.Check, o Outcome) {
	for i := range r.Checks {
		if r.Checks[i].ID == c {
			r.Checks[i].Outcome = o
		}
	}
	if r.seen != nil {
		r.seen(Step{Check: &Check{c, o}})
	}
}

// PassCheck records that a check holds.
func (r *Report) PassCheck(c table.Check) { r.setOutcome(c, Passed) }

// PassTree passes L2 if the entries have the signed root, even if they contradict something else.
func (r *Report) PassTree(c table.Check, err error) (table.Check, error) {
	if c == CheckHistory {
		r.PassCheck(CheckTree)
	}
	return c, err
}

// logFailed returns the report of a breach of the log, or an error if the log could not be checked,
// and then without a verdict. Two contradicting signatures of the log break L3, wherever they are
// found; entries that contradict one signature break L2.
func (r *Report) logFailed(c table.Check, err error) (*Report, error) {
	switch {
	case errors.Is(err, tlog.ErrForked):
		return r.BreakLog(CheckHistory, err), nil
	case c == CheckTree && errors.Is(err, tlog.ErrBroken):
		return r.BreakLog(c, err), nil
	}
	return r, fmt.Errorf("%s: %w", c, err)
}

// BreakLog records that the log is broken: the check fails because of err.
func (r *Report) BreakLog(c table.Check, err error) *Report {
	r.Verdict = LogBroken
	r.setOutcome(c, Failed)
	r.Findings = append(r.Findings, Finding{Check: c, Err: err})
	return r
}

// ofTable returns r as the report of a table in the log that the report log is about.
func (r *Report) ofTable(log *Report) *Report {
	r.Checkpoint, r.Cosigned, r.Coverage = log.Checkpoint, log.Cosigned, log.Coverage
	r.Checks = append(log.LogChecks(), r.TableChecks()...)
	return r
}

// AsTable returns the report of a broken log as that of a table.
func (r *Report) AsTable(id wire.Hash) Table {
	of := *r
	of.Table = id
	return Table{Report: &of}
}

// LogChecks returns the checks of the log with their outcomes.
func (r *Report) LogChecks() []Check { return r.Checks[:r.logChecks():r.logChecks()] }

// TableChecks returns the checks of the table with their outcomes.
func (r *Report) TableChecks() []Check { return r.Checks[r.logChecks():] }

// logChecks returns the number of checks of the log, which come first.
func (r *Report) logChecks() int {
	return slices.IndexFunc(r.Checks, func(c Check) bool { return c.ID == CheckGenesis })
}

// applyStep records an entry that opened the table or moved it on.
func (r *Report) applyStep(s replay.Step) {
	if s.Before == nil {
		r.beginTable(s.After)
	}
	r.CountStep(s)
	if r.places != nil {
		r.places[s.Entry.Hash] = s.Index
	}
	if s.BlamedFault() != nil {
		r.endFoul(s, s.BlamedFault())
		return
	}
	if s.Entry.Act != nil {
		r.takeAct(s)
	}
	if r.followDuties(s); s.After.IsOver() {
		r.endTable(s.After)
	}
}

// takeAct records an act's changes other than duties.
func (r *Report) takeAct(s replay.Step) {
	r.settleReopened(s)
	for _, e := range s.After.EndingActs()[len(s.Before.EndingActs()):] {
		ending := Ending{Index: s.Index, EndingAct: e}
		if e.Seat != nil {
			ending.Name = s.Before.SeatName(*e.Seat)
		}
		if e.Kind == wire.KindTimeout {
			ending.Degree, ending.Keepers = r.degreeOf(s)
			ending.Reopened = r.reopenedBy(s)
		}
		r.Endings = append(r.Endings, ending)
	}
	if seat, stopped := s.After.GoneSeat(); !stopped {
		r.Stopped = nil
	} else if r.Stopped == nil {
		r.Stopped = &StoppedSeat{seat, s.After.SeatName(seat), s.Index, s.After.Genesis().Ends.SelfRuled}
	}
	r.Paused = s.After.IsPaused()
	r.noteSeats(s.After)
}

// addAttempt records a message that broke a rule and was only counted.
func (r *Report) addAttempt(s replay.Step) {
	r.CountStep(s)
	r.Attempts = append(r.Attempts, findingOf(s, s.Fault))
}

func findingOf(s replay.Step, f *table.Fault) Finding {
	index := s.Index // a copy: the report must not keep the message
	return Finding{Check: f.Check, Index: &index, Seat: &f.Seat, Name: s.Before.SeatName(f.Seat), Err: f.Err}
}

func (r *Report) beginTable(s *table.State) {
	for i, c := range s.Checks() {
		if at := r.logChecks() + 1 + i; at == len(r.Checks) || r.Checks[at].ID != c {
			r.Checks = slices.Insert(r.Checks, at, Check{c, NotReached})
		}
	}
	r.PassCheck(CheckGenesis)
	if s.Defers() {
		r.places = map[wire.Hash]uint64{}
	}
	r.Game, r.Suite = s.Genesis().Game, s.Suite().Name()
	r.noteSeats(s)
}

func (r *Report) noteSeats(s *table.State) {
	r.Seats, r.Keys = nil, nil
	for seat := range table.Seat(s.Seats()) {
		r.Seats, r.Keys = append(r.Seats, s.SeatName(seat)), append(r.Keys, s.HolderKey(seat))
	}
}

// followDuties keeps the entry since which each unchanged duty is owed. A duty that the entry fulfils
// and that is owed again, like the next card of the seat that won the trick with the last one, is a
// new duty. After an act that moved play on or resumed it, every duty is new.
func (r *Report) followDuties(s replay.Step) {
	act := s.Entry.Act
	anew := act != nil && (act.Kind == wire.KindReseat || s.Before.Deal() != s.After.Deal() || s.Before.IsPaused() && !s.After.IsPaused())
	done := func(d table.Duty) bool {
		by := s.Entry.Message
		return anew || by != nil && d.Kind == by.Kind && d.Owes(table.Seat(by.Seat))
	}
	old := slices.DeleteFunc(r.Owing, func(o Owing) bool { return done(o.Duty) })
	r.Owing = nil
	for _, d := range s.After.Duties() {
		o := Owing{Duty: d, Since: s.Index}
		for _, seat := range d.Seats {
			o.Names = append(o.Names, s.After.SeatName(seat))
		}
		for _, before := range old {
			if before.Duty.Equal(d) {
				o.Since = before.Since
			}
		}
		r.Owing = append(r.Owing, o)
	}
}

func (r *Report) endTable(s *table.State) {
	outcome := Passed
	for _, c := range s.Checks() {
		if c == table.CheckStep && s.LastCheckedDeal() < s.Deal() {
			outcome = NotReached
		}
		r.setOutcome(c, outcome)
	}
	r.Deals = s.DealsBegun()
	sheet := s.Sheet()
	if result, over := s.Result(); !over {
		r.Verdict, r.sheet = Unfinished, &sheet
	} else if r.Verdict, r.Result = Sound, result; s.IsAdjudicated() {
		r.Verdict = Adjudicated
	}
	if len(r.Endings) > 0 {
		r.Sheet = &sheet
	}
	r.noteAsked(s)
	if silent, scores, ok := s.ForfeitScores(); ok {
		r.Forfeit = &Forfeit{silent, s.SeatName(silent), scores}
	}
}

// endFoul ends the report with a foul that s is or has shown.
func (r *Report) endFoul(s replay.Step, f *table.Fault) {
	for _, c := range s.Before.Checks() {
		if c == f.Check {
			break
		}
		r.PassCheck(c)
	}
	r.setOutcome(f.Check, Failed)
	sheet := s.Before.Sheet()
	r.Deals, r.Verdict, r.Owing, r.sheet = s.Before.DealsBegun(), Foul, nil, &sheet
	if r.noteAsked(s.Before); r.Asked != nil {
		r.Asked.Told = false // no answer will come
	}
	wrong := findingOf(s, f)
	if at, earlier := r.places[f.Entry]; earlier {
		wrong.Index, wrong.ShownBy = &at, wrong.Index
	}
	r.Findings = []Finding{wrong}
}

// owedText returns who owes what since which entry, and the attested time.
func (r *Report) owedText(o Owing) string {
	text := fmt.Sprintf("%s to %s since entry %d", strings.Join(o.Names, " or "), o.Duty.Kind, o.Since)
	if t := r.AttestedTime(); !t.IsZero() {
		text += " (in the log by " + t.Format(time.RFC3339) + ")"
	}
	return text
}

// AsShown reports whether the table is unfinished only as far as an extract shows it: its end may
// have been left out.
func (r *Report) AsShown() bool { return r.Verdict == Unfinished && r.Coverage != nil }

// AttestedTime returns the time by which the log had all entries up to the checkpoint: the latest
// time of its cosignatures, so that it holds if any one cosigner's clock is right. It is zero if none
// has a time.
func (r *Report) AttestedTime() (latest time.Time) {
	for _, s := range r.Cosigned {
		if s.Time.After(latest) {
			latest = s.Time
		}
	}
	return latest
}

// Headline returns the verdict in one sentence.
func (r *Report) Headline() string {
	switch r.Verdict {
	case Sound:
		return "Sound. Payments: " + r.paymentsText() + "."
	case ForSeats:
		return "Sound for its seats. Payments: " + r.paymentsText() + "."
	case Adjudicated:
		return "Adjudicated. Payments: " + r.paymentsText() + "."
	case Unfinished:
		if r.Stopped != nil {
			return fmt.Sprintf("Unfinished: stopped since entry %d, because seat %s (%s) has left.", r.Stopped.Since, r.Stopped.Seat.Letter(), r.Stopped.Name)
		}
		if r.AsShown() {
			return "Unfinished, as shown. Everything so far holds."
		}
		return "Unfinished. Everything so far holds."
	case Foul:
		f := r.Findings[0]
		return fmt.Sprintf("Foul by seat %c (%s) at entry %d.", 'A'+rune(*f.Seat), f.Name, *f.Index)
	case LogBroken:
		if r.Findings[0].Check == CheckHistory {
			return "The log broke its promise: it signed two histories that cannot both be true. No seat is to blame."
		}
		return "Broken: the entries shown are not those whose root the log signed. The log altered them, or somebody on the way; no seat is to blame. Ask another copy."
	}
	return "No verdict."
}

// paymentsText returns the payments of the seats.
func (r *Report) paymentsText() string {
	scores := make([]string, len(r.Result))
	for i, n := range r.Result {
		scores[i] = fmt.Sprintf("%s %+d", r.Seats[i], n)
	}
	return strings.Join(scores, ", ")
}

// Coverage says what an extract showed and what it was compared with.
type Coverage struct {
	Entries int    `json:"entries"` // of the table
	Last    uint64 `json:"last"`    // index of the last entry
	Size    uint64 `json:"size"`    // of the log at that checkpoint

	// Orphans are the indexes of entries, signed by their seats, whose parent is not shown. An honest
	// log has none, so an entry seems to be left out.
	Orphans []uint64         `json:"orphans,omitempty"`
	Against []ComparedSource `json:"against,omitempty"`
}

// WasCompared reports whether the extract was compared with a whole log of this size.
func (s *Coverage) WasCompared(size uint64) bool {
	return slices.ContainsFunc(s.Against, func(a ComparedSource) bool { return a.Whole && a.Size >= size })
}

// ComparedSource is the result of a comparison with another source of the same log (package
// tableset): the extract leaves out nothing that the other source has.
type ComparedSource struct {
	Size  uint64 `json:"size"`  // of the other source's checkpoint
	Whole bool   `json:"whole"` // the other source shows the whole log up to Size
	Later int    `json:"later"` // entries of the table that the log got afterwards
}
