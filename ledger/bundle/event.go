package bundle

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// maxTables bounds the tables that the bundle of an event lists.
const maxTables = 1 << 16

// EventName is the name of an event's bundle in its directory.
const EventName = "event.pakli"

// CollectEvent makes the bundle of an event from all entries of a log under c: the event's entries,
// a list of the tables that its organiser began for it, and the marks that show the time to appeal
// and when each table was played. Bundles of these tables under the same checkpoint complete it. If
// the event has keepers, CollectEvent calls ends for the index of the last entry of each table that
// counts: only a replay can tell it from void entries that follow. For a table that ends does not
// list, it is the last entry.
func CollectEvent(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, id wire.Hash, keys Keys, ends func(context.Context) (map[wire.Hash]uint64, error)) (*Bundle, error) {
	e := eventCollector{id: id, tables: map[wire.Hash]*[2]uint64{}, times: marks.New(keys.Verifiers()...), marked: map[wire.Hash]Entry{}}
	if err := tlog.ReadAll(ctx, src, c, e.takeEntry); err != nil {
		return nil, err
	}
	if e.past == nil {
		return nil, fmt.Errorf("the log has no event %s", id)
	}
	if len(e.past.Terms.Clock.Keepers) > 0 {
		known, err := ends(ctx)
		if err != nil {
			return nil, err
		}
		for table, at := range e.tables {
			if end, is := known[table]; is {
				at[1] = end
			}
		}
	}
	b := Bundle{Event: id, Keys: keys, Checkpoint: c, Entries: e.entries, Tables: slices.Collect(maps.Keys(e.tables)), Marks: e.shownMarks()}
	slices.SortFunc(b.Tables, func(a, b wire.Hash) int { return bytes.Compare(a[:], b[:]) })
	if err := b.addProofs(e.hashes); err != nil {
		return nil, err
	}
	return New(b)
}

// eventCollector collects an event and the tree of the log while the log is read.
type eventCollector struct {
	id      wire.Hash
	past    *event.History
	entries []Entry
	tables  map[wire.Hash]*[2]uint64 // the indexes of the first and the last entry of each that counts
	times   *marks.Marks
	marked  map[wire.Hash]Entry // marks after the event's entry, if it has keepers
	hashes  storedHashes
}

func (e *eventCollector) takeEntry(entry []byte, leaf tlog.Hash, tree *tlog.Tree) error {
	at := Entry{tree.Size() - 1, entry}
	e.times.Take(at.Index, leaf, entry)
	more, err := sumdb.StoredHashesForRecordHash(int64(at.Index), leaf, e.hashes)
	e.hashes = append(e.hashes, more...)
	if err != nil || e.past == nil && wire.Hash(leaf) != e.id {
		return err
	}
	e.keepNeeded(at, wire.Hash(leaf))
	return nil
}

func (e *eventCollector) keepNeeded(at Entry, hash wire.Hash) {
	if wire.BeginsMark(at.Bytes) {
		e.keepMark(at, hash)
		return
	}
	if table, names := wire.TableNamed(at.Bytes); names {
		if seen := e.tables[table]; seen != nil {
			seen[1] = at.Index
		}
		return
	}
	parsed, err := bulletin.Parse(at.Bytes)
	if err != nil {
		return
	}
	switch at.Bytes = bytes.Clone(at.Bytes); {
	case e.past == nil:
		e.past, _ = event.Open(parsed, at.Index)
		e.entries = []Entry{at}
	case parsed.NamedEvent() == e.id:
		_ = e.past.TakeEntry(parsed, at.Index) // the history lists void entries
		e.entries = append(e.entries, at)
	case parsed.Table != nil && e.tables[hash] == nil && isTableOf(parsed.Entry, e.past):
		e.tables[hash] = &[2]uint64{at.Index, at.Index}
	}
}

// keepMark keeps a mark if the event has keepers: of marks with the same bytes, the first.
func (e *eventCollector) keepMark(at Entry, hash wire.Hash) {
	if _, before := e.marked[hash]; before || e.past == nil || len(e.past.Terms.Clock.Keepers) == 0 {
		return
	}
	at.Bytes = bytes.Clone(at.Bytes)
	e.marked[hash] = at
}

// isTableOf reports whether the organiser of an event began a table for it. Tables that others
// begin never count (55.5.1).
func isTableOf(e *wire.Entry, h *event.History) bool {
	if e.Table.Event != h.ID.String() || e.Table.Organiser != h.Terms.Organiser {
		return false
	}
	organiser, _, err := e.Table.Verifiers()
	return err == nil && e.Verify(organiser) == nil
}

// shownMarks returns the marks that show the time to appeal and the times between which tables were
// played, ascending, each once.
func (e *eventCollector) shownMarks() (list []Mark) {
	clock := e.past.Terms.Clock
	wanted := map[wire.Hash]bool{}
	var ends []uint64
	for _, table := range e.tables {
		ends = append(ends, table[1])
	}
	begins, final := e.past.Protest(ends)
	for _, begin := range begins {
		from, to, _ := TimesBetween(e.times, begin, final, clock.Keepers, clock.Quorum)
		wanted[from], wanted[to] = true, true
	}
	played := NewTimes(e.times, clock.Keepers)
	for _, table := range e.tables {
		for _, hash := range slices.Concat(played.MarksAround(table[0]), played.MarksAround(table[1])) {
			wanted[hash] = true
		}
	}
	for hash := range wanted {
		if at, there := e.marked[hash]; there {
			list = append(list, Mark{Entry: at})
		}
	}
	slices.SortFunc(list, func(a, b Mark) int { return compareIndex(a.Entry, b.Entry) })
	return list
}

func (b *Bundle) checkEvent() error {
	for i, e := range b.Entries {
		p, err := bulletin.Parse(e.Bytes)
		switch {
		case err != nil:
			return checkError(CheckTable, e.placeName(), "no entry of an event: %w", err)
		case i == 0 && (p.Event == nil || p.Hash != b.Event):
			return checkError(CheckTable, e.placeName(), "it does not announce the event %s", b.Event)
		case i == 0:
			b.announced = p.Event
		case p.NamedEvent() != b.Event:
			return checkError(CheckTable, e.placeName(), "it is no notice and no decision of the event")
		}
	}
	if b.announced == nil {
		return checkError(CheckTable, "entries", "the one that announces event %s is missing", b.Event)
	}
	return nil
}

func (b *Bundle) describeEvent() string {
	var w strings.Builder
	e := b.announced
	fmt.Fprintf(&w, "event %s\ngame %s\nsuite %s\norganiser %s\n", b.Event, e.Game, e.Suite, e.Organiser)
	return w.String()
}

// readTables reads the list of an event's tables, ascending.
func (m *manifest) readTables() {
	n := m.readNumber(m.wordsAfter("tables", 1)[0])
	if n > maxTables {
		m.noteMistake("%d tables, at most %d are allowed", n, maxTables)
	}
	for i := uint64(0); i < n && m.err == nil; i++ {
		id, err := wire.ParseHash(m.wordsAfter("table", 1)[0])
		switch last := len(m.tables) - 1; {
		case err != nil:
			m.noteMistake("%w", err)
		case last >= 0 && bytes.Compare(m.tables[last][:], id[:]) >= 0:
			m.noteMistake("tables are there once, in ascending order")
		}
		m.tables = append(m.tables, id)
	}
}
