package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	suite    proof.AskingSuite
	last     [][]byte    // by seat: the value revealed last, or the anchor; nil: no key yet
	revealed []int       // by seat
	asked    *askedProof // what the present answer is to; nil: nothing is asked
}

// askedProof is a message that has committed to the proof of a shuffle. It never changes but for
// the values.
type askedProof struct {
	by     Seat
	kind   Kind
	before *State // the message
	step   *step  // of the message: it is taken when the proof is there
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

// askBy makes the table ask, if its suite does. A game that may need more values than a seat has
// fixed does not begin: nobody could answer for them.
func (s *State) askBy(suite proof.Suite) error {
	by, ok := proof.AsAsking(suite)
	if !ok {
		return nil
	}
	if s.genesis.Format != wire.TableFormat {
		return plainOnly(suite)
	}
	// A deal has a shuffle by each seat, and by most games less than one of a hand for each card.
	if most := s.genesis.Deals * (len(s.seats) + 2*s.pack.Len()); most > Links {
		return fmt.Errorf("suite %s: %d deals may have %d shuffles, and each seat can ask about %d: choose fewer deals", suite.Name(), s.genesis.Deals, most, Links)
	}
	n := len(s.seats)
	s.challengeState = &challengeState{suite: by, last: make([][]byte, n), revealed: make([]int, n)}
	return nil
}

// Question is a proof that is asked for: whose, by a message of which kind, and the table
// before that.
type Question struct {
	By     Seat
	Kind   Kind
	Before *State
}

// Question returns what is asked for now; false if nothing is.
func (s *State) Question() (Question, bool) {
	if s.challengeState == nil || s.asked == nil {
		return Question{}, false
	}
	return Question{s.asked.by, s.asked.kind, s.asked.before}, true
}

// AsksForProofs reports whether proofs of shuffles are asked for at this table, so that they convince its
// seats, and nobody else; and with how many bits.
func (s *State) AsksForProofs() (bits int, ok bool) {
	if s.challengeState == nil {
		return 0, false
	}
	return s.challengeState.suite.Soundness(), true
}

// AskedValues are those by which the present proof is asked for, in the order of the seats.
func (s *State) AskedValues() (values [][]byte) {
	for _, v := range s.asked.values {
		if v != nil {
			values = append(values, v)
		}
	}
	return values
}

// RevealedValues is how many values of its chain a seat has revealed.
func (s *State) RevealedValues(seat Seat) int { return s.challengeState.revealed[seat] }

// askedFor is what is owed because of a proof that is asked for: a value, by the seats of the deal
// in turn, and then the answer. Nothing is, by no seat's fault, when one that would be asked has
// revealed all that it had fixed.
func (s *State) askedFor() []Duty {
	for _, seat := range s.deal.order {
		if seat != s.asked.by && s.asked.values[seat] == nil {
			if s.revealed[seat] == Links {
				return nil
			}
			return []Duty{{Kind: Beacon, Seats: []Seat{seat}}}
		}
	}
	return []Duty{{Kind: Answer, Seats: []Seat{s.asked.by}}}
}

// readAnchoredKey reads a key with the anchor of its seat.
func readAnchoredKey(raw json.RawMessage) (key, anchor []byte, err error) {
	var body wire.AnchoredKeyBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, nil, newFoul(CheckBody, "%w", err)
	}
	if len(body.Anchor) != AnchorSize {
		return nil, nil, newFoul(CheckValues, "an anchor of %d bytes, must have %d", len(body.Anchor), AnchorSize)
	}
	return body.Key, body.Anchor, nil
}

// asksFor reports whether what a message states is proved when others have asked for it.
func (s *State) asksFor(list []proof.Statement) bool {
	if s.challengeState == nil {
		return false
	}
	return slices.ContainsFunc(list, func(st proof.Statement) bool { _, shuffle := st.(proof.Shuffle); return shuffle })
}

// takeCommitment is what a message does that states a shuffle: it asks the others for values.
func (s *State) takeCommitment(m *wire.Message, st *step) (*State, error) {
	if len(m.Proofs) != 1 || len(st.statements) != 1 {
		return nil, newFoul(CheckProofs, "%d proofs for %d statements", len(m.Proofs), len(st.statements))
	}
	if err := s.challengeState.suite.CheckCommitment(st.statements[0].(proof.Shuffle), m.Proofs[0]); err != nil {
		return nil, newFoul(CheckShuffle, "the commitment: %w", err)
	}
	next := s.clone()
	next.asked = &askedProof{by: Seat(m.Seat), kind: m.Kind, before: s, step: st, commit: m.Proofs[0], values: make([][]byte, len(s.seats))}
	return next, nil
}

func (s *State) beaconStep(seat Seat, raw json.RawMessage) (*step, error) {
	var body wire.BeaconBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	if !bytes.Equal(LinkBefore(s.id, seat, body.Value), s.last[seat]) || len(body.Value) != AnchorSize {
		return nil, newFoul(CheckBeacon, "it is not the value that the seat has fixed with its card key")
	}
	return &step{effect: func(next *State) error {
		next.last[seat], next.asked.values[seat] = body.Value, body.Value
		next.revealed[seat]++
		return nil
	}}, nil
}

// takeAnswer checks the proof that was asked for, in the state and with the statement of the
// message that has committed to it, and does what that message would have done.
func (s *State) takeAnswer(m *wire.Message, b proof.Batch) (*State, error) {
	var body wire.AnswerBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	if len(m.Proofs) != 1 {
		return nil, newFoul(CheckProofs, "%d proofs for 1 statement", len(m.Proofs))
	}
	if m.IsDetached() {
		return nil, fmt.Errorf("the answer of %s: %w", s.seatText(Seat(m.Seat)), wire.ErrDetached)
	}
	st := s.asked.step
	if err := s.verifyAnswer(st.statements[0].(proof.Shuffle), m.Proofs[0], b); err != nil {
		return nil, err
	}
	next := s.clone()
	next.asked = nil
	return next, st.effect(next)
}

// verifyAnswer is verify of an answer.
func (s *State) verifyAnswer(st proof.Shuffle, answer []byte, b proof.Batch) error {
	q, own := s.asked, b == nil
	if own {
		b = s.suite.NewBatch()
		b.Label(0)
	}
	c := q.before.Context(q.by, q.kind).Slot(0)
	if err := s.challengeState.suite.VerifyAnswer(c, st, q.commit, s.AskedValues(), answer, b); err != nil {
		return newFoul(CheckShuffle, "the answer: %w", err)
	}
	if !own {
		return nil
	}
	return firstWrong(b, []proof.Statement{st})
}
