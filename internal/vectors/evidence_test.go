package vectors_test

import (
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/verifier/follow"
)

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
