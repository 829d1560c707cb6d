package shared

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// PlacesFrom are the n places of a deal from one on.
func PlacesFrom(first table.Card, n int) []table.Card {
	places := make([]table.Card, n)
	for i := range places {
		places[i] = first + table.Card(i)
	}
	return places
}

// WithoutPlaces are places but for some, in their order.
func WithoutPlaces(places []table.Card, gone ...table.Card) []table.Card {
	return slices.DeleteFunc(slices.Clone(places), func(c table.Card) bool { return slices.Contains(gone, c) })
}

// OnlyField is the one field of a move that is set; "" if that is none, or several.
func OnlyField(isSet map[string]bool) (name string) {
	for field, set := range isSet {
		if set && name != "" {
			return ""
		} else if set {
			name = field
		}
	}
	return name
}
