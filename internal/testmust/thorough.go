package testmust

import (
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Thorough reports whether a test should try more than by default.
func Thorough() bool {
	return ThoroughInAll() || os.Getenv("PAKLI_TESTS") == "thorough" && !testing.Short()
}

// ThoroughInAll reports whether a test should leave nothing out.
func ThoroughInAll() bool { return os.Getenv("PAKLI_TESTS") == "all" && !testing.Short() }

// OnlyThorough skips a test by default.
func OnlyThorough(t testing.TB, why string) {
	t.Helper()
	if !Thorough() {
		t.Skipf("NOT RUN without PAKLI_TESTS=thorough: %s", why)
	}
}

// ThoroughSuites returns those of names with which whole games are played. Suites whose elements have
// thousands of bits are among them only with PAKLI_SUITES=all, since they take a hundred times as
// long for the same code.
func ThoroughSuites(names []string) []string {
	if os.Getenv("PAKLI_SUITES") == "all" {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "qr") || strings.HasPrefix(name, "schindelhauer")
	})
}

// SomeOf returns a function that reports which of n things are tried: half of most, chosen by a seed
// that it logs and that differs in each run. With PAKLI_TESTS=thorough they are four times as many,
// with PAKLI_TESTS=all all. PAKLI_SEED sets the seed.
func SomeOf(t testing.TB, n, most int) func(i int) bool {
	t.Helper()
	if most = (most + 1) / 2; Thorough() {
		most *= 4
	}
	if n <= most || ThoroughInAll() {
		return func(int) bool { return true }
	}
	seed, err := strconv.ParseUint(os.Getenv("PAKLI_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("%d of %d are tried: PAKLI_SEED=%d", most, n, seed)
	chosen := rand.New(rand.NewPCG(seed, 0)).Perm(n)[:most]
	return func(i int) bool { return slices.Contains(chosen, i) }
}

// ChosenIndexes yields the indexes that SomeOf chooses, in order.
func ChosenIndexes(t testing.TB, n, most int) iter.Seq[int] {
	t.Helper()
	tried := SomeOf(t, n, most)
	return func(yield func(int) bool) {
		for i := range n {
			if tried(i) && !yield(i) {
				return
			}
		}
	}
}

// ChosenSuites returns one of the suites in names, chosen like SomeOf, or all with
// PAKLI_TESTS=thorough. It does not choose suites that cut and choose, which take ten times as long.
func ChosenSuites(t testing.TB, names []string) []string {
	t.Helper()
	if Thorough() {
		return names
	}
	quick := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "cutandchoose") })
	tried, i := SomeOf(t, len(quick), 1), -1
	return slices.DeleteFunc(quick, func(string) bool { i++; return !tried(i) })
}
