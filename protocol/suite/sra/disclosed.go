package sra

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Disclosed and Disclosed3072 are the names of the suites that prove ownership alone, and have all
// else checked when the locks are disclosed: over ristretto255, and over squares.
const (
	Disclosed     = "sra255-disclosed/v1"
	Disclosed3072 = "sra3072-disclosed/v1"
)

type disclosedSuite struct{ locks }

// NewDisclosed returns the suite over g whose locks are disclosed, to verify with.
func NewDisclosed(name string, g *group.Group) proof.DeferringSuite {
	return &disclosedSuite{newLocks(name, g)}
}

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
func (s *disclosedSuite) ParseLock(key proof.Key, b []byte) (proof.Lock, error) {
	o := ownValues{group: s.group}
	k := o.asKey(key)
	if o.err != nil {
		return nil, o.err
	}
	e, err := ParseDisclosure(k, b)
	if err != nil {
		return nil, err
	}
	return disclosedLock{s.locks, e}, nil
}

// disclosedLock is a lock that was disclosed, behind the seam.
type disclosedLock struct {
	suite locks
	Disclosure
}

func (o disclosedLock) CheckShuffle(s proof.Shuffle, order []byte) error {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckLocked(relation.(Shuffle), order)
}

func (o disclosedLock) FindOrder(s proof.Shuffle) ([]byte, bool) {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return nil, false
	}
	return o.Disclosure.FindOrder(relation.(Shuffle))
}

func (o disclosedLock) CheckReveal(s proof.Reveal) error {
	relation, err := o.suite.relationOf(s)
	if err != nil {
		return err
	}
	return o.CheckUnlocked(relation.(Unlock))
}
