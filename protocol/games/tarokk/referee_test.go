package tarokk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// referee is a second implementation of the rules, written from the numbered
// rules for cards that lie open: it follows a history message by message, says
// who must act and which moves are legal, and settles every deal by itself. It
// knows no conditions and no proofs, and of the code that it judges it uses only
// the form of moves and the values of options.
//
// It is written as a story from the first key to the last payment, which waits
// wherever the next message has not come yet.
type referee struct {
	table *tabletest.Table
	at    int // the next entry
	wait  func() bool
	more  func() (struct{}, bool)
	stop  func()
	over  bool
	judge func(seat int, m tarokk.Move) error // what is against the rules in a move of seat now

	o         tarokk.RuleSet
	members   []int // seats, counter-clockwise
	dealer    int   // place in members
	scores    []int
	pool      int
	mayor     int // a seat, or none
	completed int
	rounds    doubleRounds
	turn      int // dealers' turns that are over
	declared  bool
	lastTurn  int // the number of turns in the session, once it is known
	deals     []*openDeal
	*openDeal // the present one
}

// openDeal is a deal with open cards, which are named as in R-CARD-7. Players
// are 0 to 3, A to D.
type openDeal struct {
	seats [4]int
	dealt [4][]string // R-DEAL-2
	drawn [4][]string // R-TAL-1
	cards [4][]string // by letter, as they lie now
	held  [4]string   // letters
	gone  [4]string   // letters of the discards
	refBids
	refTalk
	tricks [][]string
	leads  []int
	how    string
	pay    [5]int // A to D, and the dealer who sits out
	points int    // of the declarer's side
	v      int
}

const none = -1

func newReferee(t *tabletest.Table) *referee {
	r := &referee{table: t, at: 1, mayor: none, lastTurn: none, scores: make([]int, t.Config.Seats)}
	r.more, r.stop = iter.Pull(func(yield func(struct{}) bool) {
		r.wait = func() bool { return yield(struct{}{}) }
		r.session()
		r.over = true
	})
	return r
}

// verdict is what the referee panics with when a rule is broken.
type verdict struct{ error }

var errStopped = errors.New("the referee was sent away")

func (r *referee) fail(format string, args ...any) {
	panic(verdict{fmt.Errorf("referee, entry %d: "+format, append([]any{r.at - 1}, args...)...)})
}

// catchUp reads what was applied since, and returns the first broken rule.
func (r *referee) catchUp() (err error) {
	defer func() {
		if e := recover(); e != nil {
			v, ok := e.(verdict)
			if !ok {
				panic(e)
			}
			err = v
		}
	}()
	r.more()
	if r.at < len(r.table.Entries) {
		r.fail("%d entries after the end", len(r.table.Entries)-r.at)
	}
	if over := len(r.table.State.Duties()) == 0; over != r.over {
		r.fail("is the table over: %t, the referee says %t", over, r.over)
	}
	return nil
}

// end gives up a table that is not over.
func (r *referee) end() {
	defer func() {
		if e := recover(); e != nil && e != errStopped {
			panic(e)
		}
	}()
	r.stop()
}

// watched returns an Invariant and a Legal for one configuration.
func watched() (invariant func(*tabletest.Table) error, legal func(*tabletest.Table, table.Seat, json.RawMessage) error) {
	var r *referee
	follow := func(t *tabletest.Table) error {
		if r == nil || r.table != t {
			if r != nil {
				r.end()
			}
			r = newReferee(t)
		}
		return r.catchUp()
	}
	return follow, func(t *tabletest.Table, seat table.Seat, raw json.RawMessage) error {
		if r == nil || r.table != t || r.at != len(t.Entries) {
			if err := follow(t); err != nil {
				panic(err)
			}
		}
		var m tarokk.Move
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		return r.judge(int(seat), m)
	}
}

// judged is the verdict on a table that was played to its end.
func judged(t *tabletest.Table) (*referee, error) {
	r := newReferee(t)
	defer r.end()
	return r, r.catchUp()
}

func (r *referee) message() *wire.Message {
	for r.at >= len(r.table.Entries) {
		if !r.wait() {
			panic(errStopped)
		}
	}
	e, err := wire.Parse(r.table.Entries[r.at])
	if err != nil {
		panic(verdict{err})
	}
	r.at++
	return e.Message
}

// steps reads n messages of a kind, of anybody.
func (r *referee) steps(kind wire.Kind, n int) {
	for range n {
		if m := r.message(); m.Kind != kind {
			r.fail("is a %s, want a %s", m.Kind, kind)
		}
	}
}

