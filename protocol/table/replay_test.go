package table_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// deferred replays a history with all proofs in one batch and goes on after
// what fails, as a server could have made it.
type deferred struct {
	state *table.State
	batch proof.Batch
	n     uint64
}

func (d *deferred) apply(t *testing.T, entry []byte) error {
	t.Helper()
	e := parsed(t, entry)
	d.n++
	d.batch.Label(d.n)
	next, err := d.state.Apply(e, table.Facts{Batch: d.batch})
	if err == nil {
		d.state = next
	}
	return err
}

// A batch lets a wrong proof pass for the time being; then it must name the entry that immediate
// checking calls a foul, whatever was built on it.
func TestDeferredChecksNameTheSameEntry(t *testing.T) {
	for _, s := range suites(t) {
		for _, kind := range []table.Kind{table.Key, table.Shuffle, table.Show, table.Move} {
			t.Run(s.Name()+"/"+string(kind), func(t *testing.T) {
				played := begin(t, whist, s, 3)
				d := played.untilProved(kind)
				cheat := played.forged(d, func(m *wire.Message) {
					last := m.Proofs[len(m.Proofs)-1]
					last[len(last)-32] ^= 1 // of a scalar, so that the form stays good
				})
				_, err := tabletest.Apply(played.State, cheat)
				var fault *table.Fault
				testmust.Requiref(t, errors.As(err, &fault) && fault.Class == table.Foul, "checked at once: %v, want a foul", err)
				late := &deferred{state: played.States[0], batch: s.NewBatch()}
				for _, entry := range played.Entries[1:] {
					testmust.Do(t, late.apply(t, entry))
				}
				err = late.apply(t, cheat)
				at := late.n
				if errors.Is(err, proof.ErrWrong) && errors.As(err, &fault) && fault.Class == table.Foul {
					return // an argument that is checked at once leaves nothing to a batch
				}
				testmust.Do(t, err, "refused before the batch is checked")
				played.State = late.state
				for i := 0; i < 3 && len(played.State.Duties()) > 0; i++ {
					testmust.Do(t, late.apply(t, played.made(played.Next())), "an honest message after it")
					played.State = late.state
				}
				var wrong *proof.BatchError
				err = late.batch.Check()
				testmust.Holdf(t, errors.As(err, &wrong) && wrong.Labels[0] == at, "batch: %v, want entry %d", err, at)
			})
		}
	}
}

// untilProved plays up to a message of a kind that carries proofs.
func (t try) untilProved(k table.Kind) table.Duty {
	t.Helper()
	for {
		d := t.until(k)
		e := parsed(t.T, t.honest(d))
		if len(e.Message.Proofs) > 0 {
			return d
		}
		t.plays(1)
	}
}

// A recorded foul ends the table: nothing is due, there is no result, and
// nothing that follows is applied; the state before it is as it was.
func TestFoulEndsTheTable(t *testing.T) {
	played := begin(t, whist, clear.Suite{}, 3)
	played.until(table.Move)
	before := tabletest.Fingerprint(played.State)
	foul := &table.Fault{Class: table.Foul, Check: table.CheckFace, Seat: 2, Err: errors.New("test")}
	ended := played.State.WithFault(foul, wire.Hash{})
	testmust.Holdf(t, ended.Foul() == foul && len(ended.Duties()) == 0 && len(ended.DutiesOf(0)) == 0, "foul %v, duties %v", ended.Foul(), ended.Duties())
	result, ok := ended.Result()
	testmust.Holdf(t, !ok, "result %v after a foul", result)
	testmust.Hold(t, tabletest.Fingerprint(played.State) == before && played.State.Foul() == nil, "ending a table changed the state before")
	played.catches(played.Entries[len(played.Entries)-1], table.CheckParent)
	entry := played.made(played.Next())
	played.State = ended
	played.catches(entry, table.CheckOpen)
}

// A table that is over takes nothing more; and a result that stands though it ended with a foul.
func TestNothingIsDueAfterTheEnd(t *testing.T) {
	end := try{t, playedOut(t, whist, tabletest.Config{Seats: 3}, 1)}
	for _, k := range []table.Kind{table.Key, table.Shuffle, table.Show, table.Give, table.Permute, table.Move} {
		for seat := range table.Seat(3) {
			end.catches(end.made(end.Sign(seat, k, wire.MoveBody{Move: []byte(`{}`), Tokens: [][]byte{}})), table.CheckDue)
		}
	}
	result, ok := end.State.WithFault(&table.Fault{Class: table.Foul, Seat: 1}, wire.Hash{}).Result()
	testmust.Holdf(t, !ok, "result %v after a foul", result)
}

