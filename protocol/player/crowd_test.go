package player_test

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

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
