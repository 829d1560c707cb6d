package ledger

import "github.com/pakli/pakli/ledger/tlog"

// Head, WritePromise and VerifyRoot are inner doors for tests.
type Head struct {
	Size uint64
	Root tlog.Hash
}

// WritePromise writes a promise into the file of a closed log.
func WritePromise(path, origin string, kept, next Head) error {
	p, err := openPromise(path, origin)
	if err != nil {
		return err
	}
	defer p.close()
	return p.write(promise{kept: head{kept.Size, kept.Root}, next: head{next.Size, next.Root}})
}

// VerifyRoot is the check before signing: entries are added to a tree and the
// result is compared with the sequencer's.
func VerifyRoot(t *tlog.Tree, entries [][]byte, size uint64, root []byte) error {
	_, err := verifyRoot(t, entries, size, root)
	return err
}

// KeepFew makes a log remember few of the entries it has added.
func (l *Ledger) KeepFew() { l.engine.maxRecent = 8 }
