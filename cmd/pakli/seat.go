package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
)

// passphrase is where the passphrase of a seat file comes from.
type passphrase struct{ file string }

// passphraseVariable is read if no file is named.
const passphraseVariable = "PAKLI_PASSPHRASE"

func (p *passphrase) register(f *flag.FlagSet) {
	f.StringVar(&p.file, "passphrase-file", "", "file with the passphrase of the seat file (default $"+passphraseVariable+", or none)")
}

func (p *passphrase) read() (string, error) {
	if p.file == "" {
		return os.Getenv(passphraseVariable), nil
	}
	b, err := os.ReadFile(p.file)
	if err != nil {
		return "", err
	}
	phrase := strings.TrimRight(string(b), "\r\n")
	if phrase == "" {
		return "", fmt.Errorf("%s holds no passphrase", p.file)
	}
	return phrase, nil
}

// runSeat makes a seat file, and beside it the public half, which it prints.
func runSeat(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("seat", "NAME")
	file := f.String("file", "", "the seat file (default NAME.seat); it is secret")
	var secret passphrase
	secret.register(f)
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	if *file == "" {
		*file = f.Arg(0) + ".seat"
	}
	phrase, err := secret.read()
	if err != nil {
		return exitFail, err
	}
	id, err := seatfile.Create(*file, f.Arg(0), phrase)
	if err != nil {
		return exitFail, err
	}
	err = os.WriteFile(*file+".pub", []byte(id.VerifierKey()+"\n"), 0o644)
	fmt.Fprintln(e.out, id.VerifierKey())
	return exitDone, errors.Join(err, id.Close())
}

// seatKey reads what --seat says: a verifier key, or a file that holds one. No
// file's name in use has a plus sign, and every key has two.
func seatKey(arg string) (string, error) {
	if strings.Count(arg, "+") >= 2 {
		return arg, nil
	}
	b, err := os.ReadFile(arg)
	return strings.TrimSpace(string(b)), err
}

// openOrCreate opens a seat file, or makes one.
func openOrCreate(path, name, phrase string) (*player.Identity, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return seatfile.Create(path, name, phrase)
	}
	return seatfile.Open(path, phrase)
}
