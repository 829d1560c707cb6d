package submit_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cosigner"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/submit"
	"github.com/pakli/pakli/ledger/tlog"
)

// realLog is a ledger on disk with one cosigner behind HTTP, and two more that
// are as bad as they can be.
type realLog struct {
	dir    string
	key    ledger.Key
	log    *ledger.Ledger
	policy *tlog.Policy
	awake  chan struct{} // until it is closed bela hangs
}

func newRealLog(t *testing.T) *realLog {
	t.Helper()
	r := &realLog{dir: t.TempDir(), awake: make(chan struct{})}
	r.key = testmust.Have(ledger.CreateKey(r.dir, origin, rand.Reader))(t)
	testmust.Do(t, ledger.Create(r.dir, ledger.Options{Signer: r.key.Signer, Store: badgerstore.Options{MemTableSize: 8 << 20, MinFree: 1}}))
	logKey := testmust.Have(tlog.ParseVerifierKey(r.key.Public))(t)
	text := ""
	for _, name := range names {
		skey, s := ledgertest.NewKey(t, name+".example", tlog.Ed25519Cosignature)
		c := testmust.Have(cosigner.Open(t.TempDir(), cosigner.Options{Signers: []string{skey}, Logs: []tlog.PolicyLog{{Key: logKey}}}))(t)
		h := map[string]http.Handler{"anna": c, "bela": r.sleeps(c), "csilla": answers(200, "text/plain", "— csilla.example AAAAAAAA\n")(c)}[name]
		server := httptest.NewServer(h)
		t.Cleanup(func() { server.CloseClientConnections(); server.Close(); c.Close() })
		text += fmt.Sprintf("witness %s %s %s\n", name, s.Verifier(), server.URL)
	}
	r.policy = testmust.Have(tlog.ParsePolicy([]byte(text + "quorum anna\n")))(t)
	r.open(t, r.dir)
	return r
}

func (r *realLog) sleeps(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		select {
		case <-r.awake:
			rw.WriteHeader(http.StatusServiceUnavailable)
		default:
			hangs(h).ServeHTTP(rw, q)
		}
	})
}

func (r *realLog) open(t *testing.T, dir string) {
	t.Helper()
	r.log = testmust.Have(ledger.Open(dir, ledger.Options{Signer: r.key.Signer, Store: badgerstore.Options{}}))(t)
}

func (r *realLog) append(t *testing.T, clients, each int, name string) {
	t.Helper()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range each {
				entry := fmt.Appendf(nil, "%s %d %d", name, c, i)
				receipt, err := r.log.Append(context.Background(), entry)
				if err == nil {
					err = receipt.Verify(entry, r.key.Verifier)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// A log on disk under load whose cosigners hang and lie: every append is answered
// while they do, and the one that works is enough. Then a copy from before, with
// the same key: it must stop before it signs another history.
func TestLedger(t *testing.T) {
	r := newRealLog(t)
	r.append(t, 1, 10, "first")
	testmust.Do(t, r.log.Close())
	old := t.TempDir()
	testmust.Do(t, os.CopyFS(old, os.DirFS(r.dir)))
	r.open(t, r.dir)
	s, err := submit.New(r.log, submit.Options{Policy: r.policy})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	r.append(t, 16, 40, "second")
	var c tlog.Checkpoint
	testwait.Until(t, "the whole log to be cosigned", func() bool {
		c, err = r.log.Cosigned().Checkpoint(t.Context())
		return err == nil && c.Size == 650
	})
	seen, err := r.policy.Cosignatures(c)
	if err != nil || len(seen) != 1 || seen[0].Cosigner != "anna" || c.Verify(r.key.Verifier) != nil {
		t.Errorf("cosigned by %v, %v, want anna alone", seen, err)
	}
	if _, list := s.State(); list[0].Err != nil || list[2].Err == nil {
		t.Errorf("state %v", list)
	}
	cancel()
	<-done
	testmust.Do(t, r.log.Close())

	close(r.awake) // the old copy is not to wait for bela
	r.open(t, old)
	defer r.log.Close()
	s = testmust.Have(submit.New(r.log, submit.Options{Policy: r.policy}))(t)
	if err := s.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "650 entries of another history") {
		t.Errorf("an old copy: %v", err)
	}
	if receipt, err := r.log.Append(t.Context(), []byte("a fork")); err == nil {
		t.Errorf("an old copy took an entry: %+v", receipt)
	} else if _, ok := errors.AsType[*submit.OtherHistoryError](err); !ok {
		t.Errorf("an old copy: %v", err)
	}
}
