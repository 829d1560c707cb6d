package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/google/trillian"
	"github.com/google/trillian/extension"
	"github.com/google/trillian/log"
	"github.com/google/trillian/quota"
	"github.com/google/trillian/server"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/storage/postgresql"
	"github.com/google/trillian/types"
	"github.com/google/trillian/util/clock"
	formats "github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
	"google.golang.org/protobuf/types/known/durationpb"
)

// trillianLog is a tree in PostgreSQL. One goroutine appends everything that waits.
type trillianLog struct {
	rpc    *server.TrillianLogRPCServer
	passes *log.SequencerManager
	info   *log.OperationInfo
	tree   *trillian.Tree
	signer note.Signer
	size   int64
	queue  chan waitingEntry
}

type waitingEntry struct {
	entry []byte
	done  chan error
}

const trillianBatch = 4096

func openTrillian(ctx context.Context, o options) (addEntry, func() error, error) {
	db, err := postgresql.OpenDB(o.postgres)
	if err != nil {
		return nil, nil, err
	}
	r := extension.Registry{AdminStorage: postgresql.NewAdminStorage(db), LogStorage: postgresql.NewLogStorage(db, nil), QuotaManager: quota.Noop()}
	l := &trillianLog{
		rpc: server.NewTrillianLogRPCServer(r, clock.System), passes: log.NewSequencerManager(r, 0),
		info:  &log.OperationInfo{Registry: r, BatchSize: trillianBatch, TimeSource: clock.System},
		queue: make(chan waitingEntry, trillianBatch),
	}
	if l.signer, err = newSigner(); err != nil {
		return nil, nil, err
	}
	if l.tree, err = storage.CreateTree(ctx, r.AdminStorage, &trillian.Tree{
		TreeState: trillian.TreeState_ACTIVE, TreeType: trillian.TreeType_PREORDERED_LOG, MaxRootDuration: durationpb.New(0),
	}); err != nil {
		return nil, nil, err
	}
	if _, err := l.rpc.InitLog(ctx, &trillian.InitLogRequest{LogId: l.tree.TreeId}); err != nil {
		return nil, nil, err
	}
	go l.sequence(ctx)
	return l.addEntry, func() error { db.Close(); return nil }, nil
}

func (l *trillianLog) addEntry(_ context.Context, entry []byte) error {
	w := waitingEntry{bytes.Clone(entry), make(chan error, 1)}
	l.queue <- w
	return <-w.done
}

func (l *trillianLog) sequence(ctx context.Context) {
	for ctx.Err() == nil {
		var batch []waitingEntry
		select {
		case w := <-l.queue:
			batch = append(batch, w)
		case <-ctx.Done():
			return
		}
		for more := true; more && len(batch) < trillianBatch; {
			select {
			case w := <-l.queue:
				batch = append(batch, w)
			default:
				more = false
			}
		}
		err := l.append(ctx, batch)
		for _, w := range batch {
			w.done <- err
		}
	}
}

// append adds a batch, integrates it and signs.
func (l *trillianLog) append(ctx context.Context, batch []waitingEntry) error {
	request := &trillian.AddSequencedLeavesRequest{LogId: l.tree.TreeId}
	for i, w := range batch {
		request.Leaves = append(request.Leaves, &trillian.LogLeaf{LeafIndex: l.size + int64(i), LeafValue: w.entry})
	}
	if _, err := l.rpc.AddSequencedLeaves(ctx, request); err != nil {
		return err
	}
	n, err := l.passes.ExecutePass(ctx, l.tree.TreeId, l.info)
	if err != nil || n != len(batch) {
		return fmt.Errorf("sequenced %d of %d: %w", n, len(batch), err)
	}
	l.size += int64(n)
	return l.sign(ctx)
}

func (l *trillianLog) sign(ctx context.Context) error {
	answer, err := l.rpc.GetLatestSignedLogRoot(ctx, &trillian.GetLatestSignedLogRootRequest{LogId: l.tree.TreeId})
	if err != nil {
		return err
	}
	var root types.LogRootV1
	if err := root.UnmarshalBinary(answer.SignedLogRoot.LogRoot); err != nil {
		return err
	}
	c := formats.Checkpoint{Origin: l.signer.Name(), Size: root.TreeSize, Hash: root.RootHash}
	_, err = note.Sign(&note.Note{Text: string(c.Marshal())}, l.signer)
	return err
}
