package tarokk_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// staging is a table whose deals are stacked, with its script.
type staging struct {
	name   string
	config tabletest.Config
	cards  []stacked
	script []string
	short  bool // over with its script, and not played to the end, or till players may wish to go on
	seed   uint64
}

// stagings are the playthroughs and courses, and for each proof a deal in which it is due.
func stagings() []staging {
	list := slices.Concat(playthroughs, courses)
	for _, id := range proofIDs {
		i := slices.IndexFunc(catalogue(), func(d due) bool { return len(d.Want) > 0 && strings.HasPrefix(d.Of+" ", id+" ") })
		if i >= 0 && !slices.Contains(unproved, id) {
			d := catalogue()[i]
			list = append(list, staging{name: id, config: tabletest.Config{Options: d.Options, Seats: d.Members}, cards: []stacked{d.Deal}, script: also(d.Script, d.Move), short: true})
		}
	}
	return list
}

// play plays a staging by a suite; nil is the clear one.
func (r staging) play(t *testing.T, suite proof.Suite) *scene {
	t.Helper()
	c := r.config
	c.Suite = suite
	s := newSceneOf(t, c, max(1, r.seed), r.cards...).run(r.script...)
	if !r.short {
		s.rest()
	}
	return s
}

// vocabulary is what stands in moves.
var vocabulary = tabletest.Vocabulary{
	Words: slices.Concat(strings.Fields(`pass hold three two one solo a b c d e ab abc o count:8 count:9 call:T20 call:T19 call:T18
	fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture contra:game contra:DEC.pagat_ultimo contra:DEC.trull DEC DEF keep fold yes`), tarokk.FaceNames("ace")),
	Verbs: slices.Sorted(maps.Values(stageVerbs)),
	Move:  func() any { return new(tarokk.Move) },
}

func newCampaign() *tabletest.Campaign {
	return &tabletest.Campaign{Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: 8}), Words: vocabulary, Legal: func(t *tabletest.Table) error {
		_, err := judged(t)
		return err
	}, Shows: func(t testing.TB, played *tabletest.Table, at int, m tabletest.Mutant, fault *table.Fault) {
		verifiertest.VerifyShown(t, played, at, m.Entry, fault)
	}}
}

// Nothing slips through: for every kind of entry that a session of tarokk has, each
// field, value, proof and signature altered, by an outsider and by the seat itself.
// A mutant that is applied, unless the referee finds it legal; a foul laid at
// another seat's door, or at another entry; a batch that says otherwise than a
// check of the one message. Without PAKLI_TESTS=thorough or PAKLI_MUTANTS=all, of some kinds that some tables have.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	c, all := newCampaign(), testmust.Thorough() || os.Getenv("PAKLI_MUTANTS") == "all"
	list := stagings()
	tried := testmust.SomeOf(t, len(list), 2)
	t.Run("tables", func(t *testing.T) {
		for i, r := range list {
			if !all && !tried(i) {
				continue
			}
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				s := r.play(t, defaultSuite(t))
				fresh := c.FirstOfKinds(t, s.Table)
				for n := range testmust.ChosenIndexes(t, len(fresh), 2) {
					c.Alter(t, s.Table, fresh[n])
					s.follow(fresh[n])
				}
			})
		}
	})
	if !all {
		t.Log(c)
		return
	}
	want := append([]string{"key", "shuffle", "show", "permute", "knock", "packet"}, slices.Collect(maps.Values(stageVerbs))...)
	for _, id := range proofIDs {
		if !slices.Contains(unproved, id) && !strings.HasPrefix(id, "S-") && !strings.HasSuffix(id, "-OPEN") {
			want = append(want, id)
		}
	}
	c.RequireWords(t, want...)
}

// follow has a proof of an entry altered, and believed by the others: the seat of the entry is to blame, and
// nobody of those who went on.
func (s *scene) follow(at int) {
	s.Helper()
	entries := s.followed(at)
	if entries == nil {
		return
	}
	checks := testmust.Have(tabletest.ProofChecks(s.Table, at))(s.T)
	fault := &table.Fault{Class: table.Foul, Check: checks[0], Seat: table.Seat(s.ParseMessage(s.Entries[at]).Seat)}
	r := testmust.Have(verifiertest.Report(s.T, entries, s.State.ID(), s.Catalogue()))(s.T)
	err := verifiertest.AgreesWith(r, at, uint64(at), fault)
	testmust.Holdf(s, err == nil, "entry %d: %v", at, err)
}

