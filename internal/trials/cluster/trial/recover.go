package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/internal/trials/cluster/relay"
)

func sortByName(all []Fault) {
	slices.SortFunc(all, func(a, b Fault) int { return cmp.Compare(a.Name, b.Name) })
}

// midTransaction halts a signer while PostgreSQL holds a transaction of it open.
func midTransaction(ctx context.Context, t *Trial) error {
	signer := t.part("signer-1")
	for {
		signer.Halt()
		n, err := t.Databases[0].Number(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'signer-1' AND state = 'idle in transaction'")
		if err != nil {
			return err
		}
		if n > 0 {
			break
		}
		signer.Continue()
		if err := t.wait(ctx, 7*time.Millisecond); err != nil {
			return fmt.Errorf("no transaction of a signer was met: %w", err)
		}
	}
	t.Count()
	err := t.hold(ctx)
	signer.Continue()
	return err
}

// promote kills the primary and promotes the standby. Silence counts from then on.
func (t *Trial) promote(ctx context.Context) error {
	t.Databases[0].Kill()
	if err := t.Databases[1].Promote(ctx); err != nil {
		return err
	}
	t.Count()
	t.Databases[0], t.Databases[1] = t.Databases[1], t.Databases[0]
	return nil
}

// standbyBack makes the other node the standby, and commits wait for it again.
func (t *Trial) standbyBack(ctx context.Context) error {
	if err := t.Follow(ctx, 1); err != nil {
		return err
	}
	return t.Databases[0].Synchronous(ctx, true)
}

func promoteAndRecover(ctx context.Context, t *Trial) error {
	if err := t.promote(ctx); err != nil {
		return err
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	return t.standbyBack(ctx)
}

// oldPrimaryBack starts the dead primary beside the new one. A client that connects to it sees an old
// log, and may even write to it.
func oldPrimaryBack(ctx context.Context, t *Trial) error {
	if err := t.promote(ctx); err != nil {
		return err
	}
	old := t.Databases[1]
	if err := old.StartReady(ctx); err != nil {
		return err
	}
	if err := old.Synchronous(ctx, false); err != nil {
		return err
	}
	t.LogServers[0].Kill() // so that it reconnects to whichever database accepts writes first
	if err := errors.Join(t.LogServers[0].Start(), t.hold(ctx)); err != nil {
		return err
	}
	old.Kill()
	return t.standbyBack(ctx)
}

// divergePrimaries lets two primaries go on, each with a log server, a signer and a front end of its
// own. The register lets one front end promise. The other's store follows a history that nobody has
// promised; that front end must report it and never sign. Then the standby's side goes on and the
// front end is made again.
func divergePrimaries(ctx context.Context, t *Trial) error {
	first, second := t.Databases[0], t.Databases[1]
	apart := []string{
		"log-server-1>" + second.Name, "signer-1>" + second.Name, "log-server-2>" + first.Name, "signer-2>" + first.Name,
		second.Name + ">" + first.Name, "front-1>log-server-2", "front-2>log-server-1",
	}
	for _, name := range append(apart, t.Links("front-1>etcd")...) { // the front end that is cut off from the register loses
		if r := t.Link(name); r != nil {
			r.Set(relay.State{Refuse: true})
		}
	}
	if err := errors.Join(first.Synchronous(ctx, false), second.Promote(ctx), t.hold(ctx)); err != nil {
		return err
	}
	for _, name := range t.Links("front-1>etcd") {
		t.Link(name).Set(relay.State{})
	}
	if err := t.tryFresh(ctx); err != nil {
		return err
	}
	first.Kill()
	t.Heal()
	t.Databases[0], t.Databases[1] = second, first
	if err := t.standbyBack(ctx); err != nil {
		return err
	}
	return t.rebuildFrontEnd(ctx, 0)
}

// tryFresh makes front-1 again where it can see only the first primary. The tree that it follows
// lacks the promise, so it must not start. Whatever it does, the oracle watches it.
func (t *Trial) tryFresh(ctx context.Context) error {
	f := t.FrontEnds[0]
	f.Kill()
	if err := removeDirectory(f.Data); err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := t.Join(short, f); err != nil {
		return nil // refused, as it should be
	}
	if err := f.Start(); err != nil {
		return err
	}
	if err := t.Ready(short, f); err == nil {
		return errors.New("a fresh front end takes posts on a database that lacks the promise")
	}
	return nil
}

// rebuildFrontEnd makes a front end's directory anew from another's.
func (t *Trial) rebuildFrontEnd(ctx context.Context, i int) error {
	f := t.FrontEnds[i]
	f.Kill()
	if err := removeDirectory(f.Data); err != nil {
		return err
	}
	if err := t.Join(ctx, f); err != nil {
		return err
	}
	if err := f.Start(); err != nil {
		return err
	}
	return t.Ready(ctx, f)
}

func diskLost(ctx context.Context, t *Trial) error {
	t.FrontEnds[1].Kill()
	if err := t.hold(ctx); err != nil {
		return err
	}
	return t.rebuildFrontEnd(ctx, 1)
}

func leaderKilled(ctx context.Context, t *Trial) error {
	leader, err := t.Leader(ctx)
	if err != nil {
		return err
	}
	t.Count()
	return killPart(leader)(ctx, t)
}

func leaderHalted(ctx context.Context, t *Trial) error {
	leader, err := t.Leader(ctx)
	if err != nil {
		return err
	}
	t.Count()
	return haltPart(leader)(ctx, t)
}

func majorityLost(ctx context.Context, t *Trial) error {
	for _, r := range t.Registers[:2] {
		r.Kill()
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	for _, r := range t.Registers[:2] {
		if err := r.Start(); err != nil {
			return err
		}
	}
	err := t.AwaitRegister(ctx)
	t.Count()
	return err
}

// stopFrontEnds stops the front ends cleanly, as an operator would.
func (t *Trial) stopFrontEnds(ctx context.Context) {
	for _, f := range t.FrontEnds {
		f.Stop(ctx)
	}
}

func (t *Trial) startFrontEnds(ctx context.Context) error {
	for _, f := range t.FrontEnds {
		if err := f.Start(); err != nil {
			return err
		}
	}
	for _, f := range t.FrontEnds {
		if err := t.Ready(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// databaseLost destroys both nodes. The log goes on in a new tree, from a front end's store.
func databaseLost(ctx context.Context, t *Trial) error {
	for _, d := range t.Databases {
		d.Kill()
	}
	if err := t.hold(ctx); err != nil {
		return err
	}
	return t.newDatabase(ctx)
}

// registerLost destroys all members of etcd. The promise is made again from the directories.
func registerLost(ctx context.Context, t *Trial) error {
	for _, r := range t.Registers {
		r.Kill()
	}
	t.stopFrontEnds(ctx)
	if err := t.NewRegister(ctx); err != nil {
		return err
	}
	if err := t.PromoteRegister(ctx); err != nil {
		return err
	}
	err := t.startFrontEnds(ctx)
	t.Count()
	return err
}

// allKilled is a power cut of everything.
func allKilled(ctx context.Context, t *Trial) error {
	for _, p := range t.Parts() {
		p.Halt()
	}
	for _, p := range t.Parts() {
		p.Kill()
	}
	if err := errors.Join(t.startStock(ctx), t.Proxy.Start()); err != nil {
		return err
	}
	err := t.startFrontEnds(ctx)
	t.Count()
	return err
}

// startStock starts everything that front ends need, when nothing runs.
func (t *Trial) startStock(ctx context.Context) error {
	for _, r := range t.Registers {
		if err := r.Start(); err != nil {
			return err
		}
	}
	for _, d := range []int{1, 0} {
		if err := t.Databases[d].StartReady(ctx); err != nil {
			return err
		}
	}
	for i := range t.LogServers {
		if err := errors.Join(t.LogServers[i].Start(), t.Signers[i].Start()); err != nil {
			return err
		}
	}
	return errors.Join(t.AwaitLogServer(ctx, 0), t.AwaitLogServer(ctx, 1), t.AwaitRegister(ctx))
}

// rollingRestart restarts every part, one by one, each when the one before is back.
func rollingRestart(ctx context.Context, t *Trial) error {
	for _, r := range t.Registers {
		r.Stop(ctx)
		if err := errors.Join(r.Start(), t.AwaitRegister(ctx)); err != nil {
			return err
		}
	}
	for i := range t.LogServers {
		for _, p := range []string{t.LogServers[i].Name, t.Signers[i].Name} {
			t.part(p).Stop(ctx)
			if err := t.startAgain(ctx, p); err != nil {
				return err
			}
		}
		if err := t.AwaitLogServer(ctx, i); err != nil {
			return err
		}
	}
	for _, f := range t.FrontEnds {
		f.Stop(ctx)
		if err := t.startAgain(ctx, f.Name); err != nil {
			return err
		}
	}
	return nil
}
