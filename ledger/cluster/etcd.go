package cluster

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

var registerCallTime = time.Second // shorter in tests

const callAfter = 300 * time.Millisecond

// Etcd is a register in etcd.
type Etcd struct {
	origin  string
	prefix  string
	members *Peers[*clientv3.Client]
}

var (
	_ ledger.Register   = (*Etcd)(nil)
	_ ledger.Cosignings = (*Etcd)(nil)
)

// RegisterPrefix returns the prefix of a log's keys in etcd.
func RegisterPrefix(origin string) string {
	return fmt.Sprintf("/pakli/%x/", sha256.Sum256([]byte(origin)))
}

// OpenEtcd returns the register of a log at members of etcd. Each endpoint is http://host:port, or
// https://host:port with security. It connects on the first call.
func OpenEtcd(origin string, security *tls.Config, endpoints ...string) (*Etcd, error) {
	var clients []*clientv3.Client
	for _, e := range endpoints {
		c, err := clientv3.New(clientv3.Config{
			Endpoints: []string{strings.TrimSpace(e)}, DialTimeout: registerCallTime, Logger: zap.NewNop(), TLS: security,
			DialOptions: []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 300 * time.Millisecond},
				MinConnectTimeout: registerCallTime,
			})},
		})
		if err != nil {
			return nil, errors.Join(fmt.Errorf("register at %s: %w", e, err), closeRegisterAll(clients))
		}
		clients = append(clients, c)
	}
	if len(clients) == 0 {
		return nil, errors.New("no member of the register is named")
	}
	return &Etcd{origin: origin, prefix: RegisterPrefix(origin), members: NewPeers(callAfter, registerCallTime, clients...)}, nil
}

// Close ends the connections.
func (r *Etcd) Close() error { return closeRegisterAll(r.members.Members()) }

func closeRegisterAll(list []*clientv3.Client) error {
	var errs []error
	for _, c := range list {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (r *Etcd) promiseKey() string  { return r.prefix + "promise" }
func (r *Etcd) cosignedKey() string { return r.prefix + "cosigned" }

// withMember adds the member's address to its error.
func withMember(c *clientv3.Client, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("etcd at %s: %w", strings.Join(c.Endpoints(), ","), err)
}

// getValue returns the value of a key, or nil if there is none.
func (r *Etcd) getValue(ctx context.Context, key string) ([]byte, error) {
	a, err := AskPeers(ctx, r.members, nil, func(ctx context.Context, c *clientv3.Client) (*clientv3.GetResponse, error) {
		a, err := c.Get(ctx, key)
		return a, withMember(c, err)
	})
	if err != nil || len(a.Kvs) == 0 {
		return nil, err
	}
	return a.Kvs[0].Value, nil
}

// Load implements ledger.Register.
func (r *Etcd) Load(ctx context.Context) (ledger.Promise, error) {
	value, err := r.getValue(ctx, r.promiseKey())
	if err != nil {
		return ledger.Promise{}, err
	}
	if value == nil {
		return ledger.Promise{}, fmt.Errorf("%w: there is nothing under %s. If etcd has lost it, make it anew with pakli cluster promise", ledger.ErrNoPromise, r.promiseKey())
	}
	return ParsePromise(r.origin, value)
}

// Swap implements ledger.Register.
func (r *Etcd) Swap(ctx context.Context, old, next ledger.Promise) (ledger.Promise, error) {
	was := clientv3.Compare(clientv3.Value(r.promiseKey()), "=", string(MarshalPromise(r.origin, old)))
	return r.putPromise(ctx, was, next)
}

// Make makes p the first promise. If there is one already, Make keeps and returns that.
func (r *Etcd) Make(ctx context.Context, p ledger.Promise) (ledger.Promise, error) {
	return r.putPromise(ctx, clientv3.Compare(clientv3.CreateRevision(r.promiseKey()), "=", 0), p)
}

// putPromise makes next the promise if the condition holds, and returns the promise as it is then.
func (r *Etcd) putPromise(ctx context.Context, when clientv3.Cmp, next ledger.Promise) (ledger.Promise, error) {
	text := string(MarshalPromise(r.origin, next))
	a, err := AskPeers(ctx, r.members, nil, func(ctx context.Context, c *clientv3.Client) (*clientv3.TxnResponse, error) {
		a, err := c.Txn(ctx).If(when).Then(clientv3.OpPut(r.promiseKey(), text)).Else(clientv3.OpGet(r.promiseKey())).Commit()
		return a, withMember(c, err)
	})
	if err != nil {
		return ledger.Promise{}, err
	}
	if a.Succeeded {
		return next, nil
	}
	kvs := a.Responses[0].GetResponseRange().GetKvs()
	if len(kvs) == 0 {
		return ledger.Promise{}, ledger.ErrNoPromise
	}
	return ParsePromise(r.origin, kvs[0].Value)
}

// PromiseChanged implements ledger.Register.
func (r *Etcd) PromiseChanged(ctx context.Context, p ledger.Promise) (<-chan struct{}, error) {
	type place struct {
		member *clientv3.Client
		now    *clientv3.GetResponse
	}
	at, err := AskPeers(ctx, r.members, nil, func(ctx context.Context, c *clientv3.Client) (place, error) {
		now, err := c.Get(ctx, r.promiseKey())
		return place{c, now}, withMember(c, err)
	})
	if err != nil {
		return nil, err
	}
	changed := make(chan struct{})
	if len(at.now.Kvs) == 0 || string(at.now.Kvs[0].Value) != string(MarshalPromise(r.origin, p)) {
		close(changed)
		return changed, nil
	}
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	events := at.member.Watch(ctx, r.promiseKey(), clientv3.WithRev(at.now.Header.Revision+1))
	go func() {
		defer close(changed)
		defer cancel()
		<-events // any event will do, also the end of the watch
	}()
	return changed, nil
}

// CosignedNote implements ledger.Cosignings.
func (r *Etcd) CosignedNote(ctx context.Context) ([]byte, error) {
	return r.getValue(ctx, r.cosignedKey())
}

// PutCosigned implements ledger.Cosignings.
func (r *Etcd) PutCosigned(ctx context.Context, c tlog.Checkpoint) error {
	for {
		was, err := r.getValue(ctx, r.cosignedKey())
		if err != nil {
			return err
		}
		when := clientv3.Compare(clientv3.CreateRevision(r.cosignedKey()), "=", 0)
		if was != nil {
			if last, err := tlog.ParseCheckpoint(was); err == nil && last.Size >= c.Size {
				return nil
			}
			when = clientv3.Compare(clientv3.Value(r.cosignedKey()), "=", string(was))
		}
		a, err := AskPeers(ctx, r.members, nil, func(ctx context.Context, m *clientv3.Client) (*clientv3.TxnResponse, error) {
			a, err := m.Txn(ctx).If(when).Then(clientv3.OpPut(r.cosignedKey(), string(c.Note))).Commit()
			return a, withMember(m, err)
		})
		if err != nil || a.Succeeded {
			return err
		}
	}
}
