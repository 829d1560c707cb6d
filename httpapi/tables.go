package httpapi

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

func (s *tableAPI) getTables(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	after, upwards := q.number("after", 0, math.MaxInt64)
	before, downwards := q.number("before", 0, math.MaxInt64)
	if upwards && downwards {
		q.noteMistake("after lists from the oldest table on, and before from the newest: give one of them")
	}
	limit, filter := q.pageLimit(), q.tableFilter()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		switch {
		case downwards:
			return s.tableList(r.Context(), filter, walkTables(s.admission.TablesBefore, uint64(before), 0), limit)
		case upwards:
			return s.tableList(r.Context(), filter, walkTables(s.admission.Tables, uint64(after)+1, 1), limit)
		}
		return s.tableList(r.Context(), filter, walkTables(s.admission.Tables, 0, 1), limit)
	})
}

// walkTables goes through tables, a page at a time, from an index on. Each page is read from that of the last table plus step: 1
// where pages go upwards, and 0 where they are of tables below an index.
func walkTables(page func(at uint64, limit int) []admission.Summary, at, step uint64) iter.Seq[admission.Summary] {
	return func(yield func(admission.Summary) bool) {
		for {
			found := page(at, maxPage)
			for _, t := range found {
				if at = t.Index + step; !yield(t) {
					return
				}
			}
			if len(found) < maxPage {
				return
			}
		}
	}
}

// getFind shows what in the log has a code.
func (s *tableAPI) getFind(w http.ResponseWriter, r *http.Request) error {
	code, err := wire.ReadCode(r.PathValue("code"), wire.MinCode)
	if err != nil {
		return problem(client.MalformedRequest, "%v", err)
	}
	return s.showDocument(w, r, func() (any, error) { return s.findCode(r.Context(), code) })
}

func (s *tableAPI) findCode(ctx context.Context, code string) (client.FoundList, error) {
	list := client.FoundList{Found: []client.FoundItem{}}
	seen := 0
	for t := range walkTables(s.admission.Tables, 0, 1) {
		if t.ID.HasCode(code) && len(list.Found) < maxPage {
			list.Found = append(list.Found, client.FoundItem{Kind: "table", ID: t.ID, Index: t.Index})
		}
		if seen++; seen%maxPage == 0 {
			if err := letOthersRun(ctx); err != nil {
				return list, err
			}
		}
	}
	for _, e := range s.admission.Events(0, math.MaxInt) {
		if e.ID.HasCode(code) && len(list.Found) < maxPage {
			list.Found = append(list.Found, client.FoundItem{Kind: "event", ID: e.ID, Index: e.Index})
		}
	}
	return list, ctx.Err()
}

// tableList is a page of tables. It ends early where much was looked at, or replayed, for it.
func (s *tableAPI) tableList(ctx context.Context, filter client.TableFilter, tables iter.Seq[admission.Summary], limit int) (client.TableList, error) {
	list, last, seen, replays := client.TableList{Tables: []client.Summary{}}, uint64(0), 0, 0
	places := sync.OnceValue(func() []marks.Place { return s.admission.Marks(0, math.MaxInt) })
	inEvent, err := s.ofEvent(ctx, filter.Event)
	if err != nil {
		return list, err
	}
	for t := range tables {
		if len(list.Tables) == limit || seen == maxListed || replays == maxReplayed {
			list.Next = &last
			return list, nil
		}
		last = t.Index
		if seen++; seen%maxPage == 0 {
			if err := letOthersRun(ctx); err != nil {
				return list, err
			}
		}
		if !mayMatch(filter, t) || !inEvent(t.ID) {
			continue
		}
		row, replayed, err := s.tableRow(ctx, t)
		if err = cmp.Or(err, letOthersRun(ctx)); err != nil {
			return list, err
		}
		if replayed {
			replays++
		}
		if rowMatches(filter, row.row) {
			list.Tables = append(list.Tables, s.addTimes(row, places))
		}
	}
	return list, nil
}

// ofEvent tells the tables that name an event; without one, all of them.
func (s *tableAPI) ofEvent(ctx context.Context, event string) (func(table wire.Hash) bool, error) {
	id, err := wire.ParseHash(event)
	if err != nil {
		return func(wire.Hash) bool { return true }, nil
	}
	named, err := s.tablesNaming(ctx, id)
	return func(table wire.Hash) bool { return slices.Contains(named, table) }, err
}

