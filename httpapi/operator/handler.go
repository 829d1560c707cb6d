package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/http"
	"strings"

	"github.com/pakli/pakli/httpapi/limit"
)

// Handler serves /metrics, /readyz and /livez. With a token the first two want it
// as a bearer token (RFC 6750). Without one they are for this machine, and have to
// be asked for under a name of it: a page whose name was made to lead here has
// another.
func Handler(m *Metrics, h Health, token string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", guarded(token, m.handler()))
	mux.Handle("GET /readyz", guarded(token, http.HandlerFunc(h.ready)))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "alive\n") })
	return mux
}

// guarded compares hashes, in constant time: neither the token nor its length
// can be found by trying.
func guarded(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(said))
		if token != "" && (subtle.ConstantTimeCompare(got[:], want[:]) != 1 || !bearer) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the operator's token is needed", http.StatusUnauthorized)
			return
		}
		if token == "" && !limit.Loopback(r.Host) {
			http.Error(w, "this is for programs of its own machine", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
