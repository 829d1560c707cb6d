// Package organiser is the organiser's side of an event, for the program and for pages: usual terms,
// the next step of the method, and the entries that take it (docs/spec/55-events.md, 56-seating.md).
// The next step follows from the event as the caller has verified it.
package organiser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// State is a verified event.
type State struct {
	*event.Judgement
	History *event.History
	Sheets  []*event.Table // all tables that name the event
	Size    uint64         // entries of the log
}

// Step is a step of an event's method.
type Step string

// Steps.
const (
	Accept      Step = "roster" // answer registrations
	Plan        Step = "plan"
	Draw        Step = "draw"
	Seat        Step = "seat"
	Start       Step = "start" // begin tables of the round
	AwaitTables Step = "tables"
	Publish     Step = "final"
	Over        Step = "over"
)

// Next returns the next step.
func (s State) Next() Step {
	h := s.History
	_, drawn := s.Draws[h.CountSeated()+1]
	switch {
	case h.Canceled != nil, h.Final != nil:
		return Over
	case h.CountUnanswered(s.Size) > 0:
		return Accept
	case len(h.Rounds) == 0 && len(h.UnplannedRounds()) > 0:
		return Plan
	case len(s.UnbegunTables()) > 0:
		return Start
	case len(s.TablesInPlay()) > 0:
		return AwaitTables
	case h.CountSeated() == h.Terms.Rounds:
		return Publish
	case drawn:
		return Seat
	}
	return Draw
}

// UnbegunTables returns the places of the last round without a table.
func (s State) UnbegunTables() (list []event.SeatedPlace) {
	for _, at := range s.Tables {
		if at.Round == len(s.History.Rounds) && at.Table == nil {
			list = append(list, at)
		}
	}
	return list
}

// TablesInPlay returns the tables that are not over.
func (s State) TablesInPlay() (list []event.SeatedPlace) {
	for _, at := range s.Tables {
		if at.Table != nil && !at.Table.State.IsOver() {
			list = append(list, at)
		}
	}
	return list
}

// Organiser is an event in the hands of somebody who decides.
type Organiser struct {
	Client *client.Client
	ID     wire.Hash // of the event
	Key    string
	Signer note.Signer

	Posted func(kind bulletin.DecisionKind, at client.PostedEntry) error // is called with each decision; may be nil
	Begun  func(g *wire.Genesis, id wire.Hash) error                     // is called with each table, by several goroutines
	// Try, if set, is called with each decision instead of posting it, and no table begins.
	Try func(ctx context.Context, kind bulletin.DecisionKind, entry []byte, body json.RawMessage) error
}

// Decide posts a decision that follows the last one, and returns its hash.
func (o *Organiser) Decide(ctx context.Context, head wire.Hash, kind bulletin.DecisionKind, body any) (wire.Hash, error) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return head, err
	}
	entry, err := bulletin.Sign(&bulletin.Decision{Format: bulletin.DecisionFormat, Event: o.ID, Parent: head, By: o.Key, Kind: kind, Body: raw}, o.Signer)
	if err != nil {
		return head, err
	}
	if o.Try != nil {
		return wire.HashEntry(entry), o.Try(ctx, kind, entry, raw)
	}
	posted, err := o.Client.PostEvent(ctx, o.ID, entry)
	if err == nil && o.Posted != nil {
		err = o.Posted(kind, posted)
	}
	return posted.Hash, err
}

// Tell posts a notice.
func (o *Organiser) Tell(ctx context.Context, seen wire.Hash, kind bulletin.NoticeKind, body any) (client.PostedEntry, error) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return client.PostedEntry{}, err
	}
	entry, err := bulletin.Sign(&bulletin.Notice{Format: bulletin.NoticeFormat, Event: o.ID, Seen: seen, By: o.Key, Kind: kind, Body: raw}, o.Signer)
	if err != nil {
		return client.PostedEntry{}, err
	}
	return o.Client.PostEvent(ctx, o.ID, entry)
}

// DepartureRefused returns how a refused decision would depart from the event's method, or "" if that
// is not why it was refused.
func DepartureRefused(err error) event.DepartureKind {
	problem, is := errors.AsType[*client.Problem](err)
	if !is || !slices.Contains(event.DepartureKinds(), event.DepartureKind(problem.Departure)) {
		return ""
	}
	return event.DepartureKind(problem.Departure)
}

