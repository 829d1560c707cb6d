package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
)

// passphrase is where the passphrase of a seat file comes from.
type passphrase struct{ file string }

// passphraseVariable holds the passphrase itself, and is read if no file is named.
const passphraseVariable = "PAKLI_PASSPHRASE"

func (p *passphrase) addFlags(f *flag.FlagSet) {
	f.StringVar(&p.file, "passphrase-file", "", "`file` that holds the passphrase of the seat file, and that only you can read (default: none, and the passphrase itself is in $"+passphraseVariable+", if there is one)")
}

func (p *passphrase) readPhrase() (string, error) {
	if p.file == "" {
		return os.Getenv(passphraseVariable), nil
	}
	info, err := os.Stat(p.file)
	if err != nil {
		return "", fmt.Errorf("--passphrase-file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("--passphrase-file %s: others can read it (mode %04o); chmod 600 it, and change the passphrase if somebody may have", p.file, info.Mode().Perm())
	}
	b, err := os.ReadFile(p.file)
	if err != nil {
		return "", fmt.Errorf("--passphrase-file: %w", err)
	}
	phrase := strings.TrimRight(string(b), "\r\n")
	if phrase == "" {
		return "", fmt.Errorf("--passphrase-file %s: it is empty", p.file)
	}
	return phrase, nil
}

// runSeat makes a seat file, and beside it the public half, which it prints.
func runSeat(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("seat", "NAME")
	file := f.String("file", "", "the seat `file`, which is secret (default NAME.seat)")
	original := f.String("copy", "", "make no new seat: write a copy of this seat `file` to --file, to play on with (play --here) when it is lost")
	var secret passphrase
	secret.addFlags(f)
	if err := parseFlags(f, args, 0, 1); err != nil {
		return exitUsage, err
	}
	switch {
	case *original != "" && (f.NArg() > 0 || *file == ""):
		return exitUsage, wrongUsage("--copy %s: say with --file where the copy goes, and give no name", *original)
	case *original != "":
		return exitDone, copySeat(*original, *file, secret)
	case f.NArg() == 0:
		return exitUsage, wrongUsage("an argument is missing: %s", f.Name())
	}
	if *file == "" {
		*file = f.Arg(0) + ".seat"
	}
	phrase, err := secret.readPhrase()
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

// copySeat writes a copy of a seat file, with what its journals know of each log. Its
// passphrase is that of the original.
func copySeat(original, file string, secret passphrase) error {
	phrase, err := secret.readPhrase()
	if err != nil {
		return err
	}
	id, err := openSeat("--copy", original, secret)
	if err != nil {
		return err
	}
	defer id.Close()
	record, err := id.Copy(nil)
	if err != nil {
		return err
	}
	return seatfile.Write(file, record, phrase)
}

// seatKey reads what --seat of table create says: a verifier key, or a file that holds one.
// No file's name in use has a plus sign, and every key has two.
func seatKey(arg string) (string, error) {
	if strings.HasPrefix(arg, "PRIVATE+KEY+") {
		return "", errors.New("this is a private key: give the verifier key, which begins with the player's name, and make a new seat if others have seen it")
	}
	if strings.Count(arg, "+") >= 2 {
		return arg, nil
	}
	b, err := os.ReadFile(arg)
	text := strings.TrimSpace(string(b))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("there is no such file: give a player's verifier key, or the .pub file with it")
	case err != nil:
		return "", err
	case isSeatFile(b):
		return "", fmt.Errorf("this is a secret seat file: give its public half, %s.pub", arg)
	}
	if _, err := note.NewVerifier(text); err != nil {
		return "", errors.New("there is no verifier key in this file: give the .pub file that pakli seat has made")
	}
	return text, nil
}

// isSeatFile tells how a seat file begins, encrypted or not.
func isSeatFile(b []byte) bool {
	return bytes.HasPrefix(b, []byte("age-encryption.org/")) || bytes.HasPrefix(b, []byte(`{"pakli":"seat/`))
}

// openSeat opens the seat file that a flag names.
func openSeat(flag, path string, secret passphrase) (*player.Identity, error) {
	phrase, err := secret.readPhrase()
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if path == "" {
		return nil, wrongUsage("%s is missing: it names the seat file, which pakli seat makes", flag)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wrongUsage("%s %s: there is no such file; pakli seat makes one", flag, path)
	}
	if _, bad := note.NewVerifier(strings.TrimSpace(string(b))); bad == nil {
		return nil, wrongUsage("%s %s: this is the public half of a seat, for whoever creates the table; name the secret file beside it", flag, path)
	}
	return seatfile.Open(path, phrase)
}

// openOrCreate opens the organiser's seat file, or makes it.
func openOrCreate(path string, secret passphrase) (*player.Identity, error) {
	if _, err := os.Stat(path); path == "" || !errors.Is(err, fs.ErrNotExist) {
		return openSeat("--organiser", path, secret)
	}
	phrase, err := secret.readPhrase()
	if err != nil {
		return nil, err
	}
	return seatfile.Create(path, "organiser", phrase)
}
