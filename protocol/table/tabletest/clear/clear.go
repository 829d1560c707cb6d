// Package clear is a suite for tests that hides nothing: a masked card is its plain element, a nonce
// and the list of keys it is under; a card secret is its public key. It shows that the kernel and the
// games know no particular encoding of cards, and it plays thousands of messages a second.
//
// It keeps every promise of package proof except secrecy. A proof is a challenge drawn from a
// transcript that binds context and statement, so a proof that is moved, altered or made for another
// statement does not verify; and whether a statement holds is decided from the plain values, so nothing
// false can be proved. A wrong proof of the right length is always found in the Batch, never before, so
// what callers do between Verify and Check is tested with each of them.
//
// It must never be in the catalogue of suites; a test of package tabletest
// sees to that.
package clear

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// Name is the name of Suite.
const Name = "clear-clear/v1"

// Lookup returns the suite of this package with that name.
func Lookup(name string) (proof.Suite, bool) {
	for _, s := range []proof.Suite{Suite{}, BulkySuite{}, DeferredSuite{}, AskingSuite{}} {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// Suite implements proof.Prover. Its zero value is ready.
type Suite struct{}

var _ proof.Prover = Suite{}

func (Suite) Name() string             { return Name }
func (Suite) Encoding() proof.Encoding { return encoding{} }
func (Suite) NewBatch() proof.Batch    { return new(batch) }

// Verify implements proof.Suite.
func (Suite) Verify(c transcript.Context, s proof.Statement, p []byte, b proof.Batch) error {
	into, ok := b.(*batch)
	if !ok || !isSensible(s) {
		return errors.New("a statement or batch that makes no sense")
	}
	if isTrivial(s) {
		return checkEmptyProof(p)
	}
	want := proofTag(c, s)
	if len(p) != len(want) {
		return fmt.Errorf("proof of %d bytes, must have %d", len(p), len(want))
	}
	into.addResult(bytes.Equal(p, want) && isTrue(s))
	return nil
}

// Proves reports whether a relation exists; the suite proves all of them.
func (Suite) Proves(relation string) bool {
	return relation == "arrange" || relation == "mint" || slices.Contains(proof.Relations(), relation)
}

// NewSecret implements proof.Prover.
func (Suite) NewSecret(rand io.Reader) (proof.Secret, error) {
	w, err := randomWord(rand)
	return secret{key{w | 1}}, err
}

// ParseSecret implements proof.Prover.
func (Suite) ParseSecret(b []byte) (proof.Secret, error) {
	k, err := parseKey(b)
	if err != nil {
		return nil, err
	}
	return secret{k}, nil
}

// batch holds the labels under which a proof was wrong.
type batch struct {
	label uint64
	wrong []uint64
}

func (b *batch) Label(entry uint64) { b.label = entry }

func (b *batch) addResult(ok bool) {
	if !ok {
		b.wrong = append(b.wrong, b.label)
	}
}

func (b *batch) Check() error { // labels ascend
	wrong := b.wrong
	b.wrong = nil
	if len(wrong) > 0 {
		return &proof.BatchError{Labels: slices.Compact(wrong)}
	}
	return nil
}

// wordSize is the length of keys, elements, nonces and shares: zeros and the
// eight bytes of a number, since a suite's values are about that long.
const wordSize = 32

// key is a sorted list of seats' keys: one, or all for the joint key.
type key []uint64

func (k key) Bytes() []byte { return appendWords(nil, k...) }

// token is one key's share in the card with one nonce.
type token struct{ key, share uint64 }

func (t token) Bytes() []byte { return appendWords(nil, t.key, t.share) }

// maskedCard is a card; it is open if no locks are left. The nonce is mixed into the element, since
// otherwise two cards would differ only in one half of their bytes.
type maskedCard struct {
	mixed, nonce uint64
	locks        key
}

func mixNonce(element, nonce uint64) uint64 {
	if nonce == 0 {
		return element
	}
	return element ^ hashWords("nonce", nonce)
}

func (m maskedCard) element() uint64 { return mixNonce(m.mixed, m.nonce) }

func (m maskedCard) Bytes() []byte {
	return appendWords(appendWords(appendWords(nil, m.mixed), m.locks...), m.nonce)
}

func (m maskedCard) isUnder(k proof.Key) bool { return slices.Equal(m.locks, k.(key)) }

func appendWords(b []byte, words ...uint64) []byte {
	for _, w := range words {
		b = append(b, make([]byte, wordSize-8)...)
		b = binary.BigEndian.AppendUint64(b, w)
	}
	return b
}

func parseWords(b []byte) ([]uint64, error) {
	if len(b)%wordSize != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of words", len(b))
	}
	var words []uint64
	for ; len(b) > 0; b = b[wordSize:] {
		w := binary.BigEndian.Uint64(b[wordSize-8:])
		if !bytes.Equal(appendWords(nil, w), b[:wordSize]) {
			return nil, errors.New("a number is too large")
		}
		words = append(words, w)
	}
	return words, nil
}

func parseKey(b []byte) (key, error) {
	words, err := parseWords(b)
	if err != nil {
		return nil, err
	}
	if len(words) != 1 || words[0] == 0 {
		return nil, errors.New("a key is one word other than zero")
	}
	return words, nil
}

type encoding struct{}

func (encoding) ParseKey(b []byte) (proof.Key, error) {
	k, err := parseKey(b)
	if err != nil {
		return nil, err
	}
	return k, nil
}

func (encoding) ParseMasked(b []byte) (proof.MaskedCard, error) {
	words, err := parseWords(b)
	if err != nil {
		return nil, err
	}
	last := len(words) - 1
	if last < 2 || words[last] == 0 {
		return nil, errors.New("a masked card is an element, at least one lock and a nonce other than zero")
	}
	m := maskedCard{mixed: words[0], locks: words[1:last], nonce: words[last]}
	for i, k := range m.locks {
		if k == 0 || i > 0 && k <= m.locks[i-1] {
			return nil, errors.New("locks must ascend and not be zero")
		}
	}
	return m, nil
}

func (encoding) ParseToken(b []byte) (proof.Token, error) {
	words, err := parseWords(b)
	if err != nil {
		return nil, err
	}
	if len(words) != 2 {
		return nil, errors.New("a token is a key and a share")
	}
	return token{words[0], words[1]}, nil
}

// Joint refuses keys whose exclusive or is zero: in this group they cancel.
func (encoding) Joint(keys []proof.Key) (proof.Key, error) {
	var joint key
	sum := uint64(0)
	for _, k := range keys {
		if !isKey(k) {
			return nil, errors.New("a key of another suite")
		}
		w := k.(key)[0]
		if slices.Contains(joint, w) {
			return nil, errors.New("two keys are equal")
		}
		joint, sum = append(joint, w), sum^w
	}
	if sum == 0 {
		return nil, errors.New("the keys cancel each other")
	}
	slices.Sort(joint)
	return joint, nil
}

func (encoding) Deck(d card.Deck) (proof.Deck, error) {
	id := d.ID()
	t := &deck{faces: map[uint64]card.Face{}}
	for f := range d.Len() {
		e := hashWords("element", binary.BigEndian.Uint64(id[:]), uint64(f))
		if _, repeated := t.faces[e]; repeated || e == 0 {
			return nil, fmt.Errorf("face %d has no element of its own", f)
		}
		t.faces[e] = card.Face(f)
		t.cards = append(t.cards, maskedCard{mixed: e})
	}
	return t, nil
}

// Strip takes a lock off for each token. A wrong share leaves a wrong element, and the token of a key
// that is not on the card adds that key; such a card never opens.
func (encoding) Strip(c proof.MaskedCard, tokens ...proof.Token) proof.MaskedCard {
	m := c.(maskedCard)
	locks := slices.Clone(m.locks)
	for _, t := range tokens {
		t := t.(token)
		m.mixed ^= t.share ^ hashWords("share", t.key, m.nonce)
		if i, on := slices.BinarySearch(locks, t.key); on {
			locks = slices.Delete(locks, i, i+1)
		} else {
			locks = slices.Insert(locks, i, t.key)
		}
	}
	m.locks = locks
	return m
}

type deck struct {
	cards []proof.MaskedCard
	faces map[uint64]card.Face
}

func (d *deck) Cards() []proof.MaskedCard { return slices.Clone(d.cards) }

func (d *deck) Face(c proof.MaskedCard) (card.Face, bool) {
	m := c.(maskedCard)
	f, ok := d.faces[m.element()]
	return f, ok && len(m.locks) == 0
}

// BulkyName is the name of BulkySuite.
const BulkyName = "clear-bulky/v1"

// BulkySuite is Suite, except that its proofs of shuffles are too long for an entry.
type BulkySuite struct{ Suite }

var _ proof.Prover = BulkySuite{}

// padding makes a proof long.
var padding = bytes.Repeat([]byte{0xb1}, wire.MaxInline)

func (BulkySuite) Name() string { return BulkyName }

// Verify implements proof.Suite.
func (b BulkySuite) Verify(c transcript.Context, s proof.Statement, p []byte, batch proof.Batch) error {
	if _, long := s.(proof.Shuffle); long {
		short, ok := bytes.CutSuffix(p, padding)
		if !ok {
			return errors.New("a proof of a shuffle that is not long")
		}
		p = short
	}
	return b.Suite.Verify(c, s, p, batch)
}

// NewSecret implements proof.Prover.
func (b BulkySuite) NewSecret(rand io.Reader) (proof.Secret, error) {
	return asBulkySecret(b.Suite.NewSecret(rand))
}

// ParseSecret implements proof.Prover.
func (b BulkySuite) ParseSecret(bytes []byte) (proof.Secret, error) {
	return asBulkySecret(b.Suite.ParseSecret(bytes))
}

func asBulkySecret(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return bulkySecret{x.(secret)}, nil
}

type bulkySecret struct{ proof.Arranger }

func (x bulkySecret) Prove(c transcript.Context, s proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	p, err := x.Arranger.Prove(c, s, w, rand)
	if _, long := s.(proof.Shuffle); long && err == nil {
		p = append(p, padding...)
	}
	return p, err
}
