package relations

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// provable is a statement as the verifier has it.
type provable interface {
	transcript.Statement
	Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error
}

func verify(s provable, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.Verify(handtest.Here, proof, b) })
}

// linearCase is a true statement that is proved by rows, and a false one of its kind.
type linearCase struct {
	name              string
	statement, untrue provable
	rows              func(s provable, t *transcript.Transcript) Linear
	prove             func(rand io.Reader) ([]byte, error)
	witness           []group.Scalar
	shown             func(witness []group.Scalar) bool // that a witness is one of the statement
	// determined are the commitments that challenge and responses determine.
	determined func(s provable, t *transcript.Transcript, m LinearProof) []group.Element
}

func linearCases(t *testing.T) []linearCase {
	x, y := handtest.Secret(t), handtest.Secret(t)
	own := Ownership{x.Key()}
	given, r := transferOf(t, x, y.Key(), ace, ace)
	swapped, _ := transferOf(t, y, x.Key(), ace, knave)
	list := []linearCase{
		{
			"ownership", own, Ownership{keyOf(t, handtest.Group.HashToElement("nobody's key"))},
			func(s provable, _ *transcript.Transcript) Linear { return s.(Ownership).linear() },
			func(rand io.Reader) ([]byte, error) { return ProveOwnership(handtest.Here, own, x.Scalar(), rand) },
			[]group.Scalar{x.Scalar()},
			func(w []group.Scalar) bool { return handtest.Group.MulBase(w[0]).Equal(x.Key().Element()) },
			func(s provable, _ *transcript.Transcript, m LinearProof) []group.Element {
				return []group.Element{m.left(s.(Ownership).Key.Element())}
			},
		},
		{
			"transfer", given, swapped,
			func(s provable, _ *transcript.Transcript) Linear { return s.(Transfer).linear() },
			func(rand io.Reader) ([]byte, error) { return ProveTransfer(handtest.Here, given, x.Scalar(), r, rand) },
			[]group.Scalar{x.Scalar(), r},
			func(w []group.Scalar) bool {
				open := given.Old.B.Sub(group.Mul(w[0], given.Old.A))
				return masking.Mask(y.Key(), open, w[1]).Equal(given.New) && handtest.Group.MulBase(w[0]).Equal(x.Key().Element())
			},
			func(p provable, _ *transcript.Transcript, m LinearProof) []group.Element {
				s := p.(Transfer)
				third := group.Mul(m.Z[1], s.To.Element()).Sub(group.Mul(m.Z[0], s.Old.A)).Sub(group.Mul(m.C, s.New.B.Sub(s.Old.B)))
				return []group.Element{m.left(s.From.Element()), handtest.Group.MulBase(m.Z[1]).Sub(group.Mul(m.C, s.New.A)), third}
			},
		},
	}
	for n := 1; n <= 6; n++ {
		list = append(list, revealCase(t, n))
	}
	return list
}

func revealCase(t *testing.T, n int) linearCase {
	x := handtest.Secret(t)
	s, untrue := honestTokens(t, x, n), honestTokens(t, handtest.Secret(t), n)
	untrue.Tokens[0] = masking.Token{S: handtest.Group.HashToElement("no share of anybody's")}
	return linearCase{
		fmt.Sprint("reveal of ", n), s, untrue,
		func(s provable, t *transcript.Transcript) Linear { return s.(Reveal).tokenShares().linear(t) },
		func(rand io.Reader) ([]byte, error) { return ProveReveal(handtest.Here, s, x, rand) },
		[]group.Scalar{x.Scalar()},
		func(w []group.Scalar) bool {
			all := handtest.Group.MulBase(w[0]).Equal(x.Key().Element())
			for j, c := range s.Cards {
				all = all && group.Mul(w[0], c.A).Equal(s.Tokens[j].S)
			}
			return all
		},
		func(p provable, t *transcript.Transcript, m LinearProof) []group.Element {
			s, sum, shares := p.(Reveal), handtest.Group.Identity(), handtest.Group.Identity()
			alpha := handtest.Group.One()
			for j, c := range s.Cards {
				if j > 0 {
					alpha = handtest.Group.ScalarFromUniform(t.Challenge("alpha"))
				}
				sum, shares = sum.Add(group.Mul(alpha, c.A)), shares.Add(group.Mul(alpha, s.Tokens[j].S))
			}
			return []group.Element{m.left(s.Key.Element()), group.Mul(m.Z[0], sum).Sub(group.Mul(m.C, shares))}
		},
	}
}

