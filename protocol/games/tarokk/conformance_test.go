package tarokk_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

var game = play.NewGame(tarokk.Rules{})

type options = map[string]string

func decode(s *table.State) (state tarokk.State) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic(err)
	}
	return state
}

// shapes are the tables that the suite plays with all its attacks: both numbers
// of members, all presets, and the options that change what must be proved.
var shapes = []tabletest.Config{
	{Seats: 4, Deals: 2},
	{Seats: 5, Deals: 2, Options: options{"preset": "cup", "talon-fee": "true", "dealer-weeps": "true", "deal-knock": "true"}},
	{Seats: 4, Deals: 2, Options: options{"preset": "bga"}},
	{Seats: 5, Deals: 3, Options: options{"preset": "bga", "ending": "skiz", "seat-draw": "false"}},
	{Seats: 4, Options: options{"free-call": "none", "discard-announce": "first-turn", "discard-xx": "forbidden", "red-low": "four"}},
	{Seats: 4, Options: options{"count-pais": "true", "count-side": "figure", "forced-contra": "spoken", "xvii": "pais", "pagat-retention": "any-holder"}},
	{Seats: 5, Options: options{"invit-commit": "if-other-declares", "raise-sole": "true", "ultimo-duty": "exchanged", "annul-after-tarokk": "all", "seat-draw": "false"}},
}

// The kernel's promises hold for tarokk, and every move that the rules let pass
// is legal to a referee who sees all cards, and the other way round. Without
// PAKLI_TESTS=thorough, one deal on the first table and one of the others.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	chosen := testmust.SomeOf(t, len(shapes)-1, 1)
	for i, c := range shapes {
		if i > 0 && !chosen(i-1) {
			continue
		}
		c.Playouts = 1
		c.Invariant, c.Legal = watched()
		if i > 1 || !testmust.Thorough() {
			c.Deals = 1
		}
		configs = append(configs, c)
		for _, name := range testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...)) {
			other := strings.Contains(name, "tereliuswikstrom") // one in the short form shows that the game asks none in particular
			if i > 0 || name != suite.Default && (!testmust.Thorough() || !other && os.Getenv("PAKLI_PLAYOUTS") == "") {
				continue
			}
			c := c
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(name)
			c.Invariant, c.Legal = watched()
			configs = append(configs, c)
		}
	}
	tabletest.Run(t, game, configs...)
}

// A table whose moves need one proof less, whichever, must be noticed by the
// referee; or the test above means nothing.
func TestRefereeNotices(t *testing.T) {
	testmust.OnlyThorough(t, "many deals are played, until a lie comes through")
	for name, dropped := range map[string]func(table.Condition) bool{
		"B-HON":   func(c table.Condition) bool { return c.Set == tarokk.Honours },
		"P-VOID":  func(c table.Condition) bool { return len(c.Cards) < 9 && c.Set.Len() == tarokk.DeckSize-5 },
		"A-OPP":   func(c table.Condition) bool { return len(c.Cards) == 9 && c.Set.Len() == tarokk.DeckSize-1 },
		"D-CLASS": func(c table.Condition) bool { return c.Set == tarokk.PlainDiscards },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant := tabletest.MutantGame(tarokk.Rules{}, func(terms table.Terms) table.Terms {
				terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), dropped)
				return terms
			})
			c := tabletest.Config{Seats: 4, Playouts: 60}
			c.Invariant, c.Legal = watched()
			tabletest.CheckNoticed(t, mutant, c)
		})
	}
}

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
	fault := testmust.Have(tabletest.Judge(s.Table, at, tabletest.Mutant{Entry: wrong, Foul: []table.Check{table.CheckCondition}}, newCampaign().Legal))(t)
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

//go:generate go test -run TestPlaythroughs -update .

