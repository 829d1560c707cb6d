package tlog

import (
	"crypto/sha256"
	"encoding/base64"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// A Tree computes the root of a growing log from its entries. It needs memory logarithmic in the
// size. The zero Tree is empty and ready for use.
//
// It shares no code with Trillian, so that each can be checked against the other: the hashes are
// those of golang.org/x/mod/sumdb/tlog.
type Tree struct {
	size uint64
	edge []Hash // roots of the complete subtrees, one for each bit of size, largest first
}

// ResumeTree returns a tree of known size from the roots of its complete subtrees, one for each bit
// set in size, largest first. The caller vouches for these roots, for example by comparing
// [Tree.Root] with a signed root.
func ResumeTree(size uint64, edge []Hash) (Tree, error) {
	if size > maxSize || len(edge) != bits.OnesCount64(size) {
		return Tree{}, malformedError("tree", "%d subtrees for size %d", len(edge), size)
	}
	return Tree{size: size, edge: slices.Clone(edge)}, nil
}

// Append adds an entry, given by its [LeafHash].
func (t *Tree) Append(leaf Hash) { t.graftSubtree(0, leaf) }

// graftSubtree adds a complete subtree of 2^level entries. The size must be a multiple of 2^level.
func (t *Tree) graftSubtree(level int, root Hash) {
	// A set bit i of the size is a complete subtree of 2^i leaves at the right edge. The new
	// subtree becomes its right sibling and carries into the next bit.
	for n := t.size >> level; n&1 == 1; n >>= 1 {
		last := len(t.edge) - 1
		root = tlog.NodeHash(t.edge[last], root)
		t.edge = t.edge[:last]
	}
	t.edge = append(t.edge, root)
	t.size += 1 << level
}

// SkipTo adds the entries from t's size to end-1 by the roots of the largest complete subtrees that
// they make up, from left to right (docs/spec/70-http.md, 70.10). It takes these roots, at most
// 126, from the beginning of hashes and returns the remaining hashes. If there are too few or the
// tree is larger than end, it returns ErrMalformed and the tree must not be used.
func (t *Tree) SkipTo(end uint64, hashes []Hash) (rest []Hash, err error) {
	if end < t.size || end > maxSize {
		return nil, malformedError("growth", "from size %d to %d", t.size, end)
	}
	for t.size < end {
		if len(hashes) == 0 {
			return nil, malformedError("growth", "it has no hash for the entries from %d to %d", t.size, end)
		}
		// The largest subtree that can begin here without passing end.
		t.graftSubtree(min(bits.TrailingZeros64(t.size), bits.Len64(end-t.size)-1), hashes[0])
		hashes = hashes[1:]
	}
	return hashes, nil
}

// Size returns the number of entries.
func (t *Tree) Size() uint64 { return t.size }

// Root returns the RFC 6962 root over all entries so far.
func (t *Tree) Root() Hash {
	if t.size == 0 {
		return EmptyRoot()
	}
	root := t.edge[len(t.edge)-1]
	for _, left := range slices.Backward(t.edge[:len(t.edge)-1]) {
		root = tlog.NodeHash(left, root)
	}
	return root
}

// Clone returns an independent copy.
func (t *Tree) Clone() Tree { return Tree{size: t.size, edge: slices.Clone(t.edge)} }

// A Hash is a SHA-256 hash of an entry, a node or a root. It prints as base64.
type Hash = tlog.Hash

// LeafHash returns the hash of an entry: SHA-256(0x00 || entry), RFC 6962 §2.1.
func LeafHash(entry []byte) Hash { return tlog.RecordHash(entry) }

// EmptyRoot returns the root of the tree of size 0: SHA-256(""), RFC 6962 §2.1.
func EmptyRoot() Hash { return sha256.Sum256(nil) }

// parseHash reads a hash as a line of text. It accepts only canonical base64: encoding/base64 lets
// non-zero padding bits and line breaks pass.
func parseHash(s string) (Hash, bool) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != tlog.HashSize || base64.StdEncoding.EncodeToString(b) != s {
		return Hash{}, false
	}
	return Hash(b), true
}

// ProofLines returns hashes as the lines of a proof in c2sp.org/tlog-proof and
// c2sp.org/tlog-witness.
func ProofLines(hashes []Hash) []byte {
	var b []byte
	for _, h := range hashes {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return b
}

// parseProofLines reads what ProofLines writes. Errors name what.
func parseProofLines(what string, lines []string) (hashes []Hash, err error) {
	if len(lines) > maxProof {
		return nil, malformedError(what, "%d hashes, at most %d possible", len(lines), maxProof)
	}
	for i, line := range lines {
		h, ok := parseHash(line)
		if !ok {
			return nil, malformedError(what, "hash %d is %.60q", i, line)
		}
		hashes = append(hashes, h)
	}
	return hashes, nil
}

// MarshalHashes returns hashes, concatenated, in base64.
func MarshalHashes(hashes []Hash) string {
	b := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// ParseHashes reads what MarshalHashes writes, and nothing else. Errors are
// ErrMalformed.
func ParseHashes(s string) ([]Hash, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b)%tlog.HashSize != 0 || base64.StdEncoding.EncodeToString(b) != s {
		return nil, malformedError("hashes", "%d characters are no base64 of hashes", len(s))
	}
	hashes := make([]Hash, 0, len(b)/tlog.HashSize)
	for ; len(b) > 0; b = b[tlog.HashSize:] {
		hashes = append(hashes, Hash(b[:tlog.HashSize]))
	}
	return hashes, nil
}

// byteSlices adapts hashes to the proofs of package merkle.
func byteSlices(hashes []Hash) [][]byte {
	bs := make([][]byte, len(hashes))
	for i := range hashes {
		bs[i] = hashes[i][:]
	}
	return bs
}
