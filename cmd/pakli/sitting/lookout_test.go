package sitting

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A seat that begins again, wherever its file is and however its table is called, and whose keepers are not told; and a program that says so, and waits for
// ever, beside a proof of somebody else or one that was altered.
func TestSeatThatBeginsAgainIsLost(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 80, func(g *wire.Genesis) { g.Clock.Silence, g.Clock.Grace = true, 3 })
	posts := new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	t.Cleanup(s.Close)
	_, lines := markstest.LineSigner(t, w.Keepers[0].Name())
	policy := testmust.Have(tlog.ParsePolicy(fmt.Appendf(nil, "witness anna %s %s\n# pakli keeper anna %s\nquorum anna\n", w.Keepers[0], s.URL, lines)))(t)
	id := w.State.ID()
	alter := func(b []byte) []byte { return bytes.Replace(b, []byte(`"state":"lost"`), []byte(`"state":"here"`), 1) }
	for what, c := range map[string]struct {
		dir, table, file string
		alter            func([]byte) []byte
		told             bool
	}{
		"by its id":          {"seats", id.String(), "me.seat", nil, true},
		"by a code":          {"seats", strings.ToLower(id.Code()[:8]), "me.seat", nil, true},
		"all tables":         {"seats", "", "me.seat", nil, true},
		"in brackets":        {"seats [mine]", id.String(), "me.seat", nil, true},
		"another table":      {"seats", wire.Hash{1}.String(), "me.seat", nil, false},
		"another seat":       {"seats", id.String(), "me", nil, false},
		"an altered proof":   {"seats", id.String(), "me.seat", alter, false},
		"a proof of another": {"seats", id.String(), "me.seat", func(b []byte) []byte { return b[:len(b)-1] }, false},
	} {
		posts.Store(0)
		dir := filepath.Join(t.TempDir(), c.dir)
		testmust.Do(t, os.MkdirAll(dir, 0o700))
		seat := filepath.Join(dir, "me.seat")
		identity := testmust.Have(seatfile.Create(seat, "me", ""))(t)
		r := exchange.Request{Genesis: w.Entries[0], Receipt: []byte("x"), Message: testmust.Have(exchange.SignPresence(w.Place(0), exchange.Lost, time.Now(), identity.Signer()))(t)}
		body := r.Marshal()
		if c.alter != nil {
			body = c.alter(body)
		}
		testmust.Do(t, os.WriteFile(seat+"."+id.String()+ProofSuffix, body, 0o644))
		var said bytes.Buffer
		told, stop := (&Lookout{policy: policy, Beside: filepath.Join(dir, c.file)}).TellPresence(t.Context(), command.Env{Err: &said}, identity, c.table)
		if c.told {
			testwait.Until(t, "keepers to be told: "+what, func() bool { return posts.Load() > 0 })
		}
		stop(wire.Hash{})
		if told != c.told || posts.Load() > 0 != c.told || said.Len() > 0 != (c.alter != nil) {
			t.Errorf("%s: told %v, %d requests, said %q", what, told, posts.Load(), said.String())
		}
		testmust.Do(t, identity.Close())
	}
}
