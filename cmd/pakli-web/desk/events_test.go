package desk_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// shownEvent is part of what a page shows of an event.
type shownEvent struct {
	ID, Stage, Step, Verdict string
	Verified                 uint64
	Round                    int
	Waiting                  []struct {
		Name  string
		Index uint64
	}
	Players []struct{ Called string }
	Alike   []string
	Draw    *struct{ ID string }
	Own     struct {
		State  string
		Number int
		Roles  []string
		Draw   *string
		Table  *struct{ ID, Stands string }
	}
	Ranks  []struct{ Rank, Number, Total int }
	Rounds []struct {
		Tables []struct {
			ID      *string
			Company []string
			Numbers []int
		}
	}
	Groups  [][]int
	Rulings []struct{ Hash, State string }
}

func (p page) look() (v shownEvent) {
	p.Helper()
	p.must("event.look", nil, &v)
	return v
}

// next makes the organiser do this step and no other.
func (p page) next(step string) {
	p.Helper()
	testmust.Equal(p, p.click(step, p.look()), step, "the step that was done")
}

// click makes the organiser do a step from an earlier view of the page, and returns the step that was
// done.
func (p page) click(step string, shown shownEvent) (did string) {
	p.Helper()
	above := uint64(0)
	for _, w := range shown.Waiting {
		above = max(above, w.Index+1)
	}
	p.must("event.next", map[string]any{"steps": []string{step}, "shown": above}, &did)
	return did
}

// club announces an event of two players at one table, in a browser, and accepts them.
func club(t *testing.T, at place, change map[string]any) (organiser page, players []page, browsers []*browser) {
	organiser = open(t, newBrowser(), at)
	draft := map[string]any{"kind": "evening", "game": "schwarzer-peter/v1", "name": "Évadnyitó", "deals": 1, "rounds": 1, "sizes": []int{2}, "draw": "commit", "max": 10, "own": true, "seat": "klub", "sign": true}
	for name, value := range change {
		draft[name] = value
	}
	var made struct{ Code string }
	organiser.must("event.draft", draft, &made)
	organiser.at["event"] = made.Code
	for _, name := range []string{"Kovács Anna", "Grün-Weiß"} {
		b := newBrowser()
		p := open(t, b, at)
		p.at["event"] = made.Code
		p.must("event.say", map[string]any{"kind": "register", "name": name, "kept": "trifling", "draw": true}, nil)
		testmust.Equal(t, p.look().Own.State, "waiting", name)
		players, browsers = append(players, p), append(browsers, b)
	}
	organiser.next("roster")
	return organiser, players, browsers
}

