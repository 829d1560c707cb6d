package browser

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
)

// tap clicks the visible button, link or summary with these words.
func (p *tab) tap(words string) {
	p.Helper()
	found := fmt.Sprintf("[...document.querySelectorAll('button, summary, main a')].find(e => e.checkVisibility() && e.textContent.includes(%s) && !e.disabled)", quote(words))
	p.until(found)
	eval[chromedp.Void](p, found+".click()")
}

// types fills a visible field.
func (p *tab) types(field, value string) {
	p.Helper()
	p.until(fmt.Sprintf("document.querySelector(%s)?.checkVisibility()", quote(field)))
	p.fill(field, value)
}

// ticks ticks the boxes of a form that must be ticked.
func (p *tab) ticks() {
	p.Helper()
	eval[chromedp.Void](p, `document.querySelectorAll("input[type=checkbox][required]").forEach(e => { if (!e.checked) e.click(); })`)
}

// drafts fills in an evening with one deal a round, for tables of two.
func (p *tab) drafts(name string, rounds int) {
	p.Helper()
	p.types("select[name=kind]", "evening schwarzer-peter/v1")
	p.types("input[name=name]", name)
	p.types("input[name=rounds]", fmt.Sprint(rounds))
	p.types("input[name=deals]", "1")
	p.types("select[name=sizes]", "2")
	p.types("input[name=organiser]", "Klub")
	p.tap("Show what I sign")
}

// accepts makes the organiser accept players when the page shows all of them and nobody else.
func (p *tab) accepts(players int) {
	p.Helper()
	p.until(fmt.Sprintf(`document.querySelectorAll(".organise > ul li").length === %d`, players))
	p.tap("Accept them")
}

