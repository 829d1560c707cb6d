// Package demo plays whole games on this machine and verifies them: a table, a cup, a table in a
// browser, or a script of card operations.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// summary is the result of the demo. With --json it is the whole output.
type summary struct {
	Game    string           `json:"game"`
	Seats   int              `json:"seats"`
	Deals   int              `json:"deals"`
	Entries int              `json:"entries"` // of the table
	Bytes   int              `json:"log_bytes"`
	Play    float64          `json:"play_seconds"`
	Verify  float64          `json:"verify_seconds"`
	Verdict verifier.Verdict `json:"verdict"`
	Result  []int            `json:"result"`
	Data    string           `json:"data"`

	report *verifier.Report
}

// demo is a server, a table and its players on loopback.
type demo struct {
	dir      string
	url      string
	log      note.Verifier
	table    wire.Hash
	players  []*player.Identity
	progress *flags.ProgressBar
	display  terminal.Display
	out      io.Writer
	brief    bool         // report only the results of deals, not the course of play
	last     *table.State // that watch has seen
}

// toldDeals is how many deals are reported card by card.
const toldDeals = 6

// Demo plays a whole game between bots and verifies it from outside.
func Demo(f *command.Flags) command.Body {
	t := flags.TermsOf(f)
	dir := f.String("data", "", "`directory` for the log and the seat files, which is kept (default: a new temporary one)")
	seats := f.Int("seats", 0, "number of players (default 4, or as many as the game can have)")
	lang := flags.LanguageOf(f)
	asEvent := f.Bool("event", false, "play a whole event: rounds at several tables, seats that nobody draws alone, standings that verify")
	var cup demoCup
	f.IntVar(&cup.players, "players", 8, "with --event: number of players")
	f.IntVar(&cup.rounds, "rounds", 2, "with --event: number of rounds")
	cup.Habits.AddFlags(f)
	inBrowser := f.Bool("web", false, "play yourself, in a browser, against bots")
	return func(ctx context.Context, e command.Env) error {
		if *inBrowser {
			return demoInBrowser(ctx, e, *dir)
		}
		name, err := flags.GameName(t.Game)
		if err != nil {
			return err
		}
		if len(t.Options) == 0 && t.Preset == "" {
			maps.Copy(t.Options, games.Scene(name).Terms().Demo)
		}
		if !f.IsGiven("seats") {
			*seats = games.Scene(name).Players()
		}
		if *seats < wire.MinSeats || *seats > wire.MaxSeats {
			return command.WrongUsage("--seats %d: must be %d to %d", *seats, wire.MinSeats, wire.MaxSeats)
		}
		style := terminal.Environment(e.Out)
		style.Brief = true // bots need no table to look at
		if *asEvent {
			cup.seats = *seats
			return command.ExitWith(playCup(ctx, e, t, *dir, cup, lang.Reports()))
		}
		display, err := terminal.For(name, lang.Tag(), style)
		if err != nil {
			return err
		}
		d := &demo{dir: *dir, progress: flags.NewProgress(e.Err), display: display, brief: !e.InWords() || t.Deals > toldDeals, out: e.Out}
		s, err := d.playAndVerify(ctx, e, t, *seats)
		if err != nil {
			return err
		}
		return command.ExitWith(s.report.Verdict.ExitCode(), s.say(e))
	}
}

func (d *demo) playAndVerify(ctx context.Context, e command.Env, t *flags.Terms, seats int) (_ *summary, err error) {
	temporary := d.dir == ""
	if d.dir, err = demoDirectory(d.dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && temporary {
			os.RemoveAll(d.dir)
		}
	}()
	genesis, err := d.invite(t, seats)
	defer func() {
		for _, id := range d.players {
			id.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	srv, err := serve.Start(ctx, demoServer(d.dir))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.Stop()) }()
	d.url, d.log = srv.URL, srv.Key.Verifier

	begin := time.Now()
	if err := d.playTable(ctx, genesis, seats); err != nil {
		return nil, err
	}
	played := time.Since(begin)
	begin = time.Now()
	report, err := d.verify(ctx)
	if err != nil {
		return nil, err
	}
	return &summary{
		Game: report.Game, Seats: seats, Deals: report.Deals,
		Entries: 1 + report.Applied + report.Voided, Bytes: report.Bytes,
		Play: played.Seconds(), Verify: time.Since(begin).Seconds(),
		Verdict: report.Verdict, Result: report.Result, Data: d.dir, report: report,
	}, nil
}

// demoServer returns options of a server for this machine alone. Its operator is the player, who
// allows every suite.
func demoServer(dir string) serve.Options {
	return serve.Options{Data: filepath.Join(dir, "log"), Listen: "127.0.0.1:0", Origin: "demo.pakli", Pages: "off", Suites: strings.Join(flags.LongSuites(), ",")}
}

