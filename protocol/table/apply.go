package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// ErrUnchecked says that proofs could not be checked because there were no random weights. It does
// not say that they hold, and no seat is at fault.
var ErrUnchecked = errors.New("the proofs cannot be checked")

// Facts are what Apply takes besides an entry. The zero value makes Apply check everything at once.
type Facts struct {
	Batch proof.Batch // nil: check proofs at once
	Index uint64      // of the entry in the log; 0: not in the log yet
	Marks Marks       // of the log; nil: claims cannot be checked
}

// Apply returns the table after e, which wire.Parse has accepted, and leaves s unchanged. Its error
// is a *Fault, or else ErrUnchecked, ErrUntimed, or wire.ErrDetached: the message is due, but its
// blobs are not at hand, so its proofs cannot be checked.
//
// Without a batch Apply checks everything at once. With one it appends the equations of the proofs
// to the batch, under the label that the caller has set, and the result holds only if the batch
// does. A caller that is told of a foul checks the batch first, since a wrong proof of an earlier
// entry may have caused it. For a *Fault that is not Void, [State.WithFault] returns the table
// after e.
func (s *State) Apply(e *wire.Entry, f Facts) (*State, error) {
	if e.Act != nil {
		next, err := s.applyAct(e, f)
		if err == nil {
			s.noteHead(next, e)
		}
		return next, err
	}
	if err := s.Expects(e); err != nil {
		return nil, err
	}
	m := e.Message
	next, err := newStep(s, Seat(m.Seat), m.Kind, m.Body).applyMessage(e, f.Batch)
	if errors.Is(err, wire.ErrDetached) || errors.Is(err, ErrUnchecked) {
		return nil, err
	}
	if err != nil {
		return nil, s.blameSeat(err, Seat(m.Seat))
	}
	next.applied++
	s.noteHead(next, e)
	return next, nil
}

// noteHead records in next that e led to it. A new deal restarts the clock. After a pause, after a
// stop and after a change of hands every duty counts as owed since e.
func (s *State) noteHead(next *State, e *wire.Entry) {
	next.head = e.Hash
	if s.genesis.Clock.IsNone() {
		return
	}
	at := Place{Entry: e.Hash}
	switch resumed := s.paused && !next.paused || s.gone != nil && next.gone == nil; {
	case next.deals != s.deals:
		next.runningClock = newClock(next.Duties(), at, make([][]Interval, len(s.seats)))
	case resumed || e.Act != nil && e.Act.Kind == wire.KindReseat:
		next.runningClock = newClock(next.Duties(), at, s.spent)
	default:
		next.runningClock = s.clockAfter(next.Duties(), at, e.Message, s.paused)
		if s.deals == 0 { // time used before the first deal belongs to no deal
			next.spent = s.spent
		}
	}
	next.branches = s.branches.extend(next, s.linkTo(e))
}

// Expects returns nil if e is a message that s waits for, signed by a seat that owes it, or an act
// that s can take. It does not check the effect of a message. Otherwise e is void, and the error is
// a *Fault.
func (s *State) Expects(e *wire.Entry) error {
	m := e.Message
	switch {
	case e.Act != nil:
		_, err := s.applyAct(e, Facts{})
		if errors.Is(err, ErrUntimed) {
			return nil
		}
		return err
	case m == nil:
		return newVoid(CheckForm, "a genesis entry is no message")
	case !s.genesis.Takes(e):
		return newVoid(CheckForm, "its blobs have %d bytes, of which this table takes %d", e.Size()-len(e.Bytes()), wire.AttachableBytes(s.genesis.Suite))
	case m.Table != s.id:
		return newVoid(CheckTable, "the message is of table %s", m.Table)
	case s.foul != nil:
		return newVoid(CheckOpen, "the table ended with a foul by %s", s.seatText(s.foul.Seat))
	case s.over != "":
		return newVoid(CheckOpen, "the table is closed")
	case m.Parent != s.head:
		return newVoid(CheckParent, "it builds on entry %s, and the head is %s", m.Parent, s.head)
	case m.Seat >= len(s.seats):
		return newVoid(CheckSeat, "there is no seat %s, the table has %d", Seat(m.Seat).Letter(), len(s.seats))
	}
	// The signature comes after the cheap checks; what fails any of them is void either way.
	if err := e.Verify(s.seats[m.Seat]); err != nil {
		return newVoid(CheckSignature, "%s: %w", s.seatText(Seat(m.Seat)), err)
	}
	if _, due := s.findDuty(Seat(m.Seat), m.Kind); !due {
		return newVoid(CheckDue, "%s owes no message of kind %q", s.seatText(Seat(m.Seat)), m.Kind)
	}
	return nil
}

// Resolve is Apply, and calls get for the blobs of e if it needs them. If get fails, the error is
// wire.ErrDetached.
func (s *State) Resolve(e *wire.Entry, f Facts, get func(wire.Blob) ([]byte, error)) (*State, error) {
	next, err := s.Apply(e, f)
	if !errors.Is(err, wire.ErrDetached) {
		return next, err
	}
	if err := e.Message.AttachBlobs(get); err != nil {
		return nil, fmt.Errorf("message %s of %s: %w", e.Hash, s.seatText(Seat(e.Message.Seat)), err)
	}
	return s.Apply(e, f)
}

