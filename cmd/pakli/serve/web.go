package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
)

// Web serves the pages from this machine for a log elsewhere: a page is a program, and its server
// could hand out another one.
func Web(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	policy := f.String("policy", "", "`file` that names the cosigners of the log: a copy of a seat goes on only where they have seen its table")
	listen := f.String("listen", "127.0.0.1:8090", "`address` of this machine to serve the pages on")
	return func(ctx context.Context, e command.Env) error {
		if !loopback(*listen) {
			return command.WrongUsage("--listen %s: pages for this machine alone are served on 127.0.0.1; a server for others is pakli serve", *listen)
		}
		if _, err := flags.ReadPolicy(*policy); err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		if _, err := s.Dial(ctx, e); err != nil {
			return err
		}
		pages, err := pagesFor(s.Keys[0].String(), *policy, true, s.URL)
		if err != nil {
			return err
		}
		l, err := flags.Listen("--listen", *listen)
		if err != nil {
			return err
		}
		page := "http://" + l.Addr().String() + "/"
		fmt.Fprintf(e.Out, "pages for %s: %s\n", s.URL, page)
		if err := OpenBrowser(page); err != nil {
			fmt.Fprintln(e.Err, "no browser could be opened here: open the address yourself")
		}
		srv := &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second}
		stop := context.AfterFunc(ctx, func() { srv.Close() })
		defer stop()
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
}

// OpenBrowser opens an address in the system's way. The variable BROWSER names another way, or none.
func OpenBrowser(address string) error {
	command := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	if named, set := os.LookupEnv("BROWSER"); set {
		command = []string{named}
	}
	return exec.Command(command[0], append(command[1:], address)...).Start()
}
