package verifier

import (
	"fmt"
	"slices"
)

// Coverage says what an extract showed, and what it was compared with.
type Coverage struct {
	Entries int    `json:"entries"` // of the table
	Last    uint64 `json:"last"`    // index of the last of them
	Size    uint64 `json:"size"`    // of the log at that time

	// Orphans are indexes of entries, each signed by its seat, whose parent is
	// not shown. An honest log has none, so something seems to be left out.
	Orphans []uint64   `json:"orphans,omitempty"`
	Against []Compared `json:"against,omitempty"`
}

// Covered reports whether the extract was compared with a whole log of this size.
func (s *Coverage) Covered(size uint64) bool {
	return slices.ContainsFunc(s.Against, func(a Compared) bool { return a.Whole && a.Size >= size })
}

// String says it for people.
func (s *Coverage) String() string {
	text := fmt.Sprintf("As shown: %d entries of the table, the last of them entry %d, when the log had %d.\n", s.Entries, s.Last, s.Size)
	for _, index := range s.Orphans {
		text += fmt.Sprintf("Entry %d builds on an entry that is not shown.\n", index)
	}
	for _, a := range s.Against {
		text += a.String()
	}
	if len(s.Against) == 0 {
		text += "A bundle cannot show that the log has no others: compare it with the log, a mirror or another bundle.\n"
	}
	return text
}

// Compared is what came of holding what was shown against another source of the
// same log (package against). Nothing was left out that the other one has.
type Compared struct {
	Size  uint64 `json:"size"`  // of the other's checkpoint
	Whole bool   `json:"whole"` // it shows the whole log up to there
	Later int    `json:"later"` // entries of the table that the log got afterwards
}

// String says it for people.
func (c Compared) String() string {
	text := fmt.Sprintf("Compared with a bundle of when the log had %d entries: it shows no others up to here.\n", c.Size)
	if c.Whole {
		text = fmt.Sprintf("Compared with the whole log of %d entries: up to there, or up to here, it has no others.\n", c.Size)
	}
	if c.Later > 0 {
		text += fmt.Sprintf("The log got %d entries of the table since then.\n", c.Later)
	}
	return text
}
