package event_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// world is an event in a log of its own, with people who sign what a test wants.
type world struct {
	t       testing.TB
	random  *rand.Rand
	signers map[string]note.Signer // by name
	keys    map[string]string
	terms   *bulletin.Event
	h       *event.History
	size    uint64
	tables  []*event.Table
	club    func() string // of the next who registers
}

var secret = []byte("what the organiser keeps")

// newWorld announces an event of three rounds: two at random and one by rank.
func newWorld(t testing.TB, change func(*bulletin.Event)) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(1, 2)), signers: map[string]note.Signer{}, keys: map[string]string{}, club: func() string { return "" }}
	w.terms = &bulletin.Event{
		Format: bulletin.EventFormat, Name: "Club cup", Game: "whist/v1", Suite: "ristretto255-bayergroth/v1", Options: map[string]string{}, Deals: 2,
		Rounds: 3, Sizes: []int{4, 3}, Seating: []bulletin.Seating{bulletin.SeatAtRandom, bulletin.SeatAtRandom, bulletin.SeatByRank}, Window: 2,
		Draw: bulletin.DrawCommit, Score: bulletin.ScoreSum, Places: []int{}, Bye: bulletin.Bye{Average: true},
		Ties: []bulletin.Tie{bulletin.TieWon, bulletin.TieDirect, bulletin.TieLot}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateForfeit, Forfeit: 20, Resign: true},
		Clock: wire.Clock{Keepers: []string{}, Lines: []string{}}, Registration: bulletin.Registration{Max: 100, Late: 2},
		Arbiters: []string{w.key("arbiter")}, Jury: []string{w.key("jury"), w.key("arbiter")}, Organiser: w.key("organiser"), Nonce: make([]byte, wire.NonceBytes),
	}
	if change != nil {
		change(w.terms)
	}
	if w.terms.Draw == bulletin.DrawCommit {
		w.terms.Commit = hex.EncodeToString(event.HashSecret(secret, w.terms.Rounds))
	}
	w.h = testmust.Have(event.Open(w.sign("organiser", w.terms), w.next()))(t)
	return w
}

func (w *world) next() uint64 { w.size++; return w.size - 1 }

// key is the verifier key of a person, who gets one if there is none.
func (w *world) key(name string) string {
	if w.keys[name] == "" {
		seed := sha256.Sum256([]byte(name))
		skey, vkey, err := note.GenerateKey(strings.NewReader(string(seed[:])), name)
		testmust.Do(w.t, err)
		s := testmust.Have(note.NewSigner(skey))(w.t)
		w.signers[name], w.keys[name] = s, vkey
	}
	return w.keys[name]
}

func (w *world) sign(by string, what any) *bulletin.Entry {
	w.key(by)
	entry := testmust.Have(bulletin.Sign(what, w.signers[by]))(w.t, what)
	return testmust.Have(bulletin.Parse(entry))(w.t)
}

func (w *world) body(v any) []byte {
	return testmust.Have(wire.EncodeBody(v))(w.t)
}

// tell posts a notice; the error is why it is void.
func (w *world) tell(by string, kind bulletin.NoticeKind, body any) (wire.Hash, error) {
	e := w.sign(by, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: w.h.ID, Seen: w.h.Head, By: w.key(by), Kind: kind, Body: w.body(body)})
	return e.Hash, w.h.TakeEntry(e, w.next())
}

func (w *world) register(names ...string) {
	for _, name := range names {
		testmust.Have(w.tell(name, bulletin.Register, bulletin.RegisterBody{Name: wire.Text(name), Club: wire.Text(w.club()), Draw: true}))(w.t)
	}
}

// players are n names.
func players(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("player-%d", i+1))
	}
	return list
}

// try posts a decision; the error is why it is void.
func (w *world) try(by string, kind bulletin.DecisionKind, body any) (wire.Hash, error) {
	e := w.sign(by, &bulletin.Decision{Format: bulletin.DecisionFormat, Event: w.h.ID, Parent: w.h.Head, By: w.key(by), Kind: kind, Body: w.body(body)})
	return e.Hash, w.h.TakeEntry(e, w.next())
}

func (w *world) decide(by string, kind bulletin.DecisionKind, body any) wire.Hash {
	return testmust.Have(w.try(by, kind, body))(w.t, kind)
}

func (w *world) roster() {
	for w.h.CountUnanswered(w.size) > 0 {
		w.decide("organiser", bulletin.DecideRoster, w.h.NextRoster(w.size))
	}
}

