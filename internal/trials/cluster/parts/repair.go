package parts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
)

// Leader returns the name of etcd's leader.
func (c *Cluster) Leader(ctx context.Context) (string, error) {
	for i, at := range c.registerClients {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+"/v3/maintenance/status", bytes.NewBufferString("{}"))
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // not the leader
		}
		var status struct {
			Header struct {
				Member string `json:"member_id"`
			}
			Leader string
		}
		err = errors.Join(json.NewDecoder(resp.Body).Decode(&status), resp.Body.Close())
		if err == nil && status.Leader == status.Header.Member {
			return c.Registers[i].Name, nil
		}
	}
	return "", errors.New("etcd has no leader")
}

// NewDatabase makes both nodes again without the log. It restarts Trillian with one signer, as Import
// needs it.
func (c *Cluster) NewDatabase(ctx context.Context) error {
	for i := range c.LogServers {
		c.LogServers[i].Kill()
		c.Signers[i].Kill()
	}
	for _, d := range c.Databases {
		d.Kill()
	}
	if err := c.startDatabases(ctx); err != nil {
		return err
	}
	if err := errors.Join(c.LogServers[0].Start(), c.LogServers[1].Start(), c.Signers[0].Start()); err != nil {
		return err
	}
	return errors.Join(c.AwaitLogServer(ctx, 0), c.AwaitLogServer(ctx, 1))
}

// NewRegister makes all members of etcd again without the promise.
func (c *Cluster) NewRegister(ctx context.Context) error {
	for _, r := range c.Registers {
		r.Kill()
		if err := os.RemoveAll(filepath.Join(c.Dir, r.Name)); err != nil {
			return err
		}
	}
	for _, r := range c.Registers {
		if err := r.Start(); err != nil {
			return err
		}
	}
	return c.AwaitRegister(ctx)
}

// PromoteRegister makes the promise again from the directories of all front ends, which must not run.
func (c *Cluster) PromoteRegister(ctx context.Context) error {
	args := []string{"promise", c.FrontEnds[0].register}
	for _, f := range c.FrontEnds {
		args = append(args, "--data="+f.Data)
	}
	_, err := c.pakli(ctx, args...)
	return err
}

// Import moves the log into a new tree from the first of the front ends (Largest) that has everything
// promised, and makes the others again. No front end may run, and only one signer; the other signer
// is started afterwards.
func (c *Cluster) Import(ctx context.Context, ends []*FrontEnd) error {
	largest, err := c.leave(ctx, ends)
	if err != nil {
		return err
	}
	if err := c.NewRegister(ctx); err != nil { // the old one says for good that the log has left
		return err
	}
	tree, err := c.pakli(ctx, "import", "--data="+largest.Data, largest.trillian, largest.register, c.databaseFlag())
	if err != nil {
		return err
	}
	c.tree = "--trillian-tree=" + tree
	if err := c.Signers[1].Start(); err != nil {
		return err
	}
	for _, f := range c.FrontEnds {
		c.serveWith(f)
		if f == largest {
			continue
		}
		keys := filepath.Join(c.Dir, "keys") // for the other directory: there may be only two
		if err := errors.Join(os.RemoveAll(keys), CopyKeys(largest.Data, keys), os.RemoveAll(f.Data)); err != nil {
			return err
		}
		if _, err := c.pakli(ctx, "join", "--data="+f.Data, "--keys="+keys, f.trillian, c.tree, f.register); err != nil {
			return err
		}
	}
	return nil
}

// leave takes the log out of the cluster with the first front end that has everything promised;
// others are refused.
func (c *Cluster) leave(ctx context.Context, ends []*FrontEnd) (*FrontEnd, error) {
	var failed error
	for _, f := range ends {
		_, err := c.pakli(ctx, "leave", "--data="+f.Data, c.tree, f.register)
		if err == nil {
			return f, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// Largest returns the front ends, the one that shows most entries first, and those that show nothing
// last.
func (c *Cluster) Largest(ctx context.Context) []*FrontEnd {
	size := map[*FrontEnd]uint64{}
	for _, f := range c.FrontEnds {
		var n uint64
		if b, err := fetchBody(ctx, f.URL+"/checkpoint"); err == nil {
			_, _ = fmt.Sscanf(string(b), c.Origin+"\n%d\n", &n) // an answer that is no checkpoint counts as 0
		}
		size[f] = n
	}
	return slices.SortedStableFunc(slices.Values(c.FrontEnds), func(a, b *FrontEnd) int { return cmp.Compare(size[b], size[a]) })
}

// CopyKeys copies a log's keys from one directory to another, which it makes.
func CopyKeys(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	keys, err := filepath.Glob(filepath.Join(from, "*.key"))
	for _, key := range keys {
		b, err := os.ReadFile(key)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(key)), b, 0o600); err != nil {
			return err
		}
	}
	return err
}
