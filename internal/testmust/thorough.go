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

// Thorough reports whether more is to be tried.
func Thorough() bool {
	return ThoroughInAll() || os.Getenv("PAKLI_TESTS") == "thorough" && !testing.Short()
}

// ThoroughInAll reports whether nothing is to be left out.
func ThoroughInAll() bool { return os.Getenv("PAKLI_TESTS") == "all" && !testing.Short() }

// OnlyThorough skips a test that go test leaves out.
func OnlyThorough(t testing.TB, why string) {
	t.Helper()
	if !Thorough() {
		t.Skipf("NOT RUN without PAKLI_TESTS=thorough: %s", why)
	}
}

// ThoroughSuites are those of names that whole games are played with: those whose elements have
// thousands of bits only with PAKLI_SUITES=all, since they take a hundred times as long for
// the same code.
func ThoroughSuites(names []string) []string {
	if os.Getenv("PAKLI_SUITES") == "all" {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "qr") || strings.HasPrefix(name, "schindelhauer")
	})
}

// SomeOf reports of n things which are tried: half of so many, chosen by a seed that it logs and that is another in each
// run; with PAKLI_TESTS=thorough four times as many, and all with PAKLI_TESTS=all. PAKLI_SEED is a seed to choose by again.
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

// ChosenIndexes are those of n things which Some chooses, in order.
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

// ChosenSuites is one of the suites of names, as Some chooses, or all with PAKLI_TESTS=thorough. Those that cut
// and choose take ten times as long as the others, and are not chosen.
func ChosenSuites(t testing.TB, names []string) []string {
	t.Helper()
	if Thorough() {
		return names
	}
	quick := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "cutandchoose") })
	tried, i := SomeOf(t, len(quick), 1), -1
	return slices.DeleteFunc(quick, func(string) bool { i++; return !tried(i) })
}
