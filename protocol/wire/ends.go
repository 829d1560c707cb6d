package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Clock says how the time of the seats of a table/v2 is measured (10.10.2): by the times of
// cosigners, the keepers, which marks bring into the log. A zero Clock with empty lists is none.
// Times are in seconds; 0 is no limit.
type Clock struct {
	Keepers   []string `json:"keepers"`   // verifier keys of cosigners, 66.1
	Lines     []string `json:"lines"`     // verifier keys that sign what the keepers hold; with Silence only
	Quorum    int      `json:"quorum"`    // keepers whose times count together, more than half
	Tick      int      `json:"tick"`      // between two marks
	Start     int      `json:"start"`     // for a card key before the first deal
	Move      int      `json:"move"`      // for one duty
	Bank      int      `json:"bank"`      // for all duties of a seat in a deal
	Increment int      `json:"increment"` // added to Bank for each message
	Grace     int      `json:"grace"`     // after another seat has moved the head
	Silence   bool     `json:"silence"`   // whether keepers must have said that they hold no message
}

// Ends says how a table/v2, or a deal of it, may end otherwise than by the rules of the game.
type Ends struct {
	Late    LateRule `json:"late"`
	Forfeit int      `json:"forfeit"` // points that a seat which leaves pays to each other seat
	Resign  bool     `json:"resign"`
	Agree   bool     `json:"agree"`
	// SelfRuled: nobody rules, neither organiser nor arbiter. Left out if false, as in older
	// entries.
	SelfRuled bool `json:"selfruled,omitempty"`
}

// LateRule says what happens to a deal that a seat leaves.
type LateRule string

const (
	// LateForfeit: the deal is undone, and the seat pays Forfeit to each other seat.
	LateForfeit LateRule = "forfeit"
	// LateUndo: the deal is undone.
	LateUndo LateRule = "undo"
)

// IsNone reports whether there is no clock.
func (c Clock) IsNone() bool { return len(c.Keepers) == 0 }

// checkEnds checks the fields that only a table/v2 has.
func (g *Genesis) checkEnds() error {
	if g.Format == TableFormat {
		rest := Genesis{g.Format, "", 0, 0, g.Game, g.Suite, g.Options, g.Deals, g.Fouls, Clock{}, Ends{}, g.Organiser, nil, g.Seats, nil, g.Nonce}
		if !reflect.DeepEqual(*g, rest) {
			return fmt.Errorf("event, clock, ends, arbiters and names are of a %s", TableFormat2)
		}
		return nil
	}
	if err := g.checkPlace(); err != nil {
		return err
	}
	if err := g.Clock.checkForm(); err != nil {
		return fmt.Errorf("clock: %w", err)
	}
	if err := g.Ends.checkForm(); err != nil {
		return fmt.Errorf("ends: %w", err)
	}
	if g.Names == nil {
		return errors.New("names must be a list")
	}
	if g.Ends.SelfRuled && (len(g.Arbiters) > 0 || g.Event != "") {
		return errors.New("a table that nobody rules has no arbiters and is of no event")
	}
	return CheckVerifiers("arbiters", g.Arbiters, MaxArbiters)
}

// checkNames checks the names of the seats.
func (g *Genesis) checkNames() error {
	for i, name := range g.Names {
		if err := name.CheckLength("the name of seat "+SeatLetter(i), MaxText); err != nil {
			return err
		}
	}
	return nil
}

// checkPlace checks the table's place in an event.
func (g *Genesis) checkPlace() error {
	if g.Event == "" {
		if g.Round != 0 || g.Number != 0 {
			return errors.New("without an event, round and number must be 0")
		}
		return nil
	}
	if g.Round < 0 || g.Round > MaxRound || g.Number < 0 || g.Number > MaxTableNumber {
		return fmt.Errorf("round %d, table %d: must be 0 to %d, and 0 to %d", g.Round, g.Number, MaxRound, MaxTableNumber)
	}
	_, err := ParseHash(g.Event)
	return err
}

