package cosign

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// keeperFlags are the flags of a cosigner that is also a keeper.
type keeperFlags struct {
	wanted    bool
	url       string // of the log
	megabytes int64
	known     limit.Organisers
	vkeys     []string // of the cosigner
}

func (k *keeperFlags) addFlags(f *command.Flags) {
	f.BoolVar(&k.wanted, "keeper", false, "hold messages of tables with a clock that the log does not take, and say when there was none; of one log")
	f.StringVar(&k.url, "log-url", "", "`URL` of the log, which a keeper reads (default: as the policy says)")
	f.Int64Var(&k.megabytes, "keep", 256, "how many `megabytes` of messages a keeper holds")
	f.Func("organisers", "`file` with verifier keys of organisers: half of the room is for their tables alone", func(file string) error {
		text, err := os.ReadFile(file)
		if err == nil {
			k.known, err = limit.ParseOrganisers(text)
		}
		return err
	})
}

func (k *keeperFlags) checkFlags(logs []tlog.PolicyLog) error {
	if !k.wanted {
		if k.url != "" || k.known != nil {
			return command.WrongUsage("--log-url and --organisers are for --keeper")
		}
		return nil
	}
	for _, l := range logs {
		if l.Key.Name() != logs[0].Key.Name() {
			return command.WrongUsage("--keeper works for one log, since what a keeper says does not name the log: run another cosigner, with a directory of its own, for %s", l.Key.Name())
		}
		k.url = cmp.Or(k.url, l.URL)
	}
	switch {
	case k.url == "":
		return command.WrongUsage("--keeper: the log's URL is missing: --log-url")
	case k.megabytes < 1:
		return command.WrongUsage("--keep %d: must be at least 1", k.megabytes)
	}
	return nil
}

// openKeeper opens the keeper, if one is wanted, whose handler passes other requests to the cosigner.
func (o *cosignOptions) openKeeper(ctx context.Context, e command.Env, c *cosign.Cosigner, logger *slog.Logger) (http.Handler, func() error, error) {
	if !o.wanted {
		return c, func() error { return nil }, nil
	}
	signer, vkey, err := o.linesKey()
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintln(e.Out, vkey)
	var keys []note.Verifier
	for _, l := range o.logs {
		keys = append(keys, l.Key)
	}
	log, err := client.New(o.url, keys[0], nil, keys[1:]...)
	if err != nil {
		return nil, nil, err
	}
	k, err := cosign.OpenKeeper(filepath.Join(o.dir, "held"), cosign.KeeperOptions{
		Clock: SignedTime, Signer: signer, Lines: vkey, Keeper: o.vkeys[0], Keys: keys, Log: keptLog{log},
		Cosigned: func() tlog.Checkpoint { return c.Latest(keys[0].Name()) },
		Known:    o.known.AllowsKey, KeeperBounds: cosign.KeeperBounds{Bytes: o.megabytes << 20}, Logger: logger,
	})
	if err != nil {
		return nil, nil, err
	}
	running, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); k.Run(running) }()
	return k.Handler(c), func() error { end(); <-done; return k.Close() }, nil
}

// linesFile has the key with which a keeper signs lines.
const linesFile = "keeper.key"

// linesKey reads that key or makes it. Its name is the cosigner's, changed to what is allowed at
// tables.
func (o *cosignOptions) linesKey() (note.Signer, string, error) {
	skey, vkey, err := flags.OpenKey(filepath.Join(o.dir, linesFile), tlog.Ed25519, func() (string, error) {
		name, _, _ := strings.Cut(o.vkeys[0], "+")
		return linesName(name), nil
	})
	if err != nil {
		return nil, "", err
	}
	s, err := note.NewSigner(skey)
	return s, vkey, err
}

// linesName returns a name that keys at tables may have (docs/spec/10-encoding.md, 10.4).
func linesName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if wire.CheckName(string(r)) != nil {
			return '-'
		}
		return r
	}, name)
	return plain[:min(len(plain), wire.MaxName)]
}

// keptLog is the log as a keeper reads it.
type keptLog struct{ *client.Client }

func (l keptLog) Listed(ctx context.Context, table wire.Hash, n int) (list []cosign.HeldEntry, err error) {
	page, err := l.Client.ListedMessages(ctx, table, n)
	for _, m := range page {
		list = append(list, cosign.HeldEntry{Index: m.Index, Text: m.Entry})
	}
	return list, err
}

func (l keptLog) Give(ctx context.Context, table wire.Hash, message []byte) error {
	_, err := l.Client.Post(ctx, table, message)
	return err
}
