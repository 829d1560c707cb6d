package suite_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
)

// instance is files of one package, which are also made over other groups. An argument
// has one source, and no value of one group is one of another (docs/design/rings.md, A
// further group).
type instance struct{ from, files string }

// copies are the packages that are made over a group, and how what they say of ristretto255 is
// called there.
type copies struct {
	renamed *strings.Replacer
	bits    string
	of      []instance
}

var (
	over2048 = strings.NewReplacer("ristretto255", "qr2048")
	over3072 = strings.NewReplacer("ristretto255", "qr3072", "sra255", "sra3072")
	shorter  = strings.NewReplacer("qr3072", "qr2048")
)

// arguments are what a suite of ElGamal cards is made of.
var arguments = []instance{
	{"ristretto255/group", "batch parser random vector"},
	{"ristretto255/masking", "masking card secret shuffle"},
	{"ristretto255/ownership", "ownership prove"},
	{"ristretto255/reveal", "reveal prove"},
	{"ristretto255/transfer", "transfer prove"},
	{"ristretto255/shuffle", "shuffle prove"},
	{"ristretto255/bayergroth", "bayergroth composed prove verify"},
	{"ristretto255/threshold", "threshold prove verify"},
	{"ristretto255/inequality", "inequality prove"},
	{"ristretto255/sorting", "sorting"},
	{"ristretto255/subset", "subset prove"},
	{"ristretto255/condition", "condition choose prove verify"},
	{"ristretto255/disjunction", "disjunction prove"},
	{"ristretto255/arrange", "arrange prove"},
	{"ristretto255/mint", "mint prove"},
	{"ristretto255", "encoding values ristretto255 asked secret"},
}

var instances = []copies{
	{over3072, "3072", arguments},
	{over3072, "3072", []instance{{"sra255/lock", "lock disclosed secret"}, {"sra255", "sra255 disclosed secret"}}},
	{over2048, "2048", arguments},
	{over2048, "2048", []instance{{"ristretto255/cutandchoose", "cutandchoose asked prove"}}},
	{shorter, "2048", []instance{{"qr3072/group", "element hash multiply scalar"}}},
}

// TestInstances: a copy that is not what its source is, so that a mend of one group never
// comes to the other.
func TestInstances(t *testing.T) {
	for _, c := range instances {
		for _, i := range c.of {
			for _, name := range strings.Fields(i.files) {
				c.check(t, filepath.Join(i.from, name+".go"))
			}
		}
	}
}

// check compares the copy of a file, or writes it anew.
func (c copies) check(t *testing.T, from string) {
	t.Helper()
	testfile.Same(t, c.renamed.Replace(from), c.copyOf(t, from))
}

// copyOf is a file with other imports and names, and another comment of the package.
func (c copies) copyOf(t *testing.T, from string) string {
	t.Helper()
	b := testmust.Have(os.ReadFile(from))(t)
	file := testmust.Have(parser.ParseFile(token.NewFileSet(), from, b, parser.ParseComments|parser.PackageClauseOnly))(t)
	comment := ""
	if file.Doc != nil {
		comment = c.comment(file.Name.Name, filepath.ToSlash(filepath.Dir(from)))
	}
	return "// Code generated from " + filepath.ToSlash(from) + " by go generate ./protocol/suite; DO NOT EDIT.\n\n" +
		comment + c.renamed.Replace(string(b[file.Package-1:]))
}

// comment is that of a package over the other group.
func (c copies) comment(name, from string) string {
	return "// Package " + c.renamed.Replace(name) + " is protocol/suite/" + from + " over the classes of squares modulo the " + c.bits + "-bit\n" +
		"// prime of RFC 3526 (package protocol/suite/qr" + c.bits + "/group) in place of ristretto255.\n"
}
