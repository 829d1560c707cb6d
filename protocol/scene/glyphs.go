package scene

import (
	"fmt"
	"strings"
)

// glyph is a letter or numeral as a path to be stroked, in a field of height 10 and the given width.
type glyph struct {
	width float64
	path  string
}

var glyphs = map[rune]glyph{
	'0': {6, "M3 0C0 0 0 10 3 10S6 0 3 0Z"}, '1': {3, "M0 2.5 2.5 0V10"}, '2': {6, "M.3 2.500C.8-.8 5.7-.8 5.7 2.5 5.7 5 .3 7 .3 10H6"},
	'3': {6, "M.5 0H5.500L2.5 4C6.7 3.8 6.7 10 2.8 10 1.2 10 .3 9 0 8"}, '4': {6, "M4.5 10V0L0 7H6"}, '5': {6, "M5.5 0H1L.5 4.500C6.5 3 7 10 2.8 10 1.2 10 .3 9 0 8.2"},
	'6': {6, "M5 .2C1 .8 0 4 0 7 0 11 6 11 6 7 6 3.2 .8 3.2 .2 6.5"}, '7': {6, "M0 0H6Q2.5 4 2.2 10"},
	'8': {6, "M3 4.600C-.6 4.6-.2 0 3 0S6.6 4.6 3 4.600C-1 4.6-1 10 3 10S7 4.6 3 4.600Z"}, '9': {6, "M1 9.800C5 9.2 6 6 6 3 6-1 0-1 0 3 0 6.8 5.2 6.8 5.8 3.5"},
	'A': {7, "M0 10 3.5 0 7 10M1.2 6.800H5.8"}, 'J': {5, "M4.5 0V7C4.5 11 .3 10.7 0 7.5"}, 'K': {6.5, "M0 0V10M6 0 0 6M2 4.2 6.5 10"},
	'B': {6.5, "M0 0V10H3.5C7.3 10 7.3 4.7 3.5 4.700H0M3.5 4.7C6.3 4.7 6.3 0 3.5 0H0"}, 'D': {6.5, "M0 0V10H2C8 10 8 0 2 0H0"}, 'L': {5.5, "M0 0V10H5.5"},
	'O': {7, "M3.5 0C-1.2 0-1.2 10 3.5 10S8.2 0 3.5 0Z"}, 'Q': {7, "M3.5 0C-1.2 0-1.2 10 3.5 10S8.2 0 3.5 0ZM4 7 7.5 11"}, 'R': {6.5, "M0 10V0H3C7 0 7 5.3 3 5.300H0M3.2 5.3 6.5 10"},
	'U': {6.5, "M0 0V6.500C0 11.2 6.5 11.2 6.5 6.500V0"}, 'I': {2.5, "M1.2 0V10M0 0H2.500M0 10H2.5"}, 'V': {6.5, "M0 0 3.2 10 6.5 0"}, 'X': {6.5, "M0 0 6.5 10M6.5 0 0 10"},
}

// writeText draws text from (x, y) on, at a height, and compressed where it would be wider than most.
// It leaves out characters without a glyph.
func writeText(text, colour string, x, y, height, most float64) string {
	const gap = 2.2
	var b strings.Builder
	width := -gap
	for _, r := range text {
		if g, ok := glyphs[r]; ok {
			fmt.Fprintf(&b, `<path transform="translate(%.4g)" d="%s"/>`, width+gap, g.path)
			width += gap + g.width
		}
	}
	scale := height / 10
	across := min(scale, most/max(width, 1))
	return fmt.Sprintf(`<g transform="matrix(%.4g 0 0 %.4g %g %g)" fill="none" stroke="%s" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">%s</g>`,
		across, scale, x, y, colour, b.String())
}
