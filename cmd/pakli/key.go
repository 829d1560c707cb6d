package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
)

// runKey shows and changes the keys of a log (docs/spec/66-cosigners.md).
func runKey(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("key", "show|next|switch|retire|mldsa")
	data := f.String("data", "pakli-data", "directory of the log")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	var err error
	switch f.Arg(0) {
	case "show":
	case "next":
		_, err = ledger.NextKey(*data, rand.Reader)
	case "mldsa":
		_, err = ledger.LatticeKey(*data, rand.Reader)
	case "switch":
		err = switchKey(*data)
	case "retire":
		err = ledger.RetireKey(*data)
	default:
		return exitUsage, wrongUsage("%q is none of show, next, switch, retire, mldsa", f.Arg(0))
	}
	if err == nil {
		err = showKeys(e, *data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("--data %s: there is no log: %w", *data, err)
	}
	return exitDone, err
}

func switchKey(data string) error {
	k, err := ledger.SwitchKey(data)
	if err != nil {
		return err
	}
	return durable.Replace(filepath.Join(data, keyFile), []byte(k.Public+"\n"), 0o644)
}

// showKeys prints the verifier keys of a log, its own first.
func showKeys(e env, data string) error {
	key, also, err := ledger.LoadKeys(data)
	if err != nil {
		return err
	}
	for _, k := range append([]ledger.Key{key}, also...) {
		fmt.Fprintln(e.out, k.Public)
	}
	if _, err := os.Stat(filepath.Join(data, urlFile)); err == nil {
		fmt.Fprintln(e.err, "a server that runs has the keys it was started with")
	}
	return nil
}
