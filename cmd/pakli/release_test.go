package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/pakli/pakli/internal/testmust"
)

// A workflow runs on other people's machines, where nobody tries it before it is wanted: one whose commands are not there,
// whose actions are what somebody makes of a tag later, that publishes what it has not made twice, or signs with a version
// of Go that cannot build this.
func TestWorkflows(t *testing.T) {
	here := regexp.MustCompile(`(?:^|[ "])((?:\.ci|deploy)/[a-z.]+)`)
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`)
	ran := map[string]string{}
	for _, file := range testmust.Have(filepath.Glob("../../.github/workflows/*.yml"))(t) {
		var w struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Env   map[string]string
				Steps []struct{ Uses, Run string }
			}
		}
		testmust.Do(t, yaml.Unmarshal(testmust.Have(os.ReadFile(file))(t), &w), file)
		testmust.Hold(t, len(w.Permissions) > 0, file, "may do whatever the repository lets it")
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				testmust.Hold(t, step.Uses == "" || pinned.MatchString(step.Uses), file, name, "uses", step.Uses)
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
	testmust.Hold(t, strings.Contains(ran["ci.yml"], "bash .ci/run\n"), "changes are not tested")
	made, checked := strings.Index(ran["release.yml"], `deploy/release "$TAG" dist`), strings.Index(ran["release.yml"], `deploy/release --check "$TAG" dist`)
	published := strings.Index(ran["release.yml"], "gh release create")
	if made < 0 || checked < made || published < checked {
		t.Errorf("made at %d, made again at %d, published at %d", made, checked, published)
	}
}
