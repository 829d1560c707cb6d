package verifier

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
)

// CheckForks looks for two checkpoints that cannot both be true, whatever the
// source shows. That needs no entries: one size, two roots, both signed by the
// log.
func CheckForks(signed []tlog.Checkpoint, p *tlog.Policy) error {
	for i, a := range signed {
		if a.Origin != signed[0].Origin {
			return fmt.Errorf("a checkpoint to be believed is of the log %q, and the table in %q", a.Origin, signed[0].Origin)
		}
		for _, b := range signed[:i] {
			if err := Fork(b, a, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Fork is tlog.Fork, and says who of a policy has seen either checkpoint.
func Fork(a, b tlog.Checkpoint, p *tlog.Policy) error {
	if err := tlog.Fork(a, b); err != nil {
		return fmt.Errorf("%w%s%s", err, seenBy(a, p), seenBy(b, p))
	}
	return nil
}

// seenBy names the cosigners of a checkpoint that is evidence.
func seenBy(c tlog.Checkpoint, p *tlog.Policy) string {
	if p == nil {
		return ""
	}
	seen, err := p.Cosignatures(c)
	if err != nil || len(seen) == 0 {
		return fmt.Sprintf("; no cosigner has seen the root %v", c.Root)
	}
	return fmt.Sprintf("; the root %v was seen by %s", c.Root, names(seen))
}

func names(seen []tlog.Cosignature) string {
	var list []string
	for _, s := range seen {
		list = append(list, s.Cosigner)
	}
	return strings.Join(list, ", ")
}

// CheckCosigners notes who has seen the checkpoint, and wants a quorum. It comes
// after the tree: what breaks the log's word is to be told, whoever has cosigned.
func (r *Report) CheckCosigners(c tlog.Checkpoint, p *tlog.Policy) error {
	if p == nil {
		return nil
	}
	seen, err := p.Cosignatures(c)
	if err != nil {
		return err
	}
	r.Cosigned = seen
	if !p.Satisfied(seen) {
		by := names(seen)
		if by == "" {
			by = "nobody"
		}
		return errors.New("the policy is not satisfied: of its cosigners the checkpoint was seen by " + by)
	}
	r.Pass(CheckCosigners)
	return nil
}
