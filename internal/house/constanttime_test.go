//go:build ssa

package house_test

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/pakli/pakli/internal/testmust"
)

// handlesSecrets are the packages that know a secret: those of the prover and of masking. rootOf
// finds their roots, and those of hands.
var handlesSecrets = []string{"protocol/proof/...", "protocol/suite/..."}

// group computes for prover and verifier. Its use of a secret is reached from the package that knows
// the secret; its own functions are no roots.
const group = "protocol/suite/group"

// groups are group and the arithmetic below it.
var groups = []string{group, "protocol/suite/modp"}

// helpsTests are packages among them that only tests and benchmarks use.
var helpsTests = []string{"protocol/proof/prooftest", "protocol/suite/elgamal/handtest"}

// reached are functions at the far ends of the walk, which it must reach.
var reached = []string{
	"masking.Remask", "masking.(*Secret).Token", "transcript.(*Transcript).Hedge", "bayergroth.prove", "choices.ProveCondition",
	"player.(Hand).DisputedCard", "play.Peek", "masking.(*Deck).Face", "modp.(*Modulus).Exp", "modp.(*Comb).Exp", "voi.(*Point).SmallMultiMultiply", "voi.(*Table).Multiply", "voi.(*Point).Choose",
}

// TestConstantTime finds time that depends on a secret. From a function that handles a secret, no
// function of variable time may be reached: one with Vartime in its name, one of a package of
// variable time, a comparison of strings, arrays or structs, a map, or a division. The walk reaches
// too much rather than too little: a call of an interface's method reaches every method of ours that
// implements it, and a mentioned function counts as called.
//
// The walk does not follow values, so it sees no branch on a secret bit and no secret index, and it
// trusts the libraries. Reviewers look for both.
//
// In packages player and play it covers what a hand signs and reads, and stops at questions to a
// game's state and rules. It ignores what a program does with the faces that it has read: rules,
// scenes and computer players branch on them, which only the person who runs them can observe, and
// the time at which a seat answers is no secret (46.10).
func TestConstantTime(t *testing.T) {
	g := walk(t, rootsIn(slices.Concat(handlesSecrets, hands)), slices.Concat(mathematics, hands))
	harmless, found := map[string]string{}, map[string]bool{} // findings that are no faults, and why no secret can be told from the time
	for line := range strings.Lines(string(testmust.Have(os.ReadFile("testdata/harmless.txt"))(t))) {
		finding, reason, _ := strings.Cut(strings.TrimSpace(line), "\t")
		harmless[finding] = reason
	}
	for _, f := range g.findings {
		found[f.String()] = true
		testmust.Holdf(t, harmless[f.String()] != "", "%s\n\treached by %s", f, strings.Join(f.path, " → "))
	}
	for known := range harmless {
		testmust.Hold(t, found[known], known, "is called harmless, and is not there any more")
	}
	for _, name := range reached {
		testmust.Hold(t, g.names[name], name, "is not reached: the walk begins or ends too early")
	}
}

// The test of constant time must find faults: every root of package careless has one.
func TestConstantTimeSees(t *testing.T) {
	seen := map[string]string{}
	const here = "internal/house/testdata/careless"
	for _, f := range walk(t, rootsIn([]string{here}), []string{here, group, group + "/..."}).findings {
		seen[strings.TrimPrefix(f.path[0], "careless.")] += f.what
	}
	want := map[string]string{
		"ProveDirectly": "calls VartimeMultiMul", "ProveThroughCall": "calls VartimeMultiMul",
		"ProveThroughInterface": "calls VartimeMultiMul", "ProveThroughValue": "calls VartimeMultiMul$bound",
		"ProveThroughClosure": "calls VartimeMultiMul", "ProveThroughVariable": "calls VartimeMultiMul",
		"ProveThroughGeneric": "calls VartimeMultiMul",
		"Randomised":          "calls VartimeMultiMul", "(Secret).Use": "calls VartimeMultiMul",
		"ProveByBigInteger": "calls math/big.SetBytes", "ProveByBytes": "calls bytes.Equal",
		"ProveByString": "compares string", "ProveByValue": "compares group.Scalar",
		"ProveByMap": "looks up a map", "ProveBySearch": "calls slices.Contains", "ProveByDivision": "divides",
	}
	testmust.Holdf(t, maps.Equal(seen, want), "got  %v\nwant %v", seen, want)
}

// finding is a place where time may depend on a secret.
type finding struct {
	function, what string
	path           []string // from a root
}

