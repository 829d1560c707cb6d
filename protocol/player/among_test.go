package player_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// A player who may concede and thinks about it keeps the seat from hearing that others have
// played: then everybody waits for ever. What he says when his question has ended is played.
func TestThinkingPlayerHearsTheOthers(t *testing.T) { synctest.Test(t, thinkingPlayerHearsTheOthers) }

func thinkingPlayerHearsTheOthers(t *testing.T) {
	_, list := identities(t, 3)
	c := table.Catalogue{Game: func(string) (table.Game, bool) { return play.NewGame(skat.Rules{}), true }, Suite: catalogue.Suite}
	r := newRoomOf(t, list, clear.Name, c)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var group sync.WaitGroup
	for seat, id := range list {
		random := mathrand.New(mathrand.NewPCG(uint64(seat), 1))
		choose := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
			state, _ := table.Public[skat.State](s)
			if state.Stage == skat.Playing && state.Deal.Seats[state.Deal.OnTurn()] != v.Seat {
				<-ctx.Done()
				return json.RawMessage(`{"concede":true}`), nil
			}
			moves, err := play.Moves(s, v)
			if state.Stage == skat.Bidding {
				return moves[min(1, len(moves)-1)], err // who passes first comes last
			}
			move, _ := play.RandomMove(moves[:max(1, len(moves)-4)], random)
			return move, err
		}
		p := testmust.Have(player.Sit(ctx, id, r, r.id, c, choose, rand.Reader))(t)
		group.Go(func() {
			err := p.Play(ctx)
			testmust.Holdf(t, err == nil, "seat %d: %v", seat, err)
		})
	}
	group.Wait()
	for _, past := range func() []skat.SettledDeal { s, _ := table.Public[skat.State](r.state); return s.Past }() {
		testmust.Equal(t, past.How, skat.Played, "the deal")
	}
}

// omitting is a source that, once told to, hides what comes while it is listened to, and says
// so when nobody listens any more.
type omitting struct {
	*room
	omits, omitted atomic.Bool
	left           wire.Hash   // the head of the history with gaps
	signed         atomic.Bool // there
}

func (o *omitting) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if wait == 0 || !o.omits.CompareAndSwap(true, false) {
		return o.room.Messages(ctx, id, n, wait)
	}
	o.omitted.Store(true)
	<-ctx.Done()
	return nil, player.ErrLeftOut
}

func (o *omitting) Post(ctx context.Context, id wire.Hash, entry []byte) error {
	if e, err := wire.Parse(entry); err == nil && e.Message.Parent == o.left {
		o.signed.Store(true)
	}
	return o.room.Post(ctx, id, entry)
}

// A player who answers while it comes out that the history that he answers in is not the
// log's: what is signed there would keep the seat from the true one for ever. The seat
// signs nothing there, and plays on in the true one.
func TestAnswerInAHistoryWithGaps(t *testing.T) { synctest.Test(t, answerInAHistoryWithGaps) }

func answerInAHistoryWithGaps(t *testing.T) {
	_, list := identities(t, 3)
	c := table.Catalogue{Game: func(string) (table.Game, bool) { return play.NewGame(skat.Rules{}), true }, Suite: catalogue.Suite}
	r := newRoomOf(t, list, clear.Name, c)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var group sync.WaitGroup
	for seat, id := range list {
		random := mathrand.New(mathrand.NewPCG(uint64(seat), 1))
		src, answered := &omitting{room: r}, seat != 2
		choose := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
			state, _ := table.Public[skat.State](s)
			if state.Stage == skat.Bidding {
				moves, err := play.Moves(s, v)
				return moves[min(1, len(moves)-1)], err
			}
			if state.Stage != skat.Playing || state.Deal.Seats[state.Deal.OnTurn()] == v.Seat {
				move, err := play.Choose(s, v, random)
				return move, err
			}
			if answered {
				return nil, nil
			}
			src.omits.Store(true)
			for shown := s.CountApplied(); (!src.omitted.Load() || r.length() <= shown+1) && ctx.Err() == nil; {
				time.Sleep(time.Millisecond)
			}
			answered, src.left = true, s.Head()
			return json.RawMessage(`{"concede":true}`), nil
		}
		p := testmust.Have(player.Sit(ctx, id, src, r.id, c, choose, rand.Reader))(t)
		group.Go(func() {
			if err := p.Play(ctx); err != nil || !answered || src.signed.Load() {
				t.Errorf("seat %d: %v; asked in a history with gaps: %v; signed there: %v", seat, err, answered, src.signed.Load())
			}
		})
	}
	group.Wait()
}

func (r *room) length() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries)
}

