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

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/pakli/pakli/internal/testmust"
)

// What the go tool reads go test does not see, and would say "(cached)" of rules that a
// change has broken. It does see the folders that a test opens, with all that is in them.
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

// all are the packages of the module.
func all(t *testing.T) []pkg {
	t.Helper()
	list := testmust.Have(ours())(t, "go list")
	return list
}

// below are those in a folder and all its folders.
func below(t *testing.T, folder string) []pkg {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(all(t)), func(p pkg) bool {
		return p.ImportPath != module+folder && !strings.HasPrefix(p.ImportPath, module+folder+"/")
	})
}

// one is the package of that name in the module.
func one(t *testing.T, name string) pkg {
	t.Helper()
	list := all(t)
	i := slices.IndexFunc(list, func(p pkg) bool { return p.ImportPath == module+name })
	testmust.Requiref(t, i >= 0, "no package %s", name)
	return list[i]
}

// linked are our packages among roots and all they import, by their names in the
// module.
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

// mathematics are the folders whose calls are followed: proofs, suites, and what they are
// made of.
var mathematics = []string{"protocol/proof", "protocol/proof/...", "protocol/suite", "protocol/suite/...", "protocol/transcript", "protocol/card"}

// hands are the folders of what plays with a secret.
var hands = []string{"protocol/player", "protocol/table/play"}

// built is the mathematics and hands with their tests, and what the tests of this package try
// themselves on.
type built struct {
	program   *ssa.Program
	code      []*ssa.Package  // what is no test
	functions []*ssa.Function // of code and tests, in order
}

var load = sync.OnceValues(func() (b built, err error) {
	patterns := []string{"./testdata/careless", "./testdata/unbound"}
	for _, m := range slices.Concat(mathematics, hands) {
		patterns = append(patterns, module+m)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Tests: true}, patterns...)
	if err != nil {
		return b, err
	}
	for _, p := range loaded {
		for _, e := range p.Errors {
			return b, e
		}
	}
	var all []*ssa.Package
	b.program, all = ssautil.Packages(loaded, ssa.InstantiateGenerics)
	b.program.Build()
	for i, p := range all {
		if p != nil && loaded[i].ID == loaded[i].PkgPath {
			b.code = append(b.code, p)
		}
	}
	for f := range ssautil.AllFunctions(b.program) {
		b.functions = append(b.functions, f)
	}
	slices.SortFunc(b.functions, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	return b, nil
})

// compiled is the mathematics, and its packages in folders that are no helps for tests.
func compiled(t *testing.T, folders []string) (b built, code []*ssa.Package) {
	t.Helper()
	b = testmust.Have(load())(t)
	for _, p := range b.code {
		if isIn(p, folders) && !slices.Contains(helpsTests, strings.TrimPrefix(p.Pkg.Path(), module)) {
			code = append(code, p)
		}
	}
	return b, code
}

// isIn reports whether a package, or that which it tests, is in one of the folders.
func isIn(p *ssa.Package, folders []string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(p.Pkg.Path(), module), "_test")
	return slices.ContainsFunc(folders, func(f string) bool { return matches(f, name) })
}
