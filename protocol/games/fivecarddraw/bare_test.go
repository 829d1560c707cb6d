package fivecarddraw_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// bare is the rules alone, with cards that the test can see: no suite, no messages.
type bare struct {
	fivecarddraw.Rules
	s     fivecarddraw.State
	faces []card.Face              // by place
	open  map[table.Card]card.Face // to everybody
	mixes func(faces []card.Face)  // shuffles

	disclosing func() // called when locks are due
}

// begin sets a table up and plays to its first move.
func begin(t testing.TB, seats, deals int, o options, mixes func([]card.Face)) *bare {
	t.Helper()
	b := &bare{mixes: mixes}
	s, _, err := b.Setup(table.Config{Seats: seats, Deals: deals, Options: o})
	testmust.Do(t, err)
	b.s = s
	b.steps()
	return b
}

// random shuffles by a seed.
func random(r *rand.Rand) func([]card.Face) {
	return func(faces []card.Face) {
		r.Shuffle(len(faces), func(i, j int) { faces[i], faces[j] = faces[j], faces[i] })
	}
}

// stacked puts hands on top of the pack, one card each in turn, the first hand for the seat left of the
// dealer; then the stock; then the rest in order. "AS KS QS JS 10S" is a hand.
func stacked(t testing.TB, stock string, hands ...string) func([]card.Face) {
	t.Helper()
	var top []card.Face
	parse := func(name string) {
		f, err := fivecarddraw.ParseFace(name)
		testmust.Requiref(t, err == nil && !slices.Contains(top, card.Face(f)), "%s twice, or no card: %v", name, err)
		top = append(top, card.Face(f))
	}
	for j := range 5 {
		for _, hand := range hands {
			parse(strings.Fields(hand)[j])
		}
	}
	for _, name := range strings.Fields(stock) {
		parse(name)
	}
	return func(faces []card.Face) {
		rest := slices.DeleteFunc(slices.Clone(faces), func(f card.Face) bool { return slices.Contains(top, f) })
		copy(faces, slices.Concat(top, rest))
	}
}

// steps takes all steps until a move is due.
func (b *bare) steps() {
	for {
		duties := b.Duties(b.s)
		if len(duties) == 0 || duties[0].Kind == table.Move {
			return
		}
		if duties[0].Kind == table.Shuffle {
			b.open, b.faces = map[table.Card]card.Face{}, make([]card.Face, fivecarddraw.DeckSize)
			for i := range b.faces {
				b.faces[i] = card.Face(i)
			}
			b.mixes(b.faces)
		}
		if b.s.Stage == fivecarddraw.Disclosing && b.disclosing != nil {
			b.disclosing()
		}
		if d := b.s.Deal; duties[0].Kind == table.Mix {
			some := make([]card.Face, len(d.Returned))
			for i, c := range d.Returned {
				some[i] = b.faces[c]
			}
			b.mixes(some)
			for i, c := range d.Returned {
				b.faces[c] = some[i]
			}
		}
		b.s = b.Settle(b.s, b.open)
	}
}

// mover is the seat that is to move; false if the table is over.
func (b *bare) mover() (table.Seat, bool) {
	duties := b.Duties(b.s)
	if len(duties) == 0 {
		return 0, false
	}
	return duties[0].Seats[0], true
}

// view is what a seat sees of the cards it was dealt.
func (b *bare) view(seat table.Seat) table.View {
	v := table.View{Seat: seat, Faces: map[table.Card]card.Face{}}
	for _, places := range [][]table.Card{b.s.Deal.Hands[seat], b.s.Deal.Aside(seat)} { // what is returned is another card
		for _, c := range places {
			v.Faces[c] = b.faces[c]
		}
	}
	v.Dealt = v.Faces
	return v
}

// move makes a move of a seat, with the checks that the kernel adds to the rules.
func (b *bare) move(seat table.Seat, m fivecarddraw.Move) error {
	if due, ok := b.mover(); !ok || due != seat {
		return fmt.Errorf("seat %d is not to move, but %d", seat, due)
	}
	s, terms, err := b.Apply(b.s, table.Input[fivecarddraw.Move]{Seat: seat, Move: m, Faces: b.open})
	if err != nil {
		return err
	}
	for _, c := range terms.Open {
		if _, twice := b.open[c.Card]; twice || b.faces[c.Card] != c.Face {
			return fmt.Errorf("card %d is %v, open before: %v", c.Card, fivecarddraw.Face(b.faces[c.Card]), twice)
		}
		b.open[c.Card] = c.Face
	}
	if len(terms.Prove) > 0 {
		return fmt.Errorf("conditions %v", terms.Prove)
	}
	b.s = s
	b.steps()
	return nil
}

