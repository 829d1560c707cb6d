package cosign_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// keeperWorld is a table whose keeper reads it, with a clock of the keeper's own.
type keeperWorld struct {
	*markstest.Table
	t       testing.TB
	dir     string
	keeper  *cosign.Keeper
	o       cosign.KeeperOptions
	passed  time.Duration
	hidden  map[wire.Hash]bool // entries that the log does not list
	swapped bool               // the last two are listed in the wrong order
	given   [][]byte
	genesis []byte
	receipt []byte
	cp      tlog.Checkpoint // that was cosigned
}

func newKeeperWorld(t testing.TB, change func(*cosign.KeeperOptions)) *keeperWorld {
	t.Helper()
	return newWorldOf(t, 15, change)
}

// newWorldOf returns a world whose table gives seats a grace, in seconds.
func newWorldOf(t testing.TB, grace int, change func(*cosign.KeeperOptions)) *keeperWorld {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := &keeperWorld{t: t, dir: t.TempDir(), hidden: map[wire.Hash]bool{}}
	w.Table = markstest.New(t, game, tabletest.Config{Seats: 3}, 80, func(g *wire.Genesis) { g.Clock.Silence, g.Clock.Grace = true, grace })
	w.genesis = w.Entries[0]
	w.receipt = w.receiptOf(w.genesis, 0)
	_, lines := markstest.LineSigner(t, w.Keepers[0].Name())
	w.o = cosign.KeeperOptions{
		Signer: w.Lines[0], Lines: lines, Keeper: w.Keepers[0].String(), Keys: []note.Verifier{w.Key}, Log: w,
		Cosigned: func() tlog.Checkpoint { return w.cp }, Clock: func() time.Time { return w.Now },
		Since: func() time.Duration { return w.passed },
	}
	if change != nil {
		change(&w.o)
	}
	w.open()
	w.PlayMoves(3, 10)
	w.see()
	return w
}

func (w *keeperWorld) open() {
	w.t.Helper()
	w.keeper = testmust.Have(cosign.OpenKeeper(w.dir, w.o))(w.t)
}

// see makes the keeper's cosigner see the log, and the keeper read it.
func (w *keeperWorld) see() {
	w.cp = w.Checkpoint()
	w.keeper.PassOnce(context.Background())
}

func (w *keeperWorld) receiptOf(entry []byte, index uint64) []byte {
	w.t.Helper()
	cp := testmust.Have(w.Log.Checkpoint(context.Background()))(w.t)
	p := testmust.Have(w.Log.Inclusion(context.Background(), index, cp.Size))(w.t)
	return tlog.Receipt{Index: index, Hashes: p.Hashes, Checkpoint: cp.Note}.Marshal()
}

// Listed, Inclusion and Give implement the keeper's log.
func (w *keeperWorld) Listed(ctx context.Context, id wire.Hash, n int) (list []cosign.HeldEntry, err error) {
	cp, _ := w.Log.Checkpoint(ctx)
	index := uint64(0)
	for entry, err := range w.Log.Entries(ctx, 0, cp.Size) {
		if err != nil {
			return nil, err
		}
		named, ok := wire.TableNamed(entry)
		if (ok && named == id || wire.HashEntry(entry) == id) && !w.hidden[wire.HashEntry(entry)] {
			list = append(list, cosign.HeldEntry{Index: index, Text: string(entry)})
		}
		index++
	}
	if end := len(list) - 1; w.swapped {
		list[end-1], list[end] = list[end], list[end-1]
	}
	return list[min(n, len(list)):], nil
}

func (w *keeperWorld) Inclusion(ctx context.Context, index, size uint64) (tlog.Inclusion, error) {
	return w.Log.Inclusion(ctx, index, size)
}

func (w *keeperWorld) Give(_ context.Context, _ wire.Hash, message []byte) error {
	w.given = append(w.given, message)
	return errors.New("withheld")
}

