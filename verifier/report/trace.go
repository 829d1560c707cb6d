package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// tracer replays a table and tells of each entry what it did.
type tracer struct {
	report *verifier.Report // nil if the verdict is not known: then every proof is verified
	blob   func(wire.Blob) ([]byte, error)
	voice  words.Voice
	l      Language

	state *table.State
	batch proof.Batch  // of proofs that were verified before, never checked; otherwise nil
	fault *table.Fault // that ended the table
	steps []Step
}

// trace tells of all entries of the table.
func trace(r *verifier.Report, rec *Recording, c table.Catalogue, l Language) (*tracer, error) {
	t := &tracer{report: r, blob: rec.blob, l: l}
	for _, m := range rec.parsed() {
		var err error
		switch {
		case t.state == nil && m.entry.Hash == r.Table:
			err = t.open(m, c)
		case t.state == nil:
			t.void(m, "void.early", "")
		default:
			err = t.next(m)
		}
		if err != nil {
			return nil, fmt.Errorf("report: entry %d: %w", m.index, err)
		}
	}
	if t.state == nil || (t.fault != nil) != (r.Verdict == verifier.Foul) {
		return nil, errors.New("report: the entries at hand are not those that were verified")
	}
	return t, nil
}

func (t *tracer) open(m logged, c table.Catalogue) (err error) {
	if t.state, err = table.Open(m.entry, c); err != nil {
		return err
	}
	g := t.state.Genesis()
	if t.voice = t.l.voice(g.Game, t.state.SeatName); t.report != nil {
		t.batch = t.state.Suite().NewBatch()
	}
	var seats []string
	for seat := range table.Seat(t.state.Seats()) {
		seats = append(seats, letter(seat)+" "+t.state.SeatName(seat))
	}
	text := t.l.Say("did.open", "game", g.Game, "suite", g.Suite, "seats", strings.Join(seats, ", "), "deals", g.Deals)
	if len(g.Options) > 0 {
		var options []string
		for _, name := range slices.Sorted(maps.Keys(g.Options)) {
			options = append(options, name+"="+g.Options[name])
		}
		text += " " + t.l.Say("did.open.options", "options", strings.Join(options, ", "))
	}
	t.steps = append(t.steps, Step{Index: m.index, Kind: Genesis, Status: Applied, Text: plain.Text(text)})
	return nil
}

// next replays one entry after the genesis entry.
func (t *tracer) next(m logged) error {
	if t.report != nil && t.report.Verdict == verifier.Foul && m.index == *t.report.Findings[0].Index {
		return t.refuted(m)
	}
	before := t.state
	after, err := before.Resolve(m.entry, t.batch, t.blob)
	fault := new(table.Fault)
	switch {
	case errors.As(err, &fault) && fault.Class == table.Void:
		t.void(m, "void."+string(fault.Check), fault.Check)
		return nil
	case errors.As(err, &fault) && t.report == nil:
		t.foul(m, fault)
		return nil
	case err != nil:
		return err
	}
	t.state = after
	step := t.describe(before, after, m)
	step.Status = Applied
	t.steps = append(t.steps, step)
	return nil
}

func (t *tracer) void(m logged, reason string, c table.Check) {
	step := Step{Index: m.index, Kind: Genesis, Status: Void, Check: c, Text: t.l.Say("did.again"), Why: t.l.Say(reason)}
	if msg := m.entry.Message; msg != nil {
		// Who signed it is not known: the name on a void message may be anybody's.
		step.Kind, step.Text = msg.Kind, t.l.Say("did.void", "letter", letter(table.Seat(msg.Seat)))
	}
	if t.state != nil {
		step.Deal = t.state.Deal()
	}
	t.steps = append(t.steps, step)
}

// refuted tells of the entry that was found to be foul.
func (t *tracer) refuted(m logged) error {
	_, err := t.state.Resolve(m.entry, nil, t.blob)
	finding, fault := t.report.Findings[0], new(table.Fault)
	if !errors.As(err, &fault) || fault.Class != table.Foul || fault.Check != finding.Check || fault.Seat != *finding.Seat {
		return fmt.Errorf("was found to fail %s, and now: %v", finding.Check, err)
	}
	t.foul(m, fault)
	return nil
}

// foul tells of an entry that is foul, and ends the table.
func (t *tracer) foul(m logged, fault *table.Fault) {
	t.fault = fault
	step := t.describe(t.state, nil, m)
	step.Status, step.Check, step.Why = Foul, fault.Check, t.l.reason(t.voice, fault.Check, fault.Err)
	for i := range step.Proofs {
		step.Proofs[i].Outcome = t.judge(m, i)
	}
	t.steps = append(t.steps, step)
	t.state = t.state.End(fault)
}

// judge verifies one proof of the foul message by itself. Proofs that the replay
// did not come to are not judged here either.
func (t *tracer) judge(m logged, slot int) verifier.Outcome {
	msg := m.entry.Message
	if !t.fault.OnProofs() {
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
func (t *tracer) describe(before, after *table.State, m logged) Step {
	msg, seat := m.entry.Message, table.Seat(m.entry.Message.Seat)
	step := Step{Index: m.index, Seat: &seat, Name: before.SeatName(seat), Kind: msg.Kind, Deal: before.Deal()}
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
		move, ok := moveOf(msg)
		if !ok {
			return t.l.Say("did.unknown")
		}
		return t.voice.Text(t.voice.Game.Tell(scene.Outside(before), scene.Outside(after), seat, move)[0].What)
	}
	return t.l.Say("did." + string(msg.Kind))
}

func moveOf(msg *wire.Message) ([]byte, bool) {
	var body wire.MoveBody
	if msg.Kind != table.Move || wire.DecodeBody(msg.Body, &body) != nil {
		return nil, false
	}
	return body.Move, true
}

// turned are the faces that a message turned up: of a move by its terms, in their
// order, and of tokens those that they uncovered.
func (t *tracer) turned(before, after *table.State, seat table.Seat, msg *wire.Message) []string {
	var list []string
	if move, ok := moveOf(msg); ok {
		terms, _ := before.Terms(seat, move)
		for _, shown := range terms.Open {
			list = append(list, before.FaceName(shown.Face))
		}
		return list
	}
	if after == nil || msg.Kind != table.Show {
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
	move, ok := moveOf(msg)
	if !ok {
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
