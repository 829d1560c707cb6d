package events_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/tableset"
)

//go:generate go test -run TestVectors -update .

const vectorFolder = "../../docs/spec/vectors/event-bundle"

// A vector is an event in files with the expected result (docs/spec/85-bundle.md, 85.11). A negative
// vector has one fault.
type vector struct {
	Name      string      `json:"name"`
	Log       string      `json:"log"` // key of the reader
	ID        wire.Hash   `json:"id"`
	Event     string      `json:"event"`  // file
	Tables    []string    `json:"tables"` // files
	Outcome   string      `json:"outcome"`
	Check     string      `json:"check,omitempty"`
	Error     string      `json:"error,omitempty"` // part of it
	Digest    string      `json:"digest,omitempty"`
	Standings []vectorRow `json:"standings,omitempty"`
	Comment   string      `json:"comment"`
}

// vectorRow is a row of standings.
type vectorRow struct {
	Rank   int `json:"rank"`
	Number int `json:"number"`
	Total  int `json:"total"`
}

// pack is a set of vectors with their files.
type pack struct {
	h     *hall
	files map[string][]byte
	list  []vector
}

// write puts a bundle into a file of this name.
func (p *pack) write(name string, b []byte) string {
	name += ".pakli"
	old, known := p.files[name]
	testmust.Requiref(p.h.t, !known || bytes.Equal(old, b), "two files are called %s", name)
	p.files[name] = b
	return name
}

// add adds an event in files. The expected result of a sound event is the result of its log.
func (p *pack) add(name, comment string, file []byte, tables []string, wrong ...string) {
	v := vector{Name: name, Log: p.h.keys["log.example"], ID: p.h.id, Event: p.write(name, file), Tables: tables, Outcome: "cannot check", Comment: comment}
	if len(wrong) == 2 {
		v.Check, v.Error = wrong[0], wrong[1]
		p.list = append(p.list, v)
		return
	}
	t := p.h.verify()
	v.Outcome, v.Digest = string(t.Verdict), t.Digest
	for _, s := range t.Standings {
		v.Standings = append(v.Standings, vectorRow{s.Rank, s.Number, s.Total})
	}
	p.list = append(p.list, v)
}

// tables writes the bundles of all tables of an event in its current state.
func (p *pack) tables(prefix string, f files) (names []string) {
	for i, id := range f.event.Tables {
		names = append(names, p.write(fmt.Sprintf("%s-table-%d", prefix, i+1), f.tables[id.String()].Marshal()))
	}
	return names
}

// vectorHall is an event of one round and two tables of the real suite. A secret decides its seats,
// and it promises a minute to appeal.
func vectorHall(t *testing.T, keeper string) *hall {
	h := newHall(t, func(h *hall, _ *bulletin.Event) {
		sum := sha256.Sum256([]byte("secret"))
		h.terms.Suite, h.terms.Options, h.terms.Rounds, h.terms.Sizes, h.terms.Seating = suite.Default, map[string]string{}, 1, []int{2}, []bulletin.Seating{bulletin.SeatAtRandom}
		h.terms.Draw, h.terms.Drawers, h.terms.Commit, h.terms.Protest = bulletin.DrawCommit, 0, hex.EncodeToString(sum[:]), 60
		h.terms.Clock = wire.Clock{Keepers: []string{keeper}, Quorum: 1, Lines: []string{}, Tick: 5, Move: 60}
	})
	for i := range 4 {
		h.register(fmt.Sprintf("player-%d", i+1))
	}
	h.decide("organiser", bulletin.DecideRoster, h.verify().History.NextRoster(h.size()))
	h.decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Secret: []byte("secret")})
	v := h.seat()
	for n := range 2 {
		h.begin(v.History.TableGenesis(1, n+1), -1)
	}
	return h
}

func vectors(t *testing.T) *pack {
	now := time.Unix(1_900_000_000, 0)
	keeper := markstest.NewKeeper(t, "keeper.example", func() time.Time { return now })
	h := vectorHall(t, keeper.VerifierKey.String())
	p := &pack{h: h, files: map[string][]byte{}}
	mark := func() {
		c := testmust.Have(h.Checkpoint(context.Background()))(t)
		h.entries = append(h.entries, markstest.SignMark(t, markstest.Cosign(t, c, h.logKey, keeper)))
	}
	early := h.bundled()
	p.add("playing", "before the standings are published", early.event.Marshal(), p.tables("playing", early))
	h.register("late")
	h.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{Player: 1}, Do: bulletin.RulePenalty, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}, Reason: "Telephone."})
	mark()
	now = now.Add(62 * time.Second)
	mark()
	h.final()
	f := h.bundled()
	tables := p.tables("adjudicated", f)
	p.add("adjudicated", "a ruling; two marks show that there was time to appeal; a registration without answer is a departure", f.event.Marshal(), tables)
	p.add("table-missing", "a table that the event's bundle lists has no file", f.event.Marshal(), tables[:1], "", "is missing: the event has this table")
	p.add("checkpoints", "a table under another checkpoint", f.event.Marshal(), append(p.tables("playing", early)[:1:1], tables[1]), "", "another checkpoint")
	left := h.without(`"by":"player-2+`)
	p.add("registration-left-out", "the roster answers a registration that is not there", left.Marshal(), tables, "", "rests on what is not shown")
	left = h.without(`"kind":"roster"`)
	p.add("decision-left-out", "a decision names a parent that is not there", left.Marshal(), tables, "", "rests on what is not shown")
	hidden := *f.event
	hidden.Tables = hidden.Tables[:1]
	p.add("table-hidden", "a table has no file and is not listed: the standings published seem false, and nobody is accused of it", hidden.Marshal(), tables[:1], "", "do not follow from what is shown")
	p.formal(f.event.Marshal(), tables, f.event)
	return p
}

