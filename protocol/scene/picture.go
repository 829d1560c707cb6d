package scene

// Cards are drawn here, each as the inside of an SVG symbol with the viewBox [ViewBox]: a frame, an
// index in two corners that identifies the card even at a width of 34 pixels, and in the middle pips, a
// figure seen from both ends, or for the trump with number n a rose of n petals. Everything is made of
// paths, so a card looks the same everywhere and needs no font and no scan.
//
// The picture depends only on the suit and rank of a [Face], which a game gives to the cards of its own
// deck: no text from outside gets into a picture. Colours are custom properties with a default, so that
// a page can choose four colours for the suits: --hearts, --diamonds, --clubs, --spades, --trumps.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// ViewBox is the field in which cards are drawn: 60 by 96.
const ViewBox = "0 0 60 96"

// Pack is one set of pictures for the same cards.
type Pack struct {
	suits   map[string]suit
	figures map[string]figure // by rank
}

type (
	suit struct {
		name, colour string // name of the custom property, and its default
		shape        string // in its colour
		detail       string // over the shape, in colours of its own
		lining       string // of the turned-out parts of a figure's robe
	}
	figure struct {
		index, half string // half is drawn over the middle of the card
		low         bool   // whether the suit is on a shield, not beside the head
	}
)

// FrenchPack has hearts, diamonds, clubs and spades. GermanPack has hearts, bells, acorns and leaves in
// their places, and Ober and Unter for queen and jack; an Unter has its suit on a shield. Trumps are
// the same in both.
var (
	FrenchPack = Pack{suits: map[string]suit{
		"H": {"hearts", red, heart, "", blue},
		"D": {"diamonds", red, "M0-10Q3.5-4 8 0 3.5 4 0 10-3.5 4-8 0-3.5-4 0-10Z", "", "#6b4a86"},
		"C": {"clubs", "#1b1b1b", "M-4.5-5A4.5 4.5 0 1 1 4.5-5 4.5 4.5 0 1 1-4.5-5ZM-9.5 2A4.5 4.5 0 1 1-.5 2 4.5 4.5 0 1 1-9.5 2Z" +
			"M.5 2A4.5 4.5 0 1 1 9.5 2 4.5 4.5 0 1 1 .5 2ZM-2-2H2V3H-2ZM-1 0H1Q1 7 4 10H-4Q-1 7-1 0Z", "", red},
		"S": {"spades", "#1b1b1b", "M0-10C14 0 9 7 5 7 3 7 1 5 1 4Q1 7 4 10H-4Q-1 7-1 4C-1 5-3 7-5 7-9 7-14 0 0-10Z", "", blue},
	}, figures: map[string]figure{"K": {"K", king, false}, "Q": {"Q", queen, false}, "R": {"R", rider, false}, "J": {"J", jack, false}}}
	GermanPack = Pack{suits: map[string]suit{
		"H": {"hearts", red, heart, `<path d="M-5-6.3Q-8-5-7.3-1.5" stroke="#ea8d97" stroke-width="1.3" stroke-linecap="round" fill="none"/>`, blue},
		"D": {"diamonds", "#8a5f00", "M-8.5 1A8.5 8.5 0 0 1-2-7.2V-8.5A2 2 0 0 1 2-8.5V-7.2A8.5 8.5 0 0 1 8.5 1 8.5 8.5 0 0 1-8.5 1Z",
			`<circle cx="0" cy="1" r="7.1" fill="#e6b432"/><path d="M-7.9-.9H7.9V2.4H-7.9Z" fill="` + red + `"/>` +
				`<path d="M0 3.5V7" stroke="#4a3300" stroke-width="1.5" stroke-linecap="round"/><path d="M-4.5-3Q-3-5.2-.5-5.4" stroke="#fdf0b8" stroke-width="1.2" stroke-linecap="round" fill="none"/>`, "#2c6e2f"},
		"C": {"clubs", "#6b3f17", "M-1-9.5 1-10 1.2-7C8-6.5 8-2 7-1.5L6-.8C5.8 5 2 7.5 0 10-2 7.5-5.8 5-6-.8L-7-1.5C-8-2-8-6.5-1-7Z",
			`<path d="M-7.2-1.5Q-7.6-6.8 0-6.9 7.6-6.8 7.2-1.5Z" fill="#2f6b31"/><path d="M-5.5-5 .5-1.5M-2-6.6 5.5-2M5.5-5-.5-1.5M2-6.6-5.5-2" stroke="#b9d3a2" stroke-width=".7"/>` +
				`<path d="M-3.2 1.2Q-3 4.5-1 6.5" stroke="#d9a766" stroke-width="1.3" stroke-linecap="round" fill="none"/>`, "#2f6b31"},
		"S": {"spades", "#226b2c", "M0-10.5C4-7 9-4.5 8.8.8 8.5 4.8 4 5.8 1 3.8Q.8 7.5 3.5 9.5L2 10.5Q-1 8-1 3.8C-4 5.8-8.5 4.8-8.8.8-9-4.5-4-7 0-10.5Z",
			`<path d="M0-7.5V3.5M0-2.5-3.8-5M0-2.5 3.8-5M0 1.5-5.5-1M0 1.5 5.5-1" stroke="#cfe6bd" stroke-width=".9" stroke-linecap="round" fill="none"/>`, "#a33a1c"},
	}, figures: map[string]figure{"K": {"K", king, false}, "Q": {"O", ober, false}, "R": {"R", rider, false}, "J": {"U", unter, true}}}
)

