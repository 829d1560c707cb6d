package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// locked is five-card draw with locks that are disclosed, played up to a duty of kind k.
func locked(t *testing.T, k table.Kind) *tabletest.Table {
	t.Helper()
	tb := newTable(t, "five-card-draw/v1", tabletest.Config{Seats: 3, Suite: clear.DeferredSuite{}}, 1)
	testmust.Have(tb.PlayUntil(k))(t)
	return tb
}

// told returns what a report of a table in its current state says, in every language.
func told(t *testing.T, tb *tabletest.Table) map[string]*report.Document {
	t.Helper()
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	said := map[string]*report.Document{}
	for _, tag := range report.Languages() {
		said[tag] = s.document(t, tag)
	}
	return said
}

// The report must name one foul with one entry, and must tell the reader where the wrong entry is and
// which disclosure shows it.
func TestFoulIsToldWhereItIs(t *testing.T) {
	tb := locked(t, table.Show)
	d := tb.State.Duties()[0]
	entry, err := tb.HonestMessage(d.Seats[0], d, nil)
	if err == nil {
		entry, err = tb.Forge(entry, func(m *wire.Message) {
			var b wire.TokensBody
			testmust.Do(t, wire.DecodeBody(m.Body, &b))
			b.Tokens[0], b.Tokens[1] = b.Tokens[1], b.Tokens[0]
			m.Body, _ = wire.EncodeBody(b)
		})
	}
	if err == nil {
		err = tb.Add(entry)
	}
	wrong := len(tb.Entries) - 1
	testmust.Do(t, err)
	testmust.Do(t, tb.Play(-1))
	for tag, d := range told(t, tb) {
		fouls := 0
		for _, s := range d.Trace {
			if s.Status == report.Foul {
				fouls++
				testmust.Holdf(t, s.Index == uint64(wrong) && s.Check == table.CheckStep && s.Why != "",
					"%s: foul at entry %d: %s, %q", tag, s.Index, s.Check, s.Why)
			}
		}
		last := d.Trace[len(d.Trace)-1]
		testmust.Holdf(t, fouls == 1 && last.Kind == table.Disclose && last.Status == report.Applied && last.Shows != nil && *last.Shows == uint64(wrong),
			"%s: %d entries are foul, and the last is %+v", tag, fouls, last)
		t.Log(d.Headline, d.Notes, last.Text)
	}
	teller := report.NewTeller(tb.Catalogue(), language(t, "en"))
	for i, entry := range tb.Entries {
		e := testmust.Have(wire.Parse(entry))(t)
		if s, err := teller.TellNext(uint64(i), e); err != nil || s.Status != report.Applied || (s.Shows != nil) != (i == len(tb.Entries)-1) {
			t.Fatalf("watched, entry %d is %+v (%v)", i, s, err)
		}
	}
	f := teller.State().Foul()
	testmust.Holdf(t, f != nil && f.Seat == d.Seats[0], "watched, the table ended by %v", f)
	en := told(t, tb)["en"]
	testmust.Holdf(t, strings.Contains(en.Headline, "not made with the lock") && strings.Contains(strings.Join(en.Notes, " "), "entry"),
		"%s %v", en.Headline, en.Notes)
}

// Locks are owed, and a language has no words for them.
func TestWaitingForLocks(t *testing.T) {
	tb := locked(t, table.Disclose)
	for tag, d := range told(t, tb) {
		testmust.Requiref(t, d.Verdict == verifier.Unfinished, "%s: %s", tag, d.Verdict)
		t.Log(d.Headline)
	}
	testmust.Do(t, tb.Play(-1))
	for tag, d := range told(t, tb) {
		testmust.Requiref(t, d.Verdict == verifier.Sound, "%s: %s", tag, d.Verdict)
		t.Log(d.Trace[len(d.Trace)-1].Text)
	}
}

