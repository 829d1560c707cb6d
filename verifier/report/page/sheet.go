package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier/report"
)

// maxTold bounds the deals of a sheet that shows hands; with more deals they would be too small to
// read.
const maxTold = 12

// WriteSheet writes the score sheet of a table, which prints on one page: what each deal paid, and,
// unless there are too many, the hands as they became known.
func WriteSheet(w io.Writer, d *report.Document) error {
	v := sheetView{Document: d, phrases: phrasesOf(d.Language), told: len(d.Sheets) < maxTold}
	sums := make([]int, len(d.Seats))
	voice := v.L.VoiceOf(games.Scene(d.Game), nil)
	for _, s := range d.Sheets {
		row := sheetRow{number: fmt.Sprint(s.Deal), text: s.Text}
		for i, p := range s.Payments {
			sums[i] += p.Total
			row.paid = append(row.paid, v.paidText(p.Total, sums[i]))
		}
		v.addDeal(row, s.Tricks, voice)
	}
	if len(d.Playing) > 0 {
		v.addDeal(sheetRow{paid: make([]string, len(d.Seats))}, d.Playing, voice)
	}
	v.addSums(sums)
	class, styles := "sheet", fmt.Sprintf(sheetStyle, v.countLines())
	if !v.told {
		class, styles = "sheet many", styles+manyStyle
	}
	parts := []markup{placeOf(v.Place), writeHeader(v.Header()), v.headline(v.Verdict, v.Headline),
		element(fmt.Sprintf(`table class="%s"`, class), element("thead", element("tr", element(`th scope="col" class="n"`, v.say("column.deal")),
			writeEach(v.SeatNames(), func(name string) markup { return element(`th scope="col" class="n"`, foreign(name)) }), element(`th scope="col"`, v.say("column.what")))), "\n",
			element("tbody", writeEach(v.deals, sheetRow.markup), writeEach(v.below, sheetRow.markup))), "\n"}
	if v.told {
		parts = append(parts, element("p", element("small", v.say("sheet.hands"))), "\n")
	}
	if said := v.saidTexts(); len(said) > 0 {
		parts = append(parts, element("p", writeEach(said, smallLine)), "\n")
	}
	return v.writeDocument(w, titleOf(v.L, "title.sheet", v.Game), styles, "", append(parts, element("p", writeEach(v.Facts(), smallLine)))...)
}

// sheetStyle fits this many lines on one printed page.
const sheetStyle = `@page{size:A4;margin:10mm}
.sheet{font-size:12px;line-height:1.25;table-layout:fixed}
.sheet thead th{white-space:normal;overflow-wrap:anywhere}.sheet th:first-child{width:4em}.sheet th:last-child{width:26%%}
.sheet td,.sheet th{padding:.1em .4em}
.sheet .hand{font-size:.85em;border-bottom:2px solid var(--line)}
@media print{.sheet{font-size:min(9pt,calc(225mm/%d/1.4))}.sheet td,.sheet th{padding:.05em .3em}h1,.headline{margin:.2em 0;padding:.2em .6em;font-size:11pt}p{margin:.2em 0}}
`

// manyStyle is the style of a sheet without hands.
const manyStyle = `.many th:last-child{width:62%}.many th{overflow-wrap:anywhere}
`

// paidText returns the text in a seat's column: what a deal paid the seat, at an event with the sum
// so far, or, in a list, the seat's sum after a deal that paid it anything.
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

// addSums adds the lines below the deals: those of the list, or the sums and ranks.
func (v *sheetView) addSums(sums []int) {
	for _, s := range v.Document.Sums {
		v.below = append(v.below, sheetRow{text: strings.TrimSpace(s.Text + " " + s.Rule), paid: s.Written(v.L), points: !s.Count})
	}
	for _, s := range v.Besides {
		v.below = append(v.below, sheetRow{text: s.Text, paid: s.Written(v.L), points: true})
	}
	if len(v.below) > 0 {
		return
	}
	var ranks []int
	for _, sum := range sums {
		ranks = append(ranks, 1+len(slices.DeleteFunc(slices.Clone(sums), func(other int) bool { return other <= sum })))
	}
	v.below = []sheetRow{
		{number: v.L.Say("column.sum"), paid: report.ListSum{Amounts: sums}.Written(v.L), points: true},
		{number: v.L.Say("column.rank"), paid: report.ListSum{Amounts: ranks, Count: true}.Written(v.L)},
	}
}

// sheetView is the material of a score sheet.
type sheetView struct {
	*report.Document
	phrases
	deals []sheetRow
	below []sheetRow // the sums
	told  bool       // with hands
}

// sheetRow is a row of a score sheet with the hands below it.
type sheetRow struct {
	number, text string
	paid         []string     // by seat
	points       bool         // paid are sums of points
	hands        [][]handCard // by seat
}

func (r sheetRow) markup() markup {
	paid := writeEach(r.paid, func(s string) markup {
		if r.points {
			return element(`th class="n"`, text(s))
		}
		return number(s)
	})
	row := element("tr", element(`th scope="row" class="n"`, text(r.number)), paid, element("td", foreign(r.text))) + "\n"
	if r.hands == nil {
		return row
	}
	empty := element(`td class="hand"`)
	return row + element("tr", empty, writeEach(r.hands, func(hand []handCard) markup { return element(`td class="hand"`, element("bdi", cardsOf(hand))) }), empty) + "\n"
}

// cardsOf returns the cards of a hand and underlines those that took their tricks.
func cardsOf(hand []handCard) (all markup) {
	for i, c := range hand {
		if i > 0 {
			all += " · "
		}
		if c.took {
			all += element("u", text(c.words))
		} else {
			all += text(c.words)
		}
	}
	return all
}

// handCard is a card of a hand in words, and whether it took its trick.
type handCard struct {
	words string
	took  bool
}

func (v *sheetView) addDeal(d sheetRow, tricks []report.Trick, voice scene.Voice) {
	if v.told && len(tricks) > 0 {
		d.hands = handsOf(tricks, voice, len(v.Seats))
	}
	v.deals = append(v.deals, d)
}

// handsOf returns the cards of each seat in the order of the tricks.
func handsOf(tricks []report.Trick, voice scene.Voice, seats int) [][]handCard {
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

// cardText returns a card as printed on it: "♥K", "XIX".
func cardText(v scene.Voice, name string) string {
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

// saidTexts returns acts, attempts, rulings, appeals and calls: everything that the payments above do
// not show.
func (v sheetView) saidTexts() []string {
	list := append(v.EndedTexts(), v.Breaches()...)
	if v.Place != nil {
		list = slices.Concat(list, v.Place.Rulings, v.Place.Said)
	}
	return list
}

// countLines returns the most lines that the sheet takes in print.
func (v sheetView) countLines() int {
	wide := 30 // least number of characters in a column
	if !v.told {
		wide = 80 // of the last column
	}
	n := 14
	for _, said := range v.saidTexts() {
		n += 1 + len(said)/110
	}
	if v.Place != nil {
		n += 3 + len(strings.Join(v.Place.Players, " · "))/110
	}
	for _, d := range slices.Concat(v.deals, v.below) {
		n += 1 + len(d.text)/wide
		longest := 0
		for _, hand := range d.hands {
			longest = max(longest, len(hand))
		}
		n += (longest*6 + wide - 1) / wide // a card takes six characters with its dot
	}
	return n
}
