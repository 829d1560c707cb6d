package scene

import (
	"strconv"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Tell implements scene.Presentation.
func (Presentation) Tell(before, after gamePosition, by table.Seat, m *skat.Move) []scene.Tell {
	var list []scene.Tell
	if m != nil {
		list = append(list, scene.Tell{What: moveNote(before.State, by, *m), Card: m.Play != nil, Idle: m.Kontra != nil && !*m.Kontra || m.Re != nil && !*m.Re})
	}
	if after.Table == nil {
		return list
	}
	for _, n := range consequenceNotes(before.State, after.State) {
		list = append(list, scene.Tell{What: n})
	}
	return list
}

// moveNote is what a move did, worded to follow a name. The rules may have refused the move.
func moveNote(s skat.State, by table.Seat, m skat.Move) scene.Note {
	switch {
	case m.Call != nil:
		return didCallNote(s.Deal.Auction, *m.Call)
	case m.Choose != nil:
		return knownNote("did.choose." + *m.Choose)
	case m.Aside != nil:
		return scene.Say("did.aside")
	case m.Announce != nil:
		return announcementNote(*m.Announce)
	case m.Open != nil:
		return scene.Say("did.open")
	case m.Play != nil:
		return scene.Say("did.play", scene.Card("card", m.Play.Face.String()))
	case m.Concede != nil && s.Deal.Declarer != skat.Nobody:
		return concessionNote(s, by)
	case m.Claim != nil && s.Deal.Contract != nil && m.Claim.Level >= skat.Normal && m.Claim.Level <= skat.Schwarz:
		return scene.Say("did.claim", scene.NoteArg("level", levelNote(*s.Deal.Contract, m.Claim.Level)))
	case m.Answer != nil:
		return knownNote("did.answer." + *m.Answer)
	case m.Lay != nil:
		return scene.Say("did.lay", scene.Number("n", len(*m.Lay)))
	case m.Matadors != nil:
		return scene.Say("did.matadors", scene.NoteArg("count", matadors(*m.Matadors)))
	}
	for id, yes := range map[string]*bool{"kontra": m.Kontra, "re": m.Re, "agree": m.Agree} {
		if yes != nil {
			return scene.Say("did." + id + "." + strconv.FormatBool(*yes))
		}
	}
	return scene.Say("did.unknown")
}

// concessionNote says a concession, which may bind at once (SK-R-55, SK-R-57).
func concessionNote(s skat.State, by table.Seat) scene.Note {
	const freely = 9 // cards of the declarer
	d := s.Deal
	binds := s.Rules.Concede == skat.OptOne
	if by == d.Seats[d.Declarer] {
		binds = len(d.Hands[d.Declarer]) >= freely
	}
	if binds {
		return scene.Say("did.concede")
	}
	return scene.Say("did.concede.offer")
}

// knownNote is the note of that id, or a general one if there is no text for it, as a foul move can
// cause.
func knownNote(id string) scene.Note {
	if !hasText(id) {
		id = "did.unknown"
	}
	return scene.Say(id)
}

func didCallNote(a skat.Auction, c skat.Call) scene.Note {
	switch c {
	case skat.PassCall:
		return scene.Say("did.pass")
	case skat.YesCall:
		return scene.Say("did.hold", scene.Number("bid", a.Last))
	}
	return scene.Say("did.bid", scene.Number("bid", int(c)))
}

func announcementNote(m skat.Announcement) scene.Note {
	if !m.Game.Valid() || m.Ann < skat.Normal || m.Ann > skat.Schwarz {
		return scene.Say("did.unknown")
	}
	game := scene.NoteArg("game", contractNote(skat.Contract{Game: m.Game, Hand: m.Discard == nil, Ann: m.Ann, Ouvert: m.Ouvert}))
	if m.Discard != nil {
		return scene.Say("did.announce.discard", game)
	}
	return scene.Say("did.announce", game)
}

// consequenceNotes are what a message brought about.
func consequenceNotes(old, s skat.State) (list []scene.Note) {
	switch {
	case old.Stage == s.Stage && s.Stage != skat.Playing:
		return nil
	case old.Stage == skat.ShowingSeats:
		return []scene.Note{scene.Say("tell.seats", scene.Seats("seats", s.Seats...))}
	case old.Stage == skat.Dealing:
		d := s.Deal
		return []scene.Note{facts(s, d)[0], scene.Say("tell.deal", scene.SeatArg("dealer", d.Dealer), scene.SeatArg("forehand", d.Seats[skat.Forehand]),
			scene.SeatArg("middlehand", d.Seats[skat.Middlehand]), scene.SeatArg("rearhand", d.Seats[skat.Rearhand]))}
	case old.Stage == skat.Bidding && s.Stage == skat.Choosing:
		return []scene.Note{scene.Say("fact.declarer", scene.SeatArg("seat", s.Deal.Seats[s.Deal.Declarer]), scene.Number("bid", s.Deal.Bid))}
	case old.Stage == skat.Bidding && s.Deal.Ramsch:
		return []scene.Note{scene.Say("fact.ramsch")}
	case old.Stage == skat.ShowingSkat:
		return []scene.Note{scene.Say("tell.skat", facesArg("cards", s.Deal.SeenOf(skat.Nobody)))}
	case old.Stage == skat.Playing:
		return trickOver(old, s)
	}
	return nil
}

// trickOver tells of a trick that has just been completed. After the last one the deal is over.
func trickOver(old, s skat.State) []scene.Note {
	d := s.Deal
	if d.Number != old.Deal.Number {
		d = *s.Last
	}
	n := len(d.Tricks)
	if n == 0 || len(d.Tricks[n-1].Faces) < players {
		return nil
	}
	t := d.Tricks[n-1]
	if k := len(old.Deal.Tricks); k == n && len(old.Deal.Tricks[k-1].Faces) == players {
		return nil // it was complete before
	}
	var cards []scene.Note
	for _, c := range trickCards(d, t) {
		cards = append(cards, scene.Say("who.card", scene.SeatArg("seat", *c.By), scene.Card("card", c.Face)))
	}
	return []scene.Note{scene.Say("tell.trick", scene.Number("n", n), scene.Notes("cards", cards...), scene.SeatArg("seat", d.Seats[d.Winner(t)]))}
}
