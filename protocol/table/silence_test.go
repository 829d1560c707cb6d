package table_test

import (
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// listening is a clocked table whose keepers must have said that they hold nothing.
func listening(t *testing.T, change func(*wire.Genesis)) *markstest.Table {
	t.Helper()
	return clocked(t, func(g *wire.Genesis) {
		g.Clock.Silence = true
		if change != nil {
			change(g)
		}
	})
}

func saying(lines [][]byte) func(*wire.TimeoutBody) {
	return func(b *wire.TimeoutBody) { b.Silence = lines }
}

// A log that has withheld a message, and claims without keepers, or with lines that are of
// something else: another seat, table, head or key, one keeper twice, one second too early, a hold
// in place of a silence, a cosignature's key. (Attacks 12, 14, 16)
func TestSilence(t *testing.T) {
	w := listening(t, nil)
	w.Moves(1, 10)
	stale := w.Place(0)
	w.Moves(1, 10)
	late, other := w.Late()
	w.Pass(61)
	early := w.Silence(late)
	w.Pass(1)
	lines := w.Silence(late)
	line := func(k int, p keeper.Place) []byte {
		b := testmust.Have(keeper.SignSilence(w.Lines[k], w.Now.Unix(), p))(t)
		return b
	}
	elsewhere := w.Place(late)
	elsewhere.Table[0] ^= 1
	stale.Seat = int(late)
	hold := testmust.Have(keeper.SignHold(w.Lines[1], w.Now.Unix(), w.Place(late), wire.Hash{}))(t)
	_, stranger := w.Late()
	for what, list := range map[string][][]byte{
		"none":              {},
		"one":               lines[:1],
		"one twice":         {lines[0], lines[0]},
		"a second early":    {early[0], early[1], lines[2]},
		"of another seat":   {line(0, w.Place(stranger)), lines[1]},
		"of another table":  {line(0, elsewhere), lines[1]},
		"of a stale head":   {line(0, stale), lines[1]},
		"a hold":            {lines[0], hold},
		"bytes of another":  {lines[0], append(append([]byte{}, lines[1][:12]...), lines[2][12:]...)},
		"another's as own":  {lines[0], append(append([]byte{}, lines[1][:4]...), lines[0][4:]...)},
		"an altered time":   {lines[0], later(lines[1])},
		"no signature left": {lines[0], make([]byte, keeper.Size)},
	} {
		wants(t, w, what, claimed(w, late, other, saying(list)), table.CheckSilence)
	}
	wants(t, w, "two of three", claimed(w, late, other, saying(lines[1:])), "")
	wants(t, w, "all of them", claimed(w, late, other, saying(lines)), "")
}

func later(line []byte) []byte {
	b := append([]byte{}, line...)
	b[11]++
	return b
}

// Keepers whose clocks are wrong by a day, or run back, and one of them that lies about the time:
// each is measured by its own clock, and one alone proves nothing.
func TestSilenceByWrongClocks(t *testing.T) {
	w := listening(t, nil)
	w.Wrong[0] = func(now time.Time) time.Time { return now.Add(24 * time.Hour) }
	w.Wrong[1] = func(now time.Time) time.Time { return now.Add(-24 * time.Hour) }
	w.Moves(1, 10)
	late, other := w.Late()
	w.Pass(61)
	wants(t, w, "in time, and one that says otherwise", claimed(w, late, other, saying(w.Silence(late))), table.CheckOver)
	w.Pass(1)
	wants(t, w, "late by clocks that are a day apart", claimed(w, late, other, saying(w.Silence(late))), "")
	w.Wrong[2] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	wants(t, w, "with the one that has gone back", claimed(w, late, other, saying(w.Silence(late, 1, 2))), table.CheckSilence)
	wants(t, w, "without it", claimed(w, late, other, saying(w.Silence(late, 0, 1))), "")
}

// A bank that is used up before: what is left of it is what a keeper must have waited.
func TestSilenceOfBank(t *testing.T) {
	w := listening(t, func(g *wire.Genesis) { g.Clock.Move, g.Clock.Bank, g.Clock.Increment = 0, 30, 0 })
	late, other := w.Late()
	w.Pass(31)
	before := w.Silence(late)
	w.Pass(1)
	wants(t, w, "said as the last second ran", claimed(w, late, other, saying(before)), table.CheckSilence)
	wants(t, w, "said after it", claimed(w, late, other, saying(w.Silence(late))), "")
}

// A clock that asks for no silence, and one that does with a claim of a server that knows of no
// keepers: silence changes nothing there, and is missing here.
func TestSilenceUnasked(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.Late()
	w.Pass(62)
	wants(t, w, "lines that nobody asks for", claimed(w, late, other, saying(w.Silence(late))), "")
}
