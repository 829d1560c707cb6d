package tamper

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Changes are what can be tried, who can do it with the keys that are theirs, in the
// order of the page.
var Changes = []Change{
	{"file", "byte"}, {"file", "repaired"}, {"file", "left-out"}, {"file", "swapped"}, {"file", "end"},
	{"server", "entry"},
	{"operator", "entry"}, {"operator", "history"},
	{"seat", "face"}, {"seat", "rule"}, {"seat", "proof"}, {"seat", "shuffle"},
}

// Change names one of them.
type Change struct {
	Who  string `json:"who"`
	What string `json:"what"`
}

// Tried is what became of a change: the bytes that were changed, before and after, and
// the verdict.
type Tried struct {
	judge.Answer
	Entry  int    `json:"entry"` // that was changed
	Before string `json:"before"`
	After  string `json:"after"`
}

// Cheat is the seat whose key is used: seat C.
const Cheat = table.Seat(2)

// Try makes a change and has it judged.
func (g *Game) Try(ctx context.Context, c Change, lang string) (Tried, error) {
	switch c.Who {
	case "file":
		return g.tryFile(ctx, c.What, lang)
	case "server":
		honest, err := g.sign(g.entries)
		if err != nil {
			return Tried{}, err
		}
		n := g.some(table.Move)
		honest.entries = g.with(n, altered(g.entries[n]))
		return g.judged(ctx, honest, n, honest.entries[n], lang)
	case "operator":
		return g.tryOperator(ctx, c.What, lang)
	case "seat":
		return g.trySeat(ctx, c.What, lang)
	}
	return Tried{}, fmt.Errorf("there is no change %q of %q", c.What, c.Who)
}

// judged judges a log in which the entry n was changed.
func (g *Game) judged(ctx context.Context, l log, n int, after []byte, lang string) (Tried, error) {
	a, err := judge.Table(ctx, l, g.Table, []string{g.Key.String()}, lang)
	return Tried{a, n, string(g.entries[n]), string(after)}, err
}

// some is the number of an entry in the middle, of a message of a kind.
func (g *Game) some(k table.Kind) int {
	var list []int
	for i, entry := range g.entries {
		if e, err := wire.Parse(entry); err == nil && e.Message != nil && e.Message.Kind == k {
			list = append(list, i)
		}
	}
	return list[len(list)/2]
}

// with are the entries with another one in a place.
func (g *Game) with(n int, entry []byte) [][]byte {
	list := slices.Clone(g.entries)
	list[n] = entry
	return list
}

// altered has another hex digit in the hash of the entry's parent: still canonical, and
// not what its seat has signed.
func altered(entry []byte) []byte {
	const field = `"parent":"`
	other := bytes.Clone(entry)
	at := bytes.Index(other, []byte(field)) + len(field)
	other[at] = "123456789abcdef0"[bytes.IndexByte([]byte("0123456789abcdef"), other[at])]
	return other
}

// tryFile changes a bundle, as anybody can who has the file.
func (g *Game) tryFile(ctx context.Context, what, lang string) (Tried, error) {
	l, err := g.sign(g.entries)
	if err != nil {
		return Tried{}, err
	}
	file, err := g.file(ctx, l)
	if err != nil {
		return Tried{}, err
	}
	n := g.some(table.Move)
	entry, other := g.entries[n], altered(g.entries[n])
	switch what {
	case "byte":
		file = bytes.Replace(file, entry, other, 1)
	case "repaired":
		file = repaired(bytes.Replace(file, entry, other, 1), entry, other)
	case "swapped":
		next := g.entries[n+1]
		file = bytes.Replace(file, append(bytes.Clone(entry), next...), append(bytes.Clone(next), entry...), 1)
		file = bytes.Replace(file, line(next), []byte(" ?\n"), 1)
		file = bytes.Replace(repaired(file, entry, next), []byte(" ?\n"), line(entry), 1)
		other = next
	case "left-out":
		file, other = without(file, entry, len(g.entries)), nil
	case "end":
		n = len(g.entries) - 1
		if l, err = g.sign(g.entries[:n]); err != nil {
			return Tried{}, err
		}
		if file, err = g.file(ctx, l); err != nil {
			return Tried{}, err
		}
		entry, other = g.entries[n], nil
	default:
		return Tried{}, fmt.Errorf("there is no change %q of a file", what)
	}
	a, err := judge.File(ctx, file, []string{g.Key.String()}, lang)
	return Tried{a, n, string(entry), string(other)}, err
}

// line is what the manifest says of an entry, after its place.
func line(entry []byte) []byte {
	return fmt.Appendf(nil, " %d %s\n", len(entry), wire.HashEntry(entry))
}

// repaired has the manifest say of another entry what it said of one.
func repaired(file, old, new []byte) []byte { return bytes.Replace(file, line(old), line(new), 1) }

