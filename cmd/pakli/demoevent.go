package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events/results"
)

// demoEvent plays a small cup between bots, from its announcement to standings that verify.
func demoEvent(ctx context.Context, e env, t terms, dir string, players, rounds, seats int, lang string) (code int, err error) {
	if players < seats || rounds < 1 {
		return exitUsage, wrongUsage("--players %d, --rounds %d: want %d players at least, and one round", players, rounds, seats)
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
	ids, names, err := demoPlayers(dir, players)
	defer func() {
		for _, id := range ids {
			id.Close()
		}
	}()
	if err != nil {
		return exitFail, err
	}
	srv, err := startServer(serverOptions{data: filepath.Join(dir, "log"), listen: "127.0.0.1:0", origin: "demo.pakli", pages: "off"}, e)
	if err != nil {
		return exitFail, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	key, err := tlog.ParseLogKey(srv.key.Public)
	if err != nil {
		return exitFail, err
	}
	s := &server{url: srv.url, keys: []*tlog.VerifierKey{key}}
	d, err := demoAnnounce(ctx, e, s, t, ids[0], players, rounds, seats)
	if err != nil {
		return exitFail, err
	}
	begin := time.Now()
	group, playing := errgroup.WithContext(ctx)
	quiet, every := env{io.Discard, io.Discard}, 100*time.Millisecond+time.Duration(players)*5*time.Millisecond // so many ask for their tables
	group.Go(func() error { return botsAt(playing, quiet, s, d.id, ids[1:], names, every) })
	group.Go(func() error { return d.run(playing, ids[0], players, 100*time.Millisecond) })
	if err := group.Wait(); err != nil {
		return exitFail, err
	}
	played := time.Since(begin)
	begin = time.Now()
	v, err := s.judge(ctx, d.c, d.id, event.Without{})
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out)
	if err := results.Sum(v, inLanguage(lang), event.Without{}).Text(e.out); err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "\nentries   %d on the log\nplay      %.2f s\nverify    %.2f s\ndata      %s\n", v.Log.Checkpoint.Size, played.Seconds(), time.Since(begin).Seconds(), dir)
	return v.ExitCode(), nil
}

// demoPlayers makes the seats of an organiser and of so many players.
func demoPlayers(dir string, players int) (ids []*player.Identity, names []string, err error) {
	first := []string{"Anna", "Béla", "Csilla", "Dezső", "Elza", "Feri", "Gizi", "Huba"}
	last := []string{"Kovács", "Szabó", "Nagy", "Tóth", "Varga", "Kiss", "Molnár", "Balogh"}
	organiser, err := seatfile.Create(filepath.Join(dir, "organiser.seat"), "organiser", "")
	if err != nil {
		return nil, nil, err
	}
	ids = append(ids, organiser)
	for i := range players {
		id, err := seatfile.Create(filepath.Join(dir, fmt.Sprintf("player%d.seat", i+1)), fmt.Sprintf("player%d", i+1), "")
		if err != nil {
			return ids, nil, err
		}
		ids, names = append(ids, id), append(names, last[i/len(first)%len(last)]+" "+first[i%len(first)])
	}
	return ids, names, nil
}

// demoAnnounce announces the cup, and returns it in the hands of its organiser.
func demoAnnounce(ctx context.Context, e env, s *server, t terms, organiser *player.Identity, players, rounds, seats int) (*direction, error) {
	cup := usualEvent()
	name, err := gameName(t.game)
	if err != nil {
		return nil, err
	}
	if cup.Options, err = t.chosen(); err != nil {
		return nil, err
	}
	cup.Name, cup.Game, cup.Suite, cup.Deals, cup.Rounds, cup.Sizes = "Demo cup", name, t.suite, t.deals, rounds, []int{seats}
	cup.Registration.Max, cup.Drawers = players, min(3, players)
	for r := range rounds {
		method := wire.SeatAtRandom
		if r > 0 && r == rounds-1 {
			method = wire.SeatByRank
		}
		cup.Seating = append(cup.Seating, method)
	}
	entry, err := announce(cup, organiser.Signer(), organiser.VerifierKey())
	if err != nil {
		return nil, usageError{err}
	}
	c, err := s.connect()
	if err != nil {
		return nil, err
	}
	if _, err := c.Announce(ctx, entry); err != nil {
		return nil, err
	}
	return &direction{e: e, s: s, c: c, id: wire.HashEntry(entry), signer: organiser.Signer(), key: organiser.VerifierKey()}, nil
}
