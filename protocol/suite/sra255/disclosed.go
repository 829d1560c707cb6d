package sra255

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/sra255/lock"
	"github.com/pakli/pakli/protocol/transcript"
)

// Disclosed is the name of the suite that proves ownership alone, and has all else checked
// when the locks are disclosed.
const Disclosed = "sra255-disclosed/v1"

type disclosedSuite struct{ locks }

// NewDisclosed returns the suite whose locks are disclosed, to verify with.
func NewDisclosed() proof.DeferringSuite { return &disclosedSuite{newLocks()} }

func (*disclosedSuite) Name() string { return Disclosed }

// Verify adds the equation of ownership to b. Of all else it checks the form.
func (s *disclosedSuite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	return s.verifyRelation(c, st, bytes, b, func(relation any, _ *group.Batch) error {
		if len(bytes) > 0 {
			return fmt.Errorf("a proof of %d bytes, where nothing is proved before the locks are disclosed", len(bytes))
		}
		return relation.(interface{ Check() error }).Check()
	})
}

// ParseLock reads the lock of key.
func (*disclosedSuite) ParseLock(key proof.Key, b []byte) (proof.Lock, error) {
	var o ownValues
	k := o.asKey(key)
	if o.err != nil {
		return nil, o.err
	}
	e, err := lock.ParseDisclosure(k, b)
	if err != nil {
		return nil, err
	}
	return disclosedLock{e}, nil
}

// disclosedLock is a lock that was disclosed, behind the seam.
type disclosedLock struct{ lock.Disclosure }

func (o disclosedLock) CheckShuffle(s proof.Shuffle, order []byte) error {
	relation, err := relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckLocked(relation.(lock.Shuffle), order)
}

func (o disclosedLock) FindOrder(s proof.Shuffle) ([]byte, bool) {
	relation, err := relationOf(s)
	if err != nil {
		return nil, false
	}
	return o.Disclosure.FindOrder(relation.(lock.Shuffle))
}

func (o disclosedLock) CheckReveal(s proof.Reveal) error {
	relation, err := relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckUnlocked(relation.(lock.Unlock))
}
