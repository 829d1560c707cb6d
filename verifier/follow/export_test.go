package follow

import "github.com/pakli/pakli/ledger/tlog"

// Hear is what a step does with a checkpoint that the log signed.
func (f *Follower) Hear(c tlog.Checkpoint) error { return f.hear(c) }
