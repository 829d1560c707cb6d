package cosign_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

const logOrigin = "log.example/cards"

// house is a cosigner in a directory, with the log that it knows.
type house struct {
	t       testing.TB
	dir     string
	options cosign.CosignerOptions
	key     *tlog.VerifierKey
	lattice *tlog.VerifierKey
	log     *logHistory
	*cosign.Cosigner
}

func newHouse(t testing.TB) *house {
	t.Helper()
	_, logKey := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	_, nextKey := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	skey, own := ledgertest.NewKey(t, "cosigner.example", tlog.Ed25519Cosignature)
	latticeKey, lattice := ledgertest.NewKey(t, "cosigner.example", tlog.MLDSA44)
	h := &house{t: t, dir: t.TempDir(), key: own.Verifier(), lattice: lattice.Verifier(), log: newHistory(t, logKey)}
	h.options = cosign.CosignerOptions{
		Signers: []string{skey, latticeKey},
		Logs:    []tlog.PolicyLog{{Key: logKey.Verifier()}, {Key: nextKey.Verifier()}},
	}
	h.reopen()
	t.Cleanup(func() { h.Close() })
	return h
}

func (h *house) reopen() {
	h.t.Helper()
	if h.Cosigner != nil {
		h.Close()
	}
	c := testmust.Have(cosign.OpenCosigner(h.dir, h.options))(h.t)
	h.Cosigner = c
}

func (h *house) post(body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/add-checkpoint", bytes.NewReader(body)))
	return w
}

// want posts a request, and checks the status of the answer and its cosignatures.
func (h *house) want(status int, a tlog.AddCheckpoint) *httptest.ResponseRecorder {
	h.t.Helper()
	w := h.post(a.Marshal())
	testmust.Requiref(h.t, w.Code == status, "old %d: status %d (%q), want %d", a.Old, w.Code, w.Body, status)
	if status == http.StatusOK {
		c := testmust.Have(tlog.ParseCheckpoint(a.Checkpoint))(h.t)
		for _, k := range []*tlog.VerifierKey{h.key, h.lattice} {
			_, at, err := c.AddCosignatures(w.Body.Bytes(), k)
			testmust.Requiref(h.t, err == nil && !at.IsZero(), "answer %q: time %v, %v", w.Body, at, err)
		}
	}
	return w
}

// wantSize checks that the cosigner answers that the last size it cosigned is size.
func (h *house) wantSize(a tlog.AddCheckpoint, size uint64) {
	h.t.Helper()
	w := h.want(http.StatusConflict, a)
	if got := w.Header().Get("Content-Type"); got != "text/x.tlog.size" || w.Body.String() != fmt.Sprintf("%d\n", size) {
		h.t.Errorf("conflict: %q of type %q, want %d", w.Body, got, size)
	}
}

// file returns the name of the file with the state of the cosigner's log.
func (h *house) file() string {
	h.t.Helper()
	files := testmust.Have(filepath.Glob(filepath.Join(h.dir, "*.checkpoint")))(h.t)
	testmust.Requiref(h.t, len(files) == 1, "kept are %v", files)
	return files[0]
}

// A log grows, and its cosigner follows over restarts.
func TestGrowth(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(300)
	h.want(http.StatusOK, h.log.RequestSince(0, 0))
	h.want(http.StatusOK, h.log.RequestSince(0, 7))
	h.want(http.StatusOK, h.log.RequestSince(7, 7))
	h.wantSize(h.log.RequestSince(0, 256), 7)
	h.reopen()
	h.wantSize(h.log.RequestSince(0, 256), 7)
	h.want(http.StatusOK, h.log.RequestSince(7, 7)) // whose answer was lost
	h.want(http.StatusOK, h.log.RequestSince(7, 256))
	h.want(http.StatusOK, h.log.RequestSince(256, 257))
	h.reopen()
	h.want(http.StatusOK, h.log.RequestSince(257, 300))
}

