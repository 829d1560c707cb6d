package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// step is a message being applied: what its sender must prove, and the effect on a clone of the
// table once that is proved. The embedded State is the table before it. If an effect fails, its
// clone is dropped.
type step struct {
	*State
	seat       Seat
	kind       Kind
	duty       Duty // the duty that the message discharges
	body       json.RawMessage
	statements []proof.Statement
	effect     func(next *State) error
}

func newStep(s *State, seat Seat, kind Kind, body json.RawMessage) *step {
	duty, _ := s.findDuty(seat, kind)
	return &step{State: s, seat: seat, kind: kind, duty: duty, body: body}
}

// readStep reads the body and sets the statements and the effect.
func (st *step) readStep() error {
	switch st.kind {
	case Key:
		return st.postKey()
	case Show:
		return st.showCards()
	case Shuffle, Give, Permute, Return, Mix, Cut, Insert:
		return st.remaskCards()
	case Mint:
		return st.mintCards()
	case Move:
		return st.makeMove()
	case Disclose:
		return st.discloseLocks()
	case Dispute:
		return st.disputeCard()
	case Beacon:
		return st.revealValue()
	}
	panic(fmt.Sprintf("table: no duty has kind %q", st.kind))
}

func (st *step) readBody(body any) error {
	if err := wire.DecodeBody(st.body, body); err != nil {
		return newFoul(CheckBody, "%w", err)
	}
	return nil
}

func (st *step) postKey() error {
	binary, anchor, err := st.readKey()
	if err != nil {
		return err
	}
	encoding := st.suite.Encoding()
	key, err := encoding.ParseKey(binary)
	if err != nil {
		return newFoul(CheckValues, "key: %w", err)
	}
	for i, k := range st.keys {
		if k == nil {
			continue
		}
		if bytes.Equal(k.Bytes(), key.Bytes()) {
			return newFoul(CheckKey, "the card key is that of %s", st.seatText(Seat(i)))
		}
		if err := proof.CheckKeyPair(encoding, k, key); err != nil {
			return newFoul(CheckKey, "the card key and that of %s: %w", st.seatText(Seat(i)), err)
		}
	}
	for _, f := range st.former {
		if bytes.Equal(f.key.Bytes(), key.Bytes()) {
			return newFoul(CheckKey, "the card key was that of %s in a deal before, and is for one deal", st.seatText(f.seat))
		}
	}
	keys := slices.Clone(st.keys)
	keys[st.seat] = key
	if st.deals == 0 && !slices.Contains(keys, nil) {
		if _, err := encoding.Joint(keys); err != nil {
			return newFoul(CheckKey, "%w", err)
		}
	}
	st.statements = []proof.Statement{proof.Ownership{Key: key}}
	st.effect = func(next *State) error {
		next.keys[st.seat] = key
		if anchor != nil {
			next.last[st.seat] = anchor
		}
		if len(next.keysOwed()) > 0 {
			return nil
		}
		if next.deals == 0 {
			return next.enterPhase()
		}
		next.joinKeys()
		return next.advancePhase() // a Mint that no seat owes may follow
	}
	return nil
}

// readKey reads the body of a key message; anchor is nil if the table asks for none.
func (st *step) readKey() (key, anchor []byte, err error) {
	if st.challengeState == nil {
		var body wire.KeyBody
		err = st.readBody(&body)
		return body.Key, nil, err
	}
	var body wire.AnchoredKeyBody
	if err = st.readBody(&body); err == nil && len(body.Anchor) != AnchorSize {
		err = newFoul(CheckValues, "an anchor of %d bytes, must have %d", len(body.Anchor), AnchorSize)
	}
	return body.Key, body.Anchor, err
}

func (st *step) showCards() error {
	var body wire.TokensBody
	if err := st.readBody(&body); err != nil {
		return err
	}
	cards := st.duty.Cards
	tokens, err := st.parseTokens(body.Tokens, len(cards))
	if err != nil {
		return err
	}
	st.statements = revealStatements(st.keys[st.seat], st.MaskedCards(cards), tokens)
	st.effect = func(next *State) error {
		next.stripTokens(st.seat, cards, tokens)
		next.noteDealt(next.phase.duties)
		next.phase.tokenTurns = next.phase.tokenTurns[1:]
		return next.advancePhase()
	}
	return nil
}

