package main

import (
	"testing"

	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
)

// GOFLAGS=-trimpath hides the sources: who has set it once for everything is told what to do about it.
func TestSourcesHidden(t *testing.T) {
	err := writeModule("")
	testmust.FailBy(t, err, build.ErrNoSources)
	testmust.FailSaying(t, err, "go run -trimpath=false")
}
