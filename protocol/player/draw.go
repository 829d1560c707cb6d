package player

import (
	"crypto/subtle"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/transcript"
)

// randomDraw is what is known of a random choice of a seat before it is drawn (20.6.4). Without it,
// a random source that repeats itself would repeat the choice.
type randomDraw struct {
	label  string
	frame  string
	values []uint64
}

func (d randomDraw) Label() string { return d.label }

func (d randomDraw) AppendTo(b *transcript.Binder) {
	for _, v := range d.values {
		b.Uint64(d.frame, v)
	}
}

// drawStream returns the stream to draw the n-th value of a message of a kind from.
func (h Hand) drawStream(s *table.State, kind table.Kind, n uint16, d randomDraw, rand io.Reader) (io.Reader, error) {
	return transcript.New(s.Context(h.Seat, kind).Slot(n), d).Hedge(h.Secret.Bytes(), rand)
}

// ThrowShare returns the seat's share of 32 bytes in a number that it throws with others, in its
// move on s. The number of the throw at the table identifies it.
func (h Hand) ThrowShare(s *table.State, throw int, rand io.Reader) (share [32]byte, err error) {
	stream, err := h.drawStream(s, table.Move, 0, randomDraw{"draw/share/v1", "throw", []uint64{uint64(throw)}}, rand)
	if err == nil {
		_, err = io.ReadFull(stream, share[:])
	}
	return share, err
}

// pickFace returns one of faces, uniform up to 2^-56, for the n-th card minted on s. It reads all
// faces, whichever it picks.
func pickFace[Face ~uint16](h Hand, s *table.State, n uint16, faces []Face, rand io.Reader) (picked Face, err error) {
	d := randomDraw{"draw/face/v1", "face", nil}
	for _, f := range faces {
		d.values = append(d.values, uint64(f))
	}
	stream, err := h.drawStream(s, table.Mint, n, d, rand)
	if err != nil {
		return 0, err
	}
	var b [8]byte
	if _, err := io.ReadFull(stream, b[:]); err != nil {
		return 0, err
	}
	place, _ := bits.Mul64(binary.BigEndian.Uint64(b[:]), uint64(len(faces)))
	for i, f := range faces {
		picked |= f & -Face(subtle.ConstantTimeEq(int32(i), int32(place)))
	}
	return picked, nil
}
