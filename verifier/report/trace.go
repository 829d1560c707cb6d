package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// tracer replays a table and tells what each entry did.
type tracer struct {
	report    *verifier.Report // nil if the verdict is not known: then every proof is verified
	blob      replay.Blobs
	catalogue table.Catalogue
	times     table.Marks // used if there is no report
	voice     scene.Voice
	l         Language

	state *table.State
	batch proof.Batch  // takes proofs that were verified before and is never checked; otherwise nil
	fault *table.Fault // that ended the table
	steps []Step
	deals dealTricks

	places map[wire.Hash]uint64 // of applied messages
}

func traceTable(r *verifier.Report, rec *Recording, c table.Catalogue, l Language) (*tracer, error) {
	t := &tracer{report: r, blob: rec.blobOf, catalogue: c, l: l, deals: dealTricks{tricks: map[int][]Trick{}, headings: map[uint64]string{}}}
	for _, m := range rec.parsedEntries() {
		if err := t.traceNext(m); err != nil {
			return nil, fmt.Errorf("entry %d: %w", m.Index, err)
		}
	}
	if t.state == nil || (t.fault != nil) != (r.Verdict == verifier.Foul) {
		return nil, errors.New("the entries at hand are not those that were verified")
	}
	t.closeDeal(t.state, t.state)
	return t, nil
}

// logMarks returns the marks that the verifier found in the log, or those of the Teller.
func (t *tracer) logMarks() table.Marks {
	if t.report == nil {
		return t.times
	}
	return t.report.Marks
}

// traceNext replays an entry and tells its result. Of entries that were verified before, it verifies
// only the foul ones again.
func (t *tracer) traceNext(m replay.PlacedEntry) error {
	batch, finding := t.batch, t.findingAt(m.Index)
	if finding != nil {
		batch = nil
	}
	s := replay.Judge(t.state, m, t.catalogue, batch, t.blob, t.logMarks())
	switch {
	case finding != nil && !confirmsFinding(s, finding):
		return fmt.Errorf("was found to fail %s, and now: %v", finding.Check, cmp.Or(s.Err, error(faultShown(s))))
	case s.Err != nil:
		return s.Err
	case s.IsEarly():
		t.traceVoid(m, "void.early", "")
	case s.IsVoid():
		t.traceVoid(m, "void."+t.voidedCheck(s), s.Fault.Check)
	case faultShown(s) != nil && t.report != nil && finding == nil:
		return faultShown(s)
	case s.IsFoul():
		t.fault = s.Fault
		t.traceWrong(m, s.Fault, Foul)
	case s.IsAttempt():
		t.traceWrong(m, s.Fault, Attempt)
	case s.Before == nil:
		t.traceOpening(s)
	default:
		t.deals.headStep(m.Index)
		if t.report != nil && s.After.Deal() > s.Before.Deal() {
			t.closeDeal(s.Before, s.After)
			t.beginDeal(s.Before, s.After)
		}
		if s.Entry.Act != nil {
			t.traceAct(s)
			break
		}
		step := t.describeMessage(s.Before, s.After, m)
		step.Status = Applied
		t.steps = append(t.steps, step)
		t.places[m.Entry.Hash] = m.Index
		if f := s.BlamedFault(); f != nil {
			t.traceBlame(f)
		}
	}
	t.state = s.After
	return nil
}

// findingAt returns the finding about an entry, or nil.
func (t *tracer) findingAt(index uint64) *verifier.Finding {
	if t.report == nil {
		return nil
	}
	list := t.report.Attempts
	if t.report.Verdict == verifier.Foul {
		list = slices.Concat(list, t.report.Findings)
	}
	if i := slices.IndexFunc(list, func(f verifier.Finding) bool { return f.FoundAt() == index }); i >= 0 {
		return &list[i]
	}
	return nil
}

