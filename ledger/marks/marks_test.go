package marks_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// world is a log in memory with a keeper and a maker of marks.
type world struct {
	t      *testing.T
	log    *tlog.SignerKey
	keeper *tlog.SignerKey
	now    time.Time
	by     note.Signer
	vkey   string
	tree   tlog.Tree
	marks  *marks.Marks
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: time.Unix(1_000_000, 0)}
	w.log, w.keeper = w.key("log.example/cards", tlog.Ed25519), w.key("anna.example", tlog.Ed25519Cosignature)
	_, by := ledgertest.NewKey(t, "marks", tlog.Ed25519)
	w.by, w.vkey = by, by.Verifier().String()
	w.marks = marks.New(w.log.Verifier())
	return w
}

func (w *world) key(name string, a tlog.Algorithm) *tlog.SignerKey {
	skey, _, err := tlog.GenerateKey(rand.Reader, name, a)
	testmust.Do(w.t, err)
	return testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return w.now }))(w.t)
}

// add adds an entry, and returns its hash.
func (w *world) add(entry []byte) wire.Hash {
	leaf := tlog.LeafHash(entry)
	w.marks.Take(w.tree.Size(), leaf, entry)
	w.tree.Append(leaf)
	return wire.Hash(leaf)
}

// fill adds meaningless entries.
func (w *world) fill(n int) {
	for range n {
		w.add(fmt.Appendf(nil, "entry %d", w.tree.Size()))
	}
}

// checkpoint returns a checkpoint of the tree that the keeper has seen.
func (w *world) checkpoint(size uint64, root tlog.Hash, log *tlog.SignerKey) []byte {
	return testmust.Have(tlog.SignCheckpoint(size, root, log, w.keeper))(w.t).Note
}

func (w *world) mark(checkpoint []byte) []byte {
	return testmust.Have(wire.SignMark(checkpoint, w.vkey, w.by))(w.t)
}

// A good mark is not found, or gives another time than its keeper signed.
func TestGoodMark(t *testing.T) {
	w := newWorld(t)
	w.fill(300)
	c := w.checkpoint(w.tree.Size(), w.tree.Root(), w.log)
	w.fill(5)
	hash := w.add(w.mark(c))
	w.fill(1)
	w.add(w.mark(c)) // the same bytes again: the first place counts
	m := testmust.Have(w.marks.Mark(hash))(t)
	testmust.Holdf(t, m.Index == 305 && m.Size == 300, "index %d, size %d", m.Index, m.Size)
	for range 2 {
		got, ok := m.Time(w.keeper.String())
		testmust.Holdf(t, ok && got == w.now.Unix(), "time %d (%v), want %d", got, ok, w.now.Unix())
	}
	_, ok := m.Time(w.key("bela.example", tlog.Ed25519Cosignature).String())
	testmust.Hold(t, !ok, "a keeper who has not signed has a time")
	_, ok = m.Time(w.log.String())
	testmust.Hold(t, !ok, "the log's own signature is a time")
	testmust.Do(t, w.marks.Contradiction(tlog.Checkpoint{}))
}

// A mark gives a time to the wrong entries: it is of another log, of a size that the log did not
// have, of one too long ago, or has an invalid signature.
func TestVoidMarks(t *testing.T) {
	w := newWorld(t)
	w.fill(tlog.RecentSizes - 8)
	size, root := w.tree.Size(), w.tree.Root()
	good := w.checkpoint(size, root, w.log)
	early := w.checkpoint(1, tlog.LeafHash([]byte("entry 0")), w.log)
	forged := w.mark(good)
	forged[len(forged)-10] ^= 1
	for name, entry := range map[string][]byte{
		"of another log":              w.mark(w.checkpoint(size, root, w.key("log.example/cards", tlog.Ed25519))),
		"of a size that is not there": w.mark(w.checkpoint(size+100, root, w.log)),
		"signed by nobody":            forged,
		"no checkpoint":               w.mark([]byte("nothing\n")),
		"altered":                     w.mark(bytes.Replace(good, []byte(root.String()), []byte(tlog.EmptyRoot().String()), 1)),
	} {
		testmust.FailBy(t, testmust.ErrorOf(w.marks.Mark(w.add(entry))), keeper.ErrNoMark, name)
	}
	w.fill(int(tlog.RecentSizes + 1 - w.tree.Size()))
	testmust.Require(t, w.tree.Size() == tlog.RecentSizes+1, "the log is too long for this test")
	last := w.mark(early)
	testmust.Have(w.marks.Mark(w.add(last)))(t, "at the limit")
	another := w.mark(w.checkpoint(1, tlog.LeafHash([]byte("entry 0")), w.log))
	_, err := marks.ReadMark(tlog.RecentSizes+2, another, []note.Verifier{w.log.Verifier()})
	testmust.Fail(t, err, "a mark of a size more than 65,536 before it is good")
	testmust.Do(t, w.marks.Contradiction(tlog.Checkpoint{}), "a void mark convicts the log")
}

