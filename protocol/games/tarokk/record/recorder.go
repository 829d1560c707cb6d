package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// Recorder makes a record of a table from its moves. Everything it writes is public. Of a deal that was
// played it writes every player's cards, but not which of them came from the talon, since hands are
// permuted before anything is discarded. Of other deals it writes what was said.
type Recorder struct {
	session  *Session
	names    []string // by seat
	dealTape          // the deal under way
}

// NewRecorder begins the record of a table, given its id, the names of its seats, and its genesis
// entry.
func NewRecorder(id string, names []string, c table.Config) *Recorder {
	s := &Session{Table: id, Preset: tarokk.PresetNames()[0], Options: map[string]string{}, Length: c.Deals}
	for name, value := range c.Options {
		if name == "preset" {
			s.Preset = value
		} else {
			s.Options[name] = value
		}
	}
	return &Recorder{session: s, names: names}
}

// Deals implements game.Recorder: the number of finished deals.
func (r *Recorder) Deals() int { return len(r.session.Deals) }

// Text implements game.Recorder.
func (r *Recorder) Text() []byte { return r.session.Text() }

// Lines implements game.Recorder. There are none, since no other program has records of tarokk.
func (r *Recorder) Lines() []byte { return nil }

// Move takes in a move that was applied, with the states before and after it.
func (r *Recorder) Move(before tarokk.State, seat table.Seat, m tarokk.Move, after tarokk.State) {
	if r.session.Members == nil {
		for _, s := range before.Members {
			r.session.Members = append(r.session.Members, r.names[s])
		}
	}
	if m.Wish != nil {
		r.recordWish(before, *m.Wish)
		return
	}
	if r.deal.Number != before.Deal.Number {
		r.beginDeal(before)
	}
	r.recordMove(before, slices.Index(before.Deal.Seats[:], seat), m)
	if len(after.Past) > len(before.Past) {
		r.session.Deals = append(r.session.Deals, r.finishDeal(after))
	}
}

// End implements game.Recorder: every deal of tarokk ends with a move.
func (r *Recorder) End(tarokk.State) {}

// recordWish adds a word to the previous deal; it becomes a line once all members have spoken.
func (r *Recorder) recordWish(before tarokk.State, word string) {
	if words := append(slices.Clone(before.Wishes), word); len(words) == len(before.Members) {
		d := &r.session.Deals[len(r.session.Deals)-1]
		at := slices.IndexFunc(d.Lines, func(l Line) bool { return l.Key == "result" })
		d.Lines = slices.Insert(d.Lines, at, Line{Key: "between", Seat: Nobody, Words: words})
	}
}

// dealTape is what has been seen of a deal.
type dealTape struct {
	deal    Deal
	cards   [players][]table.Card
	letters [players]string // by player, the letters of the discards
	faces   [players]map[byte]card.Face
}

func (r *Recorder) beginDeal(s tarokk.State) {
	r.dealTape = dealTape{deal: Deal{Number: s.Deal.Number, Dealer: r.names[s.Members[s.Dealer]]}}
	if len(s.Rounds) > 0 {
		r.deal.Rounds = slices.Clone(s.Rounds)
	}
	if pool := int(s.Pool); pool > 0 {
		r.deal.Pool = &pool
	}
	for p := range players {
		r.faces[p] = map[byte]card.Face{}
	}
}

// addLine adds a line to the record.
func (t *dealTape) addLine(key string, seat int, words []string, cards ...card.Face) {
	t.deal.Lines = append(t.deal.Lines, Line{Key: key, Seat: seat, Words: words, Cards: cards})
}

// appendWord adds a word to the line of a key, which has no seat.
func (t *dealTape) appendWord(key, word string) {
	if l := t.deal.findLine(key, Nobody); l != nil {
		l.Words = append(l.Words, word)
		return
	}
	t.addLine(key, Nobody, []string{word})
}

