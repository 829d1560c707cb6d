package table

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Class is what the replay makes of an entry that it does not apply.
type Class int

const (
	// Void entries have no effect, and no seat is at fault.
	Void Class = iota + 1
	// Foul entries break a rule and are their signer's fault.
	Foul
	// Tried entries break a rule of a table that counts attempts: the head has moved, and
	// nothing else.
	Tried
)

func (c Class) String() string {
	return [...]string{Void: "void", Foul: "foul", Tried: "attempt"}[c]
}

// Check names what an entry failed, as numbered in docs/spec/80-verification.md.
type Check string

// Checks of a genesis entry and of form and authority: failing one is void.
const (
	CheckForm      Check = "T1-form"      // the entry parses
	CheckTable     Check = "T2-table"     // it is of this table
	CheckOpen      Check = "T3-open"      // the table is not over
	CheckParent    Check = "T4-parent"    // it builds on the head
	CheckSeat      Check = "T5-seat"      // its seat exists
	CheckSignature Check = "T6-signature" // its seat signed it
	CheckDue       Check = "T7-due"       // its seat owes such a message
)

// Checks of acts, after form and authority: failing one is void.
const (
	CheckEntitled Check = "A1-entitled" // its signer may do such a thing
	CheckBound    Check = "A2-bound"    // and has not done too many
	CheckActBody  Check = "A3-body"     // it can be done now
	CheckClock    Check = "C1-clock"    // of a claim: there is a clock, and it runs
)

// Checks of effect: failing one is foul.
const (
	CheckBody      Check = "E1-body"      // the body has the form of its kind
	CheckValues    Check = "E2-values"    // keys, cards and tokens are canonical and as many as due
	CheckKey       Check = "E3-key"       // card keys are distinct, and those of a deal do not cancel
	CheckRules     Check = "E4-rules"     // the game's rules
	CheckHand      Check = "E5-hand"      // cards turned up or spoken of are in the mover's hand
	CheckProofs    Check = "E6-proofs"    // as many proofs as statements
	CheckOwnership Check = "P1-ownership" // proofs, one check for each relation
	CheckShuffle   Check = "P2-shuffle"
	CheckReveal    Check = "P3-reveal"
	CheckTransfer  Check = "P4-transfer"
	CheckCondition Check = "P5-condition"
	CheckArrange   Check = "P6-arrange" // where piles are cut
	CheckMint      Check = "P7-mint"    // where cards are minted
	CheckFace      Check = "E7-face"    // a card turned up has the face its holder says
	CheckBeacon    Check = "E8-beacon"  // where challenges are chosen: a value is the one that its seat has fixed
	CheckLock      Check = "D1-lock"    // where the suite defers: the lock and the order are those of the deal
	CheckStep      Check = "D2-step"    // a seat's shuffles and tokens are made with the lock that it disclosed
	CheckDispute   Check = "D3-dispute" // a card that was disputed is none
)

// Checks lists the checks of every table, in the order they are made; [State.Checks]
// those of one.
func Checks() []Check {
	return []Check{
		CheckForm, CheckTable, CheckOpen, CheckParent, CheckSeat, CheckSignature, CheckDue,
		CheckBody, CheckValues, CheckKey, CheckRules, CheckHand, CheckProofs,
		CheckOwnership, CheckShuffle, CheckReveal, CheckTransfer, CheckCondition, CheckFace,
	}
}

// Checks lists the checks of this table, in the order they are made: those of every
// table, before that of faces those of relations that the game needs and others do not,
// of a table/v2 those of acts, and last those of what a suite has deferred.
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

// Fault says why an entry was not applied, or which of those before is wrong. Apply returns
// no other error.
type Fault struct {
	Class Class
	Check Check
	Seat  Seat // whose fault, unless the class is Void
	Err   error

	// Entry is the earlier entry that is wrong, where a disclosure has shown it. That
	// message was applied, and so was the disclosure. Otherwise it is zero, and what was
	// not applied is wrong.
	Entry wire.Hash

	named bool // found in cards that are a blob
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

// OnProofs reports whether the fault was found by way of what a message names (wire.Blob),
// its proofs or its cards, so that judging it again needs them.
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

// newFoul leaves the seat to blameSeat, which alone knows that the seat signed.
func newFoul(c Check, format string, args ...any) *Fault {
	return &Fault{Class: Foul, Check: c, Err: fmt.Errorf(format, args...)}
}