const heart = "M0 9.5C-14-1-9-9-5-9-2-9 0-7 0-5 0-7 2-9 5-9 9-9 14-1 0 9.5Z"

const frame = `<rect x="1" y="1" width="58" height="94" rx="6" fill="#fffdf6" stroke="#444"/>`

// CardBack is the inside of the picture of a hidden card.
var CardBack = frame + `<rect x="5" y="5" width="50" height="86" rx="3" fill="#27496d"/>` +
	`<g fill="none" stroke="#cfdcea" stroke-width="1">` + backLattice() + `</g>`

func backLattice() string {
	var b strings.Builder
	for x := 5; x < 55; x += 10 {
		for y := 8; y < 88; y += 16 {
			fmt.Fprintf(&b, `<path d="M%d %dl5-8 5 8-5 8Z"/>`, x, y+8)
		}
	}
	return b.String()
}

// letters are the indexes of French figures that differ from the English ones, by language.
var letters = map[string]map[string]string{"de": {"Q": "D", "J": "B"}, "hu": {"Q": "D", "R": "L", "J": "B"}}

// FrenchPackOf returns FrenchPack with the indexes of a language.
func FrenchPackOf(tag string) Pack {
	p := Pack{FrenchPack.suits, maps.Clone(FrenchPack.figures)}
	for rank, letter := range letters[tag] {
		f := p.figures[rank]
		f.index = letter
		p.figures[rank] = f
	}
	return p
}

// Faces returns all cards that a pack has a picture of.
func (p Pack) Faces() (list []Face) {
	for s := range p.suits {
		for _, r := range append(slices.Collect(maps.Keys(pips)), slices.Collect(maps.Keys(p.figures))...) {
			list = append(list, Face{Suit: s, Rank: r})
		}
	}
	for _, n := range append(numerals, "") {
		list = append(list, Face{Suit: "T", Rank: n, Honour: slices.Contains([]string{"I", "XXI", ""}, n)})
	}
	slices.SortFunc(list, func(a, b Face) int { return strings.Compare(a.Suit+a.Rank, b.Suit+b.Rank) })
	return list
}

// Draw returns the inside of the picture of a face, or "" if the face is no card of a pack.
func (p Pack) Draw(f Face) string {
	switch s, isSuit := p.suits[f.Suit]; {
	case isSuit:
		return p.drawSuitCard(s, f.Rank)
	case f.Suit == "T" && f.Rank == "":
		return frame + fool
	case f.Suit == "T":
		return drawTrump(f)
	}
	return ""
}

// Symbol returns the whole symbol of a face, to be used by its id, or "".
func (p Pack) Symbol(id string, f Face) string {
	if inside := p.Draw(f); inside != "" {
		return fmt.Sprintf(`<symbol id="%s" viewBox="%s">%s</symbol>`, id, ViewBox, inside)
	}
	return ""
}

// cornerIndexes draws an index in two corners, with a suit below it.
func cornerIndexes(index, colour, below string) string {
	one := writeText(index, colour, 4.2, 6, 16, 9.6) + below
	return one + `<g transform="rotate(180 30 48)">` + one + `</g>`
}

func (s suit) fillColour() string { return fmt.Sprintf("var(--%s,%s)", s.name, s.colour) }

func (s suit) drawAt(x, y, scale float64) string {
	return fmt.Sprintf(`<g transform="matrix(%[3]g 0 0 %[3]g %[1]g %[2]g)"><path d="%[4]s"/>%[5]s</g>`, x, y, scale, s.shape, s.detail)
}