// Pages cannot bring an event to its end; a step is done although the page showed another; a decision
// has another effect than shown; standings differ from a verifier's.
func TestEventInPages(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, players, browsers := club(t, at, nil)
	var did string
	organiser.must("event.next", map[string]any{"steps": []string{"roster", "start"}}, &did)
	testmust.Equal(t, did, "", "a step that is not the next")
	organiser.next("draw")
	organiser.next("seat")
	testmust.Equal(t, organiser.look().Step, "start", "the pairing is seen before tables begin")
	organiser.next("start")
	for i, p := range players {
		v := p.look()
		testmust.Requiref(t, v.Own.Number == i+1 && v.Own.Table != nil && v.Verified == 0, "%+v", v.Own)
		p.at["table"] = v.Own.Table.ID
		p.must("event.sit", nil, nil)
		p.must("sit", nil, nil)
		p.must("event.say", map[string]any{"kind": "call", "about": v.Own.Table.ID, "reason": "A telephone rang."}, nil) // while the seat is held
	}
	done := make(chan bool)
	go func() {
		players[1].play(browsers[1], mathrand.New(mathrand.NewPCG(1, 2)))
		close(done)
	}()
	players[0].play(browsers[0], mathrand.New(mathrand.NewPCG(3, 4)))
	<-done
	before := organiser.look()
	penalty := map[string]any{"kind": "ruling", "do": "penalty", "player": before.Ranks[0].Number, "points": []map[string]int{{"player": before.Ranks[0].Number, "points": -7}}, "reason": "It was hers."}
	var effect []struct{ Before, After, WasRank, WillRank int }
	organiser.must("event.decide", penalty, &effect)
	testmust.Requiref(t, len(effect) == 2 && len(organiser.look().Rulings) == 0, "shown %+v", effect)
	penalty["sign"] = true
	organiser.must("event.decide", penalty, nil)
	after := organiser.look()
	testmust.Holdf(t, after.Ranks[1].Total == before.Ranks[0].Total-7 && after.Ranks[1].Total == effect[1].After && after.Ranks[0].Number == before.Ranks[1].Number, "%+v, and shown was %+v", after.Ranks, effect)
	err := players[0].call("event.decide", penalty, nil)
	testmust.Holdf(t, err != nil && strings.Contains(err.Error(), desk.ErrNoSeat.Error()), "a player rules: %v", err)
	players[0].must("event.say", map[string]any{"kind": "appeal", "about": after.Rulings[0].Hash, "reason": "It was not."}, nil)
	err = organiser.call("event.next", map[string]any{"steps": []string{"final"}}, nil)
	departs, is := err.(*desk.DepartureError)
	testmust.Requiref(t, is && departs.What == "appeal-open", "published with an open appeal: %v", err)
	err = organiser.call("event.decide", map[string]any{"kind": "ruling", "do": "uphold", "on": after.Rulings[0].Hash, "reason": "So be it."}, nil)
	testmust.Holdf(t, err != nil, "the organiser, who is no jury, decides on the appeal")
	organiser.must("event.decide", map[string]any{"kind": "cancel", "reason": "The hall closes.", "sign": true}, nil)
	testmust.Equal(t, players[0].look().Stage, "cancelled", "the event")
	var v shownEvent
	players[1].must("event.look", map[string]any{"verify": true}, &v)
	testmust.Holdf(t, v.Verified > 0 && fmt.Sprint(v.Ranks) == fmt.Sprint(after.Ranks), "who verifies has %+v", v)
}

// A server's answers about an event crash the page's program, and with it every table that is played
// there.
func TestHostileEventAnswers(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, players, browsers := club(t, at, nil)
	for _, step := range []string{"draw", "seat", "start"} {
		organiser.next(step)
	}
	seen, answers := players[0].look(), at.Handler
	for path, forged := range map[string]string{
		"/v1/events/" + seen.ID + "/entries": `{"entries":[],"count":0}`,
		"/v1/tables":                         `{"tables":[{"id":"` + seen.Own.Table.ID + `","seats":[],"state":"playing","owing":[{"seats":[-1,1]}]}]}`,
	} {
		hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				_, _ = io.WriteString(w, forged)
				return
			}
			answers.ServeHTTP(w, r)
		}))
		t.Cleanup(hostile.Close)
		p := open(t, browsers[0], place{URL: hostile.URL, Key: at.Key})
		p.at["event"] = seen.ID
		var v shownEvent
		err := p.call("event.look", nil, &v)
		testmust.Holdf(t, (err != nil) == strings.HasSuffix(path, "/entries"), "%s: %v", path, err)
	}
}

