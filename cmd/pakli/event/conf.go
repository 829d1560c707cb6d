package event

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// UsualEvent is what an event is where its file says nothing.
func UsualEvent() *bulletin.Event {
	return &bulletin.Event{
		Format: bulletin.EventFormat, Suite: suite.Default, Options: map[string]string{}, Deals: 8, Rounds: 3, Sizes: []int{4}, Window: 4,
		Draw: bulletin.DrawTable, Drawers: 3, Score: bulletin.ScoreSum, Places: []int{}, Bye: bulletin.Bye{Average: true}, Ties: []bulletin.Tie{bulletin.TieDirect, bulletin.TieLast, bulletin.TieShared},
		Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo, Resign: true, Agree: true}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: 1000}, Arbiters: []string{}, Jury: []string{},
	}
}

// eventField reads what a line of an event's file says.
type eventField func(e *bulletin.Event, value string) error

func textField(at func(*bulletin.Event) *wire.Text) eventField {
	return func(e *bulletin.Event, value string) error {
		*at(e) = wire.Text(value)
		return wire.Text(value).Check()
	}
}

func stringField(at func(*bulletin.Event) *string) eventField {
	return func(e *bulletin.Event, value string) error { *at(e) = value; return nil }
}

func numberField(least, most int, at func(*bulletin.Event) *int) eventField {
	return func(e *bulletin.Event, value string) (err error) {
		if *at(e), err = strconv.Atoi(value); err != nil || *at(e) < least || *at(e) > most {
			return fmt.Errorf("want a number from %d to %d, not %q", least, most, value)
		}
		return nil
	}
}

func wholeNumber(s string) (n int, err error) {
	if n, err = strconv.Atoi(s); err != nil {
		err = fmt.Errorf("want a whole number, not %q", s)
	}
	return n, err
}

func dateField(at func(*bulletin.Event) *string) eventField {
	return func(e *bulletin.Event, value string) error {
		*at(e) = value
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fmt.Errorf("want a date as 2031-05-03, not %q", value)
		}
		return nil
	}
}

func switchField(at func(*bulletin.Event) *bool) eventField {
	return func(e *bulletin.Event, value string) error {
		*at(e) = value == "yes"
		if value != "yes" && value != "no" {
			return fmt.Errorf("want yes or no")
		}
		return nil
	}
}

func keyField(at func(*bulletin.Event) *[]string) eventField {
	return func(e *bulletin.Event, value string) error {
		key, err := flags.SeatKey(value)
		*at(e) = append(*at(e), key)
		return err
	}
}

func listField[T any](at func(*bulletin.Event) *[]T, read func(string) (T, error)) eventField {
	return func(e *bulletin.Event, value string) error {
		*at(e) = []T{}
		for _, word := range strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == ',' }) {
			one, err := read(word)
			if err != nil {
				return err
			}
			*at(e) = append(*at(e), one)
		}
		return nil
	}
}

