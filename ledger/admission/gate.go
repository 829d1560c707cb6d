package admission

import (
	"context"

	"github.com/pakli/pakli/protocol/wire"
)

// Gate says when proofs may be checked, which takes a processor. The caller, if
// it matters, is in the context.
type Gate interface {
	// Enter waits until w may be done, or says why it will not be. Leave must be
	// called once, when it is done, with what came out.
	Enter(ctx context.Context, w Work) (leave func(Outcome), err error)

	// Look says at once why w would be refused now, if that is known.
	Look(ctx context.Context, w Work) error
}

// Outcome says who pays for a check.
type Outcome int

// Outcomes. A seat must not pay for what others forge, and an honest one never signs
// what is wrong.
const (
	Unsigned Outcome = iota // the key named has perhaps not signed this
	Right                   // it has, and it holds
	Wrong                   // it has, and it does not hold
)

// Work is something to be checked.
type Work struct {
	Key   string    // verifier key of the seat or organiser that it says it is by; empty for a replay
	Table wire.Hash // of a message
	Bytes int       // with blobs; negative for a replay, which may be anything
}

// processors is a Gate for callers who do not compete.
type processors chan struct{}

func (p processors) Enter(ctx context.Context, _ Work) (leave func(Outcome), err error) {
	select {
	case p <- struct{}{}:
		return func(Outcome) { <-p }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (processors) Look(context.Context, Work) error { return nil }
