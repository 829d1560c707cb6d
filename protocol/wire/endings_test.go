package wire_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// keeper is the verifier key of key i as a cosigner's.
func (k *keys) keeper(i int) string {
	return typed(fmt.Sprintf("example.com/keeper-%d", i), 4, k.material(i))
}

const noClock = `"clock":{"keepers":[],"lines":[],"quorum":0,"tick":0,"start":0,"move":0,"bank":0,"increment":0,"grace":0,"silence":false}`

// genesis2 is a table/v2 of an event, with a clock.
func (k *keys) genesis2() string {
	return `{"pakli":"table/v2","event":"00000000000000000000000000000000000000000000000000000000000000cc","round":3,"number":17,` +
		`"game":"whist/v1","suite":"ristretto255-bayergroth/v1","options":{"a":"1","b":""},"deals":2,"fouls":"warn",` +
		`"clock":{"keepers":["` + k.keeper(10) + `","` + k.keeper(11) + `"],"lines":["` + k.vkeys[12] + `","` + k.vkeys[13] + `"],"quorum":2,"tick":5,"start":300,"move":120,"bank":600,"increment":10,"grace":15,"silence":true},` +
		`"ends":{"late":"forfeit","forfeit":20,"resign":true,"agree":true},"organiser":"` + k.vkeys[0] + `","arbiters":["` + k.vkeys[14] + `"],` +
		`"seats":["` + k.vkeys[1] + `","` + k.vkeys[2] + `","` + k.vkeys[3] + `"],"names":["Kov%C3%A1cs B%C3%A9la","","%E5%B1%B1%E7%94%B0"],"nonce":"AAECAwQFBgcICQoLDA0ODw=="}`
}

// genesis2Plain is one of a club, without.
func (k *keys) genesis2Plain() string {
	return `{"pakli":"table/v2","event":"","round":0,"number":0,` +
		`"game":"whist/v1","suite":"ristretto255-bayergroth/v1","options":{},"deals":2,"fouls":"refuse",` + noClock +
		`,"ends":{"late":"undo","forfeit":0,"resign":false,"agree":true},"organiser":"` + k.vkeys[0] + `","arbiters":[],` +
		`"seats":["` + k.vkeys[1] + `","` + renamed(k, 2, "key-1") + `"],"names":["",""],"nonce":"AAECAwQFBgcICQoLDA0ODw=="}`
}

func (k *keys) act(by int, kind, body string) string {
	return `{"pakli":"act/v1","table":"00000000000000000000000000000000000000000000000000000000000000aa",` +
		`"parent":"00000000000000000000000000000000000000000000000000000000000000bb","by":"` + k.vkeys[by] + `","kind":"` + kind + `","body":` + body + `,"proofs":[]}`
}

// endings are vectors of table/v2 and of acts.
func (k *keys) endings() []vector {
	return []vector{
		{"genesis2", "success", "", "a table of an event, with a clock (10.10)", k.signed(0, k.genesis2())},
		{"genesis2-plain", "success", "", "a table without event and clock; two seats may have one key name (10.10)", k.signed(0, k.genesis2Plain())},
		{"genesis2-selfruled", "success", "", "a table that nobody rules (10.10.3)", k.signed(0, strings.Replace(k.genesis2Plain(), `"agree":true`, `"agree":true,"selfruled":true`, 1))},
		{"act-close", "success", "", "an act (10.11)", k.signed(0, k.act(0, "close", `{"reason":"The hall closes."}`))},
		{"act-unknown", "success", "", "an act of a kind and a body of which only a table can say that they are none (10.11)", k.signed(0, k.act(0, "x", `{"":[]}`))},
		{"act-signature", "signature", "signature", "an act signed by another key than it names (10.11)", k.signed(1, k.act(0, "pause", `{}`))},
	}
}

