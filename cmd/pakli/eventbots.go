package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
)

// habits is how many of the bots of an event do what players do besides playing.
type habits struct {
	leave, vanish, late, kill int
	seed                      uint64
}

func (h *habits) addFlags(f *flag.FlagSet) {
	f.IntVar(&h.leave, "leave", 0, "how many bots withdraw from the event and leave their table in mid-play")
	f.IntVar(&h.vanish, "vanish", 0, "how many bots withdraw, and leave their table without a word to it")
	f.IntVar(&h.late, "late", 0, "how many bots register when the first round has been seated")
	f.IntVar(&h.kill, "kill", 0, "how many bots are stopped at any moment, and go on")
	f.Uint64Var(&h.seed, "chance", 1, "a `number`: which bots do so, and when")
}

// hasAny reports whether there is one.
func (h *habits) hasAny() bool { return h.leave != 0 || h.vanish != 0 || h.late != 0 || h.kill != 0 }

func (h *habits) checkCounts(bots int) error {
	if min(h.leave, h.vanish, h.late, h.kill) < 0 || h.leave+h.vanish+h.late > bots || h.kill > bots {
		return wrongUsage("--leave, --vanish and --late are of different bots, and --kill of as many as there are: %d", bots)
	}
	return nil
}

// botPlan is what one bot will do, by the number of messages that it posts.
type botPlan struct {
	late, silent bool
	leaves       int   // at its message of this number at tables of rounds; 0: never
	stops        []int // at these of all its messages
}

// A bot leaves before its latest message of a deal, and is stopped while it has some to post.
const (
	leavesFrom, leavesTo = 3, 6
	mostStops, stopsTo   = 3, 24
)

// makePlans says what each of so many bots will do.
func (h *habits) makePlans(bots int) []botPlan {
	r := rand.New(rand.NewPCG(h.seed, uint64(bots)))
	list := make([]botPlan, bots)
	for at, i := range r.Perm(bots) {
		switch {
		case at < h.leave+h.vanish:
			list[i].leaves, list[i].silent = leavesFrom+r.IntN(leavesTo-leavesFrom+1), at >= h.leave
		case at < h.leave+h.vanish+h.late:
			list[i].late = true
		}
	}
	for _, i := range r.Perm(bots)[:h.kill] {
		for range 1 + r.IntN(mostStops) {
			list[i].stops = append(list[i].stops, 1+r.IntN(stopsTo))
		}
		slices.Sort(list[i].stops)
		list[i].stops = slices.Compact(list[i].stops)
	}
	return list
}

// guest is a bot in an event, with a client and a seat file of its own.
type guest struct {
	botPlan
	s          *serverFlags
	event      wire.Hash
	file, name string
	every      time.Duration
	crowd      *player.Crowd

	posted, atTables int // messages, all and at tables of rounds
}

var (
	errStopped = errors.New("the bot was stopped")
	errLeaves  = errors.New("the bot leaves")
)

// attend plays until the event is over, or the bot leaves it. A bot that is stopped begins
// again with what its seat file has.
func (g *guest) attend(ctx context.Context, e env) error {
	for {
		err := g.visit(ctx, e)
		switch {
		case errors.Is(err, errLeaves):
			return nil
		case errors.Is(err, errStopped):
			fmt.Fprintf(e.err, "%s was stopped, and goes on\n", g.name)
		default:
			return err
		}
	}
}

func (g *guest) visit(ctx context.Context, e env) error {
	id, err := seatfile.Open(g.file, "")
	if err != nil {
		return err
	}
	defer id.Close()
	c, err := g.s.newClient()
	if err != nil {
		return err
	}
	p := &entrant{c: c, id: id, event: g.event, name: g.name, late: g.late, every: g.every}
	p.sit = func(ctx context.Context, table wire.Hash) error { return g.playTable(ctx, e, p, table) }
	return p.attendEvent(ctx, e)
}

