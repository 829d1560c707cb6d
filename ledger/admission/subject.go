package admission

import (
	"cmp"
	"container/list"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Subject is what entries are about: a table, or an event.
type Subject struct {
	ID    wire.Hash
	Event bool
}

// SubjectOf is what an entry names, or begins.
func SubjectOf(e *bulletin.Entry) Subject {
	switch {
	case e.Notice != nil:
		return Subject{e.Notice.Event, true}
	case e.Decision != nil:
		return Subject{e.Decision.Event, true}
	}
	return Subject{e.TableID(), e.Event != nil}
}

func (s Subject) String() string {
	if s.Event {
		return "event " + s.ID.String()
	}
	return "table " + s.ID.String()
}

// Entry is an entry of a table or an event in the log.
type Entry struct {
	N     int          // its place among the entries of its subject, from 0
	Index uint64       // its place in the log
	Hash  wire.Hash    // its RFC 6962 leaf hash
	Fault *table.Fault // why a table has not applied it; nil if it has
}

// subject is what is known of a table or an event: what it is at this moment, which everybody may
// look at, and the mailbox of its owner, the goroutine that alone moves it on.
type subject struct {
	Subject
	in     *Admission
	game   string // of an event the format
	suite  string
	index  uint64 // of the entry that begins it, once it has begun
	number uint32 // in the index of the log, from 1, once it has begun

	now     atomic.Pointer[moment]
	asking  atomic.Bool             // a reader asks for what is in doubt
	turn    atomic.Pointer[verdict] // of a table: handed to a log that is shared, the latest
	reading sync.RWMutex            // of the history of an event

	mailing sync.Mutex
	mail    []*letter // to the owner
	owned   bool      // there is one

	// Owned by subjects.mu.
	users int           // who may write to the owner
	live  *list.Element // nil while it is not in memory
}

// moment is what is known of a subject at one time. A moment does not change; another
// one takes its place.
type moment struct {
	places []uint64   // ascending: entries of the log that seem to be of the subject; none: it has not begun
	count  int        // its entries, 0 before it was ever replayed; without those behind
	behind int        // places at the end that were not looked at: others have placed them
	doubt  []*verdict // handed to the log, outcome unknown; of a table at most one

	replaying bool
	state     *table.State   // of a table; nil while it is not in memory: then there are no entries
	past      *event.History // of an event, likewise; it grows, under reading
	protest   *protest       // of an event that waits for the time to appeal to pass
	entries   []Entry        // all of the subject, the one that begins it first
	bytes     int64          // of entries and their blobs

	over chan struct{} // closed when another moment has come that says more
}

func newSubject(in *Admission, of Subject, game, suite string) *subject {
	s := &subject{Subject: of, in: in, game: game, suite: suite}
	s.now.Store(&moment{over: make(chan struct{})})
	return s
}

// hasBegun tells whether the log has the entry that begins the subject.
func (m *moment) hasBegun() bool { return len(m.places) > 0 }

// isCurrent tells whether the subject is in memory, with all that the log has of it.
func (m *moment) isCurrent() bool { return (m.state != nil || m.past != nil) && m.behind == 0 }

// findEntry returns the place of an entry of a subject in memory, or -1.
func (m *moment) findEntry(entry wire.Hash) int {
	return slices.IndexFunc(m.entries, func(e Entry) bool { return e.Hash == entry })
}

// admitsVerdict tells whether what was found of an entry of a table holds at this moment.
func (m *moment) admitsVerdict(v *verdict) bool {
	return v != nil && len(m.doubt) == 0 && m.behind == 0 && !m.replaying && m.state == v.before && m.hasBegun() == (v.before != nil)
}

// afterEntry is the moment of a table after the log has taken an entry. Its arrays are longer than
// those of the moment before, and may be the same.
func (m *moment) afterEntry(index uint64, v *verdict) *moment {
	e := Entry{N: len(m.entries), Index: index, Hash: v.entry.Hash, Fault: v.fault}
	return &moment{
		places: append(m.places, index), count: m.count + 1,
		state: v.after.AtIndex(index), entries: append(m.entries, e), bytes: m.bytes + int64(v.entry.Size()),
	}
}

func (m *moment) addStep(s replay.Step) {
	m.state, m.bytes, m.count = s.After, m.bytes+int64(s.Entry.Size()), m.count+1
	m.entries = append(m.entries, Entry{N: len(m.entries), Index: s.Index, Hash: s.Entry.Hash, Fault: s.Fault})
}

// replaceMoment replaces a moment by another one, and wakes who waits for that; false if
// it was replaced before.
func (s *subject) replaceMoment(now, next *moment) bool {
	next.over = make(chan struct{})
	if !s.now.CompareAndSwap(now, next) {
		return false
	}
	close(now.over)
	return true
}

// forgetState drops what can be replayed from the log, unless something is in doubt. Who
// waits for the next entry need not know. Requires: the table has no users.
func (s *subject) forgetState() bool {
	now := s.now.Load()
	return len(now.doubt) == 0 && s.now.CompareAndSwap(now, &moment{places: now.places, count: now.count, behind: now.behind, over: now.over})
}

// subjects are the tables and events of a log.
type subjects struct {
	most int // tables in memory

	mu    sync.Mutex
	known map[Subject]*subject // also those whose first entry the log may yet refuse
	begun map[bool][]*subject  // events, and tables, by index
	live  *list.List           // of *subject: tables in memory, the one used last in front
}

// maxUnbegun bounds what is remembered because the log did not say whether
// it took the first entry. Of those beyond it only a second post is answered.
const maxUnbegun = 1024

// use finds a subject, which stays in memory, once it is there, until it is done with. Where there
// is none, it is what an entry begins, if that is one which does.
func (a *Admission) use(of Subject, e *bulletin.Entry) (s *subject, done func()) {
	x := &a.subjects
	x.mu.Lock()
	defer x.mu.Unlock()
	s, known := x.known[of]
	switch {
	case known:
	case e != nil && e.Table != nil:
		s = newSubject(a, of, e.Table.Game, e.Table.Suite)
	case e != nil && e.Event != nil:
		s = newSubject(a, of, bulletin.EventFormat, "")
	default:
		return nil, nil
	}
	x.known[of] = s
	s.users++
	return s, func() { x.release(s) }
}

// release forgets a subject that has not begun, unless it perhaps has, when its last user has gone.
func (x *subjects) release(s *subject) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	now, unbegun := s.now.Load(), len(x.known)-len(x.begun[false])-len(x.begun[true])
	if x.known[s.Subject] == s && !now.hasBegun() && (len(now.doubt) == 0 || unbegun > maxUnbegun) {
		delete(x.known, s.Subject)
	}
}