// A name that would not come back as it was, so that a report shows another: every
// mark that has two spellings elsewhere.
func TestTextHasOneSpelling(t *testing.T) {
	for text, spelt := range map[wire.Text]string{
		"":                 "",
		"Kovács Béla":      "Kov%C3%A1cs B%C3%A9la",
		`100 % "sure" \o/`: `100 %25 %22sure%22 %5Co/`,
		"a+b<c>&'d":        "a+b<c>&'d",
		"山田":               "%E5%B1%B1%E7%94%B0",
	} {
		got, err := text.MarshalText()
		testmust.Holdf(t, err == nil && string(got) == spelt, "%q is spelt %q (%v), want %q", text, got, err, spelt)
		again, err := wire.ReadText(spelt)
		testmust.Holdf(t, err == nil && again == text, "%q is read as %q (%v), want %q", spelt, again, err, text)
	}
}

// Text that is accepted in two spellings, or that has what cannot be seen.
func FuzzReadText(f *testing.F) {
	for _, seed := range []string{"", "a", "%C3%A1", "%c3%a1", "%25", "%", "%2", "%E2%80%8B", "%EF%BF%BE", "\\", "%5C"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spelt string) {
		text, err := wire.ReadText(spelt)
		if err != nil {
			return
		}
		again, err := text.MarshalText()
		testmust.Holdf(t, err == nil && string(again) == spelt && plain(again), "%q is read as %q and spelt %q (%v)", spelt, text, again, err)
	})
}

// actBodies has a good body of each kind, and what is wrong.
func actBodies(k *keys) map[wire.Kind]struct {
	into func() wire.ActBody
	good []string
	bad  []string
} {
	hash := strings.Repeat("0", 62) + "aa"
	accept := base64.StdEncoding.EncodeToString(make([]byte, 64))
	span := func(done string) string {
		return `{"since":"` + hash + `","done":"` + done + `","from":"` + hash + `","to":"` + hash + `"}`
	}
	timeout := func(spans, silence string) string {
		return `{"seat":1,"seen":"` + hash + `","spans":[` + spans + `],"silence":` + silence + `}`
	}
	line := `"` + base64.StdEncoding.EncodeToString(make([]byte, 76)) + `"`
	return map[wire.Kind]struct {
		into func() wire.ActBody
		good []string
		bad  []string
	}{
		wire.KindPause:  {func() wire.ActBody { return new(wire.EmptyBody) }, []string{`{}`}, []string{`{"a":1}`, `{} `}},
		wire.KindResign: {func() wire.ActBody { return new(wire.ResignBody) }, []string{`{"scope":"deal"}`, `{"scope":"table"}`}, []string{`{"scope":""}`, `{"scope":"seat"}`, `{}`}},
		wire.KindAgree: {func() wire.ActBody { return new(wire.AgreeBody) }, []string{`{"to":"end"}`, `{"to":""}`, `{"to":"undo"}`},
			[]string{`{"to":"annul"}`, `{"to":"End"}`, `{"to":1}`}},
		wire.KindExpose: {func() wire.ActBody { return new(wire.ExposeBody) }, []string{`{"cards":[0,7],"tokens":["AQI=","AQI="]}`},
			[]string{`{"cards":[],"tokens":[]}`, `{"cards":[7,0],"tokens":["AQI=","AQI="]}`, `{"cards":[7,7],"tokens":["AQI=","AQI="]}`, `{"cards":[0],"tokens":["AQI=","AQI="]}`,
				`{"cards":[-1],"tokens":["AQI="]}`, `{"cards":[256],"tokens":["AQI="]}`, `{"cards":[0],"tokens":[""]}`, `{"cards":[0],"tokens":["AQJ="]}`}},
		wire.KindReseat: {func() wire.ActBody { return new(wire.ReseatBody) }, []string{`{"seat":1,"key":"` + k.vkeys[3] + `","accept":"` + accept + `"}`},
			[]string{`{"seat":16,"key":"` + k.vkeys[3] + `","accept":"` + accept + `"}`, `{"seat":-1,"key":"` + k.vkeys[3] + `","accept":"` + accept + `"}`,
				`{"seat":1,"key":"key-3","accept":"` + accept + `"}`, `{"seat":1,"key":"` + k.vkeys[3] + `","accept":""}`}},
		wire.KindClose: {func() wire.ActBody { return new(wire.CloseBody) }, []string{`{"reason":""}`, `{"reason":"` + strings.Repeat("r", 480) + `"}`},
			[]string{`{"reason":"` + strings.Repeat("r", 481) + `"}`, `{"reason":"%61"}`, `{}`}},
		wire.KindTimeout: {func() wire.ActBody { return new(wire.TimeoutBody) }, []string{timeout(span(""), `[]`), timeout(span(hash)+","+span(""), "["+line+"]")},
			[]string{timeout("", `[]`), timeout(span(hash), `[]`), timeout(span("")+","+span(""), `[]`), timeout(span("aa")+","+span(""), `[]`), timeout(span(""), `null`),
				timeout(span(""), `["AQI="]`), timeout(span(""), "["+strings.Repeat(line+",", 8)+line+"]"), timeout(strings.Repeat(span(hash)+",", 128)+span(""), `[]`)}},
	}
}

