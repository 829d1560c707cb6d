package prooftest

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// testReplayedKeyProof: a seat takes another's key with its proof for its own,
// and then mirrors that seat's tokens.
func testReplayedKeyProof(w *world) {
	p := w.proveOwnership(0)
	thief := p
	thief.at.seat = p.at.seat + 1
	if w.verifyAlone(p) != nil || w.verifyAlone(thief) == nil {
		w.t.Error("a key's proof is good for another seat")
	}
	later := p
	later.at.table.ID[0] ^= 1
	if w.verifyAlone(later) == nil {
		w.t.Error("a key's proof is good at another table")
	}
}

// testMalleatedCopy: somebody publishes a remasked copy of another seat's card
// as his own, collects tokens for the copy, and uses them on the card.
func testMalleatedCopy(w *world) {
	cards := w.shuffleCards(w.deck.Cards())
	victim := cards[0]
	copies, _, err := w.secrets[2].Shuffle(w.honestPlace().context(), w.joint, cards[:2], w.rand)
	w.failOnError(err)
	for _, c := range copies {
		token := w.secrets[1].Token(c)
		onCopy := w.proveHere("token for the copy", w.secrets[1], proof.Reveal{Key: w.keys[1], Cards: []proof.MaskedCard{c}, Tokens: []proof.Token{token}}, nil)
		if err := w.verifyAlone(onCopy); err != nil {
			w.t.Fatal(err)
		}
		onVictim := onCopy
		onVictim.statement = proof.Reveal{Key: w.keys[1], Cards: []proof.MaskedCard{victim}, Tokens: []proof.Token{token}}
		w.checkRefused(onVictim, 1)
		if fewBits(token) {
			continue // the token shows some face, and its proof has been refused
		}
		stripped := w.stripTokens(w.enc.Strip(victim, token), w.secrets[0], w.secrets[2])
		if f, ok := w.deck.Face(stripped); ok {
			w.t.Errorf("token for a copy opens the card as face %d", f)
		}
	}
}

// testConditionLeavesOutCard: "no card of mine is in the set", proved over the
// hand without the card that is.
func testConditionLeavesOutCard(w *world) {
	if !w.provesRelation("condition") {
		return
	}
	hand, faces := w.dealHand(1, 3)
	none := proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: card.SetOf(faces[2]), Min: 0, Max: 0}
	if _, err := w.secrets[1].Prove(w.honestPlace().context(), none, nil, w.rand); err == nil {
		w.t.Fatal("false condition is proved")
	}
	for _, list := range [][]proof.MaskedCard{hand[:2], {hand[0], hand[1], w.strangerCard()}, {hand[1], hand[0]}} {
		less := none
		less.Cards = list
		b, err := w.secrets[1].Prove(w.honestPlace().context(), less, nil, w.rand)
		if err != nil {
			continue // the stranger is no card of the hand
		}
		w.checkRefused(provedStatement{name: "proof over another list", at: w.honestPlace(), statement: none, proof: b}, 2)
	}
	// A repeated card in place of the one left out.
	repeated := none
	repeated.Cards = []proof.MaskedCard{hand[0], hand[1], hand[0]}
	if _, err := w.secrets[1].Prove(w.honestPlace().context(), repeated, nil, w.rand); err == nil {
		w.t.Error("condition over a repeated card is proved")
	}
}

