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

// State is a table after some of its messages. It is immutable.
type State struct {
	// Fixed by the genesis entry.
	id      wire.Hash
	genesis *wire.Genesis
	game    Game
	suite   proof.Suite
	seats   []note.Verifier
	pack    card.Deck
	deck    proof.Deck

	head    wire.Hash // of the last applied entry
	applied int       // messages applied, the genesis entry not counted
	foul    *Fault    // ended the table

	keys   []proof.Key // by seat; nil until posted
	former []postedKey // of deals before, where a key is for one deal

	rules rulesState
	deals uint32 // begun
	deal  deal   // the present one
	phase phase

	*disclosureState              // nil, unless the suite defers
	*challengeState               // nil, unless others ask for proofs
	course                        // of a table/v2
	clock            runningClock // of a table with a clock
	branches                      // of one too
}

// postedKey is a card key that a seat has posted.
type postedKey struct {
	seat Seat
	by   string // who held the seat
	key  proof.Key
}

// Open begins a table with its genesis entry. It checks the organiser's
// signature and everything the entry says; an error is the organiser's fault.
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
	s := &State{id: e.Hash, head: e.Hash, genesis: g, seats: seats, keys: make([]proof.Key, len(seats)), course: newCourse(g)}
	if err := s.setUpGame(c); err != nil {
		return nil, err
	}
	if !g.Clock.IsNone() {
		s.clock = s.startClock(Place{Entry: e.Hash}, make([][]Interval, len(seats)))
		s.branches = branches{[]*link{}, map[Seat]string{}}
		s.extendLine(s, s.linkTo(e))
	}
	return s, nil
}

func (s *State) setUpGame(c Catalogue) (err error) {
	var ok bool
	if s.game, ok = c.Game(s.genesis.Game); !ok {
		return fmt.Errorf("unknown game %q", s.genesis.Game)
	}
	if s.suite, ok = c.Suite(s.genesis.Suite); !ok {
		return fmt.Errorf("unknown suite %q", s.genesis.Suite)
	}
	config := Config{Seats: len(s.seats), Deals: s.genesis.Deals, Options: s.genesis.Options}
	if s.rules, s.pack, err = s.game.setup(config); err != nil {
		return fmt.Errorf("%s: %w", s.game.Name(), err)
	}
	lacking := slices.DeleteFunc(s.game.neededRelations(config), func(need string) bool { return proof.Proves(s.suite, need) })
	if slices.Contains(lacking, proof.Disclosure) {
		return fmt.Errorf("%s: these options speak of what is disclosed, and suite %s proves everything at once: leave them out, or choose another suite",
			s.game.Name(), s.suite.Name())
	}
	if len(lacking) > 0 {
		return fmt.Errorf("%s cannot be played with suite %s, which has no proof of %s: choose another suite",
			s.game.Name(), s.suite.Name(), strings.Join(lacking, ", "))
	}
	if suite, ok := proof.AsDeferring(s.suite); ok {
		if s.genesis.Format != wire.TableFormat {
			return plainOnly(suite)
		}
		s.disclosureState = &disclosureState{suite: suite, shown: make([]uint32, len(s.seats))}
	}
	if err := s.askBy(s.suite); err != nil {
		return err
	}
	if s.deck, err = s.suite.Encoding().Deck(s.pack); err != nil {
		return fmt.Errorf("%s: %w", s.suite.Name(), err)
	}
	if size, most := proof.AttachmentSize(s.suite, len(s.seats), s.deck), wire.AttachableBytes(s.genesis.Suite); size > most {
		return fmt.Errorf("%s: a shuffle of %d cards by %d seats has %d bytes, at most %d are allowed: choose another suite", s.suite.Name(), s.pack.Len(), len(s.seats), size, most)
	}
	return nil
}

// plainOnly says that a suite at whose tables something is checked late has no clock to be late by.
func plainOnly(s proof.Suite) error {
	return fmt.Errorf("suite %s is for tables of the format %s alone, which have no clock and no endings and are in no event: choose another suite", s.Name(), wire.TableFormat)
}

// CheckPlayable says why no table of these terms could begin with so many seats; nil: it could.
func CheckPlayable(terms *wire.Genesis, seats int, c Catalogue) error {
	s := &State{genesis: terms, seats: make([]note.Verifier, seats)}
	return s.setUpGame(c)
}

// WithFault returns the table as f, the fault of an entry, left it: over by a foul, or with one
// attempt more.
func (s *State) WithFault(f *Fault, entry wire.Hash) *State {
	t := s.clone()
	if f.Class == Tried {
		t.head = entry
		t.attempts = append(slices.Clip(s.attempts), Attempt{entry, f.Seat, f.Check})
		t.clock.head = Place{Entry: entry}
		s.extendLine(t, &link{entry: entry, parent: s.head, seat: f.Seat, by: s.holders[f.Seat], fault: f, after: new(atomic.Pointer[State])})
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

// Context is what the proofs of seat's next message of a kind are bound to.
func (s *State) Context(seat Seat, kind Kind) transcript.Message {
	return transcript.Bind(
		transcript.Suite(s.suite.Name()), transcript.Rules(s.game.Name()),
		transcript.Table{ID: s.id}, transcript.Deck{ID: s.pack.ID()}, s.keysHash(),
		transcript.Deal(s.deals), transcript.Parent{Hash: s.head}, transcript.Kind(kind), transcript.Seat(seat))
}

// keysHash is SHA-256 over, for every seat in order, the u64 length of its
// card key and the key; the length is 0 while the key is not posted.
func (s *State) keysHash() transcript.Keys {
	h := sha256.New()
	for _, k := range s.keys {
		var b []byte
		if k != nil {
			b = k.Bytes()
		}
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	return transcript.Keys{Hash: [32]byte(h.Sum(nil))}
}
