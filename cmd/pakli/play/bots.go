package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
)

// Habits says how many bots of an event behave like players in other ways than playing.
type Habits struct {
	Leave, Late int
	seed        uint64
}

// AddFlags declares the flags.
func (h *Habits) AddFlags(f *command.Flags) {
	f.IntVar(&h.Leave, "leave", 0, "of the bots of an event, how many withdraw and leave their table in the middle of a deal")
	f.IntVar(&h.Late, "late", 0, "of the bots of an event, how many register only when the first round has been seated")
	f.Uint64Var(&h.seed, "chance", 1, "`number` that decides which bots do so, and when; the same number gives the same bots")
}

// CheckCounts refuses more than the number of bots.
func (h *Habits) CheckCounts(bots int) error {
	if min(h.Leave, h.Late) < 0 || h.Leave+h.Late > bots {
		return command.WrongUsage("--leave and --late together are more than the %d bots", bots)
	}
	return nil
}

// botPlan is what one bot will do.
type botPlan struct {
	late   bool
	leaves int // instead of its message of this number at tables of rounds; 0: never
}

// A bot leaves before its last message of a deal.
const leavesFrom, leavesTo = 3, 6

// MakePlans returns the plans of the given number of bots.
func (h *Habits) MakePlans(bots int) []botPlan {
	r := rand.New(rand.NewPCG(h.seed, uint64(bots)))
	list := make([]botPlan, bots)
	for at, i := range r.Perm(bots) {
		switch {
		case at < h.Leave:
			list[i].leaves = leavesFrom + r.IntN(leavesTo-leavesFrom+1)
		case at < h.Leave+h.Late:
			list[i].late = true
		}
	}
	return list
}

// guest is a bot in an event, with a client and a seat file of its own.
type guest struct {
	botPlan
	s          *flags.Server
	event      wire.Hash
	file, name string
	every      time.Duration
	crowd      *player.Crowd

	posted int // messages posted at tables of rounds
}

var errLeaves = errors.New("the bot leaves")

// attend plays until the event is over or the bot leaves it.
func (g *guest) attend(ctx context.Context, e command.Env) error {
	id, err := seatfile.Open(g.file, "")
	if err != nil {
		return err
	}
	defer id.Close()
	c, err := g.s.NewClient()
	if err != nil {
		return err
	}
	p := &entrant{c: c, id: id, event: g.event, line: func(table wire.Hash) string { return goOnLine(g.s, table.Code()[:wire.MinCode], "", g.file) }, name: g.name, late: g.late, every: g.every}
	p.sit = func(ctx context.Context, table wire.Hash) error { return g.playTable(ctx, e, p, table) }
	if err = p.attendEvent(ctx, e); errors.Is(err, errLeaves) {
		return nil
	}
	return err
}

// playTable plays a table as far as the plan goes.
func (g *guest) playTable(ctx context.Context, e command.Env, p *entrant, id wire.Hash) error {
	src := &leavingSource{Source: tablelog.New(id, tablelog.Options{Server: p.c})}
	seat, err := sitting.TakeSeat(ctx, p.id, src, id, sitting.Bot("sensible").Moves())
	if err != nil {
		return err
	}
	seat.Crowd = g.crowd
	defer g.crowd.ForgetTable(id)
	round := seat.State().Genesis().Round
	src.leaves = func() bool { return round > 0 && g.countPost() }
	if err = sitting.PlayThrough(ctx, seat, func(string) {}, seat.Play); !errors.Is(err, errLeaves) {
		return err
	}
	src.leaves = nil
	fmt.Fprintf(e.Err, "%s leaves\n", g.name)
	away := event.Speech{Name: "withdraw", Round: min(round+1, p.terms.Rounds)}
	if err := away.PostNotice(ctx, e, p.c, p.event, p.id); err != nil {
		return errors.Join(err, errLeaves)
	}
	err = seat.PostAct(ctx, player.Act{Kind: wire.KindResign, Body: func() (any, error) { return wire.ResignBody{Scope: wire.ResignTable}, nil }})
	return errors.Join(err, errLeaves)
}

// countPost counts a message and reports whether the bot leaves instead of posting it.
func (g *guest) countPost() bool {
	g.posted++
	return g.leaves > 0 && g.posted >= g.leaves
}

// leavingSource is the source of a bot that leaves its table when it would post a message.
type leavingSource struct {
	*tablelog.Source
	leaves func() bool
}

// Post implements player.Source.
func (l *leavingSource) Post(ctx context.Context, id wire.Hash, parcel []byte) error {
	if l.leaves != nil && l.leaves() {
		return errLeaves
	}
	return l.Source.Post(ctx, id, parcel)
}

// rehearse fills an event with bots until it is over.
func rehearse(ctx context.Context, e command.Env, s *flags.Server, name, dir string, bots int, does Habits) error {
	if name == "" || dir == "" || bots < 1 {
		return command.WrongUsage("--bots go with --event, and with --seat DIR, the directory for their seat files")
	}
	if err := does.CheckCounts(bots); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, id, err := s.FindEvent(ctx, e, name)
	if err != nil {
		return err
	}
	return BotsAt(ctx, command.Env{Out: io.Discard, Err: e.Err}, s, id, dir, does.MakePlans(bots))
}

// BotsAt makes bots with seat files in a directory enter an event.
func BotsAt(ctx context.Context, e command.Env, s *flags.Server, event wire.Hash, dir string, plans []botPlan) error {
	files, names, err := botSeats(dir, len(plans))
	if err != nil {
		return err
	}
	every := 100*time.Millisecond + time.Duration(len(plans))*5*time.Millisecond // many bots ask for their tables
	group, ctx := errgroup.WithContext(ctx)
	crowd := new(player.Crowd)
	for i, plan := range plans {
		g := &guest{botPlan: plan, s: s, event: event, file: files[i], name: names[i], every: every, crowd: crowd}
		group.Go(func() error { return g.attend(ctx, e) })
	}
	return group.Wait()
}

// botSeats returns the seat files of the given number of bots in a directory, made if missing, and
// the bots' names.
func botSeats(dir string, bots int) (files, names []string, err error) {
	first := []string{"Anna", "Béla", "Csilla", "Dezső", "Elza", "Feri", "Gizi", "Huba"}
	last := []string{"Kovács", "Szabó", "Nagy", "Tóth", "Varga", "Kiss", "Molnár", "Balogh"}
	for i := range bots {
		files = append(files, filepath.Join(dir, fmt.Sprintf("bot%d.seat", i+1)))
		names = append(names, last[(i+i/len(first))%len(last)]+" "+first[i%len(first)])
		if again := i / (len(first) * len(last)); again > 0 {
			names[i] += fmt.Sprintf(" %d", again+1)
		}
		if _, err := os.Stat(files[i]); !errors.Is(err, fs.ErrNotExist) {
			continue // opening it reports the error
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
