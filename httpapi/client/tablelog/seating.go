package tablelog

// This file brings players to one table, at terminals and in browsers. It watches an open table at a
// server that it does not trust, and accepts the resulting table only if all of docs/spec/70-http.md,
// 70.12.5, holds.

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

const (
	pollTime   = 25 * time.Second
	hereTime   = 20 * time.Second // interval at which an organiser reports its presence
	firstPause = time.Second      // doubled after each failure
	lastPause  = 16 * time.Second
	breath     = 250 * time.Millisecond // least time between two looks
)

// FindOffer returns the offer of an invitation, for the log with this key. Without a pin it is the
// one that the server shows for the code.
func FindOffer(ctx context.Context, c *client.Client, i offer.Invitation, log string) (*offer.Offer, error) {
	id := i.Offer
	if !i.Pinned {
		list, err := c.Offers(ctx, 0, i.Code)
		if err != nil {
			return nil, err
		}
		if len(list.Offers) != 1 {
			if len(list.Offers) == 0 {
				return nil, fmt.Errorf("no open table of this server has the code %s: the table may have begun, or be on another server", i.Code)
			}
			return nil, fmt.Errorf("%d open tables of this server have the code %s: give more letters of the code, or the link", len(list.Offers), i.Code)
		}
		id = list.Offers[0].ID
	}
	open, err := c.Offer(ctx, id, 0, 0)
	if err != nil {
		return nil, err
	}
	o, err := offer.Parse([]byte(open.Offer))
	if err != nil {
		return nil, err
	}
	if err := i.CheckOffer(o); err != nil {
		return nil, err
	}
	if o.Log != log {
		return nil, fmt.Errorf("the offer is for the log %.60q, and this server's is %.60q", o.Log, log)
	}
	return o, nil
}

// NewOffer signs an offer after adding a nonce and the usual terms that are missing.
func NewOffer(o offer.Offer, c table.Catalogue, organiser note.Signer) (*offer.Offer, error) {
	o.Nonce = make([]byte, wire.NonceBytes)
	rand.Read(o.Nonce)
	o.Table.Fouls = cmp.Or(o.Table.Fouls, wire.RefuseFouls)
	if o.Table.Options == nil {
		o.Table.Options = map[string]string{}
	}
	if err := table.CheckPlayable(&o.Table, o.Places, c); err != nil {
		return nil, err
	}
	return o.Sign(organiser)
}

// SeatPlace is an open table as one program watches it.
type SeatPlace struct {
	Client    *client.Client
	Offer     *offer.Offer
	Organiser note.Signer // signs that the organiser is there; nil: this is not its program

	mu   sync.Mutex
	mine []*offer.Join // of this program's seats
}

// KeepJoin adds a posted join, which is posted again if a server forgets it.
func (p *SeatPlace) KeepJoin(j *offer.Join) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mine = append(p.mine, j)
}

// PostOffer posts the offer and that its organiser is there. Watch repeats the latter if it is lost.
func (p *SeatPlace) PostOffer(ctx context.Context) (client.OpenOffer, error) {
	open, err := p.Client.PostOffer(ctx, p.Offer.Text)
	if err == nil {
		p.sayPresent(ctx, open.Challenge)
	}
	return open, err
}

// sayPresent reports that the organiser is there. An outdated challenge changes nothing, and the next
// look has a new one.
func (p *SeatPlace) sayPresent(ctx context.Context, challenge []byte) error {
	present, err := offer.SignPresent(p.Offer.Hash, challenge, p.Organiser)
	if err == nil {
		_, err = p.Client.PostPresent(ctx, p.Offer.Hash, present.Text)
	}
	return err
}

// SeatingState is the state of an open table. Its documents are verified; who else has joined, where
// the table is and whether the organiser is there are only the server's word.
type SeatingState struct {
	Joins  []*offer.Join
	Away   time.Duration // since the organiser was last heard of
	Table  *wire.Hash
	Server error // why the server cannot be asked now
}

// ErrNoPlace says that the server has no place for a seat of this program.
var ErrNoPlace = errors.New("there is no place at this table for you")

