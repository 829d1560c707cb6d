package browser

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Browsers must finish a table that the native verifier finds sound, and show it as it is. No secret
// and no card of another may leave the program of its seat.
func TestFourBrowsersPlayADeal(t *testing.T) {
	t.Parallel()
	f := serve(t)
	names := []string{"anna", "bela", "csilla", "dezso"}
	id, seats := f.begin("tarokk/v1", 1, names...)
	tabs := make([]*tab, len(names)+1)
	for i := range tabs {
		tabs[i] = visitor(t, f)
		address := f.URL + "/t/" + id.String()
		if i == len(names) {
			address += "?watch"
		} else {
			tabs[i].visit(f.URL + "/about")
			tabs[i].bring(fmt.Sprintf("seat%d", i), seats[i])
		}
		tabs[i].visit(address)
	}
	for i, p := range tabs[:len(names)] {
		p.until("document.querySelector('.table')")
		eval[any](p, fmt.Sprintf("pakliTest.play(%d)", 1000+i))
	}
	for _, p := range tabs {
		p.over(8 * time.Minute)
	}
	f.sound(id)
	states := f.history(id)
	known := make([]secrets, len(names))
	for i, p := range tabs[:len(names)] {
		known[i] = p.secretsOf()[fmt.Sprintf("seat%d", i)]
	}
	for i, p := range tabs {
		positions := make([]scene.Position, len(states))
		for n, s := range states {
			positions[n] = scene.OnlookerPosition(s)
			if i == len(names) {
				continue
			}
			v := testmust.Have(play.See(s, table.Seat(i), secret(t, s, known[i].Tables[id.String()])))(t)
			positions[n] = scene.SeatPosition(s, v)
		}
		p.scenes(positions)
		p.hidden(f, known)
	}
	f.orderly()
}

// scenes fails unless the page received the table as it was at every moment.
func (p *tab) scenes(positions []scene.Position) {
	p.Helper()
	seen := 0
	for _, message := range p.told() {
		var e struct {
			Event string
			View  *desk.View
		}
		testmust.Do(p, json.Unmarshal([]byte(message), &e))
		if e.View == nil {
			continue
		}
		seen++
		at := positions[e.View.Entries]
		var want *desk.View
		text, err := json.Marshal(desk.Draw("en", at))
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		testmust.Do(p, err)
		if !reflect.DeepEqual(e.View, want) {
			p.Errorf("after %d messages the page was told\n%s\nand the table is\n%s", e.View.Entries, message, text)
			return
		}
		p.faces(at, message)
	}
	testmust.Holdf(p, seen >= len(positions)/2, "the page was told of %d of %d states", seen, len(positions))
}

// faces fails if a message names the face of a place that its viewer does not see.
func (p *tab) faces(at scene.Position, message string) {
	p.Helper()
	var all any
	json.Unmarshal([]byte(message), &all)
	open := map[string]bool{}
	for _, f := range at.Table.Faces() {
		open[at.Table.FaceName(f)] = true
	}
	var walk func(any)
	walk = func(x any) {
		switch x := x.(type) {
		case []any:
			for _, y := range x {
				walk(y)
			}
		case map[string]any:
			place, isCard := x["place"].(float64)
			face, _ := x["face"].(string)
			switch f, seen := at.View.Faces[table.Card(place)]; {
			case !isCard || face == "":
			case x["by"] != nil: // of a trick, which has no place any more: open to all
				testmust.Holdf(p, open[face], "the page was told that %s was played", face)
			case !seen || at.Table.FaceName(f) != face:
				p.Errorf("the page was told that place %v is %s", place, face)
			}
			for _, y := range x {
				walk(y)
			}
		}
	}
	walk(all)
}

// hidden fails if a secret is in a message, in the document, in storage outside the vaults, or in a
// request to the server.
func (p *tab) hidden(f *front, all []secrets) {
	p.Helper()
	f.mu.Lock()
	places := map[string]string{}
	for _, r := range f.asked {
		places["requests"] += r.url + "\n" + r.body + "\n"
	}
	f.mu.Unlock()
	places["messages"] = strings.Join(p.told(), "\n")
	places["document"] = eval[string](p, "document.documentElement.outerHTML + document.title + location.href + document.cookie")
	places["storage"] = eval[string](p, "JSON.stringify([{...localStorage}, {...sessionStorage}])")
	if found := eval[[]string](p, `(async () => [...(await indexedDB.databases()).map(d => "database " + d.name), ...(await caches.keys()).map(c => "cache " + c), ...(await navigator.serviceWorker.getRegistrations()).map(r => "service worker " + r.scope), ...(document.cookie ? ["cookie " + document.cookie] : [])])()`); len(found) > 0 {
		p.Errorf("the page keeps things where it should not: %q", found)
	}
	for _, s := range all {
		for name, text := range places {
			for _, secret := range s.spellings() {
				testmust.Holdf(p, !strings.Contains(text, secret), "a secret of %s is in the %s", s.VKey, name)
			}
		}
	}
}

