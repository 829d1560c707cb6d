package tlog_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

const origin = "example.com/log"

func newKey(t testing.TB, name string) (note.Signer, note.Verifier) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	testmust.Do(t, err)
	s := testmust.Have(note.NewSigner(private))(t)
	v := testmust.Have(note.NewVerifier(public))(t)
	return s, v
}

func entry(i int) []byte { return fmt.Appendf(nil, "entry %d", i) }

// newTree returns a tree made by an independent implementation.
func newTree(n int) *merkle.Tree {
	t := merkle.New(rfc6962.DefaultHasher)
	for i := range n {
		t.AppendData(entry(i))
	}
	return t
}

func rootAt(t *merkle.Tree, size uint64) tlog.Hash {
	return tlog.Hash(t.HashAt(size))
}

func hashes(bs [][]byte) []tlog.Hash {
	var hs []tlog.Hash
	for _, b := range bs {
		hs = append(hs, tlog.Hash(b))
	}
	return hs
}

// Tree gives the roots of RFC 6962 for every size, resumed trees included.
func TestTree(t *testing.T) {
	const n = 600
	ref := newTree(n)
	var tree tlog.Tree
	for i := range n {
		got, want := tree.Root(), rootAt(ref, uint64(i))
		testmust.Requiref(t, got == want, "root at size %d is %v, want %v", i, got, want)
		fork := tree.Clone()
		fork.Append(tlog.LeafHash([]byte("another entry")))
		tree.Append(tlog.LeafHash(entry(i)))
	}
	testmust.FailBy(t, testmust.ErrorOf(tlog.ResumeTree(5, make([]tlog.Hash, 3))), tlog.ErrMalformed, "tree of size 5 from three subtrees")
}

// The signed checkpoint that c2sp.org/tlog-checkpoint gives as an example.
func TestC2SPExample(t *testing.T) {
	_, v := newKey(t, "example.com/foo")
	signed := []byte("example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" +
		"— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n")
	c := testmust.Have(tlog.ParseCheckpoint(signed))(t)
	testmust.Holdf(t, c.Origin == "example.com/behind-the-sofa" && c.Size == 20852163 && c.Root.String() == "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
		"checkpoint of the specification: %+v", c)
	testmust.FailBy(t, c.Verify(v), tlog.ErrUnsigned, "checkpoint of another log")
}

// A checkpoint contains what was signed, and other signatures on it do no harm.
func TestCheckpoint(t *testing.T) {
	s, v := newKey(t, origin)
	cosigner, _ := newKey(t, "cosigner.example")
	root := tlog.LeafHash([]byte("root"))
	c := testmust.Have(tlog.SignCheckpoint(42, root, s))(t)
	n := testmust.Have(note.Open(c.Note, note.VerifierList(v)))(t)
	cosigned := testmust.Have(note.Sign(n, cosigner))(t)
	for _, signed := range [][]byte{c.Note, cosigned} {
		got, err := tlog.OpenCheckpoint(signed, v)
		testmust.Holdf(t, err == nil && got.Origin == origin && got.Size == 42 && got.Root == root && bytes.Equal(got.Note, signed),
			"OpenCheckpoint = %+v, %v", got, err)
	}
}

// Verify checks the fields, not only the note.
func TestCheckpointFieldsMustMatch(t *testing.T) {
	s, v := newKey(t, origin)
	c := testmust.Have(tlog.SignCheckpoint(42, tlog.LeafHash([]byte("root")), s))(t)
	for name, change := range map[string]func(*tlog.Checkpoint){
		"origin": func(c *tlog.Checkpoint) { c.Origin = "example.com/other" },
		"size":   func(c *tlog.Checkpoint) { c.Size++ },
		"root":   func(c *tlog.Checkpoint) { c.Root[0] ^= 1 },
	} {
		forged := c
		change(&forged)
		testmust.FailBy(t, forged.Verify(v), tlog.ErrMalformed, name, "changed")
	}
}

// Signed texts that are no checkpoint; the vectors have more.
func TestCheckpointForm(t *testing.T) {
	s, _ := newKey(t, origin)
	h := tlog.LeafHash(nil).String()
	for name, text := range map[string]string{
		"sign":      origin + "\n+1\n" + h + "\n",
		"size 2^63": origin + "\n9223372036854775808\n" + h + "\n",
		"space":     origin + "\n1 \n" + h + "\n",
		"long root": origin + "\n1\n" + h[:43] + "AAA=\n",
	} {
		signed := testmust.Have(note.Sign(&note.Note{Text: text}, s))(t, name)
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseCheckpoint(signed)), tlog.ErrMalformed, name)
	}
}

// A probe is a proof with one change, which must be refused.
type probe struct {
	name   string
	change func(p []tlog.Hash) []tlog.Hash
}

