// Package tablelog is the log as the player of one table reads it (docs/spec/70-http.md, 70.10 and
// 70.11), and brings players to a table (seating.go; 70.12.5).
//
// A [Source] reads the messages of its own table. Each is proved under a checkpoint that the log has
// signed and that extends all those believed before. A Source does not read the entries between them,
// so a server may leave something out. The seat may then wait, or play in a history that the log does
// not have, but no card is opened (docs/spec/70-http.md, 70.11). So a Source that has waited for a
// while asks other places that show the same log ([Place]), tells what it found, and goes on with
// what they show.
package tablelog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// Kind is the kind of a finding.
type Kind int

// Kinds of findings.
const (
	Waiting  Kind = iota // no place knows anything newer
	Hidden               // another place shows a message that the server does not show
	LeftOut              // such a message comes before others that the server has shown
	Forked               // the log has signed two histories
	Unproven             // a place or the server does not prove what it should
	Vouching             // tokens wait for cosigners
)

// Finding is something to tell the player.
type Finding struct {
	Kind Kind
	Text string // one sentence
}

// Place shows the same log, or its newest checkpoint.
type Place interface {
	String() string

	// Look returns the newest checkpoint of the place, with the log's signature, and the entries of
	// the table under it, in order, or none if the place shows no entries. If its tree is larger than
	// that of believed, Look has checked that it begins with that.
	Look(ctx context.Context, id wire.Hash, believed tlog.Checkpoint) (tlog.Checkpoint, []client.Message, error)
}

// Options of a Source. Only Server is required.
type Options struct {
	Server   *client.Client
	Whole    bool          // read all entries of the log, so that the server can leave out nothing
	Others   []Place       // places to ask when nothing new has come for a while
	Patience time.Duration // time before they are asked; 0 means 30 seconds
	Policy   *tlog.Policy  // cosigners that have to vouch for a head; see AwaitVouching
	Tell     func(Finding) // nil: nothing is told

	// Keep stores two checkpoints that cannot both be true, and returns where.
	Keep func(a, b tlog.Checkpoint) (where string, err error)

	Now   func() time.Time                       // nil: time.Now
	After func(d time.Duration) <-chan time.Time // nil: time.After
}

const (
	usualPatience   = 30 * time.Second
	longestPatience = 10 * time.Minute // it doubles with every look that found nothing
	vouchPause      = time.Second      // cosigners are asked once a second
	keeperPatience  = 5 * time.Second
)

// Source is a [player.Source] for one table. It belongs to one goroutine.
type Source struct {
	Options
	id   wire.Hash
	from shownTable // what the server shows

	seen  int                        // number of the server's messages in list
	under map[uint64]tlog.Checkpoint // checkpoints of places, for messages that the server has not shown, by index
	list  []client.Message           // of the table, in the order of the log
	ahead bool                       // the last message is not from the server
	own   parcel                     // posted last, so that its blobs need not be read

	patience time.Duration
	since    time.Time // time of the last news or look

	keepers []Place       // who also show the last entries
	every   time.Duration // how often they are asked
	asked   time.Time
}

var (
	_ player.Source      = (*Source)(nil)
	_ player.TimedSource = (*Source)(nil)
)

// shownTable is a table as a server shows it, for example a *client.Thread.
type shownTable interface {
	Messages(ctx context.Context, n int, wait time.Duration) ([]client.Message, error)
	Post(ctx context.Context, parcel []byte) (client.PostedEntry, error)
}

// wholeLog reads all entries of the log.
type wholeLog struct {
	*client.Client
	id wire.Hash
}

func (w wholeLog) Messages(ctx context.Context, n int, wait time.Duration) ([]client.Message, error) {
	return w.Client.Messages(ctx, w.id, n, wait)
}

func (w wholeLog) Post(ctx context.Context, parcel []byte) (client.PostedEntry, error) {
	return w.Client.Post(ctx, w.id, parcel)
}

type parcel struct {
	hash  wire.Hash
	bytes []byte
}

// New returns the source of a table.
func New(id wire.Hash, o Options) *Source {
	s := &Source{Options: o, id: id, from: o.Server.Thread(id), under: map[uint64]tlog.Checkpoint{}}
	if o.Whole {
		s.from = wholeLog{o.Server, id}
	}
	s.Patience = cmp.Or(o.Patience, usualPatience)
	if o.Now == nil {
		s.Now = time.Now
	}
	if o.After == nil {
		s.After = time.After
	}
	s.noteNews()
	return s
}

func (s *Source) noteNews() { s.since, s.patience = s.Now(), s.Patience }

