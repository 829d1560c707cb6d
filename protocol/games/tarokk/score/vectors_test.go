package score_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// vectors reads a file of test vectors. A field that V does not have is an
// error: what no test knows, no test checks.
func vectors[V any](t *testing.T, name string) V {
	t.Helper()
	f, err := os.Open("../../../../docs/spec/vectors/tarokk/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	var v V
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// rules are those of the book with options: name, value, name, value…
func rules(t *testing.T, options ...string) ruleset.Rules {
	t.Helper()
	given := map[string]string{}
	for i := 0; i < len(options); i += 2 {
		given[options[i]] = options[i+1]
	}
	seats := 4
	if given["talon-fee"] != "" || given["dealer-weeps"] != "" {
		seats = 5
	}
	r := testmust.Have(ruleset.Parse(table.Config{Seats: seats, Deals: 1, Options: given}))(t)
	return r
}

// option finds the name of an option by its source, as in "OPT-SCORE-GDV".
func option(t *testing.T, source string) string {
	t.Helper()
	for _, o := range ruleset.Options() {
		if o.Source == source {
			return o.Name
		}
	}
	t.Fatalf("no option has the source %s", source)
	return ""
}

var levels = []string{"three", "two", "one", "solo"}

// level is what the vectors call a bid.
type level int

func (l *level) UnmarshalText(text []byte) error {
	*l = level(slices.Index(levels, string(text)))
	if *l < 0 {
		return strconv.ErrSyntax
	}
	return nil
}

// seat is what they call a player.
type seat int

func (s *seat) UnmarshalText(text []byte) error {
	*s = seat(strings.Index("ABCD", string(text)))
	if len(text) != 1 || *s < 0 {
		return strconv.ErrSyntax
	}
	return nil
}

func payments(by map[seat]int) score.Payments {
	var p score.Payments
	for s, n := range by {
		p[s] = n
	}
	return p
}

// facts are a deal of the vectors.
type facts struct {
	ID     string             `json:"id"`
	Src    string             `json:"src"`
	Note   string             `json:"note"`
	Bid    level              `json:"bid"`
	Points int                `json:"dec_points"`
	Tricks int                `json:"dec_tricks"`
	Contra map[score.Item]int `json:"contra"`
}

func (f facts) deal() score.Deal {
	d := score.Deal{Level: int(f.Bid), Partner: 2, Points: f.Points, Tricks: f.Tricks, Pagat: score.Dec}
	d.Contra = map[score.Item]int{}
	for i, step := range f.Contra {
		d.Contra[i] = step
	}
	return d
}

// R-SC-4: a base value that does not double and triple, or an announcement that
// costs as little as silence.
func TestBaseTable(t *testing.T) {
	table := vectors[[]struct {
		Bid             level `json:"bid"`
		Base            int   `json:"base"`
		SilentDouble    int   `json:"silent_double"`
		SilentVolat     int   `json:"silent_volat"`
		AnnouncedDouble int   `json:"announced_double"`
		AnnouncedVolat  int   `json:"announced_volat"`
	}](t, "base_table")
	for i, row := range table {
		if int(row.Bid) != i || score.Base(i) != row.Base {
			t.Errorf("%s: base value %d, want %d", levels[i], score.Base(i), row.Base)
		}
		for _, c := range []struct {
			points, tricks int
			announced      score.Figure
			want           int
		}{
			{50, 5, "", row.Base}, {71, 7, "", row.SilentDouble}, {80, 9, "", row.SilentVolat},
			{71, 7, score.Double, row.AnnouncedDouble}, {80, 9, score.Volat, row.AnnouncedVolat},
		} {
			d := facts{Bid: row.Bid, Points: c.points, Tricks: c.tricks}.deal()
			if c.announced != "" {
				d.Contra[score.Item{Side: score.Dec, Figure: c.announced}] = 0
			}
			if got := score.Score(rules(t), d).GDV; got != c.want {
				t.Errorf("%s, %d points, %d tricks, announced %q: %d, want %d", levels[i], c.points, c.tricks, c.announced, got, c.want)
			}
		}
	}
	if len(table) != 4 {
		t.Errorf("%d levels", len(table))
	}
}

// R-FIG-1, R-FIG-2, R-SC-12, R-SC-14, R-SC-15, R-SC-17, R-CNT-2: a figure whose
// value is another one, depends on the bid, or is another for one side.
func TestFigureTable(t *testing.T) {
	table := vectors[map[string]json.RawMessage](t, "figure_table")
	for name, raw := range table {
		if n, isCount := strings.CutPrefix(name, "count_"); isCount {
			checkCount(t, n, raw)
			continue
		}
		var want [2]int
		testmust.Do(t, json.Unmarshal(raw, &want))
		for l := range levels {
			for _, side := range []score.Side{score.Dec, score.Def} {
				checkFigure(t, score.Item{Side: side, Figure: score.Figure(name)}, l, want)
			}
		}
	}
	if len(table) != 6 {
		t.Errorf("%d values", len(table))
	}
}

func checkCount(t *testing.T, n string, raw json.RawMessage) {
	tarokks, _ := strconv.Atoi(n)
	got := score.CountPay([4]int{0, tarokks, 0, 0})
	if each := strconv.Itoa(-got[0]); each != string(raw) {
		t.Errorf("%d tarokks: %s from each, want %s", tarokks, each, raw)
	}
}

// checkFigure makes a figure silently, announced, and fails it announced.
func checkFigure(t *testing.T, i score.Item, level int, want [2]int) {
	t.Helper()
	sign := 1
	if i.Side == score.Def {
		sign = -1
	}
	for _, c := range []struct {
		announced, made bool
		want            int
	}{{false, true, want[0]}, {true, true, want[1]}, {true, false, -want[1]}, {false, false, 0}} {
		d := facts{Bid: 0, Points: 50, Tricks: 5}.deal()
		d.Level = level
		if c.announced {
			d.Contra[i] = 0
		}
		if c.made {
			accomplish(&d, i)
		}
		if got := score.Score(rules(t), d); got.Figures != sign*c.want || got.GDV != score.Base(level) {
			t.Errorf("%s, level %d, announced %v, made %v: %d besides %d, want %d", i, level, c.announced, c.made, got.Figures, got.GDV, sign*c.want)
		}
	}
}

// accomplish lets a side make one of the four figures that no points and no number of
// tricks make.
func accomplish(d *score.Deal, i score.Item) {
	switch i.Figure {
	case score.Trull:
		d.Trull = i.Side
	case score.FourKings:
		d.Kings = i.Side
	case score.Ultimo:
		d.Pagat, d.NinthTrick = i.Side, score.Won
	case score.XXICapture:
		d.Captured = i.Side
	}
}

// R-CON-2: a step that does not double.
func TestContraLadder(t *testing.T) {
	for step, want := range vectors[[6]int](t, "contra_ladder_one_game") {
		d := facts{Bid: 2, Points: 50, Tricks: 5, Contra: map[score.Item]int{score.TheGame: step}}.deal()
		s := score.Score(rules(t), d)
		if s.V != want || len(s.Lines) != 1 || s.Lines[0].Contra != step {
			t.Errorf("step %d: %v, want %d", step, s, want)
		}
	}
}

// R-SC-1, R-SC-2, R-SC-3: a point too many or too few for the game or a double,
// of either side.
func TestThresholds(t *testing.T) {
	want := vectors[struct {
		Total      int `json:"total"`
		DecWins    int `json:"dec_wins_from"`
		DefWins    int `json:"def_wins_from"`
		DoubleFrom int `json:"double_from"`
		DoubleLeft int `json:"double_other_max"`
	}](t, "thresholds")
	for points := range want.Total + 1 {
		v := score.Score(rules(t), facts{Points: points, Tricks: 5}.deal()).V
		def := want.Total - points
		if (v > 0) != (points >= want.DecWins) || (v < 0) != (def >= want.DefWins) {
			t.Errorf("%d points: %d", points, v)
		}
		if (v == 2) != (points >= want.DoubleFrom) || (v == 2) != (def <= want.DoubleLeft) {
			t.Errorf("%d points, double of the declarer: %d", points, v)
		}
		if (v == -2) != (def >= want.DoubleFrom) || (v == -2) != (points <= want.DoubleLeft) {
			t.Errorf("%d points, double of the opponents: %d", points, v)
		}
	}
}

// The table of section 15.6: each of the 48 cells, for each base value.
func TestMultipliers(t *testing.T) {
	rows := vectors[[]struct {
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
	}](t, "multipliers")
	for _, row := range rows {
		contra := map[score.Item]int{score.TheGame: row.Game}
		announce(contra, score.Dec, row.Dec)
		announce(contra, score.Def, row.Def)
		if row.Double > 0 {
			contra[score.Item{Side: score.Dec, Figure: score.Double}] = row.Double
		}
		for _, c := range []struct{ low, high, tricks, want int }{
			{0, 22, 0, row.None}, {0, 23, 2, row.Le23}, {24, 47, 4, row.Le47}, {48, 70, 5, row.Le70}, {71, 94, 7, row.Ge71}, {72, 94, 9, row.All},
		} {
			for _, points := range []int{c.low, c.high} {
				for l := range levels {
					d := facts{Bid: level(l), Points: points, Tricks: c.tricks, Contra: contra}.deal()
					if got, want := score.Score(rules(t), d).GDV, c.want*score.Base(l); got != want {
						t.Errorf("%s, %d points, %d tricks, %s: %d, want %d", row.Row, points, c.tricks, levels[l], got, want)
					}
				}
			}
		}
	}
	if len(rows) != 8 {
		t.Errorf("%d rows", len(rows))
	}
}

// announce adds figures written as "double+volat".
func announce(contra map[score.Item]int, side score.Side, figures string) {
	for _, f := range strings.FieldsFunc(figures, func(r rune) bool { return r == '+' }) {
		contra[score.Item{Side: side, Figure: score.Figure(f)}] = 0
	}
}

// SCO-01 to SCO-18.
func TestScores(t *testing.T) {
	list := vectors[[]struct {
		facts
		Announced map[score.Side][]score.Figure `json:"announced"`
		Kings     score.Side                    `json:"four_kings_made_by"`
		Trull     score.Side                    `json:"trull_made_by"`
		Captured  score.Side                    `json:"xxi_captured_by"`
		Pagat     *struct {
			Holder score.Side `json:"holder_side"`
			Trick9 string     `json:"trick9"`
		} `json:"pagat"`
		Expect struct {
			GDV     int  `json:"gdv"`
			Figures int  `json:"figures"`
			V       *int `json:"V"`
		} `json:"expect"`
	}](t, "scores")
	for _, c := range list {
		d := c.deal()
		for side, figures := range c.Announced {
			for _, f := range figures {
				i := score.Item{Side: side, Figure: f}
				d.Contra[i] = c.Contra[i]
			}
		}
		d.Kings, d.Trull, d.Captured = c.Kings, c.Trull, c.Captured
		if c.Pagat != nil {
			d.Pagat = c.Pagat.Holder
			fate, known := map[string]score.Fate{"not_played": score.NotPlayed, "won": score.Won, "lost": score.Lost}[c.Pagat.Trick9]
			if !known {
				t.Fatalf("%s: trick9 is %q", c.ID, c.Pagat.Trick9)
			}
			d.NinthTrick = fate
		}
		want := c.Expect.GDV + c.Expect.Figures
		if c.Expect.V != nil && *c.Expect.V != want {
			t.Fatalf("%s: the vector contradicts itself", c.ID)
		}
		if s := score.Score(rules(t), d); s.GDV != c.Expect.GDV || s.Figures != c.Expect.Figures || s.V != want {
			t.Errorf("%s (%s): %d and %d, together %d, want %+v", c.ID, c.Note, s.GDV, s.Figures, s.V, c.Expect)
		}
	}
	if len(list) != 18 {
		t.Errorf("%d vectors", len(list))
	}
}

// OPS-01 to OPS-08: an option that does nothing, or something by default.
func TestOptionScores(t *testing.T) {
	list := vectors[[]struct {
		facts
		Option    string                        `json:"option"`
		Value     string                        `json:"value"`
		Announced map[score.Side][]score.Figure `json:"announced"`
		Want      int                           `json:"expect_gdv"`
		Default   int                           `json:"default_gdv"`
	}](t, "option_scores")
	for _, c := range list {
		d := c.deal()
		for side, figures := range c.Announced {
			for _, f := range figures {
				d.Contra[score.Item{Side: side, Figure: f}] = 0
			}
		}
		with := rules(t, option(t, c.Option), strings.ReplaceAll(c.Value, "_", "-"))
		if got := score.Score(with, d).GDV; got != c.Want {
			t.Errorf("%s: %s=%s: %d, want %d", c.ID, c.Option, c.Value, got, c.Want)
		}
		if got := score.Score(rules(t), d).GDV; got != c.Default {
			t.Errorf("%s: default: %d, want %d", c.ID, got, c.Default)
		}
	}
	if len(list) != 8 {
		t.Errorf("%d vectors", len(list))
	}
}

// PAY-01 to PAY-07.
func TestPayments(t *testing.T) {
	list := vectors[[]struct {
		ID         string       `json:"id"`
		Src        string       `json:"src"`
		Note       string       `json:"note"`
		V          *int         `json:"V"`
		Alone      bool         `json:"alone"`
		Declarer   seat         `json:"declarer"`
		Partner    *seat        `json:"partner"`
		Count      map[seat]int `json:"count"`
		Trial      *level       `json:"trial_lost_bid"`
		Multiplier *int         `json:"multiplier"`
		Expect     map[seat]int `json:"expect"`
	}](t, "payments")
	for _, c := range list {
		var counts [4]int
		for s, n := range c.Count {
			counts[s] = n
		}
		got := score.CountPay(counts)
		if c.V != nil {
			d := score.Deal{Declarer: int(c.Declarer), Partner: score.Alone}
			if c.Partner != nil {
				d.Partner = int(*c.Partner)
			}
			if c.Alone != (c.Partner == nil) {
				t.Fatalf("%s: the vector contradicts itself", c.ID)
			}
			got = got.Plus(score.Pay(rules(t), d, *c.V))
		}
		if c.Trial != nil {
			got = got.Plus(score.Trial(rules(t), int(*c.Trial), int(c.Declarer)))
		}
		if c.Multiplier != nil {
			got = got.Times(*c.Multiplier)
		}
		if got != payments(c.Expect) || len(c.Expect) != 4 {
			t.Errorf("%s: %v, want %v", c.ID, got, c.Expect)
		}
	}
	if len(list) != 7 {
		t.Errorf("%d vectors", len(list))
	}
}

// LAT-01.
func TestLateCount(t *testing.T) {
	list := vectors[[]struct {
		ID       string       `json:"id"`
		Src      string       `json:"src"`
		Declarer seat         `json:"declarer"`
		Partner  seat         `json:"partner"`
		Claimant seat         `json:"claimant"`
		Tarokks  int          `json:"tarokks"`
		V        int          `json:"V"`
		Expect   map[seat]int `json:"expect"`
	}](t, "late_count")
	for _, c := range list {
		l := score.Late{Deal: score.Deal{Declarer: int(c.Declarer), Partner: int(c.Partner)}, V: c.V}
		l.Tarokks[c.Claimant] = c.Tarokks
		if got := l.Claimants(rules(t)); !slices.Equal(got, []int{int(c.Claimant)}) {
			t.Errorf("%s: claims by %v", c.ID, got)
		}
		if got := l.Pay(int(c.Claimant)); got != payments(c.Expect) || len(c.Expect) != 4 {
			t.Errorf("%s: %v, want %v", c.ID, got, c.Expect)
		}
	}
	if len(list) != 1 {
		t.Errorf("%d vectors", len(list))
	}
}

// multipliers are those of the completed deals D; X is a deal thrown in.
func multipliers(r ruleset.Rules, members int, events string) []int {
	rounds, list := score.Rounds{}, []int{}
	for _, event := range strings.Fields(events) {
		if event == "X" {
			rounds = rounds.ThrownIn(r, members)
			continue
		}
		list = append(list, rounds.Multiplier())
		rounds = rounds.Completed()
	}
	return list
}
