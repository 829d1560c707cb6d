package house_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// go test does not see what the go tool reads, and would print "(cached)" for rules that a change has
// broken. It does see the folders that a test opens, with all their contents.
func TestMain(m *testing.M) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

type pkg struct {
	ImportPath string
	Name       string
	Doc        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// goList runs go list.
func goList(args ...string) (list []pkg, err error) {
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Doc,GoFiles,Imports,Deps"}, args...)...).Output()
	for d := json.NewDecoder(strings.NewReader(string(out))); err == nil && d.More(); {
		var p pkg
		err = d.Decode(&p)
		list = append(list, p)
	}
	return list, err
}

var ours = sync.OnceValues(func() ([]pkg, error) { return goList(module + "...") })

// all returns the packages of the module.
func all(t *testing.T) []pkg {
	t.Helper()
	return testmust.Have(ours())(t, "go list")
}

// below returns the packages in a folder and its subfolders.
func below(t *testing.T, folder string) []pkg {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(all(t)), func(p pkg) bool {
		return p.ImportPath != module+folder && !strings.HasPrefix(p.ImportPath, module+folder+"/")
	})
}

// one returns the package of this name in the module.
func one(t *testing.T, name string) pkg {
	t.Helper()
	list := all(t)
	i := slices.IndexFunc(list, func(p pkg) bool { return p.ImportPath == module+name })
	testmust.Requiref(t, i >= 0, "no package %s", name)
	return list[i]
}

// linked returns our packages among roots and all their imports, by their names in the module.
func linked(t *testing.T, roots []string) (list []pkg) {
	t.Helper()
	for _, p := range all(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		links := func(r string) bool { return r == name || slices.Contains(one(t, r).Deps, p.ImportPath) }
		if slices.ContainsFunc(roots, links) {
			p.ImportPath = name
			list = append(list, p)
		}
	}
	return list
}
