package follow

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

// Options say what to follow and whom to believe.
type Options struct {
	Log       []*tlog.VerifierKey // keys of one log; each is enough
	Policy    *tlog.Policy        // cosignatures that a believed checkpoint needs; nil: none
	Catalogue table.Catalogue     // games and suites
	Gossip    []Peer
	Now       func() time.Time
	Patience  time.Duration // how long a tree may be missing before a complaint; 0: ten minutes
	Tell      func(Event)   // is called only by Step

	MaxLive int // tables kept in memory after replay; 0: 256
	MaxOpen int // tables in play that are followed; 0: 65,536
}

// Peer is another source of checkpoints, which may have been shown another history. Like a Surface,
// it may lie, and returns when the context ends.
type Peer struct {
	Name       string
	Checkpoint func(ctx context.Context) ([]byte, error)
}

// Event is a message of one line. A verdict is told once, or after a crash perhaps again.
type Event struct {
	Verdict *verifier.Table // nil: a notice
	Text    string
}

// Equivocation is the error for two statements of the log that cannot both be true. It names the file
// with the evidence.
type Equivocation struct {
	Evidence *Evidence
	File     string
}

func (e *Equivocation) Error() string { return fmt.Sprintf("%v Evidence: %s", e.Evidence, e.File) }

func (e *Equivocation) Unwrap() error { return tlog.ErrForked }

// MaxAnswer bounds the time for an answer and for each part of a step, so that others are asked about
// as often whatever the log does. A shorter patience shortens it.
const MaxAnswer = 30 * time.Second

// theLog is the log's name among the peers.
const theLog = "the log"

// Follower follows one log. Its belief, its doubts and the tables in play are separate parts; the
// Follower asks peers and runs the parts one after another.
type Follower struct {
	src    Surface
	o      Options
	state  *state
	belief *belief
	doubts *doubts
	tables *tablesInPlay
	within time.Duration // bound for one answer
	asked  time.Time     // when peers were asked last
}

