package play

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A cancellation sends a player home although a stranger, the server, signed it in the organiser's
// name, or it is of another event of the same organiser.
func TestDecisionOfNobody(t *testing.T) {
	_, own := ledgertest.NewKey(t, "organiser", tlog.Ed25519)
	_, stranger := ledgertest.NewKey(t, "organiser", tlog.Ed25519)
	organiser := own.Verifier().String()
	id := wire.Hash{1}
	vault := testmust.Have(new(tabletest.VaultPlace).Open())(t)
	me := testmust.Have(player.CreateIdentity(vault, "anna"))(t)
	body := testmust.Have(wire.EncodeBody(bulletin.RemarkBody{Text: "Go home."}))(t)
	for name, c := range map[string]struct {
		by     *tlog.SignerKey
		event  wire.Hash
		counts bool
	}{
		"the organiser's":  {own, id, true},
		"a stranger's":     {stranger, id, false},
		"of another event": {own, wire.Hash{2}, false},
	} {
		d := &bulletin.Decision{Format: bulletin.DecisionFormat, Event: c.event, Parent: id, By: c.by.Verifier().String(), Kind: bulletin.DecideCancel, Body: body}
		entry := testmust.Have(bulletin.Sign(d, c.by))(t)
		entry = []byte(strings.ReplaceAll(string(entry), d.By, organiser))
		p := entrant{id: me, event: id, attendance: attendance{terms: &bulletin.Event{Organiser: organiser}, asked: map[wire.Hash]bool{}}}
		testmust.Do(t, p.takeEntry(entry, 5))
		testmust.Equal(t, p.unsure != nil, c.counts, name, "believed to have been cancelled")
	}
}
