package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/httpapi/webpush"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// A server that tells the club's program nothing, or whose operator does not see that; whose pages do not know the key of its notifications;
// settings that mean nothing, and are found out when something is to be told.
func TestWebhookOfAServer(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said struct{ Data struct{ Link string } }
		testmust.Do(t, json.NewDecoder(r.Body).Decode(&said))
		heard <- said.Data.Link
	}))
	t.Cleanup(receiver.Close)
	secret := filepath.Join(t.TempDir(), "secret")
	testmust.Do(t, os.WriteFile(secret, []byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), 0o600))
	s := start(t, Options{organisers: anyone, operator: operatorOptions{address: "127.0.0.1:0"}, hook: hookOptions{receiver.URL, secret, "https://cards.example/"}, push: pushOptions{contact: "mailto:klub@example.org", services: webpush.UsualServices}})
	c := testmust.Have(client.New(s.URL, testmust.Have(note.NewVerifier(s.Key.Public))(t), nil))(t)
	testwait.Until(t, "the beginning of what is told", func() bool { return testmust.ErrorOf(os.Stat(filepath.Join(s.data, hookFile))) == nil })
	id := testmust.Have(player.CreateIdentity(memoryVault{}, "klub"))(t)
	e := organiser.UsualTerms()
	e.Name, e.Game = "Kupa", "tarokk/v1"
	organiser.FillSeating(e)
	entry := testmust.Have(organiser.Announce(e, id.Signer(), id.VerifierKey()))(t)
	testmust.Have(c.Announce(context.Background(), entry))(t)
	o := organiser.Organiser{Client: c, ID: wire.HashEntry(entry), Key: id.VerifierKey(), Signer: id.Signer()}
	subscribe := func(endpoint string) error {
		doc := testmust.Have(bulletin.Push{Event: o.ID, By: o.Key, Endpoint: endpoint, Key: make([]byte, 65), Auth: make([]byte, 16), Language: "hu"}.Sign(o.Signer))(t)
		return c.PostPush(context.Background(), o.ID, doc)
	}
	testmust.Do(t, subscribe("https://fcm.googleapis.com/fcm/send/x"))
	testmust.Fail(t, subscribe("https://localhost/"), "an address that is none of a push service")
	key := testmust.Have(webpush.LoadKey(filepath.Join(s.data, pushKeyFile), nil))(t)
	pages := testmust.Have(Options{Pages: "auto"}.openPages(s.Key.Public, key.Public()))(t)
	page := httptest.NewRecorder()
	pages.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/events", nil))
	testmust.Holdf(t, strings.Contains(page.Body.String(), key.Public()), "the pages do not know the key %s", key.Public())
	testmust.Have(o.Decide(context.Background(), o.ID, bulletin.DecideCancel, bulletin.RemarkBody{Text: "It rains."}))(t)
	testmust.Equal(t, <-heard, "https://cards.example/events/"+o.ID.Code()[:wire.MinCode], "the link")
	var list []webpush.Attempt
	at := strings.TrimSpace(string(testmust.Have(os.ReadFile(filepath.Join(s.data, operatorFile)))(t)))
	testwait.Until(t, "the operator's list", func() bool {
		answer := testmust.Have(http.Get(at + "/webhooks"))(t)
		defer answer.Body.Close()
		testmust.Do(t, json.NewDecoder(answer.Body).Decode(&list))
		return len(list) == 1
	})
	testmust.Holdf(t, list[0].Status == http.StatusOK && list[0].Kind == webpush.EventCancelled, "the operator sees %+v", list)
	for _, wrong := range []hookOptions{{url: receiver.URL}, {secret: secret}, {"cards.example", secret, ""}, {"file:///etc", secret, ""}, {receiver.URL, secret, "cards.example"}, {receiver.URL, receiver.URL, ""}} {
		testmust.Fail(t, testmust.ErrorOf(wrong.sender(s.data)), wrong)
	}
	testmust.Fail(t, pushOptions{contact: "klub@example.org"}.check(false), "no mailto:")
	testmust.Fail(t, pushOptions{contact: "mailto:klub@example.org"}.check(true), "on a cluster")
}

// memoryVault is a player.Vault of nobody's disk.
type memoryVault map[string][]byte

func (m memoryVault) ReadRecord(name string) ([]byte, error) {
	if record, ok := m[name]; ok {
		return record, nil
	}
	return nil, os.ErrNotExist
}

func (m memoryVault) ReplaceRecord(name string, data []byte) error { m[name] = data; return nil }
func (m memoryVault) Close() error                                 { return nil }
