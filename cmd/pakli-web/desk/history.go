package desk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// history has all states of a table, as an onlooker has replayed it.
type history struct {
	replay *replay.Replay
	taken  uint64
	blobs  map[wire.Blob][]byte
	steps  []replay.Step      // without void ones
	err    error              // of an entry that could not be judged
	timed  player.TimedSource // places of entries in the log, and its marks, for a table with a clock
}

func newHistory() *history {
	h := &history{}
	h.forgetAll()
	return h
}

// forgetAll forgets everything that was read.
func (h *history) forgetAll() {
	*h = history{blobs: map[wire.Blob][]byte{}, timed: h.timed}
	h.replay = replay.New(catalogue(), h.blob, 1, func(_ wire.Hash, s replay.Step) {
		switch {
		case s.Err != nil:
			h.err = s.Err
		case !s.IsVoid():
			h.steps = append(h.steps, s)
		}
	})
}

// keepBlobs keeps the blobs that follow an entry until it is judged.
func (h *history) keepBlobs(entry, attached []byte) {
	e, err := wire.ParseEntry(entry)
	if err != nil || e.Message == nil {
		return // belongs to no table
	}
	for _, b := range e.Message.Blobs() {
		if len(attached) < b.Size {
			return
		}
		h.blobs[b], attached = attached[:b.Size], attached[b.Size:]
	}
}

func (h *history) blob(b wire.Blob) ([]byte, error) {
	if bytes, ok := h.blobs[b]; ok {
		return bytes, nil
	}
	return nil, wire.ErrDetached
}

// stateAfter returns the table after n messages.
func (h *history) stateAfter(n int) *table.State { return h.steps[n].After }

// judgeEntries judges entries with their blobs and returns the steps of those that were applied or
// foul. It checks their proofs together.
func (h *history) judgeEntries(parcels [][]byte) ([]replay.Step, error) {
	n := len(h.steps)
	for _, parcel := range parcels {
		entry, attached := wire.CutParcel(parcel)
		h.keepBlobs(entry, attached)
		index, err := h.entryIndex(entry)
		if err != nil {
			return nil, err
		}
		h.replay.TakeLeaf(replay.NewLeaf(index, wire.HashEntry(entry), entry))
		h.taken++
	}
	h.replay.SettleBatches()
	clear(h.blobs)
	return h.steps[n:], h.err
}

// entryIndex returns the index of an entry in the log, or in a table without a clock its number.
func (h *history) entryIndex(entry []byte) (uint64, error) {
	if h.taken == 0 && h.timed != nil {
		if g, err := wire.ParseGenesis(entry); err != nil || g.Table.Clock.IsNone() {
			h.timed = nil
		}
	}
	if h.timed == nil {
		return h.taken, nil
	}
	h.replay.Marks = func(mark wire.Hash) (keeper.Mark, error) { return h.timed.Mark(context.Background(), mark) }
	return h.timed.Index(int(h.taken))
}

// hasEnded reports whether no entry can follow.
func (h *history) hasEnded() bool {
	n := len(h.steps)
	return n > 0 && (h.steps[n-1].After.IsOver() || h.steps[n-1].After.Foul() != nil)
}

// readOn reads new entries, and waits a while for them.
func (h *history) readOn(ctx context.Context, src player.Source, id wire.Hash, read *int, wait time.Duration) ([]replay.Step, error) {
	entries, err := src.Messages(ctx, id, *read, wait)
	if errors.Is(err, player.ErrLeftOut) {
		h.forgetAll()
		*read = 0
		return nil, nil
	}
	*read += len(entries)
	if err != nil {
		return nil, err
	}
	if *read == len(entries) {
		h.timed, _ = src.(player.TimedSource)
	}
	return h.judgeEntries(entries)
}

// longPoll is how long an onlooker's request waits for news.
const longPoll = 25 * time.Second

// watchTable shows a table to an onlooker.
func watchTable(d *Desk, _ context.Context, a tableAddress) (any, error) {
	c, err := d.openTable(a, "")
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(c.ended)
		c.followTable(c.ctx)
	}()
	return nil, nil
}

