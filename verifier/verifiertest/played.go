package verifiertest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// PlayedTable is a table under way in a test, and what its seats may try there.
type PlayedTable struct {
	*testing.T
	*tabletest.Table
}

// ParseMessage is the message of an entry.
func (p PlayedTable) ParseMessage(entry []byte) *wire.Message {
	p.Helper()
	return testmust.Have(wire.Parse(entry))(p.T).Message
}

// LastMessage is the last message that is such a one.
func (p PlayedTable) LastMessage(is func(*wire.Message) bool) *wire.Message {
	p.Helper()
	for _, entry := range slices.Backward(p.Entries[1:]) {
		if m := p.ParseMessage(entry); is(m) {
			return m
		}
	}
	p.Fatal("nobody has sent such a message")
	return nil
}

// BackTo goes back to the first moment at which such a duty was due, and returns it.
func (p PlayedTable) BackTo(is func(table.Duty) bool) table.Duty {
	p.Helper()
	for at, state := range p.States {
		if i := slices.IndexFunc(state.Duties(), is); i >= 0 {
			p.Entries, p.States, p.State = p.Entries[:at+1], p.States[:at+1], state
			return state.Duties()[i]
		}
	}
	p.Fatal("it was never due")
	return table.Duty{}
}

// SignMessage is a message as its seat signs it.
func (p PlayedTable) SignMessage(seat table.Seat, k table.Kind, body any, proofs ...[]byte) []byte {
	p.Helper()
	return testmust.Have(p.Sign(seat, k, body, proofs...))(p.T)
}

// EarlyLie is a message that its seat does not owe.
func (p PlayedTable) EarlyLie(name string, seat table.Seat, k table.Kind, body any, proofs ...[]byte) Lie {
	p.Helper()
	return Lie{Name: name, Entry: p.SignMessage(seat, k, body, proofs...), Check: table.CheckDue}
}

// ForgedLie is an honest message, changed and signed again by its seat.
func (p PlayedTable) ForgedLie(name string, check table.Check, entry []byte, change func(*wire.Message)) Lie {
	p.Helper()
	return Lie{Name: name, Entry: testmust.Have(p.Forge(entry, change))(p.T), Check: check}
}

// EditValues has the values in the body of a message changed: its cards, tokens or key.
func EditValues(change func([][]byte) [][]byte) func(*wire.Message) {
	return func(m *wire.Message) { tabletest.EditValues(m, change) }
}

// MoveBody is a move with the true tokens of what the rules turn up, if they allow it.
func (p PlayedTable) MoveBody(seat table.Seat, move json.RawMessage) wire.MoveBody {
	body := wire.MoveBody{Move: move, Tokens: [][]byte{}}
	if turned, err := p.State.TurnedCards(seat, move); err == nil {
		for _, c := range p.State.MaskedCards(turned) {
			body.Tokens = append(body.Tokens, p.Hands[seat].Secret.Token(c).Bytes())
		}
	}
	return body
}

// ForbiddenMoves are moves that the rules allow to no hand, without a proof, and with a token and its
// proof. The error names the rule.
func (p PlayedTable) ForbiddenMoves(rule string, seat table.Seat, moves ...json.RawMessage) (list []Lie) {
	p.Helper()
	for _, move := range moves {
		bare := wire.MoveBody{Move: move, Tokens: [][]byte{}}
		list = append(list, Lie{string(move), p.SignMessage(seat, table.Move, bare), table.CheckRules, rule})
		if hand := p.State.MaskedCards(p.State.Hand(seat)); len(hand) > 0 {
			secret := p.Hands[seat].Secret
			token := secret.Token(hand[0])
			shown := proof.Reveal{Key: secret.Key(), Cards: hand[:1], Tokens: []proof.Token{token}}
			bare.Tokens = [][]byte{token.Bytes()}
			list = append(list, Lie{string(move) + " with a token", p.SignMessage(seat, table.Move, bare, p.proveStatement(seat, table.Move, 0, shown, nil)), table.CheckRules, rule})
		}
	}
	return list
}

func (p PlayedTable) proveStatement(seat table.Seat, k table.Kind, slot int, s proof.Statement, w proof.Witness) []byte {
	p.Helper()
	return testmust.Have(p.Prove(seat, k, uint16(slot), s, w))(p.T)
}

// Bluffs are moves with true tokens, proofs of what is true, and zeros in place of others.
func (p PlayedTable) Bluffs(check table.Check, seat table.Seat, moves ...json.RawMessage) (list []Lie) {
	p.Helper()
	for _, move := range moves {
		list = append(list, Lie{Name: string(move), Entry: testmust.Have(p.Bluff(seat, move))(p.T), Check: check})
	}
	return list
}

