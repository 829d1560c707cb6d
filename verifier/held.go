package verifier

import (
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// ReopenedClaim says that a keeper held, in time, the message of a seat that was timed out: whether it
// was late is open until it is ruled or agreed (docs/spec/52-time.md, 52.8). It convicts nobody;
// the log may not have been reached.
type ReopenedClaim struct {
	Keeper string    `json:"keeper"` // as the policy calls it
	Since  time.Time `json:"since"`  // by its own clock
	Entry  wire.Hash `json:"entry"`  // the message

	Decided *uint64 `json:"decided,omitempty"` // the later act of somebody who rules, or of all
}

// reopenedBy looks in the files that were brought for a message that reopens a time-out.
func (r *Report) reopenedBy(s replay.Step) *ReopenedClaim {
	body := claimOf(s)
	for _, m := range r.held {
		if m.Table != r.Table || m.Seat != body.Seat || m.Parent != s.Before.Head() && !s.Before.IsBeside(m.Parent) {
			continue
		}
		k, since, ok := r.holderInTime(s, &body, m)
		if ok && wouldCount(s.Before, m) {
			return &ReopenedClaim{Keeper: k.Name, Since: time.Unix(since, 0).UTC(), Entry: m.Entry}
		}
	}
	return nil
}

// holderInTime finds a keeper of the table, which the policy names with its key for lines, that had the
// message in time.
func (r *Report) holderInTime(s replay.Step, b *wire.TimeoutBody, m keeper.Message) (k tlog.PolicyCosigner, since int64, ok bool) {
	if r.policy == nil {
		return k, 0, false
	}
	for _, k := range r.policy.Cosigners {
		if k.Lines == nil || !slices.Contains(s.Before.Genesis().Clock.Keepers, k.Key.String()) {
			continue
		}
		for _, line := range m.Lines {
			at, err := keeper.VerifyHold(k.Lines.String(), line, m.Place, m.Entry)
			if err == nil && s.Before.IsInTime(b, s.Index, k.Key.String(), at, r.Marks) {
				return k, at, true
			}
		}
	}
	return k, 0, false
}

// wouldCount reports whether the table would have gone on with the message, or may have, which is not known of one behind a claim
// that lies beside the history.
func wouldCount(before *table.State, m keeper.Message) bool {
	e, err := wire.Parse(m.Parcel)
	if on := before.StateAfter(m.Parent); err == nil && on != nil {
		_, err = on.Apply(e, table.Facts{})
	}
	return err == nil
}

// settleReopened takes in an act by which those who may have decided on what was reopened: somebody who
// rules lets play go on, gives the seat to another or closes the table, or all seats agree.
func (r *Report) settleReopened(s replay.Step) {
	act := s.Entry.Act
	rules := s.Before.Genesis().IsRuledBy(act.By) && (act.Kind == wire.KindBack || act.Kind == wire.KindReseat || act.Kind == wire.KindClose)
	agreed := slices.ContainsFunc(s.After.EndingActs()[len(s.Before.EndingActs()):], table.EndingAct.IsAgreed)
	for _, e := range r.Endings {
		if o := e.Reopened; o != nil && o.Decided == nil && (rules || agreed) {
			o.Decided = &s.Index
		}
	}
}

// IsOpen reports whether a time-out is reopened and nobody has decided on it.
func (e Ending) IsOpen() bool { return e.Reopened != nil && e.Reopened.Decided == nil }

// HasOpenEnding reports whether the table has such a time-out.
func (r *Report) HasOpenEnding() bool { return slices.ContainsFunc(r.Endings, Ending.IsOpen) }

// WithoutOpen is what each seat gets without what is paid for time-outs that are reopened, and that
// nobody has decided on; nil if there is none. Deals that were undone stay so.
func (r *Report) WithoutOpen() []int {
	if !r.HasOpenEnding() || r.Sheet == nil {
		return nil
	}
	list := r.Sheet.Sums(len(r.Seats))
	for _, e := range r.Endings {
		for seat, n := range e.Points {
			if e.IsOpen() {
				list[seat] -= n
			}
		}
	}
	return list
}

// CheckHeld says why a file of held messages can change nothing: no keeper of the policy has
// signed a line of it.
func CheckHeld(m keeper.Message, p *tlog.Policy) error {
	for _, k := range p.Cosigners {
		for _, line := range m.Lines {
			if k.Lines == nil {
				continue
			}
			if _, err := keeper.VerifyHold(k.Lines.String(), line, m.Place, m.Entry); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("no keeper of the policy has signed that it held entry %s", m.Entry)
}
