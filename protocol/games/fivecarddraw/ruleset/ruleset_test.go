package ruleset_test

import (
	"reflect"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
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
		testmust.FailSaying(t, err, c.word, c.seats, "seats", c.deals, "deals", c.options)
	}
}

// 92.2, 92.9, FD-R-23, FD-R-34, FD-R-55, FD-A-01, FD-A-03, FD-A-05, FD-A-06: terms that are agreed, and become
// others; or are refused though nothing is wrong.
func TestAgreed(t *testing.T) {
	table92 := ruleset.Rules{Rules: ruleset.Table, Stack: 200, Ante: 1, Bet: 2, LaterBet: 4, Cap: 4, Exchange: 5, Wheel: true, SecondBetting: true, Limit: ruleset.Fixed, Prizes: []int{},
		Reopen: ruleset.Full, Draw: ruleset.Together, Pick: ruleset.Order, Showdown: ruleset.Muck, Openers: ruleset.None, Payout: ruleset.Chips}
	mail := ruleset.Rules{Rules: ruleset.ByEmail, Stack: 100, Bet: 1, Exchange: 5, Wheel: true, Limit: ruleset.None, Prizes: []int{},
		Reopen: ruleset.Full, Draw: ruleset.OneByOne, Pick: ruleset.Opponent, Showdown: ruleset.All, Openers: ruleset.None, Payout: ruleset.Chips, Disclose: ruleset.EachDeal}
	for _, c := range []struct {
		seats   int
		options options
		want    ruleset.Rules // but for what differs
		differs func(*ruleset.Rules)
	}{
		{6, nil, table92, func(*ruleset.Rules) {}},
		{3, options{"limit": "pot", "bet": "3"}, table92, func(r *ruleset.Rules) { r.Limit, r.Bet, r.LaterBet, r.Cap = ruleset.Pot, 3, 0, 0 }},
		{3, options{"disclose": "deal", "silent": "forfeits"}, table92, func(r *ruleset.Rules) { r.Disclose, r.Silent = ruleset.EachDeal, ruleset.Forfeits }},
		{3, options{"disclose": "table", "silent": "waits", "reopen": "full", "openers": "none", "reshuffle": "no"}, table92, func(*ruleset.Rules) {}},
		{6, options{"reshuffle": "discards"}, table92, func(r *ruleset.Rules) { r.Reshuffle = true }},
		{3, options{"payout": "places"}, table92, func(r *ruleset.Rules) { r.Payout, r.Prizes = ruleset.Places, []int{100} }},
		{3, options{"payout": "places", "prizes": "50,30,20"}, table92, func(r *ruleset.Rules) { r.Payout, r.Prizes = ruleset.Places, []int{50, 30, 20} }},
		{2, options{"pick": "order", "stack": "1"}, table92, func(r *ruleset.Rules) { r.Stack, r.Bet, r.LaterBet = 1, 1, 2 }},
		{2, options{"rules": "by-email"}, mail, func(*ruleset.Rules) {}},
		{2, options{"rules": "by-email", "stack": "30", "bet": "2"}, mail, func(r *ruleset.Rules) { r.Stack, r.Bet = 30, 2 }},
	} {
		c.differs(&c.want)
		got, err := ruleset.Parse(table.Config{Seats: c.seats, Deals: 1, Options: c.options})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d seats, %v: %+v, %v; want %+v", c.seats, c.options, got, err, c.want)
		}
		later := c.want.Bet // FD-R-23: the unit of the second betting
		if c.want.LaterBet > 0 {
			later = c.want.LaterBet
		}
		if got.Unit(false) != c.want.Bet || got.Unit(true) != later {
			t.Errorf("%v: units %d and %d", c.options, got.Unit(false), got.Unit(true))
		}
	}
}
