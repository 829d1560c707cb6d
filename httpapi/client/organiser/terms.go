package organiser

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// UsualTerms returns the default terms of an event.
func UsualTerms() *bulletin.Event {
	return &bulletin.Event{
		Format: bulletin.EventFormat, Suite: suite.Default, Options: map[string]string{}, Deals: 8, Rounds: 3, Sizes: []int{4}, Window: 4,
		Draw: bulletin.DrawTable, Drawers: 3, Score: bulletin.ScoreSum, Places: []int{}, Bye: bulletin.Bye{Average: true}, Ties: []bulletin.Tie{bulletin.TieDirect, bulletin.TieLast, bulletin.TieShared},
		Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo, Resign: true, Agree: true}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: 1000}, Arbiters: []string{}, Jury: []string{},
	}
}

// Clocks are the clocks with names (docs/spec/52-time.md, 52.3.3).
var Clocks = map[string]wire.Clock{
	"club":  {Tick: 5, Start: 600, Move: 180, Bank: 900, Increment: 5, Grace: 15},
	"rapid": {Tick: 5, Start: 300, Move: 60, Bank: 240, Increment: 8, Grace: 15},
	"post":  {Tick: 600, Start: 259200, Move: 259200, Grace: 3600},
}

// Kind is a usual kind of event, with its game.
type Kind struct {
	Game string
	scene.Event
}

// Kinds returns the kinds of events of all games.
func Kinds() (list []Kind) {
	for _, g := range games.Catalogue() {
		for _, e := range g.Scene.Terms().Events {
			list = append(list, Kind{g.Name(), e})
		}
	}
	return list
}

// FillIn sets the usual terms of the kind.
func (k Kind) FillIn(e *bulletin.Event) {
	maps.Copy(e.Options, k.Options)
	e.Game, e.Deals, e.Rounds, e.Sizes, e.Seating, e.Ties = k.Game, k.Deals, k.Rounds, slices.Clone(k.Sizes), nil, nil
	for _, s := range k.Seating {
		e.Seating = append(e.Seating, bulletin.Seating(s))
	}
	for _, t := range k.Ties {
		e.Ties = append(e.Ties, bulletin.Tie(t))
	}
}

// FillSeating sets the seating of each round: the last ones of the event's list, as many as there are
// rounds, and random seating for earlier rounds if the list is shorter.
func FillSeating(e *bulletin.Event) {
	switch n := len(e.Seating); {
	case n < e.Rounds:
		e.Seating = append(slices.Repeat([]bulletin.Seating{bulletin.SeatAtRandom}, e.Rounds-n), e.Seating...)
	case n > e.Rounds:
		e.Seating = e.Seating[n-e.Rounds:]
	}
}

// SizeError says that a table of a size cannot be played under the terms.
type SizeError struct {
	Seats int
	Terms wire.Genesis
	Err   error
}

func (e *SizeError) Error() string { return fmt.Sprintf("tables of %d: %v", e.Seats, e.Err) }
func (e *SizeError) Unwrap() error { return e.Err }

// Announce completes an event and signs it. The error is a *[SizeError] if its tables cannot be
// played.
func Announce(e *bulletin.Event, organiser note.Signer, key string) ([]byte, error) {
	e.Organiser, e.Nonce = key, make([]byte, wire.NonceBytes)
	if _, err := rand.Read(e.Nonce); err != nil {
		return nil, err
	}
	if e.Game == "" {
		return nil, errors.New("the event has no game")
	}
	if err := CheckSizes(e); err != nil {
		return nil, err
	}
	if e.Draw == bulletin.DrawCommit {
		secret, err := drawSecret(e, organiser)
		if err != nil {
			return nil, err
		}
		e.Commit = hex.EncodeToString(event.HashSecret(secret, e.Rounds))
	}
	return bulletin.Sign(e, organiser)
}

// CheckSizes returns a *[SizeError] for a size of tables that cannot be played under the terms, or
// nil.
func CheckSizes(e *bulletin.Event) error {
	for _, seats := range e.Sizes {
		if err := CheckSize(e, seats); err != nil {
			return err
		}
	}
	return nil
}

// CheckSize returns an error if a table of a size cannot be played under the terms, or nil.
func CheckSize(e *bulletin.Event, seats int) *SizeError {
	terms := wire.Genesis{Format: wire.TableFormat2, Game: e.Game, Suite: e.Suite, Options: e.Options, Deals: e.Deals, Fouls: e.Fouls, Clock: e.Clock, Ends: e.Ends}
	if err := table.CheckPlayable(&terms, seats, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}); err != nil {
		return &SizeError{seats, terms, err}
	}
	return nil
}

// drawSecret returns the organiser's secret of an event, which is that of its last round.
func drawSecret(e *bulletin.Event, organiser note.Signer) ([]byte, error) {
	return secretOf(organiser, append([]byte("pakli-draw-secret/v1\n"), e.Nonce...))
}

// secretOf returns a secret for a purpose that nobody else can compute and that needs no file: a hash
// of a signature, which with Ed25519 is always the same.
func secretOf(signer note.Signer, purpose []byte) ([]byte, error) {
	signature, err := signer.Sign(purpose)
	sum := sha256.Sum256(signature)
	return sum[:], err
}
