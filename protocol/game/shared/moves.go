package shared

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// PlacesFrom returns the n places of a deal from first on.
func PlacesFrom(first table.Card, n int) []table.Card {
	places := make([]table.Card, n)
	for i := range places {
		places[i] = first + table.Card(i)
	}
	return places
}

// WithoutPlaces returns the places that are not in gone, in order.
func WithoutPlaces(places []table.Card, gone ...table.Card) []table.Card {
	return slices.DeleteFunc(slices.Clone(places), func(c table.Card) bool { return slices.Contains(gone, c) })
}

// OnlyField returns the name of the only field of a move that is set, or "" if none or several are.
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
