package tables

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

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
	return testmust.Have(offer.SignJoin(o, fmt.Sprintf("%s+%08x+%s", name, hash, material), "", renamed{signer, name, hash}))(t)
}

// One player holds two places with one key under two names. The key may contain a plus sign in its
// Base64.
func TestOneKeyUnderTwoNames(t *testing.T) {
	o := newOffer(t)
	for range 40 {
		key, signer := newKey(t, "bela")
		j := testmust.Have(offer.SignJoin(o, key, "", signer))(t)
		lies := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(client.OpenOffer{ID: o.Hash, Offer: string(o.Text), Joins: []string{string(j.Text), string(again(t, o, key, "csilla", signer).Text)}, Version: 1})
		}))
		v := testmust.Have(note.NewVerifier(o.Log))(t)
		c := testmust.Have(client.New(lies.URL, v, nil))(t)
		err := (&tablelog.SeatPlace{Client: c, Offer: o}).Watch(t.Context(), func(s tablelog.SeatingState) (bool, error) {
			testmust.Holdf(t, s.Server != nil && len(s.Joins) == 0, "%s sits twice", key)
			return false, nil
		})
		lies.Close()
		testmust.Do(t, err)
	}
}

// A record of a table/v2 leaves out a deal that ends with tokens, as deals of skat do, because its
// last entry is no move.
func TestRecordOfADealThatTokensEnd(t *testing.T) {
	game, _ := games.Lookup("skat/v1")
	byTokens := 0
	for seed := uint64(0); byTokens == 0 && seed < 40; seed++ {
		p, err := tabletest.New(game, tabletest.Config{Seats: 3, Deals: 1, Suite: clear.Suite{}, Ends: &wire.Ends{Late: wire.LateUndo}}, seed)
		if err == nil {
			err = p.Play(-1)
		}
		testmust.Do(t, err)
		if e, _ := wire.Parse(p.Entries[len(p.Entries)-1]); e.Message.Kind == wire.KindMove {
			continue
		}
		byTokens++
		var r recording
		tables := replay.New(p.Catalogue(), nil, 1, r.recordStep)
		for i, entry := range p.Entries {
			tables.TakeLeaf(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
		}
		tables.SettleBatches()
		testmust.Holdf(t, r.err == nil && len(r.open) == 0 && r.last.IsOver(), "%v, %d moves of the deal are left out", r.err, len(r.open))
	}
	testmust.Hold(t, byTokens != 0, "no deal ends so: the test tests nothing")
}
