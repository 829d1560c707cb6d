package record

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
)

// replay plays a recorded deal at a table of one deal under the tournament rules, as far as the record
// tells its cards.
type replay struct {
	deal     *Deal
	next     int // index of the next move
	state    skat.State
	places   []table.Card             // the places of the deal's cards
	faces    [skat.DeckSize]skat.Face // by place
	contract *skat.Contract           // the announcement; the rules get it together with the discards
	conceded [players]bool
	shown    int // how many more cards may be played before the declarer's open hand no longer counts as a claim
	points   int // card points of the declarer
	tricks   int
	told     bool // the two cards laid aside are known
	out      *Scoring
}

// newTable is a table of one deal, before the first call.
func newTable() skat.State {
	s, _, err := skat.Rules{}.Setup(table.Config{Seats: players, Deals: 1})
	if err != nil {
		panic(err)
	}
	return settleSteps(s)
}

// settleSteps goes past the steps at which nobody moves. An ouvert hand is laid open without a move in
// the record.
func settleSteps(s skat.State) skat.State {
	for slices.Contains([]skat.Stage{skat.Shuffling, skat.Dealing, skat.Taking, skat.Mixing}, s.Stage) {
		s = skat.Rules{}.Settle(s, nil)
	}
	if s.Stage == skat.Opening {
		s.Stage = skat.Playing
	}
	return s
}

// apply makes a move by the rules, and returns the conditions it would have to prove.
func (r *replay) apply(p int, m skat.Move) ([]table.Condition, error) {
	next, terms, err := skat.Rules{}.Apply(r.state, table.Input[skat.Move]{Seat: r.state.Deal.Seats[p], Move: m})
	if err != nil {
		return nil, r.breachOf(err)
	}
	r.state = settleSteps(next)
	return terms.Prove, nil
}

// takeUp gives every place the card that the record names. Where the deal names none, it takes what the
// player plays or shows later.
func (r *replay) takeUp() {
	d := r.state.Deal
	r.places = slices.Concat(d.Hands[Forehand], d.Hands[Middlehand], d.Hands[Rearhand], d.Skat)
	for i, f := range r.deal.Cards {
		r.faces[r.places[i]] = f
	}
	named := r.namedFaces(r.places)
	for _, m := range r.deal.Moves {
		if m.Who < 0 || m.Verb != Play && m.Verb != Show {
			continue
		}
		for _, f := range m.Cards {
			if place, holds := r.placeOf(d.Hands[m.Who], Unknown); holds && f != Unknown && !named.Has(card.Face(f)) {
				r.faces[place], named = f, named.AddFace(card.Face(f))
			}
		}
	}
}

// namedFaces are the faces at places, as far as the record names them.
func (r *replay) namedFaces(places []table.Card) (s card.Set) {
	for _, c := range places {
		if f := r.faces[c]; f != Unknown {
			s = s.AddFace(card.Face(f))
		}
	}
	return s
}

// placeOf is the place in a hand of a card, or else of a card that the record does not name.
func (r *replay) placeOf(hand []table.Card, f skat.Face) (table.Card, bool) {
	for _, want := range []skat.Face{f, Unknown} {
		if i := slices.IndexFunc(hand, func(c table.Card) bool { return r.faces[c] == want }); i >= 0 {
			return hand[i], true
		}
	}
	return 0, false
}

func (r *replay) pick(p int, hand []table.Card, f skat.Face, rule string) (table.Card, error) {
	place, holds := r.placeOf(hand, f)
	if !holds {
		return 0, r.newBreach(rule, "%s does not hold it", r.deal.name(p))
	}
	r.faces[place] = f
	return place, nil
}

