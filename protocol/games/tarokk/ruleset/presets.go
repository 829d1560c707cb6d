package ruleset

import "slices"

// overrides are options that a preset sets, by name.
type overrides map[string]string

// presets are what each overrides: the book of the first values and zeros of
// [Options], the others of the book. A variant is one more row.
var presets = []struct {
	name string
	sets overrides
}{
	{"book", overrides{
		"seat-draw": "true", "conventions": "true", "annul-hands": "abcde", "double-volat-same-player": "true",
		"kings-silent": "1", "kings-announced": "2", "ultimo-silent": "5", "ultimo-announced": "10", "xxi-silent": "21", "xxi-announced": "42",
	}},
	{"cup", overrides{"xxi-silent": "42", "xxi-announced": "84"}}, // the tariff of tournaments
	{"bga", overrides{ // the Kégl variant
		"solo-jump":    "bga",            // BGA-1
		"hold-refuses": "true",           // BGA-2
		"first-bid":    "withdrawn",      // BGA-3
		"yield-shows":  "honour",         // BGA-4
		"annul-hands":  "abd",            // BGA-5
		"annul-time":   "before-discard", // BGA-5
		"trial-pays":   "two",            // BGA-6
		"ultimo-pool":  "true",           // BGA-7
		"discard-xx":   "uninvited",      // BGA-8
		"free-call":    "none",           // BGA-8
		"double-kings": "not",            // BGA-9
		"ultimo-duty":  "exchanged",      // AMB-06
	}},
}

// Presets lists the names of the presets; the first is the default.
func Presets() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// Preset returns the rule set of that name.
func Preset(name string) (Rules, bool) {
	i := slices.Index(Presets(), name)
	if i < 0 {
		return Rules{}, false
	}
	var r Rules
	for _, o := range options {
		if o.Values != nil {
			o.set(&r, o.Values[0])
		}
	}
	for _, sets := range []overrides{presets[0].sets, presets[i].sets} {
		for _, o := range options {
			if value, has := sets[o.Name]; has {
				o.set(&r, value)
			}
		}
	}
	return r, true
}
