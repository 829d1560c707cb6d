//go:build unix

package twocolumns_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/twocolumns"
)

// BenchmarkAgainstOneColumn measures this argument and bayergroth by turns, and
// reports the ratio of their least processor times and of their medians: of proving without
// the shuffle, of verifying one proof and the cards after the shuffle from bytes,
// and of the same for each of a chain of 64 in one batch. GOMAXPROCS should be 1.
func BenchmarkAgainstOneColumn(b *testing.B) {
	const chain = 64
	arguments := [2]shuffle.Prover{bayergroth.Prover{}, twocolumns.Prover{}}
	for _, n := range []int{32, 42, 52} {
		k := handtest.Secret(b).Key()
		links := [2][]link{shuffled(b, arguments[0], k, n, chain), shuffled(b, arguments[1], k, n, chain)}
		for name, op := range map[string]func(which int){
			"prove":  func(i int) { shuffletest.Prove(b, arguments[i], links[i][0].s, links[i][0].o) },
			"verify": func(i int) { verifyFromBytes(b, arguments[i], k, links[i][:1]) },
			"batch":  func(i int) { verifyFromBytes(b, arguments[i], k, links[i]) },
		} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) { compare(b, op, name == "batch") })
		}
		b.Run(fmt.Sprint("bytes/", n), func(b *testing.B) {
			b.ReportMetric(float64(len(links[1][0].proof))/float64(len(links[0][0].proof)), "ratio")
		})
	}
}

// compare runs op(0) and op(1) by turns.
func compare(b *testing.B, op func(which int), batch bool) {
	var times [2][]time.Duration
	for b.Loop() {
		for i := range times {
			start := cpu(b)
			op(i)
			times[i] = append(times[i], cpu(b)-start)
		}
	}
	units := 1.
	if batch {
		units = 64
	}
	for i := range times {
		slices.Sort(times[i])
	}
	half := len(times[0]) / 2
	b.ReportMetric(float64(times[0][0])/units/1e3, "µs-one")
	b.ReportMetric(float64(times[1][0])/units/1e3, "µs-two")
	b.ReportMetric(float64(times[1][0])/float64(times[0][0]), "ratio")
	b.ReportMetric(float64(times[1][half])/float64(times[0][half]), "ratio-medians")
}

// cpu is the processor time of this process, which others on the machine disturb less
// than the clock.
func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	testmust.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// link is one shuffle of a chain.
type link struct {
	s     shuffle.Statement
	o     masking.Opening
	out   []byte
	proof []byte
}

func shuffled(b *testing.B, a shuffle.Prover, k *masking.Key, n, length int) []link {
	links := make([]link, length)
	in := shuffletest.Masked(b, k, n)
	for i := range links {
		o := shuffletest.Opening(b, rotated(n)...)
		s := shuffletest.By(k, in, o)
		links[i] = link{s, o, masking.Encode(s.Out...), shuffletest.Prove(b, a, s, o)}
		in = s.Out
	}
	return links
}

// verifyFromBytes verifies a chain whose first deck is known.
func verifyFromBytes(b *testing.B, a shuffle.Argument, k *masking.Key, links []link) {
	var batch group.Batch
	in := links[0].s.In
	for i, l := range links {
		out := make([]masking.Card, len(in))
		for j := range out {
			out[j] = testmust.Have(masking.ParseCard(l.out[masking.CardSize*j:][:masking.CardSize]))(b)
		}
		batch.Label(uint64(i))
		testmust.Do(b, a.Verify(shuffletest.At(0), shuffle.Statement{Key: k, In: in, Out: out}, l.proof, &batch))
		in = out
	}
	testmust.Do(b, batch.Check(rand.Reader))
}
