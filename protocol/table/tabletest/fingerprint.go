package tabletest

import (
	"crypto/sha256"
	"fmt"

	"github.com/pakli/pakli/protocol/table"
)

// Fingerprint is a hash over all that can be seen of a state.
func Fingerprint(s *table.State) [32]byte {
	h := sha256.New()
	add := func(v any) { fmt.Fprintf(h, "%v\n", v) }
	add(s.ID())
	add(s.Head())
	add(s.Applied())
	add(s.Deal())
	add(s.Duties())
	add(s.Faces())
	add(s.Foul())
	result, over := s.Result()
	add(result)
	add(over)
	public, err := s.Public()
	add(string(public))
	add(err)
	for seat := range table.Seat(s.Seats()) {
		if k := s.CardKey(seat); k != nil {
			add(k.Bytes())
		}
		add(s.Hand(seat))
		add(s.Context(seat, table.Move))
	}
	cards, _ := s.Deck()
	for _, c := range cards {
		add(c.Bytes())
	}
	return [32]byte(h.Sum(nil))
}
