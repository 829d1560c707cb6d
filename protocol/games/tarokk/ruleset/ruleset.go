// Package ruleset is what a table of Hungarian tarokk agrees on: the options of
// the book (OPT-…), the ambiguities that clubs settle differently (AMB-…), and
// the presets. A rule set is plain data in the table's genesis entry: only what
// differs from the preset is written there, and [Diff] shows two of them side by
// side.
//
// [Parse] refuses what makes no sense together. It says nothing of how a rule is
// played: that is the business of the packages beside it.
package ruleset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// Rules are the rules of a table. The JSON names are the names of the options.
type Rules struct {
	RedLow          string `json:"red-low"`
	DealKnock       bool   `json:"deal-knock"`
	SeatDraw        bool   `json:"seat-draw"`
	Ending          string `json:"ending"`
	ThrowIn         string `json:"throw-in"`
	BidHold         string `json:"bid-hold"`
	RaiseSole       bool   `json:"raise-sole"`
	TrialLevel      string `json:"trial-level"`
	TrialPays       string `json:"trial-pays"`
	Conventions     bool   `json:"conventions"`
	SoloJump        string `json:"solo-jump"`
	FirstBid        string `json:"first-bid"`
	InvitCommit     string `json:"invit-commit"`
	InvitTo         string `json:"invit-to"`
	HoldRefuses     bool   `json:"hold-refuses"`
	XVII            string `json:"xvii"`
	YieldShows      string `json:"yield-shows"`
	UltimoDuty      string `json:"ultimo-duty"`
	DiscardXX       string `json:"discard-xx"`
	FreeCall        string `json:"free-call"`
	DiscardAnnounce string `json:"discard-announce"`
	AnnulHands      string `json:"annul-hands"`
	AnnulTarokk     string `json:"annul-after-tarokk"`
	AnnulTime       string `json:"annul-time"`
	DVSameTurn      bool   `json:"double-volat-same-turn"`
	DVSamePlayer    bool   `json:"double-volat-same-player"`
	CountSide       string `json:"count-side"`
	CountPais       bool   `json:"count-pais"`
	ForcedContra    string `json:"forced-contra"`
	Retention       string `json:"pagat-retention"`
	ScoreGDV        string `json:"score-gdv"`
	DefSilent       string `json:"defenders-silent"`
	ContraVolat     string `json:"contra-volat"`
	VolatTrull      string `json:"volat-trull"`
	DoubleKings     string `json:"double-kings"`
	ContraTie       int    `json:"contra-tie"`
	KingsSilent     int    `json:"kings-silent"`
	KingsAnnounced  int    `json:"kings-announced"`
	UltimoSilent    int    `json:"ultimo-silent"`
	UltimoAnnounced int    `json:"ultimo-announced"`
	XXISilent       int    `json:"xxi-silent"`
	XXIAnnounced    int    `json:"xxi-announced"`
	UltimoPool      bool   `json:"ultimo-pool"`
	LateCount       string `json:"late-count"`
	TalonFee        bool   `json:"talon-fee"`
	DealerWeeps     bool   `json:"dealer-weeps"`
}

// Option is one of them. Field points into a rule set: *string, *bool or *int.
type Option struct {
	Name    string
	Source  string   // where the specification speaks of it
	Values  []string // of a word
	Meaning string
	field   func(*Rules) any
}

// Options lists all options, in the order in which a game meets them.
func Options() []Option { return slices.Clone(options) }

