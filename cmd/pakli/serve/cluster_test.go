package serve

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger/cluster/clustertest"
)

// A front end that does not start with the rest of its rack, says nothing of why it is not
// ready, or cannot be told to stop while it waits.
func TestFrontEndWaits(t *testing.T) {
	trillian := clustertest.New()
	first, _ := trillian.Start(t)
	data, late := t.TempDir(), freeAddress(t)
	o := Options{Data: data, Listen: "127.0.0.1:0", Pages: "off", operator: operatorOptions{address: freeAddress(t)}}
	o.cluster = cluster.Options{Trillian: first, Register: "file:" + t.TempDir(), Poll: 200 * time.Millisecond}
	tree := testmust.Have(cluster.CreateLog(t.Context(), o.cluster, data, "waits.example"))(t)
	o.cluster.Tree, o.cluster.Trillian = tree, late

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := Start(ctx, o); ended <- err }()
	readiness(t, o.operator.address, `"ready":false`, "log server: "+late)
	cancel()
	testmust.FailBy(t, <-ended, context.Canceled, "told to stop")

	started := make(chan *Server, 1)
	go func() {
		s, err := Start(t.Context(), o)
		testmust.Hold(t, err == nil, err)
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
	testmust.Do(t, s.Stop())
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
