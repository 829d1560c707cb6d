package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/internal/testmust"
)

// facts are the measured faults of the visible page: too wide, contrasts of computed colours below
// WCAG 2.2 AA (1.4.3), a hand outside a wide window, and, for touch, targets of less than 40 px
// except links within sentences (2.5.8).
const facts = `(taps => {
	const found = [], width = document.documentElement.clientWidth;
	const named = e => e.tagName.toLowerCase() + (e.getAttribute("class") ? "." + e.getAttribute("class") : "") + " " + JSON.stringify((e.textContent || e.getAttribute("aria-label") || e.getAttribute("name") || "").slice(0, 40));
	const shown = e => { const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1 && e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest(".hidden, .skip:not(:focus), svg"); };
	const all = [...document.querySelectorAll("body *")].filter(shown);
	if (document.documentElement.scrollWidth > width) {
		const wide = all.filter(e => e.getBoundingClientRect().right > width + 1);
		found.push(...wide.slice(0, 5).map(e => "ends at " + Math.round(e.getBoundingClientRect().right) + " of " + width + ": " + named(e)));
		if (!wide.length) found.push("something is wider than the window");
	}
	if (taps) for (const e of all.filter(e => e.matches("button, a[href], select, textarea, summary, input:not([type=file])"))) {
		const r = (e.matches("[type=checkbox]") ? e.closest("label") : e).getBoundingClientRect();
		if (getComputedStyle(e).display === "inline" && e.parentElement.textContent.trim() !== e.textContent.trim()) continue;
		if (r.height < 39.5 || r.width < 39.5) found.push("a target of " + Math.round(r.width) + " by " + Math.round(r.height) + ": " + named(e));
	}
	const brush = document.createElement("canvas").getContext("2d");
	for (const e of all.filter(e => e.matches("select") && !e.closest(".player"))) { // where seats are chosen by their names
		const style = getComputedStyle(e), room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16; // for the arrow
		brush.font = style.font;
		for (const o of e.options) if (brush.measureText(o.text).width > room && !o.text.includes(", ")) found.push("a choice is cut at " + Math.round(room) + ": " + JSON.stringify(o.text)); // names in a row are
	}
	const colour = text => {
		const n = text.match(/-?[\d.]+(e-?\d+)?/g).map(Number), unit = text.startsWith("color(") ? 255 : 1;
		return { r: n[0] * unit, g: n[1] * unit, b: n[2] * unit, a: n[3] ?? 1 };
	};
	const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
	const light = c => { const [r, g, b] = [c.r, c.g, c.b].map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((x, y) => y - x); return (x + 0.05) / (y + 0.05); };
	// All colours that may be behind an element: of a gradient each of its own.
	const behind = e => {
		if (!e) return [{ r: 255, g: 255, b: 255, a: 1 }];
		const style = getComputedStyle(e), own = colour(style.backgroundColor);
		const gradient = style.backgroundImage.match(/(rgba?|color)\([^()]*\)/g)?.map(colour) ?? [];
		if (gradient.length) return gradient;
		return own.a === 1 ? [own] : behind(e.parentElement).map(b => over(own, b));
	};
	const hand = width > 900 && !scrollY && document.querySelector(".own .cards")?.getBoundingClientRect();
	if (hand && hand.bottom > innerHeight) found.push("the hand ends at " + Math.round(hand.bottom) + " of " + innerHeight);
	const seen = new Set();
	for (const e of all) {
		if (e.closest(":disabled") || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), size = parseFloat(style.fontSize), least = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		const worst = Math.min(...behind(e).map(b => contrast(over(colour(style.color), b), b)));
		const said = e.tagName + e.className + worst.toFixed(2);
		if (worst < least && !seen.has(said)) found.push("a contrast of " + worst.toFixed(2) + ": " + named(e));
		seen.add(said);
	}
	return found;
})`

