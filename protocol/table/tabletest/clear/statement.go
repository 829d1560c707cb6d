package clear

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// isSensible reports whether s is made of values of this suite and says
// something.
func isSensible(s proof.Statement) bool {
	switch s := s.(type) {
	case proof.Ownership:
		return isKey(s.Key)
	case proof.Shuffle:
		n := len(s.In)
		return areKeys(s.Key) && n >= 2 && n <= card.MaxFaces && len(s.Out) == n && areCards(s.In, true) && areCards(s.Out, false)
	case proof.Reveal:
		return isKey(s.Key) && len(s.Cards) > 0 && len(s.Tokens) == len(s.Cards) && areCards(s.Cards, false) && areTokens(s.Tokens)
	case proof.Transfer:
		return isKey(s.From) && areKeys(s.To) && areCards([]proof.MaskedCard{s.Old, s.New}, false)
	case proof.Condition:
		return isKey(s.Key) && areCards(s.Cards, false) && isRange(s)
	case proof.Arrange:
		n := len(s.In)
		return areKeys(s.Key) && n >= 1 && n <= card.MaxFaces && len(s.Out) == n && areCards(s.In, true) && areCards(s.Out, false) &&
			(s.Family == proof.Cut || s.Family == proof.Insert)
	case proof.Mint:
		d, ok := s.Deck.(*deck)
		return ok && areKeys(s.Key) && areCards([]proof.MaskedCard{s.Card}, false) && s.Set.Len() > 0 && s.Set == s.Set.Minus(facesBeyond(d))
	}
	return false
}

// facesBeyond are the faces that a deck does not have.
func facesBeyond(d *deck) (set card.Set) {
	for f := len(d.cards); f < card.MaxFaces; f++ {
		set = set.AddFace(card.Face(f))
	}
	return set
}

func isKey(k proof.Key) bool { return areKeys(k) && len(k.(key)) == 1 }

func areKeys(k proof.Key) bool {
	_, ok := k.(key)
	return ok
}

func areCards(list []proof.MaskedCard, maybeOpen bool) bool {
	for _, c := range list {
		if m, ok := c.(maskedCard); !ok || len(m.locks) == 0 && !maybeOpen {
			return false
		}
	}
	return true
}

func areTokens(list []proof.Token) bool {
	for _, t := range list {
		if _, ok := t.(token); !ok {
			return false
		}
	}
	return true
}

// isTrivial reports whether s is a condition that always holds; its proof is empty.
func isTrivial(s proof.Statement) bool {
	c, ok := s.(proof.Condition)
	return ok && c.Min <= 0 && c.Max >= len(c.Cards)
}

func checkEmptyProof(p []byte) error {
	if len(p) > 0 {
		return errors.New("a proof of what needs none")
	}
	return nil
}

// isRange reports false for conditions that can never hold, and for repeated cards.
func isRange(s proof.Condition) bool {
	d, ok := s.Deck.(*deck)
	n := len(s.Cards)
	if !ok || s.Min > s.Max || s.Max < 0 || s.Min > n || n == 0 {
		return false
	}
	for _, f := range s.Set.Faces() {
		if int(f) >= len(d.cards) {
			return false
		}
	}
	seen := map[string]bool{}
	for _, c := range s.Cards {
		seen[string(c.Bytes())] = true
	}
	return len(seen) == n
}

// isTrue decides from plain values whether a statement is true.
func isTrue(s proof.Statement) bool {
	switch s := s.(type) {
	case proof.Ownership:
		return true
	case proof.Shuffle:
		return holdsShuffle(s)
	case proof.Reveal:
		return holdsReveal(s)
	case proof.Transfer:
		o, n := s.Old.(maskedCard), s.New.(maskedCard)
		return o.isUnder(s.From) && n.isUnder(s.To) && o.element() == n.element()
	case proof.Condition:
		return holdsCondition(s)
	case proof.Arrange:
		return slices.ContainsFunc(familyOrders(s.Family, len(s.In)), func(order []int) bool { return holdsArrange(s, order) })
	case proof.Mint:
		f, ok := s.Deck.Face(maskedCard{mixed: s.Card.(maskedCard).element()})
		return ok && s.Card.(maskedCard).isUnder(s.Key) && s.Set.Has(f)
	}
	panic(fmt.Sprintf("clear: unknown statement %T", s))
}

func holdsShuffle(s proof.Shuffle) bool {
	in, out := make([]uint64, len(s.In)), make([]uint64, len(s.Out))
	for i, c := range s.In {
		m := c.(maskedCard)
		if len(m.locks) > 0 && !m.isUnder(s.Key) {
			return false
		}
		in[i] = m.element()
	}
	for i, c := range s.Out {
		if !c.(maskedCard).isUnder(s.Key) {
			return false
		}
		out[i] = c.(maskedCard).element()
	}
	slices.Sort(in)
	slices.Sort(out)
	return slices.Equal(in, out)
}

