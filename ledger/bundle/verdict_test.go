package bundle_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

var _ tableset.Extract = bundle.Reader{}

// court verifies tables of one log.
type court struct {
	*tabletest.Table
	log *tlog.SignerKey
	o   tableset.AgainstOptions
}

func newCourt(t testing.TB, n int) *court {
	t.Helper()
	c := &court{Table: play(t, clear.Suite{}, 3, n), log: key(t, "log.example", tlog.Ed25519, 1)}
	c.o.Options = verifier.Options{Table: c.State.ID(), Log: []note.Verifier{c.log.Verifier()}, Catalogue: catalogue(clear.Suite{})}
	return c
}

// history puts these entries of the table into the log, with others around them.
func (c *court) history(t testing.TB, entries [][]byte) *history {
	return newHistory(t, between(entries), c.log)
}

func (c *court) verify(t testing.TB, src tlog.EntryReader, others ...tlog.EntryReader) (*verifier.Report, error) {
	o := c.o
	o.Against = others
	r, err := tableset.VerifyAgainst(t.Context(), src, o)
	if err == nil && r.Verdict != verifier.Foul {
		for _, f := range r.Findings {
			if f.Seat != nil {
				t.Errorf("verdict %s blames seat %d: %v", r.Verdict, *f.Seat, f.Err)
			}
		}
	}
	return r, err
}

// shown reads the bundle's file.
func shown(t testing.TB, b *bundle.Bundle) bundle.Reader {
	t.Helper()
	read := testmust.Have(bundle.Parse(b.Marshal()))(t)
	return bundle.Reader{Bundle: read}
}

func (c *court) whole(t testing.TB, h *history) bundle.Reader {
	return shown(t, collect(t, h, c.State.ID()))
}

// stories are tables, one for each verdict.
func (c *court) stories(t testing.TB) map[verifier.Verdict][][]byte {
	t.Helper()
	foul := testmust.Have(c.Forge(c.Entries[1], func(m *wire.Message) { m.Proofs[0] = append(m.Proofs[0], 0) }))(t)
	stale := c.stale(t)
	return map[verifier.Verdict][][]byte{
		verifier.Sound:      slices.Insert(slices.Clone(c.Entries), 4, stale),
		verifier.Unfinished: slices.Insert(slices.Clone(c.Entries[:len(c.Entries)-2]), 4, stale),
		verifier.Foul:       {c.Entries[0], foul},
	}
}

// stale is the honest message of a seat that was late, after another message.
func (c *court) stale(t testing.TB) []byte {
	t.Helper()
	first := testmust.Have(wire.Parse(c.Entries[1]))(t)
	late := table.Seat(1 - first.Message.Seat)
	return testmust.Have(c.Hands[late].SignMessage(c.States[0], c.States[0].DutiesOf(late)[0], nil, c.Random))(t)
}

// A bundle gives another verdict than the log.
func TestBundleSaysWhatTheLogSays(t *testing.T) {
	c := newCourt(t, -1)
	for verdict, entries := range c.stories(t) {
		h := c.history(t, entries)
		live, err := c.verify(t, h)
		testmust.Requiref(t, err == nil && live.Verdict == verdict, "%s: %v %v", verdict, live, err)
		r := testmust.Have(c.verify(t, c.whole(t, h)))(t)
		testmust.Holdf(t, r.Coverage != nil && r.Coverage.Entries == len(entries) && r.Coverage.Size == h.Signed.Size && r.Coverage.Last == uint64(slices.IndexFunc(h.List, func(e []byte) bool { return string(e) == string(entries[len(entries)-1]) })),
			"%s: shown %+v", verdict, r.Coverage)
		testmust.Equal(t, strings.Contains(r.Headline(), "as shown"), verdict == verifier.Unfinished, verdict, "is said as", r.Headline())
		r.Coverage = nil
		got, _ := json.Marshal(r)
		want, _ := json.Marshal(live)
		testmust.Equal(t, string(got), string(want), "the bundle says", string(got), "the log", string(want))
	}
}

