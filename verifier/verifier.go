// Package verifier finds out what is true of a table from the log alone
// (docs/spec/80-verification.md).
//
// It trusts only the log's verifier key and, given a policy, its cosigners: no server, no player, no
// game state that somebody else computed. It checks the checkpoint's signature, recomputes the tree
// from the entries, replays every message of the table with its signature, proofs and rules, and
// comes to a [Verdict].
//
// It never blames an honest seat. A foul is an entry that a seat signed for exactly this place in the
// table's history and that breaks a rule. Whatever a dishonest log could have staged, by dropping,
// moving, altering or repeating entries, is void or the log's own breach. A seat that play waits for
// is named but not blamed: the log may have withheld its message.
//
// An error means "cannot check"; the Report has what was found before.
//
// [Verify] verifies one table of a whole log. Package tableset makes the same checks of many tables,
// of extracts, of sources that are compared with others, and of a growing log.
package verifier

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Options say what to verify and what to believe.
type Options struct {
	Table     wire.Hash       // id of the table
	Log       []note.Verifier // the log's keys: each is enough
	Catalogue table.Catalogue // games and suites
	// Believed are checkpoints seen earlier or elsewhere, which the log must contain. The caller has
	// verified their signatures.
	Believed []tlog.Checkpoint
	// Policy says which cosignatures the checkpoint needs; nil means none.
	Policy *tlog.Policy
	// Time is the least degree of time-outs. A table with a weaker one cannot be checked.
	Time Degree
	// Held are messages that keepers held. They reopen time-outs.
	Held []keeper.Message
	// Seen, if set, is called with each check and each entry of the table, in order. These count only
	// if there is a verdict.
	Seen func(Step)
	// Step, if set, is called with the result of each entry of the tables until their verdicts: in
	// order within a table, and from several goroutines if there are several tables. The results
	// count only if there is a verdict.
	Step func(wire.Hash, replay.Step)
}

// Step is one step of verification: a check or an entry.
type Step struct {
	Check *Check
	Entry *replay.Step
}

// seenAtOnce is how many entries are judged together if Seen is set.
const seenAtOnce = 32

// Verify checks one table of one log. The source may lie. Its errors mean "cannot check", unless they
// are tlog.ErrBroken, or tlog.ErrForked, which accuses the log and not the source. If the source is a
// tlog.BlobReader, several goroutines at once read from it the blobs that entries name; a table that
// needs a missing blob cannot be checked. With an error the report has no verdict, but has the checks
// made before.
func Verify(ctx context.Context, src tlog.EntryReader, o Options) (*Report, error) {
	return VerifyRead(ctx, src, o, WholeReading(src, o))
}

// VerifyRead is Verify with another way to read the log.
func VerifyRead(ctx context.Context, src tlog.EntryReader, o Options, read LogReading) (*Report, error) {
	times := marks.New(o.Log...)
	tables := NewTables(o, BlobsOf(ctx, src), times.Mark, 1)
	tables.seen = o.Seen
	taken := 0
	log, err := BelieveLog(ctx, src, o, read, times, func(s replay.Leaf) {
		if s.Table != o.Table {
			return
		}
		tables.Take(s)
		if taken++; o.Seen != nil && taken%seenAtOnce == 0 {
			tables.Settle()
		}
	})
	if err != nil {
		return NewReport(o.Table, o.Policy).ofTable(log), err
	}
	tables.Settle()
	t := tables.ResultOf(o.Table, log)
	return t.Report, t.Err
}

// BlobsOf returns a function that reads the blobs of a source.
func BlobsOf(ctx context.Context, src any) replay.Blobs {
	return func(b wire.Blob) ([]byte, error) {
		if blobs, ok := src.(tlog.BlobReader); ok {
			return blobs.Blob(ctx, b.Hash)
		}
		return nil, tlog.ErrNoBlob
	}
}

// LogReading makes the checks L2 and L3 of a source under c, whose signature was verified, and calls
// see with every entry in order. It passes L2 in the report. With an error it returns the check that
// failed or could not be made.
type LogReading func(ctx context.Context, c tlog.Checkpoint, r *Report, see func(replay.Leaf)) (table.Check, error)

// MarksOf is a source of proved marks besides its entries (docs/spec/85-bundle.md, 85.10).
type MarksOf interface {
	// Marks calls see with marks and their indexes. Their places and checkpoints were verified under
	// c.
	Marks(c tlog.Checkpoint, see func(index uint64, mark []byte)) error
}