// Doubt makes the source ask the other places as soon as possible.
func (s *Source) Doubt() { s.patience = 0 }

func (s *Source) tellFinding(k Kind, format string, args ...any) {
	if s.Tell != nil {
		s.Tell(Finding{k, fmt.Sprintf(format, args...)})
	}
}

// Messages implements player.Source for this table.
func (s *Source) Messages(ctx context.Context, _ wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if n < len(s.list) {
		return s.completeEntries(ctx, s.list[n:])
	}
	due := s.since.Add(s.patience).Sub(s.Now())
	if len(s.Others) > 0 {
		wait = min(wait, max(due, 0))
	}
	if len(s.keepers) > 0 {
		wait = min(wait, s.every)
	}
	list, err := s.readListed(ctx, n, wait)
	if err != nil && (ctx.Err() != nil || errors.Is(err, tlog.ErrForked) || len(s.keepers) == 0 && !s.impatient(n)) {
		return nil, s.keepConviction(err)
	}
	s.seen += len(list)
	if err := s.merge(nil, s.Server.BelievedCheckpoint(), list); err != nil {
		return nil, s.keepConviction(err)
	}
	if n >= len(s.list) {
		if err := s.askKeepers(ctx); err != nil {
			return nil, err
		}
	}
	if s.impatient(n) {
		if err := s.askOthers(ctx); err != nil {
			return nil, err
		}
	}
	if n >= len(s.list) && err != nil {
		return nil, err // the server's error, since no place knows more
	}
	return s.completeEntries(ctx, s.list[min(n, len(s.list)):])
}

// readListed returns what the server lists next. If others can be asked, it gives up on a server that
// accepts the request and does not answer, except in a source that reads everything, which may take
// long.
func (s *Source) readListed(ctx context.Context, n int, wait time.Duration) (list []client.Message, err error) {
	read := func(ctx context.Context) error {
		list, err = s.from.Messages(ctx, s.seen, wait)
		return err
	}
	if n == 0 || s.Whole || len(s.Others) == 0 {
		err = read(ctx)
	} else {
		err = s.doWithin(ctx, wait+usualPatience, read)
	}
	return list, err
}

// doWithin calls do and cancels it after d.
func (s *Source) doWithin(ctx context.Context, d time.Duration, do func(context.Context) error) error {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	late := false
	timer := make(chan struct{})
	go func() {
		defer close(timer)
		select {
		case <-s.After(d):
			late = true
			cancel()
		case <-short.Done():
		}
	}()
	err := do(short)
	cancel()
	<-timer
	if err != nil && late && ctx.Err() == nil {
		return fmt.Errorf("no answer within %v: %w", d, err)
	}
	return err
}

// ReadKeepers makes the source ask keepers too, often enough to see a head before they may sign a
// silence about it.
func (s *Source) ReadKeepers(keepers []Place, every time.Duration) {
	s.keepers, s.every, s.asked = keepers, max(every, time.Second), s.Now()
}

// askKeepers asks keepers for entries that the server does not show, if it is time. It ignores
// keepers that are away or have nothing.
func (s *Source) askKeepers(ctx context.Context) error {
	if len(s.keepers) == 0 || s.Now().Before(s.asked.Add(s.every)) {
		return nil
	}
	defer func() { s.asked = s.Now() }()
	for _, p := range s.keepers {
		var cp tlog.Checkpoint
		var messages []client.Message
		err := s.doWithin(ctx, keeperPatience, func(ctx context.Context) (err error) {
			cp, messages, err = s.lookAt(ctx, p)
			return err
		})
		if errors.Is(err, tlog.ErrForked) || err == nil && len(messages) > 0 {
			err = cmp.Or(err, s.merge(p, cp, messages))
			if err != nil {
				return s.keepConviction(err)
			}
		}
	}
	return nil
}

// impatient reports whether it is time to ask others for what follows n messages.
func (s *Source) impatient(n int) bool {
	return n > 0 && n >= len(s.list) && len(s.Others) > 0 && !s.Now().Before(s.since.Add(s.patience))
}

