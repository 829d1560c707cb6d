package admission

import "context"

// Gate says when proofs may be checked, which takes a processor. The caller, if
// it matters, is in the context.
type Gate interface {
	// Enter waits until w may be done, or says why it will not be. Leave must be
	// called once, when it is done, and tells whether w was in truth signed by
	// the key that it names: nobody must pay for what others forge.
	Enter(ctx context.Context, w Work) (leave func(signed bool), err error)
}

// Work is something to be checked.
type Work struct {
	Key   string // verifier key of the seat or organiser that it says it is by; empty for a replay
	Bytes int    // with blobs; negative for a replay, which may be anything
}

// processors is a Gate for callers who do not compete.
type processors chan struct{}

func (p processors) Enter(ctx context.Context, _ Work) (leave func(signed bool), err error) {
	select {
	case p <- struct{}{}:
		return func(bool) { <-p }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
