package transcript_test

import (
	"bytes"
	"crypto/sha3"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/transcript"
)

// parts are the arguments of Bind, and the slot.
type parts struct {
	suite  transcript.Suite
	rules  transcript.Rules
	table  transcript.Table
	deck   transcript.Deck
	keys   transcript.Keys
	deal   transcript.Deal
	parent transcript.Parent
	kind   transcript.Kind
	seat   transcript.Seat
	slot   uint16
}

func (p parts) context() transcript.Context {
	return transcript.Bind(p.suite, p.rules, p.table, p.deck, p.keys, p.deal, p.parent, p.kind, p.seat).Slot(p.slot)
}

var honest = parts{
	suite: "suite/v1", rules: "rules/v1",
	table: transcript.Table{ID: [32]byte{1}}, deck: transcript.Deck{ID: [32]byte{2}}, keys: transcript.Keys{Hash: [32]byte{3}}, deal: 4,
	parent: transcript.Parent{Hash: [32]byte{5}}, kind: "kind", seat: 6, slot: 7,
}

// statement is any list of values under a label.
type statement struct {
	label  string
	values []value
}

type value struct {
	label string
	data  []byte
}

func (s statement) Label() string { return s.label }

func (s statement) AppendTo(b *transcript.Binder) {
	for _, v := range s.values {
		b.Bytes(v.label, v.data)
	}
}

var something = statement{"statement/v1", []value{{"a", []byte("one")}, {"b", []byte("two")}}}

// TestContextIsBound: a part of the context that does not reach the challenge
// makes a proof good at another place.
func TestContextIsBound(t *testing.T) {
	seen := map[[64]byte]string{}
	draw := func(name string, change func(*parts)) {
		p := honest
		change(&p)
		c := transcript.New(p.context(), something).Challenge("c")
		if other, ok := seen[c]; ok {
			t.Errorf("%s: same challenge as %s", name, other)
		}
		seen[c] = name
	}
	draw("honest", func(*parts) {})
	draw("suite", func(p *parts) { p.suite = "suite/v2" })
	draw("rules", func(p *parts) { p.rules = "rules/v2" })
	draw("names exchanged", func(p *parts) { p.suite, p.rules = "rules/v1", "suite/v1" })
	draw("names run together", func(p *parts) { p.suite, p.rules = "suite/v1r", "ules/v1" })
	draw("hashes exchanged", func(p *parts) {
		p.table, p.parent = transcript.Table{ID: [32]byte{5}}, transcript.Parent{Hash: [32]byte{1}}
	})
	for i := range 32 {
		draw(fmt.Sprint("table ", i), func(p *parts) { p.table.ID[i] ^= 0x80 })
		draw(fmt.Sprint("deck ", i), func(p *parts) { p.deck.ID[i] ^= 0x80 })
		draw(fmt.Sprint("keys ", i), func(p *parts) { p.keys.Hash[i] ^= 0x80 })
		draw(fmt.Sprint("parent ", i), func(p *parts) { p.parent.Hash[i] ^= 0x80 })
	}
	for i := range 32 {
		draw(fmt.Sprint("deal ", i), func(p *parts) { p.deal ^= 1 << i })
	}
	for i := range 16 {
		draw(fmt.Sprint("slot ", i), func(p *parts) { p.slot ^= 1 << i })
	}
	for i := range 8 {
		draw(fmt.Sprint("seat ", i), func(p *parts) { p.seat ^= 1 << i })
	}
	draw("kind", func(p *parts) { p.kind = "kinds" })
}

// TestFraming: two different lists of values that are hashed alike.
func TestFraming(t *testing.T) {
	seen := map[[64]byte]int{}
	for i, s := range []statement{
		something,
		{"statement/v2", something.values},
		{"statement/v1", []value{{"a", []byte("onetwo")}}},
		{"statement/v1", []value{{"ao", []byte("ne")}, {"b", []byte("two")}}},
		{"statement/v1", []value{{"a", []byte("one")}, {"b", []byte("tw")}, {"o", nil}}},
		{"statement/v1", []value{{"b", []byte("two")}, {"a", []byte("one")}}},
		{"statement/v1", []value{{"a", []byte("one")}}},
		{"statement/v1", []value{{"a", []byte("one")}, {"b", []byte("two")}, {"", nil}}},
		{"statement/v1", nil},
		{"", nil},
	} {
		c := transcript.New(honest.context(), s).Challenge("c")
		if j, ok := seen[c]; ok {
			t.Errorf("statements %d and %d have the same challenge", j, i)
		}
		seen[c] = i
	}
}

