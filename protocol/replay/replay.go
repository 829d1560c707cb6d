package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// batchEntries bounds the entries that are judged before their proofs are checked together. Beyond
// some hundreds a larger batch gains little and only costs memory.
const batchEntries = 512

// BatchBytes bounds the bytes of these entries with their blobs, over all replays of a process.
// Blobs are read one message after another.
const BatchBytes = 32 << 20

// Replay replays tables side by side, entry by entry as the log shows them. A table gets the steps
// that it would get alone, since a failing batch names every wrong message, and a table is judged
// by its first. It is for one goroutine.
type Replay struct {
	Marks table.Marks // of the log; nil: the log has none

	catalogue table.Catalogue
	blobs     Blobs
	tell      func(id wire.Hash, s Step)
	room      int // bytes for the entries of a batch
	tables    map[wire.Hash]*replayedTable
	batches   map[string]*batch // by suite
}

// replayedTable is a table with what is known of it so far.
type replayedTable struct {
	id    wire.Hash
	began *wire.Genesis
	taken *table.State // after all entries taken, if their proofs hold; nil: the table is closed
	told  *table.State // after all entries told; nil: the table is closed
	stuck bool         // an entry cannot be judged
}

// New returns a Replay of no tables, one of workers Replays that share [BatchBytes]. It calls tell
// for each entry of a table in the order of the log, from the genesis entry on.
func New(c table.Catalogue, blobs Blobs, workers int, tell func(id wire.Hash, s Step)) *Replay {
	return &Replay{catalogue: c, blobs: blobs, tell: tell, room: BatchBytes / workers, tables: map[wire.Hash]*replayedTable{}, batches: map[string]*batch{}}
}

// CloseTable forgets the state of a table that is over. All later entries of it are void.
func (r *Replay) CloseTable(id wire.Hash) { r.tables[id].taken, r.tables[id].told = nil, nil }

// Drop forgets a table as if it had not begun. Requires: SettleBatches since the last TakeLeaf.
func (r *Replay) Drop(id wire.Hash) { delete(r.tables, id) }

// TakeLeaf takes the next entry of a log, if it begins a table or concerns one that has begun.
// Indexes ascend from one SettleBatches to the next.
func (r *Replay) TakeLeaf(e Leaf) {
	t := r.tables[e.Table]
	if t == nil && !e.BeginsTable() || t != nil && t.stuck {
		return
	}
	p, ok := e.Parse()
	switch {
	case !ok:
	case t != nil && !t.began.Takes(p.Entry):
	case t == nil:
		r.openTable(e.Table, p)
	case t.told == nil:
		r.tell(t.id, Step{PlacedEntry: p, Fault: late})
	default:
		r.judgeEntry(t, p)
	}
}

func (r *Replay) openTable(id wire.Hash, p PlacedEntry) {
	s := Judge(nil, p, r.catalogue, nil, nil, nil)
	t := &replayedTable{id: id, began: p.Entry.Table, taken: s.After, told: s.After, stuck: s.Err != nil}
	r.tables[id] = t
	r.tell(id, s)
}

// judgeEntry judges an entry, and adds its proofs to the batch of the table's suite.
func (r *Replay) judgeEntry(t *replayedTable, p PlacedEntry) {
	b := r.suiteBatch(t.taken.Suite())
	b.proofs.Label(p.Index)
	s := Judge(t.taken, p, r.catalogue, b.proofs, r.blobs, r.Marks)
	t.taken = s.After
	b.steps = append(b.steps, pendingStep{t, s})
	if s.IsVoid() {
		b.bytes += len(p.Entry.Bytes()) // without its blobs, which are not needed
	} else {
		b.bytes += p.Entry.Size()
	}
	if len(b.steps) >= batchEntries || b.bytes >= r.room {
		r.settleBatch(b)
	}
}

// batch is judged entries, in order, with the proofs that they rest on.
type batch struct {
	proofs proof.Batch
	steps  []pendingStep
	bytes  int
}

