package terminal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Display shows the tables of one game on one terminal. Its texts are whole lines.
type Display struct {
	style    Style
	game     scene.Game
	language scene.Language
}

// For returns the display of a game in a language.
func For(game, tag string, style Style) (Display, error) {
	l, ok := scene.LanguageFor(tag)
	if !ok {
		return Display{}, fmt.Errorf("no language %q: there are %s", tag, strings.Join(scene.Languages(), ", "))
	}
	return Display{style, games.Scene(game), l.WithTexts(texts[l.Tag])}, nil
}

// voice returns the game's voice, with cards as the terminal shows them.
func (d Display) voice(s *table.State) scene.Voice {
	v := d.language.VoiceOf(d.game, func(seat table.Seat) string { return plain.Isolate(plain.Text(s.SeatName(seat))) })
	full := v
	v.Card = func(f scene.Face) string { return d.style.card(f, full.Text(f.Words)) }
	return v
}

// say returns a text of the terminal's own.
func (d Display) say(key string, values ...any) string { return d.language.Say(key, values...) }

// wrapLine returns a text as a line of its own. If it is wrapped, the next lines are indented by hang
// spaces.
func (d Display) wrapLine(text string, hang int) string {
	return d.style.finish(d.style.Wrap(text, hang)) + "\n"
}

// cards returns the cards of a zone, and the number of hidden ones.
func (d Display) cards(v scene.Voice, z scene.Zone) string {
	var list []string
	hidden := z.Hidden
	for _, c := range z.Cards {
		switch {
		case c.Face == "":
			hidden++
		case c.By != nil:
			list = append(list, v.Seat(*c.By)+" "+v.Face(c.Face))
		default:
			list = append(list, v.Face(c.Face))
		}
	}
	if hidden > 0 {
		list = append(list, d.language.Count("cards", hidden))
	}
	if z.Layout == scene.Round {
		return strings.Join(list, ", ")
	}
	return strings.Join(list, " ")
}

// Hand returns the seat's own hand.
func (d Display) Hand(p scene.Position) string {
	v := d.voice(p.Table)
	for _, z := range d.game.Scene(p).Zones {
		if z.Layout == scene.Hand && p.Seat != nil && z.Seat != nil && *z.Seat == *p.Seat && len(z.Cards) > 0 {
			return d.wrapLine(d.say("your.hand", "cards", d.cards(v, z)), 4)
		}
	}
	return d.wrapLine(d.say("no.hand"), 0)
}

// Table returns what lies open for everybody.
func (d Display) Table(p scene.Position) string {
	s, v := d.game.Scene(p), d.voice(p.Table)
	var b strings.Builder
	for _, f := range s.Facts {
		b.WriteString(d.wrapLine(v.Text(f), 2))
	}
	for _, c := range s.Chairs {
		b.WriteString(d.wrapLine("  "+d.chair(p, v, s, c), 4))
	}
	for _, t := range s.Past {
		round := scene.Zone{Layout: scene.Round, Cards: t.Cards}
		b.WriteString(d.wrapLine("  "+d.say("taken", "cards", d.cards(v, round), "seat", v.Seat(t.Taken)), 4))
	}
	for _, z := range s.Zones {
		if text := d.cards(v, z); text != "" && z.Layout != scene.Hand {
			b.WriteString(d.wrapLine("  "+v.Text(z.Label)+": "+text, 4))
		}
	}
	return b.String() + d.waits(p)
}

// chair returns a seat: its name, roles, cards and score.
func (d Display) chair(p scene.Position, v scene.Voice, s scene.Scene, c scene.Chair) string {
	name := v.Seat(c.Seat)
	if p.SitsAt(c.Seat) {
		name += " (" + d.say("you") + ")"
	}
	parts := []string{d.style.paint(bold, name)}
	for _, r := range c.Roles {
		parts = append(parts, v.Text(r))
	}
	if c.Side != nil {
		parts = append(parts, v.Text(*c.Side))
	}
	for _, z := range s.Zones {
		if z.Layout == scene.Hand && z.Seat != nil && *z.Seat == c.Seat {
			parts = append(parts, d.language.Count("cards", len(z.Cards)+z.Hidden))
		}
	}
	return strings.Join(append(parts, v.Signed(c.Score)), ", ")
}

// waits returns whom play waits for.
func (d Display) waits(p scene.Position) string {
	v, s := d.voice(p.Table), d.game.Scene(p)
	if len(s.Waits) == 0 {
		return d.wrapLine(d.say("over"), 0) + d.wrapLine(d.say("score", "scores", d.scores(p)), 4)
	}
	var b strings.Builder
	for _, w := range s.Waits {
		last := "and"
		if len(w.Seats) > 1 && slices.Equal(w.Seats, p.Table.Duties()[0].Seats) {
			last = "or"
		}
		names := make([]string, len(w.Seats))
		for i, seat := range w.Seats {
			names[i] = v.Seat(seat)
		}
		b.WriteString(d.wrapLine(d.say("wait", "seats", v.Join(names, last), "what", v.Text(w.For)), 4))
	}
	return b.String()
}

