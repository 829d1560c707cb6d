package tarokk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// chooser makes the moves of a seat: sensible as the bot, reckless any that there is, and silent any, but that
// it announces no figure, and annuls nothing.
type chooser func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error)

func sensible(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	return t.Choose(seat, random)
}

func reckless(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	moves := t.Moves(seat)
	return moves[random.IntN(len(moves))], nil
}

func silent(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
	switch moves := t.Moves(seat); decode(t.State).Stage {
	case tarokk.Announcing:
		return moves[0], nil
	case tarokk.Annulling:
		return moves[len(moves)-1], nil
	}
	return reckless(t, seat, random)
}

// chosen is a table at which a chooser makes the moves of each seat, or of all. The cards of its
// first deal depend on the seed alone.
func chosen(t testing.TB, c tabletest.Config, seed uint64, seats ...chooser) *tabletest.Table {
	t.Helper()
	played, random := testmust.Have(tabletest.New(game, c, seed))(t), rand.New(rand.NewPCG(seed, 1))
	for len(played.State.Duties()) > 0 {
		d := played.State.Duties()[0]
		if d.Kind != table.Move {
			testmust.Do(t, played.Play(1))
			continue
		}
		seat := d.Seats[0]
		move := testmust.Have(seats[int(seat)%len(seats)](played, seat, random))(t)
		testmust.Do(t, played.Add(testmust.Have(played.HonestMessage(seat, d, move))(t)))
	}
	return played
}

// One source of chance gives one game: a bot that looks at the clock, or goes
// through a map, cannot be replayed.
func TestBotIsDeterministic(t *testing.T) {
	c := tabletest.Config{Seats: 5, Options: options{"ending": "skiz"}}
	testmust.Hold(t, slices.EqualFunc(chosen(t, c, 1, sensible).Entries, chosen(t, c, 1, sensible).Entries, slices.Equal), "two games from one source of chance differ")
}

// Two bots beat two who play anything, on the same cards with the seats changed:
// otherwise its judgement is none. Against those who announce anything it wins
// by contras that need no judgement, so there are others who announce nothing.
func TestBotBeatsChance(t *testing.T) {
	testmust.OnlyThorough(t, "hundreds of deals are played")
	const deals = 100
	c := tabletest.Config{Seats: 4, Options: options{"seat-draw": "false"}}
	for _, other := range []struct {
		name    string
		plays   chooser
		atLeast float64
	}{{"anything", reckless, 20}, {"anything but figures", silent, 1.5}} {
		sum := 0
		for seed := range uint64(deals) {
			for first, seats := range [][]chooser{{sensible, other.plays}, {other.plays, sensible}} {
				result, _ := chosen(t, c, seed, seats...).State.Result()
				sum += result[first] + result[first+2]
			}
		}
		won := float64(sum) / (4 * deals)
		t.Logf("against seats that play %s: %+.1f points per deal and seat", other.name, won)
		testmust.Holdf(t, won >= other.atLeast, "against seats that play %s the bot wins %.1f per deal and seat, want %v", other.name, won, other.atLeast)
	}
}

// The announcements of bots end soon: every message costs a person a moment.
func TestBotsSaySoLittle(t *testing.T) {
	deals := 5
	if testmust.Thorough() {
		deals = 200
	}
	turns, messages := 0, 0
	for seed := range uint64(deals) {
		played := chosen(t, tabletest.Config{Seats: 4}, seed, sensible)
		messages += played.State.CountApplied()
		if a := decode(played.State).Deal.Announce; a != nil {
			turns += a.Turns
		}
	}
	t.Logf("%.1f turns of announcements and %.1f messages per deal", float64(turns)/float64(deals), float64(messages)/float64(deals))
	testmust.Hold(t, turns <= 6*deals, turns, "turns in", deals, "deals")
}

// BenchmarkBotDeal is a deal of four bots with proofs in the clear. What they think is reported besides.
func BenchmarkBotDeal(b *testing.B) {
	var thought time.Duration
	for seed := range uint64(b.N) {
		chosen(b, tabletest.Config{Seats: 4}, seed, func(t *tabletest.Table, seat table.Seat, random *rand.Rand) (json.RawMessage, error) {
			defer func(start time.Time) { thought += time.Since(start) }(time.Now())
			return t.Choose(seat, random)
		})
	}
	b.ReportMetric(float64(thought.Microseconds())/1000/float64(b.N), "ms-thought/op")
}

