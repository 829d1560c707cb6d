package parts

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/cluster/process"
	"github.com/pakli/pakli/internal/testmust"
)

// Offers are in no log: a player who is sent to another front end than the organiser finds no table, and a front end that
// is not told of the genesis entry offers the table for ever. When the one with the offers dies, nobody can offer any.
func TestOffersAreAtOneFrontEnd(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	c := &Cluster{Options: Options{Dir: dir, Programs: Programs{Proxy: proxy}, Direct: true}, logs: dir}
	var servers []*httptest.Server
	for i := range 2 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, i, r.Header["X-Forwarded-For"]) }))
		t.Cleanup(s.Close)
		servers = append(servers, s)
		c.FrontEnds = append(c.FrontEnds, &FrontEnd{URL: s.URL, Process: process.New(dir, process.Command{Name: fmt.Sprintf("front-%d", i+1)})})
	}
	testmust.Do(t, c.startProxy(t.Context()))
	defer c.Proxy.Kill()
	seen := func(method, path string) map[string]int {
		list := map[string]int{}
		for range 8 {
			list[proxied(t, method, c.URL+path)]++
		}
		return list
	}
	for path, method := range map[string]string{"/v1/offers": "GET", "/v1/offers/1/joins": "POST", "/v1/tables": "POST"} {
		if got := seen(method, path); len(got) != 1 || got["0 [127.0.0.1]"] != 8 {
			t.Errorf("%s %s is answered by %v", method, path, got)
		}
	}
	if got := seen("GET", "/v1/tables"); len(got) != 2 {
		t.Errorf("tables are listed by %v", got)
	}
	servers[0].Close()
	for deadline := time.Now().Add(time.Minute); proxied(t, "GET", c.URL+"/v1/offers") != "1 [127.0.0.1]"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody has offers since the first front end has died")
		}
	}
}

// proxied asks, as somebody who says that he is somebody else.
func proxied(t *testing.T, method, url string) string {
	t.Helper()
	r := testmust.Have(http.NewRequestWithContext(context.Background(), method, url, nil))(t)
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	resp := testmust.Have(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	var body [64]byte
	n, _ := resp.Body.Read(body[:]) // at its end there is an error besides
	return string(body[:n])
}