var options = []Option{
	{"red-low", "OPT-DECK-RED-LOW", []string{"ace", "four"}, "the lowest red card; of no consequence",
		func(r *Rules) any { return &r.RedLow }},
	{"seat-draw", "R-SEAT-4, AMB-27", nil, "seats are drawn before the first deal, or else are as in the genesis entry",
		func(r *Rules) any { return &r.SeatDraw }},
	{"ending", "R-SESS-1, R-SESS-4", []string{"deals", "skiz"}, "the session lasts as many deals as the genesis entry says, or members may end it before: by the skíz procedure, or by agreement",
		func(r *Rules) any { return &r.Ending }},
	{"deal-knock", "OPT-DEAL-KNOCK", nil, "the dealer's left neighbour may knock; then the players choose packets of nine",
		func(r *Rules) any { return &r.DealKnock }},
	{"throw-in", "OPT-THROWIN", []string{"overlap", "none", "queue", "quad"}, "what a thrown-in deal does to the deals after it",
		func(r *Rules) any { return &r.ThrowIn }},
	{"bid-hold", "OPT-BID-HOLD", []string{"new", "old"}, "old: only the bid of a player whose first turn came later may be held",
		func(r *Rules) any { return &r.BidHold }},
	{"raise-sole", "OPT-BID-RAISE-SOLE", nil, "who bid three alone may raise to two or one before the talon",
		func(r *Rules) any { return &r.RaiseSole }},
	{"trial-level", "AMB-03", []string{"any", "three"}, "the levels at which the fourth player may bid without an honour",
		func(r *Rules) any { return &r.TrialLevel }},
	{"trial-pays", "R-BID-16, BGA-6", []string{"base", "two"}, "what a lost trial pays to each other player: the base value of the bid, or two",
		func(r *Rules) any { return &r.TrialPays }},
	{"conventions", "OPT-CONV", nil, "invits and the yielded game are played",
		func(r *Rules) any { return &r.Conventions }},
	{"solo-jump", "OPT-CONV-SOLO-JUMP, BGA-1", []string{"new", "old", "bga"}, "old: every jump to solo shows XVIII; bga: the same, but none after three, two, hold",
		func(r *Rules) any { return &r.SoloJump }},
	{"first-bid", "OPT-CONV-FIRST-BID, BGA-3", []string{"invit", "never", "withdrawn"}, "whether an opening two or one is an invit; withdrawn: only if its bidder passes once another bid",
		func(r *Rules) any { return &r.FirstBid }},
	{"invit-commit", "OPT-CONV-COMMIT", []string{"always", "if-other-declares"}, "when the inviter must hold the card he shows",
		func(r *Rules) any { return &r.InvitCommit }},
	{"invit-to", "OPT-CONV-ADDRESSEE", []string{"any", "bidder-hold"}, "bidder-hold: an invit is made only to a player who has bid, and is accepted only by holding",
		func(r *Rules) any { return &r.InvitTo }},
	{"hold-refuses", "BGA-2", nil, "three, two, one shows XVIII, is accepted by bidding solo and refused by holding",
		func(r *Rules) any { return &r.HoldRefuses }},
	{"xvii", "OPT-CONV-XVII", []string{"off", "pais"}, "pais: a jump on the second turn shows XVII and a big honour",
		func(r *Rules) any { return &r.XVII }},
	{"yield-shows", "R-CONV-11, BGA-4", []string{"big-honour", "honour"}, "what the yielding pass shows besides the XX; honour: without a big one the yielder must announce pagátultimó",
		func(r *Rules) any { return &r.YieldShows }},
	{"ultimo-duty", "R-CONV-8, AMB-06", []string{"dealt", "exchanged"}, "the cards in which a big honour frees an inviter from announcing pagátultimó: as dealt, or after the exchange",
		func(r *Rules) any { return &r.UltimoDuty }},
	{"discard-xx", "OPT-DISC-XX, BGA-8", []string{"allowed", "forbidden", "uninvited"}, "whether the XX may be discarded; uninvited: not unless an invit is binding",
		func(r *Rules) any { return &r.DiscardXX }},
	{"free-call", "OPT-CALL-AFTER-TDISC, BGA-8", []string{"any", "none"}, "whether a tarokk discarded by another player frees the declarer's call",
		func(r *Rules) any { return &r.FreeCall }},
	{"discard-announce", "OPT-DISC-ANNOUNCE", []string{"after-discard", "first-turn"}, "when players say how many tarokks they discarded",
		func(r *Rules) any { return &r.DiscardAnnounce }},
	{"annul-hands", "OPT-ANNUL-HANDS", nil, "the letters of the hands that may be annulled, of abcde",
		func(r *Rules) any { return &r.AnnulHands }},
	{"annul-after-tarokk", "OPT-ANNUL-AFTER-TDISC", []string{"kings", "all"}, "the hands that may be annulled by a player who discarded a tarokk",
		func(r *Rules) any { return &r.AnnulTarokk }},
	{"annul-time", "R-ANN-1, BGA-5", []string{"after-discard", "before-discard"}, "when hands may be annulled",
		func(r *Rules) any { return &r.AnnulTime }},
	{"double-volat-same-turn", "OPT-DV-SAME-TURN", nil, "double and volát may be announced in one turn",
		func(r *Rules) any { return &r.DVSameTurn }},
	{"double-volat-same-player", "OPT-DV-SAME-PLAYER", nil, "one player may announce both double and volát",
		func(r *Rules) any { return &r.DVSamePlayer }},
	{"count-side", "OPT-COUNT-SIDE", []string{"neutral", "figure"}, "figure: a count shows the side as a figure does",
		func(r *Rules) any { return &r.CountSide }},
	{"count-pais", "OPT-COUNT-PAIS", nil, "who announces or contras anything must announce his count; the partner only once he is known",
		func(r *Rules) any { return &r.CountPais }},
	{"forced-contra", "OPT-FORCED-CONTRA-SPOKEN", []string{"silent", "spoken"}, "spoken: the discarder of the called card says that his contra is compulsory",
		func(r *Rules) any { return &r.ForcedContra }},
	{"pagat-retention", "R-PLAY-7, AMB-15", []string{"announcers", "any-holder"}, "whom an announced pagátultimó forbids to play the pagát early",
		func(r *Rules) any { return &r.Retention }},
	{"score-gdv", "OPT-SCORE-GDV", []string{"six-rules", "exclusive"}, "how game, double and volát are scored together",
		func(r *Rules) any { return &r.ScoreGDV }},
	{"defenders-silent", "OPT-SCORE-DEF-SILENT", []string{"always", "contra-only"}, "whether defenders score a silent double or volát in a game that was not contra'd",
		func(r *Rules) any { return &r.DefSilent }},
	{"contra-volat", "OPT-SCORE-CONTRA-VOLAT", []string{"add", "triple"}, "triple: a silent volát makes a contra'd game threefold",
		func(r *Rules) any { return &r.ContraVolat }},
	{"volat-trull", "OPT-SCORE-VOLAT-TRULL", []string{"neither", "trull"}, "the silent figures that are scored besides a volát",
		func(r *Rules) any { return &r.VolatTrull }},
	{"double-kings", "BGA-9", []string{"scored", "not"}, "whether silent four kings are scored besides a silent double",
		func(r *Rules) any { return &r.DoubleKings }},
	{"contra-tie", "OPT-SCORE-CONTRA-TIE", []string{"47", "48"}, "the points with which the defenders win a contra'd game",
		func(r *Rules) any { return &r.ContraTie }},
	{"kings-silent", "OPT-VAL-KINGS", nil, "value of four kings", func(r *Rules) any { return &r.KingsSilent }},
	{"kings-announced", "OPT-VAL-KINGS", nil, "value of four kings, announced", func(r *Rules) any { return &r.KingsAnnounced }},
	{"ultimo-silent", "OPT-VAL-ULTIMO", nil, "value of pagátultimó", func(r *Rules) any { return &r.UltimoSilent }},
	{"ultimo-announced", "OPT-VAL-ULTIMO", nil, "value of pagátultimó, announced", func(r *Rules) any { return &r.UltimoAnnounced }},
	{"xxi-silent", "OPT-VAL-XXI", nil, "value of the capture of the XXI", func(r *Rules) any { return &r.XXISilent }},
	{"xxi-announced", "OPT-VAL-XXI", nil, "value of the capture of the XXI, announced", func(r *Rules) any { return &r.XXIAnnounced }},
	{"ultimo-pool", "BGA-7", nil, "thrown-in deals and lost trials pay into a pool, which an announced pagátultimó wins",
		func(r *Rules) any { return &r.UltimoPool }},
	{"late-count", "R-CNT-5, AMB-19", []string{"covered", "always", "never"}, "whether a count that was not announced may be claimed from the partner after play",
		func(r *Rules) any { return &r.LateCount }},
	{"talon-fee", "OPT-TALON-HONOUR-FEE", nil, "five members: who drew an honour from the talon pays the dealer",
		func(r *Rules) any { return &r.TalonFee }},
	{"dealer-weeps", "OPT-DEALER-WEEPS, AMB-26", nil, "five members: the dealer wins and loses with the opponents, against the declarer",
		func(r *Rules) any { return &r.DealerWeeps }},
}

