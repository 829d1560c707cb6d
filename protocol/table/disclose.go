package table

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Disclosure and disputes (docs/spec/51-disclosure.md): with a suite that defers, shuffles and
// tokens are checked after their seat has disclosed its lock of that deal. Tables of other suites
// never reach this code.

// disclosureState is the further state of a table whose suite defers.
type disclosureState struct {
	deferring proof.DeferringSuite
	steps     *deferredStatement // not checked yet, the latest first
	shown     []uint32           // by seat: the last deal whose lock it has disclosed
	dispute   *dispute           // the dispute that has stopped play, or nil
}

// deferredStatement is a statement of an applied message, a Shuffle or a Reveal, that nothing has
// proved yet. It is immutable.
type deferredStatement struct {
	entry     wire.Hash
	seat      Seat
	deal      uint32
	number    int // of the seat's card key (KeyNumber)
	statement proof.Statement
	before    *deferredStatement // stated before this one
}

// dispute is why all seats of the deal have to disclose it: a seat says that a card which it holds
// has no face, or a seat's message has opened a card that has no face, or the face of another open
// card.
type dispute struct {
	seat  Seat
	entry wire.Hash
	shown []uint32 // disclosureState.shown when play stopped: no lock of a deal in between is disclosed any more
}

// Defers reports whether the table's suite defers.
func (d *disclosureState) Defers() bool { return d != nil }

// UndisclosedDeal is a deal whose lock a seat has to disclose.
type UndisclosedDeal struct {
	Deal    int
	Number  int           // of the seat's card key in this deal (KeyNumber)
	Shuffle proof.Shuffle // the seat's, by that key
}

// UndisclosedDeals lists, in order, the deals that seat has shuffled without having disclosed its
// lock; during a dispute only the present deal.
func (s *State) UndisclosedDeals(seat Seat) (list []UndisclosedDeal) {
	for d := range s.undisclosedShuffles(seat, s.deals) {
		list = append(list, UndisclosedDeal{int(d.deal), d.number, d.statement.(proof.Shuffle)})
	}
	slices.Reverse(list)
	return list
}

// undisclosedShuffles yields the shuffles of these deals, the latest first; deal is the present
// one.
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

// locksOwed returns a duty for each of seats that has something to disclose. They may disclose in
// any order.
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

// DisputableCards returns the cards that seat may dispute now: those in its hand, while it owes
// anything but its locks.
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

// keepStatements keeps the unproved statements of a message. If the message opened cards that stop
// play, it also records whose message it was.
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

// discloseLocks checks, for all deals of a message, first the locks and then what was made with
// them, in the order of the log. A wrong step ends the table with a foul at that step's entry; the
// disclosure itself is applied.
//
// When a dispute has all its locks and all of it is true, the seat that caused the dispute was
// wrong. Without a dispute the statements are forgotten once no lock is owed.
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

// openedLock is a disclosed lock and the order of its seat's shuffle.
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

// recheckSteps returns the first wrong step of seat in the deals that it has disclosed. The error
// says that a shuffle has another order than disclosed, in whichever deal; it takes precedence.
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

// IsDisputed reports whether play has stopped, so that all seats of the deal disclose their locks
// of it. The message that stopped play has no other effect.
func (d *disclosureState) IsDisputed() bool { return d != nil && d.dispute != nil }

// LastCheckedDeal returns the last deal such that no deferred statement up to it is unchecked or
// wrong. With a suite that does not defer, it is the present deal.
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

// ForfeitScores returns the one seat that still owes a disclosure, and the scores if it never
// discloses; false if several owe, none owes, or the rules define no such scores.
func (s *State) ForfeitScores() (silent Seat, scores []int, ok bool) {
	owed := s.Duties()
	if len(owed) != 1 || owed[0].Kind != Disclose || s.IsDisputed() {
		return 0, nil, false
	}
	silent = owed[0].Seats[0]
	scores, ok = s.game.forfeit(s.rules, silent)
	return silent, scores, ok
}
