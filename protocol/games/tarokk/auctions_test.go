package tarokk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// auctionOptions are those that an auction depends on.
var auctionOptions = []string{"bid-hold", "raise-sole", "trial-level", "conventions", "solo-jump", "first-bid",
	"invit-commit", "invit-to", "hold-refuses", "xvii", "yield-shows"}

// auctionRules are the presets, each with every value of every option of auctions,
// and the pairs of options that meet in one rule.
func auctionRules(t *testing.T) []tarokk.RuleSet {
	var list []tarokk.RuleSet
	add := func(o options) {
		r, err := tarokk.ParseRuleSet(table.Config{Seats: 4, Options: o})
		if err == nil && !slices.Contains(list, r) { // what makes no sense together is refused there
			list = append(list, r)
		}
	}
	for _, preset := range tarokk.PresetNames() {
		add(options{"preset": preset})
		for _, o := range tarokk.Options() {
			for _, v := range allValues(o) {
				if slices.Contains(auctionOptions, o.Name) {
					add(options{"preset": preset, o.Name: v})
				}
			}
		}
	}
	for _, pair := range [][4]string{
		{"invit-commit", "if-other-declares", "bid-hold", "old"},
		{"invit-commit", "if-other-declares", "invit-to", "bidder-hold"},
		{"invit-commit", "if-other-declares", "first-bid", "withdrawn"},
		{"invit-commit", "if-other-declares", "hold-refuses", "true"},
		{"invit-commit", "if-other-declares", "xvii", "pais"},
		{"invit-to", "bidder-hold", "bid-hold", "old"},
		{"raise-sole", "true", "trial-level", "three"},
		{"xvii", "pais", "solo-jump", "old"},
	} {
		add(options{pair[0]: pair[1], pair[2]: pair[3]})
	}
	testmust.Requiref(t, len(list) >= 35, "%d rule sets: the options have other names", len(list))
	return list
}

// hand is one of those that calls are tried with: all cards that one can depend on, but
// for some.
type hand struct {
	names []string
	faces []card.Face
}

var hands = func() (list []hand) {
	for _, without := range []string{"", "T17", "T18", "T19", "T20", "T21", "T22", "T21 T22", "T1 T21 T22", "T1 T17 T18 T19 T20 T21 T22"} {
		var h hand
		for _, name := range strings.Fields("T1 T17 T18 T19 T20 T21 T22 T16 HK") {
			if !slices.Contains(strings.Fields(without), name) {
				h.names, h.faces = append(h.names, name), append(h.faces, *faceOf(name))
			}
		}
		list = append(list, h)
	}
	return list
}()

// holds reports whether all claims are true of cards.
func holds(cards []card.Face, claims []tarokk.Claim) bool {
	for _, c := range claims {
		n := 0
		for _, f := range cards {
			if c.Set.Has(f) {
				n++
			}
		}
		if n < c.AtLeast(len(cards)) || n > c.Max {
			return false
		}
	}
	return true
}

// auctionWalk is an auction to the referee and to the rules, and what each player
// has proved in it.
type auctionWalk struct {
	*referee
	said   tarokk.Auction
	proved [4][]tarokk.Claim
}

func newAuctionWalk(r tarokk.RuleSet) auctionWalk {
	return auctionWalk{referee: &referee{o: r, openDeal: &openDeal{refBids: newRefBids()}}, said: tarokk.NewAuction()}
}

// every follows all auctions that begin as this one, and returns how many there are.
func (w auctionWalk) every() (int, error) {
	speaker, over := w.said.Speaker(w.o)
	if want := w.bidder(); speaker != want || over != (want == none) {
		return 0, fmt.Errorf("seat %d speaks, over: %t; want %d", speaker, over, want)
	}
	if over {
		return 1, w.ended()
	}
	sum, free := 0, false
	for p := -1; p <= 4; p++ {
		for _, call := range []string{"pass", "hold", "three", "two", "one", "solo", "", "four"} {
			next, legal, err := w.calls(p, call)
			if err != nil {
				return 0, fmt.Errorf("%c says %s: %w", 'A'+p, call, err)
			}
			if !legal {
				continue
			}
			free = free || p == speaker && len(next.proved[p]) == len(w.proved[p])
			n, err := next.every()
			if err != nil {
				return 0, fmt.Errorf("%c:%s %w", 'A'+p, call, err)
			}
			sum += n
		}
	}
	if !free {
		return 0, fmt.Errorf("%c can say nothing without a card", 'A'+speaker)
	}
	return sum, nil
}

