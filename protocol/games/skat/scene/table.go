package scene

import (
	"slices"
	"strconv"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Scene implements scene.Presentation.
func (Presentation) Scene(a gamePosition) scene.Scene {
	s := scene.Scene{Chairs: chairs(a), Waits: waits(a)}
	if a.State.Stage == skat.DrawingSeats || a.State.Stage == skat.ShowingSeats {
		s.Facts = []scene.Note{scene.Say("fact.seats")}
		return s
	}
	d := visibleDeal(a.State)
	s.Facts, s.Heads, s.Zones = facts(a.State, d), contractNotes(d), zones(a, d)
	for _, t := range d.Tricks {
		if len(t.Faces) == players {
			s.Past = append(s.Past, scene.Trick{Cards: trickCards(d, t), Taken: d.Seats[d.Winner(t)]})
		}
	}
	return s
}

// visibleDeal is the deal on the table: the one that has ended, until the next one is dealt.
func visibleDeal(s skat.State) skat.Deal {
	if s.Stage == skat.Shuffling && s.Last != nil {
		return *s.Last
	}
	return s.Deal
}

// waits are the players that the table waits for. During the play it is only the one whose card is due,
// although others may concede.
func waits(a gamePosition) []scene.Wait {
	if a.State.Stage != skat.Playing {
		return a.Waits(taskNote(a.State.Stage))
	}
	return []scene.Wait{{Seats: []table.Seat{onTurn(a.State.Deal)}, For: taskNote(skat.Playing)}}
}

func onTurn(d skat.Deal) table.Seat { return d.Seats[d.OnTurn()] }

func chairs(a gamePosition) []scene.Chair {
	s, list := a.State, a.Chairs(a.State.Tally.Sums(a.State.Rules.Score))
	for place, seat := range s.Seats {
		list[seat].Place = place
		if s.Stage == skat.Playing {
			list[seat].Turn = seat == onTurn(s.Deal)
		}
	}
	d := visibleDeal(s)
	if d.Number == 0 || s.Stage == skat.Over {
		return list
	}
	role := func(seat table.Seat, id string) {
		list[seat].Roles = append(list[seat].Roles, scene.Say("role."+id))
	}
	if role(d.Dealer, "dealer"); !slices.Contains(d.Seats[:], d.Dealer) {
		role(d.Dealer, "out")
	}
	for p, seat := range d.Seats {
		list[seat].Says = saidNotes(d, p)
		if d.Declarer == skat.Nobody && !d.Ramsch {
			role(seat, "hand."+strconv.Itoa(p))
		}
		switch d.Declarer {
		case skat.Nobody:
		case p:
			role(seat, "declarer")
		default:
			side := scene.Say("side.defenders")
			list[seat].Side = &side
		}
	}
	return list
}

// zones are the trick, the skat and the hands; the viewer's own hand is last.
func zones(a gamePosition, d skat.Deal) []scene.Zone {
	trick := scene.Zone{ID: "trick", Layout: scene.Round, Label: scene.Say("zone.trick", scene.Number("n", max(len(d.Tricks), 1)))}
	if a.State.Stage == skat.Shuffling {
		return []scene.Zone{trick} // no cards lie there between deals
	}
	if n := len(d.Tricks); n > 0 && len(d.Tricks[n-1].Faces) < players {
		trick.Cards = trickCards(d, d.Tricks[n-1])
	}
	list := []scene.Zone{trick}
	if len(d.Skat) > 0 {
		list = append(list, skatZone(a))
	}
	var own []scene.Zone
	for p, seat := range d.Seats {
		hand := a.HandZone(seat, d.Hands[p])
		hand.Cards = sortedCards(d.Game(), hand.Cards)
		if a.SitsAt(seat) {
			own = append(own, hand)
		} else {
			list = append(list, hand)
		}
	}
	return append(list, own...)
}

// skatZone is the skat: backs, except for the player who laid it aside and once it is open.
func skatZone(a gamePosition) scene.Zone {
	z := scene.Zone{ID: "skat", Layout: scene.Pile, Label: scene.Say("zone.skat")}
	for _, c := range a.State.Deal.Skat {
		shown := scene.ShownCard{Place: c}
		if f, known := a.View.Faces[c]; known {
			shown.Face = a.Table.FaceName(f)
		}
		z.Cards = append(z.Cards, shown)
	}
	return z
}

func trickCards(d skat.Deal, t skat.Trick) []scene.ShownCard {
	list := make([]scene.ShownCard, len(t.Faces))
	for i, f := range t.Faces {
		seat := d.Seats[(t.Leader+i)%players]
		list[i] = scene.ShownCard{Face: f.String(), By: &seat}
	}
	return list
}

func facts(s skat.State, d skat.Deal) []scene.Note {
	list := []scene.Note{scene.Say("fact.deal", scene.Number("n", d.Number), scene.Number("of", s.Deals))}
	add := func(id string, args ...scene.Arg) { list = append(list, scene.Say(id, args...)) }
	if s.Bock > 0 {
		add("fact.bock", scene.Number("n", int(s.Bock)))
	}
	if s.Rules.Score == skat.OptBierlachs {
		add("fact.limit", scene.Number("n", s.Rules.MinusLimit()))
	}
	if len(d.Auction.Calls) > 0 {
		var said []scene.Note
		for _, c := range d.Auction.Calls {
			said = append(said, scene.Say("by", scene.SeatArg("seat", d.Seats[c.Player]), scene.NoteArg("what", callNote(c.Call))))
		}
		add("fact.bids", scene.NoteArg("list", commas(said)))
	}
	list = append(list, contractNotes(d)...)
	if d.Pushes > 0 {
		add("fact.pushes", scene.Number("n", d.Pushes))
	}
	if d.Kontra != skat.Nobody {
		add("fact.kontra", scene.SeatArg("seat", d.Seats[d.Kontra]))
	}
	if d.Re {
		add("fact.re")
	}
	if o := d.Offer; o != nil {
		list = append(list, offerNote(d, *o))
	}
	if left := d.ImpliedSkat(); d.Ending != nil && left != (card.Set{}) {
		add("fact.skat", facesArg("cards", left))
	}
	return list
}

// contractNotes are what is played, as far as it is known.
func contractNotes(d skat.Deal) []scene.Note {
	switch {
	case d.Ramsch:
		return []scene.Note{scene.Say("fact.ramsch")}
	case d.Contract != nil:
		return []scene.Note{declarerNote(d)}
	case d.Declarer != skat.Nobody:
		return []scene.Note{scene.Say("fact.declarer", scene.SeatArg("seat", d.Seats[d.Declarer]), scene.Number("bid", d.Bid))}
	}
	return nil
}

// saidNotes are a player's last call, and from the play on whether he has doubled the game.
func saidNotes(d skat.Deal, p int) []scene.Note {
	switch {
	case p == d.Kontra:
		return []scene.Note{scene.Say("pick.kontra.true")}
	case p == d.Declarer && d.Re:
		return []scene.Note{scene.Say("pick.re.true")}
	case d.Contract != nil || d.Ramsch:
		return nil
	}
	for _, c := range slices.Backward(d.Auction.Calls) {
		if c.Player == p {
			return []scene.Note{callNote(c.Call)}
		}
	}
	return nil
}

// declarerNote is what the declarer plays, and his bid.
func declarerNote(d skat.Deal) scene.Note {
	return scene.Say("fact.contract", scene.SeatArg("seat", d.Seats[d.Declarer]), scene.NoteArg("game", contractNote(*d.Contract)), scene.Number("bid", d.Bid))
}

// contractNote is a game with its announcements: "Kreuz Hand, Schneider angesagt".
func contractNote(c skat.Contract) scene.Note {
	n := gameNote(c.Game)
	if c.Hand {
		n = scene.BothNotes(n, scene.Say("contract.hand"))
	}
	switch {
	case c.Ouvert:
		return scene.BothNotes(n, scene.Say("contract.ouvert"))
	case c.Ann > skat.Normal:
		return scene.BothNotes(n, scene.Say("contract.ann."+strconv.Itoa(c.Ann)))
	}
	return n
}

func callNote(c skat.Call) scene.Note {
	switch c {
	case skat.PassCall, skat.YesCall:
		return scene.Say("call." + c.String())
	}
	return scene.Say("text", scene.Number("text", int(c)))
}

// offerNote is the offer that others must answer.
func offerNote(d skat.Deal, o skat.Offer) scene.Note {
	who := scene.SeatArg("seat", d.Seats[o.By])
	if !o.Claim {
		return scene.Say("fact.concede", who)
	}
	return scene.Say("fact.claim", who, scene.NoteArg("level", levelNote(*d.Contract, o.Level)))
}

// levelNote is a level that is claimed: all remaining tricks, or in null none.
func levelNote(c skat.Contract, level int) scene.Note {
	if c.Game == skat.Null {
		return scene.Say("level.null")
	}
	return scene.Say("level." + strconv.Itoa(level))
}

// taskNote is what players are waited for to do.
func taskNote(s skat.Stage) scene.Note { return scene.TaskOf(tasks, s) }

var tasks = map[skat.Stage]string{
	skat.Bidding: "bid", skat.Choosing: "choose", skat.Pushing: "push", skat.PassingOn: "aside", skat.Announcing: "announce",
	skat.Doubling: "kontra", skat.Redoubling: "re", skat.Opening: "open", skat.Playing: "play", skat.Agreeing: "agree",
	skat.Answering: "answer", skat.Laying: "lay", skat.Proving: "matadors",
}
