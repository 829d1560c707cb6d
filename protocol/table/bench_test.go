package table_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// BenchmarkClone is what every message costs beside its proofs: the copy of
// the state before it, here of 51 cards in hands.
func BenchmarkClone(b *testing.B) {
	played := testmust.Have(tabletest.New(peter, tabletest.Config{Seats: 4, Options: map[string]string{"pack": "52"}}, 1))(b)
	if _, err := played.PlayUntil(table.Permute); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		played.State.End(new(table.Fault), wire.Hash{})
	}
}
