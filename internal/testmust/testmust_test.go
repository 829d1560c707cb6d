package testmust_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// heard is a test that continues after failures, and records them.
type heard struct {
	testing.TB
	said string
}

func (h *heard) Helper()                         {}
func (h *heard) Error(what ...any)               { h.said += fmt.Sprintln(what...) }
func (h *heard) Fatal(what ...any)               { h.said += fmt.Sprintln(what...) }
func (h *heard) Errorf(form string, what ...any) { h.said += fmt.Sprintf(form, what...) }
func (h *heard) Fatalf(form string, what ...any) { h.said += fmt.Sprintf(form, what...) }

// A check never fails, or fails for correct values.
func TestChecks(t *testing.T) {
	errs := []error{nil, io.EOF, errors.New("EO, another")}
	for name, c := range map[string]struct {
		check func(h testing.TB, err error)
		fails [3]bool // by each of errs
	}{
		"Do":         {func(h testing.TB, err error) { testmust.Do(h, err, "tried", 1) }, [3]bool{false, true, true}},
		"Have":       {func(h testing.TB, err error) { testmust.Have(1, err)(h, "tried", 1) }, [3]bool{false, true, true}},
		"Fail":       {func(h testing.TB, err error) { testmust.Fail(h, testmust.ErrorOf(1, err), "tried", 1) }, [3]bool{true, false, false}},
		"FailBy":     {func(h testing.TB, err error) { testmust.FailBy(h, err, io.EOF, "tried", 1) }, [3]bool{true, false, true}},
		"Hold":       {func(h testing.TB, err error) { testmust.Hold(h, err == io.EOF, "tried", 1, "") }, [3]bool{true, false, true}},
		"Holdf":      {func(h testing.TB, err error) { testmust.Holdf(h, err == io.EOF, "tried %d ", 1) }, [3]bool{true, false, true}},
		"Require":    {func(h testing.TB, err error) { testmust.Require(h, err == io.EOF, "tried", 1, "") }, [3]bool{true, false, true}},
		"Requiref":   {func(h testing.TB, err error) { testmust.Requiref(h, err == io.EOF, "tried %d ", 1) }, [3]bool{true, false, true}},
		"Equal":      {func(h testing.TB, err error) { testmust.Equal(h, err, io.EOF, "tried", 1) }, [3]bool{true, false, true}},
		"FailSaying": {func(h testing.TB, err error) { testmust.FailSaying(h, err, "EO,", "tried", 1) }, [3]bool{true, true, false}},
	} {
		for i, err := range errs {
			var h heard
			c.check(&h, err)
			if fails := strings.HasPrefix(h.said, "tried 1 "); fails != c.fails[i] {
				t.Errorf("%s of %v: %q", name, err, h.said)
			}
		}
	}
}

// A value of a call that failed.
func TestNeed(t *testing.T) {
	defer func() { testmust.Equal(t, recover(), any(io.EOF), "panic") }()
	testmust.Need(1, io.EOF)
	t.Error("a failed call gives a value")
}
