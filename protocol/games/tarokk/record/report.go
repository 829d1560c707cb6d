package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// Report is the result of scoring a record. Payments and balances are by member.
type Report struct {
	Verdict  Verdict      `json:"verdict"`
	Members  []string     `json:"members"`
	Deals    []ScoredDeal `json:"deals"` // those replayed to the end
	Broken   *Breach      `json:"broken,omitempty"`
	Missing  string       `json:"missing,omitempty"` // where the record stops
	Balances []int        `json:"balances"`          // including a pool that the end of the session shares
	Over     bool         `json:"over"`              // the session has ended
}

// Verdict is the outcome of a record.
type Verdict string

// The verdicts.
const (
	Complete   Verdict = "scored"
	Unfinished Verdict = "unfinished" // it stops before a deal is over
	Broken     Verdict = "broken"     // it breaks a rule
)

// ScoredDeal is a finished deal.
type ScoredDeal struct {
	Number     int           `json:"number"`
	Dealer     string        `json:"dealer"`
	How        string        `json:"how"` // played, trial lost, invit broken, passed, annulled
	Annulled   string        `json:"annulled,omitempty"`
	Declarer   string        `json:"declarer,omitempty"`
	Partner    string        `json:"partner,omitempty"` // empty: alone, or the deal was not played
	Level      string        `json:"level,omitempty"`
	Points     [2]int        `json:"points"`          // card points of the declarer's side and of the opponents
	Tricks     [2][]int      `json:"tricks,omitzero"` // by side, the numbers of the tricks it took
	Sheet      *tarokk.Sheet `json:"sheet,omitempty"`
	Extras     []Extra       `json:"extras,omitempty"` // payments besides the sheet
	Multiplier int           `json:"multiplier"`
	Payments   []int         `json:"payments"`
	Balances   []int         `json:"balances"`
	Mayor      string        `json:"mayor,omitempty"`  // the member who wears the hat after this deal (R-SEAT-7)
	Doubts     []Finding     `json:"doubts,omitempty"` // rules that cannot be checked, because the record does not tell enough
}

// Extra is a payment apart from the sheet: a count, a late claim, a fee.
type Extra struct {
	Rule   string `json:"rule"`
	Member string `json:"member"`
	Text   string `json:"text"`
}

// Finding is a rule, and the line of the text in which a player broke it or may have; then Text says
// what Member did. A finding without a seat is about a rule that nobody broke.
type Finding struct {
	Line   int    `json:"line"`
	Rule   string `json:"rule"`
	Seat   string `json:"seat,omitempty"`
	Member string `json:"member,omitempty"`
	Text   string `json:"text"`
}

// Breach is an error: a rule that was broken.
type Breach struct {
	Deal int `json:"deal"`
	Finding
}

// Error implements error.
func (b *Breach) Error() string {
	who := ""
	if b.Seat != "" {
		who = fmt.Sprintf("%s (%s): ", b.Member, b.Seat)
	}
	return fmt.Sprintf("deal %d, line %d: %s: %s%s", b.Deal, b.Line, b.Rule, who, b.Text)
}

// noteExtras keeps a move that costs or brings something besides the sheet.
func (r *replay) noteExtras(t turn) {
	add := func(rule, text string) {
		r.scored.Extras = append(r.scored.Extras, Extra{Rule: rule, Member: r.memberName(t.player), Text: text})
	}
	switch m := t.move; {
	case m.Say != nil:
		for _, s := range m.Say.Turn {
			if n, is := strings.CutPrefix(s, "count:"); is {
				add("R-CNT-2", n+" tarokks announced")
			}
		}
	case m.Claim != nil && *m.Claim:
		add("R-CNT-5", "tarokks claimed late")
	case m.Fee != nil && len(*m.Fee) > 0:
		add("OPT-TALON-HONOUR-FEE", strings.Join(*m.Fee, " ")+" from the talon")
	}
}

// settleDeal records a finished deal, and compares its payments with those that the record tells.
func (r *replay) settleDeal() error {
	s, ended := &r.scored, *r.last
	s.Number, s.Dealer, s.How, s.Annulled, s.Multiplier = ended.Number, r.memberAt(&ended.Dealer), ended.How, ended.Annulled, ended.Multiplier
	s.Declarer, s.Partner, s.Sheet, s.Payments = r.memberAt(ended.Declarer), r.memberAt(ended.Partner), ended.Sheet, ended.Payments
	if ended.Declarer != nil {
		s.Level = string([]tarokk.Call{tarokk.BidThree, tarokk.BidTwo, tarokk.BidOne, tarokk.BidSolo}[ended.Level])
	}
	if ended.Sheet != nil {
		s.Points = [2]int{ended.Points, tarokk.TotalPoints - ended.Points}
		s.Tricks = r.tricksTaken(ended)
	}
	s.Mayor = r.memberAt(r.state.Mayor)
	r.report.Deals = append(r.report.Deals, *s)
	r.report.takeBalance(r.state)
	if l := r.deal.findLine("result", Nobody); l != nil && !slices.Equal(l.Words, withSigns(ended.Payments)) {
		return r.newBreach(l.At, Nobody, payRule(ended), "the payments are %s, and not %s", strings.Join(withSigns(ended.Payments), ", "), strings.Join(l.Words, ", "))
	}
	return nil
}

