package toolbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// A number thrown by all (TB-19, 93.5): every seat commits to a share before any share is shown. Then
// each seat shows its own, and the number follows from all of them. It is uniform if one seat drew its
// share at random and kept it secret.

// MaxThrown bounds the numbers that can be thrown.
const MaxThrown = math.MaxInt32

// Value is a share of a number, or the commitment to one: 32 bytes, in JSON 64 lower-case
// hex digits.
type Value [sha256.Size]byte

// MarshalText implements encoding.TextMarshaler.
func (v Value) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, v[:]), nil }

// UnmarshalText accepts exactly what MarshalText writes.
func (v *Value) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil || len(b) != len(v) || bytes.ContainsAny(text, "ABCDEF") {
		return fmt.Errorf("%.70q is not a value: want 64 lower-case hex digits", text)
	}
	*v = Value(b)
	return nil
}

// Throw is a number being thrown: by seat a commitment and a share, nil if it is owed, and the number
// once all shares are there.
type Throw struct {
	Of          int      `json:"of"` // from 0 to Of − 1
	Commitments []*Value `json:"commitments"`
	Shares      []*Value `json:"shares"`
	Number      *int     `json:"number,omitempty"`
}

// Commitment returns the SHA-256 of the words pakli/v1/toolbox-share, the u16 number of the seat, the
// u32 number of the throw at its table, from 1, and the share. Since it contains the seat, a copy of
// another seat's commitment cannot be opened.
func Commitment(seat table.Seat, throw int, share Value) Value {
	b := binary.BigEndian.AppendUint16([]byte("pakli/v1/toolbox-share"), uint16(seat))
	b = binary.BigEndian.AppendUint32(b, uint32(throw))
	return sha256.Sum256(append(b, share[:]...))
}

// drawNumber derives the number from all shares. A draw beyond the last multiple of Of is repeated:
// modulo Of, small numbers would come more often.
func (t *Throw) drawNumber() int {
	shares := []byte("pakli/v1/toolbox-number")
	for _, share := range t.Shares {
		shares = append(shares, share[:]...)
	}
	of := uint64(t.Of)
	for try := uint32(0); ; try++ {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(slices.Clip(shares), try))
		if drawn := binary.BigEndian.Uint64(sum[:]); drawn < math.MaxUint64-math.MaxUint64%of {
			return int(drawn % of)
		}
	}
}

// throwStep returns the operation that a throw waits for, and its seats; "" if no throw is going on.
func (s State) throwStep() (op string, seats []table.Seat) {
	if s.Throw == nil || s.Throw.Number != nil {
		return "", nil
	}
	if seats = s.seatsWithout(s.Throw.Commitments); len(seats) > 0 {
		return "commit", seats
	}
	return "reveal", s.seatsWithout(s.Throw.Shares)
}

func (s State) seatsWithout(values []*Value) []table.Seat {
	return slices.DeleteFunc(s.allSeats(), func(seat table.Seat) bool { return values[seat] != nil })
}

// inThrow refuses shares before all commitments are there, and other operations before the number is.
func (a *stateChange) inThrow() {
	switch op, _ := a.throwStep(); {
	case op != "" && op != a.m.Op:
		a.fail("TB-19: a number is thrown, and waits for each seat to %s", op)
	case op == "" && (a.m.Op == "commit" || a.m.Op == "reveal"):
		a.fail("TB-19: no number is thrown")
	case op == "commit" || op == "reveal" || a.m.Op == "coin":
		if a.m.Value == nil {
			a.fail("TB-19: %s needs a value", a.m.Op)
		}
	}
}

// beginThrow begins a throw, with the commitment of the mover.
func (a *stateChange) beginThrow() {
	if a.m.N < 2 || a.m.N > MaxThrown {
		a.fail("TB-19: one of %d numbers: 2 to %d can be thrown", a.m.N, MaxThrown)
		return
	}
	a.Throws++
	a.Throw = &Throw{Of: a.m.N, Commitments: make([]*Value, a.Seats), Shares: make([]*Value, a.Seats)}
	a.addCommitment()
}

func (a *stateChange) addCommitment() {
	a.Throw = &Throw{Of: a.Throw.Of, Commitments: slices.Clone(a.Throw.Commitments), Shares: a.Throw.Shares}
	a.Throw.Commitments[a.in.Seat] = a.m.Value
}

func (a *stateChange) revealShare() {
	seat := a.in.Seat
	if Commitment(seat, a.Throws, *a.m.Value) != *a.Throw.Commitments[seat] {
		a.fail("TB-19: this is not the share to which seat %s committed", seat.Letter())
		return
	}
	a.Throw = &Throw{Of: a.Throw.Of, Commitments: a.Throw.Commitments, Shares: slices.Clone(a.Throw.Shares)}
	a.Throw.Shares[seat] = a.m.Value
	if op, seats := a.throwStep(); op == "reveal" && len(seats) == 0 {
		n := a.Throw.drawNumber()
		a.Throw.Number = &n
	}
}
