package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/live"
)

// Options says what to follow and whom to believe.
type Options struct {
	Log       []*tlog.VerifierKey // keys of one log: any of them will do
	Policy    *tlog.Policy        // who has to have cosigned what is believed; nil: nobody
	Catalogue table.Catalogue     // games and suites
	Gossip    []Peer
	Now       func() time.Time
	Patience  time.Duration // after which what is not shown is complained of; 0: ten minutes
	Tell      func(Event)   // is called by Step alone

	MaxLive int // tables that are kept replayed; 0: 256
	MaxOpen int // tables in play that are followed; 0: 65,536
}

// Peer is somebody else who may have been shown another history. Like a Source, it may
// lie, and returns when the context is over.
type Peer struct {
	Name       string
	Checkpoint func(ctx context.Context) ([]byte, error)
}

// Event is something to tell, in one line. A verdict is told once, and after a crash
// perhaps again.
type Event struct {
	Verdict *verifier.Table // nil: a notice
	Text    string
}

// Equivocation says that the log signed what cannot be true, and where the evidence
// is.
type Equivocation struct {
	Evidence *Evidence
	File     string
}

func (e *Equivocation) Error() string { return fmt.Sprintf("%v Evidence: %s", e.Evidence, e.File) }

func (e *Equivocation) Unwrap() error { return tlog.ErrForked }

// MaxAnswer bounds the time for an answer, and for each part of a step: so others are
// heard about as often, whatever the log does. It is less if the patience is.
const MaxAnswer = 30 * time.Second

// theLog is what the log is called among those who are asked.
const theLog = "the log"

// maxUnproven bounds the checkpoints kept that are yet to be proven. Only the log
// can make them. The smallest are soonest to be compared, and the newest one may be
// shown at once; so the largest one leaves.
const maxUnproven = 64

// Follower follows one log.
type Follower struct {
	src      Source
	o        Options
	keys     []note.Verifier
	state    *state
	believed tlog.Checkpoint
	tree     *tree             // of believed
	unproven []*tree           // the smallest first
	known    []tlog.Checkpoint // of late, that were proven

	saved    progress // as on disk
	progress progress
	live     *live.Live
	moved    map[wire.Hash]uint64 // the last entry that a table in live was given: an index
	behind   map[wire.Hash]bool   // tables in play with entries that live was not given
	shelf    shelf

	doubts map[string]*doubt
	within time.Duration // in which an answer is to come
	began  time.Time     // the step
	heard  time.Time     // when the others were asked last
	paused bool

	foul   bool
	cannot bool // a table could not be checked, or was given up
}

// doubt is something that could not be checked so far.
type doubt struct {
	since time.Time
	text  string
	c     *tlog.Checkpoint // signed and not shown
	table *verifier.Table  // for want of a blob
	told  bool
}

