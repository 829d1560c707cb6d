package table

import (
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// ID is the table's id, the hash of its genesis entry.
func (o *opening) ID() wire.Hash { return o.id }

// Genesis is the table's first entry. It must not be changed.
func (o *opening) Genesis() *wire.Genesis { return o.genesis }

// Game is the table's game.
func (o *opening) Game() Game { return o.game }

// Suite is the table's card encoding with its arguments.
func (o *opening) Suite() proof.Suite { return o.suite }

// Encoding is that of the values of the present deal; before its seats have a joint key,
// that of the suite.
func (s *State) Encoding() proof.Encoding {
	if s.joint == nil {
		return s.suite.Encoding()
	}
	return s.encoding
}

// Seats counts the seats.
func (s *State) Seats() int { return len(s.seats) }

// SeatName is what people call a seat: as its table says, or else the name that it signs
// with.
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

// FaceName is the name of a face of the table's deck.
func (o *opening) FaceName(f card.Face) string { return o.pack.FaceName(f) }

// CardKey is a seat's card key, or nil while it is not posted.
func (c cardKeys) CardKey(seat Seat) proof.Key { return c.keys[seat] }

// KeyNumber says which card key of who holds a seat is the one that is posted, or will be
// posted next: 1 is the first. At most tables there is no other.
func (s *State) KeyNumber(seat Seat) int {
	n := 1
	for _, f := range s.former {
		if f.seat == seat && f.by == s.holders[seat] {
			n++
		}
	}
	return n
}

// Head is the hash of the last applied entry: the parent of the next message.
func (s *State) Head() wire.Hash { return s.head }

// CountApplied counts the applied messages; the genesis entry is not one.
func (s *State) CountApplied() int { return s.applied }

// Foul is the foul that ended the table, or nil.
func (s *State) Foul() *Fault { return s.foul }

// Deal is the number of the present deck: how often the cards were shuffled.
func (s *State) Deal() int { return int(s.deals) }

// DealsBegun counts the deals begun. A state of rules that shuffle for something else, to draw
// seats for example, says how often by a method.
func (s *State) DealsBegun() int {
	if rules, ok := s.rules.(interface{ OtherShuffles() int }); ok {
		return max(s.Deal()-rules.OtherShuffles(), 0)
	}
	return s.Deal()
}

// DealNumber is the number of the deal that is open, or of the last one, as sheets have it: a deal that was undone
// and is dealt again has one number.
func (s *State) DealNumber() int {
	n := s.openDeal()
	if sheet, lists := s.game.sheet(s.rules); n > 0 || lists {
		return min(max(n, len(sheet.Deals)), s.DealsBegun())
	}
	return s.DealsBegun()
}

// Face is the face of a card from which every token was taken off; false if it is
// none of the table's deck.
func (o *opening) Face(open proof.MaskedCard) (card.Face, bool) { return o.deck.Face(open) }

// FaceDeck is the deck whose faces cards of the table have.
func (o *opening) FaceDeck() proof.Deck { return o.deck }

// Public is the game's public state, as JSON for people and clients.
func (s *State) Public() (json.RawMessage, error) { return json.Marshal(s.rules) }

// Public returns the game's public state as the S of its rules; false if S is not
// theirs. The value is the table's own and must not be changed.
func Public[S any](s *State) (S, bool) {
	public, ok := s.rules.(S)
	return public, ok
}

// Result is the score of every seat. It is false while anything is due, and at
// a table that ended with a foul. Of a table that an act has ended it is what the deals
// pay that were over by then.
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
