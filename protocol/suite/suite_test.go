package suite_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/transcript"
)

// TestConformance: a suite in the catalogue that breaks a promise of the seam. Of the two whose shuffles alone are
// their own, and of the two of locks, one is tried, or both with PAKLI_TESTS=thorough.
func TestConformance(t *testing.T) {
	second := testmust.SomeOf(t, 2, 1)(1)
	pairs := map[string]bool{"ristretto255-bayergroth/v2": second, "ristretto255-tereliuswikstrom/v1": !second, sra.Name: second, sra.Disclosed: !second}
	for _, name := range suite.Names() {
		if chosen, is := pairs[name]; is && !chosen && !testmust.Thorough() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch name {
			case "sra3072-disclosed/v1":
				testmust.OnlyThorough(t, "sra255 runs the same code, modulo a number of a twelfth the length")
			case "qr2048-bayergroth/v1":
				testmust.OnlyThorough(t, "ristretto255 runs the same code, and its conformance takes a hundredth of the time")
			case schindelhauer.Name2048, schindelhauer.Chosen2048, "qr3072-bayergroth/v1", "qr2048-cutandchoose/v1", "qr2048-cutandchoose-chosen40/v1":
				if len(testmust.ThoroughSuites([]string{name})) == 0 {
					t.Skip("NOT RUN without PAKLI_SUITES=all: hours, for code that other suites run")
				}
			case "ristretto255-cutandchoose/v1", "ristretto255-cutandchoose-chosen40/v1":
				testmust.OnlyThorough(t, "its package has a conformance of its own, and its proofs are long")
			case schindelhauer.Name3072, schindelhauer.Chosen3072:
				t.Skip("it is the other one with longer numbers")
			}
			prooftest.Run(t, func() proof.Prover {
				p := proverOf(t, name)
				if !testmust.Thorough() && (name == "ristretto255-bayergroth/v2" || name == "ristretto255-tereliuswikstrom/v1") {
					return shuffling{p}
				}
				return p
			})
		})
	}
}

// shuffling is a suite of which only shuffles, and what they are dealt with, are tried: all
// else is that of the default one.
type shuffling struct{ proof.Prover }

func (shuffling) Proves(relation string) bool {
	return slices.Contains([]string{"ownership", "shuffle", "reveal", proof.Permute}, relation)
}

// proverOf is the suite of that name, with its proving side.
func proverOf(t testing.TB, name string) proof.Prover {
	t.Helper()
	s, ok := suite.Lookup(name)
	if !ok && runtime.GOOS == "js" {
		t.Skip("the pages are without suites whose numbers have thousands of bits")
	}
	testmust.Requiref(t, ok && s.Name() == name, "Lookup(%q) = %v, %v", name, s, ok)
	return testmust.Have(proof.ProverOf(s))(t)
}

// verifying is a suite without its proving side.
type verifying struct{ proof.Suite }

// TestProverOf: a suite that can only be verified with, and stops the program of a
// player.
func TestProverOf(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	p, err := proof.ProverOf(verifying{s})
	testmust.Holdf(t, p == nil && err != nil && strings.Contains(err.Error(), suite.Default), "prover of a suite that has none: %v, %v", p, err)
}

// TestLookup: a table of an unknown suite that gets some other one.
func TestLookup(t *testing.T) {
	s, ok := suite.Lookup("ristretto255-bayergroth/v0")
	testmust.Holdf(t, !ok, "unknown name found %v", s)
	names := suite.Names()
	testmust.Holdf(t, names[0] == suite.Default, "first of %v is not the default %s", names, suite.Default)
}

// oakley1 is the 768-bit prime of RFC 2409, 6.1: the shortest that is made from π as those of
// RFC 3526, and of which half is above all challenges (31.1.6).
const oakley1 = "" +
	"FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
	"EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A63A3620FFFFFFFFFFFFFFFF"

