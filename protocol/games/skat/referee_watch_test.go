package skat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// watcher listens at a table, with the secrets of all seats, and has the referee judge
// what he hears. Of the code that is judged it uses the form of moves only.
type watcher struct {
	table   *tabletest.Table
	at      int   // the next entry
	order   []int // of the seats around the table
	seated  bool  // they have been drawn
	number  int   // of the deal
	mixed   []int // seats that have shuffled it
	last    table.Kind
	players [3]int // seats
	openDeal
	sitting
	due     int  // proofs of voids so far in the deal
	running bool // a deal is under way
	over    bool
	deals   []*ending
}

func newWatcher(t *tabletest.Table) *watcher {
	n := t.Config.Seats
	w := &watcher{table: t, at: 1}
	w.house = t.Config.Options
	w.sitting = sitting{n: n, score: t.Config.Options["score"], totals: make([]int, n), won: make([]int, n), lost: make([]int, n)}
	for seat := range n {
		w.order = append(w.order, seat)
	}
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
		s, err := w.hearMove(len(t.Entries), int(seat), raw)
		if err != nil {
			return err
		}
		d := w.openDeal
		d.heard = append(slices.Clone(d.heard), s)
		_, _, err = d.tell()
		return err
	}
}

// judgeTable returns what is against the rules at a table, as far as it was played, and how
// its deals ended.
func judgeTable(t *tabletest.Table) (ends []string, err error) {
	w := newWatcher(t)
	err = w.catchUp()
	for _, end := range w.deals {
		ends = append(ends, end.how)
	}
	return ends, err
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
func (w *watcher) hearEntry(m *wire.Message) error {
	before := w.table.States[w.at-1]
	if m.Kind == wire.KindShuffle {
		if w.over {
			return errors.New("a deal begins after the list is over")
		}
		if w.running || slices.Contains(w.mixed, m.Seat) {
			w.running, w.mixed = false, nil
		}
		w.mixed, w.last = append(w.mixed, m.Seat), m.Kind
		return nil
	}
	if m.Kind == wire.KindShow && w.last == wire.KindShuffle {
		deck, err := w.uncover(before)
		if err != nil {
			return err
		}
		if w.hasOption("seats-draw", "on") && !w.seated { // the highest face of the pack sits first
			w.seated = true
			slices.SortFunc(w.order, func(a, b int) int { return slices.Index(pack, deck[b]) - slices.Index(pack, deck[a]) })
		}
		w.hands, w.skat = dealCards(deck)
	}
	if w.last = m.Kind; m.Kind != wire.KindMove {
		return nil
	}
	if !w.running {
		w.beginDeal()
	}
	var body wire.MoveBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return err
	}
	s, err := w.hearMove(w.at, m.Seat, body.Move)
	if err != nil {
		return err
	}
	w.heard = append(w.heard, s)
	end, _, err := w.tell()
	if err != nil {
		return err
	}
	if err := w.compareProofs(before, m, body.Move); err != nil {
		return err
	}
	if end != nil {
		w.finishDeal(end)
	}
	return nil
}

// beginDeal is the first call of a deal.
func (w *watcher) beginDeal() {
	w.number++
	for i := range w.players {
		w.players[i] = w.order[(w.number+i)%w.n]
	}
	w.heard, w.running, w.due = nil, true, 0
}

// uncover reads the whole deck with the secrets of those who have shuffled it.
func (w *watcher) uncover(s *table.State) ([]string, error) {
	names := make([]string, s.Cards())
	for f := range names {
		names[f] = s.FaceName(card.Face(f))
	}
	pack, err := card.NewDeck("skat-32", names)
	if err != nil {
		return nil, err
	}
	encoding := s.Suite().Encoding()
	faces, err := encoding.Deck(pack)
	if err != nil {
		return nil, err
	}
	masked, _ := s.Deck()
	var list []string
	for _, c := range masked {
		var tokens []proof.Token
		for _, h := range w.table.Hands {
			if slices.Contains(w.mixed, int(h.Seat)) {
				tokens = append(tokens, h.Secret.Token(c))
			}
		}
		f, ok := faces.Face(encoding.Strip(c, tokens...))
		if !ok {
			return nil, errors.New("a card without a face")
		}
		list = append(list, s.FaceName(f))
	}
	return list, nil
}

// hearMove puts a move into the referee's words, with the true faces of the cards that it
// names by their places. A card that the seat does not have, or names wrongly, is "?".
func (w *watcher) hearMove(at, seat int, raw json.RawMessage) (heardMove, error) {
	var m skat.Move
	s := heardMove{who: slices.Index(w.players[:], seat)}
	if err := json.Unmarshal(raw, &m); err != nil || s.who < 0 {
		return s, fmt.Errorf("seat %d says %s: %w", seat, raw, err)
	}
	state := w.table.States[at-1]
	hand, err := play.Peek(state, table.Seat(seat), w.table.Hands[seat].Secret)
	if err != nil {
		return s, err
	}
	face := func(c table.Card) string {
		f, held := hand[c]
		if open, is := state.Faces()[c]; !held && is && w.holds(s.who, state.FaceName(open)) {
			f, held = open, true
		}
		if !held {
			return "?"
		}
		return state.FaceName(f)
	}
	list := func(names []string) []string { // as the true faces, if they are in order
		var places []table.Card
		for c, f := range hand {
			if slices.Contains(names, state.FaceName(f)) {
				places = append(places, c)
			}
		}
		slices.Sort(places)
		var true []string
		for _, c := range places {
			true = append(true, face(c))
		}
		if !slices.Equal(true, names) {
			return append(slices.Clone(names), "?")
		}
		return names
	}
	return toHeardMove(s, m, face, list), nil
}