// A refused request leaves the state unchanged.
func TestRefused(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(20)
	h.want(http.StatusOK, h.log.RequestSince(0, 10))
	branch := h.log.BranchAt(9).Grow(11)
	good := h.log.RequestSince(10, 20)
	_, stranger := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	_, otherLog := ledgertest.NewKey(t, "other.example/log", tlog.Ed25519)
	forged := newHistory(t, stranger).Grow(20)
	foreign := newHistory(t, otherLog).Grow(20)
	with := func(change func(*tlog.AddCheckpoint)) tlog.AddCheckpoint {
		a := good
		a.Hashes = append([]tlog.Hash(nil), a.Hashes...)
		change(&a)
		return a
	}
	for what, c := range map[string]struct {
		status int
		a      tlog.AddCheckpoint
	}{
		"another history":             {422, branch.RequestSince(10, 20)},
		"another history, our proof":  {422, with(func(a *tlog.AddCheckpoint) { a.Checkpoint = branch.CheckpointAt(20).Note })},
		"another root, same size":     {422, branch.RequestSince(10, 10)},
		"no proof":                    {422, with(func(a *tlog.AddCheckpoint) { a.Hashes = nil })},
		"a hash too many":             {422, with(func(a *tlog.AddCheckpoint) { a.Hashes = append(a.Hashes, tlog.Hash{}) })},
		"a bit of the proof":          {422, with(func(a *tlog.AddCheckpoint) { a.Hashes[0][0] ^= 1 })},
		"proof from nothing":          {409, h.log.RequestSince(0, 20)},
		"a smaller tree":              {409, h.log.RequestSince(4, 9)},
		"a smaller tree, old as here": {400, with(func(a *tlog.AddCheckpoint) { a.Checkpoint = h.log.CheckpointAt(9).Note })},
		"an unknown key":              {403, forged.RequestSince(10, 20)},
		"an unknown log":              {404, foreign.RequestSince(10, 20)},
		"unsigned":                    {400, with(func(a *tlog.AddCheckpoint) { a.Checkpoint = bytes.Split(a.Checkpoint, []byte("— "))[0] })},
		"too many hashes":             {400, with(func(a *tlog.AddCheckpoint) { a.Hashes = make([]tlog.Hash, 64) })},
		"a megabyte":                  {413, with(func(a *tlog.AddCheckpoint) { a.Checkpoint = make([]byte, 1<<20) })},
	} {
		w := h.post(c.a.Marshal())
		testmust.Holdf(t, w.Code == c.status && !bytes.Contains(w.Body.Bytes(), []byte("—")), "%s: status %d (%q), want %d", what, w.Code, w.Body, c.status)
	}
	for what, body := range map[string]string{"empty": "", "no old": "\n\n", "old -1": "old -1\n\n" + string(good.Checkpoint), "hash": "old 10\nxx\n\n" + string(good.Checkpoint)} {
		testmust.Equal(t, h.post([]byte(body)).Code, http.StatusBadRequest, what, "status")
	}
	h.reopen()
	h.want(http.StatusOK, good)
}

// Two histories are shown at the same time, repeatedly, and one of them wins.
func TestTwoHistoriesAtOnce(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(60)
	branches := []*logHistory{h.log, h.log.BranchAt(20).Grow(40)}
	h.want(http.StatusOK, h.log.RequestSince(0, 20))
	won := make([]uint64, 2)
	var both sync.WaitGroup
	for i, b := range branches {
		both.Go(func() {
			for size := uint64(21); size <= 60; size++ {
				last := max(won[i], 20)
				if h.post(b.RequestSince(last, size).Marshal()).Code == http.StatusOK {
					won[i] = size
				}
			}
		})
	}
	both.Wait()
	testmust.Holdf(t, (won[0] == 0) != (won[1] == 0), "cosigned up to %v of two histories, want one of them", won)
}

// Monitors see a checkpoint only after it was cosigned.
func TestMonitoring(t *testing.T) {
	h := newHouse(t)
	sum := sha256.Sum256([]byte(logOrigin))
	path := "/" + hex.EncodeToString(sum[:]) + "/checkpoint"
	get := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	if w := get("GET", path); w.Code != http.StatusNotFound {
		t.Errorf("before the first: %d %q", w.Code, w.Body)
	}
	h.log.Grow(5)
	h.want(http.StatusOK, h.log.RequestSince(0, 5))
	h.reopen()
	w := get("GET", path)
	c := testmust.Have(tlog.OpenCheckpoint(w.Body.Bytes(), h.options.Logs[0].Key))(t)
	testmust.Have(c.CosignedAt(h.key))(t)
	testmust.Have(c.CosignedAt(h.lattice))(t)
	testmust.Holdf(t, w.Code == http.StatusOK && c.Size == 5, "status %d, size %d", w.Code, c.Size)
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/add-checkpoint", 405}, {"POST", path, 405}, {"GET", "/", 404}, {"GET", "/../../x/checkpoint", 404},
		{"GET", "/" + strings.Repeat("0", 64) + "/checkpoint", 404}, {"DELETE", "/add-checkpoint", 405},
	} {
		testmust.Equal(t, get(c.method, c.path).Code, c.want, c.method, c.path)
	}
}

