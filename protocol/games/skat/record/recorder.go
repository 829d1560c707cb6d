package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
)

// skatPlace is the place where the skat begins (SK-R-11).
const skatPlace = 9

// Recorder makes a record of a table from its moves. Everything it writes is public. Of a declarer who
// took the skat it does not say which ten of his twelve cards he was dealt, since they are permuted
// before he announces.
type Recorder struct {
	id    string
	names []string // by seat
	deals []*Deal
	tape
}

// tape is what was said and seen in the deal under way.
type tape struct {
	deal  *Deal
	faces map[table.Card]skat.Face
	hands [players][]table.Card // as they were dealt
	aside *skat.Pair
	taken bool
	offer Move // the last concession offered
}

// NewRecorder begins the record of a table, given its id and the names of its seats.
func NewRecorder(id string, names []string, _ table.Config) *Recorder {
	return &Recorder{id: id, names: names}
}

// Deals implements game.Recorder: the number of finished deals.
func (r *Recorder) Deals() int { return len(r.deals) }

// Text implements game.Recorder.
func (r *Recorder) Text() []byte {
	var b strings.Builder
	for _, d := range r.deals {
		b.WriteString(d.Text())
	}
	return []byte(b.String())
}

// Lines implements game.Recorder, in the server's form.
func (r *Recorder) Lines() []byte {
	var b strings.Builder
	for _, d := range r.deals {
		b.WriteString(d.Line() + "\n")
	}
	return []byte(b.String())
}

// End implements game.Recorder. A claimed hand game ends when its skat is shown, which is no move; End
// notices that.
func (r *Recorder) End(s skat.State) {
	if r.deal != nil && len(s.Past) > len(r.deals) {
		r.noteOpen(*s.Last)
		r.finishDeal(s.Past[len(r.deals)])
	}
}

// Move takes in a move that was applied, with the states before and after it.
func (r *Recorder) Move(before skat.State, seat table.Seat, m skat.Move, after skat.State) {
	r.End(before)
	if r.deal == nil {
		r.beginDeal(before.Deal)
	}
	r.noteOpen(before.Deal)
	r.writeMove(before.Deal, slices.Index(before.Deal.Seats[:], seat), m)
	if m.Concede != nil && after.Deal.Offer == nil {
		r.writeConcession(before.Deal)
	}
	r.End(after)
}

func (r *Recorder) beginDeal(d skat.Deal) {
	r.tape = tape{deal: &Deal{Place: "pakli", Series: r.id, ID: fmt.Sprint(d.Number)}, faces: map[table.Card]skat.Face{}}
	for p, seat := range d.Seats {
		r.deal.Players[p] = plainName(r.names[seat])
		r.hands[p] = slices.Clone(d.Hands[p])
	}
}

// plainName is a name without the characters that end a value.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '[' || c == ']' {
			return '_'
		}
		return c
	}, name)
}

// noteOpen keeps the faces of the open cards.
func (t *tape) noteOpen(d skat.Deal) {
	for _, open := range d.Open {
		t.faces[open.Card] = open.Face
	}
}

// noteFaces keeps the faces that a move turns up, in the order of their places.
func (t *tape) noteFaces(places []table.Card, faces []skat.Face) {
	for i, f := range faces {
		t.faces[places[i]] = f
	}
}

// add writes a move down.
func (t *tape) add(m Move) { t.deal.Moves = append(t.deal.Moves, m) }

// writeMove writes down what player p does.
func (t *tape) writeMove(d skat.Deal, p int, m skat.Move) {
	switch {
	case m.Call != nil:
		t.add(callOf(p, *m.Call))
	case m.Choose != nil && *m.Choose == skat.Take && !d.Ramsch:
		t.taken = true
		t.add(Move{Who: p, Verb: Take})
		t.add(Move{Who: World, Verb: Skat, Cards: []skat.Face{Unknown, Unknown}})
	case m.Announce != nil:
		a := m.Announce
		t.aside = a.Discard
		t.add(Move{Who: p, Verb: Announce, Game: a.Game, Hand: !t.taken, Level: a.Ann, Ouvert: a.Ouvert})
	case m.Open != nil:
		t.noteFaces(d.Hands[p], *m.Open)
	case m.Play != nil && !d.Ramsch:
		t.faces[m.Play.Card] = m.Play.Face
		t.add(Move{Who: p, Verb: Play, Cards: []skat.Face{m.Play.Face}})
	case m.Claim != nil:
		t.noteFaces(d.Hands[p], m.Claim.Faces)
		t.add(Move{Who: p, Verb: Show, Cards: m.Claim.Faces})
	case m.Lay != nil:
		t.lay(d, *m.Lay)
	case m.Kontra != nil && *m.Kontra, m.Re != nil && *m.Re:
		t.deal.Comment = strings.TrimSpace(t.deal.Comment + map[bool]string{true: " Kontra", false: " Re"}[m.Kontra != nil])
	}
	t.giveUp(d, p, m)
}

