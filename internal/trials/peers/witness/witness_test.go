package witness_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/tessera/client"
	whttp "github.com/transparency-dev/witness/client/http"
	"github.com/transparency-dev/witness/config"
	"github.com/transparency-dev/witness/omniwitness"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
)

const origin = "log.example/pakli"

// patience limits every wait. It does not measure speed.
const patience = time.Minute

// createLog makes a log and closes it.
func createLog(t *testing.T) (dir string, key ledger.Key) {
	t.Helper()
	dir = t.TempDir()
	return dir, testmust.Have(ledger.Begin(dir, origin, badgerstore.Options{}, rand.Reader))(t)
}

func openLog(t *testing.T, dir string, key ledger.Key) *ledger.Ledger {
	t.Helper()
	l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// grow appends entries that contain a word.
func grow(t *testing.T, l *ledger.Ledger, word string, n int) {
	t.Helper()
	for i := range n {
		testmust.Have(l.Append(t.Context(), fmt.Appendf(nil, "%s %d", word, i)))(t)
	}
}

// theirs runs an independent witness with an Ed25519 and an ML-DSA-44 key, which knows one log, and
// returns a policy that requires both.
func theirs(t *testing.T, log ledger.Key) *tlog.Policy {
	t.Helper()
	skey, vkey, err := tlog.GenerateKey(rand.Reader, "witness.example", tlog.Ed25519Cosignature)
	testmust.Do(t, err)
	latticeKey, latticeVKey, err := f_note.GenerateMLDSAKey("witness.example")
	testmust.Do(t, err)
	signer := testmust.Have(f_note.NewSignerForCosignatureV1(skey))(t)
	lattice := testmust.Have(f_note.NewMLDSASigner(latticeKey))(t)
	logs := inmemory.New()
	testmust.Do(t, logs.AddLogs(t.Context(), []config.Log{{VKey: log.Public, Verifier: log.Verifier, Origin: origin}}))
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		omniwitness.Main(ctx, omniwitness.OperatorConfig{WitnessKeys: []note.Signer{signer, lattice}, WitnessVerifier: lattice.Verifier(), Logs: logs}, logs, l, http.DefaultClient)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	policy, err := tlog.ParsePolicy(fmt.Appendf(nil, "log %s\nwitness curve %s http://%s\nwitness lattice %s http://%[3]s\ngroup both all curve lattice\nquorum both\n",
		log.Public, vkey, l.Addr(), latticeVKey))
	testmust.Do(t, err)
	return policy
}

// show shows a log to its cosigners until stop is called.
func show(t *testing.T, l *ledger.Ledger, policy *tlog.Policy) (stop func()) {
	t.Helper()
	s := testmust.Have(cosign.NewSubmitter(l, cosign.SubmitterOptions{Policy: policy}))(t)
	testmust.Do(t, s.Probe(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.Run(ctx); close(ended) }()
	return func() { cancel(); <-ended }
}

// cosigned waits until a log is published with enough cosignatures at a size.
func cosigned(t *testing.T, l *ledger.Ledger, policy *tlog.Policy, size uint64) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := l.CosignedReader().Checkpoint(t.Context())
		if err == nil && c.Size == size {
			seen, err := policy.Cosignatures(c)
			testmust.Requiref(t, err == nil && policy.IsSatisfied(seen), "%q: seen by %v, %v", c.Note, seen, err)
			return
		}
		testmust.Requiref(t, !time.Now().After(deadline), "published with cosignatures: %d entries, %v, want %d", c.Size, err, size)
	}
}

// copyOf copies the directory of a closed log.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	other := t.TempDir()
	testmust.Do(t, os.CopyFS(other, os.DirFS(dir)))
	return other
}

// An independent witness reads our requests, proofs and signatures, and we read its answers: over
// sizes that begin, fill and pass a tile, and after we have lost its latest cosignature.
func TestOurLogIsCosigned(t *testing.T) {
	dir, key := createLog(t)
	policy := theirs(t, key)
	l := openLog(t, dir, key)
	stop := show(t, l, policy)
	size := uint64(0)
	for _, n := range []int{1, 255, 1, 300} {
		grow(t, l, fmt.Sprint("from ", size), n)
		size += uint64(n)
		cosigned(t, l, policy, size)
	}
	stop()
	l.Close()
	testmust.Do(t, os.Remove(filepath.Join(dir, "cosigned")))
	l = openLog(t, dir, key)
	defer show(t, l, policy)()
	grow(t, l, "after", 5)
	cosigned(t, l, policy, size+5)
}

