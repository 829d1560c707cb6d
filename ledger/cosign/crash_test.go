package cosign_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// cosignerCrashEnv makes this binary a cosigner that runs until it is killed.
const cosignerCrashEnv = "PAKLI_COSIGNER_CHILD"

func TestMain(m *testing.M) {
	if config := os.Getenv(cosignerCrashEnv); config != "" {
		cosignerCrashChild(config)
		os.Exit(1)
	}
	if config := os.Getenv(keeperCrashEnv); config != "" {
		keeperCrashChild(config)
		os.Exit(1)
	}
	testmust.InMemory()
	os.Exit(m.Run())
}

// cosignerChild is the setup of a cosigner in a process of its own.
type cosignerChild struct{ Dir, Skey, LogKey string }

func cosignerCrashChild(config string) {
	var c cosignerChild
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	k := testmust.Need(tlog.ParseVerifierKey(c.LogKey))
	handler, err := cosign.OpenCosigner(c.Dir, cosign.CosignerOptions{Signers: []string{c.Skey}, Logs: []tlog.PolicyLog{{Key: k}}})
	if err != nil {
		panic(err)
	}
	fmt.Println(httptest.NewServer(handler).URL)
	select {}
}

// TestCrash kills a cosigner that is shown two histories of a log at once, again
// and again. What it ever answered must be of one of them, growing. The long form
// is
//
//	PAKLI_COSIGNER_CRASHES=1000 go test -run=TestCrash -timeout=1h ./ledger/cosign
func TestCrash(t *testing.T) {
	iterations := 8
	if s := os.Getenv("PAKLI_COSIGNER_CRASHES"); s != "" {
		iterations = testmust.Have(strconv.Atoi(s))(t)
	}
	_, logKey := ledgertest.NewKey(t, logOrigin, tlog.Ed25519)
	skey, own := ledgertest.NewKey(t, "cosigner.example", tlog.Ed25519Cosignature)
	c := cosignerChild{Dir: t.TempDir(), Skey: skey, LogKey: logKey.Verifier().String()}
	const shared = 50
	a := newHistory(t, logKey).Grow(shared)
	w := &witness{t: t, key: own.Verifier(), histories: []*logHistory{a, a.BranchAt(shared)}}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w.random = rand.New(rand.NewPCG(seed, 1))
	for range iterations {
		w.run(c)
	}
	t.Logf("%d kills, %d cosignatures, the last of size %d", iterations, w.answers, w.size)
	testmust.Hold(t, w.answers != 0, "nothing was cosigned")
}

// witness remembers the answers of a cosigner.
type witness struct {
	t         *testing.T
	key       *tlog.VerifierKey
	histories []*logHistory
	random    *rand.Rand
	answers   int
	size      uint64
	root      tlog.Hash
}

// run starts the cosigner, shows it the histories in turn, and kills it.
func (w *witness) run(c cosignerChild) {
	config := testmust.Have(json.Marshal(c))(w.t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), cosignerCrashEnv+"="+string(config))
	cmd.Stderr = os.Stderr
	out := testmust.Have(cmd.StdoutPipe())(w.t)
	testmust.Do(w.t, cmd.Start())
	url := testmust.Have(bufio.NewReader(out).ReadString('\n'))(w.t)
	last := w.random.IntN(60)
	for old, n := uint64(0), 0; ; n++ {
		if n == last {
			go cmd.Process.Kill() // while it answers
		}
		h := w.histories[w.random.IntN(len(w.histories))]
		if h.Size() < old+3 {
			h.Grow(int(old + 3 - h.Size()))
		}
		size := old + w.random.Uint64N(3)
		resp, err := http.Post(strings.TrimSpace(url)+"/add-checkpoint", "", bytes.NewReader(h.RequestSince(old, size).Marshal()))
		if err != nil {
			break // killed
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			break
		}
		switch resp.StatusCode {
		case http.StatusOK:
			w.record(h, h.CheckpointAt(size), body)
			old = size
		case http.StatusConflict:
			old, err = strconv.ParseUint(strings.TrimSpace(string(body)), 10, 64)
			testmust.Requiref(w.t, err == nil && old >= w.size, "after it had cosigned size %d it says %q", w.size, body)
		case http.StatusUnprocessableEntity: // the other history
		default:
			w.t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
	}
	cmd.Wait()
}

