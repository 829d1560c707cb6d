package skat_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// cheat is one of the list of docs/spec/91: the cards of forehand, middlehand, rearhand
// and the skat, what is played honestly, and the lie, told in one way or several.
type cheat struct {
	id    string
	how   string // what sets it apart from others of the same id
	seats int
	o     options
	hands []string
	play  func(*stacked)
	lie   func(*stacked) []forgery
	stuck bool // the cheat has left himself no honest move
}

// forgery is a message that must not be applied. One that is void is nobody's fault.
type forgery verifiertest.Lie

const (
	f = auction.F
	m = auction.M
	r = auction.R
)

// Scenes in which cheats take place.
var (
	// Forehand has announced a hand game and led its first card.
	led = func(g deck.Game, card string) func(*stacked) {
		return func(s *stacked) { s.announced(f, 18, g, ""); s.plays(card) }
	}
	// Forehand takes tricks with aces; nobody else has hearts or diamonds, or spades.
	aces = []string{"JC JS JH JD AC AS AH AD 10C 10S", "7C 8C 9C QC KC 7S 8S 9S QS KS", "7H 8H 9H 10H QH KH 7D 8D 9D 10D", "QD KD"}
	// Middlehand has the nine and the queen of hearts, and of trumps the seven.
	hearts = []string{"9H JC JS AC 10C KC QC 9C AS 10S", "7C QH JH 8C KS QS 9S KH AD 8D"}
	// Clubs of forehand with the skat, 8S and 7S laid aside again.
	three = []string{forehand, middlehand, rearhand, skatCards}
	quiet = options{"concede": "off", "claim": "off"}
)

