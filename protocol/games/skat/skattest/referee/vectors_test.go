package referee

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
)

// vectors reads a group of the vectors of docs/spec/90.
func vectors[V any](t *testing.T, group string) []V {
	t.Helper()
	raw := testmust.Have(os.ReadFile(filepath.Join(skattest.Folder(), group+".json")))(t)
	var list []V
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d vectors, %v", group, len(list), err)
	}
	return list
}

// same fails a vector that came out otherwise.
func same(t *testing.T, id string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", id, got, want)
	}
}

// A referee who is wrong himself would pass wrong games: he is held to every vector of
// the specification first.
func TestBids(t *testing.T) {
	same(t, "bids", bidValues, vectors[int](t, "bids"))
}

func TestAuctions(t *testing.T) {
	for _, v := range vectors[struct {
		ID     string
		Calls  []string
		Expect struct {
			Passed   bool `json:"passed_in"`
			Declarer string
			Bid      int
			Illegal  *int
		}
	}](t, "auctions") {
		d := openDeal{skat: pack[30:]}
		for p := range d.hands {
			d.hands[p] = pack[10*p : 10*p+10]
		}
		for i, call := range v.Calls {
			who, word, _ := strings.Cut(call, ":")
			s := said{who: strings.Index("FMR", who), verb: "call"}
			s.n, _ = strconv.Atoi(word)
			if word == "yes" {
				s.n = yes
			}
			d.heard = append(d.heard, s)
			if _, _, err := d.tell(); (err != nil) != (v.Expect.Illegal != nil && *v.Expect.Illegal == i) {
				t.Errorf("%s: call %d: %v", v.ID, i, err)
			}
		}
		end, turns, err := d.tell()
		switch {
		case v.Expect.Illegal != nil:
		case err != nil:
			t.Errorf("%s: %v", v.ID, err)
		case v.Expect.Passed:
			same(t, v.ID, end != nil && end.how == "passed", true)
		default:
			same(t, v.ID, fmt.Sprint("FMR"[turns[0].who:turns[0].who+1], " ", turns[0].verb), v.Expect.Declarer+" take")
		}
	}
}

func TestMatadors(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game string
		Twelve   []string
		Expect   string
	}](t, "matadors") {
		same(t, v.ID, withWord(matadors(v.Game, v.Twelve)), v.Expect)
	}
}

func withWord(n int) string {
	if n < 0 {
		return fmt.Sprint("without ", -n)
	}
	return fmt.Sprint("with ", n)
}

func TestGames(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game      string
		Bid, Mat, Ann int
		Hand, Ouvert  bool
		Pts, Tr       int
		Expect        struct {
			Won          bool
			Value, Score int
		}
	}](t, "games") {
		e := tale{}
		if v.Game == "N" {
			e.settle(v.Tr == 0, nullValue(v.Hand, v.Ouvert))
		} else {
			e.won, e.value, e.score = worth(v.Game, v.Bid, v.Mat, v.Hand, v.Ann, v.Ouvert, v.Pts, v.Tr)
		}
		same(t, v.ID, []any{e.won, e.value, e.score}, []any{v.Expect.Won, v.Expect.Value, v.Expect.Score})
	}
}

func TestTricks(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game string
		Cards    []string
		Expect   struct{ W, Pts int }
	}](t, "tricks") {
		same(t, v.ID, [2]int{takes(v.Game, v.Cards), sum(v.Cards)}, [2]int{v.Expect.W, v.Expect.Pts})
	}
}

func TestLegal(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game, Led string
		Hand          []string
		Expect        struct {
			Legal []string
			Due   string
		}
	}](t, "legal") {
		var legal []string
		due := "none"
		for _, c := range v.Hand {
			d := tale{hold: [3][]string{v.Hand}}
			d.game, d.void[0] = v.Game, map[string]bool{}
			if d.mayPlay(0, []string{c}, []string{v.Led}) != nil {
				continue
			}
			legal = append(legal, c)
			if d.put(0, c, []string{v.Led}); len(d.due) > 0 {
				due = "no " + strings.Replace(strings.Fields(d.due[0])[2], "T", "trump", 1)
			}
		}
		same(t, v.ID, []any{legal, due}, []any{v.Expect.Legal, v.Expect.Due})
	}
}

