package games_test

import (
	"crypto/rand"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/qr2048/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/transcript"
)

//go:generate env PAKLI_SUITES=all go test -run TestListing -timeout 30m -update .

var update = flag.Bool("update", false, "write the tables of docs/benchmarks.md anew")

const benchmarks = "../../docs/benchmarks.md"

// A figure in the comparison with LibTMCG that nothing computes any more, or that is no longer
// what a deal of Skat takes. Deals over squares are played with PAKLI_SUITES=all alone, and
// otherwise their rows are taken as they are.
func TestListing(t *testing.T) {
	b := testmust.Have(os.ReadFile(benchmarks))(t)
	page := string(b)
	from := strings.Index(page, "### Bits of a card\n")
	to := from + strings.Index(page[from:], "### A shuffle beside LibTMCG's\n")
	if from < 0 || to < from {
		t.Fatal("the section is not on the page")
	}
	want := bitsOfCards(t) + volumes(t, page[from:to])
	if *update {
		testmust.Do(t, os.WriteFile(benchmarks, []byte(page[:from]+want+page[to:]), 0o644))
	} else if page[from:to] != want {
		t.Errorf("docs/benchmarks.md is stale (go generate ./protocol/games): it must be\n%s", want)
	}
}

// Of Skat: three seats, 32 cards, five bits for a face.
const seats, faces, bitsOfFace = 3, 32, 5

// bitsOfCards is the first table of the article.
func bitsOfCards(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("### Bits of a card\n\n| encoding | of k seats and M faces | Skat, published | Skat, computed | here, measured |\n|---|---|--:|--:|--:|\n")
	residues := func(bits int) (computed, measured string) {
		return thousands(seats * bitsOfFace * bits), thousands(8 * matrixSize(t, bits))
	}
	computed, measured := residues(1024)
	fmt.Fprintf(&b, "| residues [Sch98], ℓ = 1024 | k·⌈log₂ M⌉·ℓ | 15,360 | %s | %s |\n", computed, measured)
	fmt.Fprintf(&b, "| squares [BSm03], ℓ = 1024 | 2ℓ | 2,048 | %s | |\n", thousands(2*1024))
	fmt.Fprintf(&b, "| a curve [BSm03], ℓ = 160 | 2(ℓ + 1) | 322, not built | %s | |\n", thousands(2*161))
	for _, s := range []struct {
		name, formula string
		bits          int
	}{
		{"ristretto255-bayergroth/v1", "2·256", 2 * 256}, {"sra255-bayergroth/v1", "256", 256}, {"sra3072-disclosed/v1", "ℓ", 3072},
		{"qr2048-bayergroth/v1", "2ℓ", 2 * 2048}, {"qr3072-bayergroth/v1", "2ℓ", 2 * 3072},
	} {
		fmt.Fprintf(&b, "| `%s` | %s | | %s | %s |\n", s.name, s.formula, thousands(s.bits), thousands(8*cardSize(t, s.name)))
	}
	computed, measured = residues(2048)
	fmt.Fprintf(&b, "| `%s` | k·⌈log₂ M⌉·ℓ | | %s | %s |\n", schindelhauer.Name2048, computed, measured)
	return b.String() + "\n"
}