// TestConformanceOverShortPrime: a field of a proof over squares that nobody checks. With
// thousands of bits TestConformance alters some fields only, and would take hours for all. Here the
// same code has a shorter prime in place of theirs, and it alters every one.
func TestConformanceOverShortPrime(t *testing.T) {
	names := "^(qr|sra3072)"
	if len(testmust.ThoroughSuites([]string{"qr"})) == 0 {
		t.Skip("NOT RUN without PAKLI_SUITES=all: five minutes of arithmetic")
	}
	p, _ := new(big.Int).SetString(oakley1, 16)
	q := new(big.Int).Rsh(p, 1)
	testmust.Require(t, p.BitLen() == 768 && p.Bit(1) != 0 && p.Bit(2) != 0 && p.ProbablyPrime(32) && q.ProbablyPrime(32), "no prime as those of the suites")
	o := overlay{T: t, Replace: map[string]string{}}
	o.change("modp/primes.go", `const group14 = ""( \+\n\t".*")*`, "const group14 = `"+oakley1+"`")
	o.change("modp/primes.go", `const group15 = ""( \+\n\t".*")*`, "const group15 = `"+oakley1+"`")
	cmd := exec.Command("go", "test", "-overlay", o.file(), "-timeout", "3h", "-v", "-run", "^TestConformance$/"+names, ".")
	cmd.Env = append(os.Environ(), "PAKLI_SUITES=all", "PAKLI_TESTS=thorough") // some are tried in the long form alone
	out, err := cmd.CombinedOutput()
	testmust.Requiref(t, err == nil, "%v\n%s", err, out)
	for _, name := range suite.Names() {
		passed := "--- PASS: TestConformance/" + name + "/Altered "
		testmust.Holdf(t, !regexp.MustCompile(names).MatchString(name) || strings.Contains(string(out), passed), "%s was not tried", name)
	}
}

// overlay is what files say in place of what they do (go help build, -overlay).
type overlay struct {
	*testing.T `json:"-"`
	Replace    map[string]string // by path, the file with the other text
}

// change replaces what matches once in a file.
func (o overlay) change(path, pattern, by string) {
	o.Helper()
	path, err := filepath.Abs(path)
	testmust.Require(o, err == nil, err)
	from, changed := o.Replace[path], filepath.Join(o.TempDir(), "changed.go")
	if from == "" {
		from = path
	}
	old, err := os.ReadFile(from)
	testmust.Require(o, err == nil, err)
	re := regexp.MustCompile(pattern)
	n := len(re.FindAll(old, -1))
	testmust.Requiref(o, n == 1, "%s: %q is there %d times", path, pattern, n)
	err = os.WriteFile(changed, re.ReplaceAllLiteral(old, []byte(by)), 0o600)
	testmust.Require(o, err == nil, err)
	o.Replace[path] = changed
}

// file is the overlay as go takes it.
func (o overlay) file() string {
	o.Helper()
	b, err := json.Marshal(o)
	name := filepath.Join(o.TempDir(), "overlay.json")
	if err == nil {
		err = os.WriteFile(name, b, 0o600)
	}
	testmust.Require(o, err == nil, err)
	return name
}

//go:generate go test -run TestVectors -update .

// file has the vectors of a suite, which are part of the specification.
func file(name string) string {
	return filepath.Join("..", "..", "docs", "spec", "vectors", "proof", strings.ReplaceAll(name, "/", "-")+".jsonl")
}

