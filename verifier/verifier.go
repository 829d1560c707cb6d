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
	"fmt"
	"iter"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Source is what the verifier reads: the part of tlog.Reader it needs. It may
// lie; its errors mean "cannot check", unless they are tlog.ErrBroken or, where they
// accuse the log and not whoever showed it, tlog.ErrForked. A Source
// that is also a tlog.BlobReader shows the blobs that entries name, to several
// goroutines at once; a table that needs one that is not shown cannot be checked.
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
	// Against are other sources of the same log, whole ones and extracts: what is
	// shown must not contradict them, nor leave out what they have.
	Against []Source
	// Policy says who has to have cosigned the checkpoint; nil: nobody.
	Policy *tlog.Policy
}

// Verify checks one table of one log. With an error the report has no verdict, and the
// checks that were made before.
func Verify(ctx context.Context, src Source, o Options) (*Report, error) {
	tables := newReplays(ctx, src, o.Catalogue, 1)
	log, err := believe(ctx, src, o, func(s shown) {
		if s.table == o.Table || s.hash == o.Table {
			tables.take(s)
		}
	})
	if err != nil {
		return newReport(o.Table, o.Policy != nil).of(log), err
	}
	tables.settle()
	t := tables.result(o.Table, log)
	return t.Report, t.Err
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

// shown is an entry as the source shows it: of a table that it names, or the one
// that it begins. Neither says that it is a table's, or parses.
type shown struct {
	index uint64
	hash  wire.Hash
	table wire.Hash // that a message names; zero otherwise
	bytes []byte
}

// believe makes the checks of the log, all of them once, whatever tables are
// verified. It shows every entry to see when it comes, and keeps none: what is
// made of them counts only if the log turns out to be whole. Its report is of no
// table, and has no verdict but that the log is broken.
func believe(ctx context.Context, src Source, o Options, see func(shown)) (*Report, error) {
	r := newReport(wire.Hash{}, o.Policy != nil)
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.Checkpoint = c
	if err := c.Verify(o.Log...); err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.pass(CheckSignature)
	if check, err := r.read(ctx, src, c, o, see); err != nil {
		return r.logFailed(check, err)
	}
	r.pass(CheckHistory)
	if err := r.checkCosigners(c, o.Policy); err != nil {
		return r.logFailed(CheckCosigners, err)
	}
	return r, nil
}

// readLog recomputes the tree of c from the entries. What contradicts the history is
// told only of entries whose root is the one that the log signed: any others could be
// anybody's. With an error it returns the check that failed or could not be made.
func readLog(ctx context.Context, src Source, c tlog.Checkpoint, h *history, see func(shown)) (table.Check, error) {
	var tree tlog.Tree
	contradiction := h.root(&tree, c)
	for entry, err := range src.Entries(ctx, 0, c.Size) {
		if err != nil {
			return CheckTree, err
		}
		leaf := tlog.LeafHash(entry)
		named, _ := wire.TableNamed(entry)
		see(shown{tree.Size(), wire.Hash(leaf), named, entry})
		if contradiction == nil {
			contradiction = h.entry(tree.Size(), wire.Hash(leaf), c.Size)
		}
		tree.Append(leaf)
		if contradiction == nil {
			contradiction = h.root(&tree, c)
		}
	}
	if tree.Size() != c.Size {
		return CheckTree, fmt.Errorf("the source ended after %d of %d entries", tree.Size(), c.Size)
	}
	if root := tree.Root(); c.Root != root {
		return CheckTree, fmt.Errorf("%w: the %d entries shown have root %s, and it signed %s", tlog.ErrBroken, c.Size, root, c.Root)
	}
	if contradiction != nil {
		return CheckHistory, contradiction
	}
	return "", nil
}
