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
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// tracer replays a table and tells of each entry what it did.
type tracer struct {
	report    *verifier.Report // nil if the verdict is not known: then every proof is verified
	blob      replay.Blobs
	catalogue table.Catalogue
	times     table.Marks // if there is no report
	voice     words.Voice
	l         Language

	state *table.State
	batch proof.Batch  // of proofs that were verified before, never checked; otherwise nil
	fault *table.Fault // that ended the table
	steps []Step
	deals deals

	places map[wire.Hash]uint64 // of applied messages
}

// trace tells of all entries of the table.
func trace(r *verifier.Report, rec *Recording, c table.Catalogue, l Language) (*tracer, error) {
	t := &tracer{report: r, blob: rec.blob, catalogue: c, l: l, deals: deals{tricks: map[int][]Trick{}, headings: map[uint64]string{}}}
	for _, m := range rec.parsed() {
		if err := t.next(m); err != nil {
			return nil, fmt.Errorf("entry %d: %w", m.Index, err)
		}
	}
	if t.state == nil || (t.fault != nil) != (r.Verdict == verifier.Foul) {
		return nil, errors.New("the entries at hand are not those that were verified")
	}
	t.closeDeal(t.state, t.state)
	return t, nil
}

// marks are those that the verifier found in the log, or that who tells of a table reads.
func (t *tracer) marks() table.Marks {
	if t.report == nil {
		return t.times
	}
	return t.report.Marks
}

// next replays an entry, and tells what became of it. Of entries that were verified before
// only the one that was found to be foul is verified again.
func (t *tracer) next(m replay.Placed) error {
	batch, finding := t.batch, t.finding(m.Index)
	if finding != nil {
		batch = nil
	}
	s := replay.Judge(t.state, m, t.catalogue, batch, t.blob, t.marks())
	switch {
	case finding != nil && !confirms(s, finding):
		return fmt.Errorf("was found to fail %s, and now: %v", finding.Check, cmp.Or(s.Err, error(wrong(s))))
	case s.Err != nil:
		return s.Err
	case s.Early():
		t.void(m, "void.early", "")
	case s.Void():
		t.void(m, "void."+t.voided(s), s.Fault.Check)
	case wrong(s) != nil && t.report != nil && finding == nil:
		return wrong(s)
	case s.Foul():
		t.fault = s.Fault
		t.wrong(m, s.Fault, Foul)
	case s.Attempt():
		t.wrong(m, s.Fault, Attempt)
	case s.Before == nil:
		t.open(s)
	default:
		if t.report != nil && s.After.Deal() > s.Before.Deal() {
			t.closeDeal(s.Before, s.After)
		}
		if s.Entry.Act != nil {
			t.act(s)
			break
		}
		step := t.describe(s.Before, s.After, m)
		step.Status = Applied
		t.steps = append(t.steps, step)
		t.places[m.Entry.Hash] = m.Index
		if f := s.Blames(); f != nil {
			t.blames(f)
		}
	}
	t.state = s.After
	return nil
}

// finding is what was found to be wrong with an entry.
func (t *tracer) finding(index uint64) *verifier.Finding {
	if t.report == nil {
		return nil
	}
	list := t.report.Attempts
	if t.report.Verdict == verifier.Foul {
		list = slices.Concat(list, t.report.Findings)
	}
	if i := slices.IndexFunc(list, func(f verifier.Finding) bool { return f.Found() == index }); i >= 0 {
		return &list[i]
	}
	return nil
}

// confirms reports whether an entry fails what it was found to fail.
func confirms(s replay.Step, f *verifier.Finding) bool {
	fault := wrong(s)
	return fault != nil && fault.Class != table.Void && fault.Check == f.Check && fault.Seat == *f.Seat
}

// wrong is what is wrong with an entry, or with the one before that it has shown to be.
func wrong(s replay.Step) *table.Fault { return cmp.Or(s.Fault, s.Blames()) }

// blames tells of a foul that a disclosure, the last step, has shown: there, and at the entry
// that is wrong, of which a Teller has told before.
func (t *tracer) blames(f *table.Fault) {
	t.fault = f
	at, why := t.places[f.Entry], t.l.reason(t.voice, f.Check, f.Err)
	for i := range t.steps {
		if step := &t.steps[i]; step.Index == at {
			step.Status, step.Check, step.Why = Foul, f.Check, why
		}
	}
	last := &t.steps[len(t.steps)-1]
	last.Check, last.Shows, last.Text = f.Check, &at, t.l.Say("did.shows", "did", last.Text, "entry", at, "why", why)
}