// A stranger's signature on the log's checkpoint is not passed on.
func TestStrangersAreNotKept(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(3)
	_, stranger := ledgertest.NewKey(t, "stranger.example", tlog.Ed25519)
	c := h.log.CheckpointAt(3)
	n := testmust.Have(note.Open(c.Note, note.VerifierList(h.options.Logs[0].Key)))(t)
	more := testmust.Have(note.Sign(n, stranger))(t)
	h.want(http.StatusOK, tlog.AddCheckpoint{Checkpoint: more})
	file := h.file()
	b, err := os.ReadFile(file)
	testmust.Holdf(t, err == nil && !bytes.Contains(b, []byte("stranger")), "kept %q, %v", b, err)
}

// A disk refuses the checkpoint, so there is no cosignature. When the disk works again, the history
// is the same.
func TestDiskFails(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(30)
	branch := h.log.BranchAt(15).Grow(15)
	h.want(http.StatusOK, h.log.RequestSince(0, 10))
	// A directory in place of the file makes the write fail.
	file := h.file()
	testmust.Do(t, os.Rename(file, file+".aside"))
	testmust.Do(t, os.MkdirAll(filepath.Join(file, "x"), 0o755))
	w := h.want(http.StatusInternalServerError, h.log.RequestSince(10, 20))
	testmust.Holdf(t, !strings.Contains(w.Body.String(), h.dir) && !strings.Contains(w.Body.String(), "—"), "answer %q", w.Body)
	testmust.Do(t, os.RemoveAll(file))
	testmust.Do(t, os.Rename(file+".aside", file))
	h.want(http.StatusOK, branch.RequestSince(10, 20)) // 20 of the first history was never cosigned
	h.reopen()
	h.want(http.StatusUnprocessableEntity, h.log.RequestSince(20, 30))
	h.want(http.StatusOK, branch.RequestSince(20, 30))
}

// The state is not as this cosigner wrote it.
func TestDamagedState(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(5)
	h.want(http.StatusOK, h.log.RequestSince(0, 5))
	file := h.file()
	good := testmust.Have(os.ReadFile(file))(t)
	h.Close()
	own := bytes.Index(good, []byte("— cosigner.example"))
	for what, b := range map[string][]byte{
		"empty": {}, "cut short": good[:own-20], "without a cosignature": good[:own], "another size": bytes.Replace(good, []byte("\n5\n"), []byte("\n4\n"), 1),
	} {
		testmust.Do(t, os.WriteFile(file, b, 0o644))
		if c, err := cosign.OpenCosigner(h.dir, h.options); err == nil {
			t.Errorf("%s: opened", what)
			c.Close()
		}
	}
	// Any bit of the text, or of the cosigner's own signature on it, is changed.
	for i := range own + 80 {
		if i >= bytes.Index(good, []byte("\n\n")) && i < own {
			continue
		}
		b := bytes.Clone(good)
		b[i] ^= 1
		testmust.Do(t, os.WriteFile(file, b, 0o644))
		if c, err := cosign.OpenCosigner(h.dir, h.options); err == nil {
			t.Errorf("bit of byte %d: opened", i)
			c.Close()
		}
	}
}

// Two processes use one directory, or a key is no cosigner's key.
func TestOpenRefuses(t *testing.T) {
	h := newHouse(t)
	testmust.FailBy(t, testmust.ErrorOf(cosign.OpenCosigner(h.dir, h.options)), cosign.ErrLocked, "a second time")
	logKey, _ := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	for _, keys := range [][]string{nil, {"x"}, {logKey}} {
		if c, err := cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: keys}); err == nil {
			t.Errorf("keys %d: opened", len(keys))
			c.Close()
		}
	}
}

