// Package bulletin has the entries of an event as bytes (docs/spec/10-encoding.md, 10.12): its
// announcement, the notices of players, and the decisions of those whom it entitles.
//
// They have the form of every entry and concern no table, so package wire, on which the verdict on
// a table rests, does not know them. Package event says what they bring about.
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
	// MaxTies is the number of ways to break ties.
	MaxTies = 8
	// MaxPoints bounds the points of places, byes and rulings.
	MaxPoints = 1_000_000
	// MaxParts bounds the parts of a seating, each an entry.
	MaxParts = 64
	// MaxGroups bounds the groups of players to be kept apart, and the players of each.
	MaxGroups = 64
)

// Entry is an entry of the log: an entry of a table, or else one of Event, Notice and Decision is
// set.
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

// BeginsEvent reports whether an entry begins like the announcement of an event.
func BeginsEvent(entry []byte) bool { return bytes.HasPrefix(entry, []byte(eventPrefix)) }

// EventNamed returns the event that a notice or decision names, and false if the bytes do not begin
// like either. It does not look at the rest.
func EventNamed(entry []byte) (wire.Hash, bool) {
	return wire.HashAfter(entry, noticePrefix, decisionPrefix)
}

// Parse reads any entry: an entry of an event, or one that wire.Parse reads.
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

// ParseEvent reads the announcement of an event and verifies the signature of the organiser that it
// names. Anybody can write one with another signature, which announces no event.
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

// VerifySelf verifies an event, a notice or a decision by the key that it names itself.
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

// NamedEvent returns the event that a notice or decision names, and zero for other entries.
func (e *Entry) NamedEvent() wire.Hash {
	switch {
	case e.Notice != nil:
		return e.Notice.Event
	case e.Decision != nil:
		return e.Decision.Event
	}
	return wire.Hash{}
}

// Sign writes the entry for t, an *Event, a *Notice or a *Decision.
func Sign(t any, s note.Signer) ([]byte, error) {
	return wire.SignChecked(t, s, func(entry []byte) error { _, err := Parse(entry); return err })
}

// form is an entry, or the body of one, that checks its own bounds.
type form interface{ checkForm() error }

func readBody(raw json.RawMessage, into form) error {
	if err := wire.DecodeCanonical(raw, into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return into.checkForm()
}
