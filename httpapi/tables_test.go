package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A game must be playable over REST alone, and the documents must say what the
// players' own replay says.
func TestPlayOverHTTP(t *testing.T) {
	h := newHouse(t, nil)
	p := newTable(t, wire.RefuseFouls)
	id := p.State.ID()
	h.posted("/v1/tables", p.Entries[0])
	path := "/v1/tables/" + id.String()
	for len(p.State.Duties()) > 0 {
		entry := testmust.Have(p.Next())(t)
		got := h.posted(path+"/messages", entry)
		testmust.Do(t, p.Add(entry))
		testmust.Requiref(t, got.Head == p.State.Head() && got.Hash == wire.HashEntry(entry) && got.Table == id && got.N == p.State.CountApplied() && got.Class == client.Applied,
			"posted %+v", got)
		r := testmust.Have(tlog.ParseReceipt([]byte(got.Receipt)))(t)
		testmust.Do(t, r.Verify(entry, h.key.Verifier))
		h.checkTable(path, p.State)
	}
	list := read[client.Messages](h, path+"/messages?from=0&limit=1000")
	testmust.Requiref(t, len(list.Messages) == len(p.Entries) && list.Entries == len(p.Entries),
		"%d messages of %d, want %d", len(list.Messages), list.Entries, len(p.Entries))
	for i, m := range list.Messages {
		testmust.Holdf(t, m.N == i && m.Entry == string(p.Entries[i]) && m.Class == client.Applied && m.Fault == nil, "message %d is %+v", i, m)
	}
}

func (h *house) checkTable(path string, s *table.State) {
	h.t.Helper()
	d := read[client.Table](h, path)
	g := s.Genesis()
	if d.ID != s.ID() || d.Head != s.Head() || d.Applied != s.CountApplied() || d.Entries != s.CountApplied()+1 || d.Deal != s.DealNumber() ||
		d.Game != g.Game || d.Suite != g.Suite || d.Fouls != g.Fouls || d.Deals != g.Deals || d.Organiser != g.Organiser || len(d.Seats) != s.Seats() {
		h.t.Errorf("table %+v", d)
	}
	public, err := s.Public()
	testmust.Holdf(h.t, err == nil && bytes.Equal(d.Public, public), "public state %s, want %s", d.Public, public)
	duties := s.Duties()
	testmust.Requiref(h.t, len(d.Duties) == len(duties) && d.Over == (len(duties) == 0), "duties %+v, over %v; want %+v", d.Duties, d.Over, duties)
	for i, duty := range duties {
		got := d.Duties[i]
		testmust.Holdf(h.t, got.Kind == duty.Kind && fmt.Sprint(got.Seats) == fmt.Sprint(duty.Seats) && fmt.Sprint(got.Cards) == fmt.Sprint(duty.Cards),
			"duty %+v, want %+v", got, duty)
	}
	for _, open := range d.Faces {
		testmust.Equal(h.t, open.Face, s.FaceName(s.Faces()[table.Card(open.Card)]), "card", open.Card)
	}
	result, _ := s.Result()
	if !slices.Equal(d.Result, result) || len(d.Faces) != len(s.Faces()) {
		h.t.Errorf("result %v, want %v; %d faces, want %d", d.Result, result, len(d.Faces), len(s.Faces()))
	}
}