// A random player makes every move that is offered, sooner or later, and none
// else: or a kind of move is never tried. Who has none to make waits.
func TestRandomMakesEveryMove(t *testing.T) {
	game := testmust.Have(tabletest.New(play.NewGame(tarokk.Rules{}), tabletest.Config{Seats: 4}, 1))(t)
	choose := player.Random(mathrand.New(mathrand.NewPCG(1, 1)))
	if move, err := choose(t.Context(), game.State, play.View(game.State, 0, nil, nil)); move != nil || err != nil {
		t.Errorf("with nothing to choose: %s, %v", move, err)
	}
	d, err := game.PlayUntil(table.Move)
	for err == nil && len(game.Moves(d.Seats[0])) < 2 {
		if err = game.Play(1); err == nil {
			d, err = game.PlayUntil(table.Move)
		}
	}
	testmust.Do(t, err)
	seat, left := d.Seats[0], map[string]bool{}
	for _, m := range game.Moves(seat) {
		left[string(m)] = true
	}
	offered := len(left)
	for range 50 * offered {
		move, err := choose(t.Context(), game.State, game.View(seat))
		_, known := left[string(move)]
		testmust.Requiref(t, err == nil && known, "%s was not offered: %v", move, err)
		left[string(move)] = false
	}
	for move, missed := range left {
		testmust.Holdf(t, !missed, "of %d moves, %s was never made", offered, move)
	}
}

// counted counts the proofs that it verifies.
type counted struct {
	clear.Suite
	proofs *atomic.Int64
}

func (c counted) Verify(m transcript.Context, s proof.Statement, p []byte, b proof.Batch) error {
	c.proofs.Add(1)
	return c.Suite.Verify(m, s, p, b)
}

// crowd lets seats play in one crowd, until each one's Play ends, and counts what they verify. All
// sit before one plays: who comes late checks for itself what was there before it was in the crowd.
func crowd(t *testing.T, r *room, ids []*player.Identity) (errs []error, proofs int64) {
	t.Helper()
	var n atomic.Int64
	r.games.Suite = func(string) (proof.Suite, bool) { return counted{proofs: &n}, true }
	seats := make([]*player.Seat, len(ids))
	for i, id := range ids {
		choose := player.Bot(mathrand.New(mathrand.NewPCG(uint64(i), 0)))
		p := sit(t, id, r, r, choose)
		seats[i] = p
	}
	all, group := new(player.Crowd), sync.WaitGroup{}
	errs = make([]error, len(seats))
	for i, p := range seats {
		p.Crowd = all
		group.Go(func() { errs[i] = p.Play(t.Context()) })
	}
	group.Wait()
	return errs, n.Load()
}

// Bots of one process that check each proof once for each of them: most of what an event of
// bots took. In a bubble no courtesy ends while somebody computes, so nobody signs what comes too late.
func TestCrowdChecksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, list := identities(t, 4)
		r := newRoom(t, list)
		errs, verified := crowd(t, r, list)
		testmust.Do(t, errors.Join(errs...))
		made := 0
		for _, entry := range r.sent {
			made += len(parse(t, entry).Message.Proofs)
		}
		testmust.Holdf(t, verified >= int64(made) && verified <= int64(made+made/4) && made != 0,
			"%d proofs were verified, of %d that were made", verified, made)
	})
}

// A crowd that believes what it has not made itself: a stranger's wrong proof is found by each.
func TestCrowdBelievesNoStranger(t *testing.T) {
	_, list := identities(t, 3)
	r := newRoom(t, list)
	m := parse(t, made(t, cheater(t, r, list[2]), r.state, table.Duty{Kind: table.Key, Seats: []table.Seat{2}})).Message
	m.Proofs[0][0] ^= 1
	entry := signed(t, m, list[2].Signer())
	r.entries = append(r.entries, entry)
	errs, _ := crowd(t, r, list[:2])
	for seat, err := range errs {
		testmust.FailBy(t, err, player.ErrFoul, "seat", seat)
	}
}

// overtaken is a log that puts a foul before the first message that is posted.
type overtaken struct {
	*room
	foul []byte
}

func (o overtaken) Post(_ context.Context, _ wire.Hash, entry []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, o.foul, entry)
	return nil
}

func (o overtaken) Messages(ctx context.Context, id wire.Hash, n int, _ time.Duration) ([][]byte, error) {
	if n > 2 {
		return nil, errors.New("the seat has gone on")
	}
	return o.room.Messages(ctx, id, n, 0)
}

// A seat that goes on at a table that a foul has ended, since a message of its own is in the log
// behind the foul, on the same head, and was rehearsed without it.
func TestFoulBeforeRehearsed(t *testing.T) {
	_, list := identities(t, 3)
	r := newRoom(t, list)
	m := parse(t, made(t, cheater(t, r, list[2]), r.state, table.Duty{Kind: table.Key, Seats: []table.Seat{2}})).Message
	m.Proofs[0][0] ^= 1
	foul := signed(t, m, list[2].Signer())
	choose := player.Bot(mathrand.New(mathrand.NewPCG(0, 0)))
	p, err := player.Sit(t.Context(), list[0], overtaken{r, foul}, r.id, catalogue, choose, rand.Reader)
	if err == nil {
		err = p.Play(t.Context())
	}
	testmust.FailBy(t, err, player.ErrFoul)
}
