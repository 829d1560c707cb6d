// Command fetch uses a log from JavaScript, for the test that starts it: with URL and
// verifier key of the log, and a URL that answers with more than it was asked for.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, key string) error {
	v, err := tlog.ParseLogKey(key)
	if err != nil {
		return err
	}
	c, err := client.New(url, v, nil)
	if err != nil {
		return err
	}
	for i := range 3 { // the first is answered by a proxy
		if _, err := c.Append(ctx, fmt.Appendf(nil, "entry %d", i)); err != nil {
			return fmt.Errorf("append: %w", err)
		}
	}
	cp, err := c.Checkpoint(ctx)
	if err != nil || cp.Size != 3 {
		return fmt.Errorf("checkpoint of %d entries: %w", cp.Size, err)
	}
	n := 0
	for e, err := range c.Entries(ctx, 0, 3) {
		if want := fmt.Appendf(nil, "entry %d", n); err != nil || !bytes.Equal(e, want) {
			return fmt.Errorf("entry %q, want %q: %w", e, want, err)
		}
		n++
	}
	if _, err := c.Tile(ctx, tlog.Tile{Index: 7, Width: 1}); !notFound(err) {
		return fmt.Errorf("no such tile: %w", err)
	}
	begin := time.Now()
	if signed, err := c.ShownCheckpoint(ctx, 3, 300*time.Millisecond); err != nil || len(signed) == 0 || time.Since(begin) < 250*time.Millisecond {
		return fmt.Errorf("long poll of %v: %w", time.Since(begin), err)
	}
	return limits(ctx, url, v)
}

func notFound(err error) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Status == 404 && p.Type != "about:blank"
}

// limits asks for what never ends: by its length, by its time, and nobody there.
func limits(ctx context.Context, url string, v *tlog.VerifierKey) error {
	endless, err := client.New(url+"/endless", v, nil)
	if err != nil {
		return err
	}
	if _, err := endless.Checkpoint(ctx); !errors.Is(err, tlog.ErrMalformed) {
		return fmt.Errorf("an endless answer: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	silent, err := client.New(url+"/silent", v, nil)
	if err != nil {
		return err
	}
	if _, err := silent.Checkpoint(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 5*time.Second {
		return fmt.Errorf("a silent server, after %v: %w", time.Since(begin), err)
	}
	_, err = client.AskLog(ctx, "http://127.0.0.1:1", nil)
	if !errors.Is(err, client.ErrNoAnswer) {
		return fmt.Errorf("nobody there: %w", err)
	}
	return nil
}
