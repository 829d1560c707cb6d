// Package record is the game record of five-card draw (docs/spec/92-five-card-draw.md, 92.10): the
// deals of a table as lines of text that people read and write. A [Recorder] makes it from the moves of
// a table. [Score] replays a record by the rules and says where it differs from what they make of it.
//
// Cards that nobody showed are always "?": folded, mucked and discarded faces are in no log. A record
// is complete without them.
package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// format is the first line of a record.
const format = "five-card-draw 1"

var rules fivecarddraw.Rules

// Recorder writes the record of a table from its moves.
type Recorder struct {
	head  []string
	past  [][]string // lines of finished deals
	lines []string   // of the deal in progress
	seen  map[table.Card]fivecarddraw.Face
	end   []string
}

// NewRecorder begins the record of a table with these seats.
func NewRecorder(id string, names []string, c table.Config) *Recorder {
	r := &Recorder{head: []string{format, "table " + id, fmt.Sprintf("deals %d", c.Deals)}}
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		r.head = append(r.head, "option "+name+"="+c.Options[name])
	}
	for seat, name := range names {
		r.head = append(r.head, "seat "+table.Seat(seat).Letter()+" "+name)
	}
	return r
}

// Deals implements game.Recorder: how many deals are over.
func (r *Recorder) Deals() int { return len(r.past) }

// Lines implements game.Recorder: no other program has a form for it.
func (*Recorder) Lines() []byte { return nil }

// Text implements game.Recorder.
func (r *Recorder) Text() []byte {
	blocks := append([][]string{r.head}, r.past...)
	if r.end != nil {
		blocks = append(blocks, r.end)
	}
	var b strings.Builder
	for i, lines := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return []byte(b.String())
}

// End implements game.Recorder. Deals in which nobody was asked anything end without a move.
func (r *Recorder) End(s fivecarddraw.State) {
	for len(r.past) < len(s.Past) {
		done := s.Past[len(r.past)]
		r.beginDeal(done.Number, done.Dealer, done.Began)
		r.finishDeal(s, len(r.past), fivecarddraw.Deal{In: inOrder(done)})
	}
	if s.Stage == fivecarddraw.Over {
		r.end = []string{"result " + joinNumbers(rules.Result(s))}
	}
}

// Move implements game.Recorder.
func (r *Recorder) Move(before fivecarddraw.State, seat table.Seat, m fivecarddraw.Move, after fivecarddraw.State) {
	r.End(before)
	if r.lines == nil {
		r.beginDeal(before.Deal.Number, before.Deal.Dealer, before.Deal.Began)
	}
	if words := r.moveWords(before, seat, m); words != "" {
		r.lines = append(r.lines, seat.Letter()+" "+words)
	}
	if at := len(r.past); len(after.Past) > at {
		ended := after.Deal
		if ended.Number != after.Past[at].Number && after.Last != nil {
			ended = *after.Last
		}
		if ended.Number != after.Past[at].Number { // other deals followed it at once
			ended = before.Deal
		}
		r.finishDeal(after, at, ended)
	}
	if after.Stage == fivecarddraw.Over {
		r.end = []string{"result " + joinNumbers(rules.Result(after))}
	}
}

// inOrder returns the seats of a deal, from the left of its dealer.
func inOrder(done fivecarddraw.SettledDeal) (list []table.Seat) {
	n := table.Seat(len(done.Began))
	for i := range n {
		if seat := (done.Dealer + 1 + i) % n; done.Began[seat] > 0 {
			list = append(list, seat)
		}
	}
	return list
}

func (r *Recorder) beginDeal(number int, dealer table.Seat, stacks []int) {
	r.lines = []string{fmt.Sprintf("deal %d dealer %s stacks %s", number, dealer.Letter(), joinNumbers(stacks))}
	r.seen = map[table.Card]fivecarddraw.Face{}
}

