package httpapi_test

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// clocked is a server whose log has a keeper, with a clock of the test's.
type clocked struct {
	*house
	now    time.Time
	keeper *tlog.SignerKey
}

func newClocked(t *testing.T) *clocked {
	w := &clocked{now: time.Unix(2_000_000, 0)}
	clock := func() time.Time { return w.now }
	w.keeper = markstest.NewKeeper(t, "anna.example", clock)
	w.house = newHouse(t, func(o *httpapi.Options) {
		key := testmust.Have(note.NewVerifier(o.Key))(t)
		admitting(t, o, admission.Options{Keys: []note.Verifier{key}, Now: clock})
	})
	return w
}

// begin makes a table whose clock has the keeper.
func (w *clocked) begin() []byte {
	w.t.Helper()
	p := newTable(w.t, wire.RefuseFouls)
	e := testmust.Have(wire.Parse(p.Entries[0]))(w.t)
	g := *e.Table
	g.Format, g.Arbiters, g.Names = wire.TableFormat2, []string{}, make([]wire.Text, len(g.Seats))
	g.Ends = wire.Ends{Late: wire.LateUndo}
	g.Clock = wire.Clock{Keepers: []string{w.keeper.String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 60, Move: 30, Grace: 5}
	return testmust.Have(wire.Sign(&g, p.Organiser))(w.t)
}

// mark is a mark of the newest checkpoint, now.
func (w *clocked) mark(by ...*tlog.SignerKey) []byte {
	w.t.Helper()
	c := testmust.Have(w.log.Checkpoint(w.t.Context()))(w.t)
	key := testmust.Have(note.NewVerifier(w.key.Public))(w.t)
	return markstest.SignMark(w.t, markstest.Cosign(w.t, c, key, by...))
}

// A player who is shown less time than marks prove, or more, or whose claim the server makes
// up; and marks that nobody can get, or prove.
func TestMarksAndClock(t *testing.T) {
	w := newClocked(t)
	table := w.posted("/v1/tables", w.begin())
	var list client.MarkList
	again := w.mark(w.keeper)
	w.decode(w.get("/v1/marks"), &list)
	testmust.Holdf(t, len(list.Marks) == 0, "marks of a log without: %+v", list)
	var hashes []wire.Hash
	for range 3 {
		var posted client.MarkPosted
		w.decode(w.post("/v1/marks", w.mark(w.keeper)), &posted)
		testmust.Holdf(t, posted.Index == uint64(1+len(hashes)), "posted %+v", posted)
		hashes, w.now = append(hashes, posted.Hash), w.now.Add(20*time.Second)
	}
	w.decode(w.get("/v1/marks?after=1&limit=1"), &list)
	testmust.Holdf(t, len(list.Marks) == 1 && list.Marks[0].Hash == hashes[1] && list.Next != nil, "one mark after 1: %+v", list)
	clock := read[client.Clock](w.house, "/v1/tables/"+table.Table.String()+"/clock")
	testmust.Requiref(t, len(clock.Seats) == 2 && clock.Terms.Start == 60, "clock %+v", clock)
	for _, c := range clock.Seats {
		if c.Used != 39 || c.Left == nil || *c.Left != 21 || c.Claim.Spans[0].From != hashes[0] || c.Claim.Spans[0].To != hashes[2] || c.Claim.Seen != hashes[0] || c.Claim.Spans[0].Since != table.Table {
			t.Errorf("clock of seat %d: %+v", c.Seat, c)
		}
	}
	w.expect(http.StatusOK, w.post("/v1/marks", again))
	var proven client.ProvenMark
	w.unchanged("/v1/marks/" + hashes[1].String())
	w.decode(w.get("/v1/marks/"+hashes[1].String()), &proven)
	c := testmust.Have(tlog.ParseCheckpoint([]byte(proven.Checkpoint)))(t)
	p := tlog.Inclusion{Index: proven.Index, Size: c.Size}
	for _, h := range proven.Inclusion {
		p.Hashes = append(p.Hashes, tlog.Hash(h))
	}
	testmust.Do(t, p.Verify(tlog.LeafHash([]byte(proven.Entry)), c.Root))
	before := w.now.Unix() - 20 // the last mark's
	second := w.posted("/v1/tables", w.begin())
	w.decode(w.post("/v1/marks", w.mark(w.keeper)), &client.MarkPosted{})
	rows := read[client.TableList](w.house, "/v1/tables")
	if len(rows.Tables) != 2 || rows.Tables[0].Begun.By != 0 || rows.Tables[1].ID != second.Table || rows.Tables[1].Begun.After != before || rows.Tables[1].Last.By != w.now.Unix() {
		t.Errorf("times of tables: %+v", rows.Tables)
	}
}

// A mark that is refused and not said why, or taken where entries of tables go.
func TestRefusedMarks(t *testing.T) {
	w := newClocked(t)
	plain := newTable(t, wire.RefuseFouls)
	table := w.posted("/v1/tables", plain.Entries[0]) // which has no clock: nobody's time counts
	for name, c := range map[string]struct {
		path string
		body []byte
		slug string
		want int
	}{
		"no clock in play": {"/v1/marks", w.mark(w.keeper), client.RefusedMark, 422},
		"no mark":          {"/v1/marks", plain.Entries[0], client.MalformedEntry, 400},
		"elsewhere":        {"/v1/entries", w.mark(w.keeper), client.MalformedEntry, 400},
	} {
		p := w.problem(w.post(c.path, c.body))
		testmust.Holdf(t, p.Type == client.ProblemBase+c.slug && p.Status == c.want, "%s: %+v", name, p)
	}
	var clock client.Clock
	w.decode(w.get("/v1/tables/"+table.Table.String()+"/clock"), &clock)
	testmust.Holdf(t, len(clock.Seats) == 0 && len(clock.Terms.Keepers) == 0, "a clock that there is not: %+v", clock)
	for path, want := range map[string]int{"/v1/marks/x": 400, "/v1/marks/" + strings.Repeat("0", 64): 404, "/v1/marks?after=x": 400,
		"/v1/tables/x/clock": 400, fmt.Sprintf("/v1/tables/%064d/clock", 0): 404} {
		w.expect(want, w.get(path))
	}
	w.unchanged("/v1/marks", "/v1/tables/"+table.Table.String()+"/clock")
}

// BenchmarkFirstMarks is what a server that was just started does about marks for the first
// bundle, or page, of an event: it looks for those around an entry of a log of many (PAKLI_MARKS,
// or 2,000; a long day of events has some 20,000). all is to verify each of them.
func BenchmarkFirstMarks(b *testing.B) {
	many, err := strconv.Atoi(os.Getenv("PAKLI_MARKS"))
	if err != nil {
		many = 2000
	}
	now := time.Unix(2_000_000, 0)
	keeper := markstest.NewKeeper(b, "anna.example", func() time.Time { return now })
	h := newHouse(b, nil)
	key := testmust.Have(note.NewVerifier(h.key.Public))(b)
	for range many / 200 {
		c := testmust.Have(h.log.Checkpoint(b.Context()))(b)
		var group errgroup.Group
		for range 200 {
			now = now.Add(time.Second)
			mark := markstest.SignMark(b, markstest.Cosign(b, c, key, keeper))
			group.Go(func() error { _, err := h.log.Append(b.Context(), mark); return err })
		}
		testmust.Do(b, group.Wait())
	}
	for name, look := range map[string]func(started){
		"all": func(m started) {
			for _, p := range m.Places() {
				_, _ = m.Mark(p.Hash)
			}
		},
		"around": func(m started) { bundle.NewTimes(m, []string{keeper.String()}).MarksAround(uint64(many) / 2) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				a := testmust.Have(admission.Open(b.Context(), h.log, catalogue, admission.Options{Keys: []note.Verifier{key}}))(b)
				b.StartTimer()
				look(started{a})
			}
		})
	}
}

// started is a server of which nobody has asked anything.
type started struct{ *admission.Admission }

func (s started) Places() []marks.Place { return s.Marks(0, math.MaxInt) }
