package vectors_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// logVector is a checkpoint, or a proof about trees (65).
type logVector struct {
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	Expect  string   `json:"expect"` // success, malformed, unsigned, broken
	Check   string   `json:"check,omitempty"`
	What    string   `json:"what"`          // checkpoint, inclusion, consistency
	Log     string   `json:"log,omitempty"` // verifier key
	Note    string   `json:"note,omitempty"`
	Index   uint64   `json:"index,omitempty"` // of the entry
	Old     uint64   `json:"old,omitempty"`   // size of the smaller tree
	Size    uint64   `json:"size,omitempty"`
	Leaf    string   `json:"leaf,omitempty"` // hash of the entry
	OldRoot string   `json:"oldRoot,omitempty"`
	Root    string   `json:"root,omitempty"`
	Hashes  []string `json:"hashes,omitempty"`
}

func key(t *testing.T, name string, a tlog.Algorithm) *tlog.SignerKey {
	return keyBy(t, name, name, a)
}

// keyBy returns the key for a seed.
func keyBy(t *testing.T, seed, name string, a tlog.Algorithm) *tlog.SignerKey {
	t.Helper()
	skey, _, err := tlog.GenerateKey(seeded(seed), name, a)
	testmust.Do(t, err)
	return testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return time.Unix(2_000_000_000, 0) }))(t)
}

func leaf(i int) tlog.Hash { return tlog.LeafHash(fmt.Appendf(nil, "entry %d", i)) }

// root returns the root of the entries from "from" to end-1, written from RFC 6962 §2.1.
func root(from, end int) tlog.Hash {
	if end-from == 1 {
		return leaf(from)
	}
	k := split(end - from)
	return node(root(from, from+k), root(from+k, end))
}

func node(l, r tlog.Hash) tlog.Hash {
	return sha256.Sum256(slices.Concat([]byte{1}, l[:], r[:]))
}

// split returns the largest power of two below n.
func split(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}

// path returns the audit path of RFC 6962 §2.1.1.
func path(m, from, end int) []tlog.Hash {
	if end-from == 1 {
		return nil
	}
	if k := split(end - from); m < k {
		return append(path(m, from, from+k), root(from+k, end))
	} else {
		return append(path(m-k, from+k, end), root(from, from+k))
	}
}

// subproof returns SUBPROOF of RFC 6962 §2.1.2.
func subproof(m, from, end int, whole bool) []tlog.Hash {
	n := end - from
	if m == n {
		if whole {
			return nil
		}
		return []tlog.Hash{root(from, end)}
	}
	if k := split(n); m <= k {
		return append(subproof(m, from, from+k, whole), root(from+k, end))
	} else {
		return append(subproof(m-k, from+k, end, false), root(from, from+k))
	}
}

func inHex(list []tlog.Hash) []string {
	var text []string
	for _, h := range list {
		text = append(text, hex.EncodeToString(h[:]))
	}
	return text
}

func oneHex(h tlog.Hash) string { return inHex([]tlog.Hash{h})[0] }

