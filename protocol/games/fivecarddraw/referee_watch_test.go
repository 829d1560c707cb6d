package fivecarddraw_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// watcher listens at a table, with the secrets of all seats, and judges what it hears. Of
// the code that is judged it reads the public state, to compare it.
type watcher struct {
	table *tabletest.Table
	at    int   // the next entry
	mixed []int // seats that have shuffled the deal
	again []int // seats that have mixed what was put away
	now   deal
	out   []leaving
	past  []*tale
	over  bool
}

func newWatcher(t *tabletest.Table) *watcher {
	w := &watcher{table: t, at: 1, out: make([]leaving, t.Config.Seats)}
	w.now = deal{house: rulesOf(t.Config.Options), number: 1, deals: t.Config.Deals}
	w.now.chips = slices.Repeat([]int{w.now.intOption("stack")}, t.Config.Seats)
	return w
}

// watchTable returns an Invariant and a Legal of tabletest for one configuration.
func watchTable() (invariant func(*tabletest.Table) error, legal func(*tabletest.Table, table.Seat, json.RawMessage) error) {
	var w *watcher
	follow := func(t *tabletest.Table) error {
		if w == nil || w.table != t {
			w = newWatcher(t)
		}
		return w.catchUp()
	}
	return follow, func(t *tabletest.Table, seat table.Seat, raw json.RawMessage) error {
		if err := follow(t); err != nil {
			panic(err)
		}
		m, err := parseMove(int(seat), raw)
		if err == nil {
			_, err = w.withMove(m).tell()
		}
		return err
	}
}

// judgeTable returns what is against the rules at a table, as far as it was played, and the
// record of its deals that are over, by the referee's account.
func judgeTable(t *tabletest.Table) (record string, err error) {
	w := newWatcher(t)
	err = w.catchUp()
	return w.record(), err
}

// catchUp listens to what was applied since.
func (w *watcher) catchUp() error {
	for ; w.at < len(w.table.Entries); w.at++ {
		e, err := wire.Parse(w.table.Entries[w.at])
		if err != nil {
			return err
		}
		if err := w.hearEntry(e.Message); err != nil {
			return fmt.Errorf("entry %d: %w", w.at, err)
		}
	}
	return w.compareState()
}

// hearEntry takes in a message. States[at-1] is the state before it.
func (w *watcher) hearEntry(m *wire.Message) (err error) {
	switch {
	case m.Kind == wire.KindKey || m.Kind == wire.KindDisclose:
		return nil
	case m.Kind == wire.KindShuffle && w.over:
		return errors.New("FD-R-53: a deal begins after the last one")
	case m.Kind == wire.KindShuffle:
		w.mixed = append(w.mixed, m.Seat)
		return nil
	case w.now.pack == nil:
		if err := w.checkShufflers(); err != nil {
			return err
		}
		s := w.table.States[w.at-1]
		masked, _ := s.Deck()
		if w.now.pack, err = w.uncover(s, masked); err != nil {
			return err
		}
	}
	if m.Kind == wire.KindMix {
		return w.checkRemix(m.Seat)
	}
	if m.Kind != wire.KindMove {
		return w.finishIfOver() // a deal may end without a word
	}
	var body wire.MoveBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return err
	}
	s, err := parseMove(m.Seat, body.Move)
	if err != nil {
		return err
	}
	w.now = w.withMove(s)
	return w.finishIfOver()
}

// finishIfOver finishes a deal that is over, once every card of it was shown to its seat.
func (w *watcher) finishIfOver() error {
	t, err := w.now.tell()
	due := w.table.States[w.at].Duties()
	if shows := len(due) > 0 && due[0].Kind == table.Show; err == nil && t.over && !shows {
		w.finishDeal(t)
	}
	return err
}

// checkShufflers sees that those of the deal shuffled, from the dealer clockwise (FD-R-10).
func (w *watcher) checkShufflers() error {
	n := len(w.now.chips)
	want := seatsLeftOf(w.now.dealer+n-1, n, func(s int) bool { return w.now.chips[s] > 0 })
	if !slices.Equal(w.mixed, want) {
		return fmt.Errorf("FD-R-10: %v shuffled, not %v", w.mixed, want)
	}
	return nil
}

