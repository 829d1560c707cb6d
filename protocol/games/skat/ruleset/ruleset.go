// Package ruleset is what a table of Skat agrees on: the options of
// docs/spec/90-skat.md, 90.12. A table's genesis entry names only what differs
// from the default, which is the tournament rule. What no version has yet is
// refused by its name.
package ruleset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// Off is the value of an option that is not played.
const Off = "off"

// Values of score.
const (
	Classic      = "classic"       // SK-R-62
	Seeger       = "seeger"        // SK-R-64
	SeegerFabian = "seeger-fabian" // SK-R-63
	Bierlachs    = "bierlachs"     // SK-R-66
)

// Values of concede.
const (
	Both = "both" // defenders concede together
	One  = "one"  // one of them binds the other
)

// Values of the other options.
const (
	Ask      = "ask"      // claim: may be made, and is answered
	Open     = "open"     // early: the declarer's cards
	Prove    = "prove"    // early: the matadors
	Refuse   = "refuse"   // null-overbid: cannot be announced
	Lose     = "lose"     // null-overbid: is lost at once
	Simple   = "simple"   // ramsch: SK-R-69
	Schieber = "schieber" // ramsch: SK-R-72
	Any      = "any"      // kontra: either defender
	Bid18    = "bid18"    // kontra: who bid
	On       = "on"       // seats-draw
)

// Events that make a Bock round (SK-R-78).
const (
	Lost60    = "lost60"
	GrandHand = "grandhand"
	Kontra    = "kontra"
	Re        = "re"
)

// Events are all of them, in the order in which an option lists them.
var Events = []string{Lost60, GrandHand, Kontra, Re}

// Rules are the rules of a table. The JSON names are the names of the options.
type Rules struct {
	Score       string `json:"score"`
	Limit       string `json:"limit"`
	Concede     string `json:"concede"`
	Claim       string `json:"claim"`
	Early       string `json:"early"`
	NullOverbid string `json:"null-overbid"`
	Ramsch      string `json:"ramsch"`
	Kontra      string `json:"kontra"`
	Bock        string `json:"bock"`
	SeatsDraw   string `json:"seats-draw"`
}

// Option is one of them.
type Option struct {
	Name    string
	Source  string   // where the specification speaks of it
	Values  []string // the default first
	Meaning string   // what each value does: Markdown
	of      func(*Rules) *string
}

// Options lists all options.
func Options() []Option { return slices.Clone(options) }

var options = []Option{
	{"score", "OPT-SCORE", []string{Classic, Seeger, SeegerFabian, Bierlachs}, "how a list is scored: SK-R-62, SK-R-64, SK-R-63, SK-R-66", func(r *Rules) *string { return &r.Score }},
	{"limit", "OPT-LIMIT", []string{"301", "401", "501"}, "`bierlachs` alone: who has lost so much ends the table (SK-R-66)", func(r *Rules) *string { return &r.Limit }},
	{"concede", "OPT-CONCEDE", []string{Both, One, Off}, "`both`: defenders concede together; `one`: what one of them says binds both; `off`: neither side may concede (SK-R-55, SK-R-57)", func(r *Rules) *string { return &r.Concede }},
	{"claim", "OPT-CLAIM", []string{Ask, Off}, "`ask`: the declarer may claim all further tricks, and the defenders answer (SK-R-59, SK-R-60)", func(r *Rules) *string { return &r.Claim }},
	{"early", "OPT-EARLY", []string{Open, Prove}, "what is shown when a suit game or grand ends early. `open`: the declarer's cards (E-TWELVE); `prove`: how many matadors he has or lacks (M-WITH, M-WITHOUT)", func(r *Rules) *string { return &r.Early }},
	{"null-overbid", "OPT-NULL-OVERBID", []string{Refuse, Lose}, "a null below the bid. `refuse`: cannot be announced (SK-R-29); `lose`: is lost at once with twice the smallest null value that is not below the bid, or twice the bid above 59", func(r *Rules) *string { return &r.NullOverbid }},
	{"ramsch", "OPT-RAMSCH", []string{Off, Simple, Schieber}, "what is played when all pass (SK-R-69 to SK-R-73)", func(r *Rules) *string { return &r.Ramsch }},
	{"kontra", "OPT-KONTRA", []string{Off, Any, Bid18}, "who may say Kontra. `any`: either defender; `bid18`: one who named or held a value (SK-R-74 to SK-R-76)", func(r *Rules) *string { return &r.Kontra }},
	{"bock", "OPT-BOCK", eventSets(), "the events that make a Bock round (SK-R-77 to SK-R-79), joined by `+` in the order `lost60`, `grandhand`, `kontra`, `re`", func(r *Rules) *string { return &r.Bock }},
	{"seats-draw", "OPT-SEATS-DRAW", []string{Off, On}, "seats are drawn before deal 1 (90.16)", func(r *Rules) *string { return &r.SeatsDraw }},
}

// eventSets are all values of bock: off, and every set of events.
func eventSets() []string {
	sets := []string{""}
	for _, event := range Events {
		for _, s := range sets {
			sets = append(sets, strings.TrimPrefix(s+"+"+event, "+"))
		}
	}
	sets[0] = Off
	return sets
}

// refused are variants that people may ask for and that are no part of this
// version (90.12).
var refused = map[string]string{
	"revolution":       "Revolution would show a held card to one other seat, which cannot be proved here (GAP-3)",
	"spitze":           "the lowest trump takes the last trick under no rule of this version",
	"schenken":         "no game is given away here; defenders may concede (SK-R-57)",
	"forced-ramsch":    "there are no Ramsch rounds; ramsch=simple and ramsch=schieber play one when all pass (SK-R-69)",
	"old-values":       "rules before 1999 are not played: hand games are lost double (SK-R-62), a grand ouvert counts 24 a level (SK-R-46)",
	"defenders-claims": "claims of defenders are not offered (SK-R-61)",
}

// Parse reads the options of a genesis entry.
func Parse(c table.Config) (Rules, error) {
	for name := range c.Options {
		if why, known := refused[name]; known {
			return Rules{}, fmt.Errorf("option %s: %s", name, why)
		}
	}
	var r Rules
	o := table.ReadOptions(c)
	for _, option := range options {
		*option.of(&r) = o.Choice(option.Name, option.Values...)
	}
	if err := o.Err(); err != nil {
		return Rules{}, err
	}
	if c.Seats != 3 && c.Seats != 4 {
		return Rules{}, fmt.Errorf("SK-R-08: %d seats: a table of Skat has three or four", c.Seats)
	}
	if _, given := c.Options["limit"]; given && r.Score != Bierlachs {
		return Rules{}, fmt.Errorf("OPT-LIMIT: a limit is for score=%s alone", Bierlachs)
	}
	return r, nil
}

// Value is an option's value in r.
func (o Option) Value(r Rules) string { return *o.of(&r) }

// MinusLimit is how many points lost end a table of Bierlachs (SK-R-66).
func (r Rules) MinusLimit() int {
	n, _ := strconv.Atoi(r.Limit)
	return n
}

// MakesBock reports whether an event makes a Bock round.
func (r Rules) MakesBock(event string) bool {
	return slices.Contains(strings.Split(r.Bock, "+"), event)
}