// TestVectors: a change of the protocol that its author did not notice, and
// that other implementations would. Suites that have all but the shuffle from
// the default one have vectors of shuffles.
func TestVectors(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			if large(name) && !testmust.Thorough() && !testmust.Updating() {
				if strings.HasPrefix(name, "schindelhauer3072") || strings.Contains(name, "-c") && name != schindelhauer.Name2048 {
					testmust.OnlyThorough(t, "the suite is another one but for its rounds, or its numbers are longer")
				}
				prooftest.SomeVectors(t, proverOf(t, name), file(name))
				return
			}
			var only []string
			switch {
			case strings.HasPrefix(name, "schindelhauer"):
				only = []string{"deal"} // a proof has as many bytes as all other vectors
			case name == "qr2048-bayergroth/v1":
				only = append(few("ownership", "shuffle-two", "reveal", "transfer", "condition-some", "arrange-cut", "mint-private"), "deal")
			case strings.HasPrefix(name, "qr"):
				only = few("shuffle-two")
			case strings.Contains(name, "-chosen"):
				only = []string{"shuffle-two*"} // of more cards they are long
			case name != suite.Default && !strings.HasPrefix(name, "sra"):
				only = []string{"shuffle*"}
			}
			prooftest.CheckVectors(t, proverOf(t, name), file(name), testmust.Updating(), only...)
		})
	}
}

// large reports whether the numbers of a suite have thousands of bits: its vectors take seconds
// to make, and minutes where keys are drawn.
func large(name string) bool {
	return strings.HasPrefix(name, "qr") || strings.HasPrefix(name, "schindelhauer") || strings.HasPrefix(name, "sra3072")
}

// few are names of vectors: of each of some honest proofs it and two that are refused.
func few(honest ...string) (list []string) {
	for _, name := range honest {
		list = append(list, name, name+"-statement", name+"-first-field-all-ones")
	}
	return list
}

// TestVectorsInBatch: a failure that passes, or is laid at another's door, among
// honest proofs.
func TestVectorsInBatch(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "schindelhauer") {
				t.Skip("there are vectors of a deal alone")
			}
			if large(name) {
				testmust.OnlyThorough(t, "the batch is that of ristretto255, or checks one after another")
			}
			prooftest.VectorsInBatch(t, proverOf(t, name), file(name), !testmust.Thorough())
		})
	}
}

func FuzzOwnership(f *testing.F)         { fuzz(f, suite.Default, "ownership") }
func FuzzShuffle(f *testing.F)           { fuzz(f, suite.Default, "shuffle") }
func FuzzShuffleTwoColumns(f *testing.F) { fuzz(f, "ristretto255-bayergroth/v2", "shuffle") }
func FuzzShuffleTereliusWikstrom(f *testing.F) {
	fuzz(f, "ristretto255-tereliuswikstrom/v1", "shuffle")
}
func FuzzShuffleCutAndChoose(f *testing.F) { fuzz(f, "ristretto255-cutandchoose/v1", "shuffle") }
func FuzzShuffleLocks(f *testing.F)        { fuzz(f, sra.Name, "shuffle") }
func FuzzShuffleDisclosed(f *testing.F)    { fuzz(f, sra.Disclosed, "shuffle") }
func FuzzReveal(f *testing.F)              { fuzz(f, suite.Default, "reveal") }
func FuzzRevealLocks(f *testing.F)         { fuzz(f, sra.Name, "reveal") }
func FuzzRevealDisclosed(f *testing.F)     { fuzz(f, sra.Disclosed, "reveal") }
func FuzzTransfer(f *testing.F)            { fuzz(f, suite.Default, "transfer") }
func FuzzCondition(f *testing.F)           { fuzz(f, suite.Default, "condition") }
func FuzzArrange(f *testing.F)             { fuzz(f, suite.Default, "arrange") }
func FuzzMint(f *testing.F)                { fuzz(f, suite.Default, "mint") }

func FuzzParse(f *testing.F)          { prooftest.FuzzParse(f, proverOf(f, suite.Default)) }
func FuzzParseDisclosed(f *testing.F) { prooftest.FuzzParse(f, proverOf(f, sra.Disclosed)) }
func FuzzParseLocks(f *testing.F)     { prooftest.FuzzParse(f, proverOf(f, sra.Name)) }
func FuzzParseSquares(f *testing.F)   { prooftest.FuzzParse(f, proverOf(f, "qr2048-bayergroth/v1")) }

func fuzz(f *testing.F, name, relation string) { prooftest.Fuzz(f, proverOf(f, name), relation) }

// at is a place at a table with the suite of that name.
func at(name string) transcript.Context {
	return transcript.Bind(transcript.Suite(name), "game", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "key", 0).Slot(0)
}

