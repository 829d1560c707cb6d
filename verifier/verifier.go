// Package verifier says what is true of a table, from the log alone
// (docs/spec/80-verification.md).
//
// It trusts the log's verifier key, and the cosigners of a policy if it is given
// one, and nothing else: no server, no player, no game state that somebody else
// computed. It checks the checkpoint's
// signature, recomputes the tree from the entries, replays every message of
// the table with its signature, proofs and rules, and comes to one of four
// verdicts: sound, unfinished, foul, log broken.
//
// It never blames an honest seat: only an entry that a seat signed for exactly
// this place in the table's history, and that breaks a rule, is a foul. What a
// dishonest log could have staged, by dropping, moving, altering or repeating
// entries, is void, or the log's own breach. A seat that play waits for is
// named but not blamed: the log may have withheld its message.
//
// An error means "could not check"; whatever is rotten is in the Report.
package verifier

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Source is what the verifier reads: the part of tlog.Reader it needs. It may
// lie; its errors mean "cannot check", unless they are tlog.ErrBroken. A Source
// that is also a tlog.BlobReader shows the blobs that entries name; a table that
// needs one that is not shown cannot be checked.
type Source interface {
	Checkpoint(ctx context.Context) (tlog.Checkpoint, error)
	Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error]
}

// Options says what to verify and what to believe.
type Options struct {
	Table     wire.Hash       // id of the table
	Log       []note.Verifier // the log's keys: any of them will do
	Catalogue table.Catalogue // games and suites
	// Believed are checkpoints seen earlier or elsewhere, whose signatures the
	// caller has verified: the log must contain them.
	Believed []tlog.Checkpoint
	// Policy says who has to have cosigned the checkpoint; nil: nobody.
	Policy *tlog.Policy
}

// batchEntries bounds the proofs collected before they are checked together;
// beyond some hundreds a larger batch gains little and only costs memory.
const batchEntries = 512

// Verify checks one table of one log.
func Verify(ctx context.Context, src Source, o Options) (*Report, error) {
	r := newReport(o.Table, o.Policy != nil)
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.Checkpoint = c
	if err := c.Verify(o.Log...); err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.pass(CheckSignature)
	if err := checkForks(c, o); err != nil {
		return r.logFailed(CheckHistory, err)
	}
	entries, check, err := readTable(ctx, src, c, o)
	if err != nil {
		return r.logFailed(check, err)
	}
	r.pass(CheckTree)
	r.pass(CheckHistory)
	if err := r.checkCosigners(c, o.Policy); err != nil {
		return r.logFailed(CheckCosigners, err)
	}
	return r, r.replay(entries, o.Catalogue, blobsOf(ctx, src))
}

// getBlob returns the bytes of a blob.
type getBlob func(wire.Blob) ([]byte, error)

func blobsOf(ctx context.Context, src Source) getBlob {
	return func(b wire.Blob) ([]byte, error) {
		if blobs, ok := src.(tlog.BlobReader); ok {
			return blobs.Blob(ctx, b.Hash)
		}
		return nil, tlog.ErrNoBlob
	}
}

// logged is an entry of the table with its place in the log.
type logged struct {
	index uint64
	entry *wire.Entry
}

// readTable recomputes the tree from the entries, compares it with c and with
// every checkpoint believed earlier, and returns the entries of the table. With
// an error it returns the check that failed or could not be made.
func readTable(ctx context.Context, src Source, c tlog.Checkpoint, o Options) ([]logged, table.Check, error) {
	var tree tlog.Tree
	var found []logged
	if check, err := compare(&tree, c, o.Believed); err != nil {
		return nil, check, err
	}
	for entry, err := range src.Entries(ctx, 0, c.Size) {
		if err != nil {
			return nil, CheckTree, err
		}
		leaf := tlog.LeafHash(entry)
		if e, ours := ofTable(entry, wire.Hash(leaf), o.Table); ours {
			found = append(found, logged{tree.Size(), e})
		}
		tree.Append(leaf)
		if check, err := compare(&tree, c, o.Believed); err != nil {
			return nil, check, err
		}
	}
	if tree.Size() != c.Size {
		return nil, CheckTree, fmt.Errorf("the source ended after %d of %d entries", tree.Size(), c.Size)
	}
	for _, old := range o.Believed {
		if old.Size > c.Size {
			return nil, CheckHistory, fmt.Errorf("it shows %d entries and had signed %d: an old copy, or a log that hides something", c.Size, old.Size)
		}
	}
	return found, "", nil
}

