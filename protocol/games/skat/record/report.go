package record

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"

	"github.com/pakli/pakli/protocol/games/skat"
)

// Verdict is the outcome of replaying a deal.
type Verdict string

// The verdicts.
const (
	Scored     Verdict = "scored"
	PassedIn   Verdict = "passed in"
	BrokenOff  Verdict = "broken off" // somebody left or ran out of time: no rule scores that
	Unfinished Verdict = "unfinished"
	Untold     Verdict = "untold"  // it is over, but the record does not tell the cards that its value needs
	Illegal    Verdict = "illegal" // a move breaks a rule
	Unreadable Verdict = "unreadable"
)

// Scoring is the report on a deal.
type Scoring struct {
	Line     int              `json:"line,omitempty"`
	ID       string           `json:"id,omitempty"`
	Verdict  Verdict          `json:"verdict"`
	Why      string           `json:"why,omitempty"` // why a game is unfinished
	Declarer string           `json:"declarer,omitempty"`
	Bid      int              `json:"bid,omitempty"`
	Contract *skat.Contract   `json:"contract,omitempty"`
	Points   int              `json:"points"` // card points of the declarer, with the skat
	Tricks   int              `json:"tricks"`
	Result   *skat.GameResult `json:"result,omitempty"` // nil if it was not scored, or if the record tells too little
	Findings []Finding        `json:"findings,omitempty"`
	Customs  []string         `json:"customs,omitempty"` // rules from which the server regularly departs

	deal *Deal
}

// Finding is a disagreement between a record and the rules: a move that breaks a rule, or a number that
// should be another one.
type Finding struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Score replays a deal and reports on it.
func Score(d *Deal) *Scoring {
	r := &replay{deal: d, state: newTable(), out: &Scoring{ID: d.ID, deal: d}}
	r.takeUp()
	err := r.playMoves()
	if errors.Is(err, errUntold) {
		r.endUntold()
	}
	if broken, ok := errors.AsType[*breach](err); ok {
		r.out.Verdict, r.out.Result = Illegal, nil // the deal may have been over before
		r.out.Findings = append(r.out.Findings, broken.Finding)
		return r.out
	}
	r.out.Contract, r.out.Bid = r.contract, r.state.Deal.Auction.Last
	if p := r.state.Deal.Declarer; p >= 0 {
		if r.out.Verdict != Scored {
			r.countTricks()
		}
		r.out.Declarer, r.out.Points, r.out.Tricks = d.name(p), r.points, r.tricks
	}
	if r.compareResult(); r.out.Verdict == Scored && r.out.Result == nil {
		r.out.Verdict = Untold
	}
	return r.out
}

// name is how a player is called in reports.
func (d *Deal) name(p int) string {
	return cmp.Or(d.Players[p], [players]string{"forehand", "middlehand", "rearhand"}[p])
}

// breach is an error: a move that breaks a rule.
type breach struct{ Finding }

func (b *breach) Error() string { return b.Rule + ": " + b.Text }

// errUntold is a card that the record does not name. That is no fault, but the replay ends there.
var errUntold = errors.New("the record does not name the card")

// newBreach is a breach by the present move.
func (r *replay) newBreach(rule, format string, args ...any) error {
	return &breach{Finding{rule, fmt.Sprintf("move %d, %s: ", r.next+1, r.deal.Moves[r.next].inWords(r.deal)) + fmt.Sprintf(format, args...)}}
}

var ruleOf = regexp.MustCompile(`^(SK-R-\d+): (.*)$`)

// breachOf is a breach of the rule that an error names.
func (r *replay) breachOf(err error) error {
	if m := ruleOf.FindStringSubmatch(err.Error()); m != nil {
		return r.newBreach(m[1], "%s", m[2])
	}
	return r.newBreach("SK-R-21", "%v", err)
}

// compareResult compares the recorded result with the computed one.
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

// wonBy and scoreRule are the rules that decided the deal.
func (r *replay) wonBy() string {
	switch {
	case r.contract.Game == skat.Null:
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
	case r.contract.Game == skat.Null:
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

func (r *replay) endedByWords() bool {
	d := r.state.Deal.Declarer
	return r.conceded[d] || r.conceded[(d+1)%players] && r.conceded[(d+2)%players]
}