// left is z·G − c·X.
func (m LinearProof) left(x group.Element) group.Element {
	return handtest.Group.MulBase(m.Z[0]).Sub(group.Mul(m.C, x))
}

// A value of a statement, or a commitment, that can be chosen after the challenge.
func TestLinearBound(t *testing.T) {
	for _, c := range linearCases(t) {
		switch s := c.statement.(type) {
		case Ownership:
			prooftest.Binding(t, s, c.untrue.(Ownership))
		case Reveal:
			prooftest.Binding(t, s, c.untrue.(Reveal))
		case Transfer:
			prooftest.Binding(t, s, c.untrue.(Transfer))
		}
		rows := c.rows(c.statement, transcript.New(handtest.Here, c.statement))
		handtest.CheckBound(t, len(rows), func(e ...group.Element) group.Scalar {
			m := LinearProof{T: e}
			rows.DrawChallenge(transcript.New(handtest.Here, c.statement), &m)
			return m.C
		})
	}
}

// An accepted proof by one who does not know a witness. The extractor takes 2 transcripts: rows that
// are fixed by one list of weights, one T and two answers.
func TestLinearExtract(t *testing.T) {
	for _, c := range linearCases(t) {
		rows := c.rows(c.statement, transcript.New(handtest.Here, c.statement))
		v := handtest.NamedScalars(t, "nonces", len(c.witness))
		found := handtest.ExtractSlopes(t, len(rows), func(slot int) ([]byte, group.Scalar) {
			m := LinearProof{T: rows.Commit(v, nil)}
			rows.DrawChallenge(transcript.New(handtest.SlotContext(uint16(slot)), c.statement), &m)
			m.Answer(v, c.witness)
			handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { rows.AddEquations(b, m) })
			return m.Bytes(), m.C
		})
		for i, w := range c.witness {
			testmust.Hold(t, found[i].Equal(w), c.name, "scalar", i, "that was extracted is not the witness's")
		}
		testmust.Hold(t, c.shown(found), c.name, "what was extracted is no witness")
	}
}

// A proof that tells more than that it is one: challenge and responses are uniform in an honest
// proof, and determine the rest.
func TestLinearSimulate(t *testing.T) {
	for _, c := range linearCases(t) {
		tr := transcript.New(handtest.Here, c.statement)
		rows := c.rows(c.statement, tr)
		honest := testmust.Have(c.prove(handtest.NamedCoins("prover")))(t)
		m := ParseLinear(handtest.Group.NewParser(honest), len(rows), len(c.witness))
		rows.DrawChallenge(tr, &m)
		m.T = c.determined(c.statement, transcript.New(handtest.Here, c.statement), m)
		testmust.Hold(t, bytes.Equal(m.Bytes(), honest), c.name, "challenge and responses do not determine an honest proof")

		v, weak := handtest.NamedScalars(t, "simulator", 1+len(c.witness)), handtest.SlotContext(1)
		forged := LinearProof{C: v[0], Z: v[1:]}
		forged.T = c.determined(c.untrue, transcript.New(weak, c.untrue), forged)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) {
			c.rows(c.untrue, transcript.New(weak, c.untrue)).AddEquations(b, forged)
		})
		testmust.Fail(t, verify(c.untrue, forged.Bytes()), c.name, "a simulated proof under the challenges of the transcript")
	}
}

// pairs are n pairs, of which that of number k masks nothing by sigma; none if k is n.
func pairs(t *testing.T, key *masking.Key, n, k int, sigma group.Scalar) []masking.Card {
	t.Helper()
	list := make([]masking.Card, n)
	for i := range list {
		list[i] = masking.Mask(key, handtest.Group.HashToElement("pair", []byte{byte(i)}), sigma)
	}
	if k < n {
		list[k] = masking.Mask(key, handtest.Group.Identity(), sigma)
	}
	return list
}

func sumOf(list []masking.Card) func([]group.Scalar) pairTerms {
	return func(weights []group.Scalar) (terms pairTerms) {
		for k, w := range weights {
			terms.addPair(w, list[k])
		}
		return terms
	}
}

func pairProof(t *testing.T, at transcript.Context, key *masking.Key, list []masking.Card, k int, sigma group.Scalar) []byte {
	t.Helper()
	times := func(k int, c group.Scalar) masking.Card {
		return masking.Card{A: group.Mul(c, list[k].A), B: group.Mul(c, list[k].B)}
	}
	return handtest.MustHave(proveDisjunction(handtest.TranscriptAt(at), key, len(list), k, sigma, times, handtest.NamedCoins("prover")))
}

