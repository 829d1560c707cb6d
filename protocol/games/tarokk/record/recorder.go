package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// Recorder makes a record of a table from its moves. All that it writes is
// public: of a deal that was played the cards of every player, but not which of
// them came from the talon, since hands are permuted before anything is laid
// away; of another deal what was said.
type Recorder struct {
	session *Session
	names   []string // by seat
	deal    *taping
}

// NewRecorder begins the record of a table: its id, the names of its seats, and
// what its genesis entry says.
func NewRecorder(id string, names []string, c table.Config) *Recorder {
	s := &Session{Table: id, Preset: ruleset.Presets()[0], Options: map[string]string{}, Length: c.Deals}
	for name, value := range c.Options {
		if name == "preset" {
			s.Preset = value
		} else {
			s.Options[name] = value
		}
	}
	return &Recorder{session: s, names: names}
}

// Session is the record of all deals that are over. It has no deal if none is.
func (r *Recorder) Session() *Session { return r.session }

// Move takes in a move that was applied, with the states before and after it.
func (r *Recorder) Move(before tarokk.State, seat table.Seat, m tarokk.Move, after tarokk.State) {
	if r.session.Members == nil {
		for _, s := range before.Members {
			r.session.Members = append(r.session.Members, r.names[s])
		}
	}
	if m.Wish != nil {
		r.wish(before, *m.Wish)
		return
	}
	if r.deal == nil || r.deal.deal.Number != before.Deal.Number {
		r.deal = r.tape(before)
	}
	r.deal.move(before, slices.Index(before.Deal.Seats[:], seat), m)
	if len(after.Past) > len(before.Past) {
		r.session.Deals = append(r.session.Deals, r.deal.end(after))
		r.deal = nil
	}
}

// wish adds a word to the deal before; only all of them are a line.
func (r *Recorder) wish(before tarokk.State, word string) {
	if words := append(slices.Clone(before.Wishes), word); len(words) == len(before.Members) {
		d := &r.session.Deals[len(r.session.Deals)-1]
		at := slices.IndexFunc(d.Lines, func(l Line) bool { return l.Key == "result" })
		d.Lines = slices.Insert(d.Lines, at, Line{Key: "between", Seat: Nobody, Words: words})
	}
}

// taping is a deal under way.
type taping struct {
	deal      Deal
	bids      []string
	answers   []Line // confirm, trial
	cards     [players][]table.Card
	letters   [players]string // discarded
	faces     [players]map[byte]card.Face
	disclosed []string
	annulled  []Line
	says      []Line
	plays     []Line
	claims    []string
	fees      []Line
}

func (r *Recorder) tape(s tarokk.State) *taping {
	t := &taping{deal: Deal{Number: s.Deal.Number, Dealer: r.names[s.Members[s.Dealer]]}}
	if len(s.Rounds) > 0 {
		t.deal.Rounds = slices.Clone(s.Rounds)
	}
	if pool := int(s.Pool); pool > 0 {
		t.deal.Pool = &pool
	}
	for p := range players {
		t.faces[p] = map[byte]card.Face{}
	}
	return t
}

