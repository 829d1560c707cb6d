package desk

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// QR is a QR code of a text.
type QR struct {
	Size int    `json:"size"` // modules on a side, without the quiet zone
	Path string `json:"path"` // the dark ones, as the path of an SVG
}

// qrOf draws a text; an eighth of it may be lost, as on crumpled paper.
func qrOf(text string) (QR, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return QR{}, err
	}
	var path strings.Builder
	for y := range code.Size {
		for x, run := 0, 0; x <= code.Size; x++ {
			if x < code.Size && code.Black(x, y) {
				run++
			} else if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x-run, y, run, run)
				run = 0
			}
		}
	}
	return QR{code.Size, path.String()}, nil
}
