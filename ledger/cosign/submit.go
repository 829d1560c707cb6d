package cosign

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
)

// CosignedLog is a log that a Submitter sends to cosigners. *ledger.Ledger is one.
type CosignedLog interface {
	Checkpoint(ctx context.Context) (tlog.Checkpoint, error)
	Consistency(ctx context.Context, old, size uint64) (tlog.Consistency, error)

	// Await returns a checkpoint of more than size entries.
	Await(ctx context.Context, size uint64) (tlog.Checkpoint, error)

	// CosignedReader reads the log as it was last published with cosignatures.
	CosignedReader() tlog.Reader

	// PublishCosigned publishes a checkpoint with verified cosignatures.
	PublishCosigned(c tlog.Checkpoint) error

	// Stop ends the log for good.
	Stop(reason error)
}

// SubmitterOptions are the policy of a Submitter and what it works with.
type SubmitterOptions struct {
	Policy *tlog.Policy
	Client *http.Client     // nil: one of its own
	Clock  func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
}

// Interval is the least time between two requests to a cosigner, and between two of a keeper to its
// log.
var Interval = time.Second

const (
	// answerTime bounds one exchange with a cosigner.
	answerTime = 5 * time.Second

	// catchUps is how often within one exchange a cosigner is asked again because somebody else has
	// sent it a newer checkpoint.
	catchUps = 4

	// longestPause is the longest time between requests to a cosigner that keeps failing.
	longestPause = 30 * time.Second

	// startPause is the same until the log is confirmed, since posts wait for that.
	startPause = 2 * time.Second

	// clockSkew bounds the difference between a cosigner's clock and ours.
	clockSkew = time.Hour
)

// A Submitter sends the checkpoints of one log to the cosigners of a policy.
type Submitter struct {
	log    CosignedLog
	policy *tlog.Policy
	client http.Client
	clock  func() time.Time
	logger *slog.Logger

	publishing sync.Mutex // held while publishing, so that fewer cosignatures never replace more

	mu        sync.Mutex
	endpoints []*endpoint
	open      map[uint64]*collection // by size
	quorum    Quorum
	confirmed bool
	cosigned  chan struct{} // closed when confirmed
	inside    sync.WaitGroup
}

// An endpoint is a URL that answers for one or more keys of the policy.
type endpoint struct {
	url       string
	cosigners []tlog.PolicyCosigner

	// Under Submitter.mu.
	busy     bool      // a request is under way
	size     uint64    // that it cosigned last, as far as we know
	done     uint64    // one more than the size that it has cosigned for us; 0 if none
	partly   bool      // done, but not with all of its keys
	failures int       // in a row
	warned   bool      // the last failure was logged
	rest     time.Time // no request before this time; by the monotonic clock
	err      error     // why the last request failed
}

// A collection is a checkpoint with the cosignatures received for it.
type collection struct {
	shown      tlog.Checkpoint // as sent to all cosigners
	checkpoint tlog.Checkpoint
	waiting    int // requests under way
}

// NewSubmitter returns a submitter for those cosigners of the policy that have a URL. It fails if
// all of them together would not be a quorum.
func NewSubmitter(log CosignedLog, o SubmitterOptions) (*Submitter, error) {
	s := &Submitter{log: log, policy: o.Policy, clock: o.Clock, logger: o.Logger, open: map[uint64]*collection{}, cosigned: make(chan struct{})}
	s.client = http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	if o.Client != nil {
		s.client = *o.Client
	}
	// Requests go only where the policy says.
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.endpoints, err = endpointsOf(o.Policy); err != nil {
		return nil, err
	}
	if s.confirmed = s.policy.IsSatisfied(nil); s.confirmed { // the policy needs no cosigner
		close(s.cosigned)
	}
	last, err := log.CosignedReader().Checkpoint(context.Background())
	if err != nil && !errors.Is(err, tlog.ErrNotCosigned) {
		return nil, err
	}
	for _, e := range s.endpoints {
		e.size = last.Size // a guess: the cosigner answers with its size if this is wrong
	}
	return s, nil
}

// CheckPolicy returns the error that NewSubmitter would return for a policy.
func CheckPolicy(p *tlog.Policy) error {
	_, err := endpointsOf(p)
	return err
}

func endpointsOf(p *tlog.Policy) (list []*endpoint, err error) {
	var all []tlog.Cosignature
	byURL := map[string]*endpoint{}
	for _, c := range p.Cosigners {
		if c.URL == "" {
			continue
		}
		u, err := url.Parse(c.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("witness %s: %q is not the URL of a cosigner", c.Name, c.URL)
		}
		all = append(all, tlog.Cosignature{Cosigner: c.Name})
		to := u.JoinPath("add-checkpoint").String()
		if byURL[to] == nil {
			byURL[to] = &endpoint{url: to}
			list = append(list, byURL[to])
		}
		byURL[to].cosigners = append(byURL[to].cosigners, c)
	}
	if !p.IsSatisfied(all) {
		return nil, errors.New("the cosigners of the policy that have a URL are no quorum")
	}
	return list, nil
}