// The first shuffle of every deal has the same deck and the same joint key: a
// shuffle of an earlier deal, whose permutation may be known by now, must not
// serve again.
func TestShuffleOfAnEarlierDeal(t *testing.T) {
	for _, s := range suites(t) {
		t.Run(s.Name(), func(t *testing.T) {
			played := newTable(t, peter, tabletest.Config{Seats: 2, Deals: 3, Suite: s}, 4)
			tried := try{t, played}
			first := tried.until(table.Shuffle)
			e := parsed(t, tried.honest(first))
			old := e.Message
			tried.adds(e.Parcel())
			for tried.State.Deal() < 3 || tried.State.DutiesOf(0) == nil || tried.State.DutiesOf(0)[0].Kind != table.Shuffle {
				tried.plays(1)
			}
			again := *old
			again.Parent = tried.State.Head()
			tried.catches(tried.made(wire.Sign(&again, tried.Hands[0].Signer)), table.CheckShuffle)
		})
	}
}

// Something of one deal is left over in the next: open faces, hands, tokens.
func TestDealsAreSeparate(t *testing.T) {
	played := newTable(t, peter, tabletest.Config{Seats: 2, Deals: 2}, 7)
	for played.State.Deal() < 2 {
		plays(t, played, 1)
	}
	s := played.State
	if len(s.Faces()) > 0 || len(s.Hand(0)) > 0 || len(s.Hand(1)) > 0 {
		t.Errorf("open %v, hands %v and %v at the start of the second deal", s.Faces(), s.Hand(0), s.Hand(1))
	}
	_, over := s.Result()
	testmust.Hold(t, !over, "a result after the first of two deals")
	testmust.Hold(t, !slices.ContainsFunc(s.Duties(), func(d table.Duty) bool { return d.Kind == table.Key }), "card keys are due again")
}

// A genesis entry that opens a table it should not.
func TestOpenRefuses(t *testing.T) {
	played := begin(t, whist, clear.Suite{}, 3)
	good := *played.State.Genesis()
	for name, c := range map[string]struct {
		change func(g *wire.Genesis)
		want   string
	}{
		"an unknown game":     {func(g *wire.Genesis) { g.Game = "bridge/v1" }, "unknown game"},
		"an unknown suite":    {func(g *wire.Genesis) { g.Suite = "paper/v1" }, "unknown suite"},
		"an unknown option":   {func(g *wire.Genesis) { g.Options = map[string]string{"x": "1"} }, "unknown option x"},
		"too few seats":       {func(g *wire.Genesis) { g.Seats = g.Seats[:2] }, "W1"},
		"another's signature": {func(g *wire.Genesis) { g.Organiser = g.Seats[0] }, "organiser"},
	} {
		g := good
		c.change(&g)
		e := parsed(t, played.made(wire.Sign(&g, played.Organiser)))
		s, err := table.Open(e, played.Catalogue())
		testmust.Holdf(t, err != nil && s == nil && strings.Contains(err.Error(), c.want), "%s: got %v, want %q", name, err, c.want)
	}
	message := parsed(t, played.honest(played.State.Duties()[0]))
	testmust.Fail(t, testmust.ErrorOf(table.Open(message, played.Catalogue())), "a message opened a table")
}

// Of two wrong proofs of a message the first is the fault, whichever fails by its form
// and whichever by an equation: a later one must not hide what was found before it.
func TestFirstWrongProof(t *testing.T) {
	changes := map[string]func([]byte) []byte{
		"equation": func(p []byte) []byte { p[len(p)-32] ^= 1; return p },
		"form":     func(p []byte) []byte { return p[:len(p)-1] },
	}
	for _, s := range suites(t) {
		played := begin(t, whist, s, 3)
		honest := played.untilTwoProofs()
		list, err := played.State.Statements(table.Seat(parsed(t, honest).Message.Seat), table.Move, parsed(t, honest).Message.Body)
		testmust.Requiref(t, err == nil && proof.RelationName(list[0]) == "reveal" && proof.RelationName(list[1]) == "condition", "%v, %v", list, err)
		for first, one := range changes {
			for second, other := range changes {
				cheat := played.made(played.Forge(honest, func(m *wire.Message) {
					m.Proofs[0], m.Proofs[1] = one(m.Proofs[0]), other(m.Proofs[1])
				}))
				_, err := tabletest.Apply(played.State, cheat)
				if f, ok := errors.AsType[*table.Fault](err); !ok || f.Class != table.Foul || f.Check != table.CheckReveal {
					t.Errorf("%s: first wrong by %s, second by %s: %v", s.Name(), first, second, err)
				}
			}
		}
		b := s.NewBatch()
		b.Label(7)
		cheat := played.made(played.Forge(honest, func(m *wire.Message) {
			m.Proofs[0], m.Proofs[1] = changes["equation"](m.Proofs[0]), changes["form"](m.Proofs[1])
		}))
		if _, err := played.State.Apply(parsed(t, cheat), table.Facts{Batch: b}); err == nil || b.Check() == nil {
			t.Errorf("%s: %v, and its batch was checked before its owner did", s.Name(), err)
		}
	}
}

