package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// catalogue is every game and suite of this version.
func catalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
}

// terms are the flags that describe a table to be created.
type terms struct {
	game, suite, fouls, preset string
	deals                      int
	options                    options
	ends                       endingFlags
}

// options collects repeated --option k=v.
type options map[string]string

func (o options) String() string { return "" }

func (o options) Set(s string) error {
	k, v, ok := strings.Cut(s, "=")
	if !ok || k == "" {
		return fmt.Errorf("%q is not of the form name=value", s)
	}
	if _, twice := o[k]; twice {
		return fmt.Errorf("option %s is given twice", k)
	}
	o[k] = v
	return nil
}

func (t *terms) addFlags(f *flag.FlagSet) {
	t.options = options{}
	f.StringVar(&t.game, "game", gameNames()[0], "the game, with or without its version: "+strings.Join(gameNames(), ", "))
	f.StringVar(&t.suite, "suite", suite.Default, "how cards are encoded and what is proved with; pakli suites lists them")
	f.StringVar(&t.fouls, "fouls", string(wire.RefuseFouls), "what happens to a message that breaks a rule: refuse; record, which keeps it as evidence and ends the table; or warn, which keeps it and ends the table at the third of a seat")
	f.IntVar(&t.deals, "deals", 1, "number of deals")
	f.StringVar(&t.preset, "preset", "", "the rule set that options change, the same as --option preset=NAME; pakli rules GAME lists them")
	f.Var(t.options, "option", "an option of the game, `name=value`; may be repeated")
	t.ends.addFlags(f)
}

// chosenOptions are the options with the preset among them.
func (t *terms) chosenOptions() (options, error) {
	all := maps.Clone(t.options)
	if t.preset == "" {
		return all, nil
	}
	if _, twice := all["preset"]; twice {
		return nil, wrongUsage("--preset and --option preset=… both name a rule set")
	}
	all["preset"] = t.preset
	return all, nil
}

// gameNames are the games of the catalogue without their versions, the usual one first.
func gameNames() []string {
	var names []string
	for _, g := range games.Catalogue() {
		base, _, _ := strings.Cut(g.Name(), "/")
		names = append(names, base)
	}
	return names
}

// gameName completes a game's name to the version this program plays. Hyphens
// may be left out.
func gameName(name string) (string, error) {
	for _, g := range games.Catalogue() {
		base, _, _ := strings.Cut(g.Name(), "/")
		for _, full := range []string{g.Name(), base} {
			if name == full || name == strings.ReplaceAll(full, "-", "") {
				return g.Name(), nil
			}
		}
	}
	return "", wrongUsage("unknown game %q: known are %s", name, strings.Join(gameNames(), ", "))
}

// signGenesis writes and checks a table's first entry.
func (t *terms) signGenesis(organiser note.Signer, organiserKey string, seats []string) ([]byte, wire.Hash, error) {
	name, err := gameName(t.game)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	chosen, err := t.chosenOptions()
	if err != nil {
		return nil, wire.Hash{}, err
	}
	g := &wire.Genesis{
		Format: wire.TableFormat, Game: name, Suite: t.suite, Options: chosen, Deals: t.deals,
		Fouls: wire.FoulRule(t.fouls), Organiser: organiserKey, Seats: seats, Nonce: make([]byte, wire.NonceBytes),
	}
	rand.Read(g.Nonce)
	if err := t.ends.addTo(g); err != nil {
		return nil, wire.Hash{}, err
	}
	entry, err := wire.Sign(g, organiser)
	if err != nil {
		return nil, wire.Hash{}, usageError{err}
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	if _, err := table.Open(e, catalogue()); err != nil {
		return nil, wire.Hash{}, usageError{withSuites(err, *g, len(seats))}
	}
	return entry, e.Hash, nil
}

// withSuites is why a table does not open, and with which suites it would in place of its own.
func withSuites(why error, terms wire.Genesis, seats int) error {
	could := slices.DeleteFunc(suite.Names(), func(name string) bool {
		terms.Suite = name
		return table.CheckPlayable(&terms, seats, catalogue()) != nil
	})
	if len(could) == 0 {
		return why
	}
	return fmt.Errorf("%w\nIt can be played with %s", why, strings.Join(could, ", "))
}
