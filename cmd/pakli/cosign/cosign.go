// Package cosign runs a cosigner of other people's logs, and a keeper of messages that a log does not
// take.
package cosign

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
)

// cosignOptions are the settings of a cosigner.
type cosignOptions struct {
	dir, name, listen string
	lattice           bool
	logs              []tlog.PolicyLog
	keeperFlags
}

// addressFile has the address of a running cosigner, in its directory.
const addressFile = "url"

// SignedTime is the clock of cosignatures and keepers' lines. A test stops it.
var SignedTime = time.Now

// Cosign cosigns checkpoints of other people's logs until it is stopped.
func Cosign(f *command.Flags) command.Body {
	var o cosignOptions
	f.StringVar(&o.dir, "dir", "pakli-cosigner", "directory of the cosigner: its keys, and what it has cosigned. Never restore it from a backup")
	f.StringVar(&o.name, "name", "", "name of a new cosigner: a URL without scheme")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8090", "address to answer on")
	f.BoolVar(&o.lattice, "mldsa", false, "sign with an ML-DSA-44 key too")
	o.keeperFlags.addFlags(f)
	f.Func("log", "verifier key of a log to cosign; may be repeated", o.addLog)
	f.Variable("log", "PAKLI_LOG", "policy")
	f.Func("policy", "file whose logs are to be cosigned", o.addPolicy)
	return func(ctx context.Context, e command.Env) error {
		if len(o.logs) == 0 {
			return command.WrongUsage("no log to cosign: name one with --log KEY or --policy FILE")
		}
		if err := o.keeperFlags.checkFlags(o.logs); err != nil {
			return err
		}
		l, err := flags.Listen("--listen", o.listen) // before anything is created
		if err != nil {
			return err
		}
		defer l.Close()
		signers, err := o.readKeys(e)
		if err != nil {
			return err
		}
		logger := slog.New(slog.NewTextHandler(e.Loud(), nil))
		c, err := cosign.OpenCosigner(o.dir, cosign.CosignerOptions{Signers: signers, Logs: o.logs, Clock: SignedTime, Logger: logger})
		if err != nil {
			return err
		}
		handler, stop, err := o.openKeeper(ctx, e, c, logger)
		if err != nil {
			return errors.Join(err, c.Close())
		}
		return errors.Join(o.serve(ctx, e, handler, l), stop(), c.Close())
	}
}

func (o *cosignOptions) addLog(vkey string) error {
	k, err := tlog.ParseLogKey(vkey)
	o.logs = append(o.logs, tlog.PolicyLog{Key: k})
	return err
}

func (o *cosignOptions) addPolicy(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, err := tlog.ParsePolicy(text)
	if err != nil {
		return err
	}
	o.logs = append(o.logs, p.Logs...)
	return nil
}

// readKeys reads the private keys in the directory, makes missing ones, and prints the verifier keys.
func (o *cosignOptions) readKeys(e command.Env) (signers []string, err error) {
	files := []struct {
		name string
		a    tlog.Algorithm
	}{{"cosigner.key", tlog.Ed25519Cosignature}, {"cosigner-mldsa.key", tlog.MLDSA44}}
	if !o.lattice {
		files = files[:1]
	}
	for _, file := range files {
		path := filepath.Join(o.dir, file.name)
		skey, vkey, err := flags.OpenKey(path, file.a, o.newName)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(e.Out, vkey)
		signers = append(signers, skey)
		o.vkeys = append(o.vkeys, vkey)
	}
	return signers, nil
}

func (o *cosignOptions) newName() (string, error) {
	if o.name == "" {
		return "", command.WrongUsage("a new cosigner needs a name, the URL it is known by without https://: add --name")
	}
	return o.name, nil
}

func (o *cosignOptions) serve(ctx context.Context, e command.Env, c http.Handler, l net.Listener) error {
	url := "http://" + l.Addr().String()
	fmt.Fprintln(e.Out, url)
	if err := os.WriteFile(filepath.Join(o.dir, addressFile), []byte(url+"\n"), 0o644); err != nil {
		return err
	}
	defer os.Remove(filepath.Join(o.dir, addressFile))
	s := newCosignBounds().server(c)
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		stopped <- errors.Join(s.Shutdown(grace), s.Close()) // cuts off the clients that are still there
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
