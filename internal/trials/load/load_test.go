package load_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/load/serving"
)

// run runs a program of this module, and requires that it succeeds or fails as given.
func run(t *testing.T, succeeds bool, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run"}, args...)...)
	var out, message bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &message
	err := cmd.Run()
	testmust.Requiref(t, (err == nil) == succeeds, "%v: %v\n%s", args, err, message.String())
	return out.String(), message.String()
}

// A log that the server does not take for one, or of which it counts less than
// was put there; a second start, which has an index, that finds another log.
func TestFillAndStart(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	out, _ := run(t, true, "./fill", "-entries", "40", "-tables", "4", "-clients", "2", log)
	testmust.Holdf(t, strings.HasPrefix(out, "40 entries"), "fill says %q", out)
	_, message := run(t, false, "./fill", "-entries", "4", "-tables", "4", "-clients", "2", filepath.Join(dir, "other"))
	testmust.Holdf(t, strings.Contains(message, "a table three entries"), "fill says %q of too few entries", message)
	program := testmust.Have(serving.Build(t.Context(), dir))(t)
	for _, flag := range []string{"-warm=false", "-warm"} {
		out, _ := run(t, true, "./start", flag, "-server", program, log)
		var f struct{ Entries, Tables int }
		err := json.Unmarshal([]byte(out), &f)
		testmust.Holdf(t, err == nil && f.Entries == 40 && f.Tables == 4, "start %s: %v, %s", flag, err, out)
		testmust.Have(os.Stat(filepath.Join(log, "tables.index")))(t)
	}
}

// Abuse is measured against a server that does not run, or with players who do not play, or its
// HTTP/2 frames reach nobody.
func TestAbuse(t *testing.T) {
	for _, kind := range []string{"duplicates", "resets"} {
		out, _ := run(t, true, "./abuse", "-json", "-only", kind, "-players", "2", "-rounds", "1", "-span", "5s")
		var list []struct {
			Posts, Failed int
			Requests      int `json:"abusive_requests"`
		}
		err := json.Unmarshal([]byte(out), &list)
		testmust.Holdf(t, err == nil && len(list) == 1 && list[0].Posts != 0 && list[0].Failed <= 0 && list[0].Requests != 0, "%s: %v: %s", kind, err, out)
	}
}
