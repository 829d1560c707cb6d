package relations

import (
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves the rows by a witness. Nonces are hedged by the witness and by what t has absorbed.
// Requires: it is a witness.
func (l Linear) Prove(t *transcript.Transcript, rand io.Reader, witness ...group.Scalar) ([]byte, error) {
	m, err := l.prove(t, rand, witness)
	return m.Bytes(), err
}

func (l Linear) prove(t *transcript.Transcript, rand io.Reader, witness []group.Scalar) (m LinearProof, err error) {
	var secret []byte
	for _, w := range witness {
		secret = w.AppendTo(secret)
	}
	nonces, err := t.Hedge(secret, rand)
	if err != nil {
		return m, err
	}
	v, err := l.group().RandomScalars(nonces, len(witness))
	if err != nil {
		return m, err
	}
	m.T = l.Commit(v, nil)
	l.DrawChallenge(t, &m)
	m.Answer(v, witness)
	return m, nil
}

// Commit returns T for nonces v. If key is not nil, its multiples are computed from its table.
func (l Linear) Commit(v []group.Scalar, key *masking.Key) []group.Element {
	list := make([]group.Element, len(l))
	for r, row := range l {
		list[r] = row.commit(v, key)
	}
	return list
}

func (r Row) commit(v []group.Scalar, key *masking.Key) (sum group.Element) {
	var scalars []group.Scalar
	var elements []group.Element
	for i, base := range r.Bases {
		for _, term := range base.oneTerm() {
			factor, g := term.S.Mul(v[i]), term.P.Group()
			switch {
			case term.P == g.Generator():
				sum = addIfAny(sum, g.MulBase(factor))
			case key != nil && term.P == key.Element():
				sum = addIfAny(sum, key.Table().Mul(factor))
			default:
				scalars, elements = append(scalars, factor), append(elements, term.P)
			}
		}
	}
	if elements != nil {
		sum = addIfAny(sum, elements[0].Group().MultiMul(scalars, elements))
	}
	return sum
}

// addIfAny returns sum + e, where a nil sum is zero.
func addIfAny(sum, e group.Element) group.Element {
	if sum == nil {
		return e
	}
	return sum.Add(e)
}

// oneTerm returns s with at most one term, computed in variable time since s is public.
func (s Sum) oneTerm() Sum {
	if len(s) < 2 {
		return s
	}
	return Only(s.value())
}

func (s Sum) value() group.Element {
	scalars, elements := make([]group.Scalar, len(s)), make([]group.Element, len(s))
	for i, term := range s {
		scalars[i], elements[i] = term.S, term.P
	}
	return elements[0].Group().VartimeMultiMul(scalars, elements)
}

// holds reports whether the answer of a proof satisfies r, which means that the row is true.
func (r Row) holds(m LinearProof, commitment group.Element) bool {
	return r.answerTerms(m).value().Equal(commitment) // all of it public
}

// Answer sets the responses to the challenge, by the nonces v of the commitments.
func (m *LinearProof) Answer(v, witness []group.Scalar) { m.Z = group.ScaleAndAdd(m.C, witness, v) }

// Bytes returns the proof.
func (m LinearProof) Bytes() []byte {
	b := group.Encode(m.T...)
	for _, z := range m.Z {
		b = z.AppendTo(b)
	}
	return b
}

// ProveOwnership proves that x is the secret of s.Key. Requires: it is.
func ProveOwnership(ctx transcript.Context, s Ownership, x group.Scalar, rand io.Reader) ([]byte, error) {
	return s.linear().Prove(transcript.New(ctx, s), rand, x)
}

// ProveReveal proves that x made the tokens. It returns proof.ErrFalse if it did not.
// Requires: x is the secret of s.Key.
func ProveReveal(ctx transcript.Context, s Reveal, x *masking.Secret, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	return ProveShares(transcript.New(ctx, s), s.tokenShares(), x, s.madeBy(x), rand)
}

// ProveShares proves that x made the shares. It returns proof.ErrFalse if it did not; made says that
// this is known to hold. Requires: x is the secret of s.Key.
func ProveShares(t *transcript.Transcript, s Shares, x *masking.Secret, made bool, rand io.Reader) ([]byte, error) {
	rows := s.linear(t)
	weighted := &rows[1]
	weighted.Bases[0] = weighted.Bases[0].oneTerm()
	m, err := rows.prove(t, rand, []group.Scalar{x.Scalar()})
	if err != nil {
		return nil, err
	}
	if !made && !weighted.holds(m, m.T[1]) {
		return nil, proof.ErrFalse
	}
	return m.Bytes(), nil
}

// madeBy reports whether all tokens are known to come from x.
func (s Reveal) madeBy(x *masking.Secret) bool {
	for j, t := range s.Tokens {
		if !x.HasMade(t, s.Cards[j]) {
			return false
		}
	}
	return true
}

// ProveTransfer proves s. Requires: x is the secret of s.From, and r the factor that masks s.New.
func ProveTransfer(ctx transcript.Context, s Transfer, x, r group.Scalar, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	return s.linear().Prove(transcript.New(ctx, s), rand, x, r)
}
