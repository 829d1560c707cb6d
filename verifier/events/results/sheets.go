package results

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier/report"
)

// SeatingsCSV writes the seatings: round, table, seat, number, name.
func (r *Results) SeatingsCSV(w io.Writer) error {
	lines := [][]string{{"round", "table", "seat", "number", "name"}}
	add := func(round, number, seat string, n int) {
		name := ""
		if p := r.h.PlayerByNumber(n); p != nil {
			name = r.names.Show(string(p.Name), p.Key)
		}
		lines = append(lines, []string{round, number, seat, strconv.Itoa(n), csvCell(name)})
	}
	for _, round := range r.Rounds {
		for _, t := range round.Tables {
			for seat, n := range t.Players {
				add(strconv.Itoa(round.Number), strconv.Itoa(t.Number), report.SeatLetter(table.Seat(seat)), n)
			}
		}
		for _, n := range round.Byes {
			add(strconv.Itoa(round.Number), "", "", n)
		}
	}
	return writeCSV(w, lines)
}

// DealsCSV writes each deal's payments and their grounds: round, table, deal (0 for payments of an
// end besides deals), seat, number, points, won, lost, layer.
func (r *Results) DealsCSV(w io.Writer) error {
	lines := [][]string{{"round", "table", "deal", "seat", "number", "points", "won", "lost", "layer"}}
	for _, round := range r.Rounds {
		for _, t := range round.Tables {
			for _, l := range t.Lines {
				lines = append(lines, dealLines(round.Number, t, l)...)
			}
		}
	}
	return writeCSV(w, lines)
}

func dealLines(round int, t Table, l event.Line) (lines [][]string) {
	tally := func(name string, seat int) string {
		if list := l.Tallies[name]; seat < len(list) {
			return strconv.Itoa(list[seat])
		}
		return "0"
	}
	for seat, points := range l.Payments {
		number := ""
		if seat < len(t.Players) {
			number = strconv.Itoa(t.Players[seat])
		}
		lines = append(lines, []string{strconv.Itoa(round), strconv.Itoa(t.Number), strconv.Itoa(l.Deal), report.SeatLetter(table.Seat(seat)), number,
			strconv.Itoa(points), tally("won", seat), tally("lost", seat), string(l.Layer)})
	}
	return lines
}

// Pairs reports whether all tables have two seats, so that TRF can be written.
func (r *Results) Pairs() bool {
	return len(r.Rounds) > 0 && !slices.ContainsFunc(r.Rounds, func(round Round) bool {
		return slices.ContainsFunc(round.Tables, func(t Table) bool { return len(t.Players) != 2 })
	})
}

// TRF writes an event of tables with two seats for pairing programs of chess (FIDE, Tournament Report
// File 2016): a win, draw or loss for each round, without the payments.
func (r *Results) TRF(w io.Writer) error {
	var b strings.Builder
	day := func(s string) string { return strings.ReplaceAll(s, "-", "/") }
	fmt.Fprintf(&b, "012 %s\n022 %s\n042 %s\n052 %s\n062 %d\n", asciiLine(r.Name), asciiLine(string(r.h.Terms.Venue)), day(r.h.Terms.From), day(r.h.Terms.To), len(r.Standings))
	fmt.Fprintf(&b, "XXR %d\n", r.h.Terms.Rounds)
	rows := slices.Clone(r.Standings)
	slices.SortFunc(rows, func(a, b event.Standing) int { return a.Number - b.Number })
	for _, s := range rows {
		games, halves := r.gamesOf(s.Number)
		fmt.Fprintf(&b, "001 %4d %1s%3s %-33.33s %4s %3s %11s %10s %2d.%d %4d%s\n", s.Number, "", "", asciiLine(s.Name), "", "", "", "", halves/2, halves%2*5, s.Rank, games)
	}
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "\n", "\r\n"))
	return err
}

// gamesOf returns a player's rounds in TRF and the half points in them. A table that is not over has
// no result yet.
func (r *Results) gamesOf(n int) (text string, halves int) {
	for i, round := range r.Rounds {
		entry := "  0000 - Z" // the player was away
		if slices.Contains(round.Byes, n) {
			entry, halves = "  0000 - U", halves+2
		}
		for _, t := range round.Tables {
			if at := slices.Index(t.Players, n); at >= 0 && len(t.Players) == 2 {
				result := " "
				if t.State.IsOver() {
					won := r.compareIn(i, n, t.Players[1-at])
					result, halves = "0=1"[won+1:won+2], halves+won+1
				}
				entry = fmt.Sprintf("  %4d %c %s", t.Players[1-at], "wb"[at], result)
			}
		}
		text += entry
	}
	return text, halves
}

// compareIn returns 1, 0 or −1 if player n had more, as much or less than other in a round.
func (r *Results) compareIn(round, n, other int) int {
	of := func(n int) int {
		for _, s := range r.Standings {
			if s.Number == n && round < len(s.Rounds) && s.Rounds[round] != nil {
				return *s.Rounds[round]
			}
		}
		return 0
	}
	switch d := of(n) - of(other); {
	case d > 0:
		return 1
	case d < 0:
		return -1
	}
	return 0
}

// unmarked replaces letters that do not decompose into a letter and a mark.
var unmarked = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O", "ł", "l", "Ł", "L", "đ", "d", "Đ", "D", "ı", "i", "þ", "th", "Þ", "Th", "ð", "d", "Ð", "D")

// asciiLine returns a text in ASCII letters on one line, with a question mark for what has no such
// letter. TRF counts columns, and its readers count them in bytes or in characters.
func asciiLine(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < 0x20 || c == 0x7f || unicode.Is(unicode.Mn, c):
			return -1
		case c > unicode.MaxASCII:
			return '?'
		}
		return c
	}, norm.NFD.String(unmarked.Replace(s)))
}
