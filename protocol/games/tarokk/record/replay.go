package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// awaitedPart is an error: the part of a deal before which the record stops.
type awaitedPart string

func (w awaitedPart) Error() string { return string(w) }

// replay replays deals, and sees all the cards that the record tells.
type replay struct {
	session *Session
	rules   tarokk.Rules
	state   tarokk.State
	report  *Report
	last    *tarokk.SettledDeal // the previous deal, nil before the first has ended; state keeps only the deal under way
	dealUnderway
}

// dealUnderway is the deal that is being replayed.
type dealUnderway struct {
	namedDeal
	know       holdings
	faces      map[table.Card]card.Face // by place of this deal, once hands are permuted
	permuted   bool
	bids, says int             // number of those of the record that were made
	used       map[string]bool // lines by key and seat
	scored     ScoredDeal
}

// Score replays a record that [Parse] has accepted. An error means that the rules refuse such a table.
func Score(s *Session) (*Report, error) {
	c := s.tableConfig()
	c.Options["seat-draw"] = "false" // members are listed as they sit
	if c.Deals == 0 {
		c.Deals = math.MaxInt32
	}
	r := &replay{session: s, report: &Report{Members: s.Members, Balances: make([]int, len(s.Members))}}
	var err error
	if r.state, _, err = r.rules.Setup(c); err != nil {
		return nil, err
	}
	for i := range s.Deals {
		if err := r.playDeal(&s.Deals[i], i+1 == len(s.Deals)); err != nil {
			r.report.stopBefore(&s.Deals[i], err)
			break
		}
	}
	r.report.Over = r.state.Stage == tarokk.Over
	return r.report, nil
}

func (r *replay) playDeal(d *Deal, last bool) error {
	r.dealUnderway = dealUnderway{namedDeal: namedDeal{deal: d, members: r.session.Members, redLow: r.session.redLow()}, faces: map[table.Card]card.Face{}, used: map[string]bool{}}
	if err := r.beginDeal(); err != nil {
		return err
	}
	r.know = holdings{namedDeal: r.namedDeal, rules: r.state.Rules}
	r.know.deduceHands()
	r.state.Past = nil // otherwise every deal would copy all of them
	for len(r.state.Past) == 0 {
		if err := r.takeStep(); err != nil {
			return err
		}
	}
	r.last = &r.state.Past[0]
	if err := r.checkUnused(keywordOrder("between"), r.last.How); err != nil { // told of a deal after it was over
		return err
	}
	if err := r.settleDeal(); err != nil {
		return err
	}
	return r.makeWishes(last)
}

// beginDeal checks the tags of a deal against the deal before, or believes them if deals are missing.
func (r *replay) beginDeal() error {
	d, s := r.deal, &r.state
	if s.Stage == tarokk.Over {
		return r.newBreach(d.At, Nobody, "R-SESS-1", "the session was over after deal %d", s.Deal.Number)
	}
	dealer, rounds, pool := s.Dealer, s.Rounds, s.Pool
	if d.Dealer != "" {
		dealer = slices.Index(r.session.Members, d.Dealer)
	}
	if d.Rounds != nil {
		rounds = d.Rounds
	}
	if d.Pool != nil {
		pool = tarokk.Pool(*d.Pool)
	}
	switch follows := r.last != nil && d.Number == s.Deal.Number; {
	case follows && dealer != s.Dealer:
		return r.newBreach(d.At, Nobody, r.dealerRule(), "%s deals, and not %s", r.session.Members[s.Dealer], d.Dealer)
	case follows && !slices.Equal(rounds, s.Rounds):
		return r.newBreach(d.At, Nobody, "R-ROUND-2", "the double rounds that run have %v deals left, and not %v", []int(s.Rounds), d.Rounds)
	case follows && pool != s.Pool:
		return r.newBreach(d.At, Nobody, "BGA-7", "the pool holds %d, and not %d", s.Pool, pool)
	}
	s.Dealer, s.Rounds, s.Pool = dealer, rounds, pool
	s.Deal.Number = d.Number
	for i := range s.Deal.Seats {
		s.Deal.Seats[i] = s.Members[(s.Dealer+1+i)%len(s.Members)]
	}
	r.seats = s.Deal.Seats
	return nil
}

