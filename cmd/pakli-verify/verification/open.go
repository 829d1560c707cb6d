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

// openSource tells a URL from a directory and from a bundle.
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

// openURL reads a log. If cosigners are wanted it reads it as they have seen it;
// logs of others have no such place.
func openURL(ctx context.Context, a arguments, url string) (tlog.EntryReader, error) {
	if a.policy != nil {
		c, err := a.client(strings.TrimRight(url, "/") + "/cosigned")
		if err != nil {
			return nil, err
		}
		_, err = c.Checkpoint(ctx)
		if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusNotFound {
			return c, nil // which shows what is wrong, if something is
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

// tableOf returns the table to verify: a bundle has one, and needs none to be named.
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

// isFile tells a bundle from what shows a whole log.
func isFile(source string) bool {
	info, err := os.Stat(source)
	return err == nil && info.Mode().IsRegular()
}

// showKeys says which keys of the user's have signed a bundle, and which others it names. What is
// believed are the user's, whatever a bundle says.
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
