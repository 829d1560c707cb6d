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

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// A table that browsers cannot finish, that the native verifier does not find sound, or
// that one of them shows otherwise than it is; a secret, or another's card, that leaves
// the program of its seat.
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

// scenes fails unless the page was told a table as it was at every moment.
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

// hidden fails if a secret is in a message, in the document, in storage beside the
// vaults, or in what was asked of the server.
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

// spellings are the secrets of a seat in all the ways in which they could be written.
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
