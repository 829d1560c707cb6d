package ristretto255_test

import (
	"crypto/rand"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/transcript"
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "test", 0).Slot(0)

// order is ℓ, and prime is p of the field, both computed and not copied.
var (
	order = new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 252), decimal("27742317777372353535851937790883648493"))
	prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
)

func decimal(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

// made is a suite of that name, with its proving side.
func made(name string) proof.Prover {
	return ristretto255.Prover(ristretto255.New(name, bayergroth.Argument{}), bayergroth.Prover{})
}

// proved is an honest proof of each relation.
func proved(t *testing.T, s proof.Prover) map[string]struct {
	statement proof.Statement
	proof     []byte
} {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x, err := s.NewSecret(rand.Reader)
	fatal(err)
	to, err := s.NewSecret(rand.Reader)
	fatal(err)
	faces, err := card.NewDeck("test", []string{"a", "b", "c", "d"})
	fatal(err)
	deck, err := s.Encoding().Deck(faces)
	fatal(err)
	hand, shuffleWitness, err := x.Shuffle(here, x.Key(), deck.Cards(), rand.Reader)
	fatal(err)
	moved, transferWitness, err := x.Transfer(here, hand[0], to.Key(), rand.Reader)
	fatal(err)
	all := map[string]struct {
		statement proof.Statement
		proof     []byte
	}{}
	for _, c := range []struct {
		statement proof.Statement
		witness   proof.Witness
	}{
		{proof.Ownership{Key: x.Key()}, nil},
		{proof.Shuffle{Key: x.Key(), In: deck.Cards(), Out: hand}, shuffleWitness},
		{proof.Reveal{Key: x.Key(), Cards: hand[:2], Tokens: []proof.Token{x.Token(hand[0]), x.Token(hand[1])}}, nil},
		{proof.Transfer{From: x.Key(), To: to.Key(), Old: hand[0], New: moved}, transferWitness},
		{proof.Condition{Key: x.Key(), Deck: deck, Cards: hand, Set: card.SetOf(0, 1), Min: 1, Max: 2}, nil},
	} {
		b, err := x.Prove(here, c.statement, c.witness, rand.Reader)
		fatal(err)
		all[proof.Relation(c.statement)] = struct {
			statement proof.Statement
			proof     []byte
		}{c.statement, b}
	}
	return all
}

// TestOffRange: every element and scalar of a proof has a second encoding if the
// decoder reduces: the integer plus ℓ, or plus p, or with the highest bit set.
// Then anybody can change a logged proof without its maker.
func TestOffRange(t *testing.T) {
	s := made("test")
	for name, p := range proved(t, s) {
		b := s.NewBatch()
		if err := s.Verify(here, p.statement, p.proof, b); err != nil || b.Check() != nil {
			t.Fatalf("%s: honest proof is refused: %v", name, err)
		}
		for at := 0; at < len(p.proof); at += 32 {
			n := new(big.Int).SetBytes(reversed(p.proof[at : at+32]))
			for what, add := range map[string]*big.Int{
				"ℓ": order, "2ℓ": new(big.Int).Lsh(order, 1), "p": prime, "2^255": new(big.Int).Lsh(big.NewInt(1), 255),
			} {
				sum := new(big.Int).Add(n, add)
				if sum.BitLen() > 256 {
					continue
				}
				changed := slices.Clone(p.proof)
				copy(changed[at:], reversed(sum.FillBytes(make([]byte, 32))))
				b := s.NewBatch()
				if s.Verify(here, p.statement, changed, b) == nil && b.Check() == nil {
					t.Errorf("%s: field %d plus %s is accepted", name, at/32, what)
				}
			}
			// The negative of an element is another element, that of a scalar
			// another scalar; neither verifies.
			changed := slices.Clone(p.proof)
			negative := new(big.Int).Sub(order, n)
			if negative.Sign() < 0 {
				continue // no scalar
			}
			copy(changed[at:], reversed(negative.FillBytes(make([]byte, 32))))
			b := s.NewBatch()
			if s.Verify(here, p.statement, changed, b) == nil && b.Check() == nil {
				t.Errorf("%s: field %d may be negated", name, at/32)
			}
		}
	}
}

func reversed(b []byte) []byte {
	r := slices.Clone(b)
	slices.Reverse(r)
	return r
}

// TestDecksAreBounded: a server that encodes a deck for every table that asks
// until its memory is full.
func TestDecksAreBounded(t *testing.T) {
	s := made("test")
	for i := range 3 * ristretto255.MaxDecks {
		d := handtest.Must(card.NewDeck(string(rune('a'+i)), []string{"a"}))
		for range 2 {
			if _, err := s.Encoding().Deck(d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := ristretto255.Decks(s.Encoding()); n != ristretto255.MaxDecks {
		t.Errorf("%d decks are remembered, want %d", n, ristretto255.MaxDecks)
	}
}
