package operator

import (
	"context"
	"encoding/json"
	"net/http"
)

// Check is one reason why a server is ready, or is not.
type Check struct {
	Name   string `json:"name"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"`
}

// Health looks at everything that has to be well. It must not wait for long.
type Health func(context.Context) []Check

// report is the body of /readyz.
type report struct {
	Ready  bool    `json:"ready"`
	Checks []Check `json:"checks"`
}

// ready answers 200 if every check is, otherwise 503, and says why.
func (h Health) ready(w http.ResponseWriter, r *http.Request) {
	d := report{Ready: true, Checks: h(r.Context())}
	for _, c := range d.Checks {
		d.Ready = d.Ready && c.Ready
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !d.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(d) // the caller may have gone
}
