package toolbox_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	rules "github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/toolbox"
)

func ristretto(t testing.TB) proof.Suite {
	t.Helper()
	s, _ := suite.Lookup(suite.Default)
	return s
}

func open(t testing.TB, s proof.Suite, seats, faces int) *toolbox.Table {
	t.Helper()
	return testmust.Have(toolbox.Open(toolbox.Config{Suite: s, Seats: seats, Faces: faces}, rand.Reader))(t)
}

func play(t testing.TB, tb *toolbox.Table, script string) {
	t.Helper()
	testmust.Do(t, toolbox.Run(strings.NewReader(script), tb.Seats()))
}

// A script of the guide that does not run, with the proofs that people would make.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("../../docs/toolbox/*.txt")
	testmust.Requiref(t, err == nil && len(files) >= 3, "%v, %v", files, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b := testmust.Have(os.ReadFile(file))(t)
			c := testmust.Have(toolbox.ReadHead(string(b)))(t)
			c.Suite = ristretto(t)
			tb := testmust.Have(toolbox.Open(c, rand.Reader))(t)
			play(t, tb, string(b))
			_, over := tb.State().Result()
			testmust.Hold(t, over, "the table is not over")
		})
	}
}

// An operation of docs/spec/93 that no script of the guide shows, or one that the scripts
// show under another number.
func TestEveryOperationHasAScript(t *testing.T) {
	spec := testmust.Have(os.ReadFile("../../docs/spec/93-toolbox.md"))(t)
	script := testmust.Have(os.ReadFile("../../docs/toolbox/operations.txt"))(t)
	rows := regexp.MustCompile(`(?m)^\| (TB-\d\d) \|[^|]*\| (.*?) [|·]`).FindAllSubmatch(spec, -1)
	testmust.Requiref(t, len(rows) == 19, "%d operations in the specification", len(rows))
	for _, row := range rows {
		number, words := string(row[1]), regexp.MustCompile("`([a-z]+)").FindAllStringSubmatch(string(row[2]), -1)
		for _, w := range words {
			testmust.Holdf(t, regexp.MustCompile(`(?m)^!? ?(?:[A-H]|all): `+w[1]+`\b.*# .*`+number).Match(script),
				"%s: no line of the script does %q", number, w[1])
		}
		testmust.Holdf(t, words != nil || strings.Contains(string(script), number), "%s is not in the script", number)
	}
}

// Operations that lose, double or change a card: what a pile of every size shows after
// each of them must be what was put in.
func TestCardsStay(t *testing.T) {
	for _, n := range []string{"0", "0-1", "0-2", "0-41"} {
		tb := open(t, clear.Suite{}, 2, 42)
		play(t, tb, "A: create p "+n+"\nA: mask p\nall: mix p\nall: cut p\nB: equal p q\nA: take q 0 r\nB: insert r/0 q\nA: deal q 1 A\nA: return hand/0 q")
		want := tb.Seat(0).Piles()["q"]
		for len(tb.Seat(0).Piles()["q"]) > 0 {
			play(t, tb, "A: show q/0")
		}
		var seen []card.Face
		for _, c := range want {
			seen = append(seen, tb.State().Faces()[c])
		}
		slices.Sort(seen)
		for i, f := range seen {
			testmust.Requiref(t, int(f) == i, "pile of %s: %v", n, seen)
		}
	}
}