func (p Pack) drawSuitCard(s suit, rank string) string {
	f, isFigure := p.figures[rank]
	index, places := cmp.Or(f.index, rank), pips[rank]
	if !isFigure && places == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `%s<g fill="%[2]s" stroke="none">`, frame, s.fillColour())
	b.WriteString(cornerIndexes(index, s.fillColour(), s.drawAt(9, 31, 0.54)))
	switch {
	case isFigure:
		b.WriteString(s.drawFigure(f))
	case rank == "A" && s.detail != "": // a German ace, the Daus, shows its suit twice
		b.WriteString(s.drawAt(30, 30, 1.15) + `<g transform="rotate(180 30 48)">` + s.drawAt(30, 30, 1.15) + `</g>`)
	case rank == "A":
		b.WriteString(s.drawAt(30, 48, 1.7))
	default:
		b.WriteString(s.drawPips(places))
	}
	b.WriteString(`</g>`)
	return b.String()
}

// drawPips draws the pips of a card without a figure; below the middle they are upside down.
func (s suit) drawPips(places [][2]float64) string {
	scale := 0.62
	if len(places) > 8 {
		scale = 0.54
	}
	var b strings.Builder
	for _, at := range places {
		if at[1] > 48 {
			fmt.Fprintf(&b, `<g transform="rotate(180 30 48)">%s</g>`, s.drawAt(60-at[0], 96-at[1], scale))
		} else {
			b.WriteString(s.drawAt(at[0], at[1], scale))
		}
	}
	return b.String()
}

// drawFigure draws a framed half with its suit beside its head, and the same upside down.
func (s suit) drawFigure(f figure) string {
	shield, y := "", 15.5
	if f.low {
		shield, y = `<path d="M17.2 34H26.8V40Q26 45 22 46.5 18 45 17.2 40Z" fill="#fffdf6"`+line+`/>`, 39.5
	}
	half := fmt.Sprintf(`<g transform="translate(30 48)">%s</g>%s%s`, strings.ReplaceAll(f.half, "lining", s.lining), shield, s.drawAt(21.8, y, 0.42))
	return fmt.Sprintf(`<path d="M16 8H44V88H16Z" fill="#fbf3dc" stroke="%s" stroke-width=".9"/>`, s.fillColour()) +
		half + `<g transform="rotate(180 30 48)">` + half + `</g><path d="M16.5 46.8H43.5V49.2H16.5Z" fill="` + gold + `" stroke="` + ink + `" stroke-width=".5"/>`
}

// pips are the places of the pips of cards without a figure.
var pips = map[string][][2]float64{
	"A": {{30, 48}}, "2": {{30, 19}, {30, 77}}, "3": {{30, 19}, {30, 48}, {30, 77}},
	"4": {{23, 19}, {37, 19}, {23, 77}, {37, 77}}, "5": {{23, 19}, {37, 19}, {30, 48}, {23, 77}, {37, 77}},
	"6":  {{23, 19}, {37, 19}, {23, 48}, {37, 48}, {23, 77}, {37, 77}},
	"7":  {{23, 19}, {37, 19}, {30, 33.5}, {23, 48}, {37, 48}, {23, 77}, {37, 77}},
	"8":  {{23, 19}, {37, 19}, {30, 33.5}, {23, 48}, {37, 48}, {30, 62.5}, {23, 77}, {37, 77}},
	"9":  {{23, 16}, {37, 16}, {23, 37}, {37, 37}, {30, 48}, {23, 59}, {37, 59}, {23, 80}, {37, 80}},
	"10": {{23, 16}, {37, 16}, {30, 26.5}, {23, 37}, {37, 37}, {23, 59}, {37, 59}, {30, 69.5}, {23, 80}, {37, 80}},
}