func (w *keeperWorld) request(message []byte) exchange.Request {
	r := exchange.Request{Genesis: w.genesis, Receipt: w.receipt, Message: message}
	return r
}

func (w *keeperWorld) about(seat table.Seat) exchange.Request {
	return exchange.Request{Genesis: w.genesis, Receipt: w.receipt, Parent: w.State.Head(), Seat: int(seat)}
}

// silent checks whether the keeper states that it holds no message of a seat on the head.
func (w *keeperWorld) silent(what string, seat table.Seat, want string) {
	w.t.Helper()
	line, err := w.keeper.Silence(w.about(seat))
	if err == nil {
		_, wrong := keeper.VerifySilence(w.o.Lines, line, w.Place(seat))
		testmust.Holdf(w.t, wrong == nil, "%s: %v", what, wrong)
	}
	switch {
	case err == nil && want != "":
		w.t.Errorf("%s: silence, want %q", what, want)
	case err != nil && (want == "" || !strings.Contains(err.Error(), want)):
		w.t.Errorf("%s: %v, want %q", what, err, want)
	}
}

func (w *keeperWorld) hold(message []byte) []byte {
	w.t.Helper()
	return testmust.Have(w.keeper.Hold(w.request(message)))(w.t)
}

// settle makes the keeper show the head for the grace.
func (w *keeperWorld) settle(seat table.Seat) {
	w.t.Helper()
	w.silent("before it was read", seat, "was not found in the log yet")
	w.see()
	w.passed += 14 * time.Second
	w.silent("14 s of 15", seat, "was not shown for long enough")
	w.passed += time.Second
}

// A keeper states silence about a head that it has not shown, or not for long enough; the head is
// hidden from it or not cosigned; its own clock is not set. (Attacks 14, 16)
func TestSilenceNeedsTheHead(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, _ := w.LateSeat()
	w.Now = w.Now.Add(24 * time.Hour) // this time is not part of the grace
	w.settle(late)
	w.silent("15 s", late, "")
	shown := w.keeper.HeldMessages(w.State.ID(), -1)
	testmust.Requiref(t, shown != nil && len(shown.Entries) == 4, "shown %+v", shown)
	for _, e := range shown.Entries {
		r := testmust.Have(tlog.ParseReceipt([]byte(e.Receipt)))(t)
		testmust.Do(t, r.Verify([]byte(e.Entry), w.Key))
	}
	testmust.Equal(t, len(w.keeper.HeldMessages(w.State.ID(), int64(shown.Entries[2].Index)).Entries), 1, "behind number 2", "entries")
	w.keeper.Close()
	w.open()
	w.silent("after a restart", late, "was not found in the log yet")
	w.PlayMoves(1, 1)
	w.keeper.PassOnce(t.Context()) // the cosigner has not seen it
	late, _ = w.LateSeat()
	w.passed += time.Hour
	w.silent("not cosigned", late, "was not found in the log yet")
}

