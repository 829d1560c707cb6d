package tarokk_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/mutants"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

//go:generate go test -run TestMutants -update .

// goldenMutants has a line for each kind of entry: what its mutants came to, and a
// hash of the reports on those that were shown to the verifier. With
// PAKLI_MUTANTS=golden it is compared whole, under either engine of the group;
// else without the hashes, which need a table replayed for each.
const goldenMutants = "testdata/mutants.golden"

// effort says how many alterations are made: in the short form a few of each sort,
// in the long form (PAKLI_MUTANTS=all) every byte of every value, proof and entry.
// Between them, PAKLI_MUTANTS=golden shows more of the few to the verifier.
type effort struct {
	bytes int // altered of each value
	moves int // other moves tried in place of one
	sight int // of so many mutants one is shown to the verifier as well, in a log
}

// shortForm is what go test does.
var shortForm = effort{bytes: 2, moves: 8, sight: 16}

func efforts() effort {
	e := shortForm
	switch {
	case os.Getenv("PAKLI_MUTANTS") == "all":
		e = effort{bytes: 1 << 20, moves: 1 << 20, sight: 16}
	case comparesHashes():
		e.sight = 3
	}
	return e
}

// comparesHashes tells whether the reports are those of goldenMutants.
func comparesHashes() bool { return os.Getenv("PAKLI_MUTANTS") == "golden" || updating() }

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// openLog is a log that shows what it is given, under a checkpoint of its own.
type openLog struct {
	entries    [][]byte
	checkpoint tlog.Checkpoint
}

var logSigner, logVerifier = func() (note.Signer, note.Verifier) {
	skey, vkey, err := note.GenerateKey(rand.NewChaCha8([32]byte{'l', 'o', 'g'}), "log.example")
	if err != nil {
		panic(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		panic(err)
	}
	v, err := note.NewVerifier(vkey)
	if err != nil {
		panic(err)
	}
	return s, v
}()

func logOf(entries [][]byte) *openLog {
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	c, err := tlog.SignCheckpoint(tree.Size(), tree.Root(), logSigner)
	if err != nil {
		panic(err)
	}
	return &openLog{entries, c}
}

func (l *openLog) Checkpoint(context.Context) (tlog.Checkpoint, error) { return l.checkpoint, nil }

func (l *openLog) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range l.entries[start:end] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (l *openLog) verify(id wire.Hash, c table.Catalogue) (*verifier.Report, error) {
	return verifier.Verify(context.Background(), l, verifier.Options{Table: id, Log: []note.Verifier{logVerifier}, Catalogue: c})
}

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
		list = append(list, staging{name: p.file, config: p.config, cards: p.cards, script: p.script, second: p.second, then: p.then, whole: true})
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

func (r staging) play(t *testing.T) *scene {
	t.Helper()
	c := r.config
	c.Suite = defaultSuite(t)
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

// kindOf says of what kind an entry is: of a move also which field it sets, and
// what it proves and turns up.
func (s *scene) kindOf(at int) string {
	m := need[*wire.Entry](s.T)(wire.Parse(s.Entries[at])).Message
	if m.Kind != table.Move {
		return string(m.Kind)
	}
	var body wire.MoveBody
	var fields map[string]json.RawMessage
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		s.Fatal(err)
	}
	if err := json.Unmarshal(body.Move, &fields); err != nil {
		s.Fatal(err)
	}
	terms := need[table.Terms](s.T)(s.States[at-1].Terms(table.Seat(m.Seat), body.Move))
	words := slices.Collect(maps.Keys(fields))
	if len(terms.Open) > 0 {
		words = append(words, "open")
	}
	var claims []string
	for _, c := range terms.Prove {
		if !slices.Contains(claims, c.Claim) {
			claims = append(claims, c.Claim)
		}
	}
	slices.Sort(claims)
	return strings.Join(append(words, claims...), " ")
}

// specimen is the first entry of its kind.
type specimen struct {
	kind string
	at   int
}

// count is what became of mutants.
type count struct {
	mutants, foul, void, legal, survivors, blamed int
	shown                                         int // to the verifier, in a log
}

func (c *count) add(o count) {
	c.mutants += o.mutants
	c.foul += o.foul
	c.void += o.void
	c.legal += o.legal
	c.survivors += o.survivors
	c.blamed += o.blamed
	c.shown += o.shown
}

func (c count) String() string {
	return fmt.Sprintf("%d mutants: %d foul, %d void, %d another legal move; %d survivors, %d honest seats blamed", c.mutants, c.foul, c.void, c.legal, c.survivors, c.blamed)
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
	list := stagings()
	tables := make([]*scene, len(list))
	t.Run("play", func(t *testing.T) {
		for i, r := range list {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				tables[i] = r.play(t)
			})
		}
	})
	seen := map[string]bool{}
	lines := make([][]string, len(list))
	var all count
	var mu sync.Mutex
	t.Run("alter", func(t *testing.T) {
		for i, s := range tables {
			if s == nil {
				t.Fatalf("%s was not played", list[i].name)
			}
			var chosen []specimen
			for at := range s.Entries[1:] {
				if kind := s.kindOf(at + 1); !seen[kind] {
					seen[kind] = true
					chosen = append(chosen, specimen{kind, at + 1})
				}
			}
			t.Run(list[i].name, func(t *testing.T) {
				t.Parallel()
				s.T = t
				for _, sp := range chosen {
					c, hash := s.campaign(sp)
					mu.Lock()
					all.add(c)
					mu.Unlock()
					lines[i] = append(lines[i], fmt.Sprintf("%s, entry %d: %s: %v; %x", list[i].name, sp.at, sp.kind, c, hash[:8]))
				}
			})
		}
	})
	t.Logf("%d kinds of entries; %v; %d of them shown to the verifier in a log", len(seen), all, all.shown)
	if all.survivors > 0 || all.blamed > 0 {
		t.Errorf("%d survivors, %d honest seats blamed", all.survivors, all.blamed)
	}
	checkKinds(t, seen)
	if os.Getenv("PAKLI_MUTANTS") != "all" {
		compareGolden(t, strings.Join(slices.Concat(lines...), "\n")+"\n")
	}
}

