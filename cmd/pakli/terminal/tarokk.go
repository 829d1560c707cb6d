package terminal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// tarokkFace is Hungarian tarokk.
type tarokkFace struct{ Style }

// seen is a table of tarokk, read.
type seen struct {
	Style
	tarokk.State
	at Position
}

func (f tarokkFace) see(p Position) seen {
	t := seen{Style: f.Style, at: p}
	decodePublic(p.State, &t.State)
	return t
}

// bids are the names of the levels of a game.
var bids = []string{"three", "two", "one", "solo"}

// ladder are the steps of a contra, the first at 1 (R-CON-2).
var ladder = []string{"", "kontra", "rekontra", "szubkontra", "hirskontra", "mordkontra"}

// figures are their names, as they are typed and shown.
var figures = map[score.Figure]string{
	score.Game: "game", score.Trull: "trull", score.FourKings: "kings", score.Double: "double",
	score.Volat: "volat", score.Ultimo: "ultimo", score.XXICapture: "xxi",
}

func (t seen) name(seat table.Seat) string { return t.at.State.SeatName(seat) }

// player is the name of a player of the deal.
func (t seen) player(p int) string { return t.name(t.Deal.Seats[p]) }

// me is which player of the deal the seat is, or -1: of the dealer who sits out,
// and of one who only looks on.
func (t seen) me() int {
	if t.at.View.Faces == nil {
		return -1
	}
	return slices.Index(t.Deal.Seats[:], t.at.View.Seat)
}

// card is how a card is shown: tarokks by their numerals, the others by suit and
// rank.
func (s Style) card(name string) string {
	f, err := deck.Parse(name)
	switch {
	case err != nil || name == "":
		return "?"
	case f == deck.Skiz && !s.ASCII:
		return "Skíz"
	case deck.IsTarokk(f):
		return deck.Roman(f)
	case name[1] == 'T':
		return s.suit(name[:1]) + "10"
	}
	return s.suit(name[:1]) + name[1:]
}

func (s Style) cards(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = s.card(name)
	}
	return strings.Join(list, " ")
}

// faces shows cards, tarokks first and each suit from its highest.
func (t seen) faces(list []card.Face) string {
	list = slices.SortedFunc(slices.Values(list), byHand)
	all := deck.Names(t.Rules.RedLow)
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = all[f]
	}
	return t.cards(names)
}

// byHand orders cards as people hold them.
func byHand(a, b card.Face) int {
	if deck.SuitOf(a) != deck.SuitOf(b) {
		return (int(deck.SuitOf(a))+1)%5 - (int(deck.SuitOf(b))+1)%5
	}
	return int(b) - int(a)
}

// held are the faces in the own hand, in the order of their letters.
func (t seen) held() (faces []card.Face, known bool) {
	p := t.me()
	if p < 0 {
		return nil, false
	}
	for _, letter := range t.Deal.Held[p] {
		f, known := t.at.View.Faces[t.Deal.Cards[p][letter-'a']]
		if !known {
			return nil, false
		}
		faces = append(faces, f)
	}
	return faces, len(faces) > 0
}

// drawn is how many cards a player drew from the talon.
func (t seen) drawn(p int) int { return max(len(t.Deal.Cards[p])-9, 0) }

// Hand implements Face.
func (f tarokkFace) Hand(p Position) string {
	t := f.see(p)
	faces, known := t.held()
	switch {
	case t.me() < 0 && t.Deal.Number > 0 && t.Stage != tarokk.Over:
		return "You deal and sit out.\n"
	case !known:
		return "You hold no cards now.\n"
	}
	return "Your hand: " + t.faces(faces) + "\n"
}

