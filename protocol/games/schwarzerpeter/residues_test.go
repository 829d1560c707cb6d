package schwarzerpeter_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// residues is a suite of matrices modulo numbers of so many bits, which need be no
// secret.
func residues(bits int) proof.Suite {
	return schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", bits))
}

// A whole game of the article with cards of the kind that it was written for: a deck that is a blob,
// a card that is read by another than should, a face twice.
func TestResidues(t *testing.T) {
	c := tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Suite: residues(256)}
	if !thorough.Tests() { // its proofs are attacked by the tests of the suite
		testmust.Do(t, judge(testmust.Have(tabletest.Play(game, c, 1))(t)))
		return
	}
	c.Suite, _ = suite.Lookup(schindelhauer.Name2048)
	c.Playouts, c.Invariant, c.Legal = 1, invariant, legal
	tabletest.Run(t, game, c)
}

// The same where others ask for shuffles: who shuffles sends its cards apart from the entry, and its
// proof two messages later.
func TestResiduesAsked(t *testing.T) {
	thorough.Only(t, "another suite that asks is played by toolbox/v1, and this one is held to its contract by its own tests")
	c := tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Playouts: 1, Invariant: invariant, Legal: legal}
	c.Suite, _ = suite.Lookup(schindelhauer.Chosen2048)
	tabletest.Run(t, game, c)
}

// A deck that is a blob: 51 cards of six rows and six columns, of 256 bits each, are more than an
// entry has. It is signed, and read back with its cards and without them.
func TestLargeDeck(t *testing.T) {
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 6, Suite: residues(256), Options: options{"pack": "52"}}, 1))(t)
	testmust.Do(t, played.Play(7))
	parcel := played.Entries[7]
	e, err := wire.Parse(parcel)
	if err != nil || e.Message.Kind != table.Shuffle || len(e.Message.Blobs()) != 2 || e.Message.Blobs()[0].Size != 51*6*6*32 {
		t.Fatalf("the first shuffle: %v", err)
	}
	entry, _ := wire.Cut(parcel)
	bare := testmust.Have(wire.Parse(entry))(t)
	before := played.States[6]
	testmust.FailBy(t, testmust.ErrorOf(before.Apply(bare, table.Facts{})), wire.ErrDetached, "without its cards")
	attached := map[[32]byte][]byte{}
	for i, b := range e.Message.Attached() {
		attached[e.Message.Blobs()[i].Hash] = b
	}
	after, err := before.Resolve(bare, table.Facts{}, func(b wire.Blob) ([]byte, error) { return attached[b.Hash], nil })
	if err != nil || after.Head() != played.State.Head() {
		t.Errorf("with its cards: %v", err)
	}
}
