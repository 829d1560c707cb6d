package tarokk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
)

var book, _ = tarokk.PresetNamed("book")

// anyScoring sets every option that the score reads.
func anyScoring(random *rand.Rand) tarokk.RuleSet {
	coin := func() bool { return random.IntN(2) == 0 }
	r := book
	r.ScoreGDV, r.DefSilent = pick[tarokk.ScoreGDV](random, "six-rules", "exclusive"), pick[tarokk.DefSilent](random, "always", "contra-only")
	r.ContraVolat, r.VolatTrull, r.DoubleKings = pick[tarokk.ContraVolat](random, "add", "triple"), pick[tarokk.VolatTrull](random, "neither", "trull"), pick[tarokk.DoubleKings](random, "scored", "not")
	r.ContraTie = 47 + random.IntN(2)
	r.KingsSilent, r.UltimoSilent, r.XXISilent = random.IntN(4), random.IntN(8), random.IntN(50)
	r.KingsAnnounced, r.UltimoAnnounced, r.XXIAnnounced = r.KingsSilent+random.IntN(3), r.UltimoSilent+random.IntN(9), r.XXISilent+random.IntN(50)
	r.UltimoPool, r.TrialPays, r.DealerWeeps = coin(), pick[tarokk.TrialPays](random, "base", "two"), coin()
	r.LateCount = pick[tarokk.LateCount](random, "covered", "always", "never")
	return r
}

var sidesOf = []tarokk.Side{tarokk.DeclarerSide, tarokk.DefenderSide}

// scoring is a deal to the referee and to the rules of the score.
type scoring struct {
	*referee
	deal  tarokk.PlayedDeal
	sheet tarokk.Sheet
}

// newScoring draws a deal whose cards and announcements are what they may be. What was taken
// is drawn by itself: volát and double come about too seldom.
func newScoring(random *rand.Rand) scoring {
	r := &referee{o: anyScoring(random), openDeal: &openDeal{refBids: newRefBids()}, pool: random.IntN(100)}
	if random.IntN(20) == 0 {
		r.pool = 1<<16 + random.IntN(1<<16)
	}
	r.level, r.declarer, r.owing = pick(random, bidNames...), random.IntN(4), random.IntN(4)
	w := scoring{referee: r, deal: tarokk.PlayedDeal{Level: r.index(), Declarer: r.declarer, Partner: tarokk.NoPartner, Contra: map[tarokk.Item]int{}}}
	w.cardsPlayed(random)
	if p := r.helper(); p != none {
		w.deal.Partner = p
	}
	for p := range 4 {
		r.counts[p] = []int{0, 0, 8, 9}[random.IntN(4)]
	}
	announced := func(i tarokk.Item) {
		w.deal.Contra[i] = random.IntN(6)
		r.items = append(r.items, refItem{name: i.String(), step: w.deal.Contra[i]})
	}
	if announced(tarokk.TheGame); random.IntN(2) == 0 {
		r.items[0].step, w.deal.Contra[tarokk.TheGame] = 0, 0
	}
	for _, f := range tarokk.Figures {
		for _, s := range sidesOf {
			if random.IntN(4) == 0 {
				announced(tarokk.Item{Side: s, Figure: f})
			}
		}
	}
	w.taken(random)
	return w
}

// cardsPlayed gives out hands, some of many tarokks, and plays them in order.
func (w scoring) cardsPlayed(random *rand.Rand) {
	names := tarokk.FaceNames("ace")
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if random.IntN(3) == 0 {
		slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(suit(b), suit(a)) })
	}
	if i, j := slices.Index(names, "T1"), random.IntN(36); i >= 36 {
		names[i], names[j] = names[j], names[i]
	}
	if i := slices.Index(names, "T1"); random.IntN(2) == 0 {
		names[i], names[i/9*9+8] = names[i/9*9+8], names[i]
	}
	for i := range 9 {
		w.tricks, w.leads = append(w.tricks, []string{names[i], names[9+i], names[18+i], names[27+i]}), append(w.leads, 0)
	}
	w.called = names[random.IntN(len(names))]
}

