package suite_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/modp"
	qr2048 "github.com/pakli/pakli/protocol/suite/qr2048/group"
	qr3072 "github.com/pakli/pakli/protocol/suite/qr3072/group"
)

//go:generate go test -run TestGroupVectors -update .

// groupVector is a line of docs/spec/vectors/group/qr2048.jsonl or qr3072.jsonl. All values are in
// hexadecimal.
type groupVector struct {
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	What    string   `json:"what"`
	Data    []string `json:"data"`
	Expect  string   `json:"expect"`           // success or malformed
	Result  string   `json:"result,omitempty"` // of what succeeds
}

// squares is a group as its vectors see it: modulo p, and of order q. What it computes is nil
// where an element or a scalar is malformed.
type squares struct {
	p, q     *big.Int
	computed func(what string, data [][]byte) []byte
}

func squaresOf[E interface {
	Add(E) E
	Bytes() []byte
}, S interface{ Bytes() []byte }](primes func() (p, q *modp.Modulus), element func([]byte) (E, error), scalar func([]byte) (S, error), mul func(S, E) E, hash func(string, ...[]byte) E) squares {
	p, q := primes()
	return squares{new(big.Int).SetBytes(p.Bytes()), new(big.Int).SetBytes(q.Bytes()), func(what string, data [][]byte) []byte {
		first, err := element(data[0])
		n, malformed := scalar(data[0])
		switch {
		case what == "element" && err == nil:
			return first.Bytes()
		case what == "scalar" && malformed == nil:
			return n.Bytes()
		case what == "product":
			second, _ := element(data[1])
			return first.Add(second).Bytes()
		case what == "multiple":
			second, _ := element(data[1])
			return mul(n, second).Bytes()
		case what == "hash":
			return hash(string(data[0]), data[1:]...).Bytes()
		}
		return nil
	}}
}

func (g squares) size() int { return len(g.p.Bytes()) }

func (g squares) number(n *big.Int) []byte { return n.FillBytes(make([]byte, g.size())) }

// hashed is some number of a class.
func (g squares) hashed(name string) *big.Int {
	return new(big.Int).SetBytes(g.computed("hash", [][]byte{[]byte("pakli/vectors"), []byte(name)}))
}

// class is the encoding of the class of a number.
func (g squares) class(n *big.Int) []byte {
	y := new(big.Int).Mod(n, g.p)
	if y.Cmp(g.q) > 0 {
		y.Sub(g.p, y)
	}
	return g.number(y)
}

// vectors are what is read and computed over the group. What succeeds is computed by
// math/big, and not by what is tested.
func (g squares) vectors() (list []groupVector) {
	add := func(name, comment, what, expect string, result []byte, data ...[]byte) {
		v := groupVector{name, comment, what, nil, expect, hex.EncodeToString(result)}
		for _, d := range data {
			v.Data = append(v.Data, hex.EncodeToString(d))
		}
		list = append(list, v)
	}
	little := func(n *big.Int) []byte { b := g.number(n); slices.Reverse(b); return b }
	plus := func(n *big.Int, m int64) *big.Int { return new(big.Int).Add(n, big.NewInt(m)) }
	y, z := g.hashed("y"), g.hashed("z")

	for _, e := range []struct {
		name, comment string
		n             *big.Int
	}{
		{"one", "the identity", big.NewInt(1)}, {"two", "the generator", big.NewInt(2)}, {"largest", "q", g.q}, {"hashed", "any other", y},
	} {
		add("element-"+e.name, e.comment, "element", "success", g.number(e.n), g.number(e.n))
	}
	for _, e := range []struct {
		name, comment string
		b             []byte
	}{
		{"zero", "no class", g.number(new(big.Int))}, {"above", "q + 1", g.number(plus(g.q, 1))},
		{"minus-one", "p − 1, of order 2 among all numbers", g.number(plus(g.p, -1))},
		{"other", "the larger number of a class", g.number(new(big.Int).Sub(g.p, y))},
		{"p", "0 in other clothes", g.number(g.p)}, {"p-and-one", "1 in other clothes", g.number(plus(g.p, 1))},
		{"ones", fmt.Sprintf("2^%d − 1", 8*g.size()), bytes.Repeat([]byte{0xff}, g.size())}, {"short", "a byte less", g.number(y)[1:]}, {"long", "a byte more", append([]byte{0}, g.number(y)...)},
	} {
		add("element-"+e.name, e.comment, "element", "malformed", nil, e.b)
	}
	last := plus(g.q, -1)
	add("scalar-largest", "q − 1", "scalar", "success", little(last), little(last))
	add("scalar-order", "q", "scalar", "malformed", nil, little(g.q))
	add("scalar-one-and-order", "1 in other clothes", "scalar", "malformed", nil, little(plus(g.q, 1)))
	add("scalar-short", "a byte less", "scalar", "malformed", nil, little(last)[:g.size()-1])
	add("product", "of two classes", "product", "success", g.class(new(big.Int).Mul(y, z)), g.number(y), g.number(z))
	add("product-inverse", "the identity", "product", "success", g.number(big.NewInt(1)), g.number(y), g.class(new(big.Int).ModInverse(y, g.p)))
	for _, e := range []struct {
		name string
		n    *big.Int
	}{{"zero", new(big.Int)}, {"two", big.NewInt(2)}, {"last", last}, {"other", new(big.Int).Rsh(z, 1)}} {
		add("multiple-"+e.name, "a scalar, and an element", "multiple", "success", g.class(new(big.Int).Exp(y, e.n, g.p)), little(e.n), g.number(y))
	}
	for _, parts := range [][][]byte{{[]byte("pakli/v1/card")}, {[]byte("a"), []byte("b"), nil}, {nil, []byte("ab")}} {
		name := hex.EncodeToString(bytes.Join(parts, []byte{0}))
		add("hash-"+name, "the domain and the parts", "hash", "success", g.computed("hash", parts), parts...)
	}
	return list
}

// A group that another program computes otherwise.
func TestGroupVectors(t *testing.T) {
	for name, g := range map[string]squares{
		"qr2048": squaresOf(modp.Group14, qr2048.ParseElement, qr2048.ParseScalar, qr2048.Mul, qr2048.HashToElement),
		"qr3072": squaresOf(modp.Group15, qr3072.ParseElement, qr3072.ParseScalar, qr3072.Mul, qr3072.HashToElement),
	} {
		file := filepath.Join("..", "..", "docs", "spec", "vectors", "group", name+".jsonl")
		var want bytes.Buffer
		for _, v := range g.vectors() {
			testmust.Do(t, json.NewEncoder(&want).Encode(v))
		}
		for line := range bytes.Lines(testfile.Same(t, file, want.Bytes())) {
			var v groupVector
			testmust.Do(t, json.Unmarshal(line, &v))
			var data [][]byte
			for _, d := range v.Data {
				data = append(data, testmust.Have(hex.DecodeString(d))(t))
			}
			result, expect := g.computed(v.What, data), "success"
			if result == nil {
				expect = "malformed"
			}
			if got := hex.EncodeToString(result); expect != v.Expect || got != v.Result {
				t.Errorf("%s: %s %s", v.Name, expect, got)
			}
		}
	}
}

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
