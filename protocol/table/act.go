package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// What somebody does at a table/v2 besides the messages that are due (50.7). An act that
// fails a check is void: it is nobody's fault.

// Bounds on applied acts (A2): nobody moves the head away from under others for ever.
const (
	maxSeatActs = 8  // of a seat in a deal, and in those undone before it
	maxActs     = 64 // of the organiser, and of each arbiter, at the table
	maxBacks    = 2  // of a seat at the table, by itself
)

// signer is who has signed an act.
type signer struct {
	key    string
	seat   Seat
	seated bool // whether the key has a seat
	rules  bool // whether it is the organiser's or an arbiter's
}

func (s *State) signerOf(key string) signer {
	seat := slices.Index(s.holders, key)
	return signer{key, Seat(max(seat, 0)), seat >= 0, key == s.genesis.Organiser || slices.Contains(s.genesis.Arbiters, key)}
}

// applyAct applies an act.
func (s *State) applyAct(e *wire.Entry, f Facts) (*State, error) {
	a := e.Act
	switch {
	case !s.genesis.HasActs():
		return nil, newVoid(CheckForm, "a table of the format %s has no acts", wire.TableFormat)
	case a.Table != s.id:
		return nil, newVoid(CheckTable, "the act is of table %s", a.Table)
	case s.foul != nil || s.IsOver():
		return nil, newVoid(CheckOpen, "the table is over")
	case a.Parent != s.head:
		return nil, newVoid(CheckParent, "it builds on entry %s, and the head is %s", a.Parent, s.head)
	}
	if err := e.Verify(a.Signer()); err != nil {
		return nil, newVoid(CheckSignature, "%w", err)
	}
	by := s.signerOf(a.By)
	if err := s.checkEntitled(by, a.Kind); err != nil {
		return nil, err
	}
	if err := s.checkBound(by, a.Kind); err != nil {
		return nil, err
	}
	next := s.clone()
	if err := s.dispatchAct(next, by, e, f); errors.Is(err, ErrUntimed) {
		return nil, err
	} else if err != nil {
		return nil, asVoid(err)
	}
	next.countAct(by, a.Kind)
	return next, nil
}

// asVoid is a fault of an act: whatever it is, nobody is at fault.
func asVoid(err error) error {
	f, ok := errors.AsType[*Fault](err)
	switch {
	case !ok:
		return newVoid(CheckActBody, "%w", err)
	case f.Class == Void || f.Check == CheckReveal:
		return &Fault{Class: Void, Check: f.Check, Err: f.Err}
	}
	return newVoid(CheckActBody, "%w", f.Err)
}

// checkEntitled checks that who signs may do this kind of thing at this table.
func (s *State) checkEntitled(by signer, kind Kind) error {
	ends := s.genesis.Ends
	allowed := false
	switch kind {
	case wire.KindTimeout:
		allowed = by.seated || by.rules
	case wire.KindResign:
		allowed = by.seated && ends.Resign
	case wire.KindAgree:
		allowed = by.seated && ends.Agree
	case wire.KindExpose:
		allowed = by.seated
	case wire.KindBack:
		allowed = by.rules || s.backAlone(by)
	case wire.KindPause, wire.KindResume, wire.KindReseat, wire.KindClose:
		allowed = by.rules
	}
	if !allowed {
		return newVoid(CheckEntitled, "who has signed it is not entitled to an act of kind %.20q at this table", kind)
	}
	return nil
}

// backAlone reports whether a seat that is gone may come back by itself.
func (s *State) backAlone(by signer) bool {
	return by.seated && s.gone != nil && *s.gone == by.seat && s.backs[by.seat] < maxBacks
}

// asSeat reports whether who signs acts as a seat by an act of this kind.
func (s *State) asSeat(by signer, kind Kind) bool {
	switch kind {
	case wire.KindResign, wire.KindAgree, wire.KindExpose:
		return true
	case wire.KindBack:
		return s.backAlone(by)
	case wire.KindTimeout:
		return by.seated
	}
	return false
}

func (s *State) checkBound(by signer, kind Kind) error {
	if s.asSeat(by, kind) {
		if s.seatActs[by.seat] >= maxSeatActs {
			return newVoid(CheckBound, "%s has done %d acts in this deal, and no more count", s.seatText(by.seat), maxSeatActs)
		}
		return nil
	}
	if s.acts[by.key] >= maxActs {
		return newVoid(CheckBound, "who has signed it has done %d acts at this table, and no more count", maxActs)
	}
	return nil
}