// taken draws points, tricks and figures, and scores them.
func (w *scoring) taken(random *rand.Rand) {
	d := &w.deal
	d.Points, d.Tricks = random.IntN(95), 1+random.IntN(8)
	switch random.IntN(6) {
	case 0:
		d.Tricks, d.Points = 9, 72+random.IntN(23)
	case 1:
		d.Tricks, d.Points = 0, random.IntN(23)
	}
	var taken [2][]string
	set := func(cards ...string) tarokk.Side {
		s := random.IntN(3)
		if s == 2 {
			return tarokk.UnknownSide
		}
		taken[s] = append(taken[s], cards...)
		return sidesOf[s]
	}
	captured := random.IntN(3) - 1
	if d.Trull, d.Kings = set(honours...), set("HK", "DK", "CK", "SK"); captured != none {
		d.Captured = sidesOf[captured]
	}
	side := func(p int) int { return slices.Index(sideName[:], w.truly(p)) }
	for p := range 4 {
		if cards := w.playedBy(p); slices.Contains(cards, "T1") {
			d.Pagat = sidesOf[side(p)]
			if last := w.tricks[8]; cards[8] == "T1" && last[taker(last)] == "T1" {
				d.NinthTrick = tarokk.UltimoWon
			} else if cards[8] == "T1" {
				d.NinthTrick = tarokk.UltimoLost
			}
		}
	}
	points, tricks := [2]int{d.Points, 94 - d.Points}, [2]int{d.Tricks, 9 - d.Tricks}
	w.points = d.Points
	w.sheet = tarokk.Sheet{GDV: w.gameDoubleVolat(points, tricks), Figures: w.figures(taken, tricks, captured, side)}
	w.v = w.sheet.GDV + w.sheet.Figures
	w.paid()
}

// check compares the two.
func (w scoring) check() error {
	s := tarokk.ScoreDeal(w.o, w.deal)
	if s.GDV != w.sheet.GDV || s.Figures != w.sheet.Figures || s.V != w.v {
		return fmt.Errorf("%+v, and to the referee %d and %d", s, w.sheet.GDV, w.sheet.Figures)
	}
	if err := w.lines(s); err != nil {
		return err
	}
	if got := tarokk.PayDeal(w.o, w.deal, s.V).Plus(tarokk.CountPay(w.counts)); got != w.pay {
		return fmt.Errorf("pays %v, and to the referee %v", got, w.pay)
	}
	if err := w.late(); err != nil {
		return err
	}
	for _, how := range []string{"passed", "trial lost", "invit broken", "played"} {
		if err := w.pays(how); err != nil {
			return fmt.Errorf("%s: %w", how, err)
		}
	}
	return w.shared()
}

// lines are what V is the sum of: for whom each is, and with the contra that was said.
func (w scoring) lines(s tarokk.Sheet) error {
	v := 0
	for _, l := range s.Lines {
		isFor, sign := l.Item.Side, 1
		if !l.Made {
			isFor = isFor.OtherSide()
		}
		if l.For == tarokk.DefenderSide {
			sign = -1
		}
		v += sign * l.Points
		step, said := w.deal.Contra[l.Item]
		silent := !l.Announced && l.Item != tarokk.TheGame
		if l.Points <= 0 || l.For != isFor || l.Announced && !said || silent && (said || l.Contra != 0) || !silent && l.Contra != step {
			return fmt.Errorf("line %+v", l)
		}
	}
	return check(v == s.V, "R-SC-18")
}

func (w scoring) late() error {
	l := tarokk.LateTarokks{PlayedDeal: w.deal, V: w.v, Announced: w.counts}
	for p := range 4 {
		l.Tarokks[p] = countTarokks(w.playedBy(p))
	}
	got := l.Claimants(w.o)
	if want := w.lateClaimants(); !slices.Equal(got, want) {
		return fmt.Errorf("%v may claim late, and to the referee %v", got, want)
	}
	for _, p := range got {
		w.pay = tarokk.Payments{}
		if w.payLate(p); w.pay != l.ClaimPayments(p) {
			return fmt.Errorf("%d claims late: %v, and to the referee %v", p, l.ClaimPayments(p), w.pay)
		}
	}
	return nil
}

