package cosign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// KeeperLog is a log as a keeper reads it. The keeper verifies all that it returns.
type KeeperLog interface {
	// Listed returns entries of a table from number n on, in the order of the log, or none if there
	// are no more.
	Listed(ctx context.Context, table wire.Hash, n int) ([]HeldEntry, error)
	// Inclusion returns the proof that an entry is in the tree of a size.
	Inclusion(ctx context.Context, index, size uint64) (tlog.Inclusion, error)
	// Give posts a message, with its blobs.
	Give(ctx context.Context, table wire.Hash, message []byte) error
}

// HeldEntry is an entry of a table in the log.
type HeldEntry struct {
	Index uint64
	Text  string
}

// KeeperOptions are the keys, the log and the bounds of a Keeper.
type KeeperOptions struct {
	Signer   note.Signer            // signs lines
	Lines    string                 // the verifier key of Signer
	Keeper   string                 // the verifier key of the cosigner, by which tables name the keeper
	Keys     []note.Verifier        // of the log
	Cosigned func() tlog.Checkpoint // the newest checkpoint that this process has cosigned; its Note is nil if none
	Log      KeeperLog

	// Known reports organisers whose tables come first: tables of others have half of the room.
	Known func(organiser string) bool
	KeeperBounds
	Clock  func() time.Time // gives the times of lines; nil: time.Now
	Since  func() time.Duration
	Logger *slog.Logger
}

// Keeper is an open directory of held messages. It is an http.Handler.
type Keeper struct {
	KeeperOptions
	store *store

	mu     sync.Mutex
	closed bool
	failed error // of the disk: no line is signed any more
	tables map[wire.Hash]*keptTable
	room   usedRoom
}

// keptTable is a table that was asked about or of which messages are held.
type keptTable struct {
	id      wire.Hash
	genesis *wire.Genesis
	request exchange.Request // its genesis entry and receipt
	known   bool             // its organiser is known
	holds   map[hold]*storedMessage
	present map[holder]presence
	shown   []shownEntry             // the last entries, in the order of the log
	links   map[wire.Hash]*entryLink // of the shown entries and of many before them
	linked  []wire.Hash              // keys of links in the order of the log
	read    int                      // number of entries of the table that were read
	next    uint64                   // above the index of the last entry that was read
	asked   time.Duration
}

// holder is a key that has or had a seat. A seat may have had several.
type holder struct {
	seat int
	key  string
}

// later begins the key of a holder whose key is not known any more. The act that gave it the seat
// was verified when its message came.
const later = "later holder "

func (h holder) isKnown() bool { return !strings.HasPrefix(h.key, later) }

// keyOrLater returns the key, or later if the key is not known.
func (h holder) keyOrLater() string {
	if !h.isKnown() {
		return later
	}
	return h.key
}

// hold names a held message or, if rests is set, a rest.
type hold struct {
	parent wire.Hash
	holder
	rests bool // the seat rests there, and there is no message
}

type storedMessage struct {
	entry wire.Hash
	line  []byte
	at    int64 // time in the line
	size  int64
	next  time.Duration // when to give it to the log again
	pause time.Duration
	done  bool  // the log has it
	said  int64 // the time of a rest, as its seat says
}

// shownEntry is an entry of the table that was found in the log and is shown.
type shownEntry struct {
	HeldEntry
	hash    wire.Hash
	receipt []byte
	entryLink
}

// entryLink is the part of a found entry that the keeper remembers longest.
type entryLink struct {
	parent wire.Hash
	index  uint64
	seat   int           // of a message; below 0 for other entries
	given  holder        // to whom an act gives a seat
	since  time.Duration // when it was first shown
	brief  bool          // it is not shown any more and was shown for less than the grace
}

// OpenKeeper opens the messages in dir, the directory that the cosigner has locked.
func OpenKeeper(dir string, o KeeperOptions) (*Keeper, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Since == nil {
		began := time.Now()
		o.Since = func() time.Duration { return time.Since(began) }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.KeeperBounds = o.KeeperBounds.withDefaults()
	k := &Keeper{KeeperOptions: o, tables: map[wire.Hash]*keptTable{}}
	var err error
	if k.store, err = openStore(dir); err != nil {
		return nil, err
	}
	return k, k.loadStored()
}

// Close ends all promises: the keeper signs nothing from then on.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	return k.failed
}

// loadStored reads the messages on disk. The keeper does not start if one is damaged.
func (k *Keeper) loadStored() error {
	return k.store.eachMessage(func(table, message []byte, rests bool) error {
		r, err := exchange.ParseRequest(table)
		if err != nil {
			return err
		}
		t, err := k.reloadTable(r)
		if err != nil || rests {
			return cmp.Or(err, k.reloadRest(t, message))
		}
		m, err := exchange.Parse(message)
		if err != nil {
			return err
		}
		if len(m.Lines) != 1 {
			return fmt.Errorf("%d lines of a held message", len(m.Lines))
		}
		at, err := keeper.VerifyHold(k.Lines, m.Lines[0], m.Place, m.Entry)
		if err != nil || m.Table != t.id {
			return fmt.Errorf("entry %s: it was not held by this key: %w", m.Entry, err)
		}
		k.store.noteTime(at)
		by := k.signerOf(t, m, nil)
		if by == "" {
			by = later + m.Entry.String()
		}
		t.holds[hold{m.Parent, holder{m.Seat, by}, false}] = &storedMessage{entry: m.Entry, line: m.Lines[0], at: at, size: int64(len(message))}
		k.room.takeBytes(t, int64(len(message)))
		return nil
	})
}

