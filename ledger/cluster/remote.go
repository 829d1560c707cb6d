package cluster

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/types"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// Time-outs of calls, and the times after which another server is asked as well.
const (
	remoteCallTime = 2 * time.Second
	headAfter      = 300 * time.Millisecond
	writeAfter     = 600 * time.Millisecond // a commit of a busy database takes its time
)

// maxMessage bounds a message. Log servers have the same bound (max_msg_size_bytes).
const maxMessage = 8 << 20

// Tree is a tree of a Trillian cluster.
type Tree struct {
	id      int64
	readers *Peers[*server]
	writers *Peers[*server]
	piece   atomic.Int64 // how many leaves one call asks for
	stamped atomic.Int64 // time of the newest root, in nanoseconds since 1970
}

var _ ledger.Order = (*Tree)(nil)

type server struct {
	address    string
	connection *grpc.ClientConn
	log        trillian.TrillianLogClient
	admin      trillian.TrillianAdminClient
}

// Servers are the log servers of a cluster.
type Servers struct {
	Addresses []string    // host:port
	TLS       *tls.Config // nil: connections are not encrypted
}

// OpenTree returns a tree by its id. It connects on the first call.
func OpenTree(id int64, at Servers) (*Tree, error) {
	t := &Tree{id: id}
	t.piece.Store(maxPiece)
	var servers []*server
	for _, a := range at.Addresses {
		s, err := dialServer(strings.TrimSpace(a), at.TLS)
		if err != nil {
			return nil, errors.Join(err, closeRemoteAll(servers))
		}
		servers = append(servers, s)
	}
	if len(servers) == 0 {
		return nil, errors.New("no log server is named")
	}
	t.readers = NewPeers(headAfter, remoteCallTime, servers...)
	t.writers = NewPeers(writeAfter, remoteCallTime, servers...)
	return t, nil
}

func dialServer(address string, security *tls.Config) (*server, error) {
	transport := insecure.NewCredentials()
	if security != nil {
		transport = credentials.NewTLS(security)
	}
	c, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 300 * time.Millisecond},
			MinConnectTimeout: time.Second,
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		return nil, fmt.Errorf("log server %s: %w", address, err)
	}
	return &server{address: address, connection: c, log: trillian.NewTrillianLogClient(c), admin: trillian.NewTrillianAdminClient(c)}, nil
}

// Close ends the connections.
func (t *Tree) Close() error { return closeRemoteAll(t.readers.Members()) }

func closeRemoteAll(list []*server) error {
	var errs []error
	for _, s := range list {
		errs = append(errs, s.connection.Close())
	}
	return errors.Join(errs...)
}

// withServer adds the server's address to its error.
func withServer(s *server, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.address, err)
}

// Queue implements ledger.Order.
func (t *Tree) Queue(ctx context.Context, entry []byte, blobs [][]byte) error {
	if err := tlog.CheckSize(entry); err != nil {
		return err
	}
	hash := tlog.LeafHash(entry)
	leaf := &trillian.LogLeaf{LeafValue: entry, ExtraData: packBlobs(blobs), LeafIdentityHash: hash[:]}
	if len(entry)+len(leaf.ExtraData) > maxMessage-1<<10 {
		return fmt.Errorf("%w: with its blobs it has %d bytes", tlog.ErrTooLarge, len(entry)+len(leaf.ExtraData))
	}
	t.writers.Rotate() // spread the work: every server has processors
	_, err := AskPeers(ctx, t.writers, nil, func(ctx context.Context, s *server) (*trillian.QueueLeafResponse, error) {
		r, err := s.log.QueueLeaf(ctx, &trillian.QueueLeafRequest{LogId: t.id, Leaf: leaf})
		return r, withServer(s, err)
	})
	return refusalOf(err)
}

// refusalOf returns the meaning of an error of Queue. A tree that takes nothing now, because of a
// quota or because it is frozen, has not taken the entry.
func refusalOf(err error) error {
	switch {
	case err == nil || status.Code(err) == codes.AlreadyExists:
		return nil
	case status.Code(err) == codes.PermissionDenied:
		return fmt.Errorf("%w: the tree is frozen: %w", ErrFrozen, err)
	}
	return err
}

// ErrFrozen says that the log was closed and takes no more entries. It is of class
// tlog.ErrReadOnly.
var ErrFrozen error = frozenError{}

type frozenError struct{}

func (frozenError) Error() string { return "the log is closed" }

func (frozenError) Unwrap() error { return tlog.ErrReadOnly }

// Head implements ledger.Order.
func (t *Tree) Head(ctx context.Context) (uint64, tlog.Hash, error) {
	r, err := AskPeers(ctx, t.readers, nil, func(ctx context.Context, s *server) (*trillian.GetLatestSignedLogRootResponse, error) {
		r, err := s.log.GetLatestSignedLogRoot(ctx, &trillian.GetLatestSignedLogRootRequest{LogId: t.id})
		return r, withServer(s, err)
	})
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	var root types.LogRootV1
	if err := root.UnmarshalBinary(r.GetSignedLogRoot().GetLogRoot()); err != nil {
		return 0, tlog.Hash{}, fmt.Errorf("root of tree %d: %w", t.id, err)
	}
	if len(root.RootHash) != len(tlog.Hash{}) || root.TreeSize > 1<<62 {
		return 0, tlog.Hash{}, fmt.Errorf("root of tree %d: %d bytes at size %d", t.id, len(root.RootHash), root.TreeSize)
	}
	t.stamped.Store(int64(root.TimestampNanos))
	return root.TreeSize, tlog.Hash(root.RootHash), nil
}

// RootTime returns when the newest root was made, by the clock of its signer, or zero if none was
// seen.
func (t *Tree) RootTime() time.Time {
	if at := t.stamped.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// maxPiece is the largest number of leaves in one call.
const maxPiece = 256

// Leaves implements ledger.Order. It yields one piece at most. If the leaves do not fit into a
// message, the next call asks for half as many.
func (t *Tree) Leaves(ctx context.Context, start, end uint64) iter.Seq2[ledger.Leaf, error] {
	return func(yield func(ledger.Leaf, error) bool) {
		leaves, err := t.readLeaves(ctx, start, end)
		if err != nil {
			yield(ledger.Leaf{}, err)
			return
		}
		for i, l := range leaves {
			leaf, err := unpackLeaf(l, start+uint64(i))
			if !yield(leaf, err) || err != nil {
				return
			}
		}
	}
}

// readLeaves reads leaves from start on, possibly not all up to end.
func (t *Tree) readLeaves(ctx context.Context, start, end uint64) ([]*trillian.LogLeaf, error) {
	for {
		count := min(int64(end-start), t.piece.Load())
		r, err := AskPeers(ctx, t.readers, tooMuch, func(ctx context.Context, s *server) (*trillian.GetLeavesByRangeResponse, error) {
			r, err := s.log.GetLeavesByRange(ctx, &trillian.GetLeavesByRangeRequest{LogId: t.id, StartIndex: int64(start), Count: count})
			return r, withServer(s, err)
		})
		if err == nil {
			t.piece.Store(min(2*t.piece.Load(), maxPiece))
			return r.GetLeaves()[:min(len(r.GetLeaves()), int(count))], nil
		}
		if !tooMuch(err) || count == 1 {
			return nil, err
		}
		t.piece.Store(max(count/2, 1))
	}
}

func tooMuch(err error) bool { return status.Code(err) == codes.ResourceExhausted }

// unpackLeaf reads a leaf and checks its index.
func unpackLeaf(l *trillian.LogLeaf, index uint64) (ledger.Leaf, error) {
	if l.GetLeafIndex() != int64(index) {
		return ledger.Leaf{}, fmt.Errorf("the leaf at %d was shown as the one at %d", l.GetLeafIndex(), index)
	}
	blobs, err := unpackBlobs(l.GetExtraData())
	if err != nil {
		return ledger.Leaf{}, fmt.Errorf("leaf %d: %w", index, err)
	}
	return ledger.Leaf{Entry: l.GetLeafValue(), Blobs: blobs}, nil
}

func packBlobs(blobs [][]byte) (data []byte) {
	for _, b := range blobs {
		data = append(binary.BigEndian.AppendUint32(data, uint32(len(b))), b...)
	}
	return data
}

func unpackBlobs(data []byte) (blobs [][]byte, err error) {
	for len(data) > 0 {
		if len(data) < 4 {
			return nil, errors.New("its blobs end early")
		}
		n := uint64(binary.BigEndian.Uint32(data))
		data = data[4:]
		if n > tlog.MaxBlob || n > uint64(len(data)) {
			return nil, fmt.Errorf("a blob of %d bytes, of which %d are there", n, len(data))
		}
		blobs, data = append(blobs, data[:n:n]), data[n:]
	}
	return blobs, nil
}
