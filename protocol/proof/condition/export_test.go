package condition

import (
	"io"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that forge under another transcript, or prove what is false.
var (
	VerifyUnder = verify
	Interpolate = interpolate
)

// Claim proves s by a prover who takes the first branch of the first cards for
// true ones, whatever they are.
func Claim(t *transcript.Transcript, s Statement, x group.Scalar, rand io.Reader) ([]byte, error) {
	var bytes []byte
	for _, p := range s.parts() {
		cheat := prover{s: s, part: p, x: x}
		for j := range s.Cards {
			hit := make([]int, len(p.faces))
			real := 0
			if j < p.need {
				hit[0], real = 1, 1
			}
			cheat.real, cheat.hit = append(cheat.real, real), append(cheat.hit, hit)
		}
		if err := cheat.commit(t, rand); err != nil {
			return nil, err
		}
		bytes = cheat.answer(bytes)
	}
	return bytes, nil
}

// Draw returns the challenge of the first part of s after commitments.
func Draw(t *transcript.Transcript, s Statement, commitments []*group.Element) group.Scalar {
	return s.parts()[0].draw(t, commitments)
}
