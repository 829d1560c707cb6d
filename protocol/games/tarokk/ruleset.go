package tarokk

// This is what a table of Hungarian tarokk agrees on: the options of
// the book (OPT-…), the ambiguities that clubs settle differently (AMB-…), and
// the presets. A rule set is plain data in the table's genesis entry: only what
// differs from the preset is written there.
//
// Each option overrides the rule that it names as its source, and a variant is a preset: one list of
// what it overrides of the book. An option whose values are words has a type of its own.
//
// [ParseRuleSet] refuses options that make no sense together. How a rule is played is for the other
// files to say.

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/table"
)

// RuleSet is the rules of a table. The JSON names are the names of the options.
type RuleSet struct {
	RedLow          RedLow          `json:"red-low"`
	DealKnock       bool            `json:"deal-knock"`
	SeatDraw        bool            `json:"seat-draw"`
	Ending          EndingRule      `json:"ending"`
	ThrowIn         ThrowIn         `json:"throw-in"`
	BidHold         BidHold         `json:"bid-hold"`
	RaiseSole       bool            `json:"raise-sole"`
	TrialLevel      TrialLevel      `json:"trial-level"`
	TrialPays       TrialPays       `json:"trial-pays"`
	Conventions     bool            `json:"conventions"`
	SoloJump        SoloJump        `json:"solo-jump"`
	FirstBid        FirstBid        `json:"first-bid"`
	InvitCommit     InvitCommit     `json:"invit-commit"`
	InvitTo         InvitTo         `json:"invit-to"`
	HoldRefuses     bool            `json:"hold-refuses"`
	XVII            XVIIRule        `json:"xvii"`
	YieldShows      YieldShows      `json:"yield-shows"`
	UltimoDuty      UltimoDuty      `json:"ultimo-duty"`
	DiscardXX       DiscardXX       `json:"discard-xx"`
	FreeCall        FreeCall        `json:"free-call"`
	DiscardAnnounce DiscardAnnounce `json:"discard-announce"`
	AnnulHands      string          `json:"annul-hands"`
	AnnulTarokk     AnnulTarokk     `json:"annul-after-tarokk"`
	AnnulTime       AnnulTime       `json:"annul-time"`
	DVSameTurn      bool            `json:"double-volat-same-turn"`
	DVSamePlayer    bool            `json:"double-volat-same-player"`
	CountSide       CountSide       `json:"count-side"`
	CountPais       bool            `json:"count-pais"`
	ForcedContra    ForcedContra    `json:"forced-contra"`
	Retention       Retention       `json:"pagat-retention"`
	ScoreGDV        ScoreGDV        `json:"score-gdv"`
	DefSilent       DefSilent       `json:"defenders-silent"`
	ContraVolat     ContraVolat     `json:"contra-volat"`
	VolatTrull      VolatTrull      `json:"volat-trull"`
	DoubleKings     DoubleKings     `json:"double-kings"`
	ContraTie       int             `json:"contra-tie"`
	KingsSilent     int             `json:"kings-silent"`
	KingsAnnounced  int             `json:"kings-announced"`
	UltimoSilent    int             `json:"ultimo-silent"`
	UltimoAnnounced int             `json:"ultimo-announced"`
	XXISilent       int             `json:"xxi-silent"`
	XXIAnnounced    int             `json:"xxi-announced"`
	UltimoPool      bool            `json:"ultimo-pool"`
	LateCount       LateCount       `json:"late-count"`
	TalonFee        bool            `json:"talon-fee"`
	DealerWeeps     bool            `json:"dealer-weeps"`
}

// Option is an option of the rule set.
type Option struct {
	Name    string
	Source  string   // the part of the specification that defines it
	Values  []string // for an option of words; the book's value comes first
	Meaning string   // what each value does, for a truth value what true does, in Markdown
}

// Options lists all the options, in the order in which a game meets them.
func Options() []Option { return slices.Clone(options) }

