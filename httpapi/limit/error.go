package limit

import (
	"fmt"
	"time"
)

// Reason names a bound; it is stable, and counted by it.
type Reason string

// The bounds.
const (
	AddressRate   Reason = "address-rate"   // posts of one address
	KeyRate       Reason = "key-rate"       // messages of one seat or organiser
	TableRate     Reason = "table-rate"     // new tables of one address
	GlobalRate    Reason = "global-rate"    // posts of everybody
	SeatProofs    Reason = "seat-proofs"    // costly proofs of a seat that has sent wrong ones
	AddressProofs Reason = "address-proofs" // costly proofs of an address that wrong ones came from
	AddressTime   Reason = "address-time"   // processor time of one address
	Concurrency   Reason = "concurrency"    // requests, bytes or polls at the same time
	CheckQueue    Reason = "check-queue"    // callers that wait for a processor
)

// Error says that a caller has to come again later.
type Error struct {
	Reason Reason
	Wait   time.Duration // how long, if that is known
}

func (e *Error) Error() string {
	switch e.Reason {
	case AddressRate:
		return "too many posts from this address"
	case KeyRate:
		return "too many messages under this key"
	case TableRate:
		return "too many new tables from this address"
	case GlobalRate:
		return "too many posts"
	case SeatProofs:
		return "this seat has sent wrong proofs, and each makes it wait longer"
	case AddressProofs:
		return "too many wrong proofs from this address"
	case AddressTime:
		return "too many requests from this address"
	case Concurrency:
		return "too many requests at the same time"
	case CheckQueue:
		return "too many proofs wait to be checked"
	}
	return fmt.Sprintf("over the limit %q", string(e.Reason))
}

// Personal tells whether it is this caller who asks for too much, and not
// everybody together.
func (e *Error) Personal() bool {
	switch e.Reason {
	case AddressRate, AddressTime, KeyRate, TableRate, SeatProofs, AddressProofs:
		return true
	}
	return false
}
