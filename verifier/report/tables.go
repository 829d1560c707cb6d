package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// TablesDocument is the result for many tables in the words of one language. It has a row for each
// table and no trace, so that it stays small. Its JSON form is that of docs/spec/81-reports.md, 81.5.
type TablesDocument struct {
	Language   string             `json:"language"`
	Written    Provenance         `json:"written,omitzero"`
	Headline   string             `json:"headline"`
	Notes      []string           `json:"notes,omitempty"`
	Counts     Counts             `json:"counts"`
	Checks     []Check            `json:"checks"` // of the log
	Findings   []verifier.Finding `json:"findings,omitempty"`
	Checkpoint tlog.Checkpoint    `json:"checkpoint"`
	Cosigned   []tlog.Cosignature `json:"cosigned,omitempty"`
	Unread     []tableset.Unread  `json:"unread,omitempty"`
	Standings  []Standing         `json:"standings"`
	Tables     []Row              `json:"tables"`

	language Language
}

// Counts are numbers of tables by verdict.
type Counts struct {
	Sound       int `json:"sound"`
	ForSeats    int `json:"sound for its seats,omitempty"`
	Adjudicated int `json:"adjudicated,omitempty"`
	Unfinished  int `json:"unfinished"`
	Foul        int `json:"foul"`
	Broken      int `json:"log broken"`
	Cannot      int `json:"cannot check"`
}

// Standing is a standing with its rank in its game. Equal sums have the same rank.
type Standing struct {
	Rank int `json:"rank"`
	tableset.Standing
}

func rankStandings(list []tableset.Standing) []Standing {
	said := make([]Standing, len(list))
	first := 0 // of its game
	for i, s := range list {
		said[i] = Standing{1, s}
		if i > 0 && s.Game == list[i-1].Game {
			said[i].Rank = said[i-1].Rank
			if s.Sum != list[i-1].Sum {
				said[i].Rank = i - first + 1
			}
		} else {
			first = i
		}
	}
	return said
}

// Row is one of many tables, or a bundle that could not be read. It has a checkpoint only if it
// differs from the common one.
type Row struct {
	Table    wire.Hash        `json:"table,omitzero"`
	Bundle   string           `json:"bundle,omitempty"`  // name of a file that could not be read
	Verdict  verifier.Verdict `json:"verdict,omitempty"` // "" if the table cannot be checked
	Headline string           `json:"headline"`
	Error    string           `json:"error,omitempty"` // why it cannot be checked
	File     string           `json:"file,omitempty"`  // its report, beside this one
	Result   []int            `json:"result,omitempty"`
	Game     string           `json:"game,omitempty"`
	Suite    string           `json:"suite,omitempty"`
	Seats    []string         `json:"seats,omitempty"`
	Keys     []string         `json:"keys,omitempty"`
	Deals    int              `json:"deals"`
	replay.Tally
	Owing      []verifier.Owing      `json:"owing,omitempty"`
	Forfeit    *verifier.Forfeit     `json:"forfeit,omitempty"`
	Stopped    *verifier.StoppedSeat `json:"stopped,omitempty"`
	Paused     bool                  `json:"paused,omitempty"`
	Asked      *verifier.AskedProofs `json:"asked,omitempty"`
	Endings    []verifier.Ending     `json:"endings,omitempty"`
	Attempts   []verifier.Finding    `json:"attempts,omitempty"`
	Sheet      *table.Sheet          `json:"sheet,omitempty"`
	Partial    *table.Sheet          `json:"partial,omitempty"`
	Findings   []verifier.Finding    `json:"findings,omitempty"`
	Checks     []verifier.Check      `json:"checks"` // of the table
	Checkpoint *tlog.Checkpoint      `json:"checkpoint,omitempty"`
	Coverage   *verifier.Coverage    `json:"shown,omitempty"`
}

