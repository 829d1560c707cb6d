package browser

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/internal/testmust"
)

// axeCore is axe-core 4.14.1 as its makers publish it (axe/LICENSE: MPL 2.0).
//
//go:embed axe/axe.min.js
var axeCore string

// axe fails if axe-core finds something.
func (p *tab) axe(where string) {
	p.Helper()
	if !eval[bool](p, "Boolean(globalThis.axe)") {
		eval[any](p, axeCore+"; null")
	}
	found := eval[[]string](p, `axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? n.html.slice(0, 120))).join(" | ")))`)
	for _, f := range found {
		p.Errorf("%s: %s", where, f)
	}
}

// A page is wider than a phone in one of its languages, or a screen reader cannot read it.
func TestEveryPageLooksRight(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "a-name-of-thirty-two-characters-")
	p.sits(f, id, 0)
	p.until(asked)
	table := id.String()
	for i, path := range []string{"/t/" + table, "/", "/lobby", "/t/" + table + "?watch", "/r/" + table, "/verify", "/try", "/seats", "/about", "/new", "/join", "/j/ABCDE", "/club", "/events", "/events/new"} {
		for j, lang := range []string{"hu", "de", "en"} {
			if !long() && i%3 != j {
				continue
			}
			t.Run(lang+strings.ReplaceAll(path, table, "ID"), func(t *testing.T) {
				p.TB = t
				p.speak(lang)
				p.visit(f.URL + path)
				p.until(`document.querySelector("#main h1, #main .table")`)
				if strings.HasPrefix(path, "/t/") || strings.HasPrefix(path, "/r/") {
					p.until(`document.querySelector("#main .table")`)
				}
				if path == "/t/"+table {
					p.until(asked)
				}
				p.looks(lang + " " + path)
				p.tabbed(lang + " " + path)
			})
		}
	}
	p.TB = t
	f.orderly()
}

// A game must be playable without a mouse.
func TestKeyboardAlone(t *testing.T) {
	testmust.OnlyThorough(t, "a deal by the keyboard alone")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	game, names := "schwarzer-peter/v1", []string{"anna", "bela", "csilla"}
	if long() {
		game, names = "tarokk/v1", append(names, "dezso")
	}
	id := p.alone(f, game, names...)
	p.sits(f, id, 0)
	// reach presses a key until what has the focus is of a kind.
	reach := func(k, kind string) bool {
		for range 80 {
			if eval[bool](p, fmt.Sprintf("Boolean(document.activeElement?.matches(%s))", quote(kind))) {
				return true
			}
			p.key(k)
		}
		return false
	}
	over := `document.querySelector(".waiting")?.textContent.includes("The table is over")`
	for end := time.Now().Add(4 * time.Minute); !eval[bool](p, "Boolean("+over+")"); {
		if time.Now().After(end) {
			t.Fatalf("the table is not over:\n%s", p.text())
		}
		switch eval[string](p, `document.querySelector(".confirm .main") ? "confirm" : document.querySelector(".card-button.free:not(.picked)") ? "card" : document.querySelector(".group button:not(:disabled)") ? "part" : ""`) {
		case "confirm":
			if reach(kb.Tab, ".confirm .main") {
				p.key(kb.Enter)
			}
		case "card":
			if reach(kb.ArrowRight, ".card-button.free:not(.picked)") {
				p.key(kb.Enter)
			}
		case "part":
			p.key("1")
		}
		time.Sleep(150 * time.Millisecond)
	}
	f.sound(id)
	p.looks("the end of a table")
	f.orderly()
}

