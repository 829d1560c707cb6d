package record

import (
	"fmt"
	"strings"
)

// Report is what a record comes to.
type Report struct {
	Seats    []string  `json:"seats"`
	Deals    int       `json:"deals"` // finished deals
	Result   []int     `json:"result,omitempty"`
	Findings []Finding `json:"findings"`
	Stops    string    `json:"stops,omitempty"` // where the record ends early
}

// Finding is a line that differs from what the rules make of the moves.
type Finding struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// String returns the report for people.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d deals\n", r.Deals)
	for i, n := range r.Result {
		fmt.Fprintf(&b, "%-12s %+d\n", r.Seats[i], n)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "line %d: %s\n", f.Line, f.Text)
	}
	if r.Stops != "" {
		fmt.Fprintln(&b, r.Stops)
	}
	return b.String()
}
