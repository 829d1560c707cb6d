package verifier_test

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// counted is a log that notes how much of it was read.
type counted struct {
	shown
	read *int
}

func (c counted) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range c.shown.Entries(ctx, start, end) {
			*c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

// A page that shows what is verified while it is, and is told of checks that the report
// has not, of an entry twice or not at all, or of everything at the end.
func TestSeen(t *testing.T) {
	for _, honest := range []bool{true, false} {
		sc := newScene(t, nil, 4, nil, 3)
		entries := slices.Clone(sc.Entries)
		if !honest { // of no table, and void
			entries = slices.Insert(entries, 20, []byte("x"), entries[10])
		}
		var read, first, late int
		var indexes []uint64
		outcomes := map[string]verifier.Outcome{}
		o := verifier.Options{Table: wire.HashEntry(entries[0]), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()}
		o.Seen = func(s verifier.Step) {
			if s.Check != nil {
				outcomes[string(s.Check.ID)] = s.Check.Outcome
				return
			}
			if indexes = append(indexes, s.Entry.Index); len(indexes) == 1 {
				first = read
			}
			late = read
		}
		watched := testmust.Have(verifier.Verify(t.Context(), counted{sc.log(t, entries), &read}, o))(t)
		o.Seen = nil
		alone, err := verifier.Verify(t.Context(), sc.log(t, entries), o)
		if err != nil || !reflect.DeepEqual(watched.Checks, alone.Checks) || watched.Headline() != alone.Headline() {
			t.Errorf("watched:\n%s\nalone: %v\n%s", watched.Headline(), err, alone.Headline())
		}
		for _, c := range alone.Checks {
			if got, told := outcomes[string(c.ID)]; c.Outcome != verifier.NotReached && got != c.Outcome || told && c.Outcome == verifier.NotReached {
				t.Errorf("%s: told %q, and is %q", c.ID, got, c.Outcome)
			}
		}
		want := make([]uint64, 0, len(entries))
		for i, e := range entries {
			if string(e) != "x" {
				want = append(want, uint64(i))
			}
		}
		if !slices.Equal(indexes, want) {
			t.Errorf("told of entries %v, of %d", indexes, len(want))
		}
		if first > len(entries)/2 || late != len(entries) {
			t.Errorf("told of the first entry after %d of %d", first, len(entries))
		}
	}
}