func (f finding) String() string { return f.function + ": " + f.what }

// walk follows the calls from the roots among the packages in folders.
func walk(t *testing.T, isRoot func(*ssa.Function) bool, folders []string) *graph {
	t.Helper()
	b, code := compiled(t, folders)
	g := &graph{program: b.program, seen: map[*ssa.Function]bool{}, names: map[string]bool{}}
	for _, p := range code {
		g.addTypes(p)
	}
	for _, f := range b.functions {
		if f.Pkg != nil && f.Synthetic == "" && slices.Contains(b.code, f.Pkg) && isIn(f.Pkg, folders) && isRoot(f) {
			g.visit(f, nil)
		}
	}
	return g
}

// rootsIn returns a function that reports whether a function in folders handles a secret.
func rootsIn(folders []string) func(*ssa.Function) bool {
	return func(f *ssa.Function) bool { return rootOf(f, folders) }
}

// rootOf reports whether f handles a secret: it proves, it is a method of a secret or a hand, it
// takes a secret or reads a face, or, outside the hands, it takes randomness.
func rootOf(f *ssa.Function, folders []string) bool {
	name := strings.TrimPrefix(f.Pkg.Pkg.Path(), module)
	within := func(pattern string) bool { return matches(pattern, name) }
	if !slices.ContainsFunc(folders, within) || slices.ContainsFunc(groups, func(g string) bool { return strings.HasPrefix(name, g) }) || slices.Contains(helpsTests, name) {
		return false
	}
	if strings.HasPrefix(f.Name(), "Prove") {
		return true
	}
	if r := f.Signature.Recv(); r != nil && (slices.Contains([]string{"secret", "hand"}, strings.ToLower(named(r.Type()))) || f.Name() == "Face") {
		return true
	}
	for v := range f.Signature.Params().Variables() {
		if v.Type().String() == module+"protocol/proof.Secret" {
			return true
		}
	}
	if slices.Contains(hands, name) {
		return false
	}
	for v := range f.Signature.Params().Variables() {
		if v.Type().String() == "io.Reader" {
			return true
		}
	}
	return false
}

// named returns the name of a type, or of the type that it points to.
func named(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// graph is the walk over the calls.
type graph struct {
	program  *ssa.Program
	types    []types.Type // of our packages, and pointers to them
	seen     map[*ssa.Function]bool
	names    map[string]bool // of seen
	findings []finding
}

func (g *graph) addTypes(p *ssa.Package) {
	for _, m := range p.Members {
		t, ok := m.(*ssa.Type)
		if !ok || types.IsInterface(t.Type()) {
			continue
		}
		if n, ok := t.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			continue
		}
		g.types = append(g.types, t.Type(), types.NewPointer(t.Type()))
	}
}

// visit checks f and everything that it reaches for the first time.
func (g *graph) visit(f *ssa.Function, path []string) {
	if g.seen[f] {
		return
	}
	g.seen[f], g.names[short(f)] = true, true
	path = append(slices.Clone(path), short(f))
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if what := variable(i); what != "" {
				g.find(f, what, path)
			}
			for _, callee := range g.mentioned(i) {
				if what := forbiddenCall(callee); what != "" {
					g.find(f, what, path)
					continue
				}
				g.visit(callee, path)
			}
		}
	}
}

func (g *graph) find(f *ssa.Function, what string, path []string) {
	n := finding{short(f), what, path}
	if !slices.ContainsFunc(g.findings, func(o finding) bool { return o.String() == n.String() }) {
		g.findings = append(g.findings, n)
	}
}

// short returns the name of a function with only the last element of its package.
func short(f *ssa.Function) string {
	if f.Pkg == nil {
		return f.String()
	}
	return f.Pkg.Pkg.Name() + "." + f.RelString(f.Pkg.Pkg)
}

// mentioned returns the functions that an instruction calls or passes on: directly, by an interface's
// method, or from a variable that a package's initialisation sets.
func (g *graph) mentioned(i ssa.Instruction) []*ssa.Function {
	var list []*ssa.Function
	if call, ok := i.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
		list = g.implementations(call.Common())
	}
	for _, v := range i.Operands(nil) {
		switch v := (*v).(type) {
		case *ssa.Function:
			list = append(list, v)
		case *ssa.Global:
			list = append(list, setUp(v)...)
		}
	}
	return list
}

