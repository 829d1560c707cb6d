package events_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// files are the bundles of an event.
type files struct {
	event  *bundle.Bundle
	tables map[string]*bundle.Bundle // by name
}

// bundled writes the bundles of an event and reads them again.
func (h *hall) bundled() files {
	h.t.Helper()
	c, keys := h.shown()
	f := files{h.eventBundle(), map[string]*bundle.Bundle{}}
	if len(f.event.Tables) == 0 {
		return f
	}
	list := testmust.Have(bundle.CollectAll(h.t.Context(), h, c, f.event.Tables, keys, math.MaxInt))(h.t)
	for _, t := range list {
		f.tables[t.Table.String()] = h.reread(t)
	}
	return f
}

// shown returns the current checkpoint of the log, and the key that verifies it.
func (h *hall) shown() (tlog.Checkpoint, bundle.Keys) {
	h.t.Helper()
	c := testmust.Have(h.Checkpoint(h.t.Context()))(h.t)
	key := testmust.Have(tlog.ParseLogKey(h.keys["log.example"]))(h.t)
	return c, bundle.Keys{Log: []*tlog.VerifierKey{key}}
}

// eventBundle returns the bundle of the event without those of its tables.
func (h *hall) eventBundle() *bundle.Bundle {
	h.t.Helper()
	c, keys := h.shown()
	b := testmust.Have(bundle.CollectEvent(h.t.Context(), h, c, h.id, keys, func(ctx context.Context) (map[wire.Hash]uint64, error) {
		return events.TableEnds(ctx, h, h.options())
	}))(h.t)
	return h.reread(b)
}

// reread returns a bundle as its recipient reads it.
func (h *hall) reread(b *bundle.Bundle) *bundle.Bundle {
	file := b.Marshal()
	again, err := bundle.Parse(file)
	testmust.Requiref(h.t, err == nil && bytes.Equal(again.Marshal(), file), "a bundle is read as another one: %v", err)
	return again
}

func (f files) verify(o events.Options) (*events.VerifiedEvent, error) {
	open := func(name string) (tableset.Extract, wire.Hash, error) {
		b := f.tables[name]
		return bundle.Reader{Bundle: b}, b.Table, nil
	}
	var names []string
	for name := range f.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	return events.VerifyShown(context.Background(), events.Extract{Extract: bundle.Reader{Bundle: f.event}, Tables: f.event.Tables}, names, open, o)
}

// without returns the event's bundle without the entries that contain a text, well formed otherwise.
func (h *hall) without(text string) *bundle.Bundle {
	b := *h.eventBundle()
	all := len(b.Entries)
	b.Entries = slices.DeleteFunc(slices.Clone(b.Entries), func(e bundle.Entry) bool { return bytes.Contains(e.Bytes, []byte(text)) })
	testmust.Requiref(h.t, len(b.Entries) != all, "no entry has %q", text)
	chosen := map[int]bool{}
	for _, e := range b.Entries {
		chosen[int(e.Index)] = true
	}
	for _, m := range b.Marks {
		chosen[int(m.Index)] = true
	}
	_, b.Hashes = h.proof(chosen, 0, len(h.entries))
	made := testmust.Have(bundle.New(b))(h.t)
	return h.reread(made)
}

// proof returns the root of n entries of the log from entry "from" on, and the hashes that prove the
// chosen ones (85.3).
func (h *hall) proof(chosen map[int]bool, from, n int) (root tlog.Hash, hashes []tlog.Hash) {
	some := false
	for i := from; i < from+n; i++ {
		some = some || chosen[i]
	}
	if n == 1 {
		root = tlog.LeafHash(h.entries[from])
	} else {
		k := 1 << (bits.Len(uint(n-1)) - 1)
		left, first := h.proof(chosen, from, k)
		right, second := h.proof(chosen, from+k, n-k)
		root, hashes = sumdb.NodeHash(left, right), append(first, second...)
	}
	if !some {
		hashes = []tlog.Hash{root}
	}
	return root, hashes
}

