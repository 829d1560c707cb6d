package suite_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// instance is files of one group, which are also made over the group qr3072. An argument
// has one source, and no value of one group is one of another (docs/design/rings.md, A
// further group).
type instance struct{ from, to, files string }

var instances = []instance{
	{"ristretto255/group", "qr3072/group", "batch parser random"},
	{"ristretto255/masking", "qr3072/masking", "masking card secret shuffle"},
	{"ristretto255/ownership", "qr3072/ownership", "ownership prove"},
	{"ristretto255", "qr3072", "encoding values"},
	{"sra255/lock", "sra3072/lock", "lock disclosed secret"},
	{"sra255", "sra3072", "sra255 disclosed secret"},
}

// TestInstances: a copy that is not what its source is, so that a mend of one group never
// comes to the other.
func TestInstances(t *testing.T) {
	for _, i := range instances {
		for _, name := range strings.Fields(i.files) {
			path := filepath.Join(i.to, over3072.Replace(name)+".go")
			want := i.instanceOf(t, filepath.Join(i.from, name+".go"))
			if *update {
				if err := os.MkdirAll(i.to, 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s is stale (%v): go generate ./protocol/suite", path, err)
			}
		}
	}
}

// over3072 renames what is of ristretto255.
var over3072 = strings.NewReplacer("ristretto255", "qr3072", "sra255", "sra3072")

// instanceOf is a file with other imports and names, and another comment of the package.
func (i instance) instanceOf(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, b, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	comment := ""
	if file.Doc != nil {
		comment = i.comment(file)
	}
	return "// Code generated from " + filepath.ToSlash(path) + " by go generate ./protocol/suite; DO NOT EDIT.\n\n" +
		comment + over3072.Replace(string(b[file.Package-1:]))
}

// comment is that of a package over the other group.
func (i instance) comment(file *ast.File) string {
	name := over3072.Replace(file.Name.Name)
	return "// Package " + name + " is protocol/suite/" + i.from + " over the classes of squares modulo the 3072-bit\n" +
		"// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.\n"
}
