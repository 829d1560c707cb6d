package tarokk_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/games/trick"
	"github.com/pakli/pakli/protocol/table"
)

var four, five = table.Config{Seats: 4}, table.Config{Seats: 5}

func with(c table.Config, o options) table.Config {
	c.Options = o
	return c
}

func lasting(c table.Config, deals int) table.Config {
	c.Deals = deals
	return c
}

// All shuffle, the dealer first and his left neighbour last, who cuts
// (R-DEAL-1): another order would let a member see what becomes of his shuffle.
func TestShuffleOrder(t *testing.T) {
	r := rehearse(t, lasting(five, 2), stacks(2)...)
	for deal := range 2 {
		want := []table.Seat{4, 0, 1, 2, 3}
		if deal == 1 {
			r.run("A:three")
			r.finish()
			want = []table.Seat{0, 1, 2, 3, 4}
		}
		if d := (tarokk.Rules{}).Duties(r.state); d[0].Kind != table.Shuffle || !slices.Equal(d[0].Seats, want) {
			t.Errorf("deal %d waits for %v, want a shuffle by %v", deal+1, d, want)
		}
	}
}

// Whoever lets the wrong player choose, or gives a packet out twice, deals with
// a stacked pack (OPT-DEAL-KNOCK).
func TestKnock(t *testing.T) {
	knock := options{"deal-knock": "true"}
	for _, c := range []struct {
		config  table.Config
		script  []string
		packets string // of A to D
	}{
		{with(five, knock), []string{"D:knock true", "D:packet 2", "C:packet 0", "B:packet 3"}, "1302"},
		{with(four, knock), []string{"C:knock true", "C:packet 3", "B:packet 1", "A:packet 0"}, "0132"},
	} {
		r := rehearse(t, c.config).run(c.script[:2]...)
		packet := 3
		if c.config.Seats == 5 {
			packet = 2
		}
		r.refuses(c.script[2], tarokk.Move{Packet: &packet}, "OPT-DEAL-KNOCK")
		r.run(c.script[2:]...).until("A:pass")
		for p := range 4 {
			if got, want := int(r.state.Deal.Cards[p][0]), 6+9*int(c.packets[p]-'0'); got != want || int(r.state.Deal.Cards[p][8]) != want+8 {
				t.Errorf("%d members: %c has the cards from %d, want from %d", c.config.Seats, 'A'+p, got, want)
			}
		}
	}
	r := rehearse(t, with(four, knock)).run("C:knock false")
	if r.until("A:pass"); r.state.Deal.Cards[0][0] != 6 || r.state.Deal.Cards[0][5] != 26 {
		t.Errorf("cut, and not knocked: A has %v", r.state.Deal.Cards[0])
	}
}

// Who discards must lay away as many of his own cards as he drew, once, when all
// discard in any order; nothing of it is told before the last one has discarded
// (R-DISC-1, R-DISC-4, R-DISC-7, AMB-24).
func TestDiscard(t *testing.T) {
	r := rehearse(t, four, stacked{"T22 T2", "T21 T3 T4", "", "", "HA HJ HR DA DJ DR"}).run("A:three")
	for _, wrong := range []string{"", "HA HJ", "HA HJ HR DK"} {
		letters := ""
		if wrong != "" && !strings.Contains(wrong, "DK") {
			r.until("A:discard")
			letters = r.letters('A', wrong)
		} else if wrong != "" {
			letters = "abcd"
		}
		r.refuses("A:discard", tarokk.Move{Discard: &letters}, "R-DISC-1")
	}
	for _, letters := range []string{"cba", "aab", "abz", "ab!"} {
		r.refuses("A:discard", tarokk.Move{Discard: &letters}, "R-DISC-1")
	}
	r.run("B:discard T3", "A:discard T2 HA HJ")
	if s := r.state; s.Stage != tarokk.Discarding || s.Deal.Discards[1].Tarokks != "" || s.Deal.Discards[1].Said {
		t.Errorf("R-DISC-7: stage %q, told of B's discard: %+v", s.Stage, s.Deal.Discards[1])
	}
	if slices.Contains(r.movers(), r.seatOf('B')) {
		t.Errorf("R-DISC-7: B may discard again")
	}
}

