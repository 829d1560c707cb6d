package demo

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

	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/play"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/report"
)

// demoCup is the size of the cup and the habits of its bots.
type demoCup struct {
	players, rounds, seats int
	play.Habits
}

// demoCloses is how long a table of the cup may stand still if bots may leave it. Such a short time
// suits only bots. If no bot leaves, no table is closed, however slow the machine is.
const demoCloses = 10 * time.Second

// playCup plays a small cup between bots, from its announcement to verified standings.
func playCup(ctx context.Context, e command.Env, t *flags.Terms, dir string, cup demoCup, lang report.Language) (code int, err error) {
	if cup.players-cup.Late < cup.seats || cup.rounds < 1 {
		return command.ExitFail, command.WrongUsage("--players %d, --rounds %d: want %d players at least who are in time, and one round", cup.players, cup.rounds, cup.seats)
	}
	if err := cup.CheckCounts(cup.players); err != nil {
		return command.ExitFail, err
	}
	temporary := dir == ""
	if dir, err = demoDirectory(dir); err != nil {
		return command.ExitFail, err
	}
	defer func() {
		if err != nil && temporary {
			os.RemoveAll(dir)
		}
	}()
	organiser, err := seatfile.Create(filepath.Join(dir, "organiser.seat"), "organiser", "")
	if err != nil {
		return command.ExitFail, err
	}
	defer organiser.Close()
	o := demoServer(dir)
	o.Limits = demoLimits(cup.players)
	srv, err := serve.Start(ctx, o)
	if err != nil {
		return command.ExitFail, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	key, err := tlog.ParseLogKey(srv.Key.Public)
	if err != nil {
		return command.ExitFail, err
	}
	s := &flags.Server{URL: srv.URL, Keys: []*tlog.VerifierKey{key}}
	d, err := demoAnnounce(ctx, e, s, t, organiser, cup)
	if err != nil {
		return command.ExitFail, err
	}
	begin := time.Now()
	group, playing := errgroup.WithContext(ctx)
	if cup.Leave > 0 {
		d.Closes = demoCloses
	}
	group.Go(func() error {
		return play.BotsAt(playing, command.Env{Out: io.Discard, Err: e.Err}, s, d.ID, dir, cup.MakePlans(cup.players))
	})
	seated := func(play func(*player.Identity) error) error { return play(organiser) }
	group.Go(func() error { return d.RunToEnd(playing, seated, cup.players-cup.Late, 100*time.Millisecond) })
	if err := group.Wait(); err != nil {
		return command.ExitFail, err
	}
	played := time.Since(begin)
	begin = time.Now()
	v, err := event.VerifyEvent(ctx, e, s, d.Client, d.ID)
	if err != nil {
		return command.ExitFail, err
	}
	fmt.Fprintln(e.Out)
	if err := event.SumResults(v, lang).Text(e.Out); err != nil {
		return command.ExitFail, err
	}
	fmt.Fprintf(e.Out, "\nentries   %d on the log\nplay      %.2f s\nverify    %.2f s\ndata      %s\n", v.Log.Checkpoint.Size, played.Seconds(), time.Since(begin).Seconds(), dir)
	return v.ExitCode(), nil
}

// demoLimits returns limits of a server for players who are all at one address.
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

// demoAnnounce announces the cup and returns its organiser's Direction.
func demoAnnounce(ctx context.Context, e command.Env, s *flags.Server, t *flags.Terms, by *player.Identity, d demoCup) (*event.Direction, error) {
	cup := organiser.UsualTerms()
	name, err := flags.GameName(t.Game)
	if err != nil {
		return nil, err
	}
	if cup.Options, err = t.ChosenOptions(); err != nil {
		return nil, err
	}
	cup.Name, cup.Game, cup.Suite, cup.Deals, cup.Rounds, cup.Sizes = "Demo cup", name, t.Suite, t.Deals, d.rounds, []int{d.seats}
	cup.Registration.Max, cup.Drawers = d.players, min(3, d.players)
	if d.Late > 0 {
		cup.Registration.Late = d.rounds
	}
	for r := range d.rounds {
		method := bulletin.SeatAtRandom
		if r > 0 && r == d.rounds-1 {
			method = bulletin.SeatByRank
		}
		cup.Seating = append(cup.Seating, method)
	}
	entry, err := event.Announce(cup, by.Signer(), by.VerifierKey())
	if err != nil {
		return nil, command.Misuse(err)
	}
	c, err := s.NewClient()
	if err != nil {
		return nil, err
	}
	if _, err := c.Announce(ctx, entry); err != nil {
		return nil, err
	}
	return event.NewDirection(e, s, c, wire.HashEntry(entry), by, ""), nil
}