// Open opens the state in a directory, which is begun if it is not there. A state
// that has evidence against the log is an *Equivocation. Follow it with Step, in the
// same context.
func Open(ctx context.Context, src Source, dir string, o Options) (*Follower, error) {
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
	within := min(o.Patience, MaxAnswer)
	f := &Follower{src: timed{src, within}, within: within, o: o, keys: keys, state: s, doubts: map[string]*doubt{}, shelf: shelf{pages: map[uint64]page{}, room: maxShelf}}
	if err := f.load(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func keysOf(log []*tlog.VerifierKey) ([]note.Verifier, error) {
	var keys []note.Verifier
	for _, k := range log {
		if k.Name() != log[0].Name() {
			return nil, fmt.Errorf("follow: keys of two logs, %q and %q", log[0].Name(), k.Name())
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("follow: no key of the log")
	}
	return keys, nil
}

// Close lets another process have the state.
func (f *Follower) Close() error { return f.state.lock.Close() }

func (f *Follower) load(ctx context.Context) error {
	if err := f.evidence(); err != nil {
		return err
	}
	var err error
	if f.believed, err = f.state.believed(f.keys); err != nil {
		return err
	}
	if err := f.loadUnproven(); err != nil {
		return err
	}
	if f.saved, err = f.state.readProgress(); err != nil {
		return err
	}
	if f.saved.read > f.believed.Size {
		return fmt.Errorf("follow: %s was altered: %d entries read of %d", f.state.dir, f.saved.read, f.believed.Size)
	}
	for id := range f.saved.open {
		over, err := f.state.reported(id)
		if err != nil {
			return err
		}
		if over {
			delete(f.saved.open, id)
		}
	}
	f.tree = newTree(f.src, f.believed)
	f.reset(ctx)
	return nil
}

// loadUnproven takes in what earlier runs heard of.
func (f *Follower) loadUnproven() error {
	list, err := f.state.unproven(f.keys)
	if err != nil {
		return err
	}
	for _, c := range list {
		if e := f.fork(c); e != nil {
			return f.equivocated(e)
		}
		f.unproven = append(f.unproven, newTree(f.src, c))
	}
	return nil
}

// evidence returns what the state has against the log: what was found once stays
// true.
func (f *Follower) evidence() error {
	path := filepath.Join(f.state.dir, evidenceFile)
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := ParseEvidence(file)
	if err == nil {
		err = e.Check(f.keys...)
	}
	if err != nil {
		return fmt.Errorf("follow: %s: %w", path, err)
	}
	return &Equivocation{e, path}
}

// Believed is the last checkpoint that was believed.
func (f *Follower) Believed() tlog.Checkpoint { return f.believed }

// Read is how many entries were read, and Open how many tables are in play there.
func (f *Follower) Read() (entries uint64, open int) { return f.saved.read, len(f.saved.open) }

// Foul reports whether a foul was told.
func (f *Follower) Foul() bool { return f.foul }

// Unchecked reports whether a table was told that could not be checked, or was given
// up.
func (f *Follower) Unchecked() bool { return f.cannot }

// Doubtful reports whether something could not be checked: a table, or at the last
// step what the log and others show.
func (f *Follower) Doubtful() bool { return f.cannot || len(f.doubts) > 0 }

// Paused reports whether the last step left entries for the next one, because they take
// long: the log and the others are to be asked again before.
func (f *Follower) Paused() bool { return f.paused }

// Step asks the log and the others once, and verifies what is new. What it cannot
// check it tells, keeps, and tries again at the next step. An error ends the
// following: an *Equivocation, or the state cannot be written.
func (f *Follower) Step(ctx context.Context) error {
	f.began = f.o.Now()
	log := Peer{theLog, func(ctx context.Context) ([]byte, error) { return f.src.Checkpoint(ctx, f.believed.Size) }}
	if err := f.ask(ctx, append([]Peer{log}, f.o.Gossip...)); err != nil {
		return err
	}
	if err := f.prove(ctx); err != nil {
		return err
	}
	if err := f.complain(f.o.Patience); err != nil {
		return err
	}
	if err := f.read(ctx); err != nil {
		return err
	}
	return f.giveUp(f.o.Patience)
}

// GiveUp complains of everything that is not shown yet, whatever the patience.
func (f *Follower) GiveUp() error { return f.giveUp(0) }

func (f *Follower) giveUp(patience time.Duration) error {
	if err := f.complain(patience); err != nil {
		return err
	}
	return f.giveUpTables(patience)
}

// ask asks all of them at once, so that who does not answer keeps nobody from being
// heard, and hears what they say.
func (f *Follower) ask(ctx context.Context, peers []Peer) error {
	answers := make([]answer, len(peers))
	var asked sync.WaitGroup
	for i, p := range peers {
		asked.Go(func() {
			ctx, stop := context.WithTimeout(ctx, f.within)
			defer stop()
			answers[i].signed, answers[i].err = p.Checkpoint(ctx)
		})
	}
	asked.Wait()
	f.heard = f.o.Now()
	for i, p := range peers {
		if err := f.listen(ctx, p, answers[i]); err != nil {
			return err
		}
	}
	return nil
}

// answer is what somebody shows as a checkpoint.
type answer struct {
	signed []byte
	err    error
}

// meanwhile asks the others again if that was long ago, and complains of what is due,
// while entries are read.
func (f *Follower) meanwhile(ctx context.Context) error {
	if f.o.Now().Sub(f.heard) < f.within {
		return nil
	}
	if err := f.ask(ctx, f.o.Gossip); err != nil {
		return err
	}
	return f.complain(f.o.Patience)
}

// listen hears what somebody has to say about the log. Only what the log signed counts.
func (f *Follower) listen(ctx context.Context, p Peer, a answer) error {
	key := "asking " + p.Name
	if a.err != nil {
		f.doubt(ctx, key, &doubt{text: fmt.Sprintf("no checkpoint from %s: %v", p.Name, a.err)})
		return nil
	}
	c, err := tlog.OpenCheckpoint(a.signed, f.keys...)
	if err == nil && (c.Size > maxSize || c.Origin != f.keys[0].Name()) {
		err = fmt.Errorf("%d entries of %q", c.Size, c.Origin)
	}
	if err != nil {
		f.doubt(ctx, key, &doubt{text: fmt.Sprintf("what %s shows is not the log's word: %v", p.Name, err)})
		return nil
	}
	f.settled(key)
	if c.Size < f.believed.Size {
		f.stale(ctx, p, c)
	} else {
		f.settled("age of " + p.Name)
	}
	return f.hear(c)
}

// stale tells of a log that shows an older checkpoint than before. It is signed, and
// if it is of the same tree it was true once: whoever has a copy can show it again,
// a cache or a thief, and no two signatures contradict each other. So it accuses
// nobody. Others may lag behind as they like.
func (f *Follower) stale(ctx context.Context, p Peer, c tlog.Checkpoint) {
	if p.Name == theLog {
		f.doubt(ctx, "age of "+p.Name, &doubt{text: fmt.Sprintf("the log shows %d entries and had shown %d: an old copy, or somebody hides the newer one", c.Size, f.believed.Size)})
	}
}

// fork looks for another root than that of c, which the log signed for as many entries,
// in everything that it is known to have signed.
func (f *Follower) fork(c tlog.Checkpoint) *Evidence {
	signed := append([]tlog.Checkpoint{f.believed}, f.known...)
	for _, t := range f.unproven {
		signed = append(signed, t.c)
	}
	for _, k := range signed {
		if tlog.Fork(k, c) != nil {
			return &Evidence{First: k, Second: c}
		}
	}
	return nil
}

// hear keeps a checkpoint that the log signed, on disk first: it may never be shown
// again. Of two with one size and two roots there is no tree to be asked for.
func (f *Follower) hear(c tlog.Checkpoint) error {
	if e := f.fork(c); e != nil {
		return f.equivocated(e)
	}
	same := func(k tlog.Checkpoint) bool { return k.Size == c.Size && k.Root == c.Root }
	if same(f.believed) {
		return f.cosigned(c)
	}
	if slices.ContainsFunc(f.known, same) {
		return nil
	}
	i := slices.IndexFunc(f.unproven, func(t *tree) bool { return same(t.c) })
	if i >= 0 && (f.satisfied(f.unproven[i].c) || !f.satisfied(c)) {
		return nil
	}
	if err := f.state.write(unprovenName(c), c.Note); err != nil {
		return err
	}
	if i >= 0 {
		f.unproven[i].c = c // the same tree, with more cosignatures
		return nil
	}
	return f.insert(c)
}

// cosigned takes a copy of what is believed that has the cosignatures wanted, if these
// were missing.
func (f *Follower) cosigned(c tlog.Checkpoint) error {
	if f.satisfied(f.believed) || !f.satisfied(c) {
		return nil
	}
	return f.believe(c, f.tree)
}

// believe is told of a larger tree than before, or of more cosignatures.
func (f *Follower) believe(c tlog.Checkpoint, t *tree) error {
	if err := f.state.write(believedFile, c.Note); err != nil {
		return err
	}
	f.believed, f.tree = c, t
	return nil
}

func (f *Follower) insert(c tlog.Checkpoint) error {
	if last := len(f.unproven) - 1; last == maxUnproven-1 {
		if err := f.state.forget(f.unproven[last].c); err != nil {
			return err
		}
		delete(f.doubts, doubtOf(f.unproven[last].c))
		f.unproven = f.unproven[:last]
	}
	i, _ := slices.BinarySearchFunc(f.unproven, c.Size, func(t *tree, size uint64) int { return cmp.Compare(t.c.Size, size) })
	f.unproven = slices.Insert(f.unproven, i, newTree(f.src, c))
	return nil
}

// satisfied reports whether c has the cosignatures that are wanted.
func (f *Follower) satisfied(c tlog.Checkpoint) bool {
	if f.o.Policy == nil {
		return true
	}
	seen, err := f.o.Policy.Cosignatures(c)
	return err == nil && f.o.Policy.Satisfied(seen)
}

// prove compares what was heard with what is believed, as far as it is shown in time.
// What is larger, and whose tree is shown, is believed then, and what was too large to
// compare may not be any more.
func (f *Follower) prove(ctx context.Context) error {
	timed, stop := context.WithTimeout(ctx, f.within)
	defer stop()
	for before := uint64(math.MaxUint64); before != f.believed.Size && len(f.unproven) > 0; {
		before = f.believed.Size
		if err := f.conclude(ctx, f.compareAll(timed)); err != nil {
			return err
		}
	}
	f.checkCosigners(ctx)
	return nil
}

// checkCosigners tells that the log is ahead of its cosigners.
func (f *Follower) checkCosigners(ctx context.Context) {
	const key = "cosignatures"
	newest := f.believed
	if n := len(f.unproven); n > 0 && f.unproven[n-1].c.Size > newest.Size {
		newest = f.unproven[n-1].c
	}
	if newest.Size > 0 && !f.satisfied(newest) {
		f.doubt(ctx, key, &doubt{text: fmt.Sprintf("the checkpoint of size %d does not have the cosignatures that the policy wants", newest.Size)})
		return
	}
	f.settled(key)
}

// comparison is what came of comparing a checkpoint.
type comparison struct {
	evidence *Evidence
	err      error
}

// compareAll compares all that is not proven, side by side: a tree that is not shown
// keeps no other from being compared.
func (f *Follower) compareAll(ctx context.Context) []comparison {
	found := make([]comparison, len(f.unproven))
	var shown sync.WaitGroup
	for i, t := range f.unproven {
		shown.Go(func() { found[i].evidence, found[i].err = f.compare(ctx, t) })
	}
	shown.Wait()
	return found
}

// compare holds what is not proven against the larger tree that is believed, or its tree
// against what is believed. If that does not become believed then, for want of
// cosignatures, its tree is held against all that is smaller too: they may contradict
// each other. What is not shown does not keep the rest from being compared.
func (f *Follower) compare(ctx context.Context, t *tree) (e *Evidence, failed error) {
	if t.c.Size <= f.believed.Size {
		return f.tree.against(ctx, t.c)
	}
	smaller := []tlog.Checkpoint{f.believed}
	if !f.satisfied(t.c) {
		for _, s := range f.unproven[:slices.Index(f.unproven, t)] {
			smaller = append(smaller, s.c)
		}
	}
	for _, c := range smaller {
		e, err := t.against(ctx, c)
		if e != nil {
			return e, nil
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}

// conclude draws what follows. It is done with a checkpoint that is of the tree that was
// believed; of the larger ones the largest is believed next, and has to begin with the
// others then. At first, when nothing was believed and so nothing was shown yet, it is
// the smallest one.
func (f *Follower) conclude(ctx context.Context, found []comparison) error {
	var next *tree
	var left []*tree
	for i, t := range f.unproven {
		done, err := f.concludeOne(ctx, t.c, found[i])
		switch {
		case err != nil:
			return err
		case done && t.c.Size <= f.believed.Size:
			if err := f.forget(t.c); err != nil {
				return err
			}
			continue
		case done && f.satisfied(t.c) && (next == nil || f.believed.Size > 0):
			next = t
		}
		left = append(left, t)
	}
	f.unproven = left
	for _, t := range left {
		if t != next {
			clear(t.tiles)
		}
	}
	if next != nil {
		return f.believe(next.c, next)
	}
	return nil
}

// concludeOne says whether a checkpoint contradicts nothing that it was compared with.
func (f *Follower) concludeOne(ctx context.Context, c tlog.Checkpoint, found comparison) (bool, error) {
	key := doubtOf(c)
	switch {
	case found.evidence != nil:
		return false, f.equivocated(found.evidence)
	case found.err != nil:
		f.doubt(ctx, key, &doubt{text: found.err.Error(), c: &c})
		return false, nil
	}
	f.settled(key)
	return true, nil
}

// forget takes a checkpoint that was proven out of those that are not.
func (f *Follower) forget(c tlog.Checkpoint) error {
	f.known = append(f.known[max(0, len(f.known)-maxUnproven+1):], c)
	return f.state.forget(c)
}

// equivocated writes the evidence, after checking it as others will.
func (f *Follower) equivocated(e *Evidence) error {
	if err := e.Check(f.keys...); err != nil {
		return fmt.Errorf("follow: evidence that is none, please report this fault of the follower: %v", err)
	}
	if err := f.state.write(evidenceFile, e.Marshal()); err != nil {
		return err
	}
	return &Equivocation{e, filepath.Join(f.state.dir, evidenceFile)}
}

// doubt tells something that cannot be checked, when it is new. That we were told to
// stop is no doubt.
func (f *Follower) doubt(ctx context.Context, key string, d *doubt) {
	if ctx.Err() != nil {
		return
	}
	if known := f.doubts[key]; known != nil {
		known.text, known.table = d.text, d.table
		return
	}
	d.since = f.began
	f.doubts[key] = d
	f.o.Tell(Event{Text: "cannot check: " + printable(d.text)})
}

// unshown doubts that the tree that is believed is shown up to an entry. What is in doubt
// already is the older tree that was not shown first, unless that does not have the entry:
// another complaint is due then, at its own time.
func (f *Follower) unshown(ctx context.Context, key string, entry uint64, why error) {
	if d := f.doubts[key]; d != nil && d.c.Size <= entry {
		delete(f.doubts, key)
	}
	c := f.believed
	f.doubt(ctx, key, &doubt{text: why.Error(), c: &c})
}

// doubtOf names a checkpoint.
func doubtOf(c tlog.Checkpoint) string { return fmt.Sprintf("size %d, root %v", c.Size, c.Root) }

func (f *Follower) settled(key string) {
	if f.doubts[key] != nil {
		delete(f.doubts, key)
		f.o.Tell(Event{Text: "checked now: " + key})
	}
}

// complain writes a complaint about each signed tree that has not been shown for so
// long.
func (f *Follower) complain(patience time.Duration) error {
	for _, d := range f.doubts {
		if d.c == nil || d.told || f.o.Now().Sub(d.since) < patience {
			continue
		}
		d.told = true
		c := Complaint{*d.c, d.text}
		name := fmt.Sprintf("complaint-%d-%x.txt", c.Checkpoint.Size, c.Checkpoint.Root[:8])
		if err := f.state.write(name, c.Marshal()); err != nil {
			return err
		}
		f.o.Tell(Event{Text: c.String() + " Complaint: " + filepath.Join(f.state.dir, name)})
	}
	return nil
}

// giveUpTables gives up the tables whose blobs have not been shown for so long.
func (f *Follower) giveUpTables(patience time.Duration) error {
	for key, d := range f.doubts {
		if d.table == nil || f.o.Now().Sub(d.since) < patience {
			continue
		}
		delete(f.doubts, key)
		if err := f.giveUpTable(*d.table); err != nil {
			return err
		}
	}
	return nil
}