// A discard that is against the rules can never be disclosed, and where a table
// discloses late it is refused at once (R-DISC-2, R-DISC-3, R-DISC-4, AMB-05,
// OPT-DISC-XX, D-CLASS).
func TestDiscardVectors(t *testing.T) {
	type vector struct {
		ID     string
		Cards  []string
		Legal  bool
		Invit  string `json:"binding_invit"`
		Note   string
		config table.Config
		hand   string
		script []string
	}
	plain := []string{"A:three"}
	xix := []string{"A:two", "B:one", "A:pass"}
	vectors := vectorsOf[[]vector](t, "discard_legality.json")
	vectors = append(vectors,
		vector{ID: "OPT-DISC-XX=forbidden", Cards: []string{"T20"}, config: table.Config{Options: options{"discard-xx": "forbidden"}}},
		vector{ID: "BGA-8", Cards: []string{"T20"}, config: table.Config{Options: options{"preset": "bga"}}},
		vector{ID: "BGA-8, any other tarokk", Cards: []string{"T19"}, Legal: true, config: table.Config{Options: options{"preset": "bga"}}},
		vector{ID: "a yielded game", Cards: []string{"T20"}, script: []string{"A:three", "B:two", "A:pass"}},
		vector{ID: "AMB-05: the inviter declares", Cards: []string{"T19"}, Legal: true, script: []string{"A:two"}},
		vector{ID: "the skíz", Cards: []string{"T22"}}, vector{ID: "a ten", Cards: []string{"CT"}, Legal: true},
	)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			script := v.script
			switch {
			case script != nil:
			case v.Invit == "XIX":
				script = xix
			case v.Invit == "XVIII":
				script = []string{"A:one", "B:solo", "A:pass"}
			default:
				script = plain
			}
			hand := []string{"T22", "T20", "T19", "T18", "CT", "CJ", "CR"}
			for _, c := range v.Cards {
				if !slices.Contains(hand, c) {
					hand = append(hand, c)
				}
			}
			others := slices.DeleteFunc([]string{"T21", "T1"}, func(c string) bool { return slices.Contains(hand, c) })
			v.config.Seats = 4
			r := rehearse(t, v.config, stacked{strings.Join(hand, " "), strings.Join(others, " ")}).run(script...)
			r.until("A:discard")
			rest := slices.DeleteFunc([]string{"CT", "CJ", "CR"}, func(c string) bool { return slices.Contains(v.Cards, c) })
			all := slices.Concat(v.Cards, rest)[:max(len(v.Cards), len(r.state.Deal.Cards[0])-9)]
			r.offered("A:discard "+strings.Join(all, " "), v.Legal)
		})
	}
}

// Under OPT-DISC-ANNOUNCE a player tells in his first turn, and in no other.
func TestDisclosureInTheFirstTurn(t *testing.T) {
	o := options{"discard-announce": "first-turn", "free-call": "none"}
	r := rehearse(t, with(four, o), stacked{"T22 T20", "T21 T3", "", "", "HA HJ HR DA DJ DR"}).run("A:three", "B:discard T3")
	r.until("A:say")
	if n := len(r.state.Deal.Discards[1].Tarokks); n > 0 {
		t.Errorf("%d tarokks of B are known before his turn", n)
	}
	bare := tarokk.Move{Say: &tarokk.Speech{Turn: []string{"call:T20"}}}
	r.refuses("A:say", bare, "OPT-DISC-ANNOUNCE")
	r.run("A:say call:T20", "B:say contra:game")
	if n := len(r.state.Deal.Discards[1].Tarokks); n != 1 {
		t.Errorf("%d tarokks of B are known after his first turn, want 1", n)
	}
	r.run("C:say", "D:say")
	again := tarokk.Move{Say: &tarokk.Speech{Turn: []string{}, Discards: &tarokk.Disclosure{}}}
	r.refuses("A:say", again, "OPT-DISC-ANNOUNCE")
}

