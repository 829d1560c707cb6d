package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// demoInBrowser serves the pages from this machine, opens them where a table against bots
// begins, and serves until it is told to stop.
func demoInBrowser(ctx context.Context, e env, dir string) (_ int, err error) {
	temporary := dir == ""
	if dir, err = demoDirectory(dir); err != nil {
		return exitUsage, err
	}
	if temporary {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	o := demoServer(dir)
	o.pages = "auto"
	s, err := startServer(ctx, o, e)
	if err != nil {
		return exitFail, err
	}
	page := s.url + "/?play"
	fmt.Fprintf(e.out, "Play at %s\nThe first page takes about half a minute, while its program is compiled. Stop with Ctrl-C.\n", page)
	if err := openBrowser(page); err != nil {
		fmt.Fprintln(e.err, "no browser could be opened here: open the address yourself")
	}
	select {
	case <-ctx.Done():
	case <-s.log.FailedChannel():
		err = s.log.Err()
	case err = <-s.ended:
		s.ended <- nil
	}
	return exitDone, errors.Join(err, s.stop())
}

// openBrowser opens an address as this system does. BROWSER names another way, or none.
func openBrowser(address string) error {
	command := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	if named, set := os.LookupEnv("BROWSER"); set {
		command = []string{named}
	}
	return exec.Command(command[0], append(command[1:], address)...).Start()
}
