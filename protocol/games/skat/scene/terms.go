package scene

import (
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
)

// terms are those of Skat. A demo's list is scored as tournaments do.
var terms = scene.Terms{Demo: map[string]string{"score": skat.OptSeegerFabian}, Events: []scene.Event{series}, Forfeit: 30}

// series is two lists (SK-R-67) by Seeger and Fabian, ranked as SK-R-68 has it. Tables of three
// play as many deals as those of four; the number is the club's word.
var series = scene.Event{Name: "skat-series", Options: map[string]string{"score": skat.OptSeegerFabian}, Deals: 48, Rounds: 2, Sizes: []int{4, 3},
	Seating: []string{"random", "random"}, Ties: []string{"won", "lost", "lot"}}
