package follow

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// EvidenceFormat is the first line of every file of evidence.
const EvidenceFormat = "pakli-evidence/v1"

// maxEvidence bounds a file of evidence: two checkpoints and a proof.
const maxEvidence = 256 << 10

// maxProof is the largest number of hashes in a proof of consistency.
const maxProof = 64

// Evidence is two checkpoints of a log that cannot both be true. If they have one size, they have two
// roots. Otherwise Root is the root of the first First.Size entries of the tree that Second signs, as
// Proof shows, and differs from the root of First.
//
// The proof needs nothing else: hashes that lead from Root to the root of Second belong to the one
// tree that has this root. An honest log, whose tree begins with that of First, therefore has no such
// hashes for another Root.
type Evidence struct {
	First, Second tlog.Checkpoint // First.Size <= Second.Size
	Root          tlog.Hash
	Proof         tlog.Consistency
}

// compareSmaller compares the tree with a smaller checkpoint, or with its own, whose signature was
// verified. It returns nil and nil if the tree begins with that checkpoint's, and remembers this.
// Errors are ErrNotShown.
func (t *tree) compareSmaller(ctx context.Context, c tlog.Checkpoint) (*Evidence, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := treeID{c.Size, c.Root}
	if c.Size == 0 || c.Size == t.c.Size || t.begins[id] {
		return nil, nil
	}
	root, proof, err := t.provePrefix(ctx, c.Size)
	if err != nil {
		return nil, err
	}
	if root != c.Root {
		return &Evidence{First: c, Second: t.c, Root: root, Proof: proof}, nil
	}
	if len(t.begins) >= maxBegins {
		clear(t.begins)
	}
	t.begins[id] = true
	return nil, nil
}

// Check verifies the evidence with the log's keys alone. An error says why it proves nothing.
func (e *Evidence) Check(keys ...note.Verifier) error {
	for _, c := range []tlog.Checkpoint{e.First, e.Second} {
		if err := c.Verify(keys...); err != nil {
			return err
		}
	}
	switch {
	case e.First.Origin != e.Second.Origin:
		return fmt.Errorf("the checkpoints are of two logs, %q and %q", e.First.Origin, e.Second.Origin)
	case tlog.CheckFork(e.First, e.Second) != nil:
		return nil
	case e.First.Size >= e.Second.Size || e.First.Size == 0:
		return errors.New("the checkpoints do not contradict each other")
	case e.Root == e.First.Root:
		return errors.New("the larger tree begins with the smaller one")
	case e.Proof.Old != e.First.Size || e.Proof.Size != e.Second.Size:
		return errors.New("the proof is of other sizes")
	}
	if err := e.Proof.Verify(e.Root, e.Second.Root); err != nil {
		return fmt.Errorf("the proof does not lead to the second root: %v", err) // not of class tlog.ErrBroken, since it proves nothing
	}
	return nil
}

// String returns the sentence of 82.4. The log's name is that of its key, which needs no escaping.
func (e *Evidence) String() string {
	if e.First.Size == e.Second.Size {
		return fmt.Sprintf("The log \"%s\" signed two trees of %d entries: root %v, and root %v.", e.First.Origin, e.First.Size, e.First.Root, e.Second.Root)
	}
	return fmt.Sprintf("The log \"%s\" signed a tree of %d entries with root %v, and a tree of %d entries of which the first %d have root %v.",
		e.First.Origin, e.First.Size, e.First.Root, e.Second.Size, e.First.Size, e.Root)
}

// Marshal returns the evidence as a file.
func (e *Evidence) Marshal() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%v\nBoth cannot be true. Check it with: pakli-verify evidence FILE --log VKEY\n\n", EvidenceFormat, e)
	writeNote(&b, "first", e.First)
	writeNote(&b, "second", e.Second)
	if e.First.Size != e.Second.Size {
		fmt.Fprintf(&b, "root %v\nproof %d\n", e.Root, len(e.Proof.Hashes))
		for _, h := range e.Proof.Hashes {
			fmt.Fprintf(&b, "%v\n", h)
		}
	}
	return b.Bytes()
}

func writeNote(b *bytes.Buffer, name string, c tlog.Checkpoint) {
	fmt.Fprintf(b, "%s %d\n%s\n", name, len(c.Note), c.Note)
}

// ParseEvidence reads exactly what Marshal writes and checks only the form. Errors are
// tlog.ErrMalformed.
func ParseEvidence(file []byte) (*Evidence, error) {
	e, err := parseEvidence(file)
	if err == nil && !bytes.Equal(e.Marshal(), file) {
		err = errors.New("it is not as it is written")
	}
	if err != nil {
		return nil, fmt.Errorf("%w evidence: %v", tlog.ErrMalformed, err)
	}
	return e, nil
}

// parseEvidence reads the parts. The sentence before them follows from these.
func parseEvidence(file []byte) (*Evidence, error) {
	rest, ok := bytes.CutPrefix(file, []byte(EvidenceFormat+"\n"))
	at := bytes.Index(rest, []byte("\nfirst "))
	if !ok || at < 0 || len(file) > maxEvidence {
		return nil, fmt.Errorf("it does not begin with %q, or has no checkpoint, or more than %d bytes", EvidenceFormat, maxEvidence)
	}
	e := new(Evidence)
	var err error
	rest = rest[at+1:]
	if e.First, rest, err = readNote(rest, "first"); err != nil {
		return nil, err
	}
	if e.Second, rest, err = readNote(rest, "second"); err != nil || len(rest) == 0 {
		return e, err
	}
	e.Proof.Old, e.Proof.Size = e.First.Size, e.Second.Size
	return e, e.readProof(strings.Split(strings.TrimSuffix(string(rest), "\n"), "\n"))
}

func readNote(file []byte, name string) (c tlog.Checkpoint, rest []byte, err error) {
	line, rest, _ := bytes.Cut(file, []byte("\n"))
	length, ok := strings.CutPrefix(string(line), name+" ")
	n, err := strconv.ParseUint(length, 10, 31)
	if !ok || err != nil || n >= uint64(len(rest)) || rest[n] != '\n' {
		return c, nil, fmt.Errorf("the %s checkpoint is cut short, or no empty line comes after it", name)
	}
	c, err = tlog.ParseCheckpoint(rest[:n])
	return c, rest[n+1:], err
}

func (e *Evidence) readProof(lines []string) error {
	if len(lines) < 2 || len(lines)-2 > maxProof {
		return fmt.Errorf("a proof of %d lines", len(lines))
	}
	root, ok := strings.CutPrefix(lines[0], "root ")
	for i, line := range append([]string{root}, lines[2:]...) {
		b, err := base64.StdEncoding.DecodeString(line)
		if !ok || err != nil || len(b) != len(tlog.Hash{}) {
			return fmt.Errorf("%.60q is no hash", line)
		}
		if i == 0 {
			e.Root = tlog.Hash(b)
		} else {
			e.Proof.Hashes = append(e.Proof.Hashes, tlog.Hash(b))
		}
	}
	return nil
}
