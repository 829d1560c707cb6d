package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// idleLate is a log with a clock that a seat leaves when it would wait for long.
type idleLate struct{ late }

func (l idleLate) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	return untilIdle{l.room}.Messages(ctx, id, n, wait)
}

func (l idleLate) Clocks(context.Context, wire.Hash) ([]timing.Clock, error) { return nil, nil }

// leavingOut is a log that has left out something when the table is read for the second time.
type leavingOut struct {
	idleLate
	reads *int
}

func (l leavingOut) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if *l.reads++; *l.reads == 3 {
		return nil, player.ErrLeftOut
	}
	return l.idleLate.Messages(ctx, id, n, wait)
}

// signedAnew is what was sent to a room but for messages that were signed before.
func signedAnew(r *room, before ...[]byte) [][]byte {
	return slices.DeleteFunc(slices.Clone(r.sent), func(e []byte) bool {
		return slices.ContainsFunc(before, func(b []byte) bool { return bytes.Equal(b, e) })
	})
}

// A seat that has answered a message that does not count, since the log put another before it and has not shown that,
// and that is stuck for ever although its answer was a key; or that gives tokens twice. (52.10)
func TestLeaveABranch(t *testing.T) {
	for what, c := range map[string]struct {
		until wire.Kind
		act   bool // the tokens are withheld, and the journal remembers an act that came after them
		late  bool // the seat reads it when the history has gone on by more heads than branches lie beside
		want  error
	}{
		"a key": {wire.KindKey, false, false, errIdle}, "a key, long ago": {wire.KindKey, false, true, errIdle},
		"tokens": {table.Show, false, false, player.ErrBranch}, "tokens and an act": {table.Show, true, false, player.ErrBranch},
	} {
		paths, list := identities(t, 3)
		judge, vkey := markstest.LineSigner(t, "judge.example")
		r, organiser := endingRoom(t, list, 1, func(g *wire.Genesis) {
			g.Arbiters = []string{vkey}
			g.Clock = wire.Clock{Keepers: []string{markstest.NewKeeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300}
		})
		var hands []player.Hand
		for i, id := range list {
			h := cheater(t, r, id)
			h.Seat = table.Seat(i)
			hands = append(hands, h)
		}
		owes := func(kind wire.Kind) bool {
			return slices.ContainsFunc(r.state.DutiesOf(2), func(d table.Duty) bool { return d.Kind == kind })
		}
		closeAll(list)
		sits := func(r *room) error {
			id := openSeat(t, paths[2])
			defer id.Close()
			p, err := player.Sit(t.Context(), id, leavingOut{idleLate{late{room: r}}, new(int)}, r.id, r.games, bot(1), rand.Reader)
			if err == nil {
				err = p.Play(t.Context())
			}
			return err
		}
		for !owes(c.until) {
			switch d := r.state.Duties()[0]; {
			case d.Owes(2):
				err := sits(r)
				testmust.Require(t, errors.Is(err, errIdle), err)
			default:
				take(t, r, made(t, hands[d.Seats[0]], r.state, d))
			}
		}
		r.sent = nil
		first := testmust.Have(player.SignAct(r.state, r.state.Genesis().Organiser, organiser, wire.KindPause, wire.EmptyBody{}))(t)
		second := testmust.Have(player.SignAct(r.state, list[0].VerifierKey(), list[0].Signer(), wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))(t)
		shown, real := r.copied(), r.copied()
		take(t, shown, second)
		take(t, real, first)
		branch := [][]byte{second}
		if c.act {
			withheld := shown.copied()
			withheld.crash = func() (before, after bool) { return true, false }
			err := sits(withheld)
			testmust.Require(t, errors.Is(err, errCrash), err)
			third := testmust.Have(player.SignAct(shown.state, list[1].VerifierKey(), list[1].Signer(), wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))(t)
			take(t, shown, third)
			branch = append(branch, third)
			id := openSeat(t, paths[2])
			p := testmust.Have(player.Sit(t.Context(), id, idleLate{late{room: shown}}, r.id, r.games, bot(1), rand.Reader))(t)
			testmust.Do(t, p.PostAct(t.Context(), doing(wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd})))
			id.Close()
		} else if err := sits(shown); !errors.Is(err, errIdle) || len(shown.sent) != 1 {
			t.Fatalf("%s on the branch: %d messages: %v", what, len(shown.sent), err)
		}
		err := sits(real)
		testmust.Holdf(t, err != nil && !errors.Is(err, errIdle), "%s: the log does not show what the seat has answered, and it goes on: %v", what, err)
		branch = append(branch, shown.sent[0])
		real.entries = append(real.entries, branch...)
		for i := 1; c.late && i <= 127; i++ {
			kind := []wire.Kind{wire.KindPause, wire.KindResume}[i%2]
			if i < 64 {
				take(t, real, testmust.Have(player.SignAct(real.state, real.state.Genesis().Organiser, organiser, kind, wire.EmptyBody{}))(t))
			} else {
				take(t, real, testmust.Have(player.SignAct(real.state, vkey, judge, kind, wire.EmptyBody{}))(t))
			}
		}
		if err := sits(real); !errors.Is(err, c.want) || len(signedAnew(real, branch...)) != map[error]int{errIdle: 1}[c.want] {
			t.Errorf("%s: %d messages in the history: %v, want %v", what, len(signedAnew(real, branch...)), err, c.want)
		}
		if back := shown.copied(); c.want == errIdle {
			back.entries = append(back.entries, first)
			err := sits(back)
			testmust.Holdf(t, err != nil && !errors.Is(err, errIdle), "%s: the seat comes back to the branch: %v", what, err)
		}
	}
}
