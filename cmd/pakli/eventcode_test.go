package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/wire"
)

// A server that lists an event of its own whose id somebody has searched for until its code was
// that of another, or that begins like it: nobody is led into the one for the other. (Attack 35)
func TestTwoEventsOfOneCode(t *testing.T) {
	_, vkey, err := note.GenerateKey(rand.Reader, "cards.example")
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	real, found := wire.HashEntry([]byte("real")), wire.HashEntry([]byte("real"))
	found[31] ^= 1
	other := wire.HashEntry([]byte("other"))
	listed := []wire.Hash{real, other}
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var rows []string
		for i, id := range listed {
			rows = append(rows, fmt.Sprintf(`{"id":"%s","index":%d,"name":"Cup"}`, id, i))
		}
		fmt.Fprintf(w, `{"events":[%s]}`, strings.Join(rows, ","))
	}))
	defer pages.Close()
	ask := func(text string) (wire.Hash, error) {
		c, err := client.New(pages.URL, key, nil)
		if err != nil {
			t.Fatal(err)
		}
		return eventNamed(t.Context(), c, text)
	}
	if id, err := ask(real.Code()[:wire.MinCode]); err != nil || id != real {
		t.Errorf("one of the code: %v, %v", id, err)
	}
	if id, err := ask(found.String()); err != nil || id != found {
		t.Errorf("a whole id: %v, %v", id, err)
	}
	listed = append(listed, found)
	for _, text := range []string{real.Code()[:wire.MinCode], real.String()[:40], "", "K7QX2M4P"} {
		if id, err := ask(text); err == nil {
			t.Errorf("%q is %v, of two", text, id)
		}
	}
}
