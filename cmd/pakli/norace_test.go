//go:build !race

package main

import "path/filepath"

const underRace = false

func scripts() ([]string, error) { return filepath.Glob("testdata/script/*.txt") }