func logs(t *testing.T) []any {
	signer, stranger := key(t, "log.example", tlog.Ed25519), key(t, "other.example", tlog.Ed25519)
	c := testmust.Have(tlog.SignCheckpoint(7, root(0, 7), signer))(t)
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	sign := func(text string, s note.Signer) string {
		return string(testmust.Have(note.Sign(&note.Note{Text: text}, s))(t))
	}
	var list []any
	add := func(v logVector) {
		if v.Expect != "success" {
			v.Check = map[string]string{"checkpoint": "L1-signature", "inclusion": "L2-tree", "consistency": "L3-history"}[v.What]
		}
		list = append(list, v)
	}
	checkpoint := func(name, expect, comment, note string) {
		add(logVector{Name: "checkpoint-" + name, Comment: comment, Expect: expect, What: "checkpoint", Log: signer.String(), Note: note})
	}
	good := string(c.Note)
	checkpoint("good", "success", "seven entries, \"entry 0\" to \"entry 6\"", good)
	checkpoint("size", "unsigned", "another size, under the old signature", strings.Replace(good, "\n7\n", "\n8\n", 1))
	checkpoint("root", "unsigned", "another root, under the old signature", strings.Replace(good, c.Root.String(), leaf(0).String(), 1))
	checkpoint("stranger", "unsigned", "signed by another log alone", sign(text+"\n", stranger))
	checkpoint("origin", "unsigned", "the origin of another log", sign(strings.Replace(text, "log.example", "other.example", 1)+"\n", signer))
	checkpoint("zero", "malformed", "a size with a leading zero", sign(strings.Replace(text, "\n7\n", "\n07\n", 1)+"\n", signer))
	checkpoint("short-root", "malformed", "a root of 31 bytes", sign(strings.Replace(text, c.Root.String(), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", 1)+"\n", signer))
	checkpoint("lines", "malformed", "no root", sign("log.example\n7\n", signer))
	checkpoint("unsigned", "malformed", "no signature", text+"\n")
	lines := func(signatures ...string) string { return text + "\n\n" + strings.Join(signatures, "") }
	lineOf := func(note string) string { return note[strings.Index(note, "— "):] }
	mine, untrue := lineOf(good), lineOf(sign("log.example\n8\n"+c.Root.String()+"\n", signer))
	theirs := lineOf(sign(text+"\n", stranger))
	checkpoint("false-first", "unsigned", "two lines of the log's key, the first over another text (65.3.4)", lines(untrue, mine))
	checkpoint("false-second", "success", "two lines of the log's key, the second over another text: the first counts (65.3.4)", lines(mine, untrue))
	checkpoint("false-unknown", "success", "a line of a key that is not known, over another text", lines(lineOf(sign("x\n", stranger)), mine))
	checkpoint("lines-100", "success", "100 signature lines (65.3.4)", lines(strings.Repeat(theirs, 99), mine))
	checkpoint("lines-101", "malformed", "101 signature lines (65.3.4)", lines(strings.Repeat(theirs, 100), mine))
	long := strings.Repeat("x", 98_304-len(good))
	checkpoint("bytes-98304", "success", "a note of 98,304 bytes, by an extension line (65.3.4)", sign(text+"\n"+long[:len(long)-1]+"\n", signer))
	checkpoint("bytes-98305", "malformed", "a note of 98,305 bytes (65.3.4)", sign(text+"\n"+long+"\n", signer))
	checkpoint("line-empty", "malformed", "an empty extension line (65.3.4)", sign(text+"\n\nx\n", signer))
	checkpoint("tab", "malformed", "a control character (65.3.4)", lines(mine[:len(mine)-1]+"\t\n"))
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	at := len(good) - len("x=\n")
	other := alphabet[strings.IndexByte(alphabet, good[at])+1]
	checkpoint("signature-spelling", "malformed", "a signature with stray bits (65.3.3)", good[:at]+string(other)+good[at+1:])
	checkpoint("empty-tree", "success", "no entries", sign("log.example\n0\n"+tlog.EmptyRoot().String()+"\n", signer))
	checkpoint("empty-root", "malformed", "no entries, and a root that is not that of none", sign("log.example\n0\n"+c.Root.String()+"\n", signer))
	checkpoint("root-spelling", "malformed", "a root with stray bits", sign(strings.Replace(text, c.Root.String(), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", 1)+"\n", signer))
	proofVectors(add)
	return list
}

func proofVectors(add func(logVector)) {
	inclusion := func(name, expect, comment string, change func(*logVector)) {
		v := logVector{Name: "inclusion-" + name, Comment: comment, Expect: expect, What: "inclusion", Index: 4, Size: 7,
			Leaf: oneHex(leaf(4)), Root: oneHex(root(0, 7)), Hashes: inHex(path(4, 0, 7))}
		change(&v)
		add(v)
	}
	inclusion("good", "success", "\"entry 4\" of seven", func(*logVector) {})
	inclusion("leaf", "broken", "another entry", func(v *logVector) { v.Leaf = oneHex(leaf(3)) })
	inclusion("index", "broken", "at another place", func(v *logVector) { v.Index = 5 })
	inclusion("root", "broken", "of another tree", func(v *logVector) { v.Root = oneHex(root(0, 6)) })
	inclusion("order", "broken", "two hashes exchanged", func(v *logVector) { v.Hashes[0], v.Hashes[1] = v.Hashes[1], v.Hashes[0] })
	inclusion("short", "malformed", "a hash less", func(v *logVector) { v.Hashes = v.Hashes[1:] })
	inclusion("long", "malformed", "a hash more", func(v *logVector) { v.Hashes = append(v.Hashes, v.Leaf) })
	inclusion("beyond", "malformed", "an index beyond the tree", func(v *logVector) { v.Index = 7 })
	consistency := func(name, expect, comment string, change func(*logVector)) {
		v := logVector{Name: "consistency-" + name, Comment: comment, Expect: expect, What: "consistency", Old: 3, Size: 7,
			OldRoot: oneHex(root(0, 3)), Root: oneHex(root(0, 7)), Hashes: inHex(subproof(3, 0, 7, true))}
		change(&v)
		add(v)
	}
	consistency("good", "success", "three entries of seven", func(*logVector) {})
	consistency("old-root", "broken", "another beginning", func(v *logVector) { v.OldRoot = oneHex(root(1, 4)) })
	consistency("root", "broken", "another continuation", func(v *logVector) { v.Root = oneHex(root(1, 8)) })
	consistency("order", "broken", "two hashes exchanged", func(v *logVector) { v.Hashes[0], v.Hashes[1] = v.Hashes[1], v.Hashes[0] })
	consistency("short", "malformed", "a hash less", func(v *logVector) { v.Hashes = v.Hashes[1:] })
	consistency("long", "malformed", "a hash more", func(v *logVector) { v.Hashes = append(v.Hashes, v.Root) })
	consistency("smaller", "malformed", "it shrinks", func(v *logVector) { v.Old, v.Size = 7, 3 })
}

func judgeLog(t *testing.T, line []byte) string {
	v := read[logVector](t, line)
	var hashes []tlog.Hash
	for _, h := range v.Hashes {
		hashes = append(hashes, hash(t, h))
	}
	var err error
	switch v.What {
	case "checkpoint":
		_, err = tlog.OpenCheckpoint([]byte(v.Note), testmust.Have(tlog.ParseVerifierKey(v.Log))(t))
	case "inclusion":
		err = tlog.Inclusion{Index: v.Index, Size: v.Size, Hashes: hashes}.Verify(hash(t, v.Leaf), hash(t, v.Root))
	case "consistency":
		err = tlog.Consistency{Old: v.Old, Size: v.Size, Hashes: hashes}.Verify(hash(t, v.OldRoot), hash(t, v.Root))
	default:
		t.Fatalf("a %q", v.What)
	}
	return classOf(err)
}

func classOf(err error) string {
	switch {
	case err == nil:
		return "success"
	case errors.Is(err, tlog.ErrMalformed):
		return "malformed"
	case errors.Is(err, tlog.ErrUnsigned):
		return "unsigned"
	case errors.Is(err, tlog.ErrBroken):
		return "broken"
	}
	return "another error"
}

// cosignatureVector is a checkpoint under a policy (66).
type cosignatureVector struct {
	Name    string `json:"name"`
	Comment string `json:"comment"`
	Expect  string `json:"expect"` // success; unsatisfied; unsigned: a signature of a known key is false
	Check   string `json:"check,omitempty"`
	Policy  string `json:"policy"`
	Note    string `json:"note"`
}

func cosignatures(t *testing.T) []any {
	log := key(t, "log.example", tlog.Ed25519)
	anna, bela, other := key(t, "anna.example", tlog.Ed25519Cosignature), key(t, "bela.example", tlog.Ed25519Cosignature), key(t, "other.example", tlog.Ed25519Cosignature)
	policy := fmt.Sprintf("log %s\nwitness anna %s\nwitness bela %s\ngroup both all anna bela\nquorum both\n", log, anna, bela)
	one := strings.NewReplacer("group both all", "group both any").Replace(policy)
	plain := testmust.Have(tlog.SignCheckpoint(7, root(0, 7), log))(t)
	with := func(c tlog.Checkpoint, keys ...*tlog.SignerKey) tlog.Checkpoint {
		text, _, _ := strings.Cut(string(plain.Note), "\n\n")
		for _, k := range keys {
			signed := testmust.Have(note.Sign(&note.Note{Text: text + "\n"}, k))(t)
			var err error
			c, _, err = c.AddCosignatures(bytes.TrimPrefix(signed, []byte(text+"\n\n")), k.Verifier())
			testmust.Do(t, err)
		}
		return c
	}
	both := with(plain, anna, bela)
	var list []any
	add := func(name, expect, comment, policy string, note string) {
		v := cosignatureVector{name, comment, expect, "", policy, note}
		if expect != "success" {
			v.Check = "L4-cosigners"
		}
		list = append(list, v)
	}
	add("both", "success", "both of two that are wanted", policy, string(both.Note))
	add("one-of-two", "success", "one, where any will do", one, string(with(plain, bela).Note))
	add("missing", "unsatisfied", "one of two that are wanted", policy, string(with(plain, anna).Note))
	add("none", "unsatisfied", "nobody has cosigned", policy, string(plain.Note))
	add("stranger", "unsatisfied", "somebody whom the policy does not know, for one that it does", policy, string(with(plain, anna, other).Note))
	add("time", "unsigned", "another time under a signature", policy, string(retimed(t, both.Note)))
	moved := testmust.Have(tlog.SignCheckpoint(6, root(0, 6), log))(t)
	lines := strings.SplitAfter(string(both.Note), "\n")
	add("moved", "unsigned", "cosignatures of another checkpoint", policy, string(moved.Note)+strings.Join(slices.DeleteFunc(lines[5:], func(s string) bool { return s == "" }), ""))
	return list
}

// retimed adds a second to the time of the last cosignature, whose first 4 bytes are the key ID and
// whose next 8 are the time.
func retimed(t *testing.T, signed []byte) []byte {
	t.Helper()
	text, last, _ := strings.Cut(strings.TrimSuffix(string(signed), "\n"), "— bela.example ")
	b := testmust.Have(base64.StdEncoding.DecodeString(last))(t)
	binary.BigEndian.PutUint64(b[4:], binary.BigEndian.Uint64(b[4:])+1)
	return []byte(text + "— bela.example " + base64.StdEncoding.EncodeToString(b) + "\n")
}

func judgeCosignature(t *testing.T, line []byte) string {
	v := read[cosignatureVector](t, line)
	p := testmust.Have(tlog.ParsePolicy([]byte(v.Policy)))(t)
	c := testmust.Have(tlog.OpenCheckpoint([]byte(v.Note), p.Logs[0].Key))(t)
	seen, err := p.Cosignatures(c)
	if err == nil && !p.IsSatisfied(seen) {
		return "unsatisfied"
	}
	return classOf(err)
}