// playTable plays a table, as far as the plan goes.
func (g *guest) playTable(ctx context.Context, e env, p *entrant, table wire.Hash) error {
	src := &frailSource{Source: reading.New(table, reading.Options{Server: p.c})}
	seat, err := takeSeat(ctx, p.id, src, table, bot("sensible").botMoves())
	if err != nil {
		return err
	}
	seat.Crowd = g.crowd
	defer g.crowd.ForgetTable(table)
	round := seat.State().Genesis().Round
	src.fails = func() (before, after error) { return g.countPost(round > 0) }
	if err = playThrough(ctx, seat, func(string) {}, seat.Play); !errors.Is(err, errLeaves) {
		return err
	}
	src.fails = nil
	fmt.Fprintf(e.err, "%s leaves\n", g.name)
	away := speech{name: "withdraw", round: min(round+1, p.terms.Rounds)}
	if err := away.postNotice(ctx, e, p.c, p.event, p.id); err != nil || g.silent {
		return errors.Join(err, errLeaves)
	}
	resign := actFlags{name: string(wire.KindResign)}
	return errors.Join(resign.actAt(ctx, seat), errLeaves)
}

// countPost counts a message, and says what comes of posting it.
func (g *guest) countPost(atTable bool) (before, after error) {
	if atTable && g.leaves > 0 && g.atTables+1 >= g.leaves {
		return errLeaves, nil
	}
	if g.posted++; atTable {
		g.atTables++
	}
	if len(g.stops) > 0 && g.posted >= g.stops[0] {
		if g.stops = g.stops[1:]; len(g.stops)%2 == 0 {
			return errStopped, nil
		}
		return nil, errStopped
	}
	return nil, nil
}

// frailSource is a source that fails at some posts: before the server is asked, or after it has
// answered.
type frailSource struct {
	*reading.Source
	fails func() (before, after error)
}

// Post implements player.Source.
func (f *frailSource) Post(ctx context.Context, id wire.Hash, parcel []byte) error {
	if f.fails == nil {
		return f.Source.Post(ctx, id, parcel)
	}
	before, after := f.fails()
	if before != nil {
		return before
	}
	return errors.Join(f.Source.Post(ctx, id, parcel), after)
}

// rehearse fills an event with bots, until it is over.
func rehearse(ctx context.Context, e env, s serverFlags, name, dir string, bots int, does habits) (int, error) {
	if name == "" || dir == "" || bots < 1 {
		return exitUsage, wrongUsage("--bots are for --event, and want in --seat the directory of their seat files")
	}
	if err := does.checkCounts(bots); err != nil {
		return exitUsage, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return exitFail, err
	}
	_, id, err := s.findEvent(ctx, e, name)
	if err != nil {
		return exitFail, err
	}
	return exitDone, botsAt(ctx, env{io.Discard, e.err}, &s, id, dir, does.makePlans(bots))
}

// botsAt lets bots enter an event, whose seat files are in a directory.
func botsAt(ctx context.Context, e env, s *serverFlags, event wire.Hash, dir string, plans []botPlan) error {
	files, names, err := botSeats(dir, len(plans))
	if err != nil {
		return err
	}
	every := 100*time.Millisecond + time.Duration(len(plans))*5*time.Millisecond // so many ask for their tables
	group, ctx := errgroup.WithContext(ctx)
	crowd := new(player.Crowd)
	for i, plan := range plans {
		g := &guest{botPlan: plan, s: s, event: event, file: files[i], name: names[i], every: every, crowd: crowd}
		group.Go(func() error { return g.attend(ctx, e) })
	}
	return group.Wait()
}

// botSeats are the seat files of so many bots in a directory, made where they are missing,
// and what people call them.
func botSeats(dir string, bots int) (files, names []string, err error) {
	first := []string{"Anna", "Béla", "Csilla", "Dezső", "Elza", "Feri", "Gizi", "Huba"}
	last := []string{"Kovács", "Szabó", "Nagy", "Tóth", "Varga", "Kiss", "Molnár", "Balogh"}
	for i := range bots {
		files = append(files, filepath.Join(dir, fmt.Sprintf("bot%d.seat", i+1)))
		names = append(names, last[i/len(first)%len(last)]+" "+first[i%len(first)])
		if again := i / (len(first) * len(last)); again > 0 {
			names[i] += fmt.Sprintf(" %d", again+1)
		}
		if _, err := os.Stat(files[i]); !errors.Is(err, fs.ErrNotExist) {
			continue // opening it says what is wrong
		}
		var id *player.Identity
		if id, err = seatfile.Create(files[i], fmt.Sprintf("bot%d", i+1), ""); err == nil {
			err = id.Close()
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return files, names, nil
}