// told returns a report of an event without the line that says what was shown.
func told(t *testing.T, v *events.VerifiedEvent, tag string) string {
	t.Helper()
	l, _ := report.LanguageOf(tag)
	var b bytes.Buffer
	r := results.Sum(v, l, event.LeftOutLayers{})
	if v.Shown != nil {
		r.Notes = slices.DeleteFunc(r.Notes, func(s string) bool {
			return strings.HasPrefix(s, "As shown") || strings.HasPrefix(s, "Wie gezeigt") || strings.HasPrefix(s, "Ahogy látszik")
		})
	}
	testmust.Do(t, errors.Join(r.Text(&b), r.CSV(&b), r.HTML(&b)))
	return b.String()
}

// At any time of an event's life, its bundles must give the same report as the log.
func TestBundlesSayTheSame(t *testing.T) {
	open := newHall(t)
	open.register("player-1")
	playing := cup(t)
	late := cup(t)
	late.register("late")
	ruled := cupWith(t, func(h *hall, g *wire.Genesis) { h.begin(g, 12) })
	ruled.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{Player: 1}, Do: bulletin.RulePenalty, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}})
	final := cup(t)
	final.entries = append(final.entries, []byte("rubbish"))
	for _, h := range []*hall{late, ruled, final} {
		h.final()
	}
	for name, h := range map[string]*hall{"open": open, "playing": playing, "unanswered": late, "ruled": ruled, "confirmed": final} {
		t.Run(name, func(t *testing.T) {
			want := h.verify()
			got := testmust.Have(h.bundled().verify(h.options()))(t)
			testmust.Holdf(t, got.Verdict == want.Verdict && got.Digest == want.Digest && got.ExitCode() == want.ExitCode(),
				"%s %s, the log says %s %s", got.Verdict, got.Digest, want.Verdict, want.Digest)
			for _, tag := range report.Languages() {
				testmust.Equal(t, told(t, got, tag), told(t, want, tag), "the log says")
			}
		})
	}
}

// The maker of the files leaves out the end, or a notice, which nobody can see and the report says
// so. Visible omissions are in the vectors. (Attack 34)
func TestBundlesLackSomething(t *testing.T) {
	h := cup(t)
	h.register("late")
	h.final()
	f := h.bundled()
	f.event = h.without(`"by":"late+`)
	v, err := f.verify(h.options())
	testmust.Holdf(t, err == nil && v.Verdict == event.Confirmed && v.Shown != nil && v.Shown.Entries == len(f.event.Entries),
		"without a registration: %v, %+v", err, v)
	l, _ := report.LanguageOf("en")
	if r := results.Sum(v, l, event.LeftOutLayers{}); !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.HasPrefix(s, "As shown: ") }) {
		t.Errorf("nothing says what was shown: %q", r.Notes)
	}
	f.event = h.without(`"kind":"final"`)
	testmust.Equal(t, testmust.Have(f.verify(h.options()))(t, "without the end").Verdict, event.NotFinal, "without the end")
}

// Bundles of a log that signed two histories, and of an unknown log.
func TestBundlesOfOthers(t *testing.T) {
	h := cup(t)
	h.final()
	f := h.bundled()
	stranger := h.options()
	stranger.Log = []note.Verifier{mustVerifier(t, h.key("club"))}
	testmust.Fail(t, testmust.ErrorOf(f.verify(stranger)), "a log that nobody believes")
	f = h.bundled()
	h.entries[len(h.entries)-1] = []byte("rubbish")
	f.event = h.eventBundle()
	v, err := f.verify(h.options())
	testmust.Holdf(t, err == nil && v.Log.Verdict == verifier.LogBroken || err != nil && strings.Contains(err.Error(), "another checkpoint"),
		"two histories: %v", err)
}

func mustVerifier(t *testing.T, vkey string) note.Verifier {
	t.Helper()
	return testmust.Have(note.NewVerifier(vkey))(t)
}