// Statements are what a move must prove, and the places of those that are false.
func (p PlayedTable) Statements(seat table.Seat, move json.RawMessage) (list []proof.Statement, false []int) {
	p.Helper()
	raw := testmust.Have(wire.EncodeBody(p.MoveBody(seat, move)))(p.T)
	list = testmust.Have(p.State.Statements(seat, table.Move, raw))(p.T)
	for i, s := range list {
		if _, err := p.Prove(seat, table.Move, uint16(i), s, nil); errors.Is(err, proof.ErrFalse) {
			false = append(false, i)
		}
	}
	return list, false
}

// Proofs proves what is true of a move, and in place of each false condition what instead makes of
// it; zeros if that is nil.
func (p PlayedTable) Proofs(seat table.Seat, move json.RawMessage, instead func(proof.Condition) proof.Statement) [][]byte {
	p.Helper()
	list, false := p.Statements(seat, move)
	proofs := make([][]byte, len(list))
	for i, s := range list {
		switch {
		case !slices.Contains(false, i):
		case instead == nil:
			proofs[i] = make([]byte, 64)
			continue
		default:
			s = instead(s.(proof.Condition))
		}
		proofs[i] = p.proveStatement(seat, table.Move, i, s, nil)
	}
	return proofs
}

// UntrueMoves is a move of which conditions are false, in every way: the best lie proves the same of as
// many cards of the seat's own making, of which it is true.
func (p PlayedTable) UntrueMoves(seat table.Seat, move json.RawMessage) []Lie {
	p.Helper()
	body := p.MoveBody(seat, move)
	_, false := p.Statements(seat, move)
	if len(false) == 0 {
		p.Fatalf("all of %s is true", move)
	}
	said := func(name string, check table.Check, proofs ...[]byte) Lie {
		return Lie{Name: name, Entry: p.SignMessage(seat, table.Move, body, proofs...), Check: check}
	}
	zeros := p.Proofs(seat, move, nil)
	replaced := func(by []byte) [][]byte { l := slices.Clone(zeros); l[false[0]] = by; return l }
	return []Lie{
		said("a proof about cards for which it is true", table.CheckCondition, p.Proofs(seat, move, p.ofOwnMaking(seat))...),
		said("a proof that the cards are what they are", table.CheckCondition, p.Proofs(seat, move, p.trueOf(seat))...),
		said("a proof by another seat's key", table.CheckCondition, replaced(p.lentProof(seat, move, false[0]))...),
		said("zeros", table.CheckCondition, zeros...),
		said("a proof of one byte", table.CheckCondition, replaced([]byte{1})...),
		said("a proof too many", table.CheckProofs, append(slices.Clone(zeros), []byte{0})...),
		said("its proof is missing", table.CheckProofs, slices.Delete(slices.Clone(zeros), false[0], false[0]+1)...),
		said("no proofs", table.CheckProofs),
	}
}

// trueOf makes of a condition one that is true of the same cards.
func (p PlayedTable) trueOf(seat table.Seat) func(proof.Condition) proof.Statement {
	return func(c proof.Condition) proof.Statement {
		n := 0
		for _, f := range p.readFaces(seat, c.Cards, c.Deck) {
			if c.Set.Has(f) {
				n++
			}
		}
		c.Min, c.Max = n, n
		return c
	}
}

// ofOwnMaking makes of a condition the same one about as many cards that nobody dealt.
func (p PlayedTable) ofOwnMaking(seat table.Seat) func(proof.Condition) proof.Statement {
	return func(c proof.Condition) proof.Statement {
		var in, out []proof.MaskedCard
		for f, m := range p.MintCards(seat, c.Deck) {
			if c.Set.Has(f) {
				in = append(in, m)
			} else {
				out = append(out, m)
			}
		}
		if c.Min > len(in) {
			p.Fatalf("%d of %d cards can never be true", c.Min, len(in))
		}
		c.Cards = slices.Concat(in[:c.Min], out[:min(len(c.Cards)-c.Min, len(out))])
		return c
	}
}

// lentProof is a proof of the next seat, of a condition that is false of this one.
func (p PlayedTable) lentProof(seat table.Seat, move json.RawMessage, at int) []byte {
	p.Helper()
	list, _ := p.Statements(seat, move)
	next := table.Seat((int(seat) + 1) % len(p.Hands))
	secret := p.Hands[next].Secret
	c := p.ofOwnMaking(next)(list[at].(proof.Condition)).(proof.Condition)
	c.Key = secret.Key()
	return testmust.Have(secret.Prove(p.State.Context(seat, table.Move).Slot(uint16(at)), c, nil, p.Random))(p.T)
}

// readFaces are the faces of cards under the key of a seat.
func (p PlayedTable) readFaces(seat table.Seat, cards []proof.MaskedCard, d proof.Deck) (list []card.Face) {
	p.Helper()
	for _, c := range cards {
		f, ok := d.Face(p.Config.Suite.Encoding().Strip(c, p.Hands[seat].Secret.Token(c)))
		if !ok {
			p.Fatalf("seat %s cannot read a card", seat.Letter())
		}
		list = append(list, f)
	}
	return list
}

