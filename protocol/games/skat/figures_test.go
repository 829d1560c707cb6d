package skat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table"
)

// A pack in another order, which would be another deck (SK-R-01, SK-R-02, SK-R-07,
// AMB-S-01).
func TestPack(t *testing.T) {
	const order = "7C 8C 9C 10C JC QC KC AC 7S 8S 9S 10S JS QS KS AS 7H 8H 9H 10H JH QH KH AH 7D 8D 9D 10D JD QD KD AD"
	testmust.Equal(t, strings.Join(skat.FaceNames(), " "), order, "the pack")
	testmust.Equal(t, skat.PointsOf(skat.AllFaces), skat.TotalPoints, "points in all")
	for _, suit := range skat.Suits {
		testmust.Equal(t, skat.PointsOf(skat.Null.Cards(suit)), 30, "points of", suit)
	}
}

// A set of another size than proofs are made over (SK-R-06).
func TestSets(t *testing.T) {
	want := testmust.ReadVectors[map[string]any](t, vectorsFolder, "sets")
	size := func(name string, s card.Set) {
		testmust.Holdf(t, float64(s.Len()) == want[name], "%s has %d cards, want %v", name, s.Len(), want[name])
		delete(want, name)
	}
	size("DECK", skat.AllFaces)
	size("JACKS", skat.Jacks)
	size("TRUMP_SUIT", skat.HeartsGame.Cards(skat.Trump))
	size("TRUMP_GRAND", skat.Grand.Cards(skat.Trump))
	size("SUIT", skat.Grand.Cards(skat.Spades))
	size("SUIT_NULL", skat.Null.Cards(skat.Spades))
	delete(want, "TOP") // of n trumps, below
	testmust.Hold(t, len(want) <= 0, "not tested", want)
	for n := range 12 {
		testmust.Equal(t, skat.SpadesGame.Top(n).Len(), n, "cards of TOP", n)
	}
	testmust.Hold(t, skat.Grand.Cards(skat.Trump) == skat.Jacks && skat.Null.Cards(skat.Trump) == (card.Set{}),
		"the trumps of grand are the jacks, and null has none")
}

// An order of trumps with a gap: matadors and tricks would follow it (SK-R-03 to
// SK-R-05).
func TestOrder(t *testing.T) {
	for g, want := range map[skat.Game]string{
		skat.ClubsGame: "JC JS JH JD AC 10C KC QC 9C 8C 7C", skat.DiamondsGame: "JC JS JH JD AD 10D KD QD 9D 8D 7D",
		skat.Grand: "JC JS JH JD", skat.Null: "",
	} {
		var names []string
		for _, f := range g.Trumps() {
			names = append(names, skat.Face(f).String())
		}
		testmust.Equal(t, strings.Join(names, " "), want, g, "trumps")
	}
	for g, want := range map[skat.Game]string{skat.HeartsGame: "AS 10S KS QS 9S 8S 7S", skat.Grand: "AS 10S KS QS 9S 8S 7S", skat.Null: "AS KS QS JS 10S 9S 8S 7S"} {
		faces := faces(t, want)
		for i, f := range faces[1:] {
			testmust.Holdf(t, g.Beats(card.Face(faces[i]), card.Face(f)) && !g.Beats(card.Face(f), card.Face(faces[i])),
				"%s: %v does not beat %v", g, faces[i], f)
		}
	}
}

// A trick that goes to a discarded ace, or counts wrong (SK-R-34).
func TestTricks(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "tricks", func(t *testing.T, v struct {
		testmust.Vector
		Game   skat.Game
		Cards  []skat.Face
		Expect struct{ W, Pts int }
	}) {
		w, pts := shared.TrickWinner(v.Game, v.Cards), shared.TrickPoints(v.Game, v.Cards)
		testmust.Holdf(t, w == v.Expect.W && pts == v.Expect.Pts, "card %d takes %d points, want %d, %d", w, pts, v.Expect.W, v.Expect.Pts)
	})
}

// A jack that follows its suit, a duty to trump, a revoke from an open hand (SK-R-33).
func TestLegal(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "legal", func(t *testing.T, v struct {
		testmust.Vector
		Game   skat.Game
		Led    skat.Face
		Hand   []skat.Face
		Expect struct {
			Legal []skat.Face
			Due   string // package skat reads it
		}
	}) {
		got := shared.PlayableCards(v.Game, []skat.Face{v.Led}, skat.SetOf(v.Hand...))
		testmust.Equal(t, got, skat.SetOf(v.Expect.Legal...), "of which legal are", v.Expect.Legal)
		if all := shared.PlayableCards(v.Game, []skat.Face{}, skat.SetOf(v.Hand...)); all != skat.SetOf(v.Hand...) {
			t.Errorf("the leader may play %v alone", skat.Faces(all))
		}
	})
}