// StartCosigned returns a channel that is closed once enough cosigners have cosigned all entries
// that the log had when NewSubmitter was called: so many that the others are no quorum, and so no
// quorum knows a later entry. Where any two quorums meet, one quorum is enough; where one of two
// cosigners is a quorum, both have to answer.
func (s *Submitter) StartCosigned() <-chan struct{} { return s.cosigned }

// Probe sends the newest checkpoint to all cosigners once, before the log takes entries, and
// returns an OtherHistoryError if one of them has seen another history. It ignores cosigners that
// do not answer, and takes seconds at most.
func (s *Submitter) Probe(ctx context.Context) error {
	c, err := s.log.Checkpoint(ctx)
	if err != nil {
		return err
	}
	s.showToAll(ctx, c)
	s.inside.Wait()
	for _, e := range s.endpoints {
		if _, ok := errors.AsType[*OtherHistoryError](e.err); ok {
			return e.err
		}
	}
	return ctx.Err()
}

// Run sends checkpoints to cosigners until ctx ends or the log stops.
func (s *Submitter) Run(ctx context.Context) {
	defer s.inside.Wait()
	for {
		c, err := s.log.Checkpoint(ctx)
		if err == nil && s.isSettled(c) {
			c, err = s.log.Await(ctx, c.Size)
		}
		if err != nil {
			return
		}
		s.showToAll(ctx, c)
		if pauseFor(ctx, Interval) != nil {
			return
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isSettled reports whether all cosigners have cosigned c.
func (s *Submitter) isSettled(c tlog.Checkpoint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(s.endpoints, func(e *endpoint) bool { return !e.hasCosigned(c) })
}

// hasCosigned reports whether all keys of e have cosigned c for us.
func (e *endpoint) hasCosigned(c tlog.Checkpoint) bool { return e.done == c.Size+1 && !e.partly }

// showToAll begins requests to all cosigners that are free and have not cosigned c.
func (s *Submitter) showToAll(ctx context.Context, c tlog.Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.open, func(size uint64, col *collection) bool { return size != c.Size && col.waiting == 0 })
	for _, e := range s.endpoints {
		resting := time.Now().Before(e.rest) && !(e.partly && c.Size > e.size)
		if e.busy || resting || e.hasCosigned(c) {
			continue
		}
		col, old := s.collectionOf(c), e.size
		e.busy, e.rest = true, time.Now().Add(Interval)
		s.inside.Go(func() {
			col, lines, err := s.exchangeWith(ctx, e, old, col)
			s.takeOutcome(ctx, e, col, lines, err)
		})
	}
}

// collectionOf adds a request to the collection of c.
func (s *Submitter) collectionOf(c tlog.Checkpoint) *collection {
	if s.open[c.Size] == nil {
		s.open[c.Size] = &collection{shown: c, checkpoint: c}
	}
	s.open[c.Size].waiting++
	return s.open[c.Size]
}

// exchangeWith sends a collection's checkpoint to a cosigner that has cosigned old entries, as far
// as we know. If somebody else sent it our checkpoints first, exchangeWith asks again at once, from
// the size that the cosigner has reached, with a newer collection if this one is smaller. A
// cosigner cosigns for us again what it has cosigned already: one that refuses the size that it has
// just named as its own has another root.
func (s *Submitter) exchangeWith(ctx context.Context, e *endpoint, old uint64, col *collection) (*collection, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for again := 0; ; again++ {
		lines, err := s.askCosigner(ctx, e, old, col.shown)
		conflict, ok := errors.AsType[*conflictError](err)
		if !ok {
			return col, lines, err
		}
		if again > 0 && conflict.size == old {
			answer := fmt.Sprintf("%d %d", http.StatusConflict, old)
			return col, nil, &OtherHistoryError{Cosigner: e.url, Known: old, Shown: col.shown.Size, Answer: answer}
		}
		if again > 0 && conflict.size < old {
			return col, nil, fmt.Errorf("the cosigner was at size %d, and is at %d now", old, conflict.size)
		}
		if again == catchUps {
			return col, nil, err
		}
		old = conflict.size
		if col, err = s.noteReached(ctx, e, col, old); err != nil {
			return col, nil, err
		}
	}
}

// noteReached records the size that a cosigner has reached and moves the request to a collection of
// at least that size: the largest that there is, so that cosigners come together again, or a new
// one.
func (s *Submitter) noteReached(ctx context.Context, e *endpoint, col *collection, size uint64) (*collection, error) {
	newest, err := s.log.Checkpoint(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	e.size = size
	if err != nil || col.shown.Size >= size {
		return col, err
	}
	if largest := slices.Max(slices.Collect(maps.Keys(s.open))); largest >= size {
		newest = s.open[largest].shown
	}
	col.waiting--
	return s.collectionOf(newest), nil
}

func (s *Submitter) takeOutcome(ctx context.Context, e *endpoint, col *collection, lines []byte, err error) {
	s.mu.Lock()
	e.busy = false
	col.waiting--
	taken := false
	if err == nil {
		taken, err = s.takeLines(e, col, lines)
	} else {
		e.done, e.partly = 0, false
	}
	if ctx.Err() == nil {
		s.noteHealth(e, err)
	}
	s.mu.Unlock()
	if _, ok := errors.AsType[*OtherHistoryError](err); ok {
		s.logger.Error("THE LOG STOPS: a cosigner has seen another history of it", "cosigner", e.url, "err", err)
		s.log.Stop(err)
		return
	}
	if taken {
		s.publishQuorum(col)
	}
}

// takeLines verifies the cosignatures of an answer and adds the valid ones to the collection. The
// error names the others. A cosignature that the collection has already counts as taken but is not
// added again: a cosigner that lacks one of its keys is asked for ever, and a note has room for
// only 100 lines.
func (s *Submitter) takeLines(e *endpoint, col *collection, lines []byte) (taken bool, err error) {
	seen, _ := s.policy.Cosignatures(col.checkpoint)
	for _, known := range e.cosigners {
		if slices.ContainsFunc(seen, func(c tlog.Cosignature) bool { return c.Cosigner == known.Name }) {
			taken = true
			continue
		}
		more, at, wrong := col.checkpoint.AddCosignatures(lines, known.Key)
		if off := at.Sub(s.clock()); wrong == nil && (at.IsZero() || off.Abs() > clockSkew) {
			wrong = fmt.Errorf("dated %v, which is off by %v", at, off.Round(time.Second))
		}
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("witness %s: %w", known.Name, wrong))
			continue
		}
		col.checkpoint, taken = more, true
	}
	if taken {
		e.size, e.done = col.shown.Size, col.shown.Size+1
	}
	e.partly = taken && err != nil
	return taken, err
}

// noteHealth records how a cosigner does and logs changes.
func (s *Submitter) noteHealth(e *endpoint, err error) {
	warned := e.warned
	e.err = err
	if err == nil {
		e.failures, e.warned = 0, false
		if warned {
			s.logger.Info("the cosigner answers again", "cosigner", e.url)
		}
		return
	}
	if conflict, ok := errors.AsType[*conflictError](err); ok {
		e.size = conflict.size // the cosigner is well and is asked again from its size
	} else {
		// 1 s after the first failure, then 2, 4, 8, …
		e.failures++
		most := longestPause
		if !s.confirmed {
			most = startPause
		}
		e.rest = time.Now().Add(min(Interval<<min(e.failures-1, 10), most) - Interval/2)
	}
	if e.warned = true; !warned {
		s.logger.Warn("no cosignature", "cosigner", e.url, "err", err)
	}
}

// publishQuorum publishes a collection if its cosignatures are a quorum.
func (s *Submitter) publishQuorum(col *collection) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	s.mu.Lock()
	c := col.checkpoint
	s.mu.Unlock()
	seen, err := s.policy.Cosignatures(c)
	if err == nil && !s.policy.IsSatisfied(seen) {
		return
	}
	if err == nil {
		err = s.log.PublishCosigned(c)
	}
	if err != nil {
		s.logger.Error("cannot publish cosignatures", "size", c.Size, "err", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if silent := s.silentCosigners(seen); !s.confirmed && (len(silent) == 0 || !s.policy.IsSatisfied(silent)) {
		s.confirmed = true
		close(s.cosigned)
	}
	if c.Size >= s.quorum.Size {
		s.quorum = Quorum{Size: c.Size, At: s.clock(), Seen: seen}
	}
}

// silentCosigners returns the cosigners with a URL that have not cosigned.
func (s *Submitter) silentCosigners(seen []tlog.Cosignature) (list []tlog.Cosignature) {
	for _, e := range s.endpoints {
		for _, known := range e.cosigners {
			if !slices.ContainsFunc(seen, func(c tlog.Cosignature) bool { return c.Cosigner == known.Name }) {
				list = append(list, tlog.Cosignature{Cosigner: known.Name})
			}
		}
	}
	return list
}

// Quorum is the newest checkpoint that was published as cosigned. The zero Quorum says that none
// was.
type Quorum struct {
	Size uint64
	At   time.Time // when it was published
	Seen []tlog.Cosignature
}

// Health is the state of one cosigner.
type Health struct {
	URL  string
	Size uint64 // that it has cosigned last, as far as we know
	Err  error  // why it does not cosign now, or nil
}

// State returns the newest quorum and the health of the cosigners. It decides nothing: a log goes
// on without them.
func (s *Submitter) State() (Quorum, []Health) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Health
	for _, e := range s.endpoints {
		list = append(list, Health{URL: e.url, Size: e.size, Err: e.err})
	}
	return s.quorum, list
}
