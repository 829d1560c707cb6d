package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	sheets "github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// duel is an event of two players, with its table.
type duel struct {
	*house
	o     *organiser
	path  string
	h     *event.History
	table *tabletest.Table
	sits  []int        // numbers of players, by seat
	all   []*organiser // players
}

// newDuel seats two players and plays so many messages of their table.
func newDuel(t *testing.T, messages int) *duel {
	t.Helper()
	return newDuelWith(t, func(*bulletin.Event) {}, messages, "Kovács Béla", "Anna")
}

func newDuelWith(t *testing.T, change func(*bulletin.Event), messages int, names ...string) *duel {
	t.Helper()
	d := &duel{house: newHouse(t, func(o *httpapi.Options) {
		o.Limits.NoticeRate, o.Limits.NoticeBurst = 0.001, 16
		o.After = func(d time.Duration) <-chan time.Time { return time.After(d / 200) } // streams look at tables more often
	})}
	d.o, _ = newOrganiser(t)
	e := contestOf(d.o)
	e.Registration.Max, e.Arbiters = 2, []string{d.o.key}
	change(e)
	announcement := d.o.sign(t, e)
	d.o.id = wire.HashEntry(announcement)
	d.path = "/v1/events/" + d.o.id.String()
	d.take("/v1/events", announcement)
	var seats []note.Signer
	accepted := []bulletin.AcceptedNotice{}
	for i, name := range names {
		p, _ := newOrganiser(t)
		p.id = d.o.id
		register := p.notice(t, bulletin.Register, bulletin.RegisterBody{Name: wire.Text(name)})
		d.take(d.path+"/entries", register)
		d.all = append(d.all, p)
		seats, accepted = append(seats, p.signer), append(accepted, bulletin.AcceptedNotice{Number: i + 1, Notice: wire.HashEntry(register)})
	}
	d.decide(bulletin.DecideRoster, bulletin.RosterBody{Upto: 3, Accept: accepted, Refuse: []bulletin.RefusedNotice{}})
	d.decide(bulletin.DecideDraw, bulletin.DrawBody{Secret: []byte("secret")})
	round := testmust.Have(event.NextRound(d.h, nil))(t)
	d.decide(bulletin.DecideRound, round[0])
	d.sits = round[0].Tables[0]
	d.begin([]note.Signer{seats[d.sits[0]-1], seats[d.sits[1]-1]}, messages)
	return d
}

// take posts an entry of the event, and takes it in.
func (d *duel) take(path string, entry []byte) {
	d.t.Helper()
	p := d.posted(path, entry)
	e, err := bulletin.Parse(entry)
	if err == nil && d.h == nil {
		d.h, err = event.Open(e, p.Index)
	} else if err == nil {
		err = d.h.TakeEntry(e, p.Index)
	}
	testmust.Do(d.t, err)
}

func (d *duel) decide(kind bulletin.DecisionKind, body any) {
	d.t.Helper()
	d.take(d.path+"/entries", d.o.decision(d.t.(*testing.T), d.h.Head, kind, body))
}

func (d *duel) begin(seats []note.Signer, messages int) {
	d.t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	g := d.h.TableGenesis(1, 1)
	g.Nonce = make([]byte, wire.NonceBytes)
	d.table = testmust.Have(tabletest.OpenSeated(game, tabletest.Config{Seats: 2, Deals: g.Deals, Suite: clear.Suite{}}, g, d.o.signer, seats, 1))(d.t)
	d.posted("/v1/tables", d.table.Entries[0])
	d.goOn(func() error { return d.table.Play(messages) })
}

// goOn posts what is played more at the table.
func (d *duel) goOn(more func() error) {
	d.t.Helper()
	at := len(d.table.Entries)
	testmust.Do(d.t, more())
	for _, entry := range d.table.Entries[at:] {
		d.posted("/v1/tables/"+d.table.State.ID().String()+"/messages", entry)
	}
}