// familyOrders are the orders of a family: which card comes to each place.
func familyOrders(f proof.Family, n int) [][]int {
	list := make([][]int, n)
	for k := range list {
		for i := range n {
			if f == proof.Cut {
				list[k] = append(list[k], (i+k)%n)
			} else if i < n-1 {
				list[k] = append(list[k], i)
			}
		}
		if f == proof.Insert {
			list[k] = slices.Insert(list[k], k, n-1)
		}
	}
	return list
}

func holdsArrange(s proof.Arrange, order []int) bool {
	for i, c := range s.Out {
		in := s.In[order[i]].(maskedCard)
		if len(in.locks) > 0 && !in.isUnder(s.Key) || !c.(maskedCard).isUnder(s.Key) || c.(maskedCard).element() != in.element() {
			return false
		}
	}
	return true
}

func holdsReveal(s proof.Reveal) bool {
	for i, c := range s.Cards {
		if s.Tokens[i] != (secret{s.Key.(key)}).Token(c) {
			return false
		}
	}
	return true
}

func holdsCondition(s proof.Condition) bool {
	n := 0
	for _, c := range s.Cards {
		m := c.(maskedCard)
		if !m.isUnder(s.Key) {
			return false
		}
		if f, ok := s.Deck.Face(maskedCard{mixed: m.element()}); ok && s.Set.Has(f) {
			n++
		}
	}
	return s.Min <= n && n <= s.Max
}

// proofTag is the only right proof of s in c.
func proofTag(c transcript.Context, s proof.Statement) []byte {
	challenge := transcript.New(c, boundStatement{s}).Challenge("tag")
	return challenge[:]
}

// boundStatement writes a statement to a transcript.
type boundStatement struct{ proof.Statement }

func (s boundStatement) Label() string { return "clear-" + proof.RelationName(s.Statement) + "/v1" }

func (s boundStatement) AppendTo(b *transcript.Binder) {
	switch s := s.Statement.(type) {
	case proof.Ownership:
		b.Bytes("key", s.Key.Bytes())
	case proof.Shuffle:
		b.Bytes("key", s.Key.Bytes())
		bindAll(b, "in", s.In)
		bindAll(b, "out", s.Out)
	case proof.Reveal:
		b.Bytes("key", s.Key.Bytes())
		bindAll(b, "cards", s.Cards)
		bindAll(b, "tokens", s.Tokens)
	case proof.Transfer:
		b.Bytes("from", s.From.Bytes())
		b.Bytes("to", s.To.Bytes())
		b.Bytes("old", s.Old.Bytes())
		b.Bytes("new", s.New.Bytes())
	case proof.Condition:
		b.Bytes("key", s.Key.Bytes())
		bindAll(b, "deck", s.Deck.Cards())
		bindAll(b, "cards", s.Cards)
		for _, w := range s.Set {
			b.Uint64("set", w)
		}
		b.Uint64("min", uint64(s.Min))
		b.Uint64("max", uint64(s.Max))
	case proof.Arrange:
		b.Bytes("family", []byte(s.Family))
		b.Bytes("key", s.Key.Bytes())
		bindAll(b, "in", s.In)
		bindAll(b, "out", s.Out)
	case proof.Mint:
		b.Bytes("key", s.Key.Bytes())
		bindAll(b, "deck", s.Deck.Cards())
		b.Bytes("card", s.Card.Bytes())
		for _, w := range s.Set {
			b.Uint64("set", w)
		}
	}
}

func bindAll[T interface{ Bytes() []byte }](b *transcript.Binder, label string, list []T) {
	b.Uint64("length of "+label, uint64(len(list)))
	for _, v := range list {
		b.Bytes(label, v.Bytes())
	}
}

func hashWords(what string, words ...uint64) uint64 {
	h := sha256.Sum256(appendWords([]byte(what), words...))
	return binary.BigEndian.Uint64(h[:])
}

// secret implements proof.Secret; it consists of its key.
type secret struct{ key key }

func (s secret) Key() proof.Key { return s.key }
func (s secret) Bytes() []byte  { return s.key.Bytes() }

func (s secret) Token(c proof.MaskedCard) proof.Token {
	k := s.key[0]
	return token{key: k, share: hashWords("share", k, c.(maskedCard).nonce)}
}

// witness remembers the cards it was made for, and says nothing about others.
type witness string

func witnessOf(cards ...proof.MaskedCard) witness {
	var b []byte
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return witness(b)
}

// cardDrawing is what is known about a shuffle or transfer before it is drawn.
type cardDrawing struct {
	label string
	to    proof.Key
	cards []proof.MaskedCard
}