// confirmsFinding reports whether the entry's fault is the one of the finding.
func confirmsFinding(s replay.Step, f *verifier.Finding) bool {
	fault := faultShown(s)
	return fault != nil && fault.Class != table.Void && fault.Check == f.Check && fault.Seat == *f.Seat
}

// faultShown returns the fault of an entry, or of an earlier entry that it has shown to be foul.
func faultShown(s replay.Step) *table.Fault { return cmp.Or(s.Fault, s.BlamedFault()) }

// traceBlame tells of a foul that the last step, a disclosure, has shown: at that step, and at the
// foul entry, which has been told before.
func (t *tracer) traceBlame(f *table.Fault) {
	t.fault = f
	at, why := t.places[f.Entry], t.l.reasonText(t.voice, f.Check, f.Err)
	for i := range t.steps {
		if step := &t.steps[i]; step.Index == at {
			step.Status, step.Check, step.Why = Foul, f.Check, why
		}
	}
	last := &t.steps[len(t.steps)-1]
	last.Check, last.Shows, last.Text = f.Check, &at, t.l.Say("did.shows", "did", last.Text, "entry", at, "why", why)
}

// voidedCheck returns the key of the check that a void entry failed.
func (t *tracer) voidedCheck(s replay.Step) string {
	check := string(s.Fault.Check)
	switch {
	case s.Fault.Check == table.CheckOpen && t.state.Foul() == nil:
		return check + ".over"
	case s.Fault.Check == table.CheckSignature && s.Entry.Act != nil:
		return check + ".act"
	}
	return check
}

func (t *tracer) traceAct(s replay.Step) {
	a := s.Entry.Act
	seat, name := scene.Actor(s.Before, a)
	step := Step{Index: s.Index, Seat: seat, Name: name, Kind: a.Kind, Status: Applied, Deal: s.Before.DealsBegun()}
	step.Text = plain.Text(t.voice.ActText(s.Before, s.After, a))
	for _, f := range uncoveredFaces(s.Before, s.After) {
		step.Faces, step.Cards = append(step.Faces, f), append(step.Cards, t.voice.Face(f))
	}
	if len(step.Cards) > 0 {
		step.Text += ": " + strings.Join(step.Cards, ", ")
	}
	t.steps = append(t.steps, step)
}

func (t *tracer) traceOpening(s replay.Step) {
	t.state, t.places = s.After, map[wire.Hash]uint64{}
	g := t.state.Genesis()
	var called []string
	for seat := range table.Seat(t.state.Seats()) {
		called = append(called, t.state.SeatName(seat))
	}
	called = namesApart(called)
	if t.voice = t.l.voiceOf(g.Game, func(seat table.Seat) string { return plain.Isolate(called[seat]) }); t.report != nil {
		t.batch = t.state.Suite().NewBatch()
	}
	var seats []string
	for seat := range table.Seat(t.state.Seats()) {
		seats = append(seats, SeatLetter(seat)+" "+plain.Isolate(t.state.SeatName(seat)))
	}
	text := t.l.Say("did.open", "game", g.Game, "suite", g.Suite, "seats", strings.Join(seats, ", "), "deals", g.Deals)
	if len(g.Options) > 0 {
		var options []string
		for _, name := range slices.Sorted(maps.Keys(g.Options)) {
			options = append(options, name+"="+g.Options[name])
		}
		text += " " + t.l.Say("did.open.options", "options", strings.Join(options, ", "))
	}
	t.steps = append(t.steps, Step{Index: s.Index, Kind: Genesis, Status: Applied, Text: plain.Text(text)})
}

func (t *tracer) traceVoid(m replay.PlacedEntry, reason string, c table.Check) {
	step := Step{Index: m.Index, Kind: Genesis, Status: Void, Check: c, Text: t.l.Say("did.again"), Why: t.l.Say(reason)}
	if msg := m.Entry.Message; msg != nil {
		// The signer is not known: a void message may have anybody's name.
		step.Kind, step.Text = msg.Kind, t.l.Say("did.void", "letter", SeatLetter(table.Seat(msg.Seat)))
	}
	if a := m.Entry.Act; a != nil {
		name, _, _ := strings.Cut(a.By, "+")
		step.Kind, step.Text = a.Kind, plain.Text(t.l.Say("did.act", "name", name))
	}
	if t.state != nil {
		step.Deal = t.state.DealsBegun()
	}
	t.steps = append(t.steps, step)
}

