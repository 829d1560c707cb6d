package tlog

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

const receiptHeader = "c2sp.org/tlog-proof@v1"

// A Receipt proves offline that an entry is in the log: a C2SP tlog-proof. It
// does not carry the entry.
type Receipt struct {
	Extra      []byte // not covered by the proof; nil in receipts of pakli
	Index      uint64 // of the entry
	Hashes     []Hash // audit path, as in Inclusion
	Checkpoint []byte // signed, verbatim, with the cosignatures it carries
}

// ParseReceipt reads what [Receipt.Marshal] writes, and nothing else. Errors
// are ErrMalformed.
func ParseReceipt(b []byte) (Receipt, error) {
	if len(b) > maxReceipt {
		return Receipt{}, malformedError("receipt", "%d bytes, at most %d allowed", len(b), maxReceipt)
	}
	head, checkpoint, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok {
		return Receipt{}, malformedError("receipt", "no empty line before the checkpoint")
	}
	if _, err := ParseCheckpoint(checkpoint); err != nil {
		return Receipt{}, fmt.Errorf("receipt: %w", err)
	}
	r := Receipt{Checkpoint: checkpoint}
	return r, r.parseHead(strings.Split(string(head), "\n"))
}

// parseHead reads the lines before the empty one into r.
func (r *Receipt) parseHead(lines []string) error {
	if lines[0] != receiptHeader {
		return malformedError("receipt", "first line %q, not %q", lines[0], receiptHeader)
	}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		if err := r.parseExtra(strings.TrimPrefix(lines[0], "extra ")); err != nil {
			return err
		}
		lines = lines[1:]
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "index ") {
		return malformedError("receipt", "no index")
	}
	index, ok := parseDecimal(strings.TrimPrefix(lines[0], "index "))
	if !ok {
		return malformedError("receipt", "line %q", lines[0])
	}
	r.Index = index
	hashes, err := parseProofLines("receipt", lines[1:])
	r.Hashes = hashes
	return err
}

func (r *Receipt) parseExtra(s string) error {
	extra, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(extra) == 0 || base64.StdEncoding.EncodeToString(extra) != s {
		return malformedError("receipt", "extra is not canonical base64 of at least one byte")
	}
	r.Extra = extra
	return nil
}

// Marshal returns the receipt as bytes of a .tlog-proof file.
func (r Receipt) Marshal() []byte {
	b := []byte(receiptHeader + "\n")
	if len(r.Extra) > 0 {
		b = append(b, "extra "...)
		b = base64.StdEncoding.AppendEncode(b, r.Extra)
		b = append(b, '\n')
	}
	b = fmt.Appendf(b, "index %d\n%s\n", r.Index, ProofLines(r.Hashes))
	return append(b, r.Checkpoint...)
}

// Verify checks that the log with one of these keys has this entry at r.Index.
// It says nothing about cosignatures, and nothing about Extra.
func (r Receipt) Verify(entry []byte, keys ...note.Verifier) error {
	c, err := OpenCheckpoint(r.Checkpoint, keys...)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	p := Inclusion{Index: r.Index, Size: c.Size, Hashes: r.Hashes}
	if err := p.Verify(LeafHash(entry), c.Root); err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	return nil
}

// An Inclusion proves that an entry has a place in a tree: the audit path of
// RFC 6962 §2.1.1, from the leaf's sibling up.
type Inclusion struct {
	Index  uint64 // of the entry, below Size
	Size   uint64 // of the tree
	Hashes []Hash
}

// Verify checks that the tree of p.Size entries with this root has leaf at p.Index. It returns
// ErrMalformed if the proof does not fit Index and Size, and a [RootError] if it leads to another
// root.
func (p Inclusion) Verify(leaf, root Hash) error {
	err := proof.VerifyInclusion(rfc6962.DefaultHasher, p.Index, p.Size, leaf[:], byteSlices(p.Hashes), root[:])
	return proofError(fmt.Sprintf("inclusion of entry %d", p.Index), p.Size, err)
}

// A Consistency proves that a tree is the beginning of a larger one: the proof
// of RFC 6962 §2.1.2. It is empty if Old is 0 or Size.
type Consistency struct {
	Old    uint64 // size of the smaller tree
	Size   uint64 // size of the larger one
	Hashes []Hash
}

// Verify checks that the tree of p.Old entries with oldRoot is the beginning of the tree of p.Size
// entries with root. It returns ErrMalformed if the proof does not fit Old and Size, and a
// [RootError] if it leads to other roots.
func (p Consistency) Verify(oldRoot, root Hash) error {
	check := fmt.Sprintf("consistency of size %d with size %d", p.Old, p.Size)
	if p.Old == 0 {
		return p.verifyEmpty(check, oldRoot, root)
	}
	err := proof.VerifyConsistency(rfc6962.DefaultHasher, p.Old, p.Size, byteSlices(p.Hashes), oldRoot[:], root[:])
	return proofError(check, p.Size, err)
}

// verifyEmpty is Verify for a smaller tree without entries. RFC 6962 leaves this case out: there is
// nothing to prove, and versions of package merkle have answered it differently.
func (p Consistency) verifyEmpty(check string, oldRoot, root Hash) error {
	if oldRoot != EmptyRoot() {
		return &RootError{Check: "consistency", Size: 0, Computed: EmptyRoot(), Expected: oldRoot}
	}
	if len(p.Hashes) > 0 {
		return malformedError("proof", "%s: %d hashes, want none", check, len(p.Hashes))
	}
	if p.Size == 0 && root != EmptyRoot() {
		return &RootError{Check: check, Size: 0, Computed: EmptyRoot(), Expected: root}
	}
	return nil
}

// VerifyGrowth checks that a log can have grown from checkpoint older to newer. The caller has
// verified both signatures. Two roots for one size are a [ForkError].
func (p Consistency) VerifyGrowth(older, newer Checkpoint) error {
	if older.Origin != newer.Origin {
		return malformedError("consistency proof", "checkpoints of two logs, %q and %q", older.Origin, newer.Origin)
	}
	if older.Size == newer.Size && older.Root != newer.Root {
		return &ForkError{A: older, B: newer}
	}
	if p.Old != older.Size || p.Size != newer.Size {
		return malformedError("consistency proof", "from size %d to %d, checkpoints from %d to %d", p.Old, p.Size, older.Size, newer.Size)
	}
	return p.Verify(older.Root, newer.Root)
}

// proofError gives an error of package merkle its class. It does not say which of the two roots of
// a consistency proof failed: either the roots contradict each other or the proof is wrong.
func proofError(check string, size uint64, err error) error {
	if err == nil {
		return nil
	}
	if m, ok := errors.AsType[proof.RootMismatchError](err); ok {
		return &RootError{Check: check, Size: size, Computed: Hash(m.CalculatedRoot), Expected: Hash(m.ExpectedRoot)}
	}
	return malformedError("proof", "%s: %v", check, err)
}
