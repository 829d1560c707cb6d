package casefile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

// runSecond writes the second verifier's results for each table, if one was named, and returns what
// to read about it.
func (c *caseFile) runSecond(ctx context.Context) (string, error) {
	how := c.l.Say("second.how", "command", command.Line(append([]string{"python3", "verify.py"}, c.logFlags()...)...)+" "+c.evidence)
	if c.second == "" || len(c.bundles) == 0 {
		return how, c.writeFile("second-verifier.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, plain.Lines(how)); return err })
	}
	file, err := filepath.Abs(c.second)
	if err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, python(), slices.Concat([]string{file}, c.logFlags(), c.bundles)...)
	run.Dir, run.Env = c.dir, slices.DeleteFunc(os.Environ(), func(v string) bool { return !harmless.MatchString(v) })
	var errs strings.Builder
	run.Stderr = &errs
	out, err := run.Output()
	if !json.Valid(out) {
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
		return "", fmt.Errorf("--second %s does not run: %v: %s", c.second, err, lines[len(lines)-1])
	}
	return c.compareSecond(out) + "\n\n" + how, c.writeFile("second-verifier.json", func(w io.Writer) error { _, err := w.Write(out); return err })
}

// harmless matches the variables that another program needs. The others may contain the passphrase of
// seats.
var harmless = regexp.MustCompile(`^(?i:PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|SYSTEMROOT)=`)

// tableVerdict is the part of a verifier's result for a table on which both verifiers must agree
// (80.2). For a broken log the second one names no table.
type tableVerdict struct {
	Table    string
	Verdict  string
	Result   []int
	Findings []struct {
		Seat  *table.Seat
		Index *uint64
	}
	Error string
}

// readVerdicts reads a verifier's results for some tables.
func readVerdicts(text []byte) (list []tableVerdict, err error) {
	var several struct {
		tableVerdict
		Tables []tableVerdict
	}
	if err = json.Unmarshal(text, &several); err != nil || several.Tables != nil {
		return several.Tables, err
	}
	return []tableVerdict{several.tableVerdict}, nil
}

func (c *caseFile) keepVerdict(t verifier.Table) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	list, err := readVerdicts(text)
	c.verdicts = append(c.verdicts, list...)
	return err
}

// says reports whether both results are the same verdict.
func (v tableVerdict) says(other tableVerdict) bool {
	switch verifier.Verdict(v.Verdict) {
	case "":
		return false
	case verifier.LogBroken:
		return other.Verdict == v.Verdict
	case verifier.Foul:
		return v.Table == other.Table && other.Verdict == v.Verdict && reflect.DeepEqual(v.Findings, other.Findings)
	}
	return v.Table == other.Table && other.Verdict == v.Verdict && slices.Equal(v.Result, other.Result)
}

// compareSecond returns whether the second verifier agrees about every table.
func (c *caseFile) compareSecond(out []byte) string {
	said, err := readVerdicts(out)
	isUnread := func(v tableVerdict) bool { return v.Table == "" || v.Verdict == "" && v.Error == "" }
	if err != nil || len(said) != len(c.verdicts) || slices.ContainsFunc(said, isUnread) {
		return c.l.Say("second.unread", "said", plain.ASCII(strings.Join(strings.Fields(string(out)), " "), 200))
	}
	var differ []string
	for i, first := range c.verdicts {
		if second := said[i]; !first.says(second) {
			differ = append(differ, c.tell(second))
		}
	}
	if differ == nil {
		return c.l.Say("second.same")
	}
	return c.l.Say("second.differs", "said", strings.Join(differ, "\n  "))
}

// tell returns the second verifier's result for a table in words.
func (c *caseFile) tell(v tableVerdict) string {
	said := v.Table + ": " + cmp.Or(v.Verdict, v.Error)
	if len(v.Result) > 0 {
		said += c.l.Say("second.result", "result", fmt.Sprint(v.Result))
	}
	for _, f := range v.Findings {
		if f.Seat != nil && f.Index != nil {
			said += c.l.Say("second.finding", "seat", report.SeatLetter(*f.Seat), "entry", *f.Index)
		}
	}
	return plain.Text(said)
}

// python returns the interpreter for which systems package the second verifier's libraries.
func python() string {
	const system = "/usr/bin/python3"
	if _, err := os.Stat(system); err == nil {
		return system
	}
	return "python3"
}
