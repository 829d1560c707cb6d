package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
)

// Key shows and changes the keys of a log (docs/spec/66-cosigners.md).
func Key(f *command.Flags) command.Body {
	data := f.String("data", "pakli-data", "directory of the log")
	return func(ctx context.Context, e command.Env) error {
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
			return command.WrongUsage("%q is none of show, next, switch, retire, mldsa", f.Arg(0))
		}
		if err == nil {
			err = showKeys(e, *data)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("--data %s: there is no log: %w", *data, err)
		}
		return err
	}
}

func switchKey(data string) error {
	k, err := ledger.SwitchKey(data)
	if err != nil {
		return err
	}
	return copies.PublishKey(data, k)
}

// showKeys prints the verifier keys of a log, its own first.
func showKeys(e command.Env, data string) error {
	key, also, err := ledger.LoadKeys(data)
	if err != nil {
		return err
	}
	for _, k := range append([]ledger.Key{key}, also...) {
		if err := e.Say(map[string]string{"key": k.Public}, "%s\n", k.Public); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(data, urlFile)); err == nil {
		fmt.Fprintln(e.Err, "a server that runs has the keys it was started with")
	}
	return nil
}
