package games_test

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/transcript"
	"github.com/pakli/pakli/protocol/wire"
)

// A game that a genesis entry cannot name, or names in two ways.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range games.Catalogue() {
		name := g.Name()
		testmust.Holdf(t, regexp.MustCompile(`^[a-z-]+/v[1-9][0-9]*$`).MatchString(name) && !seen[name],
			"name %q is taken or not of the form <game>/v<N>", name)
		seen[name] = true
		found, ok := games.Lookup(name)
		testmust.Holdf(t, ok && found.Name() == name, "Lookup(%q) finds %v", name, found)
	}
	_, ok := games.Lookup("schwarzer-peter")
	testmust.Hold(t, !ok, "a name without version is found")
	testmust.Hold(t, len(seen) != 0, "no games")
}

// Of Skat: three seats, 32 cards.
const seats, faces = 3, 32

// A figure in the comparison with LibTMCG that is no longer what a card, or a deal of Skat, takes: a proof that has
// grown. Deals over squares are played with PAKLI_SUITES=all alone.
func TestListing(t *testing.T) {
	page := string(testmust.Have(os.ReadFile("../../docs/benchmarks.md"))(t))
	ends := func(row string, figures string) {
		t.Helper()
		testmust.Holdf(t, regexp.MustCompile(`(?m)^\| `+regexp.QuoteMeta(row)+`.* \| `+regexp.QuoteMeta(figures)+` \|$`).MatchString(page),
			"docs/benchmarks.md: the row of %s must end with %s", row, figures)
	}
	ends("residues [Sch98], ℓ = 1024 |", thousands(8*matrixSize(t, 1024)))
	ends("`"+schindelhauer.Name2048+"` |", thousands(8*matrixSize(t, 2048)))
	for _, name := range []string{"ristretto255-bayergroth/v1", "sra255-bayergroth/v1", "sra3072-disclosed/v1", "qr2048-bayergroth/v1", "qr3072-bayergroth/v1"} {
		ends("`"+name+"` |", thousands(8*cardSize(t, name)))
	}
	for _, name := range testmust.ThoroughSuites([]string{suite.Default, "qr2048-bayergroth/v1", "qr3072-bayergroth/v1"}) {
		g, _ := games.Lookup("skat/v1")
		c := tabletest.Config{Seats: seats, Deals: 1, Options: map[string]string{"concede": "off", "claim": "off"}}
		c.Suite, _ = suite.Lookup(name)
		played := testmust.Have(tabletest.Play(g, c, 3))(t)
		deal := func(name string, bytes int) {
			ends(fmt.Sprintf("`%s`, %d entries |", name, len(played.Entries)), thousands(bytes)+" | "+thousands(bytes/seats))
		}
		if deal(name, size(played)); name == "qr2048-bayergroth/v1" { // the same deal with other proofs of its shuffles
			deal("qr2048-cutandchoose/v1", size(played)+seats*(cutandchoose.Size(group.Squares2048(), faces)-8*bayergroth.Size(group.Squares2048(), faces)))
		}
	}
}

// matrixSize is that of a masked card of Skat by residues, in bytes: of as many numbers whatever their length.
func matrixSize(t *testing.T, bits int) int {
	t.Helper()
	const short = 256
	s := schindelhauer.Prover(schindelhauer.New("listing", short))
	var keys []proof.Key
	var x proof.Secret
	for range seats {
		x = testmust.Have(s.NewSecret(rand.Reader))(t)
		keys = append(keys, x.Key())
	}
	joint := testmust.Have(s.Encoding().Joint(keys))(t)
	at := transcript.Bind("listing", "skat/v1", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "shuffle", 0)
	out, _, err := x.Shuffle(at.Slot(0), joint, skat(t, s).Cards(), rand.Reader)
	testmust.Do(t, err)
	return len(out[0].Bytes()) * bits / short
}

// cardSize is that of a card of Skat's deck, in bytes.
func cardSize(t *testing.T, name string) int {
	t.Helper()
	s, _ := suite.Lookup(name)
	return len(skat(t, s).Cards()[0].Bytes())
}

// skat is a deck of as many cards.
func skat(t *testing.T, s proof.Suite) proof.Deck {
	t.Helper()
	names := make([]string, faces)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	d := testmust.Have(card.NewDeck("listing", names))(t)
	return testmust.Have(s.Encoding().Deck(d))(t)
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Games that can be played with the suite of everybody's machine alone: a deal of each over
// squares, with all its proofs, which every seat verifies.
func TestSquares(t *testing.T) {
	if os.Getenv("PAKLI_SUITES") != "all" {
		t.Skip("NOT RUN without PAKLI_SUITES=all: minutes of arithmetic for the code that plays with the default suite")
	}
	for game, c := range map[string]tabletest.Config{
		"schwarzer-peter/v1": {Seats: 2, Options: map[string]string{"rules": "article"}},
		"five-card-draw/v1":  {Seats: 2, Options: map[string]string{"rules": "by-email"}},
		"skat/v1":            {Seats: 3},
		"tarokk/v1":          {Seats: 4},
	} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			g, ok := games.Lookup(game)
			testmust.Require(t, ok, "no such game")
			c.Suite, _ = suite.Lookup("qr2048-bayergroth/v1")
			c.Deals = 1
			played := testmust.Have(tabletest.Play(g, c, 3))(t)
			_, over := played.State.Result()
			testmust.Holdf(t, over, "the table is not over after %d entries", len(played.Entries))
			t.Logf("%d entries, %d bytes", len(played.Entries), size(played))
		})
	}
}

