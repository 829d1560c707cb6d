package parts

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pakli/pakli/internal/trials/cluster/process"
)

// prepareRegister gives each member of etcd its addresses. The others reach it through one relay, so
// a cut stops what a member hears, but not what it says.
func (c *Cluster) prepareRegister() error {
	var peers, own [3]string
	var initial []string
	for i := range c.Registers {
		for _, address := range []*string{&own[i], &c.registerClients[i], &c.healthAt[i]} {
			port, err := freePort()
			if err != nil {
				return err
			}
			*address = fmt.Sprintf("127.0.0.1:%d", port)
		}
		at, err := c.link("peers", fmt.Sprintf("etcd-%d", i+1), own[i])
		if err != nil {
			return err
		}
		peers[i] = "http://" + at
		initial = append(initial, fmt.Sprintf("etcd-%d=%s", i+1, peers[i]))
	}
	for i := range c.Registers {
		name, client := fmt.Sprintf("etcd-%d", i+1), c.security.scheme()+c.registerClients[i]
		c.Registers[i] = process.New(c.logs, process.Command{
			Name: name, Path: c.Programs.Etcd, Stop: syscall.SIGTERM,
			Args: append([]string{
				"--name=" + name, "--data-dir=" + filepath.Join(c.Dir, name),
				"--listen-peer-urls=http://" + own[i], "--initial-advertise-peer-urls=" + peers[i],
				"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
				"--initial-cluster=" + strings.Join(initial, ","), "--initial-cluster-token=pakli",
				"--auto-compaction-retention=1h", "--logger=zap",
			}, c.security.etcd(c.healthAt[i])...),
		})
	}
	return nil
}

// AwaitRegister waits until all running members are healthy, which needs a leader.
func (c *Cluster) AwaitRegister(ctx context.Context) error {
	for i, r := range c.Registers {
		if err := r.Await(ctx, answers("http://"+c.healthAt[i]+"/health")); err != nil {
			return err
		}
	}
	return nil
}

// RegisterURLs returns the members' own addresses, without relays.
func (c *Cluster) RegisterURLs() (urls []string) {
	for _, at := range c.registerClients {
		urls = append(urls, c.security.scheme()+at)
	}
	return urls
}