// A club's evening must be possible without a terminal. With a phone for each player it is announced,
// registered, drawn, played, ruled, appealed and published, only by clicks on visible elements, and
// its standings must equal a verifier's on another machine. With PAKLI_TESTS=all twelve players play
// three rounds; with thorough eight play two.
func TestCupWithoutATerminal(t *testing.T) {
	t.Parallel()
	players, rounds, name := 4, 1, "Kártyaest <b>"
	if guideFolder != "" {
		name = "Kártyaest"
	}
	switch {
	case testmust.ThoroughInAll():
		players, rounds = 12, 3
	case testmust.Thorough():
		players, rounds = 8, 2
	}
	f := serve(t)
	f.lies(func(r *http.Request, body []byte) []byte { // no cosigner has a time here
		if strings.HasSuffix(r.URL.Path, "/clock") {
			return []byte(`{"terms":{"keepers":["k"]},"seats":[{"seat":0,"left":1000},{"seat":1}]}`)
		}
		return body
	})
	club := visitor(t, f)
	club.visit(f.URL + "/events")
	club.tap("A new event")
	club.drafts(name, rounds)
	club.tap("More about what counts")
	club.types("input[name=points]", "x")
	club.tap("Show what I sign")
	club.until(`document.querySelector("input[name=points][aria-invalid]")`)
	club.types("input[name=points]", "")
	club.types("input[name=bye]", "") // beside the form, which does not fold up meanwhile
	club.tap("Show what I sign")
	club.shows("from a secret")
	club.looks("an event that is drafted")
	club.pictures("draft")
	club.tap("Sign and announce")
	club.until(`/^\/events\/[0-9A-Z]{8}$/.test(location.pathname)`)
	page := f.URL + eval[string](club, "location.pathname")

	judge := visitor(t, f) // who decides on appeals
	judge.visit(page)
	judge.tap("Are you to be an arbiter")
	judge.types("details[open] input[name=name]", "Zsuzsa")
	judge.tap("Make a seat")
	judge.until(`document.querySelector("input.key")?.value.includes("+")`)
	key := eval[string](judge, `document.querySelector("input.key").value`)
	club.tap("Name arbiters and jury")
	club.types("textarea[name=jury]", key)
	club.tap("Sign these lists")
	judge.shows("No appeal is open.")

	club.tap("Whom you expect")
	club.types("textarea[name=people]", "\ufeffname;club\nJátékos A;\"Tarokk, Pest\"\nNobody\n")
	club.tap("Add")
	club.shows("Players: 0 of 2")
	link := eval[string](club, `document.querySelector("details[open] .rows code").innerText.trim().replace(/^https?:\/\/[^/]+/, "")`)
	phones, sat := make([]*tab, players), make([]string, players)
	for i := range phones {
		p := visitor(t, f)
		phones[i] = p
		p.shown(375, i%2 == 0)
		if i == 0 { // a player with a link of her own
			p.visit(f.URL + link)
			p.until(`document.querySelector("input[name=club]")?.value === "Tarokk, Pest"`)
		} else {
			p.visit(page)
			p.types("form input[autocomplete=name]", fmt.Sprintf("Játékos %c", 'A'+i))
		}
		p.ticks()
		p.tap("Register")
		p.shows("you have registered")
	}
	club.shows("Players: 1 of 2")
	club.tap("Whom you expect") // which folds it
	club.accepts(players)
	for i, p := range phones {
		p.shows("you are accepted, with the number")
		if i == 0 {
			p.looks("an event on a phone")
			p.pictures("registered")
			p.illustrates("player", "h1")
		}
	}
	for round := 1; round <= rounds; round++ {
		club.tap(fmt.Sprintf("Draw round %d", round))
		if round == 1 {
			club.until(`[...document.querySelectorAll("button")].some(e => e.textContent.includes("Begin round 1"))`)
			club.pictures("drawn")
			club.illustrates("draw", ".organise")
		}
		club.tap(fmt.Sprintf("Begin round %d", round))
		for i, p := range phones {
			p.until(fmt.Sprintf(`/^\/t\/[0-9a-f]{64}$/.test(location.pathname) && location.pathname !== %s`, quote(sat[i]))) // not at the table of the previous round
			sat[i] = eval[string](p, "location.pathname")
			p.until(`document.querySelector(".table")`)
			if round == 1 && i == 0 {
				p.tap("Call an arbiter")
				p.types("details[open] textarea", "A telephone rang.")
				eval[chromedp.Void](p, `document.querySelector("details.say[open] button.main").click()`)
				p.pictures("called")
				club.shows("A telephone rang.")
				club.tap("Remark")
				club.types("details.say[open] textarea", "Soup is served.")
				eval[chromedp.Void](club, `document.querySelector("details.say[open] button.main").click()`)
				p.shows("Soup is served.")
				stranger := visitor(t, f)
				stranger.visit(f.URL + sat[i])
				stranger.until(`document.querySelector("[role=timer]")`)
			}
		}
		for i, p := range phones {
			eval[any](p, fmt.Sprintf("pakliTest.play(%d)", 100*round+i))
		}
		if round == 1 {
			club.ruled()
		}
		for _, p := range phones {
			p.over(patience)
		}
		if round == 1 {
			p := phones[0]
			p.tap("Appeal")
			p.types("details[open] textarea", "It was not mine.")
			eval[chromedp.Void](p, `document.querySelector("details.say[open] button.main").click()`)
			judge.types(".appeal select", "overturn")
			judge.types(".appeal textarea", "It was the landlord’s.")
			judge.tap("Show what it changes")
			judge.pictures("jury")
			judge.illustrates("jury", ".official")
			judge.tap("Sign it")
			club.shows("overturned")
		}
	}
	club.tap("Publish the standings")
	club.shows("the standings are published")
	club.looks("an event that is over")
	club.tame("an event")
	club.pictures("over")

	guest := visitor(t, f)
	guest.visit(f.URL + "/events")
	guest.tap(name)
	guest.tap("How to check it")
	guest.tap("Verify everything here")
	guest.shows("Verified in this browser")
	guest.shows("Adjudicated: there are rulings")
	testmust.Equal(t, eval[int](guest, `document.querySelectorAll(".standings tbody tr").length`), players, "players in the standings")
	events := testmust.Have(f.log().Events(context.Background(), nil, 8))(t)
	testmust.Holdf(t, len(events.Events) == 1 && events.Events[0].Over && events.Events[0].Rounds == rounds && events.Events[0].Players == players, "the log has %+v", events.Events)
	testmust.Holdf(t, strings.Contains(guest.text(), "It was the landlord’s."), "no reason in %s", guest.text())
	f.orderly()
}

