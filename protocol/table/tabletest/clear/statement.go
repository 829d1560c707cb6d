package clear

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

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
		return o.under(s.From) && n.under(s.To) && o.element == n.element
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
		in[i] = m.element
	}
	for i, c := range s.Out {
		if !c.(masked).under(s.Key) {
			return false
		}
		out[i] = c.(masked).element
	}
	slices.Sort(in)
	slices.Sort(out)
	return slices.Equal(in, out)
}

func shares(s proof.Reveal) bool {
	if len(s.Cards) != len(s.Tokens) {
		return false
	}
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
		if f, ok := s.Deck.Face(masked{element: m.element}); ok && s.Set.Has(f) {
			n++
		}
	}
	return s.Min <= n && n <= s.Max
}

// tag is the one proof of s in c.
func tag(c transcript.Context, s proof.Statement) []byte {
	challenge := transcript.New(c, bound{s}).Challenge("tag")
	return challenge[:32]
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
