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

// ReopenedClaim says that a keeper held in time the message of a seat that was timed out. Whether the
// seat was late is open until somebody rules or the seats agree (docs/spec/52-time.md, 52.8). It
// convicts nobody: the log may have been out of reach.
type ReopenedClaim struct {
	Keeper string    `json:"keeper"` // name in the policy
	Since  time.Time `json:"since"`  // by the keeper's clock
	Entry  wire.Hash `json:"entry"`  // the message

	Decided *uint64 `json:"decided,omitempty"` // the later act of a ruler, or of all seats
}

// reopenedBy returns the claim that a file of held messages reopens a time-out, or nil.
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

// holderInTime returns a keeper of the table that had the message in time, and since when. The policy
// must name the keeper with its key for lines.
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

// wouldCount reports whether the table would have gone on with the message. It assumes so for a
// message behind a claim beside the history, where this is not known.
func wouldCount(before *table.State, m keeper.Message) bool {
	e, err := wire.Parse(m.Parcel)
	if on := before.StateAfter(m.Parent); err == nil && on != nil {
		_, err = on.Apply(e, table.Facts{})
	}
	return err == nil
}

// settleReopened records an act that decides what was reopened: a ruler lets play go on, gives the
// seat to another or closes the table, or all seats agree.
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

// HasOpenEnding reports whether the table has a time-out that is reopened and undecided.
func (r *Report) HasOpenEnding() bool { return slices.ContainsFunc(r.Endings, Ending.IsOpen) }

// WithoutOpen returns the payments of each seat without those for reopened and undecided time-outs,
// or nil if there are none. Deals that were undone stay so.
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

// CheckHeld returns an error if a file of held messages can change nothing, because no keeper of the
// policy has signed a line of it.
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
