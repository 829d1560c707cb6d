package table

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/wire"
)

// Seat is a place at the table, from 0, in the order of the genesis entry. It is not a uint8, since
// JSON would write a list of these as a string.
type Seat uint16

// Letter returns the seat's letter, A for the first.
func (s Seat) Letter() string { return wire.SeatLetter(int(s)) }

// Card is a place in the deal, from 0: a position of the shuffled deck. It keeps its number when it
// changes hands or its hand is permuted. Then the number names the place, and not the face that was
// there before.
type Card uint16

// Rules is what the author of a game writes, as far as a verdict rests on it. What only a player
// needs is in play.Rules. All methods are pure functions of their arguments and leave them
// unchanged; no key, proof, clock, random source or I/O is in reach. S is the public state and M a
// move. Both must encode to JSON, M canonically: integers, strings, booleans, lists, and structs
// with every field present or left out by omitempty. An optional list is a pointer to a list;
// otherwise the empty list would have two spellings.
//
// In every state play waits either for protocol steps (all kinds but Move) or for moves, never for
// both. A Shuffle stands alone and lists at least two seats, each once. It begins a deal among
// them: all cards of the deal before are gone, and no card comes to another seat.
//
// A game that does not need all of proof.Relations, and so can be played with suites that prove
// fewer, also has a method Needs(c Config) []string. It lists the relations that the game needs
// with options that Setup has accepted; with options for deferring suites only, also
// proof.Disclosure. A game that can tell finished deals apart has a method Sheet(s S) Sheet, with
// their payments and what an end now would pay besides. At the end of the table they sum up to
// Result.
//
// With a suite that defers (docs/spec/51-disclosure.md) the locks of all deals are owed when
// nothing else is, whatever the rules say. Rules that want them earlier, such as after every deal,
// state Disclose. Rules by which the only seat that does not disclose loses what it could have won
// also have a method Forfeit(s S, silent Seat) ([]int, bool). It returns the scores in that case,
// or false to leave them open. The table waits for that seat all the same.
type Rules[S, M any] interface {
	// Name is "<game>/v<N>", bound into every transcript.
	Name() string
	// Setup parses the options and refuses wrong ones.
	Setup(c Config) (S, card.Deck, error)
	// Duties returns what play waits for. If it is empty, the table is over.
	Duties(s S) []Duty
	// Settle returns the state after all protocol steps among the duties of s were taken. The map
	// open has the faces of the open cards of this deal.
	Settle(s S, open map[Card]card.Face) S
	// Apply returns the state after a move, and the terms on which the move is valid. It is called
	// only for a seat with a Move duty, with whatever that seat signed. An error is a broken rule,
	// and names the rule's number.
	Apply(s S, in Input[M]) (S, Terms, error)
	// Result returns the score of every seat once nothing is due.
	Result(s S) []int
}

// Config is what a genesis entry tells a game.
type Config struct {
	Seats   int
	Deals   int
	Options map[string]string
}

// Input is a move and what everybody sees.
type Input[M any] struct {
	Seat  Seat
	Move  M
	Faces map[Card]card.Face // of the open cards of this deal
}

// View is what one seat sees. The kernel makes no View, since it reads no hand.
type View struct {
	Seat  Seat
	Faces map[Card]card.Face // of the open cards and of the seat's own hand
	Dealt map[Card]card.Face // of the cards that were dealt to the seat, as dealt
}

// Terms are the conditions on which a move is valid. The kernel adopts the next state only if the
// mover has shown and proved all of them.
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
// Without Dealt it speaks of the mover's hand as it lies before the move. With Dealt it speaks of
// places that were dealt to the mover, which means that a Show first gave them to it, and of the
// cards that lay there at that moment, whatever was permuted, turned up or given away since. A
// place received by Give stays dealt to the seat it was dealt to.
type Condition struct {
	Cards    []Card
	Set      card.Set
	Min, Max int
	Dealt    bool

	// Claim and Group are what the game's catalogue of proofs calls the condition and its cards,
	// for reports. They are neither proved nor hashed.
	Claim, Group string
}

// Trivial reports whether a condition always holds, so that nothing is proved.
func (c Condition) Trivial() bool { return c.Min <= 0 && c.Max >= len(c.Cards) }

// Kind says what is owed. Every kind but Move is a step of the protocol.
type Kind = wire.Kind

// Kinds of duty. A message discharges a duty of its own kind.
const (
	Key     = wire.KindKey     // post a card key; the kernel asks for it, before the first deal or before every deal
	Shuffle = wire.KindShuffle // Seats, in order: shuffle the whole deck, for a deal among them
	// all seats of the deal but To, in turn: give tokens for Cards; To is one seat, or empty for
	// everybody
	Show    = wire.KindShow
	Give    = wire.KindGive    // Seats[0]: mask the hand cards Cards for To[0]
	Permute = wire.KindPermute // Seats[0]: permute the hand cards Cards; fewer than two need no step
	Return  = wire.KindReturn  // Seats[0]: mask the hand cards Cards for all seats again
	Mix     = wire.KindMix     // Seats, in order: shuffle Cards
	Cut     = wire.KindCut     // Seats, in order: cut Cards
	Insert  = wire.KindInsert  // Seats, in order: put the last of Cards anywhere among the others
	// Seats[0]: mask a face of each of Sets; without Seats: lay the one face of each of Sets, open
	Mint = wire.KindMint
	Move = wire.KindMove // one of Seats: choose

	// Disclose: all of Seats, in any order, disclose their locks of all deals that they have not
	// yet disclosed. Nobody owes it with a suite that proves everything at once.
	Disclose = wire.KindDisclose
	// Dispute stands in for another duty. Rules cannot state it.
	Dispute = wire.KindDispute

	// Beacon and Answer are owed where the seats ask for proofs: a value of Seats[0], and its
	// answer to the values of the others. Rules cannot state them.
	Beacon = wire.KindBeacon
	Answer = wire.KindAnswer
)

// Duty is what play waits for. Rules state duties; [State.Duties] reports what is still owed, with
// the owing seats in Seats.
//
// Cards that are mixed, cut or inserted must be under all keys of the deal, or minted open. Minted
// cards take the places after the existing ones, in order. Before the first shuffle they begin a
// deal of all seats without a deck.
type Duty struct {
	Kind  Kind       `json:"kind"`
	Seats []Seat     `json:"seats"`
	Cards []Card     `json:"cards,omitempty"`
	To    []Seat     `json:"to,omitempty"`
	Sets  []card.Set `json:"sets,omitempty"`

	// Awaited, if not nil, are those of Seats who can be late with a Move: the seat on turn, where
	// others may concede, and nobody where it is anybody's turn (52.3.2).
	Awaited []Seat `json:"-"`
}

// Owes reports whether seat is one of d.Seats.
func (d Duty) Owes(seat Seat) bool { return slices.Contains(d.Seats, seat) }

// Awaits reports whether seat can be late with d.
func (d Duty) Awaits(seat Seat) bool {
	return d.Owes(seat) && (d.Awaited == nil || slices.Contains(d.Awaited, seat))
}

// Equal reports whether two duties are the same.
func (d Duty) Equal(e Duty) bool {
	return d.Kind == e.Kind && slices.Equal(d.Seats, e.Seats) && slices.Equal(d.Awaited, e.Awaited) && slices.Equal(d.Cards, e.Cards) && slices.Equal(d.To, e.To) && slices.Equal(d.Sets, e.Sets)
}
