package readers_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/transparency-dev/formats/log"
	formats "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/api/layout"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/protocol/table"
)

const origin = "log.example/pakli"

// site is a log over HTTP, with the entries appended to it.
type site struct {
	t       *testing.T
	log     *ledger.Ledger
	url     string
	key     note.Verifier
	fetch   *client.HTTPFetcher
	entries [][]byte

	// lie changes answers, if it is set.
	lie atomic.Pointer[func(path string, body []byte) []byte]
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	key := testmust.Have(ledger.Begin(dir, origin, badgerstore.Options{}, rand.Reader))(t)
	s := &site{t: t, log: testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}))(t)}
	t.Cleanup(func() { s.log.Close() })
	tables := testmust.Have(admission.Open(t.Context(), s.log, table.Catalogue{}, admission.Options{}))(t)
	server := httpapi.New(httpapi.Options{Log: s.log, Tiles: s.log, Admission: tables, Key: key.Public})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lie := s.lie.Load()
		if lie == nil {
			server.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		got := httptest.NewRecorder()
		server.ServeHTTP(got, r)
		w.WriteHeader(got.Code)
		_, _ = w.Write((*lie)(r.URL.Path, got.Body.Bytes()))
	}))
	t.Cleanup(web.Close)
	s.url = web.URL
	s.key = testmust.Have(note.NewVerifier(key.Public))(t)
	base := testmust.Have(url.Parse(web.URL + "/"))(t)
	s.fetch = testmust.Have(client.NewHTTPFetcher(base, nil))(t)
	return s
}

// grow appends entries of different lengths until there are size, in several
// batches, and returns the checkpoint as transparency-dev/formats reads it.
func (s *site) grow(size int) *log.Checkpoint {
	s.t.Helper()
	type appended struct {
		index uint64
		entry []byte
		err   error
	}
	all := make(chan appended, size)
	first := len(s.entries)
	for i := first; i < size; i++ {
		go func() {
			entry := append(fmt.Appendf(nil, "entry %d ", i), bytes.Repeat([]byte{byte(i)}, i%700)...)
			r, err := s.log.Append(context.Background(), entry)
			all <- appended{r.Index, entry, err}
		}()
	}
	s.entries = append(s.entries, make([][]byte, size-first)...)
	for i := first; i < size; i++ {
		a := <-all
		testmust.Require(s.t, a.err == nil, a.err)
		s.entries[a.index] = a.entry
	}
	raw := testmust.Have(s.fetch.ReadCheckpoint(s.t.Context()))(s.t)
	c, rest, n, err := log.ParseCheckpoint(raw, origin, s.key)
	testmust.Requiref(s.t, err == nil && c.Size == uint64(size) && len(rest) == 0 && len(n.Sigs) == 1,
		"checkpoint %q: size %d, want %d; %d bytes more, %v", raw, c.Size, size, len(rest), err)
	return c
}

// hashLeaves reads a bundle as Tessera does.
func hashLeaves(bundle []byte) ([][]byte, error) {
	var b api.EntryBundle
	if err := b.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	var list [][]byte
	for _, e := range b.Entries {
		list = append(list, rfc6962.DefaultHasher.HashLeaf(e))
	}
	return list, nil
}

// sizes are where tiles begin, end, and get a level.
var sizes = []int{1, 2, 255, 256, 257, 511, 513, 700}

// A monitor that follows a log with Tessera's client must find every tile of
// every checkpoint, and the proofs it builds from them must hold.
func TestTesseraClientFollows(t *testing.T) {
	s := newSite(t)
	var follower *client.LogStateTracker
	var before *log.Checkpoint
	for _, size := range sizes {
		c := s.grow(size)
		if follower == nil {
			follower = testmust.Have(client.NewLogStateTracker(t.Context(), s.fetch.ReadTile, nil, s.key, origin, client.UnilateralConsensus(s.fetch.ReadCheckpoint)))(t)
		} else if _, _, _, err := follower.Update(t.Context()); err != nil || follower.Latest().Size != c.Size {
			t.Errorf("size %d: followed to %d, %v", size, follower.Latest().Size, err)
		}
		b := testmust.Have(client.NewProofBuilder(t.Context(), c.Size, s.fetch.ReadTile))(t)
		for i := 0; i < size; i += 1 + size/50 {
			path := testmust.Have(b.InclusionProof(t.Context(), uint64(i)))(t)
			err := proof.VerifyInclusion(rfc6962.DefaultHasher, uint64(i), c.Size, rfc6962.DefaultHasher.HashLeaf(s.entries[i]), path, c.Hash)
			testmust.Holdf(t, err == nil, "entry %d of %d: %v", i, size, err)
		}
		if before != nil {
			path := testmust.Have(b.ConsistencyProof(t.Context(), before.Size, c.Size))(t)
			err := proof.VerifyConsistency(rfc6962.DefaultHasher, before.Size, c.Size, path, before.Hash, c.Hash)
			testmust.Do(t, err, "from", before.Size, "to", c.Size)
		}
		before = c
	}
	s.checkStream()
}

// checkStream reads all entries with Tessera's stream.
func (s *site) checkStream() {
	s.t.Helper()
	size := uint64(len(s.entries))
	unbundle := func(b []byte) ([][]byte, error) {
		var e api.EntryBundle
		err := e.UnmarshalText(b)
		return e.Entries, err
	}
	sizeOf := func(context.Context) (uint64, error) { return size, nil }
	n := uint64(0)
	for e, err := range client.Entries(client.EntryBundles(s.t.Context(), 2, sizeOf, s.fetch.ReadEntryBundle, 0, size), unbundle) {
		testmust.Do(s.t, err)
		testmust.Holdf(s.t, e.Index == n && bytes.Equal(e.Entry, s.entries[n]), "entry %d: %d bytes at %d", n, len(e.Entry), e.Index)
		n++
	}
	testmust.Equal(s.t, n, size, "entries of")
}