// In a state that no address leads to, something is too wide, too pale, too small for a finger, or
// without a name: an open table and its organiser's form, a drawn round, settings, sheets, the text
// views, verdicts.
func TestEveryStateLooksRight(t *testing.T) {
	testmust.OnlyThorough(t, "states that no address leads to; .ci/run looks at every page")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "a-name-of-thirty-two-characters-").String()
	key := func(k string) func() { return func() { p.key(k) } }
	do := func(script string) func() { return func() { eval[chromedp.Void](p, script) } }
	offer := func() {
		p.fill("input[autocomplete=nickname]", "Anna")
		p.fill("main select", "tarokk/v1")
		p.until(`document.querySelectorAll("main select")[1]`)
		eval[chromedp.Void](p, `(() => { const e = document.querySelectorAll("main select")[1]; e.value = "bga"; e.dispatchEvent(new Event("change", { bubbles: true })); })()`)
		p.until(`document.querySelector("form details")`)
		eval[chromedp.Void](p, `document.querySelector("form details").open = true`)
	}
	state := func(langs, path, ready string, act func(), shown string) {
		for _, lang := range strings.Fields(langs) {
			t.Run(lang+strings.ReplaceAll(path, id, "ID")+" "+shown, func(t *testing.T) {
				p.TB = t
				p.speak(lang)
				p.visit(f.URL + path)
				p.until(ready)
				if act != nil {
					act()
				}
				p.until(shown)
				p.looks(lang + " " + path + " " + shown)
				if !strings.Contains(shown, ".settings") { // they close when the focus leaves them
					p.tabbed(lang + " " + path + " " + shown)
				}
			})
		}
		p.TB = t
	}
	table := "/t/" + id
	state("hu de", table, asked, do(`document.querySelector(".settings").open = true`), `document.querySelector(".settings[open]")`)
	state("hu", table, asked, key("?"), `document.querySelector("aside .hints")`)
	state("de", table, asked, key("s"), `document.querySelector("#tab-sheet[aria-selected=true]")`)
	state("de hu", table, asked, do(`document.querySelector(".guide .ruled").click()`), `document.querySelector("dialog .named")`)
	state("hu", table, asked, do(`document.querySelector(".not-now summary")?.click()`), asked)
	state("hu", table, asked, key("t"), `document.querySelector(".text-view")?.textContent.length > 20`)
	state("de", table+"?watch", `document.querySelector(".text-view")`, nil, `document.querySelector(".text-view")?.textContent.length > 20`) // it is remembered
	state("hu", "/r/"+id+"#n=9&as=A", `document.querySelector(".text-view")`, nil, `document.querySelector(".text-view")`)
	state("de", "/r/"+id+"#n=9&as=A", `document.querySelector(".text-view")`, key("t"), `document.querySelector(".table")`)
	state("de hu", "/verify?table="+id, `document.querySelector("main h1")`, nil, `document.querySelector(".verdict")`)
	state("hu", "/try", `document.querySelector(".group button")`, do(`[...document.querySelectorAll(".group button")].at(-1).click()`), `document.querySelector(".verdict")`)
	state("hu de", "/new", `document.querySelector("main form")`, offer, `document.querySelector(".changes")`)
	state("de hu", "/new", `document.querySelector("main form")`, func() {
		offer()
		p.fill("main input[maxlength='80']", "Freitag")
		do(`document.querySelector("main form button.main").click()`)()
	}, `document.querySelector(".invite")`)
	state("de hu", "/club", `document.querySelector("main form")`, func() {
		if eval[bool](p, `document.querySelectorAll(".slips").length > 0`) {
			return
		}
		p.fill("input[autocomplete=nickname]", "Anna")
		p.fill("textarea", "Anna\nBéla\nCsilla\nDezső\nElza\nFeri\nGizi\nHugó")
		do(`document.querySelector("main form button.main").click()`)()
	}, `document.querySelectorAll(".slips .code").length === 2`)
	f.orderly()
}

// TestPicture writes the picture of README to the file that PAKLI_PICTURE names:
//
//	PAKLI_PICTURE=$PWD/docs/table.png go test -C internal/trials/browser -run TestPicture
//
// It plays until two cards of a trick lie on the table.
func TestPicture(t *testing.T) {
	t.Parallel()
	name := os.Getenv("PAKLI_PICTURE")
	if name == "" {
		t.Skip("PAKLI_PICTURE names no file")
	}
	f := serve(t)
	p := visitor(t, f)
	p.shown(1280, false)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "dezso")
	p.sits(f, id, 7)
	p.untilIn(4*time.Minute, `document.querySelectorAll(".zone.trick li").length >= 2 && document.querySelectorAll(".own .card-button").length >= 5 && document.querySelector(".tells li:nth-child(8)")`)
	p.photograph(name)
}

