package fivecarddraw_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// played is a table under way, with what its seats say.
type played struct {
	verifiertest.PlayedTable
}

func sit(t *testing.T, c tabletest.Config, seed uint64) *played {
	t.Helper()
	made := testmust.Have(tabletest.New(game, c, seed))(t)
	return &played{verifiertest.PlayedTable{T: t, Table: made}}
}

// due plays until a message of a kind is due, and returns the seat that owes it.
func (p *played) due(k table.Kind) table.Seat {
	p.Helper()
	d := testmust.Have(p.PlayUntil(k))(p.T)
	return d.Seats[0]
}

// say makes the seats that are due say words, one after another.
func (p *played) say(words ...string) *played {
	p.Helper()
	for _, w := range words {
		for p.State.Duties()[0].Kind != table.Move {
			testmust.Do(p.T, p.Play(1))
		}
		p.speak(w)
	}
	waits := func(d table.Duty) bool {
		return slices.Contains([]table.Kind{table.Move, table.Key, table.Shuffle}, d.Kind)
	}
	for len(words) > 0 && len(p.State.Duties()) > 0 && !waits(p.State.Duties()[0]) {
		testmust.Do(p.T, p.Play(1))
	}
	return p
}

// speak makes the seat that is due say a word, and takes no step after it.
func (p *played) speak(word string) {
	p.Helper()
	d := p.State.Duties()[0]
	entry, err := p.HonestMessage(d.Seats[0], d, p.move(d.Seats[0], word))
	if err == nil {
		err = p.Add(entry)
	}
	testmust.Requiref(p, err == nil, "%s: %v", word, err)
}

// move turns a word into a move: "to 12"; "draw 0 4", of the cards of the hand; "show"; or a move in
// JSON.
func (p *played) move(seat table.Seat, word string) json.RawMessage {
	p.Helper()
	var m fivecarddraw.Move
	verb, rest, _ := strings.Cut(word, " ")
	held := public(p.Table).Deal.Hands[seat]
	switch verb {
	case "fold":
		m.Fold = true
	case "check":
		m.Check = true
	case "call":
		m.Call = true
	case "muck":
		m.Muck = true
	case "to":
		m.To, _ = strconv.Atoi(rest)
	case "draw":
		away := []table.Card{}
		for digit := range strings.FieldsSeq(rest) {
			n, _ := strconv.Atoi(digit)
			away = append(away, held[n])
		}
		m.Discard = &away
	case "show":
		m.Show = p.turn(seat, held)
	case "any":
		return p.Moves(seat)[0]
	default:
		return json.RawMessage(word)
	}
	return p.encoded(m)
}

// turn turns up cards of the seat with their true faces; for cards that it does not know, with any
// faces.
func (p *played) turn(seat table.Seat, places []table.Card) (list []fivecarddraw.ShownCard) {
	faces := p.DealtFaces(seat)
	for _, c := range places {
		list = append(list, fivecarddraw.ShownCard{Card: c, Face: fivecarddraw.Face(faces[c])})
	}
	return list
}

type lie = verifiertest.Lie

// forbidden are moves that the rules do not allow.
func (p *played) forbidden(rule string, seat table.Seat, words ...string) (list []lie) {
	p.Helper()
	for _, w := range words {
		list = append(list, p.ForbiddenMoves(rule, seat, p.move(seat, w))...)
	}
	return list
}

// early are moves that their seat does not owe.
func (p *played) early(seat table.Seat, words ...string) (list []lie) {
	p.Helper()
	for _, w := range words {
		list = append(list, p.EarlyLie(w, seat, table.Move, wire.MoveBody{Move: p.move(seat, w), Tokens: [][]byte{}}))
	}
	return list
}

func (p *played) encoded(m fivecarddraw.Move) json.RawMessage {
	p.Helper()
	return testmust.Have(wire.EncodeBody(m))(p.T)
}

// forged is the next honest message with other values, signed by its seat.
func (p *played) forged(name string, check table.Check, change func([][]byte) [][]byte) lie {
	p.Helper()
	return p.ForgedLie(name, check, testmust.Have(p.Next())(p.T), verifiertest.EditValues(change))
}