var cheats = []cheat{
	{id: "CH-S-01", lie: ownKey},
	{id: "CH-S-02", lie: doubledCard},
	{id: "CH-S-03", lie: falseToken(table.Show, 3)},
	{id: "CH-S-04", lie: func(s *stacked) []forgery {
		seat := s.shufflers()[0]
		shuffled := s.first(table.Shuffle)
		s.until(table.Show)
		return []forgery{s.void("again", seat, table.Shuffle, shuffled.Body, shuffled.Proofs...)}
	}},
	{id: "CH-S-05", play: func(s *stacked) { s.buy(f, 18); s.do(f, word(skat.Hand)) }, lie: skatTokens},
	{id: "CH-S-06", play: func(s *stacked) { s.buy(f, 18) }, lie: swappedCard},
	{id: "CH-S-07", play: func(s *stacked) { s.buy(f, 18) }, lie: tenPermuted},
	{id: "CH-S-08", play: took(f, 18), lie: func(s *stacked) []forgery {
		hands := s.public().Deal.Hands
		return s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &skat.Pair{hands[m][0], hands[m][1]}, Game: deck.ClubsGame}}, "SK-R-25")
	}},
	{id: "CH-S-09", play: took(f, 18), lie: func(s *stacked) []forgery {
		place := s.public().Deal.Hands[f][0]
		twice := s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &skat.Pair{place, place}, Game: deck.ClubsGame}}, "SK-R-25")
		return append(twice, s.rawMove("three of them", f, `{"announce":{"discard":[0,1,2],"game":"C","ann":0,"ouvert":false}}`, ""))
	}},
	{id: "CH-S-10", o: quiet, hands: three, play: func(s *stacked) { s.clubsTaken(m) }, lie: func(s *stacked) []forgery { return s.again(m, true) }},
	{id: "CH-S-10", how: "where the declarer could concede", hands: three, play: func(s *stacked) { s.clubsTaken(m) }, lie: func(s *stacked) []forgery { return s.again(m, false) }},
	{id: "CH-S-11", play: took(f, 18), lie: func(s *stacked) []forgery {
		pair := skat.Pair(s.public().Deal.Hands[f][:2])
		var list []forgery
		for _, a := range []skat.Announcement{{Game: deck.ClubsGame, Ann: 1}, {Game: deck.ClubsGame, Ann: 2, Ouvert: true}, {Game: deck.Grand, Ouvert: true}} {
			a.Discard = &pair
			list = append(list, s.forbidden(f, skat.Move{Announce: &a}, "SK-R-28")...)
		}
		return append(list, s.forbidden(f, skat.Move{Announce: &skat.Announcement{Game: deck.ClubsGame}}, "SK-R-25")...)
	}},
	{id: "CH-S-12", play: took(f, 24), lie: func(s *stacked) []forgery {
		pair := skat.Pair(s.public().Deal.Hands[f][:2])
		return s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: deck.Null}}, "SK-R-29")
	}},
	{id: "CH-S-13", how: "no value of a game", lie: func(s *stacked) []forgery {
		return []forgery{s.rawMove("25", m, `{"call":"25"}`, "SK-R-14"), s.rawMove("265", m, `{"call":"265"}`, "SK-R-14")}
	}},
	{id: "CH-S-13", how: "not above", play: func(s *stacked) { s.calls(m, "20", f, "yes") }, lie: func(s *stacked) []forgery {
		return []forgery{s.rawMove("20 over 20", m, `{"call":"20"}`, "SK-R-15")}
	}},
	{id: "CH-S-14", play: func(s *stacked) { s.calls(m, "18") }, lie: func(s *stacked) []forgery {
		return []forgery{s.void("in the first duel", s.seat(r), table.Move, s.body(r, skat.Move{Call: call("20")}))}
	}},
	{id: "CH-S-15", hands: hearts, play: led(deck.ClubsGame, "9H"), lie: lies(m, "7C")},
	{id: "CH-S-16", hands: []string{"9H JC JS AC 10C KC QC 9C AS 10S", "JH 7H"}, play: led(deck.ClubsGame, "9H"), lie: lies(m, "JH")},
	{id: "CH-S-17", hands: []string{"JD AH", "8D 7H"}, play: led(deck.HeartsGame, "JD"), lie: lies(m, "8D")},
	{id: "CH-S-18", hands: []string{"JC", "7C JD"}, play: led(deck.Grand, "JC"), lie: lies(m, "7C")},
	{id: "CH-S-19", hands: []string{"10S", "AH JS"}, play: led(deck.Null, "10S"), lie: lies(m, "AH")},
	{id: "CH-S-20", hands: []string{"10S", "AS 7H"}, play: func(s *stacked) { s.announced(m, 18, deck.Null, ""); s.plays("10S") }, lie: lies(m, "7H")},
	{id: "CH-S-21", hands: hearts, play: led(deck.ClubsGame, "9H"), lie: oneLeftOut},
	{id: "CH-S-22", how: "of trick 1 in trick 2", hands: aces, play: func(s *stacked) { led(deck.Grand, "AH 7S 7H AC")(s) }, lie: func(s *stacked) []forgery { return s.replays(m, "8S", m) }},
	{id: "CH-S-22", how: "of a partner", hands: aces, play: func(s *stacked) { led(deck.Grand, "AS 7S 7H AC")(s) }, lie: func(s *stacked) []forgery { return s.replays(m, "8S", r) }},
	{id: "CH-S-22", how: "of deal 1 in deal 2", hands: aces, play: func(s *stacked) { led(deck.Grand, "AH 7S 7H")(s); s.do(f, conceded()) }, lie: ofDealBefore},
	{id: "CH-S-23", how: "a discard", hands: three, play: func(s *stacked) { s.clubsTaken(f) }, lie: func(s *stacked) []forgery {
		return s.forbidden(f, skat.Move{Play: &skat.Play{Card: s.public().Deal.Skat[0], Face: faces(s.T, "8S")[0]}}, "SK-R-35")
	}},
	{id: "CH-S-23", how: "a card again", hands: aces, play: led(deck.Grand, "AC KC 7H"), lie: func(s *stacked) []forgery {
		return s.forbidden(f, skat.Move{Play: &skat.Play{Card: s.public().Deal.Open[0].Card, Face: faces(s.T, "AC")[0]}}, "SK-R-35")
	}},
	{id: "CH-S-24", hands: hearts, play: func(s *stacked) { s.announced(f, 18, deck.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return []forgery{s.bluff("9H for 10H", f, skat.Move{Play: &skat.Play{Card: s.place(f, faces(s.T, "9H")[0]), Face: faces(s.T, "10H")[0]}}, table.CheckFace)}
	}},
	{id: "CH-S-25", how: "no proof", hands: aces, play: led(deck.Grand, "AH"), lie: func(s *stacked) []forgery {
		return []forgery{s.altered("none", m, s.card(m, "7S"), func(w *wire.Message) { w.Proofs = w.Proofs[:1] }, table.CheckProofs)}
	}},
	{id: "CH-S-25", how: "a proof that is not due", hands: aces, play: led(deck.Grand, "AC"), lie: func(s *stacked) []forgery {
		return []forgery{s.altered("one more", m, s.card(m, "7C"), func(w *wire.Message) { w.Proofs = append(w.Proofs, make([]byte, 64)) }, table.CheckProofs)}
	}},
	{id: "CH-S-26", o: quiet, play: func(s *stacked) { s.announced(m, 18, deck.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return []forgery{s.void("leads", s.seat(m), table.Move, s.body(m, s.firstCard(m)))}
	}},
	{id: "CH-S-26", how: "where the declarer could concede", play: func(s *stacked) { s.announced(m, 18, deck.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return s.forbidden(m, s.firstCard(m), "SK-R-32")
	}},
	{id: "CH-S-27", hands: three, play: func(s *stacked) { s.announced(f, 18, deck.ClubsGame, "ouvert") }, lie: func(s *stacked) []forgery {
		open := s.opens()
		nine, wrong := open[:9], append(slices.Clone(open[:9]), faces(s.T, "JH")[0])
		return append(s.forbidden(f, skat.Move{Open: &nine}, "SK-R-31"), s.bluff("a wrong face", f, skat.Move{Open: &wrong}, table.CheckFace))
	}},
	{id: "CH-S-28", hands: []string{"7C 7S 7H 7D 8C 8S 8H 8D 9C 9S", "AC AH KH"}, play: func(s *stacked) {
		s.announced(f, 18, deck.Null, "ouvert")
		open := s.opens()
		s.do(f, skat.Move{Open: &open})
		s.plays("7C AC")
		s.anyCard(r)
		s.plays("AH")
		s.anyCard(r)
	}, lie: func(s *stacked) []forgery { return s.forbidden(f, s.card(f, "7S"), "SK-R-33") }},
	{id: "CH-S-29", hands: three, play: func(s *stacked) { s.clubsTaken(f); s.plays("JC JH JD AC 7C 8H"); s.do(f, conceded()) }, lie: func(s *stacked) []forgery {
		return []forgery{
			s.void("agrees himself", s.seat(f), table.Move, s.body(f, agreed(true))),
			s.void("as if it were agreed", s.seat(f), table.Move, s.body(f, skat.Move{Lay: &[]deck.Face{}})),
		}
	}},
	{id: "CH-S-29", how: "refused, and again", hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("JC JH JD AC 7C 8H")
		s.do(f, conceded())
		s.do(m, agreed(false))
		s.do(r, agreed(false))
	}, lie: func(s *stacked) []forgery { return s.forbidden(f, conceded(), "SK-R-55") }},
	{id: "CH-S-30", hands: three, play: func(s *stacked) { s.clubsTaken(f); s.do(f, conceded()) }, lie: func(s *stacked) []forgery {
		eleven := (*s.lays().Lay)[:11]
		return s.forbidden(f, skat.Move{Lay: &eleven}, "SK-R-38")
	}},
	{id: "CH-S-31", o: proved, hands: []string{forehand, middlehand, rearhand, "8S 7S"}, play: func(s *stacked) { s.clubsTakenAside(f, "JC AS"); s.do(f, conceded()) }, lie: matadorLies(false, 1)},
	{id: "CH-S-32", how: "with three, says two", o: proved, hands: []string{"JC JS JH"}, play: handConceded, lie: matadorLies(true, 2)},
	{id: "CH-S-32", how: "with two, says three", o: proved, hands: []string{"JC JS", "JH JD"}, play: handConceded, lie: matadorLies(true, 3)},
	{id: "CH-S-33", how: "31 points", hands: []string{"7C 8C 9C 7S 8S 9S 7H 8H JC JS", "AC AS 10H", "10C 10S AH"}, play: func(s *stacked) {
		s.announced(f, 18, deck.Grand, "")
		s.plays("7C AC 10C AS 10S 7S")
		s.anyCard(m)
		s.anyCard(r)
	}, lie: func(s *stacked) []forgery { return s.claimsAt(f, 1) }},
	{id: "CH-S-33", how: "below the announced level", hands: three, play: func(s *stacked) { s.announced(f, 18, deck.ClubsGame, "schneider") }, lie: func(s *stacked) []forgery { return s.claimsAt(f, 0) }},
	{id: "CH-S-34", hands: three, o: quiet, play: func(s *stacked) { s.clubsTaken(f); s.untilTrick(9) }, lie: afterTheLast},
	{id: "CH-S-36", how: "without a bid", o: options{"kontra": "bid18"}, hands: three, play: func(s *stacked) { s.calls(m, "pass", r, "18", f, "yes", r, "pass"); s.contract(f, deck.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return []forgery{s.void("who never bid", s.seat(m), table.Move, s.body(m, said(true, false)))}
	}},
	{id: "CH-S-36", how: "Re, and Kontra again", o: options{"kontra": "any"}, hands: three, play: func(s *stacked) { s.announced(f, 18, deck.ClubsGame, ""); s.do(m, said(true, false)) }, lie: func(s *stacked) []forgery {
		return []forgery{
			s.void("Re by a defender", s.seat(r), table.Move, s.body(r, said(true, true))),
			s.void("Kontra by the other", s.seat(r), table.Move, s.body(r, said(true, false))),
			s.void("Kontra twice", s.seat(m), table.Move, s.body(m, said(true, false))),
		}
	}},
	{id: "CH-S-37", o: options{"ramsch": "schieber"}, hands: []string{"JD 7H"}, play: func(s *stacked) {
		s.calls(m, "pass", r, "pass", f, "pass")
		s.do(f, word(skat.Take))
	}, lie: func(s *stacked) []forgery {
		pair := skat.Pair{s.place(f, faces(s.T, "JD")[0]), s.place(f, faces(s.T, "7H")[0])}
		slices.Sort(pair[:])
		return s.untrue(f, skat.Move{Aside: &pair})
	}},
	{id: "CH-S-38", o: options{"ramsch": "schieber"}, hands: []string{"JD 7H 8H 9H"}, play: func(s *stacked) {
		s.calls(m, "pass", r, "pass", f, "pass")
		s.do(f, word(skat.Take))
		pair := skat.Pair{s.place(f, faces(s.T, "7H")[0]), s.place(f, faces(s.T, "8H")[0])}
		slices.Sort(pair[:])
		s.do(f, skat.Move{Aside: &pair})
	}, lie: otherCards},
	{id: "CH-S-39", seats: 4, o: options{"kontra": "any"}, lie: func(s *stacked) []forgery {
		sits := s.public().Deal.Dealer
		list := []forgery{s.void("bids", sits, table.Move, s.body(m, skat.Move{Call: call("18")}))}
		shuffled := s.first(table.Shuffle)
		list = append(list, s.void("shuffles", sits, table.Shuffle, shuffled.Body, shuffled.Proofs...))
		s.announced(f, 18, deck.ClubsGame, "")
		list[0].Entry = s.resigned(list[0].Entry)
		list[1].Entry = s.resigned(list[1].Entry)
		list = append(list, s.void("Kontra", sits, table.Move, s.body(m, said(true, false))))
		return append(list, s.void("plays", sits, table.Move, s.body(m, s.firstCard(m))))
	}},
	{id: "CH-S-40", play: func(s *stacked) { s.buy(f, 18) }, lie: falseToken(table.Show, 0)},
}

var proved = options{"early": "prove"}

func call(w string) *auction.Call {
	c, err := auction.Parse(w)
	if err != nil {
		panic(err)
	}
	return &c
}

// said is Kontra, or Re.
func said(yes, re bool) skat.Move {
	if re {
		return skat.Move{Re: &yes}
	}
	return skat.Move{Kontra: &yes}
}

func took(p, bid int) func(*stacked) {
	return func(s *stacked) { s.buy(p, bid); s.do(p, word(skat.Take)) }
}

func handConceded(s *stacked) { s.announced(f, 18, deck.ClubsGame, ""); s.do(f, conceded()) }

// announced buys a hand game for a player and announces it.
func (s *stacked) announced(p, bid int, g deck.Game, addition string) {
	s.Helper()
	s.buy(p, bid)
	s.contract(p, g, addition)
}

func (s *stacked) contract(p int, g deck.Game, addition string) {
	s.Helper()
	a := skat.Announcement{Game: g, Ouvert: addition == "ouvert"}
	switch {
	case addition == "schneider":
		a.Ann = 1
	case a.Ouvert && g != deck.Null:
		a.Ann = 2
	}
	s.do(p, word(skat.Hand), s.announces(p, "", a))
}

// clubsTaken is a game of clubs of p after taking the skat, which is laid aside again.
func (s *stacked) clubsTaken(p int) { s.Helper(); s.clubsTakenAside(p, skatCards) }

func (s *stacked) clubsTakenAside(p int, aside string) {
	s.Helper()
	took(p, 18)(s)
	s.do(p, s.announces(p, aside, skat.Announcement{Game: deck.ClubsGame}))
}

// calls makes calls, a player and a word at a time.
func (s *stacked) calls(words ...any) {
	s.Helper()
	for i := 0; i < len(words); i += 2 {
		s.do(words[i].(int), skat.Move{Call: call(words[i+1].(string))})
	}
}

// anyCard plays a lawful card of p, who is on turn.
func (s *stacked) anyCard(p int) { s.Helper(); s.do(p, s.firstCard(p)) }

// firstCard is a card of p: a lawful one if it is his turn.
func (s *stacked) firstCard(p int) skat.Move {
	s.Helper()
	for _, mv := range (skat.Rules{}).Moves(s.public(), s.View(s.seat(p))) {
		if mv.Play != nil {
			return mv
		}
	}
	place := s.public().Deal.Hands[p][0]
	return skat.Move{Play: &skat.Play{Card: place, Face: deck.Face(s.Hand(s.seat(p))[place])}}
}

// untilTrick plays lawful cards until so many tricks are complete, and two cards more.
func (s *stacked) untilTrick(n int) {
	s.Helper()
	for len(s.public().Deal.Tricks) <= n || len(s.public().Deal.Tricks[n].Faces) < 2 {
		s.anyCard(s.public().Deal.OnTurn())
	}
}

func (s *stacked) seat(p int) table.Seat { return s.public().Deal.Seats[p] }

// opens are the faces of the declarer's hand, in the order of their places.
func (s *stacked) opens() []deck.Face {
	s.Helper()
	return *(skat.Rules{}).Moves(s.public(), s.View(s.seat(s.public().Deal.Declarer)))[0].Open
}

// first is the first message of a kind.
func (s *stacked) first(k table.Kind) *wire.Message {
	s.Helper()
	for _, entry := range s.Entries[1:] {
		if w := s.parse(entry); w.Kind == k {
			return w
		}
	}
	s.Fatalf("nobody has made a %s", k)
	return nil
}

func (s *stacked) parse(entry []byte) *wire.Message {
	s.Helper()
	e, err := wire.Parse(entry)
	if err != nil {
		s.Fatal(err)
	}
	return e.Message
}

// until goes back to the first moment at which a kind of message is due.
func (s *stacked) until(k table.Kind) table.Duty {
	s.Helper()
	return s.back(func(d table.Duty) bool { return d.Kind == k })
}

func (s *stacked) back(is func(table.Duty) bool) table.Duty {
	s.Helper()
	for at, state := range s.States {
		if i := slices.IndexFunc(state.Duties(), is); i >= 0 {
			s.Entries, s.States, s.State = s.Entries[:at+1], s.States[:at+1], state
			return state.Duties()[i]
		}
	}
	s.Fatal("it was never due")
	return table.Duty{}
}

// body is the body of a move with the mover's true tokens, as far as the rules turn cards up.
func (s *stacked) body(p int, mv skat.Move) json.RawMessage {
	s.Helper()
	seat := s.seat(p)
	b := wire.MoveBody{Move: encode(s.T, mv), Tokens: [][]byte{}}
	if turned, err := s.State.Turned(seat, b.Move); err == nil {
		for _, c := range s.State.Masked(turned) {
			b.Tokens = append(b.Tokens, s.Hands[seat].Secret.Token(c).Bytes())
		}
	}
	raw, err := wire.EncodeBody(b)
	if err != nil {
		s.Fatal(err)
	}
	return raw
}

func (s *stacked) signed(seat table.Seat, k table.Kind, body json.RawMessage, proofs ...[]byte) []byte {
	s.Helper()
	entry, err := s.Sign(seat, k, body, proofs...)
	if err != nil {
		s.Fatal(err)
	}
	return entry
}

// resigned is a message on the head of today.
func (s *stacked) resigned(entry []byte) []byte {
	w := s.parse(entry)
	return s.signed(table.Seat(w.Seat), w.Kind, w.Body, w.Proofs...)
}

// void is a message that nobody waits for.
func (s *stacked) void(name string, seat table.Seat, k table.Kind, body json.RawMessage, proofs ...[]byte) forgery {
	s.Helper()
	return forgery{Name: name, Entry: s.signed(seat, k, body, proofs...)}
}

// forbidden is a move that the rules allow to no hand.
func (s *stacked) forbidden(p int, mv skat.Move, rule string) []forgery {
	s.Helper()
	return []forgery{{"by rule", s.signed(s.seat(p), table.Move, s.body(p, mv)), table.CheckRules, rule}}
}

// rawMove is a move as it is written.
func (s *stacked) rawMove(name string, p int, text, rule string) forgery {
	s.Helper()
	raw, err := wire.EncodeBody(wire.MoveBody{Move: json.RawMessage(text), Tokens: [][]byte{}})
	if err != nil {
		s.Fatal(err)
	}
	return forgery{name, s.signed(s.seat(p), table.Move, raw), table.CheckRules, rule}
}

// bluff is a move with proofs of what is true, and zeros in place of others.
func (s *stacked) bluff(name string, p int, mv skat.Move, check table.Check) forgery {
	s.Helper()
	entry, err := s.Bluff(s.seat(p), encode(s.T, mv))
	if err != nil {
		s.Fatal(err)
	}
	return forgery{Name: name, Entry: entry, Check: check}
}

// altered is an honest message with one change.
func (s *stacked) altered(name string, p int, mv skat.Move, change func(*wire.Message), check table.Check) forgery {
	s.Helper()
	seat := s.seat(p)
	entry, err := s.Message(seat, table.Duty{Kind: table.Move, Seats: []table.Seat{seat}}, encode(s.T, mv))
	if err == nil {
		entry, err = s.Forge(entry, change)
	}
	if err != nil {
		s.Fatal(err)
	}
	return forgery{Name: name, Entry: entry, Check: check}
}

// again is a second announcement with other discards.
func (s *stacked) again(p int, void bool) []forgery {
	pair := skat.Pair(s.public().Deal.Hands[p][:2])
	mv := skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: deck.Grand}}
	if void {
		return []forgery{s.void("again", s.seat(p), table.Move, s.body(p, mv))}
	}
	return s.forbidden(p, mv, "90.15")
}