// Sum puts many verdicts into words. file returns the name of a table's report beside this one, or
// ""; it may be nil.
func Sum(t *tableset.Report, l Language, file func(verifier.Table) string) *TablesDocument {
	d := &TablesDocument{Language: l.Tag, Checks: l.checkTexts(t.Log.LogChecks()), Findings: t.Log.Findings, Checkpoint: t.Log.Checkpoint,
		Cosigned: t.Log.Cosigned, Unread: t.Unread, Standings: rankStandings(t.Standings), Tables: make([]Row, len(t.Tables)), language: l}
	for i, table := range t.Tables {
		d.Tables[i] = l.tableRow(table, t.Log)
		d.Counts.countTable(table)
		if file != nil {
			d.Tables[i].File = file(table)
		}
	}
	for _, u := range t.Unread {
		d.Tables = append(d.Tables, Row{Bundle: u.Name, Headline: l.CannotCheck(u.Err), Error: u.Err.Error(), Checks: verifier.NewReport(wire.Hash{}, nil).TableChecks()})
		d.Counts.Cannot++
	}
	if t.Log.Verdict == verifier.LogBroken {
		d.Headline, d.Notes = Headline(t.Log, l), []string{l.Say("broken." + string(t.Log.Findings[0].Check) + ".note")}
	} else {
		c := d.Counts
		d.Headline = l.Count("tables", len(d.Tables), "sound", c.Sound, "unfinished", c.Unfinished, "foul", c.Foul, "cannot", c.Cannot)
		if c.ForSeats > 0 {
			d.Headline += " " + l.Say("tables.seats", "n", c.ForSeats)
		}
		if c.Adjudicated > 0 {
			d.Headline += " " + l.Say("tables.adjudicated", "n", c.Adjudicated)
		}
	}
	for _, r := range t.Others {
		d.Notes = append(d.Notes, l.otherLog(r))
	}
	d.noteBundles(t)
	d.Notes = append(d.Notes, l.abandonedNotes(t.Tables)...)
	d.Notes = append(d.Notes, l.SharedNotes(t.Shared)...)
	d.Notes = append(d.Notes, l.attestedNotes(t.Log)...)
	return d
}

// SharedNotes returns which card keys of a log have a common factor.
func (l Language) SharedNotes(list []tableset.SharedKeys) (notes []string) {
	for _, s := range list {
		var at []string
		for _, k := range s.Keys {
			at = append(at, fmt.Sprintf("%s (%s, %d)", k.Name, k.Table.Code()[:wire.MinCode], k.Index))
		}
		said := "shared.note"
		if s.Same {
			said = "shared.same"
		}
		notes = append(notes, l.Say(said, "keys", strings.Join(at, ", ")))
	}
	return notes
}

// abandonedNotes returns how often players have left a table with a requested proof unanswered, if
// they also have a table that is sound for its seats: each table was another try.
func (l Language) abandonedNotes(tables []verifier.Table) (notes []string) {
	type played struct{ open, over int }
	by := map[string]*played{}
	var order []string
	for _, t := range tables {
		if t.Err != nil || t.Asked == nil {
			continue
		}
		var held []string // keys, since any name may be given to a key
		for _, key := range t.Keys {
			held = append(held, wire.KeyMaterial(key))
		}
		keys := strings.Join(slices.Sorted(slices.Values(held)), " ")
		if by[keys] == nil {
			by[keys], order = new(played), append(order, keys)
		}
		if t.Asked.Open {
			by[keys].open++
		}
		if t.Verdict == verifier.ForSeats {
			by[keys].over++
		}
	}
	for _, keys := range order {
		if p := by[keys]; p.open > 0 && p.over > 0 {
			notes = append(notes, l.Count("asked.tries", p.open, "more", p.open+1))
		}
	}
	return notes
}

// otherLog returns the results of the checks of a further log.
func (l Language) otherLog(log *verifier.Report) string {
	c := log.Checkpoint
	if log.Verdict == verifier.LogBroken {
		return l.Say("log.other.broken", "log", c.Origin, "why", Headline(log, l))
	}
	passed := 0
	for _, check := range log.LogChecks() {
		if check.Outcome == verifier.Passed {
			passed++
		}
	}
	return l.Say("log.other", "log", c.Origin, "entries", c.Size, "passed", passed, "checks", len(log.LogChecks()))
}

func (c *Counts) countTable(t verifier.Table) {
	switch {
	case t.Err != nil:
		c.Cannot++
	case t.Verdict == verifier.Sound:
		c.Sound++
	case t.Verdict == verifier.ForSeats:
		c.ForSeats++
	case t.Verdict == verifier.Adjudicated:
		c.Adjudicated++
	case t.Verdict == verifier.Unfinished:
		c.Unfinished++
	case t.Verdict == verifier.Foul:
		c.Foul++
	default:
		c.Broken++
	}
}

func (l Language) tableRow(t verifier.Table, log *verifier.Report) Row {
	r := Row{Table: t.Table, Verdict: t.Verdict, Game: t.Game, Suite: t.Suite, Seats: t.Seats, Keys: t.Keys, Result: t.Result, Deals: t.Deals,
		Tally: t.Tally, Owing: t.Owing, Forfeit: t.Forfeit, Stopped: t.Stopped, Paused: t.Paused, Asked: t.Asked, Endings: t.Endings, Attempts: t.Attempts, Sheet: t.Sheet, Partial: t.Partial, Findings: t.Findings, Checks: t.TableChecks(), Coverage: t.Coverage}
	if t.Checkpoint.Size != log.Checkpoint.Size || t.Checkpoint.Origin != log.Checkpoint.Origin {
		r.Checkpoint = &t.Checkpoint
	}
	if t.Err != nil {
		r.Verdict, r.Error = "", t.Err.Error()
		r.Headline = l.CannotCheck(t.Err)
		return r
	}
	r.Headline = Headline(t.Report, l)
	return r
}