// followTable follows a table until it is over or the page leaves it.
func (c *conversation) followTable(ctx context.Context) {
	cl, err := c.desk.clientOf(c.tableAddress)
	if err != nil {
		c.tellState(nil, "stopped", true, err.Error())
		return
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	go tablelog.Attend(asking, cl, c.Table, "", nil, c.tellPresent)
	src, h, read := tablelog.New(c.Table, tablelog.Options{Server: cl}), newHistory(), 0
	for wait := time.Duration(0); ctx.Err() == nil && !h.hasEnded(); {
		news, err := h.readOn(ctx, src, c.Table, &read, wait)
		for _, s := range news {
			if s.Before != nil && s.Entry.Act != nil {
				c.tellAct(s.Before, s.After, s.Entry.Act)
			}
			if s.Before == nil || s.Entry.Message == nil {
				continue
			}
			if wait == 0 && s.After.Deal() > s.Before.Deal() {
				c.forgetTells() // of a deal that was over before the page came
			}
			c.tellLater(s.Before, s.After, s.Entry.Message)
		}
		switch {
		case err == nil && len(news) > 0:
			c.showTable(scene.OnlookerPosition(h.stateAfter(len(h.steps) - 1)))
		case err == nil:
			wait = longPoll
		case ctx.Err() != nil:
			return
		case !client.IsPassing(err) && !isGarbled(err):
			c.tellState(nil, "stopped", true, err.Error())
			return
		default:
			state := "away"
			if !client.IsPassing(err) {
				state = "garbled"
			}
			c.tellState(nil, state, state == "garbled", err.Error())
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	}
}

func (c *conversation) forgetTells() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = nil
}

// Replay is a table that was read to its end.
type Replay struct {
	ID     string          `json:"id"` // of this replay
	Table  wire.Hash       `json:"table"`
	Length int             `json:"length"` // number of states: the first, and one after each message
	Names  []string        `json:"names"`  // of the seats
	Marks  []Mark          `json:"marks"`
	Faces  map[string]Face `json:"faces"`
}

// Moment is a table after some messages, as one seat saw it then, or as everybody did.
type Moment struct {
	View  View               `json:"view"`
	Later map[table.Card]int `json:"later"` // known because the log opens them after this many messages
	Tells []Tell             `json:"tells"`
	Text  string             `json:"text"` // the view as in a terminal
}

// openReplay reads a whole table from a bundle or a log. The caller may choose its ID; it then
// replaces an older replay with that ID.
func openReplay(d *Desk, ctx context.Context, o struct {
	tableAddress
	ID string `json:"id"`
}, file []byte) (any, error) {
	a, h, name := o.tableAddress, newHistory(), cmp.Or(o.ID, o.Table.String())
	if file != nil {
		b, err := bundle.Parse(file)
		if err != nil {
			return nil, err
		}
		a.Table = b.Table
		parcels, err := parcelsOf(ctx, b)
		if err != nil {
			return nil, err
		}
		if _, err := h.judgeEntries(parcels); err != nil {
			return nil, err
		}
	} else {
		c, err := d.clientOf(a)
		if err != nil {
			return nil, err
		}
		src, read := tablelog.New(a.Table, tablelog.Options{Server: c}), 0
		for {
			news, err := h.readOn(ctx, src, a.Table, &read, 0)
			if err != nil {
				return nil, err
			}
			if len(news) == 0 {
				break
			}
		}
	}
	if len(h.steps) == 0 {
		return nil, errors.New("there is no such table")
	}
	d.mu.Lock()
	d.replays[name] = h
	d.mu.Unlock()
	first := h.stateAfter(0)
	names := make([]string, first.Seats())
	for i := range names {
		names[i] = first.SeatName(table.Seat(i))
	}
	last := h.stateAfter(len(h.steps) - 1)
	return Replay{name, a.Table, len(h.steps), names, h.marks(), voiceOf(a.Lang, last).faces(last)}, nil
}

// parcelsOf returns the entries of a bundle, each with its blobs.
func parcelsOf(ctx context.Context, b *bundle.Bundle) ([][]byte, error) {
	var list [][]byte
	for _, entry := range b.Entries {
		parcel := slices.Clone(entry.Bytes)
		if e, err := wire.ParseEntry(entry.Bytes); err == nil && e.Message != nil {
			for _, name := range e.Message.Blobs() {
				blob, err := bundle.Reader{Bundle: b}.Blob(ctx, name.Hash)
				if err != nil {
					return nil, err
				}
				parcel = append(parcel, blob...)
			}
		}
		list = append(list, parcel)
	}
	return list, nil
}

func closeReplay(d *Desk, _ context.Context, a struct{ ID string }) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.replays, a.ID)
	return nil, nil
}

// Mark is a place of a replay to go to.
type Mark struct {
	N    int    `json:"n"`
	Kind string `json:"kind"` // deal, trick (a complete one), move, foul
	Deal int    `json:"deal"` // of the score, from 1
}

func (h *history) marks() []Mark {
	list := []Mark{}
	for n, s := range h.steps {
		mark := func(kind string, of *table.State) { list = append(list, Mark{n, kind, countScored(of) + 1}) }
		switch {
		case s.IsFoul() || s.BlamedFault() != nil:
			mark("foul", s.After)
		case s.Before != nil && s.After.Deal() > s.Before.Deal():
			mark("deal", s.After)
		case s.Before != nil && s.Entry.Message != nil && s.Entry.Message.Kind == table.Move:
			kind := "move"
			if h.countTricks(n) > h.countTricks(n-1) {
				kind = "trick"
			}
			mark(kind, s.Before)
		}
	}
	return list
}

