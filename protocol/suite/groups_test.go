package suite_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/modp"
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

func squaresOf(g *group.Group, primes func() (p, q *modp.Modulus)) squares {
	p, q := primes()
	return squares{new(big.Int).SetBytes(p.Bytes()), new(big.Int).SetBytes(q.Bytes()), func(what string, data [][]byte) []byte {
		first, err := g.ParseElement(data[0])
		n, malformed := g.ParseScalar(data[0])
		switch {
		case what == "element" && err == nil:
			return first.Bytes()
		case what == "scalar" && malformed == nil:
			return n.Bytes()
		case what == "product":
			second, _ := g.ParseElement(data[1])
			return first.Add(second).Bytes()
		case what == "multiple":
			second, _ := g.ParseElement(data[1])
			return group.Mul(n, second).Bytes()
		case what == "hash":
			return g.HashToElement(string(data[0]), data[1:]...).Bytes()
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
		"qr2048": squaresOf(group.Squares2048(), modp.Group14),
		"qr3072": squaresOf(group.Squares3072(), modp.Group15),
	} {
		file := filepath.Join("..", "..", "docs", "spec", "vectors", "group", name+".jsonl")
		var want bytes.Buffer
		for _, v := range g.vectors() {
			testmust.Do(t, json.NewEncoder(&want).Encode(v))
		}
		for line := range bytes.Lines(testmust.Same(t, file, want.Bytes())) {
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
			got := hex.EncodeToString(result)
			testmust.Holdf(t, expect == v.Expect && got == v.Result, "%s: %s %s", v.Name, expect, got)
		}
	}
}
