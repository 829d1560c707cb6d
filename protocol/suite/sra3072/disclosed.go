// Code generated from sra255/disclosed.go by go generate ./protocol/suite; DO NOT EDIT.

package sra3072

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/sra3072/lock"
	"github.com/pakli/pakli/protocol/transcript"
)

// Disclosed is the name of the suite that proves ownership alone, and has all else checked
// when the locks are disclosed.
const Disclosed = "sra3072-disclosed/v1"

type disclosed struct{ locks }

// NewDisclosed returns the suite whose locks are disclosed, to verify with.
func NewDisclosed() proof.Deferring { return &disclosed{newLocks()} }

func (*disclosed) Name() string { return Disclosed }

// Verify adds the equation of ownership to b. Of all else it checks the form.
func (s *disclosed) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	return s.verify(c, st, bytes, b, func(relation any, _ *group.Batch) error {
		if len(bytes) > 0 {
			return fmt.Errorf("a proof of %d bytes, where nothing is proved before the locks are disclosed", len(bytes))
		}
		return relation.(interface{ Check() error }).Check()
	})
}

// ParseLock reads the lock of key.
func (*disclosed) ParseLock(key proof.Key, b []byte) (proof.Lock, error) {
	var o own
	k := o.key(key)
	if o.err != nil {
		return nil, o.err
	}
	e, err := lock.ParseDisclosed(k, b)
	if err != nil {
		return nil, err
	}
	return opened{e}, nil
}

// opened is a lock that was disclosed, behind the seam.
type opened struct{ lock.Disclosed }

func (o opened) Shuffled(s proof.Shuffle, order []byte) error {
	relation, err := relationOf(s)
	if err != nil {
		return err
	}
	return o.Locked(relation.(lock.Shuffle), order)
}

func (o opened) Order(s proof.Shuffle) ([]byte, bool) {
	relation, err := relationOf(s)
	if err != nil {
		return nil, false
	}
	return o.Disclosed.Order(relation.(lock.Shuffle))
}

func (o opened) Revealed(s proof.Reveal) error {
	relation, err := relationOf(s)
	if err != nil {
		return err
	}
	return o.Unlocked(relation.(lock.Unlock))
}
