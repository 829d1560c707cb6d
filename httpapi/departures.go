package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// refuseDeparture refuses a decision with which an event would depart from its method. Of what is
// not the event's next decision, admission says what is wrong.
func (s *eventAPI) refuseDeparture(ctx context.Context, e *bulletin.Entry) error {
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	may := false // what cannot be, by whomever, costs no more than that
	_ = s.admission.Event(ctx, e.Decision.Event, func(h *event.History, _ []admission.Entry) {
		_, err := h.CheckEntry(e, c.Size)
		may = err == nil
	})
	if !may {
		return nil
	}
	tables, err := s.eventTables(ctx, e.Decision.Event)
	if err != nil {
		return err
	}
	h, err := s.copyHistory(ctx, e.Decision.Event)
	if err != nil || h == nil {
		return err
	}
	o := event.Options{Elapsed: s.elapsedBetween(h)}
	before := event.Judge(h, tables, c.Size, o).Departures
	if h.TakeEntry(e, c.Size) != nil {
		return nil
	}
	had := func(d event.Departure) bool { return slices.Contains(before, d) }
	news := slices.DeleteFunc(event.Judge(h, tables, c.Size, o).Departures, had)
	if h.Final != nil && !slices.ContainsFunc(news, func(d event.Departure) bool { return d.What != event.StandingsDiffer }) {
		if tables, err = s.exactTables(ctx, tables, h.Final.Body.(*bulletin.FinalBody).Upto); err != nil {
			return err
		}
		news = slices.DeleteFunc(event.Judge(h, tables, c.Size, o).Departures, had)
	}
	if len(news) == 0 {
		return nil
	}
	p := problem(client.RefusedDecision, "%s. The decision would count, and every report would list it as a departure from the event's method; this server takes none", departureText(news[0], h))
	p.Departure = string(news[0].What)
	return p
}

// departureText says which departure a decision would be: what is wrong, by which check, and where.
func departureText(d event.Departure, h *event.History) string {
	text := "what section 55.6.2 of the specification calls " + string(d.What)
	if d.What == event.RulingSum {
		sum := 0
		for _, p := range h.Rulings[len(h.Rulings)-1].Points {
			sum += p.Points
		}
		text = fmt.Sprintf("the points of a ruling must add up to zero; yours make %+d", sum)
	}
	if d.What == event.RulingDeal {
		text = fmt.Sprintf("the table has no deal %d that is over", h.Rulings[len(h.Rulings)-1].About.Deal)
	}
	text += fmt.Sprintf(" (%s", d.Check)
	for _, place := range []struct {
		what   string
		number int
	}{{"round", d.Round}, {"table", d.Table}, {"player", d.Player}} {
		if place.number > 0 {
			text += fmt.Sprintf(", %s %d", place.what, place.number)
		}
	}
	return text + ")"
}

// exactTables are tables with what those that were in play at an index do not tell of themselves as they
// are now (see played.FromState): when in the log each deal ended, and who held a seat in it. Standings rest
// on both.
func (s *eventAPI) exactTables(ctx context.Context, tables []*event.Table, upto uint64) (list []*event.Table, err error) {
	for _, t := range tables {
		if !t.State.IsOver() || t.Last >= upto {
			if t, err = s.exactTable(ctx, t.ID); err != nil {
				return nil, err
			}
		}
		list = append(list, t)
	}
	return list, nil
}

// exactTable is a table as a replay of all its entries shows it.
func (s *tableAPI) exactTable(ctx context.Context, id wire.Hash) (*event.Table, error) {
	var t *played.Table
	err := s.admission.Steps(ctx, id, func(step replay.Step) {
		if t == nil {
			t = played.New(id, step)
		}
		t.TakeStep(step)
	})
	if err != nil {
		return nil, err
	}
	return t.Sheet(), nil
}

// copyHistory is an event read again from its entries, which who reads it may change; nil if there
// is none. Nobody waits meanwhile.
func (s *eventAPI) copyHistory(ctx context.Context, id wire.Hash) (h *event.History, err error) {
	for logged, err := range s.admission.Entries(ctx, admission.Subject{ID: id, Event: true}, 0) {
		if err != nil {
			return nil, nil // admission says why
		}
		e, err := bulletin.Parse(logged.Bytes)
		switch {
		case err != nil:
			return nil, err
		case h == nil:
			if h, err = event.Open(e, logged.Index); err != nil {
				return nil, err
			}
		default:
			_ = h.TakeEntry(e, logged.Index) // what is void stays so
		}
	}
	return h, nil
}