// moveOf waits for a move of one of the seats.
func (r *referee) moveOf(seats []int, judge func(seat int, m tarokk.Move) error) (seat int, m tarokk.Move) {
	due := r.table.States[r.at-1].Duties()
	if len(due) != 1 || due[0].Kind != table.Move || !equalSeats(due[0].Seats, seats) {
		r.fail("play waits for %v, the referee for a move of %v", due, seats)
	}
	r.judge = judge
	msg := r.message()
	var body wire.MoveBody
	if msg.Kind != wire.KindMove || wire.DecodeBody(msg.Body, &body) != nil || json.Unmarshal(body.Move, &m) != nil {
		r.fail("is a %s, want a move", msg.Kind)
	}
	if !slices.Contains(seats, msg.Seat) {
		r.fail("seat %d moves, want one of %v", msg.Seat, seats)
	}
	if err := judge(msg.Seat, m); err != nil {
		r.fail("seat %d may not move %s: %v", msg.Seat, body.Move, err)
	}
	return msg.Seat, m
}

// move is moveOf for players.
func (r *referee) move(players []int, judge func(p int, m tarokk.Move) error) (p int, m tarokk.Move) {
	var seats []int
	for _, p := range players {
		seats = append(seats, r.seats[p])
	}
	seat, m := r.moveOf(seats, func(seat int, m tarokk.Move) error { return judge(r.playerAt(seat), m) })
	return r.playerAt(seat), m
}

func (r *referee) playerAt(seat int) int { return slices.Index(r.seats[:], seat) }

func equalSeats(a []table.Seat, b []int) bool {
	var want []table.Seat
	for _, s := range b {
		want = append(want, table.Seat(s))
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(want)))
}

// look reads the true faces of the cards that a player was dealt and drew, by
// place (R-DEAL-3, R-TAL-2).
func (r *referee) look(p int, places []int, dealt bool) []string {
	s, h := r.table.States[r.at-1], r.table.Hands[r.seats[p]]
	peek := play.Peek
	if dealt {
		peek = play.PeekDealt
	}
	faces, err := peek(s, h.Seat, h.Secret)
	if err != nil {
		r.fail("%v", err)
	}
	names := []string{}
	for _, place := range places {
		f, is := faces[table.Card(place-1)]
		if !is {
			r.fail("player %d does not have card %d of the deck", p, place)
		}
		names = append(names, refName(s.FaceName(f)))
	}
	return names
}

// refName forgets which red cards are the lowest (R-CARD-6).
func refName(name string) string {
	if name == "H4" || name == "D4" {
		return name[:1] + "A"
	}
	return name
}

// session is R-SESS, and PAK-5 at its end.
func (r *referee) session() {
	n := r.table.Config.Seats
	var err error
	if r.o, err = tarokk.ParseRuleSet(table.Config{Seats: n, Deals: r.table.Config.Deals, Options: r.table.Config.Options}); err != nil {
		r.fail("%v", err)
	}
	r.steps(wire.KindKey, n)
	r.sit(n)
	for {
		r.deals = append(r.deals, r.deal())
		r.settle()
		if r.completed == r.table.Config.Deals || r.turn == r.lastTurn {
			break
		}
		if r.how != "passed" && r.how != "annulled" && r.o.Ending == "skiz" && r.between() {
			break
		}
	}
	r.share()
	if result, _ := r.table.State.Result(); r.at == len(r.table.Entries) && !slices.Equal(result, r.scores) {
		r.fail("the result is %v, the referee says %v", result, r.scores)
	}
}

// share is the end of the pool (BGA-7): equal parts, the odd points from the next A on.
func (r *referee) share() {
	n := len(r.members)
	for i := range n {
		r.scores[r.members[(r.dealer+i)%n]] += r.pool / n
		if i < r.pool%n {
			r.scores[r.members[(r.dealer+i)%n]]++
		}
	}
}

// sit is R-SEAT-4, R-SEAT-5 and R-SEAT-6, AMB-27, PAK-2.
func (r *referee) sit(n int) {
	for seat := range n {
		r.members = append(r.members, seat)
	}
	r.dealer = n - 1
	if !r.o.SeatDraw {
		return
	}
	r.steps(wire.KindShuffle, n)
	faces := r.top(n)
	r.steps(wire.KindShow, n)
	slices.SortFunc(r.members, func(a, b int) int { return int(faces[b]) - int(faces[a]) })
}

