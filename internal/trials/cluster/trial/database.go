package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pakli/pakli/internal/trials/cluster/relay"
	"github.com/pakli/pakli/ledger/tlog"
)

// errNotHere is the class of faults that cannot be caused on this machine.
var errNotHere = errors.New("NOT RUN")

// bothWrite lets two primaries take writes at the same time, each with a log server, a signer and a
// front end of its own, which both reach the register. The first promise beyond the point of
// separation decides. The other front end notices that its side lacks what was promised and takes no
// posts; or it has followed its side beyond that and ends. Once that side is gone, the one front end
// goes on, and the other is made again.
func bothWrite(ctx context.Context, t *Trial) error {
	first, second := t.Databases[0], t.Databases[1]
	for _, name := range []string{
		"log-server-1>" + second.Name, "signer-1>" + second.Name, "log-server-2>" + first.Name, "signer-2>" + first.Name,
		second.Name + ">" + first.Name, "front-1>log-server-2", "front-2>log-server-1",
	} {
		if r := t.Link(name); r != nil {
			r.Set(relay.State{Refuse: true})
		}
	}
	if err := errors.Join(first.Synchronous(ctx, false), second.Promote(ctx)); err != nil {
		return err
	}
	loser, err := t.oneStops(ctx)
	if err != nil {
		return err
	}
	t.Databases[loser].Kill()
	t.Heal()
	t.Databases[0], t.Databases[1] = t.Databases[1-loser], t.Databases[loser]
	if err := t.standbyBack(ctx); err != nil {
		return err
	}
	if pid, _ := t.FrontEnds[loser].PID(); pid == 0 {
		err = t.rebuildFrontEnd(ctx, loser)
	} else {
		err = t.Ready(ctx, t.FrontEnds[loser])
	}
	t.Count()
	return err
}

// oneStops waits until, for as long as a fault lasts, one front end takes posts and the other takes
// none, and returns the latter.
func (t *Trial) oneStops(ctx context.Context) (stopped int, err error) {
	for since, last := time.Now(), -1; time.Since(since) < t.Hold; {
		ready := [2]bool{}
		for i, f := range t.FrontEnds[:2] {
			_, err := fetch(ctx, http.DefaultClient, f.URL+"/readyz")
			ready[i] = err == nil
		}
		stopped = map[[2]bool]int{{false, true}: 0, {true, false}: 1, {true, true}: -1, {}: -1}[ready]
		if stopped < 0 || stopped != last {
			since, last = time.Now(), stopped
		}
		if err := t.wait(ctx, 50*time.Millisecond); err != nil {
			return 0, fmt.Errorf("none of two histories wins: %w\n%s", err, t.lastWords())
		}
	}
	return stopped, nil
}

// standbyAway is longer than a signer waits for a commit; after that PostgreSQL commits without the
// standby (2.1).
const standbyAway = 90 * time.Second

// loseStandby takes the standby away while nothing is queued, so that it lacks everything promised
// from then on: in its tree, and in its queue, which would become the same tree. It returns when
// every front end has reported the problem.
func loseStandby(ctx context.Context, t *Trial) error {
	mark := t.logSizes()
	for i := range t.FrontEnds {
		for _, name := range t.Links(fmt.Sprintf("front-%d>log-server", i+1)) {
			t.Link(name).Set(relay.State{Refuse: true})
		}
	}
	if err := t.awaitDrained(ctx); err != nil {
		return err
	}
	t.Databases[1].Kill()
	t.Heal()
	return t.awaitTold(ctx, mark, "no synchronous standby is connected, and commits wait for one")
}

