// Package ruleset is what a table of five-card draw agrees on: the options of
// docs/spec/92-five-card-draw.md, 92.2, and the preset by-email of 92.9. An option
// that does not apply is refused even with its default, so that a table never seems
// to agree on what it does not play.
package ruleset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// Values of rules.
const (
	Table   = "table"
	ByEmail = "by-email" // 92.9
)

// Values of limit.
const (
	Fixed = "fixed" // FD-R-23
	Pot   = "pot"   // FD-R-24
	None  = "none"  // FD-R-25; of openers: nothing is asked
)

// Values of the other options.
const (
	Full     = "full"       // reopen: FD-R-26
	Half     = "half"       // reopen
	Together = "together"   // draw: FD-R-32
	OneByOne = "one-by-one" // draw
	Order    = "order"      // pick
	Opponent = "opponent"   // pick: FD-R-35
	Muck     = "muck"       // showdown: FD-R-41
	All      = "all"        // showdown
	Jacks    = "jacks"      // openers: FD-R-60
	No       = "no"         // reshuffle
	Discards = "discards"   // reshuffle: FD-R-34
	Chips    = "chips"      // payout: FD-R-54
	Places   = "places"     // payout: FD-R-55
	EachDeal = "deal"       // disclose: FD-P-08
	Waits    = "waits"      // silent
	Forfeits = "forfeits"   // silent: FD-R-56
)

// Bounds of 92.1 and 92.2.
const (
	MinSeats = 2
	MaxSeats = 6
	MaxDeals = 1000
	MaxStack = 1_000_000
)

// Rules are the rules of a table. The JSON names are the names of the options.
type Rules struct {
	Rules         string `json:"rules"`
	Stack         int    `json:"stack"`
	Ante          int    `json:"ante"`
	SmallBlind    int    `json:"small-blind"`
	BigBlind      int    `json:"big-blind"` // 0: no blinds
	Limit         string `json:"limit"`
	Bet           int    `json:"bet"`
	LaterBet      int    `json:"later-bet"` // 0: none
	Cap           int    `json:"cap"`       // 0: none
	Reopen        string `json:"reopen"`
	Exchange      int    `json:"exchange"`
	Draw          string `json:"draw"`
	Pick          string `json:"pick"`
	SecondBetting bool   `json:"second-betting"`
	Showdown      string `json:"showdown"`
	Wheel         bool   `json:"wheel"`
	Openers       string `json:"openers"`
	Reshuffle     bool   `json:"reshuffle,omitempty"` // discards come back into the stock
	Payout        string `json:"payout"`
	Prizes        []int  `json:"prizes"`             // percentages by place; empty unless places
	Disclose      string `json:"disclose,omitempty"` // empty: at the end of the table
	Silent        string `json:"silent,omitempty"`   // empty: the score waits for the seat
}

// Parse reads the options of a genesis entry.
func Parse(c table.Config) (Rules, error) {
	if err := checkSizes(c); err != nil {
		return Rules{}, err
	}
	if c.Options["rules"] == ByEmail {
		return byEmail(c)
	}
	return byOptions(c)
}

func checkSizes(c table.Config) error {
	switch {
	case c.Seats < MinSeats || c.Seats > MaxSeats:
		return fmt.Errorf("92.1: %d seats: a table of five-card draw has %d to %d", c.Seats, MinSeats, MaxSeats)
	case c.Deals < 1 || c.Deals > MaxDeals:
		return fmt.Errorf("92.1: %d deals: a table of five-card draw has 1 to %d", c.Deals, MaxDeals)
	}
	return nil
}

// byEmail is the preset of 92.9.
func byEmail(c table.Config) (Rules, error) {
	o := table.ReadOptions(c)
	r := Rules{
		Rules: o.Choice("rules", Table, ByEmail), Stack: o.Int("stack", 100, 1, MaxStack), Limit: None, Reopen: Full,
		Exchange: 5, Draw: OneByOne, Pick: Opponent, Showdown: All, Wheel: true, Openers: None, Payout: Chips, Prizes: []int{},
	}
	r.Bet = o.Int("bet", 1, 1, r.Stack)
	r.disclose(o, EachDeal, Table)
	switch err := o.Err(); {
	case err != nil:
		return Rules{}, fmt.Errorf("92.9: rules=%s: %w", ByEmail, err)
	case c.Seats != 2:
		return Rules{}, fmt.Errorf("92.9: rules=%s is for two seats, not %d", ByEmail, c.Seats)
	}
	return r, nil
}

