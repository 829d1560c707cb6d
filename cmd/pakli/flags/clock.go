package flags

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Clock has the flags of a table with a clock.
type Clock struct {
	Terms   string
	keepers []string
	lines   []string // each keeper's key for lines, or "" if it is not known
}

func (c *Clock) addFlags(f *command.Flags) {
	f.StringVar(&c.Terms, "clock", "", "how long a seat has: a `clock` with a name ("+strings.Join(slices.Sorted(maps.Keys(organiser.Clocks)), ", ")+"), or seconds, as in move=60,bank=600,increment=10,start=300,grace=15,tick=5, or a name and what differs from it, as in club,move=90. With silence as the last word, keepers must also have said that they hold no message of the seat that is late")
	f.Func("keeper", "`key` of a cosigner of this log whose times count, or a policy file with such keys; repeat for each", c.AddKeeper)
}

// AddKeeper adds a cosigner, or those of a policy file with their keys for lines.
func (c *Clock) AddKeeper(arg string) error {
	text, err := os.ReadFile(arg)
	if errors.Is(err, os.ErrNotExist) {
		c.keepers, c.lines = append(c.keepers, arg), append(c.lines, "")
		_, err = tlog.ParseCosignerKey(arg)
		return err
	}
	if err != nil {
		return err
	}
	p, err := tlog.ParsePolicy(text)
	if err != nil {
		return err
	}
	for _, k := range p.Cosigners {
		if k.Key.Algorithm() != tlog.Ed25519Cosignature {
			continue
		}
		line := ""
		if k.Lines != nil {
			line = k.Lines.String()
		}
		c.keepers, c.lines = append(c.keepers, k.Key.String()), append(c.lines, line)
	}
	return nil
}

// IsGiven reports whether a clock is wanted.
func (c *Clock) IsGiven() bool { return c.Terms != "" || c.keepers != nil }

// TableClock returns the clock that the flags describe, if any.
func (c *Clock) TableClock() (wire.Clock, error) {
	k := wire.Clock{Keepers: append([]string{}, c.keepers...), Lines: []string{}}
	switch {
	case !c.IsGiven():
		return k, nil
	case len(c.keepers) == 0:
		return k, command.WrongUsage("--keeper is missing: a clock needs somebody whose times count, a cosigner of the log")
	case c.Terms == "":
		return k, command.WrongUsage("--clock is missing: say how long a seat has, as --clock club")
	}
	chosen := wire.Clock{Tick: 5, Start: 300, Grace: 15}
	for i, word := range strings.Split(c.Terms, ",") {
		if named, ok := organiser.Clocks[word]; ok && i == 0 {
			chosen = named
		} else if word == "silence" {
			chosen.Silence = true
		} else if err := setTime(&chosen, word); err != nil {
			return k, err
		}
	}
	chosen.Keepers, chosen.Lines, chosen.Quorum = k.Keepers, k.Lines, len(k.Keepers)/2+1
	if chosen.Silence {
		chosen.Lines = c.lines
	}
	if i := slices.Index(chosen.Lines, ""); i >= 0 {
		name, _, _ := strings.Cut(k.Keepers[i], "+")
		return k, command.WrongUsage("--clock silence: the key with which keeper %s says what it holds is not known: give a policy file with `# pakli keeper` for each", name)
	}
	return chosen, nil
}

// CheckTimed refuses a clock if nobody would tell a time.
func CheckTimed(ctx context.Context, c *client.Client, k wire.Clock) error {
	if k.IsNone() {
		return nil
	}
	has, err := c.HasCosigners(ctx)
	if err == nil && !has {
		err = command.WrongUsage("a clock runs by the times of cosigners, and the log of this server has none: its operator names some (pakli serve --policy), or you leave the clock out")
	}
	return err
}

// setTime sets a time of a clock from name=seconds.
func setTime(c *wire.Clock, word string) error {
	name, text, _ := strings.Cut(word, "=")
	field := map[string]*int{"tick": &c.Tick, "start": &c.Start, "move": &c.Move, "bank": &c.Bank, "increment": &c.Increment, "grace": &c.Grace}[name]
	seconds, err := strconv.Atoi(text)
	if field == nil || err != nil {
		return command.WrongUsage("--clock: %q is no clock, not silence, and not one of tick, start, move, bank, increment, grace with a number of seconds", word)
	}
	*field = seconds
	return nil
}
