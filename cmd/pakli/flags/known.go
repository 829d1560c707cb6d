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

// knownLogsFile is the file with the keys that were taken on a server's word: a line for each server, its address and its
// keys. The last line of an address counts, so programs add lines at the same time and need no lock.
func knownLogsFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "pakli", "known-logs"), err
}

// address is the one way in which a URL names a server, however it was typed; "" if it names none. It keeps no password.
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

// knownKeys are those that were taken from this server before; none: it is new. Every server is where there is no directory for
// such a file. A file that is there and says nothing is an error, or whoever makes it unreadable could name another key.
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

// keepKeys keeps the keys that are believed, if there can be such a file.
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
	_, err = f.WriteString("\n" + line + "\n") // the line before it may have no end
	return cmp.Or(err, f.Close())
}

// isKnown is of a key that was taken from this server before.
func isKnown(known []string) func(*tlog.VerifierKey) bool {
	return func(k *tlog.VerifierKey) bool { return slices.Contains(known, k.String()) }
}

// changedKey says that the log is no longer that which was known.
func (s *Server) changedKey(before []string, now string) error {
	file, _ := knownLogsFile() // in which they were known
	return fmt.Errorf("the log at %s is not signed with the key that it had when you first used this server.\n  then: %s\n  now:  %s\n"+
		"Somebody may be answering in its place; or its operator has changed the key, or begun another log: ask, and not over this connection. "+
		"If the new key is right, give it once with --log, and it is kept in place of the old one (in %s)", s.URL, strings.Join(before, " "), now, file)
}
