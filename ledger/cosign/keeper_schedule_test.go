package cosign_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// schedule is a table at which the server, seat A and the third keeper are one attacker, which
// decides when a signed entry enters the log and to whom it is shown. Seats B to D and the other
// keepers are honest.
type schedule struct {
	*markstest.Table
	t       *testing.T
	random  *rand.Rand
	genesis exchange.Request
	logged  []placed
	pool    [][]byte // signed, and not in the log
	players []*honest
	keepers []*reader
	cp      tlog.Checkpoint
	passed  time.Duration
	whole   bool // keepers are listed all entries of the table, including late ones
	tally   map[string]int
	told    int
}

type placed struct {
	index uint64
	entry []byte
}

// honest is a seat that signs what it owes once on each head that it is shown, as package player
// does.
type honest struct {
	seat   table.Seat
	shown  map[uint64][]byte // by index
	table  *table.State      // the state after the shown entries below upto; nil if an earlier entry came later
	upto   uint64
	heads  map[wire.Hash]bool // of table
	signed map[wire.Hash][]byte
	last   *wire.Message
	cards  wire.Hash // the entry on which it last gave tokens or shuffled
	left   bool      // a branch
	stops  bool      // it is not shown the marks of claims
	gone   bool      // for good, at a time when it owed nothing
	absent bool      // for good, although it may owe something: it may be timed out
}

// reader is an honest keeper, with the entries that the server lists to it.
type reader struct {
	*cosign.Keeper
	s    *schedule
	list []placed
}

func (r *reader) Listed(_ context.Context, _ wire.Hash, n int) (list []cosign.HeldEntry, err error) {
	for _, p := range r.list[min(n, len(r.list)):] {
		list = append(list, cosign.HeldEntry{Index: p.index, Text: string(p.entry)})
	}
	return list, nil
}

func (r *reader) Inclusion(ctx context.Context, index, size uint64) (tlog.Inclusion, error) {
	return r.s.Log.Inclusion(ctx, index, size)
}

func (r *reader) Give(context.Context, wire.Hash, []byte) error { return errors.New("withheld") }

func newSchedule(t *testing.T, seed uint64, tally map[string]int) *schedule {
	game, _ := games.Lookup("schwarzer-peter/v1")
	s := &schedule{t: t, random: rand.New(rand.NewPCG(seed, 0)), tally: tally}
	s.Table = markstest.New(t, game, tabletest.Config{Seats: 4}, seed, func(g *wire.Genesis) {
		g.Clock.Silence, g.Clock.Start, g.Clock.Move, g.Clock.Bank, g.Clock.Increment, g.Clock.Grace = true, 20, 20, 0, 0, 10
	})
	s.logged = []placed{{0, s.Entries[0]}}
	for seat := range table.Seat(3) {
		s.players = append(s.players, &honest{stops: s.random.IntN(6) == 0, seat: seat + 1, shown: map[uint64][]byte{0: s.Entries[0]}, signed: map[wire.Hash][]byte{}})
	}
	cp := testmust.Have(s.Log.Checkpoint(t.Context()))(t)
	p := testmust.Have(s.Log.Inclusion(t.Context(), 0, cp.Size))(t)
	s.genesis = exchange.Request{Genesis: s.Entries[0], Receipt: tlog.Receipt{Hashes: p.Hashes, Checkpoint: cp.Note}.Marshal()}
	for i := range 2 {
		r := &reader{s: s, list: slices.Clone(s.logged)}
		_, lines := markstest.LineSigner(t, s.Keepers[i].Name())
		r.Keeper = testmust.Have(cosign.OpenKeeper(t.TempDir(), cosign.KeeperOptions{
			Signer: s.Lines[i], Lines: lines, Keeper: s.Keepers[i].String(), Keys: []note.Verifier{s.Key}, Log: r,
			Cosigned: func() tlog.Checkpoint { return s.cp }, Clock: func() time.Time { return s.Now }, Since: func() time.Duration { return s.passed },
		}))(t)
		s.keepers = append(s.keepers, r)
	}
	for _, k := range s.keepers {
		k.Silence(s.genesis) // it does not read a table that nobody asks about
	}
	s.whole = s.random.IntN(4) > 0
	s.begins(s.random.IntN(40))
	return s
}

