package skat_test

// The referee is a second implementation of the rules of Skat: written
// from the numbers of docs/spec/90 for cards that lie open, and not from the first one.
//
// It keeps no state: of a deal it has the cards and the list of all that was said and
// played, and tells the whole deal anew each time, from the first call on, until it comes
// to what was not said yet. Cards are names; what beats what is read off rows of names.
// It knows no conditions and no proofs, and of the code that it judges it uses the form
// of moves alone. judgeTable is its opinion of a table, watchTable that of one under way.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// heardMove is something that a player of a deal said or did.
type heardMove struct {
	who    int // 0, 1, 2: forehand, middlehand, rearhand
	verb   string
	n      int      // value of a call, 0 is a pass; level announced or claimed; matadors; 1 for yes
	game   string   // C S H D G N
	ouvert bool     // of an announcement
	cards  []string // discarded, played, opened, passed on
}

// openDeal is a deal with its cards open.
type openDeal struct {
	hands [3][]string
	skat  []string
	house map[string]string // options; what is left out has its default
	heard []heardMove
	after func(*tale) // sees how far the tale came
}

// turn is what somebody may say now.
type turn struct {
	who  int
	verb string
	may  func(heardMove) error
}

// ending is how a deal came out.
type ending struct {
	how      string // passed, played, ramsch, conceded by declarer, conceded by defenders, claimed
	declarer int    // or nobody
	bid      int
	game     string
	matadors int // without: negative
	points   int // of the declarer, with the skat
	tricks   int
	won      bool
	value    int
	score    int    // classic, of the declarer
	each     [3]int // of a Ramsch
	events   int    // that make a Bock round (SK-R-78)
	overbid  bool
	hand     bool
	dealt    [3][]string
	due      []string // plays that cannot follow and say something new: "6 M D 8"
	winners  []int
	kontra   int // 0, 1 Kontra, 2 Re
	opened   []string
}

const (
	nobody = -1
	yes    = 1
)

// tale is a deal that is being told.
type tale struct {
	openDeal
	at int // the next of heard
	ending
	hold    [3][]string // now
	bids    [3]int      // highest that each named or held
	lies    []string    // skat, or what was laid away
	ann     int
	ouvert  bool
	open    bool     // the declarer's hand lies open
	gone    []string // in tricks
	table   []string // in the trick under way
	void    [3]map[string]bool
	offered [3]int                       // trick in which each gave up or claimed last, and was refused
	against struct{ points, tricks int } // of the defenders
}

type pause struct{ turns []turn }
type verdict struct{ error }

// tell tells the deal. Either it is over, or turns says what may come next.
func (d openDeal) tell() (end *ending, turns []turn, err error) {
	t := &tale{openDeal: d, ending: ending{declarer: nobody}, lies: d.skat}
	for p := range t.hands {
		t.hold[p], t.void[p] = slices.Clone(d.hands[p]), map[string]bool{}
		t.dealt[p] = d.hands[p]
	}
	defer func() {
		if d.after != nil {
			d.after(t)
		}
		switch e := recover().(type) {
		case nil:
		case pause:
			turns = e.turns
		case verdict:
			err = e
		default:
			panic(e)
		}
	}()
	t.deal()
	if t.at < len(t.heard) {
		t.fail("%v is said after the deal is over", t.heard[t.at])
	}
	return &t.ending, nil, nil
}

func (t *tale) fail(format string, args ...any) {
	panic(verdict{fmt.Errorf("referee, move %d: "+format, append([]any{t.at}, args...)...)})
}

// awaitMove is what was said next, which must be one of turns.
func (t *tale) awaitMove(turns ...turn) heardMove {
	if t.at == len(t.heard) {
		panic(pause{turns})
	}
	s := t.heard[t.at]
	for _, u := range turns {
		if u.who == s.who && u.verb == s.verb {
			if err := u.may(s); err != nil {
				t.fail("%v: %w", s, err)
			}
			t.at++
			return s
		}
	}
	t.fail("%v: %w", s, errNotAwaited)
	panic("unreachable")
}

var errNotAwaited = errors.New("nobody waits for it")

