package table

import (
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// ID returns the table's id, the hash of its genesis entry.
func (o *opening) ID() wire.Hash { return o.id }

// Genesis returns the table's genesis entry. It must not be changed.
func (o *opening) Genesis() *wire.Genesis { return o.genesis }

// Game returns the table's game.
func (o *opening) Game() Game { return o.game }

// Suite returns the table's suite: its card encoding and the arguments.
func (o *opening) Suite() proof.Suite { return o.suite }

// Encoding returns the encoding of the values of the present deal or, before its seats have a joint
// key, that of the suite.
func (s *State) Encoding() proof.Encoding {
	if s.joint == nil {
		return s.suite.Encoding()
	}
	return s.encoding
}

// Seats counts the seats.
func (s *State) Seats() int { return len(s.seats) }

// SeatName returns the name of a seat for people: from the genesis entry while its first holder has
// the seat, or else the name that the holder signs with.
func (s *State) SeatName(seat Seat) string {
	if len(s.genesis.Names) > 0 && s.genesis.Names[seat] != "" && s.holders[seat] == s.genesis.Seats[seat] {
		return string(s.genesis.Names[seat])
	}
	return s.seats[seat].Name()
}

// seatText is how an error names a seat.
func (s *State) seatText(seat Seat) string {
	return fmt.Sprintf("seat %s (%s)", seat.Letter(), s.SeatName(seat))
}

// FaceName returns the name of a face of the table's deck.
func (o *opening) FaceName(f card.Face) string { return o.pack.FaceName(f) }

// CardKey returns a seat's card key, or nil while none is posted.
func (c cardKeys) CardKey(seat Seat) proof.Key { return c.keys[seat] }

// KeyNumber returns the number of the card key that the holder of a seat has posted, or will post
// next, counted from 1. At most tables there is only the first.
func (s *State) KeyNumber(seat Seat) int {
	n := 1
	for _, f := range s.former {
		if f.seat == seat && f.by == s.holders[seat] {
			n++
		}
	}
	return n
}

// Head returns the hash of the last applied entry, the parent of the next message.
func (s *State) Head() wire.Hash { return s.head }

// CountApplied counts the applied messages, without the genesis entry.
func (s *State) CountApplied() int { return s.applied }

// Foul returns the foul that ended the table, or nil.
func (s *State) Foul() *Fault { return s.foul }

// Deal returns how many shuffles of the deck have begun, which is the number of the present deck.
func (s *State) Deal() int { return int(s.deals) }

// DealsBegun counts the deals that have begun. Rules that also shuffle for something else, such as
// to draw seats, say how often by a method OtherShuffles of their state.
func (s *State) DealsBegun() int {
	if rules, ok := s.rules.(interface{ OtherShuffles() int }); ok {
		return max(s.Deal()-rules.OtherShuffles(), 0)
	}
	return s.Deal()
}

// DealNumber returns the number of the open deal, or of the last one, as in sheets: a deal that was
// undone and is dealt again has one number.
func (s *State) DealNumber() int {
	n := s.openDeal()
	if sheet, lists := s.game.sheet(s.rules); n > 0 || lists {
		return min(max(n, len(sheet.Deals)), s.DealsBegun())
	}
	return s.DealsBegun()
}

// Face returns the face of a card from which every token was stripped; false if it has none of the
// table's deck.
func (o *opening) Face(open proof.MaskedCard) (card.Face, bool) { return o.deck.Face(open) }

// FaceDeck returns the deck with the faces of the table's cards.
func (o *opening) FaceDeck() proof.Deck { return o.deck }

// Public returns the game's public state as JSON, for people and clients.
func (s *State) Public() (json.RawMessage, error) { return json.Marshal(s.rules) }

// Public returns the game's public state as the S of its rules; false if S is another type. The
// value belongs to the table and must not be changed.
func Public[S any](s *State) (S, bool) {
	public, ok := s.rules.(S)
	return public, ok
}

// Result returns the score of every seat. It is false while anything is due, while the table is
// stopped, and after a foul. At a table that an act has ended, it is what the deals finished by
// then pay.
func (s *State) Result() ([]int, bool) {
	switch {
	case s.foul == nil && s.over != "":
		return s.Sheet().Sums(len(s.seats)), true
	case s.foul != nil || s.gone != nil || len(s.Duties()) > 0:
		return nil, false
	}
	result := s.game.result(s.rules)
	if s.ended != nil {
		forfeits := Sheet{Rest: result, Forfeits: s.Sheet().Forfeits}
		result = forfeits.Sums(len(s.seats))
	}
	return result, true
}
