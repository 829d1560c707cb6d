// Package casefile has the command pakli case. It makes one folder for somebody who decides a dispute
// or takes it to a court: the files that prove, the results of two verifiers, the origin of the key,
// and how to check all that.
package casefile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

// caseFile is a folder that is being made.
type caseFile struct {
	copies.Bundles
	event  string
	second string
	l      report.Language

	key      string   // origin of the key, in words
	dir      string   // gets the name of the case when everything is there
	bundles  []string // files in it with tables
	evidence string   // the evidence, as people call it
	id       wire.Hash
	about    string // subject of the case
	written  report.Provenance

	headline string
	verdict  string
	verdicts []tableVerdict // results of the first verifier for bundles
	running  bool
	index    string // file name of the long report
}

// Case makes the folder of a table, or of an event.
func Case(f *command.Flags) command.Body {
	c := &caseFile{Bundles: copies.Bundles{Server: flags.ServerOf(f)}}
	var out string
	f.StringVar(&out, "o", "", "`directory` to make (default: case- and the first eight digits of the id)")
	f.StringVar(&c.event, "event", "", "`code` or id of an event, in place of the table's: the case of all its tables")
	f.StringVar(&c.From, "from", "", "`directory` of a mirror to read, and no server")
	policyFile := f.String("policy", "", "`file` with the log and the cosigners that are wanted; read the log as these have seen it")
	f.StringVar(&c.second, "second", "", "`file` verify.py of the second verifier, to run it and have its verdict too; without it the case says how to ask it")
	f.Variable("second", "PAKLI_SECOND")
	lang := flags.LanguageOf(f)
	return func(ctx context.Context, e command.Env) (err error) {
		c.l = withTexts(lang.Reports())
		if (c.event == "") == (f.NArg() == 0) || f.NArg() > 1 {
			return command.WrongUsage("want the id of one table, or --event and the code of an event")
		}
		if out != "" {
			if err := refuseExisting(out); err != nil {
				return err
			}
		}
		if c.Policy, err = flags.ReadPolicy(*policyFile); err != nil {
			return err
		}
		if c.dir, err = os.MkdirTemp(filepath.Dir(filepath.Clean(cmp.Or(out, "."+string(filepath.Separator)+"x"))), ".case-"); err != nil {
			return err
		}
		defer os.RemoveAll(c.dir)
		if err := c.fill(ctx, e, f.Arg(0)); err != nil {
			return fmt.Errorf("no case was made: %w", err)
		}
		return c.publish(e, cmp.Or(out, "case-"+c.id.String()[:8]))
	}
}

// refuseExisting returns an error if the folder exists.
func refuseExisting(out string) error {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return command.WrongUsage("%s exists, and a case is never changed: name another folder with -o", out)
	}
	return nil
}

func (c *caseFile) fill(ctx context.Context, e command.Env, name string) error {
	c.key = c.keySource()
	if c.From == "" && c.Policy == nil { // a server that is away or has another log is reported in words
		if _, err := c.Dial(ctx, e); err != nil {
			return err
		}
	}
	keys, err := c.BelievedKeys(ctx, e)
	if err != nil {
		return err
	}
	c.written = report.Provenance{Version: version.Read().String(), Date: time.Now().Truncate(time.Second), Word: c.key}
	for _, k := range keys.Log {
		c.written.Keys = append(c.written.Keys, k.String())
	}
	quiet := command.Env{Out: io.Discard, Err: e.Err}
	options := verifier.Options{Log: keys.Verifiers(), Policy: c.Policy, Catalogue: flags.Catalogue()}
	if c.event != "" {
		err = c.fillEvent(ctx, quiet, options)
	} else {
		err = c.fillTable(ctx, quiet, name, options)
	}
	if err != nil {
		return err
	}
	second, err := c.runSecond(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		c.writeFile("key.txt", func(w io.Writer) error { return c.writeKey(w, keys) }),
		c.writeFile("version.json", func(w io.Writer) error { return plain.JSON(w, version.Read()) }),
		c.writeFile("README.txt", func(w io.Writer) error { return c.writeReadme(w, second) }),
		c.writeFile("SHA256SUMS", c.writeSums))
}

// keySource returns who vouches for the key.
func (c *caseFile) keySource() string {
	switch {
	case len(c.Server.Keys) > 0:
		return c.l.Say("key.given")
	case c.Policy != nil:
		return c.l.Say("key.policy")
	}
	return c.l.Say("key.server", "url", plain.Address(c.URL))
}

func (c *caseFile) writeKey(w io.Writer, keys bundle.Keys) error {
	for _, k := range c.written.Keys {
		fmt.Fprintln(w, k)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", c.key)
	for _, k := range keys.Cosigners {
		fmt.Fprintf(w, "%s\n", c.l.Say("key.cosigner", "key", k))
	}
	return err
}

func (c *caseFile) writeFile(name string, write func(io.Writer) error) error {
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeReadme writes what the folder contains and how to check it, in the reader's language.
func (c *caseFile) writeReadme(w io.Writer, second string) error {
	paragraphs := []string{c.about, c.headline}
	if c.running {
		paragraphs = append(paragraphs, c.l.Say("running"))
	}
	paragraphs = append(append(paragraphs, c.l.Header(c.written)...),
		c.l.Say("files", "bundles", c.evidence, "report", c.index),
		c.l.Say("step.key"), c.l.Say("step.sums"), c.l.Say("step.verify", "check", c.checkCommand()), second, c.l.Say("limits"))
	_, err := fmt.Fprintf(w, "%s\n", plain.Lines(strings.Join(paragraphs, "\n\n")))
	return err
}

// writeSums writes the hash of every file in the format of sha256sum -c.
func (c *caseFile) writeSums(w io.Writer) error {
	return filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SHA256SUMS" {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		name, err := filepath.Rel(c.dir, path)
		if err == nil {
			_, err = fmt.Fprintf(w, "%x  %s\n", sum.Sum(nil), filepath.ToSlash(name))
		}
		return err
	})
}

// publish gives the folder its name. Before that nobody sees a part of it.
func (c *caseFile) publish(e command.Env, out string) error {
	if err := errors.Join(refuseExisting(out), os.Chmod(c.dir, 0o755)); err != nil {
		return err
	}
	if err := os.Rename(c.dir, out); err != nil {
		return err
	}
	return e.Say(map[string]any{"folder": out, "verdict": c.verdict, "headline": c.headline, "running": c.running},
		"%s\n%s\n", plain.Text(c.headline), c.l.Say("made", "folder", out))
}
