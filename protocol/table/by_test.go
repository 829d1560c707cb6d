package table_test

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/transcript"
)

// noting is a suite that notes the statements of shuffles it verifies.
type noting struct {
	clear.Suite
	seen *[]proof.Shuffle
}

func (s noting) Verify(c transcript.Context, st proof.Statement, p []byte, b proof.Batch) error {
	if shuffle, ok := st.(proof.Shuffle); ok {
		*s.seen = append(*s.seen, shuffle)
	}
	return s.Suite.Verify(c, st, p, b)
}

// A shuffle that is stated to be another seat's: under a suite of locks that seat's
// lock would be on the deck twice, and the sender's not at all. The deck's joint key
// and the holder's of a hand stay what they were.
func TestShuffleIsBySender(t *testing.T) {
	var seen []proof.Shuffle
	try := beginDeals(t, noting{seen: &seen}, 1)
	for _, kind := range []table.Kind{table.Shuffle, table.Permute} {
		for d := try.until(kind); d.Kind == kind; d = try.State.Duties()[0] {
			seen = nil
			joint, own := try.sum(1, 2, 3), try.State.CardKey(d.Seats[0])
			try.adds(try.honest(d))
			key := joint
			if kind == table.Permute {
				key = own
			}
			if len(seen) != 1 || !bytes.Equal(seen[0].By.Bytes(), own.Bytes()) || !bytes.Equal(seen[0].Key.Bytes(), key.Bytes()) {
				t.Errorf("%s of seat %d is stated as %v", kind, d.Seats[0], seen)
			}
		}
	}
}
