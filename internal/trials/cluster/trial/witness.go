package trial

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
)

func fetch(ctx context.Context, c *http.Client, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, resp.Status)
	}
	return b, err
}

// Stranger follows the log with Tessera's client until ctx ends or the log contradicts itself. A log
// that is out of reach for a while is no contradiction.
func Stranger(ctx context.Context, at string, key note.Verifier) (updates int, err error) {
	base, err := url.Parse(at + "/")
	if err != nil {
		return 0, err
	}
	f, err := client.NewHTTPFetcher(base, &http.Client{Timeout: 5 * time.Second})
	if err != nil {
		return 0, err
	}
	var follower *client.LogStateTracker
	for ctx.Err() == nil {
		if follower == nil {
			follower, err = client.NewLogStateTracker(ctx, f.ReadTile, nil, key, key.Name(), client.UnilateralConsensus(f.ReadCheckpoint))
			if err != nil {
				follower = nil
			}
		} else {
			_, _, _, err = follower.Update(ctx)
		}
		if contradicts := (client.ErrInconsistency{}); errors.As(err, &contradicts) {
			return updates, fmt.Errorf("%w, says Tessera's client: %w", ErrFork, err)
		}
		if err == nil {
			updates++
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return updates, nil
}

// Cosigner is a cosigner for all front ends.
type Cosigner struct {
	Policy string // the file that names it
	server *http.Server
	store  *cosign.Cosigner
}

// NewCosigner starts a cosigner of a log in a directory of its own.
func NewCosigner(dir, logKey string) (*Cosigner, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	secret, public, err := tlog.GenerateKey(rand.Reader, "witness.example", tlog.Ed25519Cosignature)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, "log %s\nwitness anna %s http://%s\nquorum anna\n", logKey, public, listener.Addr())
	policy, err := tlog.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	c := &Cosigner{Policy: filepath.Join(dir, "policy")}
	if c.store, err = cosign.OpenCosigner(dir, cosign.CosignerOptions{Signers: []string{secret}, Logs: policy.Logs}); err != nil {
		return nil, err
	}
	c.server = &http.Server{Handler: c.store, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = c.server.Serve(listener) }()
	return c, os.WriteFile(c.Policy, text, 0o644)
}

// Close stops it.
func (c *Cosigner) Close() error { return errors.Join(c.server.Close(), c.store.Close()) }