func deckOf(t *testing.T, n int) card.Deck {
	t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("face ", i)
	}
	return handtest.MustHave(card.NewDeck("squares", names))
}

// A table that opens, and whose first shuffle fits no entry or no blob, 31.1.8.
func TestDecksThatFit(t *testing.T) {
	for name, most := range map[string]int{"qr2048-bayergroth/v1": 94, "qr3072-bayergroth/v1": 63, "qr2048-cutandchoose/v1": 70} {
		s, _ := suite.Lookup(name)
		testmust.Have(s.Encoding().Deck(deckOf(t, most)))(t, name)
		testmust.FailSaying(t, testmust.ErrorOf(s.Encoding().Deck(deckOf(t, most+1))), "choose another suite", name, "deals", most+1, "cards")
	}
}

// A key with its proof that is taken for one of another suite: over another prime, on the
// curve, or over the same prime with another argument, to which every value is its own.
func TestOtherSuites(t *testing.T) {
	const own = "qr2048-bayergroth/v1"
	x := handtest.MustHave(proverOf(t, own).NewSecret(rand.Reader))
	st := proof.Ownership{Key: x.Key()}
	b := handtest.MustHave(x.Prove(at(own), st, nil, rand.Reader))
	accepted := func(name string) bool {
		s, _ := suite.Lookup(name)
		key, err := s.Encoding().ParseKey(x.Key().Bytes())
		if err != nil {
			return false
		}
		batch := s.NewBatch()
		return s.Verify(at(name), proof.Ownership{Key: key}, b, batch) == nil && batch.Check() == nil
	}
	for _, name := range suite.Names() {
		testmust.Equal(t, accepted(name), name == own, name, "accepts the key of a seat with", own)
	}
}

// Values of a suite over another group, which have the same types: each is refused, and none comes
// to an equation, where it would stop the program.
func TestOtherGroups(t *testing.T) {
	own, other := proverOf(t, suite.Default), proverOf(t, "qr2048-bayergroth/v1")
	x, y := handtest.MustHave(own.NewSecret(rand.Reader)), handtest.MustHave(other.NewSecret(rand.Reader))
	d := deckOf(t, 3)
	mine, foreign := handtest.MustHave(own.Encoding().Deck(d)), handtest.MustHave(other.Encoding().Deck(d))
	honest := proof.Shuffle{Key: x.Key(), By: x.Key(), In: mine.Cards(), Out: mine.Cards()}
	key, in, out := honest, honest, honest
	key.Key, in.In, out.Out = y.Key(), foreign.Cards(), foreign.Cards()
	for name, st := range map[string]proof.Statement{
		"a key": proof.Ownership{Key: y.Key()}, "the key of a shuffle": key, "cards before": in, "cards after": out,
		"a deck": proof.Condition{Key: x.Key(), Deck: foreign, Cards: mine.Cards()},
		"a token": proof.Reveal{Key: x.Key(), Cards: mine.Cards()[:1], Tokens: []proof.Token{
			handtest.MustHave(other.Encoding().ParseToken(y.Key().Bytes())),
		}},
	} {
		testmust.FailSaying(t, own.Verify(at(own.Name()), st, nil, own.NewBatch()), "of this suite", name, "of another group")
	}
	testmust.FailSaying(t, own.Verify(at(own.Name()), honest, nil, other.NewBatch()), "no batch of this suite", "a batch of another group")
	_, err := own.Encoding().Joint([]proof.Key{x.Key(), y.Key()})
	testmust.FailSaying(t, err, "of this suite", "a joint key over two groups")
	_, _, err = x.Shuffle(at(own.Name()), x.Key(), foreign.Cards(), rand.Reader)
	testmust.FailSaying(t, err, "of this suite", "a shuffle of cards of another group")
}

