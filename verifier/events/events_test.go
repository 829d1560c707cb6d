package events_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
)

// hall is an event in a log in memory, with real tables.
type hall struct {
	t       *testing.T
	signers map[string]note.Signer
	keys    map[string]string // by name
	names   map[string]string // by key
	log     note.Signer
	logKey  note.Verifier
	entries [][]byte
	id      wire.Hash
	terms   *bulletin.Event
	live    *events.Live
}

func (h *hall) key(name string) string {
	if h.keys[name] == "" {
		seed := sha256.Sum256([]byte(name))
		skey, vkey, err := note.GenerateKey(bytes.NewReader(seed[:]), name)
		h.must(err)
		s := testmust.Have(note.NewSigner(skey))(h.t)
		h.signers[name], h.keys[name], h.names[vkey] = s, vkey, name
	}
	return h.keys[name]
}

// newHall announces an event of two rounds of Schwarzer Peter at tables of three, or of the terms
// that change sets. Pairs of equal rank are found sooner than pairs of equal colour.
func newHall(t *testing.T, change ...func(h *hall, e *bulletin.Event)) *hall {
	h := &hall{t: t, signers: map[string]note.Signer{}, keys: map[string]string{}, names: map[string]string{}}
	h.logKey = testmust.Have(note.NewVerifier(h.key("log.example")))(t)
	h.log = h.signers["log.example"]
	h.terms = &bulletin.Event{
		Format: bulletin.EventFormat, Name: "Club cup", Game: "schwarzer-peter/v1", Suite: clear.Suite{}.Name(), Options: map[string]string{"pair": "rank"}, Deals: 1,
		Rounds: 2, Sizes: []int{3}, Seating: []bulletin.Seating{bulletin.SeatAtRandom, bulletin.SeatByRank}, Draw: bulletin.DrawTable, Drawers: 2, Score: bulletin.ScoreSum, Places: []int{},
		Ties: []bulletin.Tie{bulletin.TieLast}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateForfeit, Forfeit: 20, Resign: true, Agree: true},
		Clock: wire.Clock{Keepers: []string{}, Lines: []string{}}, Registration: bulletin.Registration{Max: 100},
		Arbiters: []string{h.key("arbiter")}, Jury: []string{}, Organiser: h.key("organiser"), Nonce: make([]byte, wire.NonceBytes),
	}
	for _, c := range change {
		c(h, h.terms)
	}
	h.id = wire.HashEntry(h.post("organiser", h.terms))
	return h
}

func (h *hall) post(by string, what any) []byte {
	h.t.Helper()
	h.key(by)
	entry := testmust.Have(bulletin.Sign(what, h.signers[by]))(h.t)
	h.entries = append(h.entries, entry)
	return entry
}

func (h *hall) body(v any) []byte {
	return testmust.Have(wire.EncodeBody(v))(h.t)
}

func (h *hall) register(name string) {
	h.tell(name, bulletin.Register, bulletin.RegisterBody{Name: wire.Text(name), Draw: true})
}

func (h *hall) tell(name string, kind bulletin.NoticeKind, body any) {
	h.post(name, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: h.id, Seen: h.id, By: h.key(name), Kind: kind, Body: h.body(body)})
}

func (h *hall) decide(by string, kind bulletin.DecisionKind, body any) wire.Hash {
	return wire.HashEntry(h.post(by, &bulletin.Decision{Format: bulletin.DecisionFormat, Event: h.id, Parent: h.now().History.Head, By: h.key(by), Kind: kind, Body: h.body(body)}))
}

func (h *hall) size() uint64 { return uint64(len(h.entries)) }

// begin opens a table with a genesis entry, and appends its first messages to the log; all of them if
// messages is negative.
func (h *hall) begin(g *wire.Genesis, messages int) *tabletest.Table {
	h.t.Helper()
	t := h.open(g)
	h.must(t.Play(messages))
	h.entries = append(h.entries, t.Entries...)
	return t
}

