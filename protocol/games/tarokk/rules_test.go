package tarokk_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A discard that is against the rules can never be disclosed, and where a table
// discloses late it is refused at once (R-DISC-2, R-DISC-3, R-DISC-4, AMB-05,
// OPT-DISC-XX, D-CLASS).
func TestDiscardVectors(t *testing.T) {
	type vector struct {
		ID      string
		Cards   []string
		Legal   bool
		Invit   string `json:"binding_invit"`
		Note    string
		options options
		script  []string
	}
	vectors := vectorsOf[[]vector](t, "discard_legality.json")
	vectors = append(vectors,
		vector{ID: "OPT-DISC-XX=forbidden", Cards: []string{"T20"}, options: options{"discard-xx": "forbidden"}},
		vector{ID: "BGA-8", Cards: []string{"T20"}, options: options{"preset": "bga"}},
		vector{ID: "BGA-8, any other tarokk", Cards: []string{"T19"}, Legal: true, options: options{"preset": "bga"}},
		vector{ID: "a yielded game", Cards: []string{"T20"}, script: []string{"A:three", "B:two", "A:pass"}},
		vector{ID: "AMB-05: the inviter declares", Cards: []string{"T19"}, Legal: true, script: []string{"A:two"}},
		vector{ID: "the skíz", Cards: []string{"T22"}}, vector{ID: "a ten", Cards: []string{"CT"}, Legal: true},
	)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			if v.script == nil {
				v.script = map[string][]string{"": {"A:three"}, "XIX": invited, "XVIII": {"A:one", "B:solo", "A:pass"}}[v.Invit]
			}
			hand := []string{"T22", "T20", "T19", "T18", "CT", "CJ", "CR"}
			for _, c := range v.Cards {
				if !slices.Contains(hand, c) {
					hand = append(hand, c)
				}
			}
			others := slices.DeleteFunc([]string{"T21", "T1"}, func(c string) bool { return slices.Contains(hand, c) })
			s := newScene(t, tabletest.Config{Options: v.options}, stacked{strings.Join(hand, " "), strings.Join(others, " ")}).run(v.script...)
			s.reach("A:discard")
			rest := slices.DeleteFunc([]string{"CT", "CJ", "CR"}, func(c string) bool { return slices.Contains(v.Cards, c) })
			all := slices.Concat(v.Cards, rest)[:max(len(v.Cards), len(s.public().Deal.Cards[0])-9)]
			_, is := s.offered("A:discard " + strings.Join(all, " "))
			testmust.Holdf(t, is == v.Legal, "%v may be laid away: %t, want %t", all, is, v.Legal)
		})
	}
}

// A hand that may be annulled must be offered as that and nothing else
// (R-ANN-1, R-ANN-2, N-a to N-e).
func TestAnnulmentVectors(t *testing.T) {
	type vector struct {
		ID, Allowed, Note string
		Hand              []string
		Discarded         int `json:"tarokks_discarded"`
	}
	for _, v := range vectorsOf[[]vector](t, "annulment.json") {
		for _, after := range []string{"kings", "all"} { // OPT-ANNUL-AFTER-TDISC
			drawn, bidder := []string{"ST", "T2"}[v.Discarded], "T22"
			if slices.Contains(v.Hand, "T22") {
				bidder = "T1"
			}
			allowed := strings.TrimPrefix(v.Allowed, "none")
			if after == "all" && v.ID == "NUL-03" {
				allowed = "b"
			}
			s := newScene(t, tabletest.Config{Options: options{"annul-after-tarokk": after}}, stacked{strings.Join(v.Hand, " "), "", bidder, "", "T10 T11 T12 T13 " + drawn + " T14"})
			s.run("A:pass", "B:pass", "C:three", "A:discard "+drawn)
			moves, is := s.offered("A:annul " + allowed)
			testmust.Holdf(t, is && len(moves) == 1+len(allowed), "%s, annul-after-tarokk %s: %v, want %q", v.ID, after, moves, allowed)
		}
	}
}