// shown reads a document of the event.
func (d *duel) shown(path string, to any) {
	d.t.Helper()
	a := d.get(path)
	err := json.Unmarshal(a.body, to)
	testmust.Requiref(d.t, err == nil && a.status == http.StatusOK, "%s: %d %s", path, a.status, a.body)
}

// standings are those of the log, as they are shown.
type standings struct {
	Upto      uint64
	Standings []event.Standing
	Verdict   string
}

func (d *duel) standings(query string) (s standings) {
	d.t.Helper()
	d.shown(d.path+"/standings"+query, &s)
	return s
}

func (d *duel) final(of []event.Standing, upto uint64) bulletin.FinalBody {
	sum := event.HashStandings(d.o.id, upto, of)
	return bulletin.FinalBody{Upto: upto, Standings: hex.EncodeToString(sum[:])}
}

// departs posts a last decision that departs from the event's method.
func (d *duel) departs(as bulletin.FinalBody, want event.DepartureKind) {
	d.t.Helper()
	p := d.refusal(client.RefusedDecision, d.post(d.path+"/entries", d.o.decision(d.t.(*testing.T), d.h.Head, bulletin.DecideFinal, as)))
	testmust.Equal(d.t, p.Departure, string(want), p.Detail)
}

// Standings, players, rounds and rulings that are not those of the log; an answer for what
// there is not.
func TestStandings(t *testing.T) {
	d := newDuel(t, -1)
	s := d.standings("")
	result, over := d.table.State.Result()
	testmust.Requiref(t, over && len(s.Standings) == 2 && s.Verdict == "unfinished", "%+v", s)
	for _, row := range s.Standings {
		testmust.Holdf(t, row.Total == result[slices.Index(d.sits, row.Number)] && row.Layers[event.Proved] == row.Total, "%+v, the table has %v", row, result)
	}
	d.decide(bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{Player: 1}, Do: bulletin.RulePenalty, Points: []bulletin.PlayerPoints{{Player: 1, Points: -500}}, Grounds: []wire.Hash{}, Reason: "Késett."})
	s = d.standings("")
	testmust.Holdf(t, s.Standings[1].Number == 1 && s.Standings[1].Total == result[slices.Index(d.sits, 1)]-500, "ruled: %+v", s.Standings)
	s = d.standings("?without=ruled,clock,agreed")
	testmust.Equal(t, s.Standings[0].Total+s.Standings[1].Total, result[0]+result[1], "without rulings", s.Standings)
	for path, want := range map[string]string{
		"/players": "Kovács Béla", "/players?name=KOV": "Kovács Béla", "/players/1": `"state":"sound"`, "/rounds/1": `"players":[`, "/rulings": "-500", "/standings": "unfinished",
	} {
		a := d.expect(http.StatusOK, d.get(d.path+path))
		testmust.Holdf(t, strings.Contains(string(a.body), want), "%s: %s", path, a.body)
		d.unchanged(d.path + path)
		d.refusal(client.UnknownEvent, d.get("/v1/events/"+strings.Repeat("0", 64)+path))
	}
	id := strings.TrimPrefix(d.path, "/v1/events/")
	for query, want := range map[string]int{"event=" + id: 1, "event=" + id + "&round=1": 1, "round=1": 1, "event=" + id + "&round=2": 0, "event=" + strings.Repeat("0", 64): 0} {
		list := read[client.TableList](d.house, "/v1/tables?"+query)
		testmust.Holdf(t, len(list.Tables) == want && (want <= 0 || list.Tables[0].Event == id && list.Tables[0].Number == 1), "%s: %+v", query, list.Tables)
	}
	for _, query := range []string{"event=" + id[:20], "round=0", "round=x"} {
		d.refusal(client.MalformedRequest, d.get("/v1/tables?"+query))
	}
	a := d.get(d.path + "/players?name=anna")
	testmust.Holdf(t, !strings.Contains(string(a.body), "Kovács"), "anna is %s", a.body)
	for path, want := range map[string]string{
		"/standings?without=luck": client.MalformedRequest, "/players/x": client.MalformedRequest, "/players/3": client.NotFound, "/rounds/2": client.NotFound, "/rounds/01": client.MalformedRequest,
	} {
		d.refusal(want, d.get(d.path+path))
	}
	for _, path := range []string{"players", "rulings", "bundle", "standings"} {
		d.refusal(client.MalformedRequest, d.get("/v1/events/00/"+path))
	}
}

