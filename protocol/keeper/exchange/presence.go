package exchange

import (
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// PresenceFormat is that of what a seat says of where it is.
const PresenceFormat = "presence/v1"

// Presence is what a seat says to keepers of where it is in a table, signed as its messages are. No log takes it.
type Presence struct {
	Format string    `json:"pakli"`
	Table  wire.Hash `json:"table"`
	Seat   int       `json:"seat"`
	Head   wire.Hash `json:"head"` // of the history that it is shown
	State  string    `json:"state"`
	Time   int64     `json:"time"` // milliseconds; a later presence has a higher one
}

// States of a seat.
const (
	Here   = "here"   // it can answer what the head asks of it
	Lost   = "lost"   // it cannot: something is not shown to it that it needs
	Rests  = "rests"  // nothing is asked at the head, and it may go until that changes
	Leaves = "leaves" // nothing will be asked of it any more, or it must not answer: it goes for good
)

// SignPresence returns the document.
func SignPresence(p keeper.Place, state string, now time.Time, s note.Signer) ([]byte, error) {
	return wire.SignDocument(Presence{PresenceFormat, p.Table, p.Seat, p.Parent, state, now.UnixMilli()}, s)
}

// ParsePresence reads what SignPresence writes, and nothing else. The signature is not verified.
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

// Place is where the seat says that it is.
func (p Presence) Place() keeper.Place {
	return keeper.Place{Table: p.Table, Parent: p.Head, Seat: p.Seat}
}

// A seat says where it is three times in as long as the grace of its table, of which no less and no more than this counts.
const (
	PresenceLeast = 3 * time.Second
	PresenceMost  = time.Minute
)

// PresenceEvery is how often it says so.
func PresenceEvery(grace time.Duration) time.Duration {
	return max(PresenceLeast, min(grace, PresenceMost)) / 3
}