// untilTwoProofs plays up to a move that has two proofs.
func (t try) untilTwoProofs() []byte {
	t.Helper()
	for range 500 {
		entry := testmust.Have(t.Next())(t.T)
		if len(parsed(t.T, entry).Message.Proofs) == 2 {
			return entry
		}
		t.adds(entry)
	}
	t.Fatal("no move with two proofs")
	return nil
}

// A state is shared by the server's requests: readers, and messages that are
// tried at the same time, must not disturb each other. Meant for -race.
func TestStatesAreShared(t *testing.T) {
	played := playedOut(t, peter, tabletest.Config{Seats: 2}, 1)
	var wait sync.WaitGroup
	for i := range len(played.States) - 1 {
		for range 3 {
			wait.Go(func() {
				s := played.States[i]
				if next, err := tabletest.Apply(s, played.Entries[i+1]); err != nil || next.Head() != played.States[i+1].Head() {
					t.Errorf("entry %d: %v", i+1, err)
				}
				hand, err := play.Peek(s, 0, played.Hands[0].Secret)
				testmust.Hold(t, err == nil, err)
				dealt, err := play.PeekDealt(s, 0, played.Hands[0].Secret)
				testmust.Hold(t, err == nil, err)
				_, err = play.Moves(s, play.View(s, 0, hand, dealt))
				testmust.Hold(t, err == nil, err)
				tabletest.Fingerprint(s)
				s.WithFault(&table.Fault{Class: table.Foul, Seat: 1}, wire.Hash{})
			})
		}
	}
	wait.Wait()
}

// BenchmarkClone measures what every message costs besides its proofs: the copy of the state before it,
// here with 51 cards in hands.
func BenchmarkClone(b *testing.B) {
	played := testmust.Have(tabletest.New(peter, tabletest.Config{Seats: 4, Options: map[string]string{"pack": "52"}}, 1))(b)
	testmust.Have(played.PlayUntil(table.Permute))(b)
	b.ReportAllocs()
	for b.Loop() {
		played.State.WithFault(new(table.Fault), wire.Hash{})
	}
}

// BenchmarkMemory measures the memory of a table that has gone on for more heads than branches may lie
// beside (52.10), with and without a clock: the bytes in use that are free without the table.
func BenchmarkMemory(b *testing.B) {
	for name, clock := range map[string]func(*wire.Genesis){"clock": nil, "none": func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{}, Lines: []string{}}
	}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w := markstest.New(b, peter, tabletest.Config{Seats: 4, Deals: 3}, 56, clock)
				w.PlayMoves(200, 0)
				state := w.State
				w = nil
				with := inUse()
				runtime.KeepAlive(state)
				state = nil
				b.ReportMetric(float64(with-inUse())/1000, "kB/table")
			}
		})
	}
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Options in a second spelling, out of range, or that nobody reads.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		given map[string]string
		want  string // part of the error; empty for none
	}{
		{nil, ""},
		{map[string]string{"colour": "red", "open": "true", "rounds": "12"}, ""},
		{map[string]string{"colour": "green"}, "option colour=green: must be one of blue, red"},
		{map[string]string{"open": "yes"}, "option open=yes: must be one of true, false"},
		{map[string]string{"rounds": "012"}, "option rounds=012: must be a number from 1 to 20"},
		{map[string]string{"rounds": "+2"}, "option rounds=+2"},
		{map[string]string{"rounds": "0"}, "option rounds=0"},
		{map[string]string{"rounds": "21"}, "option rounds=21"},
		{map[string]string{"rounds": ""}, "option rounds="},
		{map[string]string{"Colour": "red"}, "unknown option Colour: known are colour, open, rounds"},
	} {
		o := table.ReadOptions(table.Config{Options: c.given})
		colour, open, rounds := o.Choice("colour", "blue", "red"), o.Bool("open", true), o.Int("rounds", 4, 1, 20)
		err := o.Err()
		testmust.Holdf(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)), "%v: got %v, want %q", c.given, err, c.want)
		testmust.Holdf(t, c.given != nil || colour == "blue" && open && rounds == 4, "defaults: %s, %v, %d", colour, open, rounds)
		testmust.Holdf(t, len(c.given) != 3 || colour == "red" && open && rounds == 12, "%v is read as %s, %v, %d", c.given, colour, open, rounds)
	}
	err := table.ReadOptions(table.Config{Options: map[string]string{"limit": "1"}}).Err()
	testmust.Hold(t, err != nil && err.Error() == "unknown option limit: this game has no options", err)
}

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

// A message that is void or foul without its blobs must be so whether or not they are at hand, so that
// nobody can make a table uncheckable by a message that does not count.
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
			testmust.Holdf(t, errors.As(err, &fault) && fault.Class == c.class && fault.Check == c.check && len(attached) != 0,
				"%s, blobs %v: %v, want %v by %s", name, len(b) > len(bare), err, c.class, c.check)
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