// A move opens something that is no card, so that it is not made. The report must not tell what would
// have come of the move, and must not fail.
func TestMoveThatStopsPlay(t *testing.T) {
	for seed := range uint64(20) {
		tb := newTable(t, "five-card-draw/v1", tabletest.Config{Seats: 3, Suite: clear.DeferredSuite{}}, seed)
		for len(tb.State.Duties()) > 0 {
			entry := testmust.Have(tb.Next())(t)
			forged := testmust.Have(tb.Forge(entry, func(m *wire.Message) {
				var b wire.MoveBody
				if m.Kind == table.Move && wire.DecodeBody(m.Body, &b) == nil && len(b.Tokens) > 1 {
					b.Tokens[0] = b.Tokens[1]
					m.Body, _ = wire.EncodeBody(b)
				}
			}))(t)
			testmust.Do(t, tb.Add(forged))
		}
		if f := tb.State.Foul(); f != nil {
			for _, d := range told(t, tb) {
				testmust.Requiref(t, d.Verdict == verifier.Foul && *d.Findings[0].Seat == f.Seat, "%s", d.Headline)
			}
			return
		}
	}
	t.Fatal("nobody showed a hand in 20 deals")
}

// asked is a table at which seats ask for proofs.
func asked(t *testing.T, seed uint64) *tabletest.Table {
	t.Helper()
	return newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Suite: clear.AskingSuite{}}, seed)
}

// A table that only its seats can believe must not look like a proved one, and the report must say
// that an answer is missing.
func TestSoundForItsSeats(t *testing.T) {
	over, left := asked(t, 1), asked(t, 2)
	testmust.Do(t, over.Play(-1))
	testmust.Have(left.PlayUntil(table.Answer))(t)
	for tag, d := range told(t, over) {
		l, _ := report.LanguageOf(tag)
		testmust.Holdf(t, d.Verdict == verifier.ForSeats && d.Verdict.ExitCode() == 8 && d.Result != nil && !strings.HasPrefix(d.Headline, strings.Split(l.Say("sound"), ".")[0]+"."),
			"%s: %s (%d): %s", tag, d.Verdict, d.Verdict.ExitCode(), d.Headline)
		testmust.Holdf(t, slices.Contains(d.Notes, l.Say("asked.note", "bits", 40)) && !slices.Contains(d.Notes, l.Say("asked.told")), "%s: %q", tag, d.Notes)
	}
	for tag, d := range told(t, left) {
		l, _ := report.LanguageOf(tag)
		testmust.Holdf(t, d.Verdict == verifier.Unfinished && d.Asked.Open && slices.Contains(d.Notes, l.Say("asked.told")),
			"%s: %s, %+v: %q", tag, d.Verdict, d.Asked, d.Notes)
	}
}

// Seats leave tables when they are asked, until a question comes that they can answer. The report
// must say so, and its standings must not count a table that only its seats can believe.
func TestTablesLeftWhenAsked(t *testing.T) {
	s := new(scene)
	var entries [][]byte
	for seed, until := range []table.Kind{table.Answer, "", table.Beacon} {
		tb := asked(t, uint64(seed))
		s.Table = tb
		if until == "" {
			testmust.Do(t, tb.Play(-1))
		} else if _, err := tb.PlayUntil(until); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, tb.Entries...)
	}
	s.sign(t, entries)
	o := s.options()
	o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
	sum := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o}))(t)
	testmust.Holdf(t, len(sum.Tables) == 3 && len(sum.Standings) == 0 && sum.ExitCode() == verifier.Unfinished.ExitCode(),
		"%d tables, standings %v, exit code %d", len(sum.Tables), sum.Standings, sum.ExitCode())
	sum.Tables = sum.Tables[1:2]
	testmust.Equal(t, sum.ExitCode(), 8, "alone: exit code")
	all := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o}))(t)
	players := all.Tables[0].Keys
	for i := range all.Tables { // as if they had sat at all of them under other names
		all.Tables[i].Keys = nil
		for _, key := range players {
			name, rest, _ := strings.Cut(key, "+")
			all.Tables[i].Keys = append(all.Tables[i].Keys, fmt.Sprintf("%s-%d+%s", name, i, rest))
		}
	}
	for _, tag := range report.Languages() {
		l, _ := report.LanguageOf(tag)
		if d := report.Sum(all, l, nil); !slices.Contains(d.Notes, l.Count("asked.tries", 2, "more", 3)) || d.Counts.ForSeats != 1 || d.Counts.Sound != 0 {
			t.Errorf("%s: %+v, %q", tag, d.Counts, d.Notes)
		}
	}
}