// calls is the auction after a call, if that is legal with some hand.
func (w auctionWalk) calls(p int, call string) (next auctionWalk, legal bool, err error) {
	said, claims, refused := w.said.ApplyCall(w.o, p, tarokk.Call(call))
	if listed := slices.Contains(w.said.LegalCalls(w.o, p), tarokk.Call(call)); listed != (refused == nil) {
		return w, false, fmt.Errorf("%v, and it is listed: %t", refused, listed)
	}
	if refused != nil && !reflect.DeepEqual(said, w.said) {
		return w, false, fmt.Errorf("%w, and something is done", refused)
	}
	if p < 0 || p > 3 {
		return w, false, check(refused != nil, "R-BID-1")
	}
	for _, hand := range hands {
		if !holds(hand.faces, w.proved[p]) {
			continue
		}
		w.dealt[p] = hand.names
		want := w.legal(p, call)
		if got := refused == nil && holds(hand.faces, claims); got != (want == nil) {
			return w, false, fmt.Errorf("with %v: %v, to be proved %+v; the referee: %v", hand.names, refused, claims, want)
		}
	}
	if refused != nil {
		return w, false, nil
	}
	for _, c := range claims {
		if c.Of != tarokk.DealtHand || slices.Contains(w.proved[p], c) {
			return w, false, fmt.Errorf("%+v is proved again (SK-6), or of other cards", c)
		}
	}
	return w.after(said, p, claims, func(r *referee) { r.say(p, call) }), true, nil
}

// legal is the referee's word on a call. Who has no call left owes none, and may pass in
// his turn (R-BID-11).
func (w auctionWalk) legal(p int, call string) error {
	speaker := w.bidder()
	if p == speaker {
		return w.mayCall(p, call)
	}
	for i := 1; ; i++ {
		switch q := (w.lastSaid + i) % 4; {
		case q == speaker:
			return errors.New("R-BID-1")
		case q == p && !w.out[p] && p != w.declarer:
			return check(call == "pass", "R-BID-11")
		}
	}
}

func (w auctionWalk) after(said tarokk.Auction, p int, claims []tarokk.Claim, enter func(*referee)) auctionWalk {
	d := *w.openDeal
	d.positive, d.callers = slices.Clip(d.positive), slices.Clip(d.callers)
	next := auctionWalk{&referee{o: w.o, openDeal: &d}, said, w.proved}
	next.proved[p] = append(slices.Clip(w.proved[p]), claims...)
	enter(next.referee)
	return next
}

// ended compares what is decided, and follows an inviter's last word.
func (w auctionWalk) ended() error {
	var again tarokk.Auction
	if text, err := json.Marshal(w.said); err != nil || json.Unmarshal(text, &again) != nil || !reflect.DeepEqual(again, w.said) {
		return fmt.Errorf("%+v is not what was written of it", again)
	}
	got := w.said.Outcome(w.o)
	if got.ThrownIn || w.declarer == none {
		return check(got.ThrownIn && w.declarer == none, "R-BID-12")
	}
	w.conclude()
	want := tarokk.Outcome{Declarer: w.declarer, Level: w.index(), Trial: w.trial, Inviter: none, Yielder: w.yielder,
		Partner: w.partner, Ultimo: w.ultimo, Confirm: w.owing, Breach: none, Honour: w.bid, Draw: got.Draw}
	if w.sure {
		want.Inviter, want.Shown = w.inviter, faceOf(w.shown)
	}
	if want.MustCall = faceOf(w.forced); w.trial {
		want.Honour[w.declarer] = false
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%+v, want %+v", got, want)
	}
	for p := range 4 {
		for _, yes := range []bool{true, false} {
			if err := w.confirms(p, yes); err != nil {
				return fmt.Errorf("%c confirms %t: %w", 'A'+p, yes, err)
			}
		}
	}
	return nil
}