// dealerRule is the rule that says who deals next.
func (r *replay) dealerRule() string {
	if tarokk.Redeals(r.state.Rules) && (r.last.How == "passed" || r.last.How == "annulled") {
		return "R-DEAL-5"
	}
	return "R-DEAL-4"
}

// takeStep takes one step of the deal: a step of the protocol, for which a replay has nothing to do, or
// the next move of the record.
func (r *replay) takeStep() error {
	switch r.state.Stage {
	case tarokk.Permuting:
		r.placeHands()
		fallthrough
	case tarokk.Shuffling, tarokk.Dealing, tarokk.DeclarerDraws, tarokk.TalonDraws:
		r.state = r.rules.Settle(r.state, nil)
		return nil
	}
	if err := r.checkSpent(); err != nil {
		return err
	}
	if m := r.know.misfit; m != nil && m.moment <= r.currentMoment() {
		return m.breach
	}
	t, err := r.nextMove()
	if err == nil {
		err = r.applyTurn(t)
	}
	if m := r.know.misfit; m != nil && errors.As(err, new(awaitedPart)) {
		return m.breach
	}
	return err
}

// placeHands puts the known cards at the places of the hands, which have no order after the
// permutation.
func (r *replay) placeHands() {
	r.permuted = true
	for p, hand := range r.know.all {
		cards := hand.Faces()
		if len(cards) != len(r.state.Deal.Cards[p]) {
			continue
		}
		for i, c := range r.state.Deal.Cards[p] {
			r.faces[c] = cards[i]
		}
	}
}

// turn is a move of the record.
type turn struct {
	player int
	move   tarokk.Move
	at     int      // line number in the text
	claims []string // ids of what must be true, in the order of the last terms
	claim  string   // id for the terms before those
}

// applyTurn makes a move, if it is legal and all its conditions hold.
func (r *replay) applyTurn(t turn) error {
	next, doubts, err := r.judgeTurn(t)
	if err != nil {
		return err
	}
	r.scored.Doubts = append(r.scored.Doubts, doubts...)
	r.noteExtras(t)
	r.state = next
	return nil
}

// judgeTurn returns the state after a move and the doubts about it, or the rule that it breaks.
func (r *replay) judgeTurn(t turn) (tarokk.State, []Finding, error) {
	in := table.Input[tarokk.Move]{Seat: r.state.Deal.Seats[t.player], Move: t.move}
	next, terms, err := r.rules.Apply(r.state, in)
	if err != nil {
		return next, nil, r.breachOf(t.at, t.player, err)
	}
	var doubts []Finding
	for i, c := range terms.Prove {
		low, high := r.countCards(t.player, c)
		if low >= c.Min && high <= c.Max {
			continue
		}
		rule, text, at := r.findReason(t, t.conditionID(i, len(terms.Prove)), c)
		found := r.newBreach(at, t.player, rule, "%s", text)
		if high < c.Min || low > c.Max {
			return next, nil, found
		}
		if !slices.Contains(doubts, found.Finding) {
			doubts = append(doubts, found.Finding)
		}
	}
	return next, doubts, nil
}

// conditionID is the id of the i-th of n conditions.
func (t *turn) conditionID(i, n int) string {
	if i -= n - len(t.claims); i >= 0 {
		return t.claims[i]
	}
	return t.claim
}

// countCards is the least and the greatest number of a condition's cards that may be in its set.
func (r *replay) countCards(p int, c table.Condition) (low, high int) {
	if r.permuted && !c.Dealt {
		for _, place := range c.Cards {
			f, known := r.faces[place]
			if known && c.Set.Has(f) {
				low++
			}
			if !known || c.Set.Has(f) {
				high++
			}
		}
		return low, high
	}
	k, n := &r.know, len(c.Cards)
	switch all := k.all[p]; {
	case c.Cards[0] != r.state.Deal.Cards[p][0]:
		return countWithin(c.Set, n, k.drawn[p], all)
	case n == handSize:
		return countWithin(c.Set, n, k.dealt[p], all)
	case all != unknown:
		return countWithin(c.Set, n, all, all)
	}
	low, high = countWithin(c.Set, handSize, k.dealt[p], unknown)
	low2, high2 := countWithin(c.Set, n-handSize, k.drawn[p], unknown)
	return low + low2, high + high2
}

