package tarokk

// Difference is an option that two rule sets set differently.
type Difference struct {
	Option
	A, B string
}

// Diff lists in what a and b differ.
func Diff(a, b RuleSet) []Difference {
	var list []Difference
	for _, o := range options {
		if va, vb := o.Value(a), o.Value(b); va != vb {
			list = append(list, Difference{o, va, vb})
		}
	}
	return list
}

// Conflicts lists what [Parse] refuses of options that are each allowed.
func Conflicts() []string {
	var list []string
	for _, c := range conflicts {
		list = append(list, c.why)
	}
	return list
}
