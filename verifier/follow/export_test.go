package follow

import (
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/verifier"
)

// Hear is what a step does with a checkpoint that the log signed.
func (f *Follower) Hear(c tlog.Checkpoint) error { return f.belief.addSigned(c) }

// GiveUpTable tells a table and closes it.
func (f *Follower) GiveUpTable(t verifier.Table) error { return f.tables.giveUpTable(t) }

// KeepNoEntries makes it ask for every bundle that it needs.
func (f *Follower) KeepNoEntries() { f.tables.cache.limit = 0 }
