package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

var record = flag.Bool("record", false, "let bots play the scenes anew")

// scene is a log with a table in it, as a source that may lie.
type scene struct {
	*tabletest.Table
	entries    [][]byte // of the log
	checkpoint tlog.Checkpoint
	key        note.Verifier
}

func (s *scene) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.checkpoint, nil }

func (s *scene) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range s.entries[start:end] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// sign makes the log sign these entries.
func (s *scene) sign(t testing.TB, entries [][]byte) {
	t.Helper()
	seed := bytes.Repeat([]byte{7}, 64)
	skey, vkey, err := note.GenerateKey(bytes.NewReader(seed), "log.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	if s.key, err = note.NewVerifier(vkey); err != nil {
		t.Fatal(err)
	}
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	s.entries = entries
	if s.checkpoint, err = tlog.SignCheckpoint(tree.Size(), tree.Root(), signer); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) options() verifier.Options {
	return verifier.Options{Table: s.State.ID(), Log: []note.Verifier{s.key}, Catalogue: s.Catalogue()}
}

// verified is the verdict, and what was read for it.
func (s *scene) verified(t testing.TB) (*verifier.Report, *report.Recording) {
	t.Helper()
	rec := report.Record(s.State.ID())
	r, err := verifier.Verify(context.Background(), rec.Of(s), s.options())
	if err != nil {
		t.Fatalf("cannot check: %v", err)
	}
	return r, rec
}

