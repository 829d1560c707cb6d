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

// Changes lists the changes and who can make each with their own keys, in the order of the page.
var Changes = []Change{
	{"file", "byte"}, {"file", "repaired"}, {"file", "left-out"}, {"file", "swapped"}, {"file", "end"},
	{"server", "entry"},
	{"operator", "entry"}, {"operator", "history"},
	{"seat", "face"}, {"seat", "rule"}, {"seat", "proof"}, {"seat", "shuffle"},
}

// Change names one of Changes.
type Change struct {
	Who  string `json:"who"`
	What string `json:"what"`
}

// ChangeResult is the result of a change: the changed bytes before and after, and the verdict.
type ChangeResult struct {
	judge.Answer
	Entry  int    `json:"entry"` // number of the changed entry
	Before string `json:"before"`
	After  string `json:"after"`
}

// Cheat is seat C, whose key is used.
const Cheat = table.Seat(2)

// Try makes a change and has it judged.
func (g *Game) Try(ctx context.Context, c Change, lang string) (ChangeResult, error) {
	switch c.Who {
	case "file":
		return g.tryFile(ctx, c.What, lang)
	case "server":
		honest, err := g.sign(g.entries)
		if err != nil {
			return ChangeResult{}, err
		}
		n := g.middleEntry(table.Move)
		honest.entries = g.replaceEntry(n, alterParent(g.entries[n]))
		return g.judgeLog(ctx, honest, n, honest.entries[n], lang)
	case "operator":
		return g.tryOperator(ctx, c.What, lang)
	case "seat":
		return g.trySeat(ctx, c.What, lang)
	}
	return ChangeResult{}, fmt.Errorf("there is no change %q of %q", c.What, c.Who)
}

func (g *Game) judgeLog(ctx context.Context, l shownLog, n int, after []byte, lang string) (ChangeResult, error) {
	a, err := judge.Table(ctx, l, g.Table, []string{g.Key.String()}, lang)
	return ChangeResult{a, n, string(g.entries[n]), string(after)}, err
}

// middleEntry returns the number of the middle one of the messages of a kind.
func (g *Game) middleEntry(k table.Kind) int {
	var list []int
	for i, entry := range g.entries {
		if e, err := wire.Parse(entry); err == nil && e.Message != nil && e.Message.Kind == k {
			list = append(list, i)
		}
	}
	return list[len(list)/2]
}

// replaceEntry returns the entries with another one in place n.
func (g *Game) replaceEntry(n int, entry []byte) [][]byte {
	list := slices.Clone(g.entries)
	list[n] = entry
	return list
}

// alterParent changes a hex digit in the hash of the entry's parent: the entry stays canonical but
// its seat has not signed it.
func alterParent(entry []byte) []byte {
	const field = `"parent":"`
	other := bytes.Clone(entry)
	at := bytes.Index(other, []byte(field)) + len(field)
	other[at] = "123456789abcdef0"[bytes.IndexByte([]byte("0123456789abcdef"), other[at])]
	return other
}

// tryFile changes a bundle, as anybody who has the file can.
func (g *Game) tryFile(ctx context.Context, what, lang string) (ChangeResult, error) {
	l, err := g.sign(g.entries)
	if err != nil {
		return ChangeResult{}, err
	}
	file, err := g.bundleOf(ctx, l)
	if err != nil {
		return ChangeResult{}, err
	}
	n := g.middleEntry(table.Move)
	entry, other := g.entries[n], alterParent(g.entries[n])
	switch what {
	case "byte":
		file = bytes.Replace(file, entry, other, 1)
	case "repaired":
		file = repairManifest(bytes.Replace(file, entry, other, 1), entry, other)
	case "swapped":
		next := g.entries[n+1]
		file = bytes.Replace(file, append(bytes.Clone(entry), next...), append(bytes.Clone(next), entry...), 1)
		file = bytes.Replace(file, manifestLine(next), []byte(" ?\n"), 1)
		file = bytes.Replace(repairManifest(file, entry, next), []byte(" ?\n"), manifestLine(entry), 1)
		other = next
	case "left-out":
		file, other = leaveOut(file, entry, len(g.entries)), nil
	case "end":
		n = len(g.entries) - 1
		if l, err = g.sign(g.entries[:n]); err != nil {
			return ChangeResult{}, err
		}
		if file, err = g.bundleOf(ctx, l); err != nil {
			return ChangeResult{}, err
		}
		entry, other = g.entries[n], nil
	default:
		return ChangeResult{}, fmt.Errorf("there is no change %q of a file", what)
	}
	a, err := judge.File(ctx, file, []string{g.Key.String()}, lang)
	return ChangeResult{a, n, string(entry), string(other)}, err
}

// manifestLine returns the part of an entry's manifest line after the index.
func manifestLine(entry []byte) []byte {
	return fmt.Appendf(nil, " %d %s\n", len(entry), wire.HashEntry(entry))
}

