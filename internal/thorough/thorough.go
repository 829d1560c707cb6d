// Package thorough tells the tests how much to try. go test tries each kind of thing; with
// PAKLI_TESTS=thorough, as .ci/thorough sets it, it tries more of each, and what takes long
// and seldom finds what the rest does not; with PAKLI_TESTS=all it leaves nothing out.
// With -short it never does.
package thorough

import (
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Tests reports whether more is to be tried.
func Tests() bool { return Everything() || os.Getenv("PAKLI_TESTS") == "thorough" && !testing.Short() }

// Everything reports whether nothing is to be left out.
func Everything() bool { return os.Getenv("PAKLI_TESTS") == "all" && !testing.Short() }

// Only skips a test that go test leaves out.
func Only(t testing.TB, why string) {
	t.Helper()
	if !Tests() {
		t.Skipf("NOT RUN without PAKLI_TESTS=thorough: %s", why)
	}
}

// Suites are those of names that whole games are played with: those whose elements have
// thousands of bits only with PAKLI_SUITES=all, since they take a hundred times as long for
// the same code.
func Suites(names []string) []string {
	if os.Getenv("PAKLI_SUITES") == "all" {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.HasPrefix(name, "qr") || strings.HasPrefix(name, "schindelhauer")
	})
}

// Some reports of n things which are tried: half of so many, chosen by a seed that it logs and that is another in each
// run; with PAKLI_TESTS=thorough four times as many, and all with PAKLI_TESTS=all. PAKLI_SEED is a seed to choose by again.
func Some(t testing.TB, n, most int) func(i int) bool {
	t.Helper()
	if most = (most + 1) / 2; Tests() {
		most *= 4
	}
	if n <= most || Everything() {
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
	tried := Some(t, n, most)
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
	if Tests() {
		return names
	}
	quick := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.Contains(name, "cutandchoose") })
	tried, i := Some(t, len(quick), 1), -1
	return slices.DeleteFunc(quick, func(string) bool { i++; return !tried(i) })
}