// holds tells whether a player has a card in hand, by the referee's account.
func (w *watcher) holds(p int, c string) bool {
	t := &tale{openDeal: w.openDeal}
	for _, s := range t.heard {
		if s.verb == "play" && s.who == p && s.cards[0] == c {
			return false
		}
	}
	return slices.Contains(t.hands[p], c) || slices.Contains(t.skat, c)
}

func toHeardMove(s heardMove, m skat.Move, face func(table.Card) string, list func([]string) []string) heardMove {
	truth := func(b bool) int { return map[bool]int{true: yes}[b] }
	names := func(v any) []string {
		raw, _ := json.Marshal(v)
		var words []string
		_ = json.Unmarshal(raw, &words)
		return words
	}
	switch {
	case m.Call != nil:
		s.verb = "call"
		word := m.Call.String()
		if s.n, _ = strconv.Atoi(word); word == "yes" {
			s.n = yes
		}
	case m.Choose != nil:
		s.verb = *m.Choose
	case m.Aside != nil:
		s.verb, s.cards = "pass on", []string{face(m.Aside[0]), face(m.Aside[1])}
	case m.Announce != nil:
		a := m.Announce
		s.verb, s.game, s.n, s.ouvert = "announce", string(a.Game), a.Ann, a.Ouvert
		if a.Discard != nil {
			s.cards = []string{face(a.Discard[0]), face(a.Discard[1])}
			if a.Discard[0] >= a.Discard[1] {
				s.cards = append(s.cards, "?")
			}
		}
	case m.Kontra != nil:
		s.verb, s.n = "kontra", truth(*m.Kontra)
	case m.Re != nil:
		s.verb, s.n = "re", truth(*m.Re)
	case m.Open != nil:
		s.verb, s.cards = "open", list(names(*m.Open))
	case m.Play != nil:
		s.verb, s.cards = "play", []string{face(m.Play.Card)}
		if s.cards[0] != names([]any{m.Play.Face})[0] {
			s.cards[0] = "?"
		}
	case m.Concede != nil:
		s.verb, s.n = "concede", truth(*m.Concede)
	case m.Agree != nil:
		s.verb, s.n = "agree", truth(*m.Agree)
	case m.Claim != nil:
		s.verb, s.n, s.cards = "claim", m.Claim.Level, list(names(m.Claim.Faces))
	case m.Answer != nil:
		s.verb = *m.Answer
	case m.Lay != nil:
		s.verb, s.cards = "lay", list(names(*m.Lay))
	case m.Matadors != nil:
		s.verb, s.n = "matadors", m.Matadors.N
		if !m.Matadors.With {
			s.n = -s.n
		}
	}
	return s
}

// compareProofs holds the conditions of a move against the voids that it shows.
func (w *watcher) compareProofs(before *table.State, m *wire.Message, move json.RawMessage) error {
	terms, err := before.MoveTerms(table.Seat(m.Seat), move)
	if err != nil {
		return err
	}
	t := w.taleSoFar()
	var want, got []string
	if len(t.due) > w.due {
		fields := strings.Fields(t.due[w.due])
		want = append(want, "none of "+fields[3]+" in "+strings.Join(slices.Sorted(slices.Values(rowsOf[t.game][fields[2]])), " "))
	}
	w.due = len(t.due)
	for _, c := range terms.Prove {
		if strings.HasPrefix(c.Claim, "M-") || c.Claim == "D-NOJACK" {
			continue
		}
		var names []string
		for _, f := range c.Set.Faces() {
			names = append(names, before.FaceName(f))
		}
		slices.Sort(names)
		got = append(got, fmt.Sprintf("%s of %d in %s", map[bool]string{true: "none", false: "some"}[c.Max == 0 && c.Min == 0], len(c.Cards), strings.Join(names, " ")))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s asks for %q, the referee for %q", move, got, want)
	}
	return nil
}

// taleSoFar is the tale up to now, finished or not.
func (w *watcher) taleSoFar() *tale {
	var t *tale
	d := w.openDeal
	d.after = func(now *tale) { t = now }
	_, _, _ = d.tell()
	return t
}

func (w *watcher) finishDeal(end *ending) {
	w.deals = append(w.deals, end)
	w.enter(end, w.players)
	w.over = w.number == w.table.Config.Deals || w.score == "bierlachs" && slices.Min(w.totals) <= -w.limit()
}

func (w *watcher) limit() int {
	n, err := strconv.Atoi(w.house["limit"])
	if err != nil {
		return 301
	}
	return n
}

// compareState holds what play waits for, and what the list has come to, against the referee.
func (w *watcher) compareState() error {
	due := w.table.State.Duties()
	switch {
	case len(due) > 0 && due[0].Kind != table.Move: // the skat of a hand game may have to be shown after the last word
		return nil
	case w.over:
		result, over := w.table.State.Result()
		if !over || !slices.Equal(result, w.result()) {
			return fmt.Errorf("the result is %v, over %t; the referee says %v", result, over, w.result())
		}
		return nil
	case len(due) == 0:
		return errors.New("the table is over, and for the referee it is not")
	}
	if !w.running {
		w.beginDeal()
	}
	end, turns, err := w.tell()
	if err != nil || end != nil {
		return fmt.Errorf("a move is due: %w, %v", err, end)
	}
	var want []table.Seat
	for _, u := range turns {
		if seat := table.Seat(w.players[u.who]); !slices.Contains(want, seat) {
			want = append(want, seat)
		}
	}
	if got := slices.Sorted(slices.Values(due[0].Seats)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("play waits for %v, the referee for %v", got, turns)
	}
	return nil
}