func disjunctionOf(at transcript.Context, key *masking.Key, list []masking.Card, proof []byte) func(*group.Batch) {
	return func(b *group.Batch) {
		if verifyDisjunction(handtest.TranscriptAt(at), key, len(list), proof, sumOf(list), b) != nil {
			b.Add(group.Plus(handtest.Group.Generator())) // wrong in its form
		}
	}
}

// A proof of no pair that masks nothing, claimed of each; of an honest one, answers
// whose errors cancel in a sum without weights, or with those drawn before.
func TestDisjunctionForgeries(t *testing.T) {
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	for n := 1; n <= 4; n++ {
		for k := range n {
			handtest.ExpectAccepted(t, "an honest proof", disjunctionOf(handtest.Here, key, pairs(t, key, n, k, sigma), pairProof(t, handtest.Here, key, pairs(t, key, n, k, sigma), k, sigma)))
			none := pairs(t, key, n, n, sigma)
			handtest.ExpectRefused(t, "a proof of none", disjunctionOf(handtest.Here, key, none, pairProof(t, handtest.Here, key, none, k, sigma)))
		}
	}
	list := pairs(t, key, 3, 1, sigma)
	proof := pairProof(t, handtest.Here, key, list, 1, sigma)
	p := handtest.Group.NewParser(proof)
	elements, scalars := p.Elements(6), p.Scalars(5)
	one := handtest.Group.One()
	scalars[2], scalars[3] = scalars[2].Add(one), scalars[3].Sub(one)
	forged := group.Encode(elements...)
	for _, s := range scalars {
		forged = s.AppendTo(forged)
	}
	handtest.ExpectRefused(t, "answers whose errors cancel", disjunctionOf(handtest.Here, key, list, forged))
}

// An accepted proof by one who knows no pair that masks nothing. The extractor takes two transcripts: the
// branch whose challenge changes is that of the pair, and its answers give the factor. Of an arrangement this
// is Σ x^i·ρ_i for each of N values of x, which give ρ_i (42.2).
func TestDisjunctionExtract(t *testing.T) {
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	for n := 2; n <= 6; n++ {
		k := (n - 1) / 2
		list := pairs(t, key, n, k, sigma)
		var words [2][]byte
		var c, z [2][]group.Scalar
		for slot := range words {
			at := handtest.SlotContext(uint16(slot))
			proof := pairProof(t, at, key, list, k, sigma)
			handtest.ExpectAccepted(t, "an answer", disjunctionOf(at, key, list, proof))
			words[slot] = proof[:2*n*handtest.Group.ElementSize]
			p := handtest.Group.NewParser(proof[len(words[slot]):])
			c[slot], z[slot] = p.Scalars(n-1), p.Scalars(n)
		}
		testmust.Require(t, bytes.Equal(words[0], words[1]), "first words depend on the challenge")
		for other := range n {
			testmust.Holdf(t, z[0][other].Equal(z[1][other]) == (other != k), "branch %d of %d, where %d is true, has two answers: %v", other, n, k, other != k)
		}
		found := handtest.PolynomialThrough(t, []group.Scalar{c[0][k], c[1][k]}, []group.Scalar{z[0][k], z[1][k]})[1]
		testmust.Hold(t, found.Equal(sigma), n, "branches: what was extracted is not the factor")
	}
}

// A proof that tells more than that it is one: whoever chooses challenges and answers
// first makes one of pairs none of which masks nothing, and it is worth nothing under the
// challenge of the transcript.
func TestDisjunctionSimulate(t *testing.T) {
	const n = 3
	key, sigma := handtest.Secret(t).Key(), handtest.NamedScalars(t, "sigma", 1)[0]
	list := pairs(t, key, n, n, sigma)
	random := handtest.NamedScalars(t, "simulator", 2*n+1)
	c, z := random[:n], random[n:2*n]
	var commitments []group.Element
	for k, pair := range list {
		commitments = append(commitments,
			handtest.Group.MulBase(z[k]).Sub(group.Mul(c[k], pair.A)), group.Mul(z[k], key.Element()).Sub(group.Mul(c[k], pair.B)))
	}
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) {
		addEquations(b, key, commitments, c, z, sumOf(list), random[2*n])
	})
	proof := group.Encode(commitments...)
	for _, s := range append(c[:n-1:n-1], z...) {
		proof = s.AppendTo(proof)
	}
	handtest.ExpectRefused(t, "a simulated proof under the challenge of the transcript", disjunctionOf(handtest.Here, key, list, proof))
}
