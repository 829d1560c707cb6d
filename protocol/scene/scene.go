package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// Scene is all that lies on a table, for one viewer.
type Scene struct {
	Zones  []Zone  `json:"zones"` // in reading order, for screen readers and narrow screens
	Chairs []Chair `json:"chairs"`
	Facts  []Note  `json:"facts"` // whole sentences: bids, called card, announcements, pool
	Heads  []Note  `json:"heads"` // the facts shown on the felt: the game, a called card, the pot
	Waits  []Wait  `json:"waits"` // empty: the table is over
	Past   []Trick `json:"past"`  // tricks of this deal, oldest first
}

// Layouts of zones, which are the same for all games.
const (
	Hand  = "hand"
	Pile  = "pile"
	Row   = "row"
	Round = "trick"
)

// Zone is cards that lie together.
type Zone struct {
	ID     string      `json:"id"` // "hand:1"
	Layout string      `json:"layout"`
	Seat   *table.Seat `json:"seat,omitempty"` // its owner
	Label  Note        `json:"label"`
	Cards  []ShownCard `json:"cards"`
	Hidden int         `json:"hidden,omitempty"` // further cards, backs only
}

// ShownCard is a card of a zone.
type ShownCard struct {
	Place table.Card  `json:"place"`
	Face  string      `json:"face"`         // "": a back
	By    *table.Seat `json:"by,omitempty"` // the seat that laid it there
}

// Chair is a seat as the viewer sees it.
type Chair struct {
	Seat  table.Seat `json:"seat"`
	Roles []Note     `json:"roles"` // "declarer", "dealer"
	Side  *Note      `json:"side,omitempty"`
	Place int        `json:"place"` // position around the table, in the order of play
	Turn  bool       `json:"turn"`  // whether it owes something
	Says  []Note     `json:"says"`  // its last bid, and what it has announced since
	Score int        `json:"score"`
}

// Wait is what play waits for, and from whom: from each of these seats, but for a move from one of
// them.
type Wait struct {
	Seats []table.Seat `json:"seats"`
	For   Note         `json:"for"`
}

// Trick is a finished trick.
type Trick struct {
	Cards []ShownCard `json:"cards"`
	Taken table.Seat  `json:"taken"`
}

// Ask is what a seat owes a move for. Without Parts the seat owes none.
type Ask struct {
	Prompt Note   `json:"prompt"`
	Parts  []Part `json:"parts"` // what can be picked, and what is barred with the reason
	Alone  bool   `json:"alone"` // one answer, which decides nothing and is given without asking
	May    bool   `json:"may"`   // the seat may answer but need not: play waits for another seat
}

// Pick is a part's permanent name, in ASCII and without spaces: "play:d", "bid:two". It may be typed.
type Pick string

// Part is something that can be picked.
type Part struct {
	Pick  Pick        `json:"pick"`
	Label Note        `json:"label"`
	Place *table.Card `json:"place,omitempty"` // if it is a card of a zone
	// bid, call, announce, contra, discard, …: a panel; "end", which ends a deal early, is folded away
	Group string `json:"group"`
	Means []Note `json:"means,omitempty"` // what it shows, draws or is worth
	Why   *Note  `json:"why,omitempty"`   // if it is barred: the rule, and what could be done
	Range *Range `json:"range,omitempty"` // if set, other numbers may replace the one at the end of the pick, and in the label
}

// Range is the numbers that may replace the one in a part, such as amounts.
type Range struct {
	Least    int `json:"least"`
	Greatest int `json:"greatest"`
}

// WithNumber returns the part with another number of its range; false if n is not in the range.
func (p Part) WithNumber(n int) (Part, bool) {
	verb, last, _ := strings.Cut(string(p.Pick), ":")
	old, err := strconv.Atoi(last)
	if p.Range == nil || err != nil || n < p.Range.Least || n > p.Range.Greatest {
		return p, false
	}
	p.Pick, p.Label.Args, p.Means = Pick(verb+":"+strconv.Itoa(n)), slices.Clone(p.Label.Args), nil
	for i, a := range p.Label.Args {
		if a.Number != nil && *a.Number == old {
			p.Label.Args[i].Number = &n
		}
	}
	return p, true
}

// FreeParts lists the parts that are not barred.
func (a Ask) FreeParts() []Part {
	return slices.DeleteFunc(slices.Clone(a.Parts), func(p Part) bool { return p.Why != nil })
}

