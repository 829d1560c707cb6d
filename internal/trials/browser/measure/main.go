// Program measure times the most frequent work of pages: a multiplication in the group, and the
// shuffle of 42 cards with its proof, made and verified. It prints the least of a few times of each,
// natively or, compiled for js/wasm, in a browser's Worker.
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

const passes = 7

var place = transcript.Bind("measure", "measure", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "measure", 0).Slot(0)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// leastTime is the least time of a task in milliseconds.
type leastTime float64

func (l *leastTime) takeTime(n int, f func() error) error {
	begun := time.Now()
	for range n {
		if err := f(); err != nil {
			return err
		}
	}
	if d := leastTime(time.Since(begun).Seconds() * 1e3 / float64(n)); *l == 0 || d < *l {
		*l = d
	}
	return nil
}

func run() error {
	var t struct {
		Multiplication leastTime `json:"multiplication"`
		Prove          leastTime `json:"prove"`
		Verify         leastTime `json:"verify"`
	}
	found, _ := suite.Lookup(suite.Default)
	s, err := proof.ProverOf(found)
	if err != nil {
		return err
	}
	x, err := s.NewSecret(rand.Reader)
	if err != nil {
		return err
	}
	in, err := deckOf(s, 42)
	if err != nil {
		return err
	}
	scalar, err := group.Ristretto255().RandomScalar(rand.Reader)
	if err != nil {
		return err
	}
	element := group.Ristretto255().HashToElement("pakli/measure")
	for range passes {
		st := proof.Shuffle{Key: x.Key(), In: in}
		var made []byte
		prove := func() (err error) {
			out, w, err := x.Shuffle(place, st.Key, in, rand.Reader)
			if err == nil {
				st.Out = out
				made, err = x.Prove(place, st, w, rand.Reader)
			}
			return err
		}
		verify := func() error {
			b := s.NewBatch()
			if err := s.Verify(place, st, made, b); err != nil {
				return err
			}
			return b.Check()
		}
		if err := t.Multiplication.takeTime(100, func() error { group.Mul(scalar, element); return nil }); err != nil {
			return err
		}
		if err := t.Prove.takeTime(1, prove); err != nil {
			return err
		}
		if err := t.Verify.takeTime(1, verify); err != nil {
			return err
		}
		in = st.Out // as at a table
	}
	return json.NewEncoder(os.Stdout).Encode(t)
}

func deckOf(s proof.Prover, n int) ([]proof.MaskedCard, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("face ", i)
	}
	faces, err := card.NewDeck("measure", names)
	if err != nil {
		return nil, err
	}
	deck, err := s.Encoding().Deck(faces)
	if err != nil {
		return nil, err
	}
	return deck.Cards(), nil
}
