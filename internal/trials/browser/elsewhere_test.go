package browser

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
)

// A server that somebody has started elsewhere, as in a container (PAKLI_BROWSER_SERVER): a page that only the server of these tests shows,
// or that plays with this machine's own alone.
func TestServerElsewhere(t *testing.T) {
	if elsewhere == "" {
		t.Skip("PAKLI_BROWSER_SERVER names no server")
	}
	program(t)
	browser := testmust.Have(shared())(t)
	ctx, done := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p := opened(t, ctx, done)
	p.visit(elsewhere)
	p.fill("main input[autocomplete=nickname]", "Anna")
	p.fill("main select", "schwarzer-peter/v1")
	p.press("Play now with bots")
	p.until(`location.pathname.startsWith("/t/")`)
	eval[any](p, "pakliTest.play(3)")
	p.untilIn(4*time.Minute, `document.querySelector(".waiting")?.textContent.includes("The table is over")`)
}