// compare holds the tree of the entries read so far against every signed
// checkpoint of that size.
func compare(tree *tlog.Tree, c tlog.Checkpoint, believed []tlog.Checkpoint) (table.Check, error) {
	for _, old := range believed {
		if old.Size == tree.Size() && old.Root != tree.Root() {
			return CheckHistory, fmt.Errorf("%w: another history: the first %d entries have root %s, but it had signed %s", tlog.ErrBroken, old.Size, tree.Root(), old.Root)
		}
	}
	if c.Size == tree.Size() && c.Root != tree.Root() {
		return CheckTree, fmt.Errorf("%w: its %d entries have root %s, but it signed %s", tlog.ErrBroken, c.Size, tree.Root(), c.Root)
	}
	return "", nil
}

// ofTable parses an entry of the table. Entries that do not parse are of no
// table: they were not signed as anything. Most entries are of other tables;
// those are told by how a message begins, without parsing them.
func ofTable(entry []byte, hash, id wire.Hash) (*wire.Entry, bool) {
	if named, ok := wire.TableNamed(entry); hash != id && (!ok || named != id) {
		return nil, false
	}
	e, err := wire.ParseEntry(entry)
	return e, err == nil
}

// replay applies the entries, collecting proofs in batches.
func (r *Report) replay(entries []logged, c table.Catalogue, blob getBlob) error {
	genesis, messages := split(entries, r.Table)
	if genesis == nil {
		return fmt.Errorf("verifier: the log has no table %s", r.Table)
	}
	state, err := table.Open(genesis.entry, c)
	if err != nil {
		return fmt.Errorf("verifier: table %s: %w", r.Table, err)
	}
	r.begin(state, genesis)
	batch := state.Suite().NewBatch()
	for i, m := range messages {
		batch.Label(m.index)
		next, err := state.Resolve(m.entry, batch, blob)
		missing := errors.Is(err, wire.ErrDetached)
		if foul := asFoul(err); foul != nil || missing || i%batchEntries == batchEntries-1 {
			if wrong := batch.Check(); wrong != nil {
				return r.pinpoint(entries, c, wrong.(*proof.BatchError).Label)
			}
			if foul != nil {
				return r.foul(state, m, foul)
			}
		}
		if missing {
			return fmt.Errorf("verifier: entry %d: %w", m.index, err)
		}
		r.count(m, err)
		if err == nil {
			state = next
			r.follow(state, m.index)
		}
	}
	if wrong := batch.Check(); wrong != nil {
		return r.pinpoint(entries, c, wrong.(*proof.BatchError).Label)
	}
	return r.end(state)
}

// pinpoint replays up to the entry whose proof failed in a batch and checks
// that one alone, so that the report can say which statement is false.
func (r *Report) pinpoint(entries []logged, c table.Catalogue, index uint64) error {
	genesis, messages := split(entries, r.Table)
	state, err := table.Open(genesis.entry, c)
	if err != nil {
		return err
	}
	r.begin(state, genesis)
	for _, m := range messages {
		if m.index == index {
			_, err := state.Apply(m.entry, nil)
			if foul := asFoul(err); foul != nil {
				return r.foul(state, m, foul)
			}
			return fmt.Errorf("verifier: entry %d fails in a batch and holds alone: please report this fault of the verifier", index)
		}
		next, err := state.Apply(m.entry, state.Suite().NewBatch()) // which held: it is not checked again
		r.count(m, err)
		if err == nil {
			state = next
			r.follow(state, m.index)
		}
	}
	return fmt.Errorf("verifier: a batch blames entry %d, which is not of the table", index)
}

// split finds the genesis entry and the messages after it. Messages in the log
// before it, and the genesis entry repeated, are void like everything that a
// log could have moved.
func split(entries []logged, id wire.Hash) (genesis *logged, messages []logged) {
	for i, e := range entries {
		if e.entry.Hash == id {
			return &entries[i], entries[i+1:]
		}
	}
	return nil, nil
}

func asFoul(err error) *table.Fault {
	var f *table.Fault
	if errors.As(err, &f) && f.Class == table.Foul {
		return f
	}
	return nil
}