// byOptions are the rules of a table that names its options one by one.
func byOptions(c table.Config) (Rules, error) {
	o := table.ReadOptions(c)
	r := Rules{Rules: o.Choice("rules", Table, ByEmail), Stack: o.Int("stack", 200, 1, MaxStack)}
	r.Ante = o.Int("ante", min(1, r.Stack), 0, r.Stack)
	r.Bet = o.Int("bet", min(2, r.Stack), 1, r.Stack)
	r.SmallBlind, r.BigBlind = o.Int("small-blind", 0, 0, r.Stack), o.Int("big-blind", 0, 0, r.Stack)
	r.Limit = o.Choice("limit", Fixed, Pot, None)
	r.LaterBet, r.Cap = o.Int("later-bet", 2*r.Bet, r.Bet, 2*r.Stack), o.Int("cap", 4, 0, 9)
	r.Reopen = o.Choice("reopen", Full, Half)
	r.Exchange = o.Int("exchange", 5, 0, 5)
	r.Draw, r.Pick = o.Choice("draw", Together, OneByOne), o.Choice("pick", Order, Opponent)
	r.SecondBetting = o.Bool("second-betting", true)
	r.Showdown, r.Wheel = o.Choice("showdown", Muck, All), o.Bool("wheel", true)
	r.Openers, r.Payout = o.Choice("openers", None, Jacks), o.Choice("payout", Chips, Places)
	r.Reshuffle = o.Choice("reshuffle", No, Discards) == Discards
	r.disclose(o, Table, EachDeal)
	if o.Choice("silent", Waits, Forfeits) == Forfeits {
		r.Silent = Forfeits
	}
	o.Choice("prizes", c.Options["prizes"]) // any list: agree says which are prizes
	if err := o.Err(); err != nil {
		return Rules{}, err
	}
	if err := r.checkApplicable(c); err != nil {
		return Rules{}, err
	}
	return r.checkValues(c)
}

// checkApplicable refuses options that mean nothing beside the others, and drops their defaults.
func (r *Rules) checkApplicable(c table.Config) error {
	for _, only := range []struct {
		name    string
		applies bool
		why     string
	}{
		{"later-bet", r.Limit == Fixed && r.SecondBetting, "limit=fixed with a second betting"},
		{"cap", r.Limit == Fixed, "limit=fixed"},
		{"pick", c.Seats == 2, "two seats"},
		{"prizes", r.Payout == Places, "payout=places"},
	} {
		if _, given := c.Options[only.name]; given && !only.applies {
			return fmt.Errorf("92.2: option %s: is for %s alone", only.name, only.why)
		}
	}
	if r.Limit != Fixed {
		r.Cap = 0
	}
	if r.Limit != Fixed || !r.SecondBetting {
		r.LaterBet = 0
	}
	return nil
}

// checkValues refuses values that contradict one another.
func (r Rules) checkValues(c table.Config) (_ Rules, err error) {
	switch {
	case (r.SmallBlind > 0 || r.BigBlind > 0) && (r.SmallBlind < 1 || r.SmallBlind > r.BigBlind || r.BigBlind != r.Bet):
		return Rules{}, fmt.Errorf("92.2: blinds of %d and %d: both are 0, or 1 ≤ small-blind ≤ big-blind = bet = %d", r.SmallBlind, r.BigBlind, r.Bet)
	case r.Reopen == Half && r.Limit != Fixed:
		return Rules{}, errors.New("FD-R-26: option reopen=half: is for limit=fixed alone")
	case r.Openers == Jacks && r.BigBlind > 0:
		return Rules{}, errors.New("FD-A-22: option openers=jacks: is for tables without blinds, since a blind is a bet before the opening")
	}
	r.Prizes = []int{}
	if r.Payout == Places {
		list, given := c.Options["prizes"]
		if !given {
			list = "100"
		}
		if r.Prizes, err = prizes(list, c.Seats); err != nil {
			return Rules{}, err
		}
	}
	return r, nil
}

// prizes reads percentages: falling, their sum 100, at most one for each seat.
func prizes(list string, seats int) ([]int, error) {
	var shares []int
	sum, last := 0, 101
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || strconv.Itoa(n) != word || n < 1 || n >= last {
			return nil, fmt.Errorf("FD-R-55: option prizes=%.40s: must be falling percentages, as 50,30,20", list)
		}
		shares, sum, last = append(shares, n), sum+n, n
	}
	if sum != 100 || len(shares) > seats {
		return nil, fmt.Errorf("FD-R-55: option prizes=%.40s: %d percent for %d places; they must add up to 100, for at most %d", list, sum, len(shares), seats)
	}
	return shares, nil
}

// disclose is when locks are disclosed, the default first. Suites that defer nothing pass
// over it, and with them the option is refused (table.Rules, Needs).
func (r *Rules) disclose(o *table.Options, values ...string) {
	if o.Choice("disclose", values...) == EachDeal {
		r.Disclose = EachDeal
	}
}

// LeastBet is the least bet: after the exchange, with a fixed limit, the later one (FD-R-23).
func (r Rules) LeastBet(later bool) int {
	if later && r.LaterBet > 0 {
		return r.LaterBet
	}
	return r.Bet
}