// top uncovers the first n cards of the deck with everybody's secrets.
func (r *referee) top(n int) []card.Face {
	s := r.table.States[r.at-1]
	names := make([]string, s.Cards())
	for f := range names {
		names[f] = s.FaceName(card.Face(f))
	}
	pack, err := card.NewDeck("tarokk/v1/"+string(r.o.RedLow), names)
	if err != nil {
		r.fail("%v", err)
	}
	encoding := s.Suite().Encoding()
	deck, err := encoding.Deck(pack)
	if err != nil {
		r.fail("%v", err)
	}
	masked, _ := s.Deck()
	var faces []card.Face
	for _, c := range masked[:n] {
		var tokens []proof.Token
		for _, h := range r.table.Hands {
			tokens = append(tokens, h.Secret.Token(c))
		}
		f, ok := deck.Face(encoding.Strip(c, tokens...))
		if !ok {
			r.fail("a card without a face")
		}
		faces = append(faces, f)
	}
	return faces
}

// between is the time between deals. It reports whether all want to stop.
func (r *referee) between() bool {
	stops := 0
	for i := range r.members {
		seat := r.members[(r.dealer+i)%len(r.members)]
		_, m := r.moveOf([]int{seat}, func(_ int, m tarokk.Move) error {
			if m.Wish == nil || *m.Wish != "go" && *m.Wish != "stop" && (*m.Wish != "skiz" || r.declared) {
				return errors.New("R-SESS-1")
			}
			return nil
		})
		switch *m.Wish {
		case "stop":
			stops++
		case "skiz":
			r.declared = true
		}
	}
	return stops == len(r.members)
}

// deal plays one deal up to its payments.
func (r *referee) deal() *openDeal {
	n := len(r.members)
	r.openDeal = &openDeal{refBids: newRefBids()}
	for p := range 4 {
		r.seats[p] = r.members[(r.dealer+1+p)%n]
	}
	for i := range n { // R-DEAL-1
		if m := r.message(); m.Kind != wire.KindShuffle || m.Seat != r.members[(r.dealer+i)%n] {
			r.fail("is a %s by seat %d, want a shuffle by seat %d", m.Kind, m.Seat, r.members[(r.dealer+i)%n])
		}
	}
	places := r.places()
	r.steps(wire.KindShow, n)
	for p := range 4 {
		r.dealt[p] = r.look(p, places[p], true)
		r.cards[p], r.held[p] = r.dealt[p], "abcdefghi"
	}
	if !r.bidding() {
		r.how = "passed"
		return r.openDeal
	}
	if r.owing != none {
		_, m := r.move([]int{r.owing}, func(p int, m tarokk.Move) error {
			return check(m.Confirm != nil && *m.Confirm == slices.Contains(r.dealt[p], r.shown), "OPT-CONV-COMMIT")
		})
		r.confirmed(*m.Confirm)
		if !*m.Confirm {
			r.how = "invit broken"
			return r.openDeal
		}
	}
	if !r.exchange(places) || r.annulled("after-discard") {
		return r.openDeal
	}
	r.announcements()
	r.play()
	r.how = "played"
	r.open()
	return r.openDeal
}

func check(ok bool, rule string) error {
	if !ok {
		return errors.New(rule)
	}
	return nil
}

// places are the places of the deck, from 1, by player (R-DEAL-3, AMB-01), or those of
// the packets taken after a knock.
func (r *referee) places() [4][]int {
	places := [4][]int{
		{7, 8, 9, 10, 11, 27, 28, 29, 30}, {12, 13, 14, 15, 16, 31, 32, 33, 34},
		{17, 18, 19, 20, 21, 35, 36, 37, 38}, {22, 23, 24, 25, 26, 39, 40, 41, 42},
	}
	if !r.o.DealKnock {
		return places
	}
	clockwise := []int{3, 2, 1, 0} // of five members, the dealer's left neighbour is D
	if len(r.members) == 4 {
		clockwise = []int{2, 1, 0, 3}
	}
	if _, m := r.move(clockwise[:1], func(_ int, m tarokk.Move) error { return check(m.Knock != nil, "OPT-DEAL-KNOCK") }); !*m.Knock {
		return places
	}
	left := []int{0, 1, 2, 3}
	take := func(p, packet int) {
		for i := range places[p] {
			places[p][i] = 7 + 9*packet + i
		}
		left = slices.DeleteFunc(left, func(k int) bool { return k == packet })
	}
	for _, p := range clockwise[:3] {
		_, m := r.move([]int{p}, func(_ int, m tarokk.Move) error {
			return check(m.Packet != nil && slices.Contains(left, *m.Packet), "OPT-DEAL-KNOCK")
		})
		take(p, *m.Packet)
	}
	take(clockwise[3], left[0])
	return places
}

