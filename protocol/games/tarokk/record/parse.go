package record

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// SyntaxError says why a text is no record, and in which line.
type SyntaxError struct {
	Line int
	Err  error
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads a record. Every error is a *SyntaxError.
func Parse(text []byte) (*Session, error) {
	p := &parser{session: &Session{Options: map[string]string{}}, seen: map[string]bool{}}
	err := p.parseText(string(text))
	if err == nil {
		err = p.checkEnd()
	}
	if err != nil {
		return nil, &SyntaxError{Line: max(p.at, 1), Err: err}
	}
	return p.session, nil
}

type parser struct {
	session *Session
	at      int             // line of the text, from 1
	options int             // number of the last line that set rules
	rules   tarokk.RuleSet  // set once there is a deal
	dealer  int             // index in the members of the last deal's dealer
	seen    map[string]bool // tags of the session or of the deal, and lines of the deal
	order   int             // place of the last line's keyword in the order
}

func (p *parser) parseText(text string) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("%d bytes: a record has at most %d", len(text), MaxBytes)
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		p.at++
		line, err := cleanLine(line)
		if err == nil {
			err = p.parseLine(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cleanLine is a line in Unicode normal form C, with plain spaces only. It refuses invisible
// characters.
func cleanLine(line string) (string, error) {
	if !utf8.ValidString(line) {
		return "", fmt.Errorf("the line is not UTF-8")
	}
	line = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\t' || unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, norm.NFC.String(strings.TrimSpace(line))))
	if len(line) > MaxLine {
		return "", fmt.Errorf("%d bytes: a line has at most %d", len(line), MaxLine)
	}
	for _, r := range line {
		if !unicode.IsPrint(r) {
			return "", fmt.Errorf("character %U is not printable", r)
		}
	}
	return line, nil
}

func (p *parser) parseLine(line string) error {
	switch {
	case line == "":
		return nil
	case line[0] == ';':
		return p.keepComment(line)
	case line[0] == '[':
		return p.parseTag(line)
	}
	return p.parseDealLine(line)
}

// keepComment attaches a comment to what it follows.
func (p *parser) keepComment(comment string) error {
	text := strings.TrimSpace(strings.TrimLeft(comment, ";"))
	if text == "" {
		return nil
	}
	if len(text) > MaxLine-len("; ") {
		return fmt.Errorf("the comment is too long for a line of %d bytes", MaxLine)
	}
	to := &p.session.Notes
	if d := p.currentDeal(); d != nil {
		to = &d.Notes
		if n := len(d.Lines); n > 0 {
			to = &d.Lines[n-1].Notes
		}
	}
	*to = append(*to, text)
	return nil
}

func (p *parser) currentDeal() *Deal {
	if n := len(p.session.Deals); n > 0 {
		return &p.session.Deals[n-1]
	}
	return nil
}

// parseTag reads a tag such as [Name "value" "value"].
func (p *parser) parseTag(line string) error {
	body, closed := strings.CutSuffix(line[1:], "]")
	if !strings.Contains(body, `"`) {
		body = strings.NewReplacer("„", `"`, "“", `"`, "”", `"`).Replace(body)
	}
	name, rest := cutWord(body)
	if name != "" {
		name = strings.ToUpper(name[:1]) + strings.ToLower(name[1:])
	}
	if !closed {
		return fmt.Errorf("a tag ends with ]")
	}
	values, err := splitQuoted(rest)
	if err != nil {
		return fmt.Errorf("tag %.20q: %w", name, err)
	}
	if name == "Deal" {
		return p.beginDeal(values)
	}
	if name != "Option" && p.seen[name] {
		return fmt.Errorf("tag %s is there twice", name)
	}
	p.seen[name] = true
	if d := p.currentDeal(); d != nil {
		return p.dealTag(d, name, values)
	}
	return p.sessionTag(name, values)
}

// quoteds matches one quoted value, and the spaces around it.
var quoteds = regexp.MustCompile(`^ *"((?:[^"\\]|\\["\\])*)" *`)

// splitQuoted splits "a" "b" into its values.
func splitQuoted(text string) (values []string, err error) {
	for text != "" {
		m := quoteds.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf(`every value stands in quotes, as in [Deal "1"], with \" and \\ for those characters`)
		}
		v := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1])
		if v == "" && len(values) == 0 || v != strings.TrimSpace(v) || len(v) > maxText {
			return nil, fmt.Errorf("a value has 1 to %d bytes and no space around it", maxText)
		}
		values, text = append(values, v), text[len(m[0]):]
	}
	return values, nil
}