// The keeper that holds a message must not state silence: not at once, after a restart, after the log
// has it and hides it again, or after a week. Another hold returns the same line. (Attacks 12, 15)
func TestNoSilenceAfterAHold(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	w.settle(late)
	line := w.hold(message)
	m, _ := keeper.NewMessage(message)
	testmust.Equal(t, testmust.Have(keeper.VerifyHold(w.o.Lines, line, m.Place, m.Entry))(t, "held at"), w.Now.Unix(), "held at")
	w.Now = w.Now.Add(time.Minute)
	testmust.Equal(t, string(w.hold(message)), string(line), "another line for the same message")
	w.silent("held", late, "is held, or in the log")
	w.silent("of another seat", other, "")
	w.keeper.PassOnce(t.Context())
	testmust.Holdf(t, len(w.given) == 1 && string(w.given[0]) == string(message), "the log was given %d messages", len(w.given))
	file := testmust.Have(w.keeper.Message(w.State.ID(), m.Entry))(t)
	back, err := exchange.Parse(file)
	testmust.Holdf(t, err == nil && string(back.Lines[0]) == string(line) && string(back.Parcel) == string(message), "the file: %v", err)
	w.keeper.Close()
	w.open()
	w.silent("after a restart", late, "is held, or in the log")
	testmust.Equal(t, string(w.hold(message)), string(line), "another line after a restart")
	testmust.Do(t, w.Post(message))
	head := w.State.Head()
	w.see()
	files, _ := filepath.Glob(filepath.Join(w.dir, "*.held"))
	testmust.Holdf(t, len(files) == 0, "the log has it, and it is kept: %v", files)
	files, _ = filepath.Glob(filepath.Join(w.dir, "*.table"))
	testmust.Holdf(t, len(files) == 0, "the log has it, and the table is kept: %v", files)
	w.keeper.Close()
	w.hidden[head] = true // and the log does not show it any more
	w.open()
	r := w.about(late)
	r.Parent = m.Parent
	w.keeper.Silence(r)
	w.see()
	w.passed += time.Hour
	testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Silence(r)), "was given to this keeper", "forgotten")
}

// A keeper that is full, or whose disk has failed, states nothing about messages that it was given,
// even if it stops right after it refused one. Each refused message of a seat sets a bit, which must
// not put every place of everybody in doubt. (An earlier keeper signed a silence.)
func TestFullKeeperIsNotSilent(t *testing.T) {
	w := newKeeperWorld(t, func(o *cosign.KeeperOptions) { o.KeeperBounds.Bytes = 64 })
	late, other := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	w.settle(late)
	e := testmust.Have(wire.Parse(message))(t)
	for n := range 50 {
		m := *e.Message
		m.Parent[0] += byte(n)
		again := testmust.Have(wire.Sign(&m, w.Hands[late].Signer))(t)
		testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Hold(w.request(again))), "no room", "full")
	}
	for _, when := range []string{"refused for room", "refused before a restart"} {
		w.silent(when, late, "was given to this keeper")
		w.silent("another seat", other, "")
		w.keeper.Close()
		w.open()
		_, _ = w.keeper.Silence(w.about(other))
		w.see()
		w.passed += time.Hour
	}
	set := 0
	b, _ := os.ReadFile(filepath.Join(w.dir, "doubts"))
	for _, c := range b {
		set += bits.OnesCount8(c)
	}
	if set != 2 { // one of them: some holder is in doubt
		t.Errorf("%d doubts about one seat", set)
	}

	w = newKeeperWorld(t, nil)
	w.settle(late)
	testmust.Do(t, os.RemoveAll(w.dir))
	testmust.Fail(t, testmust.ErrorOf(w.keeper.Hold(w.request(message))), "held on a disk that is gone")
	w.silent("a failed disk", late, "disk has failed")
	w.silent("a failed disk, another seat", other, "disk has failed")
}

// Strangers use up all tables that a keeper reads. Half of the tables are reserved for known
// organisers.
func TestStrangersLeaveTables(t *testing.T) {
	for known, want := range map[bool]string{true: "", false: "no room"} {
		w := newKeeperWorld(t, func(o *cosign.KeeperOptions) { o.KeeperBounds.Tables, o.Known = 1, func(string) bool { return known } })
		message := testmust.Have(w.Next())(t)
		_, err := w.keeper.Hold(w.request(message))
		testmust.Holdf(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "known %v: %v", known, err)
	}
}

