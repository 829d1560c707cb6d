//go:build race

package main

const underRace = true

// scripts returns the scripts to run with the race detector: a server, events with many players at
// once, and keepers. In the others the same processes act one after another.
func scripts() ([]string, error) {
	return []string{"testdata/script/event.txt", "testdata/script/eventbots.txt", "testdata/script/keepers.txt", "testdata/script/serve.txt"}, nil
}
