package proof

import (
	"errors"
	"fmt"
)

// ErrFalse is returned by a prover that is asked to prove what does not hold.
// An honest player never sends such a message.
var ErrFalse = errors.New("the statement does not hold")

// BatchError names the smallest label of a batch under which a check failed.
type BatchError struct{ Label uint64 }

func (e *BatchError) Error() string {
	return fmt.Sprintf("proof: a proof of entry %d does not verify", e.Label)
}