// A challenge of so few bits that a forger tries all: T = z·G − c·X for a c of his choice, until
// the hash asks for it. Of a byte he needs some hundred tries, and what he has made is refused
// where a challenge has its length.
func TestShortChallenge(t *testing.T) {
	g := group.Squares2048()
	x := handtest.MustHave(masking.NewSecret(g, rand.Reader))
	st := relations.Ownership{Key: x.Key()}
	minus := g.Identity().Sub(st.Key.Element())
	const guess = 7
	var forged []byte
	for z := uint64(1); forged == nil; z++ {
		s := g.ScalarFromUint64(z)
		commitment := g.VartimeMultiMul([]group.Scalar{s, g.ScalarFromUint64(guess)}, []group.Element{g.Generator(), minus})
		script := transcript.New(at("qr2048-bayergroth/v1"), st)
		script.Append("T", commitment.Bytes())
		if c := script.Challenge("c"); c[0] == guess {
			forged = s.AppendTo(commitment.Bytes())
		}
	}
	var b group.Batch
	testmust.Do(t, st.Verify(at("qr2048-bayergroth/v1"), forged, &b), "the forgery has not the form of a proof")
	testmust.Fail(t, b.Check(rand.Reader), "a proof for a byte of the challenge is accepted")
}

//go:generate go test -run TestGroupVectors -update .

// groupVector is a line of docs/spec/vectors/group/qr2048.jsonl or qr3072.jsonl. All values are in
// hexadecimal.
type groupVector struct {
	Name    string   `json:"name"`
	Comment string   `json:"comment"`
	What    string   `json:"what"`
	Data    []string `json:"data"`
	Expect  string   `json:"expect"`           // success or malformed
	Result  string   `json:"result,omitempty"` // of what succeeds
}

// squares is a group as its vectors see it: modulo p, and of order q. What it computes is nil
// where an element or a scalar is malformed.
type squares struct {
	p, q     *big.Int
	computed func(what string, data [][]byte) []byte
}

func squaresOf(g *group.Group, primes func() (p, q *modp.Modulus)) squares {
	p, q := primes()
	return squares{new(big.Int).SetBytes(p.Bytes()), new(big.Int).SetBytes(q.Bytes()), func(what string, data [][]byte) []byte {
		first, err := g.ParseElement(data[0])
		n, malformed := g.ParseScalar(data[0])
		switch {
		case what == "element" && err == nil:
			return first.Bytes()
		case what == "scalar" && malformed == nil:
			return n.Bytes()
		case what == "product":
			second, _ := g.ParseElement(data[1])
			return first.Add(second).Bytes()
		case what == "multiple":
			second, _ := g.ParseElement(data[1])
			return group.Mul(n, second).Bytes()
		case what == "hash":
			return g.HashToElement(string(data[0]), data[1:]...).Bytes()
		}
		return nil
	}}
}

func (g squares) size() int { return len(g.p.Bytes()) }

func (g squares) number(n *big.Int) []byte { return n.FillBytes(make([]byte, g.size())) }

// hashed is some number of a class.
func (g squares) hashed(name string) *big.Int {
	return new(big.Int).SetBytes(g.computed("hash", [][]byte{[]byte("pakli/vectors"), []byte(name)}))
}

// class is the encoding of the class of a number.
func (g squares) class(n *big.Int) []byte {
	y := new(big.Int).Mod(n, g.p)
	if y.Cmp(g.q) > 0 {
		y.Sub(g.p, y)
	}
	return g.number(y)
}

