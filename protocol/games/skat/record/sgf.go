package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
)

// Bounds of a line. A game that is played out takes about 1,000 bytes.
const (
	MaxLine  = 8_192
	maxValue = 200 // bytes of a free text
	maxMoves = 400 // 126 calls, the exchange, 30 cards, and room for remarks between
)

const (
	suits = "CSHD" // in the order of SK-R-07
	ranks = "789TJQKA"
)

// ParseLine reads a game in the server's form, "(;GM[Skat]PC[…]…MV[…]R[…] ;)".
func ParseLine(line string) (*Deal, error) {
	if len(line) > MaxLine {
		return nil, fmt.Errorf("a line has at most %d bytes, this has %d", MaxLine, len(line))
	}
	if err := checkCharacters(line); err != nil {
		return nil, err
	}
	body, opened := strings.CutPrefix(strings.TrimSpace(line), "(;")
	body, closed := strings.CutSuffix(body, ";)")
	if !opened || !closed {
		return nil, errors.New("a game stands between (; and ;)")
	}
	p := sgf{deal: &Deal{}, seen: map[string]bool{}}
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		label, rest, ok := strings.Cut(body, "[")
		value, rest, ends := strings.Cut(rest, "]")
		if !ok || !ends {
			return nil, fmt.Errorf("%.20q is no LABEL[value]", body)
		}
		if err := p.property(label, strings.TrimSpace(value)); err != nil {
			return nil, err
		}
		body = rest
	}
	for _, label := range []string{"GM", "MV"} {
		if !p.seen[label] {
			return nil, fmt.Errorf("%s[] is missing", label)
		}
	}
	return p.deal, nil
}

type sgf struct {
	deal *Deal
	seen map[string]bool
}

// texts are the properties with free text.
func (d *Deal) texts() []struct {
	label string
	value *string
} {
	return []struct {
		label string
		value *string
	}{
		{"PC", &d.Place}, {"CO", &d.Comment}, {"SE", &d.Series}, {"ID", &d.ID}, {"DT", &d.Date}, {"OW", &d.View},
		{"P0", &d.Players[0]}, {"P1", &d.Players[1]}, {"P2", &d.Players[2]},
		{"R0", &d.Ratings[0]}, {"R1", &d.Ratings[1]}, {"R2", &d.Ratings[2]},
	}
}

func (p *sgf) property(label, value string) (err error) {
	if p.seen[label] {
		return fmt.Errorf("%s[] is there twice", label)
	}
	p.seen[label] = true
	switch label {
	case "GM":
		if value != "Skat" {
			return fmt.Errorf("GM[%.20s]: the game is not Skat", value)
		}
		return nil
	case "MV":
		return p.deal.parseMoves(strings.Fields(value))
	case "R":
		p.deal.Recorded, err = parseResult(value)
		return err
	}
	for _, t := range p.deal.texts() {
		if t.label == label {
			*t.value = value
			return checkText(label, value)
		}
	}
	return fmt.Errorf("%.20q is no property of a game", label)
}

// checkCharacters refuses characters that could move the cursor of a terminal that shows the text.
func checkCharacters(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("it is not UTF-8")
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && !strings.ContainsRune("\t\r\n", r) {
			return fmt.Errorf("character %U is not printable", r)
		}
	}
	return nil
}

func checkText(label, value string) error {
	if len(value) > maxValue || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s[] has at most %d bytes, all of them printable", label, maxValue)
	}
	return nil
}

// parseMoves reads pairs of a player and a move; the first pair is the deal of the cards.
func (d *Deal) parseMoves(words []string) (err error) {
	switch {
	case len(words)%2 != 0:
		return fmt.Errorf("MV[]: %q stands there without a move", words[len(words)-1])
	case len(words) == 0 || words[0] != "w":
		return errors.New("MV[]: it begins with the deal of the cards by w")
	case len(words) > 2*(maxMoves+1): // one pair is the deal
		return fmt.Errorf("MV[]: more than %d moves", maxMoves)
	}
	if d.Cards, err = parseCards(strings.ReplaceAll(words[1], "|", ".")); err != nil {
		return fmt.Errorf("the deal: %w", err)
	}
	if err := checkPack(d.Cards); err != nil {
		return err
	}
	for i := 2; i < len(words); i += 2 {
		m, err := parseMove(words[i], words[i+1])
		if err != nil {
			return fmt.Errorf("move %d, %s %.40s: %w", i/2, words[i], words[i+1], err)
		}
		d.addMove(m)
	}
	return nil
}

// addMove adds a move that was read. A game announced before the skat is taken is a hand game even
// where the record does not say so: records from before 2008 write GO.
func (d *Deal) addMove(m Move) {
	m.Hand = m.Hand || m.Verb == Announce && d.find(Take) < 0
	d.Moves = append(d.Moves, m)
}

// checkPack says why cards are not a whole pack.
func checkPack(cards []skat.Face) error {
	if len(cards) != skat.DeckSize {
		return fmt.Errorf("the deal has %d cards, not %d", len(cards), skat.DeckSize)
	}
	var seen card.Set
	for _, f := range cards {
		if f != Unknown && seen.Has(card.Face(f)) {
			return fmt.Errorf("%v is dealt twice", f)
		}
		if f != Unknown {
			seen = seen.AddFace(card.Face(f))
		}
	}
	return nil
}

