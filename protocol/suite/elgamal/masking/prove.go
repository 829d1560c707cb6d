package masking

import (
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ShuffleProver is an argument with its proving side.
type ShuffleProver interface {
	ShuffleArgument
	// Prove proves s by its witness in constant time. Requires: o made s.
	Prove(ctx transcript.Context, s ShuffleStatement, o Opening, rand io.Reader) ([]byte, error)
}

// AskedProver is an AskedArgument with its proving side. Both methods draw from rand; with the same
// bytes they belong to one proof.
type AskedProver interface {
	AskedArgument
	Commit(ctx transcript.Context, s ShuffleStatement, o Opening, rand io.Reader) ([]byte, error)
	Answer(ctx transcript.Context, s ShuffleStatement, o Opening, values [][]byte, rand io.Reader) ([]byte, error)
}

// BeginProof is the beginning of every prover: it checks the form of s and of its witness o, binds ctx
// and the statement with the argument's label, and returns the transcript and the stream of the
// prover's nonces.
func BeginProof(ctx transcript.Context, label string, s ShuffleStatement, o Opening, rand io.Reader) (*transcript.Transcript, *transcript.Stream, error) {
	if err := s.CheckForm(); err != nil {
		return nil, nil, err
	}
	if n := len(s.In); len(o.Permutation) != n || len(o.Factors) != n {
		return nil, nil, proof.ErrFalse
	}
	t := transcript.New(ctx, s.WithLabel(label))
	stream, err := t.Hedge(secretBytes(s.Key.Group(), o), rand)
	return t, stream, err
}

// secretBytes encodes a witness, for hedging nonces.
func secretBytes(g *group.Group, o Opening) []byte {
	b := make([]byte, 0, len(o.Permutation)*(2+g.ScalarSize))
	for i, p := range o.Permutation {
		b = o.Factors[i].AppendTo(append(b, byte(p>>8), byte(p)))
	}
	return b
}

// CombineCards returns (τ·G, τ·K) + Σ a_i·e'_i in constant time.
func (s ShuffleStatement) CombineCards(a []group.Scalar, tau group.Scalar) Card {
	g := s.Key.Group()
	as, bs := CardColumns(s.Out)
	return Card{
		A: g.MulBase(tau).Add(g.MultiMul(a, as)),
		B: s.Key.Table().Mul(tau).Add(g.MultiMul(a, bs)),
	}
}

// CommitVector returns com(a; r) = r·G_0 + Σ a_i·G_i in constant time.
func CommitVector(g *group.Group, a []group.Scalar, r group.Scalar) group.Element {
	return g.MultiMul(append([]group.Scalar{r}, a...), Generators(g)[:len(a)+1])
}
