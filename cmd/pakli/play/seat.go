package play

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/player/seatfile"
)

// Seat makes a seat file with its public half beside it, which it prints.
func Seat(f *command.Flags) command.Body {
	file := f.String("file", "", "the seat `file`, which is secret (default NAME.seat)")
	original := f.String("copy", "", "make no new seat, but write a copy of this seat `file` to --file; when the original is lost, play --here goes on with the copy")
	var secret flags.Passphrase
	secret.AddFlags(f)
	f.Least = 0 // a copy has no name argument
	return func(ctx context.Context, e command.Env) error {
		switch {
		case *original != "" && (f.NArg() > 0 || *file == ""):
			return command.WrongUsage("--copy %s: say with --file where the copy goes, and give no name", *original)
		case *original != "":
			return cmp.Or(copySeat(*original, *file, secret), e.Say(map[string]string{"file": *file}, ""))
		case f.NArg() == 0:
			return command.WrongUsage("an argument is missing: %s", f.Name())
		}
		if *file == "" {
			*file = f.Arg(0) + ".seat"
		}
		phrase, err := secret.ReadPhrase()
		if err != nil {
			return err
		}
		id, err := seatfile.Create(*file, f.Arg(0), phrase)
		if err != nil {
			return err
		}
		err = os.WriteFile(*file+".pub", []byte(id.VerifierKey()+"\n"), 0o644)
		said := e.Say(map[string]string{"key": id.VerifierKey(), "file": *file}, "%s\n", id.VerifierKey())
		return errors.Join(err, said, id.Close())
	}
}

// copySeat writes a copy of a seat file with its journals' knowledge of each log. The passphrase is
// that of the original.
func copySeat(original, file string, secret flags.Passphrase) error {
	phrase, err := secret.ReadPhrase()
	if err != nil {
		return err
	}
	id, err := secret.OpenSeat("--copy", original)
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
