package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
)

// MessageText is a message as its entry has it.
func MessageText(m *Message) any { return m.entryText() }

// ActText is an act as its entry has it.
func ActText(a *Act) any { return a.entryText() }

// ParseMessage reads the text of a message.
var ParseMessage = parseMessage

// ParseMessageByJSON reads the text of a message by way of package json, and of
// writing it again.
func ParseMessageByJSON(line []byte) (*Message, error) {
	var t messageText
	if err := DecodeCanonical(line, &t); err != nil {
		return nil, err
	}
	m := &Message{Format: t.Format, Table: t.Table, Parent: t.Parent, Seat: t.Seat, Kind: t.Kind, Body: t.Body}
	if !Lexical(m.Body, 1) || m.Format != MessageFormat || m.Seat < 0 || m.Seat >= MaxSeats || len(m.Kind) == 0 || len(m.Kind) > MaxName || m.Body[0] != '{' || t.Proofs == nil {
		return nil, errCanonical
	}
	return m, m.readProofs(t.Proofs)
}

// Lexical reports, by way of package json, whether an object is JSON in the form of
// 10.3, with so many objects and lists around it.
func Lexical(object []byte, depth int) bool {
	var compact bytes.Buffer
	if json.Compact(&compact, object) != nil || !bytes.Equal(compact.Bytes(), object) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return err == io.EOF
		}
		switch v := token.(type) {
		case nil:
			return false
		case json.Number:
			if !integer.MatchString(v.String()) || len(v) >= 16 && strings.TrimPrefix(v.String(), "-") > "9007199254740991" {
				return false
			}
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			if depth > 16 {
				return false
			}
		}
	}
}

var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,15})$`)

// DecodeBodyByJSON is DecodeBody without its bounds, by way of package json.
func DecodeBodyByJSON(raw []byte, into any) error {
	if !Lexical(raw, 1) {
		return errCanonical
	}
	return DecodeCanonical(raw, into)
}
