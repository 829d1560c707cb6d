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

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
)

// A workflow runs on other machines, where nobody tries it before a release. Its commands must exist,
// its actions must be pinned, it must publish only what it made twice, and it must use a version of
// Go that can build this. Only the step that signs may have the secret key, and no step that fetches
// or builds.
func TestWorkflows(t *testing.T) {
	here := regexp.MustCompile(`(?:^|[ "])((?:\.ci|deploy)/[a-z.]+)`)
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`)
	ran := map[string]string{}
	var signing []string // commands that receive the secret
	told := 0            // places that name one
	for _, file := range testmust.Have(filepath.Glob("../../.github/workflows/*.yml"))(t) {
		var w struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Env         map[string]string
				Environment string
				Steps       []struct {
					Uses, Run string
					Env       map[string]string
				}
			}
		}
		text := testmust.Have(os.ReadFile(file))(t)
		testmust.Do(t, yaml.Unmarshal(text, &w), file)
		told += strings.Count(string(text), "secrets.")
		testmust.Hold(t, len(w.Permissions) > 0, file, "may do whatever the repository lets it")
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				testmust.Hold(t, step.Uses == "" || pinned.MatchString(step.Uses), file, name, "uses", step.Uses)
				if strings.Contains(step.Env["SECRET"], "secrets.") {
					signing = append(signing, step.Run)
					testmust.Equal(t, job.Environment, "release", file, name, "signs without anybody who agrees")
				}
				ran[filepath.Base(file)] += step.Run + "\n"
				for _, command := range here.FindAllStringSubmatch(step.Run, -1) {
					testmust.Have(os.Stat(filepath.Join("../..", command[1])))(t, file, name)
				}
			}
			if toolchain, named := strings.CutPrefix(job.Env["GOTOOLCHAIN"], "go"); named {
				mod := testmust.Have(modfile.ParseLax("go.mod", testmust.Have(os.ReadFile("../../go.mod"))(t), nil))(t)
				release := regexp.MustCompile(`^1\.\d+`)
				testmust.Equal(t, release.FindString(toolchain), release.FindString(mod.Go.Version), file, "builds with another Go than go.mod")
			}
		}
	}
	testmust.Holdf(t, len(signing) == 1 && told == 1 && !here.MatchString(signing[0]) && !regexp.MustCompile(`\b(go|docker) `).MatchString(signing[0]) && strings.Contains(signing[0], "trap 'rm"),
		"a secret key is told at %d places, to %q", told, signing)
	testmust.Hold(t, strings.Contains(ran["ci.yml"], "bash .ci/run\n"), "changes are not tested")
	made, checked := strings.Index(ran["release.yml"], `deploy/release "$TAG" dist`), strings.Index(ran["release.yml"], `deploy/release --check "$TAG" dist`)
	built, signed := strings.Index(ran["release.yml"], "docker build"), strings.Index(ran["release.yml"], "minisign -S")
	pushed, published := strings.Index(ran["release.yml"], "docker push"), strings.Index(ran["release.yml"], "gh release create")
	testmust.Holdf(t, made >= 0 && built >= 0 && signed >= max(made, built) && checked >= signed && pushed >= checked && published >= checked,
		"made at %d, image built at %d, signed at %d, made again at %d, pushed at %d, published at %d", made, built, signed, checked, pushed, published)
}

// streams are the commands that print a JSON document for each thing that they find.
var streams = []string{"score", "watch"}

// checkJSON requires exactly one document, which is not empty.
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

// A command that lists or makes something has only words for it. A script must run it with --json,
// which must give one document, unless its declaration says why there is none.
func TestEveryAnswerIsShownAsJSON(t *testing.T) {
	t.Parallel()
	var lines string
	for _, script := range testmust.Have(filepath.Glob("testdata/script/*.txt"))(t) { // including those that the race detector skips
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

// A command has no example in its help, or refuses its own example.
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