// control are the roles of controls, whose names a screen reader says.
var control = []string{"button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "slider", "spinbutton", "switch", "DisclosureTriangle"}

// spoken is a node as a screen reader gets it.
type spoken struct {
	role, name string
	live       string // how its changes are announced: "polite", "assertive", also those of a log
}

// tree returns the accessibility tree of the page in reading order.
func (p *tab) tree() (list []spoken) {
	p.Helper()
	p.call(func(ctx context.Context) error {
		all, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		children := map[accessibility.NodeID]*accessibility.Node{}
		for _, n := range all.Nodes {
			children[n.NodeID] = n
		}
		var read func(n *accessibility.Node, live string)
		read = func(n *accessibility.Node, live string) {
			for _, property := range n.Properties {
				if property.Name == "live" {
					live = text(property.Value)
				}
			}
			if !n.Ignored {
				list = append(list, spoken{text(n.Role), text(n.Name), live})
			}
			for _, id := range n.ChildIDs {
				if c := children[id]; c != nil {
					read(c, live)
				}
			}
		}
		read(all.Nodes[0], "")
		return nil
	})
	return list
}

// text returns a value that is a text.
func text(v *accessibility.Value) (s string) {
	if v != nil {
		json.Unmarshal(v.Value, &s) // stays empty for other types
	}
	return s
}

// named fails if a control has no name, or if the page does not have exactly one main part with a
// heading.
func (p *tab) named(where string) {
	p.Helper()
	mains, headings := 0, 0
	for _, n := range p.tree() {
		testmust.Holdf(p, !slices.Contains(control, n.role) || strings.TrimSpace(n.name) != "", "%s: a %s has no name", where, n.role)
		if n.role == "main" {
			mains++
		}
		if n.role == "heading" && mains > 0 {
			headings++
		}
	}
	testmust.Holdf(p, mains == 1 && headings != 0, "%s: %d main parts, %d headings in it", where, mains, headings)
}

func (p *tab) key(k string) {
	p.Helper()
	p.call(func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.KeyEvent(k)) })
}

// tabbed moves through the page with the tabulator key. It fails where the focus is invisible, stops,
// or does not reach everything.
func (p *tab) tabbed(where string) {
	p.Helper()
	eval[chromedp.Void](p, `document.activeElement?.blur()`)
	want := eval[int](p, `[...document.querySelectorAll("a[href], button:not(:disabled), select, textarea:not(:disabled), input:not(:disabled), summary, [tabindex='0']")].filter(e => e.checkVisibility({ visibilityProperty: true }) && e.tabIndex >= 0).length`)
	reached := map[string]bool{}
	dates := eval[int](p, `document.querySelectorAll("input[type=date]").length`) // day, month, year and the calendar are separate stops
	for range want + 3 + 3*dates {
		p.key(kb.Tab)
		at := eval[struct {
			Name, Wrong string
		}](p, `(() => {
			const e = document.activeElement;
			if (!e || e === document.body) return { Name: "", Wrong: "" };
			globalThis.pakliFocus ||= new Map();
			if (!pakliFocus.has(e)) pakliFocus.set(e, pakliFocus.size + " " + e.tagName.toLowerCase() + "." + e.className + " " + (e.textContent || e.name || "").slice(0, 30));
			const shown = e.closest(".drop") ?? e, style = getComputedStyle(shown), r = shown.getBoundingClientRect();
			const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
			const inside = r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth;
			return { Name: pakliFocus.get(e), Wrong: !ring ? "has no ring" : !inside ? "is out of view" : "" };
		})()`)
		testmust.Holdf(p, at.Wrong == "" || reached[at.Name], "%s: the focus on %s %s", where, at.Name, at.Wrong)
		if at.Name != "" {
			reached[at.Name] = true
		}
	}
	testmust.Holdf(p, len(reached) >= want, "%s: the tabulator comes to %d of %d", where, len(reached), want)
}

// looks fails if the page has measured faults at any width, in light or dark, for the eye or for a
// screen reader.
func (p *tab) looks(what string) {
	p.Helper()
	for _, width := range []int{375, 768, 1280} {
		for _, dark := range []bool{false, true} {
			p.shown(width, dark)
			where := fmt.Sprintf("%s at %d px, dark: %v", what, width, dark)
			for _, f := range eval[[]string](p, fmt.Sprintf("(%s)(%v)", facts, width < 900)) {
				p.Errorf("%s: %s", where, f)
			}
			if long() || width == 375 && dark || width == 1280 && !dark {
				p.axe(where)
			}
		}
	}
	p.named(what)
}

// Every fact must be found on a page that violates each of them once.
func TestFactsAreFound(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	p.until(`document.querySelector("main h1")`)
	p.shown(375, false)
	p.named("before")
	if found := eval[[]string](p, facts+"(true)"); len(found) > 0 {
		t.Fatalf("before: %q", found)
	}
	eval[chromedp.Void](p, `(() => {
		const add = (name, text, set) => { const e = document.createElement(name); e.textContent = text; set(e.style, e); document.querySelector("main").append(e); };
		add("p", "pale", s => { s.color = "#999"; s.background = "#aaa"; });
		add("button", "x", s => { s.minHeight = s.height = "20px"; s.padding = "0"; });
		add("p", "wide", s => { s.width = "500px"; });
		add("select", "", (s, e) => { s.width = "80px"; e.add(new Option("more than there is room for")); });
	})()`)
	found := strings.Join(eval[[]string](p, facts+"(true)"), "\n")
	for _, wrong := range []string{"a contrast of", "a target of", "a choice is cut", "ends at"} {
		testmust.Holdf(t, strings.Contains(found, wrong), "%q is not found in %q", wrong, found)
	}
}
