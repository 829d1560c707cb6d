package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// Moves implements play.Rules: every call, annulment, discard and card that a
// player can make good, and of turns of the announcements those with one figure
// or contra, or a contra and a figure after it.
func (r Rules) Moves(s State, v table.View) []Move {
	return slices.DeleteFunc(s.candidates(v), func(m Move) bool { return !r.provable(s, v, m) })
}

// provable reports whether the rules allow a move and all its terms are true of
// the cards that v sees.
func (r Rules) provable(s State, v table.View, m Move) bool { return r.Check(s, v, m) == nil }

// candidates are moves that may or may not be provable.
func (s State) candidates(v table.View) []Move {
	if s.Stage == Between {
		return each(s.wishes(), func(m *Move, w string) { m.Wish = &w })
	}
	p := s.Deal.player(v.Seat)
	yesNo := []bool{true, false}
	switch s.Stage {
	case Knocking:
		if !s.Deal.Knocked {
			return each(yesNo, func(m *Move, b bool) { m.Knock = &b })
		}
		return each([]int{0, 1, 2, 3}, func(m *Move, n int) { m.Packet = &n })
	case Bidding:
		return each(s.Deal.Auction.Calls(s.Rules, p), func(m *Move, c auction.Call) { m.Call = &c })
	case Confirming:
		return each(yesNo, func(m *Move, b bool) { m.Confirm = &b })
	case Trying:
		return each(yesNo, func(m *Move, b bool) { m.Trial = &b })
	case AnnullingFirst, Annulling:
		return each(strings.Split(s.Rules.AnnulHands, ""), func(m *Move, h string) { m.Annul = &h }, "")
	case Discarding:
		return each(s.discards(p, v), func(m *Move, d string) { m.Discard = &d })
	case Disclosing:
		d := s.disclosure(p, v)
		return []Move{{Disclose: &d}}
	case Announcing:
		return each(s.speeches(p, v), func(m *Move, sp Speech) { m.Say = &sp })
	case Playing:
		return each(s.plays(p, v), func(m *Move, pl Play) { m.Play = &pl })
	case Opening:
		names := s.names(v, s.Deal.places(p, s.Deal.closed(p)))
		return []Move{{Open: &names}}
	case Claiming:
		return each(yesNo, func(m *Move, b bool) { m.Claim = &b })
	case Paying:
		names := s.honoursDrawn(p, v)
		return []Move{{Fee: &names}}
	}
	return nil
}

// each makes a move of every value, those in more last.
func each[T any](values []T, set func(*Move, T), more ...T) []Move {
	var list []Move
	for _, v := range slices.Concat(values, more) {
		var m Move
		set(&m, v)
		list = append(list, m)
	}
	return list
}

// names are the names of cards as v sees them.
func (s State) names(v table.View, cards []table.Card) []string {
	all, list := deck.Names(s.Rules.RedLow), make([]string, len(cards))
	for i, c := range cards {
		list[i] = all[v.Faces[c]]
	}
	return list
}

// closed are the letters of the discards of p that are not open.
func (d Deal) closed(p int) string {
	letters := ""
	for i, name := range d.Discards[p].Faces {
		if name == "" {
			letters += d.Discards[p].Letters[i : i+1]
		}
	}
	return letters
}

// discards are all choices of cards that may be laid away.
func (s State) discards(p int, v table.View) []string {
	allowed := s.Discardable()
	may := strings.Map(func(letter rune) rune {
		if allowed.Has(v.Faces[s.Deal.place(p, byte(letter))]) {
			return letter
		}
		return -1
	}, s.Deal.Held[p])
	return choose(may, s.Deal.drawn(p))
}

// choose lists all n of the letters, each list in order.
func choose(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var list []string
	for i := 0; i+n <= len(letters); i++ {
		for _, rest := range choose(letters[i+1:], n-1) {
			list = append(list, letters[i:i+1]+rest)
		}
	}
	return list
}

// disclosure is the one that is true.
func (s State) disclosure(p int, v table.View) Disclosure {
	var d Disclosure
	for _, letter := range s.Deal.Discards[p].Letters {
		if deck.IsTarokk(v.Faces[s.Deal.place(p, byte(letter))]) {
			d.Tarokks += string(letter)
		}
	}
	if p == s.Deal.Outcome.Declarer && d.Tarokks != "" {
		d.Open = s.names(v, s.Deal.places(p, d.Tarokks))
	}
	return d
}

// speeches are turns of one statement, or of a contra and a statement; each with
// the count of the hand before it, and without; and the pass.
func (s State) speeches(p int, v table.View) []Speech {
	a := *s.Deal.Announce
	var discards *Disclosure
	if !s.Deal.Discards[p].Said {
		d := s.disclosure(p, v)
		discards = &d
		a.Public.Tarokks[p] = len(d.Tarokks)
	}
	var turns [][]string
	for _, opening := range s.openings(a, p, v) {
		turns = append(turns, opening)
		for _, first := range a.Statements(s.Rules, p) {
			turns = append(turns, slices.Concat(opening, []string{first}))
			for _, second := range a.Statements(s.Rules, p, slices.Concat(opening, []string{first})...) {
				turns = append(turns, slices.Concat(opening, []string{first, second}))
			}
		}
	}
	var list []Speech
	for _, t := range turns {
		list = append(list, Speech{Turn: t, Discards: discards})
	}
	return list
}

// openings are what a turn may begin with: nothing or the count, then the
// declarer's call.
func (s State) openings(a announce.State, p int, v table.View) [][]string {
	counts := [][]string{{}}
	if n := s.tarokksIn(p, v); n >= handSize-1 {
		counts = append(counts, []string{counting(n)})
	}
	if p != a.Declarer || a.Called != nil {
		return counts
	}
	var list [][]string
	for _, count := range counts {
		for _, f := range a.Calls(s.Rules) {
			list = append(list, slices.Concat(count, []string{"call:" + deck.Name(f)}))
		}
	}
	return list
}

// counting is how so many tarokks are announced.
func counting(n int) string { return fmt.Sprintf("count:%d", n) }

// tarokksIn counts the tarokks in the hand of p.
func (s State) tarokksIn(p int, v table.View) int { return len(s.holding(p, v, deck.Tarokks)) }

// holding lists the letters of the cards in the hand of p that are in set.
func (s State) holding(p int, v table.View, set card.Set) string {
	held := ""
	for _, letter := range s.Deal.Held[p] {
		if set.Has(v.Faces[s.Deal.place(p, byte(letter))]) {
			held += string(letter)
		}
	}
	return held
}

// plays are all cards of the hand; for the pagát also as that of a player who
// shows his side.
func (s State) plays(p int, v table.View) []Play {
	var list []Play
	for i, name := range s.names(v, s.Deal.places(p, s.Deal.Held[p])) {
		play := Play{Card: s.Deal.Held[p][i : i+1], Face: name}
		list = append(list, play)
		if name == deck.Name(deck.Pagat) {
			for _, side := range []score.Side{score.Dec, score.Def} {
				play.Side = side.String()
				list = append(list, play)
			}
		}
	}
	return list
}

// honoursDrawn names the honours that p drew from the talon, in the order of the
// pack: in that of the talon they would say which card was drawn first.
func (s State) honoursDrawn(p int, v table.View) []string {
	var drawn card.Set
	for _, c := range s.Deal.group(p, claim.Drawn) {
		drawn = drawn.With(v.Dealt[c])
	}
	names := []string{}
	for _, f := range deck.Honours.Faces() {
		if drawn.Has(f) {
			names = append(names, deck.Name(f))
		}
	}
	return names
}
