package admission

import (
	"encoding/binary"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// SaveEvery makes the index be saved more often.
func SaveEvery(t *testing.T, n uint64) {
	before := saveEvery
	saveEvery = n
	t.Cleanup(func() { saveEvery = before })
}

// RememberWrong puts n entries into what is known to be wrong, and returns how
// many of the latest are remembered, and how many in all.
func RememberWrong(n int) (latest, all int) {
	var k wrongEntries
	hash := func(i int) (h wire.Hash) {
		binary.BigEndian.PutUint64(h[:], uint64(i))
		return h
	}
	for i := range n {
		k.putFault(hash(i), &table.Fault{})
	}
	for i := range n {
		if _, ok := k.faultOf(hash(n - 1 - i)); ok {
			all++
			if latest == i {
				latest++
			}
		}
	}
	return latest, all
}

// PlaceDuringPost takes an entry that begins a subject from the log while a post of it has begun, and reports whether the
// subject is known when the post is over.
func PlaceDuringPost(t *testing.T, a *Admission, entry []byte) bool {
	parse := bulletin.ParseEvent
	if wire.BeginsTable(entry) {
		parse = parseGenesis
	}
	e := testmust.Have(parse(entry))(t)
	found, begins, placed := a.subjectAt(entry)
	_, posted := a.use(SubjectOf(e), e)
	found.placeEntry(0, found.foundOf(entry, begins))
	placed()
	posted()
	return a.begunSubject(SubjectOf(e)) != nil
}