func parseMove(who, what string) (Move, error) {
	m := Move{Who: strings.Index("w012", who) - 1}
	switch {
	case len(who) != 1 || m.Who < World:
		return m, errors.New("the players are 0, 1 and 2, and w is the world")
	case m.Who == World:
		return m, m.parseWorld(what)
	}
	number, isNumber := strconv.Atoi(what)
	switch {
	case isNumber == nil && number > 0 && number < 1000 && strconv.Itoa(number) == what:
		m.Verb, m.Number = Bid, number
	case what == "y":
		m.Verb = Yes
	case what == "p":
		m.Verb = Pass
	case what == "s":
		m.Verb = Take
	case what == "RE":
		m.Verb = Concede
	case what == "SC" || strings.HasPrefix(what, "SC."):
		m.Verb = Show
		return m, m.parseTail(strings.TrimPrefix(what, "SC"))
	default:
		return m, m.parseCardsOrGame(what)
	}
	return m, nil
}

func (m *Move) parseWorld(what string) (err error) {
	for word, verb := range map[string]Verb{"TI.": Timeout, "LE.": Leave} {
		if seat, ok := strings.CutPrefix(what, word); ok {
			m.Verb, m.Number = verb, strings.Index("012", seat)
			if len(seat) != 1 || m.Number < 0 {
				return errors.New("no player 0, 1 or 2")
			}
			return nil
		}
	}
	m.Verb = Skat
	if m.Cards, err = parseCards(what); err == nil && len(m.Cards) != 2 {
		return errors.New("the skat is two cards")
	}
	return err
}

// parseCardsOrGame reads "HT", "C8.D7", "C.ST.H8", "NO.…", "GHO".
func (m *Move) parseCardsOrGame(what string) (err error) {
	head, tail, more := strings.Cut(what, ".")
	if _, err := parseCard(head); err == nil {
		m.Verb = Play
		if more {
			m.Verb = Discard
		}
		m.Cards, err = parseCards(what)
		if n := len(m.Cards); err == nil && more && n != 2 && n != 2+handSize {
			return fmt.Errorf("%d cards are no discards", n)
		}
		return err
	}
	m.Verb = Announce
	for _, game := range skat.Games {
		if rest, ok := strings.CutPrefix(head, string(game)); ok {
			m.Game = game
			if err := m.parseAdditions(rest); err != nil {
				return err
			}
			return m.parseTail(strings.TrimPrefix("."+tail, map[bool]string{false: "."}[more]))
		}
	}
	return errors.New("nobody knows this move")
}

// parseAdditions reads the letters H, O, S and Z, each at most once, in any order.
func (m *Move) parseAdditions(letters string) error {
	for i, l := range letters {
		if strings.ContainsRune(letters[:i], l) {
			return fmt.Errorf("%c stands there twice", l)
		}
		switch l {
		case 'H':
			m.Hand = true
		case 'O':
			m.Ouvert = true
		case 'S':
			m.Level = max(m.Level, 1)
		case 'Z':
			m.Level = 2
		default:
			return fmt.Errorf("%s%s is no game", m.Game, letters)
		}
	}
	if m.Ouvert && m.Game != skat.Null {
		m.Level = 2 // SK-R-28
	}
	return nil
}

// parseTail reads ".C8.D7", or nothing.
func (m *Move) parseTail(tail string) (err error) {
	if tail == "" {
		return nil
	}
	m.Cards, err = parseCards(tail[1:])
	return err
}

