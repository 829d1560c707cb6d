package trial_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

// turning shows the first log a few times, and then the second.
type turning struct {
	urls  []string
	asked atomic.Int32
}

func (s *turning) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := s.urls[min(int(s.asked.Load())/3, len(s.urls)-1)]
	if r.URL.Path == "/checkpoint" {
		s.asked.Add(1)
	}
	target, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}).ServeHTTP(w, r)
}
