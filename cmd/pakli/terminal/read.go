package terminal

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/scene"
)

// ReadPicks reads a line as picks that follow earlier ones: numbers of the list, labels in the
// language, cards, or names. It returns all picks and what they mean, or the reason why the first
// impossible one cannot be picked.
func (d Display) ReadPicks(p scene.Position, picked []scene.Pick, line string) ([]scene.Pick, scene.Answer[json.RawMessage], error) {
	ask := d.game.Ask(p)
	if len(picked) > 0 {
		ask = d.game.Answer(p, picked).Ask
	}
	if ask.Parts == nil {
		return nil, scene.Answer[json.RawMessage]{}, d.refusal("not.understood", "text", plain.Text(line))
	}
	shown := ask.FreeParts()
	numbers := onlyNumbers(line) && d.areNumbered(p, shown)
	var answer scene.Answer[json.RawMessage]
	for rest := tokens(line); len(rest) > 0; {
		part, n := d.match(p, ask, rest)
		if i, err := strconv.Atoi(rest[0]); numbers && err == nil {
			if n = 1; i < 1 || i > len(shown) {
				return nil, answer, d.refusal("not.listed", "n", rest[0])
			}
			part = shown[i-1]
		}
		if named, words := d.amount(p, ask, rest); words > n {
			part, n = named, words
		}
		if n == 0 {
			return nil, answer, d.refuseUnknown(p, ask, rest)
		}
		if part.Why != nil {
			return nil, answer, errors.New(d.style.finish(d.voice(p.Table).Text(*part.Why)))
		}
		picked = append(slices.Clip(picked), part.Pick)
		if answer = d.game.Answer(p, picked); answer.Move == nil && len(answer.Ask.Parts) == 0 {
			return nil, answer, d.refuseUnknown(p, ask, rest)
		}
		ask, rest = answer.Ask, rest[n:]
	}
	if answer.Move == nil && len(answer.Ask.Parts) == 0 {
		return nil, answer, d.refusal("not.understood", "text", plain.Text(line))
	}
	return picked, answer, nil
}

func (d Display) refusal(key string, values ...any) error {
	return errors.New(d.style.finish(d.say(key, values...)))
}

// refuseUnknown returns an error for words that name no part: that a card is not in question, or
// which amounts there are.
func (d Display) refuseUnknown(p scene.Position, ask scene.Ask, words []string) error {
	word := words[0]
	for f := range p.Table.Cards() {
		if name := p.Table.FaceName(card.Face(f)); slices.Contains(d.faces(p, name), word) {
			return d.refusal("not.now", "card", d.voice(p.Table).Face(name))
		}
	}
	for _, part := range ask.FreeParts() {
		if part.Range != nil && slices.ContainsFunc(words, isAmount) {
			return d.refusal("not.amount", "least", part.Range.Least, "greatest", part.Range.Greatest)
		}
	}
	return d.refusal("not.understood", "text", plain.Text(word))
}

// tokens returns the words of a line without case and accents. Commas separate words too, and so does
// a colon after a word.
func tokens(line string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(foldToASCII(line)), ": ", " "), func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
}

func onlyNumbers(line string) bool {
	return !slices.ContainsFunc(tokens(line), func(word string) bool { _, err := strconv.Atoi(word); return err != nil })
}

// areNumbered reports whether parts may be picked by their numbers in the list. They may not if a
// part is itself a number, like a bid of 18, which would be taken for the 18th part.
func (d Display) areNumbered(p scene.Position, shown []scene.Part) bool {
	v := d.voice(p.Table)
	return !slices.ContainsFunc(shown, func(part scene.Part) bool { return part.Range != nil || onlyNumbers(v.Text(part.Label)) })
}

// isAmount reports whether a word is a number, possibly after a colon.
func isAmount(word string) bool {
	return strings.Trim(word[strings.IndexByte(word, ':')+1:], "0123456789") == ""
}

// amount returns the part whose range contains the first typed number, if the words before it are
// those of the part, the first of them or none, and the number of words.
func (d Display) amount(p scene.Position, ask scene.Ask, typed []string) (scene.Part, int) {
	at := slices.IndexFunc(typed, isAmount)
	if at < 0 {
		return scene.Part{}, 0
	}
	n, err := strconv.Atoi(typed[at][strings.IndexByte(typed[at], ':')+1:])
	for _, part := range ask.FreeParts() {
		named, fits := part.WithNumber(n)
		if err != nil || !fits {
			continue
		}
		forms := append(d.forms(p, named), []string{strconv.Itoa(n)}, strings.Split(string(named.Pick), ":"))
		for _, form := range forms[1:] {
			forms = append(forms, []string{form[0], strconv.Itoa(n)})
		}
		if slices.ContainsFunc(forms, func(f []string) bool { return slices.Equal(f, typed[:at+1]) }) {
			return named, at + 1
		}
	}
	return scene.Part{}, 0
}

// match returns the part that is named by the longest beginning of the words, preferring one that is
// not barred, and the number of those words.
func (d Display) match(p scene.Position, ask scene.Ask, typed []string) (best scene.Part, longest int) {
	for _, part := range ask.Parts {
		for _, form := range d.forms(p, part) {
			n := len(form)
			if n > len(typed) || !slices.Equal(form, typed[:n]) || n < longest || n == longest && best.Why == nil {
				continue
			}
			best, longest = part, n
		}
	}
	return best, longest
}

// forms returns the ways to type a part.
func (d Display) forms(p scene.Position, part scene.Part) [][]string {
	forms := [][]string{{strings.ToLower(string(part.Pick))}}
	v := d.voice(p.Table)
	if name := faceIn(part.Label); name != "" {
		for _, f := range d.faces(p, name) {
			v.Card = func(scene.Face) string { return f }
			forms = append(forms, tokens(f), tokens(v.Text(part.Label)))
		}
	}
	bare := d
	bare.style = Style{ASCII: true}
	v.Card = bare.voice(p.Table).Card
	forms = append(forms, tokens(v.Text(part.Label)))
	return slices.DeleteFunc(forms, func(f []string) bool { return len(f) == 0 })
}

// faceIn returns the only card of a note, or "".
func faceIn(n scene.Note) (name string) {
	for _, a := range n.Args {
		face := a.Face
		if a.Note != nil {
			face = faceIn(*a.Note)
		}
		if face != "" && name != "" {
			return ""
		}
		name += face
	}
	return name
}

// faces returns the ways to type a card.
func (d Display) faces(p scene.Position, name string) []string {
	f, v := d.game.Face(name), d.voice(p.Table)
	v.Card = nil
	list := []string{name, v.Face(name), Style{ASCII: true}.card(f, name)}
	list = append(list, f.Typed...)
	for i := range list {
		list[i] = strings.ToLower(foldToASCII(list[i]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Hint returns the bot's move in words, and the reasons for it.
func (d Display) Hint(p scene.Position, move json.RawMessage) string {
	a, v := d.game.Advise(p, move), d.voice(p.Table)
	text := d.say("hint", "text", v.Text(a.Says))
	if len(a.Why) > 0 {
		text += " " + d.say("hint.why", "why", v.Text(scene.JoinNotes("and.then", a.Why)))
	}
	return d.wrapLine(text, 2)
}
