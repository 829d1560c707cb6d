package httpapi

import (
	"crypto/rand"
	"net/http"
	"regexp"
)

// headerRequest names a request, in the header of request and answer, in
// problems and in the server's log.
const headerRequest = "X-Request-Id"

var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID is what the client calls its request, or a new name. What is not
// well-formed is not repeated.
func requestID(r *http.Request) string {
	if id := r.Header.Get(headerRequest); wellFormedID.MatchString(id) {
		return id
	}
	return rand.Text()
}
