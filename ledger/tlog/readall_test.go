package tlog_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/pakli/pakli/ledger/tlog"
)

// shown are the entries that a log shows, and one blob for every hash.
type shown struct {
	tlog.Checkpoint
	entries []string
	blob    string
}

func (s shown) Entries(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range s.entries {
			if !yield([]byte(e), nil) {
				return
			}
		}
	}
}

func (s shown) Blob(context.Context, [sha256.Size]byte) ([]byte, error) { return []byte(s.blob), nil }

type source struct{ shown }

func (s source) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.shown.Checkpoint, nil }

// A log that shows fewer entries than it signed, or others, and passes for copied;
// one that shows fewer must not look broken.
func TestReadAll(t *testing.T) {
	var tree tlog.Tree
	for _, e := range []string{"a", "b", "c"} {
		tree.Append(tlog.LeafHash([]byte(e)))
	}
	c := tlog.Checkpoint{Size: 3, Root: tree.Root()}
	for _, test := range []struct {
		entries     []string
		ok, blaming bool
	}{
		{[]string{"a", "b", "c"}, true, false},
		{[]string{"a", "b"}, false, false},
		{[]string{"a", "b", "d"}, false, true},
		{[]string{"b", "a", "c"}, false, true},
	} {
		read := ""
		err := tlog.ReadAll(t.Context(), source{shown{c, test.entries, ""}}, c, func(e []byte, leaf tlog.Hash, so *tlog.Tree) error {
			if leaf != tlog.LeafHash(e) {
				t.Errorf("%s has another leaf hash", e)
			}
			read += fmt.Sprintf("%s%d", e, so.Size())
			return nil
		})
		if (err == nil) != test.ok || errors.Is(err, tlog.ErrBroken) != test.blaming {
			t.Errorf("%q: %v", test.entries, err)
		}
		if test.ok && read != "a1b2c3" {
			t.Errorf("shown were %s", read)
		}
	}
}

// A log that shows other bytes for a blob, or none at all.
func TestBlobsOf(t *testing.T) {
	sum := sha256.Sum256([]byte("blob"))
	for _, test := range []struct {
		of   any
		want error
	}{
		{source{shown{blob: "blob"}}, nil},
		{source{shown{blob: "lie"}}, tlog.ErrMalformed},
		{struct{}{}, tlog.ErrNoBlob},
	} {
		if _, err := tlog.BlobsOf(test.of).Blob(t.Context(), sum); !errors.Is(err, test.want) {
			t.Errorf("%v, want %v", err, test.want)
		}
	}
}
