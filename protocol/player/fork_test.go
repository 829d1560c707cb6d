package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

var errIdle = errors.New("the seat waits for others")

// untilIdle is a room that a seat leaves when it would wait for long.
type untilIdle struct{ *room }

func (u untilIdle) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if wait < time.Second {
		return u.room.Messages(ctx, id, n, wait)
	}
	news, err := u.room.Messages(ctx, id, n, 0)
	if len(news) == 0 && err == nil {
		err = errIdle
	}
	return news, err
}

// answer plays a seat at a room until it waits for others.
func answer(t *testing.T, path string, r *room) {
	t.Helper()
	id := openSeat(t, path)
	defer id.Close()
	p := sit(t, id, untilIdle{r}, r, bot(1))
	err := p.Play(context.Background())
	testmust.Require(t, errors.Is(err, errIdle), err)
}

// copied is a room with the same history, which may go another way.
func (r *room) copied() *room {
	return &room{id: r.id, entries: r.entries[:len(r.entries):len(r.entries)], more: make(chan struct{}), state: r.state, games: r.games, crash: r.crash}
}

// A last shuffler who makes two decks on one parent, and a log that shows each of
// two honest seats another one: the cards that are the first seat's in the one are
// the second's in the other. A token for a card of either deck is one for the card
// that it was before, S − ρ·X = x·A, so tokens of both decks together would open
// every card but those few.
func TestForkedDecksOpenNothing(t *testing.T) {
	const cheat = 2
	paths, list := identities(t, 3)
	real := table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
	r := newRoomOf(t, list, suite.Default, real)
	own := cheater(t, r, list[cheat])
	closeAll(list[:cheat])
	for len(r.state.DutiesOf(cheat)) == 0 || r.state.DutiesOf(cheat)[0].Kind != table.Shuffle {
		for seat := range cheat {
			answer(t, paths[seat], r)
		}
		if d := r.state.DutiesOf(cheat); len(d) > 0 && d[0].Kind == table.Key {
			take(t, r, made(t, own, r.state, d[0]))
		}
	}

	before, views := r.state, [2]*room{r.copied(), r.copied()}
	in, _ := before.Deck()
	same := straight(len(in))
	crossed := straight(len(in)) // the first seat's places are 0, 3, 6 …, the second's 1, 4, 7 …
	for i := 0; i+1 < len(in); i += 3 {
		crossed[i], crossed[i+1] = crossed[i+1], crossed[i]
	}
	decks := [2]masking.Opening{opening(t, same), opening(t, crossed)}
	for i, v := range views {
		take(t, v, shuffledBy(t, own, before, decks[i]))
		answer(t, paths[i], v)
	}

	given := [2]map[uint16]int{{}, {}} // by view: for places of the deck before, tokens of honest seats
	for i, v := range views {
		s, entries := before, v.entries[len(r.entries):]
		for _, entry := range entries {
			e := parse(t, entry)
			if e.Message.Kind == wire.KindShow {
				for _, c := range s.DutiesOf(table.Seat(e.Message.Seat))[0].Cards {
					given[i][decks[i].Permutation[c]]++
				}
			}
			next := testmust.Have(s.Apply(e, table.Facts{}))(t)
			s = next
		}
	}
	opened := 0
	for c := range uint16(len(in)) {
		if given[0][c]+given[1][c] == cheat {
			opened++
		}
	}
	testmust.Holdf(t, opened <= 0 && len(given[0]) != 0,
		"tokens for %d and %d cards in two decks together open %d of %d", len(given[0]), len(given[1]), opened, len(in))
}

func straight(n int) []uint16 {
	p := make([]uint16, n)
	for i := range p {
		p[i] = uint16(i)
	}
	return p
}

func opening(t *testing.T, permutation []uint16) masking.Opening {
	t.Helper()
	factors := testmust.Have(group.Ristretto255().RandomScalars(rand.Reader, len(permutation)))(t)
	return masking.Opening{Permutation: permutation, Factors: factors}
}

// shuffledBy is a shuffle whose maker chose the order.
func shuffledBy(t *testing.T, h player.Hand, s *table.State, o masking.Opening) []byte {
	t.Helper()
	in, joint := s.Deck()
	statement := masking.ShuffleStatement{Key: joint.(*masking.Key)}
	for _, c := range in {
		statement.In = append(statement.In, c.(masking.Card))
	}
	statement.Out = masking.Remask(statement.Key, statement.In, o)
	p := testmust.Have(bayergroth.Prover{}.Prove(s.Context(h.Seat, table.Shuffle).Slot(0), statement, o, rand.Reader))(t)
	body := wire.CardsBody{}
	for _, c := range statement.Out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	raw := testmust.Have(wire.EncodeBody(body))(t)
	return signed(t, &wire.Message{Format: wire.MessageFormat, Table: s.ID(), Parent: s.Head(),
		Seat: int(h.Seat), Kind: table.Shuffle, Body: raw, Proofs: [][]byte{p}}, h.Signer)
}

func cheater(t *testing.T, r *room, id *player.Identity) player.Hand {
	t.Helper()
	secret := testmust.Have(id.Secret(r.id, r.state.Suite(), rand.Reader))(t)
	return player.Hand{Seat: 2, Secret: secret, Signer: id.Signer()}
}

func made(t *testing.T, h player.Hand, s *table.State, d table.Duty) []byte {
	t.Helper()
	return testmust.Have(h.SignMessage(s, d, nil, rand.Reader))(t)
}

func take(t *testing.T, r *room, entry []byte) {
	t.Helper()
	testmust.Do(t, r.take(entry))
}

func signed(t *testing.T, what any, by note.Signer) []byte {
	t.Helper()
	return testmust.Have(wire.Sign(what, by))(t)
}

func parse(t *testing.T, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

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
