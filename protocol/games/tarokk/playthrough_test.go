package tarokk_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

//go:generate go test -run TestPlaythroughs -update .

// playthroughs are deals whose rest says as little as it may.
var playthroughs = []staging{
	{
		name:   "three", // a plain three, called XX, the partner silent
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "A:say call:T20"},
	},
	{
		name:   "invit", // an invit that binds the declarer to call its card
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:two", "B:one", "A:pass", "B:say call:T19", "A:say fig:trull"},
	},
	{
		name:   "yielded", // three, two, and the pass that shows XX and a big honour
		cards:  []stacked{{"T22 T20 T9 HK HQ", "T21 T19 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "B:two", "A:pass", "B:say call:T20"},
	},
	{
		name:   "trial-won", // the fourth bids without an honour and draws one
		cards:  []stacked{{"T22 T9 HK HQ", "T21 T10 DK", "T2 T8 CK", "T20 T18 T17 SK", "T1 HA HJ"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes", "D:say call:T20"},
	},
	{
		name:   "trial-lost", // and here draws none
		cards:  []stacked{{"T22 T9 HK HQ", "T21 T10 DK", "T1 T8 CK", "T20 T18 T17 SK", "T2 HA HJ"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial no"},
	},
	{
		name: "annulled", // four kings thrown in; the same dealer deals again, for double
		cards: []stacked{{"T22 T19 T9 HQ", "HK DK CK SK T10", "T1 T8", "T21 T18 T17"},
			{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK"}},
		script: []string{"A:three", "B:annul a", "A:three", "A:say call:T20"},
	},
	{
		name:  "contra", // a ladder up to the szubkontra, with counts of eight and nine
		cards: []stacked{{"T22 T19 T18 T17 T16 T15 T14 T13 HK", "T20 T2 DK", "T21 T12 T11 T10 T9 T8 T7 T6 T5", "T1 CK"}},
		script: []string{"A:three", "A:discard HA HJ HR", "A:say count:8 call:T20", "B:say", "C:say count:9 contra:game",
			"D:say", "A:say contra:game", "B:say", "C:say contra:game"},
	},
	{
		name:  "ultimo", // announced: the pagát is kept as long as there is another tarokk, and then falls
		cards: []stacked{{"T22 T20 T19 T18 T2 HK HQ DK CK", "T17 T1 HJ HR DR SJ SQ CR CT", "T21 T16 T15 DQ T3 T4 T5 T6 T7", "T14 T13 SK CJ CQ ST T8 T9 T10", "HA DA DJ SR"}},
		script: []string{"A:three", "A:discard HA DA DJ", "A:say call:T17", "B:say fig:pagat_ultimo", "C:say",
			"D:say contra:DEC.pagat_ultimo", "A:play T22", "B:play T17", "A:play T20", "B:play T1"},
	},
	{
		name:   "solo", // solo with the own XX called: alone against three, who do not know it
		cards:  []stacked{{"T22 T21 T20 T19 T18 T17 HK DK CK", "T1 HQ", "T16 DQ", "T15 CQ"}},
		script: []string{"A:solo", "A:say call:T20 fig:four_kings"},
	},
	{
		name:   "knock", // five members: packets after a knock, and fees for honours from the talon
		config: tabletest.Config{Seats: 5, Options: options{"deal-knock": "true", "talon-fee": "true"}},
		cards:  []stacked{{"", "", "", "", "T22 T21 T1 HA HJ HR"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:three", "D:trial yes", "D:say call:T20"},
	},
	{
		name:   "first-turn", // discards told only in each player's first turn
		config: tabletest.Config{Options: options{"discard-announce": "first-turn", "free-call": "none"}},
		cards:  []stacked{{"T22 T19 T9 HK HQ", "T21 T20 T10 DK", "T1 T8 CK", "T18 T17 SK", "T2 T3 HA T4"}},
		script: []string{"A:three", "A:discard T2 T3 HA", "B:discard T4", "A:say call:T20"},
	},
	{
		name:   "bga", // a pool that a thrown-in deal fills and an announced pagátultimó wins
		config: tabletest.Config{Options: options{"preset": "bga"}},
		cards:  []stacked{{}, {"T22 T21 T20 T18 T17 T16 T15 T14 T1", "T19 HK", "T2 DK", "T3 CK"}},
		script: []string{"A:pass", "B:pass", "C:pass", "D:pass", "A:three", "A:discard HA HJ HR", "A:say count:9 call:T19 fig:pagat_ultimo", "A:play T22", "A:play T21", "A:play T20", "A:play T18"},
	},
}

// courses are deals, or beginnings of them, that chance seldom brings and each of which may go wrong in its own way.
var courses = []staging{
	// R-SEAT-7, R-FIG-6: the XXI falls to the skíz of an opponent, or of the partner.
	{name: "hat", cards: []stacked{{"T22", "T21 HK DK CK SK HQ DQ CQ SQ", "T18", "T1"}}, script: also(calling, "A:play T22", "B:play T21")},
	{name: "no hat", cards: []stacked{{"T22", "T21 T20 HK DK CK SK HQ DQ CQ", "T18", "T1"}}, script: also(calling, "A:play T22", "B:play T21")},
	// R-CNT-5, R-CNT-2, R-PAY-3, AMB-19, E-LATE: a count that is claimed late, may not be, and was announced.
	{name: "late count", cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say call:T20", "A:claim yes"}},
	{name: "no late count", config: tabletest.Config{Options: options{"late-count": "never"}}, cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say call:T20"}},
	{name: "count", cards: []stacked{eightTarokks}, script: []string{"A:three", "A:discard HA HJ HR", "A:say count:8 call:T20"}},
	// R-PAY-5, OPT-TALON-HONOUR-FEE, OPT-DEALER-WEEPS, AMB-26, PAK-8, E-FEE: what the fifth member gets, twice in a double round.
	{name: "five", config: tabletest.Config{Seats: 5}, cards: []stacked{honoursInTalon}, script: []string{"A:three"}},
	{name: "fees", config: tabletest.Config{Seats: 5, Options: options{"talon-fee": "true"}}, cards: []stacked{honoursInTalon}, script: []string{"A:three", "A:fee T21", "B:fee T1"}},
	{name: "double fees", config: tabletest.Config{Seats: 5, Options: options{"talon-fee": "true"}}, cards: []stacked{{}, honoursInTalon}, script: also(allPass, "A:three", "A:fee T21", "B:fee T1")},
	{name: "dealer weeps", config: tabletest.Config{Seats: 5, Options: options{"dealer-weeps": "true"}}, cards: []stacked{honoursInTalon}, script: []string{"A:three"}},
	// R-CARD-6, OPT-DECK-RED-LOW: a red four is the ace under another name.
	{name: "red fours", config: tabletest.Config{Options: options{"red-low": "four"}}, cards: []stacked{{"T22 H4", "", "", "", "CT CJ CR"}}, script: []string{"A:three", "A:discard CT CJ CR", "A:play H4"}},
	// OPT-CONV-COMMIT, PAK-4, B-INV18-FAIL, B-INV17-FAIL, R-CONV-7: an invit whose maker has no turn left to show the card.
	{name: "broken", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: []stacked{{"T22 T18", "T21", "T1"}}, script: []string{"A:three", "B:solo", "A:hold", "B:confirm no"}},
	{name: "broken XVII", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares", "xvii": "pais"}}, cards: []stacked{{"T22 T18", "T21", "T1"}},
		script: []string{"A:three", "B:two", "A:hold", "B:solo", "A:hold", "B:confirm no"}},
	{name: "kept", config: tabletest.Config{Options: options{"invit-commit": "if-other-declares"}}, cards: []stacked{{"T22", "T21 T18", "T1"}}, script: []string{"A:three", "B:solo", "A:hold", "B:confirm yes", "A:say call:T18"}},
	// OPT-DEAL-KNOCK: who chooses packets, which he gets, and the deal that is cut all the same.
	{name: "packets of five", config: tabletest.Config{Seats: 5, Options: options{"deal-knock": "true"}}, script: []string{"D:knock yes", "D:packet 2", "C:packet 0", "B:packet 3", "A:pass"}, short: true},
	{name: "packets", config: tabletest.Config{Options: options{"deal-knock": "true"}}, script: []string{"C:knock yes", "C:packet 3", "B:packet 1", "A:packet 0", "A:pass"}, short: true},
	{name: "cut", config: tabletest.Config{Options: options{"deal-knock": "true"}}, script: []string{"C:knock no", "A:pass"}, short: true},
	// R-SESS-4, PAK-1: members who all say so end a session between deals; one who does not keeps it going.
	{name: "stop", config: tabletest.Config{Deals: 3, Options: options{"ending": "skiz"}}, cards: []stacked{noHonour}, script: also(lostTrial, "A:wish stop", "B:wish stop", "C:wish stop", "D:wish stop"), short: true},
	{name: "no stop", config: tabletest.Config{Deals: 3, Options: options{"ending": "skiz"}}, cards: []stacked{noHonour}, script: also(lostTrial, "A:wish stop", "B:wish stop", "C:wish stop", "D:wish go"), short: true},
}

var (
	eightTarokks   = stacked{"T22 T21 T19 T18 T17 T16 T15 T14 HK", "T20 HQ", "T1", "", "HA HJ HR"}
	honoursInTalon = stacked{"T22 T20", "", "", "", "T21 DA DJ T1 HA HJ"} // A draws the XXI, B the pagát
)

// The referee finds that each course is played, paid and ended as the rules have it.
func TestCourses(t *testing.T) {
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testmust.Have(judged(c.play(t, nil).Table))(t)
		})
	}
}

// What everybody and each seat sees of a deal from its first message to its
// payment, one deal for each of the courses it may take: a card shown to a seat
// that must not see it (R-TAL-3), or one of a lost trial that is opened (E-VOIDED), or a
// rule that changes unnoticed. The referee has agreed with each of them.
func TestPlaythroughs(t *testing.T) {
	for _, p := range playthroughs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := p.play(t, nil)
			testmust.Have(judged(s.Table))(t)
			title := strings.Join(append([]string{game.Name(), s.Config.String() + ":"}, p.script...), " ")
			tabletest.Compare(t, title, s.Table, "testdata/"+p.name+".playthrough.txt")
		})
	}
}
