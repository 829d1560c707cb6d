package record

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
)

// Text is the canonical form of a record. [Parse] reads it as the same record.
func (s *Session) Text() []byte {
	w := &writer{redLow: s.redLow()}
	w.writeTag("Tarokk", Version)
	for _, t := range s.freeTexts() {
		if *t.value != "" {
			w.writeTag(t.name, *t.value)
		}
	}
	w.writeTag("Preset", s.Preset)
	for _, o := range tarokk.Options() {
		if v, ok := s.Options[o.Name]; ok {
			w.writeTag("Option", o.Name, v)
		}
	}
	w.writeTag("Members", s.Members...)
	if s.Length > 0 {
		w.writeTag("Deals", strconv.Itoa(s.Length))
	}
	w.writeNotes(s.Notes)
	for i := range s.Deals {
		w.writeDeal(&s.Deals[i])
	}
	return []byte(w.b.String())
}

// freeTexts are the tags with free text.
func (s *Session) freeTexts() []struct {
	name  string
	value *string
} {
	return []struct {
		name  string
		value *string
	}{{"Event", &s.Event}, {"Site", &s.Site}, {"Date", &s.Date}, {"Table", &s.Table}}
}

// redLow is the lowest red rank, which decides the names of cards.
func (s *Session) redLow() string {
	if low, ok := s.Options["red-low"]; ok {
		return low
	}
	return "ace"
}

type writer struct {
	b      strings.Builder
	redLow string
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (w *writer) writeTag(name string, values ...string) {
	w.b.WriteString("[" + name)
	for _, v := range values {
		w.b.WriteString(` "` + escape.Replace(v) + `"`)
	}
	w.b.WriteString("]\n")
}

func (w *writer) writeNotes(list []string) {
	for _, n := range list {
		w.b.WriteString("; " + n + "\n")
	}
}

func (w *writer) writeDeal(d *Deal) {
	w.b.WriteString("\n")
	w.writeTag("Deal", strconv.Itoa(d.Number))
	if d.Dealer != "" {
		w.writeTag("Dealer", d.Dealer)
	}
	if d.Rounds != nil {
		var list []string
		for _, left := range d.Rounds {
			list = append(list, strconv.Itoa(left))
		}
		w.writeTag("Rounds", list...)
	}
	if d.Pool != nil {
		w.writeTag("Pool", strconv.Itoa(*d.Pool))
	}
	w.writeNotes(d.Notes)
	tricks := 0
	for _, l := range d.Lines {
		if l.Key == "trick" {
			tricks++
		}
		w.writeLine(l, tricks)
	}
}

func (w *writer) writeLine(l Line, trick int) {
	w.b.WriteString(l.Key)
	if l.Key == "trick" {
		fmt.Fprintf(&w.b, " %d", trick)
	}
	if l.Seat != Nobody {
		w.b.WriteString(" " + seatNames[l.Seat:l.Seat+1])
	}
	switch {
	case keywordOf(l.Key).cards:
		w.b.WriteString(": " + cardNames(l.Cards, w.redLow) + "\n")
	case len(l.Words) == 0:
		w.b.WriteString(": pass\n")
	default:
		w.b.WriteString(": " + strings.Join(l.Words, ", ") + "\n")
	}
	w.writeNotes(l.Notes)
}
