package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/held"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// Two lines of a keeper that cannot both be true: it is convicted by name, and no log and no seat; what
// proves nothing ends as what cannot be checked.
func TestEvidenceAgainstAKeeper(t *testing.T) {
	s, vkey := markstest.Liner(t, "anna.example")
	at := keeper.Place{Table: wire.Hash{1}, Parent: wire.Hash{2}, Seat: 1}
	file := func(since, silent int64) string {
		e := held.Evidence{Key: vkey, Place: at, Entry: wire.Hash{3}}
		e.Hold = testmust.Have(keeper.SignHold(s, since, at, e.Entry))(t)
		e.Silence = testmust.Have(keeper.SignSilence(s, silent, at))(t)
		name := filepath.Join(t.TempDir(), "evidence")
		testmust.Do(t, os.WriteFile(name, e.Marshal(), 0o600))
		return name
	}
	policy := filepath.Join(t.TempDir(), "policy")
	text := "witness anna " + markstest.Keeper(t, "anna.example", nil).String() + "\n# pakli keeper anna " + vkey + "\nquorum none\n"
	testmust.Do(t, os.WriteFile(policy, []byte(text), 0o600))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{file(1_900_000_000, 1_900_000_060)}, exitKeeper, "The keeper with the key " + vkey + " has broken its word"},
		{[]string{file(1_900_000_000, 1_900_000_060), "--policy", policy}, exitKeeper, "Keeper anna has broken its word"},
		{[]string{file(1_900_000_060, 1_900_000_000)}, exitCannot, "proves nothing"},
	} {
		var out, errs bytes.Buffer
		code := runEvidence(t.Context(), c.args, &out, &errs)
		if code != c.code || !strings.Contains(out.String()+errs.String(), c.says) {
			t.Errorf("%v: %d, %s%s", c.args, code, &out, &errs)
		}
	}
}
