package admission_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"golang.org/x/mod/sumdb/note"
)

// counted is a log that counts the entries it shows.
type counted struct {
	tlog.Log
	shown int
}

func (c *counted) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for e, err := range c.Log.Entries(ctx, start, end) {
			c.shown++
			if !yield(e, err) {
				return
			}
		}
	}
}

// opened opens admission with an index, and tells how much of the log it read.
func opened(t *testing.T, log tlog.Log, index string) (*admission.Admission, int) {
	t.Helper()
	c := &counted{Log: log}
	a := open(t, c, admission.Options{Index: index})
	return a, c.shown
}

// all is everything that admission says of its tables.
func all(t *testing.T, a *admission.Admission) (list []any) {
	t.Helper()
	for _, s := range a.Tables(0, 1<<20) {
		list = append(list, s)
		for _, e := range entries(t, a, s.ID) {
			list = append(list, e.Index, e.Hash)
		}
	}
	return list
}

// play posts so many entries of a new table.
func play(t *testing.T, a *admission.Admission, n int) *party {
	t.Helper()
	p := newParty(t, wire.RefuseFouls)
	post(t, a, p.genesis())
	for range n {
		entry := p.next()
		post(t, a, entry)
		p.applied(entry)
	}
	return p
}

// An index that leads to other tables than the log has would lead players into
// the past, or nowhere. With it, and without, everything must be the same.
func TestIndexSaysWhatTheLogSays(t *testing.T) {
	log, path := newMemory(t), filepath.Join(t.TempDir(), "index")
	for _, junk := range []string{"of nobody", "{}"} { // what no table has
		testmust.Have(log.Append(t.Context(), []byte(junk)))(t)
	}
	a, _ := opened(t, log, path)
	p := play(t, a, 3)
	play(t, a, 2)
	testmust.Do(t, a.SaveIndex(t.Context()))
	saved := int(size(t, log))
	more := p.next()
	post(t, a, more)
	p.applied(more)
	play(t, a, 1)

	want, read := opened(t, log, "")
	testmust.Requiref(t, read == int(size(t, log)), "read %d entries", read)
	got, read := opened(t, log, path)
	testmust.Equal(t, read, int(size(t, log))-saved, "read entries, of those after the index")
	w, g := all(t, want), all(t, got)
	testmust.Holdf(t, reflect.DeepEqual(w, g), "with the index\n%v, without\n%v", g, w)
	entry := p.next()
	post(t, got, entry)
}

// A file that is torn, rotten, of another log or of an older state must cost time
// and nothing else.
func TestIndexIsNotBelieved(t *testing.T) {
	log, path := newMemory(t), filepath.Join(t.TempDir(), "index")
	a, _ := opened(t, log, path)
	play(t, a, 3)
	testmust.Do(t, a.SaveIndex(t.Context()))
	good := testmust.Have(os.ReadFile(path))(t)
	want := all(t, a)
	n := int(size(t, log))
	try := func(what string, file []byte, log tlog.Log, want []any) {
		t.Helper()
		testmust.Do(t, os.WriteFile(path, file, 0o600))
		a, read := opened(t, log, path)
		testmust.Equal(t, read, int(size(t, log)), what, "only entries were read")
		got := all(t, a)
		testmust.Holdf(t, reflect.DeepEqual(got, want), "%s: %v, want %v", what, got, want)
	}
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		try("flipped", bad, log, want)
	}
	for _, cut := range []int{0, 1, 20, len(good) / 2, len(good) - 1} {
		try("torn", good[:cut], log, want)
	}
	// With a checksum that holds.
	sealed := func(b []byte) []byte {
		sum := sha256.Sum256(b)
		return append(b, sum[:]...)
	}
	body := good[:len(good)-sha256.Size]
	try("one owner short", sealed(bytes.Clone(body[:len(body)-1])), log, want)
	try("one owner more", sealed(append(bytes.Clone(body), 0)), log, want)
	try("an unknown owner", sealed(append(bytes.Clone(body[:len(body)-1]), 9)), log, want)
	other := newMemory(t)
	b := open(t, other, admission.Options{})
	play(t, b, n)
	try("of another log", good, other, all(t, b))
	short := newMemory(t)
	try("of a longer log", good, short, all(t, open(t, short, admission.Options{})))
}

