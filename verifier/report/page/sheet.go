package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/verifier/report"
)

//go:embed sheet.html
var sheetText string

var sheetPage = sync.OnceValue(func() *template.Template { return furtherPage("sheet", sheetText) })

// maxTold bounds the deals of a sheet that has hands too: more would be too small to read.
const maxTold = 12

// WriteSheet writes the score sheet of a table, which prints on one page: what each deal paid, and,
// unless there are too many, the hands as they became known.
func WriteSheet(w io.Writer, d *report.Document) error {
	l := languageOf(d.Language)
	v := sheetView{Document: d, phrases: phrases{l}, Told: len(d.Sheets) < maxTold}
	sums := make([]int, len(d.Seats))
	voice := l.VoiceOf(games.Scene(d.Game), nil)
	for _, s := range d.Sheets {
		row := sheetDeal{Number: fmt.Sprint(s.Deal), Text: s.Text}
		for i, p := range s.Payments {
			sums[i] += p.Total
			row.Paid = append(row.Paid, v.paidText(p.Total, sums[i]))
		}
		v.addDeal(row, s.Tricks, voice)
	}
	if len(d.Playing) > 0 {
		v.addDeal(sheetDeal{Paid: make([]string, len(d.Seats))}, d.Playing, voice)
	}
	v.addSums(sums)
	return WritePage(w, sheetPage(), v)
}

// paidText is what stands in a seat's column: what a deal paid it, at an event with the sum so far,
// or, in a list, what it has after a deal that paid it anything.
func (v *sheetView) paidText(total, sum int) string {
	switch {
	case len(v.Document.Sums) == 0 && v.Place != nil:
		return fmt.Sprintf("%s (%s)", v.L.Signed(total), v.L.Signed(sum))
	case len(v.Document.Sums) == 0:
		return v.L.Signed(total)
	case total == 0:
		return ""
	}
	return v.L.Number(int64(sum))
}

// addSums writes the lines below the deals: those of the list, or the sums and ranks.
func (v *sheetView) addSums(sums []int) {
	for _, s := range v.Document.Sums {
		v.Below = append(v.Below, sheetDeal{Text: strings.TrimSpace(s.Text + " " + s.Rule), Paid: s.Written(v.L), Points: !s.Count})
	}
	for _, s := range v.Besides {
		v.Below = append(v.Below, sheetDeal{Text: s.Text, Paid: s.Written(v.L), Points: true})
	}
	if len(v.Below) > 0 {
		return
	}
	var ranks []int
	for _, sum := range sums {
		ranks = append(ranks, 1+len(slices.DeleteFunc(slices.Clone(sums), func(other int) bool { return other <= sum })))
	}
	v.Below = []sheetDeal{
		{Number: v.Say("column.sum"), Paid: report.ListSum{Amounts: sums}.Written(v.L), Points: true},
		{Number: v.Say("column.rank"), Paid: report.ListSum{Amounts: ranks, Count: true}.Written(v.L)},
	}
}

// sheetView is what a score sheet is made of.
type sheetView struct {
	*report.Document
	phrases
	Deals []sheetDeal
	Below []sheetDeal // the sums
	Told  bool        // with hands
}

// sheetDeal is a row of a score sheet, and the hands below it.
type sheetDeal struct {
	Number, Text string
	Paid         []string     // by seat
	Points       bool         // they are sums of points
	Hands        [][]handCard // by seat
}

// handCard is one of a hand, in words, and whether it took its trick.
type handCard struct {
	Words string
	Took  bool
}

func (v *sheetView) addDeal(d sheetDeal, tricks []report.Trick, voice words.Voice) {
	if v.Told && len(tricks) > 0 {
		d.Hands = handsOf(tricks, voice, len(v.Seats))
	}
	v.Deals = append(v.Deals, d)
}

// handsOf are the cards of each seat, in the order of the tricks.
func handsOf(tricks []report.Trick, voice words.Voice, seats int) [][]handCard {
	list := make([][]handCard, seats)
	for _, t := range tricks {
		for _, c := range t.Cards {
			list[c.Seat] = append(list[c.Seat], handCard{cardText(voice, c.Face), t.Taken != nil && *t.Taken == c.Seat})
		}
	}
	return list
}

// suits are symbols of suits; a trump has none.
var suits = map[string]string{"H": "♥", "D": "♦", "C": "♣", "S": "♠", "T": ""}

// cardText is a card as it stands on it: "♥K", "XIX".
func cardText(v words.Voice, name string) string {
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

// Said are acts, attempts, rulings and what was asked for: all that the payments above do not
// say of themselves.
func (v sheetView) Said() []string {
	list := append(v.EndedTexts(), v.Breaches()...)
	if v.Place != nil {
		list = slices.Concat(list, v.Place.Rulings, v.Place.Said)
	}
	return list
}

// Title is the page's.
func (v sheetView) Title() string { return pageTitle(v.L, "title.sheet", v.Game) }

// Lines is how many lines the sheet takes at most, which its print has to hold.
func (v sheetView) Lines() int {
	wide := 30 // characters of a column at the least
	if !v.Told {
		wide = 80 // of the last one
	}
	n := 14
	for _, said := range v.Said() {
		n += 1 + len(said)/110
	}
	if v.Place != nil {
		n += 3 + len(strings.Join(v.Place.Players, " · "))/110
	}
	for _, d := range slices.Concat(v.Deals, v.Below) {
		n += 1 + len(d.Text)/wide
		longest := 0
		for _, hand := range d.Hands {
			longest = max(longest, len(hand))
		}
		n += (longest*6 + wide - 1) / wide // a card takes six with its dot
	}
	return n
}
