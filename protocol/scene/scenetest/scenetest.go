// Package scenetest tests presentations of games and their texts.
package scenetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// Run plays tables at random and checks a presentation from the place of every viewer:
//
//   - every provable move can be reached by picks, and no other; no pick leads nowhere;
//   - what is barred has a reason, and so has the bot's move;
//   - the rulebook in the test's folder, if there is one, explains each question to a beginner;
//   - a Scene shows no face outside its View;
//   - every Note has words in three languages, with all its values;
//   - no state is changed.
//
// Unless the tests are thorough, seats are asked in half of the states.
func Run(t *testing.T, rules table.Game, game scene.Game, configs ...tabletest.Config) {
	for _, c := range configs {
		for seed := range seedCount() {
			t.Run(fmt.Sprintf("%v/%d", c, seed), func(t *testing.T) {
				t.Parallel()
				played, err := tabletest.Play(rules, c, seed)
				if err != nil {
					t.Fatal(err)
				}
				r := testRun{t, game, played, rand.New(rand.NewPCG(seed, 0)), map[string]bool{}, openRulebook(t).Guide}
				asked := testmust.SomeOf(t, len(played.States), len(played.States)/2)
				for i := range played.States {
					r.checkState(i, asked(i))
				}
			})
		}
	}
}

// seedCount is the number of times each table is played.
func seedCount() uint64 {
	if !testmust.Thorough() {
		return 1
	}
	return 2
}

// reachedCount is the number of moves in a state that must be reached by picks.
func reachedCount() int {
	if !testmust.Thorough() {
		return 1
	}
	return 3
}

type testRun struct {
	*testing.T
	game   scene.Game
	played *tabletest.Table
	random *rand.Rand
	said   map[string]bool // notes whose words have been checked
	guide  [][4]string
}

// checkState checks a state from every place, and asks its seats if asked is set.
func (r testRun) checkState(i int, asked bool) {
	s := r.played.States[i]
	before := r.publicState(s)
	r.checkScene(scene.OnlookerPosition(s))
	for seat := range table.Seat(s.Seats()) {
		view, err := play.See(s, seat, r.played.Secret(s, seat))
		if err != nil {
			r.Fatal(err)
		}
		at := scene.SeatPosition(s, view)
		r.checkScene(at)
		if asked {
			r.checkAsk(at)
		}
	}
	if i > 0 {
		r.checkTell(r.played.States[i-1], s, r.played.Entries[i])
	}
	r.checkWords(s, r.game.Sheets(s))
	sums := r.game.Sums(s)
	r.checkWords(s, sums)
	for _, sum := range sums {
		if len(sum.Amounts) != s.Seats() {
			r.Fatalf("%d amounts of %d seats", len(sum.Amounts), s.Seats())
		}
	}
	if !bytes.Equal(before, r.publicState(s)) {
		r.Fatalf("the state was changed: %s", before)
	}
}

func (r testRun) publicState(s *table.State) []byte {
	raw, err := s.Public()
	if err != nil {
		r.Fatal(err)
	}
	return raw
}

// checkScene tests the scene that a viewer sees.
func (r testRun) checkScene(at scene.Position) {
	known := map[string]bool{"": true}
	for _, f := range at.View.Faces {
		known[at.Table.FaceName(f)] = true
	}
	s := r.game.Scene(at)
	for _, z := range s.Zones {
		for _, c := range z.Cards {
			if !known[c.Face] {
				r.Fatalf("zone %s shows %s to a viewer who does not know it", z.ID, c.Face)
			}
			if f := r.game.Face(c.Face); f.Suit != "" && scene.FrenchPack.Draw(f) == "" {
				r.Fatalf("%s has a suit and no picture", c.Face)
			}
		}
	}
	if len(s.Chairs) != at.Table.Seats() || len(s.Waits) == 0 != (len(at.Table.Duties()) == 0) {
		r.Fatalf("%d chairs, %d waits", len(s.Chairs), len(s.Waits))
	}
	r.checkWords(at.Table, s)
}

// checkAsk tests the question that a seat is asked, and every answer.
func (r testRun) checkAsk(at scene.Position) {
	ask := r.game.Ask(at)
	if !at.OwesMove() {
		if len(ask.Parts) > 0 {
			r.Fatalf("a seat that owes nothing is asked %v", ask)
		}
		return
	}
	if isGuided := func(p scene.Part) bool {
		return p.Group == "move" || slices.ContainsFunc(r.guide, func(row [4]string) bool { return row[0] == p.Group })
	}; r.guide != nil && !ask.Alone && !ask.May && !slices.ContainsFunc(ask.FreeParts(), isGuided) {
		r.Fatalf("the rulebook tells nobody what %v is about", ask.FreeParts()[0])
	}
	r.checkAdvice(at, ask)
	moves, err := play.Moves(at.Table, at.View)
	if err != nil || len(moves) == 0 || len(ask.FreeParts()) == 0 {
		r.Fatalf("%d moves, %v, and of %d parts none is free", len(moves), err, len(ask.Parts))
	}
	r.random.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	for _, m := range moves[:min(len(moves), reachedCount())] {
		if scene.FindPicks(r.game, at, m) == nil {
			r.Fatalf("move %s is not reached by picks: %v", m, ask.FreeParts())
		}
	}
	if a := r.pickAtRandom(at, ask); ask.Alone && (len(ask.FreeParts()) != 1 || !slices.ContainsFunc(moves, func(m json.RawMessage) bool { return bytes.Equal(m, *a.Move) })) {
		r.Fatalf("%v is answered without asking", ask)
	}
}

