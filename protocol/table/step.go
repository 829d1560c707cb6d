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

// step is a message understood: what its sender must prove, and what it does
// to a clone of the state once that is proved. An effect either succeeds or
// leaves a clone that is thrown away.
type step struct {
	statements []proof.Statement
	effect     func(next *State) error
}

func (s *State) readStep(seat Seat, kind Kind, body json.RawMessage) (*step, error) {
	duty, _ := s.findDuty(seat, kind)
	switch kind {
	case Key:
		return s.postKey(seat, body)
	case Shuffle:
		return s.shuffleStep(duty, body)
	case Show:
		return s.showStep(duty, body)
	case Give:
		return s.giveStep(duty, body)
	case Permute:
		return s.permuteStep(duty, body)
	case Return:
		return s.giveBack(duty, body)
	case Mix, Cut, Insert:
		return s.pileStep(duty, body)
	case Mint:
		return s.mintStep(duty, body)
	case Move:
		return s.moveStep(seat, body)
	case Disclose:
		return s.discloseStep(duty, body)
	case Dispute:
		return s.disputeStep(duty, body)
	case Beacon:
		return s.beaconStep(seat, body)
	}
	panic(fmt.Sprintf("table: no duty has kind %q", kind))
}

func (s *State) postKey(seat Seat, raw json.RawMessage) (*step, error) {
	binary, anchor, err := s.readKey(raw)
	if err != nil {
		return nil, err
	}
	key, err := s.suite.Encoding().ParseKey(binary)
	if err != nil {
		return nil, newFoul(CheckValues, "key: %w", err)
	}
	for i, k := range s.keys {
		if k == nil {
			continue
		}
		if bytes.Equal(k.Bytes(), key.Bytes()) {
			return nil, newFoul(CheckKey, "the card key is that of %s", s.seatText(Seat(i)))
		}
		if err := proof.CheckKeyPair(s.suite.Encoding(), k, key); err != nil {
			return nil, newFoul(CheckKey, "the card key and that of %s: %w", s.seatText(Seat(i)), err)
		}
	}
	for _, f := range s.former {
		if bytes.Equal(f.key.Bytes(), key.Bytes()) {
			return nil, newFoul(CheckKey, "the card key was that of %s in a deal before, and is for one deal", s.seatText(f.seat))
		}
	}
	keys := slices.Clone(s.keys)
	keys[seat] = key
	if s.deals == 0 && !slices.Contains(keys, nil) {
		if _, err := s.suite.Encoding().Joint(keys); err != nil {
			return nil, newFoul(CheckKey, "%w", err)
		}
	}
	return &step{
		statements: []proof.Statement{proof.Ownership{Key: key}},
		effect: func(next *State) error {
			next.keys[seat] = key
			if anchor != nil {
				next.last[seat] = anchor
			}
			if len(next.keysOwed()) > 0 {
				return nil
			}
			if next.deals == 0 {
				return next.enterPhase()
			}
			next.joinKeys()
			return next.advancePhase() // cards may be minted by nobody, who owes nothing
		},
	}, nil
}

// readKey reads the body of a key; the anchor is nil where there is none.
func (s *State) readKey(raw json.RawMessage) (key, anchor []byte, err error) {
	if s.challengeState != nil {
		return readAnchoredKey(raw)
	}
	var body wire.KeyBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, nil, newFoul(CheckBody, "%w", err)
	}
	return body.Key, nil, nil
}

func (s *State) shuffleStep(d Duty, raw json.RawMessage) (*step, error) {
	if s.deal.joint == nil {
		return nil, newFoul(CheckKey, "%w", s.deal.unjoined)
	}
	in := s.deal.maskedCards(s.deal.allCards())
	out, err := s.parseCards(raw, len(in))
	if err != nil {
		return nil, err
	}
	return &step{
		statements: []proof.Statement{proof.Shuffle{Key: s.deal.joint, By: s.keys[d.Seats[0]], In: in, Out: out}},
		effect: func(next *State) error {
			next.deal.putMasked(s.deal.allCards(), out, s.deal.seatsOutside())
			next.takeDuty(d)
			return next.advancePhase()
		},
	}, nil
}