// eventFields are the lines that an event's file may have, by their names.
var eventFields = map[string]eventField{
	"name":        textField(func(e *bulletin.Event) *wire.Text { return &e.Name }),
	"venue":       textField(func(e *bulletin.Event) *wire.Text { return &e.Venue }),
	"page":        textField(func(e *bulletin.Event) *wire.Text { return &e.Page }),
	"from":        dateField(func(e *bulletin.Event) *string { return &e.From }),
	"to":          dateField(func(e *bulletin.Event) *string { return &e.To }),
	"regulations": stringField(func(e *bulletin.Event) *string { return &e.Regulations }),
	"game":        func(e *bulletin.Event, value string) (err error) { e.Game, err = flags.GameName(value); return err },
	"suite":       stringField(func(e *bulletin.Event) *string { return &e.Suite }),
	"preset":      func(e *bulletin.Event, value string) error { e.Options["preset"] = value; return nil },
	"option":      func(e *bulletin.Event, value string) error { return flags.Options(e.Options).Set(value) },
	"deals":       numberField(1, wire.MaxDeals, func(e *bulletin.Event) *int { return &e.Deals }),
	"rounds":      numberField(1, wire.MaxRound, func(e *bulletin.Event) *int { return &e.Rounds }),
	"sizes":       listField(func(e *bulletin.Event) *[]int { return &e.Sizes }, wholeNumber),
	"seating":     listField(func(e *bulletin.Event) *[]bulletin.Seating { return &e.Seating }, func(s string) (bulletin.Seating, error) { return bulletin.Seating(s), nil }),
	"window":      numberField(0, bulletin.MaxPlayers, func(e *bulletin.Event) *int { return &e.Window }),
	"draw": func(e *bulletin.Event, value string) error {
		if e.Draw = value; value == bulletin.DrawCommit {
			e.Drawers = 0
		}
		return nil
	},
	"drawers": numberField(0, wire.MaxSeats-1, func(e *bulletin.Event) *int { return &e.Drawers }),
	"places": func(e *bulletin.Event, value string) error {
		e.Score = bulletin.ScorePlaces
		return listField(func(e *bulletin.Event) *[]int { return &e.Places }, wholeNumber)(e, value)
	},
	"bye": func(e *bulletin.Event, value string) error {
		return e.Bye.UnmarshalJSON([]byte(strings.Replace(value, "average", `"average"`, 1)))
	},
	"ties":       listField(func(e *bulletin.Event) *[]bulletin.Tie { return &e.Ties }, func(s string) (bulletin.Tie, error) { return bulletin.Tie(s), nil }),
	"substitute": stringField(func(e *bulletin.Event) *string { return &e.Substitute }),
	"fouls":      func(e *bulletin.Event, value string) error { e.Fouls = wire.FoulRule(value); return nil },
	"forfeit": func(e *bulletin.Event, value string) error {
		e.Ends.Late = wire.LateForfeit
		return numberField(0, wire.MaxNumber, func(e *bulletin.Event) *int { return &e.Ends.Forfeit })(e, value)
	},
	"resign":  switchField(func(e *bulletin.Event) *bool { return &e.Ends.Resign }),
	"agree":   switchField(func(e *bulletin.Event) *bool { return &e.Ends.Agree }),
	"players": numberField(1, bulletin.MaxPlayers, func(e *bulletin.Event) *int { return &e.Registration.Max }),
	"late":    numberField(0, wire.MaxRound, func(e *bulletin.Event) *int { return &e.Registration.Late }),
	"door": func(e *bulletin.Event, value string) (err error) {
		e.Registration.Door, err = flags.SeatKey(value)
		return err
	},
	"protest": numberField(0, wire.MaxNumber, func(e *bulletin.Event) *int { return &e.Protest }),
	"arbiter": keyField(func(e *bulletin.Event) *[]string { return &e.Arbiters }),
	"jury":    keyField(func(e *bulletin.Event) *[]string { return &e.Jury }),
}

// readEvent reads an event's file: lines "name = value", and comments after #.
func readEvent(from io.Reader) (*bulletin.Event, error) {
	lines, err := readLines(from)
	if err != nil {
		return nil, err
	}
	e := UsualEvent()
	var clock flags.Clock
	fields := maps.Clone(eventFields)
	fields["kind"] = setKind
	fields["clock"] = func(_ *bulletin.Event, value string) error { clock.Terms = value; return nil }
	fields["keeper"] = func(_ *bulletin.Event, value string) error { return clock.AddKeeper(value) }
	given := map[string]int{}
	for _, l := range lines {
		field, often := fields[l.name], slices.Contains([]string{"option", "arbiter", "jury", "keeper"}, l.name)
		switch {
		case l.name == "":
			return nil, fmt.Errorf("line %d: want a name, =, and its value", l.n)
		case field == nil:
			return nil, fmt.Errorf("line %d: no line is called %q: want one of these, =, and its value: %s", l.n, l.name, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		case given[l.name] > 0 && !often:
			return nil, fmt.Errorf("line %d: %s is there already, in line %d", l.n, l.name, given[l.name])
		}
		given[l.name] = l.n
		if err := field(e, l.value); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", l.n, l.name, err)
		}
	}
	if e.Clock, err = clock.TableClock(); err != nil {
		return nil, err
	}
	if e.Protest > 0 && !clock.IsGiven() {
		return nil, errors.New("protest: time to appeal needs lines clock and keeper: without keepers nobody can show that it passed")
	}
	return e, seatings(e, given["seating"])
}

