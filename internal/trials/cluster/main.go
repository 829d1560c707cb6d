// Command cluster starts a log's cluster on this machine, or breaks one under load.
//
//	go run -C internal/trials/cluster .                    start, print addresses, wait for an interrupt
//	go run -C internal/trials/cluster . -faults            every fault
//	go run -C internal/trials/cluster . -faults -short     those of the short form; .ci/run tries three of them, or all
//	go run -C internal/trials/cluster . -faults -run clock some, by their names
//	go run -C internal/trials/cluster . -list              the names
//	go run -C internal/trials/cluster . -figures           what front ends cost and give
//
// docs/guide/cluster.md explains clusters, and docs/reliability.md has the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/pakli/pakli/internal/trials/cluster/parts"
	"github.com/pakli/pakli/internal/trials/cluster/trial"
)

type settings struct {
	trial.Options
	faults, list, figures bool
	only, dir             string
	fronts, tables        int
	random, tls           bool
}

func main() {
	s := settings{Options: trial.Options{Out: os.Stdout}}
	flag.BoolVar(&s.faults, "faults", false, "break it under load, and check what is left")
	flag.BoolVar(&s.list, "list", false, "print the names of the faults")
	flag.BoolVar(&s.figures, "figures", false, "measure 1, 2 and 4 front ends beside a log alone, and what is void by race")
	flag.IntVar(&s.tables, "tables", 6, "tables that each client plays for the figures")
	flag.BoolVar(&s.Short, "short", false, "only the faults of the short form")
	flag.StringVar(&s.only, "run", "", "only faults whose names match this regular expression")
	flag.DurationVar(&s.Hold, "hold", 5*time.Second, "how long something is dead, halted or cut off")
	flag.IntVar(&s.Clients, "clients", 16, "clients of the load")
	flag.IntVar(&s.Players, "players", 8, "how many of them play; the others begin tables")
	flag.DurationVar(&s.Pace, "pace", 100*time.Millisecond, "time between two posts of a client")
	flag.IntVar(&s.Times, "times", 1, "how often each fault happens")
	flag.IntVar(&s.fronts, "front-ends", 2, "how many front ends there are")
	flag.BoolVar(&s.tls, "tls", false, "TLS to log servers and etcd, which asks for a certificate")
	flag.BoolVar(&s.random, "random", false, "let HAProxy send each request to the next front end, not a table's to one")
	flag.StringVar(&s.dir, "dir", "", "where programs and cluster are, which is left there and begun anew (default: a temporary directory, which is removed)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context) (err error) {
	if s.Only, err = regexp.Compile(s.only); err != nil {
		return err
	}
	if s.list {
		for _, f := range trial.Faults() {
			fmt.Println(f.Name)
		}
		return nil
	}
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "pakli-cluster"); err != nil {
			return err
		}
		defer os.RemoveAll(s.dir)
	} else if err = os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	programs, err := parts.Build(ctx, filepath.Join(s.dir, "programs"), s.faults && !s.Short)
	if err != nil {
		return err
	}
	cluster := filepath.Join(s.dir, "cluster")
	if err := errors.Join(os.RemoveAll(cluster), os.Mkdir(cluster, 0o711), os.Chmod(s.dir, 0o711)); err != nil {
		return err
	}
	o := parts.Options{Dir: cluster, Programs: programs, FrontEnds: s.fronts, Random: s.random, TLS: s.tls, Origin: "cluster.example/pakli", Direct: !s.faults}
	if s.faults {
		return s.breakIt(ctx, o)
	}
	if s.figures {
		return trial.Figures(ctx, o, s.Clients, s.tables, s.Out)
	}
	return startCluster(ctx, o)
}

// breakIt runs the trial. It prints a line for each fault when it is over, so that a stopped run can
// be resumed with -run.
func (s *settings) breakIt(ctx context.Context, o parts.Options) error {
	t, err := trial.Begin(ctx, s.Options, o)
	if err == nil {
		err = t.Run(ctx)
	}
	if t != nil {
		err = errors.Join(err, t.Close())
	}
	return err
}

// startCluster starts a cluster and waits.
func startCluster(ctx context.Context, o parts.Options) error {
	c, err := parts.New(o)
	if err != nil {
		return err
	}
	if err = c.StartStock(ctx); err == nil {
		err = c.StartFrontEnds(ctx)
	}
	if err == nil {
		err = printCluster(c)
	}
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, c.Close())
}

// printCluster prints the addresses of the parts.
func printCluster(c *parts.Cluster) error {
	key, err := c.Key()
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%s\n", c.URL, key)
	for _, f := range c.FrontEnds {
		fmt.Printf("%s %s, for the operator %s\n", f.Name, f.URL, f.Operator)
	}
	fmt.Printf("--trillian %s --register %s\n", strings.Join(c.LogServerAddrs(), ","), strings.Join(c.RegisterURLs(), ","))
	fmt.Printf("everything is in %s\n", c.Dir)
	return nil
}
