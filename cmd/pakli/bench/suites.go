package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// shuffleCost is the cost of a shuffle with a suite and size of deck on this machine.
type shuffleCost struct {
	Suite   string  `json:"suite"`
	Cards   int     `json:"cards"`
	Bytes   int     `json:"proof_bytes"`
	Shuffle float64 `json:"shuffle_ms"` // to permute and remask the deck
	Prove   float64 `json:"prove_ms"`
	Verify  float64 `json:"verify_ms"`
	After   float64 `json:"disclosed_ms,omitempty"` // to check the shuffle when the lock is disclosed

	Lacks []string `json:"lacks,omitempty"` // relations that games may need and the suite does not prove

	Refused string `json:"refused,omitempty"` // why no deck of that size is dealt and measured
}

// Suites lists the suites with what a shuffle costs under each.
func Suites(f *command.Flags) command.Body {
	cards := f.String("cards", "20,32,42,52", "sizes of deck to measure, separated by commas")
	runs := f.Int("runs", 5, "`number` of measurements, of which the fastest counts")
	only := f.String("suite", "", "measure this `suite` alone (default: all but those whose proofs take megabytes, which are listed)")
	seats := f.Int("seats", 2, "`number` of seats; it matters only for suites whose cards are matrices")
	return func(ctx context.Context, e command.Env) error {
		sizes, err := command.Numbers("cards", *cards, 2, card.MaxFaces)
		if err != nil || *runs < 1 {
			return cmp.Or(err, command.WrongUsage("--runs %d: must be at least 1", *runs))
		}
		if *seats < 1 || *seats > wire.MaxSeats {
			return command.WrongUsage("--seats %d: must be from 1 to %d", *seats, wire.MaxSeats)
		}
		names, listed := measurable(), suite.Names()
		if *only != "" {
			names, listed = []string{*only}, []string{*only}
		}
		if _, ok := suite.Lookup(names[0]); !ok {
			return command.WrongUsage("--suite %s: there are %v", names[0], suite.Names())
		}
		list, err := measureAll(ctx, e, names, sizes, *seats, *runs)
		if err != nil {
			return err
		}
		style := terminal.Environment(e.Out)
		return e.SayText(list, func(w io.Writer) error { return errors.Join(writeSuites(w, list), writeKnown(w, style, listed, list)) })
	}
}

