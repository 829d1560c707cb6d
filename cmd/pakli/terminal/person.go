// Package terminal seats a person at a table: it shows cards and table as text, asks for moves, and
// explains what was wrong with an answer, in three languages and for any game. It draws the game's
// presentation (protocol/scene).
//
// A [Display] is what a person sees and types. A [Person] is the conversation and a [player.Choose]:
// it decides only moves. Keys, shuffles, tokens and permutations are made without asking, and like
// every move its decision is in the seat's journal before it leaves.
//
// Nothing here is trusted: a move that it accepts is checked by the rules and rehearsed by the seat
// like any other.
package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// ErrQuit ends play because the person has left the terminal. The game goes on when the seat is taken
// again.
var ErrQuit = errors.New("left the table")

// Options say how to speak to a person.
type Options struct {
	In      io.Reader
	Out     io.Writer
	Display Display
	Random  *rand.Rand    // for hints
	Clock   func() string // returns how much time seats have; nil: there is no clock
	// Ahead keeps lines until a question is asked, as for a script. Otherwise lines are answered at
	// once, so that a person who is not on turn can look around, and important answers are confirmed.
	Ahead bool
}

// Person is a conversation with a person who plays a seat.
type Person struct {
	Options
	ctx   context.Context
	leave context.CancelCauseFunc
	lines chan string
	asked chan inquiry
	news  chan news

	// The fields below are owned by talk.
	at      scene.Position
	pending *inquiry
	may     bool         // play waits for another seat
	picked  []scene.Pick // of an incomplete answer
	weighed *answer      // waits for confirmation
	given   *answer
}

// inquiry is a question of a seat that waits for a move.
type inquiry struct {
	at    scene.Position
	reply chan<- json.RawMessage
	over  <-chan struct{} // closed when the question is no longer asked
}

// answer is a move that was given to a question and has not been seen in the log. If the table moved
// on before it arrived and asks the same question, it need not be typed again.
type answer struct {
	question string
	picked   []scene.Pick
	move     json.RawMessage
}

type news struct {
	at    scene.Position
	lines []string
	own   bool // about the person's own move
	told  chan<- struct{}
}

// Sit begins a conversation at a table. The context it returns ends when the
// person leaves, with ErrQuit as its cause, or when ctx does.
func Sit(ctx context.Context, at scene.Position, o Options) (*Person, context.Context) {
	p := &Person{Options: o, at: at, lines: make(chan string), asked: make(chan inquiry), news: make(chan news)}
	p.ctx, p.leave = context.WithCancelCause(ctx)
	fmt.Fprintf(p.Out, "%s%s", o.Display.Screen(at, false, nil), o.Display.wrapLine(o.Display.say("begin"), 0))
	go p.readLines()
	go p.talk()
	return p, p.ctx
}

// maxLine bounds the length of a line. No move is as long.
const maxLine = 4096

func (p *Person) readLines() {
	defer close(p.lines)
	r := bufio.NewReaderSize(p.In, maxLine)
	for rest := false; ; {
		line, more, err := r.ReadLine()
		if err != nil {
			return
		}
		if !rest {
			select {
			case p.lines <- string(line):
			case <-p.ctx.Done():
				return
			}
		}
		rest = more
	}
}

// Choose implements player.Choose.
func (p *Person) Choose(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
	reply := make(chan json.RawMessage, 1)
	i := inquiry{scene.SeatPosition(s, v), reply, ctx.Done()}
	select {
	case p.asked <- i:
	case <-p.ctx.Done():
		return nil, context.Cause(p.ctx)
	}
	select {
	case move := <-reply:
		return move, nil
	case <-i.over:
		return nil, context.Cause(ctx)
	case <-p.ctx.Done():
		return nil, context.Cause(p.ctx)
	}
}