// An organiser publishes before the time to appeal is over, or is wrongly said to have done so, by
// the log or by its bundles.
func TestTimeToAppeal(t *testing.T) {
	for name, c := range map[string]struct {
		seconds int
		want    event.Outcome
	}{"kept": {61, event.Passed}, "too short": {59, event.Departed}} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1_000_000, 0)
			keeper := markstest.NewKeeper(t, "keeper", func() time.Time { return now })
			h := newHall(t, func(h *hall, _ *bulletin.Event) {
				h.terms.Protest = 60
				h.terms.Clock = wire.Clock{Keepers: []string{keeper.VerifierKey.String()}, Quorum: 1, Lines: []string{}, Tick: 5, Move: 60}
			})
			h.register("player-1")
			mark := func() {
				c := testmust.Have(h.Checkpoint(context.Background()))(t)
				h.entries = append(h.entries, markstest.SignMark(t, markstest.Cosign(t, c, h.logKey, keeper)))
			}
			mark()
			h.decide("organiser", bulletin.DecideRoster, h.verify().History.NextRoster(h.size()))
			h.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{}, Do: bulletin.RuleCorrect, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "Spelt otherwise."})
			mark()
			now = now.Add(time.Duration(c.seconds+1) * time.Second)
			mark()
			h.final()
			now = now.Add(time.Hour)
			mark()
			shown := testmust.Have(h.bundled().verify(h.options()))(t)
			for _, v := range []*events.VerifiedEvent{h.verify(), shown} {
				at := slices.IndexFunc(v.Checks, func(c event.CheckResult) bool { return c.ID == event.CheckAppeals })
				testmust.Equal(t, v.Checks[at].Outcome, c.want, v.Checks[at], v.Departures)
			}
		})
	}
}

// A score sheet made from files shows no time, or another time than one made from the log.
func TestBundlesShowTimes(t *testing.T) {
	w := new(watch)
	h := newHall(t, w.clocked)
	for _, name := range []string{"anna", "bela", "csilla", "dezso", "elek", "flora"} {
		h.register(name)
	}
	h.accept()
	r := h.seat().History.Rounds[0]
	for n := range r.Tables {
		for range 3 { // the last one tells most
			w.mark(h)
			w.now = w.now.Add(time.Minute)
		}
		h.begin(h.now().History.TableGenesis(1, n+1), -1)
		for range 3 {
			w.mark(h)
			w.now = w.now.Add(time.Minute)
		}
	}
	shown := testmust.Have(h.bundled().verify(h.options()))(h.t)
	l, _ := report.LanguageOf("en")
	log, whole := results.Sum(shown, l, event.LeftOutLayers{}), h.verify()
	for _, s := range whole.Judgement.Tables {
		want := results.Sum(whole, l, event.LeftOutLayers{}).Place(whole, s.Table.ID).Times
		got := log.Place(shown, s.Table.ID).Times
		testmust.Holdf(t, want != "" && got == want, "table %d: %q, the log says %q", s.Number, got, want)
	}
	testmust.Equal(t, len(h.eventBundle().Marks), 4, "marks for two tables one after the other, each within two times")
}

// Ways to cheat: the log has a void entry of a finished table just before or after the final
// standings; a bundle says that the organiser did not give the time to appeal that the log shows.
func TestBundlesEndTablesAsTheLogDoes(t *testing.T) {
	for name, before := range map[string]bool{"before the final": true, "after it": false} {
		t.Run(name, func(t *testing.T) {
			w := new(watch)
			h := newHall(t, w.clocked, func(h *hall, e *bulletin.Event) { e.Rounds, e.Seating, e.Protest = 1, e.Seating[:1], 600 })
			for _, name := range []string{"anna", "bela", "csilla"} {
				h.register(name)
			}
			h.accept()
			h.seat()
			w.mark(h)
			table := h.open(h.now().History.TableGenesis(1, 1))
			h.must(table.Play(-1))
			h.entries = append(h.entries, table.Entries[0])
			w.mark(h) // while it is played
			h.entries = append(h.entries, table.Entries[1:]...)
			for range 15 {
				w.mark(h)
				w.now = w.now.Add(time.Minute)
			}
			w.mark(h)
			again := func() {
				h.entries = append(h.entries, table.Entries[1])
				w.mark(h)
			}
			if before {
				again()
			}
			h.final()
			w.mark(h)
			if !before {
				again()
			}
			for _, v := range []*events.VerifiedEvent{h.verify(), testmust.Have(h.bundled().verify(h.options()))(t)} {
				at := slices.IndexFunc(v.Checks, func(c event.CheckResult) bool { return c.ID == event.CheckAppeals })
				testmust.Equal(t, v.Checks[at].Outcome, event.Passed, v.Checks[at], v.Departures)
			}
		})
	}
}

