package announce_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

func noFreeCall(r *ruleset.Rules)    { r.FreeCall = "none" }
func noDiscardedXX(r *ruleset.Rules) { r.DiscardXX = "forbidden" }
func uninvitedXX(r *ruleset.Rules)   { r.DiscardXX = "uninvited" }
func dutyLater(r *ruleset.Rules)     { r.UltimoDuty = "exchanged" }
func countShows(r *ruleset.Rules)    { r.CountSide = "figure" }
func pais(r *ruleset.Rules)          { r.CountPais = true }
func spoken(r *ruleset.Rules)        { r.ForcedContra = "spoken" }

// The claims of the catalogue, about the called XX where one is called.
var (
	lacks  = func(id string, f card.Face) claim.Claim { return claim.Every(id, claim.Hand, deck.Not(card.SetOf(f))) }
	aPart  = claim.AtLeast("A-PART", 1, claim.Hand, card.SetOf(deck.XX))
	aOpp   = lacks("A-OPP", deck.XX)
	a8     = claim.Exactly("A-8", 8, claim.Hand, deck.Tarokks)
	a9     = claim.Every("A-9", claim.Hand, deck.Tarokks)
	aLE7   = claim.AtLeast("A-LE7", 2, claim.Hand, deck.Plain)
	aUlti  = claim.AtLeast("A-ULTI", 1, claim.Dealt, deck.BigHonours)
	clear  = claim.Every("A-DCONTRA", claim.TarokkOf, deck.Not(card.SetOf(deck.XX)))
	buried = claim.AtLeast("A-DCONTRA", 1, claim.TarokkOf, card.SetOf(deck.XX))
	callXX = "call:T20"
)

func claims(list ...claim.Claim) []claim.Claim { return list }