func TestLists(t *testing.T) {
	for _, v := range vectors[struct {
		ID                        string
		Seats                     int
		Points, Won, Lost, Seeger []int
		Fabian                    []int `json:"seeger-fabian"`
	}](t, "lists") {
		l := sitting{n: v.Seats, score: "seeger", totals: v.Points, won: v.Won, lost: v.Lost}
		same(t, v.ID, l.result(), v.Seeger)
		l.score = "seeger-fabian"
		same(t, v.ID, l.result(), v.Fabian)
	}
}

func TestRamsch(t *testing.T) {
	for _, v := range vectors[struct {
		ID                  string
		Pts, Tricks, Expect [3]int
		Pushes              int
	}](t, "ramsch") {
		same(t, v.ID, ramschScores(v.Pts, v.Tricks, v.Pushes), v.Expect)
	}
}

func TestBierlachs(t *testing.T) {
	for _, v := range vectors[struct {
		ID           string
		Seats, Limit int
		Deals        [][2]int
		Expect       struct {
			Over   int
			Totals []int
		}
	}](t, "bierlachs") {
		l := sitting{n: v.Seats, score: "bierlachs", totals: make([]int, v.Seats), won: make([]int, v.Seats), lost: make([]int, v.Seats)}
		for i, d := range v.Deals {
			l.game(d[0], d[1], d[1] > 0)
			if over := slices.Min(l.totals) <= -v.Limit; over != (i+1 == v.Expect.Over) {
				t.Errorf("%s: after deal %d: %v", v.ID, i+1, l.totals)
			}
		}
		same(t, v.ID, l.result(), v.Expect.Totals)
	}
}

func TestConcessions(t *testing.T) {
	for _, v := range vectors[struct {
		ID, By, Game  string
		Bid, Mat, Ann int
		Hand, Ouvert  bool
		Def           [2]int
		Expect        int
	}](t, "concessions") {
		same(t, v.ID, conceded(v.By == "declarer", v.Game, v.Bid, v.Mat, v.Hand, v.Ann, v.Ouvert, v.Def[0], v.Def[1]), v.Expect)
	}
}

func TestClaims(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game                           string
		Bid, Mat, Hand, Ann, Level, Expect int
	}](t, "claims") {
		same(t, v.ID, claimed(v.Game, v.Bid, v.Mat, v.Hand == 1, v.Ann, false, v.Level), v.Expect)
	}
}

func TestOptions(t *testing.T) {
	for _, v := range vectors[struct {
		ID                     string
		Bid, Score, Kontra, Re int
		Bock, Seats            int
		Events                 []int
		Expect                 json.RawMessage
	}](t, "options") {
		var want any
		var got any
		switch v.ID[:3] {
		case "NUL":
			got = -2 * nextNull(v.Bid)
		case "KRE":
			e := tale{ending: ending{kontra: v.Kontra + v.Re, score: v.Score}}
			e.double()
			got = e.score << v.Bock
		case "BOC":
			l := sitting{n: v.Seats, totals: make([]int, v.Seats), won: make([]int, v.Seats), lost: make([]int, v.Seats)}
			var factors []int
			for _, n := range v.Events {
				factors = append(factors, l.enter(&ending{events: n, declarer: nobody}, [3]int{0, 1, 2}))
			}
			got = factors
		}
		raw, _ := json.Marshal(got)
		_ = json.Unmarshal(v.Expect, &want)
		wanted, _ := json.Marshal(want)
		same(t, v.ID, string(raw), string(wanted))
	}
}

func TestRanking(t *testing.T) {
	for _, v := range vectors[struct {
		ID                      string
		Sums, Won, Lost, Expect []int
	}](t, "ranking") {
		same(t, v.ID, ranks(v.Sums, v.Won, v.Lost), v.Expect)
	}
}

