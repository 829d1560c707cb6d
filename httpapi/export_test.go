package httpapi

import "sync/atomic"

// CountZips counts what is compressed from now on.
func (s *Server) CountZips() *atomic.Int64 {
	n := new(atomic.Int64)
	s.zip = func(b []byte) []byte { n.Add(1); return compressed(b) }
	return n
}

// Problems returns the status of every type of problem by its slug.
func Problems() map[string]int {
	m := map[string]int{}
	for _, k := range kinds {
		m[k.slug] = k.status
	}
	return m
}
