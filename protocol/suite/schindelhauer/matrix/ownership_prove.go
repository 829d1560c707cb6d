package matrix

import (
	"fmt"
	"io"
	"math/big"
	"runtime"
	"sync"

	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveOwnership proves that the secret's key is a modulus as Ownership states.
func ProveOwnership(ctx transcript.Context, s *Secret, rand io.Reader) ([]byte, error) {
	st := Ownership{s.key}
	t := transcript.New(ctx, st)
	stream, err := t.Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, fmt.Errorf("ownership: %w", err)
	}
	w, err := s.key.drawNegative(stream)
	if err != nil {
		return nil, err
	}
	msg := message{w: w, x: make([][]uint64, rounds), z: make([][]uint64, rounds), a: make([]byte, rounds/8), b: make([]byte, rounds/8)}
	answers := make([]roundAnswer, rounds)
	ys, known := drawChallenges(t, s.key, w), s.fourthRootsOf(w)
	RunParallel(rounds, func(l int) { answers[l] = s.answerRound(known, ys[l]) })
	for l, a := range answers {
		msg.x[l], msg.z[l] = a.x, a.z
		msg.a[l/8] |= byte(a.a << (l % 8))
		msg.b[l/8] |= byte(a.b << (l % 8))
	}
	return msg.proofBytes(), nil
}

// RunParallel calls do for 0 … n−1, which must be independent of one another, on all processors.
func RunParallel(n int, do func(int)) {
	var workers sync.WaitGroup
	processors := runtime.GOMAXPROCS(0)
	for first := range processors {
		workers.Go(func() {
			for i := first; i < n; i += processors {
				do(i)
			}
		})
	}
	workers.Wait()
}

// drawNegative draws a number of Jacobi symbol −1, which will be published.
func (m *Modulus) drawNegative(stream io.Reader) ([]uint64, error) {
	w := make([]uint64, m.Words())
	for {
		if err := m.DrawNumber(w, stream); err != nil {
			return nil, err
		}
		if big.Jacobi(new(big.Int).SetBytes(modp.AppendTo(nil, w)), m.n) == -1 {
			return w, nil
		}
	}
}

// fourthRoots is the fourth roots of a number, up to signs, and whether the number is a square modulo
// each factor.
type fourthRoots struct {
	fourth           residue
	squareP, squareQ uint64
}

func (s *Secret) fourthRootsOf(u []uint64) fourthRoots {
	x := s.residueOf(u)
	return fourthRoots{
		residue{s.p.raisePower(x.p, s.p.fourth), s.q.raisePower(x.q, s.q.fourth)},
		s.p.isSquare(x.p, s.p.raisePower(x.p, s.p.unroot)), s.q.isSquare(x.q, s.q.raisePower(x.q, s.q.unroot)),
	}
}

type roundAnswer struct {
	x, z []uint64
	a, b uint64
}

// answerRound multiplies fourth roots: u^fourth is a fourth root of u or of −u, whichever is a square.
// The bit b makes y a square modulo q exactly if it is one modulo p, and then a makes it a square.
func (s *Secret) answerRound(w fourthRoots, y []uint64) roundAnswer {
	k, x := s.fourthRootsOf(y), s.residueOf(y)
	b := k.squareP ^ k.squareQ
	a := 1 ^ k.squareP ^ b&(1^w.squareP)
	root := residue{s.p.multiplyIf(k.fourth.p, w.fourth.p, b), s.q.multiplyIf(k.fourth.q, w.fourth.q, b)}
	all := roundAnswer{
		s.combineResidues(root), s.combineResidues(residue{s.p.raisePower(x.p, s.p.inverse), s.q.raisePower(x.q, s.q.inverse)}), a, b,
	}
	s.key.FoldSign(all.x)
	return all
}

// multiplyIf returns x·y if choice is 1, and x if it is 0.
func (f primeFactor) multiplyIf(x, y []uint64, choice uint64) []uint64 {
	z := make([]uint64, len(x))
	f.ring.Mul(z, x, y)
	modp.Choose(x, z, choice)
	return x
}

func (msg *message) proofBytes() []byte {
	b := modp.AppendTo(nil, msg.w)
	for _, z := range append(msg.x, msg.z...) {
		b = modp.AppendTo(b, z)
	}
	return append(append(b, msg.a...), msg.b...)
}