// Half figures are drawn over the middle of a card, 28 wide and 40 high, in the colour of the suit
// unless a colour is given. The word lining stands for the lining's colour.
const (
	red, blue       = "#b3152a", "#27496d"
	skin, gold, ink = "#f2d3b0", "#d9a520", "#2e211a"
	line            = ` stroke="` + ink + `" stroke-width=".6" stroke-linejoin="round"`

	robe  = `<path d="M-13.5 0V-5Q-13-12-5-14.5H5Q13-12 13.5-5V0Z"` + line + `/>`
	panel = `<path d="M-4-14 0-9 4-14 5.5 0H-5.5Z" fill="lining"` + line + `/><path d="M-.8-8H.8V0H-.8Z" fill="` + gold + `"/>` +
		`<path d="M-4.5-5 0-3.5 4.5-5M-4.8-2 0-.5 4.8-2" stroke="` + gold + `" stroke-width=".8" fill="none"/>`
	ermine = `<path d="M-8.5-13.5Q0-6 8.5-13.5L6-16H-6Z" fill="#fffdf6"` + line + `/>` +
		`<path d="M-5-12.3V-10.8M-2-10.8V-9.3M2-10.8V-9.3M5-12.3V-10.8" stroke="` + ink + `" stroke-width=".8"/>`
	collar = `<path d="M-6.5-14Q0-9 6.5-14L5-11Q0-7-5-11Z" fill="` + gold + `"` + line + `/>`
	head   = `<path d="M-2-15H2V-12Q0-10.5-2-12Z" fill="` + skin + `"/><path d="M-5-22Q-5-27 0-27T5-22Q5-14.5 0-14T-5-22Z" fill="` + skin + `"` + line + `/>` +
		`<path d="M-3.4-22.3Q-2.2-23.2-1-22.3M1-22.3Q2.2-23.2 3.4-22.3M0-21.5-.7-18.8H.6" stroke="` + ink + `" stroke-width=".55" fill="none"/>` +
		`<circle cx="-2.2" cy="-21.2" r=".65" fill="` + ink + `"/><circle cx="2.2" cy="-21.2" r=".65" fill="` + ink + `"/>`
	lips      = `<path d="M-1.4-17Q0-15.8 1.4-17Q0-17.6-1.4-17Z" fill="#b4473f"/>`
	beard     = `<path d="M-5-21Q-6.5-10 0-9.5 6.5-10 5-21 4.5-18 2-18.3 0-19-2-18.3-4.5-18-5-21Z" fill="#6e4a2a"` + line + `/><path d="M-1.3-16.8H1.3" stroke="#b4473f" stroke-width=".9"/><path d="M-3-14Q-2-12-1.5-11M0-15V-11M3-14Q2-12 1.5-11" stroke="` + ink + `" stroke-width=".4" fill="none"/>`
	longHair  = `<path d="M-5-26Q-9.5-20-8-11L-3.5-12V-24H3.5V-12L8-11Q9.5-20 5-26Q0-30-5-26Z" fill="#c58a3a"` + line + `/>`
	shortHair = `<path d="M-5-26Q-7.8-22-6.8-15.5L-4-16.5V-24H4V-16.5L6.8-15.5Q7.8-22 5-26Q0-29-5-26Z" fill="#a8702e"` + line + `/>`
	crown     = `<path d="M-6.5-25-8-33-4-29.5 0-35 4-29.5 8-33 6.5-25Q0-27-6.5-25Z" fill="` + gold + `"` + line + `/>` +
		`<path d="M0-38.5V-35M-1.5-37H1.5" stroke="` + ink + `" stroke-width=".8"/><g fill="lining"><circle cx="0" cy="-28.5" r="1.1"/><circle cx="-4" cy="-27.5" r=".9"/><circle cx="4" cy="-27.5" r=".9"/></g>`
	tiara   = `<path d="M-5.5-26-6.5-31-3-28.5 0-33.5 3-28.5 6.5-31 5.5-26Q0-28-5.5-26Z" fill="` + gold + `"` + line + `/><circle cx="0" cy="-29.5" r="1.1" fill="lining"/><g fill="#fffdf6"` + line + `><circle cx="0" cy="-34" r="1"/><circle cx="-6.5" cy="-31.5" r=".9"/><circle cx="6.5" cy="-31.5" r=".9"/></g>`
	beret   = `<path d="M-6.5-24.5Q-9.5-27-7-30.5 0-34.5 8-30 9.5-26.5 6.5-24.5 0-27.5-6.5-24.5Z"` + line + `/><path d="M-6.3-24.5Q0-27.5 6.3-24.5L6-26Q0-29-6-26Z" fill="lining"/><path d="M4-30Q6-38 12.5-36.5 10-34.5 10-32.5 7.5-32 4-30Z" fill="#fffdf6"` + line + `/>`
	helmet  = `<path d="M-5.5-18V-24Q-5.5-31 0-31T5.5-24V-18L3.5-23H-3.5Z" fill="#9aa3ab"` + line + `/><path d="M0-31Q2-38 10-35 6-32.5 4-29.5Z"` + line + `/>`
	hat     = `<path d="M-9.5-25Q0-28.5 9.5-25L6-27Q6-34.5 0-34.5T-6-27Z"` + line + `/><path d="M-6-27.2Q0-29.8 6-27.2L6-29Q0-31.5-6-29Z" fill="lining"/><path d="M5-29Q4-37.5 11-38.5 12.5-34 8-31Z" fill="` + gold + `"` + line + `/>`
	cap     = `<path d="M-6-24.5Q-7-33 0-33T6-24.5Q0-27-6-24.5Z" fill="lining"` + line + `/><path d="M-7.5-24Q0-28 7.5-24L7-26.5Q0-30-7-26.5Z"` + line + `/>`
	whisker = `<path d="M-4.8-16.5Q-2-19 0-17.5 2-19 4.8-16.5 2-15.8 0-16.8-2-15.8-4.8-16.5Z" fill="#6e4a2a"/><path d="M-1-15.3H1" stroke="#b4473f" stroke-width=".8"/>`
	hand    = `<path d="M7.5-3Q8-7.5 11.5-7L13-4.5 11.5-2Z" fill="` + skin + `"` + line + `/>`

	sceptre = `<path d="M10.5-1V-24" stroke="` + gold + `" stroke-width="1.6"/><path d="M10.5-30.5Q13.5-27 10.5-23.5 7.5-27 10.5-30.5Z" fill="` + gold + `"` + line + `/><circle cx="10.5" cy="-27" r="1" fill="lining"/>`
	rose    = `<path d="M10.5-2Q9-10 10.5-17M10-9Q13-10.5 13-13 10.5-12.5 10-9Z" stroke="#2f6b31" stroke-width="1" fill="#2f6b31"/><g fill="lining"` + line + `><circle cx="8.8" cy="-18.5" r="1.9"/><circle cx="12.2" cy="-18.5" r="1.9"/><circle cx="10.5" cy="-20.8" r="1.9"/></g><circle cx="10.5" cy="-19" r="1.1" fill="` + gold + `"/>`
	halberd = `<path d="M10.5 0V-30" stroke="#7a4d22" stroke-width="1.3"/><path d="M10.5-35.5 11.8-30 10.5-22.5 9.2-30ZM10.5-29Q14-31 13.8-26 13-23 10.5-24Z" fill="#c3cad0"` + line + `/>`
	sword   = `<path d="M10.5-33 11.7-31V-11H9.3V-31Z" fill="#c3cad0"` + line + `/><path d="M7.3-11.5H13.5V-9.8H7.3ZM9.8-10H11.2V-4H9.8Z" fill="` + gold + `"` + line + `/>`
	pike    = `<path d="M10.5 0V-32" stroke="#7a4d22" stroke-width="1.3"/><path d="M10.5-38 12-32.5H9Z" fill="#c3cad0"` + line + `/><path d="M10.5-31 2-29.5 4.5-27.5 2-25.5 10.5-24Z" transform="translate(3 0)" fill="lining"` + line + `/>`
	steed   = `<path d="M2 0Q2-9 6-12L4.5-14Q5.5-17 8-17L8.8-20 10.5-16.5Q14-12 13.5-7.5L11.5-6.5 10-9Q11-4 12.5 0Z" fill="#b98a5a"` + line + `/><circle cx="9.2" cy="-13.8" r=".8" fill="` + ink + `"/><path d="M5.5-13.5Q3-9 3.5-3" stroke="#5a3a1a" stroke-width="1.5" fill="none"/>`

	king  = sceptre + robe + panel + ermine + head + beard + crown + hand
	queen = rose + longHair + robe + panel + collar + head + lips + tiara + hand
	rider = robe + panel + head + lips + helmet + steed
	jack  = halberd + shortHair + robe + panel + collar + head + lips + beret + hand
	ober  = sword + shortHair + robe + panel + ermine + head + whisker + hat + hand
	unter = pike + shortHair + robe + panel + collar + head + lips + cap + hand
)

// fool is the skíz: a head under a cap with three bells, with a star as its index.
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

// drawTrump draws a card with a numeral and a rose of that many petals; an honour has a gold frame.
func drawTrump(f Face) string {
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
	index := writeText(f.Rank, edge, 7.5, 8, 15, 34)
	fmt.Fprintf(&b, `%s<g transform="rotate(180 30 48)">%s</g></g><g transform="translate(30 48)" fill="#e8c872" stroke="%s" stroke-width=".7">`, index, index, edge)
	petal := fmt.Sprintf("M0-6Q%[1]g-13 0-20Q-%[1]g-13 0-6Z", math.Round(10*max(2.6, min(9, 38/float64(n))))/10)
	for i := range n {
		fmt.Fprintf(&b, `<path d="%s" transform="rotate(%.4g)"/>`, petal, 360*float64(i)/float64(n))
	}
	fmt.Fprintf(&b, `<circle r="4.5" fill="%s"/></g>`, edge)
	return b.String()
}

// numerals are the numerals of trumps, from I.
var numerals = strings.Fields("I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI")
