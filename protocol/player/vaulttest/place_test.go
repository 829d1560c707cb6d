package vaulttest_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/vaulttest"
)

// A vault for tests that is none lets tests pass that should not.
func TestConformance(t *testing.T) {
	vaulttest.Run(t, func(*testing.T) func() (player.Vault, error) { return new(vaulttest.Place).Open })
}
