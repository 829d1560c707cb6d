package parts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Leader is the name of etcd's leader.
func (c *Cluster) Leader(ctx context.Context) (string, error) {
	for i, at := range c.registerClients {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+"/v3/maintenance/status", bytes.NewBufferString("{}"))
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // not this one
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

// NewDatabase begins both nodes anew, without anything of the log. Trillian is restarted.
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
	for i := range c.LogServers {
		if err := errors.Join(c.LogServers[i].Start(), c.Signers[i].Start()); err != nil {
			return err
		}
	}
	return errors.Join(c.AwaitLogServer(ctx, 0), c.AwaitLogServer(ctx, 1))
}

// NewRegister begins all members of etcd anew, without the promise.
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

// PromoteRegister makes the promise anew from the directories of all front ends, which do
// not run.
func (c *Cluster) PromoteRegister(ctx context.Context) error {
	args := []string{"promise", c.FrontEnds[0].register}
	for _, f := range c.FrontEnds {
		args = append(args, "--data="+f.Data)
	}
	_, err := c.pakli(ctx, args...)
	return err
}

// Import brings the log of the front end that has most (Largest) into a new tree, where it goes
// on, and lets the others begin anew. None of them runs.
func (c *Cluster) Import(ctx context.Context, largest *FrontEnd) error {
	if _, err := c.pakli(ctx, "leave", "--data="+largest.Data, c.tree, largest.register); err != nil {
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
	for _, f := range c.FrontEnds {
		c.serveWith(f)
		if f == largest {
			continue
		}
		keys := filepath.Join(c.Dir, "keys") // of another directory, since there may be only two
		if err := errors.Join(os.RemoveAll(keys), copyKeys(largest.Data, keys), os.RemoveAll(f.Data)); err != nil {
			return err
		}
		if _, err := c.pakli(ctx, "join", "--data="+f.Data, "--keys="+keys, f.trillian, c.tree, f.register); err != nil {
			return err
		}
	}
	return nil
}

// Largest is the front end that shows most entries.
func (c *Cluster) Largest(ctx context.Context) (most *FrontEnd, err error) {
	size := uint64(0)
	for _, f := range c.FrontEnds {
		b, err := get(ctx, f.URL+"/checkpoint")
		if err != nil {
			return nil, err
		}
		var n uint64
		if _, err := fmt.Sscanf(string(b), c.Origin+"\n%d\n", &n); err != nil {
			return nil, fmt.Errorf("%s shows %q: %w", f.Name, b, err)
		}
		if most == nil || n > size {
			most, size = f, n
		}
	}
	return most, nil
}

func copyKeys(from, to string) error {
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