// A sheet that is not the table's; an event in a file that cannot be read, or lacks its table.
func TestSheetAndEventBundle(t *testing.T) {
	d := newDuel(t, -1)
	path := "/v1/tables/" + d.table.State.ID().String() + "/sheet"
	var sheet struct{ Lines []event.Line }
	d.shown(path, &sheet)
	result, _ := d.table.State.Result()
	testmust.Holdf(t, len(sheet.Lines) == 1 && fmt.Sprint(sheet.Lines[0].Payments) == fmt.Sprint(result), "%+v, and not %v", sheet, result)
	a := d.get(d.path + "/bundle")
	b, err := bundle.Parse(a.body)
	testmust.Holdf(t, err == nil && b.Event == d.o.id && len(b.Tables) == 1 && b.Tables[0] == d.table.State.ID() && len(b.Entries) == 6,
		"%d %v: %+v", a.status, err, b)
	d.unchanged(d.path+"/bundle", path)
	unknown := strings.Repeat("0", 64)
	d.refuses(map[string]string{"/v1/tables/00/sheet": client.MalformedRequest, "/v1/tables/" + unknown + "/sheet": client.UnknownTable, "/v1/events/" + unknown + "/bundle": client.UnknownEvent})
}

// Somebody who watches and is not told that a table has ended.
func TestEventStreamTellsOfTables(t *testing.T) {
	d := newDuel(t, 5)
	stream, _ := d.listen(d.path + "/stream?from=6")
	state := func() string {
		var told struct{ State string }
		_, kind := stream.event(&told)
		testmust.Requiref(t, kind == "table", "told of %q", kind)
		return told.State
	}
	testmust.Equal(t, state(), "unfinished", "the table")
	d.goOn(func() error { return d.table.Play(-1) })
	testmust.Equal(t, state(), "sound", "the table")
}

// Decisions with which the event departs from its method, taken by mistake; an honest one that
// is refused; a flood of notices that keeps the organiser from deciding.
func TestDeparturesAreRefused(t *testing.T) {
	d := newDuel(t, 5)
	d.departs(d.final(nil, 6), event.TableUnfinished)
	d.goOn(func() error { return d.table.Play(-1) })
	late, _ := newOrganiser(t)
	late.id = d.o.id
	late.key, late.signer = d.o.key, d.o.signer
	for range 15 {
		a := d.post(d.path+"/entries", late.notice(t, bulletin.Register, bulletin.RegisterBody{Name: "Flood"}))
		testmust.Holdf(t, a.status == http.StatusTooManyRequests || a.status == http.StatusUnprocessableEntity || a.status == http.StatusOK,
			"a flood: %d %s", a.status, a.body)
	}
	s := d.standings("")
	d.departs(d.final(s.Standings[:1], s.Upto), event.StandingsDiffer)
	ten := bulletin.RulingBody{About: bulletin.RulingSubject{Table: d.table.State.ID().String()}, Do: bulletin.RuleAdjust, Points: []bulletin.PlayerPoints{{Player: 1, Points: 10}}, Grounds: []wire.Hash{}, Reason: "He was rude."}
	p := d.refusal(client.RefusedDecision, d.post(d.path+"/entries", d.o.decision(t, d.h.Head, bulletin.DecideRuling, ten)))
	testmust.Hold(t, strings.Contains(p.Detail, "must add up to zero; yours make +10 (V7-rulings)"), p.Detail)
	d.posted(d.path+"/entries", d.o.decision(t, d.h.Head, bulletin.DecideFinal, d.final(s.Standings, s.Upto)))
}