// BelieveLog makes all checks of the log once, for any number of tables, and takes its marks. It
// keeps no entry. What the caller makes of entries counts only if the log turns out to be whole. The
// report is of no table and has no verdict, except that the log is broken.
func BelieveLog(ctx context.Context, src tlog.EntryReader, o Options, read LogReading, times *marks.Marks, see func(replay.Leaf)) (*Report, error) {
	r := NewReport(wire.Hash{}, o.Policy)
	r.seen = o.Seen
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.Checkpoint = c
	if err := c.Verify(o.Log...); err != nil {
		return r.logFailed(CheckSignature, err)
	}
	r.PassCheck(CheckSignature)
	if x, ok := src.(MarksOf); ok {
		if err := x.Marks(c, times.Add); err != nil {
			return r.logFailed(CheckHistory, err)
		}
	}
	check, err := read(ctx, c, r, func(l replay.Leaf) {
		times.Take(l.Index, tlog.Hash(l.Hash), l.Bytes)
		see(l)
	})
	if err == nil {
		check, err = CheckHistory, times.Contradiction(c)
	}
	if err != nil {
		return r.logFailed(check, err)
	}
	r.PassCheck(CheckHistory)
	if err := r.CheckCosigners(c, o.Policy); err != nil {
		return r.logFailed(CheckCosigners, err)
	}
	return r, nil
}

// WholeReading returns the LogReading of a source that shows all entries of a log.
func WholeReading(src tlog.EntryReader, o Options) LogReading {
	return func(ctx context.Context, c tlog.Checkpoint, r *Report, see func(replay.Leaf)) (table.Check, error) {
		h := tlog.History{Signed: append([]tlog.Checkpoint{c}, o.Believed...)}
		if err := CheckForks(h.Signed, o.Policy); err != nil {
			return CheckHistory, err
		}
		if check, err := r.PassTree(ReadLog(ctx, src, c, &h, see)); err != nil {
			return check, err
		}
		for _, old := range o.Believed {
			if old.Size > c.Size {
				return CheckHistory, fmt.Errorf("it shows %d entries and had signed %d: an old copy, or a log that hides something", c.Size, old.Size)
			}
		}
		return "", nil
	}
}

// ReadLog recomputes the tree of c from the entries of a source. With an error it returns the check
// that failed or could not be made.
func ReadLog(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, h *tlog.History, see func(replay.Leaf)) (table.Check, error) {
	contradiction, err := h.ReadTree(src.Entries(ctx, 0, c.Size), c, func(index uint64, leaf tlog.Hash, entry []byte) {
		see(replay.NewLeaf(index, wire.Hash(leaf), entry))
	})
	if err != nil {
		return CheckTree, err
	}
	return CheckHistory, contradiction
}

// CheckForks returns an error if two checkpoints cannot both be true: they have one size and two
// roots. That needs no entries, only the log's signatures.
func CheckForks(signed []tlog.Checkpoint, p *tlog.Policy) error {
	for i, a := range signed {
		if a.Origin != signed[0].Origin {
			return fmt.Errorf("a checkpoint to be believed is of the log %q, and the table in %q", a.Origin, signed[0].Origin)
		}
		for _, b := range signed[:i] {
			if err := CheckFork(b, a, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckFork is tlog.CheckFork; its error names the policy's cosigners of either checkpoint.
func CheckFork(a, b tlog.Checkpoint, p *tlog.Policy) error {
	if err := tlog.CheckFork(a, b); err != nil {
		return fmt.Errorf("%w%s%s", err, seenBy(a, p), seenBy(b, p))
	}
	return nil
}

// seenBy names the cosigners of a checkpoint that is evidence.
func seenBy(c tlog.Checkpoint, p *tlog.Policy) string {
	if p == nil {
		return ""
	}
	seen, err := p.Cosignatures(c)
	if err != nil || len(seen) == 0 {
		return fmt.Sprintf("; no cosigner has seen the root %v", c.Root)
	}
	return fmt.Sprintf("; the root %v was seen by %s", c.Root, cosignerNames(seen))
}

func cosignerNames(seen []tlog.Cosignature) string {
	var list []string
	for _, s := range seen {
		list = append(list, s.Cosigner)
	}
	return strings.Join(list, ", ")
}

// CheckCosigners records the cosignatures of the checkpoint and fails without a quorum. It comes
// after the tree, since a breach of the log is reported whoever has cosigned.
func (r *Report) CheckCosigners(c tlog.Checkpoint, p *tlog.Policy) error {
	if p == nil {
		return nil
	}
	seen, err := p.Cosignatures(c)
	if err != nil {
		return err
	}
	r.Cosigned = seen
	if !p.IsSatisfied(seen) {
		by := cosignerNames(seen)
		if by == "" {
			by = "nobody"
		}
		return errors.New("the policy is not satisfied: of its cosigners the checkpoint was seen by " + by)
	}
	r.PassCheck(CheckCosigners)
	return nil
}