func (w auctionWalk) confirms(p int, yes bool) error {
	said, claims, refused := w.said.ConfirmInvit(w.o, p, yes)
	if (refused == nil) != (p == w.owing) {
		return fmt.Errorf("%v, owed by %d", refused, w.owing)
	}
	if refused != nil {
		return nil
	}
	for _, hand := range hands {
		if holds(hand.faces, claims) != (slices.Contains(hand.names, w.shown) == yes) {
			return fmt.Errorf("with %v: %+v", hand.names, claims)
		}
	}
	if !yes {
		o := said.Outcome(w.o)
		return check(o.Breach == p && o.Confirm == none && o.Partner != p, "OPT-CONV-COMMIT")
	}
	next := w.after(said, p, nil, func(r *referee) { r.owing, r.sure = none, true })
	return next.ended()
}

func faceOf(name string) *card.Face {
	f, err := tarokk.ParseFace(name)
	if err != nil {
		return nil
	}
	return &f
}

// Every auction under every rule set, or some of them without PAKLI_TESTS=thorough: who
// speaks, what he may say with which cards, and what is decided is what the referee says
// (R-BID-1 to R-BID-18, R-CONV-1 to R-CONV-14, BGA-1 to BGA-4, AMB-03, PAK-11, PAK-12,
// OPT-CONV-SOLO-JUMP, OPT-CONV-FIRST-BID, OPT-CONV-ADDRESSEE, OPT-CONV-XVII, OPT-CONV, OPT-CONV-COMMIT,
// OPT-BID-RAISE-SOLE, OPT-BID-HOLD; B-INV17, B-INV17-FAIL).
func TestEveryAuction(t *testing.T) {
	sets := auctionRules(t)
	for i := range testmust.ChosenIndexes(t, len(sets), 8) {
		n := testmust.Have(newAuctionWalk(sets[i]).every())(t, sets[i])
		t.Logf("%d auctions", n)
	}
}

// talk is the announcements of a deal to the referee, who sees the cards, and to the
// rules.
type talk struct {
	*referee
	said   tarokk.Announcements
	groups [4]map[tarokk.Group][]card.Face
	random *rand.Rand
}

// newTalk is a deal after the exchange, under rules drawn by chance: the discards may be
// discarded, and the declarer has an honour.
func newTalk(seed uint64) *talk {
	w := &talk{random: rand.New(rand.NewPCG(seed, 4))}
	for {
		w.referee = &referee{o: w.rules(), openDeal: &openDeal{refBids: newRefBids()}}
		if w.deal(w.random.Perm(tarokk.DeckSize)) && hasAny(w.hand(w.declarer), honours...) {
			w.begun()
			return w
		}
	}
}

// rules sets every option that the phase knows at random.
func (w *talk) rules() tarokk.RuleSet {
	coin := func() bool { return w.random.IntN(2) == 0 }
	r, _ := tarokk.PresetNamed("book")
	r.DVSamePlayer = coin()
	r.DVSameTurn = r.DVSamePlayer && coin()
	r.CountPais = coin()
	r.CountSide = pick[tarokk.CountSide](w.random, "neutral", "figure")
	r.ForcedContra = pick[tarokk.ForcedContra](w.random, "silent", "spoken")
	r.FreeCall = pick[tarokk.FreeCall](w.random, "any", "none")
	r.DiscardXX = pick[tarokk.DiscardXX](w.random, "allowed", "forbidden", "uninvited")
	r.UltimoDuty = pick[tarokk.UltimoDuty](w.random, "dealt", "exchanged")
	r.Retention = pick[tarokk.Retention](w.random, "announcers", "any-holder")
	return r
}

func pick[T ~string](random *rand.Rand, words ...T) T { return words[random.IntN(len(words))] }