// checkKinds fails if a stage or a proof of the catalogue was met by no mutant.
func checkKinds(t *testing.T, seen map[string]bool) {
	t.Helper()
	words := map[string]bool{}
	for kind := range seen {
		for _, w := range strings.Fields(kind) {
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
			t.Errorf("no entry with %q was altered", w)
		}
	}
}

func compareGolden(t *testing.T, got string) {
	t.Helper()
	if updating() {
		if err := os.WriteFile(goldenMutants, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenMutants)
	if err != nil {
		t.Fatal(err)
	}
	if !comparesHashes() {
		hash := regexp.MustCompile("(?m); [0-9a-f]{16}$")
		got, want = hash.ReplaceAllString(got, ""), hash.ReplaceAll(want, nil)
	}
	if got != string(want) {
		t.Errorf("%s is not current, or this engine of the group gives other reports: go generate writes it", goldenMutants)
		old := strings.Split(string(want), "\n")
		for i, line := range strings.Split(got, "\n") {
			if i >= len(old) || line != old[i] {
				t.Logf("line %d is\n%s", i+1, line)
			}
		}
	}
}

// vocabulary is what stands in moves.
var vocabulary = mutants.Vocabulary{
	Words: slices.Concat(strings.Fields(`pass hold three two one solo a b c d e ab abc o count:8 count:9 call:T20 call:T19 call:T18
	fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture contra:game contra:DEC.pagat_ultimo contra:DEC.trull DEC DEF keep fold yes`), deck.Names("ace")),
	Verbs: slices.Sorted(maps.Values(stageVerbs)),
	Move:  func() any { return new(tarokk.Move) },
}

// mutantsOf are all mutants of one entry.
func (s *scene) mutantsOf(at int, e effort) []mutants.Mutant {
	return need[[]mutants.Mutant](s.T)(mutants.Of(s.Table, at, mutants.Effort{Bytes: e.bytes, Moves: e.moves}, vocabulary))
}

// campaign alters one entry in every way.
func (s *scene) campaign(sp specimen) (count, [sha256.Size]byte) {
	s.Helper()
	var c count
	reports := sha256.New()
	for i, m := range s.mutantsOf(sp.at, efforts()) {
		if bytes.Equal(m.Entry, s.Entries[sp.at]) {
			s.Fatalf("entry %d, %s: nothing is altered", sp.at, m.Name)
		}
		c.mutants++
		fault, err := s.judge(sp.at, m)
		switch {
		case errors.Is(err, mutants.ErrBlamed):
			c.blamed++
		case err != nil:
			c.survivors++
		case fault == nil:
			c.legal++
		case fault.Class == table.Foul:
			c.foul++
		default:
			c.void++
		}
		if err != nil {
			s.Errorf("entry %d (%s), %s: %v", sp.at, sp.kind, m.Name, err)
		}
		if i%efforts().sight == 0 {
			c.shown++
			reports.Write(s.show(sp, m, fault))
		}
	}
	if entries := s.followed(sp.at); entries != nil {
		c.mutants++
		c.foul++
		fault := &table.Fault{Class: table.Foul, Check: s.checks(sp.at)[0], Seat: s.seatOf(sp.at)}
		reports.Write(s.report(entries, sp, "a proof altered, and believed by the others", fault))
	}
	return c, [sha256.Size]byte(reports.Sum(nil))
}

func (s *scene) seatOf(at int) table.Seat {
	return table.Seat(need[*wire.Entry](s.T)(wire.Parse(s.Entries[at])).Message.Seat)
}

func (s *scene) checks(at int) []table.Check {
	return need[[]table.Check](s.T)(mutants.Checks(s.Table, at))
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
		state, err := s.States[at-1].Apply(need[*wire.Entry](s.T)(wire.Parse(forged)), table.Facts{Batch: unchecked})
		if err != nil {
			continue
		}
		view := *s.Table
		entries := append(slices.Clone(s.Entries[:at]), forged)
		for view.State = state; len(entries) < at+4 && len(view.State.Duties()) > 0; {
			entry := need[[]byte](s.T)(view.Next())
			entries = append(entries, entry)
			view.State = need[*table.State](s.T)(view.State.Apply(need[*wire.Entry](s.T)(wire.Parse(entry)), table.Facts{Batch: unchecked}))
		}
		if bytes.Equal(forged, s.Entries[at]) {
			return nil
		}
		return entries
	}
	return nil
}

