package ruleset

// Types of the options that are words; what each value does is in [Options].
type (
	Ending          string
	ThrowIn         string
	BidHold         string
	TrialLevel      string
	TrialPays       string
	SoloJump        string
	FirstBid        string
	InvitCommit     string
	InvitTo         string
	XVII            string
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

// Values, the book's first.
const (
	AfterDeals, BySkiz                       Ending          = "deals", "skiz"
	Overlap, NoDoubleRound, Queue, Quad      ThrowIn         = "overlap", "none", "queue", "quad"
	HoldAny, HoldLater                       BidHold         = "new", "old"
	TrialAny, TrialThree                     TrialLevel      = "any", "three"
	PaysBase, PaysTwo                        TrialPays       = "base", "two"
	SoloAsJump, SoloXVIII, SoloKegl          SoloJump        = "new", "old", "bga"
	FirstInvites, FirstNever, FirstWithdrawn FirstBid        = "invit", "never", "withdrawn"
	ProveWithJump, ProveIfOther              InvitCommit     = "always", "if-other-declares"
	InvitAnybody, InvitBidder                InvitTo         = "any", "bidder-hold"
	XVIIOff, XVIIPais                        XVII            = "off", "pais"
	YieldBigHonour, YieldHonour              YieldShows      = "big-honour", "honour"
	DutyDealt, DutyExchanged                 UltimoDuty      = "dealt", "exchanged"
	XXAllowed, XXForbidden, XXUninvited      DiscardXX       = "allowed", "forbidden", "uninvited"
	FreeCallAny, FreeCallNone                FreeCall        = "any", "none"
	AnnounceAfterDiscard, AnnounceFirstTurn  DiscardAnnounce = "after-discard", "first-turn"
	AnnulKings, AnnulAll                     AnnulTarokk     = "kings", "all"
	AnnulAfterDiscard, AnnulBeforeDiscard    AnnulTime       = "after-discard", "before-discard"
	CountNeutral, CountFigure                CountSide       = "neutral", "figure"
	ContraSilent, ContraSpoken               ForcedContra    = "silent", "spoken"
	RetainAnnouncers, RetainAnyHolder        Retention       = "announcers", "any-holder"
	SixRules, Exclusive                      ScoreGDV        = "six-rules", "exclusive"
	DefendersAlways, DefendersIfContra       DefSilent       = "always", "contra-only"
	VolatAdds, VolatTriples                  ContraVolat     = "add", "triple"
	VolatNeither, VolatWithTrull             VolatTrull      = "neither", "trull"
	DoubleWithKings, DoubleWithoutKings      DoubleKings     = "scored", "not"
	LateCovered, LateAlways, LateNever       LateCount       = "covered", "always", "never"
)

// words are values of an option as they stand in a genesis entry.
func words[T ~string](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
