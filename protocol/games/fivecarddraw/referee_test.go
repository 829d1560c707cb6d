package fivecarddraw_test

// The referee judges five-card draw with all cards open, from docs/spec/92 alone: it
// shares no code with the rules, and is written in another style, so that the same mistake
// is not made twice.
//
// A deal is told anew from its beginning after every move (referee_deal_test.go). Bets go round by two
// queues, of seats that may raise and of seats that may only call (referee_round_test.go); whether a
// total may be bet is asked of every total alone. Chips are laid into pots one by one
// (referee_chips_test.go). Hands are compared by their place in a list of all 7,462 classes, written out
// from the best to the worst (referee_hands_test.go). Cards are names, "10C"; a watcher reads them from
// a table with the secrets of its seats.

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// house are the options of a table, all of them, by name.
type house map[string]string

// rulesOf completes the options of a table with the defaults of 92.2 or 92.9.
func rulesOf(options map[string]string) house {
	h := house{
		"rules": "table", "stack": "200", "ante": "1", "small-blind": "0", "big-blind": "0", "limit": "fixed", "bet": "2",
		"cap": "4", "reopen": "full", "exchange": "5", "draw": "together", "pick": "order", "second-betting": "true",
		"showdown": "muck", "wheel": "true", "openers": "none", "payout": "chips", "prizes": "100", "reshuffle": "no",
	}
	if options["rules"] == "by-email" {
		maps.Copy(h, house{"ante": "0", "limit": "none", "bet": "1", "stack": "100", "draw": "one-by-one", "pick": "opponent",
			"second-betting": "false", "showdown": "all"})
	}
	if s, given := options["stack"]; given && len(s) == 1 && s < h["bet"] {
		h["bet"] = s
	}
	maps.Copy(h, options)
	if _, given := options["later-bet"]; !given {
		h["later-bet"] = strconv.Itoa(2 * h.intOption("bet"))
	}
	return h
}

func (h house) intOption(option string) int {
	n, err := strconv.Atoi(h[option])
	if err != nil {
		panic(fmt.Sprintf("referee: option %s is %q", option, h[option]))
	}
	return n
}

func (h house) hasOption(option, value string) bool { return h[option] == value }

// heardMove is a move: its verb is the name of its field.
type heardMove struct {
	seat   int
	verb   string
	to     int
	places []int    // of discard, pick, show and openers
	faces  []string // of show and openers
}

// letter is how records name a seat.
func letter(seat int) string { return string(rune('A' + seat)) }

// seatsLeftOf lists seats from the left of one on, clockwise, which is the last: of all n seats
// those that are in.
func seatsLeftOf(of, n int, in func(int) bool) (list []int) {
	for i := 1; i <= n; i++ {
		if s := (of + i) % n; in(s) {
			list = append(list, s)
		}
	}
	return list
}

func joinNumbers[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }
