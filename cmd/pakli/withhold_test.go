package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// withhold shows $SERVER at an address of its own, and sets a variable to that. As long as there is
// a file of the variable's name it takes no message: whoever posts one there is told to come again.
func withhold(ts *testscript.TestScript, args []string) {
	server, err := url.Parse(ts.Getenv("SERVER"))
	ts.Check(err)
	proxy, file := httputil.NewSingleHostReverseProxy(server), ts.MkAbs(args[0])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(file); err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}
