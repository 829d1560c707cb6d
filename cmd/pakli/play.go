package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// runPlay plays one seat until its table is over.
func runPlay(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("play", "")
	var s server
	var secret passphrase
	s.register(f)
	secret.register(f)
	id := f.String("table", "", "id of the table: 64 hex digits")
	seat := f.String("seat", "", "the seat file")
	bot := f.Bool("bot", false, "let the game's bot choose the moves")
	if err := parse(f, args, 0); err != nil {
		return exitUsage, err
	}
	if !*bot {
		return exitUsage, wrongUsage("only --bot can play in this version")
	}
	tableID, err := wire.ParseHash(*id)
	if err != nil {
		return exitUsage, usageError{fmt.Errorf("--table: %w", err)}
	}
	phrase, err := secret.read()
	if err != nil {
		return exitFail, err
	}
	identity, err := player.OpenIdentity(*seat, phrase)
	if err != nil {
		return exitFail, err
	}
	err = sitAndPlay(ctx, e, s, identity, tableID)
	return exitDone, errors.Join(err, identity.Close())
}

func sitAndPlay(ctx context.Context, e env, s server, id *player.Identity, tableID wire.Hash) error {
	c, err := s.dial(ctx, e)
	if err != nil {
		return err
	}
	believed, err := id.Believed(tableID)
	if err != nil {
		return err
	}
	if believed != nil {
		if err := c.Believe(ctx, believed); err != nil {
			return err
		}
	}
	p, err := sit(ctx, id, source{c}, tableID)
	if err != nil {
		return err
	}
	if err := playThrough(ctx, e, p); err != nil {
		return err
	}
	result, _ := p.State().Result()
	fmt.Fprintf(e.out, "table %s is over: %s\n", tableID, scores(p.State(), result))
	return nil
}

// pause is how long a player waits for a server that is away.
const pause = time.Second

// playThrough plays on when the server was away for longer than the client
// waits: a game outlives its server's restarts.
func playThrough(ctx context.Context, e env, p *player.Seat) error {
	for {
		err := p.Play(ctx)
		if !away(err) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(e.err, "still waiting for the server: %v\n", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// sit seats a bot.
func sit(ctx context.Context, id *player.Identity, src player.Source, tableID wire.Hash) (*player.Seat, error) {
	choose := player.Bot(mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64())))
	return player.Sit(ctx, id, src, tableID, catalogue(), choose, rand.Reader)
}

func scores(s *table.State, result []int) string {
	text := ""
	for seat, n := range result {
		if seat > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %+d", s.SeatName(table.Seat(seat)), n)
	}
	return text
}