// addTimes adds between what times a table began and was last played at, if marks with times of its
// keepers tell.
func (s *tableAPI) addTimes(k keptRow, places func() []marks.Place) client.Summary {
	if len(k.keepers) == 0 {
		return k.row
	}
	standing, list := *k.row.Standing, places()
	for _, p := range []*client.Place{&standing.Begun, &standing.Last} {
		i, _ := slices.BinarySearchFunc(list, p.Index, func(m marks.Place, index uint64) int { return cmp.Compare(m.Index, index) })
		near := nearbyMarks{servedMarks{s.admission}, list[max(0, i-maxNearby):min(len(list), i+maxNearby)]}
		p.After, p.By, _ = bundle.NewTimes(near, k.keepers).TimesOf(p.Index)
	}
	k.row.Standing = &standing
	return k.row
}

// maxNearby bounds how many marks on each side of an entry are looked at in a list.
const maxNearby = 4

// nearbyMarks are some marks of the log.
type nearbyMarks struct {
	servedMarks
	list []marks.Place
}

func (n nearbyMarks) Places() []marks.Place { return n.list }

// mayMatch says what can be said of a table without its state.
func mayMatch(f client.TableFilter, t admission.Summary) bool {
	game, _, _ := strings.Cut(t.Game, "/")
	return strings.HasPrefix(t.ID.String(), f.ID) && (f.Game == "" || f.Game == t.Game || f.Game == game)
}

func rowMatches(f client.TableFilter, row client.Summary) bool {
	if row.Standing == nil {
		return f.State == "" && f.Player == "" && f.Round == 0 && f.People == 0
	}
	if f.Round != 0 && f.Round != row.Round || f.People > countPeople(row.Seats) {
		return false
	}
	sits := func(seat client.Seat) bool { return f.Player == seat.Name || f.Player == seat.Key }
	return (f.State == "" || f.State == row.State) && (f.Player == "" || slices.ContainsFunc(row.Seats, sits))
}

// countPeople is how many seats are no bots', as the names in their keys say.
func countPeople(seats []client.Seat) (n int) {
	for _, seat := range seats {
		if !plain.IsBot(seat.Key) {
			n++
		}
	}
	return n
}

// rowCache are what was listed of tables: who lists again replays nothing.
type rowCache struct {
	mu    sync.Mutex
	known map[wire.Hash]keptRow
}

type keptRow struct {
	entries int // of the table, when it was listed
	row     client.Summary
	keepers []string // of its clock
}

// tableRow returns how it stands at a table, and whether that took a replay.
func (s *tableAPI) tableRow(ctx context.Context, t admission.Summary) (_ keptRow, replayed bool, err error) {
	had, live := s.admission.KnownEntries(t.ID)
	s.rows.mu.Lock()
	kept, ok := s.rows.known[t.ID]
	s.rows.mu.Unlock()
	if ok && kept.entries == had {
		return kept, false, nil
	}
	row := keptRow{row: client.Summary{ID: t.ID, Index: t.Index, Game: t.Game, Suite: t.Suite}}
	now, err := s.admission.Table(ctx, t.ID)
	if _, unknown := errors.AsType[*admission.UnknownError](err); err != nil && !unknown {
		return row, false, err
	} else if !unknown {
		row.row.Standing, row.entries, row.keepers = standingOfTable(now), now.Entries, now.State.Genesis().Clock.Keepers
	}
	s.rows.mu.Lock()
	defer s.rows.mu.Unlock()
	for id := range s.rows.known {
		if len(s.rows.known) < maxRows {
			break
		}
		delete(s.rows.known, id) // any
	}
	s.rows.known[t.ID] = row
	return row, !live, nil
}

func standingOfTable(t admission.Table) *client.Standing {
	s, g := t.State, t.State.Genesis()
	d := &client.Standing{Seats: seatDocuments(s), State: client.TablePlaying, Deal: s.DealNumber(), Deals: g.Deals, Owing: []client.Duty{},
		Begun: client.Place{Index: t.Index}, Last: client.Place{Index: t.Last},
		Event: g.Event, Round: g.Round, Number: g.Number}
	for _, duty := range s.Duties() {
		d.Owing = append(d.Owing, client.Duty{Kind: duty.Kind, Seats: ints(duty.Seats)})
		if duty.Kind == table.Key {
			d.State = client.TableWaiting
		}
	}
	_, stopped := s.GoneSeat()
	switch {
	case s.Foul() != nil:
		d.State = client.TableFoul
	case stopped:
		d.State = client.TableStopped
	case s.IsOver():
		d.State = client.TableOver
	case s.IsPaused():
		d.State = client.TablePaused
	}
	return d
}

func (s *tableAPI) getTable(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.showDocument(w, r, func() (any, error) {
		t, err := s.admission.Table(r.Context(), id)
		if err != nil {
			return nil, err
		}
		return tableDocument(t)
	})
}