// A stranger registers under a player's name, and the organiser's page confuses the two; or does so
// just before the organiser accepts others, and is accepted unseen.
func TestNamesakeInPages(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, players, _ := club(t, at, nil)
	nobody := organiser.look()
	testmust.Equal(t, len(nobody.Alike), 0, "names that look alike")
	stranger := open(t, newBrowser(), at)
	stranger.at["event"] = organiser.at["event"]
	stranger.must("event.say", map[string]any{"kind": "register", "name": "Kovács Anna", "kept": "trifling"}, nil)
	testmust.Equal(t, organiser.click("roster", nobody), "", "a step that accepts whom the page has not shown")
	for _, p := range append(players, organiser, stranger) {
		v := p.look()
		testmust.Requiref(t, len(v.Alike) == 2 && len(v.Waiting) == 1, "%v, and %v wait", v.Alike, v.Waiting)
		testmust.Holdf(t, v.Alike[0] != v.Alike[1] && v.Waiting[0].Name == v.Alike[1] && strings.HasPrefix(v.Alike[0], "Kovács Anna (…"), "shown are %v", v.Alike)
	}
	shown := organiser.look()
	later := open(t, newBrowser(), at)
	later.at["event"] = organiser.at["event"]
	later.must("event.say", map[string]any{"kind": "register", "name": "Grün-Weiß", "kept": "trifling"}, nil)
	testmust.Equal(t, organiser.click("roster", shown), "roster", "the step that accepts who was shown")
	v := organiser.look()
	testmust.Holdf(t, len(v.Players) == 3 && len(v.Waiting) == 1, "players are %v, and %v wait", v.Players, v.Waiting)
}

// A player has gone, and nobody can take the seat without a terminal; the seat is given without
// acceptance, to somebody who is no player, by somebody who does not rule, or twice; a player is led
// to a table where another now has the seat.
func TestSubstituteInPages(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, all, browsers := club(t, at, nil)
	spare := newBrowser()
	third := open(t, spare, at)
	third.at["event"] = organiser.at["event"]
	third.must("event.say", map[string]any{"kind": "register", "name": "Zoli", "kept": "trifling"}, nil)
	all, browsers = append(all, third), append(browsers, spare)
	for _, step := range []string{"roster", "draw", "seat", "start"} {
		organiser.next(step)
	}
	var seated []int
	bye := -1
	for i, p := range all {
		if v := p.look(); v.Own.Table == nil {
			bye = i
		} else {
			p.at["table"] = v.Own.Table.ID
			seated = append(seated, i)
		}
	}
	testmust.Requiref(t, len(seated) == 2, "%v sit", seated)
	stays, gone, substitute := all[seated[0]], all[seated[1]], all[bye]
	seat := 1
	if organiser.look().Rounds[0].Tables[0].Numbers[0] == gone.look().Own.Number {
		seat = 0
	}
	substitute.at["table"] = stays.at["table"]
	var made struct{ Link string }
	testmust.Fail(t, substitute.call("event.accept", map[string]any{"seat": 2, "kept": "trifling"}, nil), "a seat that the table does not have")
	substitute.must("event.accept", map[string]any{"seat": seat, "kept": "trifling"}, &made)
	link := testmust.Have(url.Parse(made.Link))(t)
	said := testmust.Have(url.ParseQuery(link.EscapedFragment()))(t)
	give := map[string]any{"table": said.Get("table"), "seat": seat, "by": said.Get("by"), "accept": said.Get("accept")}
	testmust.Fail(t, stays.call("event.reseat", give, nil), "a player gives the seat")
	other := maps.Clone(give)
	other["seat"] = 1 - seat
	testmust.Fail(t, organiser.call("event.reseat", other, nil), "a seat that was not accepted")
	stranger := testmust.Have(player.CreateIdentity(memoryVault{}, "stranger"))(t)
	c := testmust.Have(client.New(at.URL, testmust.Have(note.NewVerifier(at.Key))(t), nil))(t)
	id := testmust.Have(wire.ParseHash(said.Get("table")))(t)
	head := testmust.Have(c.Table(context.Background(), id))(t).Head
	other["seat"], other["by"] = seat, stranger.VerifierKey()
	other["accept"] = wire.Base64(testmust.Have(wire.SignAccept(stranger.Signer(), id, head, seat))(t))
	testmust.Fail(t, organiser.call("event.reseat", other, nil), "who is no player")
	organiser.must("event.reseat", give, nil)
	testmust.Fail(t, organiser.call("event.reseat", give, nil), "once more")
	v := substitute.look()
	testmust.Requiref(t, v.Own.Table != nil && v.Own.Table.ID == said.Get("table") && gone.look().Own.Table == nil, "%+v, and who has gone has %+v", v.Own, gone.look().Own)
	for _, p := range []page{stays, substitute} {
		p.must("event.sit", nil, nil)
		p.must("sit", nil, nil)
	}
	done := make(chan bool)
	go func() {
		substitute.play(browsers[bye], mathrand.New(mathrand.NewPCG(1, 2)))
		close(done)
	}()
	stays.play(browsers[seated[0]], mathrand.New(mathrand.NewPCG(3, 4)))
	<-done
	testmust.Equal(t, organiser.look().Step, "final", "what comes next")
}

