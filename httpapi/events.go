package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

func (s *eventAPI) getEvents(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	after, given := q.number("after", 0, math.MaxInt64)
	limit := q.pageLimit()
	if q.err != nil {
		return q.err
	}
	from := uint64(0)
	if given {
		from = uint64(after) + 1
	}
	return s.showDocument(w, r, func() (any, error) {
		list := client.EventList{Events: []client.Event{}}
		page := s.admission.Events(from, limit)
		for _, e := range page {
			err := s.admission.Event(r.Context(), e.ID, func(h *event.History, entries []admission.Entry) {
				list.Events = append(list.Events, eventDocument(h, len(entries)))
			})
			if err != nil {
				return nil, err
			}
		}
		if len(page) == limit {
			list.Next = &page[limit-1].Index
		}
		return list, nil
	})
}

// postPush keeps where a browser wants to be told what concerns its seat in an event.
func (s *eventAPI) postPush(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	doc, err := s.takeDocument(w, r)
	if err != nil {
		return err
	}
	if s.push == nil {
		return problem(client.NotFound, "this server sends no notifications to browsers")
	}
	p, err := bulletin.ParsePush(doc)
	if err != nil {
		return problem(client.MalformedEntry, "%v", err)
	}
	concerned := false
	if err := s.admission.Event(r.Context(), id, func(h *event.History, _ []admission.Entry) {
		concerned = p.Event == id && h.Final == nil && h.Canceled == nil && (h.MayDecide(p.By) || h.PlayerByKey(p.By) != nil)
	}); err != nil {
		return err
	}
	if !concerned {
		return problem(client.RefusedNotice, "the seat is no player of this event, and decides nothing in it, or the event is over")
	}
	if err := s.notices.TakeToken(addressOf(r), time.Now()); err != nil { // each has the list written anew
		return err
	}
	again, err := s.push.Subscribe(p)
	if _, useless := errors.AsType[*notify.SubscriptionError](err); useless {
		return problem(client.RefusedNotice, "%v", err)
	}
	if errors.Is(err, notify.ErrFull) {
		return &limit.Error{Reason: limit.NoticeRate, Wait: time.Hour}
	}
	if err != nil {
		return err
	}
	s.answer(w, r, postStatus(again), map[string]wire.Hash{"event": id})
	return nil
}

func eventDocument(h *event.History, entries int) client.Event {
	return client.Event{ID: h.ID, Index: h.Index, Name: string(h.Terms.Name), From: h.Terms.From, To: h.Terms.To, Game: h.Terms.Game, Head: h.Head, Entries: entries, Players: len(h.Players),
		Unanswered: h.CountUnanswered(math.MaxUint64), Entrants: h.CountEntrants(), Rounds: len(h.Rounds), Of: h.Terms.Rounds, Over: h.Final != nil || h.Canceled != nil}
}

func (s *eventAPI) getEvent(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		var d client.Event
		err := s.admission.Event(r.Context(), id, func(h *event.History, entries []admission.Entry) { d = eventDocument(h, len(entries)) })
		return d, err
	})
}

// getEventRoster shows who plays an event, and where.
func (s *eventAPI) getEventRoster(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		d := client.EventRoster{Players: []client.EventPlayer{}, Rounds: []client.EventRound{}}
		err := s.admission.Event(r.Context(), id, func(h *event.History, _ []admission.Entry) {
			alike := rosterOf(h)
			for _, p := range h.Players {
				d.Players = append(d.Players, playerDocument(p, alike))
			}
			for _, round := range h.Rounds {
				d.Rounds = append(d.Rounds, client.EventRound{Number: round.Number, Tables: append([][]int{}, round.Tables...), Byes: append([]int{}, round.Byes...)})
			}
		})
		return d, err
	})
}

// getEventEntries lists the entries of an event, and waits for the first one.
func (s *eventAPI) getEventEntries(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	from, _ := q.number("from", 0, math.MaxInt32)
	limit, wait := q.pageLimit(), q.waitTime()
	if q.err != nil {
		return q.err
	}
	if err := s.pollUntil(r, wait, func(ctx context.Context) error {
		return s.admission.Wait(ctx, admission.Subject{ID: id, Event: true}, from)
	}); err != nil {
		return err
	}
	return s.showDocument(w, r, func() (any, error) { return s.eventEntries(r.Context(), id, from, limit) })
}

func (s *eventAPI) eventEntries(ctx context.Context, id wire.Hash, from, limit int) (page client.EventEntries, err error) {
	page.Entries = []client.EventEntry{}
	if err := s.admission.Event(ctx, id, func(_ *event.History, list []admission.Entry) { page.Count = len(list) }); err != nil {
		return page, err
	}
	err = fillPage(s.admission.Entries(ctx, admission.Subject{ID: id, Event: true}, from), limit, func(e admission.LoggedEntry) {
		page.Entries = append(page.Entries, client.EventEntry{N: e.N, Index: e.Index, Entry: string(e.Bytes)})
	})
	return page, err
}

// getEventStream streams the entries of an event, whose ids are their numbers, and between them,
// as "table", how a table stands that has come to stand otherwise.
func (s *eventAPI) getEventStream(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, from := q.eventID(), q.resumePoint("from", math.MaxInt32)
	if q.err != nil {
		return q.err
	}
	if err := s.admission.Event(r.Context(), id, func(*event.History, []admission.Entry) {}); err != nil {
		return err
	}
	told := map[wire.Hash]event.State{}
	wait := func(ctx context.Context) error { return s.waitContest(ctx, id, from) }
	return s.sendStream(w, r, untilItems(s.pagedSource(wait, func(ctx context.Context) (list []streamItem, err error) {
		page, err := s.eventEntries(ctx, id, from, maxPage)
		if err != nil {
			return nil, err // what was read is read again: a heartbeat may have come between
		}
		for _, e := range page.Entries {
			list = append(list, streamItem{id: uint64(e.N), data: e})
		}
		changed, err := s.changedPlaces(ctx, id, told)
		if err != nil {
			return nil, err
		}
		for _, t := range changed {
			told[*t.ID] = event.State(t.State)
			list = append(list, streamItem{name: "table", data: t})
		}
		from += len(page.Entries)
		return list, nil
	})))
}

// untilItems is a source that goes on until there is an item.
func untilItems(next streamSource) streamSource {
	return func(ctx context.Context) ([]streamItem, error) {
		for {
			if list, err := next(ctx); err != nil || len(list) > 0 {
				return list, err
			}
		}
	}
}

// waitContest returns when an event has an n-th entry, or for a look at its tables.
func (s *eventAPI) waitContest(ctx context.Context, id wire.Hash, n int) error {
	soon, cancel := context.WithCancel(ctx)
	defer cancel()
	look := s.after(tableLook)
	done := make(chan error, 1)
	go func() { done <- s.admission.Wait(soon, admission.Subject{ID: id, Event: true}, n) }()
	select {
	case err := <-done:
		return err
	case <-look:
		cancel()
		<-done
		return ctx.Err()
	}
}

// changedPlaces are the places whose tables stand otherwise than was told.
func (s *eventAPI) changedPlaces(ctx context.Context, id wire.Hash, told map[wire.Hash]event.State) (list []client.EventPlace, err error) {
	tables, err := s.eventTables(ctx, id)
	for _, t := range tables {
		if told[t.ID] != t.State {
			list = append(list, placeDocument(event.SeatedPlace{Round: t.Terms.Round, Number: t.Terms.Number, Players: []int{}, Table: t}))
		}
	}
	return list, err
}
