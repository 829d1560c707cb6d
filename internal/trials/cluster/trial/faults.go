package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/pakli/pakli/internal/trials/cluster/process"
	"github.com/pakli/pakli/internal/trials/cluster/relay"
)

// Fault is one way to break a cluster.
type Fault struct {
	Name  string
	Bar   time.Duration // of the longest wait of one client; 0: it lasts until somebody repairs the cluster
	Short bool          // part of the short form
	Do    func(context.Context, *Trial) error
}

// Bars of the longest silence.
const (
	barFrontEnd  = 3 * time.Second
	barTrillian  = 1 * time.Second
	barPromotion = 2 * time.Second
	barRegister  = 3 * time.Second
)

// Faults returns all faults. Each leaves the cluster intact.
func Faults() []Fault {
	all := []Fault{{"nothing", 0, true, func(ctx context.Context, t *Trial) error { return t.hold(ctx) }}}
	for _, p := range []struct {
		name string
		bar  time.Duration
	}{{"front-1", barFrontEnd}, {"log-server-1", barTrillian}, {"signer-1", barTrillian}, {"etcd-1", barRegister}, {"postgres-2", 0}} {
		all = append(all,
			Fault{"kill " + p.name, p.bar, p.bar > 0 && p.name != "etcd-1", killPart(p.name)},
			Fault{"halt " + p.name, p.bar, false, haltPart(p.name)})
	}
	all = append(all, Fault{"halt postgres-1", 0, false, haltPart("primary")}, Fault{"halt haproxy", 0, false, haltPart("haproxy")})
	all = append(all, partitions()...)
	all = append(all, clocks()...)
	all = append(all,
		Fault{"signer halted in mid-transaction", barTrillian, false, midTransaction},
		Fault{"primary killed, standby promoted", barPromotion, true, promoteAndRecover},
		Fault{"old primary back", 0, false, oldPrimaryBack},
		Fault{"two diverged primaries, a fresh front end", 0, false, divergePrimaries},
		Fault{"two diverged primaries, both written to", 0, false, bothWrite},
		Fault{"standby away for 90 s, and back", 0, false, standbyLate},
		Fault{"standby away for 90 s, and promoted", 0, false, lackingPromoted},
		Fault{"disk full at PostgreSQL", 0, false, databaseDiskFull},
		Fault{"old tree heads pruned", 0, false, pruneTreeHeads},
		Fault{"etcd's leader killed", barRegister, true, leaderKilled},
		Fault{"etcd's leader halted", barRegister, false, leaderHalted},
		Fault{"etcd's majority lost and back", 0, false, majorityLost},
		Fault{"a front end's disk lost", barFrontEnd, false, diskLost},
		Fault{"database lost", 0, false, databaseLost},
		Fault{"register lost", 0, false, registerLost},
		Fault{"all killed at once", 0, true, allKilled},
		Fault{"all killed, front ends started first", 0, true, frontEndsFirst},
		Fault{"rolling restart", barFrontEnd, false, rollingRestart},
	)
	return all
}

// hold waits while a fault lasts.
func (t *Trial) hold(ctx context.Context) error { return t.wait(ctx, t.Hold) }

func (t *Trial) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// part returns a process by name; primary is the current primary database.
func (t *Trial) part(name string) *process.Process {
	if name == "primary" {
		return t.Databases[0].Process
	}
	return t.Parts()[name]
}

func killPart(name string) func(context.Context, *Trial) error {
	return func(ctx context.Context, t *Trial) error {
		t.part(name).Kill()
		if err := t.hold(ctx); err != nil {
			return err
		}
		return t.startAgain(ctx, name)
	}
}

// startAgain starts a part and waits until it is ready.
func (t *Trial) startAgain(ctx context.Context, name string) error {
	for _, d := range t.Databases {
		if d.Name == name {
			return d.StartReady(ctx)
		}
	}
	if err := t.part(name).Start(); err != nil {
		return err
	}
	for _, f := range t.FrontEnds {
		if f.Name == name {
			return t.Ready(ctx, f)
		}
	}
	return nil
}

func haltPart(name string) func(context.Context, *Trial) error {
	return func(ctx context.Context, t *Trial) error {
		p := t.part(name)
		p.Halt()
		err := t.hold(ctx)
		p.Continue()
		return err
	}
}

// partitions are partitions of each pair of parts, in both directions and in one.
func partitions() (all []Fault) {
	for _, pair := range []struct {
		name  string
		bar   time.Duration
		links []string
	}{
		{"haproxy from front-1", barFrontEnd, []string{"haproxy>front-1"}},
		{"front-1 from log-server-1", barTrillian, []string{"front-1>log-server-1"}},
		{"front-1 from both log servers", barFrontEnd, []string{"front-1>log-server-1", "front-1>log-server-2"}},
		{"front-1 from etcd-1", barRegister, []string{"front-1>etcd-1"}},
		{"front-1 from the register", barFrontEnd, []string{"front-1>etcd-1", "front-1>etcd-2", "front-1>etcd-3"}},
		{"log-server-1 from the primary", barTrillian, []string{"log-server-1>postgres-1", "log-server-1>postgres-2"}},
		{"signer-1 from the primary", barTrillian, []string{"signer-1>postgres-1", "signer-1>postgres-2"}},
		{"both signers from the primary", 0, []string{"signer-1>postgres-1", "signer-1>postgres-2", "signer-2>postgres-1", "signer-2>postgres-2"}},
		{"the standby from the primary", 0, []string{"postgres-2>postgres-1", "postgres-1>postgres-2"}},
		{"etcd-1 from the others", barRegister, []string{"peers>etcd-1"}},
	} {
		for how, state := range map[string]relay.State{"silent": relay.Silent, "one way, answers lost": {MuteServer: true}, "one way, requests lost": {MuteClient: true}, "refused": {Refuse: true}} {
			all = append(all, Fault{fmt.Sprintf("%s: %s", pair.name, how), pair.bar, false, cutOff(state, pair.links...)})
		}
	}
	sortByName(all)
	return append(all, Fault{"front-1 200 ms from everything", 0, false, late})
}

// cutOff sets the state of relays for a while. It ignores missing ones.
func cutOff(state relay.State, links ...string) func(context.Context, *Trial) error {
	return func(ctx context.Context, t *Trial) error {
		for _, name := range links {
			if r := t.Link(name); r != nil {
				r.Set(state)
			}
		}
		err := t.hold(ctx)
		t.Heal()
		return err
	}
}

func late(ctx context.Context, t *Trial) error {
	return cutOff(relay.State{Delay: 200 * time.Millisecond}, t.Links("front-1>")...)(ctx, t)
}

// clocks are faults of the clocks of Trillian's processes, 20 s ahead and behind.
func clocks() (all []Fault) {
	for _, name := range []string{"log-server-1", "signer-1"} {
		for _, off := range []time.Duration{20 * time.Second, -20 * time.Second} {
			all = append(all, Fault{fmt.Sprintf("clock of %s off by %v", name, off), 0, false, shiftClock(name, off)})
		}
	}
	return all
}

func shiftClock(name string, off time.Duration) func(context.Context, *Trial) error {
	return func(ctx context.Context, t *Trial) error {
		p := t.part(name)
		if err := t.Shift(p, off); err != nil {
			return err
		}
		if err := t.hold(ctx); err != nil {
			return err
		}
		return t.Shift(p, 0) // a signer that was ahead has left a root before which the other may not sign, for 20 s
	}
}
