package flags

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
)

// knownLogsFile returns the file with the keys taken on a server's word: a line for each server with
// its address and keys. The last line of an address counts, so programs can append lines at the same
// time without a lock.
func knownLogsFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "pakli", "known-logs"), err
}

// address returns the canonical form of a server's URL without a password, or "" if the text names no
// server.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if port := u.Port(); port != "" && port != usual {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return (&url.URL{Scheme: u.Scheme, Host: host, Path: strings.TrimRight(u.Path, "/")}).String()
}

// IsAt reports whether a URL names this server.
func (s *Server) IsAt(url string) bool { return address(s.URL) == address(url) }

// knownKeys returns the keys that were taken from this server before, or none if it is new. Without a
// directory for the file every server is new. A file that cannot be read is an error: otherwise
// somebody could make it unreadable and name another key.
func (s *Server) knownKeys() (keys []string, err error) {
	file, err := knownLogsFile()
	if err != nil {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the keys of servers that you have used before cannot be read: %w.\n"+
			"Without them nobody can tell whether this server is still the same: make that file readable, or give the log's key with --log", err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && s.IsAt(words[0]) {
			keys = words[1:]
		}
	}
	return keys, nil
}

// keepKeys appends the believed keys to the file, if there can be one.
func (s *Server) keepKeys() error {
	file, err := knownLogsFile()
	if err != nil {
		return err
	}
	line := address(s.URL)
	for _, k := range s.Keys {
		line += " " + k.String()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + line + "\n") // the line before may lack its end
	return cmp.Or(err, f.Close())
}

// isKnown returns a function that reports whether a key is among the known ones.
func isKnown(known []string) func(*tlog.VerifierKey) bool {
	return func(k *tlog.VerifierKey) bool { return slices.Contains(known, k.String()) }
}

// changedKey returns the error for a log whose key has changed.
func (s *Server) changedKey(before []string, now string) error {
	file, _ := knownLogsFile() // the file that has the old key
	return fmt.Errorf("the log at %s is not signed with the key that it had when you first used this server.\n  then: %s\n  now:  %s\n"+
		"Somebody may be answering in its place; or its operator has changed the key, or begun another log: ask, and not over this connection. "+
		"If the new key is right, give it once with --log, and it is kept in place of the old one (in %s)", s.URL, strings.Join(before, " "), now, file)
}
