package httpapi

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// getTables lists tables.
func (s *Server) getTables(w http.ResponseWriter, r *http.Request) error {
	after, given, err := number(r, "after", 0, math.MaxInt64)
	if err != nil {
		return err
	}
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	from := uint64(0)
	if given {
		from = uint64(after) + 1
	}
	return s.show(w, r, func() (any, error) { return s.tableList(from, limit), nil })
}

func (s *Server) tableList(from uint64, limit int) client.TableList {
	// One more than asked for tells whether there is a next page.
	found := s.admission.Tables(from, limit+1)
	list := client.TableList{Tables: []client.Summary{}}
	for _, t := range found[:min(len(found), limit)] {
		list.Tables = append(list.Tables, client.Summary{ID: t.ID, Index: t.Index, Game: t.Game, Suite: t.Suite})
	}
	if len(found) > limit {
		list.Next = &list.Tables[limit-1].Index
	}
	return list
}

// getTable shows a table.
func (s *Server) getTable(w http.ResponseWriter, r *http.Request) error {
	id, err := tableID(r)
	if err != nil {
		return err
	}
	return s.show(w, r, func() (any, error) {
		t, err := s.admission.Table(r.Context(), id)
		if err != nil {
			return nil, err
		}
		return tableDocument(t)
	})
}

func tableDocument(t admission.Table) (client.Table, error) {
	s, g := t.State, t.State.Genesis()
	public, err := s.Public()
	if err != nil {
		return client.Table{}, err
	}
	d := client.Table{
		ID: s.ID(), Index: t.Index, Entries: t.Entries, Applied: s.Applied(), Head: s.Head(),
		Game: g.Game, Suite: g.Suite, Options: g.Options, Deals: g.Deals, Fouls: g.Fouls,
		Organiser: g.Organiser, Deal: s.Deal(), Public: public,
		Faces: faceDocuments(s), Duties: []client.Duty{},
	}
	for i, key := range g.Seats {
		d.Seats = append(d.Seats, client.Seat{Name: s.SeatName(table.Seat(i)), Key: key})
	}
	for _, duty := range s.Duties() {
		d.Duties = append(d.Duties, client.Duty{Kind: duty.Kind, Seats: ints(duty.Seats), Cards: ints(duty.Cards), To: ints(duty.To)})
	}
	d.Over = len(d.Duties) == 0
	d.Result, _ = s.Result()
	if f := s.Foul(); f != nil {
		d.Foul = faultDocument(f)
	}
	return d, nil
}

func faceDocuments(s *table.State) []client.OpenCard {
	faces := s.Faces()
	list := []client.OpenCard{}
	for _, c := range slices.Sorted(maps.Keys(faces)) {
		list = append(list, client.OpenCard{Card: int(c), Face: s.FaceName(faces[c])})
	}
	return list
}

func ints[T ~uint8 | ~uint16](list []T) []int {
	var out []int
	for _, v := range list {
		out = append(out, int(v))
	}
	return out
}

func faultDocument(f *table.Fault) *client.Fault {
	d := &client.Fault{Check: string(f.Check), Detail: f.Err.Error()}
	if f.Class == table.Foul {
		seat := int(f.Seat)
		d.Seat = &seat
	}
	return d
}

func classOf(f *table.Fault) client.Class {
	if f == nil {
		return client.Applied
	}
	return client.Class(f.Class.String())
}

// getMessages lists entries of a table, and waits for the first one.
func (s *Server) getMessages(w http.ResponseWriter, r *http.Request) error {
	id, err := tableID(r)
	if err != nil {
		return err
	}
	from, _, err := number(r, "from", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	limit, err := limitOf(r)
	if err != nil {
		return err
	}
	wait, err := waitOf(r)
	if err != nil {
		return err
	}
	stands, err := standingOf(r)
	if err != nil {
		return err
	}
	if err := s.poll(r, wait, func(ctx context.Context) error { return s.admission.Wait(ctx, id, from) }); err != nil {
		return err
	}
	return s.show(w, r, func() (any, error) {
		page, err := s.messages(r.Context(), id, from, limit)
		if err == nil && stands != nil && len(page.Messages) > 0 {
			err = s.prove(r.Context(), stands, &page)
		}
		return page, err
	})
}

// poll returns when until does, the time is up, or the server shuts down.
func (s *Server) poll(r *http.Request, wait time.Duration, until func(context.Context) error) error {
	if wait == 0 {
		return nil
	}
	leave, err := s.polls.Enter(addressOf(r), 1)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := s.lasting(r)
	defer cancel()
	seenIn(r).waited = true
	ctx, expire := context.WithTimeout(ctx, wait)
	defer expire()
	err = until(ctx)
	if errors.Is(err, ctx.Err()) && r.Context().Err() == nil {
		return nil // nothing new is an answer
	}
	return err
}

func (s *Server) messages(ctx context.Context, id wire.Hash, from, limit int) (client.Messages, error) {
	t, err := s.admission.Table(ctx, id)
	if err != nil {
		return client.Messages{}, err
	}
	page := client.Messages{Messages: []client.Message{}, Entries: t.Entries}
	size := 0
	for e, err := range s.admission.Entries(ctx, id, from) {
		if err != nil {
			return client.Messages{}, err
		}
		if size += len(e.Bytes); size > maxPageBytes && len(page.Messages) > 0 {
			break
		}
		m := client.Message{N: e.N, Index: e.Index, Class: classOf(e.Fault), Entry: string(e.Bytes)}
		if e.Fault != nil {
			m.Fault = faultDocument(e.Fault)
		}
		if page.Messages = append(page.Messages, m); len(page.Messages) == limit {
			break
		}
	}
	return page, nil
}