// countAct counts an act that was applied.
func (s *State) countAct(by signer, kind Kind) {
	if s.asSeat(by, kind) {
		s.seatActs[by.seat]++
	} else {
		s.acts[by.key]++
	}
}

// dispatchAct makes of next, a clone of s, the table after the act.
func (s *State) dispatchAct(next *State, by signer, e *wire.Entry, f Facts) error {
	a := e.Act
	if len(a.Proofs) > 0 && a.Kind != wire.KindExpose {
		return newVoid(CheckActBody, "%d proofs, and nothing to prove", len(a.Proofs))
	}
	switch a.Kind {
	case wire.KindTimeout:
		return s.applyTimeout(next, by, e, f)
	case wire.KindResign:
		return s.applyResign(next, by, e)
	case wire.KindAgree:
		return s.applyAgree(next, by, e)
	case wire.KindPause, wire.KindResume:
		return s.applyPause(next, a)
	case wire.KindBack:
		return s.applyBack(next, by, a)
	case wire.KindExpose:
		return s.applyExpose(next, by, a)
	case wire.KindReseat:
		return s.applyReseat(next, by, e)
	case wire.KindClose:
		var body wire.CloseBody
		if err := wire.DecodeAct(a.Body, &body); err != nil {
			return err
		}
		next.closeTable(EndingAct{Entry: e.Hash, Kind: wire.KindClose, By: by.key, Deal: s.openDeal(), Reason: body.Reason})
		return nil
	}
	panic(fmt.Sprintf("table: acts of kind %q are nobody's", a.Kind))
}

// readEmptyBody reads the body of an act that says no more than its kind.
func readEmptyBody(a *wire.Act) error { return wire.DecodeAct(a.Body, new(wire.EmptyBody)) }

func (s *State) applyResign(next *State, by signer, e *wire.Entry) error {
	var body wire.ResignBody
	if err := wire.DecodeAct(e.Act.Body, &body); err != nil {
		return err
	}
	switch {
	case s.gone != nil:
		return newVoid(CheckActBody, "the table is stopped: there is nothing to resign")
	case body.Scope == wire.ResignDeal && s.openDeal() == 0:
		return newVoid(CheckActBody, "no deal is open")
	}
	next.noteLeft(EndingAct{Entry: e.Hash, Kind: wire.KindResign, Seat: &by.seat, Deal: s.openDeal()})
	if body.Scope == wire.ResignDeal {
		return next.undoDeal()
	}
	next.gone = &by.seat
	return nil
}

// noteLeft notes that a seat has left a deal, or the table before the first one, and what
// it pays.
func (s *State) noteLeft(left EndingAct) {
	if s.genesis.Ends.Late == wire.LateForfeit && left.Deal > 0 {
		left.Points = make([]int, len(s.seats))
		for i := range left.Points {
			left.Points[i] = s.genesis.Ends.Forfeit
		}
		left.Points[*left.Seat] = -s.genesis.Ends.Forfeit * (len(s.seats) - 1)
	}
	s.addEnding(left)
}

func (s *State) applyAgree(next *State, by signer, e *wire.Entry) error {
	var body wire.AgreeBody
	if err := wire.DecodeAct(e.Act.Body, &body); err != nil {
		return err
	}
	deal := s.openDeal()
	switch {
	case body.To == s.wants[by.seat]:
		return newVoid(CheckActBody, "%s wants that already", s.seatText(by.seat))
	case body.To == wire.AgreeUndo && (deal == 0 || s.gone != nil):
		return newVoid(CheckActBody, "no deal is open")
	case body.To == wire.AgreePause && s.paused, body.To == wire.AgreeResume && !s.paused:
		return newVoid(CheckActBody, "that is so already")
	}
	next.wants[by.seat] = body.To
	if body.To == wire.AgreeNothing || slices.ContainsFunc(next.wants, func(to string) bool { return to != body.To }) {
		return nil
	}
	clear(next.wants)
	all := EndingAct{Entry: e.Hash, Kind: wire.KindAgree, Deal: deal}
	switch body.To {
	case wire.AgreePause, wire.AgreeResume:
		next.paused = !s.paused
	case wire.AgreeEnd:
		next.closeTable(all)
	case wire.AgreeUndo:
		next.addEnding(all)
		return next.undoDeal()
	}
	return nil
}

