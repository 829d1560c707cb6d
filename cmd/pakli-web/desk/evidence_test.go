package desk_test

import (
	"testing"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/wire"
)

// Evidence of several tables under several checkpoints, which could be of two histories;
// a verdict on something else than the file; a table that is passed over.
func TestEvidenceIsUnderOneCheckpoint(t *testing.T) {
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	var ids []wire.Hash
	for range 2 {
		ids = append(ids, p.practice("schwarzer-peter/v1", "bela"))
	}
	var e desk.Evidence
	p.must("evidence", map[string]any{"tables": ids}, &e)
	if len(e.Tables) != 2 || e.Size < 2 {
		t.Fatalf("%d tables of %d entries", len(e.Tables), e.Size)
	}
	for i, one := range e.Tables {
		file, err := bundle.Parse(one.Bundle)
		if err != nil || file.Table != ids[i] || one.Table != ids[i] || file.Checkpoint.Size != e.Size || one.Verdict != "unfinished" || one.Own {
			t.Errorf("table %d: %+v, %v", i, one.Answer, err)
		}
	}
	if err := p.call("evidence", map[string]any{"tables": []wire.Hash{{1}}}, nil); err == nil {
		t.Error("there is evidence of no table")
	}
}
