package httpapi_test

import (
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/times"
)

// BenchmarkFirstMarks is what a server that was just started does about marks for the first
// bundle, or page, of an event: it looks for those around an entry of a log of many (PAKLI_MARKS,
// or 2,000; a long day of events has some 20,000). all is to verify each of them.
func BenchmarkFirstMarks(b *testing.B) {
	many, err := strconv.Atoi(os.Getenv("PAKLI_MARKS"))
	if err != nil {
		many = 2000
	}
	now := time.Unix(2_000_000, 0)
	keeper := markstest.Keeper(b, "anna.example", func() time.Time { return now })
	h := newHouse(b, nil)
	key := testmust.Have(note.NewVerifier(h.key.Public))(b)
	for range many / 200 {
		c := testmust.Have(h.log.Checkpoint(b.Context()))(b)
		var group errgroup.Group
		for range 200 {
			now = now.Add(time.Second)
			mark := markstest.Mark(b, markstest.Cosign(b, c, key, keeper))
			group.Go(func() error { _, err := h.log.Append(b.Context(), mark); return err })
		}
		testmust.Do(b, group.Wait())
	}
	for name, look := range map[string]func(started){
		"all": func(m started) {
			for _, p := range m.Places() {
				_, _ = m.Mark(p.Hash)
			}
		},
		"around": func(m started) { times.New(m, []string{keeper.String()}).Around(uint64(many) / 2) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				a := testmust.Have(admission.Open(b.Context(), h.log, catalogue, admission.Options{Keys: []note.Verifier{key}}))(b)
				b.StartTimer()
				look(started{a})
			}
		})
	}
}

// started is a server of which nobody has asked anything.
type started struct{ *admission.Admission }

func (s started) Places() []marks.Place { return s.Marks(0, math.MaxInt) }
