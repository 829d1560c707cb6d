package admission_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
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

// timed is a log in memory with a keeper, and a time that all of them have.
type timed struct {
	*ledgertest.Memory
	t      *testing.T
	key    note.Verifier
	now    time.Time
	keeper *tlog.SignerKey
}

func newTimed(t *testing.T) *timed {
	w := &timed{t: t, now: time.Unix(2_000_000, 0)}
	m := newMemory(t)
	w.Memory, w.key = m.Memory, m.key
	w.keeper = markstest.NewKeeper(t, "anna.example", w.clock)
	return w
}

func (w *timed) clock() time.Time { return w.now }

// cosigned is the newest checkpoint as the keeper has seen it.
func (w *timed) cosigned(by ...*tlog.SignerKey) tlog.Checkpoint {
	w.t.Helper()
	c := testmust.Have(w.Checkpoint(w.t.Context()))(w.t)
	return markstest.Cosign(w.t, c, w.key, by...)
}

func (w *timed) open(index string) *admission.Admission {
	return open(w.t, w, admission.Options{Keys: []note.Verifier{w.key}, Now: w.clock, Index: index, Cosigners: func() []string { return []string{w.keeper.String()} }})
}

// A log full of marks that give nobody a time, or one every moment; and one that refuses what
// would give somebody a time.
func TestPostMark(t *testing.T) {
	w := newTimed(t)
	a := w.open("")
	play(t, a, 2)
	good := markstest.SignMark(t, w.cosigned(w.keeper))
	posted := post(t, a, good)
	testmust.Requiref(t, posted.Hash == wire.HashEntry(good) && posted.Receipt.Index == 3 && !posted.Again, "posted %+v", posted)
	again := post(t, a, good)
	testmust.Holdf(t, again.Again && again.Receipt.Index == 3, "posted again: %+v", again)
	if m, err := a.Mark(posted.Hash); err != nil || m.Index != 3 || m.Size != 3 {
		t.Errorf("mark %+v: %v", m, err)
	} else if at, ok := m.Time(w.keeper.String()); !ok || at != w.now.Unix() {
		t.Errorf("time %d", at)
	}
	early, isMark := errors.AsType[*admission.MarkError](mustFail(t, a, markstest.SignMark(t, w.cosigned(w.keeper))))
	testmust.Holdf(t, isMark && early.Early, "within a second: %v", early)
	w.now = w.now.Add(time.Second)
	stranger := markstest.NewKeeper(t, "stranger.example", w.clock)
	for name, c := range map[string]tlog.Checkpoint{"without a time": w.cosigned(), "with a stranger's": w.cosigned(stranger)} {
		e, is := errors.AsType[*admission.MarkError](mustFail(t, a, markstest.SignMark(t, c)))
		testmust.Holdf(t, is && !e.Early, "%s: %v", name, e)
	}
	_, is := errors.AsType[*admission.FormError](mustFail(t, a, append(good, '\n')))
	testmust.Hold(t, is, "with a line too many it is taken for a mark")
	other := newTimed(t)
	_, is = errors.AsType[*admission.MarkError](mustFail(t, a, markstest.SignMark(t, other.cosigned(w.keeper))))
	testmust.Hold(t, is, "the mark of another log is taken")
	testmust.FailBy(t, testmust.ErrorOf(a.Mark(wire.Hash{1})), keeper.ErrNoMark, "a mark that there is not")
	post(t, a, markstest.SignMark(t, w.cosigned(w.keeper)))
	list := a.Marks(3, math.MaxInt)
	testmust.Holdf(t, len(list) == 1, "all marks after 3: %v", list)
	list = a.Marks(3, 10)
	testmust.Holdf(t, len(list) == 1 && list[0].Index == 4, "marks after 3: %v", list)
}

// A server that forgets at its next start which marks the log has: claims that name them
// would be refused, though every verifier finds them.
func TestMarksAfterRestart(t *testing.T) {
	for _, saved := range []bool{true, false} {
		w, path := newTimed(t), filepath.Join(t.TempDir(), "index")
		a := w.open(path)
		play(t, a, 2)
		first := post(t, a, markstest.SignMark(t, w.cosigned(w.keeper)))
		if saved {
			testmust.Do(t, a.SaveIndex(t.Context()))
		}
		w.now = w.now.Add(time.Minute)
		play(t, a, 1)
		second := post(t, a, markstest.SignMark(t, w.cosigned(w.keeper)))
		again := w.open(path)
		for _, p := range []admission.PostedEntry{first, second} {
			m, err := again.Mark(p.Hash)
			testmust.Holdf(t, err == nil && m.Index == p.Receipt.Index, "saved %v: mark at %d is %+v: %v", saved, p.Receipt.Index, m, err)
		}
		testmust.Equal(t, len(again.Tables(0, 10)), 2, "saved", saved, "tables")
	}
}

