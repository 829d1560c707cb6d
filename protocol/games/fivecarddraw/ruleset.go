package fivecarddraw

// This is what a table of five-card draw agrees on: the options of docs/spec/92-five-card-draw.md,
// 92.2, and the preset by-email of 92.9. An option that does not apply is refused even with its default
// value, so that a table never seems to agree on something that it does not play.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// Values of rules.
const (
	OptTable   = "table"
	OptByEmail = "by-email" // 92.9
)

// Values of limit.
const (
	OptFixed = "fixed" // FD-R-23
	OptPot   = "pot"   // FD-R-24
	OptNone  = "none"  // FD-R-25; for openers: no requirement
)

// Values of the other options.
const (
	OptFull     = "full"       // reopen: FD-R-26
	OptHalf     = "half"       // reopen
	OptTogether = "together"   // draw: FD-R-32
	OptOneByOne = "one-by-one" // draw
	OptOrder    = "order"      // pick
	OptOpponent = "opponent"   // pick: FD-R-35
	OptMuck     = "muck"       // showdown: FD-R-41
	OptAll      = "all"        // showdown
	OptJacks    = "jacks"      // openers: FD-R-60
	OptNo       = "no"         // reshuffle
	OptDiscards = "discards"   // reshuffle: FD-R-34
	OptChips    = "chips"      // payout: FD-R-54
	OptPlaces   = "places"     // payout: FD-R-55
	OptEachDeal = "deal"       // disclose: FD-P-08
	OptWaits    = "waits"      // silent
	OptForfeits = "forfeits"   // silent: FD-R-56
)

// Bounds of 92.1 and 92.2.
const (
	MinSeats = 2
	MaxSeats = 6
	MaxDeals = 1000
	MaxStack = 1_000_000
)

// Options are the rules of a table. The JSON names are the names of the options.
type Options struct {
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
	Reshuffle     bool   `json:"reshuffle,omitempty"` // whether discards return to the stock
	Payout        string `json:"payout"`
	Prizes        []int  `json:"prizes"`             // percentages by place; empty unless places
	Disclose      string `json:"disclose,omitempty"` // empty: at the end of the table
	Silent        string `json:"silent,omitempty"`   // empty: the score waits for the seat
}

