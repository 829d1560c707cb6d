package admission_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// catalogue has the real games, over the suite that hides nothing: admission
// knows no mathematics.
var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

var seed atomic.Uint64

// party is a table with all of its players in one place.
type party struct {
	*tabletest.Table
	t testing.TB
}

func newParty(t testing.TB, fouls wire.Fouls) *party {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: fouls}, seed.Add(1)))(t)
	return &party{p, t}
}

func (p *party) id() wire.Hash   { return p.State.ID() }
func (p *party) genesis() []byte { return p.Entries[0] }

// otherwise returns the genesis entry with something else in it.
func (p *party) otherwise(edit func(*wire.Genesis)) []byte {
	p.t.Helper()
	g := *parse(p.t, p.genesis()).Table
	edit(&g)
	return testmust.Have(wire.Sign(&g, p.Organiser))(p.t)
}

// next returns a message that is due.
func (p *party) next() []byte {
	p.t.Helper()
	return testmust.Have(p.Next())(p.t)
}

// key returns a seat's card key, due at the beginning.
func (p *party) key(seat table.Seat) []byte {
	p.t.Helper()
	return testmust.Have(p.Message(seat, p.State.Owed(seat)[0], nil))(p.t)
}

// applied moves the players on.
func (p *party) applied(entry []byte) {
	p.t.Helper()
	testmust.Do(p.t, p.Add(entry))
}

// forge changes a message, signed by its seat.
func (p *party) forge(entry []byte, change func(*wire.Message)) []byte {
	p.t.Helper()
	return testmust.Have(p.Forge(entry, change))(p.t)
}

// foul makes the first proof of a message wrong, or adds one that is not due.
func (p *party) foul(entry []byte) []byte {
	return p.forge(entry, func(m *wire.Message) {
		if len(m.Proofs) == 0 {
			m.Proofs = [][]byte{{1}}
		}
		m.Proofs[0][0] ^= 0x80
	})
}

func parse(t testing.TB, entry []byte) *wire.Entry {
	t.Helper()
	return testmust.Have(wire.Parse(entry))(t)
}

// shaky is a log whose Append can be made to fail, or to panic, before and after the fact.
type shaky struct {
	tlog.Log
	mu            sync.Mutex
	before, after error // of the next Append
	appends       int
}

func (s *shaky) fail(before, after error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
}

func (s *shaky) Append(ctx context.Context, entry []byte) (tlog.Receipt, error) {
	s.mu.Lock()
	before, after := s.before, s.after
	s.before, s.after = nil, nil
	s.appends++
	s.mu.Unlock()
	if before == errPanics {
		panic(before)
	} else if before != nil {
		return tlog.Receipt{}, before
	}
	r, err := s.Log.Append(ctx, entry)
	if after == errPanics {
		panic(after)
	} else if after != nil {
		return tlog.Receipt{}, after
	}
	return r, err
}

func open(t testing.TB, log tlog.Log, o admission.Options) *admission.Admission {
	t.Helper()
	return testmust.Have(admission.Open(t.Context(), log, catalogue, o))(t)
}

func post(t testing.TB, a *admission.Admission, entry []byte) admission.Posted {
	t.Helper()
	return testmust.Have(a.Post(t.Context(), entry))(t)
}

// entries returns what the log shows of a table.
func entries(t testing.TB, a *admission.Admission, id wire.Hash) []admission.Logged {
	t.Helper()
	var list []admission.Logged
	for e, err := range a.Entries(t.Context(), id, 0) {
		testmust.Do(t, err)
		list = append(list, e)
	}
	return list
}

// size is the number of entries in the log.
func size(t testing.TB, log tlog.Reader) uint64 {
	t.Helper()
	return testmust.Have(log.Checkpoint(t.Context()))(t).Size
}

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