// Standings that the organiser gets wrong, or right, while somebody else sits in a player's seat, at a
// table in play that an arbiter lets stand; or at one that was in play when they were computed.
func TestStandingsOfTablesInPlay(t *testing.T) {
	for name, substitute := range map[string]bool{"a substitute": true, "over since": false} {
		t.Run(name, func(t *testing.T) {
			d := newDuelWith(t, func(e *bulletin.Event) { e.Deals = 3 }, 5, "Béla", "Anna")
			until := func(deals int) {
				d.goOn(func() (err error) {
					for err == nil && len(d.table.State.Sheet().Deals) < deals {
						err = d.table.Play(1)
					}
					return err
				})
			}
			if until(1); substitute {
				d.goOn(func() error {
					hand, reseat, err := d.table.Substitute(1)
					return errors.Join(err, d.table.Add(reseat), d.table.SitDown(hand))
				})
			}
			until(2)
			about := bulletin.RulingSubject{Table: d.table.State.ID().String()}
			d.decide(bulletin.DecideRuling, bulletin.RulingBody{About: about, Do: bulletin.RuleStands, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "The hall closes."})
			right := event.NextFinal(d.h, d.replayed(), d.size())
			if !substitute {
				d.goOn(func() error { return d.table.Play(-1) })
			}
			shown := d.standings("")
			shown.Standings[0].Total++
			d.departs(d.final(shown.Standings, right.Upto), event.StandingsDiffer)
			d.decide(bulletin.DecideFinal, right)
		})
	}
}

// Standings by which a player who is away has what a substitute wins, as long as the table is in play.
func TestStandingsOfASubstituteInPlay(t *testing.T) {
	d := newDuelWith(t, func(e *bulletin.Event) {
		e.Deals, e.Rounds, e.Registration.Max, e.Registration.Late = 4, 2, 3, 2
		e.Seating = append(e.Seating, bulletin.SeatAtRandom)
	}, 5, "Béla", "Anna")
	until := func(deals int) {
		d.goOn(func() (err error) {
			for err == nil && len(d.table.State.Sheet().Deals) < deals {
				err = d.table.Play(1)
			}
			return err
		})
	}
	same := func(when string) {
		t.Helper()
		want := event.Judge(d.h, d.replayed(), d.size(), event.Options{}).Standings
		got := d.standings("").Standings
		testmust.Holdf(t, slices.EqualFunc(got, want, func(a, b event.Standing) bool { return a.Number == b.Number && a.Total == b.Total }), "%s: %+v, a replay says %+v", when, got, want)
	}
	until(1)
	hand, reseat, err := d.table.Substitute(1)
	testmust.Do(t, err)
	d.goOn(func() error { return errors.Join(d.table.Add(reseat), d.table.SitDown(hand)) })
	p := organiser{signer: hand.Signer, key: d.table.State.HolderKey(1), id: d.o.id}
	register := p.notice(t, bulletin.Register, bulletin.RegisterBody{Name: "Csaba"})
	d.take(d.path+"/entries", register)
	d.decide(bulletin.DecideRoster, bulletin.RosterBody{Upto: d.size(), Accept: []bulletin.AcceptedNotice{{Number: 3, Notice: wire.HashEntry(register)}}, Refuse: []bulletin.RefusedNotice{}})
	until(2)
	same("after a deal of the substitute's")
	d.goOn(func() error { return d.table.Play(2) })
	same("in the next")
	until(3)
	same("after another")
}

// replayed are the tables of the log as a verifier replays them.
func (d *duel) replayed() (list []*event.Table) {
	d.t.Helper()
	tables := map[wire.Hash]*sheets.Table{}
	r := replay.New(catalogue, nil, 1, func(id wire.Hash, s replay.Step) {
		if tables[id] == nil {
			tables[id] = sheets.New(id, s)
		}
		tables[id].TakeStep(s)
	})
	index := uint64(0)
	for entry, err := range d.log.Entries(d.t.Context(), 0, d.size()) {
		testmust.Do(d.t, err)
		r.TakeLeaf(replay.NewLeaf(index, wire.HashEntry(entry), bytes.Clone(entry)))
		index++
	}
	r.SettleBatches()
	for _, t := range tables {
		list = append(list, t.Sheet())
	}
	return list
}

