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

// sensible reports whether s is made of values of this suite and says
// something.
func sensible(s proof.Statement) bool {
	switch s := s.(type) {
	case proof.Ownership:
		return isKey(s.Key)
	case proof.Shuffle:
		n := len(s.In)
		return areKeys(s.Key) && n >= 2 && n <= card.MaxFaces && len(s.Out) == n && areCards(s.In, true) && areCards(s.Out, false)
	case proof.Reveal:
		return isKey(s.Key) && len(s.Cards) > 0 && len(s.Tokens) == len(s.Cards) && areCards(s.Cards, false) && areTokens(s.Tokens)
	case proof.Transfer:
		return isKey(s.From) && areKeys(s.To) && areCards([]proof.Masked{s.Old, s.New}, false)
	case proof.Condition:
		return isKey(s.Key) && areCards(s.Cards, false) && isRange(s)
	case proof.Arrange:
		n := len(s.In)
		return areKeys(s.Key) && n >= 1 && n <= card.MaxFaces && len(s.Out) == n && areCards(s.In, true) && areCards(s.Out, false) &&
			(s.Family == proof.Cut || s.Family == proof.Insert)
	case proof.Mint:
		d, ok := s.Deck.(*deck)
		return ok && areKeys(s.Key) && areCards([]proof.Masked{s.Card}, false) && s.Set.Len() > 0 && s.Set == s.Set.Without(beyond(d))
	}
	return false
}

// beyond is the faces that a deck does not have.
func beyond(d *deck) (set card.Set) {
	for f := len(d.cards); f < card.MaxFaces; f++ {
		set = set.With(card.Face(f))
	}
	return set
}

func isKey(k proof.Key) bool { return areKeys(k) && len(k.(key)) == 1 }

func areKeys(k proof.Key) bool {
	_, ok := k.(key)
	return ok
}

