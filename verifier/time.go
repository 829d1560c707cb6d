package verifier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Degree says how well a time-out is proved (docs/spec/52-time.md, 52.6).
type Degree string

// Degrees, from the weakest.
const (
	// Unattested: too few of the keepers are cosigners of the policy. The others may be the log's
	// operator.
	Unattested Degree = "unattested"
	// Attested: keepers of the policy alone are the quorum and prove the time.
	Attested Degree = "attested"
	// Silent: these keepers have also signed, with keys that the policy names, that they hold no
	// message of the seat.
	Silent Degree = "silent"
)

// degrees lists all degrees, from the weakest.
var degrees = []Degree{Unattested, Attested, Silent}

// ParseDegree reads the least degree that time-outs must have: attested or silent.
func ParseDegree(s string) (Degree, error) {
	if d := Degree(s); slices.Index(degrees, d) > 0 {
		return d, nil
	}
	return "", fmt.Errorf("want %s or %s", Attested, Silent)
}

// degreeOf returns the degree of an applied time-out and the names of its keepers.
func (r *Report) degreeOf(s replay.Step) (Degree, []string) {
	body := claimOf(s)
	all := s.Before.Keepers()
	names := map[string]string{}
	if r.policy != nil {
		for _, c := range r.policy.Cosigners {
			names[c.Key.String()] = c.Name
		}
	}
	believed := func(k table.Keepers) bool {
		return len(k.Keys) > 0 && s.Before.CheckLate(&body, s.Index, k, r.Marks) == nil
	}
	known, speaking := r.knownKeepers(all)
	switch {
	case len(speaking.Lines) > 0 && believed(speaking):
		return Silent, r.keeperNames(&body, speaking.Keys, names)
	case believed(known):
		return Attested, r.keeperNames(&body, known.Keys, names)
	}
	return Unattested, r.keeperNames(&body, all.Keys, names)
}

func claimOf(s replay.Step) (body wire.TimeoutBody) {
	if wire.DecodeAct(s.Entry.Act.Body, &body) != nil {
		panic("verifier: a claim that was applied has no body of one")
	}
	return body
}

// knownKeepers returns the keepers that are cosigners of the policy, and those of them for which the
// policy also names a key for lines.
func (r *Report) knownKeepers(all table.Keepers) (known, speaking table.Keepers) {
	if r.policy == nil {
		return known, speaking
	}
	for i, key := range all.Keys {
		c := slices.IndexFunc(r.policy.Cosigners, func(c tlog.PolicyCosigner) bool { return c.Key.String() == key })
		if c < 0 {
			continue
		}
		known.Keys = append(known.Keys, key)
		if line := r.policy.Cosigners[c].Lines; line != nil && i < len(all.Lines) && line.String() == all.Lines[i] {
			speaking.Keys, speaking.Lines = append(speaking.Keys, key), append(speaking.Lines, all.Lines[i])
		}
	}
	return known, speaking
}

// keeperNames returns the names of the keepers that have signed the last marks of a claim: from the
// policy, or else from their keys.
func (r *Report) keeperNames(b *wire.TimeoutBody, keepers []string, names map[string]string) (list []string) {
	to, err := r.Marks(b.Spans[len(b.Spans)-1].To)
	if err != nil {
		return nil
	}
	for _, k := range keepers {
		name := names[k]
		if name == "" {
			name, _, _ = strings.Cut(k, "+")
		}
		if _, signed := to.Time(k); signed {
			list = append(list, name)
		}
	}
	return list
}

// checkDegree returns an error if a time-out of the table has a weaker degree than wanted.
func (r *Report) checkDegree(want Degree) error {
	for _, e := range r.Endings {
		if e.Degree == "" || slices.Index(degrees, e.Degree) >= slices.Index(degrees, want) {
			continue
		}
		why := "too few of them are cosigners of the policy"
		if e.Degree == Attested {
			why = "too few keepers that the policy names have said that they hold no message of the seat"
		}
		return fmt.Errorf("entry %d: by the clocks of %s seat %s was late, and %s", e.Index, strings.Join(e.Keepers, ", "), e.Seat.Letter(), why)
	}
	return nil
}
