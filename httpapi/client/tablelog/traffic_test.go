package tablelog_test

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
)

// busy is an admission to a log with other tables. Before each message as many other messages arrive,
// on average, as there are other tables.
type busy struct {
	httpapi.Admission
	w      *world
	others int
	bytes  atomic.Int64 // of the table
}

// otherEntry is about the mean size of a message of tarokk, in bytes.
const otherEntry = 1350

func (b *busy) Post(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error) {
	var group errgroup.Group
	group.SetLimit(64)
	for range mathrand.IntN(2*b.others + 1) {
		group.Go(func() error {
			entry := make([]byte, otherEntry)
			rand.Read(entry)
			_, err := b.w.log.Append(ctx, entry)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return admission.PostedEntry{}, err
	}
	p, err := b.Admission.Post(ctx, e)
	if err == nil && !p.Again {
		b.bytes.Add(int64(e.Size()))
	}
	return p, err
}

// counted returns a Carrier that counts its bytes in both directions, headers included.
func counted(n *atomic.Int64) client.Carrier {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return meter{c, n}, err
	}
	return client.CarrierOver(&http.Client{Transport: &http.Transport{DialContext: dial}})
}

type meter struct {
	net.Conn
	n *atomic.Int64
}

func (m meter) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.n.Add(int64(n))
	return n, err
}

func (m meter) Write(b []byte) (int, error) {
	n, err := m.Conn.Write(b)
	m.n.Add(int64(n))
	return n, err
}

// traffic plays a deal of tarokk among four bots beside other tables. It returns the bytes of the
// table, and the mean of the bytes that a player sent and received.
func traffic(t testing.TB, tables int, whole bool) (table, each int64) {
	w := newWorld(t, "tarokk/v1", suite.Default, 4, map[string]string{})
	real := tableCatalogue()
	a := testmust.Have(admission.Open(t.Context(), w.log, real, admission.Options{}))(t)
	b := &busy{Admission: a, w: w, others: tables - 1}
	s := httptest.NewServer(httpapi.New(httpapi.Options{Log: w.log, Tiles: w.log, Blobs: w.log, Admission: b, Key: w.key.Public,
		Limits: httpapi.Limits{PostRate: -1, TableRate: -1}}))
	t.Cleanup(s.Close)
	testmust.Have(w.client(s.URL, nil).CreateTable(t.Context(), w.first))(t)
	var sum atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for i := range w.seats {
		group.Go(func() error {
			src := tablelog.New(w.id, tablelog.Options{Server: w.client(s.URL, counted(&sum)), Whole: whole})
			p, err := player.Sit(ctx, w.seats[i], src, w.id, real, player.Bot(mathrand.New(mathrand.NewPCG(uint64(i), 7))), rand.Reader)
			if err == nil {
				err = p.Play(ctx)
			}
			return err
		})
	}
	testmust.Do(t, group.Wait())
	return b.bytes.Load(), sum.Load() / int64(len(w.seats))
}

func tableCatalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
}

// What a player sends and receives must be at most three times its table's bytes,
// whatever else is in the log.
func TestTraffic(t *testing.T) {
	t.Parallel()
	for _, tables := range []int{1, 16} {
		table, each := traffic(t, tables, false)
		t.Logf("%d tables: table %d bytes, player %d bytes, %.2f times", tables, table, each, float64(each)/float64(table))
		if each > 3*table {
			t.Errorf("%d tables in the log: a player sends and receives %d bytes, %.2f times the %d of its table", tables, each, float64(each)/float64(table), table)
		}
	}
}

// BenchmarkTraffic prints the bytes of a table and of each of its players, for several numbers of
// tables in the log.
func BenchmarkTraffic(b *testing.B) {
	for _, c := range []struct {
		tables int
		whole  bool
	}{{1, false}, {16, false}, {250, false}, {1, true}, {16, true}, {250, true}} {
		b.Run(fmt.Sprintf("tables=%d/whole=%t", c.tables, c.whole), func(b *testing.B) {
			var table, each int64
			for b.Loop() {
				table, each = traffic(b, c.tables, c.whole)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(table), "table-bytes")
			b.ReportMetric(float64(each), "player-bytes")
			b.ReportMetric(float64(each)/float64(table), "times")
		})
	}
}
