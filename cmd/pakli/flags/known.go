package flags

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
)

// knownFile is the file with the keys that were taken on a server's word: a line for each server, its URL and its keys.
// The last line of a URL counts, so programs add lines at the same time and need no lock. Where there can be no such file,
// every server is new, every time.
func knownFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pakli", "known-logs")
}

// address is the server as a line of the file names it.
func (s *Server) address() string {
	u, err := url.Parse(strings.TrimRight(s.URL, "/"))
	if err != nil {
		return ""
	}
	return u.String()
}

// knownKeys are those that were taken from this server before; none: it is new.
func (s *Server) knownKeys() (keys []string) {
	text, _ := os.ReadFile(knownFile())
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == s.address() {
			keys = words[1:]
		}
	}
	return keys
}

// keepKeys keeps the keys that are believed, if there can be such a file.
func (s *Server) keepKeys() error {
	line := s.address()
	for _, k := range s.Keys {
		line += " " + k.String()
	}
	if err := os.MkdirAll(filepath.Dir(knownFile()), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(knownFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return cmp.Or(err, f.Close())
}

// isKnown is of a key that was taken from this server before.
func isKnown(known []string) func(*tlog.VerifierKey) bool {
	return func(k *tlog.VerifierKey) bool { return slices.Contains(known, k.String()) }
}

// changedKey says that the log is no longer that which was known.
func (s *Server) changedKey(before []string, now string) error {
	return fmt.Errorf("the log at %s is not signed with the key that it had when you first used this server.\n  then: %s\n  now:  %s\n"+
		"Somebody may be answering in its place; or its operator has changed the key, or begun another log: ask, and not over this connection. "+
		"If the new key is right, give it once with --log, and it is kept in place of the old one (in %s)", s.URL, strings.Join(before, " "), now, knownFile())
}