// A log signs a second history, logs a mark of it first, and is not convicted; or the wrong party is
// blamed if somebody else made the mark.
func TestForkedMark(t *testing.T) {
	w := newWorld(t)
	w.fill(300)
	hash := w.add(w.mark(w.checkpoint(200, tlog.LeafHash([]byte("another history")), w.log)))
	testmust.FailBy(t, w.marks.Contradiction(tlog.Checkpoint{Size: 301}), tlog.ErrForked, "two histories")
	testmust.FailBy(t, testmust.ErrorOf(w.marks.Mark(hash)), keeper.ErrNoMark, "the mark of another history is good")
}

// An extract shows some entries without the marks, and a reader believes that there are none.
func TestMarkNotShown(t *testing.T) {
	w := newWorld(t)
	entry := w.mark(w.checkpoint(0, tlog.EmptyRoot(), w.log))
	w.marks.Take(7, tlog.LeafHash(entry), entry)
	testmust.FailBy(t, testmust.ErrorOf(w.marks.Mark(wire.HashEntry(entry))), marks.ErrNotShown)
	w.marks.Add(7, entry)
	m, err := w.marks.Mark(wire.HashEntry(entry))
	testmust.Holdf(t, err == nil && m.Index == 7, "%+v: %v", m, err)
}

// A time is claimed for an entry that the marks do not enclose; one keeper alone gives a time where
// two must; a span is claimed that the clocks do not show.
func TestTimes(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	anna := markstest.NewKeeper(t, "anna", func() time.Time { return now })
	bela := markstest.NewKeeper(t, "bela", func() time.Time { return now.Add(30 * time.Second) })
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
		add(markstest.SignMark(t, markstest.Cosign(t, c, key, by...)))
	}
	add([]byte("0"))
	mark(anna, bela) // 1
	add([]byte("2"))
	now = now.Add(100 * time.Second)
	mark(anna, bela) // 3
	now = now.Add(100 * time.Second)
	mark(anna) // 4
	add([]byte("5"))

	all := bundle.NewTimes(m, keepers)
	after, by, known := all.TimesOf(2)
	testmust.Holdf(t, known && after == 1_000_000 && by == 1_000_130, "entry 2: %d to %d, %v", after, by, known)
	for _, index := range []uint64{0, 5} {
		_, _, known := all.TimesOf(index)
		testmust.Holdf(t, !known, "entry %d has a time", index)
	}
	_, _, known = bundle.NewTimes(m, nil).TimesOf(2)
	testmust.Hold(t, !known, "nobody tells a time")
	for _, c := range []struct {
		entry, end uint64
		quorum     int
		seconds    int64
	}{{0, 5, 2, 99}, {0, 5, 1, 199}, {0, 3, 2, 0}, {0, 2, 2, 0}, {0, 5, 0, 0}, {4, 5, 1, 0}, {0, 1, 1, 0}} {
		from, _, seconds := bundle.TimesBetween(m, c.entry, c.end, keepers, c.quorum)
		testmust.Holdf(t, seconds == c.seconds && (from != (wire.Hash{}) || seconds == 0), "%+v: %d seconds", c, seconds)
	}
}

// many has marks at all odd indexes, each of all entries before it. verified counts who requests a
// mark, and asked who reads its time.
type many struct {
	places          []marks.Place
	verified, asked *int
}

func (m many) Places() []marks.Place { return m.places }

func (m many) Mark(h wire.Hash) (keeper.Mark, error) {
	*m.verified++
	index := m.places[slices.IndexFunc(m.places, func(p marks.Place) bool { return p.Hash == h })].Index
	return keeper.Mark{Index: index, Size: index, Time: func(string) (int64, bool) { *m.asked++; return int64(index), true }}, nil
}

// An event of many tables in a log of many marks must not look at all marks for each table, and a
// server must not verify all marks of its log before it answers about an event.
func TestManyMarks(t *testing.T) {
	verified, asked := 0, 0
	m := many{verified: &verified, asked: &asked}
	for i := range 1000 {
		m.places = append(m.places, marks.Place{Index: 2*uint64(i) + 1, Hash: wire.HashEntry([]byte{byte(i), byte(i >> 8)})})
	}
	all := bundle.NewTimes(m, []string{"anna"})
	for index := uint64(2); index < 1998; index += 2 {
		verified, asked = 0, 0
		around := all.MarksAround(index)
		at := int(index / 2)
		testmust.Requiref(t, len(around) == 2 && around[0] == m.places[at-1].Hash && around[1] == m.places[at].Hash, "entry %d: %v", index, around)
		testmust.Requiref(t, asked <= 2 && verified <= 2, "entry %d: %d times were looked at, %d marks verified", index, asked, verified)
	}
	verified = 0
	if from, to, seconds := bundle.TimesBetween(m, 500, 1500, []string{"anna"}, 1); from != m.places[250].Hash || to != m.places[749].Hash || seconds != 997 || verified > 2 {
		t.Errorf("between: %v %v, %d seconds, %d marks verified", from, to, seconds, verified)
	}
}
