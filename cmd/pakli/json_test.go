package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
)

// streams print a JSON document for each thing that they come across.
var streams = []string{"score", "watch"}

// checkJSON wants one document that says something, and nothing beside it.
func checkJSON(out string, args []string) error {
	d, n := json.NewDecoder(strings.NewReader(out)), 0
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF {
			break
		}
		if m, is := v.(map[string]any); err != nil || is && len(m) == 0 {
			return fmt.Errorf("pakli %s prints no JSON, or an object without anything: %v\n%s", strings.Join(args, " "), err, out)
		}
		n++
	}
	if n == 0 || n > 1 && !slices.ContainsFunc(streams, func(s string) bool { return slices.Contains(args[:2], s) }) {
		return fmt.Errorf("pakli %s prints %d JSON documents:\n%s", strings.Join(args, " "), n, out)
	}
	return nil
}

// A command that lists or makes something, and has words alone for it: a script must run it with --json, which
// then has to be one document, or its declaration says why there is none.
func TestEveryAnswerIsShownAsJSON(t *testing.T) {
	t.Parallel()
	var lines string
	for _, script := range testmust.Have(filepath.Glob("testdata/script/*.txt"))(t) { // those too that the race detector leaves out
		lines += string(testmust.Have(os.ReadFile(script))(t))
	}
	var check func(list []command.Command, name string)
	check = func(list []command.Command, name string) {
		for _, c := range list {
			name := name + " " + c.Name
			if check(c.Commands, name); c.Commands != nil || c.NoJSON != "" {
				continue
			}
			testmust.Holdf(t, regexp.MustCompile(`(?m)^(! )?(exec )?`+name+` .*--json`).MatchString(lines), "no script runs %s --json", name)
		}
	}
	check(commands(), "pakli")
}

// Help without an example, or with one that the command refuses.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	var check func(list []command.Command)
	check = func(list []command.Command) {
		for _, c := range list {
			check(c.Commands)
			testmust.Holdf(t, c.Declare == nil || c.Examples != nil || c.Name == "version", "%s has no example", c.Name)
			for _, line := range c.Examples {
				var out, said bytes.Buffer
				words := strings.Fields(strings.ReplaceAll(line, "'", ""))
				if code := command.Dispatch(t.Context(), command.Env{Out: &out, Err: &said}, commands(), "pakli", append(words[1:], "-h")); strings.Contains(said.String(), "no flag") || code == command.ExitDone && !strings.Contains(out.String(), line) {
					t.Errorf("%s: %s", line, &said)
				}
			}
		}
	}
	check(commands())
}
