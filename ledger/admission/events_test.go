package admission_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// club signs entries of an event of its own.
type club struct {
	t       *testing.T
	signers map[string]note.Signer
	keys    map[string]string
	id      wire.Hash
}

func newClub(t *testing.T) *club {
	return &club{t: t, signers: map[string]note.Signer{}, keys: map[string]string{}}
}

func (c *club) key(name string) string {
	if c.keys[name] == "" {
		seed := sha256.Sum256([]byte(name))
		skey, vkey, err := note.GenerateKey(strings.NewReader(string(seed[:])), name)
		testmust.Do(c.t, err)
		c.signers[name] = testmust.Have(note.NewSigner(skey))(c.t)
		c.keys[name] = vkey
	}
	return c.keys[name]
}

func (c *club) sign(by string, what any) *wire.Entry {
	c.key(by)
	entry := testmust.Have(wire.Sign(what, c.signers[by]))(c.t)
	return parse(c.t, entry)
}

func (c *club) announcement(max int) *wire.Entry {
	commit := sha256.Sum256([]byte("secret"))
	e := c.sign("club", &wire.Event{
		Format: wire.EventFormat, Name: "Cup", Game: "schwarzer-peter/v1", Suite: newParty(c.t, wire.RefuseFouls).State.Suite().Name(), Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []wire.Seating{wire.SeatAtRandom}, Draw: wire.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: wire.ScoreSum, Places: []int{},
		Ties: []wire.Tie{}, Substitute: wire.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: wire.Registration{Max: max}, Arbiters: []string{}, Jury: []string{}, Organiser: c.key("club"), Nonce: make([]byte, wire.NonceBytes),
	})
	c.id = e.Hash
	return e
}

func (c *club) register(name string) *wire.Entry {
	body, _ := wire.EncodeBody(wire.RegisterBody{Name: wire.Text(name)})
	return c.sign(name, &wire.Notice{Format: wire.NoticeFormat, Event: c.id, Seen: c.id, By: c.key(name), Kind: wire.Register, Body: body})
}

func (c *club) decide(parent wire.Hash, kind wire.DecisionKind, what any) *wire.Entry {
	body := testmust.Have(wire.EncodeBody(what))(c.t)
	return c.sign("club", &wire.Decision{Format: wire.DecisionFormat, Event: c.id, Parent: parent, By: c.key("club"), Kind: kind, Body: body})
}

func (c *club) post(a *admission.Admission, e *wire.Entry) admission.Posted {
	c.t.Helper()
	return testmust.Have(a.PostEvent(c.t.Context(), e))(c.t)
}

// roster accepts whoever waits.
func (c *club) roster(a *admission.Admission) *wire.Entry {
	var e *wire.Entry
	testmust.Do(c.t, a.Event(c.t.Context(), c.id, func(h *event.History, entries []admission.Entry) {
		e = c.decide(h.Head, wire.DecideRoster, h.NextRoster(entries[len(entries)-1].Index+1))
	}))
	return e
}

// A notice, which nobody has looked at, that comes into the log before the event that it is of.
func TestNoticeBeforeItsEvent(t *testing.T) {
	log := &shaky{Log: newMemory(t)}
	a := open(t, log, admission.Options{})
	c := newClub(t)
	announcement := c.announcement(30)
	log.fail(tlog.ErrBusy, nil)
	_, err := a.PostEvent(t.Context(), announcement)
	testmust.FailBy(t, err, tlog.ErrBusy, "announced in a log that is busy")
	if p, err := a.PostEvent(t.Context(), c.register("early")); !unknownEvent(err) {
		t.Errorf("a notice of no event: %+v, %v", p, err)
	}
	if p := c.post(a, announcement); p.Receipt.Index != 0 || p.N != 0 {
		t.Errorf("announced as %+v", p)
	}
}

func unknownEvent(err error) bool {
	_, ok := errors.AsType[*admission.UnknownEventError](err)
	return ok
}

// An event that is lost when the server starts again, with an index or without one, or that
// is listed as a table.
func TestEventsAfterRestart(t *testing.T) {
	log := newMemory(t)
	index := filepath.Join(t.TempDir(), "index")
	a, _ := opened(t, log, index)
	c := newClub(t)
	c.post(a, c.announcement(1))
	c.post(a, c.register("anna"))
	c.post(a, c.register("bela"))
	c.post(a, c.roster(a))
	play(t, a, 3)
	testmust.Do(t, a.Save(t.Context()))
	for _, index := range []string{index, ""} {
		again, _ := opened(t, log, index)
		if list := again.Tables(0, 10); len(list) != 1 {
			t.Errorf("tables: %+v", list)
		}
		if list := again.Events(0, 10); len(list) != 1 || list[0].ID != c.id {
			t.Errorf("events: %+v", list)
		}
		testmust.Do(t, again.Event(t.Context(), c.id, func(h *event.History, entries []admission.Entry) {
			if len(entries) != 4 || len(h.Players) != 1 || len(h.Void) != 0 {
				t.Errorf("%d entries, %d players", len(entries), len(h.Players))
			}
		}))
		if _, err := again.PostEvent(t.Context(), c.register("csilla")); err == nil {
			t.Error("the event takes more players than it has room for")
		} else if _, full := errors.AsType[*admission.EventFullError](err); !full {
			t.Error(err)
		}
	}
}