// deal gives out hands and discards. Some deals have a partner who is public, as after an
// invit, and some what comes about seldom.
func (w *talk) deal(order []int) bool {
	w.declarer = w.random.IntN(4)
	lay := func(f card.Face, at int) {
		from := slices.Index(order, int(f))
		order[from], order[at] = order[at], order[from]
	}
	switch w.random.IntN(4) {
	case 0: // another player has discarded what is called mostly
		lay(tarokk.XX, 39+w.random.IntN(3))
	case 1: // the declarer has laid away what he might call otherwise
		lay(tarokk.XX, 9*w.declarer)
		lay(tarokk.XIX, 36)
	}
	public := tarokk.PublicFacts{Declarer: w.declarer, Partner: none, Ultimo: none}
	forced := []card.Face{tarokk.XVIII, tarokk.XIX, tarokk.XX, tarokk.Skiz}[w.random.IntN(4)]
	for p := range 4 {
		faces := func(places []int) (list []card.Face) {
			for _, n := range places {
				list = append(list, card.Face(n))
			}
			return list
		}
		hand, discards := faces(order[9*p:9*p+9]), faces(order[36:39])
		if p != w.declarer {
			discards = faces(order[38+(p-w.declarer+4)%4:][:1])
		}
		tarokks := slices.DeleteFunc(slices.Clone(discards), func(f card.Face) bool { return !tarokk.IsTarokk(f) })
		w.groups[p] = map[tarokk.Group][]card.Face{tarokk.LastHand: hand, tarokk.DealtHand: hand, tarokk.TarokkDiscarded: tarokks}
		w.held[p], w.gone[p], w.told[p] = "abcdefghi", "jkl"[:len(discards)], true
		for _, f := range slices.Concat(hand, discards) {
			w.cards[p] = append(w.cards[p], tarokk.FaceName(f))
		}
		w.dealt[p] = w.cards[p][:9]
		if public.Tarokks[p] = len(tarokks); p == w.declarer {
			public.Opened = tarokks
		} else if tarokk.TarokkDiscards.Has(forced) && slices.Contains(hand, forced) {
			w.partner, w.forced = p, tarokk.FaceName(forced)
			w.ultimo = []int{none, p}[w.random.IntN(2)]
			public.Partner, public.MustCall, public.Ultimo = p, &forced, w.ultimo
		}
	}
	w.said = tarokk.NewAnnouncements(public)
	for p := range 4 {
		if !w.discardable(w.named(p, w.gone[p])) {
			return false
		}
	}
	return true
}

// proves reports whether the claims of a player are true of the cards.
func (w *talk) proves(p int, claims []tarokk.Claim) bool {
	return !slices.ContainsFunc(claims, func(c tarokk.Claim) bool { return !holds(w.groups[p][c.Of], []tarokk.Claim{c}) })
}

// cites is how an error names the rule that is broken.
var cites = regexp.MustCompile(`^(R|OPT)-[A-Z]+-`)

// says compares what rules and referee think of a turn, and of what is known after it. What is refused
// changes nothing, and names its rule.
func (w *talk) says(p int, turn []string) (next tarokk.Announcements, after refTalk, legal bool, err error) {
	before := w.said
	before.Items = slices.Clone(w.said.Items)
	next, claims, refused := w.said.TakeTurn(w.o, p, turn)
	if !reflect.DeepEqual(w.said, before) || refused != nil && (!reflect.DeepEqual(next, w.said) || !cites.MatchString(refused.Error()) || len(refused.Error()) > 300) {
		return next, after, false, fmt.Errorf("refused badly: %w", refused)
	}
	after, want := w.turnOf(p, w.said.Turns < 4, &tarokk.Speech{Turn: turn})
	if legal = refused == nil && w.proves(p, claims); legal != (want == nil) {
		return next, after, false, fmt.Errorf("%v, to be proved %+v; the referee: %v", refused, claims, want)
	}
	if refused == nil {
		err = w.offered(p, turn)
	}
	if !legal || err != nil {
		return next, after, false, err
	}
	if got, want := known(next), after.inWords(); got != want {
		err = fmt.Errorf("known is %s, and to the referee %s", got, want)
	}
	return next, after, true, err
}

