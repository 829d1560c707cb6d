package follow_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/follow"
)

// cosigner is anna, with a policy that requires her.
func cosigner(t *testing.T) (func(tlog.Checkpoint) tlog.Checkpoint, *tlog.Policy) {
	t.Helper()
	skey, vkey, err := tlog.GenerateKey(rand.Reader, "anna.example", tlog.Ed25519Cosignature)
	testmust.Do(t, err)
	s := testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return time.Unix(2_000_000_000, 0) }))(t)
	p := testmust.Have(tlog.ParsePolicy([]byte("witness anna " + vkey + "\nquorum anna\n")))(t)
	return func(c tlog.Checkpoint) tlog.Checkpoint {
		text, _, _ := strings.Cut(string(c.Note), "\n\n")
		signed, err := note.Sign(&note.Note{Text: text + "\n"}, s)
		if err == nil {
			c, _, err = c.AddCosignatures(bytes.TrimPrefix(signed, []byte(text+"\n\n")), s.Verifier())
		}
		testmust.Do(t, err)
		return c
	}, p
}

// A Follower does not believe a checkpoint without cosigners, and tells no table in it. It still
// compares the checkpoint with later ones, and the checkpoint is evidence like any other.
func TestCosigned(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	wanted := func(o *follow.Options) { o.Policy = policy }
	p := play(t, clear.Suite{}, 1)
	l := newLog(k, filler("a", 10)...)
	l.shows = cosign(l.shows)
	w := open(t, l, t.TempDir(), wanted)
	w.calm()

	l.grow(p.Entries...)
	alone := l.shows
	w.step()
	w.wantVerdicts()
	testmust.Holdf(t, w.BelievedCheckpoint().Size == 10 && w.HasDoubts(), "believed %d: %q", w.BelievedCheckpoint().Size, w.notices)
	l.shows = cosign(alone) // the same tree
	w.calm()
	w.wantVerdicts("Sound.")
	testmust.Holdf(t, w.BelievedCheckpoint().Size == alone.Size, "believed %d", w.BelievedCheckpoint().Size)

	honest := l.entries
	other := newLog(k, append(slices.Clone(honest[:20]), filler("b", 100)...)...)
	l.shows = other.shows // larger, of another history, and not cosigned
	w.step()
	w.innocent()
	l.grow(filler("more", 200)...)
	l.shows = cosign(l.shows)
	w.broken(k)
}

// After more checkpoints without cosigners than a Follower keeps, it still believes the one that is
// cosigned at last.
func TestManyUncosigned(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	l := newLog(k, filler("a", 100)...)
	last := l.shows
	l.shows = cosign(l.sign(1))
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.Policy = policy })
	w.calm()
	for size := 2; size < 80; size++ {
		l.shows = l.sign(size)
		testmust.Do(t, w.Hear(l.shows))
	}
	w.step()
	testmust.Requiref(t, w.BelievedCheckpoint().Size == 1, "believed %d", w.BelievedCheckpoint().Size)
	l.shows = cosign(last)
	w.calm()
	kept, _ := filepath.Glob(filepath.Join(w.dir, "unproven", "*"))
	testmust.Holdf(t, w.BelievedCheckpoint().Size == 100 && len(kept) == 0, "believed %d, kept %q", w.BelievedCheckpoint().Size, kept)
}

// A state begins without a policy and with unread entries, and continues with one. The Follower tells
// nothing before the cosigners have seen the checkpoint, or a larger one that extends it. A
// checkpoint that does not extend it is still evidence.
func TestPolicyLater(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	p := play(t, clear.Suite{}, 1)
	begun := func() (*log, *watch) {
		l := newLog(k, p.Entries...)
		l.lie = func(tile tlog.Tile, data []byte) ([]byte, error) {
			if tile.Level == tlog.EntriesLevel {
				return nil, errors.New("later")
			}
			return data, nil
		}
		w := open(t, l, t.TempDir())
		w.step()
		w.Close()
		l.lie = nil
		w = open(t, l, w.dir, func(o *follow.Options) { o.Policy = policy })
		w.step()
		w.wantVerdicts()
		testmust.Hold(t, w.HasDoubts(), "nobody has cosigned, and nothing is in doubt")
		return l, w
	}

	l, w := begun()
	l.shows = cosign(l.shows)
	w.calm()
	w.wantVerdicts("Sound.")
	b, err := os.ReadFile(filepath.Join(w.dir, "checkpoint"))
	testmust.Holdf(t, err == nil && bytes.Equal(b, l.shows.Note), "believed without its cosignature: %v %s", err, b)

	l, w = begun()
	l.grow(filler("more", 100)...)
	l.shows = cosign(l.shows)
	w.calm()
	w.wantVerdicts("Sound.")

	l, w = begun()
	*l = *newLog(k, filler("another", 100)...)
	l.shows = cosign(l.shows)
	w.broken(k)
}

