package trial_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/trial"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
)

// begin makes a log in a new directory, which is closed.
func begin(t *testing.T) (dir string, key ledger.Key) {
	t.Helper()
	dir = t.TempDir()
	return dir, testmust.Have(ledger.Begin(dir, "log.example/pakli", badgerstore.Options{MinFree: 1}, rand.Reader))(t)
}

// grow serves the log in dir after n more entries, and returns where, and what was acknowledged.
func grow(t *testing.T, dir string, key ledger.Key, word string, n int) (url string, acks []trial.Ack, checkpoints [][]byte) {
	t.Helper()
	l := testmust.Have(ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{MinFree: 1}}))(t)
	t.Cleanup(func() { l.Close() })
	for i := range n {
		entry := fmt.Appendf(nil, "%s %d", word, i)
		r := testmust.Have(l.Append(t.Context(), entry))(t)
		acks, checkpoints = append(acks, trial.Ack{Index: r.Index, Leaf: tlog.LeafHash(entry)}), append(checkpoints, r.Checkpoint)
	}
	tables := testmust.Have(admission.Open(t.Context(), l, table.Catalogue{}, admission.Options{}))(t)
	web := httptest.NewServer(httpapi.New(httpapi.Options{Log: l, Tiles: l, Admission: tables, Key: key.Public}))
	t.Cleanup(web.Close)
	return web.URL, acks, checkpoints
}

// An oracle that overlooks a lost entry or a fork makes every trial worthless.
func TestOracle(t *testing.T) {
	dir, key := begin(t)
	other := t.TempDir()
	testmust.Do(t, os.CopyFS(other, os.DirFS(dir)))
	testmust.Do(t, os.Chmod(other+"/log.key", 0o600))
	ours, acks, seen := grow(t, dir, key, "ours", 9)
	theirs, _, rival := grow(t, other, key, "theirs", 7)
	judge := func(acks []trial.Ack, checkpoints [][]byte, urls ...string) error {
		o := trial.NewOracle(key.Verifier)
		for _, c := range checkpoints {
			if err := o.TakeCheckpoint(c); err != nil {
				return err
			}
		}
		return o.Judge(t.Context(), acks, urls...)
	}
	testmust.Do(t, judge(acks, seen, ours, ours), "a log without fault")
	testmust.FailBy(t, judge(acks, nil, theirs), trial.ErrLost, "acknowledged entries that are not there")
	testmust.FailBy(t, judge(nil, seen[8:], theirs), trial.ErrLost, "a checkpoint beyond what anybody has")
	testmust.FailBy(t, judge(nil, rival[3:4], ours), trial.ErrFork, "a checkpoint of another history")
	testmust.FailBy(t, judge(nil, append(seen, rival[3]), ours), trial.ErrFork, "two roots at one size")
	testmust.FailBy(t, judge(nil, nil, ours, theirs), trial.ErrFork, "two front ends with two histories")
}

// A stranger that is shown two histories in turn must notice.
func TestStranger(t *testing.T) {
	dir, key := begin(t)
	other := t.TempDir()
	testmust.Do(t, os.CopyFS(other, os.DirFS(dir)))
	testmust.Do(t, os.Chmod(other+"/log.key", 0o600))
	ours, _, _ := grow(t, dir, key, "ours", 3)
	theirs, _, _ := grow(t, other, key, "theirs", 7)
	at := &turning{urls: []string{ours, theirs}}
	web := httptest.NewServer(at)
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := trial.Stranger(ctx, web.URL, key.Verifier)
	testmust.Holdf(t, errors.Is(err, trial.ErrFork) && strings.Contains(err.Error(), "Tessera"), "%v", err)
}

// turning shows the first log a few times, and then the second.
type turning struct {
	urls  []string
	asked atomic.Int32
}

func (s *turning) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := s.urls[min(int(s.asked.Load())/3, len(s.urls)-1)]
	if r.URL.Path == "/checkpoint" {
		s.asked.Add(1)
	}
	target := testmust.Need(url.Parse(at))
	(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}).ServeHTTP(w, r)
}