func joinNumbers(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

// moveWords returns a move as it is written; a pick is not written.
func (r *Recorder) moveWords(s fivecarddraw.State, seat table.Seat, m fivecarddraw.Move) string {
	switch {
	case m.Fold:
		return "fold"
	case m.Check:
		return "check"
	case m.Call:
		return fmt.Sprintf("call %d", s.Bounds(seat).Call)
	case m.To > 0:
		return fmt.Sprintf("to %d", m.To)
	case m.Discard != nil:
		return fmt.Sprintf("draws %d", len(*m.Discard))
	case m.Muck:
		return "mucks"
	case m.Show != nil:
		return "shows " + r.turnUpCards(m.Show)
	case m.Openers != nil && len(*m.Openers) > 0:
		return "opens " + r.turnUpCards(*m.Openers)
	case m.Openers != nil:
		return "opens ?"
	}
	return ""
}

// turnUpCards writes cards turned up, from the highest rank, then clubs, spades, hearts, diamonds.
func (r *Recorder) turnUpCards(cards []fivecarddraw.ShownCard) string {
	for _, c := range cards {
		r.seen[c.Card] = c.Face
	}
	cards = slices.Clone(cards)
	slices.SortFunc(cards, func(a, b fivecarddraw.ShownCard) int {
		return cmp.Or(int(b.Face.Rank()-a.Face.Rank()), a.Face.Suit()-b.Face.Suit())
	})
	var names []string
	for _, c := range cards {
		names = append(names, c.Face.String())
	}
	return strings.Join(names, " ")
}

// finishDeal writes how a deal ended; at is its index in s.Past.
func (r *Recorder) finishDeal(s fivecarddraw.State, at int, d fivecarddraw.Deal) {
	done, stays := s.Past[at], 0
	lines := append([]string{r.lines[0]}, r.hands(d)...)
	lines = append(lines, r.lines[1:]...)
	for seat, n := range d.Back {
		if n > 0 && len(done.Pots) > 0 {
			lines = append(lines, fmt.Sprintf("back %s %d", table.Seat(seat).Letter(), n))
		}
	}
	for _, p := range done.Pots {
		if len(p.Winners) == 0 {
			stays += p.Chips
			lines = append(lines, fmt.Sprintf("pot %d: stays", p.Chips))
			continue
		}
		lines = append(lines, fmt.Sprintf("pot %d: %s", p.Chips, shares(p.Winners, p.Shares)))
	}
	if len(done.Pots) == 0 { // passed in (FD-R-60)
		for _, n := range done.Paid {
			stays += n
		}
		if at > 0 {
			stays += s.Past[at-1].Left
		}
		lines = append(lines, fmt.Sprintf("pot %d: stays", stays))
	}
	if stays > 0 && done.Left == 0 { // FD-R-53
		lines = append(lines, fmt.Sprintf("left %d: %s", stays, shares(d.In, fivecarddraw.PotShares(stays, len(d.In)))))
	}
	r.past = append(r.past, append(lines, "pays "+joinNumbers(done.Pays)))
	r.lines = nil
}

func shares(seats []table.Seat, chips []int) string {
	var list []string
	for i, seat := range seats {
		list = append(list, fmt.Sprintf("%s %d", seat.Letter(), chips[i]))
	}
	return strings.Join(list, ", ")
}

// hands returns the hands as dealt, for seats with a known card.
func (r *Recorder) hands(d fivecarddraw.Deal) (lines []string) {
	for _, seat := range d.In {
		line, known := "hand "+seat.Letter(), false
		if d.Dealt == nil {
			continue
		}
		for _, c := range d.Dealt[seat] {
			name := "?"
			if f, seen := r.seen[c]; seen && !slices.Contains(d.Returned, c) { // another card has come to lie there (FD-R-34)
				name, known = f.String(), true
			}
			line += " " + name
		}
		if known {
			lines = append(lines, line)
		}
	}
	return lines
}
