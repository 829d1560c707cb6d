package vectors_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/held"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// keeperVector is a file that is to convict a keeper (66.8.7), or a request to one (66.8.3).
type keeperVector struct {
	Name     string `json:"name"`
	Comment  string `json:"comment"`
	Expect   string `json:"expect"` // success; malformed; nothing: it proves nothing
	Evidence string `json:"evidence,omitempty"`
	Held     int64  `json:"held,omitempty"` // times of the lines, of evidence that convicts
	Silent   int64  `json:"silent,omitempty"`
	Request  string `json:"request,omitempty"`
}

func keepers(t *testing.T) []any {
	s, other := key(t, "anna.example", tlog.Ed25519), key(t, "bela.example", tlog.Ed25519)
	at, entry := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 3}, wire.Hash{4}
	said := func(since, silent int64, by *tlog.SignerKey, p keeper.Place) held.Evidence {
		return held.Evidence{Key: s.String(), Place: at, Entry: entry,
			Hold: testmust.Have(keeper.SignHold(s, since, at, entry))(t), Silence: testmust.Have(keeper.SignSilence(by, silent, p))(t)}
	}
	var list []any
	add := func(name, expect, comment string, e held.Evidence) {
		v := keeperVector{Name: name, Comment: comment, Expect: expect, Evidence: string(e.Marshal())}
		if expect == "success" {
			v.Held, v.Silent = gotTimes(t, e)
		}
		list = append(list, v)
	}
	elsewhere := at
	elsewhere.Seat = 2
	swapped := said(1_900_000_000, 1_900_000_060, s, at)
	swapped.Hold, swapped.Silence = swapped.Silence, swapped.Hold
	renamed := said(1_900_000_000, 1_900_000_060, s, at)
	renamed.Entry = wire.Hash{5}
	add("both", "success", "a message held, and a silence a minute later", said(1_900_000_000, 1_900_000_060, s, at))
	add("one-second", "nothing", "both in one second: the silence can have come first", said(1_900_000_000, 1_900_000_000, s, at))
	add("before", "nothing", "the silence first", said(1_900_000_060, 1_900_000_000, s, at))
	add("another-seat", "nothing", "a silence about another seat", said(1_900_000_000, 1_900_000_060, s, elsewhere))
	add("another-keeper", "nothing", "a silence of another keeper", said(1_900_000_000, 1_900_000_060, other, at))
	add("another-entry", "nothing", "a hold of another message", renamed)
	add("swapped", "nothing", "each line in the other's place", swapped)
	good := said(1_900_000_000, 1_900_000_060, s, at)
	text := string(good.Marshal())
	file := func(name, comment, text string) {
		list = append(list, keeperVector{Name: name, Comment: comment, Expect: "malformed", Evidence: text})
	}
	file("cut", "without its last byte", text[:len(text)-1])
	file("longer", "with an empty line more", text+"\n")
	file("seat-spelled", "a seat in another spelling", strings.Replace(text, "seat 3", "seat 03", 1))
	file("seat-16", "a seat that no table has", strings.Replace(text, "seat 3", "seat 16", 1))
	file("name", "a line under another name", strings.Replace(text, "hold — anna", "hold — bela", 1))
	request := func(name, expect, comment, text string) {
		list = append(list, keeperVector{Name: name, Comment: comment, Expect: expect, Request: text})
	}
	ask := string(held.Request{Genesis: []byte("genesis\n"), Receipt: []byte("receipt\n"), Parent: wire.Hash{2}, Seat: 3}.Marshal())
	give := string(held.Request{Genesis: []byte("genesis\n"), Receipt: []byte("receipt\n"), Reseat: []byte("act\n"), Message: []byte("message\n")}.Marshal())
	request("ask", "success", "for silence: genesis entry and receipt are not looked at here", ask)
	request("give", "success", "to hold, by who has taken the seat over", give)
	request("length", "malformed", "a length in another spelling", strings.Replace(ask, "genesis 8", "genesis 08", 1))
	request("too-long", "malformed", "a block that ends too late", strings.Replace(give, "receipt 8", "receipt 9", 1))
	request("trailing", "malformed", "a line more", ask+"\n")
	request("order", "malformed", "the seat before the parent", strings.Replace(ask, "parent", "seat", 1))
	return list
}

// gotTimes are the times of evidence that convicts.
func gotTimes(t *testing.T, e held.Evidence) (since, silent int64) {
	t.Helper()
	since, silent, err := e.Check()
	testmust.Do(t, err)
	return since, silent
}

func judgeKeeper(t *testing.T, line []byte) string {
	v := read[keeperVector](t, line)
	if v.Request != "" {
		if _, err := held.ParseRequest([]byte(v.Request)); err != nil {
			return "malformed"
		}
		return "success"
	}
	e, err := held.ParseEvidence([]byte(v.Evidence))
	if err != nil {
		return "malformed"
	}
	since, silent, err := e.Check()
	if err != nil {
		return "nothing"
	}
	if since != v.Held || silent != v.Silent {
		t.Errorf("%d and %d, want %d and %d", since, silent, v.Held, v.Silent)
	}
	return "success"
}
