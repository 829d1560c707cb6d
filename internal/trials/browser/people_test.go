package browser

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// Two people who are not called as they write themselves, who sit down without having been told what leaving costs, one of whom
// keeps the other's result by going away, or who come to two tables though each wants to play again with the other; a lobby that shows them
// late, or among those who practise.
func TestPeopleAtAnOpenTable(t *testing.T) {
	t.Parallel()
	f := serve(t)
	anna, bela, lobby := visitor(t, f), visitor(t, f), visitor(t, f)
	f.begin("schwarzer-peter/v1", 1, "zoli", "elza-bot")
	lobby.visit(f.URL + "/lobby")
	lobby.shows("Nobody has played here yet")
	anna.visit(f.URL + "/new")
	anna.fill("input[autocomplete=nickname]", "Kovács Anna")
	anna.fill("main select", "schwarzer-peter/v1")
	places := `[...document.querySelectorAll("main label")].find(l => l.textContent.startsWith("Places"))?.querySelector("select")`
	anna.until(places + `?.options.length === 7`)
	eval[chromedp.Void](anna, `(e => { e.value = "2"; e.dispatchEvent(new Event("change", { bubbles: true })); })(`+places+`)`)
	anna.press("Offer the table")
	anna.until(`document.querySelector(".invite input")`)
	link := eval[string](anna, `document.querySelector(".invite input").value`)
	bela.visit(link)
	bela.shows("Nobody rules here")
	bela.shows("pays 1 to every other player")
	bela.shows("No clock")
	bela.fill("input[autocomplete=nickname]", "KOVÁCS Anna")
	bela.press("Join")
	bela.shows("KOVÁCS Anna 2 is free")
	bela.fill("input[autocomplete=nickname]", "Grün-Weiß")
	bela.press("Join")
	lobby.shows("Kovács Anna, Grün-Weiß")
	lobby.looks("a lobby of people")
	lobby.shown(375, false)
	lobby.picture("lobby-375")
	lobby.shown(1280, false)
	lobby.picture("lobby-1280")
	eval[chromedp.Void](lobby, `document.querySelector(".filters input").click()`)
	lobby.shows("elza-bot")
	testmust.Hold(t, lobby.holds(`!performance.getEntriesByType("resource").some(r => /v1\/(offers|tables\?)/.test(r.name))`), "the lobby asks for what it is told")
	sit := func() {
		for _, p := range []*tab{anna, bela} {
			p.shows("Grün-Weiß")
			p.press("Sit down")
			p.until(`document.querySelector(".table, .status button")`)
			if p.holds(`!document.querySelector(".table")`) {
				p.press("Nothing depends on this game")
			}
			p.until(`document.querySelector(".table")?.textContent.includes("Kovács Anna")`)
		}
	}
	sit()
	anna.until(`document.querySelector(".others .there")?.textContent === "●"`)
	anna.looks("a table whose players are there")
	first := eval[string](anna, "location.pathname")
	agree := func(p *tab) {
		p.until(`document.querySelector(".leaving summary")`)
		eval[chromedp.Void](p, `document.querySelector(".leaving details").open = true`)
		p.press("Agree to end")
	}
	agree(anna)
	bela.shows("Kovács Anna agreed to end (1 of 2)")
	bela.press("Leave the table …")
	bela.shows("you pay 1 to every other player")
	bela.looks("before one leaves")
	eval[chromedp.Void](bela, `[...document.querySelectorAll(".leaving .main")].find(b => b.textContent === "Leave").click()`)
	bela.shows("You have left")
	anna.shows("Grün-Weiß has left")
	anna.looks("a table that one has left")
	anna.press("Agree to end")
	for _, p := range []*tab{anna, bela} {
		p.shows("Again with the same players")
		p.looks("the end")
	}
	for _, p := range []*tab{anna, bela} { // both at once
		eval[chromedp.Void](p, `[...document.querySelectorAll("button")].find(b => b.textContent === "Again with the same players").click()`)
	}
	sit()
	second, other := eval[string](anna, "location.pathname"), eval[string](bela, "location.pathname")
	testmust.Holdf(t, second == other && second != first && strings.HasPrefix(second, "/t/"), "after %s they are at %s and %s", first, second, other)
	title := fmt.Sprintf("document.title.includes(%s) || document.title.includes(%s) || document.title.includes('Your turn')", quote("Kovács Anna"), quote("Grün-Weiß"))
	anna.until(title)
	f.orderly()
}