// spellings returns the secrets of a seat in all possible encodings.
func (s secrets) spellings() []string {
	rest := strings.TrimPrefix(s.Key, "PRIVATE+KEY+")
	seed := rest[strings.LastIndex(rest, "+")+1:]
	if at := strings.Split(rest, "+"); len(at) >= 3 { // base64 has + as well
		seed = strings.Join(at[2:], "+")
	}
	list := []string{s.Key, seed}
	raw, _ := base64.StdEncoding.DecodeString(seed)
	secrets := [][]byte{raw[1:]}
	for _, b := range s.Tables {
		secrets = append(secrets, b)
	}
	for _, b := range secrets {
		decimals := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(b)), ","), "[]")
		list = append(list, base64.RawStdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b), hex.EncodeToString(b), decimals)
	}
	return list
}

// A game that a phone cannot be played on: twelve cards and sixty-three bids that do not fit,
// answers below the fold, a defender who may concede and holds everybody up; cards that are
// drawn in one way and named in another.
func TestSkatOnAPhone(t *testing.T) {
	testmust.OnlyThorough(t, "a second game through the same pages")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.shown(375, false)
	id := p.alone(f, "skat/v1", "anna", "bela", "csilla")
	eval[chromedp.Void](p, `localStorage.setItem("pakli", JSON.stringify({lang: "de", pack: "de"}))`)
	p.sits(f, id, 0)
	p.until(asked)
	p.until(`document.querySelector(".panel button:not(:disabled)").getBoundingClientRect().bottom <= innerHeight`)
	got := eval[int](p, `document.querySelectorAll(".own [aria-label^='Kreuz-'], .own [aria-label$='Bube']").length`)
	testmust.Holdf(t, got <= 0, "%d cards have French names", got)
	p.looks("bidding")
	p.sits(f, id, 3)
	p.untilIn(4*time.Minute, `document.querySelector(".waiting")?.textContent.includes("Der Tisch ist zu Ende")`)
	f.sound(id)
	p.until(`document.querySelector(".list tfoot tr")`)
	p.looks("the list")
	f.orderly()
}

// asking puts the page of a table into a tab. A script states the questions and receives the picks:
// of cards 1 to 3 two are to be discarded, or one played.
const asking = `(async () => {
	const base = JSON.parse(document.body.dataset.about).base;
	const { h, render, Desk } = await import(base + "core.mjs"), { Watch } = await import(base + "play.mjs");
	const part = (what, place) => ({ pick: what + ":" + place, label: String(place), place, group: what, means: [], why: "", range: null });
	const test = globalThis.asking = { answered: [], at: 0, page: null,
		table(cards, ask, past = []) {
			const chair = seat => ({ seat, name: "anna bela".split(" ")[seat], roles: [], side: "", place: seat, turn: false, says: [], score: 0 });
			const hand = { id: "hand:0", layout: "hand", seat: 0, label: "hand", cards: cards.map(place => ({ place, face: "", by: null })), hidden: 0 };
			test.page.onEvent({ event: "table", ask, view: { game: test.game ?? "none/v1", you: 0, over: false, foul: "", zones: [hand], chairs: [chair(0), chair(1)], facts: [], heads: [], waits: [], past, sheets: [], sums: [] } });
		},
		ask(prompt, what, cards, more = []) { return { at: ++test.at, prompt, parts: [...cards.map(c => part(what, c)), ...more], alone: false, may: false, picked: [], says: "", whole: false, weighs: false, proves: [] }; },
		end: { ...part("concede", 0), place: null, group: "end" },
	};
	Desk.prototype.start = async () => {};
	Desk.prototype.call = async (name, { picks }) => {
		if (name === "answer") test.answered.push(...picks);
		if (name !== "consider") return;
		const of = test.page.state.view.zones[0].cards.map(c => c.place).filter(c => !picks.includes("discard:" + c));
		const whole = picks.length === 2 || picks[0]?.startsWith("play");
		return { ...test.ask("", "discard", of), at: test.at, picked: picks, whole, weighs: picks.length === 2, parts: whole ? [] : of.map(c => part("discard", c)) };
	};
	render(h(class extends Watch { constructor(props) { super(props); test.page = this; } }, { id: "0" }), document.body.appendChild(document.createElement("div")));
})()`

// Picked cards must survive a question that is withdrawn and asked again. Picks must not reach
// another question, or be made again after they were given.
func TestPicksOutliveAQuestion(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	eval[chromedp.Void](p, asking)
	picked := func(n int, script string) {
		t.Helper()
		eval[chromedp.Void](p, "(() => { "+script+" })()")
		p.until(`document.querySelector(".own .card-button")`)
		p.until(`document.querySelectorAll(".own .card-button[aria-pressed=true]").length === ` + string(rune('0'+n)))
	}
	picked(0, `asking.table([1, 2, 3], asking.ask("lay away", "discard", [1, 2, 3]))`)
	picked(1, `document.querySelector(".own .card-button").click()`)
	picked(0, `asking.table([1, 2, 3], null)`)
	picked(1, `asking.table([1, 2, 3], asking.ask("lay away", "discard", [1, 2, 3]))`)
	p.until(`document.querySelector(".panel h2").textContent === ""`) // what follows one card
	picked(0, `asking.table([1, 2, 3], null); asking.table([1, 2, 3], asking.ask("play", "play", [1, 2, 3]))`)
	picked(0, `asking.table([1, 2, 3], asking.ask("lay away", "discard", [1, 2, 3]))`)
	eval[chromedp.Void](p, `asking.page.answer(["discard:1"], asking.at)`)
	picked(0, `asking.table([1, 2, 3], null); asking.table([1, 2, 3], asking.ask("lay away", "discard", [1, 2, 3]))`)
}

