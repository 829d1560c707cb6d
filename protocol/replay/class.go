package replay

import (
	"errors"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Leaf is a leaf of a log's tree: an entry as a log shows it, which anybody may have written.
type Leaf struct {
	Index uint64
	Hash  wire.Hash
	Table wire.Hash // that it concerns, if it parses: that it names, or else would begin
	Bytes []byte
}

// NewLeaf returns an entry with its hash, at its index.
func NewLeaf(index uint64, hash wire.Hash, entry []byte) Leaf {
	l := Leaf{index, hash, hash, entry}
	if named, ok := wire.TableNamed(entry); ok {
		l.Table = named
	}
	return l
}

// Begins reports whether the entry begins a table: it parses, and its organiser signed
// it. Anybody could have made any other.
func (l Leaf) Begins() bool {
	_, err := wire.ParseGenesis(l.Bytes)
	return err == nil
}

// Parse returns the entry. What does not parse concerns no table: it was not signed as
// anything.
func (l Leaf) Parse() (Placed, bool) {
	e, err := wire.ParseEntry(l.Bytes)
	return Placed{l.Index, e}, err == nil
}

// Placed is an entry that concerns a table, at its place in the log.
type Placed struct {
	Index uint64
	Entry *wire.Entry
}

// Blobs returns the bytes of a blob.
type Blobs func(wire.Blob) ([]byte, error)

// Step is what became of an entry that concerns a table.
type Step struct {
	Placed
	Before, After *table.State // After is Before if the entry is void; Before is nil if the table had not begun
	Fault         *table.Fault // why it was not applied; nil if it was
	Err           error        // it cannot be judged, nor what follows it: then there is no Fault
}

// Applied reports whether the entry opened the table or moved it on.
func (s Step) Applied() bool { return s.Err == nil && s.Fault == nil }

// Void reports whether the entry has no effect, and no seat is at fault.
func (s Step) Void() bool { return s.Fault != nil && s.Fault.Class == table.Void }

// Foul reports whether the entry is the fault of its seat, and ended the table.
func (s Step) Foul() bool { return s.Fault != nil && s.Fault.Class == table.Foul }

// Judge says what becomes of the next entry of a table: before is nil if it has not
// begun. Without a batch the proofs are checked at once. Otherwise the step holds only if
// the batch does, and all that was judged before.
func Judge(before *table.State, p Placed, c table.Catalogue, b proof.Batch, blobs Blobs) Step {
	s := Step{Placed: p, Before: before, After: before}
	var err error
	switch {
	case before != nil:
		s.After, err = before.Resolve(p.Entry, b, blobs)
	case p.Entry.Message != nil:
		s.Fault = early
		return s
	default:
		s.After, err = table.Open(p.Entry, c)
	}
	fault, judged := errors.AsType[*table.Fault](err)
	switch {
	case err == nil:
		return s
	case !judged:
		s.Err = err
	case fault.Class == table.Foul:
		s.Fault, s.After = fault, before.End(fault)
		return s
	}
	s.Fault, s.After = fault, before
	return s
}

// What is void for another reason than what [table.State] has to say.
var (
	early = &table.Fault{Class: table.Void, Err: errors.New("it comes before the genesis entry of its table")}
	late  = &table.Fault{Class: table.Void, Check: table.CheckOpen, Err: errors.New("the table is over")}
)

// Early reports whether the entry is void because it comes before the table begins.
func (s Step) Early() bool { return s.Fault == early }

// Tally counts entries of a table as far as its verdict comes (80.2.5).
type Tally struct {
	Applied int `json:"applied"` // messages
	Voided  int `json:"void"`
	Bytes   int `json:"bytes"` // of all entries, and of their blobs
}

// Count counts an entry. A foul one is neither applied nor void, and nothing counts that
// comes before the table, or after the verdict.
func (t *Tally) Count(s Step) {
	switch {
	case s.Err != nil || s.Early():
		return
	case s.Void():
		t.Voided++
	case s.Applied() && s.Before != nil:
		t.Applied++
	}
	t.Bytes += s.Entry.Size()
}
