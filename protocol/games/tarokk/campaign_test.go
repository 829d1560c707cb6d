package tarokk_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

//go:generate go test -run TestMutants -update .

// goldenMutants has a line for each kind of entry: where it is, what its mutants came to, and a
// hash of the reports on those that were shown to the verifier. Some of the kinds are altered; all
// of them where the tests are thorough or with PAKLI_MUTANTS=golden, which shows more mutants to the
// verifier and compares the hashes, under either engine of the group.
const goldenMutants = "testdata/mutants.golden"

// sampledKinds is how many kinds of entries are altered, if not all.
const sampledKinds = 5

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func comparesHashes() bool { return os.Getenv("PAKLI_MUTANTS") == "golden" || updating() }

// staging is a stacked table that has entries of kinds that others lack.
type staging struct {
	name   string
	config tabletest.Config
	cards  stacked
	script []string
	second stacked
	then   []string
	whole  bool // played to its end, or till players may wish to go on
	seed   uint64
}

// stagings are the playthroughs, and for each proof a deal in which it is due.
func stagings() []staging {
	var list []staging
	for _, p := range playthroughs {
		p.whole = true
		list = append(list, p)
	}
	for _, id := range proofIDs {
		i := slices.IndexFunc(catalogue, func(d due) bool { return len(d.want) > 0 && strings.HasPrefix(d.of+" ", id+" ") })
		if i >= 0 && !slices.Contains(unproved, id) {
			d := catalogue[i]
			list = append(list, staging{name: id, config: tabletest.Config{Options: d.options, Seats: d.members}, cards: d.deal, script: also(d.script, d.move)})
		}
	}
	return append(list, rare...)
}

// rare are deals for entries that the others lack.
var rare = []staging{
	{name: "confirmed", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: stacked{"T22", "T21 T18"},
		script: []string{"A:three", "B:solo", "A:hold", "B:confirm yes"}},
	{name: "no XVIII", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: stacked{"T22", "T21", "T18"},
		script: []string{"A:three", "B:solo", "A:hold", "B:confirm no"}},
	{name: "wishes", config: tabletest.Config{Deals: 3, Options: options{"ending": "skiz"}}, cards: stacked{"T22"},
		script: []string{"A:three"}, whole: true},
}

// play plays a staging by a suite; nil is the clear one.
func (r staging) play(t *testing.T, suite proof.Suite) *scene {
	t.Helper()
	c := r.config
	c.Suite = suite
	s := newSceneOf(t, c, r.cards, max(1, r.seed)).run(r.script...)
	if r.then != nil {
		s.restack(r.second)
		s.run(r.then...)
	}
	for n := 0; r.whole && len(s.State.Duties()) > 0; n++ {
		if wishes := s.public().Stage == tarokk.Between; !s.step() && len(s.State.Duties()) > 0 {
			s.quietly()
			r.whole = !wishes
		}
		if n > maxSteps {
			s.Fatal("it does not end")
		}
	}
	return s
}

// vocabulary is what stands in moves.
var vocabulary = mutants.Vocabulary{
	Words: slices.Concat(strings.Fields(`pass hold three two one solo a b c d e ab abc o count:8 count:9 call:T20 call:T19 call:T18
	fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture contra:game contra:DEC.pagat_ultimo contra:DEC.trull DEC DEF keep fold yes`), deck.Names("ace")),
	Verbs: slices.Sorted(maps.Values(stageVerbs)),
	Move:  func() any { return new(tarokk.Move) },
}

func newCampaign() *mutants.Campaign {
	c := &mutants.Campaign{Effort: mutants.Asked(mutants.Effort{Bytes: 2, Moves: 8}), Words: vocabulary, Legal: func(t *tabletest.Table) error {
		_, err := judged(t)
		return err
	}}
	if comparesHashes() {
		c.Sight = 3
	}
	return c
}

// specimen is the first entry of its kind.
type specimen struct {
	table string
	at    int
	kind  string
}

func (sp specimen) String() string {
	return fmt.Sprintf("%s, entry %d: %s: ", sp.table, sp.at, sp.kind)
}

// specimens are the entries of the golden file, or those that will be in it.
func specimens(t *testing.T) (list []specimen) {
	t.Helper()
	if updating() {
		c := newCampaign()
		for _, r := range stagings() {
			s := r.play(t, defaultSuite(t))
			for _, at := range c.Fresh(t, s.Table) {
				list = append(list, specimen{r.name, at, mutants.Kind(t, s.Table, at)})
			}
		}
		return list
	}
	line := regexp.MustCompile(`(?m)^(.*), entry (\d+): (.*?): .*$`)
	for _, found := range line.FindAllStringSubmatch(string(testmust.Have(os.ReadFile(goldenMutants))(t)), -1) {
		at, _ := strconv.Atoi(found[2])
		list = append(list, specimen{found[1], at, found[3]})
	}
	return list
}