// Four people who have read nothing, with two phones and two laptops, who cannot come to a table, cannot finish their four deals, or cannot
// say after each who won, by how much and why: each screen shows, for as long as a person reads, who got what by the rules of the game, and all
// screens the same.
func TestEveningOfFour(t *testing.T) {
	testmust.OnlyThorough(t, "four deals at the pace of people")
	t.Parallel()
	const deals = 4
	f := serve(t)
	people := []struct {
		name          string
		width, height int64
	}{{"Kovács Anna", 375, 740}, {"Grün-Weiß", 812, 375}, {"Csilla", 1366, 768}, {"Öreg Dezső", 1920, 1080}}
	tabs := make([]*tab, len(people))
	for i, person := range people {
		tabs[i] = visitor(t, f)
		tabs[i].call(func(ctx context.Context) error {
			_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: person.width, Height: person.height, DeviceScaleFactor: 1})
			return err
		})
	}
	tabs[0].visit(f.URL)
	tabs[0].picture("evening-door")
	link := tabs[0].offers(f, people[0].name, "tarokk/v1", deals)
	for i, p := range tabs[1:] {
		p.visit(link)
		p.takesName(people[i+1].name)
		p.press("Join")
	}
	var id wire.Hash
	for i, p := range tabs {
		id = p.seated()
		eval[chromedp.Void](p, fmt.Sprintf("pakliTest.reads = true; pakliTest.play(%d)", 40+i))
	}
	type result struct {
		Deal       string
		Why, Names []string
		Paid       []int
	}
	for n := 1; n <= deals; n++ {
		for i, p := range tabs {
			p.untilIn(8*time.Minute, fmt.Sprintf("pakliTest.results().length >= %d", n))
			p.picture(fmt.Sprintf("evening-%d-%d", n, i))
		}
	}
	for i, p := range tabs {
		p.over(8 * time.Minute)
		p.picture(fmt.Sprintf("evening-over-%d", i))
	}
	states := f.history(id)
	last := states[len(states)-1]
	want := make([][]int, last.DealsBegun()) // more than four, where some are thrown in
	for n := range want {
		want[n] = make([]int, len(people))
	}
	for _, line := range last.Sheet().Deals {
		want[line.Deal-1] = line.Payments
	}
	for i, p := range tabs {
		got := eval[[]result](p, "pakliTest.results()")
		testmust.Requiref(t, len(got) == len(want), "%s has seen %d results of %d", people[i].name, len(got), len(want))
		for n, r := range got {
			testmust.Holdf(t, len(r.Names) == len(people) && slices.Equal(r.Paid, want[n]), "%s reads after deal %d that %q got %v, and by the rules it is %v", people[i].name, n+1, r.Names, r.Paid, want[n])
			testmust.Holdf(t, len(r.Why) > 0 || !slices.ContainsFunc(r.Paid, func(n int) bool { return n != 0 }), "%s does not read what deal %d was paid for", people[i].name, n+1)
		}
	}
	f.sound(id)
	f.orderly()
}

// fill types a value into the field of a selector.
func (p *tab) fill(field, value string) {
	p.Helper()
	p.until(fmt.Sprintf("document.querySelector(%s)", quote(field)))
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		const e = document.querySelector(%s);
		e.value = %s;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, quote(field), quote(value)))
}

// A draw leaves out players who could play, lets the same pairs meet again, or lets a player sit out
// twice before others did.
func TestDraw(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	run := func(script string) string {
		return eval[string](p, fmt.Sprintf(`(async () => { const { draw, sizes } = await import(JSON.parse(document.body.dataset.about).base + "draw.mjs"); return JSON.stringify(%s); })()`, script))
	}
	for _, c := range []struct{ script, want string }{
		{`sizes(16, 4, [4, 5])`, `[4,4,4,4]`},
		{`sizes(17, 4, [4, 5])`, `[5,4,4,4]`},
		{`sizes(7, 4, [4, 5])`, `[5]`},
		{`sizes(3, 4, [4, 5])`, `[]`},
		{`sizes(7, 3, [3])`, `[3,3]`},
		// eight players at two tables of four: some pair could have met three times
		{`(() => { const all = [..."abcdefgh"], rounds = []; for (let i = 0; i < 2; i++) rounds.push(draw(all, 4, [4], rounds)); return rounds.every(r => r.out.length === 0 && r.tables.flatMap(t => t.names).sort().join("") === "abcdefgh") && rounds[1].tables.every(t => t.names.filter(n => rounds[0].tables[0].names.includes(n)).length === 2); })()`, `true`},
		{`(() => { const all = [..."abcdefg"], rounds = []; for (let i = 0; i < 7; i++) rounds.push(draw(all, 3, [3], rounds)); return rounds.map(r => r.out[0]).sort().join(""); })()`, `"abcdefg"`},
	} {
		testmust.Equal(t, run(c.script), c.want, c.script)
	}
}