// A hand that may be annulled must be offered as that and nothing else
// (R-ANN-1, R-ANN-2, N-a to N-e).
func TestAnnulmentVectors(t *testing.T) {
	type vector struct {
		ID, Allowed, Note string
		Hand              []string
		Discarded         int `json:"tarokks_discarded"`
	}
	for _, v := range vectorsOf[[]vector](t, "annulment.json") {
		for _, all := range []bool{false, true} {
			drawn := []string{"ST", "T2"}[v.Discarded]
			own := slices.Contains(v.Hand, "T22")
			bidder := "T22"
			if own {
				bidder = "T1"
			}
			config := four
			want := []string{"annul"}
			if v.Allowed != "none" {
				want = []string{"annul " + v.Allowed, "annul"}
			}
			if all { // OPT-ANNUL-AFTER-TDISC
				config = with(four, options{"annul-after-tarokk": "all"})
				if v.ID == "NUL-03" {
					want = []string{"annul b", "annul"}
				}
			}
			r := rehearse(t, config, stacked{strings.Join(v.Hand, " "), "", bidder, "", "T10 T11 T12 T13 " + drawn + " T14"})
			r.run("A:pass", "B:pass", "C:three", "A:discard "+drawn)
			r.until("A:annul")
			if got := r.offers('A'); !slices.Equal(got, want) {
				t.Errorf("%s, annul-after-tarokk %t: %v, want %v", v.ID, all, got, want)
			}
		}
	}
}

// Which cards may be played to a lead (R-CARD-3, R-PLAY-2, R-PLAY-3, R-PLAY-4,
// R-PLAY-6).
func TestPlayVectors(t *testing.T) {
	type vector struct {
		ID    string
		Led   *string
		Hand  []string
		Bound bool `json:"pagat_bound"`
		Legal []string
	}
	for _, v := range vectorsOf[[]vector](t, "play.json") {
		s, view := inPlay(t, v.Led, v.Hand, v.Bound)
		var got []string
		for _, m := range (tarokk.Rules{}).Moves(s, view) {
			if m.Play.Side == "" {
				got = append(got, m.Play.Face)
			}
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(v.Legal)); !slices.Equal(got, want) {
			t.Errorf("%s: %v may be played, want %v", v.ID, got, want)
		}
	}
}

// inPlay is a deal in which B, with a hand, is on turn: after A's lead, or on
// lead. If bound, the side of B has announced pagátultimó.
func inPlay(t *testing.T, led *string, hand []string, bound bool) (tarokk.State, table.View) {
	t.Helper()
	s := opening(t)
	s.Stage = tarokk.Playing
	s.Deal.Outcome = &auction.Outcome{Declarer: 1, Partner: auction.Nobody}
	called := deck.T(20)
	a := announce.New(announce.Public{Declarer: 1, Partner: auction.Nobody, Ultimo: auction.Nobody})
	if a.Called = &called; bound {
		a.Items = append(a.Items, announce.Announced{Item: score.Item{Side: score.Dec, Figure: score.Ultimo}, By: 1})
	}
	s.Deal.Announce = &a
	leader := 1 // of the trick before: whose fourth card takes it
	if led == nil {
		leader = 2
	}
	s.Deal.Tricks = []tarokk.Trick{{Leader: leader, Faces: []string{"CT", "CJ", "CR", "CQ"}}}
	if led != nil {
		s.Deal.Tricks = append(s.Deal.Tricks, tarokk.Trick{Leader: 0, Faces: []string{*led}})
	}
	v := table.View{Seat: s.Deal.Seats[1], Faces: map[table.Card]card.Face{}, Dealt: map[table.Card]card.Face{}}
	for i, name := range hand {
		f := testmust.Have(deck.Parse(name))(t)
		v.Faces[s.Deal.Cards[1][i]] = f
	}
	s.Deal.Held[1] = "abcdefghi"[:len(hand)]
	return s, v
}

