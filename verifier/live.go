package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Live replays tables of a log that grows, for who follows it (package follow). That
// the entries are the log's is for its user to check.
type Live struct{ tables *replays }

// NewLive returns a Live of no tables.
func NewLive(ctx context.Context, blobs tlog.BlobReader, c table.Catalogue) *Live {
	s := newReplays(ctx, nil, c, 1)
	s.blob = func(b wire.Blob) ([]byte, error) { return blobs.Blob(ctx, b.Hash) }
	return &Live{s}
}

// Take takes an entry that begins a table, or is one of a table that it has. Indexes
// ascend from one Settle to the next.
func (l *Live) Take(index uint64, entry []byte) {
	named, _ := wire.TableNamed(entry)
	l.tables.take(shown{index, wire.HashEntry(entry), named, entry})
}

// Has reports whether the table is being replayed.
func (l *Live) Has(id wire.Hash) bool { return l.tables.tables[id] != nil }

// Drop forgets tables. Requires: Settle since the last Take.
func (l *Live) Drop(ids ...wire.Hash) {
	for _, id := range ids {
		delete(l.tables.tables, id)
	}
}

// Settle checks all proofs that were collected, drops the tables that are over or
// cannot be checked, and returns them. They are of the log that has the checkpoint
// c, which the caller believes. Under one without the cosignatures that the policy
// wants there is no verdict, and no table is dropped.
func (l *Live) Settle(c tlog.Checkpoint, p *tlog.Policy) ([]Table, error) {
	log := newReport(wire.Hash{}, p != nil)
	log.Checkpoint = c
	for _, check := range []table.Check{CheckSignature, CheckTree, CheckHistory} {
		log.pass(check)
	}
	if err := log.checkCosigners(c, p); err != nil {
		return nil, fmt.Errorf("verifier: cannot check %s: %w", CheckCosigners, err)
	}
	l.tables.settle()
	var over []Table
	for id, r := range l.tables.tables {
		if r.state == nil || r.ended() {
			over = append(over, l.tables.result(id, log))
			l.Drop(id)
		}
	}
	slices.SortFunc(over, func(a, b Table) int { return slices.Compare(a.Table[:], b.Table[:]) })
	return over, nil
}