func allowAny(heardMove) error { return nil }

// ruleUnless is an error with the number of a rule if it does not hold.
func ruleUnless(holds bool, rule string) error {
	if !holds {
		return errors.New(rule)
	}
	return nil
}

func (d openDeal) hasOption(option, value string) bool { return d.house[option] == value }

// deal is a deal from the first call to the score.
func (t *tale) deal() {
	if !t.auction() {
		t.how = "passed"
		if t.house["ramsch"] != "" && !t.hasOption("ramsch", "off") {
			t.ramsch()
		}
		return
	}
	t.announcement()
	if t.game == "N" && nullValue(t.hand, t.ouvert) < t.bid { // OPT-NULL-OVERBID=lose
		t.how, t.value = "played", nextNull(t.bid)
		t.overbid, t.score = true, -2*t.value
		return
	}
	t.contradict()
	if t.ouvert {
		t.awaitMove(turn{t.declarer, "open", func(s heardMove) error {
			return ruleUnless(sameCards(s.cards, t.hold[t.declarer]), "SK-R-31")
		}})
		t.opened, t.open = append(t.opened, t.hold[t.declarer]...), true
	}
	t.play()
	t.double()
}

// bidValues are all that a game can be worth (SK-R-14): written down as products.
var bidValues = func() []int {
	values := []int{23, 35, 46, 59}
	for _, base := range []int{9, 10, 11, 12} {
		for factor := 2; factor <= 18; factor++ {
			values = append(values, base*factor)
		}
	}
	for factor := 2; factor <= 11; factor++ {
		values = append(values, 24*factor)
	}
	slices.Sort(values)
	return slices.Compact(values)
}()

// auction is SK-R-15 to SK-R-21. It reports whether anybody plays.
func (t *tale) auction() bool {
	last := 0
	duel := func(sayer, hearer int) int {
		for {
			s := t.awaitMove(turn{sayer, "call", func(s heardMove) error {
				return ruleUnless(s.n == 0 || s.n > last && slices.Contains(bidValues, s.n), "SK-R-15")
			}})
			if s.n == 0 {
				return hearer
			}
			last, t.bids[sayer] = s.n, s.n
			s = t.awaitMove(turn{hearer, "call", func(s heardMove) error { return ruleUnless(s.n == 0 || s.n == yes, "SK-R-15") }})
			if s.n == 0 {
				return sayer
			}
			t.bids[hearer] = last
		}
	}
	t.declarer = duel(2, duel(1, 0))
	if last == 0 {
		s := t.awaitMove(turn{0, "call", func(s heardMove) error { return ruleUnless(s.n == 0 || s.n == 18, "SK-R-19") }})
		if last, t.bids[0] = s.n, s.n; last == 0 {
			t.declarer = nobody
		}
	}
	t.bid = last
	return last > 0
}

// announcement is SK-R-24 to SK-R-30.
func (t *tale) announcement() {
	d := t.declarer
	t.hand = t.awaitMove(turn{d, "take", allowAny}, turn{d, "hand", allowAny}).verb == "hand"
	if !t.hand {
		t.hold[d] = append(t.hold[d], t.skat...)
	}
	s := t.awaitMove(turn{d, "announce", t.mayAnnounce})
	t.game, t.ann, t.ouvert = s.game, s.n, s.ouvert
	if !t.hand {
		t.lies = s.cards
		t.hold[d] = withoutCards(t.hold[d], s.cards)
	}
}

func (t *tale) mayAnnounce(s heardMove) error {
	wanted := 2
	if t.hand {
		wanted = 0
	}
	null := s.game == "N"
	switch {
	case !strings.Contains("CSHDGN", s.game) || len(s.game) != 1:
		return errors.New("SK-R-27")
	case len(s.cards) != wanted || !contains(t.hold[t.declarer], s.cards):
		return errors.New("SK-R-25")
	case null && s.n != 0, !null && !t.hand && (s.n != 0 || s.ouvert), s.n < 0 || s.n > 2, !null && s.ouvert && s.n != 2:
		return errors.New("SK-R-28")
	case null && nullValue(t.hand, s.ouvert) < t.bid && !t.hasOption("null-overbid", "lose"):
		return errors.New("SK-R-29")
	}
	return nil
}

