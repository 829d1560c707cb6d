package httpapi_test

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

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
		if got := h.posted(messages, entry); got.Class != client.Applied || got.Head != wire.HashEntry(entry) {
			t.Errorf("posted as %+v", got)
		}
		testmust.Do(t, p.Add(entry))
	}
	for range 2 {
		wrong := forge(t, p, key(t, p, 0), foul)
		got := h.posted(messages, wrong)
		if got.Class != client.Attempt || got.Head != wire.HashEntry(wrong) || got.Fault == nil || *got.Fault.Seat != 0 {
			t.Fatalf("an attempt is posted as %+v", got)
		}
		p.Log(wrong, &table.Fault{Class: table.Tried, Check: table.CheckOwnership})
	}
	var now client.Table
	stale := p.Rule(wire.KindPause, wire.EmptyBody{})
	apply(p.ActOf(1, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))
	for what, c := range map[string]struct {
		entry  []byte
		status int
		slug   string
		check  string
	}{
		"close by a seat":       {p.ActOf(1, wire.KindClose, wire.CloseBody{}), 422, client.RefusedAct, "A1-entitled"},
		"resume, not paused":    {p.Rule(wire.KindResume, wire.EmptyBody{}), 422, client.RefusedAct, "A3-body"},
		"a claim":               {p.ActOf(1, wire.KindTimeout, wire.EmptyBody{}), 422, client.RefusedAct, "C1-clock"},
		"an old head":           {stale, 409, client.StaleParent, "T4-parent"},
		"another's signature":   {bytes.Replace(p.Rule(wire.KindClose, wire.CloseBody{Reason: "a"}), []byte(`"a"`), []byte(`"b"`), 1), 422, client.RefusedAct, "T6-signature"},
		"at the first format":   {plain.Rule(wire.KindClose, wire.CloseBody{}), 422, client.RefusedAct, "T1-form"},
		"cut off in the middle": {p.Rule(wire.KindClose, wire.CloseBody{})[:100], 400, client.MalformedEntry, "T1-form"},
	} {
		got := h.problem(h.post("/v1/entries", c.entry))
		if got.Status != c.status || got.Type != client.ProblemBase+c.slug || got.Check != c.check || got.Status == 422 && got.Class != client.Void {
			t.Errorf("%s: %+v", what, got)
		}
	}
	apply(p.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	h.decode(h.get("/v1/tables/"+id), &now)
	if now.Over || now.Stopped == nil || *now.Stopped != 1 || len(now.Duties) != 0 {
		t.Errorf("a stopped table is %+v", now)
	}
	listed := func(state client.TableState) bool {
		list := read[client.TableList](h, "/v1/tables?id="+id+"&state="+string(state))
		return len(list.Tables) == 1
	}
	if !listed(client.TableStopped) || listed(client.TableOver) {
		t.Error("a stopped table is not listed as one")
	}
	apply(p.Rule(wire.KindClose, wire.CloseBody{Reason: "Nobody came."}))
	if !listed(client.TableOver) {
		t.Error("a closed table is not over")
	}
	late := h.problem(h.post(messages, p.Rule(wire.KindClose, wire.CloseBody{})))
	if late.Type != client.ProblemBase+client.RefusedAct || late.Check != "T3-open" {
		t.Errorf("an act after the end: %+v", late)
	}
}
