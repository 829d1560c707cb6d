package tabletest_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A vault for tests that is none lets tests pass that should not.
func TestConformance(t *testing.T) {
	tabletest.RunVault(t, func(*testing.T) func() (player.Vault, error) { return new(tabletest.VaultPlace).Open })
}
