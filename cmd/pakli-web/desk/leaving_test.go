package desk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A player who goes away with the result of the others, a bot that nobody can ask to end the table, players who come to two
// tables though each wants to play again with the others, and one who plays under another's name.
func TestLeaveEndAndPlayAgain(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made, found offered
	testmust.Fail(t, anna.call("offer.make", map[string]any{"name": "Kovács, Anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, nil), "a comma in a name")
	anna.must("offer.make", map[string]any{"name": "Kovács Anna", "bots": []string{"csilla-bot"}, "game": "schwarzer-peter/v1", "deals": 1, "places": 3, "forfeit": 2}, &made)
	anna.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	bela.must("offer.find", map[string]any{"code": made.Code}, &found)
	var joined struct{ Name, Free string }
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "kovács anna"}, &joined)
	testmust.Equal(t, joined.Free, "kovács anna 2", "a name that looks like another")
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "Grün-Weiß"}, nil)
	bela.must("offer.watch", map[string]any{"offer": found.Offer}, nil)
	both := map[*browser]page{b1: anna, b2: bela}
	for b, p := range both {
		e := b.until(t, "the table", ofTable)
		testmust.Equal(t, fmt.Sprint(e.Names), "[{Kovács Anna true} {csilla-bot true} {Grün-Weiß true}]", "there sit")
		p.at["table"] = e.Table
		p.must("sit", map[string]any{"kept": "trifling"}, nil)
	}
	first := anna.at["table"]
	b2.until(t, "bela is asked, or sees the table", func(e event) bool { return e.View != nil && e.View.Deal > 0 })
	bela.must("act", map[string]any{"kind": "resign"}, nil)
	left := b1.until(t, "bela has left", func(e event) bool { return e.View != nil && e.View.Leaving.Gone != nil })
	testmust.Holdf(t, *left.View.Leaving.Gone == 2 && len(left.View.Leaving.Asked) == 2 && left.View.Leaving.Forfeit == 2, "%+v", left.View.Leaving)
	testmust.Fail(t, bela.call("act", map[string]any{"kind": "agree", "to": "end"}, nil), "who has left ends the table")
	testmust.Fail(t, bela.call("act", map[string]any{"kind": "close"}, nil), "a player closes the table")
	anna.must("act", map[string]any{"kind": "agree", "to": "end"}, nil)
	for b := range both {
		e := b.until(t, "the end, which the bot wants with its person", func(e event) bool { return e.View != nil && e.View.Over })
		testmust.Holdf(t, e.View.Leaving.Again && e.View.Chairs[2].Score == e.View.Chairs[0].Score*-2, "the table is over, and nobody can play again, or who left has not paid: %+v", e.View.Chairs)
	}

	var replay struct{ Length int }
	var last struct {
		Tells []struct{ Text string }
	}
	anna.must("replay.open", map[string]any{"id": "r"}, &replay)
	anna.must("replay.at", map[string]any{"id": "r", "n": replay.Length - 1}, &last)
	testmust.Holdf(t, len(last.Tells) == 1 && strings.Contains(last.Tells[0].Text, "all others have agreed, and Grün-Weiß has left"), "a replay says of the end: %+v", last.Tells)

	offers := make(chan offered, 2)
	for _, p := range both {
		go func() {
			var again offered
			p.must("offer.again", nil, &again)
			offers <- again
		}()
	}
	one, two := <-offers, <-offers
	testmust.Requiref(t, one.Offer == two.Offer, "two clicks at once offer two tables: %s and %s", one.Link, two.Link)
	var tables []string
	for _, p := range both {
		p.must("offer.again", nil, nil) // a second click
		p.must("offer.watch", map[string]any{"offer": one.Offer}, nil)
	}
	for b := range both {
		e := b.until(t, "the next table", ofTable)
		testmust.Equal(t, fmt.Sprint(e.Names), "[{csilla-bot true} {Grün-Weiß true} {Kovács Anna true}]", "there sit, and the next one deals")
		tables = append(tables, e.Table)
	}
	testmust.Holdf(t, tables[0] == tables[1] && !slices.Contains(tables, fmt.Sprint(first)), "after %s the players are at %v", first, tables)
	b1.secret(t)
	b2.secret(t)
}

