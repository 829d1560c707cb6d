package bot_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/bot"
	"github.com/pakli/pakli/protocol/games/skat/deck"
)

func set(t *testing.T, names string) (s card.Set) {
	t.Helper()
	for _, f := range faces(t, names) {
		s = s.With(card.Face(f))
	}
	return s
}

func faces(t *testing.T, names string) (list []deck.Face) {
	t.Helper()
	for name := range strings.FieldsSeq(names) {
		f := testmust.Have(deck.Parse(name))(t)
		list = append(list, f)
	}
	return list
}

// A bid on nothing, and a pass with a hand that anybody would play: at 18, and as far
// as the hand goes.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		hand string
		bid  int
		bids bool
	}{
		{"7C 8C KS 9S QH 8H 7H KD 9D QD", 18, false},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 18, true},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 36, true},
		{"JC JS AC 10C KC 8C AS 7S AH 9D", 120, false}, // overbid
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 23, true},    // null
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 59, true},    // open, by hand
		{"7C 8C 9C 7S 9S 7H 8H 7D 9D JD", 60, false},
		{"JC JS JH JD AC 10C AS 10S AH AD", 96, true}, // grand
	} {
		if worth := bot.Worth(set(t, c.hand), c.bid, false); (worth > 0) != c.bids {
			t.Errorf("%s at %d is worth %.1f", c.hand, c.bid, worth)
		}
	}
}

// Discards that throw a trump away, keep a bare ten, or leave a suit behind that could
// be cleared; and a game that cannot reach the bid where another one can.
func TestAfterSkat(t *testing.T) {
	plan := bot.AfterSkat(set(t, "JH JD AC 10C KC 8C 7C AS 7S 9S 10D 9H"), 18, false)
	if plan.Contract.Game != deck.ClubsGame || !plan.Aside.Has(card.Face(faces(t, "10D")[0])) || plan.Aside.Without(deck.ClubsGame.Cards(deck.Trump)) != plan.Aside {
		t.Errorf("plays %v and lays aside %v", plan.Contract, deck.Faces(plan.Aside))
	}
	twelve := set(t, "JC JH AD 10D KD 8D 7D 7S KS AH 10C 9H")
	if plan := bot.AfterSkat(twelve, 18, false); plan.Contract.Game != deck.DiamondsGame {
		t.Errorf("plays %v, of diamonds", plan.Contract)
	}
	if plan := bot.AfterSkat(twelve, 48, false); plan.Contract.Game == deck.DiamondsGame {
		t.Errorf("plays %v, worth 18, at 48", plan.Contract)
	}
	if plan := bot.AfterSkat(set(t, "7C 9C JC 7S 9S 7H 8H 7D 9D JD AS AH"), 18, false); plan.Contract.Game != deck.Null || plan.Aside != set(t, "AS AH") {
		t.Errorf("plays %v and lays aside %v", plan.Contract, deck.Faces(plan.Aside))
	}
}

// A claim of tricks that somebody could take: a higher card, a trump left over, or
// another one on the way there.
func TestSure(t *testing.T) {
	others := func(hand, out string) bot.Place {
		at := bot.Place{Game: deck.ClubsGame, Declarer: 0, Hand: set(t, hand), Left: [3]int{4, 4, 4}}
		at.Could[1], at.Could[2] = set(t, out), set(t, out)
		return at
	}
	for _, c := range []struct {
		hand, out string
		sure      bool
	}{
		{"JC JS AC AH", "7C 8C 7H 8H 9H 7D 8D 9D", true},
		{"JC JS AC AH", "7C 8C 9C 10C 7H 8H 9H 7D", false},
		{"JC JS AC KH", "7C 8C 7H 8H AH 7D 8D 9D", false},
		{"JC JH AC AH", "JS 8C 7H 8H 9H 7D 8D 9D", false},
		{"JC JS JH JD", "AC 8C 9C 10C KC QC 7C 7D", true},
	} {
		if sure := others(c.hand, c.out).Sure(); sure != c.sure {
			t.Errorf("%s against %s: %t", c.hand, c.out, sure)
		}
	}
	follows := others("JC JS AC AH", "7C 8C 7H 8H 9H 7D 8D 9D")
	follows.Trick, follows.Leader = faces(t, "7D"), 2
	if follows.Sure() {
		t.Error("sure of a trick that another leads")
	}
}

// Cards that give points away, or take a trick that should be left: what every club
// teaches first.
func TestCards(t *testing.T) {
	const rest = "JH AC 7C 8C 9C QC KC 7S 8S 9S QS KS 7H 8H 9H QH 7D 8D QD KD"
	for _, c := range []struct {
		name             string
		game             deck.Game
		declarer, leader int
		trick, hand      string
		want             string
	}{
		{"smears the partner's trick", deck.ClubsGame, 1, 1, "9H AH", "10H 7H KD 8S", "10H"},
		{"gives the declarer's trick nothing", deck.ClubsGame, 2, 1, "9H AH", "10H 7H KD 8S", "7H"},
		{"takes points as the last", deck.ClubsGame, 1, 1, "10S QS", "AS 7S 8D", "AS"},
		{"draws trumps", deck.ClubsGame, 0, 0, "", "JC JS 10C KC AH 7D", "JC"},
		{"trumps what counts", deck.ClubsGame, 0, 1, "AS 10S", "9C JC 7D", "9C"},
		{"goes under in a null", deck.Null, 0, 1, "9S QS", "AS JS 7S", "JS"},
		{"leaves the declarer the trick of a null", deck.Null, 2, 1, "8S KS", "AS JS", "JS"},
		{"goes under in a Ramsch, with what counts", deck.Grand, auction.Nobody, 1, "AS KS", "10S 9S 7S", "10S"},
	} {
		at := bot.Place{Game: c.game, Declarer: c.declarer, Player: 0, Leader: c.leader, Trick: faces(t, c.trick), Hand: set(t, c.hand)}
		n := at.Hand.Len()
		for p := 1; p < 3; p++ {
			at.Could[p] = set(t, rest).Without(at.Hand).Without(deck.SetOf(at.Trick...))
			at.Left[p] = min(n, at.Could[p].Len())
		}
		if got := at.Card(); got != faces(t, c.want)[0] {
			t.Errorf("%s: plays %v, want %s", c.name, got, c.want)
		}
	}
}
