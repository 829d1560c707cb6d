package table

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
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

	keys  []proof.Key // by seat; nil until posted
	joint proof.Key   // nil until every seat posted

	rules rulesState
	deal  uint32 // deals begun
	order []Seat // of the present deal, as its shuffle lists them
	cards []slot
	faces map[Card]card.Face // of open cards
	phase phase
}

// slot is one card of the deal: under the keys of all seats not in stripped.
type slot struct {
	masked   proof.Masked
	stripped seatSet
	owner    Seat         // to whom it was dealt
	dealt    proof.Masked // under that seat's key alone, as it was then; nil before
}

// Open begins a table with its genesis entry. It checks the organiser's
// signature and everything the entry says; an error is the organiser's fault.
func Open(e *wire.Entry, c Catalogue) (*State, error) {
	g := e.Table
	if g == nil {
		return nil, fmt.Errorf("table: entry %s begins no table", e.Hash)
	}
	_, seats, err := g.Verifiers()
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	if err := e.VerifyOrganiser(); err != nil {
		return nil, fmt.Errorf("table: organiser: %w", err)
	}
	s := &State{id: e.Hash, head: e.Hash, genesis: g, seats: seats, keys: make([]proof.Key, len(seats))}
	if err := s.setup(c); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return s, nil
}

func (s *State) setup(c Catalogue) (err error) {
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
	if s.deck, err = s.suite.Encoding().Deck(s.pack); err != nil {
		return fmt.Errorf("%s: %w", s.suite.Name(), err)
	}
	return nil
}

// ID is the table's id, the hash of its genesis entry.
func (s *State) ID() wire.Hash { return s.id }

// Genesis is the table's first entry. It must not be changed.
func (s *State) Genesis() *wire.Genesis { return s.genesis }

// Head is the hash of the last applied entry: the parent of the next message.
func (s *State) Head() wire.Hash { return s.head }

// Cards counts the cards of the present deal; 0 before the first.
func (s *State) Cards() int { return len(s.cards) }

// Applied counts the applied messages; the genesis entry is not one.
func (s *State) Applied() int { return s.applied }

// Deal counts the deals begun.
func (s *State) Deal() int { return int(s.deal) }

// Game is the table's game.
func (s *State) Game() Game { return s.game }

// Suite is the table's card encoding with its arguments.
func (s *State) Suite() proof.Suite { return s.suite }

// Seats counts the seats.
func (s *State) Seats() int { return len(s.seats) }

// SeatName is the name a seat signs with.
func (s *State) SeatName(seat Seat) string { return s.seats[seat].Name() }

// FaceName is the name of a face of the table's deck.
func (s *State) FaceName(f card.Face) string { return s.pack.FaceName(f) }

// Foul is the foul that ended the table, or nil.
func (s *State) Foul() *Fault { return s.foul }

// Faces are the open cards of this deal.
func (s *State) Faces() map[Card]card.Face { return maps.Clone(s.faces) }

// Result is the score of every seat. It is false while anything is due, and at
// a table that ended with a foul.
func (s *State) Result() ([]int, bool) {
	if s.foul != nil || s.joint == nil || len(s.phase.duties) > 0 {
		return nil, false
	}
	return s.game.result(s.rules), true
}

// Public is the game's public state, as JSON for people and clients.
func (s *State) Public() (json.RawMessage, error) { return json.Marshal(s.rules) }

// Public returns the game's public state as the S of its rules; false if S is not
// theirs. The value is the table's own and must not be changed.
func Public[S any](s *State) (S, bool) {
	public, ok := s.rules.(S)
	return public, ok
}

// End returns the table as f ended it.
func (s *State) End(f *Fault) *State {
	t := s.clone()
	t.foul = f
	return t
}

// clone copies what Apply may change. Values inside are never changed in place.
func (s *State) clone() *State {
	t := *s
	t.keys = slices.Clone(s.keys)
	t.cards = slices.Clone(s.cards)
	t.faces = maps.Clone(s.faces)
	t.phase.taken = slices.Clone(s.phase.taken)
	return &t
}

// Context is what the proofs of seat's next message of a kind are bound to.
func (s *State) Context(seat Seat, kind Kind) transcript.Message {
	return transcript.Bind(
		transcript.Suite(s.suite.Name()), transcript.Rules(s.game.Name()),
		transcript.Table{ID: s.id}, transcript.Deck{ID: s.pack.ID()}, s.keysHash(),
		transcript.Deal(s.deal), transcript.Parent{Hash: s.head}, transcript.Kind(kind), transcript.Seat(seat))
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

// seatSet is a set of seats; wire.MaxSeats fit.
type seatSet uint16

func (s seatSet) with(seat Seat) seatSet { return s | 1<<seat }
func setOf(seats []Seat) (set seatSet) {
	for _, seat := range seats {
		set = set.with(seat)
	}
	return set
}

func (s seatSet) has(seat Seat) bool { return s&(1<<seat) != 0 }

// allBut is every seat but one.
func (s *State) allBut(seat Seat) seatSet { return s.everybody() &^ (1 << seat) }

func (s *State) everybody() seatSet { return 1<<len(s.seats) - 1 }

// holds reports whether a card is masked under seat's key alone.
func (s *State) holds(seat Seat, c Card) bool {
	return int(c) < len(s.cards) && s.cards[c].stripped == s.allBut(seat)
}

// Hand lists the cards masked under seat's key alone.
func (s *State) Hand(seat Seat) []Card {
	return s.cardsThat(func(c Card) bool { return s.holds(seat, c) })
}

// wasDealt reports whether a card was dealt to seat.
func (s *State) wasDealt(seat Seat, c Card) bool {
	return int(c) < len(s.cards) && s.cards[c].dealt != nil && s.cards[c].owner == seat
}

// Dealt lists the cards that were dealt to seat, wherever they are now.
func (s *State) Dealt(seat Seat) []Card {
	return s.cardsThat(func(c Card) bool { return s.wasDealt(seat, c) })
}

func (s *State) cardsThat(are func(Card) bool) []Card {
	return slices.DeleteFunc(s.allCards(), func(c Card) bool { return !are(c) })
}

// Masked returns cards of this deal as they are masked now.
func (s *State) Masked(cards []Card) []proof.Masked {
	list := make([]proof.Masked, len(cards))
	for i, c := range cards {
		list[i] = s.cards[c].masked
	}
	return list
}

// MaskedDealt returns cards that were dealt to a seat as they were masked when
// it received them.
func (s *State) MaskedDealt(cards []Card) []proof.Masked {
	list := make([]proof.Masked, len(cards))
	for i, c := range cards {
		list[i] = s.cards[c].dealt
	}
	return list
}

// Deck returns all cards of the deal as they are masked now, and the joint key.
func (s *State) Deck() ([]proof.Masked, proof.Key) { return s.Masked(s.allCards()), s.joint }

// CardKey is a seat's card key, or nil while it is not posted.
func (s *State) CardKey(seat Seat) proof.Key { return s.keys[seat] }
