package report

import (
	"errors"
	"slices"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

// Headline returns the verdict in a sentence or two from the verifier's report alone. Without the
// entries, which a [Document] has, it names a foul by its check and not by what was done.
func Headline(r *verifier.Report, l Language) string {
	switch r.Verdict {
	case verifier.Sound:
		return l.Say("sound", "payments", l.paymentsText(r.Seats, r.Result))
	case verifier.ForSeats:
		return l.Say("seats", "payments", l.paymentsText(r.Seats, r.Result))
	case verifier.Adjudicated:
		return l.Say("adjudicated", "payments", l.paymentsText(r.Seats, r.Result))
	case verifier.Unfinished:
		return l.waitingText(r)
	case verifier.Foul:
		f := r.Findings[0]
		return l.Say("foul.short", "seat", l.seatText(*f.Seat, f.Name), "letter", SeatLetter(*f.Seat), "entry", *f.Index,
			"reason", l.reasonText(l.voiceOf(r.Game, nil), f.Check, f.Err))
	}
	return l.Say("broken." + string(r.Findings[0].Check))
}

// blameSentence returns the sentence for a foul: who did what where, which rule that breaks, and how
// it shows. A proof that does not verify shows that nothing was proved, not that the opposite is
// true, and the sentence claims no more.
func (t *tracer) blameSentence() (string, error) {
	i := slices.IndexFunc(t.steps, func(s Step) bool { return s.Status == Foul })
	if i < 0 {
		return "", errors.New("the foul entry is not at hand")
	}
	step := t.steps[i]
	seat := []any{"seat", t.l.seatText(*step.Seat, step.Name), "letter", SeatLetter(*step.Seat), "did", step.Text, "entry", step.Index}
	if p := firstFailed(step.Proofs, t.fault.Check); p != nil && p.group != "" {
		that := t.l.Say("claim.that", "group", p.group, "what", p.short)
		return scene.AsSentence(t.l.Say("foul.claim", append(seat, "that", that, "what", t.l.Quote(p.short), "id", p.Claim)...)), nil
	}
	return scene.AsSentence(t.l.Say("foul", append(seat, "reason", step.Why)...)), nil
}

// brokenRule names the missing proof and the rule that asks for it. It returns nil for a rule that
// was broken openly, which blameSentence names.
func (t *tracer) brokenRule() (notes []string) {
	step := t.steps[slices.IndexFunc(t.steps, func(s Step) bool { return s.Status == Foul })]
	p := firstFailed(step.Proofs, t.fault.Check)
	if p == nil {
		return nil
	}
	what := p.Text
	if p.Claim != "" {
		what += " (" + p.Claim + ")"
	}
	if p.Why != "" {
		notes = append(notes, t.l.Say("foul.note.rule", "rule", p.Why))
	}
	return append(notes, t.l.Say("foul.note.proof", "what", what, "n", p.Slot+1, "of", len(step.Proofs), "entry", step.Index))
}

func firstFailed(list []Proof, c table.Check) *Proof {
	for i := range list {
		if list[i].Outcome == verifier.Failed && list[i].Check == c {
			return &list[i]
		}
	}
	return nil
}

// reasonText returns in words why a message is foul.
func (l Language) reasonText(v scene.Voice, c table.Check, err error) string {
	if c != table.CheckRules {
		return l.Say("foul." + string(c))
	}
	for _, rule := range scene.RulesIn(err.Error()) {
		if about := v.Text(v.Game.Rule(rule)); about != "" {
			return l.Say("foul.rule", "rule", rule, "about", about)
		}
	}
	return l.Say("foul." + string(c))
}