// Every refusal must be told apart, name what failed, and store nothing.
func TestRefusals(t *testing.T) {
	h := newHouse(t, nil)
	p, other := newTable(t, wire.RefuseFouls), newTable(t, wire.RefuseFouls)
	id := p.State.ID()
	h.posted("/v1/tables", p.Entries[0])
	h.posted("/v1/entries", other.Entries[0])
	due := key(t, p, 0)
	messages := "/v1/tables/" + id.String() + "/messages"
	unknown := "/v1/tables/" + strings.Repeat("0", 64)
	genesis := testmust.Have(wire.Parse(p.Entries[0]))(t)
	genesis.Table.Options = map[string]string{"jokers": "2"}
	option := testmust.Have(wire.Sign(genesis.Table, p.Organiser))(t)
	unsigned := testmust.Have(wire.Sign(testmust.Have(wire.Parse(p.Entries[0]))(t).Table, other.Organiser))(t)
	before := testmust.Have(h.log.Checkpoint(t.Context()))(t)
	seat0 := 0
	for name, c := range map[string]struct {
		method, path string
		entry        []byte
		want         client.Problem // type after the base, check, class, seat, head
	}{
		"rubbish":         {"POST", messages, []byte("hello\n"), client.Problem{Status: 400, Type: client.MalformedEntry, Check: "T1-form"}},
		"empty":           {"POST", "/v1/entries", nil, client.Problem{Status: 400, Type: client.MalformedEntry, Check: "T1-form"}},
		"not canonical":   {"POST", "/v1/entries", bytes.Replace(due, []byte(`"seat":0`), []byte(`"seat":00`), 1), client.Problem{Status: 400, Type: client.MalformedEntry, Check: "T1-form"}},
		"genesis in play": {"POST", messages, p.Entries[0], client.Problem{Status: 400, Type: client.MalformedEntry}},
		"message alone":   {"POST", "/v1/tables", due, client.Problem{Status: 400, Type: client.MalformedEntry}},
		"other table":     {"POST", "/v1/tables/" + other.State.ID().String() + "/messages", due, client.Problem{Status: 422, Type: client.RefusedMessage, Check: "T2-table", Class: client.Void}},
		"stale":           {"POST", messages, forge(t, p, due, func(m *wire.Message) { m.Parent = wire.Hash{1} }), client.Problem{Status: 409, Type: client.StaleParent, Check: "T4-parent", Class: client.Void, Head: &id}},
		"not due":         {"POST", messages, forge(t, p, due, func(m *wire.Message) { m.Kind = wire.KindMove }), client.Problem{Status: 422, Type: client.RefusedMessage, Check: "T7-due", Class: client.Void, Head: &id}},
		"no such seat":    {"POST", messages, forge(t, p, due, func(m *wire.Message) { m.Seat = 5 }), client.Problem{Status: 422, Type: client.RefusedMessage, Check: "T5-seat", Class: client.Void, Head: &id}},
		"wrong signature": {"POST", messages, bytes.Replace(due, []byte("seat-0 "), []byte("seat-1 "), 1), client.Problem{Status: 422, Type: client.RefusedMessage, Check: "T6-signature", Class: client.Void, Head: &id}},
		"foul":            {"POST", messages, forge(t, p, due, foul), client.Problem{Status: 422, Type: client.FoulMessage, Check: "P1-ownership", Class: client.Foul, Seat: &seat0, Head: &id}},
		"unknown option":  {"POST", "/v1/tables", option, client.Problem{Status: 422, Type: client.RefusedTable, Check: "G1-genesis"}},
		"not organised":   {"POST", "/v1/tables", unsigned, client.Problem{Status: 422, Type: client.RefusedTable, Check: "G1-genesis"}},
		"too large":       {"POST", "/v1/entries", make([]byte, wire.MaxEntry+1), client.Problem{Status: 413, Type: client.EntryTooLarge}},
		"unknown table":   {"POST", unknown + "/messages", forge(t, p, due, func(m *wire.Message) { m.Table = wire.Hash{} }), client.Problem{Status: 404, Type: client.UnknownTable}},
		"lost table":      {"POST", "/v1/entries", forge(t, p, due, func(m *wire.Message) { m.Table = wire.Hash{1} }), client.Problem{Status: 404, Type: client.UnknownTable}},
		"no table":        {"GET", unknown, nil, client.Problem{Status: 404, Type: client.UnknownTable}},
		"no bundle":       {"GET", unknown + "/bundle", nil, client.Problem{Status: 404, Type: client.UnknownTable}},
		"no bundle id":    {"GET", "/v1/tables/00/bundle", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"no messages":     {"GET", unknown + "/messages?wait=5", nil, client.Problem{Status: 404, Type: client.UnknownTable}},
		"no id":           {"GET", "/v1/tables/abc", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"upper case id":   {"GET", "/v1/tables/" + strings.Repeat("A", 64), nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"from -1":         {"GET", messages + "?from=-1", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"limit 0":         {"GET", messages + "?limit=0", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"wait forever":    {"GET", messages + "?wait=-1", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"wait NaN":        {"GET", messages + "?wait=NaN", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"after x":         {"GET", "/v1/tables?after=x", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"receipt beyond":  {"GET", "/v1/entries/99/receipt", nil, client.Problem{Status: 404, Type: client.BeyondLog}},
		"receipt 00":      {"GET", "/v1/entries/00/receipt", nil, client.Problem{Status: 400, Type: client.MalformedRequest}},
		"nothing there":   {"GET", "/v2", nil, client.Problem{Status: 404, Type: client.NotFound}},
		"delete":          {"DELETE", "/v1/tables", nil, client.Problem{Status: 405, Type: client.MethodNotAllowed}},
		"put tile":        {"PUT", "/checkpoint", nil, client.Problem{Status: 405, Type: client.MethodNotAllowed}},
	} {
		a := h.call(c.method, c.path, c.entry)
		got := h.problem(a)
		if got.Status != c.want.Status || got.Type != client.ProblemBase+c.want.Type || got.Check != c.want.Check || got.Class != c.want.Class ||
			fmt.Sprint(deref(got.Seat)) != fmt.Sprint(deref(c.want.Seat)) || fmt.Sprint(deref(got.Head)) != fmt.Sprint(deref(c.want.Head)) {
			t.Errorf("%s: %s, want %+v", name, a.body, c.want)
		}
		if about := c.want.Class != "" || c.want.Check == "G1-genesis" || c.method == "POST" && c.want.Type == client.UnknownTable; about != (got.Entry != nil) || about && *got.Entry != wire.HashEntry(c.entry) {
			t.Errorf("%s is about entry %v", name, got.Entry) // a client may have sent several
		}
		testmust.Holdf(t, got.Status != 405 || a.header.Get("Allow") != "", "%s: no header Allow", name)
	}
	after, err := h.log.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && after.Size == before.Size, "the log grew from %d to %d entries, %v", before.Size, after.Size, err)
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// A body that claims to be something else, or is packed, must not be unpacked
// or guessed at.
func TestMediaTypes(t *testing.T) {
	h := newHouse(t, nil)
	p := newTable(t, wire.RefuseFouls)
	for _, media := range []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data", ";", "text/html"} {
		got := h.problem(h.call("POST", "/v1/tables", p.Entries[0], "Content-Type", media))
		testmust.Holdf(t, got.Status == http.StatusUnsupportedMediaType, "%s: %+v", media, got)
	}
	got := h.problem(h.call("POST", "/v1/tables", p.Entries[0], "Content-Encoding", "gzip"))
	testmust.Holdf(t, got.Status == http.StatusUnsupportedMediaType, "gzip: %+v", got)
	for i, media := range []string{"application/octet-stream", "text/plain; charset=utf-8"} {
		want := []int{http.StatusCreated, http.StatusOK}[i]
		h.expect(want, h.call("POST", "/v1/tables", p.Entries[0], "Content-Type", media))
	}
	h.expect(http.StatusOK, h.post("/v1/entries", p.Entries[0]))
}

// A recorded foul is stored, so its poster gets a receipt, and is told.
func TestRecordedFoul(t *testing.T) {
	h := newHouse(t, nil)
	p, path := h.newTable(wire.RecordFouls)
	got := h.posted(path+"/messages", forge(t, p, key(t, p, 1), foul))
	testmust.Holdf(t, got.Class == client.Foul && got.Fault != nil && *got.Fault.Seat == 1 && got.Fault.Check == "P1-ownership" && got.Head == p.State.ID(),
		"posted %+v", got)
	d := read[client.Table](h, path)
	testmust.Holdf(t, d.Over && d.Result == nil && d.Foul != nil && *d.Foul.Seat == 1, "table %+v", d)
	list := read[client.Messages](h, path+"/messages")
	testmust.Holdf(t, len(list.Messages) == 2 && list.Messages[1].Class == client.Foul && list.Messages[1].Fault.Check == "P1-ownership", "messages %+v", list)
}

// A player that polls must wake when there is news, get an empty list when
// there is none, and not be held beyond the time it asked for.
func TestLongPoll(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Limits.PollsPerAddress = 1 })
	p, path := h.newTable(wire.RefuseFouls)
	messages := path + "/messages"
	list := read[client.Messages](h, messages+"?from=1&wait=0.01")
	testmust.Holdf(t, len(list.Messages) == 0 && list.Entries == 1, "nothing new: %+v", list)
	woken, a := polling(t, h.url, messages+"?from=1")
	h.refusal(client.Busy, a)
	entry := key(t, p, 0)
	h.posted(messages, entry)
	h.decode(<-woken, &list)
	testmust.Holdf(t, len(list.Messages) == 1 && list.Messages[0].Entry == string(entry), "woken with %+v", list)
	h.decode(h.get(messages+"?from=1&wait=60"), &list)
	testmust.Equal(t, len(list.Messages), 1, "waited for what is there", list)
}

// polling begins a long poll, where an address may have one, and waits until it is open:
// then a second one is refused.
func polling(t *testing.T, url, path string) (woken chan answer, refused answer) {
	t.Helper()
	woken = make(chan answer)
	go func() {
		a := call(t, url, "GET", path+"&wait=60", nil)
		for a.status == http.StatusServiceUnavailable { // the second one below was first
			a = call(t, url, "GET", path+"&wait=60", nil)
		}
		woken <- a
	}()
	for refused.status != http.StatusServiceUnavailable {
		refused = call(t, url, "GET", path+"&wait=0.001", nil)
	}
	return woken, refused
}

// Pages must not lose a table or a message.
func TestPages(t *testing.T) {
	h := newHouse(t, nil)
	want := map[wire.Hash]bool{}
	for range 5 {
		p, _ := h.newTable(wire.RefuseFouls)
		h.posted("/v1/entries", key(t, p, 0))
		want[p.State.ID()] = true
	}
	inPages := func(query, next string) (order []uint64) {
		seen := map[wire.Hash]bool{}
		for path := "/v1/tables?limit=2" + query; path != ""; {
			page := read[client.TableList](h, path)
			path = ""
			if page.Next != nil {
				path = fmt.Sprintf("/v1/tables?limit=2&%s=%d", next, *page.Next)
			}
			for _, s := range page.Tables {
				testmust.Holdf(t, !seen[s.ID] && want[s.ID] && s.Game == "schwarzer-peter/v1", "listed %+v", s)
				seen[s.ID] = true
				order = append(order, s.Index)
			}
		}
		testmust.Equal(t, len(seen), len(want), "tables listed")
		return order
	}
	oldest, newest := inPages("", "after"), inPages("&before=9007199254740991", "before")
	slices.Reverse(newest)
	testmust.Holdf(t, slices.IsSorted(oldest) && slices.Equal(oldest, newest), "upwards %v, downwards the same from behind %v", oldest, newest)
	h.refusal(client.MalformedRequest, h.get("/v1/tables?after=1&before=5"))
	for id := range want {
		page := read[client.Messages](h, "/v1/tables/"+id.String()+"/messages?from=1&limit=1")
		testmust.Holdf(t, len(page.Messages) == 1 && page.Messages[0].N == 1 && page.Entries == 2, "page %+v", page)
		h.decode(h.get("/v1/tables/"+id.String()+"/messages?from=7"), &page)
		testmust.Equal(t, len(page.Messages), 0, "beyond the end", page)
	}
}

// A list that does not say who sits where, how it stands and who is awaited makes a person open
// every table; one that forgets what was played since it was listed is worse.
func TestTableRows(t *testing.T) {
	h := newHouse(t, nil)
	first, second := newTable(t, wire.RefuseFouls), newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", first.Entries[0])
	h.posted("/v1/tables", second.Entries[0])
	list := func(query string) (rows []client.Summary) {
		t.Helper()
		d := read[client.TableList](h, "/v1/tables?"+query)
		return d.Tables
	}
	row := list("")[1]
	if row.ID != second.State.ID() || row.State != client.TableWaiting || row.Deal != 0 || row.Deals != second.State.Genesis().Deals || len(row.Owing) == 0 ||
		row.Seats[0].Name != second.State.SeatName(0) || row.Begun.Index != row.Index || row.Last.Index != row.Index {
		t.Errorf("a new table: %+v %+v", row, row.Standing)
	}
	for len(second.State.Duties()) > 0 {
		entry := testmust.Have(second.Next())(t)
		posted := h.posted("/v1/entries", entry)
		testmust.Do(t, second.Add(entry))
		row := list("")[1]
		testmust.Requiref(t, row.Last.Index == posted.Index && row.Deal == second.State.Deal() && len(row.Owing) == len(second.State.Duties()),
			"after entry %d: %+v", posted.Index, row.Standing)
	}
	id := second.State.ID().String()
	for query, want := range map[string]int{
		"state=over": 1, "state=waiting": 1, "state=playing": 0, "state=foul": 0, "id=" + id[:12]: 1, "id=" + id: 1, "id=" + strings.Repeat("0", 40): 0,
		"player=" + row.Seats[1].Name: 2, "player=" + url.QueryEscape(row.Seats[1].Key): 1,
		"player=nobody": 0, "game=schwarzer-peter": 2, "game=schwarzer-peter/v1": 2, "game=schwarzer": 0, "state=over&id=" + id[:8] + "&game=schwarzer-peter": 1,
	} {
		testmust.Equal(t, len(list(query)), want, query, "tables")
	}
	for _, query := range []string{"state=open", "id=XYZ", "id=" + id + "0"} {
		h.refusal(client.MalformedRequest, h.get("/v1/tables?"+query))
	}
}

// After a start no table is replayed yet. A list must not replay them all for one caller, nor
// leave one of them out.
func TestRowsOfForgottenTables(t *testing.T) {
	h := newHouse(t, nil)
	const n = 20
	for range n {
		h.posted("/v1/tables", newTable(t, wire.RefuseFouls).Entries[0])
	}
	tables := testmust.Have(admission.Open(t.Context(), h.log, catalogue, admission.Options{}))(t)
	h = newHouse(t, func(o *httpapi.Options) { o.Log, o.Tiles, o.Admission = h.log, h.log, tables })
	seen, after := 0, ""
	for pages := 0; pages < n; pages++ {
		d := read[client.TableList](h, "/v1/tables?state=waiting"+after)
		testmust.Hold(t, len(d.Tables) <= 8, "a page of", len(d.Tables), "tables that had to be replayed")
		if seen += len(d.Tables); d.Next == nil {
			break
		}
		after = fmt.Sprintf("&after=%d", *d.Next)
	}
	testmust.Equal(t, seen, n, "tables")
	var d client.TableList
	h.decode(h.get("/v1/tables"), &d)
	testmust.Holdf(t, len(d.Tables) == n, "then %d at once", len(d.Tables))
}

// An act that is stored though it has no effect, or answered with something else than what
// is wrong; an attempt that is refused, or not told; a table that has stopped and is listed
// as over.
func TestActs(t *testing.T) {
	h := newHouse(t, nil)
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: wire.WarnFouls, Ends: &wire.Ends{Late: wire.LateUndo, Resign: true, Agree: true}}, seed.Add(1)))(t)
	plain := newTable(t, wire.RefuseFouls)
	h.posted("/v1/tables", p.Entries[0])
	h.posted("/v1/tables", plain.Entries[0])
	id := p.State.ID().String()
	messages := "/v1/tables/" + id + "/messages"
	apply := func(entry []byte) {
		t.Helper()
		got := h.posted(messages, entry)
		testmust.Holdf(t, got.Class == client.Applied && got.Head == wire.HashEntry(entry), "posted as %+v", got)
		testmust.Do(t, p.Add(entry))
	}
	for range 2 {
		wrong := forge(t, p, key(t, p, 0), foul)
		got := h.posted(messages, wrong)
		testmust.Requiref(t, got.Class == client.Attempt && got.Head == wire.HashEntry(wrong) && got.Fault != nil && *got.Fault.Seat == 0,
			"an attempt is posted as %+v", got)
		p.LogAttempt(wrong, &table.Fault{Class: table.Tried, Check: table.CheckOwnership})
	}
	var now client.Table
	stale := p.RulingAct(wire.KindPause, wire.EmptyBody{})
	apply(p.ActOf(1, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))
	for what, c := range map[string]struct {
		entry  []byte
		status int
		slug   string
		check  string
	}{
		"close by a seat":       {p.ActOf(1, wire.KindClose, wire.CloseBody{}), 422, client.RefusedAct, "A1-entitled"},
		"resume, not paused":    {p.RulingAct(wire.KindResume, wire.EmptyBody{}), 422, client.RefusedAct, "A3-body"},
		"a claim":               {p.ActOf(1, wire.KindTimeout, wire.EmptyBody{}), 422, client.RefusedAct, "C1-clock"},
		"an old head":           {stale, 409, client.StaleParent, "T4-parent"},
		"another's signature":   {bytes.Replace(p.RulingAct(wire.KindClose, wire.CloseBody{Reason: "a"}), []byte(`"a"`), []byte(`"b"`), 1), 422, client.RefusedAct, "T6-signature"},
		"at the first format":   {plain.RulingAct(wire.KindClose, wire.CloseBody{}), 422, client.RefusedAct, "T1-form"},
		"cut off in the middle": {p.RulingAct(wire.KindClose, wire.CloseBody{})[:100], 400, client.MalformedEntry, "T1-form"},
	} {
		got := h.problem(h.post("/v1/entries", c.entry))
		testmust.Holdf(t, got.Status == c.status && got.Type == client.ProblemBase+c.slug && got.Check == c.check && (got.Status != 422 || got.Class == client.Void), "%s: %+v", what, got)
	}
	apply(p.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	h.decode(h.get("/v1/tables/"+id), &now)
	testmust.Holdf(t, !now.Over && now.Stopped != nil && *now.Stopped == 1 && len(now.Duties) == 0, "a stopped table is %+v", now)
	listed := func(state client.TableState) bool {
		list := read[client.TableList](h, "/v1/tables?id="+id+"&state="+string(state))
		return len(list.Tables) == 1
	}
	testmust.Hold(t, listed(client.TableStopped) && !listed(client.TableOver), "a stopped table is not listed as one")
	apply(p.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Nobody came."}))
	testmust.Hold(t, listed(client.TableOver), "a closed table is not over")
	late := h.problem(h.post(messages, p.RulingAct(wire.KindClose, wire.CloseBody{})))
	testmust.Holdf(t, late.Type == client.ProblemBase+client.RefusedAct && late.Check == "T3-open", "an act after the end: %+v", late)
}

// A table that ended by a foul of long ago: a player must be told which entry is wrong, and
// that both it and the disclosure that shows it were applied.
func TestFoulOfAnEarlierEntry(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		admitting(t, o, admission.Options{})
	})
	game, _ := games.Lookup("five-card-draw/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Suite: clear.DeferredSuite{}, Fouls: wire.RefuseFouls}, seed.Add(1)))(t)
	h.posted("/v1/tables", p.Entries[0])
	path := "/v1/tables/" + p.State.ID().String()
	var wrong wire.Hash
	for len(p.State.Duties()) > 0 {
		entry := testmust.Have(p.Next())(t)
		if d := p.State.Duties()[0]; d.Kind == table.Show && wrong == (wire.Hash{}) {
			entry = forge(t, p, entry, func(m *wire.Message) {
				var b wire.TokensBody
				testmust.Do(t, wire.DecodeBody(m.Body, &b))
				slices.Reverse(b.Tokens)
				m.Body, _ = wire.EncodeBody(b)
			})
			wrong = wire.HashEntry(entry)
		}
		got := h.posted(path+"/messages", entry)
		testmust.Requiref(t, got.Class == client.Applied, "posted %+v", got)
		testmust.Do(t, p.Add(entry))
		h.checkTable(path, p.State)
	}
	d := read[client.Table](h, path)
	testmust.Holdf(t, d.Over && d.Foul != nil && d.Foul.Check == string(table.CheckStep) && d.Foul.Entry != nil && *d.Foul.Entry == wrong,
		"the table ended by %+v, want %s at %s", d.Foul, table.CheckStep, wrong)
	list := read[client.Messages](h, path+"/messages?limit=1000")
	for _, m := range list.Messages {
		testmust.Holdf(t, m.Class == client.Applied && m.Fault == nil, "message %d is %+v", m.N, m)
	}
}

// forgetful is a log that takes an entry and whose answer is lost, once it is told to.
type forgetful struct {
	tlog.Log
	lose bool
}

func (f *forgetful) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	r, err := f.Log.Append(ctx, entry)
	if f.lose {
		f.lose = false
		return tlog.Receipt{}, errors.New("the answer is lost")
	}
	return r, err
}

// An entry that a table has must be shown to everybody, also if nobody has posted since
// it turned out that the log has it: what was shown before must not be kept for longer.
func TestLateEntriesAreShown(t *testing.T) {
	log := new(forgetful)
	h := newHouse(t, func(o *httpapi.Options) {
		log.Log = o.Log.(tlog.Log)
		o.Admission = testmust.Have(admission.Open(t.Context(), log, catalogue, admission.Options{}))(t)
	})
	p, path := h.newTable(wire.RefuseFouls)
	log.lose = true
	h.expect(500, h.post(path+"/messages", key(t, p, 0)))
	testmust.Until(t, "a table with both entries", func() bool {
		return strings.Contains(string(h.get(path).body), `"entries":2`) && strings.Contains(string(h.get(path+"/messages?from=1").body), `"n":1`)
	})
}

// What a client knows and cannot be true must be told from what this log does not
// have yet; and who asks for no growth must get none.
func TestGrowth(t *testing.T) {
	h := newHouse(t, nil)
	p, path := h.newTable(wire.RefuseFouls)
	path += "/messages"
	entry := key(t, p, 0)
	h.posted(path+"?edge=1&size=1", entry)
	page := read[client.Messages](h, path)
	testmust.Holdf(t, page.Checkpoint == "" && page.Growth == "", "not asked for: %+v", page)
	h.decode(h.get(path+"?from=1&edge=0&size=1"), &page)
	hashes, err := tlog.ParseHashes(page.Growth)
	testmust.Holdf(t, err == nil && len(hashes) == 1 && hashes[0] == tlog.LeafHash(p.Entries[0]) && page.Checkpoint == string(h.get("/checkpoint").body),
		"%+v, %v", page, err)
	page = client.Messages{}
	h.decode(h.get(path+"?from=2&edge=2&size=2"), &page)
	testmust.Holdf(t, page.Checkpoint == "", "nothing to prove: %+v", page)
	for query, want := range map[string]string{
		"edge=0":                client.MalformedRequest,
		"size=0":                client.MalformedRequest,
		"edge=2&size=1":         client.MalformedRequest,
		"edge=-1&size=1":        client.MalformedRequest,
		"edge=0&size=x":         client.MalformedRequest,
		"from=0&edge=1&size=1":  client.MalformedRequest, // the genesis entry is before the edge
		"edge=0&size=3":         client.BeyondLog,
		"edge=0&size=999999999": client.BeyondLog,
	} {
		h.refusal(want, h.get(path+"?"+query))
	}
	for query, status := range map[string]int{"edge=1": http.StatusBadRequest, "edge=0&size=9": http.StatusOK, "edge=2&size=2": http.StatusOK, "edge=0&size=0": http.StatusOK} {
		h.expect(status, h.call("POST", fmt.Sprintf("%s?%s", path, query), entry))
	}
}
