package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/trials/cluster/parts"
)

// Options say how long and how hard the trial is.
type Options struct {
	Only    *regexp.Regexp // names of faults; nil: all
	Short   bool           // only those of the short form
	Hold    time.Duration  // how long a part is halted or cut off
	Clients int
	Players int           // of the clients; the others begin tables
	Pace    time.Duration // between the posts of a client
	Times   int           // how often each fault happens
	Out     io.Writer     // of the results
}

// Trial is a cluster under load, with its witnesses.
type Trial struct {
	Options
	*parts.Cluster
	Load   *Load
	Oracle *Oracle

	cosigner *Cosigner
	stop     context.CancelFunc
	watchers sync.WaitGroup
	updates  int // of Stranger

	mu     sync.Mutex
	fork   error
	counts time.Time // since when silence counts
}

// Begin starts a cluster with its log, its witnesses and the load.
func Begin(ctx context.Context, o Options, cluster parts.Options) (*Trial, error) {
	t := &Trial{Options: o}
	cluster.Cosigned = func(dir, key string) (policy string, err error) {
		t.cosigner, err = NewCosigner(filepath.Join(dir, "witness"), key)
		if err != nil {
			return "", err
		}
		return t.cosigner.Policy, nil
	}
	var err error
	if t.Cluster, err = parts.New(cluster); err != nil {
		return nil, err
	}
	if err := t.StartStock(ctx); err != nil {
		return t, err
	}
	if err := t.StartFrontEnds(ctx); err != nil {
		return t, err
	}
	text, err := t.Key()
	if err != nil {
		return t, err
	}
	key, err := note.NewVerifier(text)
	if err != nil {
		return t, err
	}
	t.Oracle = NewOracle(key)
	t.watch(ctx, key)
	t.Load = &Load{URL: t.URL, Clients: o.Clients, Players: o.Players, Pace: o.Pace, Key: key, Saw: t.Oracle.TakeCheckpoint}
	t.Load.Start(ctx)
	return t, nil
}

// watch starts the witnesses.
func (t *Trial) watch(ctx context.Context, key note.Verifier) {
	ctx, t.stop = context.WithCancel(ctx)
	note := func(err error) {
		if err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.fork = errors.Join(t.fork, err)
		}
	}
	for _, f := range t.FrontEnds {
		t.watchers.Go(func() { note(t.Oracle.Watch(ctx, f.URL)) })
	}
	t.watchers.Go(func() {
		updates, err := Stranger(ctx, t.URL, key)
		t.mu.Lock()
		t.updates = updates
		t.mu.Unlock()
		note(err)
	})
}

// Close stops everything.
func (t *Trial) Close() error {
	if t.Load != nil {
		t.Load.Stop()
		t.stop()
		t.watchers.Wait()
	}
	var failed error
	if t.cosigner != nil {
		failed = t.cosigner.Close()
	}
	return errors.Join(failed, t.Cluster.Close())
}

// Run makes all faults happen in turn and prints a line for each. It stops at the first one that
// loses an entry, forks the log, or leaves the cluster unable to recover.
func (t *Trial) Run(ctx context.Context) error {
	fmt.Fprintf(t.Out, "| fault | bar | nobody's entry acknowledged | longest wait of one client | acknowledged | lost | forks |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, f := range Faults() {
		if t.Short && !f.Short || t.Only != nil && !t.Only.MatchString(f.Name) {
			continue
		}
		for range max(1, t.Times) {
			line, err := t.runFault(ctx, f)
			if errors.Is(err, errNotHere) {
				fmt.Fprintf(t.Out, "| %s | %v |\n", f.Name, err)
				continue
			}
			if err != nil {
				fmt.Fprintf(t.Out, "| %s | FAILED: %v |\n", f.Name, err)
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			fmt.Fprintln(t.Out, line)
		}
	}
	return t.end(ctx)
}

// end judges the log once more and reports what the witnesses have seen.
func (t *Trial) end(ctx context.Context) error {
	t.Load.Stop()
	acks, voids, _ := t.Load.SeenAcks()
	err := errors.Join(t.judgeNow(ctx, acks), inOrder(acks))
	if err == nil {
		if err = t.closing(ctx); err == nil {
			err = t.judgeNow(ctx, acks)
		}
	}
	t.stop()
	t.watchers.Wait()
	fmt.Fprintf(t.Out, "\n%d entries, %d acknowledged, %d of them void; Tessera's client followed in %d steps\n", t.Oracle.Size(), len(acks), voids, t.updates)
	return errors.Join(err, t.fork)
}

// recovery bounds the time in which a cluster must recover. It is no measure of speed.
const recovery = 3 * time.Minute

func (t *Trial) runFault(ctx context.Context, f Fault) (line string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*recovery+4*t.Hold)
	defer cancel()
	if err := t.awaitRecovery(ctx); err != nil {
		return "", fmt.Errorf("before it: %w", err)
	}
	if err := t.awaitFrontEnds(ctx); err != nil {
		return "", fmt.Errorf("before it: %w", err)
	}
	before, _, _ := t.Load.SeenAcks()
	t.Count()
	if err := f.Do(ctx, t); err != nil {
		return "", err
	}
	t.Heal()
	if err := t.awaitRecovery(ctx); err != nil {
		return "", fmt.Errorf("it does not come back: %w", err)
	}
	until := time.Now()
	acks, _, err := t.Load.SeenAcks()
	if err == nil {
		err = errors.Join(t.judgeNow(ctx, acks), t.awaitFrontEnds(ctx))
	}
	if err != nil {
		return "", err
	}
	nobody, client := LongestSilence(acks[len(before):], t.counts, until)
	bar := "–"
	if f.Bar > 0 {
		bar = fmt.Sprintf("%.0f s", f.Bar.Seconds())
	}
	mark := ""
	if f.Bar > 0 && client > f.Bar {
		mark = " (over)"
	}
	return fmt.Sprintf("| %s | %s | %.2f s | %.2f s%s | %d | 0 | 0 |", f.Name, bar, nobody.Seconds(), client.Seconds(), mark, len(acks)-len(before)), nil
}