func (s *State) applyPause(next *State, a *wire.Act) error {
	if pausing := a.Kind == wire.KindPause; pausing == s.paused || s.gone != nil {
		return newVoid(CheckActBody, "the table is stopped, or that is so already")
	}
	next.paused = !s.paused
	return readEmptyBody(a)
}

func (s *State) applyBack(next *State, by signer, a *wire.Act) error {
	if s.gone == nil {
		return newVoid(CheckActBody, "no seat is gone")
	}
	if s.backAlone(by) {
		next.backs[by.seat]++
	}
	next.gone = nil
	if err := readEmptyBody(a); err != nil {
		return err
	}
	return next.undoDeal()
}

// applyExpose turns cards of the signer's hand up. Its proofs are checked at once: a batch
// blames who has signed what is wrong, and nobody is to blame here.
func (s *State) applyExpose(next *State, by signer, a *wire.Act) error {
	cards, tokens, err := s.readExpose(by.seat, a.Body)
	if err != nil {
		return err
	}
	if len(a.Proofs) != 1 {
		return newVoid(CheckActBody, "%d proofs for one statement", len(a.Proofs))
	}
	if err := s.verifyProofs(s.Context(by.seat, a.Kind), s.revealStatements(by.seat, cards, tokens), a.Proofs, nil); err != nil {
		return err
	}
	next.deal.stripTokens(by.seat, cards, tokens)
	return next.uncoverCards()
}

// readExpose reads the body of an expose.
func (s *State) readExpose(seat Seat, raw []byte) ([]Card, []proof.Token, error) {
	var body wire.ExposeBody
	if err := wire.DecodeAct(raw, &body); err != nil {
		return nil, nil, err
	}
	if s.gone == nil {
		return nil, nil, newVoid(CheckActBody, "the table is not stopped")
	}
	cards := make([]Card, len(body.Cards))
	for i, c := range body.Cards {
		if cards[i] = Card(c); !s.deal.holds(seat, Card(c)) {
			return nil, nil, newVoid(CheckActBody, "card %d is not in the hand of %s", c, s.seatText(seat))
		}
	}
	tokens, err := s.parseTokens(body.Tokens, len(cards))
	return cards, tokens, err
}

// ExposeStatement is what an expose of seat has to prove.
func (s *State) ExposeStatement(seat Seat, body []byte) (proof.Statement, error) {
	cards, tokens, err := s.readExpose(seat, body)
	if err != nil {
		return nil, err
	}
	return s.revealStatements(seat, cards, tokens)[0], nil
}

func (s *State) applyReseat(next *State, by signer, e *wire.Entry) error {
	var body wire.ReseatBody
	if err := wire.DecodeAct(e.Act.Body, &body); err != nil {
		return err
	}
	seat := Seat(body.Seat)
	held := func(key string) bool { return wire.KeyMaterial(key) == wire.KeyMaterial(body.Key) }
	switch {
	case body.Seat >= len(s.seats):
		return newVoid(CheckActBody, "there is no seat %s, the table has %d", seat.Letter(), len(s.seats))
	case slices.ContainsFunc(s.holders, held) || slices.ContainsFunc(s.left, held):
		return newVoid(CheckActBody, "the new key has a seat at this table, or had one")
	case s.deals > 0 && s.openDeal() == 0:
		return newVoid(CheckActBody, "the cards of a deal that is over still lie: wait for the next one")
	case !body.AcceptedBy(s.id, s.head):
		return newVoid(CheckActBody, "the holder of the new key has not accepted this seat here")
	}
	holder, err := wire.ParseVerifier(body.Key)
	if err != nil {
		return err
	}
	next.addEnding(EndingAct{Entry: e.Hash, Kind: wire.KindReseat, Seat: &seat, By: by.key, Deal: s.openDeal()})
	next.dropKey(seat)
	next.left = append(slices.Clip(s.left), s.holders[seat])
	next.seats, next.holders = slices.Clone(s.seats), slices.Clone(s.holders)
	next.seats[seat], next.holders[seat] = holder, body.Key
	next.wants[seat], next.backs[seat], next.seatActs[seat] = "", 0, 0
	if s.gone != nil && *s.gone == seat {
		next.gone = nil
	}
	return next.undoDeal()
}
