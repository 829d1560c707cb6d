package tableset

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// AgainstOptions say what to verify, and what to compare it with.
type AgainstOptions struct {
	verifier.Options
	// Against are other sources of the same log, whole logs or extracts. The verified source must not
	// contradict them nor leave out what they have.
	Against []tlog.EntryReader
}

// VerifyAgainst is verifier.Verify for a source that may be an extract. If entries seem to be left
// out, it refuses to say who owes what, unless a whole log has shown that none are.
func VerifyAgainst(ctx context.Context, src tlog.EntryReader, o AgainstOptions) (*verifier.Report, error) {
	r, err := verifier.VerifyRead(ctx, src, o.Options, o.readingOf(src))
	if err != nil || r.Verdict != verifier.Unfinished || r.Coverage == nil || len(r.Coverage.Orphans) == 0 || r.Coverage.WasCompared(r.Coverage.Size) {
		return r, err
	}
	return r, fmt.Errorf("entry %d builds on an entry that is not shown: one is left out, or a seat signed a parent that never was; compare it with the log", r.Coverage.Orphans[0])
}

// readingOf returns a LogReading that compares a source with the others.
func (o AgainstOptions) readingOf(src tlog.EntryReader) verifier.LogReading {
	x, extract := src.(Extract)
	if !extract && len(o.Against) == 0 {
		return verifier.WholeReading(src, o.Options)
	}
	return func(ctx context.Context, c tlog.Checkpoint, r *verifier.Report, see func(replay.Leaf)) (table.Check, error) {
		a, err := newComparison(ctx, c, o)
		if err != nil {
			return verifier.CheckHistory, err
		}
		found := newExtracted(o.Table)
		both := func(s replay.Leaf) { found.takeLeaf(s); see(s) }
		var check table.Check
		if extract {
			check, err = r.PassTree(a.readExtract(x, c, both))
		} else {
			check, err = r.PassTree(verifier.ReadLog(ctx, src, c, &a.History, both))
		}
		if err != nil {
			return check, err
		}
		if extract {
			r.Coverage = found.describeCoverage(c)
		}
		return verifier.CheckHistory, a.finishOthers(ctx, r, found)
	}
}

// comparison compares what is shown first, under c, with everything else that the log signed. A
// contradiction counts whichever source shows it.
type comparison struct {
	tlog.History
	checkpoint tlog.Checkpoint
	believed   []tlog.Checkpoint
	others     []*otherView
	doubt      error // the first reason why the comparison is incomplete; accuses nobody
}

// otherView is what another source shows.
type otherView struct {
	src        tlog.EntryReader
	checkpoint tlog.Checkpoint
	whole      bool
	entries    *extractedTable // of the table
}

// newComparison takes the checkpoints of the other sources and the entries of extracts among them.
// Whole logs are read later and compared with all of these.
func newComparison(ctx context.Context, c tlog.Checkpoint, o AgainstOptions) (*comparison, error) {
	a := &comparison{History: tlog.History{Signed: append([]tlog.Checkpoint{c}, o.Believed...)}, checkpoint: c, believed: o.Believed}
	for _, src := range o.Against {
		v, err := newView(ctx, src, c, o)
		if err != nil {
			a.addDoubt(fmt.Errorf("comparing: %v", err))
			continue
		}
		a.Signed, a.others = append(a.Signed, v.checkpoint), append(a.others, v)
	}
	if err := verifier.CheckForks(a.Signed, o.Policy); err != nil {
		return nil, err
	}
	for _, v := range a.others {
		if x, ok := v.src.(Extract); ok {
			if err := a.breachOf(a.readExtract(x, v.checkpoint, v.entries.takeLeaf)); err != nil {
				return nil, err
			}
			if len(v.entries.hashes) == 0 {
				a.addDoubt(fmt.Errorf("comparing: what it is compared with is of another table: it has no entry of %s", o.Table))
			}
		}
	}
	return a, nil
}

// newView takes the checkpoint of another source. An unsigned one is an error.
func newView(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, o AgainstOptions) (*otherView, error) {
	other, err := src.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	if err := other.Verify(o.Log...); err != nil {
		return nil, err
	}
	if other.Origin != c.Origin {
		return nil, fmt.Errorf("it is of the log %q, and not of %q", other.Origin, c.Origin)
	}
	_, extract := src.(Extract)
	return &otherView{src, other, !extract, newExtracted(o.Table)}, nil
}

// addDoubt records the first reason why the comparison is incomplete.
func (a *comparison) addDoubt(err error) {
	if a.doubt == nil {
		a.doubt = err
	}
}

// breachOf returns an error of reading another source if it rests on two signatures. Any other error
// becomes a doubt without its class: it accuses nobody.
func (a *comparison) breachOf(check table.Check, err error) error {
	if check == verifier.CheckHistory {
		return err
	}
	if err != nil {
		a.addDoubt(fmt.Errorf("comparing: altered, or cut short: %v", err))
	}
	return nil
}

// readExtract calls see with the entries of an extract and adds them to the history, unless they
// contradict it.
func (a *comparison) readExtract(x Extract, c tlog.Checkpoint, see func(replay.Leaf)) (table.Check, error) {
	entries, err := x.Extract(c)
	if err != nil {
		return verifier.CheckTree, err
	}
	for index, entry := range entries {
		s := replay.NewLeaf(index, wire.HashEntry(entry), entry)
		if err := a.HasEntry(index, tlog.Hash(s.Hash), c.Size); err != nil {
			return verifier.CheckHistory, err
		}
		see(s)
	}
	return verifier.CheckHistory, nil
}

