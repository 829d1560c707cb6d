package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
)

// MaxBytes bounds the length of a record.
const MaxBytes = 16 << 20

type numberedLine struct {
	at   int
	text string
}

// Score replays a record by the rules, and compares it with the record of the replay. An error says why
// the text is no record.
func Score(text []byte) (*Report, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("a record has at most %d bytes", MaxBytes)
	}
	var head []numberedLine
	var deals [][]numberedLine
	for i, l := range strings.Split(string(text), "\n") {
		l := numberedLine{i + 1, strings.Join(strings.Fields(l), " ")}
		switch {
		case l.text == "" || l.text[0] == ';':
		case strings.HasPrefix(l.text, "deal ") || strings.HasPrefix(l.text, "result "):
			deals = append(deals, []numberedLine{l})
		case len(deals) == 0:
			head = append(head, l)
		default:
			deals[len(deals)-1] = append(deals[len(deals)-1], l)
		}
	}
	id, names, config, err := header(head)
	if err != nil {
		return nil, err
	}
	state, _, err := rules.Setup(config)
	if err != nil {
		return nil, err
	}
	r := &replay{state: state, recorder: NewRecorder(id, names, config), report: &Report{Seats: names, Findings: []Finding{}}}
	for _, block := range deals {
		if err := r.playDeal(block); err != nil {
			break
		}
	}
	r.compareRecords(deals)
	return r.report, nil
}

// header reads the lines before the first deal.
func header(lines []numberedLine) (id string, names []string, c table.Config, err error) {
	c.Options = map[string]string{}
	if len(lines) == 0 || lines[0].text != format {
		return "", nil, c, fmt.Errorf("a record begins with the line %q", format)
	}
	for _, l := range lines[1:] {
		key, value, _ := strings.Cut(l.text, " ")
		switch key {
		case "table":
			id = value
		case "deals":
			if c.Deals, err = strconv.Atoi(value); err != nil {
				return "", nil, c, fmt.Errorf("line %d: %q is no number of deals", l.at, value)
			}
		case "option":
			name, v, _ := strings.Cut(value, "=")
			c.Options[name] = v
		case "seat":
			letter, name, _ := strings.Cut(value, " ")
			if want := table.Seat(len(names)).Letter(); letter != want {
				return "", nil, c, fmt.Errorf("line %d: seat %s stands where seat %s is due", l.at, letter, want)
			}
			names = append(names, name)
		default:
			return "", nil, c, fmt.Errorf("line %d: %q is not of a record: before the first deal stand table, deals, option and seat", l.at, key)
		}
	}
	c.Seats = len(names)
	return id, names, c, nil
}

// replay is a record being replayed.
type replay struct {
	state    fivecarddraw.State
	recorder *Recorder
	report   *Report
	faces    map[table.Card]card.Face // of open cards
	lines    []numberedLine
	said     []numberedLine // moves of the deal that are still to be made
}

func (r *replay) addFinding(at int, format string, args ...any) error {
	r.report.Findings = append(r.report.Findings, Finding{at, fmt.Sprintf(format, args...)})
	return errors.New("the record cannot be followed further")
}

// playDeal makes the moves of one deal.
func (r *replay) playDeal(lines []numberedLine) error {
	r.lines, r.said, r.faces = lines, nil, map[table.Card]card.Face{}
	for _, l := range lines[1:] {
		if letter, _, _ := strings.Cut(l.text, " "); len(letter) == 1 {
			r.said = append(r.said, l)
		}
	}
	for number := r.state.Deal.Number; r.state.Deal.Number == number; {
		duties := rules.Duties(r.state)
		switch {
		case len(duties) == 0:
			if len(r.said) > 0 {
				return r.addFinding(r.said[0].at, "the table is over")
			}
			return nil
		case duties[0].Kind != table.Move:
			r.state = rules.Settle(r.state, nil)
			continue
		}
		if err := r.playMove(duties[0].Seats[0]); err != nil {
			return err
		}
	}
	if len(r.said) > 0 {
		return r.addFinding(r.said[0].at, "the deal is over")
	}
	return nil
}

// playMove makes the next move of the record, or a pick, which records leave out.
func (r *replay) playMove(seat table.Seat) (err error) {
	var m fivecarddraw.Move
	at := r.lines[0].at
	if r.state.Stage == fivecarddraw.Picking {
		m = r.anyPick()
	} else {
		if len(r.said) == 0 {
			r.report.Stops = fmt.Sprintf("the record stops short: seat %s is to speak in deal %d", seat.Letter(), r.state.Deal.Number)
			return errors.New(r.report.Stops)
		}
		l := r.said[0]
		at, r.said = l.at, r.said[1:]
		letter, words, _ := strings.Cut(l.text, " ")
		if letter != seat.Letter() {
			return r.addFinding(at, "seat %s speaks, and seat %s is due", letter, seat.Letter())
		}
		if m, err = r.readMove(seat, words); err != nil {
			return r.addFinding(at, "%v", err)
		}
	}
	next, terms, err := rules.Apply(r.state, table.Input[fivecarddraw.Move]{Seat: seat, Move: m, Faces: r.faces})
	if err != nil {
		return r.addFinding(at, "%v", err)
	}
	for _, c := range terms.Open {
		r.faces[c.Card] = c.Face
	}
	r.recorder.Move(r.state, seat, m, next)
	r.state = next
	return nil
}

// anyPick picks the first free places. Which places they are makes no difference, since nobody can read
// them.
func (r *replay) anyPick() fivecarddraw.Move {
	return rules.Moves(r.state, table.View{Seat: rules.Duties(r.state)[0].Seats[0]})[0]
}

