package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// getBundle serves a table in one file (docs/spec/85-bundle.md).
func (s *tableAPI) getBundle(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	entries, _ := s.admission.KnownEntries(id)
	return s.serveBundle(w, r, entries, func() ([]byte, error) { return s.makeBundle(r.Context(), id) })
}

// bundleAge is how long a bundle is kept that took so long to make: to make it again and again takes a
// twentieth of the time.
func bundleAge(took time.Duration) time.Duration {
	return min(max(20*took, time.Second), time.Minute)
}

// serveBundle serves a file of what has so many entries: one at a time is made, and it is kept for a while, in which who
// asks again gets it unless there is an entry more. It may be under an older checkpoint then, which proves as much.
func (s *tableAPI) serveBundle(w http.ResponseWriter, r *http.Request, entries int, make func() ([]byte, error)) error {
	var tag string
	file, err := s.reads.makeAnswer(r, func() (file []byte, err error) {
		v := answerVersion{name: r.URL.Path, size: uint64(entries)}
		for {
			if file, tag = s.bundles.get(v); file != nil {
				return file, nil
			}
			select {
			case s.bundling <- struct{}{}:
				defer func() { <-s.bundling }()
				begin := time.Now()
				if file, err = make(); err == nil {
					tag = tagOf(file)
					now := time.Now()
					s.bundles.putUntil(v, file, tag, now.Add(bundleAge(now.Sub(begin))))
				}
				return file, err
			default:
			}
			// Who waits for its turn holds up nobody who has one.
			resume := pauseTurn(r.Context())
			select {
			case s.bundling <- struct{}{}:
				<-s.bundling
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
			if err := resume(); err != nil {
				return nil, err
			}
		}
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, file, tag)
}

// makeBundle makes the bundle of a table, under the newest cosigned checkpoint if that
// has all of its entries, and under the newest one otherwise.
func (s *tableAPI) makeBundle(ctx context.Context, id wire.Hash) ([]byte, error) {
	keys, err := s.verifierKeys()
	if err != nil {
		return nil, err
	}
	b := bundle.Bundle{Table: id, Keys: bundle.Keys{Log: keys}}
	size := 0
	for e, err := range s.admission.Entries(ctx, admission.Subject{ID: id}, 0) {
		if err != nil {
			return nil, err
		}
		if size += len(e.Bytes); size > maxServedBundle {
			return nil, errLongTable
		}
		b.Entries = append(b.Entries, bundle.Entry{Index: e.Index, Bytes: e.Bytes})
	}
	if len(b.Entries) == 0 {
		return nil, problem(client.UnknownTable, "there is no table %s", id)
	}
	if b.Checkpoint, err = s.checkpointOver(ctx, b.Entries[len(b.Entries)-1].Index); err != nil {
		return nil, err
	}
	if b.Marks, err = s.marksOf(ctx, b.Checkpoint, bundle.NamedMarks(b.Entries)); err != nil {
		return nil, err
	}
	if err := s.proveEntries(ctx, &b); err != nil {
		return nil, err
	}
	if b.Blobs, err = bundle.FetchBlobs(ctx, boundedBlobs{s.blobs, &size}, b.Entries); err != nil {
		return nil, err
	}
	made, err := bundle.New(b)
	if err != nil {
		return nil, err
	}
	return made.Marshal(), nil
}

// proveEntries adds the hashes that prove entries and marks.
func (s *tableAPI) proveEntries(ctx context.Context, b *bundle.Bundle) (err error) {
	var indexes []uint64
	for _, e := range b.Entries {
		indexes = append(indexes, e.Index)
	}
	for _, m := range b.Marks {
		indexes = append(indexes, m.Index)
	}
	slices.Sort(indexes)
	b.Hashes, err = bundle.Prove(ctx, tiles.Tree{Checkpoint: b.Checkpoint, Tiles: s.tiles, Kept: new(tiles.TileCache)}, indexes)
	return err
}

// getEventBundle serves the entries of an event in one file (85.11), which names its tables.
func (s *eventAPI) getEventBundle(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id := q.eventID()
	if q.err != nil {
		return q.err
	}
	entries := 0
	if err := s.admission.Event(r.Context(), id, func(_ *event.History, list []admission.Entry) { entries = len(list) }); err != nil {
		return err
	}
	return s.serveBundle(w, r, entries, func() ([]byte, error) { return s.eventBundle(r.Context(), id) })
}

func (s *eventAPI) eventBundle(ctx context.Context, id wire.Hash) ([]byte, error) {
	keys, err := s.verifierKeys()
	if err != nil {
		return nil, err
	}
	b := bundle.Bundle{Event: id, Keys: bundle.Keys{Log: keys}}
	for e, err := range s.admission.Entries(ctx, admission.Subject{ID: id, Event: true}, 0) {
		if err != nil {
			return nil, err
		}
		b.Entries = append(b.Entries, bundle.Entry{Index: e.Index, Bytes: e.Bytes})
	}
	named, err := s.tablesNaming(ctx, id)
	if err != nil {
		return nil, err
	}
	if b.Checkpoint, err = s.log.Checkpoint(ctx); err != nil {
		return nil, err
	}
	var played []*event.Table
	if played, err = s.organiserTables(ctx, b, named); err != nil {
		return nil, err
	}
	for _, t := range played {
		b.Tables = append(b.Tables, t.ID)
	}
	about, err := s.aboutTime(ctx, id, played)
	if err != nil {
		return nil, err
	}
	if b.Marks, err = s.marksOf(ctx, b.Checkpoint, s.timesOf(about, played)); err != nil {
		return nil, err
	}
	if err := s.proveEntries(ctx, &b); err != nil {
		return nil, err
	}
	made, err := bundle.New(b)
	if err != nil {
		return nil, err
	}
	return made.Marshal(), nil
}

// organiserTables are those of the tables that the organiser of an event began, ascending by their ids.
func (s *eventAPI) organiserTables(ctx context.Context, b bundle.Bundle, named []wire.Hash) (list []*event.Table, err error) {
	announced, err := bulletin.ParseEvent(b.Entries[0].Bytes)
	if err != nil {
		return nil, err
	}
	for _, id := range named {
		t, err := s.eventTable(ctx, id)
		if err != nil {
			return nil, err
		}
		if t != nil && t.Terms.Organiser == announced.Event.Organiser && t.Index < b.Checkpoint.Size {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *event.Table) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, nil
}

// aboutTime is what of an event marks are looked for.
type aboutTime struct {
	clock  wire.Clock
	begins []uint64 // at the last of which the time to appeal begins
	final  uint64   // where it ends
}

func (s *eventAPI) aboutTime(ctx context.Context, id wire.Hash, tables []*event.Table) (a aboutTime, err error) {
	var ends []uint64
	for _, t := range tables {
		ends = append(ends, t.Last)
	}
	err = s.admission.Event(ctx, id, func(h *event.History, _ []admission.Entry) {
		a.clock = h.Terms.Clock
		a.begins, a.final = h.Protest(ends)
	})
	return a, err
}

// timesOf are the marks that show the time to appeal (55.6.3), and between what times tables were
// played. It reads marks of the log: nobody must wait for the event meanwhile.
func (s *eventAPI) timesOf(a aboutTime, tables []*event.Table) (list []wire.Hash) {
	log := servedMarks{s.admission}
	if len(a.clock.Keepers) == 0 {
		return nil
	}
	for _, begin := range a.begins {
		from, to, _ := bundle.TimesBetween(log, begin, a.final, a.clock.Keepers, a.clock.Quorum)
		list = append(list, from, to)
	}
	played := bundle.NewTimes(log, a.clock.Keepers)
	for _, t := range tables {
		list = append(append(list, played.MarksAround(t.Index)...), played.MarksAround(t.Last)...)
	}
	slices.SortFunc(list, func(a, b wire.Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(list)
}

// servedMarks are the marks of the log, of which each is verified when somebody asks for it.
type servedMarks struct{ Admission }

func (s servedMarks) Places() []marks.Place { return s.Marks(0, math.MaxInt) }

// marksOf returns the good ones of marks that are named, with their proofs.
func (s *tableAPI) marksOf(ctx context.Context, c tlog.Checkpoint, named []wire.Hash) (list []bundle.Mark, err error) {
	for _, hash := range named {
		found, err := s.admission.Mark(hash)
		if err != nil || found.Index >= c.Size {
			continue // then the claim is void
		}
		m := bundle.Mark{Entry: bundle.Entry{Index: found.Index}}
		if m.Bytes, err = admission.EntryAt(ctx, s.log, found.Index); err != nil {
			return nil, err
		}
		grown, err := s.log.Consistency(ctx, found.Size, c.Size)
		if err != nil {
			return nil, err
		}
		m.Proof = grown.Hashes
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b bundle.Mark) int { return cmp.Compare(a.Index, b.Index) })
	return list, nil
}

var errLongTable = problem(client.NotFound, "the table is too long to be served in one file: pakli bundle makes it from the log")

// boundedBlobs are blobs that are not to be too many.
type boundedBlobs struct {
	blobs tlog.BlobReader
	size  *int // of what was read
}

func (b boundedBlobs) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	if b.blobs == nil {
		return nil, tlog.ErrNoBlob
	}
	blob, err := b.blobs.Blob(ctx, hash)
	if *b.size += len(blob); *b.size > maxServedBundle {
		return nil, errLongTable
	}
	return blob, err
}

// checkpointOver returns the newest cosigned checkpoint if it has an entry, and the
// newest one otherwise.
func (s *tableAPI) checkpointOver(ctx context.Context, index uint64) (tlog.Checkpoint, error) {
	if s.cosigned != nil {
		c, err := s.cosigned.Checkpoint(ctx)
		if err == nil && c.Size > index || err != nil && !errors.Is(err, tlog.ErrNotCosigned) {
			return c, err
		}
	}
	return s.log.Checkpoint(ctx)
}
