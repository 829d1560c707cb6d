package relations

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// honestTokens is a statement of n tokens by x.
func honestTokens(t testing.TB, x *masking.Secret, n int) Reveal {
	t.Helper()
	s := Reveal{Key: x.Key()}
	for i := range n {
		s.Cards = append(s.Cards, handtest.Mask(t, x.Key(), handtest.Group.HashToElement("card", []byte{byte(i)}))...)
		s.Tokens = append(s.Tokens, x.Token(s.Cards[i]))
	}
	return s
}

// TestErrorsCancel: two wrong tokens whose errors cancel in the sum, with equal weights, or with
// those of the statement as it was before: the errors change the weights.
func TestErrorsCancel(t *testing.T) {
	x, e := handtest.Secret(t), handtest.Group.HashToElement("error")
	s := honestTokens(t, x, 2)
	former := s.tokenShares().linear(transcript.New(handtest.Here, s))[1].Image[1].S
	for name, first := range map[string]group.Element{"equal": e, "former": group.Mul(former, e)} {
		wrong := s
		wrong.Tokens = []masking.Token{{S: s.Tokens[0].S.Add(first)}, {S: s.Tokens[1].S.Sub(e)}}
		// By the prover's algebra, who does not ask whether it holds.
		proof := handtest.MustHave(ProveShares(transcript.New(handtest.Here, wrong), wrong.tokenShares(), x, true, rand.Reader))
		testmust.Fail(t, verify(wrong, proof), "errors that cancel with", name, "weights are accepted")
	}
}
