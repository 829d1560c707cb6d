package relations

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Ownership is X: the prover knows its secret (Schnorr, "Efficient Signature Generation by Smart
// Cards", 1991).
//
//	statement   X ≠ 0
//	witness     x with X = x·G
//	commitment  T = w·G
//	challenge   c = H(context, X, T)
//	response    z = w + c·x
//	check       z·G − T − c·X = 0
//	proof       T ‖ z, 64 bytes
//
// Normative text: docs/spec/40-proofs.md, 40.2.
//
// It promises completeness, special soundness (two answers to one T give x)
// and perfect honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model a proof of knowledge. The prover takes constant time.
//
// It makes joint keys safe: a seat that chose its key to cancel the others' does not know its secret. A
// proof is bound to its context, and worthless at another table or for another seat.
type Ownership struct{ Key *masking.Key }

// Label names the relation.
func (Ownership) Label() string { return "ownership/v1" }

// AppendTo absorbs the statement.
func (s Ownership) AppendTo(b *transcript.Binder) { b.Bytes("key", s.Key.Bytes()) }

// Verify checks the form of a proof and adds its equation to b.
func (s Ownership) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	return s.linear().Verify(transcript.New(ctx, s), bytes, b)
}

func (s Ownership) linear() Linear {
	return Linear{{"T", []Sum{Only(s.Key.Group().Generator())}, Only(s.Key.Element())}}
}
