package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/internal/testmust"
)

// heard is all that live regions of a kind say now.
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

// A game that takes eyes: a deal of tarokk is played by keys alone, by one who hears the
// live regions and the names of controls, and sees nothing.
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
	p.key("/") // outside of a line it goes to it
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

// read is the text view, as the accessibility tree has it.
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