// A player under a name that looks like another's, whom who reads a list takes for the other.
func TestNamesThatLookAlike(t *testing.T) {
	d := newDuelWith(t, func(*bulletin.Event) {}, 5, "Ida", "lda")
	for _, path := range []string{"/players", "/players?name=ida", "/players/2", "/roster"} {
		a := d.get(d.path + path)
		testmust.Holdf(t, strings.Contains(string(a.body), `"alike":true`), "%s: %s", path, a.body)
	}
	other := newDuel(t, 0)
	a := other.get(other.path + "/players")
	testmust.Holdf(t, a.status == http.StatusOK && !strings.Contains(string(a.body), `"alike"`), "%d %s", a.status, a.body)
}

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

func contestOf(o *organiser) *bulletin.Event {
	commit := sha256.Sum256([]byte("secret"))
	return &bulletin.Event{
		Format: bulletin.EventFormat, Name: "Kupa", Game: "schwarzer-peter/v1", Suite: clear.Name, Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []bulletin.Seating{bulletin.SeatAtRandom}, Draw: bulletin.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: bulletin.ScoreSum, Places: []int{},
		Ties: []bulletin.Tie{}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: 1}, Arbiters: []string{}, Jury: []string{}, Organiser: o.key, Nonce: make([]byte, wire.NonceBytes),
	}
}

func (o *organiser) sign(t *testing.T, what any) []byte {
	t.Helper()
	return testmust.Have(bulletin.Sign(what, o.signer))(t)
}

func (o *organiser) notice(t *testing.T, kind bulletin.NoticeKind, body any) []byte {
	raw, _ := wire.EncodeBody(body)
	return o.sign(t, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: o.id, Seen: o.id, By: o.key, Kind: kind, Body: raw})
}

