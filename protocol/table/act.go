package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Acts are what somebody does at a table/v2 besides the messages that are due (50.7). An act that
// fails a check is void, and nobody is at fault.

// Bounds on applied acts (A2): without them one signer could move the head away from all others for
// ever.
const (
	maxSeatActs = 8  // by one seat in one deal, counting the deals undone before it
	maxActs     = 64 // by the organiser, and by each arbiter, at the table
	maxBacks    = 2  // by one seat returning by itself, at the table
)

// act is an act being applied, with its signer. The embedded State is the table before it.
type act struct {
	*State
	*wire.Act
	entry    wire.Hash
	next     *State // a clone, which becomes the table after the act
	seat     Seat
	seated   bool // whether the signer's key has a seat
	official bool // whether the signer's key rules the table
}

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
	seat := slices.Index(s.holders, a.By)
	in := &act{State: s, Act: a, entry: e.Hash, seat: Seat(max(seat, 0)), seated: seat >= 0, official: s.genesis.IsRuledBy(a.By)}
	if !in.isEntitled() {
		return nil, newVoid(CheckEntitled, "who has signed it is not entitled to an act of kind %.20q at this table", a.Kind)
	}
	asSeat := in.asSeat()
	if err := in.checkBound(asSeat); err != nil {
		return nil, err
	}
	in.next = s.clone()
	if err := in.takeEffect(f); errors.Is(err, ErrUntimed) || errors.Is(err, ErrUnchecked) {
		return nil, err
	} else if err != nil {
		return nil, asVoid(err)
	}
	if asSeat {
		in.next.seatActs[in.seat]++
	} else {
		in.next.acts[a.By]++
	}
	return in.next, nil
}

// asVoid turns any error of an act into a void fault: nobody is to blame for an act.
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

// isEntitled reports whether the signer may do an act of this kind at this table.
func (a *act) isEntitled() bool {
	switch a.Kind {
	case wire.KindTimeout:
		return a.seated || a.official
	case wire.KindResign:
		return a.seated && a.genesis.Ends.Resign
	case wire.KindAgree:
		return a.seated && a.genesis.Ends.Agree
	case wire.KindExpose:
		return a.seated
	case wire.KindBack:
		return a.official || a.backAlone()
	case wire.KindPause, wire.KindResume, wire.KindReseat, wire.KindClose:
		return a.official
	}
	return false
}

// backAlone reports whether the signer is the seat that has left and may come back by itself.
func (a *act) backAlone() bool {
	return a.seated && a.gone != nil && *a.gone == a.seat && a.backs[a.seat] < maxBacks
}

// asSeat reports whether the signer acts as a seat. The table before the act decides: after a back
// no seat is gone.
func (a *act) asSeat() bool {
	switch a.Kind {
	case wire.KindResign, wire.KindAgree, wire.KindExpose:
		return true
	case wire.KindBack:
		return a.backAlone()
	case wire.KindTimeout:
		return a.seated
	}
	return false
}

func (a *act) checkBound(asSeat bool) error {
	switch {
	case asSeat && a.seatActs[a.seat] >= maxSeatActs:
		return newVoid(CheckBound, "%s has done %d acts in this deal, and no more count", a.seatText(a.seat), maxSeatActs)
	case !asSeat && a.acts[a.By] >= maxActs:
		return newVoid(CheckBound, "who has signed it has done %d acts at this table, and no more count", maxActs)
	}
	return nil
}