// growing shows the entries that a hall's log has so far.
type growing struct {
	*hall
	size  uint64
	read  uint64 // entries shown
	fails uint64 // one read fails before this index; 0: none
	lies  bool   // alters what it shows
}

func (g *growing) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	return (&hall{entries: g.entries[:g.size], log: g.log}).Checkpoint(context.Background())
}

func (g *growing) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i, e := range g.entries[start:end] {
			if at := start + uint64(i); g.fails != 0 && at >= g.fails {
				g.fails = 0
				yield(nil, errors.New("the network is away"))
				return
			}
			if e = bytes.Clone(e); g.lies {
				e[len(e)-1] ^= 1
			}
			if g.read++; !yield(e, nil) {
				return
			}
		}
	}
}

// An organiser's program that follows a log in play must come to the same judgement as a later
// reader. It must not read the whole log at every look, and must not take a broken connection, an
// older copy or an altered entry for the event.
func TestLive(t *testing.T) {
	h := cup(t)
	h.final()
	g := &growing{hall: h, size: 3}
	live := events.NewLive(t.Context(), g, h.options())
	for g.size < h.size() {
		g.size = min(g.size+37, h.size())
		if g.size > 100 && g.read < 100 {
			g.fails = g.read + 5
		}
		v, err := live.Look(t.Context())
		if err != nil {
			v, err = live.Look(t.Context()) // again, after the connection broke
		}
		testmust.Do(t, err)
		read := g.read
		want := testmust.Have(events.Verify(t.Context(), g, h.options()))(t)
		g.read = read
		testmust.Requiref(t, v.Verdict == want.Verdict && v.Digest == want.Digest && reflect.DeepEqual(v.Draws, want.Draws) && reflect.DeepEqual(v.Departures, want.Departures) && len(v.Sheets) == len(want.Sheets),
			"of %d entries %s %v, and afterwards %s %v", g.size, v.Verdict, v.Departures, want.Verdict, want.Departures)
		for i, s := range v.Sheets {
			testmust.Requiref(t, reflect.DeepEqual(s, want.Sheets[i]), "of %d entries a table came to %+v, and afterwards to %+v", g.size, s, want.Sheets[i])
		}
	}
	v, err := live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Verdict == event.Confirmed && g.read == h.size(), "%v, %v: %d entries were read of %d", v, err, g.read, h.size())
	g.size -= 5
	testmust.Fail(t, testmust.ErrorOf(live.Look(t.Context())), "an older copy of the log is taken")
	h.entries = append(h.entries, []byte("more"))
	g.size, g.lies = h.size(), true
	for range 2 {
		if v, err := live.Look(t.Context()); err != nil || v.Log.Verdict != verifier.LogBroken || v.ExitCode() != 5 {
			t.Errorf("of a log that shows other entries than it signed: %+v, %v", v, err)
		}
	}
}

