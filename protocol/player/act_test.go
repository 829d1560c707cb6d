package player_test

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// endingRoom is a room of a table/v2, and its organiser.
func endingRoom(t *testing.T, players []*player.Identity, deals int, change ...func(*wire.Genesis)) (*room, note.Signer) {
	t.Helper()
	signer, vkey := organiser(t)
	g := &wire.Genesis{Format: wire.TableFormat2, Game: "schwarzer-peter/v1", Suite: clear.Name, Options: map[string]string{},
		Deals: deals, Fouls: wire.RefuseFouls, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Ends: wire.Ends{Late: wire.LateUndo, Resign: true, Agree: true}, Organiser: vkey, Arbiters: []string{},
		Names: make([]wire.Text, len(players)), Nonce: make([]byte, wire.NonceBytes)}
	for _, c := range change {
		c(g)
	}
	return newRoomBy(t, players, signer, g, catalogue), signer
}

// doing makes an act of a seat.
func doing(kind wire.Kind, body any) player.Act {
	return player.Act{Kind: kind, Body: func() (any, error) { return body, nil }}
}

// A seat that dies before, while or after it posts an act, and signs an act and a message
// on one parent, or two acts; and one that cannot play on after it has acted, after a deal
// was undone, and after it has left and come back.
func TestCrashedSeatActsOnce(t *testing.T) {
	paths, list := identities(t, 2)
	r, _ := endingRoom(t, list, 2)
	random := mathrand.New(mathrand.NewPCG(3, 4))
	r.crash = func() (bool, bool) { n := random.IntN(5); return n == 0, n == 1 }
	closeAll(list)
	acts := []struct {
		kind wire.Kind
		body any
	}{
		{wire.KindBack, wire.EmptyBody{}}, {wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}}, {wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}},
		{wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo}}, {wire.KindAgree, wire.AgreeBody{To: ""}}, {wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}},
	}
	done := map[wire.Kind]int{}
	crashes := 0
	for n := 0; !r.state.IsOver() && n < 400; n++ {
		id := openSeat(t, paths[n%2])
		p := sit(t, id, untilIdle{r}, r, bot(uint64(n)))
		a := acts[2+random.IntN(len(acts)-2)]
		if _, stopped := p.State().GoneSeat(); stopped {
			a = acts[0]
		} else if n < 4 || n == 20 {
			a = acts[1]
		}
		var err error
		if n < 30 || a.kind == wire.KindBack {
			err = p.PostAct(context.Background(), doing(a.kind, a.body))
			if err == nil {
				done[a.kind]++
			}
		}
		if !errors.Is(err, errCrash) {
			err = p.Play(context.Background())
		}
		if errors.Is(err, errCrash) {
			crashes++
		}
		id.Close()
	}
	testmust.Holdf(t, crashes >= 20 && done[wire.KindAgree] != 0 && done[wire.KindResign] != 0 && done[wire.KindBack] != 0,
		"%d crashes, acts done %v: the test tests nothing", crashes, done)
	testmust.Hold(t, r.state.IsOver(), "the table is not over after", len(r.entries), "entries")
	testmust.Hold(t, sentAgain(t, r) != 0, "nothing was sent twice: the journal was never used")
}

// A seat whose answer to a question dies with its program, and that takes it back: what it had signed is posted as if it were what is wanted
// now, and the seat is told that it is done.
func TestActIsTakenBackAfterACrash(t *testing.T) {
	paths, list := identities(t, 2)
	r, _ := endingRoom(t, list, 2)
	closeAll(list)
	for _, to := range []string{wire.AgreeEnd, ""} {
		r.crash = func() (before, after bool) { return to != "", false }
		id := openSeat(t, paths[0])
		p := sit(t, id, untilIdle{r}, r, bot(1))
		err := p.PostAct(t.Context(), doing(wire.KindAgree, wire.AgreeBody{To: to}))
		testmust.Hold(t, errors.Is(err, errCrash) == (to != ""), err)
		id.Close()
	}
	e := testmust.Have(wire.Parse(r.entries[len(r.entries)-1]))(t)
	testmust.Holdf(t, e.Act != nil && string(e.Act.Body) == `{"to":""}`, "the last entry is %s", r.entries[len(r.entries)-1])
}

// A substitute who cannot play on, and whom the journal of another or the card secret of
// who was there before stand in the way; and a player who was replaced and plays on.
func TestSubstitutePlaysOn(t *testing.T) {
	paths, list := identities(t, 3)
	r, organiser := endingRoom(t, list[:2], 2)
	closeAll(list)
	play := func(path string) error { return lifetime(path, r, r, 7) }
	until := func(paths []string, n int) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{}, len(paths))
		for _, path := range paths {
			go func() {
				defer func() { ended <- struct{}{} }()
				_ = playUntil(t, path, r, func(s *table.State) bool { return s.CountApplied() >= n || ctx.Err() != nil })
			}()
		}
		for range paths {
			<-ended
		}
		cancel()
	}
	until(paths[:2], 12)
	if err := play(paths[2]); err == nil {
		t.Fatal("a stranger plays")
	}
	id := openSeat(t, paths[2])
	r.mu.Lock()
	accept := testmust.Have(wire.SignAccept(id.Signer(), r.id, r.state.Head(), 1))(t)
	entry, err := player.SignAct(r.state, r.state.Genesis().Organiser, organiser, wire.KindReseat, wire.ReseatBody{Seat: 1, Key: id.VerifierKey(), Accept: accept})
	if err == nil {
		err = r.take(entry)
	}
	r.mu.Unlock()
	id.Close()
	testmust.Do(t, err)
	testmust.FailBy(t, play(paths[1]), player.ErrReseated, "who was replaced")
	other := make(chan error)
	go func() { other <- play(paths[0]) }()
	if err := errors.Join(play(paths[2]), <-other); err != nil || !r.state.IsOver() || !r.state.IsAdjudicated() {
		t.Errorf("%v, over %t", err, r.state.IsOver())
	}
	testmust.Equal(t, r.state.KeyNumber(1), 1, "the substitute has posted card key", "its own first is number 1")
}
