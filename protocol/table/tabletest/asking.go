package tabletest

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

func (t *Table) asksForProofs() bool {
	_, asks := proof.AsAsking(t.Config.Suite)
	return asks
}

// BlamedInAnswer makes the others ask about an entry that its seat has falsified, and that a table
// which asks has let pass. No answer of the seat may be accepted, and none may blame another seat.
func (t *Table) BlamedInAnswer(entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	b := t.Branch()
	if err := b.Add(entry); err != nil {
		return err
	}
	if _, asked := b.State.Question(); !asked {
		return fmt.Errorf("was applied: %.300s", entry)
	}
	d, err := b.PlayUntil(table.Answer)
	if err != nil {
		return err
	}
	seat := table.Seat(e.Message.Seat)
	answer, err := b.HonestMessage(seat, d, nil)
	if err != nil { // the seat cannot answer if it has changed the cards
		answer, err = b.Sign(seat, table.Answer, wire.AnswerBody{}, make([]byte, 64))
	}
	if err != nil {
		return err
	}
	_, err = Apply(b.State, answer)
	fault, is := errors.AsType[*table.Fault](err)
	switch {
	case !is:
		return fmt.Errorf("was applied, and answered (%v): %.300s", err, entry)
	case fault.Class != table.Foul || fault.Seat != seat || fault.Check != table.CheckShuffle:
		return fmt.Errorf("was applied, and its answer is %w", fault)
	}
	return nil
}
