package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// formattedResource is a resource as text, in a format of C2SP, and as a document.
type formattedResource struct {
	text     []byte
	document any
}

// present answers with what the client prefers, to be revalidated.
func (s *logAPI) present(w http.ResponseWriter, r *http.Request, resource func() (formattedResource, error)) error {
	media, err := negotiate(w, r, mediaJSON, mediaText)
	if err != nil {
		return err
	}
	data, err := s.reads.makeAnswer(r, func() ([]byte, error) {
		of, err := resource()
		if err != nil || media == mediaText {
			return of.text, err
		}
		return encodeDocument(of.document), nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, data, tagOf(data))
}

// getNewest serves the newest checkpoint, and waits for it to have a size.
func (s *logAPI) getNewest(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	least, _ := q.number("min_size", 0, math.MaxInt64)
	wait := q.waitTime()
	if q.err != nil {
		return q.err
	}
	err := s.pollUntil(r, wait, func(ctx context.Context) error {
		_, err := s.awaitSize(ctx, uint64(least))
		return err
	})
	if err != nil {
		return err
	}
	return s.present(w, r, func() (formattedResource, error) {
		c, err := s.log.Checkpoint(r.Context())
		return formattedResource{c.Note, checkpointDocument(c)}, err
	})
}

func checkpointDocument(c tlog.Checkpoint) client.Checkpoint {
	return client.Checkpoint{Origin: c.Origin, Size: c.Size, Root: wire.Hash(c.Root), Note: string(c.Note)}
}

// getReceipt proves an entry, offline: under a signed checkpoint.
func (s *logAPI) getReceipt(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	index := q.entryIndex()
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (formattedResource, error) {
		p, err := s.newestReceipt(r.Context(), index)
		return formattedResource{p.Marshal(), client.Receipt{Index: p.Index, Hashes: hexadecimal(p.Hashes), Checkpoint: string(p.Checkpoint)}}, err
	})
}

// getInclusion proves an entry in the tree of any size.
func (s *logAPI) getInclusion(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	index, size := q.entryIndex(), s.sizeOf(&q)
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (formattedResource, error) {
		p, err := s.log.Inclusion(r.Context(), index, size)
		return formattedResource{tlog.ProofLines(p.Hashes), client.Inclusion{Index: index, Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// getConsistency proves that one tree is the beginning of another.
func (s *logAPI) getConsistency(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	old, given := q.number("old", 0, math.MaxInt64)
	if !given {
		q.noteMistake("old is the size of the smaller tree, and is needed")
	}
	size := s.sizeOf(&q)
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (formattedResource, error) {
		p, err := s.log.Consistency(r.Context(), uint64(old), size)
		return formattedResource{tlog.ProofLines(p.Hashes), client.Consistency{Old: uint64(old), Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// sizeOf reads the size of a tree, the newest if none is given.
func (s *logAPI) sizeOf(q *query) uint64 {
	size, given := q.number("size", 0, math.MaxInt64)
	if given || q.err != nil {
		return uint64(size)
	}
	c, err := s.log.Checkpoint(q.r.Context())
	q.err = err
	return c.Size
}

func hexadecimal(hashes []tlog.Hash) []wire.Hash {
	list := make([]wire.Hash, len(hashes))
	for i, h := range hashes {
		list[i] = wire.Hash(h)
	}
	return list
}

// getCosigned serves the newest checkpoint that enough cosigners have seen.
func (s *logAPI) getCosigned(w http.ResponseWriter, r *http.Request) error {
	if s.cosigned == nil {
		return problem(client.NotFound, "this log has no cosigners")
	}
	c, err := s.cosigned.Checkpoint(r.Context())
	if errors.Is(err, tlog.ErrNotCosigned) {
		return problem(client.NotReady, "%v", tlog.ErrNotCosigned)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, c.Note, tagOf(c.Note))
}

// newestReceipt proves an entry under the newest cosigned checkpoint if that has it,
// and under the newest one otherwise.
func (s *logAPI) newestReceipt(ctx context.Context, index uint64) (tlog.Receipt, error) {
	if s.cosigned != nil {
		r, err := admission.Receipt(ctx, s.cosigned, index)
		if !errors.Is(err, tlog.ErrRange) && !errors.Is(err, tlog.ErrNotCosigned) {
			return r, err
		}
	}
	return admission.Receipt(ctx, s.log, index)
}

// knownLog is how far a client knows the log: the edge of the tree of the first edge
// entries, and the root of the tree of size entries, which is no smaller.
type knownLog struct{ edge, size uint64 }

// proveMessages adds a checkpoint to a page, and what shows its messages to be under it. The
// checkpoint is taken after them: it has them all.
func (s *Server) proveMessages(ctx context.Context, k *knownLog, page *client.Messages) error {
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	indexes := make([]uint64, len(page.Messages))
	for i, m := range page.Messages {
		indexes[i] = m.Index
	}
	hashes, err := s.growthRoots(ctx, k, c.Size, indexes)
	page.Checkpoint, page.Growth = string(c.Note), tlog.MarshalHashes(hashes)
	return err
}

// posterGrowth shows who has posted an entry that the tree of its receipt grew out of
// what is known. It says nothing if what is known is newer than the receipt; and an entry
// before the edge, posted again, is not in the way.
func (s *Server) posterGrowth(ctx context.Context, k *knownLog, r tlog.Receipt) ([]tlog.Hash, error) {
	c, err := tlog.ParseCheckpoint(r.Checkpoint)
	if err != nil {
		return nil, err
	}
	if k.size > c.Size {
		return nil, nil // the entry is in the log, and that has to be answered
	}
	if r.Index < k.edge {
		return s.growthRoots(ctx, k, c.Size, nil)
	}
	return s.growthRoots(ctx, k, c.Size, []uint64{r.Index})
}

// growthRoots returns the roots of the subtrees between what is known and the entries at
// these indexes, in order, between them, and after them up to size (70.10).
func (s *Server) growthRoots(ctx context.Context, k *knownLog, size uint64, indexes []uint64) ([]tlog.Hash, error) {
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
