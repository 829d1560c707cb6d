package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	trees "github.com/pakli/pakli/ledger/cluster"
)

// openCluster opens the parts of the cluster, waits until they answer, and checks them.
func (s *Server) openCluster(ctx context.Context, o Options, pre *preparedServer, lo *ledger.Options) error {
	p, err := o.cluster.OpenParts(s.Key.Verifier.Name())
	if err != nil {
		return err
	}
	if err := s.openOffice(o, pre); err != nil {
		return errors.Join(err, p.Tree.Close())
	}
	if err := s.awaitCluster(ctx, o, p); err != nil {
		return errors.Join(err, p.Tree.Close())
	}
	o.warn(ctx, func(ctx context.Context) []error { return o.cluster.WrongParts(ctx, p) })
	look := o.looker(ctx)
	look()
	s.cluster = &p
	p.AddTo(lo, o.cluster.Poll)
	lo.Timed, lo.Trouble = s.metrics.ObserveStage, look
	return nil
}

// warn logs what is wrong with the parts.
func (o Options) warn(ctx context.Context, of func(context.Context) []error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cluster.LookTime)
	defer cancel()
	for _, err := range of(ctx) {
		o.logger.Warn("the cluster", "err", err)
	}
}

// looker returns a function that begins a check of the database, unless one is running. A database
// that does not answer delays nothing.
func (o Options) looker(ctx context.Context) func() {
	var looks atomic.Bool
	return func() {
		if !looks.CompareAndSwap(false, true) {
			return
		}
		go func() {
			defer looks.Store(false)
			o.warn(ctx, o.cluster.WrongDatabase)
		}()
	}
}

// waitsAgain is the pause between requests of a front end whose machines start at the same time.
const waitsAgain = 200 * time.Millisecond

// awaitCluster waits until the register and a log server answer with everything promised. It returns
// an error that will not pass.
func (s *Server) awaitCluster(ctx context.Context, o Options, p cluster.Parts) error {
	for {
		err := p.CheckPromised(ctx)
		if err == nil || errors.Is(err, trees.ErrUnfit) || errors.Is(err, ledger.ErrNoPromise) || errors.Is(err, ledger.ErrLeft) {
			return err
		}
		if s.waits.Swap(err.Error()) == nil {
			o.logger.Warn("this front end waits for its cluster, and answers nobody until it is there", "err", err)
		}
		select {
		case <-time.After(waitsAgain):
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting: %w", ctx.Err(), err)
		}
	}
}

// waitingCheck returns what a server that is not open yet waits for.
func (s *Server) waitingCheck() []httpapi.HealthCheck {
	detail, _ := s.waits.Load().(string)
	return []httpapi.HealthCheck{{Name: "start", Detail: cmp.Or(detail, "it is being opened")}}
}

// catchUp returns a function that follows the log up to everything promised anywhere, or nil without
// a cluster.
func (s *Server) catchUp(tables *admission.Admission) func(context.Context) error {
	if s.cluster == nil {
		return nil
	}
	return tables.CatchUp
}

// Bounds for a ready front end.
const (
	maxLag    = 2 * time.Second // behind the promise
	maxSkewed = time.Second     // difference between the cluster's clocks and this one
)

// clusterChecks returns the state of the cluster's parts as a front end sees them.
func (s *Server) clusterChecks() []httpapi.HealthCheck {
	f, ok := s.log.Following()
	if !ok {
		return nil
	}
	trouble := "in order"
	if f.Err != nil {
		trouble = f.Err.Error()
	}
	order := fmt.Sprintf("%d entries handed in, the oldest for %v", f.Waiting, f.Oldest.Round(time.Millisecond))
	if f.Stuck != nil {
		order += ": " + f.Stuck.Error()
	}
	lag := s.lag(f)
	skew := s.skew()
	return []httpapi.HealthCheck{
		{Name: "cluster", Ready: f.Err == nil, Detail: fmt.Sprintf("%s; %d entries integrated", trouble, f.Shown)},
		{Name: "promise", Ready: lag <= maxLag, Detail: fmt.Sprintf("%d entries promised, %d here, behind for %v", f.Promised, f.Own, lag.Round(time.Millisecond))},
		{Name: "order", Ready: s.patience == 0 || f.Oldest <= s.patience, Detail: order},
		{Name: "clocks", Ready: skew <= maxSkewed, Detail: fmt.Sprintf("the newest root was made %v after this clock's now", skew.Round(time.Millisecond))},
	}
}

// lag returns how long the log has been behind the promise.
func (s *Server) lag(f ledger.Following) time.Duration {
	if f.Promised <= f.Own {
		s.behind.Store(0)
		return 0
	}
	now := time.Now().UnixNano()
	s.behind.CompareAndSwap(0, now)
	return time.Duration(now - s.behind.Load())
}

// skew returns by how much the newest root is in the future. An idle log has one in the past.
func (s *Server) skew() time.Duration {
	at := s.cluster.Tree.RootTime()
	if at.IsZero() {
		return 0
	}
	return max(0, time.Until(at))
}

// clusterReady returns why a front end takes no entries, as one error for callers other than the
// operator.
func (s *Server) clusterReady() error {
	for _, c := range s.clusterChecks() {
		if !c.Ready {
			return fmt.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	return nil
}

// measureCluster registers metrics of how the log follows the cluster.
func (s *Server) measureCluster() {
	if s.cluster == nil {
		return
	}
	following := func(of func(f ledger.Following) float64) func() float64 {
		return func() float64 { f, _ := s.log.Following(); return of(f) }
	}
	m := s.metrics
	m.AddGauge("cluster_promised_entries", "Entries that the register promises.", following(func(f ledger.Following) float64 { return float64(f.Promised) }))
	m.AddGauge("cluster_integrated_entries", "Entries that the cluster shows.", following(func(f ledger.Following) float64 { return float64(f.Shown) }))
	m.AddGauge("cluster_lag_entries", "Promised entries that are not here yet.", following(func(f ledger.Following) float64 { return float64(f.Promised - min(f.Own, f.Promised)) }))
	m.AddGauge("cluster_oldest_seconds", "Age of the oldest entry that was handed in and is not answered.", following(func(f ledger.Following) float64 { return f.Oldest.Seconds() }))
	m.AddGauge("cluster_trouble", "1 while nothing can be promised.", following(func(f ledger.Following) float64 {
		if f.Err != nil {
			return 1
		}
		return 0
	}))
	m.AddGauge("cluster_promises_lost", "Promises that another front end made first.", following(func(f ledger.Following) float64 { return float64(f.Lost) }))
	m.AddGauge("cluster_root_skew_seconds", "By how much the newest root is from the future, by this clock.", func() float64 { return s.skew().Seconds() })
	m.AddGauge("cluster_void_by_race", "Messages and decisions that are in the log and void since another came first.", func() float64 { return float64(s.tables.CountRaced()) })
}
