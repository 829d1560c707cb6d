// Package bundle keeps a table, or an event, in one file that can be verified offline, years
// later, without the server (docs/spec/85-bundle.md).
//
// A bundle has a readable manifest, a signed checkpoint of the log, the entries of one table that
// the log then had with their indexes, the blobs that they name, and the hashes that lead from the
// entries to the checkpoint's root. [Collect] makes a bundle from a whole log, [New] from parts,
// and [Parse] reads one.
//
// Parse accepts only the bytes that Marshal writes: bounded, in one order, with nothing behind,
// every part with the hash in the manifest, every entry in the tree of the checkpoint. It does not
// say whose checkpoint that is: keys in a bundle are shown and never believed (package verifier).
// Nor can a bundle show that the log has no other entries of the table.
//
// A bundle may have passed through anybody's hands. So an [Error] accuses nobody, least of all the
// log and the seats: it says where the bundle differs from what Marshal writes.
package bundle

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// Bounds of a bundle.
const (
	// MaxSize is the longest bundle in bytes.
	MaxSize    = 1 << 30
	maxEntries = 1 << 20 // a table of a thousand deals has a fifth of that
	maxLine    = 8 << 10 // bytes of a line of the manifest; the longest are keys
	maxKeys    = 64      // of the log, and of cosigners: as many as a policy has
)

// Check is a check of docs/spec/85-bundle.md.
type Check string

// Checks of a bundle.
const (
	CheckManifest   Check = "B1-manifest"   // the manifest has its one form, within bounds
	CheckLength     Check = "B2-length"     // the file ends where the manifest says
	CheckHash       Check = "B3-hash"       // every part has the hash of its line
	CheckOrder      Check = "B4-order"      // entries and blobs in their order, none twice
	CheckTable      Check = "B5-table"      // all entries are of one table, which the manifest describes
	CheckCheckpoint Check = "B6-checkpoint" // the manifest describes the checkpoint, which the manifest's keys have signed
	CheckProof      Check = "B7-proof"      // entries and hashes lead to the checkpoint's root
)