// from lists the players counter-clockwise (R-SEAT-2).
func from(p int) []int { return []int{p, (p + 1) % 4, (p + 2) % 4, (p + 3) % 4} }

// exchange is R-TAL, with the trial of AMB-04, and R-DISC. It reports whether the deal goes on.
func (r *referee) exchange(places [4][]int) bool {
	draws := map[string][4]int{"three": {3, 1, 1, 1}, "two": {2, 2, 1, 1}, "one": {1, 2, 2, 1}, "solo": {0, 2, 2, 2}}[r.level]
	next := 1
	draw := func(players []int) {
		for _, p := range players {
			for range draws[(p-r.declarer+4)%4] {
				places[p] = append(places[p], next)
				next++
			}
		}
		r.steps(wire.KindShow, len(r.members)) // who alone draws signs, too
		for _, p := range players {
			r.drawn[p] = r.look(p, places[p], true)[9:]
			r.cards[p] = append(slices.Clone(r.dealt[p]), r.drawn[p]...)
			r.held[p] = "abcdefghijkl"[:len(r.cards[p])]
		}
	}
	if !r.trial {
		draw(from(r.declarer))
	} else {
		if r.level != "solo" {
			draw([]int{r.declarer})
		}
		_, m := r.move([]int{r.declarer}, func(p int, m tarokk.Move) error {
			return check(m.Trial != nil && *m.Trial == hasAny(r.cards[p], honours...), "R-BID-16")
		})
		if !*m.Trial {
			r.how = "trial lost"
			return false
		}
		draw(from(r.declarer)[1:])
	}
	if r.annulled("before-discard") {
		return false
	}
	r.permute(places)
	return r.discards()
}

// permute takes over the new order of the hands, if they are the same hands.
func (r *referee) permute(places [4][]int) {
	for p := range 4 {
		if len(r.drawn[p]) > 0 {
			r.steps(wire.KindPermute, 1)
		}
	}
	for p := range 4 {
		before := slices.Sorted(slices.Values(r.cards[p]))
		r.cards[p] = r.look(p, places[p], false)
		if !slices.Equal(before, slices.Sorted(slices.Values(r.cards[p]))) {
			r.fail("the cards of player %d were %v and are %v", p, before, r.cards[p])
		}
	}
}

// named are the cards behind letters.
func (d *openDeal) named(p int, letters string) []string {
	names := []string{}
	for _, l := range letters {
		names = append(names, d.cards[p][l-'a'])
	}
	return names
}

func (d *openDeal) hand(p int) []string { return d.named(p, d.held[p]) }

// ascending reports whether letters are different ones of a hand, in order.
func ascending(letters, of string) bool {
	for i := range letters {
		if !strings.Contains(of, letters[i:i+1]) || i > 0 && letters[i] <= letters[i-1] {
			return false
		}
	}
	return true
}

// discards is R-DISC-1 to R-DISC-7, AMB-24. Whether a card may be laid away cannot be
// seen before it is told whether it is a tarokk, unless the table proves it with
// the discard itself.
func (r *referee) discards() bool {
	atOnce := r.o.DiscardAnnounce == "first-turn"
	for {
		var due []int
		for p := range 4 {
			if len(r.gone[p]) < len(r.drawn[p]) {
				due = append(due, p)
			}
		}
		if len(due) == 0 {
			break
		}
		p, m := r.move(due, func(p int, m tarokk.Move) error {
			switch {
			case m.Discard == nil || len(*m.Discard) != len(r.drawn[p]) || !ascending(*m.Discard, r.held[p]):
				return errors.New("R-DISC-1")
			case atOnce && !r.discardable(r.named(p, *m.Discard)):
				return errors.New("R-DISC-2, R-DISC-3")
			}
			return nil
		})
		r.gone[p] = *m.Discard
		r.held[p] = strings.Map(func(l rune) rune {
			if strings.ContainsRune(*m.Discard, l) {
				return -1
			}
			return l
		}, r.held[p])
	}
	for _, p := range from(r.declarer) {
		r.told[p] = len(r.drawn[p]) == 0
		if !atOnce && !r.told[p] {
			r.move([]int{p}, func(p int, m tarokk.Move) error { return r.disclosure(p, m.Disclose) })
			r.told[p] = true
		}
	}
	return true
}