// Owners that are wrong under a right checksum: a table without one of its
// messages would be played on from the past.
func TestIndexOfWrongOwners(t *testing.T) {
	log, path := newMemory(t), filepath.Join(t.TempDir(), "index")
	a, _ := opened(t, log, path)
	p := play(t, a, 2) // entries 0, 1, 2
	play(t, a, 0)      // entry 3
	testmust.Do(t, a.SaveIndex(t.Context()))
	b := testmust.Have(os.ReadFile(path))(t)
	body := b[:len(b)-sha256.Size]
	body[len(body)-1] = 1 // entry 3 is a genesis entry, of table 2
	body[len(body)-2] = 2 // entry 2 is of table 1
	sum := sha256.Sum256(body)
	testmust.Do(t, os.WriteFile(path, append(body, sum[:]...), 0o600))
	a, _ = opened(t, log, path)
	testmust.Fail(t, testmust.ErrorOf(a.Table(t.Context(), p.id())), "a table was replayed from the entries of others")
}

// An entry in doubt is perhaps in the log. An index that covers it and does not
// have it would hide it for ever.
func TestIndexWaitsForWhatIsInDoubt(t *testing.T) {
	inner, path := newMemory(t), filepath.Join(t.TempDir(), "index")
	log := &shaky{Log: inner}
	a := open(t, log, admission.Options{Index: path})
	p := play(t, a, 1)
	doubtful := p.next()
	log.fail(nil, errors.New("no answer"))
	testmust.Fail(t, testmust.ErrorOf(postAs(t.Context(), a, doubtful)), "an append without an answer was promised")
	testmust.Do(t, a.SaveIndex(t.Context()))
	_, err := os.Stat(path)
	testmust.Hold(t, os.IsNotExist(err), "an index was written that knows nothing of an entry of the log")
	post(t, a, doubtful)
	testmust.Do(t, a.SaveIndex(t.Context()))
	again, read := opened(t, inner, path)
	testmust.Equal(t, read, 0, "entries were read")
	testmust.Equal(t, len(entries(t, again, p.id())), 3, "entries of the table")
}

// withheld is a log that keeps one receipt back.
type withheld struct {
	tlog.Log
	entry          []byte
	taken, release chan struct{}
}

func (w *withheld) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	r, err := w.Log.Append(ctx, entry)
	if bytes.Equal(entry, w.entry) {
		close(w.taken)
		<-w.release
	}
	return r, err
}

// An index written while others begin tables must not name those that it does not
// cover: it would be good for nothing.
func TestIndexWhileTablesBegin(t *testing.T) {
	admission.SaveEvery(t, 2)
	inner, path := newMemory(t), filepath.Join(t.TempDir(), "index")
	slow, quick := newParty(t, wire.RefuseFouls), newParty(t, wire.RefuseFouls)
	log := &withheld{inner, slow.genesis(), make(chan struct{}), make(chan struct{})}
	a := open(t, log, admission.Options{Index: path})
	play(t, a, 0)
	done := make(chan error)
	go func() { _, err := postAs(t.Context(), a, slow.genesis()); done <- err }()
	<-log.taken
	post(t, a, quick.genesis()) // later in the log, and known before
	close(log.release)
	testmust.Do(t, <-done)
	wait(t, path)
	again, read := opened(t, inner, path)
	testmust.Equal(t, read, 1, "of 3 entries were read")
	for _, p := range []*party{slow, quick} {
		testmust.Equal(t, len(entries(t, again, p.id())), 1, "entries of a table")
	}
}

// What could not be written must not count as written.
func TestIndexThatCannotBeWritten(t *testing.T) {
	admission.SaveEvery(t, 1)
	directory := filepath.Join(t.TempDir(), "later")
	a := open(t, newMemory(t), admission.Options{Index: filepath.Join(directory, "index")})
	play(t, a, 2)
	testmust.Fail(t, a.SaveIndex(t.Context()), "saved where nothing can be")
	testmust.Do(t, os.Mkdir(directory, 0o700))
	testmust.Do(t, a.SaveIndex(t.Context()))
	wait(t, filepath.Join(directory, "index"))
}