// pays compares what is paid, and what goes into the pool or out of it.
func (w scoring) pays(how string) error {
	w.how, w.pay = how, tarokk.Payments{}
	moved, _ := w.worth()
	pool, pay := tarokk.Pool(w.pool), tarokk.Payments{}
	var got tarokk.Payments
	switch how {
	case "passed":
		pool, got = pool.ThrownIn(w.o)
	case "trial lost":
		pay = tarokk.TrialPayments(w.o, w.deal.Level, w.declarer)
		pool, got = pool.TrialLost(w.o, w.declarer)
	case "invit broken":
		pay = tarokk.ForfeitPayments(w.deal.Level, w.owing)
	case "played":
		pool, got = pool.SettleUltimo(w.o, w.deal)
	}
	sum := 0
	for _, n := range moved {
		sum += n
	}
	if pay != w.pay || got != moved || int(pool) != w.pool-sum {
		return fmt.Errorf("pays %v, %v from a pool of %d, which becomes %d; to the referee %v, %v", pay, got, w.pool, pool, w.pay, moved)
	}
	return nil
}

func (w scoring) shared() error {
	for n := 4; n <= 5; n++ {
		w.members, w.scores = numbers(0, n), make([]int, 5)
		if !w.o.UltimoPool {
			w.pool = 0
		}
		w.share()
		if rest, got := tarokk.Pool(w.pool).ShareOut(w.o, n); rest != 0 || !slices.Equal(got[:], w.scores) {
			return fmt.Errorf("BGA-7: a pool of %d is shared as %v, and by the referee as %v", w.pool, got, w.scores)
		}
	}
	return nil
}

// Deals of any course, under any options: what they are worth and what everybody pays is what
// the referee reckons (R-FIG-1 to R-FIG-9, R-SC-1 to R-SC-18, R-PAY-1 to R-PAY-6, R-CNT-2, R-CNT-5, R-CON-5, R-BID-15 to R-BID-17,
// AMB-16 to AMB-19, AMB-25, AMB-26, BGA-6, BGA-7, BGA-9, PAK-6, PAK-7, OPT-SCORE-GDV, OPT-SCORE-DEF-SILENT, OPT-SCORE-CONTRA-VOLAT,
// OPT-SCORE-CONTRA-TIE, OPT-SCORE-VOLAT-TRULL, OPT-VAL-KINGS, OPT-VAL-ULTIMO, OPT-VAL-XXI, OPT-DEALER-WEEPS).
func TestScores(t *testing.T) {
	deals := uint64(3_000)
	if testmust.Thorough() {
		deals = 10_000
	}
	for seed := range deals {
		w := newScoring(rand.New(rand.NewPCG(seed, 18)))
		testmust.Do(t, w.check(), "seed", seed, w.deal, "under", w.o)
	}
}

// Each of the six rules is named by which a game, double or volát is scored (R-SC-5 to R-SC-11).
func TestRuleOfScore(t *testing.T) {
	for announced, rule := range map[string]string{"": "R-SC-5", "DEC.double": "R-SC-6", "DEF.double": "R-SC-6", "DEC.double DEC.volat": "R-SC-7", "DEF.volat": "R-SC-8",
		"game": "R-SC-9", "game DEC.trull": "R-SC-9", "game DEC.double": "R-SC-10", "DEC.double DEF.volat": "R-SC-11"} {
		d := facts{Points: 50, Tricks: 5}.deal()
		for _, name := range strings.Fields(announced) {
			d.Contra[testmust.Have(tarokk.ParseItem(name))(t)] = 1
		}
		testmust.Equal(t, tarokk.ScoreDeal(book, d).Lines[0].Rule, rule, announced, "is scored by")
	}
}

// Double rounds of any course, in each of their forms: which run is what the referee counts
// (R-ROUND-1 to R-ROUND-3, OPT-THROWIN, PAK-3).
func TestDoubleRounds(t *testing.T) {
	for _, form := range []tarokk.ThrowIn{"overlap", "none", "queue", "quad"} {
		for seed := range uint64(40) {
			random := rand.New(rand.NewPCG(seed, 12))
			r, rounds, members := &referee{o: tarokk.RuleSet{ThrowIn: form}}, tarokk.Rounds{}, 4+random.IntN(2)
			for event := range 100 {
				if random.IntN(9) > int(seed%8) {
					r.double(members)
					rounds = rounds.ThrownIn(r.o, members)
				} else {
					r.completed++
					rounds = rounds.AfterDeal()
				}
				got, want := rounds.Multiplier(), r.multiplier()
				testmust.Requiref(t, got == want, "%s, seed %d, after %d deals: times %d, want %d", form, seed, event+1, got, want)
			}
		}
		testmust.Equal(t, tarokk.Redeals(tarokk.RuleSet{ThrowIn: form}), form != "none", "R-DEAL-5", form)
	}
}