// Browsers of organiser and players cannot draw lots at a table; or the page does not say that a pair
// could not be kept apart.
func TestEventDrawnAtATable(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, players, _ := club(t, at, map[string]any{"draw": "table", "apart": true})
	organiser.must("event.decide", map[string]any{"kind": "groups", "groups": [][]int{{1, 2}}, "sign": true}, nil)
	organiser.next("draw")
	organiser.next("draw") // again, as a newly loaded page would: the same table
	table := organiser.look().Draw.ID
	failed := make(chan error)
	for _, p := range append(players, organiser) {
		v := p.look()
		testmust.Requiref(t, v.Own.Draw != nil && *v.Own.Draw == table, "%+v", v.Own)
		go func() { failed <- p.call("event.draw", map[string]any{"table": table}, nil) }()
	}
	for range 3 {
		testmust.Do(t, <-failed)
	}
	organiser.next("seat")
	v := organiser.look()
	testmust.Equal(t, v.Round, 1, "rounds")
	testmust.Equal(t, fmt.Sprint(v.Groups, len(v.Rounds[0].Tables[0].Company)), "[[1 2]] 2", "the groups, and how many were not kept apart")
}

// Somebody other than the event's organiser invites its players to a table under other terms.
func TestNobodySitsWhereTheEventDoesNotSeat(t *testing.T) {
	t.Parallel()
	at := serve(t)
	organiser, players, _ := club(t, at, nil)
	organiser.next("draw")
	organiser.next("seat")
	organiser.next("start")
	v := players[0].look()
	var seats []struct{ Key string }
	players[0].must("seats", nil, &seats)
	c := testmust.Have(client.New(at.URL, testmust.Have(note.NewVerifier(at.Key))(t), nil))(t)
	entries := testmust.Have(c.ListedMessages(context.Background(), testmust.Have(wire.ParseHash(v.Own.Table.ID))(t), 0))(t)
	g := testmust.Have(wire.ParseGenesis([]byte(entries[0].Entry)))(t).Table
	stranger := testmust.Have(player.CreateIdentity(memoryVault{}, "stranger"))(t)
	for what, change := range map[string]func(*wire.Genesis){
		"another organiser": func(g *wire.Genesis) { g.Organiser = stranger.VerifierKey() },
		"other terms":       func(g *wire.Genesis) { g.Organiser, g.Ends.Resign = stranger.VerifierKey(), false },
		"no event":          func(g *wire.Genesis) { g.Organiser, g.Event, g.Round, g.Number = stranger.VerifierKey(), "", 0, 0 },
	} {
		forged := *g
		change(&forged)
		forged.Nonce = make([]byte, wire.NonceBytes)
		rand.Read(forged.Nonce)
		entry := testmust.Have(wire.Sign(&forged, stranger.Signer()))(t)
		testmust.Have(c.CreateTable(context.Background(), entry))(t)
		err := players[0].call("event.sit", map[string]any{"table": wire.HashEntry(entry)}, nil)
		testmust.Holdf(t, err != nil && strings.Contains(err.Error(), "not as the event says"), "%s: %v", what, err)
		err = organiser.call("event.close", map[string]any{"table": wire.HashEntry(entry), "reason": "Not ours."}, nil)
		testmust.Holdf(t, err != nil, "%s: the organiser closes it", what)
	}
	err := players[0].call("event.close", map[string]any{"table": v.Own.Table.ID, "reason": "I am losing."}, nil)
	testmust.Holdf(t, err != nil, "a player closes a table")
	organiser.must("event.close", map[string]any{"table": v.Own.Table.ID, "reason": "Nobody came."}, nil)
	testmust.Equal(t, organiser.look().Step, "final", "after the last table was closed")
}