// judge is what the replay makes of a mutant, by itself, and whether that is right.
// No fault: it is applied.
func (s *scene) judge(at int, m mutants.Mutant) (*table.Fault, error) {
	return mutants.Judge(s.Table, at, m, func(t *tabletest.Table) error {
		_, err := judged(t)
		return err
	})
}

// show shows a mutant to the verifier, in a log with what came before and after it,
// and returns the report: it must be what the replay says.
func (s *scene) show(sp specimen, m mutants.Mutant, fault *table.Fault) []byte {
	s.Helper()
	return s.report(slices.Concat(s.Entries[:sp.at], [][]byte{m.Entry}, s.Entries[sp.at+1:min(len(s.Entries), sp.at+4)]), sp, m.Name, fault)
}

func (s *scene) report(entries [][]byte, sp specimen, name string, fault *table.Fault) []byte {
	s.Helper()
	r, err := logOf(entries).verify(s.State.ID(), s.Catalogue())
	if err != nil {
		s.Fatalf("entry %d, %s: %v", sp.at, name, err)
	}
	if err := agrees(r, sp.at, uint64(sp.at), fault); err != nil {
		s.Errorf("entry %d (%s), %s: %v", sp.at, sp.kind, name, err)
	}
	return need[[]byte](s.T)(json.Marshal(r))
}

// agrees compares a report with what the replay makes of an entry of the table, and
// with its index in the log.
func agrees(r *verifier.Report, at int, index uint64, fault *table.Fault) error {
	switch {
	case fault != nil && fault.Class == table.Foul:
		if r.Verdict != verifier.Foul {
			return fmt.Errorf("%s, want %v", r.Verdict, fault)
		}
		if f := r.Findings[0]; *f.Seat != fault.Seat || *f.Index != index || f.Check != fault.Check || r.Applied != at-1 {
			return fmt.Errorf("seat %d, entry %d, %s; want %v at %d", *f.Seat, *f.Index, f.Check, fault, at)
		}
	case len(r.Findings) > 0 || r.Verdict != verifier.Sound && r.Verdict != verifier.Unfinished:
		return fmt.Errorf("%s %v, want nobody blamed", r.Verdict, r.Findings)
	case fault != nil && r.Applied != at-1, fault == nil && r.Applied < at:
		return fmt.Errorf("%d messages applied: %v", r.Applied, fault)
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
		log := logOf(slices.Concat([][]byte{entry}, s.Entries[1:]))
		if r, err := log.verify(s.State.ID(), s.Catalogue()); err == nil {
			t.Errorf("%s: the table that was is %s", name, r.Verdict)
		}
		r, err := log.verify(wire.HashEntry(entry), s.Catalogue())
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
		by := need[[]byte](t)(note.Sign(&note.Note{Text: string(mutants.Flipped(text, at, 1)) + "\n"}, s.Organiser))
		try(fmt.Sprintf("byte %d, by the organiser", at), by)
	}
	by := need[[]byte](t)(note.Sign(&note.Note{Text: string(text) + "\n"}, s.Hands[0].Signer))
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
	wrong := need[[]byte](t)(s.Forge(s.Entries[at], func(m *wire.Message) { m.Proofs[0] = mutants.Flipped(m.Proofs[0], 0, 1) }))
	for name, m := range map[string]mutants.Mutant{
		"an honest entry, to be void":       {Entry: s.Entries[at]},
		"an honest entry, to be foul":       {Entry: s.Entries[at], Foul: mutants.Effects},
		"a foul, to be void":                {Entry: wrong},
		"a foul by another check":           {Entry: wrong, Foul: []table.Check{table.CheckRules}},
		"what is no entry, to be a foul":    {Entry: []byte("x"), Foul: mutants.Effects},
		"a foul of another move, not legal": {Entry: s.Entries[at][1:], Foul: mutants.Effects, Moves: true},
	} {
		if _, err := s.judge(at, m); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	fault, err := s.judge(at, mutants.Mutant{Entry: wrong, Foul: []table.Check{table.CheckCondition}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := logOf(slices.Concat(s.Entries[:at], [][]byte{wrong})).verify(s.State.ID(), s.Catalogue())
	if err != nil || agrees(r, at, uint64(at), fault) != nil {
		t.Fatalf("%v, %v", err, agrees(r, at, uint64(at), fault))
	}
	other := *fault
	other.Seat++
	for name, err := range map[string]error{
		"another seat":  agrees(r, at, uint64(at), &other),
		"another entry": agrees(r, at, uint64(at)+1, fault),
		"nobody":        agrees(r, at, uint64(at), nil),
	} {
		if err == nil {
			t.Errorf("%s is blamed: not noticed", name)
		}
	}
}
