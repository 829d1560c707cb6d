package verifier

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// An Extract is a Source that shows entries of one table and nothing else of the
// log: a bundle (docs/spec/85-bundle.md). Every entry that it shows is the log's;
// that it shows all there are nobody can tell.
type Extract interface {
	Source

	// Extract yields entries with their indexes, ascending. Unlike what other
	// sources show, that each is in the tree of c, the source's checkpoint, has
	// been verified: by code that is trusted like the rest of the verifier.
	Extract(c tlog.Checkpoint) (iter.Seq2[uint64, []byte], error)
}

// Shown says what an extract showed, and what it was compared with.
type Shown struct {
	Entries int    `json:"entries"` // of the table
	Last    uint64 `json:"last"`    // index of the last of them
	Size    uint64 `json:"size"`    // of the log at that time

	// Orphans are indexes of entries, each signed by its seat, whose parent is
	// not shown. An honest log has none, so something seems to be left out.
	Orphans []uint64   `json:"orphans,omitempty"`
	Against []Compared `json:"against,omitempty"`
}

// read makes the checks L2 and L3 of a source, and compares it with the others. It
// shows every entry to see. With an error it returns the check that failed or could
// not be made.
func (r *Report) read(ctx context.Context, src Source, c tlog.Checkpoint, o Options, see func(shown)) (table.Check, error) {
	a, err := newComparison(ctx, c, o)
	if err != nil {
		return CheckHistory, err
	}
	x, ok := src.(Extract)
	found := newExtracted(o.Table)
	if ok || len(o.Against) > 0 {
		first := see
		see = func(s shown) { found.take(s); first(s) }
	}
	var check table.Check
	if ok {
		check, err = a.readExtract(x, c, see)
	} else {
		check, err = readLog(ctx, src, c, &a.history, see)
	}
	if err == nil || check == CheckHistory {
		r.pass(CheckTree)
	}
	if err != nil {
		return check, err
	}
	if ok {
		r.Shown = found.describe(c)
	}
	return CheckHistory, a.finish(ctx, r, found)
}

// extracted are the entries of one table that a source shows.
type extracted struct {
	id       wire.Hash
	hashes   map[uint64]wire.Hash // by index
	last     uint64
	genesis  *wire.Genesis
	messages []*wire.Entry // that name a parent which was not shown before them
	indexes  []uint64      // of messages
	known    map[wire.Hash]bool
}

func newExtracted(id wire.Hash) *extracted {
	return &extracted{id: id, hashes: map[uint64]wire.Hash{}}
}

// take keeps what there is to know of an entry of the table. What does not parse is
// of no table.
func (e *extracted) take(s shown) {
	if s.table != e.id && s.hash != e.id {
		return
	}
	entry, err := wire.ParseEntry(s.bytes)
	if err != nil {
		return
	}
	if e.known == nil {
		e.known = map[wire.Hash]bool{}
	}
	e.hashes[s.index], e.last, e.known[s.hash] = s.hash, s.index, true
	if entry.Table != nil {
		e.genesis = entry.Table
	} else if !e.known[entry.Message.Parent] {
		e.messages, e.indexes = append(e.messages, entry), append(e.indexes, s.index)
	}
}

func (e *extracted) describe(c tlog.Checkpoint) *Shown {
	return &Shown{Entries: len(e.hashes), Last: e.last, Size: c.Size, Orphans: e.orphans()}
}

// orphans returns the places of messages, signed by their seats, whose parent is
// not shown.
func (e *extracted) orphans() []uint64 {
	if e.genesis == nil {
		return nil
	}
	_, seats, err := e.genesis.Verifiers()
	if err != nil {
		return nil
	}
	var list []uint64
	for i, entry := range e.messages {
		if m := entry.Message; !e.known[m.Parent] && m.Seat < len(seats) && entry.Verify(seats[m.Seat]) == nil {
			list = append(list, e.indexes[i])
		}
	}
	return list
}

// asShown refuses to say who owes what where entries seem to be left out, unless a
// whole log has shown that none are.
func (r *Report) asShown() error {
	if r.Verdict != Unfinished || r.Shown == nil || len(r.Shown.Orphans) == 0 || r.Shown.covered(r.Shown.Size) {
		return nil
	}
	return fmt.Errorf("verifier: entry %d builds on an entry that is not shown: one is left out, or a seat signed a parent that never was; compare it with the log", r.Shown.Orphans[0])
}

// covered reports whether the extract was compared with a whole log of this size.
func (s *Shown) covered(size uint64) bool {
	return slices.ContainsFunc(s.Against, func(a Compared) bool { return a.Whole && a.Size >= size })
}

// String says it for people.
func (s *Shown) String() string {
	text := fmt.Sprintf("As shown: %d entries of the table, the last of them entry %d, when the log had %d.\n", s.Entries, s.Last, s.Size)
	for _, index := range s.Orphans {
		text += fmt.Sprintf("Entry %d builds on an entry that is not shown.\n", index)
	}
	for _, a := range s.Against {
		text += a.String()
	}
	if len(s.Against) == 0 {
		text += "A bundle cannot show that the log has no others: compare it with the log, a mirror or another bundle.\n"
	}
	return text
}
