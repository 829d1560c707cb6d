// Package bench measures proofs, shuffles, logs and clusters.
package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
)

// Commands returns the benchmarks. They are no tests: people judge their output.
func Commands() []command.Command {
	return []command.Command{
		{Name: "proofs", Short: "measure every proof of every suite", Examples: []string{"pakli bench proofs --quick"}, Declare: proofsCommand},
		{Name: "log", Short: "measure appending to a log, in process and over REST", Examples: []string{"pakli bench log --rounds 1"}, Declare: logCommand},
	}
}

func proofsCommand(f *command.Flags) command.Body {
	f.Long = `It measures every proof of every suite on one core: to prove, which includes making
the cards or tokens that the proof is about; to verify one from its message's
bytes, what earlier messages said being known; and each of many verified as one
batch. Times are the least of several passes, in microseconds and, beside it, as
multiples of one multiplication of an element by a scalar in constant time,
measured in between.
`
	only := f.String("suite", "", "measure one suite (default: all but those whose proofs take megabytes)")
	quick := f.Bool("quick", false, "one pass over small decks, to see that all works; without --suite the slow suites are left out")
	passes := f.Int("passes", 30, "passes; a slow proof gets fewer")
	return func(ctx context.Context, e command.Env) error {
		names := measurable()
		if *only != "" {
			names = []string{*only}
		}
		if *quick {
			*passes = 1
			names = slices.DeleteFunc(names, func(name string) bool { return *only == "" && strings.HasPrefix(name, "qr") })
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		figures := figures{Go: runtime.Version(), Machine: runtime.GOOS + "/" + runtime.GOARCH}
		for _, name := range names {
			s, ok := suite.Lookup(name)
			if !ok {
				return command.WrongUsage("--suite %s: there are %v", name, suite.Names())
			}
			prover, err := proof.ProverOf(s)
			if err != nil {
				return err
			}
			m := &bench{ctx: ctx, suite: proof.JoinProofs(prover), quick: *quick, passes: max(1, *passes), unit: &figures.Unit}
			list, err := m.runTasks()
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			figures.Suites = append(figures.Suites, suiteFigures{name, list})
		}
		figures.countMultiples()
		return e.SayText(figures, figures.write)
	}
}

// figures is the output of bench proofs. Times are in microseconds.
type figures struct {
	Go      string         `json:"go"`
	Machine string         `json:"machine"`
	Unit    leastTime      `json:"multiplication_us"`
	Suites  []suiteFigures `json:"suites"`
}

type suiteFigures struct {
	Suite  string    `json:"suite"`
	Proofs []*figure `json:"proofs"`
}

// figure is one row: a kind of proof.
type figure struct {
	Proof  string    `json:"proof"`
	Prove  leastTime `json:"prove_us"`
	Verify leastTime `json:"verify_us"`
	Each   leastTime `json:"batch_us"` // if Batch of them are verified together
	Batch  int       `json:"batch"`
	Bytes  int       `json:"bytes"` // of the proof alone

	Multiples [3]float64 `json:"multiplications"` // the three times
}

// countMultiples computes the times in multiplications.
func (f *figures) countMultiples() {
	for _, s := range f.Suites {
		for _, p := range s.Proofs {
			p.Multiples = [3]float64{float64(p.Prove / f.Unit), float64(p.Verify / f.Unit), float64(p.Each / f.Unit)}
		}
	}
}

func (f *figures) write(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, one core; one multiplication %.1f µs (×)\n", f.Machine, f.Go, f.Unit)
	for _, s := range f.Suites {
		fmt.Fprintf(w, "\n%s\n", s.Suite)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "proof\tprove µs\t×\tverify µs\t×\tin batch µs\t×\tof\tbytes\t")
		for _, p := range s.Proofs {
			fmt.Fprintf(t, "%s\t%.0f\t%.1f\t%.0f\t%.1f\t%.1f\t%.1f\t%d\t%d\t\n", p.Proof,
				p.Prove, p.Multiples[0], p.Verify, p.Multiples[1], p.Each, p.Multiples[2], p.Batch, p.Bytes)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
