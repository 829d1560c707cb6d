//go:build !race

package main

const underRace = false

var scripts []string // all