// What may be done to a list of cards or tokens.
func repeated(v [][]byte) [][]byte   { v[0] = v[1]; return v }
func shortened(v [][]byte) [][]byte  { return v[1:] }
func lengthened(v [][]byte) [][]byte { return append(v, v[0]) }
func exchanged(v [][]byte) [][]byte  { v[0], v[1] = v[1], v[0]; return v }

// cheat is one of the cheats of 92.14: a table, what is played honestly, and the lies.
type cheat struct {
	number  int
	how     string
	seats   int
	deals   int
	options options
	script  []string
	lies    func(p *played) []lie
	suites  []string // suites to try it with; empty: all of them; "" is the clear suite
}

var (
	openTable = options{"limit": "none", "ante": "0", "stack": "50"}
	all       = options{"limit": "none", "ante": "0", "showdown": "all"}
)

var cheats = []cheat{
	{1, "in the shuffle", 3, 1, openTable, nil, func(p *played) []lie {
		p.due(table.Shuffle)
		return []lie{
			p.forged("a card twice", table.CheckShuffle, repeated),
			p.forged("51 cards", table.CheckValues, shortened),
			p.forged("53 cards", table.CheckValues, lengthened),
		}
	}, nil},
	{2, "leaves the pack as it is, and open", 3, 1, openTable, nil, func(p *played) []lie {
		p.due(table.Shuffle)
		masked, _ := p.State.Deck()
		check := table.CheckValues
		if p.Config.Suite.Name() == sra.Name {
			check = table.CheckShuffle // a card without lock is one like any other
		}
		return []lie{p.forged("no shuffle", check, func(v [][]byte) [][]byte {
			for i, c := range masked {
				v[i] = c.Bytes()
			}
			return v
		})}
	}, nil},
	{3, "tokens by another key", 3, 1, openTable, nil, func(p *played) []lie {
		p.due(table.Show)
		return append(p.FalseTokens(p.State.Duties()[0], 0), p.forged("tokens exchanged", table.CheckReveal, exchanged))
	}, nil},
	{4, "tokens of the deal before", 2, 2, openTable, []string{"fold"}, func(p *played) []lie {
		seat := p.due(table.Show)
		old := p.LastMessage(func(m *wire.Message) bool { return m.Kind == table.Show && table.Seat(m.Seat) == seat })
		return []lie{p.copied("signed again", table.CheckReveal, seat, old)} // sent again, it is an entry that the log has
	}, nil},
	{5, "shows another face", 2, 1, openTable, []string{"to 2", "call", "draw", "draw", "check", "check"}, func(p *played) []lie {
		seat := p.State.Duties()[0].Seats[0]
		show := p.turn(seat, public(p.Table).Deal.Hands[seat])
		for slices.ContainsFunc(show, func(s fivecarddraw.ShownCard) bool { return s.Face == show[0].Face+1 }) {
			show[0].Face++
		}
		show[0].Face = (show[0].Face + 1) % fivecarddraw.DeckSize
		return p.Bluffs(table.CheckFace, seat, p.encoded(fivecarddraw.Move{Show: show}))
	}, nil},
	{6, "shows what it put away", 2, 1, openTable, []string{"to 2", "call", "draw 0", "draw", "check", "check"}, func(p *played) []lie {
		d := public(p.Table).Deal
		seat := p.State.Duties()[0].Seats[0]
		return p.shows("FD-R-41", seat, slices.Concat(d.Away[seat], d.Hands[seat][1:]))
	}, nil},
	{7, "shows cards that are not its hand", 2, 1, openTable, []string{"to 2", "call", "draw", "draw", "check", "check"}, func(p *played) []lie {
		d := public(p.Table).Deal
		seat := p.State.Duties()[0].Seats[0]
		own, other := d.Hands[seat], d.Hands[1-seat]
		twice := p.turn(seat, own)
		twice[1].Face = twice[0].Face
		return slices.Concat(p.shows("FD-R-41", seat, append(slices.Clone(own[:4]), 40)), p.shows("FD-R-41", seat, slices.Sorted(slices.Values(append(slices.Clone(own[:4]), other[0])))),
			p.shows("FD-R-41", seat, own[:4]), p.shows("FD-R-41", seat, slices.Concat(own[:1], own[:4])), p.shows("FD-R-41", seat, slices.Concat(own, own[:1])),
			p.shows("FD-R-41", seat, []table.Card{own[4], own[3], own[2], own[1], own[0]}), p.ForbiddenMoves("FD-R-41", seat, p.encoded(fivecarddraw.Move{Show: twice})))
	}, nil},
	{8, "puts away after it has seen its new cards", 2, 1, openTable, []string{"check", "check", "draw 0", "draw 1"}, func(p *played) []lie {
		return slices.Concat(p.early(0, "draw 2"), p.forbidden("92.10", p.State.Duties()[0].Seats[0], "draw 2"))
	}, nil},
	{9, "puts away what it may not", 3, 1, openTable, []string{"check", "check", "check"}, func(p *played) []lie {
		hands := public(p.Table).Deal.Hands
		h := hands[1]
		return p.forbidden("FD-R-30", 1, fmt.Sprintf(`{"discard":[%d]}`, hands[2][0]), fmt.Sprintf(`{"discard":[%d,%d,%d,%d,%d,%d]}`, h[0], h[1], h[2], h[3], h[4], h[4]+1),
			fmt.Sprintf(`{"discard":[%d,%d]}`, h[0], h[0]), fmt.Sprintf(`{"discard":[%d,%d]}`, h[1], h[0]), `{"discard":[40]}`)
	}, nil},
	{10, "wants more cards than it put away", 3, 1, options{"limit": "none", "ante": "0", "stack": "50", "draw": "one-by-one"}, []string{"check", "check", "check"}, func(p *played) []lie {
		p.speak("draw 0")
		more := p.forged("a token more", table.CheckValues, lengthened)
		p.due(table.Move)
		return []lie{p.EarlyLie("a token that nobody asked for", 0, table.Show, wire.TokensBody{Tokens: [][]byte{}}), {Name: "a token more, later", Entry: more.Entry, Check: table.CheckParent}}
	}, nil},
	{10, "gives a token more", 3, 1, openTable, nil, func(p *played) []lie {
		p.due(table.Show)
		return []lie{p.forged("a token more", table.CheckValues, lengthened)}
	}, nil},
	{11, "bets when it is not asked", 3, 1, openTable, []string{"to 2", "fold"}, func(p *played) []lie {
		return slices.Concat(p.early(1, "to 9"), p.early(2, "to 9", "call"))
	}, nil},
	{12, "below the step, above the stack", 3, 1, openTable, []string{"to 10"}, func(p *played) []lie {
		return slices.Concat(p.forbidden("FD-R-25", 2, "to 12", "to 19"), p.forbidden("FD-R-22", 2, "to 51"))
	}, nil},
	{12, "above the pot", 3, 1, options{"limit": "pot", "ante": "2"}, []string{"to 6"}, func(p *played) []lie {
		return slices.Concat(p.forbidden("FD-R-24", 2, "to 25", "to 11", "to 7"))
	}, nil},
	{12, "a fifth bet", 2, 1, nil, []string{"to 2", "to 4", "to 6", "to 8"}, func(p *played) []lie {
		return p.forbidden("FD-R-23", 1, "to 10")
	}, nil},
	{12, "not the unit", 2, 1, nil, nil, func(p *played) []lie { return p.forbidden("FD-R-23", p.due(table.Move), "to 1", "to 3") }, nil},
	{14, "says what does not fit what it owes", 3, 1, openTable, []string{"to 4"}, func(p *played) []lie {
		return append(p.forbidden("FD-R-22", 2, "check", "to 4", "to 3", `{"to":-4}`), p.forbidden("92.10", 2, `{"fold":true,"call":true}`, `{}`, "muck")...)
	}, nil},
	{14, "calls nothing", 3, 1, openTable, nil, func(p *played) []lie { return p.forbidden("FD-R-22", p.due(table.Move), "call") }, nil},
	{16, "mucks where all show", 2, 1, all, []string{"to 2", "call", "draw", "draw", "check", "check"}, func(p *played) []lie {
		return slices.Concat(p.forbidden("FD-R-41", p.State.Duties()[0].Seats[0], "muck"), p.early(1-p.State.Duties()[0].Seats[0], "muck"))
	}, nil},
	{16, "mucks when not asked", 2, 2, openTable, []string{"check"}, func(p *played) []lie {
		return slices.Concat(p.early(1, "muck"), p.forbidden("92.10", 0, "muck"))
	}, nil},
	{17, "claims the pot", 2, 1, openTable, []string{"check", "check", "draw", "draw", "check", "check"}, func(p *played) []lie {
		return p.forbidden("", p.State.Duties()[0].Seats[0], `{"win":true}`, `{"pot":0}`)
	}, nil},
	{18, "signs two bets on one parent", 2, 1, openTable, nil, func(p *played) []lie {
		seat := p.due(table.Move)
		second := p.forbidden("", seat, "to 7")[0]
		p.say("to 3")
		second.Check = table.CheckParent
		return []lie{second}
	}, nil},
	{20, "picks places that are dealt", 2, 1, options{"rules": "by-email"}, []string{`{"pick":[0,1,2,3,4]}`}, func(p *played) []lie {
		seat := p.State.Duties()[0].Seats[0]
		return slices.Concat(p.forbidden("FD-R-35", seat, `{"pick":[4,5,6,7,8]}`, `{"pick":[5,6,7,8]}`, `{"pick":[9,8,7,6,5]}`, `{"pick":[5,6,7,8,52]}`, `{"pick":[5,5,6,7,8]}`),
			p.early(1-seat, `{"pick":[5,6,7,8,9]}`))
	}, nil},
	{22, "the opponent's card key", 2, 1, openTable, nil, func(p *played) []lie {
		testmust.Do(p.T, p.Play(1))
		first := p.ParseMessage(p.Entries[1])
		return []lie{p.copied("copied", table.CheckKey, table.Seat(1-first.Seat), first)}
	}, nil},
	{22, "the same lock in two deals", 2, 2, openTable, []string{"fold"}, func(p *played) []lie {
		seat := p.due(table.Key)
		old := p.LastMessage(func(m *wire.Message) bool { return m.Kind == table.Key && m.Seat == int(seat) })
		honest := testmust.Have(p.Next())(p.T)
		return []lie{
			p.copied("as it was", table.CheckKey, seat, old),
			p.ForgedLie("with the proof of the new one", table.CheckKey, honest, func(m *wire.Message) { m.Body = old.Body }),
		}
	}, []string{sra.Name}},
	{22, "lock 1, which locks nothing", 2, 1, openTable, nil, func(p *played) []lie {
		one, _ := hex.DecodeString("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76") // the base point
		return []lie{p.forged("lock 1", table.CheckValues, func([][]byte) [][]byte { return [][]byte{one} })}
	}, []string{sra.Name}},
	{23, "a seat that is out", 3, 3, options{"limit": "none", "ante": "0", "stack": "9"}, []string{"to 9", "call", "fold", "draw", "draw", "show", "show"}, func(p *played) []lie {
		s := public(p.Table)
		out := table.Seat(slices.Index(s.Chips, 0))
		testmust.Requiref(p, s.Deal.Number == 2, "deal %d: choose another seed", s.Deal.Number)
		return append(p.early(out, "check", "fold"), p.EarlyLie("shuffles", out, table.Shuffle, wire.CardsBody{Cards: [][]byte{}}))
	}, nil},
	{25, "the log drops a showdown", 2, 2, openTable, []string{"to 9", "call", "draw", "draw", "check", "check"}, func(p *played) []lie {
		dropped := played{verifiertest.PlayedTable{T: p.T, Table: p.Branch()}}
		dropped.say("show", "muck")
		return []lie{{Name: "the message after it", Entry: dropped.Entries[len(p.Entries)+1], Check: table.CheckParent}}
	}, nil},
	{26, "returns other cards than it put away", 6, 1, sixSeats, runOut, func(p *played) []lie {
		p.speak("draw 0 1 2 3 4")
		return []lie{
			p.forged("a card twice", table.CheckTransfer, repeated),
			p.forged("a card kept back", table.CheckValues, shortened),
			p.EarlyLie("what nobody asked for", 5, table.Return, wire.CardsBody{Cards: [][]byte{}}), // nobody drew for it yet
		}
	}, []string{"", suite.Default}},
	{27, "mixes what it likes into the stock", 6, 1, sixSeats, runOut, func(p *played) []lie {
		p.speak("draw 0 1 2 3 4")
		mixer := p.due(table.Mix)
		return []lie{
			p.forged("a card twice", table.CheckShuffle, repeated),
			p.forged("a card less", table.CheckValues, shortened),
			p.EarlyLie("before its turn", mixer+1, table.Mix, wire.CardsBody{Cards: [][]byte{}}),
		}
	}, []string{"", suite.Default}},
}