// optionOf finds the name of an option by its source, as in "OPT-SCORE-GDV".
func optionOf(t *testing.T, source string) string {
	t.Helper()
	for _, o := range tarokk.Options() {
		if o.Source == source {
			return o.Name
		}
	}
	t.Fatalf("no option has the source %s", source)
	return ""
}

func payments(by map[string]int) tarokk.Payments {
	var p tarokk.Payments
	for name, n := range by {
		p[player(name)] = n
	}
	return p
}

// facts are a deal of the vectors.
type facts struct {
	ID, Src, Note, Bid string
	Points             int `json:"dec_points"`
	Tricks             int `json:"dec_tricks"`
	Announced          map[tarokk.Side][]tarokk.Figure
	Contra             map[tarokk.Item]int
}

func (f facts) deal() tarokk.PlayedDeal {
	d := tarokk.PlayedDeal{Level: max(0, slices.Index(bidNames, f.Bid)), Partner: 2, Points: f.Points, Tricks: f.Tricks, Pagat: tarokk.DeclarerSide, Contra: map[tarokk.Item]int{}}
	for side, figures := range f.Announced {
		for _, figure := range figures {
			d.Contra[tarokk.Item{Side: side, Figure: figure}] = 0
		}
	}
	maps.Copy(d.Contra, f.Contra)
	return d
}

// R-SC-4: a base value that does not double and triple, or an announcement that
// costs as little as silence.
func TestBaseTable(t *testing.T) {
	table := vectorsOf[[]struct {
		Bid             string
		Base            int
		SilentDouble    int `json:"silent_double"`
		SilentVolat     int `json:"silent_volat"`
		AnnouncedDouble int `json:"announced_double"`
		AnnouncedVolat  int `json:"announced_volat"`
	}](t, "base_table.json")
	for i, row := range table {
		if row.Bid != bidNames[i] || tarokk.BaseValue(i) != row.Base {
			t.Errorf("%s: base value %d, want %d", bidNames[i], tarokk.BaseValue(i), row.Base)
		}
		for _, c := range []struct {
			points, tricks int
			announced      []tarokk.Figure
			want           int
		}{
			{50, 5, nil, row.Base}, {71, 7, nil, row.SilentDouble}, {80, 9, nil, row.SilentVolat},
			{71, 7, []tarokk.Figure{tarokk.Double}, row.AnnouncedDouble}, {80, 9, []tarokk.Figure{tarokk.Volat}, row.AnnouncedVolat},
		} {
			d := facts{Bid: row.Bid, Points: c.points, Tricks: c.tricks, Announced: map[tarokk.Side][]tarokk.Figure{tarokk.DeclarerSide: c.announced}}.deal()
			if got := tarokk.ScoreDeal(book, d).GDV; got != c.want {
				t.Errorf("%s, %d points, %d tricks, announced %q: %d, want %d", bidNames[i], c.points, c.tricks, c.announced, got, c.want)
			}
		}
	}
	testmust.Equal(t, len(table), 4, "bidNames")
}

// R-FIG-1, R-FIG-2, R-SC-12, R-SC-14, R-SC-15, R-SC-17, R-CNT-2: a figure whose
// value is another one, depends on the bid, or is another for one side.
func TestFigureTable(t *testing.T) {
	for name, raw := range vectorsOf[map[string]json.RawMessage](t, "figure_table.json") {
		if n, isCount := strings.CutPrefix(name, "count_"); isCount {
			tarokks := testmust.Have(strconv.Atoi(n))(t)
			testmust.Equal(t, strconv.Itoa(-tarokk.CountPay([4]int{0, tarokks, 0, 0})[0]), string(raw), tarokks, "tarokks: from each")
			continue
		}
		var want [2]int
		testmust.Do(t, json.Unmarshal(raw, &want))
		for level := range bidNames {
			for _, side := range sidesOf {
				checkFigure(t, tarokk.Item{Side: side, Figure: tarokk.Figure(name)}, level, want)
			}
		}
	}
}

