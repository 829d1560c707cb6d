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

// Challenges chosen by the seats (docs/spec/43-chosen-challenges.md): a seat that shuffles commits
// to a proof, the others reveal values that they had fixed with their card keys, and the proof
// answers these values. Tables of other suites never reach this code.

const (
	// Links is the number of values that each seat has fixed.
	Links = 65_536
	// AnchorSize is the length of an anchor, and of a value, in bytes.
	AnchorSize = sha256.Size
)

// LinkBefore returns the value that precedes value in a seat's chain: SHA-256 of the words
// pakli/v1/beacon, the table, the u16 number of the seat, and the value.
func LinkBefore(table wire.Hash, seat Seat, value []byte) []byte {
	h := sha256.New()
	h.Write([]byte("pakli/v1/beacon"))
	h.Write(table[:])
	h.Write(binary.BigEndian.AppendUint16(nil, uint16(seat)))
	h.Write(value)
	return h.Sum(nil)
}

// challengeState is the further state of a table whose suite is a proof.AskingSuite.
type challengeState struct {
	asking   proof.AskingSuite
	last     [][]byte    // by seat: the value revealed last, or else the anchor; nil: no key posted
	revealed []int       // by seat: how many values
	asked    *askedProof // the proof being asked for; nil: none
}

// askedProof is a message that has committed to the proof of a shuffle. Only its values ever
// change.
type askedProof struct {
	*step  // the message's, at the table before it; its effect waits for the proof
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

// newChallenges returns the challenge state of a new table, or nil if its suite does not ask. It
// refuses a game that may need more values than a seat has fixed: nobody could answer for the rest.
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

// Question is a proof that is asked for: the kind of the message that committed to it, and the
// table before that message.
type Question struct {
	Kind   Kind
	Before *State
}

// Question returns the proof that is asked for now; false if none is.
func (a *challengeState) Question() (Question, bool) {
	if a == nil || a.asked == nil {
		return Question{}, false
	}
	return Question{a.asked.kind, a.asked.State}, true
}

// AsksForProofs reports whether the seats ask for proofs of shuffles, which then convince these
// seats and nobody else, and with how many bits of soundness.
func (a *challengeState) AsksForProofs() (bits int, ok bool) {
	if a == nil {
		return 0, false
	}
	return a.asking.Soundness(), true
}

// AskedValues returns the values revealed for the present proof, in the order of the seats. A proof
// must be asked for.
func (a *challengeState) AskedValues() (values [][]byte) {
	for _, v := range a.asked.values {
		if v != nil {
			values = append(values, v)
		}
	}
	return values
}

// RevealedValues counts the values of its chain that a seat has revealed.
func (a *challengeState) RevealedValues(seat Seat) int { return a.revealed[seat] }

// askedFor returns what is owed while a proof is asked for: a value of each other seat of order, in
// turn, and then the answer. It returns nothing, and no seat is at fault, if the next seat to ask
// has revealed all its values.
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

// takeCommitment applies a message that states a shuffle: the table then asks the other seats for
// values.
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

// takeAnswer checks the proof that was asked for, against the state and the statement of the
// message that committed to it, and then takes the effect of that message.
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