// voided is the check that a void entry failed, and for what.
func (t *tracer) voided(s replay.Step) string {
	check := string(s.Fault.Check)
	switch {
	case s.Fault.Check == table.CheckOpen && t.state.Foul() == nil:
		return check + ".over"
	case s.Fault.Check == table.CheckSignature && s.Entry.Act != nil:
		return check + ".act"
	}
	return check
}

// act tells of an act that was applied.
func (t *tracer) act(s replay.Step) {
	a := s.Entry.Act
	seat, name := words.Actor(s.Before, a)
	step := Step{Index: s.Index, Seat: seat, Name: name, Kind: a.Kind, Status: Applied, Deal: s.Before.Begun()}
	step.Text = plain.Text(t.voice.Act(s.Before, s.After, a))
	for _, f := range uncovered(s.Before, s.After) {
		step.Faces, step.Cards = append(step.Faces, f), append(step.Cards, t.voice.Face(f))
	}
	if len(step.Cards) > 0 {
		step.Text += ": " + strings.Join(step.Cards, ", ")
	}
	t.steps = append(t.steps, step)
}

func (t *tracer) open(s replay.Step) {
	t.state, t.places = s.After, map[wire.Hash]uint64{}
	g := t.state.Genesis()
	if t.voice = t.l.voice(g.Game, t.state.SeatName); t.report != nil {
		t.batch = t.state.Suite().NewBatch()
	}
	var seats []string
	for seat := range table.Seat(t.state.Seats()) {
		seats = append(seats, Letter(seat)+" "+t.state.SeatName(seat))
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

func (t *tracer) void(m replay.Placed, reason string, c table.Check) {
	step := Step{Index: m.Index, Kind: Genesis, Status: Void, Check: c, Text: t.l.Say("did.again"), Why: t.l.Say(reason)}
	if msg := m.Entry.Message; msg != nil {
		// Who signed it is not known: the name on a void message may be anybody's.
		step.Kind, step.Text = msg.Kind, t.l.Say("did.void", "letter", Letter(table.Seat(msg.Seat)))
	}
	if a := m.Entry.Act; a != nil {
		name, _, _ := strings.Cut(a.By, "+")
		step.Kind, step.Text = a.Kind, plain.Text(t.l.Say("did.act", "name", name))
	}
	if t.state != nil {
		step.Deal = t.state.Begun()
	}
	t.steps = append(t.steps, step)
}

// wrong tells of an entry that is foul, and ended the table, or is an attempt.
func (t *tracer) wrong(m replay.Placed, fault *table.Fault, status Status) {
	on := t.state
	if below := on.On(m.Entry.Parent()); below != nil { // a second message on one entry (52.10.2) was not owed at the head
		on = below
	}
	step := t.describe(on, nil, m)
	step.Status, step.Check, step.Why = status, fault.Check, t.l.reason(t.voice, fault.Check, fault.Err)
	for i := range step.Proofs {
		step.Proofs[i].Outcome = t.judge(m, fault, i)
	}
	t.steps = append(t.steps, step)
}

// judge verifies one proof of a message that is foul or an attempt by itself. Proofs that
// the replay did not come to are not judged here either.
func (t *tracer) judge(m replay.Placed, fault *table.Fault, slot int) verifier.Outcome {
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

// describe puts a message into words that seat signed in its place; after is nil
// if it was not applied.
func (t *tracer) describe(before, after *table.State, m replay.Placed) Step {
	msg, seat := m.Entry.Message, table.Seat(m.Entry.Message.Seat)
	step := Step{Index: m.Index, Seat: &seat, Name: before.SeatName(seat), Kind: msg.Kind, Deal: before.Begun()}
	step.Text = plain.Text(t.did(before, after, seat, msg))
	step.Faces = t.turned(before, after, seat, msg)
	named := true
	for _, f := range step.Faces {
		step.Cards = append(step.Cards, t.voice.Face(f))
		named = named && strings.Contains(step.Text, t.voice.Face(f))
	}
	if !named {
		step.Text += ": " + strings.Join(step.Cards, ", ")
	}
	step.Proofs = t.proofs(before, seat, msg)
	return step
}

// did is what a message did, by the duty that it discharges.
func (t *tracer) did(before, after *table.State, seat table.Seat, msg *wire.Message) string {
	var duty table.Duty
	for _, d := range before.Owed(seat) {
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
		return t.l.Count("did.give", len(duty.Cards), "to", before.SeatName(duty.To[0]))
	case table.Move:
		move := msg.Move()
		if move == nil {
			return t.l.Say("did.unknown")
		}
		return t.voice.Text(t.voice.Game.Tell(scene.Outside(before), scene.Outside(after), seat, move)[0].What)
	case table.Disclose:
		var body wire.DiscloseBody
		if wire.DecodeBody(msg.Body, &body) == nil {
			return t.l.Count("did.disclose", len(body.Deals))
		}
	}
	return t.l.Say("did." + string(msg.Kind))
}

// turned are the faces that a message turned up: of a move by its terms, in their
// order, and of tokens those that they uncovered.
func (t *tracer) turned(before, after *table.State, seat table.Seat, msg *wire.Message) []string {
	var list []string
	if move := msg.Move(); move != nil {
		terms, _ := before.Terms(seat, move)
		for _, shown := range terms.Open {
			list = append(list, before.FaceName(shown.Face))
		}
		return list
	}
	if after == nil || msg.Kind != table.Show {
		return nil
	}
	return uncovered(before, after)
}

// uncovered are the faces that are open after and were not before.
func uncovered(before, after *table.State) (list []string) {
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

// checks of the relations, which are those of package table.
var checks = map[string]table.Check{
	"ownership": table.CheckOwnership, "shuffle": table.CheckShuffle, "reveal": table.CheckReveal,
	"transfer": table.CheckTransfer, "condition": table.CheckCondition,
	"arrange": table.CheckArrange, "mint": table.CheckMint,
}

// proofs says what each proof of a message proves. A message that is foul before
// its statements are known has none.
func (t *tracer) proofs(before *table.State, seat table.Seat, msg *wire.Message) []Proof {
	statements, err := before.Statements(seat, msg.Kind, msg.Body)
	if err != nil || len(statements) != len(msg.Proofs) {
		return nil
	}
	conditions := t.conditions(before, seat, msg)
	var list []Proof
	for slot, s := range statements {
		relation := proof.Relation(s)
		p := Proof{Slot: slot, Check: checks[relation], Relation: relation, Bytes: len(msg.Proofs[slot]), Outcome: verifier.Passed}
		p.Text = t.statement(s)
		if _, asks := before.Asks(); asks && relation == "shuffle" && msg.Kind != table.Answer {
			p.Text = t.l.Say("proves.asked")
		}
		if _, ok := s.(proof.Condition); ok {
			c := conditions[0]
			conditions = conditions[1:]
			p = t.claim(p, c)
		}
		list = append(list, p)
	}
	return list
}

// claim adds what a condition says, and why the game asks for it.
func (t *tracer) claim(p Proof, c table.Condition) Proof {
	said := t.voice.Game.Claim(c)
	p.Claim, p.short, p.group = said.ID, t.voice.Text(said.What), t.voice.Text(said.Group)
	if said.Why != nil {
		p.Why = t.voice.Text(*said.Why)
	}
	p.Text = t.l.Say("claim.clause", "group", p.group, "what", p.short)
	return p
}

// conditions are those of a move that have a proof, in the order of the proofs.
func (t *tracer) conditions(before *table.State, seat table.Seat, msg *wire.Message) []table.Condition {
	move := msg.Move()
	if move == nil {
		return nil
	}
	terms, _ := before.Terms(seat, move)
	return slices.DeleteFunc(slices.Clone(terms.Prove), table.Condition.Trivial)
}

// statement puts the statements of the kernel into words.
func (t *tracer) statement(s proof.Statement) string {
	switch s := s.(type) {
	case proof.Shuffle:
		return t.l.Count("proves.shuffle", len(s.In))
	case proof.Reveal:
		return t.l.Count("proves.reveal", len(s.Cards))
	}
	return t.l.Say("proves." + proof.Relation(s))
}
