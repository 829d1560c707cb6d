package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/trials/cluster/parts"
	"github.com/pakli/pakli/ledger/tlog"
)

// closing closes the log at the end. Everything that was handed in must be there. Every front end
// must show the same last checkpoint, look like a log kept alone, and take nothing more. The signed
// list and a mirror must have the checkpoint.
func (t *Trial) closing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	size, err := t.CloseLog(ctx)
	if err != nil {
		return err
	}
	var last []byte
	for _, f := range t.FrontEnds {
		if last, err = t.lastOf(ctx, f, size); err != nil {
			return err
		}
		if err := refuses(ctx, f.URL, ""); err != nil {
			return err
		}
	}
	if err := t.compareToAlone(ctx, last); err != nil {
		return err
	}
	f := t.FrontEnds[len(t.FrontEnds)-1]
	list, err := t.ListClosed(ctx, f, last)
	if err != nil {
		return err
	}
	if shown, err := fetch(ctx, http.DefaultClient, f.URL+"/v1/logs"); err != nil || !bytes.Equal(shown, list) {
		return fmt.Errorf("%s shows another list than its operator signed: %q, %w", f.Name, shown, err)
	}
	if err := refuses(ctx, f.URL, "log-closed"); err != nil {
		return err
	}
	return t.checkMirror(ctx, f, last)
}

// lastOf waits until a front end shows a size and returns the checkpoint.
func (t *Trial) lastOf(ctx context.Context, f *parts.FrontEnd, size uint64) (last []byte, err error) {
	for {
		var c tlog.Checkpoint
		if last, err = fetch(ctx, http.DefaultClient, f.URL+"/checkpoint"); err == nil {
			c, err = tlog.OpenCheckpoint(last, t.Oracle.Key)
		}
		if err == nil && c.Size == size {
			return last, t.Oracle.TakeCheckpoint(last)
		}
		if err := t.wait(ctx, 50*time.Millisecond); err != nil {
			return nil, fmt.Errorf("%s shows %d of %d entries of the closed log: %w", f.Name, c.Size, size, err)
		}
	}
}

// refuses posts a genesis entry and requires a refusal with a problem type.
func refuses(ctx context.Context, url, problem string) error {
	table, err := newTable(1 << 52)
	if err != nil {
		return err
	}
	p := (&Load{URL: url, Clients: 1, begun: make([]time.Time, 1)}).poster(0)
	if _, _, err = p.postOnce(ctx, "/v1/tables", table.Entries[0]); err == nil {
		return errors.New("a closed log takes an entry")
	}
	if problem != "" && !bytes.Contains([]byte(err.Error()), []byte(problem)) {
		return fmt.Errorf("a closed log refuses an entry as %w, not as %s", err, problem)
	}
	return nil
}

// checkMirror copies the log and compares the copy's checkpoint: only cosigners' lines may differ.
func (t *Trial) checkMirror(ctx context.Context, f *parts.FrontEnd, last []byte) error {
	dir, err := t.Mirror(ctx, f)
	if err != nil {
		return err
	}
	copied, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		return err
	}
	a, err := note.Open(copied, note.VerifierList(t.Oracle.Key))
	if err != nil {
		return err
	}
	b, err := note.Open(last, note.VerifierList(t.Oracle.Key))
	if err == nil && a.Text != b.Text {
		err = fmt.Errorf("the mirror of the closed log shows %q, the log %q", a.Text, b.Text)
	}
	return err
}