// tricksTaken are the numbers of the tricks that each side took, the declarer's side first.
func (r *replay) tricksTaken(ended tarokk.SettledDeal) [2][]int {
	taken := [2][]int{{}, {}}
	for i, l := range r.deal.linesOf("trick") {
		winner, side := r.seats[(l.Seat+shared.TrickWinner(tarokk.TrickRules{}, l.Cards))%players], 1
		if winner == *ended.Declarer || ended.Partner != nil && winner == *ended.Partner {
			side = 0
		}
		taken[side] = append(taken[side], i+1)
	}
	return taken
}

// takeBalance takes the scores of a state into the report.
func (r *Report) takeBalance(s tarokk.State) {
	r.Verdict, r.Balances = Complete, slices.Clone(s.Scores)
	r.Deals[len(r.Deals)-1].Balances = r.Balances
}

func (n *namedDeal) memberAt(seat *table.Seat) string {
	if seat == nil {
		return ""
	}
	return n.members[*seat]
}

func payRule(ended tarokk.SettledDeal) string {
	switch {
	case ended.How == "trial lost":
		return "R-PAY-4"
	case ended.How != "played":
		return ends[ended.How].rule
	case ended.Partner == nil:
		return "R-PAY-2"
	}
	return "R-PAY-1"
}

func withSigns(numbers []int) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = fmt.Sprintf("%+d", n)
	}
	return list
}

// stopBefore records why the replay stopped.
func (r *Report) stopBefore(d *Deal, err error) {
	if errors.As(err, &r.Broken) {
		r.Verdict = Broken
		return
	}
	r.Verdict, r.Missing = Unfinished, fmt.Sprintf("deal %d stops before %v", d.Number, err)
}

// String is the report for people.
func (r *Report) String() string {
	var b strings.Builder
	for _, d := range r.Deals {
		d.writeText(&b, r.Members)
	}
	switch r.Verdict {
	case Broken:
		fmt.Fprintf(&b, "Broken. %v\n", r.Broken)
	case Unfinished:
		fmt.Fprintf(&b, "Unfinished. %s\n", r.Missing)
	default:
		fmt.Fprintf(&b, "Scored. %s\n", perMember(r.Members, r.Balances))
	}
	return b.String()
}

func perMember(members []string, numbers []int) string {
	list := make([]string, len(members))
	for i, name := range members {
		list[i] = fmt.Sprintf("%s %+d", name, numbers[i])
	}
	return strings.Join(list, ", ")
}

func (d *ScoredDeal) writeText(b *strings.Builder, members []string) {
	fmt.Fprintf(b, "deal %d  dealt by %s: %s\n", d.Number, d.Dealer, d.How)
	row := func(label, format string, args ...any) {
		fmt.Fprintf(b, "  %-9s %s\n", label, fmt.Sprintf(format, args...))
	}
	if d.Declarer != "" {
		row("declarer", "%s, %s", d.Declarer, d.Level)
	}
	if d.Sheet != nil {
		row("partner", "%s", cmp.Or(d.Partner, "none: the declarer is alone"))
		row("points", "%d : %d", d.Points[0], d.Points[1])
		numbers := strings.NewReplacer("] [", " : ", "[[", "(", "]]", ")").Replace(fmt.Sprint(d.Tricks))
		row("tricks", "%d : %d %s", len(d.Tricks[0]), len(d.Tricks[1]), numbers)
		for _, l := range d.Sheet.Lines {
			row(l.Rule, "%s %+d", lineText(l), declarerPoints(l))
		}
		row("R-SC-18", "together %+d", d.Sheet.V)
	}
	if d.Annulled != "" {
		row("R-ANN-1", "hand %s", d.Annulled)
	}
	for _, e := range d.Extras {
		row(e.Rule, "%s: %s", e.Member, e.Text)
	}
	if d.Multiplier > 1 {
		row("R-ROUND-2", "payments ×%d", d.Multiplier)
	}
	row("payments", "%s", perMember(members, d.Payments))
	row("balances", "%s", perMember(members, d.Balances))
	if d.Mayor != "" {
		row("R-SEAT-7", "%s wears the hat", d.Mayor)
	}
	for _, q := range d.Doubts {
		row(q.Rule, "cannot check, line %d: whether %s (%s) %s", q.Line, q.Member, q.Seat, q.Text)
	}
}

// declarerPoints are the points of an item for the declarer's side.
func declarerPoints(l tarokk.SheetLine) int {
	if l.For == tarokk.DeclarerSide {
		return l.Points
	}
	return -l.Points
}

// lineText is an item in words: "DEC double, announced, recontra, failed".
func lineText(l tarokk.SheetLine) string {
	text := "game"
	if l.Item != tarokk.TheGame {
		text = fmt.Sprintf("%s %s", l.Item.Side, l.Item.Figure)
	}
	if l.Announced {
		text += ", announced"
	}
	if l.Contra > 0 {
		text += ", " + ladder[l.Contra-1]
	}
	if l.Made {
		return text + ", made:"
	}
	return text + ", failed:"
}