// discardable is R-DISC-2, R-DISC-3 and OPT-DISC-XX.
func (r *referee) discardable(cards []string) bool {
	xx := r.o.DiscardXX == "forbidden" || r.o.DiscardXX == "uninvited" && r.forced == ""
	return !slices.ContainsFunc(cards, func(c string) bool {
		return points(c) == 5 || c == r.forced || c == "T20" && xx
	})
}

// disclosure is R-DISC-6, AMB-23, PAK-9.
func (r *referee) disclosure(p int, told *tarokk.Disclosure) error {
	if told == nil || !r.discardable(r.named(p, r.gone[p])) {
		return errors.New("R-DISC-2, R-DISC-3, R-DISC-6")
	}
	tarokks, open := "", []string{}
	for _, l := range r.gone[p] {
		if name := r.named(p, string(l))[0]; isTarokk(name) {
			tarokks += string(l)
			if p == r.declarer {
				open = append(open, name)
			}
		}
	}
	return check(told.Tarokks == tarokks && slices.Equal(told.Open, open), "R-DISC-6")
}

// tarokksGone counts the tarokks in the discards of p.
func (d *openDeal) tarokksGone(p int) int { return countTarokks(d.named(p, d.gone[p])) }

// annulled is R-ANN-3 and R-ANN-4, AMB-22. What follows is R-ANN-5.
func (r *referee) annulled(when string) bool {
	if string(r.o.AnnulTime) != when || r.o.AnnulHands == "" {
		return false
	}
	for _, p := range from(r.declarer) {
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			return check(m.Annul != nil && (*m.Annul == "" || strings.Contains(r.o.AnnulHands, *m.Annul) && r.void(p, *m.Annul)), "R-ANN-1, R-ANN-2")
		})
		if *m.Annul != "" {
			r.how = "annulled"
			return true
		}
	}
	return false
}

// void is R-ANN-1 and R-ANN-2.
func (r *referee) void(p int, category string) bool {
	if category == "a" {
		return hasAll(r.hand(p), "HK", "DK", "CK", "SK")
	}
	if r.o.AnnulTarokk != "all" && r.tarokksGone(p) > 0 {
		return false
	}
	tarokks := slices.DeleteFunc(r.hand(p), func(c string) bool { return !isTarokk(c) })
	slices.Sort(tarokks)
	return slices.Equal(tarokks, map[string][]string{"b": {"T21"}, "c": {"T1"}, "d": {}, "e": {"T1", "T21"}}[category])
}

// play is R-PLAY-1, R-PLAY-8 and R-PLAY-9: nine tricks, and nobody lays his hand down.
func (r *referee) play() {
	leader := 0
	for range 9 {
		trick := []string{}
		for i := range 4 {
			p := (leader + i) % 4
			_, m := r.move([]int{p}, func(p int, m tarokk.Move) error { return r.mayPlay(p, trick, m.Play) })
			r.held[p] = strings.Replace(r.held[p], m.Play.Card, "", 1)
			name := refName(m.Play.Face)
			trick = append(trick, name)
			if m.Play.Side != "" {
				r.known(p, m.Play.Side)
			}
			if name == r.called {
				r.known(p, "DEC")
				if p == r.declarer {
					r.alone()
				}
			}
		}
		r.tricks, r.leads = append(r.tricks, trick), append(r.leads, leader)
		leader = (leader + taker(trick)) % 4
	}
}

func (r *referee) mayPlay(p int, trick []string, m *tarokk.Play) error {
	if m == nil || len(m.Card) != 1 || !strings.Contains(r.held[p], m.Card) || r.named(p, m.Card)[0] != refName(m.Face) {
		return errors.New("R-PLAY-1: no such card")
	}
	legal := refLegal(trick, r.hand(p))
	name := refName(m.Face)
	if !slices.Contains(legal, name) {
		return errors.New("R-PLAY-3")
	}
	bound, asked := false, false
	if name == "T1" && len(r.held[p]) > 1 {
		bound, asked = r.keepsPagat(p)
	}
	if m.Side != "" {
		return check(asked && !bound && m.Side == r.truly(p), "R-PLAY-7: the side shown")
	}
	// Whose side is not public, and shows nothing, plays as one who is bound.
	if (bound || asked) && (len(legal) > 1 || len(trick) == 0) {
		return errors.New("R-PLAY-6")
	}
	return nil
}