// Whose XXI falls to an opponent's skíz wears the hat, and whose falls to the partner's
// does not (R-SEAT-7, R-FIG-6).
func TestHat(t *testing.T) {
	for b, crowned := range map[string]bool{"T21 HK DK CK SK HQ DQ CQ SQ": true, "T21 T20 HK DK CK SK HQ DQ CQ": false} {
		r := rehearse(t, four, stacked{"T22", b, "T18", "T1"}).run("A:three", "A:say call:T20", "A:play T22", "B:play T21")
		r.finish()
		if m := r.state.Mayor; (m != nil) != crowned || m != nil && *m != 1 {
			t.Errorf("%s: the mayor is %v, want B: %t", b, m, crowned)
		}
	}
}

// A count that was not announced may be claimed from the partner after play, if
// the gain covers it, and only then (R-CNT-5, AMB-19, E-LATE).
func TestLateCount(t *testing.T) {
	strong := stacked{"T22 T21 T19 T18 T17 T16 T15 T14 HK", "T20 HQ", "T1", "", "HA HJ HR"}
	script := []string{"A:three", "A:discard HA HJ HR", "A:say call:T20"}
	r := rehearse(t, four, strong).run(script...).run("A:claim true")
	got := r.state.Past[0]
	if v := got.Sheet.V; v < 1 || !slices.Equal(got.Payments, []int{v + 1, v - 1, -v, -v}) {
		t.Errorf("V %d, payments %v", got.Sheet.V, got.Payments)
	}
	never := rehearse(t, with(four, options{"late-count": "never"}), strong).run(script...).finish()
	if v := never.Sheet.V; !slices.Equal(never.Payments, []int{v, v, -v, -v}) {
		t.Errorf("late-count=never: V %d, payments %v", v, never.Payments)
	}
	announced := rehearse(t, four, strong).run(script[:2]...).run("A:say count:8 call:T20").finish()
	if v := announced.Sheet.V; !slices.Equal(announced.Payments, []int{v + 3, v - 1, -v - 1, -v - 1}) {
		t.Errorf("R-CNT-2, R-PAY-3: V %d, payments %v", v, announced.Payments)
	}
}

// The fifth member neither wins nor loses, but for what the options give him
// (R-PAY-5, OPT-TALON-HONOUR-FEE, OPT-DEALER-WEEPS, AMB-26, PAK-8,
// E-FEE).
func TestFiveMembers(t *testing.T) {
	cards := stacked{"T22 T20", "", "", "", "T21 DA DJ T1 HA HJ"} // A draws the XXI, B the pagát
	plain := rehearse(t, five, cards).run("A:three").finish()
	if plain.Payments[4] != 0 || plain.Dealer != 4 {
		t.Errorf("%+v", plain)
	}
	fees := rehearse(t, with(five, options{"talon-fee": "true"}), cards).run("A:three")
	fees.offered("A:fee", false)
	if paid := fees.run("A:fee T21", "B:fee T1").finish().Payments[4]; paid != 3 {
		t.Errorf("OPT-TALON-HONOUR-FEE: the dealer gets %d, want 2 for the XXI and 1 for the pagát", paid)
	}
	both := rehearse(t, with(five, options{"talon-fee": "true"}), stacked{"T22 T20", "", "", "", "T21 T1 DA DJ HA HJ"}).run("A:three")
	both.until("A:fee T1 T21")
	if got := both.offers('A'); !slices.Equal(got, []string{"fee T1 T21"}) {
		t.Errorf("who drew the XXI before the pagát is offered %v", got)
	}
	both.refuses("A:fee T21 T1", tarokk.Move{Fee: &[]string{"T21", "T1"}}, "OPT-TALON-HONOUR-FEE")
	double := rehearse(t, with(five, options{"talon-fee": "true"}), stacked{}, cards)
	double.throwIn()
	if paid := double.run("A:three", "A:fee T21", "B:fee T1").finish().Payments[4]; paid != 6 {
		t.Errorf("PAK-8: in a double round the dealer gets %d, want 6", paid)
	}
	weeps := rehearse(t, with(five, options{"dealer-weeps": "true"}), cards).run("A:three").finish()
	if weeps.Payments[4] != -weeps.Sheet.V {
		t.Errorf("OPT-DEALER-WEEPS: V %d, payments %v", weeps.Sheet.V, weeps.Payments)
	}
}

