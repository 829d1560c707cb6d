package verification

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/follow"
)

// pause is the least time between two requests to a log. Tests shorten it.
var pause = time.Second

const (
	// gossipTime bounds a request to a peer. It is short, since the log comes first.
	gossipTime = 5 * time.Second
	// onceTries is how often --once asks for what is not shown.
	onceTries = 3
)

// following holds the parsed command line of follow.
type following struct {
	url string
	dir string
	trust
	gossip    []string
	listen    string
	interval  time.Duration
	patience  time.Duration
	once      bool
	keepGoing bool
}

// followCommand follows a log until something is wrong or it is stopped.
func followCommand(f *command.Flags) command.Body {
	a := new(following)
	a.trust.addFlags(f)
	f.StringVar(&a.dir, "state", "", "`directory` that remembers what was verified and believed; made if it does not exist")
	f.Func("gossip", "`URL`, or file, with what another follower believes; may be repeated", func(s string) error {
		a.gossip = append(a.gossip, s)
		return nil
	})
	f.StringVar(&a.listen, "listen", "", "`address` on which others can read the believed checkpoint, at /checkpoint")
	f.DurationVar(&a.interval, "interval", 5*time.Second, "how long to wait for news before asking again")
	f.DurationVar(&a.patience, "patience", 10*time.Minute, "how long to ask for entries that the log signed and does not show, before a complaint is written")
	f.BoolVar(&a.once, "once", false, "verify what the log has now, and stop")
	f.BoolVar(&a.keepGoing, "keep-going", false, "go on after a foul")
	return func(ctx context.Context, e command.Env) error {
		a.url = f.Arg(0)
		if err := a.checkFlags(); err != nil {
			return command.Misuse(err)
		}
		return command.ExitWith(a.runTold(ctx, e), nil)
	}
}

func (a *following) checkFlags() error {
	switch {
	case a.dir == "":
		return errors.New("--state is missing: without what was believed before, nothing can be compared with it")
	case min(a.interval, a.patience) < pause:
		return fmt.Errorf("--interval %v --patience %v: must be %v or more", a.interval, a.patience, pause)
	}
	return a.completeKeys()
}

// runTold follows, reports why it ended, and returns the exit code.
func (a *following) runTold(ctx context.Context, e command.Env) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	code, err := a.run(ctx, e)
	if broken, ok := errors.AsType[*follow.Equivocation](err); ok {
		fmt.Fprintf(e.Out, "Log broken: %v No seat is to blame.\n%s", broken, a.seenBy(broken.Evidence))
		return verifier.LogBroken.ExitCode()
	}
	if err != nil {
		complain(e.Loud(), "%v", err)
	}
	return code
}

// completeKeys is trust.completeKeys, and requires keys of a single log.
func (a *following) completeKeys() error {
	if err := a.trust.completeKeys(); err != nil {
		return err
	}
	for _, k := range a.keys {
		if k.Name() != a.keys[0].Name() {
			return fmt.Errorf("keys of two logs, %q and %q: choose one with --log", a.keys[0].Name(), k.Name())
		}
	}
	return nil
}

// run follows the log and returns the exit code.
func (a *following) run(ctx context.Context, e command.Env) (int, error) {
	src, err := a.source()
	if err != nil {
		return command.ExitUsage, err
	}
	peers, err := a.peers()
	if err != nil {
		return command.ExitUsage, err
	}
	f, err := follow.Open(ctx, src, a.dir, follow.Options{
		Log: a.keys, Policy: a.policy, Catalogue: catalogue(),
		Gossip: peers, Now: time.Now, Patience: a.patience, Tell: func(told follow.Event) { tellEvent(told, e.Out, e.Loud()) },
	})
	if err != nil {
		return exitCannot, err
	}
	defer f.Close()
	if a.listen != "" {
		stop, err := serveBelieved(a.listen, a.dir, e.Err)
		if err != nil {
			return exitCannot, err
		}
		defer stop()
	}
	if a.once {
		return a.stepOnce(ctx, f, e.Err)
	}
	return a.loop(ctx, f)
}

func tellEvent(e follow.Event, out, errs io.Writer) {
	if e.Verdict != nil {
		fmt.Fprintln(out, plain.Lines(e.Text))
		return
	}
	complain(errs, "%s", e.Text)
}

