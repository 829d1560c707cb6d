package event

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// The functions below return what the method gives next. An organiser who signs it departs from
// nothing.

// answersInPart is how many answers of a roster fit in an entry, whatever their reasons.
const answersInPart = 500

// NextRoster answers waiting registrations below an index. It accepts them in the order of the log
// while there is room, and if there is a door, only with a ticket. Answers that do not fit in an
// entry wait for the next roster.
func (h *History) NextRoster(upto uint64) *bulletin.RosterBody {
	b := &bulletin.RosterBody{Upto: upto, Accept: []bulletin.AcceptedNotice{}, Refuse: []bulletin.RefusedNotice{}}
	number, keys := len(h.Players), map[string]bool{}
	for _, n := range h.Notices {
		if n.Kind != bulletin.Register || n.Answer != nil || n.Index >= upto {
			continue
		}
		if len(b.Accept)+len(b.Refuse) == answersInPart {
			b.Upto = n.Index
			break
		}
		key, reason := wire.KeyMaterial(n.By), h.refusalGround(n, upto, number)
		if reason == "" && keys[key] {
			reason = "registered before"
		}
		if reason != "" {
			b.Refuse = append(b.Refuse, bulletin.RefusedNotice{Notice: n.Hash, Reason: wire.Text(reason)})
			continue
		}
		number++
		keys[key] = true
		b.Accept = append(b.Accept, bulletin.AcceptedNotice{Number: number, Notice: n.Hash})
	}
	return b
}

// CountUnanswered counts the registrations below an index that wait for an answer.
func (h *History) CountUnanswered(upto uint64) (n int) {
	for _, notice := range h.Notices {
		if notice.Kind == bulletin.Register && notice.Answer == nil && notice.Index < upto {
			n++
		}
	}
	return n
}

// CountEntrants counts who would play the first round as things stand: players on the roster and
// keys that wait for an answer, each once, without those who have withdrawn.
func (h *History) CountEntrants() int {
	keys := map[string]bool{}
	for _, n := range h.presentPlayers(1, ^uint64(0)) {
		keys[wire.KeyMaterial(h.byNumber[n].Key)] = true
	}
	for _, n := range h.unansweredNotices(^uint64(0), ^uint64(0)) {
		if h.PlayerByKey(n.By) == nil {
			keys[wire.KeyMaterial(n.By)] = true
		}
	}
	return len(keys)
}

// RegisteredBefore returns the registration of a key that rules out another one, or nil if there is
// none.
func (h *History) RegisteredBefore(by string) *Notice {
	return h.standingRegistration(func(n *Notice) bool { return wire.KeyMaterial(n.By) == wire.KeyMaterial(by) })
}

// Namesake returns the registration of the same name and club by another key, or nil if there is
// none. It blocks nobody: otherwise a stranger could keep out a player whose name is known by
// coming first.
func (h *History) Namesake(by string, r *bulletin.RegisterBody) *Notice {
	return h.standingRegistration(func(n *Notice) bool {
		b := n.Body.(*bulletin.RegisterBody)
		same := strings.EqualFold(string(b.Name), string(r.Name)) && strings.EqualFold(string(b.Club), string(r.Club))
		return same && wire.KeyMaterial(n.By) != wire.KeyMaterial(by)
	})
}

// standingRegistration returns the first such registration that was neither withdrawn nor refused,
// or nil.
func (h *History) standingRegistration(is func(*Notice) bool) *Notice {
	for _, n := range h.Notices {
		if n.Kind == bulletin.Register && n.Reason == "" && !h.hasWithdrawn(n, ^uint64(0)) && is(n) {
			return n
		}
	}
	return nil
}

// tablesInPart is how many tables of a seating fit in an entry.
const tablesInPart = 500