// A face with two spellings, or one that panics.
func TestFaces(t *testing.T) {
	for _, bad := range []string{`"jc"`, `"TC"`, `"10"`, `""`, `"JCC"`, `5`} {
		var f skat.Face
		testmust.Fail(t, json.Unmarshal([]byte(bad), &f), bad, "is read as", f)
	}
	if _, err := skat.Face(skat.DeckSize).MarshalText(); err == nil || skat.Face(skat.DeckSize).String() != "?" {
		t.Error("a card beyond the pack has a name")
	}
	all := skat.Faces(skat.AllFaces)
	text, err := json.Marshal(all)
	var again []skat.Face
	testmust.Holdf(t, err == nil && json.Unmarshal(text, &again) == nil && slices.Equal(all, again), "%s is read as %v", text, again)
}

// An option whose name or values differ from those that the specification has, which
// are hashed, or whose default is not its first (90.12).
func TestOptionsAreSpecified(t *testing.T) {
	text := testmust.Have(os.ReadFile(specRules))(t)
	rows := regexp.MustCompile("(?m)^\\| (OPT-[A-Z-]+) \\| `([a-z-]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(text), -1)
	defaults, err := skat.ParseRuleSet(table.Config{Seats: 3, Deals: 1})
	if err != nil || len(rows) != len(skat.Options()) {
		t.Fatalf("%d options are specified, there are %d: %v", len(rows), len(skat.Options()), err)
	}
	for i, o := range skat.Options() {
		var values []string
		for _, v := range regexp.MustCompile("`([^`+]+)`").FindAllStringSubmatch(rows[i][3], -1) {
			values = append(values, v[1])
		}
		testmust.Holdf(t, o.Source == rows[i][1] && o.Name == rows[i][2] && (o.Name == "bock" || slices.Equal(o.Values, values)),
			"%s %s %v, specified are %v", o.Source, o.Name, o.Values, rows[i][1:])
		if o.Value(defaults) != o.Values[0] || o.Value(defaults) != values[0] {
			t.Errorf("%s is %s by default", o.Name, o.Value(defaults))
		}
	}
}

// A set of events that reads as another, or that cannot be chosen (OPT-BOCK).
func TestBock(t *testing.T) {
	var bock []string
	for _, o := range skat.Options() {
		if o.Name == "bock" {
			bock = o.Values
		}
	}
	testmust.Requiref(t, len(bock) == 16, "%d sets of four events", len(bock))
	for _, v := range bock {
		r := testmust.Have(skat.ParseRuleSet(table.Config{Seats: 4, Deals: 1, Options: map[string]string{"bock": v}}))(t)
		var list []string
		for _, event := range skat.BockEvents {
			if r.MakesBock(event) {
				list = append(list, event)
			}
		}
		testmust.Equal(t, strings.Join(list, "+"), strings.TrimPrefix(v, skat.OptOff), v, "is read as")
	}
}

var errTurn = errors.New("it is another player's turn")

// A call with two spellings.
func TestCallsHaveOneSpelling(t *testing.T) {
	for _, bad := range []string{`"018"`, `"+18"`, `"Pass"`, `""`, `"1"`, `"0"`, `"20 "`, `18`} {
		var c skat.Call
		testmust.Fail(t, json.Unmarshal([]byte(bad), &c), bad, "is read as", c)
	}
	for _, c := range []skat.Call{skat.PassCall, skat.YesCall, 18, 264} {
		text, err := json.Marshal(c)
		var again skat.Call
		testmust.Holdf(t, err == nil && json.Unmarshal(text, &again) == nil && again == c, "%v is written %s and read %v", c, text, again)
	}
}

// A value that no game has, or one that is left out (SK-R-14).
func TestBids(t *testing.T) {
	want := testmust.ReadVectors[[]int](t, vectorsFolder, "bids")
	testmust.Holdf(t, slices.Equal(skat.BidValues, want), "values %v, want %v", skat.BidValues, want)
	checks := testmust.ReadVectors[struct {
		Count, Sum int
		Not        []int
	}](t, vectorsFolder, "bid_checks")
	sum := 0
	for _, n := range skat.BidValues {
		sum += n
	}
	testmust.Holdf(t, len(skat.BidValues) == checks.Count && sum == checks.Sum,
		"%d values with the sum %d, want %d, %d", len(skat.BidValues), sum, checks.Count, checks.Sum)
	for _, n := range checks.Not {
		testmust.Fail(t, testmust.ErrorOf(skat.ParseCall(skat.Call(n).String())), n, "is taken for a value")
	}
}

type vector struct {
	testmust.Vector
	Calls  []string
	Expect struct {
		PassedIn bool `json:"passed_in"`
		Declarer string
		Bid      int
		Illegal  *int
	}
}

// A call out of turn, one that is not above the last, a duel that goes to the wrong
// player (SK-R-15 to SK-R-21, AMB-S-02).
func TestAuctions(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "auctions", func(t *testing.T, v vector) {
		s := skat.NewAuction()
		for i, said := range v.Calls {
			who, what, _ := strings.Cut(said, ":")
			next, err := s, error(nil)
			if call, parsed := skat.ParseCall(what); parsed != nil {
				err = parsed
			} else if strings.Index("FMR", who) != s.Turn {
				err = errTurn
			} else {
				next, err = s.AfterCall(call)
			}
			illegal := v.Expect.Illegal != nil && *v.Expect.Illegal == i
			testmust.Requiref(t, illegal == (err != nil), "call %d, %s: illegal %v, the auction says %v", i, said, illegal, err)
			s = next
		}
		if v.Expect.Illegal != nil {
			return
		}
		testmust.Requiref(t, s.Phase == skat.AuctionOver && s.PassedIn() == v.Expect.PassedIn, "the auction ends as %+v", s)
		testmust.Holdf(t, v.Expect.PassedIn || "FMR"[s.Declarer:s.Declarer+1] == v.Expect.Declarer && s.Last == v.Expect.Bid,
			"player %d at %d, want %s at %d", s.Declarer, s.Last, v.Expect.Declarer, v.Expect.Bid)
	})
}

