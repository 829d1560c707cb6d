package follow_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/verifier/follow"
)

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