// traceWrong tells of an entry that is foul and ended the table, or that is an attempt.
func (t *tracer) traceWrong(m replay.PlacedEntry, fault *table.Fault, status Status) {
	on := t.state
	if below := on.StateAfter(m.Entry.Parent()); below != nil { // a second message on one entry (52.10.2) was not owed at the head
		on = below
	}
	step := t.describeMessage(on, nil, m)
	step.Status, step.Check, step.Why = status, fault.Check, t.l.reasonText(t.voice, fault.Check, fault.Err)
	for i := range step.Proofs {
		step.Proofs[i].Outcome = t.judgeProof(m, fault, i)
	}
	t.steps = append(t.steps, step)
}

// judgeProof verifies a single proof of a message that is foul or an attempt. It does not judge
// proofs that the replay did not reach.
func (t *tracer) judgeProof(m replay.PlacedEntry, fault *table.Fault, slot int) verifier.Outcome {
	msg := m.Entry.Message
	if !fault.OnProofs() {
		return verifier.NotReached
	}
	list, err := t.state.Statements(table.Seat(msg.Seat), msg.Kind, msg.Body)
	if err != nil {
		return verifier.NotReached
	}
	b := t.state.Suite().NewBatch()
	c := t.state.Context(table.Seat(msg.Seat), msg.Kind).Slot(uint16(slot))
	if t.state.Suite().Verify(c, list[slot], msg.Proofs[slot], b) != nil || b.Check() != nil {
		return verifier.Failed
	}
	return verifier.Passed
}

// describeMessage puts into words a message that its seat signed for this place; after is nil if it
// was not applied.
func (t *tracer) describeMessage(before, after *table.State, m replay.PlacedEntry) Step {
	msg, seat := m.Entry.Message, table.Seat(m.Entry.Message.Seat)
	step := Step{Index: m.Index, Seat: &seat, Name: before.SeatName(seat), Kind: msg.Kind, Deal: before.DealsBegun()}
	step.Text = plain.Text(t.didText(before, after, seat, msg))
	step.Faces = t.turnedFaces(before, after, seat, msg)
	named := true
	for _, f := range step.Faces {
		step.Cards = append(step.Cards, t.voice.Face(f))
		named = named && strings.Contains(step.Text, t.voice.Face(f))
	}
	if !named {
		step.Text += ": " + strings.Join(step.Cards, ", ")
	}
	step.Proofs = t.proofsOf(before, seat, msg)
	return step
}

// didText returns what a message did, by the duty that it fulfils.
func (t *tracer) didText(before, after *table.State, seat table.Seat, msg *wire.Message) string {
	var duty table.Duty
	for _, d := range before.DutiesOf(seat) {
		if d.Kind == msg.Kind {
			duty = d
		}
	}
	switch msg.Kind {
	case table.Show, table.Permute:
		if len(duty.Cards) == 0 {
			return t.l.Say("did." + string(msg.Kind) + ".0")
		}
		return t.l.Count("did."+string(msg.Kind), len(duty.Cards))
	case table.Give:
		return t.l.Count("did.give", len(duty.Cards), "to", plain.Isolate(before.SeatName(duty.To[0])))
	case table.Move:
		move := msg.Move()
		if move == nil {
			return t.l.Say("did.unknown")
		}
		return t.voice.Text(t.voice.Game.Tell(scene.OnlookerPosition(before), scene.OnlookerPosition(after), seat, move)[0].What)
	case table.Disclose:
		var body wire.DiscloseBody
		if wire.DecodeBody(msg.Body, &body) == nil {
			return t.l.Count("did.disclose", len(body.Deals))
		}
	}
	return t.l.Say("did." + string(msg.Kind))
}

