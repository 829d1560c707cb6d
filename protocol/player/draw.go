package player

import (
	"crypto/subtle"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/transcript"
)

// randomDraw is what is known of something that a seat chooses at random before it is drawn (20.6.4):
// a random source that repeats itself would choose the same once more.
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

// drawStream returns the stream of a draw that a message of a kind needs for its n-th value.
func (h Hand) drawStream(s *table.State, kind table.Kind, n uint16, d randomDraw, rand io.Reader) (io.Reader, error) {
	return transcript.New(s.Context(h.Seat, kind).Slot(n), d).Hedge(h.Secret.Bytes(), rand)
}

// ThrowShare is 32 bytes that the seat throws a number with others by, in the move that it makes on s.
// A throw is known by its number at the table.
func (h Hand) ThrowShare(s *table.State, throw int, rand io.Reader) (share [32]byte, err error) {
	stream, err := h.drawStream(s, table.Move, 0, randomDraw{"draw/share/v1", "throw", []uint64{uint64(throw)}}, rand)
	if err == nil {
		_, err = io.ReadFull(stream, share[:])
	}
	return share, err
}

// pickFace is a uniform one of faces, but for 2^-56, for the n-th card that is minted on s. It reads all of
// them, whichever it is.
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
