package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// getBundle serves a table in one file (docs/spec/85-bundle.md).
func (s *Server) getBundle(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.table()
	if q.err != nil {
		return q.err
	}
	file, err := s.reads.made(r, func() ([]byte, error) {
		select {
		case s.making <- struct{}{}:
			defer func() { <-s.making }()
			return s.bundle(r.Context(), id)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, file, tagOf(file))
}

// bundle makes the bundle of a table, under the newest cosigned checkpoint if that
// has all of its entries, and under the newest one otherwise.
func (s *Server) bundle(ctx context.Context, id wire.Hash) ([]byte, error) {
	keys, err := s.verifiers()
	if err != nil {
		return nil, err
	}
	b := bundle.Bundle{Table: id, Keys: bundle.Keys{Log: keys}}
	size, indexes := 0, []uint64(nil)
	for e, err := range s.admission.Entries(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		if size += len(e.Bytes); size > maxServedBundle {
			return nil, errLongTable
		}
		b.Entries, indexes = append(b.Entries, bundle.Entry{Index: e.Index, Bytes: e.Bytes}), append(indexes, e.Index)
	}
	if len(indexes) == 0 {
		return nil, problem(client.UnknownTable, "there is no table %s", id)
	}
	if b.Checkpoint, err = s.checkpointOver(ctx, indexes[len(indexes)-1]); err != nil {
		return nil, err
	}
	if b.Marks, err = s.marksOf(ctx, b); err != nil {
		return nil, err
	}
	for _, m := range b.Marks {
		indexes = append(indexes, m.Index)
	}
	slices.Sort(indexes)
	if b.Hashes, err = bundle.Prove(ctx, tiles.Tree{Checkpoint: b.Checkpoint, Tiles: s.tiles, Kept: new(tiles.Kept)}, indexes); err != nil {
		return nil, err
	}
	if b.Blobs, err = bundle.Fetch(ctx, bounded{s.blobs, &size}, b.Entries); err != nil {
		return nil, err
	}
	made, err := bundle.New(b)
	if err != nil {
		return nil, err
	}
	return made.Marshal(), nil
}

// marksOf returns the good marks that claims of a table name, with their proofs.
func (s *Server) marksOf(ctx context.Context, b bundle.Bundle) (list []bundle.Mark, err error) {
	for _, hash := range bundle.NamedMarks(b.Entries) {
		found, err := s.admission.Mark(hash)
		if err != nil || found.Index >= b.Checkpoint.Size {
			continue // then the claim is void
		}
		m := bundle.Mark{Entry: bundle.Entry{Index: found.Index}}
		if m.Bytes, err = admission.EntryAt(ctx, s.log, found.Index); err != nil {
			return nil, err
		}
		grown, err := s.log.Consistency(ctx, found.Size, b.Checkpoint.Size)
		if err != nil {
			return nil, err
		}
		m.Proof = grown.Hashes
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b bundle.Mark) int { return cmp.Compare(a.Index, b.Index) })
	return list, nil
}

var errLongTable = problem(client.NotFound, "the table is too long to be served in one file: pakli bundle makes it from the log")

// bounded are blobs that are not to be too many.
type bounded struct {
	blobs tlog.BlobReader
	size  *int // of what was read
}

func (b bounded) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	if b.blobs == nil {
		return nil, tlog.ErrNoBlob
	}
	blob, err := b.blobs.Blob(ctx, hash)
	if *b.size += len(blob); *b.size > maxServedBundle {
		return nil, errLongTable
	}
	return blob, err
}

// checkpointOver returns the newest cosigned checkpoint if it has an entry, and the
// newest one otherwise.
func (s *Server) checkpointOver(ctx context.Context, index uint64) (tlog.Checkpoint, error) {
	if s.cosigned != nil {
		c, err := s.cosigned.Checkpoint(ctx)
		if err == nil && c.Size > index || err != nil && !errors.Is(err, tlog.ErrNotCosigned) {
			return c, err
		}
	}
	return s.log.Checkpoint(ctx)
}
