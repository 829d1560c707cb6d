package tarokk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
	text, err := os.ReadFile(specProofs)
	if err != nil {
		panic(err)
	}
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
		k, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return k
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