// merge adds messages that are proved to be in the log under a checkpoint. If one belongs before
// others that were returned already, it returns player.ErrLeftOut.
func (s *Source) merge(from Place, cp tlog.Checkpoint, messages []client.Message) error {
	late := false
	for _, m := range messages {
		i, known := slices.BinarySearchFunc(s.list, m.Index, func(m client.Message, index uint64) int { return cmp.Compare(m.Index, index) })
		if known && s.list[i].Entry != m.Entry {
			return &twoEntriesError{m.Index, s.tree(m.Index), cp}
		}
		if from == nil {
			delete(s.under, m.Index)
		}
		if known {
			continue
		}
		if from != nil {
			s.under[m.Index] = cp
		}
		if i < len(s.list) {
			late = true
			s.leftOut(from, m, s.list[i:])
		} else if s.ahead = from != nil; s.ahead {
			s.tellHidden(from, m)
		}
		s.list = slices.Insert(s.list, i, m)
		s.noteNews()
	}
	if late {
		return player.ErrLeftOut
	}
	return nil
}

// tellHidden tells of a message after all those that the server shows.
func (s *Source) tellHidden(from Place, m client.Message) {
	why := "the server does not have it yet, or hides it"
	if m.Index < s.Server.BelievedCheckpoint().Size {
		why = "the server has it, and does not show it"
	}
	s.tellFinding(Hidden, "%v shows a message of this table that the server does not show: %s. %s; play goes on with it", from, s.describe(m), why)
}

// leftOut tells of a message before later ones that were shown already.
func (s *Source) leftOut(from Place, m client.Message, later []client.Message) {
	where := "The server has shown it too late"
	if from != nil {
		where = fmt.Sprintf("%v shows it", from)
	}
	rival := slices.IndexFunc(later, func(other client.Message) bool { return parentOf(other) == parentOf(m) })
	if rival < 0 {
		s.tellFinding(LeftOut, "the server has left out a message of this table: %s. %s. The table is read anew", s.describe(m), where)
		return
	}
	s.tellFinding(LeftOut, "the server has left out a message of this table: %s. %s. It came first, and the server has shown you another one on the same parent instead: %s. What you have seen since then is a dead branch, which does not count; the table is read anew", s.describe(m), where, s.describe(later[rival]))
}

func parentOf(m client.Message) wire.Hash {
	e, err := wire.Parse([]byte(m.Entry))
	if err != nil || e.Message == nil {
		return wire.Hash{}
	}
	return e.Message.Parent
}

// describe returns the kind of a message and its seat.
func (s *Source) describe(m client.Message) string {
	e, err := wire.Parse([]byte(m.Entry))
	if err != nil || e.Message == nil {
		return fmt.Sprintf("entry %d", m.Index)
	}
	return fmt.Sprintf("entry %d, a %s of seat %s", m.Index, e.Message.Kind, s.seatText(e.Message.Seat))
}

// seatText returns a seat's letter and name.
func (s *Source) seatText(n int) string {
	g, err := wire.Parse([]byte(s.list[0].Entry))
	if err != nil || g.Table == nil || n >= len(g.Table.Seats) {
		return fmt.Sprint(n)
	}
	name, _, _ := strings.Cut(g.Table.Seats[n], "+")
	return fmt.Sprintf("%c (%s)", 'A'+n, name)
}

// askOthers looks at the other places and tells the result.
func (s *Source) askOthers(ctx context.Context) error {
	before, answered := len(s.list), []string{}
	limit := max(s.patience, usualPatience) // for each, so that at least half of the time is for the table
	s.patience = min(max(2*s.patience, s.Patience), longestPatience)
	defer func() { s.since = s.Now() }()
	late := error(nil)
	for _, p := range s.Others {
		var cp tlog.Checkpoint
		var messages []client.Message
		err := s.doWithin(ctx, limit, func(ctx context.Context) (err error) {
			cp, messages, err = s.lookAt(ctx, p)
			return err
		})
		switch {
		case errors.Is(err, tlog.ErrForked):
			return s.keepConviction(err)
		case ctx.Err() != nil:
			return cmp.Or(late, ctx.Err())
		case err != nil:
			s.tellFinding(Unproven, "%v: %v", p, err)
			continue
		}
		answered = append(answered, p.String())
		if err := s.merge(p, cp, messages); errors.Is(err, player.ErrLeftOut) {
			late = err
		} else if err != nil {
			return s.keepConviction(err)
		}
	}
	if late == nil && len(s.list) == before && len(answered) > 0 {
		s.tellFinding(Waiting, "nothing newer of this table is known to %s", strings.Join(answered, ", "))
	}
	return late
}

// lookAt returns what a place shows of the table, in a tree of one history with the believed one.
func (s *Source) lookAt(ctx context.Context, p Place) (tlog.Checkpoint, []client.Message, error) {
	believed := s.Server.BelievedCheckpoint()
	cp, messages, err := p.Look(ctx, s.id, believed)
	if err == nil && cp.Size <= believed.Size {
		_, err = s.Server.BelieveProof(ctx, cp.Note)
	}
	return cp, messages, err
}