// Error says where a bundle is not in the format.
type Error struct {
	Check Check
	Place string // "line 7", "entry 412", "checkpoint"
	Err   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("the bundle was altered, or is no bundle: %s: %s: %v", e.Check, e.Place, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func checkError(c Check, place, format string, args ...any) error {
	return &Error{c, place, fmt.Errorf(format, args...)}
}

// Entry is an entry of the table with its place in the log.
type Entry struct {
	Index uint64
	Bytes []byte
}

func compareIndex(a, b Entry) int { return cmp.Compare(a.Index, b.Index) }

func indexesOf(entries []Entry) []uint64 {
	list := make([]uint64, len(entries))
	for i, e := range entries {
		list[i] = e.Index
	}
	return list
}

func (e Entry) placeName() string { return fmt.Sprintf("entry %d", e.Index) }

// Keys are the alleged signers of the checkpoint. A bundle has both lists in ascending order of
// their text.
type Keys struct {
	Log       []*tlog.VerifierKey
	Cosigners []*tlog.VerifierKey
}

// Verifiers returns the keys of the log.
func (k Keys) Verifiers() []note.Verifier {
	list := make([]note.Verifier, len(k.Log))
	for i, key := range k.Log {
		list[i] = key
	}
	return list
}

// Bundle is the content of a bundle. A Bundle from [New] or [Parse] has passed all checks and must
// not be changed.
type Bundle struct {
	Table      wire.Hash   // zero in the bundle of an event
	Event      wire.Hash   // zero in the bundle of a table
	Tables     []wire.Hash // of the event, ascending
	Keys       Keys
	Checkpoint tlog.Checkpoint
	Entries    []Entry     // of the table or event, ascending
	Hashes     []tlog.Hash // prove Entries and Marks, see inclusion.go
	Blobs      [][]byte    // each once, in the order in which entries first name them
	Marks      []Mark      // that claims of the table name, or that the event's time to appeal rests on, ascending

	genesis   *wire.Genesis             // of a table
	announced *bulletin.Event           // of an event
	names     [][sha256.Size]byte       // of all blobs that entries name
	sums      [][sha256.Size]byte       // of Blobs
	places    map[[sha256.Size]byte]int // in Blobs
}

// New makes a bundle. It keeps only the keys that have signed the checkpoint; one of them must be a
// key of the log.
func New(b Bundle) (*Bundle, error) {
	b.Keys = Keys{signersOf(b.Checkpoint, b.Keys.Log), signersOf(b.Checkpoint, b.Keys.Cosigners)}
	if err := b.checkContent(""); err != nil {
		return nil, err
	}
	return &b, b.checkFits()
}

// checkFits refuses a bundle that Parse would not read.
func (b *Bundle) checkFits() error {
	if n := max(len(b.Entries), len(b.Blobs)); n > maxEntries {
		return fmt.Errorf("%s has %d entries or blobs, and a bundle at most %d", b.subjectName(), n, maxEntries)
	}
	size := len(b.Manifest()) + 1 + len(b.Checkpoint.Note) + sha256.Size*len(b.Hashes)
	for _, e := range b.Entries {
		size += len(e.Bytes)
	}
	for _, blob := range b.Blobs {
		size += len(blob)
	}
	for _, m := range b.Marks {
		size += len(m.Bytes) + sha256.Size*len(m.Proof)
	}
	if size > MaxSize {
		return fmt.Errorf("the bundle of %s would have %d bytes, and at most %d are allowed", b.subjectName(), size, MaxSize)
	}
	return nil
}

func (b *Bundle) subjectName() string {
	if b.Event != (wire.Hash{}) {
		return "event " + b.Event.String()
	}
	return "table " + b.Table.String()
}

// signersOf returns the keys that have signed c, each once, in ascending order.
func signersOf(c tlog.Checkpoint, keys []*tlog.VerifierKey) []*tlog.VerifierKey {
	list := slices.DeleteFunc(slices.Clone(keys), func(k *tlog.VerifierKey) bool { return !hasSigned(c, k) })
	slices.SortFunc(list, byText)
	return slices.CompactFunc(list, func(a, b *tlog.VerifierKey) bool { return byText(a, b) == 0 })
}

func byText(a, b *tlog.VerifierKey) int { return cmp.Compare(a.String(), b.String()) }

func hasSigned(c tlog.Checkpoint, k *tlog.VerifierKey) bool {
	_, err := note.Open(c.Note, note.VerifierList(k))
	return err == nil
}

// checkContent makes the checks B4 to B7. The description is the manifest's of its table, or "" for
// none.
func (b *Bundle) checkContent(description string) error {
	for _, step := range []func() error{b.checkOrder, b.checkTable, b.checkDescription(description), b.checkBlobs, b.checkMarks, b.checkCheckpoint, b.checkProof} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkDescription compares the manifest's description of the table with its genesis entry.
func (b *Bundle) checkDescription(description string) func() error {
	return func() error {
		if description != "" && description != b.description() {
			return checkError(CheckTable, "manifest", "game, suite, organiser and seats are not those of the genesis entry")
		}
		return nil
	}
}

func (b *Bundle) checkOrder() error {
	for i, e := range b.Entries {
		switch {
		case e.Index >= b.Checkpoint.Size:
			return checkError(CheckOrder, e.placeName(), "the log had %d entries", b.Checkpoint.Size)
		case i > 0 && e.Index == b.Entries[i-1].Index:
			return checkError(CheckOrder, e.placeName(), "it is there twice")
		case i > 0 && e.Index < b.Entries[i-1].Index:
			return checkError(CheckOrder, e.placeName(), "it comes after entry %d", b.Entries[i-1].Index)
		}
	}
	return nil
}

// checkTable finds the genesis entry and refuses entries of other tables.
func (b *Bundle) checkTable() error {
	if b.Event != (wire.Hash{}) {
		return b.checkEvent()
	}
	var parsed []*wire.Entry
	for _, e := range b.Entries {
		p, err := wire.ParseEntry(e.Bytes)
		switch {
		case err != nil:
			return checkError(CheckTable, e.placeName(), "no entry of a table: %w", err)
		case p.Hash == b.Table:
			b.genesis = p.Table
		case b.genesis == nil:
			return checkError(CheckTable, e.placeName(), "the one that begins table %s is missing before it", b.Table)
		case p.Table != nil:
			return checkError(CheckTable, e.placeName(), "it begins another table, %s", p.Hash)
		case p.TableID() != b.Table:
			return checkError(CheckTable, e.placeName(), "it is of table %s", p.TableID())
		case !b.genesis.Takes(p):
			return checkError(CheckTable, e.placeName(), "an act of a table that has none, or blobs of more bytes than it takes")
		}
		parsed = append(parsed, p)
	}
	if b.genesis == nil {
		return checkError(CheckTable, "entries", "the one that begins table %s is missing", b.Table)
	}
	b.names = namedBlobs(parsed)
	return nil
}

// namedBlobs returns the hashes of the blobs that entries name, each once, in the order of first
// naming.
func namedBlobs(entries []*wire.Entry) [][sha256.Size]byte {
	var list [][sha256.Size]byte
	seen := map[[sha256.Size]byte]bool{}
	for _, e := range entries {
		if e.Message == nil {
			continue
		}
		for _, blob := range e.Message.Blobs() {
			if !seen[blob.Hash] {
				seen[blob.Hash] = true
				list = append(list, blob.Hash)
			}
		}
	}
	return list
}

// checkBlobs checks that entries name every blob and that blobs are in the order of the names. A
// blob may be missing: the verifier reports it if it is needed.
func (b *Bundle) checkBlobs() error {
	names := b.names
	b.sums, b.places = nil, map[[sha256.Size]byte]int{}
	for _, blob := range b.Blobs {
		sum := sha256.Sum256(blob)
		if i := slices.Index(names, sum); i >= 0 {
			names = names[i+1:]
			b.places[sum] = len(b.sums)
			b.sums = append(b.sums, sum)
			continue
		}
		place := fmt.Sprintf("blob %x", sum)
		if _, twice := b.places[sum]; twice {
			return checkError(CheckOrder, place, "it is there twice")
		}
		if slices.Contains(b.names, sum) {
			return checkError(CheckOrder, place, "it comes after one that is named later")
		}
		return checkError(CheckTable, place, "no entry names it")
	}
	return nil
}

// checkCheckpoint checks that every key of the bundle has signed the checkpoint.
func (b *Bundle) checkCheckpoint() error {
	parsed, err := tlog.ParseCheckpoint(b.Checkpoint.Note)
	if err != nil {
		return checkError(CheckCheckpoint, "checkpoint", "%w", err)
	}
	if parsed.Size != b.Checkpoint.Size || parsed.Root != b.Checkpoint.Root || parsed.Origin != b.Checkpoint.Origin {
		return checkError(CheckCheckpoint, "checkpoint", "it is of %q, size %d, root %v, and not of size %d, root %v", parsed.Origin, parsed.Size, parsed.Root, b.Checkpoint.Size, b.Checkpoint.Root)
	}
	if len(b.Keys.Log) == 0 {
		return checkError(CheckCheckpoint, "log", "no key of the log has signed the checkpoint")
	}
	for _, k := range b.Keys.Log {
		if k.Name() != parsed.Origin {
			return checkError(CheckCheckpoint, "log "+k.Name(), "the checkpoint is of the log %q", parsed.Origin)
		}
		if !hasSigned(b.Checkpoint, k) {
			return checkError(CheckCheckpoint, "log "+k.Name(), "this key has not signed the checkpoint")
		}
	}
	for _, k := range b.Keys.Cosigners {
		if !hasSigned(b.Checkpoint, k) {
			return checkError(CheckCheckpoint, "cosigner "+k.Name(), "this key has not signed the checkpoint")
		}
	}
	return nil
}

func (b *Bundle) checkProof() error {
	proven := b.provenEntries()
	leaves := make([]leaf, len(proven))
	for i, e := range proven {
		leaves[i] = leaf{e.Index, tlog.LeafHash(e.Bytes)}
	}
	root, err := rootOf(b.Checkpoint.Size, leaves, b.Hashes)
	if err != nil {
		return checkError(CheckProof, "hashes", "%w", err)
	}
	if root != b.Checkpoint.Root {
		return checkError(CheckProof, "entries and hashes", "they have the root %v, and the checkpoint %v: an entry, a hash, or an index is not the log's, or the checkpoint is another", root, b.Checkpoint.Root)
	}
	return nil
}

// MissingBlobs returns the hashes of blobs that entries name and that are not in the bundle.
func (b *Bundle) MissingBlobs() [][sha256.Size]byte {
	return slices.DeleteFunc(slices.Clone(b.names), func(sum [sha256.Size]byte) bool {
		_, there := b.places[sum]
		return there
	})
}

func (b *Bundle) blob(sum [sha256.Size]byte) ([]byte, bool) {
	i, ok := b.places[sum]
	if !ok {
		return nil, false
	}
	return bytes.Clone(b.Blobs[i]), true
}
