package event_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A player who made room pays what the substitute pays for leaving, and is named for it; or the other way round.
func TestForfeitsOfSubstitutes(t *testing.T) {
	const seat = 2
	for name, first := range map[string]bool{"the substitute leaves": false, "the player leaves, before": true} {
		t.Run(name, func(t *testing.T) {
			peter, _ := games.Lookup("schwarzer-peter/v1")
			ends := &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}
			tb := testmust.Have(tabletest.New(peter, tabletest.Config{Seats: 3, Deals: 2, Ends: ends}, 1))(t)
			resign := func() {
				testmust.Have(tb.PlayUntil(table.Move))(t)
				testmust.Do(t, tb.Add(tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal})))
			}
			if first {
				resign()
			}
			testmust.Have(tb.PlayUntil(table.Move))(t)
			hand, reseat, err := tb.Substitute(seat)
			testmust.Do(t, err)
			testmust.Do(t, tb.Add(reseat))
			testmust.Do(t, tb.SitDown(hand))
			if !first {
				resign()
			}
			testmust.Do(t, tb.Play(-1))
			player, substitute := tb.State.Genesis().Seats[seat], tb.State.HolderKey(seat)
			who, other := substitute, player
			if first {
				who, other = player, substitute
			}
			sheet := sheetOf(tb)
			_, failed := sheet.Failed[who]
			testmust.Holdf(t, failed && len(sheet.Failed) == 1, "failed: %v, and not %s", sheet.Failed, other)
			for _, l := range sheet.Lines {
				holder := player
				if l.Keys != nil {
					holder = l.Keys[seat]
				}
				want := substitute
				if l.Forfeit {
					want = who
				}
				testmust.Holdf(t, holder == want, "%+v is of %s", l, holder)
			}
		})
	}
}

// sheetOf is what a replay makes of a table.
func sheetOf(tb *tabletest.Table) *event.Table {
	var p *played.Table
	r := replay.New(tb.Catalogue(), nil, 1, func(id wire.Hash, s replay.Step) {
		if p == nil {
			p = played.New(id, s)
		}
		p.TakeStep(s)
	})
	for i, e := range tb.Entries {
		r.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(e), e))
	}
	r.SettleBatches()
	return p.Sheet()
}