func areCards(list []proof.Masked, maybeOpen bool) bool {
	for _, c := range list {
		if m, ok := c.(masked); !ok || len(m.locks) == 0 && !maybeOpen {
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

// trivial reports whether s is a condition that is always met; its proof is
// empty.
func trivial(s proof.Statement) bool {
	c, ok := s.(proof.Condition)
	return ok && c.Min <= 0 && c.Max >= len(c.Cards)
}

func trivially(p []byte) error {
	if len(p) > 0 {
		return errors.New("a proof of what needs none")
	}
	return nil
}

// isRange refuses conditions that can never be met, and repeated cards.
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

// holds decides from plain values whether a statement is true.
func holds(s proof.Statement) bool {
	switch s := s.(type) {
	case proof.Ownership:
		return true
	case proof.Shuffle:
		return shuffled(s)
	case proof.Reveal:
		return shares(s)
	case proof.Transfer:
		o, n := s.Old.(masked), s.New.(masked)
		return o.under(s.From) && n.under(s.To) && o.element() == n.element()
	case proof.Condition:
		return counted(s)
	case proof.Arrange:
		return slices.ContainsFunc(orders(s.Family, len(s.In)), func(order []int) bool { return ordered(s, order) })
	case proof.Mint:
		f, ok := s.Deck.Face(masked{mixed: s.Card.(masked).element()})
		return ok && s.Card.(masked).under(s.Key) && s.Set.Has(f)
	}
	panic(fmt.Sprintf("clear: unknown statement %T", s))
}

func shuffled(s proof.Shuffle) bool {
	in, out := make([]uint64, len(s.In)), make([]uint64, len(s.Out))
	for i, c := range s.In {
		m := c.(masked)
		if len(m.locks) > 0 && !m.under(s.Key) {
			return false
		}
		in[i] = m.element()
	}
	for i, c := range s.Out {
		if !c.(masked).under(s.Key) {
			return false
		}
		out[i] = c.(masked).element()
	}
	slices.Sort(in)
	slices.Sort(out)
	return slices.Equal(in, out)
}

// orders are those of a family: which card comes to each place.
func orders(f proof.Family, n int) [][]int {
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

func ordered(s proof.Arrange, order []int) bool {
	for i, c := range s.Out {
		in := s.In[order[i]].(masked)
		if len(in.locks) > 0 && !in.under(s.Key) || !c.(masked).under(s.Key) || c.(masked).element() != in.element() {
			return false
		}
	}
	return true
}

func shares(s proof.Reveal) bool {
	for i, c := range s.Cards {
		if s.Tokens[i] != (secret{s.Key.(key)}).Token(c) {
			return false
		}
	}
	return true
}

func counted(s proof.Condition) bool {
	n := 0
	for _, c := range s.Cards {
		m := c.(masked)
		if !m.under(s.Key) {
			return false
		}
		if f, ok := s.Deck.Face(masked{mixed: m.element()}); ok && s.Set.Has(f) {
			n++
		}
	}
	return s.Min <= n && n <= s.Max
}

// tag is the one proof of s in c.
func tag(c transcript.Context, s proof.Statement) []byte {
	challenge := transcript.New(c, bound{s}).Challenge("tag")
	return challenge[:]
}

// bound writes a statement to a transcript.
type bound struct{ proof.Statement }

func (s bound) Label() string { return "clear-" + proof.Relation(s.Statement) + "/v1" }

func (s bound) AppendTo(b *transcript.Binder) {
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

func hash(what string, words ...uint64) uint64 {
	h := sha256.Sum256(appendWords([]byte(what), words...))
	return binary.BigEndian.Uint64(h[:])
}

// secret implements proof.Secret; it is its key.
type secret struct{ key key }

func (s secret) Key() proof.Key { return s.key }
func (s secret) Bytes() []byte  { return s.key.Bytes() }

func (s secret) Token(c proof.Masked) proof.Token {
	k := s.key[0]
	return token{key: k, share: hash("share", k, c.(masked).nonce)}
}

// witness remembers for which cards it was made; another one says nothing of
// these cards.
type witness string

func made(cards ...proof.Masked) witness {
	var b []byte
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return witness(b)
}

// drawing is what is known of a shuffle or transfer before it is drawn.
type drawing struct {
	label string
	to    proof.Key
	cards []proof.Masked
}

func (d drawing) Label() string { return d.label }

func (d drawing) AppendTo(b *transcript.Binder) {
	b.Bytes("to", d.to.Bytes())
	bindAll(b, "cards", d.cards)
}

func (s secret) Shuffle(c transcript.Context, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	stream, err := transcript.New(c, drawing{"clear-mask/shuffle/v1", k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	out := make([]proof.Masked, len(in))
	for i, c := range in {
		m, err := remask(c, k, stream)
		if err != nil {
			return nil, nil, err
		}
		j, err := below(i+1, stream)
		if err != nil {
			return nil, nil, err
		}
		out[i], out[j] = out[j], m
	}
	return out, made(out...), nil
}

// Arrange is a shuffle into an order of the caller's: out[i] is in[order[i]].
func Arrange(k proof.Key, in []proof.Masked, order []uint16, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	out := make([]proof.Masked, len(order))
	for i, from := range order {
		var err error
		if out[i], err = remask(in[from], k, rand); err != nil {
			return nil, nil, err
		}
	}
	return out, made(out...), nil
}

func (s secret) Transfer(c transcript.Context, old proof.Masked, to proof.Key, rand io.Reader) (proof.Masked, proof.Witness, error) {
	stream, err := transcript.New(c, drawing{"clear-mask/transfer/v1", to, []proof.Masked{old}}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	m, err := remask(old, to, stream)
	if err != nil {
		return nil, nil, err
	}
	return m, made(m), nil
}

// Arrange implements proof.Arranger.
func (s secret) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	stream, err := transcript.New(c, drawing{"clear-mask/arrange/" + string(f) + "/v1", k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	choice, err := below(len(in), stream)
	if err != nil {
		return nil, nil, err
	}
	return ArrangeBy(f, choice, k, in, stream)
}

// ArrangeBy arranges cards by an order of a family that the caller chooses.
func ArrangeBy(f proof.Family, choice int, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	var order []uint16
	for _, from := range orders(f, len(in))[choice] {
		order = append(order, uint16(from))
	}
	out, _, err := Arrange(k, in, order, rand)
	return out, arranged(f, out), err
}

func arranged(f proof.Family, out []proof.Masked) witness { return witness(f) + made(out...) }

// Mint implements proof.Arranger.
func (s secret) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.Masked, proof.Witness, error) {
	if !set.Has(f) {
		return nil, nil, proof.ErrFalse
	}
	open := d.Cards()[f]
	stream, err := transcript.New(c, drawing{"clear-mask/mint/v1", k, []proof.Masked{open}}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	m, err := remask(open, k, stream)
	if err != nil {
		return nil, nil, err
	}
	return m, made(m), nil
}

func remask(c proof.Masked, k proof.Key, rand io.Reader) (proof.Masked, error) {
	nonce, err := word(rand)
	if err != nil {
		return nil, err
	}
	nonce |= 1
	return masked{mixed: mix(c.(masked).element(), nonce), nonce: nonce, locks: k.(key)}, nil
}

func word(rand io.Reader) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func below(n int, rand io.Reader) (int, error) {
	w, err := word(rand)
	return int(w % uint64(n)), err
}

// Prove implements proof.Secret. It needs randomness like any prover.
func (s secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if !sensible(st) {
		return nil, fmt.Errorf("a statement that makes no sense: %w", proof.ErrFalse)
	}
	if !s.knows(st, w) || !holds(st) {
		return nil, proof.ErrFalse
	}
	if trivial(st) {
		return nil, nil
	}
	if _, err := word(rand); err != nil {
		return nil, err
	}
	return tag(c, st), nil
}

// knows reports whether s and w are the secrets behind a statement.
func (s secret) knows(st proof.Statement, w proof.Witness) bool {
	switch st := st.(type) {
	case proof.Shuffle:
		return w == proof.Witness(made(st.Out...))
	case proof.Arrange:
		return w == proof.Witness(arranged(st.Family, st.Out))
	case proof.Mint:
		return w == proof.Witness(made(st.Card))
	case proof.Transfer:
		return w == proof.Witness(made(st.New)) && slices.Equal(st.From.(key), s.key)
	case proof.Ownership:
		return slices.Equal(st.Key.(key), s.key)
	case proof.Reveal:
		return slices.Equal(st.Key.(key), s.key)
	}
	return slices.Equal(st.(proof.Condition).Key.(key), s.key)
}
