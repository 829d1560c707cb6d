package scene

import (
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

const players = len(tarokk.Deal{}.Seats)

// Scene implements scene.Presentation.
func (Presentation) Scene(a gamePosition) scene.Scene {
	s := scene.Scene{Chairs: seatChairs(a), Waits: a.Waits(taskNote(a.State.Stage))}
	if a.State.Deal.Number == 0 {
		s.Facts = []scene.Note{scene.Say("fact.seats")}
		return s
	}
	s.Facts, s.Heads = factNotes(a.State), headNotes(a.State)
	s.Zones = tableZones(a)
	for _, t := range a.State.Deal.Tricks {
		if len(t.Faces) == players {
			s.Past = append(s.Past, scene.Trick{Cards: trickCards(a.State.Deal, t), Taken: a.State.Deal.Seats[t.Winner()]})
		}
	}
	return s
}

func seatChairs(a gamePosition) []scene.Chair {
	s, list := a.State, a.Chairs(a.State.Scores)
	role := func(seat table.Seat, id string) {
		list[seat].Roles = append(list[seat].Roles, scene.Say("role."+id))
	}
	if s.Deal.Number == 0 {
		return list
	}
	role(s.Members[s.Dealer], "dealer")
	for place, seat := range s.Members {
		list[seat].Place = len(s.Members) - place // whoever plays next sits on the right (R-SEAT-1)
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
	for p, seat := range s.Deal.Seats {
		list[seat].Says = saidNotes(s.Deal, p)
	}
	if s.Deal.Announce != nil {
		for p, of := range s.Deal.Announce.Sides {
			if of != tarokk.UnknownSide {
				note := sideNote(of)
				list[s.Deal.Seats[p]].Side = &note
			}
		}
	}
	return list
}

// tableZones are the trick, the open discards and the hands; the viewer's own hand is last.
func tableZones(a gamePosition) []scene.Zone {
	d := a.State.Deal
	trick := scene.Zone{ID: "trick", Layout: scene.Round, Label: scene.Say("zone.trick", scene.Number("n", max(len(d.Tricks), 1)))}
	if n := len(d.Tricks); n > 0 && len(d.Tricks[n-1].Faces) < players {
		trick.Cards = trickCards(d, d.Tricks[n-1])
	}
	list := []scene.Zone{trick}
	var own []scene.Zone
	for p, seat := range d.Seats {
		if len(d.Discards[p].Letters) > 0 {
			list = append(list, discardZone(a, p))
		}
		hand := a.HandZone(seat, d.CardsAt(p, d.Held[p]))
		slices.SortStableFunc(hand.Cards, func(x, y scene.ShownCard) int { return faceOrder(x.Face) - faceOrder(y.Face) })
		if a.SitsAt(seat) {
			own = append(own, hand)
		} else {
			list = append(list, hand)
		}
	}
	return append(list, own...)
}

// discardZone are the discards of a player, if they are open or the viewer's own.
func discardZone(a gamePosition, p int) scene.Zone {
	d := a.State.Deal
	seat := d.Seats[p]
	z := scene.Zone{ID: "discards:" + strconv.Itoa(int(seat)), Layout: scene.Pile, Seat: &seat, Label: scene.Say("zone.discards", scene.SeatArg("seat", seat))}
	for i, letter := range d.Discards[p].Letters {
		c := d.CardAt(p, byte(letter))
		shown := scene.ShownCard{Place: c, Face: d.Discards[p].Faces[i]}
		if f, known := a.View.Faces[c]; known && shown.Face == "" {
			shown.Face = a.Table.FaceName(f)
		}
		z.Cards = append(z.Cards, shown)
	}
	return z
}

// trickCards are the cards of a trick, with their places in the deal.
func trickCards(d tarokk.Deal, t tarokk.Trick) []scene.ShownCard {
	list := make([]scene.ShownCard, len(t.Faces))
	for i, name := range t.Faces {
		seat := d.Seats[(t.Leader+i)%players]
		list[i] = scene.ShownCard{Face: name, By: &seat}
	}
	return list
}

func factNotes(s tarokk.State) []scene.Note {
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
		add("fact.bids", bidsArg(d))
	}
	if i := d.Auction.Invit; i != nil {
		add("fact."+invitKey(*i), scene.SeatArg("seat", d.Seats[i.By]), scene.Card("card", tarokk.FaceName(i.Card)))
	}
	list = append(list, contractNotes(d)...)
	if n := discardedNote(d); n.ID != "" {
		list = append(list, n)
	}
	if d.Announce != nil {
		list = append(list, announcedNotes(d)...)
	}
	return list
}

// playerNote is what a player did, bid or has.
func playerNote(d tarokk.Deal, p int, what scene.Note) scene.Note {
	return scene.Say("by", scene.SeatArg("seat", d.Seats[p]), scene.NoteArg("what", what))
}

func bidsArg(d tarokk.Deal) scene.Arg {
	var said []scene.Note
	for _, c := range d.Auction.Said {
		said = append(said, playerNote(d, c.Seat, scene.Say("bid."+string(c.Call))))
	}
	return scene.Notes("list", said...)
}

// contractNotes are what was bid: the game, who yielded it, and the card that is or must be called.
func contractNotes(d tarokk.Deal) []scene.Note {
	o := d.Outcome
	if o == nil || o.ThrownIn {
		return nil
	}
	list := []scene.Note{scene.Say("fact.game", scene.NoteArg("level", levelNote(o.Level)), scene.SeatArg("declarer", d.Seats[o.Declarer]))}
	if o.Yielder != tarokk.Nobody {
		list = append(list, scene.Say("fact.yielded", scene.SeatArg("seat", d.Seats[o.Yielder])))
	}
	switch {
	case d.Announce != nil && d.Announce.Called != nil:
		list = append(list, scene.Say("fact.called", scene.Card("card", tarokk.FaceName(*d.Announce.Called))))
	case o.MustCall != nil:
		list = append(list, scene.Say("fact.mustcall", scene.Card("card", tarokk.FaceName(*o.MustCall))))
	}
	return list
}

// discardedNote is the number of discards, and of tarokks among them as far as that has been said.
func discardedNote(d tarokk.Deal) scene.Note {
	var list []scene.Note
	for p, laid := range d.Discards {
		if laid.Letters == "" {
			continue
		}
		n := playerNote(d, p, scene.Say("text", scene.Number("text", len(laid.Letters))))
		if laid.Said {
			n = scene.BothNotes(n, scene.Say("of.tarokks", scene.Number("n", len(laid.Tarokks))))
		}
		list = append(list, n)
	}
	if len(list) == 0 {
		return scene.Note{}
	}
	return scene.Say("fact.discards", scene.Notes("list", list...))
}

func headNotes(s tarokk.State) []scene.Note {
	list := contractNotes(s.Deal)
	if m := s.Rounds.Multiplier(); m > 1 {
		list = append(list, scene.Say("fact.multiplier", scene.Number("n", m)))
	}
	return list
}

// saidNotes are a player's last bid, and from the announcements on what he announced.
func saidNotes(d tarokk.Deal, p int) (list []scene.Note) {
	if d.Announce != nil {
		if n := d.Announce.Counts[p]; n > 0 {
			list = append(list, scene.Say("says.count."+strconv.Itoa(n)))
		}
		for _, i := range d.Announce.Items {
			if i.By == p && i.Item != tarokk.TheGame {
				list = append(list, scene.Say("figure."+string(i.Item.Figure))) // figures of his own side, which is shown next to them
			}
		}
		return list
	}
	for _, c := range slices.Backward(d.Auction.Said) {
		if c.Seat == p {
			return []scene.Note{scene.Say("bid." + string(c.Call))}
		}
	}
	return nil
}

func announcedNotes(d tarokk.Deal) []scene.Note {
	var list []scene.Note
	for p, n := range d.Announce.Counts {
		if n > 0 {
			list = append(list, playerNote(d, p, scene.Say("says.count."+strconv.Itoa(n))))
		}
	}
	for _, i := range d.Announce.Items {
		if i.Item != tarokk.TheGame || i.Contra > 0 {
			list = append(list, playerNote(d, i.By, contraedNote(i)))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []scene.Note{scene.Say("fact.announced", scene.Notes("list", list...))}
}

// contraedNote is an item with the last contra step made on it.
func contraedNote(i tarokk.AnnouncedItem) scene.Note {
	if i.Contra == 0 {
		return itemNote(i.Item)
	}
	return scene.Say("says.contra", scene.NoteArg("contra", ladderStep(i.Contra)), scene.NoteArg("item", itemNote(i.Item)))
}

// taskNote is what players are waited for to do.
func taskNote(s tarokk.Stage) scene.Note { return scene.TaskOf(tasks, s) }

var tasks = map[tarokk.Stage]string{
	tarokk.Knocking: "knock", tarokk.Bidding: "bid", tarokk.Confirming: "confirm", tarokk.Trying: "trial",
	tarokk.AnnullingFirst: "annul", tarokk.Annulling: "annul", tarokk.Discarding: "discard", tarokk.Disclosing: "disclose",
	tarokk.Announcing: "announce", tarokk.Playing: "play", tarokk.Opening: "open", tarokk.Claiming: "claim", tarokk.Paying: "fee", tarokk.Between: "wish",
}
