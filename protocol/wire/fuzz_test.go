package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// An entry that is accepted and could have been written in another way: two
// bytes strings, and so two hashes, for one message.
func FuzzParse(f *testing.F) {
	for _, v := range vectors() {
		if len(v.entry) < 2_000 {
			f.Add(v.entry)
		}
	}
	f.Fuzz(func(t *testing.T, parcel []byte) {
		e, err := bulletin.Parse(parcel)
		if err != nil {
			return
		}
		testmust.Requiref(t, bytes.Equal(e.Parcel(), parcel), "kept another parcel than %q", parcel)
		entry, _ := wire.CutParcel(parcel)
		testmust.Requiref(t, bytes.Equal(e.Bytes(), entry) && e.Hash == wire.HashEntry(entry), "kept other bytes than %q", entry)
		var again json.RawMessage
		for _, part := range parts(e) {
			testmust.Requiref(t, again == nil, "entry is two things: %q", entry)
			again, err = wire.EncodeBody(part)
		}
		text, _, _ := bytes.Cut(entry, []byte("\n"))
		testmust.Requiref(t, err == nil && bytes.Equal(text, again), "read  %q\nwrites %q (%v)", text, again, err)
	})
}

// parts are what an entry is: one thing.
func parts(e *bulletin.Entry) (list []any) {
	if e.Table != nil {
		list = append(list, e.Table)
	}
	if e.Message != nil {
		list = append(list, wire.MessageText(e.Message))
	}
	if e.Act != nil {
		list = append(list, wire.ActText(e.Act))
	}
	if e.Event != nil {
		list = append(list, e.Event)
	}
	if e.Notice != nil {
		list = append(list, e.Notice)
	}
	if e.Decision != nil {
		list = append(list, e.Decision)
	}
	return list
}

// A hash in a second spelling.
func FuzzParseHash(f *testing.F) {
	f.Add("00000000000000000000000000000000000000000000000000000000000000aa")
	f.Add("00000000000000000000000000000000000000000000000000000000000000AA")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := wire.ParseHash(s)
		testmust.Requiref(t, err != nil || h.String() == s, "%q is read as %s", s, h)
	})
}

// Bodies at their limits, which no fuzzer reaches.
func TestBodyLimits(t *testing.T) {
	many := make([][]byte, wire.MaxList+1)
	for i := range many {
		many[i] = []byte{1}
	}
	text := func(n int) json.RawMessage {
		return json.RawMessage(`{"a":"` + string(bytes.Repeat([]byte("x"), n-8)) + `"}`)
	}
	order := func(n int) []wire.DisclosedDeal {
		return []wire.DisclosedDeal{{Deal: 1, Lock: []byte{1}, Order: make([]byte, n)}}
	}
	var locks []wire.DisclosedDeal
	for range wire.MaxList + 1 {
		locks = append(locks, order(1)...)
	}
	for _, c := range []struct {
		name        string
		good, bad   any
		into, into2 any
	}{
		{"value", wire.KeyBody{Key: []byte{1}}, wire.KeyBody{Key: []byte{}}, new(wire.KeyBody), new(wire.KeyBody)},
		{"cards", wire.CardsBody{Cards: many[1:]}, wire.CardsBody{Cards: many}, new(wire.CardsBody), new(wire.CardsBody)},
		{"tokens", wire.TokensBody{Tokens: many[1:]}, wire.TokensBody{Tokens: many}, new(wire.TokensBody), new(wire.TokensBody)},
		{"move", wire.MoveBody{Move: text(wire.MaxMove), Tokens: [][]byte{}}, wire.MoveBody{Move: text(wire.MaxMove + 1), Tokens: [][]byte{}}, new(wire.MoveBody), new(wire.MoveBody)},
		{"locks", wire.DiscloseBody{Deals: locks[1:]}, wire.DiscloseBody{Deals: locks}, new(wire.DiscloseBody), new(wire.DiscloseBody)},
		{"order", wire.DiscloseBody{Deals: order(wire.MaxList)}, wire.DiscloseBody{Deals: order(wire.MaxList + 1)}, new(wire.DiscloseBody), new(wire.DiscloseBody)},
		{"card", wire.DisputeBody{Card: wire.MaxList - 1}, wire.DisputeBody{Card: wire.MaxList}, new(wire.DisputeBody), new(wire.DisputeBody)},
	} {
		for i, v := range []any{c.good, c.bad} {
			raw := testmust.Have(wire.EncodeBody(v))(t)
			err := wire.DecodeBody(raw, []any{c.into, c.into2}[i])
			testmust.Equal(t, err == nil, i == 0, c.name, "one at the limit, one over it", i, err)
		}
	}
}

