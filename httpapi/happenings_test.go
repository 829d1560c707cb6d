package httpapi_test

import (
	"fmt"
	"testing"

	"github.com/pakli/pakli/httpapi/webpush"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// Something of an event that nobody outside is told, is told twice, or before it was; what does not count, and is told.
func TestHappenings(t *testing.T) {
	d := newDuel(t, 5)
	read, from := d.server.Happenings(), uint64(0)
	more := func() (said []string) {
		t.Helper()
		for range 2 { // an entry is looked at when it was there before
			list, next, err := read(t.Context(), from)
			testmust.Do(t, err)
			for _, h := range list {
				testmust.Holdf(t, h.Index >= from && h.Index < next && h.Event == d.o.id && h.Name == string(d.h.Terms.Name), "from %d to %d: %+v", from, next, h)
				said = append(said, fmt.Sprint(h.Kind, " ", h.Round, "/", h.Table))
			}
			from = next
		}
		return said
	}
	say := func(kind bulletin.NoticeKind, body any) { d.take(d.path+"/entries", d.all[0].notice(t, kind, body)) }
	expect := func(want ...string) {
		t.Helper()
		testmust.Equal(t, fmt.Sprint(more()), fmt.Sprint(want), "what was told")
	}
	expect(webpush.RoundDrawn+" 1/0", webpush.TableBegun+" 1/1")
	say(bulletin.Call, bulletin.CallBody{Table: d.table.State.ID(), Reason: "He looks at my cards."})
	expect(webpush.ArbiterCalled + " 1/1")
	d.goOn(func() error { return d.table.Play(3) })
	expect()
	d.goOn(func() error { return d.table.Play(-1) })
	expect(webpush.RoundOver + " 1/0")
	d.decide(bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{Player: 1}, Do: bulletin.RulePenalty, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}, Reason: "Késett."})
	d.decide(bulletin.DecideRemark, bulletin.RemarkBody{Text: "Soup is served."})
	say(bulletin.Appeal, bulletin.AppealBody{Ruling: d.h.Rulings[0].Hash, Reason: "I was there."})
	expect(webpush.RulingMade+" 0/0", webpush.RulingAppealed+" 0/0")
	d.decide(bulletin.DecideCancel, bulletin.RemarkBody{Text: "The hall burns."})
	expect(webpush.EventCancelled + " 0/0")
	list, end, err := read(t.Context(), ^uint64(0))
	testmust.Holdf(t, err == nil && len(list) == 0 && end == from, "beyond the end: %v to %d, %v", list, end, err)
}

// A stranger's table that names the event, at the place of another: its players are told to come there, and not that theirs waits.
func TestTableOfAStrangerOwesNothing(t *testing.T) {
	d := newDuel(t, 5)
	owing := func() string { return fmt.Sprint(testmust.Have(d.server.SeatsOwing(t.Context(), d.o.id))(t)) }
	before := owing()
	stranger, _ := newOrganiser(t)
	g := d.h.TableGenesis(1, 1)
	g.Organiser, g.Arbiters, g.Nonce = stranger.key, []string{stranger.key}, make([]byte, wire.NonceBytes)
	d.posted("/v1/tables", stranger.sign(t, g))
	testmust.Equal(t, owing(), before, "what tables of the event wait for")
}