// checkFigure makes a figure silently, announced, and fails it announced.
func checkFigure(t *testing.T, i tarokk.Item, level int, want [2]int) {
	t.Helper()
	sign := 1
	if i.Side == tarokk.DefenderSide {
		sign = -1
	}
	for _, c := range []struct {
		announced, made bool
		want            int
	}{{false, true, want[0]}, {true, true, want[1]}, {true, false, -want[1]}, {false, false, 0}} {
		d := facts{Bid: bidNames[level], Points: 50, Tricks: 5}.deal()
		if c.announced {
			d.Contra[i] = 0
		}
		if c.made {
			*map[tarokk.Figure]*tarokk.Side{tarokk.Trull: &d.Trull, tarokk.FourKings: &d.Kings, tarokk.Ultimo: &d.Pagat, tarokk.XXICapture: &d.Captured}[i.Figure] = i.Side
			if i.Figure == tarokk.Ultimo {
				d.NinthTrick = tarokk.UltimoWon
			}
		}
		if got := tarokk.ScoreDeal(book, d); got.Figures != sign*c.want || got.GDV != tarokk.BaseValue(level) {
			t.Errorf("%s, level %d, announced %v, made %v: %d besides %d, want %d", i, level, c.announced, c.made, got.Figures, got.GDV, sign*c.want)
		}
	}
}

// R-CON-2: a step that does not double.
func TestContraLadder(t *testing.T) {
	for step, want := range vectorsOf[[6]int](t, "contra_ladder_one_game.json") {
		d := facts{Bid: "one", Points: 50, Tricks: 5, Contra: map[tarokk.Item]int{tarokk.TheGame: step}}.deal()
		s := tarokk.ScoreDeal(book, d)
		testmust.Holdf(t, s.V == want && len(s.Lines) == 1 && s.Lines[0].Contra == step, "step %d: %v, want %d", step, s, want)
	}
}

// R-SC-1, R-SC-2, R-SC-3: a point too many or too few for the game or a double,
// of either side.
func TestThresholds(t *testing.T) {
	want := vectorsOf[struct {
		Total      int `json:"total"`
		DecWins    int `json:"dec_wins_from"`
		DefWins    int `json:"def_wins_from"`
		DoubleFrom int `json:"double_from"`
		DoubleLeft int `json:"double_other_max"`
	}](t, "thresholds.json")
	for points := range want.Total + 1 {
		v := tarokk.ScoreDeal(book, facts{Points: points, Tricks: 5}.deal()).V
		def := want.Total - points
		testmust.Holdf(t, (v > 0) == (points >= want.DecWins) && (v < 0) == (def >= want.DefWins), "%d points: %d", points, v)
		testmust.Holdf(t, (v == 2) == (points >= want.DoubleFrom) && (v == 2) == (def <= want.DoubleLeft), "%d points, double of the declarer: %d", points, v)
		testmust.Holdf(t, (v == -2) == (def >= want.DoubleFrom) && (v == -2) == (points <= want.DoubleLeft),
			"%d points, double of the opponents: %d", points, v)
	}
}

// The table of section 15.6: each of the 48 cells, for each base value.
func TestScoreTable(t *testing.T) {
	rows := vectorsOf[[]struct {
		Row    string `json:"row"`
		Dec    string `json:"dec_announced"`
		Def    string `json:"def_announced"`
		Game   int    `json:"contra_game,string"`
		Double int    `json:"contra_dec_double,string"`
		None   int    `json:"no_trick,string"`
		Le23   int    `json:"le23,string"`
		Le47   int    `json:"p24_47,string"`
		Le70   int    `json:"p48_70,string"`
		Ge71   int    `json:"ge71,string"`
		All    int    `json:"all_tricks,string"`
	}](t, "multipliers.json")
	for _, row := range rows {
		contra := map[tarokk.Item]int{tarokk.TheGame: row.Game}
		for side, figures := range map[tarokk.Side]string{tarokk.DeclarerSide: row.Dec, tarokk.DefenderSide: row.Def} {
			for _, f := range strings.FieldsFunc(figures, func(r rune) bool { return r == '+' }) {
				contra[tarokk.Item{Side: side, Figure: tarokk.Figure(f)}] = 0
			}
		}
		if row.Double > 0 {
			contra[tarokk.Item{Side: tarokk.DeclarerSide, Figure: tarokk.Double}] = row.Double
		}
		for _, c := range []struct{ low, high, tricks, want int }{
			{0, 22, 0, row.None}, {0, 23, 2, row.Le23}, {24, 47, 4, row.Le47}, {48, 70, 5, row.Le70}, {71, 94, 7, row.Ge71}, {72, 94, 9, row.All},
		} {
			for _, points := range []int{c.low, c.high} {
				for l, bid := range bidNames {
					d := facts{Bid: bid, Points: points, Tricks: c.tricks, Contra: contra}.deal()
					testmust.Equal(t, tarokk.ScoreDeal(book, d).GDV, c.want*tarokk.BaseValue(l), row.Row, points, "points", c.tricks, "tricks", bid)
				}
			}
		}
	}
}

