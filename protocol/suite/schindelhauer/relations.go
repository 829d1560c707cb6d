package schindelhauer

import (
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Claim is a statement that a Relation proves.
type Claim interface {
	transcript.Statement
	// parityRelation checks the form of the statement and returns what is to be proved.
	parityRelation() (Relation, error)
}

// Verify checks a proof of a claim. If a proof of the right form does not hold, the error wraps
// proof.ErrWrong.
func Verify(ctx transcript.Context, c Claim, b []byte) error {
	r, err := c.parityRelation()
	if err != nil {
		return err
	}
	return r.Verify(transcript.New(ctx, c), b)
}

// Reveal is: Tokens[i] is the bits of Key's row of Cards[i], for every i.
type Reveal struct {
	Key    *matrix.Key
	Cards  []matrix.Card
	Tokens []matrix.Token
}

// Label implements transcript.Statement.
func (Reveal) Label() string { return "reveal/residues/v1" }

// AppendTo implements transcript.Statement.
func (s Reveal) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	matrix.AppendCards(b, "card", s.Cards)
	for _, t := range s.Tokens {
		b.Bytes("token", t.Bytes())
	}
}

// parityRelation has one row: all numbers, negated where a token has a bit, are squares.
func (s Reveal) parityRelation() (Relation, error) {
	if len(s.Cards) == 0 || len(s.Cards) > card.MaxFaces || len(s.Tokens) != len(s.Cards) {
		return Relation{}, fmt.Errorf("%d tokens for %d cards", len(s.Tokens), len(s.Cards))
	}
	var numbers [][]uint64
	for i, c := range s.Cards {
		row, ok := c.TokenRow(s.Tokens[i], s.Key)
		if !ok {
			return Relation{}, fmt.Errorf("token %d is of row %d, which is not the key's row of the card", i, s.Tokens[i].Row)
		}
		numbers = append(numbers, row...)
	}
	return Relation{Moduli: s.Key.Moduli(), Branches: []Branch{{numbers}}}, nil
}

// Transfer is: New under To is the same card as Old under From.
type Transfer struct {
	From, To *matrix.Key
	Old, New matrix.Card
}

// Label implements transcript.Statement.
func (Transfer) Label() string { return "transfer/residues/v1" }

// AppendTo implements transcript.Statement.
func (s Transfer) AppendTo(b *transcript.Binder) {
	b.Bytes("from", s.From.Bytes())
	b.Bytes("to", s.To.Bytes())
	b.Bytes("old", s.Old.Bytes())
	b.Bytes("new", s.New.Bytes())
}

// parityRelation has the row of Old and those of New.
func (s Transfer) parityRelation() (Relation, error) {
	if !s.Old.IsUnder(s.From) || !s.New.IsUnder(s.To) || len(s.From.Moduli()) != 1 {
		return Relation{}, errors.New("a card is not masked under the keys of the transfer")
	}
	if s.Old.Width() != s.New.Width() {
		return Relation{}, errors.New("the new card has another number of columns")
	}
	moduli := append(append([]*matrix.Modulus(nil), s.From.Moduli()...), s.To.Moduli()...)
	return Relation{Moduli: moduli, Branches: []Branch{append(cardRows(s.From, s.Old), cardRows(s.To, s.New)...)}}, nil
}

// cardRows returns the numbers of cards under k, by row.
func cardRows(k *matrix.Key, cards ...matrix.Card) Branch {
	list := make(Branch, len(k.Moduli()))
	for _, c := range cards {
		for e, z := range c.Numbers(k) {
			list[e/c.Width()] = append(list[e/c.Width()], z)
		}
	}
	return list
}

// Insertion is: Out is In with its last card at some place among the others, each card remasked under
// Key. Insertions are not a group, so they are not proved by cut-and-choose.
type Insertion struct {
	Key     *matrix.Key
	In, Out []matrix.Card
}

// Label implements transcript.Statement.
func (Insertion) Label() string { return "insert/residues/v1" }

// AppendTo implements transcript.Statement.
func (s Insertion) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	matrix.AppendCards(b, "in", s.In)
	matrix.AppendCards(b, "out", s.Out)
}

// parityRelation has a branch for each place of the last card: in all products of a number and the one
// that it comes from, the bits cancel, and so they do in their quotients.
func (s Insertion) parityRelation() (Relation, error) {
	if err := (cutandchoose.Statement{Order: matrix.Cut, Key: s.Key, In: s.In, Out: s.Out}).CheckForm(); err != nil {
		return Relation{}, err
	}
	r := Relation{Moduli: s.Key.Moduli()}
	in, out, width := cardRows(s.Key, s.In...), cardRows(s.Key, s.Out...), s.Out[0].Width()
	for place := range s.In {
		branch := make(Branch, len(in))
		for i, m := range r.Moduli {
			for to, from := range matrix.Insertion(place, len(s.In)) {
				for j := range width {
					z := append([]uint64(nil), in[i][int(from)*width+j]...)
					m.Ring().ToMontgomery(z, z)
					m.Ring().Mul(z, z, out[i][to*width+j])
					branch[i] = append(branch[i], z)
				}
			}
		}
		r.Branches = append(r.Branches, branch)
	}
	return r, nil
}

// Mint is: Card, masked under Key, has one of Faces of the deck with this identity.
type Mint struct {
	Key   *matrix.Key
	Deck  [32]byte
	Card  matrix.Card
	Faces []card.Face
}

// Label implements transcript.Statement.
func (Mint) Label() string { return "mint/residues/v1" }

// AppendTo implements transcript.Statement.
func (s Mint) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("deck", s.Deck[:])
	b.Bytes("card", s.Card.Bytes())
	for _, f := range s.Faces {
		b.Uint64("face", uint64(f))
	}
}

// parityRelation has a branch for each face: the bits of the card cancel those of the face.
func (s Mint) parityRelation() (Relation, error) {
	if !s.Card.IsUnder(s.Key) || len(s.Faces) == 0 {
		return Relation{}, errors.New("the new card is not masked under the key, or has no face")
	}
	r := Relation{Moduli: s.Key.Moduli()}
	for _, f := range s.Faces {
		branch := cardRows(s.Key, s.Card)
		for j := range s.Card.Width() {
			r.Moduli[0].NegateIf(branch[0][j], uint64(f>>j)&1)
		}
		r.Branches = append(r.Branches, branch)
	}
	return r, nil
}
