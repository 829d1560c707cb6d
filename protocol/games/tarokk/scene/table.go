package scene

import (
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

const players = len(tarokk.Deal{}.Seats)

// Scene implements scene.Presentation.
func (presentation) Scene(a at) scene.Scene {
	s := scene.Scene{Chairs: chairs(a), Waits: a.Waits(task(a.State.Stage))}
	if a.State.Deal.Number == 0 {
		s.Facts = []scene.Note{scene.Say("fact.seats")}
		return s
	}
	s.Facts = facts(a.State)
	s.Zones = zones(a)
	for _, t := range a.State.Deal.Tricks {
		if len(t.Faces) == players {
			s.Past = append(s.Past, scene.Trick{Cards: laid(a.State.Deal, t), Taken: a.State.Deal.Seats[t.Winner()]})
		}
	}
	return s
}

func chairs(a at) []scene.Chair {
	s, list := a.State, a.Chairs(a.State.Scores)
	role := func(seat table.Seat, id string) {
		list[seat].Roles = append(list[seat].Roles, scene.Say("role."+id))
	}
	if s.Deal.Number == 0 {
		return list
	}
	role(s.Members[s.Dealer], "dealer")
	for place, seat := range s.Members {
		list[seat].Place = len(s.Members) - place // who plays next sits on the right, R-SEAT-1
		if !slices.Contains(s.Deal.Seats[:], seat) {
			role(seat, "out")
		}
	}
	if s.Mayor != nil {
		role(*s.Mayor, "hat")
	}
	if s.Deal.Outcome != nil && !s.Deal.Outcome.ThrownIn {
		role(s.Deal.Seats[s.Deal.Outcome.Declarer], "declarer")
	}
	if s.Deal.Announce != nil {
		for p, of := range s.Deal.Announce.Sides {
			if of != score.Unknown {
				note := side(of)
				list[s.Deal.Seats[p]].Side = &note
			}
		}
	}
	return list
}

// zones are the trick, open discards and the hands, the viewer's own last.
func zones(a at) []scene.Zone {
	d := a.State.Deal
	trick := scene.Zone{ID: "trick", Layout: scene.Round, Label: scene.Say("zone.trick", scene.Number("n", max(len(d.Tricks), 1)))}
	if n := len(d.Tricks); n > 0 && len(d.Tricks[n-1].Faces) < players {
		trick.Cards = laid(d, d.Tricks[n-1])
	}
	list := []scene.Zone{trick}
	var own []scene.Zone
	for p, seat := range d.Seats {
		if len(d.Discards[p].Letters) > 0 {
			list = append(list, discards(a, p))
		}
		hand := a.Hand(seat, d.Places(p, d.Held[p]))
		slices.SortStableFunc(hand.Cards, func(x, y scene.Shown) int { return Game.Face(x.Face).Order - Game.Face(y.Face).Order })
		if a.Is(seat) {
			own = append(own, hand)
		} else {
			list = append(list, hand)
		}
	}
	return append(list, own...)
}

// discards are those of a player, open or the viewer's own.
func discards(a at, p int) scene.Zone {
	d := a.State.Deal
	seat := d.Seats[p]
	z := scene.Zone{ID: "discards:" + strconv.Itoa(int(seat)), Layout: scene.Pile, Seat: &seat, Label: scene.Say("zone.discards", scene.Who("seat", seat))}
	for i, letter := range d.Discards[p].Letters {
		c := d.Place(p, byte(letter))
		shown := scene.Shown{Place: c, Face: d.Discards[p].Faces[i]}
		if f, known := a.View.Faces[c]; known && shown.Face == "" {
			shown.Face = a.Table.FaceName(f)
		}
		z.Cards = append(z.Cards, shown)
	}
	return z
}

// laid are the cards of a trick, with their places in the deal.
func laid(d tarokk.Deal, t tarokk.Trick) []scene.Shown {
	list := make([]scene.Shown, len(t.Faces))
	for i, name := range t.Faces {
		seat := d.Seats[(t.Leader+i)%players]
		list[i] = scene.Shown{Face: name, By: &seat}
	}
	return list
}

func facts(s tarokk.State) []scene.Note {
	d := s.Deal
	list := []scene.Note{scene.Say("fact.deal", scene.Number("n", d.Number), scene.Number("done", s.Completed), scene.Number("of", s.Deals))}
	add := func(id string, args ...scene.Arg) { list = append(list, scene.Say(id, args...)) }
	if m := s.Rounds.Multiplier(); m > 1 {
		add("fact.multiplier", scene.Number("n", m))
	}
	if s.Rules.UltimoPool {
		add("fact.pool", scene.Number("n", int(s.Pool)))
	}
	if len(d.Auction.Said) > 0 {
		add("fact.bids", bids(d))
	}
	if i := d.Auction.Invit; i != nil {
		add("fact."+invits(*i), scene.Who("seat", d.Seats[i.By]), scene.Card("card", deck.Name(i.Card)))
	}
	if d.Outcome != nil && !d.Outcome.ThrownIn {
		list = append(list, contract(d)...)
	}
	if n := discarded(d); n.ID != "" {
		list = append(list, n)
	}
	if d.Announce != nil {
		list = append(list, announced(d)...)
	}
	return list
}

// by is what a player did, bid or has.
func by(d tarokk.Deal, p int, what scene.Note) scene.Note {
	return scene.Say("by", scene.Who("seat", d.Seats[p]), scene.That("what", what))
}

func bids(d tarokk.Deal) scene.Arg {
	var said []scene.Note
	for _, c := range d.Auction.Said {
		said = append(said, by(d, c.Seat, scene.Say("bid."+string(c.Call))))
	}
	return scene.Notes("list", said...)
}

// contract is what was bid: the game, who yielded it, and what is or must be called.
func contract(d tarokk.Deal) []scene.Note {
	o := d.Outcome
	list := []scene.Note{scene.Say("fact.game", scene.That("level", level(o.Level)), scene.Who("declarer", d.Seats[o.Declarer]))}
	if o.Yielder != auction.Nobody {
		list = append(list, scene.Say("fact.yielded", scene.Who("seat", d.Seats[o.Yielder])))
	}
	switch {
	case d.Announce != nil && d.Announce.Called != nil:
		list = append(list, scene.Say("fact.called", scene.Card("card", deck.Name(*d.Announce.Called))))
	case o.MustCall != nil:
		list = append(list, scene.Say("fact.mustcall", scene.Card("card", deck.Name(*o.MustCall))))
	}
	return list
}

// discarded is how many cards, and how many tarokks as far as it was said.
func discarded(d tarokk.Deal) scene.Note {
	var list []scene.Note
	for p, laid := range d.Discards {
		if laid.Letters == "" {
			continue
		}
		n := by(d, p, scene.Say("text", scene.Number("text", len(laid.Letters))))
		if laid.Said {
			n = both(n, scene.Say("of.tarokks", scene.Number("n", len(laid.Tarokks))))
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		return scene.Note{}
	}
	return scene.Say("fact.discards", scene.Notes("list", list...))
}

func announced(d tarokk.Deal) []scene.Note {
	var list []scene.Note
	for p, n := range d.Announce.Counts {
		if n > 0 {
			list = append(list, by(d, p, scene.Say("says.count."+strconv.Itoa(n))))
		}
	}
	for _, i := range d.Announce.Items {
		if i.Item != score.TheGame || i.Contra > 0 {
			list = append(list, by(d, i.By, contraed(i)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []scene.Note{scene.Say("fact.announced", scene.Notes("list", list...))}
}

// contraed is an item with the last step that was made on it.
func contraed(i announce.Announced) scene.Note {
	if i.Contra == 0 {
		return itemNote(i.Item)
	}
	return scene.Say("says.contra", scene.That("contra", ladderStep(i.Contra)), scene.That("item", itemNote(i.Item)))
}

// task is what players are waited for.
func task(s tarokk.Stage) scene.Note {
	id, known := tasks[s]
	if !known {
		return scene.Note{}
	}
	return scene.Say("task." + id)
}

var tasks = map[tarokk.Stage]string{
	tarokk.Knocking: "knock", tarokk.Bidding: "bid", tarokk.Confirming: "confirm", tarokk.Trying: "trial",
	tarokk.AnnullingFirst: "annul", tarokk.Annulling: "annul", tarokk.Discarding: "discard", tarokk.Disclosing: "disclose",
	tarokk.Announcing: "announce", tarokk.Playing: "play", tarokk.Opening: "open", tarokk.Claiming: "claim", tarokk.Paying: "fee", tarokk.Between: "wish",
}