// wait returns when there is a file.
func wait(t *testing.T, path string) {
	t.Helper()
	testmust.Until(t, "an index", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// dishonest returns a log of a whole game with what an operator and a cheater
// could have put between its entries. A foul is tried in every third.
func dishonest(t testing.TB, random *rand.Rand) (*memory, *party) {
	t.Helper()
	log, p := newMemory(t), newParty(t, wire.RefuseFouls)
	testmust.Do(t, p.Play(-1))
	foulAt := random.IntN(3 * len(p.Entries))
	for i, e := range p.Entries {
		for random.IntN(3) == 0 {
			old := p.Entries[random.IntN(i+1)]
			switch random.IntN(5) {
			case 0:
				log.put([]byte("rubbish"))
			case 1:
				log.put(old) // repeated
			case 2:
				log.put(p.Entries[random.IntN(len(p.Entries))]) // perhaps before its time
			case 3:
				log.put(old[:random.IntN(len(old))])
			case 4:
				if random.IntN(len(p.Entries)) > i && i > 1 {
					log.put(p.foul(p.Entries[1+random.IntN(i-1)])) // on a parent that is past
				}
			}
		}
		if i == foulAt && i > 0 {
			log.put(p.foul(e))
		}
		log.put(e)
	}
	return log, p
}

// A server whose replay differs from the verifier's would promise what is void,
// or refuse what is due.
func TestReplayIsTheVerifiers(t *testing.T) {
	fouls, logs := 0, 12
	if testmust.Thorough() {
		logs = 40
	}
	for seed := range uint64(logs) {
		log, p := dishonest(t, rand.New(rand.NewPCG(seed, 1)))
		report := testmust.Have(verifier.Verify(t.Context(), log, verifier.Options{Table: p.id(), Log: []note.Verifier{log.key}, Catalogue: catalogue}))(t)
		a := open(t, log, admission.Options{})
		applied, void := 0, 0
		var foul *admission.LoggedEntry
		for _, e := range entries(t, a, p.id())[1:] {
			switch {
			case e.Fault == nil:
				applied++
			case e.Fault.Class == table.Void && foul == nil:
				void++
			case e.Fault.Class == table.Foul:
				foul = &e
			}
		}
		if applied != report.Applied || void != report.Voided || (foul != nil) != (report.Verdict == verifier.Foul) {
			t.Errorf("log %d: %d applied, %d void, foul %v; the verifier says %d, %d, %s", seed, applied, void, foul != nil, report.Applied, report.Voided, report.Verdict)
			continue
		}
		if foul != nil {
			fouls++
			found := report.Findings[0]
			testmust.Holdf(t, foul.Index == *found.Index && foul.Fault.Seat == *found.Seat && foul.Fault.Check == found.Check,
				"log %d: foul %+v %v, the verifier says %+v", seed, foul.Entry, foul.Fault, found)
		}
	}
	testmust.Holdf(t, fouls != 0 && fouls != logs, "%d of %d logs have a foul: this tests less than it should", fouls, logs)
}

// Whatever is posted, admission must not panic, and the log must hold nothing
// but what was answered with a receipt.
func FuzzPost(f *testing.F) {
	p := newParty(f, wire.RefuseFouls)
	due := p.key(0)
	f.Add(p.genesis())
	f.Add(due)
	f.Add(p.foul(due))
	f.Add(p.forge(due, func(m *wire.Message) { m.Kind = wire.KindShuffle }))
	f.Add(p.forge(due, func(m *wire.Message) { m.Body = []byte(`{"key":""}`) }))
	f.Add(bytes.Replace(due, []byte(`"seat":0`), []byte(`"seat":1`), 1))
	f.Add([]byte(messageStart))
	f.Add([]byte(nil))
	f.Add(make([]byte, wire.MaxEntry+1))
	f.Fuzz(func(t *testing.T, entry []byte) {
		log := newMemory(t)
		a := open(t, log, admission.Options{})
		post(t, a, p.genesis())
		got, err := postAs(t.Context(), a, entry)
		testmust.Holdf(t, err == nil || size(t, log) == 1, "refused (%v), and stored", err)
		testmust.Hold(t, err != nil || got.Receipt.Verify(entry, log.key) == nil, "accepted without a receipt")
	})
}

const messageStart = `{"pakli":"message/v1","table":"`
