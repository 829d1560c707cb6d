package process_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/process"
)

// A child that survives its killed process writes into the directory of the next.
func TestKillLeavesNobody(t *testing.T) {
	dir := t.TempDir()
	p := process.New(dir, process.Command{Name: "family", Path: "/bin/sh", Args: []string{"-c", "setsid sleep 600 & echo $! > " + dir + "/child; wait"}})
	testmust.Do(t, p.Start())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var child string
	if err := p.Await(ctx, func(context.Context) error {
		b, err := os.ReadFile(dir + "/child")
		if child = strings.TrimSpace(string(b)); err == nil && child == "" {
			err = os.ErrNotExist
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	p.Halt()
	p.Kill()
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", child)); err == nil && !strings.Contains(string(b), ") Z ") {
		// It was signalled before its parent, so it can only be about to go.
		for ctx.Err() == nil && err == nil && !strings.Contains(string(b), ") Z ") {
			time.Sleep(10 * time.Millisecond)
			b, err = os.ReadFile(fmt.Sprintf("/proc/%s/stat", child))
		}
		testmust.Holdf(t, ctx.Err() == nil, "the child lives on: %s", b)
	}
	testmust.Do(t, p.Start(), "again")
	p.Kill()
}
