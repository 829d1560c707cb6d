package scene

import (
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
)

// terms are the terms of Skat. A demo scores its list as tournaments do.
var terms = scene.Terms{Demo: map[string]string{"score": skat.OptSeegerFabian}, Events: []scene.Event{series}, Forfeit: 30}

// series is a tournament of two lists (SK-R-67), scored by Seeger-Fabian and ranked by SK-R-68. Tables
// of three play as many deals as tables of four; the number is the one that clubs use.
var series = scene.Event{Name: "skat-series", Options: map[string]string{"score": skat.OptSeegerFabian}, Deals: 48, Rounds: 2, Sizes: []int{4, 3},
	Seating: []string{"random", "random"}, Ties: []string{"won", "lost", "lot"}}
