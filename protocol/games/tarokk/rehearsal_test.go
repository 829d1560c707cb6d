package tarokk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// rehearsal is a table without cryptography whose deals are stacked, as long as
// there are stacks, and whose players say lines, or as little as they may.
type rehearsal struct {
	*testing.T
	*openTable
	decks []stacked
}

func rehearse(t *testing.T, c table.Config, decks ...stacked) *rehearsal {
	t.Helper()
	o := options{"seat-draw": "false"}
	for k, v := range c.Options {
		o[k] = v
	}
	c.Options = o
	if c.Deals == 0 {
		c.Deals = 1
	}
	open := testmust.Have(newOpenTable(c, 1))(t)
	return &rehearsal{t, open, decks}
}

// advance takes steps until somebody must move, and reports whether there is
// anybody.
func (r *rehearsal) advance() bool {
	r.Helper()
	for {
		duties := tarokk.Rules{}.Duties(r.state)
		if len(duties) == 0 || duties[0].Kind == table.Move {
			return len(duties) > 0
		}
		number := r.state.Deal.Number
		r.steps(duties)
		if n := number - 1; duties[0].Kind == table.Shuffle && n >= 0 && n < len(r.decks) {
			order := testmust.Have(r.decks[n].order())(r)
			for i, f := range order {
				r.faces[table.Card(i)] = f
			}
		}
	}
}

func (r *rehearsal) movers() []table.Seat {
	r.Helper()
	if !r.advance() {
		r.Fatalf("the table is over")
	}
	return tarokk.Rules{}.Duties(r.state)[0].Seats
}

// seatOf is the seat of a player of the deal, or of a member between deals.
func (r *rehearsal) seatOf(name byte) table.Seat {
	if r.state.Stage == tarokk.Between {
		return table.Seat(name - 'A')
	}
	return r.state.Deal.Seats[name-'A']
}

// named is the name of the card behind a letter of a player.
func (r *rehearsal) named(p int, letter byte) string {
	return deck.Names(r.state.Rules.RedLow)[r.faces[r.state.Deal.Cards[p][letter-'a']]]
}

func (r *rehearsal) names(p int, letters string) []string {
	list := []string{}
	for i := range letters {
		list = append(list, r.named(p, letters[i]))
	}
	return list
}

// words writes a move as in a script: "three", "discard HQ T4", "say call:T20".
func (r *rehearsal) words(seat table.Seat, m tarokk.Move) string {
	p := slices.Index(r.state.Deal.Seats[:], seat)
	switch {
	case m.Call != nil:
		return string(*m.Call)
	case m.Discard != nil:
		return "discard " + strings.Join(slices.Sorted(slices.Values(r.names(p, *m.Discard))), " ")
	case m.Disclose != nil:
		return strings.TrimSpace("disclose " + strings.Join(slices.Sorted(slices.Values(r.names(p, m.Disclose.Tarokks))), " "))
	case m.Say != nil:
		return strings.TrimSpace("say " + strings.Join(m.Say.Turn, " "))
	case m.Play != nil:
		return strings.TrimSuffix("play "+m.Play.Face+"/"+m.Play.Side, "/")
	case m.Annul != nil:
		return strings.TrimSpace("annul " + *m.Annul)
	case m.Fee != nil:
		return strings.TrimSpace("fee " + strings.Join(*m.Fee, " "))
	case m.Wish != nil:
		return "wish " + *m.Wish
	case m.Packet != nil:
		return fmt.Sprintf("packet %d", *m.Packet)
	case m.Open != nil:
		return "open"
	}
	for verb, yes := range map[string]*bool{"knock": m.Knock, "confirm": m.Confirm, "trial": m.Trial, "claim": m.Claim} {
		if yes != nil {
			return fmt.Sprintf("%s %t", verb, *yes)
		}
	}
	r.Fatalf("a move without words: %+v", m)
	return ""
}

// sorted orders the cards of a line as words does.
func sorted(words string) string {
	verb, cards, _ := strings.Cut(words, " ")
	if verb != "discard" && verb != "disclose" {
		return words
	}
	return strings.TrimSpace(verb + " " + strings.Join(slices.Sorted(strings.FieldsSeq(cards)), " "))
}

// offers are the words of all moves that a seat may make.
func (r *rehearsal) offers(name byte) []string {
	r.Helper()
	seat := r.seatOf(name)
	if !slices.Contains(r.movers(), seat) {
		return nil
	}
	var list []string
	for _, m := range (tarokk.Rules{}).Moves(r.state, r.view(seat)) {
		list = append(list, r.words(seat, m))
	}
	return list
}

// run says lines such as "B:three". Whoever is due before the player of a line,
// or with a stage between, says as little as he may.
func (r *rehearsal) run(lines ...string) *rehearsal {
	r.Helper()
	for _, line := range lines {
		words := r.until(line)
		m, found := r.find(r.seatOf(line[0]), words)
		if !found {
			r.Fatalf("%q is not offered in stage %q: %v", line, r.state.Stage, r.offers(line[0]))
		}
		r.do(r.seatOf(line[0]), m)
	}
	return r
}

