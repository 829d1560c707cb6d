package player_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var disclosed = table.Catalogue{
	Game:  func(string) (table.Game, bool) { return play.NewGame(tabletest.PlainHighCard{}), true },
	Suite: func(string) (proof.Suite, bool) { return clear.DeferredSuite{}, true },
}

// lockedRoom is a table of a suite that defers, with the seats' files.
func lockedRoom(t *testing.T, deals int) (paths []string, r *room) {
	t.Helper()
	paths, list := identities(t, 4)
	r = newRoomFor(t, list, clear.DeferredName, deals, disclosed)
	closeAll(list)
	return paths, r
}

// A player that dies again and again, after its shuffle has left and before anything else:
// the order of it must be there when it is to be disclosed.
func TestCrashedSeatDiscloses(t *testing.T) {
	paths, r := lockedRoom(t, 5)
	lifetimes(t, paths, r, 6)
	forgetsAll(t, paths[0], r)
}

// altered is a seat file with some of its secrets changed.
func altered(t *testing.T, path string, change func(tables map[string][]byte)) {
	t.Helper()
	b := testmust.Have(os.ReadFile(path))(t)
	var seat struct {
		Pakli  string            `json:"pakli"`
		Key    string            `json:"key"`
		VKey   string            `json:"vkey"`
		Tables map[string][]byte `json:"tables"`
		Copied map[string][]byte `json:"copied,omitempty"`
		Sum    string            `json:"sum"`
	}
	testmust.Do(t, json.Unmarshal(b, &seat))
	change(seat.Tables)
	testmust.Do(t, os.WriteFile(path, tabletest.SumRecord(testmust.Have(json.Marshal(seat))(t)), 0o600))
}

// A seat without the order of its shuffle, as a copy from before: it holds the lock, and would be
// waited for alone and for ever. Without the lock it must say so, and sign nothing.
func TestSeatWithoutItsOrder(t *testing.T) {
	paths, r := lockedRoom(t, 1)
	untilLocks(t, paths, r)
	order := func(name string, _ []byte) bool { return strings.HasSuffix(name, "/order") }
	var kept map[string][]byte
	altered(t, paths[1], func(tables map[string][]byte) {
		kept = maps.Clone(tables)
		maps.DeleteFunc(tables, func(name string, b []byte) bool { return !order(name, b) })
	})
	if len(kept) != 2 {
		t.Fatalf("the seat keeps %v", slices.Collect(maps.Keys(kept)))
	}
	n := len(r.entries)
	if err := lifetime(paths[1], r, untilIdle{r}, 1); err == nil || errors.Is(err, errIdle) || len(r.entries) != n {
		t.Errorf("without its lock: %v, %d messages", err, len(r.entries)-n)
	}
	altered(t, paths[1], func(tables map[string][]byte) { maps.Copy(tables, kept) })
	if id, err := seatfile.Open(paths[1], ""); err != nil {
		t.Fatal(err)
	} else if record, err := id.Copy(nil); err != nil || strings.Count(string(record), "/order") != 1 {
		t.Errorf("a copy of the seat has no order (%v)", err)
	} else {
		id.Close()
	}
	altered(t, paths[1], func(tables map[string][]byte) { maps.DeleteFunc(tables, order) })
	for _, path := range paths {
		err := lifetime(path, r, untilIdle{r}, 1)
		testmust.Hold(t, err == nil || errors.Is(err, errIdle), err)
	}
	_, over := r.state.Result()
	testmust.Hold(t, over, "the table is not over")
}

// A copy that shuffled in vain, since the other device did first, and then goes on alone: it keeps
// the order of a shuffle that is not in the log, and would be refused for ever.
func TestCopyWithTheOrderOfAnotherShuffle(t *testing.T) {
	paths, r := lockedRoom(t, 1)
	untilLocks(t, paths, r)
	id := openSeat(t, paths[1])
	record, err := id.Copy(map[wire.Hash][]byte{r.id: []byte("a checkpoint")})
	id.Close()
	path := filepath.Join(t.TempDir(), "copy.seat")
	if err == nil {
		err = os.WriteFile(path, record, 0o600)
	}
	testmust.Do(t, err)
	altered(t, path, func(tables map[string][]byte) { slices.Reverse(tables[r.id.String()+"/order"]) })
	id = testmust.Have(seatfile.Open(path, ""))(t)
	defer id.Close()
	p, err := player.Sit(context.Background(), id, untilIdle{r}, r.id, disclosed, player.Bot(mathrand.New(mathrand.NewPCG(1, 1))), rand.Reader)
	if err == nil {
		err = p.PlayHere(context.Background())
	}
	testmust.Do(t, err)
	testmust.FailBy(t, p.Play(context.Background()), errIdle)
	testmust.Hold(t, len(r.state.UndisclosedDeals(1)) <= 0, "it has not disclosed")
}

