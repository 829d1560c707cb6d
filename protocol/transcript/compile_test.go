//go:build !js

package transcript_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// prologue is what the programs of TestDoesNotCompile have in common.
const prologue = `package p

import (
	"io"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

type statement struct{}

func (statement) Label() string                 { return "" }
func (statement) AppendTo(b *transcript.Binder) { %s }

func f(
	m transcript.Message, c transcript.Context, suite transcript.Suite, rules transcript.Rules,
	table transcript.Table, deck transcript.Deck, keys transcript.Keys, deal transcript.Deal,
	parent transcript.Parent, kind transcript.Kind, seat transcript.Seat, name string, hash [32]byte,
	x proof.Secret, k proof.Key, old proof.MaskedCard, y *masking.Secret, in []masking.Card,
	argument bayergroth.Argument, part masking.ShuffleStatement, elements []group.Element, rand io.Reader,
) {
	%s
}
`

// exported finds what the compiler has written about the packages that the programs import.
func exported(t *testing.T) types.Importer {
	t.Helper()
	list := testmust.Have(exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./...", "../suite/elgamal/bayergroth").Output())(t)
	files := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

// TestDoesNotCompile: weak Fiat–Shamir by an oversight. Each program draws a
// challenge that is not fully bound, or a mask or nonce that is not hedged, and must
// be refused by the compiler.
func TestDoesNotCompile(t *testing.T) {
	fset := token.NewFileSet()
	check := types.Config{Importer: exported(t)}
	compile := func(inAppendTo, inF string) error {
		file := testmust.Have(parser.ParseFile(fset, "p.go", fmt.Sprintf(prologue, inAppendTo, inF), 0))(t)
		_, err := check.Check("p", fset, []*ast.File{file}, nil)
		return err
	}
	const bound = `transcript.Bind(suite, rules, table, deck, keys, deal, parent, kind, seat)`
	err := compile(`b.Bytes("a", nil)`, `transcript.New(`+bound+`.Slot(0), statement{}).Challenge("c")`)
	testmust.Requiref(t, err == nil, "the bound transcript does not compile: %v", err)
	const hedged = `x.Shuffle(c, k, nil, rand); x.Transfer(c, old, k, rand); y.Shuffle(c, y.Key(), in, rand)
		s, _ := (*transcript.Transcript).Hedge(nil, nil, rand); bayergroth.ProvePart(nil, part, masking.Opening{}, s)`
	testmust.Do(t, compile(``, hedged), "hedged masks do not compile")
	for name, program := range map[string]struct{ inAppendTo, inF, want string }{
		"draw inside a statement":     {`b.Challenge("c")`, ``, "b.Challenge undefined"},
		"no context":                  {``, `transcript.New(nil, statement{})`, "cannot use nil"},
		"no statement":                {``, `transcript.New(c)`, "not enough arguments"},
		"a message for a context":     {``, `transcript.New(m, statement{})`, "cannot use m"},
		"a part is missing":           {``, `transcript.Bind(suite, rules, table, deck, keys, deal, parent, kind)`, "not enough arguments"},
		"a deck for a table":          {``, `transcript.Bind(suite, rules, deck, table, keys, deal, parent, kind, seat)`, "cannot use deck"},
		"hashes exchanged":            {``, `transcript.Bind(suite, rules, table, keys, deck, deal, parent, kind, seat)`, "cannot use keys"},
		"names exchanged":             {``, `transcript.Bind(rules, suite, table, deck, keys, deal, parent, kind, seat)`, "cannot use rules"},
		"a bare name":                 {``, `transcript.Bind(name, rules, table, deck, keys, deal, parent, kind, seat)`, "cannot use name"},
		"a bare hash for a table":     {``, `transcript.Bind(suite, rules, hash, deck, keys, deal, parent, kind, seat)`, "cannot use hash"},
		"a bare hash for a deck":      {``, `transcript.Bind(suite, rules, table, hash, keys, deal, parent, kind, seat)`, "cannot use hash"},
		"a bare hash for the keys":    {``, `transcript.Bind(suite, rules, table, deck, hash, deal, parent, kind, seat)`, "cannot use hash"},
		"a bare hash for a parent":    {``, `transcript.Bind(suite, rules, table, deck, keys, deal, hash, kind, seat)`, "cannot use hash"},
		"a context made by hand":      {``, `_ = transcript.Context{m, 0}`, "implicit assignment"},
		"a transcript made by hand":   {``, `_ = transcript.Transcript{nil}`, "implicit assignment"},
		"a binder outside":            {``, `(&transcript.Binder{}).Challenge("c")`, "Challenge undefined"},
		"a statement without values":  {``, `transcript.New(c, struct{ X int }{})`, "missing method"},
		"a shuffle without its place": {``, `x.Shuffle(k, nil, rand)`, "not enough arguments"},
		"a hand-over without":         {``, `x.Transfer(old, k, rand)`, "not enough arguments"},
		"a mask without its place":    {``, `y.Shuffle(y.Key(), in, rand)`, "not enough arguments"},
		"a mask at a message":         {``, `x.Shuffle(m, k, nil, rand)`, "cannot use m"},
		"a mask by a bare source":     {``, `masking.Mask(y.Key(), elements[0], rand)`, "cannot use rand"},
		"nonces that are not hedged":  {``, `bayergroth.ProvePart(nil, part, masking.Opening{}, rand)`, "cannot use rand"},
		"a stream made by hand":       {``, `_ = transcript.Stream{nil}`, "implicit assignment"},
		"the state behind the binder": {`b.state.Read(nil)`, ``, "b.state undefined"},
	} {
		testmust.FailSaying(t, compile(program.inAppendTo, program.inF), program.want, name, "want an error with")
	}
}