func nullValue(hand, ouvert bool) int {
	return map[[2]bool]int{{false, false}: 23, {true, false}: 35, {false, true}: 46, {true, true}: 59}[[2]bool{hand, ouvert}]
}

// nextNull is what a null that was announced below its bid is lost at (OPT-NULL-OVERBID).
func nextNull(bid int) int {
	for _, v := range []int{23, 35, 46, 59} {
		if v >= bid {
			return v
		}
	}
	return bid
}

// contradict is SK-R-74 and SK-R-75.
func (t *tale) contradict() {
	if !t.hasOption("kontra", "any") && !t.hasOption("kontra", "bid18") {
		return
	}
	for _, p := range []int{(t.declarer + 1) % 3, (t.declarer + 2) % 3} {
		if t.hasOption("kontra", "bid18") && t.bids[p] < 18 {
			continue
		}
		if t.awaitMove(turn{p, "kontra", allowAny}).n == 1 {
			t.kontra = 1 + t.awaitMove(turn{t.declarer, "re", allowAny}).n
			return
		}
	}
}

// play is SK-R-32 to SK-R-36 and the early ends of SK-R-55 to SK-R-60.
func (t *tale) play() {
	leader := 0
	for trick := 1; trick <= 10; trick++ {
		var lie []string
		for i := range 3 {
			p := (leader + i) % 3
			s := t.awaitMove(t.turnsOf(p, trick, lie)...)
			for ; s.verb != "play"; s = t.awaitMove(t.turnsOf(p, trick, lie)...) {
				if t.endsDeal(s, trick) {
					return
				}
			}
			t.layCard(p, s.cards[0], lie)
			lie = append(lie, s.cards[0])
		}
		leader = (leader + winningPlace(t.game, lie)) % 3
		t.winners = append(t.winners, leader)
		t.gone = append(t.gone, lie...)
		t.countTrick(leader, lie)
		if t.game == "N" && leader == t.declarer {
			break
		}
	}
	t.how = "played"
	t.scorePlayed()
}

// countTrick counts a trick.
func (t *tale) countTrick(winner int, lie []string) {
	if winner == t.declarer {
		t.tricks++
		t.points += sum(lie)
		return
	}
	t.against.tricks++
	t.against.points += sum(lie)
}

// turnsOf is what may be said when a card of p is due: the card, a claim of the declarer,
// and anybody may give up, but nobody twice in a trick.
func (t *tale) turnsOf(p, trick int, lie []string) []turn {
	list := []turn{{p, "play", func(s heardMove) error { return t.mayPlay(p, s.cards, lie) }}}
	if p == t.declarer && !t.hasOption("claim", "off") && t.offered[p] < trick {
		list = append(list, turn{p, "claim", t.mayClaim})
	}
	for q := range 3 {
		if !t.hasOption("concede", "off") && t.offered[q] < trick {
			list = append(list, turn{q, "concede", func(s heardMove) error { return ruleUnless(s.n == yes, "SK-R-55") }})
		}
	}
	return list
}

func (t *tale) mayClaim(s heardMove) error {
	missed := func(level int) bool { // it cannot be reached any more
		return t.against.points > 59 || level >= 1 && t.against.points > 30 || level == 2 && t.against.tricks > 0
	}
	var opens []string
	if !t.open {
		opens = t.hold[t.declarer]
	}
	switch {
	case !sameCards(s.cards, opens), s.n < 0, s.n > 2, s.n < t.ann, t.game == "N" && s.n > 0, t.game != "N" && missed(s.n):
		return errors.New("SK-R-59")
	}
	return nil
}

