package browser

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
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
// live regions and the names of controls, and sees nothing. What the text view shows is
// what a terminal prints of the same table.
func TestScreenReaderPlaysADeal(t *testing.T) {
	thorough.Only(t, "a deal by the accessibility tree alone")
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
	if !line() {
		t.Fatal("no key leads to the line for answers")
	}
	polite, questions := "", 0
	for end := time.Now().Add(4 * time.Minute); !strings.Contains(p.read(), "The table is over"); {
		if time.Now().After(end) {
			t.Fatalf("the table is not over: %s", p.read())
		}
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
		if !line() {
			t.Fatal("the focus has left the line for answers")
		}
	}
	if questions == 0 || !strings.Contains(polite, "bela") {
		t.Errorf("%d questions were heard, and of others %q", questions, polite)
	}
	for _, command := range []string{"score", "table"} {
		p.key(command)
		p.key(kb.Enter)
		p.until(`document.querySelector(".in-words .status:not([hidden])")?.textContent.includes("anna")`)
	}
	f.sound(id)
	p.terminals(f, id.String())
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

// terminals fails unless each text that the page was given is what a terminal prints of
// the table after the message that came last, or the one that comes next.
func (p *tab) terminals(f *front, id string) {
	p.Helper()
	type call struct {
		picks []scene.Pick
		line  bool
	}
	d, err := terminal.For("tarokk/v1", "en", terminal.Style{})
	if err != nil {
		p.Fatal(err)
	}
	calls, entries, texts := map[float64]call{}, 0, 0
	table, err := wire.ParseHash(id)
	if err != nil {
		p.Fatal(err)
	}
	states := f.history(table)
	mine := p.secretsOf()["seat0"]
	for _, message := range p.told() {
		var m struct {
			ID     any
			Name   string
			Event  string
			Args   struct{ Picks []scene.Pick }
			View   *struct{ Entries int }
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			continue // of another form
		}
		n, _ := m.ID.(float64)
		switch c, asks := calls[n]; {
		case m.View != nil:
			entries = m.View.Entries
		case m.Name == "text":
			calls[n] = call{m.Args.Picks, true}
		case asks && c.line && m.Result != nil:
			var text string
			if json.Unmarshal(m.Result, &text) != nil {
				continue
			}
			texts++
			found, last := false, ""
			for _, at := range []int{entries, entries + 1, entries - 1} {
				if at < 0 || at >= len(states) {
					continue
				}
				v, err := play.See(states[at], 0, secret(p, states[at], mine.Tables[id]))
				if err != nil {
					p.Fatal(err)
				}
				position := scene.From(states[at], v)
				for _, asked := range []bool{position.Owes(), false} {
					last = d.Screen(position, asked, c.picks)
					found = found || last == text
				}
			}
			if !found {
				p.Fatalf("after %d messages the page says\n%s\nand the terminal\n%s", entries, text, last)
			}
		}
	}
	if texts < 5 {
		p.Errorf("%d texts: the test tests nothing", texts)
	}
	if shown := eval[string](p, `document.querySelector(".text-view").textContent`); !strings.Contains(strings.Join(p.told(), "\n"), strings.Trim(quote(shown), `"`)) {
		p.Errorf("the page shows what it was not told: %s", shown)
	}
}