// runOut are six seats of which four have put all cards away, so that two cards are left.
var (
	sixSeats = options{"limit": "none", "ante": "0", "reshuffle": "discards"}
	runOut   = append(slices.Repeat([]string{"check"}, 6), slices.Repeat([]string{"draw 0 1 2 3 4"}, 4)...)
)

// shows are showdowns of some places, with their true faces if the seat knows them.
func (p *played) shows(rule string, seat table.Seat, places []table.Card) []lie {
	p.Helper()
	return p.ForbiddenMoves(rule, seat, p.encoded(fivecarddraw.Move{Show: p.turn(seat, places)}))
}

// copied is a message that a seat owes, with the body and the proofs of another message.
func (p *played) copied(name string, check table.Check, seat table.Seat, from *wire.Message) lie {
	p.Helper()
	honest := testmust.Have(p.HonestMessage(seat, p.State.DutiesOf(seat)[0], nil))(p.T)
	return p.ForgedLie(name, check, honest, func(m *wire.Message) { m.Body, m.Proofs = from.Body, from.Proofs })
}

// told is the table of a cheat, up to its lies.
func (c cheat) told(t *testing.T, config tabletest.Config) (*tabletest.Table, []lie) {
	t.Helper()
	config.Seats, config.Deals, config.Options = c.seats, c.deals, c.options
	p := sit(t, config, 3).say(c.script...)
	lies := c.lies(p)
	return p.Table, lies
}

