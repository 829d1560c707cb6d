package admission

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Options bound an Admission. Zero values mean the defaults.
type Options struct {
	Blobs      tlog.Blobs    // stored beside the log; without them no message may name a blob
	Live       int           // tables kept in memory after replay: 1,024
	Gate       Gate          // decides when proofs may be checked; default: as many at a time as there are processors
	AppendTime time.Duration // how long to wait for the log to take an entry: 30 s
	Index      string        // file that saves Open from reading all entries, see index.go; "": none

	// Keys are the log's. Cosigners are those whose times marks may carry, besides the keepers of
	// clocks in play. Without keys no mark is taken.
	Keys      []note.Verifier
	Cosigners func() []string
	Now       func() time.Time // nil: time.Now

	// Organiser reports whether the holder of a verifier key may begin tables; nil means everybody
	// may.
	Organiser func(key string) bool

	// Shared says that others write to the log too. The log is then followed until the context of
	// Open ends, and its order decides which of two messages came first; see shared.go.
	Shared bool

	// Suite reports whether tables may use a suite with longer blobs than others
	// (wire.AttachableBytes), by its name; nil means none may.
	Suite func(name string) bool
	// TableEntries and TableBytes bound a table's entries in the log, including blobs; 0 means no
	// bound. A full table takes no message.
	TableEntries int
	TableBytes   int64
}

func (o Options) withDefaults() Options {
	o.Live = cmp.Or(o.Live, 1024)
	if o.Gate == nil {
		o.Gate = make(processors, runtime.GOMAXPROCS(0))
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.AppendTime = cmp.Or(o.AppendTime, 30*time.Second)
	return o
}

// Admission decides what enters a log. It must be the only writer of the log, unless Options.Shared
// is set. All methods may be called at the same time.
type Admission struct {
	store     store
	catalogue table.Catalogue
	options   Options
	wrong     wrongEntries // messages that were refused as fouls
	index     index
	times     timekeeper
	subjects  subjects
	moves     atomic.Uint64
	followed  readProgress // of a log that is shared
	raced     atomic.Uint64
}

// Open returns the way into a log, after one pass over its entries, or over those
// that the file Index does not cover. What Append of the log refuses with one of
// the errors of package tlog, it must not have taken.
func Open(ctx context.Context, log tlog.Log, c table.Catalogue, o Options) (*Admission, error) {
	o = o.withDefaults()
	a := &Admission{
		store: store{log, o.Blobs, o.AppendTime, o.Shared && carriesBlobs(log)}, catalogue: c, options: o, index: index{path: o.Index},
		subjects: subjects{most: o.Live, known: map[Subject]*subject{}, begun: map[bool][]*subject{}, live: list.New()},
	}
	a.times = timekeeper{in: a, checked: marks.New(o.Keys...)}
	if err := a.readLog(ctx); err != nil {
		return nil, fmt.Errorf("reading the log for its tables: %w", err)
	}
	if o.Shared {
		shared, ok := log.(awaitableLog)
		if !ok {
			return nil, errors.New("a log that is shared has to say when it has grown")
		}
		go a.followLog(ctx, shared)
	}
	return a, nil
}

// Gate decides when proofs may be checked, which takes a processor. The context names the caller, if
// that matters.
type Gate interface {
	// Enter waits until w may begin, or returns an error if it may not. The caller calls leave once
	// with the outcome.
	Enter(ctx context.Context, w Work) (leave func(Outcome), err error)

	// Look returns at once why w would be refused now, if that is known.
	Look(ctx context.Context, w Work) error
}

// Outcome decides who pays for a check.
type Outcome int

// Outcomes. A seat must not pay for others' forgeries, and an honest seat never signs anything wrong.
const (
	Unsigned Outcome = iota // the named key may not have signed this
	Right                   // the key has signed it, and it holds
	Wrong                   // the key has signed it, and it does not hold
)

// Work is a check to be made.
type Work struct {
	Key   string    // verifier key of the alleged seat or organiser; "" for a replay
	Table wire.Hash // of a message
	Bytes int       // with blobs; negative for a replay, which may be anything
}

// processors is a Gate for callers who do not compete.
type processors chan struct{}

func (p processors) Enter(ctx context.Context, _ Work) (leave func(Outcome), err error) {
	select {
	case p <- struct{}{}:
		return func(Outcome) { <-p }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (processors) Look(context.Context, Work) error { return nil }

// FormError says that the bytes are no entry. They do not show who made them.
type FormError struct{ Err error }

func (e *FormError) Error() string { return e.Err.Error() }

func (e *FormError) Unwrap() error { return e.Err }

// GenesisError says that a genesis entry begins no table: its organiser's signature, the game, the
// suite, an option or the seats are wrong.
type GenesisError struct {
	Table wire.Hash // the id that it would have had
	Err   error
}

func (e *GenesisError) Error() string { return e.Err.Error() }

func (e *GenesisError) Unwrap() error { return e.Err }

// OrganiserError says that the signer of a genesis entry may begin no tables here.
type OrganiserError struct{ Table wire.Hash } // the id that it would have had

func (e *OrganiserError) Error() string {
	return "this organiser may not begin tables here"
}

// FullError says that a table has its most entries in the log, or an event its most players or
// entries.
type FullError struct{ Subject }

func (e *FullError) Error() string { return fmt.Sprintf("%s is full", e.Subject) }

// UnknownError says that no entry of the log begins this table or event, or that the one that does
// cannot be played here because of Err.
type UnknownError struct {
	Subject
	Err error
}

func (e *UnknownError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s cannot be played: %v", e.Subject, e.Err)
	}
	return fmt.Sprintf("there is no %s", e.Subject)
}

func (e *UnknownError) Unwrap() error { return e.Err }

// Conflict says that a message follows another entry than the head: play has moved on, or its sender
// has not seen all of it.
type Conflict struct {
	Table wire.Hash
	Head  wire.Hash // the parent that the next message has to name
	Fault *table.Fault
	Index *uint64 // place of the entry in the log, where it is void since another came first; nil: nothing is stored
}

func (e *Conflict) Error() string { return fmt.Sprintf("table %s: %v", e.Table, e.Fault) }

func (e *Conflict) Unwrap() error { return e.Fault }

// Refusal says which check a message failed. Nothing is stored, and the seat may send a better
// message.
type Refusal struct {
	Table wire.Hash
	Head  wire.Hash
	Fault *table.Fault
}

func (e *Refusal) Error() string { return fmt.Sprintf("table %s: %v", e.Table, e.Fault) }

func (e *Refusal) Unwrap() error { return e.Fault }
