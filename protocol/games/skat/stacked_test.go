package skat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// stacked is a table whose first deal lies as a test wants it, and on which players do
// what it says. The shuffles are proved like any other: the last shuffler, who knows
// all secrets here, only draws the permutation that it wants.
type stacked struct {
	verifiertest.PlayedTable
	order []skat.Face // by place
}

func newStacked(t *testing.T, c tabletest.Config, order []skat.Face) *stacked {
	t.Helper()
	if c.Seats == 0 {
		c.Seats = 3
	}
	played := testmust.Have(tabletest.New(game, c, 1))(t)
	s := &stacked{verifiertest.PlayedTable{T: t, Table: played}, order}
	s.steps()
	return s
}

// dealt is the whole deck that gives players these cards, in the order in which their
// places lie, and the rest of the pack to the skat and to who has too few.
func dealt(t *testing.T, hands ...string) []skat.Face {
	t.Helper()
	places := [][]int{{0, 1, 2, 11, 12, 13, 14, 23, 24, 25}, {3, 4, 5, 15, 16, 17, 18, 26, 27, 28}, {6, 7, 8, 19, 20, 21, 22, 29, 30, 31}, {9, 10}}
	order := make([]skat.Face, skat.DeckSize)
	left := skat.Faces(skat.AllFaces)
	free := []int{}
	for p, list := range places {
		var names []skat.Face
		if p < len(hands) {
			names = faces(t, hands[p])
		}
		for i, place := range list {
			if i >= len(names) {
				free = append(free, place)
				continue
			}
			order[place] = names[i]
			at := slices.Index(left, names[i])
			testmust.Requiref(t, at >= 0, "%v is dealt twice", names[i])
			left = slices.Delete(left, at, at+1)
		}
	}
	for i, place := range free {
		order[place] = left[i]
	}
	return order
}

// faces reads names that stand apart.
func faces(t *testing.T, names string) (list []skat.Face) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		list = append(list, testmust.Have(skat.ParseFace(name))(t))
	}
	return list
}

func (s *stacked) public() skat.State {
	s.Helper()
	public, ok := table.Public[skat.State](s.State)
	testmust.Require(s, ok, "the state is not of Skat")
	return public
}

// steps takes the protocol steps that are due.
func (s *stacked) steps() {
	s.Helper()
	for {
		duties := s.State.Duties()
		if len(duties) == 0 || duties[0].Kind == table.Move {
			return
		}
		d := duties[0]
		var entry []byte
		var err error
		if seats := s.shufflers(); d.Kind == table.Shuffle && s.public().Deal.Number == 1 && seats[len(seats)-1] == d.Seats[0] {
			var order []card.Face
			for _, f := range s.order {
				order = append(order, card.Face(f))
			}
			entry, err = verifiertest.ArrangeDeck(s.Table, seats, order)
		} else {
			entry, err = s.HonestMessage(d.Seats[0], d, nil)
		}
		if err == nil {
			err = s.Add(entry)
		}
		if err != nil {
			s.Fatalf("%s by seat %d: %v", d.Kind, d.Seats[0], err)
		}
	}
}

// shufflers are the seats of the deal, in the order in which they shuffle it.
func (s *stacked) shufflers() []table.Seat { return skat.Rules{}.Duties(s.public())[0].Seats }

// do makes moves of one player, and the steps that follow.
func (s *stacked) do(p int, moves ...skat.Move) {
	s.Helper()
	for _, m := range moves {
		if err := s.Add(s.honest(p, m)); err != nil {
			s.Fatalf("player %d, after message %d: %v", p, s.State.CountApplied(), err)
		}
		s.steps()
	}
}

// buy lets a player have the game at a bid: nobody else says more than it takes.
func (s *stacked) buy(p, bid int) {
	s.Helper()
	for s.public().Stage == skat.Bidding {
		a := s.public().Deal.Auction
		call := skat.PassCall
		switch {
		case a.Turn == p && a.Turn == a.Hearer:
			call = skat.YesCall
		case a.Turn == p && (a.Last < bid), a.Turn != p && p == skat.Forehand && a.Turn == skat.Middlehand && a.Last == 0 && bid > skat.LowestBid:
			call = skat.Call(bid)
		}
		s.do(a.Turn, skat.Move{Call: &call})
	}
	d := s.public().Deal
	testmust.Requiref(s, d.Declarer == p && d.Bid == bid, "player %d has the game at %d", d.Declarer, d.Bid)
}