// open opens a table with a genesis entry, and appends nothing to the log yet.
func (h *hall) open(g *wire.Genesis) *tabletest.Table {
	h.t.Helper()
	game, _ := games.Lookup(g.Game)
	if g.Nonce == nil {
		g.Nonce = binary.BigEndian.AppendUint64(make([]byte, 8, wire.NonceBytes), h.size())
	}
	var seats []note.Signer
	for _, key := range g.Seats {
		seats = append(seats, h.signers[h.names[key]])
	}
	return testmust.Have(tabletest.OpenSeated(game, tabletest.Config{Seats: len(seats), Suite: h.suite(g.Suite)}, g, h.signers["organiser"], seats, h.size()))(h.t)
}

func (h *hall) suite(name string) proof.Suite {
	s, _ := h.options().Catalogue.Suite(name)
	return s
}

func (h *hall) drawTable() *wire.Genesis {
	v := h.now()
	return testmust.Have(v.History.DrawTable(v.Sheets, h.size()))(h.t)
}

// seat seats the next round. If the round is seated by a draw that nobody has played, seat plays the
// draw first.
func (h *hall) seat() *events.VerifiedEvent {
	v := h.now()
	if _, drawn := v.Draws[v.History.CountSeated()+1]; !drawn && h.terms.Draw == bulletin.DrawTable {
		h.begin(h.drawTable(), -1)
		v = h.now()
	}
	parts := testmust.Have(event.NextRound(v.History, v.Sheets))(h.t)
	for _, part := range parts {
		h.decide("organiser", bulletin.DecideRound, part)
	}
	return h.now()
}

func (h *hall) final() {
	v := h.now()
	h.decide("organiser", bulletin.DecideFinal, event.NextFinal(v.History, v.Sheets, h.size()))
}

// Checkpoint implements tlog.EntryReader, with Entries.
func (h *hall) Checkpoint(context.Context) (tlog.Checkpoint, error) {
	var tree tlog.Tree
	for _, e := range h.entries {
		tree.Append(tlog.LeafHash(e))
	}
	return tlog.SignCheckpoint(tree.Size(), tree.Root(), h.log)
}

func (h *hall) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range h.entries[start:end] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// now verifies the event in its current state, without reports of tables.
func (h *hall) now() *events.VerifiedEvent {
	h.t.Helper()
	if h.live == nil {
		h.live = events.NewLive(h.t.Context(), h, h.options())
	}
	return testmust.Have(h.live.Look(h.t.Context()))(h.t)
}

func (h *hall) verify() *events.VerifiedEvent {
	h.t.Helper()
	return testmust.Have(h.try())(h.t)
}

func (h *hall) try() (*events.VerifiedEvent, error) {
	return events.Verify(context.Background(), h, h.options())
}

func (h *hall) options() events.Options {
	o := events.Options{Event: h.id}
	o.Log = []note.Verifier{h.logKey}
	o.Catalogue = table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) {
		if s, ok := clear.Lookup(name); ok {
			return s, true
		}
		return suite.Lookup(name)
	}}
	return o
}

var (
	played sync.Once
	honest *hall
)

// cup is an event whose tables are over but whose standings are not final.
func cup(t *testing.T) *hall {
	played.Do(func() { honest = cupWith(t, nil) })
	h := *honest
	h.t, h.live, h.entries = t, nil, slices.Clone(h.entries)
	h.signers, h.keys, h.names = maps.Clone(h.signers), maps.Clone(h.keys), maps.Clone(h.names)
	return &h
}

// cupWith plays an event. If instead is not nil, it plays table 1 of round 1.
func cupWith(t *testing.T, instead func(h *hall, g *wire.Genesis)) *hall {
	h := newHall(t)
	for i := range 6 {
		h.register(fmt.Sprintf("player-%d", i+1))
	}
	h.decide("organiser", bulletin.DecideRoster, h.now().History.NextRoster(h.size()))
	for range 2 {
		v := h.seat()
		r := v.History.Rounds[len(v.History.Rounds)-1]
		for n := range r.Tables {
			g := v.History.TableGenesis(r.Number, n+1)
			if instead != nil && r.Number == 1 && n == 0 {
				instead(h, g)
				continue
			}
			h.begin(g, -1)
		}
	}
	return h
}

