package proof

import (
	"errors"
	"fmt"
)

// ErrFalse is returned by a prover that is asked to prove what does not hold.
// An honest player never sends such a message.
var ErrFalse = errors.New("the statement does not hold")

// BatchError names the labels of a batch under which a check failed.
type BatchError struct{ Labels []uint64 } // ascending, at least one

func (e *BatchError) Error() string {
	return fmt.Sprintf("proof: proofs of entries %d do not verify", e.Labels)
}

// ErrWrong is wrapped by a verifier's error about a proof that has the right
// form, and does not hold. Of a proof that goes to a batch, the batch says so.
var ErrWrong = errors.New("the proof does not verify")