// Each cheat of 92.14, as real messages: by a suite that hides nothing, one that remasks and one
// that locks (FD-R-30, FD-R-35).
func TestCheats(t *testing.T) {
	var list []verifiertest.Cheat
	for _, c := range cheats {
		list = append(list, verifiertest.Cheat{ID: strconv.Itoa(c.number), How: c.how, Suites: c.suites, Told: c.told})
	}
	verifiertest.TryCheats(t, list, "", suite.Default, sra.Name)
}

// bothPolicies runs a test where fouls are refused, and where they are recorded.
func bothPolicies(t *testing.T, test func(*testing.T, wire.FoulRule)) {
	for _, fouls := range []wire.FoulRule{wire.RefuseFouls, wire.RecordFouls} {
		t.Run(string(fouls), func(t *testing.T) { test(t, fouls) })
	}
}

// caught posts lies to a log that has the table.
func (p *played) caught(lies []lie) {
	p.Helper()
	if p.Config.Fouls == wire.RecordFouls {
		verifiertest.CheckRecorded(p.T, p.Table, lies...)
	} else {
		verifiertest.CheckRefused(p.T, p.Table, false, lies...)
	}
}

// Cheat 13 needs seats of different stacks: a seat that has spoken raises after an all-in below the
// step.
func TestNotReopened(t *testing.T) { bothPolicies(t, notReopened) }