// Score returns the results of the deals so far, and what each seat has now.
func (d Display) Score(p scene.Position) string {
	if sums := d.game.Sums(p.Table); len(sums) > 0 {
		return d.scoreList(p, sums)
	}
	var b strings.Builder
	for _, s := range d.game.Sheets(p.Table) {
		b.WriteString(d.sheet(d.voice(p.Table), s))
	}
	return b.String() + d.wrapLine(d.say("score", "scores", d.scores(p)), 4)
}

// scoreList returns the list of deals: in each seat's column its sum after a deal that paid it
// anything, and the sums below.
func (d Display) scoreList(p scene.Position, sums []scene.Sum) string {
	const wide = 9 // a column
	v, has := d.voice(p.Table), make([]int, p.Table.Seats())
	var b strings.Builder
	row := func(first string, cells []string, text string) {
		for i, c := range cells {
			cells[i] = strings.Repeat(" ", max(wide-visible(c), 1)) + c
		}
		b.WriteString(d.wrapLine(strings.TrimRight(fmt.Sprintf("%4s%s  %s", first, strings.Join(cells, ""), text), " "), 6+wide*len(cells)))
	}
	cells := func(cell func(table.Seat) string) (list []string) {
		for seat := range table.Seat(len(has)) {
			list = append(list, cell(seat))
		}
		return list
	}
	row("", cells(func(s table.Seat) string { return d.style.paint(bold, cutText(v.Seat(s), wide-1)) }), "")
	for _, s := range d.game.Sheets(p.Table) {
		row(strconv.Itoa(s.Deal), cells(func(seat table.Seat) string {
			paid := s.Payments[seat].Total
			if has[seat] += paid; paid == 0 {
				return ""
			}
			return v.Number(int64(has[seat]))
		}), v.Text(s.Text))
	}
	for _, s := range sums {
		row("", cells(func(seat table.Seat) string {
			if s.Count {
				return v.Number(int64(s.Amounts[seat]))
			}
			return v.Signed(s.Amounts[seat])
		}), v.Text(s.Text))
	}
	return b.String()
}