// A body of an act beyond its bounds, or of another form.
func TestActBodies(t *testing.T) {
	for kind, b := range actBodies(newKeys()) {
		for _, raw := range b.good {
			testmust.Do(t, wire.DecodeAct(json.RawMessage(raw), b.into()), kind, raw, "is refused")
		}
		for _, raw := range b.bad {
			testmust.Holdf(t, wire.DecodeAct(json.RawMessage(raw), b.into()) != nil, "%s: %.300s is accepted", kind, raw)
		}
	}
}

// A body of an act that is accepted in two spellings, or panics.
func FuzzDecodeAct(f *testing.F) {
	bodies := actBodies(newKeys())
	kinds := []wire.Kind{wire.KindPause, wire.KindResign, wire.KindAgree, wire.KindExpose, wire.KindReseat, wire.KindClose, wire.KindTimeout}
	for i, kind := range kinds {
		for _, raw := range append(bodies[kind].good, bodies[kind].bad...) {
			f.Add(byte(i), []byte(raw))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, raw []byte) {
		body := bodies[kinds[int(kind)%len(kinds)]].into()
		if !plain(raw) || wire.DecodeAct(raw, body) != nil {
			return
		}
		again, err := wire.EncodeBody(body)
		testmust.Requiref(t, err == nil && bytes.Equal(raw, again), "read  %q\nwrites %q (%v)", raw, again, err)
	})
}

// A seat that signs an act which nobody would read; and one that reads back otherwise.
func TestSignAct(t *testing.T) {
	k := newKeys()
	e := parsed(t, k.signed(0, k.act(0, "close", `{"reason":"R%C3%A9sum%C3%A9"}`)))
	again, err := wire.Sign(e.Act, k.signers[0])
	testmust.Holdf(t, err == nil && bytes.Equal(again, e.Bytes()), "signing what was read gives other bytes: %v", err)
	old, takes := k.signed(0, k.genesis()), k.signed(0, k.genesis2())
	if id, ok := wire.TableNamed(again); !ok || id != e.Act.Table || !wire.Concerns(again, id, takes) || wire.Concerns(again, id, old) || wire.Concerns(again, id, nil) {
		t.Errorf("the act concerns a table that has none, or not its own")
	}
	e.Act.By = "nobody"
	entry, err := wire.Sign(e.Act, k.signers[0])
	testmust.Holdf(t, err != nil, "signed %.200q", entry)
}

// A seat taken with somebody else's acceptance, or with one for another seat, place or table.
func TestAccept(t *testing.T) {
	k := newKeys()
	table, parent := wire.Hash{1}, wire.Hash{2}
	accept := testmust.Have(wire.SignAccept(k.signers[3], table, parent, 1))(t)
	body := wire.ReseatBody{Seat: 1, Key: k.vkeys[3], Accept: accept}
	testmust.Hold(t, body.AcceptedBy(table, parent), "an acceptance is not one")
	for what, b := range map[string]wire.ReseatBody{
		"seat": {Seat: 2, Key: k.vkeys[3], Accept: accept}, "key": {Seat: 1, Key: k.vkeys[4], Accept: accept}, "none": {Seat: 1, Key: k.vkeys[3], Accept: make([]byte, 64)},
	} {
		testmust.Holdf(t, !b.AcceptedBy(table, parent), "an acceptance of another %s is accepted", what)
	}
	testmust.Hold(t, !body.AcceptedBy(parent, table) && !body.AcceptedBy(table, table), "an acceptance for another place is accepted")
}

