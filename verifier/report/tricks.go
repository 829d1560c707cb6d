package report

import (
	"slices"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Trick is a round of cards, as they became known.
type Trick struct {
	Cards []LaidCard  `json:"cards"`
	Taken *table.Seat `json:"taken,omitempty"` // nil if it is not over
}

// LaidCard is a card that a seat laid down.
type LaidCard struct {
	Seat table.Seat `json:"seat"`
	Face string     `json:"face"` // as the deck names it
}

// dealTricks are the tricks of all deals that the trace has reached.
type dealTricks struct {
	first    int // first step of the current deal
	over     int // number of sheets when it began
	tricks   map[int][]Trick
	headings map[uint64]string
	next     string // heading of a deal that has begun but of which no step is told yet
	number   int    // of the latest deal
}

// headStep heads the first step of a deal with its number.
func (d *dealTricks) headStep(index uint64) {
	if d.next != "" {
		d.headings[index], d.next = d.next, ""
	}
}

// beginDeal records that a deal begins, by the number that it will have on its sheet. A shuffle that
// draws seats begins no deal.
func (t *tracer) beginDeal(before, after *table.State) {
	n := 1
	if sheets := t.voice.Game.Sheets(after); len(sheets) > 0 {
		n += sheets[len(sheets)-1].Deal
	}
	if after.DealsBegun() == before.DealsBegun() {
		return
	}
	key := "deal"
	if n == t.deals.number {
		key = "deal.again" // the deal was undone
	}
	t.deals.next, t.deals.number = t.l.Say(key, "n", n), n
}

// closeDeal records the tricks of the deal that ends between the states s and next, by the place of
// its sheet. A deal that is not over has the place of its future sheet.
func (t *tracer) closeDeal(s, next *table.State) {
	tricks := tricksOf(t.voice.Game.Scene(scene.OnlookerPosition(s)))
	if later := tricksOf(t.voice.Game.Scene(scene.OnlookerPosition(next))); len(later) >= len(tricks) {
		tricks = later // the message that ended the deal was the last card
	}
	for n, trick := range tricks {
		heading := t.l.Say("trick.open", "n", n+1)
		if trick.Taken != nil {
			heading = t.l.Say("trick", "n", n+1, "seat", t.l.seatText(*trick.Taken, s.SeatName(*trick.Taken)))
		}
		if i := t.playedStep(trick.Cards); i >= 0 {
			t.deals.headings[t.steps[i].Index] = heading
		}
	}
	at := len(t.voice.Game.Sheets(s))
	if at > t.deals.over {
		at-- // the deal has its sheet
	}
	t.deals.tricks[at] = tricks
	t.deals.first, t.deals.over = len(t.steps), len(t.voice.Game.Sheets(next))
}

// playedStep returns the index of the step of this deal that laid down the first of some cards, or -1
// if it is not known.
func (t *tracer) playedStep(cards []LaidCard) int {
	for i := len(t.steps) - 1; i >= t.deals.first && len(cards) > 0; i-- {
		if s := t.steps[i]; s.Seat != nil && *s.Seat == cards[0].Seat && slices.Contains(s.Faces, cards[0].Face) {
			return i
		}
	}
	return -1
}

// Heading returns the heading above a step that begins a trick: its number, and who took it.
func (d *Document) Heading(s Step) string { return d.headings[s.Index] }

// tricksOf returns the tricks of a scene, and the begun one.
func tricksOf(s scene.Scene) (list []Trick) {
	for _, past := range s.Past {
		list = append(list, Trick{laidCards(past.Cards), &past.Taken})
	}
	for _, z := range s.Zones {
		if z.Layout == scene.Round && len(z.Cards) > 0 {
			list = append(list, Trick{Cards: laidCards(z.Cards)})
		}
	}
	return list
}

func laidCards(cards []scene.ShownCard) (list []LaidCard) {
	for _, c := range cards {
		if c.By != nil && c.Face != "" {
			list = append(list, LaidCard{*c.By, c.Face})
		}
	}
	return list
}
