// Command times runs go test and reads what it says: it prints what failed, a line for each package, and
// at the end the twenty slowest tests. Of those that lasted longer than two seconds the twenty longest are run
// again alone, and their processor time is taken, children included. Above three seconds of that one is named; it fails above
// four times as much, of a machine as slow as the one the limit was chosen on, since the same test has taken 3.0 s on one
// machine and 4.2 s on another of the same kind, and on one where to start a process is dear a script takes twice as long.
//
//	go run .ci/times.go ARGUMENTS OF go test
package main

import (
	"bufio"
	"cmp"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	suspect = 2 * time.Second       // of wall time, beside other tests
	limit   = 3 * time.Second       // of processor time, alone: what a test should keep
	refused = 4 * limit             // where a signature takes as long as usual
	usual   = 51 * time.Microsecond // to verify an Ed25519 signature
	tries   = 3                     // of a test above the limit: the least counts, since others may use the processor's other thread
	shown   = 20
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// result is what became of a test.
type result struct {
	pkg, name string
	wall, cpu time.Duration // cpu is 0 where it was not taken
	parallel  bool
}

func (r *result) key() string { return r.pkg + " " + r.name }

func main() {
	results, err := runTests(exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...))
	if err == nil {
		err = judge(results)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runTests runs go test, and passes on what a person would want to see of it.
func runTests(c *exec.Cmd) (map[string]*result, error) {
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	results, said := map[string]*result{}, map[string][]string{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // of the build, or of a package that ended in the middle of a line
			continue
		}
		at := e.Package + " " + e.Test
		switch e.Action {
		case "run":
			results[at] = &result{pkg: e.Package, name: e.Test}
		case "pause":
			results[at].parallel = true
		case "output", "build-output":
			said[at] = append(said[at], e.Output)
		case "pass", "skip":
			if e.Test == "" && e.Action == "pass" {
				fmt.Printf("ok  %7.2fs  %s\n", e.Elapsed, e.Package)
			}
			delete(said, at)
		case "fail", "build-fail":
			fmt.Print(strings.Join(said[at], ""))
			fmt.Printf("FAIL %s %s\n", e.Package, e.Test)
		}
		if r := results[at]; r != nil {
			r.wall = time.Duration(e.Elapsed * float64(time.Second))
		}
	}
	return results, c.Wait()
}

// judge takes the processor time of the slow, prints the slowest, and fails if one is far too slow.
func judge(results map[string]*result) error {
	list := slices.Collect(maps.Values(wholeTests(results)))
	for pkg, slow := range slowByPackage(list) {
		if err := measureAlone(pkg, slow); err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b *result) int {
		return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(b.wall, a.wall), cmp.Compare(a.key(), b.key()))
	})
	fmt.Println("\nThe slowest tests: seconds of processor time alone, and of wall time beside others")
	var over []error
	most := refusedTime()
	for i, r := range list {
		if i < shown {
			fmt.Printf("  %5.2f %6.2f  %s\n", r.cpu.Seconds(), r.wall.Seconds(), r.key())
		}
		if r.cpu > most {
			over = append(over, fmt.Errorf("%s takes %.1f s of processor time, and %.1f s are refused", r.key(), r.cpu.Seconds(), most.Seconds()))
		} else if r.cpu > limit {
			fmt.Printf("  ^ more than %.0f s belongs behind PAKLI_TESTS=thorough\n", limit.Seconds())
		}
	}
	return errors.Join(over...)
}

// refusedTime is what is not yet refused on this machine: more where it is slower than usual.
func refusedTime() time.Duration {
	public, private, _ := ed25519.GenerateKey(nil) // of crypto/rand, which does not fail
	message := []byte("as most of what tests compute")
	signature, slowest := ed25519.Sign(private, message), usual
	for range 5 {
		begun := time.Now()
		for range 1000 {
			ed25519.Verify(public, message, signature)
		}
		slowest = max(slowest, time.Since(begun)/1000) // as it is now, beside whatever else runs
	}
	return refused * slowest / usual
}

// wholeTests leaves each test as one thing: subtests with their parent, but those that run side
// by side, as scripts do, each by itself and without it.
func wholeTests(results map[string]*result) map[string]*result {
	kept := map[string]*result{}
	for at, r := range results {
		if parent, _, sub := strings.Cut(r.name, "/"); !sub {
			kept[at] = r
		} else if r.parallel && strings.Count(r.name, "/") == 1 {
			kept[at] = r
			defer delete(kept, r.pkg+" "+parent)
		}
	}
	return kept
}

// slowByPackage are the longest of the tests that may be too slow, by package.
func slowByPackage(list []*result) map[string][]*result {
	slow := map[string][]*result{}
	slices.SortFunc(list, func(a, b *result) int { return cmp.Compare(b.wall, a.wall) })
	for _, r := range list[:min(len(list), shown)] {
		if r.wall > suspect {
			slow[r.pkg] = append(slow[r.pkg], r)
		}
	}
	return slow
}

// measureAlone runs tests of a package again, each in a process of its own.
func measureAlone(pkg string, slow []*result) error {
	dir, err := os.MkdirTemp("", "pakli-times")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "tests")
	if out, err := exec.Command("go", "test", "-c", "-o", program, pkg).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		return err
	}
	alone := func(name string) (time.Duration, error) {
		c := exec.Command(program, "-test.run", "^"+strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^")+"$")
		c.Dir = strings.TrimSpace(string(folder))
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s %s alone: %w\n%s", pkg, name, err, out)
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
	}
	// Side by side, since scripts wait more than they compute; a figure is of one process and its children.
	var group sync.WaitGroup
	failed, places := make([]error, len(slow)), make(chan struct{}, 4)
	for i, r := range slow {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			r.cpu, failed[i] = leastTime(alone, r.name, 1)
		})
	}
	group.Wait()
	for i, r := range slow {
		if r.cpu > limit { // beside others, of which one may have used the processor's other thread
			r.cpu, failed[i] = leastTime(alone, r.name, tries)
		}
	}
	return errors.Join(failed...)
}

// leastTime is what a test takes at the least; of one of those that run side by side, without what its parent does for all.
func leastTime(alone func(name string) (time.Duration, error), name string, tries int) (cpu time.Duration, err error) {
	var before time.Duration
	if parent, _, sub := strings.Cut(name, "/"); sub {
		if before, err = alone(parent + "/-"); err != nil {
			return 0, err
		}
	}
	for range tries {
		taken, err := alone(name)
		if err != nil {
			return 0, err
		}
		if cpu == 0 || taken-before < cpu {
			cpu = taken - before
		}
		if cpu < limit {
			break
		}
	}
	return cpu, nil
}