func probes(other tlog.Hash) []probe {
	flip := func(p []tlog.Hash, i, bit int) []tlog.Hash {
		if len(p) == 0 {
			return []tlog.Hash{other}
		}
		p = slices.Clone(p)
		p[i%len(p)][bit/8] ^= 1 << (bit % 8)
		return p
	}
	return []probe{
		{"without the first hash", func(p []tlog.Hash) []tlog.Hash { return p[min(1, len(p)):] }},
		{"without the last hash", func(p []tlog.Hash) []tlog.Hash { return p[:max(0, len(p)-1)] }},
		{"without all hashes", func([]tlog.Hash) []tlog.Hash { return nil }},
		{"with a hash in front", func(p []tlog.Hash) []tlog.Hash { return append([]tlog.Hash{other}, p...) }},
		{"with a hash at the end", func(p []tlog.Hash) []tlog.Hash { return append(slices.Clone(p), other) }},
		{"with the first hash twice", func(p []tlog.Hash) []tlog.Hash { return append(slices.Clone(p[:min(1, len(p))]), p...) }},
		{"with the last hash twice", func(p []tlog.Hash) []tlog.Hash { return append(slices.Clone(p), p[max(0, len(p)-1):]...) }},
		{"reversed", func(p []tlog.Hash) []tlog.Hash { p = slices.Clone(p); slices.Reverse(p); return p }},
		{"with the first two swapped", func(p []tlog.Hash) []tlog.Hash {
			if len(p) > 1 {
				p = slices.Clone(p)
				p[0], p[1] = p[1], p[0]
			}
			return p
		}},
		{"with the first hash replaced", func(p []tlog.Hash) []tlog.Hash { return append([]tlog.Hash{other}, p[min(1, len(p)):]...) }},
		{"with all hashes zero", func(p []tlog.Hash) []tlog.Hash { return make([]tlog.Hash, len(p)) }},
		{"with the first bit flipped", func(p []tlog.Hash) []tlog.Hash { return flip(p, 0, 0) }},
		{"with the last bit flipped", func(p []tlog.Hash) []tlog.Hash { return flip(p, len(p)-1+len(p), 255) }},
		{"with a bit in the middle flipped", func(p []tlog.Hash) []tlog.Hash { return flip(p, len(p)/2, 100) }},
	}
}

// class requires that err is exactly one of the classes of a failed check, so that no probe passes or
// looks like an I/O error.
func class(t *testing.T, what string, err error) {
	t.Helper()
	n := 0
	for _, c := range []error{tlog.ErrMalformed, tlog.ErrUnsigned, tlog.ErrBroken} {
		if errors.Is(err, c) {
			n++
		}
	}
	testmust.Equal(t, n, 1, what, "classes of the error", err)
}

// Every valid inclusion proof of small trees verifies, and no mutation of one does.
func TestInclusionProbes(t *testing.T) {
	const n = 21
	ref := newTree(n)
	for size := uint64(1); size <= n; size++ {
		for index := range size {
			path := testmust.Have(ref.InclusionProof(index, size))(t)
			p := tlog.Inclusion{Index: index, Size: size, Hashes: hashes(path)}
			leaf, root := tlog.LeafHash(entry(int(index))), rootAt(ref, size)
			testmust.Do(t, p.Verify(leaf, root), p)
			probeInclusion(t, p, leaf, root)
		}
	}
}

func probeInclusion(t *testing.T, p tlog.Inclusion, leaf, root tlog.Hash) {
	t.Helper()
	other := tlog.LeafHash([]byte("other"))
	for _, probe := range probes(other) {
		changed := p
		if changed.Hashes = probe.change(p.Hashes); slices.Equal(changed.Hashes, p.Hashes) {
			continue // for example a reversed proof of one hash
		}
		class(t, fmt.Sprintf("inclusion of %d in %d %s", p.Index, p.Size, probe.name), changed.Verify(leaf, root))
	}
	class(t, "other leaf", p.Verify(other, root))
	err := p.Verify(leaf, other)
	class(t, "other root", err)
	said := fmt.Sprintf("inclusion of entry %d", p.Index)
	if e, ok := errors.AsType[*tlog.RootError](err); !ok || e.Computed != root || e.Expected != other || e.Size != p.Size || !strings.Contains(err.Error(), said) {
		t.Errorf("the error is not what was computed and what was expected: %#v", err)
	}
	for _, index := range []uint64{p.Index + 1, p.Index ^ 1, p.Size, 1<<64 - 1} {
		class(t, fmt.Sprintf("index %d for %d in %d", index, p.Index, p.Size), tlog.Inclusion{Index: index, Size: p.Size, Hashes: p.Hashes}.Verify(leaf, root))
	}
	class(t, "size 0", tlog.Inclusion{Index: 0, Size: 0, Hashes: p.Hashes}.Verify(leaf, root))
}

