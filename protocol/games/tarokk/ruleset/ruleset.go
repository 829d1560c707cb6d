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

// Option is one of them.
type Option struct {
	Name    string
	Source  string   // where the specification speaks of it
	Values  []string // of a word, the book's first
	Meaning string   // what each value does, of a truth value what true does: Markdown
	field   func(*Rules) any
}

// Options lists all options, in the order in which a game meets them.
func Options() []Option { return slices.Clone(options) }

var options = []Option{
	{"red-low", "OPT-DECK-RED-LOW", []string{"ace", "four"}, "the lowest red cards: the aces, `HA` and `DA`, or the fours, `H4` and `D4`. Names differ and nothing else (R-CARD-9)",
		func(r *Rules) any { return &r.RedLow }},
	{"seat-draw", "R-SEAT-4, AMB-27", nil, "seats are drawn before the first deal (PAK-2); `false`: members sit in the order of the genesis entry",
		func(r *Rules) any { return &r.SeatDraw }},
	{"ending", "R-SESS-1, R-SESS-4", []string{"deals", "skiz"}, "`deals`: the session has as many deals as the genesis entry says; `skiz`: members may end it before that (PAK-1)",
		func(r *Rules) any { return &r.Ending }},
	{"deal-knock", "OPT-DEAL-KNOCK", nil, "the dealer's left neighbour may knock; then the players choose packets of nine, clockwise from him (61.18.3)",
		func(r *Rules) any { return &r.DealKnock }},
	{"throw-in", "OPT-THROWIN", []string{"overlap", "none", "queue", "quad"}, "what a thrown-in deal does. `overlap`: R-ROUND-1 to R-ROUND-3; `none`: no double round, and the next member deals, though no deal was completed; `queue`: if a double round runs, n deals are added to it, so that nothing is paid fourfold; `quad`: if any runs, two rounds of n deals run from now on, in place of all before",
		func(r *Rules) any { return &r.ThrowIn }},
	{"bid-hold", "OPT-BID-HOLD", []string{"new", "old"}, "whose bid may be held. `new`: any other player's; `old`: that of a player after oneself in the order A to D",
		func(r *Rules) any { return &r.BidHold }},
	{"raise-sole", "OPT-BID-RAISE-SOLE", nil, "if three is the one positive call and the other three passed, the last of them after it, its bidder speaks once more: pass, two or one, which shows nothing (PAK-12)",
		func(r *Rules) any { return &r.RaiseSole }},
	{"trial-level", "AMB-03", []string{"any", "three"}, "which bids of the fourth player after three passes need no honour and are a trial. `any`: all; `three`: three alone",
		func(r *Rules) any { return &r.TrialLevel }},
	{"trial-pays", "R-BID-16, BGA-6", []string{"base", "two"}, "what a lost trial pays to each other player. `base`: the base value of the bid; `two`: 2. With `ultimo-pool` it pays nothing but 8 into the pool",
		func(r *Rules) any { return &r.TrialPays }},
	{"conventions", "OPT-CONV", nil, "invits and the yielded game are played; `false`: no call shows a tarokk and no pass is conventional",
		func(r *Rules) any { return &r.Conventions }},
	{"solo-jump", "OPT-CONV-SOLO-JUMP, BGA-1", []string{"new", "old", "bga"}, "what a jump to solo shows. `new`: as any other jump of so many steps; `old`: XVIII, however short; `bga`: as `old`, but nothing if the positive calls before it were three, two, hold. An opening solo shows nothing (R-CONV-3)",
		func(r *Rules) any { return &r.SoloJump }},
	{"first-bid", "OPT-CONV-FIRST-BID, BGA-3", []string{"invit", "never", "withdrawn"}, "what an opening two or one shows. `invit`: R-CONV-2; `never`: nothing; `withdrawn`: R-CONV-2, but it counts only if its bidder makes no other positive call, and his card is proved when that is certain (62.4.1)",
		func(r *Rules) any { return &r.FirstBid }},
	{"invit-commit", "OPT-CONV-COMMIT", []string{"always", "if-other-declares"}, "when the inviter proves his card. `always`: with the jump; `if-other-declares`: with his pass after it, or when another has become declarer (PAK-4), and not at all if he declares himself",
		func(r *Rules) any { return &r.InvitCommit }},
	{"invit-to", "OPT-CONV-ADDRESSEE", []string{"any", "bidder-hold"}, "`any`: R-CONV-1; `bidder-hold`: a jump is an invit only if another player, who has bid and not passed, could hold it; and it binds only if the next positive call is a hold",
		func(r *Rules) any { return &r.InvitTo }},
	{"hold-refuses", "BGA-2", nil, "a one over three and two by the player who bid three shows XVIII; if the next positive call holds it, the invit never binds (PAK-11)",
		func(r *Rules) any { return &r.HoldRefuses }},
	{"xvii", "OPT-CONV-XVII", []string{"off", "pais"}, "`off`: no call shows XVII; `pais`: a jump of one step by a player who has made a positive call before shows XVII and a big honour, whatever else it would show; another who declares must call XVII",
		func(r *Rules) any { return &r.XVII }},
	{"yield-shows", "R-CONV-11, BGA-4", []string{"big-honour", "honour"}, "what the yielding pass shows besides the XX. `big-honour`: R-CONV-11; `honour`: nothing more, but who yields must announce pagátultimó or prove a big honour, as after an invit (R-CONV-8)",
		func(r *Rules) any { return &r.YieldShows }},
	{"ultimo-duty", "R-CONV-8, AMB-06", []string{"dealt", "exchanged"}, "the nine cards in which a big honour frees from announcing pagátultimó (R-CONV-8). `dealt`: those dealt; `exchanged`: those after the discard",
		func(r *Rules) any { return &r.UltimoDuty }},
	{"discard-xx", "OPT-DISC-XX, BGA-8", []string{"allowed", "forbidden", "uninvited"}, "whether the XX may be discarded. `allowed`: unless it must be called; `forbidden`: never; `uninvited`: only if a binding invit names another card",
		func(r *Rules) any { return &r.DiscardXX }},
	{"free-call", "OPT-CALL-AFTER-TDISC, BGA-8", []string{"any", "none"}, "`any`: R-CALL-5; `none`: a tarokk in another player's discard frees nothing",
		func(r *Rules) any { return &r.FreeCall }},
	{"discard-announce", "OPT-DISC-ANNOUNCE", []string{"after-discard", "first-turn"}, "when players say which discards are tarokks. `after-discard`: R-DISC-6; `first-turn`: with their first turn of the announcements, the declarer before he calls",
		func(r *Rules) any { return &r.DiscardAnnounce }},
	{"annul-hands", "OPT-ANNUL-HANDS", nil, "the hands of R-ANN-1 that may be annulled, by letter; none if empty",
		func(r *Rules) any { return &r.AnnulHands }},
	{"annul-after-tarokk", "OPT-ANNUL-AFTER-TDISC", []string{"kings", "all"}, "what may be annulled by a player who discarded a tarokk. `kings`: (a) alone; `all`: any of them",
		func(r *Rules) any { return &r.AnnulTarokk }},
	{"annul-time", "R-ANN-1, BGA-5", []string{"after-discard", "before-discard"}, "`after-discard`: when discards have been disclosed, and before them under `discard-announce=first-turn`; `before-discard`: when cards were drawn, of all cards in hand",
		func(r *Rules) any { return &r.AnnulTime }},
	{"double-volat-same-turn", "OPT-DV-SAME-TURN", nil, "one turn may announce double and after it volát",
		func(r *Rules) any { return &r.DVSameTurn }},
	{"double-volat-same-player", "OPT-DV-SAME-PLAYER", nil, "one player may announce both for his side",
		func(r *Rules) any { return &r.DVSamePlayer }},
	{"count-side", "OPT-COUNT-SIDE", []string{"neutral", "figure"}, "`neutral`: R-CNT-6; `figure`: a count shows the side as a figure does, and sets `lastSide`",
		func(r *Rules) any { return &r.CountSide }},
	{"count-pais", "OPT-COUNT-PAIS", nil, "a figure or a contra obliges its speaker to announce eight or nine tarokks in the same turn or before; a count puts a player whose side is not public on DEF, and may come anywhere in a turn, but for the declarer's. With `count-side=figure` it is refused to a player whom it would put on DEC",
		func(r *Rules) any { return &r.CountPais }},
	{"forced-contra", "OPT-FORCED-CONTRA-SPOKEN", []string{"silent", "spoken"}, "`silent`: R-CALL-8; `spoken`: a contra that R-CALL-8 demands must be `compulsory:game` (PAK-10)",
		func(r *Rules) any { return &r.ForcedContra }},
	{"pagat-retention", "R-PLAY-7, AMB-15", []string{"announcers", "any-holder"}, "whom an announced pagátultimó binds (R-PLAY-6). `announcers`: R-PLAY-7; `any-holder`: everybody",
		func(r *Rules) any { return &r.Retention }},
	{"score-gdv", "OPT-SCORE-GDV", []string{"six-rules", "exclusive"}, "`six-rules`: R-SC-11; `exclusive`: besides, a game without contra is not scored if either side announced double or volát, and no silent double if the other side announced volát",
		func(r *Rules) any { return &r.ScoreGDV }},
	{"defenders-silent", "OPT-SCORE-DEF-SILENT", []string{"always", "contra-only"}, "`always`: R-SC-11; `contra-only`: DEF scores no silent double or volát unless the game was contra'd (PAK-7)",
		func(r *Rules) any { return &r.DefSilent }},
	{"contra-volat", "OPT-SCORE-CONTRA-VOLAT", []string{"add", "triple"}, "a silent volát in a contra'd game. `add`: 3b (R-SC-11); `triple`: 2b·2^k(game), so that with the game it is three times the game",
		func(r *Rules) any { return &r.ContraVolat }},
	{"volat-trull", "OPT-SCORE-VOLAT-TRULL", []string{"neither", "trull"}, "silent trull and four kings with a volát of either side. `neither`: not scored (R-SC-13); `trull`: trull is, four kings are not",
		func(r *Rules) any { return &r.VolatTrull }},
	{"double-kings", "BGA-9", []string{"scored", "not"}, "silent four kings where a silent double is scored. `scored`: R-SC-12; `not`: left out (PAK-6)",
		func(r *Rules) any { return &r.DoubleKings }},
	{"contra-tie", "OPT-SCORE-CONTRA-TIE", []string{"47", "48"}, "points with which DEF wins a contra'd game",
		func(r *Rules) any { return &r.ContraTie }},
	{"kings-silent", "OPT-VAL-KINGS", nil, "value of four kings, silent (R-SC-12)", func(r *Rules) any { return &r.KingsSilent }},
	{"kings-announced", "OPT-VAL-KINGS", nil, "value of four kings, announced", func(r *Rules) any { return &r.KingsAnnounced }},
	{"ultimo-silent", "OPT-VAL-ULTIMO", nil, "value of pagátultimó, silent (R-SC-14)", func(r *Rules) any { return &r.UltimoSilent }},
	{"ultimo-announced", "OPT-VAL-ULTIMO", nil, "value of pagátultimó, announced", func(r *Rules) any { return &r.UltimoAnnounced }},
	{"xxi-silent", "OPT-VAL-XXI", nil, "value of the capture of the XXI, silent (R-SC-15)", func(r *Rules) any { return &r.XXISilent }},
	{"xxi-announced", "OPT-VAL-XXI", nil, "value of the capture of the XXI, announced", func(r *Rules) any { return &r.XXIAnnounced }},
	{"ultimo-pool", "BGA-7", nil, "thrown-in deals and lost trials pay into a pool, which an announced pagátultimó wins or doubles (BGA-7, PAK-5)",
		func(r *Rules) any { return &r.UltimoPool }},
	{"late-count", "R-CNT-5, AMB-19", []string{"covered", "always", "never"}, "whether a count that was not announced may be claimed after play (R-CNT-5). `covered`: if V of the deal for the claimant's side is at least 1 for eight, 2 for nine; `always`; `never`",
		func(r *Rules) any { return &r.LateCount }},
	{"talon-fee", "OPT-TALON-HONOUR-FEE", nil, "five members: who drew honours from the talon pays the dealer 3 for the skíz, 2 for the XXI, 1 for the pagát (PAK-8)",
		func(r *Rules) any { return &r.TalonFee }},
	{"dealer-weeps", "OPT-DEALER-WEEPS, AMB-26", nil, "five members: the dealer wins −V and the declarer +V besides (AMB-26)",
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

// conflicts are options that make no sense together, and why.
var conflicts = []struct {
	why string
	is  func(r Rules, seats int) bool
}{
	{"conventions=false leaves nothing for solo-jump, first-bid, invit-commit, invit-to, hold-refuses, xvii and yield-shows to change", func(r Rules, _ int) bool {
		return !r.Conventions && (r.SoloJump != "new" || r.FirstBid != "invit" || r.InvitCommit != "always" || r.InvitTo != "any" ||
			r.HoldRefuses || r.XVII != "off" || r.YieldShows != "big-honour")
	}},
	{"conventions=false knows no invit: discard-xx must be allowed or forbidden", func(r Rules, _ int) bool { return !r.Conventions && r.DiscardXX == "uninvited" }},
	{"hold-refuses=true and invit-to=bidder-hold leave no answer to an invit that accepts it", func(r Rules, _ int) bool { return r.HoldRefuses && r.InvitTo == "bidder-hold" }},
	{"hold-refuses=true and xvii=pais both say what three, two, one shows", func(r Rules, _ int) bool { return r.HoldRefuses && r.XVII == "pais" }},
	{"discard-announce=first-turn tells the declarer nothing before the call: free-call must be none (OPT-DISC-ANNOUNCE)", func(r Rules, _ int) bool {
		return r.DiscardAnnounce == "first-turn" && r.FreeCall != "none"
	}},
	{"annul-time=before-discard knows the hands a, b and d alone (BGA-5)", func(r Rules, _ int) bool {
		return r.AnnulTime == "before-discard" && strings.ContainsAny(r.AnnulHands, "ce")
	}},
	{"annul-time=before-discard comes before any tarokk is discarded: leave out annul-after-tarokk", func(r Rules, _ int) bool {
		return r.AnnulTime == "before-discard" && r.AnnulTarokk != "kings"
	}},
	{"double-volat-same-turn=true needs double-volat-same-player=true", func(r Rules, _ int) bool { return r.DVSameTurn && !r.DVSamePlayer }},
	{"kings-announced must not be below kings-silent", func(r Rules, _ int) bool { return r.KingsAnnounced < r.KingsSilent }},
	{"ultimo-announced must not be below ultimo-silent", func(r Rules, _ int) bool { return r.UltimoAnnounced < r.UltimoSilent }},
	{"xxi-announced must not be below xxi-silent", func(r Rules, _ int) bool { return r.XXIAnnounced < r.XXISilent }},
	{"talon-fee and dealer-weeps need five members", func(r Rules, seats int) bool { return seats == 4 && (r.TalonFee || r.DealerWeeps) }},
}

// consistent refuses conflicts.
func (r Rules) consistent(seats int) error {
	for _, c := range conflicts {
		if c.is(r, seats) {
			return fmt.Errorf("options: %s", c.why)
		}
	}
	return nil
}

// Conflicts lists what [Parse] refuses of options that are each allowed.
func Conflicts() []string {
	var list []string
	for _, c := range conflicts {
		list = append(list, c.why)
	}
	return list
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
