package subset

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Answer is an accepted proof in the parts that an extractor needs.
type Answer struct {
	Fillers  []masking.Card
	Argument []byte
	Sum      masking.Card
	T1, T2   group.Element
	Z, C     group.Scalar
}

// ProveAgain is the honest prover whose last challenge is another one for another
// number: equal coins give equal first words. It is how he is rewound.
func ProveAgain(number uint64, t *transcript.Transcript, s Statement, x group.Scalar, pi []uint16, fillers []masking.Card, coins rewind.Stream) (Answer, error) {
	w, err := testGroup.RandomScalar(coins)
	if err != nil {
		return Answer{}, err
	}
	t.Part(s)
	t.Append("fillers", masking.Encode(fillers...))
	a := Answer{Fillers: fillers}
	cards := append(s.Cards[:len(s.Cards):len(s.Cards)], fillers...)
	a.Argument, a.C, err = bayergroth.ProveSum(t, s.Key, cards, pi, coins, func(_ []group.Scalar, sum masking.Card) {
		a.Sum, a.T1, a.T2 = sum, testGroup.MulBase(w), group.Mul(w, sum.A)
		absorbSum(t, a.Sum, a.T1, a.T2)
		t.Append("rewound", []byte{byte(number)})
	})
	a.Z = w.Add(a.C.Mul(x))
	return a, err
}

// VerifyAgain verifies such a proof.
func (a Answer) VerifyAgain(number uint64, t *transcript.Transcript, s Statement, b *group.Batch) error {
	t.Part(s)
	t.Append("fillers", masking.Encode(a.Fillers...))
	cards := append(s.Cards[:len(s.Cards):len(s.Cards)], a.Fillers...)
	powers, c, err := bayergroth.VerifySum(t, s.Key, cards, a.Sum, a.Argument, b, func() {
		absorbSum(t, a.Sum, a.T1, a.T2)
		t.Append("rewound", []byte{byte(number)})
	})
	if err != nil {
		return err
	}
	s.addOpening(b, powers, c, a.Sum, a.T1, a.T2, a.Z)
	return nil
}

// Doors for tests that prove by a witness of their choice, or choose the challenge.
var (
	ProveBy = prove
	Opens   = Statement.addOpening
	Order   = Statement.faceOrder
	Fill    = Statement.maskFillers
)

// Opening is the length of what follows the shuffle argument.
var Opening = openingSize(testGroup)