// The same for consistency proofs.
func TestConsistencyProbes(t *testing.T) {
	const n = 21
	ref := newTree(n)
	other := tlog.LeafHash([]byte("other"))
	for size := range uint64(n + 1) {
		for old := range size + 1 {
			path := testmust.Have(ref.ConsistencyProof(old, size))(t)
			p := tlog.Consistency{Old: old, Size: size, Hashes: hashes(path)}
			oldRoot, root := rootAt(ref, old), rootAt(ref, size)
			testmust.Do(t, p.Verify(oldRoot, root), p)
			for _, probe := range probes(other) {
				changed := p
				if changed.Hashes = probe.change(p.Hashes); slices.Equal(changed.Hashes, p.Hashes) {
					continue
				}
				class(t, fmt.Sprintf("consistency of %d with %d %s", old, size, probe.name), changed.Verify(oldRoot, root))
			}
			class(t, fmt.Sprintf("old root, %d to %d", old, size), p.Verify(other, root))
			if old > 0 || size == 0 { // every tree extends the empty one
				class(t, fmt.Sprintf("new root, %d to %d", old, size), p.Verify(oldRoot, other))
			}
			if old < size {
				class(t, fmt.Sprintf("backwards, %d to %d", old, size), tlog.Consistency{Old: size, Size: old, Hashes: p.Hashes}.Verify(root, oldRoot))
			}
		}
	}
}

// Two roots for one size are evidence, which the error contains.
func TestFork(t *testing.T) {
	s, v := newKey(t, origin)
	a := testmust.Have(tlog.SignCheckpoint(3, tlog.LeafHash([]byte("a")), s))(t)
	b := testmust.Have(tlog.SignCheckpoint(3, tlog.LeafHash([]byte("b")), s))(t)
	err := tlog.Consistency{Old: 3, Size: 3}.VerifyGrowth(a, b)
	fork, ok := errors.AsType[*tlog.ForkError](err)
	testmust.Requiref(t, ok && errors.Is(err, tlog.ErrBroken) && errors.Is(err, tlog.ErrForked), "two roots of size 3: %v, want a ForkError", err)
	testmust.Holdf(t, fork.A.Verify(v) == nil && fork.B.Verify(v) == nil && fork.A.Root != fork.B.Root, "the evidence does not convince: %+v", fork)
	testmust.Do(t, (tlog.Consistency{Old: 3, Size: 3}).VerifyGrowth(a, a), "a checkpoint with itself")
	class(t, "proof for other sizes", tlog.Consistency{Old: 1, Size: 3}.VerifyGrowth(a, a))
	elsewhere := a
	elsewhere.Origin = "example.com/other"
	class(t, "two logs", tlog.Consistency{Old: 3, Size: 3}.VerifyGrowth(a, elsewhere))
}

func newReceipt(t testing.TB, index, size uint64, s note.Signer) tlog.Receipt {
	t.Helper()
	ref := newTree(int(size))
	path := testmust.Have(ref.InclusionProof(index, size))(t)
	c := testmust.Have(tlog.SignCheckpoint(size, rootAt(ref, size), s))(t)
	return tlog.Receipt{Index: index, Hashes: hashes(path), Checkpoint: c.Note}
}

// A receipt verifies, and survives being written and read.
func TestReceipt(t *testing.T) {
	s, v := newKey(t, origin)
	for size := uint64(1); size < 12; size++ {
		for index := range size {
			r := newReceipt(t, index, size, s)
			if index%2 == 1 {
				r.Extra = []byte("extra data")
			}
			parsed := testmust.Have(tlog.ParseReceipt(r.Marshal()))(t)
			testmust.Holdf(t, bytes.Equal(parsed.Marshal(), r.Marshal()) && bytes.Equal(parsed.Extra, r.Extra),
				"receipt changed on the way:\n%s\n%s", r.Marshal(), parsed.Marshal())
			testmust.Do(t, parsed.Verify(entry(int(index)), v), "receipt of", index, "in", size)
		}
	}
}

// The example of c2sp.org/tlog-proof, with a checkpoint that is one.
func TestReceiptFormat(t *testing.T) {
	const head = "c2sp.org/tlog-proof@v1\nextra YWdlLXYxLjIuMQ==\nindex 73894\ngSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=\n" +
		"B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=\n\n"
	const checkpoint = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n" +
		"— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
	r := testmust.Have(tlog.ParseReceipt([]byte(head + checkpoint)))(t)
	testmust.Holdf(t, r.Index == 73894 && len(r.Hashes) == 2 && string(r.Extra) == "age-v1.2.1" && string(r.Checkpoint) == checkpoint, "parsed %+v", r)
	testmust.Equal(t, string(r.Marshal()), head+checkpoint, "written again")
}

