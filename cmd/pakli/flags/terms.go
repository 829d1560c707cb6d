package flags

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Catalogue returns every game and suite of this version.
func Catalogue() table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}
}

// Terms has the flags that describe a new table.
type Terms struct {
	Game, Suite, Fouls, Preset string
	Deals                      int
	Options                    Options
	ends                       endsFlags
}

// Options collects repeated --option k=v.
type Options map[string]string

func (o Options) String() string { return "" }

func (o Options) Set(s string) error {
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

// TermsOf declares the flags that describe a table.
func TermsOf(f *command.Flags) *Terms {
	t := &Terms{Options: Options{}}
	f.StringVar(&t.Game, "game", GameNames()[0], "the game, with or without its version: "+strings.Join(GameNames(), ", "))
	f.StringVar(&t.Suite, "suite", suite.Default, "how cards are encoded and what is proved with; pakli suites lists them")
	f.StringVar(&t.Fouls, "fouls", string(wire.RefuseFouls), "what happens to a message that breaks a rule: refuse; record, which keeps it as evidence and ends the table; or warn, which keeps it and ends the table at a seat's third")
	f.IntVar(&t.Deals, "deals", 1, "number of deals")
	f.StringVar(&t.Preset, "preset", "", "`name` of the rule set to play by, which --option changes; pakli rules GAME lists them")
	f.Var(t.Options, "option", "an option of the game, `name=value`; may be repeated")
	t.ends.addFlags(f)
	f.Offer("game", GameNames()...)
	f.Offer("suite", suite.Names()...)
	f.Offer("fouls", string(wire.RefuseFouls), "record", "warn")
	return t
}

// ChosenOptions returns the options including those of the preset.
func (t *Terms) ChosenOptions() (Options, error) {
	all := maps.Clone(t.Options)
	if t.Preset == "" {
		return all, nil
	}
	if _, twice := all["preset"]; twice {
		return nil, command.WrongUsage("--preset and --option preset=… both name a rule set")
	}
	all["preset"] = t.Preset
	return all, nil
}

// GameNames returns the games of the catalogue without their versions, the default one first.
func GameNames() []string {
	var names []string
	for _, g := range games.Catalogue() {
		base, _, _ := strings.Cut(g.Name(), "/")
		names = append(names, base)
	}
	return names
}

// GameName completes a game's name to the version that this program plays. Hyphens may be left out.
func GameName(name string) (string, error) {
	for _, g := range games.Catalogue() {
		base, _, _ := strings.Cut(g.Name(), "/")
		for _, full := range []string{g.Name(), base} {
			if name == full || name == strings.ReplaceAll(full, "-", "") {
				return g.Name(), nil
			}
		}
	}
	return "", command.WrongUsage("unknown game %q: known are %s", name, strings.Join(GameNames(), ", "))
}

// SignGenesis makes and checks a table's genesis entry.
func (t *Terms) SignGenesis(organiser note.Signer, organiserKey string, seats []string) ([]byte, wire.Hash, error) {
	name, err := GameName(t.Game)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	chosen, err := t.ChosenOptions()
	if err != nil {
		return nil, wire.Hash{}, err
	}
	g := &wire.Genesis{
		Format: wire.TableFormat, Game: name, Suite: t.Suite, Options: chosen, Deals: t.Deals,
		Fouls: wire.FoulRule(t.Fouls), Organiser: organiserKey, Seats: seats, Nonce: make([]byte, wire.NonceBytes),
	}
	rand.Read(g.Nonce)
	if err := t.ends.addTo(g); err != nil {
		return nil, wire.Hash{}, err
	}
	entry, err := wire.Sign(g, organiser)
	if err != nil {
		return nil, wire.Hash{}, command.Misuse(err)
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	if _, err := table.Open(e, Catalogue()); err != nil {
		return nil, wire.Hash{}, command.Misuse(WithSuites(err, *g, len(seats)))
	}
	return entry, e.Hash, nil
}

// WithSuites adds to the error of a table the suites with which it could be opened.
func WithSuites(why error, terms wire.Genesis, seats int) error {
	could := slices.DeleteFunc(suite.Names(), func(name string) bool {
		terms.Suite = name
		return table.CheckPlayable(&terms, seats, Catalogue()) != nil
	})
	if len(could) == 0 {
		return why
	}
	return fmt.Errorf("%w\nIt can be played with %s", why, strings.Join(could, ", "))
}

// LongSuites returns the suites that an operator has to allow.
func LongSuites() []string {
	return slices.DeleteFunc(suite.Names(), func(name string) bool { return wire.AttachableBytes(name) <= wire.MaxAttached })
}

// HaveIt returns a sentence that these games have something, without their versions.
func HaveIt(games []string) string {
	for i, name := range games {
		games[i], _, _ = strings.Cut(name, "/")
	}
	if len(games) == 1 {
		return games[0] + " has"
	}
	return strings.Join(games, ", ") + " have"
}
