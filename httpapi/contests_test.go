package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// organiser announces an event of at most one player.
type organiser struct {
	signer note.Signer
	key    string
	id     wire.Hash
}

func newOrganiser(t *testing.T) (o *organiser, announcement []byte) {
	t.Helper()
	_, key := ledgertest.NewKey(t, "club", tlog.Ed25519)
	o = &organiser{signer: key, key: key.Verifier().String()}
	announcement = o.sign(t, contestOf(o))
	o.id = wire.HashEntry(announcement)
	return o, announcement
}

func contestOf(o *organiser) *wire.Event {
	commit := sha256.Sum256([]byte("secret"))
	return &wire.Event{
		Format: wire.EventFormat, Name: "Kupa", Game: "schwarzer-peter/v1", Suite: clear.Name, Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []wire.Seating{wire.SeatAtRandom}, Draw: wire.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: wire.ScoreSum, Places: []int{},
		Ties: []wire.Tie{}, Substitute: wire.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: wire.Registration{Max: 1}, Arbiters: []string{}, Jury: []string{}, Organiser: o.key, Nonce: make([]byte, wire.NonceBytes),
	}
}

func (o *organiser) sign(t *testing.T, what any) []byte {
	t.Helper()
	return testmust.Have(wire.Sign(what, o.signer))(t)
}

func (o *organiser) notice(t *testing.T, kind wire.NoticeKind, body any) []byte {
	raw, _ := wire.EncodeBody(body)
	return o.sign(t, &wire.Notice{Format: wire.NoticeFormat, Event: o.id, Seen: o.id, By: o.key, Kind: kind, Body: raw})
}

func (o *organiser) decision(t *testing.T, parent wire.Hash, kind wire.DecisionKind, body any) []byte {
	raw, _ := wire.EncodeBody(body)
	return o.sign(t, &wire.Decision{Format: wire.DecisionFormat, Event: o.id, Parent: parent, By: o.key, Kind: kind, Body: raw})
}

