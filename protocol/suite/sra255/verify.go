package sra255

import (
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/sra255/lock"
	"github.com/pakli/pakli/protocol/transcript"
)

// Name is the name of the suite that proves every step.
const Name = "sra255-bayergroth/v1"

type suite struct{ locks }

// New returns the suite that proves every step, to verify with.
func New() proof.Suite { return &suite{newLocks()} }

func (*suite) Name() string { return Name }

// Verify adds the equations of all relations to b.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	return s.verifyRelation(c, st, bytes, b, func(relation any, to *group.Batch) error {
		if r, ok := relation.(lock.Shuffle); ok {
			return r.Verify(c, bytes, to)
		}
		return relation.(lock.Unlock).Verify(c, bytes, to)
	})
}
