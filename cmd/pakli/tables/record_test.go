package tables

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A deal that tokens end, as those of the skat do, and that a record of a table/v2 leaves out
// because no move of it came last.
func TestRecordOfADealThatTokensEnd(t *testing.T) {
	game, _ := games.Lookup("skat/v1")
	byTokens := 0
	for seed := uint64(0); byTokens == 0 && seed < 40; seed++ {
		p, err := tabletest.New(game, tabletest.Config{Seats: 3, Deals: 1, Suite: clear.Suite{}, Ends: &wire.Ends{Late: wire.LateUndo}}, seed)
		if err == nil {
			err = p.Play(-1)
		}
		testmust.Do(t, err)
		if e, _ := wire.Parse(p.Entries[len(p.Entries)-1]); e.Message.Kind == wire.KindMove {
			continue
		}
		byTokens++
		var r recording
		tables := replay.New(p.Catalogue(), nil, 1, r.recordStep)
		for i, entry := range p.Entries {
			tables.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
		}
		tables.SettleBatches()
		testmust.Holdf(t, r.err == nil && len(r.open) == 0 && r.last.IsOver(), "%v, %d moves of the deal are left out", r.err, len(r.open))
	}
	testmust.Hold(t, byTokens != 0, "no deal ends so: the test tests nothing")
}
