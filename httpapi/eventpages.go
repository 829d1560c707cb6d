package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/event/played"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// What is told here of an event is as the server replays its tables: for whoever looks on. Who
// wants to know computes it from the log.

// tablesOf are which tables name which event, found once, and how those that are over came out.
type tablesOf struct {
	mu    sync.Mutex
	upto  uint64 // index below which tables were looked at
	of    map[wire.Hash][]wire.Hash
	sheet map[wire.Hash]keptSheet
}

type keptSheet struct {
	entries int
	ended   int // acts that ended a deal or the table
	table   *event.Table
}

// eventTables replays the tables of an event that have moved on.
func (s *eventAPI) eventTables(ctx context.Context, id wire.Hash) (list []*event.Table, err error) {
	ids, err := s.tablesNaming(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, of := range ids {
		t, err := s.eventTable(ctx, of)
		if err = cmp.Or(err, letOthersRun(ctx)); err != nil {
			return nil, err
		}
		if t != nil {
			list = append(list, t)
		}
	}
	return list, nil
}

// tablesNaming are the tables that name an event, in the order of the log.
func (s *tableAPI) tablesNaming(ctx context.Context, id wire.Hash) ([]wire.Hash, error) {
	x := &s.ofEvents
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		page := s.admission.Tables(x.upto, maxPage)
		for _, t := range page {
			entry, err := admission.EntryAt(ctx, s.log, t.Index)
			if err != nil {
				return nil, err
			}
			x.upto = t.Index + 1
			if g, err := wire.ParseGenesis(entry); err == nil && g.Table.Event != "" {
				if of, err := wire.ParseHash(g.Table.Event); err == nil {
					x.of[of] = append(x.of[of], t.ID)
				}
			}
		}
		if len(page) < maxPage {
			return slices.Clone(x.of[id]), nil
		}
	}
}