// A message proves nothing or belongs elsewhere: a table of another log, a table that does not name
// this keeper, a stranger's message, another message on the same parent.
func TestHoldRefuses(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	foreign := newKeeperWorld(t, nil)
	e := testmust.Have(wire.Parse(message))(t)
	m := *e.Message
	stranger := testmust.Have(wire.Sign(&m, w.Hands[other].Signer))(t)
	m.Body = []byte(`{}`)
	second := testmust.Have(wire.Sign(&m, w.Hands[late].Signer))(t)
	r := w.request(message)
	r.Receipt = foreign.receiptOf(foreign.genesis, 0)
	try := func(what string, r exchange.Request, want string) {
		t.Helper()
		testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Hold(r)), want, what)
	}
	other2 := *w.State.Genesis()
	other2.Clock.Keepers, other2.Clock.Lines = other2.Clock.Keepers[1:], other2.Clock.Lines[1:]
	unnamed := testmust.Have(wire.Sign(&other2, w.Organiser))(t)
	index := w.Append(unnamed)
	bad := exchange.Request{Genesis: unnamed, Receipt: w.receiptOf(unnamed, index), Message: message}
	try("a table that names others", bad, "does not name this keeper")
	try("a receipt of another entry", exchange.Request{Genesis: unnamed, Receipt: w.receipt, Message: message}, "not keep for the log")
	try("no receipt", exchange.Request{Genesis: unnamed, Message: message}, "malformed")
	try("a stranger's message", w.request(stranger), "no holder of the seat")
	try("an act", w.request(w.Act(late, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})), "no message of a seat")
	w.hold(message)
	try("a second message", w.request(second), "another message of this seat")
}

// A clock that jumps ahead and back convicts nobody, since the times of statements never go back.
func TestTimesDoNotGoBack(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, _ := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	w.settle(late)
	true0 := w.Now
	w.Now = true0.Add(24 * time.Hour)
	silence := testmust.Have(w.keeper.Silence(w.about(late)))(t)
	w.Now = true0
	w.keeper.Close()
	w.open()
	m, _ := keeper.NewMessage(message)
	e := exchange.Evidence{Key: w.o.Lines, Place: m.Place, Entry: m.Entry, Hold: w.hold(message), Silence: silence}
	_, _, err := e.Check()
	testmust.Fail(t, err, "an honest keeper is convicted")
}

// A seat floods keepers with messages. It gets no more than its share, and only about this seat do
// keepers state nothing.
func TestFloodOfHolds(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, _ := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	e := testmust.Have(wire.Parse(message))(t)
	full := 0
	for i := range 80 {
		m := *e.Message
		m.Parent = wire.Hash{byte(i + 1)}
		entry := testmust.Have(wire.Sign(&m, w.Hands[late].Signer))(t)
		if _, err := w.keeper.Hold(w.request(entry)); err != nil {
			full++
		}
	}
	testmust.Equal(t, full, 16, "of 80 were refused")
	w.Now = w.Now.Add(8 * 24 * time.Hour)
	w.keeper.PassOnce(t.Context())
	files, _ := filepath.Glob(filepath.Join(w.dir, "*.held"))
	testmust.Holdf(t, len(files) == 0, "%d files after a week", len(files))
	w.hold(message)
}

// Nobody holds a substitute's messages, or somebody claims a seat. Only the ruler's act with the new
// key's acceptance gives the seat.
func TestHoldOfASubstitute(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	message := testmust.Have(w.Next())(t)
	e := testmust.Have(wire.Parse(message))(t)
	skey, key, err := note.GenerateKey(w.Random, "substitute")
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	m := *e.Message
	theirs := testmust.Have(wire.Sign(&m, signer))(t)
	accept := func(parent wire.Hash) []byte {
		return testmust.Have(wire.SignAccept(signer, w.State.ID(), parent, int(late)))(t)
	}
	good := wire.ReseatBody{Seat: int(late), Key: key, Accept: accept(w.State.Head())}
	elsewhere, unaccepted := good, good
	elsewhere.Seat, unaccepted.Accept = int(other), accept(wire.Hash{1})
	for what, reseat := range map[string][]byte{
		"no act": nil, "an act of a seat": w.Act(other, wire.KindReseat, good),
		"of another seat": w.ByOrganiser(wire.KindReseat, elsewhere), "not accepted here": w.ByOrganiser(wire.KindReseat, unaccepted),
		"another act": w.ByOrganiser(wire.KindPause, wire.EmptyBody{}), "no entry": []byte("act"),
	} {
		r := w.request(theirs)
		r.Reseat = reseat
		testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Hold(r)), "no holder of the seat", what)
	}
	r := w.request(theirs)
	r.Reseat = w.ByOrganiser(wire.KindReseat, good)
	testmust.Have(w.keeper.Hold(r))(t)
	w.hold(message) // the former holder's message takes nothing from the substitute
	w.see()
	w.passed += time.Hour
	w.silent("held for both", late, "is held, or in the log")
}