// A player that signs what nobody would read.
func TestSignRefusesWhatDoesNotParse(t *testing.T) {
	k := newKeys()
	e := parsed(t, k.signed(2, message))
	again, err := wire.Sign(e.Message, k.signers[2])
	testmust.Holdf(t, err == nil && bytes.Equal(again, e.Bytes()), "signing what was read gives other bytes: %v", err)
	for name, change := range map[string]func(m *wire.Message){
		"seat":    func(m *wire.Message) { m.Seat = 16 },
		"no body": func(m *wire.Message) { m.Body = nil },
		"proofs":  func(m *wire.Message) { m.Proofs = nil },
		"quotes":  func(m *wire.Message) { m.Kind = `a"b` },
		"umlaut":  func(m *wire.Message) { m.Kind = "ü" },
		"blobs too long": func(m *wire.Message) {
			m.Proofs = [][]byte{make([]byte, wire.MaxResidues/2), make([]byte, wire.MaxResidues/2+1)}
		},
		"too long": func(m *wire.Message) {
			m.Proofs = slices.Repeat([][]byte{make([]byte, wire.MaxInline)}, 4)
		},
	} {
		m := *e.Message
		change(&m)
		entry, err := wire.Sign(&m, k.signers[2])
		testmust.Holdf(t, err != nil, "%s: signed %.200q", name, entry)
	}
}

// plain reports whether all bytes are such as an entry may have.
func plain(b []byte) bool {
	return !bytes.ContainsFunc(b, func(c rune) bool { return c < 0x20 || c > 0x7e || c == '\\' })
}

