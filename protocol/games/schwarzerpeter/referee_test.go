package schwarzerpeter_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// referee is a second implementation of the rules, for cards that lie open: it
// reads a finished history and says step by step who must act and how.
type referee struct {
	table *tabletest.Table
	at    int        // the next entry
	hands [][]string // by seat and position
}

// SP-S2 to SP-S6, SP-C2 to SP-C5: the state machine and the referee, who was written without
// one, must agree on every step and on the loser.
func TestRefereeAgrees(t *testing.T) {
	seeds := uint64(1)
	if testmust.Thorough() {
		seeds = 8
	}
	for _, c := range tables {
		t.Run(c.String(), func(t *testing.T) {
			for seed := range seeds {
				played := testmust.Have(tabletest.Play(game, c, 1000+seed))(t)
				testmust.Do(t, judge(played), "seed", 1000+seed)
			}
		})
	}
}

func judge(played *tabletest.Table) (err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	n := played.Config.Seats
	r := &referee{table: played, at: 1}
	scores := make([]int, n)
	r.steps(wire.KindKey, n)
	for deal := range played.Config.Deals {
		r.steps(wire.KindShuffle, n)
		r.steps(wire.KindShow, n)
		last := r.play(deal % n)
		for seat := range scores {
			if points := 1; played.Config.Options["last-holder"] == "wins" {
				scores[seat] -= points
			} else {
				scores[seat] += points
			}
		}
		if played.Config.Options["last-holder"] == "wins" {
			scores[last] += n
		} else {
			scores[last] -= n
		}
	}
	if result, _ := played.State.Result(); !slices.Equal(result, scores) {
		return fmt.Errorf("result %v, the referee says %v", result, scores)
	}
	if r.at != len(played.Entries) {
		return fmt.Errorf("%d entries after the end", len(played.Entries)-r.at)
	}
	return nil
}

// fail ends judge with an error.
func (r *referee) fail(format string, args ...any) {
	panic(fmt.Errorf("entry %d: "+format, append([]any{r.at}, args...)...))
}

func (r *referee) message() *wire.Message {
	if r.at >= len(r.table.Entries) {
		r.fail("the history ends too early")
	}
	e := testmust.Need(wire.Parse(r.table.Entries[r.at]))
	r.at++
	return e.Message
}

// steps reads n messages of a kind, of anybody.
func (r *referee) steps(kind wire.Kind, n int) {
	for range n {
		if m := r.message(); m.Kind != kind {
			r.fail("is a %s, want a %s", m.Kind, kind)
		}
	}
}

// step reads one message of a kind of one seat.
func (r *referee) step(kind wire.Kind, seat int) (m sp.Move) {
	msg := r.message()
	if msg.Kind != kind || msg.Seat != seat {
		r.fail("is a %s of seat %d, want a %s of seat %d", msg.Kind, msg.Seat, kind, seat)
	}
	if kind == wire.KindMove {
		var body wire.MoveBody
		if err := wire.DecodeBody(msg.Body, &body); err != nil {
			panic(err)
		}
		if err := json.Unmarshal(body.Move, &m); err != nil {
			panic(err)
		}
	}
	return m
}

// look reads the true faces of all hands as they are after the last entry.
func (r *referee) look() [][]string {
	s := r.table.States[r.at-1]
	hands := [][]string{}
	for seat, hand := range decode(s).Hands {
		faces := testmust.Need(play.Peek(s, table.Seat(seat), r.table.Hands[seat].Secret))
		names := []string{}
		for _, c := range hand {
			names = append(names, s.FaceName(faces[c]))
		}
		hands = append(hands, names)
	}
	return hands
}

// play plays one deal and returns the last holder.
func (r *referee) play(first int) int {
	r.hands = r.look()
	if r.table.Config.Options["rules"] == "article" {
		return r.article(first, 1-first)
	}
	return r.common(first)
}

func (r *referee) article(first, second int) int {
	for {
		r.lay(second, 1)
		r.lay(first, 1)
		if len(r.hands[first]) == 0 {
			return second
		}
		if len(r.hands[second]) == 0 {
			return first
		}
		if len(r.hands[second]) < len(r.hands[first]) {
			r.draw(second, first)
			r.permute(second)
		} else {
			r.draw(first, second)
			r.permute(first)
		}
	}
}

func (r *referee) common(first int) int {
	n := len(r.hands)
	for i := range n {
		r.lay((first+i)%n, 99)
	}
	for turn := first; ; turn = (turn + 1) % n {
		if len(r.hands[turn]) == 0 {
			continue
		}
		from := (turn + 1) % n
		for len(r.hands[from]) == 0 {
			from = (from + 1) % n
		}
		if from == turn {
			return turn
		}
		r.draw(turn, from)
		if r.alone(turn) {
			return turn
		}
		r.permute(turn)
		r.lay(turn, 99)
	}
}

func (r *referee) lay(seat, most int) {
	if len(r.hands[seat]) < 2 {
		return
	}
	pairs := *r.step(wire.KindMove, seat).Lay
	if len(pairs) > most {
		r.fail("%d pairs", len(pairs))
	}
	for _, p := range pairs {
		if !naivePair(decode(r.table.State).Options, p[0].Face, p[1].Face) {
			r.fail("%v is no pair", p)
		}
		for _, c := range p {
			i := slices.Index(r.hands[seat], c.Face)
			if i < 0 {
				r.fail("seat %d does not hold %s", seat, c.Face)
			}
			r.hands[seat] = slices.Delete(r.hands[seat], i, i+1)
		}
	}
}

// alone reports whether seat has all the cards there are.
func (r *referee) alone(seat int) bool {
	for other, hand := range r.hands {
		if other != seat && len(hand) > 0 {
			return false
		}
	}
	return true
}

func (r *referee) draw(by, from int) {
	d := r.step(wire.KindMove, by).Draw
	if int(d.From) != from {
		r.fail("draws from %d, want %d", d.From, from)
	}
	face := r.hands[from][d.Position]
	r.hands[from] = slices.Delete(r.hands[from], d.Position, d.Position+1)
	r.hands[by] = append(r.hands[by], face)
	r.step(wire.KindGive, from)
}

// permute takes over the new order of a hand, if it is the same hand, and
// checks that no other hand changed.
func (r *referee) permute(by int) {
	r.step(wire.KindPermute, by)
	for seat, now := range r.look() {
		before := r.hands[seat]
		if seat == by {
			before = slices.Sorted(slices.Values(before))
			if !slices.Equal(before, slices.Sorted(slices.Values(now))) {
				r.fail("hand of seat %d was %v and is %v", seat, before, now)
			}
			r.hands[seat] = now
		} else if !slices.Equal(before, now) {
			r.fail("hand of seat %d was %v and is %v", seat, before, now)
		}
	}
}