// Every mutation of a receipt is refused, whatever is changed.
func TestReceiptProbes(t *testing.T) {
	s, v := newKey(t, origin)
	stranger, _ := newKey(t, origin)
	const index, size = 5, 11
	good := newReceipt(t, index, size, s)
	for _, probe := range probes(tlog.LeafHash([]byte("other"))) {
		r := good
		r.Hashes = probe.change(good.Hashes)
		class(t, probe.name, r.Verify(entry(index), v))
	}
	forged := newReceipt(t, index, size, stranger)
	older := newReceipt(t, index, size-1, s)
	for name, r := range map[string]tlog.Receipt{
		"another index":            {Index: 4, Hashes: good.Hashes, Checkpoint: good.Checkpoint},
		"an index beyond the tree": {Index: 11, Hashes: good.Hashes, Checkpoint: good.Checkpoint},
		"another log's key":        {Index: index, Hashes: good.Hashes, Checkpoint: forged.Checkpoint},
		"an older checkpoint":      {Index: index, Hashes: good.Hashes, Checkpoint: older.Checkpoint},
		"no checkpoint":            {Index: index, Hashes: good.Hashes},
		"a checkpoint with a tail": {Index: index, Hashes: good.Hashes, Checkpoint: append(bytes.Clone(good.Checkpoint), 'x')},
		"a larger size":            {Index: index, Hashes: good.Hashes, Checkpoint: bytes.Replace(good.Checkpoint, []byte("\n11\n"), []byte("\n12\n"), 1)},
		"a signature cut short":    {Index: index, Hashes: good.Hashes, Checkpoint: good.Checkpoint[:len(good.Checkpoint)-9]},
	} {
		class(t, name, r.Verify(entry(index), v))
	}
	class(t, "another entry", good.Verify(entry(index+1), v))
	class(t, "the hash for the entry", good.Verify(func() []byte { h := tlog.LeafHash(entry(index)); return h[:] }(), v))
}

// Texts that differ slightly from a receipt.
func TestReceiptForm(t *testing.T) {
	s, _ := newKey(t, origin)
	good := string(newReceipt(t, 2, 5, s).Marshal())
	replace := func(old, new string) string {
		testmust.Requiref(t, strings.Contains(good, old), "no %q in the receipt", old)
		return strings.Replace(good, old, new, 1)
	}
	first := strings.Split(good, "\n")[2]
	for name, bad := range map[string]string{
		"nothing":             "",
		"other version":       replace("@v1", "@v2"),
		"carriage return":     replace("@v1\n", "@v1\r\n"),
		"no index":            replace("index 2\n", ""),
		"leading zero":        replace("index 2", "index 02"),
		"negative index":      replace("index 2", "index -2"),
		"two indexes":         replace("index 2", "index 2\nindex 2"),
		"empty extra":         replace("index 2", "extra \nindex 2"),
		"extra not base64":    replace("index 2", "extra ?\nindex 2"),
		"extra not canonical": replace("index 2", "extra YR==\nindex 2"),
		"extra twice":         replace("index 2", "extra YQ==\nextra YQ==\nindex 2"),
		"extra after index":   replace("index 2", "index 2\nextra YQ=="),
		"short hash":          replace(first, first[4:]),
		"hash with a space":   replace(first, first+" "),
		"64 hashes":           replace(first, strings.Repeat(first+"\n", 63)+first),
		"no empty line":       replace("\n\n"+origin, "\n"+origin),
		"two empty lines":     replace("\n\n"+origin, "\n\n\n"+origin),
		"something in front":  " " + good,
		"something behind":    good + "\n",
		"too long":            replace("index 2", "extra "+strings.Repeat("AAAA", 64<<10)+"\nindex 2"),
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseReceipt([]byte(bad))), tlog.ErrMalformed, name)
	}
}

// A list of hashes must have one spelling.
func TestHashesHaveOneSpelling(t *testing.T) {
	list := []tlog.Hash{tlog.LeafHash([]byte("a")), tlog.LeafHash([]byte("b"))}
	text := tlog.MarshalHashes(list)
	got, err := tlog.ParseHashes(text)
	testmust.Holdf(t, err == nil && len(got) == 2 && got[0] == list[0] && got[1] == list[1], "%v, %v", got, err)
	got, err = tlog.ParseHashes("")
	testmust.Holdf(t, err == nil && len(got) == 0, "none: %v, %v", got, err)
	for _, bad := range []string{text[:len(text)-4], text + "\n", text[:40] + "\n" + text[40:], text + "AAAA", "=", strings.TrimRight(text, "="), "AA==", strings.Replace(text, "=", "", 1)} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseHashes(bad)), tlog.ErrMalformed, bad)
	}
}
