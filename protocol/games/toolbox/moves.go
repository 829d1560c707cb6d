package toolbox

import (
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Moves lists an operation of each kind that is possible as the cards lie; those on a hand are of the
// seat that sees v. None throws a number: a share has to be kept until it is shown, and a View keeps
// nothing.
func (Rules) Moves(s State, v table.View) []Move {
	if op, _ := s.throwStep(); op != "" {
		return nil
	}
	first := []card.Face{0, 1}
	list := []Move{{Op: "create", Pile: "a", Faces: &first}, {Op: "random", Pile: "r", Faces: &first}, {Op: "private", Pile: "p", Faces: &first}, {Op: "end"}}
	if s.Places == 0 {
		list = append(list, Move{Op: "deck"})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Piles)) {
		list = append(list, s.pileMoves(name, v)...)
	}
	hand := s.Hands[v.Seat]
	if len(hand) > 1 {
		list = append(list, Move{Op: "permute"})
	}
	if len(hand) > 0 {
		cards, face := hand[:1:1], []card.Face{v.Faces[hand[0]]}
		to := table.Seat((int(v.Seat) + 1) % s.Seats).Letter()
		list = append(list,
			Move{Op: "show", Cards: &cards, Faces: &face}, Move{Op: "give", Cards: &cards, Seat: to},
			Move{Op: "return", Cards: &cards, Pile: "a"})
	}
	if other := s.Hands[(int(v.Seat)+1)%s.Seats]; len(other) > 0 {
		drawn := other[:1:1]
		list = append(list, Move{Op: "draw", Cards: &drawn})
	}
	return slices.DeleteFunc(list, func(m Move) bool {
		_, _, err := Rules{}.Apply(s, table.Input[Move]{Seat: v.Seat, Move: m, Faces: v.Faces})
		return err != nil
	})
}

func (s State) pileMoves(name string, v table.View) []Move {
	pile := s.Piles[name]
	list := []Move{{Op: "mix", Pile: name}, {Op: "cut", Pile: name}, {Op: "split", Pile: name, N: 1, To: "b"},
		{Op: "deal", Pile: name, N: 1, Seat: v.Seat.Letter()}, {Op: "equal", Pile: name, To: "e"}, {Op: "take", Pile: name, N: 1, To: "b"}}
	if _, open := v.Faces[pile[0]]; open {
		return append(list, Move{Op: "mask", Pile: name})
	}
	top := pile[:1:1]
	list = append(list, Move{Op: "show", Cards: &top})
	if name != "a" {
		list = append(list, Move{Op: "insert", Cards: &top, Pile: "a"}, Move{Op: "join", Pile: name, To: "a"})
	}
	return list
}
