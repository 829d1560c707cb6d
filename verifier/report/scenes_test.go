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
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

var record = flag.Bool("record", false, "let bots play the scenes anew")

// scene is a log with a table in it, as a source that may show wrong entries.
type scene struct {
	*tabletest.Table
	entries    [][]byte // of the log
	checkpoint tlog.Checkpoint
	key        note.Verifier
	known      *known // nil after a change of the scene
}

// known is a verified table with its documents by language.
type known struct {
	report    *verifier.Report
	recording *report.Recording
	documents map[string]*report.Document
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
	s.signAs(t, "log.example", entries)
}

// signAs makes a log of this name sign them.
func (s *scene) signAs(t testing.TB, name string, entries [][]byte) {
	t.Helper()
	seed := bytes.Repeat([]byte{7}, 64)
	skey, vkey, err := note.GenerateKey(bytes.NewReader(seed), name)
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	s.key = testmust.Have(note.NewVerifier(vkey))(t)
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	s.entries, s.known = entries, nil
	s.checkpoint = testmust.Have(tlog.SignCheckpoint(tree.Size(), tree.Root(), signer))(t)
}

func (s *scene) options() verifier.Options {
	return verifier.Options{Table: s.State.ID(), Log: []note.Verifier{s.key}, Catalogue: s.Catalogue()}
}

// verified returns the verdict, and the recording of the entries read for it.
func (s *scene) verified(t testing.TB) (*verifier.Report, *report.Recording) {
	t.Helper()
	if s.known != nil {
		r := *s.known.report
		return &r, s.known.recording
	}
	rec := report.NewRecording(s.State.ID())
	r := testmust.Have(verifier.Verify(context.Background(), rec.RecordFrom(s), s.options()))(t, "cannot check")
	return r, rec
}

// document returns the report in a language. A caller may only change its fields, unless it copied
// the scene before.
func (s *scene) document(t testing.TB, tag string) *report.Document {
	t.Helper()
	if s.known != nil {
		d := *s.known.documents[tag]
		return &d
	}
	r, rec := s.verified(t)
	d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t)
	d.Written = sceneProvenance
	return d
}

// sceneProvenance is the provenance in every scene's report.
var sceneProvenance = report.Provenance{Version: "v0.1.0 (1f2e3d4c5b6a)", Date: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Source: "dispute.pakli",
	SHA256: strings.Repeat("0f", 32), Keys: []string{"log.example+e69f1a24+AQ=="}}

func language(t testing.TB, tag string) report.Language {
	t.Helper()
	l, ok := report.LanguageOf(tag)
	testmust.Requiref(t, ok, "no language %s", tag)
	return l
}

func newTable(t testing.TB, game string, c tabletest.Config, seed uint64) *tabletest.Table {
	t.Helper()
	g, ok := games.Lookup(game)
	testmust.Requiref(t, ok, "no game %s", game)
	if c.Suite == nil {
		c.Suite = clear.Suite{}
	}
	return testmust.Have(tabletest.New(g, c, seed))(t)
}

// played is a table after n messages, or at its end if n is negative. Its seed and moves come from
// the named file, so that better bots do not change a golden file. With -record, played writes the
// seed and moves of the first table of bots that fits.
func played(t testing.TB, name, game string, c tabletest.Config, n int, fits func(*tabletest.Table) bool) *tabletest.Table {
	t.Helper()
	file := filepath.Join("testdata", name+".moves")
	if *record {
		testmust.Do(t, os.WriteFile(file, recorded(t, game, c, n, fits), 0o644))
	}
	text := testmust.Have(os.ReadFile(file))(t)
	lines := strings.Split(string(text), "\n")
	var seed uint64
	testmust.Have(fmt.Sscanf(lines[0], "seed %d", &seed))(t)
	tb := newTable(t, game, c, seed)
	play(t, tb, n, func(table.Duty) (table.Seat, json.RawMessage) {
		lines = lines[1:]
		return table.Seat(lines[0][0] - '0'), json.RawMessage(lines[0][2:])
	})
	testmust.Requiref(t, fits(tb), "%s is not the scene it should be: record it anew", name)
	return tb
}

// recorded returns the file of the first table that fits.
func recorded(t testing.TB, game string, c tabletest.Config, n int, fits func(*tabletest.Table) bool) []byte {
	t.Helper()
	for seed := range uint64(10_000) {
		tb, made := newTable(t, game, c, seed), fmt.Appendf(nil, "seed %d\n", seed)
		play(t, tb, n, func(d table.Duty) (table.Seat, json.RawMessage) {
			seat, move := chosen(t, tb, d)
			made = fmt.Appendf(made, "%d %s\n", seat, move)
			return seat, move
		})
		if fits(tb) {
			return made
		}
	}
	t.Fatal("no table fits")
	return nil
}

// fitsAll accepts every table.
func fitsAll(*tabletest.Table) bool { return true }

// play plays n messages, or to the end if n is negative.
func play(t testing.TB, tb *tabletest.Table, n int, choose func(table.Duty) (table.Seat, json.RawMessage)) {
	t.Helper()
	for ; n != 0 && len(tb.State.Duties()) > 0; n-- {
		d, move := tb.State.Duties()[0], json.RawMessage(nil)
		seat := d.Seats[0]
		if d.Kind == table.Move {
			seat, move = choose(d)
		}
		entry := testmust.Have(tb.HonestMessage(seat, d, move))(t)
		testmust.Do(t, tb.Add(entry))
	}
}

