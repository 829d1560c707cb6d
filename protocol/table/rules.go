package table

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/wire"
)

// Seat is a place at the table, from 0, in the order of the genesis entry. It
// is no uint8, since JSON would write a list of those as a string.
type Seat uint16

// Letter is how people name the seat: A is the first.
func (s Seat) Letter() string { return wire.SeatLetter(int(s)) }

// Card is a place in the deal, from 0: a position of the shuffled deck. It
// keeps its number when it changes hands or its hand is permuted; then the
// number names the place and not the face that was there before.
type Card uint16

// Rules is a game: what its author writes, as far as a verdict rests on it. What
// only a player needs of a game is play.Rules. All methods are pure functions
// of their arguments and leave them unchanged; no key, proof, clock, random
// source or I/O is in reach. S is the public state and M a move; both must
// encode to JSON, M canonically: integers, strings, booleans, lists and
// structs with every field present, or left out by omitempty (of a list by a
// pointer to it, or else an empty one has two spellings).
//
// In every state play waits either for protocol steps (all kinds but Move)
// or for moves, never for both; a Shuffle stands alone, lists two seats or
// more, each once, and begins a deal among them: all cards of the deal before are
// gone, and no card comes to another seat.
//
// A game that does without some of proof.Relations, and so can be played with suites that
// do not prove all of them, has a method more: Needs(c Config) []string, which lists those
// that it needs with options that Setup has accepted; with options for suites that defer
// alone also proof.Disclosure. One that can tell deals that are over from those that are not
// has a method Sheet(s S) Sheet: their payments, and what an end here would pay besides; at
// the end of the table their sum is Result.
//
// With a suite that defers (docs/spec/51-disclosure.md) the locks of all deals are owed
// when nothing else is, whatever the rules say. To have them disclosed before, they state
// Disclose, say after every deal. Rules for which a seat that alone does not disclose loses
// what it could have won have a method more: Forfeit(s S, silent Seat) ([]int, bool), the
// score in that case, or false if it is left open. The table waits for that seat all the
// same.
type Rules[S, M any] interface {
	// Name is "<game>/v<N>", bound into every transcript.
	Name() string
	// Setup parses the options and refuses what is wrong with them.
	Setup(c Config) (S, card.Deck, error)
	// Duties is what play waits for; none: the table is over.
	Duties(s S) []Duty
	// Settle returns the state after all protocol steps among the duties of s
	// were taken; open are the faces of the open cards of this deal.
	Settle(s S, open map[Card]card.Face) S
	// Apply returns the state after a move and the terms on which it is valid.
	// It is called only for a seat with a Move duty, and with whatever that
	// seat signed. An error is a broken rule: it names the rule's number.
	Apply(s S, in Input[M]) (S, Terms, error)
	// Result is the score of every seat once nothing is due.
	Result(s S) []int
}

// Config is what a genesis entry says to a game.
type Config struct {
	Seats   int
	Deals   int
	Options map[string]string
}

// Input is a move with what everybody sees.
type Input[M any] struct {
	Seat  Seat
	Move  M
	Faces map[Card]card.Face // of the open cards of this deal
}

// View is what one seat sees. The kernel makes none: it reads no hand.
type View struct {
	Seat  Seat
	Faces map[Card]card.Face // of the open cards and of the own hand
	Dealt map[Card]card.Face // of the cards that were dealt to the seat, as they were then
}

// Terms are the conditions on which a move is valid. The kernel adopts the
// next state only if the mover has shown and proved all of it.
type Terms struct {
	Open  []ShownCard // hand cards of the mover, turned up
	Prove []Condition // facts about cards of the mover, kept hidden
}

// ShownCard is a card and the face its holder says it has.
type ShownCard struct {
	Card Card
	Face card.Face
}