// read reads a seat's word: k check, c call, f fold, a number a total, dN… discard the cards of the
// hand with those indexes ("d" none), pN,… pick places, s show, m muck, o show all openers, o- show
// none.
func (b *bare) read(seat table.Seat, word string) (m fivecarddraw.Move, err error) {
	hand, moves := b.s.Deal.Hands[seat], b.Moves(b.s, b.view(seat))
	if len(moves) == 0 {
		return m, fmt.Errorf("seat %d is not to move", seat)
	}
	switch word[0] {
	case 'k':
		m.Check = true
	case 'c':
		m.Call = true
	case 'f':
		m.Fold = true
	case 'm':
		m.Muck = true
	case 's':
		m = moves[0]
	case 'o':
		m = moves[len(word)-1]
	case 'd':
		cards := []table.Card{}
		for _, i := range word[1:] {
			cards = append(cards, hand[i-'0'])
		}
		m.Discard = &cards
	case 'p':
		err = json.Unmarshal([]byte("["+word[1:]+"]"), &m.Pick)
	default:
		m.To, err = strconv.Atoi(word)
	}
	return m, err
}

// say plays words "1:k 2:2 0:f".
func (b *bare) say(t testing.TB, words string) *bare {
	t.Helper()
	sum := b.sum()
	for _, word := range strings.Fields(words) {
		who, what, _ := strings.Cut(word, ":")
		seat, err := strconv.Atoi(who)
		var m fivecarddraw.Move
		if err == nil {
			m, err = b.read(table.Seat(seat), what)
		}
		if err == nil {
			err = b.move(table.Seat(seat), m)
		}
		if err == nil && b.sum() != sum {
			err = fmt.Errorf("FD-R-02: %d chips, there were %d", b.sum(), sum)
		}
		testmust.Do(t, err, word)
	}
	return b
}

// sum is the number of all chips.
func (b *bare) sum() int {
	sum := b.s.InMiddle()
	for _, n := range b.s.Chips {
		sum += n
	}
	return sum
}

// refuses checks that the rules refuse a word, and by which rule.
func (b *bare) refuses(t testing.TB, rule, word string) {
	t.Helper()
	who, what, _ := strings.Cut(word, ":")
	seat, _ := strconv.Atoi(who)
	m := testmust.Have(b.read(table.Seat(seat), what))(t, word)
	b.refusesMove(t, rule, table.Seat(seat), m)
}

func (b *bare) refusesMove(t testing.TB, rule string, seat table.Seat, m fivecarddraw.Move) {
	t.Helper()
	err := b.move(seat, m)
	testmust.Holdf(t, err != nil && strings.HasPrefix(err.Error(), rule+":"), "%+v of seat %d: %v, want %s", m, seat, err, rule)
}

// plays plays a table to its end, with moves chosen for the seat that is to move, and calls each after
// every move.
func (b *bare) plays(t testing.TB, choose func(table.Seat, table.View) (fivecarddraw.Move, bool), each func()) {
	t.Helper()
	for seat, due := b.mover(); due; seat, due = b.mover() {
		m, ok := choose(seat, b.view(seat))
		testmust.Requiref(t, ok, "seat %d has no move in %+v", seat, b.s)
		testmust.Do(t, b.move(seat, m), m, "of seat", seat)
		each()
	}
}

// numbered matches the beginning of an error: the number of a rule.
var numbered = regexp.MustCompile(`^(FD-R-\d\d|92\.\d+): `)