// Open opens the state in a directory, which it makes if need be. If the state has evidence against
// the log, the error is an *Equivocation. Call Step in the same context.
func Open(ctx context.Context, src Surface, dir string, o Options) (*Follower, error) {
	if o.MaxLive == 0 {
		o.MaxLive = 256
	}
	if o.MaxOpen == 0 {
		o.MaxOpen = 1 << 16
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Minute
	}
	keys, err := keysOf(o.Log)
	if err != nil {
		return nil, err
	}
	s, err := openState(dir)
	if err != nil {
		return nil, err
	}
	f := newFollower(src, s, keys, o)
	if err = f.belief.loadState(); err == nil {
		err = f.tables.loadProgress(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newFollower(src Surface, s *state, keys []note.Verifier, o Options) *Follower {
	within := min(o.Patience, MaxAnswer)
	src = timedSurface{src, within}
	d := &doubts{list: map[string]*doubt{}, now: o.Now, state: s, tell: o.Tell}
	b := &belief{src: src, keys: keys, policy: o.Policy, state: s, doubts: d}
	f := &Follower{src: src, o: o, state: s, belief: b, doubts: d, within: within}
	kept := &pageCache{belief: b, pages: map[uint64]tilePage{}, limit: maxCache}
	f.tables = &tablesInPlay{src: src, o: o, state: s, belief: b, doubts: d, cache: kept, within: within, meanwhile: f.askMeanwhile,
		verdicts: &verdicts{src: src, o: o, state: s, belief: b, doubts: d, cache: kept}}
	return f
}

func keysOf(log []*tlog.VerifierKey) ([]note.Verifier, error) {
	var keys []note.Verifier
	for _, k := range log {
		if k.Name() != log[0].Name() {
			return nil, fmt.Errorf("keys of two logs, %q and %q", log[0].Name(), k.Name())
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("no key of the log")
	}
	return keys, nil
}

// Close releases the state for another process.
func (f *Follower) Close() error { return f.state.lock.Close() }

// BelievedCheckpoint returns the last believed checkpoint.
func (f *Follower) BelievedCheckpoint() tlog.Checkpoint { return f.belief.checkpoint }

// ReadSoFar returns how many entries were read, and how many tables are in play there.
func (f *Follower) ReadSoFar() (entries uint64, open int) {
	return f.tables.saved.read, len(f.tables.saved.open)
}

// ToldFoul reports whether a foul was told.
func (f *Follower) ToldFoul() bool { return f.tables.verdicts.foul }

// ToldUnchecked reports whether a table was told that could not be checked or was given up.
func (f *Follower) ToldUnchecked() bool { return f.tables.verdicts.unchecked }

// HasDoubts reports whether something could not be checked: a table, or at the last step the answers
// of the log and others.
func (f *Follower) HasDoubts() bool { return f.ToldUnchecked() || len(f.doubts.list) > 0 }

// IsPaused reports whether the last step left entries for the next one because they take long: the
// log and the others are asked again first.
func (f *Follower) IsPaused() bool { return f.tables.paused }

// Step asks the log and the others once and verifies what is new. It tells what it cannot check,
// keeps it, and tries again at the next step. An error ends the following: it is an *Equivocation, or
// the state cannot be written.
func (f *Follower) Step(ctx context.Context) error {
	f.doubts.began = f.o.Now()
	log := Peer{theLog, func(ctx context.Context) ([]byte, error) { return f.src.Checkpoint(ctx, f.belief.checkpoint.Size) }}
	if err := f.askPeers(ctx, append([]Peer{log}, f.o.Gossip...)); err != nil {
		return err
	}
	if err := f.belief.proveHeard(ctx, f.within); err != nil {
		return err
	}
	if err := f.doubts.writeComplaints(f.o.Patience); err != nil {
		return err
	}
	if err := f.tables.readNew(ctx); err != nil {
		return err
	}
	return f.giveUp(f.o.Patience)
}

// GiveUp complains of everything that is not shown yet, without waiting for the patience.
func (f *Follower) GiveUp() error { return f.giveUp(0) }

func (f *Follower) giveUp(patience time.Duration) error {
	if err := f.doubts.writeComplaints(patience); err != nil {
		return err
	}
	return f.tables.giveUp(patience)
}

// askPeers asks all peers at once, so that no answer waits for another, and processes the answers.
func (f *Follower) askPeers(ctx context.Context, peers []Peer) error {
	answers := make([]peerAnswer, len(peers))
	var answered sync.WaitGroup
	for i, p := range peers {
		answered.Go(func() {
			ctx, stop := context.WithTimeout(ctx, f.within)
			defer stop()
			answers[i].signed, answers[i].err = p.Checkpoint(ctx)
		})
	}
	answered.Wait()
	f.asked = f.o.Now()
	for i, p := range peers {
		if err := f.takeAnswer(ctx, p, answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// peerAnswer is a peer's answer.
type peerAnswer struct {
	signed []byte
	err    error
}

// askMeanwhile asks the others again if that was long ago, and writes complaints that are due, while
// entries are read.
func (f *Follower) askMeanwhile(ctx context.Context) error {
	if f.o.Now().Sub(f.asked) < f.within {
		return nil
	}
	if err := f.askPeers(ctx, f.o.Gossip); err != nil {
		return err
	}
	return f.doubts.writeComplaints(f.o.Patience)
}

// takeAnswer processes an answer. Only checkpoints signed by the log count.
func (f *Follower) takeAnswer(ctx context.Context, p Peer, a peerAnswer) error {
	key := "asking " + p.Name
	if a.err != nil {
		f.doubts.raiseDoubt(ctx, key, &doubt{text: fmt.Sprintf("no checkpoint from %s: %v", p.Name, a.err)})
		return nil
	}
	c, err := tlog.OpenCheckpoint(a.signed, f.belief.keys...)
	if err == nil && (c.Size > maxSize || c.Origin != f.belief.keys[0].Name()) {
		err = fmt.Errorf("%d entries of %q", c.Size, c.Origin)
	}
	if err != nil {
		f.doubts.raiseDoubt(ctx, key, &doubt{text: fmt.Sprintf("what %s shows is not the log's word: %v", p.Name, err)})
		return nil
	}
	f.doubts.settleDoubt(key)
	if c.Size < f.belief.checkpoint.Size {
		f.tellOfAge(ctx, p, c)
	} else {
		f.doubts.settleDoubt("age of " + p.Name)
	}
	return f.belief.addSigned(c)
}

// tellOfAge raises a doubt about a log that shows an older checkpoint than before. The checkpoint is
// signed and, if it belongs to the same tree, was true once: a cache or a thief with a copy can show
// it again, and no two signatures contradict each other. So it accuses nobody. Peers other than the
// log may lag behind.
func (f *Follower) tellOfAge(ctx context.Context, p Peer, c tlog.Checkpoint) {
	if p.Name == theLog {
		f.doubts.raiseDoubt(ctx, "age of "+p.Name, &doubt{text: fmt.Sprintf("the log shows %d entries and had shown %d: an old copy, or somebody hides the newer one", c.Size, f.belief.checkpoint.Size)})
	}
}