// aMark is a mark by a seat. What its note says is not for this package.
func aMark(k *keys) []byte {
	return testmust.Need(wire.SignMark([]byte("a checkpoint\n"), k.vkeys[1], k.signers[1]))
}

// A mark in a second spelling, without bounds, or signed by another than it says: two
// readers would take one log for two.
func TestParseMark(t *testing.T) {
	k := newKeys()
	good := aMark(k)
	m, err := wire.ParseMark(good)
	testmust.Requiref(t, err == nil && string(m.Note) == "a checkpoint\n" && m.By == k.vkeys[1] && wire.BeginsMark(good), "%q is %+v: %v", good, m, err)
	line, _, _ := strings.Cut(string(good), "\n")
	long := strings.Replace(line, `"note":"`, `"note":"`+strings.Repeat("AAAA", wire.MaxMarkNote/3+1), 1)
	for name, c := range map[string]struct{ text, want string }{
		"another signer":   {strings.Replace(line, k.vkeys[1], k.vkeys[2], 1), "must be by"},
		"a log's name":     {strings.Replace(line, "key-1+", "a/b+", 1), "verifier key"},
		"no note":          {line[:strings.Index(line, `,"note"`)] + `,"note":""}`, "must have 1 to"},
		"too long":         {long, "must have 1 to"},
		"another spelling": {strings.Replace(line, `IK"`, `IL"`, 1) + " ", "want"},
		"a field more":     {strings.TrimSuffix(line, "}") + `,"time":1}`, "want"},
		"another version":  {strings.Replace(line, "mark/v1", "mark/v2", 1), "want"},
	} {
		testmust.FailSaying(t, testmust.ErrorOf(wire.ParseMark(k.signed(1, c.text))), c.want, name)
	}
	for name, entry := range map[string][]byte{
		"cut short": good[:len(good)-2], "more behind": append(bytes.Clone(good), '\n'), "too long": append(bytes.Clone(good), make([]byte, wire.MaxEntry)...), "empty": nil,
	} {
		testmust.Fail(t, testmust.ErrorOf(wire.ParseMark(entry)), name, "it is taken")
	}
}

// A mark that is taken for a message or a table, as verifiers without clocks do not: it
// concerns no table.
func TestMarkConcernsNoTable(t *testing.T) {
	entry := aMark(newKeys())
	testmust.Fail(t, testmust.ErrorOf(wire.ParseEntry(entry)), "a mark is parsed as an entry of a table")
	_, named := wire.TableNamed(entry)
	testmust.Hold(t, !named && !wire.Concerns(entry, wire.HashEntry(entry), nil), "a mark names a table")
}

// A mark that is signed and that nobody would read.
func TestSignMark(t *testing.T) {
	k := newKeys()
	testmust.Fail(t, testmust.ErrorOf(wire.SignMark([]byte("c"), k.vkeys[2], k.signers[1])), "signed by another")
	testmust.Fail(t, testmust.ErrorOf(wire.SignMark(make([]byte, wire.MaxMarkNote+1), k.vkeys[1], k.signers[1])), "signed with a note that is too long")
}

// A mark that is read and could have been written in another way, or that crashes a reader.
func FuzzParseMark(f *testing.F) {
	k := newKeys()
	f.Add(aMark(k))
	f.Add(k.signed(1, `{"pakli":"mark/v1","by":"`+k.vkeys[1]+`","note":"AQJ="}`))
	f.Fuzz(func(t *testing.T, entry []byte) {
		m, err := wire.ParseMark(entry)
		if err != nil {
			return
		}
		text, _, _ := bytes.Cut(entry, []byte("\n"))
		again, err := wire.EncodeBody(m)
		testmust.Requiref(t, err == nil && bytes.Equal(text, again), "read  %q\nwrites %q (%v)", text, again, err)
	})
}