// revealStatements states that these are the tokens of a key for cards. Without cards it states
// nothing.
func revealStatements(key proof.Key, cards []proof.MaskedCard, tokens []proof.Token) []proof.Statement {
	if len(cards) == 0 {
		return nil
	}
	return []proof.Statement{proof.Reveal{Key: key, Cards: cards, Tokens: tokens}}
}

// remaskCards puts other masked cards in the places of the deck, of hand cards or of a pile, under
// the joint key or under the key of their next holder.
func (st *step) remaskCards() error {
	places := st.duty.Cards
	if st.kind == Shuffle {
		if st.joint == nil {
			return newFoul(CheckKey, "%w", st.unjoined)
		}
		places = st.allCards()
	}
	out, err := st.parseCards(len(places))
	if err != nil {
		return err
	}
	own, key, stripped := st.keys[st.seat], st.joint, st.seatsOutside()
	switch st.kind {
	case Give:
		key, stripped = st.keys[st.duty.To[0]], st.allBut(st.duty.To[0])
	case Permute:
		key, stripped = own, st.allBut(st.seat)
	}
	if st.kind == Give || st.kind == Permute || st.kind == Return {
		st.mustHold(places)
	}
	in, family := st.MaskedCards(places), st.duty.Family()
	switch {
	case st.kind == Give || st.kind == Return:
		for i, old := range in {
			st.statements = append(st.statements, proof.Transfer{From: own, To: key, Old: old, New: out[i]})
		}
	case family != "":
		st.statements = []proof.Statement{proof.Arrange{Family: family, Key: key, In: in, Out: out}}
	default:
		st.statements = []proof.Statement{proof.Shuffle{Key: key, By: own, In: in, Out: out}}
	}
	st.effect = func(next *State) error {
		next.putMasked(places, out, stripped)
		switch st.kind {
		case Permute, Mix, Cut, Insert:
			next.noteMixed(places)
		case Return: // they are dealt to no seat now
			for _, c := range places {
				next.cards[c].dealt = nil
			}
		}
		next.phase.takeDuty(st.duty)
		return next.advancePhase()
	}
	return nil
}

// mustHold panics if the rules ask a seat for cards that are not in its hand: a fault of the rules
// and not of any seat.
func (st *step) mustHold(cards []Card) {
	for _, c := range cards {
		if !st.holds(st.seat, c) {
			panic(fmt.Sprintf("table: rules of %s ask seat %d to %s card %d, which it does not hold", st.game.Name(), st.seat, st.kind, c))
		}
	}
}

func (st *step) mintCards() error {
	cards, err := st.parseCards(len(st.duty.Sets))
	if err != nil {
		return err
	}
	for i, set := range st.duty.Sets {
		st.statements = append(st.statements, proof.Mint{Key: st.joint, Deck: st.deck, Card: cards[i], Set: set})
	}
	st.effect = func(next *State) error {
		next.cards = slices.Clip(next.cards)
		for _, c := range cards {
			next.addMinted(c)
		}
		next.phase.takeDuty(st.duty)
		return next.advancePhase()
	}
	return nil
}

func (st *step) makeMove() error {
	var body wire.MoveBody
	if err := st.readBody(&body); err != nil {
		return err
	}
	rules, terms, cards, err := st.moveOutcome(body.Move)
	if err != nil {
		return err
	}
	tokens, err := st.parseTokens(body.Tokens, len(cards))
	if err != nil {
		return err
	}
	st.statements = revealStatements(st.keys[st.seat], st.MaskedCards(cards), tokens)
	for _, c := range terms.Prove {
		if c.Trivial() {
			continue
		}
		masked := st.MaskedCards
		if c.Dealt {
			masked = st.MaskedDealt
		}
		st.statements = append(st.statements, proof.Condition{
			Key: st.keys[st.seat], Deck: st.deck, Cards: masked(c.Cards), Set: c.Set, Min: c.Min, Max: c.Max})
	}
	st.effect = func(next *State) error {
		next.stripTokens(st.seat, cards, tokens)
		for _, shown := range terms.Open {
			if stops, err := next.uncoverCard(shown.Card); stops || err != nil {
				return err
			}
			if f := next.faces[shown.Card]; f != shown.Face {
				return newFoul(CheckFace, "card %d is %s and not %s", shown.Card, st.FaceName(f), st.FaceName(shown.Face))
			}
		}
		next.rules = rules
		return next.enterPhase()
	}
	return nil
}

