package tarokk_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
)

// refTalk is R-CALL, R-ANC, R-CNT, R-FIG, R-CON and R-SIDE with open cards.
type refTalk struct {
	called string
	items  []refItem
	counts [4]int
	side   [4]string // "DEC", "DEF", or "" while it is not public
	last   string    // R-SIDE-1
	told   [4]bool   // discards announced
	opened [4]bool   // discards turned up
}

// refItem is the game ("game") or a figure ("DEC.trull").
type refItem struct {
	name  string
	by    int
	step  int
	fresh bool // announced in this turn
	moved bool // contra'd in this turn
}

func (t *refTalk) has(item string) bool { return t.item(item) != nil }

func (t *refTalk) item(name string) *refItem {
	for i := range t.items {
		if t.items[i].name == name {
			return &t.items[i]
		}
	}
	return nil
}

// known makes a side public (R-SIDE-5, R-SIDE-6).
func (t *refTalk) known(p int, side string) {
	if t.side[p] != "" {
		return
	}
	t.side[p] = side
	if side == "DEC" {
		t.alone()
	}
}

// alone makes opponents of all whose side is not public.
func (t *refTalk) alone() {
	for q := range t.side {
		if t.side[q] == "" {
			t.side[q] = "DEF"
		}
	}
}

// truly is the side on which p really is (R-CALL-1, R-CALL-7).
func (r *referee) truly(p int) string {
	if p == r.declarer || r.helper() == p {
		return "DEC"
	}
	return "DEF"
}

// helper is the declarer's partner, or none.
func (r *referee) helper() int {
	for p := range 4 {
		if p != r.declarer && (slices.Contains(r.hand(p), r.called) || slices.Contains(r.playedBy(p), r.called)) {
			return p
		}
	}
	return none
}

func (d *openDeal) playedBy(p int) []string {
	var list []string
	for i, trick := range d.tricks {
		if k := (p - d.leads[i] + 4) % 4; k < len(trick) {
			list = append(list, trick[k])
		}
	}
	return list
}

// begun is what everybody knows before the announcements.
func (r *referee) begun() {
	r.items, r.last = []refItem{{name: "game", by: r.declarer}}, "DEC"
	r.side[r.declarer] = "DEC"
	if r.partner != none {
		r.known(r.partner, "DEC")
	}
}

// announcements is R-ANC-1 and R-ANC-4.
func (r *referee) announcements() {
	r.begun()
	for turn, passes := 0, 0; passes < 3; turn++ {
		p := (r.declarer + turn) % 4
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			_, err := r.turnOf(p, turn < 4, m.Say)
			return err
		})
		r.refTalk, _ = r.turnOf(p, turn < 4, m.Say)
		if passes++; len(m.Say.Turn) > 0 {
			passes = 0
		}
	}
}

// turnOf is what everybody knows after a turn, or what is wrong with it.
func (r *referee) turnOf(p int, first bool, say *tarokk.Speech) (after refTalk, err error) {
	before := r.refTalk
	defer func() { r.refTalk = before }()
	r.items = slices.Clone(r.items)
	for i := range r.items {
		r.items[i].fresh, r.items[i].moved = false, false
	}
	if say == nil || (say.Discards != nil) == r.told[p] {
		return before, errors.New("OPT-DISC-ANNOUNCE")
	}
	if say.Discards != nil {
		if err := r.disclosure(p, say.Discards); err != nil {
			return before, err
		}
		r.told[p] = true
	}
	gameFree, compulsory := r.items[0].step == 0, false
	for i, text := range say.Turn {
		kind, what, _ := strings.Cut(text, ":")
		if r.called == "" && kind != "call" && kind != "count" {
			return before, errors.New("R-ANC-2")
		}
		switch kind {
		case "call":
			err = r.call(p, what)
		case "count":
			err = r.count(p, i, what)
		case "fig":
			err = r.figure(p, what)
		case "compulsory": // OPT-FORCED-CONTRA-SPOKEN
			compulsory = true
			if r.o.ForcedContra != "spoken" || what != "game" || !first || !gameFree || p == r.declarer || !r.buried(p) {
				return before, errors.New("R-CALL-8")
			}
			r.alone()
			err = r.contra(p, what)
		case "contra":
			err = r.contra(p, what)
		default:
			err = errors.New("R-ANC-2")
		}
		if err != nil {
			return before, err
		}
	}
	if err := r.duties(p, first, gameFree, compulsory); err != nil {
		return before, err
	}
	return r.refTalk, nil
}

// buried reports whether the called card lies in the discard of p.
func (r *referee) buried(p int) bool { return slices.Contains(r.named(p, r.gone[p]), r.called) }

