package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// How long a seat's program counts as there after it was heard of, and how long a challenge is that of now.
const (
	heardFor     = 30 * time.Second
	challengeFor = time.Minute
)

// presence is which seats' programs this server has heard of lately (70.17). It decides nothing.
type presence struct {
	clock  func() time.Time
	secret []byte // of challenges

	mu    sync.Mutex
	heard map[wire.Hash]map[string]time.Time // by table or open table, and verifier key
	swept time.Time
}

func newPresence(clock func() time.Time) *presence {
	p := &presence{clock: clock, secret: make([]byte, sha256.Size), heard: map[wire.Hash]map[string]time.Time{}, swept: clock()}
	rand.Read(p.secret)
	return p
}

// challenge is that of a table, before so many times. It is kept nowhere: strangers who ask take no room.
func (p *presence) challenge(id wire.Hash, before int64) []byte {
	mac := hmac.New(sha256.New, p.secret)
	mac.Write(id[:])
	binary.Write(mac, binary.BigEndian, p.clock().Unix()/int64(challengeFor/time.Second)-before)
	return mac.Sum(nil)[:wire.NonceBytes]
}

// isCurrent reports whether a challenge is that of now, or the one before.
func (p *presence) isCurrent(id wire.Hash, challenge []byte) bool {
	return hmac.Equal(challenge, p.challenge(id, 0)) || hmac.Equal(challenge, p.challenge(id, 1))
}

func (p *presence) note(id wire.Hash, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock()
	if now.Sub(p.swept) > heardFor {
		p.swept = now
		for other := range p.heard {
			p.forgetSilent(other)
		}
	}
	if p.heard[id] == nil {
		p.heard[id] = map[string]time.Time{}
	}
	p.heard[id][key] = now
}

// forgetSilent forgets who was not heard of lately. The caller holds mu.
func (p *presence) forgetSilent(id wire.Hash) {
	for key, at := range p.heard[id] {
		if p.clock().Sub(at) > heardFor {
			delete(p.heard[id], key)
		}
	}
	if len(p.heard[id]) == 0 {
		delete(p.heard, id)
	}
}

// among are those of these keys that were heard of, each by its place.
func (p *presence) among(id wire.Hash, keys []string) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgetSilent(id)
	there := []int{}
	for i, key := range keys {
		if _, heard := p.heard[id][key]; heard {
			there = append(there, i)
		}
	}
	return there
}

// keysAt are the keys of the seats of a table, or of who has joined an open one.
func (s *offerAPI) keysAt(ctx context.Context, id wire.Hash) (keys []string, err error) {
	if open, err := s.offers.get(id); err == nil {
		return open.Keys, nil
	}
	t, err := s.admission.Table(ctx, id)
	if err != nil {
		return nil, err
	}
	for seat := range table.Seat(t.State.Seats()) {
		keys = append(keys, t.State.HolderKey(seat))
	}
	return keys, nil
}

func (s *offerAPI) presenceDocument(id wire.Hash, keys []string) client.Presence {
	d := client.Presence{Challenge: s.presence.challenge(id, 0), Present: []string{}}
	for _, i := range s.presence.among(id, keys) {
		d.Present = append(d.Present, keys[i])
	}
	return d
}

// getPresent shows who is there.
func (s *offerAPI) getPresent(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	keys, err := s.keysAt(r.Context(), id)
	if err != nil {
		return err
	}
	s.answer(w, r, http.StatusOK, s.presenceDocument(id, keys))
	return nil
}

// postSeatPresent hears that the program of a seat is there.
func (s *offerAPI) postSeatPresent(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	doc, err := s.takeDocument(w, r)
	if err != nil {
		return err
	}
	answer, again, err := s.hearOfSeat(r.Context(), id, doc)
	if err != nil {
		return err
	}
	s.answer(w, r, postStatus(again), answer)
	return nil
}

// hearOfSeat takes the word of a seat. again: it answered another challenge, and nothing has changed.
func (s *offerAPI) hearOfSeat(ctx context.Context, id wire.Hash, doc []byte) (d client.Presence, again bool, err error) {
	said, err := offer.ParsePresent(doc)
	if err == nil && said.Offer != id {
		err = errors.New("it is about another table than this one")
	}
	if err != nil {
		return d, false, problem(client.MalformedEntry, "%v", err)
	}
	keys, err := s.keysAt(ctx, id)
	if err != nil {
		return d, false, err
	}
	if again = !s.presence.isCurrent(id, said.Challenge); !again {
		i := slices.IndexFunc(keys, said.IsSignedBy)
		if i < 0 {
			return d, false, problem(client.RefusedMessage, "it is signed by no seat of this table")
		}
		s.presence.note(id, keys[i])
	}
	return s.presenceDocument(id, keys), again, nil
}
