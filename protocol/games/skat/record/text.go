package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/skat"
)

// Text is the game in the form that people read and write; it ends with an empty line. [ParseText]
// reads it as the same deal.
func (d *Deal) Text() string {
	var b strings.Builder
	for i, t := range d.textKeys() {
		if *t.value != "" || i == 0 {
			b.WriteString(strings.TrimSpace(t.label+": "+*t.value) + "\n")
		}
	}
	for p := range players {
		b.WriteString(letters[p:p+1] + ": " + faceNames(d.Cards[p*handSize:(p+1)*handSize]) + "\n")
	}
	b.WriteString("skat: " + faceNames(d.Cards[players*handSize:]) + "\n")
	before := ""
	for _, m := range d.Moves {
		b.WriteString(m.moveSeparator(&before) + m.phrase())
	}
	if d.Recorded != nil {
		b.WriteString("\nresult: " + d.Recorded.inWords())
	}
	return strings.ReplaceAll(b.String(), "\n\n", "\n") + "\n\n"
}

const letters = "FMR"

// textKeys are the lines with free text; the first one begins a game.
func (d *Deal) textKeys() []struct {
	label string
	value *string
} {
	return []struct {
		label string
		value *string
	}{
		{"deal", &d.ID}, {"table", &d.Series}, {"place", &d.Place}, {"date", &d.Date}, {"comment", &d.Comment}, {"view", &d.View},
		{"forehand", &d.Players[0]}, {"middlehand", &d.Players[1]}, {"rearhand", &d.Players[2]},
		{"rating F", &d.Ratings[0]}, {"rating M", &d.Ratings[1]}, {"rating R", &d.Ratings[2]},
	}
}

// moveSeparator stands between a move and the one before: all calls are on one line, and cards three to
// a line.
func (m Move) moveSeparator(before *string) string {
	kind := map[Verb]string{Bid: "call", Yes: "call", Pass: "call", Play: "play"}[m.Verb]
	was := *before
	*before = kind
	if kind == "play" && strings.HasPrefix(was, "play") && len(was) < len("play")+2 {
		*before = was + "+"
		return ", "
	}
	if kind == "call" && was == "call" {
		return ", "
	}
	return "\n"
}

func (m Move) phrase() string {
	if m.Who == World {
		who := letters[m.Number : m.Number+1]
		switch m.Verb {
		case Timeout:
			return "out of time " + who
		case Leave:
			return "gone " + who
		}
		return "seen " + faceNames(m.Cards)
	}
	words := map[Verb]string{Bid: strconv.Itoa(m.Number), Yes: "yes", Pass: "pass", Take: "takes", Concede: "concedes", Show: "shows", Discard: "lays", Announce: "announces"}[m.Verb]
	if m.Verb == Announce {
		words += " " + m.gameWords()
	}
	if m.Verb == Announce && m.Game == skat.Null && m.Ouvert && m.Level > 0 {
		words += " " + levelNames[m.Level]
	}
	if len(m.Cards) > 0 && m.Verb == Announce {
		words += " and lays"
	}
	return strings.Join(strings.Fields(letters[m.Who:m.Who+1]+" "+words+" "+faceNames(m.Cards)), " ")
}

// inWords is a result as the text writes it.
func (r *Result) inWords() string {
	if r.Passed {
		return "passed in"
	}
	who := "nobody"
	if r.Declarer >= 0 {
		who = letters[r.Declarer : r.Declarer+1]
	}
	words := []string{who + " " + r.Outcome}
	for _, n := range r.numbers() {
		if *n.value != Unsaid {
			words = append(words, fmt.Sprintf("%s %d", n.word, *n.value))
		}
	}
	for _, f := range r.flags() {
		if *f.value {
			words = append(words, f.word)
		}
	}
	for p, n := range r.Penalties {
		if n != 0 {
			words = append(words, fmt.Sprintf("penalty %s %d", letters[p:p+1], n))
		}
	}
	if r.Left >= 0 {
		words = append(words, "gone "+letters[r.Left:r.Left+1])
	}
	if r.TimedOut >= 0 {
		words = append(words, "out of time "+letters[r.TimedOut:r.TimedOut+1])
	}
	return strings.Join(words, ", ")
}

