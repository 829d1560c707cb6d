package main

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/protocol/wire"
)

// blobsOf returns the blobs that an entry names.
func blobsOf(entry []byte) [][sha256.Size]byte {
	e, err := wire.ParseEntry(entry)
	if err != nil || e.Message == nil {
		return nil
	}
	var hashes [][sha256.Size]byte
	for _, b := range e.Message.Blobs() {
		hashes = append(hashes, b.Hash)
	}
	return hashes
}

// runMirror copies a log to a directory that pakli-verify reads.
func runMirror(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("mirror", "URL DIR")
	var s serverFlags
	s.registerKeys(f)
	if err := parseFlags(f, args, 2); err != nil {
		return exitUsage, err
	}
	s.url, s.copy = f.Arg(0), mirror.Dir(f.Arg(1))
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	checkpoint, err := mirror.Copy(ctx, c, f.Arg(1), blobsOf)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of %s in %s\n", checkpoint.Size, checkpoint.Origin, f.Arg(1))
	return exitDone, nil
}
