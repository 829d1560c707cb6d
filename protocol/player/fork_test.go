package player_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/table"
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
	if opened > 0 || len(given[0]) == 0 {
		t.Errorf("tokens for %d and %d cards in two decks together open %d of %d", len(given[0]), len(given[1]), opened, len(in))
	}
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