func tableDocument(t admission.Table) (client.Table, error) {
	s, g := t.State, t.State.Genesis()
	public, err := s.Public()
	if err != nil {
		return client.Table{}, err
	}
	d := client.Table{
		ID: s.ID(), Index: t.Index, Entries: t.Entries, Applied: s.CountApplied(), Head: s.Head(),
		Game: g.Game, Suite: g.Suite, Options: g.Options, Deals: g.Deals, Fouls: g.Fouls,
		Organiser: g.Organiser, Deal: s.DealNumber(), Public: public,
		Seats: seatDocuments(s), Faces: faceDocuments(s), Duties: []client.Duty{},
	}
	for _, duty := range s.Duties() {
		d.Duties = append(d.Duties, client.Duty{Kind: duty.Kind, Seats: ints(duty.Seats), Cards: ints(duty.Cards), To: ints(duty.To)})
	}
	d.Result, d.Over = s.Result()
	if seat, stopped := s.GoneSeat(); stopped {
		gone := int(seat)
		d.Stopped = &gone
	}
	d.Paused = s.IsPaused()
	if f := s.Foul(); f != nil {
		d.Over, d.Foul = true, faultDocument(f)
	}
	return d, nil
}

func seatDocuments(s *table.State) (list []client.Seat) {
	for seat := range table.Seat(s.Seats()) {
		list = append(list, client.Seat{Name: s.SeatName(seat), Key: s.HolderKey(seat)})
	}
	return list
}

func faceDocuments(s *table.State) []client.OpenCard {
	faces := s.Faces()
	list := []client.OpenCard{}
	for _, c := range slices.Sorted(maps.Keys(faces)) {
		list = append(list, client.OpenCard{Card: int(c), Face: s.FaceName(faces[c])})
	}
	return list
}

func ints[T ~uint8 | ~uint16](list []T) []int {
	var out []int
	for _, v := range list {
		out = append(out, int(v))
	}
	return out
}

func faultDocument(f *table.Fault) *client.Fault {
	d := &client.Fault{Check: string(f.Check), Detail: f.Err.Error()}
	if f.Class != table.Void {
		seat := int(f.Seat)
		d.Seat = &seat
	}
	if f.Entry != (wire.Hash{}) {
		d.Entry = &f.Entry
	}
	return d
}

// getMessages lists entries of a table, and waits for the first one.
func (s *tableAPI) getMessages(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	from, _ := q.number("from", 0, math.MaxInt32)
	limit, wait, stands := q.pageLimit(), q.waitTime(), q.knownLog()
	if q.err != nil {
		return q.err
	}
	if err := s.pollUntil(r, wait, func(ctx context.Context) error { return s.admission.Wait(ctx, admission.Subject{ID: id}, from) }); err != nil {
		return err
	}
	return s.showDocument(w, r, func() (any, error) {
		page, err := s.messagePage(r.Context(), id, from, limit)
		if err == nil && stands != nil && len(page.Messages) > 0 {
			err = s.proveMessages(r.Context(), stands, &page)
		}
		return page, err
	})
}

// pollUntil returns when until does, the time is up, or the server shuts down.
func (s *Server) pollUntil(r *http.Request, wait time.Duration, until func(context.Context) error) error {
	if wait == 0 {
		return nil
	}
	leave, err := s.polls.Enter(addressOf(r), 1)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := s.serverContext(r)
	defer cancel()
	seenIn(r.Context()).waited = true
	resume := pauseTurn(r.Context())
	ctx, expire := context.WithTimeout(ctx, wait)
	defer expire()
	err = until(ctx)
	if errors.Is(err, ctx.Err()) && r.Context().Err() == nil {
		err = nil // nothing new is an answer
	}
	return cmp.Or(err, resume())
}

func (s *tableAPI) messagePage(ctx context.Context, id wire.Hash, from, limit int) (client.Messages, error) {
	t, err := s.admission.Table(ctx, id)
	if err != nil {
		return client.Messages{}, err
	}
	page := client.Messages{Messages: []client.Message{}, Entries: t.Entries}
	err = fillPage(s.admission.Entries(ctx, admission.Subject{ID: id}, from), limit, func(e admission.LoggedEntry) {
		m := client.Message{N: e.N, Index: e.Index, Class: classOf(e.Fault), Entry: string(e.Bytes)}
		if e.Fault != nil {
			m.Fault = faultDocument(e.Fault)
		}
		page.Messages = append(page.Messages, m)
	})
	return page, err
}

// fillPage puts entries on a page: limit of them, or as many as have maxPageBytes, but one at
// least.
func fillPage(list iter.Seq2[admission.LoggedEntry, error], limit int, put func(admission.LoggedEntry)) error {
	n, size := 0, 0
	for e, err := range list {
		if err != nil {
			return err
		}
		if size += len(e.Bytes); size > maxPageBytes && n > 0 {
			break
		}
		put(e)
		if n++; n == limit {
			break
		}
	}
	return nil
}
