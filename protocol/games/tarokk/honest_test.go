package tarokk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// due is an honest move, with all that it must prove and nothing besides; or one
// that the rules refuse to every hand.
type due struct {
	of      string // ids of what it stands for: proofs, skip rules, honest cases, options
	members int
	options options
	deal    stacked
	script  []string
	move    string
	want    []string
	refused string // the rule that forbids it, if it is not honest
}

func also(script []string, more ...string) []string { return slices.Concat(script, more) }

// Statements that come often.
const (
	bHon     = "1 of H0 in HONOUR"
	bInv19   = "1 of H0 in {T19}"
	bInv18   = "1 of H0 in {T18}"
	aPart    = "1 of H1 in {T20}"
	aOpp     = "all of H1 in not T20"
	a8       = "exactly 8 of H1 in TAROKK"
	aLE7     = "2 of H1 in SUITS"
	aUlti    = "1 of H0 in BIG"
	aDContra = "all of XT in not T20"
	dPlain   = "all of XP in PLAINDISC"
	dTarokk  = "all of XT in TDISC"
	open1    = "open 1"
)

// Deals that serve more than once.
var (
	// B is the partner if A calls the XX.
	partnerB = stacked{"T22 T1", "T20", "T21"}
	// B is the partner of A and, when it has drawn and discarded, has eight tarokks.
	eight = stacked{"T22 T1", "T20 T2 T3 T4 T5 T6 T7 T8 CT", "T21"}
	// D has eight of them and is an opponent.
	eightD = stacked{"T22", "T20", "T21", "T2 T3 T4 T5 T6 T7 T8 T9 CT"}
	// A invites B with the XIX and a big honour.
	invitDeal = stacked{"T19 T22", "T21", "CT CJ"}
	// The trull of nobody: all honours apart, the XX with D.
	apart = stacked{"T22", "T21", "T1", "T20"}
	// A has tarokks alone, and plays eight of them.
	tarokksAlone = stacked{"T22 T21 T20 T18 T17 T16 T15 T14 T1", "", "", "", "HA HJ HR"}
	// A draws three cards.
	drawnThree = stacked{"T22 T20", "T21 T3", "", "", "HA HJ HR DA DJ DR"}
	calling    = []string{"A:three", "A:say call:T20"}
	binding    = also(invited, "B:say call:T19")
)

// eightTricks are those of tarokksAlone, after a turn.
func eightTricks(turn string) []string {
	return []string{"A:three", "A:discard HA HJ HR", turn, "A:play T22", "A:play T21", "A:play T20", "A:play T18", "A:play T17", "A:play T16", "A:play T15", "A:play T14"}
}