// repairManifest adapts the manifest to an entry that replaces another.
func repairManifest(file, old, new []byte) []byte {
	return bytes.Replace(file, manifestLine(old), manifestLine(new), 1)
}

// leaveOut removes an entry, its line, and one from the manifest's count.
func leaveOut(file, entry []byte, of int) []byte {
	end := bytes.Index(file, manifestLine(entry)) + len(manifestLine(entry))
	begin := 1 + bytes.LastIndexByte(file[:end-1], '\n')
	shorter := append(bytes.Clone(file[:begin]), file[end:]...)
	shorter = bytes.Replace(shorter, fmt.Appendf(nil, "\nentries %d\n", of), fmt.Appendf(nil, "\nentries %d\n", of-1), 1)
	return bytes.Replace(shorter, entry, nil, 1)
}

// tryOperator changes the log and signs it with the log's key.
func (g *Game) tryOperator(ctx context.Context, what, lang string) (ChangeResult, error) {
	n := g.middleEntry(table.Move)
	other := alterParent(g.entries[n])
	l, err := g.sign(g.replaceEntry(n, other))
	if err != nil {
		return ChangeResult{}, err
	}
	if what == "entry" {
		return g.judgeLog(ctx, l, n, other, lang)
	}
	honest, err := g.sign(g.entries)
	if err != nil {
		return ChangeResult{}, err
	}
	a, err := judge.Table(ctx, l, g.Table, []string{g.Key.String()}, lang, honest.checkpoint)
	return ChangeResult{a, n, string(honest.checkpoint.Note), string(l.checkpoint.Note)}, err
}

// trySeat makes seat C sign a wrong message on the honest log.
func (g *Game) trySeat(ctx context.Context, what, lang string) (ChangeResult, error) {
	n, m, err := g.forge(what)
	if err != nil {
		return ChangeResult{}, err
	}
	parcel, err := wire.Sign(m, g.hands[Cheat].Signer)
	if err != nil {
		return ChangeResult{}, err
	}
	entry, _ := wire.CutParcel(parcel)
	l, err := g.sign(append(slices.Clone(g.entries[:n]), entry))
	if err != nil {
		return ChangeResult{}, err
	}
	return g.judgeLog(ctx, l, n, entry, lang)
}

// forge returns a wrong message of seat C in place of entry n.
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
		if forged, ok := g.makeWrong(what, &m, g.states[n-1]); ok {
			return n, forged, nil
		}
	}
	return 0, nil, fmt.Errorf("in this game seat C has no message of which %q could be tried", what)
}

// makeWrong makes a message wrong in the named way, if it is of the kind for that.
func (g *Game) makeWrong(what string, m *wire.Message, before *table.State) (*wire.Message, bool) {
	switch what {
	case "face":
		return misnameCard(m, before)
	case "rule": // the seat's first move again
		return g.repeatFirstMove(m)
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
		return doubleCard(m)
	}
	return nil, false
}

// repeatFirstMove returns the seat's first move in place of its last.
func (g *Game) repeatFirstMove(m *wire.Message) (*wire.Message, bool) {
	for _, entry := range g.entries {
		e, err := wire.Parse(entry)
		if err != nil || e.Message == nil || e.Message.Seat != m.Seat || e.Message.Kind != table.Move {
			continue
		}
		var first wire.MoveBody
		if m.Kind != table.Move || bytes.Equal(e.Message.Body, m.Body) || wire.DecodeBody(e.Message.Body, &first) != nil {
			return nil, false
		}
		return replaceBody(m, first)
	}
	return nil, false
}

// doubleCard puts the first card of a shuffle in place of the second as well.
func doubleCard(m *wire.Message) (*wire.Message, bool) {
	var shuffled wire.CardsBody
	if m.Kind != table.Shuffle || wire.DecodeBody(m.Body, &shuffled) != nil {
		return nil, false
	}
	shuffled.Cards[1] = shuffled.Cards[0]
	return replaceBody(m, shuffled)
}

// misnameCard gives a card that is turned up the name of another one.
func misnameCard(m *wire.Message, before *table.State) (*wire.Message, bool) {
	var b wire.MoveBody
	if m.Kind != table.Move || wire.DecodeBody(m.Body, &b) != nil || len(b.Tokens) == 0 {
		return nil, false
	}
	name := func(f int) []byte { return fmt.Appendf(nil, "%q", before.FaceName(card.Face(f))) }
	for f := range before.Cards() {
		if bytes.Contains(b.Move, name(f)) {
			b.Move = bytes.Replace(b.Move, name(f), name((f+1)%before.Cards()), 1)
			return replaceBody(m, b)
		}
	}
	return nil, false
}

func replaceBody(m *wire.Message, b any) (*wire.Message, bool) {
	raw, err := wire.EncodeBody(b)
	m.Body = raw
	return m, err == nil
}
