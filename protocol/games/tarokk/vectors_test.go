package tarokk_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	presentation "github.com/pakli/pakli/protocol/games/tarokk/scene"
	seam "github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// vectorsOf reads one table of the specification. A field that T does not have is an error:
// what no test knows, no test checks.
func vectorsOf[T any](t *testing.T, name string) T {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(testmust.Have(os.ReadFile(filepath.Join(vectorsFolder, name)))(t)))
	d.DisallowUnknownFields()
	var table T
	testmust.Do(t, d.Decode(&table))
	return table
}

// rulesOf are those of the book with options.
func rulesOf(t *testing.T, o options) tarokk.RuleSet {
	t.Helper()
	return testmust.Have(tarokk.ParseRuleSet(table.Config{Seats: 5, Options: o}))(t)
}

// player is what vectors call a seat; nobody is "".
func player(name string) int {
	if name == "" {
		return none
	}
	return strings.Index("ABCD", name)
}

func facesOf(t *testing.T, names ...string) []card.Face {
	t.Helper()
	var list []card.Face
	for _, name := range names {
		list = append(list, testmust.Have(tarokk.ParseFace(name))(t))
	}
	return list
}

func roman(f *card.Face) string {
	if f == nil {
		return ""
	}
	return tarokk.RomanNumeral(*f)
}

// bidVector is an entry of auctions.json and auctions_derived.json.
type bidVector struct {
	ID, Src, Note string
	Calls         []string
	Skipped       []string
	Expect        struct {
		Declarer string
		Level    tarokk.Call
		Draw     map[string]int
		Invit    *struct{ By, Card string }
		Yielded  string
		MustCall string `json:"must_call"`
		Honour   []string
		ThrownIn bool `json:"thrown_in"`
		// What a thrown-in deal does to the deals after it is no matter of the auction.
		SameDealer         bool `json:"same_dealer"`
		DoubleRoundStarted bool `json:"double_round_started"`
	}
}

// said says calls as in "A:three", all but the last of which must be legal.
func said(t *testing.T, r tarokk.RuleSet, calls []string) (s tarokk.Auction, claims []tarokk.Claim, err error) {
	t.Helper()
	for i, c := range calls {
		seat, call, _ := strings.Cut(c, ":")
		next, proved, err := s.ApplyCall(r, player(seat), tarokk.Call(call))
		testmust.Requiref(t, err == nil || i+1 >= len(calls), "call %d, %s: %v", i, c, err)
		if err != nil {
			return s, nil, err
		}
		s, claims = next, proved
	}
	return s, claims, nil
}

// ended is what a whole auction decides.
func ended(t *testing.T, r tarokk.RuleSet, calls []string) tarokk.Outcome {
	t.Helper()
	s, _, err := said(t, r, calls)
	seat, over := s.Speaker(r)
	testmust.Requiref(t, err == nil && over, "%v: seat %d must still speak, %v", calls, seat, err)
	return s.Outcome(r)
}

// The auctions of the book, and those derived from its rules: another declarer,
// level, invit, duty or draw, or a seat passed over that had a call, is wrong.
func TestAuctionVectors(t *testing.T) {
	for _, v := range slices.Concat(vectorsOf[[]bidVector](t, "auctions.json"), vectorsOf[[]bidVector](t, "auctions_derived.json")) {
		o := ended(t, rulesOf(t, nil), v.Calls)
		if o.ThrownIn || v.Expect.ThrownIn {
			testmust.Equal(t, o.ThrownIn, v.Expect.ThrownIn, v.ID, "thrown")
			continue
		}
		want := tarokk.Outcome{Declarer: player(v.Expect.Declarer), Level: v.Expect.Level.Level(), Inviter: none, Yielder: player(v.Expect.Yielded)}
		shown := ""
		if v.Expect.Invit != nil {
			want.Inviter, shown = player(v.Expect.Invit.By), v.Expect.Invit.Card
		}
		testmust.Holdf(t, o.Declarer == want.Declarer && o.Level == want.Level && o.Inviter == want.Inviter && o.Yielder == want.Yielder,
			"%s: %+v, want %+v", v.ID, o, want)
		if roman(o.Shown) != shown || roman(o.MustCall) != v.Expect.MustCall {
			t.Errorf("%s: %q is shown and %q must be called, want %+v", v.ID, roman(o.Shown), roman(o.MustCall), v.Expect)
		}
		for seat, name := range []string{"A", "B", "C", "D"} {
			testmust.Holdf(t, o.Draw[seat] == v.Expect.Draw[name] && o.Honour[seat] == slices.Contains(v.Expect.Honour, name),
				"%s: %s draws %d and is known to hold an honour: %t", v.ID, name, o.Draw[seat], o.Honour[seat])
			spoke := slices.ContainsFunc(v.Calls, func(c string) bool { return strings.HasPrefix(c, name) })
			want := slices.Contains(v.Skipped, name)
			testmust.Holdf(t, spoke != want, "%s: %s spoke: %t, and should have been passed over: %t", v.ID, name, spoke, want)
		}
	}
}

