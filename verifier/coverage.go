package verifier

import "slices"

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

// Compared is what came of holding what was shown against another source of the
// same log (package against). Nothing was left out that the other one has.
type Compared struct {
	Size  uint64 `json:"size"`  // of the other's checkpoint
	Whole bool   `json:"whole"` // it shows the whole log up to there
	Later int    `json:"later"` // entries of the table that the log got afterwards
}