// cutText returns the beginning of a text, at most most characters.
func cutText(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// scores returns what each seat has now.
func (d Display) scores(p scene.Position) string {
	v := d.voice(p.Table)
	var list []string
	forfeits := table.Sheet{Forfeits: p.Table.Sheet().Forfeits}.Sums(p.Table.Seats())
	result, over := p.Table.Result()
	for _, c := range d.game.Scene(p).Chairs {
		score := c.Score + forfeits[c.Seat]
		if over && len(p.Table.EndingActs()) > 0 {
			score = result[c.Seat]
		}
		list = append(list, v.Seat(c.Seat)+" "+v.Signed(score))
	}
	return strings.Join(list, ", ")
}

// Result returns the last line of a finished table, which is not wrapped.
func (d Display) Result(s *table.State, id wire.Hash) string {
	return d.style.finish(d.say("result", "id", id, "scores", d.scores(scene.OnlookerPosition(s)))) + "\n"
}

// LeavingText returns the text for a person who leaves: the command that takes the seat again, on a
// line that is not wrapped.
func (d Display) LeavingText(command string) string {
	return d.style.finish(d.say("left", "command", command)) + "\n"
}

// sheet returns the result of a deal.
func (d Display) sheet(v scene.Voice, s scene.Sheet) string {
	var b strings.Builder
	b.WriteString(d.wrapLine("  "+d.style.paint(bold, d.say("deal", "n", s.Deal))+" "+v.Text(s.Text), 4))
	for _, l := range s.Lines {
		text := fmt.Sprintf("    %-10s%5s  %s", l.Rule, v.Signed(l.Points), v.Text(l.Text))
		if l.For != nil {
			text += " → " + v.Text(*l.For)
		}
		b.WriteString(d.wrapLine(text, 21))
	}
	var list []string
	other := false
	for _, p := range s.Payments {
		list, other = append(list, v.Seat(p.Seat)+" "+v.Signed(p.Total)), other || p.Other != 0
	}
	b.WriteString(d.wrapLine("  "+d.say("payments", "payments", strings.Join(list, ", ")), 4))
	if other {
		b.WriteString(d.wrapLine("  "+v.Say("other.note"), 4))
	}
	return b.String()
}

// Course returns what a message did between two states.
func (d Display) Course(before, after *table.State, m *wire.Message) []string {
	v, seat := d.voice(after), table.Seat(m.Seat)
	var lines []string
	add := func(text string) { lines = append(lines, strings.TrimSuffix(d.wrapLine(text, 4), "\n")) }
	did := func(text string) { add("  " + v.Seat(seat) + " " + text) }
	switch m.Kind {
	case table.Shuffle, table.Return, table.Mix, table.Disclose, table.Dispute:
		did(v.Say("did." + string(m.Kind)))
	}
	move := m.Move()
	list := d.game.Tell(scene.OnlookerPosition(before), scene.OnlookerPosition(after), seat, move)
	for i, t := range list {
		switch text := v.Text(t.What); {
		case t.Idle, i == 0 && move != nil && d.style.Brief && t.Card:
		case i == 0 && move != nil:
			did(text)
		default:
			add(text)
		}
	}
	sheets := d.game.Sheets(after)
	for _, s := range sheets[len(d.game.Sheets(before)):] {
		lines = append(lines, strings.TrimSuffix(d.sheet(v, s), "\n"))
	}
	return lines
}

// Screen returns everything that a person sees at a moment: what lies open, and below it the question
// after some picks, or else the seat's hand.
func (d Display) Screen(p scene.Position, asked bool, picked []scene.Pick) string {
	switch {
	case asked:
		return d.Table(p) + d.AskedText(p, picked)
	case p.Seat == nil:
		return d.Table(p)
	}
	return d.Table(p) + d.Hand(p)
}

// AskedText returns the question after some picks, or the meaning of a complete move.
func (d Display) AskedText(p scene.Position, picked []scene.Pick) string {
	if len(picked) == 0 {
		return d.Question(p, d.game.Ask(p), scene.Note{})
	}
	a := d.game.Answer(p, picked)
	if a.Move != nil {
		return d.confirm(p, a)
	}
	return d.Question(p, a.Ask, a.Says)
}

// Question returns everything that a person sees of a question after some picks. Equal texts are
// equal questions.
func (d Display) Question(p scene.Position, ask scene.Ask, says scene.Note) string {
	v := d.voice(p.Table)
	var b strings.Builder
	b.WriteString(d.Hand(p))
	d.writeContext(&b, p, ask)
	if says.ID != "" {
		b.WriteString(d.wrapLine(d.say("so.far", "says", v.Text(says)), 2))
	}
	b.WriteString(d.wrapLine(d.style.paint(bold, v.Text(ask.Prompt)), 2))
	d.writeChoices(&b, p, ask.FreeParts())
	return b.String()
}

// writeContext writes what a question is about: the trick for a card, and for words what was said
// before.
func (d Display) writeContext(b *strings.Builder, p scene.Position, ask scene.Ask) {
	v, s := d.voice(p.Table), d.game.Scene(p)
	if slices.ContainsFunc(ask.Parts, func(p scene.Part) bool { return p.Place != nil }) {
		for _, z := range s.Zones {
			if text := d.cards(v, z); z.Layout == scene.Round && text != "" {
				b.WriteString(d.wrapLine(v.Text(z.Label)+": "+text, 4))
			}
		}
		return
	}
	for _, f := range s.Facts {
		b.WriteString(d.wrapLine(v.Text(f), 2))
	}
}

// writeChoices writes the possible picks, numbered unless one is a number itself. A pick with a
// remark has a line of its own.
func (d Display) writeChoices(b *strings.Builder, p scene.Position, free []scene.Part) {
	v, numbered := d.voice(p.Table), d.areNumbered(p, free)
	row := ""
	flush := func() {
		if row != "" {
			b.WriteString(d.wrapLine(row, 2))
		}
		row = ""
	}
	for i, part := range free {
		item := strings.ReplaceAll(v.Text(part.Label), " ", "\u00a0")
		if numbered {
			item = fmt.Sprintf("%3d\u00a0%s", i+1, item)
		} else {
			item = "  " + item
		}
		var means []string
		if part.Range != nil {
			means = append(means, d.say("range", "greatest", part.Range.Greatest))
		}
		for _, m := range part.Means {
			means = append(means, v.Text(m))
		}
		if len(means) == 0 {
			if visible(row)+visible(item) > d.style.width() {
				flush()
			}
			row += item + " "
			continue
		}
		flush()
		b.WriteString(d.wrapLine(item+"   "+d.style.paint(dim, "("+strings.Join(means, "; ")+")"), 6))
	}
	flush()
}

// BarredText returns what cannot be picked, and why.
func (d Display) BarredText(p scene.Position, ask scene.Ask) string {
	v := d.voice(p.Table)
	var b strings.Builder
	for _, part := range ask.Parts {
		if part.Why != nil {
			b.WriteString(d.wrapLine("  "+v.Text(part.Label)+": "+v.Text(*part.Why), 4))
		}
	}
	if b.Len() == 0 {
		return d.wrapLine(d.say("not.barred"), 0)
	}
	return b.String()
}

// confirm returns what will be done, and what will be proved with it.
func (d Display) confirm(p scene.Position, a scene.Answer[json.RawMessage]) string {
	v := d.voice(p.Table)
	var claims []string
	for _, c := range a.Proves {
		claims = append(claims, v.Say("claim.clause", "group", v.Text(c.Group), "what", v.Text(c.What)))
	}
	text := ""
	if len(claims) > 0 {
		text = d.wrapLine(d.say("proved", "claims", strings.Join(slices.Compact(claims), "; ")), 2)
	}
	return text + d.wrapLine(d.style.paint(bold, d.say("confirm", "says", v.Text(a.Says))), 2)
}
