package copies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// Backup updates a backup of a running server, or of the directory of a stopped one.
func Backup(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	data := f.String("data", "", "`directory` of a log that no server has open (default: ask the server)")
	return func(ctx context.Context, e command.Env) error {
		take := func() (tlog.Checkpoint, error) { return backupServer(ctx, e, s, f.Arg(0)) }
		if *data != "" {
			take = func() (tlog.Checkpoint, error) { return backupData(ctx, *data, f.Arg(0)) }
		}
		c, err := take()
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "the backup was verified. The log's keys (*.key in its directory) are not in it: keep a copy of them elsewhere, in secret\n")
		return SayCopied(e, c.Size, c.Origin, f.Arg(0))
	}
}

func backupServer(ctx context.Context, e command.Env, s *flags.Server, dir string) (tlog.Checkpoint, error) {
	s.Copy = tiles.Directory(dir)
	c, err := s.Dial(ctx, e)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	return ledger.TakeBackup(ctx, c, dir, BlobsOf, s.Verifiers()...)
}

func backupData(ctx context.Context, data, dir string) (tlog.Checkpoint, error) {
	o, keys, err := OwnKeys(data)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	l, err := ledger.Open(data, o)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	defer l.Close()
	return ledger.TakeBackup(ctx, l, dir, BlobsOf, keys...)
}

// unknown is the value of --newest if nothing is known.
const unknown = "nobody-knows"

// Restore makes a log from a backup. It requires a proof of how far the log had got.
func Restore(f *command.Flags) command.Body {
	data := f.String("data", "pakli-data", "directory for the log, with its keys in it and nothing else")
	var newest []string
	f.Func("newest", "`path` that shows how far the log had got: what is left of its old directory, a mirror, a checkpoint or a receipt; "+
		"may be given several times. "+unknown+": there is none, and you vouch that the log has published nothing since the backup", func(s string) error {
		newest = append(newest, s)
		return nil
	})
	return func(ctx context.Context, e command.Env) error {
		if len(newest) == 0 {
			return command.WrongUsage("how far had the log got? A log that goes on from an old backup has two histories, and everybody can prove it. " +
				"Name with --newest what is left of the old directory (its file called promise is enough), the newest mirror, checkpoint or receipt that anybody has, or " + unknown)
		}
		return restoreLog(ctx, e, f.Arg(0), *data, newest)
	}
}

func restoreLog(ctx context.Context, e command.Env, dir, data string, newest []string) error {
	o, keys, err := OwnKeys(data)
	if err != nil {
		return fmt.Errorf("the keys of the log, which are not in a backup, have to be in %s: %w", data, err)
	}
	var known []ledger.KnownTree
	for _, path := range newest {
		if path == unknown {
			continue
		}
		one, err := ledger.FromPath(path, o.Signer.Name(), keys...)
		if err != nil {
			return err
		}
		known = append(known, one)
	}
	c, err := ledger.RestoreBackup(ctx, dir, data, o, known, BlobsOf, keys...)
	if err != nil {
		return err
	}
	key, err := ledger.LoadKey(data)
	if err == nil {
		err = PublishKey(data, key)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Err, "if the log has cosigners, serve it with its policy: they know how far it had got, and the server does not go on before enough of them have answered\n")
	return SayCopied(e, c.Size, c.Origin, data)
}

// SayCopied reports the content of a directory.
func SayCopied(e command.Env, entries uint64, log, dir string) error {
	return e.Say(map[string]any{"entries": entries, "log": log, "directory": dir}, "%d entries of %s in %s\n", entries, log, dir)
}

// Mirror copies a log to a directory that pakli-verify reads.
func Mirror(f *command.Flags) command.Body {
	s := flags.LogOf(f)
	every := f.Duration("every", 0, "copy again and again with so much `time` between, until told to stop; what fails is told and tried again, but for a log that has signed what cannot both be true (default: once)")
	return func(ctx context.Context, e command.Env) error {
		if *every < 0 {
			return command.WrongUsage("--every %v: must be above 0", *every)
		}
		s.URL, s.Copy = f.Arg(0), tiles.Directory(f.Arg(1))
		for {
			err := copyLog(ctx, e, s, f.Arg(1))
			if *every == 0 || errors.Is(err, tlog.ErrForked) {
				return err
			}
			if err != nil && ctx.Err() == nil {
				fmt.Fprintf(e.Err, "%v\n", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(*every):
			}
		}
	}
}

func copyLog(ctx context.Context, e command.Env, s *flags.Server, dir string) error {
	c, err := s.Dial(ctx, e)
	if err != nil {
		return err
	}
	checkpoint, err := tiles.CopyLog(ctx, c, dir, BlobsOf)
	if err != nil {
		return err
	}
	return SayCopied(e, checkpoint.Size, checkpoint.Origin, dir)
}
