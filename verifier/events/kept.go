//go:build !js

// The page keeps no look between runs, and this file would link package gob into it.

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

// keptLook is what one program keeps of a look at an event for a later program: the finished tables
// with their results, and the checkpoint of the log under which they were verified.
type keptLook struct {
	Format string
	Event  wire.Hash
	Note   []byte
	Tables []event.Table // without their terms, which are in the log
}

// keptFormat changes whenever the meaning of a kept table does.
const keptFormat = "pakli-kept/v3"

// KeepLook returns the bytes of a look for [Live.ResumeFrom], or nil if no more tables are finished
// than were kept already. They begin with their SHA-256, which protects against a faulty disk but not
// against somebody who can write to it.
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

// ResumeFrom loads kept bytes before the first look. They are trusted like the program's own memory
// and must be out of others' reach. The log is held to the kept checkpoint, and the kept tables are
// not replayed again.
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
