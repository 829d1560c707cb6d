package badgerstore_test

import (
	"context"
	"flag"
	"net"
	"os"
	"testing"
	"time"

	"github.com/google/trillian"
	"github.com/google/trillian/extension"
	"github.com/google/trillian/integration"
	"github.com/google/trillian/integration/storagetest"
	"github.com/google/trillian/log"
	"github.com/google/trillian/quota"
	"github.com/google/trillian/server"
	"github.com/google/trillian/storage"
	"github.com/google/trillian/storage/testonly"
	"github.com/google/trillian/util/clock"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"k8s.io/klog/v2"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
)

// Trillian reports its progress on standard error unless told not to.
func TestMain(m *testing.M) {
	fs := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(fs)
	if err := fs.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL"}); err != nil {
		panic(err)
	}
	klog.SetOutput(discard{})
	os.Exit(m.Run())
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// smallMemTable keeps the tests' memory and files small.
const smallMemTable = 8 << 20

func open(t testing.TB, dir string, o badgerstore.Options) *badgerstore.Store {
	t.Helper()
	if o.MinFree == 0 {
		o.MinFree = 1
	}
	s := testmust.Have(badgerstore.Open(dir, o))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func openNew(t testing.TB) *badgerstore.Store {
	return open(t, t.TempDir(), badgerstore.Options{MemTableSize: smallMemTable})
}

// TestTrillianLogStorage: what Trillian expects of any log storage.
func TestTrillianLogStorage(t *testing.T) {
	storagetest.RunLogStorageTests(t, func(_ context.Context, t *testing.T) (storage.LogStorage, storage.AdminStorage) {
		s := openNew(t)
		return s.LogTrees(), s.AnyTrees()
	})
}

// TestTrillianAdminStorage: what Trillian expects of any admin storage.
func TestTrillianAdminStorage(t *testing.T) {
	tester := testonly.AdminStorageTester{NewAdminStorage: func() storage.AdminStorage { return openNew(t).AnyTrees() }}
	tester.RunAllTests(t)
}

// TestTrillianLogIntegration: a log server and a signer over the store, driven
// by Trillian's own client test, 1,000 entries with all proofs.
func TestTrillianLogIntegration(t *testing.T) {
	ctx := t.Context()
	s := openNew(t)
	registry := extension.Registry{AdminStorage: s.AdminStorage(), LogStorage: s.LogTrees(), QuotaManager: quota.Noop()}
	tree := testmust.Have(storage.CreateTree(ctx, s.AdminStorage(), testonly.LogTree))(t)
	rpc := server.NewTrillianLogRPCServer(registry, clock.System)
	testmust.Have(rpc.InitLog(ctx, &trillian.InitLogRequest{LogId: tree.TreeId}))(t)
	ctx, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		sequence(ctx, t, registry, tree.TreeId)
	}()
	defer func() {
		stop()
		<-stopped
	}()
	params := integration.DefaultTestParameters(tree.TreeId)
	params.SequencingPollWait = 20 * time.Millisecond
	testmust.Do(t, integration.RunLogIntegration(dial(t, rpc), params))
}

func sequence(ctx context.Context, t *testing.T, registry extension.Registry, tree int64) {
	sequencer := log.NewSequencerManager(registry, 0)
	info := &log.OperationInfo{Registry: registry, BatchSize: 100, TimeSource: clock.System}
	for ctx.Err() == nil {
		if _, err := sequencer.ExecutePass(ctx, tree, info); err != nil && ctx.Err() == nil {
			t.Errorf("sequencer pass: %v", err)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func dial(t *testing.T, rpc *server.TrillianLogRPCServer) trillian.TrillianLogClient {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	grpcServer := grpc.NewServer()
	trillian.RegisterTrillianLogServer(grpcServer, rpc)
	go grpcServer.Serve(listener)
	t.Cleanup(grpcServer.Stop)
	conn := testmust.Have(grpc.NewClient("passthrough:///log",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })))(t)
	t.Cleanup(func() { conn.Close() })
	return trillian.NewTrillianLogClient(conn)
}