var ruleNumbers = regexp.MustCompile(`R-[A-Z]+-[0-9]+|/[0-9]+`)

// rulesNamed lists the rules that a sentence names: "R-BID-3/9" are two.
func rulesNamed(why string) []string {
	var list []string
	for _, n := range ruleNumbers.FindAllString(why, -1) {
		if strings.HasPrefix(n, "/") {
			n = list[0][:strings.LastIndex(list[0], "-")+1] + n[1:]
		}
		list = append(list, n)
	}
	return list
}

// refusedBy reports whether an error names one of the rules.
func refusedBy(err error, rules ...string) bool {
	return err != nil && slices.ContainsFunc(rules, func(rule string) bool {
		return strings.Contains(err.Error(), rule+":") || strings.Contains(err.Error(), rule+",")
	})
}

func TestIllegalCalls(t *testing.T) {
	for _, v := range vectorsOf[[]struct {
		ID, Why string
		Calls   []string
	}](t, "illegal_calls.json") {
		_, _, err := said(t, rulesOf(t, nil), v.Calls)
		testmust.Holdf(t, refusedBy(err, rulesNamed(v.Why)...), "%s: %v: %v, want %s", v.ID, v.Calls, err, v.Why)
	}
}

// R-BID-4, R-CONV-6, R-CONV-12, R-BID-14, R-CONV-3: a claim too few lets a hand
// call that must not, a claim too many stops one that may.
func TestCallsOfHands(t *testing.T) {
	for _, v := range vectorsOf[[]struct {
		ID, Why, Duty string
		Calls         []string
		HandA         []string `json:"hand_of_A"`
		HandD         []string `json:"hand_of_D"`
		Legal         bool
	}](t, "illegal_with_hands.json") {
		s, claims, err := said(t, rulesOf(t, nil), v.Calls)
		hand := facesOf(t, slices.Concat(v.HandA, v.HandD)...)
		by := s.Said[len(s.Said)-1].Seat
		testmust.Requiref(t, err == nil && (by == 3) == (v.HandD != nil), "%s: the hand is not that of the last speaker, seat %d, %v", v.ID, by, err)
		testmust.Holdf(t, holds(hand, claims) == v.Legal, "%s: of %+v all are true: %t (%s)", v.ID, claims, !v.Legal, v.Why)
		if v.Duty == "" {
			continue
		}
		// R-CONV-8: the inviter without a big honour, A, must announce.
		o := ended(t, rulesOf(t, nil), append(slices.Clone(v.Calls), "B:one", "C:pass", "D:pass", "A:pass"))
		testmust.Holdf(t, o.Ultimo == 0 && !slices.ContainsFunc(hand, tarokk.BigHonours.Has), "%s: the duty is of seat %d, want A with %v", v.ID, o.Ultimo, hand)
	}
}

