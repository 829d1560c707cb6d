package scene

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var shown = scene.NewGame(rules.Name(), Presentation{})

type options = map[string]string

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing.
func TestScene(t *testing.T) {
	scenetest.Run(t, play.NewGame(skat.Rules{}), shown,
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true},
		tabletest.Config{Seats: 4, Deals: 4, AnySum: true, Options: options{"score": "seeger-fabian", "kontra": "any", "bock": "lost60+grandhand+kontra+re", "null-overbid": "lose"}},
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true, Options: options{"ramsch": "schieber", "early": "prove", "concede": "one", "score": "seeger", "seats-draw": "on"}},
		tabletest.Config{Seats: 3, Deals: 4, AnySum: true, Options: options{"ramsch": "simple", "kontra": "bid18", "concede": "off", "claim": "off", "score": "bierlachs"}},
	)
}

// A text that one language lacks, that is left in English, or that says less; a rule that is named and told nowhere.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, texts.ByTag(), regexp.MustCompile(`^(zone\.skat|who\.card|by|means\.value|how\.(counted|null|ramsch)|claim\.has|contract\.ouvert|pick\.(ouvert|ann\.\d|kontra\.true)|game\.[GN]|step\.(schneider|schwarz|ouvert)|line\.(schneider|schwarz|ouvert)|none\.cards)$`))
	scenetest.CheckRulebook(t, texts.ByTag())
}

func voice(tag string) scene.Voice {
	l, _ := scene.LanguageFor(tag)
	return l.VoiceOf(shown, func(seat table.Seat) string { return string(rune('A' + seat)) })
}

// A rule or an entry of the catalogue of proofs without words: it would be shown as its key.
func TestEverythingHasWords(t *testing.T) {
	spec, err := os.ReadFile("../../../../docs/spec/90-skat.md")
	if err != nil {
		t.Skip(err)
	}
	rules := regexp.MustCompile(`SK-R-\d+|OPT-[A-Z][A-Z-]*[A-Z]`).FindAllString(string(spec), -1)
	testmust.Requiref(t, len(rules) >= 79, "%d rules: the test tests nothing", len(rules))
	for _, p := range skat.Proofs() {
		rules = append(rules, p.ID)
		testmust.Holdf(t, p.Opens || hasText("claim."+p.ID), "no words for the claim %s", p.ID)
	}
	for _, id := range rules {
		for _, tag := range scene.Languages() {
			text := voice(tag).Text(Presentation{}.Rule(id))
			testmust.Holdf(t, text != "" && !strings.Contains(text, "["), "%s: rule %s is %q", tag, id, text)
		}
	}
	for _, id := range []string{"SK-R-0", "SK-R-80", "SK", "R-PLAY-3", "X-VOID", ""} {
		testmust.Equal(t, (Presentation{}).Rule(id).ID, "", id, "is no rule, and is about")
	}
}

// Words that say another set than the condition, of all sets that the rules can make; with
// German pictures another suit than is drawn.
func TestClaimsSayTheirSets(t *testing.T) {
	for _, c := range []struct {
		set         card.Set
		n, min, max int
		en, de      string
	}{
		{skat.ClubsGame.Cards(skat.Hearts), 5, 0, 0, "no card of hearts", "keine Herz-Karte"},
		{skat.Grand.Cards(skat.Clubs), 5, 0, 0, "no card of clubs", "keine Eichel-Karte"},
		{skat.Null.Cards(skat.Diamonds), 5, 0, 0, "no card of diamonds", "keine Schellen-Karte"},
		{skat.SpadesGame.Cards(skat.Trump), 9, 0, 0, "no trump", "keinen Trumpf"},
		{skat.Grand.Cards(skat.Trump), 9, 0, 0, "no jack", "keinen Buben"},
		{skat.Grand.Top(2), 12, 2, 12, "jack of clubs and jack of spades", "Eichel-Unter und Laub-Unter"},
		{skat.Grand.Top(1), 12, 1, 12, "jack of clubs", "Eichel-Unter"},
		{skat.HeartsGame.Top(5), 12, 0, 0, "none of jack of clubs, jack of spades, jack of hearts, ace of hearts and jack of diamonds", "nicht Eichel-Unter, Laub-Unter, Herz-Unter, Herz-Daus und Schellen-Unter"},
	} {
		n := conditionNote(table.Condition{Cards: make([]table.Card, c.n), Set: c.set, Min: c.min, Max: c.max})
		testmust.Equal(t, voice("en").Text(n), c.en)
		testmust.Equal(t, voice("de"+scene.WithGermanPack).Text(n), c.de)
	}
}