// duties are what a turn must contain.
func (r *referee) duties(p int, first, gameFree, compulsory bool) error {
	if r.called == "" {
		return errors.New("R-CALL-1")
	}
	for _, i := range r.items { // R-CNT-3
		ultimo := strings.HasSuffix(i.name, "pagat_ultimo") && (i.fresh || i.step == 1)
		if (i.fresh || i.moved) && (ultimo || r.o.CountPais) && r.counts[p] == 0 && countTarokks(r.hand(p)) > 7 {
			return errors.New("R-CNT-3")
		}
	}
	if first && p == r.ultimo && !r.has("DEC.pagat_ultimo") { // R-CONV-8
		cards := r.dealt[p]
		if r.o.UltimoDuty == "exchanged" {
			cards = r.hand(p)
		}
		if !hasAny(cards, "T21", "T22") {
			return errors.New("R-CONV-8")
		}
	}
	if first && p != r.declarer && gameFree && r.buried(p) { // R-CALL-8
		return check(compulsory || r.o.ForcedContra == "silent" && r.items[0].step > 0, "R-CALL-8")
	}
	return nil
}

// call is R-CALL-1 to R-CALL-6.
func (r *referee) call(p int, card string) error {
	if p != r.declarer || r.called != "" {
		return errors.New("R-CALL-1")
	}
	if !slices.Contains(r.callable(), card) {
		return errors.New("R-CALL-2 to R-CALL-6")
	}
	r.called = card
	if slices.Contains(r.named(p, r.gone[p]), card) {
		r.alone()
	}
	return nil
}

func (r *referee) callable() []string {
	if r.forced != "" {
		return []string{r.forced}
	}
	var list []string
	mine := slices.Concat(r.hand(r.declarer), r.named(r.declarer, r.gone[r.declarer]))
	free := false
	for p := range 4 {
		free = free || p != r.declarer && r.o.FreeCall == "any" && r.tarokksGone(p) > 0
	}
	lower := slices.Contains(mine, "T20")
	for _, c := range strings.Fields("T20 T19 T18 T17 T16 T15 T14 T13 T12 T11 T10 T9 T8 T7 T6 T5 T4 T3 T2") {
		below := lower && !slices.Contains(mine, c)
		if free || c == "T20" || below {
			list = append(list, c)
		}
		lower = lower && !below
	}
	return list
}

// count is R-CNT-1 and R-CNT-4, and the options about counts.
func (r *referee) count(p, place int, number string) error {
	n := map[string]int{"8": 8, "9": 9}[number]
	if n == 0 || countTarokks(r.hand(p)) != n || r.counts[p] != 0 {
		return errors.New("R-CNT-1, R-CNT-4")
	}
	if place > 0 && (p == r.declarer || !r.o.CountPais) {
		return errors.New("R-ANC-2, R-ANC-3")
	}
	hidden := r.side[p] == ""
	speaks := r.side[p]
	if hidden {
		speaks = r.last
	}
	if r.o.CountPais && hidden && (r.truly(p) == "DEC" || r.o.CountSide == "figure" && speaks == "DEC") {
		return errors.New("OPT-COUNT-PAIS")
	}
	r.counts[p] = n
	switch {
	case r.o.CountSide == "figure":
		return r.speaks(p, speaks)
	case r.o.CountPais && hidden:
		r.known(p, "DEF")
	}
	return nil
}

// speaks is R-SIDE-1 and R-SIDE-7.
func (r *referee) speaks(p int, side string) error {
	if r.side[p] == "" && p != r.declarer && r.truly(p) != side {
		return errors.New("R-SIDE-7")
	}
	if r.side[p] != "" && r.side[p] != side {
		return errors.New("R-CON-3")
	}
	r.known(p, side)
	r.last = side
	return nil
}

// figure is R-FIG-1, R-FIG-7 to R-FIG-9 and R-SIDE-2.
func (r *referee) figure(p int, name string) error {
	side := r.side[p]
	if side == "" {
		side = r.last
	}
	if !slices.Contains(strings.Fields("trull four_kings double volat pagat_ultimo xxi_capture"), name) || r.has(side+"."+name) {
		return errors.New("R-FIG-1, R-FIG-9")
	}
	if other := map[string]string{"double": "volat", "volat": "double"}[name]; other != "" && r.has(side+"."+other) {
		i := r.item(side + "." + other)
		switch {
		case i.fresh && !r.o.DVSameTurn:
			return errors.New("R-FIG-7")
		case i.by == p && !r.o.DVSamePlayer:
			return errors.New("OPT-DV-SAME-PLAYER")
		case name == "double":
			return errors.New("R-FIG-8")
		}
	}
	r.items = append(r.items, refItem{name: side + "." + name, by: p, fresh: true})
	return r.speaks(p, side)
}

