//go:build ssa

package house_test

import (
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/pakli/pakli/internal/testmust"
)

// A statement some value of which no challenge depends on: then a forger
// chooses it last. prooftest.Binding changes each value of a statement; here,
// that it is called for every type of statement there is.
func TestEveryStatementIsBound(t *testing.T) {
	statements, bound := statementsAndBound(t, mathematics)
	for _, s := range statements {
		testmust.Hold(t, slices.Contains(bound, s), s, "no test calls prooftest.Binding for this statement")
	}
	testmust.Hold(t, len(statements) >= 5, "statements found", statements)
}

// A test of the statements that takes one for tested that is not.
func TestEveryStatementIsBoundSees(t *testing.T) {
	statements, bound := statementsAndBound(t, []string{"internal/house/testdata/unbound"})
	const here = module + "internal/house/testdata/unbound."
	want := []string{here + "Forgotten", here + "Wrapped", here + "inner"}
	testmust.Holdf(t, slices.Equal(statements, want), "statements: got %v, want %v", statements, want)
	want = []string{here + "Wrapped", here + "inner"}
	testmust.Holdf(t, slices.Equal(bound, want), "bound: got %v, want %v", bound, want)
}

// statementsAndBound returns the types of statements in folders, and the types for which
// the tests there call prooftest.Binding.
func statementsAndBound(t *testing.T, folders []string) (statements, bound []string) {
	t.Helper()
	b, code := compiled(t, folders)
	for _, p := range code {
		statements = append(statements, statementsOf(p)...)
	}
	for _, f := range b.functions {
		if f.Pkg != nil && isIn(f.Pkg, folders) {
			bound = append(bound, boundBy(f)...)
		}
	}
	return unique(statements), unique(bound)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// statementsOf returns the types of a package with the methods of a
// transcript.Statement.
func statementsOf(p *ssa.Package) []string {
	var list []string
	for _, m := range p.Members {
		t, ok := m.(*ssa.Type)
		if !ok || types.IsInterface(t.Type()) {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(t.Type()))
		if methods.Lookup(p.Pkg, "Label") != nil && methods.Lookup(p.Pkg, "AppendTo") != nil {
			list = append(list, t.Type().String())
		}
	}
	return list
}

// boundBy returns the types of the values with which f calls prooftest.Binding.
func boundBy(f *ssa.Function) []string {
	var list []string
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := call.Common().StaticCallee()
			if callee != nil && callee.String() == module+"protocol/proof/prooftest.Binding" {
				list = append(list, dynamicTypes(call.Common().Args[1])...)
			}
		}
	}
	return list
}

// dynamicTypes returns the types of values that an interface value is made of,
// as far back as the functions that return it.
func dynamicTypes(v ssa.Value) []string {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return []string{v.X.Type().String()}
	case *ssa.ChangeInterface:
		return dynamicTypes(v.X)
	case *ssa.Call:
		var list []string
		if callee := v.Call.StaticCallee(); callee != nil {
			for _, b := range callee.Blocks {
				if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
					list = append(list, dynamicTypes(r.Results[0])...)
				}
			}
		}
		return list
	}
	return nil
}
