package table_test

import (
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var errLost = errors.New("lost")

func lost(wire.Blob) ([]byte, error) { return nil, errLost }

// beforeShuffle is a table that waits for a shuffle, with an honest message for
// it whose proof is a blob, and the bytes of that blob.
func beforeShuffle(t *testing.T) (played *tabletest.Table, entry []byte, get func(wire.Blob) ([]byte, error)) {
	t.Helper()
	tried := begin(t, whist, clear.BulkySuite{}, 3)
	parcel := tried.honest(tried.until(table.Shuffle))
	entry, attached := wire.CutParcel(parcel)
	testmust.Require(t, len(attached) != 0, "the test is built wrong: the message has no blob")
	return tried.Table, entry, func(b wire.Blob) ([]byte, error) { return attached[:b.Size], nil }
}

// A due message whose blob is not at hand that counts as void, which would drop
// it, or as foul, which would blame an honest seat.
func TestDetachedIsNeitherVoidNorFoul(t *testing.T) {
	played, entry, get := beforeShuffle(t)
	for _, b := range []bool{false, true} {
		batch := played.State.Suite().NewBatch()
		if !b {
			batch = nil
		}
		next, err := played.State.Apply(parsed(t, entry), table.Facts{Batch: batch})
		var fault *table.Fault
		testmust.Holdf(t, errors.Is(err, wire.ErrDetached) && !errors.As(err, &fault) && next == nil, "got %v, want ErrDetached", err)
		if _, err := played.State.Resolve(parsed(t, entry), table.Facts{Batch: batch}, lost); !errors.Is(err, wire.ErrDetached) || !errors.Is(err, errLost) {
			t.Errorf("blob lost: %v", err)
		}
		next, err = played.State.Resolve(parsed(t, entry), table.Facts{Batch: batch}, get)
		testmust.Holdf(t, err == nil && next.Head() == wire.HashEntry(entry), "blob at hand: %v", err)
	}
	testmust.Do(t, played.State.Expects(parsed(t, entry)), "the table does not expect what is due")
}

// What is void or foul without a look at its blobs is so whether or not they are
// there: nobody can make a table uncheckable by a message that does not count.
func TestFaultsNeedNoBlobs(t *testing.T) {
	played, entry, get := beforeShuffle(t)
	e := parsed(t, entry)
	testmust.Do(t, e.Message.AttachBlobs(get))
	other := (e.Message.Seat + 1) % 3
	for name, c := range map[string]struct {
		change func(*wire.Message)
		by     int
		class  table.Class
		check  table.Check
	}{
		"stale":         {func(m *wire.Message) { m.Parent[0] ^= 1 }, e.Message.Seat, table.Void, table.CheckParent},
		"another table": {func(m *wire.Message) { m.Table[0] ^= 1 }, e.Message.Seat, table.Void, table.CheckTable},
		"forged":        {func(*wire.Message) {}, other, table.Void, table.CheckSignature},
		"not due":       {func(m *wire.Message) { m.Kind = table.Move }, e.Message.Seat, table.Void, table.CheckDue},
		"bad body":      {func(m *wire.Message) { m.Body = []byte(`{}`) }, e.Message.Seat, table.Foul, table.CheckBody},
		"a card less":   {func(m *wire.Message) { m.Body = []byte(`{"cards":["AA=="]}`) }, e.Message.Seat, table.Foul, table.CheckValues},
		"two proofs":    {func(m *wire.Message) { m.Proofs = append([][]byte{{1}}, m.Proofs...) }, e.Message.Seat, table.Foul, table.CheckProofs},
	} {
		m := *e.Message
		c.change(&m)
		parcel := signed(t, &m, played.Hands[c.by].Signer)
		bare, attached := wire.CutParcel(parcel)
		for _, b := range [][]byte{bare, parcel} {
			_, err := played.State.Resolve(parsed(t, b), table.Facts{}, lost)
			var fault *table.Fault
			if !errors.As(err, &fault) || fault.Class != c.class || fault.Check != c.check || len(attached) == 0 {
				t.Errorf("%s, blobs %v: %v, want %v by %s", name, len(b) > len(bare), err, c.class, c.check)
			}
		}
	}
}

// A wrong proof in a blob is a foul like any other.
func TestWrongBlob(t *testing.T) {
	played, entry, get := beforeShuffle(t)
	e := parsed(t, entry)
	testmust.Do(t, e.Message.AttachBlobs(get))
	e.Message.Proofs[0][0] ^= 1
	parcel := signed(t, e.Message, played.Hands[e.Message.Seat].Signer)
	_, err := played.State.Apply(parsed(t, parcel), table.Facts{})
	var fault *table.Fault
	testmust.Holdf(t, errors.As(err, &fault) && fault.Class == table.Foul && fault.Check == table.CheckShuffle,
		"got %v, want a foul by %s", err, table.CheckShuffle)
}
