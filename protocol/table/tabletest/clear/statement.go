package clear

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
		return isKey(s.From) && isKey(s.To) && areCards([]proof.Masked{s.Old, s.New}, false)
	case proof.Condition:
		return isKey(s.Key) && areCards(s.Cards, false) && isRange(s)
	}
	return false
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