// Watch shows what a message did, and returns once it is shown.
func (p *Person) Watch(before *table.State, at scene.Position, m *wire.Message) {
	told := make(chan struct{})
	n := news{at, p.Display.Course(before, at.Table, m), m.Kind == table.Move && table.Seat(m.Seat) == at.View.Seat, told}
	select {
	case p.news <- n:
		<-told
	case <-p.ctx.Done():
	}
}

func (p *Person) talk() {
	for {
		lines, over := p.lines, (<-chan struct{})(nil)
		if p.pending != nil {
			over = p.pending.over
		}
		if p.Ahead && (p.pending == nil || p.may) {
			lines = nil
		}
		select {
		case <-over:
			p.pending, p.picked, p.weighed = nil, nil, nil
		case <-p.ctx.Done():
			return
		case n := <-p.news:
			p.tellNews(n)
		case i := <-p.asked:
			p.putQuestion(i)
		case line, more := <-lines:
			if !more {
				p.leave(ErrQuit)
				return
			}
			p.takeLine(strings.TrimSpace(line))
		}
	}
}

func (p *Person) tellNews(n news) {
	p.at = n.at
	if n.own {
		p.given = nil
	}
	for _, line := range n.lines {
		fmt.Fprintln(p.Out, line)
	}
	close(n.told)
}

// putQuestion asks a question, unless it has only one answer or was answered already.
func (p *Person) putQuestion(i inquiry) {
	p.at, p.picked, p.weighed = i.at, nil, nil
	if move := p.Display.game.ForcedMove(p.at); move != nil {
		i.reply <- move
		return
	}
	p.pending = &i
	if p.may = p.Display.game.Ask(p.at).May; p.may {
		return // the question is shown when the person asks for it
	}
	if p.given != nil && p.given.question == p.questionText() {
		if a := p.Display.game.Answer(p.at, p.given.picked); a.Move != nil {
			p.giveAnswer(&answer{p.questionText(), p.given.picked, *a.Move})
			return
		}
	}
	p.printQuestion()
}

// questionText returns everything that a person sees of a question. Equal texts are equal questions.
func (p *Person) questionText() string { return p.Display.AskedText(p.at, p.picked) }

func (p *Person) printQuestion() { fmt.Fprintf(p.Out, "\n%s> ", p.questionText()) }

func (p *Person) giveAnswer(a *answer) {
	p.given = a
	p.pending.reply <- a.move
	p.pending, p.picked, p.weighed = nil, nil, nil
}

// takeLine processes a typed line: a command or a move.
func (p *Person) takeLine(line string) {
	if p.weighed != nil && line == "" {
		p.giveAnswer(p.weighed)
		return
	}
	p.weighed = nil
	d := p.Display
	switch command := d.Command(line); {
	case command == "quit":
		p.leave(ErrQuit)
		return
	case command != "":
		fmt.Fprint(p.Out, d.AnswerCommand(command, p.at, p.pending != nil, p.picked, p.Random))
		if command == "table" && p.Clock != nil && p.Clock() != "" {
			fmt.Fprint(p.Out, d.wrapLine(p.Clock(), 4))
		}
	case p.pending == nil:
		fmt.Fprint(p.Out, d.NotYours(p.at))
	case line == "":
		p.picked = nil
	default:
		p.answerLine(line)
		return
	}
	if p.pending != nil {
		p.printQuestion()
	}
}

// answerLine answers the question, or explains why the line does not and asks again.
func (p *Person) answerLine(line string) {
	d := p.Display
	picked, a, err := d.ReadPicks(p.at, p.picked, line)
	if err != nil {
		fmt.Fprint(p.Out, d.wrapLine(d.say("not.possible", "why", err), 2), "> ")
		return
	}
	if a.Move == nil {
		p.picked = picked
		p.printQuestion()
		return
	}
	p.picked = nil
	given := &answer{p.questionText(), picked, *a.Move}
	if !a.Weighs || p.Ahead {
		p.giveAnswer(given)
		return
	}
	p.weighed = given
	fmt.Fprint(p.Out, d.confirm(p.at, a), "> ")
}