func (s *scene) document(t testing.TB, tag string) *report.Document {
	t.Helper()
	r, rec := s.verified(t)
	d, err := report.Build(r, rec, s.Catalogue(), language(t, tag))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func language(t testing.TB, tag string) report.Language {
	t.Helper()
	l, ok := report.In(tag)
	if !ok {
		t.Fatalf("no language %s", tag)
	}
	return l
}

func newTable(t testing.TB, game string, c tabletest.Config, seed uint64) *tabletest.Table {
	t.Helper()
	g, ok := games.Lookup(game)
	if !ok {
		t.Fatalf("no game %s", game)
	}
	if c.Suite == nil {
		c.Suite = clear.Suite{}
	}
	tb, err := tabletest.New(g, c, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// play plays n messages, or to the end if n is negative. Its moves are those of the
// file, so that no bot that learns changes a golden file; with -record they are the
// bots', and are written there.
func play(t testing.TB, tb *tabletest.Table, name string, n int) {
	t.Helper()
	file := filepath.Join("testdata", name+".moves")
	var moves []string
	if !*record {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		moves = strings.Split(string(text), "\n")
	}
	var made strings.Builder
	for ; n != 0 && len(tb.State.Duties()) > 0; n-- {
		d, move := tb.State.Duties()[0], json.RawMessage(nil)
		seat := d.Seats[0]
		if d.Kind == table.Move && *record {
			seat, move = chosen(t, tb, d)
			fmt.Fprintf(&made, "%d %s\n", seat, move)
		} else if d.Kind == table.Move {
			seat, move, moves = table.Seat(moves[0][0]-'0'), json.RawMessage(moves[0][2:]), moves[1:]
		}
		entry, err := tb.Message(seat, d, move)
		if err == nil {
			err = tb.Add(entry)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if *record {
		if err := os.WriteFile(file, []byte(made.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// chosen is the move of the first seat that does not wait.
func chosen(t testing.TB, tb *tabletest.Table, d table.Duty) (table.Seat, json.RawMessage) {
	t.Helper()
	for _, seat := range d.Seats {
		move, err := tb.State.Choose(tb.State.View(seat, tb.Hand(seat), tb.Dealt(seat)), tb.Choice)
		if err != nil {
			t.Fatal(err)
		}
		if move != nil {
			return seat, move
		}
	}
	t.Fatalf("nobody moves: %v", d)
	return 0, nil
}

func state(t testing.TB, s *table.State) (state tarokk.State) {
	t.Helper()
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// scenes by name, each with the same bytes in every run. They are played once, and
// not changed.
var scenes = map[string]func(testing.TB) *scene{
	"tarokk": once(tarokkSound), "foul": once(foulVoid), "waiting": once(waiting), "broken": once(broken), "peter": once(peter),
}

func once(make func(testing.TB) *scene) func(testing.TB) *scene {
	var mu sync.Mutex
	var made *scene
	return func(t testing.TB) *scene {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if made == nil {
			made = make(t)
		}
		return made
	}
}

// tarokkSound is a session of two deals, the first thrown in, in a log with other
// things and with messages that are void.
func tarokkSound(t testing.TB) *scene {
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4}, tarokkSeed)
	play(t, tb, "tarokk", -1)
	if past := state(t, tb.State).Past; len(past) != 2 || past[0].How == "played" || past[1].How != "played" {
		t.Fatalf("seed %d: %d deals, want one thrown in and one played", tarokkSeed, len(past))
	}
	stale, err := tb.Forge(tb.Entries[9], func(m *wire.Message) { m.Parent[0] ^= 1 })
	if err != nil {
		t.Fatal(err)
	}
	entries := [][]byte{[]byte("rubbish")}
	for i, e := range tb.Entries {
		entries = append(entries, e)
		switch i {
		case 6:
			entries = append(entries, tb.Entries[0], tb.Entries[3])
		case 20:
			entries = append(entries, []byte("another table's"), stale)
		}
	}
	s := &scene{Table: tb}
	s.sign(t, entries)
	return s
}

// foulVoid ends with the XII played on a spade by who does not prove to be void of
// spades, and has a message after that.
func foulVoid(t testing.TB) *scene {
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4, Fouls: wire.RecordFouls}, foulSeed)
	play(t, tb, "foul", foulAfter)
	entry := lieOnSuit(t, tb)
	if entry == nil {
		t.Fatalf("seed %d: nobody can play a tarokk on a suit", foulSeed)
	}
	after, err := tb.Next()
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{Table: tb}
	s.sign(t, append(append([][]byte{}, tb.Entries...), entry, after))
	return s
}

// lieOnSuit is a tarokk on a suit led that its player has a card of, or nil.
func lieOnSuit(t testing.TB, tb *tabletest.Table) []byte {
	s := state(t, tb.State)
	if s.Stage != tarokk.Playing || len(s.Deal.Tricks) == 0 {
		return nil
	}
	trick := s.Deal.Tricks[len(s.Deal.Tricks)-1].Faces
	if led, _ := deck.Parse(trick[0]); len(trick) == 4 || deck.SuitOf(led) != deck.Spades {
		return nil
	}
	seat := tb.State.Duties()[0].Seats[0]
	for p, q := range s.Deal.Seats {
		if q != seat {
			continue
		}
		hand := tb.Hand(seat)
		for _, c := range s.Deal.Held[p] {
			f := hand[s.Deal.Cards[p][c-'a']]
			move, _ := json.Marshal(tarokk.Move{Play: &tarokk.Play{Card: string(c), Face: deck.Name(f)}})
			if entry := unproved(tb, seat, move); deck.IsTarokk(f) && entry != nil {
				return entry
			}
		}
	}
	return nil
}

// unproved is a move that lacks a proof about hidden cards, or nil.
func unproved(tb *tabletest.Table, seat table.Seat, move json.RawMessage) []byte {
	entry, err := tb.Bluff(seat, move)
	if err != nil {
		return nil
	}
	fault := new(table.Fault)
	if _, err := tabletest.Apply(tb.State, entry); errors.As(err, &fault) && fault.Check == table.CheckCondition {
		return entry
	}
	return nil
}

// waiting stops in the middle of the deal.
func waiting(t testing.TB) *scene {
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 5, Options: map[string]string{"preset": "cup"}}, 3)
	play(t, tb, "waiting", 45)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	return s
}

// broken is a log that shows other entries than it signed.
func broken(t testing.TB) *scene {
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4}, 4)
	play(t, tb, "broken", 12)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	s.entries = append(append([][]byte{}, s.entries[:5]...), append([][]byte{[]byte("changed")}, s.entries[6:]...)...)
	return s
}

func peter(t testing.TB) *scene {
	tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Options: map[string]string{"odd": "queen"}}, 5)
	play(t, tb, "peter", -1)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	return s
}

const (
	tarokkSeed = 140
	foulSeed   = 215
	foulAfter  = 59 // messages
)
