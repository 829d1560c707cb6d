package table

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// State is a table after some of its messages. It is immutable. A method that concerns one part
// alone is a method of that part. Methods that handle an entry are those of [step], [act] and
// [claim].
type State struct {
	*opening
	seats   []note.Verifier // of the present holders
	head    wire.Hash       // the last applied entry
	applied int             // messages applied, without the genesis entry
	foul    *Fault          // ended the table

	cardKeys
	rules rulesState
	deals uint32 // how many have begun
	deal         // the present deal
	phase phase

	*disclosureState // nil, unless the suite defers
	*challengeState  // nil, unless the seats ask for proofs
	course           // of a table/v2
	runningClock     // of a table with a clock
	branches         // of a table with a clock
}

// opening is what the genesis entry fixes. It is immutable.
type opening struct {
	id      wire.Hash
	genesis *wire.Genesis
	game    Game
	suite   proof.Suite
	pack    card.Deck
	deck    proof.Deck
}

type cardKeys struct {
	keys   []proof.Key // by seat; nil until posted
	former []postedKey // of earlier deals, where a key is for one deal
}

// postedKey is a card key that a seat has posted.
type postedKey struct {
	seat Seat
	by   string // verifier key of the seat's holder then
	key  proof.Key
}

// Open begins a table with its genesis entry. It checks the organiser's signature and everything
// that the entry says. An error is the organiser's fault.
func Open(e *wire.Entry, c Catalogue) (*State, error) {
	g := e.Table
	if g == nil {
		return nil, fmt.Errorf("entry %s begins no table", e.Hash)
	}
	_, seats, err := g.Verifiers()
	if err != nil {
		return nil, err
	}
	if err := e.VerifyOrganiser(); err != nil {
		return nil, fmt.Errorf("organiser: %w", err)
	}
	s, err := newState(&opening{id: e.Hash, genesis: g}, seats, c)
	if err == nil && !g.Clock.IsNone() {
		s.runningClock = newClock(s.Duties(), Place{Entry: e.Hash}, make([][]Interval, len(seats)))
		s.branches = branches{[]*link{}, map[Seat]string{}}.extend(s, s.linkTo(e))
	}
	return s, err
}

// newState returns a table of these seats before its first message. The caller sets the id and the
// genesis entry of o; newState sets the rest.
func newState(o *opening, seats []note.Verifier, c Catalogue) (s *State, err error) {
	var ok bool
	if o.game, ok = c.Game(o.genesis.Game); !ok {
		return nil, fmt.Errorf("unknown game %q", o.genesis.Game)
	}
	if o.suite, ok = c.Suite(o.genesis.Suite); !ok {
		return nil, fmt.Errorf("unknown suite %q", o.genesis.Suite)
	}
	s = &State{opening: o, head: o.id, seats: seats, course: newCourse(o.genesis)}
	s.keys = make([]proof.Key, len(seats))
	config := Config{Seats: len(seats), Deals: o.genesis.Deals, Options: o.genesis.Options}
	if s.rules, s.pack, err = s.game.setup(config); err != nil {
		return nil, fmt.Errorf("%s: %w", s.game.Name(), err)
	}
	lacking := slices.DeleteFunc(s.game.neededRelations(config), func(need string) bool { return proof.Proves(s.suite, need) })
	if slices.Contains(lacking, proof.Disclosure) {
		return nil, fmt.Errorf("%s: these options speak of what is disclosed, and suite %s proves everything at once: leave them out, or choose another suite",
			s.game.Name(), s.suite.Name())
	}
	if len(lacking) > 0 {
		return nil, fmt.Errorf("%s cannot be played with suite %s, which has no proof of %s: choose another suite",
			s.game.Name(), s.suite.Name(), strings.Join(lacking, ", "))
	}
	if suite, ok := proof.AsDeferring(s.suite); ok {
		if s.genesis.Format != wire.TableFormat {
			return nil, plainOnly(suite)
		}
		s.disclosureState = &disclosureState{deferring: suite, shown: make([]uint32, len(s.seats))}
	}
	if s.challengeState, err = o.newChallenges(len(seats)); err != nil {
		return nil, err
	}
	if s.deck, err = s.suite.Encoding().Deck(s.pack); err != nil {
		return nil, fmt.Errorf("%s: %w", s.suite.Name(), err)
	}
	if size, most := proof.AttachmentSize(s.suite, len(s.seats), s.deck), wire.AttachableBytes(s.genesis.Suite); size > most {
		return nil, fmt.Errorf("%s: a shuffle of %d cards by %d seats has %d bytes, at most %d are allowed: choose another suite", s.suite.Name(), s.pack.Len(), len(s.seats), size, most)
	}
	return s, nil
}

// plainOnly says that a suite that checks something late is only for tables without a clock.
func plainOnly(s proof.Suite) error {
	return fmt.Errorf("suite %s is for tables of the format %s alone, which have no clock and no endings and are in no event: choose another suite", s.Name(), wire.TableFormat)
}

// CheckPlayable says why no table of these terms could begin with so many seats; nil if one could.
func CheckPlayable(terms *wire.Genesis, seats int, c Catalogue) error {
	_, err := newState(&opening{genesis: terms}, make([]note.Verifier, seats), c)
	return err
}

// WithFault returns the table after an entry whose fault is f: ended by a foul, or with one more
// attempt.
func (s *State) WithFault(f *Fault, entry wire.Hash) *State {
	t := s.clone()
	if f.Class == Tried {
		t.head = entry
		t.attempts = append(slices.Clip(s.attempts), Attempt{entry, f.Seat, f.Check})
		t.runningClock.head = Place{Entry: entry}
		t.branches = s.branches.extend(t, &link{entry: entry, parent: s.head, seat: f.Seat, by: s.holders[f.Seat], fault: f, after: new(atomic.Pointer[State])})
		return t
	}
	t.foul = f
	return t
}

// clone copies what Apply may change. Values inside are never changed in place.
func (s *State) clone() *State {
	t := *s
	t.keys = slices.Clone(s.keys)
	t.deal = s.deal.clone()
	t.phase.taken = slices.Clone(s.phase.taken)
	t.disclosureState, t.challengeState = s.disclosureState.clone(), s.challengeState.clone()
	if s.genesis.HasActs() {
		t.course = s.course.clone()
	}
	return &t
}

// Context returns what the proofs of seat's next message of a kind are bound to.
func (s *State) Context(seat Seat, kind Kind) transcript.Message {
	return transcript.Bind(
		transcript.Suite(s.suite.Name()), transcript.Rules(s.game.Name()),
		transcript.Table{ID: s.id}, transcript.Deck{ID: s.pack.ID()}, s.keysHash(),
		transcript.Deal(s.deals), transcript.Parent{Hash: s.head}, transcript.Kind(kind), transcript.Seat(seat))
}

// keysHash is SHA-256 over, for every seat in order, the u64 length of its card key and the key;
// the length is 0 while no key is posted.
func (c cardKeys) keysHash() transcript.Keys {
	h := sha256.New()
	for _, k := range c.keys {
		var b []byte
		if k != nil {
			b = k.Bytes()
		}
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	return transcript.Keys{Hash: [32]byte(h.Sum(nil))}
}
