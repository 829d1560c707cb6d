package admission_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// catalogue has the real games, over the suite that hides nothing: admission
// knows no mathematics.
var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

var seed atomic.Uint64

// party is a table with all of its players in one place.
type party struct {
	*tabletest.Table
	t testing.TB
}

func newParty(t testing.TB, fouls wire.FoulRule) *party {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: fouls}, seed.Add(1)))(t)
	return &party{p, t}
}

func (p *party) id() wire.Hash   { return p.State.ID() }
func (p *party) genesis() []byte { return p.Entries[0] }

// otherwise returns the genesis entry with something else in it.
func (p *party) otherwise(edit func(*wire.Genesis)) []byte {
	p.t.Helper()
	g := *parse(p.t, p.genesis()).Table
	edit(&g)
	return testmust.Have(wire.Sign(&g, p.Organiser))(p.t)
}

// next returns a message that is due.
func (p *party) next() []byte {
	p.t.Helper()
	return testmust.Have(p.Next())(p.t)
}

// key returns a seat's card key, due at the beginning.
func (p *party) key(seat table.Seat) []byte {
	p.t.Helper()
	return testmust.Have(p.HonestMessage(seat, p.State.DutiesOf(seat)[0], nil))(p.t)
}

// applied moves the players on.
func (p *party) applied(entry []byte) {
	p.t.Helper()
	testmust.Do(p.t, p.Add(entry))
}

// forge changes a message, signed by its seat.
func (p *party) forge(entry []byte, change func(*wire.Message)) []byte {
	p.t.Helper()
	return testmust.Have(p.Forge(entry, change))(p.t)
}

// foul makes the first proof of a message wrong, or adds one that is not due.
func (p *party) foul(entry []byte) []byte {
	return p.forge(entry, func(m *wire.Message) {
		if len(m.Proofs) == 0 {
			m.Proofs = [][]byte{{1}}
		}
		m.Proofs[0][0] ^= 0x80
	})
}

func parse(t testing.TB, entry []byte) *bulletin.Entry {
	t.Helper()
	return testmust.Have(bulletin.Parse(entry))(t)
}

// shaky is a log whose Append can be made to fail, or to panic, before and after the fact.
type shaky struct {
	tlog.Log
	mu            sync.Mutex
	before, after error // of the next Append
	appends       int
}

func (s *shaky) fail(before, after error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
}

func (s *shaky) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	s.mu.Lock()
	before, after := s.before, s.after
	s.before, s.after = nil, nil
	s.appends++
	s.mu.Unlock()
	if before == errPanics {
		panic(before)
	} else if before != nil {
		return tlog.Receipt{}, before
	}
	r, err := s.Log.Append(ctx, entry)
	if after == errPanics {
		panic(after)
	} else if after != nil {
		return tlog.Receipt{}, after
	}
	return r, err
}

func open(t testing.TB, log tlog.Log, o admission.Options) *admission.Admission {
	t.Helper()
	return testmust.Have(admission.Open(t.Context(), log, catalogue, o))(t)
}

// postAs posts bytes as a server does.
func postAs(ctx context.Context, a *admission.Admission, parcel []byte) (admission.PostedEntry, error) {
	if wire.BeginsMark(parcel) {
		return a.PostMark(ctx, parcel)
	}
	e, err := bulletin.Parse(parcel)
	if err != nil {
		return admission.PostedEntry{}, err
	}
	return a.Post(ctx, e)
}

func post(t testing.TB, a *admission.Admission, entry []byte) admission.PostedEntry {
	t.Helper()
	return testmust.Have(postAs(t.Context(), a, entry))(t)
}

// entries returns what the log shows of a table.
func entries(t testing.TB, a *admission.Admission, id wire.Hash) []admission.LoggedEntry {
	t.Helper()
	var list []admission.LoggedEntry
	for e, err := range a.Entries(t.Context(), admission.Subject{ID: id}, 0) {
		testmust.Do(t, err)
		list = append(list, e)
	}
	return list
}

// size is the number of entries in the log.
func size(t testing.TB, log tlog.Reader) uint64 {
	t.Helper()
	return testmust.Have(log.Checkpoint(t.Context()))(t).Size
}

// memory is a log in memory whose operator is dishonest.
type memory struct {
	*ledgertest.Memory
	t   testing.TB
	key note.Verifier
}

func newMemory(t testing.TB) *memory {
	log, key, err := ledgertest.NewMemory("log.example")
	testmust.Do(t, err)
	return &memory{log, t, key}
}

// put appends without asking anybody.
func (m *memory) put(entry []byte) uint64 { return testmust.Have(m.PutAnyway(entry))(m.t) }

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

func (c *club) sign(by string, what any) *bulletin.Entry {
	c.key(by)
	entry := testmust.Have(bulletin.Sign(what, c.signers[by]))(c.t)
	return parse(c.t, entry)
}

