package browser

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/thorough"
)

// A game that a phone cannot be played on: twelve cards and sixty-three bids that do not fit,
// answers below the fold, a defender who may concede and holds everybody up; cards that are
// drawn in one way and named in another.
func TestSkatOnAPhone(t *testing.T) {
	thorough.Only(t, "a second game through the same pages")
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	p.shown(375, false)
	id := p.alone(f, "skat/v1", "anna", "bela", "csilla")
	eval[chromedp.Void](p, `localStorage.setItem("pakli", JSON.stringify({lang: "de", pack: "de"}))`)
	p.sits(f, id, 0)
	p.until(asked)
	p.until(`document.querySelector(".panel button:not(:disabled)").getBoundingClientRect().bottom <= innerHeight`)
	if got := eval[int](p, `document.querySelectorAll(".own [aria-label^='Kreuz-'], .own [aria-label$='Bube']").length`); got > 0 {
		t.Errorf("%d cards have French names", got)
	}
	p.looks("bidding")
	p.sits(f, id, 3)
	p.untilIn(4*time.Minute, `document.querySelector(".waiting")?.textContent.includes("Der Tisch ist zu Ende")`)
	f.sound(id)
	p.until(`document.querySelector(".list tfoot tr")`)
	p.looks("the list")
	f.orderly()
}