// Nothing slips through: for every kind of entry that a session of tarokk has, each
// field, value, proof and signature altered, by an outsider and by the seat itself.
// A mutant that is applied, unless the referee finds it legal; a foul laid at
// another seat's door, or at another entry; a batch that says otherwise than a
// check of the one message.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	list := specimens(t)
	checkKinds(t, list)
	chosen := func(int) bool { return true }
	if os.Getenv("PAKLI_MUTANTS") == "" && !updating() {
		chosen = thorough.Some(t, len(list), sampledKinds)
	}
	lines := make([]string, len(list))
	t.Run("tables", func(t *testing.T) {
		for _, r := range stagings() {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				var s *scene
				for i, sp := range list {
					if sp.table == r.name && chosen(i) {
						if s == nil {
							s = r.play(t, defaultSuite(t))
						}
						lines[i] = s.campaign(sp)
					}
				}
			})
		}
	})
	if os.Getenv("PAKLI_MUTANTS") != "all" && !t.Failed() {
		compareGolden(t, lines)
	}
}

// checkKinds fails if a stage or a proof of the catalogue was met by no mutant.
func checkKinds(t *testing.T, list []specimen) {
	t.Helper()
	words := map[string]bool{}
	for _, sp := range list {
		for _, w := range strings.Fields(sp.kind) {
			words[w] = true
		}
	}
	want := append([]string{"key", "shuffle", "show", "permute", "knock", "packet"}, slices.Collect(maps.Values(stageVerbs))...)
	for _, id := range proofIDs {
		if !slices.Contains(unproved, id) && !strings.HasPrefix(id, "S-") && !strings.HasSuffix(id, "-OPEN") {
			want = append(want, id)
		}
	}
	for _, w := range want {
		if !words[w] {
			t.Errorf("no entry with %q is altered", w)
		}
	}
}