// takeEffect turns next into the table after the act.
func (a *act) takeEffect(f Facts) error {
	if a.Kind == wire.KindTimeout { // C1 comes before A3
		if err := a.checkTicking(); err != nil {
			return err
		}
	}
	if len(a.Proofs) > 0 && a.Kind != wire.KindExpose {
		return newVoid(CheckActBody, "%d proofs, and nothing to prove", len(a.Proofs))
	}
	switch a.Kind {
	case wire.KindTimeout:
		return a.claimTimeout(f)
	case wire.KindResign:
		return a.resign()
	case wire.KindAgree:
		return a.agree()
	case wire.KindPause, wire.KindResume:
		if pausing := a.Kind == wire.KindPause; pausing == a.paused || a.gone != nil {
			return newVoid(CheckActBody, "the table is stopped, or that is so already")
		}
		a.next.paused = !a.paused
		return wire.DecodeAct(a.Body, new(wire.EmptyBody))
	case wire.KindBack:
		return a.comeBack()
	case wire.KindExpose:
		return a.exposeCards()
	case wire.KindReseat:
		return a.reseat()
	case wire.KindClose:
		var body wire.CloseBody
		if err := wire.DecodeAct(a.Body, &body); err != nil {
			return err
		}
		a.next.closeTable(EndingAct{Entry: a.entry, Kind: wire.KindClose, By: a.By, Deal: a.openDeal(), Reason: body.Reason})
		return nil
	}
	panic(fmt.Sprintf("table: acts of kind %q are nobody's", a.Kind))
}

func (a *act) resign() error {
	var body wire.ResignBody
	if err := wire.DecodeAct(a.Body, &body); err != nil {
		return err
	}
	switch {
	case a.gone != nil:
		return newVoid(CheckActBody, "the table is stopped: there is nothing to resign")
	case body.Scope == wire.ResignDeal && a.openDeal() == 0:
		return newVoid(CheckActBody, "no deal is open")
	}
	a.noteLeft(a.seat)
	if body.Scope == wire.ResignDeal {
		return a.next.undoDeal()
	}
	seat := a.seat
	a.next.setGone(&seat)
	return nil
}

// setGone records which seat has left; nil says that it is back. At a table that nobody rules the
// wishes of the seats lapse, since no seat knew who would be asked.
func (s *State) setGone(seat *Seat) {
	s.gone = seat
	if s.genesis.Ends.SelfRuled {
		clear(s.wants)
	}
}

// noteLeft records that a seat has left the open deal, or the table before the first deal, and what
// the seat pays.
func (a *act) noteLeft(seat Seat) {
	left := EndingAct{Entry: a.entry, Kind: a.Kind, Seat: &seat, Deal: a.openDeal()}
	if ends := a.genesis.Ends; ends.Late == wire.LateForfeit && left.Deal > 0 {
		left.Points = make([]int, len(a.seats))
		for i := range left.Points {
			left.Points[i] = ends.Forfeit
		}
		left.Points[seat] = -ends.Forfeit * (len(a.seats) - 1)
	}
	a.next.addEnding(left)
}

func (a *act) agree() error {
	var body wire.AgreeBody
	if err := wire.DecodeAct(a.Body, &body); err != nil {
		return err
	}
	deal := a.openDeal()
	switch {
	case body.To == a.wants[a.seat]:
		return newVoid(CheckActBody, "%s wants that already", a.seatText(a.seat))
	case body.To == wire.AgreeUndo && (deal == 0 || a.gone != nil):
		return newVoid(CheckActBody, "no deal is open")
	case body.To == wire.AgreePause && a.paused, body.To == wire.AgreeResume && !a.paused:
		return newVoid(CheckActBody, "that is so already")
	}
	all, asked := EndingAct{Entry: a.entry, Kind: wire.KindAgree, Deal: deal}, a.next.wants
	asked[a.seat] = body.To
	if a.genesis.Ends.SelfRuled {
		switch {
		case body.To == wire.AgreePause || body.To == wire.AgreeResume:
			return newVoid(CheckActBody, "at a table that nobody rules one seat could keep a pause up for ever")
		case a.gone != nil && *a.gone == a.seat:
			return newVoid(CheckActBody, "%s has left and is not asked", a.seatText(a.seat))
		case a.gone != nil:
			all.Seat, asked = a.gone, slices.Delete(slices.Clone(asked), int(*a.gone), int(*a.gone)+1)
		}
	}
	if body.To == wire.AgreeNothing || slices.ContainsFunc(asked, func(to string) bool { return to != body.To }) {
		return nil
	}
	clear(a.next.wants)
	switch body.To {
	case wire.AgreePause, wire.AgreeResume:
		a.next.paused = !a.paused
	case wire.AgreeEnd:
		a.next.closeTable(all)
	case wire.AgreeUndo:
		a.next.addEnding(all)
		return a.next.undoDeal()
	}
	return nil
}