// The red fours of OPT-DECK-RED-LOW are the aces under another name (R-CARD-6):
// the cheapest card, of one point; the name of the other pack is none.
func TestRedFours(t *testing.T) {
	r := rehearse(t, with(four, options{"red-low": "four"}), stacked{"T22 H4", "", "", "", "CT CJ CR"}).run("A:three", "A:discard CT CJ CR")
	ace := []string{"HA"}
	r.until("A:play H4")
	letter := r.letters('A', "H4")
	r.refuses("A:play H4", tarokk.Move{Play: &tarokk.Play{Card: letter, Face: ace[0]}}, "no card of the pack")
	if s := r.run("A:play H4").finish(); s.How != "played" {
		t.Errorf("%+v", s)
	}
}

// throwIn and complete play a deal of either kind.
func (r *rehearsal) throwIn() { r.run("A:pass", "B:pass", "C:pass", "D:pass") }

func (r *rehearsal) complete() tarokk.Settled {
	r.run("A:three")
	return r.finish()
}

// stacks are deals in which A can bid three and nobody need hold.
func stacks(n int) []stacked { return slices.Repeat([]stacked{{"T22 T20"}}, n) }

// The deal passes on after a deal that was paid, and stays after one that was
// thrown in; double rounds multiply what is paid in between (R-DEAL-4, R-DEAL-5,
// R-ROUND-1 to R-ROUND-3, R-BID-12, OPT-THROWIN).
func TestDoubleRoundsInASession(t *testing.T) {
	type vector struct {
		ID, Src, Events string
		Members         int
		Expect          []int
		option          string
	}
	list := append(vectorsOf[[]vector](t, "double_rounds.json"), vector{ID: "none", Events: "X D D", Members: 4, Expect: []int{1, 1}, option: "none"})
	for _, v := range list {
		events := strings.Fields(v.Events)
		c := table.Config{Seats: v.Members, Deals: strings.Count(v.Events, "D")}
		if v.option != "" {
			c.Options = options{"throw-in": v.option}
		}
		r := rehearse(t, c, stacks(len(events))...)
		dealer := v.Members - 1
		var got []int
		for i, e := range events {
			if r.state.Dealer != dealer {
				t.Errorf("%s: deal %d is dealt by %d, want %d", v.ID, i+1, r.state.Dealer, dealer)
			}
			if e == "X" {
				r.throwIn()
				if v.option == "none" {
					dealer = (dealer + 1) % v.Members
				}
				continue
			}
			past := r.complete()
			got = append(got, past.Multiplier)
			dealer = (dealer + 1) % v.Members
			if worth := past.Sheet.V * past.Multiplier; past.Payments[*past.Declarer] != worth && past.Payments[*past.Declarer] != 3*worth {
				t.Errorf("R-PAY-7: %+v", past)
			}
		}
		if !slices.Equal(got, v.Expect) {
			t.Errorf("%s: %v, want %v", v.ID, got, v.Expect)
		}
	}
}

