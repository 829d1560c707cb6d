package table

import (
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
	deferring proof.DeferringSuite
	steps     *deferredStatement // that were not checked yet; the latest first
	shown     []uint32           // by seat: the last deal of which it has disclosed its lock
	dispute   *dispute           // that has stopped play
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
	shown []uint32 // disclosureState.shown when play stopped: of no deal in between is a lock disclosed any more
}

// Defers reports whether the table's suite does.
func (d *disclosureState) Defers() bool { return d != nil }

// UndisclosedDeal is a deal of which a seat has to disclose its lock.
type UndisclosedDeal struct {
	Deal    int
	Number  int           // which of the seat's card keys it is that of (KeyNumber)
	Shuffle proof.Shuffle // of the seat, by that key
}

// UndisclosedDeals lists, in their order, the deals that seat has shuffled and of which it has
// not disclosed its lock; in a dispute the present one alone.
func (s *State) UndisclosedDeals(seat Seat) (list []UndisclosedDeal) {
	for d := range s.undisclosedShuffles(seat, s.deals) {
		list = append(list, UndisclosedDeal{int(d.deal), d.number, d.statement.(proof.Shuffle)})
	}
	slices.Reverse(list)
	return list
}

// undisclosedShuffles are the shuffles of these deals, the latest first; deal is the present one.
func (d *disclosureState) undisclosedShuffles(seat Seat, deal uint32) iter.Seq[*deferredStatement] {
	return func(yield func(*deferredStatement) bool) {
		if d == nil {
			return
		}
		for st := d.steps; st != nil && st.deal > d.shown[seat] && (d.dispute == nil || st.deal == deal); st = st.before {
			if _, shuffle := st.statement.(proof.Shuffle); shuffle && st.seat == seat && !yield(st) {
				return
			}
		}
	}
}

// locksOwed are the duties of those of seats that have something to disclose, which they
// may do in any order.
func (d *disclosureState) locksOwed(seats []Seat, deal uint32) (owed []Duty) {
	for _, seat := range seats {
		for range d.undisclosedShuffles(seat, deal) {
			owed = append(owed, Duty{Kind: Disclose, Seats: []Seat{seat}})
			break
		}
	}
	return owed
}

func allSeats(n int) []Seat {
	all := make([]Seat, n)
	for i := range all {
		all[i] = Seat(i)
	}
	return all
}

