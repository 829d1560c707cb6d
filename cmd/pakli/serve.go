package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/badgerstore"
)

type serverOptions struct {
	data   string // directory of the log
	listen string // address
	origin string // name of the log, for a new one
	// ballast is set aside for the day the disk is full, in bytes.
	ballast int64
	logger  *slog.Logger
	// limits are the demo's: its players share one address.
	limits httpapi.Limits
}

// Files in the data directory beside the log's own.
const (
	keyFile = "log.vkey" // the verifier key, for everybody
	urlFile = "url"      // where the server answers, while it runs
)

// runServe serves until it is told to stop.
func runServe(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("serve", "")
	var o serverOptions
	f.StringVar(&o.data, "data", "pakli-data", "directory of the log; made if it does not exist")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to answer on")
	f.StringVar(&o.origin, "origin", "localhost", "name of a new log: the URL it is served under, without scheme")
	f.Int64Var(&o.ballast, "ballast", 256<<20, "bytes set aside in a file that may be removed when the disk is full")
	if err := parse(f, args, 0); err != nil {
		return exitUsage, err
	}
	o.logger = slog.New(slog.NewTextHandler(e.err, nil))
	s, err := startServer(o, e)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%s\n%s\n", s.url, s.key.Public)
	select {
	case <-ctx.Done():
	case <-s.log.Failed():
		err = s.log.Err()
	case err = <-s.ended:
		s.ended <- nil
	}
	return exitDone, errors.Join(err, s.stop())
}

// running is a server with its log.
type running struct {
	url    string
	key    ledger.Key
	log    *ledger.Ledger
	data   string
	cancel context.CancelFunc
	ended  chan error // of Serve
}

func startServer(o serverOptions, e env) (_ *running, err error) {
	key, err := openKey(o)
	if err != nil {
		return nil, err
	}
	log, err := ledger.Open(o.data, ledger.Options{Signer: key.Signer, Logger: o.logger, Store: badgerstore.Options{Ballast: o.ballast}})
	if err != nil {
		return nil, err
	}
	s := &running{key: key, log: log, data: o.data, ended: make(chan error, 1)}
	if err := s.listen(o); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return s, os.WriteFile(filepath.Join(o.data, urlFile), []byte(s.url+"\n"), 0o644)
}

// openKey returns the key of the log in o.data, and makes key and log if the
// directory has neither.
func openKey(o serverOptions) (ledger.Key, error) {
	key, err := ledger.LoadKey(o.data)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = ledger.CreateKey(o.data, o.origin, rand.Reader); err != nil {
		return key, err
	}
	if err := ledger.Create(o.data, ledger.Options{Signer: key.Signer}); err != nil {
		return key, err
	}
	return key, os.WriteFile(filepath.Join(o.data, keyFile), []byte(key.Public+"\n"), 0o644)
}

func (s *running) listen(o serverOptions) error {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	tables, err := admission.Open(ctx, s.log, catalogue(), admission.Options{Blobs: s.log})
	if err != nil {
		cancel()
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		cancel()
		return err
	}
	s.url = "http://" + l.Addr().String()
	srv := httpapi.New(httpapi.Options{Log: s.log, Tiles: s.log, Admission: tables, Blobs: s.log, Key: s.key.Public, Ready: s.log.Ready, Logger: o.logger, Limits: o.limits})
	go func() { s.ended <- srv.Serve(ctx, l) }()
	return nil
}

// stop answers what was accepted and closes the log.
func (s *running) stop() error {
	s.cancel()
	err := <-s.ended
	os.Remove(filepath.Join(s.data, urlFile))
	return errors.Join(err, s.log.Close())
}