// PublishPlans publishes a plan for each round without one and returns their number.
func (o *Organiser) PublishPlans(ctx context.Context, h *event.History) (int, error) {
	rounds, players := h.UnplannedRounds(), len(h.Players)
	if len(rounds) == 0 {
		return 0, nil
	}
	if least := slices.Min(h.Terms.Sizes); players < least {
		return 0, fmt.Errorf("the roster has %d players, and a table needs %d: accept them first", players, least)
	}
	plan, head := event.Plan(players, h.Terms.Sizes, h.Terms.Rounds), h.Head
	for _, round := range rounds {
		var err error
		if head, err = o.Decide(ctx, head, bulletin.DecidePlan, bulletin.PlanBody{Round: round, Part: 1, Parts: 1, Tables: plan[round-1]}); err != nil {
			return 0, err
		}
	}
	return len(rounds), nil
}

// BeginDraw opens the organiser's secret of the next round, or begins a table of its draw and returns
// the table's id. From then on nobody enters or leaves the round, so all earlier tables must be over.
func (o *Organiser) BeginDraw(ctx context.Context, s State) (id wire.Hash, err error) {
	h := s.History
	next := h.CountSeated() + 1
	_, drawn := s.Draws[next]
	switch {
	case len(s.UnbegunTables())+len(s.TablesInPlay()) > 0:
		return id, fmt.Errorf("a table of round %d is not over: wait for it, or close it", h.CountSeated())
	case next > h.Terms.Rounds || drawn:
		return id, fmt.Errorf("no round waits for a draw: %d of %d are seated", h.CountSeated(), h.Terms.Rounds)
	case h.Terms.Draw == bulletin.DrawCommit:
		secret, err := drawSecret(h.Terms, o.Signer)
		if err == nil {
			_, err = o.Decide(ctx, h.Head, bulletin.DecideDraw, bulletin.DrawBody{Secret: event.HashSecret(secret, h.Terms.Rounds-next)})
		}
		return id, err
	}
	g, err := h.DrawTable(s.Sheets, s.Size)
	if err != nil {
		return id, err
	}
	return o.BeginTable(ctx, g)
}

// BeginTable begins a table. Its nonce follows from its place: a program that was killed or got no
// answer begins the same table again.
func (o *Organiser) BeginTable(ctx context.Context, g *wire.Genesis) (wire.Hash, error) {
	nonce, err := secretOf(o.Signer, fmt.Appendf(nil, "pakli-place/v1\n%s %d %d\n", g.Event, g.Round, g.Number))
	if err != nil {
		return wire.Hash{}, err
	}
	g.Nonce = nonce[:wire.NonceBytes]
	entry, err := wire.Sign(g, o.Signer)
	if err != nil {
		return wire.Hash{}, err
	}
	if o.Try == nil {
		_, err = o.Client.CreateTable(ctx, entry)
	}
	if err != nil {
		return wire.Hash{}, err
	}
	id := wire.HashEntry(entry)
	if o.Begun != nil {
		err = o.Begun(g, id)
	}
	return id, err
}

// SeatRound seats the next round and returns the parts of its seating.
func (o *Organiser) SeatRound(ctx context.Context, s State) ([]*bulletin.SeatingBody, error) {
	parts, err := event.NextRound(s.History, s.Sheets)
	head := s.History.Head
	for i := 0; err == nil && i < len(parts); i++ {
		head, err = o.Decide(ctx, head, bulletin.DecideRound, parts[i])
	}
	return parts, err
}

// begunAtOnce is how many tables are begun concurrently: each waits for its receipt, and players wait
// for the last one.
const begunAtOnce = 16

// StartRound begins the missing tables of the last round.
func (o *Organiser) StartRound(ctx context.Context, s State) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(begunAtOnce)
	for _, at := range s.UnbegunTables() {
		group.Go(func() error {
			_, err := o.BeginTable(ctx, s.History.TableGenesis(at.Round, at.Number))
			return err
		})
	}
	return group.Wait()
}

// PublishFinal publishes the standings.
func (o *Organiser) PublishFinal(ctx context.Context, s State) error {
	_, err := o.Decide(ctx, s.History.Head, bulletin.DecideFinal, event.NextFinal(s.History, s.Sheets, s.Size))
	return err
}