// What must not be done, and could be: each is refused by its rule, and nothing is signed.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ before, refused, why string }{
		{"", "A: mix stock", "TB-PILE"},
		{"A: create p 0-2", "A: deal p 1 B", "TB-OPEN"},
		{"A: create p 0-2", "A: show p/0", "TB-OPEN"},
		{"A: deck\nA: deal deck 2 A", "B: give A/0 A", "TB-HAND"},
		{"A: deck\nA: deal deck 2 A", "B: return A/0 deck", "TB-HAND"},
		{"A: create p 0,0\nA: mask p\nA: deal p 2 A", "A: state 0 1 1 hand/0", "was minted"},
		{"A: create p 0\nA: mask p\nA: deck\nA: create p 0\nA: join deck p\nA: mix deck\nA: deal deck 3 A", "A: state 0 0 3 hand/0 hand/1", "was minted"},
		{"A: create p 0-3", "A: number 1", "TB-19"},
		{"A: create p 0-3", "A: number 2147483648", "TB-19"},
		{"A: create p 0-3", "A: private q 7 of 1,2", "none of those"},
		{"A: create p 0-3\nA: create q 1", "A: equal p q", "TB-11"},
		{"A: create p 0-3", "A: create P 1", "TB-NAME"},
		{"A: create p 0-3", "A: create q 300", "no face 300"},
		{"A: create p 0-3", "A: private q 65536 of 0,1", "no face 65536"},
		{"A: create p 0-3", "A: private q 0-1 of 0,1", "one face"},
		{"A: create p 0-3", "A: create q 3-1", "TB-FACES"},
		{"A: create p 0-3", "A: random q 3-1", "TB-FACES"},
		{"A: deck\nA: deal deck 1 A", "A: state 0 0 0", "TB-CARDS"},
		{"A: end", "A: deck", "over"},
		{"A: deck\nA: deal deck 1 A\nA: show hand/0", "A: return hand/0 deck", "no card"},
	} {
		tb := open(t, clear.Suite{}, 2, 4)
		play(t, tb, c.before)
		n := len(tb.Entries())
		testmust.FailSaying(t, toolbox.Run(strings.NewReader(c.refused), tb.Seats()), c.why, c.refused)
		testmust.Holdf(t, len(tb.Entries()) == n || n <= 1, "%s: something was signed", c.refused)
	}
}

// A private card that its maker cannot read, or another can.
func TestPrivate(t *testing.T) {
	tb := open(t, ristretto(t), 2, 8)
	play(t, tb, "A: private p 5 of 4,5,6\nB: deal p 1 B")
	for _, f := range tb.Seat(1).Hand() {
		testmust.Equal(t, f, 5, "the card shows")
	}
	testmust.Hold(t, len(tb.Seat(0).Hand()) == 0 && len(tb.State().Hand(table.Seat(1))) == 1, "the card is in another hand")
}

// source is random until it repeats itself, as that of a machine which is restored from a snapshot.
type source struct{ repeats bool }

func (s *source) Read(b []byte) (int, error) {
	if !s.repeats {
		return rand.Read(b)
	}
	return copy(b, make([]byte, len(b))), nil
}

// A random source that repeats itself: shares come twice, so that who has seen one chooses the next number,
// and cards that are made at random have one face.
func TestRepeatedSource(t *testing.T) {
	s := new(source)
	tb := testmust.Have(toolbox.Open(toolbox.Config{Suite: clear.Suite{}, Seats: 2, Faces: 52}, s))(t)
	play(t, tb, "A: create p 0\nA: mask p")
	s.repeats = true
	shares, faces := map[string]int{}, map[card.Face]bool{}
	for n := range 3 {
		testmust.Have(tb.Seat(0).Number(6))(t)
		public, _ := table.Public[rules.State](tb.State())
		for seat, share := range public.Throw.Shares {
			text, _ := share.MarshalText()
			before, twice := shares[string(text)]
			testmust.Holdf(t, !twice, "the share of seat %d in throw %d was there before: %d", seat, n, before)
			shares[string(text)] = n
		}
	}
	for range 6 {
		before := len(tb.Seat(0).Hand())
		play(t, tb, "A: random q 0-51\nA: deal q 1 A")
		testmust.Require(t, len(tb.Seat(0).Hand()) == before+1, "no card came to the hand")
	}
	for _, f := range tb.Seat(0).Hand() {
		faces[f] = true
	}
	testmust.Hold(t, len(faces) >= 3, "6 cards of any face have", len(faces), "faces")
}