// CannotCheck returns why something cannot be checked. A file that is no bundle accuses nobody.
func (l Language) CannotCheck(err error) string {
	if e, ok := errors.AsType[*bundle.Error](err); ok {
		return l.Say("cannot.bundle", "check", e.Check, "why", l.Say("bundle."+string(e.Check)))
	}
	return l.Say("cannot", "why", err)
}

// Label returns the id of the table, or the bundle's name.
func (r Row) Label() string {
	if r.Bundle != "" {
		return plain.Text(r.Bundle)
	}
	return r.Table.String()
}

// Names returns the game and the players of the table, or "" if they are not known.
func (r Row) Names() string {
	if r.Game == "" {
		return ""
	}
	return plain.Text(r.Game + ": " + strings.Join(r.Seats, ", "))
}

// noteBundles adds what bundles cannot show of a log unless they are compared with it.
func (d *TablesDocument) noteBundles(t *tableset.Report) {
	sizes, alone := map[uint64]bool{}, false
	for _, table := range t.Tables {
		if table.Coverage != nil {
			sizes[table.Coverage.Size] = true
			for _, other := range table.Coverage.Against {
				sizes[other.Size] = true
			}
			alone = alone || len(table.Coverage.Against) == 0
		}
	}
	if alone {
		d.Notes = append(d.Notes, d.language.Say("tables.alone"))
	}
	for _, c := range d.Checks {
		if c.ID == verifier.CheckHistory && c.Outcome == verifier.NotReached && len(sizes) > 1 {
			d.Notes = append(d.Notes, d.language.Say("tables.history", "n", len(sizes)))
		}
	}
}

// Technical returns the findings about the log and the files that could not be read, in English.
func (d *TablesDocument) Technical() []string {
	var unread []string
	for _, u := range d.Unread {
		unread = append(unread, u.Err.Error())
	}
	return d.language.technicalTexts(d.Findings, unread)
}

// Header returns which program wrote the report, when, and from what.
func (d *TablesDocument) Header() []string { return d.language.Header(d.Written) }

// CheckGroups returns the checks of the log.
func (d *TablesDocument) CheckGroups() []CheckGroup { return []CheckGroup{{List: d.Checks}} }

// Fact returns which log it was.
func (d *TablesDocument) Fact() string { return d.language.logFact(d.Checkpoint) }

// JSON writes the tables as one line of JSON.
func (d *TablesDocument) JSON(w io.Writer) error {
	return plain.JSON(w, d)
}

// Text writes the tables as lines of at most 80 characters, except words that cannot be broken.
func (d *TablesDocument) Text(w io.Writer) error {
	t := &textWriter{l: d.language}
	t.writeVerdict(d.Headline, d.Technical(), d.Notes, append(d.Header(), d.Fact()), d.CheckGroups())
	if len(d.Standings) > 0 {
		t.writeHeading("heading.standings")
		t.writeStandings(d.Standings)
	}
	if len(d.Tables) > 0 {
		t.writeHeading("heading.tables")
		for _, r := range d.Tables {
			t.writeWrapped("  ", "", r.Label())
			if names := r.Names(); names != "" {
				t.writeWrapped("    ", "      ", names)
			}
			t.writeWrapped("    ", "      ", r.Headline)
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// BesidesSum returns the parts of a standing that are not in its sum.
func (l Language) BesidesSum(s Standing) (text string) {
	for _, c := range []struct {
		column string
		points int
	}{{"column.adjudicated", s.Adjudicated}, {"column.partial", s.Partial}} {
		if c.points != 0 {
			text += "; " + l.Say(c.column) + " " + l.Signed(c.points)
		}
	}
	return text
}

func (t *textWriter) writeStandings(list []Standing) {
	game := ""
	for _, s := range list {
		if s.Game != game {
			game = s.Game
			t.writeWrapped("  ", "    ", t.l.Say("standings.game", "game", game)+":")
		}
		first := fmt.Sprintf("  %s.  %s  %s  ", padLeft(fmt.Sprint(s.Rank), 3), padLeft(t.l.Signed(s.Sum), 7), padLeft(t.l.Number(int64(s.Tables)), 4))
		t.writeWrapped(first, strings.Repeat(" ", 23), s.Name+" ("+s.Key+")"+t.l.BesidesSum(s))
	}
}