// Count makes silence count from now on. What was before belongs to the fault, for example the time
// until somebody promoted the standby.
func (t *Trial) Count() { t.counts = time.Now() }

// awaitRecovery waits until every client has an acknowledgement for an entry that it began to post
// after now.
func (t *Trial) awaitRecovery(ctx context.Context) error {
	now := time.Now()
	for {
		acks, _, err := t.Load.SeenAcks()
		if err != nil {
			return err
		}
		done := map[int]bool{}
		for _, a := range slices.Backward(acks) {
			if a.At.Before(now) {
				break
			}
			if a.Begun.After(now) {
				done[a.Client] = true
			}
		}
		if len(done) == t.Clients {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d clients have had something acknowledged: %w\n%s", len(done), t.Clients, ctx.Err(), t.lastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// awaitFrontEnds waits until every front end takes posts and gets some, so that a fault cannot take
// one out of use unnoticed.
func (t *Trial) awaitFrontEnds(ctx context.Context) error {
	for _, f := range t.FrontEnds {
		if err := t.Ready(ctx, f); err != nil {
			return err
		}
	}
	return t.AwaitProxy(ctx)
}

// lastWords returns the end of the front ends' output, for an error.
func (t *Trial) lastWords() string {
	var b strings.Builder
	for _, f := range t.FrontEnds {
		pid, _ := f.PID()
		fmt.Fprintf(&b, "%s (process %d): %s\n", f.Name, pid, f.LogEnd())
	}
	return b.String()
}

// logSizes returns the size of each front end's output.
func (t *Trial) logSizes() (sizes []int) {
	for _, f := range t.FrontEnds {
		sizes = append(sizes, len(f.Log()))
	}
	return sizes
}

// awaitTold waits until each front end has told its operator one of these things since then, and
// prints how.
func (t *Trial) awaitTold(ctx context.Context, since []int, things ...string) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	for i, f := range t.FrontEnds {
		line := ""
		for line == "" {
			for said := range strings.Lines(f.Log()[since[i]:]) {
				if slices.ContainsFunc(things, func(thing string) bool { return strings.Contains(said, thing) }) {
					line = said
					break
				}
			}
			if err := t.wait(ctx, 50*time.Millisecond); err != nil {
				return fmt.Errorf("%s does not say %q: %w\n%s", f.Name, things, err, t.lastWords())
			}
		}
		fmt.Fprintf(t.Out, "%s: %s", f.Name, line)
	}
	return nil
}

// judgeNow asks the oracle and the witnesses.
func (t *Trial) judgeNow(ctx context.Context, acks []Ack) error {
	var urls []string
	for _, f := range t.FrontEnds {
		if pid, _ := f.PID(); pid != 0 {
			urls = append(urls, f.URL)
		}
	}
	err := t.Oracle.Judge(ctx, acks, urls...)
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(err, t.fork)
}

// LongestSilence returns the longest time between since and until in which no entry was acknowledged,
// and the longest wait of one post.
func LongestSilence(acks []Ack, since, until time.Time) (nobody, client time.Duration) {
	acks = slices.Clone(acks)
	slices.SortFunc(acks, func(a, b Ack) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	last := since
	for _, a := range acks {
		if a.At.Before(since) || a.At.After(until) {
			continue
		}
		nobody, last = max(nobody, a.At.Sub(last)), a.At
		begun := a.Begun
		if begun.Before(since) {
			begun = since
		}
		client = max(client, a.At.Sub(begun))
	}
	return max(nobody, until.Sub(last)), client
}

// removeDirectory removes a directory and its content.
func removeDirectory(dir string) error { return os.RemoveAll(dir) }
