package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/remote"
	"github.com/pakli/pakli/ledger/remote/remotetest"
)

// A front end that does not start with the rest of its rack, says nothing of why it is not
// ready, or cannot be told to stop while it waits.
func TestFrontEndWaits(t *testing.T) {
	trillian := remotetest.New()
	first, _ := trillian.Start(t)
	data, late := t.TempDir(), freeAddress(t)
	o := serverOptions{data: data, listen: "127.0.0.1:0", pages: "off", operator: operatorOptions{address: freeAddress(t)}}
	o.cluster = clusterOptions{trillian: first, register: "file:" + t.TempDir(), poll: 200 * time.Millisecond}
	tree := testmust.Have(createOnCluster(t.Context(), o.cluster, data, "waits.example"))(t)
	o.cluster.tree, o.cluster.trillian = tree, late

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := startServer(ctx, o, env{io.Discard, io.Discard}); ended <- err }()
	readiness(t, o.operator.address, `"ready":false`, "log server: "+late)
	cancel()
	testmust.FailBy(t, <-ended, context.Canceled, "told to stop")

	started := make(chan *runningServer, 1)
	go func() {
		s, err := startServer(t.Context(), o, env{io.Discard, io.Discard})
		if err != nil {
			t.Error(err)
		}
		started <- s
	}()
	readiness(t, o.operator.address, `"ready":false`, "log server: "+late)
	l := testmust.Have(net.Listen("tcp", late))(t)
	t.Cleanup(trillian.Serve(l).Stop)
	s := <-started
	if s == nil {
		return
	}
	readiness(t, o.operator.address, `"ready":true`, "in order")
	testmust.Do(t, s.stop())
}

// A log that is half made since its database was named in a way that may send the password in the clear.
func TestDatabaseIsLookedAtFirst(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	first, _ := remotetest.New().Start(t)
	data := t.TempDir()
	o := clusterOptions{trillian: first, register: "file:" + t.TempDir(), database: "postgresql://trillian@db-1,db-2/trillian"}
	for name, do := range map[string]func() error{
		"create": func() error { _, err := createOnCluster(t.Context(), o, data, "first.example"); return err },
		"import": func() error { _, _, err := importLog(t.Context(), env{io.Discard, io.Discard}, o, data); return err },
	} {
		testmust.FailSaying(t, do(), "sslmode=verify-full", name)
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// freeAddress is one at which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// readiness waits until an operator is told all of want.
func readiness(t *testing.T, address string, want ...string) {
	t.Helper()
	testwait.Until(t, strings.Join(want, " and ")+" for the operator", func() bool {
		r, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		return err == nil && !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(string(b), w) })
	})
}

// An import whose tree stands still, goes back or is another one ends: it would wait forever. Only what stands still may go on.
func TestImportIntoSpoiltTree(t *testing.T) {
	for name, patience := range map[string]time.Duration{"stands still": 50 * time.Millisecond, "goes back": time.Hour, "is another": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := remotetest.New()
			at, _ := s.Start(t)
			tree, _, err := remote.CreateTree(t.Context(), "cards.example", true, remote.Servers{Addresses: []string{at}})
			testmust.Do(t, err)
			defer tree.Close()
			var entries []remote.SequencedEntry
			for i := range 5 {
				entries = append(entries, remote.SequencedEntry{Index: uint64(i), Entry: fmt.Append(nil, i)})
			}
			testmust.Do(t, tree.Import(t.Context(), entries))
			var heads atomic.Int32
			s.Fault = func(string) error {
				if name == "goes back" && heads.Add(1) == 2 {
					s.DropLast(2)
				}
				return nil
			}
			want := ledger.Promise{Size: 6}
			if name == "is another" {
				want.Size = 5
			}
			if err := awaitIntegrated(t.Context(), tree, want, patience); err == nil || errors.Is(err, errSpoilt) != (name != "stands still") {
				t.Errorf("a tree that %s: %v", name, err)
			}
		})
	}
}
