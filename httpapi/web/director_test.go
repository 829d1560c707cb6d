package web_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A trick that nobody could see, a question that comes late or comes back, a result that is gone before it was read:
// testdata/director.mjs, which Node runs; and testdata/course.mjs for what stands beside, testdata/people.mjs for the lobby, testdata/schedule.mjs for
// when rounds begin.
func TestDirector(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		testmust.Require(t, os.Getenv("PAKLI_NODE") != "required", "there is no Node in PATH")
		t.Skip("NOT RUN: there is no Node in PATH")
	}
	out, err := exec.CommandContext(t.Context(), node, "--test", "testdata/director.mjs", "testdata/course.mjs", "testdata/people.mjs", "testdata/schedule.mjs").CombinedOutput()
	testmust.Holdf(t, err == nil, "%v\n%s", err, out)
}
