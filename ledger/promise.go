package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// The promise file remembers, outside the store, what the log has promised: so
// that a store which has lost entries (an old backup, a disk that lied) is
// noticed before the log signs a second history.
//
// It says two things: the head that was committed last ("kept"), and the one
// that is about to be committed and published ("next"). A batch goes
//
//	store:   commit                                     \
//	notary:  write promise{kept: last head, next: new head}, then sign  / at the same time
//	then:    note in the file, without a sync, that next is kept; publish
//
// So every checkpoint that ever left the process is at most the file's next,
// and everything up to kept has been in the store, synced. On opening:
//
//	store before kept, or with another root there    → refuse: entries are lost
//	store at kept, next not there                    → the batch was not committed, its checkpoint not published
//	store at next or beyond, with next's root        → fine; sign again, with the same result
//	store at next or beyond, with another root       → refuse: a fork
//
// The obvious alternative is a file with the last signed checkpoint, written
// between commit and publishing. It adds its sync to that of every batch, where
// this one takes place next to it. A signature that was made while the commit
// failed dies with the process.
//
// The price: when the store loses exactly the batch that it was the last to
// report as synced, that would pass for a crash before the commit. So it is noted
// before anybody is answered that next is kept, which a kill of the process does not lose; and when
// the log is idle for a moment, and when it is closed, kept is moved to next and synced. What is left
// is a machine that loses its power within that moment, and the end of the store with it.
//
// The file has two slots, written in turn. It has its full size from the
// beginning and is overwritten in place: fdatasync then writes one block, and no
// metadata of the file system. A slot has a sequence number and a checksum; a
// torn write leaves the other slot, whose next is then known to be kept, because
// no write begins before the last batch is done. After a crash it may never be:
// then the first write replaces the promise that was never kept; see overwriteLast.
type promiseFile struct {
	f      *os.File
	origin string
	seq    uint64
	last   headPromise
	record []byte // that says so
	step   stepHook
}

type headPromise struct{ kept, next head }

// A head is a tree: its size and root.
type head struct {
	size uint64
	root tlog.Hash
}

const (
	promiseMagic = "pakli promise v1"
	slotSize     = 4096 // a block of the file system, so that no write touches both slots
	recordSize   = len(promiseMagic) + 8 + 2*(8+32) + sha256.Size
	keptOffset   = slotSize / 2 // of the note that next is kept: in another sector than the record, which it leaves whole
)

// createPromise writes a new promise file for an empty log.
func createPromise(path, origin string) error {
	empty := head{size: 0, root: tlog.EmptyRoot()}
	b := make([]byte, 2*slotSize)
	copy(b, encodePromise(origin, 0, headPromise{kept: empty, next: empty}))
	copy(b[slotSize:], encodePromise(origin, 1, headPromise{kept: empty, next: empty}))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}

// openPromise opens the promise file of the log called origin.
func openPromise(path, origin string) (*promiseFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("without its promise file the log cannot know what it has signed: %w", err)
	}
	p := &promiseFile{f: f, origin: origin}
	if err := p.load(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

func (p *promiseFile) load() error {
	b := make([]byte, 2*slotSize)
	if _, err := p.f.ReadAt(b, 0); err != nil {
		return fmt.Errorf("%s: %w", p.f.Name(), err)
	}
	if !p.chooseSlot(b[:slotSize], b[slotSize:]) {
		return fmt.Errorf("%s is damaged, or of another log than %q", p.f.Name(), p.origin)
	}
	return nil
}

// PromisedTree returns the largest tree that the log called origin, in dir, may have
// published a checkpoint of. It needs nothing but the promise file.
func PromisedTree(dir, origin string) (size uint64, root tlog.Hash, err error) {
	f, err := os.Open(filepath.Join(dir, promiseName))
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	defer f.Close()
	p := &promiseFile{f: f, origin: origin}
	if err := p.load(); err != nil {
		return 0, tlog.Hash{}, err
	}
	return p.last.next.size, p.last.next.root, nil
}

// chooseSlot takes the newer of two slots, or the one that is undamaged.
func (p *promiseFile) chooseSlot(a, b []byte) bool {
	seqA, promiseA, okA := decodePromise(p.origin, a)
	seqB, promiseB, okB := decodePromise(p.origin, b)
	switch {
	case okA && okB && seqA > seqB:
		p.seq, p.last = seqA, promiseA
	case okA && okB:
		p.seq, p.last = seqB, promiseB
	case okA:
		p.seq, p.last = seqA, headPromise{kept: promiseA.next, next: promiseA.next}
	case okB:
		p.seq, p.last = seqB, headPromise{kept: promiseB.next, next: promiseB.next}
	}
	return okA || okB
}

// writePromise makes a promise durable.
func (p *promiseFile) writePromise(pr headPromise) error {
	p.seq++
	p.last = pr
	offset := int64(p.seq%2) * slotSize
	if err := p.step.atStep("promise"); err != nil {
		return err
	}
	p.record = encodePromise(p.origin, p.seq, pr)
	if _, err := p.f.WriteAt(p.record, offset); err != nil {
		return err
	}
	if err := p.step.atStep("promise written"); err != nil {
		return err
	}
	return errors.Join(syncData(p.f), p.step.atStep("promised"))
}

// noteKept notes that what was promised last is kept. It is written and not synced.
func (p *promiseFile) noteKept() error {
	note := keptNote(p.record)
	_, err := p.f.WriteAt(note[:], int64(p.seq%2)*slotSize+keptOffset)
	return err
}

// keptNote says of a record, and of no other, that its next is kept.
func keptNote(record []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte("kept "), record...))
}

// overwriteLast makes the next write go over the last one, whose next is not in the
// store and will not be. If that write is torn, the slot before is left, and its
// next is in the store.
func (p *promiseFile) overwriteLast() { p.seq++ }

func (p *promiseFile) close() error { return p.f.Close() }

// encodePromise returns
//
//	magic | seq | kept size | kept root | next size | next root | SHA-256(origin | 0 | all before)
func encodePromise(origin string, seq uint64, p headPromise) []byte {
	b := append(make([]byte, 0, recordSize), promiseMagic...)
	b = binary.BigEndian.AppendUint64(b, seq)
	for _, h := range []head{p.kept, p.next} {
		b = binary.BigEndian.AppendUint64(b, h.size)
		b = append(b, h.root[:]...)
	}
	sum := promiseSum(origin, b)
	return append(b, sum[:]...)
}

// decodePromise reads a slot.
func decodePromise(origin string, b []byte) (seq uint64, p headPromise, ok bool) {
	body, sum := b[:recordSize-sha256.Size], b[recordSize-sha256.Size:recordSize]
	want := promiseSum(origin, body)
	if !bytes.HasPrefix(body, []byte(promiseMagic)) || !bytes.Equal(sum, want[:]) {
		return 0, headPromise{}, false
	}
	body = body[len(promiseMagic):]
	seq, body = binary.BigEndian.Uint64(body), body[8:]
	p.kept = head{size: binary.BigEndian.Uint64(body), root: tlog.Hash(body[8:40])}
	p.next = head{size: binary.BigEndian.Uint64(body[40:]), root: tlog.Hash(body[48:80])}
	if note := keptNote(b[:recordSize]); bytes.Equal(b[keptOffset:keptOffset+sha256.Size], note[:]) {
		p.kept = p.next
	}
	return seq, p, true
}

func promiseSum(origin string, body []byte) [sha256.Size]byte {
	return sha256.Sum256(append(append([]byte(origin), 0), body...))
}

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
