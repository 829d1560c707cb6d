// Package careless breaks the discipline of constant time in every way that
// the test of it must see.
package careless

import (
	"bytes"
	"io"
	"math/big"
	"slices"
	"sync"

	"github.com/pakli/pakli/protocol/suite/group"
)

func ProveDirectly(s []group.Scalar, p []group.Element) group.Element {
	return group.Ristretto255().VartimeMultiMul(s, p)
}

func ProveThroughCall(s []group.Scalar, p []group.Element) group.Element { return further(s, p) }

func further(s []group.Scalar, p []group.Element) group.Element {
	return group.Ristretto255().VartimeMultiMul(s, p)
}

type multiplier interface {
	multiply([]group.Scalar, []group.Element) group.Element
}

type fast struct{}

func (fast) multiply(s []group.Scalar, p []group.Element) group.Element {
	return group.Ristretto255().VartimeMultiMul(s, p)
}

var _ multiplier = fast{}

func ProveThroughInterface(m multiplier) group.Element { return m.multiply(nil, nil) }

func ProveThroughValue() group.Element {
	f := group.Ristretto255().VartimeMultiMul
	return f(nil, nil)
}

func ProveThroughClosure() {
	var wait sync.WaitGroup
	wait.Go(func() { group.Ristretto255().VartimeMultiMul(nil, nil) })
	wait.Wait()
}

var later = sync.OnceValue(func() group.Element { return group.Ristretto255().VartimeMultiMul(nil, nil) })

func ProveThroughVariable() group.Element { return later() }

func ProveThroughGeneric(s []group.Scalar) group.Element { return first(s) }

func first[S any](s []S) group.Element {
	_ = s[0]
	return group.Ristretto255().VartimeMultiMul(nil, nil)
}

func ProveByBigInteger(s group.Scalar) *big.Int { return new(big.Int).SetBytes(s.Bytes()) }

func ProveByBytes(s, t group.Scalar) bool { return bytes.Equal(s.Bytes(), t.Bytes()) }

func ProveByString(s, t group.Scalar) bool { return string(s.Bytes()) == string(t.Bytes()) }

func ProveByValue(s, t group.Scalar) bool { return s == t }

func ProveByMap(p group.Element, places map[string]int) int { return places[string(p.Bytes())] }

func ProveBySearch(list []group.Scalar, s group.Scalar) bool { return slices.Contains(list, s) }

func ProveByDivision(a, b int) int { return a / b }

// Randomised makes a secret, by its parameter.
func Randomised(io.Reader) group.Element { return group.Ristretto255().VartimeMultiMul(nil, nil) }

// Secret is a secret by its name.
type Secret struct{}

// Use is a method of a secret.
func (Secret) Use() group.Element { return group.Ristretto255().VartimeMultiMul(nil, nil) }

// Verify may do what it likes.
func Verify() bool { return bytes.Equal(group.Ristretto255().VartimeMultiMul(nil, nil).Bytes(), nil) }