func (r *Result) numbers() []struct {
	word  string
	value *int
} {
	return []struct {
		word  string
		value *int
	}{{"value", &r.Value}, {"matadors", &r.Matadors}, {"points", &r.Points}, {"tricks", &r.Tricks}}
}

func (r *Result) flags() []struct {
	word  string
	value *bool
} {
	return []struct {
		word  string
		value *bool
	}{{"overbid", &r.Overbid}, {"schneider", &r.Schneider}, {"schwarz", &r.Schwarz}, {"conceded", &r.Conceded}}
}

// ParseText reads one game in text form.
func ParseText(text string) (*Deal, error) {
	if len(text) > MaxLine {
		return nil, fmt.Errorf("a game has at most %d bytes", MaxLine)
	}
	if err := checkCharacters(text); err != nil {
		return nil, err
	}
	d, seen := &Deal{}, map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, keyed := strings.Cut(line, ":")
		if !keyed {
			if err := d.phrases(line); err != nil {
				return nil, err
			}
			continue
		}
		if seen[key] {
			return nil, fmt.Errorf("%.20q is there twice", key)
		}
		seen[key] = true
		if err := d.readLine(key, strings.TrimSpace(value)); err != nil {
			return nil, fmt.Errorf("%.20s: %w", key, err)
		}
	}
	if err := checkPack(d.Cards); err != nil {
		return nil, err
	}
	if len(d.Moves) > maxMoves {
		return nil, fmt.Errorf("more than %d moves", maxMoves)
	}
	return d, nil
}

// readLine takes in a line "key: value".
func (d *Deal) readLine(key, value string) (err error) {
	for _, t := range d.textKeys() {
		if t.label == key {
			*t.value = value
			if strings.Contains(value, "]") {
				return errors.New("no ], which the server's form could not write")
			}
			return checkText(key, value)
		}
	}
	if key == "result" {
		d.Recorded, err = resultInWords(value)
		return err
	}
	at := slices.Index([]string{"F", "M", "R", "skat"}, key) * handSize
	if at < 0 {
		return errors.New("nobody knows this line")
	}
	cards, err := faceList(strings.Fields(value))
	switch want := min(handSize, skat.DeckSize-at); {
	case err != nil:
		return err
	case len(d.Cards) != at:
		return errors.New("the cards are told of F, M, R and the skat, in this order")
	case len(cards) != want:
		return fmt.Errorf("%d cards, not %d", want, len(cards))
	}
	d.Cards = append(d.Cards, cards...)
	return nil
}

