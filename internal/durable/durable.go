// Package durable replaces files so that no crash leaves half of one, and reads regular ones of a
// bounded size (regular.go).
//
// [Replace] promises: at any instant, even if the process dies or power fails, the path holds either
// the old content or the new, whole. Once Replace has returned nil, it holds the new content for
// good, with the requested mode. This rests on the usual order of POSIX: write under another name,
// fsync, rename, fsync of the directory.
//
// The other name is new each time, so that writers of one path do not meet, and no existing file or
// link can lend it a mode or lead it elsewhere. The remainder of an interrupted Replace is recognised
// by its name, is never taken for the file, and is removed by [Sweep].
//
// The package does not decide who may write: of two concurrent writers of a path, one wins.
package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// part separates the name of a file from a random word while the file is written.
const part = ".part-"

// wordSize is the length of rand.Text.
const wordSize = 26

// Replace writes a whole file with mode perm, before the umask.
func Replace(path string, data []byte, perm fs.FileMode) error {
	next := path + part + rand.Text()
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if wrong, is := errors.AsType[*fs.PathError](err); is {
		wrong.Path = path // the other name means nothing to anybody
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return SyncDirectory(filepath.Dir(path))
}

// SyncDirectory makes the names in a directory durable. On Windows, which cannot sync a directory, it
// does nothing; NTFS has a journal of names.
func SyncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// LeftoverOf reports whether a name is that of an interrupted Replace's remainder, and of which file.
func LeftoverOf(name string) (of string, yes bool) {
	at := strings.LastIndex(name, part)
	if at < 1 || len(name) != at+len(part)+wordSize {
		return "", false
	}
	return name[:at], true
}

// Sweep removes the remainders of interrupted calls of Replace from a directory, for those files that
// mine accepts by name; a nil mine accepts all. No such file may be being replaced.
func Sweep(dir string, mine func(name string) bool) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		of, yes := LeftoverOf(f.Name())
		if !yes || mine != nil && !mine(of) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
