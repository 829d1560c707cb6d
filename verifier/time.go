package verifier

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
)

// Degree is what a time-out rests on (docs/spec/52-time.md, 52.6).
type Degree string

// Degrees, from the least.
const (
	// Unattested: too few of its keepers are cosigners of the policy. For all that the
	// verifier knows, they are the log's operator.
	Unattested Degree = "unattested"
	// Attested: keepers of the policy alone are the quorum, and prove the time.
	Attested Degree = "attested"
)

// degree says what a time-out that was applied rests on, and the keepers.
func (r *Report) degree(s replay.Step) (Degree, []string) {
	var body wire.TimeoutBody
	if wire.DecodeAct(s.Entry.Act.Body, &body) != nil {
		panic("verifier: a claim that was applied has no body of one")
	}
	all := s.Before.Genesis().Clock.Keepers
	names := map[string]string{}
	if r.policy != nil {
		for _, c := range r.policy.Cosigners {
			names[c.Key.String()] = c.Name
		}
	}
	known := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return names[k] == "" })
	if len(known) == 0 || s.Before.Late(&body, s.Index, known, r.Marks) != nil {
		return Unattested, r.keepers(&body, all, names)
	}
	return Attested, r.keepers(&body, known, names)
}

// keepers names those of the keepers that have signed the last marks of a claim: as the policy
// does, or as their keys do.
func (r *Report) keepers(b *wire.TimeoutBody, keepers []string, names map[string]string) (list []string) {
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

// attested says why a table cannot be checked if its time-outs must be of a degree.
func (r *Report) attested(want Degree) error {
	if want != Attested {
		return nil
	}
	for _, e := range r.Endings {
		if e.Degree == Unattested {
			return fmt.Errorf("entry %d: by the clocks of %s seat %s was late, and too few of them are cosigners of the policy", e.Index, strings.Join(e.Keepers, ", "), e.Seat.Letter())
		}
	}
	return nil
}
