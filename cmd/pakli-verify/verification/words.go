package verification

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
	"github.com/pakli/pakli/verifier/tableset"
)

// inLocale returns text in the language of the environment.
func inLocale() *wording {
	l, _ := report.LanguageOf(scene.PreferredTag(os.Getenv))
	return &wording{format: formats[0], language: l}
}

// wording says how verdicts are reported. It does not influence them.
type wording struct {
	format   string
	language report.Language
	file     string
	document func() (*report.Document, error) // after verify
}

var formats = []string{"text", "json", "html", "sheet"} // and csv for an event

func (w *wording) addFlags(f *command.Flags) {
	f.Func("format", "`format` of the report: text, json, html; sheet, the score of a table on one HTML page; csv, the standings of an event (default text)", func(s string) error {
		if !slices.Contains(formats, s) && s != "csv" {
			return fmt.Errorf("want one of %s, csv", strings.Join(formats, ", "))
		}
		w.format = s
		return nil
	})
	f.Func("lang", "`language` of the report: "+strings.Join(report.Languages(), ", ")+" (default: that of the locale)", func(s string) (err error) {
		var known bool
		if w.language, known = report.LanguageOf(s); !known {
			err = fmt.Errorf("want one of %s", strings.Join(report.Languages(), ", "))
		}
		return err
	})
	f.Offer("format", append(slices.Clone(formats), "csv")...)
	f.Offer("lang", report.Languages()...)
	f.StringVar(&w.file, "o", "", "write the report to this `file`, and only the verdict to standard output; for several tables or an event, a directory, which gets an index and a report of each table")
}

// verifyAndTell verifies one table and records the entries for the report.
func (a *arguments) verifyAndTell(ctx context.Context, src tlog.EntryReader, o tableset.AgainstOptions) (*verifier.Report, error) {
	rec := report.NewRecording(o.Table)
	r, err := tableset.VerifyAgainst(ctx, rec.RecordFrom(src), o)
	a.words.document = func() (*report.Document, error) {
		d, err := report.BuildDocument(r, rec, o.Catalogue, a.words.language)
		if err == nil {
			d.Written = a.provenance(src)
		}
		return d, err
	}
	return r, err
}

// clock gives the dates of reports.
var clock = time.Now

// provenance returns the header of a report. The file of a parsed bundle is equal to its marshalling
// (85.4.2), whose hash goes into the header; src is nil if there are several sources.
func (a *arguments) provenance(src tlog.EntryReader) report.Provenance {
	p := report.Provenance{Version: version.Read().String(), Date: clock().Truncate(time.Second)}
	if len(a.sources) == 1 { // several sources would only show their order
		p.Source = plain.Address(a.sources[0])
	}
	for _, k := range a.keys {
		p.Keys = append(p.Keys, k.String())
	}
	if b, ok := src.(bundle.Reader); ok {
		p.SHA256 = fmt.Sprintf("%x", sha256.Sum256(b.Marshal()))
	}
	return p
}

// tellReport writes the report. If the verdict cannot be put into words, it writes the verifier's own
// report.
func (w *wording) tellReport(out, errs io.Writer, r *verifier.Report) error {
	d, err := w.document()
	if err != nil {
		complain(errs, "%v", err)
		if w.format == "json" {
			return plain.JSON(out, r)
		}
		_, err := fmt.Fprintln(out, report.Headline(r, w.language))
		return err
	}
	if w.file == "" {
		return w.writeDocument(out, d)
	}
	if err := w.save(w.file, d); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, d.Headline)
	return err
}

// tellCannot reports why there is no verdict, and explains an error of a bundle; for programs it
// writes a JSON object.
func (a *arguments) tellCannot(out, errs io.Writer, err error) int {
	w := a.words
	broken, isBundle := errors.AsType[*bundle.Error](err)
	if a.json || w.format == "json" && w.file == "" {
		none := failure{Error: err.Error()}
		if isBundle {
			none.Check = broken.Check
		}
		if err := plain.JSON(out, none); err != nil {
			complain(errs, "%v", err)
		}
	}
	said := []rune(w.language.CannotCheck(err))
	complain(errs, "%c%s", unicode.ToLower(said[0]), string(said[1:]))
	if isBundle {
		complain(errs, "%s: %v", w.language.Say("heading.technical"), err)
	}
	return exitCannot
}

// failure is the JSON object without a verdict.
type failure struct {
	Error string       `json:"error"`
	Check bundle.Check `json:"check,omitempty"` // of a bundle
}

// document is a report in words, on one table or many.
type document interface {
	Text(io.Writer) error
	JSON(io.Writer) error
}

// save writes the named file, which may be a device or a link.
func (w *wording) save(name string, d document) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(w.writeDocument(f, d), f.Close())
}

func (w *wording) writeDocument(to io.Writer, d document) error {
	switch w.format {
	case "json":
		return d.JSON(to)
	case "html", "sheet":
		if many, ok := d.(*report.TablesDocument); ok {
			return page.WriteTables(to, many)
		}
		if w.format == "sheet" {
			return page.WriteSheet(to, d.(*report.Document))
		}
		return page.WriteDocument(to, d.(*report.Document))
	}
	return d.Text(to)
}