// Watch calls seen with the states of an open table until seen returns false. It posts again what a
// server has forgotten, and waits for a server that is away.
func (p *SeatPlace) Watch(ctx context.Context, seen func(SeatingState) (goOn bool, err error)) error {
	var version uint64
	var said time.Time
	pause := firstPause
	for {
		breathe := time.After(breath)
		s, open, err := p.readState(ctx, version)
		if err == nil && p.Organiser != nil && time.Since(said) > hereTime {
			if err = p.sayPresent(ctx, open.Challenge); err == nil {
				said = time.Now()
			}
		}
		if err == nil {
			version, pause = open.Version, firstPause
			err = p.repost(ctx, s)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrNoPlace):
			return err
		case err != nil:
			s = SeatingState{Server: err}
			version, said = 0, time.Time{}
		}
		if goOn, wrong := seen(s); wrong != nil || !goOn {
			return wrong
		}
		if err == nil {
			select {
			case <-breathe:
			case <-ctx.Done():
			}
			continue
		}
		if p.isForgotten(err) && p.Organiser != nil {
			p.PostOffer(ctx) // the next look shows the result
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		case <-ctx.Done():
		}
	}
}

// isForgotten reports whether the server has forgotten the offer or never had it.
func (p *SeatPlace) isForgotten(err error) bool {
	var problem *client.Problem
	return errors.As(err, &problem) && problem.Slug() == client.NotFound
}

func (p *SeatPlace) readState(ctx context.Context, version uint64) (s SeatingState, open client.OpenOffer, err error) {
	wait := pollTime
	if version == 0 {
		wait = 0
	}
	if p.Organiser != nil {
		wait = min(wait, hereTime)
	}
	if open, err = p.Client.Offer(ctx, p.Offer.Hash, version, wait); err != nil {
		return s, open, err
	}
	s = SeatingState{Away: time.Duration(open.Away) * time.Second, Table: open.Table}
	var called []string
	for _, text := range open.Joins {
		j, err := offer.ParseJoin([]byte(text))
		if err != nil || p.Offer.CheckJoin(j) != nil || p.Offer.IsNamed(called, string(j.Name)) || slices.ContainsFunc(s.Joins, func(k *offer.Join) bool { return k.KeyMaterial() == j.KeyMaterial() }) {
			return s, open, errors.New("the server shows a join that is none, one twice, or two of names that look alike")
		}
		s.Joins, called = append(s.Joins, j), append(called, string(j.Name))
	}
	return s, open, nil
}

// repost posts joins again that the server does not know any more.
func (p *SeatPlace) repost(ctx context.Context, s SeatingState) error {
	if s.Table != nil {
		return nil
	}
	p.mu.Lock()
	mine := slices.Clone(p.mine)
	p.mu.Unlock()
	for _, j := range mine {
		if slices.ContainsFunc(s.Joins, func(k *offer.Join) bool { return k.Hash == j.Hash }) {
			continue
		}
		if _, err := p.Client.PostJoin(ctx, p.Offer.Hash, j.Text); err != nil {
			return noPlace(err)
		}
	}
	return nil
}

// noPlace turns a refusal of a join into ErrNoPlace.
func noPlace(err error) error {
	var problem *client.Problem
	if errors.As(err, &problem) && (problem.Slug() == client.SeatTaken || problem.Slug() == client.NameTaken) {
		return fmt.Errorf("%w: %w", ErrNoPlace, err)
	}
	return err
}

// PostJoin posts a join. The error is ErrNoPlace if there is no place.
func (p *SeatPlace) PostJoin(ctx context.Context, j *offer.Join) error {
	_, err := p.Client.PostJoin(ctx, p.Offer.Hash, j.Text)
	if err == nil {
		p.KeepJoin(j)
	}
	return noPlace(err)
}

