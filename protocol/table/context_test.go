package table_test

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// 50.6: a part of the context that is left out, or is that of another message.
// The parts are taken from the history and not from the state.
func TestContext(t *testing.T) {
	played := playedOut(t, peter, tabletest.Config{Seats: 3, Deals: 2}, 1)
	_, deck, err := gameOfPeter.Setup(table.Config{Seats: 3, Deals: 2})
	testmust.Do(t, err)
	var keys [3][]byte
	deal, shuffles := 0, 0
	for i, entry := range played.Entries {
		m := parsed(t, entry).Message
		if m != nil && m.Kind == wire.KindKey {
			var b wire.KeyBody
			decode(t, m.Body, &b)
			keys[m.Seat] = b.Key
		}
		if m != nil && m.Kind == wire.KindShuffle {
			shuffles++
		}
		if s := played.States[i]; len(s.Duties()) > 0 && s.Duties()[0].Kind == wire.KindShuffle && shuffles%3 == 0 {
			deal = shuffles/3 + 1
		}
		for seat := range table.Seat(3) {
			want := transcript.Bind(clear.Name, "schwarzer-peter/v1",
				transcript.Table{ID: wire.HashEntry(played.Entries[0])}, transcript.Deck{ID: deck.ID()}, hashOf(keys[:]),
				transcript.Deal(deal), transcript.Parent{Hash: wire.HashEntry(entry)}, "give", transcript.Seat(seat))
			if got := played.States[i].Context(seat, table.Give); !reflect.DeepEqual(got, want) {
				t.Fatalf("after entry %d: context of seat %d\ngot  %q\nwant %q", i, seat, got, want)
			}
		}
	}
	if deal != 2 {
		t.Errorf("%d deals, want 2", deal)
	}
}

func hashOf(keys [][]byte) transcript.Keys {
	var b []byte
	for _, k := range keys {
		b = append(binary.BigEndian.AppendUint64(b, uint64(len(k))), k...)
	}
	return transcript.Keys{Hash: sha256.Sum256(b)}
}
