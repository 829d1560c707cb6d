package trial

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// The comparison finds no difference.
func TestAlikeFinds(t *testing.T) {
	serve := func(status int, name, value, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", fmt.Sprint(&r))
			w.Header().Set(name, value)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	alone := serve(200, "Cache-Control", "no-cache", "tile")
	got := cosigned.ReplaceAllString("a\n\n— log AB+/=\n— witness.example AB+/=\n{\"a\\n— witness.example Ab\\n\"}", "")
	testmust.Holdf(t, got == "a\n\n— log AB+/=\n{\"a\\n\"}", "without cosigners: %q", got)
	for what, c := range map[string]struct {
		url  string
		same bool
	}{
		"the same":       {serve(200, "Cache-Control", "no-cache", "tile"), true},
		"a bit":          {serve(200, "Cache-Control", "no-cache", "tild"), false},
		"a header":       {serve(200, "Cache-Control", "max-age=1", "tile"), false},
		"one header":     {serve(200, "Via", "a cluster", "tile"), false},
		"it denies both": {serve(404, "Cache-Control", "no-cache", "tile"), false},
	} {
		err := differ(t.Context(), alone, c.url, []string{"/tile/0/000.p/1"})
		testmust.Holdf(t, (err == nil) == c.same, "%s: %v", what, err)
	}
}

// One mirror lacks a file, or has other bytes in it.
func TestMirrorsDiffer(t *testing.T) {
	mirror := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			at := filepath.Join(dir, name)
			testmust.Do(t, os.MkdirAll(filepath.Dir(at), 0o755))
			testmust.Do(t, os.WriteFile(at, []byte(text), 0o644))
		}
		return dir
	}
	alone := mirror(map[string]string{"checkpoint": "log\n7\nroot\n\nsigned", "tile/0/000": "hashes"})
	for what, c := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"cosigned":      {map[string]string{"checkpoint": "log\n7\nroot\n\nsigned\ncosigned", "tile/0/000": "hashes"}, true},
		"another root":  {map[string]string{"checkpoint": "log\n7\nroof\n\nsigned", "tile/0/000": "hashes"}, false},
		"another tile":  {map[string]string{"checkpoint": "log\n7\nroot\n\nsigned", "tile/0/000": "hashed"}, false},
		"a tile less":   {map[string]string{"checkpoint": "log\n7\nroot\n\nsigned"}, false},
		"a tile beside": {map[string]string{"checkpoint": "log\n7\nroot\n\nsigned", "tile/0/000": "hashes", "tile/0/001": ""}, false},
	} {
		err := differFiles(alone, mirror(c.files))
		testmust.Holdf(t, (err == nil) == c.same, "%s: %v", what, err)
	}
}

// A log puts an entry before one that was acknowledged before it was posted; or a log is blamed for
// the order of concurrent posts.
func TestInOrder(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	together := []Ack{{Index: 7, Client: 1, Begun: at(0), At: at(10)}, {Index: 3, Client: 2, Begun: at(1), At: at(9)}, {Index: 9, Client: 3, Begun: at(11), At: at(12)}}
	testmust.Do(t, inOrder(together))
	late := append(together, Ack{Index: 5, Client: 4, Begun: at(11), At: at(13)})
	err := inOrder(late)
	testmust.Fail(t, err, "an entry at 5 was posted after the one at 7 had been acknowledged, and nobody minds")
}