// TestChallengesChain: a challenge that does not depend on all that was said
// before it, or two that are equal.
func TestChallengesChain(t *testing.T) {
	first := transcript.New(honest.context(), something)
	a, b, c := first.Challenge("x"), first.Challenge("x"), first.Challenge("y")
	if a == b || b == c || a == c {
		t.Error("two challenges are equal")
	}
	for name, say := range map[string]func(*transcript.Transcript){
		"nothing":       func(t *transcript.Transcript) {},
		"another label": func(t *transcript.Transcript) { t.Append("R", []byte("t")) },
		"another value": func(t *transcript.Transcript) { t.Append("T", []byte("u")) },
		"twice":         func(t *transcript.Transcript) { t.Append("T", []byte("t")); t.Append("T", []byte("t")) },
		"a challenge":   func(t *transcript.Transcript) { t.Challenge("T"); t.Append("T", []byte("t")) },
	} {
		one, other := transcript.New(honest.context(), something), transcript.New(honest.context(), something)
		one.Append("T", []byte("t"))
		say(other)
		if one.Challenge("c") == other.Challenge("c") {
			t.Errorf("%s: same challenge as for T", name)
		}
	}
	later := transcript.New(honest.context(), something)
	if later.Challenge("y") == c {
		t.Error("a challenge does not depend on those before it")
	}
}

// TestSpecified computes a challenge from the words of the specification alone.
func TestSpecified(t *testing.T) {
	var text []byte
	frame := func(label string, data []byte) {
		text = binary.BigEndian.AppendUint64(text, uint64(len(label)))
		text = append(text, label...)
		text = binary.BigEndian.AppendUint64(text, uint64(len(data)))
		text = append(text, data...)
	}
	frame("version", []byte("pakli/v1"))
	frame("suite", []byte("suite/v1"))
	frame("rules", []byte("rules/v1"))
	frame("table", append([]byte{1}, make([]byte, 31)...))
	frame("deck", append([]byte{2}, make([]byte, 31)...))
	frame("keys", append([]byte{3}, make([]byte, 31)...))
	frame("deal", []byte{0, 0, 0, 4})
	frame("parent", append([]byte{5}, make([]byte, 31)...))
	frame("kind", []byte("kind"))
	frame("seat", []byte{6})
	frame("slot", []byte{0, 7})
	frame("statement", []byte("statement/v1"))
	frame("a", []byte("one"))
	frame("b", []byte("two"))
	frame("T", []byte("commitment"))
	frame("challenge", []byte("c"))
	h := sha3.NewSHAKE256()
	h.Write(text)
	want := make([]byte, 64)
	h.Read(want)

	tr := transcript.New(honest.context(), something)
	tr.Append("T", []byte("commitment"))
	if got := tr.Challenge("c"); !bytes.Equal(got[:], want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// TestZeroContext: a context that was not made by Bind draws challenges that
// are the same everywhere.
func TestZeroContext(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a zero Context draws a challenge")
		}
	}()
	transcript.New(transcript.Context{}, something)
}

// TestZeroStream: a stream that does not come from Hedge, and is the same
// everywhere.
func TestZeroStream(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a zero Stream can be read")
		}
	}()
	new(transcript.Stream).Read(make([]byte, 1))
}

// TestHedge: nonces that a broken random source repeats under two challenges,
// or that show in a challenge, or the other way round.
func TestHedge(t *testing.T) {
	read := func(t2 *transcript.Transcript, secret string, rand io.Reader) string {
		r, err := t2.Hedge([]byte(secret), rand)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 64)
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	zeros, ones := strings.NewReader(strings.Repeat("\x00", 1000)), strings.NewReader(strings.Repeat("\x01", 1000))
	fresh := func() *transcript.Transcript { return transcript.New(honest.context(), something) }
	elsewhere := honest
	elsewhere.slot++
	said := fresh()
	said.Append("T", nil)
	seen := map[string]string{}
	for name, nonce := range map[string]string{
		"honest":             read(fresh(), "secret", zeros),
		"another secret":     read(fresh(), "secres", zeros),
		"other randomness":   read(fresh(), "secret", ones),
		"another statement":  read(transcript.New(honest.context(), statement{"other", nil}), "secret", zeros),
		"another context":    read(transcript.New(elsewhere.context(), something), "secret", zeros),
		"another transcript": read(said, "secret", zeros),
	} {
		if other, ok := seen[nonce]; ok {
			t.Errorf("%s: same nonce as %s", name, other)
		}
		seen[nonce] = name
	}
	if read(fresh(), "secret", zeros) != read(fresh(), "secret", zeros) {
		t.Error("nonces are not a function of secret, transcript and randomness")
	}
	hedged := fresh()
	read(hedged, "secret", ones)
	if hedged.Challenge("c") != fresh().Challenge("c") {
		t.Error("drawing nonces changes the challenge, which a verifier cannot follow")
	}
	if _, err := fresh().Hedge(nil, strings.NewReader("too short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without randomness: %v", err)
	}
}