// SCO-01 to SCO-18, and OPS-01 to OPS-08: an option that does nothing, or something by default.
func TestScoreVectors(t *testing.T) {
	type vector struct {
		facts
		Kings    tarokk.Side `json:"four_kings_made_by"`
		Trull    tarokk.Side `json:"trull_made_by"`
		Captured tarokk.Side `json:"xxi_captured_by"`
		Pagat    *struct {
			Holder tarokk.Side `json:"holder_side"`
			Trick9 string
		}
		Expect struct {
			GDV, Figures int
			V            *int
		}
		Option, Value string
		Want          int `json:"expect_gdv"`
		Default       int `json:"default_gdv"`
	}
	for _, c := range slices.Concat(vectorsOf[[]vector](t, "scores.json"), vectorsOf[[]vector](t, "option_scores.json")) {
		d := c.deal()
		d.Kings, d.Trull, d.Captured = c.Kings, c.Trull, c.Captured
		if c.Pagat != nil {
			fate, known := map[string]tarokk.Fate{"not_played": tarokk.NotPlayed, "won": tarokk.UltimoWon, "lost": tarokk.UltimoLost}[c.Pagat.Trick9]
			d.Pagat, d.NinthTrick = c.Pagat.Holder, fate
			testmust.Requiref(t, known, "%s: trick9 is %q", c.ID, c.Pagat.Trick9)
		}
		switch s := tarokk.ScoreDeal(book, d); {
		case c.Option != "":
			r := rulesOf(t, options{optionOf(t, c.Option): strings.ReplaceAll(c.Value, "_", "-")})
			if got := tarokk.ScoreDeal(r, d).GDV; got != c.Want || s.GDV != c.Default {
				t.Errorf("%s: %s=%s: %d, want %d; default: %d, want %d", c.ID, c.Option, c.Value, got, c.Want, s.GDV, c.Default)
			}
		case s.GDV != c.Expect.GDV || s.Figures != c.Expect.Figures || s.V != s.GDV+s.Figures || c.Expect.V != nil && s.V != *c.Expect.V:
			t.Errorf("%s (%s): %d and %d, together %d, want %+v", c.ID, c.Note, s.GDV, s.Figures, s.V, c.Expect)
		}
	}
}

// PAY-01 to PAY-07 (AMB-20: counts and trials are multiplied, too), and LAT-01.
func TestPaymentVectors(t *testing.T) {
	type vector struct {
		ID, Src, Note               string
		V, Multiplier               *int
		Alone                       bool
		Declarer, Partner, Claimant string
		Tarokks                     int
		Count, Expect               map[string]int
		Trial                       string `json:"trial_lost_bid"`
	}
	for _, c := range slices.Concat(vectorsOf[[]vector](t, "payments.json"), vectorsOf[[]vector](t, "late_count.json")) {
		counts := payments(c.Count)
		got := tarokk.CountPay([4]int(counts[:4]))
		d := tarokk.PlayedDeal{Declarer: player(c.Declarer), Partner: tarokk.NoPartner}
		if c.Partner != "" {
			d.Partner = player(c.Partner)
		}
		switch {
		case c.Claimant != "":
			l, p := tarokk.LateTarokks{PlayedDeal: d, V: *c.V}, player(c.Claimant)
			l.Tarokks[p] = c.Tarokks
			if got = l.ClaimPayments(p); !slices.Equal(l.Claimants(book), []int{p}) {
				t.Errorf("%s: claims by %v", c.ID, l.Claimants(book))
			}
		case c.V != nil && c.Alone != (c.Partner == ""):
			t.Fatalf("%s: the vector contradicts itself", c.ID)
		case c.V != nil:
			got = got.Plus(tarokk.PayDeal(book, d, *c.V))
		}
		if c.Trial != "" {
			got = got.Plus(tarokk.TrialPayments(book, slices.Index(bidNames, c.Trial), d.Declarer))
		}
		if c.Multiplier != nil {
			got = got.Times(*c.Multiplier)
		}
		testmust.Holdf(t, got == payments(c.Expect) && len(c.Expect) == 4, "%s: %v, want %v", c.ID, got, c.Expect)
	}
}
