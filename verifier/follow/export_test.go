package follow

import (
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/verifier"
)

// Hear passes a checkpoint that the log signed to the Follower, as a step does.
func (f *Follower) Hear(c tlog.Checkpoint) error { return f.belief.addSigned(c) }

// GiveUpTable reports a table and closes it.
func (f *Follower) GiveUpTable(t verifier.Table) error { return f.tables.giveUpTable(t) }

// KeepNoEntries turns the cache off, so that the Follower requests every bundle that it needs.
func (f *Follower) KeepNoEntries() { f.tables.cache.limit = 0 }
