package terminal_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

type options = map[string]string

var configs = []struct {
	game table.Game
	tabletest.Config
}{
	{play.Of(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 2}},
	{play.Of(tarokk.Rules{}), tabletest.Config{Seats: 5, Deals: 2, Options: options{"preset": "bga", "talon-fee": "true", "deal-knock": "true", "ending": "skiz"}}},
	{play.Of(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 2, Options: options{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true",
		"invit-commit": "if-other-declares", "red-low": "four"}}},
	{play.Of(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 2, Options: options{"count-pais": "true", "forced-contra": "spoken", "pagat-retention": "any-holder"}}},
	{play.Of(schwarzerpeter.Rules{}), tabletest.Config{Seats: 3, Deals: 2}},
	{play.Of(schwarzerpeter.Rules{}), tabletest.Config{Seats: 2, Deals: 1, Options: options{"rules": "article"}}},
}

// games are two of each, played once for all tests.
var games = func() (list [][2]func() (*tabletest.Table, error)) {
	for _, c := range configs {
		var pair [2]func() (*tabletest.Table, error)
		for seed := range pair {
			pair[seed] = sync.OnceValues(func() (*tabletest.Table, error) { return tabletest.Play(c.game, c.Config, uint64(seed)) })
		}
		list = append(list, pair)
	}
	return list
}()

var styles = []terminal.Style{{}, {ASCII: true}}

// view is what a seat of a table sees.
func view(t *testing.T, played *tabletest.Table, s *table.State, seat table.Seat) table.View {
	t.Helper()
	v, err := play.See(s, seat, played.Hands[seat].Secret)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// everyQuestion calls do wherever a seat owes a move in a few games.
func everyQuestion(t *testing.T, do func(face terminal.Face, p terminal.Position)) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for i, c := range configs {
		for seed := range seeds {
			played, err := games[i][seed]()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range played.States {
				for seat := range table.Seat(s.Seats()) {
					if owes(s, seat) {
						face := terminal.For(c.game.Name(), styles[seed%2])
						do(face, terminal.Position{State: s, View: view(t, played, s, seat)})
					}
				}
			}
		}
	}
}

func owes(s *table.State, seat table.Seat) bool {
	for _, d := range s.Duties() {
		if d.Kind == table.Move && d.Owes(seat) {
			return true
		}
	}
	return false
}

// A move that cannot be typed, or whose words mean another, shuts a person out
// of what the rules allow.
func TestEveryMoveCanBeTyped(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	everyQuestion(t, func(face terminal.Face, p terminal.Position) {
		moves, err := play.Moves(p.State, p.View)
		if err != nil {
			t.Fatal(err)
		}
		random.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		for _, m := range moves[:min(len(moves), 5)] {
			line := face.Say(p, m)
			got, err := face.Read(p, line)
			if err != nil || !bytes.Equal(got, m) {
				t.Fatalf("%s: move %s is %q in words, which are read as %s, %v", p.State.Genesis().Game, m, line, got, err)
			}
		}
	})
}

// A choice that is offered and refused, or a question nobody can answer, leaves
// a person without a way on.
func TestChoicesCanBeMade(t *testing.T) {
	everyQuestion(t, func(face terminal.Face, p terminal.Position) {
		q := face.Ask(p)
		moves, _ := play.Moves(p.State, p.View)
		if len(moves) > 0 && len(q.Choices) == 0 && !strings.Contains(q.Text, "discard") {
			t.Fatalf("question %q offers nothing", q.Text)
		}
		for _, c := range q.Choices {
			if _, err := face.Read(p, c.Say); err != nil {
				t.Fatalf("choice %q of %q: %v", c.Say, q.Text, err)
			}
		}
		if q.Forced != nil && !slicesContain(moves, q.Forced) {
			t.Fatalf("forced move %s is none of the moves", q.Forced)
		}
		for _, text := range []string{face.Hand(p), face.Table(p), face.Score(p)} {
			if !strings.HasSuffix(text, "\n") || strings.Contains(text, "%!") {
				t.Fatalf("text %q", text)
			}
		}
	})
}

func slicesContain(list []json.RawMessage, m json.RawMessage) bool {
	for _, e := range list {
		if bytes.Equal(e, m) {
			return true
		}
	}
	return false
}

// The face of another seat would show what is hidden: what is told of messages
// must follow from the public states and the message.
func TestCourseOfADeal(t *testing.T) {
	played, err := tabletest.Play(configs[0].game, tabletest.Config{Seats: 4, Deals: 3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	face := terminal.For("tarokk/v1", terminal.Style{ASCII: true})
	var course []string
	for i := 1; i < len(played.Entries); i++ {
		e, err := wire.Parse(played.Entries[i])
		if err != nil {
			t.Fatal(err)
		}
		course = append(course, face.Course(played.States[i-1], played.States[i], e.Message)...)
	}
	text := strings.Join(course, "\n")
	t.Log(text)
	cards := strings.Count(text, " plays ")
	if tricks := strings.Count(text, "is taken by"); cards == 0 || cards != 4*tricks || tricks%9 != 0 {
		t.Errorf("%d cards and %d tricks are told, of whole deals", cards, tricks)
	}
	for _, want := range []string{"Seats are drawn", "R-DEAL-2", "Game: ", "call ", "together ", "payments: ", "The session is over. Score: "} {
		if !strings.Contains(text, want) {
			t.Errorf("the course does not tell %q", want)
		}
	}
}

// A game without a face of its own is playable: all its moves are listed, and
// nothing else is taken, since nobody knows whether it could be proved.
func TestGameWithoutFace(t *testing.T) {
	face := terminal.For("bridge/v1", terminal.Style{})
	everyQuestion(t, func(_ terminal.Face, p terminal.Position) {
		if p.State.Genesis().Game != "schwarzer-peter/v1" {
			return
		}
		q := face.Ask(p)
		if len(q.Choices) == 0 {
			t.Fatalf("no move is listed")
		}
		for _, c := range q.Choices {
			if move, err := face.Read(p, c.Say); err != nil || face.Say(p, move) != c.Say {
				t.Fatalf("choice %s: %s, %v", c.Say, move, err)
			}
		}
		if move, err := face.Read(p, `{"draw":{"from":0,"position":99}}`); err == nil {
			t.Fatalf("a move that is not listed is read as %s", move)
		}
	})
}

// Symbols on a terminal that cannot show them are no cards.
func TestStyleOf(t *testing.T) {
	for _, c := range []struct {
		all, lang string
		ascii     bool
	}{{"", "", true}, {"", "C", true}, {"", "hu_HU.UTF-8", false}, {"", "en_US.utf8", false}, {"C", "hu_HU.UTF-8", true}} {
		env := map[string]string{"LC_ALL": c.all, "LANG": c.lang}
		if got := terminal.StyleOf(func(name string) string { return env[name] }); got.ASCII != c.ascii {
			t.Errorf("LC_ALL=%s LANG=%s: ASCII %v, want %v", c.all, c.lang, got.ASCII, c.ascii)
		}
	}
}
