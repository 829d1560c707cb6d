package cosign_test

import (
	"bufio"
	"bytes"
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
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// crashEnv makes this binary a cosigner that runs until it is killed.
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
	testfile.InMemory()
	os.Exit(m.Run())
}

// child is what a child needs to know.
type cosignerChild struct{ Dir, Skey, LogKey string }

func cosignerCrashChild(config string) {
	var c cosignerChild
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	k, err := tlog.ParseVerifierKey(c.LogKey)
	if err != nil {
		panic(err)
	}
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

// witness remembers what a cosigner has answered.
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
			if old, err = strconv.ParseUint(strings.TrimSpace(string(body)), 10, 64); err != nil || old < w.size {
				w.t.Fatalf("after it had cosigned size %d it says %q", w.size, body)
			}
		case http.StatusUnprocessableEntity: // the other history
		default:
			w.t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
	}
	cmd.Wait()
}

// record checks that a cosigned checkpoint grew out of the last one.
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
