package tabletest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// Check plays a table and compares its written history with a file.
func Check(t *testing.T, game table.Game, c Config, seed uint64, file string) {
	t.Helper()
	played, err := Play(game, c, seed)
	if err != nil {
		t.Fatal(err)
	}
	Compare(t, fmt.Sprintf("%s, %s, seed %d", game.Name(), c, seed), played, file)
}

// Compare compares the written history of a table, under a title, with a file.
func Compare(t *testing.T, title string, played *Table, file string) {
	t.Helper()
	testmust.Same(t, file, title+"\n\n"+Write(played))
}

// Write writes the history of a table as text.
func Write(t *Table) string {
	w := &writer{table: t, last: map[string]string{}}
	for i, s := range t.States {
		w.writeMessage(i, t.Entries[i])
		w.writeDuties(s)
		w.writePublic(s)
		w.writeCards("open", s, s.Faces())
		for seat, h := range t.Hands {
			hand, err := play.Peek(s, h.Seat, t.Secret(s, h.Seat))
			if err != nil {
				panic(err)
			}
			w.writeCards(fmt.Sprintf("seat %d sees", seat), s, hand)
		}
		w.text.WriteByte('\n')
	}
	result, _ := t.State.Result()
	fmt.Fprintf(&w.text, "result %v\n", result)
	return w.text.String()
}

type writer struct {
	table *Table
	text  strings.Builder
	last  map[string]string // what was written last, by name
}

func (w *writer) writeMessage(i int, entry []byte) {
	e, err := wire.Parse(entry)
	if err != nil {
		panic(err)
	}
	if e.Message == nil {
		fmt.Fprintf(&w.text, "#%d table %v\n", i, e.Table.Options)
		return
	}
	m := e.Message
	fmt.Fprintf(&w.text, "#%d seat %d: %s", i, m.Seat, m.Kind)
	if move := m.Move(); move != nil {
		fmt.Fprintf(&w.text, " %s", move)
	}
	fmt.Fprintf(&w.text, " (%d proofs)\n", len(m.Proofs))
}

func (w *writer) writeDuties(s *table.State) {
	for _, d := range s.Duties() {
		fmt.Fprintf(&w.text, "  due: %s by %v", d.Kind, d.Seats)
		if len(d.Cards) > 0 {
			fmt.Fprintf(&w.text, " cards %v", d.Cards)
		}
		if len(d.To) > 0 {
			fmt.Fprintf(&w.text, " to %v", d.To)
		}
		w.text.WriteByte('\n')
	}
}

// writePublic writes the fields of the public state that changed.
func (w *writer) writePublic(s *table.State) {
	raw, err := s.Public()
	if err != nil {
		panic(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic(err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if what := "public " + name; bytes.HasPrefix(fields[name], []byte("{")) {
			w.writePart(what, json.RawMessage(w.last[what]), fields[name])
			w.last[what] = string(fields[name])
		} else {
			w.writeLine(what, string(fields[name]))
		}
	}
}

// short is the length up to which a value is written in full.
const short = 100

// writePart writes a value that has changed. Of a long one it writes only the changed parts, so that a
// reader sees them.
func (w *writer) writePart(name string, old, value json.RawMessage) {
	var oldFields, fields map[string]json.RawMessage
	var oldItems, items []json.RawMessage
	switch {
	case bytes.Equal(old, value):
	case len(value) <= short || len(old) == 0:
		fmt.Fprintf(&w.text, "  %s: %s\n", name, value)
	case json.Unmarshal(old, &oldFields) == nil && json.Unmarshal(value, &fields) == nil:
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			w.writePart(name+"."+key, oldFields[key], fields[key])
		}
	case json.Unmarshal(old, &oldItems) == nil && json.Unmarshal(value, &items) == nil && len(items) >= len(oldItems):
		for i, item := range items {
			w.writePart(fmt.Sprintf("%s[%d]", name, i), itemAt(oldItems, i), item)
		}
	default:
		fmt.Fprintf(&w.text, "  %s: %s\n", name, value)
	}
}

// itemAt is an item of a list, or nil.
func itemAt(items []json.RawMessage, i int) json.RawMessage {
	if i < len(items) {
		return items[i]
	}
	return nil
}

func (w *writer) writeCards(what string, s *table.State, faces map[table.Card]card.Face) {
	var words []string
	for _, c := range slices.Sorted(maps.Keys(faces)) {
		words = append(words, fmt.Sprintf("%d=%s", c, s.FaceName(faces[c])))
	}
	w.writeLine(what, strings.Join(words, " "))
}

// writeLine writes a value under its name.
func (w *writer) writeLine(name, value string) {
	if last, written := w.last[name]; value != last || !written && value != "" {
		fmt.Fprintf(&w.text, "  %s: %s\n", name, value)
	}
	w.last[name] = value
}