var catalogue = []due{
	// Before the auction.
	{of: "OPT-DEAL-KNOCK", options: options{"deal-knock": "true"}, members: 5, script: []string{"D:knock yes", "D:packet 2"}, move: "C:packet 2", refused: "OPT-DEAL-KNOCK"},
	{of: "OPT-DEAL-KNOCK", options: options{"deal-knock": "true"}, script: []string{"C:knock yes", "C:packet 3"}, move: "B:packet 3", refused: "OPT-DEAL-KNOCK"},

	// The auction (62.4.1).
	{of: "B-HON", deal: apart, move: "A:three", want: []string{bHon}},
	{of: "B-HON", deal: apart, move: "A:solo", want: []string{bHon}},
	{of: "B-HON", deal: apart, script: []string{"A:three"}, move: "B:two", want: []string{bHon}},
	{of: "B-HON", deal: apart, move: "A:pass", want: []string{}},
	{of: "SK-6 B-HON OK-03", deal: apart, script: []string{"A:three", "B:two"}, move: "A:hold", want: []string{}},
	{of: "B-INV19", deal: stacked{"T22 T19"}, move: "A:two", want: []string{bHon, bInv19}},
	{of: "B-INV19 SK-6", deal: stacked{"T22 T19", "T21"}, script: []string{"A:three", "B:two"}, move: "A:one", want: []string{bInv19}},
	{of: "B-INV19", deal: stacked{"T22 T19", "T21"}, script: []string{"A:two"}, move: "B:one", want: []string{bHon}},
	{of: "B-INV19", deal: stacked{"T22 T19", "T21"}, script: []string{"A:two"}, move: "B:solo", want: []string{bHon}},
	{of: "B-INV18", deal: stacked{"T22 T18"}, move: "A:one", want: []string{bHon, bInv18}},
	{of: "B-INV18", deal: stacked{"T22", "T21 T18"}, script: []string{"A:three"}, move: "B:solo", want: []string{bHon, bInv18}},
	{of: "B-INV18", deal: stacked{"T22", "", "", "T21"}, move: "D:one", want: []string{}},
	{of: "B-INV19", deal: stacked{"T22", "", "", "T21"}, move: "D:two", want: []string{}},
	{of: "B-YIELD", deal: stacked{"T20 T22", "T21"}, script: []string{"A:three", "B:two"}, move: "A:pass", want: []string{"1 of H0 in {T20}", "1 of H0 in BIG"}},
	{of: "B-YIELD", deal: stacked{"T22", "T21"}, script: []string{"A:three"}, move: "B:pass", want: []string{}},
	{of: "B-YIELD", deal: stacked{"T22", "T21", "T1"}, script: []string{"A:three", "B:two", "C:one"}, move: "A:pass", want: []string{}},
	{of: "B-YIELD", deal: stacked{"T22 T19", "T21"}, script: []string{"A:three", "B:two", "A:hold"}, move: "B:pass", want: []string{}},
	{of: "B-YIELD OPT-CONV", options: options{"conventions": "false"}, deal: apart, script: []string{"A:three", "B:two"}, move: "A:pass", want: []string{}},
	{of: "B-INV19 OPT-CONV", options: options{"conventions": "false"}, deal: apart, move: "A:two", want: []string{bHon}},
	{of: "OPT-CONV-XVII", options: options{"xvii": "pais"}, deal: stacked{"T1", "T22 T17", "T21"}, script: []string{"B:three", "C:two"}, move: "B:one", want: []string{"1 of H0 in {T17}", "1 of H0 in BIG"}},
	{of: "OPT-CONV-XVII", deal: stacked{"T1", "T22 T19", "T21"}, script: []string{"B:three", "C:two"}, move: "B:one", want: []string{bInv19}},
	{of: "OPT-CONV-SOLO-JUMP", options: options{"solo-jump": "old"}, deal: stacked{"T22", "T21", "T1 T18"}, script: []string{"A:three", "B:two"}, move: "C:solo", want: []string{bHon, bInv18}},
	{of: "OPT-CONV-SOLO-JUMP", deal: stacked{"T22", "T21", "T1 T19"}, script: []string{"A:three", "B:two"}, move: "C:solo", want: []string{bHon, bInv19}},
	{of: "OPT-CONV-FIRST-BID", options: options{"first-bid": "never"}, deal: apart, move: "A:two", want: []string{bHon}},
	{of: "OPT-CONV-FIRST-BID", options: options{"first-bid": "never"}, deal: stacked{"T22", "T21 T19"}, script: []string{"A:three"}, move: "B:one", want: []string{bHon, bInv19}},
	{of: "OPT-CONV-ADDRESSEE", options: options{"invit-to": "bidder-hold"}, deal: apart, move: "A:two", want: []string{bHon}},
	{of: "OPT-CONV-ADDRESSEE", options: options{"invit-to": "bidder-hold"}, deal: stacked{"T22", "T21 T19"}, script: []string{"A:three"}, move: "B:one", want: []string{bHon, bInv19}},
	{of: "OPT-CONV-COMMIT", options: options{"invit-commit": "if-other-declares"}, deal: apart, move: "A:two", want: []string{bHon}},
	{of: "OPT-CONV-COMMIT", options: options{"invit-commit": "if-other-declares"}, deal: invitDeal, script: []string{"A:two", "B:one"}, move: "A:pass", want: []string{bInv19}},
	{of: "OPT-CONV-COMMIT", options: options{"invit-commit": "if-other-declares"}, deal: apart, script: []string{"A:two", "B:one"}, move: "A:hold", want: []string{}},
	{of: "OPT-CONV-COMMIT", options: options{"invit-commit": "if-other-declares"}, deal: stacked{"T22", "T21 T18"}, script: []string{"A:three", "B:solo", "A:hold"}, move: "B:confirm yes", want: []string{bInv18}},
	{of: "OPT-CONV-COMMIT", options: options{"invit-commit": "if-other-declares"}, deal: stacked{"T22", "T21", "T18"}, script: []string{"A:three", "B:solo", "A:hold"}, move: "B:confirm no", want: []string{"all of H0 in not T18"}},
	{of: "OPT-CONV-COMMIT OPT-CONV-XVII", options: options{"invit-commit": "if-other-declares", "xvii": "pais"}, deal: stacked{"T22", "T21", "T1"}, script: []string{"A:three", "B:two", "C:one"}, move: "A:solo", want: []string{"1 of H0 in BIG"}},
	{of: "B-INV17-FAIL", options: options{"invit-commit": "if-other-declares", "xvii": "pais"}, deal: stacked{"T22", "T21 T17", "T1"}, script: []string{"A:three", "B:two", "C:one", "A:solo", "C:hold"}, move: "A:confirm no", want: []string{"all of H0 in not T17"}},
	{of: "B-INV19-FAIL", options: options{"invit-commit": "if-other-declares"}, deal: stacked{"T22", "T21 T19", "T1"}, script: []string{"A:three", "B:two", "C:one", "A:solo", "C:hold"}, move: "A:confirm no", want: []string{"all of H0 in not T19"}},
	{of: "BGA-3", options: options{"first-bid": "withdrawn"}, deal: apart, move: "A:two", want: []string{bHon}},
	{of: "BGA-3", options: options{"first-bid": "withdrawn"}, deal: invitDeal, script: []string{"A:two", "B:one"}, move: "A:pass", want: []string{bInv19}},
	{of: "BGA-3", options: options{"first-bid": "withdrawn"}, deal: apart, script: []string{"A:two", "B:one"}, move: "A:solo", want: []string{}},
	{of: "BGA-4", options: options{"yield-shows": "honour"}, deal: stacked{"T20 T1", "T22", "T21"}, script: []string{"A:three", "B:two"}, move: "A:pass", want: []string{"1 of H0 in {T20}"}},
	{of: "BGA-4 A-ULTI", options: options{"yield-shows": "honour"}, deal: stacked{"T20 T22", "T21"}, script: []string{"A:three", "B:two", "A:pass"}, move: "A:say", want: []string{aUlti}},

	// The talon and the trial bid (62.4.2).
	{of: "T-TRIAL-OK", deal: stacked{"T21", "", "T1", "T22"}, script: []string{"D:three"}, move: "D:trial yes", want: []string{"1 of G in HONOUR"}},
	{of: "T-TRIAL-OK", deal: stacked{"T21", "", "T1", "", "T22"}, script: []string{"D:one"}, move: "D:trial yes", want: []string{"1 of G in HONOUR"}},
	{of: "T-TRIAL-OK", deal: stacked{"T21", "", "T1", "T22"}, script: []string{"D:solo"}, move: "D:trial yes", want: []string{"1 of G in HONOUR"}},
	{of: "T-TRIAL-FAIL", deal: stacked{"T21", "T22", "T1", ""}, script: []string{"D:three"}, move: "D:trial no", want: []string{"all of G in NONHONOUR"}},
	{of: "T-TRIAL-FAIL BGA-6 BGA-7", options: options{"trial-pays": "two", "ultimo-pool": "true"}, deal: stacked{"T21", "T22", "T1", ""}, script: []string{"D:three"}, move: "D:trial no", want: []string{"all of G in NONHONOUR"}},
	{of: "T-TRIAL-OK BGA-6 BGA-7", options: options{"trial-pays": "two", "ultimo-pool": "true"}, deal: stacked{"T21", "", "T1", "T22"}, script: []string{"D:three"}, move: "D:trial yes", want: []string{"1 of G in HONOUR"}},

	// The discard (62.4.3).
	{of: "D-CLASS", deal: stacked{"T22", "T7"}, script: []string{"A:three"}, move: "B:discard T7", want: []string{}},
	{of: "D-CLASS", deal: stacked{"T22"}, script: []string{"A:three", "A:discard HA HJ HR"}, move: "A:disclose", want: []string{dPlain}},
	{of: "D-CLASS D-OPEN", deal: stacked{"T22 T7"}, script: []string{"A:three", "A:discard HA HJ T7"}, move: "A:disclose T7", want: []string{open1, dPlain}},
	{of: "D-CLASS D-OPEN", deal: stacked{"T22 T7 T8 T20"}, script: []string{"A:three", "A:discard T20 T8 T7"}, move: "A:disclose T7 T8 T20", want: []string{"open 3"}},
	{of: "D-CLASS", deal: stacked{"T22", "T7"}, script: []string{"A:three", "B:discard T7"}, move: "B:disclose T7", want: []string{dTarokk}},
	{of: "D-CLASS", deal: stacked{"T19 T22", "T21", "T7 CT"}, script: also(invited, "C:discard T7 CT"), move: "C:disclose T7", want: []string{dPlain, "all of XT in TDISC without T19"}},
	{of: "D-CLASS", deal: stacked{"T20 T22", "T21", "T7 CT"}, script: []string{"A:three", "B:two", "A:pass", "C:discard T7 CT"}, move: "C:disclose T7", want: []string{dPlain, "all of XT in TDISC without T20"}},
	{of: "D-CLASS", deal: stacked{"T22 T19", "T7"}, script: []string{"A:two", "A:discard T19 HA"}, move: "A:disclose T19", want: []string{open1, dPlain}},
	{of: "D-CLASS", deal: stacked{"T22 T19", "T7 CT"}, script: []string{"A:two", "B:discard T7 CT"}, move: "B:disclose T7", want: []string{dPlain, dTarokk}},
	{of: "OPT-DISC-XX D-CLASS", options: options{"discard-xx": "forbidden"}, deal: stacked{"T22", "T7"}, script: []string{"A:three", "B:discard T7"}, move: "B:disclose T7", want: []string{"all of XT in TDISC without T20"}},
	{of: "OPT-DISC-XX D-OPEN", options: options{"discard-xx": "forbidden"}, deal: stacked{"T22 T20"}, script: []string{"A:three", "A:discard HA HJ T20"}, move: "A:disclose T20", refused: "R-DISC-2"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":""}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"ab"}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"abcd"}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"cba"}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"aab"}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"abz"}`, refused: "R-DISC-1"},
	{of: "R-DISC-1", deal: drawnThree, script: []string{"A:three"}, move: `A:discard {"discard":"ab!"}`, refused: "R-DISC-1"},
	{of: "OPT-DISC-ANNOUNCE", options: firstTurn, deal: drawnThree, script: []string{"A:three"}, move: `A:say {"say":{"turn":["call:T20"]}}`, refused: "OPT-DISC-ANNOUNCE"},
	{of: "OPT-DISC-ANNOUNCE", options: firstTurn, deal: drawnThree, script: also(calling, "B:say contra:game"), move: `A:say {"say":{"turn":[],"discards":{"tarokks":""}}}`, refused: "OPT-DISC-ANNOUNCE"},
	{of: "OPT-DISC-ANNOUNCE D-CLASS", options: firstTurn, deal: stacked{"T22", "T7"}, script: []string{"A:three"}, move: "B:discard T7", want: []string{"all of X in DISCARDABLE"}},
	{of: "OPT-DISC-ANNOUNCE D-CLASS OPT-DISC-XX", options: options{"discard-announce": "first-turn", "free-call": "none", "discard-xx": "forbidden"}, deal: stacked{"T22", "T7"}, script: []string{"A:three"}, move: "B:discard T7", want: []string{"all of X in DISCARDABLE without T20"}},
	{of: "OPT-DISC-ANNOUNCE D-CLASS A-DCONTRA", options: firstTurn, deal: stacked{"T22", "T7 T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say", want: []string{dTarokk, aDContra}},
	{of: "OPT-DISC-ANNOUNCE D-OPEN", options: firstTurn, deal: stacked{"T22 T7"}, script: []string{"A:three", "A:discard HA HJ T7"}, move: "A:say call:T20", want: []string{open1, dPlain}},

	// Annulment (62.4.4).
	{of: "N-a OK-06", deal: stacked{"T22", "HK DK CK SK T5"}, script: []string{"A:three", "B:discard T5"}, move: "B:annul a", want: []string{"exactly 4 of H1 in KINGS"}},
	{of: "N-b", deal: stacked{"T22", "T21 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul b", want: []string{"1 of H1 in {T21}", "8 of H1 in SUITS"}},
	{of: "N-c", deal: stacked{"T22", "T1 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul c", want: []string{"1 of H1 in {T1}", "8 of H1 in SUITS"}},
	{of: "N-d", deal: stacked{"T22", "SK CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul d", want: []string{"all of H1 in SUITS"}},
	{of: "N-e", deal: stacked{"T22", "T1 T21 CT CJ CR CQ ST SJ SR"}, script: []string{"A:three"}, move: "B:annul e", want: []string{"1 of H1 in {T21}", "1 of H1 in {T1}", "7 of H1 in SUITS"}},
	{of: "N-b", deal: stacked{"T22", "T21 T5 CT CJ CR ST SJ SR SQ"}, script: []string{"A:three", "B:discard T5"}, move: "B:annul b", refused: "R-ANN-2"},
	{of: "N-b OPT-ANNUL-AFTER-TDISC", options: options{"annul-after-tarokk": "all"}, deal: stacked{"T22", "T21 T5 CT CJ CR ST SJ SR SQ"}, script: []string{"A:three", "B:discard T5"}, move: "B:annul b", want: []string{"1 of H1 in {T21}", "8 of H1 in SUITS"}},
	{of: "N-d OPT-ANNUL-HANDS", options: options{"annul-hands": "abc"}, deal: stacked{"T22", "SK CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul d", refused: "R-ANN-1"},
	{of: "N-b OPT-DISC-ANNOUNCE", options: firstTurn, deal: stacked{"T22", "T21 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul b", want: []string{"all of X in PLAINDISC", "1 of H1 in {T21}", "8 of H1 in SUITS"}},
	{of: "N-c OPT-DISC-ANNOUNCE", options: firstTurn, deal: stacked{"T22", "T1 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul c", want: []string{"all of X in PLAINDISC", "1 of H1 in {T1}", "8 of H1 in SUITS"}},
	{of: "N-d OPT-DISC-ANNOUNCE", options: firstTurn, deal: stacked{"T22", "SK CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul d", want: []string{"all of X in PLAINDISC", "all of H1 in SUITS"}},
	{of: "N-e OPT-DISC-ANNOUNCE", options: firstTurn, deal: stacked{"T22", "T1 T21 CT CJ CR CQ ST SJ SR"}, script: []string{"A:three"}, move: "B:annul e", want: []string{"all of X in PLAINDISC", "1 of H1 in {T21}", "1 of H1 in {T1}", "7 of H1 in SUITS"}},
	{of: "N-a OPT-DISC-ANNOUNCE", options: firstTurn, deal: stacked{"T22", "HK DK CK SK T5"}, script: []string{"A:three", "B:discard T5"}, move: "B:annul a", want: []string{"exactly 4 of H1 in KINGS"}},
	{of: "N-a BGA-5 OPT-ANNUL-HANDS", options: options{"preset": "bga"}, deal: stacked{"T22", "HK DK CK SK"}, script: []string{"A:three"}, move: "B:annul a", want: []string{"exactly 4 of G in KINGS"}},
	{of: "N-b BGA-5", options: options{"preset": "bga"}, deal: stacked{"T22", "T21 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul b", want: []string{"1 of G in {T21}", "9 of G in SUITS"}},
	{of: "N-d BGA-5", options: options{"preset": "bga"}, deal: stacked{"T22", "SK CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, move: "B:annul d", want: []string{"all of G in SUITS"}},
	{of: "N-a N-b N-c N-d N-e", deal: apart, script: []string{"A:three"}, move: "B:annul", want: []string{}},

	// The partner call (62.4.5).
	{of: "C-BELOW OK-01", deal: stacked{"T22 T20"}, script: []string{"A:three"}, move: "A:say call:T20", want: []string{}},
	{of: "C-BELOW", deal: stacked{"T22", "T20"}, script: []string{"A:three"}, move: "A:say call:T20", want: []string{}},
	{of: "C-BELOW", deal: stacked{"T22 T20"}, script: []string{"A:three"}, move: "A:say call:T19", want: []string{"1 of H1 in {T20}", "all of H1 in not T19"}},
	{of: "C-BELOW", deal: stacked{"T22 T20 T19 T18"}, script: []string{"A:three"}, move: "A:say call:T17", want: []string{"3 of H1 in {T18 T19 T20}", "all of H1 in not T17"}},
	{of: "C-BELOW", deal: stacked{"T22 T20 T19", "T18"}, script: []string{"A:three", "A:discard HA HJ T19"}, move: "A:say call:T18", want: []string{"1 of H1 in {T20}", "all of H1 in not T18"}},
	{of: "C-BELOW", deal: stacked{"T22 T20", "T19"}, script: []string{"A:three", "A:discard HA HJ T20"}, move: "A:say call:T19", want: []string{"all of H1 in not T19"}},
	{of: "C-BELOW", deal: stacked{"T22 T20 T19"}, script: []string{"A:three", "A:discard HA HJ T19"}, move: "A:say call:T19", refused: "R-CALL-4"},
	{of: "C-BELOW OK-07", deal: stacked{"T22 T9", "T7"}, script: []string{"A:three", "B:discard T7"}, move: "A:say call:T9", want: []string{}},
	{of: "C-BELOW", deal: stacked{"T22", "T9", "T7"}, script: []string{"A:three", "C:discard T7"}, move: "A:say call:T9", want: []string{}},
	{of: "C-BELOW OPT-CALL-AFTER-TDISC", options: options{"free-call": "none"}, deal: stacked{"T22 T20", "T7"}, script: []string{"A:three", "B:discard T7"}, move: "A:say call:T19", want: []string{"1 of H1 in {T20}", "all of H1 in not T19"}},
	{of: "C-BELOW", deal: invitDeal, script: invited, move: "B:say call:T19", want: []string{}},
	{of: "C-BELOW", deal: invitDeal, script: invited, move: "B:say call:T20", refused: "R-CALL-6"},

	// Announcements (62.4.6).
	{of: "OK-02 A-PART", deal: partnerB, script: calling, move: "B:say", want: []string{}},
	{of: "OK-02 A-PART", deal: partnerB, script: also(calling, "B:say", "C:say contra:game"), move: "B:say", want: []string{}},
	{of: "A-PART", deal: partnerB, script: calling, move: "B:say fig:trull", want: []string{aPart}},
	{of: "A-PART", deal: partnerB, script: also(calling, "C:say contra:game"), move: "B:say contra:game", want: []string{aPart}},
	{of: "A-OPP", deal: partnerB, script: calling, move: "C:say contra:game", want: []string{aOpp}},
	{of: "A-OPP", deal: partnerB, script: also(calling, "C:say contra:game"), move: "D:say fig:four_kings", want: []string{aOpp}},
	{of: "A-OPP", deal: partnerB, script: calling, move: "C:say contra:game fig:xxi_capture", want: []string{aOpp}},
	{of: "A-OPP", deal: partnerB, script: []string{"A:three", "A:say call:T20 fig:trull"}, move: "C:say contra:DEC.trull", want: []string{aOpp}},
	{of: "SK-5 A-PART", deal: partnerB, script: []string{"A:three"}, move: "A:say call:T20 fig:trull", want: []string{}},
	{of: "SK-5 A-PART", deal: partnerB, script: also(calling, "B:say fig:trull", "C:say contra:DEC.trull"), move: "B:say contra:DEC.trull fig:four_kings", want: []string{}},
	{of: "SK-5 A-OPP", deal: partnerB, script: also(calling, "C:say contra:game", "A:say fig:trull"), move: "C:say contra:DEC.trull", want: []string{}},
	{of: "SK-5 A-OPP", deal: partnerB, script: also(calling, "B:say fig:trull"), move: "D:say contra:game", want: []string{}},
	{of: "SK-5 A-PART", deal: invitDeal, script: also(binding, "D:say contra:game", "A:say fig:trull", "D:say contra:DEC.trull"), move: "A:say contra:game", want: []string{}},
	{of: "SK-5 A-OPP", deal: invitDeal, script: binding, move: "C:say contra:game", want: []string{}},
	{of: "A-8", deal: eight, script: calling, move: "B:say count:8", want: []string{a8}},
	{of: "A-9", deal: stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 T9 T10"}, script: calling, move: "B:say count:9", want: []string{"all of H1 in TAROKK"}},
	{of: "A-8 A-PART", deal: eight, script: calling, move: "B:say count:8 fig:trull", want: []string{a8, aPart}},
	{of: "A-8", deal: eight, script: calling, move: "B:say", want: []string{}},
	{of: "A-LE7", deal: partnerB, script: []string{"A:three"}, move: "A:say call:T20 fig:pagat_ultimo", want: []string{aLE7}},
	{of: "A-LE7 A-PART", deal: partnerB, script: calling, move: "B:say fig:pagat_ultimo", want: []string{aPart, aLE7}},
	{of: "A-LE7 A-OPP", deal: partnerB, script: []string{"A:three", "A:say call:T20 fig:pagat_ultimo"}, move: "C:say contra:DEC.pagat_ultimo", want: []string{aOpp, aLE7}},
	{of: "A-LE7", deal: partnerB, script: []string{"A:three", "A:say call:T20 fig:pagat_ultimo", "C:say contra:DEC.pagat_ultimo"}, move: "B:say contra:DEC.pagat_ultimo", want: []string{aPart}},
	{of: "A-LE7", deal: partnerB, script: []string{"A:three"}, move: "A:say call:T20 fig:trull", want: []string{}},
	{of: "SK-7 A-LE7 A-8", deal: eight, script: calling, move: "B:say count:8 fig:pagat_ultimo", want: []string{a8, aPart}},
	{of: "SK-7 A-LE7", deal: eight, script: also(calling, "B:say count:8", "D:say contra:game"), move: "B:say contra:game fig:pagat_ultimo", want: []string{aPart}},
	{of: "SK-7 A-LE7", deal: partnerB, script: []string{"A:three", "A:say call:T20 fig:pagat_ultimo", "C:say contra:game fig:pagat_ultimo"}, move: "A:say contra:DEF.pagat_ultimo", want: []string{}},
	{of: "A-ULTI", deal: invitDeal, script: binding, move: "A:say", want: []string{aUlti}},
	{of: "A-ULTI", deal: invitDeal, script: binding, move: "A:say fig:trull", want: []string{aUlti}},
	{of: "A-ULTI A-LE7", deal: stacked{"T19 T1", "T22", "T21"}, script: binding, move: "A:say fig:pagat_ultimo", want: []string{aLE7}},
	{of: "A-ULTI", deal: invitDeal, script: also(binding, "A:say fig:trull", "B:say fig:four_kings"), move: "A:say", want: []string{}},
	{of: "A-ULTI OK-08", deal: stacked{"T19 T1 T5", "T22", "T21"}, script: also(invited, "A:discard T5", "B:say call:T19 fig:pagat_ultimo"), move: "A:say fig:trull", want: []string{}},
	{of: "A-ULTI OK-08", deal: stacked{"T19 T1 T5", "T22", "T21"}, script: also(invited, "A:discard T5", "B:say call:T19 fig:pagat_ultimo"), move: "A:say", want: []string{}},
	{of: "A-ULTI", deal: stacked{"T19 T1", "T22", "T21"}, script: also(binding, "C:say contra:game fig:pagat_ultimo"), move: "A:say fig:pagat_ultimo", want: []string{aLE7}},
	{of: "A-ULTI", deal: invitDeal, script: also(binding, "C:say contra:game fig:pagat_ultimo"), move: "A:say", want: []string{aUlti}},
	{of: "A-ULTI", deal: stacked{"T22 T19", "T20", "T21"}, script: []string{"A:two", "A:say call:T20"}, move: "B:say", want: []string{}},
	{of: "A-ULTI", deal: stacked{"T22 T19", "T20", "T21"}, script: []string{"A:two"}, move: "A:say call:T20", want: []string{}},
	{of: "A-ULTI AMB-06", options: options{"ultimo-duty": "exchanged"}, deal: stacked{"T19 T1", "T21", "", "", "HA HJ HR HQ DA T22"}, script: binding, move: "A:say", want: []string{"1 of H1 in BIG"}},
	{of: "A-ULTI OPT-CONV", options: options{"conventions": "false"}, deal: stacked{"T1", "T22", "T21", "T20"}, script: []string{"A:two", "B:one", "A:pass", "B:say call:T20"}, move: "A:say", want: []string{}},
	{of: "A-DCONTRA", deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say", want: []string{aDContra}},
	{of: "A-DCONTRA", deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say contra:game", want: []string{aOpp}},
	{of: "A-DCONTRA", deal: stacked{"T22", "T20", "T21"}, script: []string{"A:three", "B:discard T20", "A:say call:T20"}, move: "B:say contra:game", want: []string{aOpp}},
	{of: "SK-8 A-DCONTRA", deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "C:say", want: []string{}},
	{of: "SK-8 A-DCONTRA", deal: stacked{"T22", "T20", "T7 T21"}, script: []string{"A:three", "B:discard T20", "C:discard T7", "A:say call:T20", "B:say contra:game"}, move: "C:say", want: []string{}},
	{of: "SK-8 A-DCONTRA", deal: stacked{"T22", "T20", "T7"}, script: []string{"A:three", "C:discard T7", "A:say call:T20", "B:say fig:trull"}, move: "C:say", want: []string{}},
	{of: "SK-8 A-DCONTRA", deal: stacked{"T19 T22", "T21", "T7 CT"}, script: also(invited, "C:discard T7 CT", "B:say call:T19"), move: "C:say", want: []string{}},
	{of: "SK-8 A-DCONTRA", deal: stacked{"T22 T20", "T7"}, script: []string{"A:three", "A:discard HA HJ T20", "B:discard T7", "A:say call:T20"}, move: "B:say", want: []string{}},
	{of: "A-DCONTRA", deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20", "B:say", "C:say fig:trull"}, move: "B:say", want: []string{}},
	{of: "A-DCONTRA", deal: stacked{"T22", "T7", "T20 T2 T3 T4 T5 T6 T8 T9 CT"}, script: []string{"A:three", "B:discard T7", "A:say call:T20", "B:say", "C:say count:8"}, move: "B:say", want: []string{}},
	{of: "OPT-FORCED-CONTRA-SPOKEN SK-8", options: options{"forced-contra": "spoken"}, deal: stacked{"T22", "T21", "T7", "T20"}, script: []string{"A:three", "C:discard T7", "A:say call:T20", "B:say contra:game"}, move: "C:say", want: []string{}},
	{of: "OPT-FORCED-CONTRA-SPOKEN SK-8", options: options{"forced-contra": "spoken"}, deal: stacked{"T22", "T20"}, script: calling, move: "B:say compulsory:game", refused: "R-CALL-8"},
	{of: "OPT-CALL-AFTER-TDISC A-DCONTRA", options: options{"free-call": "none"}, deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say", want: []string{aDContra}},
	{of: "OPT-CALL-AFTER-TDISC OPT-DISC-XX A-DCONTRA", options: options{"free-call": "none", "discard-xx": "forbidden"}, deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say", want: []string{}},
	{of: "OPT-COUNT-SIDE A-8", options: options{"count-side": "figure"}, deal: eight, script: calling, move: "B:say count:8", want: []string{aPart, a8}},
	{of: "OPT-COUNT-SIDE A-8", options: options{"count-side": "figure"}, deal: eightD, script: also(calling, "C:say contra:game"), move: "D:say count:8", want: []string{aOpp, a8}},
	{of: "OPT-COUNT-PAIS A-LE7", options: options{"count-pais": "true"}, deal: partnerB, script: calling, move: "B:say fig:trull", want: []string{aPart, aLE7}},
	{of: "OPT-COUNT-PAIS A-LE7", options: options{"count-pais": "true"}, deal: partnerB, script: calling, move: "C:say contra:game", want: []string{aOpp, aLE7}},
	{of: "OPT-COUNT-PAIS A-OPP", options: options{"count-pais": "true"}, deal: eightD, script: calling, move: "D:say count:8", want: []string{aOpp, a8}},
	{of: "OPT-COUNT-PAIS A-PART", options: options{"count-pais": "true"}, deal: eight, script: calling, move: "B:say fig:trull count:8", want: []string{aPart, a8}},
	{of: "OPT-FORCED-CONTRA-SPOKEN A-DCONTRA", options: options{"forced-contra": "spoken"}, deal: stacked{"T22", "T20"}, script: []string{"A:three", "B:discard T20", "A:say call:T20"}, move: "B:say compulsory:game", want: []string{"all of XT in {T20}"}},
	{of: "OPT-FORCED-CONTRA-SPOKEN A-DCONTRA", options: options{"forced-contra": "spoken"}, deal: stacked{"T22", "T7", "T20"}, script: []string{"A:three", "B:discard T7", "A:say call:T20"}, move: "B:say contra:game", want: []string{aOpp, aDContra}},

	// Play (62.4.7).
	{of: "OK-09 SK-9", deal: stacked{"T22", "T5"}, script: also(calling, "A:play T22"), move: "B:play T5", want: []string{open1}},
	{of: "SK-9", deal: stacked{"T22 HK", "HQ"}, script: also(calling, "A:play HK"), move: "B:play HQ", want: []string{open1}},
	{of: "P-VOID", deal: stacked{"T22 HK", "T5 T6 SQ DA DJ CT CJ CR CQ"}, script: also(calling, "A:play HK"), move: "B:play T5", want: []string{open1, "all of R in not hearts"}},
	{of: "P-VOIDNT", deal: stacked{"T22 HK", "SQ SR SJ DK DR CT CJ CR CQ"}, script: also(calling, "A:play HK"), move: "B:play SQ", want: []string{open1, "all of R in not hearts+tarokk"}},
	{of: "P-NOTAR", deal: stacked{"T22 HK", "SQ SR SJ DK DR CT CJ CR CQ"}, script: also(calling, "A:play T22"), move: "B:play SQ", want: []string{open1, "all of R in SUITS"}},
	{of: "P-NOTAR SK-2", deal: stacked{"T22 T21 HK", "SQ SR SJ DK DR CT CJ CR CQ"}, script: also(calling, "A:play T22", "B:play SQ", "A:play T21"), move: "B:play SR", want: []string{open1}},
	{of: "P-VOID SK-2 OK-10 P-VOIDNT", deal: stacked{"T22 HK", "SQ SR SJ DK DR CT CJ CR CQ"}, script: also(calling, "A:play T22", "B:play SQ", "A:play HK"), move: "B:play CT", want: []string{open1, "all of R in not hearts"}},
	{of: "P-VOID SK-2 OK-04", deal: stacked{"T22 HK HQ", "T5 T6 T7 SQ DK DR CT CJ CR", "HJ", "HR", "DA DJ DQ ST SJ SR"},
		script: also(calling, "A:play HK", "B:play T5", "B:play T6", "A:play T22", "A:play HQ"), move: "B:play T7", want: []string{open1}},
	{of: "P-VOIDNT SK-2 OK-11", deal: stacked{"T22 HK HQ CK", "T5 CJ CT SK SQ SR SJ DQ DK", "HJ CQ", "HR CR", "DA DJ T2 ST HA DR"},
		script: also(calling, "A:play HK", "B:play T5", "B:play CJ", "A:play CK", "A:play HQ"), move: "B:play SK", want: []string{open1, "all of R in SUITS"}},
	{of: "SK-4 OK-12", deal: stacked{"T22 HK CK", "CT T2 T3 T4 T5 T6 T7 T8 T9", "CJ", "CR"}, script: also(calling, "B:say count:8", "A:play CK", "B:play CT", "A:play HK"), move: "B:play T5", want: []string{open1}},
	{of: "SK-4", deal: stacked{"T22 HK CK", "CT T2 T3 T4 T5 T6 T7 T8 T9", "CJ", "CR"}, script: also(calling, "B:say count:8", "A:play HK"), move: "B:play T5", want: []string{open1, "all of R in not hearts"}},
	{of: "SK-4", deal: stacked{"T22 HK", "T2 T3 T4 T5 T6 T7 T8 T9 T10"}, script: also(calling, "B:say count:9", "A:play HK"), move: "B:play T5", want: []string{open1}},
	{of: "SK-3 P-VOID", deal: stacked{"T22 HK HQ", "HA T5 T6 SQ CT CJ CR CQ CK", "HJ", "HR", "DA DJ DQ ST SJ SR"},
		script: also(calling, "A:play HK", "B:play HA", "C:play HJ", "D:play HR", "A:play HQ"), move: "B:play T5", want: []string{open1}},
	{of: "SK-3 P-VOIDNT", deal: stacked{"T22 T21 T20 T19 T18 T17 HK DK CK", "T2 T3 T4 T5 T6 T7 SQ SR SJ", "T8 T9 T10 T11 T12 T13 CT CJ CR", "T1 T14 T15 T16 HQ HR DQ DR DJ", "HA HJ DA ST CQ SK"},
		script: also(calling, "A:play T22", "A:play T21", "A:play T20", "A:play T19", "A:play T18", "A:play T17", "A:play HK"), move: "B:play SQ", want: []string{open1, "all of R in not hearts"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T1 HK CT CJ CR CQ SQ SR SK"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, move: "B:play T1", want: []string{open1, "all of R in SUITS"}},
	{of: "P-PAG-S", deal: stacked{"DK", "T1 HK CT CJ CR CQ SQ SR SK"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play DK"}, move: "B:play T1", want: []string{open1, "all of R in not diamonds+tarokk"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T1 T9"}, script: []string{"B:three", "B:say call:T20", "A:play T2"}, move: "B:play T1", want: []string{open1}},
	{of: "P-PAG-S P-VOID", deal: stacked{"DK", "T1 T9 CT CJ CR CQ SQ SR SK"}, script: []string{"B:three", "B:say call:T20", "A:play DK"}, move: "B:play T1", want: []string{open1, "all of R in not diamonds"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "C:say contra:game", "A:play T2"}, move: "C:play T1", want: []string{open1}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, move: "C:play T1/DEF", want: []string{open1, "all of R in not T20"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 HK CT CJ CR CQ SQ SR SK", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, move: "C:play T1", want: []string{open1, "all of R in SUITS"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 T20", "T21"}, script: []string{"B:three", "B:say call:T20", "D:say contra:game fig:pagat_ultimo", "A:play T2"}, move: "C:play T1/DEC", want: []string{open1, "1 of R in {T20}"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 T20", "T21"}, script: []string{"B:three", "B:say call:T20", "D:say contra:game fig:pagat_ultimo", "A:play T2"}, move: "C:play T1/DEF", refused: "R-PLAY-7"},
	{of: "P-PAG-S", deal: stacked{"DK", "T22", "T1 T9 T20 CT CJ CR SQ SR SK", "T21"}, script: []string{"B:three", "B:say call:T20", "D:say contra:game fig:pagat_ultimo", "A:play DK"}, move: "C:play T1/DEC", want: []string{open1, "1 of R in {T20}", "all of R in not diamonds"}},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 T9", "T21 CT CJ CR CQ CK"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "D:say contra:game fig:pagat_ultimo", "A:play T2"}, move: "C:play T1/DEF", refused: "R-PLAY-7"},
	{of: "P-PAG-T", deal: stacked{"T2", "T22", "T1 HK CT CJ CR CQ SQ SR SK", "T21 T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:say contra:game fig:pagat_ultimo", "A:play T2"}, move: "C:play T1", want: []string{open1, "all of R in SUITS"}},
	{of: "P-PAG-T AMB-15", options: options{"pagat-retention": "any-holder"}, deal: stacked{"T2", "T22", "T1 HK CT CJ CR CQ SQ SR SK", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "C:say contra:game", "A:play T2"}, move: "C:play T1", want: []string{open1, "all of R in SUITS"}},
	{of: "P-PAG-T AMB-15", options: options{"pagat-retention": "any-holder"}, deal: stacked{"T2", "T22", "T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, move: "C:play T1/DEF", refused: "R-PLAY-7"},
	{of: "P-PAG-T", deal: stacked{"T2", "T22 T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2", "B:play T22"}, move: "B:play T1", refused: "R-PLAY-6"},
	{of: "P-PAG-T", deal: stacked{"T2", "T22 T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20", "A:play T2", "B:play T22"}, move: "B:play T1", want: []string{open1}},

	{of: "OPT-DECK-RED-LOW", options: options{"red-low": "four"}, deal: stacked{"T22 H4"}, script: calling, move: "A:play HA", refused: "no card of the pack"},

	{of: "OK-05 SK-1", deal: tarokksAlone, script: eightTricks("A:say count:9 call:T19"), move: "A:play T1", want: []string{open1}},
	{of: "OK-05 SK-1", deal: tarokksAlone, script: eightTricks("A:say count:9 call:T19 fig:pagat_ultimo"), move: "A:play T1", want: []string{open1}},

	// After the deal (62.4.8).
	{of: "E-OPEN", deal: drawnThree, script: []string{"A:three", "A:discard HA HJ T20"}, move: "A:open HA HJ", want: []string{"open 2"}},
	{of: "E-OPEN", deal: drawnThree, script: []string{"A:three", "A:discard HA HJ T20"}, move: "B:open DA", want: []string{open1}},
	{of: "E-FEE", members: 5, options: options{"talon-fee": "true"}, deal: stacked{"T21", "", "", "", "HA HJ HR T22"}, script: []string{"A:three"}, move: `B:fee {"fee":["T1","T21","T22"]}`, refused: "OPT-TALON-HONOUR-FEE"},
	{of: "OPT-TALON-HONOUR-FEE", members: 5, options: options{"talon-fee": "true"}, deal: stacked{"T22 T20", "", "", "", "T21 T1 DA DJ HA HJ"}, script: []string{"A:three"}, move: `A:fee {"fee":["T21","T1"]}`, refused: "OPT-TALON-HONOUR-FEE"},
	{of: "OPT-TALON-HONOUR-FEE", members: 5, options: options{"talon-fee": "true"}, deal: stacked{"T21", "", "", "", "HA T22 HJ"}, script: []string{"A:three"}, move: "A:fee T22", want: []string{"1 of D in {T22}", "all of D in not T1 T21"}},
	{of: "OPT-TALON-HONOUR-FEE", members: 5, options: options{"talon-fee": "true"}, deal: stacked{"", "", "", "", "T22 T21 T1"}, script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes"}, move: "D:fee T1 T21 T22", want: []string{"all of D in HONOUR"}},
	{of: "OPT-TALON-HONOUR-FEE", members: 5, options: options{"talon-fee": "true"}, deal: stacked{"T21", "", "", "", "HA T22 HJ"}, script: []string{"A:three"}, move: "B:fee", want: []string{"all of D in NONHONOUR"}},
}

// What the rules demand of an honest move, and that it is taken with it: the
// catalogue, the skip rules, the honest cases and the options, line by line. All of
// it as 62.4 says, and all that 62.4 says: sets, bounds, cards and their order are
// hashed, and another program knows them from there alone.
func TestDemands(t *testing.T) {
	var met sync.Map
	t.Run("moves", func(t *testing.T) {
		for _, d := range catalogue {
			t.Run(d.of+" "+d.move, func(t *testing.T) {
				t.Parallel()
				d.demands(t, func(w specified) { met.Store(w, true) })
			})
		}
	})
	for _, w := range theCatalogue() {
		if _, is := met.Load(w); !is {
			t.Errorf("no move here demands %s", w)
		}
	}
}

// after is the table after some lines of the script, which is played once for all that begin so.
func (d due) after(t *testing.T, lines int) *scene {
	key := fmt.Sprint(d.members, d.options, d.deal, d.script[:lines])
	play, _ := scenesPlayed.LoadOrStore(key, sync.OnceValue(func() *scene {
		if lines == 0 {
			return newScene(t, tabletest.Config{Seats: d.members, Options: d.options}, d.deal)
		}
		return d.after(t, lines-1).run(d.script[lines-1])
	}))
	return play.(func() *scene)().branch(t)
}

var scenesPlayed sync.Map

func (d due) demands(t *testing.T, met func(specified)) {
	s := d.after(t, len(d.script))
	if d.refused != "" {
		s.refuses(d.move, d.refused)
		return
	}
	l := s.reach(d.move)
	move := s.move(l)
	if got := s.demands(l.player, move); !slices.Equal(got, d.want) {
		t.Errorf("demands %q, want %q", got, d.want)
	}
	var m tarokk.Move
	testmust.Do(t, json.Unmarshal(move, &m))
	terms := testmust.Have(s.State.MoveTerms(s.seat(l.player), move))(t)
	testmust.Do(t, unspecified(s.public(), l.player, m, terms, met))
	s.add(s.honest(s.seat(l.player), move))
}

// A skip rule or an honest case that nothing stands for.
func TestEveryDemandIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, d := range catalogue {
		for _, id := range strings.Fields(d.of) {
			tried[id] = true
		}
	}
	ids := idsIn(t, "honest_must_pass.json")
	for n := range 9 {
		ids = append(ids, "SK-"+string(rune('1'+n)))
	}
	for _, id := range ids {
		testmust.Hold(t, tried[id], "nothing stands for", id)
	}
}