func (p *parser) sessionTag(name string, values []string) error {
	s := p.session
	if !p.seen["Tarokk"] {
		return fmt.Errorf(`a record begins with the tag [Tarokk "%s"]`, Version)
	}
	switch name {
	case "Members":
		s.Members = values
		return s.checkMembers()
	case "Option":
		return p.setOption(values)
	}
	value, err := singleValue(name, values, "Tarokk", "Preset", "Deals", "Event", "Site", "Date", "Table")
	switch {
	case err != nil:
		return err
	case name == "Tarokk" && value != Version:
		return fmt.Errorf("version %.20q of the format: known is %q", value, Version)
	case name == "Preset":
		s.Preset, p.options = value, p.at
	case name == "Deals":
		s.Length, err = parseNumber(value, 1, MaxDeals)
	}
	for _, t := range s.freeTexts() {
		if t.name == name {
			*t.value = value
		}
	}
	return err
}

// singleValue is the value of a known tag that has exactly one.
func singleValue(name string, values []string, known ...string) (string, error) {
	switch {
	case !slices.Contains(known, name):
		return "", fmt.Errorf("unknown tag %.20q here: %s", name, strings.Join(known, ", "))
	case len(values) != 1:
		return "", fmt.Errorf("tag %s has %d values, and not one", name, len(values))
	}
	return values[0], nil
}

func (p *parser) setOption(values []string) error {
	if len(values) != 2 || values[0] == "preset" {
		return fmt.Errorf(`an option is written as [Option "name" "value"]`)
	}
	if _, twice := p.session.Options[values[0]]; twice {
		return fmt.Errorf("option %s is there twice", values[0])
	}
	p.session.Options[values[0]], p.options = values[1], p.at
	return nil
}

// parseNumber reads a decimal number in its shortest form.
func parseNumber(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < low || n > high {
		return 0, fmt.Errorf("%.20q is no number from %d to %d", text, low, high)
	}
	return n, nil
}

func (s *Session) checkMembers() error {
	if len(s.Members) != 4 && len(s.Members) != 5 {
		return fmt.Errorf("R-SEAT-1: %d names of members, each in quotes: a table has 4 or 5", len(s.Members))
	}
	for i, name := range s.Members {
		if slices.Contains(s.Members[:i], name) {
			return fmt.Errorf("two members have the name %q", name)
		}
	}
	return nil
}

// completeHead fills in what a header may leave out, and checks the options.
func (p *parser) completeHead() (err error) {
	s := p.session
	if s.Preset == "" {
		s.Preset = tarokk.PresetNames()[0]
	}
	if s.Members == nil {
		s.Members = []string{"A", "B", "C", "D"}
	}
	if p.rules, err = tarokk.ParseRuleSet(s.tableConfig()); err != nil && p.options > 0 {
		p.at = p.options
	}
	p.dealer = len(s.Members) - 1
	return err
}

// tableConfig is the genesis entry of such a table, with the members in the order of their seats.
func (s *Session) tableConfig() table.Config {
	options := map[string]string{"preset": s.Preset}
	maps.Copy(options, s.Options)
	return table.Config{Seats: len(s.Members), Deals: s.Length, Options: options}
}

func (p *parser) checkEnd() error {
	if len(p.session.Deals) == 0 {
		return fmt.Errorf("the record has no deal")
	}
	if n := len(p.session.Text()); n > MaxBytes {
		return fmt.Errorf("%d bytes in canonical form: a record has at most %d", n, MaxBytes)
	}
	return nil
}

func (p *parser) beginDeal(values []string) error {
	if !p.seen["Tarokk"] && p.currentDeal() == nil {
		return fmt.Errorf(`a record begins with the tag [Tarokk "%s"]`, Version)
	}
	value, err := singleValue("Deal", values, "Deal")
	if err != nil {
		return err
	}
	least := 1
	if d := p.currentDeal(); d != nil {
		least = d.Number + 1
		if !d.thrownIn() || !tarokk.Redeals(p.rules) {
			p.dealer = (p.dealer + 1) % len(p.session.Members) // R-DEAL-4
		}
	} else if err := p.completeHead(); err != nil {
		return err
	}
	n, err := parseNumber(value, least, 1_000_000)
	if err != nil {
		return fmt.Errorf("deals are numbered in ascending order: %w", err)
	}
	if len(p.session.Deals) == MaxDeals {
		return fmt.Errorf("a record has at most %d deals", MaxDeals)
	}
	p.session.Deals = append(p.session.Deals, Deal{Number: n, At: p.at})
	p.seen, p.order = map[string]bool{}, 0
	return nil
}

