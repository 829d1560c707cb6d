package terminal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// screen is what a person reads.
type screen struct{ testmust.Buffer }

// shows waits until the screen shows a text n times.
func (s *screen) shows(t *testing.T, n int, text string) {
	t.Helper()
	testmust.Until(t, fmt.Sprintf("%q to be shown %d times", text, n), func() bool { return strings.Count(s.String(), text) >= n })
}

// bidding returns a table where a seat has to bid, and the position of that seat.
func bidding(t *testing.T) (played *tabletest.Table, p scene.Position) {
	t.Helper()
	played = testmust.Have(tabletest.New(play.NewGame(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 1}, 1))(t)
	d := testmust.Have(played.PlayUntil(table.Move))(t)
	return played, scene.SeatPosition(played.State, view(t, played, played.State, d.Seats[0]))
}

func sitDown(t *testing.T, p scene.Position, ahead bool) (*terminal.Person, context.Context, io.WriteCloser, *screen) {
	in, typed := io.Pipe()
	out := &screen{}
	person, ctx := terminal.Sit(t.Context(), p, terminal.Options{In: in, Out: out, Display: display(t),
		Random: rand.New(rand.NewPCG(1, 1)), Ahead: ahead})
	return person, ctx, typed, out
}

func display(t *testing.T) terminal.Display {
	t.Helper()
	return testmust.Have(terminal.For("tarokk/v1", "en", terminal.Style{ASCII: true, Width: 80}))(t)
}

// view returns what a seat of a table sees.
func view(t *testing.T, played *tabletest.Table, s *table.State, seat table.Seat) table.View {
	t.Helper()
	return testmust.Have(play.See(s, seat, played.Hands[seat].Secret))(t)
}

func typed(w io.Writer, line string) { io.WriteString(w, line+"\n") }

func pass(t *testing.T, person *terminal.Person, p scene.Position) {
	t.Helper()
	move, err := person.Choose(t.Context(), p.Table, p.View)
	testmust.Requiref(t, err == nil && string(move) == `{"call":"pass"}`, "chosen was %s, %v, want a pass", move, err)
}

// The table moves on before a move arrives. If nothing has changed for its player, another question
// would lose the typed answer. Once the move is in the log, the same question is a new one.
func TestAnswerOutlivesStaleHead(t *testing.T) {
	t.Parallel()
	played, p := bidding(t)
	person, _, in, out := sitDown(t, p, true)
	go typed(in, "pass")
	pass(t, person, p)
	pass(t, person, p)
	n := strings.Count(out.String(), "It is your turn: bid")
	testmust.Requiref(t, n == 1, "asked %d times for one bid: %s", n, out)

	entry := testmust.Have(played.HonestMessage(p.View.Seat, played.State.Duties()[0], json.RawMessage(`{"call":"pass"}`)))(t)
	e := testmust.Have(wire.Parse(entry))(t)
	testmust.Do(t, played.Add(entry))
	person.Watch(p.Table, scene.SeatPosition(played.State, p.View), e.Message)
	out.shows(t, 1, " passed\n")
	go typed(in, "pass")
	pass(t, person, p)
	testmust.Equal(t, strings.Count(out.String(), "It is your turn: bid"), 2, "asked", "times for two bids", out)
}

// A wrong answer is explained by the rule that it breaks, and the numbers of the list keep their
// meaning.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	_, p := bidding(t)
	person, _, in, out := sitDown(t, p, true)
	go func() {
		for _, line := range []string{"", "hold", "bid three", "999", "-1", "HELP", "table", strings.Repeat("x", 9000), "1"} {
			typed(in, line)
		}
	}()
	pass(t, person, p)
	out.shows(t, 1, "R-BID-6")
	out.shows(t, 2, "is not understood here")
	out.shows(t, 1, "there is no 999 in the list")
	out.shows(t, 1, "hand    your cards")
	out.shows(t, 2, "Play waits for")
}

// At a terminal a person may look around while others think, but not move for them. In a script,
// lines wait for their question.
func TestOffTurn(t *testing.T) {
	t.Parallel()
	_, p := bidding(t)
	_, _, in, out := sitDown(t, p, false)
	typed(in, "hand")
	out.shows(t, 2, "Your hand: ")
	typed(in, "pass")
	out.shows(t, 1, "It is not your turn.")
	typed(in, "hint")
	out.shows(t, 2, "It is not your turn.")

	person, _, in, out := sitDown(t, p, true)
	go typed(in, "pass")
	pass(t, person, p)
	testmust.Hold(t, !strings.Contains(out.String(), "not your turn"), "a line of a script was answered before its question", out)
}

// A person who quits, or whose terminal goes away, must not block the program.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(io.WriteCloser){
		"quit": func(in io.WriteCloser) { io.WriteString(in, "quit\n") },
		"end":  func(in io.WriteCloser) { in.Close() },
	} {
		_, p := bidding(t)
		person, ctx, in, _ := sitDown(t, p, true)
		go leave(in)
		testmust.FailBy(t, testmust.ErrorOf(person.Choose(t.Context(), p.Table, p.View)), terminal.ErrQuit, name)
		testmust.FailBy(t, context.Cause(ctx), terminal.ErrQuit, name, "the context ended with")
	}
}

// A person with only one answer, which decides nothing, is not asked: the last card is played, and
// discards are turned up, without a question.
// played, and discards are turned up, without one.
func TestAloneIsNotAsked(t *testing.T) {
	t.Parallel()
	played, _ := bidding(t)
	answered := 0
	for len(played.State.Duties()) > 0 {
		if d := played.State.Duties()[0]; d.Kind == table.Move {
			p := scene.SeatPosition(played.State, view(t, played, played.State, d.Seats[0]))
			if ask := games.Scene("tarokk/v1").Ask(p); ask.Alone {
				answered++
				unasked(t, p)
			}
		}
		entry := testmust.Have(played.Next())(t)
		testmust.Do(t, played.Add(entry))
	}
	testmust.Hold(t, answered >= 4, answered, "moves of a deal were made without a question, want the last cards at least")
}

// unasked requires a move of a person who types nothing.
func unasked(t *testing.T, p scene.Position) {
	t.Helper()
	person, _, _, out := sitDown(t, p, false)
	chosen := make(chan json.RawMessage, 1)
	go func() {
		move, _ := person.Choose(t.Context(), p.Table, p.View)
		chosen <- move
	}()
	select {
	case move := <-chosen:
		testmust.Holdf(t, move != nil && !strings.Contains(out.String(), "> "), "chosen was %s, after %q", move, out)
	case <-time.After(time.Minute):
		t.Fatalf("nothing was chosen: %q", out)
	}
}
