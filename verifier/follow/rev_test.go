package follow_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/verifier/follow"
)

// Two signed checkpoints of one size and two roots, both larger than what is
// believed, neither tree shown: 82.2 (1) says two notes are all that is needed.
func TestRevTwoUnprovenOfOneSize(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("c", 10)...)
	a := newLog(k, append(filler("c", 10), filler("a", 90)...)...)
	b := newLog(k, append(filler("c", 10), filler("b", 90)...)...)
	gossip := l.shows
	w := open(t, l, t.TempDir(), hears("anna", &gossip))
	w.calm()
	l.shows = a.shows // and its tiles are withheld: l has 10 entries
	gossip = b.shows
	for i := 0; i < 3; i++ {
		err := w.Step(t.Context())
		if _, ok := errors.AsType[*follow.Equivocation](err); ok {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
	}
	un, _ := filepath.Glob(filepath.Join(w.dir, "unproven", "*"))
	t.Errorf("no evidence though both notes are on disk: %d unproven; notices:\n%s", len(un), strings.Join(w.notices, "\n"))
}

// Same with a policy, all tiles shown: the log shows an uncosigned head of one size, gossip another.
func TestRevTwoUncosignedOfOneSize(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	l := newLog(k, filler("c", 10)...)
	l.shows = cosign(l.shows)
	gossip := l.shows
	w := open(t, l, t.TempDir(), hears("anna", &gossip), func(o *follow.Options) { o.Policy = policy })
	w.calm()
	b := newLog(k, append(filler("c", 10), filler("b", 90)...)...)
	gossip = b.shows
	l.grow(filler("a", 90)...)
	for i := 0; i < 3; i++ {
		err := w.Step(t.Context())
		if _, ok := errors.AsType[*follow.Equivocation](err); ok {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		w.now = w.now.Add(time.Hour)
	}
	un, _ := filepath.Glob(filepath.Join(w.dir, "unproven", "*"))
	t.Errorf("no evidence though both notes are on disk: %d unproven; notices:\n%s", len(un), strings.Join(w.notices, "\n"))
}

func cosignerAt(t *testing.T, when time.Time) (func(tlog.Checkpoint) tlog.Checkpoint, string) {
	skey, vkey, err := tlog.GenerateKey(rand.Reader, "evil.example", tlog.Ed25519Cosignature)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tlog.ParseSignerKey(skey, func() time.Time { return when })
	if err != nil {
		t.Fatal(err)
	}
	return func(c tlog.Checkpoint) tlog.Checkpoint {
		text, _, _ := strings.Cut(string(c.Note), "\n\n")
		signed, err := note.Sign(&note.Note{Text: text + "\n"}, s)
		if err == nil {
			c, _, err = c.Cosign(bytes.TrimPrefix(signed, []byte(text+"\n\n")), s.Verifier())
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}, vkey
}

// One cosigner of two (any), dishonest: its timestamp is in the year 300000.
func TestRevCosignerOfTheFarFuture(t *testing.T) {
	k := newKey(t, "log.example")
	evil, vkey := cosignerAt(t, time.Unix(1<<43, 0))
	_, good, err := tlog.GenerateKey(rand.Reader, "good.example", tlog.Ed25519Cosignature)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := tlog.ParsePolicy([]byte("witness evil " + vkey + "\nwitness good " + good + "\ngroup g any evil good\nquorum g\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, clear.Suite{}, 1)
	l := newLog(k, p.Entries...)
	l.shows = evil(l.shows)
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.Policy = policy })
	for i := 0; i < 2; i++ {
		if err := w.Step(t.Context()); err != nil {
			t.Errorf("step %d: %v; verdicts %q", i, err, w.verdicts)
		}
	}
	w.Close()
	w = open(t, l, w.dir, func(o *follow.Options) { o.Policy = policy })
	if err := w.Step(t.Context()); err != nil {
		t.Errorf("after a restart: %v; verdicts %q", err, w.verdicts)
	}
}

// A state begun without a policy, gone on with one: what is reported as L4.
func TestRevPolicyLater(t *testing.T) {
	k := newKey(t, "log.example")
	_, policy := cosigner(t)
	p := play(t, clear.Suite{}, 1)
	l := newLog(k, p.Entries...)
	// entries withheld at first: believed without policy, not read
	l.lie = func(tl tlog.Tile, data []byte) ([]byte, error) {
		if tl.Level == tlog.EntriesLevel {
			return nil, errors.New("later")
		}
		return data, nil
	}
	dir := t.TempDir()
	w := open(t, l, dir)
	w.step()
	w.Close()
	l.lie = nil
	var told []string
	w = open(t, l, dir, func(o *follow.Options) { o.Policy = policy; f := o.Tell; o.Tell = func(e follow.Event) { f(e); if e.Verdict != nil { told = append(told, e.Verdict.String()) } } })
	w.step()
	for _, s := range told {
		if strings.Contains(s, "L4-cosigners   passed") {
			t.Errorf("no cosigner has seen it, and:\n%s", s)
		}
	}
	t.Logf("%q %q", w.verdicts, w.notices)
}

// many tables in play at once
func TestRevThrash(t *testing.T) {
	k := newKey(t, "log.example")
	for _, c := range [][2]int{{30, 64}, {60, 64}, {70, 64}, {140, 64}} {
		var hist [][][]byte
		for i := 0; i < c[0]; i++ {
			hist = append(hist, play(t, clear.Suite{}, uint64(1000+i)).Entries)
		}
		l := newLog(k, interleave(hist...)...)
		w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxLive = c[1] })
		start := time.Now()
		w.step()
		n, ent := 0, 0
		for path, a := range l.asked {
			n += a
			if strings.Contains(path, "entries") {
				ent += a
			}
		}
		t.Logf("%d tables in play, %d live: %d entries, %v, %d tiles fetched, of them %d bundles; %d verdicts", c[0], c[1], len(l.entries), time.Since(start).Round(time.Millisecond), n, ent, len(w.verdicts))
		w.Close()
	}
}

func TestRevAbandoned(t *testing.T) {
	k := newKey(t, "log.example")
	foul := cheat(t, play(t, clear.Suite{}, 1))
	var rest [][]byte
	for i := 0; i < 4; i++ {
		rest = append(rest, play(t, clear.Suite{}, uint64(10+i)).Entries[0])
	}
	all := append(slices.Clone(foul[:len(foul)-1]), rest...)
	all = append(all, foul[len(foul)-1])
	l := newLog(k, all...)
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.MaxOpen = 4; o.MaxLive = 4 })
	w.step()
	fmt.Println("abandoned: foul", w.Foul(), "unchecked", w.Unchecked(), "doubtful", w.Doubtful(), w.notices, w.verdicts)
	if !w.Foul() && !w.Doubtful() {
		t.Errorf("a table was given up (and is foul), and --once would say 0")
	}
	_ = os.Stdout
}