// pictures writes pictures for human eyes: a phone's width in dark colours, and a wide window.
func (p *tab) pictures(name string) {
	p.Helper()
	if pictures == "" {
		return
	}
	for width, dark := range map[int]bool{375: true, 1280: false} {
		p.shown(width, dark)
		p.picture(fmt.Sprintf("event-%s-%d", name, width))
	}
}

// guideFolder is the folder for the pictures of docs/guide/cup.md:
//
//	PAKLI_GUIDE_PICTURES=$PWD/docs/guide go test -C internal/trials/browser -run TestCupWithoutATerminal
var guideFolder = os.Getenv("PAKLI_GUIDE_PICTURES")

// illustrates writes a picture of a part of the page for the guide, as a phone shows it.
func (p *tab) illustrates(name, part string) {
	p.Helper()
	if guideFolder != "" {
		p.shown(375, false)
		eval[chromedp.Void](p, fmt.Sprintf("document.querySelector(%s).scrollIntoView()", quote(part)))
		p.photograph(filepath.Join(guideFolder, "cup-"+name+".png"))
	}
}

// ruled makes the arbiter punish the first player, after the page shows what that changes.
func (p *tab) ruled() {
	p.Helper()
	p.until(`document.querySelector(".ruling[open] select[name=player]")`)
	p.types(".ruling select[name=player]", "1")
	p.types(".ruling input[name=points]", "-5")
	p.types(".ruling textarea", "A telephone rang at table 1.")
	p.tap("Show what it changes")
	p.shows("It changes the standings so:")
	p.pictures("ruling")
	p.tap("Sign it")
	p.until(`!document.querySelector(".effect") && document.body.innerText.includes("Penalty · ")`)
}

// A player has gone, and a substitute must get the seat without a terminal. The substitute's page
// makes a link, the organiser's page explains it, and after the organiser signs, the substitute is at
// the table. The beginning of a round is not announced.
func TestSubstituteWithoutATerminal(t *testing.T) {
	t.Parallel()
	f := serve(t)
	club := visitor(t, f)
	club.visit(f.URL + "/events/new")
	club.drafts("Klubest", 1)
	club.tap("Sign and announce")
	club.until(`/^\/events\/[0-9A-Z]{8}$/.test(location.pathname)`)
	page := f.URL + eval[string](club, "location.pathname")
	club.tap("Say when a round begins")
	club.types("input[name=time]", "2051-05-03T20:30")
	eval[chromedp.Void](club, `document.querySelector("details.say[open] button.main").click()`)
	club.shows("Round 1 begins: ")
	club.pictures("time")
	phones := make([]*tab, 3)
	for i := range phones {
		phones[i] = visitor(t, f)
		phones[i].shown(375, true)
		phones[i].visit(page)
		phones[i].types("form input[autocomplete=name]", fmt.Sprintf("Player %c", 'A'+i))
		phones[i].ticks()
		phones[i].tap("Register")
		phones[i].shows("you have registered")
	}
	club.accepts(len(phones))
	for _, step := range []string{"Draw round 1", "Begin round 1"} {
		club.tap(step)
	}
	var sits []*tab
	var spare *tab
	for _, p := range phones {
		p.until(`document.querySelector(".table") || document.body.innerText.includes("You have a bye")`)
		if eval[bool](p, `Boolean(document.querySelector(".table"))`) {
			sits = append(sits, p)
		} else {
			spare = p
		}
	}
	testmust.Requiref(t, len(sits) == 2 && spare != nil, "%d sit", len(sits))
	testmust.Until(t, "a player who is asked, so that the table stands still", func() bool {
		return eval[bool](sits[0], "Boolean("+asked+")") || eval[bool](sits[1], "Boolean("+asked+")")
	})
	spare.tap("Take the seat of a player who has gone")
	eval[chromedp.Void](spare, `document.querySelector("details.say[open] button.main").click()`)
	spare.until(`document.querySelector("input.key")?.value.includes("accept=")`)
	spare.pictures("substitute")
	club.tap("Let a substitute sit down")
	club.types("input[name=link]", eval[string](spare, `document.querySelector("input.key").value`))
	club.shows("takes the seat of")
	club.pictures("reseat")
	club.looks("a substitute who is to sit down")
	eval[chromedp.Void](club, `document.querySelector("details.say[open] button.main").click()`)
	spare.until(`/^\/t\/[0-9a-f]{64}$/.test(location.pathname) && document.querySelector(".table")`)
	f.orderly()
}

