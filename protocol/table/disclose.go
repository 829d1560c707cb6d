package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Disclosure and disputes (docs/spec/51-disclosure.md): with a suite that defers, what a
// shuffle and a token say is checked when their seat has disclosed its lock of that deal.
// At tables of other suites nothing here is ever reached.

// disclosureState is what a table of a suite that defers keeps besides.
type disclosureState struct {
	suite   proof.DeferringSuite
	steps   *deferredStatement // that were not checked yet; the latest first
	shown   []uint32           // by seat: the last deal of which it has disclosed its lock
	dispute *dispute           // that has stopped play
}

// deferredStatement is a statement of a message that was applied, a Shuffle or a Reveal, which
// nothing has proved. It never changes.
type deferredStatement struct {
	entry     wire.Hash
	seat      Seat
	deal      uint32
	number    int // of the seat's card key (KeyNumber)
	statement proof.Statement
	before    *deferredStatement // of the message before
}

// dispute is why everybody has to disclose this deal: a seat says that a card which it
// holds is none, or a seat's message has opened one that is none, or is open already.
type dispute struct {
	seat  Seat
	entry wire.Hash
	shown []uint32 // disclosing.shown when play stopped: of no deal in between is a lock disclosed any more
}

// Defers reports whether the table's suite does.
func (s *State) Defers() bool { return s.disclosureState != nil }

// UndisclosedDeal is a deal of which a seat has to disclose its lock.
type UndisclosedDeal struct {
	Deal    int
	Number  int           // which of the seat's card keys it is that of (KeyNumber)
	Shuffle proof.Shuffle // of the seat, by that key
}

// UndisclosedDeals lists, in their order, the deals that seat has shuffled and of which it has
// not disclosed its lock; in a dispute the present one alone.
func (s *State) UndisclosedDeals(seat Seat) (list []UndisclosedDeal) {
	for d := range s.undisclosedShuffles(seat) {
		list = append(list, UndisclosedDeal{int(d.deal), d.number, d.statement.(proof.Shuffle)})
	}
	slices.Reverse(list)
	return list
}

// undisclosedShuffles are the shuffles of these deals, the latest first.
func (s *State) undisclosedShuffles(seat Seat) iter.Seq[*deferredStatement] {
	return func(yield func(*deferredStatement) bool) {
		if s.disclosureState == nil {
			return
		}
		for d := s.steps; d != nil && d.deal > s.shown[seat] && (s.dispute == nil || d.deal == s.deals); d = d.before {
			if _, shuffle := d.statement.(proof.Shuffle); shuffle && d.seat == seat && !yield(d) {
				return
			}
		}
	}
}

// locksOwed are the duties of those of seats that have something to disclose, which they
// may do in any order.
func (s *State) locksOwed(seats []Seat) (owed []Duty) {
	for _, seat := range seats {
		for range s.undisclosedShuffles(seat) {
			owed = append(owed, Duty{Kind: Disclose, Seats: []Seat{seat}})
			break
		}
	}
	return owed
}

// allSeats is all seats of the table.
func (s *State) allSeats() []Seat {
	all := make([]Seat, len(s.seats))
	for i := range all {
		all[i] = Seat(i)
	}
	return all
}

// DisputableCards are the cards of which seat may say now that they are none: those in its
// hand, while it owes anything but its locks.
func (s *State) DisputableCards(seat Seat) []Card {
	if s.disclosureState == nil || !slices.ContainsFunc(s.DutiesOf(seat), func(d Duty) bool { return d.Kind != Disclose }) {
		return nil
	}
	return s.Hand(seat)
}

// clone copies what Apply may change.
func (d *disclosureState) clone() *disclosureState {
	if d == nil {
		return nil
	}
	c := *d
	c.shown = slices.Clone(d.shown)
	return &c
}

// keepStatements keeps what a message of seat has stated without proof, and, if cards that it has
// opened stop play, by whom.
func (d *disclosureState) keepStatements(entry wire.Hash, seat Seat, before *State, statements []proof.Statement) {
	for _, st := range statements {
		if proof.IsDeferred(st) {
			d.steps = &deferredStatement{entry, seat, before.deals, before.KeyNumber(seat), st, d.steps}
		}
	}
	if d.dispute != nil && d.dispute.shown == nil {
		d.dispute = &dispute{seat, entry, d.shown}
	}
}

// stopsPlay reports whether play stops because of an open card, which shows no face of the
// deck, or one that another open card has. Whose fault that is nobody knows yet.
func (s *State) stopsPlay(open proof.MaskedCard) bool {
	if s.disclosureState == nil {
		return false
	}
	f, ok := s.Face(open)
	for _, other := range s.deal.faces {
		ok = ok && other != f
	}
	if !ok {
		s.dispute = &dispute{}
	}
	return !ok
}

func (s *State) disputeStep(d Duty, raw json.RawMessage) (*step, error) {
	var body wire.DisputeBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	if err := checkOwn(d.Seats[0], []Card{Card(body.Card)}, s.deal.holds, "in the hand of"); err != nil {
		return nil, err
	}
	return &step{effect: func(next *State) error {
		next.dispute = &dispute{}
		return nil
	}}, nil
}