func faceList(words []string) ([]skat.Face, error) {
	var list []skat.Face
	for _, w := range words {
		f, err := skat.ParseFace(w)
		if w == "??" {
			f, err = Unknown, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// phrases reads moves separated by commas.
func (d *Deal) phrases(line string) error {
	for phrase := range strings.SplitSeq(line, ",") {
		m, err := parsePhrase(strings.Fields(phrase))
		if err != nil {
			return fmt.Errorf("move %d, %.40q: %w", len(d.Moves)+1, strings.TrimSpace(phrase), err)
		}
		d.addMove(m)
	}
	return nil
}

var errPhrase = errors.New("nobody knows this move")

func parsePhrase(words []string) (m Move, err error) {
	if len(words) < 2 {
		return m, errPhrase
	}
	if verb, is := map[string]Verb{"out": Timeout, "gone": Leave, "seen": Skat}[words[0]]; is {
		return worldPhrase(verb, words[1:])
	}
	m.Who = strings.Index(letters, words[0])
	if len(words[0]) != 1 || m.Who < 0 {
		return m, errors.New("a move begins with F, M or R")
	}
	rest := words[2:]
	switch words[1] {
	case "yes", "pass", "takes", "concedes":
		m.Verb = map[string]Verb{"yes": Yes, "pass": Pass, "takes": Take, "concedes": Concede}[words[1]]
		if len(rest) > 0 {
			return m, errPhrase
		}
		return m, nil
	case "shows", "lays":
		m.Verb = map[string]Verb{"shows": Show, "lays": Discard}[words[1]]
		m.Cards, err = faceList(rest)
		if n := len(m.Cards); err == nil && m.Verb == Discard && n != skatSize && n != skatSize+handSize {
			return m, fmt.Errorf("%d cards are no discards", n)
		}
		return m, err
	case "announces":
		return m, m.readAnnouncement(rest)
	}
	if n, err := strconv.Atoi(words[1]); err == nil && len(rest) == 0 && n > 0 && n < 1000 && strconv.Itoa(n) == words[1] {
		m.Verb, m.Number = Bid, n
		return m, nil
	}
	if m.Verb = Play; len(rest) > 0 {
		return m, errPhrase
	}
	m.Cards, err = faceList(words[1:])
	return m, err
}

func worldPhrase(verb Verb, words []string) (m Move, err error) {
	m = Move{Who: World, Verb: verb}
	if verb == Skat {
		if m.Cards, err = faceList(words); err == nil && len(m.Cards) != skatSize {
			return m, errors.New("the skat is two cards")
		}
		return m, err
	}
	if verb == Timeout && len(words) == 3 && words[0] == "of" && words[1] == "time" {
		words = words[2:]
	}
	if m.Number = strings.Index(letters, words[0]); len(words) != 1 || len(words[0]) != 1 || m.Number < 0 {
		return m, errPhrase
	}
	return m, nil
}

// readAnnouncement reads an announcement such as "spades hand schneider" or "grand and lays 7C 9D".
func (m *Move) readAnnouncement(words []string) (err error) {
	m.Verb = Announce
	if at := slices.Index(words, "and"); at >= 0 {
		if len(words) < at+3 || words[at+1] != "lays" {
			return errPhrase
		}
		if m.Cards, err = faceList(words[at+2:]); err != nil {
			return err
		}
		words = words[:at]
	}
	for i, w := range words {
		switch {
		case i == 0:
			for g, name := range gameNames {
				if name == w {
					m.Game = g
				}
			}
		case w == "hand":
			m.Hand = true
		case w == "ouvert":
			m.Ouvert = true
		case w == levelNames[1] || w == levelNames[2]:
			m.Level = max(m.Level, slices.Index(levelNames, w))
		default:
			return errPhrase
		}
	}
	if m.Game == "" {
		return fmt.Errorf("%.40q is no game", strings.Join(words, " "))
	}
	if m.Ouvert && m.Game != skat.Null {
		m.Level = 2 // SK-R-28
	}
	return nil
}

// resultInWords reads what [Result.inWords] writes.
func resultInWords(text string) (*Result, error) {
	r := newResult()
	if text == "passed in" {
		return &Result{Passed: true, Declarer: World, Left: World, TimedOut: World}, nil
	}
	for i, part := range strings.Split(text, ",") {
		if err := r.readPart(i, strings.Fields(part)); err != nil {
			return nil, fmt.Errorf("%.30q: %w", strings.TrimSpace(part), err)
		}
	}
	if r.Value == Unsaid {
		return nil, errors.New("the value is missing")
	}
	return r, nil
}

func (r *Result) readPart(i int, words []string) error {
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	who := strings.Index(letters, last)
	number, err := strconv.Atoi(last)
	if err != nil || number < -maxNumber || number > maxNumber || strconv.Itoa(number) != last {
		number, err = 0, errors.New("no number that a game can have")
	}
	switch text := strings.Join(words[:max(0, len(words)-1)], " "); {
	case i == 0 && slices.Contains([]string{"win", "loss", "penalty"}, last):
		r.Outcome, r.Declarer = last, strings.Index(letters, text)
		if text == "nobody" {
			return nil
		}
		if len(text) != 1 || r.Declarer < 0 {
			return errors.New("no player")
		}
		return nil
	case i == 0:
		return errors.New("it begins with who has won or lost")
	case text == "gone" && who >= 0 && len(last) == 1:
		r.Left = who
		return nil
	case text == "out of time" && who >= 0 && len(last) == 1:
		r.TimedOut = who
		return nil
	case len(words) == 3 && words[0] == "penalty" && len(words[1]) == 1 && strings.Contains(letters, words[1]):
		r.Penalties[strings.Index(letters, words[1])] = number
		return err
	case len(words) == 2:
		for _, n := range r.numbers() {
			if n.word == text {
				*n.value = number
				return err
			}
		}
	case len(words) == 1:
		for _, f := range r.flags() {
			if f.word == last {
				*f.value = true
				return nil
			}
		}
	}
	return errors.New("not known in a result")
}
