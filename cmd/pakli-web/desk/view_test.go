package desk

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rsc.io/qr"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// A page that shows a foul with missing proofs crashes. The proofs of a foul, or a commitment to a
// missing proof, are shown as if they held.
func TestProofsThatWereNotVerified(t *testing.T) {
	t.Parallel()
	g, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.New(g, tabletest.Config{Seats: 3, Suite: clear.AskingSuite{}}, 1))(t)
	d := testmust.Have(tb.PlayUntil(table.Shuffle))(t)
	seat := d.Seats[0]
	honest := testmust.Have(tb.HonestMessage(seat, d, nil))(t)
	e := testmust.Have(wire.Parse(honest))(t)
	for _, proofs := range [][][]byte{{}, {{1}}, {{1}, {2}}} {
		m := *e.Message
		m.Proofs = proofs
		entry := testmust.Have(wire.Sign(&m, tb.Hands[seat].Signer))(t)
		_, err := tabletest.Apply(tb.State, entry)
		fault, is := errors.AsType[*table.Fault](err)
		testmust.Require(t, is && fault.Class == table.Foul, err)
		after := tb.State.WithFault(fault, wire.HashEntry(entry))
		shown := voiceOf("en", after).proofs(tb.State, after, &m)
		testmust.Holdf(t, len(shown) == 0, "a foul with %d proofs: %+v is shown", len(proofs), shown)
	}
	for _, kind := range []table.Kind{table.Shuffle, table.Answer} {
		testmust.Have(tb.PlayUntil(kind))(t)
		before := tb.State
		testmust.Do(t, tb.Play(1))
		e := testmust.Have(wire.Parse(slices.Clone(tb.Entries[len(tb.Entries)-1])))(t)
		shown := voiceOf("en", tb.State).proofs(before, tb.State, e.Message)
		testmust.Holdf(t, (len(shown) > 0) == (kind == table.Answer), "%s: %+v is shown", kind, shown)
	}
}

// told is a Host that only keeps the latest event of the page and who was told to be there, and counts
// drawings of the table.
type told struct {
	Host
	last    string
	drawn   int
	present []string
}

func (h *told) Emit(event []byte) {
	if h.last = string(event); strings.Contains(h.last, `"view":`) {
		h.drawn++
	}
	if _, seats, is := strings.Cut(h.last, `"seats":`); is && strings.Contains(h.last, `"present"`) {
		h.present = append(h.present, seats[:strings.IndexByte(seats, ']')+1])
	}
}

// A page is told again that the same players are there, so that it draws for nothing, or not that one
// has come or gone.
func TestPresentIsToldOnce(t *testing.T) {
	t.Parallel()
	g, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.New(g, tabletest.Config{Seats: 3, Deals: 1}, 1))(t)
	h := new(told)
	c := &conversation{desk: New(h), tableAddress: tableAddress{Lang: "en"}, ctx: t.Context()}
	a, b := tb.State.HolderKey(0), tb.State.HolderKey(2)
	c.tellPresent([]string{a}) // before the table is shown
	c.shown = scene.OnlookerPosition(tb.State)
	for _, keys := range [][]string{nil, nil, {a}, {a}, {b, a}, {a, b}, {b}, nil, nil} {
		c.tellPresent(keys)
	}
	testmust.Equal(t, strings.Join(h.present, " "), "[] [0] [0,2] [2] []", "who is there")
}

// A page shows a card later than it has it; it draws every step of machines that play by themselves, or
// leaves out the last.
func TestTableIsDrawnAtOnce(t *testing.T) {
	t.Parallel()
	g, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.Play(g, tabletest.Config{Seats: 3, Deals: 1}, 1))(t)
	synctest.Test(t, func(t *testing.T) {
		h := new(told)
		c := &conversation{desk: New(h), tableAddress: tableAddress{Lang: "en"}, ctx: t.Context()}
		show := func(step, want int) {
			t.Helper()
			c.showTable(scene.OnlookerPosition(tb.States[len(tb.States)/2+step]))
			c.mu.Lock() // held when the page is told
			defer c.mu.Unlock()
			testmust.Equal(t, h.drawn, want, "drawings after step", step)
		}
		show(0, 1)
		time.Sleep(time.Minute)
		show(1, 2)
		show(2, 2)
		show(3, 2)
		time.Sleep(settle)
		synctest.Wait()
		testmust.Equal(t, h.drawn, 3, "drawings, with that of the last steps")
	})
}

// A person's own seat plays elsewhere, and the page lets the person say so. A bot of the same browser
// that stops must not remove that question.
func TestBotStopsAfterThePerson(t *testing.T) {
	t.Parallel()
	sits := func(name string, bot bool) *seat {
		vault := testmust.Have(new(tabletest.VaultPlace).Open())(t)
		id := testmust.Have(player.CreateIdentity(vault, name))(t)
		return &seat{Identity: id, about: seatRecord{Name: name, Bot: bot}}
	}
	h := new(told)
	c := &conversation{desk: New(h), halted: map[string]string{}}
	c.halt(sits("bela", true), "elsewhere", player.ErrElsewhere)
	testmust.Holdf(t, strings.Contains(h.last, `"stopped"`) && strings.Contains(h.last, "bela: "), "of the bot the page is told %s", h.last)
	c.halt(sits("anna", false), "elsewhere", player.ErrElsewhere)
	c.halt(sits("csilla", true), "stopped", errors.New("no"))
	testmust.Hold(t, strings.Contains(h.last, `"elsewhere"`), "of the person's seat the page is told", h.last)
}

// The page has the course twice after the server was away, or a message is missing from it.
func TestCourseIsToldOnce(t *testing.T) {
	t.Parallel()
	g, _ := games.Lookup("schwarzer-peter/v1")
	tb := testmust.Have(tabletest.Play(g, tabletest.Config{Seats: 3, Deals: 1}, 1))(t)
	c := &conversation{}
	tell := func(from int) int {
		for n := from; n < len(tb.States); n++ {
			e := testmust.Have(wire.Parse(slices.Clone(tb.Entries[n])))(t)
			c.tellLater(tb.States[n-1], tb.States[n], e.Message)
		}
		return len(c.told)
	}
	all := tell(1)
	testmust.Hold(t, all >= len(tb.States)-1, "told of", len(tb.States)-1, "messages:", all)
	testmust.Equal(t, tell(len(tb.States)/2), all, "after a second reading", "are told, and were")
}

// The drawing of an invitation differs from its code, so that a phone reads another link or none.
func TestInvitationIsDrawnModuleByModule(t *testing.T) {
	const link = "https://cards.example/j/706PR#380d6c1fb89ae2cf074bbc4d3738a06c2a8e4f7d2d9844ced4a4a09aa0456b87"
	drawn := testmust.Have(qrOf(link))(t)
	code := testmust.Have(qr.Encode(link, qr.M))(t)
	dark := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(drawn.Path, -1) {
		x, y, n := testmust.Have(strconv.Atoi(m[1]))(t), testmust.Have(strconv.Atoi(m[2]))(t), testmust.Have(strconv.Atoi(m[3]))(t)
		for i := range n {
			dark[[2]int{x + i, y}] = true
		}
	}
	for y := range code.Size {
		for x := range code.Size {
			testmust.Equal(t, dark[[2]int{x, y}], code.Black(x, y), "the module at", x, y)
		}
	}
	testmust.Equal(t, drawn.Size, code.Size, "modules on a side")
}
