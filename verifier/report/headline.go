package report

import (
	"errors"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

// blame is the sentence for a foul: who did what where, which rule that breaks,
// and how it shows. A proof that does not verify shows that nothing was proved,
// not that the opposite is true; the sentence says no more than that.
func (t *tracer) blame() (string, error) {
	i := slices.IndexFunc(t.steps, func(s Step) bool { return s.Status == Foul })
	if i < 0 {
		return "", errors.New("report: the foul entry is not at hand")
	}
	step := t.steps[i]
	seat := []any{"seat", t.l.seat(*step.Seat, step.Name), "letter", letter(*step.Seat), "az", article(letter(*step.Seat)),
		"did", step.Text, "entry", step.Index}
	if p := failed(step.Proofs, t.fault.Check); p != nil && p.group != "" {
		that := t.l.say("claim.that", "group", p.group, "what", p.short)
		return sentence(t.l.say("foul.claim", append(seat, "that", that, "what", t.l.quote(p.short), "id", p.Claim)...)), nil
	}
	return sentence(t.l.say("foul", append(seat, "reason", step.Why)...)), nil
}

// failed is the first proof that failed by a check.
func failed(list []Proof, c table.Check) *Proof {
	for i := range list {
		if list[i].Outcome == verifier.Failed && list[i].Check == c {
			return &list[i]
		}
	}
	return nil
}

// ruleNumber finds the number of a rule at the head of an error of the rules.
var ruleNumber = regexp.MustCompile(`\b(R-[A-Z]+-[0-9]+|OPT-[A-Z]+(-[A-Z0-9]+)*|SP-[SC][0-9]+)\b`)

// reason says in words why a message is foul.
func (t *tracer) reason() string {
	if t.fault.Check != table.CheckRules {
		return t.l.say("foul." + string(t.fault.Check))
	}
	rule := ruleNumber.FindString(t.fault.Err.Error())
	about := t.game.Rule(t.l, rule)
	if rule == "" || about == "" {
		return t.l.say("foul." + string(t.fault.Check))
	}
	return t.l.say("foul.rule", "rule", rule, "about", about)
}

// article is the Hungarian one before a letter as it is spoken.
func article(letter string) string {
	if slices.Contains([]string{"A", "E", "F", "I", "L", "M", "N", "O"}, letter) {
		return "az"
	}
	return "a"
}

// sentence begins with a capital letter.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
