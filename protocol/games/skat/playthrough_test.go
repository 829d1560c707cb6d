package skat_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/playthrough"
)

// What everybody and each seat sees of a deal: a discard or a skat shown to a seat that
// must not see it, a dealer who sits out and sees a card, or a rule that changes
// unnoticed.
func TestPlaythroughs(t *testing.T) {
	for _, v := range skattest.Read[[]deal](t, "deals") {
		if v.ID == "DEAL-04" {
			s := v.start(t)
			for _, f := range v.Plays {
				s.plays(f.String())
			}
			playthrough.Compare(t, "Diamonds after taking the skat, lost with 58", s.Table, "testdata/diamonds.playthrough.txt")
		}
	}
	s := newStacked(t, tabletest.Config{Seats: 4, Options: options{"early": "prove", "kontra": "any"}}, dealt(t, forehand, middlehand, rearhand, skatCards))
	s.buy(auction.F, 22)
	b := true
	s.do(auction.F, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: deck.ClubsGame, Ann: 1}})
	s.do(auction.M, skat.Move{Kontra: &b})
	s.do(auction.F, skat.Move{Re: &b})
	s.plays("JC 8C JD JS")
	s.do(auction.M, conceded())
	s.do(auction.R, agreed(true))
	s.do(auction.F, s.lays())
	playthrough.Compare(t, "Four seats: a hand game with Schneider announced, given up after Kontra and Re", s.Table, "testdata/given-up.playthrough.txt")
}