// An organiser's command must not verify again what the previous command verified, and must not take
// from it what the log does not have: another history, an older copy, another event.
func TestKept(t *testing.T) {
	h := cup(t)
	h.final()
	g := &growing{hall: h, size: 3}
	var file []byte
	kept := 0
	for g.size < h.size() {
		g.size = min(g.size+97, h.size())
		live := events.NewLive(t.Context(), g, h.options())
		if file != nil {
			testmust.Do(t, live.ResumeFrom(file))
		}
		v := testmust.Have(live.Look(t.Context()))(t)
		want := testmust.Have(events.Verify(t.Context(), g, h.options()))(t)
		testmust.Requiref(t, v.Verdict == want.Verdict && v.Digest == want.Digest && reflect.DeepEqual(v.Draws, want.Draws) && reflect.DeepEqual(v.Departures, want.Departures) && reflect.DeepEqual(v.Sheets, want.Sheets),
			"of %d entries %s %v, and without what was kept %s %v", g.size, v.Verdict, v.Departures, want.Verdict, want.Departures)
		now := testmust.Have(live.KeepLook(v))(t)
		if now != nil {
			file, kept = now, kept+1
		}
		again, err := live.KeepLook(v)
		testmust.Holdf(t, again == nil && err == nil, "the same is kept twice: %v", err)
	}
	testmust.Requiref(t, kept >= 2, "tables were over, and something was kept, %d times", kept)
	blind := h.options()
	blind.Catalogue = table.Catalogue{Game: func(string) (table.Game, bool) { return nil, false }, Suite: blind.Catalogue.Suite}
	live := events.NewLive(t.Context(), g, blind)
	testmust.Do(t, live.ResumeFrom(file))
	v, err := live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Verdict == event.Confirmed, "a table was replayed again: %v, %v", v, err)
	g.size -= 5
	live = events.NewLive(t.Context(), g, h.options())
	testmust.Do(t, live.ResumeFrom(file))
	testmust.Fail(t, testmust.ErrorOf(live.Look(t.Context())), "an older copy of the log is taken")
	h.entries[h.size()-2], h.entries[h.size()-1] = h.entries[h.size()-1], h.entries[h.size()-2]
	g.size = h.size()
	live = events.NewLive(t.Context(), g, h.options())
	testmust.Do(t, live.ResumeFrom(file))
	v, err = live.Look(t.Context())
	testmust.Holdf(t, err == nil && v.Log.Verdict == verifier.LogBroken, "of a log that shows another history than it did: %+v, %v", v, err)
	other := h.options()
	other.Event[0] ^= 1
	stranger := h.options()
	stranger.Log = stranger.Log[:0]
	for name, o := range map[string]events.Options{"another event": other, "another log": stranger} {
		testmust.Fail(t, events.NewLive(t.Context(), g, o).ResumeFrom(file), "what was kept of", name, "is taken")
	}
	for n := range file {
		damaged := bytes.Clone(file)
		damaged[n] ^= 1 << (n % 8)
		testmust.Fail(t, events.NewLive(t.Context(), g, h.options()).ResumeFrom(damaged), "it is taken with another byte at", n)
	}
	for n := range len(file) / 16 {
		testmust.Fail(t, events.NewLive(t.Context(), g, h.options()).ResumeFrom(file[:n*16]), "of", len(file), "bytes the first", n*16, "are taken")
	}
}

// A keeper reopens a time-out that the standings count. The report tells both until somebody decides,
// at the table or by a ruling.
func TestReopenedStandings(t *testing.T) {
	v := cup(t).verify()
	before := inJSON(v.Standings)
	at := v.Judgement.Tables[0].Table
	seat, index := table.Seat(0), at.Last
	for i := range v.Tables {
		if v.Tables[i].Table == at.ID {
			v.Tables[i].Endings = []verifier.Ending{{Index: index, EndingAct: table.EndingAct{Kind: wire.KindTimeout, Seat: &seat}, Reopened: &verifier.ReopenedClaim{Keeper: "anna", Since: time.Unix(1_900_000_000, 0)}}}
		}
	}
	points := make([]int, len(at.Terms.Seats))
	points[0], points[1] = -500, 500
	at.Lines = append(at.Lines, event.Line{Payments: points, Layer: event.ByClock, Index: index})
	v.Reopen()
	testmust.Holdf(t, len(v.Reopened) == 1 && v.Reopened[0].Number == v.Judgement.Tables[0].Number && inJSON(v.WithoutReopened) == before && inJSON(v.Standings) != before,
		"reopened %+v\nwith    %v\nwithout %v\nbefore  %s", v.Reopened, v.Standings, v.WithoutReopened, before)
	v.History.Rulings = append(v.History.Rulings, &event.Ruling{RulingBody: &bulletin.RulingBody{About: bulletin.RulingSubject{Table: at.ID.String()}, Do: "stands"}, Decision: new(event.Decision)})
	v.Reopen()
	testmust.Holdf(t, v.Reopened == nil && v.WithoutReopened == nil, "ruled, and open: %+v", v.Reopened)
	v.History.Rulings = nil
	for i := range v.Tables {
		for _, e := range v.Tables[i].Endings {
			e.Reopened.Decided = &index
		}
	}
	v.Reopen()
	testmust.Holdf(t, v.Reopened == nil, "decided at the table, and open: %+v", v.Reopened)
}

func inJSON(list []event.Standing) string {
	b, _ := json.Marshal(list)
	return string(b)
}
