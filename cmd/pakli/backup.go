package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/backup"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
)

// runBackup brings a backup up to date: of a server that runs, or of the
// directory of one that does not.
func runBackup(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("backup", "DIR")
	var s serverFlags
	s.addFlags(f)
	data := f.String("data", "", "`directory` of a log that no server has open (default: ask the server)")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	take := func() (tlog.Checkpoint, error) { return backupServer(ctx, e, s, f.Arg(0)) }
	if *data != "" {
		take = func() (tlog.Checkpoint, error) { return backupData(ctx, *data, f.Arg(0)) }
	}
	c, err := take()
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of %s in %s, verified\n", c.Size, c.Origin, f.Arg(0))
	fmt.Fprintf(e.err, "the log's keys (*.key in its directory) are not in it: keep a copy of them elsewhere, in secret\n")
	return exitDone, nil
}

func backupServer(ctx context.Context, e env, s serverFlags, dir string) (tlog.Checkpoint, error) {
	s.copy = mirror.Dir(dir)
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	return backup.TakeBackup(ctx, c, dir, blobsOf, s.verifiers()...)
}

func backupData(ctx context.Context, data, dir string) (tlog.Checkpoint, error) {
	o, keys, err := ownKeys(data)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	l, err := ledger.Open(data, o)
	if err != nil {
		return tlog.Checkpoint{}, err
	}
	defer l.Close()
	return backup.TakeBackup(ctx, l, dir, blobsOf, keys...)
}

// ownKeys returns how to open the log in data, and the verifiers of its keys.
func ownKeys(data string) (ledger.Options, []note.Verifier, error) {
	key, also, err := ledger.LoadKeys(data)
	o, keys := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}, []note.Verifier{key.Verifier}
	for _, k := range also {
		o.Also, keys = append(o.Also, k.Signer), append(keys, k.Verifier)
	}
	return o, keys, err
}

// unknown is what --newest says where nothing is known.
const unknown = "nobody-knows"

// runRestore makes a log of a backup. It wants to know how far the log had got.
func runRestore(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("restore", "BACKUP")
	data := f.String("data", "pakli-data", "directory for the log, with its keys in it and nothing else")
	var newest []string
	f.Func("newest", "`path` that shows how far the log had got: what is left of its old directory, a mirror, a checkpoint or a receipt; "+
		"may be given several times. "+unknown+": there is none, and you vouch that the log has published nothing since the backup", func(s string) error {
		newest = append(newest, s)
		return nil
	})
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	if len(newest) == 0 {
		return exitUsage, wrongUsage("how far had the log got? A log that goes on from an old backup has two histories, and everybody can prove it. " +
			"Name with --newest what is left of the old directory (its file called promise is enough), the newest mirror, checkpoint or receipt that anybody has, or " + unknown)
	}
	return restoreLog(ctx, e, f.Arg(0), *data, newest)
}

func restoreLog(ctx context.Context, e env, dir, data string, newest []string) (int, error) {
	o, keys, err := ownKeys(data)
	if err != nil {
		return exitFail, fmt.Errorf("the keys of the log, which are not in a backup, have to be in %s: %w", data, err)
	}
	var known []backup.KnownTree
	for _, path := range newest {
		if path == unknown {
			continue
		}
		one, err := backup.FromPath(path, o.Signer.Name(), keys...)
		if err != nil {
			return exitFail, err
		}
		known = append(known, one)
	}
	c, err := backup.Restore(ctx, dir, data, o, known, blobsOf, keys...)
	if err != nil {
		return exitFail, err
	}
	key, err := ledger.LoadKey(data)
	if err == nil {
		err = durable.Replace(filepath.Join(data, keyFile), []byte(key.Public+"\n"), os.FileMode(0o644))
	}
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of %s in %s\n", c.Size, c.Origin, data)
	fmt.Fprintf(e.err, "if the log has cosigners, serve it with its policy: they know how far it had got, and the server does not go on before enough of them have answered\n")
	return exitDone, nil
}