// finishOthers reads the other whole logs, and reports entries of the table that were left out or
// came later.
func (a *comparison) finishOthers(ctx context.Context, r *verifier.Report, found *extractedTable) error {
	for _, v := range a.others {
		if v.whole {
			if err := a.breachOf(verifier.ReadLog(ctx, v.src, v.checkpoint, &a.History, v.entries.takeLeaf)); err != nil {
				return err
			}
		}
	}
	for _, v := range a.others {
		compared, err := v.compareEntries(a.checkpoint, found)
		if err != nil {
			a.addDoubt(err)
		}
		if r.Coverage != nil {
			r.Coverage.Against = append(r.Coverage.Against, compared)
		}
	}
	if a.doubt != nil {
		return a.doubt
	}
	return checkBelieved(r, a.checkpoint, a.believed)
}

// compareEntries looks for entries of the table that the first source left out.
func (v *otherView) compareEntries(c tlog.Checkpoint, found *extractedTable) (verifier.ComparedSource, error) {
	compared := verifier.ComparedSource{Size: v.checkpoint.Size, Whole: v.whole}
	for _, index := range slices.Sorted(maps.Keys(v.entries.hashes)) {
		if _, there := found.hashes[index]; !there && index < c.Size {
			return compared, fmt.Errorf("entry %d of the table is left out: the log has it, as what this is compared with shows", index)
		}
		if index >= c.Size {
			compared.Later++
		}
	}
	return compared, nil
}

// checkBelieved returns an error if a believed checkpoint is not shown to belong to the log. A log
// smaller than one believed earlier cannot show that. For an extract only whole logs that contain
// both checkpoints can.
func checkBelieved(r *verifier.Report, c tlog.Checkpoint, believed []tlog.Checkpoint) error {
	for _, old := range believed {
		switch {
		case r.Coverage == nil && old.Size > c.Size:
			return fmt.Errorf("it shows %d entries and had signed %d: an old copy, or a log that hides something", c.Size, old.Size)
		case r.Coverage != nil && old.Size != c.Size && old.Size > 0 && !r.Coverage.WasCompared(max(old.Size, c.Size)):
			return fmt.Errorf("a bundle of size %d cannot show that the log contains the checkpoint of size %d: compare it with the log", c.Size, old.Size)
		}
	}
	return nil
}

// An Extract is a tlog.EntryReader that shows only the entries of one table of the log: a bundle
// (docs/spec/85-bundle.md). Every entry that it shows is in the log; it cannot show that these are
// all.
type Extract interface {
	tlog.EntryReader

	// Extract yields entries with their indexes, ascending. Unlike the entries of other sources, each
	// has been verified to be in the tree of c, the source's checkpoint, by code that is trusted like
	// the rest of the verifier.
	Extract(c tlog.Checkpoint) (iter.Seq2[uint64, []byte], error)
}

// extractedTable are the entries of one table that a source shows.
type extractedTable struct {
	id       wire.Hash
	hashes   map[uint64]wire.Hash // by index
	last     uint64
	genesis  *wire.Genesis
	messages []replay.PlacedEntry // that name a parent which was not shown before them
	known    map[wire.Hash]bool
}

func newExtracted(id wire.Hash) *extractedTable {
	return &extractedTable{id: id, hashes: map[uint64]wire.Hash{}}
}

// takeLeaf records an entry of the table. An entry that does not parse belongs to no table.
func (e *extractedTable) takeLeaf(s replay.Leaf) {
	if s.Table != e.id {
		return
	}
	p, ok := s.Parse()
	if !ok {
		return
	}
	if e.known == nil {
		e.known = map[wire.Hash]bool{}
	}
	e.hashes[s.Index], e.last, e.known[s.Hash] = s.Hash, s.Index, true
	if p.Entry.Table != nil {
		e.genesis = p.Entry.Table
	} else if !e.known[p.Entry.Parent()] {
		e.messages = append(e.messages, p)
	}
}

func (e *extractedTable) describeCoverage(c tlog.Checkpoint) *verifier.Coverage {
	return &verifier.Coverage{Entries: len(e.hashes), Last: e.last, Size: c.Size, Orphans: e.orphans()}
}

// orphans returns the places of messages, signed by their seats, whose parent is not shown.
func (e *extractedTable) orphans() []uint64 {
	if e.genesis == nil {
		return nil
	}
	_, seats, err := e.genesis.Verifiers()
	if err != nil {
		return nil
	}
	var list []uint64
	for _, p := range e.messages {
		if !e.known[p.Entry.Parent()] && isSigned(p.Entry, e.genesis, seats) {
			list = append(list, p.Index)
		}
	}
	return list
}

// isSigned reports whether a message or act is signed by the key that it names, if the genesis entry
// names that key. It does not know later holders of a seat.
func isSigned(e *wire.Entry, g *wire.Genesis, seats []note.Verifier) bool {
	if a := e.Act; a != nil {
		entitled := slices.Concat([]string{g.Organiser}, g.Arbiters, g.Seats)
		return slices.Contains(entitled, a.By) && e.Verify(a.Signer()) == nil
	}
	m := e.Message
	return m.Seat < len(seats) && e.Verify(seats[m.Seat]) == nil
}
