package table_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// lessAble is a suite that proves these relations alone.
type lessAble struct {
	clear.Suite
	proves []string
}

func (s lessAble) Proves(relation string) bool { return slices.Contains(s.proves, relation) }

// modest is a game that needs these relations alone.
type modest struct {
	tabletest.HighCard
	needs []string
}

func (g modest) Needs(table.Config) []string { return g.needs }

// A table that opens although its suite cannot do what its game will ask for: it would
// stop in the middle of a deal, and whoever has to prove would be at fault. And one that
// does not open although the suite can.
func TestNeeds(t *testing.T) {
	five := []string{"ownership", "shuffle", "reveal", "transfer", "condition"}
	for _, c := range []struct {
		name    string
		game    table.Game
		suite   proof.Suite
		lacking string
	}{
		{"neither says", three, clear.Suite{}, ""},
		{"the suite says all", three, lessAble{proves: proof.Relations()}, ""},
		{"the suite lacks one", three, lessAble{proves: five}, "no proof of permute:"},
		{"the suite lacks two", three, lessAble{proves: five[:3]}, "no proof of transfer, condition, permute:"},
		{"the game does without", play.NewGame(modest{needs: five[:3]}), lessAble{proves: five[:3]}, ""},
		{"the game needs nothing", play.NewGame(modest{}), lessAble{}, ""},
		{"the game needs what is not known", play.NewGame(modest{needs: []string{"forge"}}), clear.Suite{}, "no proof of forge:"},
	} {
		_, err := tabletest.New(c.game, tabletest.Config{Seats: 4, Suite: c.suite}, 1)
		switch {
		case c.lacking == "" && err != nil:
			t.Errorf("%s: the table does not open: %v", c.name, err)
		case c.lacking != "" && (err == nil || !strings.Contains(err.Error(), c.lacking)):
			t.Errorf("%s: %v, want %q", c.name, err, c.lacking)
		}
	}
}

// A suite of the catalogue that takes for granted what its prover does not do, or the
// other way round: those over ElGamal prove all that a game can need.
func TestProves(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	for _, relation := range proof.Relations() {
		testmust.Hold(t, proof.Proves(s, relation), s.Name(), "does not prove", relation)
	}
	testmust.Hold(t, !proof.Proves(s, "forge"), "a relation is proved that there is not")
}

// Tokens out of turn. If a seat could give its own before those of the seats before
// it are there, two honest seats could give them on two histories, and both
// together open cards that are shown to nobody in either.
func TestTokensInTurn(t *testing.T) {
	try := begin(t, peter, clear.Suite{}, 3)
	first := try.until(table.Shuffle).Seats[0]
	order := []table.Seat{first, (first + 1) % 3, (first + 2) % 3}
	var gave []table.Seat
	for d := try.until(table.Show); d.Kind == table.Show; d = try.State.Duties()[0] {
		for seat := range table.Seat(3) {
			if seat != d.Seats[0] {
				try.catches(try.made(try.Sign(seat, table.Show, wire.TokensBody{Tokens: [][]byte{}})), table.CheckDue)
			}
		}
		testmust.Equal(t, len(try.State.Duties()), 1, "duties at once")
		gave = append(gave, d.Seats...)
		try.adds(try.honest(d))
	}
	testmust.Hold(t, slices.Equal(gave, order), "tokens by", gave, "want", order, "which is the order of the shuffle")
}

// A seat that only receives cards is passed over: then others give tokens for it on
// a history that it has not signed, while it gives its own elsewhere, for the same
// cards and another receiver.
func TestReceiverSigns(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	d := try.until(table.Show) // card 6, to seat 0 alone
	testmust.Requiref(t, d.Seats[0] == 0 && len(d.Cards) == 0, "owed is %+v, want the assent of seat 0", d)
	entry := try.honest(d)
	m := parsed(t, entry).Message
	testmust.Holdf(t, string(m.Body) == `{"tokens":[]}` && len(m.Proofs) == 0, "the receiver signs %s with %d proofs", m.Body, len(m.Proofs))
	token := wire.TokensBody{Tokens: [][]byte{try.Hands[0].Secret.Token(try.State.MaskedCards([]table.Card{6})[0]).Bytes()}}
	try.catches(try.made(try.Sign(0, table.Show, token)), table.CheckValues)
	try.adds(entry)
	d = try.until(table.Show)
	testmust.Holdf(t, d.Seats[0] == 1 && slices.Equal(d.Cards, []table.Card{6}), "next is owed %+v, want the token of seat 1", d)
}

// A message of another seat where a Show is owed: a seat whose Show was lost to it
// would give its token again, in a history that lacks the first one.
func TestNothingBesideAShow(t *testing.T) {
	try := begin(t, lab, clear.Suite{}, 3)
	try.until(table.Give)
	for range 3 {
		if d := try.until(table.Show); len(try.State.Duties()) != 1 {
			t.Errorf("owed are %+v", try.State.Duties())
		} else if err := try.Add(try.honest(d)); err != nil {
			t.Fatal(err)
		}
	}
	d := try.State.Duties()
	testmust.Holdf(t, len(d) == 1 && d[0].Kind == table.Permute && d[0].Seats[0] == 1, "then are owed %+v, want the permutation of seat 1", d)
}

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
	w.PlayMoves(1, 10)
	stale := w.Place(0)
	w.PlayMoves(1, 10)
	late, other := w.LateSeat()
	w.PassTime(61)
	early := w.Silence(late)
	w.PassTime(1)
	lines := w.Silence(late)
	line := func(k int, p keeper.Place) []byte {
		b := testmust.Have(keeper.SignSilence(w.Lines[k], w.Now.Unix(), p))(t)
		return b
	}
	elsewhere := w.Place(late)
	elsewhere.Table[0] ^= 1
	stale.Seat = int(late)
	hold := testmust.Have(keeper.SignHold(w.Lines[1], w.Now.Unix(), w.Place(late), wire.Hash{}))(t)
	_, stranger := w.LateSeat()
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
	w.PlayMoves(1, 10)
	late, other := w.LateSeat()
	w.PassTime(61)
	wants(t, w, "in time, and one that says otherwise", claimed(w, late, other, saying(w.Silence(late))), table.CheckOver)
	w.PassTime(1)
	wants(t, w, "late by clocks that are a day apart", claimed(w, late, other, saying(w.Silence(late))), "")
	w.Wrong[2] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	wants(t, w, "with the one that has gone back", claimed(w, late, other, saying(w.Silence(late, 1, 2))), table.CheckSilence)
	wants(t, w, "without it", claimed(w, late, other, saying(w.Silence(late, 0, 1))), "")
}

// A bank that is used up before: what is left of it is what a keeper must have waited.
func TestSilenceOfBank(t *testing.T) {
	w := listening(t, func(g *wire.Genesis) { g.Clock.Move, g.Clock.Bank, g.Clock.Increment = 0, 30, 0 })
	late, other := w.LateSeat()
	w.PassTime(31)
	before := w.Silence(late)
	w.PassTime(1)
	wants(t, w, "said as the last second ran", claimed(w, late, other, saying(before)), table.CheckSilence)
	wants(t, w, "said after it", claimed(w, late, other, saying(w.Silence(late))), "")
}

// A clock that asks for no silence, and one that does with a claim of a server that knows of no
// keepers: silence changes nothing there, and is missing here.
func TestSilenceUnasked(t *testing.T) {
	w := clocked(t, nil)
	late, other := w.LateSeat()
	w.PassTime(62)
	wants(t, w, "lines that nobody asks for", claimed(w, late, other, saying(w.Silence(late))), "")
}
