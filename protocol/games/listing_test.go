package games_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
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

// Of Skat: three seats, 32 cards.
const seats, faces = 3, 32

// A figure in the comparison with LibTMCG that is no longer what a card, or a deal of Skat, takes: a proof that has
// grown. Deals over squares are played with PAKLI_SUITES=all alone.
func TestListing(t *testing.T) {
	page := string(testmust.Have(os.ReadFile("../../docs/benchmarks.md"))(t))
	ends := func(row string, figures string) {
		t.Helper()
		if !regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(row) + `.* \| ` + regexp.QuoteMeta(figures) + ` \|$`).MatchString(page) {
			t.Errorf("docs/benchmarks.md: the row of %s must end with %s", row, figures)
		}
	}
	ends("residues [Sch98], ℓ = 1024 |", thousands(8*matrixSize(t, 1024)))
	ends("`"+schindelhauer.Name2048+"` |", thousands(8*matrixSize(t, 2048)))
	for _, name := range []string{"ristretto255-bayergroth/v1", "sra255-bayergroth/v1", "sra3072-disclosed/v1", "qr2048-bayergroth/v1", "qr3072-bayergroth/v1"} {
		ends("`"+name+"` |", thousands(8*cardSize(t, name)))
	}
	for _, name := range thorough.Suites([]string{suite.Default, "qr2048-bayergroth/v1", "qr3072-bayergroth/v1"}) {
		g, _ := games.Lookup("skat/v1")
		c := tabletest.Config{Seats: seats, Deals: 1, Options: map[string]string{"concede": "off", "claim": "off"}}
		c.Suite, _ = suite.Lookup(name)
		played := testmust.Have(tabletest.Play(g, c, 3))(t)
		deal := func(name string, bytes int) {
			ends(fmt.Sprintf("`%s`, %d entries |", name, len(played.Entries)), thousands(bytes)+" | "+thousands(bytes/seats))
		}
		if deal(name, size(played)); name == "qr2048-bayergroth/v1" { // the same deal with other proofs of its shuffles
			deal("qr2048-cutandchoose/v1", size(played)+seats*(cutandchoose.Size(faces)-8*bayergroth.Size(faces)))
		}
	}
}

// matrixSize is that of a masked card of Skat by residues, in bytes.
func matrixSize(t *testing.T, bits int) int {
	t.Helper()
	s := schindelhauer.Prover(schindelhauer.New("listing", bits))
	var keys []proof.Key
	var x proof.Secret
	for range seats {
		x = testmust.Have(s.NewSecret(rand.Reader))(t)
		keys = append(keys, x.Key())
	}
	joint := testmust.Have(s.Encoding().Joint(keys))(t)
	at := transcript.Bind("listing", "skat/v1", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "shuffle", 0)
	out, _, err := x.Shuffle(at.Slot(0), joint, skat(t, s).Cards(), rand.Reader)
	testmust.Do(t, err)
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
	return testmust.Have(s.Encoding().Deck(d))(t)
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