// implementations returns the methods of our types that a call of an interface's method may reach.
func (g *graph) implementations(c *ssa.CallCommon) []*ssa.Function {
	var list []*ssa.Function
	face := c.Value.Type().Underlying().(*types.Interface)
	for _, t := range g.types {
		if !types.Implements(t, face) {
			continue
		}
		if s := g.program.MethodSets.MethodSet(t).Lookup(c.Method.Pkg(), c.Method.Name()); s != nil {
			list = append(list, g.program.MethodValue(s))
		}
	}
	return list
}

// setUp returns the functions that initialisation uses to set a variable from which functions can
// come.
func setUp(v *ssa.Global) []*ssa.Function {
	if v.Pkg == nil || v.Pkg.Func("init") == nil {
		return nil
	}
	var list []*ssa.Function
	for _, b := range v.Pkg.Func("init").Blocks {
		for _, i := range b.Instrs {
			if s, ok := i.(*ssa.Store); ok && s.Addr == v {
				list = append(list, functionsIn(s.Val)...)
			}
		}
	}
	return list
}

// functionsIn returns the functions in an expression.
func functionsIn(v ssa.Value) []*ssa.Function {
	if f, ok := v.(*ssa.Function); ok {
		return []*ssa.Function{f}
	}
	i, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	var list []*ssa.Function
	for _, o := range i.Operands(nil) {
		list = append(list, functionsIn(*o)...)
	}
	return list
}

// variablePackages take variable time in all functions.
var variablePackages = []string{"bytes", "math/big", "math/rand", "math/rand/v2", "reflect", "sort", "strings"}

// searching are prefixes of functions in package slices that return early.
var searching = []string{"Binary", "Compact", "Compare", "Contains", "Equal", "Index", "IsSorted", "Max", "Min", "Sort"}

// forbiddenCall returns what is wrong with calling f, or "".
func forbiddenCall(f *ssa.Function) string {
	if strings.Contains(strings.ToLower(f.Name()), "vartime") {
		return "calls " + f.Name()
	}
	if o := f.Origin(); o != nil {
		f = o // of an instance of a generic function
	}
	if f.Object() == nil || f.Object().Pkg() == nil {
		return ""
	}
	path := f.Object().Pkg().Path()
	begins := func(prefix string) bool { return strings.HasPrefix(f.Name(), prefix) }
	if slices.Contains(variablePackages, path) || path == "slices" && slices.ContainsFunc(searching, begins) {
		return fmt.Sprintf("calls %s.%s", path, f.Name())
	}
	return ""
}

// variable returns what takes variable time in an instruction other than a call, or "".
func variable(i ssa.Instruction) string {
	switch i := i.(type) {
	case *ssa.Lookup:
		if _, ok := i.X.Type().Underlying().(*types.Map); ok {
			return "looks up a map"
		}
	case *ssa.MapUpdate:
		return "sets in a map"
	case *ssa.BinOp:
		switch i.Op {
		case token.QUO, token.REM:
			if _, constant := i.Y.(*ssa.Const); !constant {
				return "divides"
			}
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			return comparison(i.X.Type())
		}
	}
	return ""
}

// comparison returns what takes variable time in a comparison of two values of a type, or "".
func comparison(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return ""
		}
	case *types.Array, *types.Struct:
	default:
		return ""
	}
	return "compares " + types.TypeString(t, (*types.Package).Name)
}

// If no challenge depended on some value of a statement, a forger could choose that value last.
// prooftest.Binding changes each value of a statement; this test requires a call of it for every type
// of statement.
func TestEveryStatementIsBound(t *testing.T) {
	statements, bound := statementsAndBound(t, mathematics)
	for _, s := range statements {
		testmust.Hold(t, slices.Contains(bound, s), s, "no test calls prooftest.Binding for this statement")
	}
	testmust.Hold(t, len(statements) >= 5, "statements found", statements)
}

// The test of the statements must see a type that is not tested.
func TestEveryStatementIsBoundSees(t *testing.T) {
	statements, bound := statementsAndBound(t, []string{"internal/house/testdata/unbound"})
	const here = module + "internal/house/testdata/unbound."
	want := []string{here + "Forgotten", here + "Wrapped", here + "inner"}
	testmust.Holdf(t, slices.Equal(statements, want), "statements: got %v, want %v", statements, want)
	want = []string{here + "Wrapped", here + "inner"}
	testmust.Holdf(t, slices.Equal(bound, want), "bound: got %v, want %v", bound, want)
}

// statementsAndBound returns the types of statements in folders, and the types for which tests there
// call prooftest.Binding.
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

// dynamicTypes returns the types of the values from which an interface value is made, back through
// the functions that return it.
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