func (a *act) comeBack() error {
	if a.gone == nil {
		return newVoid(CheckActBody, "no seat is gone")
	}
	if a.backAlone() {
		a.next.backs[a.seat]++
	}
	a.next.setGone(nil)
	if err := wire.DecodeAct(a.Body, new(wire.EmptyBody)); err != nil {
		return err
	}
	return a.next.undoDeal()
}

// exposeCards turns up cards of the signer's hand. It checks the proofs at once and not in a batch:
// a batch blames the signer, and nobody is to blame for an act.
func (a *act) exposeCards() error {
	cards, tokens, err := a.readExpose(a.seat, a.Body)
	if err != nil {
		return err
	}
	if len(a.Proofs) != 1 {
		return newVoid(CheckActBody, "%d proofs for one statement", len(a.Proofs))
	}
	statements := revealStatements(a.keys[a.seat], a.MaskedCards(cards), tokens)
	if err := verifyProofs(a.suite, a.Context(a.seat, a.Kind), statements, a.Proofs, nil); err != nil {
		return err
	}
	a.next.stripTokens(a.seat, cards, tokens)
	return a.next.uncoverCards()
}

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
		if cards[i] = Card(c); !s.holds(seat, Card(c)) {
			return nil, nil, newVoid(CheckActBody, "card %d is not in the hand of %s", c, s.seatText(seat))
		}
	}
	tokens, err := s.parseTokens(body.Tokens, len(cards))
	return cards, tokens, err
}

// ExposeStatement returns the statement that an expose of seat has to prove.
func (s *State) ExposeStatement(seat Seat, body []byte) (proof.Statement, error) {
	cards, tokens, err := s.readExpose(seat, body)
	if err != nil {
		return nil, err
	}
	return revealStatements(s.keys[seat], s.MaskedCards(cards), tokens)[0], nil
}

func (a *act) reseat() error {
	var body wire.ReseatBody
	if err := wire.DecodeAct(a.Body, &body); err != nil {
		return err
	}
	seat := Seat(body.Seat)
	held := func(key string) bool { return wire.KeyMaterial(key) == wire.KeyMaterial(body.Key) }
	switch {
	case body.Seat >= len(a.seats):
		return newVoid(CheckActBody, "there is no seat %s, the table has %d", seat.Letter(), len(a.seats))
	case slices.ContainsFunc(a.holders, held) || slices.ContainsFunc(a.left, held):
		return newVoid(CheckActBody, "the new key has a seat at this table, or had one")
	case a.deals > 0 && a.openDeal() == 0:
		return newVoid(CheckActBody, "the cards of a deal that is over still lie: wait for the next one")
	case !body.AcceptedBy(a.id, a.head):
		return newVoid(CheckActBody, "the holder of the new key has not accepted this seat here")
	}
	holder, err := wire.ParseVerifier(body.Key)
	if err != nil {
		return err
	}
	a.next.addEnding(EndingAct{Entry: a.entry, Kind: wire.KindReseat, Seat: &seat, By: a.By, Deal: a.openDeal()})
	a.next.dropKey(seat, a.holders[seat])
	a.next.left = append(slices.Clip(a.left), a.holders[seat])
	a.next.seats, a.next.holders = slices.Clone(a.seats), slices.Clone(a.holders)
	a.next.seats[seat], a.next.holders[seat] = holder, body.Key
	a.next.wants[seat], a.next.backs[seat], a.next.seatActs[seat] = "", 0, 0
	if a.gone != nil && *a.gone == seat {
		a.next.gone = nil
	}
	return a.next.undoDeal()
}
