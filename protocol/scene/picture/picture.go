// Package picture draws cards, each as the inside of an SVG symbol with the viewBox
// [ViewBox]: a frame, an index in two corners that alone tells the card at a width of
// 34 pixels, and what is in the middle: pips, a figure seen from both ends, or, of a
// trump with the number n, a rose of n petals. All of it is made of paths, so a card
// looks the same wherever it is shown, and no font and no scan is needed.
//
// What is drawn depends on the suit and rank of a [scene.Face] alone, which a game
// gives to the cards of its own deck: no text from outside comes into a picture.
// Colours are custom properties with a default, so that a page can choose four colours
// for the suits: --hearts, --diamonds, --clubs, --spades, --trumps.
package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/scene"
)

// ViewBox is the field in which cards are drawn: 60 by 96.
const ViewBox = "0 0 60 96"

// Pack is a kind of pictures for the same cards.
type Pack struct {
	suits   map[string]suit
	figures map[string]figure // by rank
}

type (
	suit   struct{ name, colour, shape string }
	figure struct{ index, half string } // half: over the middle of the card
)

// French has hearts, diamonds, clubs and spades, and German hearts, bells, acorns and
// leaves in their places, with Ober and Unter for queen and jack. Trumps are the same in both.
var (
	French = Pack{suits: map[string]suit{
		"H": {"hearts", "#b3152a", heart},
		"D": {"diamonds", "#b3152a", "M0-10 8 0 0 10-8 0Z"},
		"C": {"clubs", "#1b1b1b", "M-4.5-5A4.5 4.5 0 1 1 4.5-5 4.5 4.5 0 1 1-4.5-5ZM-9.5 2A4.5 4.5 0 1 1-.5 2 4.5 4.5 0 1 1-9.5 2Z" +
			"M.5 2A4.5 4.5 0 1 1 9.5 2 4.5 4.5 0 1 1 .5 2ZM-2-2H2V3H-2ZM-1 0H1Q1 7 4 10H-4Q-1 7-1 0Z"},
		"S": {"spades", "#1b1b1b", "M0-10C14 0 9 7 5 7 3 7 1 5 1 4Q1 7 4 10H-4Q-1 7-1 4C-1 5-3 7-5 7-9 7-14 0 0-10Z"},
	}, figures: map[string]figure{"K": {"K", king}, "Q": {"Q", queen}, "R": {"R", rider}, "J": {"J", jack}}}
	German = Pack{suits: map[string]suit{
		"H": {"hearts", "#b3152a", heart},
		"D": {"diamonds", "#9a6a00", "M-7 0A7 7 0 0 1-2-6.7V-9H2V-6.7A7 7 0 0 1 7 0H8V2H-8V0ZM-7 3.5H7A7 7 0 0 1 1.5 9.4L0 5-1.5 9.4A7 7 0 0 1-7 3.5Z"},
		"C": {"clubs", "#5a3a1a", "M-7-2Q-7-7-1-7.5L-1-10H1L1-7.5Q7-7 7-2ZM-6-1H6Q6 6 0 10-6 6-6-1Z"},
		"S": {"spades", "#2c6e2f", "M0-10Q4-7 4-4 9-5 8 1 7 5 1 5L1 10H-1L-1 5Q-7 5-8 1-9-5-4-4-4-7 0-10Z"},
	}, figures: map[string]figure{"K": {"K", king}, "Q": {"O", ober}, "R": {"R", rider}, "J": {"U", unter}}}
)

const heart = "M0 9C-14-1-9-9-5-9-2-9 0-7 0-5 0-7 2-9 5-9 9-9 14-1 0 9Z"

const frame = `<rect x="1" y="1" width="58" height="94" rx="6" fill="#fffdf6" stroke="#444"/>`

// Back is the inside of the picture of a hidden card.
var Back = frame + `<rect x="5" y="5" width="50" height="86" rx="3" fill="#27496d"/>` +
	`<g fill="none" stroke="#cfdcea" stroke-width="1">` + lattice() + `</g>`

func lattice() string {
	var b strings.Builder
	for x := 5; x < 55; x += 10 {
		for y := 8; y < 88; y += 16 {
			fmt.Fprintf(&b, `<path d="M%d %dl5-8 5 8-5 8Z"/>`, x, y+8)
		}
	}
	return b.String()
}

// Faces are all cards that a pack has a picture of.
func (p Pack) Faces() (list []scene.Face) {
	for s := range p.suits {
		for _, r := range append(slices.Collect(maps.Keys(pips)), slices.Collect(maps.Keys(p.figures))...) {
			list = append(list, scene.Face{Suit: s, Rank: r})
		}
	}
	for _, n := range append(numerals, "") {
		list = append(list, scene.Face{Suit: "T", Rank: n, Honour: slices.Contains([]string{"I", "XXI", ""}, n)})
	}
	slices.SortFunc(list, func(a, b scene.Face) int { return strings.Compare(a.Suit+a.Rank, b.Suit+b.Rank) })
	return list
}