// Two histories without cosigners each extend the believed one. Their sizes are equal, or differ and
// the log shows the tiles of the larger one.
func TestForkOfUncosigned(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	begin := filler("common", 10)
	for _, sizes := range [][2]int{{90, 90}, {90, 300}, {300, 90}} {
		a, b := newLog(k, append(begin, filler("a", sizes[0])...)...), newLog(k, append(begin, filler("b", sizes[1])...)...)
		l := newLog(k, begin...)
		l.shows = cosign(l.shows)
		gossip := l.shows
		w := open(t, l, t.TempDir(), hears("bela", &gossip), func(o *follow.Options) { o.Policy = policy })
		w.calm()
		*l = *a
		w.step()
		w.innocent()
		testmust.Holdf(t, w.BelievedCheckpoint().Size == 10, "believed %d", w.BelievedCheckpoint().Size)
		gossip = b.shows
		if sizes[1] > sizes[0] {
			*l = *b
		}
		w.broken(k)
	}
}

// Many checkpoints without cosigners arrive one after another. The Follower compares each pair once,
// and steps without news request no tile.
func TestUncosignedAreComparedOnce(t *testing.T) {
	k := newKey(t, "log.example")
	cosign, policy := cosigner(t)
	l := newLog(k, filler("a", 600)...)
	l.shows = cosign(l.sign(1))
	w := open(t, l, t.TempDir(), func(o *follow.Options) { o.Policy = policy })
	w.calm()
	for size := 560; size <= 600; size++ {
		l.shows = l.sign(size)
		w.step()
	}
	l.asked = map[string]int{}
	w.step()
	testmust.Hold(t, len(l.asked) <= 0, "asked for again", l.asked)
}

// A claim names marks that the log does not have. It must not keep a Follower, from the start of the
// claim's table or later, from the verdict that everybody else reaches.
func TestClaimByNoMarks(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := markstest.New(t, game, tabletest.Config{Seats: 3, Suite: clear.Suite{}}, 70, nil)
	p.PlayMoves(4, 0)
	late, other := p.LateSeat()
	entries := append(p.Entries, p.Act(other, wire.KindTimeout, p.Clock(late).Claim), p.ByOrganiser(wire.KindClose, wire.CloseBody{}))
	for _, first := range []int{len(entries), 3} {
		l, dir := newLog(newKey(t, "log.example"), entries[:first]...), t.TempDir()
		w := open(t, l, dir)
		w.calm()
		if first < len(entries) {
			w.Close()
			l.grow(entries[first:]...)
			w = open(t, l, dir)
			w.calm()
		}
		w.calm()
		w.wantVerdicts("Adjudicated.")
		w.Close()
	}
}

// patientSource is a client with time limits short enough for a test.
type patientSource struct{ *client.Client }

func (s patientSource) Checkpoint(ctx context.Context, above uint64) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	return s.ShownCheckpoint(ctx, above, 0)
}

func (s patientSource) Tile(ctx context.Context, tile tlog.Tile) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	return s.Client.Tile(ctx, tile)
}

// ServeHTTP shows the log under /log.
func (l *log) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/log/checkpoint" {
		w.Write(l.shows.Note)
		return
	}
	tile, err := tlog.ParseTilePath(strings.TrimPrefix(r.URL.Path, "/log/"))
	if err == nil {
		var data []byte
		if data, err = l.tile(tile); err == nil {
			w.Write(data)
			return
		}
	}
	http.NotFound(w, r)
}

// A server trickles, never ends, or answers with garbage or errors, for checkpoints and tiles. The
// Follower does not accuse the log, and believes nothing.
func TestHostileServer(t *testing.T) {
	k := newKey(t, "log.example")
	honest := newLog(k, filler("a", 300)...)
	hostile := map[string]http.HandlerFunc{
		"trickles": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		},
		"never ends": func(w http.ResponseWriter, r *http.Request) {
			for err := error(nil); err == nil; _, err = w.Write(make([]byte, 1<<16)) {
			}
		},
		"garbage": func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("\x00\xff—\n\n— ")) },
		"500":     func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) },
		"404":     http.NotFound,
		"silent":  func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	for name, lie := range hostile {
		for _, at := range []string{"/log/checkpoint", "/log/tile/"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				t.Parallel()
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, at) {
						lie(w, r)
						return
					}
					honest.ServeHTTP(w, r)
				}))
				defer web.Close()
				defer web.CloseClientConnections()
				c := testmust.Have(client.New(web.URL+"/log", k.key, nil))(t)
				told := []string{}
				f := testmust.Have(follow.Open(t.Context(), patientSource{c}, t.TempDir(), follow.Options{
					Log: []*tlog.VerifierKey{k.key}, Catalogue: catalogue, Now: time.Now, Patience: time.Hour,
					Tell: func(e follow.Event) { told = append(told, e.Text) },
				}))(t)
				defer f.Close()
				err := f.Step(t.Context())
				testmust.Holdf(t, err == nil && f.HasDoubts() && !f.ToldFoul(), "%v %q", err, told)
				read, _ := f.ReadSoFar()
				testmust.Holdf(t, read == 0, "%d entries read", read)
			})
		}
	}
}
