package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// A message that another seat has signed on an entry which this player was not shown
// means that the other has seen another history: the player must hear of it. What
// nobody of the table has signed means nothing.
func TestStrayMessagesAreTold(t *testing.T) {
	_, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	signed := func(parent wire.Hash, by *player.Identity) []byte {
		e := parse(t, say(r.state))
		e.Message.Parent = parent
		return signed(t, e.Message, by.Signer())
	}
	p := sit(t, list[0], untilIdle{r}, r, nil)
	var told []bool
	p.Stray = func(m *wire.Message, known bool) {
		if m.Seat != 1 {
			t.Errorf("told of seat %d", m.Seat)
		}
		told = append(told, known)
	}
	unknown, forged := signed(wire.Hash{1}, list[1]), signed(wire.Hash{2}, list[0])
	key := say(r.state)
	take(t, r, key)
	r.entries = append(r.entries, unknown, forged, moved(t, key, r.id, list[1]))
	if err := p.Play(context.Background()); !errors.Is(err, errIdle) {
		t.Fatal(err)
	}
	if len(told) != 2 || told[0] || !told[1] {
		t.Errorf("told %v, want an unknown parent and a known one", told)
	}
}

// moved is a message once more, on another parent.
func moved(t *testing.T, entry []byte, parent wire.Hash, by *player.Identity) []byte {
	t.Helper()
	e := parse(t, entry)
	e.Message.Parent, e.Message.Kind = parent, table.Show
	return signed(t, e.Message, by.Signer())
}

var errNobody = errors.New("nobody vouches")

// A seat that nobody vouches to must give no token, must not have signed one either, so
// that it can still go another way, and must give it when somebody does.
func TestNoTokensUnvouched(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	id := openSeat(t, paths[0])
	defer id.Close()
	thinks := func(context.Context, *table.State, table.View) (json.RawMessage, error) { return nil, nil }
	p := sit(t, id, untilIdle{r}, r, thinks)
	vouched, asked := errNobody, wire.Hash{}
	p.Vouched = func(_ context.Context, head wire.Hash) error { asked = head; return vouched }
	play := func() error {
		for {
			err := p.Play(context.Background())
			if !errors.Is(err, errIdle) || len(r.state.Owed(1)) == 0 || r.state.Owed(1)[0].Kind == table.Move {
				return err
			}
			take(t, r, say(r.state))
		}
	}
	for range 2 {
		if err := play(); !errors.Is(err, errNobody) || asked != r.state.Head() {
			t.Fatalf("%v; asked for %s, the head is %s", err, asked, r.state.Head())
		}
	}
	if countShows(t, r) != 0 {
		t.Error("tokens that nobody vouches for")
	}
	vouched = nil
	if err := play(); !errors.Is(err, errIdle) {
		t.Fatal(err)
	}
	if countShows(t, r) == 0 {
		t.Error("no tokens")
	}
}