// A session that was declared to end must last until the skíz has dealt and once
// around (R-SESS-1, R-SESS-2, R-SESS-3, E-SKIZ): the observed deal is number 1.
func TestSkizProcedure(t *testing.T) {
	type vector struct {
		ID       string
		Members  int
		T        int
		Deals    int `json:"skiz_deals"`
		LastDeal int `json:"last_deal"`
	}
	for _, v := range vectorsOf[[]vector](t, "skiz_procedure.json") {
		c := table.Config{Seats: v.Members, Deals: 30, Options: options{"ending": "skiz"}}
		// The holder sits t places from the dealer: A is the first of them, and of
		// four members D the dealer himself.
		holder := (v.T + v.Members - 1) % v.Members
		observed := stacked{"T21 T20", "", "", ""}
		if observed[holder] += " T22"; holder == 0 {
			observed[0] = "T21 T20 T22"
		}
		decks := append([]stacked{{"T22 T20"}, {}, observed}, stacks(30)...)
		r := rehearse(t, c, decks...)
		r.complete()
		word := "skiz"
		r.movers()
		r.do(r.movers()[0], tarokk.Move{Wish: &word})
		r.offersNo("skiz")
		r.between()
		r.throwIn() // R-SESS-3: not observed
		r.complete()
		dealer := r.state.Past[2].Dealer
		n := 1
		for ; r.state.Stage != tarokk.Over; n++ {
			r.between()
			r.complete()
		}
		last := r.state.Past[len(r.state.Past)-1].Dealer
		if n != v.LastDeal || int(last) != (int(dealer)+v.T+v.Members-1)%v.Members || v.Deals != v.T+1 {
			t.Errorf("%s: %d deals from the observed one, the last dealt by %d after %d; want %d", v.ID, n, last, dealer, v.LastDeal)
		}
	}
}

// between says go until the next deal.
func (r *rehearsal) between() {
	for r.advance() && r.state.Stage == tarokk.Between {
		r.quiet()
	}
}

func (r *rehearsal) offersNo(wish string) {
	r.Helper()
	for _, m := range (tarokk.Rules{}).Moves(r.state, r.view(r.movers()[0])) {
		if *m.Wish == wish {
			r.Errorf("R-SESS-1: a second declaration is offered")
		}
	}
}

// Members who all say so end a session between deals; one who does not keeps it
// going (R-SESS-4, PAK-1).
func TestStopByAgreement(t *testing.T) {
	for dissent := range 5 {
		r := rehearse(t, table.Config{Seats: 4, Deals: 3, Options: options{"ending": "skiz"}}, stacks(3)...)
		r.complete()
		for i := range 4 {
			word := "stop"
			if i == dissent {
				word = "go"
			}
			r.do(r.movers()[0], tarokk.Move{Wish: &word})
		}
		if over := r.state.Stage == tarokk.Over; over != (dissent == 4) {
			t.Errorf("member %d says go: over %t", dissent, over)
		}
		if dissent == 4 && !slices.Equal(tarokk.Rules{}.Result(r.state), r.state.Past[0].Payments) {
			t.Errorf("result %v after %v", tarokk.Rules{}.Result(r.state), r.state.Past)
		}
	}
}

// A broken invit ends the deal as a lost trial does (OPT-CONV-COMMIT,
// PAK-4, B-INV18-FAIL, B-INV17-FAIL).
func TestBrokenInvit(t *testing.T) {
	o := options{"invit-commit": "if-other-declares"}
	hands := stacked{"T22 T18", "T21", "T1"}
	// A opens, B jumps to solo, A holds it: B has no turn left to show his card.
	r := rehearse(t, with(four, o), hands).run("A:three", "B:solo", "A:hold")
	r.offered("B:confirm true", false)
	got := r.run("B:confirm false").state.Past[0]
	if got.How != "invit broken" || !slices.Equal(got.Payments, []int{4, -12, 4, 4}) {
		t.Errorf("%+v", got)
	}
	o["xvii"] = "pais"
	pais := rehearse(t, with(four, o), hands).run("A:three", "B:two", "A:hold", "B:solo", "A:hold")
	pais.offered("B:confirm true", false)
	if got := pais.run("B:confirm false").state.Past[0]; got.How != "invit broken" {
		t.Errorf("XVII: %+v", got)
	}
	delete(o, "xvii")
	hands[0], hands[1] = "T22", "T21 T18"
	kept := rehearse(t, with(four, o), hands).run("A:three", "B:solo", "A:hold")
	kept.offered("B:confirm false", false)
	kept.run("B:confirm true")
	kept.until("A:say")
	if got := kept.offers('A'); !slices.ContainsFunc(got, func(w string) bool { return w == "say call:T18" }) || slices.Contains(got, "say call:T20") {
		t.Errorf("R-CONV-7: offered %.100v", got)
	}
}

