package against

import (
	"iter"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// An Extract is a tlog.EntryReader that shows entries of one table and nothing else of the
// log: a bundle (docs/spec/85-bundle.md). Every entry that it shows is the log's;
// whether these are all cannot be seen from it.
type Extract interface {
	tlog.EntryReader

	// Extract yields entries with their indexes, ascending. Unlike what other
	// sources show, that each is in the tree of c, the source's checkpoint, has
	// been verified: by code that is trusted like the rest of the verifier.
	Extract(c tlog.Checkpoint) (iter.Seq2[uint64, []byte], error)
}

// extracted are the entries of one table that a source shows.
type extracted struct {
	id       wire.Hash
	hashes   map[uint64]wire.Hash // by index
	last     uint64
	genesis  *wire.Genesis
	messages []replay.Placed // that name a parent which was not shown before them
	known    map[wire.Hash]bool
}

func newExtracted(id wire.Hash) *extracted {
	return &extracted{id: id, hashes: map[uint64]wire.Hash{}}
}

// take keeps what there is to know of an entry of the table. What does not parse is
// of no table.
func (e *extracted) take(s replay.Leaf) {
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
	} else if !e.known[p.Entry.Message.Parent] {
		e.messages = append(e.messages, p)
	}
}

func (e *extracted) describe(c tlog.Checkpoint) *verifier.Coverage {
	return &verifier.Coverage{Entries: len(e.hashes), Last: e.last, Size: c.Size, Orphans: e.orphans()}
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
	for _, p := range e.messages {
		if m := p.Entry.Message; !e.known[m.Parent] && m.Seat < len(seats) && p.Entry.Verify(seats[m.Seat]) == nil {
			list = append(list, p.Index)
		}
	}
	return list
}
