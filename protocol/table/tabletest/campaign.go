package tabletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// ChosenEffort is e, as go test alters only a few bytes of each value. With PAKLI_MUTANTS=all, every
// byte of every value, proof and entry is altered, and every other move is tried.
func ChosenEffort(e Effort) Effort {
	if os.Getenv("PAKLI_MUTANTS") == "all" {
		return Effort{Bytes: 1 << 20, Moves: 1 << 20}
	}
	return e
}

// Campaign collects what became of the mutants of entries of one game. Its methods may be called from
// many goroutines.
type Campaign struct {
	Effort Effort
	Words  Vocabulary
	Legal  func(*Table) error                                                      // a referee's objection to a table that ends with a mutant
	Shows  func(t testing.TB, played *Table, at int, m Mutant, fault *table.Fault) // if set, is shown one mutant of sixteen

	mutex                      sync.Mutex
	kinds                      map[string]bool
	mutants, foul, void, legal int
	survivors, blamed          int
}

// IsNewKind reports whether this is the first entry of its kind.
func (c *Campaign) IsNewKind(kind string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.kinds == nil {
		c.kinds = map[string]bool{}
	}
	old := c.kinds[kind]
	c.kinds[kind] = true
	return !old
}

// EntryKind is the kind of an entry; for a move also the fields it sets, and what it turns up and
// proves.
func EntryKind(t testing.TB, played *Table, at int) string {
	t.Helper()
	e, err := wire.Parse(played.Entries[at])
	if err != nil {
		t.Fatal(err)
	}
	m := e.Message
	if m.Kind != table.Move {
		return string(m.Kind)
	}
	var body wire.MoveBody
	var fields map[string]json.RawMessage
	if err = wire.DecodeBody(m.Body, &body); err == nil {
		err = json.Unmarshal(body.Move, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	terms, err := played.States[at-1].MoveTerms(table.Seat(m.Seat), body.Move)
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{"move"}, slices.Sorted(maps.Keys(fields))...)
	if len(terms.Open) > 0 {
		words = append(words, "open")
	}
	var claims []string
	for _, c := range terms.Prove {
		claims = append(claims, c.Claim)
	}
	slices.Sort(claims)
	return strings.Join(append(words, slices.Compact(claims)...), " ")
}

// FirstOfKinds are the first entries, in a table, of every kind that has not occurred before.
func (c *Campaign) FirstOfKinds(t testing.TB, played *Table) (list []int) {
	t.Helper()
	for at := 1; at < len(played.Entries); at++ {
		if c.IsNewKind(EntryKind(t, played, at)) {
			list = append(list, at)
		}
	}
	return list
}

// AlterNewKinds alters the first entry of every kind that no table has had before.
func (c *Campaign) AlterNewKinds(t testing.TB, played *Table) {
	t.Helper()
	for _, at := range c.FirstOfKinds(t, played) {
		c.Alter(t, played, at)
	}
}

// AlterAll alters every entry of a table.
func (c *Campaign) AlterAll(t testing.TB, played *Table) {
	t.Helper()
	for at := 1; at < len(played.Entries); at++ {
		c.IsNewKind(EntryKind(t, played, at))
		c.Alter(t, played, at)
	}
}

// Alter alters an entry of a table in every way that the effort allows.
func (c *Campaign) Alter(t testing.TB, played *Table, at int) {
	t.Helper()
	list, err := MutantsOf(played, at, c.Effort, c.Words)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		fault, err := Judge(played, at, m, c.Legal)
		if err != nil {
			t.Errorf("entry %d, %s: %v", at, m.Name, err)
		}
		c.countMutant(fault, err)
		if i%16 == 0 && c.Shows != nil {
			c.Shows(t, played, at, m, fault)
		}
	}
}

func (c *Campaign) countMutant(fault *table.Fault, err error) {
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

// String says what became of the mutants.
func (c *Campaign) String() string {
	return fmt.Sprintf("%d mutants: %d foul, %d void, %d another legal move; %d survivors, %d honest seats blamed",
		c.mutants, c.foul, c.void, c.legal, c.survivors, c.blamed)
}

// RequireWords logs what became of the mutants, and fails if one of these words occurs in no kind of
// entry so far.
func (c *Campaign) RequireWords(t testing.TB, words ...string) {
	t.Helper()
	t.Logf("%d kinds of entries; %v", len(c.kinds), c)
	met := strings.Fields(strings.Join(slices.Collect(maps.Keys(c.kinds)), " "))
	for _, w := range words {
		if !slices.Contains(met, w) {
			t.Errorf("no entry with %s was altered", w)
		}
	}
}