// keepsPagat is R-PLAY-7: whether the pagát binds p, and whether it takes a
// proof to tell.
func (r *referee) keepsPagat(p int) (bound, asked bool) {
	dec, def := r.has("DEC.pagat_ultimo"), r.has("DEF.pagat_ultimo")
	switch {
	case !dec && !def:
		return false, false
	case dec && def || r.o.Retention == "any-holder":
		return true, false
	}
	return dec == (r.truly(p) == "DEC"), r.side[p] == ""
}

// refLegal is R-PLAY-2 and R-PLAY-3.
func refLegal(trick, hand []string) []string {
	if len(trick) == 0 {
		return hand
	}
	for _, s := range []string{suit(trick[0]), "T"} {
		var same []string
		for _, c := range hand {
			if suit(c) == s {
				same = append(same, c)
			}
		}
		if len(same) > 0 {
			return same
		}
	}
	return hand
}

// open turns the discards up (R-SC-1), and hears what is said after play.
func (r *referee) open() {
	for {
		var due []int
		for p := range 4 {
			if len(r.closed(p)) > 0 {
				due = append(due, p)
			}
		}
		if len(due) == 0 {
			break
		}
		p, _ := r.move(due, func(p int, m tarokk.Move) error {
			if m.Open == nil {
				return errors.New("R-SC-1")
			}
			var names []string
			for _, name := range *m.Open {
				names = append(names, refName(name))
			}
			return check(slices.Equal(names, r.closed(p)), "R-SC-1")
		})
		r.opened[p] = true
	}
	r.score()
	for _, p := range r.lateClaimants() {
		if _, m := r.move([]int{p}, func(_ int, m tarokk.Move) error { return check(m.Claim != nil, "R-CNT-5") }); *m.Claim {
			r.payLate(p)
		}
	}
	if !r.o.TalonFee {
		return
	}
	for _, p := range from(r.declarer) {
		if len(r.drawn[p]) == 0 {
			continue
		}
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			return check(m.Fee != nil && slices.Equal(slices.Sorted(slices.Values(*m.Fee)), slices.Sorted(slices.Values(only(r.drawn[p], honours)))), "OPT-TALON-HONOUR-FEE")
		})
		for _, name := range *m.Fee {
			fee := map[string]int{"T22": 3, "T21": 2, "T1": 1}[name]
			r.pay[p] -= fee
			r.pay[4] += fee
		}
	}
}

// closed are the discards of p that nobody else has seen.
func (r *referee) closed(p int) []string {
	if r.opened[p] {
		return nil
	}
	if p == r.declarer {
		return slices.DeleteFunc(r.named(p, r.gone[p]), isTarokk)
	}
	return r.named(p, r.gone[p])
}

// The pack, by name.

// honours is R-CARD-4.
var honours = []string{"T1", "T21", "T22"}

func isTarokk(c string) bool { return suit(c) == "T" }

func suit(c string) string { return c[:1] }

// rank orders the cards of a suit.
func rank(c string) int {
	if isTarokk(c) {
		n := 0
		fmt.Sscan(c[1:], &n)
		return n
	}
	return strings.IndexByte("AT?JRQK", c[1])
}

func points(c string) int {
	switch {
	case slices.Contains(honours, c):
		return 5
	case isTarokk(c):
		return 1
	}
	return map[byte]int{'K': 5, 'Q': 4, 'R': 3, 'J': 2, 'A': 1, 'T': 1}[c[1]]
}

// taker is R-PLAY-5: the place in the trick.
func taker(trick []string) int {
	s := suit(trick[0])
	if slices.ContainsFunc(trick, isTarokk) {
		s = "T"
	}
	best := none
	for i, c := range trick {
		if suit(c) == s && (best == none || rank(c) > rank(trick[best])) {
			best = i
		}
	}
	return best
}

func hasAny(cards []string, any ...string) bool { return len(only(cards, any)) > 0 }

func hasAll(cards []string, all ...string) bool { return len(only(all, cards)) == len(all) }

func only(cards, of []string) []string {
	list := []string{}
	for _, c := range cards {
		if slices.Contains(of, c) {
			list = append(list, c)
		}
	}
	return list
}

func countTarokks(cards []string) int {
	n := 0
	for _, c := range cards {
		if isTarokk(c) {
			n++
		}
	}
	return n
}