// matrixSize is that of a masked card of Skat by residues, in bytes.
func matrixSize(t *testing.T, bits int) int {
	t.Helper()
	s := schindelhauer.Prover(schindelhauer.New("listing", bits))
	var keys []proof.Key
	var x proof.Secret
	for range seats {
		var err error
		if x, err = s.NewSecret(rand.Reader); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, x.Key())
	}
	joint := testmust.Have(s.Encoding().Joint(keys))(t)
	at := transcript.Bind("listing", "skat/v1", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "shuffle", 0)
	out, _, err := x.Shuffle(at.Slot(0), joint, skat(t, s).Cards(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return len(out[0].Bytes())
}

// cardSize is that of a card of Skat's deck, in bytes.
func cardSize(t *testing.T, name string) int {
	t.Helper()
	s, _ := suite.Lookup(name)
	return len(skat(t, s).Cards()[0].Bytes())
}

// skat is a deck of as many cards.
func skat(t *testing.T, s proof.Suite) proof.Deck {
	t.Helper()
	names := make([]string, faces)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	d := testmust.Have(card.NewDeck("listing", names))(t)
	deck := testmust.Have(s.Encoding().Deck(d))(t)
	return deck
}

// volumes is the second table of the article, and what a deal takes here.
func volumes(t *testing.T, old string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("### Bytes of a game of Skat and player\n\n" +
		"Published are megabytes for each player, by the chance 2^-t of a lie in a shuffle. They grow with t by what three decks take: " +
		"of squares 3·32·2ℓ bits. By residues\na deck is 480 numbers of 199 digits of base 36; a seat sends a deck and a secret as long to two others in each round, and reads two: 0.76 MB; " +
		"it sends and\nreads some 80 rows of five proofs of three numbers: 0.24 MB. Here the whole log is counted, which every player reads: three shuffles with t rounds, of which half are composed, " +
		"ℓ = 1024.\n\n" +
		"| t | residues, published | t·1.0 MB | shuffles of 32.4 | squares, published | 0.59 MB + t·3·32·2ℓ | shuffles of 41.2 |\n|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range []struct{ residues, squares string }{{"3", "0.64"}, {"5", "0.72"}, {"10", "0.80"}, {"20", "1.02"}, {"40", "1.42"}, {"80", "2.18"}} {
		rounds := 1 << (i + 1)
		fmt.Fprintf(&b, "| %d | %s | %d | %.2f | %s | %.2f | %.2f |\n", rounds, c.residues, rounds, megabytes(seats*cuttingMatrices(rounds)),
			c.squares, 0.59+megabytes(rounds*seats*faces*2*1024/8), megabytes(seats*cutting(rounds)))
	}
	b.WriteString("\nA deal that is played out (no claim, no concession), with genesis entry and keys:\n\n| suite | work for a lie | bytes of the log | a player's third |\n|---|--:|--:|--:|\n")
	for _, name := range []string{suite.Default, "qr2048-bayergroth/v1", "qr3072-bayergroth/v1"} {
		b.WriteString(volume(t, name, old))
	}
	return b.String() + "\n"
}

// cutting is how many bytes a proof of 41.2 has for 32 cards with so many rounds, half of which are
// composed, over 1024 bits.
func cutting(rounds int) int { return rounds/2*faces*(1+128) + 32 + rounds/2*32 }

// cuttingMatrices is that of 32.4: factors for every number of a card, and a bit for each of all rows but one.
func cuttingMatrices(rounds int) int {
	numbers := faces * seats * bitsOfFace
	bits := rounds / 2 * (numbers - faces*bitsOfFace)
	return rounds/2*(faces+128*numbers) + (bits+7)/8 + 32 + rounds/2*32
}

// volume are the rows of a suite.
func volume(t *testing.T, name, old string) string {
	t.Helper()
	if len(thorough.Suites([]string{name})) == 0 && !*update {
		var rows string
		for line := range strings.Lines(old) {
			if strings.HasPrefix(line, "| `"+name+"`,") || strings.HasPrefix(name, "qr2048") && strings.HasPrefix(line, "| `qr2048-cut") {
				rows += line
			}
		}
		return rows
	}
	g, _ := games.Lookup("skat/v1")
	c := tabletest.Config{Seats: 3, Deals: 1, Options: map[string]string{"concede": "off", "claim": "off"}}
	c.Suite, _ = suite.Lookup(name)
	played := testmust.Have(tabletest.Play(g, c, 3))(t)
	row := func(name string, work, n int) string {
		return fmt.Sprintf("| `%s`, %d entries | 2^%d | %s | %s |\n", name, len(played.Entries), work, thousands(n), thousands(n/seats))
	}
	work := map[string]int{suite.Default: 126, "qr2048-bayergroth/v1": 112, "qr3072-bayergroth/v1": 128}
	rows := row(name, work[name], size(played))
	if strings.HasPrefix(name, "qr2048") { // the same deal with other proofs of its shuffles
		more := cutandchoose.Size(faces) - 8*bayergroth.Size(faces)
		rows += row("qr2048-cutandchoose/v1", 128, size(played)+seats*more)
	}
	return rows
}

func megabytes(n int) float64 { return math.Round(float64(n)/1e4) / 100 }

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
