//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
)

// An organiser's program that ends after it has signed the table of its offer, and before the
// table is in the log: the next one must post the same table, and sign no other, whatever its
// directory is named and whatever else lies there.
func TestOrganiserPostsTheSameTableAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[club]")
	testmust.Do(t, os.Mkdir(dir, 0o700))
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "book.genesis"), []byte("In the beginning"), 0o600))
	s := startPakli(t, filepath.Join(dir, "data"), nil, "--ballast", "0")
	to := testmust.Have(url.Parse(s.url))(t)
	var mu sync.Mutex
	var posted []string
	ctx, crash := context.WithCancel(t.Context())
	away := true
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost && r.URL.Path == "/v1/tables" {
			posted = append(posted, string(body))
			if away {
				crash()
				http.Error(w, "no server", http.StatusBadGateway)
				return
			}
		}
		httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	args := []string{"--server", proxy.URL, "--game", "schwarzer-peter", "--places", "2", "--sit", "--organiser", filepath.Join(dir, "anna.seat")}
	anna := testmust.Have(seatfile.Create(filepath.Join(dir, "anna.seat"), "anna", ""))(t)
	anna.Close()
	for _, name := range []string{"bela", "csilla"} {
		id := testmust.Have(seatfile.Create(filepath.Join(dir, name+".seat"), name, ""))(t)
		id.Close()
		with := append(args, "--seat", id.VerifierKey()) // the second time, other players
		var out, said bytes.Buffer
		code := command.Dispatch(ctx, command.Env{Out: &out, Err: &said}, commands(), "pakli", append([]string{"table", "offer"}, with...))
		mu.Lock()
		if name == "bela" {
			testmust.Requiref(t, code != command.ExitDone && len(posted) != 0, "it did not end before the table was there: %d, %s", code, said.String())
			ctx, away = t.Context(), false
		} else if code != command.ExitDone || strings.TrimSpace(out.String()) != wire.HashEntry([]byte(posted[0])).String() {
			t.Errorf("the next program says %q, %d: %s", out.String(), code, said.String())
		}
		mu.Unlock()
	}
	testmust.Equal(t, len(slices.Compact(posted)), 1, "tables of one offer were signed")
	left, err := fs.Glob(os.DirFS(dir), "anna*.genesis")
	testmust.Holdf(t, err == nil && len(left) == 0, "what is in the log is kept still: %v, %v", left, err)
	sits, _ := fs.Glob(os.DirFS(dir), "anna.seat.*.offer")
	testmust.Holdf(t, len(sits) == 1, "the organiser's seat sits at %v", sits)
	testmust.Do(t, s.end(os.Interrupt))
}
