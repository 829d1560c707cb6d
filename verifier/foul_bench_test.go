//go:build unix

package verifier_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tournament"
)

// What wrong proofs cost a tournament of sixteen deals: of none, one, half and all of
// its tables the last proof is wrong.
func BenchmarkFouls(b *testing.B) {
	played := deals(b, tarokks)
	for _, wrong := range []int{0, 1, benchDeals / 2, benchDeals} {
		tables := make([]entered, benchDeals)
		for i, sc := range played {
			tables[i] = entered{"", sc.State.ID(), sc.Entries}
			if i < wrong {
				tables[i].entries = wrongAtLast(b, sc)
			}
		}
		sc := sceneOf(b, nil)
		log := sc.log(b, interleaved(tables, 1))
		o := verifier.Options{Log: []note.Verifier{sc.key}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: lookupSuite}}
		b.Run(fmt.Sprint(wrong), func(b *testing.B) {
			defer processor(b, benchDeals)()
			for b.Loop() {
				t, err := tournament.Verify(context.Background(), log, tournament.Options{Options: o, Workers: 1})
				if err != nil || len(t.Standings) != 4*(benchDeals-wrong) {
					b.Fatal(err, t)
				}
			}
		})
	}
}

// wrongAtLast alters the last message of a table that has a proof, so that all
// before it is as it was.
func wrongAtLast(b *testing.B, sc *scene) [][]byte {
	b.Helper()
	entries := slices.Clone(sc.Entries)
	for i, e := range slices.Backward(entries) {
		parsed := testmust.Have(wire.Parse(e))(b)
		if parsed.Message == nil || len(parsed.Message.Proofs) == 0 {
			continue
		}
		p := parsed.Message.Proofs[0]
		entries[i] = testmust.Have(sc.Forge(e, func(m *wire.Message) { m.Proofs[0] = flipped(p, len(p)-1) }))(b)
		return entries[:i+1]
	}
	b.Fatal("no proof at all")
	return nil
}
