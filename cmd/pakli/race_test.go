//go:build race

package main

// underRace says that the race detector is in, which takes address space of its own before main.
const underRace = true
