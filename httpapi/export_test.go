package httpapi

// Problems returns the status of every type of problem by its slug.
func Problems() map[string]int {
	m := map[string]int{}
	for _, k := range kinds {
		m[k.slug] = k.status
	}
	return m
}