func notReopened(t *testing.T, fouls wire.FoulRule) {
	for seed := range uint64(40) {
		p := sit(t, tabletest.Config{Seats: 3, Deals: 3, Fouls: fouls, Options: options{"limit": "none", "ante": "0", "stack": "50", "bet": "10"}}, seed)
		p.say("to 20", "fold", "call", "draw", "draw", "check", "check", "show", "show") // 50 and 70 or 30
		s := public(p.Table)
		short := slices.Index(s.Chips, 30)
		if short < 0 || s.Deal.Number != 2 {
			continue
		}
		p.due(table.Move)
		bettor, asked := table.Seat(255), false
		for range 3 { // the short one goes all-in when somebody bet 20
			seat := p.State.Duties()[0].Seats[0]
			switch {
			case int(seat) != short && bettor == 255:
				bettor = seat
				p.say("to 22")
			case int(seat) == short && bettor != 255:
				p.say("to 30")
				asked = true
			default:
				p.say(map[bool]string{true: "call", false: "check"}[bettor != 255])
			}
			if asked && p.State.Duties()[0].Seats[0] == bettor {
				p.caught(p.forbidden("FD-R-26", bettor, "to 50"))
				return
			}
		}
	}
	t.Error("in no table did a seat go all-in for less than a raise")
}

