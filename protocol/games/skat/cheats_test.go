package skat_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
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
}

type forgery = verifiertest.Lie

const (
	f = skat.Forehand
	m = skat.Middlehand
	r = skat.Rearhand
)

// Scenes in which cheats take place.
var (
	// Forehand has announced a hand game and led its first card.
	led = func(g skat.Game, card string) func(*stacked) {
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
	{id: "CH-S-03", lie: func(s *stacked) []forgery { return s.FalseTokens(s.BackTo(dutyOf(table.Show)), 3) }},
	{id: "CH-S-04", lie: func(s *stacked) []forgery {
		shuffled := s.LastMessage(sent(table.Shuffle))
		s.BackTo(dutyOf(table.Show))
		return []forgery{s.EarlyLie("again", table.Seat(shuffled.Seat), table.Shuffle, shuffled.Body, shuffled.Proofs...)}
	}},
	{id: "CH-S-05", play: func(s *stacked) { s.buy(f, 18); s.do(f, word(skat.Hand)) }, lie: skatTokens},
	{id: "CH-S-06", play: func(s *stacked) { s.buy(f, 18) }, lie: func(s *stacked) []forgery { return permuted(s)[:2] }},
	{id: "CH-S-07", play: func(s *stacked) { s.buy(f, 18) }, lie: func(s *stacked) []forgery { return permuted(s)[2:] }},
	{id: "CH-S-08", play: took(f, 18), lie: func(s *stacked) []forgery {
		hands := s.public().Deal.Hands
		return s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &skat.Pair{hands[m][0], hands[m][1]}, Game: skat.ClubsGame}}, "SK-R-25")
	}},
	{id: "CH-S-09", play: took(f, 18), lie: func(s *stacked) []forgery {
		place := s.public().Deal.Hands[f][0]
		twice := s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &skat.Pair{place, place}, Game: skat.ClubsGame}}, "SK-R-25")
		return append(twice, s.written("", f, `{"announce":{"discard":[0,1,2],"game":"C","ann":0,"ouvert":false}}`)...)
	}},
	{id: "CH-S-09", how: "in a hand game", play: func(s *stacked) { s.buy(f, 18); s.do(f, word(skat.Hand)) }, lie: func(s *stacked) []forgery {
		pair := skat.Pair(s.public().Deal.Hands[f][:2])
		return s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: skat.ClubsGame}}, "SK-R-26")
	}},
	{id: "CH-S-10", o: quiet, hands: three, play: func(s *stacked) { s.clubsTaken(m) }, lie: func(s *stacked) []forgery { return s.again(m, true) }},
	{id: "CH-S-10", how: "where the declarer could concede", hands: three, play: func(s *stacked) { s.clubsTaken(m) }, lie: func(s *stacked) []forgery { return s.again(m, false) }},
	{id: "CH-S-11", play: took(f, 18), lie: func(s *stacked) []forgery {
		pair := skat.Pair(s.public().Deal.Hands[f][:2])
		var list []forgery
		for _, a := range []skat.Announcement{{Game: skat.ClubsGame, Ann: 1}, {Game: skat.ClubsGame, Ann: 2, Ouvert: true}, {Game: skat.Grand, Ouvert: true}, {Game: skat.ClubsGame, Ann: 3}, {Game: skat.ClubsGame, Ann: -1}} {
			a.Discard = &pair
			list = append(list, s.forbidden(f, skat.Move{Announce: &a}, "SK-R-28")...)
		}
		list = append(list, s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: "X"}}, "SK-R-27")...)
		return append(list, s.forbidden(f, skat.Move{Announce: &skat.Announcement{Game: skat.ClubsGame}}, "SK-R-25")...)
	}},
	{id: "CH-S-12", play: took(f, 24), lie: func(s *stacked) []forgery {
		pair := skat.Pair(s.public().Deal.Hands[f][:2])
		return s.forbidden(f, skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: skat.Null}}, "SK-R-29")
	}},
	{id: "CH-S-13", how: "no value of a game", lie: func(s *stacked) []forgery {
		return append(s.written("SK-R-14", m, `{"call":"25"}`), s.written("SK-R-14", m, `{"call":"265"}`)...)
	}},
	{id: "CH-S-13", how: "not above", play: func(s *stacked) { s.calls(m, "20", f, "yes") }, lie: func(s *stacked) []forgery {
		return s.written("SK-R-15", m, `{"call":"20"}`)
	}},
	{id: "CH-S-14", play: func(s *stacked) { s.calls(m, "18") }, lie: func(s *stacked) []forgery {
		return []forgery{s.early("in the first duel", r, skat.Move{Call: call("20")})}
	}},
	{id: "CH-S-15", hands: hearts, play: led(skat.ClubsGame, "9H"), lie: lies(m, "7C")},
	{id: "CH-S-16", hands: []string{"9H JC JS AC 10C KC QC 9C AS 10S", "JH 7H"}, play: led(skat.ClubsGame, "9H"), lie: lies(m, "JH")},
	{id: "CH-S-17", hands: []string{"JD AH", "8D 7H"}, play: led(skat.HeartsGame, "JD"), lie: lies(m, "8D")},
	{id: "CH-S-18", hands: []string{"JC", "7C JD"}, play: led(skat.Grand, "JC"), lie: lies(m, "7C")},
	{id: "CH-S-19", hands: []string{"10S", "AH JS"}, play: led(skat.Null, "10S"), lie: lies(m, "AH")},
	{id: "CH-S-20", hands: []string{"10S", "AS 7H"}, play: func(s *stacked) { s.announced(m, 18, skat.Null, ""); s.plays("10S") }, lie: lies(m, "7H")},
	{id: "CH-S-21", hands: hearts, play: led(skat.ClubsGame, "9H"), lie: oneLeftOut},
	{id: "CH-S-22", how: "of trick 1 in trick 2", hands: aces, play: func(s *stacked) { led(skat.Grand, "AH 7S 7H AC")(s) }, lie: func(s *stacked) []forgery { return s.replays(m, "8S", m) }},
	{id: "CH-S-22", how: "of a partner", hands: aces, play: func(s *stacked) { led(skat.Grand, "AS 7S 7H AC")(s) }, lie: func(s *stacked) []forgery { return s.replays(m, "8S", r) }},
	{id: "CH-S-22", how: "of deal 1 in deal 2", hands: aces, play: func(s *stacked) { led(skat.Grand, "AH 7S 7H")(s); s.do(f, conceded()) }, lie: ofDealBefore},
	{id: "CH-S-23", how: "a discard", hands: three, play: func(s *stacked) { s.clubsTaken(f) }, lie: func(s *stacked) []forgery {
		return s.forbidden(f, skat.Move{Play: &skat.Play{Card: s.public().Deal.Skat[0], Face: faces(s.T, "8S")[0]}}, "SK-R-35")
	}},
	{id: "CH-S-23", how: "a card again", hands: aces, play: led(skat.Grand, "AC KC 7H"), lie: func(s *stacked) []forgery {
		return s.forbidden(f, skat.Move{Play: &skat.Play{Card: s.public().Deal.Open[0].Card, Face: faces(s.T, "AC")[0]}}, "SK-R-35")
	}},
	{id: "CH-S-24", hands: hearts, play: func(s *stacked) { s.announced(f, 18, skat.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return s.bluffs(table.CheckFace, f, skat.Move{Play: &skat.Play{Card: s.place(f, faces(s.T, "9H")[0]), Face: faces(s.T, "10H")[0]}})
	}},
	{id: "CH-S-25", how: "no proof", hands: aces, play: led(skat.Grand, "AH"), lie: func(s *stacked) []forgery {
		return []forgery{s.ForgedLie("none", table.CheckProofs, s.honest(m, s.card(m, "7S")), func(w *wire.Message) { w.Proofs = w.Proofs[:1] })}
	}},
	{id: "CH-S-25", how: "a proof that is not due", hands: aces, play: led(skat.Grand, "AC"), lie: func(s *stacked) []forgery {
		return []forgery{s.ForgedLie("one more", table.CheckProofs, s.honest(m, s.card(m, "7C")), func(w *wire.Message) { w.Proofs = append(w.Proofs, make([]byte, 64)) })}
	}},
	{id: "CH-S-26", o: quiet, play: func(s *stacked) { s.announced(m, 18, skat.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return []forgery{s.early("leads", m, s.firstCard(m))}
	}},
	{id: "CH-S-26", how: "where the declarer could concede", play: func(s *stacked) { s.announced(m, 18, skat.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return s.forbidden(m, s.firstCard(m), "SK-R-32")
	}},
	{id: "CH-S-27", hands: three, play: func(s *stacked) { s.announced(f, 18, skat.ClubsGame, "ouvert") }, lie: func(s *stacked) []forgery {
		open := s.opens()
		nine, wrong := open[:9], append(slices.Clone(open[:9]), faces(s.T, "JH")[0])
		return append(s.forbidden(f, skat.Move{Open: &nine}, "SK-R-31"), s.bluffs(table.CheckFace, f, skat.Move{Open: &wrong})...)
	}},
	{id: "CH-S-28", hands: []string{"7C 7S 7H 7D 8C 8S 8H 8D 9C 9S", "AC AH KH"}, play: func(s *stacked) {
		s.announced(f, 18, skat.Null, "ouvert")
		open := s.opens()
		s.do(f, skat.Move{Open: &open})
		s.plays("7C AC")
		s.anyCard(r)
		s.plays("AH")
		s.anyCard(r)
	}, lie: func(s *stacked) []forgery { return s.forbidden(f, s.card(f, "7S"), "SK-R-33") }},
	{id: "CH-S-29", hands: three, play: func(s *stacked) { s.clubsTaken(f); s.plays("JC JH JD AC 7C 8H"); s.do(f, conceded()) }, lie: func(s *stacked) []forgery {
		return []forgery{
			s.early("agrees himself", f, agreed(true)),
			s.early("as if it were agreed", f, skat.Move{Lay: &[]skat.Face{}}),
		}
	}},
	{id: "CH-S-29", how: "refused, and again", hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("JC JH JD AC 7C 8H")
		s.do(f, conceded())
		s.do(m, agreed(false))
		s.do(r, agreed(false))
	}, lie: func(s *stacked) []forgery { return s.forbidden(f, conceded(), "SK-R-55") }},
	{id: "CH-S-29", how: "where nobody ends early", o: quiet, hands: three, play: func(s *stacked) { s.clubsTaken(f) }, lie: func(s *stacked) []forgery {
		return append(s.forbidden(f, conceded(), "OPT-CONCEDE"), s.claimsAt(f, 0, "OPT-CLAIM")...)
	}},
	{id: "CH-S-29", how: "of a Ramsch", o: options{"ramsch": "simple"}, hands: three, play: func(s *stacked) { s.allPass() }, lie: func(s *stacked) []forgery {
		return append(s.forbidden(f, conceded(), "SK-R-69"), s.claimsAt(f, 0, "SK-R-61")...)
	}},
	{id: "CH-S-30", hands: three, play: func(s *stacked) { s.clubsTaken(f); s.do(f, conceded()) }, lie: func(s *stacked) []forgery {
		eleven := (*s.lays().Lay)[:11]
		return s.forbidden(f, skat.Move{Lay: &eleven}, "SK-R-38")
	}},
	{id: "CH-S-31", o: proved, hands: []string{forehand, middlehand, rearhand, "8S 7S"}, play: func(s *stacked) { s.clubsTakenAside(f, "JC AS"); s.do(f, conceded()) }, lie: matadorLies(false, 1)},
	{id: "CH-S-32", how: "with three, says two", o: proved, hands: []string{"JC JS JH"}, play: handConceded, lie: matadorLies(true, 2)},
	{id: "CH-S-32", how: "with two, says three", o: proved, hands: []string{"JC JS", "JH JD"}, play: handConceded, lie: matadorLies(true, 3)},
	{id: "CH-S-32", how: "with two that lie open, says one", o: proved, hands: three, play: func(s *stacked) {
		s.clubsTaken(f)
		s.plays("JC 7C JD JS JH 10H")
		s.do(f, conceded())
		s.do(m, agreed(true))
	}, lie: func(s *stacked) []forgery {
		return s.forbidden(f, skat.Move{Matadors: &skat.Matadors{With: true, N: 1}}, "SK-R-38")
	}},
	{id: "CH-S-33", how: "31 points", hands: []string{"7C 8C 9C 7S 8S 9S 7H 8H JC JS", "AC AS 10H", "10C 10S AH"}, play: func(s *stacked) {
		s.announced(f, 18, skat.Grand, "")
		s.plays("7C AC 10C AS 10S 7S")
		s.anyCard(m)
		s.anyCard(r)
	}, lie: func(s *stacked) []forgery { return s.claimsAt(f, 1, "SK-R-59") }},
	{id: "CH-S-33", how: "below the announced level", hands: three, play: func(s *stacked) { s.announced(f, 18, skat.ClubsGame, "schneider") }, lie: func(s *stacked) []forgery { return s.claimsAt(f, 0, "SK-R-59") }},
	{id: "CH-S-33", how: "of no level, and by a defender", hands: three, play: func(s *stacked) { s.clubsTaken(f) }, lie: func(s *stacked) []forgery {
		return slices.Concat(s.claimsAt(f, 3, "SK-R-59"), s.claimsAt(f, -1, "SK-R-59"), s.claimsAt(m, 0, "SK-R-61"))
	}},
	{id: "CH-S-34", hands: three, o: quiet, play: func(s *stacked) { s.clubsTaken(f); s.untilTrick(9) }, lie: afterTheLast},
	{id: "CH-S-36", how: "without a bid", o: options{"kontra": "bid18"}, hands: three, play: func(s *stacked) { s.calls(m, "pass", r, "18", f, "yes", r, "pass"); s.contract(f, skat.ClubsGame, "") }, lie: func(s *stacked) []forgery {
		return []forgery{s.early("who never bid", m, said(true, false))}
	}},
	{id: "CH-S-36", how: "Re, and Kontra again", o: options{"kontra": "any"}, hands: three, play: func(s *stacked) { s.announced(f, 18, skat.ClubsGame, ""); s.do(m, said(true, false)) }, lie: func(s *stacked) []forgery {
		return []forgery{
			s.early("Re by a defender", r, said(true, true)),
			s.early("Kontra by the other", r, said(true, false)),
			s.early("Kontra twice", m, said(true, false)),
		}
	}},
	{id: "CH-S-37", o: options{"ramsch": "schieber"}, hands: []string{"JD 7H"}, play: func(s *stacked) {
		s.allPass()
		s.do(f, word(skat.Take))
	}, lie: func(s *stacked) []forgery {
		return s.untrue(f, s.aside(f, "JD 7H"))
	}},
	{id: "CH-S-37", how: "neither takes nor pushes on", o: options{"ramsch": "schieber"}, play: func(s *stacked) { s.allPass() }, lie: func(s *stacked) []forgery {
		return s.forbidden(f, word(skat.Hand), "SK-R-72")
	}},
	{id: "CH-S-38", o: options{"ramsch": "schieber"}, hands: []string{"JD 7H 8H 9H"}, play: func(s *stacked) {
		s.allPass()
		s.do(f, word(skat.Take))
		s.do(f, s.aside(f, "7H 8H"))
	}, lie: otherCards},
	{id: "CH-S-39", seats: 4, o: options{"kontra": "any"}, lie: func(s *stacked) []forgery {
		sits := s.public().Deal.Dealer
		shuffled := s.LastMessage(sent(table.Shuffle))
		s.announced(f, 18, skat.ClubsGame, "")
		list := []forgery{s.EarlyLie("shuffles", sits, table.Shuffle, shuffled.Body, shuffled.Proofs...)}
		for _, mv := range []skat.Move{{Call: call("18")}, said(true, false), s.firstCard(m)} {
			list = append(list, s.EarlyLie("moves", sits, table.Move, s.MoveBody(s.seat(m), encode(s.T, mv))))
		}
		return list
	}},
	{id: "CH-S-40", play: func(s *stacked) { s.buy(f, 18) }, lie: tokensOfTheSkat},
}

var proved = options{"early": "prove"}

func call(w string) *skat.Call {
	c := testmust.Need(skat.ParseCall(w))
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

func handConceded(s *stacked) { s.announced(f, 18, skat.ClubsGame, ""); s.do(f, conceded()) }

// announced buys a hand game for a player and announces it.
func (s *stacked) announced(p, bid int, g skat.Game, addition string) {
	s.Helper()
	s.buy(p, bid)
	s.contract(p, g, addition)
}

func (s *stacked) contract(p int, g skat.Game, addition string) {
	s.Helper()
	a := skat.Announcement{Game: g, Ouvert: addition == "ouvert"}
	switch {
	case addition == "schneider":
		a.Ann = 1
	case a.Ouvert && g != skat.Null:
		a.Ann = 2
	}
	s.do(p, word(skat.Hand), s.announces(p, "", a))
}

// clubsTaken is a game of clubs of p after taking the skat, which is laid aside again.
func (s *stacked) clubsTaken(p int) { s.Helper(); s.clubsTakenAside(p, skatCards) }

func (s *stacked) clubsTakenAside(p int, aside string) {
	s.Helper()
	took(p, 18)(s)
	s.do(p, s.announces(p, aside, skat.Announcement{Game: skat.ClubsGame}))
}

// calls makes calls, a player and a word at a time.
func (s *stacked) calls(words ...any) {
	s.Helper()
	for i := 0; i < len(words); i += 2 {
		s.do(words[i].(int), skat.Move{Call: call(words[i+1].(string))})
	}
}

// allPass passes a deal in.
func (s *stacked) allPass() { s.Helper(); s.calls(m, "pass", r, "pass", f, "pass") }

// aside passes two cards on in a Schieberamsch.
func (s *stacked) aside(p int, names string) skat.Move {
	s.Helper()
	pair := skat.Pair(s.places(p, names))
	return skat.Move{Aside: &pair}
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
	return skat.Move{Play: &skat.Play{Card: place, Face: skat.Face(s.Hand(s.seat(p))[place])}}
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
func (s *stacked) opens() []skat.Face {
	s.Helper()
	return *(skat.Rules{}).Moves(s.public(), s.View(s.seat(s.public().Deal.Declarer)))[0].Open
}

func sent(k table.Kind) func(*wire.Message) bool {
	return func(w *wire.Message) bool { return w.Kind == k }
}

func dutyOf(k table.Kind) func(table.Duty) bool {
	return func(d table.Duty) bool { return d.Kind == k }
}

// honest is a message of a player.
func (s *stacked) honest(p int, mv skat.Move) []byte {
	s.Helper()
	seat := s.seat(p)
	return testmust.Have(s.HonestMessage(seat, table.Duty{Kind: table.Move, Seats: []table.Seat{seat}}, encode(s.T, mv)))(s.T)
}

// early is a move that nobody waits for.
func (s *stacked) early(name string, p int, mv skat.Move) forgery {
	s.Helper()
	return s.EarlyLie(name, s.seat(p), table.Move, s.MoveBody(s.seat(p), encode(s.T, mv)))
}

func (s *stacked) forbidden(p int, mv skat.Move, rule string) []forgery {
	s.Helper()
	return s.ForbiddenMoves(rule, s.seat(p), encode(s.T, mv))
}

// written is a forbidden move as it is written.
func (s *stacked) written(rule string, p int, text string) []forgery {
	s.Helper()
	return s.ForbiddenMoves(rule, s.seat(p), json.RawMessage(text))
}

func (s *stacked) bluffs(check table.Check, p int, mv skat.Move) []forgery {
	s.Helper()
	return s.Bluffs(check, s.seat(p), encode(s.T, mv))
}

func (s *stacked) untrue(p int, mv skat.Move) []forgery {
	s.Helper()
	return s.UntrueMoves(s.seat(p), encode(s.T, mv))
}

// again is a second announcement with other discards.
func (s *stacked) again(p int, void bool) []forgery {
	pair := skat.Pair(s.public().Deal.Hands[p][:2])
	mv := skat.Move{Announce: &skat.Announcement{Discard: &pair, Game: skat.Grand}}
	if void {
		return []forgery{s.early("again", p, mv)}
	}
	return s.forbidden(p, mv, "90.15")
}

func (s *stacked) claimsAt(p, level int, rule string) []forgery {
	s.Helper()
	return s.forbidden(p, s.claim(p, level), rule)
}

// claim is what a player says who turns up all that he holds.
func (s *stacked) claim(p, level int) skat.Move {
	s.Helper()
	open := []skat.Face{}
	if d := s.public().Deal; !d.OpenHand {
		for _, place := range d.Hands[p] {
			open = append(open, skat.Face(s.Hand(s.seat(p))[place]))
		}
	}
	return skat.Move{Claim: &skat.Claim{Level: level, Faces: open}}
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

// oneLeftOut proves of the rest less the card that could follow.
func oneLeftOut(s *stacked) []forgery {
	seat, mv := s.seat(m), encode(s.T, s.card(m, "7C"))
	secret := s.Hands[seat].Secret
	proofs := s.Proofs(seat, mv, func(c proof.Condition) proof.Statement {
		c.Cards = slices.DeleteFunc(slices.Clone(c.Cards), func(x proof.MaskedCard) bool {
			face, _ := c.Deck.Face(s.Config.Suite.Encoding().Strip(x, secret.Token(x)))
			return c.Set.Has(face)
		})
		return c
	})
	return []forgery{{Name: "one left out", Entry: s.SignMessage(seat, table.Move, s.MoveBody(seat, mv), proofs...), Check: table.CheckCondition}}
}

// replays plays a card with the proof that a player gave of another void.
func (s *stacked) replays(p int, name string, by int) []forgery {
	s.Helper()
	seat, mv := s.seat(p), encode(s.T, s.card(p, name))
	proofs := s.Proofs(seat, mv, nil)
	proofs[1] = s.proofOf(s.seat(by))
	return []forgery{{Name: "replayed", Entry: s.SignMessage(seat, table.Move, s.MoveBody(seat, mv), proofs...), Check: table.CheckCondition}}
}

// proofOf is the last proof of a void that a seat gave.
func (s *stacked) proofOf(seat table.Seat) []byte {
	s.Helper()
	return s.LastMessage(func(w *wire.Message) bool {
		return w.Kind == table.Move && table.Seat(w.Seat) == seat && len(w.Proofs) > 1
	}).Proofs[1]
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
			s.contract(d.Declarer, skat.Grand, "")
			continue
		}
		p := d.OnTurn()
		mv := s.firstCard(p)
		terms := testmust.Have(s.State.MoveTerms(s.seat(p), encode(s.T, mv)))(s.T)
		if s.seat(p) == seat && len(terms.Prove) > 0 {
			return []forgery{s.ForgedLie("replayed", table.CheckCondition, s.honest(p, mv), func(w *wire.Message) { w.Proofs[1] = old })}
		}
		s.do(p, mv)
	}
	s.Fatal("no void came up")
	return nil
}

// ownKey is a key of which its seat knows no secret, chosen after the others: another's, or
// any.
func ownKey(s *stacked) []forgery {
	other := s.ParseMessage(s.Entries[1])
	s.BackTo(dutyOf(table.Shuffle))
	at := len(s.Entries) - 1
	mine := s.Entries[at] // the last key
	s.Entries, s.States, s.State = s.Entries[:at], s.States[:at], s.States[at-1]
	prover := testmust.Have(proof.ProverOf(s.Config.Suite))(s.T)
	secret := testmust.Have(prover.NewSecret(s.Random))(s.T)
	return []forgery{
		s.ForgedLie("any", table.CheckOwnership, mine, verifiertest.EditValues(func([][]byte) [][]byte { return [][]byte{secret.Key().Bytes()} })),
		s.ForgedLie("another's", table.CheckKey, mine, func(w *wire.Message) { w.Body, w.Proofs = other.Body, other.Proofs }),
	}
}

// doubledCard shuffles a pack in which a card stands for another, too.
func doubledCard(s *stacked) []forgery {
	d := s.BackTo(dutyOf(table.Shuffle))
	cards, key := s.State.Deck()
	doubled := slices.Clone(cards)
	doubled[faces(s.T, "7D")[0]] = cards[faces(s.T, "JC")[0]]
	return []forgery{s.ShuffleLie("a card twice", d.Seats[0], table.Shuffle, key, cards, doubled)}
}

// permuted is the declarer's permutation of other cards than his hand: with an ace of his own
// making, with a copy of a card he has, without the skat.
func permuted(s *stacked) []forgery {
	s.do(f, word(skat.Take))
	d := s.BackTo(dutyOf(table.Permute))
	seat, hand := d.Seats[0], s.State.MaskedCards(d.Cards)
	pack := testmust.Have(s.Config.Suite.Encoding().Deck(testmust.Have(card.NewDeck(skat.DeckName, skat.FaceNames()))(s.T)))(s.T)
	ace := s.MintCards(seat, pack)[card.Face(faces(s.T, "AH")[0])]
	shuffled := func(name string, in ...proof.MaskedCard) forgery {
		return s.ShuffleLie(name, seat, table.Permute, s.State.CardKey(seat), hand, in)
	}
	return []forgery{
		shuffled("an ace", append(slices.Clone(hand[1:]), ace)...),
		shuffled("a copy", append(slices.Clone(hand[1:]), s.CopyCard(seat, hand[1]))...),
		shuffled("ten", hand[:10]...),
	}
}

// tokensOfTheSkat are tokens of the skat of which one is another's share.
func tokensOfTheSkat(s *stacked) []forgery {
	s.do(f, word(skat.Take))
	return s.FalseTokens(s.BackTo(func(d table.Duty) bool { return d.Kind == table.Show && len(d.Cards) == 2 }), 0)
}

// skatTokens are tokens for a skat that nobody has taken.
func skatTokens(s *stacked) []forgery {
	var list []forgery
	for p := range 3 {
		seat := s.seat(p)
		shown := proof.Reveal{Key: s.State.CardKey(seat), Cards: s.State.MaskedCards(s.public().Deal.Skat)}
		b := wire.TokensBody{}
		for _, c := range shown.Cards {
			token := s.Hands[seat].Secret.Token(c)
			shown.Tokens, b.Tokens = append(shown.Tokens, token), append(b.Tokens, token.Bytes())
		}
		made := testmust.Have(s.Prove(seat, table.Show, 0, shown, nil))(s.T)
		list = append(list, s.EarlyLie("by "+seat.Letter(), seat, table.Show, b, made))
	}
	return list
}

// otherCards gives other cards to the next one than those named.
func otherCards(s *stacked) []forgery {
	s.do(m, word(skat.Take))
	d := s.BackTo(dutyOf(table.Give))
	hand := slices.DeleteFunc(slices.Clone(s.State.Hand(d.Seats[0])), func(c table.Card) bool { return slices.Contains(d.Cards, c) })
	return []forgery{s.GiveLie(d, s.State.MaskedCards(hand[:len(d.Cards)]))}
}

// afterTheLast states discards when the deal is over.
func afterTheLast(s *stacked) []forgery {
	mv := skat.Move{Lay: &[]skat.Face{faces(s.T, "AH")[0], faces(s.T, "AD")[0]}}
	s.do(s.public().Deal.OnTurn(), s.firstCard(s.public().Deal.OnTurn()))
	return []forgery{s.EarlyLie("other discards", s.Hands[1].Seat, table.Move, s.MoveBody(s.seat(f), encode(s.T, mv)))}
}

// told is the table of a cheat, up to the lie, and all that he says in its place.
func (c cheat) told(t *testing.T, config tabletest.Config) (*tabletest.Table, []forgery) {
	t.Helper()
	config.Seats, config.Deals, config.Options = c.seats, 9, c.o
	s := newStacked(t, config, dealt(t, c.hands...))
	if c.play != nil {
		c.play(s)
	}
	lies := c.lie(s)
	return s.Table, lies
}

func tried() (list []verifiertest.Cheat) {
	for _, c := range cheats {
		list = append(list, verifiertest.Cheat{ID: c.id, How: c.how, Told: c.told})
	}
	return list
}

// Every cheat of the list, told in every way (D-ANY, A-PUB, OPT-EARLY, AMB-S-03, AMB-S-04).
func TestCheats(t *testing.T) { verifiertest.TryCheats(t, tried()) }

// A cheat of the specification that is tried nowhere. CH-S-35 is no message: see
// TestWithheldToken.
func TestEveryCheatIsTried(t *testing.T) {
	var ids []string
	for _, v := range testmust.ReadVectors[[]struct{ ID, Do, By string }](t, vectorsFolder, "cheats") {
		if v.ID != "CH-S-35" {
			ids = append(ids, v.ID)
		}
	}
	verifiertest.CheckListed(t, tried(), ids...)
}

// CH-S-35: who withholds his token for the skat of a hand game that was conceded stops the
// list; it is unfinished, and the duty names him.
func TestWithheldToken(t *testing.T) {
	s := newStacked(t, tabletest.Config{}, dealt(t, three...))
	s.announced(f, 18, skat.ClubsGame, "")
	testmust.Do(t, s.Add(s.honest(f, conceded())))
	report := verifiertest.NewLog(t, s.Table).Verify(t)
	d := s.State.Duties()
	testmust.Holdf(t, report.Verdict == verifier.Unfinished && len(report.Findings) == 0 && len(d) == 1 && d[0].Kind == table.Show && len(d[0].Seats) == 1 && slices.Equal(d[0].Cards, []table.Card{9, 10}),
		"%s, %v; waits for %v", report.Verdict, report.Findings, d)
}
