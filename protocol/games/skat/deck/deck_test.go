package deck_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/games/trick"
)

// A pack in another order, which would be another deck (SK-R-01, SK-R-02, SK-R-07,
// AMB-S-01).
func TestPack(t *testing.T) {
	const order = "7C 8C 9C 10C JC QC KC AC 7S 8S 9S 10S JS QS KS AS 7H 8H 9H 10H JH QH KH AH 7D 8D 9D 10D JD QD KD AD"
	if got := strings.Join(deck.Names(), " "); got != order {
		t.Errorf("the pack is %s", got)
	}
	if deck.PointsOf(deck.All) != deck.TotalPoints {
		t.Errorf("%d points in all", deck.PointsOf(deck.All))
	}
	for _, suit := range deck.Suits {
		if n := deck.PointsOf(deck.Null.Cards(suit)); n != 30 {
			t.Errorf("%d points of %s", n, suit)
		}
	}
}

// A set of another size than proofs are made over (SK-R-06).
func TestSets(t *testing.T) {
	want := skattest.Read[map[string]any](t, "sets")
	size := func(name string, s card.Set) {
		if float64(s.Len()) != want[name] {
			t.Errorf("%s has %d cards, want %v", name, s.Len(), want[name])
		}
		delete(want, name)
	}
	size("DECK", deck.All)
	size("JACKS", deck.Jacks)
	size("TRUMP_SUIT", deck.HeartsGame.Cards(deck.Trump))
	size("TRUMP_GRAND", deck.Grand.Cards(deck.Trump))
	size("SUIT", deck.Grand.Cards(deck.Spades))
	size("SUIT_NULL", deck.Null.Cards(deck.Spades))
	delete(want, "TOP") // of n trumps, below
	if len(want) > 0 {
		t.Errorf("not tested: %v", want)
	}
	for n := range 12 {
		if got := deck.SpadesGame.Top(n).Len(); got != n {
			t.Errorf("TOP(%d) has %d cards", n, got)
		}
	}
	if deck.Grand.Cards(deck.Trump) != deck.Jacks || deck.Null.Cards(deck.Trump) != (card.Set{}) {
		t.Error("the trumps of grand are the jacks, and null has none")
	}
}

// An order of trumps with a gap: matadors and tricks would follow it (SK-R-03 to
// SK-R-05).
func TestOrder(t *testing.T) {
	for g, want := range map[deck.Game]string{
		deck.ClubsGame: "JC JS JH JD AC 10C KC QC 9C 8C 7C", deck.DiamondsGame: "JC JS JH JD AD 10D KD QD 9D 8D 7D",
		deck.Grand: "JC JS JH JD", deck.Null: "",
	} {
		var names []string
		for _, f := range g.Trumps() {
			names = append(names, deck.Face(f).String())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: trumps %s, want %s", g, got, want)
		}
	}
	for g, want := range map[deck.Game]string{deck.HeartsGame: "AS 10S KS QS 9S 8S 7S", deck.Grand: "AS 10S KS QS 9S 8S 7S", deck.Null: "AS KS QS JS 10S 9S 8S 7S"} {
		faces := parse(t, strings.Fields(want)...)
		for i, f := range faces[1:] {
			if !g.Beats(card.Face(faces[i]), card.Face(f)) || g.Beats(card.Face(f), card.Face(faces[i])) {
				t.Errorf("%s: %v does not beat %v", g, faces[i], f)
			}
		}
	}
}

func parse(t *testing.T, names ...string) (faces []deck.Face) {
	t.Helper()
	for _, name := range names {
		f := testmust.Have(deck.Parse(name))(t)
		faces = append(faces, f)
	}
	return faces
}

// A trick that goes to a discarded ace, or counts wrong (SK-R-34).
func TestTricks(t *testing.T) {
	skattest.Each(t, "tricks", func(t *testing.T, v struct {
		skattest.Vector
		Game   deck.Game
		Cards  []deck.Face
		Expect struct{ W, Pts int }
	}) {
		if w, pts := trick.Winner(v.Game, v.Cards), trick.Points(v.Game, v.Cards); w != v.Expect.W || pts != v.Expect.Pts {
			t.Errorf("card %d takes %d points, want %d, %d", w, pts, v.Expect.W, v.Expect.Pts)
		}
	})
}

// A jack that follows its suit, a duty to trump, a revoke from an open hand (SK-R-33).
func TestLegal(t *testing.T) {
	skattest.Each(t, "legal", func(t *testing.T, v struct {
		skattest.Vector
		Game   deck.Game
		Led    deck.Face
		Hand   []deck.Face
		Expect struct {
			Legal []deck.Face
			Due   string // package skat reads it
		}
	}) {
		got := trick.May(v.Game, []deck.Face{v.Led}, deck.SetOf(v.Hand...))
		if got != deck.SetOf(v.Expect.Legal...) {
			t.Errorf("%v, want %v", deck.Faces(got), v.Expect.Legal)
		}
		if all := trick.May(v.Game, []deck.Face{}, deck.SetOf(v.Hand...)); all != deck.SetOf(v.Hand...) {
			t.Errorf("the leader may play %v alone", deck.Faces(all))
		}
	})
}

// A face with two spellings, or one that panics.
func TestFaces(t *testing.T) {
	for _, bad := range []string{`"jc"`, `"TC"`, `"10"`, `""`, `"JCC"`, `5`} {
		var f deck.Face
		testmust.Fail(t, json.Unmarshal([]byte(bad), &f), bad, "is read as", f)
	}
	if _, err := deck.Face(deck.Size).MarshalText(); err == nil || deck.Face(deck.Size).String() != "?" {
		t.Error("a card beyond the pack has a name")
	}
	all := deck.Faces(deck.All)
	text, err := json.Marshal(all)
	var again []deck.Face
	if err != nil || json.Unmarshal(text, &again) != nil || !slices.Equal(all, again) {
		t.Errorf("%s is read as %v", text, again)
	}
}