func (s *State) showStep(d Duty, raw json.RawMessage) (*step, error) {
	var body wire.TokensBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	seat := d.Seats[0]
	tokens, err := s.parseTokens(body.Tokens, len(d.Cards))
	if err != nil {
		return nil, err
	}
	return &step{
		statements: s.revealStatements(seat, d.Cards, tokens),
		effect: func(next *State) error {
			next.deal.stripTokens(seat, d.Cards, tokens)
			next.deal.noteDealt(next.phase.duties)
			next.phase.shows = next.phase.shows[1:]
			return next.advancePhase()
		},
	}, nil
}

// revealStatements states that these are seat's tokens for cards; of none there is nothing
// to say.
func (s *State) revealStatements(seat Seat, cards []Card, tokens []proof.Token) []proof.Statement {
	if len(cards) == 0 {
		return nil
	}
	return []proof.Statement{proof.Reveal{Key: s.keys[seat], Cards: s.MaskedCards(cards), Tokens: tokens}}
}

func (s *State) giveStep(d Duty, raw json.RawMessage) (*step, error) {
	cards, err := s.parseCards(raw, len(d.Cards))
	if err != nil {
		return nil, err
	}
	from, to := d.Seats[0], d.To[0]
	s.mustHold(from, d)
	st := &step{effect: func(next *State) error {
		next.deal.putMasked(d.Cards, cards, s.deal.allBut(to))
		next.takeDuty(d)
		return next.advancePhase()
	}}
	for i, old := range s.MaskedCards(d.Cards) {
		st.statements = append(st.statements, proof.Transfer{From: s.keys[from], To: s.keys[to], Old: old, New: cards[i]})
	}
	return st, nil
}

func (s *State) permuteStep(d Duty, raw json.RawMessage) (*step, error) {
	out, err := s.parseCards(raw, len(d.Cards))
	if err != nil {
		return nil, err
	}
	seat := d.Seats[0]
	s.mustHold(seat, d)
	return &step{
		statements: []proof.Statement{proof.Shuffle{Key: s.keys[seat], By: s.keys[seat], In: s.MaskedCards(d.Cards), Out: out}},
		effect: func(next *State) error {
			next.deal.putMixed(d.Cards, out, s.deal.allBut(seat))
			next.takeDuty(d)
			return next.advancePhase()
		},
	}, nil
}

// mustHold panics if the rules ask seat for cards that are not in its hand: a
// fault of the rules and not of any seat.
func (s *State) mustHold(seat Seat, d Duty) {
	for _, c := range d.Cards {
		if !s.deal.holds(seat, c) {
			panic(fmt.Sprintf("table: rules of %s ask seat %d to %s card %d, which it does not hold", s.game.Name(), seat, d.Kind, c))
		}
	}
}

func (s *State) moveStep(seat Seat, raw json.RawMessage) (*step, error) {
	var body wire.MoveBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	rules, terms, cards, err := s.moveOutcome(seat, body.Move)
	if err != nil {
		return nil, err
	}
	tokens, err := s.parseTokens(body.Tokens, len(cards))
	if err != nil {
		return nil, err
	}
	st := &step{statements: s.revealStatements(seat, cards, tokens), effect: func(next *State) error {
		next.deal.stripTokens(seat, cards, tokens)
		if err := next.matchFaces(terms.Open); err != nil || next.IsDisputed() {
			return err
		}
		next.rules = rules
		return next.enterPhase()
	}}
	for _, c := range terms.Prove {
		if c.Trivial() {
			continue
		}
		masked := s.MaskedCards
		if c.Dealt {
			masked = s.MaskedDealt
		}
		st.statements = append(st.statements, proof.Condition{
			Key: s.keys[seat], Deck: s.deck, Cards: masked(c.Cards), Set: c.Set, Min: c.Min, Max: c.Max})
	}
	return st, nil
}