// A move signed by a seat, whatever is in it, that panics, changes the state it is made in, is refused
// under no number of the rules, makes or loses a chip, or leads to a state that panics when it is asked
// what is due.
func FuzzApply(f *testing.F) {
	for which := range mixtures {
		b := begin(f, mixtures[which].Seats, 3, mixtures[which].Options, random(rand.New(rand.NewPCG(1, 1))))
		r := rand.New(rand.NewPCG(2, 2))
		for at := byte(0); at < 40; at++ {
			seat, due := b.mover()
			if !due {
				break
			}
			moves := b.Moves(b.s, b.view(seat))
			m := moves[r.IntN(len(moves))]
			raw, err := wire.EncodeBody(m)
			if err == nil {
				err = b.move(seat, m)
			}
			testmust.Do(f, err)
			f.Add(byte(which), at, uint64(2), []byte(raw))
		}
	}
	f.Fuzz(func(t *testing.T, which, at byte, seed uint64, move []byte) {
		c := mixtures[int(which)%len(mixtures)]
		b := begin(t, c.Seats, 3, c.Options, random(rand.New(rand.NewPCG(1, 1))))
		r := rand.New(rand.NewPCG(seed, 2))
		for ; at > 0; at-- {
			seat, due := b.mover()
			if !due {
				return
			}
			moves := b.Moves(b.s, b.view(seat))
			testmust.Do(t, b.move(seat, moves[r.IntN(len(moves))]))
		}
		var m fivecarddraw.Move
		seat, due := b.mover()
		if !due || wire.DecodeCanonical(json.RawMessage(move), &m) != nil {
			return
		}
		before := b.s
		printed, _ := json.Marshal(before)
		next, _, err := b.Apply(b.s, table.Input[fivecarddraw.Move]{Seat: seat, Move: m, Faces: b.open})
		after, _ := json.Marshal(before)
		testmust.Hold(t, string(after) == string(printed) && reflect.DeepEqual(before, b.s), "the state before has changed")
		if err != nil {
			testmust.Hold(t, numbered.MatchString(err.Error()), "no rule has the number of", err)
			return
		}
		testmust.Do(t, chips(next))
		b.s = next
		b.steps()
	})
}

// deferred runs a test at a table whose suite defers, where fouls are refused and where
// they are recorded.
func deferred(t *testing.T, seats, deals int, o options, test func(*played)) {
	t.Helper()
	bothPolicies(t, func(t *testing.T, fouls wire.FoulRule) {
		test(sit(t, tabletest.Config{Seats: seats, Deals: deals, Options: o, Suite: clear.DeferredSuite{}, Fouls: fouls}, 3))
	})
}

// slips makes a cheat's message in place of the next honest one. It is applied; slips returns its seat
// and its place.
func (p *played) slips(change func(*wire.Message)) (table.Seat, int) {
	p.Helper()
	entry := testmust.Have(p.Forge(testmust.Have(p.Next())(p.T), change))(p.T)
	testmust.Do(p.T, p.Add(entry))
	return table.Seat(p.ParseMessage(entry).Seat), len(p.Entries) - 1
}

// Cheat 1, where nothing is proved: a second ace in the shuffle; a card masked for keys that nobody
// has. The seat that holds the card, or sees it opened, need not know whose doing it was.
func TestBadShuffleIsDisclosed(t *testing.T) {
	for _, o := range []options{{"disclose": "table"}, {"disclose": "deal"}, {"draw": "one-by-one", "showdown": "all"}} {
		deferred(t, 3, 2, o, func(p *played) {
			p.due(table.Shuffle)
			seat, at := p.slips(func(m *wire.Message) {
				in, key := p.State.Deck()
				order := make([]uint16, len(in))
				for i := range order {
					order[i] = uint16(i / 2 * 2) // every second card, twice
				}
				doubled, _, err := clear.Arrange(key, in, order, p.Random)
				testmust.Do(p.T, err)
				verifiertest.EditValues(func(v [][]byte) [][]byte {
					for i, c := range doubled {
						v[i] = c.Bytes()
					}
					return v
				})(m)
			})
			testmust.Do(p.T, p.Play(-1))
			verifiertest.CheckBlamed(p.T, p.Table, "every second card twice", seat, table.CheckStep, at)
		})
	}
}

// A finished deal of which nothing is checked yet counts as proved.
func TestUncheckedDealsDoNotCount(t *testing.T) {
	deferred(t, 3, 2, options{"disclose": "table"}, func(p *played) {
		p.due(table.Disclose)
		counted := p.State.Sheet().Deals
		testmust.Holdf(p, len(counted) == 0, "before anything is disclosed %d deals count", len(counted))
		testmust.Do(p.T, p.Play(-1))
		result, _ := p.State.Result()
		if sheet := p.State.Sheet(); len(sheet.Deals) != 2 || !slices.Equal(sheet.Sums(3), result) {
			p.Errorf("when all is checked the deals are %v, and the result is %v", sheet, result)
		}
	})
}

