package schindelhauer_test

import (
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
)

//go:generate go test -run TestVectors -update .

// short is a suite over moduli that anybody can factor, with all of the rounds.
func short() proof.Prover {
	return schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", 256))
}

// asking is short where others ask for shuffles.
func asking() proof.Prover {
	return schindelhauer.AskedProver(schindelhauer.NewAsking("schindelhauer-test-chosen40/v1", 256))
}

// TestConformance: a suite that breaks a promise of the seam. It takes two seconds, since
// every shuffle, cut and insertion has 221 rounds; over one of 256 bits it would take three.
func TestConformance(t *testing.T) {
	prooftest.Run(t, func() proof.Prover { return schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", 128)) })
}

// TestConformanceAsking is the same where a shuffle is proved in two messages.
func TestConformanceAsking(t *testing.T) {
	testmust.OnlyThorough(t, "the vectors try its proofs, and TestResiduesAsked a game")
	prooftest.Run(t, asking)
}

// A face beyond the deck, which its bits have room for where the deck is no power of two, is
// read as some card.
func TestFaceBeyondTheDeck(t *testing.T) {
	three := testmust.Have(card.NewDeck("three", []string{"a", "b", "c"}))(t)
	deck := testmust.Have(short().Encoding().Deck(three))(t)
	for f := range card.Face(4) {
		_, is := deck.Face(matrix.Open(f, matrix.ColumnsFor(3)))
		testmust.Holdf(t, is == (f < 3), "face %d: %v", f, is)
	}
}

// TestVectors: a change of the protocol that its author did not notice, and that other
// implementations would. Over moduli of 2048 bits a shuffle of two cards would be of 300 kB, so
// all but the deals, which the catalogue has, are over short ones.
func TestVectors(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "docs", "spec", "vectors", "proof")
	prooftest.CheckVectors(t, asking(), filepath.Join(dir, "schindelhauer-test-chosen40-v1.jsonl"), testmust.Updating(), "shuffle-two", "shuffle-two-statement", "shuffle-two-last-*")
	prooftest.CheckVectors(t, short(), filepath.Join(dir, "schindelhauer-test-v1.jsonl"), testmust.Updating(), "deal", "ownership", "ownership-last-field-changed", "shuffle-two", "shuffle-two-statement",
		"reveal", "reveal-last-field-changed", "transfer", "transfer-last-field-changed", "arrange-cut", "arrange-cut-statement",
		"arrange-insert", "arrange-insert-statement", "mint-private", "mint-private-statement", "mint-known", "mint-known-statement")
	prooftest.SomeVectors(t, short(), filepath.Join(dir, "schindelhauer-test-keys-v1.jsonl"))
}

func FuzzParse(f *testing.F)     { prooftest.FuzzParse(f, short()) }
func FuzzOwnership(f *testing.F) { prooftest.Fuzz(f, short(), "ownership") }
func FuzzShuffle(f *testing.F)   { prooftest.Fuzz(f, short(), "shuffle") }
func FuzzReveal(f *testing.F)    { prooftest.Fuzz(f, short(), "reveal") }
func FuzzTransfer(f *testing.F)  { prooftest.Fuzz(f, short(), "transfer") }
func FuzzArrange(f *testing.F)   { prooftest.Fuzz(f, short(), "arrange") }
func FuzzMint(f *testing.F)      { prooftest.Fuzz(f, short(), "mint") }
