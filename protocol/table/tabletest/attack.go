package tabletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// attack is an entry that must not be applied.
type attack struct {
	name  string
	entry []byte
	class table.Class // Void, or Foul of the seat that signed it
}

// attacker tries what must not work at a table.
type attacker struct{ *Table }

// attacksPerMessage is the number of random attacks that each message of a playout has to withstand.
const attacksPerMessage = 3

// tryAttacks tries attacks in place of an honest entry.
func (t attacker) tryAttacks(entry []byte) error {
	all := t.possibleAttacks(entry)
	t.Choice.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, build := range all[:min(len(all), attacksPerMessage)] {
		a, err := build(entry)
		if err != nil {
			return err
		}
		if err := t.checkRefused(a); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return nil
}

// checkRefused returns an error unless the attack is refused as it should be.
func (t attacker) checkRefused(a attack) error {
	_, err := Apply(t.State, a.entry)
	if err == nil && a.class == table.Foul && t.defersProofs() {
		return t.blamedLater(a.entry)
	}
	if err == nil && a.class == table.Foul && t.asksForProofs() {
		return t.BlamedInAnswer(a.entry)
	}
	if err == nil {
		return fmt.Errorf("was applied: %.300s", a.entry)
	}
	fault := new(table.Fault)
	if !errors.As(err, &fault) {
		fault = &table.Fault{Class: table.Void, Check: table.CheckForm, Err: err}
	}
	if fault.Class != a.class {
		return fmt.Errorf("is %v, want %v: %w", fault.Class, a.class, fault)
	}
	if e, err := wire.Parse(a.entry); fault.Class == table.Foul && (err != nil || fault.Seat != table.Seat(e.Message.Seat)) {
		return fmt.Errorf("blames seat %d, who did not sign it: %w", fault.Seat, fault)
	}
	return nil
}

// attackBuilder makes an attack from an honest entry.
type attackBuilder func(entry []byte) (attack, error)

// possibleAttacks lists the attacks that can be made from an honest entry.
func (t attacker) possibleAttacks(entry []byte) []attackBuilder {
	e, err := wire.Parse(entry)
	if err != nil {
		panic(fmt.Sprintf("tabletest: an honest entry does not parse: %v", err))
	}
	m := e.Message
	list := append(t.outsiderAttacks(), t.misdirectAttacks(m)...)
	list = append(list, t.badProofs(m)...)
	return append(list, t.badBodies(m)...)
}

// outsiderAttacks are the attacks of somebody without the seat's key, such as a log.
func (t attacker) outsiderAttacks() []attackBuilder {
	edit := func(name string, change func([]byte) []byte) attackBuilder {
		return func(entry []byte) (attack, error) {
			return attack{name, change(slices.Clone(entry)), table.Void}, nil
		}
	}
	list := []attackBuilder{
		edit("a bit flipped", func(b []byte) []byte {
			b[t.Choice.IntN(len(b))] ^= 1 << t.Choice.IntN(8)
			return b
		}),
		edit("truncated", func(b []byte) []byte { return b[:t.Choice.IntN(len(b))] }),
		edit("extended", func(b []byte) []byte { return append(b, '\n') }),
		edit("an older entry again", func([]byte) []byte { return t.Entries[t.Choice.IntN(len(t.Entries))] }),
	}
	for _, other := range t.Hands {
		list = append(list, func(entry []byte) (attack, error) {
			e, err := wire.Parse(entry)
			if err != nil || table.Seat(e.Message.Seat) == other.Seat {
				return attack{"empty", nil, table.Void}, err
			}
			forged, err := wire.Sign(e.Message, other.Signer)
			return attack{fmt.Sprintf("signed by seat %d", other.Seat), forged, table.Void}, err
		})
	}
	return list
}

// misdirectAttacks are messages that the seat signed for another place.
func (t attacker) misdirectAttacks(m *wire.Message) []attackBuilder {
	list := []attackBuilder{
		t.resignAttack("another table", table.Void, func(m *wire.Message) { m.Table[0] ^= 1 }),
		t.resignAttack("another parent", table.Void, func(m *wire.Message) { m.Parent[31] ^= 1 }),
		t.resignAttack("a kind nobody knows", table.Void, func(m *wire.Message) { m.Kind = "deal" }),
	}
	if len(t.States) > 1 {
		old := t.States[t.Choice.IntN(len(t.States)-1)].Head()
		list = append(list, t.resignAttack("a stale parent", table.Void, func(m *wire.Message) { m.Parent = old }))
	}
	if n := len(t.Hands); n < wire.MaxSeats {
		list = append(list, t.resignAttack("a seat that does not exist", table.Void, func(m *wire.Message) { m.Seat = n }))
	}
	kinds := append(WithCards(), table.Key, table.Show, table.Move)
	if t.defersProofs() {
		kinds = append(kinds, table.Disclose, table.Dispute)
	}
	if t.asksForProofs() {
		kinds = append(kinds, table.Beacon, table.Answer)
	}
	for _, k := range kinds {
		for _, h := range t.Hands {
			if !t.owesKind(h.Seat, k) {
				list = append(list, t.asSeat(h.Seat, k))
			}
		}
	}
	return list
}

func (t attacker) owesKind(seat table.Seat, k table.Kind) bool {
	if k == table.Dispute {
		return len(t.State.DisputableCards(seat)) > 0
	}
	return slices.ContainsFunc(t.State.DutiesOf(seat), func(d table.Duty) bool { return d.Kind == k })
}

// resignAttack is a message that the seat has changed and signed again.
func (t attacker) resignAttack(name string, class table.Class, change func(*wire.Message)) attackBuilder {
	return func(entry []byte) (attack, error) {
		forged, err := t.Forge(entry, change)
		return attack{name, forged, class}, err
	}
}

// asSeat is a message from a seat that owes none of its kind.
func (t attacker) asSeat(seat table.Seat, k table.Kind) attackBuilder {
	return func(entry []byte) (attack, error) {
		e, err := wire.Parse(entry)
		if err != nil {
			return attack{}, err
		}
		e.Message.Seat, e.Message.Kind = int(seat), k
		forged, err := wire.Sign(e.Message, t.Hands[seat].Signer)
		return attack{fmt.Sprintf("out of turn: %s by seat %d", k, seat), forged, table.Void}, err
	}
}

// badProofs are messages with a proof dropped, added, altered or moved.
func (t attacker) badProofs(m *wire.Message) []attackBuilder {
	n := len(m.Proofs)
	list := []attackBuilder{t.resignAttack("a proof added", table.Foul, func(m *wire.Message) { m.Proofs = append(m.Proofs, []byte{0}) })}
	for i := range n {
		list = append(list,
			t.resignAttack(fmt.Sprintf("proof %d dropped", i), table.Foul, func(m *wire.Message) { m.Proofs = slices.Delete(m.Proofs, i, i+1) }),
			t.resignAttack(fmt.Sprintf("proof %d altered", i), table.Foul, func(m *wire.Message) { t.flipBit(m.Proofs[i]) }),
			t.resignAttack(fmt.Sprintf("proof %d shortened", i), table.Foul, func(m *wire.Message) { m.Proofs[i] = m.Proofs[i][:(len(m.Proofs[i])+1)/2] }),
			t.resignAttack(fmt.Sprintf("proof %d lengthened", i), table.Foul, func(m *wire.Message) { m.Proofs[i] = append(m.Proofs[i], 0) }))
		for j := range i {
			list = append(list, t.resignAttack(fmt.Sprintf("proofs %d and %d swapped", j, i), table.Foul,
				func(m *wire.Message) { m.Proofs[i], m.Proofs[j] = m.Proofs[j], m.Proofs[i] }))
		}
		if old, ok := t.proofs[m.Kind]; ok {
			list = append(list, t.resignAttack(fmt.Sprintf("proof %d replaced by that of an older message", i), table.Foul,
				func(m *wire.Message) { m.Proofs[i] = old }))
		}
	}
	// Where others ask for them, proofs of shuffles are moved by package prooftest.
	if asked := t.asksForProofs() && (m.Kind == table.Answer || m.Kind == table.Shuffle || m.Kind == table.Permute || m.Kind == table.Mix); n > 0 && !asked {
		list = append(list, t.misplaceAttacks(m)...)
	}
	return list
}

// misplaceAttacks are messages whose statements are true and proved by the right seat, but for another
// slot, seat, kind or parent.
func (t attacker) misplaceAttacks(m *wire.Message) []attackBuilder {
	seat := table.Seat(m.Seat)
	other := table.Seat((m.Seat + 1) % len(t.Hands))
	kind := table.Kind(table.Show)
	if m.Kind == kind {
		kind = table.Move
	}
	list := []attackBuilder{
		t.reproveAttack("proved for another slot", seat, m.Kind, 1, t.State),
		t.reproveAttack("proved for another seat", other, m.Kind, 0, t.State),
		t.reproveAttack("proved for another kind", seat, kind, 0, t.State),
	}
	if len(t.States) > 1 {
		list = append(list, t.reproveAttack("proved for another parent", seat, m.Kind, 0, t.States[len(t.States)-2]))
	}
	return list
}

func (t attacker) reproveAttack(name string, seat table.Seat, kind table.Kind, slot int, at *table.State) attackBuilder {
	return func(entry []byte) (attack, error) {
		e, err := wire.Parse(entry)
		if err != nil {
			return attack{}, err
		}
		m := e.Message
		by := t.Hands[m.Seat]
		witnesses, err := t.remakeBody(m)
		if err != nil {
			return attack{}, err
		}
		statements, err := t.State.Statements(by.Seat, m.Kind, m.Body)
		if err != nil {
			return attack{}, err
		}
		for i, s := range statements {
			var w proof.Witness
			if i < len(witnesses) {
				w = witnesses[i]
			}
			if m.Proofs[i], err = by.Secret.Prove(at.Context(seat, kind).Slot(uint16(i+slot)), s, w, t.Random); err != nil {
				return attack{}, err
			}
		}
		forged, err := wire.Sign(m, by.Signer)
		return attack{name, forged, table.Foul}, err
	}
}

// WithCards are the kinds of message whose body is a list of cards.
func WithCards() []table.Kind {
	return []table.Kind{table.Shuffle, table.Give, table.Permute, table.Return, table.Mix, table.Cut, table.Insert, table.Mint}
}

// remakeBody replaces the cards in the body of m by new ones, and returns the witnesses for them.
// Bodies without cards stay as they are.
func (t attacker) remakeBody(m *wire.Message) ([]proof.Witness, error) {
	by := t.Hands[m.Seat]
	for _, d := range t.State.DutiesOf(by.Seat) {
		if d.Kind != m.Kind || !slices.Contains(WithCards(), m.Kind) {
			continue
		}
		body, witnesses, err := by.MessageBody(t.State, d, nil, t.Random)
		if err == nil {
			m.Body, err = wire.EncodeBody(body)
		}
		return witnesses, err
	}
	return nil, nil
}

// badBodies are messages with an altered body and the proofs unchanged.
func (t attacker) badBodies(m *wire.Message) []attackBuilder {
	if m.Kind == table.Answer {
		return []attackBuilder{t.resignAttack("a body with something in it", table.Foul, func(m *wire.Message) { m.Body = json.RawMessage(`{"more":1}`) })}
	}
	list := []attackBuilder{
		t.resignAttack("an empty body", table.Foul, func(m *wire.Message) { m.Body = json.RawMessage(`{}`) }),
		t.resignAttack("a body with one more field", table.Foul, func(m *wire.Message) {
			m.Body = append(slices.Clone(m.Body[:len(m.Body)-1]), []byte(`,"more":1}`)...)
		}),
	}
	if m.Kind == table.Disclose {
		return append(list, t.badLocks()...)
	}
	edit := func(name string, change func([][]byte) [][]byte) {
		list = append(list, t.resignAttack(name, table.Foul, func(m *wire.Message) { EditValues(m, change) }))
	}
	n, isList := countValues(m), m.Kind != table.Key && m.Kind != table.Beacon
	if isList {
		edit("a value added", func(v [][]byte) [][]byte { return append(v, append(v, []byte{1})[0]) })
	}
	for i := range min(n, 3) {
		edit(fmt.Sprintf("value %d altered", i), func(v [][]byte) [][]byte { t.flipBit(v[i]); return v })
		edit(fmt.Sprintf("value %d shortened", i), func(v [][]byte) [][]byte { v[i] = v[i][:len(v[i])-1]; return v })
		if isList {
			edit(fmt.Sprintf("value %d dropped", i), func(v [][]byte) [][]byte { return slices.Delete(v, i, i+1) })
		}
		if i > 0 {
			edit(fmt.Sprintf("value %d repeated", i), func(v [][]byte) [][]byte { v[i] = v[0]; return v })
			edit(fmt.Sprintf("values 0 and %d swapped", i), func(v [][]byte) [][]byte { v[i], v[0] = v[0], v[i]; return v })
		}
	}
	if m.Kind == table.Move {
		list = append(list, t.resignAttack("a move the game does not know", table.Foul, func(m *wire.Message) {
			m.Body = json.RawMessage(`{"move":{"tabletest":1},"tokens":[]}`)
		}))
	}
	return list
}

// flipBit changes one bit of b.
func (t attacker) flipBit(b []byte) { b[t.Choice.IntN(len(b))] ^= 1 << t.Choice.IntN(8) }

func countValues(m *wire.Message) (n int) {
	copied := *m
	EditValues(&copied, func(v [][]byte) [][]byte { n = len(v); return v })
	return n
}

// EditValues changes the keys, cards or tokens in a body.
func EditValues(m *wire.Message, change func([][]byte) [][]byte) {
	var body any
	var err error
	switch m.Kind {
	case table.Key:
		b, anchored := wire.KeyBody{}, wire.AnchoredKeyBody{}
		if err = wire.DecodeBody(m.Body, &b); err == nil {
			body = wire.KeyBody{Key: change([][]byte{b.Key})[0]}
		} else if err = wire.DecodeBody(m.Body, &anchored); err == nil {
			body = wire.AnchoredKeyBody{Key: change([][]byte{anchored.Key})[0], Anchor: anchored.Anchor}
		}
	case table.Beacon:
		b := wire.BeaconBody{}
		err = wire.DecodeBody(m.Body, &b)
		body = wire.BeaconBody{Value: change([][]byte{b.Value})[0]}
	case table.Show:
		b := wire.TokensBody{}
		err = wire.DecodeBody(m.Body, &b)
		body = wire.TokensBody{Tokens: change(b.Tokens)}
	case table.Move:
		b := wire.MoveBody{}
		err = wire.DecodeBody(m.Body, &b)
		body = wire.MoveBody{Move: b.Move, Tokens: change(b.Tokens)}
	default:
		b := wire.CardsBody{}
		err = wire.DecodeBody(m.Body, &b)
		body = wire.CardsBody{Cards: change(b.Cards)}
	}
	if err == nil {
		m.Body, err = wire.EncodeBody(body)
	}
	if err != nil {
		panic(fmt.Sprintf("tabletest: body of an honest %s: %v", m.Kind, err))
	}
}
