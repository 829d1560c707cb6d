//go:build ssa

package house_test

import (
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

// The tests that follow calls through compiled code are behind the tag ssa, with which .ci/run runs them: to build what reads that code,
// and to read it, is a thirtieth of go test ./... where Go's cache is empty.

// mathematics are the folders whose calls are followed: proofs, suites, and their parts.
var mathematics = []string{"protocol/proof", "protocol/proof/...", "protocol/suite", "protocol/suite/...", "protocol/transcript", "protocol/card"}

// hands are the folders of the code that plays with a secret.
var hands = []string{"protocol/player", "protocol/table/play"}

// built is the mathematics and hands with their tests, and the packages with faults that the tests
// here must find.
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

// compiled returns the mathematics, and its packages in folders except helpers of tests.
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

// isIn reports whether a package, or the package that it tests, is in one of the folders.
func isIn(p *ssa.Package, folders []string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(p.Pkg.Path(), module), "_test")
	return slices.ContainsFunc(folders, func(f string) bool { return matches(f, name) })
}

// The verifying side of a suite must not reach a prover's file, since readers of a verdict skip
// those. The walk reaches too much rather than too little: every Label and AppendTo, since the
// transcript takes any statement. It stops at functions of variable time, which is all of package
// group.
func TestVerifyReachesNoProver(t *testing.T) {
	const seam = module + "protocol/suite/elgamal"
	from := func(prover bool) *graph {
		return walk(t, func(f *ssa.Function) bool {
			return f.Pkg.Pkg.Path() == seam && isProvers(fileOf(f)) == prover
		}, mathematics)
	}
	verifying := from(false)
	for f := range verifying.seen {
		statement := f.Name() == "Label" || f.Name() == "AppendTo"
		if f.Pkg != nil && !statement && isProvers(fileOf(f)) {
			t.Errorf("%s, of %s, is reached by verifying", short(f), fileOf(f))
		}
	}
	for _, far := range []string{"bayergroth.verify", "choices.(threshold).verify", "choices.(inequality).verify", "choices.(subset).verify", "relations.(Linear).Verify", "cutandchoose.(argument).checkDecks", "rounds.(Counts).CheckDecks"} {
		testmust.Hold(t, verifying.names[far], far, "is not reached: the walk begins or ends too early")
	}
	proving := from(true)
	for _, far := range []string{"bayergroth.prove", "choices.(subset).prove", "choices.byClass", "relations.(Linear).Commit", "masking.(*Secret).Shuffle"} {
		testmust.Hold(t, proving.names[far], far, "is not reached by proving: the walk sees no prover")
	}
}

// fileOf returns the base name of the file that contains f.
func fileOf(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return filepath.Base(f.Prog.Fset.Position(f.Pos()).Filename)
}