// compareGolden compares the lines of the kinds that were altered.
func compareGolden(t *testing.T, lines []string) {
	t.Helper()
	if updating() {
		testmust.Do(t, os.WriteFile(goldenMutants, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	hash := regexp.MustCompile("; [0-9a-f]{16}$")
	for i, want := range strings.Split(strings.TrimSpace(string(testmust.Have(os.ReadFile(goldenMutants))(t))), "\n") {
		got := lines[i]
		if !comparesHashes() {
			got, want = hash.ReplaceAllString(got, ""), hash.ReplaceAllString(want, "")
		}
		if lines[i] != "" && got != want {
			t.Errorf("%s is not current, or this engine of the group gives other reports: go generate writes it; got\n%s, want\n%s", goldenMutants, got, want)
		}
	}
}

// campaign alters one entry in every way, and returns its line.
func (s *scene) campaign(sp specimen) string {
	s.Helper()
	if kind := mutants.Kind(s.T, s.Table, sp.at); kind != sp.kind {
		s.Fatalf("%v is %q: go generate writes it", sp, kind)
	}
	c, reports := newCampaign(), sha256.New()
	c.Shows = func(t testing.TB, played *tabletest.Table, at int, m mutants.Mutant, fault *table.Fault) {
		reports.Write(testmust.Have(json.Marshal(verifiertest.Shown(t, played, at, m.Entry, fault)))(s.T))
	}
	c.Alter(s.T, s.Table, sp.at)
	if entries := s.followed(sp.at); entries != nil {
		checks := testmust.Have(mutants.Checks(s.Table, sp.at))(s.T)
		fault := &table.Fault{Class: table.Foul, Check: checks[0], Seat: table.Seat(s.Parsed(s.Entries[sp.at]).Seat)}
		r := testmust.Have(verifiertest.Report(s.T, entries, s.State.ID(), s.Catalogue()))(s.T)
		if err := verifiertest.Agrees(r, sp.at, uint64(sp.at), fault); err != nil {
			s.Errorf("%v a proof altered, and believed by the others: %v", sp, err)
		}
		reports.Write(testmust.Have(json.Marshal(r))(s.T))
	}
	return fmt.Sprintf("%v%v; %x", sp, c, reports.Sum(nil)[:8])
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
				m.Proofs[0] = mutants.Flipped(m.Proofs[0], max(0, len(m.Proofs[0])-32+n), 1)
			}
		})
		if err != nil {
			s.Fatal(err)
		}
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

// A genesis entry altered, by anybody or by the organiser himself, begins another
// table or none: no message of the old one can be held against its seat.
func TestMutantsOfGenesis(t *testing.T) {
	s := newScene(t, tabletest.Config{Suite: defaultSuite(t)}, stacked{"T22"}).run("A:three")
	genesis := s.Entries[0]
	text := genesis[:bytes.IndexByte(genesis, '\n')]
	step := 9
	if os.Getenv("PAKLI_MUTANTS") == "all" {
		step = 1
	}
	tried, begun := 0, 0
	try := func(name string, entry []byte) {
		tried++
		log := slices.Concat([][]byte{entry}, s.Entries[1:])
		if r, err := verifiertest.Report(t, log, s.State.ID(), s.Catalogue()); err == nil {
			t.Errorf("%s: the table that was is %s", name, r.Verdict)
		}
		r, err := verifiertest.Report(t, log, wire.HashEntry(entry), s.Catalogue())
		if err == nil {
			begun++
		}
		if err == nil && (r.Verdict != verifier.Unfinished || r.Applied > 0 || len(r.Findings) > 0) {
			t.Errorf("%s: the table that it begins is %s, %d messages applied: %v", name, r.Verdict, r.Applied, r.Findings)
		}
	}
	for at := 0; at < len(genesis); at += step {
		try(fmt.Sprintf("byte %d", at), mutants.Flipped(genesis, at, 1))
	}
	outsiders := begun
	for at := 0; at < len(text); at += step {
		by := testmust.Have(note.Sign(&note.Note{Text: string(mutants.Flipped(text, at, 1)) + "\n"}, s.Organiser))(t)
		try(fmt.Sprintf("byte %d, by the organiser", at), by)
	}
	by := testmust.Have(note.Sign(&note.Note{Text: string(text) + "\n"}, s.Hands[0].Signer))(t)
	try("signed by a seat", by)
	if outsiders > 0 || begun == 0 {
		t.Errorf("%d tables begun by outsiders, %d in all", outsiders, begun)
	}
	t.Logf("%d mutants, of which %d begin another table; nobody is blamed", tried, begun)
}

// The tests above would notice: an entry that should be refused and is not, one that
// is refused for another reason, and a report that is of another place or nobody's.
func TestMutantsWouldBeNoticed(t *testing.T) {
	s := newScene(t, tabletest.Config{Suite: defaultSuite(t)}, stacked{"T22"}).run("A:three")
	at := len(s.Entries) - 1
	wrong := testmust.Have(s.Forge(s.Entries[at], func(m *wire.Message) { m.Proofs[0] = mutants.Flipped(m.Proofs[0], 0, 1) }))(t)
	for name, m := range map[string]mutants.Mutant{
		"an honest entry, to be void":       {Entry: s.Entries[at]},
		"an honest entry, to be foul":       {Entry: s.Entries[at], Foul: mutants.Effects},
		"a foul, to be void":                {Entry: wrong},
		"a foul by another check":           {Entry: wrong, Foul: []table.Check{table.CheckRules}},
		"what is no entry, to be a foul":    {Entry: []byte("x"), Foul: mutants.Effects},
		"a foul of another move, not legal": {Entry: s.Entries[at][1:], Foul: mutants.Effects, Moves: true},
	} {
		if _, err := mutants.Judge(s.Table, at, m, newCampaign().Legal); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	fault, err := mutants.Judge(s.Table, at, mutants.Mutant{Entry: wrong, Foul: []table.Check{table.CheckCondition}}, newCampaign().Legal)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verifiertest.Report(t, slices.Concat(s.Entries[:at], [][]byte{wrong}), s.State.ID(), s.Catalogue())
	if err != nil || verifiertest.Agrees(r, at, uint64(at), fault) != nil {
		t.Fatalf("%v, %v", err, verifiertest.Agrees(r, at, uint64(at), fault))
	}
	other := *fault
	other.Seat++
	for name, err := range map[string]error{
		"another seat":  verifiertest.Agrees(r, at, uint64(at), &other),
		"another entry": verifiertest.Agrees(r, at, uint64(at)+1, fault),
		"nobody":        verifiertest.Agrees(r, at, uint64(at), nil),
	} {
		if err == nil {
			t.Errorf("%s is blamed: not noticed", name)
		}
	}
}