// Cheat 15: a seat that folded keeps its tokens back: it is named, alone.
func TestFoldedSeatOwesTokens(t *testing.T) {
	p := sit(t, tabletest.Config{Seats: 3, Deals: 1, Options: openTable}, 3).say("to 2", "fold", "call", "draw 0")
	p.speak("draw 1")
	for {
		i := slices.IndexFunc(p.State.Duties(), func(d table.Duty) bool {
			return slices.ContainsFunc(d.Seats, func(s table.Seat) bool { return s != 2 })
		})
		if i < 0 {
			break
		}
		d := p.State.Duties()[i]
		seat := d.Seats[slices.IndexFunc(d.Seats, func(s table.Seat) bool { return s != 2 })]
		if err := p.Add(testmust.Have(p.HonestMessage(seat, d, nil))(t)); err != nil {
			break // tokens are given in turn: the others wait for seat 2
		}
	}
	testmust.Holdf(t, len(p.State.DutiesOf(2)) != 0 && !public(p.Table).Deal.Live[2], "play waits for %v", p.State.Duties())
	_, over := p.State.Result()
	testmust.Hold(t, !over, "the table is over")
}

// Cheat 19, FD-R-60 to FD-R-62, FD-A-26: a seat opens on nothing, and shows other cards, or another
// seat's.
func TestFalseOpeners(t *testing.T) { bothPolicies(t, falseOpeners) }

func falseOpeners(t *testing.T, fouls wire.FoulRule) {
	for seed := range uint64(30) {
		p := sit(t, tabletest.Config{Seats: 2, Deals: 2, Fouls: fouls, Options: options{"openers": "jacks"}}, seed)
		opener := p.due(table.Move)
		own := p.turn(opener, public(p.Table).Deal.Hands[opener])
		var faces []fivecarddraw.Face
		for _, c := range own {
			faces = append(faces, c.Face)
		}
		if fivecarddraw.OpensBetting(faces, true) {
			continue
		}
		p.say("to 2", "fold")
		jacks := []fivecarddraw.ShownCard{{Card: own[0].Card, Face: 10}, {Card: own[1].Card, Face: 23}}
		other := public(p.Table).Deal.Hands[1-opener]
		p.caught(p.Bluffs(table.CheckFace, opener, p.encoded(fivecarddraw.Move{Openers: &jacks})))
		unsorted, twice := []fivecarddraw.ShownCard{jacks[1], jacks[0]}, []fivecarddraw.ShownCard{jacks[0], jacks[0]}
		for _, cards := range [][]fivecarddraw.ShownCard{own[:2], p.turn(1-opener, other[:2]), own, jacks[:1], unsorted, twice} {
			p.caught(p.ForbiddenMoves("FD-R-61", opener, p.encoded(fivecarddraw.Move{Openers: &cards})))
		}
		before := public(p.Table)
		testmust.Require(t, before.Stage == fivecarddraw.Opening, before.Stage)
		p.say(`{"openers":[]}`)
		s := public(p.Table)
		testmust.Holdf(t, s.Past[0].Left == 2 && s.Past[0].Pays[opener] == -1, "FD-R-62: without openers %+v", s.Past[0])
		return
	}
	t.Error("every hand opens")
}
