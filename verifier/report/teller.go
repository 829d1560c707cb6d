package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// A Teller tells of a table while it is played, entry by entry, in the words of a report's trace.
// Unlike [BuildDocument], which tells of verified entries, it verifies every message itself. The
// caller checks that the entries are the log's.
type Teller struct {
	Marks table.Marks // of the log; if nil, claims at a table with a clock cannot be told

	tracer tracer
}

// NewTeller returns a Teller of a table before its first entry.
func NewTeller(c table.Catalogue, l Language) *Teller {
	return &Teller{tracer: tracer{catalogue: c, l: l, blob: func(b wire.Blob) ([]byte, error) {
		return nil, fmt.Errorf("%w: its blobs are not attached", wire.ErrDetached)
	}}}
}

// TellNext tells of the next entry, with its blobs attached. The first one must open the table.
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

// State returns the table after the last entry told, or nil before the first.
func (t *Teller) State() *table.State { return t.tracer.state }

// Text writes a step as in the text of a report.
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