// countScored returns the number of the last scored deal.
func countScored(s *table.State) int {
	sheets := games.Scene(s.Genesis().Game).Sheets(s)
	if len(sheets) == 0 {
		return 0
	}
	return sheets[len(sheets)-1].Deal
}

// countTricks returns how many tricks of the deal are complete after n messages.
func (h *history) countTricks(n int) int {
	s := h.stateAfter(n)
	return len(games.Scene(s.Genesis().Game).Scene(scene.OnlookerPosition(s)).Past)
}

// replayAt returns a Moment.
func replayAt(d *Desk, _ context.Context, a struct {
	Lang string      `json:"lang"`
	ID   string      `json:"id"`
	N    int         `json:"n"`
	As   *table.Seat `json:"as"`
	All  bool        `json:"all"` // as an onlooker who knows all hands that the log opens later
}) (any, error) {
	d.mu.Lock()
	h, ok := d.replays[a.ID]
	d.mu.Unlock()
	if !ok || a.N < 0 || a.N >= len(h.steps) || a.As != nil && int(*a.As) >= h.stateAfter(0).Seats() {
		return nil, fmt.Errorf("there is no such place in this replay")
	}
	s := h.steps[a.N]
	p, later := scene.OnlookerPosition(s.After), map[table.Card]int{}
	if a.As != nil {
		p.Seat, p.View.Seat = a.As, *a.As
	}
	for seat := range table.Seat(s.After.Seats()) {
		if !a.All && !p.SitsAt(seat) {
			continue
		}
		for c, f := range h.laterFaces(a.N, seat) {
			p.View.Faces[c], later[c] = f.face, f.open
		}
	}
	v := voiceOf(a.Lang, s.After)
	t, err := textOf(a.Lang, p)
	if err != nil {
		return nil, err
	}
	answer := Moment{v.viewOf(p), later, []Tell{}, t.Screen(p, false, nil)}
	switch {
	case s.Before == nil:
	case s.Entry.Message != nil:
		answer.Tells = v.tellsOf(s.Before, s.After, s.Entry.Message)
	case s.Entry.Act != nil:
		answer.Tells = append(answer.Tells, v.actTell(s.Before, s.After, s.Entry.Act))
	}
	return answer, nil
}

// openedCard is a card that a seat held and that the log opens later.
type openedCard struct {
	face card.Face
	open int // by this message
}

// laterFaces returns the faces in a seat's hand after n messages that the log opens later in the same
// deal: a place has the same masked card until it is opened. It leaves out cards that are permuted
// before that or never opened, and cards that were dealt to the seat but are in another hand by then.
func (h *history) laterFaces(n int, seat table.Seat) map[table.Card]openedCard {
	now, known := h.stateAfter(n), map[table.Card]openedCard{}
	own, faces := now.Hand(seat), now.Faces()
	for m := n + 1; m < len(h.steps) && h.stateAfter(m).Deal() == now.Deal(); m++ {
		before := faces
		faces = h.stateAfter(m).Faces()
		for c, f := range faces {
			_, done := known[c]
			if _, open := before[c]; open || done || !slices.Contains(own, c) {
				continue
			}
			if bytes.Equal(now.MaskedCards([]table.Card{c})[0].Bytes(), h.stateAfter(m - 1).MaskedCards([]table.Card{c})[0].Bytes()) {
				known[c] = openedCard{f, m}
			}
		}
	}
	return known
}

// giveVerdict returns the verdict on a bundle, or on a table of a log.
func giveVerdict(d *Desk, ctx context.Context, a struct {
	tableAddress
	Keys []string `json:"keys"` // of a bundle's log, before and after it changed its key
	Page bool     `json:"page"` // add the report as a page for print
}, file []byte) (any, error) {
	if a.Key != "" {
		a.Keys = append(a.Keys, a.Key)
	}
	answer, err := d.judgeOne(ctx, a.tableAddress, a.Keys, file)
	if err != nil || !a.Page {
		return answer, err
	}
	return answer.WithPage()
}

func (d *Desk) judgeOne(ctx context.Context, a tableAddress, keys []string, file []byte) (judge.Answer, error) {
	if file != nil {
		return judge.File(ctx, file, keys, a.Lang)
	}
	c, err := d.clientOf(a)
	if err != nil {
		return judge.Answer{}, err
	}
	return judge.Table(ctx, c, a.Table, keys, a.Lang)
}
