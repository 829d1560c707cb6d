package vectors_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/transcript"
)

// frame is a label with data in hexadecimal.
type frame struct {
	Label string `json:"label"`
	Data  string `json:"data"`
}

// transcriptVector is a challenge and all that it depends on (20).
type transcriptVector struct {
	Name      string  `json:"name"`
	Comment   string  `json:"comment"`
	Expect    string  `json:"expect"` // success, or wrong: the challenge is another
	Suite     string  `json:"suite"`
	Rules     string  `json:"rules"`
	Table     string  `json:"table"`
	Deck      string  `json:"deck"`
	Keys      string  `json:"keys"`
	Deal      uint32  `json:"deal"`
	Parent    string  `json:"parent"`
	Kind      string  `json:"kind"`
	Seat      uint8   `json:"seat"`
	Slot      uint16  `json:"slot"`
	Statement string  `json:"statement"` // its label
	Values    []frame `json:"values"`    // of the statement
	Sent      []frame `json:"sent"`      // by the prover
	Label     string  `json:"label"`     // of the challenge
	Challenge string  `json:"challenge"`
}

// written is the vector as a statement.
type written struct{ v transcriptVector }

func (w written) Label() string { return w.v.Statement }

func (w written) AppendTo(b *transcript.Binder) {
	for _, f := range w.v.Values {
		data, _ := hex.DecodeString(f.Data)
		b.Bytes(f.Label, data)
	}
}

func (v transcriptVector) draw(t *testing.T) string {
	t.Helper()
	c := transcript.Bind(transcript.Suite(v.Suite), transcript.Rules(v.Rules), transcript.Table{ID: hash(t, v.Table)}, transcript.Deck{ID: hash(t, v.Deck)},
		transcript.Keys{Hash: hash(t, v.Keys)}, transcript.Deal(v.Deal), transcript.Parent{Hash: hash(t, v.Parent)}, transcript.Kind(v.Kind), transcript.Seat(v.Seat))
	tr := transcript.New(c.Slot(v.Slot), written{v})
	for _, f := range v.Sent {
		tr.Append(f.Label, unhex(t, f.Data))
	}
	drawn := tr.Challenge(v.Label)
	return hex.EncodeToString(drawn[:])
}

func transcripts(t *testing.T) []any {
	first := func(b byte) string { return fmt.Sprintf("%064x", append([]byte{b}, make([]byte, 31)...)) }
	v := transcriptVector{
		Name: "example", Comment: "the example of 20.5", Expect: "success", Suite: "suite/v1", Rules: "rules/v1",
		Table: first(1), Deck: first(2), Keys: first(3), Deal: 4, Parent: first(5), Kind: "kind", Seat: 6, Slot: 7,
		Statement: "statement/v1", Values: []frame{{"a", "6f6e65"}, {"b", "74776f"}}, Sent: []frame{{"T", "636f6d6d69746d656e74"}}, Label: "c",
	}
	v.Challenge = v.draw(t)
	list := []any{v}
	wrong := func(name string, change func(*transcriptVector)) {
		w := v
		w.Name, w.Comment, w.Expect = name, "the challenge of the example, with another "+name, "wrong"
		change(&w)
		list = append(list, w)
	}
	wrong("suite", func(w *transcriptVector) { w.Suite = "suite/v2" })
	wrong("rules", func(w *transcriptVector) { w.Rules = "rules/v2" })
	wrong("table", func(w *transcriptVector) { w.Table = first(9) })
	wrong("deck", func(w *transcriptVector) { w.Deck = first(9) })
	wrong("keys", func(w *transcriptVector) { w.Keys = first(9) })
	wrong("deal", func(w *transcriptVector) { w.Deal = 5 })
	wrong("parent", func(w *transcriptVector) { w.Parent = first(9) })
	wrong("kind", func(w *transcriptVector) { w.Kind = "kinds" })
	wrong("seat", func(w *transcriptVector) { w.Seat = 7 })
	wrong("slot", func(w *transcriptVector) { w.Slot = 8 })
	wrong("statement", func(w *transcriptVector) { w.Statement = "statement/v2" })
	wrong("value", func(w *transcriptVector) { w.Values = []frame{{"a", "6f6e65"}, {"b", "74776e"}} })
	wrong("order of values", func(w *transcriptVector) { w.Values = []frame{{"b", "74776f"}, {"a", "6f6e65"}} })
	wrong("division of values", func(w *transcriptVector) { w.Values = []frame{{"a", "6f6e6574"}, {"b", "776f"}} })
	wrong("commitment", func(w *transcriptVector) { w.Sent = nil })
	wrong("label", func(w *transcriptVector) { w.Label = "d" })
	return list
}