func (c *club) announcement(max int) *bulletin.Entry {
	commit := sha256.Sum256([]byte("secret"))
	e := c.sign("club", &bulletin.Event{
		Format: bulletin.EventFormat, Name: "Cup", Game: "schwarzer-peter/v1", Suite: newParty(c.t, wire.RefuseFouls).State.Suite().Name(), Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []bulletin.Seating{bulletin.SeatAtRandom}, Draw: bulletin.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: bulletin.ScoreSum, Places: []int{},
		Ties: []bulletin.Tie{}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: max}, Arbiters: []string{}, Jury: []string{}, Organiser: c.key("club"), Nonce: make([]byte, wire.NonceBytes),
	})
	c.id = e.Hash
	return e
}

func (c *club) register(name string) *bulletin.Entry {
	body, _ := wire.EncodeBody(bulletin.RegisterBody{Name: wire.Text(name)})
	return c.sign(name, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: c.id, Seen: c.id, By: c.key(name), Kind: bulletin.Register, Body: body})
}

func (c *club) decide(parent wire.Hash, kind bulletin.DecisionKind, what any) *bulletin.Entry {
	body := testmust.Have(wire.EncodeBody(what))(c.t)
	return c.sign("club", &bulletin.Decision{Format: bulletin.DecisionFormat, Event: c.id, Parent: parent, By: c.key("club"), Kind: kind, Body: body})
}

func (c *club) post(a *admission.Admission, e *bulletin.Entry) admission.PostedEntry {
	c.t.Helper()
	return testmust.Have(a.Post(c.t.Context(), e))(c.t)
}

// roster accepts whoever waits.
func (c *club) roster(a *admission.Admission) *bulletin.Entry {
	var e *bulletin.Entry
	testmust.Do(c.t, a.Event(c.t.Context(), c.id, func(h *event.History, entries []admission.Entry) {
		e = c.decide(h.Head, bulletin.DecideRoster, h.NextRoster(entries[len(entries)-1].Index+1))
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
	_, err := a.Post(t.Context(), announcement)
	testmust.FailBy(t, err, tlog.ErrBusy, "announced in a log that is busy")
	p, err := a.Post(t.Context(), c.register("early"))
	testmust.Holdf(t, unknownEvent(err), "a notice of no event: %+v, %v", p, err)
	p = c.post(a, announcement)
	testmust.Holdf(t, p.Receipt.Index == 0 && p.N == 0, "announced as %+v", p)
}

func unknownEvent(err error) bool {
	_, ok := errors.AsType[*admission.UnknownError](err)
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
	testmust.Do(t, a.SaveIndex(t.Context()))
	for _, index := range []string{index, ""} {
		again, _ := opened(t, log, index)
		list := again.Tables(0, 10)
		testmust.Holdf(t, len(list) == 1, "tables: %+v", list)
		list = again.Events(0, 10)
		testmust.Holdf(t, len(list) == 1 && list[0].ID == c.id, "events: %+v", list)
		testmust.Do(t, again.Event(t.Context(), c.id, func(h *event.History, entries []admission.Entry) {
			testmust.Holdf(t, len(entries) == 4 && len(h.Players) == 1 && len(h.Void) == 0, "%d entries, %d players", len(entries), len(h.Players))
		}))
		if _, err := again.Post(t.Context(), c.register("csilla")); err == nil {
			t.Error("the event takes more players than it has room for")
		} else if _, full := errors.AsType[*admission.FullError](err); !full {
			t.Error(err)
		}
	}
}

// An entry of an event that the log perhaps has: who waits for it learns of it though its sender has gone, what came
// after it has its place behind it, and the same bytes again are told so.
func TestDoubtsOfAnEvent(t *testing.T) {
	log := &shaky{Log: newMemory(t)}
	a := open(t, log, admission.Options{})
	c := newClub(t)
	log.fail(nil, errLost)
	announcement := c.announcement(30)
	testmust.FailBy(t, testmust.ErrorOf(a.Post(t.Context(), announcement)), errLost)
	p := c.post(a, c.register("anna"))
	testmust.Holdf(t, p.N == 1, "after the announcement that was lost: %+v", p)
	lost := c.register("bela")
	log.fail(nil, errLost)
	testmust.FailBy(t, testmust.ErrorOf(a.Post(t.Context(), lost)), errLost)
	testmust.Do(t, a.Wait(t.Context(), admission.Subject{ID: c.id, Event: true}, 2))
	p = c.post(a, lost)
	testmust.Holdf(t, p.Again && p.N == 2, "the lost one again: %+v", p)
	p = c.post(a, announcement)
	testmust.Holdf(t, p.Again && p.N == 0, "the announcement again: %+v", p)
	testmust.Fail(t, a.Wait(t.Context(), admission.Subject{ID: c.id}, 0), "an event is a table")
	testmust.Fail(t, testmust.ErrorOf(a.Table(t.Context(), c.id)), "an event is a table")
}
