package verification

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// openSource opens a URL, a directory or a bundle.
func openSource(ctx context.Context, a arguments, source string) (tlog.EntryReader, error) {
	if strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") {
		return openURL(ctx, a, source)
	}
	info, err := os.Stat(source)
	switch {
	case err == nil && info.IsDir():
		return tiles.Directory(source), nil
	case err == nil && info.Mode().IsRegular():
		return openTable(source)
	}
	return nil, fmt.Errorf("%s is no URL, no directory and no file", source)
}

// openURL opens a log. If cosignatures are wanted, it reads the log as its cosigners have seen it;
// other people's logs have no separate place for that.
func openURL(ctx context.Context, a arguments, url string) (tlog.EntryReader, error) {
	if a.policy != nil {
		c, err := a.client(strings.TrimRight(url, "/") + "/cosigned")
		if err != nil {
			return nil, err
		}
		_, err = c.Checkpoint(ctx)
		if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusNotFound {
			return c, nil // reading it reports the error, if any
		}
	}
	return a.client(url)
}

func openTable(name string) (bundle.Reader, error) {
	b, err := openBundle(name)
	if err == nil && b.Event != (wire.Hash{}) {
		err = fmt.Errorf("%s is the bundle of event %s: verify it with its tables, by --event and their directory", name, b.Event)
	}
	return b, err
}

func openBundle(name string) (bundle.Reader, error) {
	file, err := durable.ReadFile(name, bundle.MaxSize)
	if err != nil {
		return bundle.Reader{}, err
	}
	b, err := bundle.Parse(file)
	if err != nil {
		return bundle.Reader{}, fmt.Errorf("%s: %w", name, err)
	}
	return bundle.Reader{Bundle: b}, nil
}

// tableOf returns the table to verify: the named one, or that of a bundle.
func tableOf(src tlog.EntryReader, named wire.Hash) (wire.Hash, error) {
	b, ok := src.(bundle.Reader)
	if !ok {
		return named, nil
	}
	if named != b.Table && named != (wire.Hash{}) {
		return wire.Hash{}, fmt.Errorf("the bundle is of table %s", b.Table)
	}
	return b.Table, nil
}

// isFile reports whether a source is a bundle and not a whole log.
func isFile(source string) bool {
	info, err := os.Stat(source)
	return err == nil && info.Mode().IsRegular()
}

// showKeys reports which of the user's keys have signed a bundle, and which other keys it names. Only
// the user's keys are believed.
func showKeys(src tlog.EntryReader, a arguments) {
	b, ok := src.(bundle.Reader)
	if !ok {
		return
	}
	for _, k := range b.Keys.Log {
		said := "the bundle names the log key %s, which is not the one that was given: it counts for nothing\n"
		if slices.ContainsFunc(a.keys, func(v *tlog.VerifierKey) bool { return v.String() == k.String() }) {
			said = "the file is signed with the key that was given: %s\n"
		}
		fmt.Fprintf(a.notices, said, k)
	}
	for _, k := range b.Keys.Cosigners {
		said := "the bundle names the cosigner %s, which is not in the policy: it counts for nothing\n"
		if a.policy != nil && slices.ContainsFunc(a.policy.Cosigners, func(c tlog.PolicyCosigner) bool { return c.Key.String() == k.String() }) {
			said = "the file is signed by a cosigner of the policy: %s\n"
		}
		fmt.Fprintf(a.notices, said, k)
	}
}
