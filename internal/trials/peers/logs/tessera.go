package main

import (
	"context"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
)

// The least time between checkpoints of Tessera's POSIX driver, and batches as large as its tiles and
// as short as makes sense for one client.
const (
	tesseraPublishes = 100 * time.Millisecond
	tesseraBatch     = 256
	tesseraBatchAge  = time.Millisecond
	tesseraPolls     = time.Millisecond
)

// openTessera opens a log whose entries are done when a checkpoint covers them.
func openTessera(ctx context.Context, o options) (addEntry, func() error, error) {
	a, reader, shutdown, err := newTessera(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	awaiter := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, tesseraPolls)
	return func(ctx context.Context, entry []byte) error {
		_, _, err := awaiter.Await(ctx, a.Add(ctx, tessera.NewEntry(append([]byte(nil), entry...))))
		return err
	}, shutdown, nil
}

// openIntegrated opens a log whose entries are done when they are in its tiles, without a checkpoint.
func openIntegrated(ctx context.Context, o options) (addEntry, func() error, error) {
	a, _, shutdown, err := newTessera(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, entry []byte) error {
		_, err := a.Add(ctx, tessera.NewEntry(append([]byte(nil), entry...)))()
		return err
	}, shutdown, nil
}

func newTessera(ctx context.Context, o options) (*tessera.Appender, tessera.LogReader, func() error, error) {
	signer, err := newSigner()
	if err != nil {
		return nil, nil, nil, err
	}
	driver, err := posix.New(ctx, posix.Config{Path: o.dir})
	if err != nil {
		return nil, nil, nil, err
	}
	a, shutdown, reader, err := tessera.NewAppender(ctx, driver, tessera.NewAppendOptions().
		WithCheckpointSigner(signer).WithCheckpointInterval(tesseraPublishes).
		WithBatching(tesseraBatch, tesseraBatchAge).WithPushback(1<<16))
	return a, reader, func() error { return shutdown(ctx) }, err
}
