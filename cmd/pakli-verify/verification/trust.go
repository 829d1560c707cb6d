package verification

import (
	"errors"
	"os"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
)

// trust is everything that is believed: keys of a log, and cosigners.
type trust struct {
	keys   []*tlog.VerifierKey
	policy *tlog.Policy
}

func (t *trust) addFlags(f *command.Flags) {
	f.Variable("log", "PAKLI_LOG", "policy")
	f.Func("log", "verifier `key` of the log: all that is trusted; may be repeated while the log changes keys", func(s string) error {
		k, err := tlog.ParseLogKey(s)
		t.keys = append(t.keys, k)
		return err
	})
	f.Func("policy", "`file` with the logs and cosigners that are trusted, and how many of them are wanted", func(s string) error {
		text, err := os.ReadFile(s)
		if err == nil {
			t.policy, err = tlog.ParsePolicy(text)
		}
		return err
	})
}

// completeKeys takes the keys from the policy if none are given.
func (t *trust) completeKeys() error {
	if len(t.keys) == 0 && t.policy != nil {
		for _, l := range t.policy.Logs {
			t.keys = append(t.keys, l.Key)
		}
	}
	if len(t.keys) == 0 {
		return errors.New("--log is missing: without the log's verifier key nothing can be believed")
	}
	return nil
}

func (t *trust) verifiers() []note.Verifier { return bundle.Keys{Log: t.keys}.Verifiers() }

// client returns a client of a log, or of another server with its checkpoint in the same place.
func (t *trust) client(base string) (*client.Client, error) {
	keys := t.verifiers()
	return client.New(base, keys[0], nil, keys[1:]...)
}

// catalogue returns all games and suites.
func catalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.LookupVerifier}
}
