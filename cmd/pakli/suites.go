package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
)

// measured is a suite at one size of deck, on this machine.
type measured struct {
	Suite   string  `json:"suite"`
	Cards   int     `json:"cards"`
	Bytes   int     `json:"proof_bytes"`
	Shuffle float64 `json:"shuffle_ms"` // to permute and remask the deck
	Prove   float64 `json:"prove_ms"`
	Verify  float64 `json:"verify_ms"`
	After   float64 `json:"disclosed_ms,omitempty"` // to check it when the lock is disclosed

	Lacks []string `json:"lacks,omitempty"` // what games may need and it does not prove
}

// runSuites lists the suites with what a shuffle costs under each.
func runSuites(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("suites", "")
	cards := f.String("cards", "20,32,42,52", "sizes of deck to measure, separated by commas")
	runs := f.Int("runs", 5, "how often to measure; the least time counts")
	asJSON := f.Bool("json", false, "print a JSON list")
	if err := parse(f, args, 0); err != nil {
		return exitUsage, err
	}
	sizes, err := numbers("cards", *cards, 2, card.MaxFaces)
	if err != nil || *runs < 1 {
		return exitUsage, cmp.Or(err, wrongUsage("--runs %d: must be at least 1", *runs))
	}
	list := []measured{}
	for _, name := range suite.Names() {
		s, _ := suite.Lookup(name)
		for _, n := range sizes {
			m, err := measure(ctx, s, n, *runs)
			if err != nil {
				return exitFail, fmt.Errorf("%s, %d cards: %w", name, n, err)
			}
			list = append(list, m)
		}
	}
	if *asJSON {
		return exitDone, json.NewEncoder(e.out).Encode(list)
	}
	return exitDone, writeSuites(e.out, list)
}

// measure shuffles a masked deck of n cards, proves that and verifies it.
func measure(ctx context.Context, s proof.Suite, n, runs int) (m measured, err error) {
	prover, err := proof.ProverOf(s)
	if err != nil {
		return m, err
	}
	b := bench{ctx: ctx, suite: prover}
	if b.x, err = prover.NewSecret(rand.Reader); err != nil {
		return m, err
	}
	deck, err := b.deckOf(n)
	if err != nil {
		return m, err
	}
	in, _, err := b.x.Shuffle(benchContext, b.x.Key(), deck.Cards(), rand.Reader)
	if err != nil {
		return m, err
	}
	st := proof.Shuffle{Key: b.x.Key(), By: b.x.Key(), In: in}
	var witness proof.Witness
	made := message{read: func() (proof.Statement, error) { return st, nil }}
	var shuffle, prove, verify, after least
	for range runs {
		if err := errors.Join(
			shuffle.time(1, func() (err error) { st.Out, witness, err = b.x.Shuffle(benchContext, st.Key, in, rand.Reader); return }),
			prove.time(1, func() (err error) { made.proof, err = b.x.Prove(benchContext, st, witness, rand.Reader); return }),
			verify.time(1, func() error { return b.verify(made) }),
			after.time(1, func() error { return b.disclosed(st, witness) }), ctx.Err()); err != nil {
			return m, err
		}
	}
	m = measured{s.Name(), n, len(made.proof), float64(shuffle) / 1e3, float64(prove) / 1e3, float64(verify) / 1e3, 0, lacking(s)}
	if _, defers := proof.Defers(s); defers {
		m.After = float64(after) / 1e3
	}
	return m, nil
}

// disclosed checks a shuffle by its lock, if the suite defers that.
func (m *bench) disclosed(s proof.Shuffle, w proof.Witness) error {
	suite, defers := proof.Defers(m.suite)
	if !defers {
		return nil
	}
	lock, err := suite.ParseLock(s.By, m.x.Bytes())
	if err != nil {
		return err
	}
	return lock.Shuffled(s, w.(proof.Ordered).Order())
}

// lacking are the relations that s does not prove.
func lacking(s proof.Suite) []string {
	return slices.DeleteFunc(proof.Relations(), func(relation string) bool { return proof.Proves(s, relation) })
}

func writeSuites(w io.Writer, list []measured) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "cards\tproof bytes\tshuffle ms\tprove ms\tverify ms\tdisclosed ms\t  suite")
	for _, m := range list {
		name := m.Suite
		if len(m.Lacks) > 0 {
			name += " (without " + strings.Join(m.Lacks, ", ") + ")"
		}
		after := "–"
		if m.After > 0 {
			after = fmt.Sprintf("%.2f", m.After)
		}
		fmt.Fprintf(t, "%d\t%d\t%.2f\t%.2f\t%.2f\t%s\t  %s\n", m.Cards, m.Bytes, m.Shuffle, m.Prove, m.Verify, after, name)
	}
	return t.Flush()
}