// demoDirectory makes the directory for a new game. It refuses an existing one.
func demoDirectory(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "pakli-demo-")
	}
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return "", command.WrongUsage("--data %s is not empty, and the demo needs a new directory: name one that does not exist", dir)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// invite makes the seat files and the table's first entry.
func (d *demo) invite(t *flags.Terms, seats int) ([]byte, error) {
	names := []string{"anna", "bela", "csilla", "dezso", "elza", "feri", "gizi", "huba"}
	var keys []string
	for i := range seats {
		name := fmt.Sprintf("seat%d", i)
		if i < len(names) {
			name = names[i]
		}
		id, err := seatfile.Create(filepath.Join(d.dir, name+".seat"), name, "")
		if err != nil {
			return nil, err
		}
		d.players = append(d.players, id)
		keys = append(keys, id.VerifierKey())
	}
	organiser, err := seatfile.Create(filepath.Join(d.dir, "organiser.seat"), "organiser", "")
	if err != nil {
		return nil, err
	}
	defer organiser.Close()
	entry, hash, err := t.SignGenesis(organiser.Signer(), organiser.VerifierKey(), keys)
	d.table = hash
	return entry, err
}

// playTable creates the table and lets every player play with a client of its own.
func (d *demo) playTable(ctx context.Context, genesis []byte, seats int) error {
	c, err := client.New(d.url, d.log, nil)
	if err != nil {
		return err
	}
	if _, err := c.CreateTable(ctx, genesis); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, id := range d.players {
		group.Go(func() error { return d.playSeat(ctx, id, i == 0) })
	}
	err = group.Wait()
	d.progress.EndBar()
	if err == nil && d.brief {
		fmt.Fprint(d.out, d.display.Score(scene.OnlookerPosition(d.last)))
	}
	return err
}

func (d *demo) playSeat(ctx context.Context, id *player.Identity, watched bool) error {
	c, err := client.New(d.url, d.log, nil)
	if err != nil {
		return err
	}
	p, err := sitting.TakeSeat(ctx, id, tablelog.New(d.table, tablelog.Options{Server: c}), d.table, sitting.Bot("sensible").Moves())
	if err != nil {
		return err
	}
	if watched {
		d.last, p.Watch = p.State(), d.watch
	}
	return p.Play(ctx)
}

// watch reports the course of play, or shows progress by the number of open cards in each deal, the
// one measure that every game has.
func (d *demo) watch(s *table.State, m *wire.Message) {
	before := d.last
	if d.last = s; !d.brief {
		for _, line := range d.display.Course(before, s, m) {
			fmt.Fprintln(d.out, line)
		}
		return
	}
	part := float64(max(s.DealsBegun()-1, 0))
	if n := s.Cards(); n > 0 {
		part += float64(len(s.Faces())) / float64(n)
	}
	if s.IsOver() {
		part = float64(s.Genesis().Deals)
	}
	d.progress.ShowPart(part/float64(s.Genesis().Deals), fmt.Sprintf("deal %d, %d messages, %d cards open", s.DealsBegun(), s.CountApplied(), len(s.Faces())))
}

// verify checks the table as a stranger would: with its own client, from the log's public surface.
func (d *demo) verify(ctx context.Context) (*verifier.Report, error) {
	c, err := client.New(d.url, d.log, nil)
	if err != nil {
		return nil, err
	}
	return verifier.Verify(ctx, c, verifier.Options{Table: d.table, Log: []note.Verifier{d.log}, Catalogue: flags.Catalogue()})
}

func (s *summary) say(e command.Env) error {
	return e.Say(s, `
%s
verdict   %s
result    %v
entries   %d
bytes     %d on the log
play      %.2f s
verify    %.2f s
data      %s
`, s.report.Headline(), s.Verdict, s.Result, s.Entries, s.Bytes, s.Play, s.Verify, s.Data)
}

// demoInBrowser serves the pages from this machine, opens the page where a table against bots begins,
// and serves until it is stopped.
func demoInBrowser(ctx context.Context, e command.Env, dir string) (err error) {
	temporary := dir == ""
	if dir, err = demoDirectory(dir); err != nil {
		return command.ExitWith(command.ExitUsage, err)
	}
	if temporary {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	o := demoServer(dir)
	o.Pages = "auto"
	s, err := serve.Start(ctx, o)
	if err != nil {
		return err
	}
	page := s.URL + "/?play"
	fmt.Fprintf(e.Out, "Play at %s\nThe first page takes about half a minute, while its program is compiled. Stop with Ctrl-C.\n", page)
	if err := serve.OpenBrowser(page); err != nil {
		fmt.Fprintln(e.Err, "no browser could be opened here: open the address yourself")
	}
	return s.Wait(ctx)
}
