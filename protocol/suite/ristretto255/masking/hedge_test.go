package masking_test

import (
	"bytes"
	"crypto/sha3"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// at is a place with a one in every part.
var at = transcript.Bind("test", "test",
	transcript.Table{ID: [32]byte{1}}, transcript.Deck{ID: [32]byte{1}}, transcript.Keys{Hash: [32]byte{1}}, 1,
	transcript.Parent{Hash: [32]byte{1}}, "test", 1).Slot(1)

// elements of the faces of a deck of n.
func elements(n byte) (list []*group.Element) {
	for i := range n {
		list = append(list, group.HashToElement("face", []byte{i}))
	}
	return list
}

// TestMaskStatements: a value that a mask should be hedged by, and is not.
func TestMaskStatements(t *testing.T) {
	draw := func() (*masking.Key, []masking.Card) {
		k := handtest.Secret(t).Key()
		return k, handtest.Mask(t, k, elements(3)...)
	}
	k, in := draw()
	l, out := draw()
	prooftest.Binding(t, masking.ShuffleMask(k, in), masking.ShuffleMask(l, out))
	prooftest.Binding(t, masking.TransferMask(k, l, in[0]), masking.TransferMask(l, k, out[0]))
}

// TestMasksAreAsSpecified draws a shuffle and a hand-over from the words of the
// specification alone.
func TestMasksAreAsSpecified(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	in := handtest.Mask(t, x.Key(), elements(5)...)
	var fresh [32]byte
	testmust.Have(io.ReadFull(handtest.Again(1), fresh[:]))(t)
	stream := func(frames ...[]byte) *sha3.SHAKE {
		h := sha3.NewSHAKE256()
		first := func(b byte) []byte { return append([]byte{b}, make([]byte, 31)...) }
		frames = append([][]byte{
			[]byte("version"), []byte("pakli/v1"), []byte("suite"), []byte("test"), []byte("rules"), []byte("test"),
			[]byte("table"), first(1), []byte("deck"), first(1), []byte("keys"), first(1), []byte("deal"), {0, 0, 0, 1},
			[]byte("parent"), first(1), []byte("kind"), []byte("test"), []byte("seat"), {1}, []byte("slot"), {0, 1},
		}, frames...)
		for _, f := range append(frames, []byte("hedge secret"), x.Bytes(), []byte("hedge fresh"), fresh[:]) {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(f))))
			h.Write(f)
		}
		return h
	}
	s := stream([]byte("statement"), []byte("mask/shuffle/v1"), []byte("key"), y.Key().Bytes(), []byte("in"), masking.Encode(in...))
	order := handtest.Must(masking.Permutation(len(in), s))
	factors := handtest.Must(group.RandomScalars(s, len(in)))
	want := masking.Remask(y.Key(), in, masking.Opening{Permutation: order, Factors: factors})
	got, _, err := x.Shuffle(at, y.Key(), in, handtest.Again(1))
	if err != nil || !slices.EqualFunc(got, want, masking.Card.Equal) {
		t.Error("a shuffle is drawn otherwise than specified")
	}
	s = stream([]byte("statement"), []byte("mask/transfer/v1"), []byte("from"), x.Key().Bytes(), []byte("to"), y.Key().Bytes(), []byte("old"), in[0].Bytes())
	r := handtest.Must(group.RandomScalar(s))
	moved, factor, err := x.Transfer(at, in[0], y.Key(), handtest.Again(1))
	if err != nil || !bytes.Equal(factor.Bytes(), r.Bytes()) || !moved.Equal(masking.Mask(y.Key(), x.Unmask(in[0]), r)) {
		t.Errorf("a hand-over is drawn otherwise than specified (%v)", err)
	}
}