// dealVector is a whole deal, by places of the shuffled deck (SK-R-11).
type dealVector struct {
	ID, Declarer, Game string
	Deck               []string
	Bid                int
	Hand               bool
	Discards, Plays    []string
	Expect             struct {
		Winners  []string
		Due      [][]any
		Matadors string
		Pts, Tr  int
		Won      bool
		Value    int
		Score    int
	}
}

// heard is the vector as it was said: the declarer's bid is held in a duel or named at once.
func (v dealVector) heard() []said {
	calls := map[string][]said{
		"F": {{1, "call", v.Bid, "", false, nil}, {0, "call", 1, "", false, nil}, {1, "call", 0, "", false, nil}, {2, "call", 0, "", false, nil}},
		"M": {{1, "call", v.Bid, "", false, nil}, {0, "call", 0, "", false, nil}, {2, "call", 0, "", false, nil}},
		"R": {{1, "call", 0, "", false, nil}, {2, "call", v.Bid, "", false, nil}, {0, "call", 0, "", false, nil}},
	}[v.Declarer]
	d := strings.Index("FMR", v.Declarer)
	verb := map[bool]string{false: "take", true: "hand"}[v.Hand]
	list := append(calls, said{who: d, verb: verb}, said{who: d, verb: "announce", game: v.Game, cards: v.Discards})
	leader := 0
	for i, c := range v.Plays {
		list = append(list, said{who: (leader + i%3) % 3, verb: "play", cards: []string{c}})
		if i%3 == 2 {
			leader = (leader + takes(v.Game, v.Plays[i-2:i+1])) % 3
		}
	}
	return list
}

func TestDealVectors(t *testing.T) {
	for _, v := range vectors[dealVector](t, "deals") {
		d := openDeal{heard: v.heard()}
		d.hands, d.skat = dealt(v.Deck)
		end, turns, err := d.tell()
		if err != nil || turns != nil {
			t.Fatalf("%s: %v, %v", v.ID, turns, err)
		}
		var winners, due []string
		for _, p := range end.winners {
			winners = append(winners, "FMR"[p:p+1])
		}
		for _, e := range v.Expect.Due {
			due = append(due, fmt.Sprintf("%v %v %v %v", e...))
		}
		same(t, v.ID, winners, v.Expect.Winners)
		same(t, v.ID, end.due, due)
		if v.Expect.Matadors != "" {
			same(t, v.ID, withWord(end.matadors), v.Expect.Matadors)
		}
		same(t, v.ID, []any{end.points, end.tricks, end.won, end.value, end.score},
			[]any{v.Expect.Pts, v.Expect.Tr, v.Expect.Won, v.Expect.Value, v.Expect.Score})
	}
}

func TestDues(t *testing.T) {
	for _, v := range vectors[struct {
		ID, Game, Led, Plays string
		Rest                 int
		Void                 []string
		OpenHand             bool `json:"open_hand"`
		Open                 string
		Expect               json.RawMessage
	}](t, "due_vectors") {
		d := tale{}
		d.game, d.void[0] = v.Game, map[string]bool{}
		for _, k := range v.Void {
			d.void[0][k] = true
		}
		var lie []string
		if v.Led != "" {
			lie = []string{v.Led}
			others := without(pack, append([]string{v.Plays}, rowsOf[v.Game][class(v.Game, v.Led)]...))
			d.hold[0] = append(others[:v.Rest], v.Plays)
		}
		if d.open = v.OpenHand; v.Open != "" {
			d.gone = without(rowsOf[v.Game]["T"], lie)
		}
		d.put(0, v.Plays, lie)
		var want struct {
			Class string
			T, K  int
		}
		got := want
		if json.Unmarshal(v.Expect, &want) != nil {
			want.Class = ""
		}
		if len(d.due) > 0 {
			got.Class = strings.Fields(d.due[0])[2]
			got.T, got.K = len(rowsOf[v.Game][got.Class]), len(d.hold[0])
		}
		same(t, v.ID, got, want)
	}
}
