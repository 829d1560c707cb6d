package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Options reads a game's options. Each accessor names one option, its default and its allowed
// values. Err reports the first error, also a name that no accessor asked for.
type Options struct {
	given map[string]string
	known []string
	err   error
}

// ReadOptions returns a reader of c.Options.
func ReadOptions(c Config) *Options { return &Options{given: c.Options} }

// Choice returns the value of an option, one of choices. The first is the default.
func (o *Options) Choice(name string, choices ...string) string {
	v, ok := o.takeOption(name)
	if !ok {
		return choices[0]
	}
	if !slices.Contains(choices, v) {
		o.fail("option %s=%s: must be one of %s", name, v, strings.Join(choices, ", "))
	}
	return v
}

// Bool returns the value of an option that is "true" or "false".
func (o *Options) Bool(name string, fallback bool) bool {
	order := []string{"false", "true"}
	if fallback {
		slices.Reverse(order)
	}
	return o.Choice(name, order...) == "true"
}

// Int returns the value of an option that is a decimal number from low to high, in its shortest
// form.
func (o *Options) Int(name string, fallback, low, high int) int {
	v, ok := o.takeOption(name)
	if !ok {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil || strconv.Itoa(n) != v || n < low || n > high {
		o.fail("option %s=%s: must be a number from %d to %d", name, v, low, high)
	}
	return n
}

// Text returns the value of an option that may be any text.
func (o *Options) Text(name, fallback string) string {
	if v, ok := o.takeOption(name); ok {
		return v
	}
	return fallback
}

// Err returns the first error in the options, or nil.
func (o *Options) Err() error {
	names := make([]string, 0, len(o.given))
	for name := range o.given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch {
		case slices.Contains(o.known, name):
		case len(o.known) == 0:
			o.fail("unknown option %s: this game has no options", name)
		default:
			o.fail("unknown option %s: known are %s", name, strings.Join(o.known, ", "))
		}
	}
	return o.err
}

func (o *Options) takeOption(name string) (string, bool) {
	o.known = append(o.known, name)
	v, ok := o.given[name]
	return v, ok
}

func (o *Options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}