// Every field of a state that is shown to all must say nothing of hidden cards:
// the letters that a player holds are the same whatever they are.
func TestPublicStateHidesCards(t *testing.T) {
	a := rehearse(t, four, stacked{"T22 T20"}).run("A:three")
	b := rehearse(t, four, stacked{"T1 T2", "T22", "T21", "T20"}).run("A:three")
	a.until("A:say call:T20")
	b.until("A:say call:T20")
	x, _ := json.Marshal(a.state.Deal.Cards)
	y, _ := json.Marshal(b.state.Deal.Cards)
	if string(x) != string(y) || !maps.Equal(a.open, b.open) {
		t.Errorf("two deals of the same course look different: %s and %s, open %v and %v", x, y, a.open, b.open)
	}
}

// Who takes a trick (R-PLAY-5).
func TestTrickVectors(t *testing.T) {
	type vector struct {
		ID     string
		Cards  []string
		Winner int `json:"winner_index"`
	}
	for _, v := range vectorsOf[[]vector](t, "tricks.json") {
		var cards []card.Face
		for _, name := range v.Cards {
			f := testmust.Have(deck.Parse(name))(t)
			cards = append(cards, f)
		}
		if got := trick.Winner(deck.Tricks{}, cards); got != v.Winner {
			t.Errorf("%s: %v is taken by %d, want %d", v.ID, v.Cards, got, v.Winner)
		}
	}
}

// A set of the proofs with a card too many lets that card through (R-CARD-8).
func TestProofSets(t *testing.T) {
	sets := map[string]card.Set{
		"DECK": deck.All, "TAROKK": deck.Tarokks, "SUITS": deck.Plain, "SUIT": deck.Of(deck.Hearts), "HONOUR": deck.Honours,
		"NONHONOUR": deck.Not(deck.Honours), "BIG": deck.BigHonours, "KINGS": deck.Kings, "DISCARDABLE": deck.Discardable,
		"TDISC": deck.TarokkDiscards, "PLAINDISC": deck.PlainDiscards, "NOT_CARD": deck.Not(card.SetOf(deck.XX)),
		"NOT_SUIT": deck.Not(deck.Of(deck.Clubs)), "OTHER_SUITS": deck.Plain.Without(deck.Of(deck.Spades)),
	}
	for name, n := range vectorsOf[map[string]int](t, "proof_sets.json") {
		if s, is := sets[name]; !is || s.Len() != n {
			t.Errorf("%s has %d cards, want %d", name, s.Len(), n)
		}
	}
}

// R-CARD-9: the names of a deck and of its cards are hashed into every transcript
// and every card element. One that 61 does not have, or in another order, is the
// end of every other verifier.
func TestDecksOfTheSpecification(t *testing.T) {
	text := string(testmust.Have(os.ReadFile(specRules))(t))
	for _, low := range []string{"ace", "four"} {
		_, pack, err := tarokk.Rules{}.Setup(table.Config{Seats: 4, Deals: 1, Options: options{"red-low": low}})
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, pack.Len())
		for f := range names {
			names[f] = pack.FaceName(card.Face(f))
		}
		if low == "four" {
			names[slices.Index(names, "H4")], names[slices.Index(names, "D4")] = "HA", "DA"
		}
		list := "`" + strings.Join(names, "` `") + "`"
		if !strings.Contains(text, "| `"+low+"` | `"+pack.Name()+"` |") || !strings.Contains(text, list) {
			t.Errorf("61 does not name the deck %s with %s", pack.Name(), list)
		}
	}
}
