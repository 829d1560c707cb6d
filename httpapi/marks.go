package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// getMarks lists marks behind an index.
func (s *tableAPI) getMarks(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	after, _ := q.number("after", 0, math.MaxInt64)
	limit := q.pageLimit()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) { return s.markList(r.Context(), uint64(after), limit) })
}

func (s *tableAPI) markList(ctx context.Context, after uint64, limit int) (client.MarkList, error) {
	list := client.MarkList{Marks: []client.Mark{}}
	for _, m := range s.admission.Marks(after, limit) {
		entry, err := admission.EntryAt(ctx, s.log, m.Index)
		if err != nil {
			return list, err
		}
		list.Marks = append(list.Marks, client.Mark{Index: m.Index, Hash: m.Hash, Entry: string(entry)})
	}
	if n := len(list.Marks); n == limit {
		list.Next = &list.Marks[n-1].Index
	}
	return list, nil
}

// getMark proves a mark, and the checkpoint that it carries, under the newest checkpoint.
func (s *tableAPI) getMark(w http.ResponseWriter, r *http.Request) error {
	hash, err := wire.ParseHash(r.PathValue("mark"))
	if err != nil {
		return problem(client.MalformedRequest, "a mark's hash has 64 lower-case hexadecimal digits")
	}
	return s.showDocument(w, r, func() (any, error) { return s.provenMark(r.Context(), hash) })
}

func (s *tableAPI) provenMark(ctx context.Context, hash wire.Hash) (p client.ProvenMark, err error) {
	m, err := s.admission.Mark(hash)
	if err != nil {
		return p, problem(client.NotFound, "the log has no good mark with this hash")
	}
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return p, err
	}
	entry, err := admission.EntryAt(ctx, s.log, m.Index)
	if err != nil {
		return p, err
	}
	grown, err := s.log.Consistency(ctx, m.Size, c.Size)
	if err != nil {
		return p, err
	}
	included, err := s.log.Inclusion(ctx, m.Index, c.Size)
	p = client.ProvenMark{Mark: client.Mark{Index: m.Index, Hash: hash, Entry: string(entry)},
		Inclusion: hexadecimal(included.Hashes), Consistency: hexadecimal(grown.Hashes), Checkpoint: string(c.Note)}
	return p, err
}

// getClock shows how the seats stand by the clock of a table.
func (s *tableAPI) getClock(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) { return s.clockDocument(r.Context(), id) })
}

func (s *tableAPI) clockDocument(ctx context.Context, id wire.Hash) (d client.Clock, err error) {
	t, err := s.admission.Table(ctx, id)
	if err != nil {
		return d, err
	}
	d = client.Clock{Terms: t.State.Genesis().Clock, Seats: []client.SeatClock{}}
	if d.Terms.IsNone() {
		d.Terms = wire.Clock{Keepers: []string{}, Lines: []string{}}
		return d, nil
	}
	marks, err := s.marksAfter(t.Index)
	if err != nil {
		return d, err
	}
	for _, c := range timing.FindClocks(t.State, marks) {
		seat := client.SeatClock{Seat: int(c.Seat), Used: c.Used, Sum: c.Sum, Claim: c.Claim}
		if c.Limited {
			seat.Left = &c.Left
		}
		d.Seats = append(d.Seats, seat)
	}
	return d, nil
}

// marksAfter returns the good marks of the log behind an index.
func (s *tableAPI) marksAfter(index uint64) (list []timing.Mark, err error) {
	for {
		page := s.admission.Marks(index, maxPage)
		for _, m := range page {
			index = m.Index
			if good, err := s.admission.Mark(m.Hash); err == nil {
				list = append(list, timing.Mark{Hash: m.Hash, Mark: good})
			}
		}
		if len(page) < maxPage {
			return list, nil
		}
	}
}
