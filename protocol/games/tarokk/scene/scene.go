// Package scene is how Hungarian tarokk is shown and put into words, those of docs/spec/61-tarokk.md
// and 62 (protocol/scene).
package scene

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

var rules tarokk.Rules

// Presentation implements scene.Presentation.
type Presentation struct{}

// Words implements scene.Presentation.
func (Presentation) Words() scene.Words { return allWords }

var allWords = scene.Words{
	Texts: texts.ByTag(),
	Face:  parseFace,
	Terms: terms,
}

// parseFace reads a card of either pack: "XII", "king of spades".
func parseFace(name string) (scene.Face, bool) {
	f, err := tarokk.ParseFace(name)
	if err != nil {
		return scene.Face{}, false
	}
	order := (int(tarokk.SuitOf(f))+1)%5*tarokk.DeckSize - int(f) // tarokks first, and each suit from its highest
	if tarokk.IsTarokk(f) {
		return trumpFace(f, order), true
	}
	rank := strings.Replace(name[1:], "T", "10", 1)
	return scene.Face{
		Words: scene.Say("card", scene.NoteArg("rank", scene.Say("rank."+name[1:])), scene.NoteArg("suit", scene.Say("suit."+tarokk.SuitOf(f).String()))),
		Suit:  name[:1], Rank: rank, Order: order, Typed: []string{name[:1] + rank, rank + name[:1], name},
	}, true
}

// faceOrder is the place of a card in a sorted hand.
func faceOrder(name string) int {
	f, _ := parseFace(name)
	return f.Order
}

func trumpFace(f card.Face, order int) scene.Face {
	t := scene.Face{Words: scene.Say("text", scene.Text("text", tarokk.RomanNumeral(f))), Suit: "T", Rank: tarokk.RomanNumeral(f), Honour: tarokk.Honours.Has(f), Order: order,
		Typed: []string{tarokk.RomanNumeral(f), tarokk.FaceName(f), strings.TrimPrefix(tarokk.FaceName(f), "T")}}
	switch f {
	case tarokk.Skiz:
		t.Words, t.Rank = scene.Say("skiz"), ""
	case tarokk.Pagat:
		t.Words = scene.Say("pagat")
	}
	return t
}

// facesArg lists cards, the highest first.
func facesArg(name string, set card.Set) scene.Arg {
	var names []string
	for _, f := range slices.Backward(set.Faces()) {
		names = append(names, tarokk.FaceName(f))
	}
	return scene.Cards(name, names...)
}

type gamePosition = scene.GamePosition[tarokk.State]

// Tell implements scene.Presentation.
func (Presentation) Tell(before, after gamePosition, by table.Seat, m *tarokk.Move) []scene.Tell {
	var list []scene.Tell
	if m != nil {
		list = append(list, scene.Tell{What: moveNote(before.State, by, *m), Card: m.Play != nil, Idle: saysNothing(*m)})
	}
	if after.Table == nil {
		return list
	}
	for _, n := range consequenceNotes(before.State, after.State) {
		list = append(list, scene.Tell{What: n})
	}
	return list
}

// saysNothing reports whether a move says only that there is nothing to say.
func saysNothing(m tarokk.Move) bool {
	return m.Annul != nil && *m.Annul == "" || m.Claim != nil && !*m.Claim || m.Discard != nil && *m.Discard == "" || m.Fee != nil && len(*m.Fee) == 0
}

// consequenceNotes are what a message brought about.
func consequenceNotes(old, s tarokk.State) []scene.Note {
	switch {
	case old.Stage == tarokk.ShowingSeats && s.Stage != old.Stage:
		return []scene.Note{scene.Say("tell.seats", scene.Seats("seats", s.Members...))}
	case old.Stage == tarokk.Dealing && s.Stage != old.Stage:
		return append(factNotes(s), scene.Say("tell.deal", scene.Seats("seats", s.Deal.Seats[:]...), scene.SeatArg("dealer", s.Members[s.Dealer])))
	case old.Stage == tarokk.TalonDraws && s.Stage != old.Stage:
		return []scene.Note{scene.Say("tell.talon", drawnArg(s.Deal))}
	case old.Stage == tarokk.Bidding && s.Stage != old.Stage && s.Deal.Outcome != nil && !s.Deal.Outcome.ThrownIn:
		return contractNotes(s.Deal)
	case old.Stage == tarokk.Playing:
		return trickOver(old, s)
	}
	return nil
}

func drawnArg(d tarokk.Deal) scene.Arg {
	var list []scene.Note
	for p := range d.Seats {
		list = append(list, playerNote(d, p, scene.Say("text", scene.Number("text", max(d.CountDrawn(p), 0)))))
	}
	return scene.Notes("list", list...)
}

// trickOver tells of a trick that has just been completed. After the last one the deal may be over
// already, and its tricks gone.
func trickOver(old, s tarokk.State) []scene.Note {
	n := len(s.Deal.Tricks)
	if s.Deal.Number != old.Deal.Number || n == 0 || len(s.Deal.Tricks[n-1].Faces) < players {
		return nil
	}
	t := s.Deal.Tricks[n-1]
	var cards []scene.Note
	for i, name := range t.Faces {
		cards = append(cards, scene.Say("who.card", scene.SeatArg("seat", s.Deal.Seats[(t.Leader+i)%players]), scene.Card("card", name)))
	}
	return []scene.Note{scene.Say("tell.trick", scene.Number("n", n), scene.Notes("cards", cards...), scene.SeatArg("seat", s.Deal.Seats[t.Winner()]))}
}
