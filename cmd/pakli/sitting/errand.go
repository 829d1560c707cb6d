package sitting

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
)

// An errand is an act that another command asks of the program that plays with a seat file, since
// only one program may record what the seat has signed. It is a file beside the seat file, signed by
// the seat with the time until which it is valid, and none is taken twice. So somebody who can write
// there but does not have the seat can ask nothing, and the errand of a killed command is not done
// when the seat plays again.
type errand struct {
	Format string          `json:"pakli"`
	Table  wire.Hash       `json:"table"`
	Kind   wire.Kind       `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Nonce  string          `json:"nonce"`
	Until  int64           `json:"until"` // end of validity, Unix time in seconds
}

// errandAnswer is the result of an errand, in a file that its nonce names.
type errandAnswer struct {
	Error string `json:"error"`
}

const (
	errandFormat = "pakli-errand/v1"
	errandSuffix = ".errand"
	answerSuffix = ".answer-"
	errandLook   = 250 * time.Millisecond // between two looks
	errandBytes  = 1 << 16
)

// ErrandTime is how long a command waits for a playing program to take its errand, and then to do it.
var ErrandTime = 15 * time.Second

// Ask makes the program that plays with a seat file do an act at a table.
func Ask(ctx context.Context, a player.Act, id *player.Identity, seat string, table wire.Hash) error {
	body, err := a.Body()
	if err != nil {
		return err
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return err
	}
	e := errand{errandFormat, table, a.Kind, raw, rand.Text(), time.Now().Add(2 * ErrandTime).Unix()}
	path := seatfile.RealPath(seat)
	file, own := path+errandSuffix, path+errandSuffix+"-"+e.Nonce
	defer os.Remove(own)
	if err := e.leave(ctx, id.Signer(), file, own); err != nil {
		return err
	}
	answered := path + answerSuffix + e.Nonce
	defer os.Remove(answered)
	for since := time.Now(); ; {
		var said errandAnswer
		if b, err := durable.ReadFile(answered, errandBytes); err == nil && json.Unmarshal(b, &said) == nil {
			if said.Error != "" {
				return errors.New(plain.Lines(said.Error))
			}
			return nil
		}
		switch waited := time.Since(since); {
		case waited > ErrandTime && takeBack(file, own):
			return fmt.Errorf("%s is %w, and that does not take what this command asks of it: stop it first", seat, seatfile.ErrInUse)
		case waited > 2*ErrandTime:
			return fmt.Errorf("the program that plays with %s has taken what this command asks of it, and does not say what became of it: look at the table", seat)
		}
		select {
		case <-time.After(errandLook):
		case <-ctx.Done():
			takeBack(file, own)
			return ctx.Err()
		}
	}
}

// leave writes the errand once there is none of another command.
func (e errand) leave(ctx context.Context, seat note.Signer, file, own string) error {
	text, err := wire.EncodeBody(e)
	if err != nil {
		return err
	}
	signature, err := seat.Sign(append([]byte(errandFormat+"\n"), text...))
	if err != nil {
		return err
	}
	if err := durable.Replace(own, fmt.Appendf(nil, "%s\n%s\n", text, wire.Base64(signature)), 0o600); err != nil {
		return err
	}
	for since := time.Now(); ; {
		err := os.Link(own, file)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		if time.Since(since) > ErrandTime {
			return fmt.Errorf("%s stays where it is: remove it if no other command asks something of this seat", file)
		}
		select {
		case <-time.After(errandLook):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// takeBack removes this command's errand if nobody has taken it.
func takeBack(file, own string) bool {
	there, err := os.Stat(file)
	left, failed := os.Stat(own)
	return err == nil && failed == nil && os.SameFile(there, left) && os.Remove(file) == nil
}

// errandBox is the place where a playing program finds errands.
type errandBox struct {
	id    *player.Identity
	path  string
	taken map[string]bool // by nonce, since a file can be put back
}

// openErrands opens the box and removes old answers that nobody has read.
func openErrands(id *player.Identity, path string) *errandBox {
	left, _ := filepath.Glob(path + answerSuffix + "*")
	for _, file := range left {
		if at, err := os.Stat(file); err == nil && time.Since(at.ModTime()) > 2*ErrandTime {
			_ = os.Remove(file)
		}
	}
	return &errandBox{id, path, map[string]bool{}}
}

// take takes another command's errand, or returns nil if there is none.
func (b *errandBox) take() (*errand, error) {
	file := b.path + errandSuffix
	text, err := durable.ReadFile(file, errandBytes)
	if err != nil || os.Remove(file) != nil {
		return nil, nil
	}
	lines := bytes.Split(text, []byte("\n"))
	key, err := note.NewVerifier(b.id.VerifierKey())
	if err != nil || len(lines) != 3 {
		return nil, fmt.Errorf("what is asked in %s has not the form of it", file)
	}
	signature, err := wire.ParseBinary(string(lines[1]), ed25519.SignatureSize)
	if err != nil || !key.Verify(append([]byte(errandFormat+"\n"), lines[0]...), signature) {
		return nil, fmt.Errorf("what is asked in %s is not signed by this seat", file)
	}
	e := new(errand)
	if err := json.Unmarshal(lines[0], e); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	now := time.Now()
	if until := time.Unix(e.Until, 0); until.Before(now.Add(-time.Second)) || until.After(now.Add(2*ErrandTime+time.Second)) || b.taken[e.Nonce] {
		return nil, fmt.Errorf("what is asked in %s was asked at another time, and is not done", file)
	}
	b.taken[e.Nonce] = true
	return e, nil
}

// PlayOnErrands plays, and between two steps of play does other commands' errands.
func PlayOnErrands(ctx context.Context, p *player.Seat, id *player.Identity, seat string, say func(string), play func(context.Context) error) error {
	box := openErrands(id, seatfile.RealPath(seat))
	return player.PlayBetween(ctx, play, func(ctx context.Context) func(context.Context) {
		for {
			asked, err := box.take()
			if err != nil {
				say(err.Error())
			}
			if asked != nil {
				return func(ctx context.Context) { box.do(ctx, p, asked, say) }
			}
			if command.Wait(ctx, errandLook) != nil {
				return nil
			}
		}
	})
}

// do does an errand if the seat is at its table, and answers it.
func (b *errandBox) do(ctx context.Context, p *player.Seat, e *errand, say func(string)) {
	err := fmt.Errorf("the program that plays with this seat file is at table %s: stop it first", p.State().ID().Code()[:wire.MinCode])
	if e.Table == p.State().ID() {
		err = p.PostAct(ctx, player.Act{Kind: e.Kind, Body: func() (any, error) { return e.Body, nil }})
	}
	var said errandAnswer
	if err != nil {
		said.Error = err.Error()
	}
	text, _ := json.Marshal(said)
	if err := durable.Replace(b.path+answerSuffix+e.Nonce, text, 0o600); err != nil {
		say(fmt.Sprintf("what became of %s cannot be told to who asked for it: %v", InWords(e.Kind), err))
	}
}