// begins plays the first n messages of an honest table, and more while the next one is a chosen move.
func (s *schedule) begins(n int) {
	for ; !s.State.IsOver() && (n > 0 || s.chooses()); n-- {
		s.PassTime(1)
		entry := testmust.Have(s.Next())(s.t)
		if m := testmust.Have(wire.Parse(entry))(s.t).Message; m.Seat > 0 {
			s.players[m.Seat-1].signs(entry, m)
		}
		s.log(entry)
	}
	for _, h := range s.players {
		for _, p := range s.logged {
			h.sees(p)
		}
	}
}

// chooses reports whether a seat owes a move, which the test does not choose.
func (s *schedule) chooses() bool {
	return slices.ContainsFunc(s.State.Duties(), func(d table.Duty) bool { return d.Kind == table.Move })
}

// signs records what a seat has signed.
func (h *honest) signs(entry []byte, m *wire.Message) {
	h.signed[m.Parent], h.last = entry, m
	if table.Kind(m.Kind) != table.Key {
		h.cards = m.Parent
	}
}

// sees shows an honest seat an entry.
func (h *honest) sees(p placed) {
	if h.shown[p.index] == nil && p.index < h.upto {
		h.table, h.upto = nil, 0
	}
	h.shown[p.index] = p.entry
}

// view returns the table as an honest seat has been shown it, or nil if the seat cannot judge it.
func (s *schedule) view(h *honest) *table.State {
	for _, index := range slices.Sorted(maps.Keys(h.shown)) {
		if index < h.upto || h.table != nil && h.table.Foul() != nil {
			continue
		}
		e := testmust.Have(wire.Parse(h.shown[index]))(s.t)
		h.upto = index + 1
		if h.stops && h.table != nil && e.Act != nil && e.Act.Kind == wire.KindTimeout {
			h.upto = index
			return nil
		}
		if h.table == nil {
			h.table = testmust.Have(table.Open(e, s.Catalogue()))(s.t).AtIndex(index)
			h.heads = map[wire.Hash]bool{e.Hash: true}
			continue
		}
		next, err := h.table.Apply(e, table.Facts{Index: index, Marks: s.MarkFinder()})
		if err == nil {
			h.table, h.heads[e.Hash] = next.AtIndex(index), true
			continue
		}
		next, err = h.table.TakeBeside(e, table.Facts{Index: index}, nil)
		if fault, ok := errors.AsType[*table.Fault](err); ok {
			next = h.table.WithFault(fault, e.Hash)
		}
		h.table = next
	}
	return h.table
}

// turn makes an honest seat read what keepers show and sign what it owes. Keepers receive what the
// log does not take.
func (s *schedule) turn(h *honest) {
	if h.absent = h.absent || !h.gone && s.random.IntN(400) == 0; h.gone || h.absent {
		return
	}
	for _, k := range s.keepers {
		if shown := k.HeldMessages(s.State.ID(), -1); shown != nil {
			for _, e := range shown.Entries {
				h.sees(placed{e.Index, []byte(e.Entry)})
			}
		}
	}
	state := s.view(h)
	if state == nil {
		s.tally["lost"]++
		s.tells(h, h.table, exchange.Lost)
		return
	}
	_, stopped := state.GoneSeat()
	switch bound := !h.follows(state); {
	case bound, state.Foul() != nil, state.IsOver():
		if h.gone = true; bound {
			s.pool = append(s.pool, h.signed[h.last.Parent])
			s.tally["abandoned"]++
		}
		s.tells(h, state, exchange.Leaves)
		return
	case stopped, state.IsPaused():
		s.tells(h, state, exchange.Rests)
		if !s.has(state.Head()) && s.random.IntN(2) == 0 {
			s.tally["gone"]++
			h.gone = true
		}
	default:
		s.tells(h, state, exchange.Here)
	}
	entry := h.signed[state.Head()]
	for _, d := range state.Duties() {
		if entry == nil && d.Owes(h.seat) && d.Kind != table.Move {
			entry = testmust.Have(s.Hands[h.seat].SignMessage(state, d, nil, s.Random))(s.t)
			h.signs(entry, testmust.Have(wire.Parse(entry))(s.t).Message)
			if s.random.IntN(3) == 0 {
				return // its program died before anybody received the message
			}
			s.pool = append(s.pool, entry)
		}
	}
	if entry != nil && len(state.DutiesOf(h.seat)) > 0 && (s.random.IntN(4) != 0 || !s.log(entry)) {
		s.gives(entry)
	}
}

