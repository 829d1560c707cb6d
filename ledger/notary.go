package ledger

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// A notary promises heads and signs them, next to the commit of the store.
// From what is sent to work until the answer, the promise file is its own.
type notary struct {
	file   *promiseFile
	signer note.Signer
	also   []note.Signer
	work   chan headPromise
	signed chan notarizedHead // holds one
	done   chan struct{}
}

type notarizedHead struct {
	checkpoint tlog.Checkpoint
	err        error
}

// newNotary starts a goroutine, until stop. It is one for all batches because
// signing needs a deep stack, which a new goroutine would have to grow.
func newNotary(file *promiseFile, signer note.Signer, also []note.Signer) *notary {
	n := &notary{file: file, signer: signer, also: also, work: make(chan headPromise), signed: make(chan notarizedHead, 1), done: make(chan struct{})}
	go func() {
		defer close(n.done)
		for p := range n.work {
			c, err := n.notarize(p)
			n.signed <- notarizedHead{checkpoint: c, err: err}
		}
	}()
	return n
}

// stop ends the goroutine; what it was doing is done then, finished or not.
func (n *notary) stop() {
	close(n.work)
	<-n.done
}

// notarize makes a promise durable and then signs its next head.
func (n *notary) notarize(p headPromise) (tlog.Checkpoint, error) {
	if err := n.file.writePromise(p); err != nil {
		return tlog.Checkpoint{}, fmt.Errorf("promise: %w", err)
	}
	c, err := tlog.SignCheckpoint(p.next.size, p.next.root, n.signer, n.also...)
	return c, errors.Join(err, n.file.step.atStep("signed"))
}
