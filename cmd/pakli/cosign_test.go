package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pakli/pakli/ledger/tlog"
)

// writePolicy writes a policy of the log and the cosigners in directories, once
// they answer:
//
//	writepolicy FILE all|any|K DIR...
//
// A second key of one in DIR is the witness DIR-mldsa. Keepers are named as such.
func writePolicy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: writepolicy FILE all|any|K DIR...")
	}
	text, names := "log "+ts.Getenv("LOGKEY")+"\n", ""
	for _, dir := range args[2:] {
		var url []byte
		until(ts, "a cosigner in "+dir, func() bool {
			var err error
			url, err = os.ReadFile(ts.MkAbs(filepath.Join(dir, "url")))
			return err == nil && len(url) > 0
		})
		for file, suffix := range map[string]string{"cosigner.key": "", "cosigner-mldsa.key": "-mldsa"} {
			key, err := os.ReadFile(ts.MkAbs(filepath.Join(dir, file)))
			if os.IsNotExist(err) {
				continue
			}
			ts.Check(err)
			name := dir + suffix
			text += fmt.Sprintf("witness %s %s %s", name, strings.Split(string(key), "\n")[1], url)
			names += " " + name
		}
		if key, err := os.ReadFile(ts.MkAbs(filepath.Join(dir, "keeper.key"))); err == nil {
			text += fmt.Sprintf("# pakli keeper %s %s\n", dir, strings.Split(string(key), "\n")[1])
		}
	}
	text += "group wanted " + args[1] + names + "\nquorum wanted\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// waitCosigned waits until enough cosigners have seen N entries of $SERVER, or all that it has now:
//
//	waitcosigned [N]
func waitCosigned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: waitcosigned [N]")
	}
	size := func(path string) (n uint64) {
		resp, err := http.Get(ts.Getenv("SERVER") + path)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			return 0
		}
		c, err := tlog.ParseCheckpoint(b)
		ts.Check(err)
		return c.Size
	}
	want := size("/checkpoint")
	if len(args) == 1 {
		var err error
		want, err = strconv.ParseUint(args[0], 10, 64)
		ts.Check(err)
	}
	until(ts, fmt.Sprintf("%d cosigned entries", want), func() bool { return size("/cosigned/checkpoint") >= want })
}

// listenAgain sets $LISTEN to the address where a process with this directory
// answered last.
func listenAgain(ts *testscript.TestScript, args []string) {
	url := ts.ReadFile(filepath.Join(args[0], "url"))
	ts.Setenv("LISTEN", strings.TrimPrefix(strings.TrimSpace(url), "http://"))
}

// hasLine looks for a line, literally.
func hasLine(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: hasline FILE LINE")
	}
	if slices.Contains(strings.Split(ts.ReadFile(args[0]), "\n"), args[1]) == neg {
		ts.Fatalf("%s: line %q, want the opposite", args[0], args[1])
	}
}