// testShuffleOfOtherCards: an honest shuffle of a deck in which one card was exchanged, dropped or
// doubled first passes as a shuffle of the deck.
func testShuffleOfOtherCards(w *world) {
	deck := w.shuffleCards(w.deck.Cards())[:5]
	for name, in := range map[string][]proof.MaskedCard{
		"substituted": slices.Concat(deck[:4], []proof.MaskedCard{w.strangerCard()}),
		"duplicated":  slices.Concat(deck[:4], deck[:1]),
		"dropped":     deck[:4],
		"added":       slices.Concat(deck, []proof.MaskedCard{w.strangerCard()}),
		"reordered":   slices.Concat(deck[1:], deck[:1]),
	} {
		out, wit, err := w.secrets[1].Shuffle(w.honestPlace().context(), w.joint, in, w.rand)
		w.failOnError(err)
		p := provedStatement{name: name, at: w.honestPlace(), statement: proof.Shuffle{Key: w.joint, By: w.keys[1], In: deck, Out: out}}
		s := proof.Shuffle{Key: w.joint, By: w.keys[1], In: in, Out: out}
		if p.proof, err = w.secrets[1].Prove(p.at.context(), s, wit, w.rand); err != nil && name != "duplicated" {
			w.t.Fatalf("%s: %v", name, err) // a suite may refuse to shuffle a card that occurs twice
		}
		w.checkRefused(p, 0)
	}
	// Honest but for one card after the shuffle.
	out, wit, err := w.secrets[1].Shuffle(w.honestPlace().context(), w.joint, deck, w.rand)
	w.failOnError(err)
	p := w.proveHere("honest", w.secrets[1], proof.Shuffle{Key: w.joint, By: w.keys[1], In: deck, Out: out}, wit)
	for i := range out {
		changed := slices.Clone(out)
		changed[i] = out[(i+1)%len(out)]
		q := p
		q.name, q.statement = "card doubled after the shuffle", proof.Shuffle{Key: w.joint, By: w.keys[1], In: deck, Out: changed}
		w.checkRefused(q, i)
	}
}

// conditionProofs returns conditions of many shapes on cards of a larger deck, for which a suite may
// have other arguments than for small ones: of one card, none, all, as many as the set has faces, some,
// and exact counts. For ristretto255 they cover every plan of the chooser except two thresholds.
func (w *world) conditionProofs() []provedStatement {
	w.t.Helper()
	return onlyProved(
		w.proveCondition(1, 1, 1, 1, 1),
		w.proveCondition(1, 1, 24, 1, 1),
		w.proveCondition(3, 0, 2, 0, 0),
		w.proveCondition(3, 3, 17, 3, 3),
		w.proveCondition(4, 4, 0, 4, 4),
		w.proveCondition(4, 4, 1, 4, 4),
		w.proveCondition(4, 2, 1, 1, 4),
		w.proveCondition(5, 4, 4, 4, 9),
		w.proveCondition(5, 1, 25, 0, 2),
		w.proveCondition(5, 2, 8, 2, 2),
		w.proveCondition(6, 4, 1, 4, 4),
		w.proveCondition(9, 8, 14, 8, 8),
	)
}

// testConditions: a condition of some shape is proved by an argument of its own, which misses a check.
func testConditions(w *world) {
	w = newWorld(w.t, w.suite, 52)
	all := w.conditionProofs()
	b := w.suite.NewBatch()
	for i, p := range all {
		if err := w.verifyAlone(p); err != nil {
			w.t.Errorf("%s: honest proof is refused: %v", p.name, err)
		}
		b.Label(uint64(i))
		w.failOnError(w.suite.Verify(p.at.context(), p.statement, p.proof, b))
	}
	if err := b.Check(); err != nil {
		w.t.Errorf("batch of honest proofs: %v", err)
	}
	tried := testmust.SomeOf(w.t, len(all), 3)
	for i, p := range all {
		if w.isSlow() && i%4 > 0 || !tried(i) {
			continue // some must do
		}
		w.refusesAltered(p)
		for other, q := range all {
			moved := p
			moved.statement = q.statement
			if !slices.Equal(p.proof, q.proof) && w.verifyAlone(moved) == nil {
				w.t.Errorf("%s: accepted for condition %d", p.name, other)
			}
		}
	}
}

// refusesAltered fails the test if p is accepted for another statement, at another
// place, with another length, or with a field made zero or changed in a bit.
func (w *world) refusesAltered(p provedStatement) {
	w.t.Helper()
	w.refusesStatements(p)
	w.refusesPlaces(p)
	list := slices.DeleteFunc(alteredProofs(p.proof), func(a namedValue[[]byte]) bool {
		return strings.HasPrefix(a.name, "field ") && !strings.HasSuffix(a.name, " zero") // the changed bit is enough
	})
	step := field
	if w.isSlow() {
		step = len(p.proof)/12 | 1
	}
	for at := 0; at < len(p.proof); at += step {
		b := slices.Clone(p.proof)
		b[(at+at/field%field)%len(b)] ^= 1 << (at / field % 8)
		list = append(list, namedValue[[]byte]{"a bit changed", b})
	}
	refusesEach(w, p, list, func(q *provedStatement, b []byte) { q.proof = b })
}