// A beginner is told nothing, or the same again, or cannot turn the help off; a rule's number leads
// nowhere.
func TestRulesAreTold(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	eval[chromedp.Void](p, asking)
	after := func(shown, script string) {
		t.Helper()
		eval[chromedp.Void](p, "(() => { "+script+" })()")
		p.until(shown)
	}
	untold := `document.querySelector(".panel") && !document.querySelector(".guide")`
	after(`document.querySelector(".guide .ruled")`, `asking.game = "skat/v1"; asking.table([1, 2], asking.ask("play", "play", [1, 2]))`)
	after(`document.querySelector("dialog .named dt")?.textContent === "SK-R-33" && document.activeElement.matches(".named")`, `document.querySelector(".guide .ruled").click()`)
	p.key(kb.Escape)
	p.until(`!document.querySelector("dialog")`)
	after(`!document.querySelector(".panel")`, `asking.table([1, 2], null)`)
	after(untold, `asking.table([1, 2], asking.ask("play", "play", [1, 2]))`)
	after(`document.querySelector(".guide")`, `asking.table([1, 2], asking.ask("lay away", "discard", [1, 2]))`)
	after(untold, `document.querySelector(".guide > button:last-child").click()`)
	after(untold, `asking.table([1, 2], asking.ask("bid", "bid", [1, 2]))`)
}

// The only playable card must not wait for a click, and a card must not be played while there is a
// choice, or twice.
func TestOnlyCardIsPlayed(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	eval[chromedp.Void](p, asking)
	given := func(want, script string) {
		t.Helper()
		eval[chromedp.Void](p, "(() => { "+script+" })()")
		eval[chromedp.Void](p, "new Promise(done => setTimeout(done, 1600))")
		testmust.Equal(t, eval[string](p, "asking.answered.join()"), want, "after", script, "it has played")
	}
	given("", `asking.table([1, 2], asking.ask("play", "play", [1, 2], [asking.end]))`)
	given("", `asking.table([1], asking.ask("play", "play", [1], [{ ...asking.end, group: "contra" }]))`)
	given("", `asking.table([1], asking.ask("play", "play", [1])); asking.table([1], null)`)
	given("play:1", `asking.table([1, 2], asking.ask("play", "play", [1], [asking.end]))`)
}

// A card that was chosen ahead is played although it was taken back when its turn came.
func TestChosenAhead(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	eval[chromedp.Void](p, asking)
	for _, c := range []struct{ then, want string }{
		{"card(1).click()", ""},
		{"card(2).click()", ""},
		{"dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))", ""},
		{"asking.table([1, 2, 3], asking.ask('play', 'play', [2, 3]))", ""},
		{"", "play:1"},
	} {
		eval[chromedp.Void](p, `(async () => {
			const drawn = () => new Promise(done => setTimeout(done, 60)), card = n => document.querySelectorAll(".own .card-button")[n - 1];
			asking.answered.length = 0;
			asking.table([1, 2, 3], null, [{ cards: [], taken: 1 }]);
			await drawn();
			card(1).click();
			await drawn();
			asking.table([1, 2, 3], asking.ask("play", "play", [1, 2, 3]));
			await drawn();
			`+c.then+`;
			await new Promise(done => setTimeout(done, 1600));
		})()`)
		got := eval[string](p, "asking.answered.join()")
		testmust.Holdf(t, got == c.want, "after %s it has played %q, want %q", c.then, got, c.want)
	}
}

// The second click of a double click answers the question that came meanwhile.
func TestDoubleClickAnswersOneQuestion(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.visit(f.URL + "/about")
	eval[chromedp.Void](p, asking)
	eval[chromedp.Void](p, `(async () => {
		const drawn = () => new Promise(done => setTimeout(done, 50));
		for (const question of ["one", "two"]) {
			asking.table([1, 2], asking.ask(question, "play", [1, 2]));
			await drawn();
			document.querySelector(".own .card-button").click();
			await drawn();
		}
	})()`)
	testmust.Equal(t, eval[string](p, "asking.answered.join()"), "", "it has played", "for the second question")
	eval[chromedp.Void](p, `new Promise(done => setTimeout(done, 500)).then(() => document.querySelector(".own .card-button").click())`)
	p.until(`asking.answered.join() === "play:1"`)
}