// offered checks that each statement of a turn is on offer after those before it.
func (w *talk) offered(p int, turn []string) error {
	for i, text := range turn {
		if list := w.said.NextStatements(w.o, p, turn[:i]...); !slices.Contains(list, text) {
			return fmt.Errorf("%q is accepted, and not on offer: %q", text, list)
		}
	}
	return nil
}

// known is what everybody knows.
func known(s tarokk.Announcements) string {
	var items []refItem
	for _, a := range s.Items {
		items = append(items, refItem{name: a.Item.String(), by: a.By, step: a.Contra})
	}
	return fmt.Sprintln(tarokk.FaceName(*s.Called), items, s.Counts, s.Sides, s.Last)
}

func (t *refTalk) inWords() string {
	var items []refItem
	for _, i := range t.items {
		items = append(items, refItem{name: i.name, by: i.by, step: i.step})
	}
	return fmt.Sprintln(t.called, items, t.counts, t.side, t.last)
}

// turns are some that p could take: as the rules offer them, these with a word
// too many, and those that a player may be obliged to.
func (w *talk) turns(p int) [][]string {
	list := [][]string{w.offers(p), w.offers(p), w.offers(p)}
	for range 6 {
		turn := w.offers(p)
		list = append(list, slices.Insert(turn, w.random.IntN(len(turn)+1), pick(w.random, turnWords...)))
	}
	for _, duty := range [][]string{{}, {"call:T20"}, {"call:T19"}, {"call:T18"}, {"contra:game"}, {"compulsory:game"}, {"fig:pagat_ultimo"}} {
		list = append(list, duty)
		for _, count := range []string{"count:8", "count:9"} {
			list = append(list, append([]string{count}, duty...), append(slices.Clone(duty), count))
		}
	}
	return list
}

var turnWords = strings.Fields(`count:7 count:08 count:8 count:9 call:T1 call:T2 call:T11 call:T12 call:T17 call:T18 call:T19 call:T20 call:T21 call:T22 call:HK
	call:XX fig:double fig:volat fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture fig:game fig:Trull contra:game contra:DEC.game contra:dec.trull
	contra:DEC.double contra:DEC.volat contra:DEC.trull contra:DEC.pagat_ultimo contra:DEF.double contra:DEF.volat contra:DEF.trull contra:DEF.pagat_ultimo
	contra:DEC.count compulsory:game compulsory:DEC.trull pass figure:trull : call call: call:T020 fig: contra:.trull contra:DEC.game compulsory:` + "\xff " + strings.Repeat("call:T20,", 99))

// offers is a turn that nobody can see to be illegal.
func (w *talk) offers(p int) []string {
	turn := []string{}
	for {
		list := w.said.NextStatements(w.o, p, turn...)
		called := w.said.Called != nil || slices.ContainsFunc(turn, func(text string) bool { return strings.HasPrefix(text, "call:") })
		if len(list) == 0 || called && w.random.IntN(3) > 0 {
			return turn
		}
		next := list[w.random.IntN(len(list))]
		if slices.Contains(list, "fig:pagat_ultimo") && w.random.IntN(4) == 0 {
			next = "fig:pagat_ultimo"
		}
		turn = append(turn, next)
	}
}