// record checks that a cosigned checkpoint extends the last one.
func (w *witness) record(h *logHistory, c tlog.Checkpoint, lines []byte) {
	_, _, err := c.AddCosignatures(lines, w.key)
	testmust.Do(w.t, err)
	if w.answers > 0 {
		p := tlog.Consistency{Old: w.size, Size: c.Size, Hashes: h.Proof(w.size, c.Size)}
		testmust.Do(w.t, p.Verify(w.root, c.Root), "cosigned", w.size, "and", c.Size, "which is a fork")
	}
	w.answers++
	w.size, w.root = c.Size, c.Root
}

// keeperCrashEnv makes this binary a keeper that runs until it is killed.
const keeperCrashEnv = "PAKLI_KEEPER_CHILD"

// keeperChild is the setup of a keeper in a process of its own, with the log that it reads.
type keeperChild struct {
	Dir, LogKey, Lines, Keeper, Name string
	Note                             []byte
	Entries                          []cosign.HeldEntry
	Proofs                           []tlog.Inclusion
}

func (c *keeperChild) Listed(_ context.Context, _ wire.Hash, n int) ([]cosign.HeldEntry, error) {
	return c.Entries[min(n, len(c.Entries)):], nil
}

func (c *keeperChild) Inclusion(_ context.Context, index, _ uint64) (tlog.Inclusion, error) {
	for _, p := range c.Proofs {
		if p.Index == index {
			return p, nil
		}
	}
	return tlog.Inclusion{}, tlog.ErrRange
}

func (c *keeperChild) Give(context.Context, wire.Hash, []byte) error { return nil }