// An event that cannot be announced, entered or watched over REST, or whose refusals say
// something else than what is wrong.
func TestContests(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.AllowDepartures = true })
	o, announcement := newOrganiser(t)
	entries := "/v1/events/" + o.id.String() + "/entries"
	refused := func(what, path string, entry []byte, want string) {
		t.Helper()
		h.refusal(want, h.post(path, entry))
	}
	register := o.notice(t, wire.Register, wire.RegisterBody{Name: "Kovács Béla"})
	refused("an entry of no event", entries, register, client.UnknownEvent)
	refused("a notice announces no event", "/v1/events", register, client.MalformedEntry)
	refused("a table announces no event", "/v1/events", newTable(t, wire.RefuseFouls).Entries[0], client.MalformedEntry)
	first := h.posted("/v1/events", announcement)
	if again := h.post("/v1/events", announcement); first.Table != o.id || first.Head != o.id || again.status != http.StatusOK {
		t.Errorf("announced as %+v, again %d", first, again.status)
	}
	h.expect(http.StatusCreated, h.post(entries, register))
	h.expect(http.StatusOK, h.post(entries, register))
	refused("cut short", entries, register[:len(register)-5], client.MalformedEntry)
	refused("an announcement", entries, announcement, client.MalformedEntry)
	refused("no event", "/v1/events/00/entries", register, client.MalformedRequest)
	refused("another event", "/v1/events/"+strings.Repeat("0", 64)+"/entries", register, client.RefusedNotice)
	refused("a player of nothing", entries, o.notice(t, wire.Skip, wire.RoundBody{Round: 2}), client.RefusedNotice)
	other, _ := newOrganiser(t)
	other.id = o.id
	twin := other.sign(t, &wire.Notice{Format: wire.NoticeFormat, Event: o.id, Seen: o.id, By: other.key, Kind: wire.Register, Body: []byte(`{"name":"%D0%90nna","club":"","draw":false,"ticket":""}`)})
	refused("a name of two scripts", entries, twin, client.RefusedNotice)
	accept := o.decision(t, o.id, wire.DecideRoster, wire.RosterBody{Upto: 2, Accept: []wire.Accepted{{Number: 1, Notice: wire.HashEntry(register)}}, Refuse: []wire.Refused{}})
	roster := h.posted(entries, accept)
	refused("on an old decision", entries, o.decision(t, o.id, wire.DecideRemark, wire.RemarkBody{}), client.StaleParent)
	refused("out of nothing", entries, o.decision(t, roster.Head, wire.DecideRound, wire.SeatingBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2}}, Byes: []int{}}), client.RefusedDecision)
	refused("no room", entries, other.notice(t, wire.Register, wire.RegisterBody{Name: "B"}), client.EventFull)
	forged := strings.Replace(string(announcement), "Kupa", "Cupa", 1)
	refused("forged", "/v1/events", []byte(forged), client.RefusedDecision)

	stream, _ := h.listen("/v1/events/" + o.id.String() + "/stream?from=1")
	for n, want := range [][]byte{register, accept} {
		var e client.EventEntry
		if id, _ := stream.event(&e); id != fmt.Sprint(n+1) || e.Entry != string(want) {
			t.Errorf("streamed %s as %s", e.Entry, id)
		}
	}

	c := h.client()
	ctx := t.Context()
	e, err := c.Event(ctx, o.id)
	if err != nil || e.Name != "Kupa" || e.Players != 1 || e.Head != roster.Head || e.Unanswered != 0 || e.Of != 1 || e.Over {
		t.Errorf("%+v, %v", e, err)
	}
	list, err := c.Events(ctx, nil, 1)
	if err != nil || len(list.Events) != 1 || list.Next == nil {
		t.Fatalf("%+v, %v", list, err)
	}
	if list, err = c.Events(ctx, list.Next, 1); err != nil || len(list.Events) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = c.PostEvent(ctx, o.id, o.decision(t, roster.Head, wire.DecideRemark, wire.RemarkBody{Text: "Lunch."}))
	}()
	page, err := c.EventEntries(ctx, o.id, 3, 20*time.Second)
	if err != nil || page.Count != 4 || len(page.Entries) != 1 || !strings.Contains(page.Entries[0].Entry, "Lunch.") {
		t.Errorf("%+v, %v", page, err)
	}
	if found, err := c.Find(ctx, o.id.Code()[:8]); err != nil || len(found.Found) != 1 || found.Found[0].Kind != "event" {
		t.Errorf("%+v, %v", found, err)
	}
	if who, err := c.EventRoster(ctx, o.id); err != nil || len(who.Players) != 1 || who.Players[0].Name != "Kovács Béla" || who.Players[0].Key != o.key || len(who.Rounds) != 0 {
		t.Errorf("%+v, %v", who, err)
	}
	seated := o.decision(t, mustHead(t, c, o.id), wire.DecideRound, wire.SeatingBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{}, Byes: []int{1}})
	h.posted(entries, seated)
	if who, err := c.EventRoster(ctx, o.id); err != nil || len(who.Rounds) != 1 || who.Rounds[0].Byes[0] != 1 {
		t.Errorf("%+v, %v", who, err)
	}
	h.unchanged("/v1/events", "/v1/events/"+o.id.String(), entries, "/v1/events/"+o.id.String()+"/roster")
	h.refuses(map[string]string{"/v1/events?after=x": client.MalformedRequest, "/v1/events/00": client.MalformedRequest, "/v1/events/00/roster": client.MalformedRequest, "/v1/events/" + strings.Repeat("0", 64) + "/roster": client.UnknownEvent, entries + "?from=x": client.MalformedRequest,
		"/v1/events/" + strings.Repeat("0", 64): client.UnknownEvent, "/v1/events/" + strings.Repeat("0", 64) + "/entries": client.UnknownEvent})
}

func mustHead(t *testing.T, c *client.Client, id wire.Hash) wire.Hash {
	t.Helper()
	return testmust.Have(c.Event(t.Context(), id))(t).Head
}
