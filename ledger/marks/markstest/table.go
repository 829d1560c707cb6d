package markstest

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// Origin names the log.
const Origin = "log.example/cards"

// Terms are those of the clock, with the keepers left out: a second after each is late.
var Terms = wire.Clock{Quorum: 2, Tick: 5, Start: 300, Move: 60, Bank: 120, Increment: 5, Grace: 15}

// Table is a table with a clock, its log, its keepers, and what the log says of time.
type Table struct {
	*tabletest.Table
	t       testing.TB
	Log     *ledgertest.Memory
	Key     *tlog.VerifierKey
	Keepers []*tlog.SignerKey
	Lines   []note.Signer                   // by keeper: with which it says what it holds
	Now     time.Time                       // the true time
	Wrong   []func(now time.Time) time.Time // by keeper: what its clock shows; nil: the time
	Marks   []timing.Mark                   // those that were made, in the order of the log
	read    *marks.Marks
	index   uint64 // of the genesis entry
	size    uint64
}

// New begins a table of a game with three keepers; change may change its terms.
func New(t testing.TB, game table.Game, c tabletest.Config, seed uint64, change func(*wire.Genesis)) *Table {
	t.Helper()
	p, err := tabletest.New(game, c, seed)
	if err != nil {
		t.Fatal(err)
	}
	w := &Table{Table: p, t: t, Now: time.Unix(1_900_000_000, 0), Wrong: make([]func(time.Time) time.Time, 3)}
	skey, vkey, err := note.GenerateKey(p.Random, Origin)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	if w.Log, err = ledgertest.NewMemoryOf(signer); err != nil {
		t.Fatal(err)
	}
	if w.Key, err = tlog.ParseLogKey(vkey); err != nil {
		t.Fatal(err)
	}
	w.read = marks.New(w.Key)
	for i, name := range []string{"anna.example", "bela.example", "csilla.example"} {
		w.Keepers = append(w.Keepers, NewKeeper(t, name, func() time.Time { return w.keeperTime(i) }))
		line, _ := LineSigner(t, name)
		w.Lines = append(w.Lines, line)
	}
	w.beginWith(change)
	return w
}

// keeperTime is what a keeper's clock shows.
func (w *Table) keeperTime(keeper int) time.Time {
	if wrong := w.Wrong[keeper]; wrong != nil {
		return wrong(w.Now)
	}
	return w.Now
}

// beginWith makes the genesis entry of a table/v2.
func (w *Table) beginWith(change func(*wire.Genesis)) {
	e := w.parseEntry(w.Entries[0])
	g := *e.Table
	g.Format, g.Arbiters, g.Names = wire.TableFormat2, []string{}, make([]wire.Text, len(g.Seats))
	g.Ends = wire.Ends{Late: wire.LateForfeit, Forfeit: 40, Resign: true, Agree: true}
	g.Clock = Terms
	g.Clock.Keepers, g.Clock.Lines = []string{}, []string{}
	for _, k := range w.Keepers {
		g.Clock.Keepers = append(g.Clock.Keepers, k.String())
	}
	if change != nil {
		change(&g)
	}
	for _, k := range w.Keepers[:len(g.Clock.Keepers)] {
		if _, vkey := LineSigner(w.t, k.Name()); g.Clock.Silence {
			g.Clock.Lines = append(g.Clock.Lines, vkey)
		}
	}
	entry, err := wire.Sign(&g, w.Organiser)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.State, err = table.Open(w.parseEntry(entry), w.Catalogue()); err != nil {
		w.t.Fatal(err)
	}
	w.index = w.Append(entry)
	w.State = w.State.AtIndex(w.index)
	w.Entries, w.States = [][]byte{entry}, []*table.State{w.State}
}