// draw opens the organiser's secret of the next round.
func (w *world) draw() {
	w.decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Secret: event.HashSecret(secret, w.terms.Rounds-w.h.CountSeated()-1)})
}

// seat seats the next round by the method, and draws it before if nobody has.
func (w *world) seat() {
	if _, drawn := w.judge().Draws[w.h.CountSeated()+1]; !drawn {
		w.draw()
	}
	parts := testmust.Have(event.NextRound(w.h, w.tables))(w.t)
	for _, part := range parts {
		w.decide("organiser", bulletin.DecideRound, part)
	}
}

// play begins all tables of the last round, and plays them with random payments.
func (w *world) play() {
	r := w.h.Rounds[len(w.h.Rounds)-1]
	for n := range r.Tables {
		w.table(w.h.TableGenesis(r.Number, n+1))
	}
}

// table begins a table and plays it.
func (w *world) table(g *wire.Genesis) *event.Table {
	g.Nonce = make([]byte, wire.NonceBytes)
	g.Nonce[0] = byte(len(w.tables))
	e := w.sign("organiser", g)
	t := &event.Table{ID: e.Hash, Index: w.next(), Terms: e.Table, State: event.Sound}
	for d := range g.Deals {
		line := w.line(d+1, len(g.Seats))
		line.Index = w.next()
		t.Lines = append(t.Lines, line)
	}
	t.Last = w.size - 1
	w.tables = append(w.tables, t)
	return t
}

// line is a deal with payments that sum to zero, small enough for ties.
func (w *world) line(deal, seats int) event.Line {
	l := event.Line{Deal: deal, Payments: make([]int, seats), Tallies: map[string][]int{"won": make([]int, seats), "lost": make([]int, seats)}, Layer: event.Proved}
	for i := 1; i < seats; i++ {
		n := w.random.IntN(5) - 2
		l.Payments[i], l.Payments[0] = n, l.Payments[0]-n
	}
	for i, n := range l.Payments {
		if n > 0 {
			l.Tallies["won"][i] = 1
		} else if n < 0 {
			l.Tallies["lost"][i] = 1
		}
	}
	return l
}

func (w *world) final() {
	w.decide("organiser", bulletin.DecideFinal, event.NextFinal(w.h, w.tables, w.size))
}

// enter puts so many players on the roster.
func (w *world) enter(n int) {
	w.register(players(n)...)
	w.roster()
}

// drawn puts so many players on the roster, and draws the first round.
func (w *world) drawn(n int) {
	w.enter(n)
	w.draw()
}

// round seats the next round and plays it.
func (w *world) round() {
	w.seat()
	w.play()
}

// cup is an event to its end, of which change may do something before each step: of round 0
// before the draw, and then of each round before its tables are played. The last is before
// the end.
func (w *world) cup(n int, change func(round int)) {
	if change == nil {
		change = func(int) {}
	}
	w.enter(n)
	change(0)
	for r := 1; r <= w.terms.Rounds; r++ {
		w.seat()
		change(r)
		w.play()
	}
	change(w.terms.Rounds + 1)
	w.final()
}

func (w *world) judge() *event.Judgement {
	return event.Judge(w.h, w.tables, w.size, event.Options{})
}

// departs says what a judgement should list: a check and kinds of departures.
func (w *world) departs(j *event.Judgement, verdict event.Verdict, want ...event.DepartureKind) {
	w.t.Helper()
	testmust.Equal(w.t, j.Verdict, verdict, "the verdict is", j.Departures)
	seen := map[event.DepartureKind]bool{}
	for _, d := range j.Departures {
		seen[d.What] = true
	}
	for _, what := range want {
		testmust.Holdf(w.t, seen[what], "%s is not listed: %v", what, j.Departures)
		delete(seen, what)
	}
	for what := range seen {
		w.t.Errorf("%s is listed: %v", what, j.Departures)
	}
}

// large is an event of five rounds for so many players.
func large(t testing.TB, n int) *world {
	w := newWorld(t, func(e *bulletin.Event) {
		e.Rounds, e.Sizes, e.Registration.Max = 5, []int{4}, n
		e.Seating = []bulletin.Seating{bulletin.SeatAtRandom, bulletin.SeatAtRandom, bulletin.SeatByRank, bulletin.SeatByRank, bulletin.SeatByRank}
	})
	w.cup(n, nil)
	return w
}
