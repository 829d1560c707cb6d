package admission_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

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