// A text that one reader of messages takes and another does not, or that they
// take for two messages: each number, each null and each level of a body decides
// whether there is a foul.
func FuzzScanMessage(f *testing.F) {
	for _, v := range vectors() {
		if line, _, _ := bytes.Cut(v.entry, []byte("\n")); len(line) < 2_000 {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"pakli":"message/v1","table":"` + strings.Repeat("0", 64) + `","parent":"` + strings.Repeat("f", 64) + `","seat":-0,"kind":"a","body":{"a":[{"b":"}]"},1e5,null]},"proofs":[]}`))
	for _, v := range []string{"1.5", "-0", "01", "-", "9007199254740991", "9007199254740992", "true", "fals", "[]", "[1,]", "{\"a\":{}}", "{1:2}", strings.Repeat("[", 14) + strings.Repeat("]", 14), strings.Repeat("[", 15) + strings.Repeat("]", 15)} {
		f.Add([]byte(strings.Replace(message, `["AQI="]`, v, 1)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !plain(line) {
			return
		}
		got, err := wire.ParseMessage(line)
		want, wrong := wire.ParseMessageByJSON(line)
		testmust.Holdf(t, (err == nil) == (wrong == nil) && (err != nil || reflect.DeepEqual(got, want)),
			"%q is\n%+v (%v), by json\n%+v (%v)", line, got, err, want, wrong)
	})
}

// A body that one reader takes and another does not, or with other values: the other one writes again what it has
// read, so there is one spelling. And one that holds more values than are allowed, or an empty one.
func FuzzScanBody(f *testing.F) {
	for _, seed := range []string{
		`{"key":"AQI="}`, `{"key":""}`, `{"key":null}`, `{"key":"AQI"}`, `{}`, `null`,
		`{"cards":["AQI=","Aw=="]}`, `{"cards":[]}`, `{"cards":null}`, `{"cards":[null]}`, `{"cards":[""]}`, `{"cards":["AR=="]}`,
		`{"tokens":["AQI="]}`, `{"tokens":["AQI="],"tokens":["AQI="]}`, `{"Tokens":["AQI="]}`,
		`{"move":{"draw":{"from":1,"position":0}},"tokens":[]}`, `{"move":[],"tokens":[]}`, `{"move":{},"tokens":null}`, `{"move": {},"tokens":[]}`,
		`{"deals":[{"deal":1,"lock":"AQI=","order":"AAE="}]}`, `{"deals":[]}`, `{"deals":[{"deal":0,"lock":"AQI=","order":"AAE="}]}`,
		`{"deals":[{"deal":1,"lock":"","order":"AAE="}]}`, `{"deals":[{"deal":4294967297,"lock":"AQI=","order":"AAE="},{"deal":2,"lock":"AQ==","order":"AA=="}]}`,
		`{"deals":[{"lock":"AQI=","deal":1,"order":"AAE="}]}`, `{"deals":[null]}`, `{"deals":null}`, `{"card":7}`, `{"card":-1}`, `{"card":256}`, `{"card":"7"}`,
		`{"move":{"a":1,"a":2},"tokens":["AQI="]}`, `{"tokens":[],"move":{}}`, `{"move":{},"tokens":[]} `,
		"{\"move\":{\"\":\"\x06\"},\"tokens\":[]}", `{"move":{"a":"\"},"tokens":[]}`,
		`{"key":"AQI="}`, `{"key":"AQJ="}`, `{"key":"AQ=="}`, `{"cards":["AQI=","Aw=="]}`, `{"cards":[]}`, `{"cards":["AR=="]}`, `{"cards":["AQI=",]}`,
		`{"tokens":["AQI="]}`, `{"tokens":[,"AQI="]}`, `{"move":{"draw":{"from":1,"position":0}},"tokens":[]}`, `{"move":{"a":"b c"},"tokens":["AQI="]}`,
		`{"move":{"a":1,"a":[{}]},"tokens":["AQI="]}`, `{"move":{"a":01},"tokens":[]}`, `{"move":{}},"tokens":[]}`, `{"move":{"a":{},"tokens":[]}`,
	} {
		for kind := range byte(6) {
			f.Add(kind, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, raw []byte) {
		if !plain(raw) {
			return
		}
		fresh := func() any {
			return []any{&wire.KeyBody{}, &wire.CardsBody{}, &wire.TokensBody{}, &wire.MoveBody{}, &wire.DiscloseBody{}, &wire.DisputeBody{}}[kind%6]
		}
		got, want := fresh(), fresh()
		if wire.DecodeBodyByJSON(raw, want) != nil {
			testmust.Fail(t, wire.DecodeBody(raw, got), string(raw), "is taken, and not by json")
			return
		}
		if err := wire.DecodeBody(raw, got); err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, by json %+v", raw, got, want)
		} else if (err == nil) != withinBounds(want) {
			t.Errorf("%q: %v, within its bounds: %v", raw, err, withinBounds(want))
		}
	})
}

// withinBounds reports whether a body has what a body must have.
func withinBounds(body any) bool {
	short := func(list [][]byte) bool {
		return list != nil && len(list) <= wire.MaxList && !slices.ContainsFunc(list, func(b []byte) bool { return len(b) == 0 })
	}
	switch b := body.(type) {
	case *wire.KeyBody:
		return short([][]byte{b.Key})
	case *wire.CardsBody:
		return short(b.Cards)
	case *wire.TokensBody:
		return short(b.Tokens)
	case *wire.MoveBody:
		return short(b.Tokens) && len(b.Move) <= wire.MaxMove && bytes.HasPrefix(b.Move, []byte("{"))
	case *wire.DiscloseBody:
		return len(b.Deals) > 0 && len(b.Deals) <= wire.MaxList && !slices.ContainsFunc(b.Deals, func(d wire.DisclosedDeal) bool {
			return d.Deal < 1 || d.Deal > wire.MaxNumber || len(d.Lock) == 0 || len(d.Order) == 0 || len(d.Order) > wire.MaxList
		})
	case *wire.DisputeBody:
		return b.Card >= 0 && b.Card < wire.MaxList
	}
	return false
}