// awaitDrained waits until the tree has everything that was queued.
func (t *Trial) awaitDrained(ctx context.Context) error {
	for {
		n, err := t.Databases[0].Number(ctx, "SELECT count(*) FROM Unsequenced")
		if err != nil || n == 0 {
			return err
		}
		if err := t.wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// standbyLate takes the standby away for so long that signers give up commits, and brings it back.
// Everything must recover without help.
func standbyLate(ctx context.Context, t *Trial) error {
	if err := loseStandby(ctx, t); err != nil {
		return err
	}
	if err := t.wait(ctx, standbyAway); err != nil {
		return err
	}
	t.Count()
	return t.Databases[1].StartReady(ctx)
}

// lackingPromoted takes the standby away for so long that entries are promised without it, and then
// promotes it. No front end may go on with it: it will put other entries in their place, which is
// another history. Then the log moves to a new database from the front end that has most.
func lackingPromoted(ctx context.Context, t *Trial) error {
	if err := loseStandby(ctx, t); err != nil {
		return err
	}
	if err := t.wait(ctx, standbyAway); err != nil {
		return err
	}
	t.Databases[0].Kill()
	before, mark := t.publishedSize(ctx), t.logSizes()
	if err := t.Databases[1].StartReady(ctx); err != nil {
		return err
	}
	has, err := t.Databases[1].Number(ctx, "SELECT TreeSize FROM TreeHead ORDER BY TreeHeadTimestamp DESC LIMIT 1")
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "the standby that was away for %v has %d of %d promised entries\n", standbyAway, has, before)
	if before <= has {
		return errors.New("nothing was promised without the standby: the fault did not happen")
	}
	if err := t.Databases[1].Promote(ctx); err != nil {
		return err
	}
	if err := t.awaitTold(ctx, mark, "its database lacks what was promised", "One of them is another history", "it was to be"); err != nil {
		return err
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	if after := t.publishedSize(ctx); after > before {
		return fmt.Errorf("%d of %d promised entries are in the database, and %d are published: front ends go on", has, before, after)
	}
	return t.newDatabase(ctx)
}

// publishedSize returns the largest size that a front end shows.
func (t *Trial) publishedSize(ctx context.Context) (size int64) {
	for _, f := range t.FrontEnds {
		b, err := fetch(ctx, http.DefaultClient, f.URL+"/checkpoint")
		if err != nil {
			continue
		}
		if c, err := tlog.OpenCheckpoint(b, t.Oracle.Key); err == nil {
			size = max(size, int64(c.Size))
		}
	}
	return size
}

// newDatabase moves the log to a new database, from the front end that has most (7.1).
func (t *Trial) newDatabase(ctx context.Context) error {
	ends := t.Largest(ctx)
	t.stopFrontEnds(ctx)
	if err := t.NewDatabase(ctx); err != nil {
		return err
	}
	if err := t.Import(ctx, ends); err != nil {
		return err
	}
	err := t.startFrontEnds(ctx)
	t.Count()
	return err
}

// room is the free space of a small disk with the database.
const room = 256 << 20

// databaseDiskFull moves the primary to a small disk, which is full for a while.
func databaseDiskFull(ctx context.Context, t *Trial) (err error) {
	small := t.Databases[1]
	size, err := directorySize(t.Databases[0].Dir())
	if err != nil {
		return err
	}
	small.Kill()
	if err := errors.Join(os.RemoveAll(small.Dir()), os.Mkdir(small.Dir(), 0o700)); err != nil {
		return err
	}
	mounted := syscall.Mount("tmpfs", small.Dir(), "tmpfs", 0, fmt.Sprintf("size=%d", size+room))
	if mounted != nil { // then it becomes the standby again, on its former disk
		mounted = fmt.Errorf("%w: a small disk cannot be mounted: %w", errNotHere, mounted)
		return errors.Join(mounted, t.standbyBack(ctx))
	}
	defer func() {
		small.Kill()
		err = errors.Join(err, syscall.Unmount(small.Dir(), syscall.MNT_DETACH), t.standbyBack(ctx))
		t.Count()
	}()
	if err := t.standbyBack(ctx); err != nil {
		return err
	}
	if err := promoteAndRecover(ctx, t); err != nil { // now it is the primary
		return err
	}
	if err := t.fill(ctx, small.Dir()); err != nil {
		return err
	}
	room := time.Now()
	if pid, _ := small.PID(); pid == 0 {
		if err := small.StartReady(ctx); err != nil {
			return err
		}
	}
	if err := t.awaitRecovery(ctx); err != nil {
		return fmt.Errorf("with room again it does not come back: %w", err)
	}
	fmt.Fprintf(t.Out, "with room again everybody was answered after %.1f s\n", time.Since(room).Seconds())
	return t.promote(ctx)
}

// fill fills a disk until every front end has reported the problem.
func (t *Trial) fill(ctx context.Context, dir string) error {
	mark := t.logSizes()
	ballast := filepath.Join(dir, "ballast")
	defer os.Remove(ballast)
	f, err := os.Create(ballast)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, endless{})
	if err := f.Close(); err != nil {
		return err
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("the disk is not full: %w", err)
	}
	if err := t.awaitTold(ctx, mark, "No space left on device", "look at its signers, and at the disk"); err != nil {
		return err
	}
	return t.hold(ctx)
}

// endless reads zeros for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// directorySize returns the size of the files in a directory that changes meanwhile.
func directorySize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return nil
	})
	return size, err
}

// pruneTreeHeads removes tree heads as prune.sql does, but also those of the last day.
func pruneTreeHeads(ctx context.Context, t *Trial) error {
	text, err := os.ReadFile("../../../deploy/cluster/prune.sql")
	if err != nil {
		return err
	}
	if err := t.Databases[0].Exec(ctx, strings.Replace(string(text), "interval '1 day'", "interval '0'", 1)); err != nil {
		return err
	}
	return t.hold(ctx)
}

// frontEndsFirst restarts all machines, front ends before everything that they need.
func frontEndsFirst(ctx context.Context, t *Trial) error {
	for _, p := range t.Parts() {
		p.Kill()
	}
	for _, f := range t.FrontEnds {
		if err := f.Start(); err != nil {
			return err
		}
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	for _, f := range t.FrontEnds {
		if pid, _ := f.PID(); pid == 0 {
			return fmt.Errorf("%s did not wait for its cluster: %s", f.Name, f.LogEnd())
		}
	}
	if err := t.startStock(ctx); err != nil {
		return err
	}
	for _, f := range t.FrontEnds {
		if err := t.Ready(ctx, f); err != nil {
			return err
		}
	}
	err := t.Proxy.Start()
	t.Count()
	return err
}