// Tessera's fsck finds a log whose checkpoint, tiles and bundles belong to different trees; ours
// passes at every size.
func TestTesseraFsck(t *testing.T) {
	s := newSite(t)
	check := func() error {
		return fsck.New(origin, s.key, s.fetch, hashLeaves, fsck.Opts{N: 2}).Check(t.Context())
	}
	for _, size := range sizes {
		s.grow(size)
		testmust.Do(t, check(), "size", size)
	}
	for _, path := range []string{"/tile/0/000", "/tile/1/000.p/2", "/tile/entries/001", "/tile/entries/002.p/188", "/checkpoint"} {
		flip := func(at string, b []byte) []byte {
			if at == path {
				b = bytes.Clone(b)
				b[len(b)-2] ^= 1
			}
			return b
		}
		s.lie.Store(&flip)
		testmust.Fail(t, check(), "with a flipped bit in", path, "fsck finds nothing")
	}
}

// A stranger must be able to copy the whole log into a Tessera log on disk, with Tessera's migration,
// which compares the roots. There fsck must find a log with our checkpoint.
func TestTesseraMirrors(t *testing.T) {
	s := newSite(t)
	c := s.grow(700)
	home := t.TempDir()
	driver := testmust.Have(posix.New(t.Context(), posix.Config{Path: home}))(t)
	target := testmust.Have(tessera.NewMigrationTarget(t.Context(), driver, tessera.NewMigrationOptions()))(t)
	testmust.Do(t, target.Migrate(t.Context(), 2, c.Size, c.Hash, s.fetch.ReadEntryBundle))
	raw := testmust.Have(s.fetch.ReadCheckpoint(t.Context()))(t)
	testmust.Do(t, os.WriteFile(filepath.Join(home, layout.CheckpointPath), raw, 0o644))
	err := fsck.New(origin, s.key, client.FileFetcher{Root: home}, hashLeaves, fsck.Opts{N: 2}).Check(t.Context())
	testmust.Do(t, err)
}

// transparency-dev must read receipts as C2SP tlog-proofs, byte for byte, and accept them.
func TestReceiptsAreTLogProofs(t *testing.T) {
	s := newSite(t)
	s.grow(300)
	for i := 0; i < 300; i += 23 {
		raw := s.get(fmt.Sprintf("/v1/entries/%d/receipt", i))
		var p formats.TLogProof
		testmust.Do(t, p.Unmarshal(raw))
		testmust.Holdf(t, bytes.Equal(p.Marshal(), raw) && p.Index == uint64(i) && p.ExtraData == nil, "receipt %q", raw)
		c, _, _, err := log.ParseCheckpoint(p.Checkpoint, origin, s.key)
		testmust.Do(t, err)
		var path [][]byte
		for _, h := range p.Hashes {
			path = append(path, h[:])
		}
		err = proof.VerifyInclusion(rfc6962.DefaultHasher, p.Index, c.Size, rfc6962.DefaultHasher.HashLeaf(s.entries[i]), path, c.Hash)
		testmust.Holdf(t, err == nil, "entry %d: %v", i, err)
	}
}

func (s *site) get(path string) []byte {
	s.t.Helper()
	return testmust.Have(s.fetchPath(path))(s.t)
}

func (s *site) fetchPath(path string) ([]byte, error) {
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/plain, */*;q=0.5") // the formats of C2SP
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: %d %s", path, resp.StatusCode, b))
	}
	return b, err
}

// tiles reads our tiles for golang.org/x/mod/sumdb/tlog. Its paths name the
// height of tiles; those of C2SP do not, since it is always 8.
type tiles struct{ *site }

func (t tiles) Height() int { return layout.TileHeight }

func (t tiles) ReadTiles(list []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range list {
		b, err := t.fetchPath("/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		data = append(data, b)
	}
	return data, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// The Go command's own reader of logs must read our tiles, and detect wrong ones.
func TestSumdbReads(t *testing.T) {
	s := newSite(t)
	c := s.grow(600)
	tree := tlog.Tree{N: int64(c.Size), Hash: tlog.Hash(c.Hash)}
	read := tlog.TileHashReader(tree, tiles{s})
	for i := int64(0); i < tree.N; i += 37 {
		p := testmust.Have(tlog.ProveRecord(tree.N, i, read))(t)
		testmust.Do(t, tlog.CheckRecord(p, tree.N, tree.Hash, i, tlog.RecordHash(s.entries[i])), "entry", i)
		old := testmust.Have(tlog.TreeHash(i+1, read))(t)
		grown := testmust.Have(tlog.ProveTree(tree.N, i+1, read))(t)
		testmust.Do(t, tlog.CheckTree(grown, tree.N, tree.Hash, i+1, old), "from size", i+1)
	}
	flip := func(path string, b []byte) []byte {
		if path == "/tile/0/001" {
			b = bytes.Clone(b)
			b[5] ^= 1
		}
		return b
	}
	s.lie.Store(&flip)
	_, err := tlog.ProveRecord(tree.N, 300, read)
	testmust.Fail(t, err, "a flipped bit in a tile leads to a proof")
}
