package main

import (
	"crypto/rand"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/vaulttest"
	"github.com/pakli/pakli/protocol/wire"
)

// A decision that names the organiser, and that a stranger, the server, has signed: a player whom it sends home.
func TestDecisionOfNobody(t *testing.T) {
	own, organiser, err := note.GenerateKey(rand.Reader, "organiser")
	if err != nil {
		t.Fatal(err)
	}
	strange, stranger, err := note.GenerateKey(rand.Reader, "organiser")
	if err != nil {
		t.Fatal(err)
	}
	id := wire.Hash{1}
	vault, err := new(vaulttest.Place).Open()
	if err != nil {
		t.Fatal(err)
	}
	me, err := player.CreateIdentity(vault, "anna")
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.EncodeBody(wire.RemarkBody{Text: "Go home."})
	if err != nil {
		t.Fatal(err)
	}
	for skey, vkey := range map[string]string{own: organiser, strange: stranger} {
		signer, err := note.NewSigner(skey)
		if err != nil {
			t.Fatal(err)
		}
		d := &wire.Decision{Format: wire.DecisionFormat, Event: id, Parent: id, By: vkey, Kind: wire.DecideCancel, Body: body}
		entry, err := wire.Sign(d, signer)
		if err != nil {
			t.Fatal(err)
		}
		entry = []byte(strings.ReplaceAll(string(entry), vkey, organiser))
		p := entrant{id: me, attendance: attendance{terms: &wire.Event{Organiser: organiser}, asked: map[wire.Hash]bool{}}}
		if err := p.hear(entry, 5); err != nil {
			t.Fatal(err)
		}
		if signed := skey == own; p.over != signed || (p.cancelled != nil) != signed {
			t.Errorf("signed by the organiser: %v; the event is over: %v", signed, p.over)
		}
	}
}