// applyMessage checks the effect of a message and returns the state after it, except for the head.
func (st *step) applyMessage(e *wire.Entry, b proof.Batch) (*State, error) {
	m := e.Message
	if st.hasLargeCards() && m.HasLongCards() {
		return nil, newFoul(CheckBody, "cards of more than %d bytes are a blob", wire.MaxCards)
	}
	if st.kind == Answer {
		return st.takeAnswer(m, b)
	}
	if err := st.readStep(); err != nil {
		return nil, err // or wire.ErrDetached, if the cards are a blob
	}
	isShuffle := func(s proof.Statement) bool { _, shuffle := s.(proof.Shuffle); return shuffle }
	if st.challengeState != nil && slices.ContainsFunc(st.statements, isShuffle) {
		return st.takeCommitment(m.Proofs)
	}
	proofs, err := st.proofsOf(m.Proofs)
	if err != nil {
		return nil, err
	}
	if m.IsDetached() {
		return nil, fmt.Errorf("message %s of %s: %w", e.Hash, st.seatText(st.seat), wire.ErrDetached)
	}
	if err := verifyProofs(st.suite, st.Context(st.seat, st.kind), st.statements, proofs, b); err != nil {
		return nil, err
	}
	next := st.clone()
	if err := st.effect(next); err != nil {
		return nil, err
	}
	if next.Defers() {
		next.keepStatements(e.Hash, st)
	}
	return next, nil
}

// proofsOf assigns each statement its proof, and none to a statement that the suite defers.
func (st *step) proofsOf(proofs [][]byte) ([][]byte, error) {
	all := make([][]byte, len(st.statements))
	given := 0
	for i, statement := range st.statements {
		if st.Defers() && proof.IsDeferred(statement) {
			continue
		}
		if given < len(proofs) {
			all[i] = proofs[given]
		}
		given++
	}
	if len(proofs) != given {
		return nil, newFoul(CheckProofs, "%d proofs for %d statements", len(proofs), given)
	}
	return all, nil
}

// verifyProofs checks the proofs of one message. Without a batch it makes one, labelled by slots,
// so that it can name the first statement that fails, by the form of its proof or by an equation.
func verifyProofs(suite proof.Suite, c transcript.Message, list []proof.Statement, proofs [][]byte, b proof.Batch) error {
	own := b == nil
	if own {
		b = suite.NewBatch()
	}
	for i, statement := range list {
		if own {
			b.Label(uint64(i))
		}
		if err := suite.Verify(c.Slot(uint16(i)), statement, proofs[i], b); err != nil {
			malformed := newFoul(checkOf(statement), "proof %d: %w", i, err)
			if !own {
				return malformed
			}
			return cmp.Or(firstWrong(b, list[:i]), error(malformed))
		}
	}
	if !own {
		return nil
	}
	return firstWrong(b, list)
}

// firstWrong checks a batch labelled by slots and returns a foul that names the first statement of
// list whose proof does not verify, or nil.
func firstWrong(b proof.Batch, list []proof.Statement) error {
	err := b.Check()
	failed, ok := errors.AsType[*proof.BatchError](err)
	switch {
	case err == nil || ok && failed.Labels[0] >= uint64(len(list)):
		return nil
	case !ok:
		return fmt.Errorf("%w: %w", ErrUnchecked, err)
	}
	slot := failed.Labels[0]
	return newFoul(checkOf(list[slot]), "proof %d does not verify", slot)
}

func checkOf(s proof.Statement) Check {
	switch s.(type) {
	case proof.Ownership:
		return CheckOwnership
	case proof.Shuffle:
		return CheckShuffle
	case proof.Reveal:
		return CheckReveal
	case proof.Transfer:
		return CheckTransfer
	case proof.Arrange:
		return CheckArrange
	case proof.Mint:
		return CheckMint
	}
	return CheckCondition
}

// blameSeat turns an error of effect into a foul of seat, or into an attempt (50.10).
func (s *State) blameSeat(err error, seat Seat) *Fault {
	var f *Fault
	if !errors.As(err, &f) {
		f = newFoul(CheckRules, "%w", err)
	}
	class := Foul
	if s.genesis.Fouls == wire.WarnFouls && s.countAttempts(seat) < maxAttempts {
		class = Tried
	}
	return &Fault{Class: class, Check: f.Check, Seat: seat, Err: f.Err, named: f.named}
}

// Statements returns what a message of seat must prove, in the order of its proofs; player and
// verifier both use it. If other seats ask for the proof (spec 43), these are the statements that
// the message commits to, or answers.
func (s *State) Statements(seat Seat, kind Kind, body json.RawMessage) ([]proof.Statement, error) {
	if _, due := s.findDuty(seat, kind); !due {
		return nil, newVoid(CheckDue, "%s owes no message of kind %q", s.seatText(seat), kind)
	}
	if kind == Answer {
		return s.asked.statements, nil
	}
	st := newStep(s, seat, kind, body)
	if err := st.readStep(); errors.Is(err, wire.ErrDetached) {
		return nil, err
	} else if err != nil {
		return nil, s.blameSeat(err, seat)
	}
	if s.Defers() {
		return slices.DeleteFunc(st.statements, proof.IsDeferred), nil
	}
	return st.statements, nil
}
