package blum

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

//go:generate go test -run TestChallengeIsNoUnit -update .

// owner knows the factors of a modulus of 32 bytes, 65,539 and a prime.
type owner struct {
	factors [2]*big.Int
	key     *Modulus
}

func smallOwner(t *testing.T) *owner {
	p, q := big.NewInt(65_539), new(big.Int).Lsh(big.NewInt(3), 238)
	for q.Add(q, big.NewInt(3)); !q.ProbablyPrime(20) || new(big.Int).ModInverse(p, new(big.Int).Sub(q, one)) == nil; {
		q.Add(q, big.NewInt(4))
	}
	return &owner{[2]*big.Int{p, q}, testmust.Have(Parse(product([]*big.Int{p, q}).FillBytes(make([]byte, 32)), 32))(t)}
}

// power is x^e modulo m, of which the exponent is given for each factor.
func (o *owner) power(x *big.Int, exponent func(p *big.Int) *big.Int) *big.Int {
	sum := new(big.Int)
	for i, p := range o.factors {
		other := o.factors[1-i]
		e := new(big.Int).Exp(x, exponent(p), p)
		e.Mul(e, other).Mul(e, new(big.Int).ModInverse(other, p))
		sum.Add(sum, e)
	}
	return sum.Mod(sum, o.key.n)
}

// proof answers challenges, also of multiples of a factor, which have roots too.
func (o *owner) proof(w []uint64, challenges [][]uint64) []byte {
	fourth := func(p *big.Int) *big.Int {
		e := new(big.Int).Rsh(new(big.Int).Add(p, one), 2)
		return e.Mul(e, e)
	}
	inverse := func(p *big.Int) *big.Int { return new(big.Int).ModInverse(o.key.n, new(big.Int).Sub(p, one)) }
	number := func(z []uint64) *big.Int { return new(big.Int).SetBytes(modp.AppendTo(nil, z)) }
	msg := message{w: w, a: make([]byte, rounds/8), b: make([]byte, rounds/8)}
	for l, y := range challenges {
		for choice := range 4 {
			u := number(y)
			if choice&1 == 1 {
				u.Neg(u)
			}
			if choice&2 == 2 {
				u.Mul(u, number(w))
			}
			x := wordsOf(o.power(u.Mod(u, o.key.n), fourth).FillBytes(make([]byte, 32)))
			if o.key.Fold(x); o.key.fourth(x, uint64(choice&1), uint64(choice>>1), w, y) {
				msg.x = append(msg.x, x)
				msg.a[l/8] |= byte(choice & 1 << (l % 8))
				msg.b[l/8] |= byte(choice >> 1 << (l % 8))
				break
			}
		}
		msg.z = append(msg.z, wordsOf(o.power(number(y), inverse).FillBytes(make([]byte, 32))))
	}
	return msg.bytes()
}

// TestChallengeIsNoUnit: who has a small prime draws w until the prime divides a challenge, and a round says
// nothing modulo it. With all of them units a proof is good, as the key is: what is drawn under it must be
// looked at by who draws.
func TestChallengeIsNoUnit(t *testing.T) {
	o := smallOwner(t)
	place := transcript.Bind("schindelhauer-test/v1", "blum", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "key", 0).Slot(0)
	divided := func(challenges [][]uint64) bool {
		for _, y := range challenges {
			if !o.key.Unit(y) {
				return true
			}
		}
		return false
	}
	found := map[bool][]byte{}
	for n := int64(2); len(found) < 2; n++ {
		if big.Jacobi(big.NewInt(n), o.key.n) != -1 {
			continue
		}
		w := wordsOf(big.NewInt(n).FillBytes(make([]byte, 32)))
		ys := challenges(transcript.New(place, Ownership{o.key}), o.key, w)
		if no := divided(ys); found[no] == nil {
			found[no] = o.proof(w, ys)
		}
	}
	testmust.Do(t, VerifyOwnership(place, Ownership{o.key}, found[false]))
	if err := VerifyOwnership(place, Ownership{o.key}, found[true]); err == nil || errors.Is(err, proof.ErrWrong) {
		t.Errorf("a challenge that a factor divides: %v", err)
	}
	var lines bytes.Buffer
	for _, v := range []struct {
		name, comment, expect string
		no                    bool
	}{
		{"small-prime", "65,539 divides the modulus, which is well formed", "success", false},
		{"small-prime-no-unit", "65,539 divides a challenge, and its roots", "malformed", true},
	} {
		testmust.Do(t, json.NewEncoder(&lines).Encode(vector{
			v.name, v.comment, v.expect, map[bool]string{true: "P1-ownership"}[v.no], "schindelhauer-test/v1", "blum", zero32, zero32, zero32, zero32, "key", "two", []string{"a", "b"},
			"ownership", hex.EncodeToString(o.key.Bytes()), hex.EncodeToString(found[v.no]),
		}))
	}
	testfile.Same(t, filepath.Join("..", "..", "..", "..", "docs", "spec", "vectors", "proof", "schindelhauer-test-keys-v1.jsonl"), lines.Bytes())
}

var zero32 = hex.EncodeToString(make([]byte, 32))

// vector is a line of docs/spec/vectors/proof.
type vector struct {
	Name     string   `json:"name"`
	Comment  string   `json:"comment"`
	Expect   string   `json:"expect"`
	Check    string   `json:"check,omitempty"`
	Suite    string   `json:"suite"`
	Rules    string   `json:"rules"`
	Table    string   `json:"table"`
	Deck     string   `json:"deck"`
	Keys     string   `json:"keys"`
	Parent   string   `json:"parent"`
	Kind     string   `json:"kind"`
	DeckName string   `json:"deckName"`
	Faces    []string `json:"faces"`
	Relation string   `json:"relation"`
	Key      string   `json:"key"`
	Proof    string   `json:"proof"`
}
