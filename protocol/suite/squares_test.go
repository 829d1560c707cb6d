package suite_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/suite/qr2048/ownership"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/transcript"
)

// at is a place at a table with the suite of that name.
func at(name string) transcript.Context {
	return transcript.Bind(transcript.Suite(name), "game", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "key", 0).Slot(0)
}

func deckOf(t *testing.T, n int) card.Deck {
	t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("face ", i)
	}
	return handtest.Must(card.NewDeck("squares", names))
}

// A table that opens, and whose first shuffle fits no entry or no blob, 31.1.8.
func TestDecksThatFit(t *testing.T) {
	for name, most := range map[string]int{"qr2048-bayergroth/v1": 94, "qr3072-bayergroth/v1": 63, "qr2048-cutandchoose/v1": 70} {
		s, _ := suite.Lookup(name)
		testmust.Have(s.Encoding().Deck(deckOf(t, most)))(t, name)
		_, err := s.Encoding().Deck(deckOf(t, most+1))
		testmust.FailSaying(t, err, "choose another suite", name, "deals", most+1, "cards")
	}
}

// A key with its proof that is taken for one of another suite: over another prime, on the
// curve, or over the same prime with another argument, to which every value is its own.
func TestOtherSuites(t *testing.T) {
	const own = "qr2048-bayergroth/v1"
	x := handtest.Must(proverOf(t, own).NewSecret(rand.Reader))
	st := proof.Ownership{Key: x.Key()}
	b := handtest.Must(x.Prove(at(own), st, nil, rand.Reader))
	accepted := func(name string) bool {
		s, _ := suite.Lookup(name)
		key, err := s.Encoding().ParseKey(x.Key().Bytes())
		if err != nil {
			return false
		}
		batch := s.NewBatch()
		return s.Verify(at(name), proof.Ownership{Key: key}, b, batch) == nil && batch.Check() == nil
	}
	for _, name := range suite.Names() {
		if accepted(name) != (name == own) {
			t.Errorf("%s accepts the key of a seat with %s", name, own)
		}
	}
}

// A challenge of so few bits that a forger tries all: T = z·G − c·X for a c of his choice, until
// the hash asks for it. Of a byte he needs some hundred tries, and what he has made is refused
// where a challenge has its length.
func TestShortChallenge(t *testing.T) {
	x := handtest.Must(masking.NewSecret(rand.Reader))
	st := ownership.Statement{Key: x.Key()}
	minus := group.Identity().Sub(st.Key.Element())
	const guess = 7
	var forged []byte
	for z := uint64(1); forged == nil; z++ {
		s := group.ScalarFromUint64(z)
		commitment := group.VartimeMultiMul([]group.Scalar{s, group.ScalarFromUint64(guess)}, []*group.Element{group.Generator(), minus})
		script := transcript.New(at("qr2048-bayergroth/v1"), st)
		script.Append("T", commitment.Bytes())
		if c := script.Challenge("c"); c[0] == guess {
			forged = s.AppendTo(commitment.Bytes())
		}
	}
	var b group.Batch
	err := ownership.Verify(at("qr2048-bayergroth/v1"), st, forged, &b)
	testmust.Do(t, err, "the forgery has not the form of a proof")
	if b.Check(rand.Reader) == nil {
		t.Error("a proof for a byte of the challenge is accepted")
	}
}
