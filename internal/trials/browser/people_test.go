package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
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