// playthroughs are deals whose rest says as little as it may.
var playthroughs = []staging{
	{
		name:   "three", // a plain three, called XX, the partner silent
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "A:say call:T20"},
	},
	{
		name:   "invit", // an invit that binds the declarer to call its card
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:two", "B:one", "A:pass", "B:say call:T19", "A:say fig:trull"},
	},
	{
		name:   "yielded", // three, two, and the pass that shows XX and a big honour
		cards:  []stacked{{"T22 T20 T9 HK HQ", "T21 T19 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "B:two", "A:pass", "B:say call:T20"},
	},
	{
		name:   "trial-won", // the fourth bids without an honour and draws one
		cards:  []stacked{{"T22 T9 HK HQ", "T21 T10 DK", "T2 T8 CK", "T20 T18 T17 SK", "T1 HA HJ"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes", "D:say call:T20"},
	},
	{
		name:   "trial-lost", // and here draws none
		cards:  []stacked{{"T22 T9 HK HQ", "T21 T10 DK", "T1 T8 CK", "T20 T18 T17 SK", "T2 HA HJ"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial no"},
	},
	{
		name: "annulled", // four kings thrown in; the same dealer deals again, for double
		cards: []stacked{{"T22 T19 T9 HQ", "HK DK CK SK T10", "T1 T8", "T21 T18 T17"},
			{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "B:annul a", "A:three", "A:say call:T20"},
	},
	{
		name:  "contra", // a ladder up to the szubkontra, with counts of eight and nine
		cards: []stacked{{"T22 T19 T18 T17 T16 T15 T14 T13 HK", "T20 T2 DK", "T21 T12 T11 T10 T9 T8 T7 T6 T5", "T1 CK"}},
		script: []string{"A:three", "A:discard HA HJ HR", "A:say count:8 call:T20", "B:say", "C:say count:9 contra:game",
			"D:say", "A:say contra:game", "B:say", "C:say contra:game"},
	},
	{
		name:  "ultimo", // announced: the pagát is kept as long as there is another tarokk, and then falls
		cards: []stacked{{"T22 T20 T19 T18 T2 HK HQ DK CK", "T17 T1 HJ HR DR SJ SQ CR CT", "T21 T16 T15 DQ T3 T4 T5 T6 T7", "T14 T13 SK CJ CQ ST T8 T9 T10", "HA DA DJ SR"}},
		script: []string{"A:three", "A:discard HA DA DJ", "A:say call:T17", "B:say fig:pagat_ultimo", "C:say",
			"D:say contra:DEC.pagat_ultimo", "A:play T22", "B:play T17", "A:play T20", "B:play T1"},
	},
	{
		name:   "solo", // solo with the own XX called: alone against three, who do not know it
		cards:  []stacked{{"T22 T21 T20 T19 T18 T17 HK DK CK", "T1 HQ", "T16 DQ", "T15 CQ"}},
		script: []string{"A:solo", "A:say call:T20 fig:four_kings"},
	},
	{
		name:   "knock", // five members: packets after a knock, and fees for honours from the talon
		config: tabletest.Config{Seats: 5, Options: options{"deal-knock": "true", "talon-fee": "true"}},
		cards:  []stacked{{"", "", "", "", "T22 T21 T1 HA HJ HR"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes", "D:say call:T20"},
	},
	{
		name:   "first-turn", // discards told only in each player's first turn
		config: tabletest.Config{Options: options{"discard-announce": "first-turn", "free-call": "none"}},
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK", "T2 T3 HA T4"}},
		script: []string{"A:three", "A:discard T2 T3 HA", "B:discard T4", "A:say call:T20"},
	},
	{
		name:   "bga", // a pool that a thrown-in deal fills and an announced pagátultimó wins
		config: tabletest.Config{Options: options{"preset": "bga"}},
		cards:  []stacked{{}, {"T22 T21 T20 T18 T17 T16 T15 T14 T1", "T19 HK", "T2 DK", "T3 CK"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:pass", "A:three", "A:discard HA HJ HR", "A:say count:9 call:T19 fig:pagat_ultimo", "A:play T22", "A:play T21", "A:play T20", "A:play T18"},
	},
}

// courses are deals, or beginnings of them, that chance seldom brings and each of which may go wrong in its own way.
var courses = []staging{
	// R-SEAT-7, R-FIG-6: the XXI falls to the skíz of an opponent, or of the partner.
	{name: "hat", cards: []stacked{{"T22", "T21 HK DK CK SK HQ DQ CQ SQ", "T18", "T1"}}, script: also(calling, "A:play T22", "B:play T21")},
	{name: "no hat", cards: []stacked{{"T22", "T21 T20 HK DK CK SK HQ DQ CQ", "T18", "T1"}}, script: also(calling, "A:play T22", "B:play T21")},
	// R-CNT-5, R-CNT-2, R-PAY-3, AMB-19, E-LATE: a count that is claimed late, may not be, and was announced.
	{name: "late count", cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say call:T20", "A:claim yes"}},
	{name: "no late count", config: tabletest.Config{Options: options{"late-count": "never"}}, cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say call:T20"}},
	{name: "count", cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say count:8 call:T20"}},
	// R-PAY-5, OPT-TALON-HONOUR-FEE, OPT-DEALER-WEEPS, AMB-26, PAK-8, E-FEE: what the fifth member gets, twice in a double round.
	{name: "five", config: tabletest.Config{Seats: 5}, cards: []stacked{honoursInTalon}, script: []string{"A:three"}},
	{name: "fees", config: tabletest.Config{Seats: 5, Options: options{"talon-fee": "true"}}, cards: []stacked{honoursInTalon}, script: []string{"A:three", "A:fee T21", "B:fee T1"}},
	{name: "double fees", config: tabletest.Config{Seats: 5, Options: options{"talon-fee": "true"}}, cards: []stacked{{}, honoursInTalon}, script: also(allPass, "A:three", "A:fee T21", "B:fee T1")},
	{name: "dealer weeps", config: tabletest.Config{Seats: 5, Options: options{"dealer-weeps": "true"}}, cards: []stacked{honoursInTalon}, script: []string{"A:three"}},
	// R-CARD-6, OPT-DECK-RED-LOW: a red four is the ace under another name.
	{name: "red fours", config: tabletest.Config{Options: options{"red-low": "four"}}, cards: []stacked{{"T22 H4", "", "", "", "CT CJ CR"}}, script: []string{"A:three", "A:discard CT CJ CR", "A:play H4"}},
	// OPT-CONV-COMMIT, PAK-4, B-INV18-FAIL, B-INV17-FAIL, R-CONV-7: an invit whose maker has no turn left to show the card.
	{name: "broken", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: []stacked{{"T22 T18", "T21", "T1"}}, script: []string{"A:three", "B:solo", "A:hold", "B:confirm no"}},
	{name: "broken XVII", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares", "xvii": "pais"}}, cards: []stacked{{"T22 T18", "T21", "T1"}},
		script: []string{"A:three", "B:two", "A:hold", "B:solo", "A:hold", "B:confirm no"}},
	{name: "kept", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: []stacked{{"T22", "T21 T18", "T1"}}, script: []string{"A:three", "B:solo", "A:hold", "B:confirm yes", "A:say call:T18"}},
	// OPT-DEAL-KNOCK: who chooses packets, which he gets, and the deal that is cut all the same.
	{name: "packets of five", config: tabletest.Config{Seats: 5, Options: options{"deal-knock": "true"}}, script: []string{"D:knock yes", "D:packet 2", "C:packet 0", "B:packet 3", "A:pass"}, short: true},
	{name: "packets", config: tabletest.Config{Options: options{"deal-knock": "true"}}, script: []string{"C:knock yes", "C:packet 3", "B:packet 1", "A:packet 0", "A:pass"}, short: true},
	{name: "cut", config: tabletest.Config{Options: options{"deal-knock": "true"}}, script: []string{"C:knock no", "A:pass"}, short: true},
	// R-SESS-4, PAK-1: members who all say so end a session between deals; one who does not keeps it going.
	{name: "stop", config: tabletest.Config{Deals: 3, Options: options{"ending": "skiz"}}, cards: []stacked{noHonour}, script: also(lostTrial, "A:wish stop", "B:wish stop", "C:wish stop", "D:wish stop"), short: true},
	{name: "no stop", config: tabletest.Config{Deals: 3, Options: options{"ending": "skiz"}}, cards: []stacked{noHonour}, script: also(lostTrial, "A:wish stop", "B:wish stop", "C:wish stop", "D:wish go"), short: true},
}

var (
	eightTarokks   = stacked{"T22 T21 T19 T18 T17 T16 T15 T14 HK", "T20 HQ", "T1", "", "HA HJ HR"}
	honoursInTalon = stacked{"T22 T20", "", "", "", "T21 DA DJ T1 HA HJ"} // A draws the XXI, B the pagát
)

// The referee finds that each course is played, paid and ended as the rules have it.
func TestCourses(t *testing.T) {
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testmust.Have(judged(c.play(t, nil).Table))(t)
		})
	}
}

// What everybody and each seat sees of a deal from its first message to its
// payment, one deal for each of the courses it may take: a card shown to a seat
// that must not see it (R-TAL-3), or one of a lost trial that is opened (E-VOIDED), or a
// rule that changes unnoticed. The referee has agreed with each of them.
func TestPlaythroughs(t *testing.T) {
	for _, p := range playthroughs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := p.play(t, nil)
			testmust.Have(judged(s.Table))(t)
			title := strings.Join(append([]string{game.Name(), s.Config.String() + ":"}, p.script...), " ")
			tabletest.Compare(t, title, s.Table, "testdata/"+p.name+".playthrough.txt")
		})
	}
}