// gives sends a message to keepers.
func (s *schedule) gives(message []byte) {
	r := s.genesis
	r.Message = message
	for _, k := range s.keepers {
		k.Hold(r)
	}
}

// tells tells keepers where a seat is.
func (s *schedule) tells(h *honest, on *table.State, state string) {
	s.told++
	p := keeper.Place{Table: s.State.ID(), Parent: on.Head(), Seat: int(h.seat)}
	r := s.genesis
	r.Message = testmust.Have(exchange.SignPresence(p, state, s.Now.Add(time.Duration(s.told)*time.Millisecond), s.Hands[h.seat].Signer))(s.t)
	for _, k := range s.keepers {
		testmust.Have(k.Present(r))(s.t)
	}
}

// has reports whether an entry is in the history.
func (s *schedule) has(entry wire.Hash) bool {
	return slices.ContainsFunc(s.States, func(t *table.State) bool { return t.Head() == entry })
}

// follows reports whether a seat may sign in a history, given its earlier signatures.
func (h *honest) follows(state *table.State) bool {
	switch {
	case h.last == nil || !state.IsBeside(h.last.Parent):
		return h.last == nil || h.heads[h.last.Parent]
	case h.left || h.cards != (wire.Hash{}) && !h.heads[h.cards]:
		return false
	}
	h.left = true
	return true
}

// log adds a missing entry to the log.
func (s *schedule) log(entry []byte) bool {
	if s.State.Foul() != nil || slices.ContainsFunc(s.logged, func(p placed) bool { return string(p.entry) == string(entry) }) {
		return false
	}
	cp := testmust.Have(s.Log.Checkpoint(s.t.Context()))(s.t)
	s.Post(entry)
	s.logged = append(s.logged, placed{cp.Size, entry})
	s.pool = slices.DeleteFunc(s.pool, func(e []byte) bool { return string(e) == string(entry) })
	return true
}

// signs makes the attacker's seat sign something on an entry of the table: what it owes there, or an
// agreement.
func (s *schedule) signs(entry []byte) {
	on := s.State.StateAfter(wire.HashEntry(entry))
	if on == nil || on.IsOver() {
		return
	}
	if s.random.IntN(2) == 0 {
		table := *s.Table
		table.Table = &tabletest.Table{Game: s.Game, State: on, Hands: s.Hands}
		s.pool = append(s.pool, table.Act(0, wire.KindAgree, wire.AgreeBody{To: []string{wire.AgreePause, wire.AgreeEnd, wire.AgreeNothing}[s.random.IntN(3)]}))
		return
	}
	for _, d := range on.Duties() {
		if d.Owes(0) && d.Kind != table.Move {
			s.pool = append(s.pool, testmust.Have(s.Hands[0].SignMessage(on, d, nil, s.Random))(s.t))
		}
	}
}

// splits adds entries that build on the head to the log until one does not become the head. It shows
// that entry, with all before it, to an honest seat that answers it.
func (s *schedule) splits() {
	head, before := s.State.Head(), slices.Clone(s.logged)
	for range 3 {
		s.signs(s.Entries[len(s.Entries)-1])
	}
	s.random.Shuffle(len(s.pool), func(i, j int) { s.pool[i], s.pool[j] = s.pool[j], s.pool[i] })
	for _, entry := range slices.Clone(s.pool) {
		e := testmust.Have(wire.Parse(entry))(s.t)
		if e.Parent() != head || !s.log(entry) || !s.State.IsBeside(e.Hash) {
			continue
		}
		for _, i := range s.random.Perm(len(s.players)) {
			h, beside := s.players[i], s.State.StateAfter(e.Hash)
			if owed := beside.DutiesOf(h.seat); beside.IsOver() || len(owed) == 0 || owed[0].Kind == table.Move {
				continue
			}
			for _, p := range append(before, s.logged[len(s.logged)-1]) {
				h.sees(p)
			}
			s.turn(h)
			return
		}
	}
}