func (p *parser) dealTag(d *Deal, name string, values []string) (err error) {
	if len(d.Lines) > 0 {
		return fmt.Errorf("tags come before the lines of a deal")
	}
	if name == "Rounds" {
		return d.parseRounds(values)
	}
	value, err := singleValue(name, values, "Dealer", "Pool")
	switch {
	case err != nil:
		return err
	case name == "Dealer":
		d.Dealer, p.dealer = value, slices.Index(p.session.Members, value)
		if p.dealer < 0 {
			return fmt.Errorf("the dealer %q is none of the members", value)
		}
		return nil
	case !p.rules.UltimoPool:
		return fmt.Errorf("BGA-7: there is no pool without the option ultimo-pool")
	}
	n, err := parseNumber(value, 0, 1<<40)
	d.Pool = &n
	return err
}

// maxRounds is the greatest number of double rounds at the same time (PAK-3).
const maxRounds = 16

func (d *Deal) parseRounds(values []string) error {
	d.Rounds = []int{}
	for _, v := range values {
		left, err := parseNumber(v, 1, MaxDeals)
		if err != nil {
			return fmt.Errorf("R-ROUND-3: %w", err)
		}
		d.Rounds = append(d.Rounds, left)
	}
	if len(values) > maxRounds || !slices.IsSorted(d.Rounds) {
		return fmt.Errorf("R-ROUND-3: of each double round that runs, at most %d, the deals that are left, the first to end first", maxRounds)
	}
	return nil
}

// parseDealLine reads "key A: items" and the comment after it.
func (p *parser) parseDealLine(line string) error {
	d := p.currentDeal()
	if d == nil {
		return fmt.Errorf(`%.20q stands before the first [Deal "1"]`, line)
	}
	line, comment, noted := strings.Cut(line, ";")
	head, items, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("%.20q is neither a tag, a comment, nor a line with a colon", line)
	}
	l, err := p.parseHead(d, head)
	if err == nil {
		err = p.parseItems(l, strings.TrimSpace(items))
	}
	if err != nil {
		return err
	}
	d.Lines = append(d.Lines, *l)
	if noted {
		return p.keepComment(comment)
	}
	return nil
}

// parseHead reads the keyword, the number of a trick, and the seat.
func (p *parser) parseHead(d *Deal, text string) (*Line, error) {
	word, rest := cutWord(text)
	place := keywordOrder(foldText(word))
	switch {
	case place < 0:
		return nil, fmt.Errorf("%.20q is no line: %s", word, keywordList())
	case place < p.order:
		return nil, fmt.Errorf("%s comes after %s: the order is %s", keywords[place].key, keywords[p.order].key, keywordList())
	}
	k := keywords[place]
	l := &Line{Key: k.key, Seat: Nobody, At: p.at}
	p.order = place
	if k.key == "trick" {
		n := len(d.linesOf("trick")) + 1
		word, after := cutWord(rest)
		number, err := strconv.Atoi(word)
		if n > handSize || err == nil && number != n {
			return nil, fmt.Errorf("R-PLAY-1: tricks are numbered from 1 to 9: this would be number %d", n)
		}
		if err == nil {
			rest = after
		}
	}
	switch {
	case k.seated && rest == "":
		return nil, fmt.Errorf("%s: a seat is missing, as in %s A:", k.key, k.key)
	case !k.seated && rest != "":
		return nil, fmt.Errorf("%s: %.20q stands before the colon", k.key, rest)
	case k.seated:
		var err error
		if l.Seat, rest, err = p.readSeat(rest); err != nil {
			return nil, err
		}
		if rest != "" {
			return nil, fmt.Errorf("%s: %.20q stands behind the seat", k.key, rest)
		}
	}
	once := fmt.Sprint(k.key, l.Seat)
	if p.seen[once] && !k.repeat {
		return nil, fmt.Errorf("%s is there twice", text)
	}
	p.seen[once] = true
	return l, nil
}