// scripted is a table of four, A to D, after some moves. What a move has to
// prove is not asked: only the bot's hand is known.
type scripted struct {
	*testing.T
	state tarokk.State
	open  map[table.Card]card.Face
}

func script(t *testing.T, calls string) *scripted {
	state, _, err := tarokk.Rules{}.Setup(table.Config{Seats: 4, Deals: 1, Options: options{"seat-draw": "false"}})
	testmust.Do(t, err)
	s := &scripted{T: t, state: state, open: map[table.Card]card.Face{}}
	s.settle()
	for _, call := range strings.Fields(calls) {
		s.do(`{"call":"` + call + `"}`)
	}
	return s
}

func (s *scripted) settle() {
	for d := (tarokk.Rules{}).Duties(s.state); len(d) > 0 && d[0].Kind != table.Move; d = (tarokk.Rules{}).Duties(s.state) {
		s.state = tarokk.Rules{}.Settle(s.state, s.open)
	}
}

// do makes a move of whoever moves next.
func (s *scripted) do(move string) {
	s.Helper()
	var m tarokk.Move
	testmust.Do(s, json.Unmarshal([]byte(move), &m))
	seat := tarokk.Rules{}.Duties(s.state)[0].Seats[0]
	next, terms, err := tarokk.Rules{}.Apply(s.state, table.Input[tarokk.Move]{Seat: seat, Move: m, Faces: s.open})
	testmust.Requiref(s, err == nil, "%s: %v", move, err)
	for _, shown := range terms.Open {
		s.open[shown.Card] = shown.Face
	}
	s.state = next
	s.settle()
}

// exchange lays away what was drawn, and goes on to the announcements, or till somebody may annul. One
// player may say that a tarokk is in the discard.
func (s *scripted) exchange(tarokkOf int, annuls bool) *scripted {
	for s.state.Stage == tarokk.Discarding {
		p := s.mover()
		s.do(fmt.Sprintf(`{"discard":%q}`, "jkl"[:len(s.state.Deal.Held[p])-9]))
	}
	for s.state.Stage == tarokk.Disclosing {
		gone := ""
		if p := s.mover(); p == tarokkOf {
			gone = "j"
		}
		s.do(fmt.Sprintf(`{"disclose":{"tarokks":%q}}`, gone))
	}
	for s.state.Stage == tarokk.Annulling && !annuls {
		s.do(`{"annul":""}`)
	}
	return s
}

func (s *scripted) mover() int { return int((tarokk.Rules{}).Duties(s.state)[0].Seats[0]) }

// say makes turns of the announcements, of statements with a comma between.
func (s *scripted) say(turns ...string) *scripted {
	for _, turn := range turns {
		said, _ := json.Marshal(strings.FieldsFunc(turn, func(r rune) bool { return r == ',' }))
		s.do(fmt.Sprintf(`{"say":{"turn":%s}}`, said))
	}
	return s
}

// play lays cards, of each hand from the last letter on.
func (s *scripted) play(faces string) *scripted {
	for _, face := range strings.Fields(faces) {
		held := s.state.Deal.Held[s.mover()]
		s.do(fmt.Sprintf(`{"play":{"card":%q,"face":%q}}`, held[len(held)-1:], face))
	}
	return s
}

// sees is what the player sees who moves next and holds hand, in the order of the letters; none of
// it may be the last letters that play used.
func (s *scripted) sees(hand string) table.View {
	p := s.mover()
	v := table.View{Seat: table.Seat(p), Faces: maps.Clone(s.open), Dealt: map[table.Card]card.Face{}}
	for i, name := range strings.Fields(hand) {
		place := s.state.Deal.Cards[p][i]
		v.Faces[place] = testmust.Have(tarokk.ParseFace(name))(s)
		v.Dealt[place] = v.Faces[place]
	}
	return v
}

