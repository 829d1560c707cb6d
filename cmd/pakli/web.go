package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// runWeb serves the pages from this machine for a log elsewhere: a page is a program, and
// whoever serves it could hand out another one.
func runWeb(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("web", "")
	var s serverFlags
	s.addFlags(f)
	policy := f.String("policy", "", "`file` that names the cosigners of the log: a copy of a seat goes on only where they have seen its table")
	listen := f.String("listen", "127.0.0.1:8090", "`address` of this machine to serve the pages on")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if !loopback(*listen) {
		return exitUsage, wrongUsage("--listen %s: pages for this machine alone are served on 127.0.0.1; a server for others is pakli serve", *listen)
	}
	if _, err := readPolicy(*policy); err != nil {
		return exitUsage, err
	}
	if _, err := s.dialServer(ctx, e); err != nil {
		return exitFail, err
	}
	pages, err := pagesFor(s.keys[0].String(), *policy, true, s.url)
	if err != nil {
		return exitFail, err
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return exitFail, err
	}
	page := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(e.out, "pages for %s: %s\n", s.url, page)
	if err := openBrowser(page); err != nil {
		fmt.Fprintln(e.err, "no browser could be opened here: open the address yourself")
	}
	srv := &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return exitFail, err
	}
	return exitDone, nil
}