// maxValue bounds a figure's value.
const maxValue = 1_000

// Parse reads the options of a genesis entry: a preset, and what differs from it.
func Parse(c table.Config) (Rules, error) {
	o := table.ReadOptions(c)
	r := presets[o.Choice("preset", Presets()...)]
	for _, option := range options {
		option.read(o, &r)
	}
	if err := o.Err(); err != nil {
		return Rules{}, err
	}
	if c.Seats != 4 && c.Seats != 5 {
		return Rules{}, fmt.Errorf("R-SEAT-1: %d members: a table has 4 or 5", c.Seats)
	}
	return r, r.consistent(c.Seats)
}

func (option Option) read(o *table.Options, r *Rules) {
	switch f := option.field(r).(type) {
	case *bool:
		*f = o.Bool(option.Name, *f)
	case *string:
		*f = o.Choice(option.Name, defaultFirst(*f, option.words())...)
	case *int:
		if option.Values != nil {
			*f, _ = strconv.Atoi(o.Choice(option.Name, defaultFirst(strconv.Itoa(*f), option.Values)...))
			return
		}
		*f = o.Int(option.Name, *f, 0, maxValue)
	}
}

// words are the values of an option: for annul-hands all sets of letters.
func (option Option) words() []string {
	if option.Name != "annul-hands" {
		return option.Values
	}
	sets := []string{""}
	for _, letter := range "abcde" {
		for _, s := range sets {
			sets = append(sets, s+string(letter))
		}
	}
	return sets
}

