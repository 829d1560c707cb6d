package record

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"

	"github.com/pakli/pakli/protocol/games/skat/value"
)

// Verdict is what a deal comes to.
type Verdict string

// Verdicts.
const (
	Scored     Verdict = "scored"
	PassedIn   Verdict = "passed in"
	BrokenOff  Verdict = "broken off" // somebody left, or ran out of time: no rule scores that
	Unfinished Verdict = "unfinished"
	Untold     Verdict = "untold"  // it is over, but the record does not tell the cards that its value needs
	Illegal    Verdict = "illegal" // a move breaks a rule
	Unreadable Verdict = "unreadable"
)

// Scoring is what became of a deal.
type Scoring struct {
	Line     int             `json:"line,omitempty"`
	ID       string          `json:"id,omitempty"`
	Verdict  Verdict         `json:"verdict"`
	Why      string          `json:"why,omitempty"` // of a game that is unfinished
	Declarer string          `json:"declarer,omitempty"`
	Bid      int             `json:"bid,omitempty"`
	Contract *value.Contract `json:"contract,omitempty"`
	Points   int             `json:"points"` // of the declarer, with the skat
	Tricks   int             `json:"tricks"`
	Result   *value.Result   `json:"result,omitempty"` // none: not scored, or the record tells too little
	Findings []Finding       `json:"findings,omitempty"`
	Customs  []string        `json:"customs,omitempty"` // rules from which the server departs as a matter of course

	deal *Deal
}

// Finding is where a record and the rules do not agree: a move that breaks a rule, or a
// number that is another one.
type Finding struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Score replays a deal.
func Score(d *Deal) *Scoring {
	r := &replay{deal: d, state: newTable(), out: &Scoring{ID: d.ID, deal: d}}
	r.takeUp()
	err := r.playMoves()
	if errors.Is(err, errUntold) {
		r.endUntold()
	}
	if broken, ok := errors.AsType[*breach](err); ok {
		r.out.Verdict, r.out.Result = Illegal, nil // the deal may have been over
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

// name is what a player is called.
func (d *Deal) name(p int) string {
	return cmp.Or(d.Players[p], [players]string{"forehand", "middlehand", "rearhand"}[p])
}

// breach is a move that breaks a rule.
type breach struct{ Finding }

func (b *breach) Error() string { return b.Rule + ": " + b.Text }

// errUntold is a card that the record does not name: no fault, but nothing more can
// be said.
var errUntold = errors.New("the record does not name the card")

// newBreach is a breach by the move under way.
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
