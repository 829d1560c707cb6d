package vectors_test

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/follow"
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

// gotTimes are the times of evidence that convicts.
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

// evidenceVector is a file that is to convict a log (82.4).
type evidenceVector struct {
	Name     string `json:"name"`
	Comment  string `json:"comment"`
	Expect   string `json:"expect"` // success: the log is broken; malformed; nothing: it proves nothing
	Check    string `json:"check,omitempty"`
	Log      string `json:"log"` // verifier key
	Evidence string `json:"evidence"`
}

// elsewhere is where the entries of the log's other history begin: it has
// "entry 100" where the first has "entry 0", and so on.
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
	namesake := keyBy(t, "a stranger", "log.example", tlog.Ed25519) // of somebody who took the log's name
	add("stranger", "nothing", "one tree is signed by another key of the same name", &follow.Evidence{First: seven, Second: signed(elsewhere, 7, namesake)})
	add("logs", "nothing", "trees of two logs", &follow.Evidence{First: seven, Second: signed(elsewhere, 7, key(t, "other.example", tlog.Ed25519))})
	spelled(file, string(later.Marshal()))
	return list
}

// spelled are files that say the same as a good one, in other bytes.
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
