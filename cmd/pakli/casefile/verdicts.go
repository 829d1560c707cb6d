package casefile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/pakli/pakli/cmd/pakli/event"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
	"github.com/pakli/pakli/verifier/tableset"
)

// fillTable writes the bundle of a table and the reports on that file, which is all that a reader
// has.
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
	return errors.Join(c.keepVerdict(verifier.Table{Report: r}),
		c.writeFile("summary.html", func(w io.Writer) error { return page.WriteSummary(w, d) }),
		c.writeFile(c.index, func(w io.Writer) error { return page.WriteDocument(w, d) }),
		c.writeFile("report.txt", d.Text), c.writeFile("report.json", d.JSON))
}

func (c *caseFile) open(name string) (bundle.Reader, wire.Hash, error) {
	file, err := durable.ReadFile(filepath.Join(c.dir, name), bundle.MaxSize)
	if err != nil {
		return bundle.Reader{}, wire.Hash{}, err
	}
	b, err := bundle.Parse(file)
	if err != nil {
		return bundle.Reader{}, wire.Hash{}, err
	}
	return bundle.Reader{Bundle: b}, b.Table, nil
}

// fillEvent writes the bundles of an event and the reports on these files.
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
	for _, id := range shown.Tables {
		c.bundles = append(c.bundles, folder+"/"+id.String()+".pakli")
	}
	open := func(name string) (tableset.Extract, wire.Hash, error) { return c.open(name) }
	v, err := events.VerifyShown(ctx, events.Extract{Extract: shown, Tables: shown.Tables}, c.bundles, open, events.Options{Event: c.id, Options: tableset.Options{Options: o}})
	if err != nil {
		return errors.New(c.l.CannotCheck(err))
	}
	for _, id := range shown.Tables { // in the order in which the second verifier is given them
		at := slices.IndexFunc(v.Tables, func(t verifier.Table) bool { return t.Table == id })
		if at < 0 { // the log is broken
			c.verdicts = append(c.verdicts, tableVerdict{Table: id.String(), Verdict: string(v.Log.Verdict)})
		} else if err := c.keepVerdict(v.Tables[at]); err != nil {
			return err
		}
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

// checkCommand returns the command that checks the case in a terminal, in its folder.
func (c *caseFile) checkCommand() string {
	args := append([]string{"pakli-verify"}, c.logFlags()...)
	if c.event != "" {
		return command.Line(append(args, "--event", c.id.String(), "event")...)
	}
	return command.Line(append(args, c.bundles[0])...)
}

// logFlags returns flags with the believed keys.
func (c *caseFile) logFlags() (args []string) {
	for _, k := range c.written.Keys {
		args = append(args, "--log", k)
	}
	return args
}
