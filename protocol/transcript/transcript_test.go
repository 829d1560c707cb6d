package transcript_test

import (
	"bytes"
	"crypto/sha3"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
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

// honest has no byte of 0, and each hash has other bytes.
var honest = parts{
	suite: "suite/v1", rules: "rules/v1",
	table: transcript.Table{ID: filled(1)}, deck: transcript.Deck{ID: filled(2)}, keys: transcript.Keys{Hash: filled(3)}, deal: 0x04_14_24_34,
	parent: transcript.Parent{Hash: filled(5)}, kind: "kind", seat: 6, slot: 0x07_17,
}

// filled is first, and the numbers after it.
func filled(first byte) (hash [32]byte) {
	for i := range hash {
		hash[i] = first + byte(i)
	}
	return hash
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

// TestChallengesChain: a challenge that does not depend on all that was said
// before it, or two that are equal.
func TestChallengesChain(t *testing.T) {
	first := transcript.New(honest.context(), something)
	a, b, c := first.Challenge("x"), first.Challenge("x"), first.Challenge("y")
	testmust.Hold(t, a != b && b != c && a != c, "two challenges are equal")
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
		testmust.Hold(t, one.Challenge("c") != other.Challenge("c"), name, "same challenge as for T")
	}
	later := transcript.New(honest.context(), something)
	testmust.Hold(t, later.Challenge("y") != c, "a challenge does not depend on those before it")
}

// TestSpecified computes a challenge from the words of the specification alone. A part of the place
// that does not reach it makes a proof good at another one; values that run together are hashed as
// others are.
func TestSpecified(t *testing.T) {
	var text []byte
	frame := func(label string, data []byte) {
		text = binary.BigEndian.AppendUint64(text, uint64(len(label)))
		text = append(text, label...)
		text = binary.BigEndian.AppendUint64(text, uint64(len(data)))
		text = append(text, data...)
	}
	hash := func(label string, h [32]byte) { frame(label, h[:]) }
	frame("version", []byte("pakli/v1"))
	frame("suite", []byte("suite/v1"))
	frame("rules", []byte("rules/v1"))
	hash("table", filled(1))
	hash("deck", filled(2))
	hash("keys", filled(3))
	frame("deal", []byte{4, 0x14, 0x24, 0x34})
	hash("parent", filled(5))
	frame("kind", []byte("kind"))
	frame("seat", []byte{6})
	frame("slot", []byte{7, 0x17})
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
	got := tr.Challenge("c")
	testmust.Holdf(t, bytes.Equal(got[:], want), "got %x, want %x", got, want)
}

// TestZeroContext: a context that was not made by Bind draws challenges that
// are the same everywhere.
func TestZeroContext(t *testing.T) {
	defer func() {
		testmust.Hold(t, recover() != nil, "a zero Context draws a challenge")
	}()
	transcript.New(transcript.Context{}, something)
}

// TestZeroStream: a stream that does not come from Hedge, and is the same
// everywhere.
func TestZeroStream(t *testing.T) {
	defer func() {
		testmust.Hold(t, recover() != nil, "a zero Stream can be read")
	}()
	new(transcript.Stream).Read(make([]byte, 1))
}

// TestHedge: nonces that a broken random source repeats under two challenges,
// or that show in a challenge, or the other way round.
func TestHedge(t *testing.T) {
	read := func(t2 *transcript.Transcript, secret string, rand io.Reader) string {
		r := testmust.Have(t2.Hedge([]byte(secret), rand))(t)
		b := make([]byte, 64)
		testmust.Have(io.ReadFull(r, b))(t)
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
		other, ok := seen[nonce]
		testmust.Holdf(t, !ok, "%s: same nonce as %s", name, other)
		seen[nonce] = name
	}
	testmust.Equal(t, read(fresh(), "secret", zeros), read(fresh(), "secret", zeros), "nonces are not a function of secret, transcript and randomness")
	hedged := fresh()
	read(hedged, "secret", ones)
	testmust.Equal(t, hedged.Challenge("c"), fresh().Challenge("c"), "drawing nonces changes the challenge, which a verifier cannot follow")
	testmust.FailBy(t, testmust.ErrorOf(fresh().Hedge(nil, strings.NewReader("too short"))), io.ErrUnexpectedEOF, "without randomness")
}
