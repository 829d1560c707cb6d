package terminal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table/play"
)

// commands are the commands' English names, which are understood in every language.
var commands = []string{"hand", "table", "score", "hint", "why", "help", "quit"}

// Command returns the English name of the command in a line, or "".
func (d Display) Command(line string) string {
	typed := strings.Join(tokens(line), " ")
	if typed == "?" {
		return "help"
	}
	i := slices.IndexFunc(commands, func(c string) bool { return typed == c || typed == foldToASCII(d.say("command."+c)) })
	if i < 0 {
		return ""
	}
	return commands[i]
}

// AnswerCommand answers a command after some picks; asked says whether the seat is asked something.
func (d Display) AnswerCommand(command string, p scene.Position, asked bool, picked []scene.Pick, random *rand.Rand) string {
	switch command {
	case "hand":
		return d.Hand(p)
	case "table":
		return d.Table(p)
	case "score":
		return d.Score(p)
	case "help":
		return d.help(p, asked)
	}
	if !asked {
		return d.wrapLine(d.say("not.yours"), 0)
	}
	if command == "why" {
		ask := d.game.Ask(p)
		if len(picked) > 0 {
			ask = d.game.Answer(p, picked).Ask
		}
		return d.BarredText(p, ask)
	}
	move, err := play.Choose(p.Table, p.View, random)
	if err != nil || move == nil {
		return d.wrapLine(d.say("hint.none"), 0)
	}
	return d.Hint(p, move)
}

// NotYours returns the reply to a person who answers without being asked.
func (d Display) NotYours(p scene.Position) string {
	return d.wrapLine(d.say("not.yours"), 0) + d.waits(p)
}

func (d Display) help(p scene.Position, asked bool) string {
	var b strings.Builder
	for _, c := range commands {
		if c != "help" {
			b.WriteString(d.wrapLine(fmt.Sprintf("%-8s%s", d.say("command."+c), d.say("help."+c)), 8))
		}
	}
	if asked {
		pick := ""
		if free := d.game.Ask(p).FreeParts(); len(free) > 0 {
			pick = string(free[len(free)-1].Pick)
		}
		b.WriteString(d.wrapLine(d.say("help.answer", "pick", pick), 0))
	}
	return b.String()
}