// Somebody who leaves entries out never makes a seat or the log look guilty, never changes the
// result, and never hides this from a comparison.
func TestLeavingOut(t *testing.T) {
	c, some := newCourt(t, -1), 2
	if testmust.Thorough() {
		some = 8
	}
	for verdict, entries := range c.stories(t) {
		h := c.history(t, entries)
		whole := c.whole(t, h)
		live := testmust.Have(c.verify(t, h))(t)
		for i := 1; i < len(entries); i += 1 + i/some {
			for what, keep := range map[string]func(int) bool{
				"one": func(j int) bool { return j != i }, "the end": func(j int) bool { return j < i },
			} {
				n := -1
				b := shown(t, chosen(t, h, c.State.ID(), func(bundle.Entry) bool { n++; return keep(n) }))
				r, err := c.verify(t, b)
				switch {
				case err != nil && strings.Contains(err.Error(), "not shown"):
				case err != nil:
					t.Errorf("%s, entry %d left out (%s): %v", verdict, i, what, err)
				case r.Verdict == verifier.Sound && slices.Equal(r.Result, live.Result) && what == "one": // a void one
				case r.Verdict != verifier.Unfinished || r.Coverage == nil:
					t.Errorf("%s, entry %d left out (%s): %s", verdict, i, what, r.Verdict)
				}
				for other, src := range map[string]tlog.EntryReader{"the log": h, "another bundle": whole} {
					if _, err := c.verify(t, b, src); err == nil || errors.Is(err, tlog.ErrBroken) || !strings.Contains(err.Error(), "left out") {
						t.Errorf("%s, entry %d left out (%s), compared with %s: %v", verdict, i, what, other, err)
					}
				}
			}
		}
		for other, src := range map[string]tlog.EntryReader{"the log": h, "another bundle": whole} {
			r, err := c.verify(t, whole, src)
			testmust.Holdf(t, err == nil && r.Verdict == verdict && len(r.Coverage.Against) == 1 && r.Coverage.Against[0].Later == 0,
				"%s, nothing left out, compared with %s: %v, %v", verdict, other, r, err)
		}
	}
}

// The log has a message as void because it was late, and it is foul where it would have been in time.
// Its seat signed it, so the seat may be blamed, and a comparison says that the log had another game.
func TestFoulThatWasVoid(t *testing.T) {
	c := newCourt(t, -1)
	foul := testmust.Have(c.Forge(c.stale(t), func(m *wire.Message) { m.Proofs[0] = append(m.Proofs[0], 0) }))(t)
	entries := slices.Insert(slices.Clone(c.Entries), 4, foul)
	h := c.history(t, entries)
	if r, err := c.verify(t, h); err != nil || r.Verdict != verifier.Sound {
		t.Fatal(r, err)
	}
	n := -1
	b := shown(t, chosen(t, h, c.State.ID(), func(bundle.Entry) bool { n++; return n != 1 }))
	signed := testmust.Have(wire.Parse(foul))(t)
	r, err := c.verify(t, b)
	testmust.Holdf(t, err == nil && r.Verdict == verifier.Foul && int(*r.Findings[0].Seat) == signed.Message.Seat, "%v, %v", r, err)
	testmust.FailSaying(t, testmust.ErrorOf(c.verify(t, b, h)), "left out", "compared with the log")
}

// A table continued after the bundle was made, which is nobody's fault.
func TestComparedLater(t *testing.T) {
	c := newCourt(t, -1)
	early := c.whole(t, c.history(t, c.Entries[:6]))
	h := c.history(t, c.Entries)
	r, err := c.verify(t, early, h, c.whole(t, h))
	testmust.Requiref(t, err == nil && r.Verdict == verifier.Unfinished && len(r.Coverage.Against) == 2, "%v, %v", r, err)
	for _, a := range r.Coverage.Against {
		testmust.Holdf(t, a.Later == len(c.Entries)-6 && a.Size == h.Signed.Size, "%+v", a)
	}
	testmust.Holdf(t, r.Coverage.Against[0].Whole && !r.Coverage.Against[1].Whole, "%+v", r.Coverage.Against)
	_, err = c.verify(t, c.whole(t, h), c.whole(t, c.history(t, c.Entries[:6])))
	testmust.Do(t, err, "compared with an earlier one")
}

// Two bundles, or a bundle and a log, of any sizes, convict a log that shows two histories. A log
// whose bundle somebody else altered is not accused.
func TestTwoHistories(t *testing.T) {
	c := newCourt(t, 8)
	other := testmust.Have(c.Forge(c.Entries[7], func(m *wire.Message) { m.Parent[0] ^= 1 }))(t)
	one, two := c.history(t, c.Entries), c.history(t, append(slices.Clone(c.Entries[:7]), other))
	longer := newHistory(t, append(slices.Clone(two.List), []byte("more"), []byte("and more")), c.log)
	same := c.history(t, c.Entries[:8]) // and as many entries of others as in two
	testmust.Require(t, same.Signed.Size == two.Signed.Size && one.Signed.Size > two.Signed.Size && longer.Signed.Size >= one.Signed.Size,
		"these are not the sizes that were meant")
	for name, pair := range map[string][2]tlog.EntryReader{
		"two bundles":                {c.whole(t, one), c.whole(t, two)},
		"bundle and log":             {c.whole(t, one), two},
		"log and bundle":             {one, c.whole(t, two)},
		"two logs":                   {one, two},
		"bundle and longer log":      {c.whole(t, one), longer},
		"two bundles of one size":    {c.whole(t, same), c.whole(t, two)},
		"bundle and log of one size": {c.whole(t, same), two},
		"bundle and longer bundle":   {c.whole(t, one), c.whole(t, longer)},
		"longer bundle and bundle":   {c.whole(t, longer), c.whole(t, one)},
		"longer log and bundle":      {longer, c.whole(t, one)},
		"longer bundle and log":      {c.whole(t, longer), one},
	} {
		r, err := c.verify(t, pair[0], pair[1])
		testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken && r.Findings[0].Check == verifier.CheckHistory, "%s: %v, %v", name, r, err)
	}
	altered := *one
	altered.List = slices.Clone(one.List)
	altered.List[0] = []byte("somebody wrote this")
	_, err := c.verify(t, c.whole(t, one), &altered)
	testmust.FailSaying(t, err, "altered", "compared with an altered mirror")
	stranger := newHistory(t, two.List, key(t, "log.example", tlog.Ed25519, 5))
	_, err = c.verify(t, c.whole(t, one), stranger)
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "compared with a stranger's: %v", err)
}