func (w *Table) parseEntry(entry []byte) *wire.Entry {
	e, err := wire.Parse(entry)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// Append puts any entry into the log, as a log would that takes everything.
func (w *Table) Append(entry []byte) (index uint64) {
	w.t.Helper()
	r, err := w.Log.Append(context.Background(), entry)
	if err != nil {
		w.t.Fatal(err)
	}
	if r.Index == w.size {
		w.read.Take(r.Index, tlog.LeafHash(entry), entry)
		w.size++
	}
	return r.Index
}

// Post puts an entry of the table into the log, and applies it there. What is wrong with it is
// the error; it is in the log all the same.
func (w *Table) Post(entry []byte) error {
	w.t.Helper()
	index, e := w.Append(entry), w.parseEntry(entry)
	s := replay.Judge(w.State, replay.PlacedEntry{Index: index, Entry: e}, w.Catalogue(), nil, nil, w.read.Mark)
	w.State = s.After
	if s.Err != nil || s.IsVoid() {
		return cmp.Or(s.Err, error(s.Fault))
	}
	w.Entries, w.States = append(w.Entries, entry), append(w.States, w.State)
	if s.Fault != nil {
		return s.Fault
	}
	return nil
}

// PlayMoves plays n messages, each after so many seconds.
func (w *Table) PlayMoves(n, seconds int) {
	w.t.Helper()
	for range n {
		w.PassTime(seconds)
		entry, err := w.Next()
		if err == nil {
			err = w.Post(entry)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// Checkpoint is the newest one, as keepers have seen it now; of nobody named all of them.
func (w *Table) Checkpoint(keepers ...*tlog.SignerKey) tlog.Checkpoint {
	w.t.Helper()
	c, err := w.Log.Checkpoint(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(keepers) == 0 {
		keepers = w.Keepers
	}
	return Cosign(w.t, c, w.Key, keepers...)
}

// Mark puts a mark into the log.
func (w *Table) Mark(keepers ...*tlog.SignerKey) wire.Hash {
	w.t.Helper()
	entry := SignMark(w.t, w.Checkpoint(keepers...))
	w.Append(entry)
	hash := wire.HashEntry(entry)
	if m, err := w.read.Mark(hash); err == nil {
		w.Marks = append(w.Marks, timing.Mark{Hash: hash, Mark: m})
	}
	return hash
}

// MarkFinder finds marks in the log.
func (w *Table) MarkFinder() table.Marks { return w.read.Mark }

// PassTime lets seconds pass. A log with a clock in play makes a mark at the beginning, every tick,
// and at the end.
func (w *Table) PassTime(seconds int) {
	w.t.Helper()
	if seconds == 0 {
		return
	}
	for w.Mark(); seconds > 0; w.Mark() {
		step := min(seconds, Terms.Tick)
		w.Now, seconds = w.Now.Add(time.Duration(step)*time.Second), seconds-step
	}
}

// Clock is how a seat stands.
func (w *Table) Clock(seat table.Seat) timing.Clock {
	w.t.Helper()
	for _, c := range timing.FindClocks(w.State, w.Marks) {
		if c.Seat == seat {
			return c
		}
	}
	w.t.Fatalf("seat %s owes nothing", seat.Letter())
	return timing.Clock{}
}

// Place is where a seat owes something now.
func (w *Table) Place(seat table.Seat) keeper.Place {
	return keeper.Place{Table: w.State.ID(), Parent: w.State.Head(), Seat: int(seat)}
}

// Silence is what keepers say now who hold no message of a seat on the head; of nobody named all.
func (w *Table) Silence(seat table.Seat, keepers ...int) (lines [][]byte) {
	w.t.Helper()
	if len(keepers) == 0 {
		keepers = []int{0, 1, 2}
	}
	for _, k := range keepers {
		line, err := keeper.SignSilence(w.Lines[k], w.keeperTime(k).Unix(), w.Place(seat))
		if err != nil {
			w.t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// Claim is what a seat signs now to time another out, with what keepers say of it; of nobody named all.
func (w *Table) Claim(late, by table.Seat, keepers ...int) []byte {
	w.t.Helper()
	body := w.Clock(late).Claim
	body.Silence = w.Silence(late, keepers...)
	return w.Act(by, wire.KindTimeout, body)
}

// Hold is a message as a keeper holds it since now.
func (w *Table) Hold(message []byte, k int) keeper.Message {
	w.t.Helper()
	m, err := keeper.NewMessage(message)
	if err != nil {
		w.t.Fatal(err)
	}
	line, err := keeper.SignHold(w.Lines[k], w.keeperTime(k).Unix(), m.Place, m.Entry)
	if err != nil {
		w.t.Fatal(err)
	}
	m.Lines, m.Names = append(m.Lines, line), append(m.Names, w.Lines[k].Name())
	return m
}

// Act signs an act of a seat on the head.
func (w *Table) Act(seat table.Seat, kind wire.Kind, body any) []byte {
	w.t.Helper()
	entry, err := player.SignAct(w.State, w.State.HolderKey(seat), w.Hands[seat].Signer, kind, body)
	if err != nil {
		w.t.Fatal(err)
	}
	return entry
}

// ByOrganiser signs an act of the organiser.
func (w *Table) ByOrganiser(kind wire.Kind, body any) []byte {
	w.t.Helper()
	entry, err := player.SignAct(w.State, w.State.Genesis().Organiser, w.Organiser, kind, body)
	if err != nil {
		w.t.Fatal(err)
	}
	return entry
}

// LateSeat is the seat that owes the next message, alone, and one that does not.
func (w *Table) LateSeat() (late, other table.Seat) {
	w.t.Helper()
	duties := w.State.Duties()
	if len(duties) != 1 || len(duties[0].Seats) != 1 {
		w.t.Fatalf("several owe: %v", duties)
	}
	late = duties[0].Seats[0]
	return late, (late + 1) % table.Seat(w.State.Seats())
}

// FaultOf is what becomes of an entry of the table that would now come into the log: its fault,
// or nil.
func (w *Table) FaultOf(entry []byte) *table.Fault {
	w.t.Helper()
	_, err := w.State.Apply(w.parseEntry(entry), table.Facts{Index: w.size, Marks: w.read.Mark})
	fault, ok := errors.AsType[*table.Fault](err)
	if err != nil && !ok {
		w.t.Fatal(err)
	}
	return fault
}