func (e Ends) checkForm() error {
	switch {
	case e.Late != LateForfeit && e.Late != LateUndo:
		return fmt.Errorf("late: %.20q, must be %q or %q", e.Late, LateForfeit, LateUndo)
	case e.Late == LateUndo && e.Forfeit != 0:
		return fmt.Errorf("a forfeit of %d, must be 0 where a deal is undone without", e.Forfeit)
	case e.Late == LateForfeit && (e.Forfeit < 1 || e.Forfeit > MaxForfeit):
		return fmt.Errorf("a forfeit of %d, must be 1 to %d", e.Forfeit, MaxForfeit)
	case e.SelfRuled && !e.Agree:
		return errors.New("a table that nobody rules is ended by agreement alone, so agree must be true")
	}
	return nil
}

func (c Clock) checkForm() error {
	if err := checkDistinct("keepers", c.Keepers, MaxKeepers, checkKeeper); err != nil {
		return err
	}
	if err := CheckVerifiers("lines", c.Lines, MaxKeepers); err != nil {
		return err
	}
	if c.IsNone() {
		if !reflect.DeepEqual(c, Clock{Keepers: []string{}, Lines: []string{}}) {
			return errors.New("without keepers all of it must be empty, 0 and false")
		}
		return nil
	}
	return c.checkTimes()
}

func (c Clock) checkTimes() error {
	lines := 0
	if c.Silence {
		lines = len(c.Keepers)
	}
	times := []int{c.Start, c.Move, c.Bank, c.Increment, c.Grace}
	switch {
	case len(c.Lines) != lines:
		return fmt.Errorf("%d keys for lines, must be %d", len(c.Lines), lines)
	case 2*c.Quorum <= len(c.Keepers) || c.Quorum > len(c.Keepers):
		return fmt.Errorf("a quorum of %d of %d keepers, must be more than half", c.Quorum, len(c.Keepers))
	case c.Tick < 1 || c.Tick > MaxTick:
		return fmt.Errorf("a tick of %d seconds, must be 1 to %d", c.Tick, MaxTick)
	case slices.Min(times) < 0 || slices.Max(times) > MaxSeconds:
		return fmt.Errorf("times must be 0 to %d seconds", MaxSeconds)
	case c.Bank == 0 && c.Increment != 0:
		return errors.New("an increment, and no bank")
	case c.Start == 0 && c.Move == 0 && c.Bank == 0:
		return errors.New("keepers, and no limit")
	}
	return nil
}

// CheckVerifiers checks a list of verifier keys of seats, organisers or others who sign entries.
// All must differ.
func CheckVerifiers(what string, list []string, most int) error {
	return checkDistinct(what, list, most, func(vkey string) error { _, err := ParseVerifier(vkey); return err })
}

// checkDistinct checks each of a list of verifier keys, and that no key occurs twice.
func checkDistinct(what string, list []string, most int, check func(vkey string) error) error {
	if list == nil || len(list) > most {
		return fmt.Errorf("%s must be a list of at most %d", what, most)
	}
	seen := map[string]bool{}
	for i, vkey := range list {
		if err := check(vkey); err != nil {
			return fmt.Errorf("%s, number %d: %w", what, i+1, err)
		}
		if seen[KeyMaterial(vkey)] {
			return fmt.Errorf("%s, number %d: the key is there before", what, i+1)
		}
		seen[KeyMaterial(vkey)] = true
	}
	return nil
}

// keeperAlgorithm is the algorithm of a cosigner's Ed25519 key (66.1).
const keeperAlgorithm = 0x04

// checkKeeper checks the verifier key of an Ed25519 cosigner. It allows more names than a seat may
// have, since C2SP's cosigners are named like addresses.
func checkKeeper(vkey string) error {
	name, rest, _ := strings.Cut(vkey, "+")
	id, key, _ := strings.Cut(rest, "+")
	if name == "" || len(name) > MaxOption || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fmt.Errorf("the name of the keeper's key %.100q must have 1 to %d printable characters without space", vkey, MaxOption)
	}
	raw, err := ParseBinary(key, 1+32)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	if raw[0] != keeperAlgorithm || id != hex.EncodeToString(sum[:4]) {
		return fmt.Errorf("keeper's key %.100q: must be of algorithm 0x%02x, with its own hash", vkey, keeperAlgorithm)
	}
	return checkPoint(vkey)
}
