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

// KeeperLog is the log as a keeper reads it. Nothing that it returns is believed.
type KeeperLog interface {
	// Listed returns entries of a table from number n on, in the order of the log; none if
	// there are no more.
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

// KeeperOptions say for whom and with what a keeper keeps.
type KeeperOptions struct {
	Signer   note.Signer            // of lines
	Lines    string                 // its verifier key
	Keeper   string                 // the verifier key of the cosigner, by which tables name it
	Keys     []note.Verifier        // of the log
	Cosigned func() tlog.Checkpoint // the newest that this process has cosigned; its Note is nil if none
	Log      KeeperLog

	// Known are organisers whose tables come first: those of others have half of the room.
	Known func(organiser string) bool
	KeeperBounds
	Clock  func() time.Time // of lines; nil: time.Now
	Since  func() time.Duration
	Logger *slog.Logger
}

// Keeper is an open directory of held messages. It is an http.Handler.
type Keeper struct {
	KeeperOptions
	store *store

	mu     sync.Mutex
	closed bool
	failed error // of the disk: nothing is said any more
	tables map[wire.Hash]*keptTable
	room   usedRoom
}

// keptTable is a table of which something is kept, or was asked.
type keptTable struct {
	id      wire.Hash
	genesis *wire.Genesis
	request exchange.Request // its genesis entry and receipt
	known   bool             // its organiser
	holds   map[hold]*storedMessage
	present map[holder]presence
	shown   []shownEntry             // the last entries, in the order of the log
	links   map[wire.Hash]*entryLink // of these and of many before
	linked  []wire.Hash              // in the order of the log
	read    int                      // entries of the table that were read
	next    uint64                   // above the index of the last of them that is shown
	asked   time.Duration
}

// holder is who has, or had, a seat: it may have had several.
type holder struct {
	seat int
	key  string
}

// later begins the key of a holder that is not known any more: the act by which it had the seat was verified when its message came.
const later = "later holder "

func (h holder) isKnown() bool { return !strings.HasPrefix(h.key, later) }

// keyOrLater is the key, or, if that is not known, the same for all such.
func (h holder) keyOrLater() string {
	if !h.isKnown() {
		return later
	}
	return h.key
}

// hold names a message.
type hold struct {
	parent wire.Hash
	holder
	rests bool // there, and no message
}

type storedMessage struct {
	entry wire.Hash
	line  []byte
	at    int64 // in the line
	size  int64
	next  time.Duration // when the log is given it again
	pause time.Duration
	done  bool  // the log has it
	said  int64 // when a seat rests: its time
}

// shownEntry is an entry of the table that was found in the log.
type shownEntry struct {
	HeldEntry
	hash    wire.Hash
	receipt []byte
	entryLink
}

// entryLink is what stays known of an entry of the table that was found in the log.
type entryLink struct {
	parent wire.Hash
	index  uint64
	seat   int           // of a message; below 0 of others
	given  holder        // whom an act gives a seat
	since  time.Duration // when it began to be shown
	brief  bool          // it is not shown any more, and was not for the grace
}

// OpenKeeper opens the messages in a directory, which is the cosigner's and locked by it.
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

// Close ends all promises: nothing is said from then on.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	return k.failed
}

// loadStored reads what is on disk again. What is damaged there the keeper does not start with.
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

// soonError says that a silence may be asked for again after a while.
type soonError struct {
	after time.Duration
	why   string
}

func (e *soonError) Error() string { return e.why }

// checkAlive says why nothing is said.
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

// failWith ends what the keeper says: its disk has failed.
func (k *Keeper) failWith(what string, err error, with ...any) error {
	k.failed = err
	k.Logger.Error(what+", and says nothing any more", append(with, "err", err)...)
	return errFailed
}

// tableOf verifies what a request says of a table, and returns the table, which is kept from now on if
// there is room. Requires: the lock, or nobody else yet.
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

// proveTable verifies that the log has the table, and that it names this keeper.
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

// reloadTable is the table of a message on disk, which was proved when it came, maybe by a key that the
// log does not have any more, and whatever the bounds were then.
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

// signerOf is the key that has signed a message, if it has the seat; empty if not.
func (k *Keeper) signerOf(t *keptTable, m keeper.Message, reseat []byte) string {
	e, err := wire.Parse(m.Parcel)
	if err != nil {
		return ""
	}
	return signedBy(t, m.Table, m.Seat, reseat, e.Verify)
}

// reseatedKey is the key to which an act has given a seat; empty if it has not. Whether the act was applied
// is not known here: who rules can give the seat to a key more, and thereby take no room from others.
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