func (d cardDrawing) Label() string { return d.label }

func (d cardDrawing) AppendTo(b *transcript.Binder) {
	b.Bytes("to", d.to.Bytes())
	bindAll(b, "cards", d.cards)
}

func (s secret) Shuffle(c transcript.Context, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	stream, err := transcript.New(c, cardDrawing{"clear-mask/shuffle/v1", k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	out := make([]proof.MaskedCard, len(in))
	for i, c := range in {
		m, err := remaskCard(c, k, stream)
		if err != nil {
			return nil, nil, err
		}
		j, err := randomBelow(i+1, stream)
		if err != nil {
			return nil, nil, err
		}
		out[i], out[j] = out[j], m
	}
	return out, witnessOf(out...), nil
}

// Arrange shuffles into an order that the caller chooses: out[i] is in[order[i]].
func Arrange(k proof.Key, in []proof.MaskedCard, order []uint16, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	out := make([]proof.MaskedCard, len(order))
	for i, from := range order {
		var err error
		if out[i], err = remaskCard(in[from], k, rand); err != nil {
			return nil, nil, err
		}
	}
	return out, witnessOf(out...), nil
}

func (s secret) Transfer(c transcript.Context, old proof.MaskedCard, to proof.Key, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	stream, err := transcript.New(c, cardDrawing{"clear-mask/transfer/v1", to, []proof.MaskedCard{old}}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	m, err := remaskCard(old, to, stream)
	if err != nil {
		return nil, nil, err
	}
	return m, witnessOf(m), nil
}

// Arrange implements proof.Arranger.
func (s secret) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	stream, err := transcript.New(c, cardDrawing{"clear-mask/arrange/" + string(f) + "/v1", k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	choice, err := randomBelow(len(in), stream)
	if err != nil {
		return nil, nil, err
	}
	return ArrangeBy(f, choice, k, in, stream)
}

// ArrangeBy arranges cards by an order of a family that the caller chooses.
func ArrangeBy(f proof.Family, choice int, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	var order []uint16
	for _, from := range familyOrders(f, len(in))[choice] {
		order = append(order, uint16(from))
	}
	out, _, err := Arrange(k, in, order, rand)
	return out, arrangeWitness(f, out), err
}

func arrangeWitness(f proof.Family, out []proof.MaskedCard) witness {
	return witness(f) + witnessOf(out...)
}

// Mint implements proof.Arranger.
func (s secret) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	if !set.Has(f) {
		return nil, nil, proof.ErrFalse
	}
	open := d.Cards()[f]
	stream, err := transcript.New(c, cardDrawing{"clear-mask/mint/v1", k, []proof.MaskedCard{open}}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	m, err := remaskCard(open, k, stream)
	if err != nil {
		return nil, nil, err
	}
	return m, witnessOf(m), nil
}

func remaskCard(c proof.MaskedCard, k proof.Key, rand io.Reader) (proof.MaskedCard, error) {
	nonce, err := randomWord(rand)
	if err != nil {
		return nil, err
	}
	nonce |= 1
	return maskedCard{mixed: mixNonce(c.(maskedCard).element(), nonce), nonce: nonce, locks: k.(key)}, nil
}

func randomWord(rand io.Reader) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func randomBelow(n int, rand io.Reader) (int, error) {
	w, err := randomWord(rand)
	return int(w % uint64(n)), err
}

// Prove implements proof.Secret. It needs randomness like any prover.
func (s secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if !isSensible(st) {
		return nil, fmt.Errorf("a statement that makes no sense: %w", proof.ErrFalse)
	}
	if !s.knowsWitness(st, w) || !isTrue(st) {
		return nil, proof.ErrFalse
	}
	if isTrivial(st) {
		return nil, nil
	}
	if _, err := randomWord(rand); err != nil {
		return nil, err
	}
	return proofTag(c, st), nil
}

// knowsWitness reports whether s and w are the secrets behind a statement.
func (s secret) knowsWitness(st proof.Statement, w proof.Witness) bool {
	switch st := st.(type) {
	case proof.Shuffle:
		return w == proof.Witness(witnessOf(st.Out...))
	case proof.Arrange:
		return w == proof.Witness(arrangeWitness(st.Family, st.Out))
	case proof.Mint:
		return w == proof.Witness(witnessOf(st.Card))
	case proof.Transfer:
		return w == proof.Witness(witnessOf(st.New)) && slices.Equal(st.From.(key), s.key)
	case proof.Ownership:
		return slices.Equal(st.Key.(key), s.key)
	case proof.Reveal:
		return slices.Equal(st.Key.(key), s.key)
	}
	return slices.Equal(st.(proof.Condition).Key.(key), s.key)
}