// DisputableCards are the cards of which seat may say now that they are none: those in its
// hand, while it owes anything but its locks.
func (s *State) DisputableCards(seat Seat) []Card {
	if !s.Defers() || !slices.ContainsFunc(s.DutiesOf(seat), func(d Duty) bool { return d.Kind != Disclose }) {
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

// keepStatements keeps what a message has stated without proof, and, if cards that it has
// opened stop play, by whom.
func (d *disclosureState) keepStatements(entry wire.Hash, st *step) {
	for _, statement := range st.statements {
		if proof.IsDeferred(statement) {
			d.steps = &deferredStatement{entry, st.seat, st.deals, st.KeyNumber(st.seat), statement, d.steps}
		}
	}
	if d.dispute != nil && d.dispute.shown == nil {
		d.dispute = &dispute{st.seat, entry, d.shown}
	}
}

func (st *step) disputeCard() error {
	var body wire.DisputeBody
	if err := st.readBody(&body); err != nil {
		return err
	}
	st.effect = func(next *State) error {
		next.dispute = &dispute{}
		return nil
	}
	return checkOwn(st.seat, []Card{Card(body.Card)}, st.holds, "in the hand of")
}

// discloseLocks checks, of all deals of a message, first the locks and then what was made with
// them, in the order of the log. What is wrong there ends the table with a foul at that
// entry, and not at this one, which is applied.
//
// If that was all, and all of it is true, who has disputed a card of this deal was wrong; and otherwise
// nothing of it needs to be kept.
func (st *step) discloseLocks() error {
	var body wire.DiscloseBody
	if err := st.readBody(&body); err != nil {
		return err
	}
	shown, err := st.readLocks(st.UndisclosedDeals(st.seat), body.Deals)
	if err != nil {
		return err
	}
	wrong, err := st.recheckSteps(st.seat, shown)
	st.effect = func(next *State) error {
		next.shown[st.seat] = uint32(body.Deals[len(body.Deals)-1].Deal)
		switch {
		case wrong != nil:
			next.foul = wrong
			return nil
		case len(next.Duties()) > 0 && next.dispute != nil:
			return nil
		case next.dispute != nil:
			next.foul = &Fault{Class: Foul, Check: CheckDispute, Seat: next.dispute.seat, Entry: next.dispute.entry,
				Err: errors.New("all shuffles and tokens of the deal are right, and so is the card")}
			return nil
		case len(next.locksOwed(allSeats(len(next.seats)), next.deals)) == 0:
			next.steps = nil
		}
		if len(next.phase.duties) == 0 {
			return nil
		}
		return next.advancePhase()
	}
	return err
}

// openedLock is a lock that was disclosed, with the order of its seat's shuffle.
type openedLock struct {
	lock  proof.Lock
	order []byte
}

func (d *disclosureState) readLocks(due []UndisclosedDeal, deals []wire.DisclosedDeal) (map[uint32]openedLock, error) {
	for i, shown := range deals {
		if i >= len(due) {
			return nil, newFoul(CheckValues, "locks of %d deals, at most %d are due", len(deals), len(due))
		}
		if shown.Deal != int64(due[i].Deal) {
			return nil, newFoul(CheckValues, "the lock of deal %d, where that of deal %d is due", shown.Deal, due[i].Deal)
		}
	}
	list := map[uint32]openedLock{}
	for i, shown := range deals {
		lock, err := d.deferring.ParseLock(due[i].Shuffle.By, shown.Lock)
		if err == nil {
			err = proof.CheckPermutation(shown.Order, len(due[i].Shuffle.In))
		}
		if err != nil {
			return nil, newFoul(CheckLock, "deal %d: %w", shown.Deal, err)
		}
		list[uint32(shown.Deal)] = openedLock{lock, shown.Order}
	}
	return list, nil
}

// recheckSteps returns the first wrong step of seat in the deals that it has shown. The error
// is that a shuffle is one in another order than is said: in whichever deal, it comes first.
func (d *disclosureState) recheckSteps(seat Seat, shown map[uint32]openedLock) (wrong *Fault, err error) {
	var own []*deferredStatement
	for step := d.steps; step != nil; step = step.before {
		if _, ok := shown[step.deal]; ok && step.seat == seat {
			own = append(own, step)
		}
	}
	for _, step := range slices.Backward(own) {
		by := shown[step.deal]
		what := "the tokens were"
		switch st := step.statement.(type) {
		case proof.Shuffle:
			what, err = "the shuffle was", by.lock.CheckShuffle(st, by.order)
		case proof.Reveal:
			err = by.lock.CheckReveal(st)
		}
		if errors.Is(err, proof.ErrOrder) {
			return nil, newFoul(CheckLock, "deal %d: %w", step.deal, err)
		}
		if err != nil && wrong == nil {
			wrong = &Fault{Class: Foul, Check: CheckStep, Seat: seat, Entry: step.entry,
				Err: fmt.Errorf("deal %d: %s not made with the lock that was disclosed: %w", step.deal, what, err)}
		}
	}
	return wrong, nil
}

// IsDisputed reports whether play has stopped, so that all seats of the deal disclose their
// locks of it. The message that stopped it has done nothing else.
func (d *disclosureState) IsDisputed() bool { return d != nil && d.dispute != nil }

// LastCheckedDeal is the last deal up to which nothing of any deal was deferred and is unchecked, or
// wrong. Of other suites it is the present one.
func (s *State) LastCheckedDeal() int {
	n := s.deals
	if !s.Defers() {
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
