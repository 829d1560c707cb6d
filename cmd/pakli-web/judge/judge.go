// Package judge verifies tables for pages: it returns package verifier's result, in the words of
// package report, as one answer in JSON. It adds nothing to a verdict.
package judge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
	"github.com/pakli/pakli/verifier/tableset"
)

// Unchecked stands in place of a verdict if there is none. Nobody is accused.
const Unchecked = verifier.Verdict("unchecked")

// Answer is a verdict and its report.
type Answer struct {
	Verdict  verifier.Verdict `json:"verdict"`
	Headline string           `json:"headline"`
	Own      bool             `json:"own"` // the bundle's own keys were believed
	Table    wire.Hash        `json:"table"`
	Text     string           `json:"text,omitempty"`
	JSON     string           `json:"json,omitempty"`
	HTML     string           `json:"html,omitempty"` // for print

	document *report.Document
}

// File verifies a bundle under the log's keys. Without keys it believes those that the bundle names,
// so the answer is worth as much as the bundle's sender.
func File(ctx context.Context, file []byte, keys []string, lang string) (Answer, error) {
	l, err := language(lang)
	if err != nil {
		return Answer{}, err
	}
	b, err := bundle.Parse(file)
	if err != nil {
		return Answer{Verdict: Unchecked, Headline: l.CannotCheck(err), Text: err.Error()}, nil
	}
	if b.Event != (wire.Hash{}) {
		err := fmt.Errorf("this is the bundle of event %s, and not of a table: pakli-verify --event reads it with those of its tables", b.Event)
		return Answer{Verdict: Unchecked, Headline: l.CannotCheck(err), Text: err.Error()}, nil
	}
	word, own := "", len(keys) == 0
	if own {
		word = l.WordOfFile()
		for _, k := range b.Keys.Log {
			keys = append(keys, k.String())
		}
	}
	a, err := reportOnTable(ctx, bundle.Reader{Bundle: b}, b.Table, keys, word, l)
	a.Own = own
	return a, err
}

// WithPage returns the answer with its report, if it has one, as a page for print.
func (a Answer) WithPage() (Answer, error) {
	if a.document == nil {
		return a, nil
	}
	var html strings.Builder
	err := page.WriteDocument(&html, a.document)
	a.HTML = html.String()
	return a, err
}

// provenanceOf returns the header of a report. The file of a bundle is equal to its marshalling
// (85.4.2).
func provenanceOf(src tlog.EntryReader, keys []string) report.Provenance {
	p := report.Provenance{Version: version.Read().String(), Date: time.Now().Truncate(time.Second), Keys: keys}
	if b, ok := src.(bundle.Reader); ok {
		p.SHA256 = fmt.Sprintf("%x", sha256.Sum256(b.Marshal()))
	}
	return p
}

// language returns the language of a report. Reports draw cards only in French pictures.
func language(tag string) (report.Language, error) {
	l, ok := report.LanguageOf(strings.TrimSuffix(tag, scene.WithGermanPack))
	if !ok {
		return l, fmt.Errorf("there is no language %q", tag)
	}
	return l, nil
}

// Table verifies a table of a log, or of an extract. The log must contain the checkpoints believed
// before.
func Table(ctx context.Context, src tlog.EntryReader, id wire.Hash, keys []string, lang string, believed ...tlog.Checkpoint) (Answer, error) {
	l, err := language(lang)
	if err != nil {
		return Answer{}, err
	}
	return reportOnTable(ctx, src, id, keys, "", l, believed...)
}

// reportOnTable verifies a table. word says in the report who vouches for the keys.
func reportOnTable(ctx context.Context, src tlog.EntryReader, id wire.Hash, keys []string, word string, l report.Language, believed ...tlog.Checkpoint) (Answer, error) {
	o := tableset.AgainstOptions{Options: verifier.Options{Table: id, Believed: believed, Catalogue: table.Catalogue{Game: games.Lookup, Suite: suite.LookupVerifier}}}
	for _, text := range keys {
		k, err := tlog.ParseLogKey(text)
		if err != nil {
			return Answer{}, err
		}
		o.Log = append(o.Log, note.Verifier(k))
	}
	rec := report.NewRecording(id)
	r, err := tableset.VerifyAgainst(ctx, rec.RecordFrom(src), o)
	if err != nil {
		return Answer{Verdict: Unchecked, Headline: l.CannotCheck(err), Table: id}, nil
	}
	doc, err := report.BuildDocument(r, rec, o.Catalogue, l)
	if err != nil {
		return Answer{}, err
	}
	doc.Written = provenanceOf(src, keys)
	doc.Written.Word = word
	var text, asJSON bytes.Buffer
	err = errors.Join(doc.Text(&text), doc.JSON(&asJSON))
	return Answer{Verdict: r.Verdict, Headline: doc.Headline, Table: id, Text: text.String(), JSON: asJSON.String(), document: doc}, err
}
