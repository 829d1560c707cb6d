//go:build race

package main

const underRace = true

// scripts are those that are run with the race detector: a server, events with many players at once, and
// keepers. In the others the same processes do one thing after another.
func scripts() ([]string, error) {
	return []string{"testdata/script/event.txt", "testdata/script/eventbots.txt", "testdata/script/keepers.txt", "testdata/script/serve.txt"}, nil
}
