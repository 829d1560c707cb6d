package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Challenges that the seats choose (docs/spec/43-chosen-challenges.md): who shuffles commits to
// a proof, the others reveal values that they had fixed with their card keys, and the proof
// answers these. At tables of other suites nothing here is ever reached.

const (
	// Links is how many values each seat has fixed.
	Links = 65_536
	// AnchorSize is the length of an anchor, and of a value, in bytes.
	AnchorSize = sha256.Size
)

// LinkBefore is the value of a seat before this one: SHA-256 of the words pakli/v1/beacon, the table,
// the u16 number of the seat, and the value.
func LinkBefore(table wire.Hash, seat Seat, value []byte) []byte {
	h := sha256.New()
	h.Write([]byte("pakli/v1/beacon"))
	h.Write(table[:])
	h.Write(binary.BigEndian.AppendUint16(nil, uint16(seat)))
	h.Write(value)
	return h.Sum(nil)
}

// challengeState is what a table keeps besides whose suite is proof.AskingSuite.
type challengeState struct {
	asking   proof.AskingSuite
	last     [][]byte    // by seat: the value revealed last, or the anchor; nil: no key yet
	revealed []int       // by seat
	asked    *askedProof // what the present answer is to; nil: nothing is asked
}

// askedProof is a message that has committed to the proof of a shuffle. It never changes but for
// the values.
type askedProof struct {
	*step  // of the message, at the table before it: it is taken when the proof is there
	commit []byte
	values [][]byte // by seat; nil: not revealed, or not asked for
}

// clone copies what Apply may change.
func (a *challengeState) clone() *challengeState {
	if a == nil {
		return nil
	}
	c := *a
	c.last, c.revealed = slices.Clone(a.last), slices.Clone(a.revealed)
	if a.asked != nil {
		question := *a.asked
		question.values = slices.Clone(a.asked.values)
		c.asked = &question
	}
	return &c
}

// newChallenges makes the table ask, if its suite does. A game that may need more values than a seat has
// fixed does not begin: nobody could answer for them.
func (o *opening) newChallenges(seats int) (*challengeState, error) {
	by, ok := proof.AsAsking(o.suite)
	if !ok {
		return nil, nil
	}
	if o.genesis.Format != wire.TableFormat {
		return nil, plainOnly(o.suite)
	}
	// A deal has a shuffle by each seat, and by most games less than one of a hand for each card.
	if most := o.genesis.Deals * (seats + 2*o.pack.Len()); most > Links {
		return nil, fmt.Errorf("suite %s: %d deals may have %d shuffles, and each seat can ask about %d: choose fewer deals", o.suite.Name(), o.genesis.Deals, most, Links)
	}
	return &challengeState{asking: by, last: make([][]byte, seats), revealed: make([]int, seats)}, nil
}

// Question is a proof that is asked for: of a message of which kind, and the table before that.
type Question struct {
	Kind   Kind
	Before *State
}

// Question returns what is asked for now; false if nothing is.
func (a *challengeState) Question() (Question, bool) {
	if a == nil || a.asked == nil {
		return Question{}, false
	}
	return Question{a.asked.kind, a.asked.State}, true
}

// AsksForProofs reports whether proofs of shuffles are asked for at this table, so that they convince its
// seats, and nobody else; and with how many bits.
func (a *challengeState) AsksForProofs() (bits int, ok bool) {
	if a == nil {
		return 0, false
	}
	return a.asking.Soundness(), true
}

// AskedValues are those by which the present proof is asked for, in the order of the seats.
func (a *challengeState) AskedValues() (values [][]byte) {
	for _, v := range a.asked.values {
		if v != nil {
			values = append(values, v)
		}
	}
	return values
}

// RevealedValues is how many values of its chain a seat has revealed.
func (a *challengeState) RevealedValues(seat Seat) int { return a.revealed[seat] }

// askedFor is what is owed because of a proof that is asked for: a value, by the seats of the deal,
// which are these, in turn, and then the answer. Nothing is, by no seat's fault, when one that would be asked has
// revealed all that it had fixed.
func (a *challengeState) askedFor(order []Seat) []Duty {
	for _, seat := range order {
		if seat != a.asked.seat && a.asked.values[seat] == nil {
			if a.revealed[seat] == Links {
				return nil
			}
			return []Duty{{Kind: Beacon, Seats: []Seat{seat}}}
		}
	}
	return []Duty{{Kind: Answer, Seats: []Seat{a.asked.seat}}}
}

// takeCommitment is what a message does that states a shuffle: it asks the others for values.
func (st *step) takeCommitment(proofs [][]byte) (*State, error) {
	if len(proofs) != 1 || len(st.statements) != 1 {
		return nil, newFoul(CheckProofs, "%d proofs for %d statements", len(proofs), len(st.statements))
	}
	if err := st.asking.CheckCommitment(st.statements[0].(proof.Shuffle), proofs[0]); err != nil {
		return nil, newFoul(CheckShuffle, "the commitment: %w", err)
	}
	next := st.clone()
	next.asked = &askedProof{step: st, commit: proofs[0], values: make([][]byte, len(st.seats))}
	return next, nil
}

func (st *step) revealValue() error {
	var body wire.BeaconBody
	if err := st.readBody(&body); err != nil {
		return err
	}
	if !bytes.Equal(LinkBefore(st.id, st.seat, body.Value), st.last[st.seat]) || len(body.Value) != AnchorSize {
		return newFoul(CheckBeacon, "it is not the value that the seat has fixed with its card key")
	}
	st.effect = func(next *State) error {
		next.last[st.seat], next.asked.values[st.seat] = body.Value, body.Value
		next.revealed[st.seat]++
		return nil
	}
	return nil
}

// takeAnswer checks the proof that was asked for, in the state and with the statement of the
// message that has committed to it, and does what that message would have done.
func (st *step) takeAnswer(m *wire.Message, b proof.Batch) (*State, error) {
	if err := st.readBody(new(wire.AnswerBody)); err != nil {
		return nil, err
	}
	if len(m.Proofs) != 1 {
		return nil, newFoul(CheckProofs, "%d proofs for 1 statement", len(m.Proofs))
	}
	if m.IsDetached() {
		return nil, fmt.Errorf("the answer of %s: %w", st.seatText(st.seat), wire.ErrDetached)
	}
	q, own := st.asked, b == nil
	if own {
		b = st.suite.NewBatch()
		b.Label(0)
	}
	err := st.asking.VerifyAnswer(q.Context(q.seat, q.kind).Slot(0), q.statements[0].(proof.Shuffle), q.commit, st.AskedValues(), m.Proofs[0], b)
	if err != nil {
		return nil, newFoul(CheckShuffle, "the answer: %w", err)
	}
	if own {
		if err := firstWrong(b, q.statements); err != nil {
			return nil, err
		}
	}
	next := st.clone()
	next.asked = nil
	return next, q.effect(next)
}
