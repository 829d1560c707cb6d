package tarokk_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	presentation "github.com/pakli/pakli/protocol/games/tarokk/scene"
	seam "github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// R-CALL-8 with OPT-COUNT-PAIS: the discarder of the called card holds nine
// tarokks, so must contra and count; and under OPT-COUNT-SIDE may count only after
// the contra. He must be offered it, and a bot must not wait for ever.
func TestDiscarderWithNineTarokks(t *testing.T) {
	for _, forced := range []string{"silent", "spoken"} {
		for _, side := range []string{"neutral", "figure"} {
			s := newScene(t, tabletest.Config{Options: options{"count-pais": "true", "count-side": side, "forced-contra": forced}},
				stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 T9 T10", "T21", "T1", "HA HJ HR T11"})
			s.run("A:three", "B:pass", "B:discard T11", "A:say call:T11").reach("B:say")
			if len(s.Moves(s.seat(1))) == 0 {
				t.Errorf("%s, %s: no move is offered", forced, side)
			}
			if move := testmust.Have(s.Choose(s.seat(1), rand.New(rand.NewPCG(1, 2))))(t); move == nil {
				t.Errorf("%s, %s: the bot waits", forced, side)
			}
		}
	}
}

// asked is what a player of a scene is asked.
func (s *scene) asked(player int) seam.Ask {
	seat := s.seat(player)
	return presentation.Game.Ask(seam.From(s.State, s.View(seat)))
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
		if ask := s.asked(1); ask.Alone || len(ask.Free()) == 0 || s.public().Stage != tarokk.Annulling {
			t.Errorf("with %s the program answers %v by itself in stage %s", hand, ask.Free(), s.public().Stage)
		}
	}
}

// A player who may try what he cannot prove is led into a foul: he is told what is not so.
func TestCheckTellsWhatIsNotSo(t *testing.T) {
	s, three := script(t, ""), auction.Three
	var untrue *tarokk.Untrue
	err := tarokk.Rules{}.Check(s.state, s.sees("HK DK CK SK HQ HR T2 T3 T4"), tarokk.Move{Call: &three})
	if !errors.As(err, &untrue) || untrue.Set != deck.Honours {
		t.Errorf("three without an honour: %v, want that one of %v is missing", err, deck.Honours.Faces())
	}
}

// Where an opening may be withdrawn, its invit proves nothing when it is made: to tell its card
// as a fact accuses a partner of what nobody has said.
func TestInvitThatProvesNothing(t *testing.T) {
	for firstBid, says := range map[string]string{"withdrawn": "means.would", "invit": "means.invit"} {
		s := newSceneOf(t, tabletest.Config{Options: options{"first-bid": firstBid, "seat-draw": "true"}}, 1)
		s.reach("A:two")
		testmust.Equal(t, s.State.Begun(), 1, "deals that have begun in the first")
		text := string(testmust.Have(json.Marshal(s.asked(0)))(t))
		for _, id := range []string{"means.would", "means.invit"} {
			testmust.Equal(t, strings.Contains(text, id), id == says, "first-bid", firstBid, text)
		}
	}
}
