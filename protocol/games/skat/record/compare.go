package record

import (
	"fmt"

	"github.com/pakli/pakli/protocol/games/skat/deck"
)

// compareResult holds the recorded result against the computed one.
func (r *replay) compareResult() {
	rec, out := r.deal.Recorded, r.out
	if rec == nil {
		return
	}
	if rec.Passed != (out.Verdict == PassedIn) {
		r.differ("SK-R-20", "passed in", yesOrNo(out.Verdict == PassedIn), yesOrNo(rec.Passed))
		return
	}
	if out.Verdict != Scored {
		return
	}
	d := r.state.Deal.Declarer
	if rec.Declarer != d {
		recorded := "nobody"
		if rec.Declarer >= 0 {
			recorded = r.deal.name(rec.Declarer)
		}
		r.differ("SK-R-18", "the declarer", r.deal.name(d), recorded)
		return
	}
	if r.told {
		r.number("SK-R-34", "the declarer's tricks", r.tricks, rec.Tricks)
		r.number("SK-R-02", "the declarer's card points", r.points, rec.Points)
	}
	if res := out.Result; res != nil {
		matadors := res.Matadors.N
		if !res.Matadors.With {
			matadors = -matadors
		}
		r.number("SK-R-38", "matadors", matadors, rec.Matadors)
		if res.Won != (rec.Outcome == "win") {
			r.differ(r.wonBy(), "won", yesOrNo(res.Won), rec.Outcome)
		}
		if res.Overbid != rec.Overbid {
			r.differ("SK-R-52", "overbid", yesOrNo(res.Overbid), yesOrNo(rec.Overbid))
		}
		r.number(r.scoreRule(), "the score", res.Score, rec.Value)
	}
}

func yesOrNo(b bool) string { return map[bool]string{false: "no", true: "yes"}[b] }

func (r *replay) number(rule, what string, computed, recorded int) {
	if computed != recorded && recorded != Unsaid {
		r.differ(rule, what, fmt.Sprint(computed), fmt.Sprint(recorded))
	}
}

func (r *replay) differ(rule, what, computed, recorded string) {
	r.out.Findings = append(r.out.Findings, Finding{rule, fmt.Sprintf("%s: %s by the rules, %s in the record", what, computed, recorded)})
}

// wonBy and scoreRule are the rules by which the deal was decided.
func (r *replay) wonBy() string {
	switch {
	case r.contract.Game == deck.Null:
		return "SK-R-50"
	case r.endedByWords():
		return r.scoreRule()
	case r.out.Result.Overbid:
		return "SK-R-52"
	}
	return "SK-R-49"
}

func (r *replay) scoreRule() string {
	switch d := r.state.Deal.Declarer; {
	case r.contract.Game == deck.Null:
		return "SK-R-48"
	case r.conceded[d]:
		return "SK-R-56"
	case r.endedByWords() && r.shown > 0:
		return "SK-R-59"
	case r.endedByWords():
		return "SK-R-58"
	case !r.out.Result.Won:
		return "SK-R-53"
	}
	return "SK-R-47"
}

// endedByWords tells whether words ended the deal.
func (r *replay) endedByWords() bool {
	d := r.state.Deal.Declarer
	return r.conceded[d] || r.conceded[(d+1)%players] && r.conceded[(d+2)%players]
}