// Ways to cheat: an honest event with real tables, between entries of others, is doubted; standings
// differ from the results of the tables.
func TestConfirmed(t *testing.T) {
	h := cup(t)
	h.entries = append(h.entries, []byte("rubbish"))
	open := h.verify()
	testmust.Requiref(t, open.Verdict == event.NotFinal && open.ExitCode() == 3 && len(open.Departures) == 0, "%s: %v", open.Verdict, open.Departures)
	h.final()
	v := h.verify()
	testmust.Requiref(t, v.Verdict == event.Confirmed && v.ExitCode() == 0 && len(v.Tables) == 6 && len(v.Draws) == 2, "%s: %v", v.Verdict, v.Departures)
	totals := map[string]int{}
	for _, table := range v.Tables { // of a draw all is 0
		for seat, n := range table.Result {
			totals[table.Keys[seat]] += n
		}
	}
	for i, s := range v.Standings {
		testmust.Holdf(t, s.Total == totals[s.Key] && (i <= 0 || s.Total <= v.Standings[i-1].Total), "%s has %d, and won %d", s.Name, s.Total, totals[s.Key])
	}
}

// A table is closed by the organiser, ended by a foul, or not played to its end.
func TestEndings(t *testing.T) {
	var broken *tabletest.Table
	for name, c := range map[string]struct {
		instead func(h *hall, g *wire.Genesis)
		verdict event.Verdict
		state   event.State
		what    []event.DepartureKind
	}{
		"closed": {func(h *hall, g *wire.Genesis) {
			table := h.begin(g, 12)
			act := testmust.Have(player.SignAct(table.State, h.terms.Organiser, h.signers["organiser"], wire.KindClose, wire.CloseBody{Reason: "The hall closes."}, [][]byte{}...))(h.t)
			h.entries = append(h.entries, act)
		}, event.VerdictAdjusted, event.Adjudicated, nil},
		"left": {func(h *hall, g *wire.Genesis) { h.begin(g, 12) }, event.VerdictAdjusted, event.Unfinished, []event.DepartureKind{event.SeatingEarly, event.TableUnfinished}},
		"foul": {func(h *hall, g *wire.Genesis) {
			broken = h.begin(g, 4)
			for range 3 { // the third attempt is a foul
				d := broken.State.Duties()[0]
				entry := testmust.Have(broken.Sign(d.Seats[0], d.Kind, wire.CardsBody{Cards: [][]byte{{1}}}))(h.t)
				h.entries = append(h.entries, entry)
				e, _ := wire.Parse(entry)
				_, err := broken.State.Apply(e, table.Facts{})
				if f, ok := err.(*table.Fault); ok {
					broken.State = broken.State.WithFault(f, e.Hash)
				}
			}
		}, event.FoulOpen, event.Foul, []event.DepartureKind{event.TableFoul}},
	} {
		t.Run(name, func(t *testing.T) {
			h := cupWith(t, c.instead)
			h.final()
			v := h.verify()
			testmust.Holdf(t, v.Verdict == c.verdict && v.Judgement.Tables[0].Table.State == c.state,
				"%s, table %s: %v", v.Verdict, v.Judgement.Tables[0].Table.State, v.Departures)
			for _, d := range v.Departures {
				testmust.Hold(t, slices.Contains(c.what, d.What), "listed", d)
			}
			for _, what := range c.what {
				testmust.Holdf(t, slices.ContainsFunc(v.Departures, func(d event.Departure) bool { return d.What == what }),
					"%s is not listed: %v", what, v.Departures)
			}
		})
	}
}

// A log alters an entry of the event, or somebody asks for an event that does not exist.
func TestNoEvent(t *testing.T) {
	h := cup(t)
	real := h.id
	h.id = wire.Hash{1}
	testmust.Fail(t, testmust.ErrorOf(h.try()), "an event that is not there")
	h.id = wire.HashEntry(h.entries[1])
	testmust.Fail(t, testmust.ErrorOf(h.try()), "a notice is an event")
	h.id = real
	v, err := events.Verify(context.Background(), &forked{hall: h}, h.options())
	testmust.Holdf(t, err == nil && v.Log.Verdict == verifier.LogBroken && v.ExitCode() == 5, "an altered registration: %v, %+v", err, v)
}

// forked is a hall whose log shows an altered notice.
type forked struct{ *hall }

func (f *forked) Entries(ctx context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i, e := range f.entries[start:end] {
			if start+uint64(i) == 2 {
				e = bytes.Replace(e, []byte("player-2"), []byte("player-9"), 1)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