// tree returns a checkpoint under which an entry of the list was proved.
func (s *Source) tree(index uint64) tlog.Checkpoint {
	if cp, ok := s.under[index]; ok {
		return cp
	}
	return s.Server.BelievedCheckpoint()
}

// A twoEntriesError says that the log has signed A and B, and that their trees, both computed, have
// different entries at one index. It is tlog.ErrForked.
type twoEntriesError struct {
	index uint64
	a, b  tlog.Checkpoint
}

func (e *twoEntriesError) Error() string {
	return fmt.Sprintf("%v: it has one entry %d in the tree of size %d, and another in that of size %d", tlog.ErrForked, e.index, e.a.Size, e.b.Size)
}

func (e *twoEntriesError) Is(target error) bool {
	return target == tlog.ErrForked || target == tlog.ErrBroken
}

// keepConviction stores the evidence in an error that convicts the log.
func (s *Source) keepConviction(err error) error {
	var a, b tlog.Checkpoint
	if fork, ok := errors.AsType[*tlog.ForkError](err); ok {
		a, b = fork.A, fork.B
	} else if other, ok := errors.AsType[*tlog.BeginningError](err); ok {
		a, b = other.A, other.B
	} else if two, ok := errors.AsType[*twoEntriesError](err); ok {
		a, b = two.a, two.b
	} else {
		return err
	}
	where := "nowhere"
	if s.Keep != nil {
		kept, failed := s.Keep(a, b)
		if err = errors.Join(err, failed); failed == nil {
			where = kept
		}
	}
	s.tellFinding(Forked, "the log is broken: it has signed two histories, one with %d entries and another one with %d. Both checkpoints are kept in %s. Do not play on", a.Size, b.Size, where)
	return err
}

// completeEntries returns entries with their blobs, from any place that has them.
func (s *Source) completeEntries(ctx context.Context, list []client.Message) ([][]byte, error) {
	parcels := make([][]byte, len(list))
	for i, m := range list {
		entry := []byte(m.Entry)
		if wire.HashEntry(entry) == s.own.hash {
			parcels[i] = s.own.bytes
			continue
		}
		p, err := wire.CompleteParcel(entry, func(b wire.Blob) ([]byte, error) { return s.blob(ctx, b) })
		if errors.Is(err, tlog.ErrNoBlob) {
			p, err = entry, nil
		}
		if err != nil {
			return nil, err
		}
		parcels[i] = p
	}
	return parcels, nil
}

func (s *Source) blob(ctx context.Context, b wire.Blob) ([]byte, error) {
	data, err := s.Server.Blob(ctx, b.Hash)
	for _, p := range s.Others {
		if r, ok := p.(tlog.BlobReader); ok && err != nil && ctx.Err() == nil {
			if other, failed := r.Blob(ctx, b.Hash); failed == nil {
				data, err = other, tlog.CheckBlob(other, b.Hash)
			}
		}
	}
	return data, err
}

// Post implements player.Source. If the server does not know the head, because it hides it or is
// behind, Post tries the places that do.
func (s *Source) Post(ctx context.Context, _ wire.Hash, entry []byte) error {
	err := s.postTo(ctx, s.from, entry)
	for _, p := range s.Others {
		if other, ok := p.(*OtherServer); ok && s.ahead && errors.Is(err, player.ErrStale) {
			err = s.postTo(ctx, other.thread(s.id), entry)
		}
	}
	return err
}

func (s *Source) postTo(ctx context.Context, to shownTable, entry []byte) error {
	_, err := to.Post(ctx, entry)
	if conflict, ok := errors.AsType[*client.Conflict](err); ok {
		return fmt.Errorf("%w: the head is %s", player.ErrStale, conflict.Head)
	}
	if p, ok := errors.AsType[*client.Problem](err); ok && p.Check == string(table.CheckOpen) {
		return fmt.Errorf("%w: it ended with a foul", player.ErrStale) // as the log will show
	}
	if err == nil {
		bare, _ := wire.CutParcel(entry)
		s.own = parcel{wire.HashEntry(bare), entry}
		s.noteNews()
	}
	return s.keepConviction(err)
}

// BelievedCheckpoint implements player.Source. It returns the newest checkpoint of all places.
func (s *Source) BelievedCheckpoint() []byte {
	newest := s.Server.BelievedCheckpoint()
	for _, p := range s.Others {
		if other, ok := p.(*OtherServer); ok && other.client.BelievedCheckpoint().Size > newest.Size {
			newest = other.client.BelievedCheckpoint()
		}
	}
	return newest.Note
}