// formal adds malformed files that no writer writes.
func (p *pack) formal(file []byte, tables []string, b *bundle.Bundle) {
	edited := func(name string, check bundle.Check, comment, old, new string) {
		testmust.Requiref(p.h.t, bytes.Contains(file, []byte(old)), "%s: %q is not in the bundle", name, old)
		p.add(name, comment, bytes.Replace(file, []byte(old), []byte(new), 1), tables, string(check), string(check))
	}
	first, second := b.Tables[0].String(), b.Tables[1].String()
	edited("format", bundle.CheckManifest, "an event is no bundle of the first format", bundle.Format2, bundle.Format)
	edited("tables-swapped", bundle.CheckManifest, "the tables do not ascend", "table "+first+"\ntable "+second, "table "+second+"\ntable "+first)
	edited("tables-count", bundle.CheckManifest, "the number of the tables is another", "tables 2", "tables 1")
	edited("event-other", bundle.CheckTable, "the event is another", "event "+b.Event.String(), "event "+strings.Repeat("1", 64))
	edited("game", bundle.CheckTable, "the manifest says another game", "game schwarzer-peter/v1", "game tarokk/v1")
	edited("entry-altered", bundle.CheckHash, "an entry is another", `Telephone.`, `Telephone!`)
	p.add("cut", "the last byte is missing", file[:len(file)-1], tables, string(bundle.CheckLength), string(bundle.CheckLength))
	p.add("longer", "a byte more", append(slices.Clone(file), '\n'), tables, string(bundle.CheckLength), string(bundle.CheckLength))
}

// A verifier that gives another result for the same files, or files that change unnoticed.
func TestVectors(t *testing.T) {
	made := vectors(t)
	if testmust.Updating() {
		testmust.Do(t, os.RemoveAll(vectorFolder))
	}
	for name, b := range made.files {
		testmust.Same(t, filepath.Join(vectorFolder, name), b)
	}
	index := testmust.Have(json.MarshalIndent(made.list, "", " "))(t)
	text := testmust.Same(t, filepath.Join(vectorFolder, "vectors.json"), append(index, '\n'))
	var list []vector
	testmust.Do(t, json.Unmarshal(text, &list))
	for _, v := range list {
		t.Run(v.Name, func(t *testing.T) { v.check(t) })
	}
}

func read(name string) (*bundle.Bundle, error) {
	file, err := os.ReadFile(filepath.Join(vectorFolder, name))
	if err != nil {
		return nil, err
	}
	return bundle.Parse(file)
}

func (v vector) check(t *testing.T) {
	got, err := v.verify(t)
	if v.Outcome == "cannot check" {
		var found *bundle.Error
		testmust.Holdf(t, err != nil && strings.Contains(err.Error(), v.Error) && (v.Check == "" || errors.As(err, &found) && string(found.Check) == v.Check),
			"%v, want %s %q", err, v.Check, v.Error)
		return
	}
	testmust.Do(t, err)
	var rows []vectorRow
	for _, s := range got.Standings {
		rows = append(rows, vectorRow{s.Rank, s.Number, s.Total})
	}
	testmust.Holdf(t, string(got.Verdict) == v.Outcome && got.Digest == v.Digest && slices.Equal(rows, v.Standings),
		"%s %s %v, want %s %s %v", got.Verdict, got.Digest, rows, v.Outcome, v.Digest, v.Standings)
	testmust.Hold(t, got.Verdict != event.VerdictAdjusted || !slices.ContainsFunc(got.Departures, func(d event.Departure) bool { return d.What == event.ProtestShort }),
		"the marks were not read")
}

func (v vector) verify(t *testing.T) (*events.VerifiedEvent, error) {
	b, err := read(v.Event)
	if err != nil {
		return nil, err
	}
	log := testmust.Have(note.NewVerifier(v.Log))(t)
	o := events.Options{Event: v.ID}
	o.Options.Options = verifier.Options{Log: []note.Verifier{log}, Catalogue: table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}}
	open := func(name string) (tableset.Extract, wire.Hash, error) {
		b, err := read(name)
		if err != nil {
			return nil, wire.Hash{}, err
		}
		return bundle.Reader{Bundle: b}, b.Table, nil
	}
	return events.VerifyShown(context.Background(), events.Extract{Extract: bundle.Reader{Bundle: b}, Tables: b.Tables}, v.Tables, open, o)
}
