package skat

// This file is what a table of Skat agrees on: the options of docs/spec/90-skat.md, 90.12. A genesis
// entry names only the options that differ from the default, which is the tournament rule. A variant
// that no version supports yet is refused by name.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// OptOff is the value of an option that is not played.
const OptOff = "off"

// The values of score.
const (
	OptClassic      = "classic"       // SK-R-62
	OptSeeger       = "seeger"        // SK-R-64
	OptSeegerFabian = "seeger-fabian" // SK-R-63
	OptBierlachs    = "bierlachs"     // SK-R-66
)

// The values of concede.
const (
	OptBoth = "both" // defenders concede together
	OptOne  = "one"  // one of them binds the other
)

// The values of the other options.
const (
	OptAsk      = "ask"      // claim: may be made, and the defenders answer it
	OptOpen     = "open"     // early: the declarer turns up his cards
	OptProve    = "prove"    // early: the declarer proves his matadors
	OptRefuse   = "refuse"   // null-overbid: it cannot be announced
	OptLose     = "lose"     // null-overbid: it is lost at once
	OptSimple   = "simple"   // ramsch: SK-R-69
	OptSchieber = "schieber" // ramsch: SK-R-72
	OptAny      = "any"      // kontra: either defender
	OptBid18    = "bid18"    // kontra: a defender who has bid
	OptOn       = "on"       // seats-draw
)

// The events that make a Bock round (SK-R-78).
const (
	EventLost60    = "lost60"
	EventGrandHand = "grandhand"
	EventKontra    = "kontra"
	EventRe        = "re"
)

// BockEvents are all of them, in the order in which the option lists them.
var BockEvents = []string{EventLost60, EventGrandHand, EventKontra, EventRe}

// RuleSet is the rules of a table. The JSON names are the names of the options.
type RuleSet struct {
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

// Option is an option of the rule set.
type Option struct {
	Name    string
	Source  string   // the part of the specification that defines it
	Values  []string // the default comes first
	Meaning string   // what each value does, in Markdown
	of      func(*RuleSet) *string
}

// Options lists all the options.
func Options() []Option { return slices.Clone(options) }

var options = []Option{
	{"score", "OPT-SCORE", []string{OptClassic, OptSeeger, OptSeegerFabian, OptBierlachs}, "how a list is scored: SK-R-62, SK-R-64, SK-R-63, SK-R-66", func(r *RuleSet) *string { return &r.Score }},
	{"limit", "OPT-LIMIT", []string{"301", "401", "501"}, "`bierlachs` alone: who has lost so much ends the table (SK-R-66)", func(r *RuleSet) *string { return &r.Limit }},
	{"concede", "OPT-CONCEDE", []string{OptBoth, OptOne, OptOff}, "`both`: defenders concede together; `one`: what one of them says binds both; `off`: neither side may concede (SK-R-55, SK-R-57)", func(r *RuleSet) *string { return &r.Concede }},
	{"claim", "OPT-CLAIM", []string{OptAsk, OptOff}, "`ask`: the declarer may claim all further tricks, and the defenders answer (SK-R-59, SK-R-60)", func(r *RuleSet) *string { return &r.Claim }},
	{"early", "OPT-EARLY", []string{OptOpen, OptProve}, "what is shown when a suit game or grand ends early. `open`: the declarer's cards (E-TWELVE); `prove`: how many matadors he has or lacks (M-WITH, M-WITHOUT)", func(r *RuleSet) *string { return &r.Early }},
	{"null-overbid", "OPT-NULL-OVERBID", []string{OptRefuse, OptLose}, "a null below the bid. `refuse`: cannot be announced (SK-R-29); `lose`: is lost at once with twice the smallest null value that is not below the bid, or twice the bid above 59", func(r *RuleSet) *string { return &r.NullOverbid }},
	{"ramsch", "OPT-RAMSCH", []string{OptOff, OptSimple, OptSchieber}, "what is played when all pass (SK-R-69 to SK-R-73)", func(r *RuleSet) *string { return &r.Ramsch }},
	{"kontra", "OPT-KONTRA", []string{OptOff, OptAny, OptBid18}, "who may say Kontra. `any`: either defender; `bid18`: one who named or held a value (SK-R-74 to SK-R-76)", func(r *RuleSet) *string { return &r.Kontra }},
	{"bock", "OPT-BOCK", eventSets(), "the events that make a Bock round (SK-R-77 to SK-R-79), joined by `+` in the order `lost60`, `grandhand`, `kontra`, `re`", func(r *RuleSet) *string { return &r.Bock }},
	{"seats-draw", "OPT-SEATS-DRAW", []string{OptOff, OptOn}, "seats are drawn before deal 1 (90.16)", func(r *RuleSet) *string { return &r.SeatsDraw }},
}

// eventSets are all the values of bock: off, and every set of events.
func eventSets() []string {
	sets := []string{""}
	for _, event := range BockEvents {
		for _, s := range sets {
			sets = append(sets, strings.TrimPrefix(s+"+"+event, "+"))
		}
	}
	sets[0] = OptOff
	return sets
}

// refused are variants that people may ask for and that this version does not have (90.12), each with
// the reason.
var refused = map[string]string{
	"revolution":       "Revolution would show a held card to one other seat, which cannot be proved here (GAP-3)",
	"spitze":           "the lowest trump takes the last trick under no rule of this version",
	"schenken":         "no game is given away here; defenders may concede (SK-R-57)",
	"forced-ramsch":    "there are no Ramsch rounds; ramsch=simple and ramsch=schieber play one when all pass (SK-R-69)",
	"old-values":       "rules before 1999 are not played: hand games are lost double (SK-R-62), a grand ouvert counts 24 a level (SK-R-46)",
	"defenders-claims": "claims of defenders are not offered (SK-R-61)",
}

// ParseRuleSet reads the options of a genesis entry.
func ParseRuleSet(c table.Config) (RuleSet, error) {
	for name := range c.Options {
		if why, known := refused[name]; known {
			return RuleSet{}, fmt.Errorf("option %s: %s", name, why)
		}
	}
	var r RuleSet
	o := table.ReadOptions(c)
	for _, option := range options {
		*option.of(&r) = o.Choice(option.Name, option.Values...)
	}
	if err := o.Err(); err != nil {
		return RuleSet{}, err
	}
	if c.Seats != 3 && c.Seats != 4 {
		return RuleSet{}, fmt.Errorf("SK-R-08: %d seats: a table of Skat has three or four", c.Seats)
	}
	if _, given := c.Options["limit"]; given && r.Score != OptBierlachs {
		return RuleSet{}, fmt.Errorf("OPT-LIMIT: a limit is for score=%s alone", OptBierlachs)
	}
	return r, nil
}

// Value is the value of the option in r.
func (o Option) Value(r RuleSet) string { return *o.of(&r) }

// MinusLimit is the number of points lost that ends a table of Bierlachs (SK-R-66).
func (r RuleSet) MinusLimit() int {
	n, _ := strconv.Atoi(r.Limit)
	return n
}

// MakesBock reports whether an event makes a Bock round.
func (r RuleSet) MakesBock(event string) bool {
	return slices.Contains(strings.Split(r.Bock, "+"), event)
}
