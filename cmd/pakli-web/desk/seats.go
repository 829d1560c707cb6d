package desk

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table/play"
)

// This file is for programs (httpapi/web/sdk): they pass the vaults of their seats, and several of
// their seats may sit at one table, each in a conversation of its own.

// SeatKey is a seat without its secrets.
type SeatKey struct {
	ID   string `json:"id"`   // of its vault
	Name string `json:"name"` // from its key
	Key  string `json:"key"`  // its verifier key, for the organiser of a table
}

// openOrMakeSeat returns the seat of a vault, and makes one with that name if there is none.
func openOrMakeSeat(d *Desk, _ context.Context, a struct{ ID, Name string }) (any, error) {
	s, err := d.openSeat(seatRecord{ID: a.ID})
	if errors.Is(err, fs.ErrNotExist) {
		s = &seat{}
		if s.vault, err = d.host.Vault(a.ID); err == nil { // the vault that openSeat opened is closed
			s.Identity, err = player.CreateIdentity(s.vault, a.Name)
		}
	}
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(s.VerifierKey(), "+")
	return SeatKey{a.ID, name, s.VerifierKey()}, s.Close()
}

// sitAs seats a program's seat at a table. It asks the program in events, of which "ended" is the
// last. The program promises that its vault keeps what it is given.
func sitAs(d *Desk, _ context.Context, a struct {
	tableAddress
	Seat string `json:"seat"`
	Here bool   `json:"here"` // the seat's other device is gone
}) (any, error) {
	if a.Seat == "" {
		return nil, ErrNoSeat
	}
	c, err := d.openTable(a.tableAddress, a.Seat)
	if err != nil {
		return nil, err
	}
	s, err := d.openSeat(seatRecord{ID: a.Seat})
	if err != nil {
		close(c.ended)
		return nil, err
	}
	go func() {
		c.playToEnd(c.ctx, s, &playing{acts: make(chan wantedAct, 1)}, a.Here)
		s.Close()
		c.emit("ended", map[string]any{})
		close(c.ended)
	}()
	return nil, nil
}

// Hint is what the game's bot would do.
type Hint struct {
	Text  string       `json:"text"`
	Why   []string     `json:"why"`   // reasons for it
	Picks []scene.Pick `json:"picks"` // that make the move
}

func (v voice) hint(p scene.Position) (Hint, error) {
	move, err := play.Choose(p.Table, p.View, newRand())
	if err != nil || move == nil {
		return Hint{}, err
	}
	a := v.game.Advise(p, move)
	return Hint{v.Text(a.Says), mapEach(a.Why, v.Text), a.Picks}, nil
}

// hintPicks returns a hint with its picks.
func hintPicks(d *Desk, _ context.Context, a conversationName) (any, error) {
	c, p, _, err := d.pendingQuestion(a)
	if err != nil {
		return nil, err
	}
	h, err := voiceOf(c.Lang, p.Table).hint(p)
	if err == nil && len(h.Picks) == 0 {
		err = errors.New("the bot of this game has no advice here")
	}
	return h, err
}
