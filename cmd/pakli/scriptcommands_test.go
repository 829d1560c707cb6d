package main

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pakli/pakli/cmd/pakli/cosign"
	"github.com/pakli/pakli/cmd/pakli/play"
	"github.com/pakli/pakli/cmd/pakli/serve"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/badgerstore"
	ledgercosign "github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// clockVariable names the file that has the time of a script, in seconds.
const clockVariable = "PAKLI_TEST_CLOCK"

// hurried is pakli as scripts run it.
func hurried() {
	hurry()
	main()
}

// fullSizeVariable is set where new logs have memory tables as large as those of servers.
const fullSizeVariable = "PAKLI_TEST_FULL_SIZE"

// hurry makes passphrases and new logs cost little, looks often, and gives up soon what is waited for in vain, and the clock of
// cosigners and keepers is the script's, if it has stopped one.
func hurry() {
	seatfile.Work, play.NewsTime, sitting.KeepersTime = 2, time.Second, time.Second
	const soon = 100 * time.Millisecond
	sitting.Pause, ledgercosign.Interval, serve.MarkTime, serve.Promptly, client.LongestPause = soon, soon, soon, 2*soon, 2*soon
	if os.Getenv(fullSizeVariable) == "" {
		badgerstore.DefaultMemTableSize = 2 << 20
	}
	if file := os.Getenv(clockVariable); file != "" {
		cosign.SignedTime = func() time.Time { return scriptTime(file) }
	}
}

func scriptTime(file string) time.Time {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	seconds, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Unix(seconds, 0)
}

func setScriptTime(ts *testscript.TestScript, at time.Time) {
	ts.Check(durable.Replace(ts.Getenv(clockVariable), strconv.AppendInt(nil, at.Unix(), 10), 0o600))
}

// stopClock stops the clock of the cosigners and keepers that are begun from now on: however slow the
// machine is, nobody is late before the script has time pass.
func stopClock(ts *testscript.TestScript, args []string) {
	ts.Setenv(clockVariable, ts.MkAbs("clock"))
	setScriptTime(ts, time.Now())
}

// shown reports whether marks show since when a seat owes something, and the last entry.
func shown(s client.SeatClock) bool {
	none := wire.Hash{}
	return s.Claim.Seen != none && s.Claim.Spans[len(s.Claim.Spans)-1].From != none
}

// passTime has time pass at a table when a mark covers its last entry and one seat alone owes something,
// and waits until marks show that, or the table has stopped.
func passTime(ts *testscript.TestScript, args []string) {
	id, err := wire.ParseHash(args[0])
	ts.Check(err)
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	c := logClient(ts)
	var before client.SeatClock
	until(ts, args[1]+" seat alone to be awaited", func() bool {
		now, err := c.Clock(context.Background(), id)
		if err != nil || len(now.Seats) != 1 || !shown(now.Seats[0]) {
			return false
		}
		before = now.Seats[0]
		return args[1] == "any" || sitting.SeatLetter(before.Seat) == args[1]
	})
	setScriptTime(ts, scriptTime(ts.Getenv(clockVariable)).Add(time.Duration(seconds)*time.Second))
	until(ts, "time to pass", func() bool {
		now, err := c.Clock(context.Background(), id)
		return err == nil && (len(now.Seats) == 0 || now.Seats[0].Used >= before.Used+seconds-1)
	})
}

// passLogTime has time pass when a mark covers all that the log has now.
func passLogTime(ts *testscript.TestScript, args []string) {
	seconds, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	c, ctx := logClient(ts), context.Background()
	head, err := c.Checkpoint(ctx)
	ts.Check(err)
	until(ts, "a mark of all that the log has", func() bool {
		now, err := c.Checkpoint(ctx)
		ts.Check(err)
		for entry, err := range c.Entries(ctx, head.Size, now.Size) {
			ts.Check(err)
			if mark, err := c.Mark(ctx, wire.HashEntry(entry)); err == nil && mark.Covers(head.Size-1) {
				return true
			}
		}
		return false
	})
	setScriptTime(ts, scriptTime(ts.Getenv(clockVariable)).Add(time.Duration(seconds)*time.Second))
}

// waitHeld waits until keepers hold a message of a seat.
func waitHeld(ts *testscript.TestScript, args []string) {
	until(ts, "a message to be held", func() bool {
		files, err := filepath.Glob(ts.MkAbs(args[0] + "." + args[1] + ".*.held"))
		return err == nil && len(files) > 0
	})
}

// cheat posts what a seat owes next with a proof that is wrong.
func cheat(ts *testscript.TestScript, args []string) {
	ctx := context.Background()
	tableID, err := wire.ParseHash(args[0])
	ts.Check(err)
	c := logClient(ts)
	id, err := seatfile.Open(ts.MkAbs(args[1]), "")
	ts.Check(err)
	defer func() { ts.Check(id.Close()) }()
	s, err := sitting.ReplayTable(ctx, c, tableID)
	ts.Check(err)
	secret, err := id.Secret(tableID, s.Suite(), rand.Reader)
	ts.Check(err)
	for seat := range table.Seat(s.Seats()) {
		if s.HolderKey(seat) != id.VerifierKey() {
			continue
		}
		owed := s.DutiesOf(seat)
		if len(owed) == 0 {
			ts.Fatalf("the seat owes nothing")
		}
		entry, err := player.Hand{Seat: seat, Secret: secret, Signer: id.Signer()}.SignMessage(s, owed[0], nil, rand.Reader)
		ts.Check(err)
		e, err := wire.Parse(entry)
		ts.Check(err)
		e.Message.Proofs[0][5] ^= 1
		entry, err = wire.Sign(e.Message, id.Signer())
		ts.Check(err)
		_, err = c.Post(ctx, tableID, entry)
		ts.Check(err)
	}
}

// withhold shows $SERVER at an address of its own, and sets a variable to that. As long as there is
// a file of the variable's name it takes no message: whoever posts one there is told to come again.
func withhold(ts *testscript.TestScript, args []string) {
	server, err := url.Parse(ts.Getenv("SERVER"))
	ts.Check(err)
	proxy, file := httputil.NewSingleHostReverseProxy(server), ts.MkAbs(args[0])
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(file); err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], s.URL)
}
