package browser

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// A page that gives up, or signs anew, because answers fail on the way, are cut in half,
// or leave out a message for a while.
func TestAnswersThatFail(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "schwarzer-peter/v1", "anna", "bela", "csilla")
	var mu sync.Mutex
	asked := map[string]int{} // for each kind of thing, so that what fails does not depend on which request comes first
	fails := func(what string, r *http.Request, each int) bool {
		mu.Lock()
		defer mu.Unlock()
		at := what + r.Method + r.URL.Path
		asked[at]++
		return asked[at]%each == each-1
	}
	var bad atomic.Int64
	f.lies(func(r *http.Request) int {
		if fails("refused ", r, 8) {
			return []int{http.StatusBadGateway, http.StatusGatewayTimeout, http.StatusServiceUnavailable}[bad.Add(1)%3]
		}
		return 0
	}, func(r *http.Request, body []byte) []byte {
		var list map[string]json.RawMessage
		switch {
		case fails("halved ", r, 7):
			return body[:len(body)/2]
		case fails("shortened ", r, 4) && strings.HasSuffix(r.URL.Path, "/messages") && r.Method == http.MethodGet && json.Unmarshal(body, &list) == nil:
			var messages []json.RawMessage
			if json.Unmarshal(list["messages"], &messages) == nil && len(messages) > 1 {
				list["messages"], _ = json.Marshal(append(messages[:len(messages)-2], messages[len(messages)-1])) // of what was decoded
				body, _ = json.Marshal(list)
			}
		}
		return body
	})
	p.sits(f, id, 3)
	testwait.Until(t, "twenty messages in spite of it", func() bool { return f.posts() >= 20 && bad.Load() > 0 })
	f.lies(nil, nil)
	p.over(5 * time.Minute)
	f.sound(id)
	f.orderly()
}

// A page that signs in an older history of the log than it has seen, or in another one.
func TestRollbackAndFork(t *testing.T) {
	t.Parallel()
	f := serve(t)
	p := visitor(t, f)
	id := p.alone(f, "schwarzer-peter/v1", "anna", "bela", "csilla")
	p.sits(f, id, 0)
	p.until(asked)
	older := f.copy("older")
	eval[any](p, "pakliTest.play(11)")
	start := f.posts()
	testwait.Until(t, "three more messages", func() bool { return f.posts() >= start+3 })
	eval[any](p, "pakliTest.rest()")
	p.until(asked)
	newer := f.copy("newer")

	posts := f.posts()
	f.on(older) // rollback
	p.sits(f, id, 12)
	p.shows("No answer from the server")
	f.others(60) // fork: as large as what was believed, and another
	p.until(`document.querySelector(".alarm")`)
	t.Log(eval[string](p, `document.querySelector(".alarm").innerText`))
	if n := f.posts() - posts; n > 0 {
		t.Errorf("%d messages were signed in another history", n)
	}

	f.on(newer)
	p.sits(f, id, 13)
	p.over(5 * time.Minute)
	f.sound(id)
	f.orderly()
}

// copy copies the log as it is, while the server is down for it.
func (f *front) copy(name string) (dir string) {
	f.t.Helper()
	dir = f.t.TempDir()
	f.kill()
	if out, err := exec.Command("cp", "-a", f.data, dir+"/"+name).CombinedOutput(); err != nil { // with its modes: the key is nobody else's
		f.t.Fatalf("%v: %s", err, out)
	}
	f.start()
	return dir + "/" + name
}

// on has the server go on from a log.
func (f *front) on(data string) {
	f.t.Helper()
	f.kill()
	f.data = data
	f.start()
}

// others begins tables of nobody's.
func (f *front) others(n int) {
	f.t.Helper()
	c := f.log()
	for range n {
		signer, key, err := note.GenerateKey(rand.Reader, "zoe")
		if err != nil {
			f.t.Fatal(err)
		}
		s, err := note.NewSigner(signer)
		if err != nil {
			f.t.Fatal(err)
		}
		_, other, _ := note.GenerateKey(rand.Reader, "yves") // as above
		g := &wire.Genesis{Format: wire.TableFormat, Game: "schwarzer-peter/v1", Suite: suite.Default, Options: map[string]string{}, Deals: 1, Fouls: wire.RefuseFouls, Organiser: key, Seats: []string{key, other}, Nonce: make([]byte, wire.NonceBytes)}
		rand.Read(g.Nonce)
		entry, err := wire.Sign(g, s)
		if err == nil {
			_, err = c.Create(context.Background(), entry)
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
}