func (s *stacked) claimsAt(p, level int) []forgery {
	s.Helper()
	var open []deck.Face
	for _, place := range s.public().Deal.Hands[p] {
		open = append(open, deck.Face(s.Hand(s.seat(p))[place]))
	}
	return s.forbidden(p, skat.Move{Claim: &skat.Claim{Level: level, Faces: open}}, "SK-R-59")
}

// lies plays a card although another would have to be played.
func lies(p int, name string) func(*stacked) []forgery {
	return func(s *stacked) []forgery { return s.untrue(p, s.card(p, name)) }
}

func matadorLies(with bool, n int) func(*stacked) []forgery {
	return func(s *stacked) []forgery {
		mv := s.lays()
		mv.Matadors.With, mv.Matadors.N = with, n
		return s.untrue(f, mv)
	}
}

// untrue tells a move of which a condition is false, in all ways: without its proof, with
// zeros, and with a proof about as many cards of the cheat's own making, of which it is
// true.
func (s *stacked) untrue(p int, mv skat.Move) []forgery {
	s.Helper()
	seat := s.seat(p)
	zeros := s.bluff("zeros", p, mv, table.CheckCondition)
	w := s.parse(zeros.Entry)
	statements, err := s.State.Statements(seat, table.Move, w.Body)
	if err != nil {
		s.Fatal(err)
	}
	minted := slices.Clone(w.Proofs)
	false := 0
	for i, st := range statements {
		if _, err := s.Prove(seat, table.Move, uint16(i), st, nil); errors.Is(err, proof.ErrFalse) {
			minted[i] = s.proved(seat, i, s.ofOwnMaking(seat, st.(proof.Condition)))
			false++
		}
	}
	if false == 0 {
		s.Fatal("all of it is true")
	}
	return []forgery{
		{"of other cards", s.signed(seat, table.Move, w.Body, minted...), table.CheckCondition, ""},
		zeros,
		{"no proofs", s.signed(seat, table.Move, w.Body), table.CheckProofs, ""},
	}
}