func callOf(p int, c skat.Call) Move {
	switch c {
	case skat.PassCall:
		return Move{Who: p, Verb: Pass}
	case skat.YesCall:
		return Move{Who: p, Verb: Yes}
	}
	return Move{Who: p, Verb: Bid, Number: int(c)}
}

// lay writes down the cards that decide matadors. The record shows what the declarer still holds as a
// hand laid open, and his discards.
func (t *tape) lay(d skat.Deal, faces []skat.Face) {
	places := slices.Clone(d.Skat)
	if !d.OpenHand {
		places = append(places, d.Hands[d.Declarer]...)
	}
	if !t.taken {
		places = d.Hands[d.Declarer]
	}
	slices.Sort(places)
	t.noteFaces(places, faces)
	var hand []skat.Face
	for _, place := range d.Hands[d.Declarer] {
		hand = append(hand, t.faces[place])
	}
	t.add(Move{Who: d.Declarer, Verb: Show, Cards: hand})
}

// giveUp writes down a concession once it binds, because on the server none can be refused. The players
// who agree to it concede first.
func (t *tape) giveUp(d skat.Deal, p int, m skat.Move) {
	give := func(who ...int) {
		for _, p := range who {
			t.add(Move{Who: p, Verb: Concede})
		}
	}
	a, b := (d.Declarer+1)%players, (d.Declarer+2)%players
	switch {
	case m.Concede != nil:
		t.offer = Move{Who: p, Verb: Concede}
	case m.Agree != nil && *m.Agree && t.offer.Who == d.Declarer:
		give(p, d.Declarer)
	case m.Agree != nil && *m.Agree:
		give(t.offer.Who, p)
	case m.Answer != nil && *m.Answer == skat.Accept && p == b:
		give(a, b)
	}
}

func (r *Recorder) finishDeal(done skat.SettledDeal) {
	d := r.deal
	r.dealCards()
	r.nameAside()
	if done.How == skat.Ramsch {
		d.Comment = "Ramsch"
	}
	if done.Bock {
		d.Comment = strings.TrimSpace(d.Comment + " Bock")
	}
	d.Recorded = r.resultOf(done)
	r.deals, r.deal = append(r.deals, d), nil
}

// writeConcession writes down a concession that nobody had to agree to.
func (t *tape) writeConcession(d skat.Deal) {
	t.add(Move{Who: t.offer.Who, Verb: Concede})
	if t.offer.Who != d.Declarer {
		t.add(Move{Who: players - d.Declarer - t.offer.Who, Verb: Concede})
	}
}

// dealCards names the cards that were dealt, as far as they were seen at their places.
func (t *tape) dealCards() {
	for p, hand := range t.hands {
		for _, place := range hand {
			f, open := t.faces[place]
			if !open || t.taken && p == t.declarer() {
				f = Unknown
			}
			t.deal.Cards = append(t.deal.Cards, f)
		}
	}
	two := []skat.Face{Unknown, Unknown}
	if f, shown := t.faces[skatPlace]; shown && !t.taken {
		two = []skat.Face{f, t.faces[skatPlace+1]}
	} else if rest := t.rest(); !t.taken && len(rest) == skatSize {
		two = rest
	}
	t.deal.Cards = append(t.deal.Cards, two...)
}

// rest are the faces that nobody has seen.
func (t *tape) rest() []skat.Face {
	all := skat.AllFaces
	for _, f := range t.faces {
		all = all.Minus(skat.SetOf(f))
	}
	return skat.Faces(all)
}

func (t *tape) declarer() int {
	if at := t.deal.find(Announce); at >= 0 {
		return t.deal.Moves[at].Who
	}
	return World
}

// nameAside names the discards in the announcement.
func (t *tape) nameAside() {
	at := t.deal.find(Announce)
	if at < 0 {
		return
	}
	m := &t.deal.Moves[at]
	if t.aside != nil {
		rest := t.rest()
		for i, place := range t.aside {
			f, open := t.faces[place]
			switch {
			case !open && len(rest) == skatSize:
				f = rest[i]
			case !open:
				f = Unknown
			}
			m.Cards = append(m.Cards, f)
		}
	}
}

// resultOf is the table's result of the deal, as the record puts it.
func (r *Recorder) resultOf(done skat.SettledDeal) *Result {
	if done.Result == nil {
		return &Result{Passed: true}
	}
	scored, res := Score(r.deal), done.Result
	rec := &Result{
		Declarer: slices.Index(done.Seats[:], *done.Declarer), Outcome: map[bool]string{true: "win", false: "loss"}[res.Won],
		Value: res.Score, Matadors: res.Matadors.N, Overbid: res.Overbid, Points: scored.Points, Tricks: scored.Tricks,
		Schneider: slices.Contains(res.Levels, skat.SchneiderLevel), Schwarz: slices.Contains(res.Levels, skat.SchwarzLevel),
		Left: World, TimedOut: World, Conceded: done.How != skat.Played,
	}
	if !res.Matadors.With {
		rec.Matadors = -rec.Matadors
	}
	return rec
}