// find is the offered move with these words.
func (r *rehearsal) find(seat table.Seat, words string) (tarokk.Move, bool) {
	for _, m := range (tarokk.Rules{}).Moves(r.state, r.view(seat)) {
		if r.words(seat, m) == sorted(words) {
			return m, true
		}
	}
	return tarokk.Move{}, false
}

// until plays quietly until a line is due, and returns its words.
func (r *rehearsal) until(line string) string {
	r.Helper()
	name, words, _ := strings.Cut(line, ":")
	verb, _, _ := strings.Cut(words, " ")
	if slices.Contains([]string{"pass", "hold", "three", "two", "one", "solo"}, verb) {
		verb = "call"
	}
	for range maxSteps {
		movers := r.movers()
		due := stageVerbs[r.state.Stage]
		if r.state.Stage == tarokk.Knocking {
			due = map[bool]string{false: "knock", true: "packet"}[r.state.Deal.Knocked]
		}
		if due == verb && slices.Contains(movers, r.seatOf(name[0])) {
			return words
		}
		r.quiet()
	}
	r.Fatalf("%q is never due", line)
	return ""
}

// quiet makes the least move of the first mover.
func (r *rehearsal) quiet() {
	r.Helper()
	seat := r.movers()[0]
	moves := tarokk.Rules{}.Moves(r.state, r.view(seat))
	if len(moves) == 0 {
		r.Fatalf("%s: seat %d has no move", r.state.Stage, seat)
	}
	r.do(seat, slices.MinFunc(moves, func(a, b tarokk.Move) int { return r.loudness(seat, a) - r.loudness(seat, b) }))
}

// loudness is how much a move says.
func (r *rehearsal) loudness(seat table.Seat, m tarokk.Move) int {
	p := slices.Index(r.state.Deal.Seats[:], seat)
	n := 0
	switch {
	case m.Call != nil && *m.Call != "pass", m.Annul != nil && *m.Annul != "", m.Knock != nil && *m.Knock, m.Wish != nil && *m.Wish != "go":
		n = 1
	case m.Say != nil:
		if n = 2 * len(m.Say.Turn); n > 0 && !slices.Contains(m.Say.Turn, "call:T20") {
			n++
		}
	case m.Discard != nil:
		for i := range *m.Discard {
			f := r.faces[r.state.Deal.Cards[p][(*m.Discard)[i]-'a']]
			if n += deck.Points(f); deck.IsTarokk(f) {
				n += 10
			}
		}
	case m.Confirm != nil && !*m.Confirm, m.Trial != nil && !*m.Trial, m.Claim != nil && *m.Claim:
		n = 1
	}
	return n
}

// do makes a move that must be allowed.
func (r *rehearsal) do(seat table.Seat, m tarokk.Move) {
	r.Helper()
	if err := (tarokk.Rules{}).Check(r.state, r.view(seat), m); err != nil {
		r.Fatalf("%s: seat %d: %s: %v", r.state.Stage, seat, r.words(seat, m), err)
	}
	said := func(tarokk.State, table.View) (tarokk.Move, bool) { return m, true }
	testmust.Do(r, r.move(seat, slices.Repeat([]chooser{said}, len(r.state.Members))))
}

// refuses checks that a player may not make a move, for a reason that names the
// rule, or because he could not prove it.
func (r *rehearsal) refuses(line string, m tarokk.Move, rule string) {
	r.Helper()
	r.until(line)
	err := tarokk.Rules{}.Check(r.state, r.view(r.seatOf(line[0])), m)
	if err == nil || !strings.Contains(err.Error(), rule) {
		r.Errorf("%s: %+v: %v, want %q", line, m, err, rule)
	}
}

// offered checks whether a line is among the moves that its player may make.
func (r *rehearsal) offered(line string, want bool) {
	r.Helper()
	words := r.until(line)
	if _, is := r.find(r.seatOf(line[0]), words); is != want {
		r.Errorf("%s is offered: %t, want %t, of %.300v", line, is, want, r.offers(line[0]))
	}
}

// finish plays quietly until one more deal is over, and returns it.
func (r *rehearsal) finish() tarokk.Settled {
	r.Helper()
	before := len(r.state.Past)
	for len(r.state.Past) == before {
		r.quiet()
	}
	return r.state.Past[before]
}

// letters are those of a player's cards, in order.
func (r *rehearsal) letters(name byte, cards string) string {
	r.Helper()
	p := int(name - 'A')
	out := ""
	for i := range r.state.Deal.Held[p] {
		letter := r.state.Deal.Held[p][i]
		if slices.Contains(strings.Fields(cards), r.named(p, letter)) {
			out += string(letter)
		}
	}
	if len(out) != len(strings.Fields(cards)) {
		r.Fatalf("%c does not hold all of %s", name, cards)
	}
	return out
}