// contra is R-CON-1 to R-CON-4.
func (r *referee) contra(p int, name string) error {
	i := r.item(name)
	if i == nil || i.moved || i.step == 5 {
		return errors.New("R-CON-1, R-CON-2, AMB-28")
	}
	owner, _, figure := strings.Cut(name, ".")
	if !figure {
		owner = "DEC"
	}
	if i.step%2 == 0 {
		owner = map[string]string{"DEC": "DEF", "DEF": "DEC"}[owner]
	}
	i.step++
	i.moved = true
	return r.speaks(p, owner)
}

// refBids is R-BID and R-CONV with open cards.
type refBids struct {
	level    string // of the last bid: "", three, two, one, solo
	declarer int    // the last positive caller
	held     bool
	bid, out [4]bool
	positive []string // in order
	callers  []int    // of positive
	spoken   int      // calls, with passes
	lastSaid int

	trial   bool   // R-BID-14
	inviter int    // or none
	shown   string // the card that the invit shows
	sure    bool   // its maker has shown that he holds it
	opening bool   // the invit was the first bid
	answer  string // the first positive call after it
	yielder int    // R-CONV-10
	forced  string // R-CALL-6
	partner int    // public since the auction (R-CONV-14)
	ultimo  int    // R-CONV-8
	owing   int    // OPT-CONV-COMMIT
}

var bidNames = []string{"three", "two", "one", "solo"}

func newRefBids() refBids {
	return refBids{declarer: none, inviter: none, yielder: none, partner: none, ultimo: none, owing: none, lastSaid: 3}
}

func (a *refBids) index() int { return slices.Index(bidNames, a.level) }

// bidding runs the auction. It reports whether there is a declarer.
func (r *referee) bidding() bool {
	for {
		p := r.bidder()
		if p == none {
			break
		}
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			if m.Call == nil {
				return errors.New("R-BID-1")
			}
			return r.mayCall(p, string(*m.Call))
		})
		r.say(p, string(*m.Call))
	}
	if r.declarer == none {
		return false
	}
	r.conclude()
	return true
}

// mayHold is R-BID-6 and R-BID-7.
func (r *referee) mayHold(p int) bool {
	return r.declarer != none && r.declarer != p && r.bid[p] && !r.refBids.held && (r.o.BidHold == "new" || p < r.declarer)
}

// bidder is R-BID-1, R-BID-9 and R-BID-11, AMB-02.
func (r *referee) bidder() int {
	alone := slices.Equal(r.positive, []string{"three"})
	for p, out := range r.out {
		alone = alone && (out || p == r.declarer)
	}
	if alone && r.o.RaiseSole && r.lastSaid != r.declarer {
		return r.declarer
	}
	for i := 1; i <= 4; i++ {
		if p := (r.lastSaid + i) % 4; !r.out[p] && p != r.declarer && (r.level != "solo" || r.mayHold(p)) {
			return p
		}
	}
	return none
}

// mayCall says what is wrong with a call of p, who holds r.dealt[p].
func (r *referee) mayCall(p int, call string) error {
	hand := r.dealt[p]
	own := p == r.declarer // OPT-BID-RAISE-SOLE
	switch i := slices.Index(bidNames, call); {
	case call == "pass":
		return r.mayPass(p, hand)
	case own:
		return check(call == "two" || call == "one", "OPT-BID-RAISE-SOLE")
	case call == "hold" && !r.mayHold(p):
		return errors.New("R-BID-6, R-BID-7")
	case call != "hold" && i <= r.index():
		return errors.New("R-BID-5")
	}
	fourth := r.spoken == 3 && r.declarer == none
	trial := fourth && (call == "three" || r.o.TrialLevel == "any")
	if !trial && !hasAny(hand, honours...) {
		return errors.New("R-BID-4")
	}
	shown := r.invit(p, call)
	if shown != "" && r.atOnce() && !slices.Contains(hand, shown) {
		return errors.New("R-CONV-6")
	}
	return check(shown != "T17" || hasAny(hand, "T21", "T22"), "OPT-CONV-XVII")
}

// mayPass is R-CONV-12, and the word of an inviter who waits to see whether his
// jump was an invit.
func (r *referee) mayPass(p int, hand []string) error {
	if r.yields(p) {
		return check(slices.Contains(hand, "T20") && (r.o.YieldShows == "honour" || hasAny(hand, "T21", "T22")), "R-CONV-12")
	}
	return check(!r.commits(p) || slices.Contains(hand, r.shown), "R-CONV-6")
}

// yields reports whether p is in the position of R-CONV-10.
func (r *referee) yields(p int) bool {
	return r.o.Conventions && slices.Equal(r.positive, []string{"three", "two"}) && r.callers[0] == p && r.callers[1] != p
}