// followed is the log in which the entry has a proof that does not verify, and the
// others, who did not check it, went on: their messages hold, and are not to blame.
// It is nil if the entry has no proof that can only be found out in a batch.
func (s *scene) followed(at int) [][]byte {
	s.Helper()
	unchecked := s.Config.Suite.NewBatch()
	for n := range 8 {
		forged, err := s.Forge(s.Entries[at], func(m *wire.Message) {
			if len(m.Proofs) > 0 {
				m.Proofs[0] = tabletest.FlipBit(m.Proofs[0], max(0, len(m.Proofs[0])-32+n), 1)
			}
		})
		testmust.Require(s, err == nil, err)
		state, err := s.States[at-1].Apply(testmust.Have(wire.Parse(forged))(s.T), table.Facts{Batch: unchecked})
		if err != nil {
			continue
		}
		view := *s.Table
		entries := append(slices.Clone(s.Entries[:at]), forged)
		for view.State = state; len(entries) < at+4 && len(view.State.Duties()) > 0; {
			entry := testmust.Have(view.Next())(s.T)
			entries = append(entries, entry)
			view.State = testmust.Have(view.State.Apply(testmust.Have(wire.Parse(entry))(s.T), table.Facts{Batch: unchecked}))(s.T)
		}
		if bytes.Equal(forged, s.Entries[at]) {
			return nil
		}
		return entries
	}
	return nil
}

// The tests above would notice: an entry that should be refused and is not, one that
// is refused for another reason, and a report that is of another place or nobody's.
func TestMutantsWouldBeNoticed(t *testing.T) {
	s := newScene(t, tabletest.Config{Suite: defaultSuite(t)}, stacked{"T22"}).run("A:three")
	at := len(s.Entries) - 1
	wrong := testmust.Have(s.Forge(s.Entries[at], func(m *wire.Message) { m.Proofs[0] = tabletest.FlipBit(m.Proofs[0], 0, 1) }))(t)
	for name, m := range map[string]tabletest.Mutant{
		"an honest entry, to be void":       {Entry: s.Entries[at]},
		"an honest entry, to be foul":       {Entry: s.Entries[at], Foul: tabletest.Effects},
		"a foul, to be void":                {Entry: wrong},
		"a foul by another check":           {Entry: wrong, Foul: []table.Check{table.CheckRules}},
		"what is no entry, to be a foul":    {Entry: []byte("x"), Foul: tabletest.Effects},
		"a foul of another move, not legal": {Entry: s.Entries[at][1:], Foul: tabletest.Effects, Moves: true},
	} {
		testmust.Fail(t, testmust.ErrorOf(tabletest.Judge(s.Table, at, m, newCampaign().Legal)), name, "not noticed")
	}
	fault, err := tabletest.Judge(s.Table, at, tabletest.Mutant{Entry: wrong, Foul: []table.Check{table.CheckCondition}}, newCampaign().Legal)
	testmust.Do(t, err)
	r, err := verifiertest.Report(t, slices.Concat(s.Entries[:at], [][]byte{wrong}), s.State.ID(), s.Catalogue())
	if err != nil || verifiertest.AgreesWith(r, at, uint64(at), fault) != nil {
		t.Fatalf("%v, %v", err, verifiertest.AgreesWith(r, at, uint64(at), fault))
	}
	other := *fault
	other.Seat++
	for name, err := range map[string]error{
		"another seat":  verifiertest.AgreesWith(r, at, uint64(at), &other),
		"another entry": verifiertest.AgreesWith(r, at, uint64(at)+1, fault),
		"nobody":        verifiertest.AgreesWith(r, at, uint64(at), nil),
	} {
		testmust.Fail(t, err, name, "is blamed: not noticed")
	}
}
