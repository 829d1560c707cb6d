package sitting

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/regular"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Act is what a seat does at its table besides what it owes.
type Act struct {
	Kind wire.Kind
	Body func() (any, error)
}

// Post does it by the seat's journal.
func (a Act) Post(ctx context.Context, p *player.Seat) error {
	return p.PostAct(ctx, a.Kind, func(now *table.State) ([]byte, error) {
		h := p.Hand()
		if a.Kind == wire.KindExpose {
			cards := now.Hand(h.Seat)
			if len(cards) == 0 {
				return nil, errors.New("there is no card in your hand")
			}
			return h.Expose(now, cards, rand.Reader)
		}
		body, err := a.Body()
		if err != nil {
			return nil, err
		}
		return player.SignAct(now, now.HolderKey(h.Seat), h.Signer, a.Kind, body)
	})
}

// An errand is an act that another command asks of the program that plays with a seat file, since one program alone
// keeps what the seat has signed. It is a file beside the seat file, and the seat has signed it: who can write
// there and has not the seat asks nothing.
type errand struct {
	Format string          `json:"pakli"`
	Table  wire.Hash       `json:"table"`
	Kind   wire.Kind       `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Nonce  string          `json:"nonce"`
}

// errandAnswer is what became of it.
type errandAnswer struct {
	Nonce string `json:"nonce"`
	Error string `json:"error"`
}

const (
	errandFormat = "pakli-errand/v1"
	errandSuffix = ".errand"
	answerSuffix = ".answer"
	errandLook   = 250 * time.Millisecond // between two looks
	errandBytes  = 1 << 16
)

// ErrandTime is how long a command waits until a program that plays takes what it asks.
var ErrandTime = 15 * time.Second

// Ask has the program that plays with a seat file do it at a table.
func (a Act) Ask(ctx context.Context, id *player.Identity, seat string, table wire.Hash) error {
	body, err := a.Body()
	if err != nil {
		return err
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return err
	}
	nonce := make([]byte, 16)
	rand.Read(nonce)
	e := errand{errandFormat, table, a.Kind, raw, hex.EncodeToString(nonce)}
	text, err := wire.EncodeBody(e)
	if err != nil {
		return err
	}
	signature, err := id.Signer().Sign(append([]byte(errandFormat+"\n"), text...))
	if err != nil {
		return err
	}
	path := seatfile.RealPath(seat)
	file, answered := path+errandSuffix, path+answerSuffix
	_ = os.Remove(answered) // of one who did not wait
	if err := durable.Replace(file, fmt.Appendf(nil, "%s\n%s\n", text, wire.Base64(signature)), 0o600); err != nil {
		return err
	}
	defer os.Remove(answered)
	for since := time.Now(); ; {
		var said errandAnswer
		if b, err := regular.ReadFile(answered, errandBytes); err == nil && json.Unmarshal(b, &said) == nil && said.Nonce == e.Nonce {
			if said.Error != "" {
				return errors.New(plain.Lines(said.Error))
			}
			return nil
		}
		if _, err := os.Stat(file); err == nil && time.Since(since) > ErrandTime {
			if os.Remove(file) == nil {
				return fmt.Errorf("%s is %w, and that does not take what this command asks of it: stop it first", seat, seatfile.ErrInUse)
			}
		}
		select {
		case <-time.After(errandLook):
		case <-ctx.Done():
			_ = os.Remove(file)
			return ctx.Err()
		}
	}
}

// takeErrand takes what another command has asked, nil if there is nothing.
func takeErrand(id *player.Identity, path string) (*errand, error) {
	b, err := regular.ReadFile(path+errandSuffix, errandBytes)
	if err != nil || os.Remove(path+errandSuffix) != nil {
		return nil, nil
	}
	lines := bytes.Split(b, []byte("\n"))
	key, err := note.NewVerifier(id.VerifierKey())
	if err != nil || len(lines) != 3 {
		return nil, fmt.Errorf("what is asked in %s has not the form of it", path+errandSuffix)
	}
	signature, err := wire.ParseBinary(string(lines[1]), ed25519.SignatureSize)
	if err != nil || !key.Verify(append([]byte(errandFormat+"\n"), lines[0]...), signature) {
		return nil, fmt.Errorf("what is asked in %s is not signed by this seat", path+errandSuffix)
	}
	e := new(errand)
	return e, json.Unmarshal(lines[0], e)
}

// PlayOnErrands plays, and between does what other commands ask of the seat meanwhile.
func PlayOnErrands(ctx context.Context, p *player.Seat, id *player.Identity, seat string, say func(string), play func(context.Context) error) error {
	path := seatfile.RealPath(seat)
	for {
		var asked *errand
		playing, stop := context.WithCancel(ctx)
		looked := make(chan struct{})
		go func() {
			defer close(looked)
			for asked == nil {
				var err error
				if asked, err = takeErrand(id, path); err != nil {
					asked = nil
					say(err.Error())
				}
				select {
				case <-time.After(errandLook):
				case <-playing.Done():
					return
				}
			}
			stop()
		}()
		err := play(playing)
		stop()
		<-looked
		if asked == nil {
			return err
		}
		said := errandAnswer{Nonce: asked.Nonce}
		if failed := asked.doAt(ctx, p); failed != nil {
			said.Error = failed.Error()
		}
		text, _ := json.Marshal(said)
		if failed := durable.Replace(path+answerSuffix, text, 0o600); failed != nil {
			say(fmt.Sprintf("what became of %s cannot be told to who asked for it: %v", InWords(asked.Kind), failed))
		}
		if ctx.Err() != nil {
			return err
		}
	}
}

// doAt does it, if the seat is at that table.
func (e *errand) doAt(ctx context.Context, p *player.Seat) error {
	if e.Table != p.State().ID() {
		return fmt.Errorf("the program that plays with this seat file is at table %s: stop it first", p.State().ID().Code()[:wire.MinCode])
	}
	return Act{e.Kind, func() (any, error) { return e.Body, nil }}.Post(ctx, p)
}
