//go:build !js

// A page keeps nothing of a look, and would link package gob for it.

package events

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// keptLook is what a look at an event leaves to the look of a later program: the tables that were
// over, with what came of them, and the checkpoint of the log under which that was verified.
type keptLook struct {
	Format string
	Event  wire.Hash
	Note   []byte
	Tables []event.Table // without their terms, which the log has
}

// keptFormat changes with what a kept table means.
const keptFormat = "pakli-kept/v3"

// KeepLook returns what [Live.ResumeFrom] takes, after a look; nil if no more tables are over than were kept. SHA-256
// of it comes first: of a disk, not of somebody who may write there.
func (l *Live) KeepLook(v *VerifiedEvent) ([]byte, error) {
	k := keptLook{Format: keptFormat, Event: l.o.Event, Note: v.Log.Checkpoint.Note}
	for _, t := range v.Sheets {
		if t.State.IsOver() {
			bare := *t
			bare.Terms = nil
			k.Tables = append(k.Tables, bare)
		}
	}
	if len(k.Tables) <= l.over {
		return nil, nil
	}
	l.over = len(k.Tables)
	b := bytes.NewBuffer(make([]byte, sha256.Size))
	err := gob.NewEncoder(b).Encode(k)
	sum := sha256.Sum256(b.Bytes()[sha256.Size:])
	copy(b.Bytes(), sum[:])
	return b.Bytes(), err
}

// ResumeFrom takes what was kept, before the first look. It is believed as the own memory is, and must
// be out of reach of others; the log is held to its checkpoint. Tables that were over are not
// replayed again.
func (l *Live) ResumeFrom(file []byte) error {
	if len(file) < sha256.Size || sha256.Sum256(file[sha256.Size:]) != [sha256.Size]byte(file) {
		return errors.New("what was kept of the event is damaged")
	}
	var k keptLook
	if err := gob.NewDecoder(bytes.NewReader(file[sha256.Size:])).Decode(&k); err != nil {
		return fmt.Errorf("what was kept of the event cannot be read: %w", err)
	}
	if k.Format != keptFormat || k.Event != l.o.Event {
		return errors.New("what was kept is of another event, or another version of pakli")
	}
	c, err := tlog.OpenCheckpoint(k.Note, l.o.Log...)
	if err != nil {
		return fmt.Errorf("what was kept is of another log: %w", err)
	}
	l.o.Believed = append(l.o.Believed, c)
	for _, t := range k.Tables {
		l.kept[t.ID] = &t
	}
	l.over = len(k.Tables)
	return nil
}
