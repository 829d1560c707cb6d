package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/bulletin"
)

// checkGroups says why a decision may not name groups to be kept apart (55.2.4). With a secret the
// organiser knows all lots before, and would choose the groups by their effect.
func (h *History) checkGroups(b *bulletin.GroupsBody) error {
	if !h.NamesGroups() {
		return errors.New("groups are named in an event whose terms say that players are kept apart, and whose lots are drawn at a table")
	}
	for _, n := range slices.Concat(b.Groups...) {
		if h.byNumber[n] == nil {
			return fmt.Errorf("nobody has the number %d", n)
		}
	}
	return nil
}

// clubKey returns what all spellings of one club's name have in common: letters without accents, in
// lower case, and digits (56.3.7). Characters that are decomposed have had their decomposition
// since before 2010, so every version of Unicode gives the same.
func clubKey(club string) string {
	var b strings.Builder
	for _, c := range club {
		parts := string(c)
		if c < 0x530 || c >= 0x1e00 && c < 0x1f00 {
			parts = norm.NFD.String(parts)
		}
		for _, c := range parts {
			switch {
			case c >= 'A' && c <= 'Z', c >= 'À' && c <= 'Þ', c >= 'Α' && c <= 'Ω', c >= 'А' && c <= 'Я':
				c += 'a' - 'A'
			case c < '0' || c > '9' && c < 'a' || c > 'z' && c < 0xc0, c >= 0x300 && c < 0x370, c >= 0x2000 && c < 0x2070:
				continue
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// separation says who is kept apart: players of one club and of one group. A nil separation keeps
// nobody apart.
type separation struct {
	clubs  []string      // by player
	groups map[int][]int // by player: which groups name the player
}

// separationFor returns who is kept apart in a round. Its draw began at the index from, and that of
// the first round at first. In a round by rank, where ranks more than lots say who would meet whom,
// only groups named before any result count (56.3.7).
func (h *History) separationFor(round int, from, first uint64) *separation {
	if !h.Terms.Apart {
		return nil
	}
	if h.Terms.Seating[round-1] == bulletin.SeatByRank {
		from = min(from, first)
	}
	s := &separation{groups: map[int][]int{}}
	for _, p := range h.Players { // in the order of numbers
		s.clubs = append(s.clubs, make([]string, p.Number+1-len(s.clubs))...)
		s.clubs[p.Number] = p.clubKey
	}
	for i, g := range h.GroupsAt(from) {
		for _, n := range g {
			s.groups[n] = append(s.groups[n], i)
		}
	}
	return s
}

// GroupsAt returns the groups named last below an index.
func (h *History) GroupsAt(index uint64) (groups [][]int) {
	for _, d := range h.Decisions {
		if b, is := d.Body.(*bulletin.GroupsBody); is && d.Index < index {
			groups = b.Groups
		}
	}
	return groups
}

// NamesGroups reports whether the organiser may name groups of players to be kept apart.
func (h *History) NamesGroups() bool { return h.Terms.Apart && h.Terms.Draw == bulletin.DrawTable }

// countReasons counts the reasons to keep two players apart: one club, and each group that names
// both.
func (s *separation) countReasons(a, b int) (n int) {
	if s == nil {
		return 0
	}
	if club := s.clubs[a]; club != "" && club == s.clubs[b] {
		n++
	}
	if len(s.groups) == 0 {
		return n
	}
	for _, g := range s.groups[a] {
		if slices.Contains(s.groups[b], g) {
			n++
		}
	}
	return n
}

// UnpartedPlayers returns, for each table of a seated round, the players who should have been kept
// apart from another player there.
func (h *History) UnpartedPlayers(r *Round) [][]int {
	list := make([][]int, len(r.Tables))
	if !h.Terms.Apart {
		return list
	}
	s := h.separationFor(r.Number, r.Upto, h.Rounds[0].Upto)
	for n, table := range r.Tables {
		for _, a := range table {
			if slices.ContainsFunc(table, func(b int) bool { return a != b && s.countReasons(a, b) > 0 }) {
				list[n] = append(list[n], a)
			}
		}
	}
	return list
}
