package scene

import "github.com/pakli/pakli/protocol/table"

// Terms are what people agree on before they play a game: rule sets that they compare, and events.
type Terms struct {
	Presets []string // names of rule sets, the usual one first
	// Demo are the options with which the game is shown to people who choose none.
	Demo map[string]string
	// RuleSet lists the options of a rule set with their values, in the order in which a game meets
	// them, or returns what is wrong with the rule set; nil: there are no rule sets.
	RuleSet func(c table.Config) ([]Option, error)
	Events  []Event
	// what a seat that leaves a deal pays to each other seat by default, about the cost of a lost deal;
	// 0: nothing
	Forfeit int
}

// Option is an option of a rule set.
type Option struct {
	Name, Value string
	Source      string            // where the specification defines it
	Values      []string          // its allowed values; empty: any
	Meaning     map[string]string // by BCP 47 tag, in Markdown
}

// Event is an event of the game as clubs hold it, in the words of 10.12. Where a value depends on the
// club, this is one that the club may change.
type Event struct {
	Name    string
	Options map[string]string
	Deals   int
	Rounds  int
	Sizes   []int
	Seating []string
	Ties    []string
}