// moveOutcome returns what the rules make of a move: the state after it, its terms, and the cards
// that it turns up.
func (st *step) moveOutcome(move json.RawMessage) (rulesState, Terms, []Card, error) {
	rules, terms, err := st.game.apply(st.rules, st.seat, move, st.faces)
	if err != nil {
		return nil, Terms{}, nil, newFoul(CheckRules, "%w", err)
	}
	cards, err := st.checkTurned(st.seat, terms)
	return rules, terms, cards, err
}

// checkTurned checks that all terms speak of cards of the mover, each once, and returns the cards
// turned up. It refuses conditions on minted cards, which may repeat a face: a suite may rely on
// all cards of a condition having different faces.
func (d *deal) checkTurned(seat Seat, t Terms) ([]Card, error) {
	open := make([]Card, len(t.Open))
	for i, shown := range t.Open {
		open[i] = shown.Card
	}
	if err := checkOwn(seat, open, d.holds, "in the hand of"); err != nil {
		return nil, err
	}
	for _, c := range t.Prove {
		own, what := d.holds, "in the hand of"
		if c.Dealt {
			own, what = d.wasDealt, "dealt to"
		}
		if err := checkOwn(seat, c.Cards, own, what); err != nil {
			return nil, err
		}
		for _, c := range c.Cards {
			if d.cards[c].minted {
				return nil, newFoul(CheckHand, "card %d was minted, or mixed with such: it may have the face of another card, and nothing is proved of it", c)
			}
		}
	}
	return open, nil
}

func checkOwn(seat Seat, cards []Card, own func(Seat, Card) bool, what string) error {
	seen := map[Card]bool{}
	for _, c := range cards {
		if !own(seat, c) || seen[c] {
			return newFoul(CheckHand, "card %d is not %s seat %s, or named twice", c, what, seat.Letter())
		}
		seen[c] = true
	}
	return nil
}

// MoveTerms returns the terms of a move of seat, as the rules state them. The error is the rule
// that forbids the move.
func (s *State) MoveTerms(seat Seat, move json.RawMessage) (Terms, error) {
	_, terms, err := s.game.apply(s.rules, seat, move, s.faces)
	return terms, err
}

// TurnedCards returns the hand cards that a move would turn up, in the order in which the message
// has to carry the mover's tokens for them.
func (s *State) TurnedCards(seat Seat, move json.RawMessage) ([]Card, error) {
	_, _, cards, err := (&step{State: s, seat: seat}).moveOutcome(move)
	if err != nil {
		return nil, s.blameSeat(err, seat)
	}
	return cards, nil
}

// hasLargeCards reports whether cards of this table may be a blob.
func (o *opening) hasLargeCards() bool {
	return wire.AttachableBytes(o.genesis.Suite) > wire.MaxAttached
}

// parseCards reads exactly want cards. Cards of more than wire.MaxCards bytes are a blob, if the
// suite allows that.
func (st *step) parseCards(want int) ([]proof.MaskedCard, error) {
	if blob, named := wire.NamesCards(st.body); named && st.hasLargeCards() {
		return nil, fmt.Errorf("cards of %d bytes: %w", blob.Size, wire.ErrDetached)
	}
	var body wire.CardsBody
	if err := st.readBody(&body); err != nil {
		return nil, err
	}
	cards := body.Cards
	named := st.hasLargeCards() && len(cards) == 1 && len(cards[0]) > wire.MaxCards
	if named && want > 0 && len(cards[0])%want == 0 {
		cards = slices.Collect(slices.Chunk(cards[0], len(cards[0])/want))
	}
	parsed, err := parseValues("card", cards, want, st.Encoding().ParseMasked)
	if f, ok := errors.AsType[*Fault](err); ok {
		f.named = named
	}
	return parsed, err
}

func (s *State) parseTokens(list [][]byte, want int) ([]proof.Token, error) {
	return parseValues("token", list, want, s.Encoding().ParseToken)
}

func parseValues[T any](what string, list [][]byte, want int, parse func([]byte) (T, error)) ([]T, error) {
	if len(list) != want {
		return nil, newFoul(CheckValues, "%d %ss, %d are due", len(list), what, want)
	}
	values := make([]T, want)
	for i, b := range list {
		v, err := parse(b)
		if err != nil {
			return nil, newFoul(CheckValues, "%s %d: %w", what, i, err)
		}
		values[i] = v
	}
	return values, nil
}