// Which cards may be played to a lead (R-CARD-3, R-PLAY-2, R-PLAY-3, R-PLAY-4,
// R-PLAY-6): by B, who declares and, if bound, has announced pagátultimó, to a card of A or on lead.
func TestPlayVectors(t *testing.T) {
	type vector struct {
		ID    string
		Led   *string
		Hand  []string
		Bound bool `json:"pagat_bound"`
		Legal []string
	}
	for _, v := range vectorsOf[[]vector](t, "play.json") {
		turn, played := "call:T20", "CT CQ CJ CR" // which B takes
		if v.Bound {
			turn += ",fig:pagat_ultimo"
		}
		if v.Led != nil {
			played = *v.Led
		}
		s := script(t, "pass three pass pass").exchange(-1, false).say(turn, "", "", "").play(played)
		s.state.Deal.Held[1] = "abcdefghi"[:len(v.Hand)]
		var got []string
		for _, m := range (tarokk.Rules{}).Moves(s.state, s.sees(strings.Join(v.Hand, " "))) {
			if m.Play.Side == "" {
				got = append(got, m.Play.Face)
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(v.Legal))
		testmust.Holdf(t, slices.Equal(got, want), "%s: %v may be played, want %v", v.ID, got, want)
	}
}

// The deal passes on after a deal that was paid, as by a lost trial, and stays after one that was
// thrown in; double rounds multiply what is paid in between. The referee agrees with dealers and payments, too
// (R-DEAL-4, R-DEAL-5, R-ROUND-1 to R-ROUND-3, R-PAY-7, R-BID-12, OPT-THROWIN).
func TestDoubleRoundsInASession(t *testing.T) {
	type vector struct {
		ID, Src, Events string
		Members         int
		Expect          []int
		throwIn         string
	}
	for _, v := range append(vectorsOf[[]vector](t, "double_rounds.json"), vector{ID: "none", Events: "X D D", Members: 4, Expect: []int{1, 1}, throwIn: "none"}) {
		c := tabletest.Config{Seats: v.Members, Deals: strings.Count(v.Events, "D")}
		if v.throwIn != "" {
			c.Options = options{"throw-in": v.throwIn}
		}
		events := strings.Fields(v.Events)
		s := newScene(t, c, slices.Repeat([]stacked{noHonour}, len(events))...)
		for _, e := range events {
			s.run(map[string][]string{"X": allPass, "D": lostTrial}[e]...)
		}
		testmust.Have(judged(s.Table))(t)
		var got []int
		for _, past := range s.public().Past {
			if past.How != tarokk.Passed {
				got = append(got, past.Multiplier)
			}
		}
		testmust.Hold(t, slices.Equal(got, v.Expect), v.ID, got, "want", v.Expect)
	}
}

// A session that was declared to end must last until the skíz has dealt and once
// around (R-SESS-1, R-SESS-2, R-SESS-3, AMB-21, E-SKIZ): the observed deal is number 1. Half of the sessions are
// played without PAKLI_TESTS=thorough.
func TestSkizProcedure(t *testing.T) {
	type vector struct {
		ID       string
		Members  int
		T        int
		Deals    int `json:"skiz_deals"`
		LastDeal int `json:"last_deal"`
	}
	list := vectorsOf[[]vector](t, "skiz_procedure.json")
	for i := range testmust.ChosenIndexes(t, len(list), len(list)) {
		v := list[i]
		// The holder sits t places from the dealer: A is the first of them, and of
		// four members D the dealer himself.
		observed := stacked{"T21 T20"}
		observed[(v.T+v.Members-1)%v.Members] += " T22"
		s := newScene(t, tabletest.Config{Seats: v.Members, Deals: 30, Options: options{"ending": "skiz"}},
			append([]stacked{noHonour, {}, noHonour, observed}, slices.Repeat([]stacked{noHonour}, v.LastDeal)...)...)
		s.run(also(lostTrial, "A:wish skiz")...)
		s.refuses("B:wish skiz", "R-SESS-1")
		n := 1 // R-SESS-3: a deal that is thrown in is not observed, and neither is a lost trial
		for s.run(allPass...).run(lostTrial...).run("A:three").rest(); s.public().Stage != tarokk.Over; n++ {
			s.run(lostTrial...)
		}
		_, err := judged(s.Table)
		testmust.Holdf(t, err == nil && n == v.LastDeal && v.Deals == v.T+1, "%s: %d deals from the observed one, want %d; %v", v.ID, n, v.LastDeal, err)
	}
}

// Who takes a trick (R-PLAY-5).
func TestTrickVectors(t *testing.T) {
	type vector struct {
		ID     string
		Cards  []string
		Winner int `json:"winner_index"`
	}
	for _, v := range vectorsOf[[]vector](t, "tricks.json") {
		var cards []card.Face
		for _, name := range v.Cards {
			f := testmust.Have(tarokk.ParseFace(name))(t)
			cards = append(cards, f)
		}
		testmust.Equal(t, shared.TrickWinner(tarokk.TrickRules{}, cards), v.Winner, v.ID, v.Cards, "is taken by")
	}
}

// A set of the proofs with a card too many lets that card through (R-CARD-8).
func TestProofSets(t *testing.T) {
	sets := map[string]card.Set{
		"DECK": tarokk.AllFaces, "TAROKK": tarokk.Tarokks, "SUITS": tarokk.Plain, "SUIT": tarokk.CardsOf(tarokk.Hearts), "HONOUR": tarokk.Honours,
		"NONHONOUR": tarokk.AllBut(tarokk.Honours), "BIG": tarokk.BigHonours, "KINGS": tarokk.Kings, "DISCARDABLE": tarokk.Discardable,
		"TDISC": tarokk.TarokkDiscards, "PLAINDISC": tarokk.PlainDiscards, "NOT_CARD": tarokk.AllBut(card.SetOf(tarokk.XX)),
		"NOT_SUIT": tarokk.AllBut(tarokk.CardsOf(tarokk.Clubs)), "OTHER_SUITS": tarokk.Plain.Minus(tarokk.CardsOf(tarokk.Spades)),
	}
	for name, n := range vectorsOf[map[string]int](t, "proof_sets.json") {
		s, is := sets[name]
		testmust.Holdf(t, is && s.Len() == n, "%s has %d cards, want %d", name, s.Len(), n)
	}
}

// R-CARD-9: the names of a deck and of its cards are hashed into every transcript
// and every card element. One that 61 does not have, or in another order, is the
// end of every other verifier.
func TestDecksOfTheSpecification(t *testing.T) {
	text := string(testmust.Have(os.ReadFile(specRules))(t))
	for _, low := range []string{"ace", "four"} {
		_, pack, err := tarokk.Rules{}.Setup(table.Config{Seats: 4, Deals: 1, Options: options{"red-low": low}})
		testmust.Do(t, err)
		names := make([]string, pack.Len())
		for f := range names {
			names[f] = pack.FaceName(card.Face(f))
		}
		if low == "four" {
			names[slices.Index(names, "H4")], names[slices.Index(names, "D4")] = "HA", "DA"
		}
		list := "`" + strings.Join(names, "` `") + "`"
		testmust.Holdf(t, strings.Contains(text, "| `"+low+"` | `"+pack.Name()+"` |") && strings.Contains(text, list),
			"61 does not name the deck %s with %s", pack.Name(), list)
	}
}

// R-CARD-1, R-CARD-2, R-CARD-5: a card too many, or one worth a wrong number of
// points, moves the total.
func TestPack(t *testing.T) {
	total, bySuit := 0, map[tarokk.Suit]int{}
	for f := range card.Face(tarokk.DeckSize) {
		total += tarokk.FacePoints(f)
		bySuit[tarokk.SuitOf(f)]++
	}
	testmust.Equal(t, total, tarokk.TotalPoints, "points of the pack")
	for _, s := range append([]tarokk.Suit{tarokk.Tarokk}, tarokk.PlainSuits...) {
		testmust.Equal(t, bySuit[s], tarokk.CardsOf(s).Len(), s, "cards")
	}
	testmust.Have(card.NewDeck("tarokk", tarokk.FaceNames("four")))(t)
}

// A card of five points is one that no exchange may hide.
func TestDiscardable(t *testing.T) {
	for _, f := range tarokk.Honours.Union(tarokk.Kings).Faces() {
		if tarokk.FacePoints(f) != 5 || tarokk.Discardable.Has(f) {
			t.Errorf("%s: a card of five points cannot be discarded", tarokk.FaceName(f))
		}
	}
}

// R-CARD-2, R-CARD-7: every name is read back, numerals too, and nothing else is.
func TestNames(t *testing.T) {
	for _, low := range []string{"ace", "four"} {
		for i, name := range tarokk.FaceNames(tarokk.RedLow(low)) {
			f, err := tarokk.ParseFace(name)
			testmust.Holdf(t, err == nil && int(f) == i, "%s is read as %d, %v", name, f, err)
		}
	}
	f, err := tarokk.ParseFace("XIX")
	testmust.Holdf(t, err == nil && f == tarokk.XIX && tarokk.FaceName(f) == "T19" && tarokk.RomanNumeral(f) == "XIX", "XIX is read as %d, %v", f, err)
	for _, name := range []string{"", "T0", "T23", "T01", "HT", "CA", "C4", "hk", "SKIZ "} {
		testmust.Fail(t, testmust.ErrorOf(tarokk.ParseFace(name)), name, "is read")
	}
}

// R-CON-1: two texts for one item, or one text for two, would let a contra of
// one count for the other.
func TestItemTexts(t *testing.T) {
	seen := map[string]bool{}
	items := []tarokk.Item{tarokk.TheGame}
	for _, f := range tarokk.Figures {
		items = append(items, tarokk.Item{Side: tarokk.DeclarerSide, Figure: f}, tarokk.Item{Side: tarokk.DefenderSide, Figure: f})
	}
	for _, i := range items {
		back, err := tarokk.ParseItem(i.String())
		testmust.Holdf(t, err == nil && back == i && !seen[i.String()], "%s is read as %s, %v", i, back, err)
		seen[i.String()] = true
	}
	testmust.Holdf(t, len(seen) == 13 && seen["game"] && seen["DEC.trull"] && seen["DEF.pagat_ultimo"], "items %v", seen)
}

// What is no item is refused, and leaves an item that was there alone.
func TestParseItemRefuses(t *testing.T) {
	for _, text := range []string{"", ".", "game ", "DEC.game", "DEF.game", "DEC", "DEC.", ".trull", "dec.trull", "DEC.trull.trull", "DEF.ultimo", "Unknown.trull"} {
		i := tarokk.Item{Side: tarokk.DefenderSide, Figure: tarokk.Volat}
		err := i.UnmarshalText([]byte(text))
		testmust.Holdf(t, err != nil && i.String() == "DEF.volat", "%q is read as %s, %v", text, i, err)
	}
}

// A side and an item that are lost on their way through a state.
func TestSidesAndItemsAsJSON(t *testing.T) {
	type value struct {
		Side  tarokk.Side
		Items map[tarokk.Item]int
	}
	in := value{tarokk.DefenderSide, map[tarokk.Item]int{tarokk.TheGame: 1, {Side: tarokk.DefenderSide, Figure: tarokk.Trull}: 2}}
	data, err := json.Marshal(in)
	want := `{"Side":"DEF","Items":{"DEF.trull":2,"game":1}}`
	testmust.Requiref(t, err == nil && string(data) == want, "got %s, %v, want %s", data, err, want)
	var out value
	err = json.Unmarshal(data, &out)
	testmust.Holdf(t, err == nil && out.Side == in.Side && len(out.Items) == 2 && out.Items[tarokk.TheGame] == 1, "read back as %v, %v", out, err)
	err = json.Unmarshal([]byte(`{"Side":""}`), &out)
	testmust.Holdf(t, err == nil && out.Side == tarokk.UnknownSide, "no side is read as %q, %v", out.Side, err)
	for _, bad := range []string{`{"Side":"dec"}`, `{"Side":1}`, `{"Items":{"DEC.game":1}}`} {
		testmust.Fail(t, json.Unmarshal([]byte(bad), &out), bad, "is read")
	}
	if s := tarokk.UnknownSide; s.String() != "" || s.OtherSide() != tarokk.UnknownSide || tarokk.DeclarerSide.OtherSide() != tarokk.DefenderSide || tarokk.DefenderSide.OtherSide() != tarokk.DeclarerSide {
		t.Error("the other side of a side")
	}
}

type optionValues = map[string]string

func parse(seats int, o optionValues) (tarokk.RuleSet, error) {
	return tarokk.ParseRuleSet(table.Config{Seats: seats, Deals: 1, Options: o})
}

func must(t *testing.T, o optionValues) tarokk.RuleSet { return testmust.Have(parse(5, o))(t) }

// The book is what a table plays that says nothing, and every option has its
// default there (61.13).
func TestBookIsTheDefault(t *testing.T) {
	book := must(t, nil)
	d := tarokk.Diff(book, must(t, optionValues{"preset": "book"}))
	testmust.Holdf(t, len(d) == 0, "%+v", d)
	for _, o := range tarokk.Options() {
		if o.Values != nil && o.Value(book) != o.Values[0] {
			t.Errorf("%s is %s in the book, and %s in the specification", o.Name, o.Value(book), o.Values[0])
		}
	}
}

// Every value of every option can be said, is kept, and is seen in the
// difference to the book: an option that the table forgets, or two that write
// to one place, or that is lost in the public state.
func TestEveryValueIsKept(t *testing.T) {
	book := must(t, nil)
	companions := optionValues{"discard-announce": "free-call=none", "double-volat-same-player": ""}
	for _, o := range tarokk.Options() {
		for _, v := range valuesOf(o, book) {
			given := optionValues{o.Name: v}
			name, value, has := strings.Cut(companions[o.Name], "=")
			if has && v != o.Value(book) {
				given[name] = value
			}
			r := must(t, given)
			var again tarokk.RuleSet
			testmust.Do(t, json.Unmarshal(testmust.Have(json.Marshal(r))(t), &again))
			if got := o.Value(r); got != v || again != r {
				t.Errorf("%s=%s is kept as %s, and read as %s", o.Name, v, got, o.Value(again))
			}
			changed := len(given)
			if v == o.Value(book) {
				changed = 0
			}
			d := tarokk.Diff(book, r)
			testmust.Holdf(t, len(d) == changed, "%v differs from the book in %d options: %+v", given, len(d), d)
		}
	}
}

func valuesOf(o tarokk.Option, book tarokk.RuleSet) []string {
	switch {
	case o.Values != nil && o.Name == "annul-time": // before-discard knows fewer hands
		return o.Values[:1]
	case o.Values != nil:
		return o.Values
	case o.Name == "annul-hands":
		return []string{"", "b", "abc", "abcde"}
	case o.Name == "conventions":
		return []string{"true", "false"}
	case o.Value(book) == "true" || o.Value(book) == "false":
		return []string{"true", "false"}
	case strings.HasSuffix(o.Name, "-silent"):
		return []string{"0", o.Value(book)}
	}
	return []string{o.Value(book), "1000"}
}

// The presets, as a person reads them: what the Kégl variant and the tariff of
// tournaments change.
func TestPresets(t *testing.T) {
	for name, want := range map[string]string{
		"book": "",
		"cup":  "xxi-silent 21 42, xxi-announced 42 84",
		"bga": "trial-pays base two, solo-jump new bga, first-bid invit withdrawn, hold-refuses false true, yield-shows big-honour honour, " +
			"ultimo-duty dealt exchanged, discard-xx allowed uninvited, free-call any none, annul-hands abcde abd, " +
			"annul-time after-discard before-discard, double-kings scored not, ultimo-pool false true",
	} {
		var got []string
		for _, d := range tarokk.Diff(must(t, nil), must(t, optionValues{"preset": name})) {
			got = append(got, d.Name+" "+d.A+" "+d.B)
		}
		testmust.Equal(t, strings.Join(got, ", "), want, "preset", name)
		_, known := tarokk.PresetNamed(name)
		testmust.Holdf(t, known, "preset %s is not known by its name", name)
	}
	testmust.Equal(t, len(tarokk.PresetNames()), 3, tarokk.PresetNames(), "a preset without a test")
	r := must(t, optionValues{"preset": "bga", "free-call": "any"})
	testmust.Hold(t, r.FreeCall == "any" && r.UltimoPool, "an option beside a preset does not count, or takes the preset away")
}

// Rule sets that make no sense are refused before anybody sits down, with the
// option at fault.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		seats int
		o     optionValues
		want  string
	}{
		{3, nil, "R-SEAT-1"}, {6, nil, "R-SEAT-1"},
		{4, optionValues{"preset": "poker"}, "preset=poker"},
		{4, optionValues{"illustrated": "true"}, "unknown option illustrated"},
		{4, optionValues{"contra-tie": "46"}, "one of 47, 48"},
		{4, optionValues{"xxi-silent": "1001"}, "number from 0 to 1000"},
		{4, optionValues{"xxi-silent": "021"}, "number from 0 to 1000"},
		{4, optionValues{"annul-hands": "ba"}, "option annul-hands=ba"},
		{4, optionValues{"conventions": "false", "xvii": "pais"}, "conventions=false leaves nothing"},
		{4, optionValues{"conventions": "false", "discard-xx": "uninvited"}, "knows no invit"},
		{4, optionValues{"preset": "bga", "conventions": "false"}, "conventions=false"},
		{4, optionValues{"hold-refuses": "true", "invit-to": "bidder-hold"}, "leave no answer"},
		{4, optionValues{"hold-refuses": "true", "xvii": "pais"}, "both say what three, two, one shows"},
		{4, optionValues{"discard-announce": "first-turn"}, "free-call must be none"},
		{4, optionValues{"annul-time": "before-discard"}, "a, b and d alone"},
		{4, optionValues{"annul-time": "before-discard", "annul-hands": "b", "annul-after-tarokk": "all"}, "leave out annul-after-tarokk"},
		{4, optionValues{"double-volat-same-turn": "true", "double-volat-same-player": "false"}, "needs double-volat-same-player"},
		{4, optionValues{"kings-silent": "3"}, "kings-announced"},
		{4, optionValues{"ultimo-announced": "4"}, "ultimo-announced"},
		{4, optionValues{"xxi-silent": "43"}, "xxi-announced"},
		{4, optionValues{"talon-fee": "true"}, "five members"},
		{4, optionValues{"dealer-weeps": "true"}, "five members"},
	} {
		testmust.FailSaying(t, testmust.ErrorOf(parse(c.seats, c.o)), c.want, c.seats, "members", c.o, "want an error about")
	}
}