// Seats in league leave their table, or end it with a foul, before its last deal is over. The sums of
// its deals must not contain a result that only its seats can believe.
func TestPartialOfAskedTables(t *testing.T) {
	for _, fouls := range []bool{false, true} {
		tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Deals: 2, Suite: clear.AskingSuite{}}, 5)
		for tb.State.DealsBegun() < 2 {
			testmust.Do(t, tb.Play(1))
		}
		d := testmust.Have(tb.PlayUntil(table.Answer))(t)
		entries := tb.Entries
		if fouls {
			answer := testmust.Have(tb.Sign(d.Seats[0], table.Answer, wire.AnswerBody{}, make([]byte, 64)))(t)
			entries = append(slices.Clone(entries), answer)
		}
		s := &scene{Table: tb}
		s.sign(t, entries)
		o := s.options()
		o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
		sum := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o}))(t)
		sum.CountPartial()
		one := sum.Tables[0]
		testmust.Requiref(t, (one.Verdict == verifier.Foul) == fouls && one.Partial != nil && len(one.Partial.Deals) == 1 && one.Asked != nil && one.Asked.Told != fouls,
			"%s: %+v, %+v", one.Verdict, one.Partial, one.Asked)
		testmust.Equal(t, len(sum.Standings), 0, one.Verdict, "standings", sum.Standings)
	}
}

// residues is a suite whose keys anybody can factor. asking has the same keys, and its seats ask for
// proofs.
var (
	residues = schindelhauer.Prover(schindelhauer.New("schindelhauer-test/v1", 256))
	asking   = schindelhauer.AskedProver(schindelhauer.NewAsking("schindelhauer-test-chosen40/v1", 256))
)

// keyed returns a table of two until all card keys are posted. Before, change replaces the secret of
// the first seat.
func keyed(t *testing.T, seed uint64, change func(proof.Secret) proof.Secret) *tabletest.Table {
	t.Helper()
	return keyedWith(t, residues, seed, change)
}

func keyedWith(t *testing.T, suite proof.Prover, seed uint64, change func(proof.Secret) proof.Secret) *tabletest.Table {
	t.Helper()
	tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 2, Options: map[string]string{"rules": "article"}, Suite: suite}, seed)
	tb.Hands[0].Secret = change(tb.Hands[0].Secret)
	testmust.Have(tb.PlayUntil(table.Shuffle))(t)
	return tb
}

// crossed returns a secret with one prime of a and one of b.
func crossed(t *testing.T, suite proof.Prover, a, b proof.Secret) proof.Secret {
	t.Helper()
	half := len(a.Bytes()) / 2
	primes := [][]byte{a.Bytes()[:half], b.Bytes()[:half]}
	slices.SortFunc(primes, slices.Compare)
	return testmust.Have(suite.ParseSecret(slices.Concat(primes...)))(t)
}

// Two tables have card keys that share a prime, so that everybody can compute the secrets. The report
// must say so, and must not blame a seat, which cannot have known. A key that is used twice reveals
// nothing, and is reported as that.
func TestSharedFactors(t *testing.T) {
	var first, again proof.Secret
	tables := []*tabletest.Table{
		keyed(t, 1, func(x proof.Secret) proof.Secret { first = x; return x }),
		keyed(t, 2, func(x proof.Secret) proof.Secret { return crossed(t, residues, first, x) }),
		keyed(t, 3, func(x proof.Secret) proof.Secret { again = x; return x }),
		keyed(t, 4, func(proof.Secret) proof.Secret { return again }),
	}
	s := &scene{Table: tables[0]}
	var entries [][]byte
	at := map[wire.Hash]int{} // index of the card key of the first seat, by table
	for _, tb := range tables {
		at[tb.State.ID()] = len(entries) + keyOfFirst(t, tb)
		entries = append(entries, tb.Entries...)
	}
	s.sign(t, entries)
	o := s.options()
	o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
	all := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o}))(t)
	testmust.Requiref(t, len(all.Shared) == 2 && !all.Shared[0].Same && all.Shared[1].Same && all.ExitCode() == verifier.Unfinished.ExitCode(),
		"shared %+v, exit code %d", all.Shared, all.ExitCode())
	for _, table := range all.Tables {
		testmust.Holdf(t, table.Verdict == verifier.Unfinished && len(table.Findings) == 0, "table %s: %s, %v", table.Table, table.Verdict, table.Findings)
	}
	for _, tag := range report.Languages() {
		l, _ := report.LanguageOf(tag)
		d := report.Sum(all, l, nil)
		for i, text := range []string{"shared.note", "shared.same"} {
			var keys []string
			for _, tb := range tables[2*i : 2*i+2] {
				id := tb.State.ID()
				keys = append(keys, fmt.Sprintf("seat-0 (%s, %d)", id.Code()[:wire.MinCode], at[id]))
			}
			testmust.Hold(t, slices.Contains(d.Notes, l.Say(text, "keys", strings.Join(keys, ", "))), tag, text, "is not told", d.Notes)
		}
	}
	b, err := json.Marshal(all)
	testmust.Holdf(t, err == nil && strings.Count(string(b), `"same":true`) == 1, "as JSON: %v, %s", err, b)
}

