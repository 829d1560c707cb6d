package httpapi

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/wire"
)

// Bounds of what a lobby is told of.
const (
	lobbyRows = 64 // the newest tables, and the first open ones
	maxNamed  = 32 // tables that it names besides
)

// lobby is what one stream has told of open tables and of those of the log.
type lobby struct {
	*tableAPI
	filter client.TableFilter
	named  []wire.Hash
	due    <-chan time.Time // of the next look
	moves  uint64           // of the log, when all tables were told
	offers []byte
	told   map[wire.Hash]uint64 // the newest entry of each table
}

// getLobbyEvents streams open tables whenever their list is another one, and the tables of the log that have come to
// stand otherwise.
func (s *tableAPI) getLobbyEvents(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	at := make(chan time.Time)
	close(at)
	l := lobby{tableAPI: s, filter: q.tableFilter(), named: q.namedTables(), due: at, moves: math.MaxUint64, told: map[wire.Hash]uint64{}}
	if q.err != nil {
		return q.err
	}
	return s.sendStream(w, r, untilItems(s.pagedSource(l.awaitLook, l.news)))
}

// namedTables reads the ids of some tables.
func (q *query) namedTables() (list []wire.Hash) {
	for _, text := range strings.FieldsFunc(q.r.URL.Query().Get("named"), func(c rune) bool { return c == ',' }) {
		id, err := wire.ParseHash(text)
		if list = append(list, id); err != nil || len(list) > maxNamed {
			q.noteMistake("named must be ids of tables with commas between, at most %d", maxNamed)
			return nil
		}
	}
	return list
}

// awaitLook returns when it is time to look again. A look that was cut short by a heartbeat is made at the next time.
func (l *lobby) awaitLook(ctx context.Context) error {
	select {
	case <-l.due:
		l.due = l.after(tableLook)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// news is what a lobby was not told yet. What it failed to find, it finds at the next look.
func (l *lobby) news(ctx context.Context) (list []streamItem, err error) {
	moves := l.admission.Moves()
	if moves != l.moves {
		rows, whole, err := l.rows(ctx)
		if err != nil {
			return nil, err
		}
		if changed := l.noteChanged(rows); len(changed) > 0 {
			list = append(list, streamItem{name: "tables", data: client.TableList{Tables: changed}})
		}
		if whole {
			l.moves = moves
		}
	}
	open := l.offerList(0, "", lobbyRows)
	if text := encodeDocument(open); !bytes.Equal(text, l.offers) {
		l.offers, list = text, append(list, streamItem{name: "offers", data: open})
	}
	return list, nil
}

// rows are the tables of the lobby as they stand. whole: none is left out since it would have to be replayed.
func (l *lobby) rows(ctx context.Context) (list []client.Summary, whole bool, err error) {
	newest, err := l.tableList(ctx, l.filter, walkTables(l.admission.TablesBefore, math.MaxInt64, 0), lobbyRows)
	if err != nil {
		return nil, false, err
	}
	named, err := l.namedSummaries(ctx)
	if err != nil {
		return nil, false, err
	}
	rest, err := l.tableList(ctx, client.TableFilter{}, slices.Values(named), maxNamed)
	whole = (newest.Next == nil || len(newest.Tables) == lobbyRows) && rest.Next == nil
	return slices.Concat(newest.Tables, rest.Tables), whole, err
}

// noteChanged notes the newest entries of tables, and returns those tables that have others than were told.
func (l *lobby) noteChanged(rows []client.Summary) (changed []client.Summary) {
	now := map[wire.Hash]uint64{}
	for _, row := range rows {
		last := row.Index
		if row.Standing != nil {
			last = row.Last.Index
		}
		_, twice := now[row.ID]
		if before, known := l.told[row.ID]; !twice && (!known || before != last) {
			changed = append(changed, row)
		}
		now[row.ID] = last
	}
	l.told = now
	return changed
}

// namedSummaries are the tables that the lobby names, of those that there are.
func (l *lobby) namedSummaries(ctx context.Context) (list []admission.Summary, err error) {
	for _, id := range l.named {
		t, err := l.admission.Table(ctx, id)
		if _, unknown := errors.AsType[*admission.UnknownError](err); err != nil && !unknown {
			return nil, err
		} else if !unknown {
			g := t.State.Genesis()
			list = append(list, admission.Summary{ID: id, Index: t.Index, Game: g.Game, Suite: g.Suite})
		}
		if err := letOthersRun(ctx); err != nil {
			return nil, err
		}
	}
	return list, nil
}