// checkRemix sees that those who shuffled mix what FD-R-34 brings back, and reads it.
func (w *watcher) checkRemix(seat int) error {
	w.again = append(w.again, seat)
	if len(w.again) < len(w.mixed) {
		return nil
	}
	t, err := w.now.tell()
	if err != nil {
		return err
	}
	var places []table.Card
	for _, p := range t.again {
		places = append(places, table.Card(p))
	}
	if due := w.table.States[w.at-1].Duties()[0].Cards; !slices.Equal(w.again, w.mixed) || !slices.Equal(due, places) {
		return fmt.Errorf("FD-R-34: %v mixed %v; for the referee %v %v", w.again, due, w.mixed, places)
	}
	faces, err := w.uncover(w.table.States[w.at], w.table.States[w.at].MaskedCards(places))
	w.again, w.now.pack = nil, slices.Clone(w.now.pack)
	for i, f := range faces {
		w.now.pack[places[i]] = f
	}
	return err
}

// withMove is the deal with one more move.
func (w *watcher) withMove(s heardMove) deal {
	d := w.now
	d.heard = append(slices.Clone(d.heard), s)
	return d
}

// uncover reads cards with the secrets of those who have shuffled them.
func (w *watcher) uncover(s *table.State, masked []proof.MaskedCard) ([]string, error) {
	names := make([]string, s.Cards())
	for f := range names {
		names[f] = s.FaceName(card.Face(f))
	}
	pack, err := card.NewDeck("five-card-draw-52", names)
	if err != nil {
		return nil, err
	}
	encoding := s.Suite().Encoding()
	faces, err := encoding.Deck(pack)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, c := range masked {
		for _, seat := range w.mixed { // each token is for the card that the one before it left
			c = encoding.Strip(c, w.table.Secret(s, table.Seat(seat)).Token(c))
		}
		f, ok := faces.Face(c)
		if !ok {
			return nil, errors.New("a card without a face")
		}
		list = append(list, s.FaceName(f))
	}
	return list, nil
}

// parseMove reads a move: an object with one field (92.10).
func parseMove(seat int, raw json.RawMessage) (heardMove, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) != 1 {
		return heardMove{}, fmt.Errorf("92.10: %s is no move", raw)
	}
	verb := slices.Collect(maps.Keys(fields))[0]
	s, value := heardMove{seat: seat, verb: verb}, fields[verb]
	var err error
	switch verb {
	case "to":
		err = json.Unmarshal(value, &s.to)
	case "discard", "pick":
		err = json.Unmarshal(value, &s.places)
	case "show", "openers":
		var cards []struct {
			Card int
			Face string
		}
		err = json.Unmarshal(value, &cards)
		for _, c := range cards {
			s.places, s.faces = append(s.places, c.Card), append(s.faces, c.Face)
		}
	case "fold", "check", "call", "muck":
		if string(value) != "true" {
			err = fmt.Errorf("92.10: %s is not true", verb)
		}
	default:
		err = fmt.Errorf("92.10: there is no move %s", verb)
	}
	return s, err
}

// finishDeal begins the next deal, or ends the table.
func (w *watcher) finishDeal(t *tale) {
	w.past, w.over, w.mixed = append(w.past, t), t.last, nil
	for _, s := range t.in {
		if t.stack[s] == 0 {
			w.out[s] = leaving{deal: t.number, chips: t.chips[s], dealer: t.dealer}
		}
	}
	if t.last {
		for s, n := range t.stack {
			if n > 0 {
				w.out[s] = leaving{end: true, chips: n, dealer: t.dealer}
			}
		}
		return
	}
	next := seatsLeftOf(t.dealer, len(t.stack), func(s int) bool { return t.stack[s] > 0 })[0]
	w.now = deal{house: w.now.house, number: t.number + 1, deals: t.deals, dealer: next, chips: t.stack, before: t.left}
}

// result is FD-R-54 and FD-R-55.
func (w *watcher) result() []int {
	stack := w.now.intOption("stack")
	if w.now.hasOption("payout", "places") {
		var prizes []int
		for p := range strings.SplitSeq(w.now.house["prizes"], ",") {
			prizes = append(prizes, house{"": p}.intOption(""))
		}
		return placePayout(w.out, stack, prizes)
	}
	var result []int
	for _, n := range w.past[len(w.past)-1].stack {
		result = append(result, n-stack)
	}
	return result
}

