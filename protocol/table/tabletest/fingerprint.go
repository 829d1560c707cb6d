package tabletest

import (
	"crypto/sha256"
	"fmt"

	"github.com/pakli/pakli/protocol/table"
)

// Fingerprint is a hash over all that can be seen of a state.
func Fingerprint(s *table.State) [32]byte {
	h := sha256.New()
	result, over := s.Result()
	public, err := s.Public()
	fmt.Fprintln(h, s.ID(), s.Head(), s.Applied(), s.Deal(), s.Duties(), s.Faces(), s.Foul(), result, over, string(public), err)
	for seat := range table.Seat(s.Seats()) {
		if k := s.CardKey(seat); k != nil {
			fmt.Fprintf(h, "%x", k.Bytes())
		}
		fmt.Fprintln(h, s.Hand(seat), s.Dealt(seat))
		for _, c := range s.MaskedDealt(s.Dealt(seat)) {
			fmt.Fprintf(h, "%x\n", c.Bytes())
		}
	}
	cards, _ := s.Deck()
	for _, c := range cards {
		fmt.Fprintf(h, "%x\n", c.Bytes())
	}
	return [32]byte(h.Sum(nil))
}