type pendingStep struct {
	table *replayedTable
	Step
}

func (r *Replay) suiteBatch(suite proof.Suite) *batch {
	b, ok := r.batches[suite.Name()]
	if !ok {
		b = &batch{proofs: suite.NewBatch()}
		r.batches[suite.Name()] = b
	}
	return b
}

// SettleBatches checks all proofs collected so far, and tells all steps taken.
func (r *Replay) SettleBatches() {
	for _, b := range r.batches {
		r.settleBatch(b)
	}
}

// settleBatch checks a batch. The first message of a table whose proofs are wrong is its foul, and
// the entries after it are judged again.
func (r *Replay) settleBatch(b *batch) {
	err := b.proofs.Check()
	var wrong []uint64
	if failed, ok := errors.AsType[*proof.BatchError](err); ok {
		wrong, err = failed.Labels, nil
	}
	for _, p := range b.steps {
		if t := p.table; !t.stuck {
			r.tellStep(t, r.settledStep(t, p.Step, wrong, err))
		}
	}
	clear(b.steps)
	b.steps, b.bytes = b.steps[:0], 0
}

// settledStep returns the step once its batch was checked.
func (r *Replay) settledStep(t *replayedTable, s Step, wrong []uint64, failed error) Step {
	switch {
	case t.told == nil:
		return Step{PlacedEntry: s.PlacedEntry, Fault: late}
	case t.told != s.Before:
		// Only the batch has shown the foul before this entry.
		return Judge(t.told, s.PlacedEntry, r.catalogue, nil, r.blobs, r.Marks)
	case failed != nil && !s.IsVoid():
		s.Err, s.Fault = fmt.Errorf("%w: %w", table.ErrUnchecked, failed), nil
		return s
	}
	if _, is := slices.BinarySearch(wrong, s.Index); !is {
		return s
	}
	alone := Judge(s.Before, s.PlacedEntry, r.catalogue, nil, r.blobs, r.Marks) // finds the false statement
	if alone.IsApplied() {
		alone.Err = errors.New("it fails in a batch and holds alone: please report this fault of the verifier")
	}
	return alone
}

func (r *Replay) tellStep(t *replayedTable, s Step) {
	t.taken, t.told, t.stuck = s.After, s.After, s.Err != nil
	r.tell(t.id, s)
}

// Leaf is a leaf of a log's tree: an entry as the log shows it, which anybody may have written.
type Leaf struct {
	Index uint64
	Hash  wire.Hash
	Table wire.Hash // the table that it concerns if it parses: the one that it names, or would begin
	Bytes []byte
}

// NewLeaf returns the leaf of an entry at an index.
func NewLeaf(index uint64, hash wire.Hash, entry []byte) Leaf {
	l := Leaf{index, hash, hash, entry}
	if named, ok := wire.TableNamed(entry); ok {
		l.Table = named
	}
	return l
}

// BeginsTable reports whether the entry begins a table: it parses, and the organiser that it names
// signed it. Anybody could have made any other.
func (l Leaf) BeginsTable() bool {
	_, err := wire.ParseGenesis(l.Bytes)
	return err == nil
}

// Parse returns the entry; false if it does not parse, and so concerns no table.
func (l Leaf) Parse() (PlacedEntry, bool) {
	e, err := wire.ParseEntry(l.Bytes)
	return PlacedEntry{l.Index, e}, err == nil
}

// PlacedEntry is an entry that concerns a table, at its index in the log.
type PlacedEntry struct {
	Index uint64
	Entry *wire.Entry
}

// Blobs returns the bytes of a blob.
type Blobs func(wire.Blob) ([]byte, error)

// Step is what became of an entry that concerns a table. An attempt has a Fault and moved the head,
// but IsFoul and IsVoid are false for it.
type Step struct {
	PlacedEntry
	// Before is nil if the table had not begun. After is Before if the entry is void, except for
	// branches (52.10).
	Before, After *table.State
	Fault         *table.Fault // why it was not applied; nil if it was
	Err           error        // why it cannot be judged, nor the entries after it; then Fault is nil
}

