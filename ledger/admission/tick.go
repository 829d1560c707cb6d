package admission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// A Ticker posts marks while a table with a clock is in play, or an event waits for the time to appeal to pass.
type Ticker struct {
	Admission *Admission
	Cosigned  tlog.Reader // the log as its cosigners have seen it
	By        string      // the verifier key of Signer
	Signer    note.Signer // anybody's: the checkpoint proves itself
}

// Tick posts a mark if one is due, and if there is a newer cosigned checkpoint than the last
// one carries: since a mark moves the tree, there will be one.
func (t Ticker) Tick(ctx context.Context) error {
	keepers, due := t.Admission.MarkDue()
	if !due {
		return nil
	}
	c, err := t.Cosigned.Checkpoint(ctx)
	if errors.Is(err, tlog.ErrNotCosigned) || err == nil && !t.Admission.times.isNewer(c) {
		return nil
	}
	if err != nil {
		return err
	}
	carried, err := signedOnlyBy(c, append(t.Admission.options.Keys, cosignerKeys(keepers)...))
	if err != nil {
		return err
	}
	entry, err := wire.SignMark(carried, t.By, t.Signer)
	if err != nil {
		return err
	}
	_, err = t.Admission.PostMark(ctx, entry)
	return err
}

// isNewer reports whether a checkpoint is larger than that of the last mark.
func (k *timekeeper) isNewer(c tlog.Checkpoint) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return c.Size > max(k.newest, k.seenSize.Load())
}

func cosignerKeys(keys []string) (list []note.Verifier) {
	for _, vkey := range keys {
		if k, err := tlog.ParseCosignerKey(vkey); err == nil {
			list = append(list, k)
		}
	}
	return list
}

// signedOnlyBy is a checkpoint with the signatures of these keys, and no others.
func signedOnlyBy(c tlog.Checkpoint, keys []note.Verifier) ([]byte, error) {
	n, err := note.Open(c.Note, note.VerifierList(keys...))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(n.Text + "\n")
	for _, s := range n.Sigs {
		fmt.Fprintf(&b, "— %s %s\n", s.Name, s.Base64)
	}
	return []byte(b.String()), nil
}