//go:generate go test -run TestSpecification -update .

const (
	specification = "../../../docs/spec/61-tarokk.md"
	begin         = "<!-- Generated by go generate ./protocol/games/tarokk from here -->\n"
	end           = "<!-- to here -->\n"
)

// An option, a value, a default or a preset that the program has and the
// specification does not, or the other way round: two verifiers would open
// different tables.
func TestSpecification(t *testing.T) {
	raw := testmust.Have(os.ReadFile(specification))(t)
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, closed := strings.Cut(rest, end)
	testmust.Requiref(t, ok && closed, "%s does not say where its tables of options are", specification)
	testmust.Same(t, specification, before+begin+optionTable()+presetTable()+conflictList()+end+after)
}

// A value of which the specification does not say what it does.
func TestEveryValueIsExplained(t *testing.T) {
	for _, o := range tarokk.Options() {
		for _, v := range o.Values {
			testmust.Holdf(t, o.Name == "red-low" || o.Name == "contra-tie" || strings.Contains(o.Meaning, "`"+v+"`"),
				"%s: nothing says what %s does", o.Name, v)
		}
	}
}

func optionTable() string {
	var b strings.Builder
	book, _ := tarokk.PresetNamed("book")
	fmt.Fprintf(&b, "\n| option | values, the book's first | what it does | source |\n|---|---|---|---|\n")
	fmt.Fprintf(&b, "| `preset` | %s | what the other options are that are not given | |\n", code(tarokk.PresetNames()))
	for _, o := range tarokk.Options() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Name, values(o, o.Value(book)), o.Meaning, o.Source)
	}
	return b.String()
}

func values(o tarokk.Option, book string) string {
	switch {
	case o.Values != nil:
		return code(o.Values)
	case book == "true":
		return code([]string{"true", "false"})
	case book == "false":
		return code([]string{"false", "true"})
	case o.Name == "annul-hands":
		return "`" + book + "`, or any of these letters in this order, or none"
	}
	return "`" + book + "`, or any number from 0 to 1000"
}

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// presetTable is what presets are but for the book.
func presetTable() string {
	var b strings.Builder
	book, _ := tarokk.PresetNamed("book")
	fmt.Fprintf(&b, "\nA preset is the book with these options:\n\n| preset | options |\n|---|---|\n")
	for _, name := range tarokk.PresetNames() {
		r, _ := tarokk.PresetNamed(name)
		var list []string
		for _, d := range tarokk.Diff(book, r) {
			list = append(list, d.Name+"="+d.B)
		}
		if list != nil {
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, code(list))
		}
	}
	return b.String()
}

func conflictList() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nA table does not open with options, given or by preset, that contradict one of these. An option\nof which it says that there is nothing to change must be as in the book.\n\n")
	for _, why := range tarokk.Conflicts() {
		fmt.Fprintf(&b, "- %s\n", why)
	}
	return b.String() + "\n"
}