// A browser with a closed page must be notified: it subscribes with the server's key and a seat of
// the event, shows the message, and opens the right page.
func TestToldWhenClosed(t *testing.T) {
	t.Parallel()
	f := serve(t)
	club := visitor(t, f)
	registered := make(chan serviceworker.RegistrationID, 8)
	club.call(func(context.Context) error {
		return chromedp.Listen(club.ctx, func(e any) {
			if e, is := e.(*serviceworker.EventWorkerRegistrationUpdated); is && len(e.Registrations) > 0 {
				registered <- e.Registrations[0].RegistrationID
			}
		})
	})
	club.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, serviceworker.Enable, cdp.Empty{})
		return err
	})
	club.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, browser.SetPermission, browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "notifications"}, Setting: browser.PermissionSettingGranted, Origin: f.URL, BrowserContextID: chromedp.FromContext(club.ctx).BrowserContextID})
		return err
	})
	club.visit(f.URL + "/events/new")
	club.drafts("Klubest", 1)
	club.tap("Sign and announce")
	club.shows("Also when this page is closed")
	key := base64.RawURLEncoding.EncodeToString(testmust.Have(ecdh.P256().GenerateKey(rand.Reader))(t).PublicKey().Bytes())
	service := func(place string) string { // no push service can be reached from here
		return `PushManager.prototype.subscribe = async o => { globalThis.asked = o; return { toJSON: () => ({ endpoint: "https://fcm.googleapis.com/fcm/send/` + place + `", keys: { p256dh: "` + key + `", auth: "A".repeat(22) } }) }; };`
	}
	eval[chromedp.Void](club, "(() => { "+service("x")+" })()")
	club.tap("Tell me what is new here")
	club.until(`!document.body.innerText.includes("Also when this page is closed")`)
	testmust.Equal(t, eval[string](club, "asked.applicationServerKey"), f.push, "the key of the server")
	kept := string(testmust.Have(os.ReadFile(filepath.Join(f.data, "push-list")))(t))
	testmust.Holdf(t, strings.Contains(kept, "fcm.googleapis.com/fcm/send/x"), "kept is %s", kept)
	path := eval[string](club, "location.pathname")
	club.visit(f.URL + "/about")
	id := <-registered
	club.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: service("moved")})
		return err
	})
	club.visit(f.URL + path) // the push service has a different address for this browser
	testmust.Until(t, "a subscription there", func() bool {
		kept, err := os.ReadFile(filepath.Join(f.data, "push-list"))
		return err == nil && strings.Contains(string(kept), "fcm.googleapis.com/fcm/send/moved")
	})
	club.visit(f.URL + "/about")
	club.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{Origin: f.URL, RegistrationID: id, Data: fmt.Sprintf(`{"title":"Klubest: your table begins.","link":%s}`, quote(path))})
		return err
	})
	testmust.Until(t, "a notification", func() bool {
		return eval[string](club, `(async () => { const [said] = await (await navigator.serviceWorker.getRegistration("/push/")).getNotifications(); return said ? said.title + " " + said.data : ""; })()`) == "Klubest: your table begins. "+path
	})
	f.orderly()
}
