// Package clustertest is a Trillian log server in memory, for tests. It has one tree, which takes
// every leaf once and integrates it at once or on demand. Trillian's own storage in memory is no
// substitute, since it takes the same leaf twice.
package clustertest

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/types"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pakli/pakli/ledger/tlog"
)

// Server is a log server.
type Server struct {
	trillian.UnimplementedTrillianLogServer
	trillian.UnimplementedTrillianAdminServer

	// Fault, unless nil, is called with the name of each call before it; its error is the answer.
	Fault func(call string) error

	mu     sync.Mutex
	tree   *trillian.Tree
	leaves []*trillian.LogLeaf
	known  map[string]*trillian.LogLeaf
	hashes tlog.Tree
}

// TreeID is the id of the server's tree.
const TreeID = 4711

// New returns a server without a tree.
func New() *Server { return &Server{known: map[string]*trillian.LogLeaf{}} }

// Start serves at an address of this machine until the test is over. It may be called several
// times.
func (s *Server) Start(t testing.TB) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := s.Serve(l)
	t.Cleanup(g.Stop)
	return l.Addr().String(), g.Stop
}

// Serve serves at a listener until the returned server is stopped.
func (s *Server) Serve(l net.Listener) *grpc.Server {
	g := grpc.NewServer(grpc.MaxRecvMsgSize(8<<20), grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if s.Fault != nil {
			if err := s.Fault(info.FullMethod); err != nil {
				return nil, err
			}
		}
		return next(ctx, req)
	}))
	trillian.RegisterTrillianLogServer(g, s)
	trillian.RegisterTrillianAdminServer(g, s)
	go func() { _ = g.Serve(l) }()
	return g
}

// CreateTree implements trillian.TrillianAdminServer.
func (s *Server) CreateTree(_ context.Context, r *trillian.CreateTreeRequest) (*trillian.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree != nil {
		return nil, status.Error(codes.ResourceExhausted, "one tree is all there is")
	}
	s.tree = r.GetTree()
	s.tree.TreeId = TreeID
	return s.tree, nil
}

// GetTree implements trillian.TrillianAdminServer.
func (s *Server) GetTree(_ context.Context, r *trillian.GetTreeRequest) (*trillian.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree == nil || r.GetTreeId() != TreeID {
		return nil, status.Error(codes.NotFound, "no such tree")
	}
	return s.tree, nil
}

// UpdateTree implements trillian.TrillianAdminServer. Like Trillian, it changes one field at a
// time, and the type of a frozen tree only.
func (s *Server) UpdateTree(_ context.Context, r *trillian.UpdateTreeRequest) (*trillian.Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, field := range r.GetUpdateMask().GetPaths() {
		switch {
		case field == "tree_state":
			s.tree.TreeState = r.GetTree().GetTreeState()
		case field == "tree_type" && s.tree.TreeState == trillian.TreeState_FROZEN:
			s.tree.TreeType = r.GetTree().GetTreeType()
		case field == "max_root_duration":
			s.tree.MaxRootDuration = r.GetTree().GetMaxRootDuration()
		default:
			return nil, status.Errorf(codes.InvalidArgument, "%s cannot be changed now", field)
		}
	}
	return s.tree, nil
}

// InitLog implements trillian.TrillianLogServer.
func (s *Server) InitLog(context.Context, *trillian.InitLogRequest) (*trillian.InitLogResponse, error) {
	return &trillian.InitLogResponse{}, nil
}

// QueueLeaf implements trillian.TrillianLogServer.
func (s *Server) QueueLeaf(_ context.Context, r *trillian.QueueLeafRequest) (*trillian.QueueLeafResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.GetTreeState() != trillian.TreeState_ACTIVE {
		return nil, status.Error(codes.PermissionDenied, "the tree takes nothing")
	}
	q := &trillian.QueuedLogLeaf{Leaf: r.GetLeaf()}
	if was := s.known[string(r.GetLeaf().GetLeafIdentityHash())]; was != nil {
		q = &trillian.QueuedLogLeaf{Leaf: was, Status: status.New(codes.AlreadyExists, "it is there").Proto()}
		return &trillian.QueueLeafResponse{QueuedLeaf: q}, nil
	}
	s.addLeaf(r.GetLeaf())
	return &trillian.QueueLeafResponse{QueuedLeaf: q}, nil
}

func (s *Server) addLeaf(l *trillian.LogLeaf) {
	l.LeafIndex = int64(len(s.leaves))
	s.known[string(l.GetLeafIdentityHash())] = l
	s.leaves = append(s.leaves, l)
	s.hashes.Append(tlog.LeafHash(l.GetLeafValue()))
}

// DropLast removes the last n leaves: two signers that integrate a given order at the same time do
// so.
func (s *Server) DropLast(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.leaves[:len(s.leaves)-n]
	s.leaves, s.known, s.hashes = nil, map[string]*trillian.LogLeaf{}, tlog.Tree{}
	for _, l := range left {
		s.addLeaf(l)
	}
}

// AddSequencedLeaves implements trillian.TrillianLogServer.
func (s *Server) AddSequencedLeaves(_ context.Context, r *trillian.AddSequencedLeavesRequest) (*trillian.AddSequencedLeavesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tree.GetTreeType() != trillian.TreeType_PREORDERED_LOG {
		return nil, status.Error(codes.InvalidArgument, "the tree has an order of its own")
	}
	a := &trillian.AddSequencedLeavesResponse{}
	for _, l := range r.GetLeaves() {
		q := &trillian.QueuedLogLeaf{Leaf: l, Status: status.New(codes.OK, "").Proto()}
		switch n := int64(len(s.leaves)); {
		case l.GetLeafIndex() == n:
			s.addLeaf(l)
		case l.GetLeafIndex() > n:
			q.Status = status.New(codes.OutOfRange, "a gap").Proto()
		default:
			q.Status = status.New(codes.FailedPrecondition, "it is there").Proto()
		}
		a.Results = append(a.Results, q)
	}
	return a, nil
}

func (s *Server) signedRoot() (*trillian.SignedLogRoot, error) {
	h := s.hashes.Root()
	b, err := (&types.LogRootV1{TreeSize: s.hashes.Size(), RootHash: h[:], TimestampNanos: uint64(time.Now().UnixNano())}).MarshalBinary()
	return &trillian.SignedLogRoot{LogRoot: b}, err
}

// GetLatestSignedLogRoot implements trillian.TrillianLogServer.
func (s *Server) GetLatestSignedLogRoot(context.Context, *trillian.GetLatestSignedLogRootRequest) (*trillian.GetLatestSignedLogRootResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, err := s.signedRoot()
	return &trillian.GetLatestSignedLogRootResponse{SignedLogRoot: root}, err
}

// GetLeavesByRange implements trillian.TrillianLogServer.
func (s *Server) GetLeavesByRange(_ context.Context, r *trillian.GetLeavesByRangeRequest) (*trillian.GetLeavesByRangeResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	root, err := s.signedRoot()
	start := min(r.GetStartIndex(), int64(len(s.leaves)))
	end := min(start+r.GetCount(), int64(len(s.leaves)))
	return &trillian.GetLeavesByRangeResponse{SignedLogRoot: root, Leaves: s.leaves[start:end]}, err
}
