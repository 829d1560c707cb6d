package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
)

// server is the flags that name a server and its log.
type server struct {
	url  string
	keys []*tlog.VerifierKey // a signature of any of them is the log's; none: not asked yet
	copy mirror.Dir          // where the log is copied to, and its keys are known from; "": nowhere
}

func (s *server) register(f *flag.FlagSet) {
	f.StringVar(&s.url, "server", "http://127.0.0.1:8080", "URL of the server")
	s.registerKeys(f)
}

func (s *server) registerKeys(f *flag.FlagSet) {
	f.Func("log", "verifier key of the log; may be repeated while the log changes keys (default: what the server says, which trusts it once)", func(text string) error {
		k, err := tlog.ParseLogKey(text)
		if err == nil && len(s.keys) > 0 && k.Name() != s.keys[0].Name() {
			err = fmt.Errorf("a key of %q, and one of %q: they cannot be of one log", k.Name(), s.keys[0].Name())
		}
		s.keys = append(s.keys, k)
		return err
	})
}

// verifiers are the keys as a note is opened with them.
func (s *server) verifiers() []note.Verifier { return bundle.Keys{Log: s.keys}.Verifiers() }

// dial returns a client that believes the log's keys and nothing else. Without a
// key it takes those that the server says.
func (s *server) dial(ctx context.Context, e env) (*client.Client, error) {
	if len(s.keys) == 0 {
		info, err := client.Ask(ctx, s.url, nil)
		if err != nil {
			return nil, err
		}
		if s.keys, err = info.Verifiers(); err != nil {
			return nil, err
		}
		fmt.Fprintf(e.err, "log key, as the server says: %q\n", s.keys[0])
		for _, k := range s.keys[1:] {
			fmt.Fprintf(e.err, "and another: %q\n", fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()))
		}
		if s.copy != "" {
			if s.keys, err = s.copy.Signers(ctx, s.keys); err != nil {
				return nil, fmt.Errorf("%w; if this log has changed its key, name it with --log", err)
			}
		}
	}
	keys := s.verifiers()
	return client.New(s.url, keys[0], nil, keys[1:]...)
}

// away reports whether err is a server's or a network's passing trouble: the
// same bytes may be posted again (docs/spec/70-http.md, 70.3.3). A server that is behind
// what it has shown is, too: one of several behind one address may be.
func away(err error) bool {
	var unreachable *url.Error
	var problem *client.Problem
	var behind *client.RollbackError
	return errors.As(err, &unreachable) || errors.As(err, &behind) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &problem) && (problem.Status >= 500 || errors.Is(problem, tlog.ErrRange))
}