// cutWord splits off the first word of a text.
func cutWord(text string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return word, strings.TrimSpace(rest)
}

// readSeat splits "A three" or "Anna three", where Anna sits at A in this deal.
func (p *parser) readSeat(text string) (seat int, rest string, err error) {
	for i := range seatNames {
		if rest, found := cutName(text, seatNames[i:i+1]); found {
			return i, rest, nil
		}
	}
	members, who, twin := p.session.Members, Nobody, Nobody
	for i, name := range members {
		_, found := cutName(text, name)
		switch {
		case !found || who != Nobody && len(name) < len(members[who]):
		case who == Nobody || len(name) > len(members[who]) || strings.HasPrefix(text, name):
			who, twin = i, Nobody
		case !strings.HasPrefix(text, members[who]):
			twin = i
		}
	}
	switch {
	case who == Nobody:
		return 0, "", fmt.Errorf("R-SEAT-3: %.20q begins with no seat: A, B, C or D, or the name of a member", text)
	case twin != Nobody:
		return 0, "", fmt.Errorf("R-SEAT-3: %.20q may be %s or %s, whose names differ in capitals alone", text, members[who], members[twin])
	case len(members) > players && who == p.dealer:
		return 0, "", fmt.Errorf("R-SEAT-1: %s deals and has no cards in this deal", members[who])
	}
	rest, _ = cutName(text, members[who])
	return (who - p.dealer - 1 + len(members)) % len(members), rest, nil
}

// cutName splits off a name at the beginning of a text, and the colon after it.
func cutName(text, name string) (rest string, found bool) {
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return "", false
	}
	rest = strings.TrimLeft(text[len(name):], ": ")
	return rest, rest == "" || len(rest) < len(text)-len(name)
}

// seatAnd reads a seat followed by one of the words, "A three". The word "" stands for a seat alone.
func seatAnd(rule string, words ...string) func(*parser, string) (string, error) {
	return func(p *parser, text string) (string, error) {
		seat, rest, err := p.readSeat(text)
		word := rest
		if !slices.Contains(words, word) {
			word = canonicalWord(rest)
		}
		if err == nil && !slices.Contains(words, word) {
			err = fmt.Errorf("%s: %.20q: behind the seat stands %q, and not one of %s", rule, text, rest, strings.Join(words, ", "))
		}
		return strings.TrimSpace(seatNames[seat:seat+1] + " " + word), err
	}
}

// parseItems reads what follows the colon: cards, or words separated by commas.
func (p *parser) parseItems(l *Line, text string) error {
	k := keywordOf(l.Key)
	if k.cards {
		return l.parseCards(k, splitCards(text))
	}
	list := strings.Split(text, ",")
	if last := len(list) - 1; l.Key == "say" && canonicalWord(list[last]) == "pass" { // every turn ends with it anyway (R-ANC-2)
		list = list[:last]
	}
	for i, item := range list {
		if l.Key == "result" && i < len(p.session.Members) {
			if payment, named := cutName(strings.TrimSpace(item), p.session.Members[i]); named && payment != "" {
				item = payment
			}
		}
		word, err := k.word(p, strings.TrimSpace(item))
		if err != nil {
			return err
		}
		l.Words = append(l.Words, word)
	}
	if n := len(l.Words); n > maxWords || n > 1 && slices.Contains([]string{"confirm", "trial", "annul"}, l.Key) {
		return fmt.Errorf("%d items in the line %s", n, l.Key)
	}
	if n := len(p.session.Members); (l.Key == "result" || l.Key == "between") && len(l.Words) != n {
		return fmt.Errorf("%s: %d items for %d members", l.Key, len(l.Words), n)
	}
	return nil
}

func (l *Line) parseCards(k keyword, names []string) error {
	if len(names) == 0 || len(names) > maxCards {
		return fmt.Errorf("%s: %d cards, a line has 1 to %d", l.Key, len(names), maxCards)
	}
	for _, name := range names {
		f, err := parseCard(name)
		if err != nil {
			return err
		}
		if f == Unknown && !k.opaque {
			return fmt.Errorf("R-CARD-7: only a discard may be unknown")
		}
		l.Cards = append(l.Cards, f)
	}
	return nil
}
