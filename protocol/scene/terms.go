package scene

import "github.com/pakli/pakli/protocol/table"

// Terms are what people agree on before they play a game: rule sets that they compare,
// and events.
type Terms struct {
	Presets []string // names of rule sets, the usual one first
	// Demo are the options with which the game is shown to those who choose none.
	Demo map[string]string
	// RuleSet lists the options of a rule set with their values, in the order in which
	// a game meets them, or says what is wrong with it; nil: there are no rule sets.
	RuleSet func(c table.Config) ([]Option, error)
	Events  []Event
	Forfeit int // what who leaves a deal pays each other if nothing else is said, as a lost deal would cost; 0: nothing
}

// Option is an option of a rule set.
type Option struct {
	Name, Value string
	Source      string            // where the specification speaks of it
	Values      []string          // that it may have; none: any
	Meaning     map[string]string // by BCP 47 tag, in Markdown
}

// Event is an event of the game as clubs hold it, in the words of 10.12. What depends on the
// club has a value here that it may change.
type Event struct {
	Name    string
	Options map[string]string
	Deals   int
	Rounds  int
	Sizes   []int
	Seating []string
	Ties    []string
}