func (o *organiser) decision(t *testing.T, parent wire.Hash, kind bulletin.DecisionKind, body any) []byte {
	raw, _ := wire.EncodeBody(body)
	return o.sign(t, &bulletin.Decision{Format: bulletin.DecisionFormat, Event: o.id, Parent: parent, By: o.key, Kind: kind, Body: raw})
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
	register := o.notice(t, bulletin.Register, bulletin.RegisterBody{Name: "Kovács Béla"})
	refused("an entry of no event", entries, register, client.UnknownEvent)
	refused("a notice announces no event", "/v1/events", register, client.MalformedEntry)
	refused("a table announces no event", "/v1/events", newTable(t, wire.RefuseFouls).Entries[0], client.MalformedEntry)
	first := h.posted("/v1/events", announcement)
	again := h.post("/v1/events", announcement)
	testmust.Holdf(t, first.Table == o.id && first.Head == o.id && again.status == http.StatusOK, "announced as %+v, again %d", first, again.status)
	h.expect(http.StatusCreated, h.post(entries, register))
	h.expect(http.StatusOK, h.post(entries, register))
	refused("cut short", entries, register[:len(register)-5], client.MalformedEntry)
	refused("an announcement", entries, announcement, client.MalformedEntry)
	refused("no event", "/v1/events/00/entries", register, client.MalformedRequest)
	refused("another event", "/v1/events/"+strings.Repeat("0", 64)+"/entries", register, client.RefusedNotice)
	refused("a player of nothing", entries, o.notice(t, bulletin.Skip, bulletin.RoundBody{Round: 2}), client.RefusedNotice)
	other, _ := newOrganiser(t)
	other.id = o.id
	twin := other.sign(t, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: o.id, Seen: o.id, By: other.key, Kind: bulletin.Register, Body: []byte(`{"name":"%D0%90nna","club":"","draw":false,"ticket":""}`)})
	refused("a name of two scripts", entries, twin, client.RefusedNotice)
	accept := o.decision(t, o.id, bulletin.DecideRoster, bulletin.RosterBody{Upto: 2, Accept: []bulletin.AcceptedNotice{{Number: 1, Notice: wire.HashEntry(register)}}, Refuse: []bulletin.RefusedNotice{}})
	roster := h.posted(entries, accept)
	refused("on an old decision", entries, o.decision(t, o.id, bulletin.DecideRemark, bulletin.RemarkBody{}), client.StaleParent)
	refused("out of nothing", entries, o.decision(t, roster.Head, bulletin.DecideRound, bulletin.SeatingBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2}}, Byes: []int{}}), client.RefusedDecision)
	refused("no room", entries, other.notice(t, bulletin.Register, bulletin.RegisterBody{Name: "B"}), client.EventFull)
	forged := strings.Replace(string(announcement), "Kupa", "Cupa", 1)
	refused("forged", "/v1/events", []byte(forged), client.RefusedDecision)

	stream, _ := h.listen("/v1/events/" + o.id.String() + "/stream?from=1")
	for n, want := range [][]byte{register, accept} {
		var e client.EventEntry
		id, _ := stream.event(&e)
		testmust.Holdf(t, id == fmt.Sprint(n+1) && e.Entry == string(want), "streamed %s as %s", e.Entry, id)
	}

	c := h.client()
	ctx := t.Context()
	e, err := c.Event(ctx, o.id)
	testmust.Holdf(t, err == nil && e.Name == "Kupa" && e.Players == 1 && e.Head == roster.Head && e.Unanswered == 0 && e.Of == 1 && !e.Over, "%+v, %v", e, err)
	list, err := c.Events(ctx, nil, 1)
	testmust.Requiref(t, err == nil && len(list.Events) == 1 && list.Next != nil, "%+v, %v", list, err)
	list, err = c.Events(ctx, list.Next, 1)
	testmust.Holdf(t, err == nil && len(list.Events) == 0, "%+v, %v", list, err)
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = c.PostEvent(ctx, o.id, o.decision(t, roster.Head, bulletin.DecideRemark, bulletin.RemarkBody{Text: "Lunch."}))
	}()
	page, err := c.EventEntries(ctx, o.id, 3, 20*time.Second)
	testmust.Holdf(t, err == nil && page.Count == 4 && len(page.Entries) == 1 && strings.Contains(page.Entries[0].Entry, "Lunch."), "%+v, %v", page, err)
	found, err := c.FindCode(ctx, o.id.Code()[:8])
	testmust.Holdf(t, err == nil && len(found.Found) == 1 && found.Found[0].Kind == "event", "%+v, %v", found, err)
	if who, err := c.EventRoster(ctx, o.id); err != nil || len(who.Players) != 1 || who.Players[0].Name != "Kovács Béla" || who.Players[0].Key != o.key || len(who.Rounds) != 0 {
		t.Errorf("%+v, %v", who, err)
	}
	seated := o.decision(t, mustHead(t, c, o.id), bulletin.DecideRound, bulletin.SeatingBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{}, Byes: []int{1}})
	h.posted(entries, seated)
	who, err := c.EventRoster(ctx, o.id)
	testmust.Holdf(t, err == nil && len(who.Rounds) == 1 && who.Rounds[0].Byes[0] == 1, "%+v, %v", who, err)
	h.unchanged("/v1/events", "/v1/events/"+o.id.String(), entries, "/v1/events/"+o.id.String()+"/roster")
	h.refuses(map[string]string{"/v1/events?after=x": client.MalformedRequest, "/v1/events/00": client.MalformedRequest, "/v1/events/00/roster": client.MalformedRequest, "/v1/events/" + strings.Repeat("0", 64) + "/roster": client.UnknownEvent, entries + "?from=x": client.MalformedRequest,
		"/v1/events/" + strings.Repeat("0", 64): client.UnknownEvent, "/v1/events/" + strings.Repeat("0", 64) + "/entries": client.UnknownEvent})
}

func mustHead(t *testing.T, c *client.Client, id wire.Hash) wire.Hash {
	t.Helper()
	return testmust.Have(c.Event(t.Context(), id))(t).Head
}