// The auctions of the book under other options.
func TestOptionOverrides(t *testing.T) {
	names := map[string]string{"OPT-CONV-SOLO-JUMP": "solo-jump", "OPT-CONV-XVII": "xvii", "OPT-BID-HOLD": "bid-hold", "PRESET": "preset"}
	for _, o := range vectorsOf[[]struct {
		Vector, Option, Value string
		InvitCard             json.RawMessage `json:"invit_card"`
		MustCall              json.RawMessage `json:"must_call"`
		IllegalCallIndex      *int            `json:"illegal_call_index"`
	}](t, "option_overrides.json") {
		list := vectorsOf[[]bidVector](t, "auctions.json")
		calls := list[slices.IndexFunc(list, func(v bidVector) bool { return v.ID == o.Vector })].Calls
		r := rulesOf(t, options{names[o.Option]: strings.ToLower(o.Value)})
		if o.IllegalCallIndex != nil {
			_, _, err := said(t, r, calls[:*o.IllegalCallIndex+1])
			testmust.Holdf(t, refusedBy(err, "OPT-BID-HOLD=old", "R-BID-9"), "%+v: %v", o, err)
			continue
		}
		got := ended(t, r, calls)
		for _, c := range []struct {
			face *card.Face
			want json.RawMessage
		}{{got.Shown, o.InvitCard}, {got.MustCall, o.MustCall}} {
			name := roman(c.face)
			if c.want != nil {
				testmust.Do(t, json.Unmarshal(c.want, &name))
			}
			if name != roman(c.face) || string(c.want) == "null" && c.face != nil {
				t.Errorf("%s, %s=%s: %q, want %s", o.Vector, o.Option, o.Value, roman(c.face), c.want)
			}
		}
	}
}

// R-TAL-1: the blocks of the talon go round from the declarer.
func TestTalonTable(t *testing.T) {
	for bid, blocks := range vectorsOf[map[tarokk.Call][4]int](t, "talon_table.json") {
		for declarer := range 4 {
			got := tarokk.DrawCounts(bid.Level(), declarer)
			for i, want := range blocks {
				seat := (declarer + i) % 4
				testmust.Holdf(t, got[seat] == want, "%s by seat %d: seat %d draws %d, want %d", bid, declarer, seat, got[seat], want)
			}
		}
	}
}

type turnVector struct {
	ID       string
	Src      string
	Note     string
	Declarer string
	Turns    [][2]any
	Illegal  string
	Expect   *struct {
		Ended  bool
		Side   map[string]string
		Items  map[string]int
		Counts map[string]int
		Holder json.RawMessage `json:"holder_of_called"`
	}
}

// play takes the turns, in which cards are called by their numerals; of an illegal vector
// only the last may be refused.
func (v turnVector) play(t *testing.T) (tarokk.Announcements, error) {
	t.Helper()
	s := tarokk.NewAnnouncements(tarokk.PublicFacts{Declarer: player(v.Declarer), Partner: none, Ultimo: none})
	for i, turn := range v.Turns {
		say := []string{}
		for _, text := range turn[1].([]any) {
			kind, name, _ := strings.Cut(text.(string), ":")
			if kind == "call" {
				name = tarokk.FaceName(facesOf(t, name)[0])
			}
			say = append(say, kind+":"+name)
		}
		next, _, err := s.TakeTurn(rulesOf(t, nil), player(turn[0].(string)), say)
		testmust.Requiref(t, err == nil || i+1 >= len(v.Turns), "%s: turn %d: %v", v.ID, i, err)
		if err != nil {
			return s, err
		}
		s = next
	}
	return s, nil
}

// The source's announcements and the derived ones: a wrong side, a step too
// many, an end too late, a count lost, an illegal turn accepted.
func TestAnnouncementVectors(t *testing.T) {
	for _, v := range slices.Concat(vectorsOf[[]turnVector](t, "announcements.json"), vectorsOf[[]turnVector](t, "announcements_derived.json")) {
		s, err := v.play(t)
		switch rule, _, _ := strings.Cut(v.Illegal, " "); {
		case (v.Expect == nil) == (v.Illegal == ""):
			t.Fatalf("%s: a vector is either legal or illegal", v.ID)
		case v.Expect != nil && err != nil:
			t.Errorf("%s: %v", v.ID, err)
		case v.Expect != nil:
			v.check(t, s)
		case err == nil || !strings.Contains(err.Error(), rule):
			t.Errorf("%s: got %v, want %s", v.ID, err, rule)
		}
	}
}