// A clock that is set back must not date a larger tree before a smaller one.
func TestClockBack(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(20)
	now := time.Unix(2_000_000_000, 0)
	h.options.Clock = func() time.Time { return now }
	h.reopen()
	at := func(a tlog.AddCheckpoint) time.Time {
		c := testmust.Have(tlog.ParseCheckpoint(a.Checkpoint))(t)
		_, at, err := c.AddCosignatures(h.want(http.StatusOK, a).Body.Bytes(), h.key)
		testmust.Do(t, err)
		return at
	}
	first := at(h.log.RequestSince(0, 10))
	now = now.Add(-time.Hour)
	h.reopen()
	second := at(h.log.RequestSince(10, 20))
	testmust.Holdf(t, !second.Before(first) && first.Equal(time.Unix(2_000_000_000, 0)), "size 10 at %v, size 20 at %v", first, second)
	// A restart must not forget a later cosignature of the same tree.
	now = now.Add(3 * time.Hour)
	again := at(h.log.RequestSince(20, 20))
	now = now.Add(-time.Hour)
	h.reopen()
	h.log.Grow(1)
	last := at(h.log.RequestSince(20, 21))
	testmust.Holdf(t, !last.Before(again), "size 20 at %v, size 21 at %v", again, last)
}

// While a log changes keys, either key is accepted.
func TestLogChangesKeys(t *testing.T) {
	h := newHouse(t)
	_, first := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	_, second := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	h.options.Logs = []tlog.PolicyLog{{Key: first.Verifier()}, {Key: second.Verifier()}}
	h.reopen()
	for i, keys := range [][]note.Signer{{first}, {first, second}, {second, first}, {second}} {
		log := newHistory(t, keys...).Grow(10)
		h.want(http.StatusOK, log.RequestSince(uint64(i), uint64(i+1)))
	}
}

// A request still in progress when the next process owns the directory must not be answered from
// older state.
func TestSignsNothingAfterClose(t *testing.T) {
	h := newHouse(t)
	h.log.Grow(5)
	h.want(http.StatusOK, h.log.RequestSince(0, 5))
	other := h.log.BranchAt(5).Grow(3)
	h.log.Grow(3)
	before := *h
	h.reopen()
	h.want(http.StatusOK, h.log.RequestSince(5, 8))
	before.want(http.StatusServiceUnavailable, other.RequestSince(5, 8))
	before.want(http.StatusServiceUnavailable, h.log.RequestSince(5, 8))
}

// A logHistory is a log in memory that can branch, with a tree from an independent implementation.
// Its methods may be called concurrently.
type logHistory struct {
	t       testing.TB
	signers []note.Signer

	mu   sync.Mutex
	name string
	tree *merkle.Tree
}

// newHistory returns an empty history of the log of these signers.
func newHistory(t testing.TB, signers ...note.Signer) *logHistory {
	return &logHistory{t: t, signers: signers, name: "entry", tree: merkle.New(rfc6962.DefaultHasher)}
}

// Grow appends n entries.
func (h *logHistory) Grow(n int) *logHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	for range n {
		h.tree.AppendData(fmt.Appendf(nil, "%s %d", h.name, h.tree.Size()))
	}
	return h
}

// BranchAt returns another history with the same first size entries and different later ones.
func (h *logHistory) BranchAt(size uint64) *logHistory {
	h.mu.Lock()
	defer h.mu.Unlock()
	other := newHistory(h.t, h.signers...)
	for i := range size {
		other.tree.Append(h.tree.LeafHash(i))
	}
	other.name = h.name + "'"
	return other
}

// Size returns the number of entries.
func (h *logHistory) Size() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tree.Size()
}

// CheckpointAt returns the signed checkpoint of the first size entries.
func (h *logHistory) CheckpointAt(size uint64) tlog.Checkpoint {
	h.t.Helper()
	h.mu.Lock()
	root := tlog.Hash(h.tree.HashAt(size))
	h.mu.Unlock()
	c, err := tlog.SignCheckpoint(size, root, h.signers[0], h.signers[1:]...)
	testmust.Do(h.t, err)
	return c
}

// RequestSince returns the request to cosign the tree of size, after old.
func (h *logHistory) RequestSince(old, size uint64) tlog.AddCheckpoint {
	h.t.Helper()
	return tlog.AddCheckpoint{Old: old, Hashes: h.Proof(old, size), Checkpoint: h.CheckpointAt(size).Note}
}

// Proof returns the hashes of the consistency proof from old to size.
func (h *logHistory) Proof(old, size uint64) (hashes []tlog.Hash) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	proof, err := h.tree.ConsistencyProof(old, size)
	testmust.Do(h.t, err)
	for _, b := range proof {
		hashes = append(hashes, tlog.Hash(b))
	}
	return hashes
}
