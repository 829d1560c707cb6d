package ruleset

// Presets lists the names of the presets; the first is the default.
func Presets() []string { return []string{"book", "cup", "bga"} }

// Preset returns the rule set of that name.
func Preset(name string) (Rules, bool) {
	r, ok := presets[name]
	return r, ok
}

var presets = map[string]Rules{"book": book, "cup": cup(), "bga": bga()}

// book is the standard of the Paskievics rules: every default of 61.13.
var book = Rules{
	RedLow: "ace", SeatDraw: true, Ending: "deals", ThrowIn: "overlap", BidHold: "new",
	TrialLevel: "any", TrialPays: "base", Conventions: true, SoloJump: "new", FirstBid: "invit",
	InvitCommit: "always", InvitTo: "any", XVII: "off", YieldShows: "big-honour", UltimoDuty: "dealt",
	DiscardXX: "allowed", FreeCall: "any", DiscardAnnounce: "after-discard",
	AnnulHands: "abcde", AnnulTarokk: "kings", AnnulTime: "after-discard", DVSamePlayer: true,
	CountSide: "neutral", ForcedContra: "silent", Retention: "announcers",
	ScoreGDV: "six-rules", DefSilent: "always", ContraVolat: "add", VolatTrull: "neither", DoubleKings: "scored", ContraTie: 47,
	KingsSilent: 1, KingsAnnounced: 2, UltimoSilent: 5, UltimoAnnounced: 10, XXISilent: 21, XXIAnnounced: 42,
	LateCount: "covered",
}

// cup is the tariff of tournaments: the capture of the XXI counts double.
func cup() Rules {
	r := book
	r.XXISilent, r.XXIAnnounced = 42, 84
	return r
}

// bga is the Kégl variant of BGA-1 to BGA-9.
func bga() Rules {
	r := book
	r.SoloJump, r.HoldRefuses, r.FirstBid = "bga", true, "withdrawn"
	r.YieldShows, r.UltimoDuty = "honour", "exchanged"
	r.AnnulHands, r.AnnulTime = "abd", "before-discard"
	r.TrialPays, r.UltimoPool = "two", true
	r.DiscardXX, r.FreeCall = "uninvited", "none"
	r.DoubleKings = "not"
	return r
}
