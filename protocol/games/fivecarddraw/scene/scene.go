// Package scene is how five-card draw is shown and put into words, those of
// docs/spec/92-five-card-draw.md (protocol/scene). Chips are shown with their seats, pots are facts,
// and an amount may be any in its range.
package scene

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

var rules fivecarddraw.Rules

// Presentation implements scene.Presentation.
type Presentation struct{}

// Words implements scene.Presentation.
func (Presentation) Words() scene.Words { return allWords }

var allWords = scene.Words{
	Texts:   texts.ByTag(),
	Face:    parseFace,
	Players: 4,
	Terms:   scene.Terms{Forfeit: 5},
}

type gamePosition = scene.GamePosition[fivecarddraw.State]

// suits are the keys of suits, by letter.
var suits = map[string]string{"C": "clubs", "S": "spades", "H": "hearts", "D": "diamonds"}

// parseFace returns a card of the pack by its name, like "10C".
func parseFace(name string) (scene.Face, bool) {
	f, err := fivecarddraw.ParseFace(name)
	if err != nil {
		return scene.Face{}, false
	}
	rank, suit := name[:len(name)-1], name[len(name)-1:]
	called := scene.Text("rank", rank)
	if strings.Contains("AKQJ", rank) {
		called = scene.NoteArg("rank", scene.Say("rank."+rank))
	}
	return scene.Face{
		Words: scene.Say("card", called, scene.NoteArg("suit", scene.Say("suit."+suits[suit]))),
		Suit:  suit, Rank: rank, Order: 4*int(fivecarddraw.Ace-f.Rank()) + f.Suit(), Typed: []string{suit + rank, rank + suit},
	}, true
}

// Scene implements scene.Presentation.
func (Presentation) Scene(a gamePosition) scene.Scene {
	return scene.Scene{Zones: zones(a), Chairs: chairs(a), Facts: facts(a.State), Heads: potHeads(a.State), Waits: a.Waits(taskNote(a.State.Stage))}
}

// zones returns the hands and what was put away, the viewer's own last. A finished deal has no cards.
func zones(a gamePosition) []scene.Zone {
	list, own := []scene.Zone{}, []scene.Zone(nil)
	if a.State.Stage == fivecarddraw.Shuffling {
		return list
	}
	d := a.State.Deal
	for _, seat := range d.In {
		away := a.HandZone(seat, a.State.Deal.Aside(seat))
		away.ID, away.Layout, away.Label = "away:"+strconv.Itoa(int(seat)), scene.Row, scene.Say("zone.away", scene.SeatArg("seat", seat))
		both := []scene.Zone{sortedHand(a.HandZone(seat, d.Hands[seat]))}
		if len(away.Cards) > 0 {
			both = []scene.Zone{away, both[0]}
		}
		if a.SitsAt(seat) {
			own = both
		} else {
			list = append(list, both...)
		}
	}
	return append(list, own...)
}

// sortedHand sorts a hand from the highest rank; backs come last.
func sortedHand(z scene.Zone) scene.Zone {
	slices.SortStableFunc(z.Cards, func(x, y scene.ShownCard) int { return faceOrder(x.Face) - faceOrder(y.Face) })
	return z
}

func faceOrder(name string) int {
	if f, known := parseFace(name); known {
		return f.Order
	}
	return fivecarddraw.DeckSize
}

// chairs shows what each seat has and what it is in the deal.
func chairs(a gamePosition) []scene.Chair {
	s := a.State
	won := make([]int, len(s.Chips))
	for seat, n := range s.Chips {
		won[seat] = n - s.Rules.Stack
	}
	list := a.Chairs(won)
	if s.Stage == fivecarddraw.Over {
		return list
	}
	for i := range list {
		seat := table.Seat(i)
		role := func(id string, args ...scene.Arg) { list[i].Roles = append(list[i].Roles, scene.Say(id, args...)) }
		if seat == s.Deal.Dealer {
			role("role.dealer")
		}
		switch {
		case !slices.Contains(s.Deal.In, seat):
			role("role.out")
			continue
		case !s.Deal.Live[i]:
			role("role.folded")
		case s.Chips[i] == 0:
			role("role.allin")
		}
		role("role.chips", scene.Number("n", s.Chips[i]))
		if n := s.Deal.Round.Chips[i]; n > 0 && isBetting(s.Stage) {
			role("role.bet", scene.Number("n", n))
		}
	}
	return list
}