// A line of the list that counts otherwise than the paper does.
func TestCountedOut(t *testing.T) {
	seat := table.Seat(0)
	played := func(c skat.Contract, bid int, m skat.Matadors, points, tricks int) skat.SettledDeal {
		r := c.PlayedResult(bid, m, points, tricks)
		return skat.SettledDeal{Declarer: &seat, Seats: [3]table.Seat{0, 1, 2}, How: skat.Played, Bid: bid, Contract: &c, Result: &r, Cards: [3]int{points}, Tricks: [3]int{tricks}}
	}
	givenUp := func(c skat.Contract, bid int, m skat.Matadors, d skat.Defence) skat.SettledDeal {
		past, r := played(c, bid, m, 0, 0), c.GivenUpResult(bid, m, d)
		past.How, past.Result = skat.GivenUp, &r
		return past
	}
	with := func(n int) skat.Matadors { return skat.Matadors{With: true, N: n} }
	for _, c := range []struct {
		past   skat.SettledDeal
		de, en string
	}{
		{played(skat.Contract{Game: skat.HeartsGame, Hand: true}, 30, with(2), 70, 6), "A, gereizt 30: Herz Hand, mit 2, Spiel 3, Hand 4 × 10 = 40; gewonnen (70 Augen).",
			"A, bid 30: hearts hand, with 2, game 3, hand 4 × 10 = 40; won (70 card points)."},
		{played(skat.Contract{Game: skat.Grand, Hand: true, Ann: skat.Schwarz, Ouvert: true}, 264, with(4), 120, 10),
			"A, gereizt 264: Grand Hand ouvert, mit 4, Spiel 5, Hand 6, Schneider 7, angesagt 8, Schwarz 9, angesagt 10, ouvert 11 × 24 = 264; gewonnen (120 Augen).",
			"A, bid 264: grand hand ouvert, with 4, game 5, hand 6, schneider 7, announced 8, schwarz 9, announced 10, ouvert 11 × 24 = 264; won (120 card points)."},
		{played(skat.Contract{Game: skat.DiamondsGame}, 24, skat.Matadors{N: 1}, 75, 6), "A, gereizt 24: Karo, ohne 1, Spiel 2 × 9 = 18; überreizt, verloren mit 27 (75 Augen).",
			"A, bid 24: diamonds, without 1, game 2 × 9 = 18; overbid, lost as 27 (75 card points)."},
		{givenUp(skat.Contract{Game: skat.DiamondsGame}, 24, with(1), skat.Defence{Points: 31, Tricks: 2}),
			"A, gereizt 24: Karo, mit 1, Spiel 2 × 9 = 18; überreizt, verloren mit 27 (geschenkt, aber die nötige Stufe war nicht mehr zu erreichen).",
			"A, bid 24: diamonds, with 1, game 2 × 9 = 18; overbid, lost as 27 (the defenders conceded, and the level needed was out of reach)."},
		{givenUp(skat.Contract{Game: skat.HeartsGame}, 20, with(1), skat.Defence{Points: 12, Tricks: 1}), "A, gereizt 20: Herz, mit 1, Spiel 2 × 10 = 20; gewonnen (von den Gegenspielern geschenkt).",
			"A, bid 20: hearts, with 1, game 2 × 10 = 20; won (the defenders conceded)."},
		{played(skat.Contract{Game: skat.Null, Ouvert: true}, 24, skat.Matadors{}, 3, 1), "A, gereizt 24: Null ouvert = 46; verloren (1 Stich).", "A, bid 24: null ouvert = 46; lost (1 trick)."},
	} {
		for tag, want := range map[string]string{"de": c.de, "en": c.en} {
			got := voice(tag).Text(dealNote(c.past))
			testmust.Holdf(t, got == want, "%s:\n got %s\nwant %s", tag, got, want)
		}
	}
}

// A Ramsch in a Bock round whose lines do not come to what is paid: each of its factors has
// a line.
func TestRamschInABockRound(t *testing.T) {
	past := skat.SettledDeal{Seats: [3]table.Seat{0, 1, 2}, How: skat.Ramsch, Cards: [3]int{70, 50, 0}, Tricks: [3]int{6, 4, 0}, Pushes: 2, Bock: true}
	factor := 1
	for _, l := range lines(skat.RuleSet{}, past)[3:] {
		factor *= l.Points
	}
	testmust.Equal(t, factor, 2*2*4, "the factors come to")
}

// Cards in words, and as they lie in a hand; a name that is no card is shown as it is.
func TestCards(t *testing.T) {
	order := map[int]string{}
	for _, name := range skat.FaceNames() {
		f, known := parseFace(name)
		testmust.Holdf(t, known && f.Suit != "" && order[f.Order] == "", "%s is no card, or lies where %s does: %+v", name, order[f.Order], f)
		order[f.Order] = name
		for _, tag := range scene.Languages() {
			for _, pictures := range []string{"", scene.WithGermanPack} {
				got := voice(tag + pictures).Face(name)
				testmust.Holdf(t, got != "" && !strings.Contains(got, "["), "%s: %s is %q", tag, name, got)
			}
		}
	}
	_, known := parseFace("11C")
	testmust.Hold(t, !known, "11C is a card")
	var hand []scene.ShownCard
	for _, name := range strings.Fields("7C JD AS 10H QS JC 8S AH") {
		hand = append(hand, scene.ShownCard{Face: name})
	}
	for g, want := range map[skat.Game]string{skat.Grand: "JC JD 7C AS QS 8S AH 10H", skat.SpadesGame: "JC JD AS QS 8S 7C AH 10H", skat.Null: "JC 7C AS QS 8S AH 10H JD"} {
		var got []string
		for _, c := range sortedCards(g, hand) {
			got = append(got, c.Face)
		}
		testmust.Equal(t, fmt.Sprint(got), "["+want+"]", g)
	}
}