// Seats returns the seats of the offer's table: those for whom places are kept, in their order; or
// added ones, then those who joined, as they came. It returns nil if somebody is missing.
func (p *SeatPlace) Seats(s SeatingState, added []string) []offer.Seat {
	keys := p.Offer.Kept
	if keys == nil {
		for _, j := range s.Joins {
			if !slices.Contains(added, j.Key) && len(keys) < p.Offer.Places-len(added) {
				keys = append(keys, j.Key)
			}
		}
		keys = append(keys, added...)
	}
	var seats []offer.Seat
	for _, key := range keys {
		seat, joined := offer.SeatOf(key, s.Joins)
		if !joined && p.Offer.Kept != nil {
			return nil
		}
		seats = append(seats, seat)
	}
	if len(seats) != p.Offer.Places {
		return nil
	}
	return seats
}

// Begin signs the genesis entry. Store it before posting it: a second one would be a second table.
func (p *SeatPlace) Begin(seats []offer.Seat, c table.Catalogue, organiser note.Signer) ([]byte, error) {
	entry, err := wire.Sign(p.Offer.TableGenesis(seats), organiser)
	if err != nil {
		return nil, err
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, err
	}
	_, err = table.Open(e, c)
	return entry, err
}

// SeatedTable is a table that is the offered one.
type SeatedTable struct {
	Table wire.Hash  `json:"table"`
	Names []SeatName `json:"seats"`
}

// PlayAgain offers a table to the players of a finished one, or finds the offer that another of them
// has made: the server takes one of several concurrent offers. keep is called with a new offer before
// it is posted.
func PlayAgain(ctx context.Context, c *client.Client, over *table.State, log, organiser string, signer note.Signer, k table.Catalogue, keep func(*offer.Offer) error) (*offer.Offer, error) {
	terms, err := offer.AgainTerms(over.ID(), over.Genesis(), organiser)
	if err != nil {
		return nil, err
	}
	terms.Log = log
	own, err := NewOffer(terms, k, signer)
	if err == nil {
		err = keep(own)
	}
	if err != nil {
		return nil, err
	}
	open, err := (&SeatPlace{Client: c, Offer: own, Organiser: signer}).PostOffer(ctx)
	if err != nil || open.ID == own.Hash {
		return own, err
	}
	first, err := offer.Parse([]byte(open.Offer))
	if err != nil {
		return nil, err
	}
	if !first.IsAgain(over.ID(), over.Genesis()) || first.Log != log {
		return nil, errors.New("the server shows an offer that is not of the same players and terms")
	}
	return first, nil
}

// SeatName is the name of a seat's player, and whether the player's own signed join was seen;
// otherwise the organiser has added the key.
type SeatName struct {
	Name   string `json:"name"`
	Joined bool   `json:"joined"`
}

// Accept reports whether a table that the server names is the offer's, for the holder of a key.
// before is the table of the same offer at which the holder sits already, or nil. If the table
// differs from the offer, the error is an *offer.Mismatch: the seat has signed nothing there and may
// go on waiting.
func (p *SeatPlace) Accept(ctx context.Context, id wire.Hash, key string, before *wire.Hash, s SeatingState) (*SeatedTable, error) {
	if before != nil && *before != id {
		return nil, &offer.Mismatch{Field: "offer", Why: "you sit at another table of it already"}
	}
	entries, err := New(id, Options{Server: p.Client}).Messages(ctx, id, 0, 0)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &offer.Mismatch{Field: "entry", Why: "the log shows no such table"}
	}
	joins := s.Joins // and those of this program, which a server may leave out
	if p.mu.Lock(); before == nil {
		joins = append(append([]*offer.Join{}, joins...), p.mine...)
	} else {
		joins = nil // they were compared when the seat sat down
	}
	p.mu.Unlock()
	e, err := p.Offer.CheckGenesis(entries[0], key, joins)
	if err == nil && e.Hash != id {
		err = &offer.Mismatch{Field: "entry", Why: "the server shows another table than it names"}
	}
	if err != nil {
		return nil, err
	}
	seated := &SeatedTable{Table: id}
	for i, k := range e.Table.Seats {
		seat, joined := offer.SeatOf(k, joins)
		if before != nil && e.Table.HasActs() {
			seat.Name = e.Table.Names[i]
		}
		seated.Names = append(seated.Names, SeatName{seat.ShownName(), joined})
	}
	return seated, nil
}
