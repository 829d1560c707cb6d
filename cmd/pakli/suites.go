package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/transcript"
)

// measured is a suite at one size of deck, on this machine.
type measured struct {
	Suite   string  `json:"suite"`
	Cards   int     `json:"cards"`
	Bytes   int     `json:"proof_bytes"`
	Shuffle float64 `json:"shuffle_ms"` // to permute and remask the deck
	Prove   float64 `json:"prove_ms"`
	Verify  float64 `json:"verify_ms"`
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
	sizes, err := parseSizes(*cards)
	if err != nil || *runs < 1 {
		return exitUsage, cmp.Or(err, wrongUsage("--runs %d: must be at least 1", *runs))
	}
	list := []measured{}
	for _, name := range suite.Names() {
		s, _ := suite.Lookup(name)
		for _, n := range sizes {
			if ctx.Err() != nil {
				return exitFail, ctx.Err()
			}
			m, err := measure(s, n, *runs)
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

func parseSizes(list string) ([]int, error) {
	var sizes []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 || n > card.MaxFaces {
			return nil, wrongUsage("--cards: %q is no number from 2 to %d", text, card.MaxFaces)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// measure shuffles a masked deck of n cards, proves that and verifies it.
func measure(s proof.Suite, n, runs int) (measured, error) {
	m := measured{Suite: s.Name(), Cards: n}
	deck, err := anyDeck(s, n)
	if err != nil {
		return m, err
	}
	prover, err := proof.ProverOf(s)
	if err != nil {
		return m, err
	}
	secret, err := prover.NewSecret(rand.Reader)
	if err != nil {
		return m, err
	}
	c := transcript.Bind(transcript.Suite(s.Name()), "suites", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "suites", 0).Slot(0)
	in, _, err := secret.Shuffle(c, secret.Key(), deck, rand.Reader)
	if err != nil {
		return m, err
	}
	for range runs {
		st := proof.Shuffle{Key: secret.Key(), In: in}
		var witness proof.Witness
		var bytes []byte
		for _, step := range []struct {
			least *float64
			do    func() error
		}{
			{&m.Shuffle, func() (err error) { st.Out, witness, err = secret.Shuffle(c, st.Key, in, rand.Reader); return }},
			{&m.Prove, func() (err error) { bytes, err = secret.Prove(c, st, witness, rand.Reader); return }},
			{&m.Verify, func() error { return verifyAlone(c, s, st, bytes) }},
		} {
			begin := time.Now()
			if err := step.do(); err != nil {
				return m, err
			}
			if took := time.Since(begin).Seconds() * 1e3; *step.least == 0 || took < *step.least {
				*step.least = took
			}
		}
		m.Bytes = len(bytes)
	}
	return m, nil
}

func verifyAlone(c transcript.Context, s proof.Suite, st proof.Statement, bytes []byte) error {
	b := s.NewBatch()
	if err := s.Verify(c, st, bytes, b); err != nil {
		return err
	}
	return b.Check()
}

// anyDeck returns the open cards of a deck of n faces.
func anyDeck(s proof.Suite, n int) ([]proof.Masked, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	faces, err := card.NewDeck("suites", names)
	if err != nil {
		return nil, err
	}
	deck, err := s.Encoding().Deck(faces)
	if err != nil {
		return nil, err
	}
	return deck.Cards(), nil
}

func writeSuites(w io.Writer, list []measured) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "cards\tproof bytes\tshuffle ms\tprove ms\tverify ms\t  suite")
	for _, m := range list {
		fmt.Fprintf(t, "%d\t%d\t%.2f\t%.2f\t%.2f\t  %s\n", m.Cards, m.Bytes, m.Shuffle, m.Prove, m.Verify, m.Suite)
	}
	return t.Flush()
}