// Condition is a fact about hidden cards:
// Min ≤ |{c ∈ Cards: face(c) ∈ Set}| ≤ Max.
//
// Without Dealt it speaks of the mover's hand as it lies before the move. With
// it, of places that were dealt to the mover, which is to whom a Show first
// gave them, and of the cards that lay there at that moment: whatever was
// permuted, turned up or given away since in this deal. A place received by
// Give stays dealt to whom it was.
type Condition struct {
	Cards    []Card
	Set      card.Set
	Min, Max int
	Dealt    bool

	// Claim and Group are what the game's own catalogue of proofs calls the
	// condition and its cards, for reports. Nothing is proved or hashed of them.
	Claim, Group string
}

// Trivial reports whether a condition says nothing, so that nothing is proved.
func (c Condition) Trivial() bool { return c.Min <= 0 && c.Max >= len(c.Cards) }

// Kind says what is owed. Every kind but Move is a step of the protocol.
type Kind = wire.Kind

// Kinds of duty. A message discharges the duty of its own kind.
const (
	Key     = wire.KindKey     // post a card key; the kernel's own, before the first deal or every one
	Shuffle = wire.KindShuffle // Seats, in order: shuffle the whole deck, for a deal among them
	Show    = wire.KindShow    // all of the deal but To, in turn: give tokens for Cards; To is one seat, or none for everybody
	Give    = wire.KindGive    // Seats[0]: mask the hand cards Cards for To[0]
	Permute = wire.KindPermute // Seats[0]: permute the hand cards Cards; fewer than two need no step
	Return  = wire.KindReturn  // Seats[0]: mask the hand cards Cards for all again
	Mix     = wire.KindMix     // Seats, in order: shuffle Cards
	Cut     = wire.KindCut     // Seats, in order: cut Cards
	Insert  = wire.KindInsert  // Seats, in order: put the last of Cards anywhere among the others
	Mint    = wire.KindMint    // Seats[0]: mask a face of each of Sets; nobody: lay the one face of each, open
	Move    = wire.KindMove    // one of Seats: choose

	// Disclose: all of Seats, in any order, disclose their locks of all deals of which they
	// have not yet. With a suite that proves everything at once nobody owes it.
	Disclose = wire.KindDisclose
	// Dispute stands in for another duty, and is none that rules could state.
	Dispute = wire.KindDispute

	// Beacon and Answer are owed where a suite asks for proofs, and are none that rules could
	// state: a value of Seats[0], and its answer to those of the others.
	Beacon = wire.KindBeacon
	Answer = wire.KindAnswer
)

// Duty is what play waits for. Rules state it; [State.Duties] reports what of
// it is still owed, with the owing seats in Seats.
//
// Cards that are mixed, cut or inserted must be under all keys of the deal, or minted
// open. Minted cards take the places behind those there are, in order; before the first
// shuffle they begin a deal of all seats without a deck.
type Duty struct {
	Kind  Kind       `json:"kind"`
	Seats []Seat     `json:"seats"`
	Cards []Card     `json:"cards,omitempty"`
	To    []Seat     `json:"to,omitempty"`
	Sets  []card.Set `json:"sets,omitempty"`

	// Awaited are those of Seats who can be late with a Move, if not nil: who is on turn, where others may concede,
	// and nobody where it is anybody's turn (52.3.2).
	Awaited []Seat `json:"-"`
}

// Owes reports whether seat is among those who owe d.
func (d Duty) Owes(seat Seat) bool { return slices.Contains(d.Seats, seat) }

// Awaits reports whether seat can be late with d.
func (d Duty) Awaits(seat Seat) bool {
	return d.Owes(seat) && (d.Awaited == nil || slices.Contains(d.Awaited, seat))
}

// Equal reports whether two duties are the same.
func (d Duty) Equal(e Duty) bool {
	return d.Kind == e.Kind && slices.Equal(d.Seats, e.Seats) && slices.Equal(d.Awaited, e.Awaited) && slices.Equal(d.Cards, e.Cards) && slices.Equal(d.To, e.To) && slices.Equal(d.Sets, e.Sets)
}