// untilLocks plays until locks are owed.
func untilLocks(t *testing.T, paths []string, r *room) {
	t.Helper()
	for r.state.Duties()[0].Kind != table.Disclose {
		for _, path := range paths {
			if answer(t, path, r); r.state.Duties()[0].Kind == table.Disclose {
				break
			}
		}
	}
}

// Locks that a seat discloses on a head that nobody has seen: a log could show it an end of the
// deal that is none, while the others play it.
func TestLocksNeedAWitness(t *testing.T) {
	paths, r := lockedRoom(t, 1)
	untilLocks(t, paths, r)
	id := openSeat(t, paths[1])
	defer id.Close()
	p := sit(t, id, untilIdle{r}, r, bot(1))
	unseen, n, head := errors.New("nobody has seen it"), len(r.entries), wire.Hash{}
	p.Vouched = func(_ context.Context, h wire.Hash) error {
		head = h
		return unseen
	}
	if err := p.Play(context.Background()); !errors.Is(err, unseen) || len(r.entries) != n || head != r.state.Head() {
		t.Errorf("%v; %d messages sent, asked about %s", err, len(r.entries)-n, head)
	}
}

// A seat that holds a card that is none, and plays on, or fails for want of a face: it must
// dispute the card when it owes anything, and disclose like all who are honest. The one who
// unlocked it wrongly is silent then, and alone is waited for.
func TestSeatDisputes(t *testing.T) {
	const cheat = 1
	paths, r := lockedRoom(t, 1)
	lied := false
	for n := 0; n < len(r.entries); {
		n = len(r.entries)
		for seat, path := range paths {
			if d := r.state.Duties()[0]; seat == cheat && d.Owes(cheat) && (d.Kind == table.Show || lied && d.Kind == table.Move) {
				lie(t, path, r, d)
				lied = true
			}
			if seat == cheat && lied {
				continue // and its journal knows nothing of it
			}
			err := lifetime(path, r, untilIdle{r}, 1)
			testmust.Requiref(t, errors.Is(err, errIdle), "seat %d: %v", seat, err)
		}
	}
	var kinds []wire.Kind
	for _, entry := range r.entries[1:] {
		if m := parse(t, entry).Message; m.Seat == 2 {
			kinds = append(kinds, m.Kind)
		}
	}
	want := []wire.Kind{table.Key, table.Shuffle, table.Show, table.Dispute, table.Disclose}
	testmust.Holdf(t, slices.Equal(kinds, want), "the seat with a bad card signed %v, want %v", kinds, want)
	d := r.state.Duties()
	testmust.Holdf(t, len(d) == 1 && d[0].Kind == table.Disclose && d[0].Seats[0] == cheat, "waiting for %v", d)
}

// lie gives tokens of two cards for each other, and lays no card.
func lie(t *testing.T, path string, r *room, d table.Duty) {
	t.Helper()
	id := openSeat(t, path)
	defer id.Close()
	h := cheater(t, r, id)
	h.Seat = d.Seats[0]
	if d.Kind == table.Move {
		entry := testmust.Have(h.SignMessage(r.state, d, []byte(`{}`), rand.Reader))(t)
		take(t, r, entry)
		return
	}
	m := parse(t, made(t, h, r.state, d)).Message
	var b wire.TokensBody
	testmust.Do(t, wire.DecodeBody(m.Body, &b))
	b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0] // for cards of seat 2
	m.Body = testmust.Have(wire.EncodeBody(b))(t)
	entry := signed(t, m, h.Signer)
	take(t, r, entry)
}
