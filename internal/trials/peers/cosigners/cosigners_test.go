package cosigners_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

const origin = "log.example/tessera"

// club is two cosigners of pakli, one of them with an ML-DSA-44 key, and their
// policy.
type club struct {
	t         *testing.T
	log       *tlog.SignerKey
	cosigners []*cosign.Cosigner
	policy    []byte
}

func newClub(t *testing.T) *club {
	t.Helper()
	c := &club{t: t}
	_, c.log = ledgertest.NewKey(t, origin, tlog.Ed25519)
	c.policy = fmt.Appendf(nil, "log %s\n", c.log.Verifier())
	for name, a := range map[string]tlog.Algorithm{"anna": tlog.Ed25519Cosignature, "bela": tlog.MLDSA44} {
		skey, s := ledgertest.NewKey(t, name+".example", a)
		cs := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{skey}, Logs: []tlog.PolicyLog{{Key: c.log.Verifier()}}}))(t)
		t.Cleanup(func() { cs.Close() })
		server := httptest.NewServer(cs)
		t.Cleanup(server.Close)
		c.policy = fmt.Appendf(c.policy, "witness %s %s %s\n", name, s.Verifier(), server.URL)
	}
	c.policy = append(c.policy, "group both all anna bela\nquorum both\n"...)
	return c
}

// publish appends entries to a Tessera log in dir, which publishes nothing without its cosigners, and
// returns the published checkpoint.
func (c *club) publish(dir string, n int) ([]byte, error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	driver := testmust.Have(posix.New(c.t.Context(), posix.Config{Path: dir}))(c.t)
	group := testmust.Have(tessera.NewWitnessGroupFromPolicy(c.policy))(c.t)
	appender, stop, reader, err := tessera.NewAppender(c.t.Context(), driver, tessera.NewAppendOptions().
		WithCheckpointSigner(c.log).WithCheckpointInterval(200*time.Millisecond).WithBatching(16, 10*time.Millisecond).
		WithWitnesses(group, &tessera.WitnessOptions{Timeout: 30 * time.Second}))
	if err != nil {
		return nil, err
	}
	await := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 50*time.Millisecond)
	for i := range n {
		if _, _, err := await.Await(ctx, appender.Add(ctx, tessera.NewEntry(fmt.Appendf(nil, "entry %d", i)))); err != nil {
			return nil, err
		}
	}
	if err := stop(ctx); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "checkpoint"))
}

// pakli cosigns a Tessera log, and not a second history under the same key.
func TestTesseraIsCosigned(t *testing.T) {
	c := newClub(t)
	policy := testmust.Have(tlog.ParsePolicy(c.policy))(t)
	published := testmust.Have(c.publish(t.TempDir(), 3))(t)
	cp := testmust.Have(tlog.OpenCheckpoint(published, policy.Logs[0].Key))(t, published)
	seen, err := policy.Cosignatures(cp)
	testmust.Holdf(t, err == nil && cp.Size == 3 && len(seen) == 2 && policy.IsSatisfied(seen), "size %d seen by %v, %v, want 3 by both", cp.Size, seen, err)
	_, err = c.publish(t.TempDir(), 5)
	testmust.FailSaying(t, err, "policy was not satisfied", "another log under the same key")
}
