package desk

import (
	"slices"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// This file has scenes as pages draw them (scene/v1 with its notes in words).

// View is a table as somebody sees it.
type View struct {
	Game    string    `json:"game"`
	Table   wire.Hash `json:"table"`
	You     *int      `json:"you"`
	Deal    int       `json:"deal"`
	Deals   int       `json:"deals"`
	Entries int       `json:"entries"` // number of applied entries
	Over    bool      `json:"over"`
	Foul    string    `json:"foul,omitempty"`
	Zones   []Zone    `json:"zones"`
	Chairs  []Chair   `json:"chairs"`
	Facts   []string  `json:"facts"`
	Heads   []string  `json:"heads"` // those of the facts that are shown on the felt
	Waits   []Wait    `json:"waits"`
	Past    []Trick   `json:"past"`
	Sheets  []Sheet   `json:"sheets"`
	Sums    []Sum     `json:"sums"` // below the sheets, if they are entered in a list
	Leaving *Leaving  `json:"leaving"`
}

// Leaving is how seats can leave and end a table; null: they cannot.
type Leaving struct {
	Resign  bool  `json:"resign"`  // a seat may leave
	Forfeit int   `json:"forfeit"` // what it pays each other seat if a deal is open
	Gone    *int  `json:"gone"`    // the seat that has left
	Asked   []int `json:"asked"`   // seats whose agreement ends the table
	Wants   []int `json:"wants"`   // those of them that agree
	Again   bool  `json:"again"`   // the table is over, and its players may play again without an organiser
}

// Zone is cards that lie together.
type Zone struct {
	ID     string  `json:"id"`
	Layout string  `json:"layout"`
	Seat   *int    `json:"seat"`
	Label  string  `json:"label"`
	Cards  []Shown `json:"cards"`
	Hidden int     `json:"hidden"`
}

// Shown is a card; a back has no face.
type Shown struct {
	Place int    `json:"place"`
	Face  string `json:"face"`
	By    *int   `json:"by"`
}

// Chair is a seat and who sits there.
type Chair struct {
	Seat  int      `json:"seat"`
	Name  string   `json:"name"`
	Roles []string `json:"roles"`
	Side  string   `json:"side"`
	Place int      `json:"place"`
	Turn  bool     `json:"turn"`
	Says  []string `json:"says"` // its last bid, or what it announced
	Score int      `json:"score"`
}

// Wait is what play waits for, and from which seats.
type Wait struct {
	Seats []int  `json:"seats"`
	Text  string `json:"text"`
	Move  bool   `json:"move"` // a decision, not a machine's work
}

// Trick is a round of cards that is over.
type Trick struct {
	Cards []Shown `json:"cards"`
	Taken int     `json:"taken"`
}

// Ask is what a seat is asked.
type Ask struct {
	At     int      `json:"at"` // number of messages before, which identifies the question
	Prompt string   `json:"prompt"`
	Parts  []Part   `json:"parts"`
	Alone  bool     `json:"alone"`
	May    bool     `json:"may"`    // play waits for another seat
	Picked []string `json:"picked"` // so far
	Says   string   `json:"says"`   // what the picks come to
	Whole  bool     `json:"whole"`  // the picks are a move
	Weighs bool     `json:"weighs"`
	Proves []string `json:"proves"`
}

// Part is something that can be picked, or the reason why it cannot.
type Part struct {
	Pick  string   `json:"pick"`
	Label string   `json:"label"`
	Place *int     `json:"place"`
	Group string   `json:"group"`
	Means []string `json:"means"`
	Why   string   `json:"why"`
	Range *Range   `json:"range"` // of the number at the end of the pick; null: the pick has none
}

// Range bounds an amount.
type Range struct {
	Least    int `json:"least"`
	Greatest int `json:"greatest"`
}

// Sheet is the result of a deal.
type Sheet struct {
	Deal     int       `json:"deal"`
	Text     string    `json:"text"`
	Lines    []Line    `json:"lines"`
	Payments []Payment `json:"payments"`
}

// Line is an item of a sheet.
type Line struct {
	Rule   string `json:"rule"`
	Text   string `json:"text"`
	For    string `json:"for"`
	Points int    `json:"points"`
}

// Sum is a line below a list, with an amount for each seat.
type Sum struct {
	Text    string `json:"text"`
	Amounts []int  `json:"amounts"`
	Count   bool   `json:"count"` // a count of things, or a rank, instead of points
}

// Payment is what a seat got.
type Payment struct {
	Seat  int `json:"seat"`
	Total int `json:"total"`
}

// Face is a card as a page draws it.
type Face struct {
	Words string `json:"words"`
	Suit  string `json:"suit"`
	Rank  string `json:"rank"`
	Order int    `json:"order"`
}

// Tell is something that happened.
type Tell struct {
	Seat   *int    `json:"seat"` // who did it; null: a consequence
	Text   string  `json:"text"`
	Entry  int     `json:"entry"` // number of the table's message, from 1
	Quiet  bool    `json:"quiet"` // of little interest: a step of the protocol, or nothing to tell
	Work   string  `json:"work"`  // kind of the protocol's step that no person decides; "": none
	Proofs []Proof `json:"proofs"`
}

// Proof is a proof that this program has verified.
type Proof struct {
	Relation string `json:"relation"` // ownership, shuffle, reveal, transfer, condition
	Text     string `json:"text"`     // of a condition: what was proved
	Why      string `json:"why"`      // why the game asks for it
	Bytes    int    `json:"bytes"`
}

// voice puts a table into words.
type voice struct {
	scene.Voice
	game scene.Game
}

func newVoice(lang, game string, name func(table.Seat) string) voice {
	g := games.Scene(game)
	return voice{scene.LanguageOrEnglish(lang).VoiceOf(g, name), g}
}

// Draw returns a table as a viewer sees it, in the words of a language.
func Draw(lang string, at scene.Position) View { return voiceOf(lang, at.Table).viewOf(at) }

// voiceOf returns the voice of a state's table.
func voiceOf(lang string, s *table.State) voice {
	return newVoice(lang, s.Genesis().Game, func(seat table.Seat) string { return plain.Isolate(s.SeatName(seat)) })
}

func mapEach[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

func seatOf(s *table.Seat) *int {
	if s == nil {
		return nil
	}
	n := int(*s)
	return &n
}

func (v voice) noteText(n *scene.Note) string {
	if n == nil {
		return ""
	}
	return v.Text(*n)
}

func (v voice) shownCards(list []scene.ShownCard) []Shown {
	return mapEach(list, func(c scene.ShownCard) Shown { return Shown{int(c.Place), c.Face, seatOf(c.By)} })
}

// viewOf returns a table as a viewer sees it.
func (v voice) viewOf(at scene.Position) View {
	s := v.game.Scene(at)
	out := View{
		Chairs: []Chair{}, Waits: []Wait{},
		Game: at.Table.Genesis().Game, Table: at.Table.ID(), You: seatOf(at.Seat),
		Deal: at.Table.Deal(), Deals: at.Table.Genesis().Deals, Entries: at.Table.CountApplied(), Over: at.Table.IsOver() || at.Table.Foul() != nil,
		Facts: mapEach(s.Facts, v.Text), Heads: mapEach(s.Heads, v.Text),
		Past: mapEach(s.Past, func(t scene.Trick) Trick { return Trick{v.shownCards(t.Cards), int(t.Taken)} }),
		Zones: mapEach(s.Zones, func(z scene.Zone) Zone {
			return Zone{z.ID, z.Layout, seatOf(z.Seat), v.Text(z.Label), v.shownCards(z.Cards), z.Hidden}
		}),
		Sheets: v.sheets(at.Table),
		Sums:   mapEach(v.game.Sums(at.Table), func(s scene.Sum) Sum { return Sum{v.Text(s.Text), s.Amounts, s.Count} }),
	}
	forfeits := table.Sheet{Forfeits: at.Table.Sheet().Forfeits}.Sums(at.Table.Seats())
	result, over := at.Table.Result()
	for _, c := range s.Chairs {
		c.Score += forfeits[c.Seat]
		if over && len(at.Table.EndingActs()) > 0 {
			c.Score = result[c.Seat]
		}
		out.Chairs = append(out.Chairs, Chair{int(c.Seat), v.Seat(c.Seat), mapEach(c.Roles, v.Text), v.noteText(c.Side), c.Place, c.Turn, mapEach(c.Says, v.Text), c.Score})
	}
	for _, w := range s.Waits {
		move := slices.ContainsFunc(at.Table.Duties(), func(d table.Duty) bool {
			return d.Kind == table.Move && !slices.ContainsFunc(w.Seats, func(s table.Seat) bool { return !slices.Contains(d.Seats, s) })
		})
		out.Waits = append(out.Waits, Wait{mapEach(w.Seats, func(s table.Seat) int { return int(s) }), v.Text(w.For), move})
	}
	if f := at.Table.Foul(); f != nil {
		out.Foul = f.Error()
	}
	out.Leaving = leavingOf(at.Table, out.Over)
	return out
}

func leavingOf(s *table.State, over bool) *Leaving {
	ends := s.Genesis().Ends
	if !s.Genesis().HasActs() || !ends.Agree {
		return nil
	}
	gone, stopped := s.GoneSeat()
	l := &Leaving{Resign: ends.Resign, Forfeit: ends.Forfeit, Asked: []int{}, Wants: []int{}, Again: over && ends.SelfRuled}
	if stopped {
		l.Gone = seatOf(&gone)
	}
	for seat := range table.Seat(s.Seats()) {
		if stopped && seat == gone && ends.SelfRuled {
			continue
		}
		l.Asked = append(l.Asked, int(seat))
		if s.WantedBy(seat) == wire.AgreeEnd {
			l.Wants = append(l.Wants, int(seat))
		}
	}
	return l
}

func (v voice) sheets(s *table.State) []Sheet {
	return mapEach(v.game.Sheets(s), func(s scene.Sheet) Sheet {
		return Sheet{s.Deal, v.Text(s.Text),
			mapEach(s.Lines, func(l scene.Line) Line { return Line{l.Rule, v.Text(l.Text), v.noteText(l.For), l.Points} }),
			mapEach(s.Payments, func(p scene.Payment) Payment { return Payment{int(p.Seat), p.Total} })}
	})
}

// askAfter returns what a seat is asked after some picks, or nil.
func (v voice) askAfter(at scene.Position, picked []scene.Pick) *Ask {
	ask, out := v.game.Ask(at), Ask{At: at.Table.CountApplied(), Picked: []string{}, Proves: []string{}}
	if ask.Parts == nil {
		return nil
	}
	if len(picked) > 0 {
		a := v.game.Answer(at, picked)
		if a.Move == nil && len(a.Ask.Parts) == 0 {
			return nil
		}
		out.Says, out.Whole, out.Weighs = v.Text(a.Says), a.Move != nil, a.Weighs
		out.Picked, out.Proves = mapEach(picked, func(p scene.Pick) string { return string(p) }), mapEach(a.Proves, v.claim)
		ask = a.Ask
	}
	out.Prompt, out.Alone, out.May = v.Text(ask.Prompt), ask.Alone, ask.May
	out.Parts = mapEach(ask.Parts, func(p scene.Part) Part {
		part := Part{Pick: string(p.Pick), Label: v.Text(p.Label), Group: p.Group, Means: mapEach(p.Means, v.Text), Why: v.noteText(p.Why)}
		if p.Place != nil {
			n := int(*p.Place)
			part.Place = &n
		}
		if p.Range != nil {
			part.Range = &Range{p.Range.Least, p.Range.Greatest}
		}
		return part
	})
	return &out
}

func (v voice) claim(c scene.Claim) string {
	return scene.AsSentence(v.Say("claim.clause", "group", v.Text(c.Group), "what", v.Text(c.What)))
}

// faces returns all cards of the table's deck.
func (v voice) faces(s *table.State) map[string]Face {
	list := map[string]Face{}
	for f := range s.Cards() {
		name := s.FaceName(card.Face(f))
		face := v.game.Face(name)
		list[name] = Face{v.Text(face.Words), face.Suit, face.Rank, face.Order}
	}
	return list
}

// tellsOf returns what a message did, with its verified proofs.
func (v voice) tellsOf(before, after *table.State, m *wire.Message) []Tell {
	seat, move := table.Seat(m.Seat), m.Move()
	entry, proofs := after.CountApplied(), v.proofs(before, after, m)
	list := []Tell{}
	for i, t := range v.game.Tell(scene.OnlookerPosition(before), scene.OnlookerPosition(after), seat, move) {
		tell := Tell{Text: v.Text(t.What), Entry: entry, Quiet: t.Idle, Proofs: []Proof{}}
		if i == 0 && move != nil {
			tell.Seat = seatOf(&seat)
		}
		list = append(list, tell)
	}
	if move == nil {
		list = slices.Insert(list, 0, Tell{Seat: seatOf(&seat), Text: v.Say("did." + string(m.Kind)), Entry: entry, Quiet: true, Work: string(m.Kind)})
	}
	if len(list) > 0 {
		list[0].Proofs = proofs
	}
	return list
}

// actTell returns what an act did.
func (v voice) actTell(before, after *table.State, a *wire.Act) Tell {
	seat, name := scene.Actor(before, a)
	tell := Tell{Seat: seatOf(seat), Text: v.ActText(before, after, a), Entry: after.CountApplied(), Proofs: []Proof{}}
	if seat == nil {
		tell.Text = plain.Isolate(name) + " " + tell.Text
	}
	return tell
}

// proofs returns the proofs of a message that was applied, all of which hold then. It returns none
// for a foul, an attempt, or a commitment to a proof that others ask for.
func (v voice) proofs(before, after *table.State, m *wire.Message) []Proof {
	_, asked := after.Question()
	if after.CountApplied() == before.CountApplied() || asked {
		return []Proof{}
	}
	statements, err := before.Statements(table.Seat(m.Seat), m.Kind, m.Body)
	if err != nil {
		return []Proof{} // an applied message has no such error
	}
	claims := v.provedClaims(before, m)
	list := make([]Proof, len(statements))
	for i, s := range statements {
		list[i] = Proof{Relation: proof.RelationName(s), Bytes: len(m.Proofs[i])}
		if _, ok := s.(proof.Condition); ok && len(claims) > 0 {
			list[i].Text, list[i].Why = v.claim(claims[0]), v.noteText(claims[0].Why)
			claims = claims[1:]
		}
	}
	return list
}

// provedClaims returns the proved conditions of a move, in their order.
func (v voice) provedClaims(before *table.State, m *wire.Message) (list []scene.Claim) {
	move := m.Move()
	if move == nil {
		return nil
	}
	terms, _ := before.MoveTerms(table.Seat(m.Seat), move)
	for _, c := range terms.Prove {
		if !c.Trivial() {
			list = append(list, v.game.Claim(c))
		}
	}
	return list
}
