package httpapi

import (
	"net/http"
	"net/url"

	"github.com/pakli/pakli/httpapi/limit"
)

// local tells whether a request is by a program, or a page, of this machine. A
// browser sends what any page likes to a server on loopback too, but with the
// page's origin (Fetch §3.2); and where a name from elsewhere was made to lead
// here, with that name.
func local(r *http.Request) bool {
	if !limit.Loopback(r.Host) {
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !limit.Loopback(u.Host) {
			return false
		}
	}
	return true
}