// endsDeal tells whether words in place of a card end the deal.
func (t *tale) endsDeal(s heardMove, trick int) bool {
	t.offered[s.who] = trick
	d := t.declarer
	defenders := []int{(d + 1) % 3, (d + 2) % 3}
	asked := func(p int) bool {
		return t.awaitMove(turn{p, "agree", allowAny}).n == yes
	}
	switch {
	case s.verb == "claim":
		t.opened, t.open = append(t.opened, s.cards...), true
		for _, p := range defenders {
			if t.awaitMove(turn{p, "accept", allowAny}, turn{p, "play-on", allowAny}).verb == "play-on" {
				return false
			}
		}
		t.how = "claimed"
		t.scoreEarly(func(mat int) int { return claimedScore(t.game, t.bid, mat, t.hand, t.ann, t.ouvert, s.n) })
	case s.who == d:
		if len(t.hold[d]) < 9 && !asked(defenders[0]) && !asked(defenders[1]) {
			return false
		}
		t.how = "conceded by the declarer"
		t.scoreEarly(func(mat int) int {
			return concededScore(true, t.game, t.bid, mat, t.hand, t.ann, t.ouvert, t.against.points, t.against.tricks)
		})
	default:
		if !t.hasOption("concede", "one") && !asked(3-d-s.who) {
			return false
		}
		t.how = "conceded by the defenders"
		t.scoreEarly(func(mat int) int {
			return concededScore(false, t.game, t.bid, mat, t.hand, t.ann, t.ouvert, t.against.points, t.against.tricks)
		})
	}
	return true
}

// scoreEarly scores a deal that words ended, when what decides its value lies open (91.6.2).
func (t *tale) scoreEarly(by func(mat int) int) {
	if t.game != "N" {
		t.matadors = countMatadors(t.game, t.twelve())
		t.layTwelve()
	}
	t.score = by(abs(t.matadors))
	if t.won = t.score > 0; !t.won {
		t.value = -t.score / 2
		t.overbid = reachedValue(t.game, abs(t.matadors), levelNames(t.hand, t.ann, t.ouvert, 60, 5)) < t.bid
	} else {
		t.value = t.score
	}
}

// layTwelve turns up what the declarer has not shown yet of his twelve, or says the matadors.
// The skat of a hand game is turned up by all, without a word.
func (t *tale) layTwelve() {
	seen := slices.Concat(t.gone, t.opened, t.table)
	if t.hand {
		seen = append(seen, t.skat...)
	}
	closed := withoutCards(t.twelve(), seen)
	switch {
	case len(closed) == 0:
	case t.hasOption("early", "prove"):
		t.awaitMove(turn{t.declarer, "matadors", func(s heardMove) error { return ruleUnless(s.n == t.matadors, "SK-R-38") }})
	default:
		t.awaitMove(turn{t.declarer, "lay", func(s heardMove) error { return ruleUnless(sameCards(s.cards, closed), "SK-R-38") }})
	}
}

func (t *tale) mayPlay(p int, cards, lie []string) error {
	switch {
	case len(cards) != 1 || !contains(t.hold[p], cards):
		return errors.New("SK-R-35")
	case len(lie) > 0 && classOf(t.game, cards[0]) != classOf(t.game, lie[0]) && hasClass(t.game, t.hold[p], classOf(t.game, lie[0])):
		return errors.New("SK-R-33")
	}
	return nil
}

// layCard lays a card down. Whoever cannot follow shows a void, unless everybody knows it.
func (t *tale) layCard(p int, c string, lie []string) {
	t.hold[p] = withoutCards(t.hold[p], []string{c})
	t.table = slices.Concat(lie, []string{c})
	shown := t.open && p == t.declarer
	if len(lie) > 0 && len(t.hold[p]) > 0 && !shown { // SKIP-1, SKIP-5, SKIP-6
		k := classOf(t.game, lie[0])
		known := func() bool { // all cards of the class were seen
			seen := slices.Concat(t.gone, t.opened, lie, []string{c})
			return !slices.ContainsFunc(pack, func(f string) bool { return classOf(t.game, f) == k && !slices.Contains(seen, f) })
		}
		if classOf(t.game, c) != k && !t.void[p][k] && !known() {
			t.void[p][k] = true
			t.due = append(t.due, fmt.Sprint(len(t.gone)+len(lie)+1, " ", "FMR"[p:p+1], " ", k, " ", len(t.hold[p])))
		}
	}
}