// A run of matadors that ends too early or too late, or is counted from another jack
// (SK-R-38).
func TestMatadors(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "matadors", func(t *testing.T, v struct {
		testmust.Vector
		Game   skat.Game
		Twelve []skat.Face
		Expect string
	}) {
		m := skat.CountMatadors(v.Game, skat.SetOf(v.Twelve...))
		got := fmt.Sprintf("without %d", m.N)
		if m.With {
			got = fmt.Sprintf("with %d", m.N)
		}
		testmust.Equal(t, got, v.Expect)
	})
}

// contract is the one that a vector's fields name: ouvert of a suit or grand contains
// Schwarz.
func contract(g skat.Game, hand bool, ann int, ouvert bool) skat.Contract {
	if ouvert && g != skat.Null {
		ann = skat.Schwarz
	}
	return skat.Contract{Game: g, Hand: hand, Ann: ann, Ouvert: ouvert}
}

// A level that counts twice or not at all, an overbid that is won, a bound off by one
// (SK-R-40 to SK-R-54, AMB-S-16).
func TestGames(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "games", func(t *testing.T, v struct {
		testmust.Vector
		Game         skat.Game
		Bid, Mat     int
		Pts, Tr, Ann int
		Hand, Ouvert bool
		Expect       struct {
			Won          bool
			Value, Score int
		}
	}) {
		r := contract(v.Game, v.Hand, v.Ann, v.Ouvert).PlayedResult(v.Bid, skat.Matadors{N: v.Mat}, v.Pts, v.Tr)
		testmust.Holdf(t, r.Won == v.Expect.Won && r.Value == v.Expect.Value && r.Score == v.Expect.Score, "%+v, want %+v", r, v.Expect)
	})
}

// A conceded game that counts a level which nobody reached, or is won though it is
// excluded (SK-R-56, SK-R-58).
func TestConcessions(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "concessions", func(t *testing.T, v struct {
		testmust.Vector
		By            string
		Game          skat.Game
		Bid, Mat, Ann int
		Hand, Ouvert  bool
		Def           [2]int
		Expect        int
	}) {
		c, m := contract(v.Game, v.Hand, v.Ann, v.Ouvert), skat.Matadors{N: v.Mat}
		r := c.ConcededResult(v.Bid, m)
		if v.By == "defenders" {
			r = c.GivenUpResult(v.Bid, m, skat.Defence{Points: v.Def[0], Tricks: v.Def[1]})
		}
		testmust.Equal(t, r.Score, v.Expect, r)
	})
}

// A claim that counts another level than was claimed (SK-R-59).
func TestClaims(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "claims", func(t *testing.T, v struct {
		testmust.Vector
		Game               skat.Game
		Bid, Mat, Hand     int
		Ann, Level, Expect int
	}) {
		c := contract(v.Game, v.Hand == 1, v.Ann, false)
		r := c.ClaimedResult(v.Bid, skat.Matadors{N: v.Mat}, v.Level)
		testmust.Holdf(t, r.Score == v.Expect, "%+v, want %d", r, v.Expect)
	})
}