// size is that of all entries with what is attached to them.
func size(t *tabletest.Table) (n int) {
	for _, entry := range t.Entries {
		n += len(entry)
	}
	return n
}

// A table that opens although its first shuffle fits no entry, or its proof no message: 31.1.8.
func TestLargeDecksAreRefused(t *testing.T) {
	g, _ := games.Lookup("toolbox/v1")
	for suiteName, most := range map[string]int{"qr3072-bayergroth/v1": 63, "qr2048-bayergroth/v1": 94, "qr2048-cutandchoose/v1": 70} {
		for _, n := range []int{most, most + 1} {
			c := tabletest.Config{Seats: 2, Options: map[string]string{"faces": fmt.Sprint(n)}}
			c.Suite, _ = suite.Lookup(suiteName)
			_, err := tabletest.New(g, c, 1)
			testmust.Equal(t, err != nil && strings.Contains(err.Error(), "choose another suite"), (n > most), suiteName, n, "cards", err)
		}
	}
}

// A game that panics, or asks for what cannot be done, when a deal is undone anywhere, a seat
// has another holder, or the table stops and goes on; one whose deals that are over change, or
// are lost; and one at which points come from nowhere.
func TestEndingsOfEveryGame(t *testing.T) {
	seats := map[string]int{"tarokk/v1": 4, "skat/v1": 3}
	seeds := uint64(1)
	if testmust.Thorough() {
		seeds = 8
	}
	for _, game := range games.Catalogue() {
		for seed := range seeds {
			n := max(seats[game.Name()], 2)
			tb := testmust.Have(tabletest.New(game.Rules, tabletest.Config{Seats: n, Deals: 4, Ends: &wire.Ends{Late: wire.LateForfeit, Forfeit: 7, Resign: true, Agree: true}}, seed))(t)
			r, over := mathrand.New(mathrand.NewPCG(seed, 1)), []table.Line{}
			for range 500 {
				if tb.State.IsOver() {
					break
				}
				var err error
				if _, stopped := tb.State.GoneSeat(); !stopped && r.IntN(25) > 0 {
					err = tb.Play(1)
				} else {
					err = anyAct(tb, r, n)
				}
				testmust.Do(t, err, game.Name(), "seed", seed)
				now := tb.State.Sheet().Deals
				if len(now) < len(over) || !slices.EqualFunc(now[:len(over)], over, func(a, b table.Line) bool { return a.Deal == b.Deal && slices.Equal(a.Payments, b.Payments) }) {
					t.Fatalf("%s, seed %d: of %v is left %v", game.Name(), seed, over, now)
				}
				over = now
			}
			if !tb.State.IsOver() {
				testmust.Do(t, tb.Add(tb.RulingAct(wire.KindClose, wire.CloseBody{})))
			}
			result, ended := tb.State.Result()
			if !ended || !slices.Equal(result, tb.State.Sheet().Sums(n)) {
				t.Errorf("%s, seed %d: %t with %v, the sheet has %v", game.Name(), seed, ended, result, tb.State.Sheet())
			}
			if s, err := tabletest.Replay(tb.Entries, tb.Catalogue()); err != nil || tabletest.Fingerprint(s) != tabletest.Fingerprint(tb.State) {
				t.Errorf("%s, seed %d: a replay comes to another state: %v", game.Name(), seed, err)
			}
		}
	}
}

// anyAct does something of which some can be done anywhere; what is void changes nothing.
func anyAct(tb *tabletest.Table, r *mathrand.Rand, seats int) error {
	seat := table.Seat(r.IntN(seats))
	var entry []byte
	switch r.IntN(6) {
	case 0:
		entry = tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal})
	case 1:
		entry = tb.ActOf(seat, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})
	case 2:
		for seat := range table.Seat(seats) {
			_ = tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})) // void where no deal is open
		}
		return nil
	case 3, 4:
		entry = tb.RulingAct(wire.KindBack, wire.EmptyBody{})
	default:
		h, reseat, err := tb.Substitute(seat)
		if err != nil {
			return err
		}
		if tb.Add(reseat) == nil {
			return tb.SitDown(h)
		}
		return nil
	}
	_ = tb.Add(entry) // void where it cannot be done
	return nil
}

// A draw that stops, blames an honest seat, or lets an attack through.
func TestDraw(t *testing.T) {
	tabletest.Run(t, play.NewGame(games.Draw{}),
		tabletest.Config{Seats: 2, Playouts: 4},
		tabletest.Config{Seats: 5, Deals: 2, Playouts: 2},
		tabletest.Config{Seats: 16, Playouts: 1},
	)
}