// lateHimself makes seat B claim, as its client does, that the attacker is late. The attacker's log
// first takes a message of his, and shows an honest seat only the claim and his return.
func (s *schedule) lateHimself() {
	if s.State.Foul() != nil || len(s.State.DutiesOf(0)) == 0 || s.Clock(0).Left >= 0 {
		return
	}
	h, claim := s.players[s.random.IntN(len(s.players))], s.Claim(0, 1)
	for _, p := range s.logged {
		h.sees(p)
	}
	head := s.State.Head()
	s.log(s.Act(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause}))
	for next := claim; s.shown(h, next); {
		switch owed := h.table.DutiesOf(0); {
		case h.table.Head() == head || h.table.Foul() != nil || h.table.IsOver():
			return
		case len(owed) > 0 && owed[0].Kind != table.Move:
			next = testmust.Have(s.Hands[0].SignMessage(h.table, owed[0], nil, s.Random))(s.t)
		case h.table.Head() == wire.HashEntry(claim):
			next = testmust.Have(player.SignAct(h.table, h.table.HolderKey(0), s.Hands[0].Signer, wire.KindBack, wire.EmptyBody{}))(s.t)
		default:
			s.tally["led behind a claim"]++
			s.turn(h)
			return
		}
	}
}

// lateAstray makes seat B claim that the attacker is late, who has answered on a branch that B is not
// shown. The claim is void, and an honest seat follows it.
func (s *schedule) lateAstray() {
	if s.State.Foul() != nil || s.State.IsPaused() || len(s.State.DutiesOf(0)) == 0 || s.State.DutiesOf(0)[0].Kind == table.Move || s.Clock(0).Left >= 0 {
		return
	}
	if !s.State.IsAstray(0) {
		beside := s.Act(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd})
		if !s.log(s.Act(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause})) || !s.log(beside) || s.State.StateAfter(wire.HashEntry(beside)) == nil {
			return
		}
		on := s.State.StateAfter(wire.HashEntry(beside))
		s.log(testmust.Have(s.Hands[0].SignMessage(on, on.DutiesOf(0)[0], nil, s.Random))(s.t))
	}
	if s.State.Foul() != nil || !s.State.IsAstray(0) || s.Clock(0).Left >= 0 {
		return
	}
	h, claim := s.players[s.random.IntN(len(s.players))], s.Claim(0, 1)
	for _, p := range s.logged {
		if s.has(wire.HashEntry(p.entry)) {
			h.sees(p)
		}
	}
	if s.shown(h, claim) && !s.has(wire.HashEntry(claim)) {
		s.tally["shown a void claim"]++
		s.turn(h)
	}
}

// ends adds an end of the table, or the attacker's departure, beside the history, and shows only that
// to an honest seat.
func (s *schedule) ends() {
	if s.State.Foul() != nil || s.chooses() {
		return
	}
	before, end := slices.Clone(s.logged), s.Act(0, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})
	if owed := s.State.DutiesOf(0); len(owed) > 0 && s.random.IntN(2) == 0 {
		m := testmust.Have(wire.Parse(testmust.Have(s.Hands[0].SignMessage(s.State, owed[0], nil, s.Random))(s.t)))(s.t).Message
		m.Body = []byte("{}")
		end = testmust.Have(wire.Sign(m, s.Hands[0].Signer))(s.t)
	}
	act := s.Act(0, wire.KindAgree, wire.AgreeBody{To: []string{wire.AgreeEnd, wire.AgreeNothing}[s.random.IntN(2)]})
	if !s.log(act) || !s.has(wire.HashEntry(act)) || !s.log(end) {
		return
	}
	s.tally["shown an end"]++
	h := s.players[s.random.IntN(len(s.players))]
	for _, p := range append(before, s.logged[len(s.logged)-1]) {
		h.sees(p)
	}
	s.turn(h)
}

// shown adds a missing entry to the log and shows it to a seat.
func (s *schedule) shown(h *honest, entry []byte) bool {
	if !s.log(entry) {
		return false
	}
	h.sees(s.logged[len(s.logged)-1])
	return s.view(h) != nil
}

// shows gives somebody an entry of the log, possibly not the next one.
func (s *schedule) shows() {
	p := s.logged[s.random.IntN(len(s.logged))]
	if n := s.random.IntN(len(s.players) + len(s.keepers)); n < len(s.players) {
		s.players[n].sees(p)
	} else if r := s.keepers[n-len(s.players)]; !s.whole && r.list[len(r.list)-1].index < p.index {
		r.list = append(r.list, p)
	}
}

// passes lets five seconds pass, in which honest seats and keepers act.
func (s *schedule) passes() {
	s.PassTime(5)
	s.passed += 5 * time.Second
	s.cp = s.Checkpoint()
	for _, k := range s.keepers {
		if s.whole && s.random.IntN(2) == 0 {
			k.list = slices.Clone(s.logged)
		}
		k.PassOnce(s.t.Context())
	}
	for _, h := range s.players {
		s.turn(h)
	}
}