func (v turnVector) check(t *testing.T, s tarokk.Announcements) {
	t.Helper()
	_, over := s.Speaker()
	testmust.Holdf(t, over == v.Expect.Ended, "%s: ended is %t", v.ID, over)
	holder := "null"
	for seat, side := range s.Sides {
		name := "ABCD"[seat : seat+1]
		want := strings.ReplaceAll(v.Expect.Side[name], "unknown", "")
		testmust.Holdf(t, v.Expect.Side == nil || side.String() == want, "%s: %s is of %q, want %q", v.ID, name, side, want)
		if seat != s.Declarer && side == tarokk.DeclarerSide {
			holder = `"` + name + `"`
		}
		if want := v.Expect.Counts[name]; v.Expect.Counts != nil && s.Counts[seat] != want {
			t.Errorf("%s: %s counts %d, want %d", v.ID, name, s.Counts[seat], want)
		}
	}
	for _, a := range s.Items {
		steps, ok := v.Expect.Items[a.Item.String()]
		testmust.Holdf(t, v.Expect.Items == nil || ok && steps == a.Contra, "%s: %s has step %d, want %d (%t)", v.ID, a.Item, a.Contra, steps, ok)
	}
	testmust.Holdf(t, v.Expect.Items == nil || len(v.Expect.Items) == len(s.Items), "%s: items %v, want %v", v.ID, s.Items, v.Expect.Items)
	testmust.Holdf(t, v.Expect.Holder == nil || holder == string(v.Expect.Holder),
		"%s: holder of the called card is %s, want %s", v.ID, holder, v.Expect.Holder)
}

// R-CALL-1 to R-CALL-7: the calls that are public and proved are those of the
// vector, no more and no fewer; and nobody can speak as partner of a declarer
// who called himself.
func TestCallVectors(t *testing.T) {
	for _, v := range vectorsOf[[]struct {
		ID, Src, Note string
		Tarokks       []string `json:"declarer_tarokks"`
		Discard       []string `json:"own_discard"`
		Others        bool     `json:"others_discarded_tarokk"`
		Invit         *string
		Allowed       []string
		AloneIfs      []string `json:"alone_if"`
	}](t, "calls.json") {
		p := tarokk.PublicFacts{Partner: none, Ultimo: none, Opened: facesOf(t, v.Discard...)}
		if p.Tarokks[0] = len(v.Discard); v.Others {
			p.Tarokks[2] = 1
		}
		if v.Invit != nil {
			p.Partner, p.MustCall = 3, &facesOf(t, strings.TrimSuffix(*v.Invit, "_yielded"))[0]
		}
		own := append(facesOf(t, v.Tarokks...), tarokk.Plain.Faces()[:9-len(v.Tarokks)]...)
		others := tarokk.AllBut(card.SetOf(facesOf(t, append(v.Discard, v.Tarokks...)...)...)).Faces()
		s, r := tarokk.NewAnnouncements(p), rulesOf(t, nil)
		var allowed, alone []card.Face
		for _, f := range s.CallableTarokks(r) {
			next, claims, err := s.TakeTurn(r, 0, []string{"call:" + tarokk.FaceName(f)})
			testmust.Do(t, err)
			if !holds(own, claims) {
				continue
			}
			allowed = append(allowed, f)
			_, claims, err = next.TakeTurn(r, 1, []string{"fig:trull"})
			testmust.Do(t, err)
			if len(claims) == 1 && claims[0].ID == "A-PART" && !holds(others, claims) {
				alone = append(alone, f)
			}
		}
		for what, both := range map[string][2][]card.Face{"allowed": {allowed, facesOf(t, v.Allowed...)}, "alone": {alone, facesOf(t, v.AloneIfs...)}} {
			slices.Sort(both[1])
			testmust.Holdf(t, slices.Equal(both[0], both[1]), "%s: %s: got %v, want %v", v.ID, what, both[0], both[1])
		}
	}
}

// specified is a condition as a table of 62.4 has it: "1..n of H0 in HONOUR".
type specified struct{ id, low, high, groups, set string }

func (c specified) String() string {
	return fmt.Sprintf("%s: %s..%s of %s in %s", c.id, c.low, c.high, c.groups, c.set)
}

var (
	idOfRow     = regexp.MustCompile(`[BTDNCAPE]-[A-Za-z0-9]+(?:-[A-Z0-9]+)*`)
	ofRules     = regexp.MustCompile(`\(.*\)`)
	ofCondition = regexp.MustCompile("`([a-z0-9-]+)\\.\\.([a-z0-9]+) of ([A-Z0-9/]+) in ([^`]+)`")
)