// NextRound seats the next round by the method, from its draw and what the log had when the draw
// began, in as many parts as needed. If a round lacks parts, and no other decision came after its
// first ones, NextRound returns the missing parts.
func NextRound(h *History, tables []*Table) ([]*bulletin.SeatingBody, error) {
	j := newJudge(h, tables, Options{})
	round, came := h.CountSeated()+1, 0
	if begun := h.begunRound(); begun != nil && begun.last == h.Head {
		came = begun.came
	}
	draw, drawn := j.draws[round]
	switch {
	case round > h.Terms.Rounds:
		return nil, fmt.Errorf("the event has %d rounds, and all of them are seated", h.Terms.Rounds)
	case !drawn:
		return nil, fmt.Errorf("there is no draw of round %d yet, so nobody has a lot in it: draw first", round)
	}
	met, byes := j.walkRounds(func(*Round, Meetings, map[int]int) {})
	s := j.seatRound(round, draw, met, byes)
	var list []*bulletin.SeatingBody
	for part := range slices.Chunk(s.Tables, tablesInPart) {
		list = append(list, &bulletin.SeatingBody{Round: round, Upto: draw.From, Tables: part, Byes: []int{}})
	}
	if list == nil {
		list = []*bulletin.SeatingBody{{Round: round, Upto: draw.From, Tables: [][]int{}, Byes: []int{}}}
	}
	for i, part := range list {
		part.Part, part.Parts = i+1, len(list)
	}
	list[0].Byes = append(list[0].Byes, s.Byes...)
	return list[min(came, len(list)):], nil
}

// NextFinal returns the final standings of what the log has below an index.
func NextFinal(h *History, tables []*Table, upto uint64) *bulletin.FinalBody {
	j := newJudge(h, tables, Options{})
	digest := HashStandings(h.ID, upto, j.computeStandings(upto, ^uint64(0), j.lastSeed(^uint64(0)), LeftOutLayers{}))
	return &bulletin.FinalBody{Upto: upto, Standings: hex.EncodeToString(digest[:])}
}

// DrawOpenError says that a table of the draw is still in play.
type DrawOpenError struct{ Table wire.Hash }

func (e *DrawOpenError) Error() string {
	return fmt.Sprintf("the draw at table %s is not over", e.Table)
}

// DrawTable returns the genesis entry, without its nonce, of the next table of the next round's
// draw, from what the log has below an index. The error is a *DrawOpenError while such a table is
// in play.
func (h *History) DrawTable(tables []*Table, upto uint64) (*wire.Genesis, error) {
	j := newJudge(h, tables, Options{})
	round, number := h.CountSeated()+1, 1
	for _, t := range j.drawTables() {
		if h.roundAt(t.Index) == round && j.isDraw(t) && !t.State.IsOver() && len(t.Failed) == 0 {
			return nil, &DrawOpenError{t.ID}
		}
		number++
	}
	seats := h.Drawers(upto, j.failedKeys(upto))
	if len(seats) < wire.MinSeats {
		return nil, errors.New("nobody on the roster said that they would sit at the draw: accept who has registered, and ask somebody to register saying so")
	}
	e := h.Terms
	return &wire.Genesis{
		Format: wire.TableFormat2, Event: h.ID.String(), Number: number, Game: DrawGame, Suite: e.Suite, Options: map[string]string{}, Deals: 1,
		Fouls: e.Fouls, Clock: e.Clock, Ends: e.Ends, Organiser: e.Organiser, Arbiters: slices.Clone(h.arbiters), Seats: seats, Names: make([]wire.Text, len(seats)),
	}, nil
}

// UnplannedRounds returns the rounds that a plan should seat and that have no complete plan.
func (h *History) UnplannedRounds() (list []int) {
	for i, method := range h.Terms.Seating {
		if method == bulletin.SeatByPlan && !h.planned[i+1].isComplete() {
			list = append(list, i+1)
		}
	}
	return list
}

// CountSeated counts the rounds whose seating is complete.
func (h *History) CountSeated() int { return h.roundAt(^uint64(0)) - 1 }

// roundAt returns the number of the round that had yet to be seated at an index.
func (h *History) roundAt(index uint64) int {
	n := 1
	for _, r := range h.Rounds {
		if r.isComplete() && r.Index < index {
			n++
		}
	}
	return n
}
