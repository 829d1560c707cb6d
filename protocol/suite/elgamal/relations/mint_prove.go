package relations

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// MintWitness is the face of a card, as its index in Faces, and the factor that masks it.
type MintWitness struct {
	Choice int
	Factor group.Scalar
}

// mintMask is what is known of a new card before it is drawn. Its face is secret.
type mintMask struct {
	Key   *masking.Key
	Faces []group.Element
}

func (mintMask) Label() string { return "mask/mint/v1" }

func (m mintMask) AppendTo(b *transcript.Binder) {
	b.Bytes("key", m.Key.Bytes())
	b.Bytes("faces", group.Encode(m.Faces...))
}

// DrawNewCard masks faces[choice] under k in constant time. The factor is hedged by x, ctx, k, the
// faces and the choice: otherwise the difference of two cards with one factor would reveal the choice.
func DrawNewCard(ctx transcript.Context, x *masking.Secret, k *masking.Key, faces []group.Element, choice int, rand io.Reader) (masking.Card, MintWitness, error) {
	if choice < 0 || choice >= len(faces) {
		return masking.Card{}, MintWitness{}, fmt.Errorf("face %d of %d", choice, len(faces))
	}
	secret := binary.BigEndian.AppendUint16(x.Bytes(), uint16(choice))
	stream, err := transcript.New(ctx, mintMask{k, faces}).Hedge(secret, rand)
	if err != nil {
		return masking.Card{}, MintWitness{}, fmt.Errorf("mint: %w", err)
	}
	r, err := k.Group().RandomScalar(stream)
	if err != nil {
		return masking.Card{}, MintWitness{}, fmt.Errorf("mint: %w", err)
	}
	return masking.Mask(k, group.ElementAt(faces, choice), r), MintWitness{choice, r}, nil
}

// ProveMint proves s by its witness in constant time. Requires: w made s.
func ProveMint(ctx transcript.Context, s Mint, w MintWitness, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	t := transcript.New(ctx, s)
	nonces, err := t.Hedge(w.Factor.AppendTo(binary.BigEndian.AppendUint16(nil, uint16(w.Choice))), rand)
	if err != nil {
		return nil, err
	}
	return proveMint(t, s, w, nonces)
}

func proveMint(t *transcript.Transcript, s Mint, w MintWitness, nonces *transcript.Stream) ([]byte, error) {
	first := group.NewTable(s.Card.A)
	times := func(k int, c group.Scalar) masking.Card {
		return masking.Card{A: first.Mul(c), B: group.Mul(c, s.Card.B.Sub(s.Faces[k]))}
	}
	return proveDisjunction(t, s.Key, len(s.Faces), w.Choice, w.Factor, times, nonces)
}