// recordMove takes in a move of player p.
func (t *dealTape) recordMove(s tarokk.State, p int, m tarokk.Move) {
	t.cards = s.Deal.Cards
	seat := seatNames[p : p+1]
	switch {
	case m.Call != nil:
		t.appendWord("bids", seat+" "+string(*m.Call))
	case m.Confirm != nil:
		t.addLine("confirm", p, yesNo(*m.Confirm))
	case m.Trial != nil:
		t.addLine("trial", p, yesNo(*m.Trial))
	case m.Annul != nil && *m.Annul != "":
		t.addLine("annul", p, []string{*m.Annul})
	case m.Discard != nil:
		t.letters[p] = *m.Discard
	case m.Disclose != nil:
		t.recordDisclosure(p, *m.Disclose)
	case m.Say != nil:
		if m.Say.Discards != nil {
			t.recordDisclosure(p, *m.Say.Discards)
		}
		t.recordTurn(s, p, m.Say.Turn)
	case m.Play != nil:
		t.recordPlay(p, *m.Play)
	case m.Open != nil:
		t.recordOpened(p, *m.Open)
	case m.Claim != nil && *m.Claim:
		t.appendWord("claim", seat)
	case m.Fee != nil && len(*m.Fee) > 0:
		t.addLine("fee", p, nil, parseNames(*m.Fee)...)
	}
}

func yesNo(b bool) []string {
	if b {
		return []string{"yes"}
	}
	return []string{"no"}
}

// parseNames reads names that the rules have accepted.
func parseNames(names []string) []card.Face {
	list := make([]card.Face, len(names))
	for i, name := range names {
		list[i], _ = tarokk.ParseFace(name)
	}
	return list
}

func (t *dealTape) recordDisclosure(p int, d tarokk.Disclosure) {
	t.appendWord("disclosed", fmt.Sprintf("%c %d", seatNames[p], len(d.Tarokks)))
	for i, f := range parseNames(d.Open) {
		t.faces[p][d.Tarokks[i]] = f
	}
}

// recordTurn records a turn in words, with every contra named by its step of the ladder.
func (t *dealTape) recordTurn(s tarokk.State, p int, turn []string) {
	var words []string
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
		words = append(words, text)
	}
	t.addLine("say", p, words)
}

func (t *dealTape) recordPlay(p int, play tarokk.Play) {
	f := parseNames([]string{play.Face})[0]
	t.faces[p][play.Card[0]] = f
	if last := &t.deal.Lines[len(t.deal.Lines)-1]; last.Key == "trick" && len(last.Cards) < players {
		last.Cards = append(last.Cards, f)
		return
	}
	t.addLine("trick", p, nil, f)
}

// recordOpened takes in those discards of p that had been closed.
func (t *dealTape) recordOpened(p int, names []string) {
	for i := range t.letters[p] {
		letter := t.letters[p][i]
		if _, open := t.faces[p][letter]; !open {
			t.faces[p][letter], names = parseNames(names[:1])[0], names[1:]
		}
	}
}

// finishDeal writes the lines of a finished deal, in the order of 63.3.
func (t *dealTape) finishDeal(after tarokk.State) Deal {
	for p := range players {
		t.writeHand(p)
		if t.letters[p] != "" {
			t.addLine("discard", p, nil, t.seenDiscards(p)...)
		}
	}
	ended := after.Past[len(after.Past)-1]
	payments := make([]int, len(after.Members))
	for i, seat := range after.Members {
		payments[i] = ended.Payments[seat]
	}
	t.addLine("result", Nobody, withSigns(payments))
	slices.SortStableFunc(t.deal.Lines, func(a, b Line) int { return cmp.Compare(keywordOrder(a.Key), keywordOrder(b.Key)) })
	return t.deal
}

// writeHand records the cards of a player, if all of them were seen.
func (t *dealTape) writeHand(p int) {
	cards := slices.SortedFunc(maps.Values(t.faces[p]), byRank)
	switch {
	case len(cards) == 0 || len(cards) != len(t.cards[p]):
	case len(cards) == handSize:
		t.addLine("dealt", p, nil, cards...)
	default:
		t.addLine("cards", p, nil, cards...)
	}
}

// byRank orders the tarokks first, and each suit from its highest card.
func byRank(a, b card.Face) int {
	return cmp.Or(cmp.Compare(suitRank(a), suitRank(b)), cmp.Compare(b, a))
}

func suitRank(f card.Face) int { return (int(tarokk.SuitOf(f)) + 1) % (int(tarokk.Tarokk) + 1) }

// seenDiscards are the discards of p, as far as they were seen.
func (t *dealTape) seenDiscards(p int) []card.Face {
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
