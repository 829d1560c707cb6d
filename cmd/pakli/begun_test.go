package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
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

	"github.com/pakli/pakli/cmd/pakli/seating"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// An organiser's program that ends after it has signed the table of its offer, and before the
// table is in the log: the next one must post the same table, and sign no other, whatever its
// directory is named and whatever else lies there.
func TestOrganiserPostsTheSameTableAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[club]")
	testmust.Do(t, os.Mkdir(dir, 0o700))
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "book.genesis"), []byte("In the beginning"), 0o600))
	s := serve(t, filepath.Join(dir, "data"), nil, "--ballast", "0")
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
		code, err := runOffer(ctx, env{&out, &said}, with)
		mu.Lock()
		if name == "bela" {
			if err == nil || len(posted) == 0 {
				t.Fatalf("it did not end before the table was there: %d, %v", code, err)
			}
			ctx, away = t.Context(), false
		} else if err != nil || strings.TrimSpace(out.String()) != wire.HashEntry([]byte(posted[0])).String() {
			t.Errorf("the next program says %q, %v: %s", out.String(), err, said.String())
		}
		mu.Unlock()
	}
	if all := slices.Compact(posted); len(all) != 1 {
		t.Errorf("%d tables of one offer were signed", len(all))
	}
	left, err := fs.Glob(os.DirFS(dir), "anna*.genesis")
	if err != nil || len(left) > 0 {
		t.Errorf("what is in the log is kept still: %v, %v", left, err)
	}
	if sits, _ := fs.Glob(os.DirFS(dir), "anna.seat.*.offer"); len(sits) != 1 {
		t.Errorf("the organiser's seat sits at %v", sits)
	}
	testmust.Do(t, s.end(os.Interrupt))
}

func newKey(t *testing.T, name string) (key string, signer note.Signer) {
	t.Helper()
	_, s := ledgertest.NewKey(t, name, tlog.Ed25519)
	return s.Verifier().String(), s
}

func newOffer(t *testing.T) *offer.Offer {
	t.Helper()
	key, signer := newKey(t, "anna")
	log, _ := newKey(t, "log")
	o := testmust.Have(offer.Offer{
		Table:  wire.Genesis{Game: "g/v1", Suite: "s/v1", Deals: 1, Fouls: wire.RefuseFouls, Organiser: key},
		Places: 3, Log: log, Nonce: make([]byte, wire.NonceBytes),
	}.Sign(signer))(t)
	return o
}

// renamed is a key under another name.
type renamed struct {
	note.Signer
	name string
	hash uint32
}

func (r renamed) Name() string    { return r.name }
func (r renamed) KeyHash() uint32 { return r.hash }

// again joins with the same key under another name.
func again(t *testing.T, o *offer.Offer, key, name string, signer note.Signer) *offer.Join {
	t.Helper()
	material := strings.SplitN(key, "+", 3)[2]
	raw := testmust.Have(base64.StdEncoding.DecodeString(material))(t)
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	hash := binary.BigEndian.Uint32(sum[:])
	return testmust.Have(offer.SignJoin(o, fmt.Sprintf("%s+%08x+%s", name, hash, material), renamed{signer, name, hash}))(t)
}

// One player who holds two places by one key under two names: any key, also one with a plus
// sign in its base64.
func TestOneKeyUnderTwoNames(t *testing.T) {
	o := newOffer(t)
	for range 40 {
		key, signer := newKey(t, "bela")
		j := testmust.Have(offer.SignJoin(o, key, signer))(t)
		lies := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(client.OpenOffer{ID: o.Hash, Offer: string(o.Text), Joins: []string{string(j.Text), string(again(t, o, key, "csilla", signer).Text)}, Version: 1})
		}))
		v := testmust.Have(note.NewVerifier(o.Log))(t)
		c := testmust.Have(client.New(lies.URL, v, nil))(t)
		err := (&seating.Place{Client: c, Offer: o}).Watch(t.Context(), func(s seating.State) (bool, error) {
			if s.Server == nil || len(s.Joins) > 0 {
				t.Errorf("%s sits twice", key)
			}
			return false, nil
		})
		lies.Close()
		testmust.Do(t, err)
	}
}