// turnedFaces returns the faces that a message turned up: of a move those in its terms, in their
// order, and of tokens those that they uncovered.
func (t *tracer) turnedFaces(before, after *table.State, seat table.Seat, msg *wire.Message) []string {
	var list []string
	if move := msg.Move(); move != nil {
		terms, _ := before.MoveTerms(seat, move)
		for _, shown := range terms.Open {
			list = append(list, before.FaceName(shown.Face))
		}
		return list
	}
	if after == nil || msg.Kind != table.Show {
		return nil
	}
	return uncoveredFaces(before, after)
}

// uncoveredFaces returns the faces that are open after and were not before.
func uncoveredFaces(before, after *table.State) (list []string) {
	if before.Deal() != after.Deal() {
		return nil
	}
	known, open := before.Faces(), after.Faces()
	for _, c := range slices.Sorted(maps.Keys(open)) {
		if _, old := known[c]; !old {
			list = append(list, after.FaceName(open[c]))
		}
	}
	return list
}

// checks are the checks of package table by relation.
var checks = map[string]table.Check{
	"ownership": table.CheckOwnership, "shuffle": table.CheckShuffle, "reveal": table.CheckReveal,
	"transfer": table.CheckTransfer, "condition": table.CheckCondition,
	"arrange": table.CheckArrange, "mint": table.CheckMint,
}

// proofsOf returns what each proof of a message proves. A message that is foul before its statements
// are known has none.
func (t *tracer) proofsOf(before *table.State, seat table.Seat, msg *wire.Message) []Proof {
	statements, err := before.Statements(seat, msg.Kind, msg.Body)
	if err != nil || len(statements) != len(msg.Proofs) {
		return nil
	}
	conditions := t.provenConditions(before, seat, msg)
	var list []Proof
	for slot, s := range statements {
		relation := proof.RelationName(s)
		p := Proof{Slot: slot, Check: checks[relation], Relation: relation, Bytes: len(msg.Proofs[slot]), Outcome: verifier.Passed}
		p.Text = t.statementText(s)
		if _, asks := before.AsksForProofs(); asks && relation == "shuffle" && msg.Kind != table.Answer {
			p.Text = t.l.Say("proves.asked")
		}
		if _, ok := s.(proof.Condition); ok {
			c := conditions[0]
			conditions = conditions[1:]
			p = t.addClaim(p, c)
		}
		list = append(list, p)
	}
	return list
}

// addClaim adds the claim of a condition, and why the game asks for it.
func (t *tracer) addClaim(p Proof, c table.Condition) Proof {
	said := t.voice.Game.Claim(c)
	p.Claim, p.short, p.group = said.ID, t.voice.Text(said.What), t.voice.Text(said.Group)
	if said.Why != nil {
		p.Why = t.voice.Text(*said.Why)
	}
	p.Text = t.l.Say("claim.clause", "group", p.group, "what", p.short)
	return p
}

// provenConditions returns the conditions of a move that have a proof, in the order of the proofs.
func (t *tracer) provenConditions(before *table.State, seat table.Seat, msg *wire.Message) []table.Condition {
	move := msg.Move()
	if move == nil {
		return nil
	}
	terms, _ := before.MoveTerms(seat, move)
	return slices.DeleteFunc(slices.Clone(terms.Prove), table.Condition.Trivial)
}

// statementText puts the statements of the kernel into words.
func (t *tracer) statementText(s proof.Statement) string {
	switch s := s.(type) {
	case proof.Shuffle:
		return t.l.Count("proves.shuffle", len(s.In))
	case proof.Reveal:
		return t.l.Count("proves.reveal", len(s.Cards))
	}
	return t.l.Say("proves." + proof.RelationName(s))
}