// playMoves makes the moves up to the end of the deal, and says how it ended.
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
		if e := r.state.Deal.Ending; e != nil && r.out.Verdict == "" {
			r.endDeal(*e)
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
	case r.state.Stage == skat.Bidding:
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

func (r *replay) call(m Move) error {
	c, is := map[Verb]skat.Call{Bid: skat.Call(m.Number), Yes: skat.YesCall, Pass: skat.PassCall}[m.Verb]
	switch turn := r.state.Deal.Auction.Turn; {
	case !is:
		return r.newBreach("SK-R-15", "the auction is not over")
	case m.Who != turn:
		return r.newBreach("SK-R-15", "it is the turn of %s", r.deal.name(turn))
	}
	_, err := r.apply(m.Who, skat.Move{Call: &c})
	return err
}

// playExchange makes a move of the exchange: the skat, the discards or the announcement.
func (r *replay) playExchange(m Move) error {
	d := r.state.Deal
	took := d.Taker == d.Declarer
	switch {
	case m.Verb == Skat && took && m.Who == World:
		return r.checkSkat(m)
	case m.Who != d.Declarer:
		return r.newBreach("SK-R-24", "%s is the declarer", r.deal.name(d.Declarer))
	case m.Verb == Take && !took:
		return r.choose(skat.Take)
	case m.Verb == Announce && r.contract == nil:
		return r.announce(m, took)
	case m.Verb == Discard && r.contract != nil && d.Contract == nil:
		return r.discard(m.Cards)
	}
	return r.newBreach("SK-R-27", "the announcement is awaited")
}

func (r *replay) choose(word string) error {
	_, err := r.apply(r.state.Deal.Declarer, skat.Move{Choose: &word})
	return err
}

// checkSkat compares the skat that a declarer was shown with the deal.
func (r *replay) checkSkat(m Move) error {
	for i, f := range m.Cards {
		aside := r.places[players*handSize:]
		switch a, b := r.faces[aside[0]], r.faces[aside[1]]; {
		case r.faces[aside[i]] == Unknown:
			r.faces[aside[i]] = f
		case f != Unknown && f != a && f != b:
			return r.newBreach("SK-R-25", "the skat is %v and %v", a, b)
		}
	}
	return nil
}

// announce names the game. The discards may follow in a move of their own.
func (r *replay) announce(m Move, took bool) error {
	c := skat.Contract{Game: m.Game, Hand: m.Hand, Ann: m.Level, Ouvert: m.Ouvert}
	bare := c.Game == skat.Null && c.Ann == skat.Normal
	switch err := r.state.CheckContract(c); {
	case c.Hand == took, err != nil && !bare:
		return r.newBreach("SK-R-28", "no such addition is open to him")
	case err != nil:
		return r.newBreach("SK-R-29", "this null is worth %d, and the bid is %d", c.OfNull(), r.state.Deal.Bid)
	}
	r.contract = &c
	switch {
	case took && len(m.Cards) > 0:
		return r.discard(m.Cards)
	case took:
		return nil
	}
	if err := r.choose(skat.Hand); err != nil {
		return err
	}
	return r.declare(nil)
}

// discard lays two cards aside; the ten after them, if any, lie open on the table.
func (r *replay) discard(cards []skat.Face) error {
	if len(cards) != skatSize && len(cards) != skatSize+handSize {
		return r.newBreach("SK-R-25", "two cards are laid aside, not %d", len(cards))
	}
	var pair skat.Pair
	p := r.state.Deal.Declarer
	hand := r.state.Deal.Hands[p]
	for i, f := range cards[:skatSize] {
		if i > 0 && f != Unknown && f == cards[0] {
			return r.newBreach("SK-R-25", "%v is laid aside twice", f)
		}
		var err error
		if pair[i], err = r.pick(p, hand, f, "SK-R-25"); err != nil {
			return err
		}
		hand = shared.WithoutPlaces(hand, pair[i])
	}
	slices.Sort(pair[:])
	return r.declare(&pair)
}

// declare makes the announcement, together with the discards.
func (r *replay) declare(aside *skat.Pair) error {
	c := r.contract
	_, err := r.apply(r.state.Deal.Declarer, skat.Move{Announce: &skat.Announcement{Discard: aside, Game: c.Game, Ann: c.Ann, Ouvert: c.Ouvert}})
	return err
}

func (r *replay) playCard(m Move) error {
	d := r.state.Deal
	p, f := d.OnTurn(), m.Cards[0]
	switch {
	case d.Contract == nil:
		return r.newBreach("SK-R-25", "nothing was laid aside")
	case m.Who != p:
		return r.newBreach("SK-R-32", "it is the turn of %s", r.deal.name(p))
	case f == Unknown:
		return errUntold
	}
	place, err := r.pick(p, d.Hands[p], f, "SK-R-35")
	if err != nil {
		return err
	}
	proofs, err := r.apply(p, skat.Move{Play: &skat.Play{Card: place, Face: f}})
	if err != nil {
		return err
	}
	for _, c := range proofs {
		if shared.CommonFaces(r.namedFaces(c.Cards), c.Set) != (card.Set{}) {
			return r.newBreach("SK-R-33", "%v was led, and %s can follow", d.Tricks[len(d.Tricks)-1].Faces[0], r.deal.name(p))
		}
	}
	if r.shown--; p != d.Declarer {
		r.shown = 0
	}
	return nil
}

// endDeal scores a deal by how it ended, if the record tells the cards that its value needs.
func (r *replay) endDeal(e skat.Ending) {
	d := r.state.Deal
	if e.How == skat.PassedIn {
		r.out.Verdict = PassedIn
		return
	}
	r.out.Verdict = Scored
	d.Contract, d.Ending = r.contract, &e
	r.countTricks()
	r.countSkat()
	twelve := r.namedFaces(slices.Concat(r.places[d.Declarer*handSize:][:handSize], r.places[players*handSize:]))
	if null := d.Game() == skat.Null; null || twelve.Len() == handSize+skatSize {
		res := d.Result(skat.CountMatadors(d.Game(), twelve), r.points, r.tricks)
		r.out.Result = &res
	}
	if left := d.Defence(); d.Game() != skat.Null && (e.How == skat.GivenUp || e.How == skat.Claimed) {
		r.points, r.tricks = skat.TotalPoints-left.Points, handSize-left.Tricks
	}
}

// countTricks counts the declarer's tricks and their points.
func (r *replay) countTricks() {
	points, tricks := r.state.Deal.TakenByPlayer()
	p := r.state.Deal.Declarer
	r.points, r.tricks = points[p], tricks[p]
}

// countSkat adds the points of the two cards laid aside, if they are known: either by name, or because
// all others are.
func (r *replay) countSkat() {
	aside := r.state.Deal.Skat
	if rest := skat.Faces(r.state.Deal.ImpliedSkat()); len(rest) == skatSize && r.namedFaces(aside).Len() < skatSize {
		r.faces[aside[0]], r.faces[aside[1]] = rest[0], rest[1]
	}
	if r.told = len(aside) == skatSize && r.faces[aside[0]] != Unknown && r.faces[aside[1]] != Unknown; r.told {
		r.points += skat.PointsOf(r.namedFaces(aside))
	}
}

// concede is SK-R-55 to SK-R-58. On the server the declarer needs nobody's consent, and two defenders
// end the game by conceding one after the other.
func (r *replay) concede(m Move) error {
	d := r.state.Deal
	if m.Who == World || r.conceded[m.Who] {
		return r.newBreach("SK-R-55", "nobody can concede twice")
	}
	r.conceded[m.Who] = true
	a, b := r.conceded[(d.Declarer+1)%players], r.conceded[(d.Declarer+2)%players]
	switch {
	case m.Who == d.Declarer:
		if len(d.Hands[m.Who]) < skat.Freely && !a && !b {
			r.custom("SK-R-55")
		}
		r.endDeal(skat.Ending{How: skat.Conceded})
	case a && b:
		r.endDeal(r.defenceEnding())
	}
	return nil
}

func (r *replay) custom(rule string) {
	if !slices.Contains(r.out.Customs, rule) {
		r.out.Customs = append(r.out.Customs, rule)
	}
}

// defenceEnding is the ending when both defenders concede. They give up, or accept a claim (SK-R-59) if
// the declarer has laid his cards open and only he has played since, one card at most. The server's
// record has no word for the level claimed; its result shows which it was.
func (r *replay) defenceEnding() skat.Ending {
	if r.shown <= 0 {
		return skat.Ending{How: skat.GivenUp}
	}
	e := skat.Ending{How: skat.Claimed, Level: r.contract.Ann}
	if r.contract.Game == skat.Null {
		return e
	}
	if rec := r.deal.Recorded; rec != nil {
		for l, told := range []bool{false, rec.Schneider, rec.Schwarz} {
			if told {
				e.Level = max(e.Level, l)
			}
		}
	}
	if r.state.Deal.Defence().Excludes(e.Level) {
		e.How = skat.GivenUp
	}
	return e
}

// show is a declarer laying his cards open.
func (r *replay) show(m Move) error {
	d := r.state.Deal
	if m.Who != d.Declarer {
		return r.newBreach("SK-R-61", "only the declarer claims")
	}
	for _, f := range m.Cards {
		if _, holds := r.placeOf(d.Hands[d.Declarer], f); f != Unknown && !holds {
			return r.newBreach("SK-R-59", "he does not hold %v", f)
		}
	}
	r.shown = 2 // he may play one more card, where the server asks him to
	return nil
}

// endUntold ends a record at a played card that it does not name. All that can still be said about the
// rest is whether somebody broke it off.
func (r *replay) endUntold() {
	r.out.Verdict = Unfinished
	r.out.Why = fmt.Sprintf("move %d is a card that the record does not name", r.next+1)
	for _, m := range r.deal.Moves[r.next:] {
		if m.Verb == Timeout || m.Verb == Leave {
			r.out.Verdict, r.out.Why = BrokenOff, ""
		}
	}
}

// stopShort ends a record that stops before the deal does. The server ends a game as soon as the level
// announced is out of reach.
func (r *replay) stopShort() {
	d := r.state.Deal
	c := d.Contract
	missed := c != nil && c.Game != skat.Null && c.Ann > skat.Normal && d.Defence().Excludes(c.Ann)
	if missed && len(d.Tricks[len(d.Tricks)-1].Faces) == players {
		r.custom("SK-R-36")
		r.endDeal(skat.Ending{How: skat.Conceded})
		return
	}
	r.out.Verdict, r.out.Why = Unfinished, "the record stops before the deal does"
}
