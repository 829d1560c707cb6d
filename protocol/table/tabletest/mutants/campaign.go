package mutants

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// Asked is e, which go test does: of each value a few bytes. With PAKLI_MUTANTS=all every byte of every value, proof and entry is altered, and
// every other move is tried.
func Asked(e Effort) Effort {
	if os.Getenv("PAKLI_MUTANTS") == "all" {
		return Effort{Bytes: 1 << 20, Moves: 1 << 20}
	}
	return e
}

// Campaign is what became of the mutants of entries of one game. Its methods may be called
// from many goroutines.
type Campaign struct {
	Effort Effort
	Words  Vocabulary
	Legal  func(*tabletest.Table) error // what a referee has against a table that ends with a mutant

	mutex                      sync.Mutex
	kinds                      map[string]bool
	mutants, foul, void, legal int
	survivors, blamed          int
}

// New reports whether no entry of this kind was met before.
func (c *Campaign) New(kind string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.kinds == nil {
		c.kinds = map[string]bool{}
	}
	old := c.kinds[kind]
	c.kinds[kind] = true
	return !old
}

// Alter alters an entry of a table in every way that the effort allows, and tells each, if
// it is set, of some mutants.
func (c *Campaign) Alter(t testing.TB, played *tabletest.Table, at int, each func(Mutant, *table.Fault)) {
	t.Helper()
	list, err := Of(played, at, c.Effort, c.Words)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		fault, err := Judge(played, at, m, c.Legal)
		if err != nil {
			t.Errorf("entry %d, %s: %v", at, m.Name, err)
		}
		c.count(fault, err)
		if i%sight == 0 && each != nil {
			each(m, fault)
		}
	}
}

// sight is of how many mutants one is told.
const sight = 16

// Log alters every entry of a table that was played.
func (c *Campaign) Log(t testing.TB, played *tabletest.Table) {
	t.Helper()
	for at := range played.Entries[1:] {
		e, err := wire.Parse(played.Entries[at+1])
		if err != nil {
			t.Fatal(err)
		}
		c.New(string(e.Message.Kind))
		c.Alter(t, played, at+1, nil)
	}
}

func (c *Campaign) count(fault *table.Fault, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.mutants++
	switch {
	case errors.Is(err, ErrBlamed):
		c.blamed++
	case err != nil:
		c.survivors++
	case fault == nil:
		c.legal++
	case fault.Class == table.Foul:
		c.foul++
	default:
		c.void++
	}
}

// String says what became of them.
func (c *Campaign) String() string {
	return fmt.Sprintf("%d kinds of entries; %d mutants: %d foul, %d void, %d another legal move; %d survivors, %d honest seats blamed",
		len(c.kinds), c.mutants, c.foul, c.void, c.legal, c.survivors, c.blamed)
}

// Complete logs what became of the mutants, and fails if one of these words is in no kind of
// an entry that was met.
func (c *Campaign) Complete(t testing.TB, words ...string) {
	t.Helper()
	t.Log(c)
	met := strings.Fields(strings.Join(slices.Collect(maps.Keys(c.kinds)), " "))
	for _, w := range words {
		if !slices.Contains(met, w) {
			t.Errorf("no entry with %s was altered", w)
		}
	}
}
