package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
)

// Two people who are not called as they write themselves, who sit down without having been told what leaving costs, one of whom
// keeps the other's result by going away, or who come to two tables though each wants to play again with the other.
func TestPeopleAtAnOpenTable(t *testing.T) {
	t.Parallel()
	f := serve(t)
	anna, bela := visitor(t, f), visitor(t, f)
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
	bela.shows("pays 1 to each other player")
	bela.shows("No clock")
	bela.fill("input[autocomplete=nickname]", "KOVÁCS Anna")
	bela.press("Join")
	bela.shows("KOVÁCS Anna 2 is free")
	bela.fill("input[autocomplete=nickname]", "Grün-Weiß")
	bela.press("Join")
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
	first := eval[string](anna, "location.pathname")
	agree := func(p *tab) {
		p.until(`document.querySelector(".leaving summary")`)
		eval[chromedp.Void](p, `document.querySelector(".leaving details").open = true`)
		p.press("Agree to end")
	}
	agree(anna)
	bela.shows("Kovács Anna agreed to end (1 of 2)")
	bela.press("Leave the table …")
	bela.shows("you pay 1 to each other player")
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
