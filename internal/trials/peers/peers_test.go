package peers_test

import (
	"crypto/rand"
	"testing"
	"time"

	"go.dedis.ch/kyber/v4"
	"go.dedis.ch/kyber/v4/group/edwards25519"
	"go.dedis.ch/kyber/v4/group/p256"
	kyberproof "go.dedis.ch/kyber/v4/proof"
	kybershuffle "go.dedis.ch/kyber/v4/shuffle"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// cards is the size of the deck that both sides shuffle.
const cards = 42

// chain is the number of shuffles in a batch.
const chain = 64

// BenchmarkShuffle shuffles, proves and verifies in turn with pakli and with
// kyber over two groups, and reports the least time of each and their ratios,
// and pakli's also in multiplications of its own group, measured in between.
// All on one core: run it with GOMAXPROCS=1. Where pakli verifies one shuffle, the cards after it and the
// proof are bytes and the cards before it are known from the message before;
// "both" parses these too. In the batch, everything is bytes.
//
//	GOMAXPROCS=1 go test -run - -bench Shuffle -benchtime 30x
func BenchmarkShuffle(b *testing.B) {
	ours := newOurs(b)
	peers := []*peer{newPeer("p256", p256.NewBlakeSHA256P256()), newPeer("ed25519", edwards25519.NewBlakeSHA256Ed25519())}
	var prove, verify, both, batch, unit least
	for b.Loop() {
		prove.time(ours.prove)
		unit.time(ours.multiply)
		known := ours.parse(ours.last.in)
		verify.time(func() { ours.verify(known, ours.last) })
		both.time(func() { ours.verify(ours.parse(ours.last.in), ours.last) })
		batch.time(func() { ours.verify(ours.parse(ours.chain[0].in), ours.chain...) })
		unit.time(ours.multiply)
		for _, p := range peers {
			p.least[0].time(func() { p.prove(b) })
			p.least[1].time(func() { p.verify(b) })
		}
	}
	each := least(float64(batch) / chain)
	for name, d := range map[string]least{"prove": prove, "verify": verify, "verify-both": both, "verify-batch": each} {
		b.ReportMetric(float64(d)/1e6, "pakli-"+name+"-ms")
		b.ReportMetric(float64(d)/float64(unit), "pakli-"+name+"-mults")
	}
	b.ReportMetric(float64(len(ours.last.proof)), "pakli-bytes")
	for _, p := range peers {
		b.ReportMetric(float64(p.least[0])/1e6, p.name+"-prove-ms")
		b.ReportMetric(float64(p.least[1])/1e6, p.name+"-verify-ms")
		b.ReportMetric(float64(len(p.proof)), p.name+"-bytes")
		b.ReportMetric(float64(p.least[0])/float64(prove), p.name+"-prove-ratio")
		for name, d := range map[string]least{"verify": verify, "verify-both": both, "verify-batch": each} {
			b.ReportMetric(float64(p.least[1])/float64(d), p.name+"-"+name+"-ratio")
		}
	}
}

// least is the least time of something, in nanoseconds.
type least float64

func (l *least) time(f func()) {
	start := time.Now()
	f()
	if d := least(time.Since(start)); *l == 0 || d < *l {
		*l = d
	}
}

var context = transcript.Bind("peers", "peers", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "peers", 0).Slot(0)

// link is one shuffle on the wire: cards before and after it, and its proof.
type link struct{ in, out, proof []byte }

type ours struct {
	b      *testing.B
	secret *masking.Secret
	key    *masking.Key
	cards  []masking.Card
	last   link
	chain  []link
}

func newOurs(b *testing.B) *ours {
	x := testmust.Have(masking.NewSecret(group.Ristretto255(), rand.Reader))(b)
	o := &ours{b: b, secret: x, key: x.Key()}
	for i := range cards {
		r := testmust.Have(group.Ristretto255().RandomScalar(rand.Reader))(b)
		o.cards = append(o.cards, masking.Mask(o.key, group.Ristretto255().HashToElement("peers", []byte{byte(i)}), r))
	}
	for range chain {
		o.prove()
		o.chain = append(o.chain, o.last)
	}
	return o
}

// prove shuffles the cards and proves it, all in constant time, to bytes.
func (o *ours) prove() {
	out, opening, err := o.secret.Shuffle(context, o.key, o.cards, rand.Reader)
	testmust.Do(o.b, err)
	s := masking.ShuffleStatement{Key: o.key, In: o.cards, Out: out}
	proof := testmust.Have((bayergroth.Prover{}).Prove(context, s, opening, rand.Reader))(o.b)
	o.last = link{masking.Encode(o.cards...), masking.Encode(out...), proof}
	o.cards = out
}

// verify verifies a chain from bytes: the cards after each shuffle and its
// proof. Those before the first are known.
func (o *ours) verify(in []masking.Card, links ...link) {
	var batch group.Batch
	for _, l := range links {
		out := o.parse(l.out)
		testmust.Do(o.b, (bayergroth.Argument{}).Verify(context, masking.ShuffleStatement{Key: o.key, In: in, Out: out}, l.proof, &batch))
		in = out
	}
	testmust.Do(o.b, batch.Check(rand.Reader))
}

func (o *ours) parse(bytes []byte) []masking.Card {
	return testmust.Have(masking.ParseCards(group.Ristretto255(), bytes))(o.b)
}

func (o *ours) multiply() { group.Mul(group.Ristretto255().ScalarFromUint64(1<<63), o.key.Element()) }

// peer is kyber's pair shuffle over a group, with the base point left to it,
// which is its faster way. It verifies from points in memory.
type peer struct {
	name         string
	suite        kybershuffle.Suite
	least        [2]least // to shuffle and prove, and to verify
	h            kyber.Point
	x, y, xx, yy []kyber.Point
	proof        []byte
}

func newPeer(name string, s kybershuffle.Suite) *peer {
	stream := s.RandomStream()
	p := &peer{name: name, suite: s, h: s.Point().Mul(s.Scalar().Pick(stream), nil)}
	for range cards {
		r := s.Scalar().Pick(stream)
		p.x = append(p.x, s.Point().Mul(r, nil))
		p.y = append(p.y, s.Point().Add(s.Point().Mul(r, p.h), s.Point().Pick(stream)))
	}
	return p
}

func (p *peer) prove(b *testing.B) {
	xx, yy, prover := kybershuffle.Shuffle(p.suite, nil, p.h, p.x, p.y, p.suite.RandomStream())
	proof := testmust.Have(kyberproof.HashProve(p.suite, "peers", prover))(b)
	p.xx, p.yy, p.proof = xx, yy, proof
}

func (p *peer) verify(b *testing.B) {
	verifier := kybershuffle.Verifier(p.suite, nil, p.h, p.x, p.y, p.xx, p.yy)
	testmust.Do(b, kyberproof.HashVerify(p.suite, "peers", verifier, p.proof))
}