// ErrUnvouched says that a copy of a seat cannot play on without a policy.
var ErrUnvouched = errors.New("this log has cosigners, and a copy of a seat goes on only where they have seen the table: name them in a policy")

// PlayHere lets a seat play on here that also plays elsewhere or is a copy: see player.Seat.PlayHere.
// If the log has cosigners, a copy plays on only where they vouch for the head. Without a policy, the
// server's word is believed that there are none.
func (s *Source) PlayHere(ctx context.Context, p *player.Seat) error {
	if s.Policy == nil && p.IsCopy() {
		if has, err := s.Server.HasCosigners(ctx); err != nil || has {
			return cmp.Or(err, ErrUnvouched)
		}
	}
	if s.Policy != nil {
		before := p.Vouched
		p.Vouched = s.AwaitVouching
		defer func() { p.Vouched = before }()
	}
	return p.PlayHere(ctx)
}

// AwaitVouching returns once enough cosigners of the policy have seen a tree with the head
// (docs/spec/66-cosigners.md, 66.2.4): then nobody who also asks them is shown another history. It is
// for player.Seat.
func (s *Source) AwaitVouching(ctx context.Context, head wire.Hash) error {
	at := slices.IndexFunc(s.list, func(m client.Message) bool { return wire.HashEntry([]byte(m.Entry)) == head })
	if at < 0 {
		return fmt.Errorf("entry %s is not among those that were read", head)
	}
	said := ""
	for {
		why, err := s.whyUnvouched(ctx, s.list[at])
		if why == "" || err != nil {
			return err
		}
		if why != said {
			s.tellFinding(Vouching, "the cosigners of your policy have to see %s before this seat goes on: %s", s.describe(s.list[at]), why)
			said = why
		}
		select {
		case <-s.After(vouchPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// whyUnvouched returns why an entry is not vouched for yet, or "".
func (s *Source) whyUnvouched(ctx context.Context, m client.Message) (why string, err error) {
	signed, err := s.Server.CosignedCheckpoint(ctx)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return err.Error(), nil
	}
	cp, err := s.Server.BelieveProof(ctx, signed)
	if errors.Is(err, tlog.ErrForked) {
		return "", s.keepConviction(err)
	}
	if err != nil {
		return err.Error(), nil
	}
	seen, err := s.Policy.Cosignatures(cp)
	switch {
	case err != nil:
		return err.Error(), nil
	case !s.Policy.IsSatisfied(seen):
		return "the newest checkpoint does not have the cosignatures that the policy wants", nil
	case cp.Size <= m.Index:
		return "they have not come as far", nil
	}
	return s.whyUnproved(ctx, m, cp)
}

// whyUnproved returns why an entry is not proved to be in the tree of a checkpoint of the server's
// history, or "". An entry that the server listed is proved. A place that listed it may be in another
// history, which diverges after what both have shown.
func (s *Source) whyUnproved(ctx context.Context, m client.Message, cp tlog.Checkpoint) (why string, err error) {
	tree, elsewhere := s.under[m.Index]
	if !elsewhere {
		return "", nil
	}
	p, err := s.Server.Inclusion(ctx, m.Index, cp.Size)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return err.Error(), nil
	}
	if p.Verify(tlog.LeafHash([]byte(m.Entry)), cp.Root) != nil { // the path belongs to the signed tree
		return "", s.keepConviction(&twoEntriesError{m.Index, tree, cp})
	}
	return "", nil
}

// Index implements player.TimedSource.
func (s *Source) Index(n int) (uint64, error) {
	if n < 0 || n >= len(s.list) {
		return 0, fmt.Errorf("entry number %d of the table was not read", n)
	}
	return s.list[n].Index, nil
}

// Mark implements player.TimedSource. The server's proof of a mark is enough.
func (s *Source) Mark(ctx context.Context, mark wire.Hash) (keeper.Mark, error) {
	m, err := s.Server.Mark(ctx, mark)
	return m, s.keepConviction(err)
}

// Clocks implements player.TimedSource.
func (s *Source) Clocks(ctx context.Context, id wire.Hash) (list []timing.Clock, err error) {
	d, err := s.Server.Clock(ctx, id)
	for _, c := range d.Seats {
		seat := timing.Clock{Seat: table.Seat(c.Seat), Used: c.Used, Sum: c.Sum, Limited: c.Left != nil, Claim: c.Claim}
		if c.Left != nil {
			seat.Left = *c.Left
		}
		list = append(list, seat)
	}
	return list, err
}