// The page of an evening loses a table, adds other points than were played, or saves evidence that
// does not verify elsewhere. Two tables of players whose keys the organiser has are drawn, played,
// verified and saved.
func TestClubsEvening(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/club")
	seats, lines := map[string]memory{}, []string{}
	for _, name := range []string{"anna", "bela", "constructor", "__proto__"} {
		v := memory{}
		s := testmust.Have(player.CreateIdentity(v, name))(t)
		seats[s.VerifierKey()] = v
		lines = append(lines, s.VerifierKey())
	}
	p.fill("input[autocomplete=nickname]", "Club")
	p.fill("main select", "schwarzer-peter/v1")
	p.until(`[...document.querySelectorAll("main select")].at(-1).value !== ""`)
	eval[chromedp.Void](p, `(() => { const e = [...document.querySelectorAll("main select")].at(-1); e.value = "2"; e.dispatchEvent(new Event("change", { bubbles: true })); })()`)
	p.fill("main input[type=number]", "1")
	p.fill("textarea", strings.Join(lines, "\n"))
	p.press("Draw round 1")
	p.until(`document.querySelectorAll(".slips li a[href*=watch]").length === 2`)
	p.looks("a round")
	for _, name := range eval[[]string](p, `[...document.querySelectorAll(".slips a[href*=watch]")].map(a => a.getAttribute("href").slice(3, 67))`) {
		id := testmust.Have(wire.ParseHash(name))(t)
		var sitting []memory
		for _, key := range f.history(id)[0].Genesis().Seats {
			sitting = append(sitting, seats[key])
		}
		f.bots(id, sitting)
	}
	p.visit(f.URL + "/club") // as on the next day
	p.press("Ask the server")
	p.press("Verify all tables here")
	p.until(`document.querySelectorAll(".standings").length === 2`)
	tables := eval[[]string](p, `[...document.querySelectorAll(".standings tbody")].map(e => e.innerText)`)
	testmust.Holdf(t, tables[0] == tables[1] && strings.Count(tables[0], "\n") == 3, "the server says\n%s\nand verified is\n%s", tables[0], tables[1])
	p.looks("the evidence")
	p.named("the evidence")
	eval[chromedp.Void](p, `(() => { const make = URL.createObjectURL; URL.createObjectURL = blob => { globalThis.saved = blob; return make.call(URL, blob); }; })()`)
	p.press("Save the evidence")
	archive := testmust.Have(base64.StdEncoding.DecodeString(eval[string](p, `(async () => btoa(Array.from(new Uint8Array(await saved.arrayBuffer()), b => String.fromCharCode(b)).join("")))()`)))(t)
	evidence(t, archive, f.key)
	f.orderly()
}

// evidence fails unless an archive has two sound tables under one checkpoint, and says so.
func evidence(t *testing.T, archive []byte, key string) {
	t.Helper()
	files := testmust.Have(zip.NewReader(bytes.NewReader(archive), int64(len(archive))))(t)
	var sizes []uint64
	about := ""
	for _, file := range files.File {
		r := testmust.Have(file.Open())(t)
		text, err := io.ReadAll(r) // checks the sum too
		testmust.Do(t, err, file.Name)
		switch path.Ext(file.Name) {
		case ".pakli":
			b := testmust.Have(bundle.Parse(text))(t)
			sizes = append(sizes, b.Checkpoint.Size)
			if a, err := judge.File(context.Background(), text, []string{key}, "en"); err != nil || a.Verdict != "sound" {
				t.Errorf("%s: %s, %v", file.Name, a.Headline, err)
			}
		case ".txt":
			if file.Name == "README.txt" {
				about = string(text)
			}
		}
	}
	testmust.Holdf(t, len(sizes) == 2 && len(slices.Compact(sizes)) == 1 && strings.Contains(about, "no other entries") && strings.Contains(about, "1. ") && strings.Contains(about, key),
		"checkpoints of %v entries; it says %s", sizes, about)
}

// A tab that saves a setting must not overwrite others with its old values. Otherwise an evening that
// another tab has drawn would be lost, with the codes of its tables.
func TestTabsKeepEachOthersSettings(t *testing.T) {
	testmust.OnlyThorough(t, "settings, which no game depends on")
	t.Parallel()
	f := serve(t)
	one := visitor(t, f)
	one.visit(f.URL + "/about")
	two := one.another()
	two.visit(f.URL + "/about")
	run := func(p *tab, script string) string {
		return eval[string](p, fmt.Sprintf(`(async () => { const { set, setting } = await import(JSON.parse(document.body.dataset.about).base + "core.mjs"); return String(%s); })()`, script))
	}
	run(one, `set("club", { terms: null, players: "", rounds: [] })`)
	run(two, `set("name", "anna")`)
	one.visit(f.URL + "/about")
	testmust.Equal(t, run(one, `setting("club", { rounds: "gone" }).rounds + setting("name", "")`), "anna", "settings of two tabs")
	one.visit(f.URL + "/club")
	two.visit(f.URL + "/club")
	run(one, `set("club", { terms: null, players: "", rounds: [{ tables: [], out: ["zita"] }] })`)
	two.fill("textarea", "anna")
	one.visit(f.URL + "/about")
	got := run(one, `JSON.stringify(setting("club", null))`)
	testmust.Holdf(t, got == `{"terms":null,"players":"anna","rounds":[{"tables":[],"out":["zita"]}]}`, "the evening of two tabs is %s", got)
}
