// Code generated from qr3072/group/vectors_test.go by go generate ./protocol/suite; DO NOT EDIT.

package group_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/suite/qr2048/group"
)

//go:generate go test -run TestVectors -update .

var update = flag.Bool("update", false, "write the vectors anew")

// vector is a line of docs/spec/vectors/group/qr2048.jsonl. All values are in hexadecimal.
type vector struct {
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	What    string   `json:"what"`
	Data    []string `json:"data"`
	Expect  string   `json:"expect"`           // success or malformed
	Result  string   `json:"result,omitempty"` // of what succeeds
}

// vectors are what is read and computed over the group. What succeeds is computed by
// math/big, and not by what is tested.
func vectors() (list []vector) {
	add := func(name, comment, what, expect string, result []byte, data ...[]byte) {
		v := vector{name, comment, what, nil, expect, hex.EncodeToString(result)}
		for _, d := range data {
			v.Data = append(v.Data, hex.EncodeToString(d))
		}
		list = append(list, v)
	}
	big256 := func(n *big.Int) []byte { return n.FillBytes(make([]byte, 256)) }
	little := func(n *big.Int) []byte { b := big256(n); slices.Reverse(b); return b }
	plus := func(n *big.Int, m int64) *big.Int { return new(big.Int).Add(n, big.NewInt(m)) }
	y, z := number(group.HashToElement("pakli/vectors", []byte("y"))), number(group.HashToElement("pakli/vectors", []byte("z")))

	for _, e := range []struct {
		name, comment string
		n             *big.Int
	}{
		{"one", "the identity", big.NewInt(1)}, {"two", "the generator", big.NewInt(2)}, {"largest", "q", q}, {"hashed", "any other", y},
	} {
		add("element-"+e.name, e.comment, "element", "success", big256(e.n), big256(e.n))
	}
	for _, e := range []struct {
		name, comment string
		b             []byte
	}{
		{"zero", "no class", big256(new(big.Int))}, {"above", "q + 1", big256(plus(q, 1))},
		{"minus-one", "p − 1, of order 2 among all numbers", big256(plus(p, -1))},
		{"other", "the larger number of a class", big256(new(big.Int).Sub(p, y))},
		{"p", "0 in other clothes", big256(p)}, {"p-and-one", "1 in other clothes", big256(plus(p, 1))},
		{"ones", "2^2048 − 1", bytes.Repeat([]byte{0xff}, 256)}, {"short", "a byte less", big256(y)[1:]}, {"long", "a byte more", append([]byte{0}, big256(y)...)},
	} {
		add("element-"+e.name, e.comment, "element", "malformed", nil, e.b)
	}
	last := plus(q, -1)
	add("scalar-largest", "q − 1", "scalar", "success", little(last), little(last))
	add("scalar-order", "q", "scalar", "malformed", nil, little(q))
	add("scalar-one-and-order", "1 in other clothes", "scalar", "malformed", nil, little(plus(q, 1)))
	add("scalar-short", "a byte less", "scalar", "malformed", nil, little(last)[:255])
	add("product", "of two classes", "product", "success", class(new(big.Int).Mul(y, z)), big256(y), big256(z))
	add("product-inverse", "the identity", "product", "success", big256(big.NewInt(1)), big256(y), class(new(big.Int).ModInverse(y, p)))
	for _, e := range []struct {
		name string
		n    *big.Int
	}{{"zero", new(big.Int)}, {"two", big.NewInt(2)}, {"last", last}, {"other", new(big.Int).Rsh(z, 1)}} {
		add("multiple-"+e.name, "a scalar, and an element", "multiple", "success", class(new(big.Int).Exp(y, e.n, p)), little(e.n), big256(y))
	}
	for _, parts := range [][][]byte{{[]byte("pakli/v1/card")}, {[]byte("a"), []byte("b"), nil}, {nil, []byte("ab")}} {
		name := hex.EncodeToString(bytes.Join(parts, []byte{0}))
		add("hash-"+name, "the domain and the parts", "hash", "success", group.HashToElement(string(parts[0]), parts[1:]...).Bytes(), parts...)
	}
	return list
}

// A group that another program computes otherwise.
func TestVectors(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "docs", "spec", "vectors", "group", "qr2048.jsonl")
	var want bytes.Buffer
	for _, v := range vectors() {
		if err := json.NewEncoder(&want).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(text, want.Bytes()) {
		t.Errorf("%s is not what the generator writes (%v)", file, err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var v vector
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		result, expect := computed(t, v), "success"
		if result == nil {
			expect = "malformed"
		}
		if got := hex.EncodeToString(result); expect != v.Expect || got != v.Result {
			t.Errorf("%s: %s %s", v.Name, expect, got)
		}
	}
}

// computed is the result of a vector, or nil.
func computed(t *testing.T, v vector) []byte {
	t.Helper()
	var data [][]byte
	for _, d := range v.Data {
		b, err := hex.DecodeString(d)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, b)
	}
	element := func(b []byte) *group.Element {
		e, err := group.ParseElement(b)
		if err != nil {
			return nil
		}
		return e
	}
	switch v.What {
	case "element":
		if e := element(data[0]); e != nil {
			return e.Bytes()
		}
	case "scalar":
		if s, err := group.ParseScalar(data[0]); err == nil {
			return s.Bytes()
		}
	case "product":
		return element(data[0]).Add(element(data[1])).Bytes()
	case "multiple":
		s, err := group.ParseScalar(data[0])
		if err != nil {
			t.Fatal(err)
		}
		return group.Mul(s, element(data[1])).Bytes()
	case "hash":
		return group.HashToElement(string(data[0]), data[1:]...).Bytes()
	}
	return nil
}