// claims tries to time every honest seat out.
func (s *schedule) claims() {
	for _, h := range s.players {
		if s.State.Foul() != nil || s.chooses() || len(s.State.DutiesOf(h.seat)) == 0 || s.Clock(h.seat).Left >= 0 {
			continue
		}
		body := s.Clock(h.seat).Claim
		body.Silence = s.Silence(h.seat, 2)
		r := s.genesis
		r.Parent, r.Seat = s.State.Head(), int(h.seat)
		for _, k := range s.keepers {
			line, err := k.Silence(r)
			if err == nil {
				body.Silence = append(body.Silence, line)
				s.tally["silences"]++
			} else {
				s.tally[err.Error()]++
			}
		}
		s.tally["claims"]++
		switch fault := s.FaultOf(s.Act(0, wire.KindTimeout, body)); {
		case fault == nil && h.absent:
			s.tally["an absent seat is timed out"]++
		case fault == nil:
			s.t.Errorf("seat %s is timed out after %d entries", h.seat.Letter(), len(s.logged))
			s.tell(h)
		case fault.Check == table.CheckBranch:
			s.tally["void, on a branch"]++
		case fault.Class != table.Void:
			s.t.Error(fault)
		}
	}
}

// tell logs the entries of the log, those shown to a seat, and what the seat signed.
func (s *schedule) tell(h *honest) {
	name := func(e *wire.Entry) string {
		if e.Message != nil {
			return fmt.Sprintf("%s on %s: %s by seat %d", e.Hash.String()[:4], e.Parent().String()[:4], e.Message.Kind, e.Message.Seat)
		}
		return fmt.Sprintf("%s on %s: an act", e.Hash.String()[:4], e.Parent().String()[:4])
	}
	for _, p := range s.logged {
		e := testmust.Have(wire.Parse(p.entry))(s.t)
		_, shown := h.shown[p.index]
		s.t.Logf("entry %d: %s, applied %v, beside %v, shown %v", p.index, name(e), s.State.StateAfter(e.Hash) != nil && !s.State.IsBeside(e.Hash), s.State.IsBeside(e.Hash), shown)
	}
	for _, entry := range h.signed {
		s.t.Log("signed ", name(testmust.Have(wire.Parse(entry))(s.t)))
	}
}

// keepsSilent is what a keeper answers that holds the answer of a seat on a branch.
const keepsSilent = "a message of this seat is held, or in the log, that builds on no entry before this one, as far as this keeper knows: it may have been shown another history"

// The log, another seat and one keeper of three try to time out an honest seat: they withhold
// entries, show them to one and not to another, and log them in any order.
func TestNobodyHonestIsTimedOut(t *testing.T) {
	tally := map[string]int{}
	seed := rand.Uint64()
	if n, err := strconv.ParseUint(os.Getenv("PAKLI_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("seed %d", seed)
	runs := uint64(3)
	if testmust.Thorough() {
		runs = 120
	}
	if n, err := strconv.ParseUint(os.Getenv("PAKLI_SCHEDULES"), 10, 64); err == nil {
		runs = n
	}
	for run := range runs {
		s := newSchedule(t, seed+run, tally)
		for range 60 {
			switch s.random.IntN(11) {
			case 0:
				s.signs(s.logged[s.random.IntN(len(s.logged))].entry)
			case 1:
				if n := len(s.pool); n > 0 {
					s.log(s.pool[s.random.IntN(n)])
				}
			case 2, 3:
				s.shows()
			case 4:
				s.splits()
			case 5:
				s.lateHimself()
			case 6:
				s.lateAstray()
			case 7:
				s.ends()
			default:
				for range 1 + s.random.IntN(7) {
					s.passes()
				}
				s.claims()
			}
		}
		if f := s.State.Foul(); f != nil {
			if tally["fouls"]++; f.Seat != 0 {
				t.Errorf("an honest seat is blamed: %v", f)
			}
		}
		testmust.Requiref(t, !t.Failed(), "run %d", run)
	}
	t.Logf("%v", tally)
	testmust.Hold(t, runs < 1_000 || tally["silences"] != 0 && tally["void, on a branch"] != 0 && tally[keepsSilent] != 0,
		"no seat came near to being timed out: this shows nothing")
}