// A seat answered on a branch that this keeper may never see. The keeper holds the answer and states
// nothing about the head, even after it forgets the answer. What the seat signed on an entry before
// the head prevents no statement.
func TestSilenceOfOneOnABranch(t *testing.T) {
	for what, c := range map[string]struct {
		parent func(*keeperWorld) wire.Hash
		want   string
	}{
		"an entry before":  {func(w *keeperWorld) wire.Hash { return wire.HashEntry(w.Entries[1]) }, ""},
		"an unknown entry": {func(*keeperWorld) wire.Hash { return wire.Hash{1} }, "may have been shown another history"},
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		parent := c.parent(w)
		w.hold(testmust.Have(w.Forge(testmust.Have(w.Next())(t), func(m *wire.Message) { m.Parent = parent }))(t))
		w.silent("an answer on "+what, late, c.want)
		w.Now = w.Now.Add(8 * 24 * time.Hour)
		w.keeper.PassOnce(t.Context())
		w.silent("forgotten, on "+what, late, "is not kept any more")
	}
}

// A log takes the answer of a seat on a branch that nobody can judge any more, since it is forgotten.
// A keeper that gave the answer to the log states nothing. What a seat signed before it was in this
// history prevents no statement.
func TestSilenceOfOneLoggedOnABranch(t *testing.T) {
	for what, want := range map[string]string{"before": "", "behind": "may have been shown another history"} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		answer := testmust.Have(w.Forge(testmust.Have(w.Next())(t), func(m *wire.Message) { m.Parent = wire.Hash{1} }))(t)
		if what == "before" {
			w.Append(answer)
		}
		w.PlayMoves(1, 1)
		for len(w.State.DutiesOf(late)) == 0 {
			w.PlayMoves(1, 1)
		}
		if what == "behind" {
			w.Append(answer)
		}
		w.silent("before it was read", late, "was not found")
		w.see()
		w.passed += time.Hour
		w.silent("an answer in the log "+what+" its last message", late, want)
	}
}

// A log omits an entry from its list for keepers and from what it shows the seat, which then cannot
// follow; or so many entries come at once that none is shown for the grace.
func TestSilenceNeedsEveryEntry(t *testing.T) {
	w := newKeeperWorld(t, nil)
	w.PlayMoves(1, 1)
	w.hidden[wire.HashEntry(w.Entries[4])] = true
	w.PlayMoves(1, 1)
	late, _ := w.LateSeat()
	w.silent("before it was read", late, "was not found")
	w.see()
	w.passed += time.Hour
	w.silent("one was left out", late, "or an entry before it, was not found")

	w = newKeeperWorld(t, nil) // players look behind what they have seen
	w.PlayMoves(2, 1)
	w.swapped = true
	w.silent("before it was read", 0, "was not found")
	w.see()
	w.passed += time.Hour
	for _, s := range w.States[len(w.States)-2:] {
		w.State = s
		late, _ = w.LateSeat()
		w.silent("the later one was listed first", late, "was not found")
	}

	w = newKeeperWorld(t, nil)
	w.PlayMoves(2, 1)
	late, _ = w.LateSeat()
	w.silent("before it was read", late, "was not found")
	w.see()
	for i := range 64 {
		w.Append(w.ByOrganiser(wire.KindClose, wire.CloseBody{Reason: wire.Text(strconv.Itoa(i))}))
	}
	w.see()
	w.passed += time.Hour
	w.silent("64 came at once", late, "were not all shown for long enough")
}