// vectors are what is read and computed over the group. What succeeds is computed by
// math/big, and not by what is tested.
func (g squares) vectors() (list []groupVector) {
	add := func(name, comment, what, expect string, result []byte, data ...[]byte) {
		v := groupVector{name, comment, what, nil, expect, hex.EncodeToString(result)}
		for _, d := range data {
			v.Data = append(v.Data, hex.EncodeToString(d))
		}
		list = append(list, v)
	}
	little := func(n *big.Int) []byte { b := g.number(n); slices.Reverse(b); return b }
	plus := func(n *big.Int, m int64) *big.Int { return new(big.Int).Add(n, big.NewInt(m)) }
	y, z := g.hashed("y"), g.hashed("z")

	for _, e := range []struct {
		name, comment string
		n             *big.Int
	}{
		{"one", "the identity", big.NewInt(1)}, {"two", "the generator", big.NewInt(2)}, {"largest", "q", g.q}, {"hashed", "any other", y},
	} {
		add("element-"+e.name, e.comment, "element", "success", g.number(e.n), g.number(e.n))
	}
	for _, e := range []struct {
		name, comment string
		b             []byte
	}{
		{"zero", "no class", g.number(new(big.Int))}, {"above", "q + 1", g.number(plus(g.q, 1))},
		{"minus-one", "p − 1, of order 2 among all numbers", g.number(plus(g.p, -1))},
		{"other", "the larger number of a class", g.number(new(big.Int).Sub(g.p, y))},
		{"p", "0 in other clothes", g.number(g.p)}, {"p-and-one", "1 in other clothes", g.number(plus(g.p, 1))},
		{"ones", fmt.Sprintf("2^%d − 1", 8*g.size()), bytes.Repeat([]byte{0xff}, g.size())}, {"short", "a byte less", g.number(y)[1:]}, {"long", "a byte more", append([]byte{0}, g.number(y)...)},
	} {
		add("element-"+e.name, e.comment, "element", "malformed", nil, e.b)
	}
	last := plus(g.q, -1)
	add("scalar-largest", "q − 1", "scalar", "success", little(last), little(last))
	add("scalar-order", "q", "scalar", "malformed", nil, little(g.q))
	add("scalar-one-and-order", "1 in other clothes", "scalar", "malformed", nil, little(plus(g.q, 1)))
	add("scalar-short", "a byte less", "scalar", "malformed", nil, little(last)[:g.size()-1])
	add("product", "of two classes", "product", "success", g.class(new(big.Int).Mul(y, z)), g.number(y), g.number(z))
	add("product-inverse", "the identity", "product", "success", g.number(big.NewInt(1)), g.number(y), g.class(new(big.Int).ModInverse(y, g.p)))
	for _, e := range []struct {
		name string
		n    *big.Int
	}{{"zero", new(big.Int)}, {"two", big.NewInt(2)}, {"last", last}, {"other", new(big.Int).Rsh(z, 1)}} {
		add("multiple-"+e.name, "a scalar, and an element", "multiple", "success", g.class(new(big.Int).Exp(y, e.n, g.p)), little(e.n), g.number(y))
	}
	for _, parts := range [][][]byte{{[]byte("pakli/v1/card")}, {[]byte("a"), []byte("b"), nil}, {nil, []byte("ab")}} {
		name := hex.EncodeToString(bytes.Join(parts, []byte{0}))
		add("hash-"+name, "the domain and the parts", "hash", "success", g.computed("hash", parts), parts...)
	}
	return list
}

// A group that another program computes otherwise.
func TestGroupVectors(t *testing.T) {
	for name, g := range map[string]squares{
		"qr2048": squaresOf(group.Squares2048(), modp.Group14),
		"qr3072": squaresOf(group.Squares3072(), modp.Group15),
	} {
		file := filepath.Join("..", "..", "docs", "spec", "vectors", "group", name+".jsonl")
		var want bytes.Buffer
		for _, v := range g.vectors() {
			testmust.Do(t, json.NewEncoder(&want).Encode(v))
		}
		for line := range bytes.Lines(testmust.Same(t, file, want.Bytes())) {
			var v groupVector
			testmust.Do(t, json.Unmarshal(line, &v))
			var data [][]byte
			for _, d := range v.Data {
				data = append(data, testmust.Have(hex.DecodeString(d))(t))
			}
			result, expect := g.computed(v.What, data), "success"
			if result == nil {
				expect = "malformed"
			}
			got := hex.EncodeToString(result)
			testmust.Holdf(t, expect == v.Expect && got == v.Result, "%s: %s %s", v.Name, expect, got)
		}
	}
}