// theCatalogue is read from the text of the specification.
var theCatalogue = sync.OnceValue(func() []specified {
	text := testmust.Need(os.ReadFile(specProofs))
	var list []specified
	for line := range strings.Lines(string(text)) {
		column := strings.Split(line, "|")
		if len(column) < 3 {
			continue
		}
		for _, id := range idOfRow.FindAllString(ofRules.ReplaceAllString(column[1], ""), -1) {
			for _, m := range ofCondition.FindAllStringSubmatch(line, -1) {
				list = append(list, specified{id, m[1], m[2], m[3], m[4]})
			}
		}
	}
	return list
})

// order is that of 62.4.9 for a move: ids that come in this order. In a turn,
// what the statements prove stands between, as it is spoken.
var order = map[string][]string{
	"call":     {"B-HON", "B-YIELD", "B-INV"},
	"disclose": {"D-CLASS XP", "D-CLASS XT"},
	"play":     {"P-PAG ", "P-"},
	"say":      {"D-CLASS XP", "D-CLASS XT", "statements", "A-LE7", "A-ULTI", "A-DCONTRA none"},
}

// unspecified says in what a move's terms are other than 62.4 has them; nothing
// if they are not. met is told which conditions there were.
func unspecified(s tarokk.State, p int, m tarokk.Move, terms table.Terms, met func(specified)) error {
	sets := dealSets(s, m)
	place := 0
	for _, c := range terms.Prove {
		if c.Trivial() {
			continue
		}
		i := slices.IndexFunc(theCatalogue(), func(w specified) bool { return w.fits(c, sets) })
		if i < 0 {
			return fmt.Errorf("%s is not in 62.4: %d..%d of %d cards of %s in %s", c.Claim, c.Min, c.Max, len(c.Cards), c.Group, setInWords(c.Set))
		}
		if want := groupPlaces(s, p, m, c.Group); !slices.Equal(want, c.Cards) {
			return fmt.Errorf("%s: the cards of %s are %v, and those of 62.1 are %v", c.Claim, c.Group, c.Cards, want)
		}
		if wantDealt := c.Group == "H0" || c.Group == "D"; wantDealt != c.Dealt {
			return fmt.Errorf("%s: dealt is %t", c.Claim, c.Dealt)
		}
		w := theCatalogue()[i]
		met(w)
		at := placeIn(verbOf(m), w)
		if at < place {
			return fmt.Errorf("%s is proved after what comes after it in 62.4.9", w)
		}
		place = at
	}
	return nil
}

// placeIn is the place of a condition in the order of its move.
func placeIn(verb string, w specified) int {
	name := w.id + " " + w.groups
	if w.id == "A-DCONTRA" && w.low == "n" {
		name = "A-DCONTRA none"
	}
	ids := order[verb]
	for i, id := range ids {
		if strings.HasPrefix(name, id) {
			return i
		}
	}
	return max(slices.Index(ids, "statements"), 0)
}

// verbOf is the field of a move that 62.4.9 orders anything for.
func verbOf(m tarokk.Move) string {
	for verb, set := range map[string]bool{"call": m.Call != nil, "disclose": m.Disclose != nil, "play": m.Play != nil, "say": m.Say != nil} {
		if set {
			return verb
		}
	}
	return ""
}

// fits compares a condition with one of the specification.
func (w specified) fits(c table.Condition, sets map[string]card.Set) bool {
	n := len(c.Cards)
	number := func(text string) int {
		switch text {
		case "n":
			return n
		case "m":
			return sets["M"].Len()
		case "l":
			return sets["L"].Len()
		}
		if less, ok := strings.CutPrefix(text, "n-"); ok {
			k, _ := strconv.Atoi(less)
			return n - k
		}
		return testmust.Need(strconv.Atoi(text))
	}
	if w.id != c.Claim || !slices.Contains(strings.Split(w.groups, "/"), c.Group) || number(w.low) != c.Min || number(w.high) != c.Max {
		return false
	}
	if w.set == "not need" {
		return isNeed(tarokk.AllBut(c.Set))
	}
	return setOfText(w.set, sets) == c.Set
}

// isNeed reports whether a set is of whole suits, one or more.
func isNeed(need card.Set) bool {
	rest := need
	for _, suit := range append(slices.Clone(tarokk.PlainSuits), tarokk.Tarokk) {
		if tarokk.CardsOf(suit).Minus(need) == (card.Set{}) {
			rest = rest.Minus(tarokk.CardsOf(suit))
		}
	}
	return rest == (card.Set{}) && need != rest
}