// IsApplied reports whether the entry opened the table or moved it on by the rules.
func (s Step) IsApplied() bool { return s.Err == nil && s.Fault == nil }

// IsVoid reports whether the entry has no effect, and no seat is at fault.
func (s Step) IsVoid() bool { return s.Fault != nil && s.Fault.Class == table.Void }

// IsAttempt reports whether the entry is an attempt (50.10).
func (s Step) IsAttempt() bool { return s.Fault != nil && s.Fault.Class == table.Tried }

// IsFoul reports whether the entry is its seat's fault and ended the table.
func (s Step) IsFoul() bool { return s.Fault != nil && s.Fault.Class == table.Foul }

// BlamedFault returns the fault of an earlier entry that this entry, though applied, has shown and
// that ended the table; nil if there is none.
func (s Step) BlamedFault() *table.Fault {
	if !s.IsApplied() {
		return nil
	}
	return s.After.Foul()
}

// Judge says what becomes of the next entry of a table; before is nil if the table has not begun.
// Without a batch it checks the proofs at once. Otherwise the step holds only if the batch does,
// with everything judged before.
func Judge(before *table.State, p PlacedEntry, c table.Catalogue, b proof.Batch, blobs Blobs, marks table.Marks) Step {
	s := Step{PlacedEntry: p, Before: before, After: before}
	facts := table.Facts{Batch: b, Index: p.Index, Marks: marks}
	var after *table.State
	var err error
	switch {
	case before != nil:
		after, err = before.Resolve(p.Entry, facts, blobs)
	case p.Entry.Table == nil:
		s.Fault = early
		return s
	default:
		after, err = table.Open(p.Entry, c)
	}
	if err == nil {
		s.After = after.AtIndex(p.Index)
		return s
	}
	s.setFailure(err)
	if before == nil || !s.IsVoid() {
		return s
	}
	if s.After, err = before.TakeBeside(p.Entry, facts, blobs); err != nil { // even a void entry may have consequences (52.10)
		s.Fault, s.After = nil, before
		s.setFailure(err)
	}
	return s
}

// setFailure sets the step of an entry that was not applied because of err.
func (s *Step) setFailure(err error) {
	fault, judged := errors.AsType[*table.Fault](err)
	if !judged {
		s.Err = err
		return
	}
	if s.Fault = fault; fault.Class != table.Void {
		s.After = s.Before.WithFault(fault, s.Entry.Hash).AtIndex(s.Index)
	}
}

// Reasons for an entry to be void that [State] of package table does not give.
var (
	early = &table.Fault{Class: table.Void, Err: errors.New("it comes before the genesis entry of its table")}
	late  = &table.Fault{Class: table.Void, Check: table.CheckOpen, Err: errors.New("the table is over")}
)

// IsEarly reports whether the entry is void because its table has not begun.
func (s Step) IsEarly() bool { return s.Fault == early }

// Tally counts the entries of a table up to its verdict (80.2.5).
type Tally struct {
	Applied   int `json:"applied"` // messages
	Acts      int `json:"acts,omitempty"`
	Attempted int `json:"attempted,omitempty"`
	Voided    int `json:"void"`
	Bytes     int `json:"bytes"` // of all entries counted, and of their blobs
}

// CountStep counts an entry. A foul is neither applied nor void, and its bytes count. Entries
// before the table begins, or that cannot be judged, do not count.
func (t *Tally) CountStep(s Step) {
	switch {
	case s.Err != nil || s.IsEarly():
		return
	case s.IsVoid():
		t.Voided++
	case s.IsAttempt():
		t.Attempted++
	case s.IsApplied() && s.Entry.Act != nil:
		t.Acts++
	case s.IsApplied() && s.Before != nil:
		t.Applied++
	}
	t.Bytes += s.Entry.Size()
}