// scorePlayed is the value of a game that was played (SK-R-38 to SK-R-54).
func (t *tale) scorePlayed() {
	if t.game == "N" {
		t.settleNull(t.tricks == 0, nullValue(t.hand, t.ouvert))
		return
	}
	t.points += sum(t.lies)
	t.matadors = countMatadors(t.game, t.twelve())
	t.won, t.value, t.score = playedScore(t.game, t.bid, abs(t.matadors), t.hand, t.ann, t.ouvert, t.points, t.tricks)
	t.overbid = reachedValue(t.game, abs(t.matadors), levelNames(t.hand, t.ann, t.ouvert, t.points, t.tricks)) < t.bid
}

func (t *tale) twelve() []string {
	return slices.Concat(t.hands[t.declarer], t.skat)
}

func (t *tale) settleNull(won bool, value int) {
	t.won, t.value, t.score = won, value, value
	if !won {
		t.score = -2 * value
	}
}

// double is SK-R-75 and the events of SK-R-78.
func (t *tale) double() {
	t.score <<= t.kontra
	for _, e := range strings.Split(t.house["bock"], "+") {
		if map[string]bool{
			"lost60":    !t.won && t.how == "played" && t.game != "N" && t.points == 60,
			"grandhand": t.won && t.game == "G" && t.hand,
			"kontra":    !t.won && t.kontra == 1,
			"re":        t.kontra == 2,
		}[e] {
			t.events++
		}
	}
}

// Rows of cards, the highest first. Trumps of a suit game: jacks, and a row of the suit.
const (
	jackRow  = "JC JS JH JD"
	plainRow = "A 10 K Q 9 8 7"
	nullRow  = "A K Q J 10 9 8 7"
)

var pack = func() []string {
	var all []string
	for _, s := range strings.Fields("C S H D") {
		for _, r := range strings.Fields("7 8 9 10 J Q K A") {
			all = append(all, r+s)
		}
	}
	return all
}()

func row(ranks, suit string) []string {
	var names []string
	for _, r := range strings.Fields(ranks) {
		names = append(names, r+suit)
	}
	return names
}

// rows are the classes of a game, T for trump, each with its cards from the highest.
func rows(game string) map[string][]string {
	classes := map[string][]string{}
	for _, s := range []string{"C", "S", "H", "D"} {
		if game == "N" {
			classes[s] = row(nullRow, s)
		} else {
			classes[s] = row(plainRow, s)
		}
	}
	if game != "N" {
		classes["T"] = append(strings.Fields(jackRow), classes[game]...)
		delete(classes, game)
	}
	return classes
}

var rowsOf = map[string]map[string][]string{
	"C": rows("C"), "S": rows("S"), "H": rows("H"), "D": rows("D"), "G": rows("G"), "N": rows("N"),
}

// classOf is SK-R-06.
func classOf(game, c string) string {
	for k, list := range rowsOf[game] {
		if slices.Contains(list, c) {
			return k
		}
	}
	return "?"
}

func hasClass(game string, hand []string, k string) bool {
	return slices.ContainsFunc(hand, func(c string) bool { return classOf(game, c) == k })
}

// winningPlace is the place of the card that wins a trick (SK-R-34).
func winningPlace(game string, lie []string) int {
	for _, k := range []string{"T", classOf(game, lie[0])} {
		for _, c := range rowsOf[game][k] {
			if at := slices.Index(lie, c); at >= 0 {
				return at
			}
		}
	}
	return nobody
}