// setOfText reads a set as 62.1 writes it.
func setOfText(text string, sets map[string]card.Set) card.Set {
	if rest, ok := strings.CutPrefix(text, "not "); ok {
		return tarokk.AllBut(setOfText(strings.Trim(rest, "()"), sets))
	}
	if a, b, ok := strings.Cut(text, " less "); ok {
		return setOfText(a, sets).Minus(setOfText(b, sets))
	}
	if s, ok := sets[text]; ok {
		return s
	}
	f, err := tarokk.ParseFace(strings.Trim(text, "{}"))
	if err != nil {
		panic(fmt.Sprintf("no set %q", text))
	}
	return card.SetOf(f)
}

// dealSets are the sets of 62.1, those of the deal among them.
func dealSets(s tarokk.State, m tarokk.Move) map[string]card.Set {
	sets := map[string]card.Set{
		"TAROKK": tarokk.Tarokks, "SUITS": tarokk.Plain, "HONOUR": tarokk.Honours, "BIG": tarokk.BigHonours, "KINGS": tarokk.Kings,
		"TDISC": tarokk.TarokkDiscards, "PLAINDISC": tarokk.PlainDiscards, "DISCARDABLE": tarokk.Discardable, "{X}": {}, "F": {}, "M": {}, "L": {},
	}
	if o := s.Deal.Outcome; o != nil {
		if o.MustCall != nil {
			sets["F"] = card.SetOf(*o.MustCall)
		}
		if xx := s.Rules.DiscardXX; xx == "forbidden" || xx == "uninvited" && o.MustCall == nil {
			sets["F"] = sets["F"].AddFace(tarokk.XX)
		}
	}
	if a := s.Deal.Announce; a != nil && a.Called != nil {
		sets["{X}"] = card.SetOf(*a.Called)
	}
	if m.Say != nil {
		for _, text := range m.Say.Turn {
			if name, ok := strings.CutPrefix(text, "call:"); ok {
				called, _ := tarokk.ParseFace(name)
				sets["{X}"], sets["M"] = card.SetOf(called), between(s, m, called)
			}
		}
	}
	if m.Fee != nil {
		for _, name := range *m.Fee {
			f, _ := tarokk.ParseFace(name)
			sets["L"] = sets["L"].AddFace(f)
		}
	}
	return sets
}

// between is M of 62.1.
func between(s tarokk.State, m tarokk.Move, called card.Face) card.Set {
	var set card.Set
	for f := called + 1; f <= tarokk.XX; f++ {
		set = set.AddFace(f)
	}
	turned := slices.Clone(s.Deal.Discards[s.Deal.Outcome.Declarer].Faces)
	if m.Say.Discards != nil {
		turned = append(turned, m.Say.Discards.Open...)
	}
	for _, name := range turned {
		if f, err := tarokk.ParseFace(name); err == nil {
			set = set.Minus(card.SetOf(f))
		}
	}
	return set
}

// groupPlaces are the places of a group of 62.1, in its order.
func groupPlaces(s tarokk.State, p int, m tarokk.Move, group string) []table.Card {
	d := s.Deal
	gone, tarokks := d.Discards[p].Letters, d.Discards[p].Tarokks
	held := d.Held[p]
	if m.Discard != nil {
		gone = *m.Discard
	}
	if m.Disclose != nil {
		tarokks = m.Disclose.Tarokks
	}
	if m.Say != nil && m.Say.Discards != nil {
		tarokks = m.Say.Discards.Tarokks
	}
	if m.Play != nil {
		held = strings.ReplaceAll(held, m.Play.Card, "")
	}
	letters := map[string]string{"H0": "abcdefghi", "D": "jklmno"[:len(d.Cards[p])-9], "G": "abcdefghijklmno"[:len(d.Cards[p])],
		"X": gone, "XT": tarokks, "XP": "", "H1": held, "R": held}[group]
	if group == "XP" {
		letters = strings.Map(func(r rune) rune {
			if strings.ContainsRune(tarokks, r) {
				return -1
			}
			return r
		}, gone)
	}
	var list []table.Card
	for _, letter := range letters {
		list = append(list, d.Cards[p][letter-'a'])
	}
	return list
}

