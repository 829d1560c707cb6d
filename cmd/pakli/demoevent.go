package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events/results"
)

// demoCup is how large the cup is, and what its bots do.
type demoCup struct {
	players, rounds, seats int
	habits
}

// demoCloses is how long a table of the cup may stand still that a bot may have left: so short a
// time is for bots. Where none leaves, a slow machine closes nothing.
const demoCloses = 10 * time.Second

// demoEvent plays a small cup between bots, from its announcement to standings that verify.
func demoEvent(ctx context.Context, e env, t terms, dir string, cup demoCup, lang string) (code int, err error) {
	if cup.players-cup.late < cup.seats || cup.rounds < 1 {
		return exitUsage, wrongUsage("--players %d, --rounds %d: want %d players at least who are in time, and one round", cup.players, cup.rounds, cup.seats)
	}
	if err := cup.checkCounts(cup.players); err != nil {
		return exitUsage, err
	}
	temporary := dir == ""
	if dir, err = demoDirectory(dir); err != nil {
		return exitFail, err
	}
	defer func() {
		if err != nil && temporary {
			os.RemoveAll(dir)
		}
	}()
	organiser, err := seatfile.Create(filepath.Join(dir, "organiser.seat"), "organiser", "")
	if err != nil {
		return exitFail, err
	}
	defer organiser.Close()
	o := demoServer(dir)
	o.limits = demoLimits(cup.players)
	srv, err := startServer(ctx, o, e)
	if err != nil {
		return exitFail, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	key, err := tlog.ParseLogKey(srv.key.Public)
	if err != nil {
		return exitFail, err
	}
	s := &serverFlags{url: srv.url, keys: []*tlog.VerifierKey{key}}
	d, err := demoAnnounce(ctx, e, s, t, organiser, cup)
	if err != nil {
		return exitFail, err
	}
	begin := time.Now()
	group, playing := errgroup.WithContext(ctx)
	if cup.leave > 0 {
		d.closes = demoCloses
	}
	group.Go(func() error {
		return botsAt(playing, env{io.Discard, e.err}, s, d.id, dir, cup.makePlans(cup.players))
	})
	seated := func(play func(*player.Identity) error) error { return play(organiser) }
	group.Go(func() error { return d.runToEnd(playing, seated, cup.players-cup.late, 100*time.Millisecond) })
	if err := group.Wait(); err != nil {
		return exitFail, err
	}
	played := time.Since(begin)
	begin = time.Now()
	v, err := s.verifyEvent(ctx, e, d.c, d.id)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out)
	if err := results.Sum(v, inLanguage(lang), event.LeftOutLayers{}).Text(e.out); err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "\nentries   %d on the log\nplay      %.2f s\nverify    %.2f s\ndata      %s\n", v.Log.Checkpoint.Size, played.Seconds(), time.Since(begin).Seconds(), dir)
	return v.ExitCode(), nil
}

// demoLimits are those of a server whose players are all at one address, and nobody else.
func demoLimits(players int) httpapi.Limits {
	l := httpapi.DefaultLimits()
	l.PollsPerAddress = max(l.PollsPerAddress, 2*players)
	l.Polls = max(l.Polls, l.PollsPerAddress)
	l.ConnectionsPerAddress = max(l.ConnectionsPerAddress, 8*players)
	l.Connections = max(l.Connections, l.ConnectionsPerAddress)
	l.PostRate, l.TableRate, l.NoticeRate, l.GlobalRate, l.ReadShare = -1, -1, -1, -1, -1
	l.ChecksPerAddress = runtime.GOMAXPROCS(0)
	return l
}

// demoAnnounce announces the cup, and returns it in the hands of its organiser.
func demoAnnounce(ctx context.Context, e env, s *serverFlags, t terms, organiser *player.Identity, d demoCup) (*direction, error) {
	cup := usualEvent()
	name, err := gameName(t.game)
	if err != nil {
		return nil, err
	}
	if cup.Options, err = t.chosenOptions(); err != nil {
		return nil, err
	}
	cup.Name, cup.Game, cup.Suite, cup.Deals, cup.Rounds, cup.Sizes = "Demo cup", name, t.suite, t.deals, d.rounds, []int{d.seats}
	cup.Registration.Max, cup.Drawers = d.players, min(3, d.players)
	if d.late > 0 {
		cup.Registration.Late = d.rounds
	}
	for r := range d.rounds {
		method := wire.SeatAtRandom
		if r > 0 && r == d.rounds-1 {
			method = wire.SeatByRank
		}
		cup.Seating = append(cup.Seating, method)
	}
	entry, err := announce(cup, organiser.Signer(), organiser.VerifierKey())
	if err != nil {
		return nil, usageError{err}
	}
	c, err := s.newClient()
	if err != nil {
		return nil, err
	}
	if _, err := c.Announce(ctx, entry); err != nil {
		return nil, err
	}
	return newDirection(e, s, c, wire.HashEntry(entry), organiser, ""), nil
}
