package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/trials/cluster/parts"
	"github.com/pakli/pakli/internal/trials/cluster/process"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Figures measures the cost and rate of front ends. It posts tables that were played before, each by
// one client, through HAProxy to 1, 2 and 4 front ends and to a log kept alone, with the processor
// time of each kind of part per entry. It also counts void entries, because two seats with a duty at
// the same time reached two front ends. The clients run on the same machine, so compare processor
// times rather than rates.
func Figures(ctx context.Context, o parts.Options, clients, tables int, out io.Writer) error {
	made, err := playBefore(clients, tables)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "| | posts/s | processor time of a post, ms: front ends | Trillian | PostgreSQL | etcd | all |\n|---|---:|---:|---:|---:|---:|---:|\n")
	if err := figureAlone(ctx, o, made, out); err != nil {
		return err
	}
	for _, n := range []int{1, 2, 4} {
		o.FrontEnds = n
		if err := figureCluster(ctx, o, made, fmt.Sprintf("%d front ends", n), out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\n| HAProxy sends | pairs of seats who owed at once | void in the log |\n|---|---:|---:|\n")
	o.FrontEnds = 2
	for _, o.Random = range []bool{false, true} {
		if err := figureRaces(ctx, o, tables, out); err != nil {
			return err
		}
	}
	return nil
}

// playBefore plays tables for every client.
func playBefore(clients, tables int) ([][]*tabletest.Table, error) {
	made := make([][]*tabletest.Table, clients)
	for i := range made {
		for n := range tables {
			t, err := newTable(1<<50 + uint64(i*tables+n))
			if err != nil {
				return nil, err
			}
			if err := t.Play(1 << 20); err != nil {
				return nil, err
			}
			made[i] = append(made[i], t)
		}
	}
	return made, nil
}

// postTables posts all tables and returns the number of their entries and the time.
func postTables(ctx context.Context, url string, key note.Verifier, made [][]*tabletest.Table) (n int, took time.Duration, err error) {
	l := &Load{URL: url, Clients: len(made), Key: key, Saw: func([]byte) error { return nil }, begun: make([]time.Time, len(made))}
	failed := make([]error, len(made))
	begun := time.Now()
	for i := range made {
		l.group.Go(func() {
			p := l.poster(i)
			for _, t := range made[i] {
				failed[i] = errors.Join(failed[i], p.table(ctx, t))
			}
		})
	}
	l.group.Wait()
	acks, _, _ := l.SeenAcks()
	return len(acks), time.Since(begun), errors.Join(failed...)
}

func figureAlone(ctx context.Context, o parts.Options, made [][]*tabletest.Table, out io.Writer) (err error) {
	a, err := parts.StartAlone(ctx, o)
	if err != nil {
		return err
	}
	defer a.Kill()
	key, err := verifier(a.Key())
	if err != nil {
		return err
	}
	before := a.ProcessorTime()
	n, took, err := postTables(ctx, a.URL, key, made)
	if err != nil {
		return err
	}
	used := perPost(a.ProcessorTime()-before, n)
	fmt.Fprintf(out, "| alone | %.0f | %.2f | | | | %.2f |\n", float64(n)/took.Seconds(), used, used)
	return nil
}

func verifier(text string, err error) (note.Verifier, error) {
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(text)
}

func perPost(d time.Duration, n int) float64 { return d.Seconds() * 1e3 / float64(max(n, 1)) }

// startCluster starts a cluster in a directory of its own.
func startCluster(ctx context.Context, o parts.Options) (*parts.Cluster, note.Verifier, error) {
	dir, err := os.MkdirTemp(o.Dir, "figures")
	if err != nil {
		return nil, nil, err
	}
	o.Dir = dir
	c, err := parts.New(o)
	if err != nil {
		return nil, nil, err
	}
	if err = c.StartStock(ctx); err == nil {
		err = c.StartFrontEnds(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	key, err := verifier(c.Key())
	return c, key, err
}

func figureCluster(ctx context.Context, o parts.Options, made [][]*tabletest.Table, name string, out io.Writer) (err error) {
	c, key, err := startCluster(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	before := usedBy(c.Parts())
	n, took, err := postTables(ctx, c.URL, key, made)
	if err != nil {
		return err
	}
	used, all := usedBy(c.Parts()), 0.0
	fmt.Fprintf(out, "| %s | %.0f |", name, float64(n)/took.Seconds())
	for _, kind := range []string{"front", "trillian", "postgres", "etcd"} {
		each := perPost(used[kind]-before[kind], n)
		all += each
		fmt.Fprintf(out, " %.2f |", each)
	}
	fmt.Fprintf(out, " %.2f |\n", all)
	return nil
}

// usedBy sums the processor time of the parts of each kind.
func usedBy(all map[string]*process.Process) map[string]time.Duration {
	sum := map[string]time.Duration{}
	for name, p := range all {
		kind, _, _ := strings.Cut(name, "-")
		if kind == "log" || kind == "signer" {
			kind = "trillian"
		}
		sum[kind] += p.ProcessorTime()
	}
	return sum
}

// figureRaces lets two seats with a duty at the same time post concurrently.
func figureRaces(ctx context.Context, o parts.Options, tables int, out io.Writer) (err error) {
	c, key, err := startCluster(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	pairs, void := 0, 0
	for n := range tables {
		t, err := newTable(1<<51 + uint64(n))
		if err != nil {
			return err
		}
		r := &race{Table: t, url: c.URL, key: key}
		if err := r.play(ctx); err != nil {
			return err
		}
		pairs, void = pairs+r.pairs, void+r.void
	}
	fmt.Fprintf(out, "| %s | %d | %d |\n", map[bool]string{false: "a table's posts to one front end", true: "each to the next one"}[o.Random], pairs, void)
	return nil
}

// race is a table whose seats do not wait for each other.
type race struct {
	*tabletest.Table
	url         string
	key         note.Verifier
	pairs, void int
}

func (r *race) play(ctx context.Context) error {
	if _, err := r.post(ctx, "/v1/tables", r.Entries[0]); err != nil {
		return err
	}
	for len(r.State.Duties()) > 0 {
		rivals, err := r.rivals()
		if err != nil {
			return err
		}
		if err := r.postTogether(ctx, rivals); err != nil {
			return err
		}
	}
	return nil
}

// rivals returns the messages of two seats that owe something now, or the next message alone.
func (r *race) rivals() (list [][]byte, err error) {
	seen := map[table.Seat]bool{}
	for _, d := range r.State.Duties() {
		for _, seat := range d.Seats {
			if seen[seat] || len(list) == 2 || d.Kind == table.Move {
				continue
			}
			m, err := r.HonestMessage(seat, d, nil)
			if err != nil {
				return nil, err
			}
			seen[seat], list = true, append(list, m)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	next, err := r.Next()
	return [][]byte{next}, err
}

// postTogether posts all of them concurrently and plays on from the one that was applied.
func (r *race) postTogether(ctx context.Context, rivals [][]byte) error {
	applied, failed := make([]bool, len(rivals)), make([]error, len(rivals))
	var all sync.WaitGroup
	for i, m := range rivals {
		all.Go(func() { applied[i], failed[i] = r.post(ctx, "/v1/tables/"+r.State.ID().String()+"/messages", m) })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if len(rivals) > 1 {
		r.pairs++
	}
	for i, m := range rivals {
		if applied[i] {
			return r.Add(m)
		}
	}
	return errors.New("none of the messages on the head was applied")
}

// racing guards the count of void entries.
var racing sync.Mutex

// post posts once and reports whether the entry was applied.
func (r *race) post(ctx context.Context, path string, entry []byte) (bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, strings.NewReader(string(entry)))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	var said struct {
		Index *uint64 `json:"index"`
		Type  string  `json:"type"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return false, err
	}
	switch {
	case resp.StatusCode == http.StatusCreated || resp.StatusCode == http.StatusOK:
		return true, nil
	case resp.StatusCode != http.StatusConflict:
		return false, fmt.Errorf("%s: %s %s", path, resp.Status, said.Type)
	case said.Index != nil: // in the log, but void
		racing.Lock()
		r.void++
		racing.Unlock()
	}
	return false, nil
}