// shown is one table of a log.
type shown struct {
	*scene
	id wire.Hash
}

// Extract implements tableset.Extract.
func (s shown) Extract(tlog.Checkpoint) (iter.Seq2[uint64, []byte], error) {
	return func(yield func(uint64, []byte) bool) {
		for i, entry := range s.entries {
			e, err := wire.Parse(entry)
			if err == nil && (e.Hash == s.id || e.Message != nil && e.Message.Table == s.id) && !yield(uint64(i), entry) {
				return
			}
		}
	}, nil
}

// The same for bundles, which may come from several logs, and for suites with equal keys; where seats
// ask for proofs a key also has an anchor. A copy of a table in another log does not share a key with
// itself.
func TestSharedFactorsOfBundles(t *testing.T) {
	var first, other proof.Secret
	logs := [][]*tabletest.Table{{
		keyed(t, 1, func(x proof.Secret) proof.Secret { first = x; return x }),
		keyedWith(t, asking, 2, func(x proof.Secret) proof.Secret { return crossed(t, asking, first, x) }),
		keyed(t, 3, func(x proof.Secret) proof.Secret { other = x; return x }),
	}, {
		keyedWith(t, asking, 4, func(x proof.Secret) proof.Secret { return crossed(t, asking, other, x) }),
		keyed(t, 5, func(x proof.Secret) proof.Secret { return x }),
	}}
	logs = append(logs, logs[1])
	var o tableset.AgainstOptions
	var names []string
	files := map[string]shown{}
	for i, tables := range logs {
		s := &scene{Table: tables[0]}
		var entries [][]byte
		for _, tb := range tables {
			entries = append(entries, tb.Entries...)
			name := fmt.Sprintf("%d/%s", i, tb.State.ID())
			names, files[name] = append(names, name), shown{s, tb.State.ID()}
		}
		s.signAs(t, fmt.Sprint("log.example/", i), entries)
		o.Log = append(o.Log, s.key)
	}
	o.Catalogue = table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) {
		if name == asking.Name() {
			return asking, true
		}
		return residues, true
	}}
	all, err := tableset.VerifyExtractsOfLogs(context.Background(), names, func(name string) (tableset.Extract, wire.Hash, error) {
		return files[name], files[name].id, nil
	}, o)
	testmust.Do(t, err)
	var told []string
	for _, s := range all.Shared {
		for _, k := range s.Keys {
			first := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, k.Table.String()) })
			told = append(told, fmt.Sprint(first, s.Same))
		}
	}
	slices.Sort(told)
	want := "0 false, 1 false, 2 false, 3 false"
	testmust.Holdf(t, len(all.Shared) == 2 && strings.Join(told, ", ") == want, "in %d groups %q, want %q in 2", len(all.Shared), told, want)
}

// keyOfFirst returns the index in its table of the entry with the card key of the first seat.
func keyOfFirst(t *testing.T, tb *tabletest.Table) int {
	t.Helper()
	return slices.IndexFunc(tb.Entries, func(entry []byte) bool {
		e := testmust.Have(wire.Parse(entry))(t)
		return e.Message != nil && e.Message.Kind == wire.KindKey && e.Message.Seat == 0
	})
}
