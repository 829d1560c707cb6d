package table

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// phase is what the rules wait for now, and how much of it was done. Progress
// of Show is in the cards themselves.
type phase struct {
	duties []Duty
	taken  []int // by duty: seats that shuffled; for Give and Permute, 1 if done
}

// maxSteps bounds phases that need no message, one after another. Rules that
// never wait for anybody are a fault of this program.
const maxSteps = 1_000

// enter moves to the next phase in which somebody owes something, or to the
// end of the table. It changes s, which must be a fresh clone.
func (s *State) enter() error {
	for range maxSteps {
		duties := s.game.phase(s.rules)
		s.phase = phase{duties: duties, taken: make([]int, len(duties))}
		if len(duties) > 0 && duties[0].Kind == Shuffle {
			s.beginDeal()
		}
		if err := s.uncover(); err != nil {
			return err
		}
		if len(duties) == 0 || len(s.Duties()) > 0 {
			return nil
		}
		s.rules = s.game.settle(s.rules, s.faces)
	}
	panic(fmt.Sprintf("table: rules of %s went through %d phases without waiting for anybody", s.game.Name(), maxSteps))
}

// advance moves on if nothing of the present phase is owed any more.
func (s *State) advance() error {
	if err := s.uncover(); err != nil {
		return err
	}
	if len(s.Duties()) > 0 {
		return nil
	}
	s.rules = s.game.settle(s.rules, s.faces)
	return s.enter()
}

// beginDeal puts the whole deck on the table, open and in order.
func (s *State) beginDeal() {
	open := s.deck.Cards()
	s.deal++
	s.faces = map[Card]card.Face{}
	s.cards = make([]slot, len(open))
	for i, c := range open {
		s.cards[i] = slot{masked: c}
	}
}

// uncover gives a face to every card from which all tokens were taken.
func (s *State) uncover() error {
	for c, slot := range s.cards {
		if _, known := s.faces[Card(c)]; known || slot.stripped != s.everybody() {
			continue
		}
		f, err := s.faceOf(slot.masked)
		if err != nil {
			return err
		}
		s.faces[Card(c)] = f
	}
	return nil
}

func (s *State) faceOf(open proof.Masked) (card.Face, error) {
	f, ok := s.deck.Face(open)
	if !ok {
		return 0, foul(CheckFace, "the open card is none of the deck")
	}
	return f, nil
}

// Duties lists what is owed now: one duty for each seat and kind, with that
// seat alone in Seats; a Move duty lists all seats that may move. Before the
// first deal every seat owes its key. None: the table is over.
func (s *State) Duties() []Duty {
	if s.foul != nil {
		return nil
	}
	if s.joint == nil {
		return s.keysOwed()
	}
	owed := s.tokensOwed()
	for i, d := range s.phase.duties {
		switch d.Kind {
		case Shuffle:
			if next := s.phase.taken[i]; next < len(d.Seats) {
				owed = append(owed, Duty{Kind: Shuffle, Seats: d.Seats[next : next+1]})
			}
		case Give:
			if s.phase.taken[i] == 0 && len(d.Cards) > 0 {
				owed = append(owed, d)
			}
		case Permute:
			if s.phase.taken[i] == 0 && len(d.Cards) > 1 {
				owed = append(owed, d)
			}
		case Move:
			owed = append(owed, d)
		}
	}
	return owed
}

func (s *State) keysOwed() []Duty {
	var owed []Duty
	for i, k := range s.keys {
		if k == nil {
			owed = append(owed, Duty{Kind: Key, Seats: []Seat{Seat(i)}})
		}
	}
	return owed
}

// tokensOwed lists one Show duty for each seat that owes tokens, with the
// cards in ascending order.
func (s *State) tokensOwed() []Duty {
	var owed []Duty
	for seat := range Seat(len(s.seats)) {
		var cards []Card
		for _, d := range s.phase.duties {
			if d.Kind != Show || slices.Contains(d.To, seat) {
				continue
			}
			for _, c := range d.Cards {
				if !s.cards[c].stripped.has(seat) {
					cards = append(cards, c)
				}
			}
		}
		if len(cards) > 0 {
			slices.Sort(cards)
			owed = append(owed, Duty{Kind: Show, Seats: []Seat{seat}, Cards: slices.Compact(cards)})
		}
	}
	return owed
}

// Owed lists the duties that seat can discharge.
func (s *State) Owed(seat Seat) []Duty {
	return slices.DeleteFunc(s.Duties(), func(d Duty) bool { return !d.Owes(seat) })
}

// duty returns the duty that a message of seat and kind discharges.
func (s *State) duty(seat Seat, kind Kind) (Duty, bool) {
	for _, d := range s.Owed(seat) {
		if d.Kind == kind {
			return d, true
		}
	}
	return Duty{}, false
}

// take marks the first duty like d as taken.
func (s *State) take(d Duty) {
	for i, e := range s.phase.duties {
		if s.phase.taken[i] == 0 && e.Equal(d) || e.Kind == Shuffle && d.Kind == Shuffle {
			s.phase.taken[i]++
			return
		}
	}
}
