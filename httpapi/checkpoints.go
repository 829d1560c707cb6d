package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"math"
	"net/http"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// represented is a resource as text, in a format of C2SP, and as a document.
type represented struct {
	text     []byte
	document any
}

// present answers with what the client prefers, to be revalidated.
func (s *Server) present(w http.ResponseWriter, r *http.Request, resource func() (represented, error)) error {
	media, err := negotiate(w, r, mediaJSON, mediaText)
	if err != nil {
		return err
	}
	data, err := s.reads.made(r, func() ([]byte, error) {
		of, err := resource()
		if err != nil || media == mediaText {
			return of.text, err
		}
		return encoded(of.document), nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, data, tagOf(data))
}

// getNewest serves the newest checkpoint, and waits for it to have a size.
func (s *Server) getNewest(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	least, _ := q.number("min_size", 0, math.MaxInt64)
	wait := q.wait()
	if q.err != nil {
		return q.err
	}
	err := s.poll(r, wait, func(ctx context.Context) error {
		_, err := s.grown(ctx, uint64(least))
		return err
	})
	if err != nil {
		return err
	}
	return s.present(w, r, func() (represented, error) {
		c, err := s.log.Checkpoint(r.Context())
		return represented{c.Note, checkpointDocument(c)}, err
	})
}

func checkpointDocument(c tlog.Checkpoint) client.Checkpoint {
	return client.Checkpoint{Origin: c.Origin, Size: c.Size, Root: wire.Hash(c.Root), Note: string(c.Note)}
}

// getReceipt proves an entry, offline: under a signed checkpoint.
func (s *Server) getReceipt(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	index := q.index()
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.receipt(r.Context(), index)
		return represented{p.Marshal(), client.Receipt{Index: p.Index, Hashes: hexadecimal(p.Hashes), Checkpoint: string(p.Checkpoint)}}, err
	})
}

// getInclusion proves an entry in the tree of any size.
func (s *Server) getInclusion(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	index, size := q.index(), s.sizeOf(&q)
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.log.Inclusion(r.Context(), index, size)
		return represented{proofLines(p.Hashes), client.Inclusion{Index: index, Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// getConsistency proves that one tree is the beginning of another.
func (s *Server) getConsistency(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	old, given := q.number("old", 0, math.MaxInt64)
	if !given {
		q.wrong("old is the size of the smaller tree, and is needed")
	}
	size := s.sizeOf(&q)
	if q.err != nil {
		return q.err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.log.Consistency(r.Context(), uint64(old), size)
		return represented{proofLines(p.Hashes), client.Consistency{Old: uint64(old), Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// sizeOf reads the size of a tree, the newest if none is given.
func (s *Server) sizeOf(q *query) uint64 {
	size, given := q.number("size", 0, math.MaxInt64)
	if given || q.err != nil {
		return uint64(size)
	}
	c, err := s.log.Checkpoint(q.r.Context())
	q.err = err
	return c.Size
}

// proofLines writes hashes as the lines of a proof in c2sp.org/tlog-proof and
// c2sp.org/tlog-witness.
func proofLines(hashes []tlog.Hash) []byte {
	var b bytes.Buffer
	for _, h := range hashes {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	return b.Bytes()
}

func hexadecimal(hashes []tlog.Hash) []wire.Hash {
	list := make([]wire.Hash, len(hashes))
	for i, h := range hashes {
		list[i] = wire.Hash(h)
	}
	return list
}
