package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// A Teller tells of a table while it is played, entry by entry, in the words of a
// report's trace. Unlike [BuildDocument], which tells of what was verified, it verifies every
// message itself; that the entries are the log's is for its user to check.
type Teller struct {
	Marks table.Marks // of the log; nil: of a table with a clock no claim can be told

	tracer tracer
}

// NewTeller returns a Teller of a table that is not open yet.
func NewTeller(c table.Catalogue, l Language) *Teller {
	return &Teller{tracer: tracer{catalogue: c, l: l, blob: func(b wire.Blob) ([]byte, error) {
		return nil, fmt.Errorf("%w: its blobs are not attached", wire.ErrDetached)
	}}}
}

// TellNext tells of the next entry, with its blobs attached. The first must open the
// table.
func (t *Teller) TellNext(index uint64, e *wire.Entry) (Step, error) {
	t.tracer.times = t.Marks
	err := t.tracer.traceNext(replay.PlacedEntry{Index: index, Entry: e})
	if err == nil && t.tracer.state == nil {
		err = errors.New("it comes before the entry that begins the table")
	}
	if err != nil {
		return Step{}, fmt.Errorf("entry %d: %w", index, err)
	}
	step := t.tracer.steps[0]
	t.tracer.steps = nil
	return step, nil
}

// State is the table after the entries told of; nil before the first.
func (t *Teller) State() *table.State { return t.tracer.state }

// Text writes a step as the text of a report has it.
func (t *Teller) Text(w io.Writer, s Step) error {
	const digits = 4
	names := 0
	for seat := range table.Seat(t.tracer.state.Seats()) {
		names = max(names, len(t.tracer.state.SeatName(seat)))
	}
	lines := &textWriter{l: t.tracer.l}
	lines.writeStep(s, digits, names)
	_, err := io.WriteString(w, lines.b.String())
	return err
}
