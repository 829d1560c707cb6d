package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/pakli/pakli/protocol/wire"
)

// EventList is a page of the list of events.
type EventList struct {
	Events []Event `json:"events"`
	Next   *uint64 `json:"next,omitempty"`
}

// Event is an event as the server sees it.
type Event struct {
	ID         wire.Hash `json:"id"`
	Index      uint64    `json:"index"` // of the entry that announced it
	Name       string    `json:"name"`
	From       string    `json:"from"`
	To         string    `json:"to"`
	Game       string    `json:"game"`
	Head       wire.Hash `json:"head"`       // parent that the next decision has to name
	Entries    int       `json:"entries"`    // in the log, the announcement included
	Players    int       `json:"players"`    // on the roster
	Unanswered int       `json:"unanswered"` // registrations without an answer
	Entrants   int       `json:"entrants"`   // players of the first round as of now, including those without an answer
	Rounds     int       `json:"rounds"`     // number of seated rounds
	Of         int       `json:"of"`         // rounds in all
	Over       bool      `json:"over"`       // final or cancelled
}

// EventEntry is an entry of an event as it is in the log.
type EventEntry struct {
	N     int    `json:"n"` // 0 announces the event
	Index uint64 `json:"index"`
	Entry string `json:"entry"`
}

// EventEntries is a page of entries of an event.
type EventEntries struct {
	Entries []EventEntry `json:"entries"`
	Count   int          `json:"count"` // of the event
}

// EventPlayer is somebody on the roster.
type EventPlayer struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Club   string `json:"club"`
	Key    string `json:"key"`
	First  int    `json:"first"`           // first round in which the player may sit
	Alike  bool   `json:"alike,omitempty"` // another player's name looks like this one: show the key too
}

// EventRound is a seated round.
type EventRound struct {
	Number int     `json:"number"`
	Tables [][]int `json:"tables"` // numbers of players, by seat
	Byes   []int   `json:"byes"`
}

// EventPlace is a place of a round with the state of the table that counts there, in the words of
// package event.
type EventPlace struct {
	Round   int        `json:"round"`
	Number  int        `json:"number"`
	Players []int      `json:"players"`
	ID      *wire.Hash `json:"id,omitempty"`
	State   string     `json:"state"` // "" if it was not begun
	Deals   int        `json:"deals"` // number of finished deals
}

// EventRoundPlaces has the places of a round.
type EventRoundPlaces struct {
	Number int          `json:"number"`
	Tables []EventPlace `json:"tables"`
	Byes   []int        `json:"byes"`
}

// EventRoster lists the players and the seatings.
type EventRoster struct {
	Players []EventPlayer `json:"players"`
	Rounds  []EventRound  `json:"rounds"`
}

// EventRoster returns the players and the seatings.
func (s *Server) EventRoster(ctx context.Context, id wire.Hash) (EventRoster, error) {
	return readAs[EventRoster](ctx, s, request{path: "/v1/events/" + id.String() + "/roster"})
}

// EventRoundPlaces returns the tables of a round.
func (s *Server) EventRoundPlaces(ctx context.Context, id wire.Hash, round int) (EventRoundPlaces, error) {
	return readAs[EventRoundPlaces](ctx, s, request{path: fmt.Sprintf("/v1/events/%s/rounds/%d", id, round)})
}

// EventStandings returns the ranks so far, without a layer or with all: a document in the words of
// package event.
func (s *Server) EventStandings(ctx context.Context, id wire.Hash, without string) (json.RawMessage, error) {
	return readAs[json.RawMessage](ctx, s, request{path: "/v1/events/" + id.String() + "/standings?" + url.Values{"without": {without}}.Encode()})
}

// Announce posts the entry that announces an event and verifies its receipt.
func (c *Client) Announce(ctx context.Context, entry []byte) (PostedEntry, error) {
	p, _, err := c.postVerified(ctx, "/v1/events", entry)
	return p, err
}

// PostEvent posts a notice or a decision and verifies its receipt. The error is a *Conflict if a
// decision does not follow the last one.
func (c *Client) PostEvent(ctx context.Context, event wire.Hash, entry []byte) (PostedEntry, error) {
	p, _, err := c.postVerified(ctx, "/v1/events/"+event.String()+"/entries", entry)
	return p, err
}

// PostPush asks a server to send a browser messages about its seat in an event (70.16).
func (s *Server) PostPush(ctx context.Context, event wire.Hash, doc []byte) error {
	_, err := readAs[struct{}](ctx, s, request{path: "/v1/events/" + event.String() + "/push", entry: doc})
	return err
}

// Events lists up to limit events announced above the index after. A nil after lists from the first.
func (s *Server) Events(ctx context.Context, after *uint64, limit int) (EventList, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != nil {
		query.Set("after", strconv.FormatUint(*after, 10))
	}
	return readAs[EventList](ctx, s, request{path: "/v1/events?" + query.Encode()})
}

// Event returns the server's view of an event.
func (s *Server) Event(ctx context.Context, id wire.Hash) (Event, error) {
	return readAs[Event](ctx, s, request{path: "/v1/events/" + id.String()})
}

// EventEntries returns entries of an event from the n-th on and waits for the first of them. Their
// hashes and order are only the server's word.
func (s *Server) EventEntries(ctx context.Context, id wire.Hash, n int, wait time.Duration) (EventEntries, error) {
	path := fmt.Sprintf("/v1/events/%s/entries?from=%d&wait=%g", id, n, wait.Seconds())
	return readAs[EventEntries](ctx, s, request{path: path, wait: wait})
}