// seatings are one for each round: of what a kind of event brings as many as there are rounds, with
// its last one last; at random, if nothing is said.
func seatings(e *bulletin.Event, line int) error {
	switch n := len(e.Seating); {
	case e.Rounds < 1 || e.Rounds > wire.MaxRound:
		return fmt.Errorf("rounds: %d, must be 1 to %d", e.Rounds, wire.MaxRound)
	case line > 0 && n == 1:
		e.Seating = slices.Repeat(e.Seating, e.Rounds)
	case line > 0 && n != e.Rounds:
		return fmt.Errorf("line %d: seating: %d rounds are seated, and the event has %d: say how for each, or one word for all", line, n, e.Rounds)
	case n == 0 || n < e.Rounds:
		fill := slices.Repeat([]bulletin.Seating{bulletin.SeatAtRandom}, e.Rounds-n)
		e.Seating = append(fill, e.Seating...)
	case n > e.Rounds:
		e.Seating = e.Seating[n-e.Rounds:]
	}
	return nil
}

// configLine is one of an event's file.
type configLine struct {
	n           int
	name, value string
}

// readLines reads the lines of an event's file. The kind of the event comes first: the others
// change it.
func readLines(from io.Reader) (list []configLine, err error) {
	scan := bufio.NewScanner(from)
	for n := 1; scan.Scan(); n++ {
		text := strings.TrimSpace(scan.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		l := configLine{n, strings.TrimSpace(name), strings.TrimSpace(value)}
		if !ok {
			l.name = "" // which is no field
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b configLine) int { return lineRank(a) - lineRank(b) })
	return list, scan.Err()
}

func lineRank(l configLine) int {
	if l.name == "kind" {
		return 0
	}
	return 1
}

// kindNames are those of events as clubs hold them.
func kindNames() (names []string) {
	for _, g := range games.Catalogue() {
		for _, e := range g.Scene.Terms().Events {
			names = append(names, e.Name)
		}
	}
	return names
}

// setKind fills in what is usual for an event of a kind.
func setKind(e *bulletin.Event, name string) error {
	for _, g := range games.Catalogue() {
		for _, k := range g.Scene.Terms().Events {
			if k.Name == name {
				maps.Copy(e.Options, k.Options)
				e.Game, e.Deals, e.Rounds, e.Sizes = g.Name(), k.Deals, k.Rounds, slices.Clone(k.Sizes)
				return errors.Join(eventFields["seating"](e, strings.Join(k.Seating, " ")), eventFields["ties"](e, strings.Join(k.Ties, " ")))
			}
		}
	}
	return fmt.Errorf("want one of %s", strings.Join(kindNames(), ", "))
}

// Announce completes an event and signs it.
func Announce(e *bulletin.Event, organiser note.Signer, key string) ([]byte, error) {
	e.Organiser, e.Nonce = key, make([]byte, wire.NonceBytes)
	if _, err := rand.Read(e.Nonce); err != nil {
		return nil, err
	}
	if e.Game == "" {
		return nil, fmt.Errorf("the event has no game: give a line game = %s", flags.GameNames()[0])
	}
	terms := wire.Genesis{Format: wire.TableFormat2, Game: e.Game, Suite: e.Suite, Options: e.Options, Deals: e.Deals, Fouls: e.Fouls, Clock: e.Clock, Ends: e.Ends}
	for _, seats := range e.Sizes {
		if err := table.CheckPlayable(&terms, seats, flags.Catalogue()); err != nil {
			return nil, fmt.Errorf("tables of %d: %w", seats, flags.WithSuites(err, terms, seats))
		}
	}
	if e.Draw == bulletin.DrawCommit {
		secret, err := drawSecret(e, organiser)
		if err != nil {
			return nil, err
		}
		e.Commit = hex.EncodeToString(event.HashSecret(secret, e.Rounds))
	}
	return bulletin.Sign(e, organiser)
}

// drawSecret is the organiser's secret of an event, that of its last round.
func drawSecret(e *bulletin.Event, organiser note.Signer) ([]byte, error) {
	return secretOf(organiser, append([]byte("pakli-draw-secret/v1\n"), e.Nonce...))
}

// secretOf is a secret for a purpose, which nobody else can compute and which needs no file: a
// hash of a signature, which of Ed25519 is always the same.
func secretOf(signer note.Signer, purpose []byte) ([]byte, error) {
	signature, err := signer.Sign(purpose)
	sum := sha256.Sum256(signature)
	return sum[:], err
}