func isBetting(s fivecarddraw.Stage) bool {
	return s == fivecarddraw.Betting || s == fivecarddraw.BetAfter
}

// facts returns the stakes, what lies in the middle, and who turned up what.
func facts(s fivecarddraw.State) []scene.Note {
	list := []scene.Note{scene.Say("deal.of", scene.Number("n", s.Deal.Number), scene.Number("of", s.Deals)), stakes(s)}
	if s.Rules.BigBlind > 0 {
		list = append(list, scene.Say("fact.blinds", scene.Number("small", s.Rules.SmallBlind), scene.Number("big", s.Rules.BigBlind)))
	}
	list = append(list, potHeads(s)...)
	if isOver(s) {
		return list
	}
	if s.Deal.Opener >= 0 {
		list = append(list, scene.Say("fact.opener", scene.SeatArg("seat", table.Seat(s.Deal.Opener))))
	}
	for _, p := range s.Deal.Pots {
		list = append(list, scene.Say("fact.pot", scene.Number("chips", p.Chips), scene.Seats("seats", p.Claimants...)))
	}
	for _, h := range s.Deal.Shown {
		list = append(list, scene.Say("fact.shown", scene.SeatArg("seat", h.Seat), scene.NoteArg("kind", kind(s, h.Class))))
	}
	return list
}

func isOver(s fivecarddraw.State) bool {
	return s.Stage == fivecarddraw.Disclosing || s.Stage == fivecarddraw.Over
}

// potHeads returns what became of the pots of the last deal, and what lies in the middle now.
func potHeads(s fivecarddraw.State) (list []scene.Note) {
	if (isOver(s) || s.Stage == fivecarddraw.Shuffling) && len(s.Past) > 0 {
		list = potNotes(s.Past[len(s.Past)-1])
	}
	if !isOver(s) {
		list = append(list, scene.Say("fact.middle", scene.Number("n", s.InMiddle())))
	}
	return list
}

func stakes(s fivecarddraw.State) scene.Note {
	return scene.Say("fact.stakes."+s.Rules.Limit, scene.Number("ante", s.Rules.Ante), scene.Number("bet", s.Rules.Bet))
}

func kind(s fivecarddraw.State, class int) scene.Note {
	return scene.Say("kind." + strconv.Itoa(int(fivecarddraw.KindOf(class, s.Rules.Wheel))))
}

func potNotes(done fivecarddraw.SettledDeal) (list []scene.Note) {
	for _, p := range done.Pots {
		switch {
		case p.Chips == 0:
			list = append(list, scene.Say("pot.empty"))
		case len(p.Winners) == 0:
			list = append(list, scene.Say("pot.stays", scene.Number("chips", p.Chips)))
		case len(p.Winners) == 1:
			list = append(list, scene.Say("pot.won", scene.Number("chips", p.Chips), scene.SeatArg("seat", p.Winners[0])))
		default:
			list = append(list, scene.Say("pot.shared", scene.Number("chips", p.Chips), scene.Seats("seats", p.Winners...)))
		}
	}
	if len(done.Pots) == 0 {
		list = append(list, scene.Say("deal.passed"))
	}
	return list
}

func taskNote(s fivecarddraw.Stage) scene.Note {
	switch s {
	case fivecarddraw.Betting, fivecarddraw.BetAfter, fivecarddraw.Picking, fivecarddraw.Exchanging, fivecarddraw.Showing, fivecarddraw.Opening:
		return scene.Say("task." + strings.TrimSuffix(string(s), "-after"))
	}
	return scene.Note{}
}

