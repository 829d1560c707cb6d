package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
)

// markup acts wherever a page takes it for HTML.
const markup = `<img src=x onerror=pwned=1><svg onload=pwned=1><a href=javascript:pwned=1>`

// marked is JSON with markup in all strings but those that tell what is what.
func marked(x any) any {
	switch x := x.(type) {
	case []any:
		return slices.Collect(func(yield func(any) bool) {
			for _, y := range x {
				yield(marked(y))
			}
		})
	case map[string]any:
		for name, y := range x {
			if !slices.Contains([]string{"id", "hash", "table", "entry", "checkpoint", "growth"}, name) {
				x[name] = marked(y)
			}
		}
	case string:
		return x + markup
	}
	return x
}

// tame fails if markup from outside has become part of the page.
func (p *tab) tame(where string) {
	p.Helper()
	if found := eval[string](p, `String(globalThis.pwned ?? "") + [...document.querySelectorAll("img, [onload], [onerror], a[href^=javascript], body script:not([src^='/p/'])")].map(e => e.outerHTML).join()`); found != "" {
		p.Errorf("%s: %s", where, found)
	}
}

// opens gives a file to the page.
func (p *tab) opens(name string, content []byte) {
	p.Helper()
	p.until(`document.querySelector(".drop input:not(:disabled)")`)
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([Uint8Array.from(atob(%s), c => c.charCodeAt(0))], %s));
		const input = document.querySelector(".drop input");
		input.files = files.files;
		input.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, quote(base64.StdEncoding.EncodeToString(content)), quote(name)))
}

// A log that lies in markup, an open table with markup as its title, or a bundle with markup as its
// name and words must not act in the page.
func TestMarkupStaysText(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id, seats := f.begin("schwarzer-peter/v1", 1, "anna", "bela")
	file := f.bots(id, seats)
	p.visit(f.URL + "/about")
	code := eval[string](p, fmt.Sprintf(`(async () => {
		const { Desk, about, log } = await import(JSON.parse(document.body.dataset.about).base + "core.mjs"), desk = await new Desk().start();
		const at = { url: log, key: about.key, game: "schwarzer-peter/v1", deals: 1 };
		try {
			globalThis.eventCode = (await desk.call("event.draft", { ...at, kind: "evening", name: %[1]s, venue: %[1]s, page: %[1]s, rounds: 1, sizes: [2], draw: "commit", max: 9, own: true, seat: "anna", sign: true })).code;
			await desk.call("event.decide", { ...at, event: eventCode, kind: "remark", reason: %[1]s, sign: true });
			return (await desk.call("offer.make", { ...at, name: "anna", places: 2, title: %[1]s })).code;
		} finally { desk.stop(); }
	})()`, quote(markup)))
	event := eval[string](p, "eventCode")
	for _, path := range []string{"/events", "/events/" + event} {
		p.visit(f.URL + path)
		p.shows(markup)
		p.tame(path)
	}
	p.visit(f.URL + "/lobby")
	p.until(fmt.Sprintf(`[...document.querySelectorAll("bdi")].some(e => e.textContent === %s)`, quote(markup)))
	p.tame("the lobby")
	p.visit(f.URL + "/j/" + code)
	p.shows(markup)
	p.tame("an open table")

	p.visit(f.URL + "/verify")
	p.fill("fieldset input", f.key)
	hostile := bytes.ReplaceAll(file, []byte("anna"), []byte("<b>a"))
	for i, content := range [][]byte{file, hostile, append([]byte(markup), file...), bytes.ReplaceAll(file, []byte(`"`), []byte(markup)), []byte(markup)} {
		p.opens(markup+".pakli", content)
		p.until(fmt.Sprintf(`document.querySelectorAll(".verdict").length === %d && !document.querySelector(".drop input:disabled")`, i+1))
		p.tame(fmt.Sprintf("bundle %d", i))
	}
	verdicts := eval[[]string](p, `[...document.querySelectorAll(".verdict")].map(v => v.className)`)
	testmust.Holdf(t, verdicts[4] == "verdict sound" && !slices.Contains(verdicts[:4], "verdict sound"), "the verdicts, the last first: %q", verdicts)

	f.lies(func(r *http.Request, body []byte) []byte {
		var x any
		if json.Unmarshal(body, &x) != nil {
			return body
		}
		body, _ = json.Marshal(marked(x)) // of what was decoded
		return body
	})
	p = visitor(t, f) // which has kept no honest answer
	for _, path := range []string{"/lobby", "/j/" + code, "/t/" + id.String() + "?watch", "/r/" + id.String(), "/verify?table=" + id.String(), "/club", "/events", "/events/" + event, "/"} {
		p.visit(f.URL + path)
		p.until(`document.querySelector("#main h1")`)
		if path == "/lobby" {
			p.shows("anna" + markup)
		}
		time.Sleep(time.Second)
		p.tame(path)
	}
	f.orderly()
}
