package admission_test

import (
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
)

// memory is a log in memory whose operator is dishonest.
type memory struct {
	*ledgertest.Memory
	t   testing.TB
	key note.Verifier
}

func newMemory(t testing.TB) *memory {
	log, key, err := ledgertest.NewMemory("log.example")
	testmust.Do(t, err)
	return &memory{log, t, key}
}

// put appends without asking anybody.
func (m *memory) put(entry []byte) uint64 { return testmust.Have(m.Put(entry))(m.t) }
