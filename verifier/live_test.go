package verifier_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/live"
)

// A table that is followed, under checkpoints that fewer have cosigned than the policy
// wants: no verdict, and the table is there still when enough of them have.
func TestLiveWantsCosigners(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	c := newCosigners(t)
	live := live.New(t.Context(), nil, verifier.Options{Catalogue: sc.Catalogue()}, nil)
	for i, parcel := range sc.Entries {
		entry, _ := wire.Cut(parcel)
		live.Take(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
	}
	plain := sc.log(t, sc.Entries).checkpoint
	for n := range 2 {
		if over, err := live.Settle(c.cosign(t, plain, n), c.policy); err == nil || len(over) > 0 {
			t.Errorf("%d of two cosigners: %d tables are over, %v", n, len(over), err)
		}
	}
	over, err := live.Settle(c.cosign(t, plain, 2), c.policy)
	if err != nil || len(over) != 1 || over[0].Verdict != verifier.Sound || len(over[0].Cosigned) != 2 {
		t.Fatalf("both: %v, %v", over, err)
	}
	for _, check := range over[0].LogChecks() {
		if check.Outcome != verifier.Passed {
			t.Errorf("%s: %s", check.ID, check.Outcome)
		}
	}
}
