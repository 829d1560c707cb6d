package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games/scenes"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/verifier/report"
)

//go:embed sheet.html
var sheetText string

var sheetPage = template.Must(template.Must(documentPage.Clone()).New("sheet").Parse(sheetText))

// maxTold bounds the deals of a sheet that has hands too: more would be too small to read.
const maxTold = 12

// Sheet writes the score sheet of a table, which prints on one page: what each deal paid, and,
// unless there are too many, the hands as they became known.
func Sheet(w io.Writer, d *report.Document) error {
	l := speaking(d.Language)
	v := sheetView{Document: d, phrases: phrases{l}, Sums: make([]int, len(d.Seats)), Told: len(d.Sheets) < maxTold}
	voice := l.Of(scenes.Lookup(d.Game), nil)
	for _, s := range d.Sheets {
		row := sheetDeal{Number: fmt.Sprint(s.Deal), Text: s.Text}
		for i, p := range s.Payments {
			row.Paid = append(row.Paid, l.Signed(p.Total))
			v.Sums[i] += p.Total
		}
		v.add(row, s.Tricks, voice)
	}
	if len(d.Playing) > 0 {
		v.add(sheetDeal{Paid: make([]string, len(d.Seats))}, d.Playing, voice)
	}
	for _, sum := range v.Sums {
		v.Ranks = append(v.Ranks, 1+len(slices.DeleteFunc(slices.Clone(v.Sums), func(other int) bool { return other <= sum })))
	}
	return write(w, sheetPage, v)
}

// sheetView is what a score sheet is made of.
type sheetView struct {
	*report.Document
	phrases
	Deals       []sheetDeal
	Sums, Ranks []int // by seat
	Told        bool  // with hands
}

// sheetDeal is a row of a score sheet, and the hands below it.
type sheetDeal struct {
	Number, Text string
	Paid         []string // by seat
	Hands        [][]card // by seat
}

// card is one of a hand, in words, and whether it took its trick.
type card struct {
	Words string
	Took  bool
}

func (v *sheetView) add(d sheetDeal, tricks []report.Trick, voice words.Voice) {
	if v.Told && len(tricks) > 0 {
		d.Hands = hands(tricks, voice, len(v.Seats))
	}
	v.Deals = append(v.Deals, d)
}

// hands are the cards of each seat, in the order of the tricks.
func hands(tricks []report.Trick, voice words.Voice, seats int) [][]card {
	list := make([][]card, seats)
	for _, t := range tricks {
		for _, c := range t.Cards {
			list[c.Seat] = append(list[c.Seat], card{short(voice, c.Face), t.Taken != nil && *t.Taken == c.Seat})
		}
	}
	return list
}

// suits are symbols of suits; a trump has none.
var suits = map[string]string{"H": "♥", "D": "♦", "C": "♣", "S": "♠", "T": ""}

// short is a card as it stands on it: "♥K", "XIX".
func short(v words.Voice, name string) string {
	f := v.Game.Face(name)
	suit, drawn := suits[f.Suit]
	switch {
	case !drawn:
		return plain.Text(v.Face(name))
	case f.Rank == "":
		return "★"
	}
	return suit + f.Rank
}

// Title is the page's.
func (v sheetView) Title() string { return v.L.Say("title.sheet", "game", v.Game) }

// Lines is how many lines the sheet takes at most, which its print has to hold.
func (v sheetView) Lines() int {
	const wide = 30 // characters of a column at the least
	n := 16
	for _, d := range v.Deals {
		n += 1 + len(d.Text)/wide
		longest := 0
		for _, hand := range d.Hands {
			longest = max(longest, len(hand))
		}
		n += (longest*6 + wide - 1) / wide // a card takes six with its dot
	}
	return n
}