// Table implements Face.
func (f tarokkFace) Table(p Position) string {
	t := f.see(p)
	if t.Deal.Number == 0 {
		return "The seats are not drawn yet.\n" + waiting(p.State)
	}
	lines := []string{t.heading(), "Players: " + t.players()}
	for _, part := range []func() string{t.bidding, t.game, t.discards, t.announced, t.sides} {
		if text := part(); text != "" {
			lines = append(lines, text)
		}
	}
	lines = append(lines, t.tricks()...)
	return strings.Join(lines, "\n") + "\n" + scoreLine(p.State, t.Scores) + t.waits()
}

func (t seen) heading() string {
	dot := t.dot()
	text := fmt.Sprintf("Deal %d%s%d of %d scored%sdealer %s", t.Deal.Number, dot, t.Completed, t.Deals, dot, t.name(t.Members[t.Dealer]))
	if m := t.Rounds.Multiplier(); m > 1 {
		text += fmt.Sprintf("%spayments %s%d", dot, t.times(), m)
	}
	if t.Mayor != nil {
		text += dot + "the hat is worn by " + t.name(*t.Mayor)
	}
	if t.Rules.UltimoPool {
		text += fmt.Sprintf("%spool %d", dot, t.Pool)
	}
	return text
}

func (t seen) players() string {
	var list []string
	for p := range t.Deal.Seats {
		name := t.player(p)
		if p == t.me() {
			name += " (you)"
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func (t seen) bidding() string {
	var list []string
	for _, c := range t.Deal.Auction.Said {
		list = append(list, t.player(c.Seat)+" "+string(c.Call))
	}
	if len(list) == 0 {
		return ""
	}
	text := "Bids: " + strings.Join(list, ", ")
	if i := t.Deal.Auction.Invit; i != nil {
		text += fmt.Sprintf(" (invit of %s with the %s)", t.player(i.By), deck.Roman(i.Card))
	}
	return text
}

func (t seen) game() string {
	o := t.Deal.Outcome
	if o == nil {
		return ""
	}
	text := fmt.Sprintf("Game: %s, declarer %s", bids[o.Level], t.player(o.Declarer))
	if o.Yielder != auction.Nobody {
		text += fmt.Sprintf(", yielded by %s", t.player(o.Yielder))
	}
	if a := t.Deal.Announce; a != nil && a.Called != nil {
		return text + ", called " + deck.Roman(*a.Called)
	}
	if o.MustCall != nil {
		text += ", who must call the " + deck.Roman(*o.MustCall)
	}
	return text
}

func (t seen) discards() string {
	var list []string
	for p, d := range t.Deal.Discards {
		if d.Letters != "" {
			list = append(list, fmt.Sprintf("%s %d%s", t.player(p), len(d.Letters), t.disclosed(p, d)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "Discarded: " + strings.Join(list, ", ")
}

func (t seen) disclosed(p int, d tarokk.Discard) string {
	open := slices.DeleteFunc(slices.Clone(d.Faces), func(name string) bool { return name == "" })
	switch {
	case p == t.me():
		return " (" + t.sayCards(d.Letters) + ")"
	case len(open) > 0:
		return " (" + t.cards(open) + ")"
	case !d.Said:
		return ""
	}
	return fmt.Sprintf(" (%s)", tarokks(len(d.Tarokks)))
}

func tarokks(n int) string {
	switch n {
	case 0:
		return "no tarokk"
	case 1:
		return "1 tarokk"
	}
	return fmt.Sprintf("%d tarokks", n)
}

func (t seen) announced() string {
	a := t.Deal.Announce
	if a == nil {
		return ""
	}
	var list []string
	for _, i := range a.Items {
		if i.Item != score.TheGame || i.Contra > 0 {
			list = append(list, t.item(i))
		}
	}
	for p, n := range a.Counts {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d tarokks by %s", n, t.player(p)))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "Announced: " + strings.Join(list, ", ")
}

func (t seen) item(i announce.Announced) string {
	text := figures[i.Item.Figure]
	if i.Item != score.TheGame {
		text += fmt.Sprintf(" by %s for the %s", t.player(i.By), sideName(i.Item.Side))
	}
	if i.Contra > 0 {
		text += " (" + ladder[i.Contra] + ")"
	}
	return text
}

func sideName(s score.Side) string {
	if s == score.Dec {
		return "declarer's side"
	}
	return "opponents"
}

// sides are as far as they are public.
func (t seen) sides() string {
	a := t.Deal.Announce
	if a == nil {
		return ""
	}
	by := map[score.Side][]string{}
	for p, side := range a.Sides {
		by[side] = append(by[side], t.player(p))
	}
	text := "Sides: " + join(by[score.Dec], "and")
	if len(by[score.Def]) > 0 {
		text += " against " + join(by[score.Def], "and")
	}
	if len(by[score.Unknown]) > 0 {
		text += "; not known of " + join(by[score.Unknown], "and")
	}
	return text
}

func (t seen) tricks() []string {
	var lines []string
	for n, trick := range t.Deal.Tricks {
		lines = append(lines, fmt.Sprintf("Trick %d: %s%s", n+1, t.trick(trick), t.taken(trick)))
	}
	return lines
}

func (t seen) trick(trick tarokk.Trick) string {
	list := make([]string, len(trick.Faces))
	for i, name := range trick.Faces {
		list[i] = t.player((trick.Leader+i)%4) + " " + t.card(name)
	}
	return strings.Join(list, ", ")
}

// taken says who took a trick, if it is complete.
func (t seen) taken(trick tarokk.Trick) string {
	if len(trick.Faces) < 4 {
		return ""
	}
	return "; taken by " + t.player(winner(trick))
}

func winner(trick tarokk.Trick) int {
	faces := make([]card.Face, len(trick.Faces))
	for i, name := range trick.Faces {
		faces[i], _ = deck.Parse(name)
	}
	return (trick.Leader + deck.Winner(faces)) % 4
}

// tasks are what players are waited for, by stage.
var tasks = map[tarokk.Stage]string{
	tarokk.Knocking: "knock or cut", tarokk.Bidding: "bid", tarokk.Confirming: "confirm the invit", tarokk.Trying: "show an honour",
	tarokk.AnnullingFirst: "annul or play", tarokk.Annulling: "annul or play", tarokk.Discarding: "discard",
	tarokk.Disclosing: "say what was discarded", tarokk.Announcing: "announce", tarokk.Playing: "play a card",
	tarokk.Opening: "turn the discards up", tarokk.Claiming: "claim a count", tarokk.Paying: "pay the talon's fee", tarokk.Between: "say how to go on",
}

func (t seen) waits() string {
	for _, d := range t.at.State.Duties() {
		if task := tasks[t.Stage]; d.Kind == table.Move && task != "" {
			return "Play waits for " + names(t.at.State, d.Seats) + " to " + task + ".\n"
		}
	}
	return waiting(t.at.State)
}

// Score implements Face.
func (f tarokkFace) Score(p Position) string {
	t := f.see(p)
	var b strings.Builder
	for _, d := range t.Past {
		fmt.Fprintf(&b, "Deal %d: %s. %s\n", d.Number, t.how(d), points(p.State, d.Payments))
	}
	return b.String() + scoreLine(p.State, t.Scores)
}

// how says how a deal ended.
func (t seen) how(d tarokk.Settled) string {
	switch d.How {
	case "passed":
		return "all passed, thrown in"
	case "annulled":
		return "annulled (R-ANN-1, hand " + d.Annulled + "), thrown in"
	case "played":
		with := "alone"
		if d.Partner != nil {
			with = "with " + t.name(*d.Partner)
		}
		return fmt.Sprintf("%s by %s %s, %d points of %d", bids[d.Level], t.name(*d.Declarer), with, d.Points, deck.TotalPoints)
	}
	return fmt.Sprintf("%s by %s, %s", bids[d.Level], t.name(*d.Declarer), d.How)
}
