package serve

// This file has the list in which an operator names its own logs (docs/spec/67-logs.md): a signed
// note, with exactly one text for each list.

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/pakli/pakli/ledger/tlog"
	"golang.org/x/mod/sumdb/note"
)

// An OwnLog is one of an operator's logs.
type OwnLog struct {
	Key  *tlog.VerifierKey
	URL  string           // address for reading, and for writing unless it is closed
	Last *tlog.Checkpoint // final checkpoint of a closed log; nil: it is open
}

const (
	logsHead   = "pakli logs v1\n"
	logLine    = "log "
	closedLine = "closed "
)

// The same bounds as those of a policy.
const (
	maxLogs  = 64
	maxBytes = 512 << 10
)

func malformedError(format string, args ...any) error {
	return fmt.Errorf("%w list of logs: %s", tlog.ErrMalformed, fmt.Sprintf(format, args...))
}

// SignLogs returns the signed note of an operator's list, in the order given.
func SignLogs(list []OwnLog, by note.Signer) ([]byte, error) {
	text := logsText(list)
	if _, err := parseLogs(text); err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: text}, by)
}

func logsText(list []OwnLog) string {
	var b strings.Builder
	b.WriteString(logsHead)
	for _, l := range list {
		fmt.Fprintf(&b, "%s%s %s\n", logLine, l.Key, l.URL)
		if l.Last != nil {
			fmt.Fprintf(&b, "%s%s\n", closedLine, base64.StdEncoding.EncodeToString(l.Last.Note))
		}
	}
	return b.String()
}

// OpenLogs reads a list that one of these keys has signed; otherwise the error is ErrUnsigned. The
// last checkpoint of a closed log must be signed by that log.
func OpenLogs(signed []byte, by ...note.Verifier) ([]OwnLog, error) {
	if len(signed) > maxBytes {
		return nil, malformedError("%d bytes, at most %d allowed", len(signed), maxBytes)
	}
	n, err := note.Open(signed, note.VerifierList(by...))
	if _, unsigned := err.(*note.UnverifiedNoteError); unsigned {
		return nil, fmt.Errorf("%w: the list of logs is not by its operator", tlog.ErrUnsigned)
	}
	if err != nil {
		return nil, malformedError("%v", err)
	}
	return parseLogs(n.Text)
}

// parseLogs reads the text of the note. There is exactly one text for each list.
func parseLogs(text string) (list []OwnLog, err error) {
	rest, ours := strings.CutPrefix(text, logsHead)
	if !ours {
		return nil, malformedError("it does not begin with %q", logsHead)
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if closed, ok := strings.CutPrefix(line, closedLine); ok && len(list) > 0 {
			err = closeLog(&list[len(list)-1], closed)
		} else {
			list, err = addLog(list, line)
		}
		if err != nil {
			return nil, malformedError("%v", err)
		}
	}
	if logsText(list) != text || len(list) == 0 {
		return nil, malformedError("it has %d logs, and is not written as they are", len(list))
	}
	return list, nil
}

func addLog(list []OwnLog, line string) ([]OwnLog, error) {
	words := strings.Split(strings.TrimPrefix(line, logLine), " ")
	if len(words) != 2 || !strings.HasPrefix(line, logLine) {
		return nil, fmt.Errorf("%.40q is no log", line)
	}
	if len(list) == maxLogs {
		return nil, fmt.Errorf("more than %d logs", maxLogs)
	}
	k, err := tlog.ParseLogKey(words[0])
	if err != nil {
		return nil, err
	}
	for _, l := range list {
		if l.Key.Name() == k.Name() {
			return nil, fmt.Errorf("the log %q is there twice", k.Name())
		}
	}
	u, err := url.Parse(words[1])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%.100q is no URL of a log", words[1])
	}
	return append(list, OwnLog{Key: k, URL: words[1]}), nil
}

// closeLog reads the last checkpoint of a log.
func closeLog(l *OwnLog, text string) error {
	signed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || l.Last != nil {
		return fmt.Errorf("%q is closed twice, or with what is no checkpoint", l.Key.Name())
	}
	c, err := tlog.OpenCheckpoint(signed, l.Key)
	if err != nil {
		return fmt.Errorf("the last checkpoint of %q: %w", l.Key.Name(), err)
	}
	l.Last = &c
	return nil
}
