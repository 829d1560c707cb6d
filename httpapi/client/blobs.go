package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

var _ tlog.BlobReader = (*Client)(nil)

// Blob implements tlog.BlobReader. What the server answers is compared with the
// hash.
func (c *Client) Blob(ctx context.Context, hash [sha256.Size]byte) ([]byte, error) {
	b, err := c.do(ctx, request{path: "/" + tlog.BlobPath(hash), limit: tlog.MaxBlob})
	if p, ok := errors.AsType[*Problem](err); ok && p.Status == statusNotFound {
		return nil, fmt.Errorf("%w: %w", tlog.ErrNoBlob, err)
	}
	if err != nil {
		return nil, err
	}
	return b, tlog.CheckBlob(b, hash)
}

// Complete returns an entry of the log with its blobs after it, or alone if the
// server does not have one of them: whether that matters, the table says.
func (c *Client) Complete(ctx context.Context, entry []byte) ([]byte, error) {
	parcel, err := wire.Complete(entry, func(b wire.Blob) ([]byte, error) { return c.Blob(ctx, b.Hash) })
	if errors.Is(err, tlog.ErrNoBlob) {
		return entry, nil
	}
	return parcel, err
}

// maxBundle bounds a bundle in bytes (docs/spec/85-bundle.md).
const maxBundle = 1 << 30

// Bundle returns the bundle of a table as the server makes it. Nothing of it is
// verified.
func (c *Client) Bundle(ctx context.Context, id wire.Hash) ([]byte, error) {
	return c.do(ctx, request{path: "/v1/tables/" + id.String() + "/bundle", limit: maxBundle})
}