// moveOutcome is what the rules make of a move: the state after it, its terms, and the
// cards that it turns up.
func (s *State) moveOutcome(seat Seat, move json.RawMessage) (rulesState, Terms, []Card, error) {
	rules, terms, err := s.game.apply(s.rules, seat, move, s.deal.faces)
	if err != nil {
		return nil, Terms{}, nil, newFoul(CheckRules, "%w", err)
	}
	cards, err := s.checkTurned(seat, terms)
	return rules, terms, cards, err
}

// checkTurned checks that all terms speak of cards of the mover, each card once, and
// returns the cards turned up.
func (s *State) checkTurned(seat Seat, t Terms) ([]Card, error) {
	open := make([]Card, len(t.Open))
	for i, shown := range t.Open {
		open[i] = shown.Card
	}
	if err := checkOwn(seat, open, s.deal.holds, "in the hand of"); err != nil {
		return nil, err
	}
	for _, c := range t.Prove {
		own, what := s.deal.holds, "in the hand of"
		if c.Dealt {
			own, what = s.deal.wasDealt, "dealt to"
		}
		if err := checkOwn(seat, c.Cards, own, what); err != nil {
			return nil, err
		}
		if err := s.notMinted(c.Cards); err != nil {
			return nil, err
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

// matchFaces compares the cards turned up with what their holder says they are.
func (s *State) matchFaces(open []ShownCard) error {
	for _, shown := range open {
		masked := s.deal.cards[shown.Card].masked
		if s.stopsPlay(masked) {
			return nil
		}
		f, err := s.faceOf(masked)
		if err != nil {
			return err
		}
		if f != shown.Face {
			return newFoul(CheckFace, "card %d is %s and not %s", shown.Card, s.pack.FaceName(f), s.pack.FaceName(shown.Face))
		}
		s.deal.faces[shown.Card] = f
	}
	return nil
}

// MoveTerms returns the terms of a move that seat may make, as the rules state them.
// An error is the rule that forbids it.
func (s *State) MoveTerms(seat Seat, move json.RawMessage) (Terms, error) {
	_, terms, err := s.game.apply(s.rules, seat, move, s.deal.faces)
	return terms, err
}

// TurnedCards returns the hand cards that a move would turn up, in the order in
// which the message has to carry the mover's tokens for them.
func (s *State) TurnedCards(seat Seat, move json.RawMessage) ([]Card, error) {
	_, _, cards, err := s.moveOutcome(seat, move)
	if err != nil {
		return nil, s.blameSeat(err, seat)
	}
	return cards, nil
}

// hasLargeCards reports whether cards of this table may be a blob.
func (s *State) hasLargeCards() bool { return wire.AttachableBytes(s.genesis.Suite) > wire.MaxAttached }

// parseCards reads as many cards, which are a blob if they have more than wire.MaxCards
// bytes and the suite is one whose cards may be.
func (s *State) parseCards(raw json.RawMessage, want int) ([]proof.MaskedCard, error) {
	if blob, named := wire.NamesCards(raw); named && s.hasLargeCards() {
		return nil, fmt.Errorf("cards of %d bytes: %w", blob.Size, wire.ErrDetached)
	}
	var body wire.CardsBody
	if err := wire.DecodeBody(raw, &body); err != nil {
		return nil, newFoul(CheckBody, "%w", err)
	}
	cards := body.Cards
	named := s.hasLargeCards() && len(cards) == 1 && len(cards[0]) > wire.MaxCards
	if named && want > 0 && len(cards[0])%want == 0 {
		cards = slices.Collect(slices.Chunk(cards[0], len(cards[0])/want))
	}
	parsed, err := parseValues("card", cards, want, s.Encoding().ParseMasked)
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