// Bodies that arrive byte by byte take the places of clients with something to say. An honest hold
// would wait for as long as the grace that decides silence.
func TestDrippingBodies(t *testing.T) {
	s := httptest.NewServer(new(cosign.Keeper).Handler(http.NotFoundHandler()))
	t.Cleanup(s.Close) // after the connections
	drip := func(n, size int) {
		for range n {
			c := testmust.Have(net.Dial("tcp", s.Listener.Addr().String()))(t)
			t.Cleanup(func() { c.Close() })
			testmust.Have(fmt.Fprintf(c, "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nx", size))(t)
		}
	}
	drip(64, 60<<10)
	drip(64, 1<<20)
	client := http.Client{Timeout: 2 * time.Second} // the time within which a body must begin
	for range 5 {
		r := testmust.Have(client.Post(s.URL+"/hold", "text/plain", strings.NewReader("no request")))(t)
		r.Body.Close()
		testmust.Equal(t, r.StatusCode, http.StatusBadRequest)
	}
}

// present makes a seat state where it is.
func (w *keeperWorld) present(seat table.Seat, head wire.Hash, state string) error {
	w.t.Helper()
	r := w.about(seat)
	p := keeper.Place{Table: w.State.ID(), Parent: head, Seat: int(seat)}
	w.Now = w.Now.Add(time.Second)
	r.Message = testmust.Have(exchange.SignPresence(p, state, w.Now, w.Hands[seat].Signer))(w.t)
	return testmust.ErrorOf(w.keeper.Present(r))
}

// Ways to cheat: a seat that was shown another history is timed out at a head that it has not
// reached; a seat that could answer does not, and is never late. A statement of where a seat is
// counts only while the seat makes it three times.
func TestSilenceOfOneElsewhere(t *testing.T) {
	const elsewhere = "not where it could answer"
	for what, c := range map[string]struct {
		state       string
		here        bool
		want, later string
	}{
		"at the head":                {exchange.Here, true, "", ""},
		"at another":                 {exchange.Here, false, elsewhere, ""},
		"lost at the head":           {exchange.Lost, true, elsewhere, ""},
		"gone for good":              {exchange.Leaves, true, "is not kept any more", "is not kept any more"},
		"resting in another history": {exchange.Rests, false, "may have been shown another history", "may have been shown another history"},
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		head := w.State.Head()
		if !c.here {
			head = wire.Hash{1}
		}
		w.Now = w.Now.Add(time.Second)
		testmust.Do(t, w.present(late, head, c.state), what)
		w.silent(what, late, c.want)
		w.passed += 17 * time.Second
		w.silent(what+", and went", late, c.later)
		w.open()
		w.keeper.Silence(w.about(late)) // it does not read a table that nobody asks about
		w.see()
		w.passed += 15 * time.Second
		w.silent(what+", after a restart", late, c.later)
	}
}

// A seat reaches the head late, since the log hid the head or something it needs, and has no time
// left to answer.
func TestSeatThatComesToTheHead(t *testing.T) {
	for what, state := range map[string]string{"lost": exchange.Lost, "elsewhere": exchange.Here} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		before := w.State.Head()
		if state == exchange.Here {
			before = wire.Hash{1}
		}
		testmust.Do(t, w.present(late, before, state))
		w.passed += 5 * time.Second
		for range 3 {
			testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
			w.silent(what, late, "for long enough that it could answer")
			w.passed += 5 * time.Second
		}
		testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
		w.silent(what+", after the grace", late, "")
	}
}