// eventTable is a table as its event needs it; nil if it does not open.
func (s *tableAPI) eventTable(ctx context.Context, id wire.Hash) (*event.Table, error) {
	x := &s.ofEvents
	had, _ := s.admission.KnownEntries(id)
	x.mu.Lock()
	kept, known := x.sheet[id]
	x.mu.Unlock()
	if known && kept.entries == had {
		return kept.table, nil
	}
	now, err := s.admission.Table(ctx, id)
	if _, unknown := errors.AsType[*admission.UnknownError](err); unknown {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	before := kept
	kept = keptSheet{now.Entries, len(now.State.EndingActs()), played.FromState(now.State, now.Index, now.Last)}
	switch t := kept.table; {
	case !hasNewHolder(now.State):
	case known && before.ended == kept.ended && len(before.table.Lines) == len(t.Lines) && !t.State.IsOver():
		t.Lines, t.Failed = before.table.Lines, before.table.Failed // no replay for each message
	default:
		if kept.table, err = s.exactTable(ctx, id); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sheet[id] = kept
	return kept.table, nil
}

// hasNewHolder reports whether a seat of a table has another holder than in the beginning.
func hasNewHolder(s *table.State) bool {
	for seat, key := range s.Genesis().Seats {
		if s.HolderKey(table.Seat(seat)) != key {
			return true
		}
	}
	return false
}

// elapsedBetween says how much time passed between two entries, by the keepers of an event.
func (s *eventAPI) elapsedBetween(h *event.History) func(from, to uint64) int64 {
	return func(from, to uint64) int64 {
		_, _, seconds := bundle.TimesBetween(servedMarks{s.admission}, from, to, h.Terms.Clock.Keepers, h.Terms.Clock.Quorum)
		return seconds
	}
}

// judgeEvent shows see an event, and what it comes to so far. What see is shown must not be kept.
func (s *eventAPI) judgeEvent(ctx context.Context, id wire.Hash, without event.LeftOutLayers, see func(*event.History, *event.Judgement)) error {
	tables, err := s.eventTables(ctx, id) // before the event is held, which waits for nothing then
	if err != nil {
		return err
	}
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	return s.admission.Event(ctx, id, func(h *event.History, _ []admission.Entry) {
		see(h, event.Judge(h, tables, c.Size, event.Options{Without: without, Elapsed: s.elapsedBetween(h)}))
	})
}

// showEvent answers with what make makes of an event.
func (s *eventAPI) showEvent(w http.ResponseWriter, r *http.Request, q *query, id wire.Hash, without event.LeftOutLayers, of func(*event.History, *event.Judgement) (any, error)) error {
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (document any, err error) {
		var wrong error
		err = s.judgeEvent(r.Context(), id, without, func(h *event.History, j *event.Judgement) { document, wrong = of(h, j) })
		if err == nil {
			err = wrong
		}
		return document, err
	})
}

// getEventStandings shows the ranks so far.
func (s *eventAPI) getEventStandings(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, without := q.eventID(), q.leftOutLayers()
	return s.showEvent(w, r, &q, id, without, func(h *event.History, j *event.Judgement) (any, error) {
		unit := 1
		if h.Terms.Score == bulletin.ScorePlaces {
			unit = event.Sixtieths
		}
		return standings{Upto: j.Upto, Unit: unit, Standings: j.Standings, Verdict: j.Verdict, Departures: append([]event.Departure{}, j.Departures...)}, nil
	})
}

// standings are the ranks so far.
type standings struct {
	Upto       uint64            `json:"upto"` // entries below it count
	Unit       int               `json:"unit"` // how many of what totals count are a point
	Standings  []event.Standing  `json:"standings"`
	Verdict    event.Verdict     `json:"verdict"`
	Departures []event.Departure `json:"departures"`
}

// leftOutLayers reads which layers to leave out.
func (q *query) leftOutLayers() (w event.LeftOutLayers) {
	for _, layer := range strings.FieldsFunc(q.r.URL.Query().Get("without"), func(c rune) bool { return c == ',' }) {
		switch event.Layer(layer) {
		case event.Ruled:
			w.Ruled = true
		case event.ByClock:
			w.Clock = true
		case event.Agreed:
			w.Agreed = true
		default:
			q.noteMistake("without must be ruled, clock or agreed, or some of them with commas between")
		}
	}
	return w
}

// getEventPlayers lists who is on the roster, or those whose names contain some letters.
func (s *eventAPI) getEventPlayers(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, name := q.eventID(), strings.ToLower(r.URL.Query().Get("name"))
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		list := client.EventRoster{Players: []client.EventPlayer{}}
		err := s.admission.Event(r.Context(), id, func(h *event.History, _ []admission.Entry) {
			alike := rosterOf(h)
			for _, p := range h.Players {
				if strings.Contains(strings.ToLower(string(p.Name)), name) {
					list.Players = append(list.Players, playerDocument(p, alike))
				}
			}
		})
		return struct {
			Players []client.EventPlayer `json:"players"`
		}{list.Players}, err
	})
}

func playerDocument(p *event.Player, all plain.Roster) client.EventPlayer {
	return client.EventPlayer{Number: p.Number, Name: string(p.Name), Club: string(p.Club), Key: p.Key, First: p.First, Alike: all.LooksAlike(string(p.Name))}
}

// rosterOf tells which names of an event look alike.
func rosterOf(h *event.History) plain.Roster {
	return plain.NewRoster(h.Players, func(p *event.Player) string { return string(p.Name) })
}

func placeDocument(s event.SeatedPlace) client.EventPlace {
	p := client.EventPlace{Round: s.Round, Number: s.Number, Players: s.Players}
	if s.Table != nil {
		id := s.Table.ID
		p.ID, p.State = &id, string(s.Table.State)
		for _, l := range s.Table.Lines {
			p.Deals = max(p.Deals, l.Deal)
		}
	}
	return p
}

// getEventPlayer shows a player, and where.
func (s *eventAPI) getEventPlayer(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, n := q.eventID(), q.inPath("number")
	return s.showEvent(w, r, &q, id, event.LeftOutLayers{}, func(h *event.History, j *event.Judgement) (any, error) {
		p := h.PlayerByNumber(n)
		if p == nil {
			return nil, problem(client.NotFound, "nobody on the roster has the number %d", n)
		}
		d := player{EventPlayer: playerDocument(p, rosterOf(h)), Tables: []client.EventPlace{}, Byes: []int{}}
		for _, t := range j.Tables {
			if slices.Contains(t.Players, n) {
				d.Tables = append(d.Tables, placeDocument(t))
			}
		}
		for _, round := range h.Rounds {
			if slices.Contains(round.Byes, n) {
				d.Byes = append(d.Byes, round.Number)
			}
		}
		for _, row := range j.Standings {
			if row.Number == n {
				d.Standing = &row
			}
		}
		return d, nil
	})
}

