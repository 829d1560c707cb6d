package main

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// listing is a server that shows a log as it is, and lists of its events what it likes.
type listing struct {
	log  *ledger.Ledger
	rows []wire.Hash
}

func (l *listing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer []byte
	var err error
	switch tile, isTile := tlog.ParseTilePath(strings.TrimPrefix(r.URL.Path, "/")); {
	case isTile == nil:
		answer, err = l.log.Tile(r.Context(), tile)
	case r.URL.Path == "/v1/events":
		var list client.EventList
		for i, id := range l.rows {
			list.Events = append(list.Events, client.EventSummary{ID: id, Index: uint64(i), Name: "Cup"})
		}
		answer, err = json.Marshal(list)
	default:
		var c tlog.Checkpoint
		c, err = l.log.Checkpoint(r.Context())
		answer = c.Note
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
	w.Write(answer)
}

// events puts events into the log, and other entries, until two events begin with the same digit.
func (l *listing) events(t *testing.T, signer note.Signer, vkey string) (one, like wire.Hash) {
	t.Helper()
	begun := map[byte]wire.Hash{}
	for {
		e := testmust.Have(readEvent(strings.NewReader("name = Cup\ngame = schwarzer-peter\n")))(t)
		entry := testmust.Have(announce(e, signer, vkey))(t)
		for _, entry := range [][]byte{entry, append([]byte("no event: "), entry...)} {
			testmust.Have(l.log.Append(t.Context(), entry))(t)
		}
		id := wire.HashEntry(entry)
		if one, twice := begun[id.String()[0]]; twice {
			return one, id
		}
		begun[id.String()[0]] = id
	}
}

// A server that lists an event whose id somebody has searched for until it began like that of
// another, or had its code, and that lists one of them, both, or one that its log does not have:
// nobody is led into the one for the other. (Attack 35)
func TestTwoEventsOfOneCode(t *testing.T) {
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, "cards.example", rand.Reader))(t)
	o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
	testmust.Do(t, ledger.Create(dir, o))
	l := new(listing)
	l.log = testmust.Have(ledger.Open(dir, o))(t)
	defer l.log.Close()
	one, like := l.events(t, key.Signer, key.Public)
	pages := httptest.NewServer(l)
	defer pages.Close()
	verifier := testmust.Have(note.NewVerifier(key.Public))(t)
	invented := one
	invented[31] ^= 1
	for _, c := range []struct {
		what, text string
		listed     []wire.Hash
		found      bool
	}{
		{"by its code", one.Code()[:wire.MinCode], []wire.Hash{one, like}, true},
		{"by its whole id", one.String(), nil, true},
		{"by how both begin", one.String()[:1], []wire.Hash{one, like}, false},
		{"by how both begin, of which one is listed", one.String()[:1], []wire.Hash{one}, false},
		{"by the code of two that are listed", one.Code()[:wire.MinCode], []wire.Hash{one, invented}, false},
		{"by the code of one that the log does not have", one.Code()[:wire.MinCode], []wire.Hash{invented}, false},
		{"by nothing", "", []wire.Hash{one}, false},
		{"by a code of none", "K7QX2M4P", []wire.Hash{one}, false},
	} {
		server := testmust.Have(client.New(pages.URL, verifier, nil))(t)
		l.rows = c.listed
		if id, err := eventNamed(t.Context(), server, c.text); (err == nil) != c.found || c.found && id != one {
			t.Errorf("%s: %v, %v", c.what, id, err)
		}
	}
}
