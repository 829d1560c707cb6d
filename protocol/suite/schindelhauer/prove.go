package schindelhauer

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// MakerWitness is what the maker of masked cards knows of them: how they were made from open or other
// cards, and for an insertion or a new card which branch is true.
type MakerWitness struct {
	Opening matrix.Opening
	Branch  int
}

// TokenOf returns a seat's token for a card.
func TokenOf(s *matrix.Secret, c matrix.Card) matrix.Token {
	key := matrix.NewKey(s.Key())
	row, _ := c.DealKey(key).RowOf(key)
	t := matrix.Token{Row: uint8(row)}
	numbers, ok := c.TokenRow(t, key)
	if !ok {
		return t // a token for a card without that row proves nothing
	}
	for j, z := range numbers {
		t.Bits |= uint8(s.NoSquare(z) << j)
	}
	return t
}

// ProveReveal proves that the tokens are the secret's.
func ProveReveal(ctx transcript.Context, s Reveal, secret *matrix.Secret, rand io.Reader) ([]byte, error) {
	r, err := s.parityRelation()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", proof.ErrFalse, err)
	}
	unroots, err := unrootsOf(secret, r.Branches[0][0])
	if err != nil {
		return nil, err
	}
	w := Witness{Bits: [][]uint64{make([]uint64, len(unroots))}, Unroots: [][][]uint64{unroots}}
	return Prove(transcript.New(ctx, s), r, w, secret.Bytes(), rand)
}

// unrootsOf returns inverse roots of numbers, and an error if one is not a square.
func unrootsOf(s *matrix.Secret, numbers [][]uint64) ([][]uint64, error) {
	m, list := s.Key(), make([][]uint64, len(numbers))
	matrix.RunParallel(len(list), func(j int) { list[j] = s.InverseRoot(numbers[j]) })
	for j, v := range list {
		z := make([]uint64, len(v))
		m.Ring().ToMontgomery(z, v)
		m.Ring().Square(z, z)
		m.Ring().Mul(z, z, numbers[j]) // v²·u
		z[0] ^= 1
		if !bytes.Equal(modp.AppendTo(nil, z), make([]byte, m.Size())) {
			return nil, fmt.Errorf("a token is not the bits of its row: %w", proof.ErrFalse)
		}
	}
	return list, nil
}

// mask is what is known of a masking before it is drawn.
type mask struct {
	Of       string
	From, To *matrix.Key
	Old      []matrix.Card
	Faces    []card.Face
}

// Label implements transcript.Statement.
func (mask) Label() string { return "mask/residues/v1" }

// AppendTo implements transcript.Statement.
func (m mask) AppendTo(b *transcript.Binder) {
	b.Bytes("of", []byte(m.Of))
	b.Bytes("from", m.From.Bytes())
	b.Bytes("to", m.To.Bytes())
	matrix.AppendCards(b, "old", m.Old)
	for _, f := range m.Faces {
		b.Uint64("face", uint64(f))
	}
}

// hedgeStream returns the stream of everything drawn for a mask by a secret; hidden is hedged like the
// secret.
func (m mask) hedgeStream(ctx transcript.Context, s *matrix.Secret, rand io.Reader, hidden ...byte) (*transcript.Stream, error) {
	stream, err := transcript.New(ctx, m).Hedge(append(s.Bytes(), hidden...), rand)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Of, err)
	}
	return stream, nil
}

// ShuffleCards puts cards in a uniform order, and remasks them under k.
func ShuffleCards(ctx transcript.Context, s *matrix.Secret, o matrix.Order, k *matrix.Key, in []matrix.Card, rand io.Reader) ([]matrix.Card, matrix.Opening, error) {
	stream, err := mask{"shuffle " + string(o), matrix.NewKey(s.Key()), k, in, nil}.hedgeStream(ctx, s, rand)
	if err != nil {
		return nil, matrix.Opening{}, err
	}
	if err := checkMaskable(k, in); err != nil {
		return nil, matrix.Opening{}, err
	}
	opening, err := o.DrawUnits(k, in[0].Width(), len(in), stream)
	if err != nil {
		return nil, matrix.Opening{}, err
	}
	pile := matrix.NewPile(k, in)
	return pile.Cards(pile.Remask(opening)), opening, nil
}