// Draw is the inside of the picture of a face, or nothing if it is no card of a pack.
func (p Pack) Draw(f scene.Face) string {
	switch s, isSuit := p.suits[f.Suit]; {
	case isSuit:
		return p.suited(s, f.Rank)
	case f.Suit == "T" && f.Rank == "":
		return frame + fool
	case f.Suit == "T":
		return trump(f)
	}
	return ""
}

// Symbol is the whole symbol of a face, to be used by its id, or nothing.
func (p Pack) Symbol(id string, f scene.Face) string {
	if inside := p.Draw(f); inside != "" {
		return fmt.Sprintf(`<symbol id="%s" viewBox="%s">%s</symbol>`, id, ViewBox, inside)
	}
	return ""
}

// corners draws an index in two corners, a suit below it.
func corners(index, colour, below string) string {
	one := write(index, colour, 5.5, 7, 14, 12) + below
	return one + `<g transform="rotate(180 30 48)">` + one + `</g>`
}

func (s suit) fill() string { return fmt.Sprintf("var(--%s,%s)", s.name, s.colour) }

func (s suit) at(x, y, scale float64) string {
	return fmt.Sprintf(`<path transform="matrix(%[3]g 0 0 %[3]g %[1]g %[2]g)" d="%[4]s"/>`, x, y, scale, s.shape)
}

func (p Pack) suited(s suit, rank string) string {
	f, isFigure := p.figures[rank]
	index, places, scale := cmp.Or(f.index, rank), pips[rank], 0.62
	if !isFigure && places == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `%s<g fill="%[2]s" stroke="none">`, frame, s.fill())
	b.WriteString(corners(index, s.fill(), s.at(10, 28, 0.48)))
	switch {
	case rank == "A":
		scale = 1.5
	case len(places) > 8:
		scale = 0.5
	}
	for _, at := range places {
		turned := ""
		if at[1] > 48 && s.name != "diamonds" {
			turned = ` transform="rotate(180 30 48)"`
			at = [2]float64{60 - at[0], 96 - at[1]}
		}
		fmt.Fprintf(&b, `<g%s>%s</g>`, turned, s.at(at[0], at[1], scale))
	}
	b.WriteString(`</g>`)
	if isFigure {
		half := fmt.Sprintf(`<g fill="%s" transform="translate(30 48)">%s</g>`, s.fill(), f.half)
		b.WriteString(half + `<g transform="rotate(180 30 48)">` + half + `</g><path d="M12 48H48" stroke="#444" stroke-width=".8"/>`)
	}
	return b.String()
}

// pips are where the pips of a card without a figure lie.
var pips = map[string][][2]float64{
	"A": {{30, 48}}, "2": {{30, 22}, {30, 74}}, "3": {{30, 22}, {30, 48}, {30, 74}},
	"4": {{23, 22}, {41, 22}, {19, 74}, {37, 74}}, "5": {{23, 22}, {41, 22}, {30, 48}, {19, 74}, {37, 74}},
	"6":  {{23, 22}, {41, 22}, {21, 48}, {39, 48}, {19, 74}, {37, 74}},
	"7":  {{23, 22}, {41, 22}, {31, 35}, {21, 48}, {39, 48}, {19, 74}, {37, 74}},
	"8":  {{23, 22}, {41, 22}, {31, 35}, {21, 48}, {39, 48}, {29, 61}, {19, 74}, {37, 74}},
	"9":  {{23, 20}, {41, 20}, {23, 38}, {41, 38}, {30, 48}, {19, 58}, {37, 58}, {19, 76}, {37, 76}},
	"10": {{23, 20}, {41, 20}, {31, 29}, {23, 38}, {41, 38}, {19, 58}, {37, 58}, {29, 67}, {19, 76}, {37, 76}},
}