func (s *stacked) proved(seat table.Seat, slot int, st proof.Statement) []byte {
	s.Helper()
	p, err := s.Prove(seat, table.Move, uint16(slot), st, nil)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// ofOwnMaking is a condition about cards that nobody dealt, of which it is true.
func (s *stacked) ofOwnMaking(seat table.Seat, c proof.Condition) proof.Condition {
	s.Helper()
	secret := s.Hands[seat].Secret
	cards, _, err := secret.Shuffle(s.State.Context(seat, table.Shuffle).Slot(0), secret.Key(), c.Deck.Cards(), s.Random)
	if err != nil {
		s.Fatal(err)
	}
	var in, out []proof.Masked
	for _, masked := range cards {
		face, ok := c.Deck.Face(s.Config.Suite.Encoding().Strip(masked, secret.Token(masked)))
		switch {
		case !ok:
			s.Fatal("a card of no face")
		case c.Set.Has(face):
			in = append(in, masked)
		default:
			out = append(out, masked)
		}
	}
	k := len(c.Cards)
	c.Cards = slices.Concat(in[:c.Min], out[:min(k-c.Min, len(out))])
	return c
}

// oneLeftOut proves of the rest less the card that could follow.
func oneLeftOut(s *stacked) []forgery {
	mv := s.card(m, "7C")
	w := s.parse(s.bluff("", m, mv, "").Entry)
	statements, err := s.State.Statements(s.seat(m), table.Move, w.Body)
	if err != nil {
		s.Fatal(err)
	}
	c := statements[1].(proof.Condition)
	secret := s.Hands[s.seat(m)].Secret
	c.Cards = slices.DeleteFunc(slices.Clone(c.Cards), func(x proof.Masked) bool {
		face, _ := c.Deck.Face(s.Config.Suite.Encoding().Strip(x, secret.Token(x)))
		return c.Set.Has(face)
	})
	w.Proofs[1] = s.proved(s.seat(m), 1, c)
	return []forgery{{"one left out", s.signed(s.seat(m), table.Move, w.Body, w.Proofs...), table.CheckCondition, ""}}
}

// replays plays a card with the proof that a player gave of another void.
func (s *stacked) replays(p int, name string, by int) []forgery {
	s.Helper()
	list := s.untrue(p, s.card(p, name))
	w := s.parse(list[0].Entry)
	w.Proofs[1] = s.proofOf(s.seat(by))
	return []forgery{{"replayed", s.signed(s.seat(p), table.Move, w.Body, w.Proofs...), table.CheckCondition, ""}}
}

// proofOf is the first proof of a void that a seat gave.
func (s *stacked) proofOf(seat table.Seat) []byte {
	s.Helper()
	for _, entry := range s.Entries[1:] {
		if w := s.parse(entry); w.Kind == table.Move && table.Seat(w.Seat) == seat && len(w.Proofs) > 1 {
			return w.Proofs[1]
		}
	}
	s.Fatalf("seat %d has proved nothing", seat)
	return nil
}

// ofDealBefore waits in deal 2 for a void of the seat that proved one in deal 1.
func ofDealBefore(s *stacked) []forgery {
	seat := s.seat(m)
	s.do(f, s.lays())
	old := s.proofOf(seat)
	for len(s.State.Duties()) > 0 {
		s.steps()
		d := s.public().Deal
		switch s.public().Stage {
		case skat.Bidding:
			s.do(d.Auction.Turn, skat.Move{Call: call(map[bool]string{true: "18", false: "pass"}[d.Auction.Last == 0 && d.Auction.Turn == m])})
			continue
		case skat.Choosing:
			s.contract(d.Declarer, deck.Grand, "")
			continue
		}
		p := d.OnTurn()
		mv := s.firstCard(p)
		terms, err := s.State.Terms(s.seat(p), encode(s.T, mv))
		if err != nil {
			s.Fatal(err)
		}
		if s.seat(p) == seat && len(terms.Prove) > 0 {
			return []forgery{s.altered("replayed", p, mv, func(w *wire.Message) { w.Proofs[1] = old }, table.CheckCondition)}
		}
		s.do(p, mv)
	}
	s.Fatal("no void came up")
	return nil
}

// ownKey is a key of which its seat knows no secret, chosen after the others: another's, or
// any.
func ownKey(s *stacked) []forgery {
	other := s.first(table.Key)
	s.until(table.Shuffle)
	at := len(s.Entries) - 1 // the last key
	seat := table.Seat(s.parse(s.Entries[at]).Seat)
	s.Entries, s.States, s.State = s.Entries[:at], s.States[:at], s.States[at-1]
	mine, err := s.Message(seat, s.State.Duties()[0], nil)
	if err != nil {
		s.Fatal(err)
	}
	prover, err := proof.ProverOf(s.Config.Suite)
	if err != nil {
		s.Fatal(err)
	}
	secret, err := prover.NewSecret(s.Random)
	if err != nil {
		s.Fatal(err)
	}
	any, err := wire.EncodeBody(wire.KeyBody{Key: secret.Key().Bytes()})
	if err != nil {
		s.Fatal(err)
	}
	return []forgery{
		{"any", s.signed(seat, table.Key, any, s.parse(mine).Proofs...), table.CheckOwnership, ""},
		{"another's", s.signed(seat, table.Key, other.Body, other.Proofs...), table.CheckKey, ""},
	}
}

// shuffledAs are cards shuffled in place of others, with a proof that is true of those.
func (s *stacked) shuffledAs(seat table.Seat, k table.Kind, key proof.Key, in []proof.Masked) forgery {
	s.Helper()
	secret := s.Hands[seat].Secret
	out, witness, err := secret.Shuffle(s.State.Context(seat, k).Slot(0), key, in, s.Random)
	if err != nil {
		s.Fatal(err)
	}
	p, err := s.Prove(seat, k, 0, proof.Shuffle{Key: key, In: in, Out: out}, witness)
	if err != nil {
		s.Fatal(err)
	}
	body := wire.CardsBody{}
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	entry, err := s.Sign(seat, k, body, p)
	if err != nil {
		s.Fatal(err)
	}
	return forgery{"of other cards", entry, table.CheckShuffle, ""}
}

// doubledCard shuffles a pack in which a card stands for another, too.
func doubledCard(s *stacked) []forgery {
	d := s.until(table.Shuffle)
	cards, key := s.State.Deck()
	cards = slices.Clone(cards)
	cards[faces(s.T, "7D")[0]] = cards[faces(s.T, "JC")[0]]
	return []forgery{s.shuffledAs(d.Seats[0], table.Shuffle, key, cards)}
}

// permuting is the declarer's permutation, before it was made.
func (s *stacked) permuting() (table.Seat, []proof.Masked) {
	s.Helper()
	s.do(f, word(skat.Take))
	d := s.until(table.Permute)
	return d.Seats[0], slices.Clone(s.State.Masked(d.Cards))
}

// swappedCard brings in an ace of the declarer's own making; a copy of a card he has.
func swappedCard(s *stacked) []forgery {
	seat, hand := s.permuting()
	secret := s.Hands[seat].Secret
	copied, _, err := secret.Transfer(s.State.Context(seat, table.Give).Slot(0), hand[1], secret.Key(), s.Random)
	if err != nil {
		s.Fatal(err)
	}
	minted := s.ofOwnMaking(seat, proof.Condition{Cards: hand[:1], Set: deck.SetOf(faces(s.T, "AH")...), Min: 1, Deck: s.pack()})
	var list []forgery
	for name, c := range map[string]proof.Masked{"an ace": minted.Cards[0], "a copy": copied} {
		other := s.shuffledAs(seat, table.Permute, secret.Key(), append([]proof.Masked{c}, hand[1:]...))
		other.Name = name
		list = append(list, other)
	}
	return list
}

// pack is the pack under the table's encoding.
func (s *stacked) pack() proof.Deck {
	s.Helper()
	pack, err := card.NewDeck(deck.Name, deck.Names())
	if err != nil {
		s.Fatal(err)
	}
	d, err := s.Config.Suite.Encoding().Deck(pack)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// tenPermuted leaves the skat where it lies.
func tenPermuted(s *stacked) []forgery {
	seat, hand := s.permuting()
	ten := s.shuffledAs(seat, table.Permute, s.Hands[seat].Secret.Key(), hand[:10])
	ten.Check = table.CheckValues
	return []forgery{ten}
}

// falseToken is a message of tokens in which one is another's share.
func falseToken(k table.Kind, at int) func(*stacked) []forgery {
	return func(s *stacked) []forgery {
		if at == 0 { // of the skat
			s.do(f, word(skat.Take))
			s.back(func(d table.Duty) bool { return d.Kind == k && len(d.Cards) == 2 })
		} else {
			s.until(k)
		}
		d := s.State.Duties()[0]
		h, other := s.Hands[d.Seats[0]], s.Hands[(int(d.Seats[0])+1)%len(s.Hands)]
		entry, err := s.Message(d.Seats[0], d, nil)
		if err != nil {
			s.Fatal(err)
		}
		cards := s.State.Masked(d.Cards)
		entry, err = s.Forge(entry, func(w *wire.Message) {
			var b wire.TokensBody
			if err := wire.DecodeBody(w.Body, &b); err != nil {
				s.Fatal(err)
			}
			b.Tokens[at] = other.Secret.Token(cards[at]).Bytes()
			if w.Body, err = wire.EncodeBody(b); err != nil {
				s.Fatal(err)
			}
		})
		if err != nil {
			s.Fatal(err)
		}
		return []forgery{{"another's share", entry, table.CheckReveal, ""}, s.oneShareTwice(h.Seat, d, cards)}
	}
}

// oneShareTwice gives the share of one card for the next one, too.
func (s *stacked) oneShareTwice(seat table.Seat, d table.Duty, cards []proof.Masked) forgery {
	s.Helper()
	secret := s.Hands[seat].Secret
	b := wire.TokensBody{}
	var tokens []proof.Token
	for _, c := range cards {
		tokens = append(tokens, secret.Token(c))
	}
	p, err := s.Prove(seat, table.Show, 0, proof.Reveal{Key: secret.Key(), Cards: cards, Tokens: tokens}, nil)
	if err != nil {
		s.Fatal(err)
	}
	tokens[1] = tokens[0]
	for _, t := range tokens {
		b.Tokens = append(b.Tokens, t.Bytes())
	}
	entry, err := s.Sign(seat, table.Show, b, p)
	if err != nil {
		s.Fatal(err)
	}
	return forgery{"one share twice", entry, table.CheckReveal, ""}
}

// skatTokens are tokens for a skat that nobody has taken.
func skatTokens(s *stacked) []forgery {
	var list []forgery
	for p := range 3 {
		seat := s.seat(p)
		secret := s.Hands[seat].Secret
		cards := s.State.Masked(s.public().Deal.Skat)
		b := wire.TokensBody{}
		var tokens []proof.Token
		for _, c := range cards {
			tokens = append(tokens, secret.Token(c))
			b.Tokens = append(b.Tokens, tokens[len(tokens)-1].Bytes())
		}
		raw, err := wire.EncodeBody(b)
		if err != nil {
			s.Fatal(err)
		}
		proved, err := s.Prove(seat, table.Show, 0, proof.Reveal{Key: secret.Key(), Cards: cards, Tokens: tokens}, nil)
		if err != nil {
			s.Fatal(err)
		}
		list = append(list, s.void("by "+seat.Letter(), seat, table.Show, raw, proved))
	}
	return list
}

// otherCards gives other cards to the next one than those named.
func otherCards(s *stacked) []forgery {
	s.do(m, word(skat.Take))
	d := s.until(table.Give)
	seat, to := d.Seats[0], d.To[0]
	secret := s.Hands[seat].Secret
	var body wire.CardsBody
	var proofs [][]byte
	hand := s.State.Masked(slices.DeleteFunc(slices.Clone(s.State.Hand(seat)), func(c table.Card) bool { return slices.Contains(d.Cards, c) }))
	for i := range d.Cards {
		c, witness, err := secret.Transfer(s.State.Context(seat, table.Give).Slot(uint16(i)), hand[i], s.State.CardKey(to), s.Random)
		if err != nil {
			s.Fatal(err)
		}
		p, err := s.Prove(seat, table.Give, uint16(i), proof.Transfer{From: secret.Key(), To: s.State.CardKey(to), Old: hand[i], New: c}, witness)
		if err != nil {
			s.Fatal(err)
		}
		body.Cards, proofs = append(body.Cards, c.Bytes()), append(proofs, p)
	}
	entry, err := s.Sign(seat, table.Give, body, proofs...)
	if err != nil {
		s.Fatal(err)
	}
	return []forgery{{"others", entry, table.CheckTransfer, ""}}
}

// afterTheLast states discards when the deal is over.
func afterTheLast(s *stacked) []forgery {
	mv := skat.Move{Lay: &[]deck.Face{faces(s.T, "AH")[0], faces(s.T, "AD")[0]}}
	s.do(s.public().Deal.OnTurn(), s.firstCard(s.public().Deal.OnTurn()))
	return []forgery{s.void("other discards", s.Hands[1].Seat, table.Move, s.body(f, mv))}
}

func twoSuites(t *testing.T) []proof.Suite {
	t.Helper()
	s, ok := suite.Lookup(suite.Default)
	if !ok {
		t.Fatal("no default suite")
	}
	return []proof.Suite{clear.Suite{}, s}
}

// scene is the table of a cheat, up to the lie, and all that he says in its place.
func (c cheat) scene(t *testing.T, s proof.Suite, fouls wire.Fouls) (*tabletest.Table, []verifiertest.Lie) {
	t.Helper()
	st := newStacked(t, tabletest.Config{Seats: c.seats, Deals: 9, Suite: s, Fouls: fouls, Options: c.o}, dealt(t, c.hands...))
	if c.play != nil {
		c.play(st)
	}
	var lies []verifiertest.Lie
	for _, l := range c.lie(st) {
		lies = append(lies, verifiertest.Lie(l))
	}
	return st.Table, lies
}

// Every cheat of the list, told in every way: where fouls are refused none gets in, and
// play goes on; where they are recorded, log and verifier blame the seat that cheated, by
// the check that found it, and nobody else. What is void is never anybody's fault.
func TestCheats(t *testing.T) {
	for _, c := range cheats {
		for _, s := range twoSuites(t) {
			t.Run(strings.TrimSpace(c.id+" "+c.how)+" "+s.Name(), func(t *testing.T) {
				t.Parallel()
				played, lies := c.scene(t, s, wire.RefuseFouls)
				verifiertest.Refused(t, played, c.stuck, lies...)
				played, lies = c.scene(t, s, wire.RecordFouls)
				verifiertest.Recorded(t, played, lies...)
			})
		}
	}
}

// A cheat of the specification that is tried nowhere. CH-S-35 is no message: see
// TestWithheldToken.
func TestEveryCheatIsTried(t *testing.T) {
	tried := map[string]bool{"CH-S-35": true}
	for _, c := range cheats {
		tried[c.id] = true
	}
	for _, v := range skattest.Read[[]struct{ ID, Do, By string }](t, "cheats") {
		if !tried[v.ID] {
			t.Errorf("%s is not tried: %s", v.ID, v.Do)
		}
		delete(tried, v.ID)
	}
	for id := range tried {
		t.Errorf("%s is no cheat of the specification", id)
	}
}

// CH-S-35: who withholds his token for the skat of a hand game that was conceded stops the
// list; it is unfinished, and the duty names him.
func TestWithheldToken(t *testing.T) {
	for _, s := range twoSuites(t) {
		st := newStacked(t, tabletest.Config{Suite: s}, dealt(t, three...))
		st.announced(f, 18, deck.ClubsGame, "")
		entry, err := st.Message(st.seat(f), table.Duty{Kind: table.Move, Seats: []table.Seat{st.seat(f)}}, encode(t, conceded()))
		if err == nil {
			err = st.Add(entry)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := verifiertest.NewLog(t, st.Table).Verify(t)
		d := st.State.Duties()
		if r.Verdict != verifier.Unfinished || len(r.Findings) > 0 || len(d) != 1 || d[0].Kind != table.Show || len(d[0].Seats) != 1 || !slices.Equal(d[0].Cards, []table.Card{9, 10}) {
			t.Errorf("%s, %v; waits for %v", r.Verdict, r.Findings, d)
		}
	}
}