var pointsOf = map[string]int{"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}

func sum(cards []string) (n int) {
	for _, c := range cards {
		n += pointsOf[c[:len(c)-1]]
	}
	return n
}

// countMatadors is SK-R-38: with n, or without n, which is negative.
func countMatadors(game string, twelve []string) int {
	n, with := 0, slices.Contains(twelve, "JC")
	for _, c := range rowsOf[game]["T"] {
		if slices.Contains(twelve, c) != with {
			break
		}
		n++
	}
	if !with {
		return -n
	}
	return n
}

// levelNames are what counts one each, by name so that nothing counts twice (SK-R-40,
// SK-R-43).
func levelNames(hand bool, ann int, ouvert bool, points, tricks int) map[string]bool {
	levels := map[string]bool{"game": true}
	if hand {
		levels["hand"] = true
	}
	if points >= 90 || points <= 30 {
		levels["schneider"] = true
	}
	if tricks == 0 || tricks == 10 {
		levels["schneider"], levels["schwarz"] = true, true
	}
	if ann >= 1 {
		levels["schneider"], levels["schneider announced"] = true, true
	}
	if ann == 2 || ouvert {
		for _, l := range []string{"schneider", "schneider announced", "schwarz", "schwarz announced"} {
			levels[l] = true
		}
	}
	if ouvert {
		levels["ouvert"] = true
	}
	return levels
}

var bases = map[string]int{"D": 9, "H": 10, "S": 11, "C": 12, "G": 24}

func reachedValue(game string, mat int, levels map[string]bool) int {
	return bases[game] * (mat + len(levels))
}

// atLeast is the smallest multiple of the base that is not below the bid (SK-R-53).
func atLeast(game string, value, bid int) int {
	for value < bid {
		value += bases[game]
	}
	return value
}

// playedScore is a suit game or grand that was played (SK-R-47, SK-R-49, SK-R-53).
func playedScore(game string, bid, mat int, hand bool, ann int, ouvert bool, points, tricks int) (won bool, value, score int) {
	value = reachedValue(game, mat, levelNames(hand, ann, ouvert, points, tricks))
	won = points > 60 && value >= bid
	if ann == 1 && points < 90 || (ann == 2 || ouvert) && tricks < 10 {
		won = false
	}
	if !won {
		value = atLeast(game, value, bid)
		return false, value, -2 * value
	}
	return true, value, value
}

// concededScore is SK-R-56 and SK-R-58; points and tricks are those of the defenders so far.
func concededScore(byDeclarer bool, game string, bid, mat int, hand bool, ann int, ouvert bool, points, tricks int) int {
	simple := levelNames(hand, ann, ouvert, 60, 5)
	if game == "N" {
		if v := nullValue(hand, ouvert); byDeclarer {
			return -2 * v
		} else {
			return v
		}
	}
	lost := -2 * atLeast(game, reachedValue(game, mat, simple), bid)
	if byDeclarer || points > 59 || ann >= 1 && points > 30 || ann == 2 && tricks > 0 {
		return lost
	}
	if v := reachedValue(game, mat, simple); v >= bid {
		return v
	}
	if simple["schneider"] = true; points <= 30 && reachedValue(game, mat, simple) >= bid {
		return reachedValue(game, mat, simple)
	}
	if simple["schwarz"] = true; tricks == 0 && reachedValue(game, mat, simple) >= bid {
		return reachedValue(game, mat, simple)
	}
	return lost
}

// claimedScore is SK-R-59: all further tricks are the declarer's and the level counts; in a
// null none of them is (SK-R-60).
func claimedScore(game string, bid, mat int, hand bool, ann int, ouvert bool, level int) int {
	if game == "N" {
		return nullValue(hand, ouvert)
	}
	levels := levelNames(hand, ann, ouvert, 60, 5)
	if level >= 1 {
		levels["schneider"] = true
	}
	if level == 2 {
		levels["schwarz"] = true
	}
	v := reachedValue(game, mat, levels)
	if v < bid {
		return -2 * atLeast(game, v, bid)
	}
	return v
}

// ramschScores is SK-R-70 and SK-R-71.
func ramschScores(points, tricks [3]int, pushes int) (scores [3]int) {
	if march := slices.Index(tricks[:], 10); march >= 0 {
		scores[march] = 120 << pushes
		return scores
	}
	most, virgin := slices.Max(points[:]), 0
	if slices.Contains(tricks[:], 0) {
		virgin = 1
	}
	if points == [3]int{40, 40, 40} {
		return scores
	}
	for p := range points {
		if points[p] == most {
			scores[p] = -most << (pushes + virgin)
		}
	}
	return scores
}

// ramsch is SK-R-69 to SK-R-73.
func (t *tale) ramsch() {
	t.how, t.game = "ramsch", "G"
	pushes := 0
	for p := range 3 {
		if !t.hasOption("ramsch", "schieber") {
			break
		}
		if t.awaitMove(turn{p, "take", allowAny}, turn{p, "push", allowAny}).verb == "push" {
			pushes++
			continue
		}
		t.hold[p] = append(t.hold[p], t.lies...)
		s := t.awaitMove(turn{p, "pass on", func(s heardMove) error {
			return ruleUnless(len(s.cards) == 2 && contains(t.hold[p], s.cards) && !hasClass("G", s.cards, "T"), "SK-R-72")
		}})
		t.lies, t.hold[p] = s.cards, withoutCards(t.hold[p], s.cards)
	}
	var points, tricks [3]int
	leader := 0
	for range 10 {
		var lie []string
		for i := range 3 {
			p := (leader + i) % 3
			s := t.awaitMove(turn{p, "play", func(s heardMove) error { return t.mayPlay(p, s.cards, lie) }})
			t.layCard(p, s.cards[0], lie)
			lie = append(lie, s.cards[0])
		}
		leader = (leader + winningPlace(t.game, lie)) % 3
		t.gone = append(t.gone, lie...)
		t.winners = append(t.winners, leader)
		points[leader] += sum(lie)
		tricks[leader]++
	}
	points[leader] += sum(t.lies)
	t.each = ramschScores(points, tricks, pushes)
}

// sitting is a list with open eyes: what every deal brings to every seat.
type sitting struct {
	n        int // seats
	score    string
	totals   []int
	won      []int
	lost     []int
	bockLeft int
}

// enter adds a deal to the list; players are the seats of F, M and R. It returns the
// factor by which the deal counts (SK-R-77).
func (l *sitting) enter(e *ending, players [3]int) (factor int) {
	factor = 1
	if l.bockLeft > 0 {
		factor, l.bockLeft = 2, l.bockLeft-1
	}
	l.bockLeft += l.n * e.events
	switch {
	case e.how == "ramsch":
		for p, n := range e.each {
			switch {
			case l.score == "bierlachs" && n > 0:
				for q := range 3 {
					if q != p {
						l.totals[players[q]] -= n * factor
					}
				}
			default:
				l.totals[players[p]] += n * factor
			}
		}
	case e.declarer == nobody:
	default:
		l.addGame(players[e.declarer], e.score*factor, e.won)
	}
	return factor
}

func (l *sitting) addGame(d, score int, won bool) {
	if won {
		l.won[d]++
	} else {
		l.lost[d]++
	}
	if l.score != "bierlachs" || score < 0 {
		l.totals[d] += score
		return
	}
	for s := range l.n {
		if s != d {
			l.totals[s] -= score
		}
	}
}

// result is SK-R-62 to SK-R-66.
func (l *sitting) result() []int {
	sums := slices.Clone(l.totals)
	for s := range sums {
		switch l.score {
		case "seeger-fabian":
			for other, n := range l.lost {
				if other != s {
					sums[s] += n * map[int]int{3: 40, 4: 30}[l.n]
				}
			}
			fallthrough
		case "seeger":
			sums[s] += 50 * (l.won[s] - l.lost[s])
		}
	}
	return sums
}

func withoutCards(hand, cards []string) []string {
	return slices.DeleteFunc(slices.Clone(hand), func(c string) bool { return slices.Contains(cards, c) })
}

// contains reports whether cards are different ones of a hand.
func contains(hand, cards []string) bool {
	different := map[string]bool{}
	for _, c := range cards {
		different[c] = slices.Contains(hand, c)
	}
	return len(different) == len(cards) && !slices.Contains(slices.Collect(maps.Values(different)), false)
}

func sameCards(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func abs(n int) int { return max(n, -n) }

// dealCards gives out a deck by SK-R-11.
func dealCards(deck []string) (hands [3][]string, skat []string) {
	at := 0
	give := func(n int) []string { at += n; return deck[at-n : at] }
	for _, packet := range []int{3, 4, 3} {
		for p := range hands {
			hands[p] = append(hands[p], give(packet)...)
		}
		if packet == 3 && skat == nil {
			skat = give(2)
		}
	}
	return hands, skat
}