// compareState holds what the table says of itself against the referee's account.
func (w *watcher) compareState() error {
	s, _ := table.Public[fivecarddraw.State](w.table.State)
	due := w.table.State.Duties()
	if len(due) > 0 && due[0].Kind == table.Disclose {
		return nil // what there is to compare was compared before
	}
	if w.over {
		result, over := w.table.State.Result()
		if !over || !slices.Equal(result, w.result()) {
			return fmt.Errorf("92.7: the result is %v, over %t; the referee says %v", result, over, w.result())
		}
		return nil
	}
	if len(due) == 0 {
		return errors.New("FD-R-53: the table is over, and for the referee it is not")
	}
	if due[0].Kind != table.Move || w.now.pack == nil && s.Stage == fivecarddraw.Picking {
		return nil
	}
	t, err := w.now.tell()
	switch {
	case err != nil || t.over:
		return fmt.Errorf("a move is due: %w", err)
	case string(s.Stage) != t.wait.stage || !slices.Equal(due[0].Seats, []table.Seat{table.Seat(t.wait.seat)}):
		return fmt.Errorf("play waits for %v at the stage %s; for the referee for %s at %s", due[0].Seats, s.Stage, letter(t.wait.seat), t.wait.stage)
	case !slices.Equal(s.Chips, t.stack) || !slices.Equal(s.Deal.Live, t.live):
		return fmt.Errorf("FD-R-02: chips %v, live %v; the referee says %v and %v", s.Chips, s.Deal.Live, t.stack, t.live)
	}
	return w.compareDetails(s, t)
}

func (w *watcher) compareDetails(s fivecarddraw.State, t *tale) error {
	switch t.wait.stage {
	case "bet", "bet-after":
		least, greatest := t.round.bounds(t.wait.seat)
		b := s.Bounds(table.Seat(t.wait.seat))
		if b.Least != least || b.Greatest != greatest || b.Call > 0 != (t.round.in[t.wait.seat] < t.round.height) {
			return fmt.Errorf("92.4: %s may call with %d or go to %d … %d; for the referee to %d … %d", letter(t.wait.seat), b.Call, b.Least, b.Greatest, least, greatest)
		}
	case "show", "openers":
		var pots []heap
		for _, p := range s.Deal.Pots {
			h := heap{chips: p.Chips}
			for _, c := range p.Claimants {
				h.claimants = append(h.claimants, int(c))
			}
			pots = append(pots, h)
		}
		if fmt.Sprint(pots) != fmt.Sprint(t.heaps) {
			return fmt.Errorf("92.7: the pots are %v; for the referee %v", pots, t.heaps)
		}
	}
	if t.wait.stage == "pick" || t.wait.stage == "exchange" {
		return nil
	}
	for _, seat := range t.in {
		var hand []int
		for _, c := range s.Deal.Hands[seat] {
			hand = append(hand, int(c))
		}
		if !slices.Equal(hand, t.hands[seat]) {
			return fmt.Errorf("FD-R-31: %s holds %v; for the referee %v", letter(seat), hand, t.hands[seat])
		}
	}
	return nil
}

// record is the record of the table (92.10), of all deals that are over.
func (w *watcher) record() string {
	g := w.table.State.Genesis()
	lines := []string{"five-card-draw 1", fmt.Sprintf("table %v", w.table.State.ID()), fmt.Sprintf("deals %d", g.Deals)}
	for _, name := range slices.Sorted(maps.Keys(g.Options)) {
		lines = append(lines, "option "+name+"="+g.Options[name])
	}
	for s := range w.table.Config.Seats {
		lines = append(lines, "seat "+letter(s)+" "+w.table.State.SeatName(table.Seat(s)))
	}
	for _, t := range w.past {
		lines = append(lines, "")
		lines = append(lines, t.record()...)
	}
	if w.over {
		lines = append(lines, "", "result "+joinNumbers(w.result()))
	}
	return strings.Join(lines, "\n") + "\n"
}
