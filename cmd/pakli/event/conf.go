package event

import (
	"bufio"
	"cmp"
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
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// eventField reads a value of a line in an event's file.
type eventField func(e *bulletin.Event, value string) error

func textField(at func(*bulletin.Event) *wire.Text) eventField {
	return func(e *bulletin.Event, value string) error {
		*at(e) = wire.Text(value)
		return wire.Text(value).Check()
	}
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
		if err == nil {
			_, err = wire.ParseVerifier(key)
		}
		*at(e) = append(*at(e), key)
		return err
	}
}

// oneOf returns a function that reads one of some words.
func oneOf[T ~string](words ...T) func(string) (T, error) {
	return func(s string) (T, error) {
		if !slices.Contains(words, T(s)) {
			return "", fmt.Errorf("want one of %v, not %q", words, s)
		}
		return T(s), nil
	}
}

func wordField[T ~string](at func(*bulletin.Event) *T, words ...T) eventField {
	return func(e *bulletin.Event, value string) (err error) {
		*at(e), err = oneOf(words...)(value)
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

// eventFields are the possible lines of an event's file, by name.
var eventFields = map[string]eventField{
	"name":  textField(func(e *bulletin.Event) *wire.Text { return &e.Name }),
	"venue": textField(func(e *bulletin.Event) *wire.Text { return &e.Venue }),
	"page":  textField(func(e *bulletin.Event) *wire.Text { return &e.Page }),
	"from":  dateField(func(e *bulletin.Event) *string { return &e.From }),
	"to":    dateField(func(e *bulletin.Event) *string { return &e.To }),
	"regulations": func(e *bulletin.Event, value string) error {
		e.Regulations = value
		_, err := wire.ParseHash(value)
		return err
	},
	"game":    func(e *bulletin.Event, value string) (err error) { e.Game, err = flags.GameName(value); return err },
	"suite":   func(e *bulletin.Event, value string) error { e.Suite = value; return nil },
	"preset":  func(e *bulletin.Event, value string) error { e.Options["preset"] = value; return nil },
	"option":  func(e *bulletin.Event, value string) error { return flags.Options(e.Options).Set(value) },
	"deals":   numberField(1, wire.MaxDeals, func(e *bulletin.Event) *int { return &e.Deals }),
	"rounds":  numberField(1, wire.MaxRound, func(e *bulletin.Event) *int { return &e.Rounds }),
	"sizes":   listField(func(e *bulletin.Event) *[]int { return &e.Sizes }, wholeNumber),
	"seating": listField(func(e *bulletin.Event) *[]bulletin.Seating { return &e.Seating }, oneOf(bulletin.SeatAtRandom, bulletin.SeatByRank, bulletin.SeatByPlan)),
	"window":  numberField(0, bulletin.MaxPlayers, func(e *bulletin.Event) *int { return &e.Window }),
	"apart":   switchField(func(e *bulletin.Event) *bool { return &e.Apart }),
	"draw":    wordField(func(e *bulletin.Event) *string { return &e.Draw }, bulletin.DrawTable, bulletin.DrawCommit),
	"drawers": numberField(1, wire.MaxSeats-1, func(e *bulletin.Event) *int { return &e.Drawers }),
	"places": func(e *bulletin.Event, value string) error {
		e.Score = bulletin.ScorePlaces
		return listField(func(e *bulletin.Event) *[]int { return &e.Places }, wholeNumber)(e, value)
	},
	"bye": func(e *bulletin.Event, value string) error {
		if e.Bye = (bulletin.Bye{Average: value == "average"}); e.Bye.Average {
			return nil
		}
		if err := numberField(-bulletin.MaxPoints, bulletin.MaxPoints, func(e *bulletin.Event) *int { return &e.Bye.Points })(e, value); err != nil {
			return fmt.Errorf("want average, or points as a number, not %q", value)
		}
		return nil
	},
	"ties": listField(func(e *bulletin.Event) *[]bulletin.Tie { return &e.Ties },
		oneOf(bulletin.TieWon, bulletin.TieLost, bulletin.TieLast, bulletin.TieBest, bulletin.TieDirect, bulletin.TieOpponents, bulletin.TieLot, bulletin.TieShared)),
	"substitute": wordField(func(e *bulletin.Event) *string { return &e.Substitute }, bulletin.SubstituteOwn, bulletin.SubstituteSeat),
	"fouls":      wordField(func(e *bulletin.Event) *wire.FoulRule { return &e.Fouls }, wire.WarnFouls, wire.RecordFouls, wire.RefuseFouls),
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

// mistakes are the errors in an event's file, by line.
type mistakes []mistake

type mistake struct {
	line int // 0: no line
	err  error
}

func (m *mistakes) add(line int, format string, args ...any) {
	*m = append(*m, mistake{line, fmt.Errorf(format, args...)})
}

// err returns all mistakes in the order of the lines, each on a line of its own.
func (m mistakes) err() error {
	slices.SortStableFunc(m, func(a, b mistake) int { return a.line - b.line })
	var list []error
	for _, one := range m {
		if one.line > 0 {
			one.err = fmt.Errorf("line %d: %w", one.line, one.err)
		}
		list = append(list, one.err)
	}
	return errors.Join(list...)
}

// readEvent reads an event's file, lines "name = value" and comments after #, and checks it as of
// today. unwritten has keys that are not in files yet, by the names of those files. The error lists
// all mistakes.
func readEvent(from io.Reader, today string, unwritten map[string]string) (*bulletin.Event, error) {
	lines, err := readLines(from)
	if err != nil {
		return nil, err
	}
	e := organiser.UsualTerms()
	var clock flags.Clock
	var wrong mistakes
	fields := maps.Clone(eventFields)
	fields["kind"] = setKind
	fields["clock"] = func(_ *bulletin.Event, value string) error { clock.Terms = value; return nil }
	fields["keeper"] = func(_ *bulletin.Event, value string) error { return clock.AddKeeper(value) }
	given := map[string]int{}
	for _, l := range lines {
		field, often := fields[l.name], slices.Contains([]string{"option", "arbiter", "jury", "keeper"}, l.name)
		switch {
		case l.name == "":
			wrong.add(l.n, "want a name, =, and its value")
			continue
		case field == nil:
			wrong.add(l.n, "no line is called %q: want one of these, =, and its value: %s", l.name, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
			continue
		case given[l.name] > 0 && !often:
			wrong.add(l.n, "%s is there already, in line %d", l.name, given[l.name])
			continue
		}
		given[l.name] = l.n
		if key := unwritten[l.value]; key != "" && slices.Contains([]string{"arbiter", "jury", "door"}, l.name) {
			l.value = key
		}
		if err := field(e, l.value); err != nil {
			wrong.add(l.n, "%s: %w", l.name, err)
		}
	}
	good := wrong == nil
	if e.Clock, err = clock.TableClock(); err != nil && good {
		wrong.add(max(given["clock"], given["keeper"]), "clock: %w", err)
	}
	if err := seatings(e, given["seating"]); err != nil && good {
		wrong.add(given["seating"], "seating: %w", err)
	}
	checkDates(e, given, today, &wrong)
	if good {
		checkNumbers(e, given, clock.IsGiven(), &wrong)
	}
	return e, wrong.err()
}

// checkDates finds impossible dates.
func checkDates(e *bulletin.Event, given map[string]int, today string, wrong *mistakes) {
	for name, date := range map[string]string{"from": e.From, "to": e.To} {
		if _, err := time.Parse(time.DateOnly, date); err == nil && date < today {
			wrong.add(given[name], "%s: %s is past", name, date)
		}
	}
	if e.From != "" && e.To != "" && e.To < e.From {
		wrong.add(given["to"], "to: %s is before %s, when the event begins", e.To, e.From)
	}
}

// checkNumbers finds numbers that do not fit together.
func checkNumbers(e *bulletin.Event, given map[string]int, timed bool, wrong *mistakes) {
	if e.Draw == bulletin.DrawCommit {
		if e.Drawers = 0; given["drawers"] > 0 {
			wrong.add(given["drawers"], "drawers: with draw = commit nobody sits at a draw: leave the line out")
		}
	}
	if e.Protest > 0 && !timed {
		wrong.add(given["protest"], "protest: time to appeal needs lines clock and keeper: without keepers nobody can show that it passed")
	}
	if e.Registration.Late > e.Rounds {
		wrong.add(given["late"], "late: players may come up to round %d, and the event has %d", e.Registration.Late, e.Rounds)
	}
	switch n := len(e.Sizes); {
	case n < 1 || n > 2 || n == 2 && e.Sizes[0] == e.Sizes[1]:
		wrong.add(given["sizes"], "sizes: want one number of seats, or two different ones as 4, 3")
		return
	case e.Registration.Max < slices.Min(e.Sizes):
		wrong.add(given["players"], "players: %d have place, and a table needs %d", e.Registration.Max, slices.Min(e.Sizes))
	}
	for _, size := range e.Sizes {
		if size < wire.MinSeats || size > wire.MaxSeats {
			wrong.add(given["sizes"], "sizes: tables of %d, want %d to %d", size, wire.MinSeats, wire.MaxSeats)
			return
		}
	}
	if n := slices.Max(e.Sizes); len(e.Places) > n {
		wrong.add(given["places"], "places: points for %d places, and a table has %d", len(e.Places), n)
	}
	for _, points := range e.Places {
		if points < -bulletin.MaxPoints || points > bulletin.MaxPoints {
			wrong.add(given["places"], "places: want numbers from %d to %d, not %d", -bulletin.MaxPoints, bulletin.MaxPoints, points)
		}
	}
	if err := withSuites(organiser.CheckSizes(e)); err != nil && given["game"]+given["kind"] > 0 {
		wrong.add(given["sizes"], "%w", err)
	}
}

// seatings completes the list to one seating for each round.
func seatings(e *bulletin.Event, line int) error {
	switch n := len(e.Seating); {
	case e.Rounds < 1 || e.Rounds > wire.MaxRound:
		return fmt.Errorf("the event has %d rounds, must have 1 to %d", e.Rounds, wire.MaxRound)
	case line > 0 && n == 1:
		e.Seating = slices.Repeat(e.Seating, e.Rounds)
	case line > 0 && n != e.Rounds:
		return fmt.Errorf("%d rounds are seated, and the event has %d: say how for each, or one word for all", n, e.Rounds)
	}
	organiser.FillSeating(e)
	return nil
}

// configLine is a line of an event's file.
type configLine struct {
	n           int
	name, value string
}

// readLines reads the lines of an event's file. The line of the kind comes first, since the others
// change it.
func readLines(from io.Reader) (list []configLine, err error) {
	scan := bufio.NewScanner(from)
	for n := 1; scan.Scan(); n++ {
		text := scan.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // which some editors write first
		}
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		l := configLine{n, strings.TrimSpace(name), strings.TrimSpace(value)}
		if !ok {
			l.name = "" // no field has this name
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

// kindNames lists the kinds of events, as clubs hold them.
func kindNames() (names []string) {
	for _, k := range organiser.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// setKind fills in the usual terms of a kind of event.
func setKind(e *bulletin.Event, name string) error {
	for _, k := range organiser.Kinds() {
		if k.Name == name {
			k.FillIn(e)
			return nil
		}
	}
	return fmt.Errorf("want one of %s", strings.Join(kindNames(), ", "))
}

// Announce completes an event and signs it.
func Announce(e *bulletin.Event, signer note.Signer, key string) ([]byte, error) {
	if e.Game == "" {
		return nil, fmt.Errorf("the event has no game: give a line game = %s", flags.GameNames()[0])
	}
	entry, err := organiser.Announce(e, signer, key)
	return entry, withSuites(err)
}

// withSuites adds to an error about sizes of tables the suites with which they could be played.
func withSuites(err error) error {
	if size, is := errors.AsType[*organiser.SizeError](err); is {
		return fmt.Errorf("tables of %d: %w", size.Seats, flags.WithSuites(size.Err, size.Terms, size.Seats))
	}
	return err
}

// describeEvent describes an event, which nobody can change once it is announced.
func describeEvent(e *bulletin.Event) string {
	about := strings.Join(slices.DeleteFunc([]string{string(e.Name), string(e.Venue), e.From, e.To, string(e.Page)}, func(s string) bool { return s == "" }), ", ")
	game := e.Game
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		game += fmt.Sprintf(", %s=%s", name, e.Options[name])
	}
	list := []string{plain.Text(about), "Played: " + game + ", cards by " + e.Suite}
	list = append(list, organiser.DescribeTerms(e, "en")...)
	return strings.Join(append(list, fmt.Sprintf("Arbiters: %s; jury: %s", keyNames(e.Arbiters), keyNames(e.Jury))), "\n")
}

func keyNames(keys []string) string {
	var list []string
	for _, key := range keys {
		name, _, _ := strings.Cut(key, "+")
		list = append(list, name)
	}
	return cmp.Or(strings.Join(list, ", "), "nobody")
}
