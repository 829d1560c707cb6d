package casefile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/regular"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
	"github.com/pakli/pakli/verifier/tableset"
)

// fillTable writes the bundle of a table, and the reports on that file, which is all that a reader has.
func (c *caseFile) fillTable(ctx context.Context, e command.Env, name string, o verifier.Options) (err error) {
	const file = "table.pakli"
	c.Out = filepath.Join(c.dir, file)
	if c.id, err = c.WriteTable(ctx, e, name); err != nil {
		return err
	}
	x, _, err := c.open(file)
	if err != nil {
		return err
	}
	o.Table = c.id
	rec := report.NewRecording(c.id)
	r, err := tableset.VerifyAgainst(ctx, rec.RecordFrom(x), tableset.AgainstOptions{Options: o})
	if err != nil {
		return errors.New(c.l.CannotCheck(err))
	}
	d, err := report.BuildDocument(r, rec, o.Catalogue, c.l)
	if err != nil {
		return err
	}
	d.Written = c.written
	d.Written.Source, d.Written.SHA256 = file, fmt.Sprintf("%x", sha256.Sum256(x.Marshal()))
	c.bundles, c.evidence, c.index = []string{file}, file, "report.html"
	c.about = c.l.Say("about.table", "id", c.id)
	c.headline, c.verdict, c.running = d.Headline, string(r.Verdict), r.Verdict == verifier.Unfinished
	return errors.Join(
		c.writeFile("summary.html", func(w io.Writer) error { return page.WriteSummary(w, d) }),
		c.writeFile(c.index, func(w io.Writer) error { return page.WriteDocument(w, d) }),
		c.writeFile("report.txt", d.Text), c.writeFile("report.json", d.JSON))
}

// open opens a bundle of the folder.
func (c *caseFile) open(name string) (bundle.Reader, wire.Hash, error) {
	file, err := regular.ReadFile(filepath.Join(c.dir, name), bundle.MaxSize)
	if err != nil {
		return bundle.Reader{}, wire.Hash{}, err
	}
	b, err := bundle.Parse(file)
	if err != nil {
		return bundle.Reader{}, wire.Hash{}, err
	}
	return bundle.Reader{Bundle: b}, b.Table, nil
}

// fillEvent writes the bundles of an event, and the reports on these files.
func (c *caseFile) fillEvent(ctx context.Context, e command.Env, o verifier.Options) (err error) {
	const folder = "event"
	c.Out, c.Several = filepath.Join(c.dir, folder), true
	if c.id, err = event.WriteBundles(ctx, e, &c.Bundles, c.event); err != nil {
		return err
	}
	shown, _, err := c.open(folder + "/" + bundle.EventName)
	if err != nil {
		return err
	}
	for _, table := range shown.Tables {
		c.bundles = append(c.bundles, folder+"/"+table.String()+".pakli")
	}
	open := func(name string) (tableset.Extract, wire.Hash, error) { return c.open(name) }
	v, err := events.VerifyShown(ctx, events.Extract{Extract: shown, Tables: shown.Tables}, c.bundles, open, events.Options{Event: c.id, Options: tableset.Options{Options: o}})
	if err != nil {
		return errors.New(c.l.CannotCheck(err))
	}
	c.written.Source = folder + "/"
	r := event.SumResults(v, c.l)
	r.Written = c.written
	c.evidence, c.index = folder+"/????????*.pakli", "reports/index.html"
	c.about = c.l.Say("about.event", "name", r.Name, "id", c.id)
	c.headline, c.verdict, c.running = r.Headline, string(r.Verdict), v.ExitCode() == verifier.Unfinished.ExitCode()
	if err := c.writeFile("summary.html", r.HTML); err != nil {
		return err
	}
	d := event.SheetsOf(filepath.Join(c.dir, "reports"), e, c.l, func(id wire.Hash) (tlog.EntryReader, error) {
		x, _, err := c.open(folder + "/" + id.String() + ".pakli")
		return x, err
	})
	d.Write, d.Written = page.WriteDocument, c.written
	return d.Event(ctx, v, r, r.HTML)
}

// checkCommand is how somebody checks the case in a terminal, in its folder.
func (c *caseFile) checkCommand() string {
	keys := ""
	for _, k := range c.written.Keys {
		keys += " --log " + k
	}
	if c.event != "" {
		return "pakli-verify" + keys + " --event " + c.id.String() + " event"
	}
	return "pakli-verify" + keys + " " + c.bundles[0]
}

// secondFile is where the second verifier is in a checkout of the source.
var secondFile = filepath.Join("verifier", "second", "verify.py")

// runSecond keeps what the second verifier says of each table, where it runs, and returns what to read about it.
func (c *caseFile) runSecond(ctx context.Context) (string, error) {
	var args []string
	for _, k := range c.written.Keys {
		args = append(args, "--log", k)
	}
	how := c.l.Say("second.how", "command", "python3 verify.py "+strings.Join(append(args, c.evidence), " "))
	args = append(args, c.bundles...)
	file := c.second
	if file == "" {
		if _, err := os.Stat(secondFile); err != nil {
			return how, c.writeFile("second-verifier.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, how); return err })
		}
		file = secondFile
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, python(), append([]string{file}, args...)...)
	run.Dir = c.dir
	var errs strings.Builder
	run.Stderr = &errs
	out, err := run.Output()
	if !json.Valid(out) {
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
		if c.second != "" {
			return "", fmt.Errorf("--second %s does not run: %v: %s", c.second, err, lines[len(lines)-1])
		}
		return how, c.writeFile("second-verifier.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, how); return err })
	}
	return c.compareSecond(out, how), c.writeFile("second-verifier.json", func(w io.Writer) error { _, err := w.Write(out); return err })
}

// compareSecond says whether the second verifier has the same verdict on the one table.
func (c *caseFile) compareSecond(out []byte, how string) string {
	var said struct{ Verdict, Error string }
	switch err := json.Unmarshal(out, &said); {
	case err != nil || c.event != "":
		return how
	case said.Verdict == c.verdict:
		return c.l.Say("second.same") + "\n\n" + how
	}
	return c.l.Say("second.differs", "verdict", cmp.Or(said.Verdict, said.Error)) + "\n\n" + how
}

// python is the interpreter for which systems have the libraries of the second verifier.
func python() string {
	const system = "/usr/bin/python3"
	if _, err := os.Stat(system); err == nil {
		return system
	}
	return "python3"
}
