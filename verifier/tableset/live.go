package tableset

import (
	"context"
	"fmt"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// LiveTables replays tables. The caller checks that the entries are the log's.
type LiveTables struct{ *verifier.Tables }

// NewLiveTables returns a LiveTables without tables, whose claims name marks of the log. It uses only
// the catalogue and the policy of the options.
func NewLiveTables(ctx context.Context, blobs tlog.BlobReader, o verifier.Options, marks table.Marks) *LiveTables {
	return &LiveTables{verifier.NewTables(o, verifier.BlobsOf(ctx, blobs), marks, 1)}
}

// Settle checks all collected proofs, drops the tables that are over or cannot be checked, and
// returns them. They belong to the log with checkpoint c, which the caller believes. If c lacks the
// cosignatures that the policy wants, there is no verdict and no table is dropped.
func (l *LiveTables) Settle(c tlog.Checkpoint, p *tlog.Policy) ([]verifier.Table, error) {
	log := verifier.NewReport(wire.Hash{}, p)
	log.Checkpoint = c
	for _, check := range []table.Check{verifier.CheckSignature, verifier.CheckTree, verifier.CheckHistory} {
		log.PassCheck(check)
	}
	if err := log.CheckCosigners(c, p); err != nil {
		return nil, fmt.Errorf("%s: %w", verifier.CheckCosigners, err)
	}
	l.Tables.Settle()
	var over []verifier.Table
	for _, id := range l.OverTables() {
		over = append(over, l.ResultOf(id, log))
		l.Drop(id)
	}
	slices.SortFunc(over, func(a, b verifier.Table) int { return slices.Compare(a.Table[:], b.Table[:]) })
	return over, nil
}