// checkMaskable refuses cards that are neither open nor under k.
func checkMaskable(k *matrix.Key, in []matrix.Card) error {
	for i, c := range in {
		if _, open := c.Face(); !open && !c.IsUnder(k) || c.Width() != in[0].Width() {
			return fmt.Errorf("card %d is not masked under the key", i)
		}
	}
	if len(in) == 0 || len(in) > card.MaxFaces {
		return fmt.Errorf("%d cards are shuffled, must be 1 to %d", len(in), card.MaxFaces)
	}
	return nil
}

// InsertLast remasks cards under k, the last of them at a uniform place.
func InsertLast(ctx transcript.Context, s *matrix.Secret, k *matrix.Key, in []matrix.Card, rand io.Reader) ([]matrix.Card, MakerWitness, error) {
	stream, err := mask{"insert", matrix.NewKey(s.Key()), k, in, nil}.hedgeStream(ctx, s, rand)
	if err != nil {
		return nil, MakerWitness{}, err
	}
	if err := checkMaskable(k, in); err != nil {
		return nil, MakerWitness{}, err
	}
	place, err := masking.DrawBelow(uint16(len(in)), stream)
	if err != nil {
		return nil, MakerWitness{}, err
	}
	opening, err := matrix.Any.DrawUnits(k, in[0].Width(), len(in), stream)
	if err != nil {
		return nil, MakerWitness{}, err
	}
	opening.Permutation = matrix.Insertion(int(place), len(in))
	pile := matrix.NewPile(k, in)
	return pile.Cards(pile.Remask(opening)), MakerWitness{opening, int(place)}, nil
}

// MaskFace masks under k the face at a place of faces.
func MaskFace(ctx transcript.Context, s *matrix.Secret, k *matrix.Key, faces []card.Face, place, width int, rand io.Reader) (matrix.Card, MakerWitness, error) {
	stream, err := mask{"mint", matrix.NewKey(s.Key()), k, nil, faces}.hedgeStream(ctx, s, rand, byte(place))
	if err != nil {
		return matrix.Card{}, MakerWitness{}, err
	}
	var face uint64
	for i, f := range faces {
		face |= uint64(f) & -uint64(subtle.ConstantTimeEq(int32(i), int32(place)))
	}
	c, opening, err := maskSecretFace(k, face, width, nil, stream)
	return c, MakerWitness{opening, place}, err
}

// maskSecretFace returns a card whose bits cancel those of a secret face, in the given deal.
func maskSecretFace(k *matrix.Key, face uint64, width int, deal *matrix.Key, stream io.Reader) (matrix.Card, matrix.Opening, error) {
	o, err := matrix.Any.DrawUnits(k, width, 1, stream)
	if err != nil {
		return matrix.Card{}, o, err
	}
	last := o.Bits[0][len(o.Bits[0])-width:]
	for j := range last {
		last[j] ^= face >> j & 1
	}
	if deal == nil {
		deal = k
	}
	numbers := matrix.NewPile(k, []matrix.Card{matrix.Open(0, width)}).Remask(o)
	return matrix.CardOf(numbers[0], k, width, deal), o, nil
}

// HandOver masks the secret's hand card anew under to, a key of seats of the card's deal.
func HandOver(ctx transcript.Context, s *matrix.Secret, old matrix.Card, to *matrix.Key, rand io.Reader) (matrix.Card, MakerWitness, error) {
	own := matrix.NewKey(s.Key())
	stream, err := mask{"transfer", own, to, []matrix.Card{old}, nil}.hedgeStream(ctx, s, rand)
	if err != nil {
		return matrix.Card{}, MakerWitness{}, err
	}
	for _, m := range to.Moduli() {
		if _, ok := old.DealKey(own).RowOf(matrix.NewKey(m)); !ok {
			return matrix.Card{}, MakerWitness{}, fmt.Errorf("the key is of no seat of the deal: %w", proof.ErrFalse)
		}
	}
	c, o, err := maskSecretFace(to, uint64(TokenOf(s, old).Bits), old.Width(), old.DealKey(own), stream)
	return c, MakerWitness{Opening: o}, err
}

