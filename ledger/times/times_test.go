package times_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/times"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/clock"
	"github.com/pakli/pakli/protocol/wire"
)

// A time that is claimed for an entry which the marks do not enclose; a time that one keeper
// alone tells where two must; a span that the clocks do not show.
func TestTimes(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	anna := markstest.Keeper(t, "anna", func() time.Time { return now })
	bela := markstest.Keeper(t, "bela", func() time.Time { return now.Add(30 * time.Second) })
	keepers := []string{anna.VerifierKey.String(), bela.VerifierKey.String()}
	_, log := ledgertest.NewKey(t, "log", tlog.Ed25519)
	key := log.Verifier()
	m, tree := marks.New(key), new(tlog.Tree)
	add := func(entry []byte) {
		leaf := tlog.LeafHash(entry)
		m.Take(tree.Size(), leaf, entry)
		tree.Append(leaf)
	}
	mark := func(by ...*tlog.SignerKey) {
		c := testmust.Have(tlog.SignCheckpoint(tree.Size(), tree.Root(), log))(t)
		add(markstest.Mark(t, markstest.Cosign(t, c, key, by...)))
	}
	add([]byte("0"))
	mark(anna, bela) // 1
	add([]byte("2"))
	now = now.Add(100 * time.Second)
	mark(anna, bela) // 3
	now = now.Add(100 * time.Second)
	mark(anna) // 4
	add([]byte("5"))

	all := times.New(m, keepers)
	if after, by, known := all.Of(2); !known || after != 1_000_000 || by != 1_000_130 {
		t.Errorf("entry 2: %d to %d, %v", after, by, known)
	}
	for _, index := range []uint64{0, 5} {
		if _, _, known := all.Of(index); known {
			t.Errorf("entry %d has a time", index)
		}
	}
	if _, _, known := times.New(m, nil).Of(2); known {
		t.Error("nobody tells a time")
	}
	for _, c := range []struct {
		entry, end uint64
		quorum     int
		seconds    int64
	}{{0, 5, 2, 99}, {0, 5, 1, 199}, {0, 3, 2, 0}, {0, 2, 2, 0}, {0, 5, 0, 0}, {4, 5, 1, 0}, {0, 1, 1, 0}} {
		from, _, seconds := times.Between(m, c.entry, c.end, keepers, c.quorum)
		if seconds != c.seconds || from == (wire.Hash{}) && seconds != 0 {
			t.Errorf("%+v: %d seconds", c, seconds)
		}
	}
}

// many are marks at all odd indexes, each of all entries before it; verified counts who asks for one,
// and asked who looks at its time.
type many struct {
	places          []marks.Place
	verified, asked *int
}

func (m many) Places() []marks.Place { return m.places }

func (m many) Mark(h wire.Hash) (clock.Mark, error) {
	*m.verified++
	index := m.places[slices.IndexFunc(m.places, func(p marks.Place) bool { return p.Hash == h })].Index
	return clock.Mark{Index: index, Size: index, Time: func(string) (int64, bool) { *m.asked++; return int64(index), true }}, nil
}

// An event of many tables in a log of many marks, for each of which all of them are looked at; a
// server that verifies all marks of its log before it says anything of an event.
func TestManyMarks(t *testing.T) {
	verified, asked := 0, 0
	m := many{verified: &verified, asked: &asked}
	for i := range 1000 {
		m.places = append(m.places, marks.Place{Index: 2*uint64(i) + 1, Hash: wire.HashEntry([]byte{byte(i), byte(i >> 8)})})
	}
	all := times.New(m, []string{"anna"})
	for index := uint64(2); index < 1998; index += 2 {
		verified, asked = 0, 0
		around := all.Around(index)
		if at := int(index / 2); len(around) != 2 || around[0] != m.places[at-1].Hash || around[1] != m.places[at].Hash {
			t.Fatalf("entry %d: %v", index, around)
		}
		if asked > 2 || verified > 2 {
			t.Fatalf("entry %d: %d times were looked at, %d marks verified", index, asked, verified)
		}
	}
	verified = 0
	if from, to, seconds := times.Between(m, 500, 1500, []string{"anna"}, 1); from != m.places[250].Hash || to != m.places[749].Hash || seconds != 997 || verified > 2 {
		t.Errorf("between: %v %v, %d seconds, %d marks verified", from, to, seconds, verified)
	}
}