// Cheat 3, where nothing is proved: tokens that make the cards of another seat others, or none.
func TestFalseTokenIsDisclosed(t *testing.T) {
	deferred(t, 3, 1, options{"showdown": "all"}, func(p *played) {
		p.due(table.Show)
		seat, at := p.slips(verifiertest.EditValues(func(v [][]byte) [][]byte { slices.Reverse(v); return v }))
		testmust.Do(p.T, p.Play(-1))
		verifiertest.CheckBlamed(p.T, p.Table, "tokens exchanged", seat, table.CheckStep, at)
	})
}

// Cheat 21: another lock, a false order, the lock of a seat that has not shuffled this deal:
// a foul there and then.
func TestFalseDisclosure(t *testing.T) {
	deferred(t, 2, 2, options{"rules": "by-email"}, func(p *played) {
		p.due(table.Disclose)
		lock := func(name string, check table.Check, change func(*wire.DisclosedDeal)) lie {
			return p.ForgedLie(name, check, testmust.Have(p.Next())(p.T), func(m *wire.Message) {
				var b wire.DiscloseBody
				testmust.Do(p.T, wire.DecodeBody(m.Body, &b))
				change(&b.Deals[0])
				m.Body = testmust.Have(wire.EncodeBody(b))(p.T)
			})
		}
		p.caught([]lie{
			lock("another lock", table.CheckLock, func(d *wire.DisclosedDeal) { d.Lock[len(d.Lock)-1] ^= 1 }),
			lock("a false order", table.CheckLock, func(d *wire.DisclosedDeal) { slices.Reverse(d.Order) }),
			lock("another deal", table.CheckValues, func(d *wire.DisclosedDeal) { d.Deal++ }),
		})
	})
}

// Cheat 21, FD-P-08, FD-R-56: a seat that says nothing. It is named, alone; with disclose=deal before the next
// deal is shuffled. The verdict stays open, and the score is what the table agreed on.
func TestSilentSeat(t *testing.T) {
	for _, o := range []options{{}, {"disclose": "deal"}, {"disclose": "deal", "silent": "forfeits"}, {"silent": "forfeits"}} {
		deferred(t, 3, 2, o, func(p *played) {
			p.due(table.Disclose)
			deal := public(p.Table).Deal.Number
			testmust.Requiref(t, deal == 1 == (o["disclose"] == "deal"), "locks are due in deal %d", deal)
			for _, seat := range []table.Seat{2, 0} {
				testmust.Do(p.T, p.Add(testmust.Have(p.HonestMessage(seat, table.Duty{Kind: table.Disclose}, nil))(p.T)))
			}
			r := verifiertest.NewLog(p.T, p.Table).Verify(p.T)
			testmust.Holdf(p, r.Verdict == verifier.Unfinished && len(r.Owing) == 1 && slices.Equal(r.Owing[0].Duty.Seats, []table.Seat{1}) && r.Result == nil,
				"%s with %v, owing %+v; want seat B alone", r.Verdict, r.Result, r.Owing)
			f := r.Forfeit
			testmust.Holdf(p, (f != nil) == (o["silent"] == "forfeits") && (f == nil || f.Seat == 1), "forfeits %+v", f)
			testmust.Do(p.T, p.Play(-1))
			r = verifiertest.NewLog(p.T, p.Table).Verify(p.T)
			testmust.Holdf(p, r.Verdict == verifier.Sound, "late, and all is well: %s, %v", r.Verdict, r.Findings)
		})
	}
}

// Cheat 21: a seat disputes a good card, so as not to lose.
func TestFalseDispute(t *testing.T) {
	deferred(t, 2, 1, options{"rules": "by-email"}, func(p *played) {
		p.say("any", "any", "to 5")
		seat := p.due(table.Move)
		entry := testmust.Have(p.Sign(seat, table.Dispute, wire.DisputeBody{Card: int(public(p.Table).Deal.Hands[seat][2])}))(p.T)
		testmust.Do(p.T, p.Add(entry))
		at := len(p.Entries) - 1
		testmust.Do(p.T, p.Play(-1))
		verifiertest.CheckBlamed(p.T, p.Table, "a good card", seat, table.CheckDispute, at)
	})
}
