package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/verifier/report"
)

// A picture is drawn in a field of 60 by 96 from a face's suit and rank, which its
// game gives to cards of its deck alone: nothing from outside gets into it.
// Every picture is a symbol in the page's head, used by its id.

// suitShapes are paths around the origin, 20 by 20.
var suitShapes = map[string]string{
	"H": "M0 9C-14-1-9-9-5-9-2-9 0-7 0-5 0-7 2-9 5-9 9-9 14-1 0 9Z",
	"D": "M0-10 8 0 0 10-8 0Z",
	"C": "M-4.5 -5A4.5 4.5 0 1 1 4.5 -5A4.5 4.5 0 1 1 -4.5 -5ZM-9.5 2A4.5 4.5 0 1 1 -0.5 2A4.5 4.5 0 1 1 -9.5 2Z" +
		"M0.5 2A4.5 4.5 0 1 1 9.5 2A4.5 4.5 0 1 1 0.5 2ZM-2 -2H2V3H-2ZM-1 0H1Q1 7 4 10H-4Q-1 7 -1 0Z",
	"S": "M0-10C14 0 9 7 5 7 3 7 1 5 1 4Q1 7 4 10H-4Q-1 7-1 4C-1 5-3 7-5 7-9 7-14 0 0-10Z",
}

// figureShapes are heads of king, queen, rider and jack around the origin: a
// crown with points, one with pearls, a horse, and a hat with a feather.
var figureShapes = map[string]string{
	"K": "M-14-4-16-20-7-12 0-22 7-12 16-20 14-4ZM-10-1H10V9Q0 19-10 9ZM-18 30Q-16 16 0 16T18 30Z",
	"Q": "M-13-5-15-14-8-9-5-16 0-9 5-16 8-9 15-14 13-5ZM-9-2H9V8Q0 17-9 8ZM-12-2-16 14H-11ZM12-2 16 14H11ZM-18 30Q-14 15 0 15T18 30Z",
	"R": "M-14 30Q-12 12-4 4L-15 6-18-1-4-15-2-22 3-16Q18-12 17 30ZM-5-8A1.6 1.6 0 1 0-4.9-8Z",
	"J": "M-13-6Q-13-17 4-17L16-24 12-10 14-6ZM-9-3H9V7Q0 17-9 7ZM-18 30Q-14 15 0 15T18 30Z",
}

// pips are where the pips of a card without a figure lie.
var pips = map[string][][2]int{
	"A": {{30, 48}},
	"2": {{30, 26}, {30, 70}}, "3": {{30, 24}, {30, 48}, {30, 72}},
	"4": {{18, 28}, {42, 28}, {18, 68}, {42, 68}}, "5": {{18, 28}, {42, 28}, {30, 48}, {18, 68}, {42, 68}},
	"6": {{18, 26}, {42, 26}, {18, 48}, {42, 48}, {18, 70}, {42, 70}},
	"7": {{18, 26}, {42, 26}, {30, 37}, {18, 48}, {42, 48}, {18, 70}, {42, 70}},
	"8": {{18, 26}, {42, 26}, {30, 37}, {18, 48}, {42, 48}, {30, 59}, {18, 70}, {42, 70}},
	"9": {{18, 24}, {42, 24}, {18, 40}, {42, 40}, {30, 32}, {18, 56}, {42, 56}, {18, 72}, {42, 72}},
	"T": {{18, 24}, {42, 24}, {30, 32}, {18, 40}, {42, 40}, {18, 56}, {42, 56}, {30, 64}, {18, 72}, {42, 72}},
}

// colours of the suits: red and black, told apart by shape as well.
func colourOf(suit string) string {
	if suit == "H" || suit == "D" {
		return "#b3152a"
	}
	return "#1b1b1b"
}

const frame = `<rect x="1" y="1" width="58" height="94" rx="6" fill="#fffdf6" stroke="#444"/>`

// draw is the inside of the picture of a face, or nothing.
func draw(f scene.Face) string {
	switch {
	case f.Suit != "T":
		return drawSuited(f.Suit, f.Rank)
	case f.Rank == "":
		return frame + `<path d="M30 20 40 44 56 34 46 58 30 72 14 58 4 34 20 44Z" fill="#7a3fa0" stroke="#333"/>` +
			`<circle cx="30" cy="18" r="4" fill="#e3b341"/><circle cx="7" cy="32" r="4" fill="#e3b341"/><circle cx="53" cy="32" r="4" fill="#e3b341"/>` +
			`<text x="30" y="88" text-anchor="middle" font-size="12" font-weight="bold" fill="#333">★</text>`
	}
	return drawNumeral(f.Rank, f.Honour)
}

// drawNumeral is a trump with its number; that of an honour is framed in gold.
func drawNumeral(roman string, honour bool) string {
	edge := "#2f5d50"
	if honour {
		edge = "#b8860b"
	}
	numeral := func(transform string) string {
		return fmt.Sprintf(`<text x="30" y="32" text-anchor="middle" font-family="serif" font-weight="bold" font-size="%d" fill="#222"%s>%s</text>`,
			max(12, 22-2*max(0, len(roman)-2)), transform, roman)
	}
	return frame + fmt.Sprintf(`<rect x="5" y="8" width="50" height="80" rx="3" fill="none" stroke="%s" stroke-width="2"/>`, edge) +
		`<path d="M10 48H50M30 40 36 48 30 56 24 48Z" fill="none" stroke="` + edge + `"/>` +
		numeral("") + numeral(` transform="rotate(180 30 48)"`)
}

func drawSuited(suit, rank string) string {
	if rank == "10" {
		rank = "T"
	}
	figure, isFigure := figureShapes[rank]
	if suitShapes[suit] == "" || !isFigure && pips[rank] == nil {
		return ""
	}
	colour := colourOf(suit)
	shape := func(x, y int, scale float64) string {
		return fmt.Sprintf(`<path transform="matrix(%[3]g 0 0 %[3]g %[1]d %[2]d)" d="%[4]s"/>`, x, y, scale, suitShapes[suit])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `%s<g fill="%s">`, frame, colour)
	if isFigure {
		fmt.Fprintf(&b, `<path transform="translate(30 46)" d="%s"/>%s%s`, figure, shape(48, 14, 0.5), shape(12, 84, 0.5))
		fmt.Fprintf(&b, `<text x="11" y="19" text-anchor="middle" font-family="serif" font-weight="bold" font-size="15">%s</text>`, rank)
	} else {
		scale := 0.8
		if len(pips[rank]) > 6 {
			scale = 0.6
		}
		for _, p := range pips[rank] {
			b.WriteString(shape(p[0], p[1], scale))
		}
	}
	b.WriteString(`</g>`)
	return b.String()
}

// pictures are the symbols of all faces that the trace turns up.
func pictures(d *report.Document, v words.Voice) map[string]template.HTML {
	drawn := map[string]template.HTML{}
	for _, s := range d.Trace {
		for _, f := range s.Faces {
			if inside := draw(v.Game.Face(f)); inside != "" {
				drawn[f] = template.HTML(fmt.Sprintf(`<symbol id="card-%s" viewBox="0 0 60 96">%s</symbol>`, f, inside)) // f is a name that has a picture
			}
		}
	}
	return drawn
}

// symbols are the pictures in a fixed order.
func symbols(drawn map[string]template.HTML) (list []template.HTML) {
	for _, f := range slices.Sorted(maps.Keys(drawn)) {
		list = append(list, drawn[f])
	}
	return list
}
