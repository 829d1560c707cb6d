package httpapi

import (
	"context"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

// standing is how far a client knows the log: the edge of the tree of the first edge
// entries, and the root of the tree of size entries, which is no smaller.
type standing struct{ edge, size uint64 }

// prove adds a checkpoint to a page, and what shows its messages to be under it. The
// checkpoint is taken after them: it has them all.
func (s *Server) prove(ctx context.Context, k *standing, page *client.Messages) error {
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	indexes := make([]uint64, len(page.Messages))
	for i, m := range page.Messages {
		indexes[i] = m.Index
	}
	hashes, err := s.growth(ctx, k, c.Size, indexes)
	page.Checkpoint, page.Growth = string(c.Note), tlog.MarshalHashes(hashes)
	return err
}

// posterGrowth shows who has posted an entry that the tree of its receipt grew out of
// what is known. It says nothing if what is known is newer than the receipt; and an entry
// before the edge, posted again, is not in the way.
func (s *Server) posterGrowth(ctx context.Context, k *standing, r tlog.Receipt) ([]tlog.Hash, error) {
	c, err := tlog.ParseCheckpoint(r.Checkpoint)
	if err != nil {
		return nil, err
	}
	if k.size > c.Size {
		return nil, nil // the entry is in the log, and that has to be answered
	}
	if r.Index < k.edge {
		return s.growth(ctx, k, c.Size, nil)
	}
	return s.growth(ctx, k, c.Size, []uint64{r.Index})
}

// growth returns the roots of the subtrees between what is known and the entries at
// these indexes, in order, between them, and after them up to size (70.10).
func (s *Server) growth(ctx context.Context, k *standing, size uint64, indexes []uint64) ([]tlog.Hash, error) {
	if k.size > size {
		return nil, problem(client.BeyondLog, "the log has %d entries, and not %d", size, k.size)
	}
	var hashes []tlog.Hash
	at := k.edge
	skip := func(end uint64) error {
		more, err := s.log.Subtrees(ctx, at, end)
		hashes, at = append(hashes, more...), end
		return err
	}
	for _, stop := range append(indexes, size) {
		if stop < at {
			return nil, problem(client.MalformedRequest, "entry %d comes before size %d: what is known is not what these messages follow", stop, at)
		}
		if at <= k.size && k.size <= stop {
			if err := skip(k.size); err != nil {
				return nil, err
			}
		}
		if err := skip(stop); err != nil {
			return nil, err
		}
		at++ // past the entry itself
	}
	return hashes, nil
}
