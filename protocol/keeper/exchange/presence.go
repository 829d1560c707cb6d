package exchange

import (
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// PresenceFormat is the format of a Presence.
const PresenceFormat = "presence/v1"

// Presence is a seat's statement to keepers of where it is in a table, signed like its messages. No
// log takes it.
type Presence struct {
	Format string    `json:"pakli"`
	Table  wire.Hash `json:"table"`
	Seat   int       `json:"seat"`
	Head   wire.Hash `json:"head"` // of the history that the seat is shown
	State  string    `json:"state"`
	Time   int64     `json:"time"` // milliseconds; a later presence has a higher one
}

// States of a seat.
const (
	Here   = "here"   // it can answer what the head asks
	Lost   = "lost"   // it cannot: it is not shown something that it needs
	Rests  = "rests"  // the head asks nothing of it; it may go until that changes
	Leaves = "leaves" // it goes for good: nothing more is asked of it, or it must not answer
)

// SignPresence returns the signed Presence of a seat at a place.
func SignPresence(p keeper.Place, state string, now time.Time, s note.Signer) ([]byte, error) {
	return wire.SignDocument(Presence{PresenceFormat, p.Table, p.Seat, p.Parent, state, now.UnixMilli()}, s)
}

// ParsePresence reads exactly what SignPresence writes. It does not verify the signature.
func ParsePresence(doc []byte) (p Presence, d *wire.Entry, err error) {
	if d, err = wire.ParseDocument(doc, wire.MaxDocument, PresenceFormat, &p); err != nil {
		return p, nil, err
	}
	switch p.State {
	case Here, Lost, Rests, Leaves:
	default:
		return p, nil, fmt.Errorf("%.20q is no state of a seat", p.State)
	}
	if p.Seat < 0 || p.Seat >= wire.MaxSeats || p.Time <= 0 {
		return p, nil, fmt.Errorf("seat %d, must be 0 to %d, at time %d, must be above 0", p.Seat, wire.MaxSeats-1, p.Time)
	}
	return p, d, nil
}

// Place returns where the seat says that it is.
func (p Presence) Place() keeper.Place {
	return keeper.Place{Table: p.Table, Parent: p.Head, Seat: p.Seat}
}

// A seat sends a Presence three times within the grace of its table. A grace outside these bounds
// counts as the nearer bound.
const (
	PresenceLeast = 3 * time.Second
	PresenceMost  = time.Minute
)

// PresenceEvery returns the time between two Presences of a seat.
func PresenceEvery(grace time.Duration) time.Duration {
	return max(PresenceLeast, min(grace, PresenceMost)) / 3
}
