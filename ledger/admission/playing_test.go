package admission_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// catalogue has the real games, over the suite that hides nothing: admission
// knows no mathematics.
var catalogue = table.Catalogue{
	Game: games.Lookup,
	Suite: func(name string) (proof.Suite, bool) {
		return clear.Suite{}, name == clear.Name
	},
}

// party is a table with all of its players in one place.
type party struct {
	genesis   []byte
	organiser note.Signer
	hands     []player.Hand
	state     *table.State
	random    *mathrand.Rand
}

func keys(t testing.TB, name string) (note.Signer, string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	return s, vkey
}

// newParty signs a table of two players; edit may change what is signed.
func newParty(t testing.TB, edit func(*wire.Genesis)) *party {
	t.Helper()
	p := &party{random: mathrand.New(mathrand.NewPCG(1, 2))}
	g := &wire.Genesis{
		Format: wire.TableFormat, Game: "schwarzer-peter/v1", Suite: clear.Name,
		Options: map[string]string{}, Deals: 1, Fouls: wire.RefuseFouls, Nonce: make([]byte, wire.NonceBytes),
	}
	rand.Read(g.Nonce)
	p.organiser, g.Organiser = keys(t, "organiser")
	for i := range 2 {
		signer, vkey := keys(t, fmt.Sprintf("player-%d", i))
		secret, err := clear.Suite{}.NewSecret(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		p.hands = append(p.hands, player.Hand{Seat: table.Seat(i), Secret: secret, Signer: signer})
		g.Seats = append(g.Seats, vkey)
	}
	if edit != nil {
		edit(g)
	}
	var err error
	if p.genesis, err = wire.Sign(g, p.organiser); err != nil {
		t.Fatal(err)
	}
	e, err := wire.Parse(p.genesis)
	if err != nil {
		t.Fatal(err)
	}
	// A table that cannot be opened has no state: such tests need none.
	p.state, _ = table.Open(e, catalogue)
	return p
}

func (p *party) id() wire.Hash { return wire.HashEntry(p.genesis) }

// message returns a message that discharges the first duty, or nil at the end.
func (p *party) message(t testing.TB) []byte {
	t.Helper()
	duties := p.state.Duties()
	if len(duties) == 0 {
		return nil
	}
	return p.by(t, duties[0].Seats[0], duties[0])
}

func (p *party) by(t testing.TB, seat table.Seat, d table.Duty) []byte {
	t.Helper()
	hand := p.hands[seat]
	var move json.RawMessage
	if d.Kind == table.Move {
		own, err := p.state.Peek(seat, hand.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if move, err = p.state.Choose(p.state.View(seat, own), p.random); err != nil {
			t.Fatal(err)
		}
	}
	entry, err := hand.Message(p.state, d, move, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// foul returns a message that is due, and signed, and has a wrong proof.
func (p *party) foul(t testing.TB) []byte {
	t.Helper()
	e := parse(t, p.message(t))
	m := *e.Message
	m.Proofs = [][]byte{append([]byte(nil), m.Proofs[0]...)}
	m.Proofs[0][0] ^= 1
	return p.sign(t, m)
}

func (p *party) sign(t testing.TB, m wire.Message) []byte {
	t.Helper()
	entry, err := wire.Sign(&m, p.hands[m.Seat].Signer)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// applied moves the players on.
func (p *party) applied(t testing.TB, entry []byte) {
	t.Helper()
	next, err := p.state.Apply(parse(t, entry), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.state = next
}

func parse(t testing.TB, entry []byte) *wire.Entry {
	t.Helper()
	e, err := wire.Parse(entry)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shaky is a log whose Append can be made to fail before and after the fact.
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
	if before != nil {
		return tlog.Receipt{}, before
	}
	r, err := s.Log.Append(ctx, entry)
	if after != nil {
		return tlog.Receipt{}, after
	}
	return r, err
}

func open(t testing.TB, log tlog.Log, o admission.Options) *admission.Admission {
	t.Helper()
	a, err := admission.Open(t.Context(), log, catalogue, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func post(t testing.TB, a *admission.Admission, entry []byte) admission.Posted {
	t.Helper()
	p, err := a.Post(t.Context(), entry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// entries returns what the log shows of a table.
func entries(t testing.TB, a *admission.Admission, id wire.Hash) []admission.Logged {
	t.Helper()
	var list []admission.Logged
	for e, err := range a.Entries(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// size is the number of entries in the log.
func size(t testing.TB, log tlog.Reader) uint64 {
	t.Helper()
	c, err := log.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c.Size
}