// Tell implements scene.Presentation. The sheet of a deal says what it paid.
func (Presentation) Tell(before, after gamePosition, by table.Seat, m *fivecarddraw.Move) []scene.Tell {
	var list []scene.Tell
	tell := func(n scene.Note) { list = append(list, scene.Tell{What: n}) }
	if m != nil {
		tell(moveNote(before.State, by, *m))
	}
	if after.Table == nil {
		return list
	}
	old, s := before.State, after.State
	if old.Stage == fivecarddraw.Dealing && s.Stage != fivecarddraw.Dealing {
		tell(scene.Say("dealt", scene.Number("n", old.Deal.Number), scene.SeatArg("dealer", old.Deal.Dealer)))
	}
	if s.Stage == fivecarddraw.Returning && old.Stage != s.Stage {
		tell(scene.Say("reshuffled", scene.Number("n", len(s.Deal.Returned))))
	}
	return list
}

// moveNote returns what a move did, to follow a name. The rules may have refused the move.
func moveNote(s fivecarddraw.State, by table.Seat, m fivecarddraw.Move) scene.Note {
	switch {
	case m.Fold:
		return scene.Say("did.fold")
	case m.Check:
		return scene.Say("did.check")
	case m.Call && isBetting(s.Stage):
		return scene.Say("did.call", scene.Number("chips", s.Bounds(by).Call))
	case m.To > 0 && s.Deal.Round.Height == 0:
		return scene.Say("did.bet", scene.Number("chips", m.To))
	case m.To > 0:
		return scene.Say("did.raise", scene.Number("chips", m.To))
	case m.Discard != nil && len(*m.Discard) == 0:
		return scene.Say("did.pat")
	case m.Discard != nil:
		return scene.Say("did.draw", scene.Number("n", len(*m.Discard)))
	case len(m.Pick) > 0:
		return scene.Say("did.pick", scene.Number("n", len(m.Pick)))
	case m.Muck:
		return scene.Say("did.muck")
	case len(m.Show) == fivecarddraw.HandSize:
		class := fivecarddraw.HandClass([fivecarddraw.HandSize]fivecarddraw.Face(facesOf(m.Show)), s.Rules.Wheel)
		return scene.Say("did.hand", cardsArg("cards", m.Show), scene.NoteArg("kind", kind(s, class)))
	case m.Openers != nil && len(*m.Openers) > 0:
		return scene.Say("did.openers", cardsArg("cards", *m.Openers))
	case m.Openers != nil:
		return scene.Say("did.noopeners")
	}
	return scene.Say("did.unknown")
}

func facesOf(cards []fivecarddraw.ShownCard) []fivecarddraw.Face {
	var list []fivecarddraw.Face
	for _, c := range cards {
		list = append(list, c.Face)
	}
	return list
}

// cardsArg returns cards from the highest rank as a value.
func cardsArg(name string, shown []fivecarddraw.ShownCard) scene.Arg {
	var names []string
	for _, f := range facesOf(shown) {
		names = append(names, f.String())
	}
	slices.SortFunc(names, func(a, b string) int { return faceOrder(a) - faceOrder(b) })
	return scene.Cards(name, names...)
}

// Sheets implements scene.Presentation: what each deal paid.
func (Presentation) Sheets(s fivecarddraw.State) []scene.Sheet {
	var all []scene.Sheet
	for _, done := range s.Past {
		notes := potNotes(done)
		text := notes[0]
		for _, n := range notes[1:] {
			text = scene.Say("two.sentences", scene.NoteArg("a", text), scene.NoteArg("b", n))
		}
		sheet := scene.Sheet{Deal: done.Number, Text: text}
		for seat, n := range done.Pays {
			sheet.Payments = append(sheet.Payments, scene.Payment{Seat: table.Seat(seat), Game: n, Total: n})
		}
		all = append(all, sheet)
	}
	return all
}

// Claim implements scene.Presentation. The game makes none (92.10).
func (Presentation) Claim(c table.Condition) scene.Claim { return scene.AnyClaim(c) }

// Rule implements scene.Presentation.
func (Presentation) Rule(id string) scene.Note {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "FD-R-"))
	switch {
	case err == nil && strings.HasPrefix(id, "FD-R-") && n > 0 && n/10 <= 6:
		return scene.Say("rule." + strconv.Itoa(n/10))
	case strings.HasPrefix(id, "FD-P-"):
		return scene.Say("rule.P")
	case strings.HasPrefix(id, "FD-A-"):
		return scene.Say("rule.A")
	}
	return scene.Note{}
}
