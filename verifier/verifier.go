// Package verifier says what is true of a table, from the log alone
// (docs/spec/80-verification.md).
//
// It trusts the log's verifier key, and the cosigners of a policy if it is given
// one, and nothing else: no server, no player, no game state that somebody else
// computed. It checks the checkpoint's
// signature, recomputes the tree from the entries, replays every message of
// the table with its signature, proofs and rules, and comes to a [Verdict].
//
// It never blames an honest seat: a foul is an entry that a seat signed for exactly
// this place in the table's history, and that breaks a rule. What a
// dishonest log could have staged, by dropping, moving, altering or repeating
// entries, is void, or the log's own breach. A seat that play waits for is
// named but not blamed: the log may have withheld its message.
//
// An error means "cannot check"; what was found is in the Report.
//
// [Verify] is of one table of a whole log. Package tableset makes the same checks of many tables, of
// what is not a whole log or is compared with others, and of a log that grows.
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
	// Time is what time-outs must be at least: with less a table cannot be checked.
	Time Degree
	// Held are messages that keepers held: they reopen time-outs.
	Held []keeper.Message
	// Seen, if set, is told of each check, and of each entry of the table, in order. What
	// it is told counts only if there is a verdict.
	Seen func(Step)
	// Step, if set, is told what became of each entry of the tables, as far as their verdicts
	// come: of one table in order, of several by several goroutines. It counts only if there
	// is a verdict.
	Step func(wire.Hash, replay.Step)
}

// Step is what was just done: a check was made, or an entry was judged.
type Step struct {
	Check *Check
	Entry *replay.Step
}

// seenAtOnce is how many entries are judged together where somebody watches.
const seenAtOnce = 32

// Verify checks one table of one log. The source may lie; its errors mean "cannot check",
// unless they are tlog.ErrBroken or, where they accuse the log and not whoever showed it,
// tlog.ErrForked. One that is also a tlog.BlobReader shows the blobs that entries name, to
// several goroutines at once; a table that needs one that is not shown cannot be checked.
// With an error the report has no verdict, and the checks that were made before.
func Verify(ctx context.Context, src tlog.EntryReader, o Options) (*Report, error) {
	return VerifyRead(ctx, src, o, WholeReading(src, o))
}

// VerifyRead is Verify of what is read in a way of its own.
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

// BlobsOf returns a way to the blobs that a source shows.
func BlobsOf(ctx context.Context, src any) replay.Blobs {
	return func(b wire.Blob) ([]byte, error) {
		if blobs, ok := src.(tlog.BlobReader); ok {
			return blobs.Blob(ctx, b.Hash)
		}
		return nil, tlog.ErrNoBlob
	}
}

// LogReading makes the checks L2 and L3 of what a source shows under c, whose signature was
// verified, and shows every entry to see as it comes. It passes L2 in the report. With an
// error it returns the check that failed or could not be made.
type LogReading func(ctx context.Context, c tlog.Checkpoint, r *Report, see func(replay.Leaf)) (table.Check, error)

// MarksOf is what shows marks besides entries, each proved (docs/spec/85-bundle.md, 85.10).
type MarksOf interface {
	// Marks shows marks with their indexes to see, whose places and checkpoints were
	// verified under c.
	Marks(c tlog.Checkpoint, see func(index uint64, mark []byte)) error
}

// BelieveLog makes the checks of the log, all of them once, whatever tables are
// verified. It keeps no entry: what is made of them counts only if the log turns out to be
// whole. The marks of the log are taken on the way. Its report is of no table, and has no
// verdict but that the log is broken.
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

// WholeReading is the LogReading of a source that shows all entries of a log.
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

// ReadLog recomputes the tree of c from the entries that a source shows. With an error it
// returns the check that failed or could not be made.
func ReadLog(ctx context.Context, src tlog.EntryReader, c tlog.Checkpoint, h *tlog.History, see func(replay.Leaf)) (table.Check, error) {
	contradiction, err := h.ReadTree(src.Entries(ctx, 0, c.Size), c, func(index uint64, leaf tlog.Hash, entry []byte) {
		see(replay.NewLeaf(index, wire.Hash(leaf), entry))
	})
	if err != nil {
		return CheckTree, err
	}
	return CheckHistory, contradiction
}

// CheckForks looks for two checkpoints that cannot both be true, whatever the
// source shows. That needs no entries: one size, two roots, both signed by the
// log.
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

// CheckFork is tlog.CheckFork, and says who of a policy has seen either checkpoint.
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

// CheckCosigners notes who has seen the checkpoint, and wants a quorum. It comes
// after the tree: what breaks the log's word is to be told, whoever has cosigned.
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