// discloseStep checks, of all deals of a message, first the locks and then what was made with
// them, in the order of the log. What is wrong there ends the table with a foul at that
// entry, and not at this one, which is applied.
func (s *State) discloseStep(d Duty, raw json.RawMessage) (*step, error) {
	var body wire.DiscloseBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	seat := d.Seats[0]
	shown, err := s.readLocks(s.UndisclosedDeals(seat), body.Deals)
	if err != nil {
		return nil, err
	}
	wrong, err := s.recheckSteps(seat, shown)
	if err != nil {
		return nil, err
	}
	return &step{effect: func(next *State) error {
		next.shown[seat] = uint32(body.Deals[len(body.Deals)-1].Deal)
		if wrong != nil {
			next.foul = wrong
			return nil
		}
		return next.advanceDisclosed()
	}}, nil
}

// openedLock is a lock that was disclosed, with the order of its seat's shuffle.
type openedLock struct {
	lock  proof.Lock
	order []byte
}

// readLocks reads those of the next of the deals that are due.
func (s *State) readLocks(due []UndisclosedDeal, deals []wire.DisclosedDeal) (map[uint32]openedLock, error) {
	for i, d := range deals {
		if i >= len(due) {
			return nil, newFoul(CheckValues, "locks of %d deals, at most %d are due", len(deals), len(due))
		}
		if d.Deal != int64(due[i].Deal) {
			return nil, newFoul(CheckValues, "the lock of deal %d, where that of deal %d is due", d.Deal, due[i].Deal)
		}
	}
	list := map[uint32]openedLock{}
	for i, d := range deals {
		lock, err := s.disclosureState.suite.ParseLock(due[i].Shuffle.By, d.Lock)
		if err == nil {
			err = proof.CheckPermutation(d.Order, len(due[i].Shuffle.In))
		}
		if err != nil {
			return nil, newFoul(CheckLock, "deal %d: %w", d.Deal, err)
		}
		list[uint32(d.Deal)] = openedLock{lock, d.Order}
	}
	return list, nil
}

// recheckSteps returns the first wrong step of seat in the deals that it has shown. The error
// is that a shuffle is one in another order than is said: in whichever deal, it comes first.
func (s *State) recheckSteps(seat Seat, shown map[uint32]openedLock) (wrong *Fault, err error) {
	var own []*deferredStatement
	for d := s.steps; d != nil; d = d.before {
		if _, ok := shown[d.deal]; ok && d.seat == seat {
			own = append(own, d)
		}
	}
	for _, d := range slices.Backward(own) {
		by := shown[d.deal]
		what := "the tokens were"
		switch st := d.statement.(type) {
		case proof.Shuffle:
			what, err = "the shuffle was", by.lock.CheckShuffle(st, by.order)
		case proof.Reveal:
			err = by.lock.CheckReveal(st)
		}
		if errors.Is(err, proof.ErrOrder) {
			return nil, newFoul(CheckLock, "deal %d: %w", d.deal, err)
		}
		if err != nil && wrong == nil {
			wrong = &Fault{Class: Foul, Check: CheckStep, Seat: seat, Entry: d.entry,
				Err: fmt.Errorf("deal %d: %s not made with the lock that was disclosed: %w", d.deal, what, err)}
		}
	}
	return wrong, nil
}

// advanceDisclosed moves on when a seat has disclosed what is true. If that was all, and all of
// it is, who has disputed a card of this deal was wrong; and otherwise nothing of it needs
// to be kept.
func (s *State) advanceDisclosed() error {
	switch {
	case len(s.Duties()) > 0 && s.dispute != nil:
		return nil
	case s.dispute != nil:
		s.foul = &Fault{Class: Foul, Check: CheckDispute, Seat: s.dispute.seat, Entry: s.dispute.entry,
			Err: errors.New("all shuffles and tokens of the deal are right, and so is the card")}
		return nil
	case len(s.locksOwed(s.allSeats())) == 0:
		s.steps = nil
	}
	if len(s.phase.duties) == 0 {
		return nil
	}
	return s.advancePhase()
}

// IsDisputed reports whether play has stopped, so that all seats of the deal disclose their
// locks of it. The message that stopped it has done nothing else.
func (s *State) IsDisputed() bool { return s.disclosureState != nil && s.dispute != nil }

// LastCheckedDeal is the last deal up to which nothing of any deal was deferred and is unchecked, or
// wrong. Of other suites it is the present one.
func (s *State) LastCheckedDeal() int {
	n := s.deals
	if s.disclosureState == nil {
		return int(n)
	}
	shown := s.shown
	if s.dispute != nil {
		n, shown = n-1, s.dispute.shown
	}
	for d := s.steps; d != nil; d = d.before {
		if d.deal > shown[d.seat] || s.foul != nil && s.foul.Entry == d.entry {
			n = min(n, d.deal-1)
		}
	}
	return int(n)
}

// ForfeitScores returns the scores if the one seat that alone has not disclosed what everybody
// owes never does, and that seat; false: several owe, or none, or the rules have none.
func (s *State) ForfeitScores() (silent Seat, scores []int, ok bool) {
	owed := s.Duties()
	if len(owed) != 1 || owed[0].Kind != Disclose || s.IsDisputed() {
		return 0, nil, false
	}
	silent = owed[0].Seats[0]
	scores, ok = s.game.forfeit(s.rules, silent)
	return silent, scores, ok
}
