package admission

import (
	"fmt"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// FormError says that the bytes are no entry. They do not show who made them.
type FormError struct{ Err error }

func (e *FormError) Error() string { return e.Err.Error() }

func (e *FormError) Unwrap() error { return e.Err }

// GenesisError says that a genesis entry begins no table: its organiser's
// signature, the game, the suite, an option or the seats are wrong.
type GenesisError struct {
	Table wire.Hash // what would have been its id
	Err   error
}

func (e *GenesisError) Error() string { return e.Err.Error() }

func (e *GenesisError) Unwrap() error { return e.Err }

// OrganiserError says that who signed a genesis entry may begin no tables here.
type OrganiserError struct{ Table wire.Hash } // what would have been its id

func (e *OrganiserError) Error() string {
	return "this organiser may not begin tables here"
}

// FullError says that a table has as much in the log as a table may have.
type FullError struct{ Table wire.Hash }

func (e *FullError) Error() string { return fmt.Sprintf("table %s is full", e.Table) }

// UnknownTableError says that no entry of the log begins this table, or that
// the one which does cannot be played here, because of Err.
type UnknownTableError struct {
	Table wire.Hash
	Err   error
}

func (e *UnknownTableError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("table %s cannot be played: %v", e.Table, e.Err)
	}
	return fmt.Sprintf("there is no table %s", e.Table)
}

func (e *UnknownTableError) Unwrap() error { return e.Err }

// Conflict says that a message was built on another entry than the head: play
// has moved on, or its sender has not seen all of it.
type Conflict struct {
	Table wire.Hash
	Head  wire.Hash // what the next message has to name as its parent
	Fault *table.Fault
}

func (e *Conflict) Error() string { return fmt.Sprintf("table %s: %v", e.Table, e.Fault) }

func (e *Conflict) Unwrap() error { return e.Fault }

// Refusal says which check a message failed. Nothing is stored, and the seat
// may send a better one.
type Refusal struct {
	Table wire.Hash
	Head  wire.Hash
	Fault *table.Fault
}

func (e *Refusal) Error() string { return fmt.Sprintf("table %s: %v", e.Table, e.Fault) }

func (e *Refusal) Unwrap() error { return e.Fault }