// countWithin counts the cards in set of a part of n cards. The part may be known, or only the whole
// that it belongs to, or neither.
func countWithin(set card.Set, n int, part, whole card.Set) (low, high int) {
	switch {
	case part != unknown:
		in := countCommon(set, part)
		return in, in
	case whole != unknown:
		in := countCommon(set, whole)
		return max(0, in-(whole.Len()-n)), min(in, n)
	}
	return 0, min(n, set.Len())
}

// countCommon is how many cards two sets have in common.
func countCommon(a, b card.Set) int { return a.Len() - a.Minus(b).Len() }

// letterOf finds a card in the hand of p, among the letters that are not taken. If the hand is not
// known, the record is believed.
func (r *replay) letterOf(p int, f card.Face, taken string) (string, bool) {
	free := ""
	for i := range r.state.Deal.Held[p] {
		letter := r.state.Deal.Held[p][i : i+1]
		place := r.state.Deal.Cards[p][letter[0]-'a']
		switch face, known := r.faces[place]; {
		case strings.Contains(taken, letter):
		case known && face == f:
			return letter, true
		case !known:
			free = letter
		}
	}
	if free != "" && f != Unknown {
		r.faces[r.state.Deal.Cards[p][free[0]-'a']] = f
	}
	return free, free != ""
}

// faceAt is the card behind a letter of p, or Unknown.
func (r *replay) faceAt(p int, letter byte) card.Face {
	if f, known := r.faces[r.state.Deal.Cards[p][letter-'a']]; known {
		return f
	}
	return Unknown
}

// useLine returns the line of a key and a seat, or nil, and marks it as used.
func (r *replay) useLine(key string, seat int) *Line {
	r.used[fmt.Sprint(key, seat)] = true
	return r.deal.findLine(key, seat)
}

// namedDeal is a deal of the record, with the names of its players and cards.
type namedDeal struct {
	deal    *Deal
	members []string
	redLow  string
	seats   [players]table.Seat
}

func (n *namedDeal) memberName(p int) string { return n.members[n.seats[p]] }

// nameAndSeat is the name and the letter of a player.
func (n *namedDeal) nameAndSeat(p int) string {
	return fmt.Sprintf("%s (%c)", n.memberName(p), seatNames[p])
}

// breachOf turns an error of the rules about a move into a breach, with players by name.
func (n *namedDeal) breachOf(at, p int, err error) *Breach {
	rule, text, _ := strings.Cut(err.Error(), ": ")
	text, _, _ = strings.Cut(text, " (statement ")
	words := []string{"fig:", "", "contra:", "contra ", "count:", "count ", "call:", "call "}
	for seat := range players {
		words = append(words, fmt.Sprint("seat ", seat), n.nameAndSeat(seat), "seat "+seatNames[seat:seat+1], n.nameAndSeat(seat))
	}
	if text = strings.NewReplacer(words...).Replace(text); p != Nobody {
		text = strings.TrimPrefix(text, n.nameAndSeat(p)+" ") // the breach begins with it
	}
	return n.newBreach(at, p, rule, "%s", text)
}

func (n *namedDeal) newBreach(at, p int, rule, format string, args ...any) *Breach {
	b := &Breach{n.deal.Number, Finding{Line: at, Rule: rule, Text: fmt.Sprintf(format, args...)}}
	if p != Nobody {
		b.Seat, b.Member = seatNames[p:p+1], n.memberName(p)
	}
	return b
}

// cardName is the name of a card in this session's pack.
func (n *namedDeal) cardName(f card.Face) string { return tarokk.FaceNames(tarokk.RedLow(n.redLow))[f] }

func (n *namedDeal) namesOf(cards card.Set) string { return cardNames(cards.Faces(), n.redLow) }