// Players who wait for ever for one who does not come; one who is led to a stranger's table instead.
func TestGoOnWithoutOne(t *testing.T) {
	t.Parallel()
	at := serve(t)
	var fails atomic.Bool // whoever joins is refused, or whoever leaves
	var refused atomic.Value
	refused.Store("/joins")
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, refused.Load().(string)) {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		at.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	at.URL = front.URL
	b1, b2, b3 := newBrowser(), newBrowser(), newBrowser()
	anna, bela, csilla := open(t, b1, at), open(t, b2, at), open(t, b3, at)
	names := map[*browser]string{b1: "anna", b2: "bela", b3: "csilla"}
	both := map[*browser]page{b1: anna, b2: bela, b3: csilla}
	var made, again, found offered
	anna.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, &made)
	testmust.Fail(t, anna.call("offer.open", map[string]any{"offer": made.Offer}, nil), "places that are kept for nobody are opened")
	for b, p := range both {
		if b != b1 {
			p.must("offer.find", map[string]any{"code": made.Code}, nil)
			p.must("offer.join", map[string]any{"offer": made.Offer, "name": names[b]}, nil)
		}
		p.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	}
	for b, p := range both {
		p.at["table"] = b.until(t, "the table", ofTable).Table
		p.must("sit", map[string]any{"kept": "trifling"}, nil)
	}
	for b := range both {
		b.until(t, "the deal", func(e event) bool { return e.View != nil && e.View.Deal > 0 })
	}
	for _, p := range both {
		p.must("act", map[string]any{"kind": "agree", "to": "end"}, nil)
	}
	for b := range both {
		b.until(t, "the end", func(e event) bool { return e.View != nil && e.View.Over })
	}
	noneOpen := func(what string) (offers int) {
		t.Helper()
		var list struct{ Offers []struct{ Free int } }
		answer := testmust.Have(http.Get(at.URL + "/v1/offers"))(t)
		defer answer.Body.Close()
		testmust.Do(t, json.NewDecoder(answer.Body).Decode(&list))
		for _, o := range list.Offers {
			testmust.Hold(t, o.Free < 3, what, "is left open with nobody at it")
		}
		return len(list.Offers)
	}
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, nil), "a table at which nobody can wait is offered")
	noneOpen("a new table")
	testmust.Fail(t, anna.call("offer.again", nil, nil), "a table at which nobody can wait is offered again")
	noneOpen("a table to play again")
	fails.Store(false)
	anna.must("offer.again", nil, &again)
	bela.must("offer.again", nil, nil)
	id := map[string]any{"offer": again.Offer}
	bela.must("offer.watch", id, nil)
	b2.until(t, "two of three", func(e event) bool { return len(e.Joins) == 3 })
	var open offered
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.open", id, nil), "a table at which nobody can wait is opened")
	noneOpen("a table with open places")
	fails.Store(false)
	refused.Store("/leaves")
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.open", id, nil), "a table is opened by one who still waits at another")
	fails.Store(false)
	anna.must("offer.open", id, &open)
	testmust.Equal(t, noneOpen("a table with open places"), 1, "tables with open places")
	next := b2.until(t, "where the other goes on", func(e event) bool { return e.Next != "" }).Next
	testmust.Equal(t, next, open.Link, "bela is led")
	bela.must("offer.find", map[string]any{"code": open.Code}, &found)
	bela.must("offer.join", map[string]any{"offer": open.Offer, "name": "bela"}, nil)
	anna.must("offer.watch", map[string]any{"offer": open.Offer}, nil)
	anna.must("offer.fill", map[string]any{"offer": open.Offer, "names": []string{"elza-bot"}}, nil)
	e := b1.until(t, "the next table", ofTable)
	testmust.Equal(t, fmt.Sprint(e.Names), "[{anna true} {bela true} {elza-bot true}]", "there sit")
}
