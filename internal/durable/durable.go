// Package durable replaces files so that no crash leaves half of one, and reads regular ones of a bounded size (regular.go).
//
// It promises of [Replace]: at any instant, over the death of the process and a
// loss of power, the path holds what it held before or the new content, whole.
// When Replace returns without an error it is the new content for good, with the
// mode that was asked for. The order that makes it so is the usual one of POSIX:
// write under another name, fsync, rename, fsync of the directory.
//
// The other name is new each time, so that writers of one path do not meet, and
// nothing that lies there already can lend the file its mode or lead it elsewhere
// by a link. What an interrupted Replace has left is told by its name, is never
// taken for the file, and is removed by [Sweep].
//
// It does not decide who may write: of two that replace a path at once, one wins.
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

// part is between the name of a file and a random word while it is written.
const part = ".part-"

// wordSize is the length of rand.Text.
const wordSize = 26

// Replace writes a whole file. Its mode is perm, before the umask.
func Replace(path string, data []byte, perm fs.FileMode) error {
	next := path + part + rand.Text()
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if wrong, is := errors.AsType[*fs.PathError](err); is {
		wrong.Path = path // and not the other name, of which nobody knows
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

// SyncDirectory makes durable which files a directory has. Windows refuses it of a directory; NTFS has a journal of names.
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

// LeftoverOf reports whether a file of this name is what an interrupted Replace
// has left, and of which file.
func LeftoverOf(name string) (of string, yes bool) {
	at := strings.LastIndex(name, part)
	if at < 1 || len(name) != at+len(part)+wordSize {
		return "", false
	}
	return name[:at], true
}

// Sweep removes from a directory what interrupted calls of Replace have left of
// the files that mine accepts by name; nil accepts all. The caller sees to it that
// no one is replacing them.
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