// Every claim is demanded exactly when the catalogue says so: one too few lets a
// cheat through, one too many blames an honest player.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		scene
		want []claim.Claim
	}{
		// 4.5: the call.
		{scene{"OK-01, C-XX, R-CALL-2: the XX needs no proof", book(), public(), nil, callXX}, nil},
		{scene{"C-XX where others discarded tarokks and the call is not free", book(noFreeCall), public(discarded(0, 1)), nil, callXX}, nil},
		{scene{"CH-17, C-BELOW, R-CALL-3: the next one", book(), public(), nil, "call:T19"},
			claims(claim.AtLeast("C-BELOW", 1, claim.Hand, card.SetOf(deck.XX)), lacks("C-BELOW", deck.XIX))},
		{scene{"CH-18, CH-19, C-BELOW: all above, and not itself", book(), public(), nil, "call:T17"},
			claims(claim.AtLeast("C-BELOW", 3, claim.Hand, card.SetOf(deck.XVIII, deck.XIX, deck.XX)), lacks("C-BELOW", deck.XVII))},
		{scene{"R-CALL-4, AMB-07: what lies face up is the declarer's without proof", book(), public(opened(deck.XIX)), nil, "call:T18"},
			claims(claim.AtLeast("C-BELOW", 1, claim.Hand, card.SetOf(deck.XX)), lacks("C-BELOW", deck.XVIII))},
		{scene{"R-CALL-4: all above lie face up", book(), public(opened(deck.XX)), nil, "call:T19"}, claims(lacks("C-BELOW", deck.XIX))},
		{scene{"OK-07, C-FREE, R-CALL-5, AMB-08", book(), public(discarded(0, 0, 1)), nil, "call:T5"}, nil},
		{scene{"R-CALL-5: the declarer's own discard frees nothing", book(), public(opened(deck.T(5))), nil, "call:T19"},
			claims(claim.AtLeast("C-BELOW", 1, claim.Hand, card.SetOf(deck.XX)), lacks("C-BELOW", deck.XIX))},
		{scene{"OPT-CALL-AFTER-TDISC", book(noFreeCall), public(discarded(0, 0, 1)), nil, "call:T19"},
			claims(claim.AtLeast("C-BELOW", 1, claim.Hand, card.SetOf(deck.XX)), lacks("C-BELOW", deck.XIX))},
		{scene{"C-FORCED, R-CALL-6", book(), public(invited(2, deck.XIX)), nil, "call:T19"}, nil},

		// A-PART, A-OPP.
		{scene{"OK-02, AMB-30: a silent partner proves nothing", book(), public(), []string{callXX}, ""}, nil},
		{scene{"CH-20, R-SIDE-2: the first figure is the partner's", book(), public(), []string{callXX}, "fig:trull"}, claims(aPart)},
		{scene{"CH-21, R-SIDE-3, R-CON-3: a contra is an opponent's", book(), public(), []string{callXX}, "contra:game"}, claims(aOpp)},
		{scene{"R-SIDE-1: a figure after a contra is an opponent's", book(), public(), []string{callXX, "contra:game", ""}, "fig:trull"}, claims(aOpp)},
		{scene{"R-SIDE-1: a figure after a rekontra is the partner's", book(), public(), []string{callXX, "contra:game", "contra:game"}, "contra:game"}, nil},
		{scene{"R-SIDE-3: a rekontra is the partner's", book(), public(), []string{callXX, "contra:game"}, "contra:game"}, claims(aPart)},
		{scene{"R-SIDE-3: a rekontra of the opponents' figure is theirs", book(), public(),
			[]string{callXX, "contra:game fig:trull", "", "", "contra:DEF.trull", ""}, "contra:DEF.trull"}, claims(aOpp)},
		{scene{"R-SIDE-4: contra first, then a figure", book(), public(), []string{callXX}, "contra:game fig:trull fig:four_kings"}, claims(aOpp)},
		{scene{"R-SIDE-5, SK-5: the declarer's side is public", book(), public(), nil, callXX + " fig:trull"}, nil},
		{scene{"R-SIDE-5, SK-5: said once, known for good", book(), public(), []string{callXX, "fig:trull", "", "", "count:8"}, "fig:double"}, nil},
		{scene{"R-SIDE-6, SK-5: the partner is known, so are the others", book(), public(), []string{callXX, "fig:trull"}, "fig:trull"}, nil},
		{scene{"AMB-10: two opponents do not make a partner of the third", book(), public(), []string{callXX, "contra:game", "fig:trull"}, "contra:game"}, claims(aPart)},
		{scene{"OK-08, R-CONV-14, SK-5: an inviter speaks", book(), public(invited(1, deck.XIX)), []string{"call:T19"}, "fig:trull"}, nil},
		{scene{"R-CONV-14, SK-5: and the others contra", book(), public(invited(1, deck.XIX)), []string{"call:T19", ""}, "contra:game"}, nil},
		{scene{"R-CALL-7: openly alone", book(), public(opened(deck.XX)), []string{callXX}, "fig:trull"}, nil},

		//
		{scene{"CH-22, CH-23, R-CNT-1", book(), public(), []string{callXX}, "count:8"}, claims(a8)},
		{scene{"R-CNT-1: nine", book(), public(), nil, "count:9 " + callXX}, claims(a9)},
		{scene{"R-CNT-6: a count does not show a side", book(), public(), []string{callXX, "contra:game", "count:8"}, "fig:trull"}, claims(aOpp)},

		// A-LE7.
		{scene{"CH-24, R-CNT-3", book(), public(), nil, callXX + " fig:pagat_ultimo"}, claims(aLE7)},
		{scene{"CH-25, R-CNT-3: the first contra", book(), public(), []string{callXX + " fig:pagat_ultimo"}, "contra:DEC.pagat_ultimo"}, claims(aOpp, aLE7)},
		{scene{"AMB-14: and no later step", book(), public(), []string{callXX, "fig:pagat_ultimo", "contra:DEC.pagat_ultimo", ""}, "contra:DEC.pagat_ultimo"}, nil},
		{scene{"R-CNT-3: another figure", book(), public(), nil, callXX + " fig:trull fig:volat"}, nil},
		{scene{"R-CNT-3: contra of another figure", book(), public(), []string{callXX + " fig:pagat_ultimo fig:trull"}, "contra:DEC.trull"}, claims(aOpp)},
		{scene{"SK-7: counted in the same turn", book(), public(), nil, "count:8 " + callXX + " fig:pagat_ultimo"}, claims(a8)},
		{scene{"SK-7: counted before", book(), public(), []string{"count:9 " + callXX, "", "", "fig:trull"}, "fig:pagat_ultimo"}, nil},
		{scene{"SK-7: proved before", book(), public(), []string{callXX + " fig:pagat_ultimo", "contra:DEC.pagat_ultimo fig:pagat_ultimo", "", ""}, "contra:DEF.pagat_ultimo"}, nil},
		{scene{"A-LE7 once for two reasons", book(), public(), []string{callXX + " fig:pagat_ultimo"}, "contra:DEC.pagat_ultimo fig:pagat_ultimo"}, claims(aOpp, aLE7)},

		// A-ULTI.
		{scene{"CH-26, CH-27, R-CONV-8: the cards as dealt", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19"}, ""}, claims(aUlti)},
		{scene{"AMB-06, ultimo-duty=exchanged", book(dutyLater), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19"}, ""},
			claims(claim.AtLeast("A-ULTI", 1, claim.Hand, deck.BigHonours))},
		{scene{"R-CONV-8: another figure is not enough", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19"}, "fig:trull"}, claims(aUlti)},
		{scene{"R-CONV-8: done", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19"}, "fig:pagat_ultimo"}, claims(aLE7)},
		{scene{"AMB-06 (iv): the declarer has announced it", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19 fig:pagat_ultimo"}, ""}, nil},
		{scene{"AMB-06 (iv): the opponents' ultimó is another", book(), public(invited(2, deck.XIX), mustUltimo(2)), []string{"call:T19", "fig:pagat_ultimo"}, ""}, claims(aUlti)},
		{scene{"AMB-06 (iii): in the first turn alone", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19", "", "", "fig:trull", ""}, ""}, nil},
		{scene{"R-CONV-8: the inviter alone", book(), public(invited(1, deck.XIX), mustUltimo(1)), []string{"call:T19", ""}, ""}, nil},
		{scene{"R-CONV-8: an invit with a big honour known", book(), public(invited(1, deck.XIX)), []string{"call:T19"}, ""}, nil},

		// A-DCONTRA.
		{scene{"CH-28, R-CALL-8", book(), public(discarded(0, 2)), []string{callXX}, ""}, claims(clear)},
		{scene{"R-CALL-8: said something else", book(), public(discarded(0, 2)), []string{callXX}, "count:8"}, claims(a8, clear)},
		{scene{"R-CALL-8: an opponent who contras a figure", book(), public(discarded(0, 2)), []string{callXX + " fig:trull"}, "contra:DEC.trull"}, claims(aOpp, clear)},
		{scene{"R-CALL-8: the contra is made", book(), public(discarded(0, 2)), []string{callXX}, "contra:game"}, claims(aOpp)},
		{scene{"AMB-09, SK-8: it was made before", book(), public(discarded(0, 0, 2)), []string{callXX, "contra:game"}, ""}, nil},
		{scene{"AMB-09: in the first turn alone", book(), public(discarded(0, 2)), []string{callXX, "", "", "count:8", ""}, ""}, nil},
		{scene{"SK-8: no tarokk discarded", book(), public(discarded(0, 0, 1)), []string{callXX}, ""}, nil},
		{scene{"SK-8: the partner is known", book(), public(discarded(0, 0, 1)), []string{callXX, "fig:trull"}, ""}, nil},
		{scene{"SK-8: the speaker is the partner", book(), public(discarded(0, 1)), []string{callXX}, "fig:trull"}, claims(aPart)},
		{scene{"SK-8: not by two opponents", book(), public(discarded(0, 0, 0, 1)), []string{callXX + " fig:trull", "contra:DEC.trull", "fig:trull"}, "fig:double"}, claims(aOpp, clear)},
		{scene{"SK-8: a binding invit", book(), public(discarded(0, 1), invited(2, deck.XIX)), []string{"call:T19"}, ""}, nil},
		{scene{"SK-8: the card lies face up", book(), public(discarded(0, 1), opened(deck.XX)), []string{callXX}, ""}, nil},
		{scene{"OPT-DISC-XX: it cannot lie in a discard", book(noDiscardedXX), public(discarded(0, 1)), []string{callXX}, ""}, nil},
		{scene{"OPT-DISC-XX, BGA-8: nor here", book(uninvitedXX), public(discarded(0, 1)), []string{callXX}, ""}, nil},
		{scene{"OPT-DISC-XX: another can", book(noDiscardedXX), public(discarded(0, 1)), []string{"call:T7"}, ""},
			claims(claim.Every("A-DCONTRA", claim.TarokkOf, deck.Not(card.SetOf(deck.T(7)))))},
		{scene{"the declarer has no such duty", book(), public(opened(deck.T(4))), nil, callXX}, nil},

		// OPT-FORCED-CONTRA-SPOKEN.
		{scene{"spoken", book(spoken), public(discarded(0, 1)), []string{callXX}, "compulsory:game"}, claims(buried)},
		{scene{"PAK-10, spoken: a contra of free will is said to be one", book(spoken), public(discarded(0, 1)), []string{callXX}, "contra:game"}, claims(aOpp, clear)},
		{scene{"spoken, R-CALL-7: then all sides are public", book(spoken), public(discarded(0, 1)), []string{callXX, "compulsory:game"}, "fig:trull"}, nil},

		// OPT-COUNT-SIDE, OPT-COUNT-PAIS.
		{scene{"OPT-COUNT-SIDE: the declarer's, before the call", book(countShows), public(), nil, "count:8 " + callXX}, claims(a8)},
		{scene{"OPT-COUNT-SIDE", book(countShows), public(), []string{callXX}, "count:8"}, claims(aPart, a8)},
		{scene{"OPT-COUNT-SIDE moves lastSide", book(countShows), public(), []string{callXX, "contra:game", "", "", "count:8", ""}, "fig:trull"}, claims(aPart)},
		{scene{"OPT-COUNT-PAIS: whoever speaks has no count", book(pais), public(), []string{callXX}, "fig:trull"}, claims(aPart, aLE7)},
		{scene{"OPT-COUNT-PAIS: or says it once he is known", book(pais), public(), []string{callXX}, "fig:trull count:8"}, claims(aPart, a8)},
		{scene{"OPT-COUNT-PAIS: a contra too", book(pais), public(), []string{callXX}, "contra:game"}, claims(aOpp, aLE7)},
		{scene{"OPT-COUNT-PAIS: who counts is no hidden partner", book(pais), public(), []string{callXX}, "count:8"}, claims(aOpp, a8)},
		{scene{"OPT-COUNT-PAIS: the known partner may", book(pais), public(invited(1, deck.XIX)), []string{"call:T19"}, "count:8"}, claims(a8)},
		{scene{"OPT-COUNT-PAIS: a pass says nothing", book(pais), public(), []string{callXX}, ""}, nil},
		{scene{"OPT-COUNT-PAIS: neither does the call", book(pais), public(), nil, callXX}, nil},
		{scene{"OPT-COUNT-PAIS, SK-7", book(pais), public(), []string{callXX, "fig:trull", "", "", "fig:double"}, "fig:volat"}, nil},
		{scene{"both: a count as an opponent", book(pais, countShows), public(), []string{callXX, "contra:game"}, "count:8"}, claims(aOpp, a8)},
	} {
		if _, _, got, err := c.speak(t); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\n got %v, %v\nwant %v", c.name, c.say, got, err, c.want)
		}
	}
}
