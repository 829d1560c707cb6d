package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"

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
	least, _, err := number(r, "min_size", 0, math.MaxInt64)
	if err != nil {
		return err
	}
	wait, err := waitOf(r)
	if err != nil {
		return err
	}
	err = s.poll(r, wait, func(ctx context.Context) error {
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
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.receipt(r.Context(), index)
		return represented{p.Marshal(), client.Receipt{Index: p.Index, Hashes: hexadecimal(p.Hashes), Checkpoint: string(p.Checkpoint)}}, err
	})
}

// getInclusion proves an entry in the tree of any size.
func (s *Server) getInclusion(w http.ResponseWriter, r *http.Request) error {
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	size, err := s.sizeOf(r)
	if err != nil {
		return err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.log.Inclusion(r.Context(), index, size)
		return represented{proofLines(p.Hashes), client.Inclusion{Index: index, Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// getConsistency proves that one tree is the beginning of another.
func (s *Server) getConsistency(w http.ResponseWriter, r *http.Request) error {
	old, given, err := number(r, "old", 0, math.MaxInt64)
	if err != nil {
		return err
	}
	if !given {
		return problem(client.MalformedRequest, "old is the size of the smaller tree, and is needed")
	}
	size, err := s.sizeOf(r)
	if err != nil {
		return err
	}
	return s.present(w, r, func() (represented, error) {
		p, err := s.log.Consistency(r.Context(), uint64(old), size)
		return represented{proofLines(p.Hashes), client.Consistency{Old: uint64(old), Size: size, Hashes: hexadecimal(p.Hashes)}}, err
	})
}

// sizeOf reads the size of a tree, the newest if none is given.
func (s *Server) sizeOf(r *http.Request) (uint64, error) {
	size, given, err := number(r, "size", 0, math.MaxInt64)
	if err != nil || given {
		return uint64(size), err
	}
	c, err := s.log.Checkpoint(r.Context())
	return c.Size, err
}

// indexOf reads the index in the path.
func indexOf(r *http.Request) (uint64, error) {
	index, err := strconv.ParseUint(r.PathValue("index"), 10, 63)
	if err != nil || strconv.FormatUint(index, 10) != r.PathValue("index") {
		return 0, problem(client.MalformedRequest, "%.30q is not an index", r.PathValue("index"))
	}
	return index, nil
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
