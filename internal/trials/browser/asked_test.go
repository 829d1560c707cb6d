package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pakli/pakli/internal/testmust"
)

// asking puts the page of a table into a tab, of which a script says what is asked and what
// comes of picks: of cards 1 to 3 two are to be discarded, or one played.
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

// Cards that were picked for a question which is withdrawn and asked again, and are lost; picks
// that are carried into another question, or are made again after they were given.
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

// A beginner who is told nothing, or the same again, or who cannot turn it off; a rule's number that leads nowhere.
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

// A card that waits for a click though there is no other to play; one that is played while there is a choice, or twice.
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

// A card that was chosen ahead, and is played although it was taken back when one's turn had come.
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
		if got := eval[string](p, "asking.answered.join()"); got != c.want {
			t.Errorf("after %s it has played %q, want %q", c.then, got, c.want)
		}
	}
}

// The second click of a double click, which answers what was asked meanwhile.
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