// measureAll measures suites at these sizes of deck and shows progress, since it takes minutes.
func measureAll(ctx context.Context, e command.Env, names []string, sizes []int, seats, runs int) ([]shuffleCost, error) {
	list, bar := []shuffleCost{}, flags.NewProgress(e.Err)
	defer bar.EndBar()
	for _, name := range names {
		s, _ := suite.Lookup(name)
		for _, n := range sizes {
			bar.ShowPart(float64(len(list))/float64(len(names)*len(sizes)), name)
			m, err := measureShuffle(ctx, s, n, seats, runs)
			if err != nil {
				return nil, fmt.Errorf("%s, %d cards: %w", name, n, err)
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// measurable returns the suites that are measured by default. With the others a shuffle takes seconds
// and megabytes (docs/spec/32-masking-residues.md, 32.6).
func measurable() []string {
	return slices.DeleteFunc(suite.Names(), func(name string) bool { return slices.Contains(flags.LongSuites(), name) })
}

// longEnough is how long one suite is measured at one size, after the first run.
const longEnough = 2 * time.Second

// measureShuffle shuffles a masked deck of n cards for the given seats, proves the shuffle and
// verifies it.
func measureShuffle(ctx context.Context, s proof.Suite, n, seats, runs int) (m shuffleCost, err error) {
	prover, err := proof.ProverOf(s)
	if err != nil {
		return m, err
	}
	b := bench{ctx: ctx, suite: proof.JoinProofs(prover)}
	if b.x, err = b.suite.NewSecret(rand.Reader); err != nil {
		return m, err
	}
	deck, err := b.deckOf(n)
	if err != nil {
		return shuffleCost{Suite: s.Name(), Cards: n, Refused: err.Error()}, nil
	}
	joint, err := b.joint(seats)
	if err != nil {
		return m, err
	}
	in, _, err := b.x.Shuffle(benchContext, joint, deck.Cards(), rand.Reader)
	if err != nil {
		return m, err
	}
	st := proof.Shuffle{Key: joint, By: b.x.Key(), In: in}
	var witness proof.Witness
	made := proofMessage{read: func() (proof.Statement, error) { return st, nil }}
	var shuffle, prove, verify, after leastTime
	for began := time.Now(); runs > 0 && (made.proof == nil || time.Since(began) < longEnough); runs-- {
		if err := errors.Join(
			shuffle.takeTime(1, func() (err error) { st.Out, witness, err = b.x.Shuffle(benchContext, st.Key, in, rand.Reader); return }),
			prove.takeTime(1, func() (err error) { made.proof, err = b.x.Prove(benchContext, st, witness, rand.Reader); return }),
			verify.takeTime(1, func() error { return b.verifyBatch(made) }),
			after.takeTime(1, func() error { return b.checkDisclosed(st, witness) }), ctx.Err()); err != nil {
			return m, err
		}
	}
	m = shuffleCost{s.Name(), n, proof.JoinedLogLen(b.suite, st, made.proof), float64(shuffle) / 1e3, float64(prove) / 1e3, float64(verify) / 1e3, 0, lacking(s), ""}
	if _, defers := proof.AsDeferring(s); defers {
		m.After = float64(after) / 1e3
	}
	return m, nil
}

// joint returns the joint key of x and others, for the given number of seats.
func (m *bench) joint(seats int) (proof.Key, error) {
	keys := []proof.Key{m.x.Key()}
	for len(keys) < seats {
		x, err := m.suite.NewSecret(rand.Reader)
		if err != nil {
			return nil, err
		}
		keys = append(keys, x.Key())
	}
	return m.suite.Encoding().Joint(keys)
}

// checkDisclosed checks a shuffle by its lock if the suite defers this check.
func (m *bench) checkDisclosed(s proof.Shuffle, w proof.Witness) error {
	suite, defers := proof.AsDeferring(m.suite)
	if !defers {
		return nil
	}
	lock, err := suite.ParseLock(s.By, m.x.Bytes())
	if err != nil {
		return err
	}
	return lock.CheckShuffle(s, w.(proof.OrderWitness).Order())
}

// lacking returns the relations that s does not prove.
func lacking(s proof.Suite) []string {
	return slices.DeleteFunc(proof.Relations(), func(relation string) bool { return proof.Proves(s, relation) })
}

// writeSuites writes one line for each suite and size in 80 columns. Times after the game have
// columns only if some suite has them, since names are long.
func writeSuites(w io.Writer, list []shuffleCost) error {
	fmt.Fprintln(w, "A shuffle: the bytes of its proof, and milliseconds on this machine.")
	row := []string{"cards", "bytes", "shuffle", "prove", "verify"}
	later := slices.ContainsFunc(list, func(m shuffleCost) bool { return m.After > 0 })
	if later {
		fmt.Fprintln(w, "after: to check what is disclosed when the game is over.")
		row = append(row, "after")
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, strings.Join(row, "\t")+"\t suite")
	for _, m := range list {
		fmt.Fprintln(t, strings.Join(m.row()[:len(row)], "\t")+"\t "+m.suiteLabel())
	}
	return t.Flush()
}

// row returns the figures by column.
func (m shuffleCost) row() []string {
	cards := fmt.Sprint(m.Cards)
	if m.Refused != "" {
		return []string{cards, "–", "–", "–", "–", "–"}
	}
	after := "–"
	if m.After > 0 {
		after = digits(m.After)
	}
	return []string{cards, fmt.Sprint(m.Bytes), digits(m.Shuffle), digits(m.Prove), digits(m.Verify), after}
}

// suiteLabel returns the name of the suite, and whether a deck was dealt.
func (m shuffleCost) suiteLabel() string {
	if m.Refused != "" {
		return m.Suite + ": not dealt"
	}
	return m.Suite
}

// digits returns a number with three significant digits, and all digits before the point.
func digits(ms float64) string {
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.2f", ms)
}

// writeKnown writes what each suite proves and rests on, why decks were not dealt, and how to measure
// the others.
func writeKnown(w io.Writer, style terminal.Style, names []string, list []shuffleCost) error {
	var text strings.Builder
	line := func(what, say string) {
		text.WriteString(style.Wrap(fmt.Sprintf("  %-15s%s", what, say), 17) + "\n")
	}
	for _, name := range names {
		s, _ := suite.Lookup(name)
		k := knownOf(name)
		fmt.Fprintf(&text, "\n%s: %d bits\n", name, k.Bits)
		line("proves", strings.Join(proving(s), ", "))
		if lacks := lacking(s); len(lacks) > 0 {
			line("does not prove", strings.Join(lacks, ", ")+": games that need these do not open with it")
		}
		line("hides by", k.Hides)
		line("convinces by", k.Convince)
		line("known since", k.Weaker)
		for _, m := range list {
			if m.Suite == name && m.Refused != "" {
				line("not dealt", fmt.Sprintf("%d cards: %s", m.Cards, m.Refused))
			}
		}
		if slices.Contains(flags.LongSuites(), name) {
			line("on a server", "only where its operator allows it (--allow-suites)")
		}
		if !slices.ContainsFunc(list, func(m shuffleCost) bool { return m.Suite == name }) {
			line("measured by", "pakli suites --suite "+name+": a shuffle takes seconds and megabytes")
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// proving returns the relations that s proves, including those of piles.
func proving(s proof.Suite) []string {
	all := append(proof.Relations(), "arrange", "mint")
	return slices.DeleteFunc(all, func(relation string) bool { return !proof.Proves(s, relation) })
}

// suiteBasis is what a suite's security rests on: the group of its cards, and the assumptions of its
// proofs.
type suiteBasis struct {
	Bits     int    `json:"bits"`     // of work to break the group, as far as is known
	Hides    string `json:"hides"`    // what must be hard, so that nobody sees a card
	Convince string `json:"convince"` // what must be hard, so that nobody proves what is false
	Weaker   string `json:"weaker"`   // since when the group is known to be weaker than it looks, and how
}

// knownOf returns the basis of the suite with that name.
func knownOf(name string) suiteBasis {
	group, argument, _ := strings.Cut(name, "-")
	k := groups[group]
	k.Convince = cmp.Or(k.logarithm, "collisions of SHA-256") + ", and SHA-3 as a random oracle"
	switch {
	case strings.HasPrefix(argument, "cutandchoose-chosen"):
		k.Convince = "of shuffles those who asked, and nobody else, up to one chance in 2^40: collisions of SHA-256; of the rest everybody: " + k.Convince
	case k.logarithm != "" && strings.HasPrefix(argument, "cutandchoose"):
		k.Convince = "collisions of SHA-256, and SHA-3 as a random oracle, of shuffles; of the rest " + k.logarithm
	case strings.HasPrefix(argument, "disclosed"):
		k.Convince = "nothing of shuffles and tokens: all is computed again when the locks are disclosed"
	}
	return k.suiteBasis
}

// basis is what is known about a group.
type basis struct {
	suiteBasis
	logarithm string // what else must be hard; "" if there is no group
}

const (
	quantum = "1994: none of it holds against a quantum computer (Shor)"
	curve   = "decisional Diffie–Hellman in ristretto255"
	squares = "decisional Diffie–Hellman among squares modulo the prime of RFC 3526 of "
	factors = "quadratic residuosity modulo each seat's own product of two primes of "
	sifted  = "1993: factors by the number field sieve (Buhler, Lenstra, Pomerance), from which the size comes: work of "
	sieve   = "1993: logarithms modulo a prime by the number field sieve (Gordon), from which the size comes: work of "
)

var groups = map[string]basis{
	"ristretto255":      {suiteBasis{126, curve, "", quantum}, "discrete logarithms in ristretto255"},
	"sra255":            {suiteBasis{126, curve + ", for cards that are hashed to it", "", "1981: cards that are numbers show by what is a square (Lipton); these are hashed. " + quantum}, "discrete logarithms in ristretto255"},
	"qr2048":            {suiteBasis{112, squares + "2048 bits", "", sieve + "2^112, which NIST takes to be enough until 2030. " + quantum}, "discrete logarithms modulo that prime"},
	"qr3072":            {suiteBasis{128, squares + "3072 bits", "", sieve + "2^128. " + quantum}, "discrete logarithms modulo that prime"},
	"schindelhauer2048": {suiteBasis{112, factors + "1024 bits", "", sifted + "2^112, which NIST takes to be enough until 2030. " + quantum}, ""},
	"schindelhauer3072": {suiteBasis{128, factors + "1536 bits", "", sifted + "2^128. " + quantum}, ""},
	"sra3072":           {suiteBasis{128, squares + "3072 bits, for cards that are hashed", "", "1981: cards that are numbers show by what is a square (Lipton); these are hashed, to classes. " + sieve + "2^128. " + quantum}, "discrete logarithms modulo that prime"},
}