// chosen returns the move of the first seat whose bot does not wait.
func chosen(t testing.TB, tb *tabletest.Table, d table.Duty) (table.Seat, json.RawMessage) {
	t.Helper()
	for _, seat := range d.Seats {
		move := testmust.Have(tb.Choose(seat, tb.Choice))(t)
		if move != nil {
			return seat, move
		}
	}
	t.Fatalf("nobody moves: %v", d)
	return 0, nil
}

func state(t testing.TB, s *table.State) (state tarokk.State) {
	t.Helper()
	raw := testmust.Have(s.Public())(t)
	testmust.Do(t, json.Unmarshal(raw, &state))
	return state
}

// scenes are the scenes by name, with the same bytes in every run. Each is played once and never
// changed.
var scenes = map[string]func(testing.TB) *scene{
	"tarokk": once(tarokkSound), "foul": once(foulVoid), "waiting": once(waiting), "broken": once(broken), "peter": once(peter), "skat": once(skatList),
}

func once(make func(testing.TB) *scene) func(testing.TB) *scene {
	var mu sync.Mutex
	var made *scene
	return func(t testing.TB) *scene {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if made == nil {
			s := make(t)
			k := &known{documents: map[string]*report.Document{}}
			k.report, k.recording = s.verified(t)
			for _, tag := range report.Languages() {
				k.documents[tag] = s.document(t, tag)
			}
			s.known, made = k, s
		}
		return made
	}
}

// tarokkSound is a session of two deals, the first thrown in, in a log with other entries and with
// void messages.
func tarokkSound(t testing.TB) *scene {
	tb := played(t, "tarokk", "tarokk/v1", tabletest.Config{Seats: 4}, -1, func(tb *tabletest.Table) bool {
		past := state(t, tb.State).Past
		return len(past) == 2 && past[0].How != "played" && past[1].How == "played"
	})
	stale := testmust.Have(tb.Forge(tb.Entries[9], func(m *wire.Message) { m.Parent[0] ^= 1 }))(t)
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

// skatList is a list of four seats, whose dealer sits out: a game won and one lost, a null or a hand
// game, and a deal passed in.
func skatList(t testing.TB) *scene {
	c := tabletest.Config{Seats: 4, Deals: 5, AnySum: true, Options: map[string]string{"score": "seeger-fabian"}}
	tb := played(t, "skat", "skat/v1", c, -1, func(tb *tabletest.Table) bool {
		s, _ := table.Public[skat.State](tb.State)
		won, lost, passed, special := 0, 0, 0, 0
		for _, past := range s.Past {
			switch {
			case past.How == skat.PassedIn:
				passed++
			case past.Result.Won:
				won++
			default:
				lost++
			}
			if c := past.Contract; c != nil && (c.Hand || c.Game == "N") {
				special++
			}
		}
		return won > 1 && lost > 0 && passed == 1 && special > 0
	})
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	return s
}

// foulVoid ends with a tarokk on a led spade by a seat that does not prove to be void of spades, and
// has a later message.
func foulVoid(t testing.TB) *scene {
	var entry []byte
	tb := played(t, "foul", "tarokk/v1", tabletest.Config{Seats: 4, Fouls: wire.RecordFouls}, 59, func(tb *tabletest.Table) bool {
		entry = lieOnSuit(t, tb)
		return entry != nil
	})
	after := testmust.Have(tb.Next())(t)
	s := &scene{Table: tb}
	s.sign(t, append(append([][]byte{}, tb.Entries...), entry, after))
	return s
}

// lieOnSuit returns a tarokk on a led suit of which its player has a card, or nil.
func lieOnSuit(t testing.TB, tb *tabletest.Table) []byte {
	s := state(t, tb.State)
	if s.Stage != tarokk.Playing || len(s.Deal.Tricks) == 0 {
		return nil
	}
	trick := s.Deal.Tricks[len(s.Deal.Tricks)-1].Faces
	if led, _ := tarokk.ParseFace(trick[0]); len(trick) == 4 || tarokk.SuitOf(led) != tarokk.Spades {
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
			move, _ := json.Marshal(tarokk.Move{Play: &tarokk.Play{Card: string(c), Face: tarokk.FaceName(f)}})
			if entry := unproved(tb, seat, move); tarokk.IsTarokk(f) && entry != nil {
				return entry
			}
		}
	}
	return nil
}

// unproved returns a move without its proof about hidden cards, or nil.
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

// waiting stops in the middle of a deal.
func waiting(t testing.TB) *scene {
	tb := played(t, "waiting", "tarokk/v1", tabletest.Config{Seats: 5, Options: map[string]string{"preset": "cup"}}, 45, fitsAll)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	return s
}

// broken is a log that shows other entries than it signed.
func broken(t testing.TB) *scene {
	tb := played(t, "broken", "tarokk/v1", tabletest.Config{Seats: 4}, 12, fitsAll)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	s.entries = append(append([][]byte{}, s.entries[:5]...), append([][]byte{[]byte("changed")}, s.entries[6:]...)...)
	return s
}

func peter(t testing.TB) *scene {
	tb := played(t, "peter", "schwarzer-peter/v1", tabletest.Config{Seats: 3, Options: map[string]string{"odd": "queen"}}, -1, fitsAll)
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	return s
}
