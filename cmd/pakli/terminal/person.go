package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// ErrQuit ends play because the person left the terminal. The game goes on when
// the seat is taken again.
var ErrQuit = errors.New("left the table")

// Options say how a person is spoken to.
type Options struct {
	In     io.Reader
	Out    io.Writer
	Face   Face
	Random *rand.Rand // for hints
	// Ahead keeps lines until a question is asked, as for a script. Otherwise
	// they are answered at once, and one who is not on turn can look around.
	Ahead bool
}

// Person is a conversation with one who plays a seat.
type Person struct {
	Options
	ctx   context.Context
	leave context.CancelCauseFunc
	lines chan string
	asked chan inquiry
	news  chan news

	// Owned by talk.
	at      Position
	pending *inquiry
	q       Question
	given   *answer
}

// inquiry is a seat that waits for a move.
type inquiry struct {
	at    Position
	reply chan<- json.RawMessage
}

// answer is a move that was given to a question and has not been seen in the
// log. If the table moved on before it arrived, and the question is the same,
// it need not be typed again.
type answer struct {
	question string
	line     string
}

type news struct {
	at    Position
	lines []string
	own   bool // of the own move
	told  chan<- struct{}
}

// Sit begins a conversation at a table. The context it returns ends when the
// person leaves, with ErrQuit as its cause, or when ctx does.
func Sit(ctx context.Context, at Position, o Options) (*Person, context.Context) {
	p := &Person{Options: o, at: at, lines: make(chan string), asked: make(chan inquiry), news: make(chan news)}
	p.ctx, p.leave = context.WithCancelCause(ctx)
	fmt.Fprintf(p.Out, "%s%s%s", o.Face.Table(at), o.Face.Hand(at), "Type help to see what may be typed.\n")
	go p.read()
	go p.talk()
	return p, p.ctx
}

// maxLine bounds what is read of a line. No move is as long.
const maxLine = 4096

func (p *Person) read() {
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
func (p *Person) Choose(s *table.State, v table.View) (json.RawMessage, error) {
	reply := make(chan json.RawMessage, 1)
	select {
	case p.asked <- inquiry{Position{s, v}, reply}:
	case <-p.ctx.Done():
		return nil, context.Cause(p.ctx)
	}
	select {
	case move := <-reply:
		return move, nil
	case <-p.ctx.Done():
		return nil, context.Cause(p.ctx)
	}
}

// Watch shows what a message did, and returns when it is shown.
func (p *Person) Watch(before *table.State, at Position, m *wire.Message) {
	told := make(chan struct{})
	n := news{at, p.Face.Course(before, at.State, m), m.Kind == table.Move && table.Seat(m.Seat) == at.View.Seat, told}
	select {
	case p.news <- n:
		<-told
	case <-p.ctx.Done():
	}
}

// talk is the conversation.
func (p *Person) talk() {
	for {
		lines := p.lines
		if p.Ahead && p.pending == nil {
			lines = nil
		}
		select {
		case <-p.ctx.Done():
			return
		case n := <-p.news:
			p.hear(n)
		case i := <-p.asked:
			p.ask(i)
		case line, more := <-lines:
			if !more {
				p.leave(ErrQuit)
				return
			}
			p.line(strings.TrimSpace(line))
		}
	}
}

func (p *Person) hear(n news) {
	p.at = n.at
	if n.own {
		p.given = nil
	}
	for _, line := range n.lines {
		fmt.Fprintln(p.Out, line)
	}
	close(n.told)
}

// ask puts a question, unless it has but one answer or was answered already.
func (p *Person) ask(i inquiry) {
	p.at, p.q = i.at, p.Face.Ask(i.at)
	if p.q.Forced != nil {
		i.reply <- p.q.Forced
		return
	}
	p.pending = &i
	if p.given != nil && p.given.question == p.text() {
		if move, err := p.Face.Read(p.at, p.given.line); err == nil {
			p.answer(p.given.line, move)
			return
		}
	}
	p.put()
}

// text is all that a person sees of a question. The same text asks for the same.
func (p *Person) text() string {
	var b strings.Builder
	b.WriteString(p.Face.Hand(p.at))
	fmt.Fprintln(&b, p.q.Text)
	for i, c := range p.q.Choices {
		fmt.Fprintf(&b, "%3d  %s", i+1, c.Say)
		if c.Note != "" {
			fmt.Fprintf(&b, "   (%s)", c.Note)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Person) put() { fmt.Fprintf(p.Out, "\n%s> ", p.text()) }

func (p *Person) answer(line string, move json.RawMessage) {
	p.given = &answer{p.text(), line}
	p.pending.reply <- move
	p.pending = nil
}

// line is what a person typed: a command, or a move.
func (p *Person) line(line string) {
	word, _, _ := strings.Cut(strings.ToLower(line), " ")
	if say, is := p.commands()[word]; is {
		fmt.Fprint(p.Out, say())
	} else if word == "quit" {
		p.leave(ErrQuit)
		return
	} else if p.pending == nil {
		fmt.Fprint(p.Out, "It is not your turn. ", waiting(p.at.State))
	} else if line != "" {
		p.move(line)
		return
	}
	if p.pending != nil {
		p.put()
	}
}

func (p *Person) commands() map[string]func() string {
	return map[string]func() string{
		"help":  p.help,
		"?":     p.help,
		"hand":  func() string { return p.Face.Hand(p.at) },
		"table": func() string { return p.Face.Table(p.at) },
		"score": func() string { return p.Face.Score(p.at) },
		"hint":  p.hint,
	}
}

const commandHelp = `hand    your cards
table   what lies open, and whom play waits for
score   the deals so far
hint    what the game's bot would do
quit    leave; the game goes on when you play again
`

func (p *Person) help() string {
	if p.pending == nil {
		return commandHelp
	}
	return commandHelp + p.q.Help
}

// hint is what the bot of the game would do.
func (p *Person) hint() string {
	if p.pending == nil {
		return "It is not your turn.\n"
	}
	move, err := play.Choose(p.at.State, p.at.View, p.Random)
	if err != nil || move == nil {
		return "The bot has no advice.\n"
	}
	return "The bot would say: " + p.Face.Say(p.at, move) + "\n"
}

// move answers the question, or explains why not, and asks again.
func (p *Person) move(line string) {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(p.q.Choices) {
		line = p.q.Choices[n-1].Say
	}
	move, err := p.Face.Read(p.at, line)
	if err != nil {
		fmt.Fprintf(p.Out, "That is not possible: %v.\n> ", err)
		return
	}
	p.answer(line, move)
}