// Errors of requests.
var (
	errKeeperClosed = errors.New("the keeper is closed")
	errFailed       = errors.New("the keeper's disk has failed: it says nothing any more")
	errFull         = errors.New("the keeper has no room for it: it says nothing of this seat any more")
	errForeign      = errors.New("this keeper does not keep for the log of this receipt")
	errNamed        = errors.New("the table does not name this keeper")
	errSigner       = errors.New("no holder of the seat has signed the message")
	errOther        = errors.New("another message of this seat on this parent is held: a seat signs one")
	errHeld         = errors.New("a message of this seat on this parent is held, or in the log")
	errBranch       = errors.New("a message of this seat is held, or in the log, that builds on no entry before this one, as far as this keeper knows: it may have been shown another history")
	errFast         = errors.New("entries before the parent were not all shown for long enough: the seat may not have seen them")
	errDoubt        = errors.New("a message of this seat was given to this keeper on this parent and is not kept any more, or was refused for want of room")
)

// soonError says that the caller may ask for a silence again after a while.
type soonError struct {
	after time.Duration
	why   string
}

func (e *soonError) Error() string { return e.why }

// checkAlive returns the reason why the keeper signs nothing any more, or nil.
func (k *Keeper) checkAlive() error {
	switch {
	case k.closed:
		return errKeeperClosed
	case k.failed != nil:
		return errFailed
	}
	return nil
}

func (k *Keeper) checkReady() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.checkAlive()
}

// failWith makes the keeper sign nothing any more, because its disk has failed.
func (k *Keeper) failWith(what string, err error, with ...any) error {
	k.failed = err
	k.Logger.Error(what+", and says nothing any more", append(with, "err", err)...)
	return errFailed
}

// tableOf verifies a request's proof of its table and returns the table, which is kept from now on
// if there is room. The caller holds the lock, except before other goroutines start.
func (k *Keeper) tableOf(r exchange.Request) (*keptTable, error) {
	if err := k.checkAlive(); err != nil {
		return nil, err
	}
	id := wire.HashEntry(r.Genesis)
	if t := k.tables[id]; t != nil {
		t.asked = k.Since()
		return t, nil
	}
	t, err := k.proveTable(r)
	if err != nil {
		return nil, err
	}
	if !k.room.takeTable(t.known, k.KeeperBounds) {
		return t, errFull
	}
	k.tables[id] = t
	return t, nil
}

// proveTable verifies that the log has the table and that the table names this keeper.
func (k *Keeper) proveTable(r exchange.Request) (*keptTable, error) {
	e, err := wire.Parse(r.Genesis)
	if err != nil || e.Table == nil {
		return nil, fmt.Errorf("%w genesis entry: %v", tlog.ErrMalformed, err)
	}
	receipt, err := tlog.ParseReceipt(r.Receipt)
	if err != nil {
		return nil, err
	}
	if err := receipt.Verify(r.Genesis, k.Keys...); err != nil {
		return nil, fmt.Errorf("%w: %w", errForeign, err)
	}
	if !slices.Contains(e.Table.Clock.Keepers, k.Keeper) {
		return nil, errNamed
	}
	return k.newTable(e, r), nil
}

// reloadTable returns the table of a message on disk. It was proved when the message came, maybe by
// a key that the log does not have any more; reloadTable applies no bounds.
func (k *Keeper) reloadTable(r exchange.Request) (*keptTable, error) {
	e, err := wire.Parse(r.Genesis)
	if err != nil || e.Table == nil {
		return nil, fmt.Errorf("%w genesis entry: %v", tlog.ErrMalformed, err)
	}
	if t := k.tables[e.Hash]; t != nil {
		return t, nil
	}
	t := k.newTable(e, r)
	k.room.takeTable(t.known, KeeperBounds{Tables: math.MaxInt})
	k.tables[t.id] = t
	return t, nil
}

func (k *Keeper) newTable(e *wire.Entry, r exchange.Request) *keptTable {
	return &keptTable{
		id: e.Hash, genesis: e.Table, request: exchange.Request{Genesis: r.Genesis, Receipt: r.Receipt}, known: k.Known != nil && k.Known(e.Table.Organiser),
		holds: map[hold]*storedMessage{}, present: map[holder]presence{}, links: map[wire.Hash]*entryLink{}, asked: k.Since(),
	}
}

// signerOf returns the key that has signed a message if it has the seat, otherwise "".
func (k *Keeper) signerOf(t *keptTable, m keeper.Message, reseat []byte) string {
	e, err := wire.Parse(m.Parcel)
	if err != nil {
		return ""
	}
	return signedBy(t, m.Table, m.Seat, reseat, e.Verify)
}

// reseatedKey returns the key to which an act has given a seat, or "". Whether the act was applied
// is not known here. At worst a ruler gives the seat to one more key, which takes no room from
// others.
func reseatedKey(t *keptTable, seat int, reseat []byte) string {
	e, err := wire.Parse(reseat)
	if err != nil || e.Act == nil || e.Act.Table != t.id || e.Act.Kind != wire.KindReseat {
		return ""
	}
	var body wire.ReseatBody
	if !t.genesis.IsRuledBy(e.Act.By) || e.Verify(e.Act.Signer()) != nil || wire.DecodeAct(e.Act.Body, &body) != nil || body.Seat != seat || !body.AcceptedBy(t.id, e.Act.Parent) {
		return ""
	}
	return body.Key
}