// parseCards reads cards separated by full stops.
func parseCards(text string) ([]skat.Face, error) {
	words := strings.Split(text, ".")
	if len(words) > skat.DeckSize {
		return nil, fmt.Errorf("%d cards are more than a pack", len(words))
	}
	list := make([]skat.Face, len(words))
	var err error
	for i, w := range words {
		if list[i], err = parseCard(w); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func parseCard(w string) (skat.Face, error) {
	if w == "??" {
		return Unknown, nil
	}
	if len(w) == 2 {
		suit, rank := strings.IndexByte(suits, w[0]), strings.IndexByte(ranks, w[1])
		if suit >= 0 && rank >= 0 {
			return skat.Face(suit*len(ranks) + rank), nil
		}
	}
	return 0, fmt.Errorf("%.10q is no card", w)
}

func cardWord(f skat.Face) string {
	if f == Unknown {
		return "??"
	}
	return suits[f/8:f/8+1] + ranks[f%8:f%8+1]
}

func cardWords(cards []skat.Face) string {
	words := make([]string, len(cards))
	for i, f := range cards {
		words[i] = cardWord(f)
	}
	return strings.Join(words, ".")
}

// numberFields are the numbers of a result, in the order in which the server writes them. Among them it
// writes the outcome and whether the bid was reached.
func (r *Result) numberFields() []struct {
	name  string
	value *int
} {
	return []struct {
		name  string
		value *int
	}{
		{"d", &r.Declarer}, {"v", &r.Value}, {"m", &r.Matadors}, {"p", &r.Points}, {"t", &r.Tricks},
		{"p0", &r.Penalties[0]}, {"p1", &r.Penalties[1]}, {"p2", &r.Penalties[2]}, {"l", &r.Left}, {"to", &r.TimedOut},
	}
}

// maxNumber is above every number in a result: a grand ouvert lost at 264 is −528.
const maxNumber = 10_000

// newResult is a result of which nothing has been read yet.
func newResult() *Result {
	return &Result{Declarer: World, Value: Unsaid, Matadors: Unsaid, Points: Unsaid, Tricks: Unsaid, Left: World, TimedOut: World}
}

func parseResult(text string) (*Result, error) {
	r := newResult()
	if text == "passed" {
		return &Result{Passed: true, Declarer: World, Left: World, TimedOut: World}, nil
	}
	seen := map[string]bool{}
	for _, w := range strings.Fields(text) {
		name, value, _ := strings.Cut(w, ":")
		if seen[name] {
			return nil, fmt.Errorf("R[]: %q is there twice", name)
		}
		seen[name] = true
		if err := r.setField(name, value); err != nil {
			return nil, fmt.Errorf("R[]: %.20q: %w", w, err)
		}
	}
	if r.Outcome == "" || !seen["d"] || !seen["v"] {
		return nil, errors.New("R[]: declarer, outcome and value are missing")
	}
	return r, nil
}

func (r *Result) setField(name, value string) error {
	flag := map[string]*bool{"s": &r.Schneider, "z": &r.Schwarz, "r": &r.Conceded}[name]
	switch {
	case value == "" && (name == "bidok" || name == "overbid"):
		r.Overbid = name == "overbid"
		return nil
	case value == "" && slices.Contains([]string{"win", "loss", "penalty"}, name) && r.Outcome == "":
		r.Outcome = name
		return nil
	case flag != nil && (value == "0" || value == "1"):
		*flag = value == "1"
		return nil
	}
	for _, f := range r.numberFields() {
		if f.name == name {
			n, err := strconv.Atoi(value)
			if err != nil || n < -maxNumber || n > maxNumber || strconv.Itoa(n) != value {
				return errors.New("no number that a game can have")
			}
			if *f.value = n; slices.Contains([]*int{&r.Declarer, &r.Left, &r.TimedOut}, f.value) && (n < World || n > Rearhand) {
				return errors.New("no player")
			}
			return nil
		}
	}
	return errors.New("not known in a result")
}

// Line is the game in the server's form, without a line feed. [ParseLine] reads it as the same deal.
func (d *Deal) Line() string {
	var b strings.Builder
	b.WriteString("(;GM[Skat]")
	for _, t := range d.texts() {
		if t.label != "OW" || d.View != "" {
			b.WriteString(t.label + "[" + *t.value + "]")
		}
	}
	b.WriteString("MV[w " + cardWords(d.Cards) + " ")
	for _, m := range d.Moves {
		b.WriteString("w012"[m.Who+1:m.Who+2] + " " + m.serverWord() + " ")
	}
	b.WriteString("]")
	if d.Recorded != nil {
		b.WriteString("R[" + d.Recorded.serverWord() + "]")
	}
	b.WriteString(" ;)")
	return b.String()
}

// serverWord is a move as the server writes it.
func (m Move) serverWord() string {
	tail := ""
	if len(m.Cards) > 0 {
		tail = "." + cardWords(m.Cards)
	}
	switch m.Verb {
	case Bid:
		return strconv.Itoa(m.Number)
	case Yes:
		return "y"
	case Pass:
		return "p"
	case Take:
		return "s"
	case Concede:
		return "RE"
	case Show:
		return "SC" + tail
	case Timeout:
		return "TI." + strconv.Itoa(m.Number)
	case Leave:
		return "LE." + strconv.Itoa(m.Number)
	case Announce:
		return string(m.Game) + m.additions() + tail
	}
	return cardWords(m.Cards)
}

// additions are the letters after a game; ouvert implies what is announced.
func (m Move) additions() string {
	letters := ""
	if m.Hand {
		letters += "H"
	}
	switch {
	case m.Ouvert:
		letters += "O"
		if m.Game == skat.Null && m.Level > 0 {
			letters += " SZ"[m.Level : m.Level+1]
		}
	case m.Level > 0:
		letters += " SZ"[m.Level : m.Level+1]
	}
	return letters
}

func (r *Result) serverWord() string {
	if r.Passed {
		return "passed"
	}
	flag := map[bool]string{false: "0", true: "1"}
	bid := map[bool]string{false: "bidok", true: "overbid"}
	var words []string
	for _, f := range r.numberFields() {
		if *f.value != Unsaid {
			words = append(words, f.name+":"+strconv.Itoa(*f.value))
		}
		switch f.name {
		case "d":
			words = append(words, r.Outcome)
		case "m":
			words = append(words, bid[r.Overbid])
		case "t":
			words = append(words, "s:"+flag[r.Schneider], "z:"+flag[r.Schwarz])
		}
	}
	return strings.Join(append(words, "r:"+flag[r.Conceded]), " ")
}
