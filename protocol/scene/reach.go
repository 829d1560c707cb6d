package scene

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// FindPicks returns picks that amount to a provable move, or nil if it finds none. For moves of several
// picks it tries those whose names occur in the move, in that order.
func FindPicks(g Game, at Position, move json.RawMessage) []Pick {
	_, says, _ := strings.Cut(string(move), ":")
	r := pickFinder{g, at, move, says, 20}
	return r.searchPicks(g.Ask(at), nil)
}

type pickFinder struct {
	game   Game
	at     Position
	move   json.RawMessage
	says   string // the move without its kind
	budget int    // how many more questions may be asked
}

// pickIndex returns the index of a pick's name in the move, or else the move's length.
func (r *pickFinder) pickIndex(p Pick) int {
	if i := strings.Index(r.says, `"`+string(p)+`"`); i >= 0 {
		return i
	}
	_, object, _ := strings.Cut(string(p), ":")
	_, err := strconv.Atoi(object)
	for from := 0; ; {
		i := strings.Index(r.says[from:], object)
		if i < 0 {
			return len(r.says)
		}
		if i += from; err != nil || !digitAt(r.says, i-1) && !digitAt(r.says, i+len(object)) {
			return i
		}
		from = i + 1 // 4 is not in 14
	}
}

func (r *pickFinder) firstNumber() int {
	digits := r.says[min(max(strings.IndexAny(r.says, "0123456789"), 0), len(r.says)):]
	n, err := strconv.Atoi(digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))])
	if err != nil {
		return -1
	}
	return n
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

func (r *pickFinder) searchPicks(ask Ask, picked []Pick) []Pick {
	type path struct {
		picks []Pick
		ask   Ask
	}
	var paths []path
	for _, p := range ask.FreeParts() {
		if named, ok := p.WithNumber(r.firstNumber()); ok {
			p = named
		}
		next := append(slices.Clip(picked), p.Pick)
		a := r.game.Answer(r.at, next)
		if a.Move != nil && bytes.Equal(*a.Move, r.move) {
			return next
		}
		if len(a.Ask.Parts) > 0 && r.pickIndex(p.Pick) < len(r.says) {
			paths = append(paths, path{next, a.Ask})
		}
	}
	at := func(p path) int { return r.pickIndex(p.picks[len(picked)]) }
	slices.SortStableFunc(paths, func(a, b path) int { return at(a) - at(b) })
	for _, p := range paths {
		if r.budget--; r.budget < 0 {
			return nil
		}
		if found := r.searchPicks(p.ask, p.picks); found != nil {
			return found
		}
	}
	return nil
}