func judgeTranscript(t *testing.T, line []byte) string {
	if v := read[transcriptVector](t, line); v.draw(t) != v.Challenge {
		return "wrong"
	}
	return "success"
}

// valueVector is a key, a card or a token as a message carries it (30).
type valueVector struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
	Expect  string `json:"expect"` // success or malformed
	Check   string `json:"check,omitempty"`
	Suite   string `json:"suite"`
	What    string `json:"what"`
	Data    string `json:"data"`
}

func theSuite(t *testing.T) proof.Prover {
	t.Helper()
	s, _ := suite.Lookup(suite.Default)
	return testmust.Have(proof.ProverOf(s))(t)
}

func values(t *testing.T) []any {
	s, random := theSuite(t), seeded("values")
	secret := testmust.Have(s.NewSecret(random))(t)
	deck := testmust.Have(s.Encoding().Deck(testmust.Have(card.NewDeck("values", []string{"one", "two"}))(t)))(t)
	here := transcript.Bind(transcript.Suite(s.Name()), "values", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "shuffle", 0).Slot(0)
	cards, _, err := secret.Shuffle(here, secret.Key(), deck.Cards(), random)
	testmust.Do(t, err)
	var list []any
	for _, good := range []struct {
		what string
		data []byte
	}{{"key", secret.Key().Bytes()}, {"card", cards[0].Bytes()}, {"token", secret.Token(cards[0]).Bytes()}} {
		add := func(name, expect, comment string, data []byte) {
			v := valueVector{good.what + "-" + name, comment, expect, "", s.Name(), good.what, hex.EncodeToString(data)}
			if expect == "malformed" {
				v.Check = "E2-values"
			}
			list = append(list, v)
		}
		set := func(b []byte) []byte { return append(bytes.Clone(b), good.data[len(b):]...) }
		add("good", "success", "as a seat writes it", good.data)
		add("short", "malformed", "one byte less", good.data[:len(good.data)-1])
		add("long", "malformed", "one byte more", append(bytes.Clone(good.data), 0))
		add("empty", "malformed", "no byte", nil)
		add("ones", "malformed", "the first element is no field element: 2^256 - 1", set(bytes.Repeat([]byte{0xff}, 32)))
		add("negative", "malformed", "the first element is of the other sign (RFC 9496, 4.3.1)", set(flipped(good.data[:32], 0)))
		add("no-square", "malformed", "the first element decodes to no point (RFC 9496, A.3)", set(unhex(t, "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371")))
		add("zero", "malformed", "the first element is the identity", set(make([]byte, 32)))
	}
	return list
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

func judgeValue(t *testing.T, line []byte) string {
	v := read[valueVector](t, line)
	b, enc := unhex(t, v.Data), theSuite(t).Encoding()
	var err error
	var again interface{ Bytes() []byte }
	switch v.What {
	case "key":
		again, err = enc.ParseKey(b)
	case "card":
		again, err = enc.ParseMasked(b)
	case "token":
		again, err = enc.ParseToken(b)
	}
	if err != nil {
		return "malformed"
	}
	testmust.Hold(t, bytes.Equal(again.Bytes(), b), "is written again as", again.Bytes())
	return "success"
}