// chooses is what the bot does who moves next and holds hand.
func (s *scripted) chooses(hand string) string {
	m, acts := tarokk.Rules{}.Choose(s.state, s.sees(hand), rand.New(rand.NewPCG(1, 1)))
	switch {
	case !acts:
		s.Fatal("the bot waits")
	case m.Call != nil:
		return string(*m.Call)
	case m.Discard != nil:
		var names []string
		for _, letter := range *m.Discard {
			names = append(names, strings.Fields(hand)[letter-'a'])
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	case m.Annul != nil:
		return *m.Annul
	case m.Say != nil:
		return strings.Join(m.Say.Turn, ",")
	}
	return m.Play.Face
}

// Bids of the textbook.
func TestBotBids(t *testing.T) {
	for _, c := range []struct{ why, calls, hand, want string }{
		{"skíz and five tarokks", "", "T22 T17 T12 T9 T5 HK DA CT CJ", "three"},
		{"no honour, whatever else", "", "T20 T19 T18 T15 T9 T7 HK DK CK", "pass"},
		{"an honour alone", "", "T1 T12 T9 HK DK CK SJ ST HQ", "pass"},
		{"XIX and a big honour, long: an invit", "", "T22 T19 T17 T12 T9 T4 HK DA CT", "two"},
		{"XVIII and a big honour, long: an invit", "", "T21 T18 T17 T12 T9 T4 HK DA CT", "one"},
		{"XIX, but the pagát alone: no invit, for it would oblige to an ultimó", "", "T1 T19 T17 T12 T9 T4 HK DA CT", "three"},
		{"nearly a solo hand: it stands alone", "", "T22 T21 T20 T17 T15 T12 T9 T7 HK", "solo"},
		{"XX and a big honour: yields to two", "three two pass pass", "T21 T20 T9 T5 T3 HQ DA CT CJ", "pass"},
		{"no XX: holds rather than to yield", "three two pass pass", "T21 T17 T9 T5 T3 HQ DA CT CJ", "hold"},
		{"strong over a three", "three pass pass", "T22 T21 T15 T12 T9 T7 HK DA CT", "two"},
		{"weak over a three", "three pass pass", "T22 T15 T12 T9 T7 HK DA CT CJ", "pass"},
		{"three tarokks are too few for the fourth, too", "pass pass pass", "T21 T12 T9 HA DA DJ CT CJ ST", "pass"},
		{"but after three passes less will do", "pass pass pass", "T1 T14 T12 T9 T5 DA DJ DR CT", "three"},
		{"than for the third", "pass pass", "T1 T14 T12 T9 T5 DA DJ HR CT", "pass"},
	} {
		testmust.Equal(t, script(t, c.calls).chooses(c.hand), c.want, c.why, c.calls, "with", c.hand, "says")
	}
}

// Discards: queens and riders, voids; what counts for the other side is small.
func TestBotDiscards(t *testing.T) {
	const three, invited = "three pass pass pass", "two pass pass one pass"
	for _, c := range []struct {
		why, calls string
		before     int // discards of others
		hand, want string
	}{
		{"queens and riders, and two voids", three, 0, "T22 T17 T12 T9 T5 HQ DR DQ SK T2 HK HR", "DQ DR HQ"},
		{"voids before points: a king's suit is not emptied", three, 0, "T22 T17 T12 T9 T5 T3 HK HQ HR DJ CJ ST", "CJ DJ ST"},
		{"the declarer's partner gives little away", invited, 1, "T22 T19 T12 T9 T5 T3 HQ HR DA CT SJ", "CT DA"},
		{"what an opponent lays away counts for him", invited, 2, "T21 T17 T12 T9 T5 T3 HQ HR DA CT SJ", "HQ HR"},
		{"no plain card to lay away: the lowest tarokk, and not the XX", three, 0, "T22 T20 T12 T9 T5 T4 T3 T2 HK DK CK SK", "T2 T3 T4"},
	} {
		s := script(t, c.calls)
		for range c.before {
			s.do(fmt.Sprintf(`{"discard":%q}`, "jkl"[:len(s.state.Deal.Held[s.mover()])-9]))
		}
		testmust.Equal(t, s.chooses(c.hand), c.want, c.why, c.hand, "lays away")
	}
}

// Annulments of what is hopeless, and not of what is not.
func TestBotAnnuls(t *testing.T) {
	for hand, want := range map[string]string{
		"HK HQ HR DQ DR CT CJ SQ SJ":    "d",
		"T21 HQ HR DQ DR CT CJ SQ SJ":   "b",
		"T1 T21 HR DQ DR CT CJ SQ SJ":   "e",
		"T5 T6 T7 HK DK CK SK DQ CJ":    "a",
		"T22 T21 T7 T6 T5 HK DK CK SK":  "",
		"T22 T21 T20 T6 T5 HK DK CK SQ": "",
	} {
		testmust.Equal(t, script(t, "three pass pass pass").exchange(-1, true).chooses(hand), want, hand, "annuls")
	}
}

// What is said with a hand of nine after others have spoken.
func TestBotAnnounces(t *testing.T) {
	const three, invited = "three pass pass pass", "two pass pass one pass"
	for _, c := range []struct {
		why, calls string
		tarokkOf   int
		turns      string // by semicolons
		hand, want string
	}{
		{"the XX is called", three, -1, "", "T22 T17 T12 T9 T5 HK DK CK SQ", "call:T20"},
		{"or the highest below it, if it is one's own", three, -1, "", "T22 T20 T19 T12 T9 HK DK CK SQ", "call:T18"},
		{"the card of an invit", invited, -1, "", "T22 T17 T12 T9 T5 HK DK CK SQ", "call:T19"},
		{"still the XX, when the call is free", three, 2, "", "T22 T17 T12 T9 T5 HK DK CK SQ", "call:T20"},
		{"all honours", three, -1, "", "T22 T21 T12 T9 T5 T1 DK CK SQ", "call:T20,fig:trull"},
		{"the pagát and seven tarokks: the count first", three, -1, "", "T22 T18 T12 T9 T5 T4 T3 T1 DK", "count:8,call:T20,fig:pagat_ultimo"},
		{"the pagát and six are not enough", three, -1, "", "T22 T18 T12 T9 T5 T4 T1 CK DK", "call:T20"},
		{"nine tarokks: no king comes home against them", three, -1, "", "T22 T18 T12 T9 T5 T4 T3 T2 T6", "count:9,call:T20,fig:four_kings"},
		{"an opponent's middling hand passes", three, -1, "call:T20", "T21 T18 T12 T9 T5 T4 CQ CK DK", ""},
		{"an opponent's solo hand contras", three, -1, "call:T20", "T22 T21 T19 T18 T9 T5 T4 CK DK", "contra:game"},
		{"the same in the partner's hand waits", three, -1, "call:T20", "T22 T21 T20 T18 T9 T5 T4 CK DK", ""},
		{"an ultimó without the pagát", three, -1, "call:T20,fig:pagat_ultimo", "T18 T16 T12 T1 HK HQ CQ CK DK", "contra:DEC.pagat_ultimo"},
		{"a trull without the skíz", three, -1, "call:T20,fig:trull", "T22 T16 T12 T10 HK HQ CQ CK DK", "contra:DEC.trull"},
		{"the partner has the skíz himself", three, -1, "call:T20,fig:trull", "T22 T20 T12 T10 HK HQ CQ CK DK", ""},
	} {
		s := script(t, c.calls).exchange(c.tarokkOf, false)
		s.say(strings.Split(c.turns, ";")[:min(len(c.turns), 1)]...)
		testmust.Equal(t, s.chooses(c.hand), c.want, c.why, c.turns, "with", c.hand, "says")
	}
}

// Cards of the textbook. A declares a three and calls the XX; nobody says more.
func TestBotPlays(t *testing.T) {
	for _, c := range []struct{ why, played, hand, want string }{
		{"the declarer leads a tarokk, to draw", "", "T19 T17 T12 T9 T5 HK DJ CJ SQ", "T5"},
		{"but not the skíz, which waits for the XXI", "", "T22 T17 T12 T9 T5 HK DJ CJ SQ", "T5"},
		{"and not the XXI into the skíz", "", "T21 T17 T12 T9 T5 HK DJ CJ SQ", "T5"},
		{"the skíz takes the XXI", "T2 T21", "T22 T17 T12 T9 T5 HK DJ CJ SQ", "T22"},
		{"the XXI is not put under the skíz", "T22", "T21 T17 T12 T9 T5 HK DJ CJ SQ", "T5"},
		{"the last hand wins as cheaply as it can", "T10 T2 T3", "T18 T17 T14 T12 T5 HK DJ CJ SQ", "T12"},
		{"a king is caught by any tarokk", "CJ CQ CK", "T18 T17 T14 T12 T5 HK DJ DR SQ", "T5"},
		{"no tarokk is wasted on what a friend has won", "T22 T2 T3", "T20 T17 T14 T12 T5 HK DJ CJ SQ", "T5"},
		{"the pagát goes home with a friend", "T22 T2 T3", "T20 T17 T14 T1 HQ HK DJ CJ SQ", "T1"},
		{"a king goes home with a friend", "CJ CQ T4 T5 T22 T19 T2 T3 T11 T21 T10 T6", "T20 HQ HK HR DK SJ DJ CR SQ", "T20"},
	} {
		s := script(t, "three pass pass pass").exchange(-1, false).say("call:T20", "", "", "")
		testmust.Equal(t, s.play(c.played).chooses(c.hand), c.want, c.why, "after", c.played, c.hand, "plays")
	}
}