func (x *subjects) lookup(of Subject) *subject {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.known[of]
}

// enlist takes in a subject that has begun.
func (x *subjects) enlist(s *subject) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known[s.Subject] = s
	at, _ := slices.BinarySearchFunc(x.begun[s.Event], s, func(a, b *subject) int { return cmp.Compare(a.index, b.index) })
	x.begun[s.Event] = slices.Insert(x.begun[s.Event], at, s)
}

// touch marks a table in memory as used, and forgets the ones unused for longest.
func (x *subjects) touch(s *subject) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case s.now.Load().state == nil: // an event, or forgotten since
		return
	case s.live != nil:
		x.live.MoveToFront(s.live)
		return
	}
	s.live = x.live.PushFront(s)
	for e := x.live.Back(); e != nil && x.live.Len() > x.most; {
		s, previous := e.Value.(*subject), e.Prev()
		if s.users == 0 && s.forgetState() {
			x.live.Remove(e)
			s.live = nil
		}
		e = previous
	}
}

// list lists up to limit events, or tables, by index, from one index on.
func (x *subjects) list(events bool, from uint64, limit int) []Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := x.begun[events]
	all = all[sort.Search(len(all), func(i int) bool { return all[i].index >= from }):]
	return summariesOf(all[:min(len(all), limit)])
}

// tablesBefore lists up to limit tables by index, from below one index down.
func (x *subjects) tablesBefore(before uint64, limit int) []Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := x.begun[false]
	all = all[:sort.Search(len(all), func(i int) bool { return all[i].index >= before })]
	list := summariesOf(all[max(0, len(all)-limit):])
	slices.Reverse(list)
	return list
}

func summariesOf(begun []*subject) []Summary {
	list := []Summary{}
	for _, s := range begun {
		list = append(list, Summary{ID: s.ID, Index: s.index, Game: s.game, Suite: s.suite})
	}
	return list
}

// inPlay returns the genesis entries of tables in memory whose clocks run, and the events that wait for the time to appeal to pass.
func (x *subjects) inPlay() (tables []*wire.Genesis, events map[wire.Hash]protest) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for e := x.live.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*subject).now.Load().state; s != nil && !s.Genesis().Clock.IsNone() && len(s.Duties()) > 0 {
			tables = append(tables, s.Genesis())
		}
	}
	events = map[wire.Hash]protest{}
	for _, s := range x.begun[true] {
		if p := s.now.Load().protest; p != nil {
			events[s.ID] = *p
		}
	}
	return tables, events
}