var options = []Option{
	{"red-low", "OPT-DECK-RED-LOW", wordList(RedAces, RedFours), "the lowest red cards: the aces, `HA` and `DA`, or the fours, `H4` and `D4`. Names differ and nothing else (R-CARD-9)"},
	{"seat-draw", "R-SEAT-4, AMB-27", nil, "seats are drawn before the first deal (PAK-2); `false`: members sit in the order of the genesis entry"},
	{"ending", "R-SESS-1, R-SESS-4", wordList(AfterDeals, BySkiz), "`deals`: the session has as many deals as the genesis entry says; `skiz`: members may end it before that (PAK-1)"},
	{"deal-knock", "OPT-DEAL-KNOCK", nil, "the dealer's left neighbour may knock; then the players choose packets of nine, clockwise from him (61.18.3)"},
	{"throw-in", "OPT-THROWIN", wordList(RoundsOverlap, NoDoubleRound, RoundsQueue, RoundsQuad), "what a thrown-in deal does. `overlap`: R-ROUND-1 to R-ROUND-3; `none`: no double round, and the next member deals, though no deal was completed; `queue`: if a double round runs, n deals are added to it, so that nothing is paid fourfold; `quad`: if any runs, two rounds of n deals run from now on, in place of all before"},
	{"bid-hold", "OPT-BID-HOLD", wordList(HoldAny, HoldLater), "whose bid may be held. `new`: any other player's; `old`: that of a player after oneself in the order A to D"},
	{"raise-sole", "OPT-BID-RAISE-SOLE", nil, "if three is the one positive call and the other three passed, the last of them after it, its bidder speaks once more: pass, two or one, which shows nothing (PAK-12)"},
	{"trial-level", "AMB-03", wordList(TrialAny, TrialThree), "which bids of the fourth player after three passes need no honour and are a trial. `any`: all; `three`: three alone"},
	{"trial-pays", "R-BID-16, BGA-6", wordList(PaysBase, PaysTwo), "what a lost trial pays to each other player. `base`: the base value of the bid; `two`: 2. With `ultimo-pool` it pays nothing but 8 into the pool"},
	{"conventions", "OPT-CONV", nil, "invits and the yielded game are played; `false`: no call shows a tarokk and no pass is conventional"},
	{"solo-jump", "OPT-CONV-SOLO-JUMP, BGA-1", wordList(SoloAsJump, SoloXVIII, SoloKegl), "what a jump to solo shows. `new`: as any other jump of so many steps; `old`: XVIII, however short; `bga`: as `old`, but nothing if the positive calls before it were three, two, hold. An opening solo shows nothing (R-CONV-3)"},
	{"first-bid", "OPT-CONV-FIRST-BID, BGA-3", wordList(FirstInvites, FirstNever, FirstWithdrawn), "what an opening two or one shows. `invit`: R-CONV-2; `never`: nothing; `withdrawn`: R-CONV-2, but it counts only if its bidder makes no other positive call, and his card is proved when that is certain (62.4.1)"},
	{"invit-commit", "OPT-CONV-COMMIT", wordList(ProveWithJump, ProveIfOther), "when the inviter proves his card. `always`: with the jump; `if-other-declares`: with his pass after it, or when another has become declarer (PAK-4), and not at all if he declares himself"},
	{"invit-to", "OPT-CONV-ADDRESSEE", wordList(InvitAnybody, InvitBidder), "`any`: R-CONV-1; `bidder-hold`: a jump is an invit only if another player, who has bid and not passed, could hold it; and it binds only if the next positive call is a hold"},
	{"hold-refuses", "BGA-2", nil, "a one over three and two by the player who bid three shows XVIII; if the next positive call holds it, the invit never binds (PAK-11)"},
	{"xvii", "OPT-CONV-XVII", wordList(XVIIOff, XVIIPais), "`off`: no call shows XVII; `pais`: a jump of one step by a player who has made a positive call before shows XVII and a big honour, whatever else it would show; another who declares must call XVII"},
	{"yield-shows", "R-CONV-11, BGA-4", wordList(YieldBigHonour, YieldHonour), "what the yielding pass shows besides the XX. `big-honour`: R-CONV-11; `honour`: nothing more, but who yields must announce pagátultimó or prove a big honour, as after an invit (R-CONV-8)"},
	{"ultimo-duty", "R-CONV-8, AMB-06", wordList(DutyDealt, DutyExchanged), "the nine cards in which a big honour frees from announcing pagátultimó (R-CONV-8). `dealt`: those dealt; `exchanged`: those after the discard"},
	{"discard-xx", "OPT-DISC-XX, BGA-8", wordList(XXAllowed, XXForbidden, XXUninvited), "whether the XX may be discarded. `allowed`: unless it must be called; `forbidden`: never; `uninvited`: only if a binding invit names another card"},
	{"free-call", "OPT-CALL-AFTER-TDISC, BGA-8", wordList(FreeCallAny, FreeCallNone), "`any`: R-CALL-5; `none`: a tarokk in another player's discard frees nothing"},
	{"discard-announce", "OPT-DISC-ANNOUNCE", wordList(AnnounceAfterDiscard, AnnounceFirstTurn), "when players say which discards are tarokks. `after-discard`: R-DISC-6; `first-turn`: with their first turn of the announcements, the declarer before he calls"},
	{"annul-hands", "OPT-ANNUL-HANDS", nil, "the hands of R-ANN-1 that may be annulled, by letter; none if empty"},
	{"annul-after-tarokk", "OPT-ANNUL-AFTER-TDISC", wordList(AnnulKings, AnnulAll), "what may be annulled by a player who discarded a tarokk. `kings`: (a) alone; `all`: any of them"},
	{"annul-time", "R-ANN-1, BGA-5", wordList(AnnulAfterDiscard, AnnulBeforeDiscard), "`after-discard`: when discards have been disclosed, and before them under `discard-announce=first-turn`; `before-discard`: when cards were drawn, of all cards in hand"},
	{"double-volat-same-turn", "OPT-DV-SAME-TURN", nil, "one turn may announce double and after it volát"},
	{"double-volat-same-player", "OPT-DV-SAME-PLAYER", nil, "one player may announce both for his side"},
	{"count-side", "OPT-COUNT-SIDE", wordList(CountNeutral, CountFigure), "`neutral`: R-CNT-6; `figure`: a count shows the side as a figure does, and sets `lastSide`"},
	{"count-pais", "OPT-COUNT-PAIS", nil, "a figure or a contra obliges its speaker to announce eight or nine tarokks in the same turn or before; a count puts a player whose side is not public on DEF, and may come anywhere in a turn, but for the declarer's. With `count-side=figure` it is refused to a player whom it would put on DEC"},
	{"forced-contra", "OPT-FORCED-CONTRA-SPOKEN", wordList(ContraSilent, ContraSpoken), "`silent`: R-CALL-8; `spoken`: a contra that R-CALL-8 demands must be `compulsory:game` (PAK-10)"},
	{"pagat-retention", "R-PLAY-7, AMB-15", wordList(RetainAnnouncers, RetainAnyHolder), "whom an announced pagátultimó binds (R-PLAY-6). `announcers`: R-PLAY-7; `any-holder`: everybody"},
	{"score-gdv", "OPT-SCORE-GDV", wordList(ScoredBySixRules, ScoredExclusive), "`six-rules`: R-SC-11; `exclusive`: besides, a game without contra is not scored if either side announced double or volát, and no silent double if the other side announced volát"},
	{"defenders-silent", "OPT-SCORE-DEF-SILENT", wordList(DefendersAlways, DefendersIfContra), "`always`: R-SC-11; `contra-only`: DEF scores no silent double or volát unless the game was contra'd (PAK-7)"},
	{"contra-volat", "OPT-SCORE-CONTRA-VOLAT", wordList(VolatAdds, VolatTriples), "a silent volát in a contra'd game. `add`: 3b (R-SC-11); `triple`: 2b·2^k(game), so that with the game it is three times the game"},
	{"volat-trull", "OPT-SCORE-VOLAT-TRULL", wordList(VolatNeither, VolatWithTrull), "silent trull and four kings with a volát of either side. `neither`: not scored (R-SC-13); `trull`: trull is, four kings are not"},
	{"double-kings", "BGA-9", wordList(DoubleWithKings, DoubleWithoutKings), "silent four kings where a silent double is scored. `scored`: R-SC-12; `not`: left out (PAK-6)"},
	{"contra-tie", "OPT-SCORE-CONTRA-TIE", []string{"47", "48"}, "points with which DEF wins a contra'd game"},
	{"kings-silent", "OPT-VAL-KINGS", nil, "value of four kings, silent (R-SC-12)"},
	{"kings-announced", "OPT-VAL-KINGS", nil, "value of four kings, announced"},
	{"ultimo-silent", "OPT-VAL-ULTIMO", nil, "value of pagátultimó, silent (R-SC-14)"},
	{"ultimo-announced", "OPT-VAL-ULTIMO", nil, "value of pagátultimó, announced"},
	{"xxi-silent", "OPT-VAL-XXI", nil, "value of the capture of the XXI, silent (R-SC-15)"},
	{"xxi-announced", "OPT-VAL-XXI", nil, "value of the capture of the XXI, announced"},
	{"ultimo-pool", "BGA-7", nil, "thrown-in deals and lost trials pay into a pool, which an announced pagátultimó wins or doubles (BGA-7, PAK-5)"},
	{"late-count", "R-CNT-5, AMB-19", wordList(LateCovered, LateAlways, LateNever), "whether a count that was not announced may be claimed after play (R-CNT-5). `covered`: if V of the deal for the claimant's side is at least 1 for eight, 2 for nine; `always`; `never`"},
	{"talon-fee", "OPT-TALON-HONOUR-FEE", nil, "five members: who drew honours from the talon pays the dealer 3 for the skíz, 2 for the XXI, 1 for the pagát (PAK-8)"},
	{"dealer-weeps", "OPT-DEALER-WEEPS, AMB-26", nil, "five members: the dealer wins −V and the declarer +V besides (AMB-26)"},
}