// FindPart returns the part of a pick, unless it is barred.
func (a Ask) FindPart(pick Pick) (Part, bool) {
	free := a.FreeParts()
	i := slices.IndexFunc(free, func(p Part) bool { return p.Pick == pick })
	if i < 0 {
		return Part{}, false
	}
	return free[i], true
}

// Answer is what some picks amount to. Picks that cannot be made amount to nothing.
type Answer[M any] struct {
	Move   *M      `json:"move,omitempty"`   // if the picks are a whole move
	Ask    Ask     `json:"ask"`              // what may follow: discards and announcements take several picks
	Says   Note    `json:"says"`             // "discard ♥Q, discard ♦R"
	Proves []Claim `json:"proves,omitempty"` // what the move will prove; filled in by Game
	Weighs bool    `json:"weighs,omitempty"` // whether to ask for confirmation: a discard, a call, an annulment
}

// Choice is a move of one pick.
type Choice[M any] struct {
	Part
	Move   M
	Weighs bool
}

// YesNo returns the choices of a move that answers yes or no, in this order.
func YesNo[M any](id string, set func(*M, *bool), choice func(pick, group string, label Note, m M) Choice[M]) []Choice[M] {
	list := make([]Choice[M], 2)
	for i, answer := range []bool{true, false} {
		var m M
		set(&m, &answer)
		word := strconv.FormatBool(answer)
		list[i] = choice(id+":"+word, id, Say("pick."+id+"."+word), m)
	}
	return list
}

// OfferChoices returns an Ask for one of the choices.
func OfferChoices[M any](prompt Note, list []Choice[M]) Ask {
	a := Ask{Prompt: prompt}
	for _, c := range list {
		a.Parts = append(a.Parts, c.Part)
	}
	return a
}

// TakeChoice returns the answer to [OfferChoices].
func TakeChoice[M any](list []Choice[M], picked []Pick) Answer[M] {
	for _, c := range list {
		if len(picked) == 1 && c.Pick == picked[0] && c.Why == nil {
			return Answer[M]{Move: &c.Move, Says: c.Label, Weighs: c.Weighs}
		}
	}
	return Answer[M]{}
}

// HandZone returns the zone of a seat's hand, with the faces that the viewer knows.
func (p Position) HandZone(seat table.Seat, places []table.Card) Zone {
	z := Zone{ID: "hand:" + strconv.Itoa(int(seat)), Layout: Hand, Seat: &seat, Label: Say("zone.hand", SeatArg("seat", seat))}
	for _, c := range places {
		face := ""
		if f, known := p.View.Faces[c]; known {
			face = p.Table.FaceName(f)
		}
		z.Cards = append(z.Cards, ShownCard{Place: c, Face: face})
	}
	return z
}

// SitsAt reports whether the viewer sits at the seat.
func (p Position) SitsAt(seat table.Seat) bool { return p.Seat != nil && *p.Seat == seat }

// OwesMove reports whether the viewer owes a move.
func (p Position) OwesMove() bool {
	return p.Seat != nil && slices.ContainsFunc(p.Table.Duties(), func(d table.Duty) bool { return d.Kind == table.Move && d.Owes(*p.Seat) })
}

// Waits returns what play waits for; a move is named by its task.
func (p Position) Waits(task Note) []Wait {
	var list []Wait
	for _, d := range p.Table.Duties() {
		w := Wait{d.Seats, Say("owes." + string(d.Kind))}
		if d.Kind == table.Move && task.ID != "" {
			w.For = task
		}
		if n := len(list); n > 0 && list[n-1].For.ID == w.For.ID && d.Kind != table.Move {
			list[n-1].Seats = slices.Concat(list[n-1].Seats, w.Seats)
			continue
		}
		list = append(list, w)
	}
	return list
}

// Chairs returns all seats in the order of the genesis entry. Scores may be nil.
func (p Position) Chairs(scores []int) []Chair {
	list := make([]Chair, p.Table.Seats())
	for i := range list {
		list[i] = Chair{Seat: table.Seat(i), Place: i, Turn: len(p.Table.DutiesOf(table.Seat(i))) > 0}
		if scores != nil {
			list[i].Score = scores[i]
		}
	}
	return list
}
