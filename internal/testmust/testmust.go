// Package testmust checks in one line the error or result of a call, or any value, in a test. A test
// that needs more than that checks by itself. The arguments tried say what was tried, as in
// fmt.Sprintln, if the line of the test does not show it.
//
// It also has helpers that tests share: how much to try (thorough.go), waiting for another goroutine
// or process (testwait.go), comparing generated files and reading test vectors (testfile.go,
// vectors.go), and finding the tests that name a number of the specification (citations.go).
package testmust

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// Have returns the result of a call, or ends the test with the call's error.
func Have[V any](v V, err error) func(t testing.TB, tried ...any) V {
	return func(t testing.TB, tried ...any) V {
		t.Helper()
		Do(t, err, tried...)
		return v
	}
}

// Do ends the test with an error, if there is one.
func Do(t testing.TB, err error, tried ...any) {
	if err != nil {
		t.Helper()
		t.Fatal(append(tried, err)...)
	}
}

// Need returns what a call returned and panics if the call failed: for code that has no testing.TB.
func Need[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// ErrorOf returns the error of a call that also returns something else.
func ErrorOf[V any](_ V, err error) error { return err }

// Fail fails the test if err is nil.
func Fail(t testing.TB, err error, tried ...any) {
	if err == nil {
		t.Helper()
		t.Error(append(tried, "without an error")...)
	}
}

// FailBy fails the test unless err is want.
func FailBy(t testing.TB, err, want error, tried ...any) {
	if !errors.Is(err, want) {
		t.Helper()
		t.Error(append(tried, "error:", err, "want:", want)...)
	}
}

// FailSaying fails the test unless the text of err contains want.
func FailSaying(t testing.TB, err error, want string, tried ...any) {
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Helper()
		t.Error(append(tried, "error:", err, "want:", want)...)
	}
}

// Hold fails the test with the arguments wrong if holds is false.
func Hold(t testing.TB, holds bool, wrong ...any) {
	if !holds {
		t.Helper()
		t.Error(wrong...)
	}
}

// Holdf is Hold with a format.
func Holdf(t testing.TB, holds bool, format string, args ...any) {
	if !holds {
		t.Helper()
		t.Errorf(format, args...)
	}
}

// Require ends the test with the arguments wrong if holds is false.
func Require(t testing.TB, holds bool, wrong ...any) {
	if !holds {
		t.Helper()
		t.Fatal(wrong...)
	}
}

// Requiref is Require with a format.
func Requiref(t testing.TB, holds bool, format string, args ...any) {
	if !holds {
		t.Helper()
		t.Fatalf(format, args...)
	}
}

// Equal fails the test if got differs from want.
func Equal[V comparable](t testing.TB, got, want V, tried ...any) {
	if got != want {
		t.Helper()
		t.Error(append(tried, "got:", quoteText(got), "want:", quoteText(want))...)
	}
}

// quoteText quotes a string.
func quoteText(v any) any {
	if text, is := v.(string); is {
		return strconv.Quote(text)
	}
	return v
}
