package main

import (
	"crypto/rand"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/vaulttest"
	"github.com/pakli/pakli/protocol/wire"
)

// A player is sent home by a cancellation that names the organiser and that a stranger, the server,
// has signed, or by that of another event of the same organiser.
func TestDecisionOfNobody(t *testing.T) {
	own, organiser, err := note.GenerateKey(rand.Reader, "organiser")
	testmust.Do(t, err)
	strange, stranger, err := note.GenerateKey(rand.Reader, "organiser")
	testmust.Do(t, err)
	id := wire.Hash{1}
	vault := testmust.Have(new(vaulttest.Place).Open())(t)
	me := testmust.Have(player.CreateIdentity(vault, "anna"))(t)
	body := testmust.Have(wire.EncodeBody(wire.RemarkBody{Text: "Go home."}))(t)
	for name, c := range map[string]struct {
		skey, vkey string
		event      wire.Hash
		counts     bool
	}{
		"the organiser's":  {own, organiser, id, true},
		"a stranger's":     {strange, stranger, id, false},
		"of another event": {own, organiser, wire.Hash{2}, false},
	} {
		signer := testmust.Have(note.NewSigner(c.skey))(t)
		d := &wire.Decision{Format: wire.DecisionFormat, Event: c.event, Parent: id, By: c.vkey, Kind: wire.DecideCancel, Body: body}
		entry := testmust.Have(wire.Sign(d, signer))(t)
		entry = []byte(strings.ReplaceAll(string(entry), c.vkey, organiser))
		p := entrant{id: me, event: id, attendance: attendance{terms: &wire.Event{Organiser: organiser}, asked: map[wire.Hash]bool{}}}
		testmust.Do(t, p.hear(entry, 5))
		if (p.unsure != nil) != c.counts {
			t.Errorf("%s: it is believed to have been cancelled: %v", name, p.unsure != nil)
		}
	}
}
