// Package bulletin is the entries of an event as bytes (docs/spec/10-encoding.md, 10.12): its announcement,
// the notices by which players tell it something, and the decisions of those whom it entitles.
//
// They have the form of every entry and concern no table, so that package wire, on which the verdict on a
// table rests, knows none of them. What they bring about is for package event.
package bulletin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/wire"
)

// Formats of an entry's text.
const (
	EventFormat    = "event/v1"
	NoticeFormat   = "notice/v1"
	DecisionFormat = "decision/v1"
)

const (
	// MaxPlayers bounds the players of an event, as lots do.
	MaxPlayers = 65_535
	// MaxTies is all ways to break ties.
	MaxTies = 8
	// MaxPoints bounds points of places, byes and rulings.
	MaxPoints = 1_000_000
	// MaxParts bounds the parts of a seating, each an entry.
	MaxParts = 64
	// MaxGroups bounds the groups that are kept apart, and the players of each.
	MaxGroups = 64
)

// Entry is an entry of the log: a table's, or one of its parts here is set.
type Entry struct {
	*wire.Entry
	Event    *Event
	Notice   *Notice
	Decision *Decision
}

const (
	eventPrefix    = `{"pakli":"` + EventFormat + `",`
	noticePrefix   = `{"pakli":"` + NoticeFormat + `","event":"`
	decisionPrefix = `{"pakli":"` + DecisionFormat + `","event":"`
)

// BeginsEvent reports whether an entry begins like one that announces an event.
func BeginsEvent(entry []byte) bool { return bytes.HasPrefix(entry, []byte(eventPrefix)) }

// EventNamed returns the event that a notice or decision names, and false if the bytes do
// not begin like one. It says nothing about the rest of them.
func EventNamed(entry []byte) (wire.Hash, bool) {
	return wire.HashAfter(entry, noticePrefix, decisionPrefix)
}

// Parse reads any entry: one of an event, or what wire.Parse reads.
func Parse(parcel []byte) (*Entry, error) {
	e := new(Entry)
	var format string
	var part form
	switch {
	case BeginsEvent(parcel):
		e.Event = new(Event)
		format, part = EventFormat, e.Event
	case bytes.HasPrefix(parcel, []byte(noticePrefix)):
		e.Notice = new(Notice)
		format, part = NoticeFormat, e.Notice
	case bytes.HasPrefix(parcel, []byte(decisionPrefix)):
		e.Decision = new(Decision)
		format, part = DecisionFormat, e.Decision
	default:
		parsed, err := wire.Parse(parcel)
		if err != nil {
			return nil, err
		}
		return &Entry{Entry: parsed}, nil
	}
	var err error
	if e.Entry, err = wire.ParseDocument(parcel, wire.MaxEntry, format, part); err == nil {
		err = part.checkForm()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ParseEvent reads an entry that announces an event, signed by the organiser whom it
// names. Anybody can write one that is not: that is no event.
func ParseEvent(entry []byte) (*Entry, error) {
	if !BeginsEvent(entry) {
		return nil, errNoEvent
	}
	e, err := Parse(entry)
	if err == nil {
		err = e.VerifySelf()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

var errNoEvent = errors.New("the entry announces no event")

// VerifySelf is Verify of an event, a notice or a decision by the key that it names itself.
func (e *Entry) VerifySelf() error {
	var by string
	switch {
	case e.Event != nil:
		by = e.Event.Organiser
	case e.Notice != nil:
		by = e.Notice.By
	case e.Decision != nil:
		by = e.Decision.By
	default:
		return errNoEvent
	}
	v, err := wire.ParseVerifier(by)
	if err != nil {
		return err
	}
	return e.Verify(v)
}

// NamedEvent is the event that a notice or a decision names; of other entries it is zero.
func (e *Entry) NamedEvent() wire.Hash {
	switch {
	case e.Notice != nil:
		return e.Notice.Event
	case e.Decision != nil:
		return e.Decision.Event
	}
	return wire.Hash{}
}

// Sign writes the entry for t, which is an *Event, a *Notice or a *Decision.
func Sign(t any, s note.Signer) ([]byte, error) {
	return wire.SignChecked(t, s, func(entry []byte) error { _, err := Parse(entry); return err })
}

// form is what knows its bounds: an entry, or the body of one.
type form interface{ checkForm() error }

func readBody(raw json.RawMessage, into form) error {
	if err := wire.DecodeCanonical(raw, into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return into.checkForm()
}
