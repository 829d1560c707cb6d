//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sys/unix"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

const (
	historyClients = 8
	historyOps     = 200 // of one history, over all its lives
	historyEntries = 60  // that clients choose from, so that many come again
)

// An operation is a client's call of the log, with its result.
type operation struct {
	what string // append, head or get
	arg  int    // entry or index
}

// now is a clock that continues across processes.
func now() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// playHistory lets clients use the log, and prints a line before every operation
// and one after it: what was printed before has perhaps happened.
func playHistory(dir string) error {
	l, key, err := openLog(dir, badgerstore.Options{MinFree: 1})
	if err != nil {
		return err
	}
	var clients sync.WaitGroup
	for c := range historyClients {
		clients.Go(func() {
			for i := range historyOps / historyClients {
				op := randomOperation()
				fmt.Fprintf(os.Stdout, "call %d %d %d %s %d\n", c, i, now(), op.what, op.arg)
				result, err := op.do(l, key.Verifier)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
				fmt.Fprintf(os.Stdout, "return %d %d %d %d\n", c, i, now(), result)
			}
		})
	}
	clients.Wait()
	return l.Close()
}

func randomOperation() operation {
	switch rand.IntN(5) {
	case 0:
		return operation{"head", 0}
	case 1:
		return operation{"get", rand.IntN(historyEntries)}
	}
	return operation{"append", rand.IntN(historyEntries)}
}

func historyEntry(i int) []byte { return fmt.Appendf(nil, "entry %d", i) }

// none is the result of a read of a missing entry.
const none = -1

// do returns the index of an entry, the size of the log, or the entry at an
// index.
func (op operation) do(l tlog.Log, key note.Verifier) (int, error) {
	ctx := context.Background()
	switch op.what {
	case "append":
		r, err := l.Append(ctx, historyEntry(op.arg))
		if err == nil {
			err = r.Verify(historyEntry(op.arg), key)
		}
		return int(r.Index), err
	case "head":
		c, err := l.Checkpoint(ctx)
		return int(c.Size), err
	}
	for entry, err := range l.Entries(ctx, uint64(op.arg), uint64(op.arg)+1) {
		if errors.Is(err, tlog.ErrRange) {
			return none, nil
		}
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimPrefix(string(entry), "entry "))
	}
	return none, nil
}

// logModel is a log as everybody should see it: one list that grows at its end,
// without the same entry twice. The state is the list as bytes, an entry each.
var logModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		list, op := state.(string), input.(operation)
		result := output.(int)
		switch op.what {
		case "append":
			at := strings.IndexByte(list, byte(op.arg))
			if at < 0 {
				at, list = len(list), list+string([]byte{byte(op.arg)})
			}
			return result == at, list
		case "head":
			return result == len(list), list
		}
		there := none
		if op.arg < len(list) {
			there = int(list[op.arg])
		}
		return result == there, list
	},
}

// TestModel lets the model find what is not linearizable: a test of the test.
func TestModel(t *testing.T) {
	for name, history := range map[string][]porcupine.Operation{
		"lost": {
			{Input: operation{"append", 7}, Call: 1, Output: 0, Return: 2},
			{Input: operation{"head", 0}, Call: 3, Output: 0, Return: 4}},
		"twice": {
			{Input: operation{"append", 7}, Call: 1, Output: 0, Return: 2},
			{Input: operation{"append", 7}, Call: 3, Output: 1, Return: 4}},
		"going back": {
			{Input: operation{"append", 7}, Call: 1, Output: 0, Return: math.MaxInt64},
			{Input: operation{"get", 0}, Call: 2, Output: 7, Return: 3},
			{Input: operation{"get", 0}, Call: 4, Output: none, Return: 5}},
	} {
		testmust.Holdf(t, !porcupine.CheckOperations(logModel, history), "%s is linearizable", name)
	}
}

// TestLinearizable records what clients do with a log that is killed in between,
// and looks for an order in which a log without any concurrency would have given
// the same answers. The long form is
//
//	PAKLI_HISTORIES=2000 go test -C internal/trials/faults -run TestLinearizable -timeout 2h -v
func TestLinearizable(t *testing.T) {
	histories := envInt(t, "PAKLI_HISTORIES", 8)
	done, open, kills, random := 0, 0, 0, seeded(t)
	for range histories {
		dir := filepath.Join(t.TempDir(), "log")
		create(t, dir)
		var history []porcupine.Operation
		for life := 0; len(history) < historyOps && life < 20; life++ {
			lines, stderr, err := run(t, child(t, "history", dir), random.IntN(600), kill)
			testmust.Requiref(t, err == nil || strings.Contains(err.Error(), "killed"), "child: %v\n%s", err, stderr)
			if err != nil {
				kills++
			}
			ops, without := parseHistory(t, life, lines)
			history, open = append(history, settle(t, dir, ops)...), open+without
		}
		done += len(history)
		got := porcupine.CheckOperationsTimeout(logModel, history, 10*time.Minute)
		testmust.Requiref(t, got == porcupine.Ok, "%v: a history of %d operations is not linearizable:\n%v", got, len(history), history)
		os.RemoveAll(dir)
	}
	t.Logf("%d histories with %d operations, %d of them without an answer because of %d kills: all linearizable", histories, done, open, kills)
}

// settle looks at the log after a life. An append without an answer whose entry is
// there can have had only one answer, by now; one whose entry is not there has not
// happened and never will. Left open, the search for an order would have to try
// them everywhere.
func settle(t *testing.T, dir string, history []porcupine.Operation) (settled []porcupine.Operation) {
	t.Helper()
	l, _, err := openLog(dir, badgerstore.Options{MinFree: 1})
	testmust.Do(t, err)
	defer l.Close()
	c := testmust.Have(l.Checkpoint(t.Context()))(t)
	places := make(map[string]int)
	for entry, err := range l.Entries(t.Context(), 0, c.Size) {
		testmust.Do(t, err)
		places[string(entry)] = len(places)
	}
	for _, op := range history {
		if op.Output == nil {
			in := op.Input.(operation)
			at, there := places[string(historyEntry(in.arg))]
			if in.what != "append" || !there {
				continue
			}
			op.Output, op.Return = at, now()
		}
		settled = append(settled, op)
	}
	last := porcupine.Operation{Input: operation{"head", 0}, Call: now(), Output: int(c.Size), Return: now() + 1}
	return append(settled, last)
}

// parseHistory returns the operations of one life, and how many have no result.
func parseHistory(t *testing.T, life int, lines []string) (history []porcupine.Operation, open int) {
	t.Helper()
	calls := make(map[string]int)
	for _, line := range lines {
		var what string
		var client, i, result int
		var at int64
		if n, _ := fmt.Sscanf(line, "call %d %d %d %s %d", &client, &i, &at, &what, &result); n == 5 {
			calls[fmt.Sprint(client, i)] = len(history)
			history = append(history, porcupine.Operation{
				ClientId: life*historyClients + client, Input: operation{what, result}, Call: at, Return: math.MaxInt64,
			})
			continue
		}
		n, _ := fmt.Sscanf(line, "return %d %d %d %d", &client, &i, &at, &result)
		testmust.Requiref(t, n == 4, "child says %q", line)
		op := &history[calls[fmt.Sprint(client, i)]]
		op.Output, op.Return = result, at
	}
	for _, op := range history {
		if op.Output == nil {
			open++
		}
	}
	return history, open
}
