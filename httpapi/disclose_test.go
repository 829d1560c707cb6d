package httpapi_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A table that ended by a foul of long ago: a player must be told which entry is wrong, and
// that both it and the disclosure that shows it were applied.
func TestFoulOfAnEarlierEntry(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		locked := table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) { return clear.Deferred{}, name == clear.DeferredName }}
		o.Admission = testmust.Have(admission.Open(t.Context(), o.Log.(tlog.Log), locked, admission.Options{}))(t)
	})
	game, _ := games.Lookup("five-card-draw/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Suite: clear.Deferred{}, Fouls: wire.RefuseFouls}, seed.Add(1)))(t)
	h.posted("/v1/tables", p.Entries[0])
	path := "/v1/tables/" + p.State.ID().String()
	var wrong wire.Hash
	for len(p.State.Duties()) > 0 {
		entry := testmust.Have(p.Next())(t)
		if d := p.State.Duties()[0]; d.Kind == table.Show && wrong == (wire.Hash{}) {
			entry = forge(t, p, entry, func(m *wire.Message) {
				var b wire.TokensBody
				testmust.Do(t, wire.DecodeBody(m.Body, &b))
				slices.Reverse(b.Tokens)
				m.Body, _ = wire.EncodeBody(b)
			})
			wrong = wire.HashEntry(entry)
		}
		if got := h.posted(path+"/messages", entry); got.Class != client.Applied {
			t.Fatalf("posted %+v", got)
		}
		testmust.Do(t, p.Add(entry))
		h.checkTable(path, p.State)
	}
	d := read[client.Table](h, path)
	if !d.Over || d.Foul == nil || d.Foul.Check != string(table.CheckStep) || d.Foul.Entry == nil || *d.Foul.Entry != wrong {
		t.Errorf("the table ended by %+v, want %s at %s", d.Foul, table.CheckStep, wrong)
	}
	list := read[client.Messages](h, path+"/messages?limit=1000")
	for _, m := range list.Messages {
		if m.Class != client.Applied || m.Fault != nil {
			t.Errorf("message %d is %+v", m.N, m)
		}
	}
}
