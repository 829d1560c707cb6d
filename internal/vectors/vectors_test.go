package vectors_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/follow"
)

//go:generate go test -run TestVectors . -update

const folder = "../../docs/spec/vectors"

// file is a file of vectors: one JSON object on each line.
type file struct {
	name  string
	make  func(t *testing.T) []any
	judge func(t *testing.T, line []byte) string // returns a one-word result, if the vector expects one
}

// An unnoticed change of a format or a check, which other implementations would notice; or a vector
// with another result than it states.
func TestVectors(t *testing.T) {
	for _, f := range []file{
		{"transcript.jsonl", transcripts, judgeTranscript},
		{"value.jsonl", values, judgeValue},
		{"table/variants.jsonl", variants, judgeVariant},
		{"table/kinds-variants.jsonl", kindVariants, judgeVariant},
		{"table/ending-variants.jsonl", endingVariants, judgeVariant},
		{"table/branch-variants.jsonl", branchVariants, judgeVariant},
		{"table/tarokk-variants.jsonl", nil, judgeVariant}, // made by protocol/games/tarokk
		{"log.jsonl", logs, judgeLog},
		{"cosignature.jsonl", cosignatures, judgeCosignature},
		{"evidence.jsonl", evidence, judgeEvidence},
		{"keeper.jsonl", keepers, judgeKeeper},
	} {
		t.Run(f.name, func(t *testing.T) {
			if f.make == nil && testmust.Updating() {
				t.Skip("another package writes it, perhaps after this one")
			}
			t.Parallel()
			lines := slices.Collect(bytes.Lines(f.text(t)))
			tried := testmust.SomeOf(t, len(lines), len(lines)/4)
			for i, line := range lines {
				v := read[struct{ Name, Expect, Base, Report string }](t, line)
				if whole := v.Base != "" && v.Report == ""; whole && !testmust.Updating() && !tried(i) {
					continue // a whole table each: the test takes a quarter of them
				}
				t.Run(v.Name, func(t *testing.T) {
					testmust.Equal(t, f.judge(t, line), v.Expect)
				})
			}
		})
	}
}

// text returns the content of the file, which must equal what this package makes, if it makes the
// file.
func (f file) text(t *testing.T) []byte {
	t.Helper()
	if f.make == nil {
		return readFile(t, f.name)
	}
	return same(t, f.name, encode(t, f.make(t)...))
}

// encode writes values as lines of JSON.
func encode(t *testing.T, list ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, v := range list {
		testmust.Do(t, e.Encode(v))
	}
	return b.Bytes()
}

// same returns the content of a file, which must equal made.
func same(t *testing.T, name string, made []byte) []byte {
	t.Helper()
	return testmust.Same(t, filepath.Join(folder, name), made)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return testmust.Have(os.ReadFile(filepath.Join(folder, name)))(t)
}

func read[T any](t *testing.T, line []byte) T {
	t.Helper()
	var v T
	testmust.Do(t, json.Unmarshal(line, &v))
	return v
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	return testmust.Have(hex.DecodeString(s))(t)
}

func hash(t *testing.T, s string) [32]byte {
	t.Helper()
	return [32]byte(unhex(t, s))
}

// seeded returns a random source for one purpose.
func seeded(purpose string) *rand.ChaCha8 {
	var key [32]byte
	copy(key[:], purpose)
	return rand.NewChaCha8(key)
}

// keeperVector is a file of evidence against a keeper (66.8.7), or a request to one (66.8.3).
type keeperVector struct {
	Name     string `json:"name"`
	Comment  string `json:"comment"`
	Expect   string `json:"expect"` // success; malformed; nothing: it proves nothing
	Evidence string `json:"evidence,omitempty"`
	Held     int64  `json:"held,omitempty"` // times of the statements in evidence that convicts
	Silent   int64  `json:"silent,omitempty"`
	Request  string `json:"request,omitempty"`
}

func keepers(t *testing.T) []any {
	s, other := key(t, "anna.example", tlog.Ed25519), key(t, "bela.example", tlog.Ed25519)
	at, entry := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 3}, wire.Hash{4}
	said := func(since, silent int64, by *tlog.SignerKey, p keeper.Place) exchange.Evidence {
		return exchange.Evidence{Key: s.String(), Place: at, Entry: entry,
			Hold: testmust.Have(keeper.SignHold(s, since, at, entry))(t), Silence: testmust.Have(keeper.SignSilence(by, silent, p))(t)}
	}
	var list []any
	add := func(name, expect, comment string, e exchange.Evidence) {
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
	ask := string(exchange.Request{Genesis: []byte("genesis\n"), Receipt: []byte("receipt\n"), Parent: wire.Hash{2}, Seat: 3}.Marshal())
	give := string(exchange.Request{Genesis: []byte("genesis\n"), Receipt: []byte("receipt\n"), Reseat: []byte("act\n"), Message: []byte("message\n")}.Marshal())
	request("ask", "success", "for silence: genesis entry and receipt are not looked at here", ask)
	request("give", "success", "to hold, by who has taken the seat over", give)
	request("length", "malformed", "a length in another spelling", strings.Replace(ask, "genesis 8", "genesis 08", 1))
	request("too-long", "malformed", "a block that ends too late", strings.Replace(give, "receipt 8", "receipt 9", 1))
	request("trailing", "malformed", "a line more", ask+"\n")
	request("order", "malformed", "the seat before the parent", strings.Replace(ask, "parent", "seat", 1))
	return list
}

// gotTimes returns the times in evidence that convicts.
func gotTimes(t *testing.T, e exchange.Evidence) (since, silent int64) {
	t.Helper()
	since, silent, err := e.Check()
	testmust.Do(t, err)
	return since, silent
}