// ParseOptions reads the options of a genesis entry.
func ParseOptions(c table.Config) (Options, error) {
	if err := checkSizes(c); err != nil {
		return Options{}, err
	}
	if c.Options["rules"] == OptByEmail {
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

// byEmail returns the rules of the preset of 92.9.
func byEmail(c table.Config) (Options, error) {
	o := table.ReadOptions(c)
	r := Options{
		Rules: o.Choice("rules", OptTable, OptByEmail), Stack: o.Int("stack", 100, 1, MaxStack), Limit: OptNone, Reopen: OptFull,
		Exchange: 5, Draw: OptOneByOne, Pick: OptOpponent, Showdown: OptAll, Wheel: true, Openers: OptNone, Payout: OptChips, Prizes: []int{},
	}
	r.Bet = o.Int("bet", 1, 1, r.Stack)
	r.disclose(o, OptEachDeal, OptTable)
	switch err := o.Err(); {
	case err != nil:
		return Options{}, fmt.Errorf("92.9: rules=%s: %w", OptByEmail, err)
	case c.Seats != 2:
		return Options{}, fmt.Errorf("92.9: rules=%s is for two seats, not %d", OptByEmail, c.Seats)
	}
	return r, nil
}

// byOptions returns the rules of a table that names its options one by one.
func byOptions(c table.Config) (Options, error) {
	o := table.ReadOptions(c)
	r := Options{Rules: o.Choice("rules", OptTable, OptByEmail), Stack: o.Int("stack", 200, 1, MaxStack)}
	r.Ante = o.Int("ante", min(1, r.Stack), 0, r.Stack)
	r.Bet = o.Int("bet", min(2, r.Stack), 1, r.Stack)
	r.SmallBlind, r.BigBlind = o.Int("small-blind", 0, 0, r.Stack), o.Int("big-blind", 0, 0, r.Stack)
	r.Limit = o.Choice("limit", OptFixed, OptPot, OptNone)
	r.LaterBet, r.Cap = o.Int("later-bet", 2*r.Bet, r.Bet, 2*r.Stack), o.Int("cap", 4, 0, 9)
	r.Reopen = o.Choice("reopen", OptFull, OptHalf)
	r.Exchange = o.Int("exchange", 5, 0, 5)
	r.Draw, r.Pick = o.Choice("draw", OptTogether, OptOneByOne), o.Choice("pick", OptOrder, OptOpponent)
	r.SecondBetting = o.Bool("second-betting", true)
	r.Showdown, r.Wheel = o.Choice("showdown", OptMuck, OptAll), o.Bool("wheel", true)
	r.Openers, r.Payout = o.Choice("openers", OptNone, OptJacks), o.Choice("payout", OptChips, OptPlaces)
	r.Reshuffle = o.Choice("reshuffle", OptNo, OptDiscards) == OptDiscards
	r.disclose(o, OptTable, OptEachDeal)
	if o.Choice("silent", OptWaits, OptForfeits) == OptForfeits {
		r.Silent = OptForfeits
	}
	o.Choice("prizes", c.Options["prizes"]) // any list; checkValues decides which are prizes
	if err := o.Err(); err != nil {
		return Options{}, err
	}
	if err := r.checkApplicable(c); err != nil {
		return Options{}, err
	}
	return r.checkValues(c)
}

// checkApplicable refuses options that mean nothing with the other options, and drops their defaults.
func (r *Options) checkApplicable(c table.Config) error {
	for _, only := range []struct {
		name    string
		applies bool
		why     string
	}{
		{"later-bet", r.Limit == OptFixed && r.SecondBetting, "limit=fixed with a second betting"},
		{"cap", r.Limit == OptFixed, "limit=fixed"},
		{"pick", c.Seats == 2, "two seats"},
		{"prizes", r.Payout == OptPlaces, "payout=places"},
	} {
		if _, given := c.Options[only.name]; given && !only.applies {
			return fmt.Errorf("92.2: option %s: is for %s alone", only.name, only.why)
		}
	}
	if r.Limit != OptFixed {
		r.Cap = 0
	}
	if r.Limit != OptFixed || !r.SecondBetting {
		r.LaterBet = 0
	}
	return nil
}

// checkValues refuses values that contradict one another.
func (r Options) checkValues(c table.Config) (_ Options, err error) {
	switch {
	case (r.SmallBlind > 0 || r.BigBlind > 0) && (r.SmallBlind < 1 || r.SmallBlind > r.BigBlind || r.BigBlind != r.Bet):
		return Options{}, fmt.Errorf("92.2: blinds of %d and %d: both are 0, or 1 ≤ small-blind ≤ big-blind = bet = %d", r.SmallBlind, r.BigBlind, r.Bet)
	case r.Reopen == OptHalf && r.Limit != OptFixed:
		return Options{}, errors.New("FD-R-26: option reopen=half: is for limit=fixed alone")
	case r.Openers == OptJacks && r.BigBlind > 0:
		return Options{}, errors.New("FD-A-22: option openers=jacks: is for tables without blinds, since a blind is a bet before the opening")
	}
	r.Prizes = []int{}
	if r.Payout == OptPlaces {
		list, given := c.Options["prizes"]
		if !given {
			list = "100"
		}
		if r.Prizes, err = prizes(list, c.Seats); err != nil {
			return Options{}, err
		}
	}
	return r, nil
}

// prizes reads percentages: descending, with the sum 100, at most one for each seat.
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

// disclose reads when locks are disclosed, the default first. With suites that defer nothing it is
// ignored, and giving the option is refused (table.Rules, Needs).
func (r *Options) disclose(o *table.Options, values ...string) {
	if o.Choice("disclose", values...) == OptEachDeal {
		r.Disclose = OptEachDeal
	}
}

// LeastBet returns the least bet. After the exchange with a fixed limit it is the later bet (FD-R-23).
func (r Options) LeastBet(later bool) int {
	if later && r.LaterBet > 0 {
		return r.LaterBet
	}
	return r.Bet
}