// checkAdvice tests that the bot gives a reason for the move it would make.
func (r testRun) checkAdvice(at scene.Position, ask scene.Ask) {
	move, err := play.Choose(at.Table, at.View, r.random)
	if err != nil || move == nil {
		return
	}
	a := r.game.Advise(at, move)
	r.checkWords(at.Table, a)
	if r.guide != nil && !ask.Alone && len(ask.FreeParts()) > 1 && ask.Parts[0].Group != "move" && len(a.Why) == 0 {
		r.Fatalf("nothing speaks for %s", move)
	}
}

// checkParts tests the parts of a question.
func (r testRun) checkParts(at scene.Position, ask scene.Ask, picked []scene.Pick) {
	r.checkWords(at.Table, ask)
	picks := map[scene.Pick]bool{}
	for _, p := range ask.Parts {
		if picks[p.Pick] || p.Pick == "" || strings.ContainsFunc(string(p.Pick), func(c rune) bool { return c <= ' ' || c > '~' }) || p.Group == "" {
			r.Fatalf("pick %q is taken, or no word in ASCII", p.Pick)
		}
		if picks[p.Pick] = true; p.Why != nil && p.Why.ID == "" {
			r.Fatalf("%s is barred without a reason", p.Pick)
		}
		if p.Why != nil && r.game.Answer(at, append(slices.Clip(picked), p.Pick)).Move != nil {
			r.Fatalf("%s is barred and makes a move", p.Pick)
		}
	}
}

// pickAtRandom picks at random until the picks make a move, which must be provable.
func (r testRun) pickAtRandom(at scene.Position, ask scene.Ask) scene.Answer[json.RawMessage] {
	var picked []scene.Pick
	for {
		r.checkParts(at, ask, picked)
		free := ask.FreeParts()
		if len(free) == 0 {
			r.Fatalf("the picks %v lead nowhere", picked)
		}
		picked = append(picked, free[r.random.IntN(len(free))].Pick)
		a := r.game.Answer(at, picked)
		r.checkWords(at.Table, a)
		if a.Move != nil && (len(a.Ask.FreeParts()) == 0 || r.random.IntN(2) == 0) {
			r.checkProvable(at, picked, *a.Move)
			return a
		}
		ask = a.Ask
	}
}

func (r testRun) checkProvable(at scene.Position, picked []scene.Pick, move json.RawMessage) {
	terms, err := at.Table.MoveTerms(*at.Seat, move)
	if err != nil {
		r.Fatalf("the picks %v come to %s: %v", picked, move, err)
	}
	for _, shown := range terms.Open {
		if at.View.Faces[shown.Card] != shown.Face {
			r.Fatalf("the picks %v come to %s, which shows another card than there is", picked, move)
		}
	}
	for _, c := range terms.Prove {
		faces, n := at.View.Faces, 0
		if c.Dealt {
			faces = at.View.Dealt
		}
		for _, place := range c.Cards {
			if c.Set.Has(faces[place]) {
				n++
			}
		}
		if n < c.Min || n > c.Max {
			r.Fatalf("the picks %v come to %s, which cannot be proved: %s", picked, move, c.Claim)
		}
	}
}

// checkTell tests what is told about an entry.
func (r testRun) checkTell(before, after *table.State, entry []byte) {
	e, err := wire.Parse(entry)
	if err != nil {
		r.Fatal(err)
	}
	var body wire.MoveBody
	var move json.RawMessage
	if e.Message.Kind == table.Move {
		if err := wire.DecodeBody(e.Message.Body, &body); err != nil {
			r.Fatal(err)
		}
		move = body.Move
	}
	seat := table.Seat(e.Message.Seat)
	list := r.game.Tell(scene.OnlookerPosition(before), scene.OnlookerPosition(after), seat, move)
	if refused := r.game.Tell(scene.OnlookerPosition(before), scene.OnlookerPosition(nil), seat, move); move != nil && (len(list) == 0 || len(refused) != 1) {
		r.Fatalf("of the move %s is told %v, and if it were refused %v", move, list, refused)
	}
	r.checkWords(after, list)
}

var unsaid = regexp.MustCompile(`\[[a-z]+(\.[A-Za-z0-9_-]+)*\]|\{\+?[A-Za-z:]+\}`)

// checkWords tests that all the notes in a value have words, with all their values.
func (r testRun) checkWords(s *table.State, in any) {
	for _, n := range collectNotes(reflect.ValueOf(in), nil) {
		key, _ := json.Marshal(n)
		if n.ID == "" || r.said[string(key)] {
			continue
		}
		r.said[string(key)] = true
		for _, tag := range scene.Languages() {
			l, _ := scene.LanguageFor(tag)
			if text := l.VoiceOf(r.game, s.SeatName).Text(n); text == "" || unsaid.MatchString(text) {
				r.Fatalf("%s: %s is said as %q", tag, key, text)
			}
		}
	}
}

// collectNotes are all the notes in a value.
func collectNotes(v reflect.Value, list []scene.Note) []scene.Note {
	if n, is := v.Interface().(scene.Note); is {
		return append(list, n)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			list = collectNotes(v.Elem(), list)
		}
	case reflect.Slice:
		for i := range v.Len() {
			list = collectNotes(v.Index(i), list)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			list = collectNotes(v.Field(i), list)
		}
	}
	return list
}