// Somebody else states where a seat is, so that the seat is never late, or is late; the same
// statement is sent again later; a statement is malformed.
func TestPresenceOfOthers(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	w.settle(late)
	r := w.about(late)
	p := keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(late)}
	for what, state := range map[string]string{"lost": exchange.Lost, "goes": exchange.Leaves, "rests": exchange.Rests} {
		r.Message = testmust.Have(exchange.SignPresence(p, state, w.Now, w.Hands[other].Signer))(t)
		testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Present(r)), "no holder of the seat", what)
	}
	elsewhere := p
	elsewhere.Table[0] ^= 1
	r.Message = testmust.Have(exchange.SignPresence(elsewhere, exchange.Lost, w.Now, w.Hands[late].Signer))(t)
	testmust.FailSaying(t, testmust.ErrorOf(w.keeper.Present(r)), "no holder of the seat", "at another table")
	for _, bad := range [][]byte{nil, testmust.Have(exchange.SignPresence(p, "asleep", w.Now, w.Hands[late].Signer))(t), testmust.Have(w.Next())(t)} {
		r.Message = bad
		testmust.FailBy(t, testmust.ErrorOf(w.keeper.Present(r)), tlog.ErrMalformed, "no presence")
	}
	w.silent("after what others say", late, "")

	testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Lost))
	w.Now = w.Now.Add(time.Second)
	testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
	w.Now = w.Now.Add(-time.Second)
	err := w.present(late, wire.Hash{1}, exchange.Lost)
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrMalformed), "what a seat has said before is taken again: %v", err)
	w.silent("after what it said before", late, "for long enough that it could answer")

	p.Parent = wire.Hash{2}
	r.Message = testmust.Have(exchange.SignPresence(p, exchange.Rests, w.Now, w.Hands[late].Signer))(t)
	testmust.Have(w.keeper.Present(r))(t)
	again := r
	w.Now = w.Now.Add(time.Second)
	testmust.Do(t, w.present(late, wire.Hash{3}, exchange.Rests))
	w.open()
	testmust.Fail(t, testmust.ErrorOf(w.keeper.Present(again)), "a seat rests again where it rested before")
}

// A former holder of a seat states that it leaves, rests, or is elsewhere. The current holder is
// never late for that, and never late for statements that the former holder did not make. While a
// keeper has not read who the holder is, nobody is late.
func TestHolderBefore(t *testing.T) {
	for state, want := range map[string]string{
		exchange.Leaves: "is not kept any more", exchange.Rests: "may have been shown another history", exchange.Lost: "not where it could answer",
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		before := w.Hands[late]
		testmust.Do(t, w.present(late, wire.Hash{1}, state))
		w.see()
		w.passed += 15 * time.Second
		testmust.Do(t, w.present(late, wire.Hash{1}, state), "again")
		w.silent("the holder", late, want)

		substitute, act, err := w.Substitute(late)
		testmust.Do(t, err)
		w.Post(act)
		testmust.Do(t, w.SitDown(substitute))
		w.see()
		w.passed += 15 * time.Second
		w.Hands[late] = before
		testmust.Do(t, w.present(late, wire.Hash{1}, state), "once more")
		w.silent("after another's "+state, late, "")

		r := w.about(late)
		r.Reseat = act
		r.Message = testmust.Have(exchange.SignPresence(keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(late)}, state, w.Now, substitute.Signer))(t)
		testmust.Have(w.keeper.Present(r))(t)
		w.silent("who has it now", late, want)
	}
}