// move keeps what a move of player p tells.
func (t *taping) move(s tarokk.State, p int, m tarokk.Move) {
	t.cards = s.Deal.Cards
	seat := seatNames[p : p+1]
	switch {
	case m.Call != nil:
		t.bids = append(t.bids, seat+" "+string(*m.Call))
	case m.Confirm != nil:
		t.answers = append(t.answers, Line{Key: "confirm", Seat: p, Words: []string{yesNo(*m.Confirm)}})
	case m.Trial != nil:
		t.answers = append(t.answers, Line{Key: "trial", Seat: p, Words: []string{yesNo(*m.Trial)}})
	case m.Annul != nil && *m.Annul != "":
		t.annulled = append(t.annulled, Line{Key: "annul", Seat: p, Words: []string{*m.Annul}})
	case m.Discard != nil:
		t.letters[p] = *m.Discard
	case m.Disclose != nil:
		t.disclose(p, *m.Disclose)
	case m.Say != nil:
		if m.Say.Discards != nil {
			t.disclose(p, *m.Say.Discards)
		}
		t.say(s, p, m.Say.Turn)
	case m.Play != nil:
		t.play(p, *m.Play)
	case m.Open != nil:
		t.open(p, *m.Open)
	case m.Claim != nil && *m.Claim:
		t.claims = append(t.claims, seat)
	case m.Fee != nil && len(*m.Fee) > 0:
		t.fees = append(t.fees, Line{Key: "fee", Seat: p, Cards: parseNames(*m.Fee)})
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// parseNames reads names that the rules have accepted.
func parseNames(names []string) []card.Face {
	list := make([]card.Face, len(names))
	for i, name := range names {
		list[i], _ = deck.Parse(name)
	}
	return list
}

func (t *taping) disclose(p int, d tarokk.Disclosure) {
	t.disclosed = append(t.disclosed, seatNames[p:p+1]+" "+strconv.Itoa(len(d.Tarokks)))
	for i, f := range parseNames(d.Open) {
		t.faces[p][d.Tarokks[i]] = f
	}
}

// say writes a turn in words, every contra as its step of the ladder.
func (t *taping) say(s tarokk.State, p int, turn []string) {
	l := Line{Key: "say", Seat: p}
	for _, text := range turn {
		kind, object, _ := strings.Cut(text, ":")
		switch kind {
		case "fig":
			text = object
		case "contra":
			text = ladder[0] + " " + object
			for _, a := range s.Deal.Announce.Items {
				if a.Item.String() == object {
					text = ladder[a.Contra] + " " + object
				}
			}
		default:
			text = kind + " " + object
		}
		l.Words = append(l.Words, text)
	}
	t.says = append(t.says, l)
}

func (t *taping) play(p int, play tarokk.Play) {
	f := parseNames([]string{play.Face})[0]
	t.faces[p][play.Card[0]] = f
	if n := len(t.plays); n == 0 || len(t.plays[n-1].Cards) == players {
		t.plays = append(t.plays, Line{Key: "trick", Seat: p})
	}
	last := &t.plays[len(t.plays)-1]
	last.Cards = append(last.Cards, f)
}

func (t *taping) open(p int, names []string) {
	for i, letter := range t.closed(p) {
		t.faces[p][byte(letter)] = parseNames(names)[i]
	}
}

// closed are the letters of the discards of p that are not open.
func (t *taping) closed(p int) string {
	return strings.Map(func(letter rune) rune {
		if _, open := t.faces[p][byte(letter)]; open {
			return -1
		}
		return letter
	}, t.letters[p])
}

// end writes the lines of a deal that is over.
func (t *taping) end(after tarokk.State) Deal {
	var lines []Line
	for p := range players {
		lines = append(lines, t.hand(p)...)
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(order(a.Key), order(b.Key)) })
	lines = append(lines, Line{Key: "bids", Seat: Nobody, Words: t.bids})
	lines = append(lines, t.answers...)
	for p := range players {
		if t.letters[p] != "" {
			lines = append(lines, Line{Key: "discard", Seat: p, Cards: t.discards(p)})
		}
	}
	lines = append(lines, listed("disclosed", t.disclosed)...)
	lines = slices.Concat(lines, t.annulled, t.says, t.plays, listed("claim", t.claims), t.fees)
	ended := after.Past[len(after.Past)-1]
	payments := make([]int, len(after.Members))
	for i, seat := range after.Members {
		payments[i] = ended.Payments[seat]
	}
	t.deal.Lines = append(lines, Line{Key: "result", Seat: Nobody, Words: signed(payments)})
	return t.deal
}

func order(key string) int {
	_, i := keywordOf(key)
	return i
}

func listed(key string, words []string) []Line {
	if len(words) == 0 {
		return nil
	}
	return []Line{{Key: key, Seat: Nobody, Words: words}}
}

// hand is the line with the cards of a player whose cards were all seen.
func (t *taping) hand(p int) []Line {
	var cards []card.Face
	for _, f := range t.faces[p] {
		cards = append(cards, f)
	}
	if len(cards) == 0 || len(cards) != len(t.cards[p]) {
		return nil
	}
	slices.SortFunc(cards, byRank)
	l := Line{Key: "cards", Seat: p, Cards: cards}
	if len(cards) == handSize {
		l.Key = "dealt"
	}
	return []Line{l}
}

// byRank puts the tarokks first and the highest of each suit.
func byRank(a, b card.Face) int {
	if c := cmp.Compare(suitRank(a), suitRank(b)); c != 0 {
		return c
	}
	return cmp.Compare(b, a)
}

func suitRank(f card.Face) int { return (int(deck.SuitOf(f)) + 1) % (int(deck.Tarokk) + 1) }

// discards are what p laid away, as far as it was seen.
func (t *taping) discards(p int) []card.Face {
	var list []card.Face
	for _, letter := range []byte(t.letters[p]) {
		f, open := t.faces[p][letter]
		if !open {
			f = Unknown
		}
		list = append(list, f)
	}
	return list
}
