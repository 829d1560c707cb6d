// Command fill makes a large log, to start a server on with command start.
//
//	go run -C internal/trials/load ./fill DIR
//
// It appends the entries of many tables at the same time, like a club that has played for years:
// genesis entries, keys and moves, all signed by their seats.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/pakli/pakli/cmd/pakli/bench/logbench"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/protocol/suite"
)

// filling describes the content of the log.
type filling struct {
	entries int
	tables  int
	size    int // of the entry of a move
	clients int
}

func main() {
	var f filling
	flag.IntVar(&f.entries, "entries", 1_000_000, "entries, signed by their seats")
	flag.IntVar(&f.tables, "tables", 10_000, "tables that they are of")
	flag.IntVar(&f.size, "bytes", 1024, "size of the entry of a move")
	flag.IntVar(&f.clients, "clients", 500, "clients who append; each has as many tables, which take turns")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: fill [flags] DIR")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := f.fill(ctx, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
	fmt.Printf("%d entries in %.0f s\n", f.entries, time.Since(start).Seconds())
}

// fill makes a log in dir and appends the entries of tables that play at the
// same time.
func (f filling) fill(ctx context.Context, dir string) (err error) {
	if f.clients < 1 || f.tables < f.clients || f.entries < 3*f.tables {
		return errors.New("a client needs a table at least, and a table three entries")
	}
	s, _ := suite.Lookup(suite.Default)
	organiser, err := logbench.NewOrganiser(s)
	if err != nil {
		return err
	}
	l, _, err := logbench.NewLog(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	list := make([]logbench.Client, f.clients)
	for i := range list {
		list[i] = f.client(organiser, l, part(f.tables, f.clients, i), part(f.entries, f.clients, i))
	}
	_, err = logbench.Run(ctx, list, 24*time.Hour)
	return err
}

// part returns the i-th of n nearly equal parts of a whole.
func part(whole, n, i int) int { return whole*(i+1)/n - whole*i/n }

// client returns a client that appends the given number of entries of its tables in turn.
func (f filling) client(o *logbench.Organiser, l *ledger.Ledger, tables, entries int) logbench.Client {
	list := make([]*logbench.Table, 0, tables)
	n := 0
	return func(ctx context.Context) (bool, error) {
		if n == entries {
			return false, nil
		}
		entry, err := f.nextEntry(o, &list, tables, n)
		if err == nil {
			_, err = l.Append(ctx, entry)
		}
		n++
		return true, err
	}
}

// nextEntry returns the n-th entry of the given number of tables.
func (f filling) nextEntry(o *logbench.Organiser, list *[]*logbench.Table, tables, n int) ([]byte, error) {
	if n < tables {
		t, err := o.Table(f.size)
		if err != nil {
			return nil, err
		}
		*list = append(*list, t)
		return t.Genesis, nil
	}
	t := (*list)[n%tables]
	if round := n / tables; round <= len(t.Keys) {
		return t.Keys[round-1], nil
	}
	return t.Move()
}
