// Package testmust says in a line what a test wants of the error of a call, of what it returns,
// or of any value. Where more is of interest, a test looks itself. What is tried is said in words and
// values, as fmt.Sprintln has them, where the line in the test does not say it.
//
// It has what else tests share: how much to try (thorough.go), waiting for what another goroutine or process
// brings about (testwait.go), holding generated files to what generates them, and reading test vectors
// (testfile.go, vectors.go), and which tests name a number of the specification (citations.go).
package testmust

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// Have returns what a call returned, or ends the test with the error of the call.
func Have[V any](v V, err error) func(t testing.TB, tried ...any) V {
	return func(t testing.TB, tried ...any) V {
		t.Helper()
		Do(t, err, tried...)
		return v
	}
}

// Do ends the test with an error, if there is one.
func Do(t testing.TB, err error, tried ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(tried, err)...)
	}
}

// ErrorOf returns the error of a call that returns something else too.
func ErrorOf[V any](_ V, err error) error { return err }

// Fail fails the test if there is no error.
func Fail(t testing.TB, err error, tried ...any) {
	t.Helper()
	if err == nil {
		t.Error(append(tried, "without an error")...)
	}
}

// FailBy fails the test if an error is not want.
func FailBy(t testing.TB, err, want error, tried ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Error(append(tried, "error:", err, "want:", want)...)
	}
}

// FailSaying fails the test if an error does not say want.
func FailSaying(t testing.TB, err error, want string, tried ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(append(tried, "error:", err, "want:", want)...)
	}
}

// Hold fails the test, and says what is wrong, if something does not hold.
func Hold(t testing.TB, holds bool, wrong ...any) {
	t.Helper()
	if !holds {
		t.Error(wrong...)
	}
}

// Holdf is Hold, and says what is wrong in a format's words.
func Holdf(t testing.TB, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(format, args...)
	}
}

// Require ends the test, and says what is wrong, if something does not hold.
func Require(t testing.TB, holds bool, wrong ...any) {
	t.Helper()
	if !holds {
		t.Fatal(wrong...)
	}
}

// Requiref is Require, and says what is wrong in a format's words.
func Requiref(t testing.TB, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatalf(format, args...)
	}
}

// Equal fails the test if got is not want.
func Equal[V comparable](t testing.TB, got, want V, tried ...any) {
	t.Helper()
	if got != want {
		t.Error(append(tried, "got:", quoteText(got), "want:", quoteText(want))...)
	}
}

// quoteText puts marks around a text.
func quoteText(v any) any {
	if text, is := v.(string); is {
		return strconv.Quote(text)
	}
	return v
}
