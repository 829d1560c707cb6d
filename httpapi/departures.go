package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	contest "github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// postOfEvent posts what announces an event, a notice or a decision, within bounds.
func (s *Server) postOfEvent(ctx context.Context, r *http.Request, e *wire.Entry) (admission.Posted, error) {
	if e.Notice != nil {
		if err := s.notices.Take(addressOf(r), time.Now()); err != nil {
			return admission.Posted{}, err
		}
	}
	if e.Decision != nil && !s.departures {
		if err := s.departs(ctx, e); err != nil {
			return admission.Posted{}, err
		}
	}
	return s.admission.PostEvent(ctx, e)
}

// departs refuses a decision with which an event would depart from its method. Of what is
// not the event's next decision, admission says what is wrong.
func (s *Server) departs(ctx context.Context, e *wire.Entry) error {
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	may := false // what cannot be, by whomever, costs no more than that
	_ = s.admission.Event(ctx, e.Decision.Event, func(h *contest.History, _ []admission.Entry) {
		_, err := h.Check(e, c.Size)
		may = err == nil
	})
	if !may {
		return nil
	}
	tables, err := s.eventTables(ctx, e.Decision.Event)
	if err != nil {
		return err
	}
	h, err := s.copied(ctx, e.Decision.Event)
	if err != nil || h == nil {
		return err
	}
	o := contest.Options{Elapsed: s.elapsed(h)}
	before := contest.Judge(h, tables, c.Size, o).Departures
	if h.Take(e, c.Size) != nil {
		return nil
	}
	for _, d := range contest.Judge(h, tables, c.Size, o).Departures {
		if !slices.Contains(before, d) && !s.uncertain(d, tables) {
			return problem(client.RefusedDecision, "with this decision the event would depart from its method: %s (%s, round %d, table %d, player %d). It would count, and be listed in every report; this server takes none", d.What, d.Check, d.Round, d.Table, d.Player)
		}
	}
	return nil
}

// uncertain reports whether a server cannot say of itself that an event departs so: what
// the deals of a substitute are, it does not know exactly (see played.Now).
func (s *Server) uncertain(d contest.Departure, tables []*contest.Table) bool {
	return d.What == contest.StandingsDiffer && slices.ContainsFunc(tables, func(t *contest.Table) bool { return !t.State.Over() || s.reseated(t.ID) })
}

// copied is an event read again from its entries, which who reads it may change; nil if there
// is none. Nobody waits meanwhile.
func (s *Server) copied(ctx context.Context, id wire.Hash) (h *contest.History, err error) {
	for logged, err := range s.admission.EventEntries(ctx, id, 0) {
		if err != nil {
			return nil, nil // admission says why
		}
		e, err := wire.ParseEntry(logged.Bytes)
		switch {
		case err != nil:
			return nil, err
		case h == nil:
			if h, err = contest.Open(e, logged.Index); err != nil {
				return nil, err
			}
		default:
			_ = h.Take(e, logged.Index) // what is void stays so
		}
	}
	return h, nil
}