func defaultFirst(v string, values []string) []string {
	return append([]string{v}, slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == v })...)
}

// consistent refuses options that make no sense together.
func (r Rules) consistent(seats int) error {
	conflicts := []struct {
		is  bool
		why string
	}{
		{!r.Conventions && (r.SoloJump != "new" || r.FirstBid != "invit" || r.InvitCommit != "always" || r.InvitTo != "any" ||
			r.HoldRefuses || r.XVII != "off" || r.YieldShows != "big-honour"), "conventions=false leaves nothing for solo-jump, first-bid, invit-commit, invit-to, hold-refuses, xvii and yield-shows to change"},
		{!r.Conventions && r.DiscardXX == "uninvited", "conventions=false knows no invit: discard-xx must be allowed or forbidden"},
		{r.HoldRefuses && r.InvitTo == "bidder-hold", "hold-refuses=true and invit-to=bidder-hold leave no answer to an invit that accepts it"},
		{r.HoldRefuses && r.XVII == "pais", "hold-refuses=true and xvii=pais both say what three, two, one shows"},
		{r.DiscardAnnounce == "first-turn" && r.FreeCall != "none", "discard-announce=first-turn tells the declarer nothing before the call: free-call must be none (OPT-DISC-ANNOUNCE)"},
		{r.AnnulTime == "before-discard" && strings.ContainsAny(r.AnnulHands, "ce"), "annul-time=before-discard knows the hands a, b and d alone (BGA-5)"},
		{r.AnnulTime == "before-discard" && r.AnnulTarokk != "kings", "annul-time=before-discard comes before any tarokk is discarded: leave out annul-after-tarokk"},
		{r.DVSameTurn && !r.DVSamePlayer, "double-volat-same-turn=true needs double-volat-same-player=true"},
		{r.KingsAnnounced < r.KingsSilent, "kings-announced must not be below kings-silent"},
		{r.UltimoAnnounced < r.UltimoSilent, "ultimo-announced must not be below ultimo-silent"},
		{r.XXIAnnounced < r.XXISilent, "xxi-announced must not be below xxi-silent"},
		{seats == 4 && (r.TalonFee || r.DealerWeeps), "talon-fee and dealer-weeps need five members"},
	}
	for _, c := range conflicts {
		if c.is {
			return fmt.Errorf("options: %s", c.why)
		}
	}
	return nil
}

// Value is an option's value in r, as it is written in a genesis entry.
func (option Option) Value(r Rules) string {
	switch f := option.field(&r).(type) {
	case *bool:
		return strconv.FormatBool(*f)
	case *int:
		return strconv.Itoa(*f)
	case *string:
		return *f
	}
	panic("ruleset: option " + option.Name + " points at no word, number or truth value")
}

// Difference is an option that two rule sets set differently.
type Difference struct {
	Option
	A, B string
}

// Diff lists in what a and b differ.
func Diff(a, b Rules) []Difference {
	var list []Difference
	for _, o := range options {
		if va, vb := o.Value(a), o.Value(b); va != vb {
			list = append(list, Difference{o, va, vb})
		}
	}
	return list
}