// without leaves an entry out, with its line and from the count of the manifest.
func without(file, entry []byte, of int) []byte {
	end := bytes.Index(file, line(entry)) + len(line(entry))
	begin := 1 + bytes.LastIndexByte(file[:end-1], '\n')
	shorter := append(bytes.Clone(file[:begin]), file[end:]...)
	shorter = bytes.Replace(shorter, fmt.Appendf(nil, "\nentries %d\n", of), fmt.Appendf(nil, "\nentries %d\n", of-1), 1)
	return bytes.Replace(shorter, entry, nil, 1)
}

// tryOperator changes the log with its own key.
func (g *Game) tryOperator(ctx context.Context, what, lang string) (Tried, error) {
	n := g.some(table.Move)
	other := altered(g.entries[n])
	l, err := g.sign(g.with(n, other))
	if err != nil {
		return Tried{}, err
	}
	if what == "entry" {
		return g.judged(ctx, l, n, other, lang)
	}
	honest, err := g.sign(g.entries)
	if err != nil {
		return Tried{}, err
	}
	a, err := judge.Table(ctx, l, g.Table, []string{g.Key.String()}, lang, honest.checkpoint)
	return Tried{a, n, string(honest.checkpoint.Note), string(l.checkpoint.Note)}, err
}

// trySeat has the seat C sign what is wrong, on the log that was honest so far.
func (g *Game) trySeat(ctx context.Context, what, lang string) (Tried, error) {
	n, m, err := g.forge(what)
	if err != nil {
		return Tried{}, err
	}
	parcel, err := wire.Sign(m, g.hands[Cheat].Signer)
	if err != nil {
		return Tried{}, err
	}
	entry, _ := wire.Cut(parcel)
	l, err := g.sign(append(slices.Clone(g.entries[:n]), entry))
	if err != nil {
		return Tried{}, err
	}
	return g.judged(ctx, l, n, entry, lang)
}

// forge is a message of seat C that its seat would not sign, in place of entry n.
func (g *Game) forge(what string) (n int, m *wire.Message, err error) {
	for n = len(g.entries) - 1; n > 0; n-- {
		e, err := wire.Parse(g.entries[n])
		if err != nil {
			return 0, nil, err
		}
		m := *e.Message
		if table.Seat(m.Seat) != Cheat {
			continue
		}
		if forged, ok := g.wrong(what, &m, g.states[n-1]); ok {
			return n, forged, nil
		}
	}
	return 0, nil, fmt.Errorf("in this game seat C has no message of which %q could be tried", what)
}

// wrong makes a message wrong in a way, if it is of the kind for it.
func (g *Game) wrong(what string, m *wire.Message, before *table.State) (*wire.Message, bool) {
	switch what {
	case "face":
		return said(m, before)
	case "rule": // what it did first, once more
		return g.again(m)
	case "proof":
		if m.Kind != table.Move || len(m.Proofs) < 2 {
			return nil, false
		}
		m.Proofs = slices.Clone(m.Proofs)
		last := bytes.Clone(m.Proofs[len(m.Proofs)-1])
		last[len(last)-32] ^= 1 // the low byte of a scalar
		m.Proofs[len(m.Proofs)-1] = last
		return m, true
	case "shuffle":
		return stacked(m)
	}
	return nil, false
}

// again is the first move of the seat in place of its last.
func (g *Game) again(m *wire.Message) (*wire.Message, bool) {
	for _, entry := range g.entries {
		e, err := wire.Parse(entry)
		if err != nil || e.Message == nil || e.Message.Seat != m.Seat || e.Message.Kind != table.Move {
			continue
		}
		var first wire.MoveBody
		if m.Kind != table.Move || bytes.Equal(e.Message.Body, m.Body) || wire.DecodeBody(e.Message.Body, &first) != nil {
			return nil, false
		}
		return body(m, first)
	}
	return nil, false
}

// stacked has the first card of a shuffle twice, in place of the second as well.
func stacked(m *wire.Message) (*wire.Message, bool) {
	var shuffled wire.CardsBody
	if m.Kind != table.Shuffle || wire.DecodeBody(m.Body, &shuffled) != nil {
		return nil, false
	}
	shuffled.Cards[1] = shuffled.Cards[0]
	return body(m, shuffled)
}

// said is a card that is turned up and said to be another of the deck.
func said(m *wire.Message, before *table.State) (*wire.Message, bool) {
	var b wire.MoveBody
	if m.Kind != table.Move || wire.DecodeBody(m.Body, &b) != nil || len(b.Tokens) == 0 {
		return nil, false
	}
	name := func(f int) []byte { return fmt.Appendf(nil, "%q", before.FaceName(card.Face(f))) }
	for f := range before.Cards() {
		if bytes.Contains(b.Move, name(f)) {
			b.Move = bytes.Replace(b.Move, name(f), name((f+1)%before.Cards()), 1)
			return body(m, b)
		}
	}
	return nil, false
}

func body(m *wire.Message, b any) (*wire.Message, bool) {
	raw, err := wire.EncodeBody(b)
	m.Body = raw
	return m, err == nil
}
