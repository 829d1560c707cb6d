// Package tamper is the page for trying to cheat. It plays a whole game on a small log of its own and
// has all keys, of the log and of every seat. [Game.Try] makes one change to the game, as somebody
// with certain keys could, and has the result judged. Nothing is scripted: the verdict is that of
// package verifier.
package tamper

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// Game is a finished game with everybody's keys.
type Game struct {
	Table   wire.Hash
	Key     *tlog.VerifierKey // of the log
	signer  note.Signer       // the secret half of Key
	hands   []player.Hand
	entries [][]byte
	states  []*table.State // after each entry
}

// shownLog shows its entries under a checkpoint.
type shownLog struct {
	checkpoint tlog.Checkpoint
	entries    [][]byte
}

func (l shownLog) Checkpoint(context.Context) (tlog.Checkpoint, error) { return l.checkpoint, nil }

func (l shownLog) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, entry := range l.entries[min(start, uint64(len(l.entries))):min(end, uint64(len(l.entries)))] {
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// sign returns the log of entries under a checkpoint that the log's key has signed.
func (g *Game) sign(entries [][]byte) (shownLog, error) {
	var t tlog.Tree
	for _, entry := range entries {
		t.Append(tlog.LeafHash(entry))
	}
	c, err := tlog.SignCheckpoint(t.Size(), t.Root(), g.signer)
	return shownLog{c, entries}, err
}

func catalogue() table.Catalogue { return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup} }

// Play plays a deal of the catalogue's first game between four bots and reports progress to tell. If
// the deal gives seat C no chance for one of the forgeries, as when all pass, Play plays another
// deal.
func Play(ctx context.Context, tell func(entries int)) (*Game, error) {
	for {
		g, err := playDeal(ctx, tell)
		if err != nil || g.offersAll() {
			return g, err
		}
	}
}

// offersAll reports whether every change of the seat can be tried.
func (g *Game) offersAll() bool {
	return !slices.ContainsFunc(Changes, func(c Change) bool {
		if c.Who != "seat" {
			return false
		}
		_, _, err := g.forge(c.What)
		return err != nil
	})
}

func playDeal(ctx context.Context, tell func(entries int)) (*Game, error) {
	g := &Game{}
	skey, vkey, err := tlog.GenerateKey(rand.Reader, "try.pakli", tlog.Ed25519)
	if err != nil {
		return nil, err
	}
	if g.Key, err = tlog.ParseLogKey(vkey); err != nil {
		return nil, err
	}
	if g.signer, err = tlog.ParseSignerKey(skey, time.Now); err != nil {
		return nil, err
	}
	if err := g.beginTable([]string{"anna", "bela", "csilla", "dezso"}); err != nil {
		return nil, err
	}
	random := mathrand.New(mathrand.NewPCG(mathrand.Uint64(), mathrand.Uint64()))
	for len(g.last().Duties()) > 0 {
		entry, err := g.nextMessage(random)
		if err != nil {
			return nil, err
		}
		if err := g.applyEntry(entry); err != nil {
			return nil, err
		}
		if tell(len(g.entries)); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return g, nil
}

func (g *Game) last() *table.State { return g.states[len(g.states)-1] }

// beginTable makes the players' keys and signs the genesis entry as the first player.
func (g *Game) beginTable(names []string) error {
	var keys []string
	for i, name := range names {
		skey, vkey, err := note.GenerateKey(rand.Reader, name)
		if err != nil {
			return err
		}
		signer, err := note.NewSigner(skey)
		if err != nil {
			return err
		}
		keys, g.hands = append(keys, vkey), append(g.hands, player.Hand{Seat: table.Seat(i), Signer: signer})
	}
	genesis := &wire.Genesis{
		Format: wire.TableFormat, Game: games.Catalogue()[0].Name(), Suite: suite.Default, Options: map[string]string{}, Deals: 1,
		Fouls: wire.RecordFouls, Organiser: keys[0], Seats: keys, Nonce: make([]byte, wire.NonceBytes),
	}
	rand.Read(genesis.Nonce)
	entry, err := wire.Sign(genesis, g.hands[0].Signer)
	if err != nil {
		return err
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	s, err := table.Open(e, catalogue())
	if err != nil {
		return err
	}
	g.Table, g.entries, g.states = e.Hash, [][]byte{entry}, []*table.State{s}
	prover, err := proof.ProverOf(s.Suite())
	if err != nil {
		return err
	}
	for i := range g.hands {
		if g.hands[i].Secret, err = prover.NewSecret(rand.Reader); err != nil {
			return err
		}
	}
	return nil
}

// nextMessage returns the message of a seat that owes one.
func (g *Game) nextMessage(random *mathrand.Rand) ([]byte, error) {
	s := g.last()
	for _, d := range s.Duties() {
		for _, seat := range d.Seats {
			hand := g.hands[seat]
			if d.Kind != table.Move {
				return hand.SignMessage(s, d, nil, rand.Reader)
			}
			view, err := play.See(s, seat, hand.Secret)
			if err != nil {
				return nil, err
			}
			move, err := play.Choose(s, view, random)
			if err != nil {
				return nil, err
			}
			if move != nil {
				return hand.SignMessage(s, d, move, rand.Reader)
			}
		}
	}
	return nil, errors.New("nobody has anything to do, and the game is not over")
}

func (g *Game) applyEntry(entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	s, err := g.last().Apply(e, table.Facts{})
	if err != nil {
		return fmt.Errorf("message %d: %w", len(g.entries), err)
	}
	g.entries, g.states = append(g.entries, entry), append(g.states, s)
	return nil
}

func (g *Game) bundleOf(ctx context.Context, l shownLog) ([]byte, error) {
	b, err := bundle.Collect(ctx, l, g.Table, bundle.Keys{Log: []*tlog.VerifierKey{g.Key}})
	if err != nil {
		return nil, err
	}
	return b.Marshal(), nil
}