func judgeKeeper(t *testing.T, line []byte) string {
	v := read[keeperVector](t, line)
	if v.Request != "" {
		if _, err := exchange.ParseRequest([]byte(v.Request)); err != nil {
			return "malformed"
		}
		return "success"
	}
	e, err := exchange.ParseEvidence([]byte(v.Evidence))
	if err != nil {
		return "malformed"
	}
	since, silent, err := e.Check()
	if err != nil {
		return "nothing"
	}
	testmust.Holdf(t, since == v.Held && silent == v.Silent, "%d and %d, want %d and %d", since, silent, v.Held, v.Silent)
	return "success"
}

// evidenceVector is a file of evidence against a log (82.4).
type evidenceVector struct {
	Name     string `json:"name"`
	Comment  string `json:"comment"`
	Expect   string `json:"expect"` // success: the log is broken; malformed; nothing: it proves nothing
	Check    string `json:"check,omitempty"`
	Log      string `json:"log"` // verifier key
	Evidence string `json:"evidence"`
}

// elsewhere is the number of the first entry of the log's other history, which has "entry 100" where
// the first history has "entry 0", and so on.
const elsewhere = 100

func evidence(t *testing.T) []any {
	signer := key(t, "log.example", tlog.Ed25519)
	signed := func(from, size int, by note.Signer) tlog.Checkpoint {
		return testmust.Have(tlog.SignCheckpoint(uint64(size), root(from, from+size), by))(t)
	}
	proven := func(first tlog.Checkpoint, from, old int) *follow.Evidence {
		return &follow.Evidence{First: first, Second: signed(from, 7, signer), Root: root(from, from+old),
			Proof: tlog.Consistency{Old: first.Size, Size: 7, Hashes: subproof(old, from, from+7, true)}}
	}
	var list []any
	file := func(name, expect, comment, text string) {
		v := evidenceVector{Name: name, Comment: comment, Expect: expect, Log: signer.String(), Evidence: text}
		if expect == "success" {
			v.Check = "L3-history"
		}
		list = append(list, v)
	}
	add := func(name, expect, comment string, e *follow.Evidence) {
		file(name, expect, comment, string(e.Marshal()))
	}
	seven, three := signed(0, 7, signer), signed(0, 3, signer)
	size, later := &follow.Evidence{First: seven, Second: signed(elsewhere, 7, signer)}, proven(three, elsewhere, 3)
	add("size", "success", "two trees of seven entries", size)
	add("later", "success", "a tree of three entries, and one of seven that begins otherwise", later)
	add("same", "nothing", "one checkpoint, twice", &follow.Evidence{First: seven, Second: seven})
	add("true", "nothing", "an honest log, and the proof that it only grew", proven(three, 0, 3))
	add("root-of-another-size", "nothing", "an honest log, with root and proof of its first two entries for those of three", proven(three, 0, 2))
	moved := proven(three, 0, 3)
	moved.Root = later.Root
	add("root", "nothing", "an honest log, and a root that the proof does not lead from", moved)
	framed := proven(three, elsewhere, 3)
	framed.Second = seven
	add("proof", "nothing", "an honest log, and a proof within another tree", framed)
	add("swapped", "nothing", "the larger tree first", &follow.Evidence{First: later.Second, Second: later.First, Root: later.Root, Proof: later.Proof})
	add("empty", "nothing", "a log that was empty", &follow.Evidence{First: testmust.Have(tlog.SignCheckpoint(0, tlog.EmptyRoot(), signer))(t), Second: seven})
	namesake := keyBy(t, "a stranger", "log.example", tlog.Ed25519) // of somebody else who uses the log's name
	add("stranger", "nothing", "one tree is signed by another key of the same name", &follow.Evidence{First: seven, Second: signed(elsewhere, 7, namesake)})
	add("logs", "nothing", "trees of two logs", &follow.Evidence{First: seven, Second: signed(elsewhere, 7, key(t, "other.example", tlog.Ed25519))})
	spelled(file, string(later.Marshal()))
	return list
}

// spelled adds files that mean the same as a good one but have other bytes.
func spelled(file func(name, expect, comment, text string), good string) {
	edited := func(name, comment, old, new string) {
		file(name, "malformed", comment, strings.Replace(good, old, new, 1))
	}
	edited("format", "another format", "evidence/v1", "evidence/v2")
	edited("words", "words that do not follow from the checkpoints", "signed a tree of 3", "signed a tree of 4")
	edited("length", "a checkpoint that is cut short", "\nsecond 1", "\nsecond 9")
	edited("count", "another number of hashes than there are", "\nproof ", "\nproof 1")
	edited("no-root", "no root, though the sizes differ", "\nroot ", "\nrest ")
	file("longer", "malformed", "a line more", good+"\n")
	file("cut", "malformed", "a line less", good[:strings.LastIndex(good[:len(good)-1], "\n")+1])
	file("crammed", "malformed", "more hashes than a proof can have", good+strings.Repeat(leaf(0).String()+"\n", 64))
}

func judgeEvidence(t *testing.T, line []byte) string {
	v := read[evidenceVector](t, line)
	e, err := follow.ParseEvidence([]byte(v.Evidence))
	if err == nil && e.Check(testmust.Have(tlog.ParseVerifierKey(v.Log))(t)) != nil {
		return "nothing"
	}
	return classOf(err)
}

// frame is a label with data in hexadecimal.
type frame struct {
	Label string `json:"label"`
	Data  string `json:"data"`
}

// transcriptVector is a challenge with everything on which it depends (20).
type transcriptVector struct {
	Name      string  `json:"name"`
	Comment   string  `json:"comment"`
	Expect    string  `json:"expect"` // success, or wrong: the challenge differs
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

// valueVector is a key, a card or a token as in a message (30).
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