// player is one with the tables, and rounds without.
type player struct {
	client.EventPlayer
	Tables   []client.EventPlace `json:"tables"`
	Byes     []int               `json:"byes"`
	Standing *event.Standing     `json:"standing,omitempty"`
}

// inPath reads a number of the path, from 1.
func (q *query) inPath(name string) int {
	n, err := strconv.Atoi(q.r.PathValue(name))
	if err != nil || n < 1 || strconv.Itoa(n) != q.r.PathValue(name) {
		q.noteMistake("%.30q is not a number from 1", q.r.PathValue(name))
	}
	return n
}

func (s *eventAPI) getEventRound(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, n := q.eventID(), q.inPath("round")
	return s.showEvent(w, r, &q, id, event.LeftOutLayers{}, func(h *event.History, j *event.Judgement) (any, error) {
		if n > len(h.Rounds) {
			return nil, problem(client.NotFound, "round %d is not seated", n)
		}
		d := client.EventRoundPlaces{Number: n, Tables: []client.EventPlace{}, Byes: append([]int{}, h.Rounds[n-1].Byes...)}
		for _, t := range j.Tables {
			if t.Round == n {
				d.Tables = append(d.Tables, placeDocument(t))
			}
		}
		return d, nil
	})
}

// getEventRulings shows rulings with their appeals, and calls for an arbiter.
func (s *eventAPI) getEventRulings(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		d := rulings{Rulings: []ruling{}, Calls: []statement{}}
		err := s.admission.Event(r.Context(), id, func(h *event.History, _ []admission.Entry) { d.addNotices(h) })
		return d, err
	})
}

// rulings are those that count, and calls for an arbiter.
type rulings struct {
	Rulings []ruling    `json:"rulings"`
	Calls   []statement `json:"calls"`
}

type ruling struct {
	Hash  wire.Hash `json:"hash"`
	Index uint64    `json:"index"`
	By    string    `json:"by"`
	bulletin.RulingBody
	Upheld     bool        `json:"upheld"`
	Overturned bool        `json:"overturned"`
	Appeals    []statement `json:"appeals"`
}

// statement is an appeal, or a call about a table.
type statement struct {
	Index  uint64 `json:"index"`
	Player int    `json:"player"`
	Table  string `json:"table,omitempty"`
	Reason string `json:"reason"`
}

func (d *rulings) addNotices(h *event.History) {
	said := func(n *event.Notice, reason wire.Text) statement {
		at := statement{Index: n.Index, Reason: string(reason)}
		if p := h.PlayerByKey(n.By); p != nil {
			at.Player = p.Number
		}
		return at
	}
	for _, r := range h.Rulings {
		one := ruling{Hash: r.Hash, Index: r.Index, By: r.Decision.By, RulingBody: *r.RulingBody, Upheld: r.Upheld != 0, Overturned: r.Overturned != 0, Appeals: []statement{}}
		for _, n := range r.Appeals {
			one.Appeals = append(one.Appeals, said(n, n.Body.(*bulletin.AppealBody).Reason))
		}
		d.Rulings = append(d.Rulings, one)
	}
	for _, n := range h.Notices {
		if b, is := n.Body.(*bulletin.CallBody); is {
			at := said(n, b.Reason)
			at.Table = b.Table.String()
			d.Calls = append(d.Calls, at)
		}
	}
}

// getSheet shows what the deals of a table have paid that are over.
func (s *eventAPI) getSheet(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		now, err := s.admission.Table(r.Context(), id)
		if err != nil {
			return nil, err
		}
		t := played.FromState(now.State, now.Index, now.Last)
		return sheet{ID: id, Seats: seatDocuments(now.State), State: t.State, Lines: append([]event.Line{}, t.Lines...)}, nil
	})
}

// sheet is what a table has paid: its deals that are over, and besides what seats that left paid,
// or an end by an act brought; then deal is 0.
type sheet struct {
	ID    wire.Hash     `json:"id"`
	Seats []client.Seat `json:"seats"`
	State event.State   `json:"state"`
	Lines []event.Line  `json:"lines"`
}