// An amount cannot be typed on a phone or in a wide window, a panel does not fit, or a bet has
// another amount than was typed.
func TestAmountsAreTyped(t *testing.T) {
	t.Parallel()
	f := serve(t)
	f.options = map[string]string{"limit": "none"}
	for i, width := range []int{375, 1280} {
		p := visitor(t, f)
		id := p.alone(f, "five-card-draw/v1", "anna", "bela", "csilla")
		p.sits(f, id, 0)
		p.until(`document.querySelector(".amount input")`)
		p.looks("a round of betting")
		p.shown(width, false)
		p.picture(fmt.Sprintf("betting-%d", width))
		eval[any](p, fmt.Sprintf(`(() => { document.querySelector(".amount input").value = %d; document.querySelector(".amount").requestSubmit(); })()`, 37+i))
		p.until(fmt.Sprintf(`document.querySelector(".tells")?.textContent.match(/(bet|raised to) %d/)`, 37+i))
	}
}

// heard returns the present text of all live regions of a kind.
func (p *tab) heard(live string) string {
	p.Helper()
	var said []string
	for _, n := range p.tree() {
		if n.role == "StaticText" && n.live == live {
			said = append(said, n.name)
		}
	}
	return strings.Join(said, "\n")
}

// A deal of tarokk must be playable without sight: by keys alone, with the live regions and the names
// of controls.
func TestScreenReaderPlaysADeal(t *testing.T) {
	testmust.OnlyThorough(t, "a deal by the accessibility tree alone")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "dezso")
	p.sits(f, id, 0)
	p.until(asked)
	p.key("t")
	p.until(`document.querySelector(".text-view")?.textContent.length > 20`)
	p.visit(f.URL + "/t/" + id.String())
	p.until(`document.querySelector(".text-view")?.textContent.length > 20`) // remembered
	p.named("the text view")
	p.tabbed("the text view")
	p.looks("the text view")
	p.key("/") // outside a line this key moves to it
	line := func() bool {
		return eval[bool](p, `document.activeElement?.matches(".typed input") && document.activeElement.closest("label").textContent.includes("Type an answer")`)
	}
	for range 60 {
		if line() {
			break
		}
		p.key(kb.Tab)
	}
	testmust.Require(t, line(), "no key leads to the line for answers")
	polite, questions := "", 0
	for end := time.Now().Add(4 * time.Minute); !strings.Contains(p.read(), "The table is over"); {
		testmust.Requiref(t, !time.Now().After(end), "the table is not over: %s", p.read())
		polite += p.heard("polite")
		switch said := p.heard("assertive"); {
		case strings.Contains(said, "Press Enter to do it"):
			p.key(kb.Enter)
		case said != "":
			questions++
			p.key("1")
			p.key(kb.Enter)
		}
		time.Sleep(100 * time.Millisecond)
		testmust.Require(t, line(), "the focus has left the line for answers")
	}
	testmust.Holdf(t, questions != 0 && strings.Contains(polite, "bela"), "%d questions were heard, and of others %q", questions, polite)
	for _, command := range []string{"score", "table"} {
		p.key(command)
		p.key(kb.Enter)
		p.until(`document.querySelector(".in-words .status:not([hidden])")?.textContent.includes("anna")`)
	}
	f.sound(id)
	f.orderly()
}

// read returns the text view from the accessibility tree.
func (p *tab) read() string {
	p.Helper()
	var said []string
	for _, n := range p.tree() {
		if n.role == "StaticText" {
			said = append(said, n.name)
		}
	}
	return strings.Join(said, "\n")
}
