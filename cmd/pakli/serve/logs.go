package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/tlog"
)

// Logs signs the list of an operator's logs (docs/spec/67-logs.md).
func Logs(f *command.Flags) command.Body {
	key := f.String("key", "", "`file` of the operator's key, which is made if it is not there")
	var list []OwnLog
	f.Func("log", "`VKEY URL` of a log, in one argument; may be repeated, at most 64 times", func(text string) error { return addKnown(&list, text) })
	f.Func("closed", "`file` with the last checkpoint of the log named before, which is closed", func(file string) error { return closeKnown(list, file) })
	f.Required = []string{"key"}
	return func(ctx context.Context, e command.Env) error {
		if len(list) == 0 {
			return command.WrongUsage("--log is missing: name each log as --log 'VKEY URL'")
		}
		signer, err := operatorKey(*key)
		if err != nil {
			return err
		}
		signed, err := SignLogs(list, signer)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "signed by %s\n", signer.Verifier())
		_, err = e.Out.Write(signed)
		return err
	}
}

func addKnown(list *[]OwnLog, text string) error {
	vkey, url, ok := strings.Cut(text, " ")
	if !ok {
		return errors.New("must be a verifier key and a URL, in quotes")
	}
	k, err := tlog.ParseLogKey(vkey)
	*list = append(*list, OwnLog{Key: k, URL: url})
	return err
}

func closeKnown(list []OwnLog, file string) error {
	if len(list) == 0 {
		return errors.New("name the log first, with --log")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	l := &list[len(list)-1]
	c, err := tlog.OpenCheckpoint(text, l.Key)
	l.Last = &c
	return err
}

// operatorName is the name of an operator's key that is made here.
const operatorName = "operator"

// operatorKey reads a key, or makes it.
func operatorKey(file string) (*tlog.SignerKey, error) {
	private, _, err := flags.OpenKey(file, tlog.Ed25519, func() (string, error) { return operatorName, nil })
	if err != nil {
		return nil, err
	}
	return tlog.ParseSignerKey(private, nil)
}

// ownLogs is the operator's list, as read by the server.
type ownLogs struct {
	signed []byte
	closed bool // this log is closed
}

// logSettings name the served list.
type logSettings struct{ file, key string }

func (o *logSettings) addFlags(f *flag.FlagSet) {
	f.StringVar(&o.file, "logs", "", "file with the signed list of all logs of this operator (pakli logs), shown at /v1/logs; a changed file is used within a second")
	f.StringVar(&o.key, "logs-key", "", "verifier key of who signs the list")
}

// watchList reads the list, and again whenever it changes. It returns nil if there is none.
func (o logSettings) watchList(logger *slog.Logger, own note.Verifier) (*watchedFiles[ownLogs], error) {
	if o.file == "" && o.key == "" {
		return nil, nil
	}
	if o.file == "" || o.key == "" {
		return nil, command.WrongUsage("--logs and --logs-key belong together")
	}
	by, err := tlog.ParseVerifierKey(o.key)
	if err != nil {
		return nil, command.WrongUsage("--logs-key: %w", err)
	}
	return newWatched(logger, time.Now, func() (ownLogs, error) { return readLogs(o.file, by, own) }, o.file)
}

func readLogs(file string, by, own note.Verifier) (ownLogs, error) {
	signed, err := os.ReadFile(file)
	if err != nil {
		return ownLogs{}, err
	}
	list, err := OpenLogs(signed, by)
	if err != nil {
		return ownLogs{}, fmt.Errorf("%s: %w", file, err)
	}
	for _, l := range list {
		if l.Key.Name() == own.Name() {
			return ownLogs{signed, l.Last != nil}, nil
		}
	}
	return ownLogs{}, fmt.Errorf("%s: this log, %s, is not among the operator's logs", file, own.Name())
}
