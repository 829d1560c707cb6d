package record

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/trick"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
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

// replay is a deal under way, as far as the record tells its cards.
type replay struct {
	deal     *Deal
	next     int // of the moves
	auction  auction.State
	hands    [players]card.Set
	unknown  [players]int // cards in hand that the record does not name
	dealt    [players]card.Set
	aside    []deck.Face // skat, or discards
	contract *value.Contract
	took     bool
	lie      []deck.Face
	leader   int
	points   [players]int
	tricks   [players]int
	conceded [players]bool
	shown    int // cards that may be played before what the declarer has shown is no claim any more
	out      *Scoring
}

// Score replays a deal.
func Score(d *Deal) *Scoring {
	r := &replay{deal: d, auction: auction.New(), out: &Scoring{ID: d.ID, deal: d}}
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
	r.out.Contract, r.out.Bid = r.contract, r.auction.Last
	if p := r.auction.Declarer; p >= 0 {
		r.out.Declarer = d.name(p)
		r.out.Points, r.out.Tricks = r.points[p], r.tricks[p]
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

// takeUp gives everybody what the record names, and besides what he plays or shows
// later where the deal has a card that it does not name.
func (r *replay) takeUp() {
	var named card.Set
	for i, f := range r.deal.Cards {
		switch p := i / handSize; {
		case p >= players:
			r.aside = append(r.aside, f)
		case f == Unknown:
			r.unknown[p]++
		default:
			r.hands[p] = r.hands[p].AddFace(card.Face(f))
		}
		if f != Unknown {
			named = named.AddFace(card.Face(f))
		}
	}
	for _, m := range r.deal.Moves {
		if m.Who < 0 || m.Verb != Play && m.Verb != Show {
			continue
		}
		for _, f := range m.Cards {
			if f != Unknown && !named.Has(card.Face(f)) && r.unknown[m.Who] > 0 {
				r.hands[m.Who], named = r.hands[m.Who].AddFace(card.Face(f)), named.AddFace(card.Face(f))
				r.unknown[m.Who]--
			}
		}
	}
	r.dealt = r.hands
}

// playMoves goes through the moves to the end of the deal, and says how it ended.
func (r *replay) playMoves() error {
	for ; r.next < len(r.deal.Moves); r.next++ {
		m := r.deal.Moves[r.next]
		if r.out.Verdict != "" {
			if m.Verb == Concede || m.Verb == Show || m.Verb == Timeout || m.Verb == Leave {
				continue // it crossed the end of the deal on its way to the server
			}
			return r.newBreach("SK-R-36", "the deal was over")
		}
		if err := r.playMove(m); err != nil {
			return err
		}
	}
	if r.out.Verdict == "" {
		r.stopShort()
	}
	return nil
}

func (r *replay) playMove(m Move) error {
	switch {
	case m.Verb == Timeout || m.Verb == Leave:
		r.out.Verdict = BrokenOff
		return nil
	case r.auction.Phase != auction.Over:
		return r.call(m)
	case r.contract == nil || m.Verb == Discard:
		return r.playExchange(m)
	case m.Verb == Concede:
		return r.concede(m)
	case m.Verb == Show:
		return r.show(m)
	case m.Verb == Play:
		return r.playCard(m)
	}
	return r.newBreach("SK-R-32", "cards are being played")
}

func (r *replay) call(m Move) (err error) {
	c, is := map[Verb]auction.Call{Bid: auction.Call(m.Number), Yes: auction.Yes, Pass: auction.Pass}[m.Verb]
	switch {
	case !is:
		return r.newBreach("SK-R-15", "the auction is not over")
	case m.Who != r.auction.Turn:
		return r.newBreach("SK-R-15", "it is the turn of %s", r.deal.name(r.auction.Turn))
	}
	if r.auction, err = r.auction.AfterCall(c); err != nil {
		return r.breachOf(err)
	}
	if r.auction.PassedIn() {
		r.out.Verdict = PassedIn
	}
	return nil
}

// playExchange is the skat, the discards and the announcement.
func (r *replay) playExchange(m Move) error {
	d := r.auction.Declarer
	switch {
	case m.Verb == Skat && r.took && m.Who == World:
		return r.checkSkat(m)
	case m.Who != d:
		return r.newBreach("SK-R-24", "%s is the declarer", r.deal.name(d))
	case m.Verb == Take && !r.took:
		r.took = true
		return nil
	case m.Verb == Announce && r.contract == nil:
		return r.announce(m)
	case m.Verb == Discard && r.took && r.contract != nil && r.needsDiscard():
		return r.discard(m.Cards)
	}
	return r.newBreach("SK-R-27", "the announcement is awaited")
}

// checkSkat holds the skat that a declarer was shown against the deal.
func (r *replay) checkSkat(m Move) error {
	for i, f := range m.Cards {
		switch {
		case r.aside[i] == Unknown:
			r.aside[i] = f
		case f != Unknown && !slices.Contains(r.aside, f):
			return r.newBreach("SK-R-25", "the skat is %v and %v", r.aside[0], r.aside[1])
		}
	}
	return nil
}

func (r *replay) announce(m Move) error {
	c := value.Contract{Game: m.Game, Hand: m.Hand, Ann: m.Level, Ouvert: m.Ouvert}
	null := c.Game == deck.Null
	switch {
	case c.Hand == r.took, null && c.Ann > 0, !null && !c.Hand && (c.Ann > 0 || c.Ouvert):
		return r.newBreach("SK-R-28", "no such addition is open to him")
	case null && c.OfNull() < r.auction.Last:
		return r.newBreach("SK-R-29", "this null is worth %d, and the bid is %d", c.OfNull(), r.auction.Last)
	}
	r.contract = &c
	if d := r.auction.Declarer; r.took {
		for _, f := range r.aside {
			if f == Unknown {
				r.unknown[d]++
			} else {
				r.hands[d] = r.hands[d].AddFace(card.Face(f))
			}
		}
		r.dealt[d] = r.hands[d]
		r.aside = nil
	} else {
		for _, f := range r.aside {
			if f != Unknown {
				r.dealt[d] = r.dealt[d].AddFace(card.Face(f))
			}
		}
	}
	if n := len(m.Cards); r.took && n > 0 {
		return r.discard(m.Cards)
	}
	return nil
}

// needsDiscard tells whether the declarer has more cards than the others.
func (r *replay) needsDiscard() bool { return r.took && r.contract != nil && r.aside == nil }

// discard lays two cards aside; what stands behind them lies open on the table.
func (r *replay) discard(cards []deck.Face) error {
	if len(cards) != skatSize && len(cards) != skatSize+handSize {
		return r.newBreach("SK-R-25", "two cards are laid aside, not %d", len(cards))
	}
	for i, f := range cards[:skatSize] {
		if i > 0 && f != Unknown && f == cards[0] {
			return r.newBreach("SK-R-25", "%v is laid aside twice", f)
		}
		if err := r.layDown(r.auction.Declarer, f, "SK-R-25"); err != nil {
			return err
		}
	}
	r.aside = slices.Clone(cards[:skatSize])
	return nil
}

// layDown takes a card out of a hand.
func (r *replay) layDown(p int, f deck.Face, rule string) error {
	one := card.SetOf(card.Face(f))
	switch {
	case f != Unknown && r.hands[p].Has(card.Face(f)):
		r.hands[p] = r.hands[p].Minus(one)
	case r.unknown[p] > 0:
		r.unknown[p]--
		if f != Unknown {
			r.dealt[p] = r.dealt[p].Union(one)
		}
	default:
		return r.newBreach(rule, "%s does not hold it", r.deal.name(p))
	}
	return nil
}

func (r *replay) playCard(m Move) error {
	p, f := (r.leader+len(r.lie))%players, m.Cards[0]
	switch {
	case r.needsDiscard():
		return r.newBreach("SK-R-25", "nothing was laid aside")
	case m.Who != p:
		return r.newBreach("SK-R-32", "it is the turn of %s", r.deal.name(p))
	case f == Unknown:
		return errUntold
	}
	may := trick.PlayableCards(r.contract.Game, r.lie, r.hands[p])
	held := r.hands[p].Has(card.Face(f))
	if err := r.layDown(p, f, "SK-R-35"); err != nil {
		return err
	}
	if g := r.contract.Game; len(r.lie) > 0 && (held && !may.Has(card.Face(f)) || !held && g.Class(card.Face(f)) != g.Class(card.Face(r.lie[0])) && may != r.hands[p]) {
		return r.newBreach("SK-R-33", "%v was led, and %s can follow", r.lie[0], r.deal.name(p))
	}
	r.lie = append(r.lie, f)
	if r.shown--; p != r.auction.Declarer {
		r.shown = 0
	}
	if len(r.lie) == players {
		r.gather()
	}
	return nil
}

// gather gives a trick to who takes it, and ends a deal that is played out.
func (r *replay) gather() {
	g := r.contract.Game
	p := (r.leader + trick.Winner(g, r.lie)) % players
	r.points[p] += trick.Points(g, r.lie)
	r.tricks[p]++
	r.leader, r.lie = p, nil
	d := r.auction.Declarer
	if r.tricks[0]+r.tricks[1]+r.tricks[2] == handSize || g == deck.Null && p == d {
		r.playedOut()
	}
}

// playedOut scores a game that was played to its end.
func (r *replay) playedOut() {
	d := r.auction.Declarer
	r.out.Verdict = Scored
	complete := r.countSkat()
	if r.contract.Game == deck.Null {
		r.result(r.contract.PlayedResult(r.bid(), value.Matadors{}, r.points[d], r.tricks[d]))
		return
	}
	if m, known := r.matadors(); known && complete {
		r.result(r.contract.PlayedResult(r.bid(), m, r.points[d], r.tricks[d]))
	}
}

func (r *replay) bid() int { return r.auction.Last }

func (r *replay) result(res value.Result) { r.out.Result = &res }

// countSkat adds the points of the two cards aside to those of the declarer, if they
// are known: by name, or since all others are.
func (r *replay) countSkat() bool {
	if slices.Contains(r.aside, Unknown) || len(r.aside) != skatSize {
		var seen card.Set
		for _, m := range r.deal.Moves {
			if m.Verb == Play {
				seen = seen.AddFace(card.Face(m.Cards[0]))
			}
		}
		rest := deck.Faces(deck.All.Minus(seen))
		if len(rest) != skatSize {
			return false
		}
		r.aside = rest
		d := r.auction.Declarer
		r.dealt[d] = r.dealt[d].Union(deck.SetOf(rest...))
	}
	r.points[r.auction.Declarer] += deck.PointsOf(deck.SetOf(r.aside...))
	return true
}

// matadors are those of the declarer's twelve, if the record tells them. A run is
// known as far as the first trump that it names.
func (r *replay) matadors() (value.Matadors, bool) {
	d := r.auction.Declarer
	if r.contract.Game == deck.Null {
		return value.Matadors{}, true
	}
	return value.CountMatadors(r.contract.Game, r.dealt[d]), r.dealt[d].Len() == handSize+skatSize
}

// concede is SK-R-55 to SK-R-58. On the server the declarer asks nobody, and two
// defenders end the game one after the other.
func (r *replay) concede(m Move) error {
	d := r.auction.Declarer
	if m.Who == World || r.conceded[m.Who] {
		return r.newBreach("SK-R-55", "nobody can concede twice")
	}
	r.conceded[m.Who] = true
	if m.Who == d {
		agreed := r.conceded[(d+1)%players] || r.conceded[(d+2)%players]
		if left := r.hands[d].Len() + r.unknown[d]; left < 9 && !agreed {
			r.custom("SK-R-55")
		}
		r.scoreEarly(func(mat value.Matadors) value.Result { return r.contract.ConcededResult(r.bid(), mat) })
		return nil
	}
	if !r.conceded[(d+1)%players] || !r.conceded[(d+2)%players] {
		return nil
	}
	defence := r.defence()
	level, claimed := r.claimedLevel(defence)
	r.scoreEarly(func(mat value.Matadors) value.Result {
		if claimed {
			return r.contract.ClaimedResult(r.bid(), mat, level)
		}
		return r.contract.GivenUpResult(r.bid(), mat, defence)
	})
	if r.contract.Game != deck.Null {
		r.points[d], r.tricks[d] = deck.TotalPoints-defence.Points, handSize-defence.Tricks
	}
	return nil
}

func (r *replay) custom(rule string) {
	if !slices.Contains(r.out.Customs, rule) {
		r.out.Customs = append(r.out.Customs, rule)
	}
}

// defence is what the defenders have so far.
func (r *replay) defence() value.Defence {
	a, b := (r.auction.Declarer+1)%players, (r.auction.Declarer+2)%players
	return value.Defence{Points: r.points[a] + r.points[b], Tricks: r.tricks[a] + r.tricks[b]}
}

// scoreEarly scores a deal that words ended.
func (r *replay) scoreEarly(by func(value.Matadors) value.Result) {
	r.out.Verdict = Scored
	r.countSkat()
	if mat, known := r.matadors(); known {
		r.result(by(mat))
	}
}

// claimedLevel is the level of a claim that both defenders have accepted (SK-R-59): the declarer
// laid his cards open, and only he has played after it, one card at most. The server's record has no
// word for the level; its result says which it was.
func (r *replay) claimedLevel(d value.Defence) (level int, is bool) {
	if r.shown <= 0 || r.contract.Game == deck.Null {
		return 0, r.shown > 0
	}
	level = r.contract.Ann
	if rec := r.deal.Recorded; rec != nil {
		for l, told := range []bool{false, rec.Schneider, rec.Schwarz} {
			if told {
				level = max(level, l)
			}
		}
	}
	return level, !d.Excludes(level)
}

// show is a declarer who lays his cards open.
func (r *replay) show(m Move) error {
	d := r.auction.Declarer
	if m.Who != d {
		return r.newBreach("SK-R-61", "only the declarer claims")
	}
	for _, f := range m.Cards {
		if f != Unknown && !r.hands[d].Has(card.Face(f)) && r.unknown[d] == 0 {
			return r.newBreach("SK-R-59", "he does not hold %v", f)
		}
	}
	r.shown = 2 // he plays one card on, where the server asks him to
	return nil
}

// endUntold is a record that does not name a card which was played: what is to tell of the rest is
// whether somebody broke it off.
func (r *replay) endUntold() {
	r.out.Verdict = Unfinished
	r.out.Why = fmt.Sprintf("move %d is a card that the record does not name", r.next+1)
	for _, m := range r.deal.Moves[r.next:] {
		if m.Verb == Timeout || m.Verb == Leave {
			r.out.Verdict, r.out.Why = BrokenOff, ""
		}
	}
}

// stopShort is a record that ends before the deal does. The server ends a game as soon as
// what was announced cannot be reached any more.
func (r *replay) stopShort() {
	r.next = max(0, len(r.deal.Moves)-1)
	if r.contract != nil && r.contract.Game != deck.Null && r.contract.Ann > value.Normal && len(r.lie) == 0 && r.defence().Excludes(r.contract.Ann) {
		r.custom("SK-R-36")
		r.scoreEarly(func(mat value.Matadors) value.Result { return r.contract.ConcededResult(r.bid(), mat) })
		return
	}
	r.out.Verdict, r.out.Why = Unfinished, "the record stops before the deal does"
}