// A log signed two histories that agree on the table and differ later. Any verification or comparison
// that shows one of them convicts the log, also between the sources compared with.
func TestForkOutsideTheTable(t *testing.T) {
	c := newCourt(t, 8)
	common := between(c.Entries)
	ending := func(more ...string) *history {
		entries := slices.Clone(common)
		for _, e := range more {
			entries = append(entries, []byte(e))
		}
		return newHistory(t, entries, c.log)
	}
	base, short, long, same := ending(), ending("a"), ending("b", "more"), ending("c", "more")
	later := newHistory(t, slices.Concat(short.List, play(t, clear.Suite{}, 3, 9).Entries[len(c.Entries):], [][]byte{[]byte("z")}), c.log)
	testmust.Have(c.verify(t, c.whole(t, later), short))(t)
	damaged := *short
	damaged.List = common
	for name, list := range map[string][]tlog.EntryReader{
		"short, against long":                                  {short, long},
		"long, against short":                                  {long, short},
		"long, against a bundle of short":                      {long, c.whole(t, short)},
		"a bundle of short, against long":                      {c.whole(t, short), long},
		"against short and long":                               {base, short, long},
		"a bundle, against short and long":                     {c.whole(t, base), short, long},
		"a bundle, against long and short":                     {c.whole(t, base), long, short},
		"a bundle, against long and a bundle of short":         {c.whole(t, base), long, c.whole(t, short)},
		"a bundle, against two of one size":                    {c.whole(t, base), long, same},
		"a bundle, against two bundles of one size":            {c.whole(t, base), c.whole(t, long), c.whole(t, same)},
		"against a damaged one whose signature is enough":      {base, long, &damaged},
		"against a damaged one and two that differ":            {base, &damaged, long, same},
		"a shorter log, against a bundle with an entry it has": {long, c.whole(t, later)},
		"against these":                                        {c.whole(t, base), long, c.whole(t, later)},
	} {
		r, err := c.verify(t, list[0], list[1:]...)
		testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken && r.Findings[0].Check == verifier.CheckHistory, "%s: %v, %v", name, r, err)
	}
	for name, list := range map[string][]tlog.EntryReader{
		"against a damaged one":                 {base, &damaged},
		"a bundle, against a damaged one":       {c.whole(t, base), &damaged},
		"against a damaged one and another one": {base, &damaged, short},
	} {
		_, err := c.verify(t, list[0], list[1:]...)
		testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken) && strings.Contains(err.Error(), "cut short"), "%s: %v", name, err)
	}
}

// A bundle of another table contains nothing of this one, so its size proves nothing about this
// table. What the log signed for that bundle may still convict the log.
func TestAgainstAnotherTable(t *testing.T) {
	c := newCourt(t, 8)
	other := play(t, clear.Suite{}, 77, 8)
	h := newHistory(t, append(between(c.Entries), other.Entries...), c.log)
	fork := newHistory(t, append([][]byte{[]byte("a")}, h.List[1:]...), c.log)
	theirs := shown(t, collect(t, h, other.State.ID()))
	for name, src := range map[string]tlog.EntryReader{"the log": h, "a bundle": c.whole(t, h)} {
		_, err := c.verify(t, src, theirs)
		testmust.FailSaying(t, err, "another table", name, "against a bundle of another table")
		r, err := c.verify(t, src, shown(t, collect(t, fork, other.State.ID())))
		testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken, "%s, against another history of another table: %v, %v", name, r, err)
	}
	o := c.o
	o.Against = []tlog.EntryReader{theirs}
	_, err := tableset.VerifyExtracts(t.Context(), []string{"ours", "theirs"}, named(map[string]bundle.Reader{"ours": c.whole(t, h), "theirs": theirs}), o)
	testmust.Holdf(t, err != nil && strings.Contains(err.Error(), "among them"), "two bundles, against one: %v", err)
}

