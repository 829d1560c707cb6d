// Package flags has the flags that commands of pakli share: for the server and log, the seat file,
// the table or event, and the terms. It finds and opens what they name.
package flags

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// Server has the flags for a server and its log.
type Server struct {
	URL  string
	Keys []*tlog.VerifierKey // each may sign for the log; none: not asked yet
	Copy tiles.Directory     // directory with a copy of the log, from which its keys are known; "": none
}

// ServerOf declares the flags of a server and its log.
func ServerOf(f *command.Flags) *Server {
	s := LogOf(f)
	f.StringVar(&s.URL, "server", "http://127.0.0.1:8080", "`URL` of the server")
	f.Variable("server", "PAKLI_SERVER")
	return s
}

// LogOf declares the flags of a log whose place is an argument.
func LogOf(f *command.Flags) *Server {
	s := new(Server)
	f.Variable("log", "PAKLI_LOG", "policy")
	f.Func("log", "verifier `key` of the log; may be repeated while the log changes keys (default: the key that the server names at the first call, which is kept; no other is taken from it afterwards)", func(text string) error {
		k, err := tlog.ParseLogKey(text)
		if err != nil {
			err = fmt.Errorf("%w; want the whole line of the file log.vkey, name+hash+key", err)
		}
		if err == nil && len(s.Keys) > 0 && k.Name() != s.Keys[0].Name() {
			err = fmt.Errorf("a key of %q, and one of %q: they cannot be of one log", k.Name(), s.Keys[0].Name())
		}
		s.Keys = append(s.Keys, k)
		return err
	})
	return s
}

// Verifiers returns the keys for opening notes.
func (s *Server) Verifiers() []note.Verifier { return bundle.Keys{Log: s.Keys}.Verifiers() }

// Dial returns a client that trusts only the log's keys, one of which must have signed the server's
// checkpoint. Without --log, it takes the keys that the server names at the first call, and no others
// later. A given key replaces them.
func (s *Server) Dial(ctx context.Context, e command.Env) (*client.Client, error) {
	if err := checkURL(s.URL); err != nil {
		return nil, err
	}
	given := len(s.Keys) > 0
	before, err := s.knownKeys()
	if !given {
		if err != nil {
			return nil, err
		}
		if err := s.askKeys(ctx, before); err != nil {
			return nil, s.unreachable(err)
		}
	}
	c, err := s.NewClient()
	if err == nil {
		_, err = c.Checkpoint(ctx)
	}
	if errors.Is(err, tlog.ErrUnsigned) {
		return nil, s.otherLog(ctx, given, before)
	}
	if err != nil {
		return nil, s.unreachable(err)
	}
	if isNew := !slices.ContainsFunc(s.Keys, isKnown(before)); isNew && (before != nil || !given) {
		s.tellKeys(e, given, s.keepKeys())
	}
	return s.NewClient() // a new one, which has seen nothing yet
}

// NewClient returns a client that trusts the known keys.
func (s *Server) NewClient() (*client.Client, error) {
	keys := s.Verifiers()
	return client.New(s.URL, keys[0], nil, keys[1:]...)
}

// askKeys takes the keys that the server names. If keys were known before, some of them must be among
// these.
func (s *Server) askKeys(ctx context.Context, before []string) error {
	info, err := client.AskLog(ctx, s.URL, nil)
	if err != nil {
		return err
	}
	if s.Keys, err = info.Verifiers(); err != nil {
		return err
	}
	if now := s.LogKey(); before != nil {
		if s.Keys = slices.DeleteFunc(s.Keys, func(k *tlog.VerifierKey) bool { return !isKnown(before)(k) }); len(s.Keys) == 0 {
			return s.changedKey(before, now)
		}
	}
	if s.Copy != "" {
		if s.Keys, err = s.Copy.Signers(ctx, s.Keys); err != nil {
			return fmt.Errorf("%w; if this log has changed its key, name it with --log", err)
		}
	}
	return nil
}

// tellKeys reports which keys are believed from now on, and who vouches for them. --quiet does not
// silence that they are taken on the server's word, since nothing repeats it.
func (s *Server) tellKeys(e command.Env, given bool, unkept error) {
	if given {
		fmt.Fprintf(e.Err, "from now on the log at %s is known by %q\n", s.URL, s.LogKey())
		return
	}
	fmt.Fprintf(e.Loud(), "log key, as the server says: %q\n", s.LogKey())
	for _, k := range s.Keys[1:] {
		fmt.Fprintf(e.Loud(), "and another: %q\n", fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()))
	}
	if unkept != nil {
		fmt.Fprintf(e.Loud(), "It cannot be kept (%v): the next call believes the server again. Name it with --log.\n", unkept)
		return
	}
	fmt.Fprintln(e.Loud(), "From now on no other key is believed of this server.")
}

// otherLog returns the error for a server whose log is not that of --log, or not the known one.
func (s *Server) otherLog(ctx context.Context, given bool, before []string) error {
	if !given && before != nil {
		return s.changedKey(before, "none that it names has signed it")
	}
	says := ""
	if info, err := client.AskLog(ctx, s.URL, nil); err == nil {
		says = fmt.Sprintf(", which says that its key is %q", info.Key)
	}
	return fmt.Errorf("the key in --log (or in PAKLI_LOG, or in the policy), of %q, has not signed the log at %s%s: is it another server, or an old key?", s.Keys[0].Name(), s.URL, says)
}

// unreachable explains the error if no server answered.
func (s *Server) unreachable(err error) error {
	var refused *net.OpError
	if errors.As(err, &refused) {
		return fmt.Errorf("no server answers at %s: is it running, and is --server right? (%w)", s.URL, refused.Err)
	}
	if err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fmt.Errorf("the server at %s does not speak https: is http:// meant?", s.URL)
	}
	return err
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	if !strings.Contains(text, "://") && text != "" {
		return command.WrongUsage("%q has no scheme: is http://%s meant, or https://%s?", text, text, text)
	}
	return command.WrongUsage("%q is no URL of a server, as http://127.0.0.1:8080", text)
}

// ReadPolicy reads the policy in a file. It returns nil if no file is named.
func ReadPolicy(file string) (*tlog.Policy, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	policy, err := tlog.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return policy, nil
}

// LogKey returns the believed key of the log as it is written in offers.
func (s *Server) LogKey() string { return s.Keys[0].String() }