// MintCards are cards of the seat's own making, by face: under its key, but nobody dealt them.
func (p PlayedTable) MintCards(seat table.Seat, d proof.Deck) map[card.Face]proof.MaskedCard {
	p.Helper()
	secret := p.Hands[seat].Secret
	cards, _, err := secret.Shuffle(p.State.Context(seat, table.Shuffle).Slot(0), secret.Key(), d.Cards(), p.Random)
	if err != nil {
		p.Fatal(err)
	}
	made := map[card.Face]proof.MaskedCard{}
	for i, f := range p.readFaces(seat, cards, d) {
		made[f] = cards[i]
	}
	return made
}

// CopyCard is a card of the seat once more, under other masks.
func (p PlayedTable) CopyCard(seat table.Seat, c proof.MaskedCard) proof.MaskedCard {
	p.Helper()
	secret := p.Hands[seat].Secret
	copied, _, err := secret.Transfer(p.State.Context(seat, table.Give).Slot(0), c, secret.Key(), p.Random)
	if err != nil {
		p.Fatal(err)
	}
	return copied
}

// ShuffleLie is a seat's shuffle of other cards than are due, with a proof that is true of these.
func (p PlayedTable) ShuffleLie(name string, seat table.Seat, k table.Kind, key proof.Key, due, in []proof.MaskedCard) Lie {
	p.Helper()
	out, witness, err := p.Hands[seat].Secret.Shuffle(p.State.Context(seat, k).Slot(0), key, in, p.Random)
	if err != nil {
		p.Fatal(err)
	}
	if _, err := p.Prove(seat, k, 0, proof.Shuffle{Key: key, In: due, Out: out}, witness); len(in) == len(due) && !errors.Is(err, proof.ErrFalse) {
		p.Errorf("%s: it can be proved: %v", name, err)
	}
	body, check := wire.CardsBody{}, table.CheckShuffle
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	if len(in) != len(due) {
		check = table.CheckValues
	}
	made := make([]byte, 32) // where others ask, a commitment, which says nothing yet
	if _, asks := p.State.AsksForProofs(); !asks {
		made = p.proveStatement(seat, k, 0, proof.Shuffle{Key: key, In: in, Out: out}, witness)
	}
	return Lie{Name: name, Entry: p.SignMessage(seat, k, body, made), Check: check}
}

// GiveLie hands over other cards than are due, with proofs that are true of these.
func (p PlayedTable) GiveLie(d table.Duty, cards []proof.MaskedCard) Lie {
	p.Helper()
	seat, to := d.Seats[0], p.State.CardKey(d.To[0])
	body := wire.CardsBody{}
	var proofs [][]byte
	for i, c := range cards {
		secret := p.Hands[seat].Secret
		made, witness, err := secret.Transfer(p.State.Context(seat, table.Give).Slot(uint16(i)), c, to, p.Random)
		if err != nil {
			p.Fatal(err)
		}
		proofs = append(proofs, p.proveStatement(seat, table.Give, i, proof.Transfer{From: secret.Key(), To: to, Old: c, New: made}, witness))
		body.Cards = append(body.Cards, made.Bytes())
	}
	return Lie{Name: "other cards", Entry: p.SignMessage(seat, table.Give, body, proofs...), Check: table.CheckTransfer}
}

// FalseTokens are the tokens that are due of a seat with another share in the place of one: that of
// the next seat, that of the next card. Who is to read the card would read another one.
func (p PlayedTable) FalseTokens(d table.Duty, at int) (list []Lie) {
	p.Helper()
	seat := d.Seats[0]
	secret, other := p.Hands[seat].Secret, p.Hands[(int(seat)+1)%len(p.Hands)].Secret
	cards := p.State.MaskedCards(d.Cards)
	var tokens []proof.Token
	for _, c := range cards {
		tokens = append(tokens, secret.Token(c))
	}
	shown := func(tokens []proof.Token) proof.Reveal {
		return proof.Reveal{Key: secret.Key(), Cards: cards, Tokens: tokens}
	}
	honest := p.proveStatement(seat, table.Show, 0, shown(tokens), nil)
	for name, false := range map[string]proof.Token{"a share of another seat": other.Token(cards[at]), "a share in another card": tokens[(at+1)%len(tokens)]} {
		forged, body := slices.Clone(tokens), wire.TokensBody{}
		forged[at] = false
		for _, token := range forged {
			body.Tokens = append(body.Tokens, token.Bytes())
		}
		if _, err := p.Prove(seat, table.Show, 0, shown(forged), nil); !errors.Is(err, proof.ErrFalse) {
			p.Errorf("%s can be proved: %v", name, err)
		}
		list = append(list, Lie{Name: name, Entry: p.SignMessage(seat, table.Show, body, honest), Check: table.CheckReveal})
	}
	return list
}
