package page

import (
	"html/template"
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/scene/picture"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/verifier/report"
)

// facePictures are the symbols of all faces that the trace turns up.
func facePictures(d *report.Document, v words.Voice) map[string]template.HTML {
	drawn := map[string]template.HTML{}
	for _, s := range d.Trace {
		for _, f := range s.Faces {
			if symbol := picture.French.Symbol("card-"+f, v.Game.Face(f)); symbol != "" {
				drawn[f] = template.HTML(symbol) // f is a name that has a picture
			}
		}
	}
	return drawn
}

// sortedSymbols are the pictures in a fixed order.
func sortedSymbols(drawn map[string]template.HTML) (list []template.HTML) {
	for _, f := range slices.Sorted(maps.Keys(drawn)) {
		list = append(list, drawn[f])
	}
	return list
}
