package player

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// SignAct returns an act on the head of s, signed by the holder of a verifier key. Its body is one
// of wire's bodies of acts.
func SignAct(s *table.State, key string, signer note.Signer, kind wire.Kind, body any, proofs ...[]byte) ([]byte, error) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return nil, err
	}
	return wire.Sign(&wire.Act{Format: wire.ActFormat, Table: s.ID(), Parent: s.Head(), By: key, Kind: kind, Body: raw, Proofs: proofs}, signer)
}

// Expose returns the act that turns up cards of the hand, which must ascend.
func (h Hand) Expose(s *table.State, cards []table.Card, rand io.Reader) ([]byte, error) {
	body := wire.ExposeBody{Cards: []int{}, Tokens: h.cardTokens(s, cards)}
	for _, c := range cards {
		body.Cards = append(body.Cards, int(c))
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return nil, err
	}
	statement, err := s.ExposeStatement(h.Seat, raw)
	if err != nil {
		return nil, err
	}
	proved, err := h.Secret.Prove(s.Context(h.Seat, wire.KindExpose).Slot(0), statement, proof.Witness(nil), rand)
	if err != nil {
		return nil, err
	}
	return SignAct(s, s.HolderKey(h.Seat), h.Signer, wire.KindExpose, body, proved)
}

// Act is what a seat does at its table besides the messages that are due (50.7). Body is called for
// each head anew; for an expose the seat makes the body, with the whole hand.
type Act struct {
	Kind wire.Kind
	Body func() (any, error)
}

// PostAct does an act at the table. On one head a seat signs only one thing. If it has already
// signed something else on the head, PostAct posts that first, and the act follows on a later head.
func (p *Seat) PostAct(ctx context.Context, a Act) error {
	for {
		if err := p.checkReady(ctx); err != nil {
			return err
		}
		entry := p.entryOn(p.state.Head())
		signed, _ := wire.Parse(entry) // nil if there is no entry; every signed entry parses
		done := signed == nil
		if done || signed.Act != nil && signed.Act.Kind == a.Kind {
			wanted, err := p.signAct(a)
			switch {
			case err != nil:
				return err
			case done:
				if err = p.rehearseEntry(wanted); err == nil {
					err = p.journalEntry(wanted)
				}
				if err != nil {
					return err
				}
				entry = wanted
			default:
				e, err := wire.Parse(wanted)
				done = err == nil && bytes.Equal(e.Act.Body, signed.Act.Body)
			}
		}
		err := p.source.Post(ctx, p.state.ID(), entry)
		if err == nil && done || err != nil && !errors.Is(err, ErrStale) {
			return err
		}
	}
}

func (p *Seat) signAct(a Act) ([]byte, error) {
	if a.Kind == wire.KindExpose {
		cards := p.state.Hand(p.hand.Seat)
		if len(cards) == 0 {
			return nil, errors.New("there is no card in your hand")
		}
		return p.hand.Expose(p.state, cards, p.random)
	}
	body, err := a.Body()
	if err != nil {
		return nil, err
	}
	return SignAct(p.state, p.id.VerifierKey(), p.id.Signer(), a.Kind, body)
}

// PlayBetween plays, and interrupts play for what else the seat is asked to do. The function wanted
// waits for that until its context ends; it returns nil if there was nothing.
func PlayBetween(ctx context.Context, play func(context.Context) error, wanted func(context.Context) func(context.Context)) error {
	for {
		playing, stop := context.WithCancel(ctx)
		found := make(chan func(context.Context), 1)
		go func() {
			defer stop()
			found <- wanted(playing)
		}()
		err := play(playing)
		stop()
		do := <-found
		if do == nil {
			return err
		}
		if do(ctx); ctx.Err() != nil {
			return err
		}
	}
}

// checkReady reads the table to its end, and says why this seat must not sign there.
func (p *Seat) checkReady(ctx context.Context) error {
	if err := p.catchUp(ctx); err != nil {
		return err
	}
	switch {
	case p.state.Foul() != nil:
		return fmt.Errorf("%w: %w", ErrFoul, p.state.Foul())
	case p.state.IsOver():
		return errors.New("the table is over")
	case p.journal.copied:
		return ErrCopy
	case p.away != nil:
		return ErrElsewhere
	}
	if _, err := p.findSeat(); err != nil {
		return err
	}
	return p.checkPast()
}

// catchUp applies all entries that are there.
func (p *Seat) catchUp(ctx context.Context) error {
	for {
		news, err := p.nextEntries(ctx, 0)
		if err == nil {
			err = p.applyEntries(news)
		}
		if err != nil || len(news) == 0 {
			return err
		}
	}
}

// Hand returns the hand that makes this seat's messages.
func (p *Seat) Hand() Hand { return p.hand }