// A mark that the log has perhaps taken: until that is known no other goes before it, and the
// index of entries has a gap that nothing may be saved beyond.
func TestMarkInDoubt(t *testing.T) {
	w := newTimed(t)
	log := &shaky{Log: w}
	a := open(t, log, admission.Options{Keys: []note.Verifier{w.key}, Now: w.clock, Cosigners: func() []string { return []string{w.keeper.String()} }})
	play(t, a, 1)
	mark := markstest.SignMark(t, w.cosigned(w.keeper))
	log.fail(nil, errors.New("power failure"))
	testmust.Fail(t, mustFail(t, a, mark), "it is answered")
	got := post(t, a, mark)
	testmust.Holdf(t, got.Receipt.Index == 2 && got.Again, "posted %+v", got)
	m, err := a.Mark(wire.HashEntry(mark))
	testmust.Holdf(t, err == nil && m.Index == 2, "mark %+v: %v", m, err)
}

// Standings that nobody can ever publish, since the log has no times after the last table; and a log that fills with
// times of an event that nobody goes on with.
func TestProtestMarks(t *testing.T) {
	w := newTimed(t)
	a := open(t, w, admission.Options{Keys: []note.Verifier{w.key}, Now: w.clock})
	c := newClub(t)
	terms := *c.announcement(4).Event
	terms.Protest, terms.Clock = 1800, wire.Clock{Keepers: []string{w.keeper.String()}, Lines: []string{}, Quorum: 1, Tick: 5, Move: 60}
	announced := c.sign("club", &terms)
	c.id = announced.Hash
	due := func(want bool, when string) {
		t.Helper()
		keepers, due := a.MarkDue()
		testmust.Holdf(t, due == want && (len(keepers) == 1 || !want), "%s: due %v, of %v", when, due, keepers)
	}
	var head wire.Hash
	decide := func(kind bulletin.DecisionKind, body any) {
		t.Helper()
		p := c.post(a, c.decide(head, kind, body))
		head = p.Hash
	}
	head = c.post(a, announced).Hash
	due(false, "before anything is seated")
	decide(bulletin.DecideDraw, bulletin.DrawBody{Secret: []byte("secret")})
	decide(bulletin.DecideRound, bulletin.SeatingBody{Round: 1, Part: 1, Parts: 1, Upto: 1, Tables: [][]int{}, Byes: []int{}})
	due(true, "when the last round is seated")
	post(t, a, markstest.SignMark(t, w.cosigned(w.keeper)))
	due(false, "within a tick")
	w.now = w.now.Add(time.Minute)
	due(true, "a minute later")
	w.now = w.now.Add(3 * time.Hour)
	due(false, "when nobody has gone on for hours")
	decide(bulletin.DecideRemark, bulletin.RemarkBody{Text: "The cosigners were away."})
	due(true, "when somebody goes on")
	restarted := func() bool {
		again := open(t, w, admission.Options{Keys: []note.Verifier{w.key}, Now: w.clock})
		_, wanted := again.MarkDue()
		return wanted
	}
	testmust.Hold(t, restarted(), "after a restart there are no marks before somebody asks for the event")
	decide(bulletin.DecideFinal, bulletin.FinalBody{Upto: 1, Standings: c.id.String()})
	due(false, "after the standings")
	testmust.Hold(t, !restarted(), "after a restart there are marks, after the standings")
}

// Somebody who enters an event twice with one key, or a stranger who comes first under a player's name and keeps
// the player out.
func TestSecondRegistration(t *testing.T) {
	a, c := open(t, newMemory(t), admission.Options{}), newClub(t)
	c.post(a, c.announcement(5))
	as := func(by, name, club string) *bulletin.Entry {
		body := testmust.Have(wire.EncodeBody(bulletin.RegisterBody{Name: wire.Text(name), Club: wire.Text(club)}))(t)
		return c.sign(by, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: c.id, Seen: c.id, By: c.key(by), Kind: bulletin.Register, Body: body})
	}
	namesake := func(e *bulletin.Entry, want *uint64) {
		t.Helper()
		got := testmust.Have(a.Namesake(t.Context(), e))(t)
		testmust.Holdf(t, (got == nil) == (want == nil) && (got == nil || *got == *want), "namesake at %v, want %v", got, want)
	}
	stranger, anna := as("stranger", "kovács anna", "Pagát SE"), as("anna", "Kovács Anna", "Pagát SE")
	first := c.post(a, stranger).Receipt.Index
	namesake(stranger, nil)
	second := c.post(a, anna).Receipt.Index
	namesake(anna, &first)
	namesake(stranger, &second)
	_, err := a.Post(t.Context(), as("anna", "Szabó Panna", ""))
	refused, is := errors.AsType[*admission.EventRefusal](err)
	testmust.Holdf(t, is && strings.Contains(refused.Error(), "this key has registered"), "%v", err)
	other := as("namesake", "Kovács Anna", "Skíz Klub")
	c.post(a, other)
	namesake(other, nil)
	body := testmust.Have(wire.EncodeBody(bulletin.RoundBody{Round: 1}))(t)
	c.post(a, c.sign("anna", &bulletin.Notice{Format: bulletin.NoticeFormat, Event: c.id, Seen: c.id, By: c.key("anna"), Kind: bulletin.Withdraw, Body: body}))
	namesake(stranger, nil)
	c.post(a, as("anna", "Szabó Panna", ""))
}