// R-CALL-8 with OPT-COUNT-PAIS: the discarder of the called card holds nine
// tarokks, so must contra and count; and under OPT-COUNT-SIDE may count only after
// the contra. He must be offered it, and a bot must not wait for ever.
func TestDiscarderWithNineTarokks(t *testing.T) {
	for _, forced := range []string{"silent", "spoken"} {
		for _, side := range []string{"neutral", "figure"} {
			s := newScene(t, tabletest.Config{Options: options{"count-pais": "true", "count-side": side, "forced-contra": forced}},
				stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 T9 T10", "T21", "T1", "HA HJ HR T11"})
			s.run("A:three", "B:pass", "B:discard T11", "A:say call:T11").reach("B:say")
			testmust.Hold(t, len(s.Moves(s.seat(1))) != 0, forced, side, "no move is offered")
			move := testmust.Have(s.Choose(s.seat(1), rand.New(rand.NewPCG(1, 2))))(t)
			testmust.Holdf(t, move != nil, "%s, %s: the bot waits", forced, side)
		}
	}
}

// asked is what a player of a scene is asked.
func (s *scene) asked(player int) seam.Ask {
	seat := s.seat(player)
	return seam.NewGame(tarokk.Rules{}.Name(), presentation.Presentation{}).Ask(seam.SeatPosition(s.State, s.View(seat)))
}

// At the first trick there is no card yet to explain a refusal by: of the pagát that
// the partner of the announcer may not lead, neither as it is nor as an opponent.
func TestTheFirstLeadIsExplained(t *testing.T) {
	s := newScene(t, tabletest.Config{Seats: 4, Deals: 1}, stacked{"T20 T1", "T22"})
	s.run("B:three", "B:say call:T20 fig:pagat_ultimo", "C:say", "D:say", "A:say")
	barred := 0
	for _, part := range s.asked(0).Parts {
		switch {
		case strings.HasSuffix(string(part.Pick), ":def"):
			t.Errorf("the partner of the announcer is offered %s", part.Pick)
		case part.Why != nil && part.Why.ID == "why.R-PLAY-6":
			barred++
		}
	}
	testmust.Equal(t, barred, 1, "cards are barred by R-PLAY-6")
}

// Who may not annul is asked like who may: an answer at once would tell them
// apart (62.5).
func TestAnnulmentIsAskedOfEverybody(t *testing.T) {
	for _, hand := range []string{"SK CT CJ CR CQ ST SJ SR SQ", "T3 T4 CJ CR CQ ST SJ SR SQ"} {
		s := newScene(t, tabletest.Config{Seats: 4, Deals: 1}, stacked{"T22", hand})
		s.run("A:three", "B:discard CR", "A:annul")
		if ask := s.asked(1); ask.Alone || len(ask.FreeParts()) == 0 || s.public().Stage != tarokk.Annulling {
			t.Errorf("with %s the program answers %v by itself in stage %s", hand, ask.FreeParts(), s.public().Stage)
		}
	}
}

// A player who may try what he cannot prove is led into a foul: he is told what is not so.
func TestCheckTellsWhatIsNotSo(t *testing.T) {
	s, three := script(t, ""), tarokk.BidThree
	var untrue *tarokk.Untrue
	err := tarokk.Rules{}.Check(s.state, s.sees("HK DK CK SK HQ HR T2 T3 T4"), tarokk.Move{Call: &three})
	if !errors.As(err, &untrue) || untrue.Set != tarokk.Honours {
		t.Errorf("three without an honour: %v, want that one of %v is missing", err, tarokk.Honours.Faces())
	}
}

// Where an opening may be withdrawn, its invit proves nothing when it is made: to tell its card
// as a fact accuses a partner of what nobody has said.
func TestInvitThatProvesNothing(t *testing.T) {
	for firstBid, says := range map[string]string{"withdrawn": "means.would", "invit": "means.invit"} {
		s := newSceneOf(t, tabletest.Config{Options: options{"first-bid": firstBid, "seat-draw": "true"}}, 1)
		s.reach("A:two")
		testmust.Equal(t, s.State.DealsBegun(), 1, "deals that have begun in the first")
		text := string(testmust.Have(json.Marshal(s.asked(0)))(t))
		for _, id := range []string{"means.would", "means.invit"} {
			testmust.Equal(t, strings.Contains(text, id), id == says, "first-bid", firstBid, text)
		}
	}
}