// toTheEnd follows one course.
func (w *talk) toTheEnd() error {
	for passes := 0; passes < 3; {
		p := (w.declarer + w.said.Turns) % 4
		if speaker, over := w.said.Speaker(); speaker != p || over {
			return fmt.Errorf("R-ANC-1: %d speaks, over: %t; want %d", speaker, over, p)
		}
		for other := -1; other <= 4; other++ {
			if _, _, err := w.said.TakeTurn(w.o, other, []string{}); err == nil && other != p {
				return fmt.Errorf("R-ANC-1: %d may speak for %d", other, p)
			}
		}
		var turns [][]string
		for i, turn := range w.turns(p) {
			_, _, legal, err := w.says(p, turn)
			if _, _, refused := w.said.TakeTurn(w.o, p, turn); i < 3 && refused != nil {
				err = fmt.Errorf("on offer, and refused: %w", refused)
			}
			if err != nil {
				return fmt.Errorf("turn %d, %q: %w", w.said.Turns, turn, err)
			}
			if legal {
				turns = append(turns, turn)
			}
		}
		if len(turns) == 0 {
			return fmt.Errorf("turn %d: %d has nothing true to say", w.said.Turns, p)
		}
		turn := turns[w.random.IntN(min(3, len(turns)))]
		w.said, w.refTalk, _, _ = w.says(p, turn)
		if passes++; len(turn) > 0 {
			passes = 0
		}
		if err := w.bound(); err != nil {
			return err
		}
	}
	if _, over := w.said.Speaker(); !over {
		return check(false, "R-ANC-4: the announcements go on")
	}
	return w.revealed()
}

// bound is whom an announced pagátultimó binds (R-PLAY-6, R-PLAY-7, AMB-15).
func (w *talk) bound() error {
	for p := range 4 {
		bound, asked := w.keepsPagat(p)
		want := tarokk.PagatRetention{}
		switch {
		case asked:
			want = tarokk.PagatRetention{Answer: tarokk.AnswerHidden, To: tarokk.DeclarerSide}
			if bound != (w.truly(p) == "DEC") {
				want.To = tarokk.DefenderSide
			}
		case bound:
			want.Answer = tarokk.AnswerYes
		}
		if got := w.said.RetentionOf(w.o, p); got != want {
			return fmt.Errorf("%d is bound: %+v, want %+v", p, got, want)
		}
	}
	return nil
}

// revealed are the sides as cards show them, in any order; a side is public for good, and
// who is alone is so as R-CALL-9 has it.
func (w *talk) revealed() error {
	for _, p := range w.random.Perm(4) {
		side := map[string]tarokk.Side{"DEC": tarokk.DeclarerSide, "DEF": tarokk.DefenderSide}[w.truly(p)]
		w.said = w.said.RevealSide(p, side).RevealSide(p, side.OtherSide())
		if w.refTalk.known(p, w.truly(p)); known(w.said) != w.refTalk.inWords() {
			return fmt.Errorf("after %d is revealed: %s, want %s", p, known(w.said), w.refTalk.inWords())
		}
	}
	var again tarokk.Announcements
	if text, err := json.Marshal(w.said); err != nil || json.Unmarshal(text, &again) != nil || !reflect.DeepEqual(again, w.said) {
		return fmt.Errorf("%+v is not what was written of it", again)
	}
	others := 0
	for p := range 4 {
		if p != w.declarer {
			others += w.tarokksGone(p)
		}
	}
	own := w.called == "T20" && slices.Contains(w.cards[w.declarer], "T20")
	return check(others > 0 || own == (w.helper() == none), "R-CALL-9")
}

// Announcements in deals and under options by chance: what is legal with which cards, what
// is known after it, and whom it binds is what the referee says, and each player has
// something true to say (R-ANC-1 to R-ANC-4, R-CALL-1 to R-CALL-9, R-CNT-1 to R-CNT-6, R-FIG-1, R-FIG-7 to R-FIG-9,
// R-CON-1 to R-CON-5, R-SIDE-1 to R-SIDE-7, R-CONV-8, R-CONV-14, AMB-06 to AMB-15, AMB-28, AMB-30, PAK-10, BGA-8, C-XX, C-FREE, C-FORCED,
// OPT-COUNT-SIDE, OPT-COUNT-PAIS, OPT-CALL-AFTER-TDISC, OPT-DISC-XX, OPT-DV-SAME-TURN, OPT-DV-SAME-PLAYER, OPT-FORCED-CONTRA-SPOKEN).
func TestAnnouncements(t *testing.T) {
	deals := uint64(30)
	if testmust.Thorough() {
		deals = 2_000
	}
	for seed := range deals {
		w := newTalk(seed)
		testmust.Do(t, w.toTheEnd(), "seed", seed, w.declarer, "declares", w.cards, "gone", w.gone, "under", w.o)
	}
}