// named returns an opener for bundles by name.
func named(list map[string]bundle.Reader) tableset.ExtractOpener {
	return func(name string) (tableset.Extract, wire.Hash, error) { return list[name], list[name].Table, nil }
}

// Anybody can make a file with a stranger's key or without some entries. It must not change the
// verdict of the true bundle beside it, in either order.
func TestForgedBesideTheTrueOne(t *testing.T) {
	c := newCourt(t, -1)
	h := c.history(t, c.Entries)
	whole := c.whole(t, h)
	forged := c.whole(t, newHistory(t, append(slices.Clone(h.List), []byte("more")), key(t, "log.example", tlog.Ed25519, 5)))
	n := 0
	cut := shown(t, chosen(t, h, c.State.ID(), func(bundle.Entry) bool { n++; return n < 6 }))
	for name, x := range map[string]struct {
		names    []string
		stranger string
	}{
		"forged after":  {[]string{"whole", "forged"}, "forged,"},
		"forged before": {[]string{"forged", "whole"}, "forged,"},
		"cut after":     {[]string{"whole", "cut"}, ""},
		"cut before":    {[]string{"cut", "whole"}, ""},
	} {
		r := testmust.Have(tableset.VerifyExtracts(t.Context(), x.names, named(map[string]bundle.Reader{"whole": whole, "forged": forged, "cut": cut}), c.o))(t)
		if len(r.Tables) != 1 || r.Tables[0].Err != nil || r.Tables[0].Verdict != verifier.Sound || len(r.Standings) == 0 {
			t.Errorf("%s: %s", name, r.Tables[0].AsLine())
		}
		if named := len(r.Unread) == 1 && strings.Contains(r.Unread[0].Err.Error(), x.stranger); named != (x.stranger != "") || len(r.Unread) > 1 || (r.ExitCode() == 0) != (x.stranger == "") {
			t.Errorf("%s: exit code %d, not read: %q", name, r.ExitCode(), r.Unread)
		}
	}
	r, err := tableset.VerifyExtracts(t.Context(), []string{"forged"}, named(map[string]bundle.Reader{"forged": forged}), c.o)
	testmust.Holdf(t, err == nil && len(r.Tables) == 1 && errors.Is(r.Tables[0].Err, tlog.ErrUnsigned), "nothing but a forged one: %v, %v", r, err)
}

// Entries altered by somebody contradict the root that the log signed. Other checkpoints of the log
// then say nothing against the log.
func TestAlteredIsNoHistory(t *testing.T) {
	c := newCourt(t, 8)
	honest, earlier := c.history(t, c.Entries), c.history(t, c.Entries[:4])
	altered := *newHistory(t, slices.Concat(earlier.List, honest.List), c.log)
	altered.List = slices.Clone(altered.List)
	altered.List[0] = []byte("somebody wrote this")
	c.o.Believed = []tlog.Checkpoint{earlier.Signed}
	r, err := c.verify(t, &altered)
	testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken && r.Findings[0].Check == verifier.CheckTree,
		"with a checkpoint believed earlier: %v, %v", r, err)
}

// A reader does not trust the keys in a bundle, and a bundle that cannot prove earlier checkpoints
// does not pass.
func TestBundleIsNotBelieved(t *testing.T) {
	c := newCourt(t, 8)
	one := c.history(t, c.Entries)
	forged := newHistory(t, one.List, key(t, "log.example", tlog.Ed25519, 5))
	testmust.FailBy(t, testmust.ErrorOf(c.verify(t, c.whole(t, forged))), tlog.ErrUnsigned, "under another key")
	earlier := c.history(t, c.Entries[:4]).Signed
	c.o.Believed = []tlog.Checkpoint{earlier}
	_, err := c.verify(t, c.whole(t, one))
	testmust.FailSaying(t, err, "cannot show", "with an earlier checkpoint")
	grown := newHistory(t, one.List[:earlier.Size], c.log).Signed
	c.o.Believed = []tlog.Checkpoint{grown}
	r, err := c.verify(t, c.whole(t, one), one)
	testmust.Holdf(t, err == nil && r.Verdict == verifier.Unfinished, "with an earlier checkpoint, and the log: %v", err)
	c.o.Believed = []tlog.Checkpoint{newHistory(t, append(slices.Clone(one.List[1:]), []byte("x")), c.log).Signed}
	r, err = c.verify(t, c.whole(t, one))
	testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken, "with another one of its size: %v, %v", r, err)
}