// A draw whose terms leave somebody room: options, or nobody who shuffles besides.
func TestTermsOfADraw(t *testing.T) {
	for name, c := range map[string]table.Config{
		"one seat": {Seats: 1, Deals: 1}, "many seats": {Seats: 17, Deals: 1},
		"an option": {Seats: 3, Deals: 1, Options: map[string]string{"faces": "6"}},
	} {
		_, _, err := (games.Draw{}).Setup(c)
		testmust.Fail(t, err, name, "taken")
	}
}

// small is a game of nine cards, three of each of the classes 0, 1 and 2; 2 is trump,
// and who cannot follow must trump.
type small struct{}

func (small) Class(f card.Face) int { return int(f) / 3 }

func (small) Cards(class int) card.Set {
	first := card.Face(3 * class)
	return card.SetOf(first, first+1, first+2)
}

func (small) Follow(led int) []int { return slices.Compact([]int{led, 2}) }

func (g small) Beats(f, best card.Face) bool {
	if g.Class(f) != g.Class(best) {
		return g.Class(f) == 2
	}
	return f > best
}

func (small) Points(f card.Face) int { return int(f) % 3 }

// A trick won by a card that neither follows nor trumps, or by the lower of two.
func TestWinner(t *testing.T) {
	for _, c := range []struct {
		trick        []card.Face
		wins, points int
	}{
		{[]card.Face{0, 5, 2}, 2, 4}, {[]card.Face{0, 5, 4}, 0, 3}, {[]card.Face{2, 6, 5}, 1, 4},
		{[]card.Face{6, 2, 8, 7}, 2, 5}, {[]card.Face{4}, 0, 1},
	} {
		w, p := shared.TrickWinner(small{}, c.trick), shared.TrickPoints(small{}, c.trick)
		testmust.Holdf(t, w == c.wins && p == c.points, "%v: card %d takes %d points, want %d, %d", c.trick, w, p, c.wins, c.points)
	}
}

// A class that must be proved and is not, one that the card played answers for, one
// that everybody knows.
func TestLacking(t *testing.T) {
	nothing := func(int) bool { return false }
	for _, c := range []struct {
		led, played card.Face
		known       func(int) bool
		want        []int
	}{
		{0, 1, nothing, nil},
		{0, 7, nothing, []int{0}},
		{0, 4, nothing, []int{0, 2}},
		{0, 4, func(class int) bool { return class == 0 }, []int{2}},
		{0, 4, func(class int) bool { return class == 2 }, []int{0}},
		{6, 4, nothing, []int{2}},
		{6, 8, nothing, nil},
		{6, 4, func(int) bool { return true }, nil},
	} {
		got := shared.LackedClasses(small{}, c.led, c.played, c.known)
		testmust.Holdf(t, slices.Equal(got, c.want), "%d on %d: %v, want %v", c.played, c.led, got, c.want)
	}
}

// What may be played from an open hand is what leaves nothing to prove that is not so.
func TestMayIsWhatNothingSpeaksAgainst(t *testing.T) {
	g := small{}
	for bits := 1; bits < 1<<9; bits++ {
		var hand card.Set
		for f := range card.Face(9) {
			if bits>>f&1 == 1 {
				hand = hand.AddFace(f)
			}
		}
		for led := range card.Face(9) {
			may := shared.PlayableCards(g, []card.Face{led}, hand)
			for _, f := range hand.Faces() {
				rest := hand.Minus(card.SetOf(f))
				lies := slices.ContainsFunc(shared.LackedClasses(g, led, f, func(int) bool { return false }), func(class int) bool {
					return shared.CommonFaces(g.Cards(class), rest) != (card.Set{})
				})
				if may.Has(f) == lies {
					t.Fatalf("%d on %d with %v: may be played %v, proof would be false %v", f, led, hand.Faces(), may.Has(f), lies)
				}
			}
		}
		if shared.PlayableCards(g, []card.Face{}, hand) != hand {
			t.Fatalf("a leader with %v is bound", hand.Faces())
		}
	}
}

// A card of a game of the catalogue that has no picture, and a name that is no card
// and has one: then what comes from outside would get into the page.
func TestPictures(t *testing.T) {
	for game, names := range map[string]string{
		"tarokk/v1":          "T1 T9 T14 T21 T22 HA H4 HJ HR HQ HK DA D4 DK CT CJ CK ST SR SK",
		"schwarzer-peter/v1": "2C 3S 4H 5D 6C 7S 8H 9D 10C JS QH KD AC",
		"skat/v1":            "7C 8S 9H 10D JC QS KH AD",
	} {
		g := games.Scene(game)
		for _, name := range strings.Fields(names) {
			testmust.Hold(t, scene.FrenchPack.Draw(g.Face(name)) != "", game, name, "has no picture")
		}
		for _, bad := range []string{"", "0", "1a", "T23", "XX\"", "<b>", "H", "7H>", "ZZ", "<b>H", "\">H", "0H"} {
			testmust.Equal(t, scene.FrenchPack.Draw(g.Face(bad)), "", game, bad, "is drawn")
		}
	}
}