// loop follows until it is stopped or something is wrong.
func (a *following) loop(ctx context.Context, f *follow.Follower) (int, error) {
	for {
		start, before := time.Now(), f.BelievedCheckpoint().Size
		if err := f.Step(ctx); err != nil {
			return exitCannot, err
		}
		if f.ToldFoul() && !a.keepGoing {
			return verifier.Foul.ExitCode(), nil
		}
		rest := pause
		if f.BelievedCheckpoint().Size == before && !f.IsPaused() {
			rest = max(pause, a.interval-time.Since(start))
		}
		if command.Wait(ctx, rest) != nil {
			return worst(f.ToldFoul(), f.ToldUnchecked()), nil
		}
	}
}

// stepOnce asks a few times for what is not shown and then gives up.
func (a *following) stepOnce(ctx context.Context, f *follow.Follower, errs io.Writer) (int, error) {
	for tries := 0; ; {
		if err := f.Step(ctx); err != nil {
			return exitCannot, err
		}
		if f.IsPaused() && ctx.Err() == nil {
			continue
		}
		if tries++; !f.HasDoubts() || tries == onceTries || command.Wait(ctx, pause) != nil {
			break
		}
	}
	if err := f.GiveUp(); err != nil {
		return exitCannot, err
	}
	read, open := f.ReadSoFar()
	complain(errs, "%d of %d entries verified, %d tables in play", read, f.BelievedCheckpoint().Size, open)
	return worst(f.ToldFoul(), f.HasDoubts() || ctx.Err() != nil || read < f.BelievedCheckpoint().Size), nil
}

// worst returns the exit code of the findings.
func worst(foul, doubtful bool) int {
	switch {
	case foul:
		return verifier.Foul.ExitCode()
	case doubtful:
		return exitCannot
	}
	return 0
}

// surface shows a log to package follow.
type surface struct {
	*client.Client
	cosigned *client.Client // nil if no cosignatures are wanted
	wait     time.Duration
}

func (a *following) source() (follow.Surface, error) {
	c, err := a.client(a.url)
	if err != nil {
		return nil, err
	}
	s := surface{Client: c, wait: min(a.interval, a.patience/2, follow.MaxAnswer/2)}
	if a.once {
		s.wait = 0
	}
	if a.policy != nil {
		s.cosigned, err = a.client(strings.TrimRight(a.url, "/") + "/cosigned")
	}
	return s, err
}

// Checkpoint implements follow.Surface. If cosignatures are wanted, it returns the cosigned
// checkpoint; other people's logs have no separate place for it.
func (s surface) Checkpoint(ctx context.Context, above uint64) ([]byte, error) {
	if s.cosigned == nil {
		return s.ShownCheckpoint(ctx, above, s.wait)
	}
	signed, err := s.cosigned.ShownCheckpoint(ctx, above, 0)
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Status == http.StatusNotFound {
		return s.ShownCheckpoint(ctx, above, 0)
	}
	return signed, err
}

// peers returns the sources of --gossip, by URL or file. A URL may name the checkpoint itself.
func (a *following) peers() ([]follow.Peer, error) {
	var list []follow.Peer
	for _, from := range a.gossip {
		p := follow.Peer{Name: from, Checkpoint: func(context.Context) ([]byte, error) { return readCheckpoint(from) }}
		if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
			c, err := a.client(strings.TrimSuffix(strings.TrimRight(from, "/"), "/checkpoint"))
			if err != nil {
				return nil, err
			}
			p.Checkpoint = func(ctx context.Context) ([]byte, error) {
				ctx, cancel := context.WithTimeout(ctx, gossipTime)
				defer cancel()
				return c.ShownCheckpoint(ctx, 0, 0)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// readCheckpoint reads a checkpoint from a file or from a state directory. It refuses pipes and
// longer files.
func readCheckpoint(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "checkpoint")
	}
	return durable.ReadFile(name, tlog.MaxCheckpoint)
}

// serveBelieved serves the believed checkpoint for others to compare.
func serveBelieved(addr, dir string, errs io.Writer) (stop func() error, err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /checkpoint", func(w http.ResponseWriter, _ *http.Request) {
		signed, err := readCheckpoint(filepath.Join(dir, "checkpoint"))
		if err != nil {
			http.Error(w, "nothing is believed yet", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Write(signed)
	})
	s := &http.Server{Handler: mux, ReadTimeout: gossipTime, WriteTimeout: gossipTime, IdleTimeout: time.Minute, MaxHeaderBytes: 8 << 10}
	go s.Serve(l)
	complain(errs, "what is believed is shown at http://%s/checkpoint", l.Addr())
	return s.Close, nil
}
