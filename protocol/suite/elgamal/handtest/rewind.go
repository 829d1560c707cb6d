package handtest

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Stream is the source that provers draw from.
type Stream = *transcript.Stream

// NamedCoins returns the stream of bytes that belongs to a name.
func NamedCoins(name string) Stream {
	coins, err := TranscriptAt(Here).Hedge([]byte(name), bytes.NewReader(make([]byte, 32)))
	if err != nil {
		panic("handtest: " + err.Error()) // 32 bytes are long enough
	}
	return coins
}

// NamedScalars returns the n scalars that belong to a name; they are all different.
func NamedScalars(t testing.TB, name string, n int) []group.Scalar {
	t.Helper()
	list, err := Group.RandomScalars(NamedCoins(name), n)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// PolynomialThrough returns the coefficients, the constant first, of the polynomial of degree below
// len(at) that has these values. Two answers c·a + b to challenges c and c' give b and a.
func PolynomialThrough(t testing.TB, at, values []group.Scalar) []group.Scalar {
	t.Helper()
	matrix := make([][]group.Scalar, len(at))
	for i, x := range at {
		power := Group.One()
		for range at {
			matrix[i] = append(matrix[i], power)
			power = power.Mul(x)
		}
	}
	return SolveLinear(t, matrix, values)
}

// Polynomials is PolynomialThrough for each component of vectors: it returns the vector of constants,
// then that of first coefficients, and so on.
func Polynomials(t testing.TB, at []group.Scalar, values [][]group.Scalar) [][]group.Scalar {
	t.Helper()
	coefficients := make([][]group.Scalar, len(at))
	for l := range values[0] {
		component := make([]group.Scalar, len(at))
		for i := range values {
			component[i] = values[i][l]
		}
		for k, c := range PolynomialThrough(t, at, component) {
			coefficients[k] = append(coefficients[k], c)
		}
	}
	return coefficients
}

// SolveLinear returns v with matrix·v = right, by elimination. The matrix must be regular.
func SolveLinear(t testing.TB, matrix [][]group.Scalar, right []group.Scalar) []group.Scalar {
	t.Helper()
	rows := make([][]group.Scalar, len(matrix))
	for i := range rows {
		rows[i] = append(append([]group.Scalar(nil), matrix[i]...), right[i])
	}
	for k := range rows {
		pivot := k
		for pivot < len(rows) && rows[pivot][k].IsZero() {
			pivot++
		}
		if pivot == len(rows) {
			t.Fatal("handtest: the answers depend on one another")
		}
		rows[k], rows[pivot] = rows[pivot], rows[k]
		eliminateColumn(rows, k)
	}
	solution := make([]group.Scalar, len(rows))
	for k := range rows {
		solution[k] = rows[k][len(rows)]
	}
	return solution
}

// eliminateColumn makes column k the k-th column of the identity.
func eliminateColumn(rows [][]group.Scalar, k int) {
	inverse := rows[k][k].Invert()
	for l := range rows[k] {
		rows[k][l] = rows[k][l].Mul(inverse)
	}
	for i := range rows {
		if factor := rows[i][k]; i != k {
			for l := range rows[i] {
				rows[i][l] = rows[i][l].Sub(factor.Mul(rows[k][l]))
			}
		}
	}
}

// ExtractSlopes is the extractor of all arguments with responses c·a + b: it asks a prover for two
// accepted proofs, with their last challenges, and returns a for each response. It fails the test if
// the two proofs do not begin with the same elements.
func ExtractSlopes(t testing.TB, elements int, ask func(i int) (proof []byte, c group.Scalar)) []group.Scalar {
	t.Helper()
	var first [2][]byte
	var challenges []group.Scalar
	var answers [][]group.Scalar
	for i := range first {
		proof, c := ask(i)
		responses := proof[elements*Group.ElementSize:]
		p := Group.NewParser(responses)
		answers = append(answers, p.Scalars(len(responses)/Group.ScalarSize))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		first[i], challenges = proof[:len(proof)-len(responses)], append(challenges, c)
	}
	if !bytes.Equal(first[0], first[1]) {
		t.Fatal("handtest: first words depend on the last challenge")
	}
	return Polynomials(t, challenges, answers)[1]
}

// SmallNumber returns the number below bound that s is.
func SmallNumber(t testing.TB, s group.Scalar, bound int) uint16 {
	t.Helper()
	for n := range bound {
		if s.Equal(Group.ScalarFromUint64(uint64(n))) {
			return uint16(n)
		}
	}
	t.Fatalf("handtest: what was extracted is no number below %d", bound)
	return 0
}

// ExpectAccepted fails the test if the equations that add adds do not hold.
func ExpectAccepted(t testing.TB, what string, add func(*group.Batch)) {
	t.Helper()
	if err := checkEquations(add); err != nil {
		t.Fatalf("%s is refused: %v", what, err)
	}
}

// ExpectRefused fails the test if the equations that add adds hold.
func ExpectRefused(t testing.TB, what string, add func(*group.Batch)) {
	t.Helper()
	if checkEquations(add) == nil {
		t.Errorf("%s is accepted", what)
	}
}

func checkEquations(add func(*group.Batch)) error {
	return CheckEquations(func(b *group.Batch) error { add(b); return nil })
}