// Half figures are drawn over the middle of a card, in the colour of its suit where
// nothing else is said.
const (
	skin, gold, ink = "#f2d3b0", "#d9a520", "#3a2a1e"
	robe            = `<path d="M-18 0Q-17-11-7-13H7Q17-11 18 0Z"/><path d="M-4-13 0-2 4-13Z" fill="#fffdf6"/>`
	head            = `<ellipse cx="0" cy="-19" rx="6" ry="7.5" fill="` + skin + `" stroke="` + ink + `" stroke-width=".7"/>` +
		`<path d="M-3-20h1.6M1.4-20H3M-1.8-15.2Q0-14.2 1.8-15.2" stroke="` + ink + `" stroke-width=".9" fill="none"/>`
	beard     = `<path d="M-6-18Q-5.5-7 0-7T6-18Q4-14.5 0-14.5T-6-18Z" fill="` + ink + `"/>`
	longHair  = `<path d="M-7-22Q-10-10-9-8L-4-12V-24H4V-12L9-8Q10-10 7-22Q0-30-7-22Z" fill="#8a5a2b"/>`
	crown     = `<path d="M-8-25-10-36-4.5-30 0-38 4.5-30 10-36 8-25Z" fill="` + gold + `" stroke="` + ink + `" stroke-width=".7"/>`
	tiara     = `<path d="M-7-25Q-8-31-5-31L-2.5-28 0-35 2.5-28 5-31Q8-31 7-25Z" fill="` + gold + `" stroke="` + ink + `" stroke-width=".7"/><circle cx="0" cy="-35" r="1.3"/>`
	beret     = `<path d="M-9-24Q-10-32 1-32 9-32 9-24 0-27-9-24Z"/><path d="M4-31Q14-40 15-33 12-29 5-28Z" fill="` + gold + `"/>`
	helmet    = `<path d="M-7-18V-24Q-7-31 0-31T7-24V-18L4.5-22H-4.500Z" fill="#9aa3ab" stroke="` + ink + `" stroke-width=".7"/><path d="M0-31Q-2-39-12-36-7-33-5-29Z"/>`
	horse     = `<path d="M8-1Q8-10 12-14L10-16Q11-19 14-19L15-22 17-18Q21-13 20-8L18-7 16-10Q17-4 19-1Z" fill="#b98a5a" stroke="` + ink + `" stroke-width=".7"/><circle cx="15" cy="-15" r=".8" fill="` + ink + `"/>`
	collar    = `<path d="M-7-13Q0-8 7-13L5-10Q0-6-5-10Z" fill="` + gold + `"/>`
	hat       = `<path d="M-12-24Q0-29 12-24L7-26Q6-34 0-34T-7-26Z"/><path d="M-7-27Q0-30 7-27" stroke="` + gold + `" stroke-width="1.5" fill="none"/>`
	moustache = `<path d="M-4-17Q-2-18.5 0-17 2-18.5 4-17 2-15.5 0-16.5-2-15.5-4-17Z" fill="` + ink + `"/>`

	king  = robe + head + beard + crown
	queen = longHair + robe + head + collar + tiara
	rider = robe + head + helmet + horse
	jack  = robe + head + beret
	ober  = robe + head + moustache + hat + collar
	unter = robe + head + beret + collar
)

// fool is the skíz: a head under a cap with three bells, with a star for an index.
var fool = func() string {
	const star = `<path transform="matrix(.7 0 0 .7 10 13)" fill="var(--trumps,#3d2a6d)" d="M0-10 2.4-3.2 9.5-3.1 3.8 1.2 5.9 8.1 0 4-5.9 8.1-3.8 1.2-9.5-3.1-2.4-3.2Z"/>`
	return star + `<g transform="rotate(180 30 48)">` + star + `</g>` +
		`<path d="M16 80Q17 62 30 61T44 80Z" fill="#c23b3b"/><path d="M30 61V80H44Q43 62 30 61Z" fill="#e3b341"/>` +
		`<circle cx="30" cy="50" r="10" fill="#f2d3b0" stroke="#3a2a1e" stroke-width=".8"/>` +
		`<path d="M20 48Q14 30 22 22 24 34 30 34 36 34 38 22 46 30 40 48 30 38 20 48Z" fill="#c23b3b" stroke="#3a2a1e" stroke-width=".8"/>` +
		`<path d="M30 34Q36 34 38 22 46 30 40 48 35 43 30 43Z" fill="#e3b341"/>` +
		`<path d="M26 50H28M32 50H34M26 54Q30 58 34 54" stroke="#3a2a1e" fill="none"/>` +
		`<g fill="#e3b341" stroke="#3a2a1e" stroke-width=".8"><circle cx="22" cy="21" r="2.6"/><circle cx="38" cy="21" r="2.6"/><circle cx="30" cy="64" r="2.6"/></g>`
}()

// trump is a card with a numeral and a rose of as many petals; that of an honour is framed in gold.
func trump(f scene.Face) string {
	n := 1 + slices.Index(numerals, f.Rank)
	if n == 0 {
		return ""
	}
	edge := "var(--trumps,#3d2a6d)"
	border := fmt.Sprintf(`<rect x="3.5" y="3.5" width="53" height="89" rx="4" fill="none" stroke="%s" stroke-width=".8"/>`, edge)
	if f.Honour {
		border = `<rect x="3.5" y="3.5" width="53" height="89" rx="4" fill="none" stroke="#c9961a" stroke-width="2.4"/>`
	}
	var b strings.Builder
	fmt.Fprintf(&b, `%s%s<g fill="%s">`, frame, border, edge)
	index := write(f.Rank, edge, 7.5, 8, 15, 34)
	fmt.Fprintf(&b, `%s<g transform="rotate(180 30 48)">%s</g></g><g transform="translate(30 48)" fill="#e8c872" stroke="%s" stroke-width=".7">`, index, index, edge)
	petal := fmt.Sprintf("M0-6Q%[1]g-13 0-20Q-%[1]g-13 0-6Z", math.Round(10*max(2.6, min(9, 38/float64(n))))/10)
	for i := range n {
		fmt.Fprintf(&b, `<path d="%s" transform="rotate(%.4g)"/>`, petal, 360*float64(i)/float64(n))
	}
	fmt.Fprintf(&b, `<circle r="4.5" fill="%s"/></g>`, edge)
	return b.String()
}

// numerals are those of trumps, from I.
var numerals = strings.Fields("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI")
