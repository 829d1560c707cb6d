package ruleset_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/fivecarddraw/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

type options = map[string]string

// 92.2, FD-A-22, FD-A-25: a table that opens on terms that contradict each other (Cheat 24), or that nobody could
// keep; and one that says no clear word.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		seats, deals int
		options      options
		word         string
	}{
		{7, 1, nil, "7 seats"}, {1, 1, nil, "1 seats"}, {2, 0, nil, "0 deals"}, {2, 1001, nil, "1001 deals"},
		{3, 1, options{"stack": "10", "ante": "11"}, "ante=11"},
		{3, 1, options{"stack": "0"}, "stack=0"}, {3, 1, options{"stack": "1000001"}, "stack=1000001"},
		{3, 1, options{"bet": "201"}, "bet=201"}, {3, 1, options{"bet": "0"}, "bet=0"},
		{3, 1, options{"small-blind": "3", "big-blind": "2"}, "blinds of 3 and 2"},
		{3, 1, options{"small-blind": "0", "big-blind": "2"}, "blinds of 0 and 2"},
		{3, 1, options{"small-blind": "1"}, "blinds of 1 and 0"},
		{3, 1, options{"small-blind": "1", "big-blind": "4"}, "bet = 2"},
		{3, 1, options{"limit": "none", "later-bet": "4"}, "later-bet"},
		{3, 1, options{"second-betting": "false", "later-bet": "4"}, "later-bet"},
		{3, 1, options{"later-bet": "1"}, "later-bet=1"},
		{3, 1, options{"limit": "pot", "cap": "4"}, "cap"}, {3, 1, options{"cap": "10"}, "cap=10"},
		{3, 1, options{"limit": "pot", "reopen": "half"}, "FD-R-26"},
		{3, 1, options{"pick": "order"}, "two seats"}, {3, 1, options{"exchange": "6"}, "exchange=6"},
		{3, 1, options{"prizes": "100"}, "payout=places"},
		{3, 1, options{"payout": "places", "prizes": "60,39"}, "99 percent"},
		{3, 1, options{"payout": "places", "prizes": "50,50"}, "falling"},
		{3, 1, options{"payout": "places", "prizes": "101"}, "falling"},
		{3, 1, options{"payout": "places", "prizes": ""}, "falling"},
		{3, 1, options{"payout": "places", "prizes": "60,040"}, "falling"},
		{2, 1, options{"payout": "places", "prizes": "50,30,20"}, "at most 2"},
		{3, 1, options{"openers": "jacks", "small-blind": "1", "big-blind": "2"}, "openers"},
		{3, 1, options{"reshuffle": "yes"}, "reshuffle=yes"}, {2, 1, options{"rules": "by-email", "reshuffle": "no"}, "unknown option reshuffle"},
		{3, 1, options{"disclose": "never"}, "disclose=never"}, {3, 1, options{"silent": "wins"}, "silent=wins"},
		{2, 1, options{"rules": "by-email", "silent": "waits"}, "unknown option silent"},
		{3, 1, options{"rules": "by-email"}, "two seats"},
		{2, 1, options{"rules": "by-email", "ante": "0"}, "unknown option ante"},
		{3, 1, options{"jokers": "2"}, "unknown option jokers"}, {3, 1, options{"rules": "home"}, "rules=home"},
	} {
		_, err := ruleset.Parse(table.Config{Seats: c.seats, Deals: c.deals, Options: c.options})
		if err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%d seats, %d deals, %v: %v, want %q", c.seats, c.deals, c.options, err, c.word)
		}
	}
}

// 92.2, FD-A-01, FD-A-03, FD-A-05, FD-A-06: terms that are agreed, and become others; or are refused though nothing is wrong.
func TestAgreed(t *testing.T) {
	parse := func(seats int, o options) ruleset.Rules {
		t.Helper()
		r, err := ruleset.Parse(table.Config{Seats: seats, Deals: 1, Options: o})
		if err != nil {
			t.Fatalf("%v: %v", o, err)
		}
		return r
	}
	r := parse(6, nil)
	if r.Stack != 200 || r.Ante != 1 || r.Bet != 2 || r.LaterBet != 4 || r.Cap != 4 || r.Exchange != 5 || !r.Wheel || !r.SecondBetting || r.Limit != ruleset.Fixed || len(r.Prizes) != 0 {
		t.Errorf("92.2: the defaults are %+v", r)
	}
	if r.Unit(false) != 2 || r.Unit(true) != 4 {
		t.Errorf("FD-R-23: units %d and %d", r.Unit(false), r.Unit(true))
	}
	if r = parse(3, options{"limit": "pot", "bet": "3"}); r.Cap != 0 || r.LaterBet != 0 || r.Unit(true) != 3 {
		t.Errorf("with pot limit %+v", r)
	}
	if r = parse(3, options{"disclose": "deal", "silent": "forfeits"}); r.Disclose != ruleset.EachDeal || r.Silent != ruleset.Forfeits {
		t.Errorf("92.2: disclosure is %+v", r)
	}
	if r = parse(3, options{"disclose": "table", "silent": "waits"}); r.Disclose != "" || r.Silent != "" {
		t.Errorf("92.2: the defaults of disclosure are %+v", r)
	}
	if r = parse(6, options{"reshuffle": "discards"}); !r.Reshuffle || parse(6, options{"reshuffle": "no"}).Reshuffle {
		t.Errorf("FD-R-34: with discards %+v", r)
	}
	if r = parse(3, options{"payout": "places"}); len(r.Prizes) != 1 || r.Prizes[0] != 100 {
		t.Errorf("FD-R-55: the prizes are %v", r.Prizes)
	}
	if r = parse(3, options{"payout": "places", "prizes": "50,30,20"}); len(r.Prizes) != 3 || r.Prizes[2] != 20 {
		t.Errorf("FD-R-55: the prizes are %v", r.Prizes)
	}
	parse(3, options{"reopen": "full", "limit": "none", "openers": "none"})
	parse(2, options{"pick": "order", "reshuffle": "no", "stack": "1"})
	mail := parse(2, options{"rules": "by-email"})
	if mail.Stack != 100 || mail.Ante != 0 || mail.BigBlind != 0 || mail.Limit != ruleset.None || mail.Bet != 1 || mail.Exchange != 5 || mail.Draw != ruleset.OneByOne ||
		mail.Pick != ruleset.Opponent || mail.SecondBetting || mail.Showdown != ruleset.All || mail.Payout != ruleset.Chips || !mail.Wheel || mail.Disclose != ruleset.EachDeal {
		t.Errorf("92.9: by-email is %+v", mail)
	}
	if mail = parse(2, options{"rules": "by-email", "stack": "30", "bet": "2"}); mail.Stack != 30 || mail.Bet != 2 {
		t.Errorf("92.9: by-email with a stack of 30 is %+v", mail)
	}
}