// Mistakes in a draft are reported one by one, or signed.
func TestDraftOfAnEvent(t *testing.T) {
	p := open(t, newBrowser(), place{URL: "http://127.0.0.1:1"})
	var shown struct {
		Wrong []struct{ Field string }
		Terms []string
	}
	p.must("event.draft", map[string]any{"kind": "tarokk-cup", "game": "tarokk/v1", "name": " ", "from": "2020-01-01", "to": "soon", "deals": 0, "rounds": 1001, "sizes": []int{9}, "draw": "table", "max": 1, "late": 1002, "jury": []string{"nobody"}, "sign": true}, &shown)
	fields := map[string]bool{}
	for _, w := range shown.Wrong {
		fields[w.Field] = true
	}
	for _, want := range []string{"name", "from", "to", "deals", "rounds", "sizes", "max", "late", "jury"} {
		testmust.Holdf(t, fields[want], "%s is not told among %v", want, shown.Wrong)
	}
	more := map[string]any{"kind": "tarokk-cup", "game": "tarokk/v1", "name": "Kupa", "deals": 8, "rounds": 3, "sizes": []int{4}, "draw": "table", "max": 100}
	draft := func(fields map[string]any) map[string]any {
		all := maps.Clone(more)
		maps.Copy(all, fields)
		return all
	}
	for field, wrong := range map[string]map[string]any{
		"points": {"points": "4, 3, 2, 1, 0"}, "bye": {"bye": "ten"}, "forfeit": {"forfeit": -1}, "protest": {"protest": 30}, "times": {"clock": "club", "times": "90, 600", "keepers": []string{"k"}},
		"keepers": {"clock": "rapid"}, "apart": {"apart": true, "seating": "plan"},
	} {
		shown.Wrong = nil
		p.must("event.draft", draft(wrong), &shown)
		testmust.Holdf(t, slices.ContainsFunc(shown.Wrong, func(w struct{ Field string }) bool { return w.Field == field }), "%s is not told among %v", field, shown.Wrong)
	}
	p.must("event.draft", draft(map[string]any{"lang": "de", "apart": true, "seating": "ranked", "points": "4, 2, 1, 0", "bye": "-3", "forfeit": 20}), &shown)
	said := strings.Join(shown.Terms, "\n")
	for _, want := range []string{"Spieler eines Vereins werden auseinandergehalten", "Familien und Paare", "Runde 3: Nachbarn", "4, 2, 1, 0", "−3 Punkte", "zahlt jedem anderen 20"} {
		testmust.Holdf(t, len(shown.Wrong) == 0 && strings.Contains(said, want), "%q is not said: %v, %s", want, shown.Wrong, said)
	}
	text := testmust.Have(json.Marshal(shown))(t)
	p.must("event.draft", map[string]any{"kind": "tarokk-cup", "game": "tarokk/v1", "name": "Kupa", "deals": 8, "rounds": 3, "sizes": []int{4}, "draw": "table", "max": 100}, &shown)
	testmust.Holdf(t, len(shown.Wrong) == 0 && len(shown.Terms) > 12, "%s, then %+v", text, shown)
}

// memoryVault is a player.Vault in memory.
type memoryVault map[string][]byte

func (m memoryVault) ReadRecord(name string) ([]byte, error) {
	if record, ok := m[name]; ok {
		return record, nil
	}
	return nil, fs.ErrNotExist
}

func (m memoryVault) ReplaceRecord(name string, data []byte) error { m[name] = data; return nil }
func (m memoryVault) Close() error                                 { return nil }