// place is where a face lies, in the hand or among the discards of a player.
func (s *stacked) place(p int, f skat.Face) table.Card {
	s.Helper()
	for place, has := range s.Table.Hand(s.public().Deal.Seats[p]) {
		if skat.Face(has) == f {
			return place
		}
	}
	s.Fatalf("player %d does not have %v", p, f)
	return 0
}

// places are where faces lie.
func (s *stacked) places(p int, names string) (list []table.Card) {
	s.Helper()
	for _, f := range faces(s.T, names) {
		list = append(list, s.place(p, f))
	}
	slices.Sort(list)
	return list
}

// card is the play of a face.
func (s *stacked) card(p int, name string) skat.Move {
	s.Helper()
	f := faces(s.T, name)[0]
	if s.public().Deal.OpenHand && p == s.public().Deal.Declarer {
		for _, open := range s.public().Deal.Open {
			if open.Face == f {
				return skat.Move{Play: &skat.Play{Card: open.Card, Face: f}}
			}
		}
	}
	return skat.Move{Play: &skat.Play{Card: s.place(p, f), Face: f}}
}

// plays lays cards to tricks, whoever has the turn.
func (s *stacked) plays(names string) {
	s.Helper()
	for _, name := range strings.Fields(names) {
		p := s.public().Deal.OnTurn()
		s.do(p, s.card(p, name))
	}
}

// announces names a game, with discards by name.
func (s *stacked) announces(p int, discards string, a skat.Announcement) skat.Move {
	s.Helper()
	if discards != "" {
		pair := skat.Pair(s.places(p, discards))
		a.Discard = &pair
	}
	return skat.Move{Announce: &a}
}

// last is the deal that was over last.
func (s *stacked) last() skat.SettledDeal {
	s.Helper()
	past := s.public().Past
	testmust.Require(s, len(past) != 0, "no deal is over")
	return past[len(past)-1]
}

func word(w string) skat.Move { return skat.Move{Choose: &w} }

// remasking is the default suite, whose proofs are real.
func remasking() proof.Suite {
	s, _ := suite.Lookup(suite.Default)
	return s
}

// matadors are those of a result in words: "with 3".
func matadors(r skat.GameResult) string {
	if r.Matadors.With {
		return fmt.Sprintf("with %d", r.Matadors.N)
	}
	return fmt.Sprintf("without %d", r.Matadors.N)
}

func encode(t *testing.T, m skat.Move) []byte {
	t.Helper()
	return testmust.Have(wire.EncodeBody(m))(t)
}

// numbered matches an error that names its rule.
var numbered = regexp.MustCompile(`(SK-R-\d\d|OPT-[A-Z-]+|90\.15)`)

// rarely are moves that end a deal, or make it a short one: drawn as often as others
// they would leave no deal to play.
var rarely = map[string]int{`{"concede"`: 60, `{"claim"`: 6}

// drawnMessage is an honest message of somebody who is due; moves are drawn by chance, so that
// most deals are played.
func drawnMessage(t *tabletest.Table, choice *rand.Rand) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	pass := choice.IntN(3) == 0
	for {
		seat := d.Seats[choice.IntN(len(d.Seats))]
		moves := t.Moves(seat)
		if calls := len(moves) > 1 && strings.HasPrefix(string(moves[0]), `{"call"`); calls && pass {
			moves = moves[:1]
		} else if calls {
			moves = moves[1:]
		}
		if len(moves) == 0 {
			continue
		}
		if move := moves[choice.IntN(len(moves))]; choice.IntN(putBackOdds(move)) == 0 {
			return t.HonestMessage(seat, d, move)
		}
	}
}

// putBackOdds is how often a move that was drawn is put back.
func putBackOdds(move json.RawMessage) int {
	n := 1
	for start, often := range rarely {
		if strings.HasPrefix(string(move), start) {
			n = often
		}
	}
	if value, is := strings.CutPrefix(string(move), `{"call":"`); is && value[0] >= '0' && value[0] <= '9' {
		bid, _ := strconv.Atoi(strings.TrimSuffix(value, `"}`))
		n = 1 + bid/12 // high bids are seldom
	}
	return n
}

// vectorsFolder has the test vectors of the game.
const vectorsFolder = "../../../docs/spec/vectors/skat"