func (r *replay) readMove(seat table.Seat, words string) (m fivecarddraw.Move, err error) {
	verb, rest, _ := strings.Cut(words, " ")
	switch verb {
	case "fold":
		m.Fold = true
	case "check":
		m.Check = true
	case "call":
		m.Call = true
	case "mucks":
		m.Muck = true
	case "to", "draws":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 || n > 1<<31-1 {
			return m, fmt.Errorf("%q is no number", rest)
		}
		if m.To = n; verb == "draws" {
			away := r.discardedCards(seat, n)
			m = fivecarddraw.Move{Discard: &away}
		}
	case "shows", "opens":
		faces, err := parseCards(rest)
		if err != nil {
			return m, err
		}
		if verb == "shows" {
			m.Show = r.shownHand(seat, faces)
		} else {
			list := r.openerCards(seat, faces)
			m.Openers = &list
		}
	default:
		return m, fmt.Errorf("%q is no move of a record", verb)
	}
	return m, nil
}

// parseCards reads cards and skips "?".
func parseCards(words string) (faces []fivecarddraw.Face, err error) {
	for name := range strings.FieldsSeq(words) {
		if name == "?" {
			continue
		}
		f, err := fivecarddraw.ParseFace(name)
		if err != nil {
			return nil, err
		}
		faces = append(faces, f)
	}
	return faces, nil
}

// wordsAfter returns what a line of the deal says after some words.
func (r *replay) wordsAfter(words string) []string {
	for _, l := range r.lines {
		if rest, is := strings.CutPrefix(l.text, words+" "); is {
			return strings.Fields(rest)
		}
	}
	return nil
}

// knownCards returns the cards dealt to a seat that the record tells, by their places.
func (r *replay) knownCards(seat table.Seat) map[table.Card]fivecarddraw.Face {
	known, names := map[table.Card]fivecarddraw.Face{}, r.wordsAfter("hand "+seat.Letter())
	for i, c := range r.state.Deal.Dealt[seat] {
		if i < len(names) && names[i] != "?" {
			if f, err := fivecarddraw.ParseFace(names[i]); err == nil {
				known[c] = f
			}
		}
	}
	return known
}

// discardedCards returns the n cards that a seat put away: cards that it does not show later, most of
// which the record does not tell.
func (r *replay) discardedCards(seat table.Seat, n int) []table.Card {
	known, shows := r.knownCards(seat), r.wordsAfter(seat.Letter()+" shows")
	keeps := func(c table.Card) int {
		f, told := known[c]
		switch {
		case told && slices.Contains(shows, f.String()):
			return 2
		case told:
			return 1
		}
		return 0
	}
	cards := slices.Clone(r.state.Deal.Hands[seat])
	slices.SortStableFunc(cards, func(a, b table.Card) int { return keeps(a) - keeps(b) })
	cards = cards[:min(n, len(cards))]
	slices.Sort(cards)
	return cards
}

// shownHand assigns the faces of a hand to its places: known dealt cards to their places, the others in
// order.
func (r *replay) shownHand(seat table.Seat, faces []fivecarddraw.Face) (list []fivecarddraw.ShownCard) {
	known, rest := r.knownCards(seat), slices.Clone(faces)
	for c, f := range known {
		if slices.Contains(r.state.Deal.Hands[seat], c) {
			rest = slices.DeleteFunc(rest, func(x fivecarddraw.Face) bool { return x == f })
		}
	}
	for _, c := range r.state.Deal.Hands[seat] {
		if f, told := known[c]; told {
			list = append(list, fivecarddraw.ShownCard{Card: c, Face: f})
		} else if len(rest) > 0 {
			list = append(list, fivecarddraw.ShownCard{Card: c, Face: rest[0]})
			rest = rest[1:]
		}
	}
	return list
}

// openerCards returns the openers at the places where they were dealt.
func (r *replay) openerCards(seat table.Seat, faces []fivecarddraw.Face) []fivecarddraw.ShownCard {
	list, known := []fivecarddraw.ShownCard{}, r.knownCards(seat)
	for _, c := range r.state.Deal.Dealt[seat] {
		if f, told := known[c]; told && slices.Contains(faces, f) {
			list = append(list, fivecarddraw.ShownCard{Card: c, Face: f})
		}
	}
	return list
}

// compareRecords finds the first line of each deal that differs from the record of the replay.
func (r *replay) compareRecords(deals [][]numberedLine) {
	r.recorder.End(r.state)
	r.report.Deals = r.recorder.Deals()
	if r.state.Stage == fivecarddraw.Over {
		r.report.Result = rules.Result(r.state)
	} else if r.report.Stops == "" && len(r.report.Findings) == 0 {
		r.report.Stops = fmt.Sprintf("the record stops short: deal %d of %d is to come", r.state.Deal.Number, r.state.Deals)
	}
	blocks := r.recorder.past
	if r.recorder.end != nil {
		blocks = append(slices.Clone(blocks), r.recorder.end)
	}
	for i, want := range blocks {
		if i >= len(deals) {
			return
		}
		for j, l := range deals[i] {
			if j >= len(want) {
				r.addFinding(l.at, "the rules make no such line: %s", l.text)
				break
			}
			if l.text != want[j] {
				r.addFinding(l.at, "the record says %q, the rules make it %q", l.text, want[j])
				break
			}
		}
		if len(deals[i]) < len(want) {
			r.addFinding(deals[i][len(deals[i])-1].at, "a line is missing: %q", want[len(deals[i])])
		}
	}
}
