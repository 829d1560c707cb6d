package scene

import (
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

type at = scene.At[tarokk.State]

// Tell implements scene.Presentation.
func (presentation) Tell(before, after at, by table.Seat, m *tarokk.Move) []scene.Tell {
	var list []scene.Tell
	if m != nil {
		list = append(list, scene.Tell{What: did(before.State, by, *m), Card: m.Play != nil, Idle: idle(*m)})
	}
	if after.Table == nil {
		return list
	}
	for _, n := range followed(before.State, after.State) {
		list = append(list, scene.Tell{What: n})
	}
	return list
}

// idle reports whether a move says only that there is nothing to say.
func idle(m tarokk.Move) bool {
	return m.Annul != nil && *m.Annul == "" || m.Claim != nil && !*m.Claim || m.Discard != nil && *m.Discard == "" || m.Fee != nil && len(*m.Fee) == 0
}

// followed is what a message brought about.
func followed(old, s tarokk.State) []scene.Note {
	switch {
	case old.Stage == tarokk.ShowingSeats && s.Stage != old.Stage:
		return []scene.Note{scene.Say("tell.seats", scene.Seats("seats", s.Members...))}
	case old.Stage == tarokk.Dealing && s.Stage != old.Stage:
		return append(facts(s), scene.Say("tell.deal", scene.Seats("seats", s.Deal.Seats[:]...), scene.Who("dealer", s.Members[s.Dealer])))
	case old.Stage == tarokk.TalonDraws && s.Stage != old.Stage:
		return []scene.Note{scene.Say("tell.talon", drawn(s.Deal))}
	case old.Stage == tarokk.Bidding && s.Stage != old.Stage && s.Deal.Outcome != nil && !s.Deal.Outcome.ThrownIn:
		return contract(s.Deal)
	case old.Stage == tarokk.Playing:
		return trickOver(old, s)
	}
	return nil
}

func drawn(d tarokk.Deal) scene.Arg {
	var list []scene.Note
	for p := range d.Seats {
		list = append(list, by(d, p, scene.Say("text", scene.Number("text", max(d.Drawn(p), 0)))))
	}
	return scene.Notes("list", list...)
}

// trickOver tells of a trick that is complete now. Of the last one the deal may be
// over and gone with it.
func trickOver(old, s tarokk.State) []scene.Note {
	n := len(s.Deal.Tricks)
	if s.Deal.Number != old.Deal.Number || n == 0 || len(s.Deal.Tricks[n-1].Faces) < players {
		return nil
	}
	t := s.Deal.Tricks[n-1]
	var cards []scene.Note
	for i, name := range t.Faces {
		cards = append(cards, scene.Say("who.card", scene.Who("seat", s.Deal.Seats[(t.Leader+i)%players]), scene.Card("card", name)))
	}
	return []scene.Note{scene.Say("tell.trick", scene.Number("n", n), scene.Notes("cards", cards...), scene.Who("seat", s.Deal.Seats[t.Winner()]))}
}