func keeperCrashChild(config string) {
	var c keeperChild
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	key := testmust.Need(tlog.ParseLogKey(c.LogKey))
	cp, err := tlog.ParseCheckpoint(c.Note)
	if err != nil {
		panic(err)
	}
	signer, _ := markstest.LineSigner(&testing.B{}, c.Name)
	k, err := cosign.OpenKeeper(c.Dir, cosign.KeeperOptions{
		Signer: signer, Lines: c.Lines, Keeper: c.Keeper, Keys: []note.Verifier{key}, Log: &c, Cosigned: func() tlog.Checkpoint { return cp },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(httptest.NewServer(k.Handler(http.NotFoundHandler())).URL)
	for {
		k.PassOnce(context.Background())
		time.Sleep(5 * time.Millisecond)
	}
}

// A keeper is killed repeatedly while it receives messages and requests for silence about the same
// places. Its answers must never convict it.
func TestKilledKeeper(t *testing.T) {
	w := newWorldOf(t, 0, nil)
	c := w.child(t)
	said := &keeperAnswers{holds: map[keeper.Place]*exchange.Evidence{}, t: t, key: w.o.Lines}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	lives := 4
	if testmust.Thorough() {
		lives = 60
	}
	for range lives {
		said.run(w, c, random.IntN(20)+5)
	}
	t.Logf("%d holds and %d silences answered", len(said.holds), said.silences)
	testmust.Hold(t, len(said.holds) != 0 && said.silences != 0, "nothing was said")
}

// child returns what another process needs of this world.
func (w *keeperWorld) child(t *testing.T) *keeperChild {
	t.Helper()
	list := testmust.Have(w.Listed(t.Context(), w.State.ID(), 0))(t)
	c := &keeperChild{Dir: w.dir, LogKey: w.Key.String(), Lines: w.o.Lines, Keeper: w.o.Keeper, Name: w.Keepers[0].Name(), Note: w.cp.Note, Entries: list}
	for _, e := range list {
		p := testmust.Have(w.Log.Inclusion(t.Context(), e.Index, w.cp.Size))(t)
		c.Proofs = append(c.Proofs, p)
	}
	return c
}

// keeperAnswers are the answers of a keeper over its restarts.
type keeperAnswers struct {
	t        *testing.T
	key      string
	mu       sync.Mutex
	holds    map[keeper.Place]*exchange.Evidence
	silences int
	silent   []line
}

type line struct {
	at   keeper.Place
	line []byte
}

// run makes many clients ask a keeper until it has answered "kill" times, and kills it.
func (a *keeperAnswers) run(w *keeperWorld, c *keeperChild, kill int) {
	a.t.Helper()
	config := testmust.Have(json.Marshal(c))(a.t)
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), keeperCrashEnv+"="+string(config)), os.Stderr
	out := testmust.Have(cmd.StdoutPipe())(a.t)
	testmust.Do(a.t, cmd.Start())
	url := testmust.Have(bufio.NewReader(out).ReadString('\n'))(a.t)
	url = strings.TrimSpace(url)
	var asking sync.WaitGroup
	ended := make(chan struct{})
	counted := make(chan struct{}, 1000)
	for _, ask := range []func(*keeperWorld, string, int) bool{a.hold, a.silence, a.silence} {
		asking.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-ended:
					return
				default:
				}
				if ask(w, url, rand.IntN(1000)) {
					select {
					case counted <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	for range kill {
		<-counted
	}
	testmust.Do(a.t, cmd.Process.Kill())
	close(ended)
	asking.Wait()
	_ = cmd.Wait()
	for _, s := range a.silent {
		if e := a.holds[s.at]; e != nil {
			e.Silence = s.line
			_, _, err := e.Check()
			testmust.Fail(a.t, err, "the keeper is convicted", e.Marshal())
		}
	}
}

// place returns the n-th of many places: on each entry, and on some that the log does not have.
// Messages of seat A are held only on the first of them, so that the keeper can always state silence
// on later ones.
func place(w *keeperWorld, n int, held bool) keeper.Place {
	p := w.Place(0)
	p.Seat = n % 3
	list, _ := w.Listed(context.Background(), p.Table, 0)
	switch {
	case p.Seat == 0 && held:
		p.Parent = wire.HashEntry([]byte(list[0].Text))
	case p.Seat == 0 || n%2 == 0:
		p.Parent = wire.HashEntry([]byte(list[n/6%len(list)].Text))
	default:
		p.Parent = wire.Hash{byte(n), byte(n >> 8)}
	}
	return p
}

func (a *keeperAnswers) hold(w *keeperWorld, url string, n int) bool {
	p := place(w, n, true)
	entry, err := wire.Sign(&wire.Message{Format: wire.MessageFormat, Table: p.Table, Parent: p.Parent, Seat: p.Seat, Kind: wire.KindMove, Body: []byte(`{}`), Proofs: [][]byte{}}, w.Hands[p.Seat].Signer)
	if err != nil {
		a.t.Error(err)
		return true
	}
	said := post(url+"/hold", w.request(entry))
	if said == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.holds[p] == nil {
		a.holds[p] = &exchange.Evidence{Key: a.key, Place: p, Entry: wire.HashEntry(entry), Hold: said}
	}
	return true
}

func (a *keeperAnswers) silence(w *keeperWorld, url string, n int) bool {
	p := place(w, n, false)
	r := w.request(nil)
	r.Parent, r.Seat = p.Parent, p.Seat
	said := post(url+"/silence", r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if said != nil {
		a.silences++
		a.silent = append(a.silent, line{p, said})
	}
	return said != nil
}

func post(url string, r exchange.Request) []byte {
	answer, err := http.Post(url, "text/plain", strings.NewReader(string(r.Marshal())))
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil
	}
	_, said, _ := exchange.ParseLine(string(text))
	return said
}
