package main

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
)

// abuserAddress is the address of most abuse. proxyAddress is that of a proxy which the server
// trusts, for abuse from many addresses.
const (
	abuserAddress = "127.0.2.1"
	proxyAddress  = "127.0.4.1"
)

// material is what abusers need.
type material struct {
	URL                   string
	Rate                  int
	Known                 []byte     // a message that the log has already
	Stale                 []byte     // signed by its seat, on an old head
	Wrong                 [][][]byte // due, costly to check, and wrong: some for each of some seats
	Table                 string     // path of a table
	Event                 string     // path of an event whose bundle is long
	Offers, Registrations [][]byte   // signed
}

// outcome is what an abuser sent, and the answers.
type outcome struct {
	Requests int
	Answers  map[string]int
}

// startAbuser starts a process for one kind of abuse and returns when it begins; end stops it.
func (h *hall) startAbuser(abuse string) (end func() (outcome, error), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("taskset", "-c", fmt.Sprint(runtime.NumCPU()-1), self, "-abuser", h.file, "-only", abuse)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	said := bufio.NewReader(out)
	if _, err := said.ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the abuser does not begin: %w", cmd.Wait())
	}
	return func() (o outcome, err error) {
		in.Close()
		err = json.NewDecoder(said).Decode(&o)
		return o, errors.Join(err, cmd.Wait())
	}, nil
}

// save writes the material to a file for abusers.
func (m *material) save(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode(m)
}

// abuser carries out one kind of abuse.
type abuser struct {
	*material
	from   string // address
	client *http.Client
	seat   *list // wrong proofs of the first seat
	seats  *list // wrong proofs of each seat in turn
}

// list is used in turn, and again from the beginning.
type list struct {
	entries [][]byte
	at      atomic.Uint64
}

func (l *list) nextEntry() []byte { return l.entries[(l.at.Add(1)-1)%uint64(len(l.entries))] }

// beAbuser reports when it begins, abuses until its input ends, and prints the outcome.
func beAbuser(ctx context.Context, o options) error {
	f, err := os.Open(o.abuser)
	if err != nil {
		return err
	}
	defer f.Close()
	a := &abuser{material: new(material), from: abuserAddress, client: clientAt(abuserAddress), seats: &list{}}
	if err := gob.NewDecoder(f).Decode(a.material); err != nil {
		return err
	}
	if len(a.Wrong) > 0 {
		a.seat = &list{entries: a.Wrong[0]}
	}
	for k := range wrongOfOther {
		for _, wrong := range a.Wrong {
			a.seats.entries = append(a.seats.entries, wrong[k])
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	for _, kind := range kinds {
		if kind.name == o.only {
			fmt.Println("begins")
			t := &tally{answers: map[string]int{}}
			kind.run(ctx, a, t)
			return json.NewEncoder(os.Stdout).Encode(outcome{t.requests, t.answers})
		}
	}
	return fmt.Errorf("there is no abuse %q", o.only)
}