// A tie, a virgin or a march that is scored as none (SK-R-70 to SK-R-72).
func TestRamsch(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "ramsch", func(t *testing.T, v struct {
		testmust.Vector
		Pts, Tricks, Expect [3]int
		Pushes              int
	}) {
		testmust.Equal(t, skat.ScoreRamsch(v.Pts, v.Tricks, v.Pushes), v.Expect)
	})
	testmust.Equal(t, skat.ScoreRamsch([3]int{0, 120, 0}, [3]int{0, 10, 0}, 3), [3]int{0, 960, 0}, "a march after three pushes (AMB-S-11)")
}

// A null below the bid that counts its own value (OPT-NULL-OVERBID).
func TestNullOverbid(t *testing.T) {
	contracts := map[int]skat.Contract{}
	for _, c := range []skat.Contract{{}, {Hand: true}, {Ouvert: true}, {Hand: true, Ouvert: true}} {
		c.Game = skat.Null
		contracts[c.OfNull()] = c
	}
	for _, v := range testmust.ReadVectors[[]struct {
		ID                      string
		Bid, NullValue          int
		Score, Kontra, Re, Bock int
		Seats                   int
		Events                  []int
		Expect                  any
	}](t, vectorsFolder, "options") {
		if v.NullValue == 0 {
			continue // package list reads the others
		}
		r := contracts[v.NullValue].NullOverbidResult(v.Bid)
		testmust.Holdf(t, r.Score == int(v.Expect.(float64)) && !r.Won, "%s: %+v, want %v", v.ID, r, v.Expect)
	}
}

// A bonus of the wrong height, for the wrong seat, or for a seat's own lost game
// (SK-R-62 to SK-R-65, OPT-SCORE).
func TestLists(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "lists", func(t *testing.T, v struct {
		testmust.Vector
		Seats             int
		Points, Won, Lost []int
		Seeger            []int
		Fabian            []int `json:"seeger-fabian"`
	}) {
		l := skat.Tally{Points: v.Points, Won: v.Won, Lost: v.Lost}
		for system, want := range map[string][]int{skat.OptClassic: v.Points, skat.OptBierlachs: v.Points, skat.OptSeeger: v.Seeger, skat.OptSeegerFabian: v.Fabian} {
			got := l.Sums(system)
			testmust.Holdf(t, slices.Equal(got, want) && len(got) == v.Seats, "%s: %v, want %v", system, got, want)
		}
	})
}

// A place that depends on the seat, or on fewer games won (SK-R-68, AMB-S-10).
func TestRanking(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "ranking", func(t *testing.T, v struct {
		testmust.Vector
		Sums, Won, Lost, Expect []int
	}) {
		l := skat.Tally{Points: v.Sums, Won: v.Won, Lost: v.Lost}
		got := l.Ranking(v.Sums)
		testmust.Holdf(t, slices.Equal(got, v.Expect), "%v, want %v", got, v.Expect)
	})
}

// A table of Bierlachs that goes on after its end, or on which the sitting dealer pays
// nothing (SK-R-66, AMB-S-09).
func TestBierlachs(t *testing.T) {
	testmust.EachVector(t, vectorsFolder, "bierlachs", func(t *testing.T, v struct {
		testmust.Vector
		Seats, Limit int
		Deals        [][2]int
		Expect       struct {
			Over   int
			Totals []int
		}
	}) {
		l := skat.NewTally(v.Seats)
		for i, d := range v.Deals {
			l = l.AddGame(d[0], d[1] > 0, skat.BierlachsPoints(v.Seats, d[0], d[1]))
			over := l.MinusOver(v.Limit)
			testmust.Requiref(t, over == (i+1 == v.Expect.Over), "after deal %d, %v: over %v", i+1, l.Points, over)
		}
		testmust.Hold(t, slices.Equal(l.Points, v.Expect.Totals), l.Points, "want", v.Expect.Totals)
	})
}

// A doubling that is lost, or that lasts a deal too long (SK-R-75, SK-R-77, SK-R-79).
func TestFactors(t *testing.T) {
	for _, v := range testmust.ReadVectors[[]struct {
		ID                      string
		Bid, NullValue          int
		Score, Kontra, Re, Bock int
		Seats                   int
		Events                  []int
		Expect                  any
	}](t, vectorsFolder, "options") {
		var got any
		switch {
		case v.NullValue != 0:
			continue // value.go reads those
		case v.Seats == 0:
			got = v.Score * skat.DealFactor(v.Kontra == 1, v.Re == 1, skat.Bock(v.Bock))
		default:
			var factors []any
			bock := skat.Bock(0)
			for _, events := range v.Events {
				factors = append(factors, skat.DealFactor(false, false, bock))
				bock = bock.AfterDeal(events, v.Seats)
			}
			got = factors
		}
		testmust.Equal(t, fmt.Sprint(got), fmt.Sprint(v.Expect), v.ID)
	}
}
