package table

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Class is how the replay classifies an entry that it does not apply.
type Class int

const (
	// Void entries have no effect, and no seat is at fault.
	Void Class = iota + 1
	// Foul entries break a rule and are their signer's fault.
	Foul
	// Tried entries break a rule at a table that counts attempts: they move the head and do nothing
	// else.
	Tried
)

func (c Class) String() string {
	return [...]string{Void: "void", Foul: "foul", Tried: "attempt"}[c]
}

// Check names the check that an entry failed, as numbered in docs/spec/80-verification.md.
type Check string

// Checks of a genesis entry, and of form and authority. An entry that fails one is void.
const (
	CheckForm      Check = "T1-form"      // the entry parses
	CheckTable     Check = "T2-table"     // it is of this table
	CheckOpen      Check = "T3-open"      // the table is not over
	CheckParent    Check = "T4-parent"    // it builds on the head
	CheckSeat      Check = "T5-seat"      // its seat exists
	CheckSignature Check = "T6-signature" // its seat signed it
	CheckDue       Check = "T7-due"       // its seat owes such a message
)

// Checks of acts, after form and authority. An act that fails one is void.
const (
	CheckEntitled Check = "A1-entitled" // its signer may do such an act
	CheckBound    Check = "A2-bound"    // its signer has not done too many
	CheckActBody  Check = "A3-body"     // it can be done now
	CheckClock    Check = "C1-clock"    // of a claim: there is a clock, which runs
)

// Checks of effect. A message that fails one is foul.
const (
	CheckBody      Check = "E1-body"      // the body has the form of its kind
	CheckValues    Check = "E2-values"    // keys, cards and tokens are canonical, and as many as are due
	CheckKey       Check = "E3-key"       // card keys are distinct, and the keys of a deal do not cancel
	CheckRules     Check = "E4-rules"     // the game's rules
	CheckHand      Check = "E5-hand"      // cards that are turned up or that terms speak of are in the mover's hand
	CheckProofs    Check = "E6-proofs"    // as many proofs as statements
	CheckOwnership Check = "P1-ownership" // the proofs, with one check for each relation
	CheckShuffle   Check = "P2-shuffle"
	CheckReveal    Check = "P3-reveal"
	CheckTransfer  Check = "P4-transfer"
	CheckCondition Check = "P5-condition"
	CheckArrange   Check = "P6-arrange" // where piles are cut
	CheckMint      Check = "P7-mint"    // where cards are minted
	CheckFace      Check = "E7-face"    // a card turned up has the face that its holder says
	CheckBeacon    Check = "E8-beacon"  // where seats choose challenges: the value is the one fixed by its seat
	CheckLock      Check = "D1-lock"    // where the suite defers: the lock and the order are those of the deal
	CheckStep      Check = "D2-step"    // shuffles and tokens were made with the disclosed lock
	CheckDispute   Check = "D3-dispute" // a disputed card has no face
)

// Checks lists the checks of every table, in the order in which they are made. [State.Checks] lists
// those of one table.
func Checks() []Check {
	return []Check{
		CheckForm, CheckTable, CheckOpen, CheckParent, CheckSeat, CheckSignature, CheckDue,
		CheckBody, CheckValues, CheckKey, CheckRules, CheckHand, CheckProofs,
		CheckOwnership, CheckShuffle, CheckReveal, CheckTransfer, CheckCondition, CheckFace,
	}
}

// Checks lists the checks of this table: those of every table, those of relations that only some
// games need before that of faces, those of acts at a table/v2, and last those of suites that ask
// or defer.
func (o *opening) Checks() []Check {
	needs := o.game.neededRelations(Config{Seats: len(o.genesis.Seats), Deals: o.genesis.Deals, Options: o.genesis.Options})
	all := Checks()
	for _, c := range []struct {
		relation string
		check    Check
	}{{"arrange", CheckArrange}, {"mint", CheckMint}} {
		if slices.Contains(needs, c.relation) {
			all = slices.Insert(all, len(all)-1, c.check)
		}
	}
	if _, asks := proof.AsAsking(o.suite); asks {
		all = append(all, CheckBeacon)
	}
	if _, defers := proof.AsDeferring(o.suite); defers {
		all = append(all, CheckLock, CheckStep, CheckDispute)
	}
	if o.genesis.HasActs() {
		all = slices.Insert(all, slices.Index(all, CheckBody), CheckEntitled, CheckBound, CheckActBody, CheckClock)
		if !o.genesis.Clock.IsNone() {
			all = slices.Insert(all, slices.Index(all, CheckClock)+1, ClockChecks()[1:]...)
			all = slices.Insert(all, slices.Index(all, CheckDue)+1, CheckOnce)
		}
	}
	return all
}

// Fault says why an entry was not applied, or which earlier entry is wrong.
type Fault struct {
	Class Class
	Check Check
	Seat  Seat // at fault, unless Class is Void
	Err   error

	// Entry is the earlier entry that a disclosure has shown to be wrong. Both that message and the
	// disclosure were applied. Otherwise it is zero, and the entry that was not applied is wrong.
	Entry wire.Hash

	named bool // whether it was found in cards that are a blob
}

func (f *Fault) Error() string {
	if f.Entry != (wire.Hash{}) {
		return fmt.Sprintf("foul by seat %s at entry %s: %s: %v", f.Seat.Letter(), f.Entry.Code()[:wire.MinCode], f.Check, f.Err)
	}
	if f.Class == Void {
		return fmt.Sprintf("void: %s: %v", f.Check, f.Err)
	}
	return fmt.Sprintf("%s by seat %s: %s: %v", f.Class, f.Seat.Letter(), f.Check, f.Err)
}

// OnProofs reports whether the fault was found in what a message names as blobs (wire.Blob), its
// proofs or its cards, so that judging the message again needs them.
func (f *Fault) OnProofs() bool {
	switch f.Check {
	case CheckValues:
		return f.named
	case CheckOwnership, CheckShuffle, CheckReveal, CheckTransfer, CheckCondition, CheckArrange, CheckMint, CheckFace:
		return true
	}
	return false
}

func (f *Fault) Unwrap() error { return f.Err }

func newVoid(c Check, format string, args ...any) *Fault {
	return &Fault{Class: Void, Check: c, Err: fmt.Errorf(format, args...)}
}

// newFoul leaves Seat to blameSeat, which alone knows that the seat signed.
func newFoul(c Check, format string, args ...any) *Fault {
	return &Fault{Class: Foul, Check: c, Err: fmt.Errorf(format, args...)}
}