// A seat that rested and plays again is late like any other when the rest is long forgotten. A seat
// that is back at the same head still rests there.
func TestRestIsOver(t *testing.T) {
	for what, c := range map[string]struct{ head, want string }{
		"come back":    {"new", ""},
		"not moved on": {"old", "may have been shown another history"},
	} {
		w := newKeeperWorld(t, nil)
		late, _ := w.LateSeat()
		w.settle(late)
		testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Rests))
		head := wire.Hash{1}
		if c.head == "new" {
			head = w.State.Head()
		}
		w.Now = w.Now.Add(time.Second)
		testmust.Do(t, w.present(late, head, exchange.Here))
		w.passed += time.Minute
		w.silent(what, late, c.want)
		w.Now = w.Now.Add(8 * 24 * time.Hour)
		w.keeper.PassOnce(t.Context())
		if c.want != "" {
			c.want = "is not kept any more"
		}
		w.silent(what+", after a week", late, c.want)
	}
}

// unlogged returns a key to which the ruler gives a seat by an act that no log has.
func (w *keeperWorld) unlogged(seat table.Seat) (note.Signer, []byte) {
	w.t.Helper()
	substitute, act, err := w.Substitute(seat)
	testmust.Do(w.t, err)
	return substitute.Signer, act
}

func (w *keeperWorld) says(s note.Signer, act []byte, seat table.Seat, state string) error {
	w.t.Helper()
	r := w.about(seat)
	w.Now = w.Now.Add(time.Millisecond)
	r.Reseat = act
	r.Message = testmust.Have(exchange.SignPresence(keeper.Place{Table: w.State.ID(), Parent: wire.Hash{1}, Seat: int(seat)}, state, w.Now, s))(w.t)
	return testmust.ErrorOf(w.keeper.Present(r))
}

// The ruler gives a seat to endless keys. They must not take the room for presences from the true
// holder, of whom nothing would be known then, or fill the file of doubts of all tables.
func TestKeysWithoutEnd(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, other := w.LateSeat()
	for range 64 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Here))
	}
	full, act := w.unlogged(late)
	w.Post(act)
	w.see()
	w.passed += 17 * time.Second
	for range 3 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Here), "as before, by now forgotten")
	}
	testmust.Do(t, w.says(full, act, late, exchange.Lost), "who has it")
	w.silent("who has it", late, "not where it could answer")
	for range 64 {
		s, act := w.unlogged(other)
		_ = w.says(s, act, other, exchange.Here)
	}
	s, again := w.unlogged(late)
	testmust.FailSaying(t, w.says(s, again, late, exchange.Lost), "no room", "one more")
	w.passed += time.Minute
	w.silent("where somebody was refused", late, "was refused for want of room")
	for range 20 {
		s, act := w.unlogged(other)
		testmust.Do(t, w.says(s, act, other, exchange.Leaves))
	}
	set := 0
	for _, c := range testmust.Have(os.ReadFile(filepath.Join(w.dir, "doubts")))(t) {
		set += bits.OnesCount8(c)
	}
	testmust.Hold(t, set <= 4, set, "doubts of two seats, which have two each")
}

// A machine's clock was ahead and is corrected while its program restarts. All its statements are
// then old, and keepers do not know where its seat is. Somebody also repeats a statement from before
// the clock was ahead.
func TestClockSetBack(t *testing.T) {
	w := newKeeperWorld(t, nil)
	late, _ := w.LateSeat()
	w.settle(late)
	before := w.about(late)
	before.Message = testmust.Have(exchange.SignPresence(w.Place(late), exchange.Here, w.Now.Add(-10*time.Minute), w.Hands[late].Signer))(t)
	testmust.Have(w.keeper.Present(before))(t)
	w.Now = w.Now.Add(time.Hour)
	testmust.Do(t, w.present(late, w.State.Head(), exchange.Here))
	w.Now = w.Now.Add(-time.Hour)
	testmust.Fail(t, w.present(late, wire.Hash{1}, exchange.Lost), "what a seat has said before is taken again while it counts")
	w.passed += 17 * time.Second
	testmust.Fail(t, testmust.ErrorOf(w.keeper.Present(before)), "what it has said before")
	testmust.Do(t, w.present(late, wire.Hash{1}, exchange.Lost))
	w.silent("with a clock that was set back", late, "not where it could answer")
}
