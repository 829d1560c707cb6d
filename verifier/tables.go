package verifier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// batchMessages bounds the messages whose proofs are collected before they are
// checked together; beyond some hundreds a larger batch gains little and only
// costs memory. batchBytes bounds what they take, all entries and their blobs: if the
// tables are shared among workers, in the batches of all of them. Blobs are read one
// message after another.
const (
	batchMessages = 512
	batchBytes    = 32 << 20
)

// replays are tables that are replayed side by side, message by message as the
// log shows them. The proofs of all of them go into one batch for each suite: a
// table gets the verdict that it would get alone, since a batch that fails names
// every message that is wrong, and a table is judged by its first.
//
// A table that is over keeps its report and nothing else.
type replays struct {
	catalogue table.Catalogue
	blob      getBlob
	tables    map[wire.Hash]*replay
	batches   map[string]*collection // by suite
	over      atomic.Int64           // tables of which no state is kept any more
	room      int                    // for the messages of a batch, in bytes
}

// newReplays returns the replays of one of so many workers.
func newReplays(ctx context.Context, src Source, c table.Catalogue, workers int) *replays {
	return &replays{catalogue: c, blob: blobsOf(ctx, src), tables: map[wire.Hash]*replay{}, batches: map[string]*collection{}, room: batchBytes / workers}
}

// replay is a table with what is known of it so far.
type replay struct {
	report *Report
	state  *table.State // nil if nothing can count any more
	foul   *claim       // that ends it, with its fault
	fault  *table.Fault
	err    error // it cannot be checked
}

// logged is an entry of the table with its place in the log.
type logged struct {
	index uint64
	entry *wire.Entry
}

// claim is a message that was applied, or would be but for a foul, with proofs
// that are yet to be checked, and with what was so before it.
type claim struct {
	table  *replay
	m      logged
	before *table.State
	tally  Tally
}

// collection is a batch with the messages whose proofs are in it, in the order of
// their labels, which are their indexes.
type collection struct {
	batch  proof.Batch
	claims []*claim
	bytes  int // of the messages
}

// take takes the next entry of a table. One that does not parse is of no table:
// it was not signed as anything. One that begins a table and is not signed by its
// organiser begins none: anybody could have made it. Messages in the log before the genesis entry are
// void, and the genesis entry repeated too, like everything that a log could have
// moved.
func (s *replays) take(e shown) {
	id := e.table
	if _, begun := s.tables[id]; !begun {
		id = e.hash
	}
	r, begun := s.tables[id]
	if begun && r.ended() {
		return
	}
	entry, err := wire.ParseEntry(e.bytes)
	switch m := (logged{e.index, entry}); {
	case err != nil:
	case begun:
		s.apply(r, m)
	case entry.VerifyOrganiser() == nil:
		r := open(m, s.catalogue)
		s.tables[e.hash] = r
		if r.state == nil {
			s.over.Add(1)
		}
	}
}

// open begins a table.
func open(m logged, c table.Catalogue) *replay {
	r := &replay{report: newReport(m.entry.Hash, false)}
	if r.state, r.err = table.Open(m.entry, c); r.err != nil {
		r.err = fmt.Errorf("verifier: table %s: %w", m.entry.Hash, r.err)
		return r
	}
	r.report.begin(r.state, m)
	return r
}

// ended reports whether what follows does not matter.
func (r *replay) ended() bool { return r.fault != nil || r.err != nil }

// apply applies an entry, and adds its proofs to the batch of its suite.
func (s *replays) apply(r *replay, m logged) {
	if r.state == nil {
		r.report.count(m, false)
		return
	}
	to := s.collection(r.state.Suite())
	to.batch.Label(m.index)
	next, err := r.state.Resolve(m.entry, to.batch, s.blob)
	if f := new(table.Fault); errors.As(err, &f) && f.Class == table.Void {
		r.report.count(m, false)
		return
	}
	c := &claim{r, m, r.state, r.report.Tally}
	to.claims, to.bytes = append(to.claims, c), to.bytes+m.size()
	switch {
	case errors.Is(err, wire.ErrDetached):
		r.err = fmt.Errorf("verifier: entry %d: %w", m.index, err)
	case err != nil:
		r.foul, r.fault = c, asFoul(err)
	default:
		r.report.count(m, true)
		r.state = next
		r.report.follow(next, m)
	}
	if len(to.claims) >= batchMessages || to.bytes >= s.room {
		s.over.Add(to.settle())
	}
}

func (s *replays) collection(suite proof.Suite) *collection {
	c, ok := s.batches[suite.Name()]
	if !ok {
		c = &collection{batch: suite.NewBatch()}
		s.batches[suite.Name()] = c
	}
	return c
}

// settle checks all proofs collected so far.
func (s *replays) settle() {
	for _, c := range s.batches {
		s.over.Add(c.settle())
	}
}

// settle checks the batch. The first message of a table whose proofs are wrong is
// its foul, whatever else was found after it. It returns how many tables are over
// with that.
func (c *collection) settle() (over int64) {
	err := c.batch.Check()
	if wrong, ok := errors.AsType[*proof.BatchError](err); ok {
		for _, label := range wrong.Labels {
			at, _ := slices.BinarySearchFunc(c.claims, label, func(c *claim, label uint64) int { return cmp.Compare(c.m.index, label) })
			c.claims[at].refute()
		}
	} else if err != nil {
		for _, claim := range c.claims {
			claim.table.unchecked(err)
		}
	}
	for _, claim := range c.claims {
		if claim.table.close() {
			over++
		}
	}
	clear(c.claims)
	c.claims, c.bytes = c.claims[:0], 0
	return over
}

// unchecked ends the table without a verdict: its proofs may be false.
func (r *replay) unchecked(err error) {
	r.foul, r.fault, r.err = nil, nil, fmt.Errorf("verifier: %w: %w", table.ErrUnchecked, err)
}

// refute ends the table with a message that fails in the batch, unless it ended
// before. The message is checked alone, so that the report can say which statement
// is false.
func (c *claim) refute() {
	r := c.table
	if r.foul != nil && r.foul.m.index < c.m.index {
		return
	}
	_, err := c.before.Apply(c.m.entry, nil)
	r.foul, r.fault, r.err = c, asFoul(err), nil
	if r.fault == nil {
		r.err = fmt.Errorf("verifier: entry %d fails in a batch and holds alone: please report this fault of the verifier", c.m.index)
	}
}

func asFoul(err error) *table.Fault {
	if f, ok := errors.AsType[*table.Fault](err); ok && f.Class == table.Foul {
		return f
	}
	return nil
}

// close writes the verdict of a table whose proofs were checked, if it is over and has
// none yet.
func (r *replay) close() bool {
	switch {
	case r.state == nil:
		return false
	case r.fault != nil:
		r.report.foul(r.foul, r.fault)
	case r.err == nil && len(r.state.Duties()) > 0:
		return false
	case r.err == nil:
		r.report.end(r.state)
	}
	r.state, r.foul = nil, nil
	return true
}

// result is what is true of a table, once all proofs were checked, in a log of
// which that is true.
func (s *replays) result(id wire.Hash, log *Report) Table {
	if log.Verdict == LogBroken {
		r := *log
		r.Table = id
		return Table{Report: &r}
	}
	r, ok := s.tables[id]
	if !ok {
		return Table{Report: newReport(id, false).of(log), Err: fmt.Errorf("verifier: the log has no table %s", id)}
	}
	if r.state != nil && !r.ended() {
		r.report.end(r.state)
	}
	t := Table{Report: r.report.of(log), Err: r.err}
	if t.Err == nil {
		t.Err = t.asShown()
	}
	return t
}