// ProveTransfer proves a transfer with the witness of its new card.
func ProveTransfer(ctx transcript.Context, s Transfer, secret *matrix.Secret, made MakerWitness, rand io.Reader) ([]byte, error) {
	r, err := s.parityRelation()
	if err != nil {
		return nil, err
	}
	bits := make([]uint64, s.Old.Width())
	squares := cardRows(s.From, s.Old)[0]
	for j, z := range squares {
		bits[j] = secret.NoSquare(z)
		secret.Key().NegateIf(z, bits[j])
	}
	unroots, err := unrootsOf(secret, squares)
	if err != nil {
		return nil, err
	}
	w := Witness{Bits: [][]uint64{bits}, Unroots: [][][]uint64{unroots}}
	addMade(&w, s.To, made.Opening, nil)
	return Prove(transcript.New(ctx, s), r, w, secret.Bytes(), rand)
}

// addMade adds the rows of cards made by an opening to a witness. If in is not nil, it has the numbers
// by which the cards' own numbers were multiplied to be squares.
func addMade(w *Witness, k *matrix.Key, o matrix.Opening, in [][][]uint64) {
	width := len(o.Bits[0]) / len(k.Moduli())
	for i, m := range k.Moduli() {
		var bits []uint64
		var unroots [][]uint64
		for c := range o.Factors {
			for j := range width {
				e := i*width + j
				z := append([]uint64(nil), o.Factors[c][e]...)
				if in != nil {
					m.Ring().ToMontgomery(z, z)
					m.Ring().Mul(z, z, in[c][e])
				}
				m.Inverse(z)
				bits, unroots = append(bits, o.Bits[c][e]), append(unroots, z)
			}
		}
		w.Bits, w.Unroots = append(w.Bits, bits), append(w.Unroots, unroots)
	}
}

// ProveInsertion proves an insertion with its witness.
func ProveInsertion(ctx transcript.Context, s Insertion, secret *matrix.Secret, made MakerWitness, rand io.Reader) ([]byte, error) {
	r, err := s.parityRelation()
	if err != nil {
		return nil, err
	}
	w := Witness{Branch: made.Branch}
	addMade(&w, s.Key, made.Opening, numbersInOrder(s.Key, s.In, made.Opening.Permutation))
	return Prove(transcript.New(ctx, s), r, w, secret.Bytes(), rand)
}

func numbersInOrder(k *matrix.Key, cards []matrix.Card, order []uint16) [][][]uint64 {
	list := make([][][]uint64, len(cards))
	for i := range list {
		list[i] = make([][]uint64, len(k.Moduli())*cards[0].Width())
		for from, c := range cards {
			is := uint64(subtle.ConstantTimeEq(int32(from), int32(order[i])))
			for e, z := range c.Numbers(k) {
				if list[i][e] == nil {
					list[i][e] = make([]uint64, len(z))
				}
				modp.Choose(list[i][e], z, is)
			}
		}
	}
	return list
}

// ProveMint proves a new card with its witness.
func ProveMint(ctx transcript.Context, s Mint, secret *matrix.Secret, made MakerWitness, rand io.Reader) ([]byte, error) {
	r, err := s.parityRelation()
	if err != nil {
		return nil, err
	}
	w := Witness{Branch: made.Branch}
	addMade(&w, s.Key, made.Opening, nil)
	for i, f := range s.Faces {
		for j := range s.Card.Width() {
			w.Bits[0][j] ^= uint64(f) >> j & uint64(subtle.ConstantTimeEq(int32(i), int32(made.Branch)))
		}
	}
	return Prove(transcript.New(ctx, s), r, w, secret.Bytes(), rand)
}