// An independent witness tells us of an old copy of a log, or of another history, and we must hear
// it.
func TestOtherHistory(t *testing.T) {
	dir, key := createLog(t)
	policy := theirs(t, key)
	l := openLog(t, dir, key)
	grow(t, l, "both", 10)
	l.Close()
	old, branch := copyOf(t, dir), copyOf(t, dir)
	l = openLog(t, dir, key)
	stop := show(t, l, policy)
	grow(t, l, "ours", 10)
	cosigned(t, l, policy, 20)
	stop()
	other := openLog(t, branch, key)
	grow(t, other, "theirs", 30)
	for what, l := range map[string]*ledger.Ledger{"an old copy": openLog(t, old, key), "a branch": other} {
		s := testmust.Have(cosign.NewSubmitter(l, cosign.SubmitterOptions{Policy: policy}))(t)
		var history *cosign.OtherHistoryError
		err := s.Probe(t.Context())
		testmust.Holdf(t, errors.As(err, &history) && history.Known == 20, "%s: %v", what, err)
	}
}

// site serves a log.
func site(t *testing.T, l *ledger.Ledger, key ledger.Key) *client.HTTPFetcher {
	t.Helper()
	tables := testmust.Have(admission.Open(t.Context(), l, table.Catalogue{}, admission.Options{}))(t)
	s := httptest.NewServer(httpapi.New(httpapi.Options{Log: l, Tiles: l, Admission: tables, Key: key.Public}))
	t.Cleanup(s.Close)
	u := testmust.Have(url.Parse(s.URL + "/"))(t)
	return testmust.Have(client.NewHTTPFetcher(u, nil))(t)
}

// feed shows our cosigner the present checkpoint of a log, with a proof from an old size.
func feed(t *testing.T, to whttp.Witness, f *client.HTTPFetcher, old uint64) ([]byte, []byte, uint64, error) {
	t.Helper()
	signed := testmust.Have(f.ReadCheckpoint(t.Context()))(t)
	cp := testmust.Have(tlog.ParseCheckpoint(signed))(t)
	var hashes [][]byte
	if old > 0 && old < cp.Size {
		p := testmust.Have(client.NewProofBuilder(t.Context(), cp.Size, f.ReadTile))(t)
		hashes = testmust.Have(p.ConsistencyProof(t.Context(), old, cp.Size))(t)
	}
	lines, size, err := to.Update(t.Context(), old, signed, hashes)
	return signed, lines, size, err
}

// Their client feeds our cosigner from what our log serves. Its answers, good and bad, must have the
// same meaning to them as to us.
func TestOurCosignerIsFed(t *testing.T) {
	dir, key := createLog(t)
	skey, vkey, err := tlog.GenerateKey(rand.Reader, "anna.example", tlog.Ed25519Cosignature)
	testmust.Do(t, err)
	cs := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{skey}, Logs: []tlog.PolicyLog{{Key: key.Verifier.(*tlog.VerifierKey)}}}))(t)
	t.Cleanup(func() { cs.Close() })
	server := httptest.NewServer(cs)
	t.Cleanup(server.Close)
	u := testmust.Have(url.Parse(server.URL))(t)
	anna := whttp.NewWitness(u, http.DefaultClient)
	verifier := testmust.Have(f_note.NewVerifierForCosignatureV1(vkey))(t)

	l := openLog(t, dir, key)
	grow(t, l, "both", 10)
	l.Close()
	branch := copyOf(t, dir)
	l = openLog(t, dir, key)
	f := site(t, l, key)
	for _, old := range []uint64{0, 10, 266} {
		signed, lines, _, err := feed(t, anna, f, old)
		testmust.Do(t, err, "from", old)
		n, err := note.Open(append(bytes.Clone(signed), lines...), note.VerifierList(verifier))
		testmust.Holdf(t, err == nil && len(n.Sigs) == 1, "from %d: %q: %v", old, lines, err)
		grow(t, l, fmt.Sprint("from ", old), 256)
	}
	_, _, size, err := feed(t, anna, f, 10)
	testmust.Holdf(t, errors.Is(err, witness.ErrCheckpointStale) && size == 522, "from a size of long ago: %d, %v", size, err)
	other := openLog(t, branch, key)
	grow(t, other, "theirs", 600)
	_, _, _, err = feed(t, anna, site(t, other, key), 522)
	testmust.Holdf(t, errors.Is(err, witness.ErrInvalidProof), "another history: %v", err)
	strangers, stranger := createLog(t)
	_, _, _, err = feed(t, anna, site(t, openLog(t, strangers, stranger), stranger), 522)
	testmust.Holdf(t, errors.Is(err, witness.ErrNoValidSignature), "signed by a stranger: %v", err)
	_, _, err = anna.Update(t.Context(), 0, []byte("nowhere.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— nowhere.example AAAAAAAA\n"), nil)
	testmust.Holdf(t, errors.Is(err, witness.ErrUnknownLog), "an unknown log: %v", err)
}
