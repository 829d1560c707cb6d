package main

import (
	"testing"

	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
)

// GOFLAGS=-trimpath hides the sources. A user who set it globally is told what to do.
func TestSourcesHidden(t *testing.T) {
	err := writeModule("")
	testmust.FailBy(t, err, build.ErrNoSources)
	testmust.FailSaying(t, err, "go run -trimpath=false")
}