// maxValue bounds a figure's value.
const maxValue = 1_000

// ParseRuleSet reads the options of a genesis entry: a preset, and what differs from it.
func ParseRuleSet(c table.Config) (RuleSet, error) {
	o := table.ReadOptions(c)
	r, _ := PresetNamed(o.Choice("preset", PresetNames()...))
	for _, option := range options {
		option.readInto(o, &r)
	}
	if err := o.Err(); err != nil {
		return RuleSet{}, err
	}
	if c.Seats != 4 && c.Seats != 5 {
		return RuleSet{}, fmt.Errorf("R-SEAT-1: %d members: a table has 4 or 5", c.Seats)
	}
	return r, r.checkConsistent(c.Seats)
}

func (option Option) readInto(o *table.Options, r *RuleSet) {
	switch f := option.ruleField(r); {
	case f.Kind() == reflect.Bool:
		f.SetBool(o.Bool(option.Name, f.Bool()))
	case option.allowedWords() != nil:
		option.setValue(r, o.Choice(option.Name, defaultFirst(option.Value(*r), option.allowedWords())...))
	default:
		f.SetInt(int64(o.Int(option.Name, int(f.Int()), 0, maxValue)))
	}
}

// allowedWords are the values of an option; for annul-hands all sets of letters.
func (option Option) allowedWords() []string {
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

// ruleField is the field of r whose JSON name is the option's.
func (option Option) ruleField(r *RuleSet) reflect.Value {
	return reflect.ValueOf(r).Elem().FieldByIndex(fields[option.Name])
}

var fields = func() map[string][]int {
	byName := map[string][]int{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[RuleSet]()) {
		byName[f.Tag.Get("json")] = f.Index
	}
	return byName
}()

// AnnulsAt reports whether hands may be annulled at a time of the exchange.
func (r RuleSet) AnnulsAt(at AnnulTime) bool { return r.AnnulTime == at && r.AnnulHands != "" }

// Value is the value of the option in r, as a genesis entry writes it.
func (option Option) Value(r RuleSet) string { return fmt.Sprint(option.ruleField(&r).Interface()) }

// setValue sets an option to a value, written as [Option.Value] writes it.
func (option Option) setValue(r *RuleSet, value string) {
	switch f := option.ruleField(r); f.Kind() {
	case reflect.Bool:
		f.SetBool(value == "true")
	case reflect.Int:
		n, _ := strconv.Atoi(value)
		f.SetInt(int64(n))
	default:
		f.SetString(value)
	}
}

// conflicts are options that make no sense together, and why.
var conflicts = []struct {
	why string
	is  func(r RuleSet, seats int) bool
}{
	{"conventions=false leaves nothing for solo-jump, first-bid, invit-commit, invit-to, hold-refuses, xvii and yield-shows to change", func(r RuleSet, _ int) bool {
		return !r.Conventions && (r.SoloJump != SoloAsJump || r.FirstBid != FirstInvites || r.InvitCommit != ProveWithJump || r.InvitTo != InvitAnybody ||
			r.HoldRefuses || r.XVII != XVIIOff || r.YieldShows != YieldBigHonour)
	}},
	{"conventions=false knows no invit: discard-xx must be allowed or forbidden", func(r RuleSet, _ int) bool { return !r.Conventions && r.DiscardXX == XXUninvited }},
	{"hold-refuses=true and invit-to=bidder-hold leave no answer to an invit that accepts it", func(r RuleSet, _ int) bool { return r.HoldRefuses && r.InvitTo == InvitBidder }},
	{"hold-refuses=true and xvii=pais both say what three, two, one shows", func(r RuleSet, _ int) bool { return r.HoldRefuses && r.XVII == XVIIPais }},
	{"discard-announce=first-turn tells the declarer nothing before the call: free-call must be none (OPT-DISC-ANNOUNCE)", func(r RuleSet, _ int) bool {
		return r.DiscardAnnounce == AnnounceFirstTurn && r.FreeCall != FreeCallNone
	}},
	{"annul-time=before-discard knows the hands a, b and d alone (BGA-5)", func(r RuleSet, _ int) bool {
		return r.AnnulTime == AnnulBeforeDiscard && strings.ContainsAny(r.AnnulHands, "ce")
	}},
	{"annul-time=before-discard comes before any tarokk is discarded: leave out annul-after-tarokk", func(r RuleSet, _ int) bool {
		return r.AnnulTime == AnnulBeforeDiscard && r.AnnulTarokk != AnnulKings
	}},
	{"double-volat-same-turn=true needs double-volat-same-player=true", func(r RuleSet, _ int) bool { return r.DVSameTurn && !r.DVSamePlayer }},
	{"kings-announced must not be below kings-silent", func(r RuleSet, _ int) bool { return r.KingsAnnounced < r.KingsSilent }},
	{"ultimo-announced must not be below ultimo-silent", func(r RuleSet, _ int) bool { return r.UltimoAnnounced < r.UltimoSilent }},
	{"xxi-announced must not be below xxi-silent", func(r RuleSet, _ int) bool { return r.XXIAnnounced < r.XXISilent }},
	{"talon-fee and dealer-weeps need five members", func(r RuleSet, seats int) bool { return seats == 4 && (r.TalonFee || r.DealerWeeps) }},
}

// checkConsistent refuses conflicts.
func (r RuleSet) checkConsistent(seats int) error {
	for _, c := range conflicts {
		if c.is(r, seats) {
			return fmt.Errorf("options: %s", c.why)
		}
	}
	return nil
}

// overrides are the options that a preset sets, by name.
type overrides map[string]string

// presets lists what each preset overrides. The first one, the book, is the first values and zeros of
// [Options]; the others override the book. A variant is one more row.
var presets = []struct {
	name string
	sets overrides
}{
	{"book", overrides{
		"seat-draw": "true", "conventions": "true", "annul-hands": "abcde", "double-volat-same-player": "true",
		"kings-silent": "1", "kings-announced": "2", "ultimo-silent": "5", "ultimo-announced": "10", "xxi-silent": "21", "xxi-announced": "42",
	}},
	{"cup", overrides{"xxi-silent": "42", "xxi-announced": "84"}}, // the tariff of tournaments
	{"bga", overrides{ // the Kégl variant
		"solo-jump":    "bga",            // BGA-1
		"hold-refuses": "true",           // BGA-2
		"first-bid":    "withdrawn",      // BGA-3
		"yield-shows":  "honour",         // BGA-4
		"annul-hands":  "abd",            // BGA-5
		"annul-time":   "before-discard", // BGA-5
		"trial-pays":   "two",            // BGA-6
		"ultimo-pool":  "true",           // BGA-7
		"discard-xx":   "uninvited",      // BGA-8
		"free-call":    "none",           // BGA-8
		"double-kings": "not",            // BGA-9
		"ultimo-duty":  "exchanged",      // AMB-06
	}},
}

// PresetNames lists the names of the presets; the first is the default.
func PresetNames() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// PresetNamed returns the rule set of that name.
func PresetNamed(name string) (RuleSet, bool) {
	i := slices.Index(PresetNames(), name)
	if i < 0 {
		return RuleSet{}, false
	}
	var r RuleSet
	for _, o := range options {
		if o.Values != nil {
			o.setValue(&r, o.Values[0])
		}
	}
	for _, sets := range []overrides{presets[0].sets, presets[i].sets} {
		for _, o := range options {
			if value, has := sets[o.Name]; has {
				o.setValue(&r, value)
			}
		}
	}
	return r, true
}

// The types of the options that are words; [Options] says what each value does.
type (
	EndingRule      string
	ThrowIn         string
	BidHold         string
	TrialLevel      string
	TrialPays       string
	SoloJump        string
	FirstBid        string
	InvitCommit     string
	InvitTo         string
	XVIIRule        string
	YieldShows      string
	UltimoDuty      string
	DiscardXX       string
	FreeCall        string
	DiscardAnnounce string
	AnnulTarokk     string
	AnnulTime       string
	CountSide       string
	ForcedContra    string
	Retention       string
	ScoreGDV        string
	DefSilent       string
	ContraVolat     string
	VolatTrull      string
	DoubleKings     string
	LateCount       string
)

// The values, the book's first.
const (
	AfterDeals, BySkiz                                    EndingRule      = "deals", "skiz"
	RoundsOverlap, NoDoubleRound, RoundsQueue, RoundsQuad ThrowIn         = "overlap", "none", "queue", "quad"
	HoldAny, HoldLater                                    BidHold         = "new", "old"
	TrialAny, TrialThree                                  TrialLevel      = "any", "three"
	PaysBase, PaysTwo                                     TrialPays       = "base", "two"
	SoloAsJump, SoloXVIII, SoloKegl                       SoloJump        = "new", "old", "bga"
	FirstInvites, FirstNever, FirstWithdrawn              FirstBid        = "invit", "never", "withdrawn"
	ProveWithJump, ProveIfOther                           InvitCommit     = "always", "if-other-declares"
	InvitAnybody, InvitBidder                             InvitTo         = "any", "bidder-hold"
	XVIIOff, XVIIPais                                     XVIIRule        = "off", "pais"
	YieldBigHonour, YieldHonour                           YieldShows      = "big-honour", "honour"
	DutyDealt, DutyExchanged                              UltimoDuty      = "dealt", "exchanged"
	XXAllowed, XXForbidden, XXUninvited                   DiscardXX       = "allowed", "forbidden", "uninvited"
	FreeCallAny, FreeCallNone                             FreeCall        = "any", "none"
	AnnounceAfterDiscard, AnnounceFirstTurn               DiscardAnnounce = "after-discard", "first-turn"
	AnnulKings, AnnulAll                                  AnnulTarokk     = "kings", "all"
	AnnulAfterDiscard, AnnulBeforeDiscard                 AnnulTime       = "after-discard", "before-discard"
	CountNeutral, CountFigure                             CountSide       = "neutral", "figure"
	ContraSilent, ContraSpoken                            ForcedContra    = "silent", "spoken"
	RetainAnnouncers, RetainAnyHolder                     Retention       = "announcers", "any-holder"
	ScoredBySixRules, ScoredExclusive                     ScoreGDV        = "six-rules", "exclusive"
	DefendersAlways, DefendersIfContra                    DefSilent       = "always", "contra-only"
	VolatAdds, VolatTriples                               ContraVolat     = "add", "triple"
	VolatNeither, VolatWithTrull                          VolatTrull      = "neither", "trull"
	DoubleWithKings, DoubleWithoutKings                   DoubleKings     = "scored", "not"
	LateCovered, LateAlways, LateNever                    LateCount       = "covered", "always", "never"
)

// wordList are values of an option as they are written in a genesis entry.
func wordList[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
