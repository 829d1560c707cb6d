package httpapi

import (
	"context"
	"errors"
	"slices"

	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// happeningsAtOnce is how many entries are read before what they brought about is told.
const happeningsAtOnce = 1024

// Happenings read what the entries of the log from one on brought about in events (70.15), and up to which entry
// these are all; at the end of the log there are none. What is said of a round is as the server replays its tables.
// An entry is looked at when it was there at the call before: then its event and its table have it too.
func (s *Server) Happenings() func(ctx context.Context, from uint64) ([]notify.Happening, uint64, error) {
	var settled uint64
	return func(ctx context.Context, from uint64) (list []notify.Happening, next uint64, err error) {
		if s.catchUp != nil {
			if err := s.catchUp(ctx); err != nil {
				return nil, from, err
			}
		}
		c, err := s.log.Checkpoint(ctx)
		if err != nil || from > c.Size {
			return nil, c.Size, err
		}
		end := min(settled, from+happeningsAtOnce)
		settled = c.Size
		for next = from; next < end; next++ {
			h, err := s.happeningAt(ctx, next)
			if _, unknown := errors.AsType[*admission.UnknownError](err); err != nil && !unknown { // of an event or a table that is none
				return list, next, err
			}
			if h != nil {
				list = append(list, *h)
			}
		}
		return list, next, nil
	}
}

// happeningAt is what an entry brought about; nil: nothing that is told.
func (s *Server) happeningAt(ctx context.Context, index uint64) (h *notify.Happening, err error) {
	entry, err := admission.EntryAt(ctx, s.log, index)
	if err != nil {
		return nil, err
	}
	if id, is := bulletin.EventNamed(entry); is {
		var about string
		err := s.admission.Event(ctx, id, func(of *event.History, _ []admission.Entry) { h, about = saidAt(of, index) })
		if table, wrong := wire.ParseHash(about); err == nil && wrong == nil {
			now, wrong := s.admission.Table(ctx, table)
			if wrong == nil { // a player can name any
				h.Round, h.Table = now.State.Genesis().Round, now.State.Genesis().Number
			}
		}
		return h, err
	}
	id, is := wire.TableNamed(entry)
	if !is {
		id = wire.HashEntry(entry) // of a genesis entry
	}
	now, err := s.admission.Table(ctx, id)
	if err != nil || is && (now.Last != index || !now.State.IsOver()) {
		return nil, err
	}
	g := now.State.Genesis()
	of, err := wire.ParseHash(g.Event)
	if err != nil || g.Round == 0 {
		return nil, nil // a table of no round
	}
	err = s.events.judgeEvent(ctx, of, event.LeftOutLayers{}, func(of *event.History, j *event.Judgement) {
		open := func(t event.SeatedPlace) bool {
			return t.Round == g.Round && (t.Table == nil || !t.Table.State.IsOver() || t.Table.Last > index)
		}
		mine := func(t event.SeatedPlace) bool { return t.Table != nil && t.Table.ID == id }
		if !slices.ContainsFunc(j.Tables, mine) {
			return
		}
		h = &notify.Happening{Event: of.ID, Name: string(of.Terms.Name), Index: index, Round: g.Round}
		if !is {
			h.Kind, h.Table, h.Keys = notify.TableBegun, g.Number, g.Seats
		} else if h.Kind = notify.RoundOver; slices.ContainsFunc(j.Tables, open) {
			h = nil
		}
	})
	return h, err
}

// SeatsOwing are those for which tables of an event wait: one for each table, by its last entry. Of a place it is the table that
// counts there: anybody can begin others that name the event.
func (s *Server) SeatsOwing(ctx context.Context, id wire.Hash) (list []notify.Happening, err error) {
	var open []wire.Hash
	name := ""
	err = s.events.judgeEvent(ctx, id, event.LeftOutLayers{}, func(of *event.History, j *event.Judgement) {
		name = string(of.Terms.Name)
		for _, t := range j.Tables {
			if t.Table != nil && !t.Table.State.IsOver() {
				open = append(open, t.Table.ID)
			}
		}
	})
	for _, table := range open {
		now, err := s.admission.Table(ctx, table)
		if err != nil {
			return nil, err
		}
		g := now.State.Genesis()
		h := notify.Happening{Event: id, Name: name, Index: now.Last, Round: g.Round, Table: g.Number}
		for _, duty := range now.State.Duties() {
			for _, seat := range duty.Seats {
				h.Keys = append(h.Keys, now.State.HolderKey(seat))
			}
		}
		list = append(list, h)
	}
	return list, err
}

// saidAt is what an entry of an event said that counts, and the table that it is about.
func saidAt(of *event.History, index uint64) (h *notify.Happening, about string) {
	h = &notify.Happening{Event: of.ID, Name: string(of.Terms.Name), Index: index}
	arbiters, jury := of.Officials()
	for _, n := range of.Notices {
		if n.Index == index && n.Kind == bulletin.Call {
			h.Kind, h.Keys, about = notify.ArbiterCalled, arbiters, n.Body.(*bulletin.CallBody).Table.String()
		}
		if n.Index == index && n.Kind == bulletin.Appeal {
			h.Kind, h.Keys = notify.RulingAppealed, jury
		}
	}
	for _, r := range of.Rounds[:of.CountSeated()] {
		if r.Index == index {
			h.Kind, h.Round = notify.RoundDrawn, r.Number
			for _, p := range of.Players {
				h.Keys = append(h.Keys, p.Key)
			}
		}
	}
	for _, r := range of.Rulings {
		if r.Index == index {
			h.Kind, about = notify.RulingMade, r.About.Table
		}
	}
	if of.Final != nil && of.Final.Index == index {
		h.Kind = notify.StandingsPublished
	}
	if of.Canceled != nil && of.Canceled.Index == index {
		h.Kind = notify.EventCancelled
	}
	if h.Kind == "" {
		return nil, ""
	}
	return h, about
}