// commits reports whether p's invit becomes one if another declares.
func (r *referee) commits(p int) bool {
	return r.inviter == p && !r.sure && !r.withdrawn() && r.accepted()
}

// withdrawn is BGA-3.
func (r *referee) withdrawn() bool {
	again := 0
	for _, q := range r.callers {
		if q == r.inviter {
			again++
		}
	}
	return r.o.FirstBid == "withdrawn" && r.opening && again > 1
}

// accepted is OPT-CONV-ADDRESSEE and BGA-2.
func (r *referee) accepted() bool {
	if r.o.InvitTo == "bidder-hold" {
		return r.answer == "hold"
	}
	refused := r.o.HoldRefuses && len(r.positive) >= 4 && slices.Equal(r.positive[:4], []string{"three", "two", "one", "hold"})
	return !refused
}

// atOnce reports whether an invit made now shows its card at once.
func (r *referee) atOnce() bool {
	return r.o.InvitCommit == "always" && (r.o.FirstBid != "withdrawn" || r.declarer != none)
}

// jumps is the table of section 5: the level bid over, whether the speaker may
// hold it, his bid, and the tarokk that it shows.
var jumps = map[string]map[string]string{
	"":          {"two": "T19", "one": "T18"},
	"three":     {"one": "T19", "solo": "T18"},
	"two, hold": {"one": "T19", "solo": "T18"},
	"two":       {"solo": "T19"},
	"one, hold": {"solo": "T19"},
}

// invit returns the tarokk that a call of p shows, or "".
func (r *referee) invit(p int, call string) string {
	situation := r.level
	if r.mayHold(p) {
		situation += ", hold"
	}
	shown := jumps[situation][call]
	first := r.declarer == none
	switch {
	case !r.o.Conventions, r.inviter != none, call == "hold", p == r.declarer:
		return ""
	case first && (r.spoken == 3 || r.o.FirstBid == "never"): // R-CONV-5, OPT-CONV-FIRST-BID
		return ""
	case shown == "":
		return ""
	case r.o.InvitTo == "bidder-hold" && !r.addressed(p):
		return ""
	case r.o.XVII == "pais" && r.bid[p] && shown == "T19":
		return "T17"
	case r.o.HoldRefuses && call == "one" && slices.Equal(r.positive, []string{"three", "two"}): // BGA-2
		return "T18"
	case r.o.SoloJump == "bga" && call == "solo" && slices.Equal(r.positive, []string{"three", "two", "hold"}): // BGA-1
		return ""
	case r.o.SoloJump != "new" && call == "solo":
		return "T18"
	}
	return shown
}

// addressed is OPT-CONV-ADDRESSEE: somebody who has bid may hold a bid of p.
func (r *referee) addressed(p int) bool {
	for q := range 4 {
		if q != p && r.bid[q] && !r.out[q] && (r.o.BidHold == "new" || q < p) {
			return true
		}
	}
	return false
}

// say enters a legal call.
func (r *referee) say(p int, call string) {
	if call == "pass" {
		if r.commits(p) {
			r.sure = true
		}
		if r.yields(p) {
			r.yielder = p
		}
		r.out[p] = true
		r.spoken, r.lastSaid = r.spoken+1, p
		return
	}
	r.trial = r.spoken == 3 && r.declarer == none && (call == "three" || r.o.TrialLevel == "any")
	if shown := r.invit(p, call); shown != "" {
		r.inviter, r.shown, r.sure, r.opening = p, shown, r.atOnce(), r.declarer == none
	} else if r.inviter != none && r.answer == "" {
		r.answer = call
	}
	if r.refBids.held = call == "hold"; call != "hold" {
		r.level = call
	}
	r.declarer, r.bid[p] = p, true
	r.positive, r.callers = append(r.positive, call), append(r.callers, p)
	r.spoken, r.lastSaid = r.spoken+1, p
}

// conclude is R-CONV-7, R-CONV-8, R-CONV-11 and R-CONV-14.
func (r *referee) conclude() {
	if r.yielder != none {
		r.partner, r.forced = r.yielder, "T20"
		if r.o.YieldShows == "honour" {
			r.ultimo = r.yielder
		}
	}
	switch {
	case r.inviter == none || r.inviter == r.declarer:
	case r.sure && r.accepted():
		r.partner, r.forced = r.inviter, r.shown
		if r.shown != "T17" {
			r.ultimo = r.inviter
		}
	case r.commits(r.inviter):
		r.owing = r.inviter
	}
}

// confirmed enters the last word of an inviter.
func (r *referee) confirmed(holds bool) {
	r.sure = holds
	if holds {
		r.conclude()
	}
}
